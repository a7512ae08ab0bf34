"""Counts of Arrow's bits in each row: items that are True, or that are not null; and whether any or all are True."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.base.polars_lists import all_set, count_bits
from arrowjag._kernels.base.words import Bits, from_words
from arrowjag._kernels.compiled.library import Compiled, find_loop

__all__ = ["are_set", "count_set", "count_valid", "n_unique_flags"]


def are_set(bits: pa.Array[Any], offsets: NDArray[np.int64], *, all: bool) -> pa.Array[Any] | None:
    """Whether all items of each row are True, or any is.

    Parameters
    ----------
    bits : (n_values,) Arrow array of booleans
        Without nulls.
    offsets : (n_rows + 1,) int64 array
    all : bool
        Whether all items must be True; True for an empty row then, else False.

    Returns
    -------
    (n_rows,) Arrow array of booleans, or None
        None if no compiled loop is ready, and polars is not chosen.

    Notes
    -----
    O(n_rows + n_values / 64). The loop reads a word for each row of up to 57 items, and leaves a row once its result is known.
    """
    loop = _loop("all_set" if all else "any_set", len(bits))
    by = strategy.choose("count", len(bits), loop is not None)
    if by == "compiled" and loop is not None:
        flags = empty(len(offsets) - 1, np.uint8)
        _run(loop, bits.buffers()[1], bits.offset, offsets, flags)
        return from_words(pa.bool_(), flags)
    if by == "polars":
        return all_set(bits, offsets) if all else from_words(pa.bool_(), count_bits(bits, offsets) > 0)
    return None


def count_valid(values: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of items of each row that are not null; None if there are no nulls, or neither a loop nor polars is chosen."""
    if values.null_count == 0 or (bits := values.buffers()[0]) is None:
        return None
    return _count_bits(Bits(bits, values.offset, len(values)).as_array(), offsets)


def count_set(values: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of True items of each row; None if neither a loop nor polars is chosen.

    1M booleans in rows of ten take 0.3 ms of CPU time, as bytes that are added up 1.0.
    """
    return _count_bits(values if values.null_count == 0 else values.fill_null(False), offsets)


def n_unique_flags(values: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of distinct booleans of each row, nulls left out; None as in `count_set`."""
    n_true, n_valid = count_set(values, offsets), count_valid(values, offsets)
    if n_true is None or (n_valid is None and values.null_count):
        return None
    n_false = (row_sizes(offsets) if n_valid is None else n_valid) - n_true
    found: NDArray[np.int64] = np.minimum(n_true, 1) + np.minimum(n_false, 1)
    return found


def _count_bits(bits: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    loop = _loop("counted", len(bits))
    by = strategy.choose("count", len(bits), loop is not None)
    if by == "polars":
        return count_bits(bits, offsets).astype(np.int64)
    if by != "compiled" or loop is None:
        return None
    counts = empty(len(offsets) - 1, np.int64)
    _run(loop, bits.buffers()[1], bits.offset, offsets, counts)
    return counts


def _loop(name: str, n_values: int) -> Compiled | None:
    return find_loop(name, np.dtype(np.uint8), False, n_values, often=True)


def _run(loop: Compiled, buffer: pa.Buffer, skip: int, offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    data = np.frombuffer(buffer, np.uint8)
    fewest = strategy.sizes.LIGHT_BITS_PER_VALUE * strategy.sizes.LIGHT_VALUES - strategy.sizes.LIGHT_BITS_PER_ROW * len(out)
    map_rows(lambda first, last: loop(data, len(data), skip, offsets, first, last, out), offsets, min_values=fewest)
