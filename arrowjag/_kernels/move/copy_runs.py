"""Drop rows, or copy them to new offsets with nulls in the gaps: runs of adjacent items are copied together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.fill import fill, fill_bits, spread_flags
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_counts, row_sizes
from arrowjag._kernels.base.words import data_of, has_words, unless_all, unpack_bits
from arrowjag._kernels.move.gather import filter_values, ranges, take
from arrowjag._kernels.move.rows import can_move, take_ranges

__all__ = [
    "Layout",
    "RunSource",
    "copy",
    "copy_flags",
    "copy_rows",
    "copy_validity",
    "differ_only_in",
    "drop_rows",
    "layout_between",
    "layout_with",
    "layout_without",
    "offsets_with",
    "pays",
    "run_source",
]


class Layout(NamedTuple):
    """The items of a result as runs of adjacent values of an operand; each run is copied at once."""

    begin: NDArray[np.int64]
    """The first item of each run in the result, and the number of items at the end."""
    start: NDArray[np.int64]
    """The first item of each run in the values."""
    present: NDArray[np.bool_] | None = None
    """False for a run that is a gap: it has no values, and starts anywhere from 0 up. None where there is no gap."""

    @property
    def size(self) -> int:
        """The number of items of the result."""
        return int(self.begin[-1])

    def part(self, data: NDArray[Any], items: slice, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Some neighbouring items of the result, shared where they are neighbours in the data; items in gaps are arbitrary.

        Notes
        -----
        O(runs + items). Few runs are copied slice by slice, to `out` if it is given. For many runs Arrow's take of binary strings
        copies each run with one memcpy: the runs are every second string of its input, and the strings between are left out. take
        reserves the number of taken strings times the average length of all: a first and a last string that make the average
        long enough save a second copy of 40 MB, 2.5 ms.
        """
        begin, n = self.begin, items.stop - items.start
        if n == 0:
            return data[:0]
        first, last = bisect_right(begin, items.start) - 1, bisect_left(begin, items.stop)  # np.searchsorted would release the GIL
        bounds = begin[first : last + 1].copy()
        bounds[0], bounds[-1] = items.start, items.stop
        start, sizes = self.start[first:last].copy(), bounds[1:] - bounds[:-1]
        start[0] += items.start - begin[first]
        if self.present is not None:
            np.minimum(start, len(data) - sizes, out=start)
        if len(start) == 1:
            return data[start[0] : start[0] + n]
        if strategy.choose("copy_runs", len(start)) == "slices":
            return _copy_slices(data, start.tolist(), (bounds - items.start).tolist(), empty(n, data.dtype) if out is None else out)
        cuts = np.empty(2 * len(start) + 2, np.int64)
        cuts[1:-1:2], cuts[2:-1:2] = start, start + sizes
        wanted = 2 * n + -(-n // len(start)) + 64
        cuts[-1] = min(max(cuts[-2], cuts[1] + wanted), len(data))
        cuts[0] = max(min(cuts[1], cuts[-1] - wanted), 0)
        cuts *= data.itemsize
        strings = pa.Array.from_buffers(pa.large_binary(), len(cuts) - 1, [None, pa.py_buffer(cuts), pa.py_buffer(data)])
        taken = pc.take(strings, pa.array(np.arange(1, len(cuts) - 1, 2)), boundscheck=False)
        return np.frombuffer(taken.buffers()[2], data.dtype, n)


def _copy_slices(data: NDArray[Any], starts: Sequence[int], bounds: Sequence[int], out: NDArray[Any]) -> NDArray[Any]:
    for source, (begin, stop) in zip(starts, pairwise(bounds), strict=True):
        out[begin:stop] = data[source : source + stop - begin]
    return out


class RunSource(NamedTuple):
    """An operand whose runs are copied to their new offsets while they are read, as `fill.Source` is broadcast."""

    data: NDArray[Any]
    layout: Layout

    def part(self, items: slice, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The operand of some neighbouring values, not to be written to; both operands may be of this kind, so `out` stays free."""
        del out
        return self.layout.part(self.data, items)


def pays(type: pa.DataType, n_runs: int, n_values: int) -> bool:
    """Whether copying `n_runs` runs of values is faster than copying item by item."""
    return strategy.choose("take_runs", n_values, n_runs, has_words(type)) == "runs"


# --------------------------------------------------------------------------------------------------- rows dropped, rows resized


def offsets_with(offsets: NDArray[np.int64], rows: NDArray[np.int64], sizes: NDArray[np.int64] | int = 0) -> NDArray[np.int64]:
    """Return the offsets of rows, some of which get another size.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    rows : (n,) int64 array
        The rows that change, ascending.
    sizes : (n,) int64 array or int
        The new sizes of these rows; 0 drops their items.

    Returns
    -------
    (n_rows + 1,) int64 array

    Notes
    -----
    O(n_rows), a new array.
    """
    new = row_sizes(offsets)
    new[rows] = sizes
    return from_counts(new)


def differ_only_in(one: NDArray[np.int64], two: NDArray[np.int64], rows: NDArray[np.int64]) -> bool:
    """Whether two offsets agree in the sizes of all rows except some, and differ in each of these. O(n_rows), on all cores."""
    n = len(one) - 1

    def agrees(start: int) -> bool:
        stop = min(start + strategy.sizes.ROWS, n)
        shift = one[start : stop + 1] - two[start : stop + 1]
        differs = shift[1:] != shift[:-1]
        first, last = rows.searchsorted([start, stop])
        differs[rows[first:last] - start] ^= True
        return not differs.any()

    return one is two or (len(two) == len(one) and all(map_tasks(agrees, range(0, n, strategy.sizes.ROWS))))


def layout_without(offsets: NDArray[np.int64], dropped: NDArray[np.int64]) -> Layout:
    """Return the layout of all rows except the dropped ones, whose numbers ascend; O(n_dropped)."""
    return layout_between(offsets[dropped], offsets[dropped + 1], int(offsets[-1]))


def layout_between(low: NDArray[np.int64], high: NDArray[np.int64], n: int) -> Layout:
    """Return the layout of n items without the slices from `low` to before `high`, which ascend; O(slices)."""
    start = np.append(0, high)
    return Layout(np.append(0, np.cumsum(np.append(low, n) - start)), start)


def layout_with(offsets: NDArray[np.int64], found: NDArray[np.int64], rows: NDArray[np.int64]) -> Layout:
    """Return the layout of rows whose sizes agree, except for some rows whose items are dropped or have no source.

    Parameters
    ----------
    offsets, found : (n_rows + 1,) int64 arrays
        Of the values and of the result; where they differ a row is empty in one of them.
    rows : (n,) int64 array
        The rows in which they differ, ascending.

    Returns
    -------
    Layout
        O(n).
    """
    begin, start = np.zeros((2, 2 * len(rows) + 1), np.int64)
    begin[1::2], begin[2::2] = found[rows], found[rows + 1]
    start[1::2], start[2::2] = offsets[rows], offsets[rows + 1]
    begin = np.append(begin, found[-1])
    full = (begin[1:] > begin[:-1]).nonzero()[0]
    present = full % 2 == 0
    return Layout(np.append(begin[full], begin[-1]), start[full], unless_all(present))


def drop_rows(values: pa.Array[Any], offsets: NDArray[np.int64], dropped: NDArray[np.int64]) -> pa.Array[Any]:
    """Return the values of the rows that are not dropped.

    Parameters
    ----------
    values : (n_values,) Arrow array of any type
    offsets : (n_rows + 1,) int64 array
    dropped : (n_dropped,) int64 array
        Ascending.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(n_rows + n_values), a new array. Of 5M float64 in 500k rows every fiftieth row is dropped in 5.5 ms, a copy takes 3.
    """
    if pays(values.type, len(dropped) + 1, len(values)):
        return copy(values, layout_without(offsets, dropped))
    kept = np.ones(len(offsets) - 1, np.bool_)
    kept[dropped] = False
    return filter_values(values, kept.repeat(offsets[1:] - offsets[:-1]))


# --------------------------------------------------------------------------------------------------- rows copied


def copy_rows(
    values: pa.Array[Any], starts: NDArray[np.int64], present: NDArray[np.bool_], offsets: NDArray[np.int64]
) -> pa.Array[Any]:
    """Return the items of each row, which start at a given place in the values; a row without a place gets nulls.

    Parameters
    ----------
    values : (n,) Arrow array of any type
    starts : (n_rows,) int64 array
        The first item, in the values, of each row that is present.
    present : (n_rows,) boolean array
    offsets : (n_rows + 1,) int64 array
        Of the result.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(n_rows + items of the result), a new array. Neighbouring rows whose items follow each other are moved together: of 5M float64
    in 500k rows with 10k gaps that takes 7 ms, where a number for each item needs 50. Where gaps are many, a compiled loop moves
    each row.
    """
    n, n_gaps = int(offsets[-1]), len(present) - int(np.count_nonzero(present))

    def ready() -> bool:
        longest_gap = int(((offsets[1:] - offsets[:-1]) * ~present).max(initial=0))
        return longest_gap <= len(values) and can_move(values.type, len(values))

    by = strategy.choose("copy_rows", n, n_gaps, has_words(values.type), ready) if len(values) else "items"
    if by == "compiled" and (gathered := _gathered(values, starts, present, offsets)) is not None:
        return gathered
    if by == "items":
        sizes = np.diff(offsets)
        there = present.repeat(sizes)
        return take(
            values,
            np.where(there, ranges(np.where(present, starts, 0), sizes), 0),
            unless_all(there),
        )
    return copy(values, _layout(starts, present, offsets))


def _gathered(
    values: pa.Array[Any], starts: NDArray[np.int64], present: NDArray[np.bool_], offsets: NDArray[np.int64]
) -> pa.Array[Any] | None:
    """Copy rows by a compiled loop, if it is ready. Gaps read the first values: there must be enough of them."""
    moved = take_ranges(values, starts * present, offsets)
    if moved is None:
        return None
    bits = spread_flags(present, offsets)
    if moved.null_count:
        bits &= np.frombuffer(moved.buffers()[0], np.uint8, len(bits))
    return pa.Array.from_buffers(values.type, len(moved), [pa.py_buffer(bits), moved.buffers()[1]])


def _layout(starts: NDArray[np.int64], present: NDArray[np.bool_], offsets: NDArray[np.int64]) -> Layout:
    shift = starts - offsets[:-1]
    breaks = shift[1:] != shift[:-1]
    breaks |= present[1:] != present[:-1]
    first = np.concatenate([[0], breaks.nonzero()[0] + 1])
    begin = offsets[np.append(first, len(shift))]
    full = begin[1:] > begin[:-1]  # the entries of empty rows are arbitrary
    first = first[full]
    return Layout(np.append(begin[:-1][full], begin[-1]), starts[first], None if present[first].all() else present[first])


def copy(values: pa.Array[Any], layout: Layout) -> pa.Array[Any]:
    """Copy the values of a layout, whose items are words; gaps become null. O(runs + items), a new array."""
    type, n, bits = values.type, layout.size, copy_validity(values, layout)
    if pt.is_boolean(type):
        return pa.Array.from_buffers(type, n, [bits, copy_flags(data_of(values).view(np.bool_), layout)])
    source = run_source(data_of(values), layout)

    def work(items: slice, out: NDArray[Any]) -> None:
        part = layout.part(source.data, items, out)
        if part is not out:
            np.copyto(out, part)

    data = fill(work, n, source.data.dtype, strategy.sizes.PASS_VALUES)
    return pa.Array.from_buffers(type, n, [bits, pa.py_buffer(data)])


def copy_validity(values: pa.Array[Any], layout: Layout) -> pa.Buffer | None:
    """Return Arrow's bits of the items that are not null; None if there are no gaps and no nulls."""
    if values.null_count:
        return copy_flags(unpack_bits(values.buffers()[0], values.offset, len(values)), layout)
    gaps = _gaps(layout)
    return None if gaps is None else pa.py_buffer(gaps)


def copy_flags(flags: NDArray[np.bool_], layout: Layout) -> pa.Buffer:
    """Copy flags, one per value, to the places of a layout, as Arrow's bits; they are not set in gaps."""
    source, gaps = run_source(flags, layout), _gaps(layout)
    bits = fill_bits(source.part, layout.size, strategy.sizes.PASS_VALUES)
    return pa.py_buffer(bits if gaps is None else bits & gaps)


def run_source(data: NDArray[Any], layout: Layout) -> RunSource:
    """Wrap data that is copied to its layout while it is read, in parts of at most PASS_VALUES items.

    The data is extended to the length of the longest part, because a gap reads as many items as it is long.
    """
    lacking = 0 if layout.present is None else min(layout.size, strategy.sizes.PASS_VALUES) - len(data)
    return RunSource(np.concatenate([data, np.zeros(lacking, data.dtype)]) if lacking > 0 else data, layout)


def _gaps(layout: Layout) -> NDArray[np.uint8] | None:
    """Arrow's bitmap of the items outside of gaps; None if the layout has no gaps."""
    return None if layout.present is None else spread_flags(layout.present, layout.begin)
