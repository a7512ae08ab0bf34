"""Choosing and joining items: filter, pad, repeat, fields of structs, concat and stack."""

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
from arrowjag._kernels import gather, laying, merging, spans
from arrowjag._kernels import offsets as _offsets
from arrowjag._kernels.words import has_words
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "concat",
    "field",
    "fields",
    "filter_items",
    "keep_rows",
    "merge_rows",
    "pad",
    "repeat",
    "stack",
    "with_fields",
    "zip_fields",
]


# --------------------------------------------------------------------------------------------------- filter


def filter_items(column: Column, mask: Column) -> Column:
    """The innermost items whose mask is true; a shorter mask is spread over them.

    Parameters
    ----------
    column : Column
        At least one dim.
    mask : Column
        Booleans; its shape is that of the column or a prefix of it. A null drops the item, a null row gives a null row.

    Returns
    -------
    Column
        Rows become shorter or empty, none disappears; the innermost dim declares no extent. Cost: one pass over values and mask.
    """
    _check_boolean(mask, "filter")
    if column.ndim == 0 or mask.ndim > column.ndim:
        raise ShapeError(f"filter: a mask of {mask.shape!r} is longer than what it filters, {column.shape!r}")
    column, mask = structure.align([column, mask], "filter")
    keep = _true(mask.values)
    *outer, dim = column.shape.dims
    offsets = _offsets.filter_rows(keep, dim.offsets)
    left: Dim = Ragged.from_offsets(offsets, validity=dim.validity, check=False)
    if not outer:
        left = Uniform(int(offsets[-1]), 1, declared=False)
    return Column(JaggedShape._trusted([*outer, left]), gather.filter_values(column.values, keep))


def keep_rows(column: Column, mask: Column) -> Column:
    """The rows of the frame whose mask is true, as numpy filters the first dim; extents are kept."""
    _check_boolean(mask, "indexing")
    if mask.shape.size != column.shape.nodes(1):
        raise JagIndexError(f"the mask has {mask.shape.size} entries, the array {column.shape.nodes(1)} rows")
    keep = _true(mask.values)
    rows = Uniform(int(np.count_nonzero(keep)), 1, declared=False)
    return structure.keep_items(column, 1, keep, (rows,))


def _check_boolean(mask: Column, operation: str) -> None:
    if not (pt.is_boolean(mask.type) or pt.is_null(mask.type)):
        raise JagTypeError(f"{operation}: a mask must hold booleans, got {mask.type}")


def _true(mask: pa.Array) -> BoolArray:
    """Where a mask is true; null counts as false."""
    if pt.is_null(mask.type):
        return np.zeros(len(mask), bool)
    data, valid = _arrow.to_numpy(mask)
    keep: BoolArray = data if valid is None else data & valid
    return keep


# --------------------------------------------------------------------------------------------------- more items


