"""One result per row: sums, means, variances, extremes, any and all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

__all__ = ["LARGEST_PRODUCT", "PIECE"]

LARGEST_PRODUCT = 2.0**63 * (1 - 1e-9)
"""Products of integers whose magnitude in float64 is below this fit 64 bits, beyond any rounding."""

PIECE = 128
"""Items whose sum is taken from left to right before it is added to the sum of the row: the documented order of addition."""

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
i8: Any = np.int64
f8: Any = np.float64
_FLOATS = ("f4", "f8")
_INTEGERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")

Function = Callable[..., int]


@loop("item* u1* i8* i8 i8 f8*", _FLOATS)
def sum(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): sums of rows first to last, in float64, in pieces of 128 slots."""

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            total = 0.0
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece = 0.0
                for i in range(at, stop):
                    item = f8(values[i])
                    if nulls:
                        item = item if valid[i] != 0 else 0.0
                    piece += item
                total += piece
                at = stop
            out[row] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 wide*", _INTEGERS)
def sum_integers(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): sums that wrap around; returns how many do not fit 64 bits."""
    unsigned = kind == "u"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad = 0
        for row in range(u8(first), u8(last)):
            total, high = i8(0), i8(0)
            low = i8(0)
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                if unsigned:
                    item = i8(u8(values[i]))
                    top = i8(u8(values[i]) >> u8(32))
                else:
                    item = i8(values[i])
                    top = item >> i8(32)
                if nulls:
                    item = item if valid[i] else i8(0)
                    top = top if valid[i] else i8(0)
                total += item
                high += top
                low += item & i8(0xFFFFFFFF)
            high += low >> i8(32)
            if unsigned:
                n_bad += 1 if high > i8(0xFFFFFFFF) else 0
            else:
                n_bad += 1 if high > i8(0x7FFFFFFF) or high < i8(-0x80000000) else 0
            out[row] = total
        return n_bad

    return function


@loop("item* u1* i8* i8 i8 f8*", _FLOATS)
def prod(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): products of rows first to last, in float64, from left to right."""

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            total = 1.0
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                item = f8(values[i])
                if nulls:
                    item = item if valid[i] != 0 else 1.0
                total *= item
            out[row] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 wide*", _INTEGERS)
def prod_integers(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): products that wrap around; returns how many may not fit 64 bits."""
    unsigned = kind == "u"
    limit = LARGEST_PRODUCT * (2.0 if unsigned else 1.0)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad = 0
        for row in range(u8(first), u8(last)):
            total, size = i8(1), 1.0
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                item = i8(u8(values[i])) if unsigned else i8(values[i])
                width = f8(values[i])
                if nulls:
                    item = item if valid[i] != 0 else i8(1)
                    width = width if valid[i] != 0 else 1.0
                total *= item
                size *= width
            n_bad += 0 if abs(size) < limit else 1
            out[row] = total
        return n_bad

    return function


def _extreme(kind: str, nulls: bool, largest: bool) -> Function:
    is_float = kind == "f"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best = loser[0]
            found = u8(0)
            for i in range(begin, end):
                item = values[i]
                better = item > best if largest else item < best
                if nulls:
                    better = better & (valid[i] != 0)
                    found += u8(valid[i])
                best = item if better else best
            if not nulls:
                found = end - begin
            if is_float and found > u8(0) and best == loser[0]:
                # Nothing but NaN and the losing infinity: NaN unless there is such an infinity.
                best = loser[1]
                for i in range(begin, end):
                    if values[i] == loser[0] and (not nulls or valid[i] != 0):
                        best = loser[0]
            out[row] = best if found > u8(0) else loser[2]
            present[row] = found > u8(0)
        return 0

    return function


@loop("item* u1* i8* i8 i8 item* item* u1*")
def max(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): largest items; loser holds what loses always, NaN and 0."""
    return _extreme(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* item* u1*")
def min(kind: str, nulls: bool) -> Function:
    """As `max`, the smallest items."""
    return _extreme(kind, nulls, largest=False)


def _slot(kind: str, nulls: bool, largest: bool) -> Function:
    is_float = kind == "f"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best, slot = loser[0], end
            for i in range(begin, end):
                item = values[i]
                better = item > best if largest else item < best
                if nulls:
                    better = better & (valid[i] != 0)
                best = item if better else best
                slot = i if better else slot
            if slot == end:
                # No item beats the loser: the first item that equals it, else the first item (NaN), else none.
                for i in range(begin, end):
                    if (not nulls or valid[i] != 0) and slot == end and values[i] == loser[0]:
                        slot = i
                if is_float:
                    for i in range(begin, end):
                        if (not nulls or valid[i] != 0) and slot == end:
                            slot = i
            present[row] = slot < end
            out[row] = i8(slot - begin) if slot < end else i8(0)
        return 0

    return function


@loop("item* u1* i8* i8 i8 item* i8* u1*")
def argmax(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): slots of the first largest items."""
    return _slot(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* i8* u1*")
def argmin(kind: str, nulls: bool) -> Function:
    """As `argmax`, of the smallest items."""
    return _slot(kind, nulls, largest=False)


@loop("item* u1* i8* i8 i8 f8*", _FLOATS)
def squares(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): sums of squared deviations from the mean of each row.

    Two passes with the correction term: the squared sum of the deviations, divided by their number, is subtracted.
    """

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            if nulls:
                n = u8(0)
                for i in range(begin, end):
                    n += u8(valid[i])
            total = 0.0
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece = 0.0
                for i in range(at, stop):
                    item = f8(values[i])
                    if nulls:
                        item = item if valid[i] != 0 else 0.0
                    piece += item
                total += piece
                at = stop
            mean = total / f8(n)
            deviations, squared = 0.0, 0.0
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece, piece_squared = 0.0, 0.0
                for i in range(at, stop):
                    item = f8(values[i]) - mean
                    if nulls:
                        item = item if valid[i] != 0 else 0.0
                    piece += item
                    piece_squared += item * item
                deviations += piece
                squared += piece_squared
                at = stop
            out[row] = squared - deviations * deviations / f8(n)
        return 0

    return function
