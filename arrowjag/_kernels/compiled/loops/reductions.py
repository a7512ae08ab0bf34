"""One result per row: sums, means, variances, extremes, any and all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import LARGEST_PRODUCT, PIECE, Nulls, helper, loop
from arrowjag._kernels.compiled.pieces import LONG, sums_in_pieces, sums_of_pieces
from arrowjag._kernels.compiled.validity import SHORT, chosen_of, count_of, flag_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64
_FLOATS = ("f4", "f8")
_INTEGERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")

Function = Callable[..., int]


def _total_of(nulls: Nulls) -> Callable[..., Any]:
    """A function of the sum of some items in pieces of 128 slots, and of how many of them are not null."""
    sums, count, flag, has_nulls = sums_in_pieces((1,), nulls, of_items=True), count_of(nulls), flag_of(nulls), bool(nulls)
    chosen = chosen_of("f", nulls)

    @helper
    def item_at(values: Any, valid: Any, i: Any) -> Any:
        return chosen(f8(values[i]), 0.0, valid, i)

    @helper
    def total_of(values: Any, valid: Any, begin: Any, end: Any) -> Any:
        size = end - begin
        n = u8(0) if has_nulls else size
        total = 0.0
        if size <= u8(SHORT):
            if size > u8(0):
                total += item_at(values, valid, begin)
            if size > u8(1):
                total += item_at(values, valid, begin + u8(1))
            if size > u8(2):
                total += item_at(values, valid, begin + u8(2))
            if size > u8(3):
                total += item_at(values, valid, begin + u8(3))
            if has_nulls:
                n = count(valid, begin, end)
        elif size > u8(LONG):
            total = sums(values, valid, begin, end, 0.0, 0.0)[0]
            if has_nulls:
                n = count(valid, begin, end)
        else:
            at = begin
            while at < end:
                stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                piece = 0.0
                for i in range(at, stop):
                    piece += item_at(values, valid, i)
                    if has_nulls:
                        n += flag(valid, i)
                total += piece
                at = stop
        return total, n

    return total_of


def _row_sum(kind: str, nulls: Nulls) -> Function:
    del kind
    total_of = _total_of(nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            total, _ = total_of(values, valid, u8(offsets[row]), u8(offsets[row + u8(1)]))
            out[row] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 f8*", _FLOATS, bits=True)
def sum(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, out): sums of rows first to last, in float64, in pieces of 128 slots."""
    return _row_sum(kind, nulls)


@loop("item* u1* i8* i8 i8 item*", ("f4",), bits=True)
def rounded_sum(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, out): as `sum`, rounded to the type of the items."""
    return _row_sum(kind, nulls)


@loop("item* u1* i8* i8 i8 item* u1*", _FLOATS, bits=True)
def mean(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, out, there): means of rows, whose sums are those of `sum`, and whether there is one.

    It returns how many rows have no items; their mean is 0.
    """
    del kind
    total_of = _total_of(nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any, there: Any) -> int:
        n_empty = 0
        for row in range(u8(first), u8(last)):
            total, n = total_of(values, valid, u8(offsets[row]), u8(offsets[row + u8(1)]))
            n_empty += 1 if n == u8(0) else 0
            there[row] = n > u8(0)
            out[row] = total / f8(n) if n > u8(0) else 0.0
        return n_empty

    return function


@loop("item* u1* i8 i8 f8*", _FLOATS)
def piece_sums(kind: str, nulls: bool) -> Function:
    """(values, valid, first, last, out): a sum for each piece of the items first to last, then 0 up to a multiple of eight."""
    del kind
    write = sums_of_pieces((1,), nulls, of_items=True)

    def function(values: Any, valid: Any, first: Any, last: Any, out: Any) -> int:
        write(values, valid, u8(first), u8(last), 0.0, 0.0, out)
        return 0

    return function


@loop("item* u1* i8 i8 f8 f8*", _FLOATS)
def piece_squares(kind: str, nulls: bool) -> Function:
    """(values, valid, first, last, mean, out): eight sums of deviations from a mean, eight of their squares, by turns."""
    del kind
    write = sums_of_pieces((1, 2), nulls)

    def function(values: Any, valid: Any, first: Any, last: Any, mean: Any, out: Any) -> int:
        write(values, valid, u8(first), u8(last), 0.0, mean, out)
        return 0

    return function


@loop("item* u1* i8* i8 i8 item*", _FLOATS)
def prod(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): products of rows first to last, in float64, from left to right, then rounded."""
    chosen = chosen_of(kind, nulls)

    @helper
    def factor_at(values: Any, valid: Any, i: Any) -> Any:
        return chosen(f8(values[i]), 1.0, valid, i)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            size, total = end - begin, 1.0
            if size <= u8(SHORT):
                if size > u8(0):
                    total = factor_at(values, valid, begin)
                if size > u8(1):
                    total *= factor_at(values, valid, begin + u8(1))
                if size > u8(2):
                    total *= factor_at(values, valid, begin + u8(2))
                if size > u8(3):
                    total *= factor_at(values, valid, begin + u8(3))
            else:
                for i in range(begin, end):
                    total *= factor_at(values, valid, i)
            out[row] = total
        return 0

    return function


@loop("item* u1* i8* i8 i8 wide*", _INTEGERS)
def prod_integers(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out): products that wrap around; returns how many may not fit 64 bits."""
    unsigned, chosen = kind == "u", chosen_of("i", nulls)
    limit = LARGEST_PRODUCT * (2.0 if unsigned else 1.0)

    @helper
    def factors_at(values: Any, valid: Any, i: Any) -> Any:
        item = chosen(i8(u8(values[i])) if unsigned else i8(values[i]), i8(1), valid, i)
        return item, f8(u8(item)) if unsigned else f8(item)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        n_bad = 0
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n, total, size = end - begin, i8(1), 1.0
            if n <= u8(SHORT):
                if n > u8(0):
                    total, size = factors_at(values, valid, begin)
                if n > u8(1):
                    item, width = factors_at(values, valid, begin + u8(1))
                    total, size = total * item, size * width
                if n > u8(2):
                    item, width = factors_at(values, valid, begin + u8(2))
                    total, size = total * item, size * width
                if n > u8(3):
                    item, width = factors_at(values, valid, begin + u8(3))
                    total, size = total * item, size * width
            else:
                for i in range(begin, end):
                    item, width = factors_at(values, valid, i)
                    total, size = total * item, size * width
            n_bad += 0 if abs(size) < limit else 1
            out[row] = total
        return n_bad

    return function


@loop("item* u1* i8* i8 i8 f8* f8*", _FLOATS)
def squares(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, counts, out): numbers of items, and sums of squared deviations from their mean.

    Two passes with the correction term: the squared sum of the deviations, divided by their number, is subtracted.
    """
    total_of, sums, chosen = _total_of(nulls), sums_in_pieces((1, 2), nulls), chosen_of(kind, nulls)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, counts: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            total, n = total_of(values, valid, begin, end)
            mean = total / f8(n)
            deviations, squared = 0.0, 0.0
            if end - begin > u8(LONG):
                deviations, squared = sums(values, valid, begin, end, 0.0, mean)
            else:
                at = begin
                while at < end:
                    stop = at + u8(PIECE) if end - at > u8(PIECE) else end
                    piece, piece_squared = 0.0, 0.0
                    for i in range(at, stop):
                        item = chosen(f8(values[i]) - mean, 0.0, valid, i)
                        piece += item
                        piece_squared += item * item
                    deviations += piece
                    squared += piece_squared
                    at = stop
            counts[row] = f8(n)
            out[row] = squared - deviations * deviations / f8(n)
        return 0

    return function
