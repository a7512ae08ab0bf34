"""Tensors and other arrays of libraries that numpy can read, and buffers of numbers: converted to numpy before anything else."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag import _lazy_imports
from arrowjag.errors import JagTypeError

__all__ = ["as_numpy", "exports_arrow", "is_of"]

_PLAIN = (list, tuple, dict, str, bytes, int, float, np.ndarray, np.generic, pa.Array, pa.ChunkedArray, pa.Scalar, type, type(None))
_BUFFERS = (memoryview, array.array, ctypes.Array)
_ARROW = ("__arrow_c_stream__", "__arrow_c_array__", "__arrow_array__")
"""Arrow's interfaces; that of a Series first, for which polars and pandas look long for another."""


def is_of(data: Any, library: str) -> bool:
    """Return whether a class of the library, or a subclass of one, made the object."""
    return any(base.__module__.partition(".")[0] == library for base in data.__class__.__mro__)


def exports_arrow(data: Any) -> bool:
    """Return whether an object, or the objects of a class, export data through Arrow's C interface."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def as_numpy(data: Any) -> Any:
    """Convert an array of another library to numpy, which keeps its type and shares its memory where that library allows it.

    Iterating over such arrays would lose the type: their items are Python numbers, or arrays without dims.

    Parameters
    ----------
    data : object
        Objects with one of Arrow's interfaces, of pandas, and without `__array__` are returned as they are; so are arrays of
        objects. Collections of dask are computed.

    Returns
    -------
    object
        A numpy array; a `JaggedArray` for nested tensors.

    Raises
    ------
    JagTypeError
        If the library refuses the conversion: of other devices, and of types that numpy lacks.
    """
    if isinstance(data, _PLAIN):
        return data
    if is_of(data, "dask") and hasattr(data, "compute"):
        return data.compute()
    if is_of(data, "torch") and hasattr(data, "detach"):
        return _lazy_imports.load("interop.torch").read(data, "array")
    if not isinstance(data, _BUFFERS):
        has_array = hasattr(type(data), "__array__") and not isinstance(data, type)
        if not has_array or is_of(data, "pandas") or any(hasattr(data, door) for door in _ARROW):
            return data
    try:
        found = np.asarray(data)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:  # as the libraries please
        raise JagTypeError(f"numpy can't read a {type(data).__name__}: {error}") from error
    return data if found.dtype.kind == "O" else found
