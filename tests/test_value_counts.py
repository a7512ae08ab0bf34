"""value_counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import EQUAL, any_axis, grouped

ndims = st.integers(1, 3)
EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_value_counts_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*EQUAL), small=True))
    flat, first = grouped(x.to_list(), ndim, axis)
    got = x.value_counts(axis)
    assert [field.name for field in got.type] == ["value", "count"]
    assert_lists_equal(got.to_list(), ref.value_counts(flat, first + 1), **EXACT)
