"""Histograms, counts of small integers and bins of items."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers, length_of
from arrowjag._column import Column
from arrowjag._integers import MOST_ITEMS, is_int, item_count
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import greatest, least_and_greatest
from arrowjag._kernels.base.fill import fill, fill_bits, filled
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.base.words import from_words, with_bits
from arrowjag._kernels.order import search
from arrowjag._kernels.reduce import histograms as _kernels
from arrowjag._ops import along_axis, elementwise, sets
from arrowjag._ops.axes import normalize_axes
from arrowjag._ops.cursor import row_name
from arrowjag._ops.multi_reduce import floats, reduce_to_lists, with_lists
from arrowjag._ops.over_axes import over_axes
from arrowjag.errors import JagOverflowError, JagRangeError, JagTypeError, JagValueError, ShapeError, brief
from arrowjag.shape import dims_text
from arrowjag.typing import BoolArray, IntArray

__all__ = ["bincount", "cut", "digitize", "histogram"]


# --------------------------------------------------------------------------------------------------- edges per row


class _Placed(NamedTuple):
    """Items beside the edges of their row."""

    edges: Column
    items: Column
    cut: IntArray
    """Cuts the items into the rows of the edges."""
    upto: IntArray
    """The number of edges at or below each item."""
    below: IntArray
    """The number of edges below each item; past the edges for NaN."""

    def slots(self) -> IntArray:
        """The bin of each item, -1 for items outside of all bins; the last bin is closed."""
        valid = _arrow.valid_of(self.items.values)
        data = _arrow.to_numpy(self.items.values)[0]
        n = row_sizes(self.edges.shape.dims[-1].offsets).repeat(row_sizes(self.cut))
        found = np.where((self.upto == n) & (self.below < n), n - 2, self.upto - 1)
        outside = (found < 0) | (found > n - 2) | np.isnan(data)
        found[outside if valid is None else outside | ~valid] = -1
        return found


def has_rows(bins: Any) -> bool:
    """Whether edges are given per row."""
    return isinstance(bins, Column) and bins.ndim > 1


def _comparable_columns(one: Column, two: Column, operation: str) -> tuple[Column, Column]:
    """Return two columns as int64 or uint64 if both hold integers that fit, else as float64, which rounds integers beyond 2**53."""
    data = [floats(column.values, operation) for column in (one, two)]
    valid = [_arrow.valid_of(column.values) for column in (one, two)]
    type = _integer_type(data) if all(part.dtype.kind in "iu" for part in data) else np.float64
    made = [_arrow.from_numpy(part.astype(type, copy=False), known) for part, known in zip(data, valid, strict=True)]
    return Column(one.shape, made[0]), Column(two.shape, made[1])


def _integer_type(data: list[npt.NDArray[Any]]) -> Any:
    """Return the dtype that holds all integers of some arrays; those under nulls count too."""
    for type in (np.int64, np.uint64):
        ends = np.iinfo(type)
        if all(part.size == 0 or (int(part.min()) >= ends.min and int(part.max()) <= ends.max) for part in data):
            return type
    return np.float64


def _placed(column: Column, edges: Column, operation: str, *, strictly: bool = True) -> _Placed:
    """Look items up among the edges of their row, which must rise and be numbers."""
    if edges.ndim > column.ndim:
        raise ShapeError(f"{operation}: edges have {dims_text(edges.shape.dims)}, but the items have {column.ndim}")
    edges, items, cut = sets.probes_of(*_comparable_columns(edges, column, operation), operation)
    offsets = edges.shape.dims[-1].offsets
    data, known = _arrow.to_numpy(edges.values)
    bad = np.isnan(data) if known is None else np.isnan(data) | ~known
    rule = "be numbers"
    if not bad.any() and len(data):
        heads = np.zeros(len(data), bool)
        heads[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
        falls = data[1:] <= data[:-1] if strictly else data[1:] < data[:-1]
        bad[1:], rule = falls & ~heads[1:], "rise"
    if bad.any():
        row = row_name(edges.shape, edges.ndim - 1, edges.shape.dims[-1].index_of(int(bad.argmax())))
        raise JagValueError(f"{operation}: edges must {rule}, but those of {row} don't")
    sought = _arrow.to_numpy(items.values)[0]
    upto, below = (search.searchsorted(data, offsets, sought, cut, side) for side in _SIDES)
    return _Placed(edges, items, cut, upto, below)


_SIDES: tuple[Literal["left", "right"], ...] = ("right", "left")


def _only_last(axis: Any, ndim: int, operation: str) -> None:
    if normalize_axes(axis, ndim, operation) != (ndim - 1,):
        raise JagValueError(f"{operation}: edges per row apply along the last axis, got axis={axis}")


def _counts_by_rows(column: Column, edges: Column, axis: Any) -> Column:
    """Count the items of each row between the edges of the same row."""
    _only_last(axis, column.ndim, "histogram")
    if edges.ndim != column.ndim:
        raise ShapeError(f"histogram: edges per row need as many dims as the items, got {edges.shape!r} and {column.shape!r}")
    placed = _placed(column, edges, "histogram")
    n = np.maximum(row_sizes(placed.edges.shape.dims[-1].offsets) - 1, 0)
    cut = _offsets.from_sizes(n)
    slots = placed.slots()
    inside = slots >= 0
    here = (cut[:-1].repeat(row_sizes(placed.cut)) + slots)[inside]
    counts = _arrow.from_numpy(np.bincount(here, minlength=int(cut[-1])).astype(np.int64, copy=False))
    validity = placed.items.shape.dims[-1].validity
    rows = Column(placed.items.shape[:-1], _arrow.from_numpy(np.arange(len(n)), validity))
    return with_lists(rows, counts, cut)


class Wanted(NamedTuple):
    """The bins of a call: edges for all rows, or a number of bins and optionally their range."""

    edges: npt.NDArray[Any] | None
    n: int
    ends: tuple[float, float] | None


def _wanted(bins: Any, range: Any, operation: str) -> Wanted:
    if is_int(bins):
        return Wanted(None, item_count(bins, f"{operation}: bins", 1), _ends(range, operation))
    _no_range(range, operation)
    edges = _edges(bins, operation)
    if len(edges) < 2:
        raise JagValueError(f"{operation}: at least 2 edges are needed, got {len(edges)}")
    if np.count_nonzero(edges[1:] > edges[:-1]) < len(edges) - 1:
        raise JagValueError(f"{operation}: edges must rise, got {brief(edges.tolist())}")
    return Wanted(edges, len(edges) - 1, None)


def _no_range(range: Any, operation: str) -> None:
    if range is not None:
        raise JagValueError(f"{operation}: range applies to a number of bins, not to edges")


def _edges(edges: Any, operation: str) -> npt.NDArray[Any]:
    """Return edges as int64 if all of them are such numbers, else as float64."""
    if isinstance(edges, Column) and edges.ndim == 1:
        edges = edges.values
    if isinstance(edges, pa.Array | pa.ChunkedArray):
        edges = edges.to_pylist()
    if isinstance(edges, (str, bytes, bool)) or length_of(edges) is None:
        raise JagTypeError(f"{operation}: expected a number of bins or a list of edges, got {type(edges).__name__}")
    edges = [elementwise.unboxed(one) for one in edges] if isinstance(edges, (list, tuple)) else edges
    found = flat_numbers(edges, f"{operation}: edges")
    if found.dtype.kind == "O" and found.ndim == 1 and all(is_int(one) or isinstance(one, (float, Decimal)) for one in found):
        found = _as_doubles(found, operation)  # integers beyond 64 bits, or decimals
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        raise JagTypeError(f"{operation}: edges must be a flat list of numbers, got {brief(edges)}")
    if found.size and found.dtype.kind in "iu" and greatest(found) < 2**63:
        return found.astype(np.int64)
    found = found.astype(np.float64)
    if np.count_nonzero(np.isnan(found)):
        raise JagValueError(f"{operation}: edges must be numbers, got NaN")
    return found


def _as_doubles(edges: npt.NDArray[Any], operation: str) -> npt.NDArray[np.float64]:
    try:
        return edges.astype(np.float64)
    except OverflowError:
        raise JagRangeError(f"{operation}: edges must fit float64, got {brief(edges.tolist())}") from None


def _comparable(edges: npt.NDArray[Any], data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return edges in a type in which they compare exactly with integers: float64 rounds those beyond 2**53."""
    if edges.dtype.kind == "i" and data.dtype.kind == "u":
        return edges.astype(np.uint64) if int(edges.min(initial=0)) >= 0 else edges.astype(np.float64)
    return edges if data.dtype.kind == "i" else edges.astype(np.float64, copy=False)


