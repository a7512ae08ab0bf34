"""Regular expressions of RE2 on flat text: groups, all matches, and splits that end for matches of no character too."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._kernels.elementwise.text import markers, odd_pieces

__all__ = ["extract", "extract_all", "groups_of", "has_empty_match", "split"]


def split(values: pa.Array, pattern: str, limit: int) -> pa.Array:
    """Split at matches.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text.
    pattern : str
        Of RE2; a match may be empty, for which Arrow's own kernel never ends.
    limit : int
        The number of splits; negative for no limit.

    Returns
    -------
    pa.ListArray
        The text between matches. Cost: one pass that marks the matches, and one that splits at the marks.
    """
    begin, end = markers(values, 2)
    if limit < 0:
        return pc.split_pattern(pc.replace_substring_regex(values, pattern, begin), begin)
    parts = pc.split_pattern(pc.replace_substring_regex(values, f"({pattern})", f"{begin}\\1{end}"), begin, max_splits=limit)
    # Each piece after the first begins with the match before it. The last one also holds the matches beyond the limit.
    flat = pc.replace_substring_regex(parts.values, f"\\A[^{end}]*{end}", "")
    for mark in (begin, end):
        flat = pc.replace_substring(flat, mark, "")
    return type(parts).from_arrays(parts.offsets, flat, mask=parts.is_null() if parts.null_count else None)


def extract_all(values: pa.Array, pattern: str) -> pa.Array:
    """Return the list of all matches in each string; a string without a match gives an empty list."""
    mark = markers(values, 1)[0]
    return odd_pieces(pc.split_pattern(pc.replace_substring_regex(values, f"({pattern})", f"{mark}\\1{mark}"), mark))


def has_empty_match(values: pa.Array, pattern: str) -> bool:
    """Return whether a match in any of the strings holds no character."""
    begin, end = markers(values, 2)
    marked = pc.replace_substring_regex(values, f"({pattern})", f"{begin}\\1{end}")
    return bool(pc.any(pc.match_substring(marked, begin + end)).as_py())


def extract(values: pa.Array, pattern: str, names: list[str]) -> pa.Array:
    """Return the groups of the first match as structs; null without a match, and null fields for unused groups.

    Parameters
    ----------
    values : pa.StringArray or pa.LargeStringArray
        The text.
    pattern : str
        With the groups named ``g0``, ``g1``, ... as by `groups_of`.
    names : list of str
        The fields of the result.

    Returns
    -------
    pa.StructArray
        Cost: one pass. If a group is empty, a second pass finds the groups without a match, for which Arrow returns "".
    """
    found = pc.extract_regex(values, pattern)
    parts = [pc.struct_field(found, [place]) for place in range(len(names))]
    if any(pc.any(pc.equal(pc.binary_length(part), 0)).as_py() for part in parts):
        spans = pc.extract_regex_span(values, pattern)
        used = [pc.is_valid(pc.struct_field(spans, [place])) for place in range(len(names))]
        parts = [pc.if_else(one, part, pa.scalar(None, part.type)) for one, part in zip(used, parts, strict=True)]
    return pa.StructArray.from_arrays(parts, names=names, mask=found.is_null() if found.null_count else None)


def groups_of(pattern: str) -> tuple[str, list[str]]:
    """Name the groups of a pattern.

    Parameters
    ----------
    pattern : str
        Of RE2.

    Returns
    -------
    str
        The pattern with all groups named ``g0``, ``g1``, ..., as Arrow requires names.
    list of str
        The names of the groups; unnamed ones are called by their number from 1.
    """
    parts: list[str] = []
    names: list[str] = []
    place = 0
    while place < len(pattern):
        taken = _skipped(pattern, place)
        if taken == 0 and pattern[place] == "(":
            head, name = _group_head(pattern, place)
            if name is not None:
                parts.append(f"(?P<g{len(names)}>")
                names.append(name or str(len(names) + 1))
                place += len(head)
                continue
        taken = max(taken, 1)
        parts.append(pattern[place : place + taken])
        place += taken
    return "".join(parts), names


def _skipped(pattern: str, place: int) -> int:
    """Return the length of an escape, a quotation or a character class at a position, 0 if there is none."""
    if pattern.startswith("\\Q", place):
        end = pattern.find("\\E", place)
        return len(pattern) - place if end < 0 else end + 2 - place
    if pattern[place] == "\\":
        return 2
    if pattern[place] != "[":
        return 0
    at = place + 1
    at += pattern.startswith("^", at)
    at += pattern.startswith("]", at)
    while at < len(pattern) and pattern[at] != "]":
        if pattern.startswith("[:", at) and ":]" in pattern[at:]:
            at = pattern.index(":]", at) + 2
        else:
            at += 2 if pattern[at] == "\\" else 1
    return at + 1 - place


def _group_head(pattern: str, place: int) -> tuple[str, str | None]:
    """Return the opening of a group and its name, "" if it has none, and None if it captures nothing."""
    for opening in ("(?P<", "(?<"):
        if pattern.startswith(opening, place):
            name, _, _ = pattern[place + len(opening) :].partition(">")
            return f"{opening}{name}>", name
    return ("(", None) if pattern.startswith("(?", place) else ("(", "")
