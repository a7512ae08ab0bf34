"""Equal items inside rows: groups, distinct values, counts, membership and set operations. First appearance decides the order.

Keys are integers, floats or booleans; NaN equals NaN, -0.0 equals 0.0, and an item with a null in any key belongs to no group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import few, pairs
from arrowjag._kernels.blocks import map_rows
from arrowjag._kernels.codes import sort_codes
from arrowjag._kernels.gather import ranges
from arrowjag._kernels.memory import empty, zeros
from arrowjag._kernels.offsets import count_block, count_true, from_sizes, row_sizes, run_sizes
from arrowjag._kernels.padded import PaddedBatch, padded_batches, with_tail
from arrowjag._kernels.rank import BLOCK_VALUES, sorted_runs
from arrowjag._kernels.sort import Key, place_bits, sorted_matrix, span_of
from arrowjag.errors import JagTypeError, ShapeError

__all__ = [
    "difference",
    "group_codes",
    "group_items",
    "intersection",
    "member",
    "mode",
    "union",
    "unique",
    "value_counts",
]

Items = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Offsets of the result, and item numbers."""


Result = TypeVar("Result")


def _in_blocks(
    function: Callable[[Sequence[Key], NDArray[np.int64], int], Result], keys: Sequence[Key], offsets: NDArray[np.int64]
) -> list[Result]:
    """Call a function on blocks of rows, all cores at work; its last argument is where the items of the block begin."""

    def block(first: int, last: int) -> Result:
        span, local = span_of(offsets, first, last)
        part = [(key[span], None if valid is None else valid[span]) for key, valid in keys]
        return function(part, local, span.start)

    return map_rows(block, offsets, block_values=pairs.block_values(offsets, BLOCK_VALUES) if len(keys) == 1 else BLOCK_VALUES)


def _present(key: Key, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64] | None]:
    """The items of a key that are not null, as numbers that are equal where the items are; their offsets; which ones they are."""
    data, valid = key
    if valid is None:
        return pairs.comparable(data, None), offsets, None
    items = valid.nonzero()[0]
    return pairs.comparable(data[items], None), from_sizes(count_block(valid, offsets)), items


