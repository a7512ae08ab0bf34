"""Apply a row kernel along any axis, and treat the items at an axis, leaves or sub-trees, as units."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.move import gather
from arrowjag._kernels.move.join import concatenate
from arrowjag._ops import structure
from arrowjag._ops.axes import Moved, is_empty_tuple, move_back, move_last, normalize_axes, trailing
from arrowjag._ops.cursor import naming_rows
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagError, ShapeError
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["align_keys", "apply", "apply_both", "in_blocks", "item_key", "items_as_rows", "resized", "single_axis"]


def apply(
    column: Column, axis: Any, function: Callable[[pa.Array, IntArray], pa.Array], operation: str, *, complete: bool = False
) -> Column:
    """Apply a function that returns one result per item, along any axis or along several trailing axes together.

    Parameters
    ----------
    column : Column
        The source.
    axis : int, tuple of int or None
        Several trailing axes are merged into one; along an outer axis, the items at the same local position form one row. With an
        empty tuple each item is a row.
    function : callable
        From flat values and offsets to an array of the same length.
    operation : str
        The public name, for errors.
    complete : bool
        Whether rows along an outer axis are filled with null items where an inner row is too short, so that the position in the
        row passed to `function` equals the position along that axis.

    Returns
    -------
    Column
        Of the same shape; the shape object is shared.
    """
    shape = column._shape
    if type(axis) is not int and is_empty_tuple(axis):
        return Column(shape, function(column.values, np.arange(shape.size + 1)))
    ndim = len(shape._dims)
    found = normalize_axes(axis, ndim, operation)
    if found[-1] == ndim - 1:
        offsets = shape.composed(found[0], ndim).offsets
        return Column(shape, naming_rows(shape, found[0], function, column.values, offsets))
    moved = move_last(column, found[0])
    flat = moved.column
    offsets = flat.shape.dims[-1].offsets
    if not complete or not len(moved.slots):
        return move_back(moved, Column(flat.shape, naming_rows(flat.shape, ndim - 1, function, flat.values, offsets)), shape)
    place, offsets = _completed(moved, offsets)
    present = np.zeros(int(offsets[-1]), bool)
    present[place] = True
    source = np.zeros(len(present), np.int64)
    source[place] = np.arange(len(place))
    result = naming_rows(flat.shape, ndim - 1, function, gather.take(flat.values, source, present), offsets)
    return move_back(moved, Column(flat.shape, gather.take(result, place)), shape)


def apply_both(
    column: Column, other: Column, axis: Any, function: Callable[[pa.Array, pa.Array, IntArray], pa.Array], operation: str
) -> Column:
    """Apply a function of two values per item, along any axis as `apply` does.

    Parameters
    ----------
    column : Column
        The source.
    other : Column
        Broadcast to the items by the prefix rule; a row that is null in either column is null in the result.
    axis : int, tuple of int or None
        As for `apply`.
    function : callable
        From flat values, second values and offsets to an array of the same length.
    operation : str
        The public name, for errors.

    Returns
    -------
    Column
        Of the common shape.
    """
    if other.ndim > column.ndim:
        raise ShapeError(f"{operation}: {other.shape!r} has more dims than the items, {column.shape!r}")
    column, other = structure.align([column, other], operation)
    if is_empty_tuple(axis):
        return Column(column.shape, function(column.values, other.values, np.arange(column.shape.size + 1)))
    found = normalize_axes(axis, column.ndim, operation)
    if found[-1] == column.ndim - 1:
        offsets = column.shape.composed(found[0], column.ndim).offsets
        return Column(column.shape, naming_rows(column.shape, found[0], function, column.values, other.values, offsets))
    moved = move_last(column, found[0])
    flat = moved.column
    beside, offsets = gather.take(other.values, moved.take), flat.shape.dims[-1].offsets
    values = naming_rows(flat.shape, column.ndim - 1, function, flat.values, beside, offsets)
    return move_back(moved, Column(flat.shape, values), column.shape)


def in_blocks(function: Callable[..., pa.Array]) -> Callable[..., pa.Array]:
    """Run a function of `apply` or `apply_both` on blocks of rows, on all cores; each result must depend on its row alone.

    The temporaries of a block stay in cache. If a block fails, the function runs once more on all rows, so that the error names
    the row. Values that are not primitive are not divided. Cost: one copy of the results, which joins the blocks.
    """

    def whole(*columns: Any) -> pa.Array:
        *values, offsets = columns
        if len(values[0]) < strategy.sizes.THREAD_VALUES or not all(pt.is_primitive(one.type) for one in values):
            return function(*columns)

        def block(first: int, last: int) -> pa.Array:
            start, end = int(offsets[first]), int(offsets[last])
            return function(*(one.slice(start, end - start) for one in values), offsets[first : last + 1] - start)

        parts: list[pa.Array] = []
        with contextlib.suppress(JagError):
            parts = map_rows(block, offsets, block_values=strategy.sizes.CACHE_VALUES)
        if not parts:  # a block failed: its error names a row within the block, so the error of all rows must not be chained to it
            return function(*columns)
        return parts[0] if len(parts) == 1 else concatenate(parts)

    return whole


def _completed(moved: Moved, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Positions of the items after rows are padded up to their last occupied slot, and the offsets of the padded rows."""
    sizes = row_sizes(offsets)
    longer = np.zeros(len(sizes), np.int64)
    longer[sizes > 0] = moved.slots[offsets[1:][sizes > 0] - 1] + 1
    cut = _offsets.from_sizes(longer)
    return cut[:-1].repeat(sizes) + moved.slots, cut


