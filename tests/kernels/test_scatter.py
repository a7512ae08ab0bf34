"""Items written to places, against Python lists; whether places are distinct, against sets."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base.words import has_words
from arrowjag._kernels.move import scatter as kernel
from tests.kernels.rows import make_offsets

SAMPLES = {
    pa.bool_(): [True, False],
    pa.int8(): [-1, 2],
    pa.uint16(): [65535, 3],
    pa.float16(): [1.5, -2.5],
    pa.float64(): [0.25, 4.0],
    pa.int64(): [2**62, -1],
    pa.date32(): [1, 2],
    pa.timestamp("us", "UTC"): [1, 2**40],
    pa.decimal128(30, 2): [Decimal("12345678901234567890.25"), Decimal("-1.5")],
    pa.decimal256(60, 1): [Decimal("1234567890123456789012345678901234567890.5"), Decimal(2)],
}


@pytest.mark.parametrize("type", SAMPLES, ids=str)
@pytest.mark.parametrize("block", [1, 3, 1000])
@given(data=st.data())
def test_put(type, block, data):
    leaves = st.sampled_from([*SAMPLES[type], None])
    n, skip = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 9))
    rows = data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip))
    places = data.draw(st.permutations(range(n)))[: data.draw(st.integers(0, n))]
    items = data.draw(st.lists(leaves, min_size=len(places), max_size=len(places)))
    values = pa.array(rows, type)[skip:]
    given_items = pa.concat_arrays([pa.array([None, SAMPLES[type][0]], type), pa.array(items, type)])[2:]
    expected = pa.array(rows[skip:], type).to_pylist()
    for place, item in zip(places, pa.array(items, type).to_pylist(), strict=True):
        expected[place] = item
    assert has_words(type)
    with strategy.force(PASS_VALUES=block, LIGHT_BYTES=min(block, 4)):
        got = kernel.put(values, np.array(places, np.int64), given_items)
    got.validate(full=True)
    assert (got.to_pylist(), got.type) == (expected, type)
    assert values.to_pylist() == pa.array(rows[skip:], type).to_pylist()


@pytest.mark.parametrize(
    "type", [pa.string(), pa.struct({"a": pa.int8()}), pa.null(), pa.binary(3), pa.dictionary(pa.int8(), pa.string())]
)
def test_dictionaries_without_values(type):
    assert not has_words(type)


@given(st.lists(st.integers(0, 40), max_size=12), st.sampled_from([41, 1000]))
def test_distinct(places, n):
    assert kernel.are_distinct(np.array(places, np.int64), n) == (len(set(places)) == len(places))


@given(st.permutations(range(9)), st.sampled_from([9, 1000]))
def test_permutations_are_distinct(places, n):
    assert kernel.are_distinct(np.array(places), n)


def test_put_keeps_and_brings_nulls():
    for values, items in (
        ([1, 2, 3, 4], [7, 8]),
        ([1, None, 3, 4], [7, 8]),
        ([1, None, 3, None], [7, 8]),
        ([1, 2, 3, 4], [None, 8]),
        ([1, 2, None, 4], [7, None]),
        ([1, None, 3, 4], [7, None]),
        ([None, 2, 3, 4], [7, 8]),
    ):
        for type in (pa.int8(), pa.float64(), pa.bool_()):
            old, new = pa.array(values, pa.int8()).cast(type), pa.array(items, pa.int8()).cast(type)
            wanted = old.to_pylist()
            wanted[3], wanted[0] = new.to_pylist()
            got = kernel.put(old, np.array([3, 0]), new)
            got.validate(full=True)
            assert (got.to_pylist(), got.type) == (wanted, type)
            assert (got.buffers()[0] is None) is (old.null_count == new.null_count == 0)
            assert kernel.put(old, np.zeros(0, np.int64), new[:0]) is old


def test_places_that_are_distinct_by_each_strategy(monkeypatch):
    for places, distinct in (
        ([], True),
        ([5], True),
        ([0, 3, 9], True),
        ([9, 3, 0], True),
        ([3, 0, 3], False),
        ([0, 0], False),
        ([9, 9, 1], False),
        ([*range(10), 4], False),
        ([1, 0, *range(2, 10)], True),
        ([0, *range(9)], False),
    ):
        for by in ("sort", "marks"):
            marks = []
            monkeypatch.setattr(kernel, "zeros", lambda *given, marks=marks: marks.append(given) or np.zeros(*given))
            with strategy.force(are_distinct=by) as taken:
                assert kernel.are_distinct(np.array(places, np.int64), 10) is distinct, places
            rises = all(one < two for one, two in pairwise(places))
            assert set(taken) == (set() if rises or len(places) > 10 else {("are_distinct", by)})
            assert marks == ([(10, np.bool_)] if taken and by == "marks" else [])


def test_where_the_values_of_nulls_come_from():
    N, V = False, True
    for rows, forward, backward in (
        ([[V, N, N, V]], [0, 0], [3, 3]),
        ([[N, N, V, N]], [None, None, 2], [2, 2, None]),
        ([[V, N], [N, V]], [0, None], [None, 3]),
        ([[N], [], [N, N], [V, N], [N]], [None, None, None, 3, None], [None] * 5),
        ([[], [N, V, N, V, N], []], [None, 1, 3], [1, 3, None]),
        ([[V, V], []], [], []),
        ([], [], []),
    ):
        valid = np.array([one for row in rows for one in row], np.bool_)
        offsets = make_offsets(rows)
        for direction, wanted in (("forward", forward), ("backward", backward)):
            nulls, sources, known = kernel.null_sources(valid, offsets, direction)
            assert nulls.tolist() == np.flatnonzero(~valid).tolist()
            assert [int(one) if there else None for one, there in zip(sources, known, strict=True)] == wanted
            assert all(0 <= one < len(valid) for one in sources.tolist())


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_carry_by_each_strategy(direction):
    offsets = np.array([0, 3, 3, 7])
    wanted = {"forward": [0, 0, 2, None, 4, 4, 6], "backward": [0, 2, 2, 4, 4, 6, 6]}[direction]
    for type in (pa.int8(), pa.float64(), pa.bool_(), pa.decimal128(30, 2), pa.string()):
        one, two = ("a", "b") if type == pa.string() else SAMPLES[type]
        items = [one, two, two, one, one, two, two]
        valid = np.array([True, False, True, False, True, False, True])
        values = pa.array([item if there else None for item, there in zip(items, valid, strict=True)], type)
        plain = pa.array(items, type).to_pylist()
        for by in ("words", "small"):
            with strategy.force(carry=by):
                got = kernel.carry(values, valid, offsets, direction)
            assert (got.to_pylist(), got.type) == ([None if place is None else plain[place] for place in wanted], type)


def test_few_and_many_nulls_are_carried_by_their_own_strategy(monkeypatch):
    called = []
    monkeypatch.setattr(kernel, "put", lambda *_: called.append("put"))
    monkeypatch.setattr(kernel, "take", lambda *given: called.append(len(given[1])))
    valid, offsets = np.array([True, False, True]), np.array([0, 3])
    for values, by, wanted in (
        (pa.array([1, None, 3]), "words", [1, "put"]),
        (pa.array([1, None, 3]), "small", [3]),
        (pa.array(["a", None, "b"]), "words", [3]),
    ):
        with strategy.force(carry=by):
            kernel.carry(values, valid, offsets, "forward")
        assert called == wanted
        called.clear()


def test_rows_are_reversed_with_a_loop_and_without(monkeypatch):
    values, offsets = pa.array([1, 2, None, 4, 5]), np.array([0, 3, 3, 5])
    asked = []
    monkeypatch.setattr(kernel, "reverse_rows", lambda *given: asked.append(given) or answer)
    for ready, by, answer, wanted, n_asked in (
        (False, "arrow", "loop", [None, 2, 1, 5, 4], 0),
        (True, "compiled", "loop", "loop", 1),
        (True, "compiled", None, [None, 2, 1, 5, 4], 1),
        (True, "arrow", "loop", [None, 2, 1, 5, 4], 0),
    ):
        monkeypatch.setattr(kernel, "can_reverse", lambda *given, ready=ready: given == (pa.int64(), 5) and ready)
        with strategy.force(reverse=by):
            got = kernel.reverse(values, offsets)
        assert (got if answer == "loop" == wanted else got.to_pylist()) == wanted
        assert asked == [(values, offsets)] * n_asked
        asked.clear()
