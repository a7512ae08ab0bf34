"""Sums of long rows, several pieces side by side: the same additions in the same order, without waiting for other pieces.

Lanes without a piece of their own add up the first piece once more; their sums are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, helper

__all__ = ["LONG", "long_deviations", "long_total"]

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
f8: Any = np.float64

LONG = 3 * PIECE
"""Rows that are longer are added in lanes: 1M float64 in rows of 1,000 in 0.19 ms instead of 0.45."""


@helper
def long_total(values: Any, begin: Any, end: Any) -> Any:
    """The sum of items without nulls, up to eight pieces side by side."""
    total, at = 0.0, begin
    while end - at > u8(3 * PIECE):
        left = end - at
        full = left >> u8(7)
        full = min(full, u8(8))
        rest = left - full * u8(PIECE) if full < u8(8) else u8(0)
        n = full + u8(1) if rest > u8(0) else full
        s1 = at + u8(1 * PIECE) if n > u8(1) else at
        s2 = at + u8(2 * PIECE) if n > u8(2) else at
        s3 = at + u8(3 * PIECE) if n > u8(3) else at
        s4 = at + u8(4 * PIECE) if n > u8(4) else at
        s5 = at + u8(5 * PIECE) if n > u8(5) else at
        s6 = at + u8(6 * PIECE) if n > u8(6) else at
        s7 = at + u8(7 * PIECE) if n > u8(7) else at
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        e, f, g, h = 0.0, 0.0, 0.0, 0.0
        for i in range(u8(0), rest):
            a += f8(values[at + i])
            b += f8(values[s1 + i])
            c += f8(values[s2 + i])
            d += f8(values[s3 + i])
            e += f8(values[s4 + i])
            f += f8(values[s5 + i])
            g += f8(values[s6 + i])
            h += f8(values[s7 + i])
        # The last piece ends here, if it is shorter than the others.
        tail = b if full == u8(1) else c if full == u8(2) else d if full == u8(3) else e
        tail = f if full == u8(5) else g if full == u8(6) else h if full == u8(7) else tail
        s1 = s1 if full > u8(1) else at
        s2 = s2 if full > u8(2) else at
        s3 = s3 if full > u8(3) else at
        s4 = s4 if full > u8(4) else at
        s5 = s5 if full > u8(5) else at
        s6 = s6 if full > u8(6) else at
        s7 = s7 if full > u8(7) else at
        for i in range(rest, u8(PIECE)):
            a += f8(values[at + i])
            b += f8(values[s1 + i])
            c += f8(values[s2 + i])
            d += f8(values[s3 + i])
            e += f8(values[s4 + i])
            f += f8(values[s5 + i])
            g += f8(values[s6 + i])
            h += f8(values[s7 + i])
        total += a
        total = total + b if full > u8(1) else total
        total = total + c if full > u8(2) else total
        total = total + d if full > u8(3) else total
        total = total + e if full > u8(4) else total
        total = total + f if full > u8(5) else total
        total = total + g if full > u8(6) else total
        total = total + h if full > u8(7) else total
        total = total + tail if rest > u8(0) else total
        at += full * u8(PIECE) + rest
    while at < end:
        stop = at + u8(PIECE) if end - at > u8(PIECE) else end
        piece = 0.0
        for i in range(at, stop):
            piece += f8(values[i])
        total += piece
        at = stop
    return total


@helper
def long_deviations(values: Any, begin: Any, end: Any, mean: Any) -> Any:
    """The sums of deviations and of their squares, up to four pieces side by side."""
    deviations, squared, at = 0.0, 0.0, begin
    while end - at > u8(3 * PIECE):
        left = end - at
        full = left >> u8(7)
        full = min(full, u8(4))
        rest = left - full * u8(PIECE) if full < u8(4) else u8(0)
        lanes = full + u8(1) if rest > u8(0) else full
        s1 = at + u8(1 * PIECE) if lanes > u8(1) else at
        s2 = at + u8(2 * PIECE) if lanes > u8(2) else at
        s3 = at + u8(3 * PIECE) if lanes > u8(3) else at
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        aa, bb, cc, dd = 0.0, 0.0, 0.0, 0.0
        for i in range(u8(0), rest):
            w, x = (f8(values[at + i]) - mean), (f8(values[s1 + i]) - mean)
            y, z = (f8(values[s2 + i]) - mean), (f8(values[s3 + i]) - mean)
            a += w
            b += x
            c += y
            d += z
            aa += w * w
            bb += x * x
            cc += y * y
            dd += z * z
        tail = b if full == u8(1) else c if full == u8(2) else d
        tail_squared = bb if full == u8(1) else cc if full == u8(2) else dd
        s1 = s1 if full > u8(1) else at
        s2 = s2 if full > u8(2) else at
        s3 = s3 if full > u8(3) else at
        for i in range(rest, u8(PIECE)):
            w, x = (f8(values[at + i]) - mean), (f8(values[s1 + i]) - mean)
            y, z = (f8(values[s2 + i]) - mean), (f8(values[s3 + i]) - mean)
            a += w
            b += x
            c += y
            d += z
            aa += w * w
            bb += x * x
            cc += y * y
            dd += z * z
        deviations += a
        squared += aa
        deviations = deviations + b if full > u8(1) else deviations
        squared = squared + bb if full > u8(1) else squared
        deviations = deviations + c if full > u8(2) else deviations
        squared = squared + cc if full > u8(2) else squared
        deviations = deviations + d if full > u8(3) else deviations
        squared = squared + dd if full > u8(3) else squared
        deviations = deviations + tail if rest > u8(0) else deviations
        squared = squared + tail_squared if rest > u8(0) else squared
        at += full * u8(PIECE) + rest
    while at < end:
        stop = at + u8(PIECE) if end - at > u8(PIECE) else end
        a, aa = 0.0, 0.0
        for i in range(at, stop):
            w = f8(values[i]) - mean
            a += w
            aa += w * w
        deviations += a
        squared += aa
        at = stop
    return deviations, squared
