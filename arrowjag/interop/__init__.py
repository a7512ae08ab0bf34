"""To other libraries and back: one module a library, each imported when it is first asked for.

Every module says what it shares with the other side. What the other side can't hold is refused, never dropped.
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
    return sorted({*globals(), *__all__})
