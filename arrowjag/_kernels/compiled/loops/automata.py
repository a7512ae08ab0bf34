"""Loops over the bytes of text with the table of states of a regular expression: whether there is a match, and all matches.

A row of the table holds the place of the row that follows each class of bytes; then whether a match ends at the end of the text,
and whether one ends here. At row 0 there can't be a match any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.strings import copied

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

SLACK = 4096
"""Bytes that may be read again before it counts how many are."""

Function = Callable[..., int]


@loop("item* i8* u1* u1* u2* i8 i8 i8 i8 u1*", ("u1",))
def matched(kind: str, nulls: bool) -> Function:
    """(data, cuts, valid, classes, states, columns, begin, first, last, out): whether a match is in each string.

    The search begins at row `begin`, and stays at the second row once it has found a match.
    """
    del kind

    def function(
        data: Any, cuts: Any, valid: Any, classes: Any, states: Any, columns: Any, begin: Any, first: Any, last: Any, out: Any
    ) -> int:
        accepted = u8(columns)
        for i in range(u8(first), u8(last)):
            row = u8(0)
            if not nulls or valid[i] != 0:
                row = u8(begin)
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                while x < stop and row > accepted:
                    row = u8(states[row + u8(classes[data[x]])])
                    x += u8(1)
                if row > accepted:
                    row = accepted * u8(states[row + accepted - u8(2)])
            out[i] = row == accepted
        return 0

    return function


@helper
def match_from(data: Any, x: Any, stop: Any, row: Any, classes: Any, states: Any, columns: Any) -> Any:
    """The end of the match that begins at x, which is x if there is none, and the first place that was not looked at."""
    end = x
    while x < stop:
        row = u8(states[row + u8(classes[data[x]])])
        if row == u8(0):
            break
        x += u8(1)
        if states[row + columns - u8(1)] != 0:
            end = x
    if states[row + columns - u8(2)] != 0:
        end = stop
    return end, x


@loop("item* i8* u1* u1* u2* i8 i8 i8 i8 i8 i8 i8* i8*", ("u1",))
def match_counts(kind: str, nulls: bool) -> Function:
    """(data, cuts, valid, classes, states, columns, begin, within, times, first, last, taken, starts): matches, and their bytes.

    Both are added up from `first` on, and the entry after that of a string is written. A match begins at row `begin` at the first
    byte of a string, and at row `within` at others. Returns 1 once it has read the bytes more than `times` times on average.
    """
    del kind

    def function(
        data: Any,
        cuts: Any,
        valid: Any,
        classes: Any,
        states: Any,
        columns: Any,
        begin: Any,
        within: Any,
        times: Any,
        first: Any,
        last: Any,
        taken: Any,
        starts: Any,
    ) -> int:
        n, n_bytes, left = i8(0), i8(0), i8(SLACK)
        for i in range(u8(first), u8(last)):
            if not nulls or valid[i] != 0:
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                row = u8(begin)
                left += i8(times) * i8(stop - x)
                while x < stop:
                    end, seen = match_from(data, x, stop, row, classes, states, u8(columns))
                    row = u8(within)
                    left -= i8(seen - x)
                    if left < i8(0):
                        return 1
                    n += i8(end > x)
                    n_bytes += i8(end - x)
                    x = max(end, x + u8(1))
            taken[i + u8(1)] = n
            starts[i + u8(1)] = n_bytes
        return 0

    return function


@loop("item* i8 i8* u1* u2* i8 i8 i8 i8* i8* i8 i8 i8 i8* item*", ("u1",))
def match_pieces(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, classes, states, columns, begin, within, taken, starts, first, last, limit, ends, out): the matches.

    `taken` and `starts` are those of `match_counts`; `ends` are where the matches begin in the result.
    """
    del kind, nulls

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        classes: Any,
        states: Any,
        columns: Any,
        begin: Any,
        within: Any,
        taken: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        ends: Any,
        out: Any,
    ) -> int:
        for i in range(u8(first), u8(last)):
            piece, behind, at = u8(taken[i]), u8(taken[i + u8(1)]), u8(starts[i])
            x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
            row = u8(begin)
            while piece < behind:
                end, _ = match_from(data, x, stop, row, classes, states, u8(columns))
                row = u8(within)
                if end > x:
                    ends[piece] = i8(at)
                    piece += u8(1)
                    at = copied(data, u8(size), x, end - x, out, u8(limit), at)
                x = max(end, x + u8(1))
        return 0

    return function
