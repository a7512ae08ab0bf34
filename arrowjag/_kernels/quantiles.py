"""Reductions that need each row sorted: quantiles and the number of distinct items."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks, few, hashing, pairs, parting
from arrowjag._kernels import sort as _sort
from arrowjag._kernels.memory import empty, zeros
from arrowjag._kernels.offsets import count_block
from arrowjag._kernels.segments import LARGE_BLOCKS, Block, drop_nulls, over_blocks, result_type
from arrowjag.errors import JagValueError

__all__ = ["median", "n_unique", "quantile"]

LONG = 512
"""Rows up to this length are sorted."""

_FEW_ROWS = 32
"""What follows the sort is put off where no more rows have one length: calls cost more than rows."""

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    q: float,
    interpolation: str = "linear",
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The q-quantile of each row; nulls are skipped, NaN in a row gives NaN, a row without items gives null.

    Parameters
    ----------
    q : float
        Between 0 and 1.
    interpolation : str
        "linear", "lower", "higher", "midpoint" or "nearest" (halves go to the even position), as in numpy.

    Returns
    -------
    (n_rows,) array of the data's float type, float64 for integers and bool; valid

    Raises
    ------
    JagValueError
        q outside of 0 to 1, or an unknown interpolation.

    Notes
    -----
    O(n_values log of the row length).
    """
    if not 0 <= q <= 1:
        raise JagValueError(f"quantile: q lies between 0 and 1, got {q}.")
    if interpolation not in INTERPOLATIONS:
        raise JagValueError(f"quantile: interpolation is one of {', '.join(INTERPOLATIONS)}, got {interpolation!r}.")
    data, offsets = drop_nulls(data, valid, offsets)
    out = zeros(len(offsets) - 1, result_type(data.dtype))
    full = offsets[1:] > offsets[:-1]
    if few.is_few((data, None)):
        out[full] = _of_few(data, offsets, full, q, interpolation)
    else:
        # Where lengths are many, larger blocks have more rows of each: Zipf rows take 80 ms instead of 95.
        size = 8 * LARGE_BLOCKS if hashing.pays(offsets) else LARGE_BLOCKS
        over_blocks(partial(_of_block, out, q, interpolation), np.ascontiguousarray(data), None, offsets, size)
    return out, None if full.all() else full


