"""Comparisons of items with a number or with other items, as Arrow's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, helper, loop
from arrowjag._kernels.compiled.vectors import COMPARED
from arrowjag._kernels.compiled.words import store_word

__all__ = ["WANTED"]

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing

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
