"""Loops over strings one by one: where a text occurs, pieces between separators, and sliced strings.

A search compares eight bytes at once with the first byte of what is wanted. `limit` is where the bytes of a thread end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.counts import word_from
from arrowjag._kernels.compiled.loops.moves import copied
from arrowjag._kernels.compiled.validity import ones_of
from arrowjag._kernels.compiled.words import load_word

u1: Any = np.uint8  # Any: numba infers the exact types, so annotations would add nothing
u8: Any = np.uint64
i8: Any = np.int64

Function = Callable[..., int]


@helper
def hits_from(data: Any, size: Any, place: Any, last: Any, byte: Any) -> Any:
    """Which of the eight bytes from a place on, and before `last`, equal one: the highest bit of each of them in a word."""
    word = word_from(data, size, place) ^ (u8(byte) * u8(0x0101010101010101))
    low = u8(0x7F7F7F7F7F7F7F7F)
    hits = ~(((word & low) + low) | word | low)
    rest = last - place
    if rest < u8(8):
        hits &= (u8(1) << (rest << u8(3))) - u8(1)
    return hits


@helper
def found_from(data: Any, size: Any, place: Any, stop: Any, wanted: Any, n: Any) -> Any:
    """The first place from `place` on at which the n bytes of `wanted` are, all before `stop`; `stop` if there is none."""
    last = stop + u8(1) - n if place + n <= stop else place
    while place < last:
        hits = hits_from(data, size, place, last, wanted[u8(0)])
        while hits != u8(0):
            at = place + (ones_of((hits & (u8(0) - hits)) - u8(1)) >> u8(3))
            k = u8(1)
            while k < n and data[at + k] == wanted[k]:
                k += u8(1)
            if k == n:
                return at
            hits &= hits - u8(1)
        place += u8(8)
    return stop


@helper
def is_at(data: Any, size: Any, place: Any, wanted: Any, n: Any) -> Any:
    """Whether the n bytes of `wanted`, which has room for eight more, are at a place."""
    k = u8(0)
    while k < n:
        differs = word_from(data, size, place + k) ^ load_word(wanted, k)
        if n - k < u8(8):
            differs &= (u8(1) << ((n - k) << u8(3))) - u8(1)
        if differs != u8(0):
            break
        k += u8(8)
    return k >= n


ANYWHERE, AT_START, AT_END = range(3)
"""The places where `holding` looks for a text."""


@loop("item* i8 i8* u1* item* i8 i8 i8 i8 u1*", ("u1",))
def holding(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, wanted, n_wanted, mode, first, last, out): which strings hold a text, or begin or end with it.

    `wanted` has room for eight bytes more.
    """
    del kind

    def function(
        data: Any, size: Any, cuts: Any, valid: Any, wanted: Any, n_wanted: Any, mode: Any, first: Any, last: Any, out: Any
    ) -> int:
        n = u8(n_wanted)
        for i in range(u8(first), u8(last)):
            found = False
            if not nulls or valid[i] != 0:
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                if mode == i8(ANYWHERE):
                    found = found_from(data, u8(size), x, stop, wanted, n) < stop
                elif stop - x >= n:
                    found = is_at(data, u8(size), x if mode == i8(AT_START) else stop - n, wanted, n)
            out[i] = found
        return 0

    return function


