"""Order inside rows: sort, ranks, the largest, reversal, shuffles and samples.

What keeps every place works at the same local position along an outer axis, as in numpy; what moves items moves
whole sub-trees there.
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
from arrowjag._kernels import gather, permutations
from arrowjag._kernels import offsets as _offsets
from arrowjag._kernels import rank as _rank
from arrowjag._kernels import sort as _kernels
from arrowjag._kernels.heads import candidates
from arrowjag._kernels.offsets import row_sizes
from arrowjag._ops import axes as _axes
from arrowjag._ops import elementwise, places, structure
from arrowjag.dims import Ragged
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray, RankMethod

__all__ = ["argsort", "inverse_permutation", "rank", "reverse", "sample", "shuffle", "sort", "topk"]


def _sorted(values: pa.Array, offsets: IntArray, descending: bool) -> pa.Array:
    type = values.type
    if _arrow.is_numeric(type) or _arrow.is_temporal(type):
        data, valid = _kernels.sort(*_arrow.to_numpy(values), offsets, descending)
        return _arrow.from_numpy(data, valid, type)
    return gather.take(values, _order(values, offsets, descending, "sort"))


def _order(values: pa.Array, offsets: IntArray, descending: bool, operation: str, *, slots: bool = False) -> IntArray:
    return _kernels.argsort(*_arrow.order_key(values, operation), offsets, descending, slots=slots)


def _flag(value: Any, operation: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise JagTypeError(f"{operation}: descending must be a bool, got {type(value).__name__}")
    return bool(value)


def sort(column: Column, descending: bool, by: Column | None, axis: Any) -> Column:
    """Sort the items of each row, by themselves or by a key; along an outer axis a key of that axis moves whole sub-trees."""
    falling = _flag(descending, "sort")
    if by is None:
        return places.keeping(column, axis, lambda values, offsets: _sorted(values, offsets, falling), "sort")
    found = _axes.normalize_axes(axis, column.ndim, "sort")
    if by.ndim > column.ndim:
        raise ShapeError(f"sort: by has {by.ndim} dims, {by.shape!r}, what is sorted has {column.ndim}")
    if len(found) == 1 and by.ndim <= found[0] + 1 < column.ndim:
        return _sort_trees(column, found[0], by, falling)
    column, by = structure.align([column, by], "sort")
    if found[-1] == column.ndim - 1:
        order = _order(by.values, column.shape.composed(found[0], column.ndim).offsets, falling, "sort")
        return Column(column.shape, gather.take(column.values, order))
    moved = _axes.move_last(column, found[0])
    order = _order(gather.take(by.values, moved.take), moved.column.shape.dims[-1].offsets, falling, "sort")
    return _axes.move_back(moved, Column(moved.column.shape, gather.take(moved.column.values, order)), column.shape)


def _sort_trees(column: Column, axis: int, by: Column, descending: bool) -> Column:
    frame, (key,) = places.keyed(column, axis + 1, [by], "sort")
    order = _order(key.values, frame.shape.dims[axis].offsets, descending, "sort")
    return structure.take_items(column, axis + 1, frame.values.to_numpy()[order], frame.shape.dims)


def argsort(column: Column, descending: bool, axis: Any) -> Column:
    """The slots of each row in sorted order; along an outer axis the places of that axis."""
    falling = _flag(descending, "argsort")

    def slots(values: pa.Array, offsets: IntArray) -> pa.Array:
        return _arrow.from_numpy(_order(values, offsets, falling, "argsort", slots=True))

    found = () if _axes.is_none_of_them(axis) else _axes.normalize_axes(axis, column.ndim, "argsort")
    if not found or found[-1] == column.ndim - 1:
        return places.keeping(column, axis, slots, "argsort")
    moved = _axes.move_last(column, found[0])
    flat = moved.column
    order = _order(flat.values, flat.shape.dims[-1].offsets, falling, "argsort")
    return _axes.move_back(moved, Column(flat.shape, _arrow.from_numpy(moved.slots[order])), column.shape)


def rank(column: Column, method: RankMethod, descending: bool, axis: Any, tie_breaker: Column | None) -> Column:
    """The rank of each item in its row, from 1."""
    falling = _flag(descending, "rank")

    def ranks(values: pa.Array, offsets: IntArray) -> pa.Array:
        return _arrow.from_numpy(*_rank.rank(*_arrow.order_key(values, "rank"), offsets, method, falling))

    def broken(values: pa.Array, ties: pa.Array, offsets: IntArray) -> pa.Array:
        key, valid = _arrow.order_key(values, "rank")
        tie, known = _arrow.order_key(ties, "rank")
        if known is not None:
            valid = known if valid is None else valid & known
        order = _kernels.lexsort([(key, valid), (tie, valid)], offsets, [falling, False])
        found = np.empty(len(order), np.int64)
        found[order] = _offsets.positions(offsets, 1)
        return _arrow.from_numpy(found, valid)

    if tie_breaker is None:
        return places.keeping(column, axis, ranks, "rank")
    if method != "ordinal":
        raise JagValueError(f'rank: a tie_breaker leaves no ties, so it goes with method "ordinal", got {method!r}')
    return places.keeping_both(column, tie_breaker, axis, broken, "rank")


def topk(column: Column, k: int, axis: Any) -> Column:
    """The head of each row's descending sort; along an outer axis of the items at each local position, slot by slot."""
    wanted = item_count(k, "topk: k")
    found = _axes.normalize_axes(axis, column.ndim, "topk")
    if found[-1] < column.ndim - 1:
        return _topk_across(column, found[0], wanted)
    column = _axes.trailing(column, found[0])
    values, cut = _largest(column.values, column.shape.dims[-1].offsets, wanted)
    outer = (*column.shape.dims[:-1], places.resized(column.shape.dims[-1], cut))
    return Column(JaggedShape._trusted(outer), values)


