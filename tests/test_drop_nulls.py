"""drop_nulls."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import single_axis


@given(st.data())
def test_drop_nulls_of_every_type_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3)))
    axis = data.draw(single_axis(x.ndim))
    got = x.drop_nulls(axis)
    assert got.type == x.type
    assert got.shape.extents[axis % x.ndim] is None or axis % x.ndim == 0
    assert_lists_equal(got.to_list(), ref.drop_nulls(x.to_list(), x.ndim, axis), rel_tol=0, abs_tol=0)


def test_values_without_nulls_are_shared() -> None:
    x = aj.array([[1, 2], None, [3]])
    assert x.drop_nulls().values is x.values
    assert aj.array([[1, None], [None]]).drop_nulls(axis=None).to_list() == [1]
