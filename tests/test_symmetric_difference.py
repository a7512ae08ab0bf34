"""symmetric_difference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, grouped, trailing_axes


@given(st.data())
def test_symmetric_difference_agrees_with_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(trailing_axes(ndim))
    x, y = data.draw(prefix_arrays((ndim, ndim), data.draw(leaf_types(*EQUAL))))
    flat, first = grouped(x.to_list(), ndim, axis)
    expected = ref.symmetric_difference(flat, grouped(y.to_list(), ndim, axis)[0], first + 1)
    assert_lists_equal(x.symmetric_difference(y, axis).to_list(), expected, rel_tol=0, abs_tol=0)


def test_rows_of_other_sizes_and_trees() -> None:
    x, y = aj.array([[1, 2, 2, None], None, [], [3]]), aj.array([[2, 5], [1], [4, 4], None])
    assert x.symmetric_difference(y).to_list() == [[1, 5], None, [4], None]
    deep = aj.array([[[1], [2, 3]], [[4]]])
    assert deep.symmetric_difference([[[2, 3], [9]], [[4]]], axis=1).to_list() == [[[1], [9]], []]
