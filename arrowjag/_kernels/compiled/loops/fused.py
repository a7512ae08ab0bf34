"""Loops that are generated from a program: several calls on the same rows in one loop, without temporaries.

Sums are taken in pieces of 128 slots, as everywhere. An item is computed again in each pass over the row that needs it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, Loop, helper
from arrowjag._kernels.compiled.loops.division import LIMITS, floor_of, is_ordinary, rest_of
from arrowjag._kernels.compiled.loops.items import Items
from arrowjag._kernels.compiled.loops.programs import NEEDS, REDUCTIONS, TYPES, WRAPPING, Program, parse

__all__ = ["loop_of"]

i8: Any = np.int64  # Any: numba infers the exact types, so annotations would add nothing
f8: Any = np.float64


@helper
def f8_unless_null(item: Any, is_known: Any) -> Any:
    """An item, 0 for a null. Of a condition the compiler makes a branch, which nulls here and there mispredict."""
    return i8(f8(item).view(i8) & -i8(is_known)).view(f8)


@helper
def i8_unless_null(item: Any, is_known: Any) -> Any:
    """An integer, 0 for a null, without a branch, which nulls here and there would mispredict."""
    return i8(item) & -i8(is_known)


_HELPERS = (floor_of, is_ordinary, rest_of, f8_unless_null, i8_unless_null)


@functools.cache
def loop_of(name: str) -> Loop:
    """The loop of a program; it returns how many sums don't fit 64 bits and how many quotients are beyond the limit.

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
    scope: dict[str, Any] = {"np": np, "u8": np.uint64, **{one.__name__: one for one in _HELPERS}}
    for code, limit in LIMITS.items():
        scope |= {f"{name}_{code}": np.dtype(code).type(one) for name, one in (("zero", 0), ("one", 1), ("limit", limit))}
    for code in TYPES[1:]:
        scope[code] = np.dtype(code).type
        limits: Any = np.iinfo(code) if code[0] == "i" else None
        scope[f"least_{code}"] = scope[code](-np.inf if limits is None else limits.min)
        scope[f"most_{code}"] = scope[code](np.inf if limits is None else limits.max)
    exec("\n".join(_Writer(program).lines()), scope)  # noqa: S102  # text of this module: numbers and names of `ITEMWISE`
    function: Callable[..., int] = scope["function"]
    return function


class _Writer(Items):
    """The source of a program."""

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
        if nullable and name in (*NEEDS, "count"):
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
        known = [f"(c{value} > i8({least}))"] if name in NEEDS else []
        known += ["is_row"] * self.program.has_null_rows
        if known:
            work.after.append(f"k{value} = {' & '.join(known)}")

    def _add_integers(self, value: int, item: int, work: _Pass) -> None:
        """Sums that wrap around; of 64 bits the halves of 32 bits are added up too, and tell whether they did."""
        work.before.append(f"s{value} = i8(0)")
        total = WRAPPING["add"].format(f"s{value}", f"w{value}_{item}")
        work.items += [f"w{value}_{item} = {self._unless_null(item, 'i8')}", f"s{value} = {total}"]
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
        work.items.append(f"d{value} = " + (f"f8_unless_null({text}, k{item})" if self.values[item].valid else text))
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
