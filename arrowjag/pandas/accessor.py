"""`.jag` on a Series, made from the method table; the stub beside this file spells it out for editors and type checkers."""

from __future__ import annotations

from arrowjag.pandas._series import SeriesJag

SeriesJagStr, SeriesJagDt = SeriesJag.str, SeriesJag.dt

__all__ = ["SeriesJag", "SeriesJagDt", "SeriesJagStr"]
