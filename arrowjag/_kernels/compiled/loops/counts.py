"""Running totals, and how many bits of each row are set, whether any is, and whether all are: of items that are True or not null.

Bits are read a word at a time, so that a row of up to 57 items is one word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.validity import ones_of, word_of
from arrowjag._kernels.compiled.words import load_word

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

Function = Callable[..., int]


@helper
def word_from(data: Any, size: Any, place: Any) -> Any:
    """The eight bytes from a place on; 0 for those behind the end of the data."""
    if place + u8(8) <= size:
        return load_word(data, place)
    word = u8(0)
    for k in range(u8(0), size - place):
        word |= u8(data[place + k]) << (k << u8(3))
    return word


@helper
def bits_from(data: Any, size: Any, at: Any, left: Any) -> Any:
    """Return a word whose lowest bits are the bits from position `at` on, at most `left` of them, and their number."""
    shift = at & u8(7)
    room = u8(64) - shift
    word = word_from(data, size, at >> u8(3)) >> shift
    if left < room:
        return word & ((u8(1) << left) - u8(1)), left
    return word, room


@loop("item* i8 i8 i8* i8 i8 i8*", ("u1",))
def counted(kind: str, nulls: bool) -> Function:
    """(data, size, skip, offsets, first, last, out): how many bits of each row are set; `data` has `size` bytes.

    The first row begins after `skip` bits. The bits of a byte are counted from its lowest one.
    """
    del kind, nulls

    def function(data: Any, size: Any, skip: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            at, end = u8(offsets[row]) + u8(skip), u8(offsets[row + u8(1)]) + u8(skip)
            n, byte = u8(0), at >> u8(3)
            if end - at <= u8(57) and byte + u8(8) <= u8(size):  # most rows: no loop, whose end would be mispredicted
                word = load_word(data, byte) >> (at & u8(7))
                n = ones_of(word & ((u8(1) << (end - at)) - u8(1)))
            else:
                while end - at >= u8(64):
                    n += ones_of(word_of(data, at))
                    at += u8(64)
                while at < end:
                    word, step = bits_from(data, u8(size), at, end - at)
                    n += ones_of(word)
                    at += step
            out[row] = i8(n)
        return 0

    return function


@loop("item* i8 i8* i8 i8 i8*", ("b1",))
def counted_flags(kind: str, nulls: bool) -> Function:
    """(flags, size, offsets, first, last, out): how many flags of each row are set; there are `size`, bytes of 0 or 1."""
    del kind, nulls

    def function(flags: Any, size: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            x, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = u8(0)
            while x + u8(8) <= end:  # a product whose highest byte is the sum of eight bytes
                n += (load_word(flags, x) * u8(0x0101010101010101)) >> u8(56)
                x += u8(8)
            if x + u8(8) <= u8(size):  # the flags of the next rows are cut off: a branch for each length would be mispredicted
                word = load_word(flags, x) & ((u8(1) << (u8(8) * (end - x))) - u8(1))
                n += (word * u8(0x0101010101010101)) >> u8(56)
            else:
                for i in range(x, end):
                    n += u8(flags[i])
            out[row] = i8(n)
        return 0

    return function


@loop("item* i8 i8 i8* i8 i8 u1*", ("u1",))
def any_set(kind: str, nulls: bool) -> Function:
    """(data, size, skip, offsets, first, last, out): 1 where a bit of a row is set, else 0; arguments as in `counted`."""
    del kind, nulls

    def function(data: Any, size: Any, skip: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            at, end = u8(offsets[row]) + u8(skip), u8(offsets[row + u8(1)]) + u8(skip)
            found = u8(0)
            while at < end and found == u8(0):
                found, step = bits_from(data, u8(size), at, end - at)
                at += step
            out[row] = found != u8(0)
        return 0

    return function


@loop("item* i8 i8 i8* i8 i8 u1*", ("u1",))
def all_set(kind: str, nulls: bool) -> Function:
    """(data, size, skip, offsets, first, last, out): 0 where a bit of a row is not set, else 1; arguments as in `counted`."""
    del kind, nulls

    def function(data: Any, size: Any, skip: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            at, end = u8(offsets[row]) + u8(skip), u8(offsets[row + u8(1)]) + u8(skip)
            every = True
            while at < end and every:
                word, step = bits_from(data, u8(size), at, end - at)
                every = word == u8(0xFFFFFFFFFFFFFFFF) >> (u8(64) - step)
                at += step
            out[row] = every
        return 0

    return function


@loop("item* i8 i8*", ("b1", "i8"))
def running_total(kind: str, nulls: bool) -> Function:
    """(values, n, out): the sum of the items before each of n places, and of all of them."""
    del kind, nulls

    def function(values: Any, n: Any, out: Any) -> int:
        total = i8(0)
        for i in range(u8(n)):
            out[i] = total
            total += i8(values[i])
        out[u8(n)] = total
        return 0

    return function
