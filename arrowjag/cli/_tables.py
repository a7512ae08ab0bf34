"""Facts of a file on the terminal: tables for people, plain lines for pipes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arrowjag.cli._facts import Bin, ColumnFacts, FileFacts, Level

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
    console.print(Text.assemble((facts.path, "bold"), f"  {file_text(facts)}"), no_wrap=True, overflow="ellipsis")
    plain = [one for one in facts.columns if one.ndim == 1]
    if plain:
        console.print()
        console.print(_plain_table(console, plain))
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


def _table(console: Console, *columns: tuple[str, str], title: str = "") -> Table:
    style = box.SIMPLE_HEAD if console.is_terminal and console.encoding.startswith("utf") else None
    right = 2 if style is None else 1 if console.width >= 100 else 0  # a box already separates columns
    table = Table(box=style, title=title or None, title_justify="left", title_style="", pad_edge=False, padding=(0, right, 0, 0))
    for name, justify in columns:
        table.add_column(Text(name, style="bold"), justify=justify, no_wrap=True, overflow="ellipsis")  # type: ignore[arg-type]
    return table


def _fitted(console: Console, table: Table) -> Table:
    """Shorten the widest columns to one width until the table fits; rich itself would shorten narrow columns, too."""
    options = console.options.update(max_width=100_000)
    widths = [max(console.measure(cell, options=options).maximum for cell in [one.header, *one.cells]) for one in table.columns]
    room = console.width - (console.measure(table, options=options).maximum - sum(widths))
    cap = max(widths)
    while cap > 1 and sum(min(width, cap) for width in widths) > room:
        cap -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = min(width, cap)
    return table


def _name(text: str) -> str:
    """Escape control characters in a name from a file, as Python's repr does."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def _plain_table(console: Console, columns: Iterable[ColumnFacts]) -> Table:
    heads = [("column", "left"), ("type", "left"), ("nulls", "right"), ("min", "right"), ("max", "right"), ("bytes", "right")]
    table = _table(console, *heads, ("first rows", "left"))
    for one in columns:
        rows = ", ".join(text for _, text in one.examples)
        cells = [_name(one.name), one.leaf, count_text(one.nulls), one.minimum or "", one.maximum or "", byte_text(one.bytes), rows]
        table.add_row(*(Text(cell) for cell in cells))
    return _fitted(console, table)


def _print_jagged(console: Console, column: ColumnFacts, facts: FileFacts) -> None:
    console.print()
    title = Text.assemble((_name(column.name), "bold cyan"), "  ", (column.type, "cyan"), f"  {byte_text(column.bytes)}")
    if not column.tagged:
        title.append("  (plain lists)", style="dim")
    console.print(title, no_wrap=True, overflow="ellipsis")
    console.print(Text(f"{column.shape}"), no_wrap=True, overflow="ellipsis")
    if column.groups_read < facts.groups:
        console.print(Text(sample_text(column, facts), style="yellow"))
    console.print(_level_table(console, column))
    if column.fields:
        console.print(_field_table(console, column))
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


def _level_table(console: Console, column: ColumnFacts) -> Table:
    table = _table(console, *((name, "right") for name in LEVEL_HEADS), ("items per row", "left"))
    blocks = _BLOCKS if console.encoding.startswith("utf") else _ASCII
    for one in column.levels:
        table.add_row(*level_cells(one), Text(level_text(one, blocks), style="cyan"))
    leaves = ["leaf", f"{column.values:,}", "", "", "", "", "", "", count_text(column.null_values)]
    bounds = f"{column.minimum} to {column.maximum}"
    table.add_row(*leaves, Text(leaf_name(column) if column.minimum is None else bounds))  # the title shows the type
    return _fitted(console, table)


def leaf_name(column: ColumnFacts) -> str:
    """The leaf type, short where it is a struct."""
    n = len(column.fields)
    return f"structs of {n} field{'s' * (n > 1)}" if n else column.leaf


def level_text(level: Level, blocks: str = _BLOCKS) -> str:
    """The sizes of one dim as a line: a histogram between its bounds."""
    if level.minimum is None:
        return "no rows"
    if level.minimum == level.maximum:
        declared = " (declared)" if level.extent is not None else ""
        return f"all {level.minimum:,}{declared}"
    scale = " (log)" if is_doubling(level.histogram) else ""
    return f"{level.minimum:,} {bar_text(level.histogram, blocks)} {level.maximum:,}{scale}"


def is_doubling(bins: list[Bin]) -> bool:
    """Whether the bins of a histogram get wider."""
    widths = [one.last - one.first for one in bins[:-1]]
    return len(set(widths)) > 1


def bar_text(bins: list[Bin], blocks: str = _BLOCKS) -> str:
    """Bins as block characters: a bin with any row shows at least the lowest block, an empty one a blank."""
    top = max((one.rows for one in bins), default=0)
    return "".join(blocks[-(-one.rows * len(blocks) // top) - 1] if one.rows else " " for one in bins)


def _field_table(console: Console, column: ColumnFacts) -> Table:
    heads = (("field", "left"), ("type", "left"), ("nulls", "right"), ("min", "right"), ("max", "right"), ("bytes", "right"))
    table = _table(console, *heads)
    for one in column.fields:
        cells = [_name(one.name), one.type, count_text(one.nulls), one.minimum or "", one.maximum or "", byte_text(one.bytes)]
        table.add_row(*(Text(cell) for cell in cells))
    return _fitted(console, table)


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
