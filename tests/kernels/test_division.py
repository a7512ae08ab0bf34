"""Floor division and remainder: every bit as numpy's, whatever floats there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arrowjag import options
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import arithmetic

FLOATS = st.sampled_from([np.float32, np.float64])
PAIRS = st.tuples(FLOATS, st.integers(1, 20)).flatmap(
    lambda kind: st.tuples(*[st.sampled_from([1, kind[1]]).flatmap(lambda n: hnp.arrays(kind[0], n)) for _ in range(2)])
)


def bits(data):
    """Every bit, but that all NaN are one."""
    return np.where(np.isnan(data), np.nan, data).view(f"u{data.itemsize}")


@pytest.fixture(params=["numpy", "compiled"], autouse=True)
def by(request):
    """Each strategy for the tests of this file; a compiled loop is compiled at once."""
    if request.param == "numpy":
        with strategy.force(division="numpy"):
            yield
        return
    pytest.importorskip("numba")
    with options(compile="always"), strategy.force(division="compiled", COMPILED_VALUES=0):
        if arithmetic.division("remainder", np.dtype(float), 1)[0] is arithmetic.remainder:
            pytest.skip("this processor has no fused multiply-add")
        yield


def check(one, two):
    with np.errstate(all="ignore"):
        for ufunc in (np.floor_divide, np.remainder):
            expected = ufunc(one, two)
            out = np.empty_like(expected)
            kernel, _ = arithmetic.division(ufunc.__name__, out.dtype, 1)
            kernel(one, two, out)
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
