"""Exact arithmetic of decimals and moments: integers in parts, because numpy has no wide ones and pyarrow's totals wrap around.

Sums work on parts of 32 bits, each added up as plain integers. Products go through Python integers. A result that does not fit the
digits of its type is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._kernels import reduce as _reduce
from arrowjag._kernels import rolling as _rolling
from arrowjag._kernels import scan as _scan
from arrowjag.errors import JagOverflowError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["cumprod", "cumsum", "mean", "moment_mean", "prod", "rolling_mean", "rolling_moment_mean", "rolling_sum", "sum"]

Objects = npt.NDArray[np.object_]
"""Python integers."""

_HINT = "Cast to float64 first for an approximate result."


def _wide(type: pa.DataType) -> pa.DataType:
    """The decimal that holds totals: as many digits as the width has room for, as in pyarrow."""
    return pa.decimal256(76, type.scale) if type.bit_width == 256 else pa.decimal128(38, type.scale)


def _at_least_128(values: pa.Array) -> pa.Array:
    return values.cast(pa.decimal128(values.type.precision, values.type.scale)) if values.type.bit_width < 128 else values


def _parts(values: pa.Array) -> list[IntArray]:
    """Unscaled integers in parts of 32 bits, the lowest first; only the last has a sign. Nulls read as 0."""
    values = _at_least_128(values)
    width = values.type.bit_width // 32
    if len(values) == 0:  # which may come without a buffer
        return [np.zeros(0, np.int64)] * width
    raw = np.frombuffer(values.buffers()[1], np.uint32, len(values) * width, values.offset * width * 4)
    parts = raw.reshape(len(values), width).astype(np.int64)
    parts[:, -1] = parts[:, -1].astype(np.int32)
    if values.null_count:
        parts[values.is_null().to_numpy(zero_copy_only=False)] = 0
    return [np.ascontiguousarray(part) for part in parts.T]


def _carried(parts: Sequence[IntArray]) -> list[IntArray]:
    """Parts that may have grown past 32 bits: what is too much is carried into the next one."""
    found, carry = [], np.zeros(len(parts[0]), np.int64)
    for part in parts[:-1]:
        total = part + carry
        found.append(total & 0xFFFFFFFF)
        carry = total >> 32
    return [*found, parts[-1] + carry]


def _assembled(parts: Sequence[IntArray], valid: BoolArray | None, type: pa.DataType, operation: str) -> pa.Array:
    """Decimals of parts."""
    *lower, top = _carried(parts)
    fits = top == top.astype(np.int32)
    raw = np.stack([*(part.astype(np.uint32) for part in lower), top.astype(np.int32).view(np.uint32)], axis=1)
    result = pa.Array.from_buffers(type, len(raw), [_arrow.bitmap(valid), pa.py_buffer(np.ascontiguousarray(raw))])
    try:
        result.validate(full=True)
    except pa.ArrowInvalid:
        fits[:] = False
    if not (fits if valid is None else fits | ~valid).all():
        raise JagOverflowError(f"{operation}: a result does not fit {type}. {_HINT}")
    return result


def _divided(parts: Sequence[IntArray], divisor: Any) -> list[IntArray]:
    """Quotients by integers below 2**31, rounded half away from zero as pyarrow rounds means."""
    parts = _carried(parts)
    negative = parts[-1] < 0
    quotient: list[IntArray] = []
    rest = np.zeros(len(negative), np.int64)
    for part in reversed(_carried([np.where(negative, -part, part) for part in parts])):
        found, rest = np.divmod((rest << 32) + part, divisor)
        quotient.append(found)
    quotient[-1] += 2 * rest >= divisor
    return [np.where(negative, -part, part) for part in reversed(quotient)]


def _validity(values: pa.Array) -> BoolArray | None:
    return _arrow.valid_of(values)


# --------------------------------------------------------------------------------------------------- sums


def sum(values: pa.Array, offsets: IntArray) -> pa.Array:
    """The sum of each row; 0 for an empty one."""
    parts = [_reduce.sum(part, None, offsets)[0] for part in _parts(values)]
    return _assembled(parts, None, _wide(values.type), "sum")


def mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    """The mean of each row in the digits of the type; null for an empty one."""
    count, _ = _reduce.count(_validity(values), offsets)
    parts = [_reduce.sum(part, None, offsets)[0] for part in _parts(values)]
    type = _at_least_128(values[:0]).type
    return _assembled(_divided(parts, np.maximum(count, 1)), None if count.all() else count > 0, type, "mean")


def cumsum(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Running sums of each row."""
    parts = [_scan.cumsum(part, None, offsets)[0] for part in _parts(values)]
    return _assembled(parts, _validity(values), _wide(values.type), "cumsum")


