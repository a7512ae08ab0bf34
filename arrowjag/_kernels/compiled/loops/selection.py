"""The items at two neighbouring places of each sorted row or window, without sorting it, from which quantiles are interpolated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import SAMPLE, helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

SHORT = 24
"""Rows, and what is left of longer ones, up to this length compute the rank of each item by counting the smaller ones."""

FEW = 7
"""Items that two bounds are chosen from where fewer than `FEW_BELOW` are left."""

FEW_BELOW = 160

Function = Callable[..., int]


@loop("item* i8* i8 i8 i8* item* item* item* item*")
def select(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, places, scratch, sample, lower, upper): the items of rank places[row] and of the next rank.

    The last item has no next one and stands for it. There are no nulls and no NaN; rows that are empty are left out. `scratch` has
    room for the longest row, `sample` for `SAMPLE` items.

    Two items of a sample, a little below and above the place that is wanted, divide a row into three. The part that holds the place
    replaces the row. Parts are written without a branch for each item, which a processor could not foresee.
    """
    del kind, nulls

    def function(
        values: Any, offsets: Any, first: Any, last: Any, places: Any, scratch: Any, sample: Any, lower: Any, upper: Any
    ) -> int:
        for row in range(u8(first), u8(last)):
            base = u8(offsets[row])
            n = u8(offsets[row + u8(1)]) - base
            if n == u8(0):
                continue
            place, source = u8(places[row]), values
            above, has_above = values[base], False  # the smallest item beyond the part that is left
            found, repeated, answer, following = False, False, above, above
            while n > u8(SHORT) and not found:
                n_sample = u8(FEW) if n < u8(FEW_BELOW) else u8(SAMPLE)
                reach = u8(1) if n < u8(FEW_BELOW) else u8(4)
                step = n // n_sample
                state = n
                for i in range(u8(0), n_sample):
                    state = state * u8(6364136223846793005) + u8(1442695040888963407)
                    sample[i] = source[base + i * step + (((state >> u8(40)) * step) >> u8(24))]
                middle = place * n_sample // n
                below = middle - reach if middle > reach else u8(0)
                beyond = middle + reach if middle + reach < n_sample else n_sample - u8(1)
                low, high = above, above
                for i in range(u8(0), n_sample):
                    item = sample[i]
                    rank = u8(0)
                    for j in range(u8(0), i):
                        rank += u8(1) if sample[j] <= item else u8(0)
                    for j in range(i + u8(1), n_sample):
                        rank += u8(1) if sample[j] < item else u8(0)
                    low = item if rank == below else low
                    high = item if rank == beyond else high
                n_below, n_before = u8(0), u8(0)
                for i in range(base, base + n):
                    n_below += u8(1) if source[i] < low else u8(0)
                    n_before += u8(1) if source[i] < high else u8(0)
                kept = u8(0)
                if place < n_below:
                    for i in range(base, base + n):
                        item = source[i]
                        scratch[kept] = item
                        kept += u8(1) if item < low else u8(0)
                    above, has_above = low, True
                elif place < n_before:
                    for i in range(base, base + n):
                        item = source[i]
                        scratch[kept] = item
                        kept += u8(1) if (item > low) & (item < high) else u8(0)
                    place -= n_below
                    n_equal = n_before - n_below - kept
                    above, has_above = high, True
                    found, repeated, answer = place < n_equal, place + u8(1) < n_equal, low
                    place -= n_equal
                else:
                    for i in range(base, base + n):
                        item = source[i]
                        scratch[kept] = item
                        kept += u8(1) if item > high else u8(0)
                    place -= n_before
                    n_equal = n - n_before - kept
                    found, repeated, answer = place < n_equal, place + u8(1) < n_equal, high
                    place -= n_equal
                source, base, n = scratch, u8(0), kept
            if found:
                following = above if has_above else scratch[0] if n > u8(0) else answer
                for i in range(u8(0), n):
                    following = min(following, scratch[i])
                following = answer if repeated else following
            else:
                answer = source[base]
                following = above
                for i in range(base, base + n):
                    item = source[i]
                    rank = u8(0)
                    for j in range(base, i):
                        rank += u8(1) if source[j] <= item else u8(0)
                    for j in range(i + u8(1), base + n):
                        rank += u8(1) if source[j] < item else u8(0)
                    answer = item if rank == place else answer
                    following = item if rank == place + u8(1) else following
                if place + u8(1) == n:
                    following = above if has_above else answer
            lower[row] = answer
            upper[row] = following
        return 0

    return function


COUNTED = 64
"""Up to this many sorted items are all compared with a new one, to find its place: 64 at once cost less than six in turn."""


@helper
def _place(items: Any, n: Any, item: Any) -> Any:
    """How many of n sorted items are less than one."""
    first = u8(0)
    while n > u8(COUNTED):
        half = n >> u8(1)
        first += half * u8(items[first + half - u8(1)] < item)  # no jump, which the processor would guess wrong half of the time
        n -= half
    less = u8(0)
    for k in range(first, first + n):
        less += u8(items[k] < item)
    return first + less


@loop("item* i8* i8* i8 i8 i8* i8* f8* item* item* item* f8*")
def window_select(kind: str, nulls: bool) -> Function:
    """(values, low, high, first, last, below, above, weights, scratch, lower, upper, out): the items of two ranks in each window.

    `below`, `above` and `weights` hold for each size of a window the ranks and the share of the second one. Floats are mixed into
    `out`, others are written to `lower` and `upper`. The items of a window stay sorted in `scratch`, which has room for the longest
    window: an item that enters takes the slot of one that leaves. There are no nulls and no NaN; empty windows are left out.
    """
    del nulls
    mixes = kind == "f"

    def function(
        values: Any,
        low: Any,
        high: Any,
        first: Any,
        last: Any,
        below: Any,
        above: Any,
        weights: Any,
        scratch: Any,
        lower: Any,
        upper: Any,
        out: Any,
    ) -> int:
        begin, end, n = u8(0), u8(0), u8(0)
        for window in range(u8(first), u8(last)):
            start, stop = u8(low[window]), u8(high[window])
            if start >= stop:
                continue
            if start >= end or start < begin or stop < end:
                begin, end, n = start, start, u8(0)
            while begin < start or end < stop:
                left = n
                if begin < start:
                    left = _place(scratch, n, values[begin])
                if end == stop:
                    n -= u8(1)
                    for k in range(left, n):
                        scratch[k] = scratch[k + u8(1)]
                    begin += u8(1)
                    continue
                item = values[end]
                right = _place(scratch, n, item)
                if begin < start:
                    begin += u8(1)  # its slot becomes free: only the items between the two places move
                else:
                    n += u8(1)
                if right > left:
                    right -= u8(1)
                    for k in range(left, right):
                        scratch[k] = scratch[k + u8(1)]
                else:
                    for k in range(i8(left), i8(right), -1):
                        scratch[k] = scratch[k - 1]
                scratch[right] = item
                end += u8(1)
            one, two = scratch[u8(below[n])], scratch[u8(above[n])]
            if mixes:
                weight = weights[n]
                a, b = f8(one), f8(two)
                mixed = a * (1.0 - weight) + b * weight
                out[window] = a if (a == b or weight == 0.0) else mixed
            else:
                lower[window] = one
                upper[window] = two
        return 0

    return function
