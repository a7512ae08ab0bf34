"""Order within rows: sort, argsort, rank, topk, reverse, inverse_permutation, shuffle and sample.

Along an outer axis, sort, argsort and rank compare the items at the same local position, as in numpy; reverse, shuffle and
sample move whole sub-trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer, item_count
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base import random_numbers
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.memory import zeros
from arrowjag._kernels.base.offsets import row_sizes, span_of
from arrowjag._kernels.base.words import both_valid
from arrowjag._kernels.move import gather, scatter
from arrowjag._kernels.order import rank as _rank
from arrowjag._kernels.order import sort as _kernels
from arrowjag._kernels.order.digits import radix_order
from arrowjag._kernels.order.pairs import in_small_blocks
from arrowjag._kernels.order.rank import candidates
from arrowjag._ops import along_axis, elementwise, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.cursor import naming_rows, row_name
from arrowjag._ops.weights import weights_of
from arrowjag.dims import Ragged
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, brief
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray, RankMethod

__all__ = ["argsort", "inverse_permutation", "rank", "reverse", "sample", "shuffle", "sort", "topk"]


def _sorted(values: pa.Array, offsets: IntArray, descending: bool) -> pa.Array:
    type = values.type
    if pt.is_float16(type):
        return elementwise.in_single_precision(lambda singles: _sorted(singles, offsets, descending), values)
    if _arrow.is_numeric(type) or _arrow.is_temporal(type):
        data, valid = _kernels.sort(*_arrow.to_numpy(values), offsets, descending)
        return _arrow.from_numpy(data, valid, type)
    return gather.take(values, _order(values, offsets, descending, "sort"))


def _order(values: pa.Array, offsets: IntArray, descending: bool, operation: str, *, slots: bool = False) -> IntArray:
    return _kernels.argsort(*_arrow.order_key(values, operation, descending=descending), offsets, descending, slots=slots)


def sort(column: Column, descending: bool, by: Column | None, axis: Any) -> Column:
    """Sort the items of each row by value or by a key; with a key per item of an outer axis, whole sub-trees move."""
    falling = bool(descending)
    if by is None:
        return along_axis.apply(column, axis, lambda values, offsets: _sorted(values, offsets, falling), "sort")
    found = _axes.normalize_axes(axis, column.ndim, "sort")
    if by.ndim > column.ndim:
        raise ShapeError(f"sort: by has {dims_text(by.shape.dims)}, but the sorted array has {column.ndim}")
    if len(found) == 1 and by.ndim <= found[0] + 1 < column.ndim:
        return _sort_trees(column, found[0], by, falling)

    def sorted_by(values: pa.Array, keys: pa.Array, offsets: IntArray) -> pa.Array:
        return gather.take(values, _order(keys, offsets, falling, "sort"))

    return along_axis.apply_both(column, by, axis, sorted_by, "sort")


def _sort_trees(column: Column, axis: int, by: Column, descending: bool) -> Column:
    frame, (key,) = along_axis.align_keys(column, axis + 1, [by], "sort")
    order = _order(key.values, frame.shape.dims[axis].offsets, descending, "sort")
    return structure.take_items(column, axis + 1, frame.values.to_numpy()[order], frame.shape.dims)


def argsort(column: Column, descending: bool, axis: Any) -> Column:
    """Return the positions that sort each row; along an outer axis, positions along that axis."""
    falling = bool(descending)

    def slots(values: pa.Array, offsets: IntArray) -> pa.Array:
        return _arrow.from_numpy(_order(values, offsets, falling, "argsort", slots=True))

    found = () if _axes.is_empty_tuple(axis) else _axes.normalize_axes(axis, column.ndim, "argsort")
    if not found or found[-1] == column.ndim - 1:
        return along_axis.apply(column, axis, slots, "argsort")
    moved = _axes.move_last(column, found[0])
    flat = moved.column
    order = _order(flat.values, flat.shape.dims[-1].offsets, falling, "argsort")
    return _axes.move_back(moved, Column(flat.shape, _arrow.from_numpy(moved.slots[order])), column.shape)


def rank(
    column: Column, method: RankMethod, descending: bool, axis: Any, tie_breaker: Column | None, *, pct: bool = False
) -> Column:
    """Rank each item within its row, from 1, or as a share of the ranked items."""
    falling, shares = bool(descending), bool(pct)

    def finish(found: npt.NDArray[Any], valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        return _arrow.from_numpy(_shares(found, valid, offsets, method) if shares else found, valid)

    def ranks(values: pa.Array, offsets: IntArray) -> pa.Array:
        return finish(*_rank.rank(*_arrow.order_key(values, "rank", descending=falling), offsets, method, falling), offsets)

    def broken(values: pa.Array, ties: pa.Array, offsets: IntArray) -> pa.Array:
        key, valid = _arrow.order_key(values, "rank", descending=falling)
        tie, known = _arrow.order_key(ties, "rank")
        valid = both_valid(valid, known)
        order = _kernels.lexsort([(key, valid), (tie, valid)], offsets, [falling, False])
        found = np.empty(len(order), np.int64)
        found[order] = _offsets.positions(offsets, 1)
        return finish(found, valid, offsets)

    if tie_breaker is None:
        return along_axis.apply(column, axis, ranks, "rank")
    if method != "ordinal":
        raise JagValueError(f'rank: a tie_breaker requires method "ordinal", got {brief(method)}')
    return along_axis.apply_both(column, tie_breaker, axis, broken, "rank")


def _shares(ranks: npt.NDArray[Any], valid: BoolArray | None, offsets: IntArray, method: str) -> npt.NDArray[np.float64]:
    """Ranks divided by the number of ranked items of the row, dense ones by the largest rank."""
    if method == "dense":
        total, _ = _reduce.max(ranks, valid, offsets)
    else:
        total, _ = _reduce.count(valid, offsets)
    return _rank.shares(ranks, total, offsets)


def topk(column: Column, k: int, axis: Any, by: Column | None, descending: bool, operation: str = "topk") -> Column:
    """Return the first k items of each row in the order of the items or of a key.

    Along an outer axis the items at each local position are a row; with a key per item of that axis whole sub-trees are items.
    """
    wanted, falling = item_count(k, f"{operation}: k"), bool(descending)
    found = _axes.normalize_axes(axis, column.ndim, operation)
    if by is not None:
        return _topk_by(column, found, wanted, by, falling, operation)
    if found[-1] < column.ndim - 1:
        return _topk_across(column, found[0], wanted, falling)
    column = _axes.trailing(column, found[0])
    values, cut = _largest(column.values, column.shape.dims[-1].offsets, wanted, falling)
    outer = (*column.shape.dims[:-1], along_axis.resized(column.shape.dims[-1], cut))
    return Column(JaggedShape._trusted(outer), values)


def _topk_by(column: Column, axes: tuple[int, ...], k: int, by: Column, descending: bool, operation: str) -> Column:
    if len(axes) > 1:
        column, by = (_axes.trailing(one, axes[0]) for one in structure.align([column, by], operation))
    place = axes[0]
    frame, (key,) = along_axis.align_keys(column, place + 1, [by], operation)
    *outer, dim = frame.shape.dims
    items, cut = _first_in_order(_arrow.order_key(key.values, operation, descending=descending), dim.offsets, k, descending)
    if dim._size < column._shape._dims[place]._size:  # items in null rows of the key are dropped
        items = frame.values.to_numpy()[items]
    return structure.take_items(column, place + 1, items, (*outer, along_axis.resized(dim, cut)))


def _first_in_order(key: _kernels.Key, offsets: IntArray, k: int, descending: bool) -> tuple[IntArray, IntArray]:
    """Return the first k items of each row in the order of a key, and the offsets that cut them into rows."""
    taken = np.minimum(row_sizes(offsets), k)
    items = None
    if (found := candidates(key, offsets, taken, descending=descending)) is not None:
        items, offsets = found
        key = key[0][items], None if key[1] is None else key[1][items]
    cut = _offsets.from_counts(taken)
    order = gather.taken(_kernels.argsort(*key, offsets, descending), _offsets.runs(offsets[:-1], cut))
    return order if items is None else gather.taken(items, order), cut


def _largest(values: pa.Array, offsets: IntArray, k: int, descending: bool) -> tuple[pa.Array, IntArray]:
    """Return the k largest items of each row in descending order, or the k smallest ones, and their offsets."""
    key, valid = _arrow.order_key(values, "topk", descending=descending)
    if not (_arrow.is_numeric(values.type) or _arrow.is_temporal(values.type)):
        items, cut = _first_in_order((key, valid), offsets, k, descending)
        return gather.take(values, items), cut
    taken = np.minimum(row_sizes(offsets), k)
    if (found := candidates((key, valid), offsets, taken, descending=descending)) is not None:
        items, offsets = found
        key, valid = key[items], None if valid is None else valid[items]
    cut = _offsets.from_counts(taken)
    slots = _offsets.runs(offsets[:-1], cut)
    ordered = _arrow.from_numpy(*_kernels.sort(key, valid, offsets, descending), values.type)
    return gather.take(ordered, slots), cut


def _topk_across(column: Column, axis: int, k: int, descending: bool) -> Column:
    """Return the k largest, or smallest, leaves per node of the tree without the axis.

    Slot i of the axis has node p if more than i items combine in p. So the size of a row in slot i is the i-th largest size of
    the rows that combine there, and the sizes of every dim below the axis are selected like the leaves. Null rows come last.
    """
    dim = column.shape.dims[axis]
    cut = _offsets.from_sizes(np.minimum(dim.sizes, k))
    dims = [*column.shape.dims[:axis], along_axis.resized(dim, cut)]
    for depth in range(axis + 1, column.ndim):
        below = column.shape.dims[depth]
        rows = Column(column.shape[:depth], _arrow.from_numpy(np.ascontiguousarray(below.sizes), below.validity))
        sizes, valid = _arrow.to_numpy(_largest_across(rows, axis, k, cut))
        offsets = _offsets.from_sizes(sizes if valid is None else np.where(valid, sizes, 0))
        dims.append(Ragged.from_offsets(offsets, validity=valid, extent=below.extent, check=False))
    return Column(JaggedShape._trusted(dims), _largest_across(column, axis, k, cut, descending))


def _largest_across(column: Column, axis: int, k: int, cut: IntArray, descending: bool = True) -> pa.Array:
    """Return the k largest leaves per node without the axis, ordered by slot; `cut` are the offsets of the slots."""
    if axis == column.ndim - 1:
        return _largest(column.values, column.shape.dims[-1].offsets, k, descending)[0]
    moved = _axes.move_last(column, axis).column
    values, offsets = _largest(moved.values, moved.shape.dims[-1].offsets, k, descending)
    owners = moved.shape.composed(axis, moved.ndim - 1).parents
    slots = cut[owners.repeat(row_sizes(offsets))] + _offsets.positions(offsets)
    return gather.take(values, radix_order(slots))


def reverse(column: Column, axis: Any) -> Column:
    """Reverse the items of each row; along an outer axis, the sub-trees."""
    found = _axes.normalize_axes(axis, column.ndim, "reverse")
    if found[-1] == column.ndim - 1:
        return along_axis.apply(column, axis, scatter.reverse, "reverse")
    outer = column.shape.dims[: found[0] + 1]
    return structure.take_items(column, found[0] + 1, _backwards(outer[-1].offsets), outer)


def _backwards(offsets: IntArray) -> IntArray:
    return _offsets.runs(offsets[1:] - 1, offsets, -1)


def inverse_permutation(column: Column, axis: Any) -> Column:
    """Invert row-local positions: each slot holds the position of the item that points to it, or null."""
    result = along_axis.apply(column, axis, _inverted, "inverse_permutation", complete=True)
    if result.values.null_count != column.values.null_count:
        raise JagValueError("inverse_permutation: an item holds a position out of range for its row")
    return result


def _inverted(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_null(values.type):
        return pa.nulls(len(values), pa.int64())
    if not pt.is_integer(values.type):
        raise JagTypeError.no_kernel("inverse_permutation", values.type, hint="Positions must be integers.")
    data, valid = _arrow.to_numpy(values)
    slots, hit = scatter.invert_rows(data, valid, offsets)
    return _arrow.from_numpy(slots, hit, values.type)


# --------------------------------------------------------------------------------------------------- random


def _generator(seed: Any, operation: str) -> np.random.Generator:
    return random_numbers.generator(integer(seed, f"{operation}: seed", 0))


def _random_keys(n: int, generator: np.random.Generator) -> npt.NDArray[np.uint32]:
    """Draw random sort keys of 32 bits: packed with a 32-bit position into one integer of 64 bits, they sort in one pass."""
    raw = random_numbers.random_raw(generator, (n + 1) // 2)  # a third faster than `Generator.integers`
    keys: npt.NDArray[np.uint32] = raw.astype("<u8", copy=False).view("<u4")[:n]
    return keys


def _random_order(offsets: IntArray, generator: np.random.Generator) -> IntArray:
    """Return the items of each row in random order."""
    return _kernels.argsort(_random_keys(int(offsets[-1]), generator), None, offsets)


def _random_items(keys: npt.NDArray[Any], offsets: IntArray, taken: IntArray, cut: IntArray) -> IntArray:
    """The `taken` items of each row with the smallest random keys, in the order of these; `cut` are their offsets."""
    if (found := candidates((keys, None), offsets, taken, descending=False)) is None:
        return _kernels.argsort(keys, None, offsets)[_offsets.runs(offsets[:-1], cut)]
    items, offsets = found
    return items[_kernels.argsort(keys[items], None, offsets)[_offsets.runs(offsets[:-1], cut)]]


def shuffle(column: Column, seed: int, axis: Any) -> Column:
    """Shuffle the items of each row; along an outer axis, the sub-trees."""
    generator = _generator(seed, "shuffle")
    found = _axes.normalize_axes(axis, column.ndim, "shuffle")
    if found[-1] == column.ndim - 1:
        return along_axis.apply(column, axis, lambda v, offsets: gather.take(v, _random_order(offsets, generator)), "shuffle")
    outer = column.shape.dims[: found[0] + 1]
    return structure.take_items(column, found[0] + 1, _random_order(outer[-1].offsets, generator), outer)


def sample(
    column: Column,
    fraction: float | None,
    n: elementwise.Operand | int | None,
    seed: int,
    axis: Any,
    weights: Column | None = None,
) -> Column:
    """Sample items of each row, keeping their order; along an outer axis, sub-trees."""
    generator = _generator(seed, "sample")
    if (fraction is None) == (n is None):
        raise JagValueError(f"sample takes exactly one of fraction= and n=, got {'none' if n is None else 'both'}")
    if weights is not None and n is None:
        raise JagValueError("sample: weights apply to n=, not to fraction=")
    found = _axes.normalize_axes(axis, column.ndim, "sample")
    if weights is not None and len(found) > 1:
        weights = _axes.trailing(structure.align([column, weights], "sample")[1], found[0])
    column, place = along_axis.single_axis(column, axis, "sample")
    if n is None:
        dim = column.shape.dims[place]
        mask = random_numbers.uniform(generator, dim.size) < _share(fraction)
        cut = _offsets.filter_rows(mask, dim.offsets)
    else:
        column, taken = _taken(column, place, n)
        dim = column.shape.dims[place]
        mask = zeros(dim.size, np.bool_)
        if weights is None:
            cut = _offsets.from_counts(taken)
            mask[_random_items(_random_keys(dim.size, generator), dim.offsets, taken, cut)] = True
        else:
            weight = _weights(column, place, weights)
            if np.count_nonzero(weight) < len(weight):
                taken = np.minimum(taken, _offsets.count_true(weight > 0, dim.offsets))
            cut = _offsets.from_counts(taken)
            _mark_weighted(mask, weight, dim.offsets, taken, cut, generator)
    outer = (*column.shape.dims[:place], along_axis.resized(dim, cut))
    return structure.keep_items(column, place + 1, mask, outer)


def _weights(column: Column, place: int, weights: Column) -> npt.NDArray[np.float64]:
    """The weight of each item along an axis, 0 for items that are not drawn."""
    frame = spread = weights
    if weights.shape is not column.shape or place + 1 < column.ndim:
        frame, (spread,) = along_axis.align_keys(column, place + 1, [weights], "sample")
    offsets = frame.shape.dims[place].offsets
    amounts, valid = naming_rows(frame.shape, place, weights_of, spread.values, None, offsets, "sample")
    if valid is not None:
        amounts = np.where(valid, amounts, 0)
    if holds_nan(amounts):
        owner = frame.shape.dims[place].index_of(int(np.isnan(amounts).argmax()))
        raise JagValueError(f"sample: weights must be numbers, got NaN in {row_name(frame.shape, place, owner)}")
    size = column.shape.dims[place].size
    if len(amounts) == size:
        return amounts
    weight = np.zeros(size)  # items in rows whose weights are null are not drawn
    weight[frame.values.to_numpy()] = amounts
    return weight


def _mark_weighted(
    mask: BoolArray,
    weight: npt.NDArray[np.float64],
    offsets: IntArray,
    taken: IntArray,
    cut: IntArray,
    generator: np.random.Generator,
) -> None:
    """Mark the items that are drawn: those with the smallest quotient of an exponential variate and the weight."""

    def work(first: int, last: int, keys: npt.NDArray[np.float64]) -> None:
        span, local = span_of(offsets, first, last)
        without_warnings(np.divide, keys, weight[span], out=keys)
        mask[span][_random_items(keys, local, taken[first:last], span_of(cut, first, last)[1])] = True

    if in_small_blocks(weight.dtype, offsets):
        random_numbers.map_drawn(generator.standard_exponential, work, offsets)
    else:
        work(0, len(taken), generator.standard_exponential(len(weight)))


def _share(fraction: Any) -> float:
    if not 0 <= fraction <= 1:
        raise JagValueError(f"sample: fraction must be from 0 to 1, got {brief(fraction)}")
    return float(fraction)


def _taken(column: Column, axis: int, n: elementwise.Operand | int) -> tuple[Column, IntArray]:
    """Return the number of items to keep per row, and the column with rows null where `n` is null."""
    if not (isinstance(n, int) or pt.is_integer(n.type)):
        raise JagTypeError(f"sample: n must be integers, got {n.type}")
    if not isinstance(n, Column):
        wanted = n if isinstance(n, int) else n.as_py()
        if wanted is None or wanted < 0:
            raise JagValueError(f"sample: n must not be negative, got {brief(wanted)}")
        return column, np.minimum(column.shape.dims[axis].sizes, min(wanted, 2**62))
    if n.ndim > axis:
        raise ShapeError(f"sample: n has {dims_text(n.shape.dims)}, but the rows along the axis have {axis}")
    column, n = structure.agree([column, n], "sample", levels=axis)
    _, (counts,) = along_axis.align_keys(column, axis, [n], "sample")
    each, valid = _arrow.to_int64(counts.values)
    if valid is not None:
        column = structure.null_items(column, axis, valid)
    return column, np.minimum(np.maximum(each, 0), column.shape.dims[axis].sizes)