def _largest(values: pa.Array, offsets: IntArray, k: int) -> tuple[pa.Array, IntArray]:
    """The head of the descending sort of each row, and the offsets of what is left."""
    key, valid = _arrow.order_key(values, "topk")
    taken = np.minimum(row_sizes(offsets), k)
    if (found := candidates((key, valid), offsets, taken, descending=True)) is not None:
        items, offsets = found
        key, valid = key[items], None if valid is None else valid[items]
    slots = gather.ranges(offsets[:-1], taken)
    if _arrow.is_numeric(values.type) or _arrow.is_temporal(values.type):
        largest = gather.take(_arrow.from_numpy(*_kernels.sort(key, valid, offsets, True), values.type), slots)
    else:
        order = _kernels.argsort(key, valid, offsets, True)[slots]
        largest = gather.take(values, order if found is None else items[order])
    return largest, _offsets.from_sizes(taken)


def _topk_across(column: Column, axis: int, k: int) -> Column:
    """The k largest leaves of each place without the axis.

    Slot i of the axis holds place p as long as more than i items stand at p, so that rows at one place are cut like the sizes that
    they have, from the largest: the sizes of every dim below the axis are found as the leaves are. Null rows come last.
    """
    dim = column.shape.dims[axis]
    cut = _offsets.from_sizes(np.minimum(dim.sizes, k))
    dims = [*column.shape.dims[:axis], places.resized(dim, cut)]
    for depth in range(axis + 1, column.ndim):
        below = column.shape.dims[depth]
        rows = Column(column.shape[:depth], _arrow.from_numpy(np.ascontiguousarray(below.sizes), below.validity))
        sizes, valid = _arrow.to_numpy(_largest_across(rows, axis, k, cut))
        offsets = _offsets.from_sizes(sizes if valid is None else np.where(valid, sizes, 0))
        dims.append(Ragged.from_offsets(offsets, validity=valid, extent=below.extent, check=False))
    return Column(JaggedShape._trusted(dims), _largest_across(column, axis, k, cut))


def _largest_across(column: Column, axis: int, k: int, cut: IntArray) -> pa.Array:
    """The k largest leaves of each place without the axis, in the order of slots; `cut` are the offsets of the slots."""
    if axis == column.ndim - 1:
        return _largest(column.values, column.shape.dims[-1].offsets, k)[0]
    moved = _axes.move_last(column, axis).column
    values, offsets = _largest(moved.values, moved.shape.dims[-1].offsets, k)
    owners = moved.shape.composed(axis, moved.ndim - 1).parents
    slots = cut[owners.repeat(row_sizes(offsets))] + _offsets.positions(offsets)
    return gather.take(values, _axes.stable_order(slots))


def reverse(column: Column, axis: Any) -> Column:
    """The items of each row from the last to the first; sub-trees along an outer axis."""
    found = _axes.normalize_axes(axis, column.ndim, "reverse")
    if found[-1] == column.ndim - 1:
        return places.keeping(column, axis, lambda values, offsets: gather.take(values, _backwards(offsets)), "reverse")
    outer = column.shape.dims[: found[0] + 1]
    return structure.take_items(column, found[0] + 1, _backwards(outer[-1].offsets), outer)


def _backwards(offsets: IntArray) -> IntArray:
    return _offsets.runs(offsets[1:] - 1, offsets, -1)


def inverse_permutation(column: Column, axis: Any) -> Column:
    """For each slot of a row the slot whose item points at it; null where none does."""
    result = places.keeping(column, axis, _inverted, "inverse_permutation", complete=True)
    if result.values.null_count != column.values.null_count:
        raise JagValueError("inverse_permutation: an item points at a place that its row lacks")
    return result


