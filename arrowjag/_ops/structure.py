"""Operations on shapes that move values without computing on them: take, slice, align, expand, flatten, reshape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import AnyColumn, Column, row_validity, same_validity
from arrowjag._integers import integer
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.memory import check_memory
from arrowjag._kernels.base.monotonic import all_neighbours
from arrowjag._kernels.base.words import (
    aligned_bits,
    all_set,
    copied_bytes,
    has_words,
    is_variable_size,
    or_all,
    pack_bits,
    unless_all,
)
from arrowjag._kernels.move import copy_runs, gather, merge, tile
from arrowjag._kernels.move.spread import spread
from arrowjag._pyarrow_versions import if_else, null_scalar
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagIndexError, ShapeError, brief, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "agree_above",
    "align",
    "check_rows",
    "end_to_end",
    "expand_to",
    "fill_null_rows",
    "flatten",
    "flatten_end",
    "is_expandable_to",
    "keep_items",
    "merge_from",
    "normalize_axis",
    "null_items",
    "repeat_items",
    "reshape",
    "slice_items",
    "take_items",
    "take_joined",
    "with_shape",
]


def normalize_axis(axis: Any, ndim: int, operation: str) -> int:
    """Convert an axis to a number from 0 to ndim - 1; negative counts from the innermost."""
    place = axis if type(axis) is int else integer(axis, f"{operation}: axis")
    if not -ndim <= place < ndim:
        raise JagIndexError(f"{operation}: axis {brief(place)} is out of range for {plural(ndim, 'dim')}")
    return place % ndim


def check_rows(ndim: int, operation: str) -> None:
    """Refuse a single value where an operation works on rows."""
    if ndim == 0:
        raise ShapeError(f"{operation} needs rows, got a single value")


def with_shape(shape: JaggedShape, column: Column) -> Column:
    """Give a column another shape of the same size; a lazy constant is not materialized."""
    return Column(shape, column._stored)


# --------------------------------------------------------------------------------------------------- moving items


def take_items(column: Column, depth: int, index: IntArray, outer: Sequence[Dim], valid: BoolArray | None = None) -> Column:
    """Select the items after the first `depth` dims, with everything below them.

    Parameters
    ----------
    column : Column
        The source.
    depth : int
        Number of dims above the items.
    index : numpy.ndarray of int64
        Positions among ``shape.nodes(depth)`` items, in range where `valid` is True.
    outer : sequence of Dim
        The dims of the result above the items; the last has ``len(index)`` items.
    valid : numpy.ndarray of bool, optional
        False gives a null leaf or a null row.

    Returns
    -------
    Column
        The selected items; inner extents are kept. Cost: one gather per level; items side by side are shared, as by a slice.
    """
    if valid is None and _is_run(index):
        return slice_items(column, depth, int(index[0]), int(index[-1]) + 1, outer)
    own = column._shape._dims
    if depth == len(own):
        return Column(JaggedShape._trusted(outer), gather.take(column.values, index, valid))
    dims = list(outer)
    for level, dim in enumerate(own[depth:], depth + 1):
        inner, n_values = own[level:], own[-1]._size
        by = merge.by_rows(column.type, len(dim), n_values, len(index))
        if by != "items" and all(isinstance(one, Uniform) for one in inner):
            width = n_values // dim.size  # inner dims are uniform: a row is one contiguous range of values
            offsets, values = merge.take_spans(column.values, dim.offsets * width if inner else dim.offsets, index, valid, by)
            dims.append(_like(dim, offsets // width if inner else offsets, _kept(dim, index, valid)))
            for one in inner:
                dims.append(_uniform(one, dims[-1].size))
            return Column(JaggedShape._trusted(dims), values)
        below, index = _take_rows(dim, index, valid)
        dims.append(below)
        valid = None
    return Column(JaggedShape._trusted(dims), gather.take(column.values, index, valid))


def _is_run(index: IntArray) -> bool:
    """Return True for positions that follow each other."""
    n = len(index)
    if n == 0:
        return False
    first = index[0]
    if index[-1] - first != n - 1 or index[n // 2] - first != n // 2:
        return False
    return all_neighbours(lambda items, before: items - before == 1, index)


def _like(dim: Dim, offsets: IntArray, validity: BoolArray | None) -> Dim:
    """Build the dim of rows taken from another dim."""
    if isinstance(dim, Uniform) and validity is None:
        return _uniform(dim, len(offsets) - 1)
    return Ragged.from_offsets(offsets, validity=validity, extent=dim.extent, check=False)


def _kept(dim: Dim, rows: IntArray, valid: BoolArray | None) -> BoolArray | None:
    """Flag the valid rows among those taken; None if all are valid."""
    if dim.validity is None:
        return None if valid is None or valid.all() else valid
    kept = dim.validity[rows] if valid is None else valid & dim.validity[np.where(valid, rows, 0)]
    return unless_all(kept)


def _uniform(dim: Dim, n_rows: int) -> Uniform:
    """Build a uniform dim of `n_rows` rows with the row size of another."""
    return Uniform(dim.size // max(len(dim), 1) if dim.extent is None else dim.extent, n_rows, declared=dim.extent is not None)


def _take_rows(dim: Dim, rows: IntArray, valid: BoolArray | None) -> tuple[Dim, IntArray]:
    """Take rows of a dim; return the new dim and the positions of its items."""
    if isinstance(dim, Uniform) and valid is None:
        width = dim.size // max(len(dim), 1)
        check_memory(len(rows) * width, 8)
        return _uniform(dim, len(rows)), (rows[:, None] * width + np.arange(width)).ravel()
    if valid is None and dim.validity is None:
        offsets, items = gather.take_rows(dim.offsets, rows)
        return Ragged.from_offsets(offsets, extent=dim.extent, check=False), items
    kept = or_all(valid, len(rows))
    rows = np.where(kept, rows, 0)
    if dim.validity is not None:
        kept = kept & dim.validity[rows] if len(dim) else kept
    sizes = np.where(kept, dim.sizes[rows], 0) if len(dim) else np.zeros(len(rows), np.int64)
    starts = dim.offsets[rows] if len(dim) else np.zeros(len(rows), np.int64)
    offsets, validity = _offsets.from_counts(sizes), unless_all(kept)
    return Ragged.from_offsets(offsets, validity=validity, extent=dim.extent, check=False), gather.ranges(starts, sizes)


def slice_items(column: AnyColumn, depth: int, start: int, stop: int, outer: Sequence[Dim]) -> AnyColumn:
    """Slice the items after the first `depth` dims: values are shared, offsets are rebased at the first access."""
    dims = list(outer)
    n = stop - start
    for dim in column._shape._dims[depth:]:
        below, start = dim._part(start, start + n)
        n = below._size
        dims.append(below)
    return column._sliced(JaggedShape._trusted(dims), start)


def keep_items(column: Column, depth: int, mask: BoolArray, outer: Sequence[Dim]) -> Column:
    """Drop the items after the first `depth` dims where `mask` is False; `outer` are the dims above the kept items."""
    if all_set(mask):
        return with_shape(JaggedShape._trusted((*outer, *column.shape.dims[depth:])), column)
    if depth == column.ndim:
        return Column(JaggedShape._trusted(outer), gather.filter_values(column.values, mask))
    return take_items(column, depth, mask.nonzero()[0], outer)


def repeat_items(column: Column, depth: int, times: Dim, outer: Sequence[Dim]) -> Column:
    """Repeat each item after the first `depth` dims, with everything below it; `times` has one row per item."""
    if depth == column.ndim:
        return Column(JaggedShape._trusted(outer), _spread(column.values, times))
    return take_items(column, depth, np.asarray(times.parents, np.int64), outer)


def _spread(values: pa.Array, dim: Dim) -> pa.Array:
    return spread(values, dim.offsets, dim._parents_if_cheaper())


def null_items(column: Column, depth: int, keep: BoolArray) -> Column:
    """Make the items after the first `depth` dims null where `keep` is False; the items of null rows are dropped."""
    if depth == column.ndim:
        return Column(column.shape, null_values(column.values, keep))
    own = column.shape.dims[depth].validity
    return _null_rows(column, depth, keep if own is None else keep & own).settled().whole


def _null_rows(column: Column, depth: int, valid: BoolArray, known: Dim | None = None) -> Met:
    """Make the rows of a dim null where `valid` is False and drop their items. `known` is as in `_without_rows`."""
    outer, dim, inner = column.shape.dims[:depth], column.shape.dims[depth], column.shape.dims[depth + 1 :]
    changed, dropped = _without_rows(dim, valid, known)
    if not len(dropped):
        column = with_shape(JaggedShape._trusted((*outer, changed, *inner)), column)
    elif copy_runs.pays(column.type, len(dropped) + 1, column.shape.size):
        dims, low, high = [*outer, changed], dim.offsets[dropped], dim.offsets[dropped + 1]
        for below in inner:
            dims.append(_rows_of(below, copy_runs.layout_between(low, high, len(below))))
            low, high = below.offsets[low], below.offsets[high]
        return Met(column, JaggedShape._trusted(dims), copy_runs.layout_between(low, high, column.shape.size))
    elif inner:
        column = keep_items(column, depth + 1, valid.repeat(dim.sizes), (*outer, changed))
    else:
        column = Column(JaggedShape._trusted((*outer, changed)), copy_runs.drop_rows(column.values, dim.offsets, dropped))
    return Met(column, column.shape)


def _rows_of(dim: Dim, layout: copy_runs.Layout) -> Dim:
    """Return the rows of a dim that a layout without gaps selects."""
    if isinstance(dim, Uniform):
        return _uniform(dim, layout.size)
    rows = slice(0, layout.size)
    offsets = _offsets.from_counts(layout.part(dim.sizes, rows))
    validity = None if dim.validity is None else layout.part(dim.validity, rows)
    return Ragged.from_offsets(offsets, validity=validity, extent=dim.extent, check=False)


def _without_rows(dim: Dim, valid: BoolArray, known: Dim | None) -> tuple[Dim, IntArray]:
    """Make rows of a dim null; return the dim and the numbers of the new null rows that had items.

    `known` may be a dim with the same null rows; if its sizes are equal it is returned instead of a new one.
    """
    null = (np.logical_not(valid) if dim.validity is None else np.greater(dim.validity, valid)).nonzero()[0]
    dropped = null[dim.offsets[null + 1] > dim.offsets[null]]
    if not len(dropped):
        return dim.with_validity(valid), dropped
    if known is not None and copy_runs.differ_only_in(known.offsets, dim.offsets, dropped):
        if known.extent == dim.extent:
            return known, dropped
        offsets = known.offsets
    else:
        offsets = copy_runs.offsets_with(dim.offsets, dropped)
    return Ragged.from_offsets(offsets, validity=valid, extent=dim.extent, check=False), dropped


def null_values(values: pa.Array, keep: BoolArray) -> pa.Array:
    """Set values to null where `keep` is False; buffers of fixed-width values and of text are shared, as are fields of structs."""
    if all_set(keep):
        return values
    type, first = values.type, values.offset
    if has_words(type) and first * type.bit_width % 8 == 0:
        data = values.buffers()[1]
        data = data.slice(first * type.bit_width // 8) if first else data
        return pa.Array.from_buffers(type, len(values), [_bits_where(values, keep), data])
    if is_variable_size(type):
        _, cuts, data = values.buffers()
        width = 8 if pt.is_large_string(type) or pt.is_large_binary(type) else 4
        return pa.Array.from_buffers(type, len(values), [_bits_where(values, keep), cuts.slice(first * width), data])
    if pt.is_dictionary(type):  # pyarrow's kernel drops unused dictionary values
        indices = null_values(values.indices, keep)
        return pa.DictionaryArray.from_arrays(indices, values.dictionary, ordered=type.ordered, safe=False)
    if pt.is_struct(type):
        fields = [values.field(place) for place in range(type.num_fields)]
        return pa.Array.from_buffers(type, len(values), [_bits_where(values, keep)], children=fields)
    try:
        return if_else(pa.array(keep), values, null_scalar(type))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):  # no kernel for the type: views, run ends, nested
        return gather.take(values, np.arange(len(values)), keep)


def _bits_where(values: pa.Array, keep: BoolArray) -> pa.Buffer:
    """Return Arrow's bits of the values that are valid and kept."""
    bits = pack_bits(keep)
    if not values.null_count:
        return bits
    return pa.py_buffer(np.frombuffer(bits, np.uint8) & aligned_bits(values.buffers()[0], values.offset, len(values)))


