"""Quantiles of each row: rows are sorted, or the items of two ranks are selected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import compiled, strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import longest_of, row_sizes
from arrowjag._kernels.base.words import unless_all
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loop import SAMPLE
from arrowjag._kernels.order import sort as _sort
from arrowjag._kernels.reduce.segments import Block, drop_nulls, over_blocks, result_type, without_signed_zeros
from arrowjag.errors import JagValueError, brief

__all__ = ["check_interpolation", "median_deviation", "mixed", "of_table", "probability", "quantile", "quantiles", "slots_of"]

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile(
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    q: float,
    interpolation: str = "linear",
    *,
    rounded: bool = False,
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The q-quantile of each row; nulls are skipped, NaN in a row gives NaN, a row without items gives null.

    Parameters
    ----------
    q : float
        Between 0 and 1.
    interpolation : str
        "linear", "lower", "higher", "midpoint" or "nearest" (halves go to the even position), as in numpy.
    rounded : bool
        Whether quantiles of 64-bit integers are rounded to integers of their type, halves to even.

    Returns
    -------
    (n_rows,) array of the data's float type, float64 for integers and bool unless `rounded`; valid

    Raises
    ------
    JagValueError
        q outside of 0 to 1, or an unknown interpolation.

    Notes
    -----
    O(n_values log of the row length).
    """
    if not 0 <= q <= 1:
        raise JagValueError(f"quantile: q must be from 0 to 1, got {q}.")
    check_interpolation(interpolation)
    data, offsets = drop_nulls(data, valid, offsets)
    target = data.dtype if rounded else result_type(data.dtype)
    full = offsets[1:] > offsets[:-1]
    if strategy.is_small("quantile", (data, None)):
        return without_warnings(_of_few, data, offsets, full, q, interpolation, target), unless_all(full)
    out = zeros(len(full), target)
    # With many lengths, larger blocks have more rows of each length: Zipf rows take 80 ms instead of 95.
    size = strategy.sizes.LARGE_VALUES * (8 if strategy.long_share(offsets) else 1)
    whole = find_loop("select", data.dtype, False, len(data), often=True) is not None  # no batches: a block per core is enough
    over_blocks(partial(_of_block, out, q, interpolation), np.ascontiguousarray(data), None, offsets, size, per_core=whole)
    return out, unless_all(full)


