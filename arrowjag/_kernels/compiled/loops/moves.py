"""Items that are moved and not looked at: rows taken, slices of rows, rows reversed, items put group by group.

Text is copied 32 bytes at a time, as far as both ends have room: the next item overwrites the excess. `limit` is
where the bytes of a thread end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.words import load_word, prefetch, store_word

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
_BITS = ("u1", "u2", "u4", "u8")

AHEAD = 16
"""The distance of the row whose first item is fetched: rows of texts taken in any order take 2.6 ms instead of 4.9."""

FEW = 32
"""The most items that are copied without a loop of their own."""

RUN = u8(32)
"""Bytes of a text that are copied at once."""

BACK = u8(2**64 - 1)
"""A step of -1, as numbers without a sign add it."""

Function = Callable[..., int]


@loop("item* i8* u1* i8 i8 i8* i8*", ("i8", "i4"))
def taken_rows(kind: str, nulls: bool) -> Function:
    """(offsets, rows, valid, first, last, begins, taken): where the rows taken begin, and their sizes added up; returns the sum.

    The entry of `taken` after that of a row is written.
    """

    def function(offsets: Any, rows: Any, valid: Any, first: Any, last: Any, begins: Any, taken: Any) -> int:
        total = i8(0)
        for i in range(u8(first), u8(last)):
            begin = i8(0)
            if not nulls or valid[i] != 0:
                row = u8(rows[i])
                begin = i8(offsets[row])
                total += i8(offsets[row + u8(1)]) - begin
            begins[i] = begin
            taken[i + u8(1)] = total
        n_items: int = total
        return n_items

    return function


@loop("item* i8 i8 i8 i8 i8* i8*", ("i8",))
def sliced_rows(kind: str, nulls: bool) -> Function:
    """(offsets, start, stop, first, last, begins, taken): as `taken_rows`, of the items from `start` to before `stop` of each row.

    A negative bound counts from the end of the row.
    """
    del kind, nulls

    def function(offsets: Any, start: Any, stop: Any, first: Any, last: Any, begins: Any, taken: Any) -> int:
        total = i8(0)
        for row in range(u8(first), u8(last)):
            before, after = i8(offsets[row]), i8(offsets[row + u8(1)])
            begin = min(before + start, after) if start >= i8(0) else max(after + start, before)
            end = min(before + stop, after) if stop >= i8(0) else after + stop
            total += max(end - begin, i8(0))
            begins[row] = begin
            taken[row + u8(1)] = total
        n_items: int = total
        return n_items

    return function


@helper
def copy_ends(values: Any, x: Any, step: Any, n: Any, out: Any, at: Any, width: Any) -> None:
    """Copy the first items and the last ones, `width` of each, which together are all."""
    rest = n - width
    for k in range(width):
        out[at + k] = values[x + k * step]
    for k in range(width):
        out[at + rest + k] = values[x + (rest + k) * step]


@helper
def copy_few(values: Any, x: Any, step: Any, n: Any, out: Any, at: Any) -> None:
    """Copy at most FEW items from x on, a step of 1 or -1 apart, as two runs of fixed length, which overlap.

    A branch for each length would be mispredicted: 1M items in rows of Poisson length 6 take 0.8 ms instead of 2.
    """
    if n < u8(4):
        if n > u8(0):
            middle, last = n >> u8(1), n - u8(1)
            out[at] = values[x]
            out[at + middle] = values[x + middle * step]
            out[at + last] = values[x + last * step]
    elif n <= u8(8):
        copy_ends(values, x, step, n, out, at, u8(4))
    elif n <= u8(16):
        copy_ends(values, x, step, n, out, at, u8(8))
    else:
        copy_ends(values, x, step, n, out, at, u8(16))


@helper
def copy_row(values: Any, x: Any, n: Any, out: Any, at: Any) -> None:
    """Copy n items from x on."""
    if n <= u8(FEW):
        copy_few(values, x, u8(1), n, out, at)
    else:
        for k in range(n):
            out[at + k] = values[x + k]


@helper
def copy_words(data: Any, x: Any, out: Any, at: Any) -> None:
    """Copy RUN bytes from x on."""
    a, b = load_word(data, x), load_word(data, x + u8(8))
    c, d = load_word(data, x + u8(16)), load_word(data, x + u8(24))
    store_word(out, at, a)
    store_word(out, at + u8(8), b)
    store_word(out, at + u8(16), c)
    store_word(out, at + u8(24), d)


@helper
def copied(data: Any, size: Any, x: Any, n: Any, out: Any, limit: Any, at: Any) -> Any:
    """Copy n bytes from x on, of `size` bytes in all, and return the place behind them in the result.

    The last 32 bytes of a long text overlap those before. 80,000 rows of ten texts of 60 to 200 bytes are reversed in 25 ms,
    eight bytes at a time in 48.
    """
    after = at + n
    if n > RUN:
        last = after - RUN
        copy_words(data, x + (n - RUN), out, last)
        while at < last:
            copy_words(data, x, out, at)
            at += RUN
            x += RUN
    elif (x + RUN <= size) & (at + RUN <= limit):
        copy_words(data, x, out, at)
    else:
        while at < after:
            out[at] = data[x]
            at += u8(1)
            x += u8(1)
    return after


@loop("item* u1* i8* i8* i8 i8 item* u1*", _BITS)
def taken_items(kind: str, nulls: bool) -> Function:
    """(values, valid, begins, taken, first, last, out, there): the items of the rows taken, and their flags.

    `taken` tells where each row goes.
    """
    del kind

    def function(values: Any, valid: Any, begins: Any, taken: Any, first: Any, last: Any, out: Any, there: Any) -> int:
        for i in range(u8(first), u8(last)):
            if i + u8(AHEAD) < u8(last):
                prefetch(values, u8(begins[i + u8(AHEAD)]))
            x, at = u8(begins[i]), u8(taken[i])
            n = u8(taken[i + u8(1)]) - at
            copy_row(values, x, n, out, at)
            if nulls:
                copy_row(valid, x, n, there, at)
        return 0

    return function


@loop("item* u1* i8* i8* i8* i8 i8 item* u1*", _BITS)
def placed_items(kind: str, nulls: bool) -> Function:
    """(values, valid, begins, ends, places, first, last, out, there): spans of items and their flags, and the place of each."""
    del kind

    def function(values: Any, valid: Any, begins: Any, ends: Any, places: Any, first: Any, last: Any, out: Any, there: Any) -> int:
        for row in range(u8(first), u8(last)):
            x, at = u8(begins[row]), u8(places[row])
            n = u8(ends[row]) - x
            copy_row(values, x, n, out, at)
            if nulls:
                copy_row(valid, x, n, there, at)
        return 0

    return function


@loop("item* i8* i8* i8 i8 i8* i8* i8*", ("i8",))
def taken_cuts(kind: str, nulls: bool) -> Function:
    """(cuts, begins, taken, first, last, places, starts, out): as `taken_items`, of where items of bytes begin.

    `places` are where the bytes of each row begin, and `starts` where they go, added up from `first` on; the entry after that of a
    row is written. Returns the number of bytes.
    """
    del kind, nulls

    def function(cuts: Any, begins: Any, taken: Any, first: Any, last: Any, places: Any, starts: Any, out: Any) -> int:
        total = i8(0)
        for i in range(u8(first), u8(last)):
            if i + u8(AHEAD) < u8(last):
                prefetch(cuts, u8(begins[i + u8(AHEAD)]))
            at, x = u8(taken[i]), u8(begins[i])
            n = u8(taken[i + u8(1)]) - at
            place = i8(0)
            if n > u8(0):
                place = i8(cuts[x])
                shift = total - place
                total = i8(cuts[x + n]) + shift
                out[at] = place + shift
                if n <= u8(4):
                    if n > u8(1):
                        out[at + u8(1)] = i8(cuts[x + u8(1)]) + shift
                    if n > u8(2):
                        out[at + u8(2)] = i8(cuts[x + u8(2)]) + shift
                    if n > u8(3):
                        out[at + u8(3)] = i8(cuts[x + u8(3)]) + shift
                else:
                    for k in range(u8(1), n):
                        out[at + k] = i8(cuts[x + k]) + shift
            places[i] = place
            starts[i + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function


@loop("item* i8 i8* i8* i8 i8 i8 item*", ("u1",))
def taken_bytes(kind: str, nulls: bool) -> Function:
    """(data, size, begins, taken, first, last, limit, out): as `taken_items`, of bytes; there are `size` of them."""
    del nulls

    def function(data: Any, size: Any, begins: Any, taken: Any, first: Any, last: Any, limit: Any, out: Any) -> int:
        for i in range(u8(first), u8(last)):
            if i + u8(AHEAD) < u8(last):
                prefetch(data, u8(begins[i + u8(AHEAD)]))
            at, end = u8(taken[i]), u8(taken[i + u8(1)])
            copied(data, u8(size), u8(begins[i]), end - at, out, u8(limit), at)
        return 0

    return function


@helper
def reverse_row(values: Any, begin: Any, end: Any, out: Any) -> None:
    """Copy the items of a row from its last to its first."""
    if end - begin <= u8(FEW):
        copy_few(values, end - u8(1), BACK, end - begin, out, begin)
    else:
        for k in range(end - begin):
            out[begin + k] = values[end - u8(1) - k]


@loop("item* u1* i8* i8 i8 item* u1*", _BITS)
def reversed_items(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, out, there): the items of each row and their flags from its last to its first."""
    del kind

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any, there: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            reverse_row(values, begin, end, out)
            if nulls:
                reverse_row(valid, begin, end, there)
        return 0

    return function


