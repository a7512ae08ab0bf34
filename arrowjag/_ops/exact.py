"""Exact arithmetic of decimals and temporals. Integers are split into parts: numpy lacks wide integers, pyarrow's sums wrap.

Where the sums of rows fit 64 bits, there is one part, the integers themselves. Otherwise sums add the 32-bit parts separately as
int64. Products use Python integers. A result that exceeds the digits of its type raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag import _arrow
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import scan as _scan
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.base.extremes import largest_magnitude
from arrowjag._kernels.base.fill import fill, filled, light_block, spread_rows
from arrowjag._kernels.base.offsets import filter_rows, row_sizes
from arrowjag._kernels.base.words import unless_all, without_validity
from arrowjag._kernels.elementwise.decimals import to_doubles
from arrowjag._kernels.move import gather
from arrowjag._kernels.order import sort as _sort
from arrowjag._kernels.reduce import quantiles
from arrowjag._kernels.scan import rolling as _rolling
from arrowjag.errors import OVERFLOW_HINT, JagOverflowError
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "assembled",
    "cumprod",
    "cumsum",
    "deviations",
    "divided",
    "from_unscaled",
    "integers",
    "longest_row",
    "mean",
    "moment_mean",
    "moment_parts",
    "of_integers",
    "parts_of",
    "prod",
    "rolling_mean",
    "rolling_moment_mean",
    "rolling_sum",
    "sum",
    "unscaled",
    "wide_type",
]

Objects = npt.NDArray[np.object_]
"""An array of Python integers."""

_HINT = OVERFLOW_HINT


def wide_type(type: pa.DataType) -> pa.DataType:
    """Return the decimal type of totals: the largest precision of its bit width, as in pyarrow."""
    return pa.decimal256(76, type.scale) if type.bit_width == 256 else pa.decimal128(38, type.scale)


def _at_least_128(values: pa.Array) -> pa.Array:
    return values.cast(pa.decimal128(values.type.precision, values.type.scale)) if values.type.bit_width < 128 else values


def parts_of(values: pa.Array, longest: int) -> list[IntArray]:
    """Split unscaled integers of decimals into parts whose sums fit 64 bits. Nulls read as 0.

    Parameters
    ----------
    values : pa.Array
        Decimals.
    longest : int
        The most items that are added.

    Returns
    -------
    list of int64 array
        The integers themselves if sums of `longest` items fit 64 bits; otherwise parts of 32 bits, lowest first, of which only the
        last one is signed.
    """
    whole = unscaled(values)
    if whole is not None and _fit(whole, longest):
        return [whole]
    values = _at_least_128(values)
    width = values.type.bit_width // 32
    raw = np.frombuffer(values.buffers()[1], np.uint32, len(values) * width, values.offset * width * 4)
    parts = raw.reshape(len(values), width).astype(np.int64)
    parts[:, -1] = parts[:, -1].astype(np.int32)
    if values.null_count:
        parts[values.is_null().to_numpy(zero_copy_only=False)] = 0
    return [np.ascontiguousarray(part) for part in parts.T]


def unscaled(values: pa.Array) -> IntArray | None:
    """Return the unscaled integers as int64, 0 for null; None if one has more bits."""
    n, size = len(values), values.type.bit_width // 8
    if n == 0:  # an empty array may lack a buffer
        return np.zeros(0, np.int64)
    valid = _arrow.valid_of(values)
    raw = np.frombuffer(values.buffers()[1], np.int64 if size > 8 else f"i{size}", n * max(size // 8, 1), values.offset * size)
    words, wide = raw.reshape(n, -1), []

    def work(part: slice, out: IntArray) -> None:
        np.copyto(out, words[part, 0])
        for word in words[part, 1:].T:
            wrong = word != out >> 63
            if np.count_nonzero(wrong if valid is None else wrong & valid[part]):
                wide.append(part)

    found = fill(work, n, np.int64, light_block(n, size))
    if wide:
        return None
    return found if valid is None else filled(found, valid, 0)


def _fit(whole: IntArray, longest: int) -> bool:
    """Return whether all sums of `longest` integers fit 64 bits."""
    return largest_magnitude(whole) * longest <= np.iinfo(np.int64).max


def longest_row(offsets: IntArray) -> int:
    """Return the number of items of the longest row."""
    return _offsets.longest_of(row_sizes(offsets))


def _carried(parts: Sequence[IntArray]) -> list[IntArray]:
    """Carry the excess of each part beyond 32 bits into the next one."""
    found, carry = [], np.zeros(len(parts[0]), np.int64)
    for part in parts[:-1]:
        total = part + carry
        found.append(total & 0xFFFFFFFF)
        carry = total >> 32
    return [*found, parts[-1] + carry]


def assembled(
    parts: Sequence[IntArray], valid: BoolArray | None, type: pa.DataType, operation: str, offsets: IntArray | None = None
) -> pa.Array:
    """Assemble decimals from parts, one per row, or per item if there are offsets; raises if one exceeds the digits of the type."""
    if len(parts) == 1:  # means and items, or totals, whose types have more digits than 64 bits
        return from_unscaled(parts[0], valid, type)
    *lower, top = _carried(parts)
    fits = top == top.astype(np.int32)
    raw = np.stack([*(part.astype(np.uint32) for part in lower), top.astype(np.int32).view(np.uint32)], axis=1)
    result = pa.Array.from_buffers(type, len(raw), [_arrow.bitmap(valid), pa.py_buffer(np.ascontiguousarray(raw))])
    try:
        result.validate(full=True)
    except pa.ArrowInvalid:
        fits[:] = False
    if not (fits if valid is None else fits | ~valid).all():
        row = _first_too_long(result)
        row = row if offsets is None else int(np.searchsorted(offsets, row, "right")) - 1
        raise JagOverflowError(f"{operation}: a result of row {row} does not fit {type}. {_HINT}", row=row)
    return result


def from_unscaled(whole: IntArray, valid: BoolArray | None, type: pa.DataType) -> pa.Array:
    """Convert unscaled integers that fit the type to decimals."""
    size = type.bit_width // 8

    def work(part: slice, out: npt.NDArray[Any]) -> None:
        words, integers = out.view(np.int64).reshape(len(out), size // 8), whole[part]
        words[:, 0] = integers
        words[:, 1:] = (integers >> 63)[:, None]

    words = fill(work, len(whole), np.dtype((np.void, size)), light_block(len(whole), size))
    return pa.Array.from_buffers(type, len(whole), [_arrow.bitmap(valid), pa.py_buffer(words)])


def _first_too_long(decimals: pa.Array) -> int:
    """Return the position of the first decimal that has more digits than its type; there is one."""
    low, high = 0, len(decimals)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            decimals.slice(low, middle - low).validate(full=True)
        except pa.ArrowInvalid:
            high = middle
        else:
            low = middle
    return low


def _divided(parts: Sequence[IntArray], divisor: Any) -> list[IntArray]:
    """Divide by integers below 2**31, rounding half away from zero as pyarrow rounds means."""
    parts = _carried(parts)
    negative = parts[-1] < 0
    quotient: list[IntArray] = []
    rest = np.zeros(len(negative), np.int64)
    for part in reversed(_carried([np.where(negative, -part, part) for part in parts])):
        found, rest = np.divmod((rest << 32) + part, divisor)
        quotient.append(found)
    quotient[-1] += 2 * rest >= divisor
    return [np.where(negative, -part, part) for part in reversed(quotient)]


def divided(parts: Sequence[IntArray], divisor: Any, type: pa.DataType, operation: str) -> pa.Array:
    """Divide totals in parts by counts, giving decimals or temporals of a type, rounded half away from zero."""
    quotient = _divided(parts, divisor)
    if _arrow.is_temporal(type):
        return _moments(quotient, None, type)
    return assembled(quotient, None, _at_least_128(pa.nulls(0, type)).type, operation)


def _validity(values: pa.Array) -> BoolArray | None:
    return _arrow.valid_of(values)


# --------------------------------------------------------------------------------------------------- quantiles


def quantile(values: pa.Array, offsets: IntArray, q: float, interpolation: str) -> pa.Array:
    """Return a quantile of each row, at the scale of the type, rounded half away from zero; null for a row without items.

    Exact: the weight of the two items between which it lies is the fraction of the float ``q * (n - 1)``. Cost: a sort of dense
    codes per row; an interpolated quantile also takes Python integers for each row whose two items differ.
    """
    quantiles.check_interpolation(interpolation)
    values = _at_least_128(values)
    valid = _arrow.valid_of(values)
    if valid is not None:
        values, offsets = gather.filter_values(without_validity(values), valid), filter_rows(valid, offsets)
    whole = unscaled(values)
    codes = _arrow.dictionary_codes(values) if whole is None else whole
    ordered, _ = _sort.sort(codes, None, offsets)
    full = offsets[1:] > offsets[:-1]
    first = offsets[:-1][full]
    low, high, weight = quantiles.slots_of(row_sizes(offsets)[full] - 1, q, interpolation)
    below, above = ordered[first + low], ordered[first + high]
    between = ((weight != 0) & (below != above)).nonzero()[0]
    if whole is None:
        item = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
        item[codes] = np.arange(len(codes))
        found = values.take(pa.array(item[below]))
        one, two = (integers(values.take(pa.array(item[codes_of[between]]))) for codes_of in (below, above))
    else:
        found = from_unscaled(below, None, values.type)
        one, two = below[between], above[between]
    place = np.arange(len(below))
    place[between] = len(below) + np.arange(len(between))
    source = np.zeros(len(full), np.int64)
    source[full] = place
    mixed = of_integers(_mixed(one, two, weight[between]), None, values.type, "quantile")
    return gather.take(pa.concat_arrays([found, mixed]), source, unless_all(full))


def _mixed(one: npt.NDArray[Any], two: npt.NDArray[Any], weight: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return one + (two - one) * weight of integers of which one is the lesser, rounded half away from zero."""
    if one.dtype != object and max(largest_magnitude(one), largest_magnitude(two)) < 2**62:
        return _mixed_words(one, two, weight)
    distinct, place = np.unique(weight, return_inverse=True)
    shares = [share.as_integer_ratio() for share in distinct.tolist()]
    top, bottom = (np.array([share[k] for share in shares], object)[place.reshape(-1)] for k in (0, 1))
    one, two = one.astype(object), two.astype(object)
    total = one * bottom + (two - one) * top
    size = (2 * np.abs(total) + bottom) // (2 * bottom)
    rounded: npt.NDArray[Any] = np.where(total < 0, -size, size)
    return rounded


