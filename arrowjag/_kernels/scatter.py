"""Scattering: items written to places that are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels.memory import empty, zeros
from arrowjag._kernels.words import data_of, from_words, valid_of

__all__ = ["are_distinct", "put"]

_SPARSE = 32
"""One place of so many: then sorting the few is cheaper than a mark for each place there is."""


def are_distinct(places: NDArray[np.int64], n: int) -> bool:
    """Whether no place, from 0 to n - 1, is named twice.

    Notes
    -----
    O(n + len(places)), or a sort of places that are few. Places that rise are seen in one pass, others leave a mark each and the
    marks are counted: 2 and 15 ms for 5M, where sorting takes 300.
    """
    if np.count_nonzero(places[1:] > places[:-1]) >= len(places) - 1:
        return True
    if len(places) > n:
        return False
    if len(places) * _SPARSE < n:
        ordered = np.sort(places)
        return bool((ordered[1:] > ordered[:-1]).all())
    marks = zeros(n, np.bool_)
    marks[places] = True
    return int(np.count_nonzero(marks)) == len(places)


def put(values: pa.Array[Any], places: NDArray[np.int64], items: pa.Array[Any]) -> pa.Array[Any]:
    """A copy of values that are words in which each item stands at its place.

    Parameters
    ----------
    values : (n,) Arrow array
        Of a type that has words.
    places : (m,) int64 array
        Distinct, within range; they are trusted.
    items : (m,) Arrow array of the same type

    Returns
    -------
    (n,) Arrow array of the same type

    Notes
    -----
    O(n + m), a new array, copied and written over: 10 ms for 5M float64, where taking from values and items end to end needs 31.
    """
    if len(places) == 0:
        return values
    data = _written(data_of(values), places, data_of(items))
    if values.null_count == 0 and items.null_count == 0:
        return from_words(values.type, data)
    return from_words(values.type, data, _written(_all_valid(values), places, _all_valid(items)))


def _written(data: NDArray[Any], places: NDArray[np.int64], items: NDArray[Any]) -> NDArray[Any]:
    result = empty(len(data), data.dtype)
    result[:] = data
    result[places] = items
    return result


def _all_valid(values: Any) -> NDArray[np.bool_]:
    valid = valid_of(values)
    return np.ones(len(values), np.bool_) if valid is None else valid
