"""Offsets: made from sizes, checked, inverted into parents, composed.

`offsets` is an int64 array of n_rows + 1 entries that starts at 0; row i owns items offsets[i] .. offsets[i + 1].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks, put_windows
from arrowjag._kernels.base.extremes import greatest
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import empty, numbers
from arrowjag._kernels.base.polars_lists import count_bits
from arrowjag._kernels.base.totals import count_before, running_total
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag.errors import JagOverflowError, OffsetsError, are, plural

__all__ = [
    "check",
    "compose",
    "count_block",
    "count_true",
    "filter_block",
    "filter_rows",
    "from_counts",
    "from_sizes",
    "is_int32",
    "longest_of",
    "of_size",
    "parents",
    "positions",
    "row_sizes",
    "run_sizes",
    "runs",
    "span_of",
]


def from_sizes(sizes: NDArray[Any], largest: int | None = None) -> NDArray[np.int64]:
    """Offsets of rows of the given sizes.

    Parameters
    ----------
    sizes : (n_rows,) integer array
        Not negative; the caller has checked that.
    largest : int, optional
        An upper bound of the sizes, if one is known; otherwise the sizes are read once more.

    Returns
    -------
    (n_rows + 1,) int64 array

    Raises
    ------
    JagOverflowError
        The total does not fit in 63 bits.

    Notes
    -----
    O(n_rows), a new array.
    """
    offsets = from_counts(sizes)
    if len(sizes) and (largest or longest_of(sizes)) > (2**63 - 1) // len(sizes):
        _check_total(sizes, offsets)
    return offsets


def from_counts(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Offsets of rows of the given sizes, unchecked: their items are in memory, so the sum can't overflow."""
    return running_total(counts)


def of_size(size: int, n_rows: int) -> NDArray[np.int64]:
    """Offsets of rows of one size."""
    if n_rows < strategy.sizes.CALL_VALUES:
        return numbers(n_rows + 1) * size
    return fill(lambda rows, out: np.multiply(np.arange(rows.start, rows.stop), size, out=out), n_rows + 1, np.int64)


def _check_total(sizes: NDArray[Any], offsets: NDArray[np.int64]) -> None:
    """Raise if a running total wrapped: a step adds less than 2**63, so the first wrap shows as a negative total."""
    bad = ((offsets[1:] < 0) | (sizes > np.iinfo(np.int64).max)).nonzero()[0]
    if len(bad):
        row = int(bad[0])
        raise JagOverflowError(
            f"integer overflow: the sizes of rows 0 to {row} add up to more than {2**63 - 1} items, "
            f"row {row} alone has {int(sizes[row])}."
        )


