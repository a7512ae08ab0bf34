"""abs and round."""

from __future__ import annotations

import math
import operator
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.operands import jag, leaves

EXACT = Context(prec=100)


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


@pytest.mark.parametrize("type", ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64"])
def test_far_more_or_fewer_decimals_than_a_number_has(type: str) -> None:
    x = aj.array([[1, 7, None]], type=type)
    assert x.round(400).equals(x)
    assert x.round(-400).to_list() == [[0, 0, None]]
    assert x.round(-400).type == x.type
    if type.startswith("float"):
        y = aj.array([[-1.5, math.inf, math.nan]], type=type).round(-400).to_list()[0]
        assert (y[0], math.copysign(1, y[0]), y[1], math.isnan(y[2])) == (0, -1, math.inf, True)


@pytest.mark.parametrize("type", ["int64", "uint64"])
def test_integers_of_64_bits_are_rounded_to_their_largest_power_of_ten(type: str) -> None:
    """Arrow refuses this power of ten for one type, and divides by zero for the other one, which ends the process."""
    half = 5 * 10**18
    x = aj.array([[half, 7, None], [], [0 if type == "uint64" else -half, half - 1]], type=type)
    assert x.round(-19).to_list() == [[0, 0, None], [], [0, 0]]
    assert x.round(-19).type == x.type
    if type == "uint64":
        assert aj.array([[half + 1, 3 * half - 1]], type=type).round(-19).to_list() == [[10**19, 10**19]]
    with pytest.raises(ValueError, match=f"^round: in row 1, a number rounded to -19 decimals does not fit {type}; cast to a deci"):
        aj.array([[0], [half + 1 if type == "int64" else 3 * half]], type=type).round(-19)


@pytest.mark.parametrize("type", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_are_rounded_to_every_power_of_ten(type: str) -> None:
    limits = np.iinfo(type)
    items = [0, 4, 50, 51, limits.max // 3, limits.min // 3, limits.max // 2, limits.min // 2]
    x = aj.array(pa.array([items, None, [None]], pa.list_(pa.type_for_alias(type))))
    for decimals in range(-22, 0):
        expected = [round(item, decimals) for item in items]
        if max(expected) > limits.max or min(expected) < limits.min:
            with pytest.raises(JagValueError, match=f"^round: in row 0, a number rounded to {decimals} decimals does not fit"):
                x.round(decimals)
        else:
            assert x.round(decimals).to_list() == [expected, None, [None]], decimals
            assert x.round(decimals).type == x.type


@given(st.lists(st.floats(0.3, 3000), max_size=9), st.integers(11, 335), st.booleans(), st.sampled_from(["float64", "float32"]))
def test_powers_of_ten_that_no_float_holds(numbers: list[float], digits: int, tens: bool, type: str) -> None:
    """Arrow multiplies by powers that are off by 1e-8, numpy by the nearest float; the items become the nearest floats here."""
    assume(all(abs(one % 1 - 0.5) > 1e-3 for one in numbers))  # no item is a tie but for the last digits of its power
    decimals = -min(digits, 300 if type == "float64" else 34) if tens else min(digits, 335 if type == "float64" else 47)
    items = [float(np.dtype(type).type(Decimal(one).scaleb(-decimals, EXACT))) for one in numbers]
    x = aj.array([items, None, [None, math.inf, -0.0]], type=type)
    expected = [float(np.dtype(type).type(round(item, decimals))) for item in items]
    assert x.round(decimals).to_list() == [expected, None, [None, math.inf, 0.0]]
    assert math.copysign(1, x.round(decimals).to_list()[2][2]) == -1


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
def test_a_rounded_float_beyond_the_largest_one(type: str) -> None:
    most = np.finfo(type).max
    largest, before = int(most), int(np.nextafter(most, np.zeros((), type)))
    x = aj.array([[1.0, None], [float(largest)]], type=type)
    refused = 0
    for decimals in range(-len(str(largest)) - 1, 0):
        exact = round(largest, decimals)
        if 2 * exact < 2 * largest + (largest - before):
            assert x.round(decimals).to_list()[1] == [float(np.array(float(exact), type))], decimals
        else:
            refused += 1
            with pytest.raises(JagValueError, match=rf"round: in row 1, a number rounded to {decimals} decimals is beyond"):
                x.round(decimals)
    assert refused


def test_a_hidden_float_may_become_infinite() -> None:
    data = np.array([1.797e308, 9e307])
    hidden = pa.Array.from_buffers(pa.float64(), 2, [pa.py_buffer(b"\x02"), pa.py_buffer(data)])
    assert aj.from_sizes(hidden, [2]).round(-308).to_list() == [[None, 1e308]]


def test_a_rounded_integer_that_no_longer_fits() -> None:
    expected = "^round: in row 1, a number rounded to -1 decimals does not fit uint8; cast to a wider type first$"
    with pytest.raises(ValueError, match=expected):
        aj.array([[1], [255]], type="uint8").round(-1)
