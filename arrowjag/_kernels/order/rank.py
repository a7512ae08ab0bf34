"""Ranks inside rows, and the runs of equal keys from which ranks and set operations are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import sort_codes, too_wide
from arrowjag._kernels.base.fill import Source, fill
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts, positions, row_sizes, run_sizes, runs, span_of
from arrowjag._kernels.base.totals import running_total
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.compiled.loops.ranks import RANKS
from arrowjag._kernels.move.gather import ranges
from arrowjag._kernels.order import batches, pairs
from arrowjag._kernels.order.batches import low_codes
from arrowjag._kernels.order.digits import radix_order
from arrowjag._kernels.order.small import differs
from arrowjag._kernels.order.sort import Key, argsort, lexsort
from arrowjag._kernels.reduce import extremes
from arrowjag.errors import JagValueError
from arrowjag.typing import RankMethod

__all__ = ["candidates", "rank", "shares", "sorted_runs"]


def sorted_runs(
    keys: Sequence[Key], offsets: NDArray[np.int64], descending: bool | Sequence[bool] = False, *, nulls_differ: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Sort each row and say where another key begins.

    Parameters
    ----------
    keys : sequence of (key, valid)
        As for `lexsort`.
    offsets : (n_rows + 1,) int64 array
    descending : bool or sequence of bool
    nulls_differ : bool
        Whether each null begins a run, for results that are arbitrary under a null.

    Returns
    -------
    order : (n_values,) int64 array
        Item numbers, as from `lexsort`.
    begins : (n_values,) bool array
        Whether the item in this place differs from the one before it, or is the first of its row. NaN equals NaN, null equals null.

    Notes
    -----
    The cost of `lexsort`, and one gather per key.
    """
    order = lexsort(keys, offsets, descending)
    begins, *others = [_differs(key[order], None if valid is None else valid[order], nulls_differ) for key, valid in keys]
    for other in others:
        begins |= other
    heads = offsets[:-1]
    begins[heads[heads < offsets[1:]]] = True
    return order, begins


def _differs(key: NDArray[Any], valid: NDArray[np.bool_] | None, nulls_differ: bool) -> NDArray[np.bool_]:
    """Whether each entry differs from the one before it; the first does not."""
    result = zeros(len(key), np.bool_)
    change = differs(key, result[1:])
    if valid is not None and nulls_differ:
        change |= ~valid[1:]
    elif valid is not None:
        here, before = valid[1:], valid[:-1]
        change &= here | before
        change |= here != before
    return result


def rank(
    key: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    method: RankMethod = "ordinal",
    descending: bool = False,
) -> tuple[NDArray[np.int64] | NDArray[np.float64], NDArray[np.bool_] | None]:
    """The rank of each item in its row, from 1.

    Parameters
    ----------
    key : (n_values,) integer, float or bool array
        NaN equals NaN and comes after the numbers, in both directions.
    valid : (n_values,) bool array, optional
    offsets : (n_rows + 1,) int64 array
    method : {"ordinal", "dense", "min", "max", "average"}
        The rank of equal items: by position, one rank without gaps behind it, or the least, the largest or the mean of their ranks.
    descending : bool

    Returns
    -------
    ranks : (n_values,) int64 array, float64 for "average"
        Arbitrary under a null.
    valid : (n_values,) bool array or None
        As given.

    Raises
    ------
    JagValueError
        An unknown method.

    Notes
    -----
    The cost of `argsort` and a few gathers.
    """
    if method not in ("ordinal", "dense", "min", "max", "average"):
        raise JagValueError.unknown("rank: method", ("ordinal", "dense", "min", "max", "average"), method)
    ranks: NDArray[Any] = empty(len(key), np.float64 if method == "average" else np.int64)

    are_many = len(key) >= strategy.sizes.COMPILED_VALUES
    in_digits = are_many and find_loop("long_order", np.dtype(np.uint64), False, len(key)) is not None
    ready = _find_short_ranks(key, valid, len(key)) is not None

    def block(first: int, last: int) -> None:
        span, local = span_of(offsets, first, last)
        part = (key[span], None if valid is None else valid[span])
        wide = valid is not None and too_wide(part[0])
        found = strategy.choose("rank", local, wide, in_digits and not (len(local) == 2 and _is_narrow(part[0])), ready)
        if found == "partition":
            _rank_parts(part, method, descending, ranks[span])
            return
        if found == "pairs":
            _rank_short(part, local, method, descending, ranks[span], len(key))
        else:
            _rank_sorted(part, local, method, descending, ranks[span])

    if len(key) < strategy.sizes.THREAD_VALUES:
        block(0, len(offsets) - 1)
    else:
        map_rows(block, offsets, block_values=pairs.block_values(strategy.sizes.RUNS_BLOCK, offsets), alone=strategy.sizes.HUGE)
    return ranks, valid


