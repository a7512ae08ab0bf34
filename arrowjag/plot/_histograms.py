"""Histograms: the sizes of rows, and the values of leaves. Both count first and draw a few bars, at any size."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._html import count_text
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._ops import struct_fields
from arrowjag._ops.structure import normalize_axis
from arrowjag._pyarrow_versions import has_views, without_views
from arrowjag.errors import JagValueError
from arrowjag.plot import _canvas
from arrowjag.typing import IntArray

__all__ = ["drawable", "sizes", "values"]

_FIELDS = 3
"""The number of fields of structs that `values` draws."""

BINS = 50
CATEGORIES = 20


def sizes(column: Column, axis: int, ax: Any) -> Any:
    """Bars: how many rows have how many items."""
    place = normalize_axis(axis, column.ndim, "plot.sizes")
    dim = column.shape.dims[place]
    ax = _canvas.axes(ax)
    nulls = 0 if dim.validity is None else int(len(dim) - np.count_nonzero(dim.validity))
    found = dim.sizes if dim.validity is None else dim.sizes[dim.validity]
    _canvas.tidy(ax, _sizes_title(place, found, nulls), _sizes_label(column, place), "number of rows")
    if len(found) == 0:
        return _nothing(ax, "no rows")
    edges = whole_edges(int(found.min()), int(found.max()))
    heights, _ = np.histogram(found, edges)
    ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color=_canvas.BAR, edgecolor="white", linewidth=0.5)
    _mark_median(ax, float(np.median(found)), edges)
    ax.set_xlim(edges[0] - 0.1, edges[-1] + 0.1)
    _canvas.thousands(ax.xaxis)
    if has_long_tail(found):
        _canvas.logarithmic(ax, "number of rows (log scale)")
    else:
        _canvas.thousands(ax.yaxis)
    return ax


def has_long_tail(found: IntArray) -> bool:
    """Return whether a few rows are so much longer than the rest that their bars would be invisible."""
    return len(found) > BINS and bool(found.max() > 8 * max(1.0, float(np.quantile(found, 0.99))))


def whole_edges(low: int, high: int) -> npt.NDArray[np.float64]:
    """Bin edges between whole numbers, so that each bin holds as many of them as the others."""
    width = -(-(high - low + 1) // BINS)
    bars = -(-(high - low + 1) // width)
    return np.arange(bars + 1, dtype=np.float64) * width + (low - 0.5)


def _mark_median(ax: Any, median: float, edges: npt.NDArray[np.float64]) -> None:
    if len(edges) <= 2:
        return
    ax.axvline(median, color=_canvas.NULL, linewidth=1.5, label=f"median {median:,.1f}".removesuffix(".0"))
    ax.margins(y=0.15)  # room for the legend
    ax.legend(frameon=False, loc="upper right")


def _sizes_title(place: int, found: IntArray, nulls: int) -> str:
    left_out = f", {count_text(nulls, 'null row')} left out" if nulls else ""
    bounds = f" of {found.min():,} to {found.max():,} items" if len(found) else ""
    if len(found) and found.min() == found.max():
        bounds = f" of {count_text(int(found.min()), 'item')}{' each' if len(found) > 1 else ''}"
    return f"Sizes of dim {place}: {count_text(len(found), 'row')}{bounds}{left_out}"


def _sizes_label(column: Column, place: int) -> str:
    return "items per row" if place < column.ndim - 1 else "values per row"


def _nothing(ax: Any, text: str) -> Any:
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=_canvas.EMPTY)
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


# ------------------------------------------------------------------------------------------------- values


def values(column: Column, ax: Any) -> Any:
    """Bars: how often values occur, or fall into a bin."""
    leaves, type = column.values, column.type
    if pt.is_dictionary(type):
        leaves = leaves.dictionary_decode()
        type = leaves.type
    if has_views(type):
        leaves = leaves.cast(without_views(type))
        type = leaves.type
    if pt.is_decimal(type):
        leaves, type = leaves.cast(pa.float64(), safe=False), pa.float64()
    if _is_category(type):
        return _categories(leaves, _canvas.axes(ax))
    if pt.is_struct(type) or not drawable(column):
        raise _canvas.refuse("plot.values", type)
    return _numbers(leaves, _canvas.axes(ax))


def drawable(column: Column) -> list[tuple[str, Column]]:
    """The leaves that `values` can draw: the column itself, or the first fields of its structs by name."""
    if pt.is_struct(column.type):
        found = [(name, struct_fields.field(column, name)) for name in struct_fields.fields(column.type)]
        return [(name, one) for name, one in found if drawable(one)][:_FIELDS]
    type = column.type.value_type if pt.is_dictionary(column.type) else column.type
    known = _is_category(type) or pt.is_decimal(type) or _arrow.is_numeric(type) or _arrow.is_temporal(type)
    return [("", column)] if known else []


def _is_category(type: pa.DataType) -> bool:
    kinds = (pt.is_boolean, pt.is_string, pt.is_large_string, pt.is_string_view, pt.is_null)
    return any(is_kind(type) for is_kind in kinds)


def _numbers(leaves: pa.Array, ax: Any) -> Any:
    data, valid = _arrow.to_numpy(leaves)
    data = data if valid is None else data[valid]
    notes = [count_text(leaves.null_count, "null")] if leaves.null_count else []
    if data.dtype.kind == "f":
        for name, mask in (("NaN", np.isnan(data)), ("infinite", np.isinf(data))):
            notes += [f"{np.count_nonzero(mask):,} {name}"] if mask.any() else []
        data = data[np.isfinite(data)]
    temporal = _arrow.is_temporal(leaves.type)
    _canvas.tidy(ax, _values_title(len(leaves), notes), str(leaves.type) if temporal else "value", "number of values")
    if len(data) == 0:
        return _nothing(ax, "no values")
    heights, edges = _counted(data)
    shown = edges
    if pt.is_duration(leaves.type) or pt.is_time(leaves.type):
        shown, unit = _lengths(edges, leaves.type)
        ax.set_xlabel(f"{leaves.type}, in {unit}")
    elif temporal:
        shown = _times(edges, leaves.type)
    ax.bar(shown[:-1], heights, np.diff(shown), align="edge", color=_canvas.BAR, edgecolor="white", linewidth=0.5)
    if shown.dtype.kind == "M":
        ax.set_xlim(shown[0], shown[-1])  # a margin may lie before the year 1
        _canvas.dates(ax.xaxis, leaves.type.tz if pt.is_timestamp(leaves.type) else None)
    _canvas.thousands(ax.yaxis)
    return ax


def _counted(data: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    low, high = data.min(), data.max()
    if data.dtype.kind in "iu" and int(high) - int(low) < 1 << 52:
        edges = whole_edges(int(low), int(high))
        return np.histogram(data, edges)[0], edges
    data = data.astype(np.float64)
    if not np.isfinite(float(high) - float(low)):
        raise JagValueError(f"plot.values: no axis holds values from {low} to {high}; clip them first, with x.clip(lower, upper)")
    if not _has_bins(data):
        margin = max(0.5, abs(float(high)) / 100)
        return np.array([len(data)]), np.array([data.min() - margin, data.max() + margin])
    return np.histogram(data, BINS)


def _has_bins(data: npt.NDArray[np.float64]) -> bool:
    """Whether float64 has numbers for the edges of all bins; of these, numpy before 2.1 makes bins without width."""
    try:
        edges = np.histogram_bin_edges(data, BINS)
    except ValueError:
        return False
    return bool((edges[1:] > edges[:-1]).all())


_UNITS = {"days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
"""Units of an axis of durations and times of day, in seconds."""


def _lengths(edges: npt.NDArray[Any], type: pa.DataType) -> tuple[npt.NDArray[Any], str]:
    """Edges in the largest unit that the longest duration reaches, and its name; times of day in hours."""
    seconds = edges / TICKS[type.unit]
    longest = float(np.abs(seconds).max())
    unit = "hours" if pt.is_time(type) else next((unit for unit, length in _UNITS.items() if length <= longest), "ns")
    return seconds / _UNITS[unit], unit


def _times(edges: npt.NDArray[Any], type: pa.DataType) -> npt.NDArray[Any]:
    """Edges as times that matplotlib has dates for; other times stay numbers of their unit."""
    unit = "D" if pt.is_date32(type) else "ms" if pt.is_date64(type) else type.unit
    bounds = ["1678-01-01", "2262-01-01"] if unit == "ns" else ["0001-01-02", "9999-12-30"]  # numpy's nanoseconds wrap
    known = np.array(bounds, "M8[D]").astype(f"M8[{unit}]")
    first, last = known.astype("int64").astype(np.float64)
    width = edges[1] - edges[0]
    if edges[0] < first - width or edges[-1] > last + width:
        return edges
    found = np.ceil(edges).astype("int64").astype(known.dtype)  # not round, which takes two halves to one even number
    if len(edges) == 2 and unit != "D":  # equal times: an axis of dates has no bar of one tick
        found = found[:1] + np.array([-12, 12], "m8[h]")
    times: npt.NDArray[Any] = np.clip(found, *known)
    return times


def _categories(leaves: pa.Array, ax: Any) -> Any:
    counted = pc.value_counts(leaves.drop_null())
    pairs = sorted(((int(one["counts"]), str(one["values"])) for one in counted.to_pylist()), key=lambda pair: (-pair[0], pair[1]))
    notes = [count_text(leaves.null_count, "null")] if leaves.null_count else []
    notes += [f"{len(pairs) - CATEGORIES:,} rarer values not shown"] if len(pairs) > CATEGORIES else []
    _canvas.tidy(ax, _values_title(len(leaves), notes), "number of values")
    if not pairs:
        return _nothing(ax, "no values")
    shown = pairs[:CATEGORIES]
    ax.barh(range(len(shown)), [n for n, _ in shown], color=_canvas.BAR)
    ax.set_yticks(range(len(shown)), [_canvas.literal(name if len(name) <= 24 else f"{name[:23]}…") for _, name in shown])
    ax.set_ylim(len(shown) - 0.4, -0.6)
    _canvas.thousands(ax.xaxis)
    return ax


def _values_title(n: int, notes: list[str]) -> str:
    return f"Values: {count_text(n, 'leaf').replace('leafs', 'leaves')}{', '.join(['', *notes])}"
