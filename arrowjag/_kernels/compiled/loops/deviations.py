"""Squared deviations of the items of windows along rows from their mean.

The windows of a tile reach over few slots, so that their spans stay in the nearest caches. Most windows of a tile have one size and
lie side by side: these are found span by span, many at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.windows import tile_of

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

Function = Callable[..., int]


@loop("f8* f8* i8* i8* i8* i8 i8 i8 f8* f8*", ("f8",))
def window_squares(kind: str, nulls: bool) -> Function:
    """(values, ones, low, high, offsets, first, last, width, scratch, out): sums of squared deviations over windows.

    As `window_sums`, of counts, means and squares; a null is 0 and has a 0 among the ones, which are not read without nulls.
    `scratch` has three parts of `width` entries for each size, and three more. The result is NaN where the mean is not finite.
    """
    del kind
    return _squares_of_valid if nulls else _squares


@helper
def put_items_of_valid(values: Any, ones: Any, base: Any, n: Any, w: Any, scratch: Any) -> None:
    """Begin the table of spans with those of one item."""
    for i in range(u8(0), n):
        scratch[w * u8(3) + i] = ones[base + i]
        scratch[w * u8(4) + i] = values[base + i]
        scratch[w * u8(5) + i] = 0.0


@helper
def merge_spans_of_valid(n: Any, longest: Any, w: Any, scratch: Any) -> None:
    """Merge the spans of each size with their right neighbours, up to half of the longest window."""
    span, table = u8(1), w * u8(6)
    while span * u8(2) <= longest:
        before = table - w * u8(3)
        for i in range(u8(0), n - span * u8(2) + u8(1)):
            n1, n2 = scratch[before + i], scratch[before + i + span]
            count = n1 + n2
            share = n2 / max(count, 1.0)
            m1 = scratch[before + w + i]
            apart = scratch[before + w + i + span] - m1
            squares = scratch[before + w * u8(2) + i] + scratch[before + w * u8(2) + i + span]
            scratch[table + i] = count
            scratch[table + w + i] = m1 + apart * share
            scratch[table + w * u8(2) + i] = squares + apart * (n1 * share) * apart
        span *= u8(2)
        table += w * u8(3)


@helper
def put_windows_of_valid(at: Any, many: Any, size: Any, even: Any, w: Any, scratch: Any, out: Any) -> None:
    """Merge the spans of `many` windows of one size side by side."""
    counts, means, sums = u8(0), w, w * u8(2)
    for i in range(u8(0), many):
        scratch[counts + i] = 0.0
        scratch[means + i] = 0.0
        scratch[sums + i] = 0.0
    span, table = u8(1), w * u8(3)
    while span <= size:
        if size & span:
            for i in range(u8(0), many):
                n1, n2 = scratch[counts + i], scratch[table + at + i]
                count = n1 + n2
                share = n2 / max(count, 1.0)
                m1 = scratch[means + i]
                apart = scratch[table + w + at + i] - m1
                squares = scratch[sums + i] + scratch[table + w * u8(2) + at + i]
                scratch[sums + i] = squares + apart * (n1 * share) * apart
                scratch[means + i] = m1 + apart * share
                scratch[counts + i] = count
            at += span
        span *= u8(2)
        table += w * u8(3)
    for i in range(u8(0), many):
        m1 = scratch[means + i]
        out[even + i] = scratch[sums + i] if m1 - m1 == 0.0 else np.nan


@helper
def window_of_valid(at: Any, size: Any, w: Any, scratch: Any) -> Any:
    """Merge the spans of one window."""
    n1, m1, s1 = 0.0, 0.0, 0.0
    span, table = u8(1), w * u8(3)
    while span <= size:
        if size & span:
            n2 = scratch[table + at]
            count = n1 + n2
            share = n2 / max(count, 1.0)
            apart = scratch[table + w + at] - m1
            s1 = s1 + scratch[table + w * u8(2) + at] + apart * (n1 * share) * apart
            m1 = m1 + apart * share
            n1 = count
            at += span
        span *= u8(2)
        table += w * u8(3)
    return s1 if m1 - m1 == 0.0 else np.nan


def _squares_of_valid(
    values: Any, ones: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
) -> int:
    w = u8(width)
    for row in range(u8(first), u8(last)):
        begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
        while begin < end:
            stop, longest, even, beyond = tile_of(low, high, begin, end, w)
            base = u8(low[begin])
            n = u8(high[stop - u8(1)]) - base
            put_items_of_valid(values, ones, base, n, w, scratch)
            merge_spans_of_valid(n, longest, w, scratch)
            if even < beyond:
                put_windows_of_valid(u8(low[even]) - base, beyond - even, longest, even, w, scratch, out)
            i = begin
            while i < stop:
                if i == even and even < beyond:
                    i = beyond
                    continue
                out[i] = window_of_valid(u8(low[i]) - base, u8(high[i]) - u8(low[i]), w, scratch)
                i += u8(1)
            begin = stop
    return 0


@helper
def merge_spans(n: Any, longest: Any, w: Any, scratch: Any) -> None:
    """Merge the spans of each size with their right neighbours; without nulls both halves of a span weigh the same."""
    span, table = u8(1), w * u8(6)
    while span * u8(2) <= longest:
        before = table - w * u8(3)
        weight = f8(i8(span)) * 0.5
        for i in range(u8(0), n - span * u8(2) + u8(1)):
            m1 = scratch[before + w + i]
            apart = scratch[before + w + i + span] - m1
            squares = scratch[before + w * u8(2) + i] + scratch[before + w * u8(2) + i + span]
            scratch[table + w + i] = m1 + apart * 0.5
            scratch[table + w * u8(2) + i] = squares + apart * weight * apart
        span *= u8(2)
        table += w * u8(3)


@helper
def put_windows(at: Any, many: Any, size: Any, even: Any, w: Any, scratch: Any, out: Any) -> None:
    """Merge the spans of `many` windows of one size side by side; without nulls counts are sizes."""
    done = u8(0)
    span, table = u8(1), w * u8(3)
    while span <= size:
        if size & span:
            if done == u8(0):
                for i in range(u8(0), many):
                    scratch[i] = scratch[table + w + at + i] + 0.0
                    scratch[w + i] = scratch[table + w * u8(2) + at + i]
            else:
                share = f8(i8(span)) / f8(i8(done + span))
                weight = f8(i8(done)) * share
                for i in range(u8(0), many):
                    m1 = scratch[i]
                    apart = scratch[table + w + at + i] - m1
                    squares = scratch[w + i] + scratch[table + w * u8(2) + at + i]
                    scratch[w + i] = squares + apart * weight * apart
                    scratch[i] = m1 + apart * share
            done += span
            at += span
        span *= u8(2)
        table += w * u8(3)
    for i in range(u8(0), many):
        m1 = scratch[i]
        out[even + i] = scratch[w + i] if m1 - m1 == 0.0 else np.nan


@helper
def put_others(
    low: Any, high: Any, begin: Any, stop: Any, even: Any, beyond: Any, base: Any, w: Any, scratch: Any, out: Any
) -> None:
    """Merge the spans of each window from `begin` to before `stop` that is not among those from `even` to before `beyond`."""
    known, share, weight = u8(0), 0.0, 0.0  # of two neighbouring windows of one size, the divisions are made once
    i = begin
    while i < stop:
        if i == even and even < beyond:
            i = beyond
            continue
        at, size = u8(low[i]) - base, u8(high[i]) - u8(low[i])
        m1, s1 = 0.0, 0.0
        done = u8(0)
        span, table = u8(1), w * u8(3)
        while span <= size:
            if size & span:
                mean, squares = scratch[table + w + at], scratch[table + w * u8(2) + at]
                if done == u8(0):
                    m1, s1 = mean + 0.0, squares
                else:
                    if done + span != known:
                        known = done + span
                        share = f8(i8(span)) / f8(i8(known))
                        weight = f8(i8(done)) * share
                    apart = mean - m1
                    s1 = s1 + squares + apart * weight * apart
                    m1 = m1 + apart * share
                done += span
                at += span
            span *= u8(2)
            table += w * u8(3)
        out[i] = s1 if m1 - m1 == 0.0 else np.nan
        i += u8(1)


def _squares(
    values: Any, ones: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
) -> int:
    """Write the squared deviations of the windows of some rows without nulls, tile by tile."""
    w = u8(width)
    for row in range(u8(first), u8(last)):
        begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
        while begin < end:
            stop, longest, even, beyond = tile_of(low, high, begin, end, w)
            base = u8(low[begin])
            n = u8(high[stop - u8(1)]) - base
            for i in range(u8(0), n):
                scratch[w * u8(4) + i] = values[base + i]
                scratch[w * u8(5) + i] = 0.0
            merge_spans(n, longest, w, scratch)
            if even < beyond:
                put_windows(u8(low[even]) - base, beyond - even, longest, even, w, scratch, out)
            put_others(low, high, begin, stop, even, beyond, base, w, scratch, out)
            begin = stop
    return 0


@loop("f8* i8 i8 i8 i8 f8 i8 f8* f8*", ("f8",))
def rolling_variances(kind: str, nulls: bool) -> Function:
    """(values, first, last, window, tile, parts, root, scratch, out): variances of `window` items from each place on.

    As `rolling_sums`, of the squares that `window_squares` adds up, divided by `parts`; their roots where `root` is not 0. NaN
    where a result is not finite. `scratch` has six times the length of a tile and a window.
    """
    del kind, nulls

    def function(values: Any, first: Any, last: Any, window: Any, tile: Any, parts: Any, root: Any, scratch: Any, out: Any) -> int:
        start, end, size = u8(first), u8(last), u8(window)
        room = u8(tile) + size
        means, sums = room * u8(4), room * u8(5)  # of whole windows, as far as their spans are merged
        while start < end:
            n = min(u8(tile), end - start)
            done = size & u8(1)
            if done:
                for i in range(u8(0), n):
                    scratch[means + i] = values[start + i] + 0.0
                    scratch[sums + i] = 0.0
            span, before, after = u8(1), u8(0), room * u8(2)
            while span * u8(2) <= size:
                many = n + size - span * u8(2)
                weight = f8(i8(span)) * 0.5
                if span == u8(1):
                    for i in range(u8(0), many):
                        m1 = values[start + i]
                        apart = values[start + i + u8(1)] - m1
                        scratch[after + i] = m1 + apart * 0.5
                        scratch[after + room + i] = 0.0 + apart * weight * apart
                else:
                    for i in range(u8(0), many):
                        m1 = scratch[before + i]
                        apart = scratch[before + i + span] - m1
                        squares = scratch[before + room + i] + scratch[before + room + i + span]
                        scratch[after + i] = m1 + apart * 0.5
                        scratch[after + room + i] = squares + apart * weight * apart
                span *= u8(2)
                before, after = after, before
                if size & span:
                    if done == u8(0):
                        for i in range(u8(0), n):
                            scratch[means + i] = scratch[before + i] + 0.0
                            scratch[sums + i] = scratch[before + room + i]
                    else:
                        share = f8(i8(span)) / f8(i8(done + span))
                        weight = f8(i8(done)) * share
                        for i in range(u8(0), n):
                            m1 = scratch[means + i]
                            apart = scratch[before + done + i] - m1
                            squares = scratch[sums + i] + scratch[before + room + done + i]
                            scratch[sums + i] = squares + apart * weight * apart
                            scratch[means + i] = m1 + apart * share
                    done += span
            for i in range(u8(0), n):
                m1 = scratch[means + i]
                found = scratch[sums + i] / parts
                out[start + i] = found if (m1 - m1 == 0.0) & (found - found == 0.0) else np.nan
            if root:
                for i in range(u8(0), n):
                    out[start + i] = np.sqrt(out[start + i])
            start += n
        return 0

    return function
