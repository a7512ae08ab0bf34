"""Filter, pad and repeat items, access struct fields, concat and stack columns, merge the rows of several columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.memory import has_words
from arrowjag._kernels.move import copy_runs, gather, merge
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "check_boolean",
    "concat",
    "field",
    "fields",
    "filter_items",
    "keep_rows",
    "merge_rows",
    "opened_maps",
    "pad",
    "repeat",
    "stack",
    "true_items",
    "with_fields",
    "zip_fields",
]


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
    if column.ndim == 0 or mask.ndim > column.ndim:
        raise ShapeError(f"filter: a mask of {mask.shape!r} has more dims than the array, {column.shape!r}")
    column, mask = structure.align([column, mask], "filter")
    keep = true_items(mask.values)
    *outer, dim = column.shape.dims
    offsets = _offsets.filter_rows(keep, dim.offsets)
    left: Dim = Ragged.from_offsets(offsets, validity=dim.validity, check=False)
    if not outer:
        left = Uniform(int(offsets[-1]), 1, declared=False)
    return Column(JaggedShape._trusted([*outer, left]), gather.filter_values(column.values, keep))


def keep_rows(column: Column, mask: Column) -> Column:
    """Keep the outermost rows whose mask is true, as numpy does; extents are kept."""
    check_boolean(mask, "indexing")
    if mask.shape.size != column.shape.nodes(1):
        raise JagIndexError(f"the mask has {mask.shape.size} entries, the array has {column.shape.nodes(1)} rows")
    keep = true_items(mask.values)
    rows = Uniform(int(np.count_nonzero(keep)), 1, declared=False)
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
    if place == column.ndim - 1 and has_words(column.type) and strategy.choose("pad_items", grown.size) == "blocks":
        merged = merge.pad_rows(column.values, dim.offsets, offsets, None if filler is None else filler.values)
        return Column(JaggedShape._trusted([*column.shape.dims[:place], grown]), merged)
    index = np.full(grown.size, -1, np.int64)
    index[gather.ranges(offsets[:-1], dim.sizes)] = np.arange(dim.size)
    outer = (*column.shape.dims[:place], grown)
    there = index >= 0
    if filler is None:
        return structure.take_items(column, place + 1, np.where(there, index, 0), outer, None if there.all() else there)
    both = structure.end_to_end([(column, place + 1), (filler, 0)])
    return structure.take_items(both, 1, np.where(there, index, dim.size), outer)


def _subtree(column: Column, place: int, fill: pa.Scalar | Column) -> Column:
    """Build the item to add at an axis: a leaf, or a sub-tree with the dims below the axis."""
    below = column.shape.dims[place + 1 :]
    if not isinstance(fill, Column):
        extents = [dim.extent for dim in below]
        if None in extents:
            row = "[" * len(below) + "0" + "]" * len(below)
            raise JagValueError(
                f"pad: along axis {place} of {column.ndim} dims whole rows are added, and a scalar fill does not give their size. "
                f"Give a row, such as fill={row}, or no fill for null rows."
            )
        shape = JaggedShape(*extents)
        return Column(shape, constant(fill, shape.size))
    if fill.ndim != len(below):
        raise ShapeError(f"pad: along axis {place} of {column.ndim} dims a fill has {len(below)} dims, got {fill.shape!r}")
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
            raise ShapeError(f"repeat: a size must be at least 0, got {sizes}")
        new: Dim = Uniform(sizes, column.shape.size)
        if has_words(column.type):
            return Column(JaggedShape._trusted([*column.shape.dims, new]), merge.repeat_each(column.values, sizes))
        return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))
    if not (pt.is_integer(sizes.type) or pt.is_null(sizes.type)):
        raise JagTypeError(f"repeat: sizes must be integers, got {sizes.type}")
    column, sizes = structure.align([column, sizes], "repeat")
    if sizes.values.null_count:
        raise JagValueError(f"repeat: a size is null at item {int(np.argmax(sizes.values.is_null()))}; use fill_null(0)")
    new = Ragged(_arrow.to_numpy(sizes.values)[0] if sizes.shape.size else [])
    return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))


# --------------------------------------------------------------------------------------------------- fields of structs


def fields(type: pa.DataType) -> list[str]:
    """Return the field names of a struct type; an empty list for other types."""
    return [one.name for one in type] if pt.is_struct(type) else []


def opened_maps(column: Column) -> Column:
    """Return a column whose leaves are maps with one more dim, of entries; return any other column unchanged."""
    return with_levels(column.shape, column.values) if pt.is_map(column.type) else column


def field(column: Column, name: str) -> Column:
    """Return one field of struct leaves, with the same shape object; each level of a list or map field adds a dim."""
    column = opened_maps(column)
    values = column.values
    names = fields(values.type)
    if name not in names:
        known = f"its fields are {names}" if names else f"its leaves are {values.type}, not structs"
        raise JagIndexError(f"no field {name!r}: {known}")
    return with_levels(column.shape, pc.struct_field(values, [names.index(name)]))


def with_levels(shape: JaggedShape, values: pa.Array) -> Column:
    """Combine a shape and values; each list or map level of the values becomes a dim."""
    if not (_arrow.is_level_type(values.type) or _arrow.is_jagged_extension(values.type)):
        return Column(shape, values)
    inner = _column.from_arrow(values)
    return Column(JaggedShape._trusted([*shape.dims, *inner.shape.dims[1:]]), inner.values)


def pick_fields(column: Column, names: Sequence[str]) -> Column:
    """Select several fields of struct leaves, as structs."""
    picked = [_flat_field(column, name) for name in names]
    return Column(column.shape, structs(dict(zip(names, picked, strict=True)), column.values))


def _flat_field(column: Column, name: str) -> pa.Array:
    names = fields(column.type)
    if name not in names:
        raise JagIndexError(f"no field {name!r}: its fields are {names}")
    return pc.struct_field(column.values, [names.index(name)])


def structs(parts: Mapping[str, pa.Array], owner: pa.Array | None = None) -> pa.Array:
    """Build structs of flat arrays, null where `owner` is null."""
    mask = None if owner is None or owner.null_count == 0 else owner.is_null()
    types = [pa.field(name, one.type) for name, one in parts.items()]
    return pa.StructArray.from_arrays(list(parts.values()), fields=types, mask=mask)


def zip_fields(parts: Mapping[str, Column | pa.Scalar], operation: str = "zip") -> Column:
    """Build one struct per leaf of the common shape, with one field per operand."""
    columns = [one for one in parts.values() if isinstance(one, Column)]
    aligned = iter(structure.align(columns, operation))
    fitted: dict[str, Any] = {name: next(aligned) if isinstance(one, Column) else one for name, one in parts.items()}
    shape = next(one.shape for one in fitted.values() if isinstance(one, Column))
    flat = {name: one.values if isinstance(one, Column) else constant(one, shape.size) for name, one in fitted.items()}
    return Column(shape, structs(flat, None))


def with_fields(column: Column, parts: Mapping[str, Column | pa.Scalar]) -> Column:
    """Add or replace fields of struct leaves; a null struct stays null."""
    if not pt.is_struct(column.type):
        raise JagTypeError(f"with_fields needs struct leaves, got {column.type}; use aj.zip to build structs")
    columns = [one for one in parts.values() if isinstance(one, Column)]
    column, *rest = structure.align([column, *columns], "with_fields")
    aligned = iter(rest)
    flat = {name: _flat_field(column, name) for name in fields(column.type)}
    for name, one in parts.items():
        flat[name] = next(aligned).values if isinstance(one, Column) else constant(one, column.shape.size)
    return Column(column.shape, structs(flat, column.values))


def constant(value: pa.Scalar, n: int) -> pa.Array:
    """Repeat a scalar `n` times."""
    return pa.repeat(value, n) if n and value.is_valid else pa.nulls(n, value.type)  # pyarrow repeats no struct 0 times


# --------------------------------------------------------------------------------------------------- joining


def concat(columns: Sequence[Column], axis: int) -> Column:
    """Join columns of one ndim and one leaf type along an axis, row by row.

    Parameters
    ----------
    columns : sequence of Column
        At least one. Dims above the axis must have equal sizes in the rows that are valid in all columns.
    axis : int
        Along 0 the outermost rows are appended; along an inner axis the items of each row, and a row that is null in any column
        is null.

    Returns
    -------
    Column
        A declared extent below the axis is kept if all columns declare the same; at the axis extents add up. Cost: one copy of the
        values, along an inner axis one gather per level.

    Notes
    -----
    Koda's `concat`, with axes counted from the outermost.
    """
    if len({column.ndim for column in columns}) != 1 or columns[0].ndim == 0:
        got = [column.ndim for column in columns]
        raise ShapeError(f"concat needs arrays of one ndim of at least 1, got ndim {got}; see expand_to")
    place = structure.normalize_axis(axis, columns[0].ndim, "concat")
    if len(columns) == 1:
        return columns[0]
    columns = structure.agree(columns, "concat", levels=place)
    parts = [(column, place + 1) for column in columns]
    if place == 0:
        return structure.end_to_end(parts)
    dims = [column.shape.dims[place] for column in columns]
    extents = [dim.extent for dim in dims]
    extent = None if None in extents else sum(one for one in extents if one is not None)
    offsets = np.add.reduce([dim.offsets for dim in dims])
    joined: Dim = Ragged.from_offsets(offsets, validity=dims[0].validity, extent=extent, check=False)
    if extent is not None and joined.validity is None:
        joined = Uniform(extent, len(offsets) - 1)
    outer = (*structure.merge_dims([column.shape.dims[:place] for column in columns]), joined)
    if place == columns[0].ndim - 1 and merge.pays_rows(columns[0].type, len(joined), joined.size, len(joined)):
        values = merge.join_rows([column.values for column in columns], [dim.offsets for dim in dims])
        return Column(JaggedShape._trusted(outer), values)
    bases = [0, *itertools.accumulate(dim.size for dim in dims[:-1])]
    starts = np.array([dim.offsets[:-1] + base for dim, base in zip(dims, bases, strict=True)]).ravel("F")
    sizes = np.array([dim.sizes for dim in dims]).ravel("F")
    items = _offsets.runs(starts, _offsets.from_counts(sizes))
    return structure.take_items(structure.end_to_end(parts), 1, items, outer)


def stack(columns: Sequence[Column], axis: int) -> Column:
    """Stack columns of one shape along a new dim of declared extent."""
    shape = columns[0].shape
    place = structure.normalize_axis(axis, shape.ndim + 1, "stack")
    count, n = len(columns), shape.nodes(place)
    outer = (*shape.dims[:place], Uniform(count, n))
    if place == shape.ndim and has_words(columns[0].type):
        return Column(JaggedShape._trusted(outer), merge.weave([column.values for column in columns]))
    merged = structure.end_to_end([(column, place) for column in columns])
    if place == 0:
        return structure.with_shape(JaggedShape._trusted([*outer, *merged.shape.dims[1:]]), merged)
    index = np.arange(n)[:, None] + np.arange(count) * n
    return structure.take_items(merged, 1, index.ravel(), outer)


# --------------------------------------------------------------------------------------------------- rows merged from columns


NullRule = Callable[[int, "list[BoolArray | None]", "list[IntArray | None]"], BoolArray]
"""Flags the null rows of the result. Arguments: the depth; per operand, flags of its valid rows (None if it has fewer dims); per
operand, the positions of its leaves."""


def merge_rows(columns: Sequence[Column], is_null: NullRule, operation: str) -> list[Column]:
    """Give all columns the rows of one common shape: a row that is null in a column takes its size from the others.

    Parameters
    ----------
    columns : sequence of Column
        Columns whose sizes agree in rows that are valid in several of them.
    is_null : callable
        Flags the null rows of the result.
    operation : str
        The public name, for errors.

    Returns
    -------
    list of Column
        With unchanged ndim; leaves are null in rows that the column lacks. All shapes are prefixes of the common one. A column
        whose rows are unchanged shares its values.
    """
    return [met.settled().whole for met in lend_rows(columns, is_null, operation)]


def lend_rows(columns: Sequence[Column], is_null: NullRule, operation: str) -> list[structure.Met]:
    """As `merge_rows`, but copying of values may be deferred, for callers that read them block by block."""
    ndim = max(column.ndim for column in columns)
    places: list[IntArray | None] = [None] * len(columns)
    laid: list[tuple[pa.Array | None, copy_runs.Layout | None]] = [(None, None)] * len(columns)
    dims: list[Dim] = []
    for depth in range(ndim):
        n_rows = dims[-1].size if dims else 1
        there = [_there(column, depth, place) for column, place in zip(columns, places, strict=True)]
        leaves = [_numbers(place, n_rows) if column.ndim <= depth else None for column, place in zip(columns, places, strict=True)]
        null = is_null(depth, there, leaves)
        near = (
            None
            if depth == 0 or strategy.choose("lend_rows", n_rows) == "whole"
            else _near_dim(columns, depth, places, there, null)
        )
        dims.append(_shared_dim(columns, depth, places, there, null, operation) if near is None else near.dim)
        for slot, (column, place, present) in enumerate(zip(columns, places, there, strict=True)):
            if column.ndim == depth + 1 and present is not None:
                layout = None if near is None else near.layout(column, slot)
                laid[slot] = (None, layout) if layout else (_lay_leaves(column, place, present, dims[-1]), None)
        if depth < ndim - 1:
            places = [_descend(column, depth, place, dims[-1]) for column, place in zip(columns, places, strict=True)]
    shape = JaggedShape._trusted(dims)
    return [_met(column, shape[: column.ndim], *found) for column, found in zip(columns, laid, strict=True)]


def _met(column: Column, shape: JaggedShape, values: pa.Array | None, layout: copy_runs.Layout | None) -> structure.Met:
    if layout is not None:
        return structure.Met(column, shape, layout)
    return structure.Met(Column(shape, column.values if values is None else values), shape)


class _Near(NamedTuple):
    """Common rows that differ from those of each column in few rows."""

    dim: Dim
    changed: list[IntArray | None]
    """Per column, the rows that it lacks or that are null in the result."""

    def layout(self, column: Column, slot: int) -> copy_runs.Layout | None:
        """Return the source ranges of a column's leaves; None if no row changes or if copying item by item is faster."""
        rows = self.changed[slot]
        if rows is None or not len(rows) or not copy_runs.pays(column.type, 2 * len(rows) + 1, self.dim.size):
            return None
        return copy_runs.layout_with(column.shape.dims[-1].offsets, self.dim.offsets, rows)


