"""Lexsort path for fewer than 1000 values, where call overhead (40 to 80 microseconds) dominates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base.memory import numbers
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.words import or_all

__all__ = ["Key", "Runs", "argsort", "combine", "cut", "differs", "groups", "lookup", "member", "owners", "search"]

Key = tuple[NDArray[Any], NDArray[np.bool_] | None]
"""A key of each item, and which items have one."""


def owners(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of each item."""
    return numbers(len(offsets) - 1).repeat(offsets[1:] - offsets[:-1])


def argsort(key: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], descending: bool) -> NDArray[np.int64]:
    """The order that sorts each row, stable: numbers, NaN, nulls. 100 values take 6 microseconds where matrices take 45."""
    items = key.view(np.uint8) if key.dtype.kind == "b" else key
    if descending:
        items = np.negative(items) if key.dtype.kind == "f" else np.invert(items)
    if valid is None:
        return np.lexsort((items, owners(offsets)))
    null = ~valid
    items = items.copy()
    items[null] = 0
    return np.lexsort((items, null, owners(offsets)))


class Runs(NamedTuple):
    """The groups of all rows as runs of the sorted items; groups with a null are left out."""

    order: NDArray[np.int64]
    """Item numbers, sorted by row and keys."""

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    firsts: NDArray[np.int64]
    """The item of each group that appears first: the sort is stable, so it is the first of the run."""

    def by_appearance(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The starts and the sizes of the groups, row by row in the order of their first items."""
        by = self.firsts.argsort()  # item numbers ascend from row to row, so groups stay in their row
        return self.starts[by], self.sizes[by]


def cut(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """The offsets of groups that are ordered by row, from the row of each group."""
    return rows.searchsorted(numbers(n_rows + 1))


def groups(keys: Sequence[Key], rows: NDArray[np.int64]) -> tuple[Runs, NDArray[np.int64]]:
    """The groups of items of one row that are equal in all keys (NaN is, null is not), sorted by row and keys; and their rows."""
    data = [key for key, _ in keys]
    there = None
    if valids := [valid for _, valid in keys if valid is not None]:
        there = np.logical_and.reduce(valids).nonzero()[0]
        data, rows = [key[there] for key in data], rows[there]
    order = np.lexsort((*data[::-1], rows))
    ordered = rows[order]
    begins = np.empty(len(order) + 1, np.bool_)
    begins[0] = begins[-1] = True  # one more group would begin after the last item
    inner = begins[1:-1]
    np.not_equal(ordered[1:], ordered[:-1], out=inner)
    for key in data:
        inner |= differs(key[order])
    ends = begins.nonzero()[0]
    starts = ends[:-1]
    order = order if there is None else there[order]
    return Runs(order, starts, ends[1:] - starts, order[starts]), ordered[starts]


def differs(key: NDArray[Any], out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Whether each entry but the first differs from the one before it; NaN equals NaN."""
    found: NDArray[np.bool_] = np.not_equal(key[1:], key[:-1], out=out)
    if key.dtype.kind == "f" and np.count_nonzero(nan := np.isnan(key)):
        found &= ~(nan[1:] & nan[:-1])
    return found


def _both(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> tuple[Runs, NDArray[np.int64]]:
    """The groups of x with y behind it, and their rows."""
    key, rows = np.concatenate((x[0], y[0])), np.concatenate((owners(offsets_x), owners(offsets_y)))
    valid = None
    if x[1] is not None or y[1] is not None:
        valid = np.concatenate([or_all(known, len(part)) for part, known in (x, y)])
    return groups([(key, valid)], rows)


def _reaches(both: Runs, n_x: int) -> NDArray[np.bool_]:
    """Whether each group of `_both` holds an item of y: the sort is stable, so its last item is from y if any is."""
    found: NDArray[np.bool_] = both.order[both.starts + both.sizes - 1] >= n_x
    return found


def combine(
    operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct items of a "union", "intersection", "difference" or "symmetric_difference" of rows, those of x first.

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
    items : int64 array
        Item numbers into the values of x and y, one after the other.
    """
    found, rows = _both(x, offsets_x, y, offsets_y)
    firsts = found.firsts
    if operation == "symmetric_difference":
        chosen = (firsts >= len(x[0])) | ~_reaches(found, len(x[0]))
        firsts, rows = firsts[chosen], rows[chosen]
    if operation in ("union", "symmetric_difference"):
        firsts = firsts[np.lexsort((firsts, rows))]
    else:
        of_y = _reaches(found, len(x[0]))
        chosen = (firsts < len(x[0])) & (of_y if operation == "intersection" else ~of_y)
        firsts, rows = firsts[chosen], rows[chosen]
        firsts.sort()  # all are items of x, whose numbers ascend from row to row
    return cut(rows, len(offsets_x) - 1), firsts


def member(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item of x, no null, occurs in the same row of y."""
    both, _ = _both(x, offsets_x, y, offsets_y)
    found = np.zeros(len(x[0]) + len(y[0]), np.bool_)
    found[both.order] = _reaches(both, len(x[0])).repeat(both.sizes)
    return found[: len(x[0])]


def lookup(
    table: Key, offsets: NDArray[np.int64], probes: Key, probe_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], int | None]:
    """For each probe the table's item of the same key and row, whether there is one, and a row that has equal keys, if any."""
    n = len(table[0])
    both, rows = _both(table, offsets, probes, probe_offsets)
    of_table = both.firsts < n
    n_keys = n if table[1] is None else np.count_nonzero(table[1])
    row = _first_repeated(both, rows, n) if np.count_nonzero(of_table) < n_keys else None
    found = np.empty(n + len(probes[0]), np.int64)
    found.fill(n)
    found[both.order] = both.firsts.repeat(both.sizes)
    items = found[n:]
    return items, items < n, row


def _first_repeated(both: Runs, rows: NDArray[np.int64], n: int) -> int:
    """The first row of two equal items among the first n, of which there are some."""
    groups = (both.sizes > 1).nonzero()[0]
    return int(rows[groups[both.order[both.starts[groups] + 1] < n][0]])


def search(
    key: Key,
    n_valid: NDArray[np.int64],
    offsets: NDArray[np.int64],
    sought: NDArray[Any],
    sought_offsets: NDArray[np.int64],
    side: str,
) -> NDArray[np.int64]:
    """The slot of each item sought in its row of sorted keys: how many of them a sort of both puts before it."""
    data, valid = key
    own, other = owners(offsets), owners(sought_offsets)
    if valid is not None:
        data, own, offsets = data[valid], own[valid], from_counts(n_valid)
    is_sought = np.arange(len(data) + len(sought)) >= len(data)
    ties = is_sought if side == "right" else ~is_sought
    order = np.lexsort((ties, np.concatenate((data, sought)), np.concatenate((own, other))))
    before = np.empty(len(order), np.int64)
    before[order] = np.add.accumulate(~is_sought[order], dtype=np.int64)
    slots: NDArray[np.int64] = before[len(data) :] - offsets[other]
    return slots
