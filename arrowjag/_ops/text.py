"""Apply methods of strings to text leaves, with the meaning of Python's methods."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks, n_cores
from arrowjag._kernels.base.capacity import check_replacements, with_room
from arrowjag._kernels.base.memory import check_memory, is_counted
from arrowjag._kernels.compiled.loops.strings import ANYWHERE, AT_END, AT_START
from arrowjag._kernels.elementwise import regex as _regex
from arrowjag._kernels.elementwise import text as _kernels
from arrowjag._kernels.elementwise import text_bytes, text_loops
from arrowjag._kernels.elementwise.text_items import by_items
from arrowjag._kernels.move.gather import take_at
from arrowjag._ops import elementwise, struct_fields
from arrowjag._ops.elementwise import Datum, Operand
from arrowjag.errors import JagTypeError, JagValueError, brief

__all__ = [
    "cat",
    "contains",
    "count",
    "extract",
    "extract_all",
    "find",
    "fullmatch",
    "length",
    "match",
    "on_all_cores",
    "on_text",
    "pad",
    "plain_method",
    "removed",
    "repeat",
    "replace",
    "reverse",
    "slice_text",
    "split",
    "starts_or_ends",
    "strip",
    "text_values",
    "zfill",
]

Compute = Callable[[pa.Array], pa.Array]


def on_text(
    column: Column,
    name: str,
    compute: Compute,
    at_once: Callable[[pa.Array], pa.Array | None] | None = None,
    room: Callable[[pa.Array], int] | None = None,
) -> Column:
    """Call a function of flat text on the leaves.

    Parameters
    ----------
    column : Column
        Of strings, large strings, string views, dictionaries of these, or of the type null.
    name : str
        The method, for errors.
    compute : callable
        Maps a string or large string array to an array of the same length; lists become a dim. If the column
        is a dictionary array, it gets the dictionary values.
    at_once : callable, optional
        Computes the same on all cores by itself, or returns None.
    room : callable, optional
        Returns a lower bound of the bytes of the results; if there is no memory for them, which Arrow's kernels don't check, a
        `JagMemoryError` is raised.

    Returns
    -------
    Column
        Results for dictionaries are plain: two dictionary values may give one result.
    """
    values = column.values
    if pt.is_dictionary(values.type) and len(values.dictionary) <= len(values):
        results = _called(name, compute, at_once, room, _text(values.dictionary, values.type, name))
        found = take_at(results, values.indices)
    else:
        found = _called(name, compute, at_once, room, _text(values, values.type, name))
    return struct_fields.with_levels(column.shape, found, check=False)


def text_values(values: pa.Array, name: str) -> pa.Array:
    """Return text as strings or large strings; for other leaves, a JagTypeError names the method."""
    return _text(values, values.type, name)


def _text(values: Datum, type: pa.DataType, name: str, hint: str = "It takes text.") -> Datum:
    plain = elementwise.decoded(values)
    if pt.is_null(plain.type):
        return plain.cast(pa.string())
    if not elementwise.is_text(plain.type):
        raise JagTypeError.no_kernel(f"str.{name}", type, hint=hint)
    return plain


def _called(
    name: str,
    compute: Compute,
    at_once: Callable[[pa.Array], pa.Array | None] | None,
    room: Callable[[pa.Array], int] | None,
    text: pa.Array,
) -> pa.Array:
    if room is not None:
        check_memory(room(text), 1)

    def run(text: pa.Array) -> pa.Array:
        found = None if at_once is None else at_once(text)
        return on_all_cores(compute, text) if found is None else found

    try:
        return _narrowed(with_room(run, text), text.type)
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise JagValueError(f"str.{name}: {error}") from None


def _narrowed(found: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast a result to the type of the text unless it has more than 2 GB: a kernel may reserve more memory than it needs."""
    if pt.is_string(type) and pt.is_large_string(found.type):
        with contextlib.suppress(pa.ArrowInvalid):
            return found.cast(type)
    return found


