"""Sums of long rows, several pieces side by side: the same additions in the same order, without waiting for other pieces.

Lanes without a piece of their own add up the first piece once more; their sums are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, loop

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
f8: Any = np.float64
_FLOATS = ("f4", "f8")

Function = Callable[..., int]


@loop("item* i8* i8 i8 f8*", _FLOATS)
def long_sum(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, out): as `sum`, without nulls, up to eight pieces side by side."""
    del kind, nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        def at_slot(i: Any) -> Any:
            return f8(values[i])

        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
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
                    a += at_slot(at + i)
                    b += at_slot(s1 + i)
                    c += at_slot(s2 + i)
                    d += at_slot(s3 + i)
                    e += at_slot(s4 + i)
                    f += at_slot(s5 + i)
                    g += at_slot(s6 + i)
                    h += at_slot(s7 + i)
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
                    a += at_slot(at + i)
                    b += at_slot(s1 + i)
                    c += at_slot(s2 + i)
                    d += at_slot(s3 + i)
                    e += at_slot(s4 + i)
                    f += at_slot(s5 + i)
                    g += at_slot(s6 + i)
                    h += at_slot(s7 + i)
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
                    piece += at_slot(i)
                total += piece
                at = stop
            out[row] = total
        return 0

    return function


@loop("item* i8* i8 i8 f8*", _FLOATS)
def long_squares(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, out): as `squares`, without nulls, up to four pieces side by side."""
    del kind, nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        def item_at(i: Any) -> Any:
            return f8(values[i])

        def deviation_at(i: Any, mean: Any) -> Any:
            return f8(values[i]) - mean

        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            total, at = 0.0, begin
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
                for i in range(u8(0), rest):
                    a += item_at(at + i)
                    b += item_at(s1 + i)
                    c += item_at(s2 + i)
                    d += item_at(s3 + i)
                tail = b if full == u8(1) else c if full == u8(2) else d
                s1 = s1 if full > u8(1) else at
                s2 = s2 if full > u8(2) else at
                s3 = s3 if full > u8(3) else at
                for i in range(rest, u8(PIECE)):
                    a += item_at(at + i)
                    b += item_at(s1 + i)
                    c += item_at(s2 + i)
                    d += item_at(s3 + i)
                total += a
                total = total + b if full > u8(1) else total
                total = total + c if full > u8(2) else total
                total = total + d if full > u8(3) else total
                total = total + tail if rest > u8(0) else total
                at += full * u8(PIECE) + rest
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                a = 0.0
                for i in range(at, stop):
                    a += item_at(i)
                total += a
                at = stop
            mean = total / f8(n)
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
                    w, x = deviation_at(at + i, mean), deviation_at(s1 + i, mean)
                    y, z = deviation_at(s2 + i, mean), deviation_at(s3 + i, mean)
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
                    w, x = deviation_at(at + i, mean), deviation_at(s1 + i, mean)
                    y, z = deviation_at(s2 + i, mean), deviation_at(s3 + i, mean)
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
                    w = deviation_at(i, mean)
                    a += w
                    aa += w * w
                deviations += a
                squared += aa
                at = stop
            out[row] = squared - deviations * deviations / f8(n)
        return 0

    return function
