"""Items filtered, padded and repeated."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.extremes import least
from arrowjag._kernels.base.memory import check_memory, zeros
from arrowjag._kernels.base.words import data_of, has_words, unless_all, valid_of
from arrowjag._kernels.move import gather, merge
from arrowjag._ops import structure
from arrowjag._ops.cursor import row_of_item
from arrowjag._ops.structure import constant
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["check_boolean", "filter_items", "keep_rows", "pad", "repeat", "true_items"]


# --------------------------------------------------------------------------------------------------- filter


def filter_items(column: Column, mask: Column) -> Column:
    """Keep the innermost items whose mask is true; a shorter mask is broadcast to them.

    Parameters
    ----------
    column : Column
        A column of at least one dim.
    mask : Column
        Booleans of the column's shape or of a prefix of it. A null drops the item; a null row gives a null row.

    Returns
    -------
    Column
        With the same rows, which may become shorter or empty; the innermost dim has no declared extent. Cost: one pass over values
        and mask.
    """
    check_boolean(mask, "filter")
    structure.check_rows(column.ndim, "filter")
    if mask.ndim > column.ndim:
        raise ShapeError(f"filter: a mask of {mask.shape!r} has more dims than the array, {column.shape!r}")
    column, mask = structure.align([column, mask], "filter")
    keep = true_items(mask.values)
    *outer, dim = column.shape.dims
    offsets = _offsets.filter_rows(keep, dim.offsets)
    left: Dim = Ragged.from_offsets(offsets, validity=dim.validity, check=False)
    if not outer:
        left = Uniform._frame(int(offsets[-1]))
    return Column(JaggedShape._trusted([*outer, left]), gather.filter_values(column.values, keep))


def keep_rows(column: Column, mask: Column) -> Column:
    """Keep the outermost rows whose mask is true, as numpy does; extents are kept."""
    if mask.shape.size != column.shape.nodes(1):
        raise JagIndexError(
            f"the mask has {plural(mask.shape.size, 'entry')}, the array has {plural(column.shape.nodes(1), 'row')}"
        )
    keep = true_items(mask.values)
    rows = Uniform._frame(int(np.count_nonzero(keep)))
    return structure.keep_items(column, 1, keep, (rows,))


def check_boolean(mask: Column, operation: str) -> None:
    """Raise if a mask does not hold booleans."""
    if not (pt.is_boolean(mask.type) or pt.is_null(mask.type)):
        raise JagTypeError(f"{operation}: a mask must hold booleans, got {mask.type}")


def true_items(mask: pa.Array) -> BoolArray:
    """Convert a mask to numpy booleans; null counts as False."""
    if pt.is_null(mask.type):
        return np.zeros(len(mask), bool)
    data, valid = _arrow.to_numpy(mask)
    keep: BoolArray = data if valid is None else data & valid
    return keep


# --------------------------------------------------------------------------------------------------- pad and repeat


def pad(column: Column, n: int, fill: pa.Scalar | Column | None, axis: int) -> Column:
    """Pad rows at an axis to at least `n` items; longer rows are unchanged.

    Parameters
    ----------
    column : Column
        The source.
    n : int
        The least row size of the result.
    fill : pa.Scalar, Column or None
        The added item, of the leaf type; None adds nulls. Along an outer axis a column with the dims below the axis, or a scalar
        if all of those dims have declared extents.
    axis : int
        The dim to pad.

    Returns
    -------
    Column
        Null rows stay null. A declared extent below `n` becomes `n`. Cost: one gather per level.
    """
    place = structure.normalize_axis(axis, column.ndim, "pad")
    filler = None if fill is None else _subtree(column, place, fill)
    dim = column.shape.dims[place]
    sizes = np.maximum(dim.sizes, n)
    if dim.validity is not None:
        sizes = np.where(dim.validity, sizes, 0)
    offsets = _offsets.from_sizes(sizes)
    extent = None if dim.extent is None else max(dim.extent, n)
    grown: Dim = Ragged.from_offsets(offsets, validity=dim.validity, extent=extent, check=False)
    if dim.validity is None and (place == 0 or extent is not None):
        grown = Uniform(int(sizes[0]) if extent is None else extent, len(sizes), declared=extent is not None)
    outer = (*column.shape.dims[:place], grown)
    has_kernel = has_words(column.type) or (pt.is_dictionary(column.type) and filler is None)
    if place == column.ndim - 1 and has_kernel and strategy.choose("pad_items", grown.size) == "blocks":
        merged = merge.pad_rows(column.values, dim.offsets, offsets, None if filler is None else filler.values)
        return Column(JaggedShape._trusted(outer), merged)
    index, there = _padded_places(dim, offsets)
    if filler is None:
        return structure.take_items(column, place + 1, index, outer, there)
    index = index if there is None else np.where(there, index, dim.size)
    return structure.take_joined([(column, place + 1), (filler, 0)], index, outer)


def _padded_places(dim: Dim, padded: IntArray) -> tuple[IntArray, BoolArray | None]:
    """Return the item at each place of the padded rows (0 where there is none), and flags of those that have one; None if all."""
    n = int(padded[-1])
    check_memory(n, 8)
    if strategy.choose("pad_items", n) == "blocks":
        places = merge.pad_rows(pa.array(np.arange(dim.size)), dim.offsets, padded, None)
        return data_of(places).view(np.int64), valid_of(places)
    index, there = zeros(n, np.int64), zeros(n, np.bool_)
    cells = gather.ranges(padded[:-1], dim.sizes)
    index[cells], there[cells] = np.arange(dim.size), True
    return index, unless_all(there)


def _subtree(column: Column, place: int, fill: pa.Scalar | Column) -> Column:
    """Build the item to add at an axis: a leaf, or a sub-tree with the dims below the axis."""
    below = column.shape.dims[place + 1 :]
    if not isinstance(fill, Column):
        extents = [dim.extent for dim in below]
        if None in extents:
            row = "[" * len(below) + "0" + "]" * len(below)
            raise JagValueError(
                f"pad: along axis {place} of {plural(column.ndim, 'dim')} whole rows are added, "
                "and a scalar fill does not give their size. "
                f"Give a row, such as fill={row}, or no fill for null rows."
            )
        shape = JaggedShape(*extents)
        return Column(shape, constant(fill, shape.size))
    if fill.ndim != len(below):
        raise ShapeError(
            f"pad: along axis {place} of {plural(column.ndim, 'dim')} fill must have {plural(len(below), 'dim')}, "
            f"got {fill.shape!r}"
        )
    try:
        dims = [own if dim.extent is None else own.with_extent(dim.extent) for own, dim in zip(fill.shape.dims, below, strict=True)]
    except ShapeError as error:
        raise ShapeError(
            f"pad: the fill {fill.shape!r} does not have the extents of the dims below axis {place}: {error}"
        ) from None
    return structure.with_shape(JaggedShape._trusted(dims), fill)


def repeat(column: Column, sizes: int | Column) -> Column:
    """Repeat each innermost item in a new last dim; column and sizes are broadcast against each other.

    Parameters
    ----------
    column : Column
        The source.
    sizes : int or Column
        Number of repetitions per item; an int is the declared extent of the new dim.

    Returns
    -------
    Column
        With one more dim than the longer operand.
    """
    if isinstance(sizes, int):
        if sizes < 0:
            raise ShapeError(f"repeat: a size must be at least 0, got {brief(sizes)}")
        new: Dim = Uniform(sizes, column.shape.size)
        if has_words(column.type):
            return Column(JaggedShape._trusted([*column.shape.dims, new]), merge.repeat_each(column.values, sizes))
        return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))
    if not (pt.is_integer(sizes.type) or pt.is_null(sizes.type)):
        raise JagTypeError(f"repeat: sizes must be integers, got {sizes.type}")
    column, sizes = structure.align([column, sizes], "repeat")
    if sizes.values.null_count:
        row = row_of_item(sizes.shape, int(np.argmax(sizes.values.is_null())))
        raise JagValueError(f"repeat: in {row}, a size is null; use fill_null(0)")
    each = _arrow.data_alone(sizes.values) if sizes.shape.size else np.empty(0, np.int64)
    if len(each) and least(each) < 0:
        item = int(np.argmax(each < 0))
        raise ShapeError(f"repeat: in {row_of_item(sizes.shape, item)}, a size is {each[item]}; sizes must be at least 0")
    new = Ragged(each)
    return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))
