"""Values of one width as numpy words beside a validity, and back: what is moved without being looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels.memory import pack_bits, unpack_bits

__all__ = ["data_of", "from_words", "has_words", "valid_of"]


def has_words(type: pa.DataType) -> bool:
    """Whether values of the type lie side by side in words of one width, beside their validity."""
    return bool(pt.is_primitive(type) or pt.is_decimal(type))


def data_of(values: Any) -> NDArray[Any]:
    """The data as unsigned integers of their width, or as opaque items, shared; booleans as bytes, a new array.

    What stands under a null is unspecified.
    """
    if pt.is_boolean(values.type):
        return unpack_bits(values.buffers()[1], values.offset, len(values)).view(np.uint8) if len(values) else np.zeros(0, np.uint8)
    size = values.type.bit_width // 8
    dtype = np.dtype(f"u{size}") if size <= 8 else np.dtype((np.void, size))
    return np.frombuffer(values.buffers()[1], dtype, len(values), values.offset * size) if len(values) else np.empty(0, dtype)


def valid_of(values: Any) -> NDArray[np.bool_] | None:
    """Where values are there; None where all are."""
    return unpack_bits(values.buffers()[0], values.offset, len(values)) if values.null_count else None


def from_words(type: pa.DataType, data: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array[Any]:
    """Values from their words, which are shared but for booleans."""
    words = pack_bits(data) if pt.is_boolean(type) else pa.py_buffer(data)
    return pa.Array.from_buffers(type, len(data), [None if valid is None else pack_bits(valid), words])
