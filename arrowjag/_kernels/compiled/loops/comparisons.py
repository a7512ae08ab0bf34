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


def _compared(*, pairs: bool) -> Function:
    write = _by_sign()

    @helper
    def other_at(others: Any, at: Any) -> Any:
        return others[at] if pairs else others[u8(0)]

    @helper
    def sought(others: Any) -> Any:
        return others if pairs else others[u8(0)]

    def function(values: Any, others: Any, wanted: Any, first: Any, last: Any, out: Any) -> int:
        end = u8(last)
        opposite = u8(0xFFFFFFFFFFFFFFFF) if wanted & 8 else u8(0)
        at = write(values, sought(others), wanted & 7, u8(first), end, opposite, out)
        place = (at - u8(first)) >> u8(3)
        while at < end:
            byte = u8(0)
            for k in range(u8(0), min(end - at, u8(8))):
                byte |= flag_of(values[at + k], other_at(others, at + k), wanted & 7, opposite) << k
            out[place] = np.uint8(byte)
            at += u8(8)
            place += u8(1)
        return 0

    return function


@loop("item* item* i8 i8 i8 u1*", _TYPES)
def compared(kind: str, nulls: bool) -> Function:
    """(values, one, wanted, first, last, out): bits of how items compare with a number, from bit 0 of `out` on.

    `wanted` has bits as in `WANTED`. The items are those from the first to before the last one.
    """
    del kind, nulls
    return _compared(pairs=False)


@loop("item* item* i8 i8 i8 u1*", _TYPES)
def compared_pairs(kind: str, nulls: bool) -> Function:
    """(values, others, wanted, first, last, out): as `compared`, with the item of `others` at the same place."""
    del kind, nulls
    return _compared(pairs=True)


@helper
def rest_differs(data: Any, x: Any, data_y: Any, y: Any, n: Any) -> Any:
    """Whether two strings of n bytes differ, more than eight; the last word may begin within the word before it."""
    k = u8(0)
    while k + u8(8) < n and load_word(data, x + k) == load_word(data_y, y + k):
        k += u8(8)
    return k + u8(8) < n or load_word(data, x + n - u8(8)) != load_word(data_y, y + n - u8(8))


@helper
def differs(data: Any, x: Any, word: Any, n: Any, data_y: Any, y: Any, word_y: Any, n_y: Any) -> Any:
    """1 if two strings differ, else 0: from their places, first words and sizes. Short strings are compared without a branch."""
    behind = (u8(8) - min(n, u8(8))) << u8(2)  # half of the bits behind the string: a shift by all 64 has no meaning
    found = (((word ^ word_y) << behind) << behind) | (n ^ n_y)
    if (n > u8(8)) & (found == u8(0)):
        return u8(rest_differs(data, x, data_y, y, n))
    return u8(found != u8(0))


@helper
def end_of_words(cuts: Any, size: Any, first: Any, last: Any) -> Any:
    """The first of the strings at the end that begin less than eight bytes before the end of the data, else `last`."""
    while last > first and u8(cuts[last - u8(1)]) + u8(8) > size:
        last -= u8(1)
    return last


@helper
def write_unequal_pairs(data: Any, cuts: Any, data_y: Any, cuts_y: Any, at: Any, last: Any, opposite: Any, out: Any) -> Any:
    """Write bytes of which strings differ from those at the same places, eight at a time; returns the first that is left."""
    x, y, place = u8(cuts[at]), u8(cuts_y[at]), u8(0)
    while at + u8(8) <= last:
        byte = u8(0)
        for k in range(u8(8)):
            end, end_y = u8(cuts[at + k + u8(1)]), u8(cuts_y[at + k + u8(1)])
            byte |= differs(data, x, load_word(data, x), end - x, data_y, y, load_word(data_y, y), end_y - y) << k
            x, y = end, end_y
        out[place] = np.uint8(byte ^ opposite)
        at += u8(8)
        place += u8(1)
    return at


@helper
def write_unequal_to_one(
    data: Any, cuts: Any, data_y: Any, size_y: Any, cuts_y: Any, at: Any, last: Any, opposite: Any, out: Any
) -> Any:
    """As `write_unequal_pairs`, with one string in place of the others: its size says which bytes of a word count."""
    x, y, place = u8(cuts[at]), u8(cuts_y[0]), u8(0)
    word_y, n_y = word_from(data_y, size_y, y), u8(cuts_y[1]) - y
    behind = (u8(8) - min(n_y, u8(8))) << u8(2)
    mask = (u8(0xFFFFFFFFFFFFFFFF) >> behind) >> behind
    is_long = n_y > u8(8)
    while at + u8(8) <= last:
        byte = u8(0)
        for k in range(u8(8)):
            end = u8(cuts[at + k + u8(1)])
            found = ((load_word(data, x) ^ word_y) & mask) | ((end - x) ^ n_y)
            if is_long & (found == u8(0)):
                found = u8(rest_differs(data, x, data_y, y, n_y))
            byte |= u8(found != u8(0)) << k
            x = end
        out[place] = np.uint8(byte ^ opposite)
        at += u8(8)
        place += u8(1)
    return at


@helper
def unequal_at_end(data: Any, size: Any, cuts: Any, data_y: Any, size_y: Any, cuts_y: Any, step_y: Any, at: Any, end: Any) -> Any:
    """The bits of which strings differ, eight at most, of which some may begin less than eight bytes before the end of the data."""
    byte = u8(0)
    for k in range(u8(0), min(end - at, u8(8))):
        i, j = at + k, (at + k) * step_y
        x, y = u8(cuts[i]), u8(cuts_y[j])
        n, n_y = u8(cuts[i + u8(1)]) - x, u8(cuts_y[j + u8(1)]) - y
        byte |= differs(data, x, word_from(data, size, x), n, data_y, y, word_from(data_y, size_y, y), n_y) << k
    return byte


@loop("item* i8 i8* item* i8 i8* i8 i8 i8 i8 u1*", ("u1",))
def unequal_strings(kind: str, nulls: bool) -> Function:
    """(data, size, cuts, data_y, size_y, cuts_y, step_y, opposite, first, last, out): bits of which strings differ.

    With a step of 0, each string is compared with the first one of the second column. With `opposite`, which is 0 or 255, the bits
    of those that are equal are set.
    """
    del kind, nulls

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
        at, end, flipped = u8(first), u8(last), u8(opposite)
        safe = end_of_words(cuts, u8(size), at, end)
        if step_y == i8(0):
            at = write_unequal_to_one(data, cuts, data_y, u8(size_y), cuts_y, at, safe, flipped, out)
        else:
            safe = end_of_words(cuts_y, u8(size_y), at, safe)
            at = write_unequal_pairs(data, cuts, data_y, cuts_y, at, safe, flipped, out)
        place = (at - u8(first)) >> u8(3)
        while at < end:
            byte = unequal_at_end(data, u8(size), cuts, data_y, u8(size_y), cuts_y, u8(step_y), at, end)
            out[place] = np.uint8(byte ^ flipped)
            at += u8(8)
            place += u8(1)
        return 0

    return function
