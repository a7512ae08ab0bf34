"""Register ``.jag`` with polars, and expressions and Series with the free functions."""

from __future__ import annotations

import polars as pl

from arrowjag._methods import HOSTS
from arrowjag.polars import _entry, expr, series
from arrowjag.polars.expr import JagNamespace
from arrowjag.polars.frame import JagDataFrame, JagLazyFrame
from arrowjag.polars.series import JagSeries

__all__ = ["register"]


def register() -> None:
    """Register ``.jag`` on the classes of polars and wrap the methods that take columns; a second call changes nothing."""
    for cls, namespace, enter in (
        (pl.Expr, JagNamespace, pl.api.register_expr_namespace),
        (pl.Series, JagSeries, pl.api.register_series_namespace),
        (pl.DataFrame, JagDataFrame, pl.api.register_dataframe_namespace),
        (pl.LazyFrame, JagLazyFrame, pl.api.register_lazyframe_namespace),
    ):
        if getattr(cls, "jag", None) is not namespace:
            enter("jag")(namespace)
    _entry.register()
    # Expressions come first: a call on an expression and a Series gives an expression.
    for host in (expr.HOST, series.HOST):
        if host not in HOSTS:
            HOSTS.append(host)