def _find_short_ranks(data: NDArray[Any], valid: NDArray[np.bool_] | None, n_values: int) -> Compiled | None:
    """The loop of short rows; few values are sorted faster."""
    dtype = np.dtype(np.uint8) if data.dtype.kind == "b" else data.dtype
    return find_loop("short_ranks", dtype, valid is not None, n_values, often=n_values >= strategy.sizes.READY_VALUES)


def _rank_short(key: Key, offsets: NDArray[np.int64], method: str, descending: bool, out: NDArray[Any], n_values: int) -> None:
    """Short rows by comparing pairs: 50 ms of work for 5M values in 500k rows, where sorting takes 115 to 170."""
    data, valid = key
    bits = data.view(np.uint8) if data.dtype.kind == "b" else data
    loop = strategy.loop_of("short_ranks", _find_short_ranks(data, valid, n_values))
    half = 0.5 if method == "average" else 1
    if loop is not None:
        found = empty(len(data), np.int64) if method == "average" else out
        longest = strategy.sizes.PAIRS_LENGTH
        rows, room = (offsets, 0, len(offsets) - 1, longest), np.empty((2, longest), bits.dtype)
        loop(np.ascontiguousarray(bits), valid, *rows, RANKS.index(method), descending, *room, found)
        if found is not out:
            np.multiply(found, half, out=out)
    else:
        items = pairs.comparable(data, valid, descending)
        found = empty(len(data), np.uint8)
        for short in pairs.short_rows(offsets):
            short.put(found, pairs.ranks(short.columns(items), method))
        np.multiply(found, half, out=out, casting="unsafe")
    if (long := pairs.long_rows(offsets)) is not None:
        ranks = empty(len(long.items), out.dtype)
        long_key = data[long.items], None if valid is None else valid[long.items]
        _rank_sorted(long_key, long.offsets, method, descending, ranks)
        out[long.items] = ranks


def _rank_parts(key: Key, method: str, descending: bool, out: NDArray[Any]) -> None:
    """Rank one huge row in parts that lie one above the other: 2.5M float64 take 65 ns an item, where one sort takes 110."""
    codes, n_bits = sort_codes(*key, descending)
    if n_bits <= strategy.sizes.RADIX_BITS:
        if method == "ordinal":
            out[radix_order(codes, (1 << n_bits) - 1)] = np.arange(1, len(out) + 1)
        else:
            _rank_by_counts(codes.view(np.int64), method, out)
        return
    order, cuts = batches.partition_by_value(codes, n_bits)
    sizes = row_sizes(cuts)
    ranks = empty(len(out), out.dtype)

    def block(first: int, last: int) -> None:
        span, local = span_of(cuts, first, last)
        _rank_sorted((low_codes(codes[order[span]], local), None), local, method, False, ranks[span])

    def put(first: int, last: int) -> None:
        span, _ = span_of(cuts, first, last)
        out[order[span]] = ranks[span] + below[first:last].repeat(sizes[first:last])

    map_rows(block, cuts, block_values=strategy.sizes.PART_VALUES)
    below = from_counts(np.maximum.reduceat(ranks, cuts[:-1])) if method == "dense" else cuts
    map_rows(put, cuts, block_values=strategy.sizes.PART_VALUES)


def _is_narrow(key: NDArray[Any]) -> bool:
    """Whether integers of a huge row lie so close that `_rank_by_counts` takes them, nulls included."""
    if key.dtype.kind == "f" or len(key) <= strategy.sizes.HUGE:
        return False
    return (int(key.max()) - int(key.min())).bit_length() < strategy.sizes.RADIX_BITS


