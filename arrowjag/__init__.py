"""Jagged columns for pandas, polars and Arrow.

A jagged column is nested Arrow lists; its offsets are the split points of a `JaggedShape`. One class, `JaggedArray`,
holds the shape and the flat values; the same methods are there as ``.jag`` on pandas Series and polars expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag import _doors, dense, dims, dtype, shapes
from arrowjag._array import JaggedArray
from arrowjag._overlay import Overlay, overlay, scatter
from arrowjag.creation import arange, full, random, zeros
from arrowjag.dtype import JaggedType
from arrowjag.errors import (
    JagError,
    JagIndexError,
    JagOverflowError,
    JagRangeError,
    JagTypeError,
    JagValueError,
    MissingDependencyError,
    OffsetsError,
    ShapeError,
)
from arrowjag.functions import (
    align,
    apply,
    array,
    coalesce,
    concat,
    from_arrow,
    from_offsets,
    from_parents,
    from_sizes,
    stack,
    where,
    zip,
)
from arrowjag.shape import JaggedShape

if TYPE_CHECKING:  # what `__getattr__` imports when it is asked for
    from arrowjag import etl as etl
    from arrowjag import interop as interop
    from arrowjag import io as io
    from arrowjag import pandas as pandas
    from arrowjag import plot as plot
    from arrowjag import polars as polars
    from arrowjag import testing as testing
    from arrowjag.io import read_ipc as read_ipc
    from arrowjag.io import read_parquet as read_parquet
    from arrowjag.io import write_ipc as write_ipc
    from arrowjag.io import write_parquet as write_parquet
    from arrowjag.pandas import Row as Row

__version__ = "0.1.0"

__all__ = [
    "JagError",
    "JagIndexError",
    "JagOverflowError",
    "JagRangeError",
    "JagTypeError",
    "JagValueError",
    "JaggedArray",
    "JaggedShape",
    "JaggedType",
    "MissingDependencyError",
    "OffsetsError",
    "Overlay",
    "ShapeError",
    "align",
    "apply",
    "arange",
    "array",
    "coalesce",
    "concat",
    "dense",
    "dims",
    "from_arrow",
    "from_offsets",
    "from_parents",
    "from_sizes",
    "full",
    "overlay",
    "random",
    "scatter",
    "shapes",
    "stack",
    "where",
    "zeros",
    "zip",
]

_LAZY_MODULES = frozenset({"etl", "interop", "io", "pandas", "plot", "polars", "testing"})
_LAZY_NAMES = {
    "read_parquet": "io",
    "write_parquet": "io",
    "read_ipc": "io",
    "write_ipc": "io",
    "Row": "pandas",
}

dtype.register()
_doors.register_hosts()


def __getattr__(name: str) -> Any:
    """Layers above the core are imported when they are asked for."""
    if name in _LAZY_MODULES:
        return _doors.open_door(name)
    if name in _LAZY_NAMES:
        return getattr(_doors.open_door(_LAZY_NAMES[name]), name)
    raise AttributeError(f"module 'arrowjag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY_MODULES, *_LAZY_NAMES})
