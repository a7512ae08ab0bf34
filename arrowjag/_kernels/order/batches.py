"""Batches that sorts work on: rows of nearly equal length as one matrix, and one huge row as partitions by value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.offsets import count_true, from_counts, from_sizes, longest_of, row_sizes
from arrowjag._kernels.move.gather import ranges

__all__ = [
    "Codes",
    "PaddedBatch",
    "Parts",
    "low_codes",
    "padded_batches",
    "partition_by_value",
    "place_bits",
    "put_padded",
    "repair",
    "sorted_matrix",
    "take_padded",
    "valid_first",
    "with_tail",
]


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
        """Which cells lie behind the end of their row, of the columns from `shortest` on; all columns before hold items."""
        if self.sizes is None:
            return np.zeros((len(self.starts), 0), np.bool_)
        columns: NDArray[np.bool_] = np.arange(self.shortest, self.width) >= self.sizes[:, None]
        return columns


def padded_batches(offsets: NDArray[np.int64]) -> list[PaddedBatch]:
    """All rows but the empty ones in batches; O(n_rows).

    Notes
    -----
    Rows of similar lengths share a batch: a batch costs several numpy calls, and those for a thousand distinct lengths take longer
    than the sorts. At most an eighth of the cells are padding. argsort of 20k rows of log-normal length (5M values) takes 125 ms
    instead of 250, of 64 short rows 0.3 instead of 0.6. Few values become one matrix: argsort of ten rows takes 70 us instead of
    193.
    """
    sizes = row_sizes(offsets)
    longest, n_values = longest_of(sizes), int(offsets[-1] - offsets[0])
    # A call costs more than padding: use one matrix.
    if n_values < strategy.sizes.MATRIX_VALUES and longest * len(sizes) <= 4 * n_values:
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
    """Extend the data by as many items as a matrix may read beyond its end; no copy if none does."""
    reach = max((int(batch.starts.max()) + batch.width for batch in batches if batch.sizes is not None), default=0)
    return data if reach <= len(data) else np.concatenate([data, np.zeros(reach - len(data), data.dtype)])


def take_padded(data: NDArray[Any], batch: PaddedBatch) -> NDArray[Any]:
    """The rows of a batch as a new matrix, from data `with_tail`; the slots beyond the end of a row are arbitrary."""
    rows = blocks.rows_2d(data, batch.starts, batch.width)
    return rows.copy() if np.may_share_memory(rows, data) else rows


def put_padded(out: NDArray[Any], batch: PaddedBatch, matrix: NDArray[Any]) -> None:
    """Write the rows of a batch, without the slots beyond their ends."""
    if batch.sizes is None:
        blocks.put_rows(out, batch.starts, matrix)
        return
    if batch.whole:
        out[:] = matrix[~batch.beyond()]
        return
    blocks.put_rows(out, batch.starts, matrix[:, : batch.shortest])
    rest = ranges(batch.starts + batch.shortest, batch.sizes - batch.shortest)
    out[rest] = matrix[:, batch.shortest :][~batch.beyond()]


Codes = NDArray[np.uint64]


Parts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The items of a row part by part, in order inside of each; and the offsets of the parts."""


def partition_by_value(codes: Codes, n_bits: int) -> Parts:
    """Partition the items of one row into parts of ascending value, none of them empty; O(n).

    Parameters
    ----------
    codes : (n,) uint64 array
    n_bits : int
        Above these all bits are 0.
    """
    # The first bits of a code choose a bucket. A bucket gets parts in proportion to its items in a sample, so that parts are of
    # similar size for any distribution of codes, unless many codes agree in their first bits: such a part stays long.
    rest = max(0, n_bits - strategy.sizes.PART_BITS)
    sample = codes[:: max(1, len(codes) // strategy.sizes.PART_SAMPLE)] >> np.uint64(rest)
    counts = np.bincount(sample.view(np.int64), minlength=1 << min(n_bits, strategy.sizes.PART_BITS))
    wanted = counts * (min(len(codes) // strategy.sizes.PART_ITEMS, strategy.sizes.MOST_PARTS) / len(sample))
    bits = np.minimum(np.log2(np.maximum(wanted, 1)).astype(np.int64), rest)
    starts = from_counts(np.where(counts > 0, 1 << bits, 0))[:-1]
    starts[counts == 0] -= 1  # a bucket without sampled items joins the part below it
    np.maximum(starts, 0, out=starts)
    top = (codes >> np.uint64(rest)).view(np.int64)
    part = codes & np.uint64((1 << rest) - 1)
    part >>= (rest - bits).astype(np.uint64).take(top)
    part += starts.view(np.uint64).take(top)
    narrow = part.astype(np.uint16)
    n_items = np.bincount(narrow)
    return np.argsort(narrow, kind="stable"), from_counts(n_items[n_items > 0])


_LAST = np.uint64(2**64 - 1)
"""It sorts behind every code with a place in its low bits, because the bits of a place are never all set."""


def low_codes(codes: NDArray[np.uint64], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Subtract the smallest code of each part from its codes, in place, so that bits are left for places; no part is empty."""
    codes -= np.minimum.reduceat(codes, offsets[:-1]).repeat(row_sizes(offsets))
    return codes


def place_bits(batch: PaddedBatch) -> int:
    """How many low bits of a matrix hold places; they are never all set."""
    return batch.width.bit_length()


def sorted_matrix(codes: NDArray[np.uint64], batch: PaddedBatch, cut: np.uint64) -> NDArray[np.uint64]:
    """The rows of a batch sorted, each code (without its last `cut` bits) with its place in the low bits."""
    matrix = take_padded(codes, batch)
    if cut:
        matrix >>= cut
    matrix <<= np.uint64(place_bits(batch))
    matrix |= np.arange(batch.width, dtype=np.uint64)
    matrix[:, batch.shortest :][batch.beyond()] = _LAST
    matrix.sort(axis=1)
    return matrix


def repair(order: NDArray[np.int64], codes: NDArray[np.uint64], cut: np.uint64, batch: PaddedBatch) -> None:
    """Sort codes that differ in their last `cut` bits only, in place: they are adjacent so far, in order of their positions."""
    beyond = batch.beyond()
    order[:, batch.shortest :][beyond] = 0
    full = codes[order]
    full[:, batch.shortest :][beyond] = _LAST
    bad = np.flatnonzero((full[:, 1:] < full[:, :-1]).any(axis=1))
    if len(bad) == 0:
        return
    full, rows = full[bad], order[bad]
    tie = np.diff(full >> cut, axis=1) == 0
    in_run, begins = np.zeros(full.shape, np.bool_), np.ones(full.shape, np.bool_)
    in_run[:, 1:], begins[:, 1:] = tie, ~tie
    in_run[:, :-1] |= tie
    run = np.cumsum(begins.ravel())[in_run.ravel()]
    rows[in_run] = rows[in_run][np.lexsort((full[in_run], run))]
    order[bad] = rows


def valid_first(valid: NDArray[np.bool_], offsets: NDArray[np.int64], out: NDArray[np.bool_]) -> None:
    """Flags of sorted rows: True for as many slots from the first as the row has valid items."""
    n_valid = count_true(valid, offsets)
    out[:] = True
    n_null = row_sizes(offsets) - n_valid
    rows = n_null.nonzero()[0]
    out[ranges((offsets[:-1] + n_valid)[rows], n_null[rows])] = False
