"""The smallest and the largest item of each row, and their slots.

A comparison with the best item so far waits for the comparison before it. Long rows of floats are therefore compared in vectors,
several side by side; comparisons of integers LLVM turns into vectors by itself. A slot is searched once its item is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import Nulls, helper, loop
from arrowjag._kernels.compiled.validity import SHORT, chosen_of, count_of, flag_of, wide_of
from arrowjag._kernels.compiled.vectors import EXTREMES, PLACES, WIDTH

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

LONG = 32
"""Rows from this length on are compared in vectors, whose ends cost shorter ones more than they save."""

LEAST_SPAN, SPAN = 256, 4096
"""Items whose extreme is found before their places are looked at, a quarter of a row: only the span that holds the first extreme is
searched. With spans of 4096 argmax of 1M float64 in rows of 1,000 takes 0.18 ms, with these 0.13."""

Function = Callable[..., int]


def _better(largest: bool) -> Callable[..., Any]:
    """A function of an item and the best one so far; NaN loses."""

    @helper
    def better(item: Any, best: Any) -> Any:
        return (item if item > best else best) if largest else (item if item < best else best)  # noqa: FURB136

    return better


def _best_of(kind: str, nulls: Nulls, largest: bool) -> Callable[..., Any]:
    """A function of the best item of a span, or `low`, against which every item but NaN wins or draws."""
    # Flags that are bits LLVM does not turn into vectors, whatever the items are.
    has_vectors, long = kind == "f" or nulls == "bits", u8(WIDTH if nulls == "bits" else LONG)
    better, in_vectors, flag = _better(largest), EXTREMES[largest, nulls], flag_of(nulls)
    has_nulls = bool(nulls)

    @helper
    def best_of(values: Any, valid: Any, begin: Any, end: Any, low: Any) -> Any:
        best = low
        if has_vectors and end - begin >= long:
            best = in_vectors(values, valid, begin, end, low)
        else:
            for i in range(begin, end):
                item = values[i]  # read whether it is null or not: no branch
                best = better(item if not has_nulls or flag(valid, i) != u8(0) else low, best)
        return best

    return best_of


def _extreme(kind: str, nulls: Nulls, largest: bool) -> Function:
    is_float, has_nulls = kind == "f", bool(nulls)
    best_of, better = _best_of(kind, nulls, largest), _better(largest)
    count, flag, chosen = count_of(nulls), flag_of(nulls), chosen_of(kind, nulls)
    wide = wide_of(kind)

    @helper
    def beside(best: Any, n: Any, values: Any, valid: Any, low: Any, i: Any) -> Any:
        """The better one of the best item so far and another, and how many of them are not null."""
        return better(chosen(wide(values[i]), wide(low), valid, i), best), n + (flag(valid, i) if has_nulls else u8(1))

    @helper
    def best_of_few(values: Any, valid: Any, begin: Any, size: Any, low: Any) -> Any:
        best, n = wide(low), u8(0)
        if size > u8(0):
            best, n = beside(best, n, values, valid, low, begin)
        if size > u8(1):
            best, n = beside(best, n, values, valid, low, begin + u8(1))
        if size > u8(2):
            best, n = beside(best, n, values, valid, low, begin + u8(2))
        if size > u8(3):
            best, n = beside(best, n, values, valid, low, begin + u8(3))
        return best, n

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        low, zero = loser[0], loser[2]
        n_missing = 0
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            found = end - begin
            if found <= u8(SHORT):
                best, found = best_of_few(values, valid, begin, found, low)
            elif has_nulls and found < u8(LONG):
                best, found = low, u8(0)
                for i in range(begin, end):
                    item = values[i]
                    best = better(item if flag(valid, i) != u8(0) else low, best)
                    found += flag(valid, i)
            else:
                best = best_of(values, valid, begin, end, low)
                if has_nulls and best == low:  # else there is an item
                    found = count(valid, begin, end)
            if is_float and best == low and found > u8(0):
                # Nothing but NaN and the losing infinity: NaN unless there is such an infinity.
                best = loser[1]
                for i in range(begin, end):
                    if values[i] == low and (not has_nulls or flag(valid, i) != u8(0)):
                        best = low
            out[row] = best + zero if found > u8(0) else zero  # 0.0 in place of -0.0
            present[row] = found > u8(0)
            n_missing += 0 if found > u8(0) else 1
        return n_missing

    return function


@loop("item* u1* i8* i8 i8 item* item* u1*", bits=True)
def max(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): largest items; loser holds what loses always, NaN and 0.

    It returns how many rows have none.
    """
    return _extreme(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* item* u1*", bits=True)
def min(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): smallest items, with the loser and the result of `max`."""
    return _extreme(kind, nulls, largest=False)


def _slot(kind: str, nulls: Nulls, largest: bool) -> Function:
    is_float, has_nulls = kind == "f", bool(nulls)
    best_of, flag = _best_of(kind, nulls, largest), flag_of(nulls)
    find_place = PLACES[nulls]

    @helper
    def better_of(values: Any, valid: Any, i: Any, low: Any, best: Any, slot: Any) -> Any:
        item = values[i]
        if has_nulls:
            item = item if flag(valid, i) != u8(0) else low
        wins = item > best if largest else item < best
        return (item if wins else best), (i if wins else slot)

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        low = loser[0]
        n_missing = 0
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best, slot = low, end
            if end - begin >= u8(LONG):
                at, span = begin, (end - begin) >> u8(2)
                span = span if span < u8(SPAN) else u8(SPAN)  # noqa: FURB136 - max and min are loops here
                span = span if span > u8(LEAST_SPAN) else u8(LEAST_SPAN)  # noqa: FURB136
                while at < end:
                    stop = at + span if end - at > span else end
                    top = best_of(values, valid, at, stop, low)
                    if top > best if largest else top < best:
                        best, slot = top, at
                    at = stop
                if slot < end:
                    slot = find_place(values, valid, slot, end, best)
            elif end - begin <= u8(SHORT):
                if begin < end:
                    best, slot = better_of(values, valid, begin, low, best, slot)
                if end - begin > u8(1):
                    best, slot = better_of(values, valid, begin + u8(1), low, best, slot)
                if end - begin > u8(2):
                    best, slot = better_of(values, valid, begin + u8(2), low, best, slot)
                if end - begin > u8(3):
                    best, slot = better_of(values, valid, begin + u8(3), low, best, slot)
            elif is_float:
                for i in range(begin, end):
                    best, slot = better_of(values, valid, i, low, best, slot)
            else:  # of a choice between integers LLVM makes a branch, which is mispredicted: two passes in vectors instead
                best = best_of(values, valid, begin, end, low)
                for i in range(begin, end):
                    hit = (values[i] == best) & (not has_nulls or flag(valid, i) != u8(0))
                    place = i if hit else end
                    slot = place if place < slot else slot  # noqa: FURB136
            if slot == end:
                # No item beats the loser: the first item that equals it, else the first item (NaN), else none.
                for i in range(begin, end):
                    if (not has_nulls or flag(valid, i) != u8(0)) and slot == end and values[i] == low:
                        slot = i
                if is_float:
                    for i in range(begin, end):
                        if (not has_nulls or flag(valid, i) != u8(0)) and slot == end:
                            slot = i
            present[row] = slot < end
            n_missing += 0 if slot < end else 1
            out[row] = i8(slot - begin) if slot < end else i8(0)
        return n_missing

    return function


@loop("item* u1* i8* i8 i8 item* i8* u1*", bits=True)
def argmax(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): slots of the first largest items.

    It returns how many rows have none.
    """
    return _slot(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* i8* u1*", bits=True)
def argmin(kind: str, nulls: Nulls) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): slots of the first smallest items; returns as `argmax`."""
    return _slot(kind, nulls, largest=False)
