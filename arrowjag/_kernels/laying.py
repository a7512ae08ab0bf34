"""Rows laid at new offsets, with gaps of nulls between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels.flat import BLOCK_VALUES, fill
from arrowjag._kernels.gather import ranges, take
from arrowjag._kernels.memory import empty
from arrowjag._kernels.words import data_of, from_words, has_words, valid_of

__all__ = ["lay_rows"]

_FEWEST_VALUES = 1 << 14


def lay_rows(
    values: pa.Array[Any], starts: NDArray[np.int64], present: NDArray[np.bool_], offsets: NDArray[np.int64]
) -> pa.Array[Any]:
    """The items of each row from where it starts in the values, or nulls for a row that is not there.

    Parameters
    ----------
    values : (n,) Arrow array of any type
    starts : (n_rows,) int64 array
        Where the items of each row that is present begin in the values.
    present : (n_rows,) boolean array
    offsets : (n_rows + 1,) int64 array
        Of the result.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(n_rows + items of the result), a new array. Neighbouring rows whose items follow each other are moved together: of 5M float64
    in 500k rows with 10k gaps that takes 15 ms, where a number for each item needs 50.
    """
    n = int(offsets[-1])
    if n < _FEWEST_VALUES or len(values) == 0 or not has_words(values.type):
        sizes = np.diff(offsets)
        there = present.repeat(sizes)
        return take(values, np.where(there, ranges(np.where(present, starts, 0), sizes), 0), None if there.all() else there)
    return _lay_words(values, _runs(starts, present, offsets), n)


class _Runs(NamedTuple):
    """Neighbouring rows that move together."""

    begin: NDArray[np.int64]
    """Where each run begins in the result; a last entry tells where all end."""
    shift: NDArray[np.int64]
    """How far it lies from there in the values."""
    present: NDArray[np.bool_]


def _runs(starts: NDArray[np.int64], present: NDArray[np.bool_], offsets: NDArray[np.int64]) -> _Runs:
    shift = starts - offsets[:-1]
    breaks = shift[1:] != shift[:-1]
    breaks |= present[1:] != present[:-1]
    first = np.concatenate([[0], breaks.nonzero()[0] + 1])
    begin = offsets[np.append(first, len(shift))]
    full = begin[1:] > begin[:-1]  # empty rows may say anything
    first = first[full]
    begin = np.append(begin[:-1][full], begin[-1])
    return _Runs(begin, shift[first], present[first])


def _lay_words(values: pa.Array[Any], runs: _Runs, n: int) -> pa.Array[Any]:
    data, valid = data_of(values), valid_of(values)
    there = None if valid is None and runs.present.all() else empty(n, np.bool_)
    numbers = np.arange(min(n, BLOCK_VALUES))

    def work(items: slice, out: NDArray[Any]) -> None:
        first = int(np.searchsorted(runs.begin, items.start, "right")) - 1
        last = int(np.searchsorted(runs.begin, items.stop, "left"))
        shift, present = runs.shift[first:last] + items.start, runs.present[first:last]
        bounds = np.clip(runs.begin[first : last + 1], items.start, items.stop)
        counts = bounds[1:] - bounds[:-1]
        source = shift.repeat(counts)
        source += numbers[: len(out)]
        data.take(source, out=out, mode="clip")  # in a gap anything will do
        if there is not None:
            there[items] = present.repeat(counts)
            if valid is not None:
                there[items] &= valid.take(source, mode="clip")

    laid = fill(work, n, data.dtype, BLOCK_VALUES)
    return from_words(values.type, laid, there)
