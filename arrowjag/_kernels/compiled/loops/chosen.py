"""Items chosen by flags: those that are kept, and those of one of two arrays, of text too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import Nulls, helper, loop
from arrowjag._kernels.compiled.loops.moves import copied
from arrowjag._kernels.compiled.words import load_word

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
_BITS = ("u1", "u2", "u4", "u8")

Function = Callable[..., int]


@loop("item* u1* u1* i8 i8 item* u1*", _BITS)
def kept_items(kind: str, nulls: bool) -> Function:
    """(values, valid, flags, first, n, out, there): the next n items from `first` on whose flag is 1, not 0, and their validity.

    Eight flags are read at once.
    """
    del kind

    def function(values: Any, valid: Any, flags: Any, first: Any, n: Any, out: Any, there: Any) -> int:
        at, i = u8(0), u8(first)
        while at + u8(8) <= u8(n):  # there are eight more flags
            word = load_word(flags, i)
            for k in range(8):
                out[at] = values[i + u8(k)]  # the next one that is kept overwrites it: no branch
                if nulls:
                    there[at] = valid[i + u8(k)]
                at += (word >> u8(8 * k)) & u8(1)
            i += u8(8)
        while at < u8(n):
            out[at] = values[i]  # the next one that is kept overwrites it: no branch
            if nulls:
                there[at] = valid[i]
            at += u8(flags[i] != 0)
            i += u8(1)
        return 0

    return function


@helper
def choose_some(byte: Any, one: Any, two: Any, by_number: Any, at: Any, n: Any, out: Any) -> None:
    """Write at most eight items, of `one` where a bit of a byte is set."""
    for k in range(n):
        first, second = one[at + u8(k)], two[u8(0)] if by_number else two[at + u8(k)]  # both are read: no branch
        out[at + u8(k)] = first if (byte >> u8(k)) & u8(1) else second


@loop("u1* i8 item* item* i8 i8 item*", _BITS, bits=True)
def choose_items(kind: str, nulls: Nulls) -> Function:
    """(flags, chosen, one, two, by_number, n, out): `one` where a flag equals `chosen`, else `two`, which may be a number."""
    del kind

    def function(flags: Any, chosen: Any, one: Any, two: Any, by_number: Any, n: Any, out: Any) -> int:
        if by_number:
            other = two[0]
            for i in range(u8(n)):
                out[i] = one[i] if flags[i] == chosen else other
        else:
            for i in range(u8(n)):
                first, second = one[i], two[i]  # both are read: no branch
                out[i] = first if flags[i] == chosen else second
        return 0

    def by_bits(flags: Any, chosen: Any, one: Any, two: Any, by_number: Any, n: Any, out: Any) -> int:
        turn, whole = u8(0 if chosen else 255), u8(n) >> u8(3)
        if by_number:
            for k in range(whole):
                choose_some(u8(flags[k]) ^ turn, one, two, True, k << u8(3), 8, out)
        else:
            for k in range(whole):
                choose_some(u8(flags[k]) ^ turn, one, two, False, k << u8(3), 8, out)
        if u8(n) & u8(7):
            choose_some(u8(flags[whole]) ^ turn, one, two, by_number, whole << u8(3), i8(n) & i8(7), out)
        return 0

    return by_bits if nulls == "bits" else function


@loop("u1* item* i8 i8* i8 u1* i8 i8 i8*", ("i8",))
def chosen_cuts(kind: str, nulls: bool) -> Function:
    """(flags, cuts, step, cuts_y, step_y, valid, first, last, starts): the bytes of the first string where a flag is set, added up.

    Elsewhere they are those of the second one. A step of 0 takes the same string each time.
    """
    del kind

    def function(flags: Any, cuts: Any, step: Any, cuts_y: Any, step_y: Any, valid: Any, first: Any, last: Any, starts: Any) -> int:
        total = i8(0)
        for i in range(u8(first), u8(last)):
            x, y = i * u8(step), i * u8(step_y)
            one, two = i8(cuts[x + u8(1)]) - i8(cuts[x]), i8(cuts_y[y + u8(1)]) - i8(cuts_y[y])  # both are read: no branch
            n = one if flags[i] != 0 else two
            if nulls:
                n = n if valid[i] != 0 else i8(0)
            total += n
            starts[i + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function


@loop("u1* item* i8 i8* i8 item* i8 i8* i8 i8* i8 i8 i8 item*", ("u1",))
def chosen_bytes(kind: str, nulls: bool) -> Function:
    """(flags, data, size, cuts, step, data_y, size_y, cuts_y, step_y, starts, first, last, limit, out): strings chosen by flags."""
    del kind, nulls

    def function(
        flags: Any,
        data: Any,
        size: Any,
        cuts: Any,
        step: Any,
        data_y: Any,
        size_y: Any,
        cuts_y: Any,
        step_y: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        out: Any,
    ) -> int:
        for i in range(u8(first), u8(last)):
            at = u8(starts[i])
            n = u8(starts[i + u8(1)]) - at
            x, y = u8(cuts[i * u8(step)]), u8(cuts_y[i * u8(step_y)])
            is_one = flags[i] != 0
            source, n_bytes, place = (data, u8(size), x) if is_one else (data_y, u8(size_y), y)
            copied(source, n_bytes, place, n, out, u8(limit), at)
        return 0

    return function
