"""Loops that are generated from a program: several calls on the same rows in one loop, without temporaries.

A program is text, so that it can name a loop: in the cache, and for the process that compiles.
``fused:f8,f4?|f8|f8|alive|mul:f8:f8,0,1;sum:f8:f8,4|5`` has two columns of items, the second with nulls, a column of one value per
row and a constant: the values 0 to 3. With "alive", some rows are null. Each instruction adds a value: its name, the type that it
computes in, the type of its result, and its operands. The values after the last bar are the results.

Sums are taken in pieces of 128 slots, as everywhere. An item is computed again in each pass over the row that needs it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, Loop

__all__ = ["PREFIX", "TYPES", "Program", "Value", "loop_of", "parse"]

PREFIX = "fused:"

TYPES = ("b1", "i4", "i8", "f4", "f8")
"""Numpy codes of the types of values; booleans are bytes in memory."""

ITEMWISE = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "truediv": "{0} / {1}",
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

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "std", "any", "all", "count"})
SCANS = frozenset({"cumsum", "cummax", "cummin", "diff", "shift"})
"""Instructions whose result at an item depends on the items before it in its row; diff and shift look one item back."""

_LOOKS_BACK = frozenset({"diff", "shift"})
_CONDITIONAL = frozenset({"and_", "or_", "where"})
"""Instructions that may ignore a null of one operand because of the value of another."""

_NEEDS = frozenset({"mean", "max", "min", "std"})
"""Reductions whose result may be null because a row has too few items."""


class Value(NamedTuple):
    """A value of a program."""

    kind: str
    """One per "item", one per "row", or a "constant"."""

    type: str
    valid: str
    """What tells whether it is null: each "item", each "row", or "" where none is."""

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
            is_null = one.name in _NEEDS or self.has_null_rows
            return Value("row", one.type, "row" if is_null else "", depth + (2 if one.name == "std" else 1))
        kind = "item" if any(value.kind == "item" for value in operands) else "row"
        levels = {value.valid for value in operands} - {""}
        valid = "item" if "item" in levels else "row" if levels else ""
        if valid and one.name in _CONDITIONAL:
            valid = kind  # False and null is False: it depends on the item
        if one.name in _LOOKS_BACK:
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
        if word not in ITEMWISE and word not in REDUCTIONS and word not in SCANS:
            raise ValueError(f"{name}: there is no instruction {word}")
        computes, _, type = types.partition(":")
        instructions.append(Instruction(word, computes, type, tuple(map(int, operands))))
    results = tuple(map(int, parts[5].split(",")))
    return Program(items, rows, constants, parts[3] == "alive", tuple(instructions), results)


@functools.cache
def loop_of(name: str) -> Loop:
    """The loop of a program; it returns how many sums of integers don't fit 64 bits.

    Its arguments: offsets, first and last row, data of the columns, validity of those that have nulls, which rows are not null if
    some are, constants as floats and as integers, and for each result its data, then its validity if it may be null.
    """
    program = parse(name)
    values = program.values()
    columns = [one.rstrip("?") for one in (*program.items, *program.rows)]
    valid = ["u1"] * (sum(one.endswith("?") for one in (*program.items, *program.rows)) + program.has_null_rows)
    outs = [code for one in program.results for code in (values[one].type, *(["u1"] if values[one].valid else []))]
    arguments = ("i8*", "i8", "i8", *(f"{code}*" for code in (*columns, *valid, "f8", "i8", *outs)))
    return Loop(name, lambda _kind, _nulls: _function(program), arguments, ("f8",))


def _function(program: Program) -> Callable[..., int]:
    scope: dict[str, Any] = {"np": np, "u8": np.uint64}
    for code in TYPES[1:]:
        scope[code] = np.dtype(code).type
        limits: Any = np.iinfo(code) if code[0] == "i" else None
        scope[f"least_{code}"] = scope[code](-np.inf if limits is None else limits.min)
        scope[f"most_{code}"] = scope[code](np.inf if limits is None else limits.max)
    exec("\n".join(_Writer(program).lines()), scope)  # noqa: S102  # text of this module: numbers and names of `ITEMWISE`
    function: Callable[..., int] = scope["function"]
    return function


class _Writer:
    """The source of a program: value 3 is v3, and k3 tells that it is not null."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values = program.values()
        self.at = program.first

    def lines(self) -> list[str]:
        """Write the function."""
        program, n_items = self.program, len(self.program.items)
        columns = range(n_items + len(program.rows))
        names = [f"x{one}" for one in columns]
        names += [f"y{one}" for one in columns if self.values[one].valid]
        names += ["alive"] * program.has_null_rows
        outs = [
            name
            for place, one in enumerate(program.results)
            for name in (f"out{place}", *([f"there{place}"] if self.values[one].valid else []))
        ]
        body = ["begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])"]
        if program.has_null_rows:
            body.append("is_row = alive[row] != 0")
        for one in columns[n_items:]:
            body += self._load(one, "row")
        for place, one in enumerate(range(columns.stop, self.at)):
            type = self.values[one].type
            body.append(f"v{one} = {type}({'constants' if type[0] == 'f' else 'whole'}[{place}])")
        body += self._row_values(0)
        for depth in range(1, max(value.depth for value in self.values) + 1):
            body += [*self._pass(depth), *self._row_values(depth)]
        body += self._write_items()
        for place, one in enumerate(program.results):
            if self.values[one].kind == "row":
                body.append(f"out{place}[row] = {self._stored(one)}")
            if self.values[one].valid == "row":
                body.append(f"there{place}[row] = 1 if k{one} else 0")
        return [
            f"def function(offsets, first, last, {', '.join([*names, 'constants', 'whole', *outs])}):",
            "    bad = i8(0)",
            "    for row in range(u8(first), u8(last)):",
            *(f"        {line}" for line in body),
            "    return bad",
        ]

    # ------------------------------------------------------------------------------------------- values

    def _instruction(self, value: int) -> Instruction:
        return self.program.instructions[value - self.at]

    def _load(self, column: int, index: str) -> list[str]:
        value = self.values[column]
        found = [f"v{column} = x{column}[{index}]{' != 0' if value.type == 'b1' else ''}"]
        return [*found, f"k{column} = y{column}[{index}] != 0"] if value.valid else found

    def _stored(self, value: int) -> str:
        return f"1 if v{value} else 0" if self.values[value].type == "b1" else f"v{value}"

    def _as(self, value: int, type: str) -> str:
        """A value converted to a type, of which nothing is lost."""
        own = self.values[value].type
        if own == type:
            return f"v{value}"
        return f"({type}(1) if v{value} else {type}(0))" if own == "b1" else f"{type}(v{value})"

    def _computed(self, value: int) -> list[str]:
        """Compute a value from values at the same place."""
        name, computes, type, operands = self._instruction(value)
        texts = [self._as(one, computes) for one in operands]
        if name == "where":
            texts[0] = f"v{operands[0]}"
        text = ITEMWISE[name].format(*texts)
        return [f"v{value} = {text}" if type == "b1" else f"v{value} = {type}({text})"]

    def _validity(self, value: int) -> list[str]:
        if not self.values[value].valid:
            return []
        name, _, _, operands = self._instruction(value)
        known = [f"k{one}" for one in operands if self.values[one].valid]
        both = " & ".join(known)
        if name == "where":
            condition, *chosen = operands
            one, two = (f"k{each}" if self.values[each].valid else "True" for each in chosen)
            both = f"({one} if v{condition} else {two})" + (f" & k{condition}" if self.values[condition].valid else "")
        if name in ("and_", "or_"):
            decides = [f"{'(not v%d)' if name == 'and_' else 'v%d'}" % one for one in operands]
            sure = [
                f"({one} & k{place})" if self.values[place].valid else one for one, place in zip(decides, operands, strict=True)
            ]
            both = f"({both}) | {' | '.join(sure)}"
        return [f"k{value} = {both}"]

    def _row_values(self, depth: int) -> list[str]:
        """What is known per row after a pass: values of rows, and whether items that are null row by row are."""
        found = []
        for value in range(self.at, len(self.values)):
            kind, _, valid, known = self.values[value]
            if known != depth or self._instruction(value).name in REDUCTIONS:
                continue
            if kind == "row":
                found += self._computed(value)
            if valid == "row":
                found += self._validity(value)
        return found

    def _wanted(self, values: Sequence[int]) -> list[int]:
        """The values per item that some values are computed from, in order."""
        seen: set[int] = set()

        def visit(value: int) -> None:
            if self.values[value].kind != "item" or value in seen:
                return
            seen.add(value)
            if value >= self.at:
                for one in self._instruction(value).operands:
                    visit(one)

        for one in values:
            visit(one)
        return sorted(seen)

    def _scans(self, values: Sequence[int]) -> list[tuple[int, Instruction]]:
        """The scans that some values are computed from."""
        found = [(one, self._instruction(one)) for one in self._wanted(values) if one >= self.at]
        return [(one, instruction) for one, instruction in found if instruction.name in SCANS]

    def _begin(self, values: Sequence[int]) -> list[str]:
        """What scans begin with at the first item of a row."""
        found = []
        for one, (name, computes, type, _) in self._scans(values):
            if name == "cumsum":
                found += [f"r{one} = {computes}(0)", f"o{one} = i8(0)"]
            elif name in _LOOKS_BACK:
                found += [f"r{one} = {'False' if type == 'b1' else f'{type}(0)'}", f"b{one} = False"]
            elif type[0] == "f":
                found.append(f"r{one} = {type}(np.nan)")  # until there is a number
            else:
                found.append(f"r{one} = {'least' if name == 'cummax' else 'most'}_{type}")
        return found

    def _end(self, values: Sequence[int]) -> list[str]:
        scans = self._scans(values)
        return [
            f"bad += i8(1) if o{one} < i8(0) else i8(0)"
            for one, (name, computes, *_) in scans
            if name == "cumsum" and computes == "i8"
        ]

    def _items(self, values: Sequence[int]) -> list[str]:
        """Compute values of item i."""
        found = []
        for value in self._wanted(values):
            if value < self.at:
                found += self._load(value, "i")
                continue
            name = self._instruction(value).name
            if name in _LOOKS_BACK:
                found += self._looking_back(value)
                continue
            scan = {"cumsum": self._running, "cummax": self._running_extreme, "cummin": self._running_extreme}
            found += scan.get(name, self._computed)(value)
            if self.values[value].valid == "item":
                found += self._validity(value)
        return found

    def _looking_back(self, value: int) -> list[str]:
        """The item before, or the difference to it; null at the first item."""
        name, _, type, (item,) = self._instruction(value)
        known = [f"b{value}"] if name == "shift" or not self.values[item].valid else [f"b{value}", f"k{item}"]
        return [
            f"v{value} = r{value}" if name == "shift" else f"v{value} = {type}(v{item} - r{value})",
            f"k{value} = {' & '.join(known)}",
            f"r{value} = v{item}",
            f"b{value} = {f'k{item}' if self.values[item].valid else 'True'}",
        ]

    def _running_extreme(self, value: int) -> list[str]:
        name, _, type, (item,) = self._instruction(value)
        better = f"(v{item} {'>' if name == 'cummax' else '<'} r{value})"
        if type[0] == "f":
            better = f"({better} | (r{value} != r{value}))"
        if self.values[item].valid:
            better = f"{better} & k{item}"
        zero = f" + {type}(0)" if type[0] == "f" else ""  # 0.0 in place of -0.0
        return [f"r{value} = v{item} if {better} else r{value}", f"v{value} = r{value}{zero}"]

    def _running(self, value: int) -> list[str]:
        _, computes, type, (item,) = self._instruction(value)
        found = [f"w{value} = {self._unless_null(item, computes)}"]
        if computes == "f8":
            found.append(f"r{value} = w{value} if i == begin else r{value} + w{value}")
        else:  # a sign bit of o tells that some sum has overflowed
            found += [
                f"z{value} = r{value} + w{value}",
                f"o{value} = o{value} | ((r{value} ^ z{value}) & (w{value} ^ z{value}))",
                f"r{value} = z{value}",
            ]
        return [*found, f"v{value} = {type}(r{value})"]

    def _unless_null(self, item: int, type: str) -> str:
        """An item converted to a type, 0 for a null."""
        text = self._as(item, type)
        return f"({text} if k{item} else {type}(0))" if self.values[item].valid else text

    # ------------------------------------------------------------------------------------------- passes

    def _pass(self, depth: int) -> list[str]:
        """One pass over the items of a row, in pieces, for all reductions that it finishes or begins."""
        work = _Pass()
        used: list[int] = []
        for value in range(self.at, len(self.values)):
            name, _, _, operands = self._instruction(value)
            if name not in REDUCTIONS:
                continue
            item = operands[0]
            known = self.values[item].depth
            if depth == known + 1:
                used.append(item)
                self._reduce(value, item, work)
            elif name == "std" and depth == known + 2:
                used.append(item)
                self._deviate(value, item, work)
        if not used:
            return []
        inner = [*self._items(used), *work.items]
        return [
            *work.before,
            *self._begin(used),
            "at = begin",
            "while at < end:",
            f"    stop = at + u8({PIECE}) if end - at > u8({PIECE}) else end",
            *(f"    {line}" for line in work.piece),
            "    for i in range(at, stop):",
            *(f"        {line}" for line in inner),
            *(f"    {line}" for line in work.after_piece),
            "    at = stop",
            *self._end(used),
            *work.after,
        ]

    def _reduce(self, value: int, item: int, work: _Pass) -> None:
        """The pass of a reduction, of a standard deviation the first of two."""
        name, computes, type, _ = self._instruction(value)
        nullable = bool(self.values[item].valid)
        if nullable and name in (*_NEEDS, "count"):
            work.before.append(f"c{value} = i8(0)")
            work.items.append(f"c{value} += i8(1) if k{item} else i8(0)")
        else:
            work.before.append(f"c{value} = i8(end - begin)")
        if name in ("sum", "mean", "std"):
            if computes == "f8":
                work.add_up(f"s{value}", self._unless_null(item, "f8"))
            else:
                self._add_integers(value, item, work)
        if name == "sum":
            work.after.append(f"v{value} = {type}(s{value})")
        elif name == "mean":
            work.after.append(f"v{value} = {type}(f8(s{value}) / f8(c{value}))")
        elif name == "std":
            work.after.append(f"m{value} = s{value} / f8(c{value})")
        elif name == "count":
            work.after.append(f"v{value} = c{value}")
        elif name in ("any", "all"):
            work.before.append(f"v{value} = {name == 'all'}")
            text = (f"(v{item} & k{item})" if nullable else f"v{item}") if name == "any" else f"v{item}"
            text = f"(v{item} | (not k{item}))" if nullable and name == "all" else text
            work.items.append(f"v{value} = v{value} {'|' if name == 'any' else '&'} {text}")
        elif name in ("max", "min"):
            self._compare(value, item, work)
        least = 1 if name == "std" else 0
        known = [f"(c{value} > i8({least}))"] if name in _NEEDS else []
        known += ["is_row"] * self.program.has_null_rows
        if known:
            work.after.append(f"k{value} = {' & '.join(known)}")

    def _add_integers(self, value: int, item: int, work: _Pass) -> None:
        """Sums that wrap around; of 64 bits the halves of 32 bits are added up too, and tell whether they did."""
        work.before.append(f"s{value} = i8(0)")
        work.items += [f"w{value}_{item} = {self._unless_null(item, 'i8')}", f"s{value} += w{value}_{item}"]
        if self.values[item].type == "i8":
            high, low = f"h{value}", f"l{value}"
            work.before += [f"{high} = i8(0)", f"{low} = i8(0)"]
            work.items += [f"{high} += w{value}_{item} >> i8(32)", f"{low} += w{value}_{item} & i8(0xFFFFFFFF)"]
            work.after += [
                f"{high} += {low} >> i8(32)",
                f"bad += i8(1) if ({high} > i8(0x7FFFFFFF)) | ({high} < i8(-0x80000000)) else i8(0)",
            ]

    def _compare(self, value: int, item: int, work: _Pass) -> None:
        name, _, type, _ = self._instruction(value)
        sign, worst = (">", f"least_{type}") if name == "max" else ("<", f"most_{type}")
        better = f"v{item} {sign} b{value}"
        if self.values[item].valid:
            better = f"({better}) & k{item}"
        work.before.append(f"b{value} = {worst}")
        work.items.append(f"b{value} = v{item} if {better} else b{value}")
        if type[0] == "f":
            work.after += [*self._again(value, item, worst), f"b{value} = b{value} + {type}(0)"]  # 0.0 in place of -0.0
        work.after.append(f"v{value} = b{value}")

    def _again(self, value: int, item: int, worst: str) -> list[str]:
        """Look once more at a row whose items all lose: it holds NaN only, or an infinity."""
        wins = f"v{item} == {worst}"
        if self.values[item].valid:
            wins = f"({wins}) & k{item}"
        return [
            f"if b{value} == {worst}:",
            f"    b{value} = {self.values[value].type}(np.nan)",
            *(f"    {line}" for line in self._begin([item])),
            "    for i in range(begin, end):",
            *(f"        {line}" for line in self._items([item])),
            f"        b{value} = {worst} if {wins} else b{value}",
        ]

    def _deviate(self, value: int, item: int, work: _Pass) -> None:
        """The second pass of a standard deviation."""
        text = f"{self._as(item, 'f8')} - m{value}"
        work.items.append(f"d{value} = ({text}) if k{item} else 0.0" if self.values[item].valid else f"d{value} = {text}")
        work.add_up(f"e{value}", f"d{value}")
        work.add_up(f"q{value}", f"d{value} * d{value}")
        work.after += [
            f"t{value} = q{value} - e{value} * e{value} / f8(c{value})",
            f"t{value} = t{value} if t{value} > 0.0 or t{value} != t{value} else 0.0",
            f"v{value} = {self.values[value].type}(np.sqrt(t{value} / (f8(c{value}) - 1.0)))",
        ]

    def _write_items(self) -> list[str]:
        wanted = [(place, one) for place, one in enumerate(self.program.results) if self.values[one].kind == "item"]
        if not wanted:
            return []
        values = [one for _, one in wanted]
        body = self._items(values)
        for place, one in wanted:
            body.append(f"out{place}[i] = {self._stored(one)}")
            if self.values[one].valid == "item":
                body.append(f"there{place}[i] = 1 if k{one} else 0")
        return [*self._begin(values), "for i in range(begin, end):", *(f"    {line}" for line in body), *self._end(values)]


class _Pass:
    """The lines of a pass: before the row, before a piece, per item, after a piece, after the row."""

    def __init__(self) -> None:
        self.before: list[str] = []
        self.piece: list[str] = []
        self.items: list[str] = []
        self.after_piece: list[str] = []
        self.after: list[str] = []

    def add_up(self, name: str, text: str) -> None:
        """Add up a float per item, piece by piece."""
        self.before.append(f"{name} = 0.0")
        self.piece.append(f"p{name} = 0.0")
        self.items.append(f"p{name} += {text}")
        self.after_piece.append(f"{name} += p{name}")
