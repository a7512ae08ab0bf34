"""HTML of `.jag` on frames and Series in notebooks."""

from __future__ import annotations

import polars as pl

from arrowjag._formatting import FrameColumn, frame_html, rows_or_text, shown_rows
from arrowjag.polars._convert import from_series

__all__ = ["frame_repr"]


def frame_repr(frame: pl.DataFrame, kind: str) -> str:
    """Format head and tail of a frame as HTML, jagged rows as arrays show them; only the shown rows are converted."""
    rows = shown_rows(frame.height)
    head = frame[[row for row in rows if row is not None]]
    columns = [FrameColumn(one.name, _dtype_text(one.dtype), rows_or_text(from_series, one)) for one in head]
    return frame_html(kind, frame.shape, columns, [None if row is None else str(row) for row in rows])


def _dtype_text(dtype: pl.DataType) -> str:
    return dtype._string_repr() if isinstance(dtype, pl.BaseExtension) else str(dtype)
