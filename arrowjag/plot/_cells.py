"""Pictures of rows: one cell per value for few rows, bins of rows and positions for many."""

from __future__ import annotations

import decimal
import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.types as pt

from arrowjag import _arrow, _formatting
from arrowjag._array.base import as_column
from arrowjag._column import Column, row_validity
from arrowjag._html import count_text
from arrowjag._ops import structure
from arrowjag.errors import JagValueError, brief
from arrowjag.plot import _canvas

__all__ = ["Cell", "colours", "draw_cells", "letter_scale", "row_cells", "rows"]

MOST_ROWS = 40
MOST_CELLS = 60
MOST_LETTERS = 6
ROOMY, NARROW = 0.16, 0.12
"""Inches of a cell whose text has its full size, and of the smallest cell that has text."""
LABEL_POINTS = 9
"""The height of the number of a row."""
GAP = 0.35
TALL, WIDE = 200, 160


@dataclass(frozen=True)
class Cell:
    """One square: a leaf, or a placeholder (`empty`, `null`, `more`)."""

    x: float
    kind: str
    leaf: int = -1


ROW_COLOURS = ("#8fb3f0", "#f4b96f", "#8ed1b2", "#e2a1c6", "#c3b3ee", "#d8d07a", "#9cd3e6", "#e8a39a")
"""Colours of rows, in turn: black text is readable on each, and neighbours differ for any kind of colour vision."""


def rows(column: Column, ax: Any, color_by: Any = "value") -> Any:
    """Rows from top to bottom: cells where they are few, otherwise how far the rows of each bin reach."""
    _canvas.check_rows(column, "plot.rows")
    n = column.shape.nodes(1)
    dim = column.shape.composed(1, column.ndim) if column.ndim > 1 else None
    if n <= MOST_ROWS:
        ax = _canvas.axes(ax, 8.0, 0.8 + 0.28 * max(n, 3))
        lines = [row_cells(column, row, MOST_CELLS) for row in range(n)]
        _draw_lines(column, lines, ax, _fill(column, color_by))
        _canvas.bare(ax, _rows_title(column))
        return ax
    ax = _canvas.axes(ax, 8.0, 4.2)
    found = np.ones(n, np.int64) if dim is None else dim.sizes
    image, height, width = reach(found)
    shown = ax.imshow(
        np.where(image > 0, image, np.nan),
        aspect="auto",
        extent=(0, width, n, 0),
        cmap=shades(),
        vmin=0,
        vmax=1,
        interpolation="nearest",
    )
    per = f" ({height:,} rows per line)" if height > 1 else ""
    _canvas.tidy(ax, _rows_title(column), "place of the value in its row", f"row{per}")
    _canvas.thousands(ax.xaxis)
    _canvas.thousands(ax.yaxis)
    if height > 1:
        bar = ax.figure.colorbar(shown, ax=ax, pad=0.02)
        bar.set_label("share of the rows that reach here")
        bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return ax


