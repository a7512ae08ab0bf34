"""The surface of polars: the dtype `Jagged` and the namespace ``.jag``."""

from __future__ import annotations

from arrowjag.polars._convert import from_series, to_series
from arrowjag.polars.dtype import Jagged, jagged, register

__all__ = ["Jagged", "from_series", "jagged", "to_series"]

register()
