"""Short rows, every item compared with every other one of its row: places, ranks, groups and distinct items without a sort.

The rows of one length are the columns of a matrix, so that one numpy call compares a pair of slots in all of them, several rows per
instruction. The 50 comparisons of a row of ten take 1 ns per value; a sort that also moves places takes 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.codes import plain_codes, sort_codes
from arrowjag._kernels.base.extremes import holds_nan
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.base.offsets import from_sizes, row_sizes, runs
from arrowjag._kernels.compiled.library import find_loop

__all__ = [
    "Long",
    "Short",
    "block_values",
    "comparable",
    "comparable_pair",
    "first",
    "group_numbers",
    "in_small_blocks",
    "long_in_either",
    "long_rows",
    "member",
    "places",
    "put_order",
    "ranks",
    "short_pairs",
    "short_rows",
    "times",
]

Matrix = NDArray[Any]
"""(length, rows): row j of it holds item j of each row."""


class Short(NamedTuple):
    """Rows of one length."""

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    length: int

    def columns(self, data: NDArray[Any]) -> Matrix:
        """The items of the rows, one row per column."""
        return np.ascontiguousarray(blocks.rows_2d(data, self.starts, self.length).T)

    def put(self, out: NDArray[Any], columns: Matrix) -> None:
        """Write results of the items, in the layout of `columns`, to the places of the items."""
        blocks.put_rows(out, self.starts, columns.T)


class Long(NamedTuple):
    """Rows that are too long for pairs: their numbers, offsets of their own, and the numbers of their items."""

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int64]


def block_values(sorting: int, *offsets: NDArray[np.int64]) -> int:
    """Values per task; `sorting` if most values are in rows too long for pairs."""
    return strategy.sizes.PAIRS_BLOCK if strategy.short_share(*offsets) else sorting


def in_small_blocks(key: np.dtype[Any], offsets: NDArray[np.int64]) -> bool:
    """Whether blocks that stay in cache are sorted as fast as all rows at once: if most rows are short, and their loop is ready."""
    n_values = int(offsets[-1])
    if n_values < strategy.sizes.THREAD_VALUES or find_loop("short_order", key, False, n_values) is None:
        return False
    return not strategy.long_share(offsets)


def short_rows(offsets: NDArray[np.int64]) -> Iterator[Short]:
    """The rows that are not empty nor long, in batches of one length."""
    longest = strategy.sizes.PAIRS_LENGTH
    for length, rows in blocks.batches(offsets, max_values=strategy.sizes.BATCH_VALUES):
        if length <= longest:
            yield Short(rows, offsets[rows], length)


def long_rows(offsets: NDArray[np.int64]) -> Long | None:
    """The rows that are too long for pairs; None if there are none."""
    rows = (row_sizes(offsets) > strategy.sizes.PAIRS_LENGTH).nonzero()[0]
    return _rows_of(rows, offsets) if len(rows) else None


def _rows_of(rows: NDArray[np.int64], offsets: NDArray[np.int64]) -> Long:
    cuts = from_sizes(offsets[rows + 1] - offsets[rows])
    return Long(rows, cuts, runs(offsets[rows], cuts))


def comparable(
    key: NDArray[Any], valid: NDArray[np.bool_] | None, descending: bool = False, *, only_equal: bool = False
) -> NDArray[Any]:
    """Numbers that compare as the items are ordered: numbers, then NaN, then nulls. If the keys compare so, they are returned.

    With `only_equal` they have to be equal where items are, but need not be in order, and a null may be unequal to all, itself too.
    """
    is_float = key.dtype.kind == "f"
    if key.dtype == np.float16:
        key = key.astype(np.float32)
    if key.dtype.kind == "b":
        key = key.view(np.uint8)
    if valid is not None and is_float and only_equal:
        if not holds_nan(filled(key, valid, 0)):
            return filled(key, valid, np.nan)
    elif valid is not None or not holds_nan(key):
        rising = (np.negative if is_float else np.invert)(key) if descending else key
        if (found := rising if valid is None else _nulls_last(rising, valid)) is not None:
            return _narrow(found)[0]
    return _narrow(sort_codes(key, valid, descending)[0])[0]


def _nulls_last(numbers: NDArray[Any], valid: NDArray[np.bool_]) -> NDArray[Any] | None:
    """Replace nulls by a number greater than all others; None if there is no such number, or some are NaN."""
    limits = np.finfo(numbers.dtype) if numbers.dtype.kind == "f" else np.iinfo(numbers.dtype)
    most = filled(numbers, valid, limits.min).max(initial=limits.min)
    if not most < limits.max:
        return None
    return filled(numbers, valid, np.inf if numbers.dtype.kind == "f" else most + 1)


def _narrow(*keys: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Convert integers that lie close together to bytes, in the same order: `unique` of few different ones takes 40 ms, not 66."""
    if keys[0].dtype.kind not in "iu" or keys[0].dtype.itemsize == 1 or not all(map(len, keys)):
        return keys
    for step in (True, False):  # for most data, a sample already has too wide a range
        probes = [key[:: max(1, len(key) // 64)] if step else key for key in keys]
        low, high = min(int(one.min()) for one in probes), max(int(one.max()) for one in probes)
        if high - low > 255:
            return keys
    return tuple(np.subtract(key, low, out=np.empty(len(key), np.uint8), casting="unsafe") for key in keys)


def places(columns: Matrix) -> NDArray[np.uint8]:
    """The position of each item in its sorted row, from 0; the sort is stable."""
    length = len(columns)
    found = np.zeros(columns.shape, np.uint8)
    for j in range(1, length):
        behind = np.greater(columns[:j], columns[j]).view(np.uint8)
        np.subtract(j, np.add.reduce(behind, axis=0, dtype=np.uint8), out=found[j], casting="unsafe")
        found[:j] += behind
    return found


def put_order(out: NDArray[np.int64], columns: Matrix, starts: NDArray[np.int64], *, slots: bool = False) -> None:
    """Write the items of each row in sorted order where the row starts, by number or by slot: the inverse of `places`."""
    target = places(columns).astype(np.int64)
    target += starts
    items = np.arange(len(columns))[:, None]
    out[target.reshape(-1)] = (np.broadcast_to(items, columns.shape) if slots else starts + items).reshape(-1)


def ranks(columns: Matrix, method: str) -> NDArray[Any]:
    """Ranks from 1 by the method; twice the rank for "average"."""
    if method == "ordinal" or (is_first := first(columns)).all():
        found = places(columns)
        found += 1
        return 2 * found if method == "average" else found
    if method == "dense":
        return _dense_ranks(columns, is_first)
    least = np.ones(columns.shape, np.uint8)
    equals = np.zeros(columns.shape, np.uint8)
    for j in range(1, len(columns)):
        above = np.greater(columns[:j], columns[j]).view(np.uint8)
        equal = np.equal(columns[:j], columns[j]).view(np.uint8)
        least[:j] += above
        equals[:j] += equal
        equals[j] = np.add.reduce(equal, axis=0, dtype=np.uint8)
        least[j] += np.uint8(j)
        least[j] -= np.add.reduce(above, axis=0, dtype=np.uint8)
        least[j] -= equals[j]
    if method == "min":
        return least
    return least + equals if method == "max" else 2 * least + equals


def _dense_ranks(columns: Matrix, is_first: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """How many different items are not greater."""
    found = np.ones(columns.shape, np.uint8)
    for j in range(1, len(columns)):
        above = np.greater(columns[:j], columns[j])
        below = np.less(columns[:j], columns[j])
        above &= is_first[j]
        below &= is_first[:j]
        found[:j] += above.view(np.uint8)
        found[j] += np.add.reduce(below.view(np.uint8), axis=0, dtype=np.uint8)
    return found


def first(columns: Matrix) -> NDArray[np.bool_]:
    """Whether no earlier item of its row equals an item."""
    found = np.ones(columns.shape, np.bool_)
    for j in range(1, len(columns)):
        np.logical_and.reduce(np.not_equal(columns[:j], columns[j]), axis=0, out=found[j])
    return found


def times(columns: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Whether no earlier item of its row equals an item, and how often it occurs from its slot on: for a first item, in its row."""
    is_first = np.ones(columns.shape, np.bool_)
    found = np.ones(columns.shape, np.uint8)
    for j in range(1, len(columns)):
        same = np.equal(columns[:j], columns[j])
        found[:j] += same.view(np.uint8)
        np.logical_or.reduce(same, axis=0, out=is_first[j])
        np.logical_not(is_first[j], out=is_first[j])
    return is_first, found


def group_numbers(columns: Matrix) -> NDArray[np.uint8]:
    """The number of the group of equal items each item is in, from 0 by first appearance."""
    numbers = np.ones(columns.shape, np.uint8)  # from 1, because 0 means no group
    last = np.ones(columns.shape[1], np.uint8)
    for j in range(1, len(columns)):
        same = np.equal(columns[:j], columns[j]).view(np.uint8)
        same *= numbers[:j]
        np.maximum.reduce(same, axis=0, out=numbers[j])
        new = numbers[j] == 0
        last += new
        np.copyto(numbers[j], last, where=new)
    numbers -= 1
    return numbers


def short_pairs(offsets_x: NDArray[np.int64], offsets_y: NDArray[np.int64]) -> Iterator[tuple[Short, NDArray[np.int64]]]:
    """Rows of x that are not empty nor long, in batches of one length, those with most items in y first; and their sizes in y.

    Rows that are long in y are left out too.
    """
    sizes_x, sizes_y, longest = row_sizes(offsets_x), row_sizes(offsets_y), strategy.sizes.PAIRS_LENGTH
    both = np.where((sizes_x > longest) | (sizes_y > longest), 0, sizes_x * (longest + 1) + (longest - sizes_y) * (sizes_x > 0))
    rows, ordered = blocks.order_by_size(both)
    lengths = ordered // (longest + 1)
    bounds = np.searchsorted(lengths, np.arange(1, longest + 2)).tolist()
    for length, (start, end) in enumerate(pairwise(bounds), 1):
        step = max(1, strategy.sizes.BATCH_VALUES // length)
        for low in range(start, end, step):
            part = rows[low : min(low + step, end)]
            yield Short(part, offsets_x[part], length), sizes_y[part]


def long_in_either(offsets_x: NDArray[np.int64], offsets_y: NDArray[np.int64]) -> tuple[Long, Long] | None:
    """The rows that are long in x or in y; None if there are none."""
    longest = strategy.sizes.PAIRS_LENGTH
    rows = ((row_sizes(offsets_x) > longest) | (row_sizes(offsets_y) > longest)).nonzero()[0]
    return (_rows_of(rows, offsets_x), _rows_of(rows, offsets_y)) if len(rows) else None


def comparable_pair(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers of both columns that are equal where the keys are: NaN equals NaN."""
    if holds_nan(x) or holds_nan(y):
        return plain_codes(x), plain_codes(y)
    if x.dtype.kind in "iu":
        one, two = _narrow(x, y)
        return one, two
    return comparable(x, None), comparable(y, None)


def member(columns: Matrix, others: NDArray[Any], sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item equals one of the first sizes[row] `others` of its row; sizes never rise from row to row."""
    found = np.zeros(columns.shape, np.bool_)
    reach = np.searchsorted(-sizes, -np.arange(len(others)))  # how many rows have an item j
    for other, n_rows in zip(others, reach.tolist(), strict=True):
        found[:, :n_rows] |= np.equal(columns[:, :n_rows], other[:n_rows])
    return found
