"""Items found by a key or a value: min_by, max_by, unique by a key, index_of, argwhere, drop_nulls and is_sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column, row_validity
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.words import nulls_like, or_all, unless_all, without_validity
from arrowjag._kernels.equal import distinct as _distinct
from arrowjag._kernels.equal import groups
from arrowjag._kernels.move import gather
from arrowjag._kernels.reduce import extremes, first_last
from arrowjag._kernels.reduce.counts import count_valid
from arrowjag._kernels.scan import neighbours
from arrowjag._ops import along_axis, elementwise, sets, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.cursor import or_null
from arrowjag._ops.over_axes import over_axes
from arrowjag.dims import Dim
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.shape import JaggedShape, dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["argwhere", "drop_nulls", "extreme_by", "index_of", "is_sorted", "unique_by"]


def extreme_by(column: Column, by: Column, axis: Any, operation: str) -> Column:
    """Return the item of each row whose key is the least (min_by) or the greatest (max_by), the first of equal keys."""
    found = _axes.normalize_axes(axis, column.ndim, operation)
    if by.ndim > column.ndim:
        raise ShapeError(f"{operation}: by has {dims_text(by.shape.dims)}, but the array has {column.ndim}")
    if len(found) == 1 and by.ndim <= found[0] + 1 < column.ndim:
        return _tree_by(column, found[0], by, operation)
    column, by = structure.align([column, by], operation)
    rows = _axes.along(column, found)
    frame, dim = rows.column, rows.column.shape.dims[-1]
    items, there = _best(rows.beside(by.values), dim.offsets, operation)
    there = there if dim.validity is None else there & dim.validity
    return Column(frame.shape[:-1], _picked(frame.values, items, there))


def _tree_by(column: Column, axis: int, by: Column, operation: str) -> Column:
    frame, (key,) = along_axis.align_keys(column, axis + 1, [by], operation)
    dim = frame.shape.dims[axis]
    items, there = _best(key.values, dim.offsets, operation)
    numbers = frame.values.to_numpy()
    items = numbers[np.where(there, items, 0)] if len(numbers) else np.zeros(len(items), np.int64)
    valid = unless_all(there)
    return or_null(structure.take_items(column, axis + 1, items, frame.shape.dims[:axis], valid))


def _best(keys: pa.Array, offsets: IntArray, operation: str) -> tuple[IntArray, BoolArray]:
    """Return the item with the best key of each row, and whether there is one: nulls and NaN don't count as keys."""
    largest = operation == "max_by"
    found = extremes.text_extreme(keys, offsets, largest)
    if found is None:
        found = extremes.best(_arrow.order_key(keys, operation, descending=largest), offsets, largest=largest)
    slots, there = found
    return offsets[:-1] + slots, or_all(there, len(slots))


def _picked(values: pa.Array, items: IntArray, there: BoolArray) -> pa.Array:
    if not len(values):
        return nulls_like(values, len(items))
    return gather.take(values, items, unless_all(there))


def unique_by(column: Column, by: Column, axis: Any) -> Column:
    """Keep the first item of each key of each row; null keys are one key."""
    found = _axes.normalize_axes(axis, column.ndim, "unique")
    if len(found) > 1:
        column, by = (_axes.trailing(one, found[0]) for one in structure.align([column, by], "unique"))
    place = found[0]
    frame, (key,) = along_axis.align_keys(column, place + 1, [by], "unique")
    dim = frame.shape.dims[place]
    first = _first_of_each(key.values, dim.offsets)
    outer = (*frame.shape.dims[:place], along_axis.resized(dim, _offsets.filter_rows(first, dim.offsets)))
    if len(first) == column.shape.nodes(place + 1):
        return structure.keep_items(column, place + 1, first, outer)
    return structure.take_items(column, place + 1, frame.values.to_numpy()[first], outer)


def _first_of_each(keys: pa.Array, offsets: IntArray) -> BoolArray:
    """Mark the first item of each key, and the first null key."""
    key = _arrow.equality_key(keys, "unique")
    _, first = _distinct.unique([key], offsets)
    if key[1] is not None:
        slots, found = first_last.first_marked(~key[1], offsets)
        first[(offsets[:-1] + slots)[found]] = True
    return first


# --------------------------------------------------------------------------------------------------- by value


