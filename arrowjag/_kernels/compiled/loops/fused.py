"""Loops that are generated from a program: several calls on the same rows in one loop, without temporaries.

A program is text, so that it can name a loop: in the cache, and for the process that compiles.
``fused:i2r0c1;mul,0,1;sub,3,2;sum,4|5`` has 2 columns of items, 0 columns of one value per row and 1 constant, the values 0 to 2.
Each instruction adds a value of its operands. The values after the bar are the results. All are float64.

Sums are taken in pieces of 128 slots, as everywhere. An item is computed again in each pass over the row that needs it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from arrowjag._kernels.compiled.loop import Loop
from arrowjag._kernels.compiled.loops.reductions import PIECE

__all__ = ["PREFIX", "Program", "loop_of", "parse"]

PREFIX = "fused:"

ITEMWISE = {
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "mul": "({0} * {1})",
    "truediv": "({0} / {1})",
    "neg": "(-{0})",
    "abs": "abs({0})",
    "sqrt": "np.sqrt({0})",
}
"""Instructions on values of the same kind, or of items with the value of their row, as Python writes them."""

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "std"})
_SUMS = frozenset({"sum", "mean", "std"})
_WORST = {"max": "-np.inf", "min": "np.inf"}


class Program(NamedTuple):
    """A parsed program."""

    n_items: int
    n_rows: int
    n_constants: int
    instructions: tuple[tuple[str, tuple[int, ...]], ...]
    results: tuple[int, ...]

    @property
    def first(self) -> int:
        """The number of the first instruction's value."""
        return self.n_items + self.n_rows + self.n_constants

    def kinds(self) -> list[str]:
        """Whether each value is one per "item", one per "row", or a "constant"."""
        kinds = ["item"] * self.n_items + ["row"] * self.n_rows + ["constant"] * self.n_constants
        for name, operands in self.instructions:
            below = [kinds[one] for one in operands]
            kinds.append("row" if name in REDUCTIONS or "item" not in below else "item")
        return kinds

    def depths(self) -> list[int]:
        """How many passes over the row come before each value is known."""
        depths = [0] * self.first
        for name, operands in self.instructions:
            below = max(depths[one] for one in operands)
            depths.append(below + (2 if name == "std" else int(name in REDUCTIONS)))
        return depths


def parse(name: str) -> Program:
    """The program that a name holds."""
    text, _, results = name.removeprefix(PREFIX).partition("|")
    head, *lines = text.split(";")
    counts = re.fullmatch(r"i(\d+)r(\d+)c(\d+)", head)
    if counts is None:
        raise ValueError(f"{name} is no program")
    instructions = []
    for line in lines:
        word, *operands = line.split(",")
        if word not in ITEMWISE and word not in REDUCTIONS and word != "cumsum":
            raise ValueError(f"{name}: there is no instruction {word}")
        instructions.append((word, tuple(map(int, operands))))
    n_items, n_rows, n_constants = map(int, counts.groups())
    return Program(n_items, n_rows, n_constants, tuple(instructions), tuple(map(int, results.split(","))))


@functools.cache
def loop_of(name: str) -> Loop:
    """The loop of a program: (offsets, first, last, columns of items, columns of rows, constants, results)."""
    program = parse(name)
    columns = ("f8*",) * (program.n_items + program.n_rows)
    return Loop(
        name,
        lambda _kind, _nulls: _function(program),
        ("i8*", "i8", "i8", *columns, "f8*", *("f8*",) * len(program.results)),
        ("f8",),
    )


def _function(program: Program) -> Callable[..., int]:
    scope: dict[str, Any] = {"np": np, "u8": np.uint64, "f8": np.float64}
    exec("\n".join(_Writer(program).lines()), scope)  # noqa: S102  # text of this module: numbers and names of `ITEMWISE`
    function: Callable[..., int] = scope["function"]
    return function


