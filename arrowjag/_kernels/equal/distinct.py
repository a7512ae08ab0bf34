"""Distinct items of rows: which items are the first of their kind, and how many there are. Equality is that of `groups`.

Without a compiled loop that compares bytes in place, text is replaced by the codes of a dictionary first, which costs several
times as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import (
    count_block,
    count_true,
    filter_block,
    filter_rows,
    from_sizes,
)
from arrowjag._kernels.base.polars_lists import NUMBERS, count_distinct, takes_long_lists, unique_lists
from arrowjag._kernels.base.texts import text_parts
from arrowjag._kernels.base.words import data_of, from_words, is_variable_size, valid_of, without_validity
from arrowjag._kernels.compiled.library import find_text_loop
from arrowjag._kernels.compiled.loop import TABLE
from arrowjag._kernels.equal import hash_tables
from arrowjag._kernels.equal.encodings import text_first_occurrences
from arrowjag._kernels.equal.groups import find_runs, in_blocks
from arrowjag._kernels.equal.hash_tables import find_first_distinct, n_entries, table_for
from arrowjag._kernels.move.gather import filter_values
from arrowjag._kernels.order import hashing, pairs, small
from arrowjag._kernels.order.sort import Key
from arrowjag._kernels.reduce.counts import n_unique_flags
from arrowjag._kernels.reduce.segments import Block, drop_nulls, over_blocks

__all__ = ["is_first_distinct", "n_unique", "n_unique_texts", "text_is_first_distinct", "unique", "unique_items"]


def unique(keys: Sequence[Key], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The first item of each group of equal items.

    Parameters
    ----------
    keys : sequence of (key, valid)
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
        Of the distinct items.
    first : (n_values,) bool array
        Which items they are.

    Notes
    -----
    O(n_rows + n_values) for one key, for several the cost of `lexsort`.
    """
    first = empty(int(offsets[-1]), np.bool_)
    if strategy.is_small("unique", *keys, ready=lambda: len(keys) == 1 and find_first_distinct(*keys[0]) is not None):
        found, rows = small.groups(keys, small.owners(offsets))
        first[:] = False
        first[found.firsts] = True
        return small.cut(rows, len(offsets) - 1), first

    def block(part: Sequence[Key], local: NDArray[np.int64], base: int) -> NDArray[Any]:
        found, counts = _first_distinct(part[0], local) if len(part) == 1 else (_first_distinct_by_sort(part, local), None)
        first[base : base + len(found)] = found
        return count_block(found, local) if counts is None else counts

    return from_sizes(np.concatenate(in_blocks(block, keys, offsets))), first