# --------------------------------------------------------------------------------------------------- prefix rule


def align(columns: Sequence[Column], operation: str = "align", names: Sequence[str] = ()) -> list[Column]:
    """Expand columns to their common shape by the prefix rule.

    Parameters
    ----------
    columns : sequence of Column
        Every shape must be a prefix of the longest, in the rows that are valid in all of them.
    operation : str
        The public name, for errors.
    names : sequence of str
        The names of the fields that the columns become, for errors.

    Returns
    -------
    list of Column
        Columns of one shape object. A row is null if it is null in any column with that many dims; an extent declared by any column
        is declared in all.
    """
    shapes = [column._shape for column in columns]
    target, is_shared = shapes[0], True
    for shape in shapes:
        if shape is not target:
            is_shared = False
            if len(shape._dims) > len(target._dims):
                target = shape
    if is_shared:  # as the shapes of results of elementwise operations are
        return list(columns)
    if _agree_already(shapes, target, len(target._dims), extents=True):
        return [column if column._shape is target else _expanded(column, target) for column in columns]
    return expand_all(agree(columns, operation, names=names), operation)


def _longest(shapes: Sequence[JaggedShape]) -> JaggedShape:
    """Return the first shape with the most dims."""
    longest = shapes[0]
    for shape in shapes:
        if len(shape._dims) > len(longest._dims):
            longest = shape
    return longest


