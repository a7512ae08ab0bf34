"""gaps and local_maxima."""

from __future__ import annotations

import datetime as dt
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import ORDERED, any_axis, kept


@given(jagged_arrays(st.integers(1, 3), pa.float64(), small=True))
def test_gaps_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    assert_lists_equal(x.gaps().to_list(), ref.gaps(x.to_list(), x.ndim))


def test_gaps() -> None:
    begin = dt.datetime.fromisoformat("2024-01-01")
    t = aj.array([[begin, None, begin + dt.timedelta(hours=3)], [begin], None])
    assert t.gaps().to_list() == [[dt.timedelta(hours=3)], [], None]
    assert t.gaps().type == pa.duration("us")
    assert aj.array([[1, 5], [2], [9, 6]]).gaps(axis=0).to_list() == [[1, 7], [1]]
    assert aj.array([[[1], [3, 4]], [[9]]]).gaps(axis=(1, 2)).to_list() == [[2, 1], []]
    assert aj.array([1, 4, 9]).gaps().to_list() == [3, 5]
    with pytest.raises(JagTypeError, match=r"subtract|gaps"):
        aj.array([["a", "b"]]).gaps()


@given(st.data())
def test_local_maxima_agrees_with_the_oracle(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), leaf_types(*ORDERED), small=True, max_size=6))
    axis = data.draw(any_axis(x.ndim))
    expected = kept(lambda row: ref.local_maxima(row, 1), x.to_list(), x.ndim, axis)
    assert_lists_equal(x.local_maxima(axis).to_list(), expected)


def test_local_maxima() -> None:
    x = aj.array([[1, 3, 3, 3, 3, 2], [1, 2], [2, 1, 2], None, []])
    assert x.local_maxima().argwhere().to_list() == [[2], [], [], None, []]
    distinct = aj.array([[1, 3, 2, None, 4, 0], [9], [], [5, 6], [7, 8, 1]])
    assert distinct.local_maxima().to_list() == ref.local_maxima(distinct.to_list(), 2)
    assert distinct.drop_nulls().local_maxima().argwhere().to_list() == [[1, 3], [], [], [], [1]]
    y = aj.array([[0.0, 1.0, math.nan, 0.0, 1.0, 0.0], [0.0, 2.0, None, 1.0]])
    assert y.local_maxima().to_list() == [[False, False, False, False, True, False], [False, True, None, False]]


def test_local_maxima_are_the_peaks_of_scipy() -> None:
    signal = pytest.importorskip("scipy.signal")
    rows = [[0, 2, 2, 1, 3, 0], [5, 4, 5], [1, 1, 1], [0, 1, 1, 1, 1, 0, 2, 0]]
    assert aj.array(rows).local_maxima().argwhere().to_list() == [signal.find_peaks(row)[0].tolist() for row in rows]


@pytest.mark.parametrize("leaf", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()])
def test_gaps_of_unsigned_integers_may_be_negative(leaf: pa.DataType) -> None:
    x = aj.array([[200, None, 100], [], [7, 9, 8], None], type=leaf)
    assert x.gaps().to_list() == [[-100], [], [2, -1], None]
    assert x.gaps().type == x.diff().type
    with pytest.raises(aj.JagOverflowError, match="gaps: integer overflow, the result of row 1"):
        aj.array([[1, 2], [0, 2**64 - 1]], type=pa.uint64()).gaps()


@pytest.mark.parametrize("type", ["int8", "uint8", "int64", "uint32", "float32", "bool", "timestamp[us]", "duration[s]"])
def test_gaps_are_the_differences_of_neighbours_in_every_type(type: str) -> None:
    held = aj.array([[127, 3, 100], [], None, [5], [0, 120]]).cast("int64")
    x = held.cast("bool") if type == "bool" else held.cast("int32").cast(type) if type.startswith("float") else held.cast(type)
    assert x.gaps().to_list() == [row if row is None else row[1:] for row in x.diff().to_list()]
    assert x.gaps().type == x.diff().type
