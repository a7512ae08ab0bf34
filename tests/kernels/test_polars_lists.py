"""polars' list kernels and numpy's reduceat agree; memory from the pool is like numpy's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import reduce, strategy
from arrowjag._kernels.base import fill, offsets, polars_lists
from arrowjag._kernels.base.memory import empty, empty_like, zeros
from arrowjag._kernels.base.words import Bits, pack_bits, unpack_bits
from arrowjag._runtime.options import options

pytest.importorskip("polars")

SIZES = st.lists(st.integers(0, 6), max_size=40).map(np.array)
REDUCTIONS = ["sum", "mean", "min", "max", "argmin", "argmax"]
NUMBERS = st.sampled_from([0.0, -0.0, 1.5, -2.25, 3.0, np.nan, np.inf, -np.inf])


@pytest.fixture(autouse=True)
def _small_blocks() -> Iterator[None]:
    with strategy.force(POLARS_VALUES=1, POLARS_ROW=0):
        yield


@given(
    sizes=SIZES, data=st.data(), name=st.sampled_from(["sum", "mean", "min", "max", "argmin", "argmax"]), with_nulls=st.booleans()
)
def test_both_implementations_agree(sizes: np.ndarray, data: st.DataObject, name: str, with_nulls: bool) -> None:
    cuts = offsets.from_sizes(sizes.astype(np.int64))
    n = int(cuts[-1])
    values = np.array(data.draw(st.lists(NUMBERS, min_size=n, max_size=n)), np.float64)
    valid = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool) if with_nulls else None
    by_polars = getattr(reduce, name)(values, valid, cuts)
    with strategy.force(row_reduction="numpy", long_rows="numpy"):
        by_numpy = getattr(reduce, name)(values, valid, cuts)
    present = np.ones(len(sizes), bool) if by_numpy[1] is None else by_numpy[1]
    assert (by_polars[1] is None) == (by_numpy[1] is None)
    assert by_polars[1] is None or (by_polars[1] == present).all()
    np.testing.assert_array_equal(by_polars[0][present], by_numpy[0][present])
    if name == "sum":
        assert not np.signbit(by_polars[0][by_polars[0] == 0]).any()


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64", "float32", "bool"])
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("with_nulls", [False, True])
def test_every_type_agrees(dtype: str, name: str, with_nulls: bool) -> None:
    draw = np.random.default_rng(1)
    cuts = offsets.from_sizes(draw.integers(0, 9, 500))
    values = (draw.random(int(cuts[-1])) * 100).astype(dtype)
    valid = draw.random(len(values)) < 0.7 if with_nulls else None
    by_polars = getattr(reduce, name)(values, valid, cuts)
    with strategy.force(row_reduction="numpy", long_rows="numpy"):
        by_numpy = getattr(reduce, name)(values, valid, cuts)
    assert by_polars[0].dtype == by_numpy[0].dtype
    np.testing.assert_allclose(by_polars[0], by_numpy[0], rtol=1e-6 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("skipped", [0, 3, 8])
def test_bits_of_nulls_may_begin_anywhere(name: str, skipped: int) -> None:
    draw = np.random.default_rng(2)
    cuts = offsets.from_sizes(draw.integers(0, 9, 100))
    values = draw.choice([1.0, 2.0, -0.0, 0.0, np.nan], int(cuts[-1]))
    valid = draw.random(len(values)) < 0.5
    bits = Bits(pack_bits(np.append(np.ones(skipped, np.bool_), valid)), skipped, len(values))
    with strategy.force(row_reduction="numpy", long_rows="numpy"):
        wanted = getattr(reduce, name)(values, valid, cuts)
    for sizes in ({}, {"THREAD_VALUES": 1, "LIGHT_VALUES": 1}):
        with strategy.force(long_rows="polars", **sizes):
            found = getattr(reduce, name)(values, bits, cuts)
        assert found[1].tolist() == wanted[1].tolist()
        assert found[0].tobytes() == wanted[0].tobytes()


@pytest.mark.parametrize("type", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("skipped", [0, 3, 8])
def test_items_chosen_by_flags_that_begin_anywhere(type: str, skipped: int) -> None:
    draw = np.random.default_rng(3)
    flags = draw.random(100) < 0.5
    bits = pa.array(np.append(np.ones(skipped, np.bool_), flags), mask=draw.random(100 + skipped) < 0.1)[skipped:]
    given = np.frombuffer(bits.buffers()[1], np.uint8)
    flags = np.unpackbits(given, bitorder="little")[skipped : skipped + 100].view(np.bool_)
    one, two = draw.integers(-100, 100, (2, 100)).astype(type)
    for left, right in ((one, two), (one[:1], two), (one, two[:1]), (one[:1], two[:1])):
        found = fill.choose_at_once(bits, left, right)
        assert found.dtype == one.dtype
        assert found.tolist() == np.where(flags, left, right).tolist()


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std"])
@pytest.mark.parametrize("largest", [2**20, 2**60])
def test_nulls_filled_by_polars_are_not_written_to(name: str, largest: int) -> None:
    draw = np.random.default_rng(4)
    data, cuts, valid = draw.integers(largest // 2, largest, 60), np.array([0, 20, 20, 60]), draw.random(60) < 0.7
    found = []
    for by in ("polars", "numpy"):
        with options(compile="never"), strategy.force(chosen=by, fill="masks") as taken:
            found.append([getattr(reduce, name)(one, valid, cuts) for one in (data // 64, data / 3)])
        assert taken["chosen", by]
    np.testing.assert_equal(*found)


@pytest.mark.parametrize("name", ["min", "max"])
def test_rows_without_items_are_0_if_other_rows_hold_nan(name: str) -> None:
    for by in ("numpy", "polars"):
        with strategy.force(row_reduction=by, RUN_LENGTH=0):
            found, present = getattr(reduce, name)(np.array([np.nan, 1.0, np.nan]), None, np.array([0, 1, 1, 3]))
        assert found[1:].tolist() == [0, 1]
        assert present.tolist() == [True, False, True]


def test_polars_is_called() -> None:
    cuts = np.array([0, 2, 2, 5])
    out = np.full(3, 7.0)
    with strategy.force(RUN_LENGTH=1):
        assert polars_lists.reduce_lists(np.maximum, np.array([1.0, 4, 3, 2, 1]), cuts, out)
    assert out.tolist() == [4, 7, 3]
    assert polars_lists.reduce_lists(np.add, np.array([1.0, 4, 3, 2, 1]), cuts, out)
    with strategy.force(RUN_LENGTH=2):  # numpy is faster in very short rows, and in long ones
        assert not polars_lists.takes_lists(np.maximum, np.array([1.0, 4, 3, 2, 1]), cuts, out.dtype)
    with strategy.force(REDUCED_ROW=2):
        assert polars_lists.takes_lists(np.add, np.array([1.0, 4, 3, 2, 1]), cuts, out.dtype)
    with strategy.force(REDUCED_ROW=1):
        assert not polars_lists.takes_lists(np.add, np.array([1.0, 4, 3, 2, 1]), cuts, out.dtype)
    assert out.tolist() == [5, 0, 6]


def test_short_rows_and_other_types_use_the_fallback() -> None:
    out = np.zeros(1)
    with strategy.force(POLARS_ROW=4):
        assert polars_lists.takes_long_lists(np.ones(8), np.array([0, 1, 8]))
        assert not polars_lists.takes_long_lists(np.ones(7), np.array([0, 1, 7]))
        assert not polars_lists.takes_long_lists(np.ones(8, np.float16), np.array([0, 8]))
        assert not polars_lists.takes_long_lists(np.ones(16)[::2], np.array([0, 8]))
    assert not polars_lists.reduce_lists(np.multiply, np.ones(3), np.array([0, 3]), out)
    assert not polars_lists.reduce_lists(np.maximum, np.ones(3, np.float16), np.array([0, 3]), np.zeros(1, np.float16))
    assert not polars_lists.reduce_lists(np.add, np.ones(6)[::2], np.array([0, 3]), out)


@given(sizes=SIZES, data=st.data())
def test_true_items_are_counted(sizes: np.ndarray, data: st.DataObject) -> None:
    cuts = offsets.from_sizes(sizes.astype(np.int64))
    n = int(cuts[-1])
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    expected = [int(mask[cuts[i] : cuts[i + 1]].sum()) for i in range(len(sizes))]
    assert polars_lists.count_bits(mask, cuts).tolist() == expected
    assert offsets.count_true(mask, cuts).tolist() == expected


@pytest.mark.parametrize("n", [0, 1, 100, 100_000])
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool"])
def test_memory(n: int, dtype: str) -> None:
    array = zeros(n, dtype)
    assert array.dtype == dtype
    assert array.shape == (n,)
    assert not array.any()
    array[:] = 1
    assert array.all()
    assert array.flags.writeable
    assert empty(n, dtype).shape == empty_like(array).shape == (n,)


@given(st.lists(st.booleans(), max_size=40), st.integers(0, 20))
def test_bits_round_trip_from_any_offset(flags: list[bool], first: int) -> None:
    bits = pack_bits(np.array([True] * first + flags, np.bool_))
    assert unpack_bits(bits, first, len(flags)).tolist() == flags
    assert pack_bits(np.array(flags, np.uint8) * 3).equals(pack_bits(np.array(flags, np.bool_)))


@given(sizes=SIZES, data=st.data())
def test_bits_of_rows(sizes: np.ndarray, data: st.DataObject) -> None:
    cuts = offsets.from_sizes(sizes.astype(np.int64))
    flags = np.array(data.draw(st.lists(st.booleans(), min_size=int(cuts[-1]), max_size=int(cuts[-1]))), bool)
    rows = [flags[first:last] for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
    for mask in (flags, pa.array(flags)):
        assert polars_lists.count_bits(mask, cuts).tolist() == [int(row.sum()) for row in rows]
    assert polars_lists.all_set(pa.array(flags, pa.bool_()), cuts).to_pylist() == [bool(row.all()) for row in rows]


WORDS = st.none() | st.sampled_from(["", "a", "twelve bytes", "more than twelve bytes", "é" * 9])


@pytest.mark.parametrize("type", [pa.string(), pa.large_string()])
@given(words=st.lists(WORDS, max_size=8), start=st.integers(0, 8), n=st.integers(0, 8))
def test_polars_reads_views_of_any_slice_of_text(type: pa.DataType, words: list[str | None], start: int, n: int) -> None:
    import polars as pl

    text = pa.array(words, type).slice(start, n)
    views = polars_lists.text_views(text)
    assert views.type == pa.string_view()
    assert pl.Series(views).to_list() == text.to_pylist()


def test_other_values_and_too_much_text_stay_as_they_are() -> None:
    numbers = pa.array([1, 2])
    assert polars_lists.text_views(numbers) is numbers
    size = 1 << 31
    zeros_never_read = np.zeros(size, np.uint8)  # takes no memory, as Arrow refuses their number
    buffers = [None, pa.py_buffer(np.arange(2) * size), pa.py_buffer(zeros_never_read)]
    long = pa.Array.from_buffers(pa.large_string(), 1, buffers)
    assert polars_lists.text_views(long) is long
