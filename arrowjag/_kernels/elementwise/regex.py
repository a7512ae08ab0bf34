r"""Regular expressions by polars where its engine and Arrow's can't differ.

The dialect is RE2's, of Arrow. polars' engine, Rust's, descends from it: both take the leftmost match, and of those that
begin there the one that Perl would take. They differ in what is a digit, a letter or white space beyond ASCII, in sets within
sets, in the largest number of repetitions, and in empty matches beside other matches. So only patterns of a common part go to
polars: groups, alternatives, repetitions, ``.``, sets of single characters and ranges, and ``\d``, ``\w`` and ``\s``, which
are written out.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from arrowjag import _versions
from arrowjag._kernels import strategy
from arrowjag._kernels.base.capacity import check_replacements
from arrowjag._kernels.base.polars_lists import text_views
from arrowjag._kernels.elementwise.text_bytes import holds, is_ascii
from arrowjag._kernels.elementwise.text_items import by_items
from arrowjag.errors import brief

__all__ = ["BLANKS", "asserts", "by_arrow", "contains", "extract_all", "markers", "replace", "replace_first", "shared_pattern"]

BLANKS = r"[\s\v\x1c-\x1f\x{85}\p{Z}]+"
"""White space as Python's `str.isspace` and the `\\s` of its patterns know it; that of RE2 has those of ASCII only."""

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}
"""The classes of Perl as RE2 understands them; Rust extends them to Unicode."""

_ESCAPED = r"\\[-.\\+*?()|\[\]{}^$tnrf]"
_BEYOND = r"[^\x00-\x7f]"
_SET = rf"\[\^?(?:\\[dws]|[0-9A-Za-z](?:-[0-9A-Za-z])?|{_ESCAPED}|[_ .+*?()|{{}}$!\"#%',/:;<=>@`]|{_BEYOND})+\]"
_TEXT = rf"[0-9A-Za-z_ \-!\"#%&',/:;<=>@~`.|)^$]|{_ESCAPED}|{_BEYOND}|\\[Az]|\((?:\?:|(?!\?))"
_TIMES = r"[*+?]|\{\d{1,3}(?:,\d{0,3})?\}"
_TOKEN = re.compile(rf"(?P<set>{_SET})|\\(?P<class>[dwsDWS])|{_TEXT}|{_TIMES}")


@functools.lru_cache(256)
def shared_pattern(pattern: str) -> str | None:
    r"""Write a pattern that RE2 takes for both engines; None if they might differ.

    Parameters
    ----------
    pattern : str
        A regular expression of RE2.

    Returns
    -------
    str or None
        The pattern with ``\d``, ``\w`` and ``\s`` written out. None if it holds anything beyond the common part, or matches the
        empty string, as it may then match between characters.
    """
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        at = token.end()
        if token["class"]:
            parts.append(f"[{'^' if token['class'].isupper() else ''}{_CLASSES[token['class'].lower()]}]")
        elif token["set"]:
            parts.append(re.sub(r"\\(.)", lambda one: _CLASSES.get(one[1], one[0]), token["set"]))
        else:
            parts.append(token[0])
    found = "".join(parts)
    return None if pc.match_substring_regex(pa.array([""]), found)[0].as_py() else found


_TYPES: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "contains": lambda _: pa.bool_(),
    "extract_all": pa.large_list,
    "replace_all": lambda text: text,
}
"""The type of a result, from that of the text."""


def _by_polars(values: pa.Array, pattern: str, name: str, *arguments: str) -> pa.Array | None:
    """Call a method of polars' text; None where Arrow's kernel computes the result."""
    shared = shared_pattern(pattern)
    if strategy.choose("regex", len(values), shared is not None) != "polars":
        return None
    polars: Any = _versions.load("polars")
    try:
        found = getattr(polars.Series(text_views(values)).str, name)(shared, *arguments).to_arrow()
        return found.cast(_TYPES[name](values.type))
    except (polars.exceptions.PolarsError, pa.ArrowInvalid, pa.ArrowCapacityError):  # too large a pattern, or a result of 2 GB
        return None


