"""Rows of a few items in order, and the order itself: where each item goes, from how many others are smaller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import DIGIT, ITEM_TYPES, helper, loop
from arrowjag._kernels.compiled.validity import SHORT, chosen_of, count_of, flag_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

_ORDERED = tuple(type for type in ITEM_TYPES if type != "b1")

Function = Callable[..., int]


@loop("item* i8* i8 i8 i8 i8 i8*", _ORDERED)
def short_order(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, width, slots, out): the stable order of each row of at most `width` items.

    Items are numbered from the first of their row if `slots` is not 0. There are no nulls and no NaN. Longer rows are left out.
    """
    del nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, width: Any, slots: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            if end - begin > u8(width):
                continue
            base = begin if slots != 0 else u8(0)
            for i in range(begin, end):
                item = values[i]
                place = begin
                for j in range(begin, i):
                    place += u8(1) if values[j] <= item else u8(0)
                for j in range(i + u8(1), end):
                    place += u8(1) if values[j] < item else u8(0)
                out[place] = i8(i - base)
        return 0

    return function


def _short_sort(kind: str, nulls: bool, falling: bool) -> Function:
    is_float = kind == "f"
    chosen, count, flag = chosen_of(kind, nulls), count_of(nulls), flag_of(nulls)
    wide = {"f": f8, "u": u8}.get(kind, i8)

    @helper
    def before(x: Any, y: Any) -> Any:
        return x > y if falling else x < y

    @helper
    def swapped(x: Any, y: Any) -> Any:
        swaps = before(y, x)
        return (y if swaps else x), (x if swaps else y)

    @helper
    def item_at(values: Any, valid: Any, last: Any, i: Any) -> Any:
        return chosen(wide(values[i]), wide(last), valid, i)

    @helper
    def put_few(values: Any, valid: Any, begin: Any, n: Any, last: Any, out: Any) -> Any:
        """Write two to four items in order, and return True; write nothing and return False if one of them is NaN."""
        c = d = wide(last)
        a, b = item_at(values, valid, last, begin), item_at(values, valid, last, begin + u8(1))
        if n > u8(2):
            c = item_at(values, valid, last, begin + u8(2))
        if n > u8(3):
            d = item_at(values, valid, last, begin + u8(3))
        if is_float and ((a != a) | (b != b) | (c != c) | (d != d)):
            return False
        a, b = swapped(a, b)
        if n > u8(2):
            b, c = swapped(b, c)
            if n > u8(3):
                c, d = swapped(c, d)
                a, b = swapped(a, b)
                b, c = swapped(b, c)
                out[begin + u8(3)] = d
            a, b = swapped(a, b)
            out[begin + u8(2)] = c
        out[begin], out[begin + u8(1)] = a, b
        return True

    @helper
    def put_present(valid: Any, begin: Any, end: Any, present: Any) -> None:
        """Write the flags of a sorted row: those that are set first."""
        n, size = count(valid, begin, end), end - begin
        if size <= u8(SHORT):
            present[begin] = n > u8(0)
            if size > u8(1):
                present[begin + u8(1)] = n > u8(1)
            if size > u8(2):
                present[begin + u8(2)] = n > u8(2)
            if size > u8(3):
                present[begin + u8(3)] = n > u8(3)
        else:
            for k in range(size):
                present[begin + k] = k < n

    @helper
    def put_one_by_one(values: Any, valid: Any, begin: Any, end: Any, out: Any) -> None:
        at = begin
        for i in range(begin, end):
            if not nulls or valid[i] != 0:
                item = values[i]
                is_nan = item != item
                place = at
                while place > begin:
                    one = out[place - u8(1)]
                    if not (before(item, one) or (one != one and not is_nan)):
                        break
                    out[place] = one
                    place -= u8(1)
                out[place] = item
                at += u8(1)
        for i in range(at, end):
            out[i] = 0

    @helper
    def put_by_rank(values: Any, valid: Any, begin: Any, end: Any, last: Any, out: Any) -> None:
        for i in range(begin, end):
            item = item_at(values, valid, last, i)
            place = begin
            for j in range(begin, i):
                place += u8(0) if before(item, item_at(values, valid, last, j)) else u8(1)
            for j in range(i + u8(1), end):
                place += u8(1) if before(item_at(values, valid, last, j), item) else u8(0)
            out[place] = item

    def function(
        values: Any, valid: Any, offsets: Any, first: Any, last: Any, width: Any, loser: Any, out: Any, present: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            if n > u8(width) or n == u8(0):
                continue
            if nulls:
                put_present(valid, begin, end, present)
            if n == u8(1):
                out[begin] = values[begin]
                continue
            if n <= u8(SHORT):
                if not put_few(values, valid, begin, n, loser[0], out):
                    put_one_by_one(values, valid, begin, end, out)
                continue
            has_nan = False
            if is_float:
                for i in range(begin, end):
                    has_nan |= (values[i] != values[i]) & (not nulls or flag(valid, i) != u8(0))
            if has_nan:
                put_one_by_one(values, valid, begin, end, out)
            else:
                put_by_rank(values, valid, begin, end, loser[0], out)
        return 0

    return function


@loop("item* u1* i8* i8 i8 i8 item* item* u1*", _ORDERED)
def short_sort(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, width, loser, out, present): each row of at most `width` items in order, stable.

    NaN follows numbers, and nulls follow NaN; `loser` holds what no number follows. Longer rows are left out.
    """
    return _short_sort(kind, nulls, falling=False)


@loop("item* u1* i8* i8 i8 i8 item* item* u1*", _ORDERED)
def short_sort_falling(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, width, loser, out, present): rows of at most `width` items, the largest items first.

    NaN follows numbers, and nulls follow NaN, as in `short_sort`.
    """
    return _short_sort(kind, nulls, falling=True)


@helper
def count_before(codes: Any, n: Any, shift: Any, counts: Any) -> Any:
    """Write, for each value of the digit that starts at bit `shift`, how many of n codes have a smaller digit there."""
    for k in range(u8(1 << DIGIT)):
        counts[k] = 0
    for i in range(n):
        counts[(codes[i] >> shift) & u8((1 << DIGIT) - 1)] += 1
    total = i8(0)
    for k in range(u8(1 << DIGIT)):
        count = counts[k]
        counts[k] = total
        total += count
    return total


@loop("item* u1* i8* i8 i8 i8 i8 i8 i8 i8* u8* u8* item* u1*", ("u4", "u8"))
def long_sort(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, bits, infinity, floats, falling, counts, codes, room, out, present): each row sorted.

    By the digits of items, last first. Values are the words of integers, whose sign is the last of `bits` (0 for none), or of
    floats, with that of infinity: NaN follows numbers, and nulls follow NaN. No row has both zeros. Bits above the highest one that
    differs are no digits. `counts` has room for a number per digit, `codes` and `room` for the longest row.
    """
    del kind

    def function(
        values: Any,
        valid: Any,
        offsets: Any,
        first: Any,
        last: Any,
        bits: Any,
        infinity: Any,
        floats: Any,
        falling: Any,
        counts: Any,
        codes: Any,
        room: Any,
        out: Any,
        present: Any,
    ) -> int:
        top = u8(1) << u8(bits - 1) if bits > 0 else u8(0)
        full = top | (top - u8(1)) if floats != 0 else ~u8(0)
        turn = full if falling != 0 else u8(0)
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = u8(0)
            least, most = ~u8(0), u8(0)
            for i in range(begin, end):
                code = u8(values[i])
                if floats != 0:
                    if code & ~top > u8(infinity):
                        code = full
                    else:
                        code = turn ^ (code ^ full if code & top != u8(0) else code | top)
                else:
                    code = turn ^ code ^ top
                codes[n] = code
                if not nulls or valid[i] != 0:
                    least = code if code < least else least  # noqa: FURB136
                    most = code if code > most else most  # noqa: FURB136
                    n += u8(1)
            given, taken = codes, room
            shift = u8(0)
            while n > u8(0) and shift < u8(64) and (least ^ most) >> shift != u8(0):
                count_before(given, n, shift, counts)
                for i in range(n):
                    digit = (given[i] >> shift) & u8((1 << DIGIT) - 1)
                    taken[u8(counts[digit])] = given[i]
                    counts[digit] += 1
                given, taken = taken, given
                shift += u8(DIGIT)
            for i in range(n):
                code = given[i] ^ turn
                if floats != 0:
                    code = code ^ top if code & top != u8(0) else code ^ full
                else:
                    code = code ^ top
                out[begin + i] = code
            if nulls:
                for i in range(begin, begin + n):
                    present[i] = 1
                for i in range(begin + n, end):
                    out[i], present[i] = 0, 0
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8* u8* u8* i8* i8*", ("u8",))
def long_order(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, slots, counts, codes, room, places, out): the stable order of each row, by digits, last first.

    Items are numbered from the first of their row if `slots` is not 0. `counts` has room for a number per digit; `codes`, `room`
    and `places` for the longest row.
    """
    del kind, nulls

    def function(
        values: Any,
        offsets: Any,
        first: Any,
        last: Any,
        slots: Any,
        counts: Any,
        codes: Any,
        room: Any,
        places: Any,
        out: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin = u8(offsets[row])
            n = u8(offsets[row + u8(1)]) - begin
            base = u8(0) if slots != 0 else begin
            least, most = ~u8(0), u8(0)
            for i in range(n):
                code = values[begin + i]
                codes[i] = code
                least = code if code < least else least  # noqa: FURB136
                most = code if code > most else most  # noqa: FURB136
                out[begin + i] = i8(base + i)
            given, taken = codes, room
            ends_here = True
            shift = u8(0)
            while n > u8(0) and shift < u8(64) and (least ^ most) >> shift != u8(0):
                count_before(given, n, shift, counts)
                for i in range(n):
                    digit = (given[i] >> shift) & u8((1 << DIGIT) - 1)
                    at = u8(counts[digit])
                    counts[digit] += 1
                    taken[at] = given[i]
                    if ends_here:
                        places[at] = out[begin + i]
                    else:
                        out[begin + at] = places[i]
                given, taken = taken, given
                ends_here = not ends_here
                shift += u8(DIGIT)
            if not ends_here:
                for i in range(n):
                    out[begin + i] = places[i]
        return 0

    return function
