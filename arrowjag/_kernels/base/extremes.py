"""The smallest and the largest of all items of a flat array, and whether one is NaN."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks

__all__ = [
    "greatest",
    "holds_nan",
    "identity_of",
    "largest_magnitude",
    "least",
    "least_and_greatest",
    "opened",
    "start_values",
]


def identity_of(dtype: np.dtype[Any], largest: bool) -> Any:
    """The identity of the maximum, else of the minimum, of integers or floats: the number that never replaces another one."""
    if dtype.kind == "f":
        return -np.inf if largest else np.inf
    limits = np.iinfo(dtype)
    return limits.min if largest else limits.max


@functools.cache
def start_values(dtype: np.dtype[Any], largest: bool) -> npt.NDArray[Any]:
    """The numbers that compiled loops of extremes start from, a read-only array: the identity, NaN (0 for integers), and 0."""
    found = np.array([identity_of(dtype, largest), np.nan if dtype.kind == "f" else 0, 0], dtype)
    found.setflags(write=False)
    return found


def least(data: npt.NDArray[Any]) -> Any:
    """The smallest of some items, at least one; NaN if one is NaN.

    For few items, numpy's argmin takes a third of the time of a minimum. For many it takes longer, because it first copies an array
    that is read-only, such as the data of an Arrow array.
    """
    return data[data.argmin()] if len(data) < strategy.sizes.CALL_VALUES else np.minimum.reduce(data)


def greatest(data: npt.NDArray[Any]) -> Any:
    """The largest of some items, at least one; NaN if one is NaN."""
    return data[data.argmax()] if len(data) < strategy.sizes.CALL_VALUES else np.maximum.reduce(data)


class _Open:
    """The memory of an array, offered to numpy as memory that may be written to."""

    def __init__(self, data: npt.NDArray[Any]) -> None:
        self.data = data
        self.__array_interface__ = data.__array_interface__ | {"data": (data.ctypes.data, False)}


def opened(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A writeable view, which must not be written to: numpy's argmin and argmax copy a long array that is read-only."""
    return np.asarray(_Open(data)) if len(data) >= strategy.sizes.CALL_VALUES and not data.flags.writeable else data


def holds_nan(data: npt.NDArray[Any]) -> bool:
    """Whether a flat array holds NaN, which numpy returns as the minimum if there is one."""
    return data.dtype.kind == "f" and len(data) > 0 and math.isnan(least(data))


def largest_magnitude(data: npt.NDArray[Any]) -> int:
    """The greatest distance from 0 among integers; 0 where there are none."""
    if not len(data):
        return 0
    low, high = least_and_greatest(data)
    return max(high, -low)


def least_and_greatest(data: npt.NDArray[Any]) -> tuple[int, int]:
    """The extremes of some integers, at least one; many are read once, block by block on all cores."""
    step = strategy.sizes.PASS_VALUES

    def work(first: int) -> tuple[int, int]:
        part = data[first : first + step]
        return int(least(part)), int(greatest(part))

    if len(data) <= step:
        return work(0)
    found = map_tasks(work, range(0, len(data), step), len(data))
    return min(low for low, _ in found), max(high for _, high in found)
