"""Windows along rows: their bounds, sums and extremes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

Function = Callable[..., int]

SHORT = 64
"""In rows up to this length windows are found one by one."""


@loop("item* i8* i8 i8 f8 f8 i8 i8 i8* i8*", ("i8", "f8"))
def window_bounds(kind: str, nulls: bool) -> Function:
    """(times, offsets, first, last, far_f, near_f, far, near, low, high): the items before each one by less than `far`.

    They reach to the item itself, or with `near` of at least 0 to the last one that is later by at most that. Floats compare with
    the numbers of float64, integers, whose differences have no sign, with the others.
    """
    del nulls
    is_float = kind == "f"

    def function(
        times: Any, offsets: Any, first: Any, last: Any, far_f: Any, near_f: Any, far: Any, near: Any, low: Any, high: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            start, stop = begin, begin
            for i in range(begin, end):
                if is_float:
                    while start < i and times[i] - times[start] >= far_f:
                        start += u8(1)
                else:
                    while start < i and u8(times[i]) - u8(times[start]) >= u8(far):
                        start += u8(1)
                low[i] = i8(start)
                if near < 0:
                    high[i] = i8(i + u8(1))
                    continue
                stop = max(i + u8(1), stop)
                if is_float:
                    while stop < end and times[stop] - times[i] <= near_f:
                        stop += u8(1)
                else:
                    while stop < end and u8(times[stop]) - u8(times[i]) <= u8(near):
                        stop += u8(1)
                high[i] = i8(stop)
        return 0

    return function


@loop("item* i8* i8* i8* i8 i8 i8*", ("b1",))
def window_counts(kind: str, nulls: bool) -> Function:
    """(values, low, high, offsets, first, last, out): how many flags of each window are set.

    Windows rise within a row: flags are added where the next one ends later, and subtracted where it begins later.
    """
    del kind, nulls

    def function(values: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = i8(0)
            start = u8(low[begin]) if begin < end else u8(0)
            stop = start
            for i in range(begin, end):
                while stop < u8(high[i]):
                    n += i8(values[stop])
                    stop += u8(1)
                while start < u8(low[i]):
                    n -= i8(values[start])
                    start += u8(1)
                out[i] = n
        return 0

    return function


@helper
def tile_of(low: Any, high: Any, first: Any, last: Any, width: Any) -> Any:
    """A tile of the windows from an item on: before which item it ends, its longest window, and which windows are even.

    All of its windows together reach over at most `width` slots. Even windows have the size of the longest and begin one slot after
    the one before; in short rows they are not looked for.
    """
    stop, longest = first, u8(0)
    if last - first <= u8(SHORT) and u8(high[last - u8(1)]) - u8(low[first]) <= width:
        while stop < last:
            longest = max(longest, u8(high[stop]) - u8(low[stop]))
            stop += u8(1)
        return stop, longest, stop, stop
    while stop < last and u8(high[stop]) - u8(low[first]) <= width:
        longest = max(longest, u8(high[stop]) - u8(low[stop]))
        stop += u8(1)
    even = first
    while u8(high[even]) - u8(low[even]) != longest:
        even += u8(1)
    beyond = even
    if longest > u8(0):
        while beyond < stop and u8(low[beyond]) - u8(low[even]) == beyond - even and u8(high[beyond]) - u8(low[beyond]) == longest:
            beyond += u8(1)
    return stop, longest, even, beyond


@loop("item* i8* i8* i8* i8* i8 i8 i8 item* item*", ("i8", "u8", "f8"))
def window_sums(kind: str, nulls: bool) -> Function:
    """(values, low, high, begins, ends, first, last, width, scratch, out): sums over windows of spans of 1, 2, 4.. items.

    The items of a row are those from where it begins to before where it ends. They are taken in tiles whose windows together reach
    over at most `width` slots, which no window exceeds. `scratch` holds the spans of a tile from each of its slots on, `width`
    entries for each size but the first.
    """
    del nulls
    zero = 0.0 if kind == "f" else u8(0) if kind == "u" else i8(0)

    def function(
        values: Any, low: Any, high: Any, begins: Any, ends: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(begins[row]), u8(ends[row])
            while begin < end:
                stop, longest, even, beyond = tile_of(low, high, begin, end, u8(width))
                base = u8(low[begin])
                n = u8(high[stop - u8(1)]) - base
                span, table = u8(1), u8(0)
                while span * u8(2) <= longest:
                    many = n - span * u8(2) + u8(1)
                    if span == u8(1):
                        for i in range(u8(0), many):
                            scratch[i] = values[base + i] + values[base + i + u8(1)]
                    else:
                        before = table - u8(width)
                        for i in range(u8(0), many):
                            scratch[table + i] = scratch[before + i] + scratch[before + i + span]
                    span *= u8(2)
                    table += u8(width)
                if even < beyond:
                    at, many = u8(low[even]), beyond - even
                    for i in range(u8(0), many):
                        out[even + i] = zero + values[at + i] if longest & u8(1) else zero
                    at += longest & u8(1)
                    span, table = u8(2), u8(0)
                    while span <= longest:
                        if longest & span:
                            for i in range(u8(0), many):
                                out[even + i] = out[even + i] + scratch[table + at - base + i]
                            at += span
                        span *= u8(2)
                        table += u8(width)
                i = begin
                while i < stop:
                    if i == even and even < beyond:
                        i = beyond
                        continue
                    at, size = u8(low[i]), u8(high[i]) - u8(low[i])
                    total = zero
                    if size & u8(1):
                        total = total + values[at]
                        at += u8(1)
                    span, table = u8(2), u8(0)
                    while span <= size:
                        if size & span:
                            total = total + scratch[table + at - base]
                            at += span
                        span *= u8(2)
                        table += u8(width)
                    out[i] = total
                    i += u8(1)
                begin = stop
        return 0

    return function


def _better(kind: str, largest: bool) -> Any:
    """A function that returns the more extreme of two items; a NaN is no extreme beside a number."""
    is_float = kind == "f"

    def function(one: Any, two: Any) -> Any:
        keeps = one >= two if largest else one <= two
        if is_float:
            keeps = keeps or two != two
        return one if keeps else two

    return helper(function)


def _window_extremes(kind: str, largest: bool) -> Function:
    """Extremes over windows of spans of 1, 2, 4.. items; the two longest spans that cover a window may overlap."""
    better = _better(kind, largest)

    def function(
        values: Any, low: Any, high: Any, begins: Any, ends: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(begins[row]), u8(ends[row])
            while begin < end:
                stop, longest, even, beyond = tile_of(low, high, begin, end, u8(width))
                base = u8(low[begin])
                n = u8(high[stop - u8(1)]) - base
                for i in range(u8(0), n):
                    scratch[i] = values[base + i]
                span, table = u8(1), u8(0)
                while span * u8(2) <= longest:
                    for i in range(u8(0), n - span * u8(2) + u8(1)):
                        scratch[table + u8(width) + i] = better(scratch[table + i], scratch[table + i + span])
                    span *= u8(2)
                    table += u8(width)
                if even < beyond:
                    at = table + u8(low[even]) - base
                    for i in range(u8(0), beyond - even):
                        out[even + i] = better(scratch[at + i], scratch[at + longest - span + i])
                i = begin
                while i < stop:
                    if i == even and even < beyond:
                        i = beyond
                        continue
                    at, size = u8(low[i]) - base, u8(high[i]) - u8(low[i])
                    while span * u8(2) <= size:
                        span *= u8(2)
                        table += u8(width)
                    while span > max(size, u8(1)):
                        span >>= u8(1)
                        table -= u8(width)
                    out[i] = better(scratch[table + at], scratch[table + at + size - span]) if size else values[begin]
                    i += u8(1)
                begin = stop
        return 0

    return function


@loop("item* i8* i8* i8* i8* i8 i8 i8 item* item*")
def window_min(kind: str, nulls: bool) -> Function:
    """(values, low, high, begins, ends, first, last, width, scratch, out): the least of each window, in tiles as `window_sums`.

    `scratch` holds the spans of each size, `width` entries for each. A window without items has an arbitrary result.
    """
    del nulls
    return _window_extremes(kind, False)


@loop("item* i8* i8* i8* i8* i8 i8 i8 item* item*")
def window_max(kind: str, nulls: bool) -> Function:
    """(values, low, high, begins, ends, first, last, width, scratch, out): the greatest of each window, as `window_min`."""
    del nulls
    return _window_extremes(kind, True)


@loop("item* i8 i8 i8 i8 item* item*", ("i8", "u8", "f8"))
def rolling_sums(kind: str, nulls: bool) -> Function:
    """(values, first, last, window, tile, scratch, out): sums of `window` items from each place on, without regard to rows.

    `tile` results are found at a time, in the order of addition of spans of 1, 2, 4.. items. `scratch` has twice the length of a
    tile and a window.
    """
    del kind, nulls

    def function(values: Any, first: Any, last: Any, window: Any, tile: Any, scratch: Any, out: Any) -> int:
        start, end, size = u8(first), u8(last), u8(window)
        while start < end:
            n = min(u8(tile), end - start)
            done = size & u8(1)
            if done:
                for i in range(u8(0), n):
                    out[start + i] = values[start + i]
            span, before, after = u8(1), u8(0), u8(tile) + size
            while span * u8(2) <= size:
                many = n + size - span * u8(2)
                if span == u8(1):
                    for i in range(u8(0), many):
                        scratch[after + i] = values[start + i] + values[start + i + u8(1)]
                else:
                    for i in range(u8(0), many):
                        scratch[after + i] = scratch[before + i] + scratch[before + i + span]
                span *= u8(2)
                before, after = after, before
                if size & span:
                    if done == u8(0):
                        for i in range(u8(0), n):
                            out[start + i] = scratch[before + i]
                    else:
                        for i in range(u8(0), n):
                            out[start + i] = out[start + i] + scratch[before + done + i]
                    done += span
            start += n
        return 0

    return function


def _rolling_extremes(kind: str, largest: bool) -> Function:
    """Extremes of `window` items from each place on; the two spans of 2**k items that cover a window may overlap."""
    better = _better(kind, largest)

    def function(values: Any, first: Any, last: Any, window: Any, tile: Any, scratch: Any, out: Any) -> int:
        start, end, size = u8(first), u8(last), u8(window)
        while start < end:
            n = min(u8(tile), end - start)
            for i in range(u8(0), n + size - u8(1)):
                scratch[i] = values[start + i]
            span, before, after = u8(1), u8(0), u8(tile) + size
            while span < size:
                apart = min(span, size - span)
                for i in range(u8(0), n + size - span - apart):
                    scratch[after + i] = better(scratch[before + i], scratch[before + i + apart])
                span += apart
                before, after = after, before
            for i in range(u8(0), n):
                out[start + i] = scratch[before + i]
            start += n
        return 0

    return function


@loop("item* i8 i8 i8 i8 item* item*")
def rolling_min(kind: str, nulls: bool) -> Function:
    """(values, first, last, window, tile, scratch, out): the least of `window` items from each place on, as `rolling_sums`."""
    del nulls
    return _rolling_extremes(kind, False)


@loop("item* i8 i8 i8 i8 item* item*")
def rolling_max(kind: str, nulls: bool) -> Function:
    """(values, first, last, window, tile, scratch, out): the greatest of `window` items from each place on, as `rolling_sums`."""
    del nulls
    return _rolling_extremes(kind, True)
