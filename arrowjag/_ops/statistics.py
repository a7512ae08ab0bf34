"""Statistics of rows: moments, entropy, weighted means and quantiles, correlation and linear fits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import MOST_ITEMS, integer
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import scan as _scan
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.fill import spread_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import count_true, filter_rows, of_size, row_sizes
from arrowjag._kernels.base.words import as_flags, nulls_like, unless_all, without_validity
from arrowjag._kernels.move import gather
from arrowjag._kernels.order import sort as _sort
from arrowjag._kernels.reduce import moments as _moments
from arrowjag._kernels.reduce import products as _products
from arrowjag._kernels.reduce import quantiles
from arrowjag._kernels.reduce.min_max import min_max
from arrowjag._kernels.reduce.ordered import row_sums
from arrowjag._kernels.reduce.segments import Block, moments, over_blocks, shifted
from arrowjag._kernels.reduce.sums import bootstrap_means
from arrowjag._ops import elementwise, exact, structure
from arrowjag._ops.axes import normalize_axes
from arrowjag._ops.cursor import row_name
from arrowjag._ops.multi_reduce import floats, over_pairs, reduce_to_lists, with_lists
from arrowjag._ops.over_axes import over_axes
from arrowjag._ops.reduce import quantile, reduce
from arrowjag._ops.weights import weights_of
from arrowjag.errors import JagOverflowError, JagTypeError
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "bootstrap",
    "central_moment",
    "correlation",
    "covariance",
    "entropy",
    "linear_fit",
    "median_deviation",
    "of_moments",
    "peak_to_peak",
    "probabilities",
    "quantiles_of",
    "weighted_mean",
    "weighted_quantile",
]

Floats = npt.NDArray[np.float64]


def _numbers(values: pa.Array, offsets: IntArray, operation: str) -> pa.Array:
    """Convert values to numbers of equal central moments: decimals are replaced by their deviations from the row mean."""
    if pt.is_decimal(values.type):
        return exact.deviations(values, offsets)
    if pt.is_boolean(values.type):
        return values.cast(pa.uint8())
    if pt.is_null(values.type):
        return values.cast(pa.float64())
    if not _arrow.is_numeric(values.type):
        raise JagTypeError.no_kernel(operation, values.type)
    return values


def of_moments(column: Column, name: str, axis: Any, skip_nulls: bool, min_count: int | None, *arguments: Any) -> Column:
    """Apply one of the kernels `skew`, `kurtosis`, `sem` and `moment`."""
    kernel = getattr(_moments, name)

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = _arrow.to_numpy(_numbers(values, offsets, name))
        return _arrow.from_numpy(*kernel(data, valid, offsets, *arguments))

    compute = functools.partial(
        over_axes, axis=axis, reduction=reduction, operation=name, skip_nulls=skip_nulls, min_count=min_count
    )
    return elementwise.by_counts(compute, column, name) if name == "sem" else compute(column)


def central_moment(column: Column, k: Any, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The k-th central moment; the first two are 1 and 0 by definition, NaN in rows that are not finite."""
    order = integer(k, "moment: k", 0)
    if order >= 2:
        return of_moments(column, "moment", axis, skip_nulls, min_count, order)
    second = of_moments(column, "moment", axis, skip_nulls, min_count, 2)
    data, valid = _arrow.to_numpy(second.values)
    fixed = np.where(np.isnan(data), data, data.dtype.type(1 - order))
    return Column(second.shape, _arrow.from_numpy(fixed, valid))