def contains(values: pa.Array, pattern: str) -> pa.Array:
    """Whether a match is in each string.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text.
    pattern : str
        Of RE2, which takes it.

    Returns
    -------
    pa.BooleanArray
        Null for null. Cost: one pass.
    """
    found = _by_polars(values, pattern, "contains")
    return pc.match_substring_regex(values, pattern) if found is None else found


def extract_all(values: pa.Array, pattern: str) -> pa.Array | None:
    """All matches of each string as lists; None if neither polars nor Python, for few strings, finds them."""
    found = _by_polars(values, pattern, "extract_all")
    if found is None and (matcher := _matcher(pattern)) is not None:
        found = by_items(values, matcher.findall, pa.large_list(values.type))
    return found


_ITEM = rf"(?:{_SET}|[0-9A-Za-z_ \-!\"#%&',/:;<=>@~`.]|{_ESCAPED}|{_BEYOND})"
_PLAIN = re.compile(rf"{_ITEM}+(?:{_TIMES})?")


@functools.lru_cache(256)
def _matcher(pattern: str) -> re.Pattern[str] | None:
    """Compile a pattern for Python, whose engine goes back to try other repetitions: None unless only the last item repeats."""
    shared = shared_pattern(pattern)
    plain = shared is not None and _PLAIN.fullmatch(shared) is not None and "||" not in shared  # of which Python warns in sets
    return re.compile(shared) if shared is not None and plain else None


def replace(values: pa.Array, pattern: str, new: str) -> pa.Array:
    """Replace all matches by a text, in which a backslash and a digit stand for a group."""
    found = None if {"\\", "$"} & set(new) else _by_polars(values, pattern, "replace_all", new)
    return by_arrow(values, pattern, new) if found is None else found


def by_arrow(values: pa.Array, pattern: str, new: str) -> pa.Array:
    """Replace all matches by Arrow's kernel, after a check that the result can't be too long for its offsets."""
    check_replacements(values, new)
    found = pc.replace_substring_regex(values, pattern, new)
    if "\\B" in pattern and not is_ascii(values):
        _check_characters(found, pattern)
    return found


def _check_characters(found: pa.Array, pattern: str) -> None:
    r"""Refuse text that was put inside of a character: RE2 finds ``\B`` between its bytes too, none of which is part of a word."""
    try:
        found.validate(full=True)
    except pa.ArrowInvalid:
        raise pa.ArrowInvalid(f"{brief(pattern)} matches between the bytes of a character beyond ASCII") from None


_CANDIDATES = (range(1, 9), range(0xE000, 0xF8FF), range(0xF0000, 0xFFFFE))
"""Characters that hardly appear in text: control characters and those for private use."""


def markers(values: pa.Array, n: int, beside: str = "") -> list[str]:
    """Return n characters that neither the strings nor another text contain."""
    found: list[str] = []
    for char in map(chr, itertools.chain(*_CANDIDATES)):
        if char in beside:
            continue
        if not (holds(values, char.encode()) if char.isascii() else pc.any(pc.match_substring(values, char)).as_py()):
            found.append(char)
            if len(found) == n:
                break
    return found


_ASSERTION = re.compile(r"[\^$]|\\[AbBz]")


def asserts(pattern: str) -> bool:
    """Whether a match may depend on the text around it: on an end of the text, of a line or of a word."""
    return _ASSERTION.search(pattern) is not None


def replace_first(values: pa.Array, pattern: str, new: str, limit: int) -> pa.Array:
    """Replace the first `limit` matches of each string, of which none is empty.

    Arrow's kernel takes what follows a match for a text of its own, which has a start, and replaces in the match alone.
    """
    begin, middle, end = markers(values, 3, new)
    marked = by_arrow(values, pattern, f"{begin}{new}{middle}\\0{end}")
    parts = pc.split_pattern(marked, begin, max_splits=limit)
    # Each piece after the first begins with what replaces a match; the last one also holds the matches beyond the limit.
    flat = by_arrow(parts.values, f"\\A([^{middle}]*){middle}[^{end}]*{end}", "\\1")
    flat = by_arrow(flat, f"{begin}[^{middle}]*{middle}([^{end}]*){end}", "\\1")
    pieces = type(parts).from_arrays(parts.offsets, flat, mask=parts.is_null() if parts.null_count else None)
    return pc.binary_join(pieces, pa.scalar("", values.type))
