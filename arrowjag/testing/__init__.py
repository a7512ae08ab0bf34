"""Asserts and hypothesis strategies for tests of code that works on jagged columns.

The strategies need hypothesis; they are imported at first access, so the asserts work without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag.testing.asserts import assert_equal, assert_lists_equal

if TYPE_CHECKING:
    from arrowjag.testing.strategies import (
        LEAF_KINDS,
        STORAGES,
        ArrowColumn,
        arrow_columns,
        dims,
        jagged_arrays,
        jagged_lists,
        leaf_types,
        leaf_values,
        prefix_arrays,
        prefix_lists,
        shapes,
    )

__all__ = [
    "LEAF_KINDS",
    "STORAGES",
    "ArrowColumn",
    "arrow_columns",
    "assert_equal",
    "assert_lists_equal",
    "dims",
    "jagged_arrays",
    "jagged_lists",
    "leaf_types",
    "leaf_values",
    "prefix_arrays",
    "prefix_lists",
    "shapes",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from arrowjag.testing import strategies

    return getattr(strategies, name)


def __dir__() -> list[str]:
    return sorted(__all__)
