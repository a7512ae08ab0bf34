"""expand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import ShapeError
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3)), st.integers(0, 3))
def test_expand_repeats_each_leaf(x: Any, n: int) -> None:
    y = x.unsqueeze(-1).expand(*[-1] * x.ndim, n)
    assert_lists_equal(y.to_list(), ref.expand(ref.unsqueeze(x.to_list(), x.ndim, x.ndim), x.ndim + 1, n))
    assert y.shape.extents[-1] == n


@given(jagged_arrays(st.integers(1, 2)), st.integers(1, 3))
def test_expand_in_front_repeats_the_whole(x: Any, n: int) -> None:
    assert_lists_equal(x.expand(n, *[-1] * x.ndim).to_list(), [x.to_list()] * n)


ONES = aj.from_arrow(pa.array([[["a"], None, [None]], None, []], pa.list_(pa.list_(pa.string(), 1))))
"""Rows of declared size 1, some of which are null."""


@pytest.mark.parametrize(
    ("spec", "rows", "extent"),
    [
        (2, [[["a", "a"], None, [None, None]], None, []], 2),
        (0, [[[], None, []], None, []], 0),
        ([2, 5, 1], [[["a", "a"], None, [None]], None, []], None),
        ([0, 5, 2], [[[], None, [None, None]], None, []], None),
    ],
)
def test_null_rows_stay_null_and_empty(spec: Any, rows: Any, extent: int | None) -> None:
    x = ONES.expand(-1, -1, spec)
    assert (x.to_list(), x.shape.extents[-1]) == (rows, extent)


def test_rows_below_are_repeated_as_a_whole() -> None:
    type = pa.list_(pa.list_(pa.list_(pa.int64()), 1))
    x = aj.from_arrow(pa.array([[[[1, 2]], None, [None]], None], type))
    assert x.expand(-1, -1, [2, 0, 3], -1).to_list() == [[[[1, 2], [1, 2]], None, [None, None, None]], None]


def test_a_plain_list_has_one_size_per_row() -> None:
    with pytest.raises(ShapeError, match=r"dim 2 has 3 rows, got 2 sizes; only a pattern is repeated, a plain list must hold one"):
        ONES.expand(-1, -1, [1, 2])


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
