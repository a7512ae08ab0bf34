"""Rows of several columns combined item by item: zip with padding, Cartesian products; and flatten that keeps empty rows."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.fill import spread_rows
from arrowjag._kernels.base.words import both_valid, nulls_like, unless_all
from arrowjag._kernels.move import copy_runs, gather
from arrowjag._ops import along_axis, elementwise, struct_fields, structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagOverflowError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.shape._building import clamp
from arrowjag.typing import BoolArray, IntArray

__all__ = ["cartesian", "flatten_keeping", "zip_padded"]

Operands = Mapping[str, elementwise.Operand]


# --------------------------------------------------------------------------------------------------- rows of any sizes


def _same_rows(parts: Operands, operation: str) -> tuple[dict[str, Any], tuple[Dim, ...], BoolArray | None, int]:
    """Return columns of one ndim whose innermost rows belong together, and the dims above these rows.

    An operand of fewer dims is broadcast to the rows and gives one item per row; so does a scalar. Also returned: which rows are
    valid in all columns, and the number of rows.
    """
    columns = {name: one for name, one in parts.items() if isinstance(one, Column)}
    ndim = max([one.ndim for one in columns.values()], default=0)
    if ndim == 0:
        raise ShapeError(f"{operation} needs an array with rows")
    depth = ndim - 1
    deep = [name for name, one in columns.items() if one.ndim == ndim]
    flat = [name for name, one in columns.items() if one.ndim < ndim]
    agreed = dict(zip(columns, structure.agree(list(columns.values()), operation, depth, list(columns)), strict=True))
    first = agreed[deep[0]]
    if flat:
        _, spread = along_axis.align_keys(first, depth, [agreed[name] for name in flat], operation)
        agreed |= dict(zip(flat, spread, strict=True))
    outer = structure.merge_dims([agreed[name].shape.dims[:depth] for name in deep])
    n_rows = len(first.shape.dims[depth])
    valid: BoolArray | None = None
    found: dict[str, Any] = {}
    for name, one in parts.items():
        if name in deep:
            found[name] = whole = agreed[name]
            valid = both_valid(valid, whole.shape.dims[depth].validity)
        else:
            found[name] = agreed[name].values if name in flat else structure.constant(one, n_rows)
    return found, outer, valid, n_rows


def _sizes(part: Any, valid: BoolArray | None, n_rows: int) -> tuple[IntArray, IntArray]:
    """Return where the items of each row start, and how many there are; rows that are not valid have none."""
    if isinstance(part, Column):
        dim = part.shape.dims[-1]
        starts, sizes = dim.offsets[:-1], dim.sizes
    else:
        starts, sizes = np.arange(n_rows), np.ones(n_rows, np.int64)
    return starts, sizes if valid is None else np.where(valid, sizes, 0)


def _values(part: Any) -> pa.Array:
    return part.values if isinstance(part, Column) else part


def _innermost(outer: Sequence[Dim], offsets: IntArray, valid: BoolArray | None) -> tuple[Dim, ...]:
    if not outer:
        return (Uniform._frame(int(offsets[-1])),)
    return (*outer, Ragged.from_offsets(offsets, validity=valid, check=False))


def zip_padded(parts: Operands) -> Column:
    """Build structs of the items at the same position of each innermost row; shorter rows are filled with nulls."""
    found, outer, valid, n_rows = _same_rows(parts, "zip")
    bounds = {name: _sizes(part, valid, n_rows) for name, part in found.items()}
    longest = functools.reduce(np.maximum, [sizes for _, sizes in bounds.values()])
    offsets = _offsets.from_sizes(longest)
    fields = {}
    for name, part in found.items():
        starts, sizes = bounds[name]
        values = _values(part)
        if len(values) == offsets[-1] and np.count_nonzero(sizes == longest) == len(sizes):
            fields[name] = values
            continue
        items = _offsets.runs(starts, offsets)
        there = items < spread_rows(starts + sizes, offsets)
        fields[name] = gather.take(values, items, unless_all(there)) if len(values) else nulls_like(values, len(items))
    return Column(JaggedShape._trusted(_innermost(outer, offsets, valid)), struct_fields.structs(fields))


def _with_rows_as_items(parts: Operands, axis: Any, operation: str) -> Operands:
    """Make the items along an axis, counted in the column of most dims, leaves: rows become lists."""
    ndim = max((one.ndim for one in parts.values() if isinstance(one, Column)), default=0)
    if ndim == 0:
        return parts
    depth = structure.normalize_axis(axis, ndim, operation) + 1
    return {name: _leaves(one, depth) if isinstance(one, Column) and one.ndim > depth else one for name, one in parts.items()}


def _leaves(column: Column, depth: int) -> Column:
    lists = _column.to_arrow(along_axis.items_as_rows(column, depth))
    return Column(column.shape[:depth], lists)


def cartesian(parts: Operands, nested: bool, positions: bool, axis: Any, operation: str) -> Column:
    """Build structs of all combinations of one item of each column per row along an axis; the last column varies fastest.

    With `nested`, all combinations that begin with the same items are a row of their own. With `positions`, fields hold positions.
    """
    found, outer, valid, n_rows = _same_rows(_with_rows_as_items(parts, axis, operation), operation)
    bounds = {name: _sizes(part, valid, n_rows) for name, part in found.items()}
    dims: tuple[Dim, ...] = ()
    owner: Any = np.arange(n_rows)
    offsets = owner
    chosen: dict[str, IntArray] = {}
    for name, (starts, sizes) in bounds.items():
        times = sizes[owner]
        total = float(times.sum(dtype=np.float64))
        if total > 2**40:
            raise JagOverflowError(f"{operation}: {total:.3g} combinations don't fit into memory")
        cut = _offsets.from_sizes(times)
        if chosen and nested:
            dims = (*dims, Ragged.from_offsets(cut, check=False))
        else:
            offsets = cut[offsets] if chosen else cut
            dims = _innermost(outer, offsets, valid)
        # Raises if the result does not fit into memory.
        own = _offsets.runs((np.zeros(n_rows, np.int64) if positions else starts)[owner], cut)
        chosen = {known: spread_rows(items, cut) for known, items in chosen.items()} | {name: own}
        owner = spread_rows(owner, cut) if len(chosen) < len(bounds) else owner
    fields = {
        name: _arrow.from_numpy(items) if positions else gather.take(_values(found[name]), items) for name, items in chosen.items()
    }
    return Column(JaggedShape._trusted(dims), struct_fields.structs(fields))


# --------------------------------------------------------------------------------------------------- flatten


def flatten_keeping(column: Column, from_dim: int, to_dim: int | None) -> Column:
    """Merge dims as `structure.flatten`; a null or empty row of a merged inner dim leaves one null item."""
    ndim = column.ndim
    first, last = clamp(from_dim, ndim), ndim if to_dim is None else clamp(to_dim, ndim)
    for place in range(first + 1, last):
        column = _with_an_item(column, place)
    return structure.flatten(column, from_dim, to_dim)


def _with_an_item(column: Column, place: int) -> Column:
    """Give the empty and null rows of a dim one null item."""
    dim = column.shape.dims[place]
    sizes = dim.sizes
    if not len(sizes) or sizes.min() > 0:
        return column
    grown = Ragged.from_offsets(_offsets.from_sizes(np.maximum(sizes, 1)), check=False)
    if place + 1 == column.ndim:
        values = copy_runs.copy_rows(column.values, dim.offsets[:-1], sizes > 0, grown.offsets)
        return Column(JaggedShape._trusted((*column.shape.dims[:place], grown)), values)
    there = (sizes > 0).repeat(grown.sizes)
    items = np.zeros(grown.size, np.int64)
    items[there] = np.arange(dim.size)
    return structure.take_items(column, place + 1, items, (*column.shape.dims[:place], grown), there)