def _rank_by_counts(codes: NDArray[np.int64], method: str, out: NDArray[Any]) -> None:
    """Rank one row of few different codes, each code once: 1M in 9 ms, in parts 75."""
    counts = np.bincount(codes)
    up_to = np.cumsum(counts)
    if method == "dense":
        ranks: NDArray[Any] = np.cumsum(counts > 0)
    elif method == "average":
        ranks = up_to - (counts - 1) / 2
    else:
        ranks = up_to if method == "max" else up_to - counts + 1
    ranks.astype(out.dtype, copy=False).take(codes, out=out, mode="clip")


def _rank_sorted(key: Key, offsets: NDArray[np.int64], method: str, descending: bool, out: NDArray[Any]) -> None:
    if method == "ordinal":
        order, ordered = lexsort([key], offsets, descending), positions(offsets, 1)
    else:
        order, begins = sorted_runs([key], offsets, descending, nulls_differ=True)
        if np.count_nonzero(begins) == len(begins):  # without ties all methods give the same ranks
            ordered = positions(offsets, 1)
        else:
            ordered = _dense_ranks(begins, offsets) if method == "dense" else _run_ranks(begins, positions(offsets), method)
    out[order] = ordered


def _dense_ranks(begins: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many runs of its row begin up to each of the sorted items."""
    ranks = running_total(begins)[1:]
    full = (offsets[1:] > offsets[:-1]).nonzero()[0]
    heads = offsets[full]
    ranks -= (ranks[heads] - 1).repeat(offsets[full + 1] - heads)
    return ranks


def _run_ranks(begins: NDArray[np.bool_], places: NDArray[np.int64], method: str) -> NDArray[Any]:
    """Ranks of the sorted items: one for each run of equals, spread over it."""
    starts = begins.nonzero()[0]
    sizes = run_sizes(starts, len(begins))
    least = places[starts] + 1
    ranks: NDArray[Any]
    if method == "min":
        ranks = least
    elif method == "max":
        ranks = least + sizes - 1
    else:
        ranks = least + (sizes - 1) / 2
    return ranks.repeat(sizes)


def candidates(
    key: Key, offsets: NDArray[np.int64], counts: NDArray[np.int64], descending: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Items among which are the first of the stable order of each row; None where that is no less work than to sort the rows.

    Parameters
    ----------
    key : (key, valid)
    offsets : (n_rows + 1,) int64 array
    counts : (n_rows,) int64 array
        How many items of each row are wanted; it may have fewer.
    descending : bool

    Returns
    -------
    items : int64 array
        Item numbers, ascending.
    offsets : (n_rows + 1,) int64 array
        Of these items; those of a row come before the others in its order as often as wanted.

    Notes
    -----
    O(n_rows + n_values): 5M float64 in Zipf rows take 15 ms for three of each, their descending sort 130.
    """
    # Each long row is cut into segments, which are ordered by their first item in sorted order. The first k of them hold k
    # items that precede all items of the others, so the others hold none of the first k items.
    data, valid = key
    if strategy.choose("topk", offsets, counts) == "sort":
        return None
    sizes, length = row_sizes(offsets), strategy.sizes.TOPK_SEGMENT
    long = sizes > counts * (length * strategy.sizes.TOPK_SHARE)
    n_segments = np.where(long, -(-sizes // length), 1)
    rows = from_counts(n_segments)
    bounds = np.append(runs(offsets[:-1], rows, length), offsets[-1])
    first = (extremes.max if descending else extremes.min)(data, valid, bounds)
    taken = np.minimum(n_segments, np.where(long, counts, 1))
    chosen = zeros(len(bounds) - 1, np.bool_)
    chosen[argsort(*first, rows, descending)[ranges(rows[:-1], taken)]] = True
    segments = chosen.nonzero()[0]
    lengths = bounds[segments + 1] - bounds[segments]
    return ranges(bounds[segments], lengths), from_counts(lengths)[segments.searchsorted(rows)]


def shares(ranks: NDArray[Any], total: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each rank divided by a number of its row, by 1 where that is 0; in blocks, on all cores."""
    if len(ranks) < strategy.sizes.CALL_VALUES:
        few: NDArray[np.float64] = ranks / np.maximum(total, 1).repeat(row_sizes(offsets))
        return few
    numbers = Source(np.maximum(total, 1), offsets)
    return fill(lambda items, out: np.divide(ranks[items], numbers.part(items), out=out), len(ranks), np.float64)
