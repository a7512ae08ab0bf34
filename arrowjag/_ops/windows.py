"""Rolling and expanding windows, by items or by time, exponentially weighted statistics and relative changes."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer, is_int, item_count
from arrowjag._kernels import scan as _scan
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.words import unless_all
from arrowjag._kernels.elementwise.times import nanoseconds_of
from arrowjag._kernels.move import gather
from arrowjag._kernels.reduce.quantiles import probability
from arrowjag._kernels.reduce.segments import EXACT, result_type
from arrowjag._kernels.scan import rolling, weights, window_statistics
from arrowjag._kernels.scan import windows as _windows
from arrowjag._kernels.scan.window_quantiles import quantiles
from arrowjag._kernels.scan.windows import Windows
from arrowjag._ops import along_axis, elementwise, exact, structure
from arrowjag._ops import scan as _scans
from arrowjag._ops.multi_reduce import floats
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError, JagRangeError, JagTypeError, JagValueError, brief
from arrowjag.typing import BoolArray, IntArray

__all__ = ["STATISTICS", "check_window", "decaying_rate", "ewm", "pct_change", "roll"]


class View(NamedTuple):
    """The values of some rows and the windows over them."""

    values: pa.Array
    valid: BoolArray | None
    """Which values are not null; None if all are."""
    offsets: IntArray
    windows: Windows
    """As positions among the values, for statistics of `_OF_VALID` among those that are not null."""
    counts: IntArray
    """The number of valid items of each window."""
    least: int = 1
    """The number of valid items below which the result of a window is null."""
    expanding: bool = False
    """Whether windows hold all items of the row up to each one."""
    trailing: int = 0
    """The size of windows of items that end with their own; 0 for others."""

    def present(self, least: int) -> BoolArray | None:
        """Flag the windows that hold at least `least` items, or as many as the statistic needs; None if all do."""
        return unless_all(self.enough(least))

    def enough(self, least: int) -> BoolArray:
        """Flag the windows that hold at least `least` items, or as many as the statistic needs."""
        enough: BoolArray = self.counts >= max(least, self.least)
        return enough

    def sums(self, data: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sums of numbers that are 0 where null; expanding ones are running sums."""
        if self.expanding:
            try:
                return _scan.cumsum(data, None, self.offsets)[0]
            except JagOverflowError as error:
                raise error.renamed("rolling sum", "cumsum") from None
        return window_statistics.sums(data, self.offsets, self.windows, self.trailing)


Statistic: TypeAlias = Callable[..., pa.Array]


# --------------------------------------------------------------------------------------------------- statistics


def _filled(values: pa.Array, view: View, dtype: Any) -> npt.NDArray[Any]:
    """Return the values as numbers of a type, 0 where null."""
    data = _arrow.data_alone(values).astype(dtype, copy=False)
    return data if view.valid is None else filled(data, view.valid, 0)


def _halves(values: pa.Array) -> list[IntArray]:
    """Split 64-bit integers into their lower and upper 32 bits; only the upper ones are signed."""
    data, valid = _arrow.to_numpy(values)
    data = data if valid is None else filled(data, valid, 0)
    return [(data & 0xFFFFFFFF).astype(np.int64), (data >> 32).astype(np.int64)]


def _sums_of_parts(parts: list[IntArray], view: View) -> list[IntArray]:
    """Sums of parts of 32 bits; expanding windows are running sums."""
    return [view.sums(part) for part in parts]


def _sum(view: View) -> pa.Array:
    type = view.values.type
    if pt.is_duration(type):
        return _sum(view._replace(values=view.values.cast(pa.int64()))).cast(type)
    if pt.is_decimal(type):
        parts = _sums_of_parts(exact.parts_of(view.values, exact.longest_row(view.offsets)), view)
        found = exact.assembled(parts, None, exact.wide_type(type), "rolling sum", view.offsets)
        return structure.null_values(found, view.enough(0))
    values = _arrow.plain_numbers(view.values, "rolling sum")
    if pt.is_floating(values.type):
        return _rounded(view.sums(_filled(values, view, np.float64)), view)
    unsigned = pt.is_unsigned_integer(values.type)
    data = _filled(values, view, np.uint64 if unsigned else np.int64)
    largest = largest_magnitude(data)
    if not view.expanding and largest * _offsets.longest_of(view.windows.sizes) > np.iinfo(data.dtype).max:
        _check_sums(_arrow.from_numpy(data), view)
    return _arrow.from_numpy(view.sums(data), view.enough(0))


