"""Conversions between float16, as the integers of its bits, and float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u2: Any = np.uint16  # Any: numba infers the exact types, so annotations would add nothing
u4: Any = np.uint32
f4: Any = np.float32

Function = Callable[..., int]


@loop("item* i8 u4*", ("u2",))
def widened(kind: str, nulls: bool) -> Function:
    """(values, n, out): the bits of float32. A product moves the exponent, and gives subnormal numbers a digit before the point."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(n):
            half = u4(values[i])
            digits = u4(u4(half & u4(0x7FFF)) << u4(13))
            number = f4(digits.view(np.float32) * f4(2.0**112)).view(np.uint32)
            is_special = u4(half & u4(0x7C00)) == u4(0x7C00)  # infinite or NaN
            exponent = u4(0x7F800000) if is_special else u4(0)
            sign = u4(u4(half & u4(0x8000)) << u4(16))
            out[i] = u4(u4(number | exponent) | sign)
        return 0

    return function


@loop("item* i8 u2*", ("u4",))
def narrowed(kind: str, nulls: bool) -> Function:
    """(values, n, out): the bits of float32 rounded to float16, ties to even, as `to_halves` says."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(n):
            bits = u4(values[i])
            magnitude = u4(bits & u4(0x7FFFFFFF))
            scaled = f4(f4(magnitude.view(np.float32) * f4(2.0**112)) * f4(2.0**-110))
            exponent = u4(max(u4(bits & u4(0x7F800000)), u4(0x38800000)))
            digits = u4(exponent + u4(0x07800000)).view(np.float32)
            rounded = f4(scaled + digits).view(np.uint32)
            half = u4(u4(u4(rounded >> u4(13)) & u4(0x7C00)) + u4(rounded & u4(0x0FFF)))
            half = u4(0x7E00) if magnitude > u4(0x7F800000) else half
            out[i] = u2(half | u4(u4(bits >> u4(16)) & u4(0x8000)))
        return 0

    return function
