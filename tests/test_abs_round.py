"""abs and round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.operands import jag


def leaves(x: aj.JaggedArray) -> list[Any]:
    return ref.items(x.to_list(), x.ndim)


@given(jagged_arrays(leaf=pa.float64(), small=True, allow_nan=False), st.integers(-2, 3))
def test_round_is_half_to_even(x: aj.JaggedArray, decimals: int) -> None:
    expected = ref.elementwise(lambda v: float(np.round(v, decimals)), jag(x))
    assert_lists_equal(x.round(decimals).to_list(), expected, rel_tol=1e-9)


@given(jagged_arrays(leaf=pa.int32()))
def test_abs_and_rounding_of_integers(x: aj.JaggedArray) -> None:
    assume(-(2**31) not in leaves(x))
    assert x.abs().to_list() == ref.elementwise(abs, jag(x))
    assert round(x, 1).to_list() == x.to_list()
