"""Jagged columns for pandas, polars and Arrow.

A jagged column is nested Arrow lists: a `JaggedShape` holds their offsets, and one flat Arrow array their values. The class
`JaggedArray` holds both; its methods are also available as ``.jag`` on pandas Series and polars expressions.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from arrowjag import _lazy_imports, _versions, dense, dims, dtype, shapes
from arrowjag._array import JaggedArray
from arrowjag._expressions import JitFunction, jit
from arrowjag._runtime.options import options
from arrowjag._vocabulary.spellings import function_suggestion as _function_suggestion
from arrowjag.creation import arange, array, from_arrow, from_offsets, from_parents, from_sizes, full, random, zeros
from arrowjag.dtype import JaggedType
from arrowjag.errors import (
    JagAttributeError,
    JagError,
    JagFileError,
    JagIndexError,
    JagMemoryError,
    JagOverflowError,
    JagRangeError,
    JagTypeError,
    JagValueError,
    JagWarning,
    MissingDependencyError,
    OffsetsError,
    ShapeError,
)
from arrowjag.functions import (
    Overlay,
    align,
    apply,
    argcartesian,
    asof,
    cartesian,
    coalesce,
    concat,
    fold,
    from_json,
    interp,
    json_default,
    lomb_scargle,
    map_items,
    map_rows,
    nan_to_null,
    overlay,
    resample,
    scan,
    scatter,
    stack,
    to_map,
    to_storage,
    where,
    zip,
)
from arrowjag.shape import JaggedShape

if TYPE_CHECKING:  # names that `__getattr__` imports at first access
    from arrowjag import etl as etl
    from arrowjag import interop as interop
    from arrowjag import io as io
    from arrowjag import pandas as pandas
    from arrowjag import plot as plot
    from arrowjag import polars as polars
    from arrowjag import sequences as sequences
    from arrowjag import testing as testing
    from arrowjag.io import read_ipc as read_ipc
    from arrowjag.io import read_ndjson as read_ndjson
    from arrowjag.io import read_parquet as read_parquet
    from arrowjag.io import scan_parquet as scan_parquet
    from arrowjag.io import write_ipc as write_ipc
    from arrowjag.io import write_ndjson as write_ndjson
    from arrowjag.io import write_parquet as write_parquet
    from arrowjag.pandas import Row as Row

__version__ = "0.1.0"

__all__ = [
    "JagAttributeError",
    "JagError",
    "JagFileError",
    "JagIndexError",
    "JagMemoryError",
    "JagOverflowError",
    "JagRangeError",
    "JagTypeError",
    "JagValueError",
    "JagWarning",
    "JaggedArray",
    "JaggedShape",
    "JaggedType",
    "JitFunction",
    "MissingDependencyError",
    "OffsetsError",
    "Overlay",
    "ShapeError",
    "align",
    "apply",
    "arange",
    "argcartesian",
    "array",
    "asof",
    "cartesian",
    "coalesce",
    "concat",
    "dense",
    "dims",
    "fold",
    "from_arrow",
    "from_json",
    "from_offsets",
    "from_parents",
    "from_sizes",
    "full",
    "interp",
    "jit",
    "json_default",
    "lomb_scargle",
    "map_items",
    "map_rows",
    "nan_to_null",
    "options",
    "overlay",
    "random",
    "read_ipc",
    "read_ndjson",
    "read_parquet",
    "resample",
    "scan",
    "scan_parquet",
    "scatter",
    "shapes",
    "stack",
    "to_map",
    "to_storage",
    "where",
    "write_ipc",
    "write_ndjson",
    "write_parquet",
    "zeros",
    "zip",
]
if _versions.is_installed("pandas"):  # a star import must work without it
    __all__ += ["Row"]

_LAZY_MODULES = frozenset({"etl", "interop", "io", "pandas", "plot", "polars", "sequences", "testing"})
_LAZY_NAMES = {
    "read_ipc": "io",
    "read_ndjson": "io",
    "read_parquet": "io",
    "scan_parquet": "io",
    "write_ipc": "io",
    "write_ndjson": "io",
    "write_parquet": "io",
    "Row": "pandas",
}

dtype.register()
_lazy_imports.register_hosts()


def __getattr__(name: str) -> Any:
    """Import a layer above the core when a caller first reads its name."""
    if name in _lazy_imports.SURFACES:
        return _lazy_imports.load(name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"arrowjag.{name}")
    if name in _LAZY_NAMES:
        return getattr(__getattr__(_LAZY_NAMES[name]), name)
    message = f"module 'arrowjag' has no attribute {name!r}"
    if name.startswith("_"):
        raise AttributeError(message)
    raise JagAttributeError(message, name, lambda: _function_suggestion(name, __dir__(), dir(JaggedArray)))


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *own, *_LAZY_MODULES, *_LAZY_NAMES, "errors", "typing"})