def entropy(column: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The entropy of items as weights."""

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        return _arrow.from_numpy(*_moments.entropy(floats(values, "entropy"), _arrow.valid_of(values), offsets))

    return over_axes(column, axis, reduction, "entropy", skip_nulls=skip_nulls, min_count=min_count)


def median_deviation(column: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The median of the distances from the median."""

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = _arrow.to_numpy(_numbers(values, offsets, "mad"))
        if data.dtype.kind in "iu":
            data = _as_distances(data, valid, offsets)
        return _arrow.from_numpy(*quantiles.median_deviation(data, valid, offsets))

    compute = functools.partial(
        over_axes, axis=axis, reduction=reduction, operation="mad", skip_nulls=skip_nulls, min_count=min_count
    )
    return elementwise.by_counts(compute, column, "mad")


def _as_distances(data: npt.NDArray[Any], valid: BoolArray | None, offsets: IntArray) -> Floats:
    """Convert integers to float64; those of rows with integers beyond 2**53 to distances from the largest item."""
    out = np.empty(len(data))

    def work(block: Block) -> None:
        out[block.items] = shifted(block)

    over_blocks(work, data, valid, offsets)
    return out


def peak_to_peak(column: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The largest item less the smallest; NaN poisons."""
    type = column.type
    if _arrow.is_temporal(type) or pt.is_decimal(type):
        normalize_axes(axis, column.ndim, "ptp")
        ends = [reduce(column, name, axis, skip_nulls=skip_nulls, min_count=min_count) for name in ("max", "min")]
        return _not_negative(elementwise.binary("subtract", *ends))

    def reduction(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_float16(values.type):
            return elementwise.in_single_precision(lambda singles: reduction(singles, offsets), values)
        data, valid = _arrow.to_numpy_bits(_numbers(values, offsets, "ptp"))
        low, high, present, may_hold_nan = min_max(data, valid, offsets)
        if data.dtype.kind in "iu":
            unsigned = np.dtype(f"u{data.itemsize}")
            return _arrow.from_numpy((high.view(unsigned) - low.view(unsigned)).astype(np.float64), present)
        found = without_warnings(np.subtract, high, low)
        if may_hold_nan:
            bad, _ = _reduce.any(np.isnan(data), as_flags(valid), offsets)
            found[bad] = np.nan
        return _arrow.from_numpy(found, present)

    return over_axes(column, axis, reduction, "ptp", skip_nulls=skip_nulls, min_count=min_count)


def _not_negative(differences: Column) -> Column:
    """Return differences of the largest and the smallest item; raise if one of times wrapped around."""
    values = differences.values
    if pt.is_duration(values.type):
        data, valid = _arrow.to_numpy(values)
        wrapped = data < 0 if valid is None else (data < 0) & valid
        if wrapped.any():
            row = row_name(differences.shape, differences.ndim, int(wrapped.argmax()))
            raise JagOverflowError(f"ptp: the result of {row} does not fit {values.type}; cast to a coarser unit first")
    return differences


# --------------------------------------------------------------------------------------------------- weights


def weighted_mean(column: Column, weights: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The sum of items times weights, divided by the sum of weights."""

    def reduction(x: pa.Array, w: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        data = floats(x, "mean")
        amounts, valid = weights_of(w, valid, offsets, "mean")

        def work(block: Block, out: Floats) -> BoolArray:
            parts = np.multiply(block.data, amounts[block.items], dtype=np.float64)
            row_sums(parts, block.valid, block.offsets, out)
            total = np.empty(len(out))
            row_sums(amounts[block.items], block.valid, block.offsets, total)
            out /= total
            weighty: BoolArray = total != 0
            return weighty

        return _arrow.from_numpy(*moments(work, data, valid, offsets))

    return over_pairs(column, weights, axis, reduction, "mean", skip_nulls=skip_nulls, min_count=min_count)


def probabilities(q: Any) -> list[float] | None:
    """Return the probabilities of a list or array; None for a single number."""
    if isinstance(q, (pa.Array, pa.ChunkedArray)):
        q = q.to_pylist()
    if not isinstance(q, (list, tuple)) and not (isinstance(q, np.ndarray) and q.ndim == 1):
        return None
    return [quantiles.probability(one) for one in q]


def quantiles_of(
    column: Column, q: Sequence[float], interpolation: str, axis: Any, skip_nulls: bool, min_count: int | None
) -> Column:
    """Several quantiles of each row, as one more dim."""
    type = column.type
    if _arrow.is_temporal(type) or pt.is_decimal(type) or len(q) == 0:
        parts = [quantile(column, one, interpolation, axis, skip_nulls, min_count) for one in q] or [
            quantile(column, 0.5, interpolation, axis, skip_nulls, min_count)
        ]
        return _interleaved(column, parts, len(q), axis, skip_nulls, min_count)

    def lists(values: pa.Array, offsets: IntArray) -> tuple[pa.Array, IntArray]:
        data, valid = floats(values, "quantile"), _arrow.valid_of(values)
        found, present = quantiles.quantiles(data, valid, offsets, q, interpolation)
        known = None if present is None else present.repeat(len(q))
        return _arrow.from_numpy(found.reshape(-1), known), of_size(len(q), len(offsets) - 1)

    return reduce_to_lists(column, axis, lists, "quantile", skip_nulls=skip_nulls, min_count=min_count)


def _interleaved(column: Column, parts: list[Column], n: int, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Combine the results of several reductions to one list per row."""
    found = pa.concat_arrays([one.values for one in parts])
    n_rows = len(parts[0].values)

    def lists(_values: pa.Array, offsets: IntArray) -> tuple[pa.Array, IntArray]:
        order = np.arange(n_rows * n).reshape(n, n_rows).T.reshape(-1)
        return gather.take(found, order) if n else found[:0], of_size(n, len(offsets) - 1)

    return reduce_to_lists(column, axis, lists, "quantile", skip_nulls=skip_nulls, min_count=min_count)


def weighted_quantile(
    column: Column, q: Sequence[float], weights: Column, axis: Any, skip_nulls: bool, min_count: int | None, *, several: bool
) -> Column:
    """The smallest item of each row whose cumulative weight reaches the share q of the total: numpy's "inverted_cdf"."""
    made: list[tuple[pa.Array, IntArray]] = []

    def reduction(x: pa.Array, w: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        x = without_validity(_ordered_type(x))  # rows that have an item pick none that is null
        amounts, valid = weights_of(w, valid, offsets, "quantile")
        items, present, finite = _weighted_items(x, amounts, valid, offsets, q)
        if len(x):
            picked = gather.take(x, items.reshape(-1), None if present is None else present.repeat(len(q)))
        else:
            picked = nulls_like(x, items.size)
        picked = _as_mean(picked, None if finite is None else ~finite.repeat(len(q)))
        made[:] = [(picked, of_size(len(q), len(offsets) - 1))]
        return _arrow.numbers(len(offsets) - 1) if several else picked

    rows = over_pairs(column, weights, axis, reduction, "quantile", skip_nulls=skip_nulls, min_count=min_count)
    if not several:
        return rows
    return with_lists(rows, *made[0])


def _ordered_type(values: pa.Array) -> pa.Array:
    if _arrow.is_temporal(values.type):
        return values
    if pt.is_boolean(values.type):
        return values.cast(pa.uint8()).cast(pa.float64())
    if pt.is_null(values.type):
        return values.cast(pa.float64())
    if not (_arrow.is_numeric(values.type) or pt.is_decimal(values.type)):
        raise JagTypeError.no_kernel("quantile", values.type)
    return values


def _as_mean(values: pa.Array, unknown: BoolArray | None) -> pa.Array:
    """Convert integers to float64; write NaN (null for temporals and decimals) where the total weight is not finite."""
    values = values.cast(pa.float64(), safe=False) if pt.is_integer(values.type) else values
    if unknown is None:
        return values
    if _arrow.is_temporal(values.type) or pt.is_decimal(values.type):
        return structure.null_values(values, ~unknown)
    data, valid = _arrow.to_numpy(values)
    return _arrow.from_numpy(np.where(unknown, data.dtype.type(np.nan), data), valid)


def _weighted_items(
    x: pa.Array, amounts: Floats, valid: BoolArray | None, offsets: IntArray, q: Sequence[float]
) -> tuple[IntArray, BoolArray | None, BoolArray | None]:
    """Return the item of each row and q, and flags of rows that have one and of rows with a finite total weight; None if all."""
    data, _ = _arrow.order_key(x, "quantile")
    kept: IntArray | None = None
    if valid is not None:
        kept = valid.nonzero()[0]
        data, amounts, offsets = gather.taken(data, kept), gather.taken(amounts, kept), filter_rows(valid, offsets)
    n_rows, last_item = len(offsets) - 1, max(len(data) - 1, 0)
    items, totals = np.empty((n_rows, len(q)), np.int64), np.empty(n_rows)

    def work(block: Block) -> None:
        found, totals[block.rows] = _weighted_places(block, amounts[block.items], q)
        items[block.rows] = np.minimum(found + block.items.start, last_item)

    over_blocks(work, data, None, offsets)
    if kept is not None and len(kept):
        items = kept[items]
    return items, unless_all(totals != 0), unless_all(np.isfinite(totals))


def _weighted_places(block: Block, amounts: Floats, q: Sequence[float]) -> tuple[IntArray, Floats]:
    """The item of each row of a block, which holds no nulls, and each q, and the total weight of each row."""
    data, offsets = block.data, block.offsets
    sizes = row_sizes(offsets)
    items = np.zeros((len(sizes), len(q)), np.int64)
    if not len(data):
        return items, np.zeros(len(sizes))
    order = _sort.argsort(data, None, offsets)
    running, _ = _scan.cumsum(amounts.take(order, out=empty(len(order), np.float64), mode="clip"), None, offsets)
    last, full = np.maximum(sizes - 1, 0), sizes > 0
    starts = np.minimum(offsets[:-1], len(data) - 1)
    ends = starts + last
    total = np.where(full, running[ends], 0.0)
    shares = spread_rows(total, offsets)
    np.divide(running, shares, out=shares)
    are_light = running <= 0
    weightless: Any = count_true(are_light, offsets) if np.count_nonzero(are_light) else 0
    for place, one in enumerate(q):
        below = count_true(shares < one, offsets)
        items[:, place] = np.minimum(np.maximum(below, weightless), last)
    # A NaN, which is sorted behind all numbers, makes the result of its row NaN, as does a NaN among the weights.
    if holds_nan(data):
        bad = full & np.isnan(data[order[ends]])
        items[bad] = last[bad][:, None]
    items += starts[:, None]
    return order[items], total


# --------------------------------------------------------------------------------------------------- two columns


def _of_products(
    x: Column,
    y: Column,
    axis: Any,
    finish: Callable[[_products.Products], tuple[Floats, ...]],
    fields: tuple[str, ...],
    operation: str,
    skip_nulls: bool,
    min_count: int | None,
) -> Column:
    """Reduce complete pairs to numbers made of `Products`; null for rows with fewer than two pairs."""

    def reduction(one: pa.Array, two: pa.Array, valid: BoolArray | None, offsets: IntArray) -> pa.Array:
        a, b = floats(one, operation), floats(two, operation)
        dtype = _products.common_type(a, b)
        found = _products.products(a, b, valid, offsets)
        results = without_warnings(lambda: [each.astype(dtype, copy=False) for each in finish(found)])
        enough = found.counts > 1
        if len(fields) == 1:
            return _arrow.from_numpy(results[0], enough)
        flags = unless_all(enough)
        columns = [_arrow.from_numpy(each) for each in results]
        return _arrow.structs(columns, _fields(fields, columns[0].type), flags)

    return over_pairs(x, y, axis, reduction, operation, skip_nulls=skip_nulls, min_count=min_count)


@functools.lru_cache(16)
def _fields(names: tuple[str, ...], type: pa.DataType) -> list[pa.Field]:
    """Fields of one type."""
    return [pa.field(name, type) for name in names]


def correlation(x: Column, y: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """Pearson's correlation coefficient."""

    def finish(found: _products.Products) -> tuple[Floats, ...]:
        return (_products.unit_product(found.xy, found.xx, found.yy),)

    return _of_products(x, y, axis, finish, ("corr",), "corr", skip_nulls, min_count)


def covariance(x: Column, y: Column, ddof: Any, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The sum of the products of the deviations, divided by the number of pairs less `ddof`."""
    less = integer(ddof, "cov: ddof")

    def finish(found: _products.Products) -> tuple[Floats, ...]:
        return (found.xy / (found.counts - less),)

    return _of_products(x, y, axis, finish, ("cov",), "cov", skip_nulls, min_count)


def linear_fit(x: Column, y: Column, axis: Any, skip_nulls: bool, min_count: int | None) -> Column:
    """The straight line of least squares through the points (x, y)."""

    def finish(found: _products.Products) -> tuple[Floats, ...]:
        ratio = found.xy / found.xx
        r2 = np.minimum(np.maximum(ratio * (found.xy / found.yy), 0.0), 1.0)
        np.copyto(ratio, np.nan, where=found.xx == 0)
        return ratio, found.mean_y - ratio * found.mean_x, r2

    return _of_products(x, y, axis, finish, ("slope", "intercept", "r2"), "linear_fit", skip_nulls, min_count)


# --------------------------------------------------------------------------------------------------- bootstrap


def bootstrap(column: Column, n: Any, seed: int, axis: Any) -> Column:
    """n means per row, each of as many items as the row has, drawn with replacement."""
    wanted = integer(n, "bootstrap: n", 0)
    start = integer(seed, "bootstrap: seed", 0)

    def lists(values: pa.Array, offsets: IntArray) -> tuple[pa.Array, IntArray]:
        data, valid = floats(values, "bootstrap"), _arrow.valid_of(values)
        if wanted * (len(offsets) - 1) > MOST_ITEMS:
            raise JagOverflowError(f"bootstrap: {wanted * (len(offsets) - 1)} means don't fit into memory")
        found, present = bootstrap_means(data, valid, offsets, wanted, start)
        known = None if present is None else present.repeat(wanted)
        return _arrow.from_numpy(found.reshape(-1), known), of_size(wanted, len(offsets) - 1)

    return reduce_to_lists(column, axis, lists, "bootstrap")
