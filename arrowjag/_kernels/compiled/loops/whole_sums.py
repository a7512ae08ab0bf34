"""Sums and means of the integers of each row, and whether a sum leaves 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import LARGEST_PRODUCT, Nulls, helper, loop
from arrowjag._kernels.compiled.validity import SHORT, chosen_of, count_of, word_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64
_INTEGERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")

Function = Callable[..., int]


def _row_sum_of_integers(kind: str, nulls: Nulls, is_mean: bool) -> Function:
    unsigned, has_nulls, of_bits = kind == "u", bool(nulls), nulls == "bits"
    count, chosen = count_of(nulls), chosen_of("i", nulls)
    limit = LARGEST_PRODUCT * (2.0 if unsigned else 1.0)

    @helper
    def as_i8(item: Any) -> Any:
        return i8(u8(item)) if unsigned else i8(item)

    @helper
    def item_at(values: Any, valid: Any, i: Any) -> Any:
        return chosen(as_i8(values[i]), i8(0), valid, i)

    @helper
    def bits_of(item: Any) -> Any:
        return item if unsigned else item ^ (item >> i8(63))

    @helper
    def leaves_64_bits(values: Any, valid: Any, begin: Any, end: Any) -> Any:
        """Add up the halves of 32 bits of each item apart, which is exact."""
        high, low = i8(0), i8(0)
        for i in range(begin, end):
            item = item_at(values, valid, i)
            high += i8(u8(item) >> u8(32)) if unsigned else item >> i8(32)
            low += item & i8(0xFFFFFFFF)
        high += low >> i8(32)
        return high > i8(0xFFFFFFFF) if unsigned else (high > i8(0x7FFFFFFF)) | (high < i8(-0x80000000))

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad, n_empty = 0, 0
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            total, seen = i8(0), i8(0)
            size = end - begin
            if size <= u8(SHORT):
                if size > u8(0):
                    item = item_at(values, valid, begin)
                    total += item
                    seen |= bits_of(item)
                if size > u8(1):
                    item = item_at(values, valid, begin + u8(1))
                    total += item
                    seen |= bits_of(item)
                if size > u8(2):
                    item = item_at(values, valid, begin + u8(2))
                    total += item
                    seen |= bits_of(item)
                if size > u8(3):
                    item = item_at(values, valid, begin + u8(3))
                    total += item
                    seen |= bits_of(item)
            else:
                at = begin
                if of_bits:  # LLVM turns a loop over the bits of one word into vectors
                    while end - at >= u8(64):
                        word = word_of(valid, at)
                        for k in range(u8(64)):
                            item = as_i8(values[at + k]) & -i8((word >> k) & u8(1))
                            total += item
                            seen |= bits_of(item)
                        at += u8(64)
                for i in range(at, end):
                    item = item_at(values, valid, i)
                    total += item
                    seen |= bits_of(item)
            if ((u8(seen) | size) >> u8(31)) != u8(0) and (f8(u8(seen)) + 1.0) * f8(size) >= limit:
                n_bad += 1 if leaves_64_bits(values, valid, begin, end) else 0  # so large an item, so often, would not fit
            if is_mean:
                n = size
                if has_nulls:
                    n = count(valid, begin, end)
                n_empty += 1 if n == u8(0) else 0
                whole = f8(u8(total)) if unsigned else f8(total)
                out[row] = whole / f8(n) if n > u8(0) else np.nan
            else:
                out[row] = total
        if is_mean:
            return -1 if n_bad > 0 else n_empty
        return n_bad

    return function


@loop("item* u1* i8* i8 i8 wide*", _INTEGERS, bits=True)
def sum_integers(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, out): sums that wrap around; returns how many do not fit 64 bits."""
    return _row_sum_of_integers(kind, nulls, is_mean=False)


@loop("item* u1* i8* i8 i8 f8*", _INTEGERS, bits=True)
def mean_integers(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, out): means of rows, whose sums are rounded once; NaN for rows without items.

    It returns how many of these there are, and -1 if a sum does not fit 64 bits.
    """
    return _row_sum_of_integers(kind, nulls, is_mean=True)
