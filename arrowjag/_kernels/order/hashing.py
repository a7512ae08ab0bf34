"""Equal items of rows by hashes: each row has a table of its own, and all tables of a block are filled and read at once.

The cost does not grow with the length of a row, as it does by pairs or by sorting. Multiplied by an odd number, codes stay
different. The first bits of the product select a cell of the row's table. The cell stores the other bits, followed by the position
of the item in the row: a table has more cells than the row has items, so all bits fit, and one comparison shows whether the cell
holds an equal item. Items whose cell holds another item are put into a next table, which is made for them alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import equality_codes
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_counts, row_sizes, span_of
from arrowjag._kernels.order.batches import Codes, Parts
from arrowjag._kernels.order.rank import sorted_runs

__all__ = [
    "FACTORS",
    "FREE",
    "HashedItems",
    "first_occurrences",
    "hash_bits",
    "is_first_distinct",
    "nonzero",
    "partition_by_hash",
    "places_of",
    "tables_of",
]

FACTORS = [np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD, 0xD6E8FEB86659FD93)]
"""The factor of each table: different items that share a cell of one table rarely share one of the next."""

FREE = np.uint64(2**64 - 1)
"""The number in an empty cell: a position beyond every row."""


def is_first_distinct(key: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item is the first of those in its row that equal it.

    Parameters
    ----------
    key : (n_values,) integer, float or bool array
        NaN equals NaN, -0.0 equals 0.0.
    offsets : (n_rows + 1,) int64 array

    Notes
    -----
    O(n_rows + n_values).
    """
    out = empty(len(key), np.bool_)

    def put(items: Any, steps: NDArray[np.int64]) -> None:
        out[items] = steps == 0

    _over_rows(key, offsets, put)
    return out


