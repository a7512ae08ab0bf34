"""Items that are moved and not looked at: rows taken, rows reversed, one item spread over its row, items put group by group.

Text is copied eight bytes at a time, as far as both ends have room: the next item overwrites the excess. `limit` is
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

Function = Callable[..., int]


@loop("item* i8* u1* i8 i8 i8* i8*", ("i8",))
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


@helper
def copy_row(values: Any, x: Any, n: Any, out: Any, at: Any) -> None:
    """Copy n items from x on; without a loop two rows of three are copied in the time of one."""
    if n <= u8(4):
        if n > u8(0):
            out[at] = values[x]
        if n > u8(1):
            out[at + u8(1)] = values[x + u8(1)]
        if n > u8(2):
            out[at + u8(2)] = values[x + u8(2)]
        if n > u8(3):
            out[at + u8(3)] = values[x + u8(3)]
    else:
        for k in range(u8(0), n):
            out[at + k] = values[x + k]


@loop("item* i8* i8* i8 i8 item*", _BITS)
def taken_items(kind: str, nulls: bool) -> Function:
    """(values, begins, taken, first, last, out): the items of the rows taken; `taken` tells where each row goes."""
    del kind, nulls

    def function(values: Any, begins: Any, taken: Any, first: Any, last: Any, out: Any) -> int:
        for i in range(u8(first), u8(last)):
            if i + u8(AHEAD) < u8(last):
                prefetch(values, u8(begins[i + u8(AHEAD)]))
            at = u8(taken[i])
            copy_row(values, u8(begins[i]), u8(taken[i + u8(1)]) - at, out, at)
        return 0

    return function


@loop("item* i8* i8* i8* i8 i8 item*", _BITS)
def placed_items(kind: str, nulls: bool) -> Function:
    """(values, begins, ends, places, first, last, out): spans of items, and the place of each in `out`."""
    del kind, nulls

    def function(values: Any, begins: Any, ends: Any, places: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            x = u8(begins[row])
            copy_row(values, x, u8(ends[row]) - x, out, u8(places[row]))
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
            if at < end:
                x = u8(begins[i])
                if (x + (end - at) + u8(32) <= u8(size)) & (end + u8(32) <= u8(limit)):
                    a, b = load_word(data, x), load_word(data, x + u8(8))
                    c, d = load_word(data, x + u8(16)), load_word(data, x + u8(24))
                    store_word(out, at, a)
                    store_word(out, at + u8(8), b)
                    store_word(out, at + u8(16), c)
                    store_word(out, at + u8(24), d)
                    at += u8(32)
                    x += u8(32)
                    while at < end:
                        store_word(out, at, load_word(data, x))
                        at += u8(8)
                        x += u8(8)
                else:
                    while at < end:
                        out[at] = data[x]
                        at += u8(1)
                        x += u8(1)
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8 i8 i8*", ("i8",))
def numbered(kind: str, nulls: bool) -> Function:
    """(starts, offsets, step, first, last, begin, end, out): numbers from the start of each row on, a step apart.

    Of the items from `begin` to before `end`, which are those of the rows from `first` to before `last`.
    """
    del kind, nulls

    def function(starts: Any, offsets: Any, step: Any, first: Any, last: Any, begin: Any, end: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            low, high = max(i8(offsets[row]), begin), min(i8(offsets[row + u8(1)]), end)
            at = u8(low - begin)
            number = starts[row] + (low - i8(offsets[row])) * step
            if low + i8(4) <= end:  # the next rows overwrite the excess: a branch for each length would be mispredicted
                for k in range(4):
                    out[at + u8(k)] = number + i8(k) * step
                if high - low <= i8(4):
                    continue
            for i in range(low, high):
                out[u8(i - begin)] = number + (i - low) * step
        return 0

    return function


@loop("item* i8* i8 i8 item*", _BITS)
def reversed_items(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, out): the items of each row from its last to its first."""
    del nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            for k in range(u8(0), end - begin):
                out[begin + k] = values[end - u8(1) - k]
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
                after = at + (stop - x)
                if (stop + u8(8) <= u8(size)) & (after + u8(8) <= limit):
                    while at < after:
                        store_word(out, at, load_word(data, x))
                        at += u8(8)
                        x += u8(8)
                else:
                    while at < after:
                        out[at] = data[x]
                        at += u8(1)
                        x += u8(1)
                at = after
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8 item*", _BITS)
def spread_items(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, start, stop, out): the item of each row, for its places from `start` to before `stop`."""
    del nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, start: Any, stop: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = max(u8(offsets[row]), u8(start)), min(u8(offsets[row + u8(1)]), u8(stop))
            item = values[row]
            if end + u8(8) <= u8(stop):  # the next rows overwrite the excess: a branch for each length would be mispredicted
                while begin < end:
                    for k in range(8):
                        out[begin - u8(start) + u8(k)] = item
                    begin += u8(8)
            else:
                for i in range(begin, end):
                    out[i - u8(start)] = item
        return 0

    return function


@loop("item* i8 i8 i8 item*", _BITS)
def repeated_items(kind: str, nulls: bool) -> Function:
    """(values, count, first, last, out): each item as often as `count` says."""
    del kind, nulls

    def function(values: Any, count: Any, first: Any, last: Any, out: Any) -> int:
        n = u8(count)
        at = u8(first) * n
        if n < u8(8):
            for i in range(u8(first), u8(last)):
                item = values[i]
                for _ in range(n):
                    out[at] = item
                    at += u8(1)
        else:  # eight at a time
            for i in range(u8(first), u8(last)):
                item = values[i]
                for k in range(n):
                    out[at + k] = item
                at += n
        return 0

    return function


@loop("item* i8* i8 i8 i8* i8* i8*", ("i8",))
def grouped_items(kind: str, nulls: bool) -> Function:
    """(leaders, offsets, first, last, places, cuts, out): items group by group, and where each group ends; returns how many.

    `leaders` are those of `leaders`. The first entry of `cuts` is not written.
    """
    del nulls

    def function(leaders: Any, offsets: Any, first: Any, last: Any, places: Any, cuts: Any, out: Any) -> int:
        group, at = u8(0), i8(0)
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            for i in range(begin, end):
                leader = leaders[i]
                if leader >= i8(0):
                    places[u8(leader)] = i8(1) if leader == i8(i) else i8(places[u8(leader)]) + i8(1)
            for i in range(begin, end):
                if leaders[i] == i8(i):
                    n = i8(places[i])
                    places[i] = at
                    at += n
                    group += u8(1)
                    cuts[group] = at
            for i in range(begin, end):
                leader = leaders[i]
                if leader >= i8(0):
                    place = i8(places[u8(leader)])
                    out[u8(place)] = i8(i)
                    places[u8(leader)] = place + i8(1)
        n_groups: int = i8(group)
        return n_groups

    return function


@loop("u1* i8 item* item* i8 i8 item*", _BITS)
def choose_items(kind: str, nulls: bool) -> Function:
    """(flags, chosen, one, two, by_number, n, out): `one` where a flag equals `chosen`, else `two`, which may be a number."""
    del kind, nulls

    def function(flags: Any, chosen: Any, one: Any, two: Any, by_number: Any, n: Any, out: Any) -> int:
        if by_number:
            other = two[0]
            for i in range(u8(n)):
                out[i] = one[i] if flags[i] == chosen else other
        else:
            for i in range(u8(n)):
                first, second = one[i], two[i]  # both are read: no branch
                out[i] = first if flags[i] == chosen else second
        return 0

    return function
