"""Differences between polars releases; no other module of this package depends on the version."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs

from arrowjag._versions import Difference

__all__ = ["ENUM_CASTS_PANIC", "HAS_MAPS", "PanicException", "map_columns"]

HAS_MAPS = hasattr(pl, "Map") and hasattr(cs, "map")

ENUM_CASTS_PANIC = Difference(
    "polars", "2.1", "A strict cast of categories inside lists to an Enum may panic.", "arrowjag casts, and counts nulls itself."
)

PanicException: type[BaseException] = pl.exceptions.PanicException
"""The exception for a panic in Rust. It derives from `BaseException`, so ``except Exception`` doesn't catch it."""


def map_columns() -> cs.Selector:
    """Select the columns of dtype Map; the selector is empty if this polars has no such dtype."""
    return cs.map() if HAS_MAPS else cs.empty()
