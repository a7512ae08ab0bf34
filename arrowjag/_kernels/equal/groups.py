"""Equal items inside rows: groups, their sizes, and the most frequent item.

The order of groups is that of their first items. Keys are integers, floats or booleans; NaN equals NaN, -0.0 equals 0.0, and an
item with a null in any key belongs to no group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks
from arrowjag._kernels.base.memory import empty, numbers, zeros
from arrowjag._kernels.base.offsets import filter_block, filter_rows, from_counts, from_sizes, row_sizes, run_sizes, runs, span_of
from arrowjag._kernels.base.totals import true_places
from arrowjag._kernels.base.words import both_valid, unless_all, valid_of
from arrowjag._kernels.equal.encodings import firsts_of_few, tuple_codes
from arrowjag._kernels.equal.hash_tables import can_group, groups
from arrowjag._kernels.move.scatter import inverse
from arrowjag._kernels.order import hashing, pairs, small
from arrowjag._kernels.order.digits import radix_order
from arrowjag._kernels.order.rank import sorted_runs
from arrowjag._kernels.order.small import Runs
from arrowjag._kernels.order.sort import Key

__all__ = [
    "Items",
    "by_appearance",
    "find_runs",
    "group_items",
    "in_blocks",
    "marked",
    "mode",
    "stitch",
    "stitch_offsets",
    "value_counts",
    "value_counts_of_few_texts",
]

Items = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Offsets of the result, and item numbers."""


Result = TypeVar("Result")


def in_blocks(
    function: Callable[[Sequence[Key], NDArray[np.int64], int], Result], keys: Sequence[Key], offsets: NDArray[np.int64]
) -> list[Result]:
    """Call a function on blocks of rows, on all cores; its last argument is the number of the first item of the block."""

    def block(first: int, last: int) -> Result:
        span, local = span_of(offsets, first, last)
        part = [(key[span], None if valid is None else valid[span]) for key, valid in keys]
        return function(part, local, span.start)

    if len(keys) > 1:
        return map_rows(block, offsets, block_values=strategy.sizes.RUNS_BLOCK)
    return map_rows(block, offsets, block_values=pairs.block_values(strategy.sizes.RUNS_BLOCK, offsets), alone=strategy.sizes.HUGE)


def _present(key: Key, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64] | None]:
    """The items of a key that are not null, as numbers that are equal where the items are; their offsets; which ones they are."""
    data, valid = key
    if valid is None:
        return pairs.comparable(data, None), offsets, None
    items = valid.nonzero()[0]
    return pairs.comparable(data[items], None), filter_block(valid, offsets), items


