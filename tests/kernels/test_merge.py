"""Plain values of every type woven, repeated, chosen and padded, against Python lists."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag import JagOverflowError
from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import join
from arrowjag._kernels.move import merge as kernel
from arrowjag._kernels.move import rows as rows_kernel
from tests.kernels.interpreted import Loops
from tests.kernels.test_scatter import SAMPLES

TYPES = pytest.mark.parametrize("type", SAMPLES, ids=str)


def drawn(data, type, n):
    """Values that begin somewhere in a buffer, with nulls or without."""
    skip = data.draw(st.integers(0, 9))
    leaves = st.sampled_from([*SAMPLES[type], None] if data.draw(st.booleans()) else SAMPLES[type])
    return pa.array(data.draw(st.lists(leaves, min_size=n + skip, max_size=n + skip)), type)[skip:]


def check(got, type, expected):
    got.validate(full=True)
    assert (got.to_pylist(), got.type) == (expected, type)


@TYPES
@given(data=st.data())
def test_weave(type, data):
    n, count = data.draw(st.integers(0, 9)), data.draw(st.integers(1, 3))
    parts = [drawn(data, type, n) for _ in range(count)]
    check(kernel.weave(parts), type, [one for row in zip(*(part.to_pylist() for part in parts), strict=True) for one in row])


@TYPES
@given(data=st.data())
def test_repeat_and_tile(type, data):
    values, count = drawn(data, type, data.draw(st.integers(0, 6))), data.draw(st.integers(0, 3))
    check(kernel.repeat_each(values, count), type, [one for one in values.to_pylist() for _ in range(count)])
    check(kernel.tile_words(values, count), type, values.to_pylist() * count)


@TYPES
@given(data=st.data())
def test_pad_rows(type, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, 4), max_size=6)), np.int64)
    wider = np.full(len(sizes), 4) if data.draw(st.booleans()) else sizes + data.draw(st.integers(0, 2))
    values = drawn(data, type, int(sizes.sum()))
    fill = data.draw(st.sampled_from([None, pa.array([SAMPLES[type][1]], type), pa.nulls(1, type)]))
    cuts = from_sizes(sizes)
    filler = None if fill is None else fill[0].as_py()
    plain = values.to_pylist()
    expected = []
    for row, size in enumerate(wider):
        expected += plain[cuts[row] : cuts[row + 1]] + [filler] * int(size - sizes[row])
    check(kernel.pad_rows(values, cuts, from_sizes(wider), fill), type, expected)


@pytest.mark.parametrize("type", [pa.int8(), pa.float64(), pa.bool_(), pa.decimal128(20)], ids=str)
@pytest.mark.parametrize(("n", "count"), [(1, 300_000), (3, 100_000), (70_000, 4), (70_001, 5), (9_001, 64), (5_001, 65)])
def test_repeat_and_tile_in_blocks(type: pa.DataType, n: int, count: int) -> None:
    draw = np.random.default_rng(0)
    numbers = pa.array(draw.integers(0, 100 if type != pa.bool_() else 2, n + 3), mask=draw.random(n + 3) < 0.2)
    for values in (numbers.cast(type)[3:], numbers.drop_null()[:n].cast(type)):
        for kernel_one, index in (
            (kernel.repeat_each, np.arange(len(values)).repeat(count)),
            (kernel.tile_words, np.tile(np.arange(len(values)), count)),
        ):
            found = kernel_one(values, count)
            found.validate(full=True)
            assert found.equals(values.take(pa.array(index)))


def test_blocks():
    n = 100_000
    one, two = (pa.array(np.random.default_rng(seed).random(n)) for seed in (1, 2))
    assert np.array_equal(kernel.weave([one, two]), np.stack([one, two], axis=1).ravel())


@pytest.mark.parametrize("type", [pa.float64(), pa.bool_(), pa.decimal128(20), pa.string()], ids=str)
def test_methods_on_words_and_others(type: pa.DataType) -> None:
    x = aj.array([[1, None], [], [0]]).cast(pa.int64())
    x = aj.JaggedArray(x.shape, x.values.cast(pa.bool_()).cast(type) if type in (pa.bool_(), pa.string()) else x.values.cast(type))
    a, b, c = x.values.to_pylist()
    assert x.repeat(2).to_list() == [[[a, a], [b, b]], [], [[c, c]]]
    assert x.repeat(0).to_list() == [[[], []], [], [[]]]
    assert x.repeat(2).shape.extents[-1] == 2
    assert aj.stack([x, x], axis=-1).to_list() == [[[a, a], [b, b]], [], [[c, c]]]
    assert x.pad(2).to_list() == [[a, b], [None, None], [c, None]]
    assert x.pad(1, fill=a).to_list() == [[a, b], [a], [c]]
    assert x.flatten().unsqueeze(-1).expand(-1, 2).to_list() == [[a, a], [b, b], [c, c]]
    assert x.flatten().tile(x.shape).to_list() == [[[a, b, c]] * 2, [], [[a, b, c]]]
    assert x.flatten().reshape(3).tile(aj.JaggedShape(2)).shape.extents == (2, 3)


def some(type: pa.DataType, n: int, nulls: bool) -> pa.Array[Any]:
    """A slice of n values in a pattern without a short period."""
    items = [SAMPLES[type][bool(place * place % 7 in (1, 4))] for place in range(n + 3)]
    return pa.array([None if nulls and place % 5 == 3 else item for place, item in enumerate(items)], type)[3:]


@pytest.mark.parametrize("type", [pa.bool_(), pa.int8(), pa.float64(), pa.decimal128(30, 2)], ids=str)
def test_each_way_to_repeat(type: pa.DataType) -> None:
    ways: list[dict[str, Any]] = [{"repeat": one} for one in ("small", "columns", "rows")]
    if find_spec("numba"):
        ways += [{"repeat": "compiled", "COMPILED_VALUES": 0, "LIGHT_VALUES": most} for most in (0, 10**6)]
    ways += [{"repeat_bits": one} for one in ("small", "spread", "table")]
    for nulls in (False, True):
        for n in (1, 7, 8, 21):
            values = some(type, n, nulls)
            for count in (1, 2, 3, 7, 8, 9, 70):
                wanted = [item for item in values.to_pylist() for _ in range(count)]
                for way in ways:
                    with aj.options(compile="always"), strategy.force(**way, WORD_VALUES=5, PASS_VALUES=16):
                        check(kernel.repeat_each(values, count), type, wanted)


def test_values_are_repeated_by_the_strategy_that_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[str]()
    for name in ("_woven", "_fill", "spread_flags", "tiled"):
        function = getattr(kernel, name)
        monkeypatch.setattr(kernel, name, lambda *a, function=function, name=name: called.append(name) or function(*a))
    numbers, flags = pa.array([1, 2, 3]), pa.array([True, False, True])
    for values, way, by, wanted in (
        (numbers, "repeat", "small", []),
        (numbers, "repeat", "columns", ["_woven"]),
        (numbers, "repeat", "rows", ["_fill"]),
        (flags, "repeat_bits", "small", []),
        (flags, "repeat_bits", "spread", ["spread_flags"]),
        (flags, "repeat_bits", "table", []),
        (numbers, "tile", "small", ["tiled"]),
        (numbers, "tile", "pieces", ["tiled", "_fill"]),
        (flags, "tile", "small", ["tiled"]),
        (flags, "tile", "pieces", ["tiled", "_fill"]),
    ):
        called.clear()
        with strategy.force(**{way: by}):
            (kernel.tile_words if way == "tile" else kernel.repeat_each)(values, 2)
        assert called == wanted, (way, by)
    asked = list[Any]()
    monkeypatch.setattr(kernel.strategy, "choose", lambda *facts: asked.append(facts) or "small")
    for values in (numbers, flags):
        kernel.repeat_each(values, 2)
        kernel.tile_words(values, 2)
    kernel.tile_words(flags, 9)
    assert [facts[:3] for facts in asked[:4]] == [("repeat", 3, 2), ("tile", 6), ("repeat_bits", 3, 2), ("tile", 6)]
    assert asked[4:] == [("tile", 24), ("tile", 6)]  # eight of them are three bytes, of which two hold nine


@pytest.mark.parametrize("type", [pa.bool_(), pa.int8(), pa.float64(), pa.decimal128(30, 2)], ids=str)
def test_each_way_to_tile(type: pa.DataType) -> None:
    for nulls in (False, True):
        for n in (1, 7, 8, 21):
            values = some(type, n, nulls)
            for count in (1, 2, 3, 7, 8, 9, 70):
                for way, length in (("small", 1), ("pieces", 1), ("pieces", 8), ("pieces", 50), ("pieces", 1000)):
                    with strategy.force(tile=way, TILE_VALUES=length, PASS_VALUES=16):
                        check(kernel.tile_words(values, count), type, values.to_pylist() * count)


@pytest.mark.parametrize("sizes", [[3, 1, 0, 3], [0, 0], [2], []], ids=str)
def test_rows_of_one_length_are_padded_as_windows(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    called = list[str]()
    for module, name in ((kernel.dense, "pad"), (kernel, "ranges")):
        function = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, function=function, name=name: called.append(name) or function(*a))
    offsets = from_sizes(np.array(sizes, np.int64))
    for wide, by in ((3, "windows"), (3, "items"), (4, "windows"), (4, "items")):
        for type in (pa.int8(), pa.decimal128(30, 2)):
            values = some(type, sum(sizes), nulls=False)
            plain, called[:] = values.to_pylist(), []
            wanted = [item for row, size in enumerate(sizes) for item in [*plain[offsets[row] :][:size], *[None] * (wide - size)]]
            with strategy.force(pad=by):
                found = kernel.pad_rows(values, offsets, from_sizes(np.full(len(sizes), wide)), None)
            check(found, type, wanted)
            windows = by == "windows" and bool(plain) and type == pa.int8()
            assert set(called) == {"pad" if windows else "ranges"}
    if len(sizes) > 1 and any(sizes):
        called.clear()
        uneven = np.array(sizes) + np.arange(len(sizes))
        assert len(kernel.pad_rows(some(pa.int8(), sum(sizes), nulls=True), offsets, from_sizes(uneven), None)) == uneven.sum()
        assert called == ["ranges"]


def test_values_that_stay_complete_have_no_validity() -> None:
    values, offsets, fill = pa.array([1, 2, 3]), np.array([0, 1, 3]), pa.array([7])
    for padded, filler, nulls in (
        ([0, 1, 3], None, 0),
        ([0, 2, 4], fill, 0),
        ([0, 2, 4], None, 1),
        ([0, 2, 4], pa.nulls(1, pa.int64()), 1),
    ):
        found = kernel.pad_rows(values, offsets, np.array(padded), filler)
        assert found.null_count == nulls
        assert (found.buffers()[0] is None) is (nulls == 0)
    with_null = kernel.pad_rows(pa.array([1, None, 3]), offsets, np.array([0, 2, 4]), fill)
    assert with_null.to_pylist() == [1, 7, None, 3]
    with_null = kernel.pad_rows(pa.array([1, None, 3]), offsets, np.array([0, 2, 4]), None)
    assert with_null.to_pylist() == [1, None, None, 3]


TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


@pytest.mark.parametrize("type", [*TEXTS, pa.int8(), pa.bool_(), pa.decimal128(30, 2)], ids=str)
@pytest.mark.parametrize("by", ["runs", "compiled", "compiled without a loop"])
def test_each_way_to_take_rows(type: pa.DataType, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loops = Loops() if by == "compiled" else lambda *_: None
    monkeypatch.setattr(rows_kernel, "find_loop", loops)
    sizes, rows = [3, 0, 1, 5, 2], np.array([3, 0, 0, 4, 1, 2, 3])
    offsets, present = from_sizes(np.array(sizes)), np.array([True, False, True, True, True, False, True])
    for nulls in (False, True):
        if type in SAMPLES:
            values = some(type, sum(sizes), nulls)
        else:
            texts = [None if nulls and place % 4 == 2 else "ab" * (place % 4) + str(place) for place in range(sum(sizes) + 2)]
            values = pa.array(texts).cast(type)[2:]
        plain = values.to_pylist()
        for passed, there in ((None, np.ones(len(rows), np.bool_)), (present, present)):
            lists = [plain[offsets[row] : offsets[row + 1]] if one else [] for row, one in zip(rows, there, strict=True)]
            found = kernel.take_spans(values, offsets, np.where(there, rows, 10**6), passed, by.partition(" ")[0])
            assert found[0].tolist() == from_sizes(np.array([*map(len, lists)])).tolist()
            check(found[1], type, [item for one in lists for item in one])
            assert (found[1].null_count == 0) or nulls
    if isinstance(loops, Loops):
        assert bool(loops.sought)


def test_rows_of_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[tuple[pa.DataType, int]]()
    monkeypatch.setattr(kernel, "fits", lambda type, n: asked.append((type, n)) or n < 8)
    values, offsets = pa.array(["ab", "", "cde"]), np.array([0, 2, 3])
    assert kernel.take_spans(values, offsets, np.array([0, 1, 0]))[1].to_pylist() == ["ab", "", "cde", "ab", ""]
    with pytest.raises(JagOverflowError, match=r"^take: 8 bytes are more than string holds; cast to large_string before$"):
        kernel.take_spans(values, offsets, np.array([0, 1, 1]))
    assert asked == [(pa.string(), 7), (pa.string(), 8)]


@pytest.mark.parametrize("n_none", [0, 1, 2])
def test_parts_are_joined_and_woven_whichever_has_nulls(n_none: int) -> None:
    parts = [some(pa.int8(), 6, nulls=place < n_none) for place in range(3)]
    plain = [part.to_pylist() for part in parts]
    offsets = [np.array(one) for one in ([0, 2, 2, 6], [0, 0, 5, 6], [0, 1, 4, 6])]
    wanted = [item for row in range(3) for one, cuts in zip(plain, offsets, strict=True) for item in one[cuts[row] : cuts[row + 1]]]
    changes: list[dict[str, Any]] = [{}, {"joined": "arrow"}, {"joined": "arrow", "ONE_PASS_VALUES": 0, "WORD_VALUES": 2}]
    for change in changes:
        with strategy.force(**change):
            joined, woven = join.join_rows(parts, offsets)[1], kernel.weave(parts)
        check(joined, pa.int8(), wanted)
        check(woven, pa.int8(), [one for row in zip(*plain, strict=True) for one in row])
        for found in (joined, woven):
            assert (found.buffers()[0] is None) is (n_none == 0)


def test_many_values_are_joined_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = list[int]()
    map_tasks = join.map_tasks
    monkeypatch.setattr(join, "map_tasks", lambda work, tasks: counts.append(len(tasks)) or map_tasks(work, tasks))
    parts, offsets = [pa.array([1, 2, None]), pa.array([3, 4])], [np.array([0, 3]), np.array([0, 2])]
    for least, wanted in ((6, []), (5, [2])):
        with strategy.force(joined="arrow", ONE_PASS_VALUES=least):
            assert join.join_rows(parts, offsets)[1].to_pylist() == [1, 2, None, 3, 4]
        assert counts == wanted


def test_the_facts_by_which_rows_are_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel.strategy, "choose", lambda *facts: facts)
    monkeypatch.setattr(kernel, "can_take", lambda *facts: facts)
    kinds = {pa.int8(): "word", pa.decimal128(9): "word", pa.bool_(): "word", pa.list_(pa.int8()): "", pa.binary(3): ""}
    for type, kind in (kinds | dict.fromkeys(TEXTS, "text")).items():
        *facts, ready, shared = kernel.by_rows(type, 10, 200, 3)
        assert facts == ["take_rows", 200, 10, kind, 3]
        assert ready() == (type, 200)
        assert shared is (type == pa.int8())
    answers = {"runs": True, "items": False}
    for answer, wanted in answers.items():
        monkeypatch.setattr(
            kernel.strategy, "choose", lambda *facts, answer=answer: answer if facts == ("join_rows", 200, 10, True, 3) else ""
        )
        assert kernel.pays_rows(pa.int8(), 10, 200, 3) is wanted
        assert not kernel.pays_rows(pa.string(), 10, 200, 3)
