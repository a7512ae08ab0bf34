"""Sums, extremes and variances of the items of each window.

A result over a window of n items is made of spans of 1, 2, 4.. items, the smallest first, as the bits of n say. So it depends on
the items of the window alone, nothing is ever subtracted, and any window takes log(n) steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import identity_of
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import longest_of
from arrowjag._kernels.base.totals import running_count
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.segments import Block, Valid, over_blocks, shifted, without_signed_zeros
from arrowjag._kernels.scan.rolling import whole_windows
from arrowjag._kernels.scan.windows import Integers, Merge, Spans, Windows

__all__ = ["counts", "extremes", "first_items", "full_variances", "last_items", "sums", "variances"]


def _levels(items: Spans, merge: Merge, longest: int) -> Iterator[Spans]:
    """Spans of 1, 2, 4.. items from each place on, as long as some window needs them."""
    span = 1
    while span <= longest:
        yield items
        if 2 * span > longest:
            return
        items = merge(tuple(one[: len(one) - span] for one in items), tuple(one[span:] for one in items))
        span *= 2


def combine(items: Spans, merge: Merge, identity: tuple[Any, ...], windows: Windows) -> Spans:
    """Merge the items of each window; an empty window gives `identity`."""
    sizes = windows.sizes
    out = tuple(np.full(len(sizes), start, one.dtype) for one, start in zip(items, identity, strict=True))
    longest = longest_of(sizes)
    place = windows.low.copy()
    for level, spans in enumerate(_levels(items, merge, longest)):
        here = ((sizes >> level) & 1).astype(np.bool_).nonzero()[0]
        if len(here) == len(sizes) and level == 0:
            from_place = place
            made = tuple(one[from_place] for one in spans)
            for target, part in zip(out, made, strict=True):
                target[:] = part
            place += 1
            continue
        at = place[here]
        made = merge(tuple(one[here] for one in out), tuple(one[at] for one in spans))
        for target, part in zip(out, made, strict=True):
            target[here] = part
        place[here] = at + (1 << level)
    return out


def whole(items: Spans, merge: Merge, window: int) -> Spans:
    """Merge `window` items from each place on, without regard to rows; the results are those of `combine`."""
    n = len(items[0]) - window + 1
    found: Spans | None = None
    done = 0
    for level, spans in enumerate(_levels(items, merge, window)):
        if window >> level & 1:
            part = tuple(one[done : done + n] for one in spans)
            found = part if found is None else merge(found, part)
            done += 1 << level
    assert found is not None
    return found


def over_windows(items: Spans, merge: Merge, identity: tuple[Any, ...], windows: Windows) -> Spans:
    """Merge the items of each window on all cores; windows of a long row are merged in tiles, whose spans stay in cache."""
    n, tile = len(windows.low), strategy.sizes.CACHE_VALUES
    if n <= tile or longest_of(windows.sizes) > tile:
        return _over_tile(items, merge, identity, windows)
    out = tuple(empty(n, one.dtype) for one in items)

    def work(first: int) -> None:
        low, high = (bounds[first : first + tile] for bounds in windows)
        begin, end = int(low.min()), int(high.max())
        near = tuple(one[begin:end] for one in items)
        for target, part in zip(out, _over_tile(near, merge, identity, Windows(low - begin, high - begin)), strict=True):
            target[first : first + tile] = part

    map_tasks(lambda first: without_warnings(work, first), range(0, n, tile), n)
    return out


def _over_tile(items: Spans, merge: Merge, identity: tuple[Any, ...], windows: Windows) -> Spans:
    """Merge the items of the windows of one tile; windows of the longest size are computed for neighbouring items at once."""
    sizes = windows.sizes
    n = len(sizes)
    longest = longest_of(sizes)
    full = sizes == longest
    n_full = int(np.count_nonzero(full))
    if 2 * n_full < n or longest < 2:
        return combine(items, merge, identity, windows)
    found = whole(items, merge, longest)
    first = int(full.argmax())
    back = first - int(windows.low[first])
    if not (windows.low[full] + back == full.nonzero()[0]).all():
        return combine(items, merge, identity, windows)
    out = tuple(empty(n, one.dtype) for one in items)
    for target, one in zip(out, found, strict=True):
        target[back : back + len(one)] = one
    rest = (~full).nonzero()[0]
    if len(rest):
        for target, part in zip(out, combine(items, merge, identity, Windows(windows.low[rest], windows.high[rest])), strict=True):
            target[rest] = part
    return out


def counts(valid: Valid, offsets: Integers, windows: Windows) -> Integers:
    """Count the items of each window that are not null."""
    if valid is None:
        return windows.sizes
    loop = strategy.loop_of("window", find_loop("window_counts", valid.dtype, False, len(valid)))
    if loop is not None:
        found = empty(len(valid), np.int64)
        map_rows(lambda first, last: loop(valid, *windows, offsets, first, last, found), offsets)
        return found
    if len(valid) < strategy.sizes.THREAD_VALUES:
        running = running_count(valid)
        high, low = running[windows.high], running[windows.low]
        difference: Integers = np.subtract(high, low, dtype=np.int64)
        return difference
    out = empty(len(valid), np.int64)

    def work(block: Block) -> None:
        before = running_count(block.data)
        part = windows.part(block.items)
        out[block.items] = before[part.high] - before[part.low]

    over_blocks(work, valid, None, offsets)
    return out


def _added(one: Spans, two: Spans) -> Spans:
    return tuple(a + b for a, b in zip(one, two, strict=True))


def sums(data: NDArray[Any], offsets: Integers, windows: Windows, trailing: int = 0) -> NDArray[Any]:
    """Sums of float64 or 64-bit integers over windows; nulls are 0 already. Integers wrap around.

    Parameters
    ----------
    trailing : int
        The size of windows that end with their item, of which some are cut where their row begins; 0 for others.

    Notes
    -----
    1M float64 and trailing windows of 3 take 1.3 ms of CPU time in rows of 1,000, because those that are not cut are found at once;
    one by one 6.5.
    """
    out = empty(len(data), data.dtype)

    loop = strategy.loop_of("window", find_loop("window_sums", data.dtype, False, len(data), often=True))
    values = np.ascontiguousarray(data)
    begins, ends = offsets[:-1], offsets[1:]
    # This holds if windows are longer than the mean row, or if there are few values.
    if trailing * len(begins) > len(data) or len(data) < strategy.sizes.CALL_VALUES:
        trailing = 0
    cuts = np.minimum(begins + (trailing - 1), ends) if trailing else ends

    def work(block: Block) -> None:
        if loop is not None:
            if trailing:
                target = out[block.items][trailing - 1 :]
                whole_windows(np.add, block.data, trailing, target)
                target += 0  # a sum is never -0.0
            width, levels = _scratch_of(windows, block.items, trailing)
            scratch = empty(width * max(levels - 1, 0), data.dtype)
            loop(values, *windows, begins, cuts, block.rows.start, block.rows.stop, width, scratch, out)
            return
        (out[block.items],) = over_windows((block.data,), _added, (0,), windows.part(block.items))

    over_blocks(work, data, None, offsets)
    if data.dtype.kind == "f" and loop is None:
        out += 0.0  # a sum is never -0.0
    return out


def _scratch_of(windows: Windows, items: slice, longest: int = 0) -> tuple[int, int]:
    """Return how many slots the windows of a tile may span, and how many sizes of spans they need; for few values, upper bounds."""
    n = items.stop - items.start
    if n < strategy.sizes.CALL_VALUES:
        return n, n.bit_length()
    longest = longest or longest_of(windows.part(items).sizes)
    return min(n, 2 * longest + strategy.sizes.WINDOW_TILE // 2), longest.bit_length()


def extremes(ufunc: np.ufunc, data: NDArray[Any], valid: Valid, offsets: Integers, windows: Windows) -> NDArray[Any]:
    """Call np.fmin or np.fmax over windows; NaN only if all items are NaN, and arbitrary for a window without items."""
    values = data.view(np.uint8) if data.dtype == np.bool_ else data
    identity = np.nan if values.dtype.kind == "f" else identity_of(values.dtype, ufunc is np.fmax)
    out = empty(len(values), values.dtype)

    name = "window_min" if ufunc is np.fmin else "window_max"
    loop = strategy.loop_of("window", find_loop(name, values.dtype, False, len(values), often=True))

    def work(block: Block) -> None:
        items, part = np.ascontiguousarray(block.filled(identity)), windows.part(block.items)
        if loop is not None:
            width, levels = _scratch_of(windows, block.items)
            scratch, bounds = empty(width * max(levels, 1), values.dtype), block.offsets
            loop(items, *part, bounds[:-1], bounds[1:], 0, len(bounds) - 1, width, scratch, out[block.items])
            out[block.items] = without_signed_zeros(out[block.items])
            return
        (found,) = over_windows((items,), lambda a, b: (ufunc(*a, *b),), (identity,), part)
        out[block.items] = without_signed_zeros(found)

    over_blocks(work, values, valid, offsets)
    return out.view(data.dtype)


def variances(data: NDArray[Any], valid: Valid, offsets: Integers, windows: Windows) -> NDArray[np.float64]:
    """Sum squared deviations from the mean of each window, computed from the means of its spans and their distances."""
    out = empty(len(data), np.float64)

    def work(block: Block) -> None:
        part = windows.part(block.items)
        values = block.filled(0, np.float64) if block.data.dtype.kind == "f" else shifted(block)
        nulls = block.valid is not None
        loop = strategy.loop_of("window", find_loop("window_squares", values.dtype, nulls, len(values), often=True))
        if block.valid is not None:
            present = block.valid.astype(np.float64)
        else:
            present = empty(0, np.float64) if loop is not None else np.ones(len(values))
        if loop is not None:
            width, levels = _scratch_of(windows, block.items)
            scratch, rows = empty(3 * width * (max(levels, 1) + 1), np.float64), len(block.offsets) - 1
            loop(np.ascontiguousarray(values), present, *part, block.offsets, 0, rows, width, scratch, out[block.items])
            return
        _, means, found = over_windows((present, values, np.zeros(len(values))), merge_deviations, (0, 0, 0), part)
        found[~np.isfinite(means)] = np.nan
        out[block.items] = found

    over_blocks(work, data, valid, offsets)
    return out


def full_variances(
    data: NDArray[Any], valid: Valid, offsets: Integers, window: int, parts: int, *, root: bool
) -> NDArray[np.float64]:
    """Variances of the last `window` items up to each one, of `parts` parts, or their roots; NaN where one is not finite.

    Those of windows with fewer items, or with nulls, are arbitrary. The same bits as of `variances`, without regard to rows.
    """
    out = empty(len(data), np.float64)

    def work(block: Block) -> None:
        values = block.data.astype(np.float64, copy=False) if block.data.dtype.kind == "f" else shifted(block)
        places = out[block.items]
        n = len(values) - window + 1
        places[: window - 1] = 0
        if n <= 0:
            return
        places = places[window - 1 :]
        loop = strategy.loop_of("window", find_loop("rolling_variances", values.dtype, False, len(values), often=True))
        if loop is not None:
            tile = max(strategy.sizes.WINDOW_TILE // 2, window)
            scratch = empty(6 * (tile + window), np.float64)
            loop(np.ascontiguousarray(values), 0, n, window, tile, float(parts), int(root), scratch, places)
            return
        ones, zeros = np.ones(len(values)), np.zeros(len(values))
        _, means, squares = whole((ones, values, zeros), merge_deviations, window)
        np.divide(squares, parts, out=places)
        places[~(np.isfinite(means) & np.isfinite(places))] = np.nan
        if root:
            np.sqrt(places, out=places)

    over_blocks(work, data, valid, offsets)
    return out


def merge_deviations(one: Spans, two: Spans) -> Spans:
    """Merge the counts, means and sums of squared deviations of two spans."""
    (n1, mean1, squares1), (n2, mean2, squares2) = one, two
    n = n1 + n2
    share = n2 / np.maximum(n, 1)
    apart = mean2 - mean1
    mean = mean1 + apart * share
    squares = squares1 + squares2 + apart * (n1 * share) * apart
    return n, mean, squares


def first_items(valid: Valid, windows: Windows) -> Integers:
    """Return the first item of each window that is not null; arbitrary if there is none."""
    n = len(windows.low)
    if valid is None:
        return np.minimum(windows.low, max(n - 1, 0))
    after = np.where(valid, np.arange(n), n)
    after = np.minimum.accumulate(after[::-1])[::-1]
    return np.minimum(after[np.minimum(windows.low, max(n - 1, 0))], max(n - 1, 0))


def last_items(valid: Valid, windows: Windows) -> Integers:
    """Return the last item of each window that is not null; arbitrary if there is none."""
    n = len(windows.low)
    before = np.maximum(windows.high - 1, 0)
    if valid is None:
        return before
    found: Integers = np.maximum.accumulate(np.where(valid, np.arange(n), 0))[before]
    return found