def reach(sizes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], int, int]:
    """Return the share of rows with a value, per bin of rows and positions; also the rows per bin and the number of positions."""
    n, longest = len(sizes), max(1, int(sizes.max(initial=0)))
    height, width = -(-n // TALL), -(-longest // WIDE)
    tall, wide = -(-n // height), -(-longest // width)
    last = np.minimum(-(-sizes // width), wide)
    ends = np.bincount((np.arange(n) // height) * (wide + 1) + last, minlength=tall * (wide + 1)).reshape(tall, wide + 1)
    longer = ends[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    count = np.bincount(np.arange(n) // height, minlength=tall)
    return longer / count[:, None], height, wide * width


def shades() -> Any:
    """From pale to dark, as the cells of few rows."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("arrowjag", ["#dfe9f8", _canvas.BAR, "#14336b"])


def _rows_title(column: Column) -> str:
    n = column.shape.nodes(1)
    valid = row_validity(column, 1) if column.ndim > 1 else None
    nulls = 0 if valid is None else len(valid) - int(np.count_nonzero(valid))
    unknown = column.values.null_count
    leaves = f"{count_text(column.shape.size, 'value')}{f' ({unknown:,} null)' if unknown else ''}"
    missing = [count_text(nulls, "null row")] if nulls else []
    return ", ".join([count_text(n, "row"), leaves, *missing])


# ------------------------------------------------------------------------------------------------- cells


def row_cells(column: Column, row: int, most: int) -> list[Cell]:
    """Return the cells of a row, left to right; inner rows are separated."""
    cells: list[Cell] = []
    _lay(column, 1, row, 0.0, most, cells)
    return cells


def _lay(column: Column, depth: int, place: int, x: float, most: int, cells: list[Cell]) -> float:
    """Place an item at `x`, and return the start of the next one."""
    if depth == column.ndim:
        cells.append(Cell(x, "leaf", place))
        return x + 1
    valid = row_validity(column, depth)
    if valid is not None and not valid[place]:
        cells.append(Cell(x, "null"))
        return x + 1
    dim = column.shape.dims[depth]
    start, stop = dim.offset_of(place), dim.offset_of(place + 1)
    if start == stop:
        cells.append(Cell(x, "empty"))
        return x + 1
    inner = depth + 1 < column.ndim
    for one in range(start, stop):
        if len(cells) >= most:
            if cells[-1].kind != "more":
                cells.append(Cell(x, "more"))
            return x + 1
        if inner and one > start:
            x += GAP * (column.ndim - depth - 1)
        x = _lay(column, depth + 1, one, x, most, cells)
    return x


def _draw_lines(column: Column, lines: list[list[Cell]], ax: Any, fill: Any) -> None:
    longest = max((line[-1].x + 1 for line in lines if line), default=1)
    scale = letter_scale(ax, max(longest, 6) + 1.7, max(len(lines), 1) + 0.2) if sum(map(len, lines)) <= 120 else 0.0
    apart = _labels_apart(ax, len(lines))
    for row, line in enumerate(lines):
        for cell in line:
            draw_cells(ax, column, cell, row, fill, scale)
        if row % apart == 0:
            ax.text(-0.35, row + 0.5, f"{row}", ha="right", va="center", color=_canvas.EMPTY, fontsize="small")
    ax.set_xlim(-1.2, max(longest, 6) + 0.5)
    ax.set_ylim(max(len(lines), 1) + 0.1, -0.1)
    if not lines:
        ax.text(0.5, 0.5, "no rows", transform=ax.transAxes, ha="center", va="center", color=_canvas.EMPTY)
    if scale:
        ax.set_aspect("equal", adjustable="box")


def _labels_apart(ax: Any, n: int) -> int:
    """Return how many rows apart their numbers are written, so that numbers of low rows don't cover each other."""
    points = max(float(ax.get_window_extent().height / ax.figure.dpi) * 72, 1.0)
    return max(1, math.ceil(LABEL_POINTS * n / points))


def letter_scale(ax: Any, across: float, down: float) -> float:
    """Return the factor of the text size that fits into cells, from their numbers across and down; 0 if it could not be read."""
    room = ax.get_window_extent()
    inches = min(room.width / across, room.height / down) / ax.figure.dpi
    return 0.0 if inches < NARROW else min(1.0, float(inches) / ROOMY)


def draw_cells(ax: Any, column: Column, cell: Cell, y: float, fill: Any, scale: float) -> None:
    """Draw one cell and its text; a scale of 0 leaves the text out."""
    from matplotlib.patches import Rectangle

    box = (cell.x + 0.04, y + 0.08)
    middle = (cell.x + 0.5, y + 0.5)
    if cell.kind == "more":
        ax.text(cell.x + 0.2, y + 0.5, "…", ha="left", va="center")
    elif cell.kind == "leaf":
        null = not column.values[cell.leaf].is_valid
        colour = "none" if null else fill(cell.leaf)
        edge = {"edgecolor": _canvas.NULL, "linestyle": ":", "linewidth": 1.2} if null else {"edgecolor": "none"}
        ax.add_patch(Rectangle(box, 0.92, 0.84, facecolor=colour, **edge))
        if scale:
            shown = "null" if null else short(column, cell.leaf)
            ink = _canvas.NULL if null else _ink(colour)
            ax.text(*middle, shown, ha="center", va="center", fontsize=_size(shown) * scale, color=ink, clip_on=True)
    else:
        null = cell.kind == "null"
        colour = _canvas.NULL if null else _canvas.EMPTY
        ax.add_patch(Rectangle(box, 0.92, 0.84, facecolor="none", edgecolor=colour, linestyle="--" if null else "-", linewidth=1))
        if not scale:
            return
        shown = "null\nrow" if null else "[ ]"
        size, spacing = (5.5, 0.95) if null else (8.0, 1.0)  # both words fit into the box
        ax.text(*middle, shown, ha="center", va="center", fontsize=size * scale, linespacing=spacing, color=colour)


def short(column: Column, leaf: int) -> str:
    """A leaf in the few letters of a cell; dates have several lines, and long numbers fewer digits."""
    value = column.values[leaf].as_py()
    shown = _formatting.leaf_text(value).strip("'\"")
    if pt.is_date(column.type) or pt.is_timestamp(column.type):
        return _date_lines(shown)
    if isinstance(value, (int, float, decimal.Decimal)) and not (isinstance(value, int) and len(shown) <= MOST_LETTERS):
        return _short_number(value)
    return _canvas.literal(shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 1]}…")


def _short_number(value: Any) -> str:
    """A number in few letters, rounded: one that is cut at its end would look like another number."""
    forms = (".3g", ".0f", ".2g") if abs(value) >= 1 else (".3g", ".2g")
    texts = [format(value, form) for form in forms]
    return next((text for text in texts if len(text) <= MOST_LETTERS), format(value, ".1g"))


_DATE = re.compile(r"(\d{4}-)(\d\d-\d\d)(?: (\d\d:\d\d))?")


def _date_lines(shown: str) -> str:
    """The text of a date or timestamp in narrow lines: the year, month and day, and the time of day to the minute."""
    found = _DATE.match(shown)
    return shown[:6] if found is None else "\n".join(part for part in found.groups() if part not in (None, "00:00"))


def _size(shown: str) -> float:
    return {1: 9.0, 2: 9.0, 3: 8.0, 4: 7.0}.get(len(shown), 5.5)


def colours(column: Column) -> Any:
    """Return one colour per leaf: by value for numbers, otherwise the same for all."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    blues = colormaps["Blues"]
    try:
        key, valid = _arrow.order_key(column.values, "plot")
    except TypeError:
        return lambda leaf: blues(0.35)
    known = key if valid is None else key[valid]
    known = known[np.isfinite(known)] if known.dtype.kind == "f" else known
    if len(known) == 0 or known.dtype.kind not in "iufb":
        return lambda leaf: blues(0.35)
    scale = Normalize(float(known.min()), float(known.max()) if known.max() > known.min() else float(known.min()) + 1)
    return lambda leaf: blues(0.15 + 0.7 * min(1.0, max(0.0, _finite(scale(float(key[leaf]))))))


def _fill(column: Column, color_by: Any) -> Any:
    """A function from the position of a leaf to its colour."""
    if isinstance(color_by, str):
        if color_by == "value":
            return colours(column)
        if color_by != "row":
            raise JagValueError(f"rows: color_by must be 'value', 'row' or an array of integers, got {brief(color_by)}")
        number = np.arange(column.shape.nodes(1)) if column.ndim == 1 else column.shape.composed(1, column.ndim).parents
    else:
        spread = structure.align([as_column(color_by), column], "color_by")[0]
        number = _arrow.to_numpy(spread.values)[0]
    return lambda leaf: ROW_COLOURS[int(number[leaf]) % len(ROW_COLOURS)]


def _finite(value: Any) -> float:
    number = float(value)
    return number if np.isfinite(number) else 0.5


def _ink(colour: Any) -> str:
    """Black or white, whichever can be read on a colour."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"
