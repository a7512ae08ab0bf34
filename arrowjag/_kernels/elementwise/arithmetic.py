"""Division, remainders, powers and square roots, which pyarrow lacks or computes differently for some types."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import empty_like
from arrowjag._kernels.compiled.compiler import has_multiply_add
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.compiled.loops.division import LIMITS

__all__ = [
    "division",
    "floor_divide",
    "power",
    "remainder",
    "remainder_by_number",
    "square_root",
]


_DIGITS = {"f": 24, "d": 53}
_LARGEST = {"f": 2.0**110, "d": 2.0**990}
"""Numbers below this can be split without overflow."""
_LEAST = {char: np.finfo(char).tiny for char in _DIGITS}
"""The smallest numbers that have all digits."""


Division = Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], None]


def division(name: str, dtype: np.dtype[Any], n: int) -> Division:
    """Return a function (numbers, divisors, out) that divides a block of floats.

    Parameters
    ----------
    name : {"floor_divide", "remainder"}
        The operation.
    dtype : float32 or float64
        The type of both operands and of the result.
    n : int
        How many values there are in all blocks.

    Returns
    -------
    callable
        A compiled loop where one is ready, else `floor_divide` or `remainder`. Both give every bit of numpy's results.

    Notes
    -----
    5M float64 by a number take 5 ms of CPU time with the compiled loop, where the plain functions take 10.
    """
    found = find_loop(name, dtype, False, n)
    loop = strategy.loop_of("division", found if found is not None and has_multiply_add() else None)
    plain = functools.partial(_divide_blocks, _PLAIN[name])
    if loop is None:
        return plain
    return functools.partial(_divide_compiled, loop, plain)


def square_root(dtype: np.dtype[Any], n: int) -> Callable[[NDArray[Any], NDArray[Any]], object]:
    """Return a function (items, out) of the square roots of a block, with the bits of np.sqrt.

    Parameters
    ----------
    dtype : float32 or float64
    n : int
        The number of items in all blocks.

    Returns
    -------
    callable

    Notes
    -----
    1M float64 take 0.7 ms of CPU time with the compiled loop, 1.3 with numpy's.
    """
    loop = strategy.loop_of("square_root", find_loop("square_root", dtype, False, n))
    if loop is None:
        return np.sqrt
    return lambda items, out: loop(np.ascontiguousarray(items), len(out), out)


def power(bases: NDArray[Any], exponents: NDArray[Any] | np.generic, out: NDArray[Any]) -> None:
    """The powers of numbers.

    Parameters
    ----------
    bases : array of integers or floats
        As long as `out`, or of a single item.
    exponents : array of their type, or a number without dims
        One exponent per item of `out`, or one for all.
    out : array of their type

    Notes
    -----
    As numpy's operator, which multiplies where the exponent is the number 2: 1M int64 take 0.6 ms of CPU time, np.power 1.0.

    If all items share one exponent, which np.power sees by the stride, it computes square roots and reciprocals in place of powers.
    The bits differ: -0.0 to the power of 0.5 is -0.0 as a square root and 0.0 as a power. An array of one exponent looks as if it
    were shared, so it is doubled.
    """
    if exponents.ndim == 0 and exponents.item() == 2:
        np.square(bases, out=out)
    elif exponents.ndim and len(out) == 1:
        out[:] = np.power(bases.repeat(2), exponents.repeat(2))[:1]
    else:
        np.power(bases, exponents, out=out)


def remainder_by_number(one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """The remainders of integers by one number.

    Parameters
    ----------
    one : array of integers
        As long as `out`, or of a single item.
    two : (1,) array of their type
        Positive.
    out : array of their type

    Notes
    -----
    By the quotients, which numpy divides by multiplication: 1M int32 take 0.5 ms of CPU time, np.remainder 1.7; uint8 0.05 and 1.1.
    """
    _divide_blocks(_rest_by_number, one, two, out)


def _rest_by_number(one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    np.floor_divide(one, two[0], out=out)
    np.multiply(out, two[0], out=out)
    np.subtract(one, out, out=out)


def _divide_compiled(loop: Compiled, plain: Division, one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """Divide by a loop; a block with numbers that it can't divide exactly is divided again."""
    kind, n = out.dtype.type, len(out)
    if len(one) < n:
        one = np.full(n, one[0])
    by_number = len(two) < n
    inverse = kind(1) / two[0]
    if by_number and not _LEAST[out.dtype.char] <= abs(inverse) < np.inf:  # the inverse is too imprecise, or infinite
        two, by_number = np.full(n, two[0]), False
    limits = np.array([0, 1, LIMITS[out.dtype.str[1:]], inverse], kind)
    if loop(np.ascontiguousarray(one), np.ascontiguousarray(two), int(by_number), len(out), limits, out):
        plain(one, two, out)


