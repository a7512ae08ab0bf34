"""The description of a loop: its name, the function that writes its source for a type, and the kinds of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "DIGIT",
    "ITEM_TYPES",
    "LARGEST_PRODUCT",
    "LOOPS",
    "NULLS",
    "PART_BITS",
    "PIECE",
    "SAMPLE",
    "SLOTS",
    "SYMBOL",
    "TABLE",
    "TOGETHER",
    "Loop",
    "Nulls",
    "Variant",
    "item_type",
    "loop",
    "wide_type",
]

SYMBOL = "arrowjag_loop"
"""The name of the function inside of every object."""

ITEM_TYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
"""Numpy codes of the item types that loops are compiled for; float16 has no machine arithmetic."""


Nulls: TypeAlias = Literal[False, True, "bits"]
"""How a loop is told which items are null: none is; a byte per item is 0; a bit per item is 0, in Arrow's order of bits."""

NULLS: tuple[Nulls, ...] = (False, True, "bits")

_TEXTS: dict[Nulls, str] = {False: "plain", True: "nulls", "bits": "bits"}


class Loop(NamedTuple):
    """A function over pointers, without allocation and without exceptions, for any of several item types."""

    name: str
    make: Callable[..., Callable[..., int]]
    """Returns the function for an item type and a way to tell nulls: `make(kind, nulls)`.

    `kind` is the numpy kind of the items ("b", "i", "u" or "f"). The function returns 0, or a number that its caller understands.
    """

    arguments: tuple[str, ...]
    """The type of each argument: a numpy code, "item" for that of the items, "wide" for that of their sums; "*" marks a pointer."""

    types: tuple[str, ...]
    """Numpy codes of the item types that there is a function for."""

    nulls: tuple[Nulls, ...] = (False, True)
    """The ways to tell nulls that there is a function for."""


class Variant(NamedTuple):
    """One function of a loop: for an item type and a way to tell nulls."""

    name: str
    type: str
    nulls: Nulls

    def __str__(self) -> str:
        return f"{self.name}-{self.type}-{_TEXTS[self.nulls]}"

    @classmethod
    def parse(cls, text: str) -> Variant:
        """The variant of a text such as ``sum-f8-nulls``."""
        name, type, nulls = text.rsplit("-", 2)
        return cls(name, type, {text: one for one, text in _TEXTS.items()}[nulls])


SAMPLE = 31
"""Items of a row that the bounds of a selection are chosen from; the caller provides a buffer of this length."""

PIECE = 128
"""Items whose sum is taken from left to right before it is added to the sum of the row: the documented order of addition."""

DIGIT = 11
"""Bits of the digits that long rows are sorted by; the caller provides a count for each, and they stay in the nearest cache."""

TOGETHER = 256
"""Items that are looked up in a sorted row side by side; the caller provides a buffer of this length for their slots."""

TABLE = 1 << 18
"""Rows that need larger tables of equal items are divided by hashes."""

PART_BITS = 8
"""The number of bits of a hash that tell to which part of such a row an item belongs."""

SLOTS = 8
"""Entries of such a table for each item of a row, where it stays below `TABLE`; two are enough."""

LARGEST_PRODUCT = 2.0**63 * (1 - 1e-9)
"""Products of integers whose magnitude in float64 is below this fit 64 bits, beyond any rounding."""

LOOPS: dict[str, Loop] = {}
"""Loops by name, as far as their modules are imported; read it from `loops`, which imports all of them."""


def loop(
    arguments: str, types: tuple[str, ...] = ITEM_TYPES, bits: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a maker of functions under its name; `arguments` are separated by blanks, `bits` if it reads bits of nulls too."""

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        LOOPS[make.__name__] = Loop(make.__name__, make, tuple(arguments.split()), types, NULLS if bits else (False, True))
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