def row_sizes(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of items of each row, as np.diff does, in a third of its time for few rows."""
    sizes: NDArray[np.int64]
    if 8 * len(offsets) < strategy.sizes.ARROW_MEMORY_BYTES:
        sizes = offsets[1:] - offsets[:-1]
    else:
        sizes = np.subtract(offsets[1:], offsets[:-1], out=empty(len(offsets) - 1, np.int64))
    return sizes


def longest_of(sizes: NDArray[Any]) -> int:
    """The largest of integers that are not negative, 0 where there are none."""
    return int(greatest(sizes)) if len(sizes) else 0


def run_sizes(starts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """The lengths of runs that begin at some places of n items; the last run ends with the last item."""
    sizes = np.empty(len(starts), np.int64)
    if len(starts):
        np.subtract(starts[1:], starts[:-1], out=sizes[:-1])
        sizes[-1] = n - starts[-1]
    return sizes


def is_int32(offsets: NDArray[np.int64]) -> bool:
    """Whether row numbers and item numbers both fit an int32."""
    return len(offsets) <= 2**31 and int(offsets[-1]) < 2**31


def parents(offsets: NDArray[np.int64]) -> NDArray[Any]:
    """The row that owns each item.

    Returns
    -------
    (n_values,) int32 array, int64 where int32 is too short

    Notes
    -----
    O(n_rows + n_values), a new array.
    """
    n_rows, n_values = len(offsets) - 1, int(offsets[-1])
    dtype = np.int32 if is_int32(offsets) else np.int64
    if strategy.choose("parents", n_values, n_rows) == "repeat":
        return np.arange(n_rows, dtype=dtype).repeat(row_sizes(offsets))
    out = empty(n_values, dtype)

    def work(start: int, end: int, first: int, last: int) -> None:
        # np.repeat mispredicts a branch for each short row, and keeps the interpreter to itself; counting how many rows end before
        # each item and summing that up does neither, if the types are the same. In chunks that stay in cache, 5M values in rows of
        # mean length 1 need half the time.
        ends_before = np.bincount(offsets[first + 1 : last] - start, minlength=end - start).astype(dtype, copy=False)
        ends_before[0] += first
        np.add.accumulate(ends_before, out=out[start:end])

    _map_items(work, offsets)
    return out


def _map_items(work: Callable[[int, int, int, int], None], offsets: NDArray[np.int64]) -> None:
    """Call work(first_item, end_item, first_row, end_row) on blocks of items that stay in cache, on all cores.

    A row longer than a block is cut, so that temporaries are no longer than a block. The first row of a block owns its first item.
    """
    n_values = int(offsets[-1])
    step = strategy.sizes.CACHE_VALUES if n_values >= strategy.sizes.THREAD_VALUES else max(1, n_values)

    def block(start: int) -> None:
        end = min(start + step, n_values)
        work(start, end, int(offsets.searchsorted(start, "right")) - 1, int(offsets.searchsorted(end)))

    map_tasks(block, range(0, n_values, step))


def positions(offsets: NDArray[np.int64], first: int = 0) -> NDArray[np.int64]:
    """The place of each item in its row, counted from `first`.

    Returns
    -------
    (n_values,) int64 array

    Notes
    -----
    O(n_rows + n_values), a new array; temporaries stay in cache.
    """
    n_rows, n_values = len(offsets) - 1, int(offsets[-1])

    def longest() -> int:
        return longest_of(row_sizes(offsets))

    ready = n_values >= strategy.sizes.COMPILED_VALUES and _numbering(n_values) is not None
    if strategy.choose("positions", n_values, n_rows, longest, ready) == "runs":
        return runs(first, offsets)
    out = empty(n_values, np.int64)
    widest = longest()
    counted = np.arange(first, first + widest)

    def work(low: int, high: int) -> None:
        # All rows begin alike: the longest is copied to the start of each row, and the next row overwrites the excess.
        # 5M values in 500k rows take 5 ms of CPU time, summing up 10.
        start, end = int(offsets[low]), int(offsets[high])
        put_windows(np.broadcast_to(counted, (high - low, widest)), offsets[low:high] - start, out[start:end])

    map_rows(work, offsets, block_values=strategy.sizes.CACHE_VALUES)
    return out


def _numbering(n_values: int) -> Compiled | None:
    return find_loop("numbered", np.dtype(np.int64), False, n_values)


def runs(starts: NDArray[Any] | int, offsets: NDArray[np.int64], step: int = 1) -> NDArray[np.int64]:
    """starts[i], starts[i] + step, .. of each row i, with rows bounded by `offsets`; a new (n_values,) int64 array.

    One start may be given for all rows.
    """
    n_values: int = offsets.item(-1)
    loop = _numbering(n_values) if n_values >= strategy.sizes.COMPILED_VALUES else None
    by = strategy.choose("runs", n_values, loop is not None)
    if by == "small":
        firsts = offsets[:-1]
        found: NDArray[np.int64] = (starts - (firsts if step == 1 else step * firsts)).repeat(offsets[1:] - firsts)
        found += numbers(n_values) if step == 1 else step * numbers(n_values)
        return found
    if isinstance(starts, int):
        first_of_all, starts = starts, empty(len(offsets) - 1, np.int64)
        starts.fill(first_of_all)
    out, numbers_at = empty(n_values, np.int64), np.ascontiguousarray(starts, np.int64)

    def work(start: int, end: int, first: int, last: int) -> None:
        if by == "compiled" and loop is not None:
            loop(numbers_at, offsets, step, first, last, start, end, out[start:end])
            return
        firsts, places = offsets[first:last], np.arange(start, end)
        bases = numbers_at[first:last] - (firsts if step == 1 else step * firsts)
        sizes = row_sizes(offsets[first : last + 1])
        sizes[0] -= start - firsts[0]  # the first row and the last one may be cut
        sizes[-1] -= offsets[last] - end
        np.add(bases.repeat(sizes), places if step == 1 else step * places, out=out[start:end])

    _map_items(work, offsets)
    return out


def span_of(offsets: NDArray[np.int64], first: int, last: int) -> tuple[slice, NDArray[np.int64]]:
    """The items of the rows from `first` to before `last`, and the offsets of these rows, from 0."""
    local = offsets[first : last + 1]
    start, stop = int(local[0]), int(local[-1])
    return slice(start, stop), local - start if start else local


def compose(outer: NDArray[np.int64], inner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of two levels taken as one: the rows of `outer`, the items of `inner`. O(rows of outer)."""
    return inner[outer]


def check(offsets: NDArray[Any], n_values: int | None, where: str, found: str = "") -> None:
    """Raise unless offsets start at 0, never decrease and end at the number of values.

    Parameters
    ----------
    offsets : (n_rows + 1,) integer array
    n_values : int or None
        The number of values they cut; None where nothing is known about it.
    where : str
        The owner of the offsets, for the message, e.g. "dims[1]".
    found : str
        The end of the message, which says where another number of values comes from; by default it gives the number alone.

    Raises
    ------
    OffsetsError
        Names the slot and both values.
    """
    if offsets.ndim != 1 or len(offsets) == 0:
        raise OffsetsError(f"{where}: offsets have one dimension and at least the entry 0, got shape {offsets.shape}.")
    if offsets[0] != 0:
        raise OffsetsError(f"{where}: offsets start at 0, got {int(offsets[0])} at slot 0.")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        slot = int(falls.argmax()) + 1
        before, after = int(offsets[slot - 1]), int(offsets[slot])
        raise OffsetsError(f"{where}: offsets never decrease, got {after} at slot {slot} after {before}.")
    if n_values is not None and offsets[-1] != n_values:
        end, slot = int(offsets[-1]), len(offsets) - 1
        found = found or f"there {are(n_values)} {plural(n_values, 'value')}"
        raise OffsetsError(f"{where}: the last offset (slot {slot}) is {end}, but {found}.")


def count_true(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of True items of each row.

    Returns
    -------
    (n_rows,) int64 array

    Notes
    -----
    O(n_rows + n_values).
    """
    if (found := _count_by_loop(mask, offsets)) is not None:
        return found
    by = strategy.choose("count", len(mask))
    if by == "polars":
        return count_bits(mask, offsets).astype(np.int64)
    if by == "whole":
        return _count_whole(mask, offsets).astype(np.int64, copy=False)
    counts = empty(len(offsets) - 1, np.int64)

    def work(first: int, last: int) -> None:
        items, local = span_of(offsets, first, last)
        counts[first:last] = _count_whole(mask[items], local)

    map_rows(work, offsets, block_values=strategy.sizes.CACHE_VALUES)
    return counts


def count_block(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """The number of True items of each row, counted on this thread: for blocks whose running count stays in cache."""
    found = _count_by_loop(mask, offsets)
    return _count_whole(mask, offsets) if found is None else found


def _count_whole(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[Any]:
    return row_sizes(count_before(mask, offsets))


def _count_by_loop(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    loop = strategy.loop_of("flags", find_loop("counted_flags", mask.dtype, False, len(mask)))
    if loop is None:
        return None
    counts, flags = empty(len(offsets) - 1, np.int64), np.ascontiguousarray(mask)
    map_rows(lambda first, last: loop(flags, len(flags), offsets, first, last, counts), offsets, light=True)
    return counts


def filter_rows(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of what is left when the items where `mask` is False are dropped: a new (n_rows + 1,) int64 array.

    Notes
    -----
    O(n_rows + n_values); `gather.filter_values` drops the values themselves.
    """
    if len(mask) < strategy.sizes.CALL_VALUES:
        return count_before(mask, offsets).astype(np.int64, copy=False)
    return from_counts(count_true(mask, offsets))


def filter_block(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of the items where `mask` is True, counted on this thread: a new (n_rows + 1,) int64 array."""
    return filter_rows(mask, offsets) if len(mask) < strategy.sizes.CALL_VALUES else from_counts(count_block(mask, offsets))
