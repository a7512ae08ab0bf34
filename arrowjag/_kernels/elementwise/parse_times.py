"""Text as timestamps by a format, as Python's `strptime` reads it: a regular expression of RE2, then arithmetic on its groups."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["has_zone", "parse_times", "pattern_of"]

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_SHORT = [name[:3] for name in _MONTHS]

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
    "b": f"(?P<b>{'|'.join(_SHORT)})",
    "B": f"(?P<B>{'|'.join(_MONTHS)})",
    "a": f"(?:{'|'.join(name[:3] for name in _DAYS)})",
    "A": f"(?:{'|'.join(_DAYS)})",
    "p": "(?P<p>am|pm)",
    "z": "(?:(?P<sign>[+-])(?P<zh>[0-9]{2}):?(?P<zm>[0-5][0-9])|z)",
    "%": "%",
}
_SHORTHANDS = {"%T": "%H:%M:%S", "%R": "%H:%M", "%F": "%Y-%m-%d", "%D": "%m/%d/%y"}


def pattern_of(format: str) -> str:
    """Return the regular expression of a format; a ValueError names a directive that is unknown or stands twice."""
    for short, long in _SHORTHANDS.items():
        format = re.sub(rf"(?<!%)((?:%%)*){short}", rf"\1{long}", format)
    parts: list[str] = []
    seen: set[str] = set()
    for literal, directive in re.findall(r"([^%]+)|%(.?)", format, re.DOTALL):
        if literal:
            parts.append(re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(literal)))
            continue
        if directive not in _DIRECTIVES:
            raise ValueError(f"unknown directive '%{directive}'")
        if directive in seen and directive != "%":
            raise ValueError(f"the directive '%{directive}' stands twice")
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
    fits = np.asarray(pc.match_substring_regex(values, pattern).fill_null(False) if found is None else found.is_valid())
    part = {name: pc.struct_field(found, [place]) for place, name in enumerate(names)}

    def number(name: str, default: int) -> npt.NDArray[np.int64]:
        return _numbers(part[name]) if name in part else np.full(len(values), default)

    days, real = _days(part, number)
    hours = number("H", 0)
    if "I" in part:
        afternoon = _texts(part["p"]) == "pm" if "p" in part else np.zeros(len(values), bool)
        hours = np.where("H" in part, hours, number("I", 0) % 12 + 12 * afternoon)
    micros = _fraction(part["f"]) if "f" in part else np.zeros(len(values), np.int64)
    seconds = days * 86_400 + hours * 3600 + number("M", 0) * 60 + number("S", 0)
    if "sign" in part:
        ahead = number("zh", 0) * 3600 + number("zm", 0) * 60
        seconds = seconds - np.where(_texts(part["sign"]) == "-", -ahead, ahead)
    return seconds * 10**6 + micros, fits & real


def _days(part: dict[str, pa.Array], number: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return days since 1970, and which of them are in the calendar."""
    year = number("Y", 1900)
    if "y" in part and "Y" not in part:
        short = number("y", 0)
        year = short + np.where(short < 69, 2000, 1900)
    month = number("m", 1)
    for name, words in (("B", _MONTHS), ("b", _SHORT)):
        if name in part:
            month = np.asarray(pc.index_in(pc.utf8_lower(part[name]), pa.array(words, part[name].type)).fill_null(0)) + 1
    if "j" in part and "m" not in part and "b" not in part and "B" not in part:
        first = (year - 1970).astype(np.int64).view("M8[Y]").astype("M8[D]")
        days = first + (number("j", 1) - 1).astype("m8[D]")
        real = days.astype("M8[Y]").astype(np.int64) == year - 1970
    else:
        start = ((year - 1970) * 12 + month - 1).astype(np.int64).view("M8[M]")
        days = start.astype("M8[D]") + (number("d", 1) - 1).astype("m8[D]")
        real = days.astype("M8[M]") == start
    return days.astype(np.int64), real & (year > 0)


def _numbers(text: pa.Array) -> npt.NDArray[np.int64]:
    """Return digits as numbers, 0 for nulls and empty text."""
    digits = pc.if_else(pc.equal(pc.binary_length(text), 0), pa.scalar("0", text.type), text).fill_null("0")
    return np.asarray(pc.utf8_ltrim_whitespace(digits).cast(pa.int64()))


def _fraction(text: pa.Array) -> npt.NDArray[np.int64]:
    return _numbers(pc.utf8_rpad(text.fill_null("0"), 6, "0"))


def _texts(text: pa.Array) -> npt.NDArray[Any]:
    return np.asarray(pc.utf8_lower(text.fill_null("")).to_numpy(zero_copy_only=False))
