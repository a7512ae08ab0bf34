"""Loops over the bytes of text: extremes, equal strings, and validation of UTF-8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop
from arrowjag._kernels.compiled.loops.equality import mixed, n_slots
from arrowjag._kernels.compiled.words import load_word

u1: Any = np.uint8  # Any: numba infers the exact types, so annotations would add nothing
u8: Any = np.uint64
i8: Any = np.int64

Function = Callable[..., int]


@helper
def _with_words(hashed: Any, data: Any, k: Any) -> Any:
    """The hash of what was hashed before and 32 bytes more: three of four words do not wait for it."""
    others = mixed(load_word(data, k + u8(8)) ^ u8(0xC2B2AE3D27D4EB4F))
    others += mixed(load_word(data, k + u8(16)) ^ u8(0x165667B19E3779F9))
    others += mixed(load_word(data, k + u8(24)) ^ u8(0x27D4EB2F165667C5))
    return mixed((hashed ^ u8(load_word(data, k))) + others)


@helper
def _hash_of(data: Any, size: Any, start: Any, stop: Any) -> Any:
    """A hash of a text. Two texts of one length up to 8 bytes have different ones."""
    hashed, k = (stop - start) * u8(0x9E3779B97F4A7C15), start
    if stop - start >= u8(32):  # the last 32 bytes overlap those before
        while k + u8(32) < stop:
            hashed = _with_words(hashed, data, k)
            k += u8(32)
        return _with_words(hashed, data, stop - u8(32))
    while k < stop:
        rest = stop - k
        if k + u8(8) <= u8(size):
            word = u8(load_word(data, k))
            if rest < u8(8):
                word &= (u8(1) << (rest << u8(3))) - u8(1)
        else:
            word = u8(0)
            for j in range(u8(0), min(rest, u8(8))):
                word |= u8(data[k + j]) << (j << u8(3))
        hashed = mixed(hashed ^ word)
        k += u8(8)
    return hashed


@helper
def _differences(data: Any, x: Any, y: Any) -> Any:
    """Bits that differ in the 32 bytes from two places on; 0 if they are the same."""
    one = (load_word(data, x) ^ load_word(data, y)) | (load_word(data, x + u8(8)) ^ load_word(data, y + u8(8)))
    two = load_word(data, x + u8(16)) ^ load_word(data, y + u8(16))
    return one | two | (load_word(data, x + u8(24)) ^ load_word(data, y + u8(24)))


@helper
def _are_equal(data: Any, x: Any, y: Any, n: Any) -> Any:
    """Whether the n bytes from two places on are the same."""
    k = u8(0)
    while k + u8(32) <= n and _differences(data, x + k, y + k) == u8(0):
        k += u8(32)
    while k + u8(8) <= n and load_word(data, x + k) == load_word(data, y + k):
        k += u8(8)
    while k < n and data[x + k] == data[y + k]:
        k += u8(1)
    return k == n


def _extreme(nulls: bool, largest: bool) -> Function:
    def function(data: Any, cuts: Any, valid: Any, offsets: Any, first: Any, last: Any, out: Any, present: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            best = end
            for i in range(begin, end):
                if nulls and valid[i] == 0:
                    continue
                if best == end:
                    best = i
                    continue
                x, y = u8(cuts[i]), u8(cuts[best])
                n_x, n_y = u8(cuts[i + u8(1)]) - x, u8(cuts[best + u8(1)]) - y
                n = min(n_y, n_x)
                k = u8(0)
                while k < n and data[x + k] == data[y + k]:
                    k += u8(1)
                if k < n:
                    better = data[x + k] > data[y + k] if largest else data[x + k] < data[y + k]
                else:
                    better = n_x > n_y if largest else n_x < n_y
                best = i if better else best
            present[row] = best < end
            out[row] = i8(best - begin) if best < end else i8(0)
        return 0

    return function


@loop("item* i8* u1* i8* i8 i8 i8* u1*", ("u1",))
def text_argmax(kind: str, nulls: bool) -> Function:
    """(data, cuts, valid, offsets, first, last, out, present): slots of the first largest items, compared byte by byte."""
    return _extreme(nulls, largest=True)


@loop("item* i8* u1* i8* i8 i8 i8* u1*", ("u1",))
def text_argmin(kind: str, nulls: bool) -> Function:
    """(data, cuts, valid, offsets, first, last, out, present): slots of the first smallest items, compared byte by byte."""
    return _extreme(nulls, largest=False)


@loop("item* i8 i8* u1* i8* i8 i8 i8* u8 u8* u1* i8*", ("u1",))
def text_is_first_distinct(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, valid, offsets, first, last, table, mask, hashes, out, counts): whether no earlier text equals it.

    There are `size` bytes. They are hashed and compared eight at a time, where as many can be read.
    """

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        valid: Any,
        offsets: Any,
        first: Any,
        last: Any,
        table: Any,
        mask: Any,
        hashes: Any,
        out: Any,
        counts: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n_different = 0
            within = n_slots(end - begin, mask) - u8(1)
            for i in range(begin, end):
                if nulls and valid[i] == 0:
                    out[i] = 0
                    continue
                x, stop = u8(cuts[i]), u8(cuts[i + u8(1)])
                n = stop - x
                hashed = _hash_of(data, size, x, stop)
                hashes[i] = hashed
                place = hashed & within
                while True:
                    # An item whose slot is free is compared with itself, so that whether items are new is not a branch.
                    at = u8(table[place]) if table[place] >= i8(begin) else i
                    if hashes[at] == hashed:
                        y = u8(cuts[at])
                        # Of one word the hash tells all.
                        if u8(cuts[at + u8(1)]) - y == n and (n <= u8(8) or at == i or _are_equal(data, x, y, n)):
                            break
                    place = (place + u8(1)) & within
                table[place] = i8(at)
                n_different += 1 if at == i else 0
                out[i] = at == i
            counts[row] = n_different
        return 0

    return function


