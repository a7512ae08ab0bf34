"""Buckets of time per row, power spectra, and periodograms of unevenly spaced series."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import flat_numbers
from arrowjag._column import Column
from arrowjag._kernels import reduce as _kernels
from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.fill import spread_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.monotonic import all_neighbours
from arrowjag._kernels.base.words import both_valid, unless_all, without_validity
from arrowjag._kernels.move import gather
from arrowjag._kernels.order.interpolation import distance
from arrowjag._kernels.order.sort import argsort
from arrowjag._kernels.reduce.min_max import min_max
from arrowjag._ops import along_axis, elementwise, reduce, struct_fields, structure
from arrowjag._ops.cursor import row_name
from arrowjag._ops.time_buckets import Buckets, buckets_of
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagError, JagRangeError, JagTypeError, JagValueError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["HOWS", "fft_power", "lomb_scargle", "resample"]

_MOST_BUCKETS = 2**24
"""Maximal number of buckets of a row; more indicate that the span is too short by mistake."""

_MOST_IN_ALL = 2**28


# --------------------------------------------------------------------------------------------------- resample


def resample(t: Column, y: Column, every: Any, how: str) -> Column:
    """Reduce the items of each bucket of time of each row; structs of where the bucket begins and of the result."""
    if not (_arrow.is_temporal(t.type) or _arrow.is_numeric(t.type) or pt.is_null(t.type)) or pt.is_boolean(t.type):
        raise JagTypeError.no_kernel("resample", t.type, hint="t holds times or numbers.")
    t, y = structure.align([t, y], "resample")
    structure.check_rows(t.ndim, "resample")
    dim = t.shape.dims[-1]
    times, values, cut = t.values, y.values, dim.offsets
    keep = _usable(times)
    if keep is not None:
        times, cut = gather.filter_values(without_validity(times), keep), _offsets.filter_rows(keep, cut)
    if pt.is_null(times.type):
        times = times.cast(pa.int64())
    try:
        found = buckets_of(times, every, "resample")
    except JagValueError as error:
        used = Column(JaggedShape._trusted((*t.shape.dims[:-1], along_axis.resized(dim, cut))), times)
        raise elementwise.in_first_row(lambda some: buckets_of(some, every, "resample"), [times], used, error, "resample") from None
    first, counts = _spans(found.number, cut, t)
    offsets = _offsets.from_sizes(counts)
    slot, counts = _slots(found.number, first, cut, offsets)
    per_bucket = _offsets.from_counts(counts)
    if not all_neighbours(np.greater_equal, slot):
        few = len(slot) < strategy.sizes.CALL_VALUES  # slots rise from row to row
        order = slot.argsort(kind="stable") if few else argsort(slot, None, cut)
        values = gather.take(values, order if keep is None else keep.nonzero()[0][order])
    elif keep is not None:
        values = gather.filter_values(values, keep)
    made = JaggedShape._trusted((*t.shape.dims[:-1], along_axis.resized(dim, offsets)))
    rows = Column(
        JaggedShape._trusted((Uniform._frame(len(per_bucket) - 1), Ragged.from_offsets(per_bucket, check=False))),
        values,
    )
    labels = _labels(found, Column(made, _arrow.from_numpy(_offsets.runs(first, offsets))))
    try:
        reduced = HOWS[how](rows)
    except JagError as error:
        error = error if error.row is None else error.in_row(row_name(made, made.ndim, error.row, "bucket"))
        raise error.renamed(f"resample: {how}", how) from error.__cause__
    return Column(made, struct_fields.structs({"t": labels, "value": reduced.values}))


def _labels(buckets: Buckets, numbers: Column) -> pa.Array:
    """Convert bucket numbers to the times at which the buckets begin."""

    def label(some: pa.Array) -> pa.Array:
        return buckets.label(_arrow.data_alone(some))

    try:
        return label(numbers.values)
    except JagRangeError as error:
        raise elementwise.in_first_row(label, [numbers.values], numbers, error, "resample") from None


HOWS: dict[str, Any] = {
    **{
        name: (lambda rows, name=name: reduce.reduce(rows, name, -1))
        for name in ("mean", "sum", "min", "max", "first", "last", "prod", "any", "all", "n_unique", "mode")
    },
    "count": lambda rows: reduce.count(rows, -1),
    "lengths": lambda rows: reduce.lengths(rows, -1),
    "median": lambda rows: reduce.quantile(rows, 0.5, "linear", -1, True, None, "median"),
    "std": lambda rows: reduce.spread_of(rows, "std", -1, 1, True, None),
    "var": lambda rows: reduce.spread_of(rows, "var", -1, 1, True, None),
}
"""The reduction of the items of each bucket."""


def _usable(times: pa.Array) -> BoolArray | None:
    """Flag the times that are neither null nor NaN; None if all are usable."""
    data, valid = _arrow.to_numpy(times)
    if holds_nan(data):
        valid = both_valid(valid, ~np.isnan(data))
    return None if valid is None else unless_all(valid)


def _spans(number: IntArray, cut: IntArray, t: Column) -> tuple[IntArray, IntArray]:
    """Return the first bucket of each row, and how many there are up to the last one."""
    low, high, there, _ = min_max(number, None, cut)
    apart = high.view(np.uint64) - low.view(np.uint64)
    n_full = len(low) if there is None else int(np.count_nonzero(there))
    longest = _offsets.longest_of(apart) + 1
    if longest > _MOST_BUCKETS or longest * n_full > _MOST_IN_ALL:
        total = int(np.add.reduce(apart, dtype=np.float64)) + n_full
        if longest > _MOST_BUCKETS or total > _MOST_IN_ALL:
            row = row_name(t.shape, t.ndim - 1, int(apart.argmax()))
            raise JagValueError(
                f"resample: {row} would have {longest} buckets, {total} in all; at most {_MOST_BUCKETS} per row "
                f"and {_MOST_IN_ALL} in all are supported. Give a longer `every`"
            )
    return low, apart.view(np.int64) + (1 if there is None else there)


def _slots(number: IntArray, first: IntArray, cut: IntArray, offsets: IntArray) -> tuple[IntArray, IntArray]:
    """Return the position of each item's bucket among the buckets of all rows, and the number of items of each bucket."""
    if len(number) < strategy.sizes.CALL_VALUES:
        few = number - (first - offsets[:-1]).repeat(_offsets.row_sizes(cut))
        return few, np.bincount(few, minlength=int(offsets[-1]))
    slot, counts = empty(len(number), np.int64), empty(int(offsets[-1]), np.int64)

    def work(low: int, high: int) -> None:
        items, buckets = slice(int(cut[low]), int(cut[high])), slice(int(offsets[low]), int(offsets[high]))
        begins = offsets[low:high] - buckets.start
        here = number[items] - spread_rows(first[low:high] - begins, cut[low : high + 1] - items.start)
        counts[buckets] = np.bincount(here, minlength=buckets.stop - buckets.start)
        np.add(here, buckets.start, out=slot[items])

    blocks.map_rows(work, cut, block_values=strategy.sizes.CACHE_VALUES)
    return slot, counts


