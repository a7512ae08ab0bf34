"""is_nan."""

from __future__ import annotations

import math

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3), pa.float64()))
def test_is_nan_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    assert x.is_nan().to_list() == ref.elementwise(ref.is_nan, ref.Jag(x.to_list(), x.ndim))


def test_is_nan() -> None:
    assert aj.array([[math.nan, None], [1.0]]).is_nan().to_list() == [[True, None], [False]]
    assert aj.array([[1, None]]).is_nan().to_list() == [[False, None]]