def single_axis(column: Column, axis: Any, operation: str) -> tuple[Column, int]:
    """Flatten several trailing axes into one; return the column and its axis. A single axis is returned unchanged."""
    found = normalize_axes(axis, column.ndim, operation)
    return (column, found[0]) if len(found) == 1 else (trailing(column, found[0]), found[0])


def resized(dim: Dim, offsets: IntArray, validity: BoolArray | None = None) -> Dim:
    """Replace the sizes of a dim, keeping its validity; the outermost dim stays a `Uniform` of one row."""
    if validity is None:
        validity = dim._validity
        if validity is None and dim._n == 1:
            return Uniform._frame(int(offsets[-1]))
    return Ragged.from_offsets(offsets, validity=validity, check=False)


def items_as_rows(column: Column, depth: int) -> Column:
    """Drop the first `depth` dims, so that the items below them become the rows of a column. Values are shared."""
    rows = Uniform._frame(column.shape.nodes(depth))
    return structure.with_shape(JaggedShape._trusted((rows, *column.shape.dims[depth:])), column)


def with_numbers(column: Column, place: int, items: IntArray, cut: IntArray, numbers: IntArray, names: tuple[str, str]) -> Column:
    """Return structs of some items along an axis and an integer beside each; `cut` are the offsets of the new rows."""
    outer = (*column.shape.dims[:place], resized(column.shape.dims[place], cut))
    found = structure.take_items(column, place + 1, items, outer)
    values = found.values if place + 1 == column.ndim else _column.to_arrow(items_as_rows(found, place + 1))
    struct = pa.StructArray.from_arrays([values, _arrow.from_numpy(numbers)], names=names)
    return Column(JaggedShape._trusted(outer), struct)


def item_key(column: Column, depth: int, operation: str, *, ordered: bool = False) -> tuple[Any, BoolArray | None]:
    """Keys that are equal where the items after the first `depth` dims are, and with `ordered` sort as they do.

    Leaves compare by value, sub-trees as nested lists.
    """
    items = column.values if depth == column.ndim else _column.to_arrow(items_as_rows(column, depth))
    return (_arrow.order_key if ordered else _arrow.equality_key)(items, operation)


def align_keys(column: Column, depth: int, keys: Sequence[Column], operation: str) -> tuple[Column, list[Column]]:
    """Broadcast keys to the items after the first `depth` dims.

    Returns
    -------
    Column
        Item numbers, without the items that lie in a null row of a key.
    list of Column
        The keys, broadcast by the prefix rule to the shape of the item numbers.
    """
    for key in keys:
        if len(key._shape._dims) > depth:
            raise ShapeError(f"{operation}: a key has {dims_text(key.shape.dims)}, but the items along the axis have {depth}")
    shape = column._shape
    if depth < len(shape._dims):
        shape = shape[:depth]
    frame = Column(shape, _arrow.numbers(shape.size))
    frame, *spread = structure.align([frame, *keys], operation)
    return frame, spread