# --------------------------------------------------------------------------------------------------- spectra


def fft_power(column: Column, axis: Any) -> Column:
    """Return the squared magnitudes of the discrete Fourier transform of each row, from frequency 0 to the Nyquist frequency."""
    column, place = along_axis.single_axis(column, axis, "fft_power")
    if place != column.ndim - 1:
        raise JagValueError(
            f"fft_power works along the last dims, got axis {axis} of {plural(column.ndim, 'dim')}; transpose first"
        )
    values = column.values.cast(pa.float64()) if pt.is_null(column.type) else column.values
    if not _arrow.is_numeric(values.type):
        raise JagTypeError.no_kernel("fft_power", values.type)
    data, valid = _arrow.to_numpy(values)
    type = np.float32 if data.dtype in (np.float16, np.float32) else np.float64
    dim = column.shape.dims[-1]
    full, sizes = dim.validity, dim.sizes
    if valid is not None:
        missing, _ = _kernels.any(~valid, None, dim.offsets)
        full = both_valid(full, ~missing)
        sizes = sizes * ~missing
    cut = _offsets.from_counts((sizes + 2 * (sizes > 0)) // 2)
    out = empty(int(cut[-1]), type)
    starts = dim.offsets[:-1]

    def spectrum(batch: blocks.Batch) -> npt.NDArray[Any]:
        return np.fft.rfft(blocks.rows_2d(data, starts[batch.rows], batch.length).astype(type, copy=False))

    def work(batch: blocks.Batch) -> None:
        blocks.put_rows(out, cut[batch.rows], _power(spectrum(batch), type))

    def whole(found: list[blocks.Batch]) -> None:  # in two thirds of the time of `work` for each length
        spectra = np.empty(len(out), np.result_type(type, np.complex64))
        for batch in found:
            blocks.put_rows(spectra, cut[batch.rows], spectrum(batch))
        out[:] = _power(spectra, type)

    found = blocks.batches(_offsets.from_counts(sizes), max_values=strategy.sizes.PASS_VALUES)
    if len(data) < strategy.sizes.CALL_VALUES:
        without_warnings(whole, found)
    else:
        blocks.map_tasks(lambda batch: without_warnings(work, batch), found, len(data))
    last = along_axis.resized(dim, cut, None if full is None else unless_all(full))
    return Column(JaggedShape._trusted((*column.shape.dims[:-1], last)), _arrow.from_numpy(out))


def _power(spectrum: npt.NDArray[Any], type: npt.DTypeLike) -> npt.NDArray[Any]:
    power: npt.NDArray[Any] = np.square(spectrum.real)
    power += np.square(spectrum.imag)
    return power.astype(type, copy=False)


def lomb_scargle(t: Column, y: Column, frequencies: Any) -> Column:
    """Return the normalised Lomb-Scargle power of each row at some frequencies; adds a dim in place of the items."""
    wanted = _frequencies(frequencies)
    t, y = structure.align([t, y], "lomb_scargle")
    structure.check_rows(t.ndim, "lomb_scargle")
    times, tick = _ticks(t.values)
    if not (_arrow.is_numeric(y.type) or pt.is_null(y.type)):
        raise JagTypeError.no_kernel("lomb_scargle", y.type)
    level, known = _arrow.to_numpy(elementwise.cast(y, pa.float64(), operation="lomb_scargle").values)
    dim = t.shape.dims[-1]
    cut, valid = dim.offsets, both_valid(_arrow.valid_of(t.values), known)
    if valid is not None:
        times, level, cut = times[valid], level[valid], _offsets.filter_rows(valid, cut)
    if dim.validity is not None:  # null rows have no items, and get no powers
        cut = np.concatenate([cut[:1], cut[1:][dim.validity]])
    n_rows, n = len(cut) - 1, len(wanted)
    power = empty(n_rows * n, np.float64).reshape(n_rows, n)

    def block(first: int, last: int) -> None:
        span, local = slice(int(cut[first]), int(cut[last])), cut[first : last + 1] - cut[first]
        step = max(1, 2 * strategy.sizes.PASS_VALUES // max(1, span.stop - span.start))  # a row may be longer than a block
        for some in [slice(low, low + step) for low in range(0, n, step)]:
            without_warnings(_powers, times[span], tick, level[span], local, wanted[some], power[first:last, some])

    blocks.map_rows(block, cut, block_values=max(1, strategy.sizes.PASS_VALUES // max(1, n)))
    full = unless_all(cut[1:] > cut[:-1])
    found = _arrow.from_numpy(power.reshape(-1), None if full is None else full.repeat(n))
    outer = t.shape.dims[:-1]
    if not outer:
        return Column(JaggedShape._trusted((Uniform._frame(n),)), found)
    live = dim.validity
    rows = Ragged.from_offsets(
        _offsets.of_size(n, n_rows) if live is None else _offsets.from_counts(live) * n, validity=live, check=False
    )
    return Column(JaggedShape._trusted((*outer, rows)), found)


def _frequencies(frequencies: Any) -> npt.NDArray[np.float64]:
    found = flat_numbers(frequencies, "lomb_scargle: frequencies")
    if found.ndim != 1 or found.dtype.kind not in "iuf":
        raise JagTypeError("lomb_scargle: frequencies must be a flat list or array of numbers, the same for all rows")
    return found.astype(np.float64)


def _ticks(times: pa.Array) -> tuple[npt.NDArray[Any], float]:
    """Return times as numbers, and how many seconds one of them is; 1 for numbers that are no times."""
    if not (_arrow.is_temporal(times.type) or _arrow.is_numeric(times.type) or pt.is_null(times.type)):
        raise JagTypeError.no_kernel("lomb_scargle", times.type, hint="t holds times or numbers.")
    data, _ = _arrow.to_numpy(times)
    if not _arrow.is_temporal(times.type):
        return data, 1.0
    tick = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}.get(getattr(times.type, "unit", ""), 86_400.0)
    return data, 1e-3 if pt.is_date64(times.type) else tick


def _powers(
    t: npt.NDArray[Any],
    tick: float,
    y: npt.NDArray[np.float64],
    offsets: IntArray,
    frequencies: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None:
    """Fill the powers of some rows: sines and cosines of all items and frequencies at once, added up by row."""
    if not len(t) or not len(frequencies):
        out[:] = 0
        return
    heads, sizes = offsets[:-1], _offsets.row_sizes(offsets)
    full = unless_all(sizes > 0)
    if full is not None:
        out[:] = 0
        heads, sizes = heads[full], sizes[full]

    def total(items: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.add.reduceat(items, heads, axis=0)

    t = distance(t, t[heads].repeat(sizes)) * tick  # from the first of the row, so that digits are kept
    y = y - (total(y) / sizes).repeat(sizes)
    angle, cos, sin = (empty(len(t) * len(frequencies), np.float64).reshape(len(t), -1) for _ in range(3))
    np.multiply(t[:, None], 2 * np.pi * frequencies, out=angle)
    np.cos(angle, out=cos)
    np.sin(angle, out=sin)
    n, whole, level = sizes[:, None].astype(np.float64), total(y * y)[:, None], y[:, None]
    by_cos = total(np.multiply(level, cos, out=angle))
    by_sin = total(np.multiply(level, sin, out=angle))
    sin *= cos
    cos *= cos
    cos_2, sin_2 = 2 * total(cos) - n, 2 * total(sin)
    shift = 0.5 * np.arctan2(sin_2, cos_2)
    c, s = np.cos(shift), np.sin(shift)
    length = np.hypot(sin_2, cos_2)
    above, below = 0.5 * (n + length), 0.5 * (n - length)
    first, second = by_cos * c + by_sin * s, by_sin * c - by_cos * s
    tiny = below <= 1e-12 * n
    second *= second
    if np.count_nonzero(tiny):
        second[tiny], below[tiny] = 0, 1
    power = first * first / above + second / below
    out[slice(None) if full is None else full] = power / whole
