"""flatten with keep_empty=True."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref


@given(st.data())
def test_flatten_keeps_a_null_item_for_each_empty_row(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 4)))
    first, last = data.draw(st.integers(0, x.ndim)), data.draw(st.none() | st.integers(0, x.ndim))
    got = x.flatten(first, last, keep_empty=True)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), ref.flatten_keeping(x.to_list(), x.ndim, first, last), rel_tol=0, abs_tol=0)


def test_values_are_shared_where_no_row_is_empty() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.flatten(keep_empty=True).values is x.values
    assert aj.array([[[]], [], None]).flatten(keep_empty=True).to_list() == [None, None, None]
