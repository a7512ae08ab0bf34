"""Two columns as sets, row by row: membership, union, intersection, difference. Equality is that of `groups`.

First appearance decides the order; keys are integers, floats or booleans.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import same_bits
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import count_block, filter_block, from_sizes, longest_of, row_sizes, span_of
from arrowjag._kernels.base.words import or_all
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.equal.distinct import is_first_distinct
from arrowjag._kernels.equal.groups import Items, stitch, stitch_offsets
from arrowjag._kernels.equal.hash_tables import equal_members, find_members, members, table_or_division, type_of_bits
from arrowjag._kernels.move.gather import ranges
from arrowjag._kernels.order import hashing, pairs, search, small
from arrowjag._kernels.order.sort import Key
from arrowjag.errors import JagTypeError, JagValueError, ShapeError

__all__ = ["difference", "intersection", "lookup", "member", "symmetric_difference", "union"]


Result = TypeVar("Result")

_Operands = tuple[Key, NDArray[np.int64], Key, NDArray[np.int64]]


def _check_operands(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64], operation: str) -> None:
    if x[0].dtype != y[0].dtype:
        raise JagTypeError(f"{operation}: expected keys of one dtype, got {x[0].dtype} and {y[0].dtype}; cast one of them.")
    if len(offsets_x) != len(offsets_y):
        raise ShapeError(f"{operation}: expected equally many rows, got {len(offsets_x) - 1} and {len(offsets_y) - 1}.")


def _pair_blocks(
    function: Callable[[_Operands, int, int], Result],
    x: Key,
    offsets_x: NDArray[np.int64],
    y: Key,
    offsets_y: NDArray[np.int64],
) -> list[Result]:
    """Call a function on blocks of rows of two columns, on all cores; its last arguments are the numbers of their first items."""

    def block(first: int, last: int) -> Result:
        span_x, local_x = span_of(offsets_x, first, last)
        span_y, local_y = span_of(offsets_y, first, last)
        part_x = (x[0][span_x], None if x[1] is None else x[1][span_x])
        part_y = (y[0][span_y], None if y[1] is None else y[1][span_y])
        return function((part_x, local_x, part_y, local_y), span_x.start, span_y.start)

    block_values = pairs.block_values(strategy.sizes.RUNS_BLOCK, offsets_x, offsets_y)
    return map_rows(block, offsets_x + offsets_y, block_values=block_values, alone=strategy.sizes.HUGE)


def _combine(operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """The first items of the groups that the operation chooses."""
    _check_operands(x, offsets_x, y, offsets_y, operation)
    if strategy.is_small("combine", x, y):
        by_loop = _combined(operation, x, offsets_x, y, offsets_y)
        return small.combine(operation, x, offsets_x, y, offsets_y) if by_loop is None else by_loop

    def block(parts: _Operands, start_x: int, start_y: int) -> Items:
        cut, items = _combine_block(operation, *parts)
        n_x = len(parts[0][0])
        items += np.where(items < n_x, start_x, len(x[0]) - n_x + start_y)
        return cut, items

    cuts, items = zip(*_pair_blocks(block, x, offsets_x, y, offsets_y), strict=True)
    return stitch_offsets(cuts), stitch(items)


def _combine_block(operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """The items that the operation chooses in a block: 5M with 5M others take 100 ms of CPU time; sorting both takes 400."""
    by_loop = _combined(operation, x, offsets_x, y, offsets_y)
    if by_loop is not None:
        return by_loop
    chosen_x = is_first_distinct(x, offsets_x)
    x, local_x = _only(x, offsets_x, chosen_x)
    only_x = chosen_x.copy() if len(x[0]) < len(chosen_x) else slice(None)
    if operation in ("intersection", "difference"):
        found = _member(x, local_x, y, offsets_y)
        chosen_x[only_x] &= found if operation == "intersection" else ~found
        return filter_block(chosen_x, offsets_x), chosen_x.nonzero()[0]
    chosen_y = is_first_distinct(y, offsets_y)
    y, local_y = _only(y, offsets_y, chosen_y)
    only_y = chosen_y.copy() if len(y[0]) < len(chosen_y) else slice(None)
    chosen_y[only_y] &= ~_member(y, local_y, x, local_x)
    if operation == "symmetric_difference":
        chosen_x[only_x] &= ~_member(x, local_x, y, local_y)
    n_x, n_y = count_block(chosen_x, offsets_x), count_block(chosen_y, offsets_y)
    offsets = from_sizes(n_x + n_y)
    items = empty(int(offsets[-1]), np.int64)
    items[ranges(offsets[:-1], n_x)] = chosen_x.nonzero()[0]
    items[ranges(offsets[:-1] + n_x, n_y)] = len(chosen_x) + chosen_y.nonzero()[0]
    return offsets, items


_CHOSEN = {"union": (3, 1), "symmetric_difference": (1, 1), "intersection": (2, 0), "difference": (1, 0)}
"""Which distinct items of x are chosen, those not in y (1), those in y (2) or all (3), and whether those of y alone are."""


def _combined(operation: str, x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items | None:
    """The chosen items by a compiled loop with one table for both rows; None if it is not ready or the table is too small.

    If a row has more different items than the table holds, the caller asks `is_first_distinct` and `_member`, which divide rows
    by hashes.
    """
    (data, valid), (other, valid_y) = x, y
    bits = type_of_bits(data.dtype)
    if bits is None:
        return None
    nulls = valid is not None or valid_y is not None
    n, n_rows = len(data) + len(other), len(offsets_x) - 1
    loop = strategy.loop_of("combined", find_loop("combined", bits, nulls, n, often=True))
    if loop is None:
        return None
    if nulls:
        valid, valid_y = (or_all(mask, len(one)) for one, mask in (x, y))
    table, _ = table_or_division(bits, nulls, offsets_x + offsets_y)
    state, state_y = empty(len(data), np.uint8), empty(len(other), np.uint8)
    items, offsets = empty(n + 1, np.int64), empty(n_rows + 1, np.int64)
    offsets[0] = 0
    keys = same_bits(data), same_bits(other), valid, valid_y
    what = (*keys, offsets_x, offsets_y, 0, n_rows, *_CHOSEN[operation], table, len(table) - 1, state, state_y)
    if loop(*what, items, offsets[1:]):
        return None
    return offsets, items[: int(offsets[-1])]


def _only(key: Key, offsets: NDArray[np.int64], chosen: NDArray[np.bool_]) -> tuple[Key, NDArray[np.int64]]:
    """The chosen items, none of them null, and their offsets."""
    data, valid = key
    # Copying most items would cost more than searching the others too.
    if 2 * np.count_nonzero(chosen) > len(chosen) and valid is None:
        return key, offsets
    return (data[chosen], None), filter_block(chosen, offsets)


def _member(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each item of x occurs in the same row of y, within one block."""
    valid = y[1]
    if valid is not None:
        y, offsets_y = (y[0][valid], None), filter_block(valid, offsets_y)
    loop = find_members(x[0], max(len(x[0]), len(y[0])))
    by = strategy.choose("member", offsets_x, offsets_y, loop is not None)
    if by == "compiled" and loop is not None:
        found = members(loop, x[0], offsets_x, y[0], offsets_y)
    else:
        found = (_short_member if by == "pairs" else _hashed_member)(x[0], offsets_x, y[0], offsets_y)
    if x[1] is not None:
        found &= x[1]
    return found


