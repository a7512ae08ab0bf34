"""Text of jagged rows in the tables that pandas prints, in terminals and notebooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from arrowjag._formatting import styled
from arrowjag.pandas.row import Row

__all__ = ["row_formatter"]

_WIDEST = 110
"""Characters of a cell if the column width is unlimited; pandas would print the whole row."""
_NARROWEST = 11


def row_formatter() -> Callable[[Any], str]:
    """Return the function that formats one cell, with the display options of pandas at this moment.

    Returns
    -------
    callable
        A row has its head and tail, less than ``display.max_colwidth`` characters and ``display.max_seq_items`` items per list;
        floats have ``display.precision`` significant digits and at least one decimal, or are formatted by
        ``display.float_format``.
    """
    width = pd.get_option("display.max_colwidth")
    # pandas puts a blank before the text, and would cut what is one character too wide in the middle of an item.
    limit = _WIDEST if width is None else max(int(width) - 1, _NARROWEST)
    items = pd.get_option("display.max_seq_items")
    number = pd.get_option("display.float_format")
    style: dict[str, Any] = {"digits": max(int(pd.get_option("display.precision")), 1), "number": number}
    if items is not None:
        style["items"] = max(int(items) // 2, 1)

    def cell(value: Any) -> str:
        if not isinstance(value, Row):
            return str(value)
        with styled(**style):
            return value._cell(limit)

    return cell
