"""Writes the source code of values: per item, per row, and of scans, which carry a state from item to item."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arrowjag._kernels.compiled.loops.programs import (
    ITEMWISE,
    LIMITED,
    LOOKS_BACK,
    REDUCTIONS,
    WRAPPING,
    Instruction,
    Program,
    is_scan,
    window_of,
)

__all__ = ["Items"]


class Items:
    """The source of the values of a program: value 3 is v3, and k3 tells that it is not null."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.values = program.values()
        self.at = program.first

    def _instruction(self, value: int) -> Instruction:
        return self.program.instructions[value - self.at]

    def _load(self, column: int, index: str) -> list[str]:
        value = self.values[column]
        found = [f"v{column} = x{column}[{index}]{' != 0' if value.type == 'b1' else ''}"]
        return [*found, f"k{column} = y{column}[{index}] != 0"] if value.valid else found

    def _stored(self, value: int) -> str:
        """The code of what is stored for a value: 0 where it is null."""
        _, type, valid, _ = self.values[value]
        if type == "b1":
            return f"1 if v{value}{f' & k{value}' if valid else ''} else 0"
        return f"v{value} if k{value} else {type}(0)" if valid else f"v{value}"

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
        text = _operation(name, computes).format(*texts, type=computes)
        found = [f"v{value} = {text}" if type == "b1" else f"v{value} = {type}({text})"]
        if name in LIMITED:
            one, two = texts
            found.append(f"bad += i8(0) if is_ordinary({one}, {one} / {two}, {two}, zero_{computes}, limit_{computes}) else i8(1)")
        return found

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
        """Write the values that are known per row after a pass, and null flags that hold for whole rows."""
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
        return [(one, instruction) for one, instruction in found if is_scan(instruction.name)]

    def _begin(self, values: Sequence[int]) -> list[str]:
        """The start values of scans at the first item of a row."""
        found = []
        for one, (name, computes, type, _) in self._scans(values):
            if window := window_of(name):
                found += [f"n{one} = i8(0)", *(f"r{one}_{back} = 0.0" for back in range(1, window[1]))]
            elif name == "cumsum":
                found += [f"r{one} = {computes}(0)", f"o{one} = i8(0)"]
            elif name in LOOKS_BACK:
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
            if name in LOOKS_BACK or window_of(name):
                found += self._looking_back(value) if name in LOOKS_BACK else self._rolling(value)
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
        difference = _operation("sub", type).format(f"v{item}", f"r{value}")
        return [
            f"v{value} = " + (f"r{value}" if name == "shift" else f"{type}({difference})"),
            f"k{value} = {' & '.join(known)}",
            f"r{value} = v{item}",
            f"b{value} = {f'k{item}' if self.values[item].valid else 'True'}",
        ]

    def _rolling(self, value: int) -> list[str]:
        """The sum or the mean of a window, in float64; null where it is cut or holds a null."""
        name, _, type, (item,) = self._instruction(value)
        statistic, window = window_of(name) or ("", 1)
        items = [*(f"r{value}_{back}" for back in range(window - 1, 0, -1)), f"w{value}"]
        total = f"{_sum_of_spans(items)} + 0.0"  # never -0.0
        known = f" if k{item} else i8(0)" if self.values[item].valid else ""
        return [
            f"w{value} = {self._unless_null(item, 'f8')}",
            f"v{value} = {type}({total})" if statistic == "sum" else f"v{value} = {type}(({total}) / {window}.0)",
            f"n{value} = (n{value} + i8(1)){known}",
            f"k{value} = n{value} >= i8({window})",
            *(f"{before} = {one}" for before, one in pairwise(items)),
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
                f"z{value} = " + _operation("add", computes).format(f"r{value}", f"w{value}"),
                f"o{value} = o{value} | ((r{value} ^ z{value}) & (w{value} ^ z{value}))",
                f"r{value} = z{value}",
            ]
        return [*found, f"v{value} = {type}(r{value})"]

    def _unless_null(self, item: int, type: str) -> str:
        """An item converted to a type, 0 for a null."""
        text = self._as(item, type)
        return f"{type}_unless_null({text}, k{item})" if self.values[item].valid else text


def _operation(name: str, type: str) -> str:
    """The code of an instruction that computes in a type."""
    return WRAPPING.get(name, ITEMWISE[name]) if type == "i8" else ITEMWISE[name]


def _sum_of_spans(items: Sequence[str]) -> str:
    """The sum of items in the order of rolling sums: spans of 1, 2, 4.. items, each the sum of its halves, from left to right."""

    def span(first: int, length: int) -> str:
        half = length // 2
        return f"({span(first, half)} + {span(first + half, half)})" if half else items[first]

    found, done, length = "", 0, 1
    while done < len(items):
        if len(items) & length:
            found = f"({found} + {span(done, length)})" if found else span(done, length)
            done += length
        length *= 2
    return found
