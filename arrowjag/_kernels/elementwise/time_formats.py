"""Text as timestamps by a format, read as Python's `strptime` reads it: a regular expression, then arithmetic on its groups."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._kernels.base.texts import text_bytes
from arrowjag._kernels.base.words import or_all, valid_of
from arrowjag._kernels.elementwise.regex import BLANKS
from arrowjag._kernels.elementwise.text_bytes import is_ascii
from arrowjag._kernels.elementwise.text_items import few_items

__all__ = ["has_zone", "parse_times", "pattern_of"]

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
    fits, part = _groups(values, pattern)
    if not np.count_nonzero(fits):
        return np.zeros(len(values), np.int64), fits

    def number(name: str) -> npt.NDArray[np.int64] | int:
        return _numbers(part[name], _WIDTHS[name]) if name in part else 0

    days, real = _days(part, len(values))
    hours = number("H")
    if _last_of("HI", part) == "I":
        afternoon = _is_word(part["p"], "pm") if "p" in part else False
        hours = number("I") % 12 + 12 * afternoon
    micros = (days * 86_400 + hours * 3600 + number("M") * 60 + number("S")) * 10**6
    if "f" in part:
        micros += _micros(part["f"])
    if "sign" in part:
        ahead = (number("zh") * 3600 + number("zm") * 60 + number("zs")) * 10**6 + _micros(part["zf"])
        micros -= np.where(_is_word(part["sign"], "-"), -ahead, ahead)
        seconds, *colons = (_text(part[name]) for name in ("zs", "zc", "zd"))
        is_even = np.asarray(pc.or_(pc.equal(seconds, ""), pc.equal(*colons)).fill_null(True))
        fits = fits & is_even  # a colon before the minutes only, or before the seconds only
    return micros, fits & real


Group: TypeAlias = "pa.Array | tuple[str | None, ...]"
"""The text of a group in each string, null where the string does not match."""


def _groups(values: pa.Array, pattern: str) -> tuple[npt.NDArray[np.bool_], dict[str, Group]]:
    """Return which strings match the pattern of a format, and the groups by name, "" where one is not used.

    Few strings are matched by Python, which remembers the compiled pattern: RE2 compiles it again in each call.
    """
    names = _names(pattern)
    matcher = _matcher(pattern)
    found = None if matcher is None else few_items(values)
    if matcher is not None and found is not None and is_ascii(values):
        matches = [None if item is None else matcher.match(item) for item in found]
        fits = np.array([match is not None for match in matches], np.bool_)
        none = (None,) * len(names)
        groups = zip(*[none if match is None else match.groups("") for match in matches], strict=True) if fits.any() else ()
        return fits, dict(zip(names, groups, strict=False))
    if not names:
        return np.asarray(pc.match_substring_regex(values, pattern).fill_null(False)), {}
    structs = pc.extract_regex(values, pattern)
    return or_all(valid_of(structs), len(values)), dict(zip(names, structs.flatten(), strict=True))


@functools.lru_cache(256)
def _names(pattern: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\(\?P<(\w+)>", pattern))


@functools.lru_cache(256)
def _matcher(pattern: str) -> re.Pattern[str] | None:
    """Return the pattern of a format as Python writes it, for text of ASCII; None if the pattern holds other characters."""
    if not pattern.isascii():
        return None
    return re.compile(pattern.replace(BLANKS, r"[\s\x1c-\x1f]+").removesuffix("z") + "Z", re.ASCII)


def _last_of(names: Iterable[str], part: dict[str, Group]) -> str | None:
    """Return the last of some directives in a format, which decides if they tell the same part of the time."""
    return next((name for name in reversed(part) if name in names), None)


def _micros(fraction: Group) -> npt.NDArray[np.int64]:
    if isinstance(fraction, tuple):
        return np.array([int(f"{one:0<6}") if one else 0 for one in fraction], np.int64)
    cuts = text_bytes(fraction)[1]
    n_digits = cuts[1:] - cuts[:-1]
    found: npt.NDArray[np.int64] = _numbers(fraction, 6) * 10 ** (6 - n_digits)
    return found


def _days(part: dict[str, Group], n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return days since 1970, and which of them are in the calendar."""

    def number(name: str, default: int) -> npt.NDArray[np.int64]:
        return _numbers(part[name], _WIDTHS[name]) if name in part else np.full(n, default)

    year = number("Y", 1900)
    if _last_of("yY", part) == "y":
        short = number("y", 0)
        year = short + np.where(short < 69, 2000, 1900)
    month, name = number("m", 1), _last_of("mbB", part)
    if name in ("b", "B"):
        text = _text(part[name])
        words = pa.array(_SHORT if name == "b" else _MONTHS, text.type)
        month = np.asarray(pc.index_in(pc.utf8_lower(text), words).fill_null(0)) + 1
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


def _numbers(group: Group, width: int) -> npt.NDArray[np.int64]:
    """Return at most `width` digits as numbers, 0 for nulls and empty text."""
    if isinstance(group, tuple):
        return np.array([int(one) if one else 0 for one in group], np.int64)
    data, cuts = text_bytes(group)
    behind = np.arange(width, 0, -1)
    digits = data[np.maximum(cuts[1:, None] - behind, 0)] & 15  # 0 for a blank
    digits *= behind <= (cuts[1:] - cuts[:-1])[:, None]
    found: npt.NDArray[np.int64] = digits @ 10 ** (behind - 1)
    return found


def _text(group: Group) -> pa.Array:
    return pa.array(group, pa.string()) if isinstance(group, tuple) else group


def _is_word(group: Group, word: str) -> npt.NDArray[np.bool_]:
    return np.asarray(pc.equal(pc.utf8_lower(_text(group)), word).fill_null(False))
