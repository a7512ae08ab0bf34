"""permute."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import jagged_arrays
from tests import reference as ref
from tests.operands import moved


@given(jagged_arrays(st.integers(2, 3)), st.data())
def test_permute_is_that_of_coordinates(x: Any, data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(x.ndim)))
    got = moved(lambda: x.permute(*axes, shear="allow"))
    assert_lists_equal(got.to_list(), ref.permute(x.to_list(), x.ndim, axes, shear="allow", extents=x.shape.extents))


@pytest.mark.parametrize("axes", [(0, 2, 1), (2, 1, 0), (2, 0, 1)])
def test_permute_refuses_to_close_holes_unless_told_to(axes: tuple[int, ...]) -> None:
    falling, rising = aj.arange(2, 2, [2, 1, 2, 1]), aj.arange(2, 2, [1, 2, 1, 2])
    assert falling.permute(*axes).equals(falling.permute(*axes, shear="allow"))
    with pytest.raises(aj.ShapeError, match=r"permute of .* will shear"):
        rising.permute(*axes)


def test_a_tuple_of_dims_raises() -> None:
    with pytest.raises(aj.JagTypeError, match=r"permute: expected one argument per dim, permute\(1, 0\), got \(1, 0\)"):
        aj.array([[1, 2], [3]]).permute((1, 0))  # type: ignore[arg-type]