def _check_sums(values: pa.Array, view: View) -> None:
    low, high = _sums_of_parts(_halves(values), view)
    high = high + (low >> 32)
    limits = np.iinfo(np.uint64 if pt.is_unsigned_integer(values.type) else np.int64)
    bad = (high > limits.max >> 32) | (high < limits.min >> 32)
    if bad.any():
        row = int(_offsets.parents(view.offsets)[int(bad.argmax())])
        raise JagOverflowError(
            f"rolling sum: integer overflow, the result of row {row} does not fit {values.type}. {OVERFLOW_HINT}", row=row
        )


def _rounded(data: npt.NDArray[Any], view: View) -> pa.Array:
    """Floats in the type of the values, null for windows with too few items."""
    return without_warnings(_arrow.from_numpy, data, view.enough(0), view.values.type)


def _mean(view: View) -> pa.Array:
    type = view.values.type
    n = view.counts if np.count_nonzero(view.counts) == len(view.counts) else np.maximum(view.counts, 1)
    if pt.is_decimal(type) or _arrow.is_temporal(type):
        most = exact.longest_row(view.offsets)
        parts = exact.parts_of(view.values, most) if pt.is_decimal(type) else exact.moment_parts(view.values, most)[0]
        return structure.null_values(exact.divided(_sums_of_parts(parts, view), n, type, "rolling mean"), view.enough(0))
    values = _arrow.plain_numbers(view.values, "rolling mean")
    if pt.is_floating(values.type):
        totals = view.sums(_filled(values, view, np.float64))
        return _rounded(np.divide(totals, n, out=totals), view)
    if values.type.bit_width < 64 or pt.is_boolean(values.type):
        return _arrow.from_numpy(view.sums(_filled(values, view, np.int64)) / n, view.enough(0))
    data = _filled(values, view, np.uint64 if pt.is_unsigned_integer(values.type) else np.int64)
    largest = largest_magnitude(data)
    if largest * _offsets.longest_of(view.windows.sizes) <= EXACT:
        return _arrow.from_numpy(view.sums(data) / n, view.enough(0))
    low, high = _sums_of_parts(_halves(values), view)
    high, low = high + (low >> 32), low & 0xFFFFFFFF
    return _arrow.from_numpy((np.multiply(high, 2.0**32, dtype=np.float64) + low) / n, view.enough(0))


def _extreme(name: str) -> Statistic:
    ufunc, running = (np.fmin, _scan.cummin) if name == "min" else (np.fmax, _scan.cummax)

    def statistic(view: View) -> pa.Array:
        def kernel(data: npt.NDArray[Any], valid: BoolArray | None) -> tuple[npt.NDArray[Any], BoolArray | None]:
            if view.expanding:
                return running(data, valid, view.offsets)[0], view.present(1)
            return window_statistics.extremes(ufunc, data, valid, view.offsets, view.windows), view.present(1)

        return _scans.by_order(view.values, f"rolling {name}", kernel)

    return statistic


def _count(view: View) -> pa.Array:
    return _arrow.from_numpy(view.counts, view.windows.sizes >= view.least)


def _spread_data(values: pa.Array, offsets: IntArray, name: str) -> npt.NDArray[Any]:
    """Return numbers with the same deviations from the mean as the values."""
    if pt.is_decimal(values.type):
        values = exact.deviations(values, offsets)
    data = _arrow.data_alone(_arrow.plain_numbers(values, f"rolling {name}"))
    return data.astype(np.float64) if data.dtype.kind == "b" else data


def _spread(view: View, ddof: int = 1, *, root: bool = False) -> pa.Array:
    less = integer(ddof, "rolling: ddof")
    data = _spread_data(view.values, view.offsets, "std" if root else "var")
    with np.errstate(all="ignore"):
        if view.expanding:
            state = weights.decayed(data, view.valid, view.offsets, 1.0)
            squares = np.where(np.isfinite(state.mean), state.spread, np.nan)
        else:
            squares = window_statistics.variances(data, view.valid, view.offsets, view.windows)
        if len(squares) < strategy.sizes.CALL_VALUES:
            parts = view.counts - less
        else:
            parts = np.subtract(view.counts, less, out=empty(len(squares), np.float64), casting="same_kind")
        found = np.divide(squares, parts, out=squares)
        _clear_infinities(found)
        if root:
            np.sqrt(found, out=found)
    return _arrow.from_numpy(_narrowed(found, data), view.enough(less + 1))


