"""Find equal items of rows by hash tables in compiled loops: groups, and membership in other rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import same_bits
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts, longest_of, row_sizes
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loop import PART_BITS, SLOTS, TABLE

__all__ = [
    "Groups",
    "can_group",
    "equal_members",
    "find_first_distinct",
    "find_first_occurrences",
    "find_members",
    "first_occurrences",
    "groups",
    "is_first_distinct",
    "members",
    "n_entries",
    "table_for",
    "table_or_division",
    "type_of_bits",
]


def find_first_occurrences(data: NDArray[Any], valid: NDArray[np.bool_] | None) -> Compiled | None:
    """The compiled loop of `first_occurrences` for the bits of items, if it is ready."""
    return _find("first_occurrences", data, valid)


def find_first_distinct(data: NDArray[Any], valid: NDArray[np.bool_] | None) -> Compiled | None:
    """The compiled loop of `is_first_distinct` for the bits of items, if it is ready."""
    return _find("is_first_distinct", data, valid)


def _find(name: str, data: NDArray[Any], valid: NDArray[np.bool_] | None) -> Compiled | None:
    bits = type_of_bits(data.dtype)
    return None if bits is None else find_loop(name, bits, valid is not None, len(data), often=True)


def type_of_bits(dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The unsigned type of the same width, in which loops compare items; None for other types than booleans and numbers."""
    return np.dtype(f"u{dtype.itemsize}") if dtype.kind in "buif" and dtype.itemsize <= 8 else None


def table_for(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """An empty hash table for the loop `first_occurrences`, of as many entries as `n_entries` says that these rows need."""
    return _empty_table(n_entries(offsets))


def n_entries(offsets: NDArray[np.int64]) -> int:
    """How many entries a hash table for these rows has: a power of two.

    At least two for each item of the longest row (if there are few values: of all rows), and up to `SLOTS` as long as the table has
    fewer entries than there are values.
    """
    n_values = int(offsets[-1] - offsets[0])
    longest = n_values if n_values < strategy.sizes.SMALL_VALUES else longest_of(row_sizes(offsets))
    size = 16
    while size < 2 * longest or (size < SLOTS * longest and size < min(n_values, TABLE)):
        size *= 2
    return size


def _empty_table(size: int) -> NDArray[np.int64]:
    table = empty(size, np.int64)
    table.fill(-1)
    return table


def table_or_division(bits: np.dtype[Any], nulls: bool, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], Compiled | None]:
    """The table of `table_for`, but of `TABLE` entries at most and with the loop that divides rows, if that is ready."""
    size = n_entries(offsets)
    divide = find_loop("divided", bits, nulls, int(offsets[-1] - offsets[0]), often=True) if size > TABLE else None
    return _empty_table(size if divide is None else TABLE), divide