def _shifted(items: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Convert item numbers of a block to those of the column, in place."""
    items += base
    return items


def stitch(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The items of all parts one after another, copied on all cores."""
    if len(parts) == 1:
        return parts[0]
    places = np.cumsum([0, *map(len, parts)]).tolist()
    out = empty(places[-1], parts[0].dtype)

    def copy(number: int) -> None:
        out[places[number] : places[number + 1]] = parts[number]

    map_tasks(copy, range(len(parts)))
    return out


def stitch_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The offsets of the rows of all parts one after another, from those of each part, which begin at 0."""
    found = empty(sum(len(part) - 1 for part in parts) + 1, np.int64)
    found[0] = place = before = 0
    for part in parts:
        np.add(part[1:], before, out=found[place + 1 : place + len(part)])
        place, before = place + len(part) - 1, before + int(part[-1])
    return found


def find_runs(keys: Sequence[Key], offsets: NDArray[np.int64]) -> Runs:
    order, begins = sorted_runs(keys, offsets)
    starts = begins.nonzero()[0]
    sizes = run_sizes(starts, len(order))
    firsts = order[starts]
    valids = [valid[firsts] for _, valid in keys if valid is not None]
    if valids:  # a run is null as a whole
        present = np.logical_and.reduce(valids).nonzero()[0]
        starts, sizes, firsts = starts[present], sizes[present], firsts[present]
    return Runs(order, starts, sizes, firsts)


def by_appearance(firsts: NDArray[np.int64], offsets: NDArray[np.int64]) -> Items:
    """The first items of groups, row by row, in ascending order."""
    # Item numbers ascend from row to row: setting a flag per item and listing the flags sorts them without a second sort.
    first = zeros(int(offsets[-1]), np.bool_)
    first[firsts] = True
    return filter_rows(first, offsets), first.nonzero()[0]


def _numbers(firsts: NDArray[np.int64], items: NDArray[np.int64], n_items: int) -> NDArray[np.int64]:
    """The place of the first item of each group among the items of `by_appearance`."""
    places = empty(n_items, np.int64)
    places[items] = np.arange(len(items))
    return places[firsts]


def group_items(
    keys: Sequence[Key], offsets: NDArray[np.int64], *, sort: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The items of each group of equal items of each row.

    Parameters
    ----------
    keys : sequence of (key, valid)
        At least one; items with a null in any key are left out.
    offsets : (n_rows + 1,) int64 array
    sort : bool
        Groups in the order of their keys instead of first appearance.

    Returns
    -------
    group_offsets : (n_rows + 1,) int64 array
        Cuts the groups into rows.
    item_offsets : (n_groups + 1,) int64 array
        Cuts the items into groups.
    items : int64 array
        Item numbers, ascending inside a group.

    Notes
    -----
    O(n_rows + n_values); with `sort`, and for several keys without a compiled loop, the cost of `lexsort`.
    """
    if strategy.is_small("group", *keys, ready=lambda: len(keys) == 1 and not sort and can_group(*keys[0])):
        found, rows = small.groups(keys, small.owners(offsets))
        starts, sizes = (found.starts, found.sizes) if sort else found.by_appearance()
        cut = from_counts(sizes)
        return small.cut(rows, len(offsets) - 1), cut, found.order[runs(starts, cut)]
    if len(keys) > 1 and not sort and (codes := tuple_codes(keys)) is not None:
        keys = [(codes, reduce(both_valid, (valid for _, valid in keys)))]
    if len(keys) == 1 and not sort:
        can_group(*keys[0])  # blocks are too small to have loops compiled
    parts = in_blocks(partial(_group_items, sort=sort), keys, offsets)
    group_offsets, item_offsets, items = zip(*parts, strict=True)
    return stitch_offsets(group_offsets), stitch_offsets(item_offsets), stitch(items)


def _group_items(
    keys: Sequence[Key], offsets: NDArray[np.int64], base: int, *, sort: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    by = strategy.choose("group", offsets, len(keys), sort, lambda: can_group(*keys[0]))
    if by == "compiled" and (grouped := groups(*keys[0], offsets)) is not None:
        return grouped.offsets, grouped.cuts, _shifted(grouped.items, base)
    if by == "pairs":
        return _short_group_items(keys[0], offsets, base)
    if by == "hash":
        return _hashed_group_items(keys[0], offsets, base)
    found = find_runs(keys, offsets)
    group_offsets, items = by_appearance(found.firsts, offsets)
    starts, sizes = found.starts, found.sizes
    if not sort:
        by_number = inverse(_numbers(found.firsts, items, int(offsets[-1])))
        starts, sizes = starts[by_number], sizes[by_number]
    item_offsets = from_sizes(sizes)
    return group_offsets, item_offsets, _shifted(found.order[runs(starts, item_offsets)], base)


def _short_group_items(
    key: Key, offsets: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    data, offsets, present = _present(key, offsets)
    order = empty(len(data), np.int64)
    is_first, times = _first_and_times(data, offsets, order)
    group_offsets, first = filter_block(is_first, offsets), is_first.nonzero()[0]
    return group_offsets, from_sizes(times[first]), _shifted(order if present is None else present[order], base)


def _hashed_group_items(
    key: Key, offsets: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    data, offsets, present = _present(key, offsets)
    firsts = hashing.first_occurrences(data, offsets)
    is_first = firsts == np.arange(len(firsts))
    numbers = from_counts(is_first)[firsts]
    order = radix_order(numbers)
    group_offsets = filter_block(is_first, offsets)
    item_offsets = from_counts(np.bincount(numbers))
    return group_offsets, item_offsets, (order if present is None else present[order]) + base


def _first_and_times(
    data: NDArray[Any], offsets: NDArray[np.int64], order: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each item is the first of its group, and if so the size of the group; fill `order` with items group by group."""
    is_first, times = empty(len(data), np.bool_), empty(len(data), np.uint8)
    for short in pairs.short_rows(offsets):
        columns = short.columns(data)
        first, many = pairs.times(columns)
        short.put(is_first, first)
        short.put(times, many)
        if order is not None:
            pairs.put_order(order, pairs.group_numbers(columns), short.starts)
    sizes = times.astype(np.int64)
    if (long := pairs.long_rows(offsets)) is not None:
        key = [(data[long.items], None)]
        if order is not None:
            order[long.items] = long.items[_group_items(key, long.offsets, 0, sort=False)[2]]
        _, found, counts = _value_counts(key, long.offsets, 0)
        is_first[long.items] = False
        is_first[long.items[found]] = True
        sizes[long.items[found]] = counts
    return is_first, sizes


def value_counts(keys: Sequence[Key], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The first item of each group of equal items, and how many items the group has.

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
    items : int64 array
    counts : int64 array
        One for each of the items.

    Notes
    -----
    O(n_rows + n_values) for one key, for several the cost of `lexsort`.
    """
    if strategy.is_small("value_counts", *keys, ready=lambda: len(keys) == 1 and can_group(*keys[0])):
        found, rows = small.groups(keys, small.owners(offsets))
        starts, sizes = found.by_appearance()
        return small.cut(rows, len(offsets) - 1), found.order[starts], sizes
    new_offsets, items, counts = zip(*in_blocks(_value_counts, keys, offsets), strict=True)
    return stitch_offsets(new_offsets), stitch(items), stitch(counts)


def _value_counts(
    keys: Sequence[Key], offsets: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    by = strategy.choose("value_counts", offsets, len(keys), False, lambda: can_group(*keys[0]))
    if by == "compiled" and (grouped := groups(*keys[0], offsets)) is not None:
        return grouped.offsets, _shifted(grouped.items[grouped.cuts[:-1]], base), row_sizes(grouped.cuts)
    if by == "pairs":
        data, cuts, present = _present(keys[0], offsets)
        is_first, times = _first_and_times(data, cuts)
        items = is_first.nonzero()[0]
        counts = times[items]
        return filter_block(is_first, cuts), _shifted(items if present is None else present[items], base), counts
    if by == "hash":
        data, cuts, present = _present(keys[0], offsets)
        firsts = hashing.first_occurrences(data, cuts)
        new_offsets, items, counts = _counted(firsts, cuts)
        return new_offsets, _shifted(items if present is None else present[items], base), counts
    runs = find_runs(keys, offsets)
    new_offsets, items = by_appearance(runs.firsts, offsets)
    counts = empty(len(items), np.int64)
    counts[_numbers(runs.firsts, items, int(offsets[-1]))] = runs.sizes
    return new_offsets, _shifted(items, base), counts


def _counted(
    firsts: NDArray[np.int64], offsets: NDArray[np.int64], valid: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The result of `value_counts` from the number of the first equal item of each item; those that are not valid are left out."""
    is_first = firsts == numbers(len(firsts))
    if valid is not None:
        is_first &= valid
    items = is_first.nonzero()[0]
    return items.searchsorted(offsets), items, np.bincount(firsts)[items]


def value_counts_of_few_texts(
    values: pa.Array[Any], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """The result of `value_counts`; None for many values and other types."""
    firsts = firsts_of_few(values, offsets)
    return None if firsts is None else _counted(firsts, offsets, valid_of(values))


def mode(
    key: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_] | None]:
    """The most frequent value of each row, as the item where it first appears; the earliest of several.

    Returns
    -------
    items : (n_rows,) int64 array
        Item numbers; 0 for a row without values.
    valid : (n_rows,) bool array or None
        False for a row without values; None if there is no such row.

    Notes
    -----
    As of `value_counts`.
    """
    keys = [(key, valid)]
    if strategy.is_small("value_counts", *keys, ready=lambda: len(keys) == 1 and can_group(*keys[0])):
        items, present = _most_frequent(*value_counts(keys, offsets))
        return items, unless_all(present)
    found = in_blocks(lambda part, cut, base: _most_frequent(*_value_counts(part, cut, base)), keys, offsets)
    items, present = (stitch(parts) for parts in zip(*found, strict=True))
    return items, unless_all(present)


def _most_frequent(
    group_offsets: NDArray[np.int64], items: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The first item of each row that is counted most often, and which rows have one, from the counts of `value_counts`."""
    present = group_offsets[1:] > group_offsets[:-1]
    result = zeros(len(present), np.int64)
    heads = group_offsets[:-1][present]
    if len(heads):
        most = np.maximum.reduceat(counts, heads)
        hits = (counts == most.repeat(row_sizes(group_offsets)[present])).nonzero()[0]
        result[present] = items[hits[np.searchsorted(hits, heads)]]
    return result, present


def marked(mask: NDArray[np.bool_], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The items that are True, and the offsets that cut them into the rows; O(n_rows + n_values)."""
    items, by = true_places(mask), strategy.choose("marked", len(mask), len(offsets) - 1)
    return items.searchsorted(offsets) if by == "search" else filter_rows(mask, offsets), items
