"""Comparisons of items with a number or with other items, and of strings for equality, as Arrow's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, helper, loop
from arrowjag._kernels.compiled.loops.counts import word_from
from arrowjag._kernels.compiled.vectors import COMPARED
from arrowjag._kernels.compiled.words import load_word, store_word

__all__ = ["WANTED"]

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

Function = Callable[..., int]

WANTED = {"less": 1, "equal": 2, "less_equal": 3, "greater": 4, "greater_equal": 6, "not_equal": 10}
"""For each comparison its bits: 1 for less, 2 for equal, 4 for greater, and 8 for all items that the others leave out."""


def _words(sign: str) -> Function:
    """A function that writes the words of whole runs of 64 items, and returns the first item that is left."""
    compared = COMPARED[sign]

    @helper
    def write(values: Any, number: Any, first: Any, last: Any, opposite: Any, out: Any) -> Any:
        at, place = first, u8(0)
        while at + u8(64) <= last:
            store_word(out, place, compared(values, at, number) ^ opposite)
            at += u8(64)
            place += u8(8)
        return at

    return write


@helper
def flag_of(item: Any, other: Any, signs: Any, opposite: Any) -> Any:
    """Whether one item compares with another as the bits of `WANTED` say."""
    order = u8(item < other) | (u8(item == other) << u8(1)) | (u8(item > other) << u8(2))
    return u8((order & u8(signs)) != u8(0)) ^ (opposite & u8(1))


def _by_sign() -> Function:
    """A function that writes the words of whole runs, by the bits of `WANTED`, and returns the first item that is left."""
    less, less_equal, equal, greater, greater_equal = (_words(sign) for sign in ("<", "<=", "==", ">", ">="))

    @helper
    def write(values: Any, others: Any, signs: Any, at: Any, end: Any, opposite: Any, out: Any) -> Any:
        if signs == 1:
            at = less(values, others, at, end, opposite, out)
        elif signs == 2:
            at = equal(values, others, at, end, opposite, out)
        elif signs == 3:
            at = less_equal(values, others, at, end, opposite, out)
        elif signs == 4:
            at = greater(values, others, at, end, opposite, out)
        elif signs == 6:
            at = greater_equal(values, others, at, end, opposite, out)
        return at

    return write


_TYPES = tuple(type for type in ITEM_TYPES if type != "b1")


@loop("item* item* i8 i8 i8 u1*", _TYPES)
def compared(kind: str, nulls: bool) -> Function:
    """(values, one, wanted, first, last, out): bits of how items compare with a number, from bit 0 of `out` on.

    `wanted` has bits as in `WANTED`. The items are those from the first to before the last one.
    """
    del kind, nulls
    write = _by_sign()

    def function(values: Any, one: Any, wanted: Any, first: Any, last: Any, out: Any) -> int:
        number, end = one[0], u8(last)
        opposite = u8(0xFFFFFFFFFFFFFFFF) if wanted & 8 else u8(0)
        at = write(values, number, wanted & 7, u8(first), end, opposite, out)
        place = (at - u8(first)) >> u8(3)
        while at < end:
            byte = u8(0)
            for k in range(u8(0), min(end - at, u8(8))):
                byte |= flag_of(values[at + k], number, wanted & 7, opposite) << k
            out[place] = np.uint8(byte)
            at += u8(8)
            place += u8(1)
        return 0

    return function


@loop("item* item* i8 i8 i8 u1*", _TYPES)
def compared_pairs(kind: str, nulls: bool) -> Function:
    """(values, others, wanted, first, last, out): as `compared`, with the item of `others` at the same place."""
    del kind, nulls
    write = _by_sign()

    def function(values: Any, others: Any, wanted: Any, first: Any, last: Any, out: Any) -> int:
        end = u8(last)
        opposite = u8(0xFFFFFFFFFFFFFFFF) if wanted & 8 else u8(0)
        at = write(values, others, wanted & 7, u8(first), end, opposite, out)
        place = (at - u8(first)) >> u8(3)
        while at < end:
            byte = u8(0)
            for k in range(u8(0), min(end - at, u8(8))):
                byte |= flag_of(values[at + k], others[at + k], wanted & 7, opposite) << k
            out[place] = np.uint8(byte)
            at += u8(8)
            place += u8(1)
        return 0

    return function


@helper
def rest_differs(data: Any, x: Any, data_y: Any, y: Any, n: Any) -> Any:
    """Whether n bytes differ, 8 at least; the last eight are compared with some bytes of those before them."""
    k = u8(0)
    while k + u8(8) < n and load_word(data, x + k) == load_word(data_y, y + k):
        k += u8(8)
    return k + u8(8) < n or load_word(data, x + n - u8(8)) != load_word(data_y, y + n - u8(8))


@helper
def differs(data: Any, x: Any, word: Any, n: Any, data_y: Any, y: Any, word_y: Any, n_y: Any) -> Any:
    """1 if two strings differ, else 0, of which the words at their places are known: short ones are compared without a branch."""
    behind = (u8(8) - min(n, u8(8))) << u8(2)  # half of the bits behind the string: a shift by all 64 has no meaning
    found = (((word ^ word_y) << behind) << behind) | (n ^ n_y)
    if (n > u8(8)) & (found == u8(0)):
        return u8(rest_differs(data, x, data_y, y, n))
    return u8(found != u8(0))


@helper
def n_with_words(cuts: Any, size: Any, first: Any, last: Any) -> Any:
    """The end of the strings from the first one on behind whose first bytes are eight in the data."""
    while last > first and u8(cuts[last - u8(1)]) + u8(8) > size:
        last -= u8(1)
    return last


@loop("item* i8 i8* item* i8 i8* i8 i8 i8 i8 u1*", ("u1",))
def unequal_strings(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, data_y, size_y, cuts_y, step_y, opposite, first, last, out): bits of which strings differ.

    A step of 0 takes the first string of the second column each time. With `opposite`, which is 0 or 255, the bits of those that
    are equal are set.
    """
    del kind, nulls

    @helper
    def eight(data: Any, cuts: Any, data_y: Any, cuts_y: Any, at: Any) -> Any:
        byte, x, y = u8(0), u8(cuts[at]), u8(cuts_y[at])
        for k in range(u8(8)):
            end, end_y = u8(cuts[at + k + u8(1)]), u8(cuts_y[at + k + u8(1)])
            word, word_y = load_word(data, x), load_word(data_y, y)
            byte |= differs(data, x, word, end - x, data_y, y, word_y, end_y - y) << k
            x, y = end, end_y
        return byte

    @helper
    def eight_of_one(data: Any, cuts: Any, data_y: Any, y: Any, word_y: Any, n_y: Any, at: Any) -> Any:
        byte, x = u8(0), u8(cuts[at])
        for k in range(u8(8)):
            end = u8(cuts[at + k + u8(1)])
            byte |= differs(data, x, load_word(data, x), end - x, data_y, y, word_y, n_y) << k
            x = end
        return byte

    def function(
        data: Any,
        size: Any,
        cuts: Any,
        data_y: Any,
        size_y: Any,
        cuts_y: Any,
        step_y: Any,
        opposite: Any,
        first: Any,
        last: Any,
        out: Any,
    ) -> int:
        at, end, place = u8(first), u8(last), u8(0)
        safe = n_with_words(cuts, u8(size), at, end)
        if step_y == i8(0):
            y = u8(cuts_y[0])
            word_y, n_y = word_from(data_y, u8(size_y), y), u8(cuts_y[1]) - y
            while at + u8(8) <= safe:
                out[place] = np.uint8(eight_of_one(data, cuts, data_y, y, word_y, n_y, at) ^ u8(opposite))
                at += u8(8)
                place += u8(1)
        else:
            safe = n_with_words(cuts_y, u8(size_y), at, safe)
            while at + u8(8) <= safe:
                out[place] = np.uint8(eight(data, cuts, data_y, cuts_y, at) ^ u8(opposite))
                at += u8(8)
                place += u8(1)
        while at < end:
            byte = u8(0)
            for k in range(u8(0), min(end - at, u8(8))):
                i, j = at + k, (at + k) * u8(step_y)
                x, y = u8(cuts[i]), u8(cuts_y[j])
                word, word_y = word_from(data, u8(size), x), word_from(data_y, u8(size_y), y)
                n, n_y = u8(cuts[i + u8(1)]) - x, u8(cuts_y[j + u8(1)]) - y
                byte |= differs(data, x, word, n, data_y, y, word_y, n_y) << k
            out[place] = np.uint8(byte ^ u8(opposite))
            at += u8(8)
            place += u8(1)
        return 0

    return function
