"""Reductions: one value per row, along any axis, for every leaf type that the reduction supports.

A reduction is a function from (values, offsets) to one value per row; `over_axes` implements axes, null rows, `skip_nulls` and
`min_count` for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import reduce as _kernels
from arrowjag._kernels import strategy
from arrowjag._kernels.base import polars_lists
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.base.offsets import filter_rows, row_sizes
from arrowjag._kernels.equal import distinct
from arrowjag._kernels.equal.distinct import text_leaders
from arrowjag._kernels.move import gather
from arrowjag._kernels.reduce.extremes import text_extreme
from arrowjag._kernels.reduce.quantiles import probability
from arrowjag._kernels.reduce.segments import EXACT
from arrowjag._ops import axes as _axes
from arrowjag._ops import elementwise, exact, structure
from arrowjag.errors import JagOverflowError, JagTypeError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["REDUCTIONS", "collapse", "count", "join", "lengths", "over_axes", "quantile", "reduce", "spread_of"]

Reduction: TypeAlias = Callable[[pa.Array, IntArray], pa.Array]


def over_axes(
    column: Column,
    axis: Any,
    reduction: Reduction,
    operation: str,
    *,
    skip_nulls: bool = True,
    min_count: int | None = None,
    slots: bool = False,
    scatters: bool = True,
) -> Column:
    """Reduce along an axis, several trailing axes, or all.

    Parameters
    ----------
    column : Column
        The source.
    axis : int, tuple of int or None
        Trailing axes are reduced together; along an outer axis items at the same local position combine. With an empty tuple each
        item forms its own row, so that only nulls are affected.
    reduction : callable
        From flat values and offsets to one value per row.
    operation : str
        The public name, for errors.
    skip_nulls : bool
        Whether null items are skipped; otherwise a null item makes the result of its row null.
    min_count : int, optional
        Rows with fewer valid items give null.
    slots : bool
        Whether results are positions in a row; along an outer axis they are mapped to positions along that axis.
    scatters : bool
        Whether an operation of `_OUTER` may combine the values of the column without calling `reduction`.

    Returns
    -------
    Column
        Without the reduced axes; a null row gives null.
    """
    if column.ndim == 0 and axis is None:  # reduce a scalar as a row of one item
        column = structure.with_shape(JaggedShape(1), column)
    if _axes.is_none_of_them(axis):
        column, axis = _axes.apart(column), -1
    found = _axes.normalize_axes(axis, column.ndim, operation)
    min_count = None if min_count is None else integer(min_count, f"{operation}: min_count")
    if scatters and found[-1] != column.ndim - 1 and operation in _OUTER:
        result = _over_outer(column, found[0], operation, skip_nulls, min_count)
        if result is not None:
            return result
    if found[-1] == column.ndim - 1:
        flat, places = _axes.trailing(column, found[0]), None
    else:
        moved = _axes.move_last(column, found[0])
        flat, places = moved.column, moved.slots
    dim = flat.shape.dims[-1]
    keep = _enough(flat, dim.offsets, skip_nulls, min_count)
    result = _of_rows(reduction, flat.values, dim.offsets, keep)
    if slots and places is not None:
        result = _places(result, places, dim.offsets)
    keep = _both(keep, dim.validity)
    return Column(flat.shape[:-1], result if keep is None else structure.null_values(result, keep))


def _of_rows(reduction: Reduction, values: pa.Array, offsets: IntArray, keep: BoolArray | None) -> pa.Array:
    """Reduce each row; an overflow in a row whose result is null is ignored."""
    try:
        return reduction(values, offsets)
    except JagOverflowError:
        if keep is None or keep.all():
            raise
        kept = keep.repeat(row_sizes(offsets))
        return reduction(gather.filter_values(values, kept), filter_rows(kept, offsets))


def _both(one: BoolArray | None, two: BoolArray | None) -> BoolArray | None:
    if one is None or two is None:
        return two if one is None else one
    return one & two


def _places(result: pa.Array, places: IntArray, offsets: IntArray) -> pa.Array:
    slot, valid = _arrow.to_numpy(result)
    item = offsets[:-1] + (slot if valid is None else np.where(valid, slot, 0))
    item = np.minimum(item, max(len(places) - 1, 0))
    return _arrow.from_numpy(places[item] if len(places) else slot, valid)


def _enough(column: Column, offsets: IntArray, skip_nulls: bool, min_count: int | None) -> BoolArray | None:
    """Flag rows with enough valid items for a result; None if all have."""
    if skip_nulls and min_count is None:
        return None
    valid = _arrow.valid_of(column.values)
    present, _ = _kernels.count(valid, offsets)
    keep: BoolArray | None = None
    if not skip_nulls:
        keep = present == row_sizes(offsets)
    return keep if min_count is None else _both(keep, present >= min_count)


# --------------------------------------------------------------------------------------------------- by numpy kernels


def _plain(values: pa.Array, operation: str) -> pa.Array:
    """Cast the null type to int64; raises for types that are not numeric."""
    if pt.is_null(values.type):
        return pa.nulls(len(values), pa.int64())
    if not _arrow.is_numeric(values.type):
        raise JagTypeError.no_kernel(operation, values.type)
    return values


def _sum(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.sum(values, offsets)
    if pt.is_duration(values.type):
        return _sum(values.cast(pa.int64()), offsets).cast(values.type)
    data, valid = _arrow.to_numpy(_plain(values, "sum"))
    result, present = _kernels.sum(data, valid, offsets)
    return _arrow.from_numpy(result, present)


def _prod(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.prod(values, offsets)
    data, valid = _arrow.to_numpy(_plain(values, "prod"))
    result, present = _kernels.prod(data, valid, offsets)
    return _arrow.from_numpy(result, present)


def _mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.mean(values, offsets)
    if _arrow.is_temporal(values.type):
        return exact.moment_mean(values, offsets)
    data, valid = _arrow.to_numpy(_plain(values, "mean"))
    return _arrow.from_numpy(*_kernels.mean(data, valid, offsets))


def _relative(values: pa.Array, offsets: IntArray, kernel: Callable[..., Any]) -> pa.Array:
    """Quantile of temporals, computed exactly on uint64 distances from the earliest value of each row."""
    data, valid = _arrow.to_numpy(values)
    start, _ = _kernels.min(data, valid, offsets)
    origin = start.astype(np.int64).view(np.uint64)
    distance = data.astype(np.int64, copy=False).view(np.uint64) - origin.repeat(row_sizes(offsets))
    middle, present = kernel(distance, valid, offsets)
    return _arrow.from_numpy((origin + middle).view(np.int64).astype(data.dtype), present, values.type)


def _extreme(name: str) -> Reduction:
    kernel, slot_kernel = getattr(_kernels, name), getattr(_kernels, f"arg{name}")

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        type = values.type
        if pt.is_null(type):
            return pa.nulls(len(offsets) - 1)
        if _arrow.is_numeric(type) or _arrow.is_temporal(type):
            data, valid = _arrow.to_numpy(values)
            result, present = kernel(data, valid, offsets)
            return _arrow.from_numpy(result, present, type)
        found = text_extreme(values, offsets, name == "max")
        if found is None:
            key, valid = _arrow.order_key(values, name, descending=name == "max")
            found = slot_kernel(key, valid, offsets)
        return _pick(values, offsets, *found)

    return reduction


def _pick(values: pa.Array, offsets: IntArray, slot: IntArray, present: BoolArray | None) -> pa.Array:
    """Gather the item at a given position of each row."""
    return _pick_items(values, offsets[:-1] + slot, present)


def _pick_items(values: pa.Array, item: IntArray, present: BoolArray | None) -> pa.Array:
    """Gather items by flat position, null where `present` is False."""
    if len(values) == 0:
        return pa.nulls(len(item), values.type)
    return gather.take(values, item, present)


def _argument(name: str) -> Reduction:
    kernel = getattr(_kernels, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        slot, present = kernel(*_arrow.order_key(values, name, descending=name == "argmax"), offsets)
        return _arrow.from_numpy(slot, present)

    return reduction


def _end(name: str) -> Reduction:
    kernel = getattr(_kernels, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        item, present = kernel(offsets)
        return _pick_items(values, item, present)

    return reduction


def _truth(name: str) -> Reduction:
    kernel = getattr(_kernels, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_boolean(values.type):  # counting set bits takes a third of the time of unpacking them
            bits = values if values.null_count == 0 else values.fill_null(name == "all")
            counts = polars_lists.count_set(bits, offsets)
            if counts is not None:
                return _arrow.from_numpy(counts > 0 if name == "any" else counts == row_sizes(offsets))
        data, valid = _arrow.to_numpy(_plain(values, name))
        return _arrow.from_numpy(*kernel(data.astype(bool, copy=False), valid, offsets))

    return reduction


def _count(values: pa.Array, offsets: IntArray) -> pa.Array:
    valid = _arrow.valid_of(values)
    return _arrow.from_numpy(*_kernels.count(valid, offsets))


def _n_unique(values: pa.Array, offsets: IntArray) -> pa.Array:
    found = text_leaders(values, offsets)
    if found is not None:
        return _arrow.from_numpy(found[1])
    key, valid = _arrow.order_key(values, "n_unique")
    return _arrow.from_numpy(*distinct.n_unique(key, valid, offsets))


def _mode(values: pa.Array, offsets: IntArray) -> pa.Array:
    from arrowjag._kernels.equal import groups

    item, present = groups.mode(*_arrow.order_key(values, "mode"), offsets)
    return _pick_items(values, item, present)


def _as_float(values: pa.Array, operation: str) -> pa.Array:
    if pt.is_boolean(values.type):
        return values.cast(pa.uint8()).cast(pa.float64())
    if pt.is_decimal(values.type):
        return values.cast(pa.float64())
    return _plain(values, operation)


def _around_mean(values: pa.Array, offsets: IntArray, operation: str) -> pa.Array:
    """Convert values to numbers of equal variance: decimals are replaced by their deviations from the row mean."""
    return exact.deviations(values, offsets) if pt.is_decimal(values.type) else _as_float(values, operation)


REDUCTIONS: dict[str, Reduction] = {
    "sum": _sum,
    "prod": _prod,
    "mean": _mean,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "argmin": _argument("argmin"),
    "argmax": _argument("argmax"),
    "any": _truth("any"),
    "all": _truth("all"),
    "first": _end("first"),
    "last": _end("last"),
    "n_unique": _n_unique,
    "mode": _mode,
}
"""The row kernel of each reduction without options, by name."""

_SLOTS = ("argmin", "argmax")


# --------------------------------------------------------------------------------------------------- along an outer axis


def _over_outer(column: Column, axis: int, operation: str, skip_nulls: bool, min_count: int | None) -> Column | None:
    """Sums and extremes along an outer axis by scattering; None if the items must be sorted by position first.

    Scattering does not reorder the leaves: 20 ms instead of 190 for 5M values in 500k rows. Floats are always added so, in the
    order of the rows.
    """
    adds_floats = operation in ("sum", "mean") and pt.is_floating(column.type)
    plain = _arrow.is_numeric(column.type) and not pt.is_float16(column.type)
    if not adds_floats and strategy.choose("outer", plain) == "move":
        return None
    data, valid = _arrow.to_numpy(column.values)
    places = _axes.combine(column.shape, axis)
    result = _OUTER[operation](data, valid, places.node, places.size)
    if result is None:
        return None
    values, known = result
    if not skip_nulls or min_count is not None:
        present = _count_at(valid, places.node, places.size)
        if not skip_nulls:
            known = _both(known, present == _count_at(None, places.node, places.size))
        known = known if min_count is None else _both(known, present >= min_count)
    return Column(JaggedShape._trusted(places.dims), _arrow.from_numpy(values, known))


Scattered: TypeAlias = "tuple[Any, BoolArray | None] | None"


def _count_at(valid: BoolArray | None, node: IntArray, size: int) -> IntArray:
    """Count the valid items per node."""
    counts = np.bincount(node, minlength=size)
    return counts if valid is None else counts - np.bincount(node[~valid], minlength=size)


def _filled(data: Any, valid: BoolArray | None, fill: object) -> Any:
    return data if valid is None else filled(data, valid, fill)


def _add_at(data: Any, valid: BoolArray | None, node: IntArray, size: int) -> Any:
    """Sum per node in float64. Nulls add 0, which changes no sum: each begins at 0.0 and so is never -0.0."""
    return np.bincount(node, weights=_filled(data, valid, 0), minlength=size)


def _scatter_sum(data: Any, valid: BoolArray | None, node: IntArray, size: int) -> Scattered:
    if data.dtype.kind == "f":
        return _add_at(data, valid, node, size).astype(data.dtype), None
    data = _filled(data, valid, 0)
    wide = np.uint64 if data.dtype.kind == "u" else np.int64
    limit = int(np.iinfo(wide).max) // max(len(data), 1)
    if len(data) and max(int(data.max()), -int(data.min())) > limit:
        return None
    total = np.zeros(size, wide)
    np.add.at(total, node, data.astype(wide, copy=False))
    return total, None


def _scatter_mean(data: Any, valid: BoolArray | None, node: IntArray, size: int) -> Scattered:
    if data.dtype.kind in "iu" and len(data):
        data = _filled(data, valid, 0)
        if max(int(data.max()), -int(data.min())) * len(data) > EXACT:
            return None
    count = _count_at(valid, node, size)
    mean = _add_at(data, valid, node, size) / np.maximum(count, 1)
    return mean.astype(data.dtype if data.dtype.kind == "f" else np.float64), count > 0


def _scatter_count(_data: Any, valid: BoolArray | None, node: IntArray, size: int) -> Scattered:
    return _count_at(valid, node, size), None


def _scatter_extreme(function: np.ufunc) -> Callable[[Any, BoolArray | None, IntArray, int], Scattered]:
    def scatter(data: Any, valid: BoolArray | None, node: IntArray, size: int) -> Scattered:
        if data.dtype.kind == "b":
            return None
        loser = np.asarray(-np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).min, data.dtype)
        if function is np.minimum:
            loser = np.asarray(np.inf if data.dtype.kind == "f" else np.iinfo(data.dtype).max, data.dtype)
        data = _filled(data, valid, loser)
        if data.dtype.kind == "f" and len(data) and np.isnan(data.min()):
            return None
        out = np.full(size, loser)
        function.at(out, node, data)
        if not (out == loser).any():
            return out, None
        found = _count_at(valid, node, size) > 0
        out[~found] = 0
        return out, found

    return scatter


_OUTER: dict[str, Callable[[Any, BoolArray | None, IntArray, int], Scattered]] = {
    "sum": _scatter_sum,
    "mean": _scatter_mean,
    "count": _scatter_count,
    "min": _scatter_extreme(np.minimum),
    "max": _scatter_extreme(np.maximum),
}
"""Reductions that combine items in any order, and so can scatter."""


def reduce(column: Column, name: str, axis: Any, *, skip_nulls: bool = True, min_count: int | None = None) -> Column:
    """Apply one of `REDUCTIONS` along any axis."""
    reduction = REDUCTIONS[name]
    if name in ("any", "all") and not skip_nulls:
        return _kleene(column, name, axis, min_count)
    return over_axes(column, axis, reduction, name, skip_nulls=skip_nulls, min_count=min_count, slots=name in _SLOTS)


def _kleene(column: Column, name: str, axis: Any, min_count: int | None) -> Column:
    """Reduce with any or all by Kleene logic: null unless a valid item decides the result."""
    known = over_axes(column, axis, REDUCTIONS[name], name, min_count=min_count)
    strict = over_axes(column, axis, REDUCTIONS[name], name, skip_nulls=False, min_count=min_count)
    deciding = elementwise.binary("equal", known, pa.scalar(name == "any"))
    return elementwise.where(deciding, known, strict)


def count(column: Column, axis: Any) -> Column:
    """Count the valid items of each row."""
    return over_axes(column, axis, _count, "count")


def lengths(column: Column, axis: Any) -> Column:
    """Return the row sizes of a dim, null items included; several trailing axes are merged."""
    if column.ndim == 0 and axis is None:
        return Column(column.shape, pa.array([1], pa.int64()))
    if _axes.is_none_of_them(axis):
        return Column(column.shape, _arrow.from_numpy(np.ones(column.shape.size, np.int64)))
    found = _axes.normalize_axes(axis, column.ndim, "lengths")
    first = found[0]
    dim = column.shape.composed(first, found[-1] + 1)
    sizes = _arrow.from_numpy(np.ascontiguousarray(dim.sizes), dim.validity)
    return Column(column.shape[:first], sizes)


def spread_of(column: Column, name: str, axis: Any, ddof: int, skip_nulls: bool, min_count: int | None) -> Column:
    """Variance or standard deviation."""
    kernel = getattr(_kernels, name)

    ddof = integer(ddof, f"{name}: ddof")

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = _arrow.to_numpy(_around_mean(values, offsets, name))
        return _arrow.from_numpy(*kernel(data, valid, offsets, ddof))

    return over_axes(column, axis, reduction, name, skip_nulls=skip_nulls, min_count=min_count)


def quantile(
    column: Column, q: Any, interpolation: str, axis: Any, skip_nulls: bool, min_count: int | None, name: str = "quantile"
) -> Column:
    """Return a quantile of each row; the median is the quantile 0.5."""
    wanted = probability(q)

    def kernel(data: Any, valid: BoolArray | None, offsets: IntArray, rounded: bool) -> Any:
        return _kernels.quantile(data, valid, offsets, wanted, interpolation, rounded=rounded)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if _arrow.is_temporal(values.type):
            return _relative(values, offsets, partial(kernel, rounded=True))
        if pt.is_decimal(values.type):
            return exact.quantile(values, offsets, wanted, interpolation)
        return _arrow.from_numpy(*kernel(*_arrow.to_numpy(_as_float(values, name)), offsets, rounded=False))

    return over_axes(column, axis, reduction, name, skip_nulls=skip_nulls, min_count=min_count)


def join(column: Column, sep: str, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Join the strings of each row; null for a row without valid strings."""

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_dictionary(values.type):
            values = _arrow.plain(values)
        text = pt.is_string(values.type) or pt.is_large_string(values.type) or pt.is_string_view(values.type)
        if not text and not pt.is_null(values.type):
            raise JagTypeError.no_kernel("join", values.type, hint="It takes strings; cast to string first.")
        if not isinstance(sep, str):
            raise JagTypeError(f"join: sep must be a string, got {type(sep).__name__}")
        values = values.cast(pa.large_string())
        if values.null_count:
            valid = values.is_valid().to_numpy(zero_copy_only=False)
            values, offsets = gather.filter_values(values, valid), filter_rows(valid, offsets)
        lists = _arrow.wrap([_arrow.Level(offsets, None, None)], values)
        joined = pc.binary_join(lists, pa.scalar(sep, pa.large_string()))
        return structure.null_values(joined, row_sizes(offsets) > 0)

    return over_axes(column, axis, reduction, "join", skip_nulls=skip_nulls, min_count=min_count)


def collapse(column: Column, axis: Any) -> Column:
    """Return the value that all items of a row share; null if they differ or the row is empty. Koda's `agg collapse`."""

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        item, keep = _kernels.collapse(*_arrow.order_key(values, "collapse"), offsets)
        return _pick_items(values, item, keep)

    return over_axes(column, axis, reduction, "collapse")
