"""Windows of any size along rows: items from `low` to before `high` of each item, both rising within a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import longest_of, row_sizes
from arrowjag._kernels.base.totals import running_count
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.segments import Block, over_blocks
from arrowjag._kernels.scan.neighbours import falls

__all__ = ["Integers", "Merge", "Spans", "Windows", "is_falling", "of_items", "of_times"]

Integers: TypeAlias = "NDArray[np.int64]"
Spans: TypeAlias = "tuple[NDArray[Any], ...]"
Merge: TypeAlias = Callable[[Spans, Spans], Spans]


class Windows(NamedTuple):
    """The window of each item, as positions among all values."""

    low: Integers
    high: Integers

    @property
    def sizes(self) -> Integers:
        """Count the slots of each window."""
        return row_sizes_of(self.low, self.high)

    def among(self, valid: NDArray[np.bool_]) -> Windows:
        """Return the same windows, as positions among the items that are not null."""
        before = running_count(valid)
        return Windows(before[self.low].astype(np.int64, copy=False), before[self.high].astype(np.int64, copy=False))

    def part(self, items: slice) -> Windows:
        """Return the windows of some rows, as positions among their values."""
        if items.start == 0:
            return self if items.stop == len(self.low) else Windows(self.low[items], self.high[items])
        return Windows(self.low[items] - items.start, self.high[items] - items.start)


def row_sizes_of(low: Integers, high: Integers) -> Integers:
    """Return `high` - `low`."""
    found: Integers = np.subtract(high, low, out=empty(len(low), np.int64))
    return found


def of_items(offsets: Integers, window: int | None, center: bool = False) -> Windows:
    """Make windows of the last `window` items up to each one, or as many around it; all items up to it if `window` is None."""
    n = int(offsets[-1])
    sizes = row_sizes(offsets)
    if window is None:
        return Windows(offsets[:-1].repeat(sizes), np.arange(1, n + 1))
    window = min(window, 2 * n + 1)
    behind = (window - 1) // 2 if center else 0
    high = np.arange(1 + behind, n + 1 + behind)
    low = high - window if n < strategy.sizes.CALL_VALUES else np.subtract(high, window, out=empty(n, np.int64))
    if window <= strategy.sizes.SHIFT_SLOTS and n >= strategy.sizes.CALL_VALUES:
        # Windows that reach beyond their row are those of its first and last slots.
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
    """Make windows of the items in (t - w, t] for each item at t, where w is `width`; with `center`, in (t - w/2, t + w/2].

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
    loop = strategy.loop_of("window", find_loop("window_bounds", times.dtype, False, len(times), often=True))
    if loop is not None:
        floats = (far, near if center else -1.0) if is_float else (0.0, 0.0)
        whole_numbers = (0, 0 if center else -1) if is_float else (far, near if center else -1)

        data = np.ascontiguousarray(times)
        map_rows(lambda first, last: loop(data, offsets, first, last, *floats, *whole_numbers, *found), offsets)
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
    """Find for each item the first place from low to high that is not before it; `high` if all are before it."""
    low, high = low.copy(), high.copy()
    most = longest_of(row_sizes_of(low, high))
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
    """Flag the items that are earlier than the one before them in their row, or NaN, or behind a NaN."""
    found = falls(times, offsets, False)
    if holds_nan(times):
        found |= np.isnan(times)
    return found
