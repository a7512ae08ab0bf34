"""topk."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import ORDERED, any_axis, grouped

ndims = st.integers(1, 3)


@given(st.data())
def test_topk_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, k = data.draw(ndims), data.draw(st.integers(0, 5))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED, "null")))
    flat, first = grouped(x.to_list(), ndim, axis)
    depth = ndim if isinstance(axis, int) else first + 1
    got = x.topk(k, axis)
    assert got.type == x.type
    assert got.shape.extents[first + 1 :] == (x.shape.extents[first + 1 :] if isinstance(axis, int) else ())
    assert_lists_equal(got.to_list(), ref.topk(flat, depth, k, first), rel_tol=0, abs_tol=0)


@given(jagged_arrays(st.integers(2, 3), pa.int16()), st.integers(0, 1))
def test_the_largest_along_an_outer_axis_are_the_maxima(x: aj.JaggedArray, axis: int) -> None:
    axis = min(axis, x.ndim - 2)
    assert_lists_equal(x.topk(1, axis).max(axis).to_list(), x.max(axis).to_list())


def test_topk_along_an_outer_axis() -> None:
    x = aj.array([[1], [5, 3], None, [2, 4]])
    assert x.topk(1, axis=0).to_list() == [[5, 4]]
    assert x.topk(9, axis=0).to_list() == [[5, 4], [2, 3], [1], None]
    deep = aj.array([[None, [5]], [None, [6]], [[1]]])
    assert deep.topk(3, axis=0).to_list() == [[[1], [6]], [None, [5]], [None]]
    assert deep.topk(1, axis=1).to_list() == [[[5]], [[6]], [[1]]]
    assert aj.zeros(0, 3).topk(2, axis=0).shape.extents == (None, 3)
    assert aj.zeros(2, 4, 3).topk(2, axis=1).shape == aj.JaggedShape(2, 2, 3)


def test_topk_rejects_invalid_arguments() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"k must not be negative"):
        x.topk(-1)
    with pytest.raises(JagTypeError, match=r"k must be an int"):
        x.topk(1.5)
    with pytest.raises(JagTypeError, match=r"topk .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).topk(1, axis=0)


def test_topk_drops_the_extent() -> None:
    assert aj.zeros(2, 3).topk(2).shape.extents[1] is None


@pytest.mark.parametrize("type", [pa.float64(), pa.bool_(), pa.timestamp("us", "UTC"), pa.decimal128(21, 2), pa.large_string()])
def test_topk_of_long_rows_is_the_head_of_a_descending_sort(type: pa.DataType) -> None:
    rng = np.random.default_rng(0)
    numbers = pa.array(rng.integers(0, 500, 20_000), mask=rng.random(20_000) < 0.1)
    values = numbers.cast(type)
    x = aj.from_sizes(values, [5, 0, 9_000, 3, 4_000, 6_992])
    for k in (0, 1, 7):
        assert x.topk(k).equals(x.sort(descending=True).head(k))
