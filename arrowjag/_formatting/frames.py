"""HTML of frames for notebooks: the head and tail of the rows, rows of structs as small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow.types as pt

from arrowjag._column import Column, row_validity
from arrowjag._formatting.columns import leaf_text, row_text, shown_rows
from arrowjag._html import count_text, escape, row_html, section
from arrowjag.errors import JagError

__all__ = ["FrameColumn", "frame_html", "rows_or_text"]

_FRAME_COLUMNS = 10
"""Columns of a frame that are shown at either end."""
_CELL_WIDTH = 60
_CELL_ROWS = 2
"""Items of a cell with structs that are shown at either end."""


class FrameColumn:
    """A column of a frame whose shown rows are given.

    Parameters
    ----------
    name : object
        The name of the column.
    type : str
        The name of its dtype in the frame.
    rows : Column or sequence
        The shown rows: a column of Arrow data, or values that are shown as text.
    """

    __slots__ = ("name", "rows", "type")

    def __init__(self, name: Any, type: str, rows: Column | Sequence[Any]) -> None:
        self.name = str(name)
        self.type = type
        self.rows = rows

    def cell(self, row: int) -> str:
        """Format one row as a table cell."""
        if not isinstance(self.rows, Column):
            text = str(self.rows[row])
            return f"<td>{escape(text if len(text) <= _CELL_WIDTH else f'{text[: _CELL_WIDTH - 3]}...')}</td>"
        column = self.rows
        if column.ndim == 2 and pt.is_struct(column.type):
            return f"<td>{_structs_html(column, row)}</td>"
        shown = row_text(column, row, _CELL_WIDTH)
        kind = ' class="null"' if shown == "null" else ""
        number = ' class="number"' if column.ndim == 1 and (pt.is_integer(column.type) or pt.is_floating(column.type)) else ""
        return f"<td{number}><code{kind}>{row_html(shown)}</code></td>"


def rows_or_text(convert: Callable[[Any], Column], series: Iterable[Any]) -> Column | list[str]:
    """Convert the rows of a series by its host's door; Python objects without an Arrow type become text."""
    try:
        return convert(series)
    except (JagError, ValueError, TypeError):
        return [str(one) for one in series]


def frame_html(kind: str, shape: tuple[int, int], columns: Sequence[FrameColumn], labels: Sequence[str | None]) -> str:
    """Format the shown rows of a frame; a label of None marks omitted rows.

    Parameters
    ----------
    kind : str
        "DataFrame" or "Series", for the title.
    shape : tuple of int
        The numbers of rows and columns, for the title.
    columns : sequence of FrameColumn
        The columns, each with one row per label that is not None.
    labels : sequence of str or None
        The labels of the shown rows.
    """
    title = f"{kind} of {count_text(shape[0], 'row')}"
    if kind == "DataFrame":
        title += f" and {count_text(shape[1], 'column')}"
    shown = [None if at is None else columns[at] for at in shown_rows(len(columns), _FRAME_COLUMNS)]
    heads = "".join(
        '<th scope="col">&hellip;</th>'
        if one is None
        else f'<th scope="col"><b>{escape(one.name)}</b><br><code class="quiet">{escape(one.type)}</code></th>'
        for one in shown
    )
    lines, row = [], 0
    for label in labels:
        if label is None:
            lines.append(f'<tr class="quiet"><th scope="row">&#8942;</th>{"<td></td>" * len(shown)}</tr>')
            continue
        cells = "".join("<td></td>" if one is None else one.cell(row) for one in shown)
        lines.append(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>')
        row += 1
    table = f'<table class="frame"><thead><tr><th></th>{heads}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    return section(f"<b>{escape(title)}</b>", table)


def _structs_html(column: Column, row: int) -> str:
    """Format a row of structs as a small table: one column per field, the first and last items."""
    validity = row_validity(column, 1)
    if validity is not None and not validity[row]:
        return '<code class="null">null</code>'
    dim = column.shape.dims[1]
    start, stop = dim.offset_of(row), dim.offset_of(row + 1)
    fields = [column.type.field(at).name for at in range(column.type.num_fields)]
    if start == stop:
        return "<code>[]</code>"
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in fields)
    lines = []
    for at in shown_rows(stop - start, _CELL_ROWS):
        if at is None:
            lines.append(f'<tr class="quiet"><td colspan="{max(len(fields), 1)}">&#8942; {stop - start:,} items</td></tr>')
            continue
        item = column._stored[start + at]
        if not item.is_valid:
            lines.append(f'<tr><td class="null" colspan="{max(len(fields), 1)}"><code class="null">null</code></td></tr>')
            continue
        values = [leaf_text(item[place].as_py()) for place in range(len(fields))]
        lines.append(f"<tr>{''.join(f'<td><code>{row_html(one)}</code></td>' for one in values)}</tr>")
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
