"""Sums, differences, magnitudes and comparisons of decimals of 128 bits: pairs of words, the lower one first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop

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


@helper
def is_less(low: Any, high: Any, other_low: Any, other_high: Any) -> Any:
    """1 if one pair is less than another, else 0. A sign bit that is turned lets words compare as signed ones."""
    sign = u8(1) << u8(63)
    return u8((high ^ sign) < (other_high ^ sign)) | (u8(high == other_high) & u8(low < other_low))


@helper
def is_equal(low: Any, high: Any, other_low: Any, other_high: Any) -> Any:
    """1 if two pairs are equal, else 0."""
    return u8(((low ^ other_low) | (high ^ other_high)) == u8(0))


def _byte(compares: Function) -> Function:
    """A function that compares the pairs of a byte."""

    @helper
    def byte_of(x: Any, x_step: Any, y: Any, y_step: Any, at: Any, n: Any) -> Any:
        byte, a, b = u8(0), at * x_step, at * y_step
        for k in range(n):
            byte |= compares(x[a], x[a + u8(1)], y[b], y[b + u8(1)]) << k
            a += x_step
            b += y_step
        return byte

    return byte_of


@loop("item* i8 item* i8 i8 i8 i8 i8 u1*", ("u8",))
def compared_decimals(kind: str, nulls: bool) -> Function:
    """(x, x_step, y, y_step, equals, opposite, first, last, out): bits of which pairs are equal, or less, from bit 0 of `out` on.

    A step is 2, or 0 for one pair for all. With `opposite`, which is 0 or 255, the bits of the others are set.
    """
    del kind, nulls

    less_byte, equal_byte = _byte(is_less), _byte(is_equal)

    def function(x: Any, x_step: Any, y: Any, y_step: Any, equals: Any, opposite: Any, first: Any, last: Any, out: Any) -> int:
        at, end, place, a, b = u8(first), u8(last), u8(0), u8(x_step), u8(y_step)
        while at + u8(8) <= end:
            if equals:
                byte = equal_byte(x, a, y, b, at, u8(8))
            else:
                byte = less_byte(x, a, y, b, at, u8(8))
            out[place] = np.uint8(byte ^ u8(opposite))
            at += u8(8)
            place += u8(1)
        if at < end:
            if equals:
                byte = equal_byte(x, a, y, b, at, end - at)
            else:
                byte = less_byte(x, a, y, b, at, end - at)
            out[place] = np.uint8(byte ^ u8(opposite))
        return 0

    return function