def index_of(column: Column, value: elementwise.Operand, axis: Any) -> Column:
    """Return the slot of the first item of each row that equals a value, one for all rows or one per row."""
    if not isinstance(value, Column):
        return over_axes(column, axis, lambda values, offsets: _first_equal(values, value, offsets), "index_of", slots=True)
    found = _axes.normalize_axes(axis, column.ndim, "index_of")
    if value.ndim > found[0]:
        raise ShapeError(
            f"index_of: v has {dims_text(value.shape.dims)}, but the rows have {found[0]}; give one value per row or fewer"
        )
    column, value = structure.align([column, value], "index_of")
    rows = _axes.along(column, found)
    frame, slots = rows.column, rows.slots
    dim = frame.shape.dims[-1]
    result = _first_equal(frame.values, rows.beside(value.values), dim.offsets)
    if slots is not None:
        place, valid = _arrow.to_numpy(result)
        item = dim.offsets[:-1] + (place if valid is None else np.where(valid, place, 0))
        result = _arrow.from_numpy(slots[np.minimum(item, max(len(slots) - 1, 0))] if len(slots) else place, valid)
    return Column(frame.shape[:-1], result if dim.validity is None else structure.null_values(result, dim.validity))


def _first_equal(values: pa.Array, value: pa.Scalar | pa.Array, offsets: IntArray) -> pa.Array:
    if isinstance(value, pa.Scalar) and value.is_valid:
        items = sets.first_equal_to(values, value, offsets, "index_of")
        there = items >= 0
        return _arrow.from_numpy(np.where(there, items - offsets[:-1], 0), there)
    slots, found = first_last.first_marked(sets.equal_items(values, value, "index_of"), offsets)
    return _arrow.from_numpy(slots, found)


def argwhere(column: Column, axis: Any) -> Column:
    """Return the slots of the items of each row that are true, or not zero."""
    frame, _, slots = _axes.along(column, _axes.normalize_axes(axis, column.ndim, "argwhere"))
    dim = frame.shape.dims[-1]
    cut, items = groups.marked(_truth(frame.values), dim.offsets)
    slots = items - _offsets.runs(dim.offsets[:-1], cut, 0) if slots is None else slots[items]
    return Column(JaggedShape._trusted((*frame.shape.dims[:-1], along_axis.resized(dim, cut))), _arrow.from_numpy(slots))


def _truth(values: pa.Array) -> BoolArray:
    if pt.is_null(values.type):
        return np.zeros(len(values), np.bool_)
    if not _arrow.is_numeric(values.type):
        raise JagTypeError.no_kernel("argwhere", values.type, hint="Compare first, such as (x == value).argwhere().")
    data, valid = _arrow.to_numpy(values)
    true: BoolArray = data if data.dtype.kind == "b" else data != 0
    return true if valid is None else true & valid


def drop_nulls(column: Column, axis: Any) -> Column:
    """Drop the null items of each row; along an outer axis, null rows."""
    column, place = along_axis.single_axis(column, axis, "drop_nulls")
    dim: Dim = column.shape.dims[place]
    counts = count_valid(column.values, dim.offsets) if place == column.ndim - 1 else None
    if counts is not None:  # counted in bits, which then serve as the mask: nothing is unpacked
        dims = (*column.shape.dims[:place], along_axis.resized(dim, _offsets.from_counts(counts)))
        kept = gather.filter_values(without_validity(column.values), _arrow.bits_of(column.values))
        return Column(JaggedShape._trusted(dims), kept)
    valid = row_validity(column, place + 1)
    outer, cut = column.shape.dims[:place], dim.offsets if valid is None else _offsets.filter_rows(valid, dim.offsets)
    outer = (*outer, along_axis.resized(dim, cut))
    if valid is None:
        return structure.with_shape(JaggedShape._trusted((*outer, *column.shape.dims[place + 1 :])), column)
    return structure.keep_items(column, place + 1, valid, outer)


def is_sorted(column: Column, descending: bool, axis: Any) -> Column:
    """Return whether each row is in order; null items are skipped."""

    def sorted_rows(values: pa.Array, offsets: IntArray) -> pa.Array:
        key, valid = _arrow.order_key(values, "is_sorted", descending=bool(descending))
        if valid is not None and not valid.all():
            key, offsets = key[valid], _offsets.filter_rows(valid, offsets)
        wrong, _ = _reduce.any(neighbours.falls(key, offsets, bool(descending)), None, offsets)
        return _arrow.from_numpy(~wrong, offsets[1:] > offsets[:-1])

    return over_axes(column, axis, sorted_rows, "is_sorted")
