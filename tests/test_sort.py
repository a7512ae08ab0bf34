"""sort."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import ORDERED, any_axis, kept
from tests.reference import Jag

ndims = st.integers(1, 3)


@pytest.mark.parametrize("kind", [*ORDERED, "null"])
@given(st.data())
def test_sort_of_every_type_at_every_axis(kind: str, data: st.DataObject) -> None:
    ndim, descending = data.draw(ndims), data.draw(st.booleans())
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(kind), small=data.draw(st.booleans())))
    got = x.sort(descending, axis=axis)
    assert got.type == x.type
    assert got.shape.extents == x.shape.extents
    expected = kept(lambda row: ref.sort(row, 1, descending=descending), x.to_list(), ndim, axis)
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


@given(st.data())
def test_sort_by_keys(data: st.DataObject) -> None:
    ndim, descending = data.draw(ndims), data.draw(st.booleans())
    x, by = data.draw(prefix_arrays((ndim, ndim), (pa.string(), pa.float64())))
    got = x.sort(descending, by=by)
    expected = ref.sort(x.to_list(), ndim, descending=descending, by=by.to_list())
    assert_lists_equal(got.to_list(), expected)


def test_sort_by_keys_of_fewer_dims_and_along_outer_axes() -> None:
    x = aj.array([[3, 1], None, [2, None]])
    assert x.sort(by=[3, 1, 2]).to_list() == [[3, 1], None, [2, None]]
    assert x.sort(by=[3, 1, 2], axis=0).to_list() == [None, [2, None], [3, 1]]
    assert aj.array([[1, 2], [3]]).sort(by=[[9, 0], [8]], axis=0).to_list() == [[3, 2], [1]]
    assert aj.array([[[1], [2]], [[3]]]).sort(by=[[2, 1], [0]], axis=1).to_list() == [[[2], [1]], [[3]]]
    assert aj.array([[[1, 4], [2]], [[3]]]).sort(by=[[[4, 3], [2]], [[0]]], axis=(1, 2)).to_list() == [[[2, 4], [1]], [[3]]]


def test_a_null_under_a_key_takes_part() -> None:
    assert aj.array([[2, 1, None, 4]]).sort(by=[[9, 2, 1, 3]]).to_list() == [[None, 1, 4, 2]]


def test_refused_keys_and_flags() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(ShapeError, match=r"sort: by has 3 dims"):
        x.sort(by=[[[1], [2]]])
    with pytest.raises(ShapeError, match=r"sort"):
        x.sort(by=[[1]])
    with pytest.raises(JagTypeError, match=r"descending must be a bool"):
        x.sort(by=[[1, 2]], descending=1)
    with pytest.raises(JagTypeError, match=r"sort .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).sort()


def test_searching_leaves_the_order_of_sort() -> None:
    x = aj.array([[2, None, 1], [float("nan"), 5]], type=pa.float64(), ndim=2)
    assert_lists_equal(
        ref.searchsorted(Jag(x.sort().to_list(), 2), Jag([1.5, 6.0], 1)), x.sort().searchsorted([1.5, 6.0]).to_list()
    )