def _inverted(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_null(values.type):
        return pa.nulls(len(values), pa.int64())
    if not pt.is_integer(values.type):
        raise JagTypeError.no_kernel("inverse_permutation", values.type, hint="It takes positions, which are integers.")
    data, valid = _arrow.to_numpy(values)
    slots, hit = permutations.invert_rows(data, valid, offsets)
    return _arrow.from_numpy(slots, hit, values.type)


# --------------------------------------------------------------------------------------------------- by chance


def _generator(seed: Any, operation: str) -> np.random.Generator:
    return np.random.default_rng(integer(seed, f"{operation}: seed", 0))


def _random_keys(n: int, generator: np.random.Generator) -> npt.NDArray[np.uint32]:
    """Keys to sort by. 32 bits leave the sort room for places, so that it needs one pass."""
    words: Any = generator.bit_generator.random_raw((n + 1) // 2)  # what `integers` splits into keys, in a third less time
    keys: npt.NDArray[np.uint32] = words.astype("<u8", copy=False).view("<u4")[:n]
    return keys


def _random_order(offsets: IntArray, generator: np.random.Generator) -> IntArray:
    """The items of each row in random order."""
    return _kernels.argsort(_random_keys(int(offsets[-1]), generator), None, offsets)


def _random_items(offsets: IntArray, taken: IntArray, generator: np.random.Generator) -> IntArray:
    """The first items of each row in random order, row by row."""
    keys = _random_keys(int(offsets[-1]), generator)
    cut = _offsets.from_counts(taken)
    if (found := candidates((keys, None), offsets, taken, descending=False)) is None:
        return _kernels.argsort(keys, None, offsets)[_offsets.runs(offsets[:-1], cut)]
    items, offsets = found
    return items[_kernels.argsort(keys[items], None, offsets)[_offsets.runs(offsets[:-1], cut)]]


def shuffle(column: Column, seed: int, axis: Any) -> Column:
    """The items of each row in random order; sub-trees along an outer axis."""
    generator = _generator(seed, "shuffle")
    found = _axes.normalize_axes(axis, column.ndim, "shuffle")
    if found[-1] == column.ndim - 1:
        return places.keeping(column, axis, lambda v, offsets: gather.take(v, _random_order(offsets, generator)), "shuffle")
    outer = column.shape.dims[: found[0] + 1]
    return structure.take_items(column, found[0] + 1, _random_order(outer[-1].offsets, generator), outer)


def sample(column: Column, fraction: float | None, n: elementwise.Operand | int | None, seed: int, axis: Any) -> Column:
    """Some of the items of each row, in their order; sub-trees along an outer axis."""
    generator = _generator(seed, "sample")
    if (fraction is None) == (n is None):
        raise JagValueError("sample takes either fraction= or n=")
    column, place = places.grouped(column, axis, "sample")
    if n is None:
        dim = column.shape.dims[place]
        mask = generator.random(dim.size) < _share(fraction)
        cut = _offsets.filter_rows(mask, dim.offsets)
    else:
        column, taken = _taken(column, place, n)
        dim, cut = column.shape.dims[place], _offsets.from_counts(taken)
        mask = np.zeros(dim.size, bool)
        mask[_random_items(dim.offsets, taken, generator)] = True
    outer = (*column.shape.dims[:place], places.resized(dim, cut))
    return structure.keep_items(column, place + 1, mask, outer)


def _share(fraction: Any) -> float:
    if isinstance(fraction, (bool, np.bool_)) or not isinstance(fraction, (int, float, np.number)):
        raise JagTypeError(f"sample: fraction must be a number, got {type(fraction).__name__}")
    if not 0 <= fraction <= 1:
        raise JagValueError(f"sample: fraction must be from 0 to 1, got {fraction}")
    return float(fraction)


def _taken(column: Column, axis: int, n: elementwise.Operand | int) -> tuple[Column, IntArray]:
    """How many items each row along the axis keeps; rows where `n` is null are null in the column that is returned."""
    if not (isinstance(n, int) or pt.is_integer(n.type)):
        raise JagTypeError(f"sample: n must be integers, got {n.type}")
    if not isinstance(n, Column):
        wanted = n if isinstance(n, int) else n.as_py()
        if wanted is None or wanted < 0:
            raise JagValueError(f"sample: n must not be negative, got {wanted}")
        return column, np.minimum(column.shape.dims[axis].sizes, min(wanted, 2**62))
    if n.ndim > axis:
        raise ShapeError(f"sample: n has {n.ndim} dims, {n.shape!r}, and the rows along the axis have {axis}")
    column, n = structure.agree([column, n], "sample", levels=axis)
    _, (counts,) = places.keyed(column, axis, [n], "sample")
    each, valid = _arrow.to_numpy(counts.values.cast(pa.int64()))
    if valid is not None:
        column = structure.null_items(column, axis, valid)
    return column, np.minimum(np.maximum(each, 0), column.shape.dims[axis].sizes)
