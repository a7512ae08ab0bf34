"""Set operations on the rows of two columns: difference, intersection, union and membership."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop
from arrowjag._kernels.compiled.loops.equality import SHORT, n_kept, n_slots, place_of, slot_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

Function = Callable[..., int]

_BITS = ("u1", "u2", "u4", "u8")


@loop("item* item* u1* u1* i8* i8* i8 i8 i8 i8 i8* u8 u1* u1* i8* i8*", _BITS)
def combined(kind: str, nulls: bool) -> Function:
    """(x, y, valid, valid_y, offsets, offsets_y, first, last, of_x, of_y, table, mask, state, state_y, items, ends): items.

    Values are bits, as of `first_occurrences`. Of the distinct items of x those are chosen that are not in y where `of_x` has the
    bit 1, and those in y where it has the bit 2; then those of y that are not in x, where `of_y` is 1. These are numbered after
    those of x. `ends` receives the end of each row among the chosen ones. `table` is as of `first_occurrences`, for the longest
    row of both together; so is the result where it is too small.
    """

    def function(
        x: Any,
        y: Any,
        valid: Any,
        valid_y: Any,
        offsets: Any,
        offsets_y: Any,
        first: Any,
        last: Any,
        of_x: Any,
        of_y: Any,
        table: Any,
        mask: Any,
        state: Any,
        state_y: Any,
        items: Any,
        ends: Any,
    ) -> int:
        n, all_x = u8(0), u8(offsets[u8(last)])
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            begin_y, end_y = u8(offsets_y[row]), u8(offsets_y[row + u8(1)])
            n_items, n_different = end - begin + end_y - begin_y, u8(0)
            size = n_slots(n_items, mask)
            most, within = n_kept(n_items, size), size - u8(1)
            # Entries of earlier rows need no clearing: their numbers are below those of this row.
            base, from_y = begin + begin_y, begin_y + end
            for i in range(begin, end):
                state[i] = 0
                if nulls and valid[i] == 0:
                    continue
                item = x[i]
                place = slot_of(item, within)
                found = table[place]
                while found >= i8(base) and x[u8(found) - begin_y] != item:
                    place = (place + u8(1)) & within
                    found = table[place]
                if found < i8(base):
                    table[place] = i8(i + begin_y)
                    state[i] = 1
                    n_different += u8(1)
                    if n_different > most:
                        return int(row) + 1
            for i in range(begin_y, end_y):
                state_y[i] = 0
                if nulls and valid_y[i] == 0:
                    continue
                item = y[i]
                place = slot_of(item, within)
                found = table[place]
                while found >= i8(base):
                    known = x[u8(found) - begin_y] if found < i8(from_y) else y[u8(found) - end]
                    if known == item:
                        break
                    place = (place + u8(1)) & within
                    found = table[place]
                if found < i8(base):
                    table[place] = i8(i + end)
                    state_y[i] = 1
                    n_different += u8(1)
                    if n_different > most:
                        return int(row) + 1
                elif found < i8(from_y):
                    state[u8(found) - begin_y] = 2
            for i in range(begin, end):
                items[n] = i8(i)
                n += u8(1) if (u8(state[i]) & u8(of_x)) != u8(0) else u8(0)
            if of_y != 0:
                for i in range(begin_y, end_y):
                    items[n] = i8(all_x + i)
                    n += u8(1) if state_y[i] != 0 else u8(0)
            ends[row] = i8(n)
        return 0

    return function


def _members(marks: bool) -> Function:
    def function(values: Any, offsets: Any, known: Any, cuts: Any, first: Any, last: Any, table: Any, mask: Any, out: Any) -> int:
        repeats = False
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            low, high = u8(cuts[row]), u8(cuts[row + u8(1)])
            if high - low <= u8(SHORT):
                for i in range(begin, end):
                    item = values[i]
                    found = i8(-1)
                    for j in range(low, high):
                        found = i8(j) if known[j] == item else found
                    out[i] = found >= 0 if marks else found
                if not marks:
                    for i in range(low, high):
                        for j in range(low, i):
                            repeats |= known[i] == known[j]
                continue
            size, n_different = n_slots(high - low, mask), u8(0)
            most, within = n_kept(high - low, size), size - u8(1)
            for j in range(low, high):
                place = place_of(known[j], known, table, low, within)
                if table[place] < i8(low):
                    table[place] = i8(j)
                    n_different += u8(1)
                    if n_different > most:
                        return (int(row) + 1) * 2 + (1 if repeats else 0)
                else:
                    repeats = True
            for i in range(begin, end):
                at = table[place_of(values[i], known, table, low, within)]
                if marks:
                    out[i] = at >= i8(low)
                else:
                    out[i] = at if at >= i8(low) else i8(-1)
        return 1 if repeats else 0

    return function


@loop("item* i8* item* i8* i8 i8 i8* u8 u1*", _BITS)
def members(kind: str, nulls: bool) -> Function:
    """(values, offsets, known, cuts, first, last, table, mask, out): whether each item equals one of its row of `known`.

    Rows of `known` are cut by `cuts`; bits and `table` are as in `first_occurrences`, for the longest of these rows. There are no
    nulls.

    The loop ends at a row for which the table is too small, as that of `first_occurrences`, and returns twice the number of the
    next row; it returns 0 if it did all rows.
    """
    del kind, nulls
    return _members(marks=True)


@loop("item* i8* item* i8* i8 i8 i8* u8 i8*", _BITS)
def equal_members(kind: str, nulls: bool) -> Function:
    """(values, offsets, known, cuts, first, last, table, mask, out): the item of `known` that each item equals, by number, else -1.

    The arguments are those of `members`; the result is 1 more if a row of `known` has equal items.
    """
    del kind, nulls
    return _members(marks=False)