def pad(column: Column, n: int, fill: pa.Scalar | Column | None, axis: int) -> Column:
    """Fill rows at an axis up to `n` items; longer rows stay.

    Parameters
    ----------
    column : Column
        The source.
    n : int
        The least size that a row has afterwards.
    fill : pa.Scalar, Column or None
        What is put in, of the leaf's type; None puts nulls. Along an outer axis a column with the dims below it, or a scalar where
        all of those declare their extents.
    axis : int
        Which dim.

    Returns
    -------
    Column
        Null rows stay null. A declared extent grows to `n`. Cost: one gather a level.
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
    if place == column.ndim - 1 and grown.size > _FEW and has_words(column.type):
        merged = merging.pad_rows(column.values, dim.offsets, offsets, None if filler is None else filler.values)
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
    """One item to put in at an axis: a leaf, or the dims below the axis."""
    below = column.shape.dims[place + 1 :]
    if not isinstance(fill, Column):
        extents = [dim.extent for dim in below]
        if None in extents:
            row = "[" * len(below) + "0" + "]" * len(below)
            raise JagValueError(
                f"pad: along axis {place} of {column.ndim} dims whole rows are put in, and a single value does not say how long. "
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
    """Each innermost item several times, in a new last dim; column and sizes are expanded to each other.

    Parameters
    ----------
    column : Column
        The items.
    sizes : int or Column
        How often; an int declares the extent of the new dim.

    Returns
    -------
    Column
        One dim more than the longer of both.
    """
    if isinstance(sizes, int):
        if sizes < 0:
            raise ShapeError(f"repeat: a size must be at least 0, got {sizes}")
        new: Dim = Uniform(sizes, column.shape.size)
        if has_words(column.type):
            return Column(JaggedShape._trusted([*column.shape.dims, new]), merging.repeat_each(column.values, sizes))
        return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))
    if not (pt.is_integer(sizes.type) or pt.is_null(sizes.type)):
        raise JagTypeError(f"repeat: sizes must be integers, got {sizes.type}")
    column, sizes = structure.align([column, sizes], "repeat")
    if sizes.values.null_count:
        raise JagValueError(f"repeat: a size is null at item {int(np.argmax(sizes.values.is_null()))}; fill_null(0) drops the item")
    new = Ragged(_arrow.to_numpy(sizes.values)[0] if sizes.shape.size else [])
    return structure.repeat_items(column, column.ndim, new, (*column.shape.dims, new))


# --------------------------------------------------------------------------------------------------- fields of structs


def fields(type: pa.DataType) -> list[str]:
    """Field names of a struct leaf; none for other types."""
    return [one.name for one in type] if pt.is_struct(type) else []


def field(column: Column, name: str) -> Column:
    """One field of struct leaves, under the same shape object; a list field raises ndim by its levels."""
    values = column.values
    names = fields(values.type)
    if name not in names:
        known = f"its fields are {names}" if names else f"its leaves are {values.type}, not structs"
        raise JagIndexError(f"no field {name!r}: {known}")
    return with_levels(column.shape, pc.struct_field(values, [names.index(name)]))


def with_levels(shape: JaggedShape, values: pa.Array) -> Column:
    """Values under a shape; the levels of list values become dims."""
    if not (_arrow.is_list_type(values.type) or _arrow.is_jagged_extension(values.type)):
        return Column(shape, values)
    inner = _column.from_arrow(values)
    return Column(JaggedShape._trusted([*shape.dims, *inner.shape.dims[1:]]), inner.values)


def pick_fields(column: Column, names: Sequence[str]) -> Column:
    """Several fields of struct leaves as structs of those alone."""
    picked = [_flat_field(column, name) for name in names]
    return Column(column.shape, _structs(dict(zip(names, picked, strict=True)), column.values))


def _flat_field(column: Column, name: str) -> pa.Array:
    names = fields(column.type)
    if name not in names:
        raise JagIndexError(f"no field {name!r}: its fields are {names}")
    return pc.struct_field(column.values, [names.index(name)])


def _structs(parts: Mapping[str, pa.Array], owner: pa.Array | None) -> pa.Array:
    """Structs of flat arrays; null where the structs they come from are."""
    mask = None if owner is None or owner.null_count == 0 else owner.is_null()
    types = [pa.field(name, one.type) for name, one in parts.items()]
    return pa.StructArray.from_arrays(list(parts.values()), fields=types, mask=mask)


def zip_fields(parts: Mapping[str, Column | pa.Scalar], operation: str = "zip") -> Column:
    """A struct for each leaf of the common shape, one field an operand."""
    columns = [one for one in parts.values() if isinstance(one, Column)]
    aligned = iter(structure.align(columns, operation))
    fitted: dict[str, Any] = {name: next(aligned) if isinstance(one, Column) else one for name, one in parts.items()}
    shape = next(one.shape for one in fitted.values() if isinstance(one, Column))
    flat = {name: one.values if isinstance(one, Column) else constant(one, shape.size) for name, one in fitted.items()}
    return Column(shape, _structs(flat, None))


def with_fields(column: Column, parts: Mapping[str, Column | pa.Scalar]) -> Column:
    """Struct leaves with fields added or replaced; a null struct stays null."""
    if not pt.is_struct(column.type):
        raise JagTypeError(f"with_fields needs struct leaves, got {column.type}; zip makes structs")
    columns = [one for one in parts.values() if isinstance(one, Column)]
    column, *rest = structure.align([column, *columns], "with_fields")
    aligned = iter(rest)
    flat = {name: _flat_field(column, name) for name in fields(column.type)}
    for name, one in parts.items():
        flat[name] = next(aligned).values if isinstance(one, Column) else constant(one, column.shape.size)
    return Column(column.shape, _structs(flat, column.values))


def constant(value: pa.Scalar, n: int) -> pa.Array:
    """A scalar as `n` values."""
    return pa.repeat(value, n) if value.is_valid else pa.nulls(n, value.type)


# --------------------------------------------------------------------------------------------------- joining


def concat(columns: Sequence[Column], axis: int) -> Column:
    """Join columns of one ndim and one leaf type along an axis, row by row.

    Parameters
    ----------
    columns : sequence of Column
        At least one. Dims above the axis must agree in the rows that are valid in all.
    axis : int
        Along 0 the rows of the frame follow each other; along an inner axis those of each row do, and a row that is null in any
        is null.

    Returns
    -------
    Column
        A declared extent below the axis stays where all declare the same; at the axis extents add up. Cost: one copy of the values,
        along an inner axis a gather a level.

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
    if place == columns[0].ndim - 1 and spans.pays(columns[0].type, len(joined), joined.size, len(joined)):
        values = spans.join_rows([column.values for column in columns], [dim.offsets for dim in dims])
        return Column(JaggedShape._trusted(outer), values)
    bases = [0, *itertools.accumulate(dim.size for dim in dims[:-1])]
    starts = np.array([dim.offsets[:-1] + base for dim, base in zip(dims, bases, strict=True)]).ravel("F")
    sizes = np.array([dim.sizes for dim in dims]).ravel("F")
    items = _offsets.runs(starts, _offsets.from_counts(sizes))
    return structure.take_items(structure.end_to_end(parts), 1, items, outer)


