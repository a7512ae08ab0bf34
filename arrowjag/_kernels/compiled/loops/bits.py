"""Bits that are moved: the validity of rows taken, reversed, or made of one bit per row, whose bits begin anywhere in a byte.

Each loop writes the bits of items from `start`, which begins a byte, to before `stop`, which are those of the rows from `first` to
before `last`; they go to `out` from its first bit on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.counts import word_from
from arrowjag._kernels.compiled.words import store_word

u8: Any = np.uint64

Function = Callable[..., int]


@helper
def some_bits(bits: Any, size: Any, place: Any, count: Any) -> Any:
    """At most 56 bits from a place on; there are `size` bytes."""
    word = word_from(bits, size, place >> u8(3))  # it holds 57 bits or more, whichever bit of its first byte they begin at
    return (word >> (place & u8(7))) & ((u8(1) << count) - u8(1))


@helper
def mirrored(word: Any, count: Any) -> Any:
    """The lowest bits of a word, the last one first: neighbours change places, then pairs of them, and so on."""
    word = ((word >> u8(1)) & u8(0x5555555555555555)) | ((word & u8(0x5555555555555555)) << u8(1))
    word = ((word >> u8(2)) & u8(0x3333333333333333)) | ((word & u8(0x3333333333333333)) << u8(2))
    word = ((word >> u8(4)) & u8(0x0F0F0F0F0F0F0F0F)) | ((word & u8(0x0F0F0F0F0F0F0F0F)) << u8(4))
    word = ((word >> u8(8)) & u8(0x00FF00FF00FF00FF)) | ((word & u8(0x00FF00FF00FF00FF)) << u8(8))
    word = ((word >> u8(16)) & u8(0x0000FFFF0000FFFF)) | ((word & u8(0x0000FFFF0000FFFF)) << u8(16))
    return ((word >> u8(32)) | (word << u8(32))) >> (u8(64) - count)


@helper
def put_bits(out: Any, size: Any, place: Any, word: Any, found: Any, count: Any) -> Any:
    """Write at most 56 bits behind those of a byte that is not full, `word`; returns those of the byte after them."""
    at, n = place >> u8(3), place & u8(7)
    word |= found << n
    if at + u8(8) <= size:  # the next ones overwrite the excess: a branch for each length would be mispredicted
        store_word(out, at, word)
    else:
        for k in range((n + count + u8(7)) >> u8(3)):
            out[at + u8(k)] = (word >> (u8(k) << u8(3))) & u8(255)
    return word >> ((((place + count) >> u8(3)) - at) << u8(3))


@loop("item* i8 i8 i8* i8* i8 i8 i8 i8 item*", ("u1",))
def taken_bits(kind: str, nulls: bool) -> Function:
    """(bits, size, skip, begins, taken, first, last, start, stop, out): the bits of the rows taken.

    Bit `skip` of the `size` bytes is that of the first item.
    """
    del kind, nulls

    def function(
        bits: Any, size: Any, skip: Any, begins: Any, taken: Any, first: Any, last: Any, start: Any, stop: Any, out: Any
    ) -> int:
        word, room = u8(0), (u8(stop) - u8(start)) >> u8(3)
        for i in range(u8(first), u8(last)):
            begin, end = u8(taken[i]), min(u8(taken[i + u8(1)]), u8(stop))
            low = max(begin, u8(start))
            place = u8(begins[i]) + (low - begin) + u8(skip)
            while low < end:
                count = min(end - low, u8(56))
                word = put_bits(out, room, low - u8(start), word, some_bits(bits, u8(size), place, count), count)
                low += count
                place += count
        return 0

    return function


@loop("item* i8 i8 i8* i8 i8 i8 i8 item*", ("u1",))
def reversed_bits(kind: str, nulls: bool) -> Function:
    """(bits, size, skip, offsets, first, last, start, stop, out): as `taken_bits`, of each row from its last item to its first."""
    del kind, nulls

    def function(bits: Any, size: Any, skip: Any, offsets: Any, first: Any, last: Any, start: Any, stop: Any, out: Any) -> int:
        word, room = u8(0), (u8(stop) - u8(start)) >> u8(3)
        for row in range(u8(first), u8(last)):
            begin, after = u8(offsets[row]), u8(offsets[row + u8(1)])
            low, end = max(begin, u8(start)), min(after, u8(stop))
            place = begin + after - low + u8(skip)
            while low < end:
                count = min(end - low, u8(56))
                place -= count
                found = mirrored(some_bits(bits, u8(size), place, count), count)
                word = put_bits(out, room, low - u8(start), word, found, count)
                low += count
        return 0

    return function


@loop("item* i8* i8 i8 i8 i8 item*", ("u1",))
def spread_bits(kind: str, nulls: bool) -> Function:
    """(flags, offsets, first, last, start, stop, out): the flag of each row, a byte, for each of its items."""
    del kind, nulls

    def function(flags: Any, offsets: Any, first: Any, last: Any, start: Any, stop: Any, out: Any) -> int:
        word, n, at, low = u8(0), u8(0), u8(0), u8(start)
        for row in range(u8(first), u8(last)):
            bits = u8(0) - u8(flags[row] != 0)
            word |= bits << n
            end = min(max(u8(offsets[row + u8(1)]), low), u8(stop))
            n += end - low
            low = end
            while n >= u8(64):
                store_word(out, at, word)
                at += u8(8)
                n -= u8(64)
                word = bits
            word &= (u8(1) << n) - u8(1)
        for k in range((n + u8(7)) >> u8(3)):
            out[at + u8(k)] = (word >> (u8(k) << u8(3))) & u8(255)
        return 0

    return function
