"""A shape as a tree of brackets, and two arrays side by side with equal values in equal colours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arrowjag._column import Column, row_validity
from arrowjag.plot import _canvas, _cells

__all__ = ["compare", "shape"]

MOST_LEAVES = 26
MOST_CHILDREN = 8
CELLS_PER_LETTER = 0.22
"""The width of a letter of a title, in cells of `compare`."""


@dataclass
class Node:
    """One item of the tree: the start and end of its bracket, its kind and its content."""

    kind: str
    depth: int
    left: float
    right: float = 0.0
    size: int = 0
    place: int = -1
    children: list[Node] = field(default_factory=list)


def shape(column: Column, ax: Any) -> Any:
    """Brackets from the whole array at the top down to the values, each with the number of its items."""
    root, end = _plant(column, 0, 0, 0.0, [MOST_LEAVES])
    ax = _canvas.axes(ax, min(14.0, max(5.0, 0.42 * end + 1.6)), 1.1 + 0.75 * (column.ndim + 1))
    scale = _cells.letter_scale(ax, max(end, 4) + 2.6, column.ndim + 1.35)
    _draw(ax, column, root, _cells.colours(column), scale)
    for depth in range(column.ndim + 1):
        label = "values" if depth == column.ndim else f"dim {depth}"
        ax.text(-0.5, -depth - (0.28 if depth < column.ndim else 0.42), label, ha="right", va="center", color=_canvas.EMPTY)
    ax.set_xlim(-2.4, max(end, 4) + 0.2)
    ax.set_ylim(-column.ndim - 1.0, 0.35)
    _canvas.bare(ax, f"{column.shape!r}: the number in a bracket is how many items it holds")
    return ax


def _plant(column: Column, depth: int, place: int, x: float, room: list[int]) -> tuple[Node, float]:
    """Return the tree of one item that starts at `x`, and the start of the next; `room` is the number of leaves still to draw."""
    if depth == column.ndim:
        room[0] -= 1
        return Node("leaf", depth, x, x + 1, place=place), x + 1
    valid = row_validity(column, depth) if depth else None
    dim = column.shape.dims[depth]
    start, stop = dim.offset_of(place), dim.offset_of(place + 1)
    node = Node("row", depth, x, size=stop - start)
    if (valid is not None and not valid[place]) or start == stop:
        node.kind = "null" if valid is not None and not valid[place] else "empty"
        node.right = x + 1
        room[0] -= 1
        return node, x + 1
    for one in range(start, stop):
        inner = depth + 1 < column.ndim
        if room[0] <= 0 or (inner and one - start >= MOST_CHILDREN and stop - start > MOST_CHILDREN + 1):
            node.children.append(Node("more", depth + 1, x, x + 0.8))
            x += 0.8
            break
        child, x = _plant(column, depth + 1, one, x, room)
        node.children.append(child)
        x += 0.3 if inner and one + 1 < stop else 0
    node.right = x
    return node, x


def _draw(ax: Any, column: Column, node: Node, fill: Any, scale: float) -> None:
    top, middle = -float(node.depth), (node.left + node.right) / 2
    if node.kind == "leaf":
        cell = _cells.Cell(node.left, "leaf", node.place)
        _cells.draw_cells(ax, column, cell, top - 0.92, fill, scale)
        return
    if node.kind == "more":
        ax.text(middle, top - 0.3, "…", ha="center", va="center")
        return
    colour = {"null": _canvas.NULL, "empty": _canvas.EMPTY}.get(node.kind, _canvas.BAR)
    left, right, foot = node.left + 0.06, node.right - 0.06, top - 0.5
    style = ":" if node.kind == "null" else "-"
    ax.plot(
        [left, left, right, right],
        [foot, top - 0.28, top - 0.28, foot],
        color=colour,
        linewidth=1.8,
        linestyle=style,
        clip_on=False,
    )
    label = "null" if node.kind == "null" else f"{node.size:,}"
    paper = {"boxstyle": "round,pad=0.15", "facecolor": ax.get_facecolor(), "edgecolor": "none"}
    ax.text(middle, top - 0.28, label, ha="center", va="center", color=colour, fontsize=9, fontweight="bold", bbox=paper)
    for child in node.children:
        _draw(ax, column, child, fill, scale)


# ------------------------------------------------------------------------------------------------- before and after


def compare(before: Column, after: Column, titles: tuple[str, str], ax: Any) -> Any:
    """Two arrays of cells beside each other; equal values have equal colours."""
    for one in (before, after):
        _canvas.check_rows(one, "compare")
    both = [[_cells.row_cells(one, row, _cells.MOST_CELLS) for row in _few(one)] for one in (before, after)]
    # A title wider than its picture gets its room: the titles would overlap, and the layout would shrink both pictures for them.
    widths = [
        max([CELLS_PER_LETTER * len(title), 1.0, *(line[-1].x + 1 for line in lines if line)])
        for lines, title in zip(both, titles, strict=True)
    ]
    tall = max(len(lines) for lines in both)
    ax = _canvas.axes(ax, min(14.0, 0.45 * (sum(widths) + 4)), min(12.0, 1.0 + 0.45 * tall))
    paint = _palette(before, after)
    scale = _cells.letter_scale(ax, sum(widths) + 4.5, tall + 1.6)
    start = 0.0
    for column, lines, width, title, fill in zip((before, after), both, widths, titles, paint, strict=True):
        for row, line in enumerate(lines):
            for cell in line:
                moved = _cells.Cell(cell.x + start, cell.kind, cell.leaf)
                _cells.draw_cells(ax, column, moved, row, fill, scale)
            ax.text(start - 0.25, row + 0.5, f"{row}", ha="right", va="center", color=_canvas.EMPTY, fontsize="small")
        ax.text(start, -0.45, title, ha="left", va="center")
        if not lines:
            ax.text(start, 0.5, "no rows", va="center", color=_canvas.EMPTY)
        if column.shape.nodes(1) > len(lines):
            ax.text(
                start, len(lines) + 0.3, f"… {column.shape.nodes(1) - len(lines):,} more rows", va="center", color=_canvas.EMPTY
            )
        start += width + 3
    arrow = {"arrowstyle": "-|>", "color": _canvas.EMPTY, "linewidth": 1.5}
    y = max(0.5, min(len(lines) for lines in both) / 2)
    ax.annotate("", xy=(widths[0] + 2.1, y), xytext=(widths[0] + 0.6, y), arrowprops=arrow)
    ax.set_xlim(-1, start - 2.5)
    ax.set_ylim(tall + 0.6, -1)
    ax.set_aspect("equal", adjustable="box")
    _canvas.bare(ax, "")
    return ax


def _few(column: Column) -> range:
    return range(min(column.shape.nodes(1), _cells.MOST_ROWS // 2))


def _palette(before: Column, after: Column) -> list[Any]:
    """Colours by value, the same in both arrays; the innermost row of `before` that holds a value first gives its hue."""
    from matplotlib import colormaps

    hues = colormaps["tab10"]
    known: dict[Any, Any] = {}
    parents = before.shape.dims[-1].parents if before.ndim > 1 else range(before.shape.size)
    for leaf in range(min(before.shape.size, 2000)):
        known.setdefault(_key(before, leaf), hues(int(parents[leaf]) % 10))

    def painter(column: Column) -> Any:
        return lambda leaf: _lighter(known.get(_key(column, leaf), (0.8, 0.8, 0.8, 1.0)))

    return [painter(before), painter(after)]


def _key(column: Column, leaf: int) -> Any:
    """Return a key that is equal for equal values; an integer equals a float, which operations turn it into."""
    value = column.values[leaf].as_py()
    return value if isinstance(value, (int, float)) else repr(value)


def _lighter(colour: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(0.45 * part + 0.55 for part in colour[:3])
