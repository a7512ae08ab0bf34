"""Casts beyond Arrow: null for values that another type can't hold, and text as timestamps by a format.

Frequent pairs of types are checked in one pass, all others by halving the values. Formats are read as Python's `strptime` reads
them: a regular expression of RE2, then arithmetic on its groups.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._kernels.base.memory import is_string, or_all, valid_of
from arrowjag._kernels.base.texts import text_bytes
from arrowjag._kernels.elementwise.number_casts import floats_fit, integers_held, numbers_fit, numbers_of
from arrowjag._kernels.elementwise.regex import BLANKS
from arrowjag._kernels.elementwise.text_bytes import integers_in
from arrowjag._kernels.elementwise.times import TICKS
from arrowjag._pyarrow_versions import if_else, take

__all__ = ["cast_where_it_fits", "fits_part", "has_zone", "parse_times", "pattern_of"]


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
        # A failing cast of text makes a message for each value that does not fit: a sample tells whether there are many.
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
    whole = counts % max(own // TICKS[part.unit], 1) == 0
    fits: npt.NDArray[np.bool_] = whole & (counts >= 0) & (counts < 86_400 * own)
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


_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]


_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


_SHORT = [name[:3] for name in _MONTHS]


def _any_case(names: Iterable[str]) -> str:
    """Match any of some names, in letters of ASCII only: a pattern that ignores case takes the long s of "ſep" for an s."""
    return "(?-i:" + "|".join("".join(f"[{char}{char.upper()}]" for char in name) for name in names) + ")"


_DIRECTIVES = {
    "Y": "(?P<Y>[0-9]{4})",
    "y": "(?P<y>[0-9]{2})",
    "m": "(?P<m>1[0-2]|0[1-9]|[1-9])",
    "d": "(?P<d>3[01]|[12][0-9]|0[1-9]|[1-9]| [1-9])",
    "j": "(?P<j>36[0-6]|3[0-5][0-9]|[12][0-9]{2}|0[1-9][0-9]|00[1-9]|[1-9][0-9]|0[1-9]|[1-9])",
    "H": "(?P<H>2[0-3]|[01][0-9]|[0-9])",
    "I": "(?P<I>1[0-2]|0[1-9]|[1-9])",
    "M": "(?P<M>[0-5][0-9]|[0-9])",
    "S": "(?P<S>[0-5][0-9]|[0-9])",
    "f": "(?P<f>[0-9]{1,6})",
    "b": f"(?P<b>{_any_case(_SHORT)})",
    "B": f"(?P<B>{_any_case(_MONTHS)})",
    "a": f"(?:{_any_case(name[:3] for name in _DAYS)})",
    "A": f"(?:{_any_case(_DAYS)})",
    "p": f"(?P<p>{_any_case(['am', 'pm'])})",
    "z": "(?:(?P<sign>[+-])(?P<zh>[01][0-9]|2[0-3])(?P<zc>:?)(?P<zm>[0-5][0-9])"
    r"(?:(?P<zd>:?)(?P<zs>[0-5][0-9])(?:\.(?P<zf>[0-9]{1,6}))?)?|(?-i:Z))",
    "%": "%",
}


_SHORTHANDS = {"%T": "%H:%M:%S", "%R": "%H:%M", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}


@functools.lru_cache(256)
def pattern_of(format: str) -> str:
    """Return the regular expression of a format; raise ValueError for an unknown or repeated directive."""
    for short, long in _SHORTHANDS.items():
        format = re.sub(rf"(?<!%)((?:%%)*){short}", rf"\1{long}", format)
    parts: list[str] = []
    seen: set[str] = set()
    for literal, directive in re.findall(r"([^%]+)|%(.?)", format, re.DOTALL):
        if literal:
            parts.append(re.sub(r"(?:\\?\s)+", lambda _: BLANKS, re.escape(literal)))
            continue
        if directive not in _DIRECTIVES:
            raise ValueError(f"unknown directive '%{directive}'")
        if directive in seen and directive != "%":
            raise ValueError(f"the directive '%{directive}' occurs twice")
        seen.add(directive)
        parts.append(_DIRECTIVES[directive])
    return f"(?i)\\A{''.join(parts)}\\z"


def has_zone(pattern: str) -> bool:
    """Return whether the text says how far it is from UTC."""
    return "(?P<sign>" in pattern


def parse_times(values: pa.Array, pattern: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Read text by the pattern of a format.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text.
    pattern : str
        Of `pattern_of`.

    Returns
    -------
    numpy.ndarray of int64
        Microseconds since 1970, in UTC if the text has an offset. Year, month and day are 1900-01-01 where the format lacks them.
    numpy.ndarray of bool
        Which strings were read; False for nulls.
    """
    names = re.findall(r"\(\?P<(\w+)>", pattern)
    found = pc.extract_regex(values, pattern) if names else None
    if found is None:
        fits = np.asarray(pc.match_substring_regex(values, pattern).fill_null(False))
    else:
        fits = or_all(valid_of(found), len(values))
    part = {} if found is None else dict(zip(names, found.flatten(), strict=True))

    def number(name: str, default: int) -> npt.NDArray[np.int64]:
        return _group_numbers(part[name], _WIDTHS[name])[0] if name in part else np.full(len(values), default)

    days, real = _days(part, number)
    hours = number("H", 0)
    if _last_of("HI", part) == "I":
        afternoon = _is_word(part["p"], "pm") if "p" in part else False
        hours = number("I", 0) % 12 + 12 * afternoon
    micros = (days * 86_400 + hours * 3600 + number("M", 0) * 60 + number("S", 0)) * 10**6
    if "f" in part:
        micros += _micros(part["f"])
    if "sign" in part:
        ahead = (number("zh", 0) * 3600 + number("zm", 0) * 60 + number("zs", 0)) * 10**6 + _micros(part["zf"])
        micros -= np.where(_is_word(part["sign"], "-"), -ahead, ahead)
        is_even = np.asarray(pc.or_(pc.equal(part["zs"], ""), pc.equal(part["zc"], part["zd"])).fill_null(True))
        fits = fits & is_even  # a colon before the minutes only, or before the seconds only
    return micros, fits & real


