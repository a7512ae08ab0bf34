"""The text of programs: their inputs, steps and results.

A program is text, so that it can name a loop: in the cache, and for the process that compiles.
``fused:f8,f4?|f8|f8|alive|mul:f8:f8,0,1;sum:f8:f8,4|5`` has two columns of items, the second with nulls, a column of one value per
row and a constant: the values 0 to 3. With "alive", some rows are null. Each instruction adds a value: its name, the type that it
computes in, the type of its result, and its operands. The values after the last bar are the results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "ITEMWISE",
    "LIMITED",
    "LONGEST_WINDOW",
    "LOOKS_BACK",
    "NEEDS",
    "PREFIX",
    "REDUCTIONS",
    "TYPES",
    "WRAPPING",
    "Instruction",
    "Program",
    "Value",
    "is_scan",
    "parse",
    "window_of",
]

PREFIX = "fused:"

TYPES = ("b1", "i4", "i8", "f4", "f8")
"""Numpy codes of the types of values; booleans are bytes in memory."""

ITEMWISE = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "truediv": "{0} / {1}",
    "floordiv": "floor_of({0}, {0} / {1}, {1}, zero_{type}, one_{type})",
    "mod": "rest_of({0}, {0} / {1}, {1}, zero_{type}, one_{type})",
    "neg": "-{0}",
    "abs": "abs({0})",
    "sqrt": "np.sqrt({0})",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "eq": "{0} == {1}",
    "ne": "{0} != {1}",
    "and_": "{0} & {1}",
    "or_": "{0} | {1}",
    "invert": "not {0}",
    "cast": "{0}",
    "where": "{1} if {0} else {2}",
}
"""Instructions on values of the same kind, or of items with the value of their row, as Python writes them."""

WRAPPING = {name: f"i8(u8({{0}}) {sign} u8({{1}}))" for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"))}
"""Instructions that wrap around, in place of those above: numba tells LLVM that signed integers of 64 bits never overflow, and from
that LLVM concludes that a square is not negative, and that x + 1 > x. Narrower integers are computed in 64 bits."""

LIMITED = frozenset({"floordiv", "mod"})
"""Instructions on floats whose quotients have a limit; the loop counts those beyond it."""

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "std", "any", "all", "count"})
SCANS = frozenset({"cumsum", "cummax", "cummin", "diff", "shift"})
"""Instructions whose result at an item depends on the items before it in its row; diff and shift look one item back."""

LONGEST_WINDOW = 16
"""Items of the longest window: as many values are carried from item to item."""

_WINDOW = re.compile(r"rolling_(sum|mean)_([0-9]{1,2})")

LOOKS_BACK = frozenset({"diff", "shift"})
_CONDITIONAL = frozenset({"and_", "or_", "where"})
"""Instructions that may ignore a null of one operand because of the value of another."""

NEEDS = frozenset({"mean", "max", "min", "std"})
"""Reductions whose result may be null because a row has too few items."""


def window_of(name: str) -> tuple[str, int] | None:
    """The statistic and the window of an instruction such as "rolling_mean_5", which takes items up to the current one."""
    found = _WINDOW.fullmatch(name)
    return (found[1], int(found[2])) if found and 0 < int(found[2]) <= LONGEST_WINDOW else None


def is_scan(name: str) -> bool:
    """Whether the result of an instruction at an item depends on the items before it in its row."""
    return name in SCANS or window_of(name) is not None


class Value(NamedTuple):
    """A value of a program."""

    kind: str
    """One per "item", one per "row", or a "constant"."""

    type: str
    valid: str
    """The granularity of its nulls: per "item", per "row", or "" without nulls."""

    depth: int = 0
    """How many passes over the row come before it is known."""


class Instruction(NamedTuple):
    """How a value is computed."""

    name: str
    computes: str
    type: str
    operands: tuple[int, ...]


class Program(NamedTuple):
    """A parsed program."""

    items: tuple[str, ...]
    rows: tuple[str, ...]
    constants: tuple[str, ...]
    has_null_rows: bool
    instructions: tuple[Instruction, ...]
    results: tuple[int, ...]

    @property
    def first(self) -> int:
        """The number of the first instruction's value."""
        return len(self.items) + len(self.rows) + len(self.constants)

    def values(self) -> list[Value]:
        """All values: columns, constants, and those of instructions."""
        found = [Value("item", one.rstrip("?"), "item" if one.endswith("?") else "") for one in self.items]
        found += [Value("row", one.rstrip("?"), "row" if one.endswith("?") else "") for one in self.rows]
        found += [Value("constant", one, "") for one in self.constants]
        for one in self.instructions:
            found.append(self._value(one, [found[operand] for operand in one.operands]))
        return found

    def _value(self, one: Instruction, operands: Sequence[Value]) -> Value:
        depth = max(value.depth for value in operands)
        if one.name in REDUCTIONS:
            is_null = one.name in NEEDS or self.has_null_rows
            return Value("row", one.type, "row" if is_null else "", depth + (2 if one.name == "std" else 1))
        kind = "item" if any(value.kind == "item" for value in operands) else "row"
        levels = {value.valid for value in operands} - {""}
        valid = "item" if "item" in levels else "row" if levels else ""
        if valid and one.name in _CONDITIONAL:
            valid = kind  # False and null is False: it depends on the item
        if one.name in LOOKS_BACK or window_of(one.name):
            valid = "item"
        return Value(kind, one.type, valid, depth)


def parse(name: str) -> Program:
    """The program that a name holds."""
    parts = name.removeprefix(PREFIX).split("|")
    if len(parts) != 6:
        raise ValueError(f"{name} is no program")
    items, rows, constants = (tuple(part.split(",")) if part else () for part in parts[:3])
    for type in (*items, *rows, *constants):
        if type.rstrip("?") not in TYPES:
            raise ValueError(f"{name}: there is no type {type}")
    instructions = []
    for line in parts[4].split(";"):
        head, *operands = line.split(",")
        word, _, types = head.partition(":")
        if word not in ITEMWISE and word not in REDUCTIONS and not is_scan(word):
            raise ValueError(f"{name}: there is no instruction {word}")
        computes, _, type = types.partition(":")
        instructions.append(Instruction(word, computes, type, tuple(map(int, operands))))
    results = tuple(map(int, parts[5].split(",")))
    return Program(items, rows, constants, parts[3] == "alive", tuple(instructions), results)