def rolling_sum(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Sums over the last `window` items."""
    parts, known = _over_windows(_parts(values), _validity(values), offsets, window)
    return _assembled(parts, known, _wide(values.type), "rolling sum")


def rolling_mean(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Means over the last `window` items, in the digits of the type."""
    parts, known = _over_windows(_parts(values), _validity(values), offsets, window)
    return _assembled(_divided(parts, window), known, _at_least_128(values[:0]).type, "rolling mean")


def _over_windows(
    parts: Sequence[IntArray], valid: BoolArray | None, offsets: IntArray, window: int
) -> tuple[list[IntArray], BoolArray | None]:
    found = [_rolling.rolling_sum(part, valid, offsets, window) for part in parts]
    return [total for total, _ in found], found[0][1]


# --------------------------------------------------------------------------------------------------- moments


def moment_mean(values: pa.Array, offsets: IntArray) -> pa.Array:
    """The mean of the dates, times or durations of each row, rounded to their unit as decimals are; null for an empty one."""
    parts, valid = _moment_parts(values)
    count, _ = _reduce.count(valid, offsets)
    sums = [_reduce.sum(part, None, offsets)[0] for part in parts]
    return _moments(_divided(sums, np.maximum(count, 1)), None if count.all() else count > 0, values.type)


def rolling_moment_mean(values: pa.Array, offsets: IntArray, window: int) -> pa.Array:
    """Means over the last `window` dates, times or durations."""
    parts, valid = _moment_parts(values)
    sums, known = _over_windows(parts, valid, offsets, window)
    return _moments(_divided(sums, window), known, values.type)


def _moment_parts(values: pa.Array) -> tuple[list[IntArray], BoolArray | None]:
    """Parts as those of decimals; nulls read as 0."""
    data, valid = _arrow.to_numpy(values)
    whole = data.astype(np.int64, copy=False) // _unit(values.type)
    whole = whole if valid is None else np.where(valid, whole, 0)
    return [whole & 0xFFFFFFFF, whole >> 32], valid


def _unit(type: pa.DataType) -> int:
    """What the numbers of a type are multiples of: dates in milliseconds are days."""
    return 86_400_000 if type == pa.date64() else 1


def _moments(parts: Sequence[IntArray], valid: BoolArray | None, type: pa.DataType) -> pa.Array:
    low, high = _carried(parts)
    whole = ((high << 32) + low) * _unit(type)
    return _arrow.from_numpy(whole.astype(np.int32) if type.bit_width == 32 else whole, valid, type)


# --------------------------------------------------------------------------------------------------- products


def prod(values: pa.Array, offsets: IntArray) -> pa.Array:
    """The product of each row, as `cumprod` ends; 1 for an empty row."""
    type = _wide(_scaled(values[:0]).type)
    result: Objects = np.full(len(offsets) - 1, 10**type.scale, object)
    filled = offsets[:-1] < offsets[1:]
    result[filled] = _running_products(values, offsets, type, "prod")[offsets[1:][filled] - 1]
    return _of_integers(result, None, type)


def cumprod(values: pa.Array, offsets: IntArray) -> pa.Array:
    """Running products of each row, each rounded half away from zero to the digits after the point that the type has."""
    type = _wide(_scaled(values[:0]).type)
    return _of_integers(_running_products(values, offsets, type, "cumprod"), _validity(values), type)


def _scaled(values: pa.Array) -> pa.Array:
    """Decimals that can hold 1: those of a negative scale are spelled out."""
    return (
        values
        if values.type.scale >= 0
        else values.cast(_wide(pa.decimal256(1, 0) if values.type.bit_width == 256 else pa.decimal128(1, 0)))
    )


def _running_products(values: pa.Array, offsets: IntArray, type: pa.DataType, operation: str) -> Objects:
    """Unscaled running products; a null counts as 1. All rows take a step together, as in `_kernels.scan`."""
    unit = 10**type.scale
    out = _integers(_scaled(values))
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
        wrong = (size >= 10**type.precision) & (size != unit)  # 1 beside nulls: _assembled tells whether it fits
        if wrong.any():
            row = int(rows[int(wrong.argmax())])
            raise JagOverflowError(f"{operation}: the product in row {row} does not fit {type}. {_HINT}")
        carry = np.where(product < 0, -size, size)
        out[item] = carry
    return out


def _integers(values: pa.Array) -> Objects:
    """Unscaled Python integers."""
    result: Objects = np.zeros(len(values), object)
    for place, part in enumerate(_parts(values)):
        result += part.astype(object) << (32 * place)
    return result


def _of_integers(data: Objects, valid: BoolArray | None, type: pa.DataType) -> pa.Array:
    """Decimals of unscaled Python integers that fit."""
    width = type.bit_width // 32
    lower = [(data >> (32 * place) & 0xFFFFFFFF).astype(np.int64) for place in range(width - 1)]
    return _assembled([*lower, (data >> (32 * (width - 1))).astype(np.int64)], valid, type, "prod")
