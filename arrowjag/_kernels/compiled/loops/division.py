"""Floor division, remainder, rounding and square roots of floats, every bit as numpy's, and integers rounded to multiples.

The integer nearest to a quotient is its floor or one more: the sign of the rest, which is rounded once and exact where the quotient
is small, tells which. By one number for all, the quotient is a product with the inverse, in a third of the time of a division.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.vectors import multiply_add

u8: Any = np.uint64
i8: Any = np.int64
LIMITS = {"f4": 2.0**21, "f8": 2.0**50}
"""The limit of quotients by type: those below are rounded twice by a quarter at most, and numpy's floors of them are true."""
_ARGUMENTS = "item* item* i8 u8 item* item*"

Function = Callable[..., int]


@helper
def floor_of(number: Any, quotient: Any, divisor: Any, zero: Any, one: Any) -> Any:
    """The floor of a quotient below the limit, which may be rounded twice."""
    nearest = np.rint(quotient)
    rest = multiply_add(-nearest, divisor, number)
    return nearest - one if rest * np.copysign(one, divisor) < zero else nearest


@helper
def rest_of(number: Any, quotient: Any, divisor: Any, zero: Any, one: Any) -> Any:
    """The remainder of a quotient below the limit, with the sign of the divisor."""
    rest = multiply_add(-np.rint(quotient), divisor, number)
    rest = rest + divisor if rest * np.copysign(one, divisor) < zero else rest
    return np.copysign(rest, divisor)


@helper
def floor_by_positive(number: Any, quotient: Any, divisor: Any, zero: Any, one: Any) -> Any:
    """As `floor_of`, by a positive divisor: a multiplication less."""
    nearest = np.rint(quotient)
    return nearest - one if multiply_add(-nearest, divisor, number) < zero else nearest


@helper
def rest_by_positive(number: Any, quotient: Any, divisor: Any, zero: Any, one: Any) -> Any:
    """As `rest_of`, by a positive divisor: `one` is not needed."""
    rest = multiply_add(-np.rint(quotient), divisor, number)
    return abs(rest + divisor if rest < zero else rest)


@helper
def is_ordinary(number: Any, quotient: Any, divisor: Any, zero: Any, limit: Any) -> Any:
    """Whether `floor_of` and `rest_of` give numpy's results: of NaN, or of a quotient below the limit by a finite divisor."""
    return (number != number) | ((abs(quotient) < limit) & (divisor - divisor == zero))


def _divided(whole: Callable[..., Any], by_positive: Callable[..., Any]) -> Function:
    def function(values: Any, divisors: Any, by_number: Any, n: Any, limits: Any, out: Any) -> int:
        zero, one, limit = limits[0], limits[1], limits[2]
        is_bad = False
        if by_number and divisors[0] > zero:
            divisor, inverse = divisors[0], limits[3]
            for i in range(u8(n)):
                number, quotient = values[i], values[i] * inverse
                is_bad |= abs(quotient) >= limit  # not so of NaN
                out[i] = by_positive(number, quotient, divisor, zero, one)
        elif by_number:
            divisor, inverse = divisors[0], limits[3]
            for i in range(u8(n)):
                number, quotient = values[i], values[i] * inverse
                is_bad |= abs(quotient) >= limit
                out[i] = whole(number, quotient, divisor, zero, one)
        else:
            for i in range(u8(n)):
                number, divisor, quotient = values[i], divisors[i], values[i] / divisors[i]
                is_bad |= not is_ordinary(number, quotient, divisor, zero, limit)
                out[i] = whole(number, quotient, divisor, zero, one)
        return 1 if is_bad else 0

    return function


@loop(_ARGUMENTS, tuple(LIMITS))
def floor_divide(kind: str, nulls: bool) -> Function:
    """(values, divisors, by_number, n, limits, out): whether quotients are beyond their limit.

    `limits` are 0, 1 and that of quotients, and for one divisor its inverse, no subnormal number.
    """
    del kind, nulls
    return _divided(floor_of, floor_by_positive)


@loop(_ARGUMENTS, tuple(LIMITS))
def remainder(kind: str, nulls: bool) -> Function:
    """(values, divisors, by_number, n, limits, out): as `floor_divide`."""
    del kind, nulls
    return _divided(rest_of, rest_by_positive)


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
