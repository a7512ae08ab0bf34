"""`.jag` of polars, made from the method table; the stub beside this file spells it out for editors and type checkers."""

from __future__ import annotations

from arrowjag.polars.expr import JagExpr, JagNamespace
from arrowjag.polars.series import JagSeries

__all__ = ["JagExpr", "JagNamespace", "JagSeries"]