def _near_dim(
    columns: Sequence[Column],
    depth: int,
    places: Sequence[IntArray | None],
    there: Sequence[BoolArray | None],
    null: BoolArray,
) -> _Near | None:
    """As `_shared_dim` if no rows move: unchanged rows are compared in one pass and their sizes are not written.

    Returns None if rows move or sizes differ; the caller falls back to `_shared_dim`.
    """
    owners = [(column.shape.dims[depth], present) for column, present in zip(columns, there, strict=True) if present is not None]
    if any(place is not None for place, present in zip(places, there, strict=True) if present is not None):
        return None
    changed = [(present == null).nonzero()[0] for _, present in owners]
    rows, own = min(zip(changed, [dim.offsets for dim, _ in owners], strict=True), key=lambda pair: len(pair[0]))
    sizes = np.zeros(len(rows), np.int64)
    for dim, present in owners:
        sizes = np.where(present[rows] & ~null[rows], dim.offsets[rows + 1] - dim.offsets[rows], sizes)
    offsets = copy_runs.offsets_with(own, rows, sizes) if len(rows) else own
    changed = [_resized(dim.offsets, offsets, rows) for (dim, _), rows in zip(owners, changed, strict=True)]
    if not all(copy_runs.differ_only_in(dim.offsets, offsets, rows) for (dim, _), rows in zip(owners, changed, strict=True)):
        return None
    extents = {dim.extent for dim, _ in owners} - {None}
    extent = extents.pop() if len(extents) == 1 else None
    shared = Ragged.from_offsets(offsets, validity=~null if null.any() else None, extent=extent, check=False)
    found = iter(changed)
    return _Near(shared, [None if present is None else next(found) for present in there])


