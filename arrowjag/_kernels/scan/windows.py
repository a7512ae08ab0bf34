"""Windows of any size along rows: items from `low` to before `high` of each item, both rising within a row.

A result over a window of n items is made of spans of 1, 2, 4.. items, the smallest first, as the bits of n say. So it depends on
the items of the window alone, nothing is ever subtracted, and any window takes log(n) steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.loops import find_loop
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.reduce.segments import Block, over_blocks, shifted

__all__ = ["Windows", "counts", "extremes", "first_items", "is_falling", "last_items", "of_items", "of_times", "sums", "variances"]

Valid: TypeAlias = "NDArray[np.bool_] | None"
Integers: TypeAlias = "NDArray[np.int64]"
Spans: TypeAlias = "tuple[NDArray[Any], ...]"
Merge: TypeAlias = Callable[[Spans, Spans], Spans]


class Windows(NamedTuple):
    """The window of each item, as positions among all values."""

    low: Integers
    high: Integers

    @property
    def sizes(self) -> Integers:
        """The number of slots of each window."""
        return row_sizes_of(self.low, self.high)

    def part(self, items: slice) -> Windows:
        """The windows of some rows, as positions among their values."""
        if items.start == 0:
            return Windows(self.low[items], self.high[items])
        return Windows(self.low[items] - items.start, self.high[items] - items.start)


def row_sizes_of(low: Integers, high: Integers) -> Integers:
    """The differences."""
    found: Integers = high - low
    return found


# --------------------------------------------------------------------------------------------------- which items


def of_items(offsets: Integers, window: int | None, center: bool = False) -> Windows:
    """The last `window` items up to each one, or as many around it; all items up to it where `window` is None."""
    n = int(offsets[-1])
    sizes = row_sizes(offsets)
    if window is None:
        return Windows(offsets[:-1].repeat(sizes), np.arange(1, n + 1))
    window = min(window, 2 * n + 1)
    behind = (window - 1) // 2 if center else 0
    high = np.arange(1 + behind, n + 1 + behind)
    low = high - window
    if window <= strategy.sizes.SHIFT_SLOTS:  # windows that reach beyond their row are those of its first and last slots
        for slot in range(window - 1 - behind):
            rows = (sizes > slot).nonzero()[0]
            low[offsets[rows] + slot] = offsets[rows]
        for slot in range(behind):
            rows = (sizes > slot).nonzero()[0]
            high[offsets[rows + 1] - 1 - slot] = offsets[rows + 1]
        return Windows(low, high)
    np.maximum(low, offsets[:-1].repeat(sizes), out=low)
    if behind:
        np.minimum(high, offsets[1:].repeat(sizes), out=high)
    return Windows(low, high)


def of_times(times: NDArray[Any], offsets: Integers, width: Any, center: bool = False) -> Windows:
    """The items up to each one that are less than `width` before it; with `center` those within half of it, (t - w/2, t + w/2].

    Parameters
    ----------
    times : (n_values,) int64 or float64 array
        Never falling within a row.
    offsets : (n_rows + 1,) int64 array
    width : int or float
        More than 0, of the type of the times.
    center : bool

    Notes
    -----
    O(n_values log(longest row)), on all cores. Differences of times are taken without a sign, so that none overflows.
    """
    n = int(offsets[-1])
    found = Windows(empty(n, np.int64), empty(n, np.int64))
    is_float = times.dtype.kind == "f"
    far = width if not center else width / 2 if is_float else width - width // 2
    near = width / 2 if is_float else width // 2

    def between(early: NDArray[Any], late: NDArray[Any]) -> NDArray[Any]:
        return late - early if is_float else late.view(np.uint64) - early.view(np.uint64)

    gap = np.float64 if is_float else np.uint64
    loop = find_loop("window_bounds", times.dtype, False, len(times))
    if strategy.choose("window", loop is not None) == "compiled" and loop is not None:
        floats = (far, near if center else -1.0) if is_float else (0.0, 0.0)
        whole_numbers = (0, 0 if center else -1) if is_float else (far, near if center else -1)

        def run(block: Block) -> None:
            low, high = (empty(len(block.data), np.int64) for _ in range(2))
            rows = len(block.offsets) - 1
            assert loop is not None
            loop(np.ascontiguousarray(block.data), block.offsets, 0, rows, *floats, *whole_numbers, low, high)
            np.add(low, block.items.start, out=found.low[block.items])
            np.add(high, block.items.start, out=found.high[block.items])

        over_blocks(run, times, None, offsets)
        return found

    def work(block: Block) -> None:
        t, local, first = block.data, block.offsets, block.items.start
        sizes = row_sizes(local)
        starts, items = local[:-1].repeat(sizes), np.arange(len(t))
        low = _bisect(starts, items, lambda middle: between(t[middle], t) >= gap(far))
        found.low[block.items] = low + first
        if not center:
            found.high[block.items] = items + (first + 1)
            return
        ends = local[1:].repeat(sizes)
        found.high[block.items] = _bisect(items + 1, ends, lambda middle: between(t, t[middle]) <= gap(near)) + first

    over_blocks(work, times, None, offsets)
    return found


def _bisect(low: Integers, high: Integers, is_before: Callable[[Integers], NDArray[np.bool_]]) -> Integers:
    """For each item the first place from low to high that is not before it; `high` where all are."""
    low, high = low.copy(), high.copy()
    most = int(row_sizes_of(low, high).max(initial=0))
    while most > 0:
        middle = (low + high) >> 1
        open_ = low < high
        np.minimum(middle, high - 1, out=middle)
        np.maximum(middle, 0, out=middle)
        before = is_before(middle) & open_
        np.copyto(low, middle + 1, where=before)
        np.copyto(high, middle, where=open_ & ~before)
        most >>= 1
    return low


def is_falling(times: NDArray[Any], offsets: Integers) -> NDArray[np.bool_]:
    """Which items are earlier than the one before them in their row, or NaN."""
    falls = np.zeros(len(times), np.bool_)
    if len(times):
        falls[1:] = ~(times[1:] >= times[:-1])
        heads = offsets[:-1][offsets[:-1] < offsets[1:]]
        falls[heads] = times[heads] != times[heads]
    return falls


# --------------------------------------------------------------------------------------------------- spans


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
    """The result of `merge` over each window; that of an empty one is `identity`."""
    sizes = windows.sizes
    out = tuple(np.full(len(sizes), start, one.dtype) for one, start in zip(items, identity, strict=True))
    longest = int(sizes.max(initial=0))
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
    """The result of `merge` over `window` items from each place on, without regard to rows; as `combine` gives."""
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
    """As `combine`; windows of the size that most have are found for neighbouring items at once."""
    sizes = windows.sizes
    n = len(sizes)
    longest = int(sizes.max(initial=0))
    full = sizes == longest
    n_full = int(np.count_nonzero(full))
    if 2 * n_full < n or longest < 2:
        return combine(items, merge, identity, windows)
    found = whole(items, merge, longest)
    back = int((np.arange(n)[full][:1] - windows.low[full][:1])[0])
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


# --------------------------------------------------------------------------------------------------- results


def counts(valid: Valid, offsets: Integers, windows: Windows) -> Integers:
    """The number of items of each window that are not null."""
    if valid is None:
        return windows.sizes
    out = empty(len(valid), np.int64)

    def work(block: Block) -> None:
        before = np.zeros(len(block.data) + 1, np.int64)
        np.cumsum(block.data, out=before[1:])
        part = windows.part(block.items)
        out[block.items] = before[part.high] - before[part.low]

    over_blocks(work, valid, None, offsets)
    return out


def _added(one: Spans, two: Spans) -> Spans:
    return tuple(a + b for a, b in zip(one, two, strict=True))


def sums(data: NDArray[Any], offsets: Integers, windows: Windows) -> NDArray[Any]:
    """Sums of float64 or 64-bit integers over windows; nulls are 0 already. Integers wrap around."""
    out = empty(len(data), data.dtype)

    loop = find_loop("window_sums", data.dtype, False, len(data))
    is_compiled = strategy.choose("window", loop is not None) == "compiled"

    def work(block: Block) -> None:
        part = windows.part(block.items)
        if is_compiled and loop is not None:
            width, levels = _scratch_of(block.offsets, part)
            scratch = empty(width * max(levels - 1, 0), data.dtype)
            values = np.ascontiguousarray(block.data)
            loop(values, *part, block.offsets, 0, len(block.offsets) - 1, width, scratch, out[block.items])
            return
        (out[block.items],) = over_windows((block.data,), _added, (0,), part)

    over_blocks(work, data, None, offsets)
    if data.dtype.kind == "f" and not is_compiled:
        out += 0.0  # a sum is never -0.0
    return out


def _scratch_of(offsets: Integers, windows: Windows) -> tuple[int, int]:
    """The length of the longest row, and how many sizes of spans its windows need."""
    return int(row_sizes(offsets).max(initial=0)), int(windows.sizes.max(initial=0)).bit_length()


def extremes(ufunc: np.ufunc, data: NDArray[Any], valid: Valid, offsets: Integers, windows: Windows) -> NDArray[Any]:
    """np.fmin or np.fmax over windows, NaN only if there is nothing else; arbitrary for a window without items."""
    values = data.view(np.uint8) if data.dtype == np.bool_ else data
    loser: Any = np.nan
    if values.dtype.kind != "f":
        loser = np.iinfo(values.dtype).max if ufunc is np.fmin else np.iinfo(values.dtype).min
    out = empty(len(values), values.dtype)

    def work(block: Block) -> None:
        items = (block.filled(loser),)
        (out[block.items],) = over_windows(items, lambda a, b: (ufunc(*a, *b),), (loser,), windows.part(block.items))

    over_blocks(work, values, valid, offsets)
    return out.view(data.dtype)


def variances(data: NDArray[Any], valid: Valid, offsets: Integers, windows: Windows) -> NDArray[np.float64]:
    """Sums of squared deviations from the mean of each window, from the means of its spans and their distances."""
    out = empty(len(data), np.float64)

    def work(block: Block) -> None:
        part = windows.part(block.items)
        values = block.filled(0, np.float64) if block.data.dtype.kind == "f" else shifted(block)
        present = np.ones(len(values)) if block.valid is None else block.valid.astype(np.float64)
        loop = find_loop("window_squares", values.dtype, False, len(values))
        if strategy.choose("window", loop is not None) == "compiled" and loop is not None:
            width, levels = _scratch_of(block.offsets, part)
            scratch, means, found = empty(3 * width * max(levels, 1), np.float64), empty(len(values), np.float64), out[block.items]
            rows = len(block.offsets) - 1
            loop(np.ascontiguousarray(values), present, *part, block.offsets, 0, rows, width, scratch, means, found)
            if not np.isfinite(means.sum()):
                found[~np.isfinite(means)] = np.nan
            return
        _, means, found = over_windows((present, values, np.zeros(len(values))), merge_deviations, (0, 0, 0), part)
        found[~np.isfinite(means)] = np.nan
        out[block.items] = found

    over_blocks(work, data, valid, offsets)
    return out


def merge_deviations(one: Spans, two: Spans) -> Spans:
    """Counts, means and sums of squared deviations of two spans together."""
    (n1, mean1, squares1), (n2, mean2, squares2) = one, two
    n = n1 + n2
    share = n2 / np.maximum(n, 1)
    apart = mean2 - mean1
    mean = mean1 + apart * share
    squares = squares1 + squares2 + apart * (n1 * share) * apart
    return n, mean, squares


def first_items(valid: Valid, windows: Windows) -> Integers:
    """The first item of each window that is not null; arbitrary for a window without."""
    n = len(windows.low)
    if valid is None:
        return np.minimum(windows.low, max(n - 1, 0))
    after = np.where(valid, np.arange(n), n)
    after = np.minimum.accumulate(after[::-1])[::-1]
    return np.minimum(after[np.minimum(windows.low, max(n - 1, 0))], max(n - 1, 0))


def last_items(valid: Valid, windows: Windows) -> Integers:
    """The last item of each window that is not null; arbitrary for a window without."""
    n = len(windows.low)
    before = np.maximum(windows.high - 1, 0)
    if valid is None:
        return before
    found: Integers = np.maximum.accumulate(np.where(valid, np.arange(n), 0))[before]
    return found
