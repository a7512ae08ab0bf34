"""Sums, differences and magnitudes of decimals of 128 bits: pairs of words, the lower one first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing

Function = Callable[..., int]


@loop("item* i8 item* i8 i8 i8 item*", ("u8",))
def added_pairs(kind: str, nulls: bool) -> Function:
    """(x, x_step, y, y_step, subtracts, n, out): sums or differences of pairs; a step is 2, or 0 for one pair for all."""
    del kind, nulls

    def function(x: Any, x_step: Any, y: Any, y_step: Any, subtracts: Any, n: Any, out: Any) -> int:
        turn, carried = (~u8(0), u8(1)) if subtracts else (u8(0), u8(0))  # -x is ~x + 1
        for i in range(u8(n)):
            a, b = i * u8(x_step), i * u8(y_step)
            first, second = x[a], y[b] ^ turn
            low = first + second
            carry = u8(low < first)
            total = low + carried
            carry += u8(total < low)
            out[u8(2) * i] = total
            out[u8(2) * i + u8(1)] = x[a + u8(1)] + (y[b + u8(1)] ^ turn) + carry
        return 0

    return function


@loop("item* i8 item*", ("u8",))
def absolute_pairs(kind: str, nulls: bool) -> Function:
    """(values, n, out): the magnitudes of pairs."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        for i in range(u8(n)):
            low, high = values[u8(2) * i], values[u8(2) * i + u8(1)]
            sign = high >> u8(63)
            turn = u8(0) - sign
            total = (low ^ turn) + sign
            out[u8(2) * i] = total
            out[u8(2) * i + u8(1)] = (high ^ turn) + u8(total < sign)
        return 0

    return function