def _resized(one: IntArray, two: IntArray, rows: IntArray) -> IntArray:
    """Return those of the given rows whose sizes differ between two offsets."""
    resized: IntArray = rows[one[rows + 1] - one[rows] != two[rows + 1] - two[rows]]
    return resized


def _numbers(places: IntArray | None, n: int) -> IntArray:
    """Convert positions to an array; None means that no item moves."""
    return np.arange(n) if places is None else places


def _there(column: Column, depth: int, places: IntArray | None) -> BoolArray | None:
    """Flag the rows at the given positions that exist and are valid; None if the column has fewer dims."""
    if column.ndim <= depth:
        return None
    dim = column.shape.dims[depth]
    if places is None:
        return np.ones(len(dim), bool) if dim.validity is None else dim.validity
    there = places >= 0
    if dim.validity is not None:
        there = there & dim.validity[np.maximum(places, 0)] if len(dim) else np.zeros(len(places), bool)
    return there


def _shared_dim(
    columns: Sequence[Column],
    depth: int,
    places: Sequence[IntArray | None],
    there: Sequence[BoolArray | None],
    null: BoolArray,
    operation: str,
) -> Dim:
    """Merge the row sizes of all columns; raises if valid rows differ. Null rows have size 0."""
    known: BoolArray | None = None
    sizes = np.zeros(0, np.int64)
    extents = set()
    for column, place, present in zip(columns, places, there, strict=True):
        if present is None:
            continue
        extents.add(column.shape.dims[depth].extent)
        own = _sizes_at(column.shape.dims[depth], place)
        if known is None:
            sizes, known = np.where(present, own, 0), present
            continue
        clash = (own != sizes) & present & known & ~null
        if clash.any():
            row = int(clash.argmax())
            raise ShapeError(f"{operation}: dim {depth}, row {row} has {own[row]} items in one operand and {sizes[row]} in another")
        sizes = np.where(known | ~present, sizes, own)
        known = known | present
    declared = extents - {None}
    extent = declared.pop() if len(declared) == 1 and depth else None
    sizes = np.where(null, 0, sizes)
    if depth == 0:
        return Uniform(int(sizes[0]), 1, declared=False)
    return Ragged.from_offsets(_offsets.from_sizes(sizes), validity=~null if null.any() else None, extent=extent, check=False)