def _agree_already(shapes: Sequence[JaggedShape], target: JaggedShape, levels: int, *, extents: bool = False) -> bool:
    """Return whether the first `levels` dims of every shape are a prefix of the longest, with the same null rows.

    With `extents`, also that none declares an extent that the longest does not.
    """
    wanted = target._dims
    for shape in shapes:
        if shape is target:
            continue
        for depth, mine in enumerate(shape._dims):
            theirs = wanted[depth]
            if mine is not theirs:
                if mine._validity is not theirs._validity or not (depth >= levels or mine == theirs):
                    return False
                if extents and (declared := mine.extent) is not None and declared != theirs.extent:
                    return False
    return True


def agree_above(one: Column, two: Column, depth: int) -> bool:
    """Return whether the first `depth` dims of two columns have equal sizes and share the flags of their null rows."""
    own, others = one._shape._dims[:depth], two._shape._dims[:depth]
    for mine, theirs in zip(own, others, strict=False):
        if mine is not theirs and (mine._validity is not theirs._validity or mine != theirs):
            return False
    return len(own) == len(others)


def agree(columns: Sequence[Column], operation: str, levels: int | None = None, names: Sequence[str] = ()) -> list[Column]:
    """Drop, level by level, the items of rows that are null in another column, so that every shape is a prefix of the longest.

    With `levels`, only the first `levels` dims and the rows after them are made to agree. Errors call columns by their `names`.
    """
    shapes = [column._shape for column in columns]
    target = _longest(shapes)
    if _agree_already(shapes, target, target.ndim if levels is None else levels):
        return list(columns)
    return [met.settled().whole for met in meet(columns, operation, levels, names)]


