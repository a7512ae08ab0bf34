"""reverse."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, first_axis, kept

ndims = st.integers(1, 3)


@given(st.data())
def test_reverse_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        expected = kept(lambda row: row[::-1], x.to_list(), ndim, axis)
    else:
        expected = ref.reverse(x.to_list(), ndim, first)
    assert_lists_equal(x.reverse(axis).to_list(), expected, rel_tol=0, abs_tol=0)
    assert_equal(x.reverse(axis).reverse(axis), x)
