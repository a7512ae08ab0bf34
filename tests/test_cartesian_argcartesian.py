"""cartesian and argcartesian."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagIndexError, JagMemoryError, JagOverflowError, JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.reference import Jag


@pytest.mark.parametrize("positions", [False, True])
@given(st.data())
def test_cartesian_agrees_with_the_oracle(positions: bool, data: st.DataObject) -> None:
    ndim, nested = data.draw(st.integers(1, 3)), data.draw(st.booleans())
    ndims = (ndim, ndim, data.draw(st.integers(1, ndim)))[: data.draw(st.integers(2, 3))]
    x, y, *rest = data.draw(prefix_arrays(ndims, [data.draw(leaf_types()) for _ in ndims]))
    arrays = dict(zip("bac", (y.head(2), x, *rest), strict=False))
    fields = {name: Jag(one.to_list(), one.ndim) for name, one in arrays.items()}
    expected = ref.cartesian(ndim, nested, positions, **fields)
    got = (aj.argcartesian if positions else aj.cartesian)(**arrays, nested=nested)
    assert got.ndim == ndim + (len(fields) - 1) * nested
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("positions", [False, True])
@given(st.data())
def test_items_of_every_axis_agree_with_the_oracle(positions: bool, data: st.DataObject) -> None:
    ndim, nested = data.draw(st.integers(1, 3)), data.draw(st.booleans())
    ndims = (ndim, data.draw(st.integers(1, ndim)))
    x, y = data.draw(prefix_arrays(ndims, [data.draw(leaf_types()) for _ in ndims]))
    arrays = {"x": x.head(3, axis=0), "y": y.head(3, axis=0)}
    axis = data.draw(st.integers(-ndim, ndim - 1))
    place = axis % ndim
    fields = {name: Jag(one.to_list(), min(one.ndim, place + 1)) for name, one in arrays.items()}
    expected = ref.cartesian(place + 1, nested, positions, **fields)
    got = (aj.argcartesian if positions else aj.cartesian)(**arrays, nested=nested, axis=axis)
    assert got.ndim == place + 1 + nested
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


def test_an_axis_out_of_range_raises_and_an_array_is_a_field() -> None:
    x = aj.array([[1, 2], []])
    with pytest.raises(JagIndexError, match=r"cartesian"):
        aj.cartesian(x, x, axis=2)
    assert aj.cartesian(a=x, axis=x).fields == ["a", "axis"]


def test_one_item_per_row_and_flags_that_are_fields() -> None:
    x = aj.array([[1, 2], [], None])
    assert aj.cartesian(x, [7, 8, 9]).to_list() == [[{"0": 1, "1": 7}, {"0": 2, "1": 7}], [], None]
    assert aj.cartesian(a=x, nested=x).fields == ["a", "nested"]
    assert aj.cartesian(a=x, b="q")["b"].to_list() == [["q", "q"], [], None]
    assert aj.cartesian(a=aj.array([1, 2]), b=aj.array(["x"])).to_list() == [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}]


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ShapeError, match=r"cartesian"):
        aj.cartesian(aj.array([[1]]), aj.array([[1], [2]]))
    with pytest.raises(JagTypeError, match=r"cartesian needs at least one array"):
        aj.cartesian()
    with pytest.raises(ShapeError, match=r"argcartesian needs an array with rows"):
        aj.argcartesian(1, 2)
    huge = aj.zeros(1, 2**21)
    with pytest.raises(JagOverflowError, match=r"don't fit into memory"):
        aj.cartesian(huge, huge)
    large = aj.zeros(1, 2**18)
    with pytest.raises(JagMemoryError, match=r"^cartesian: 68,719,476,736 items of 8 bytes take 549.8 GB; this"):
        aj.cartesian(large, large)
