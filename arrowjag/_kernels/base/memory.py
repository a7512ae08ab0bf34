"""Memory for results and large temporaries, from Arrow's pool, and whether the machine has it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from arrowjag._kernels import strategy
from arrowjag._runtime.machine import free_memory, reported_memory
from arrowjag.errors import JagMemoryError

__all__ = ["ExcessError", "check_memory", "empty", "empty_columns", "empty_like", "is_counted", "numbers", "zeros"]

_NUMBERS = np.arange(1 << 12)
_NUMBERS.setflags(write=False)


class ExcessError(JagMemoryError):
    """A `JagMemoryError` that names figures only; the decorator of public functions adds the operation."""


@functools.cache
def _most_memory() -> int:
    """The memory of the machine; what a process can address where the system reports nothing."""
    return reported_memory() or 2**47


def is_counted(n_bytes: int) -> bool:
    """Whether an allocation is so large that `check_memory` asks the system, in 0.3 ms, how much memory is left."""
    return n_bytes >= min(strategy.sizes.COUNTED_MEMORY_BYTES, _most_memory() // 16)


def check_memory(n: int, itemsize: float) -> int:
    """Return the bytes of n items; raise if they exceed the memory of the machine, before anything is allocated.

    A system that promises more memory than it has would end the process when the memory is written to. Many items must fit what is
    left, too: the results before them may have taken the rest.
    """
    n_bytes = int(n * itemsize)
    if not is_counted(n_bytes):
        return n_bytes
    free = free_memory()
    if free is not None and n_bytes > free:
        pa.default_memory_pool().release_unused()
        free = free_memory()
    if n_bytes > _most_memory():
        left = f"this process may use {_most_memory() / 1e9:.4g} GB"
    elif free is not None and n_bytes > free:
        left = f"the system has {free / 1e9:.4g} GB left"
    else:
        return n_bytes
    raise ExcessError(f"{n:,} items of {itemsize:.4g} bytes take {n_bytes / 1e9:.4g} GB; {left}")


def empty(n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A new array of n items, not set to anything.

    Notes
    -----
    The C library hands large blocks back to the system when they are freed, so that each new array is mapped and zeroed page by
    page again; Arrow's pool keeps them for a while. To allocate and fill results of 40, 4, 4 and 5 MB takes 1.7 ms instead of 10.6.
    """
    if n < strategy.sizes.ARROW_MEMORY_BYTES >> 5:  # few items, of 32 bytes at most: numpy alone looks at the type
        return np.empty(n, dtype)
    kind = np.dtype(dtype)
    if int(n) * kind.itemsize < strategy.sizes.ARROW_MEMORY_BYTES:
        return np.empty(n, kind)
    return np.frombuffer(pa.allocate_buffer(check_memory(int(n), kind.itemsize)), kind)


def numbers(n: int) -> npt.NDArray[np.int64]:
    """The integers from 0 to n - 1, for reading: few of them are a slice of shared ones, in a quarter of the time of `arange`."""
    return _NUMBERS[:n] if n <= len(_NUMBERS) else np.arange(n)


def empty_like(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A new array of the length and type of a flat array, not set to anything."""
    return empty(len(data), data.dtype)


def empty_columns(count: int, n: int) -> list[npt.NDArray[np.float64]]:
    """New arrays of n float64, not set to anything, for a loop that writes the same item of each.

    Short arrays are parts of one allocation, which takes a third of the time. Long ones begin at different lines of a page, because
    a cache keeps few lines that are whole pages apart: weighted means of 5M values in five such arrays took 37 ms, not 15.
    """
    if n < strategy.sizes.CALL_VALUES:
        return list(np.empty((count, n)))
    return [empty(n + _LINE * place, np.float64)[_LINE * place :] for place in range(count)]


_LINE = 8
"""Items of float64 in a line of a cache."""


def zeros(n: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """A new array of n items, all 0."""
    kind = np.dtype(dtype)
    if n * kind.itemsize < strategy.sizes.ARROW_MEMORY_BYTES:
        return np.zeros(n, kind)
    array = empty(n, kind)
    array.fill(0)
    return array