def stack(columns: Sequence[Column], axis: int) -> Column:
    """Columns of one shape side by side along a new dim, whose extent is declared."""
    shape = columns[0].shape
    place = structure.normalize_axis(axis, shape.ndim + 1, "stack")
    count, n = len(columns), shape.nodes(place)
    outer = (*shape.dims[:place], Uniform(count, n))
    if place == shape.ndim and has_words(columns[0].type):
        return Column(JaggedShape._trusted(outer), merging.weave([column.values for column in columns]))
    merged = structure.end_to_end([(column, place) for column in columns])
    if place == 0:
        return structure.with_shape(JaggedShape._trusted([*outer, *merged.shape.dims[1:]]), merged)
    index = np.arange(n)[:, None] + np.arange(count) * n
    return structure.take_items(merged, 1, index.ravel(), outer)


# --------------------------------------------------------------------------------------------------- rows of several


_FEW = 1 << 12
"""Up to so many items calls decide what padding costs, not the work."""

NullRule = Callable[[int, "list[BoolArray | None]", "list[IntArray | None]"], BoolArray]
"""From depth, for each operand which of its rows are there (None: it has no rows so deep), and its leaves' places, to null rows."""


def merge_rows(columns: Sequence[Column], is_null: NullRule, operation: str) -> list[Column]:
    """Columns that lend each other rows where theirs are null, each with the rows of one common shape.

    Parameters
    ----------
    columns : sequence of Column
        Their sizes must agree in rows that are valid in several of them.
    is_null : callable
        Which rows of the result are null.
    operation : str
        Who asks, for errors.

    Returns
    -------
    list of Column
        Each as deep as it was; its leaves are null where it has no row for them. All shapes are prefixes of the common one. Values
        of a column whose rows stay where they are, are shared.
    """
    return [met.settled().whole for met in lend_rows(columns, is_null, operation)]


def lend_rows(columns: Sequence[Column], is_null: NullRule, operation: str) -> list[structure.Met]:
    """As `merge_rows`, for who reads values block by block: they are not laid yet, where that pays."""
    ndim = max(column.ndim for column in columns)
    places: list[IntArray | None] = [None] * len(columns)
    laid: list[tuple[pa.Array | None, laying.Layout | None]] = [(None, None)] * len(columns)
    dims: list[Dim] = []
    for depth in range(ndim):
        n_rows = dims[-1].size if dims else 1
        there = [_there(column, depth, place) for column, place in zip(columns, places, strict=True)]
        leaves = [_numbers(place, n_rows) if column.ndim <= depth else None for column, place in zip(columns, places, strict=True)]
        null = is_null(depth, there, leaves)
        near = None if depth == 0 or n_rows < _FEW else _near_dim(columns, depth, places, there, null)
        dims.append(_shared_dim(columns, depth, places, there, null, operation) if near is None else near.dim)
        for slot, (column, place, present) in enumerate(zip(columns, places, there, strict=True)):
            if column.ndim == depth + 1 and present is not None:
                layout = None if near is None else near.layout(column, slot)
                laid[slot] = (None, layout) if layout else (_lay_leaves(column, place, present, dims[-1]), None)
        if depth < ndim - 1:
            places = [_descend(column, depth, place, dims[-1]) for column, place in zip(columns, places, strict=True)]
    shape = JaggedShape._trusted(dims)
    return [_met(column, shape[: column.ndim], *found) for column, found in zip(columns, laid, strict=True)]


