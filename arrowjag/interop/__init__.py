"""Conversion to and from other libraries: one module per library, imported at first access.

Each module documents the buffers that it shares. It raises for data that the other library can't represent.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

__all__ = ["awkward", "dask", "datasets", "koladata", "numba", "numpy", "ray", "scipy", "tensorflow", "torch", "xarray"]


def __getattr__(name: str) -> Any:
    if name.startswith("_") or importlib.util.find_spec(f"arrowjag.interop.{name}") is None:
        raise AttributeError(f"module 'arrowjag.interop' has no attribute {name!r}")
    return importlib.import_module(f"arrowjag.interop.{name}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
