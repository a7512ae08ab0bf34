"""align."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops import structure
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.operands import jag, outcome, same_leaves

depths = st.integers(1, 3)


@given(same_leaves(3))
def test_align(operands: tuple[aj.JaggedArray, ...]) -> None:
    found = aj.align(*operands)
    for got, expected in zip(found, ref.align(*map(jag, operands)), strict=True):
        assert got.shape == found[0].shape
        assert_lists_equal(got.to_list(), expected)


@given(prefix_arrays(count=3) | st.tuples(jagged_arrays(depths), jagged_arrays(depths)), st.integers(0, 1))
def test_shapes_that_agree_at_a_glance_are_aligned_as_any(operands: tuple[aj.JaggedArray, ...], levels: int) -> None:
    def met() -> Any:
        cut = structure.agree(operands, "test", levels=levels)
        return [(x.to_list(), x.shape.extents) for x in (*aj.align(*operands), *map(aj.JaggedArray._of, cut))]

    levels = min(levels, *(x.ndim for x in operands))
    found = outcome(met)
    with mock.patch.object(structure, "_agree_already", return_value=False):
        expected = outcome(met)
    assert str(found) == str(expected)


def test_align_of_no_array_of_one_array_and_of_scalars() -> None:
    x = aj.array([[1], None])
    assert aj.align() == ()
    assert aj.align(x)[0].equals(x)
    assert [one.to_list() for one in aj.align(5, x)] == [[[5], None], [[1], None]]


def test_align_names_dim_and_row() -> None:
    with pytest.raises(aj.ShapeError, match=r"dim 1, row 0 has 2 items here and 1 there"):
        aj.align(aj.array([[1], [2, 3]]), aj.array([[1, 2], [3]]))


def test_different_numbers_of_rows_are_named_as_such() -> None:
    with pytest.raises(aj.ShapeError, match=r"multiply: JaggedShape\(4\) is not a prefix of .*: 4 rows and 2 rows"):
        aj.array([[1], [2]]) * aj.array([1, 2, 3, 4])
