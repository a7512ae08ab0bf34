"""unsqueeze, squeeze."""

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


def test_squeeze_names_the_row() -> None:
    with pytest.raises(aj.ShapeError, match="dim 1, row 1 has 2 items, expected 1"):
        aj.array([[1], [2, 3]]).squeeze(1)


def test_squeeze_of_a_null_row_is_a_null_item() -> None:
    assert aj.array([[1], None]).squeeze(1).to_list() == [1, None]
    assert aj.array([[[1, 2]], None]).squeeze(1).to_list() == [[1, 2], None]


@pytest.mark.parametrize(("rows", "ndim"), [([None], 2), ([None], 3), ([[None, [1]]], 3), ([None], 1), ([[]], 2)])
def test_squeeze_of_the_rows_is_the_only_row(rows: list[Any], ndim: int) -> None:
    x = aj.array(rows, type="int64", ndim=ndim)
    found, row = x.squeeze(0), x[0]
    assert type(found) is type(row)
    assert found.type == row.type
    if isinstance(row, aj.JaggedArray):
        assert found.equals(row)
    else:
        assert found.as_py() is row.as_py() is None
