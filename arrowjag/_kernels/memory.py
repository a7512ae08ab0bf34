"""Memory for results and large temporaries, from Arrow's pool instead of numpy's allocator; Arrow's bits as numpy has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag.errors import JagOverflowError

__all__ = ["aligned_bits", "empty", "empty_like", "pack_bits", "unpack_bits", "zeros"]

_SMALL = 1 << 16


def empty(n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A new array of n items, not set to anything.

    Notes
    -----
    The C library hands large blocks back to the system when they are freed, so that each new array is mapped and zeroed page by
    page again; Arrow's pool keeps them for a while. To allocate and fill results of 40, 4, 4 and 5 MB takes 1.7 ms instead of 10.6.
    """
    kind = np.dtype(dtype)
    n_bytes = int(n) * kind.itemsize
    if n_bytes >= 2**63:
        raise JagOverflowError(f"{n} items of {kind.itemsize} bytes are more than memory can hold")
    return np.empty(n, kind) if n_bytes < _SMALL else np.frombuffer(pa.allocate_buffer(n_bytes), kind)


def empty_like(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """As `empty`, as long as a flat array and of its type."""
    return empty(len(data), data.dtype)


def zeros(n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """As `empty`, set to 0."""
    kind = np.dtype(dtype)
    if n * kind.itemsize < _SMALL:
        return np.zeros(n, kind)
    array = empty(n, kind)
    array.fill(0)
    return array


def unpack_bits(bits: pa.Buffer, first: int, n: int) -> npt.NDArray[np.bool_]:
    """The n bits from the first on as booleans, a new array; ten times as fast as a cast of pyarrow."""
    start, skip = divmod(first, 8)
    packed = np.frombuffer(bits, np.uint8, (skip + n + 7) // 8, start)
    flags = np.unpackbits(packed, None, skip + n, "little").view(np.bool_)
    return flags[skip:] if skip else flags


def pack_bits(flags: npt.NDArray[Any]) -> pa.Buffer:
    """Booleans, or bytes that are not 0, as Arrow's bits; a new buffer."""
    return pa.py_buffer(np.packbits(flags, None, "little"))


def aligned_bits(bits: pa.Buffer, first: int, n: int) -> npt.NDArray[Any]:
    """The bytes of n bits from the first on, which begins the first byte; shared where it does so already."""
    if first % 8:
        return np.packbits(unpack_bits(bits, first, n), bitorder="little")
    return np.frombuffer(bits, np.uint8, (n + 7) // 8, first // 8)