def _met(column: Column, shape: JaggedShape, values: pa.Array | None, layout: laying.Layout | None) -> structure.Met:
    if layout is not None:
        return structure.Met(column, shape, layout)
    return structure.Met(Column(shape, column.values if values is None else values), shape)


class _Near(NamedTuple):
    """The rows that columns share, which are those of each column but in some places."""

    dim: Dim
    changed: list[IntArray | None]
    """The rows where a column lacks what another one lends, or has what is null in the result."""

    def layout(self, column: Column, slot: int) -> laying.Layout | None:
        """Where the leaves of a column lie; None where they are better laid item by item, or stay where they are."""
        rows = self.changed[slot]
        if rows is None or not len(rows) or not laying.pays(column.type, 2 * len(rows) + 1, self.dim.size):
            return None
        return laying.layout_with(column.shape.dims[-1].offsets, self.dim.offsets, rows)


def _near_dim(
    columns: Sequence[Column],
    depth: int,
    places: Sequence[IntArray | None],
    there: Sequence[BoolArray | None],
    null: BoolArray,
) -> _Near | None:
    """As `_shared_dim`, of rows that all stay where they are: what is not changed is compared at once, and not written down.

    None where this is not the way, or sizes don't agree.
    """
    owners = [(column.shape.dims[depth], present) for column, present in zip(columns, there, strict=True) if present is not None]
    if any(place is not None for place, present in zip(places, there, strict=True) if present is not None):
        return None
    changed = [(present == null).nonzero()[0] for _, present in owners]
    rows, own = min(zip(changed, [dim.offsets for dim, _ in owners], strict=True), key=lambda pair: len(pair[0]))
    sizes = np.zeros(len(rows), np.int64)
    for dim, present in owners:
        sizes = np.where(present[rows] & ~null[rows], dim.offsets[rows + 1] - dim.offsets[rows], sizes)
    offsets = laying.offsets_with(own, rows, sizes) if len(rows) else own
    changed = [_resized(dim.offsets, offsets, rows) for (dim, _), rows in zip(owners, changed, strict=True)]
    if not all(laying.differ_only_in(dim.offsets, offsets, rows) for (dim, _), rows in zip(owners, changed, strict=True)):
        return None
    extents = {dim.extent for dim, _ in owners} - {None}
    extent = extents.pop() if len(extents) == 1 else None
    shared = Ragged.from_offsets(offsets, validity=~null if null.any() else None, extent=extent, check=False)
    found = iter(changed)
    return _Near(shared, [None if present is None else next(found) for present in there])


def _resized(one: IntArray, two: IntArray, rows: IntArray) -> IntArray:
    """Those of some rows that have another size by other offsets."""
    resized: IntArray = rows[one[rows + 1] - one[rows] != two[rows + 1] - two[rows]]
    return resized


def _numbers(places: IntArray | None, n: int) -> IntArray:
    """Places as numbers: None stands for items that all stay where they are."""
    return np.arange(n) if places is None else places


def _there(column: Column, depth: int, places: IntArray | None) -> BoolArray | None:
    """Which of a column's rows are there and valid."""
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
    """The sizes that all columns with a valid row agree on; 0 in null rows."""
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
    """The size of each row; anything for a row that is not there."""
    if places is None:
        return dim.sizes
    return dim.sizes[np.maximum(places, 0)] if len(dim) else np.zeros(len(places), np.int64)


def _descend(column: Column, depth: int, places: IntArray | None, dim: Dim) -> IntArray | None:
    """Places of the items of the shared rows: of the column's own items, or of its leaf spread over them."""
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
    """The leaves of a column's last rows where the shared rows have theirs; shared where they stand there already."""
    own = column.shape.dims[-1]
    if places is None and own == dim:
        return column.values
    starts = own.offsets[:-1] if places is None else own.offsets[np.maximum(places, 0)]
    return laying.lay_rows(column.values, starts, present, dim.offsets)