def _last_of(names: Iterable[str], part: dict[str, pa.Array]) -> str | None:
    """Return the last of some directives in a format, which decides if they tell the same part of the time."""
    return next((name for name in reversed(part) if name in names), None)


def _micros(fraction: pa.Array) -> npt.NDArray[np.int64]:
    count, n_digits = _group_numbers(fraction, 6)
    return count * 10 ** (6 - n_digits)


def _days(part: dict[str, pa.Array], number: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return days since 1970, and which of them are in the calendar."""
    year = number("Y", 1900)
    if _last_of("yY", part) == "y":
        short = number("y", 0)
        year = short + np.where(short < 69, 2000, 1900)
    month, name = number("m", 1), _last_of("mbB", part)
    if name in ("b", "B"):
        words = pa.array(_SHORT if name == "b" else _MONTHS, part[name].type)
        month = np.asarray(pc.index_in(pc.utf8_lower(part[name]), words).fill_null(0)) + 1
    if "j" in part:
        first = (year - 1970).astype(np.int64).view("M8[Y]").astype("M8[D]")
        days = first + (number("j", 1) - 1).astype("m8[D]")
        real = days.astype("M8[Y]").astype(np.int64) == year - 1970
    else:
        start = ((year - 1970) * 12 + month - 1).astype(np.int64).view("M8[M]")
        days = start.astype("M8[D]") + (number("d", 1) - 1).astype("m8[D]")
        real = days.astype("M8[M]") == start
    return days.astype(np.int64), real & (year > 0)


_WIDTHS = dict.fromkeys([*"ymdHIMS", "zh", "zm", "zs"], 2) | {"Y": 4, "j": 3}
"""The most digits of a group, for which a blank may stand."""


def _group_numbers(text: pa.Array, width: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return at most `width` digits as numbers, 0 for nulls and empty text, and how many digits each has."""
    data, cuts = text_bytes(text)
    behind = np.arange(width, 0, -1)
    sizes = cuts[1:] - cuts[:-1]
    digits = data[np.maximum(cuts[1:, None] - behind, 0)] & 15  # 0 for a blank
    digits *= behind <= sizes[:, None]
    return digits @ 10 ** (behind - 1), sizes


def _is_word(text: pa.Array, word: str) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.equal(pc.utf8_lower(text), word).fill_null(False))
