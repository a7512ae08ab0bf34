"""expand_to."""

from __future__ import annotations

import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref


@given(leaf_types().flatmap(lambda leaf: prefix_arrays((1, 3), leaf)))
def test_expand_to_agrees_with_the_oracle(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, target = pair
    expected = ref.expand_to(ref.Jag(x.to_list(), x.ndim), ref.Jag(target.to_list(), target.ndim))
    assert_lists_equal(x.expand_to(target).to_list(), expected, rel_tol=0, abs_tol=0)


@given(prefix_arrays((2, 3)))
def test_rows_above_copied_items_agree_as_those_of_operands(pair: tuple[aj.JaggedArray, ...]) -> None:
    rows, target = pair
    x = rows.unsqueeze(-1)
    expected = ref.expand_to(ref.Jag(x.to_list(), 3), ref.Jag(target.to_list(), 3), 1)
    assert x.expand_to(target, 1).to_list() == expected
    assert aj.shapes.is_expandable_to_shape(x, target.shape, 1)
    assert aj.shapes.is_expandable_to_shape(rows, target.shape)


def test_extents_of_both_are_declared_and_must_agree() -> None:
    x, ragged = aj.zeros(2, 3, 2), aj.array([[[1]] * 3] * 2)
    assert x.expand_to(ragged, 1).shape.extents == (2, 3, None, 2)
    assert ragged.expand_to(x, 1).shape.extents == (2, 3, 2, None)
    none, other = aj.zeros(0, 3, 2), aj.JaggedShape(0, 4)
    for ndim in (0, 1):
        with pytest.raises(aj.ShapeError, match="declared to have 3 and 4" if ndim else "more dims"):
            none.expand_to(other, ndim)
        assert not aj.shapes.is_expandable_to_shape(none, other, ndim)
