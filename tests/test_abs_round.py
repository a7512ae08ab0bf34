"""abs and round."""

from __future__ import annotations

import operator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.operands import jag

EXACT = Context(prec=100)


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


@given(jagged_arrays(leaf=leaf_types("decimal")), st.integers(-2, 3))
def test_decimals_of_every_width_keep_their_type(x: aj.JaggedArray, places: int) -> None:
    assert (-x).to_list() == ref.elementwise(operator.neg, jag(x))
    assert abs(x).to_list() == ref.elementwise(abs, jag(x))
    assert {(-x).type, abs(x).type} == {x.type}
    step, bound = Decimal(1).scaleb(-min(places, x.type.scale)), Decimal(10) ** (x.type.precision - x.type.scale)
    rounded = ref.elementwise(lambda value: value.quantize(step, ROUND_HALF_EVEN, EXACT), jag(x))
    if any(value is not None and abs(value) >= bound for value in ref.items(rounded, x.ndim)):
        with pytest.raises(JagValueError, match="does not fit in precision"):
            x.round(places)
        return
    assert x.round(places).to_list() == rounded
    assert x.round(places).type == x.type
