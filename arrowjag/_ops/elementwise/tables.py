"""Functions of integers that repeat, such as days: computed once per integer of the range, and looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag import _arrow
from arrowjag._kernels import strategy

__all__ = ["map_keys"]


def map_keys(
    keys: NDArray[np.int64], valid: NDArray[np.bool_] | None, compute: Callable[[NDArray[np.int64]], pa.Array]
) -> pa.Array:
    """Apply a function to integers.

    Parameters
    ----------
    keys : (n_values,) int64 array
        0 under nulls.
    valid : (n_values,) bool array or None
        None without nulls.
    compute : callable
        Takes integers, and returns one result per integer, without nulls.

    Returns
    -------
    pyarrow.Array
        One result per key, null under nulls.

    Notes
    -----
    Calls `compute` with every integer from the least to the greatest key where these are fewer than the keys, and takes from the
    results: O(n_values + n_integers). The fields of 1M dates take 1.5 ms instead of 9 to 33 ms, their text 10 ms instead of 1 s.
    """
    low, high = (int(keys.min()), int(keys.max())) if len(keys) else (0, -1)
    if strategy.choose("map_keys", len(keys), high - low + 1) == "table":
        table, places = compute(np.arange(low, high + 1)), keys - low
        if pa.types.is_integer(table.type):
            return _arrow.from_numpy(np.asarray(table).take(places), valid)
        return table.take(_arrow.from_numpy(places, valid))
    found = compute(keys)
    return found if valid is None else _with_nulls(found, valid)


def _with_nulls(values: pa.Array, valid: NDArray[Any]) -> pa.Array:
    return pc.if_else(_arrow.from_numpy(valid), values, pa.scalar(None, values.type))
