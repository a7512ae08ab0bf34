"""diff, shift, ffill, bfill."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import any_axis, first_axis, kept, tolerance, trailing_axes

STEPS = st.integers(-3, 3)


@pytest.mark.parametrize("leaf", [pa.int64(), pa.int8(), pa.uint8(), pa.float64(), pa.float32()], ids=str)
@given(st.data())
def test_diff_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=pa.types.is_floating(leaf)))
    signed = pa.types.is_signed_integer(leaf)

    def difference(row: list[Any]) -> list[Any]:
        found = ref.diff(row, 1, n)
        if not pa.types.is_integer(leaf):
            return found
        return [None if v is None else ref.wrapped(v, leaf.bit_width, signed=signed) for v in found]

    expected = kept(difference, x.to_list(), ndim, axis, complete=True)
    assert_lists_equal(x.diff(n, axis).to_list(), expected, **tolerance(leaf))


def test_diff_of_other_types() -> None:
    day = dt.date(2020, 1, 1)
    assert aj.array([[day, day + dt.timedelta(days=2)]]).diff().to_list() == [[None, dt.timedelta(days=2)]]
    assert aj.array([[decimal.Decimal("1.5"), decimal.Decimal("1.0")]]).diff().to_list() == [[None, decimal.Decimal("-0.5")]]
    assert aj.array([[True, False]]).diff().to_list() == [[None, -1]]
    assert aj.array([[None, None]], type=pa.null(), ndim=2).diff().type == pa.int64()
    with pytest.raises(JagTypeError, match=r"diff .*string"):
        aj.array([["a"]]).diff()


def test_diff_along_the_rows_counts_places_that_a_row_lacks() -> None:
    assert aj.array([[1, 2], [3], [4, 7]]).diff(axis=0).to_list() == [[None, None], [2], [1, None]]
    assert aj.array([[1, 2], [3], [4, 7]]).diff(2, axis=0).to_list() == [[None, None], [None], [3, 5]]


@given(st.data())
def test_shift_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        expected = kept(lambda row: ref.shift(row, 1, n), x.to_list(), ndim, axis)
    else:
        expected = ref.shift(x.to_list(), ndim, n, axis=first)
    got = x.shift(n, axis=axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


@given(st.data())
def test_shift_with_a_fill(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(trailing_axes(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int16()))
    expected = kept(lambda row: ref.shift(row, 1, n, 7), x.to_list(), ndim, axis)
    got = x.shift(n, 7, axis)
    assert got.type == pa.int16()
    assert_lists_equal(got.to_list(), expected)


def test_fills_of_other_kinds() -> None:
    x = aj.array([[1, 2], [3], None])
    assert x.shift(fill=0.5).to_list() == [[0.5, 1.0], [0.5], None]
    assert x.shift(fill=0.5).type == aj.array([[]], type=pa.int64(), ndim=2).shift(fill=0.5).type
    assert x.shift(fill=[10, 20, 30]).to_list() == [[10, 1], [20], None]
    assert aj.array([["a", "b"]]).shift(fill="-").to_list() == [["-", "a"]]


def test_refused_arguments() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"outer axis"):
        x.shift(fill=0, axis=0)
    with pytest.raises(JagTypeError, match=r"n must be an int, got float"):
        x.shift(1.0)
    with pytest.raises(JagTypeError, match=r"n must be an int, got bool"):
        x.diff(True)


@pytest.mark.parametrize("name", ["ffill", "bfill"])
@given(st.data())
def test_fills_of_every_type_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types()))
    expected = kept(lambda row: getattr(ref, name)(row, 1), x.to_list(), ndim, axis)
    got = getattr(x, name)(axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


def test_what_is_whole_is_passed_on() -> None:
    x = aj.array([[1, 2]])
    assert x.ffill().values is x.values
