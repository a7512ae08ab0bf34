"""Sums of distances from a number, and of the powers of deviations: each piece from left to right, then the sums of the pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, helper
from arrowjag._kernels.compiled.pieces import LONG, sums_in_pieces
from arrowjag._kernels.compiled.validity import chosen_of

__all__ = ["distances_of", "powers_of"]

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
f8: Any = np.float64

Function = Callable[..., Any]


def _deviation_of(nulls: bool) -> Function:
    chosen = chosen_of("f", nulls)

    @helper
    def deviation(values: Any, valid: Any, i: Any, origin: Any, mean: Any) -> Any:
        return chosen((f8(values[i]) - origin) - mean, 0.0, valid, i)

    return deviation


def distances_of(nulls: bool) -> Function:
    """A function of the sum of the distances of items from an origin; a null adds 0."""
    deviation, sums = _deviation_of(nulls), sums_in_pieces((1,), nulls)

    @helper
    def distances(values: Any, valid: Any, begin: Any, end: Any, origin: Any) -> Any:
        if end - begin > u8(LONG):
            return sums(values, valid, begin, end, origin, 0.0)[0]
        total, at = 0.0, begin
        while at < end:
            stop = at + u8(PIECE) if end - at > u8(PIECE) else end
            piece = 0.0
            for i in range(at, stop):
                piece += deviation(values, valid, i, origin, 0.0)
            total += piece
            at = stop
        return total

    return distances


def powers_of(nulls: bool) -> Function:
    """A function of the sums of second, third and fourth powers of deviations: distances from an origin, less their mean."""
    deviation, sums = _deviation_of(nulls), sums_in_pieces((2, 3, 4), nulls)

    @helper
    def powers(values: Any, valid: Any, begin: Any, end: Any, origin: Any, mean: Any) -> Any:
        if end - begin > u8(LONG):
            return sums(values, valid, begin, end, origin, mean)
        sum2, sum3, sum4, at = 0.0, 0.0, 0.0, begin
        while at < end:
            stop = at + u8(PIECE) if end - at > u8(PIECE) else end
            a2, a3, a4 = 0.0, 0.0, 0.0
            for i in range(at, stop):
                a = deviation(values, valid, i, origin, mean)
                aa = a * a
                a2 += aa
                aa *= a
                a3 += aa
                a4 += aa * a
            sum2 += a2
            sum3 += a3
            sum4 += a4
            at = stop
        return sum2, sum3, sum4

    return powers
