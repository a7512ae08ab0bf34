"""Rewrite inputs that select a part of each group, so that `agg` and `over` call Python once for all groups.

polars calls a function once for the rows of all groups only if the groups cover every row of the column. After ``filter``, ``head``
and ``slice`` they don't, and polars calls the function once per group: 18 s for 20,000 groups, instead of 0.3 s for one call.
``shift(0)`` returns a column whose groups cover every row. It shares all buffers, keeps null and empty groups, and streams.
"""

from __future__ import annotations

import polars as pl

__all__ = ["covering"]

_PARTS = (".filter(", ".slice(")
_KEPT = (".alias(", ".ext.", ".reverse(", ".shift(", ".sort(", ".sort_by(", ".cast(", ".strict_cast(")
"""Calls that keep the number of rows, as polars prints them; other expressions may be aggregates and stay unchanged."""


def covering(expr: pl.Expr) -> pl.Expr:
    """Return an expression with the same rows, whose groups cover every row.

    Parameters
    ----------
    expr : pl.Expr
        A column of a recorded tree; it is returned unchanged if it does not select a part of the rows.
    """
    return expr.shift(0) if _is_part(expr) else expr


def _is_part(expr: pl.Expr) -> bool:
    """Whether an expression selects a part of the rows, possibly below calls that keep their number.

    polars exposes the inputs of an expression and its text. In the text, the name of the call follows the text of the input.
    """
    if expr.meta.is_column():
        return False
    text = str(expr)
    if not any(name in text for name in _PARTS):
        return False
    for one in expr.meta.pop():
        written = str(one)
        if text.startswith(written):
            rest = text[len(written) :].removeprefix("()")
            if rest.startswith(_PARTS) or (rest.startswith(_KEPT) and _is_part(one)):
                return True
        elif text.startswith(f"[({written}) ") and _is_part(one):
            return True
    return False