class Met(NamedTuple):
    """A column that agrees with others, whose copy without dropped innermost rows may be deferred."""

    whole: Column
    """The column that still holds the values of dropped rows."""
    shape: JaggedShape
    """The shape without dropped rows."""
    layout: copy_runs.Layout | None = None
    """The ranges of the kept values; None if all are kept."""

    @property
    def type(self) -> pa.DataType:
        """The type of the values."""
        return self.whole.type

    def settled(self) -> Met:
        """Drop the values of dropped rows."""
        return self if self.layout is None else Met(Column(self.shape, copy_runs.copy(self.whole.values, self.layout)), self.shape)


def meet(columns: Sequence[Column], operation: str, levels: int | None = None, names: Sequence[str] = ()) -> list[Met]:
    """Drop the items of rows that are null in another column; deferred for innermost rows if the caller reads blocks."""
    result = [Met(column, column.shape) for column in columns]
    if len(result) == 1:
        return result
    ndim = _longest([met.shape for met in result]).ndim
    for depth in range(1, ndim if levels is None else levels + 1):
        validity = _joint_validity([met.shape.dims[depth] for met in result if met.shape.ndim > depth])
        if validity is not None:
            known: Dim | None = None
            for place in [place for place, met in enumerate(result) if met.shape.ndim > depth]:
                own = result[place].shape.dims[depth].validity
                if not same_validity(own, validity):
                    _check_null_rows(result[place].shape, depth, validity, operation)
                    result[place] = _null_rows(result[place].settled().whole, depth, validity, known)
                known = result[place].shape.dims[depth]
    shapes = [met.shape if levels is None else met.shape[:levels] for met in result]
    target = _longest(shapes)
    for place, shape in enumerate(shapes):
        if shape is not target and not shape.is_prefix_of(target):
            fields = f"the fields {names[place]!r} and {names[shapes.index(target)]!r}: " if names else ""
            raise ShapeError(f"{operation}: {fields}{shape._mismatch(target)}. {_PREFIX_HINT}")
    return result