def first_occurrences(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The first item of its row that each item equals, as its number, -1 for a null; and the number of distinct items of each row.

    None if no loop is ready. NaN equals NaN, and -0.0 equals 0.0. O(n_values): 5M float64 in 500k rows take 28 ms of one core, in
    rows of 1,000 as well. Only a huge row of many different items is done on all cores.
    """
    return _firsts(find_first_occurrences(data, valid), data, valid, offsets, np.int64)


def is_first_distinct(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]] | None:
    """Whether each item is the first of equal ones in its row, as polars' method; and the number of distinct items of each row.

    A null is False. None if no loop is ready; equality and cost are those of `first_occurrences`.
    """
    return _firsts(find_first_distinct(data, valid), data, valid, offsets, np.bool_)


def _firsts(
    loop: Compiled | None, data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], dtype: type[np.generic]
) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    if loop is None:
        return None
    found, counts = (zeros if dtype is np.bool_ else empty)(len(data), dtype), empty(len(offsets) - 1, np.int64)
    _run(loop, same_bits(data), valid, offsets, found, counts)
    return found, counts


def _run(
    loop: Compiled,
    values: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    found: NDArray[Any],
    counts: NDArray[np.int64],
    level: int = 0,
) -> None:
    """Run the loop on all rows; a row is divided by hashes if too many of its items differ for a table that stays in a cache."""
    table, divide = table_or_division(values.dtype, valid is not None, offsets)
    row = 0
    while row := loop(values, valid, offsets, row, len(counts), table, len(table) - 1, found, counts):
        assert divide is not None  # if it is None, the table is large enough for all rows
        items = slice(int(offsets[row - 1]), int(offsets[row]))
        there = None if valid is None else valid[items]
        parts = _divided(divide, values[items], there, level)
        counts[row - 1] = _run_parts(loop, parts, there is not None, found[items], items.start, level + 1)


class _Parts(NamedTuple):
    """The items of a row in parts, each in the order of the row; equal items are in one part."""

    cuts: NDArray[np.int64]
    values: NDArray[Any]
    slots: NDArray[np.int64]
    """The place of each item in its row."""


def _divided(divide: Compiled, values: NDArray[Any], valid: NDArray[np.bool_] | None, level: int) -> _Parts:
    n, n_parts = len(values), 1 << PART_BITS
    parts = _Parts(zeros(n_parts + 1, np.int64), empty(n, values.dtype), empty(n, np.int64))
    divide(values, valid, n, level, empty(n_parts, np.int64), *parts)
    return parts


def _run_parts(loop: Compiled, parts: _Parts, nulls: bool, found: NDArray[Any], base: int, level: int) -> int:
    """Run the loop on the parts of one row, whose first item has the number `base`; return the number of distinct items."""
    marks = found.dtype == np.bool_
    found[:] = 0 if marks else -1

    def work(first: int, last: int) -> int:
        cuts = parts.cuts[first : last + 1]
        items = slice(int(cuts[0]), int(cuts[-1]))
        values, slots = parts.values[items], parts.slots[items]
        # Parts have no nulls, but the variant of the loop for nulls reads flags.
        there = np.ones(len(values), np.bool_) if nulls else None
        marked, counts = (zeros if marks else empty)(len(values), found.dtype), empty(last - first, np.int64)
        _run(loop, values, there, cuts - cuts[0], marked, counts, level)
        found[slots] = marked if marks else slots[marked] + base
        return int(counts.sum())

    return sum(map_rows(work, parts.cuts))


def find_members(data: NDArray[Any], n_values: int, name: str = "members") -> Compiled | None:
    """The compiled loop that looks up items among others of their row, if it is ready for the bits of items."""
    bits = type_of_bits(data.dtype)
    return None if bits is None else find_loop(name, bits, False, n_values, often=True)


def members(
    loop: Compiled, data: NDArray[Any], offsets: NDArray[np.int64], known: NDArray[Any], cuts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether each item occurs in the same row of `known`; there are no nulls. NaN equals NaN, and -0.0 equals 0.0."""
    found = empty(len(data), np.bool_)
    _look_up(loop, same_bits(data), offsets, same_bits(known), cuts, found)
    return found


def equal_members(
    loop: Compiled, data: NDArray[Any], offsets: NDArray[np.int64], known: NDArray[Any], cuts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    """The number of the item of `known` that each item equals, -1 if there is none; and whether `known` repeats none."""
    found, values, others = empty(len(data), np.int64), same_bits(data), same_bits(known)

    def work(first: int, last: int) -> bool:
        return _look_up(loop, values, offsets[first : last + 1], others, cuts[first : last + 1], found)

    return found, not any(map_rows(work, offsets + cuts))


def _look_up(
    loop: Compiled,
    values: NDArray[Any],
    offsets: NDArray[np.int64],
    known: NDArray[Any],
    cuts: NDArray[np.int64],
    found: NDArray[Any],
    level: int = 0,
) -> bool:
    """Run a loop of membership on all rows; return whether `equal_members` found equal items in a row of `known`."""
    table, divide = table_or_division(values.dtype, False, cuts)
    row, repeats = 0, False
    while True:
        row, one = divmod(loop(values, offsets, known, cuts, row, len(cuts) - 1, table, len(table) - 1, found), 2)
        repeats |= one == 1
        if row == 0:
            return repeats
        assert divide is not None  # if it is None, the table is large enough for all rows
        items, others = (slice(int(ends[row - 1]), int(ends[row])) for ends in (offsets, cuts))
        parts, known_parts = _divided(divide, values[items], None, level), _divided(divide, known[others], None, level)
        repeats |= _look_up_parts(loop, parts, known_parts, found[items], others.start, level + 1)


def _look_up_parts(loop: Compiled, parts: _Parts, known: _Parts, found: NDArray[Any], base: int, level: int) -> bool:
    """Run a loop of membership on the parts of one row; the first item of its row of `known` has the number `base`."""

    def work(first: int, last: int) -> bool:
        cuts, known_cuts = parts.cuts[first : last + 1], known.cuts[first : last + 1]
        items, others = (slice(int(ends[0]), int(ends[-1])) for ends in (cuts, known_cuts))
        out = empty(items.stop - items.start, found.dtype)
        what = parts.values[items], cuts - cuts[0], known.values[others], known_cuts - known_cuts[0]
        repeats = _look_up(loop, *what, out, level)
        if found.dtype != np.bool_:
            hits = out >= 0
            out[hits] = known.slots[others][out[hits]] + base
        found[parts.slots[items]] = out
        return repeats

    return any(map_rows(work, parts.cuts + known.cuts))


class Groups(NamedTuple):
    """The groups of equal items of some rows, in the order of their first items."""

    offsets: NDArray[np.int64]
    """Cuts the groups into rows."""
    cuts: NDArray[np.int64]
    """Cuts the items into groups."""
    items: NDArray[np.int64]
    """Item numbers, ascending inside a group."""


def can_group(data: NDArray[Any], valid: NDArray[np.bool_] | None) -> bool:
    """Whether the loops of `groups` are ready."""
    return (
        find_first_occurrences(data, valid) is not None
        and find_loop("grouped_items", np.dtype(np.int64), False, len(data), often=True) is not None
    )


def groups(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> Groups | None:
    """The items of each group; None if a loop is not ready. O(n_rows + n_values): two passes after that of `first_occurrences`."""
    loop = find_loop("grouped_items", np.dtype(np.int64), False, len(data), often=True)
    found = first_occurrences(data, valid, offsets) if loop is not None else None
    if loop is None or found is None:
        return None
    firsts, counts = found
    group_offsets = from_counts(counts)
    n_items = len(data) if valid is None else int(np.count_nonzero(valid))
    cuts, items = empty(int(group_offsets[-1]) + 1, np.int64), empty(n_items, np.int64)
    cuts[0] = 0
    loop(firsts, offsets, 0, len(counts), empty(len(data), np.int64), cuts, items)
    return Groups(group_offsets, cuts, items)