def _hashed_member(
    x: NDArray[Any], offsets_x: NDArray[np.int64], y: NDArray[Any], offsets_y: NDArray[np.int64]
) -> NDArray[np.bool_]:
    return search.member(y, offsets_y, x, offsets_x)


def _short_member(
    x: NDArray[Any], offsets_x: NDArray[np.int64], y: NDArray[Any], offsets_y: NDArray[np.int64]
) -> NDArray[np.bool_]:
    found = zeros(len(x), np.bool_)
    data_x, data_y = pairs.comparable_pair(x, y)
    widest = longest_of(row_sizes(offsets_y))
    reachable = np.concatenate([data_y, np.zeros(min(widest, strategy.sizes.PAIRS_LENGTH), data_y.dtype)])
    for short, sizes in pairs.short_pairs(offsets_x, offsets_y):
        if sizes[0]:
            others = pairs.Short(short.rows, offsets_y[short.rows], int(sizes[0])).columns(reachable)
            short.put(found, pairs.member(short.columns(data_x), others, sizes))
    if (long := pairs.long_in_either(offsets_x, offsets_y)) is not None:
        own, other = long
        found[own.items] = _hashed_member(data_x[own.items], own.offsets, data_y[other.items], other.offsets)
    return found


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
    O(n_rows + items of both).
    """
    _check_operands(x, offsets_x, y, offsets_y, "is_in")
    if strategy.is_small("member", x, y, ready=lambda: find_members(x[0], max(len(x[0]), len(y[0]))) is not None):
        return small.member(x, offsets_x, y, offsets_y)

    return stitch(_pair_blocks(lambda parts, *_: _member(*parts), x, offsets_x, y, offsets_y))


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
    O(n_rows + items of both).
    """
    return _combine("union", x, offsets_x, y, offsets_y)