@loop("item* i8 i8* u1* item* i8 i8 i8 i8*", ("u1",))
def occurrences(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, wanted, n_wanted, first, last, out): how often a text occurs in each string, without overlap."""
    del kind

    def function(data: Any, size: Any, cuts: Any, valid: Any, wanted: Any, n_wanted: Any, first: Any, last: Any, out: Any) -> int:
        n = u8(n_wanted)
        for i in range(u8(first), u8(last)):
            total = u8(0)
            if not nulls or valid[i] != 0:
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                if n == u8(1):
                    while x < stop:
                        total += ones_of(hits_from(data, u8(size), x, stop, wanted[u8(0)]))
                        x += u8(8)
                else:
                    x = found_from(data, u8(size), x, stop, wanted, n)
                    while x < stop:
                        total += u8(1)
                        x = found_from(data, u8(size), x + n, stop, wanted, n)
            out[i] = i8(total)
        return 0

    return function


@loop("item* i8 i8* u1* item* i8 i8 i8 i8 i8* i8*", ("u1",))
def piece_counts(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, wanted, n_wanted, most, first, last, taken, starts): pieces of each string, and their bytes.

    Both are added up from `first` on, and the entry after that of a string is written. A text separates the pieces, at most `most`
    times in each string.
    """
    del kind

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        valid: Any,
        wanted: Any,
        n_wanted: Any,
        most: Any,
        first: Any,
        last: Any,
        taken: Any,
        starts: Any,
    ) -> int:
        n, pieces, n_bytes = u8(n_wanted), i8(0), i8(0)
        for i in range(u8(first), u8(last)):
            if not nulls or valid[i] != 0:
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                n_bytes += i8(stop - x)
                found = i8(0)
                while found < most:
                    x = found_from(data, u8(size), x, stop, wanted, n)
                    if x == stop:
                        break
                    found += i8(1)
                    x += n
                    if x == stop:
                        break
                n_bytes -= found * i8(n)
                pieces += found + i8(1)
            taken[i + u8(1)] = pieces
            starts[i + u8(1)] = n_bytes
        return 0

    return function


@loop("item* i8 i8* item* i8 i8* i8* i8 i8 i8 i8* item*", ("u1",))
def cut_pieces(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, wanted, n_wanted, taken, starts, first, last, limit, ends, out): the pieces that `piece_counts` counts.

    `taken` and `starts` tell where the pieces and the bytes of each string go; `ends` are where the pieces begin.
    """
    del kind, nulls

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        wanted: Any,
        n_wanted: Any,
        taken: Any,
        starts: Any,
        first: Any,
        last: Any,
        limit: Any,
        ends: Any,
        out: Any,
    ) -> int:
        n = u8(n_wanted)
        for i in range(u8(first), u8(last)):
            piece, end, at = u8(taken[i]), u8(taken[i + u8(1)]), u8(starts[i])
            x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
            while piece < end:
                ends[piece] = i8(at)
                piece += u8(1)
                place = found_from(data, u8(size), x, stop, wanted, n) if piece < end else stop
                at = copied(data, u8(size), x, place - x, out, u8(limit), at)
                x = place + n
        return 0

    return function


@helper
def character_at(data: Any, x: Any, stop: Any, n: Any, is_ascii: Any) -> Any:
    """The first byte of the character with number n of the string from x to before `stop`; `stop` if there is none."""
    if is_ascii != i8(0):
        return min(x + u8(n), stop)
    left = n
    while x < stop:
        if (data[x] & u1(0xC0)) != u1(0x80):
            if left == i8(0):
                break
            left -= i8(1)
        x += u8(1)
    return x


@loop("item* i8* u1* i8 i8 i8 i8 i8 i8* i8*", ("u1",))
def sliced_cuts(kind: str, nulls: bool) -> Function:
    """(data, cuts, valid, start, stop, is_ascii, first, last, begins, taken): slices of strings by Python's rule, in characters.

    `begins` are where the slices begin, and `taken` their bytes, added up.
    """
    del kind

    def function(
        data: Any, cuts: Any, valid: Any, start: Any, stop: Any, is_ascii: Any, first: Any, last: Any, begins: Any, taken: Any
    ) -> int:
        total = i8(0)
        for i in range(u8(first), u8(last)):
            x, end = u8(cuts[i]), u8(cuts[i + u8(1)])
            if not nulls or valid[i] != 0:
                low, high = i8(start), i8(stop)
                if (low < i8(0)) | (high < i8(0)):
                    n = i8(end - x)
                    if is_ascii == i8(0):
                        n = i8(0)
                        for k in range(x, end):
                            n += i8((data[k] & u1(0xC0)) != u1(0x80))
                    low = max(low + n, i8(0)) if low < i8(0) else low
                    high = high + n if high < i8(0) else high
                x = character_at(data, x, end, low, is_ascii)
                if high > low:
                    total += i8(character_at(data, x, end, high - low, is_ascii) - x)
            begins[i] = i8(x)
            taken[i + u8(1)] = total
        n_bytes: int = total
        return n_bytes

    return function
