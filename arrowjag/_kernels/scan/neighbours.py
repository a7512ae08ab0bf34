"""Compare items with the items some slots before them in their row: differences, relative changes, shifts, and order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts, parents, positions, row_sizes, runs
from arrowjag._kernels.base.words import unless_all
from arrowjag._kernels.reduce.overflow import raise_overflow
from arrowjag._kernels.reduce.segments import Block, Valid, over_blocks

__all__ = ["diff", "falls", "gaps", "has_slot", "reaches_back", "relative_change", "shift_index"]


def diff(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: int = 1) -> tuple[NDArray[Any], Valid]:
    """Subtract from each item the one n slots before it in its row (after it if n < 0); null if there is none or either is null.

    Returns
    -------
    (n_values,) array
        Unsigned integers give the next wider signed ones, 64-bit ones int64, bool int8; all others keep their type. Signed integers
        wrap around as in elementwise subtraction.

    Raises
    ------
    JagOverflowError
        A difference of uint64 does not fit int64; names the row.
    """
    out, known = _with_slot(np.subtract, _signed(data), valid, offsets, n)
    if data.dtype == np.uint64:
        here, there, _ = _apart(len(data), n)
        wrapped = ((data[here] >= data[there]) != (out[here] >= 0)) & known[here]
        if wrapped.any():
            block = Block(slice(0, len(offsets) - 1), slice(0, len(data)), data, valid, offsets)
            raise_overflow("diff", parents(offsets)[here][wrapped], block, out.dtype)
    return out, unless_all(known)


def gaps(data: NDArray[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Each item but the first of its row minus the one before it, and the offsets of these; types and errors as of `diff`."""
    cut = from_counts(np.maximum(row_sizes(offsets) - 1, 0))
    places, signed = runs(offsets[:-1], cut), _signed(data)

    def apart(items: slice, out: NDArray[Any]) -> None:
        np.subtract(signed[1:][items], signed[items][: len(out)], out=out)

    steps = fill(apart, max(len(data) - 1, 0), signed.dtype)
    found = fill(lambda items, out: steps.take(places[items], out=out, mode="clip"), len(places), steps.dtype)
    if data.dtype == np.uint64:
        wrapped = (data[places + 1] >= data[places]) != (found >= 0)
        if wrapped.any():
            block = Block(slice(0, len(cut) - 1), slice(0, len(found)), found, None, cut)
            raise_overflow("gaps", parents(cut)[wrapped], block, found.dtype)
    return found, cut


def relative_change(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: int) -> tuple[NDArray[Any], Valid]:
    """Divide each float by the one n slots before it in its row, and subtract 1; null where `diff` is null."""

    def change(values: NDArray[Any], others: NDArray[Any], out: NDArray[Any]) -> None:
        np.divide(values, others, out=out)
        out -= 1

    out, known = _with_slot(change, data, valid, offsets, n)
    return out, unless_all(known)


def _with_slot(
    function: Callable[..., Any], data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Call a function of each item and the one n slots before; return results, 0 without the latter, and where both are valid."""
    out, known = empty(len(data), data.dtype), np.ascontiguousarray(_has_slot(offsets, n))

    def work(block: Block) -> None:
        here, there, gap = _apart(len(block.data), n)
        found, both = out[block.items], known[block.items]
        found[gap] = 0
        function(block.data[here], block.data[there], out=found[here])
        if block.valid is not None:
            both &= block.valid
            both[here] &= block.valid[there]

    over_blocks(work, data, valid, offsets)
    return out, known


def _apart(n_values: int, n: int) -> tuple[slice, slice, slice]:
    """Return slices without regard to rows: items with one n slots before them, the items n slots before, and all others."""
    reach = max(n_values - abs(n), 0)
    later, earlier = slice(n_values - reach, None), slice(0, reach)
    return (later, earlier, slice(n_values - reach)) if n >= 0 else (earlier, later, slice(reach, None))


def _signed(data: NDArray[Any]) -> NDArray[Any]:
    """Convert numbers to a type that holds their differences; those of uint64 must fit 64 bits with a sign."""
    if data.dtype.kind == "u" and data.dtype.itemsize < 8:
        return data.astype(f"i{2 * data.dtype.itemsize}")
    return data.view({"b": np.int8, "u": np.int64}.get(data.dtype.kind, data.dtype))


def _has_slot(offsets: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Which items have an item n slots before them in their row (after them if n < 0)."""
    return reaches_back(offsets, n) if n >= 0 else reaches_back(offsets[-1] - offsets[::-1], -n)[::-1]


def shift_index(offsets: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], Valid]:
    """Find the number of the item n slots before each one (after it if n < 0), always within range, and what `has_slot` returns."""
    n_values = int(offsets[-1])
    known = has_slot(offsets, n)
    index = np.arange(-n, n_values - n) if abs(n) <= n_values else zeros(n_values, np.int64)
    np.clip(index, 0, max(n_values - 1, 0), out=index)
    return index, known


def has_slot(offsets: NDArray[np.int64], n: int) -> Valid:
    """Which items have an item n slots before them in their row (after them if n < 0); None if all have."""
    return unless_all(_has_slot(offsets, n))


def reaches_back(offsets: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Which items have at least n items before them in their row."""
    if strategy.choose("shift", n) == "positions":
        return positions(offsets) >= n
    reaches = empty(int(offsets[-1]), np.bool_)

    def block(first: int, last: int) -> None:
        cut = offsets[first : last + 1]
        reaches[cut[0] : cut[-1]] = True
        for slot in range(n):
            items = cut[:-1] + slot
            reaches[items[items < cut[1:]]] = False

    map_rows(block, offsets, light=True)
    return reaches


def falls(data: NDArray[Any], offsets: NDArray[np.int64], descending: bool) -> NDArray[np.bool_]:
    """Whether each item is out of order with the item before it in its row; NaN comes last in both directions.

    O(n_rows + n_values), on all cores.
    """
    compare, n = np.less if not descending else np.greater, len(data)

    def work(items: slice, out: NDArray[np.bool_]) -> None:
        first, last = max(items.start, 1), min(items.stop, n)
        before, own, found = data[first - 1 : last - 1], data[first:last], out[first - items.start : last - items.start]
        compare(own, before, out=found)
        if holds_nan(before):
            found |= np.isnan(before) & ~np.isnan(own)

    wrong: NDArray[np.bool_] = fill(work, n + 1, np.bool_)
    wrong[offsets] = False  # the first item of each row, and the position after the last item
    return wrong[:-1]
