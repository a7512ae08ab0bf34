"""Which calls become list expressions of polars' own: those that are as fast as ours and give the same values.

Each entry was measured with 5M values in 500k rows on 2 cores, and each is compared with the array's result by the tests, over every
kind of column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import polars as pl

from arrowjag.polars._convert import ColumnType

__all__ = ["NATIVE"]

NativeRule: TypeAlias = "Callable[[pl.Expr, ColumnType, ColumnType, Any], pl.Expr | None]"

NATIVE: dict[tuple[str, str], NativeRule] = {}
"""From the kind and name of a call on one column to its rule: column, its type, the result's type, the call; None where it doesn't fit."""
