"""Jagged arrays as read-only arguments of functions that numba compiles."""

from __future__ import annotations

import datetime as dt
import re
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj

numba = pytest.importorskip("numba")


@numba.njit
def row_sums(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        row = x[i]
        for j in range(len(row)):
            out[i] += row[j]
    return out


@numba.njit
def facts(x):
    return x.offsets, x.values, x.ndim, x.size


@numba.njit
def item(x, i):
    return x[i]


@numba.njit
def write(x):
    x.values[0] = 1


@numba.njit
def deep_sum(x):
    total = 0
    for i in range(len(x)):
        for j in range(len(x[i])):
            row = x[i][j]
            for k in range(len(row)):
                total += row[k]
    return total


@pytest.mark.parametrize("type", ["float64", "float32", "int8", "int64", "uint64", "bool"])
def test_rows_are_arrays_of_the_items(type: str) -> None:
    lists = [[1, 0, 1], [], [1]]
    x = aj.array(lists, type=pa.int64()).cast(type)
    assert row_sums(x).tolist() == [sum(row) for row in lists]
    offsets, values, ndim, size = facts(x)
    assert offsets.tolist() == [0, 3, 3, 4]
    assert values.tolist() == [1, 0, 1, 1]
    assert values.dtype == np.dtype(type)
    assert (ndim, size) == (2, 4)
    assert item(x, -1).tolist() == [1]
    assert row_sums(x[1:]).tolist() == [0, 1]


def test_values_and_offsets_are_shared_and_read_only() -> None:
    x = aj.array([[1.5, 2.5], [3.5]])
    offsets, values, _, _ = facts(x)
    assert np.shares_memory(values, x.values.to_numpy())
    assert np.shares_memory(offsets, x.shape.dims[1].offsets)
    with pytest.raises(numba.core.errors.TypingError, match=r"[Cc]annot|readonly|setitem"):
        write(x)


def test_one_and_three_dims() -> None:
    assert item(aj.array([5, 6, 7]), -2) == 6
    assert facts(aj.array([5, 6]))[0] == ()
    x = aj.array([[[1, 2], [3]], [], [[4], [], [5, 6]]])
    assert deep_sum(x) == 21
    offsets, _, ndim, size = facts(x)
    assert [one.tolist() for one in offsets] == [[0, 2, 2, 5], [0, 2, 3, 4, 4, 6]]
    assert (ndim, size) == (3, 6)
    assert facts_of_part(x, 2) == (2, 3, [3, 4, 4, 6])


def facts_of_part(x: Any, i: int) -> Any:
    @numba.njit
    def found(x, i):
        return x[i].ndim, x[i].size, x[i].offsets

    ndim, size, offsets = found(x, i)
    return ndim, size, offsets.tolist()


@pytest.mark.parametrize("place", [3, -4])
def test_a_position_out_of_range_is_an_error(place: int) -> None:
    for x in (aj.array([[1], [], [2]]), aj.array([1, 2, 3]), aj.array([[[1]], [], [[2]]])):
        pick = facts_of_part if x.ndim == 3 else item
        with pytest.raises(IndexError, match="out of range for the jagged array"):
            pick(x, place)


def test_times_are_those_of_numpy() -> None:
    days = aj.array([[dt.date(2024, 2, 29)], []])
    for leaf in ("date32", "date64"):
        assert facts(days.cast(leaf))[1].tolist() in ([dt.date(2024, 2, 29)], [dt.datetime.fromisoformat("2024-02-29")])
    stamps = aj.array([[dt.datetime(2024, 2, 29, 1)]])  # noqa: DTZ001  # numpy has no zones
    assert facts(stamps)[1].dtype == np.dtype("M8[us]")


def test_types_that_numba_lacks_raise() -> None:
    with pytest.raises(aj.JagTypeError, match="a function compiled by numba has no kernel for string"):
        row_sums(aj.array([["a"]]))
    for leaf in (pa.time32("s"), pa.time64("us"), pa.month_day_nano_interval(), pa.decimal128(5, 2)):
        with pytest.raises(aj.JagTypeError, match=rf"no kernel for {re.escape(str(leaf))}\. It takes numbers, booleans and dates"):
            row_sums(aj.array([[None]], type=leaf))
    with pytest.raises(aj.JagTypeError, match=r"no kernel for halffloat\. Cast it to float32 first"):
        row_sums(aj.array([[1.0]]).cast("float16"))
    with pytest.raises(aj.JagValueError, match=r"1 item is null.*fill_null"):
        row_sums(aj.array([[1, None]]))
    with pytest.raises(aj.JagValueError, match=r"rows are null.*x\.fill_null_rows\(\[\]\), or"):
        row_sums(aj.array([[1], None]))
    deep = aj.array([[[1], None], None])
    with pytest.raises(aj.JagValueError, match=r"rows are null.*x\.fill_null_rows\(\[\], axis=1\), or"):
        facts(deep.fill_null_rows([]))
    assert facts(deep.fill_null_rows([]).fill_null_rows([], axis=1))[2] == 3
    with pytest.raises(aj.JagTypeError, match="an array without dims"):
        row_sums(aj.array(3))
    assert not hasattr(aj.array([["a"]]), "_numba_type_"), "Python 3.13 prints errors of an attribute that numba asks for"


def test_memory_is_returned() -> None:
    x = aj.array([[1.5, 2.5], [3.5]])
    row_sums(x)
    facts(x)
    offsets = x.shape.dims[1].offsets
    held = x.values, offsets, offsets if offsets.base is None else offsets.base, aj.interop.numba._parts
    before = [*map(sys.getrefcount, held), pa.total_allocated_bytes()]
    for _ in range(100):
        row_sums(x)
        facts(x)
    assert [*map(sys.getrefcount, held), pa.total_allocated_bytes()] == before


@numba.njit(parallel=True)
def lengths_at_once(x):
    out = np.zeros(len(x), np.int64)
    for i in numba.prange(len(x)):
        out[i] = len(x[i])
    return out


def test_positions_may_be_unsigned() -> None:
    """Those of prange are."""
    for x in (aj.array([[1], [], [2, 3]]), aj.array([[[1]], [], [[2], []]])):
        assert lengths_at_once(x).tolist() == [1, 0, 2]
    for x in (aj.array([[1], [], [2]]), aj.array([1, 2, 3])):
        assert np.array_equal(item(x, np.uint64(2)), item(x, 2))
        for place in (3, 2**64 - 1):
            with pytest.raises(IndexError, match="out of range for the jagged array"):
                item(x, np.uint64(place))


def test_the_type_of_other_data() -> None:
    type_of = aj.interop.numba.type_of
    assert type_of([[1, 2], []]) == type_of(aj.array([[1], [2]])) != type_of([1.5])  # type: ignore[arg-type]
    with pytest.raises(aj.JagTypeError, match="a function compiled by numba has no kernel for string"):
        type_of([["a"]])  # type: ignore[arg-type]
    with pytest.raises(aj.JagTypeError, match="a value of type object is neither an array nor an Arrow scalar"):
        type_of(object())  # type: ignore[arg-type]
