"""Text and HTML of columns and frames, at any size: `columns` shows one column, `frames` the rows of several."""

from arrowjag._formatting.columns import array_html, cell_text, leaf_text, printable, row_text, shown_rows, styled, text
from arrowjag._formatting.frames import FrameColumn, frame_html, rows_or_text

__all__ = [
    "FrameColumn",
    "array_html",
    "cell_text",
    "frame_html",
    "leaf_text",
    "printable",
    "row_text",
    "rows_or_text",
    "shown_rows",
    "styled",
    "text",
]
