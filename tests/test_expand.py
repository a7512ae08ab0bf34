"""unsqueeze, squeeze and expand, on every leaf type, with null rows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_unsqueeze_and_back(x: Any, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim - 1, x.ndim))
    y = x.unsqueeze(axis)
    assert_lists_equal(y.to_list(), ref.unsqueeze(x.to_list(), x.ndim, axis))
    assert y.shape.extents[axis] == 1
    assert y.squeeze(axis).equals(x)


@given(jagged_arrays(st.integers(1, 3)), st.integers(0, 3))
def test_expand_repeats_each_leaf(x: Any, n: int) -> None:
    y = x.unsqueeze(-1).expand(*[-1] * x.ndim, n)
    expected = ref.at_depth(lambda item: [item] * n, x.to_list(), x.ndim)
    assert_lists_equal(y.to_list(), expected)
    assert y.shape.extents[-1] == n


@given(jagged_arrays(st.integers(1, 2)), st.integers(1, 3))
def test_expand_in_front_repeats_the_whole(x: Any, n: int) -> None:
    assert_lists_equal(x.expand(n, *[-1] * x.ndim).to_list(), [x.to_list()] * n)


def test_squeeze_names_the_row() -> None:
    with pytest.raises(aj.ShapeError, match="dim 1, row 1 has 2 items, expected 1"):
        aj.array([[1], [2, 3]]).squeeze(1)


def test_squeeze_of_a_null_row_is_a_null_item() -> None:
    assert aj.array([[1], None]).squeeze(1).to_list() == [1, None]
    assert aj.array([[[1, 2]], None]).squeeze(1).to_list() == [[1, 2], None]


def test_a_declared_dim_keeps_its_extent_through_zero_rows() -> None:
    x = aj.zeros(0, 3)
    assert x.shape.extents == (0, 3)
    assert x.sum(axis=0).to_list() == [0, 0, 0]
    assert x.transpose(0, 1).to_list() == [[], [], []]
    assert aj.from_arrow(x.to_arrow()).shape.extents == (None, 3)


def test_zeros_keep_one_value_until_touched() -> None:
    x = aj.full((1000, 1000), "a")
    assert x.nbytes < 100
    assert x.reshape(1000000).nbytes < 100
    assert x[:2, :2].to_list() == [["a", "a"], ["a", "a"]]