def on_all_cores(compute: Compute, text: pa.Array) -> pa.Array:
    """Call a function of flat text on a block per core: Arrow's and polars' kernels of text run in one thread."""
    n = len(text)
    size = -(-n // n_cores()) if strategy.choose("text_blocks", n) == "blocks" else n
    parts = map_tasks(compute, [text.slice(start, size) for start in range(0, n, size)] if 0 < size < n else [text])
    found = [_arrow.combine_chunks(part) for part in parts]
    return found[0] if len(found) == 1 else pa.concat_arrays(found)


_LIGHT = frozenset({"lower", "upper", "swapcase"})
"""Methods that take less time on ASCII than to join the results of several cores."""


def plain_method(column: Column, name: str) -> Column:
    """Call a method of Python's str that has no arguments."""
    at_once = (lambda text: _kernels.by_bytes(name, text)) if name in _LIGHT else None
    return on_text(column, name, lambda text: _kernels.by_python(name, text), at_once)


# ------------------------------------------------------------------------------------------------------- arguments


def _string(value: Any, name: str, parameter: str) -> str:
    if not isinstance(value, str):
        raise JagTypeError(f"str.{name}: {parameter} must be a str, got {type(value).__name__}")
    value.encode()  # a lone surrogate raises here, whatever the number of texts
    return value


def _checked_regex(pattern: Any, name: str) -> str:
    """Refuse a pattern that RE2 can't compile; Arrow compiles none on empty arrays."""
    text = _string(pattern, name, "the pattern")
    try:
        _compile(text)
    except pa.ArrowInvalid as error:
        hint = "RE2 has no look-around and no references to groups"
        raise JagValueError(f"str.{name}: {brief(text)} is not a regular expression of RE2 ({error}); {hint}") from None
    return f"{text}\\E" if "\\Q" in _QUOTED.sub("", text) else text  # text that is appended to the pattern must not be quoted


_QUOTED = re.compile(r"\\Q.*?\\E|\\[^Q]", re.DOTALL)
"""Quotations that end, and escapes."""


@functools.lru_cache(256)
def _compile(pattern: str) -> None:
    """Let RE2 compile a pattern, once for all calls; an error is not kept."""
    pc.match_substring_regex(pa.array([""]), pattern)


def _not_empty(pattern: str, name: str) -> str:
    if not pattern:
        hint = "; for the characters of each text write x.str.extract_all('.')" if name == "split" else ""
        raise JagValueError(f"str.{name}: the pattern is empty, expected at least one character{hint}")
    return pattern


# --------------------------------------------------------------------------------------------------- tests and counts


def contains(column: Column, pattern: Any, regex: bool, ignore_case: bool) -> Column:
    """Return whether each string contains a text or a match of a pattern."""
    wanted = _checked_regex(pattern, "contains") if regex else _string(pattern, "contains", "the pattern")
    if regex and not ignore_case:
        return _on_matches(column, "contains", wanted)
    kernel = pc.match_substring_regex if regex else pc.match_substring
    at_once = None if regex or ignore_case or not wanted else lambda text: text_loops.holding(text, wanted, ANYWHERE)
    return on_text(column, "contains", lambda text: kernel(text, wanted, ignore_case=bool(ignore_case)), at_once)


def match(column: Column, pattern: Any) -> Column:
    """Return whether a match starts at the first character of each string."""
    anchored = f"\\A(?:{_checked_regex(pattern, 'match')})"
    return _on_matches(column, "match", anchored)


def fullmatch(column: Column, pattern: Any) -> Column:
    """Return whether the whole of each string is a match."""
    anchored = f"\\A(?:{_checked_regex(pattern, 'fullmatch')})\\z"
    return _on_matches(column, "fullmatch", anchored)


def _on_matches(column: Column, name: str, pattern: str) -> Column:
    """Return whether each string contains a match."""
    return on_text(column, name, lambda text: _regex.contains(text, pattern))


def starts_or_ends(column: Column, name: str, affix: Any) -> Column:
    """Compute `startswith` or `endswith` for one text, or for any text of a tuple."""
    kernel = pc.starts_with if name == "startswith" else pc.ends_with
    affixes = [_string(one, name, "the text") for one in (affix if isinstance(affix, tuple) else (affix,))]

    def compute(text: pa.Array) -> pa.Array:
        if not affixes:
            return pc.if_else(text.is_valid(), False, pa.scalar(None, pa.bool_()))
        return functools.reduce(pc.or_, (kernel(text, one) for one in affixes))

    mode = AT_START if name == "startswith" else AT_END
    has_loop = len(affixes) == 1 and len(affixes[0]) > 0
    return on_text(column, name, compute, (lambda text: text_loops.holding(text, affixes[0], mode)) if has_loop else None)


def length(column: Column, name: str) -> Column:
    """Count the code points of each string, or its bytes in UTF-8."""
    if name == "len":
        return on_text(column, name, text_bytes.length)
    return on_text(column, name, text_bytes.byte_length, text_bytes.byte_length)  # by offsets alone, at any size


def find(column: Column, text: Any) -> Column:
    """Find the position of a text in each string, in code points."""
    wanted = _string(text, "find", "the text")
    return on_text(column, "find", lambda values: _kernels.find(values, wanted))


def count(column: Column, text: Any) -> Column:
    """Count the places where a text occurs in each string, without overlap."""
    wanted = _string(text, "count", "the text")
    if not wanted:
        return on_text(column, "count", lambda values: pc.add(text_bytes.length(values), 1))
    return on_text(
        column,
        "count",
        lambda values: pc.count_substring(values, wanted).cast(pa.int64()),
        lambda values: text_loops.counted(values, wanted),
    )


# --------------------------------------------------------------------------------------------------------- changed text


_STRIP: dict[str, tuple[Any, Any]] = {
    "strip": (pc.utf8_trim_whitespace, pc.utf8_trim),
    "lstrip": (pc.utf8_ltrim_whitespace, pc.utf8_ltrim),
    "rstrip": (pc.utf8_rtrim_whitespace, pc.utf8_rtrim),
}


def strip(column: Column, name: str, chars: Any) -> Column:
    """Remove white space, or the given characters, from one end or both ends of each string."""
    blanks, given = _STRIP[name]
    if chars is None:
        return on_text(column, name, blanks)
    wanted = _string(chars, name, "chars")
    return on_text(column, name, lambda text: given(text, wanted) if wanted else text)


def removed(column: Column, name: str, affix: Any) -> Column:
    """Remove a prefix or suffix from the strings that have it."""
    wanted = _string(affix, name, "the text")
    if not wanted:
        return on_text(column, name, lambda text: text)
    return on_text(
        column,
        name,
        lambda text: text_bytes.removed(text, wanted, at_start=name == "removeprefix"),
        lambda text: by_items(text, methodcaller(name, wanted), text.type),
    )


def reverse(column: Column) -> Column:
    """Reverse the code points of each string."""
    return on_text(column, "reverse", lambda text: (pc.ascii_reverse if text_bytes.is_ascii(text) else pc.utf8_reverse)(text))


def slice_text(column: Column, start: Any, stop: Any, step: Any) -> Column:
    """Slice the code points of each string by Python's rule."""
    by = 1 if step is None else integer(step, "str.slice: step")
    if by == 0:
        raise JagValueError("str.slice: step must not be 0")
    first = (0 if by > 0 else -1) if start is None else integer(start, "str.slice: start")
    last = None if stop is None else integer(stop, "str.slice: stop")

    def compute(text: pa.Array) -> pa.Array:
        found = text_bytes.sliced(text, first, last) if by == 1 and text_bytes.is_ascii(text) else None
        return pc.utf8_slice_codeunits(text, first, last, by) if found is None else found

    return on_text(column, "slice", compute, (lambda text: text_loops.sliced(text, first, last)) if by == 1 else None)


def pad(column: Column, name: str, n: Any, side: Any, fill: Any) -> Column:
    """Pad each string to n code points at the left, the right or both sides."""
    width, char = integer(n, f"str.{name}: n"), _string(fill, name, "fill")
    if len(char) != 1:
        raise JagValueError(f"str.{name}: fill must be one character, got {brief(fill)}")
    if width <= 0:
        return on_text(column, name, lambda text: text)
    room = _room_for(width)
    if side == "both":  # Python puts the odd character left if the width is odd too
        kernel = functools.partial(pc.utf8_center, lean_left_on_odd_padding=width % 2 == 0)
    else:
        kernel = pc.utf8_lpad if side == "left" else pc.utf8_rpad
    return on_text(column, name, lambda text: kernel(text, width, char), room=room)


def _room_for(width: int) -> Callable[[pa.Array], int]:
    """Return the bytes that strings of `width` characters have if each character has one byte."""
    return lambda text: (len(text) - text.null_count) * width


def zfill(column: Column, n: Any) -> Column:
    """Pad each string with zeros at the left, after a sign."""
    width = integer(n, "str.zfill: n")
    if width <= 0:
        return on_text(column, "zfill", lambda text: text)
    return on_text(column, "zfill", lambda text: pc.utf8_zero_fill(text, width), room=_room_for(width))


def repeat(column: Column, n: Any) -> Column:
    """Repeat each string n times."""
    times = max(0, integer(n, "str.repeat: n"))
    return on_text(column, "repeat", lambda text: pc.binary_repeat(text, times), room=lambda text: text_bytes.n_bytes(text) * times)


def cat(column: Column, other: Operand, sep: Any) -> Column:
    """Concatenate each string with another one."""
    between = _string(sep, "cat", "sep")

    def compute(one: Datum, two: Datum) -> pa.Array:
        hint = "It takes text; cast(pa.string()) makes text of other types."
        parts = [_text(side, side.type, "cat", hint) for side in (one, two)]
        if parts[0].type != parts[1].type:
            parts = [part.cast(pa.large_string()) for part in parts]
        return _kernels.join(parts[0], parts[1], between)

    return elementwise.apply(compute, [column, other], "str.cat")


def replace(column: Column, old: Any, new: Any, n: Any, regex: bool) -> Column:
    """Replace occurrences of a text, or matches of a pattern, at most n of each string."""
    wanted = _not_empty(_checked_regex(old, "replace") if regex else _string(old, "replace", "old"), "replace")
    by, limit = _string(new, "replace", "new"), integer(n, "str.replace: n")
    kernel = pc.replace_substring_regex if regex else pc.replace_substring
    if regex:
        _check_references(wanted, by)

    def compute(text: pa.Array) -> pa.Array:
        if limit == 0:
            return text
        if regex and limit > 0 and _kernels.has_empty_match(text, wanted):  # Arrow would replace the same place n times
            raise JagValueError(f"str.replace: {brief(wanted)} matches between characters; n can't limit that, leave it out")
        if regex and limit < 0:
            return _regex.replace(text, wanted, by)
        if regex and _regex.asserts(wanted):
            return _regex.replace_first(text, wanted, by, limit)
        check_replacements(text, by)
        return kernel(text, wanted, by, max_replacements=None if limit < 0 else limit)

    def room(text: pa.Array) -> int:
        more = len(by.encode()) - (0 if regex else len(wanted.encode()))
        n_bytes = text_bytes.n_bytes(text)
        if limit == 0 or more <= 0 or not is_counted((n_bytes + len(text)) * more):
            return 0
        counted = wanted
        if regex:  # Arrow counts a match of "^" at each character, but replaces one
            counted = _kernels.markers(text, 1)[0]
            text = pc.replace_substring_regex(text, wanted, counted)
        counts = pc.count_substring(text, counted)
        found = pc.sum(pc.min_element_wise(counts, limit) if limit > 0 else counts).as_py() or 0
        return found * more + (0 if regex else n_bytes)

    at_once = None if regex or limit == 0 else lambda text: text_loops.replaced(text, wanted, by, limit)
    return on_text(column, "replace", compute, at_once, room)


def _check_references(pattern: str, new: str) -> None:
    try:
        pc.replace_substring_regex(pa.array([""]), pattern, new)
    except pa.ArrowInvalid as error:
        raise JagValueError(f"str.replace: {error}") from None


# -------------------------------------------------------------------------------------------------------- several parts


def split(column: Column, sep: Any, maxsplit: Any, regex: bool) -> Column:
    """Split each string at separators; the pieces become a new innermost dim."""
    limit = integer(maxsplit, "str.split: maxsplit")

    if sep is None:
        few = methodcaller("split", None, limit)
        return on_text(
            column,
            "split",
            lambda text: _split_blanks(text, limit),
            lambda text: by_items(text, few, pa.large_list(text.type)),
        )
    wanted = _not_empty(_checked_regex(sep, "split") if regex else _string(sep, "split", "sep"), "split")

    def compute(text: pa.Array) -> pa.Array:
        if limit == 0:
            return _single(text)
        if regex:
            return _kernels.split(text, wanted, limit)
        return pc.split_pattern(text, wanted, max_splits=None if limit < 0 else limit)

    def at_once(text: pa.Array) -> pa.Array | None:
        return text_loops.split(text, wanted, limit) if limit else None

    return on_text(column, "split", compute, None if regex else at_once)


def _split_blanks(text: pa.Array, limit: int) -> pa.Array:
    """Split as Python's `split` does without a separator: blanks at the ends leave no empty piece."""
    if limit < 0:  # Arrow makes two pieces of several blanks at the end
        return _kernels.drop_last_empty(pc.utf8_split_whitespace(pc.utf8_trim_whitespace(text)))
    text = pc.utf8_ltrim_whitespace(text)
    return _kernels.drop_last_empty(_kernels.split(text, _regex.BLANKS, limit) if limit else _single(text))


def _single(text: pa.Array) -> pa.Array:
    """Wrap each string into a list of one item."""
    offsets = pa.array(np.arange(len(text) + 1))
    return pa.LargeListArray.from_arrays(offsets, text, mask=text.is_null() if text.null_count else None)


def extract(column: Column, pattern: Any) -> Column:
    """Return the groups of the first match of each string as structs."""
    wanted, names = _kernels.groups_of(_checked_regex(pattern, "extract"))
    if not names:
        raise JagValueError(f"str.extract: {brief(pattern)} has no group; put it in parentheses for the whole match")
    if len(set(names)) < len(names):
        raise JagValueError(f"str.extract: two of the groups {list(names)} have the same name; rename one")
    return on_text(column, "extract", lambda text: _kernels.extract(text, wanted, names))


def extract_all(column: Column, pattern: Any) -> Column:
    """Return all matches of each string as a new innermost dim."""
    wanted = _checked_regex(pattern, "extract_all")
    return on_text(column, "extract_all", lambda text: _kernels.extract_all(text, wanted))
