"""Series in rows: interpolation, joins of the nearest key, buckets of time, gaps and local maxima."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import is_int
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.words import both_valid, nulls_like, unless_all, without_validity
from arrowjag._kernels.equal import peaks, repeats
from arrowjag._kernels.move import gather
from arrowjag._kernels.order import interpolation, search
from arrowjag._kernels.order.interpolation import apart
from arrowjag._kernels.scan import neighbours
from arrowjag._kernels.strategy import sizes
from arrowjag._ops import along_axis, elementwise, scan, sets, structure
from arrowjag._ops import axes as _axes
from arrowjag._ops.cursor import naming_rows, row_name
from arrowjag._ops.time_buckets import as_ticks
from arrowjag.errors import JagError, JagTypeError, JagValueError, brief
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["asof", "gaps", "interp", "local_maxima"]


# --------------------------------------------------------------------------------------------------- points of rows


class _Points(NamedTuple):
    """Sorted points per row, and the keys to look up in them: keys of one dtype, offsets by row of the points."""

    key: npt.NDArray[Any]
    offsets: IntArray
    items: IntArray | None
    """The number of each point among the values of the operands; None if there are no others."""
    sought: npt.NDArray[Any]
    sought_valid: BoolArray | None
    sought_offsets: IntArray
    probes: Column


def _points(
    keys: Column, values: Column, probes: Column, name: str, operation: str, *, valued: bool = False
) -> tuple[_Points, pa.Array]:
    """Align sorted points with the keys to look up in their rows; points with a null key or NaN are left out.

    With `valued`, points with a null value are left out too. Raises if the keys of a row decrease; the error calls them `name`.
    """
    depth = keys.ndim - 1
    keys, values = structure.align([keys, values], operation)
    rows, items, probes, offsets = _sought_in(keys.shape, probes, depth, operation)
    own = keys.values if items is None else gather.take(keys.values, items)
    for one in (own, probes.values):
        if not (_arrow.is_numeric(one.type) or _arrow.is_temporal(one.type) or pt.is_null(one.type)):
            raise JagTypeError.no_kernel(operation, one.type, hint="Keys are numbers or times.")
    (sought, known), (key, valid) = sets.joint_keys(probes.values, own, operation, ordered=True)
    cut = rows.dims[-1].offsets
    if holds_nan(key):
        valid = both_valid(valid, ~np.isnan(key))
    if valued and (there := _arrow.valid_of(values.values)) is not None:
        valid = both_valid(valid, there if items is None else there[items])
    if valid is not None:
        kept, cut = valid.nonzero()[0], _offsets.filter_rows(valid, cut)
        key, items = gather.taken(key, kept), kept if items is None else gather.taken(items, kept)
    wrong = neighbours.falls(key, cut, descending=False)
    if np.count_nonzero(wrong):
        place = int(wrong.argmax())
        row = int(np.searchsorted(cut, place, side="right")) - 1
        where = row_name(rows, rows.ndim - 1, row)
        raise JagValueError(
            f"{operation}: {name} is not sorted in {where}: {key[place]} follows {key[place - 1]}; sort both by {name} first"
        )
    return _Points(key, cut, items, sought, known, offsets, probes), values.values


def _sought_in(
    rows: JaggedShape, probes: Column, agreed: int, operation: str
) -> tuple[JaggedShape, IntArray | None, Column, IntArray]:
    """Return the rows to look up in, the numbers of their items (None for all), the keys sought, and the offsets of these by row.

    Both agree in the first `agreed` dims and in which rows below these are null.
    """
    depth = rows.ndim - 1
    if depth == agreed < probes.ndim:
        return rows, None, probes, probes.shape.composed(depth, probes.ndim).offsets
    table = Column(rows, _arrow.numbers(rows.size))
    found, probes, offsets = sets.probes_of(table, probes, operation)
    return found.shape, None if found.values is table.values else found.values.to_numpy(), probes, offsets


def _agreed(keys: Column, values: Column, probes: Column, operation: str, name: str) -> tuple[Column, Column, Column]:
    """Drop the points and positions of rows that are null in any of the three."""
    structure.check_rows(keys.ndim, f"{operation}: {name}")
    keys, values, probes = structure.agree([keys, values, probes], operation, levels=keys.ndim - 1)
    return keys, values, probes


def _looked_up(points: _Points, side: Any) -> IntArray:
    """Return how many points of its row are below each item sought; with side "right", not above it."""
    return search.searchsorted(points.key, points.offsets, points.sought, points.sought_offsets, side)


# --------------------------------------------------------------------------------------------------- interp


def interp(at: Column, x: Column, y: Column, outside: str) -> Column:
    """Interpolate linearly between the points (x, y) of each row; outside of them the first or last value, or null."""
    if not (_arrow.is_numeric(y.type) or pt.is_null(y.type)):
        raise JagTypeError.no_kernel("interp", y.type, hint="Values are numbers.")
    type = y.type if pt.is_floating(y.type) and y.type.bit_width <= 32 else pa.float64()
    x, y, at = _agreed(x, elementwise.cast(y, pa.float64(), operation="interp"), at, "interp", "x")
    points, values = _points(x, y, at, "x", "interp", valued=True)
    level = _arrow.data_alone(values)
    if points.items is not None:
        level = gather.taken(level, points.items)
    result, there = interpolation.interpolate(
        points.key, level, points.offsets, points.sought, points.sought_offsets, clamps=outside == "clamp"
    )
    if points.sought_valid is not None:
        there &= points.sought_valid
    values = _arrow.from_numpy(result, there)
    return Column(points.probes.shape, values if type == pa.float64() else values.cast(type, safe=False))


# --------------------------------------------------------------------------------------------------- asof


def asof(left: Column, right: Column, values: Column | None, direction: str, tolerance: Any) -> Column:
    """Return, for each item of a row, the value of the nearest key of another row: before it, after it, or on either side."""
    right, values, left = _agreed(right, right if values is None else values, left, "asof", "right")
    points, given = _points(right, values, left, "right", "asof")
    if not len(points.key):
        return Column(points.probes.shape, nulls_like(given, len(points.sought)))
    before = None if direction == "forward" else _looked_up(points, "right")
    behind = None if direction == "backward" else (_looked_up(points, "left"), _last_equal(points))
    limit = None if tolerance is None else _tolerance(tolerance, left, right)
    item, there = empty(len(points.sought), np.int64), empty(len(points.sought), np.bool_)

    def find(first: int, last: int) -> None:
        items = slice(int(points.sought_offsets[first]), int(points.sought_offsets[last]))
        item[items], there[items] = _nearest(points, before, behind, limit, slice(first, last), items)

    map_rows(find, points.sought_offsets, block_values=sizes.CACHE_VALUES)
    found = gather.take(given, item if points.items is None else gather.taken(points.items, item), unless_all(there))
    return Column(points.probes.shape, found)


def _nearest(
    points: _Points, before: IntArray | None, behind: tuple[IntArray, IntArray] | None, limit: Any, rows: slice, items: slice
) -> tuple[IntArray, BoolArray]:
    """Return the point of each item sought in some rows, and whether there is one.

    `before` and `behind` are slots found from either side, the latter with the last of equal points.
    """
    sought, n_sought = points.sought[items], _offsets.row_sizes(points.sought_offsets[rows.start : rows.stop + 1])
    starts, most = points.offsets[rows].repeat(n_sought), len(points.key) - 1
    if before is not None:
        there = before[items] > 0
        item = before[items] + starts
        item -= there
        np.minimum(item, most, out=item)  # clamps the position after the last item, if the last row is empty
    if behind is not None:
        after = behind[0][items] + starts
        is_behind = after < points.offsets[1:][rows].repeat(n_sought)
        after = behind[1][np.minimum(after, most)]
        if before is None:
            item, there = after, is_behind
        else:
            takes = is_behind & ((apart(points.key[after], sought) < apart(points.key[item], sought)) | ~there)
            item, there = np.where(takes, after, item), there | is_behind
    if points.sought_valid is not None:
        there &= points.sought_valid[items]
    if sought.dtype.kind == "f":
        there &= sought == sought  # noqa: PLR0124 - NaN
    if limit is not None:
        there &= apart(points.key[item], sought) <= limit
    return item, there


def _last_equal(points: _Points) -> IntArray:
    """Return the last of the equal keys of each key."""
    _, starts, sizes = repeats.equal_runs((points.key, None), points.offsets)
    return (starts + sizes - 1).repeat(sizes)


def _tolerance(tolerance: Any, left: Column, right: Column) -> Any:
    keys = elementwise.in_one_zone(left.values[:0], right.values[:0])
    type = elementwise.promote([key.type for key in keys], "asof")
    if _arrow.is_temporal(type):
        limit: Any = as_ticks(tolerance, type, "asof: tolerance")
    else:
        if not (is_int(tolerance) or isinstance(tolerance, (float, np.floating))):
            raise JagTypeError(f"asof: tolerance must be a number for keys of type {type}, got {tolerance.__class__.__name__}")
        limit = tolerance
    if limit < 0 or limit != limit:  # noqa: PLR0124 - NaN
        raise JagValueError(f"asof: tolerance must not be negative, got {brief(tolerance)}")
    return limit


# --------------------------------------------------------------------------------------------------- neighbours


def gaps(column: Column, axis: Any) -> Column:
    """Return the differences of neighbouring valid items of each row: one fewer than items."""
    found = _axes.normalize_axes(axis, column.ndim, "gaps")
    frame = _axes.rows_along(column, found)
    dim = frame.shape.dims[-1]
    values, cut = frame.values, dim.offsets
    valid = _arrow.valid_of(values)
    if valid is not None:
        values, cut = gather.filter_values(without_validity(values), valid), _offsets.filter_rows(valid, cut)
    if _arrow.is_numeric(values.type):
        differences, new = naming_rows(frame.shape, frame.ndim - 1, neighbours.gaps, _arrow.data_alone(values), cut)
        found = _arrow.from_numpy(differences)
    else:
        found, new = _gaps_of_others(values, cut)
    return Column(JaggedShape._trusted((*frame.shape.dims[:-1], along_axis.resized(dim, new))), found)


def _gaps_of_others(values: pa.Array, cut: IntArray) -> tuple[pa.Array, IntArray]:
    """Return the gaps of items that are not numbers, such as times, and their offsets."""
    try:
        differences = without_validity(scan.differences(values, cut, 1))  # only the first item of each row has no difference
    except JagError as error:
        raise error.renamed("gaps", "diff") from None
    new = _offsets.from_counts(np.maximum(_offsets.row_sizes(cut) - 1, 0))
    return gather.take(differences, _offsets.runs(cut[:-1] + 1, new)), new


def local_maxima(column: Column, axis: Any) -> Column:
    """Flag the items that are greater than their neighbours; of equal neighbours the middle one."""
    return along_axis.apply(column, axis, _peaks, "local_maxima")


def _peaks(values: pa.Array, offsets: IntArray) -> pa.Array:
    key, valid = _arrow.order_key(values, "local_maxima")
    return _arrow.from_numpy(peaks.local_maxima(key, valid, offsets), valid)
