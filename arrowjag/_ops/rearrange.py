"""Dims of size 1 (unsqueeze, squeeze, expand), transposition, index images and assignment by flat position."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _arrow
from arrowjag import dims as _dims
from arrowjag._column import Column
from arrowjag._integers import is_int
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.words import has_words
from arrowjag._kernels.move import gather, merge, scatter
from arrowjag._kernels.move.spread import spread
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.shape import JaggedShape, permuted, transposed
from arrowjag.typing import IntArray, ShearMode

__all__ = ["expand", "flat_positions", "image", "inverse", "permute", "replace", "squeeze", "transpose", "unsqueeze"]


def unsqueeze(column: Column, axis: int) -> Column:
    """Insert a dim of declared extent 1; `axis` is its position in the result."""
    dims = column._shape._dims
    place = structure.normalize_axis(axis, len(dims) + 1, "unsqueeze")
    below = Uniform(1, column._shape.nodes(place))
    return structure.with_shape(JaggedShape._trusted((*dims[:place], below, *dims[place:])), column)


def squeeze(column: Column, axis: int) -> Column:
    """Remove a dim whose valid rows all have one item; its null rows become null items."""
    place = structure.normalize_axis(axis, column.ndim, "squeeze")
    dim = column.shape.dims[place]
    wrong = dim.sizes != 1 if dim.validity is None else (dim.sizes != 1) & dim.validity
    if wrong.any():
        row = int(wrong.argmax())
        raise ShapeError(f"squeeze of {column.shape!r}: dim {place}, row {row} has {plural(dim[row], 'item')}, expected 1")
    outer = column.shape.dims[:place]
    if dim.validity is None:
        return structure.with_shape(JaggedShape._trusted((*outer, *column.shape.dims[place + 1 :])), column)
    return structure.take_items(column, place + 1, dim.offsets[:-1], outer, dim.validity)


def expand(column: Column, specs: tuple[Any, ...]) -> Column:
    """Broadcast dims of declared extent 1 to new sizes, aligned on the right; -1 keeps a dim."""
    if len(specs) < column.ndim:
        raise ShapeError(f"expand of {column.shape!r}: expected at least {plural(column.ndim, 'dim')}, got {len(specs)}")
    while column.ndim < len(specs):
        column = unsqueeze(column, 0)
    for place, spec in enumerate(specs):
        if not (is_int(spec) and spec == -1):
            column = _expand_dim(column, place, spec)
    return column


def _expand_dim(column: Column, place: int, spec: Any) -> Column:
    dims = column._shape._dims
    dim, wanted = dims[place], _wanted(spec, column._shape, place)
    if dim.extent != 1:
        if wanted != dim:
            row = int((wanted.sizes != dim.sizes).argmax())
            raise ShapeError(
                f"expand of {column.shape!r}: dim {place}, row {row} has {plural(dim[row], 'item')}, got the size {wanted[row]}; "
                "only a dim of declared extent 1 can be expanded"
            )
        return column
    if dim.validity is not None:
        sizes = np.where(dim.validity, wanted.sizes, 0)
        wanted = Ragged.from_offsets(_offsets.from_sizes(sizes), validity=dim.validity, extent=wanted.extent, check=False)
    elif isinstance(wanted, Uniform) and place == column.ndim - 1 and has_words(column.type):
        return Column(JaggedShape._trusted((*dims[:place], wanted)), merge.repeat_each(column.values, wanted.max(0)))
    times = wanted if dim.validity is None else Ragged(wanted.sizes[dim.validity])
    return structure.repeat_items(column, place + 1, times, (*dims[:place], wanted))


def _wanted(spec: Any, shape: JaggedShape, place: int) -> Dim:
    """Return the dim that an argument of `expand` describes, with as many rows as the dim of the shape at `place`."""
    rows = len(shape.dims[place])
    if is_int(spec):
        return Uniform(int(spec), rows)
    dim = _dims.to_dim(spec)
    if len(dim) == rows:
        return dim
    if not _dims.is_pattern(spec):
        raise ShapeError(
            f"expand of {shape!r}: dim {place} has {plural(rows, 'row')}, got {plural(len(dim), 'size')}; "
            "only a pattern is repeated, a plain list "
            "must hold one size per row"
        )
    return dim.stretched(rows)


def image(column: Column) -> tuple[Column, ...]:
    """Return the position of every leaf along each dim, one column of the same shape per dim."""
    shape = column.shape
    return tuple(Column(shape, _positions_along(shape, depth)) for depth in range(shape.ndim))


def _positions_along(shape: JaggedShape, depth: int) -> pa.Array:
    if depth == shape.ndim - 1:
        return _arrow.from_numpy(_offsets.positions(shape.dims[depth].offsets))
    dim = shape.composed(depth + 1, shape.ndim)
    parents = dim._parents_if_cheaper()
    if depth == 0 and parents is not None:
        rows = empty(dim.size, np.int64)
        rows[:] = parents
        return _arrow.from_numpy(rows)
    local = pa.array(_offsets.positions(shape.dims[depth].offsets)) if depth else _arrow.numbers(len(dim))
    return spread(local, dim.offsets, parents)


def flat_positions(shape: JaggedShape) -> Column:
    """Return a column of flat leaf positions; indexing it gives the positions that an index selects."""
    return Column(shape, _arrow.numbers(shape.size))


def replace(column: Column, targets: Column, values: Column) -> Column:
    """Replace the leaves at flat positions, in a copy.

    Parameters
    ----------
    column : Column
        The source.
    targets : Column
        Flat positions; null ones are ignored.
    values : Column
        Of the targets' shape and the column's type.

    Returns
    -------
    Column
        Of the column's shape.

    Raises
    ------
    JagValueError
        If a position occurs twice.
    """
    places, items = valid_targets(targets, values)
    check_distinct(column.shape, places)
    return Column(column.shape, overwrite(column.values, places, items))


def valid_targets(targets: Column, values: Column) -> tuple[IntArray, pa.Array]:
    """Flat positions and their new values, without null targets."""
    places, valid = _arrow.to_numpy(targets.values)
    return (places, values.values) if valid is None else (places[valid], gather.filter_values(values.values, valid))


def overwrite(values: pa.Array, places: IntArray, items: pa.Array) -> pa.Array:
    """Scatter items to distinct positions of a copy of the values."""
    if has_words(values.type):
        return scatter.put(values, places, items)
    index = np.arange(len(values))
    index[places] = np.arange(len(values), len(values) + len(places))
    return gather.take(_arrow.combine_chunks(pa.chunked_array([values, items])), index)


def check_distinct(shape: JaggedShape, places: IntArray) -> None:
    """Raise if a position occurs twice; the message gives the coordinates of the first three."""
    if scatter.are_distinct(places, shape.size):
        return
    ordered = np.sort(places)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    first = ", ".join(str(coordinates(shape, int(one))) for one in np.unique(twice)[:3])
    raise JagValueError(f"assignment to {len(twice)} repeated positions; the first are at {first}. Use each position once")


def coordinates(shape: JaggedShape, position: int) -> tuple[int, ...]:
    """Convert a flat leaf position into one index per dim."""
    found: list[int] = []
    for dim in reversed(shape.dims):
        row = dim.index_of(position)
        found.append(position - dim.offset_of(row))
        position = row
    return tuple(reversed(found))


def transpose(column: Column, a: int, b: int, shear: ShearMode) -> tuple[Column, IntArray | None]:
    """Swap two dims; also return the source position of each leaf of the result, or None if no leaf moves."""
    return _moved(column, *transposed(column.shape, a, b, shear))


def permute(column: Column, axes: tuple[Any, ...], shear: ShearMode) -> tuple[Column, IntArray | None]:
    """Reorder the dims; also return the source position of each leaf of the result, or None if no leaf moves."""
    ndim = column.ndim
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        raise JagTypeError(f"permute: expected one argument per dim, permute({brief(tuple(axes[0]))[1:-1]}), got {brief(axes[0])}")
    found = tuple([structure.normalize_axis(axis, ndim, "permute") for axis in axes])
    if sorted(found) != list(range(ndim)):
        raise JagValueError(f"permute takes every dim once, got {axes} for {plural(ndim, 'dim')}")
    return _moved(column, *permuted(column.shape, found, shear))


def _moved(column: Column, shape: JaggedShape, take: IntArray | None) -> tuple[Column, IntArray | None]:
    if take is None:
        return column, None
    return Column(shape, gather.take_rising(column.values, take, shape.dims[-1].offsets)), take


def inverse(take: IntArray | None, size: int) -> IntArray:
    """Invert a gather index: the position in the result of each source leaf."""
    return np.arange(size) if take is None else scatter.inverse(take)
