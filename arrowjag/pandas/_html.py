"""HTML of `.jag` on frames and Series in notebooks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from arrowjag._column import Column
from arrowjag._formatting import shown_rows
from arrowjag._frame_html import FrameColumn, frame_html
from arrowjag._html import count_text
from arrowjag.errors import JagError
from arrowjag.pandas._convert import as_array

__all__ = ["frame_repr"]


def frame_repr(frame: pd.DataFrame, kind: str) -> str:
    """Format head and tail of a frame as HTML; jagged rows as arrays show them.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame.
    kind : str
        What the title calls it.

    Returns
    -------
    str
        Only the shown rows are converted.
    """
    rows = shown_rows(len(frame))
    head = frame.iloc[[row for row in rows if row is not None]]
    columns = [FrameColumn(name, str(one.dtype), _rows(one)) for name, one in head.items()]
    labels = iter(map(str, head.index))
    title = f"{kind} of {count_text(len(frame), 'row')}"
    if kind == "DataFrame":
        title += f" and {count_text(frame.shape[1], 'column')}"
    return frame_html(title, columns, [None if row is None else next(labels) for row in rows])


def _rows(series: pd.Series[Any]) -> Column | list[str]:
    try:
        return as_array(series)
    except (JagError, ValueError, TypeError):  # Python objects without an Arrow type
        return [str(one) for one in series]