def _divide_blocks(divide: Division, one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """Divide in blocks that stay in cache."""
    block = strategy.sizes.DIVISION_BYTES // out.itemsize
    for start in range(0, len(out), block):
        part = slice(start, start + block)
        one_part, two_part = (side if len(side) == 1 else side[part] for side in (one, two))
        divide(one_part, two_part, out[part])


def floor_divide(one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """The floors of quotients.

    Parameters
    ----------
    one, two : float32 or float64 arrays of one type
        As long as `out`, or of a single item.
    out : array of their type
        It gets what np.floor_divide gives.

    Notes
    -----
    Made for blocks that stay in cache. 5M float64 by a number take 7 ms of CPU time, numpy's loop 48.
    """
    divisor = _Divisor(two)
    quotient = np.divide(one, two, out=empty_like(out))
    np.floor(quotient, out=out)
    doubtful = out == quotient
    # If the quotient has at most one binary digit behind the point, numpy's floor may be off by one, and this result equals it.
    limit = divisor.limit
    if not (out.max() < limit and out.min() > -limit):
        doubtful |= np.abs(out) >= limit
    if doubtful.any():
        _settle(one, divisor, doubtful, out)


def _settle(a: NDArray[Any], divisor: _Divisor, doubtful: NDArray[np.bool_], out: NDArray[Any]) -> None:
    """Correct the floors that may be one too high."""
    if np.count_nonzero(doubtful) > len(out) // 4:
        divisor.rest(a, out)
        return
    index = np.flatnonzero(doubtful)
    floors = out[index]
    divisor.at(index).rest(a if len(a) == 1 else a[index], floors)
    out[index] = floors


def remainder(one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """The remainders of quotients, with the sign of the divisor.

    Parameters
    ----------
    one, two : float32 or float64 arrays of one type
        As long as `out`, or of a single item.
    out : array of their type
        It gets what np.remainder gives.

    Notes
    -----
    Made for blocks that stay in cache. 5M float64 by a number take 10 ms of CPU time, numpy's loop 42.
    """
    floors = np.divide(one, two, out=empty_like(out))
    np.floor(floors, out=floors)
    _Divisor(two).rest(one, floors, out)


_PLAIN: dict[str, Division] = {"floor_divide": floor_divide, "remainder": remainder}


class _Divisor:
    """The divisors of a block: one number, or one per item."""

    def __init__(self, b: NDArray[Any]) -> None:
        self.b = b
        self.digits = _DIGITS[b.dtype.char]
        self.limit = LIMITS[b.dtype.str[1:]]
        """Quotients from here on are left to numpy."""

    def at(self, index: NDArray[np.int64]) -> _Divisor:
        return self if len(self.b) == 1 else _Divisor(self.b[index])

    def rest(self, a: NDArray[Any], floors: NDArray[Any], out: NDArray[Any] | None = None) -> None:
        """a - floors * b into `out`, after the floors that are one too high have been corrected."""
        b = self.b
        low, high = float(floors.min()), float(floors.max())
        most = math.inf if math.isnan(low) else max(-low, high)
        product = np.multiply(floors, b, out=empty_like(floors))
        redo = self._beyond(floors, product, most)
        rest = np.subtract(a, product, out=empty_like(floors) if out is None else out)
        if not self._is_exact(most):
            # The difference is exact, unless the quotient is 0 or -1 and its product is: so this rounds once, as numpy does.
            rest -= self._error(floors, product, most)
        self._correct(floors, rest)
        if redo is not None:
            some = [part if len(part) == 1 else part[redo] for part in (a, b)]
            floors[redo], rest[redo] = np.floor_divide(*some), np.remainder(*some)

    def _beyond(self, floors: NDArray[Any], product: NDArray[Any], most: float) -> NDArray[np.bool_] | None:
        """The items that are too large for this method or not finite; None if there are none."""
        limit, largest = self.limit, _LARGEST[self.b.dtype.char]
        if most < limit and max(most, 1.0) * max(float(self.b.max()), -float(self.b.min())) < largest:
            return None
        beyond: NDArray[np.bool_] = ~((np.abs(floors) < limit) & (np.abs(self.b) < largest) & (np.abs(product) < largest))
        return beyond

    def _is_exact(self, most: float) -> bool:
        """Whether products with integers up to `most` have no rounding error."""
        if len(self.b) > 1 or not np.isfinite(self.b[0]):
            return False
        digits = abs(float(self.b[0]).as_integer_ratio()[0])
        return bool(most * (digits // (digits & -digits) if digits else 1) < 2.0**self.digits)

    def _error(self, floors: NDArray[Any], product: NDArray[Any], most: float) -> NDArray[Any]:
        """floors * b - product: from halves of both, whose products are exact."""
        high, low = _split(self.b, self.digits)
        small = None
        if most >= 2.0 ** (self.digits // 2):
            floors, small = _split(floors, self.digits)
        error, term = empty_like(floors), empty_like(floors)
        np.multiply(floors, high, out=error)
        error -= product
        error += np.multiply(floors, low, out=term)
        if small is not None:
            error += np.multiply(small, high, out=term)
            error += np.multiply(small, low, out=term)
        return error

    def _correct(self, floors: NDArray[Any], rest: NDArray[Any]) -> None:
        """Correct floors that are one too high: their remainder does not have the sign of b."""
        b = self.b
        if len(b) == 1 and (rest.min() >= 0 if b[0] > 0 else rest.max() <= 0):
            wrong = None
        else:
            wrong = np.copysign(rest, b, out=empty_like(rest)) != rest
        if wrong is not None and wrong.any():
            floors -= wrong
            rest += wrong * b
        if len(b) > 1 or not b[0] > 0:
            np.copysign(rest, b, out=rest)


def _split(data: NDArray[Any], digits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two numbers of half as many digits whose sum each number is (Veltkamp)."""
    low, high = empty_like(data), empty_like(data)
    np.multiply(data, data.dtype.type(2.0 ** ((digits + 1) // 2) + 1), out=low)
    np.subtract(low, data, out=high)
    np.subtract(low, high, out=high)
    return high, np.subtract(data, high, out=low)
