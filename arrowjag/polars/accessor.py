"""The classes behind `.jag`. Their methods are generated; `accessor.pyi` declares them for editors and type checkers."""

from __future__ import annotations

from arrowjag.polars.expr import JagExpr, JagNamespace
from arrowjag.polars.series import JagSeries

JagNamespaceStr, JagNamespaceDt = JagNamespace.str, JagNamespace.dt
JagSeriesStr, JagSeriesDt = JagSeries.str, JagSeries.dt

__all__ = ["JagExpr", "JagNamespace", "JagNamespaceDt", "JagNamespaceStr", "JagSeries", "JagSeriesDt", "JagSeriesStr"]
