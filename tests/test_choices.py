"""combinations and pairs."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops import composed
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import any_axis, first_axis, grouped, trailing_axes

EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_combinations_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    flat, first = grouped(x.to_list(), ndim, axis)
    got = x.combinations(n, axis)
    assert got.shape.extents[first + 1] == n
    assert_lists_equal(got.to_list(), ref.combinations(flat, first + 1, n), **EXACT)


@given(st.data())
def test_pairs_of_every_type_over_trailing_axes(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis: Any = data.draw(trailing_axes(ndim))
    leaf = data.draw(leaf_types())
    x, y = data.draw(prefix_arrays((ndim, ndim), leaf, null_rows=axis == -1))
    first, _ = first_axis(axis, ndim)
    flat = [grouped(one.to_list(), ndim, axis)[0] for one in (x, y)]
    got = x.pairs(y, axis)
    assert got.shape.extents[first + 1] == 2
    assert_lists_equal(got.to_list(), ref.pairs(*flat, first + 1), **EXACT)


def test_rows_of_pairs_need_no_equal_sizes() -> None:
    x, y = aj.array([[1, 2], None, [], [3]]), aj.array([[7], [8], [9], None])
    assert x.pairs(y).to_list() == [[[1, 7], [2, 7]], None, [], None]
    trees = aj.array([[1, 2], [3]]).pairs([[9]], axis=0)
    assert trees.to_list() == [[[1, 2], [9]], [[3], [9]]]


def test_types_meet() -> None:
    assert aj.array([[1]], type=pa.int8(), ndim=2).pairs([[0.5]]).to_list() == [[[1.0, 0.5]]]


def test_refused_arguments() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match="n must be at least 1, got 0"):
        x.combinations(0)
    with pytest.raises(JagTypeError, match="n must be an int, got float"):
        x.combinations(2.0)
    with pytest.raises(JagOverflowError, match="combinations"):
        aj.zeros(1, 200).combinations(60)
    with pytest.raises(ShapeError, match="pairs"):
        x.pairs([[1], [2]])
    with pytest.raises(ShapeError, match="equally many dims"):
        x.pairs([1])


@given(sizes=st.lists(st.integers(0, 7), max_size=6), n=st.integers(1, 4))
def test_few_choices_are_those_of_many(sizes: list[int], n: int) -> None:
    """Item by item or by tables of slots."""
    x = aj.from_sizes(list(range(sum(sizes))), sizes)
    few = x.combinations(n)
    with mock.patch.object(composed, "_FEW_ITEMS", -1):
        many = x.combinations(n)
    assert few.equals(many)