def is_first_distinct(key: Key, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item is valid and the first of equal ones in its row, as polars' method of this name.

    5M values in 500k rows take 27 ms of one core by the compiled loop, 45 ms of work for all cores by pairs, polars' list.unique 90
    on one.
    """
    return _first_distinct(key, offsets)[0]


def _first_distinct(key: Key, offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None]:
    """The result of `is_first_distinct`, and the number of distinct items of each row, if the strategy counts them."""
    data, valid = key
    by = strategy.choose("unique", offsets, 1, False, lambda: find_first_distinct(data, valid) is not None)
    if by == "compiled" and (found := hash_tables.is_first_distinct(data, valid, offsets)) is not None:
        return found
    if by == "pairs":
        first = _first_distinct_by_pairs(pairs.comparable(data, valid, only_equal=True), offsets)
        return first if valid is None else first & valid, None
    return _first_distinct_by_hash(data, valid, offsets), None


def _first_distinct_by_sort(keys: Sequence[Key], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    first = zeros(int(offsets[-1]), np.bool_)
    first[find_runs(keys, offsets).firsts] = True
    return first


def _first_distinct_by_pairs(data: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Compare all pairs of items of a row; the data are numbers that compare as the items do."""
    first = np.ones(len(data), np.bool_)
    for short in pairs.short_rows(offsets):
        if short.length > 1:
            short.put(first, pairs.first(short.columns(data)))
    if (long := pairs.long_rows(offsets)) is not None:
        first[long.items] = unique([(data[long.items], None)], long.offsets)[1]
    return first


def _first_distinct_by_hash(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Compare items of equal hashes, in 14 ns per value in rows of any length; a sort takes as long."""
    if valid is None:
        return hashing.is_first_distinct(data, offsets)
    first = zeros(len(data), np.bool_)
    first[valid] = hashing.is_first_distinct(data[valid], filter_block(valid, offsets))
    return first


def text_is_first_distinct(values: pa.Array[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
    """Whether each item is the first of equal ones in its row, no null, and how many of them each row has; None without a loop."""
    loop = find_text_loop("text_is_first_distinct", values)
    if loop is None:
        return None
    if n_entries(offsets) > TABLE and (known := text_first_occurrences(values, offsets)) is not None:
        firsts, counts = known
        return firsts == np.arange(len(values)), counts
    data, cuts, valid = text_parts(values)
    hashes, marks, counts = empty(len(values), np.uint64), empty(len(values), np.bool_), empty(len(offsets) - 1, np.int64)

    def work(first: int, last: int) -> None:
        table = table_for(offsets[first : last + 1])
        loop(data, len(data), cuts, valid, offsets, first, last, table, len(table) - 1, hashes, marks, counts)

    blocks.map_rows(work, offsets)
    return marks, counts


def unique_items(values: pa.Array[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], pa.Array[Any]] | None:
    """The items that `unique` marks, and the offsets that cut them: booleans by counts, text and numbers in long rows by polars.

    None if another strategy is chosen. 1M int64 of few kinds in rows of 1,000 take 3 ms of CPU time, by sorting 16, by the compiled
    loop of `hash_tables.is_first_distinct` 2.
    """
    if pt.is_boolean(values.type):
        return _unique_flags(values, offsets)
    if is_variable_size(values.type):
        by_polars = strategy.choose("row_reduction", offsets, True) == "polars"
    else:
        is_number = pt.is_integer(values.type) or pt.is_float32(values.type) or pt.is_float64(values.type)
        by_polars = is_number and takes_long_lists(data_of(values), offsets) and not _has_marks(values)
    if not by_polars:
        return None
    if (valid := valid_of(values)) is not None:
        values, offsets = filter_values(without_validity(values), valid), filter_rows(valid, offsets)
    return unique_lists(values, offsets)


def _unique_flags(values: pa.Array[Any], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], pa.Array[Any]] | None:
    """The distinct booleans of each row and their offsets: the first one, and its opposite where the row has both."""
    counts = n_unique_flags(values, offsets)
    if counts is None:
        return None
    data = data_of(values)
    if (valid := valid_of(values)) is not None:
        data, offsets = data[valid], filter_rows(valid, offsets)
    cut = from_sizes(counts)
    items, full = empty(int(cut[-1]), np.uint8), counts > 0
    places, first = cut[:-1][full], data[offsets[:-1][full]]
    items[places] = first
    both = counts[full] == 2
    items[places[both] + 1] = first[both] ^ 1
    return cut, from_words(values.type, items)


def _has_marks(values: pa.Array[Any]) -> bool:
    """Whether the loop of `hash_tables.is_first_distinct` is ready."""
    return find_first_distinct(data_of(values), valid_of(values)) is not None


def n_unique_texts(values: pa.Array[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The number of distinct texts of each row, without nulls, by polars; None if another strategy is chosen."""
    if strategy.choose("row_reduction", offsets, is_variable_size(values.type)) == "numpy":
        return None
    found = count_distinct(values, offsets)
    if values.null_count:  # null is one of the distinct items
        found -= count_true(values.is_null().to_numpy(zero_copy_only=False), offsets) > 0
    return found


def n_unique(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], None]:
    """The number of distinct items of each row; nulls are left out, NaN equals NaN and -0.0 equals 0.0.

    Notes
    -----
    O(n_rows + n_values).
    """
    data, offsets = drop_nulls(data, valid, offsets)
    if strategy.is_small("n_unique", (data, None), ready=lambda: find_first_distinct(data, None) is not None):
        return np.bincount(small.groups([(data, None)], small.owners(offsets))[1], minlength=len(offsets) - 1), None
    out = zeros(len(offsets) - 1, np.int64)

    def work(block: Block) -> None:
        _count_distinct(block.data, block.offsets, out[block.rows])

    over_blocks(
        work,
        np.ascontiguousarray(data),
        None,
        offsets,
        pairs.block_values(strategy.sizes.LARGE_VALUES, offsets),
        strategy.sizes.HUGE,
    )
    return out, None


def _count_distinct(data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    # Comparing pairs finds the first of equal items: 36 ms of CPU time for 5M float64 in 500k rows.
    fits = data.dtype.char in NUMBERS
    by = strategy.choose("n_unique", offsets, lambda: find_first_distinct(data, None) is not None, fits)
    if by == "compiled" and (marked := hash_tables.is_first_distinct(data, None, offsets)) is not None:
        out[:] = marked[1]
        return
    if by == "polars":
        out[:] = count_distinct(
            pa.Array.from_buffers(pa.from_numpy_dtype(data.dtype), len(data), [None, pa.py_buffer(data)]), offsets
        )
        return
    if by != "pairs":
        out[:] = count_block(hashing.is_first_distinct(data, offsets), offsets)
        return
    items = pairs.comparable(data, None)
    for short in pairs.short_rows(offsets):
        out[short.rows] = np.add.reduce(pairs.first(short.columns(items)).view(np.uint8), axis=0, dtype=np.uint8)
    if (long := pairs.long_rows(offsets)) is not None:
        found = empty(len(long.rows), np.int64)
        _count_distinct(items[long.items], long.offsets, found)
        out[long.rows] = found
