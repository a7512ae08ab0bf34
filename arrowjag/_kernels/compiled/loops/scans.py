"""One result per item, from the items before it in its row: running sums, products, extremes and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import LARGEST_PRODUCT, loop
from arrowjag._kernels.compiled.validity import chosen_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64
_FLOATS = ("f4", "f8")

Function = Callable[..., int]


@loop("item* u1* i8* i8 i8 item*", _FLOATS)
def cumsum(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): running sums in float64, from left to right; a null adds 0."""
    chosen = chosen_of(kind, nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            total = 0.0
            begin = u8(offsets[row])
            for i in range(begin, u8(offsets[row + u8(1)])):
                item = chosen(f8(values[i]), 0.0, valid, i)
                total = item if i == begin else total + item
                out[i] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 wide*", ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
def cumsum_integers(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): running sums that wrap around; returns how many rows leave 64 bits."""
    unsigned, chosen = kind == "u", chosen_of("i", nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad = 0
        for row in range(u8(first), u8(last)):
            total = i8(0)
            bad = False
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                item = chosen(i8(u8(values[i])) if unsigned else i8(values[i]), i8(0), valid, i)
                after = i8(u8(total) + u8(item))  # numba lets LLVM assume that signed sums never overflow
                if unsigned:
                    bad = bad | (u8(after) < u8(total))
                else:
                    bad = bad | (((total ^ after) & (item ^ after)) < 0)
                total = after
                out[i] = total
            n_bad += 1 if bad else 0
        return n_bad

    return function


@loop("item* u1* i8* i8 i8 item*", _FLOATS)
def cumprod(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): running products in float64, from left to right; a null multiplies by 1."""
    chosen = chosen_of(kind, nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            total = 1.0
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                total *= chosen(f8(values[i]), 1.0, valid, i)
                out[i] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 wide*", ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
def cumprod_integers(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): running products that wrap around; returns how many rows may leave 64 bits."""
    unsigned, chosen = kind == "u", chosen_of("i", nulls)
    limit = LARGEST_PRODUCT * (2.0 if unsigned else 1.0)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad = 0
        for row in range(u8(first), u8(last)):
            total, size = i8(1), 1.0
            bad = False
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                item = chosen(i8(u8(values[i])) if unsigned else i8(values[i]), i8(1), valid, i)
                total *= item
                size *= f8(u8(item)) if unsigned else f8(item)
                bad = bad | (not abs(size) < limit)
                out[i] = total
            n_bad += 1 if bad else 0
        return n_bad

    return function


def _running_extreme(kind: str, nulls: bool, largest: bool) -> Function:
    is_float, chosen = kind == "f", chosen_of(kind, nulls)
    by_bits, by_flag = is_float and nulls, not is_float and nulls

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any) -> int:
        zero = loser[2]
        for row in range(u8(first), u8(last)):
            best = loser[1] if is_float else loser[0]  # NaN until there is a number
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                item = values[i]
                if by_bits:
                    item = chosen(f8(item), f8(loser[1]), valid, i)  # NaN, which is no better than a number
                better = item > best if largest else item < best
                if is_float:
                    better = better | (best != best)
                if by_flag:
                    better = better & (valid[i] != 0)
                best = item if better else best
                out[i] = best + zero  # 0.0 in place of -0.0
        return 0

    return function


@loop("item* u1* i8* i8 i8 item* item*")
def cummax(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out): largest items so far; NaN until there is a number."""
    return _running_extreme(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* item*")
def cummin(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out): smallest items so far; NaN until there is a number."""
    return _running_extreme(kind, nulls, largest=False)


@loop("item* u1* i8* i8 i8 u1*")
def peaks(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): whether each run of equal items is above those around it, at its middle item.

    `out` holds 0; nulls are left out. NaN equals nothing, so that neither it nor its neighbours are above others.
    """
    del kind

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            while nulls and begin < end and valid[begin] == 0:
                begin += u8(1)
            if begin == end:
                continue
            level, middle, n_equal, rises = values[begin], begin, u8(1), False
            for i in range(begin + u8(1), end):
                if nulls and valid[i] == 0:
                    continue
                item = values[i]
                if item == level:
                    n_equal += u8(1)
                    if n_equal & u8(1):
                        middle += u8(1)
                        while nulls and valid[middle] == 0:
                            middle += u8(1)
                else:
                    out[middle] = rises & (item < level)
                    rises = item > level
                    level, middle, n_equal = item, i, u8(1)
        return 0

    return function


@loop("item* u1* i8* i8 i8 i8 item* u1*", ("u1", "u2", "u4", "u8"))
def carried(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, from_end, out, there): each null takes the item before it in its row, if there is one.

    From the end it takes the item after it. Returns how many nulls stay.
    """
    del kind

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, from_end: Any, out: Any, there: Any) -> int:
        n_nulls = 0
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            if begin == end:
                continue
            at, step = (end - u8(1), u8(0) - u8(1)) if from_end != 0 else (begin, u8(1))
            item, known = values[at], False
            for _ in range(begin, end):
                is_there = valid[at] != 0 if nulls else True
                item = values[at] if is_there else item
                known = known | is_there
                out[at] = item
                there[at] = known
                n_nulls += 0 if known else 1
                at += step
        return n_nulls

    return function