def _joint_validity(dims: Sequence[Dim]) -> BoolArray | None:
    joint: BoolArray | None = None
    for dim in dims:
        if dim.validity is not None and dim.validity is not joint:
            if joint is not None and len(joint) != len(dim.validity):
                return joint
            joint = dim.validity if joint is None else joint & dim.validity
    return joint


def _check_null_rows(shape: JaggedShape, depth: int, validity: BoolArray, operation: str) -> None:
    rows = len(shape.dims[depth])
    if rows != len(validity):
        raise ShapeError(
            f"{operation}: {shape!r} has {plural(rows, 'row')} at dim {depth}, but another operand has {len(validity)}"
        )


def expand_all(columns: Sequence[Column], operation: str = "") -> list[Column]:
    """Expand columns to the longest shape, of which all shapes are prefixes, and merge extents."""
    target = merge_extents([column._shape for column in columns], operation)
    return [column if column._shape is target else _expanded(column, target) for column in columns]


def _expanded(column: Column, target: JaggedShape) -> Column:
    """Expand a column whose shape is a prefix of the target."""
    if len(column._shape._dims) == len(target._dims):
        return Column(target, column._stored)
    return Column(target, _spread(column.values, _below(target, column.ndim)))


def _below(shape: JaggedShape, depth: int) -> Dim:
    """Return a dim with the number of innermost items below each item after the first `depth` dims."""
    if 0 < depth < shape.ndim:
        return shape.composed(depth, shape.ndim)
    return Uniform(1, shape.size) if depth else Uniform(shape.size, 1)