def first_occurrences(key: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first item of its row that each item equals, as its number; arguments and cost are those of `is_first_distinct`."""
    out = empty(len(key), np.int64)

    def put(items: Any, steps: NDArray[np.int64]) -> None:
        numbers = np.arange(items.start, items.stop) if isinstance(items, slice) else items
        out[items] = numbers[np.arange(len(numbers)) - steps]

    _over_rows(key, offsets, put)
    return out


def _over_rows(key: NDArray[Any], offsets: NDArray[np.int64], put: Any) -> None:
    """Call put(items, steps) block by block: `steps` are the distances of the items of a slice to their first equal item."""

    def block(first: int, last: int) -> None:
        span, local = span_of(offsets, first, last)
        if strategy.choose("hash_row", local) == "partition":
            _over_parts(equality_codes(key[span]), span.start, put)
            return
        # If several items share a cell, the last write remains, so items are written in reverse order.
        backwards = equality_codes(key[span][::-1]), from_counts(row_sizes(local)[::-1])
        put(span, _steps(*backwards)[::-1])

    map_rows(
        block, offsets, min_values=strategy.sizes.HASH_BLOCK, block_values=strategy.sizes.HASH_BLOCK, alone=strategy.sizes.HUGE
    )


def _over_parts(codes: Codes, base: int, put: Any) -> None:
    order, cuts = partition_by_hash(codes, hash_bits(len(codes)))

    def block(first: int, last: int) -> None:
        span, local = span_of(cuts, first, last)
        items = order[span]
        steps = _steps(codes.take(items, mode="clip")[::-1], from_counts(row_sizes(local)[::-1]))[::-1]
        put(items + base if base else items, steps)

    map_rows(block, cuts, min_values=strategy.sizes.HASH_BLOCK, block_values=strategy.sizes.HASH_BLOCK)


class HashedItems(NamedTuple):
    """Items, and the table of their row, which has 2 ** n_bits cells: at least four times as many as items."""

    codes: Codes
    n_bits: Codes
    bases: NDArray[np.int64]

    def take(self, items: NDArray[np.int64]) -> HashedItems:
        return HashedItems(self.codes[items], self.n_bits[items], self.bases[items])

    def hashed(self, level: int) -> tuple[NDArray[np.int64], Codes]:
        """The cell of each item, and the bits of its hash that did not choose the cell, above as many zeros."""
        codes = self.codes ^ (self.codes >> np.uint64(32 - level)) if level else self.codes
        hashes = codes * FACTORS[level]
        entries = hashes << self.n_bits
        hashes >>= np.uint64(64) - self.n_bits
        cells = hashes.view(np.int64)
        cells += self.bases
        return cells, entries


class _Tables(NamedTuple):
    """The tables of rows, side by side."""

    n_bits: Codes
    offsets: NDArray[np.int64]

    def items(self, codes: Codes, sizes: NDArray[np.int64]) -> HashedItems:
        """Items of rows of these sizes."""
        return HashedItems(codes, self.n_bits.repeat(sizes), self.offsets[:-1].repeat(sizes))

    def cells(self) -> Codes:
        return empty(int(self.offsets[-1]), np.uint64)


def tables_of(sizes: NDArray[np.int64]) -> _Tables:
    """The layout of the tables of rows of these sizes: at least four cells for each item, a power of two."""
    n_bits = np.frexp(4 * sizes - 1)[1]
    return _Tables(n_bits.astype(np.uint64), from_counts(np.left_shift(1, n_bits, dtype=np.int64)))


def nonzero(values: Codes) -> NDArray[np.int64]:
    """The places of values that are not 0. Compared with 0 first, a value takes numpy 0.8 ns, else 2.4."""
    places: NDArray[np.int64] = (values != 0).nonzero()[0]
    return places


def places_of(offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> Codes:
    """The position of each item in its row, unsigned as the entries of tables are."""
    places = np.arange(offsets[-1])
    places -= offsets[:-1].repeat(sizes)
    return places.view(np.uint64)


def _steps(codes: Codes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each item, the distance to the last item of its row that equals it."""
    sizes = row_sizes(offsets)
    tables = tables_of(sizes)
    items, table = tables.items(codes, sizes), tables.cells()
    places = places_of(offsets, sizes)
    cells, entries = items.hashed(0)
    entries |= places
    table[cells] = entries
    held = table.take(cells, mode="clip")
    steps: NDArray[np.int64] = (held - entries).view(np.int64)
    held ^= entries
    left = nonzero(held >> items.n_bits)
    for level in range(1, len(FACTORS)):
        if len(left) == 0:
            return steps
        part = items.take(left)
        cells, entries = part.hashed(level)
        entries |= places[left]
        table[cells] = entries
        held = table.take(cells, mode="clip")
        steps[left] = held - entries
        held ^= entries
        left = left[nonzero(held >> part.n_bits)]
    if len(left):
        steps[left] = left[_sorted_steps(codes[left], left.searchsorted(offsets))] - left
    return steps


def _sorted_steps(codes: Codes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each item the last equal one, by a sort: for items that collided in every table, as crafted data can."""
    order, begins = sorted_runs([(codes, None)], offsets)
    ends = np.append(begins[1:], [True]).nonzero()[0]
    last = empty(len(order), np.int64)
    last[order] = order[ends].repeat(np.diff(ends, prepend=-1))
    return last


_FACTOR = np.uint64(0xBF58476D1CE4E5B9)


def hash_bits(n: int) -> int:
    """Return how many bits of a hash select the part of an item, for `n` items."""
    return min(strategy.sizes.PART_BITS, (n // strategy.sizes.HASH_PART).bit_length())


def partition_by_hash(codes: Codes, n_bits: int) -> Parts:
    """Partition codes so that equal codes share a part; O(n). pyarrow counts numbers of up to 12 bits: 2 to 4 ns an item."""
    part = ((codes * _FACTOR) >> np.uint64(64 - n_bits)).astype(np.uint16)
    order = pc.array_sort_indices(pa.array(part)).to_numpy().view(np.int64)
    return order, from_counts(np.bincount(part, minlength=1 << n_bits))
