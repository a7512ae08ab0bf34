"""Operations made of simpler ones: softmax, shares, groups, choices and Python functions of rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._integers import item_count
from arrowjag._kernels import blocks, gather, weights
from arrowjag._kernels import groups as _kernels
from arrowjag._kernels import offsets as _offsets
from arrowjag._kernels import rank as _rank
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import scan as _scan
from arrowjag._kernels.offsets import row_sizes
from arrowjag._ops import axes as _axes
from arrowjag._ops import elementwise, places, sets, structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagOverflowError, JagTypeError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["cdf", "combinations", "group_by", "group_by_indices", "map_rows", "pairs", "softmax"]


def softmax(column: Column, beta: float, axis: Any) -> Column:
    """exp(beta * x) of each item over the row's sum of them."""
    if isinstance(beta, (bool, np.bool_)) or not isinstance(beta, (int, float, np.number)):
        raise JagTypeError(f"softmax: beta must be a number, got {type(beta).__name__}")

    def weigh(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_decimal(values.type) or pt.is_null(values.type):
            values = values.cast(pa.float64())
        if not _arrow.is_numeric(values.type):
            raise JagTypeError.no_kernel("softmax", values.type)
        data, valid = _arrow.to_numpy(values)
        data = data if data.dtype.kind == "f" else data.astype(np.float64)
        return _arrow.from_numpy(*weights.softmax(data, valid, offsets, float(beta)))

    return places.keeping(column, axis, weigh, "softmax")


def cdf(column: Column, weights: Column | None, axis: Any) -> Column:
    """The share of the row's items, or of their weights, that are at most the item."""
    if weights is None:
        return places.keeping(column, axis, _shares, "cdf")
    return places.keeping_both(column, weights, axis, _weighted_shares, "cdf")


def _shares(values: pa.Array, offsets: IntArray) -> pa.Array:
    """The highest rank of each item over the number of items."""
    key, valid = _arrow.order_key(values, "cdf")
    ranks, _ = _rank.rank(key, valid, offsets, "max")
    present, _ = _reduce.count(valid, offsets)
    result = ranks / np.maximum(present, 1).repeat(row_sizes(offsets))
    return _arrow.from_numpy(_poisoned(result, key, valid, offsets), valid)


def _weighted_shares(values: pa.Array, weight: pa.Array, offsets: IntArray) -> pa.Array:
    """The weight of the items up to each one over that of all; what lacks a weight takes no part."""
    key, valid = _arrow.order_key(values, "cdf")
    if pt.is_decimal(weight.type) or pt.is_null(weight.type) or pt.is_boolean(weight.type):
        weight = weight.cast(pa.uint8()).cast(pa.float64()) if pt.is_boolean(weight.type) else weight.cast(pa.float64())
    if not _arrow.is_numeric(weight.type):
        raise JagTypeError(f"cdf: weights must be numbers, got {weight.type}")
    amount, weighed = _arrow.to_numpy(weight)
    if weighed is not None:
        valid = weighed if valid is None else valid & weighed
    order, begins = _rank.sorted_runs([(key, valid)], offsets)
    total, _ = _scan.cumsum(amount.astype(np.float64)[order], None if valid is None else valid[order], offsets)
    last_of_run = np.append(begins.nonzero()[0][1:], len(order)) - 1
    last_of_row = (offsets[1:] - 1).repeat(row_sizes(offsets))
    result = np.empty(len(order))
    with np.errstate(all="ignore"):
        result[order] = total[last_of_run[np.cumsum(begins) - 1]] / total[last_of_row]
    return _arrow.from_numpy(_poisoned(result, key, valid, offsets), valid)


def _poisoned(result: Any, key: Any, valid: BoolArray | None, offsets: IntArray) -> Any:
    """Rows that hold a NaN are NaN."""
    if key.dtype.kind == "f" and np.count_nonzero(nan := np.isnan(key)):
        poisoned, _ = _reduce.any(nan, valid, offsets)
        result[poisoned.repeat(row_sizes(offsets))] = np.nan
    return result


# --------------------------------------------------------------------------------------------------- groups


def _groups(
    column: Column, keys: Sequence[Column], axis: Any, operation: str, sort: bool
) -> tuple[Column, int, Column, tuple[Dim, ...], IntArray]:
    """The column and axis grouped along, the frame of its items, the dims of the groups and the items in them."""
    found = _axes.normalize_axes(axis, column.ndim, operation)
    if len(found) > 1:
        column, *keys = (_axes.trailing(one, found[0]) for one in structure.align([column, *keys], operation))
    place = found[0]
    frame, keys = places.keyed(column, place + 1, keys, operation)
    codes = [_arrow.order_key(key.values, operation) for key in keys] or [places.item_key(column, place + 1, operation)]
    dim = frame.shape.dims[place]
    cut, item_cut, items = _kernels.group_items(codes, dim.offsets, sort=sort)
    dims = (*frame.shape.dims[:place], places.resized(dim, cut), Ragged.from_offsets(item_cut, check=False))
    return column, place, frame, dims, items


def group_by(column: Column, keys: Sequence[Column], axis: Any) -> Column:
    """The items of each row in groups of equal keys: a dim is added."""
    column, place, frame, dims, items = _groups(column, keys, axis, "group_by", False)
    if len(frame.values) < column.shape.nodes(place + 1):  # a null row of a key dropped some
        items = frame.values.to_numpy()[items]
    return structure.take_items(column, place + 1, items, dims)


def group_by_indices(column: Column, keys: Sequence[Column], sort: bool, axis: Any) -> Column:
    """The slots of the items of each group."""
    _, place, frame, dims, items = _groups(column, keys, axis, "group_by_indices", sort)
    slots = _offsets.positions(frame.shape.dims[place].offsets)[items]
    return Column(JaggedShape._trusted(dims), _arrow.from_numpy(slots))


# --------------------------------------------------------------------------------------------------- choices


def combinations(column: Column, n: int, axis: Any) -> Column:
    """All choices of n items of each row, in order of position: a dim of size n is added."""
    n = item_count(n, "combinations: n", 1)
    column, place = places.grouped(column, axis, "combinations")
    dim = column.shape.dims[place]
    cut, items = _choices(dim.offsets, n)
    dims = (*column.shape.dims[:place], places.resized(dim, cut), Uniform(n, int(cut[-1])))
    return structure.take_items(column, place + 1, items, dims)


def _choices(offsets: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Offsets of the choices of each row, and the items of all of them; rows of one length share one table of slots."""
    sizes = row_sizes(offsets)
    cut = _offsets.from_sizes(_counts(sizes, n))
    total = int(cut[-1])
    if total * n <= _FEW_ITEMS:
        return cut, _few_choices(sizes, offsets, n)
    items = np.empty(total * n, np.int64)
    for length, rows in blocks.batches(offsets, above=n - 1):
        count = math.comb(length, n)
        flat = itertools.chain.from_iterable(itertools.combinations(range(length), n))
        slots = np.fromiter(flat, np.int64, count * n)
        chosen = offsets[rows][:, None] + slots
        blocks.put_rows(items, cut[rows] * n, chosen)
    return cut, items


def _counts(sizes: IntArray, n: int) -> IntArray:
    """How many choices each row has; raises where all together are too many."""
    longest = int(sizes.max(initial=0))
    distinct, place = (np.arange(longest + 1), sizes) if longest <= 64 else np.unique(sizes, return_inverse=True)
    counts = [math.comb(size, n) for size in distinct.tolist()]
    total = sum(count * many for count, many in zip(counts, np.bincount(place, minlength=len(counts)).tolist(), strict=True))
    if total * n > 2**40:
        raise JagOverflowError(f"combinations: {total} choices of {n} items are too many to hold")
    found: IntArray = np.array(counts, np.int64)[place]
    return found


_FEW_ITEMS = 1 << 14
"""Up to so many items calls decide what choices cost: no table for each length of row."""


def _few_choices(sizes: IntArray, offsets: IntArray, n: int) -> IntArray:
    """The items of all choices, item by item: each one so far goes on with every later item that leaves room for the rest."""
    items = np.arange(int(offsets[-1]))
    room = offsets[1:].repeat(sizes) - items
    chosen = [(room >= n).nonzero()[0]]
    for rest in range(n - 1, 0, -1):
        last = chosen[-1]
        times = room[last] - rest
        chosen = [one.repeat(times) for one in chosen]
        chosen.append(gather.ranges(last + 1, times))
    return np.stack(chosen, axis=1).ravel()


def pairs(one: Column, two: Column, axis: Any) -> Column:
    """Every item of a row with every item of the other column's row: a dim of size 2 is added."""
    if one.ndim != two.ndim:
        raise ShapeError(f"pairs: {one.shape!r} and {two.shape!r} must have equally many dims")
    type = elementwise.promote([one.type, two.type], "pairs")
    one, place = places.grouped(elementwise.cast(one, type), axis, "pairs")
    two, _ = places.grouped(elementwise.cast(two, type), axis, "pairs")
    one, two, outer = sets.same_rows(one, two, place, "pairs")
    left, right = one.shape.dims[place], two.shape.dims[place]
    # All items of one with all of the other are more than there are pairs, and need no look at the rows.
    if left.size * right.size > 2**62 and float(left.max(0)) * float(right.max(0)) * max(len(left), 1) > 2**62:
        raise JagOverflowError("pairs: there are more of them than fit 64 bits")
    cut = _offsets.from_counts(left.sizes * right.sizes)
    times = right.sizes[left.parents]
    items = np.empty((int(cut[-1]), 2), np.int64)
    items[:, 0] = np.arange(left.size).repeat(times)
    items[:, 1] = _offsets.runs(right.offsets[left.parents] + left.size, _offsets.from_counts(times))
    dims = (*outer, places.resized(left, cut), Uniform(2, int(cut[-1])))
    both = structure.end_to_end([(one, place + 1), (two, place + 1)])
    return structure.take_items(both, 1, items.reshape(-1), dims)


# --------------------------------------------------------------------------------------------------- Python


def map_rows(column: Column, function: Callable[[Any], Any], type: pa.DataType, axis: Any) -> Column:
    """A Python function of each row that is not null, called with nested lists."""
    place = _axes.normalize_axes(axis, column.ndim, "map_rows")[0]
    if not callable(function):
        raise JagTypeError(f"map_rows takes a function of a row, got {function.__class__.__name__}")
    rows = _column.to_arrow(places.below(column, place)).to_pylist()
    results = [None if row is None else _called(function, row, number) for number, row in enumerate(rows)]
    try:
        values = pa.array(results, type=type)
    except (ValueError, TypeError, pa.ArrowNotImplementedError, OverflowError) as error:  # of pyarrow and of the objects
        raise JagTypeError(f"map_rows: what the function returned does not fit {type}: {error}") from None
    found = _column.from_arrow(values)
    return Column(JaggedShape._trusted((*column.shape.dims[:place], *found.shape.dims[1:])), found.values)


def _called(function: Callable[[Any], Any], row: Any, number: int) -> Any:
    try:
        return function(row)
    except Exception as error:  # whatever the caller's function raises goes on, with the row named
        error.add_note(f"map_rows: the function failed on row {number}")
        raise


def map_rows_type(column: Column, type: pa.DataType, axis: Any) -> Column:
    """An empty column of the type that `map_rows` gives."""
    place = _axes.normalize_axes(axis, column.ndim, "map_rows")[0]
    found = _column.from_arrow(pa.nulls(0, type))
    if place == 0:
        return _column.empty(found.type, found.ndim - 1 if found.ndim > 1 else 1)
    return _column.empty(found.type, place + found.ndim - 1, (*column.shape.extents[:place], *found.shape.extents[1:]))