def merge_extents(shapes: Sequence[JaggedShape], operation: str = "") -> JaggedShape:
    """Return the longest shape with the declared extents of all shapes; errors begin with the name of the operation, if given."""
    longest = _longest(shapes)
    dims = merge_dims([shape._dims for shape in shapes], operation)
    return longest if dims is longest._dims else JaggedShape._trusted(dims)


def merge_dims(shapes: Sequence[tuple[Dim, ...]], operation: str = "") -> tuple[Dim, ...]:
    """Return the longest tuple of dims with the declared extents of all."""
    longest = max(shapes, key=len)
    if not _declare_more(shapes, longest):
        return longest
    dims = list(longest)
    changed = False
    for depth, dim in enumerate(dims):
        extents = sorted({e for s in shapes if len(s) > depth and (e := s[depth].extent) is not None})
        if len(extents) > 1 and depth:
            where = f"{operation}: dim {depth}" if operation else f"dim {depth}"
            raise ShapeError(f"{where} is declared to have {' and '.join(map(str, extents))} items")
        if extents and dim.extent is None:
            dims[depth] = dim.with_extent(extents.pop())
            changed = True
    return tuple(dims) if changed else longest


def _declare_more(shapes: Sequence[tuple[Dim, ...]], longest: tuple[Dim, ...]) -> bool:
    """Return whether a shape declares an extent that the longest does not."""
    for shape in shapes:
        if shape is not longest:
            for mine, theirs in zip(shape, longest, strict=False):
                if mine is not theirs and mine.extent is not None and mine.extent != theirs.extent:
                    return True
    return False


def expand_to(column: Column, shape: JaggedShape, ndim: int = 0) -> Column:
    """Broadcast a column to a longer shape by the prefix rule; its last `ndim` dims are repeated as one item.

    The rule is that of Koda's `expand_to_shape`.
    """
    ndim, dims = integer(ndim, "expand_to: ndim"), column._shape._dims
    depth = len(dims) - ndim
    if not 0 <= depth <= len(dims):
        raise ShapeError(f"expand_to: ndim must be from 0 to {column.ndim} for {column.shape!r}, got {ndim}")
    if depth == 0 and ndim == 1:
        below = Uniform(dims[0]._size, shape.size, declared=dims[0].extent is not None)
        return Column(JaggedShape._trusted((*shape._dims, below)), tile.tile(column.values, shape.size))
    column, target = _meet_frame(column, shape, depth)
    if ndim == 0:
        return _expanded(column, target)
    return repeat_items(column, depth, _below(target, depth), target.dims)


def is_expandable_to(frame: JaggedShape, shape: JaggedShape) -> bool:
    """Return whether `expand_to` accepts items below the first dims of a column, which are `frame`."""
    try:
        _meet_frame(Column(frame, pa.nulls(frame.size)), shape, frame.ndim)
    except ShapeError:
        return False
    return True


def _meet_frame(column: Column, shape: JaggedShape, depth: int) -> tuple[Column, JaggedShape]:
    """Make the rows above the items of a column agree with a longer shape, as those of two operands; return that shape too.

    The dims of the column after the first `depth` belong to its items: they meet no dim of the shape.
    """
    frame = column.shape[:depth]
    if depth > shape.ndim:
        raise ShapeError(f"cannot expand {frame!r} to {shape!r}: it has more dims. {_HINT}")
    columns = [column, Column(shape, pa.nulls(shape.size))]
    try:
        column, marker = agree(columns, "expand_to", depth - 1) if depth > 1 else columns
    except ShapeError:
        raise ShapeError(f"cannot expand {frame!r} to {shape!r}: {frame._mismatch(shape)}. {_HINT}") from None
    met = column.shape[:depth]
    if not met.is_prefix_of(marker.shape):
        raise ShapeError(f"cannot expand {frame!r} to {shape!r}: {met._mismatch(marker.shape)}. {_HINT}")
    return column, merge_extents([marker.shape, met])


