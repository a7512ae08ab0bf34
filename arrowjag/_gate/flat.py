"""Check flat arrays: text by a kernel of arrowjag, other types by Arrow's full validation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._gate.buffers import check_null_count
from arrowjag._kernels.base.words import is_variable_size
from arrowjag._kernels.elementwise import utf8
from arrowjag.errors import OffsetsError

__all__ = ["check_flat", "check_full"]


def check_flat(array: pa.Array, where: str) -> None:
    """Raise if a flat array is corrupt."""
    if _is_whole_text(array):
        check_null_count(array, where)
        return
    check_full(array, f"the {'text' if is_variable_size(array.type) else 'leaves'} of {where}")


def _is_whole_text(array: pa.Array) -> bool:
    """Return whether the values are contiguous, valid UTF-8; after False, Arrow's own check decides."""
    wide = pt.is_large_string(array.type)
    if len(array) == 0 or not (wide or pt.is_string(array.type)):
        return False
    dtype: Any = np.int64 if wide else np.int32
    _, cut, data = array.buffers()
    width = np.dtype(dtype).itemsize
    if cut is None or data is None or cut.size < (array.offset + len(array) + 1) * width:
        return False
    return utf8.is_valid(np.frombuffer(data, np.uint8), np.frombuffer(cut, dtype, len(array) + 1, array.offset * width))


def check_full(array: pa.Array, what: str) -> None:
    """Raise if Arrow's full validation fails."""
    try:
        array.validate(full=True)
    except (pa.ArrowException, IndexError, ValueError) as error:
        raise OffsetsError(f"corrupt data in {what}: {error}") from error
