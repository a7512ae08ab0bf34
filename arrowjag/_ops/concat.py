"""Columns joined: rows one after another, stacked, or merged row by row with the null rows of others."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.words import has_words, or_all
from arrowjag._kernels.move import copy_runs, join, merge
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import ShapeError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["concat", "join_rows", "merge_rows", "side_by_side", "stack"]


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
    got = [len(column._shape._dims) for column in columns]
    if got.count(got[0]) != len(got) or got[0] == 0:
        raise ShapeError(f"concat needs arrays of the same ndim, at least 1, got ndim {brief(got)}; expand_to adds dims")
    place = structure.normalize_axis(axis, got[0], "concat")
    if len(columns) == 1:
        return columns[0]
    columns = structure.agree(columns, "concat", levels=place)
    return side_by_side(columns, place) if place else structure.end_to_end([(column, 1) for column in columns])


def side_by_side(columns: Sequence[Column], place: int) -> Column:
    """Join columns along an inner axis, row by row; they agree in the dims above it."""
    dims = [column._shape._dims[place] for column in columns]
    outer = structure.merge_dims([column._shape._dims[:place] for column in columns])
    found = join_rows(dims, [column.values for column in columns]) if place == columns[0].ndim - 1 else None
    if found is not None:
        return Column(JaggedShape._trusted((*outer, found[0])), found[1])
    joined = _joined(dims, functools.reduce(np.add, [dim.offsets for dim in dims]))
    starts, sizes = np.empty((2, len(joined), len(dims)), np.int64)
    base = 0
    for slot, dim in enumerate(dims):
        np.add(dim.offsets[:-1], base, out=starts[:, slot])
        np.subtract(dim.offsets[1:], dim.offsets[:-1], out=sizes[:, slot])
        base += dim.size
    items = _offsets.runs(starts.reshape(-1), _offsets.from_counts(sizes.reshape(-1)))
    return structure.take_joined([(column, place + 1) for column in columns], items, (*outer, joined))


def join_rows(dims: Sequence[Dim], parts: Sequence[pa.Array]) -> tuple[Dim, pa.Array] | None:
    """Join rows of leaves, which are null in all dims or in none; None if it is better done item by item."""
    n_rows = dims[0]._n
    if not merge.pays_rows(parts[0].type, n_rows, sum([dim._size for dim in dims]), n_rows):
        return None
    offsets, values = join.join_rows(parts, [dim.offsets for dim in dims])
    return _joined(dims, offsets), values


def _joined(dims: Sequence[Dim], offsets: IntArray) -> Dim:
    """Build the dim of rows that are joined; extents add up, and rows that are null are so in all dims."""
    validity, extents = dims[0]._validity, [dim.extent for dim in dims]
    extent = None if None in extents else sum([one for one in extents if one is not None])
    if extent is not None and validity is None:
        return Uniform(extent, len(offsets) - 1)
    return Ragged.from_offsets(offsets, validity=validity, extent=extent, check=False)


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
    return [met.settled().whole for met in merge_rows_deferred(columns, is_null, operation)]


def merge_rows_deferred(columns: Sequence[Column], is_null: NullRule, operation: str) -> list[structure.Met]:
    """Give all columns the rows of one common shape; copying of values may be deferred, for callers that read them in blocks."""
    ndim = max(column.ndim for column in columns)
    places: list[IntArray | None] = [None] * len(columns)
    copied: list[tuple[pa.Array | None, copy_runs.Layout | None]] = [(None, None)] * len(columns)
    dims: list[Dim] = []
    for depth in range(ndim):
        n_rows = dims[-1].size if dims else 1
        there = [_there(column, depth, place) for column, place in zip(columns, places, strict=True)]
        leaves = [_numbers(place, n_rows) if column.ndim <= depth else None for column, place in zip(columns, places, strict=True)]
        null = is_null(depth, there, leaves)
        near = (
            None
            if depth == 0 or strategy.choose("merge_rows", n_rows) == "whole"
            else _near_dim(columns, depth, places, there, null, operation)
        )
        dims.append(_shared_dim(columns, depth, places, there, null, operation) if near is None else near.dim)
        for slot, (column, place, present) in enumerate(zip(columns, places, there, strict=True)):
            if column.ndim == depth + 1 and present is not None:
                layout = None if near is None else near.layout(column, slot)
                copied[slot] = (None, layout) if layout else (_copy_leaves(column, place, present, dims[-1]), None)
        if depth < ndim - 1:
            places = [_descend(column, depth, place, dims[-1]) for column, place in zip(columns, places, strict=True)]
    shape = JaggedShape._trusted(dims)
    return [_met(column, shape[: column.ndim], *found) for column, found in zip(columns, copied, strict=True)]


def _met(column: Column, shape: JaggedShape, values: pa.Array | None, layout: copy_runs.Layout | None) -> structure.Met:
    if layout is not None:
        return structure.Met(column, shape, layout)
    return structure.Met(Column(shape, column.values if values is None else values), shape)


class _Near(NamedTuple):
    """The merged rows of columns that each differ from them in few rows."""

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
    operation: str,
) -> _Near | None:
    """Merge the row sizes of all columns in one pass if no rows move, without writing sizes.

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
    shared = _declared(
        Ragged.from_offsets(offsets, validity=~null, check=False), {dim.extent for dim, _ in owners}, depth, operation
    )
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
        return or_all(dim.validity, len(dim))
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
            raise ShapeError(
                f"{operation}: dim {depth}, row {row} has {plural(own[row], 'item')} in one operand and {sizes[row]} in another; "
                "rows that are valid in several operands must have one size"
            )
        sizes = np.where(known | ~present, sizes, own)
        known = known | present
    sizes = np.where(null, 0, sizes)
    if depth == 0:
        return Uniform._frame(int(sizes[0]))
    return _declared(Ragged.from_offsets(_offsets.from_sizes(sizes), validity=~null, check=False), extents, depth, operation)


def _declared(dim: Dim, extents: set[int | None], depth: int, operation: str) -> Dim:
    """Declare the extent that any column declares; raises if a row that another column supplies has another size."""
    declared = sorted(extent for extent in extents if extent is not None)
    if len(declared) > 1:
        raise ShapeError(f"{operation}: dim {depth} is declared to have {' and '.join(map(str, declared))} items")
    try:
        return dim.with_extent(declared[0]) if declared else dim
    except ShapeError as error:
        raise ShapeError(f"{operation}: dim {depth}, {error}") from None


def _sizes_at(dim: Dim, places: IntArray | None) -> IntArray:
    """Return the size of each row; that of a missing row is arbitrary."""
    if places is None:
        return dim.sizes
    return dim.sizes[np.maximum(places, 0)] if len(dim) else np.zeros(len(places), np.int64)


def _descend(column: Column, depth: int, places: IntArray | None, dim: Dim) -> IntArray | None:
    """Return, for each item of the common rows, its position among the column's items or broadcast leaves; -1 for missing items."""
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


def _copy_leaves(column: Column, places: IntArray | None, present: BoolArray, dim: Dim) -> pa.Array:
    """Copy a column's leaves to their positions in the common rows; values are shared if no leaf moves."""
    own = column.shape.dims[-1]
    if places is None and own == dim:
        return column.values
    starts = own.offsets[:-1] if places is None else own.offsets[np.maximum(places, 0)]
    return copy_runs.copy_rows(column.values, starts, present, dim.offsets)