def _ends(range: Any, operation: str) -> tuple[float, float] | None:
    if range is None:
        return None
    if not isinstance(range, (tuple, list, np.ndarray)) or getattr(range, "ndim", 1) != 1 or len(range) != 2:
        raise JagTypeError(f"{operation}: range must be two numbers, got {brief(range)}")
    try:
        low, high = float(range[0]), float(range[1])
    except (TypeError, ValueError):
        raise JagTypeError(f"{operation}: range must be two numbers, got {brief(range)}") from None
    if not (math.isfinite(high - low) and low <= high):
        raise JagValueError(f"{operation}: range must be two finite numbers, the smaller first, got ({low}, {high})")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _bins(
    data: npt.NDArray[Any], valid: BoolArray | None, offsets: IntArray, wanted: Wanted, operation: str
) -> tuple[_kernels.Bins, BoolArray | None]:
    """The bins of each row, and flags of the rows that have any; None if all have."""
    n_rows = len(offsets) - 1
    if wanted.ends is not None:
        low, high = wanted.ends
        return _kernels.Bins(np.full(n_rows, low), np.full(n_rows, high), wanted.n), None
    bins, present = _kernels.bins_of_rows(data, valid, offsets, wanted.n)
    width = without_warnings(np.subtract, bins.high, bins.low)
    if n_rows and not math.isfinite(greatest(width)):
        row = int(np.isfinite(width).argmin())
        raise JagValueError(f"{operation}: row {row} holds an infinite number; give a range", row=row)
    return bins, present


