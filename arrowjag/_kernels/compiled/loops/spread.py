"""Numbers of items: from a start on in each row, one for each place of its row, and in the order of the slots of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
_BITS = ("u1", "u2", "u4", "u8")

Function = Callable[..., int]


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
            if low + i8(16) <= end:  # the next rows overwrite the excess: a branch for each length would be mispredicted
                for k in range(4):
                    out[at + u8(k)] = number + i8(k) * step
                if high - low <= i8(4):
                    continue
                for k in range(4, 16):
                    out[at + u8(k)] = number + i8(k) * step
                if high - low <= i8(16):
                    continue
            for i in range(low, high):
                out[u8(i - begin)] = number + (i - low) * step
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


@loop("item* i8* i8 i8 i8*", ("i8",))
def counted_columns(kind: str, nulls: bool) -> Function:
    """(offsets, heads, first, last, counts): adds how many items each column has: slot k of a row is in column heads[row] + k."""
    del kind, nulls

    def function(offsets: Any, heads: Any, first: Any, last: Any, counts: Any) -> int:
        for row in range(u8(first), u8(last)):
            head = u8(heads[row])
            for k in range(u8(offsets[row + u8(1)]) - u8(offsets[row])):
                counts[head + k] += i8(1)
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8* i8*", ("i8",))
def placed_columns(kind: str, nulls: bool) -> Function:
    """(offsets, heads, most, first, last, starts, out): the numbers of the items of each column, from its start on.

    Of the first `most` slots of each row; starts move on behind what is written.
    """
    del kind, nulls

    def function(offsets: Any, heads: Any, most: Any, first: Any, last: Any, starts: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, head = u8(offsets[row]), u8(heads[row])
            for k in range(min(u8(offsets[row + u8(1)]) - begin, u8(most))):
                at = starts[head + k]
                out[u8(at)] = i8(begin + k)
                starts[head + k] = at + i8(1)
        return 0

    return function
