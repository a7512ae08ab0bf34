"""ffill, bfill."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import any_axis, kept


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


def test_complete_data_is_passed_on() -> None:
    x = aj.array([[1, 2]])
    assert x.ffill().values is x.values
