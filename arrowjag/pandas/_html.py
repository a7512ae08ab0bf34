"""HTML of `.jag` on frames and Series in notebooks."""

from __future__ import annotations

import pandas as pd

from arrowjag._formatting import FrameColumn, frame_html, rows_or_text, shown_rows
from arrowjag.pandas._convert import as_array

__all__ = ["frame_repr"]


def frame_repr(frame: pd.DataFrame, kind: str) -> str:
    """Format head and tail of a frame as HTML, jagged rows as arrays show them; only the shown rows are converted."""
    rows = shown_rows(len(frame))
    head = frame.iloc[[row for row in rows if row is not None]]
    columns = [FrameColumn(name, str(one.dtype), rows_or_text(as_array, one)) for name, one in head.items()]
    labels = iter(map(str, head.index))
    return frame_html(kind, frame.shape, columns, [None if row is None else next(labels) for row in rows])
