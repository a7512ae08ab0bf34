"""Text and HTML of a column: its shape, its type, and the head and tail of its rows, at any size."""

from __future__ import annotations

import html as _html
from typing import Any

from arrowjag._column import Column, row_validity

__all__ = ["html", "item_text", "text"]

_ROWS = 5
_ITEMS = 3
_WIDTH = 110


def text(column: Column) -> str:
    """The repr of an array: one line of facts, then the rows."""
    if column.ndim == 0:
        return f"JaggedArray(scalar of {column.type}): {_leaf(column, 0)}"
    head = f"JaggedArray {column.shape!r} of {column.type}"
    n = column.shape.nodes(1)
    if n == 0:
        return f"{head}\n[]"
    lines = [item_text(column, 1, row, _WIDTH) if row is not None else "..." for row in shown_rows(n)]
    return f"{head}\n[{(',' + chr(10) + ' ').join(lines)}]"


def shown_rows(n: int, limit: int = _ROWS) -> list[int | None]:
    """Row numbers of the head and the tail; None stands for what lies between."""
    if n <= 2 * limit:
        return list(range(n))
    return [*range(limit), None, *range(n - limit, n)]


def item_text(column: Column, depth: int, place: int, width: int = _WIDTH) -> str:
    """One item after the first `depth` dims as text, cut in the middle where it is long."""
    limit = 64
    while True:
        line = _item(column, depth, place, limit)
        if len(line) <= width or limit <= _ITEMS:
            return line if len(line) <= 4 * width else line[: 4 * width] + "..."
        limit = max(_ITEMS, limit // 2)


def _item(column: Column, depth: int, place: int, limit: int) -> str:
    if depth == column.ndim:
        return _leaf(column, place)
    validity = row_validity(column, depth)
    if validity is not None and not validity[place]:
        return "null"
    dim = column.shape.dims[depth]
    start, stop = dim.offset_of(place), dim.offset_of(place + 1)
    places = shown_rows(stop - start, limit)
    parts = ["..." if one is None else _item(column, depth + 1, start + one, limit) for one in places]
    return f"[{', '.join(parts)}]"


def _leaf(column: Column, place: int) -> str:
    value = column._values[place].as_py()
    return leaf_text(value)


def leaf_text(value: Any) -> str:
    """A leaf value as text: six digits of a float, quoted text, `null`."""
    if value is None:
        return "null"
    if isinstance(value, float):
        short = format(value, ".6g")
        return short if any(mark in short for mark in ".en") else f"{short}.0"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {leaf_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (str, bytes)):
        shown = repr(value)
        return shown if len(shown) <= 60 else f"{shown[:57]}..."
    return str(value)


def html(column: Column) -> str:
    """The array as a small table, one row of the frame a line."""
    if column.ndim == 0:
        return f"<pre>{_html.escape(text(column))}</pre>"
    n = column.shape.nodes(1)
    lines = []
    for row in shown_rows(n):
        label = "&hellip;" if row is None else str(row)
        body = "&hellip;" if row is None else _html.escape(item_text(column, 1, row))
        lines.append(
            f'<tr><th scope="row" style="text-align:right">{label}</th><td style="text-align:left"><code>{body}</code></td></tr>'
        )
    head = '<caption style="text-align:left"><b>JaggedArray</b>'
    title = _html.escape(f"{column.shape!r} of {column.type}")
    return f"<table>{head} {title}</caption><tbody>{''.join(lines)}</tbody></table>"