def _sizes_at(dim: Dim, places: IntArray | None) -> IntArray:
    """Return the size of each row; unspecified for missing rows."""
    if places is None:
        return dim.sizes
    return dim.sizes[np.maximum(places, 0)] if len(dim) else np.zeros(len(places), np.int64)


def _descend(column: Column, depth: int, places: IntArray | None, dim: Dim) -> IntArray | None:
    """Map the items of the common rows to the column's items, or to its broadcast leaf; -1 for missing items."""
    if column.ndim <= depth:
        return dim.parents.astype(np.int64) if places is None else places[dim.parents]
    own = column.shape.dims[depth]
    if places is None and own == dim:
        return None
    if len(own) == 0:
        return np.full(dim.size, -1, np.int64)
    spread = dim.parents if places is None else places[dim.parents]
    safe = np.maximum(spread, 0)
    here = spread >= 0
    if own.validity is not None:
        here &= own.validity[safe]
    return np.where(here, own.offsets[safe] + dim.iota(), -1)


def _lay_leaves(column: Column, places: IntArray | None, present: BoolArray, dim: Dim) -> pa.Array:
    """Copy a column's leaves to their positions in the common rows; values are shared if no leaf moves."""
    own = column.shape.dims[-1]
    if places is None and own == dim:
        return column.values
    starts = own.offsets[:-1] if places is None else own.offsets[np.maximum(places, 0)]
    return copy_runs.lay_rows(column.values, starts, present, dim.offsets)
