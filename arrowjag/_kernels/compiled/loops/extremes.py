"""The smallest and the largest item of each row, and their slots.

A comparison with the best item so far waits for the comparison before it. Long rows of floats are therefore compared in eight
lanes, each with a best item of its own; comparisons of integers LLVM turns into such lanes by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
i8: Any = np.int64

LANES = 8
"""Best items of a row at once. The loops name them one by one: machine code keeps them in registers."""

LONG = 32
"""Rows from this length on are compared in lanes; the lanes of shorter ones cost more than they save."""

SPAN = 256
"""Items whose extreme is found before their places are looked at: only the span that holds the first extreme is searched."""

Function = Callable[..., int]


def _extreme(kind: str, nulls: bool, largest: bool) -> Function:
    is_float = kind == "f"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        low = loser[0]

        def better(item: Any, best: Any) -> Any:
            return (item if item > best else best) if largest else (item if item < best else best)  # noqa: FURB136  # NaN loses

        def at_slot(i: Any) -> Any:
            item = values[i]  # read whether it is null or not: no branch
            return (item if valid[i] != 0 else low) if nulls else item

        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best, at = low, begin
            found = end - begin
            if is_float and end - begin >= u8(LONG):
                a, b, c, d = best, best, best, best
                e, f, g, h = best, best, best, best
                while end - at >= u8(LANES):
                    a = better(at_slot(at), a)
                    b = better(at_slot(at + u8(1)), b)
                    c = better(at_slot(at + u8(2)), c)
                    d = better(at_slot(at + u8(3)), d)
                    e = better(at_slot(at + u8(4)), e)
                    f = better(at_slot(at + u8(5)), f)
                    g = better(at_slot(at + u8(6)), g)
                    h = better(at_slot(at + u8(7)), h)
                    at += u8(LANES)
                a, b, c, d = better(a, e), better(b, f), better(c, g), better(d, h)
                best = better(better(a, c), better(b, d))
            if nulls and end - begin < u8(LONG):
                found = u8(0)
                for i in range(begin, end):
                    best = better(at_slot(i), best)
                    found += u8(valid[i])
            else:
                for i in range(at, end):
                    best = better(at_slot(i), best)
                if nulls:  # counted apart, so that integers are compared in lanes, too
                    found = u8(0)
                    for i in range(begin, end):
                        found += u8(valid[i])
            if is_float and found > u8(0) and best == low:
                # Nothing but NaN and the losing infinity: NaN unless there is such an infinity.
                best = loser[1]
                for i in range(begin, end):
                    if values[i] == low and (not nulls or valid[i] != 0):
                        best = low
            out[row] = best if found > u8(0) else loser[2]
            present[row] = found > u8(0)
        return 0

    return function


@loop("item* u1* i8* i8 i8 item* item* u1*")
def max(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): largest items; loser holds what loses always, NaN and 0."""
    return _extreme(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* item* u1*")
def min(kind: str, nulls: bool) -> Function:
    """As `max`, the smallest items."""
    return _extreme(kind, nulls, largest=False)


def _slot(kind: str, nulls: bool, largest: bool) -> Function:
    is_float = kind == "f"

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, loser: Any, out: Any, present: Any) -> int:
        low = loser[0]

        def better(item: Any, best: Any) -> Any:
            return (item if item > best else best) if largest else (item if item < best else best)  # noqa: FURB136  # NaN loses

        def at_slot(i: Any) -> Any:
            item = values[i]  # read whether it is null or not: no branch
            return (item if valid[i] != 0 else low) if nulls else item

        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best, slot = low, end
            at = begin
            if end - begin >= u8(LONG):
                while at < end:
                    stop = at + u8(SPAN) if end - at > u8(SPAN) else end
                    i, top = at, low
                    if is_float:
                        a, b, c, d = top, top, top, top
                        e, f, g, h = top, top, top, top
                        while stop - i >= u8(LANES):
                            a = better(at_slot(i), a)
                            b = better(at_slot(i + u8(1)), b)
                            c = better(at_slot(i + u8(2)), c)
                            d = better(at_slot(i + u8(3)), d)
                            e = better(at_slot(i + u8(4)), e)
                            f = better(at_slot(i + u8(5)), f)
                            g = better(at_slot(i + u8(6)), g)
                            h = better(at_slot(i + u8(7)), h)
                            i += u8(LANES)
                        a, b, c, d = better(a, e), better(b, f), better(c, g), better(d, h)
                        top = better(better(a, c), better(b, d))
                    for j in range(i, stop):
                        top = better(at_slot(j), top)
                    if top > best if largest else top < best:
                        best, slot = top, at
                    at = stop
                if slot < end:
                    while values[slot] != best or (nulls and valid[slot] == 0):
                        slot += u8(1)
            else:
                for i in range(begin, end):
                    item = at_slot(i) if is_float else values[i]
                    wins = item > best if largest else item < best
                    if nulls and not is_float:
                        wins = wins & (valid[i] != 0)
                    best = item if wins else best
                    slot = i if wins else slot
            if slot == end:
                # No item beats the loser: the first item that equals it, else the first item (NaN), else none.
                for i in range(begin, end):
                    if (not nulls or valid[i] != 0) and slot == end and values[i] == low:
                        slot = i
                if is_float:
                    for i in range(begin, end):
                        if (not nulls or valid[i] != 0) and slot == end:
                            slot = i
            present[row] = slot < end
            out[row] = i8(slot - begin) if slot < end else i8(0)
        return 0

    return function


@loop("item* u1* i8* i8 i8 item* i8* u1*")
def argmax(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, loser, out, present): slots of the first largest items."""
    return _slot(kind, nulls, largest=True)


@loop("item* u1* i8* i8 i8 item* i8* u1*")
def argmin(kind: str, nulls: bool) -> Function:
    """As `argmax`, of the smallest items."""
    return _slot(kind, nulls, largest=False)