_PREFIX_HINT = "Operands are broadcast by the prefix rule: regroup rows with reshape, or drop items until sizes agree."
_HINT = "Each dim must equal the outer dims of the target; use reshape to regroup rows first."


# --------------------------------------------------------------------------------------------------- regrouping


def flatten(column: Column, from_dim: int = 0, to_dim: int | None = None) -> Column:
    """Merge dims; null and empty rows contribute no items."""
    if to_dim is None and type(from_dim) is int and 0 <= from_dim < len(column._shape._dims):
        return merge_from(column, from_dim)
    return with_shape(column.shape.flatten(from_dim, to_dim), column)


def flatten_end(column: Column, n: int = 1) -> Column:
    """Merge the last dims into the one before them."""
    ndim = len(column._shape._dims)
    if type(n) is int and 0 < n <= ndim:
        return merge_from(column, max(0, ndim - n - 1))
    return with_shape(column.shape.flatten_end(n), column)


def merge_from(column: Column, first: int) -> Column:
    """Merge the dims from one of them on, as `flatten` of the shape does, without its checks of arguments."""
    shape = column._shape
    dims = shape._dims
    return with_shape(JaggedShape._trusted((*dims[:first], shape.composed(first, len(dims)))), column)


def reshape(column: Column, *dims: Any) -> Column:
    """Reshape to other dims; values are shared."""
    return with_shape(column.shape.reshape(*dims), column)


def fill_null_rows(column: Column, depth: int, other: Column) -> Column:
    """Replace null rows after the first `depth` dims by the rows of another column, or by a single row."""
    items = depth if other.ndim == column.ndim else 0
    if other.ndim != column.ndim - depth + items or (items and other.shape[:depth] != column.shape[:depth]):
        dims = plural(column.ndim - depth, "dim")
        raise ShapeError(
            f"fill_null_rows: {other.shape!r} must have the rows of {column.shape!r}, or be one row for all, of {dims}"
        )
    validity = row_validity(column, depth)
    if validity is None:  # the result declares extents as if there were rows to fill
        pairs = zip(column.shape.dims[depth:], other.shape.dims[items:], strict=True)
        below = (dim if dim.extent == another.extent else dim.with_extent(None) for dim, another in pairs)
        return Column(JaggedShape._trusted((*column.shape.dims[:depth], *below)), column.values)
    rows = np.arange(len(validity))
    filling = rows if items else np.zeros_like(rows)
    index = np.where(validity, rows, filling + len(rows))
    return take_joined([(column, depth), (other, items)], index, column.shape.dims[:depth])


def end_to_end(parts: Sequence[tuple[Column, int]]) -> Column:
    """Concatenate the items after the given number of dims of each column, as the rows of one column."""
    values = _arrow.join([column.values for column, _ in parts])
    inner = [column._shape._dims[depth:] for column, depth in parts]
    if not inner[0]:
        return Column(JaggedShape._trusted((Uniform._frame(len(values)),)), values)
    n = sum([column._shape.nodes(depth) for column, depth in parts])
    dims = [Dim._algebra.concat(level) for level in zip(*inner, strict=True)]
    return Column(JaggedShape._trusted((Uniform._frame(n), *dims)), values)


def take_joined(parts: Sequence[tuple[Column, int]], index: IntArray, outer: Sequence[Dim]) -> Column:
    """Select from the items after the given number of dims of each column, put end to end."""
    if parts[0][0].ndim > parts[0][1]:
        return take_items(end_to_end(parts), 1, index, outer)
    values = _arrow.join([column.values for column, _ in parts])
    return Column(JaggedShape._trusted(outer), gather.take(values, index))


def constant(value: pa.Scalar, n: int) -> pa.Array:
    """Repeat a scalar `n` times."""
    if not n or not value.is_valid:
        return pa.nulls(n, value.type)  # pyarrow repeats no struct 0 times
    check_memory(n, copied_bytes(value))
    return pa.repeat(value, n)