@loop("item* i8 i8* i8 i8 u8*", ("u1",))
def text_hashes(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, first, last, out): the hash of each text, nulls included; there are `size` bytes."""
    del kind, nulls

    def function(data: Any, size: Any, cuts: Any, first: Any, last: Any, out: Any) -> int:
        for i in range(u8(first), u8(last)):
            out[i] = _hash_of(data, size, u8(cuts[i]), u8(cuts[i + u8(1)]))
        return 0

    return function


@loop("item* i8 i8* i8* i8 i8 i8 u8*", ("u1",))
def text_words(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, items, first, last, depth, out): eight bytes of each item from `depth` on, which sort as its bytes do.

    Zeros stand for bytes behind its end; there are `size` bytes.
    """
    del kind, nulls

    def function(data: Any, size: Any, cuts: Any, items: Any, first: Any, last: Any, depth: Any, out: Any) -> int:
        for i in range(u8(first), u8(last)):
            item = u8(items[i])
            start, stop = u8(cuts[item]) + u8(depth), u8(cuts[item + u8(1)])
            word = u8(0)
            if start < stop:
                rest = min(stop - start, u8(8))
                if start + u8(8) <= u8(size):
                    word = u8(load_word(data, start))
                else:
                    for j in range(u8(0), rest):
                        word |= u8(data[start + j]) << (j << u8(3))
                # The first byte becomes the highest one; bytes behind the end are shifted out.
                half = u8(0x00FF00FF00FF00FF)
                word = ((word & half) << u8(8)) | ((word >> u8(8)) & half)
                half = u8(0x0000FFFF0000FFFF)
                word = ((word & half) << u8(16)) | ((word >> u8(16)) & half)
                word = (word << u8(32)) | (word >> u8(32))
                behind = (u8(8) - rest) << u8(3)
                word = (word >> behind) << behind
            out[i] = word
        return 0

    return function


@loop("item* i8* i8* i8 i8", ("u1",))
def unequal_text(kind: str, nulls: bool) -> Function:
    """(data, cuts, firsts, first, last): 1 if a text differs from the text at its first occurrence, else 0; a null has -1."""
    del kind, nulls

    def function(data: Any, cuts: Any, firsts: Any, first: Any, last: Any) -> int:
        for i in range(u8(first), u8(last)):
            if firsts[i] < i8(0) or firsts[i] == i8(i):
                continue
            of_group = u8(firsts[i])
            x, y = u8(cuts[i]), u8(cuts[of_group])
            n = u8(cuts[i + u8(1)]) - x
            if u8(cuts[of_group + u8(1)]) - y != n or not _are_equal(data, x, y, n):
                return 1
        return 0

    return function


@loop("item* i8 i8", ("u1",))
def is_not_utf8(kind: str, nulls: bool) -> Function:
    """(data, first, last): 1 if a byte can't follow the three before it, which must be there, else 0; `last` may cut a character.

    Branch-free and in bytes throughout, so that 32 or 64 of them are compared at once: 11 GB/s.
    """
    del nulls

    def function(data: Any, first: Any, last: Any) -> int:
        wrong = u1(0)
        for i in range(u8(first), u8(last)):
            byte, one, two, three = data[i], data[i - u8(1)], data[i - u8(2)], data[i - u8(3)]
            continues = u1((byte & u1(0xC0)) == u1(0x80))
            expected = u1(u1(u1(one >= u1(0xC0)) | u1(two >= u1(0xE0))) | u1(three >= u1(0xF0)))
            odd = u1(continues ^ expected)
            odd = u1(odd | u1(byte == u1(0xC0)))  # longer than necessary; both in one comparison would take three times as long
            odd = u1(odd | u1(byte == u1(0xC1)))
            odd = u1(odd | u1(byte >= u1(0xF5)))
            odd = u1(odd | u1(u1(one == u1(0xE0)) & u1(byte < u1(0xA0))))
            odd = u1(odd | u1(u1(one == u1(0xED)) & u1(byte >= u1(0xA0))))  # surrogates
            odd = u1(odd | u1(u1(one == u1(0xF0)) & u1(byte < u1(0x90))))
            odd = u1(odd | u1(u1(one == u1(0xF4)) & u1(byte >= u1(0x90))))  # beyond U+10FFFF
            wrong = u1(wrong | odd)
        return int(wrong)

    return function