class _Writer:
    """The source of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kinds, self.depths = program.kinds(), program.depths()
        self.at = program.first

    def lines(self) -> list[str]:
        """Write the function."""
        program = self.program
        names = [f"x{one}" for one in range(program.n_items)]
        names += [f"x{one}" for one in range(program.n_items, program.n_items + program.n_rows)]
        outs = [f"out{one}" for one in range(len(program.results))]
        found = [f"def function(offsets, first, last, {', '.join([*names, 'constants', *outs])}):"]
        body = [
            "begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])",
            "n = f8(end - begin)",
            *(f"v{one} = x{one}[row]" for one in range(program.n_items, program.n_items + program.n_rows)),
            *(
                f"v{one} = constants[{one - program.n_items - program.n_rows}]"
                for one in range(self.at - program.n_constants, self.at)
            ),
            *self._row_values(0),
        ]
        for depth in range(1, max(self.depths) + 1):
            body += [*self._pass(depth), *self._row_values(depth)]
        body += self._write_items()
        body += [f"out{place}[row] = v{one}" for place, one in enumerate(program.results) if self.kinds[one] == "row"]
        found += ["    for row in range(u8(first), u8(last)):", *(f"        {line}" for line in body), "    return 0"]
        return found

    def _instruction(self, value: int) -> tuple[str, tuple[int, ...]]:
        return self.program.instructions[value - self.at]

    def _row_values(self, depth: int) -> list[str]:
        """Values per row that are known after a pass."""
        found = []
        for value in range(self.at, len(self.kinds)):
            name, operands = self._instruction(value)
            if self.kinds[value] == "row" and self.depths[value] == depth and name not in REDUCTIONS:
                found.append(f"v{value} = {ITEMWISE[name].format(*(f'v{one}' for one in operands))}")
        return found

    def _wanted(self, values: list[int]) -> list[int]:
        """The values per item that some values are computed from, in order."""
        seen: set[int] = set()

        def visit(value: int) -> None:
            if self.kinds[value] != "item" or value in seen:
                return
            seen.add(value)
            if value >= self.at:
                for one in self._instruction(value)[1]:
                    visit(one)

        for one in values:
            visit(one)
        return sorted(seen)

    def _begin(self, values: list[int]) -> list[str]:
        """What running sums begin with: the sum of nothing plus the first item is that item."""
        scans = [one for one in self._wanted(values) if one >= self.at and self._instruction(one)[0] == "cumsum"]
        return [f"v{one} = 0.0" for one in scans]

    def _items(self, values: list[int]) -> list[str]:
        """Compute values of item i."""
        found = []
        for value in self._wanted(values):
            if value < self.at:
                found.append(f"v{value} = x{value}[i]")
                continue
            name, operands = self._instruction(value)
            if name == "cumsum":
                found.append(f"v{value} = v{operands[0]} if i == begin else v{value} + v{operands[0]}")
            else:
                found.append(f"v{value} = {ITEMWISE[name].format(*(f'v{one}' for one in operands))}")
        return found

    def _pass(self, depth: int) -> list[str]:
        """One pass over the items of a row, in pieces, for all reductions that it finishes or begins."""
        before: list[str] = []
        piece: list[str] = []
        work: list[str] = []
        after_piece: list[str] = []
        after: list[str] = []
        used: list[int] = []

        def sum_up(name: str, text: str) -> None:
            before.append(f"{name} = 0.0")
            piece.append(f"p{name} = 0.0")
            work.append(f"p{name} += {text}")
            after_piece.append(f"{name} += p{name}")

        for value in range(self.at, len(self.kinds)):
            name, operands = self._instruction(value)
            if name not in REDUCTIONS:
                continue
            item = operands[0]
            known = self.depths[item]
            if name in _SUMS and depth == known + 1:
                used.append(item)
                sum_up(f"s{value}", f"v{item}")
                if name != "sum":
                    after.append(f"m{value} = s{value} / n")
                after += [f"v{value} = {'s' if name == 'sum' else 'm'}{value}"] if name != "std" else []
            elif name == "std" and depth == known + 2:
                used.append(item)
                work.append(f"d{value} = v{item} - m{value}")
                sum_up(f"e{value}", f"d{value}")
                sum_up(f"q{value}", f"d{value} * d{value}")
                after.append(f"t{value} = q{value} - e{value} * e{value} / n")
                after.append(f"t{value} = t{value} if t{value} > 0.0 or t{value} != t{value} else 0.0")
                after.append(f"v{value} = np.sqrt(t{value} / (n - 1.0))")
            elif name in _WORST and depth == known + 1:
                used.append(item)
                sign, worst = (">" if name == "max" else "<"), _WORST[name]
                before.append(f"b{value} = {worst}")
                work.append(f"b{value} = v{item} if v{item} {sign} b{value} else b{value}")
                after += [*self._again(value, item, worst), f"v{value} = b{value} + 0.0"]
        if not used:
            return []
        inner = [*self._items(used), *work]
        return [
            *before,
            *self._begin(used),
            "at = begin",
            "while at < end:",
            f"    stop = at + u8({PIECE}) if end - at > u8({PIECE}) else end",
            *(f"    {line}" for line in piece),
            "    for i in range(at, stop):",
            *(f"        {line}" for line in inner),
            *(f"    {line}" for line in after_piece),
            "    at = stop",
            *after,
        ]

    def _again(self, value: int, item: int, worst: str) -> list[str]:
        """Look once more at a row whose items all lose: it holds NaN only, or an infinity."""
        return [
            f"if b{value} == {worst}:",
            f"    b{value} = np.nan",
            *(f"    {line}" for line in self._begin([item])),
            "    for i in range(begin, end):",
            *(f"        {line}" for line in self._items([item])),
            f"        b{value} = {worst} if v{item} == {worst} else b{value}",
        ]

    def _write_items(self) -> list[str]:
        wanted = [(place, one) for place, one in enumerate(self.program.results) if self.kinds[one] == "item"]
        if not wanted:
            return []
        values = [one for _, one in wanted]
        body = [*self._items(values), *(f"out{place}[i] = v{one}" for place, one in wanted)]
        return [*self._begin(values), "for i in range(begin, end):", *(f"    {line}" for line in body)]
