"""The description of a loop: its name, the function that writes its source for a type, and the kinds of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "DIGIT",
    "ITEM_TYPES",
    "LARGEST_PRODUCT",
    "LOOPS",
    "PIECE",
    "SAMPLE",
    "SYMBOL",
    "TABLE",
    "TOGETHER",
    "Loop",
    "Variant",
    "item_type",
    "loop",
    "wide_type",
]

SYMBOL = "arrowjag_loop"
"""The name of the function inside of every object."""

ITEM_TYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
"""Numpy codes of the item types that loops are compiled for; float16 has no machine arithmetic."""


class Loop(NamedTuple):
    """A function over pointers, without allocation and without exceptions, for any of several item types."""

    name: str
    make: Callable[..., Callable[..., int]]
    """Returns the function for an item type and for arrays with nulls or without: `make(kind, nulls)`.

    `kind` is the numpy kind of the items ("b", "i", "u" or "f"). The function returns 0, or a number that its caller understands.
    """

    arguments: tuple[str, ...]
    """The type of each argument: a numpy code, "item" for that of the items, "wide" for that of their sums; "*" marks a pointer."""

    types: tuple[str, ...]
    """Numpy codes of the item types that there is a function for."""


class Variant(NamedTuple):
    """One function of a loop: for an item type, with nulls or without."""

    name: str
    type: str
    nulls: bool

    def __str__(self) -> str:
        return f"{self.name}-{self.type}-{'nulls' if self.nulls else 'plain'}"

    @classmethod
    def parse(cls, text: str) -> Variant:
        """The variant of a text such as ``sum-f8-nulls``."""
        name, type, nulls = text.rsplit("-", 2)
        return cls(name, type, nulls == "nulls")


SAMPLE = 31
"""Items of a row that the bounds of a selection are chosen from; the caller provides a buffer of this length."""

PIECE = 128
"""Items whose sum is taken from left to right before it is added to the sum of the row: the documented order of addition."""

DIGIT = 11
"""Bits of the digits that long rows are sorted by; the caller provides a count for each, and they stay in the nearest cache."""

TOGETHER = 256
"""Items that are looked up in a sorted row side by side; the caller provides a buffer of this length for their slots."""

TABLE = 1 << 18
"""Tables of equal items of more entries than this begin with fewer and grow; the caller clears as many."""

LARGEST_PRODUCT = 2.0**63 * (1 - 1e-9)
"""Products of integers whose magnitude in float64 is below this fit 64 bits, beyond any rounding."""

LOOPS: dict[str, Loop] = {}
"""Loops by name, as far as their modules are imported; read it from `loops`, which imports all of them."""


def loop(arguments: str, types: tuple[str, ...] = ITEM_TYPES) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a maker of functions under its name; `arguments` are separated by blanks."""

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        LOOPS[make.__name__] = Loop(make.__name__, make, tuple(arguments.split()), types)
        return make

    return register


HELPERS: list[Callable[..., Any]] = []
"""Functions that loops call, which the compiler has not seen yet."""


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let loops call a function; its code becomes a part of theirs."""
    HELPERS.append(function)
    return function


def item_type(dtype: np.dtype[Any]) -> str | None:
    """The numpy code of an item type that loops know, else None."""
    code = f"{dtype.kind}{dtype.itemsize}"
    return code if code in ITEM_TYPES and dtype.isnative else None


def wide_type(type: str) -> str:
    """The type in which items of a type are added up: f8, i8 (bool too) or u8."""
    return {"f": "f8", "u": "u8"}.get(type[0], "i8")
