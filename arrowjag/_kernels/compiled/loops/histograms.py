"""The bin of each item between two ends of its row, and how many items of a row each bin has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

Function = Callable[..., int]

_TYPES = tuple(type for type in ITEM_TYPES if type != "b1")


@helper
def bin_of(item: Any, inside: Any, start: Any, step: Any, n: Any) -> Any:
    """The bin of an item among n of equal width from `start` on; the first or the second for an item that is not inside."""
    # The quotient may be rounded across an edge, or be no number: the edges themselves decide.
    place = (item - start) / step
    place = place if (place > f8(0)) & inside else f8(0)
    place = min(f8(n - 1), place)
    found = i8(place)
    found -= i8((item < f8(found) * step + start) & (found > 0))
    found += i8((item >= f8(found + 1) * step + start) & (found + 1 < n))
    return found


@loop("item* u1* i8* i8 i8 f8* f8* i8 i8*", _TYPES)
def binned(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, low, high, n, out): the bin of each item; -1 for nulls, NaN and items in no bin.

    The n bins of a row are of equal width and reach from `low` to `high`; an item on an edge is in the bin that begins there.
    """
    del kind

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, low: Any, high: Any, n: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end, start, stop = u8(offsets[row]), u8(offsets[row + u8(1)]), low[row], high[row]
            step = (stop - start) / f8(n)
            for i in range(begin, end):
                item = f8(values[i])
                inside = (item >= start) & (item <= stop)
                if nulls:
                    inside = inside & (valid[i] != 0)
                found = bin_of(item, inside, start, step, n)
                out[i] = found if inside else i8(-1)
        return 0

    return function


@loop("item* u1* i8* i8 i8 f8* f8* i8 f8* i8*", _TYPES)
def counted_bins(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, low, high, n, edges, out): the n + 1 edges of each row, and how many items a bin has.

    The bins are those of `binned`.
    """
    del kind

    def function(
        values: Any, valid: Any, offsets: Any, first: Any, last: Any, low: Any, high: Any, n: Any, edges: Any, out: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end, start, stop = u8(offsets[row]), u8(offsets[row + u8(1)]), low[row], high[row]
            step, at, head = (stop - start) / f8(n), row * u8(n), row * u8(n + 1)
            for k in range(u8(0), u8(n)):
                edges[head + k] = f8(k) * step + start
                out[at + k] = 0
            edges[head + u8(n)] = stop
            for i in range(begin, end):
                item = f8(values[i])
                inside = (item >= start) & (item <= stop)
                if nulls:
                    inside = inside & (valid[i] != 0)
                out[at + u8(bin_of(item, inside, start, step, n))] += i8(inside)  # no branch: nulls are mispredicted
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8*", ("i8",))
def counted_slots(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, n, out): how many items of each row are 0, 1 .. n - 1; negative ones are in no count.

    `out` has n counts for each row, and holds 0.
    """
    del kind, nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, n: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            start = row * u8(n)
            for i in range(u8(offsets[row]), u8(offsets[row + u8(1)])):
                if values[i] >= 0:
                    out[start + u8(values[i])] += 1
        return 0

    return function
