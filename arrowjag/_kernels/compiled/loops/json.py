"""A loop that parses JSON text: nested lists of numbers or of booleans, and null at each level.

It stops at whatever it doesn't understand, valid or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.counts import word_from
from arrowjag._kernels.compiled.loops.numerals import float_at, integer_at, single_at

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

_SPACE, _TAB, _LINE, _RETURN = b" \t\n\r"
_COMMA, _OPEN, _CLOSE, _N, _F = b",[]nf"
_NULL, _TRUE, _ALSE = (int.from_bytes(word, "little") for word in (b"null", b"true", b"alse"))

Function = Callable[..., int]


@helper
def after_blanks(data: Any, x: Any, stop: Any) -> Any:
    """The first place from x on that holds no white space."""
    while x < stop:
        byte = data[x]
        if byte > _SPACE or not ((byte == _SPACE) | (byte == _TAB) | (byte == _LINE) | (byte == _RETURN)):
            break
        x += u8(1)
    return x


@helper
def is_word(data: Any, size: Any, x: Any, stop: Any, word: Any) -> Any:
    """Whether the four bytes from x on, all before `stop`, are those of a word."""
    return (x + u8(4) <= stop) and (word_from(data, size, x) & u8(0xFFFFFFFF)) == u8(word)


@helper
def boolean_at(
    text: Any,
    size: Any,
    x: Any,
    stop: Any,
    _least: Any,
    _most: Any,
    _tens: Any,
    _powers: Any,
    _scales: Any,
    out: Any,
    at: Any,
) -> Any:
    """Write true or false from x on, and return the place behind it; 0 if there is neither."""
    is_true = is_word(text, size, x, stop, _TRUE)
    if not (is_true or (text[x] == _F and is_word(text, size, x + u8(1), stop, _ALSE))):
        return u8(0)
    out[at] = is_true
    return x + (u8(4) if is_true else u8(5))


@helper
def end_list(depth: Any, is_known: Any, stride: Any, ends: Any, known: Any, counts: Any) -> None:
    """Append a list whose items have been parsed, or a null, to the lists of a level."""
    at = depth * stride + u8(counts[depth])
    ends[at] = counts[depth + u8(1)]
    known[at] = is_known
    counts[depth] = i8(counts[depth]) + i8(1)


@helper
def add_null(depth: Any, inner: Any, stride: Any, ends: Any, known: Any, out: Any, there: Any, counts: Any) -> None:
    """Append a null to the lists of a level, or to the items of the innermost lists."""
    if depth < inner:
        end_list(depth, False, stride, ends, known, counts)
    else:
        at = u8(counts[inner])
        out[at] = 0
        there[at] = False
        counts[inner] = i8(at) + i8(1)


def _lists(item_at: Callable[..., Any], nulls: bool) -> Function:
    def function(
        text: Any,
        size: Any,
        cuts: Any,
        valid: Any,
        first: Any,
        last: Any,
        inner: Any,
        least: Any,
        most: Any,
        tens: Any,
        powers: Any,
        scales: Any,
        stride: Any,
        ends: Any,
        known: Any,
        out: Any,
        there: Any,
        counts: Any,
    ) -> int:
        n_bytes, deepest, step = u8(size), u8(inner), u8(stride)
        for level in range(u8(0), deepest + u8(1)):
            counts[level] = 0
        for i in range(u8(first), u8(last)):
            wrong: int = i8(i) + i8(1)
            depth = u8(0)
            if nulls and valid[i] == 0:
                add_null(depth, deepest, step, ends, known, out, there, counts)
                continue
            x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
            needs_value, may_end = True, False
            while True:
                x = after_blanks(text, x, stop)
                if x == stop:
                    break
                byte = text[x]
                if not needs_value:
                    x += u8(1)
                    if depth == u8(0) or ((byte != _COMMA) & (byte != _CLOSE)):
                        return wrong
                    needs_value = byte == _COMMA
                    if byte == _CLOSE:
                        depth -= u8(1)
                        end_list(depth, True, step, ends, known, counts)
                    continue
                if byte == _OPEN and depth < deepest:
                    depth += u8(1)
                    x += u8(1)
                    may_end = True
                    continue
                if byte == _CLOSE and may_end:
                    depth -= u8(1)
                    x += u8(1)
                    end_list(depth, True, step, ends, known, counts)
                elif byte == _N and is_word(text, n_bytes, x, stop, _NULL):
                    x += u8(4)
                    add_null(depth, deepest, step, ends, known, out, there, counts)
                else:
                    at = u8(counts[deepest])
                    if depth == deepest:
                        x = item_at(text, n_bytes, x, stop, least, most, tens, powers, scales, out, at)
                    if depth < deepest or x == u8(0):
                        return wrong
                    there[at] = True
                    counts[deepest] = i8(at) + i8(1)
                needs_value = may_end = False
            if needs_value or depth > u8(0):
                return wrong
        return 0

    return function


_ARGUMENTS = "u1* i8 i8* u1* i8 i8 i8 i8 i8 u8* u8* f8* i8 i8* u1* item* u1* i8*"


@loop(_ARGUMENTS, ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f8"))
def json_lists(kind: str, nulls: bool) -> Function:
    """(text, size, cuts, valid, first, last, inner, least, most, tens, powers, scales, stride, ends, known, out, there, counts).

    Parses strings that hold lists of `inner` levels each, and returns 0, or the number of a string that it doesn't understand,
    counted from 1. The lists of a level follow one another: `ends` tells where their items end, and `known` which are not null,
    both from `stride` times the level on; `out` and `there` are the items of the innermost lists. `counts` tells how many there
    are at each level, the items included.
    """
    return _lists({"b": boolean_at, "f": float_at}.get(kind, integer_at), nulls)


@loop(_ARGUMENTS, ("f4",))
def json_singles(kind: str, nulls: bool) -> Function:
    """Parse lists of float32 with the arguments of `json_lists`."""
    del kind
    return _lists(single_at, nulls)
