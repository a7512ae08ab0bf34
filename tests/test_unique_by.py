"""unique by a key."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, single_axis
from tests.reference import Jag


@given(st.data())
def test_unique_by_a_key_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(single_axis(ndim))
    x, by = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, axis % ndim + 1))), (leaf_types(), leaf_types(*EQUAL))))
    got = x.unique(axis, by=by)
    assert got.type == x.type
    expected = ref.unique_by(x.to_list(), Jag(by.to_list(), by.ndim), ndim, axis)
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


def test_null_keys_are_one_key_and_null_items_stay() -> None:
    x = aj.array([["a", None, "c", "d", "e", "f"], None])
    assert x.unique(by=[[None, 1.0, None, math.nan, 1.0, math.nan], [1.0]]).to_list() == [["a", None, "d"], None]
    assert aj.array([[[1, 2], [3]]]).unique((1, 2), by=[[5, 5]]).to_list() == [[1]]
