"""Scans: one result per item from other items of its row: cumulative sums, differences, shifts, fills, rolling windows.

A scan is a function from (values, offsets) to an array of the same length; `along_axis.apply` implements axes and null rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import scan as _kernels
from arrowjag._kernels.base.extremes import greatest, least
from arrowjag._kernels.base.words import is_variable_size, or_all
from arrowjag._kernels.move import gather, scatter
from arrowjag._kernels.move.join import concatenate
from arrowjag._kernels.scan import rolling
from arrowjag._ops import along_axis, elementwise, exact, structure
from arrowjag._ops import axes as _axes
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["ROLLING", "SCANS", "by_order", "diff", "fill", "roll", "scan", "shift", "shifted"]

Scan: TypeAlias = Callable[[pa.Array, IntArray], pa.Array]


def _validity(values: pa.Array) -> BoolArray | None:
    return _arrow.valid_of(values)


# --------------------------------------------------------------------------------------------------- cumulative


def _cumsum(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_duration(values.type):
        return _cumsum(values.cast(pa.int64()), offsets).cast(values.type)
    if pt.is_decimal(values.type):
        return exact.cumsum(values, offsets)
    numbers = _arrow.plain_numbers(values, "cumsum")
    return _arrow.null_as(numbers, _kernels.cumsum(*_arrow.to_numpy(numbers), offsets)[0])


def _cumprod(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.cumprod(values, offsets)
    numbers = _arrow.plain_numbers(values, "cumprod")
    return _arrow.null_as(numbers, _kernels.cumprod(*_arrow.to_numpy(numbers), offsets)[0])


def _cumcount(values: pa.Array, offsets: IntArray) -> pa.Array:
    return _arrow.null_as(values, _kernels.cumcount(_validity(values), offsets)[0])


def by_order(values: pa.Array, operation: str, kernel: Callable[..., Any]) -> pa.Array:
    """Apply a kernel of minima or maxima: to numbers directly, to other types by their order codes."""
    type = values.type
    if pt.is_float16(type):
        return elementwise.in_single_precision(lambda singles: by_order(singles, operation, kernel), values)
    if _arrow.is_numeric(type) or _arrow.is_temporal(type):
        data, valid = _arrow.to_numpy(values)
        found, known = kernel(data, valid)
        return _arrow.null_as(values, found, type) if known is valid else _arrow.from_numpy(found, known, type)
    if pt.is_null(type):
        return values
    largest = operation.endswith("max")
    key, valid = _arrow.order_key(values, operation, descending=largest)
    if len(values) == 0 or (valid is not None and not valid.any()):  # `order_key` has raised for types without an order
        return values
    n = len(key)
    place = np.arange(n - 1, -1, -1) if largest else np.arange(n)
    # Codes are made unique by position, so that the first of equal items of the row wins: in structs, 0.0 equals -0.0.
    found, known = kernel(_codes(key, valid, largest) * n + place, valid)
    item = n - 1 - found % n if largest else found % n
    return gather.take(values, item, known)


def _codes(key: npt.NDArray[Any], valid: BoolArray | None, largest: bool) -> IntArray:
    """Return codes below the number of items that sort as a key; those under nulls are arbitrary. NaN wins over nothing."""
    items = key if valid is None else key[valid]
    if key.dtype.kind != "f" and least(items) >= 0 and greatest(items) < len(key):
        return key.astype(np.int64, copy=False)
    distinct, code = np.unique(items, return_inverse=True)  # keys of decimals and of dictionaries of numbers are numbers
    code = code.reshape(-1)
    if largest and distinct.dtype.kind == "f" and np.isnan(distinct[-1]):
        code = (code + 1) % len(distinct)
    codes = np.zeros(len(key), np.int64)
    codes[slice(None) if valid is None else valid] = code
    return codes


def _running(name: str) -> Scan:
    kernel = getattr(_kernels, name)

    def run(values: pa.Array, offsets: IntArray) -> pa.Array:
        return by_order(values, name, lambda data, valid: kernel(data, valid, offsets))

    return run


SCANS: dict[str, Scan] = {
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "cummin": _running("cummin"),
    "cummax": _running("cummax"),
    "cumcount": _cumcount,
}
"""The row kernel of each cumulative operation, by name. Nulls are skipped and stay null."""


def scan(column: Column, name: str, axis: Any) -> Column:
    """Apply one of `SCANS` along any axis."""
    return along_axis.apply(column, axis, SCANS[name], name)


# --------------------------------------------------------------------------------------------------- neighbours


def diff(column: Column, n: int, axis: Any) -> Column:
    """Subtract from each item the one n positions before it; along an outer axis, the one at the same position n rows before."""
    distance = integer(n, "diff: n")
    return along_axis.apply(column, axis, lambda values, offsets: differences(values, offsets, distance), "diff", complete=True)


def differences(values: pa.Array, offsets: IntArray, n: int) -> pa.Array:
    """Subtract from each item the one n positions before it in its row."""
    if _arrow.is_numeric(values.type) or pt.is_null(values.type):
        return _arrow.from_numpy(*_kernels.diff(*_arrow.to_numpy(_arrow.plain_numbers(values, "diff")), offsets, n))
    frame = JaggedShape(len(values))
    try:
        earlier = Column(frame, shifted(values, offsets, n))
        return elementwise.binary("subtract", Column(frame, values), earlier).values
    except JagTypeError:
        raise JagTypeError.no_kernel("diff", values.type) from None


def shifted(values: pa.Array, offsets: IntArray, n: int) -> pa.Array:
    """Shift items by n positions. Fixed-width values and text move as one block; items from another row are then set to null."""
    if not (pt.is_primitive(values.type) or pt.is_decimal(values.type) or is_variable_size(values.type)):
        return gather.take(values, *_kernels.shift_index(offsets, n))
    gap = min(abs(n), len(values))
    rest = len(values) - gap
    alone = len(offsets) == 2 and 0 < gap < len(values)  # a single row: no item of another row moves into it
    known = None if alone else _kernels.has_slot(offsets, n)
    if known is None and not alone:
        return values
    is_unread = alone or is_variable_size(values.type)  # nulls of text need no bytes
    blank = pa.nulls(gap, values.type) if is_unread else values.slice(0, gap)
    moved = concatenate([blank, values.slice(0, rest)] if n > 0 else [values.slice(gap, rest), blank])
    return moved if known is None else structure.null_values(moved, known)


def shift(column: Column, n: int, fill: elementwise.Operand | None, axis: Any) -> Column:
    """Shift items by n positions; along an outer axis, whole rows. `fill` replaces the vacated items; null by default."""
    distance = integer(n, "shift: n")
    found = _axes.normalize_axes(axis, column.ndim, "shift")
    if found[-1] < column.ndim - 1:
        if fill is not None:
            raise JagValueError(
                "shift: along an outer axis whole rows move and leave null rows, so `fill` does not apply; use fill_null_rows"
            )
        index, known = _kernels.shift_index(column.shape.dims[found[0]].offsets, distance)
        return structure.take_items(column, found[0] + 1, index, column.shape.dims[: found[0] + 1], known)
    moved = along_axis.apply(column, axis, lambda values, offsets: shifted(values, offsets, distance), "shift")
    if fill is None:
        return moved
    elementwise.common_type([fill.type, moved.type], "shift")
    inside = along_axis.apply(column, axis, lambda _, offsets: _reach(offsets, distance), "shift")
    return elementwise.where(inside, moved, fill)


def _reach(offsets: IntArray, n: int) -> pa.Array:
    return _arrow.from_numpy(or_all(_kernels.has_slot(offsets, n), int(offsets[-1])))


def fill(column: Column, direction: str, axis: Any) -> Column:
    """Replace each null by the nearest valid item before it, or after it with direction "backward"."""

    def take_over(values: pa.Array, offsets: IntArray) -> pa.Array:
        valid = _validity(values)
        return values if valid is None else scatter.carry(values, valid, offsets, direction)

    return along_axis.apply(column, axis, take_over, "ffill" if direction == "forward" else "bfill")


# --------------------------------------------------------------------------------------------------- windows

Window: TypeAlias = Callable[[pa.Array, IntArray, int], pa.Array]


def _rolling_sum(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    if pt.is_duration(values.type):
        return _rolling_sum(values.cast(pa.int64()), offsets, window).cast(values.type)
    if pt.is_decimal(values.type):
        return exact.rolling_sum(values, offsets, window)
    data, valid = _arrow.to_numpy(_arrow.plain_numbers(values, "rolling sum"))
    return _arrow.from_numpy(*rolling.rolling_sum(data, valid, offsets, window))


def _rolling_mean(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.rolling_mean(values, offsets, window)
    if _arrow.is_temporal(values.type):
        return exact.rolling_moment_mean(values, offsets, window)
    data, valid = _arrow.to_numpy(_arrow.plain_numbers(values, "rolling mean"))
    return _arrow.from_numpy(*rolling.rolling_mean(data, valid, offsets, window))


def _rolling_min(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    return by_order(values, "rolling min", lambda data, valid: rolling.rolling_min(data, valid, offsets, window))


def _rolling_max(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    return by_order(values, "rolling max", lambda data, valid: rolling.rolling_max(data, valid, offsets, window))


def _rolling_count(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    return _arrow.from_numpy(*rolling.rolling_count(_validity(values), offsets, window))


ROLLING: dict[str, Window] = {
    "sum": _rolling_sum,
    "mean": _rolling_mean,
    "min": _rolling_min,
    "max": _rolling_max,
    "count": _rolling_count,
}
"""The row kernel of each rolling statistic, by name."""


def roll(column: Column, name: str, window: int, axis: Any) -> Column:
    """Apply one of `ROLLING` along any axis; the first ``window - 1`` items of a row are null."""
    width = integer(window, "rolling: window", 1)
    kernel = ROLLING[name]
    return along_axis.apply(column, axis, lambda values, offsets: kernel(values, offsets, width), f"rolling {name}", complete=True)