def _shifted(items: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Item numbers of a block as those of the whole, in place: whole columns are not touched once more."""
    items += base
    return items


def _stitch_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return from_sizes(np.concatenate([row_sizes(part) for part in parts]))


class _Runs(NamedTuple):
    """The groups of all rows as runs of the sorted items; groups with a null are left out."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    leaders: NDArray[np.int64]
    """The item of each group that appears first: the sort is stable, so it is the first of the run."""


def _runs(keys: Sequence[Key], offsets: NDArray[np.int64]) -> _Runs:
    order, begins = sorted_runs(keys, offsets)
    starts = begins.nonzero()[0]
    sizes = run_sizes(starts, len(order))
    leaders = order[starts]
    valids = [valid[leaders] for _, valid in keys if valid is not None]
    if valids:  # a run is null as a whole
        present = np.logical_and.reduce(valids).nonzero()[0]
        starts, sizes, leaders = starts[present], sizes[present], leaders[present]
    return _Runs(order, starts, sizes, leaders)


def _by_appearance(leaders: NDArray[np.int64], offsets: NDArray[np.int64]) -> Items:
    """Leaders row by row in the order of their items."""
    # Items number upwards row by row, so marking them and reading the marks off sorts them: no second sort.
    first = zeros(int(offsets[-1]), np.bool_)
    first[leaders] = True
    return from_sizes(count_true(first, offsets)), first.nonzero()[0]


def _numbers(leaders: NDArray[np.int64], items: NDArray[np.int64], n_items: int) -> NDArray[np.int64]:
    """The place of each leader among the items of `_by_appearance`."""
    places = empty(n_items, np.int64)
    places[items] = np.arange(len(items))
    return places[leaders]


def group_codes(keys: Sequence[Key], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the groups of equal items of each row in order of first appearance.

    Parameters
    ----------
    keys : sequence of (key, valid)
        At least one; items are equal where all keys are.
    offsets : (n_rows + 1,) int64 array

    Returns
    -------
    codes : (n_values,) int64 array
        From 0 in each row; -1 where a key is null.
    n_groups : (n_rows,) int64 array

    Notes
    -----
    The cost of `lexsort`.
    """
    if few.is_few(*keys):
        return _few_group_codes(keys, offsets)
    codes, n_groups = zip(*_in_blocks(_group_codes, keys, offsets), strict=True)
    return np.concatenate(codes), np.concatenate(n_groups)


def _few_group_codes(keys: Sequence[Key], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    found = few.groups(keys, few.owners(offsets)).appearing()
    cuts = found.offsets(len(offsets) - 1)
    codes = np.full(int(offsets[-1]), -1, np.int64)
    numbers = np.arange(len(found.rows)) - cuts[found.rows]
    codes[found.order[ranges(found.starts, found.sizes)]] = numbers.repeat(found.sizes)
    return codes, row_sizes(cuts)


def _group_codes(keys: Sequence[Key], offsets: NDArray[np.int64], _: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if len(keys) == 1 and pairs.pays(offsets):
        return _short_group_codes(keys[0], offsets)
    runs = _runs(keys, offsets)
    group_offsets, items = _by_appearance(runs.leaders, offsets)
    base = group_offsets[:-1].repeat(row_sizes(group_offsets))  # of each group, in the order of appearance
    numbers = _numbers(runs.leaders, items, int(offsets[-1]))
    codes = np.full(int(offsets[-1]), -1, np.int64)
    codes[runs.order[ranges(runs.starts, runs.sizes)]] = (numbers - base[numbers]).repeat(runs.sizes)
    return codes, row_sizes(group_offsets)


def _short_group_codes(key: Key, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    data, offsets, items = _present(key, offsets)
    numbers = empty(len(data), np.uint8)
    n_groups = zeros(len(offsets) - 1, np.int64)
    for short in pairs.short_rows(offsets):
        found = pairs.group_numbers(short.columns(data))
        short.put(numbers, found)
        n_groups[short.rows] = found.max(axis=0).astype(np.int64) + 1
    codes = numbers.astype(np.int64)
    if (long := pairs.long_rows(offsets)) is not None:
        codes[long.items], n_groups[long.rows] = _group_codes([(data[long.items], None)], long.offsets, 0)
    if items is None:
        return codes, n_groups
    spread = np.full(len(key[0]), -1, np.int64)
    spread[items] = codes
    return spread, n_groups


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
    The cost of `lexsort`.
    """
    if few.is_few(*keys):
        found = few.groups(keys, few.owners(offsets))
        found = found if sort else found.appearing()
        return found.offsets(len(offsets) - 1), from_sizes(found.sizes), found.order[ranges(found.starts, found.sizes)]
    parts = _in_blocks(partial(_group_items, sort=sort), keys, offsets)
    group_offsets, item_offsets, items = zip(*parts, strict=True)
    return _stitch_offsets(group_offsets), _stitch_offsets(item_offsets), np.concatenate(items)


def _group_items(
    keys: Sequence[Key], offsets: NDArray[np.int64], base: int, *, sort: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    if len(keys) == 1 and not sort and pairs.pays(offsets):
        return _short_group_items(keys[0], offsets, base)
    runs = _runs(keys, offsets)
    group_offsets, items = _by_appearance(runs.leaders, offsets)
    starts, sizes = runs.starts, runs.sizes
    if not sort:
        numbers = _numbers(runs.leaders, items, int(offsets[-1]))
        by_number = empty(len(numbers), np.int64)
        by_number[numbers] = np.arange(len(numbers))
        starts, sizes = starts[by_number], sizes[by_number]
    return group_offsets, from_sizes(sizes), _shifted(runs.order[ranges(starts, sizes)], base)


def _short_group_items(
    key: Key, offsets: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    data, offsets, present = _present(key, offsets)
    order = empty(len(data), np.int64)
    leads, times = _first_and_times(data, offsets, order)
    group_offsets, first = from_sizes(count_block(leads, offsets)), leads.nonzero()[0]
    return group_offsets, from_sizes(times[first]), _shifted(order if present is None else present[order], base)


def _first_and_times(
    data: NDArray[Any], offsets: NDArray[np.int64], order: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each item is the first of its group, and if so the size of the group; fill `order` with items group by group."""
    leads, times = empty(len(data), np.bool_), empty(len(data), np.uint8)
    for short in pairs.short_rows(offsets):
        columns = short.columns(data)
        first, many = pairs.times(columns)
        short.put(leads, first)
        short.put(times, many)
        if order is not None:
            pairs.put_order(order, pairs.group_numbers(columns), short.starts)
    sizes = times.astype(np.int64)
    if (long := pairs.long_rows(offsets)) is not None:
        key = [(data[long.items], None)]
        if order is not None:
            order[long.items] = long.items[_group_items(key, long.offsets, 0, sort=False)[2]]
        _, found, counts = _value_counts(key, long.offsets, 0)
        leads[long.items] = False
        leads[long.items[found]] = True
        sizes[long.items[found]] = counts
    return leads, sizes


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
    The cost of `lexsort`.
    """
    first = empty(int(offsets[-1]), np.bool_)
    if few.is_few(*keys):
        found = few.groups(keys, few.owners(offsets))
        first[:] = False
        first[found.leaders] = True
        return found.offsets(len(offsets) - 1), first

    def block(part: Sequence[Key], local: NDArray[np.int64], base: int) -> NDArray[Any]:
        leads = _leads(part[0], local) if len(part) == 1 else None
        if leads is None:
            leads = zeros(int(local[-1]), np.bool_)
            leads[_runs(part, local).leaders] = True
        first[base : base + len(leads)] = leads
        return count_block(leads, local)

    return from_sizes(np.concatenate(_in_blocks(block, keys, offsets))), first


def _leads(key: Key, offsets: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Whether each item is the first of its group, no null; None where no matrix tells.

    5M values in 500k rows take 45 ms of work for all cores by pairs, 115 by sorting matrices with places; polars' list.unique
    takes 90 on one.
    """
    data, valid = key
    if pairs.pays(offsets):
        first = _short_leads(pairs.comparable(data, valid, only_equal=True), offsets)
    else:
        codes, n_bits = sort_codes(data, valid, descending=False)
        plan = padded_batches(offsets)
        if any(n_bits + place_bits(batch) > 64 for batch in plan):
            return None
        first = _first_marks(codes, plan)
    if valid is not None:
        first &= valid
    return first


def _short_leads(data: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """As `_leads`, by pairs, of numbers that may be compared."""
    first = np.ones(len(data), np.bool_)
    for short in pairs.short_rows(offsets):
        if short.length > 1:
            short.put(first, pairs.first(short.columns(data)))
    if (long := pairs.long_rows(offsets)) is not None:
        first[long.items] = unique([(data[long.items], None)], long.offsets)[1]
    return first


def _first_marks(codes: NDArray[np.uint64], plan: list[PaddedBatch]) -> NDArray[np.bool_]:
    """Whether each item is the first of its code in its row."""
    # The sorted matrices tell the first items at once, by code and place; to write the order out and gather the keys by it costs
    # another quarter.
    first = zeros(len(codes), np.bool_)
    codes = with_tail(codes, plan)
    for batch in plan:
        matrix = sorted_matrix(codes, batch, np.uint64(0))
        places = np.uint64((1 << place_bits(batch)) - 1)
        flat = matrix.reshape(-1)
        begins = np.ones(matrix.shape, np.bool_)
        np.greater(flat[1:] ^ flat[:-1], places, out=begins.reshape(-1)[1:])
        begins[:, 0] = True
        begins[:, batch.shortest :][batch.beyond()] = False
        matrix &= places
        items = matrix.view(np.int64)
        items += batch.starts[:, None]
        first[items[begins]] = True
    return first


def value_counts(keys: Sequence[Key], offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """As `unique`, and how many items each group has.

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
    items : int64 array
    counts : int64 array
        One for each of the items.

    Notes
    -----
    The cost of `lexsort`.
    """
    if few.is_few(*keys):
        found = few.groups(keys, few.owners(offsets)).appearing()
        return found.offsets(len(offsets) - 1), found.leaders, found.sizes
    new_offsets, items, counts = zip(*_in_blocks(_value_counts, keys, offsets), strict=True)
    return _stitch_offsets(new_offsets), np.concatenate(items), np.concatenate(counts)


def _value_counts(
    keys: Sequence[Key], offsets: NDArray[np.int64], base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    if len(keys) == 1 and pairs.pays(offsets):
        data, cuts, present = _present(keys[0], offsets)
        leads, times = _first_and_times(data, cuts)
        items = leads.nonzero()[0]
        counts = times[items]
        return from_sizes(count_block(leads, cuts)), _shifted(items if present is None else present[items], base), counts
    runs = _runs(keys, offsets)
    new_offsets, items = _by_appearance(runs.leaders, offsets)
    counts = empty(len(items), np.int64)
    counts[_numbers(runs.leaders, items, int(offsets[-1]))] = runs.sizes
    return new_offsets, _shifted(items, base), counts


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
    The cost of `argsort`.
    """
    group_offsets, items, counts = value_counts([(key, valid)], offsets)
    present = group_offsets[1:] > group_offsets[:-1]
    result = zeros(len(present), np.int64)
    heads = group_offsets[:-1][present]
    if len(heads):
        most = np.maximum.reduceat(counts, heads)
        hits = (counts == most.repeat(row_sizes(group_offsets)[present])).nonzero()[0]
        result[present] = items[hits[np.searchsorted(hits, heads)]]
    return result, None if present.all() else present


_Operands = tuple[Key, NDArray[np.int64], Key, NDArray[np.int64]]


class _Merged(NamedTuple):
    """Two columns of equally many rows as one: in each row first the items of x, then those of y."""

    runs: _Runs
    offsets: NDArray[np.int64]
    places_x: NDArray[np.int64]
    source: NDArray[np.int64]
    """Item number of each merged item, those of y counted on from those of x."""

    n_x: int

    def has_x(self) -> NDArray[np.bool_]:
        """Whether each group holds an item of x: they stand before those of y, so the leader tells."""
        return self.source[self.runs.leaders] < self.n_x

    def has_y(self) -> NDArray[np.bool_]:
        """Whether each group holds an item of y: the last of the run tells."""
        ends = self.runs.starts + self.runs.sizes
        holds: NDArray[np.bool_] = self.source[self.runs.order[ends - 1]] >= self.n_x
        return holds

    def first(self, groups: NDArray[np.bool_]) -> Items:
        """The first items of the groups that are chosen."""
        new_offsets, items = _by_appearance(self.runs.leaders[groups], self.offsets)
        return new_offsets, self.source[items]


def _check_operands(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64], operation: str) -> None:
    if x[0].dtype != y[0].dtype:
        raise JagTypeError(f"{operation}: expected keys of one dtype, got {x[0].dtype} and {y[0].dtype}; cast one of them.")
    if len(offsets_x) != len(offsets_y):
        raise ShapeError(f"{operation}: expected equally many rows, got {len(offsets_x) - 1} and {len(offsets_y) - 1}.")


def _pair_blocks(
    function: Callable[[_Operands], Result],
    x: Key,
    offsets_x: NDArray[np.int64],
    y: Key,
    offsets_y: NDArray[np.int64],
) -> list[tuple[tuple[int, int], Result]]:
    """Call a function on blocks of rows of two columns, all cores at work; where both begin, and the result, of each block."""

    def block(first: int, last: int) -> tuple[tuple[int, int], Result]:
        span_x, local_x = span_of(offsets_x, first, last)
        span_y, local_y = span_of(offsets_y, first, last)
        part_x = (x[0][span_x], None if x[1] is None else x[1][span_x])
        part_y = (y[0][span_y], None if y[1] is None else y[1][span_y])
        return (span_x.start, span_y.start), function((part_x, local_x, part_y, local_y))

    return map_rows(block, offsets_x + offsets_y, block_values=pairs.block_values(offsets_x + offsets_y, BLOCK_VALUES))


def _combine(operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """The first items of the groups that the operation chooses."""
    _check_operands(x, offsets_x, y, offsets_y, operation)
    if few.is_few(x, y):
        return few.combine(operation, x, offsets_x, y, offsets_y)

    def block(parts: _Operands) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        if pairs.pays(parts[1] + parts[3]):
            return *_short_combine(operation, *parts), len(parts[0][0])
        merged = _merge(*parts)
        return *merged.first(_choose(operation, merged)), merged.n_x

    blocks = _pair_blocks(block, x, offsets_x, y, offsets_y)
    items = []
    for (start_x, start_y), (_, part, n_x) in blocks:
        items.append(part + np.where(part < n_x, start_x, len(x[0]) - n_x + start_y))
    return _stitch_offsets([part[0] for _, part in blocks]), np.concatenate(items)


def _choose(operation: str, merged: _Merged) -> NDArray[np.bool_]:
    if operation == "union":
        return np.ones(len(merged.runs.leaders), np.bool_)
    return merged.has_x() & (merged.has_y() if operation == "intersection" else ~merged.has_y())


def _short_combine(operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """As `_combine`, of one block, by pairs: 5M values with 5M others take 100 ms of work, by a merged sort 400."""
    chosen_x = _all_leads(x, offsets_x)
    if operation != "union":
        found = _short_member(x, offsets_x, y, offsets_y)
        chosen_x &= found if operation == "intersection" else ~found
        return from_sizes(count_block(chosen_x, offsets_x)), chosen_x.nonzero()[0]
    chosen_y = _all_leads(y, offsets_y)
    chosen_y &= ~_short_member(y, offsets_y, x, offsets_x)
    n_x, n_y = count_block(chosen_x, offsets_x), count_block(chosen_y, offsets_y)
    offsets = from_sizes(n_x + n_y)
    items = empty(int(offsets[-1]), np.int64)
    items[ranges(offsets[:-1], n_x)] = chosen_x.nonzero()[0]
    items[ranges(offsets[:-1] + n_x, n_y)] = len(x[0]) + chosen_y.nonzero()[0]
    return offsets, items


def _all_leads(key: Key, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item is the first of its group, no null."""
    first = _leads(key, offsets)
    if first is None:
        first = zeros(len(key[0]), np.bool_)
        first[_runs([key], offsets).leaders] = True
    return first


def _short_member(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """As `member`, of one block, by pairs."""
    found = zeros(len(x[0]), np.bool_)
    valid = y[1]
    if valid is not None:
        y, offsets_y = (y[0][valid], None), from_sizes(count_block(valid, offsets_y))
    data_x, data_y = pairs.comparable_pair(x[0], y[0])
    widest = int(row_sizes(offsets_y).max(initial=0))
    reachable = np.concatenate([data_y, np.zeros(min(widest, pairs.LONGEST), data_y.dtype)])
    for short, sizes in pairs.short_pairs(offsets_x, offsets_y):
        if sizes[0]:
            others = pairs.Short(short.rows, offsets_y[short.rows], int(sizes[0])).columns(reachable)
            short.put(found, pairs.member(short.columns(data_x), others, sizes))
    if (long := pairs.long_in_either(offsets_x, offsets_y)) is not None:
        own, other = long
        found[own.items] = _sorted_member((data_x[own.items], None), own.offsets, (data_y[other.items], None), other.offsets)
    if x[1] is not None:
        found &= x[1]
    return found


def _merge(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> _Merged:
    n_x, n_y = len(x[0]), len(y[0])
    places_x = np.arange(n_x) + offsets_y[:-1].repeat(row_sizes(offsets_x))
    places_y = np.arange(n_y) + offsets_x[1:].repeat(row_sizes(offsets_y))
    source = empty(n_x + n_y, np.int64)
    source[places_x] = np.arange(n_x)
    source[places_y] = np.arange(n_x, n_x + n_y)
    key = np.concatenate([x[0], y[0]])[source]
    valid = None
    if x[1] is not None or y[1] is not None:
        both = [np.ones(len(part), np.bool_) if mask is None else mask for part, mask in (x, y)]
        valid = np.concatenate(both)[source]
    offsets = offsets_x + offsets_y
    return _Merged(_runs([(key, valid)], offsets), offsets, places_x, source, n_x)


def member(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item of x occurs in the same row of y.

    Parameters
    ----------
    x, y : (key, valid)
        Of one dtype.
    offsets_x, offsets_y : (n_rows + 1,) int64 arrays

    Returns
    -------
    (n_x,) bool array
        False for a null.

    Raises
    ------
    JagTypeError
        The dtypes differ.
    ShapeError
        The numbers of rows differ.

    Notes
    -----
    The cost of `argsort` on both together.
    """
    _check_operands(x, offsets_x, y, offsets_y, "is_in")
    if few.is_few(x, y):
        return few.member(x, offsets_x, y, offsets_y)

    def block(parts: _Operands) -> NDArray[np.bool_]:
        return (_short_member if pairs.pays(parts[1] + parts[3]) else _sorted_member)(*parts)

    return np.concatenate([part for _, part in _pair_blocks(block, x, offsets_x, y, offsets_y)])


def _sorted_member(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> NDArray[np.bool_]:
    merged = _merge(x, offsets_x, y, offsets_y)
    runs = merged.runs
    found = zeros(len(merged.source), np.bool_)
    found[runs.order[ranges(runs.starts, runs.sizes)]] = merged.has_y().repeat(runs.sizes)
    return found[merged.places_x]


def union(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x and y row by row, those of x first.

    Parameters
    ----------
    x, y : (key, valid)
        Of one dtype; nulls are left out.
    offsets_x, offsets_y : (n_rows + 1,) int64 arrays

    Returns
    -------
    offsets : (n_rows + 1,) int64 array
    items : int64 array
        Item numbers into the values of x and y, one after the other.

    Raises
    ------
    JagTypeError
        The dtypes differ.
    ShapeError
        The numbers of rows differ.

    Notes
    -----
    The cost of `argsort` on both together.
    """
    return _combine("union", x, offsets_x, y, offsets_y)


def intersection(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x that occur in the same row of y; arguments, errors and cost as of `union`."""
    return _combine("intersection", x, offsets_x, y, offsets_y)


def difference(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x that do not occur in the same row of y; arguments, errors and cost as of `union`."""
    return _combine("difference", x, offsets_x, y, offsets_y)
