"""Loops that make a string of several: of two columns, of the strings of each row, and with a text in place of another.

First the bytes of each result are counted, then copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop
from arrowjag._kernels.compiled.loops.moves import RUN, copied
from arrowjag._kernels.compiled.loops.strings import found_from

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

Function = Callable[..., int]


@loop("item* i8 i8 i8* i8 u1* i8 i8 i8*", ("i8",))
def joined_cuts(kind: str, nulls: bool) -> Function:
    """(cuts, step, between, cuts_y, step_y, valid, first, last, starts): the bytes of each joined string, added up.

    `between` is the number of bytes between both strings. A step of 0 takes the first string each time.
    """
    del kind

    def function(
        cuts: Any, step: Any, between: Any, cuts_y: Any, step_y: Any, valid: Any, first: Any, last: Any, starts: Any
    ) -> int:
        total = i8(0)
        for i in range(u8(first), u8(last)):
            if not nulls or valid[i] != 0:
                x, y = i * u8(step), i * u8(step_y)
                total += i8(cuts[x + u8(1)]) - i8(cuts[x]) + i8(cuts_y[y + u8(1)]) - i8(cuts_y[y]) + between
            starts[i + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function


@loop("item* i8 i8* i8 item* i8 i8* i8 item* i8 i8* i8 i8 i8 item*", ("u1",))
def joined_bytes(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, step, data_y, size_y, cuts_y, step_y, wanted, between, starts, first, last, limit, out): joined strings.

    `wanted` is the text between both, and has room for RUN bytes more than the `between` that are copied.
    """
    del kind, nulls

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        step: Any,
        data_y: Any,
        size_y: Any,
        cuts_y: Any,
        step_y: Any,
        wanted: Any,
        between: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        out: Any,
    ) -> int:
        for i in range(u8(first), u8(last)):
            at = u8(starts[i])
            if at < u8(starts[i + u8(1)]):
                j, k = i * u8(step), i * u8(step_y)
                x, y = u8(cuts[j]), u8(cuts_y[k])
                at = copied(data, u8(size), x, u8(cuts[j + u8(1)]) - x, out, u8(limit), at)
                at = copied(wanted, u8(between) + RUN, u8(0), u8(between), out, u8(limit), at)
                at = copied(data_y, u8(size_y), y, u8(cuts_y[k + u8(1)]) - y, out, u8(limit), at)
        return 0

    return function


@loop("item* u1* i8* i8 i8 i8 i8* u1*", ("i8",))
def row_cuts(kind: str, nulls: bool) -> Function:
    """(cuts, valid, offsets, between, first, last, starts, present): the bytes of the joined strings of each row, added up.

    `present` tells which rows have a string that is not null.
    """
    del kind

    def function(cuts: Any, valid: Any, offsets: Any, between: Any, first: Any, last: Any, starts: Any, present: Any) -> int:
        total = i8(0)
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = i8(0)
            if nulls:
                for i in range(begin, end):
                    if valid[i] != 0:
                        n += i8(1)
                        total += i8(cuts[i + u8(1)]) - i8(cuts[i])
            else:
                n = i8(end - begin)
                total += i8(cuts[end]) - i8(cuts[begin])
            if n > i8(0):
                total += (n - i8(1)) * between
            present[row] = n > i8(0)
            starts[row + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function


@loop("item* i8 i8* u1* i8* item* i8 i8* i8 i8 i8 item*", ("u1",))
def row_bytes(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, offsets, wanted, between, starts, first, last, limit, out): the joined strings of each row.

    `wanted` is the text between two strings, and has room for RUN bytes more than the `between` that are copied.
    """
    del kind

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        valid: Any,
        offsets: Any,
        wanted: Any,
        between: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        out: Any,
    ) -> int:
        n, n_between = u8(size), u8(between)
        for row in range(u8(first), u8(last)):
            at = u8(starts[row])
            is_first = True
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                if nulls and valid[i] == 0:
                    continue
                if not is_first:
                    at = copied(wanted, n_between + RUN, u8(0), n_between, out, u8(limit), at)
                is_first = False
                x = u8(cuts[i])
                at = copied(data, n, x, u8(cuts[i + u8(1)]) - x, out, u8(limit), at)
        return 0

    return function


@loop("item* i8 i8* u1* item* i8 i8 i8 i8 i8 i8*", ("u1",))
def replaced_cuts(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, wanted, n_wanted, n_new, most, first, last, starts): bytes with a text replaced, added up.

    Each of at most `most` occurrences in a string becomes `n_new` bytes.
    """
    del kind

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        valid: Any,
        wanted: Any,
        n_wanted: Any,
        n_new: Any,
        most: Any,
        first: Any,
        last: Any,
        starts: Any,
    ) -> int:
        n, total = u8(n_wanted), i8(0)
        for i in range(u8(first), u8(last)):
            if not nulls or valid[i] != 0:
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                total += i8(stop - x)
                found = i8(0)
                while found < most:
                    x = found_from(data, u8(size), x, stop, wanted, n)
                    if x == stop:
                        break
                    found += i8(1)
                    x += n
                total += found * (n_new - n_wanted)
            starts[i + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function


@loop("item* i8 i8* item* i8 item* i8 i8 i8* i8 i8 i8 item*", ("u1",))
def replaced_bytes(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, wanted, n_wanted, new, n_new, most, starts, first, last, limit, out): strings with a text replaced.

    `new` is the text in its place, and has room for RUN bytes more.
    """
    del kind, nulls

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        wanted: Any,
        n_wanted: Any,
        new: Any,
        n_new: Any,
        most: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        out: Any,
    ) -> int:
        n, n_by = u8(n_wanted), u8(n_new)
        for i in range(u8(first), u8(last)):
            at = u8(starts[i])
            if at < u8(starts[i + u8(1)]):
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                found = i8(0)
                while True:
                    place = found_from(data, u8(size), x, stop, wanted, n) if found < most else stop
                    at = copied(data, u8(size), x, place - x, out, u8(limit), at)
                    if place == stop:
                        break
                    at = copied(new, n_by + RUN, u8(0), n_by, out, u8(limit), at)
                    found += i8(1)
                    x = place + n
        return 0

    return function
