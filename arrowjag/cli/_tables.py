"""Facts of a file on the terminal: tables for people, plain lines for pipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arrowjag._formatting import printable
from arrowjag.cli._facts import Bin, ColumnFacts, FieldFacts, FileFacts, Level

__all__ = ["LEVEL_HEADS", "bar_text", "byte_text", "count_text", "level_cells", "number_text", "print_facts"]

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = ".:-=+*#@"
_PIPED_WIDTH = 160


def console_for(stream: Any) -> Console:
    """Create a console on a stream; a pipe gets wide lines, because no terminal wraps them."""
    console = Console(file=stream, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    return console


def print_facts(console: Console, facts: FileFacts) -> None:
    """The whole file: a line of facts, a table of the plain columns, and a table for each jagged one."""
    if console.is_terminal:
        _print_facts(console, facts)
        return
    with console.capture() as capture:
        _print_facts(console, facts)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()), file=console.file)


def _print_facts(console: Console, facts: FileFacts) -> None:
    console.print(Text.assemble((facts.path, "bold"), f"  {file_text(facts)}"), soft_wrap=True)
    plain = [one for one in facts.columns if one.ndim == 1]
    if not facts.columns:
        console.print(Text("There are no columns."))
    if plain:
        console.print()
        _print_table(console, (("column", "left"), *_BOUNDS, ("first rows", "left")), [_plain_cells(one) for one in plain])
    for one in facts.columns:
        if one.ndim > 1:
            _print_jagged(console, one, facts)


def file_text(facts: FileFacts) -> str:
    """One line on a file."""
    group = "row group" if facts.format == "Parquet" else "record batch"
    plural = "es" if group.endswith("ch") else "s"
    groups = f"{facts.groups:,} {group}{'' if facts.groups == 1 else plural}"
    files = "" if facts.files == 1 else f"{facts.files:,} files, "
    rows = f"{facts.rows:,} row{'' if facts.rows == 1 else 's'}"
    return f"{facts.format}, {files}{rows}, {groups}, {byte_text(facts.bytes)}"


_Heads = Sequence[tuple[str, Literal["left", "right"]]]
_Record = tuple[str, list[tuple[str, Text]]]

_BOUNDS: _Heads = (("type", "left"), ("nulls", "right"), ("min", "right"), ("max", "right"), ("bytes", "right"))
_LEAST = 8
"""Letters that a cell shows at least; where a terminal has less room, a cut number would look like another one."""


def _print_table(console: Console, heads: _Heads, lines: list[list[Text]], records: list[_Record] | None = None) -> None:
    """Print a table; on a terminal that is too narrow for it, print each row as a list of names and cells."""
    table = _table(console, heads, lines)
    widths = _widths(console, table)
    cap = _cap(console, table, widths)
    if cap < min(_LEAST, max(widths)):
        names = [name for name, _ in heads[1:]]
        _print_records(console, records or [(first.plain, list(zip(names, rest, strict=True))) for first, *rest in lines])
        return
    for column, width in zip(table.columns, widths, strict=True):
        column.width = min(width, cap)
    console.print(table)


def _table(console: Console, heads: _Heads, lines: list[list[Text]]) -> Table:
    style = box.SIMPLE_HEAD if console.is_terminal and console.encoding.startswith("utf") else None
    right = 2 if style is None else 1 if console.width >= 100 else 0  # a box already separates columns
    table = Table(box=style, pad_edge=False, padding=(0, right, 0, 0))
    for name, justify in heads:
        table.add_column(Text(name, style="bold"), justify=justify, no_wrap=True, overflow="ellipsis")
    for cells in lines:
        table.add_row(*cells)
    return table


def _widths(console: Console, table: Table) -> list[int]:
    options = console.options.update(max_width=100_000)
    return [max(console.measure(cell, options=options).maximum for cell in [one.header, *one.cells]) for one in table.columns]


def _cap(console: Console, table: Table, widths: list[int]) -> int:
    """Return the width to which the widest columns are cut so that a table fits; rich itself would cut narrow columns, too."""
    options = console.options.update(max_width=100_000)
    room = console.width - (console.measure(table, options=options).maximum - sum(widths))
    cap = max(widths)
    while cap > 1 and sum(min(width, cap) for width in widths) > room:
        cap -= 1
    return cap


def _print_records(console: Console, records: list[_Record]) -> None:
    for label, cells in records:
        console.print(Text(label, style="bold"), soft_wrap=True)
        wide = max((len(name) for name, _ in cells), default=0)
        for name, cell in cells:
            if cell.plain:
                console.print(Text.assemble((f"  {name:<{wide}}  ", "dim"), cell), soft_wrap=True)


def _plain_cells(one: ColumnFacts) -> list[Text]:
    rows = ", ".join(text for _, text in one.examples)
    return [*_cells_of(one, one.leaf), Text(rows)]


def _cells_of(one: ColumnFacts | FieldFacts, type: str) -> list[Text]:
    bounds = (count_text(one.nulls), one.minimum or "", one.maximum or "", byte_text(one.bytes))
    return [Text(cell) for cell in (printable(one.name), type, *bounds)]


def _print_jagged(console: Console, column: ColumnFacts, facts: FileFacts) -> None:
    console.print()
    title = Text.assemble((printable(column.name), "bold cyan"), "  ", (column.type, "cyan"), f"  {byte_text(column.bytes)}")
    if not column.tagged:
        title.append("  (plain lists)", style="dim")
    console.print(title, soft_wrap=True)
    console.print(Text(f"{column.shape}"), soft_wrap=True)
    if column.groups_read < facts.groups:
        console.print(Text(sample_text(column, facts), style="yellow"), soft_wrap=True)
    _print_levels(console, column)
    if column.fields:
        _print_table(console, (("field", "left"), *_BOUNDS), [_cells_of(one, one.type) for one in column.fields])
    _print_examples(console, column)


def _print_examples(console: Console, column: ColumnFacts) -> None:
    width = max((len(f"{row:,}") for row, _ in column.examples), default=0)
    last = -1
    for row, text in column.examples:
        if row > last + 1:
            console.print(Text(f"{'':>{width + 4}}  ...", style="dim"))
        line = Text.assemble((f"row {row:>{width},}", "bold"), f"  {text}")
        console.print(line, no_wrap=True, overflow="ellipsis")
        last = row


def sample_text(column: ColumnFacts, facts: FileFacts) -> str:
    """Describe the part that was read of a column that is too large to read completely."""
    return f"sizes and nulls of {column.groups_read:,} of {facts.groups:,} row groups, spread over the file; --all reads all"


LEVEL_HEADS = ("dim", "rows", "items", "min", "median", "mean", "max", "empty", "null")


def level_cells(level: Level) -> list[str]:
    """Return the cells below `LEVEL_HEADS` of a dim."""
    numbers = [number_text(value) for value in (level.minimum, level.median, level.mean, level.maximum)]
    return [str(level.dim), f"{level.rows:,}", f"{level.items:,}", *numbers, f"{level.empty:,}", f"{level.nulls:,}"]


def _print_levels(console: Console, column: ColumnFacts) -> None:
    blocks = _BLOCKS if console.encoding.startswith("utf") else _ASCII
    # The title shows the type of the leaves.
    bounds = Text(leaf_name(column) if column.minimum is None else f"{column.minimum} to {column.maximum}")
    leaf = [Text(cell) for cell in ("leaf", f"{column.values:,}", "", "", "", "", "", "", count_text(column.null_values))]
    cells = [[Text(cell) for cell in level_cells(one)] for one in column.levels]
    heads: _Heads = (*((name, "right") for name in LEVEL_HEADS), ("items per row", "left"))

    def lines(*, ends: bool) -> list[list[Text]]:
        sizes = [Text(level_text(one, blocks, ends=ends), style="cyan") for one in column.levels]
        return [*([*one, size] for one, size in zip(cells, sizes, strict=True)), [*leaf, bounds]]

    found = lines(ends=True)
    table = _table(console, heads, found)
    widths = _widths(console, table)
    if _cap(console, table, widths) < widths[-1]:  # the columns min and max show the ends, too
        found = lines(ends=False)
    names = [name for name, _ in heads[1:]]
    records: list[_Record] = [(f"dim {one[0].plain}", list(zip(names, one[1:], strict=True))) for one in found[:-1]]
    named = [("values", leaf[1]), ("null", leaf[-1]), ("type" if column.minimum is None else "range", bounds)]
    _print_table(console, heads, found, [*records, ("leaf", named)])


def leaf_name(column: ColumnFacts) -> str:
    """The leaf type, short where it is a struct."""
    n = len(column.fields)
    return f"structs of {n} field{'s' * (n > 1)}" if n else column.leaf


def level_text(level: Level, blocks: str = _BLOCKS, *, ends: bool = True) -> str:
    """The sizes of one dim as a line: a histogram, with `ends` between its bounds."""
    if level.minimum is None:
        return "null rows only" if level.rows else "no rows"
    if level.minimum == level.maximum:
        declared = " (declared)" if level.extent is not None else ""
        return f"all {level.minimum:,}{declared}"
    scale = " (log)" if is_doubling(level.histogram) else ""
    bars = bar_text(level.histogram, blocks)
    return f"{level.minimum:,} {bars} {level.maximum:,}{scale}" if ends else f"{bars}{scale}"


def is_doubling(bins: list[Bin]) -> bool:
    """Whether the bins of a histogram get wider."""
    widths = [one.last - one.first for one in bins[:-1]]
    return len(set(widths)) > 1


def bar_text(bins: list[Bin], blocks: str = _BLOCKS) -> str:
    """Bins as block characters: a bin with any row shows at least the lowest block, an empty one a blank."""
    top = max((one.rows for one in bins), default=0)
    return "".join(blocks[-(-one.rows * len(blocks) // top) - 1] if one.rows else " " for one in bins)


# ------------------------------------------------------------------------------------------------- numbers


def count_text(count: int | None) -> str:
    """Format a count with separators, or a question mark if the file lacks it."""
    return "?" if count is None else f"{count:,}"


def number_text(value: float | None) -> str:
    """A size or a mean with at most two decimals."""
    if value is None:
        return ""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def byte_text(size: int) -> str:
    """Bytes in the unit that keeps three digits."""
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{size} B" if unit == "B" else f"{amount:.3g} {unit}" if amount < 999.5 else f"{amount:.0f} {unit}"
