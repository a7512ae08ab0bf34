"""Operations composed of simpler ones: softmax, cdf, group_by, combinations and pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import MOST_ITEMS, item_count
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import scan as _scan
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.fill import spread_rows
from arrowjag._kernels.base.memory import check_memory, empty, empty_like, numbers
from arrowjag._kernels.base.offsets import longest_of, row_sizes
from arrowjag._kernels.base.words import both_valid
from arrowjag._kernels.equal import groups as _kernels
from arrowjag._kernels.move import gather
from arrowjag._kernels.order import rank as _rank
from arrowjag._kernels.scan import weights
from arrowjag._ops import along_axis, elementwise, exact, sets, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.weights import has_weight, weights_of
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagOverflowError, JagTypeError, ShapeError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["argcombinations", "cdf", "combinations", "group_by", "group_by_indices", "pairs", "softmax"]


def softmax(column: Column, beta: float, axis: Any) -> Column:
    """Divide exp(beta * x) of each item by its sum over the row."""

    def weigh(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_decimal(values.type):
            values = exact.deviations(values, offsets)
        if pt.is_null(values.type):
            values = values.cast(pa.float64())
        if not _arrow.is_numeric(values.type):
            raise JagTypeError.no_kernel("softmax", values.type)
        data, valid = _arrow.to_numpy(values)
        data = data.astype(np.float64) if data.dtype.kind == "b" else data
        return _arrow.from_numpy(*weights.softmax(data, valid, offsets, float(beta)))

    return along_axis.apply(column, axis, weigh, "softmax")


def cdf(column: Column, weights: Column | None, axis: Any) -> Column:
    """For each item, the share of the row's items (or of their weights) that are less than or equal to it."""
    if weights is None:
        return along_axis.apply(column, axis, _shares, "cdf")
    return along_axis.apply_both(column, weights, axis, _weighted_shares, "cdf")


