"""Rows of nearly equal length as one matrix to work in: few matrices, however many distinct lengths there are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.offsets import from_sizes, row_sizes
from arrowjag._kernels.move.gather import ranges

__all__ = ["PaddedBatch", "padded_batches", "put_padded", "take_padded", "with_tail"]


class PaddedBatch(NamedTuple):
    """Rows that share a matrix as wide as the longest of them."""

    starts: NDArray[np.int64]
    width: int
    shortest: int
    sizes: NDArray[np.int64] | None
    """None where all rows are as long as the matrix is wide."""

    whole: bool = False
    """Whether these are all rows that own values, in order."""

    def beyond(self) -> NDArray[np.bool_]:
        """Of the columns from `shortest` on, the cells behind the end of their row."""
        if self.sizes is None:
            return np.zeros((len(self.starts), 0), np.bool_)
        columns: NDArray[np.bool_] = np.arange(self.shortest, self.width) >= self.sizes[:, None]
        return columns


def padded_batches(offsets: NDArray[np.int64]) -> list[PaddedBatch]:
    """All rows but the empty ones in batches; O(n_rows).

    Notes
    -----
    A numpy call costs microseconds, so that a thousand distinct lengths cost more than sorting their rows. Padding wastes at most
    an eighth and took argsort of 20k rows of log-normal length (5M values) from 250 ms to 125, and 64 short rows from 0.6 to 0.3.
    Few values are one matrix, which takes argsort of ten rows from 193 microseconds to 70.
    """
    sizes = row_sizes(offsets)
    longest, n_values = int(sizes.max(initial=0)), int(offsets[-1] - offsets[0])
    if n_values < strategy.sizes.MATRIX_VALUES and longest * len(sizes) <= 4 * n_values:  # a call costs more than cells: one matrix
        rows = sizes.nonzero()[0]
        return [PaddedBatch(offsets[rows], longest, 0, sizes[rows], whole=True)] if len(rows) else []
    exact = longest <= (4 if n_values < strategy.sizes.MATRIX_VALUES else 31)
    found = []
    for _, rows in blocks.batches(offsets if exact else from_sizes(_rounded(sizes, n_values))):
        own = sizes[rows]
        width, shortest = (int(own[0]),) * 2 if exact else (int(own.max()), int(own.min()))
        found.append(PaddedBatch(offsets[rows], width, shortest, None if width == shortest else own))
    return found


def _rounded(sizes: NDArray[np.int64], n_values: int) -> NDArray[np.int64]:
    """Sizes rounded up to the next of a few steps in each power of two."""
    few = n_values < strategy.sizes.MATRIX_VALUES
    n_bits = np.frexp(sizes)[1].astype(np.int64)
    unit = np.left_shift(1, np.maximum(0, n_bits - (1 if few else 4)))
    unit[sizes <= (4 if few else 31)] = 1
    return -(-sizes // unit) * unit


def with_tail(data: NDArray[Any], batches: list[PaddedBatch]) -> NDArray[Any]:
    """The data with as much behind it as a matrix may read beyond its end; no copy where none does."""
    reach = max((int(batch.starts.max()) + batch.width for batch in batches if batch.sizes is not None), default=0)
    return data if reach <= len(data) else np.concatenate([data, np.zeros(reach - len(data), data.dtype)])


def take_padded(data: NDArray[Any], batch: PaddedBatch) -> NDArray[Any]:
    """The rows of a batch as a new matrix, from data `with_tail`; what stands beyond a row's end is arbitrary."""
    rows = blocks.rows_2d(data, batch.starts, batch.width)
    return rows.copy() if np.may_share_memory(rows, data) else rows


def put_padded(out: NDArray[Any], batch: PaddedBatch, matrix: NDArray[Any]) -> None:
    """Write the rows of a batch, without what is beyond their ends."""
    if batch.sizes is None:
        blocks.put_rows(out, batch.starts, matrix)
        return
    if batch.whole:
        out[:] = matrix[~batch.beyond()]
        return
    blocks.put_rows(out, batch.starts, matrix[:, : batch.shortest])
    rest = ranges(batch.starts + batch.shortest, batch.sizes - batch.shortest)
    out[rest] = matrix[:, batch.shortest :][~batch.beyond()]
