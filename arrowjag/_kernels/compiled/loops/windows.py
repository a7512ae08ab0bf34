"""Windows along rows: their bounds, sums, extremes and squared deviations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64

Function = Callable[..., int]


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


@loop("item* i8* i8* i8* i8 i8 i8 item* item*", ("i8", "u8", "f8"))
def window_sums(kind: str, nulls: bool) -> Function:
    """(values, low, high, offsets, first, last, width, scratch, out): sums over windows of spans of 1, 2, 4.. items.

    `scratch` holds the spans of a row from each of its items on, `width` entries for each size but the first.
    """
    del nulls
    zero = 0.0 if kind == "f" else u8(0) if kind == "u" else i8(0)

    def function(values: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            longest = u8(0)
            for i in range(begin, end):
                longest = max(longest, u8(high[i]) - u8(low[i]))
            span, table = u8(1), u8(0)
            while span * u8(2) <= longest:
                many = n - span * u8(2) + u8(1)
                if span == u8(1):
                    for i in range(u8(0), many):
                        scratch[i] = values[begin + i] + values[begin + i + u8(1)]
                else:
                    before = table - u8(width)
                    for i in range(u8(0), many):
                        scratch[table + i] = scratch[before + i] + scratch[before + i + span]
                span *= u8(2)
                table += u8(width)
            for i in range(begin, end):
                at, size = u8(low[i]), u8(high[i]) - u8(low[i])
                total = zero
                if size & u8(1):
                    total = total + values[at]
                    at += u8(1)
                span, table = u8(2), u8(0)
                while span <= size:
                    if size & span:
                        total = total + scratch[table + at - begin]
                        at += span
                    span *= u8(2)
                    table += u8(width)
                out[i] = total
        return 0

    return function


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
    is_float = kind == "f"

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
                    one, two = scratch[before + i], scratch[before + i + apart]
                    keeps = one >= two if largest else one <= two
                    if is_float:
                        keeps = keeps or two != two  # NaN is no extreme beside a number
                    scratch[after + i] = one if keeps else two
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


@loop("f8* f8* i8* i8* i8* i8 i8 i8 f8* f8*", ("f8",))
def window_squares(kind: str, nulls: bool) -> Function:
    """(values, ones, low, high, offsets, first, last, width, scratch, out): sums of squared deviations over windows.

    As `window_sums`, of counts, means and squares; a null is 0 and has a 0 among the ones, which are not read without nulls.
    `scratch` has three parts per span. The result is NaN where the mean is not finite.
    """
    del kind
    return _squares_of_valid if nulls else _squares


def _squares_of_valid(
    values: Any, ones: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
) -> int:
    w = u8(width)
    for row in range(u8(first), u8(last)):
        begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
        n = end - begin
        longest = u8(0)
        for i in range(begin, end):
            longest = max(longest, u8(high[i]) - u8(low[i]))
        for i in range(u8(0), n):
            scratch[i] = ones[begin + i]
            scratch[w + i] = values[begin + i]
            scratch[w * u8(2) + i] = 0.0
        span, table = u8(1), w * u8(3)
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
        for i in range(begin, end):
            at, size = u8(low[i]) - begin, u8(high[i]) - u8(low[i])
            n1, m1, s1 = 0.0, 0.0, 0.0
            span, table = u8(1), u8(0)
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
            out[i] = s1 if m1 - m1 == 0.0 else np.nan
    return 0


def _squares(
    values: Any, ones: Any, low: Any, high: Any, offsets: Any, first: Any, last: Any, width: Any, scratch: Any, out: Any
) -> int:
    """The same numbers without nulls: counts are sizes, and halves of a span weigh the same."""
    w = u8(width)
    for row in range(u8(first), u8(last)):
        begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
        n = end - begin
        longest = u8(0)
        for i in range(begin, end):
            longest = max(longest, u8(high[i]) - u8(low[i]))
        span, table = u8(1), w * u8(3)
        while span * u8(2) <= longest:
            before = table - w * u8(3)
            weight = f8(i8(span)) * 0.5
            for i in range(u8(0), n - span * u8(2) + u8(1)):
                if span == u8(1):
                    m1 = values[begin + i]
                    apart = values[begin + i + u8(1)] - m1
                    squares = 0.0
                else:
                    m1 = scratch[before + w + i]
                    apart = scratch[before + w + i + span] - m1
                    squares = scratch[before + w * u8(2) + i] + scratch[before + w * u8(2) + i + span]
                scratch[table + w + i] = m1 + apart * 0.5
                scratch[table + w * u8(2) + i] = squares + apart * weight * apart
            span *= u8(2)
            table += w * u8(3)
        known, share, weight = u8(0), 0.0, 0.0  # of two neighbouring windows of one size, the divisions are made once
        for i in range(begin, end):
            at, size = u8(low[i]) - begin, u8(high[i]) - u8(low[i])
            odd = size & u8(1)
            m1 = values[begin + at] + 0.0 if odd else 0.0
            s1 = 0.0
            at += odd
            done = odd
            span, table = u8(2), w * u8(3)
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
    return 0
