"""Nulls that take the value of their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels import scatter
from arrowjag._kernels.gather import take
from arrowjag._kernels.memory import zeros
from arrowjag._kernels.words import has_words
from arrowjag.errors import JagValueError

__all__ = ["carry", "null_sources"]

_FEW = 1 << 12
"""Values below which calls decide what it costs."""


def carry(values: pa.Array[Any], valid: NDArray[np.bool_], offsets: NDArray[np.int64], direction: str) -> pa.Array[Any]:
    """Each null takes the last value before it in its row that is there, or the next one after it.

    Parameters
    ----------
    values : (n_values,) Arrow array of any type
    valid : (n_values,) boolean array
        Where they are there.
    offsets : (n_rows + 1,) int64 array
    direction : str
        "forward" for the last one, "backward" for the next one.

    Returns
    -------
    (n_values,) Arrow array of the same type

    Raises
    ------
    JagValueError
        Any other direction.

    Notes
    -----
    O(n_rows + n_values), a new array. Words are copied and the nulls written over: 5M float64, every twentieth null, take 21 ms,
    where a source for each item needs 76.
    """
    nulls, sources, known = null_sources(valid, offsets, direction)
    if has_words(values.type) and len(values) >= _FEW:
        return scatter.put(values, nulls, take(values, sources, known))
    index, there = np.arange(len(values)), np.ones(len(values), np.bool_)
    index[nulls], there[nulls] = sources, known
    return take(values, index, there)


def null_sources(
    valid: NDArray[np.bool_], offsets: NDArray[np.int64], direction: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """The places of nulls, where the value of each comes from, and whether its row has one there.

    A source without a value is within range.
    """
    if direction not in ("forward", "backward"):
        raise JagValueError(f'fill: direction is "forward" or "backward", got {direction!r}.')
    nulls = np.logical_not(valid).nonzero()[0]
    begins = zeros(len(valid) + 1, np.bool_)
    begins[offsets] = True
    # Nulls next to each other in one row have one source.
    first = begins[nulls]
    first[1:] |= nulls[1:] != nulls[:-1] + 1
    first[:1] = True
    heads = first.nonzero()[0]
    bounds = np.append(heads, len(nulls))
    counts = bounds[1:] - bounds[:-1]
    if direction == "forward":
        source = nulls[heads] - 1
        known = ~begins[source + 1]
    else:
        source = nulls[bounds[1:] - 1] + 1
        known = ~begins[source]
    source[~known] = 0
    return nulls, source.repeat(counts), known.repeat(counts)
