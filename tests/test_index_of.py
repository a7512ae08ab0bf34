"""index_of."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL
from tests.reference import Jag


@given(st.data())
def test_index_of_a_value_per_row_agrees_with_the_oracle(data: st.DataObject) -> None:
    leaf, ndim = data.draw(leaf_types(*EQUAL)), data.draw(st.integers(2, 3))
    x, v = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, ndim - 1))), (leaf, leaf)))
    assert_lists_equal(x.index_of(v).to_list(), ref.index_of(Jag(x.to_list(), x.ndim), Jag(v.to_list(), v.ndim)))


def test_index_of() -> None:
    x = aj.array([[1.0, math.nan, None, -0.0], [], None])
    assert x.index_of(math.nan).to_list() == [1, None, None]
    assert x.index_of(None).to_list() == [2, None, None]
    assert x.index_of(0.0).to_list() == [3, None, None]
    assert x.index_of(7).to_list() == [None, None, None]
    assert aj.array([5, 6]).index_of(6).as_py() == 1
    assert aj.array([[1], [2, 5], [1, 5]]).index_of(5, axis=0).to_list() == [None, 1]
    assert aj.array([[[1, 2], [3]], [[3]]]).index_of([3, 9], axis=(1, 2)).to_list() == [2, None]
    assert aj.array([[[1], [2]], [[3, 4], [2]]]).index_of([2, 3], axis=1).to_list() == [[1], [0, None]]
    assert aj.array([[1, 2]], type="int8").index_of(300).to_list() == [None]


def test_errors() -> None:
    with pytest.raises(ShapeError, match=r"index_of: v has 2 dims.*have 1"):
        aj.array([[1], [2]]).index_of([[1], [2]])
    with pytest.raises(JagTypeError, match=r"no common type|does not fit|compare"):
        aj.array([[1], [2]]).index_of("a")