def median(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The middle item of each row, or the mean of the two; as `quantile(0.5)`."""
    return quantile(data, valid, offsets, 0.5)


def _of_few(data: NDArray[Any], offsets: NDArray[np.int64], full: NDArray[np.bool_], q: float, interpolation: str) -> NDArray[Any]:
    """As `_of_block`, of all rows that have items, whatever their lengths."""
    with np.errstate(all="ignore"):
        ordered, _ = _sort.sort(data, None, offsets)
        first, last = offsets[:-1][full], offsets[1:][full] - 1
        low, high, weights = _slots(last - first, q, interpolation)
        return _mixed(ordered[first + low], ordered[first + high], ordered[last], weights)


def _slots(
    last: NDArray[np.int64], q: float, interpolation: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Between which slots of sorted rows a quantile lies, and how near to the second, by the last slot."""
    position: NDArray[np.float64] = np.multiply(q, last, dtype=np.float64)
    low = position.astype(np.int64)
    high = low + (low < position)
    if interpolation in ("lower", "higher", "nearest"):
        slot = {"lower": low, "higher": high}.get(interpolation)
        slot = np.rint(position).astype(np.int64) if slot is None else slot
        return slot, slot, zeros(len(slot), np.float64)
    return low, high, np.multiply(high - low, 0.5) if interpolation == "midpoint" else np.subtract(position, low)


def _of_block(out: NDArray[Any], q: float, interpolation: str, block: Block) -> None:
    out = out[block.rows]
    found = blocks.batches(block.offsets)
    lengths = np.array([length for length, _ in found], np.int64)
    slots = [part.tolist() for part in _slots(lengths - 1, q, interpolation)]
    rest = []
    for (length, rows), low, high, weight in zip(found, *slots, strict=True):
        table = blocks.rows_2d(block.data, block.offsets[rows], length)
        parts = _at(table.copy() if len(rows) == 1 else table, low, high)
        if len(rows) > _FEW_ROWS:
            out[rows] = _mixed(*parts, weight)
        else:
            rest.append((rows, *(part.copy() for part in parts), np.full(len(rows), weight)))  # views would keep all tables
    if rest:
        rows, *joined = (np.concatenate(part) for part in zip(*rest, strict=True))
        out[rows] = _mixed(*joined)


def _at(rows: NDArray[Any], low: int, high: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """What stands in two neighbouring slots once the rows are sorted, in place, and the largest item: NaN where there is one."""
    # Sorting rows of one length side by side is one call of numpy's vectorised sort (5M values in 500k rows: 46 ms of
    # CPU time, polars' median 100). Long rows are parted around one slot, which is vectorised too, around several it is not:
    # 10 ns an item of 1000 instead of 14 for the sort and 13 for parting around three.
    if rows.shape[1] <= LONG:
        rows.sort(axis=1)
        return rows[:, low], rows[:, high], rows[:, -1]
    rows.partition(low, axis=1)
    return rows[:, low], np.minimum.reduce(rows[:, high:], axis=1), np.maximum.reduce(rows[:, low:], axis=1)


def _mixed(lower: NDArray[Any], upper: NDArray[Any], largest: NDArray[Any], weight: float | NDArray[np.float64]) -> NDArray[Any]:
    """What lies between two items of each row; NaN where the row has one, which is its largest item then."""
    exact = isinstance(weight, float) and weight == 0
    found = lower.astype(result_type(lower.dtype)) if exact else _between(lower, upper, weight)
    return np.where(np.isnan(largest), found.dtype.type(np.nan), found) if largest.dtype.kind == "f" else found


def _between(low: NDArray[Any], high: NDArray[Any], weight: float | NDArray[np.float64]) -> NDArray[Any]:
    """The mix low + (high - low) * weight, exact at equal ends (also at infinity), high - low can't overflow."""
    target = result_type(low.dtype)
    low, high = low.astype(np.float64), high.astype(np.float64)
    mixed = low * (1 - weight) + high * weight
    return np.where((low == high) | (np.asarray(weight) == 0), low, mixed).astype(target)


def n_unique(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], None]:
    """The number of distinct items of each row; nulls are left out, NaN equals NaN and -0.0 equals 0.0.

    Notes
    -----
    O(n_rows + n_values).
    """
    data, offsets = drop_nulls(data, valid, offsets)
    if few.is_few((data, None)):
        return np.bincount(few.groups([(data, None)], few.owners(offsets)).rows, minlength=len(offsets) - 1), None
    out = zeros(len(offsets) - 1, np.int64)

    def work(block: Block) -> None:
        _count_distinct(block.data, block.offsets, out[block.rows])

    over_blocks(work, np.ascontiguousarray(data), None, offsets, pairs.block_values(LARGE_BLOCKS, offsets), parting.HUGE)
    return out, None


def _count_distinct(data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    # Pairs tell the first of equals: 36 ms of work for 5M float64 in 500k rows, where sorting takes 69.
    if not pairs.pays(offsets):
        if hashing.pays(offsets, LONG):
            out[:] = count_block(hashing.leads(data, offsets), offsets)
            return
        for length, rows in blocks.batches(offsets):
            out[rows] = _distinct(blocks.rows_2d(data, offsets[rows], length))
        return
    items = pairs.comparable(data, None)
    for short in pairs.short_rows(offsets):
        out[short.rows] = np.add.reduce(pairs.first(short.columns(items)).view(np.uint8), axis=0, dtype=np.uint8)
    if (long := pairs.long_rows(offsets)) is not None:
        found = empty(len(long.rows), np.int64)
        _count_distinct(items[long.items], long.offsets, found)
        out[long.rows] = found


def _distinct(rows: NDArray[Any]) -> NDArray[Any]:
    ordered = np.sort(rows, axis=1)
    before, after = ordered[:, :-1], ordered[:, 1:]
    differs = before != after
    if rows.dtype.kind == "f":
        differs &= ~np.isnan(before)  # NaN is last: what follows a NaN is one too
    distinct: NDArray[Any] = 1 + np.count_nonzero(differs, axis=1)
    return distinct
