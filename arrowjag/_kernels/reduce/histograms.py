"""Counts of items in bins of equal width or between given edges, and of small integers, row by row."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_cells, map_rows
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import least
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import check_memory, empty, numbers, zeros
from arrowjag._kernels.base.offsets import from_counts, parents, row_sizes
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.extremes import max as _max
from arrowjag._kernels.reduce.min_max import min_max
from arrowjag._kernels.reduce.segments import Block, Valid, over_blocks

__all__ = [
    "Bins",
    "bins_of_edges",
    "bins_of_rows",
    "count_bins",
    "count_edges",
    "count_in_bins",
    "count_values",
    "edges_of",
    "slots_in_bins",
]

Floats = NDArray[np.float64]


class Bins(NamedTuple):
    """The first and the last edge of the bins of each row, and how many bins there are."""

    low: Floats
    high: Floats
    n: int


def bins_of_rows(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: int) -> tuple[Bins, Valid]:
    """n bins from the smallest to the largest number of each row; a row of equal items reaches half to each side.

    Returns
    -------
    Bins
    (n_rows,) bool array or None
        Which rows have a number; None if all have.
    """
    low, high, present, has_nan = min_max(data, valid, offsets)
    if has_nan:
        known = ~np.isnan(data) if valid is None else valid & ~np.isnan(data)
        low, high, present, _ = min_max(data, known, offsets)
    start, stop = low.astype(np.float64, copy=False), high.astype(np.float64, copy=False)
    equal = (start == stop).nonzero()[0]
    if len(equal):
        start[equal] -= 0.5
        stop[equal] += 0.5
    return Bins(start, stop, n), present


def edges_of(bins: Bins) -> Floats:
    """The n + 1 edges of each row, a (n_rows, n + 1) array; as numpy.linspace."""
    n, steps = bins.n, numbers(bins.n + 1)
    edges = empty(len(bins.low) * (n + 1), np.float64).reshape(-1, n + 1)

    def work(first: int, last: int) -> None:
        low, high, out = bins.low[first:last], bins.high[first:last], edges[first:last]
        np.multiply(((high - low) / n)[:, None], steps, out=out)
        out += low[:, None]
        out[:, -1] = high

    map_cells(lambda first, last: without_warnings(work, first, last), len(edges), edges.itemsize * (n + 1))
    return edges


def slots_in_bins(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], bins: Bins) -> NDArray[np.int64]:
    """The bin of each item, -1 for items outside of all bins: nulls, NaN and numbers beyond the edges. The last bin is closed."""
    out = empty(len(data), np.int64)
    n = bins.n
    loop = strategy.loop_of("binned", find_loop("binned", data.dtype, valid is not None, len(data), often=True))
    if loop is not None:
        values = np.ascontiguousarray(data)
        map_rows(lambda first, last: loop(values, valid, offsets, first, last, bins.low, bins.high, n, out), offsets)
        return out

    def work(block: Block) -> None:
        rows = block.rows
        sizes = row_sizes(block.offsets)
        values = block.data.astype(np.float64, copy=False)
        low, high = bins.low[rows].repeat(sizes), bins.high[rows].repeat(sizes)
        inside = (values >= low) & (values <= high)
        if block.valid is not None:
            inside &= block.valid
        step = ((bins.high[rows] - bins.low[rows]) / n).repeat(sizes)
        # The quotient may be rounded across an edge, or be no number: the edges themselves decide.
        place = np.where(inside, (values - low) / step, 0)
        found = np.minimum(np.fmax(place, 0, out=place), n - 1, out=place).astype(np.int64)
        found -= (values < found * step + low) & (found > 0)
        above = found + 1
        found += (values >= above * step + low) & (above < n)
        found[~inside] = -1
        out[block.items] = found

    over_blocks(work, data, valid, offsets)
    return out


def count_in_bins(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], bins: Bins) -> tuple[NDArray[np.int64], Floats]:
    """How many items of each row each bin has, and the edges of the bins, both flat."""
    n, n_rows = bins.n, len(bins.low)
    loop = strategy.loop_of("binned", find_loop("counted_bins", data.dtype, valid is not None, len(data), often=True))
    if loop is None:
        return count_bins(slots_in_bins(data, valid, offsets, bins), offsets, n), edges_of(bins).reshape(-1)
    counts, edges, values = empty(n_rows * n, np.int64), empty(n_rows * (n + 1), np.float64), np.ascontiguousarray(data)
    map_rows(lambda first, last: loop(values, valid, offsets, first, last, bins.low, bins.high, n, edges, counts), offsets)
    return counts, edges


def bins_of_edges(data: NDArray[Any], valid: Valid, edges: NDArray[Any]) -> NDArray[np.int64]:
    """The bin of each item between rising edges, -1 for items outside of all bins; the last bin is closed."""
    n = len(edges) - 1

    def work(items: slice, out: NDArray[Any]) -> None:
        part = data[items]
        np.subtract(_edges_upto(part, edges, "right"), 1, out=out, dtype=np.int64)
        if n > 0:
            out[part == edges[-1]] = n - 1
        outside = ~(part < edges[-1]) & (out >= n)  # NaN too
        out[outside if valid is None else outside | ~valid[items]] = -1

    return fill(work, len(data), np.int64, strategy.sizes.WORD_VALUES)


def count_edges(data: NDArray[Any], edges: NDArray[Any], side: Literal["left", "right"]) -> NDArray[np.int64]:
    """The number of edges at or below each item, with side "left" below it; all of them for NaN, as numpy.searchsorted.

    Parameters
    ----------
    data : (n,) array of numbers
    edges : (m,) array of numbers
        Rising or falling, no NaN.
    side : "left" or "right"

    Notes
    -----
    O(n log m), on all cores. A few edges are compared with all items: 1M float64 with two edges take 1 ms, by bisection 11.
    """

    def work(items: slice, out: NDArray[Any]) -> None:
        out[:] = _edges_upto(data[items], edges, side)

    return fill(work, len(data), np.int64, strategy.sizes.WORD_VALUES)


def _edges_upto(data: NDArray[Any], edges: NDArray[Any], side: Literal["left", "right"]) -> NDArray[Any]:
    if strategy.choose("edges", len(edges), len(data)) == "search":
        return edges.searchsorted(data, side)
    found, above = zeros(len(data), np.int8), empty(len(data), np.bool_)
    is_above = np.less if side == "right" else np.less_equal
    for edge in edges:
        found += ~is_above(data, edge, out=above)
    return found


def count_bins(slots: NDArray[np.int64], offsets: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """How many items of each row have each slot from 0 to n - 1, flat; slots of -1 are left out."""
    out = empty((len(offsets) - 1) * n, np.int64)
    loop = strategy.loop_of("counted_slots", find_loop("counted_slots", slots.dtype, False, len(slots), often=True))
    if loop is not None:

        def count(first: int, last: int) -> None:
            out[first * n : last * n] = 0
            loop(slots, offsets, first, last, n, out)

        map_rows(count, offsets)
        return out

    def work(block: Block) -> None:
        rows = slice(block.rows.start * n, block.rows.stop * n)
        here = parents(block.offsets).astype(np.int64) * n
        here += block.data
        if len(here) and least(block.data) < 0:
            here = here[block.data >= 0]
        out[rows] = np.bincount(here, minlength=rows.stop - rows.start)

    over_blocks(work, slots, None, offsets)
    return out


def count_values(data: NDArray[np.int64], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many items of each row are 0, 1, 2.., up to the largest of the row: flat counts and their offsets."""
    top, present = _max(data, valid, offsets)
    sizes = np.asarray(top, np.int64) + 1
    if present is not None:
        sizes[~present] = 0
    cut = from_counts(sizes)
    check_memory(int(cut[-1]), 8)
    places = cut[:-1].repeat(row_sizes(offsets)) + data
    if valid is not None:
        places = places[valid]
    return np.bincount(places, minlength=int(cut[-1])).astype(np.int64, copy=False), cut