def _shares(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Divide the maximum rank of each item by the number of valid items of its row."""
    key, valid = _arrow.order_key(values, "cdf")
    ranks, _ = _rank.rank(key, valid, offsets, "max")
    present, _ = _reduce.count(valid, offsets)
    return _arrow.from_numpy(_poisoned(_rank.shares(ranks, present, offsets), key, valid, offsets), valid)


def _weighted_shares(values: pa.Array, weight: pa.Array, offsets: IntArray) -> pa.Array:
    """Divide the cumulative weight at each item by the row's total; items without a weight are skipped."""
    key, valid = _arrow.order_key(values, "cdf")
    amount, valid = weights_of(weight, both_valid(valid, _arrow.valid_of(weight)), offsets, "cdf")
    order, begins = _rank.sorted_runs([(key, valid)], offsets)
    total, _ = _scan.cumsum(amount[order], None if valid is None else valid[order], offsets)
    last_of_run = np.append(begins.nonzero()[0][1:], len(order)) - 1
    last_of_row = spread_rows(offsets[1:] - 1, offsets)
    result = np.empty(len(order))
    result[order] = without_warnings(np.divide, total[last_of_run[np.cumsum(begins) - 1]], total[last_of_row])
    result = _poisoned(result, key, valid, offsets)
    weighty = spread_rows(has_weight(amount, valid, offsets), offsets)
    return _arrow.from_numpy(result, weighty if valid is None else valid & weighty)


def _poisoned(result: Any, key: Any, valid: BoolArray | None, offsets: IntArray) -> Any:
    """Set rows that hold a NaN to NaN."""
    if key.dtype.kind == "f" and np.count_nonzero(nan := np.isnan(key)):
        poisoned, _ = _reduce.any(nan, valid, offsets)
        result[spread_rows(poisoned, offsets)] = np.nan
    return result


# --------------------------------------------------------------------------------------------------- groups


def _groups(
    column: Column, keys: Sequence[Column], axis: Any, operation: str, sort: bool
) -> tuple[Column, int, Column, tuple[Dim, ...], IntArray]:
    """Return the column and axis to group along, the item numbers, the dims of the groups and the items in group order."""
    found = _axes.normalize_axes(axis, column.ndim, operation)
    if len(found) > 1:
        column, *keys = (_axes.trailing(one, found[0]) for one in structure.align([column, *keys], operation))
    place = found[0]
    frame, keys = along_axis.align_keys(column, place + 1, keys, operation)
    key_of = _arrow.order_key if sort else _arrow.equality_key
    codes = [key_of(key.values, operation) for key in keys] or [along_axis.item_key(column, place + 1, operation, ordered=sort)]
    outer, dim = frame._shape._dims[:place], frame._shape._dims[place]
    cut, item_cut, items = _kernels.group_items(codes, dim.offsets, sort=sort)
    dims = (*outer, along_axis.resized(dim, cut), Ragged.from_offsets(item_cut, check=False))
    return column, place, frame, dims, items


def group_by(column: Column, keys: Sequence[Column], axis: Any) -> Column:
    """Group the items of each row by equal keys; adds a dim."""
    column, place, frame, dims, items = _groups(column, keys, axis, "group_by", False)
    if frame._shape._dims[place]._size < column._shape._dims[place]._size:  # items in null rows of a key are dropped
        items = frame.values.to_numpy()[items]
    return structure.take_items(column, place + 1, items, dims)


def group_by_indices(column: Column, keys: Sequence[Column], sort: bool, axis: Any) -> Column:
    """Return the positions in the row of the items of each group."""
    _, place, frame, dims, items = _groups(column, keys, axis, "group_by_indices", sort)
    slots = _offsets.positions(frame.shape.dims[place].offsets).take(items, out=empty_like(items), mode="clip")
    return Column(JaggedShape._trusted(dims), _arrow.from_numpy(slots))


# --------------------------------------------------------------------------------------------------- choices


def combinations(column: Column, n: int, axis: Any) -> Column:
    """List all combinations of n items per row, in order of position; adds a dim of size n."""
    n = item_count(n, "combinations: n", 1)
    column, place = along_axis.single_axis(column, axis, "combinations")
    dim = column.shape.dims[place]
    cut, items = _choices(dim.offsets, n)
    dims = (*column.shape.dims[:place], along_axis.resized(dim, cut), Uniform(n, int(cut[-1])))
    return structure.take_items(column, place + 1, items, dims)


def argcombinations(column: Column, n: int, axis: Any) -> Column:
    """List the slots of all combinations of n items per row; adds a dim of size n."""
    n = item_count(n, "argcombinations: n", 1)
    column, place = along_axis.single_axis(column, axis, "argcombinations")
    dim = column.shape.dims[place]
    cut, slots = _choices(dim.offsets, n, as_slots=True)
    return Column(
        JaggedShape._trusted((*column.shape.dims[:place], along_axis.resized(dim, cut), Uniform(n, int(cut[-1])))),
        _arrow.from_numpy(slots),
    )


def _choices(offsets: IntArray, n: int, as_slots: bool = False) -> tuple[IntArray, IntArray]:
    """Return the offsets of each row's combinations and their items or slots; rows of equal length share one table of slots."""
    sizes = row_sizes(offsets)
    cut = _offsets.from_sizes(_counts(sizes, n))
    total = int(cut[-1])
    if not total:
        return cut, np.empty(0, np.int64)
    if strategy.choose("combinations", total * n) == "items":
        items = _few_choices(sizes, offsets, n)
        return cut, items - _offsets.runs(offsets[:-1], cut * n, 0) if as_slots else items
    # The combinations of all rows, and three copies of those of the longest row.
    check_memory((total + 3 * math.comb(longest_of(sizes), n)) * n, 8)
    items = empty(total * n, np.int64)

    def work(batch: blocks.Batch) -> None:
        length, rows = batch
        slots = _few_choices(np.array([length]), np.array([0, length]), n)
        step = max(1, strategy.sizes.CACHE_VALUES // len(slots))
        for some in [rows[first : first + step] for first in range(0, len(rows), step)]:
            chosen = np.broadcast_to(slots, (len(some), len(slots))) if as_slots else offsets[some][:, None] + slots
            blocks.put_rows(items, cut[some] * n, chosen)

    blocks.map_tasks(work, blocks.batches(offsets, above=n - 1))
    return cut, items


def _counts(sizes: IntArray, n: int) -> IntArray:
    """Count the combinations per row; raises if their total is too large to hold."""
    longest = longest_of(sizes)
    distinct, place = (np.arange(longest + 1), sizes) if longest <= 64 else np.unique(sizes, return_inverse=True)
    if longest > n and _log_choices(longest, n) > _MOST_LOG:
        raise JagOverflowError(f"combinations: the combinations of {n} of {plural(longest, 'item')} don't fit into memory")
    counts = [math.comb(size, n) for size in distinct.tolist()]
    total = sum(count * many for count, many in zip(counts, np.bincount(place, minlength=len(counts)).tolist(), strict=True))
    if total * n > MOST_ITEMS:
        raise JagOverflowError(f"combinations: {total} combinations of {plural(n, 'item')} don't fit into memory")
    found: IntArray = np.array(counts, np.int64)[place]
    return found


_MOST_LOG = 64 * math.log(2)
"""The logarithm of a number of combinations beyond any memory; compared first, because the exact number may have many digits."""


def _log_choices(size: int, n: int) -> float:
    """Return an approximation of the logarithm of the number of combinations of n items."""
    return math.lgamma(size + 1) - math.lgamma(n + 1) - math.lgamma(size - n + 1)


def _few_choices(sizes: IntArray, offsets: IntArray, n: int) -> IntArray:
    """Build combinations of short rows one position at a time: extend each prefix by every later item that leaves enough items."""
    room = offsets[1:].repeat(sizes) - numbers(int(offsets[-1]))
    last = (room >= n).nonzero()[0]
    # For each position: the last item of each prefix, and the shorter prefix that this item extends.
    steps = [(last, last)]
    for rest in range(n - 1, 0, -1):
        times = room[last] - rest
        shorter = numbers(len(last)).repeat(times)
        last = gather.ranges(last + 1, times)
        steps.append((last, shorter))
    found = np.empty((len(last), n), np.int64)
    found[:, n - 1], prefix = steps[-1]
    for position in range(n - 2, -1, -1):
        last, shorter = steps[position]
        found[:, position] = last[prefix]
        prefix = shorter[prefix] if position else prefix
    return found.ravel()


def pairs(one: Column, two: Column, axis: Any) -> Column:
    """Pair every item of a row with every item of the other column's row; adds a dim of size 2."""
    if one.ndim != two.ndim:
        raise ShapeError(f"pairs: {one.shape!r} and {two.shape!r} must have the same number of dims")
    type = elementwise.common_type([one.type, two.type], "pairs")
    one, place = along_axis.single_axis(elementwise.cast(one, type, operation="pairs"), axis, "pairs")
    two, _ = along_axis.single_axis(elementwise.cast(two, type, operation="pairs"), axis, "pairs")
    one, two, outer = sets.same_rows(one, two, place, "pairs")
    left, right = one.shape.dims[place], two.shape.dims[place]
    n_left = left.size
    # The product of the two totals bounds the number of pairs without reading the rows.
    if n_left * right.size > 2**62 and float(left.max(0)) * float(right.max(0)) * max(len(left), 1) > 2**62:
        raise JagOverflowError("pairs: the number of pairs does not fit 64 bits")
    offsets, each, others, starts = left.offsets, left.sizes, right.sizes, right.offsets[:-1] + n_left
    cut = _offsets.from_counts(each * others)
    total = int(cut[-1])
    items = empty(2 * total, np.int64)

    def work(first: int, last: int) -> None:
        rows = slice(first, last)
        times = others[rows].repeat(each[rows])
        out = items[2 * cut[first] : 2 * cut[last]].reshape(-1, 2)
        out[:, 0] = np.arange(offsets[first], offsets[last]).repeat(times)
        out[:, 1] = _offsets.runs(starts[rows].repeat(each[rows]), _offsets.from_counts(times))

    blocks.map_rows(work, cut, block_values=strategy.sizes.CACHE_VALUES)
    dims = (*outer, along_axis.resized(left, cut), Uniform(2, total))
    return structure.take_joined([(one, place + 1), (two, place + 1)], items, dims)
