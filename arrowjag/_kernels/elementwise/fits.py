"""Which values a cast of Arrow refuses: told for the frequent pairs of types in one pass, for all others by halving the values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._pyarrow_versions import numpy_dtype

__all__ = ["cast_where_it_fits"]

Cast = Callable[[pa.Array], pa.Array]


def cast_where_it_fits(values: pa.Array, type: pa.DataType, cast: Cast) -> pa.Array:
    """Cast an array, with null for each value that the cast refuses.

    Parameters
    ----------
    values : pa.Array
        No dictionary.
    type : pa.DataType
        The type of the result.
    cast : callable
        Casts arrays of the type of the values, and raises `ArrowInvalid` if one does not fit.

    Returns
    -------
    pa.Array
        Cost: one cast if all values fit; else one or two passes more for the frequent pairs of types. For other pairs, such as text
        to decimals, a few casts per distinct value that does not fit.
    """
    try:
        return cast(values)
    except pa.ArrowInvalid:
        pass
    fits = _fits(values, type)
    if fits is not None:
        values = pc.if_else(fits, values, pa.scalar(None, values.type))
        try:
            return cast(values)
        except pa.ArrowInvalid:
            pass
    distinct = values.dictionary_encode() if not pt.is_nested(values.type) else None
    if distinct is None:
        return _halved(values, type, cast)
    return _halved(distinct.dictionary, type, cast).take(distinct.indices)


def _halved(values: pa.Array, type: pa.DataType, cast: Cast) -> pa.Array:
    """Cast parts, and halve those that fail."""
    parts: list[pa.Array] = []
    left = [values]
    while left:
        part = left.pop()
        try:
            parts.append(cast(part))
        except pa.ArrowInvalid:
            if len(part) == 1:
                parts.append(pa.nulls(1, type))
            else:
                half = len(part) // 2
                left += [part.slice(half), part.slice(0, half)]
    return pa.concat_arrays(parts) if parts else pa.nulls(0, type)


def _fits(values: pa.Array, type: pa.DataType) -> pa.Array | None:
    """Return which values may fit, never False for one that does; None if the pair of types has no rule."""
    source = values.type
    if _is_text(source):
        return _text_fits(values, type)
    if (pt.is_integer(source) or pt.is_floating(source)) and pt.is_integer(type):
        return _numbers_fit(values, type)
    if pt.is_integer(source) and pt.is_floating(type):
        wide = np.float32 if pt.is_float16(type) else numpy_dtype(type)  # halves are made of single floats
        bound = 2 ** (np.finfo(wide).nmant + 1)
        data = _numbers(values)
        return pa.array((data >= (-bound if pt.is_signed_integer(source) else 0)) & (data <= _capped(bound, data.dtype)))
    if _ticks(source) and _ticks(type) and source.bit_width == type.bit_width == 64:
        return _ticks_fit(values, type)
    return None


def _is_text(type: pa.DataType) -> bool:
    return bool(pt.is_string(type) or pt.is_large_string(type))


def _numbers(values: pa.Array) -> npt.NDArray[Any]:
    """Return the data of numbers, 0 under nulls."""
    filled = values.fill_null(0) if values.null_count else values
    data: npt.NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return data


def _capped(bound: int, dtype: np.dtype[Any]) -> int:
    return min(bound, int(np.iinfo(dtype).max))


def _numbers_fit(values: pa.Array, type: pa.DataType) -> pa.Array:
    limits = np.iinfo(numpy_dtype(type))
    data = _numbers(values.cast(pa.float32()) if pt.is_float16(values.type) else values)
    if data.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = np.trunc(data) == data  # False for NaN, True for infinities
            return pa.array(whole & (data >= float(limits.min)) & (data < float(limits.max) + (limits.bits < 64)))
    own = np.iinfo(data.dtype)
    return pa.array((data >= max(limits.min, own.min)) & (data <= min(limits.max, own.max)))


def _ticks(type: pa.DataType) -> int:
    """Return the counts per second of timestamps, durations and times, 0 for other types."""
    return TICKS[type.unit] if pt.is_timestamp(type) or pt.is_duration(type) or pt.is_time(type) else 0


def _ticks_fit(values: pa.Array, type: pa.DataType) -> pa.Array:
    counts = _numbers(values.view(pa.int64()))
    one, two = _ticks(values.type), _ticks(type)
    if one >= two:
        return pa.array(counts % (one // two) == 0)
    bound = (2**63 - 1) // (two // one)
    return pa.array((counts >= -bound) & (counts <= bound))


# ----------------------------------------------------------------------------------------------------------------- text

_FLOAT = r"(?i)\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\z|\A[+-]?(nan|inf|infinity)\z"
_INT = r"\A-?[0-9]{1,18}\z"
_OTHER_INT = r"\A-?[0-9]{19,}\z|\A0[xX][0-9a-fA-F]+\z"
_BOOL = r"(?i)\A(true|false|0|1)\z"
_DATE = r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))"
_CLOCK = r"(?:[01][0-9]|2[0-3])(?::?[0-5][0-9](?::?[0-5][0-9](?:\.[0-9]{1,%d})?)?)?"
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def _text_fits(values: pa.Array, type: pa.DataType) -> pa.Array | None:
    if pt.is_integer(type):
        plain = pc.match_substring_regex(values, _INT).fill_null(False)
        numbers = pc.if_else(plain, values, pa.scalar(None, values.type)).cast(pa.int64())
        small = pc.and_(_numbers_fit(numbers, type), plain)
        return pc.or_(small, pc.match_substring_regex(values, _OTHER_INT).fill_null(False))
    if pt.is_floating(type) or pt.is_decimal(type):
        return pc.match_substring_regex(values, _FLOAT)
    if pt.is_boolean(type):
        return pc.match_substring_regex(values, _BOOL)
    if pt.is_date(type):
        return pc.match_substring_regex(values, rf"\A{_DATE}\z")
    if pt.is_timestamp(type):
        digits = _DIGITS[type.unit]
        clock = _CLOCK.replace(r"(?:\.[0-9]{1,%d})?", rf"(?:\.[0-9]{{1,{digits}}})?" if digits else "")
        zone = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)" if type.tz else ""
        return pc.match_substring_regex(values, rf"\A{_DATE}(?:[ T]{clock}{zone})?\z")
    return None
