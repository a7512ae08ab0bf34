"""Reductions: one value per row, along any axis, for every leaf type that the reduction supports."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import reduce as _kernels
from arrowjag._kernels.base.fill import spread_rows
from arrowjag._kernels.base.memory import check_memory
from arrowjag._kernels.base.offsets import filter_rows, row_sizes
from arrowjag._kernels.base.words import nulls_like
from arrowjag._kernels.elementwise import text_loops
from arrowjag._kernels.elementwise.decimals import to_doubles
from arrowjag._kernels.elementwise.text_bytes import n_bytes
from arrowjag._kernels.equal import distinct, groups
from arrowjag._kernels.equal.distinct import text_is_first_distinct
from arrowjag._kernels.move import gather
from arrowjag._kernels.reduce import products
from arrowjag._kernels.reduce.counts import are_set, count_set, count_valid, n_unique_flags
from arrowjag._kernels.reduce.extremes import text_extreme
from arrowjag._kernels.reduce.first_last import take_nth
from arrowjag._kernels.reduce.quantiles import probability
from arrowjag._ops import axes as _axes
from arrowjag._ops import elementwise, exact, structure
from arrowjag._ops.cursor import row_name
from arrowjag._ops.multi_reduce import floats, over_pairs
from arrowjag._ops.over_axes import Reduction, over_axes
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagTypeError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["REDUCTIONS", "collapse", "count", "dot", "join", "lengths", "quantile", "reduce", "spread_of"]


# --------------------------------------------------------------------------------------------------- by numpy kernels


def _sum(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.sum(values, offsets)
    if pt.is_duration(values.type):
        return _sum(values.cast(pa.int64()), offsets).cast(values.type)
    if pt.is_boolean(values.type) and (counts := count_set(values, offsets)) is not None:
        return _arrow.from_numpy(counts)
    data, valid = _arrow.to_numpy_bits(_arrow.plain_numbers(values, "sum"))
    result, present = _kernels.sum(data, valid, offsets)
    return _arrow.from_numpy(result, present)


def _prod(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.prod(values, offsets)
    data, valid = _arrow.to_numpy(_arrow.plain_numbers(values, "prod"))
    result, present = _kernels.prod(data, valid, offsets)
    return _arrow.from_numpy(result, present)


def _mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_decimal(values.type):
        return exact.mean(values, offsets)
    if _arrow.is_temporal(values.type):
        return exact.moment_mean(values, offsets)
    data, valid = _arrow.to_numpy_bits(_arrow.plain_numbers(values, "mean"))
    return _arrow.from_numpy(*_kernels.mean(data, valid, offsets))


def _relative(values: pa.Array, offsets: IntArray, kernel: Callable[..., Any]) -> pa.Array:
    """Quantile of temporals, computed exactly on uint64 distances from the earliest value of each row."""
    data, valid = _arrow.to_numpy(values)
    start, _ = _kernels.min(data, valid, offsets)
    origin = start.astype(np.int64).view(np.uint64)
    distance = data.astype(np.int64, copy=False).view(np.uint64) - spread_rows(origin, offsets)
    middle, present = kernel(distance, valid, offsets)
    return _arrow.from_numpy((origin + middle).view(np.int64).astype(data.dtype), present, values.type)


def _extreme(name: str) -> Reduction:
    kernel = getattr(_kernels, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        type = values.type
        if pt.is_null(type):
            return pa.nulls(len(offsets) - 1)
        if pt.is_float16(type):
            return elementwise.in_single_precision(lambda singles: reduction(singles, offsets), values)
        if _arrow.is_numeric(type) or _arrow.is_temporal(type):
            data, valid = _arrow.to_numpy_bits(values)
            result, present = kernel(data, valid, offsets)
            return _arrow.from_numpy(result, present, type)
        slot, present = _extreme_slots(values, offsets, f"arg{name}")
        return _pick_items(values, offsets[:-1] + slot, present)

    return reduction


def _extreme_slots(values: pa.Array, offsets: IntArray, name: str) -> tuple[IntArray, BoolArray | None]:
    """Return the slot of the first extreme item of each row by `argmin` or `argmax`, and which rows have one."""
    if _arrow.is_numeric(values.type) or _arrow.is_temporal(values.type):
        key = _arrow.to_numpy_bits(elementwise.half_to_single(values))
    elif (found := text_extreme(values, offsets, name == "argmax")) is not None:
        return found
    else:
        key = _arrow.order_key(values, name, descending=name == "argmax")
    slots: tuple[IntArray, BoolArray | None] = getattr(_kernels, name)(*key, offsets)
    return slots


def _pick_items(values: pa.Array, item: IntArray, present: BoolArray | None) -> pa.Array:
    """Gather items by flat position, null where `present` is False."""
    if len(values) == 0:
        return nulls_like(values, len(item))
    return gather.take(values, item, present)


def _argument(name: str) -> Reduction:
    return lambda values, offsets: _arrow.from_numpy(*_extreme_slots(values, offsets, name))


def _end(name: str) -> Reduction:
    kernel, position = getattr(_kernels, name), 0 if name == "first" else -1

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        found = take_nth(values, offsets, position)
        return _pick_items(values, *kernel(offsets)) if found is None else found

    return reduction


def _truth(name: str) -> Reduction:
    kernel = getattr(_kernels, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_boolean(values.type):  # counting set bits takes a third of the time of unpacking them
            bits = values if values.null_count == 0 else values.fill_null(name == "all")
            found = are_set(bits, offsets, all=name == "all")
            if found is not None:
                return found
        data, valid = _arrow.to_numpy(_arrow.plain_numbers(values, name))
        return _arrow.from_numpy(*kernel(data.astype(bool, copy=False), valid, offsets))

    return reduction


def _count(values: pa.Array, offsets: IntArray) -> pa.Array:
    counts = count_valid(values, offsets)
    if counts is not None:
        return _arrow.from_numpy(counts)
    return _arrow.from_numpy(*_kernels.count(_arrow.valid_of(values), offsets))


def _n_unique(values: pa.Array, offsets: IntArray) -> pa.Array:
    if pt.is_boolean(values.type) and (counts := n_unique_flags(values, offsets)) is not None:
        return _arrow.from_numpy(counts)
    found = text_is_first_distinct(values, offsets)
    if found is not None:
        return _arrow.from_numpy(found[1])
    counts = distinct.n_unique_texts(values, offsets)
    if counts is not None:
        return _arrow.from_numpy(counts)
    key, valid = _arrow.equality_key(values, "n_unique")
    return _arrow.from_numpy(*distinct.n_unique(key, valid, offsets))


def _mode(values: pa.Array, offsets: IntArray) -> pa.Array:
    item, present = groups.mode(*_arrow.equality_key(values, "mode"), offsets)
    return _pick_items(values, item, present)


def _as_float(values: pa.Array, operation: str) -> pa.Array:
    if pt.is_boolean(values.type):
        return values.cast(pa.uint8()).cast(pa.float64())
    if pt.is_decimal(values.type):
        return to_doubles(values)
    return _arrow.plain_numbers(values, operation)


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


def reduce(column: Column, name: str, axis: Any, *, skip_nulls: bool = True, min_count: int | None = None) -> Column:
    """Apply one of `REDUCTIONS` along any axis."""
    reduction = REDUCTIONS[name]
    if name in ("any", "all") and not skip_nulls:
        return _kleene(column, name, axis, min_count)
    return over_axes(column, axis, reduction, name, skip_nulls=skip_nulls, min_count=min_count, slots=name in _SLOTS)


def _are_doubles(one: elementwise.Operand, two: elementwise.Operand) -> TypeGuard[Column]:
    """Whether both columns are float64 of one ndim: a kernel then adds their products without writing them to memory."""
    columns = isinstance(one, Column) and isinstance(two, Column)
    return columns and one.ndim == two.ndim and one.type == two.type == pa.float64()


def _dot_of_doubles(one: pa.Array, two: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
    return _arrow.from_numpy(products.dot(floats(one, "dot"), floats(two, "dot"), offsets, valid))


def dot(one: elementwise.Operand, two: elementwise.Operand, axis: Any, *, skip_nulls: bool, min_count: int | None) -> Column:
    """Add up the products of two columns; raises if the products of a row whose result isn't null don't fit 64 bits."""
    if _are_doubles(one, two) and type(axis) is int and axis in (-1, one.ndim - 1):
        return over_pairs(one, two, axis, _dot_of_doubles, "dot", skip_nulls=skip_nulls, min_count=min_count)

    def total(product: Column) -> Column:
        try:
            return over_axes(product, axis, REDUCTIONS["sum"], "dot", skip_nulls=skip_nulls, min_count=min_count)
        except JagOverflowError as error:
            raise error.renamed("dot", "sum") from None

    with contextlib.suppress(JagOverflowError):
        return total(elementwise.apply(elementwise.exact_product, [one, two], "dot"))
    found = total(elementwise.apply(elementwise.fitting_product, [one, two], "dot"))
    wrong = reduce(elementwise.apply(elementwise.product_overflows, [one, two], "dot"), "any", axis)
    row = pc.index(pc.and_(found.values.is_valid(), wrong.values), True).as_py()
    if row < 0:
        return found
    where = f" of {row_name(found.shape, found.ndim, row)}" if found.ndim else ""
    raise JagOverflowError(f"dot: integer overflow, a product{where} does not fit {found.type}. {OVERFLOW_HINT}")


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
    if _axes.is_empty_tuple(axis):
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

    compute = partial(over_axes, axis=axis, reduction=reduction, operation=name, skip_nulls=skip_nulls, min_count=min_count)
    return elementwise.by_counts(compute, column, name) if name == "std" else compute(column)


def quantile(
    column: Column, q: Any, interpolation: str, axis: Any, skip_nulls: bool, min_count: int | None, name: str = "quantile"
) -> Column:
    """Return a quantile of each row; the median is the quantile 0.5."""
    wanted = probability(q)

    def kernel(data: Any, valid: BoolArray | None, offsets: IntArray, rounded: bool) -> Any:
        return _kernels.quantile(data, valid, offsets, wanted, interpolation, rounded=rounded)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_date64(values.type):  # a quantile must be a whole day, which milliseconds are not
            return reduction(values.cast(pa.date32()), offsets).cast(pa.date64())
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
        if not elementwise.is_text(values.type) and not pt.is_null(values.type):
            raise JagTypeError.no_kernel("join", values.type, hint="It takes strings; cast to string first.")
        values = values.cast(pa.large_string())
        found = text_loops.joined_rows(values, offsets, sep)
        if found is not None:
            return found
        if (valid := _arrow.valid_of(values)) is not None:
            values, offsets = values.drop_null(), filter_rows(valid, offsets)
        check_memory(n_bytes(values) + max(0, len(values) - len(offsets) + 1) * len(sep.encode()), 1)
        lists = _arrow.wrap([_arrow.Level(offsets, None, None)], values)
        joined = pc.binary_join(lists, pa.scalar(sep, pa.large_string()))
        return structure.null_values(joined, row_sizes(offsets) > 0)

    return over_axes(column, axis, reduction, "join", skip_nulls=skip_nulls, min_count=min_count)


def collapse(column: Column, axis: Any) -> Column:
    """Return the value that all items of a row share; null if they differ or the row is empty. Koda's `agg collapse`."""

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        item, keep = _kernels.collapse(*_arrow.equality_key(values, "collapse"), offsets)
        return _pick_items(values, item, keep)

    return over_axes(column, axis, reduction, "collapse")
