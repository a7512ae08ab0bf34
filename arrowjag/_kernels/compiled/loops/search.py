"""Binary search in sorted rows, interpolation between their points, and items at a position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import TOGETHER, Nulls, helper, loop
from arrowjag._kernels.compiled.validity import flag_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

Function = Callable[..., int]

KEYS = ("i4", "i8", "u8", "f4", "f8")
"""Types of keys; times are integers."""


@helper
def is_before(key: Any, item: Any, right: Any) -> Any:
    """Whether a key is less than an item, or with `right` not greater; NaN is before nothing."""
    return (key < item) | (right & (key == item))


@helper
def look_up(keys: Any, begin: Any, n: Any, sought: Any, first: Any, last: Any, right: Any, out: Any, start: Any) -> Any:
    """How many of n sorted keys, at least one, are before each item, from `start` of `out` on; 0 for NaN.

    All items take one step before any takes the next: no step waits for that of another item, and none is a branch.
    """
    shift = start - first
    for i in range(first, last):
        out[i + shift] = 0
    left = n
    while left > u8(1):
        half = left >> u8(1)
        at = begin + half - u8(1)
        for i in range(first, last):
            slot = u8(out[i + shift])
            out[i + shift] = i8(slot + (half if is_before(keys[at + slot], sought[i], right) else u8(0)))
        left -= half
    for i in range(first, last):
        slot = u8(out[i + shift])
        out[i + shift] = i8(slot + (u8(1) if is_before(keys[begin + slot], sought[i], right) else u8(0)))
    return 0


@loop("item* i8* i8* item* i8* i8 i8 i8 i8*", KEYS)
def bisect(kind: str, nulls: bool) -> Function:
    """(keys, offsets, counts, sought, sought_offsets, first, last, side, out): how many keys of its row are before each item.

    Of each row the first `counts` items are searched: numbers, then NaN. `side` is 1 where equal keys are before an item.
    """
    del nulls
    is_float = kind == "f"

    def function(
        keys: Any, offsets: Any, counts: Any, sought: Any, sought_offsets: Any, first: Any, last: Any, side: Any, out: Any
    ) -> int:
        right = side != 0
        for row in range(u8(first), u8(last)):
            begin, n = u8(offsets[row]), u8(counts[row])
            numbers = n
            if is_float:
                while numbers > u8(0) and keys[begin + numbers - u8(1)] != keys[begin + numbers - u8(1)]:
                    numbers -= u8(1)
            at, end = u8(sought_offsets[row]), u8(sought_offsets[row + u8(1)])
            while at < end:
                stop = at + u8(TOGETHER) if end - at > u8(TOGETHER) else end
                if numbers > u8(0):
                    look_up(keys, begin, numbers, sought, at, stop, right, out, at)
                for i in range(at, stop):
                    if numbers == u8(0):
                        out[i] = 0
                    if is_float and sought[i] != sought[i]:
                        out[i] = i8(n if right else numbers)
                at = stop
        return 0

    return function


@loop("item* f8* i8* item* i8* i8 i8 i8 f8* u1* i8*", KEYS)
def interpolate(kind: str, nulls: bool) -> Function:
    """(keys, levels, offsets, sought, sought_offsets, first, last, clamps, out, there, slots): the levels at each item.

    They are those of numpy.interp. Keys are sorted and hold no NaN. `there` is 0 where a row has no keys, and without `clamps`
    outside of its keys. `slots` has room for `TOGETHER` numbers.
    """
    del nulls
    is_float = kind == "f"

    @helper
    def distance(one: Any, two: Any) -> Any:
        if is_float:
            return f8(one) - f8(two)
        apart = f8(u8(one) - u8(two)) if one >= two else f8(u8(two) - u8(one))
        return apart if one >= two else -apart

    def function(
        keys: Any,
        levels: Any,
        offsets: Any,
        sought: Any,
        sought_offsets: Any,
        first: Any,
        last: Any,
        clamps: Any,
        out: Any,
        there: Any,
        slots: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n, start, last_item = end - begin, u8(sought_offsets[row]), u8(sought_offsets[row + u8(1)])
            for i in range(start, last_item):
                if n > u8(0) and (i - start) % u8(TOGETHER) == u8(0):
                    stop = i + u8(TOGETHER) if last_item - i > u8(TOGETHER) else last_item
                    look_up(keys, begin, n, sought, i, stop, True, slots, u8(0))
                item = sought[i]
                if n == u8(0):
                    out[i] = 0.0
                    there[i] = 0
                    continue
                there[i] = 1
                if is_float and item != item:
                    out[i] = np.nan
                    continue
                slot = u8(slots[(i - start) % u8(TOGETHER)])
                at = begin + (slot - u8(1) if slot > u8(0) else u8(0))
                found = levels[at]
                if slot == u8(0) or slot == n:
                    there[i] = 1 if clamps != 0 or (slot == n and item == keys[at]) else 0
                elif keys[at] != item:
                    above = levels[at + u8(1)]
                    slope = (above - found) / distance(keys[at + u8(1)], keys[at])
                    value = slope * distance(item, keys[at]) + found
                    if value != value:
                        value = slope * distance(item, keys[at + u8(1)]) + above
                        value = found if value != value and found == above else value
                    found = value
                out[i] = found
        return 0

    return function


@loop("item* i8* i8* i8 i8 i8*", ("i8",))
def picked(kind: str, nulls: bool) -> Function:
    """(positions, offsets, rows, first, last, out): the item at a position of each row; negative positions count from its end.

    With `nulls` each position is that of its own row, and `rows` is not read. It returns 1 + the first position that its row lacks,
    or 0.
    """
    del kind

    def function(positions: Any, offsets: Any, rows: Any, first: Any, last: Any, out: Any) -> int:
        n_right = i8(0)
        for i in range(u8(first), u8(last)):
            row = i if nulls else u8(rows[i])
            begin, end = i8(offsets[row]), i8(offsets[row + u8(1)])
            slot = positions[i]
            # A sum that wraps becomes negative, and so smaller than any start; LLVM assumes that signed ones never wrap.
            found = i8(u8(slot) + u8(begin if slot >= i8(0) else end))
            n_right += i8(1) if (found >= begin) & (found < end) else i8(0)
            out[i] = found
        if n_right == i8(last) - i8(first):
            return 0
        for i in range(u8(first), u8(last)):
            row = i if nulls else u8(rows[i])
            if out[i] < offsets[row] or out[i] >= offsets[row + u8(1)]:
                outside: int = i8(i) + i8(1)
                return outside
        return 0

    return function


@loop("item* u1* i8* i8 i8 i8 item* u1*", ("u1", "u2", "u4", "u8"), bits=True)
def nth_items(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, position, first, last, out, present): the item at one position of each row, and whether it has one.

    A negative position counts from the end of the row. `values` hold at least one item, which stands for those that rows lack. It
    returns how many rows have none, or a null.
    """
    del kind
    flag, has_nulls = flag_of(nulls), bool(nulls)

    def function(values: Any, valid: Any, offsets: Any, position: Any, first: Any, last: Any, out: Any, present: Any) -> int:
        n_missing = i8(0)
        for row in range(u8(first), u8(last)):
            begin, end = i8(offsets[row]), i8(offsets[row + u8(1)])
            item = position + (begin if position >= i8(0) else end)
            known = u8(1) if (item >= begin) & (item < end) else u8(0)
            place = u8(item) * known
            if has_nulls:
                known &= flag(valid, place)
            out[row] = values[place]
            present[row] = known
            n_missing += i8(1) - i8(known)
        missing: int = n_missing
        return missing

    return function