def median_deviation(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """The median distance of the floats of each row from their median; as `quantile` otherwise."""
    data, offsets = drop_nulls(data, valid, offsets)
    if strategy.is_small("quantile", (data, None)):
        full = offsets[1:] > offsets[:-1]
        return without_warnings(_deviations_of_few, data, offsets, full), unless_all(full)
    middle, _ = quantile(data, None, offsets, 0.5)
    away = empty(len(data), data.dtype)

    def work(block: Block) -> None:
        centre = middle[block.rows].repeat(row_sizes(block.offsets))
        np.abs(np.subtract(block.data, centre), out=away[block.items])

    over_blocks(work, data, None, offsets)
    return quantile(away, None, offsets, 0.5)


def probability(q: Any) -> float:
    """A probability as a float; raises for what is none."""
    if type(q) is float and 0 <= q <= 1:
        return q
    if not isinstance(q, (int, float, np.number)) or isinstance(q, (bool, np.bool_, np.timedelta64)) or not 0 <= q <= 1:
        raise JagValueError(f"quantile: q must be a number from 0 to 1, got {brief(q)}")
    return float(q)


def check_interpolation(interpolation: str) -> None:
    """Raise for what is no interpolation."""
    if interpolation not in INTERPOLATIONS:
        raise JagValueError.unknown("quantile: interpolation", INTERPOLATIONS, interpolation)


def quantiles(
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    q: Sequence[float],
    interpolation: str = "linear",
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Several quantiles of each row; as `quantile` otherwise.

    Returns
    -------
    (n_rows, len(q)) array; (n_rows,) bool array, False for rows without items, or None

    Notes
    -----
    Several quantiles sort each row once, or select from long rows one by one. 5M float64 in 500k rows: three quantiles take as long
    as two calls of `quantile`.
    """
    if len(q) == 1:
        found, present = quantile(data, valid, offsets, q[0], interpolation)
        return found.reshape(-1, 1), present
    check_interpolation(interpolation)
    data, offsets = drop_nulls(data, valid, offsets)
    target, full = result_type(data.dtype), offsets[1:] > offsets[:-1]
    each = np.array(q, np.float64)[:, None]
    if strategy.is_small("quantiles", (data, None)):
        return without_warnings(_of_few, data, offsets, full, each, interpolation, target).T, unless_all(full)
    ready = find_loop("select", data.dtype, False, len(data), often=True) is not None
    if strategy.choose("quantiles", len(data), len(offsets) - 1, len(q), data.dtype.kind == "f", ready) == "each":
        parts = [quantile(data, None, offsets, one, interpolation) for one in q]
        return np.stack([found for found, _ in parts], axis=1), parts[0][1]
    out = zeros(len(full) * len(q), target).reshape(-1, len(q))

    def work(block: Block) -> None:
        rows = block.offsets[1:] > block.offsets[:-1]
        out[block.rows][rows] = _places(block.offsets, rows, each, interpolation).of(block.data, target).T

    ordered, _ = _sort.sort(np.ascontiguousarray(data), None, offsets)
    over_blocks(work, ordered, None, offsets)
    return out, unless_all(full)


class _Places(NamedTuple):
    """The items of sorted rows between which a quantile lies, of each row that has items; a column of several q adds a dim."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    last: NDArray[np.int64]
    """The largest item of each row."""

    weights: NDArray[np.float64]
    """How near the quantile is to the upper item."""

    def of(self, ordered: NDArray[Any], target: np.dtype[Any]) -> NDArray[Any]:
        """The quantiles of sorted rows."""
        return mixed(ordered[self.lower], ordered[self.upper], ordered[self.last], self.weights, target)


def _places(offsets: NDArray[np.int64], full: NDArray[np.bool_], q: float | NDArray[np.float64], interpolation: str) -> _Places:
    """The places of all rows that have items, whatever their lengths."""
    first, ends = offsets[:-1], offsets[1:]
    if np.count_nonzero(full) < len(full):
        first, ends = first[full], ends[full]
    last = ends - 1
    low, high, weights = slots_of(last - first, q, interpolation)
    return _Places(first + low, first + high, last, weights)


def _of_few(
    data: NDArray[Any],
    offsets: NDArray[np.int64],
    full: NDArray[np.bool_],
    q: float | NDArray[np.float64],
    interpolation: str,
    target: np.dtype[Any],
) -> NDArray[Any]:
    """The quantiles of all rows, whatever their lengths; for a column of several q, a row of results for each."""
    return _of_all(_places(offsets, full, q, interpolation).of(_sort.sort(data, None, offsets)[0], target), full)


def _deviations_of_few(data: NDArray[Any], offsets: NDArray[np.int64], full: NDArray[np.bool_]) -> NDArray[Any]:
    """The median distance from the median of each row: both medians lie at the same places of sorted rows."""
    places = _places(offsets, full, 0.5, "linear")
    middle = _of_all(places.of(_sort.sort(data, None, offsets)[0], data.dtype), full)
    away = np.abs(data - middle.repeat(row_sizes(offsets)))
    return _of_all(places.of(_sort.sort(away, None, offsets)[0], data.dtype), full)


def _of_all(found: NDArray[Any], full: NDArray[np.bool_]) -> NDArray[Any]:
    """The results of the rows that have items, and 0 for the others."""
    if found.shape[-1] == len(full):
        return found
    out = np.zeros((*found.shape[:-1], len(full)), found.dtype)
    out[..., full] = found
    return out


def slots_of(
    last: NDArray[np.int64], q: float | NDArray[np.float64], interpolation: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Between which slots of sorted rows a quantile, or each of a column of them, lies, and how near to the second."""
    position: NDArray[np.float64] = np.multiply(q, last, dtype=np.float64)
    low, high = position.astype(np.int64), np.ceil(position).astype(np.int64)
    if interpolation in ("lower", "higher", "nearest"):
        slot = {"lower": low, "higher": high}.get(interpolation)
        slot = np.rint(position).astype(np.int64) if slot is None else slot
        return slot, slot, np.zeros(slot.shape)
    return low, high, np.multiply(high - low, 0.5) if interpolation == "midpoint" else position - low


def _of_block(out: NDArray[Any], q: float, interpolation: str, block: Block) -> None:
    out = out[block.rows]
    loop = find_loop("select", block.data.dtype, False, len(block.data), often=True)
    if strategy.choose("select", loop is not None and not holds_nan(block.data)) == "compiled" and loop is not None:
        _select(loop, out, q, interpolation, block)
        return
    found = blocks.batches(block.offsets)
    lengths = np.array([length for length, _ in found], np.int64)
    slots = [part.tolist() for part in slots_of(lengths - 1, q, interpolation)]
    rest = []
    for (length, rows), low, high, weight in zip(found, *slots, strict=True):
        table = blocks.rows_2d(block.data, block.offsets[rows], length)
        parts = _at(table.copy() if len(rows) == 1 else table, low, high)
        if len(rows) > strategy.sizes.SELECT_ROWS:
            out[rows] = mixed(*parts, weight, out.dtype)
        else:
            # Copies, because views would keep whole tables alive.
            rest.append((rows, *(part.copy() for part in parts), np.full(len(rows), weight)))
    if rest:
        rows, *joined = (np.concatenate(part) for part in zip(*rest, strict=True))
        lower, upper, largest, weights = joined
        out[rows] = mixed(lower, upper, largest, weights, out.dtype)


def _select(loop: compiled.Compiled, out: NDArray[Any], q: float, interpolation: str, block: Block) -> None:
    """Fill `out` by a compiled loop that selects the two items; data has no NaN, and empty rows are skipped."""
    sizes = row_sizes(block.offsets)
    full = sizes > 0
    low, high, weights = slots_of(np.maximum(sizes - 1, 0), q, interpolation)
    lower, upper = zeros(len(sizes), block.data.dtype), zeros(len(sizes), block.data.dtype)
    scratch = empty(longest_of(sizes), block.data.dtype)
    sample = empty(SAMPLE, block.data.dtype)
    loop(block.data, block.offsets, 0, len(sizes), low, scratch, sample, lower, upper)
    upper = np.where(high > low, upper, lower)
    out[full] = mixed(lower[full], upper[full], lower[full], weights[full], out.dtype)


def _at(rows: NDArray[Any], low: int, high: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Sort rows in place; return the items of two neighbouring slots and the largest item, which is NaN if the row has one."""
    # Sorting rows of one length side by side is one call of numpy's vectorised sort (5M values in 500k rows: 46 ms of
    # CPU time, polars' median 100). np.partition around one slot is vectorised too, around several it is not: in
    # rows of 1000 it takes 10 ns per item, around three slots 13, and the sort 14.
    if strategy.choose("quantile", rows.shape[1]) == "sort":
        rows.sort(axis=1)
        return rows[:, low], rows[:, high], rows[:, -1]
    rows.partition(low, axis=1)
    return rows[:, low], np.minimum.reduce(rows[:, high:], axis=1), np.maximum.reduce(rows[:, low:], axis=1)


def of_table(rows: NDArray[Any], q: float, interpolation: str, target: np.dtype[Any]) -> NDArray[Any]:
    """The quantiles of the rows of a matrix, which are sorted in place."""
    (low,), (high,), (weight,) = (part.tolist() for part in slots_of(np.array([rows.shape[1] - 1]), q, interpolation))
    return mixed(*_at(rows, low, high), weight, target)


def mixed(
    lower: NDArray[Any],
    upper: NDArray[Any],
    largest: NDArray[Any],
    weight: float | NDArray[np.float64],
    target: np.dtype[Any],
) -> NDArray[Any]:
    """Interpolate between two items of each row, never to -0.0; NaN if the row has one, which is then its largest item."""
    exact = isinstance(weight, float) and weight == 0
    found = lower.astype(target) if exact else _between(lower, upper, weight, target)
    if largest.dtype.kind == "f" and np.count_nonzero(bad := np.isnan(largest)):
        found = np.where(bad, found.dtype.type(np.nan), found)
    return without_signed_zeros(found)


def _between(low: NDArray[Any], high: NDArray[Any], weight: float | NDArray[np.float64], target: np.dtype[Any]) -> NDArray[Any]:
    """The number at a share of the way from low to high, without overflow; if both are equal, also infinite, it is exactly that."""
    if low.dtype.kind in "iu" and low.itemsize == 8:
        return _between_wide(low, high, np.asarray(weight), target)
    low, high = low.astype(np.float64, copy=False), high.astype(np.float64, copy=False)
    mixed = low * (1 - weight) + high * weight
    np.copyto(mixed, low, where=low == high)  # as they are where the weight is 0
    return mixed.astype(target, copy=False)


def _between_wide(low: NDArray[Any], high: NDArray[Any], weight: NDArray[np.float64], target: np.dtype[Any]) -> NDArray[Any]:
    """The mix of 64-bit integers: its whole part is computed in integers, which is exact half way between two, too."""
    start = low.astype(low.dtype).view(np.uint64)
    gap = high.astype(high.dtype).view(np.uint64) - start
    share = gap * weight
    whole = np.floor(share)
    middle, half = weight == 0.5, (gap & np.uint64(1)) * 0.5
    rest = np.where(middle, half, share - whole)
    found = (start + np.where(middle, gap >> np.uint64(1), whole.astype(np.uint64))).view(low.dtype)
    if target.kind == "f":
        last = found & found.dtype.type(2047)  # beyond 2**53, float64 would round the integer before the rest is added
        exact: NDArray[np.float64] = (found - last) + (last + rest)
        return exact
    up = (rest > 0.5) | ((rest == 0.5) & (found & found.dtype.type(1)).astype(np.bool_))
    rounded: NDArray[Any] = found + up.astype(found.dtype)
    return rounded
