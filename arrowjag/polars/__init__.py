"""The polars surface: the dtype `Jagged`, and the namespace ``.jag`` on expressions, Series and frames."""

from __future__ import annotations

from arrowjag.polars import namespace
from arrowjag.polars._convert import frame_from_table, from_series, to_series
from arrowjag.polars.accessor import JagExpr, JagNamespace, JagSeries
from arrowjag.polars.dtype import Jagged, jagged, register
from arrowjag.polars.frame import JagDataFrame, JagLazyFrame

__all__ = [
    "JagDataFrame",
    "JagExpr",
    "JagLazyFrame",
    "JagNamespace",
    "JagSeries",
    "Jagged",
    "frame_from_table",
    "from_series",
    "jagged",
    "to_series",
]

register()
namespace.register()
