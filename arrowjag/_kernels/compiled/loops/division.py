"""Floor division, remainder, rounding and square roots of floats, every bit as numpy's, and integers rounded to multiples.

The number minus the floor of the quotient times the divisor is rounded once, so it is exact where the quotient is small. Its sign
tells whether the quotient was rounded up to an integer, so that its floor is one too high. By one number for all, the quotient is a
product with the inverse, which takes a third of the time of a division, and may also be one too low.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.vectors import multiply_add

u8: Any = np.uint64
i8: Any = np.int64
LIMITS = {"f4": 2.0**22, "f8": 2.0**51}
"""The limit of quotients by type: numpy's floors of those beyond may differ by one from the true ones."""
_ARGUMENTS = "item* item* i8 u8 item* item*"

Function = Callable[..., int]


@helper
def floor_of(number: Any, divisor: Any, zero: Any, one: Any) -> Any:
    """The floor of a quotient below the limit."""
    quotient = np.floor(number / divisor)
    rest = multiply_add(-quotient, divisor, number)
    wrong = rest < zero if divisor > zero else rest > zero
    return quotient - one if wrong else quotient


@helper
def rest_of(number: Any, divisor: Any, zero: Any) -> Any:
    """The remainder of a quotient below the limit, with the sign of the divisor."""
    rest = multiply_add(-np.floor(number / divisor), divisor, number)
    wrong = rest < zero if divisor > zero else rest > zero
    rest = rest + divisor if wrong else rest
    return np.copysign(rest, divisor)


@helper
def floor_by_inverse(number: Any, divisor: Any, inverse: Any, sign: Any, one: Any, zero: Any) -> Any:
    """As `floor_of`, by the inverse of the divisor, whose sign is 1 or -1."""
    quotient = np.floor(number * inverse)
    above = quotient + one
    rest = multiply_add(-quotient, divisor, number) * sign
    further = multiply_add(-above, divisor, number) * sign
    quotient = quotient - one if rest < zero else quotient
    return above if further >= zero else quotient


@helper
def rest_by_inverse(number: Any, divisor: Any, inverse: Any, sign: Any, one: Any, zero: Any) -> Any:
    """As `rest_of`, by the inverse of the divisor, whose sign is 1 or -1."""
    quotient = np.floor(number * inverse)
    rest = multiply_add(-quotient, divisor, number)
    further = multiply_add(-(quotient + one), divisor, number)
    rest = rest + divisor if rest * sign < zero else rest
    return np.copysign(further if further * sign >= zero else rest, divisor)


@helper
def is_beyond(number: Any, inverse: Any, limit: Any) -> Any:
    """Whether `floor_by_inverse` may differ from numpy's result: of a quotient beyond the limit, but not of NaN."""
    return (number == number) & (not abs(number * inverse) < limit)


@helper
def is_ordinary(number: Any, divisor: Any, zero: Any, limit: Any) -> Any:
    """Whether `floor_of` and `rest_of` give numpy's results: of NaN, or of a quotient below the limit by a finite divisor."""
    return (number != number) | ((abs(number / divisor) < limit) & (divisor - divisor == zero))


@loop(_ARGUMENTS, tuple(LIMITS))
def floor_divide(kind: str, nulls: bool) -> Function:
    """(values, divisors, by_number, n, limits, out): whether quotients are beyond their limit.

    `limits` are 0, 1 and that of quotients, and for one divisor its inverse, no subnormal number, and its sign.
    """
    del kind, nulls

    def function(values: Any, divisors: Any, by_number: Any, n: Any, limits: Any, out: Any) -> int:
        zero, one, limit = limits[0], limits[1], limits[2]
        n_bad = 0
        if by_number:
            divisor, inverse, sign = divisors[0], limits[3], limits[4]
            is_bad = False
            for i in range(u8(n)):
                out[i] = floor_by_inverse(values[i], divisor, inverse, sign, one, zero)
                is_bad |= is_beyond(values[i], inverse, limit)
            n_bad = 1 if is_bad else 0
        else:
            for i in range(u8(n)):
                out[i] = floor_of(values[i], divisors[i], zero, one)
                n_bad += 0 if is_ordinary(values[i], divisors[i], zero, limit) else 1
        return n_bad

    return function


@loop(_ARGUMENTS, tuple(LIMITS))
def remainder(kind: str, nulls: bool) -> Function:
    """(values, divisors, by_number, n, limits, out): as `floor_divide`."""
    del kind, nulls

    def function(values: Any, divisors: Any, by_number: Any, n: Any, limits: Any, out: Any) -> int:
        zero, one, limit = limits[0], limits[1], limits[2]
        n_bad = 0
        if by_number:
            divisor, inverse, sign = divisors[0], limits[3], limits[4]
            is_bad = False
            for i in range(u8(n)):
                out[i] = rest_by_inverse(values[i], divisor, inverse, sign, one, zero)
                is_bad |= is_beyond(values[i], inverse, limit)
            n_bad = 1 if is_bad else 0
        else:
            for i in range(u8(n)):
                out[i] = rest_of(values[i], divisors[i], zero)
                n_bad += 0 if is_ordinary(values[i], divisors[i], zero, limit) else 1
        return n_bad

    return function


@loop("item* item* i8 i8 item*", ("f4", "f8"))
def rounded(kind: str, nulls: bool) -> Function:
    """(values, limits, decimals, n, out): limits are a power of ten, and from where on all numbers are whole; ties to even."""
    del kind, nulls

    def function(values: Any, limits: Any, decimals: Any, n: Any, out: Any) -> int:
        power, limit = limits[0], limits[1]
        if decimals > 0:
            for i in range(u8(n)):
                scaled = values[i] * power
                out[i] = np.rint(scaled) / power if abs(scaled) < limit else values[i]
        else:
            for i in range(u8(n)):
                scaled = values[i] / power
                out[i] = np.rint(scaled) * power if abs(scaled) < limit else values[i]
        return 0

    return function


@loop("item* i8 item*", ("f4", "f8"))
def square_root(kind: str, nulls: bool) -> Function:
    """(values, n, out): IEEE 754 rounds square roots correctly, so that wider registers than numpy's give the same bits."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(u8(n)):
            out[i] = np.sqrt(values[i])
        return 0

    return function


@loop("item* i8 i8 i8 i8 i8 item*", ("i8",))
def multiples(kind: str, nulls: bool) -> Function:
    """(values, n, step, shift, origin, limit, out): shifted values rounded down to multiples of a step, plus an origin.

    Returns 1 if a shifted value is not below the limit: the quotient by the inverse may then be wrong by more than one.
    """
    del kind, nulls

    def function(values: Any, n: Any, step: Any, shift: Any, origin: Any, limit: Any, out: Any) -> int:
        inverse, is_bad = 1.0 / float(step), False
        for i in range(u8(n)):
            number = values[i] + shift
            is_bad |= (number >= limit) | (number <= -limit)
            lower = i8(np.floor(float(number) * inverse)) * step
            rest = number - lower
            lower = lower - step if rest < 0 else lower
            lower = lower + step if rest >= step else lower
            out[i] = lower + origin
        return 1 if is_bad else 0

    return function