def _clear_infinities(found: npt.NDArray[np.float64]) -> None:
    """Write NaN over infinities; a finite sum of all numbers shows that there are none."""
    if not math.isfinite(np.add.reduce(found)):
        found[~np.isfinite(found)] = np.nan


def _narrowed(found: npt.NDArray[np.float64], data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Cast results to the type that they have for data of this type."""
    return without_warnings(found.astype, result_type(data.dtype), copy=False)


def _std(view: View, ddof: int = 1) -> pa.Array:
    return _spread(view, ddof, root=True)


def _quantile(view: View, q: Any, interpolation: str = "linear", name: str = "quantile") -> pa.Array:
    wanted = probability(q)
    type = view.values.type
    if _arrow.is_temporal(type):
        raise JagTypeError.no_kernel(f"rolling {name}", type)
    data = floats(view.values, f"rolling {name}")
    found = quantiles(data if view.valid is None else data[view.valid], view.windows, wanted, interpolation)
    return _arrow.from_numpy(found, view.enough(1))


def _median(view: View) -> pa.Array:
    return _quantile(view, 0.5, name="median")


def _end(kernel: Callable[[BoolArray | None, Windows], IntArray]) -> Statistic:
    def statistic(view: View) -> pa.Array:
        if len(view.values) == 0:
            return view.values
        return gather.take(view.values, kernel(view.valid, view.windows), view.present(1))

    return statistic


STATISTICS: dict[str, Statistic] = {
    "sum": _sum,
    "mean": _mean,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "count": _count,
    "var": _spread,
    "std": _std,
    "median": _median,
    "quantile": _quantile,
    "first": _end(window_statistics.first_items),
    "last": _end(window_statistics.last_items),
}
"""The kernel of each statistic, by name; results of windows with too few items are null."""

_OF_VALID = frozenset({"median", "quantile"})
"""Statistics whose kernels take items without nulls."""


# --------------------------------------------------------------------------------------------------- which items


def roll(
    column: Column,
    name: str,
    window: Any,
    axis: Any,
    min_periods: Any,
    center: Any,
    on: Column | None,
    **options: Any,
) -> Column:
    """Apply one of `STATISTICS` to the window of each item, along any axis."""
    if name == "std" and pt.is_duration(column.type):
        again = partial(roll, name=name, window=window, axis=axis, min_periods=min_periods, center=center, on=on, **options)
        return elementwise.by_counts(again, column, "rolling std")
    least = None if min_periods is None else integer(min_periods, "rolling: min_periods", 0)
    if on is not None:
        return _roll_by_time(column, name, window, axis, least, bool(center), on, options)
    width = check_window(window, None)
    if width is not None and least is not None and least > width:
        raise JagValueError(f"rolling: min_periods must be at most the window, {width}, got {least}")
    if not center and width is not None and least in (None, width):
        if name in _scans.ROLLING:
            return _scans.roll(column, name, width, axis)
        if name in ("var", "std") and width > integer(options.get("ddof", 1), "rolling: ddof") >= 0:
            return _spread_of_full(column, name, width, axis, **options)
        if name in ("first", "last"):
            return _end_of_full(column, name, width, axis)
    wanted = least if least is not None else 1 if width is None else width

    @along_axis.in_blocks
    def apply(values: pa.Array, offsets: IntArray) -> pa.Array:
        windows = _windows.of_items(offsets, width, bool(center))
        return _over(name, values, offsets, windows, wanted, options, expanding=width is None, trailing=0 if center else width or 0)

    return along_axis.apply(column, axis, apply, f"rolling {name}", complete=True)


def _spread_of_full(column: Column, name: str, width: int, axis: Any, ddof: int = 1) -> Column:
    """Return the rolling variance or standard deviation, where only windows of `width` valid items have a result."""

    def apply(values: pa.Array, offsets: IntArray) -> pa.Array:
        data = _spread_data(values, offsets, name)
        valid = _arrow.valid_of(values)
        parts = width - integer(ddof, "rolling: ddof")
        found = window_statistics.full_variances(data, valid, offsets, width, parts, root=name == "std")
        return _arrow.from_numpy(_narrowed(found, data), rolling.full(valid, offsets, width))

    return along_axis.apply(column, axis, apply, f"rolling {name}", complete=True)


def _end_of_full(column: Column, name: str, width: int, axis: Any) -> Column:
    """Return the first or the last item of each window of `width` valid items, null for other windows."""

    def apply(values: pa.Array, offsets: IntArray) -> pa.Array:
        full = rolling.full(_arrow.valid_of(values), offsets, width)
        ends = values if name == "last" else _scans.shifted(values, offsets, width - 1)
        return ends if full is None else structure.null_values(ends, full)

    return along_axis.apply(column, axis, apply, f"rolling {name}", complete=True)


def check_window(window: Any, on: Any) -> int | None:
    """Return the number of items of a window; None for an expanding one, and for one of time, which `on` decides."""
    if window is None or on is not None:
        return None
    if type(window) is int and 1 <= window < 2**31:
        return window
    if isinstance(window, (str, dt.timedelta, np.timedelta64, pa.DurationScalar)):
        raise JagTypeError(f"rolling: a window of time, {brief(window)}, needs the times: rolling({brief(window)}, on=times)")
    return item_count(window, "rolling: window", 1)


def _over(
    name: str,
    values: pa.Array,
    offsets: IntArray,
    windows: Windows,
    least: int,
    options: dict[str, Any],
    *,
    expanding: bool = False,
    trailing: int = 0,
) -> pa.Array:
    """Compute a statistic of each window; null where it has too few items, or for `count` too few slots."""
    valid = _arrow.valid_of(values)
    if valid is not None and name in _OF_VALID:
        windows = windows.among(valid)
        counts = windows.sizes
    else:
        counts = window_statistics.counts(valid, offsets, windows)
    if name not in ("sum", "count"):
        least = max(least, 1)
    return STATISTICS[name](View(values, valid, offsets, windows, counts, least, expanding, trailing), **options)


def _roll_by_time(
    column: Column, name: str, window: Any, axis: Any, least: int | None, center: bool, on: Column, options: dict[str, Any]
) -> Column:
    width = _width(window, on.type)
    if isinstance(width, int) and width >= 2**63:
        raise JagRangeError(f"rolling: the window must fit 64 bits of {on.type}, got {brief(window)}")

    @along_axis.in_blocks
    def apply(values: pa.Array, times: pa.Array, offsets: IntArray) -> pa.Array:
        instants = _times(times, offsets)
        windows = _windows.of_times(instants, offsets, width, center)
        return _over(name, values, offsets, windows, 1 if least is None else least, options)

    return along_axis.apply_both(column, on, axis, apply, f"rolling {name}")


def _times(times: pa.Array, offsets: IntArray) -> npt.NDArray[Any]:
    """Times as int64 or float64; raises for a null, and where they fall."""
    row: int | None = None
    if times.null_count:
        row, fault = int(_offsets.parents(offsets)[int(np.asarray(times.is_null()).argmax())]), "holds a null"
    else:
        data, _ = _arrow.to_numpy(times)
        if data.dtype == np.uint64:
            data = (data ^ (1 << 63)).view(np.int64)  # subtract 2**63, so that all values fit int64; differences don't change
        data = data.astype(np.float64 if data.dtype.kind == "f" else np.int64, copy=False)
        falls = _windows.is_falling(data, offsets)
        if not np.count_nonzero(falls):
            return data
        row, fault = int(_offsets.parents(offsets)[int(falls.argmax())]), "decreases or holds a NaN"
    message = f"rolling: `on` must not decrease within a row, but it {fault} in row {row}; sort the row by it first"
    raise JagValueError(message, row=row)


_UNITS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
    "w": 7 * 86400 * 10**9,
}
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _width(window: Any, type: pa.DataType) -> Any:
    """The width of a window in the unit of the times."""
    if _arrow.is_temporal(type):
        return _width_of_time(window, type)
    if pt.is_integer(type) or pt.is_floating(type):
        if not (is_int(window) or (pt.is_floating(type) and isinstance(window, (float, np.floating)))):
            raise JagTypeError(f"rolling: `on` holds {type}, so the window must be a number of its kind, got {brief(window)}")
        if not 0 < window < math.inf:
            raise JagValueError(f"rolling: the window must be a finite number of more than 0, got {window}")
        return float(window) if pt.is_floating(type) else int(window)
    raise JagTypeError(f"rolling: `on` must hold times or numbers, got {type}")


def _width_of_time(window: Any, type: pa.DataType) -> int:
    nanoseconds = _nanoseconds(window)
    if nanoseconds <= 0:
        raise JagValueError(f"rolling: the window must be more than 0, got {brief(window)}")
    if type == pa.date32():
        unit = 86400 * 10**9
    elif type == pa.date64():
        unit = 10**6
    else:
        unit = 10**9 // _PER_SECOND[type.unit]
    if nanoseconds % unit:
        raise JagValueError(
            f"rolling: the window {brief(window)} is not a whole number of the units of {type}; cast the times to a finer unit"
        )
    return min(nanoseconds // unit, 2**62)


def _nanoseconds(window: Any) -> int:
    if isinstance(window, pa.DurationScalar):
        window = window.as_py()
    if isinstance(window, np.timedelta64):
        return nanoseconds_of(window)
    if isinstance(window, dt.timedelta):
        return (window // dt.timedelta(microseconds=1)) * 1000 + getattr(window, "nanoseconds", 0)
    if not isinstance(window, str):
        raise JagTypeError(f"rolling: with times in `on` the window must be text such as '2h' or a timedelta, got {brief(window)}")
    parts = re.fullmatch(r"((?:\d+(?:ns|us|ms|s|m|h|d|w))+)", window)
    if parts is None:
        raise JagValueError(
            f"rolling: the window must be text such as '5m', '2h' or '1d12h' (units {', '.join(_UNITS)}), got {brief(window)}"
        )
    return sum(int(n) * _UNITS[unit] for n, unit in re.findall(r"(\d+)(ns|us|ms|s|m|h|d|w)", window))


# --------------------------------------------------------------------------------------------------- decaying weights


def decaying_rate(alpha: Any, span: Any, halflife: Any) -> float:
    """Return the weight of the newest item, from exactly one of three parameters."""
    given = {name: one for name, one in (("alpha", alpha), ("span", span), ("halflife", halflife)) if one is not None}
    if len(given) != 1:
        raise JagValueError(f"ewm takes exactly one of alpha=, span= and halflife=, got {', '.join(given) or 'none'}")
    ((name, value),) = given.items()
    if name == "alpha":
        fits, rule = 0 < value <= 1, "more than 0 and at most 1"
    else:
        fits, rule = (value >= 1, "at least 1") if name == "span" else (value > 0, "more than 0")
    if not fits or not math.isfinite(value):
        raise JagValueError(f"ewm: {name} must be {rule}, got {brief(value)}")
    if name == "alpha":
        return float(value)
    return 2 / (value + 1) if name == "span" else -math.expm1(-math.log(2) / value)


def ewm(column: Column, name: str, rate: float, axis: Any) -> Column:
    """The exponentially weighted mean or variance of all items up to each one; null at a null."""

    def mean(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = floats(values, "ewm mean"), _arrow.valid_of(values)
        state = weights.decayed(without_warnings(data.astype, np.float64, copy=False), valid, offsets, 1 - rate)
        return _arrow.from_numpy(_narrowed(state.mean, data), valid)

    @along_axis.in_blocks
    def variance(values: pa.Array, offsets: IntArray) -> pa.Array:
        if pt.is_decimal(values.type):
            values = exact.deviations(values, offsets)
        data, valid = floats(values, "ewm var"), _arrow.valid_of(values)
        known = _several(valid, offsets)
        found = without_warnings(_decayed_variances, weights.decayed(data, valid, offsets, 1 - rate))
        _clear_infinities(found)
        return _arrow.from_numpy(_narrowed(found, data), known)

    return along_axis.apply(column, axis, mean if name == "mean" else variance, f"ewm {name}", complete=True)


def _decayed_variances(state: weights.State) -> npt.NDArray[np.float64]:
    whole = state.weight * state.weight
    found = np.subtract(whole, state.square, out=state.square)
    np.divide(whole, found, out=found)
    found *= np.divide(state.spread, state.weight, out=whole)
    return found


def _several(valid: BoolArray | None, offsets: IntArray) -> BoolArray:
    """Which items are valid and not the first valid one of their row."""
    if valid is not None:
        counts, _ = _scan.cumcount(valid, offsets)
        return valid & (counts > 1)
    known = np.ones(int(offsets[-1]), np.bool_)
    known[offsets[:-1][offsets[:-1] < offsets[1:]]] = False
    return known


def pct_change(column: Column, n: Any, axis: Any) -> Column:
    """Each item divided by the one n slots before it, less 1."""
    distance = integer(n, "pct_change: n")

    def change(values: pa.Array, offsets: IntArray) -> pa.Array:
        data, valid = floats(values, "pct_change"), _arrow.valid_of(values)
        return _arrow.from_numpy(*_scan.relative_change(data.astype(result_type(data.dtype), copy=False), valid, offsets, distance))

    return along_axis.apply(column, axis, change, "pct_change", complete=True)
