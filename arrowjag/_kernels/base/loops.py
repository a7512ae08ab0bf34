"""Compiled loops for kernels: found where they are ready, requested where the work is worth compiling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import compiled, strategy

__all__ = ["find_loop", "losers", "table_for"]


def find_loop(name: str, dtype: np.dtype[Any], nulls: bool, n_values: int) -> compiled.Compiled | None:
    """A compiled loop for that many values, if it is ready; None otherwise.

    A loop that is missing is compiled by another process if there are enough values, for the next call.
    """
    if n_values < strategy.sizes.COMPILED_VALUES:
        return None
    return compiled.find(name, dtype, nulls, n_values >= strategy.sizes.COMPILING_VALUES)


def losers(dtype: np.dtype[Any], largest: bool) -> NDArray[Any]:
    """What the loops of extremes begin with: an item that no other one loses against, NaN, and 0."""
    if dtype.kind == "f":
        return np.array([-np.inf if largest else np.inf, np.nan, 0], dtype)
    limits = np.iinfo(dtype)
    return np.array([limits.min if largest else limits.max, 0, 0], dtype)


def table_for(longest: int) -> NDArray[np.int64]:
    """The empty table of `leaders` for rows up to a length."""
    size = 16
    while size < 2 * longest:
        size *= 2
    table = np.empty(size, np.int64)
    table.fill(-1)
    return table
