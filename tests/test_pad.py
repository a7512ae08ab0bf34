"""pad."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values
from arrowjag.testing._leaves import leaf_arrays
from tests import reference as ref

ndims = st.integers(1, 3)


def without_extents(x: aj.JaggedArray) -> aj.JaggedArray:
    dims = [x.shape.dims[0], *(dim.with_extent(None) for dim in x.shape.dims[1:])]
    return aj.JaggedArray(aj.JaggedShape._trusted(dims), x.values)


@given(st.data(), st.integers(0, 4), ndims)
def test_pad_leaves(data: st.DataObject, n: int, ndim: int) -> None:
    leaf = data.draw(leaf_types())
    x = data.draw(jagged_arrays(ndim, leaf, allow_nan=False))
    fill = data.draw(st.none() | leaf_values(leaf, allow_nan=False))
    scalar = leaf_arrays([fill], leaf, [])[0]
    assert_lists_equal(x.pad(n, scalar).to_list(), ref.pad(x.to_list(), ndim, n, scalar.as_py()))


@given(jagged_arrays(ndims, pa.int8()), st.integers(0, 4), st.integers(0, 2))
def test_pad_with_nulls_at_every_axis(x: aj.JaggedArray, n: int, axis: int) -> None:
    axis %= x.ndim
    assert x.pad(n, axis=axis).to_list() == ref.pad(x.to_list(), x.ndim, n, None, axis)


@given(st.data())
def test_pad_with_sub_trees(data: st.DataObject) -> None:
    ndim, n, leaf = data.draw(st.integers(2, 3)), data.draw(st.integers(0, 4)), data.draw(leaf_types())
    axis = data.draw(st.integers(0, ndim - 2))
    x = without_extents(data.draw(jagged_arrays(ndim, leaf, allow_nan=False)))
    fill = data.draw(jagged_arrays(ndim - 1 - axis, leaf, allow_nan=False))
    got = x.pad(n, fill, axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), ref.pad(x.to_list(), ndim, n, fill.to_list(), axis))


@given(data=st.data(), n=st.integers(0, 4), axis=st.integers(-2, -1))
def test_padding_few_items_equals_padding_many(data: st.DataObject, n: int, axis: int) -> None:
    leaf = data.draw(leaf_types())
    x = without_extents(data.draw(jagged_arrays(2, leaf)))
    item = leaf_values(leaf).map(lambda one: leaf_arrays([one], leaf, [])[0])
    fill = data.draw(st.none() | (jagged_arrays(1, leaf) if axis == -2 else item))
    few = x.pad(n, fill, axis)
    with strategy.force(pad_items="blocks"):
        many = x.pad(n, fill, axis)
    assert many.type == few.type
    assert_lists_equal(many.to_list(), few.to_list())


def test_pad_promotes_and_puts_in_rows() -> None:
    assert aj.array([[1], []]).pad(1, 0.5).type == pa.float64()
    assert aj.array([[1], []]).pad(3, [0.5], axis=0).to_list() == [[1.0], [], [0.5]]
    assert aj.array([[1], []]).pad(3, [], axis=0).to_list() == [[1], [], []]
    assert aj.array([[[1]], None]).pad(2, [[]], axis=0).to_list() == [[[1]], None]
    assert aj.array([[[1]], None]).pad(3, [], axis=0).to_list() == [[[1]], None, []]
    assert aj.array([[[1]], None]).pad(2, [7, None], axis=1).to_list() == [[[1], [7, None]], None]


def test_pad_keeps_extents_below_the_axis() -> None:
    x = aj.zeros(2, 3)
    assert x.pad(3, 5, axis=0).to_list() == [[0.0] * 3, [0.0] * 3, [5.0] * 3]
    assert x.pad(3, 5, axis=0).shape.extents[1] == x.pad(3, [1, 2, 3], axis=0).shape.extents[1] == 3
    assert aj.zeros(2, 1, 3).pad(2, 5, axis=1).shape.extents == (2, 2, 3)
    with pytest.raises(
        ValueError, match=r"pad: the fill JaggedShape\(2\) does not have the extents of the dims below axis 0: row 0 has 2 items"
    ):
        x.pad(3, [1, 2], axis=0)


def test_errors_of_pad_name_the_expected_fill() -> None:
    x = aj.array([[1], []])
    with pytest.raises(ValueError, match=r"a scalar fill does not give their size. Give a row, such as fill=\[0\]"):
        x.pad(3, 0, axis=0)
    with pytest.raises(ValueError, match=r"pad: along axis 1 of 2 dims fill must have 0 dims, got JaggedShape\(1\)"):
        x.pad(3, [0])
    with pytest.raises(ValueError, match=r"fill must have 1 dim, got JaggedShape\(1, 1\)"):
        x.pad(3, [[0]], axis=0)
    with pytest.raises(TypeError, match=r"pad: .* no common type"):
        x.pad(3, ["a"], axis=0)


def test_a_filler_that_does_not_fit_the_common_type_is_named() -> None:
    x = aj.array(pa.array([[1]], pa.list_(pa.timestamp("ns"))))
    with pytest.raises(aj.JagValueError, match=r"^pad: row 0 holds 9999-01-01"):
        x.pad(2, dt.datetime(9999, 1, 1))  # noqa: DTZ001