def _slots(values: pa.Array, offsets: IntArray, wanted: Wanted, operation: str) -> IntArray:
    """The bin of each item, -1 for items outside of all bins."""
    data, valid = floats(values, operation), _arrow.valid_of(values)
    if wanted.edges is not None:
        return _kernels.bins_of_edges(data, valid, _comparable(wanted.edges, data))
    return _kernels.slots_in_bins(data, valid, offsets, _bins(data, valid, offsets, wanted, operation)[0])


_FIELDS = [pa.field("edges", pa.large_list(pa.float64())), pa.field("counts", pa.large_list(pa.int64()))]


def _lists(type: pa.DataType, size: int, n_rows: int, values: pa.Array) -> pa.Array:
    """Lists of one size, as an Arrow array."""
    return pa.Array.from_buffers(type, n_rows, [None, pa.py_buffer(_offsets.of_size(size, n_rows))], children=[values])


def histogram(column: Column, bins: Any, range: Any, axis: Any) -> Column:
    """Count the items of each row in bins."""
    if has_rows(bins):
        _no_range(range, "histogram")
        return _counts_by_rows(column, bins, axis)
    wanted = _wanted(bins, range, "histogram")
    _check_size(wanted.n, "histogram")  # also of a column without rows, so that the error doesn't depend on them

    def lists(values: pa.Array, offsets: IntArray) -> tuple[pa.Array, IntArray]:
        slots = _slots(values, offsets, wanted, "histogram")
        _check_size(wanted.n * (len(offsets) - 1), "histogram")
        return _arrow.from_numpy(_kernels.count_bins(slots, offsets, wanted.n)), _offsets.of_size(wanted.n, len(offsets) - 1)

    def structs(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid, n_rows = floats(values, "histogram"), _arrow.valid_of(values), len(offsets) - 1
        found, present = _bins(data, valid, offsets, wanted, "histogram")
        _check_size(wanted.n * n_rows, "histogram")
        counts, edges = _kernels.count_in_bins(data, valid, offsets, found)
        known = None if present is None else present.repeat(wanted.n + 1)
        below = (wanted.n + 1, _arrow.from_numpy(edges, known)), (wanted.n, _arrow.from_numpy(counts))
        lists = [_lists(field.type, size, n_rows, one) for field, (size, one) in zip(_FIELDS, below, strict=True)]
        return _arrow.structs(lists, _FIELDS)

    if wanted.edges is not None:
        return reduce_to_lists(column, axis, lists, "histogram")
    return over_axes(column, axis, structs, "histogram")


def _check_size(n: int, operation: str) -> None:
    if n > MOST_ITEMS:
        raise JagOverflowError(f"{operation}: {brief(n)} counts don't fit into memory")


def bincount(column: Column, n: Any, axis: Any) -> Column:
    """Count how often each row has 0, 1, 2 and so on."""
    most = None if n is None else item_count(n, "bincount: n")

    def lists(values: pa.Array, offsets: IntArray) -> tuple[pa.Array, IntArray]:
        data, valid = _small_integers(values), _arrow.valid_of(values)
        data = data if valid is None else filled(data, valid, 0)
        least, largest = least_and_greatest(data) if len(data) else (0, 0)
        if least < 0 or (most is not None and largest >= most):
            bad = (data < 0) | (data >= (largest + 1 if most is None else most))
            _refuse_bins(data, bad if valid is None else bad & valid, offsets, most)
        if most is None:
            if largest >= 2**31:  # the counts don't fit into memory, even for few rows
                raise JagOverflowError(f"bincount: the largest item is {largest}, which needs more counts than fit into memory")
            counts, cut = _kernels.count_values(data, valid, offsets)
            return _arrow.from_numpy(counts), cut
        _check_size(most * (len(offsets) - 1), "bincount")
        slots = data if valid is None else filled(data, valid, -1)
        return _arrow.from_numpy(_kernels.count_bins(slots, offsets, most)), _offsets.of_size(most, len(offsets) - 1)

    return reduce_to_lists(column, axis, lists, "bincount")


def _refuse_bins(data: npt.NDArray[np.int64], bad: BoolArray, offsets: IntArray, most: int | None) -> None:
    """Raise for the first item that is marked, if there is one."""
    if np.count_nonzero(bad):
        item = int(bad.argmax())
        row = int(_offsets.parents(offsets)[item])
        rule = "must not be negative" if most is None else f"must be from 0 to {most - 1}"
        raise JagValueError(f"bincount: items {rule}, got {data[item]} in row {row}", row=row)


def _small_integers(values: pa.Array) -> npt.NDArray[np.int64]:
    if not (pt.is_integer(values.type) or pt.is_boolean(values.type) or pt.is_null(values.type)):
        raise JagTypeError.no_kernel("bincount", values.type, hint="It takes integers.")
    return _arrow.to_int64(values)[0]


def digitize(column: Column, edges: Any, right: Any) -> Column:
    """The number of edges at or below each item; with `right` those below it."""
    if has_rows(edges):
        placed = _placed(column, edges, "digitize", strictly=False)
        return Column(
            placed.items.shape, _arrow.from_numpy(placed.below if right else placed.upto, _arrow.valid_of(placed.items.values))
        )
    found = _edges(edges, "digitize")
    rises, falls = bool((found[1:] >= found[:-1]).all()), bool((found[1:] <= found[:-1]).all())
    if not (rises or falls):
        raise JagValueError(f"digitize: edges must rise or fall, got {found.tolist()}")
    values = column.values
    data, valid = floats(values, "digitize"), _arrow.valid_of(values)
    found = _comparable(found, data)
    side: Literal["left", "right"] = "left" if right else "right"
    if rises:
        slots = _kernels.count_edges(data, found, side)
    else:
        slots = len(found) - _kernels.count_edges(data, found[::-1], side)
        if data.dtype.kind == "f":
            slots[np.isnan(data)] = 0
    return Column(column.shape, _arrow.from_numpy(slots, valid))


def cut(column: Column, bins: Any, range: Any, axis: Any) -> Column:
    """The bin of each item; null where it is in none."""
    if has_rows(bins):
        _no_range(range, "cut")
        _only_last(axis, column.ndim, "cut")
        placed = _placed(column, bins, "cut")
        return Column(placed.items.shape, _bins_of(placed.slots()))
    wanted = _wanted(bins, range, "cut")

    def apply(values: pa.Array, offsets: IntArray) -> pa.Array:
        return _bins_of(_slots(values, offsets, wanted, "cut"))

    return along_axis.apply(column, axis, apply, "cut")


def _bins_of(slots: IntArray) -> pa.Array:
    """Slots as the numbers of bins; null where they are negative."""
    if len(slots) < strategy.sizes.CALL_VALUES:
        return _arrow.from_numpy(np.maximum(slots, 0), slots >= 0)
    found = from_words(pa.int64(), fill(lambda items, out: np.maximum(slots[items], 0, out=out), len(slots), np.int64))
    return with_bits(found, fill_bits(lambda items: slots[items] >= 0, len(slots)))
