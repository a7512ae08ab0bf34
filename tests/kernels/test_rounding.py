"""Rounding and bounding against numpy and Python, over blocks and in every corner of the floats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arrowjag._kernels.elementwise import rounding
from tests.compiled_calls import forced


@pytest.fixture(params=["numpy", "compiled", "compiled in blocks"], autouse=True)
def by(request):
    sizes = {"LIGHT_BYTES": 0, "PASS_VALUES": 100} if "blocks" in request.param else {}
    with forced(request.param.split()[0], "rounded", **sizes):
        yield


FLOATS = st.sampled_from([np.float32, np.float64])


@given(FLOATS.flatmap(lambda dtype: hnp.arrays(dtype, st.integers(0, 20))), st.integers(-10, 10))
def test_as_numpy_where_numbers_have_decimals_and_unchanged_above(data, decimals):
    got = rounding.round_half_even(data, decimals)
    assert got.dtype == data.dtype
    with np.errstate(all="ignore"):
        scaled = data.astype(np.float64) * 10.0**decimals
        expected = np.round(data, decimals)
    large = ~(np.abs(scaled) < 2.0 ** (np.finfo(data.dtype).nmant - 1))
    np.testing.assert_array_equal(got[~large], expected[~large])
    np.testing.assert_allclose(got[large], data[large], rtol=4 * np.finfo(data.dtype).eps)


def test_halves_go_to_the_even_neighbour():
    data = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 0.25, 0.75])
    assert rounding.round_half_even(data, 0).tolist() == [0, 2, 2, 0, -2, 0, 1]
    assert rounding.round_half_even(data, 1).tolist() == [0.5, 1.5, 2.5, -0.5, -1.5, 0.2, 0.8]
    assert rounding.round_half_even(np.array([25.0, 35.0, -15.0]), -1).tolist() == [20, 40, -20]


def test_numbers_that_are_too_large_stay():
    data = np.array([1e308, -1e308, 2.0**52 + 1, np.inf, -np.inf, np.nan, 1.25])
    got = rounding.round_half_even(data, 1)
    np.testing.assert_array_equal(got, [*data[:-1], 1.2])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("dtype", "number", "decimals"),
    [(np.float32, 838.86084, 4), (np.float64, 450359962.73704964, 7), (np.float64, 45035.996273704965, 11)],
)
def test_the_smallest_number_that_is_too_large(dtype, number, decimals, sign):
    """Its product is the first one that is always whole, and divided again gives its neighbour."""
    data = np.array([sign * number], dtype)
    power = dtype(10**decimals)
    assert np.abs(data * power) == 2.0 ** np.finfo(dtype).nmant
    assert data * power / power != data
    assert rounding.round_half_even(data, decimals) == data


@pytest.mark.parametrize("bounds", [(0.25, 0.75), (None, 0.5), (0.5, None), (0.75, 0.25)])
def test_clip_over_many_blocks(bounds):
    data = np.random.default_rng(0).random(300_001)
    data[::1000] = np.nan
    got = rounding.clip(data, *bounds)
    expected = data.copy()
    low, high = bounds
    if low is not None:
        expected[expected < low] = low
    if high is not None:
        expected[expected > high] = high
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(rounding.round_half_even(data, 3), np.round(data, 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_exact_power_of_ten(dtype):
    """With an inexact power `round_half_even` would round twice."""
    most = rounding.MOST_DECIMALS[np.dtype(dtype).char]
    assert int(dtype(10**most)) == 10**most
    assert int(dtype(10 ** (most + 1))) != 10 ** (most + 1)


def numbers(dtype):
    """Of all magnitudes, ties among them, and those that are no numbers."""
    draw = np.random.default_rng(3)
    limits = np.finfo(dtype)
    some = draw.normal(size=3000) * 10.0 ** draw.integers(-12, 30, 3000)
    ties = draw.integers(-500, 500, 300) / 8
    ends = [0.0, -0.0, np.nan, np.inf, -np.inf, limits.max, limits.min, limits.tiny, limits.smallest_subnormal]
    return np.concatenate([some, ties, ties * 100, ends]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [-10, -3, -1, 0, 1, 2, 5, 10])
def test_every_bit_is_that_of_numpy(dtype, decimals):
    data = numbers(dtype)
    power = dtype(10 ** abs(decimals))
    with np.errstate(all="ignore"):
        scaled = data * power if decimals > 0 else data / power
        wanted = np.rint(scaled) / power if decimals > 0 else np.rint(scaled) * power
        large = ~(np.abs(scaled) < 2.0 ** np.finfo(dtype).nmant)
        found = rounding.round_half_even(data, decimals)
    assert large.any()
    wanted[large] = data[large]
    word = f"u{data.itemsize}"
    assert np.array_equal(found.view(word), wanted.view(word))


def test_of_no_items():
    assert rounding.round_half_even(np.zeros(0), 2).tolist() == []
