"""Float16 against numpy's conversions and its arithmetic of single items."""

from __future__ import annotations

import operator

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import halves
from tests.compiled_calls import forced
from tests.kernels.rows import bits

ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
"""Every float16: both zeros, subnormal numbers, infinities and 2,046 NaN."""


@pytest.fixture(params=["numpy", "compiled", "compiled in blocks"], autouse=True)
def by(request):
    blocks = {"LIGHT_BYTES": 0, "PASS_VALUES": 1000} if "blocks" in request.param else {}
    with forced(request.param.split()[0], "halves", **blocks):
        yield


def test_every_half_widens_to_its_number():
    np.testing.assert_array_equal(bits(halves.to_singles(ALL)), bits(ALL.astype(np.float32)))


def test_singles_are_rounded_to_the_nearest_half_and_ties_to_even():
    near = ALL.astype(np.float32).view(np.uint32)
    rng = np.random.default_rng(7)
    words = np.concatenate([near + np.uint32(step) for step in (0, 1, 0xFFF, 0x1000, 0x1001, 2**32 - 1, 2**32 - 0x1000)])
    words = np.concatenate([words, rng.integers(0, 2**32, 100_000, dtype=np.uint64).astype(np.uint32)])
    singles = words.view(np.float32)
    with np.errstate(all="ignore"):
        expected = singles.astype(np.float16)
    np.testing.assert_array_equal(bits(halves.to_halves(singles)), bits(expected))


@pytest.mark.parametrize("function", [np.negative, np.absolute])
def test_signs_change_one_bit(function):
    np.testing.assert_array_equal(bits(halves.by_bits(function, ALL)), bits(function(ALL)))
    assert halves.by_bits(np.sqrt, ALL) is None


def test_each_nan_is_found():
    found = np.unpackbits(halves.is_nan(ALL), bitorder="little").view(bool)
    np.testing.assert_array_equal(found, np.isnan(ALL))


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_extremes_are_those_of_numpy_plus_zero(function):
    other = np.random.default_rng(8).permutation(ALL)
    zeros = np.array([0.0, -0.0, -0.0, 0.0, np.nan, 1.0], np.float16)
    pairs = [(ALL, other), (other, ALL[:1] + 1), (ALL[0x7D00:0x7D01], other), (other, ALL[0xFD00:0xFD01]), (zeros, zeros[::-1])]
    for one, two in pairs:
        found = halves.extremes(function, one, two)
        if found is None:
            assert aj.options.compile == "never"
            return
        with np.errstate(all="ignore"):
            expected = function(one, two) + np.float16(0)
        np.testing.assert_array_equal(bits(found), bits(expected))


def test_ufuncs_call_the_loop_of_extremes():
    x, y = aj.from_sizes(ALL[:9000], [9000]), aj.from_sizes(ALL[::-1][:9000], [9000])
    with strategy.force() as taken:
        found = np.maximum(x, y)
    with np.errstate(all="ignore"):
        expected = np.maximum(ALL[:9000], ALL[::-1][:9000]) + np.float16(0)
    np.testing.assert_array_equal(bits(found.values.to_numpy(zero_copy_only=False)), bits(expected))
    assert taken["halves", "numpy" if aj.options.compile == "never" else "compiled"]


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("two", ["items", "number", "rows"])
def test_many_items_and_few_have_the_same_results(name, two):
    """Blocks give the bits that a column of three rows gives, next to nulls too."""
    rng = np.random.default_rng(3)
    calculate, n = getattr(operator, name), 6_000
    sizes = rng.integers(0, 9, n // 4)
    sizes[-1] += max(n - sizes.sum(), 0)
    lists = [[None if rng.random() < 0.1 else float(one) for one in rng.choice(ALL, size)] for size in sizes]
    x = aj.array(lists, type=pa.float16())
    others = {
        "items": lambda: aj.array([row[::-1] for row in lists], type=pa.float16()),
        "number": lambda: np.float16(2.5),
        "rows": lambda: aj.array([float(one) for one in rng.choice(ALL, len(lists))], type=pa.float16()),
    }
    y = others[two]()
    with strategy.force(arithmetic="blocks"):
        found = calculate(x, y)
    with strategy.force(arithmetic="whole"):
        parts = [calculate(x[k : k + 40], y if two == "number" else y[k : k + 40]) for k in range(0, len(x), 40)]
    expected = aj.concat(parts)
    assert found.type == expected.type
    assert found.shape == expected.shape
    assert found.values.is_valid().equals(expected.values.is_valid())
    if pa.types.is_float16(found.type):
        got, wanted = (np.array(one.values.drop_null().to_numpy(), np.float16) for one in (found, expected))
        np.testing.assert_array_equal(bits(got), bits(wanted))
    else:
        assert found.equals(expected)


@pytest.mark.parametrize("type", [pa.int8(), pa.int32(), pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("name", ["lt", "eq", "truediv", "add"])
def test_columns_of_other_types_beside_float16(name, type):
    """Blocks take pairs of float16 alone, on either side."""
    calculate, n = getattr(operator, name), 6_000
    x = aj.from_sizes(pa.array(np.arange(n, dtype=np.float16) / np.float16(64)), np.full(n // 10, 10))
    y = aj.from_sizes(pa.array(np.arange(n) % 100).cast(type), np.full(n // 10, 10))
    for one, two in ((x, y), (y, x)):
        with strategy.force(arithmetic="blocks"):
            found = calculate(one, two)
        with strategy.force(arithmetic="whole"):
            expected = aj.concat([calculate(one[k : k + 30], two[k : k + 30]) for k in range(0, n // 10, 30)])
        assert found.type == expected.type
        assert found.equals(expected)
