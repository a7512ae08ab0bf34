"""Rows and texts moved by loops, against Python lists; every loop that a kernel needs, and what it does without."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as offsets_kernel
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.base.texts import text_parts
from arrowjag._kernels.move import join, reversal
from arrowjag._kernels.move import rows as kernel
from arrowjag._kernels.move import texts as texts_kernel
from tests.kernels.interpreted import Loops
from tests.kernels.test_scatter import SAMPLES

WORDS = {
    pa.bool_(): "u1",
    pa.int8(): "u1",
    pa.uint16(): "u2",
    pa.float16(): "u2",
    pa.date32(): "u4",
    pa.int64(): "u8",
    pa.float64(): "u8",
    pa.timestamp("us", "UTC"): "u8",
}
"""Types that loops move, and the words as which they do."""

TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
OTHERS = (pa.decimal128(30, 2), pa.decimal256(60, 1), pa.null(), pa.list_(pa.int8()), pa.binary(3))
BYTES, FLAGS = "taken_bytes-u1-plain", "taken_items-u1-plain"
ROWS, ROWS_PRESENT, CUTS = "taken_rows-i8-plain", "taken_rows-i8-nulls", "taken_cuts-i8-plain"

SIZES = [3, 0, 1, 5, 2, 0, 4, 12]
OFFSETS = from_sizes(np.array(SIZES))
TAKEN = np.array([7, 3, 1, 0, 3, 6, 7], np.int32)
PRESENT = np.array([True, True, True, False, True, True, False])
TINY = {"THREAD_VALUES": 1, "CACHE_VALUES": 4, "ROWS": 2, "LIGHT_VALUES": 1, "PASS_VALUES": 8}


def items(type: pa.DataType, n: int, nulls: bool) -> list[Any]:
    """Items that differ from their neighbours, some of text longer than a step of the loop."""
    if type in SAMPLES:
        some = SAMPLES[type]
    else:
        texts = ["", "a", "äb", "0123456789" * 5, "c" * 33]
        some = texts if pa.types.is_string(type) or pa.types.is_large_string(type) else [one.encode() for one in texts]
    return [None if nulls and place % 3 == 1 else some[place * (place + 1) // 2 % len(some)] for place in range(n)]


def array(type: pa.DataType, n: int, nulls: bool) -> pa.Array[Any]:
    """A slice, so that data begin anywhere, and nulls elsewhere than those before it."""
    found = pa.array([*items(type, 5, True), *items(type, n, nulls)], type)[5:]
    assert bool(found.null_count) is (nulls and n > 1)
    return found


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> Loops:
    found = Loops()
    for module in (kernel, texts_kernel, reversal, join, offsets_kernel):
        monkeypatch.setattr(module, "find_loop", found)
    return found


def check_each_loop_is_needed(loops: Loops, needed: set[str], call: Callable[[], Any], moves: str = "", word: str = "") -> None:
    """A call that looks for other loops than these, or that ignores that one of them is not ready, fails.

    Nulls that it `moves` are moved as bits. If that loop is not ready, or if bytes are chosen, they are moved along with words of a
    type, or else apart as bytes.
    """
    bits = {f"{moves}_bits-u1-plain"} if moves else set[str]()
    apart, along = ({f"{moves}_items-{word}-{nulls}"} if moves and word else set[str]() for nulls in ("plain", "nulls"))
    along |= {f"{moves}_items-u1-plain"} if moves and not word else set()
    rest = needed - apart
    for missing, by, sought in ((set(), "compiled", apart), (bits, "compiled", along), (set(), "flags", along)):
        loops.sought.clear()
        loops.missing = missing
        with strategy.force(moved_bits=by):
            assert call() is not None
        assert set(loops.sought) == rest | bits | sought
    for one in needed:
        loops.missing = {one}
        assert call() is None, one
    loops.missing = bits | along
    assert (call() is None) is bool(moves)
    loops.missing = set()


@pytest.mark.parametrize(("function", "of_words", "of_text"), [
    (kernel.can_take, {"taken_items", ROWS, FLAGS}, {ROWS, CUTS, BYTES}),
    (kernel.can_move, {"taken_items", FLAGS}, set()),
    (reversal.can_reverse, {"reversed_items"}, {"reversed_bytes-u1-plain"}),
], ids=["take", "move", "reverse"])  # fmt: skip
def test_values_can_be_moved_if_all_loops_are_ready(
    function: Callable[[pa.DataType, int], bool], of_words: set[str], of_text: set[str], loops: Loops
) -> None:
    for type in (*WORDS, *TEXTS):
        needed = {one if "-" in one else f"{one}-{WORDS[type]}-plain" for one in of_words} if type in WORDS else of_text
        if needed:
            check_each_loop_is_needed(loops, needed, lambda type=type: function(type, 77) or None)
            assert {*loops.sought.values()} == {77}
            assert function(type, 77) is True
        else:
            assert not function(type, 77)
    for type in OTHERS:
        assert not function(type, 77)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("present", [None, PRESENT], ids=["all", "present"])
def test_take_rows(nulls: bool, present: Any, loops: Loops) -> None:
    asked = TAKEN if present is None else np.where(present, TAKEN, 10**6)
    there = np.ones(len(TAKEN), np.bool_) if present is None else present
    for type in (*WORDS, *TEXTS):
        values = array(type, sum(SIZES), nulls)
        needed = {ROWS if present is None else ROWS_PRESENT}
        needed |= {f"taken_items-{WORDS[type]}-plain"} if type in WORDS else {CUTS, BYTES}
        call = lambda values=values: kernel.take_rows(values, OFFSETS, asked, present)  # noqa: E731
        check_each_loop_is_needed(loops, needed, call, "taken" if nulls else "", WORDS.get(type, ""))
        assert {*loops.sought.values()} == {len(values)}
        lists = [values.to_pylist()[OFFSETS[row] : OFFSETS[row + 1]] if one else [] for row, one in zip(TAKEN, there, strict=True)]
        for sizes in ({}, TINY):
            with strategy.force(**sizes):
                found = kernel.take_rows(values, OFFSETS, asked, present)
            assert found is not None
            assert found[0].tolist() == from_sizes(np.array([*map(len, lists)])).tolist()
            check_array(found[1], type, [item for one in lists for item in one])


def check_array(found: pa.Array[Any] | None, type: pa.DataType, expected: list[Any]) -> None:
    assert found is not None
    found.validate(full=True)
    assert found.type == type
    assert found.to_pylist() == expected


@pytest.mark.parametrize("type", [pa.int64(), pa.string()], ids=str)
def test_no_rows_are_taken(type: pa.DataType, loops: Loops) -> None:
    for values, offsets, rows in (
        (array(type, 5, True), [0, 5], []),
        (array(type, 0, False), [0, 0], [0, 0]),
        (array(type, 0, False), [0], []),
    ):
        found = kernel.take_rows(values, np.array(offsets), np.array(rows, np.int64))
        assert found is not None
        assert found[0].tolist() == [0] * (len(rows) + 1)
        check_array(found[1], type, [])


@pytest.mark.parametrize("cores", [1, 2, 3, 8])
def test_rows_are_divided_among_cores(cores: int, loops: Loops, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (kernel, texts_kernel):
        monkeypatch.setattr(module, "n_cores", lambda: cores)
    values, texts = pa.array(np.arange(27)), pa.array([str(place) for place in range(27)])
    for n in range(len(TAKEN) + 1):
        lists = [values.to_pylist()[OFFSETS[row] : OFFSETS[row + 1]] for row in TAKEN[:n]]
        with strategy.force(ROWS=1, THREAD_VALUES=1):
            found = kernel.take_rows(values, OFFSETS, TAKEN[:n])
            taken = texts_kernel.take_texts(texts, TAKEN[:n])
        assert found is not None
        assert found[0].tolist() == from_sizes(np.array([*map(len, lists)], np.int64)).tolist()
        assert found[1].to_pylist() == [item for one in lists for item in one]
        if n:
            check_array(taken, pa.string(), [str(row) for row in TAKEN[:n]])


def test_rows_of_texts_that_are_too_long_are_not_taken(loops: Loops, monkeypatch: pytest.MonkeyPatch) -> None:
    values = pa.array(["a", "bc", "", "def", "ghijk"])
    offsets = np.array([0, 2, 5])
    asked = list[tuple[pa.DataType, int]]()
    for module in (kernel, texts_kernel):
        monkeypatch.setattr(module, "fits", lambda type, n: asked.append((type, n)) or n <= 11)
    assert kernel.take_rows(values, offsets, np.array([0, 1])) is not None
    assert kernel.take_rows(values, offsets, np.array([1, 1])) is None
    assert texts_kernel.take_texts(values, np.array([4, 3, 3])) is not None
    assert texts_kernel.take_texts(values, np.array([4, 3, 3, 0])) is None
    assert asked == [(pa.string(), n) for n in (11, 16, 11, 12)]


@pytest.mark.parametrize("nulls", [False, True])
def test_take_ranges(nulls: bool, loops: Loops) -> None:
    begins, sizes = np.array([20, 3, 99, 0, 5]), [7, 1, 0, 3, 9]
    for type, word in WORDS.items():
        values = array(type, sum(SIZES), nulls)
        needed = {f"taken_items-{word}-plain"}
        call = lambda values=values: kernel.take_ranges(values, begins, from_sizes(np.array(sizes)))  # noqa: E731
        check_each_loop_is_needed(loops, needed, call, "taken" if nulls else "", WORDS.get(type, ""))
        assert {*loops.sought.values()} == {len(values)}
        expected = [item for begin, size in zip(begins, sizes, strict=True) for item in values.to_pylist()[begin : begin + size]]
        for forced in ({}, TINY):
            with strategy.force(**forced):
                check_array(call(), type, expected)
    for type in (*TEXTS, pa.decimal128(30, 2)):
        assert kernel.take_ranges(pa.nulls(27, type), begins, from_sizes(np.array(sizes))) is None


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("some", [False, True])
def test_take_texts(nulls: bool, some: bool, loops: Loops) -> None:
    index = np.array([9, 0, 3, 3, 8, 7, 1], np.int32)
    valid = np.arange(len(index)) % 4 != 2 if some else None
    asked = index if valid is None else np.where(valid, index, 10**6)
    own = nulls or some
    for type in TEXTS:
        values = array(type, 10, nulls)
        cuts = "i8" if "large" in str(type) else "i4"
        needed = {BYTES, f"taken_rows-{cuts}-{'nulls' if own else 'plain'}"}
        check_each_loop_is_needed(loops, needed, lambda values=values: texts_kernel.take_texts(values, asked, valid))
        assert {*loops.sought.values()} == {len(index)}
        known = values.to_pylist()
        expected = [known[place] if valid is None or valid[slot] else None for slot, place in enumerate(index)]
        for forced in ({}, TINY):
            with strategy.force(**forced):
                check_array(texts_kernel.take_texts(values, asked, valid), type, expected)


def test_which_texts_are_not_taken_by_a_loop(loops: Loops) -> None:
    values = pa.array(["a", "bc"] * 4)
    for n, often in ((511, False), (512, True)):
        assert texts_kernel.take_texts(values, np.arange(n) % 8) is not None
        assert {*loops.often.values()} == {often}
    with strategy.force(take_texts="arrow"):
        assert texts_kernel.take_texts(values, np.array([0, 1])) is None
    loops.sought.clear()
    assert texts_kernel.take_texts(values, np.zeros(0, np.int64)) is None
    assert texts_kernel.take_texts(values[:0], np.array([0]), np.array([False])) is None
    assert loops.sought == {}


@pytest.mark.parametrize("by", ["arrow", "compiled"])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("at_start", [False, True])
def test_cut_texts(at_start: bool, nulls: bool, by: str, loops: Loops) -> None:
    for type in TEXTS:
        texts = [None if nulls and place % 3 == 1 else "xy" * (place % 4) + "0123456789" * (place % 5) for place in range(20)]
        values = pa.array(["skipped", *texts], pa.string())[1:].cast(type)
        for part in (values, values[3:9], values[1:2], values[:0]):
            known = part.to_pylist()
            cut = np.array([2 * (one is not None and len(one) >= 2 and place % 7 > 0) for place, one in enumerate(known)], np.int64)
            bounds = text_parts(part)[1]
            begins, ends = (bounds[:-1] + cut, bounds[1:]) if at_start else (bounds[:-1], bounds[1:] - cut)
            expected = [
                one if one is None else one[n:] if at_start else one[: len(one) - n] for one, n in zip(known, cut, strict=True)
            ]
            loops.sought.clear()
            for forced in ({}, TINY):
                with strategy.force(take_texts=by, **forced):
                    check_array(texts_kernel.cut_texts(part, begins, ends), type, expected)
            assert loops.sought == ({BYTES: len(part)} if len(part) else {})


@pytest.mark.parametrize("nulls", [False, True])
def test_reverse_rows(nulls: bool, loops: Loops) -> None:
    for type in (*WORDS, *TEXTS):
        values = array(type, sum(SIZES), nulls)
        needed = {f"reversed_items-{WORDS[type]}-plain"} if type in WORDS else {"reversed_bytes-u1-plain"}
        call = lambda values=values: reversal.reverse_rows(values, OFFSETS)  # noqa: E731
        check_each_loop_is_needed(loops, needed, call, "reversed" if nulls else "", WORDS.get(type, ""))
        assert {*loops.sought.values()} == {len(values)}
        known = values.to_pylist()
        expected = [item for begin, size in zip(OFFSETS, SIZES, strict=False) for item in known[begin : begin + size][::-1]]
        for forced in ({}, TINY):
            with strategy.force(**forced):
                check_array(reversal.reverse_rows(values, OFFSETS), type, expected)
    for type in (pa.int64(), pa.string()):
        check_array(reversal.reverse_rows(array(type, 0, False), np.array([0, 0])), type, [])
    for type in OTHERS:
        assert reversal.reverse_rows(pa.nulls(3, type), np.array([0, 3])) is None


LENGTHS = [*range(36), 33, 64, 100, 0, 7]
"""Rows of each length that is copied in its own way, and of some that a loop copies."""


@pytest.mark.parametrize("type", WORDS, ids=str)
def test_rows_of_each_length(type: pa.DataType, loops: Loops) -> None:
    offsets = from_sizes(np.array(LENGTHS))
    values = array(type, sum(LENGTHS), True)
    rows = np.arange(len(LENGTHS))[::-1]
    lists = [values.to_pylist()[begin : begin + size] for begin, size in zip(offsets, LENGTHS, strict=False)]
    for forced in ({}, TINY, TINY | {"PASS_VALUES": 72}, {"moved_bits": "flags"}):
        with strategy.force(**forced):
            found = kernel.take_rows(values, offsets, rows)
            turned = reversal.reverse_rows(values, offsets)
        assert found is not None
        check_array(found[1], type, [item for one in lists[::-1] for item in one])
        check_array(turned, type, [item for one in lists for item in one[::-1]])
    with strategy.force(joined="compiled", COMPILED_VALUES=0):
        spans = [join.Slices(values, offsets[:-1], offsets[1:]), join.Slices(values, offsets[:-1], offsets[1:])]
        joined = join.join_slices(spans)
    assert joined is not None
    check_array(joined[1], type, [item for one in lists for item in one + one])


@pytest.mark.parametrize("step", [1, -1, 3])
def test_numbers_of_rows_of_each_length(step: int, loops: Loops) -> None:
    starts = np.arange(len(LENGTHS)) * 1000
    for lengths in (LENGTHS, LENGTHS[::-1]):
        with strategy.force(runs="compiled", COMPILED_VALUES=0):
            found = offsets_kernel.runs(starts, from_sizes(np.array(lengths)), step)
        assert found.tolist() == [begin + step * slot for begin, n in zip(starts, lengths, strict=True) for slot in range(n)]
    assert "numbered-i8-plain" in loops.sought


BOUNDS = [
    (0, 3),
    (1, 4),
    (2, 2),
    (3, 1),
    (-2, None),
    (-9, -1),
    (0, -3),
    (1, None),
    (-3, 2),
    (0, 0),
    (-(2**70), 2**70),
    (2**70, None),
]


@pytest.mark.parametrize(("start", "stop"), BOUNDS)
def test_slice_ranges(start: int, stop: int | None, loops: Loops) -> None:
    for offsets in (OFFSETS, OFFSETS[2:6], OFFSETS[:1], np.array([4, 4, 4])):
        call = lambda offsets=offsets: kernel.slice_ranges(offsets, start, stop)  # noqa: E731
        check_each_loop_is_needed(loops, {"sliced_rows-i8-plain"}, call)
        assert {*loops.sought.values()} == {len(offsets) - 1}
        expected = [range(*pair)[start:stop] for pair in pairwise(offsets)]
        for forced in ({}, TINY):
            with strategy.force(**forced):
                begins, taken = call()
            assert taken.tolist() == from_sizes(np.array([*map(len, expected)], np.int64)).tolist()
            assert [begin for begin, one in zip(begins, expected, strict=True) if one] == [one[0] for one in expected if one]
    with strategy.force(slices="numpy"):
        assert kernel.slice_ranges(OFFSETS, start, stop) is None
