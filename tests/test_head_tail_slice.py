"""head, tail and slice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.operands import jag
from tests.reference import Jag

ndims = st.integers(1, 3)


@given(jagged_arrays(ndims), st.integers(0, 4), st.integers(0, 2))
def test_head_and_tail(x: aj.JaggedArray, n: int, axis: int) -> None:
    axis %= x.ndim
    assert_lists_equal(x.head(n, axis).to_list(), ref.head(x.to_list(), x.ndim, n, axis))
    assert_lists_equal(x.tail(n, axis).to_list(), ref.tail(x.to_list(), x.ndim, n, axis))


@given(jagged_arrays(ndims, pa.int8()), st.integers(-5, 5), st.none() | st.integers(0, 4), st.integers(0, 2))
def test_slice(x: aj.JaggedArray, start: int, length: int | None, axis: int) -> None:
    axis %= x.ndim
    assert x.slice(start, length, axis).to_list() == ref.slice_items(x.to_list(), x.ndim, start, length, axis)


@given(st.data())
def test_windows_with_a_bound_for_each_row(data: st.DataObject) -> None:
    """Bounds have the dims above the axis, or fewer; null ones, and null rows above them, make null."""
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    above = st.integers(1, axis)
    x, one = data.draw(prefix_arrays((ndim, data.draw(above)), (leaf_types(), pa.int8()), allow_nan=False))
    rows, n = Jag(x.to_list(), axis), jag(one)
    wholes = lambda f: lambda row, *bounds: None if None in bounds else f(row, *bounds)  # noqa: E731
    assert_lists_equal(x.head(one, axis).to_list(), ref.over_rows(wholes(lambda row, k: row[:k]), rows, n))
    assert_lists_equal(x.tail(one, axis).to_list(), ref.over_rows(wholes(lambda row, k: ref.tail(row, 1, k)), rows, n))
    part = ref.over_rows(wholes(lambda row, k: ref.slice_items(row, 1, k)), rows, n)
    assert_lists_equal(x.slice(one, axis=axis).to_list(), part)
    part = ref.over_rows(wholes(lambda row, k: ref.slice_items(row, 1, k, 2)), rows, n)
    assert_lists_equal(x.slice(one, 2, axis).to_list(), part)


@given(st.data())
def test_stretches_of_each_row(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    above = st.integers(1, axis)
    x, one, two = data.draw(prefix_arrays((ndim, data.draw(above), data.draw(above)), (pa.string(), pa.int8(), pa.uint8())))
    stretch = lambda row, *bounds: None if None in bounds else ref.slice_items(row, 1, *bounds)  # noqa: E731
    expected = ref.over_rows(stretch, Jag(x.to_list(), axis), jag(one), jag(two))
    assert_lists_equal(x.slice(one, two, axis).to_list(), expected)
    x, two = data.draw(prefix_arrays((ndim, data.draw(above)), (pa.string(), pa.uint8())))
    expected = ref.over_rows(lambda row, width: stretch(row, -2, width), Jag(x.to_list(), axis), jag(two))
    assert_lists_equal(x.slice(-2, two, axis).to_list(), expected)


def test_bounds_for_each_row_drop_the_extent_and_are_checked() -> None:
    x = aj.zeros(2, 3)
    assert x.head([1, 1]).shape.extents[1] is None
    assert x.tail(np.array([-(2**63), 2**63 - 1])).lengths().to_list() == [0, 3]
    assert x.slice(np.array([1, -(2**63)]), 2**63 - 1).lengths().to_list() == [2, 3]
    with pytest.raises(ValueError, match=r"slice: length must be at least 0, got -1 for row 1"):
        x.slice(0, [0, -1])
    with pytest.raises(TypeError, match=r"head: n must be integers, got double"):
        x.head([1.0, 2.0])
    for name in ("head", "tail"):
        with pytest.raises(ValueError, match=rf"{name}: n has 2 dims, JaggedShape\(2, 1\), but the rows have 1"):
            getattr(x, name)([[1], [1]])
    with pytest.raises(ValueError, match=r"head: JaggedShape\(3\) is not a prefix"):
        x.head([1, 1, 1])


def test_negative_head_and_tail_leave_out_as_in_pandas() -> None:
    x = aj.array([[1, 2, 3], [4], None])
    assert x.head(-1).to_list() == [[1, 2], [], None]
    assert x.tail(-1).to_list() == [[2, 3], [], None]


def test_windows_compute_the_extent() -> None:
    x = aj.array(np.zeros((4, 3)))
    windows = (x.head(2), x.tail(5), x.slice(1, 1), x.slice(-2), x.pad(5), x.pad(1))
    assert [one.shape.extents[1] for one in windows] == [2, 3, 1, 2, 5, 3]
    assert aj.array(np.zeros((0, 3))).head(2).shape.extents[1] == 2


@pytest.mark.parametrize("call", [lambda x: x.head(1.0), lambda x: x.tail(True), lambda x: x.slice("a"), lambda x: x.pad(None)])
def test_windows_want_ints(call: Any) -> None:
    with pytest.raises(TypeError, match=r"must be an int"):
        call(aj.array([[1]]))


def test_windows_refuse_negative_lengths_and_axes_out_of_range() -> None:
    x = aj.array([[1]])
    for length in (-1, aj.array([-1])):  # one row needs no number
        with pytest.raises(ValueError, match=r"slice: length must be at least 0, got -1$"):
            x.slice(0, length)
    with pytest.raises(ValueError, match="pad: n must not be negative, got -1"):
        x.pad(-1)
    with pytest.raises(IndexError, match="axis 2"):
        x.head(1, axis=2)


def test_a_step_beyond_all_rows() -> None:
    x = aj.array([[1, 2, 3], [4], []])
    for step in (3, 2**62, 2**70):
        assert x[::step].to_list() == [[1, 2, 3]]
        assert x[:, ::step].to_list() == [[1], [4], []]
        assert x[:, ::-step].to_list() == [[3], [4], []]