def intersection(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x that occur in the same row of y; arguments, errors and cost as of `union`."""
    return _combine("intersection", x, offsets_x, y, offsets_y)


def difference(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x that do not occur in the same row of y; arguments, errors and cost as of `union`."""
    return _combine("difference", x, offsets_x, y, offsets_y)


def symmetric_difference(x: Key, offsets_x: NDArray[np.int64], y: Key, offsets_y: NDArray[np.int64]) -> Items:
    """Distinct items of x that y lacks in the same row, then those of y that x lacks; arguments, errors and cost as of `union`."""
    return _combine("symmetric_difference", x, offsets_x, y, offsets_y)


def lookup(
    table: Key, offsets: NDArray[np.int64], probes: Key, probe_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find each probe among the keys of its row.

    Parameters
    ----------
    table : (key, valid)
        Keys, distinct in each row but for nulls, at least one of them in all.
    offsets : (n_rows + 1,) int64 array
        Cuts the keys into rows.
    probes : (key, valid)
        Of the same dtype.
    probe_offsets : (n_rows + 1,) int64 array

    Returns
    -------
    items : (n_probes,) int64 array
        Item numbers into the table, within range.
    hit : (n_probes,) bool array
        Whether that item is the one sought. NaN equals NaN, a null equals nothing.

    Raises
    ------
    JagValueError
        A row with two equal keys.

    Notes
    -----
    O(rows + keys + probes).
    """
    are_few = strategy.is_small("lookup", table, probes)
    data, valid = table
    present = None if valid is None else valid.nonzero()[0]
    if present is None:
        cuts = offsets
    else:
        data, cuts = data[present], present.searchsorted(offsets)
    loop = strategy.loop_of("lookup", find_members(data, max(len(data), len(probes[0])), "equal_members"))
    if loop is not None:
        items, distinct = equal_members(loop, probes[0], probe_offsets, data, cuts)
    elif are_few:
        items, hit, row = small.lookup(table, offsets, probes, probe_offsets)
        if row is not None:
            _refuse(row)
        return np.minimum(items, len(table[0]) - 1), hit
    else:
        items, distinct = search.find(data, cuts, probes[0], probe_offsets)
    if not distinct:
        _refuse(int(np.searchsorted(cuts, int(np.argmin(hashing.is_first_distinct(data, cuts))), side="right")) - 1)
    hit = items >= 0
    if probes[1] is not None:
        hit &= probes[1]
    np.maximum(items, 0, out=items)
    return items if present is None or len(present) == 0 else present[items], hit


def _refuse(row: int) -> None:
    raise JagValueError(f"translate: keys_from has equal keys in row {row}; keys must be unique in each row", row=row)