def _mixed_words(one: IntArray, two: IntArray, weight: npt.NDArray[np.float64]) -> IntArray:
    """Return one + (two - one) * weight by 64-bit integers, rounded half away from zero.

    Twice the product of the difference and the 53 bits of the weight is shifted; lost bits decide about ties.
    """
    share, power = np.frexp(weight)  # weight == share * 2 ** power
    low, high = _product((two - one).astype(np.uint64), (share * 2.0**53).astype(np.uint64))
    shift = np.minimum(52 - power, 127).astype(np.uint64)  # so that one bit of the fraction remains
    near, far = np.minimum(shift, 63), np.maximum(shift, 64) - 64
    is_near = shift < 64
    doubled = np.where(is_near, high << (64 - near) | low >> near, high >> far)
    is_rest = np.where(is_near, low & ((1 << near) - 1), low | (high & ((1 << far) - 1))) != 0
    found: IntArray = one + (doubled >> 1).astype(np.int64)
    found += (doubled & 1 == 1) & (is_rest | (found >= 0))
    return found


def _product(one: npt.NDArray[np.uint64], two: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the lower and the upper 64 bits of products of 64 bits by at most 63."""
    half = np.uint64(0xFFFFFFFF)
    mixed = (one >> 32) * (two & half) + ((one & half) * (two & half) >> 32)
    upper = (one & half) * (two >> 32) + (mixed & half)
    return one * two, (one >> 32) * (two >> 32) + (mixed >> 32) + (upper >> 32)


# --------------------------------------------------------------------------------------------------- sums


def sum(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Sum each row; 0 for an empty row."""
    return assembled(_sums(values, offsets), None, wide_type(values.type), "sum")


def _sums(values: pa.Array, offsets: IntArray) -> list[IntArray]:
    return [_reduce.sum(part, None, offsets)[0] for part in parts_of(values, longest_row(offsets))]


def mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Average each row, at the scale of the type; null for an empty row."""
    count, _ = _reduce.count(_validity(values), offsets)
    type = _at_least_128(values[:0]).type
    return assembled(_divided(_sums(values, offsets), np.maximum(count, 1)), None if count.all() else count > 0, type, "mean")


def deviations(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Subtract the row mean from each decimal, returning float64: digits shared by the whole row don't cost precision."""
    type = values.type
    if not 15 < type.precision < 76:  # up to 15 digits are exact in float64; beyond 75 a difference may not fit
        return to_doubles(values)
    wide = pa.decimal256(type.precision, type.scale)
    whole = parts_of(values, longest_row(offsets))
    if len(whole) == 1:
        count, _ = _reduce.count(_validity(values), offsets)
        means = _divided([_reduce.sum(whole[0], None, offsets)[0]], np.maximum(count, 1))[0]
        return _floats(whole[0] - spread_rows(means, offsets), _validity(values), wide)
    integers = pa.decimal256(type.precision, 0)  # Arrow subtracts no decimals of negative scale
    means = mean(values, offsets).cast(wide).view(integers).take(_arrow.from_numpy(_offsets.parents(offsets)))
    differences = pc.subtract(values.cast(wide).view(integers), means)
    differences = differences.view(pa.decimal256(differences.type.precision, type.scale))
    words = np.frombuffer(differences.buffers()[1], np.int64, 4 * len(values), differences.offset * 32).reshape(-1, 4)
    low = words[:, 0]
    is_low = (words[:, 1:] == (low >> 63)[:, None]).all(axis=1)
    return _floats(np.where(is_low, low, np.iinfo(np.int64).max), _validity(values), wide, differences)


_EXACT_POWERS = 22
"""Up to this exponent float64 holds powers of ten."""


def _floats(whole: IntArray, valid: BoolArray | None, type: pa.DataType, decimals: pa.Array | None = None) -> pa.Array:
    """Convert unscaled integers to float64; `to_doubles` converts those beyond 53 bits, from the decimals where these are wider.

    What an item becomes depends on that item alone.
    """
    if not 0 <= type.scale <= _EXACT_POWERS:
        return to_doubles(from_unscaled(whole, valid, type) if decimals is None else decimals)
    found = whole / 10.0**type.scale
    large = ((whole > 2**53) | (whole < -(2**53))).nonzero()[0]
    if len(large):
        rest = from_unscaled(whole[large], None, type) if decimals is None else decimals.take(_arrow.from_numpy(large))
        found[large] = to_doubles(rest).to_numpy(zero_copy_only=False)
    return _arrow.from_numpy(found, valid)


def cumsum(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Cumulative sums per row."""
    parts = [_scan.cumsum(part, None, offsets)[0] for part in parts_of(values, longest_row(offsets))]
    return assembled(parts, _validity(values), wide_type(values.type), "cumsum", offsets)


def rolling_sum(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Sum over the last `window` items."""
    parts, known = _over_windows(parts_of(values, longest_row(offsets)), _validity(values), offsets, window)
    return assembled(parts, known, wide_type(values.type), "rolling sum", offsets)


def rolling_mean(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Average over the last `window` items, at the scale of the type."""
    parts, known = _over_windows(parts_of(values, longest_row(offsets)), _validity(values), offsets, window)
    return assembled(_divided(parts, window), known, _at_least_128(values[:0]).type, "rolling mean", offsets)


def _over_windows(
    parts: Sequence[IntArray], valid: BoolArray | None, offsets: IntArray, window: int
) -> tuple[list[IntArray], BoolArray | None]:
    found = [_rolling.rolling_sum(part, valid, offsets, window) for part in parts]
    return [total for total, _ in found], found[0][1]


# --------------------------------------------------------------------------------------------------- temporals


def moment_mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Average the dates, times or durations of each row, rounding half away from zero to their unit; null for an empty row."""
    parts, valid = moment_parts(values, longest_row(offsets))
    count, _ = _reduce.count(valid, offsets)
    sums = [_reduce.sum(part, None, offsets)[0] for part in parts]
    return _moments(_divided(sums, np.maximum(count, 1)), None if count.all() else count > 0, values.type)


def rolling_moment_mean(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Average over the last `window` dates, times or durations."""
    parts, valid = moment_parts(values, longest_row(offsets))
    sums, known = _over_windows(parts, valid, offsets, window)
    return _moments(_divided(sums, window), known, values.type)


def moment_parts(values: pa.Array, longest: int) -> tuple[list[IntArray], BoolArray | None]:
    """Split temporals into 32-bit parts as `parts_of` splits decimals; nulls read as 0."""
    data, valid = _arrow.to_numpy(values)
    whole = data.astype(np.int64, copy=False) // _unit(values.type)
    whole = whole if valid is None else filled(whole, valid, 0)
    if _fit(whole, longest):
        return [whole], valid
    return [whole & 0xFFFFFFFF, whole >> 32], valid


def _unit(type: pa.DataType) -> int:
    """Return the number of which all stored values are multiples: date64 holds whole days in milliseconds."""
    return 86_400_000 if type == pa.date64() else 1


def _moments(parts: Sequence[IntArray], valid: BoolArray | None, type: pa.DataType) -> pa.Array:
    whole = parts[0]
    if len(parts) > 1:
        low, high = _carried(parts)
        whole = (high << 32) + low
    whole = whole * _unit(type)
    return _arrow.from_numpy(whole.astype(np.int32) if type.bit_width == 32 else whole, valid, type)


# --------------------------------------------------------------------------------------------------- products


def prod(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Multiply the items of each row, rounding as `cumprod` does; 1 for an empty row."""
    type = wide_type(_scaled(values[:0]).type)
    result: Objects = np.full(len(offsets) - 1, 10**type.scale, object)
    filled = offsets[:-1] < offsets[1:]
    result[filled] = _running_products(values, offsets, type, "prod")[offsets[1:][filled] - 1]
    return of_integers(result, None, type, "prod")


def cumprod(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Cumulative products per row, each rounded half away from zero to the scale of the type."""
    type = wide_type(_scaled(values[:0]).type)
    return of_integers(_running_products(values, offsets, type, "cumprod"), _validity(values), type, "cumprod")


def _scaled(values: pa.Array) -> pa.Array:
    """Cast decimals of negative scale to scale 0, so that the type can hold 1."""
    return (
        values
        if values.type.scale >= 0
        else values.cast(wide_type(pa.decimal256(1, 0) if values.type.bit_width == 256 else pa.decimal128(1, 0)))
    )


def _running_products(values: pa.Array, offsets: IntArray, type: pa.DataType, operation: str) -> Objects:
    """Unscaled cumulative products; a null counts as 1. Each step multiplies one item of every row, as in `_kernels.scan`."""
    unit = 10**type.scale
    out = integers(_scaled(values))
    if values.null_count:
        out[values.is_null().to_numpy(zero_copy_only=False)] = unit
    sizes = np.diff(offsets)
    rows = np.argsort(-sizes, kind="stable")
    reach = np.cumsum(np.bincount(sizes, minlength=2)[::-1])[::-1]  # reach[k]: rows of size k or more
    item = offsets[rows[: reach[1]]]
    carry = out[item]
    for n_rows in reach[2:].tolist():
        item = item[:n_rows] + 1
        product = carry[:n_rows] * out[item]
        size = (np.abs(product) + unit // 2) // unit
        wrong = (size >= 10**type.precision) & (size != unit)  # a product of 1 may belong to nulls: `assembled` checks it
        if wrong.any():
            row = int(rows[int(wrong.argmax())])
            raise JagOverflowError(f"{operation}: the product in row {row} does not fit {type}. {_HINT}", row=row)
        carry = np.where(product < 0, -size, size)
        out[item] = carry
    return out


def integers(values: pa.Array) -> Objects:
    """Convert decimals to unscaled Python integers."""
    result: Objects = np.zeros(len(values), object)
    for place, part in enumerate(parts_of(values, 1)):
        result += part.astype(object) << (32 * place)
    return result


def of_integers(data: npt.NDArray[Any], valid: BoolArray | None, type: pa.DataType, operation: str) -> pa.Array:
    """Convert unscaled integers of 64 bits or of Python, which fit the type, to decimals."""
    if data.dtype == np.int64:
        return assembled([data], valid, type, operation)
    width = type.bit_width // 32
    lower = [(data >> (32 * place) & 0xFFFFFFFF).astype(np.int64) for place in range(width - 1)]
    return assembled([*lower, (data >> (32 * (width - 1))).astype(np.int64)], valid, type, operation)
