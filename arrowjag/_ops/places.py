"""Places along an axis: what keeps every item where it is, and what takes the items at an axis as they are, leaves or sub-trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels import gather
from arrowjag._kernels import offsets as _offsets
from arrowjag._kernels.offsets import row_sizes
from arrowjag._ops import structure
from arrowjag._ops.axes import Moved, is_none_of_them, move_back, move_last, normalize_axes, trailing
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["below", "grouped", "item_key", "keeping", "keeping_both", "keyed", "resized"]


def keeping(
    column: Column, axis: Any, function: Callable[[pa.Array, IntArray], pa.Array], operation: str, *, complete: bool = False
) -> Column:
    """Apply a function that gives one result for each item of a row, along any axis or several trailing ones together.

    Parameters
    ----------
    column : Column
        The source.
    axis : int, tuple of int or None
        Trailing axes are one row together; along an outer axis the items at the same local position are one row. With an empty
        tuple each item is a row.
    function : callable
        From flat values and offsets to as many values.
    operation : str
        The public name, for errors.
    complete : bool
        Whether places that rows along an outer axis lack count as null items, so that a slot is a place of that axis.

    Returns
    -------
    Column
        Of the same shape, which is shared.
    """
    if is_none_of_them(axis):
        return Column(column.shape, function(column.values, np.arange(column.shape.size + 1)))
    found = normalize_axes(axis, column.ndim, operation)
    if found[-1] == column.ndim - 1:
        offsets = column.shape.composed(found[0], column.ndim).offsets
        return Column(column.shape, function(column.values, offsets))
    moved = move_last(column, found[0])
    flat = moved.column
    offsets = flat.shape.dims[-1].offsets
    if not complete or not len(moved.slots):
        return move_back(moved, Column(flat.shape, function(flat.values, offsets)), column.shape)
    place, offsets = _completed(moved, offsets)
    present = np.zeros(int(offsets[-1]), bool)
    present[place] = True
    source = np.zeros(len(present), np.int64)
    source[place] = np.arange(len(place))
    result = function(gather.take(flat.values, source, present), offsets)
    return move_back(moved, Column(flat.shape, gather.take(result, place)), column.shape)


def keeping_both(
    column: Column, other: Column, axis: Any, function: Callable[[pa.Array, pa.Array, IntArray], pa.Array], operation: str
) -> Column:
    """Apply a function that also sees a second value of each item, along any axis as `keeping` does.

    Parameters
    ----------
    column : Column
        The source.
    other : Column
        Spread over the items by the prefix rule; a row that is null in either is null.
    axis : int, tuple of int or None
        As for `keeping`.
    function : callable
        From flat values, the second values and offsets to as many values.
    operation : str
        The public name, for errors.

    Returns
    -------
    Column
        Of the common shape.
    """
    if other.ndim > column.ndim:
        raise ShapeError(f"{operation}: {other.shape!r} has more dims than the items that it belongs to, {column.shape!r}")
    column, other = structure.align([column, other], operation)
    if is_none_of_them(axis):
        return Column(column.shape, function(column.values, other.values, np.arange(column.shape.size + 1)))
    found = normalize_axes(axis, column.ndim, operation)
    if found[-1] == column.ndim - 1:
        return Column(column.shape, function(column.values, other.values, column.shape.composed(found[0], column.ndim).offsets))
    moved = move_last(column, found[0])
    flat = moved.column
    values = function(flat.values, gather.take(other.values, moved.take), flat.shape.dims[-1].offsets)
    return move_back(moved, Column(flat.shape, values), column.shape)


def _completed(moved: Moved, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Where each item stands once every row has all places up to its last, and the offsets of those rows."""
    sizes = row_sizes(offsets)
    longer = np.zeros(len(sizes), np.int64)
    longer[sizes > 0] = moved.slots[offsets[1:][sizes > 0] - 1] + 1
    cut = _offsets.from_sizes(longer)
    return cut[:-1].repeat(sizes) + moved.slots, cut


def grouped(column: Column, axis: Any, operation: str) -> tuple[Column, int]:
    """The column and the one axis to work on: several trailing axes are flattened first, an outer axis stands for itself."""
    found = normalize_axes(axis, column.ndim, operation)
    return (column, found[0]) if len(found) == 1 else (trailing(column, found[0]), found[0])


def resized(dim: Dim, offsets: IntArray, validity: BoolArray | None = None) -> Dim:
    """A dim with other sizes in place of another; the rows' own dim stays one plain row."""
    if len(dim) == 1 and dim.validity is None and validity is None:
        return Uniform(int(offsets[-1]), 1, declared=False)
    return Ragged.from_offsets(offsets, validity=dim.validity if validity is None else validity, check=False)


def below(column: Column, depth: int) -> Column:
    """The items after the first `depth` dims as the rows of a column; nothing is copied."""
    rows = Uniform(column.shape.nodes(depth), 1, declared=False)
    return structure.with_shape(JaggedShape._trusted((rows, *column.shape.dims[depth:])), column)


def item_key(column: Column, depth: int, operation: str) -> tuple[Any, BoolArray | None]:
    """A key of the items after the first `depth` dims: of leaves by value, of sub-trees as the lists that they are."""
    return _arrow.order_key(column.values if depth == column.ndim else _column.to_arrow(below(column, depth)), operation)


def keyed(column: Column, depth: int, keys: Sequence[Column], operation: str) -> tuple[Column, list[Column]]:
    """Bring keys to the items after the first `depth` dims.

    Returns
    -------
    Column
        The numbers of those items that are under no null row of a key, in their shape.
    list of Column
        The keys in that shape; shorter ones are spread by the prefix rule.
    """
    for key in keys:
        if key.ndim > depth:
            raise ShapeError(f"{operation}: a key has {key.ndim} dims, {key.shape!r}, the items along the axis have {depth}")
    frame = Column(column.shape[:depth], _arrow.numbers(column.shape.nodes(depth)))
    frame, *spread = structure.align([frame, *keys], operation)
    return frame, spread
