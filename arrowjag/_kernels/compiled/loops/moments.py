"""Sums of distances from a number, and of their powers, four pieces of a row side by side: no addition waits for another piece.

Each piece is added from left to right, then the sums of the pieces, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, helper

__all__ = ["distances_of", "powers_of"]

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
f8: Any = np.float64

Function = Callable[..., Any]


def _distance_of(nulls: bool) -> Function:
    @helper
    def distance(values: Any, valid: Any, i: Any, origin: Any) -> Any:
        item = f8(values[i]) - origin
        if nulls:
            item = item if valid[i] != 0 else 0.0
        return item

    return distance


def distances_of(nulls: bool) -> Function:
    """A function of the sum of the distances of items from an origin; a null adds 0."""
    distance = _distance_of(nulls)

    @helper
    def distances(values: Any, valid: Any, begin: Any, end: Any, origin: Any) -> Any:
        total, at = 0.0, begin
        while end - at > u8(3 * PIECE):
            s1, s2, s3 = at + u8(PIECE), at + u8(2 * PIECE), at + u8(3 * PIECE)
            rest = min(end - s3, u8(PIECE))
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for i in range(u8(0), rest):
                a += distance(values, valid, at + i, origin)
                b += distance(values, valid, s1 + i, origin)
                c += distance(values, valid, s2 + i, origin)
                d += distance(values, valid, s3 + i, origin)
            for i in range(rest, u8(PIECE)):
                a += distance(values, valid, at + i, origin)
                b += distance(values, valid, s1 + i, origin)
                c += distance(values, valid, s2 + i, origin)
            total += a
            total += b
            total += c
            total += d
            at = s3 + rest
        while at < end:
            stop = at + u8(PIECE) if end - at > u8(PIECE) else end
            piece = 0.0
            for i in range(at, stop):
                piece += distance(values, valid, i, origin)
            total += piece
            at = stop
        return total

    return distances


def powers_of(nulls: bool) -> Function:
    """A function of the sums of second, third and fourth powers of deviations: distances from an origin, less their mean."""

    @helper
    def deviation(values: Any, valid: Any, i: Any, origin: Any, mean: Any) -> Any:
        item = (f8(values[i]) - origin) - mean
        if nulls:
            item = item if valid[i] != 0 else 0.0
        return item

    @helper
    def powers(values: Any, valid: Any, begin: Any, end: Any, origin: Any, mean: Any) -> Any:
        sum2, sum3, sum4, at = 0.0, 0.0, 0.0, begin
        while end - at > u8(3 * PIECE):
            s1, s2, s3 = at + u8(PIECE), at + u8(2 * PIECE), at + u8(3 * PIECE)
            rest = min(end - s3, u8(PIECE))
            a2, b2, c2, d2 = 0.0, 0.0, 0.0, 0.0
            a3, b3, c3, d3 = 0.0, 0.0, 0.0, 0.0
            a4, b4, c4, d4 = 0.0, 0.0, 0.0, 0.0
            for i in range(u8(0), rest):
                a, b = deviation(values, valid, at + i, origin, mean), deviation(values, valid, s1 + i, origin, mean)
                c, d = deviation(values, valid, s2 + i, origin, mean), deviation(values, valid, s3 + i, origin, mean)
                aa, bb, cc, dd = a * a, b * b, c * c, d * d
                a2 += aa
                b2 += bb
                c2 += cc
                d2 += dd
                aa, bb, cc, dd = aa * a, bb * b, cc * c, dd * d
                a3 += aa
                b3 += bb
                c3 += cc
                d3 += dd
                a4 += aa * a
                b4 += bb * b
                c4 += cc * c
                d4 += dd * d
            for i in range(rest, u8(PIECE)):
                a, b = deviation(values, valid, at + i, origin, mean), deviation(values, valid, s1 + i, origin, mean)
                c = deviation(values, valid, s2 + i, origin, mean)
                aa, bb, cc = a * a, b * b, c * c
                a2 += aa
                b2 += bb
                c2 += cc
                aa, bb, cc = aa * a, bb * b, cc * c
                a3 += aa
                b3 += bb
                c3 += cc
                a4 += aa * a
                b4 += bb * b
                c4 += cc * c
            sum2 = sum2 + a2 + b2 + c2 + d2
            sum3 = sum3 + a3 + b3 + c3 + d3
            sum4 = sum4 + a4 + b4 + c4 + d4
            at = s3 + rest
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
