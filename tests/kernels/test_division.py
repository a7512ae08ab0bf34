"""Floor division and remainder: every bit as numpy's, whatever floats there are."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arrowjag._kernels import strategy
from arrowjag._kernels.compiled.loops.division import LIMITS
from arrowjag._kernels.elementwise import arithmetic
from tests.compiled_calls import forced
from tests.kernels.rows import bits

FLOATS = st.sampled_from([np.float32, np.float64])
PAIRS = st.tuples(FLOATS, st.integers(1, 20)).flatmap(
    lambda kind: st.tuples(*[st.sampled_from([1, kind[1]]).flatmap(lambda n: hnp.arrays(kind[0], n)) for _ in range(2)])
)


@pytest.fixture(params=["numpy", "compiled"], autouse=True)
def by(request):
    with forced(request.param, "division"):
        if request.param == "compiled" and arithmetic.division("remainder", np.dtype(float), 1).func is arithmetic._divide_blocks:
            pytest.skip("this processor has no fused multiply-add")
        yield


def check(one, two):
    with np.errstate(all="ignore"):
        for ufunc in (np.floor_divide, np.remainder):
            expected = ufunc(one, two)
            out = np.empty_like(expected)
            arithmetic.division(ufunc.__name__, out.dtype, 1)(one, two, out)
            np.testing.assert_array_equal(bits(out), bits(expected), err_msg=f"{ufunc.__name__} of {one} by {two}")


@given(PAIRS)
def test_any_floats(pair):
    check(*pair)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_corners_with_corners(dtype):
    info = np.finfo(dtype)
    digits = info.nmant
    some = [0, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, 1, 3, 0.1, 1 + info.eps, 1 - info.epsneg]
    some += [7 * float(info.smallest_subnormal), 2.0 ** (digits - 2), 2.0 ** (digits - 1) + 0.5, 2.0**digits, 2.0 ** (digits + 1)]
    corners = np.array([*some, *(-one for one in map(float, some))], dtype)
    check(*(side.ravel().copy() for side in np.meshgrid(corners, corners)))
    for one in corners:
        check(corners, np.array([one], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("divisor", [np.inf, -np.inf])
def test_finite_numbers_by_infinity(dtype, divisor):
    """Alone in a block: their quotients are small, but no product with infinity is."""
    some = np.array([1.5, -2, 0, -0.0, 7], dtype)
    check(some, np.array([divisor], dtype))
    check(some, np.full(len(some), divisor, dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("most", [10, 2**11, 2**20, 2**25, 2**40])
def test_around_whole_quotients(dtype, sign, most):
    """There rounding gives an integer from below, so that the floor is one too high."""
    draw = np.random.default_rng(most)
    b = (sign * draw.normal(size=2000) * 2.0 ** draw.integers(-20, 20, 2000)).astype(dtype)
    a = (b * draw.integers(-most, most, 2000)).astype(dtype)
    a = np.nextafter(a, draw.choice([-np.inf, np.inf, 0], 2000).astype(dtype))
    check(a, b)
    check(np.round(a), b[:1])
    check((draw.integers(-most, most, 2000) * 0.1).astype(dtype), np.array([0.1], dtype))
    check(draw.integers(-most, most, 2000).astype(dtype), np.array([sign * 3], dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_floor_one_too_high_behind_a_divisor_of_the_other_sign(dtype, sign):
    draw = np.random.default_rng(0)
    b = (-sign * draw.uniform(0.1, 1, 200)).astype(dtype)
    a = np.nextafter(b * draw.integers(2, 50, 200).astype(dtype), dtype(sign * np.inf))
    one, two = np.full((2, 400), [[3], [sign * 2]], dtype)
    one[1::2], two[1::2] = a, b
    assert (np.floor(a / b) != np.floor_divide(a, b)).any()
    for at in range(0, 400, 2):
        check(one[at : at + 2], two[at : at + 2])
    check(one, two)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [1, -1])
def test_multiples_whose_product_with_the_inverse_is_one_too_low(dtype, sign):
    times = np.arange(-2000, 2000)
    low = 0
    for divisor in (sign * np.array([49, 41, 47, 55, 10, 0.7, 1e-3, 1 / 3, 3e7])).astype(dtype):
        multiples = (times * divisor).astype(dtype)
        low += np.count_nonzero(np.floor(multiples * (dtype(1) / divisor)) < np.floor_divide(multiples, divisor))
        for numbers in (multiples, np.nextafter(multiples, dtype(np.inf)), np.nextafter(multiples, dtype(-np.inf))):
            check(numbers, np.array([divisor]))
    assert low


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("by_number", [False, True])
def test_quotients_around_the_limit(dtype, by_number):
    draw = np.random.default_rng(0)
    limit = LIMITS[np.dtype(dtype).str[1:]]
    for divisor in (1, -1, 3, 0.1, *draw.normal(size=20)):
        b = np.full(70, divisor, dtype)
        quotients = np.concatenate([limit * factor + np.arange(-5, 5) / 2 for factor in (1, -1, 2, -2, 0.5, 8, -8)])
        a = (b * quotients.astype(dtype)).astype(dtype)
        for numbers in (a, np.nextafter(a, dtype(np.inf)), np.nextafter(a, dtype(-np.inf))):
            for some in (slice(None), quotients < 0, quotients > 0):  # those of one sign alone in a block
                check(numbers[some], b[:1] if by_number else b[some])


@pytest.mark.parametrize("n_two", [1, 10])
@pytest.mark.parametrize("n_one", [1, 10])
@pytest.mark.parametrize("n_bad", [0, 2])
def test_blocks_that_a_loop_cannot_divide_are_divided_again(n_one, n_two, n_bad):
    got, blocks = [], []
    one, two, out = np.arange(1.0, 2 * n_one, 2)[:n_one], np.arange(2.0, 2 * n_two + 2)[::2], np.zeros(10)

    def loop(*arguments):
        got.append(arguments)
        return n_bad

    def plain(one, two, out):
        blocks.append((one.tolist(), two.tolist()))
        out[:] = len(blocks)

    with strategy.force(DIVISION_BYTES=32):
        arithmetic._divide_compiled(loop, functools.partial(arithmetic._divide_blocks, plain), one, two, out)
    ((values, divisors, by_number, n, limits, filled),) = got
    one = np.broadcast_to(one, 10)
    assert values.tolist() == one.tolist()
    assert divisors.tolist() == two.tolist()
    assert (values.flags.c_contiguous, divisors.flags.c_contiguous) == (True, True)
    assert (by_number, n, limits.tolist(), limits.dtype) == (int(n_two == 1), 10, [0, 1, LIMITS["f8"], 0.5], out.dtype)
    assert filled is out
    parts = [slice(0, 4), slice(4, 8), slice(8, 10)] if n_bad else []
    assert blocks == [(one[part].tolist(), two.tolist() if n_two == 1 else two[part].tolist()) for part in parts]
    assert out.tolist() == ([1] * 4 + [2] * 4 + [3] * 2 if n_bad else [0] * 10)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_remainders_of_integers_by_one_number(dtype):
    ends = np.iinfo(dtype)
    data = np.array([ends.min, ends.min + 1, ends.max, *range(100)], dtype)
    for number in (1, 2, 3, 7, 100, ends.max):
        for part in (data, data[:1]):
            out, divisor = np.zeros(len(data), dtype), np.array([number], dtype)
            with strategy.force(DIVISION_BYTES=56):
                arithmetic.remainder_by_number(part, divisor, out)
            np.testing.assert_array_equal(out, np.broadcast_to(np.remainder(part, divisor), len(data)))