@loop("item* i8 i8* i8* i8 i8 i8* item*", ("u1",))
def reversed_bytes(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, offsets, first, last, starts, out): as `reversed_items`, of items of bytes, and where each begins."""
    del nulls

    def function(data: Any, size: Any, cuts: Any, offsets: Any, first: Any, last: Any, starts: Any, out: Any) -> int:
        base = u8(cuts[u8(0)])
        limit = u8(cuts[u8(offsets[u8(last)])]) - base
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            at = u8(cuts[begin]) - base
            for k in range(u8(0), end - begin):
                i = end - u8(1) - k
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                starts[begin + k] = i8(at)
                at = copied(data, u8(size), x, stop - x, out, limit, at)
        return 0

    return function


@loop("item* i8* i8 i8 i8* i8* i8*", ("i8",))
def grouped_items(kind: str, nulls: bool) -> Function:
    """(firsts, offsets, first, last, places, cuts, out): items group by group, and where each group ends; returns how many.

    `firsts` are those of `first_occurrences`. The first entry of `cuts` is not written.
    """
    del nulls

    def function(firsts: Any, offsets: Any, first: Any, last: Any, places: Any, cuts: Any, out: Any) -> int:
        group, at = u8(0), i8(0)
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            for i in range(begin, end):
                of_group = firsts[i]
                if of_group >= i8(0):
                    places[u8(of_group)] = i8(1) if of_group == i8(i) else i8(places[u8(of_group)]) + i8(1)
            for i in range(begin, end):
                if firsts[i] == i8(i):
                    n = i8(places[i])
                    places[i] = at
                    at += n
                    group += u8(1)
                    cuts[group] = at
            for i in range(begin, end):
                of_group = firsts[i]
                if of_group >= i8(0):
                    place = i8(places[u8(of_group)])
                    out[u8(place)] = i8(i)
                    places[u8(of_group)] = place + i8(1)
        n_groups: int = i8(group)
        return n_groups

    return function
