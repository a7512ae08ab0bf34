"""Float16, as the integers of its bits: conversions from and to float32, arithmetic that is rounded once, and extremes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop

__all__ = ["CALCULATIONS"]

u2: Any = np.uint16  # Any: numba infers the exact types, so annotations would add nothing
u4: Any = np.uint32
f4: Any = np.float32

Function = Callable[..., int]

CALCULATIONS = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin")
"""The operations of `calculated_halves`, by their numbers."""


@helper
def single_of(half: Any) -> Any:
    """Widen the bits of a float16. A product moves the exponent, and gives subnormal numbers a digit before the point."""
    half = u4(half)
    number = f4(u4(u4(half & u4(0x7FFF)) << u4(13)).view(np.float32) * f4(2.0**112)).view(np.uint32)
    special = u4(0x7F800000) if u4(half & u4(0x7C00)) == u4(0x7C00) else u4(0)  # infinite or NaN
    return u4(u4(number | special) | u4(u4(half & u4(0x8000)) << u4(16))).view(np.float32)


@helper
def half_of(single: Any) -> Any:
    """Round a float32 to the bits of a float16, ties to even: a power of two is added that leaves no more digits."""
    bits = f4(single).view(np.uint32)
    magnitude = u4(bits & u4(0x7FFFFFFF))
    scaled = f4(f4(magnitude.view(np.float32) * f4(2.0**112)) * f4(2.0**-110))  # infinite beyond the largest float16
    exponent = u4(max(u4(bits & u4(0x7F800000)), u4(0x38800000)))
    rounded = f4(scaled + u4(exponent + u4(0x07800000)).view(np.float32)).view(np.uint32)
    half = u4(u4(u4(rounded >> u4(13)) & u4(0x7C00)) + u4(rounded & u4(0x0FFF)))
    half = u4(0x7E00) if magnitude > u4(0x7F800000) else half
    return u2(half | u4(u4(bits >> u4(16)) & u4(0x8000)))


@helper
def extreme_of(half: Any, other: Any, is_first: Any) -> Any:
    """The first of two float16 or the other one, 0 for -0, and NaN as it is after a sum."""
    found = u2(half) if is_first else u2(other)
    found = u2(0) if found == u2(0x8000) else found
    return u2(found | u2(0x0200)) if u2(found & u2(0x7FFF)) > u2(0x7C00) else found


@loop("item* i8 f4*", ("u2",))
def widened(kind: str, nulls: bool) -> Function:
    """(values, n, out): numbers as float32."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(n):
            out[i] = single_of(values[i])
        return 0

    return function


@loop("item* i8 u2*", ("f4",))
def narrowed(kind: str, nulls: bool) -> Function:
    """(values, n, out): float32 rounded to float16."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(n):
            out[i] = half_of(values[i])
        return 0

    return function


@loop("item* item* i8 i8 item*", ("u2",))
def calculated_halves(kind: str, nulls: bool) -> Function:
    """(x, y, calculation, n, out): the result of one of `CALCULATIONS` on pairs of numbers."""
    del kind, nulls

    def function(x: Any, y: Any, calculation: Any, n: Any, out: Any) -> int:
        if calculation == 0:
            for i in range(n):
                out[i] = half_of(single_of(x[i]) + single_of(y[i]))
        elif calculation == 1:
            for i in range(n):
                out[i] = half_of(single_of(x[i]) - single_of(y[i]))
        elif calculation == 2:
            for i in range(n):
                out[i] = half_of(single_of(x[i]) * single_of(y[i]))
        elif calculation == 3:
            for i in range(n):
                out[i] = half_of(single_of(x[i]) / single_of(y[i]))
        elif calculation == 4:
            for i in range(n):
                one, two = single_of(x[i]), single_of(y[i])
                out[i] = extreme_of(x[i], y[i], (one >= two) | (one != one))
        elif calculation == 5:
            for i in range(n):
                one, two = single_of(x[i]), single_of(y[i])
                out[i] = extreme_of(x[i], y[i], (one <= two) | (one != one))
        elif calculation == 6:
            for i in range(n):
                one, two = single_of(x[i]), single_of(y[i])
                out[i] = extreme_of(x[i], y[i], (one >= two) | (two != two))
        else:
            for i in range(n):
                one, two = single_of(x[i]), single_of(y[i])
                out[i] = extreme_of(x[i], y[i], (one <= two) | (two != two))
        return 0

    return function
