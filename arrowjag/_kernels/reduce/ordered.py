"""Sums of floats in one documented order, whichever strategy computes them: a row's sum depends on that row alone, bit for bit.

Values are added in float64, in pieces of `PIECE` slots counted from the row's first one; each piece from left to right, then the
sums of the pieces from left to right. A null adds 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.base.memory import empty, numbers
from arrowjag._kernels.base.offsets import from_sizes, longest_of, row_sizes, span_of
from arrowjag._kernels.base.polars_lists import sum_lists
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loop import PIECE
from arrowjag._kernels.compiled.pieces import LANES
from arrowjag._kernels.reduce.segments import reduce_columns

__all__ = ["add_pieces", "are_shared", "cut_pieces", "row_sums"]


def row_sums(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """Sum each row into `out`; 0.0 for a row without items.

    Parameters
    ----------
    data : (n_values,) float, integer or bool array
        Values under nulls are ignored.
    valid : (n_values,) bool array, optional
    offsets : (n_rows + 1,) int64 array
        They begin at 0 and end at n_values.
    out : (n_rows,) float64 array

    Notes
    -----
    O(n_values). 5M float64 in 500k rows take 6 ms of one core compiled, 9 by polars and 30 by numpy's bincount.
    """
    if are_shared(len(data), len(out)) and longest_of(row_sizes(offsets)) > PIECE:
        _sum_long_rows(data, valid, offsets, out)
        return
    loop = find_loop("sum", data.dtype, valid is not None, len(data), often=True)
    by = strategy.choose("row_sum", len(data), loop is not None)
    if by == "compiled" and loop is not None:
        loop(np.ascontiguousarray(data), valid, offsets, 0, len(out), out)
        return
    values = _wide(data if valid is None else filled(data, valid, 0))
    if strategy.choose("reduced", offsets) == "columns" and len(values) <= PIECE * len(out):
        reduce_columns(np.add, values, out)
        out += 0.0  # a sum is never -0.0
        return
    add = sum_lists if by == "polars" else _bincount
    sizes = row_sizes(offsets)
    if len(values) <= PIECE or longest_of(sizes) <= PIECE:
        add(values, offsets, out)
        return
    rows, pieces = cut_pieces(offsets, sizes)
    sums = empty(len(pieces) - 1, np.float64)
    add(values, pieces, sums)
    add(sums, rows, out)


def _wide(data: NDArray[Any]) -> NDArray[np.float64]:
    if data.dtype == np.float64:
        return data
    out = empty(len(data), np.float64)
    out[:] = data
    return out


def are_shared(n_values: int, n_rows: int) -> bool:
    """Whether rows are so few and so long that all cores share the pieces of each."""
    return n_values >= strategy.sizes.LARGE_VALUES and n_rows <= blocks.n_cores()


def _bincount(values: NDArray[np.float64], offsets: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    """np.bincount adds the values of each row one after the other, from 0.0."""
    owners = numbers(len(out)).repeat(row_sizes(offsets))
    out[:] = np.bincount(owners, values, len(out))


def cut_pieces(offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pieces of each row: offsets that cut pieces into rows, and values into pieces."""
    n_pieces = -(-sizes // PIECE)
    rows = from_sizes(n_pieces)
    pieces = empty(int(rows[-1]) + 1, np.int64)
    pieces[:-1] = (offsets[:-1] - rows[:-1] * PIECE).repeat(n_pieces)
    pieces[:-1] += np.arange(int(rows[-1])) * PIECE
    pieces[-1] = offsets[-1]
    return rows, pieces


def add_pieces(
    write: Callable[[int, int, NDArray[np.float64]], object], offsets: NDArray[np.int64], row: int, n_sums: int
) -> list[float]:
    """Add sums of a row's pieces from left to right; ``write(at, end, sums)`` computes a core's part, in groups of eight."""
    first, last, group = int(offsets[row]), int(offsets[row + 1]), LANES * PIECE
    n_groups = -(-(last - first) // group)
    sums, step = empty(n_groups * n_sums * LANES, np.float64), max(-(-n_groups // blocks.n_cores()), 1) * group
    blocks.map_tasks(lambda at: write(at, min(at + step, last), sums[(at - first) // PIECE * n_sums :]), range(first, last, step))
    one = np.zeros(n_groups * LANES, np.intp)
    return [float(np.bincount(one, part.reshape(-1), 1)[0]) for part in sums.reshape(n_groups, n_sums, LANES).transpose(1, 0, 2)]


def _sum_long_rows(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Few rows of many values: all cores share the pieces of each."""
    loop = strategy.loop_of("row_sum", find_loop("piece_sums", data.dtype, valid is not None, len(data)), len(data))
    if loop is not None:
        data = np.ascontiguousarray(data)
        for row in range(len(out)):
            (out[row],) = add_pieces(lambda at, end, sums: loop(data, valid, at, end, sums), offsets, row, 1)
        return
    rows, pieces = cut_pieces(offsets, row_sizes(offsets))
    sums = empty(len(pieces) - 1, np.float64)
    step = max(strategy.sizes.CACHE_VALUES // PIECE, 1)

    def task(first: int) -> None:
        last = min(first + step, len(sums))
        items, local = span_of(pieces, first, last)
        with np.errstate(all="ignore"):
            row_sums(data[items], None if valid is None else valid[items], local, sums[first:last])

    blocks.map_tasks(task, range(0, len(sums), step))
    _bincount(sums, rows, out)
