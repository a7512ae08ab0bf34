"""Casts beyond Arrow: null for values that another type can't hold.

Frequent pairs of types are checked in one pass, all others by halving the values.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._kernels.base.words import is_string
from arrowjag._kernels.elementwise.number_casts import floats_fit, integers_held, numbers_fit, numbers_of
from arrowjag._kernels.elementwise.text_bytes import integers_in
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._pyarrow_versions import if_else, take

__all__ = ["cast_where_it_fits", "fits_part"]


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
        # A failing cast of text makes a message for each value that does not fit. If there are many, a sample already fails.
        if is_string(values.type) and len(values) > _SAMPLE:
            cast(values.slice(0, _SAMPLE))
        return cast(values)
    except pa.ArrowInvalid:
        pass
    fits = _fits(values, type)
    if fits is not None:
        values = if_else(fits, values, pa.scalar(None, values.type))
        try:
            return cast(values)
        except pa.ArrowInvalid:
            pass
    if pt.is_nested(values.type):
        return _halved(values, type, cast)
    if pt.is_decimal(values.type) and values.type.bit_width < 128:  # which pyarrow does not encode
        values = values.cast(pa.decimal128(values.type.precision, values.type.scale))
    distinct = values.dictionary_encode()
    values = _halved(distinct.dictionary, type, cast)
    if pt.is_string_view(type):  # which pyarrow does not gather
        return take(values.cast(pa.large_string()), distinct.indices).cast(type)
    return take(values, distinct.indices)


_SAMPLE = 64
"""Values that are cast first: of 300k texts of which one in ten is a number, the cast alone took 114 ms, all others steps 20."""


def _halved(values: pa.Array, type: pa.DataType, cast: Cast) -> pa.Array:
    """Cast parts, and halve those that fail."""
    parts: list[pa.Array] = []
    left = [values]
    while left:
        part = left.pop()
        try:
            parts.append(cast(part))
        except pa.ArrowInvalid:
            if len(part) <= 1:
                parts.append(pa.nulls(len(part), type))
            else:
                half = len(part) // 2
                left += [part.slice(half), part.slice(0, half)]
    return pa.concat_arrays(parts)


def _fits(values: pa.Array, type: pa.DataType) -> pa.Array | None:
    """Return which values may fit, never False for one that does; None if the pair of types has no rule."""
    source = values.type
    if is_string(source):
        return _text_fits(values, type)
    if (pt.is_integer(source) or pt.is_floating(source)) and pt.is_integer(type):
        return numbers_fit(values, type)
    if pt.is_integer(source) and pt.is_floating(type):
        return pa.array(integers_held(values, type))
    if pt.is_floating(source) and pt.is_floating(type):
        return floats_fit(values, type)
    if pt.is_timestamp(source) and source.tz is None and (pt.is_date(type) or pt.is_time(type)):
        return pa.array(fits_part(numbers_of(values.view(pa.int64())), source, type))
    if _ticks(source) and _ticks(type) and source.bit_width == type.bit_width == 64:
        return _ticks_fit(values, type)
    return None


def fits_part(counts: npt.NDArray[np.int64], type: pa.TimestampType, part: pa.DataType) -> npt.NDArray[np.bool_]:
    """Return which timestamps a date or a time of day holds: those at midnight, and those of the first day in whole units."""
    own = TICKS[type.unit]
    if pt.is_date(part):
        day = 86_400 * own
        # numpy divides by a number with multiplications, but computes remainders by division.
        at_midnight: npt.NDArray[np.bool_] = counts // day * day == counts
        return at_midnight
    fits: npt.NDArray[np.bool_] = (counts >= 0) & (counts < 86_400 * own)
    step = own // TICKS[part.unit]
    if step > 1:
        fits &= counts // step * step == counts
    return fits


def _ticks(type: pa.DataType) -> int:
    """Return the counts per second of timestamps, durations and times, 0 for other types."""
    return TICKS[type.unit] if pt.is_timestamp(type) or pt.is_duration(type) or pt.is_time(type) else 0


def _ticks_fit(values: pa.Array, type: pa.DataType) -> pa.Array:
    counts = numbers_of(values.view(pa.int64()))
    one, two = _ticks(values.type), _ticks(type)
    if one >= two:
        return pa.array(counts % (one // two) == 0)
    bound = (2**63 - 1) // (two // one)
    return pa.array((counts >= -bound) & (counts <= bound))


_FLOAT = r"(?i)\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?\z|\A[+-]?(nan(\([0-9a-z_]*\))?|inf|infinity)\z"


_BOOL = r"(?i)\A(true|false|0|1)\z"


_DATE = r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))"


_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"


_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def _text_fits(values: pa.Array, type: pa.DataType) -> pa.Array | None:
    if pt.is_integer(type):
        short, other = integers_in(values)
        plain = pa.array(short)
        numbers = if_else(plain, values, pa.scalar(None, values.type)).cast(pa.int64())
        small = pc.and_(numbers_fit(numbers, type), plain)
        return pc.or_(small, pa.array(other)) if other.any() else small
    if pt.is_floating(type) or pt.is_decimal(type):
        return pc.match_substring_regex(values, _FLOAT)
    if pt.is_boolean(type):
        return pc.match_substring_regex(values, _BOOL)
    if pt.is_date(type):
        return pc.match_substring_regex(values, rf"\A{_DATE}\z")
    if pt.is_timestamp(type):
        digits = _DIGITS[type.unit]
        fraction = rf"(?:\.[0-9]{{1,{digits}}})?" if digits else ""
        clock = rf"[ T](?:[01][0-9]|2[0-3])(?::[0-5][0-9](?::[0-5][0-9]{fraction})?)?"
        return pc.match_substring_regex(values, rf"\A{_DATE}{clock}{_ZONE}\z" if type.tz else rf"\A{_DATE}(?:{clock})?\z")
    return None
