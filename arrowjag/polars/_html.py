"""HTML of `.jag` on frames and Series in notebooks."""

from __future__ import annotations

import polars as pl

from arrowjag._column import Column
from arrowjag._formatting import shown_rows
from arrowjag._frame_html import FrameColumn, frame_html
from arrowjag._html import count_text
from arrowjag.errors import JagError
from arrowjag.polars._convert import from_series

__all__ = ["frame_repr"]


def frame_repr(frame: pl.DataFrame, kind: str) -> str:
    """Format head and tail of a frame as HTML; jagged rows as arrays show them.

    Parameters
    ----------
    frame : pl.DataFrame
        The frame.
    kind : str
        What the title calls it.

    Returns
    -------
    str
        Only the shown rows are converted.
    """
    rows = shown_rows(frame.height)
    head = frame[[row for row in rows if row is not None]]
    columns = [FrameColumn(one.name, _dtype_text(one.dtype), _rows(one)) for one in head]
    title = f"{kind} of {count_text(frame.height, 'row')}"
    if kind == "DataFrame":
        title += f" and {count_text(frame.width, 'column')}"
    return frame_html(title, columns, [None if row is None else str(row) for row in rows])


def _dtype_text(dtype: pl.DataType) -> str:
    return dtype._string_repr() if isinstance(dtype, pl.BaseExtension) else str(dtype)


def _rows(series: pl.Series) -> Column | list[str]:
    try:
        return from_series(series)
    except (JagError, ValueError, TypeError):  # Python objects
        return [str(one) for one in series]
