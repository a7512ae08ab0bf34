"""Items of one column searched in the rows of another: by bisection of sorted rows, by hash tables of others."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import equality_codes, plain_codes
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import count_true, longest_of, row_sizes, span_of
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.order import hashing, small
from arrowjag._kernels.order.batches import Codes, partition_by_value
from arrowjag._kernels.order.hashing import FREE, HashedItems, hash_bits, nonzero, partition_by_hash, places_of, tables_of
from arrowjag._kernels.order.rank import sorted_runs
from arrowjag.errors import JagTypeError, JagValueError

__all__ = ["find", "member", "searchsorted"]


def searchsorted(
    key: NDArray[Any],
    offsets: NDArray[np.int64],
    sought: NDArray[Any],
    sought_offsets: NDArray[np.int64],
    side: Literal["left", "right"] = "left",
    valid: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """For each sought item the slot in the sorted row of `key` where it would keep that row sorted.

    Parameters
    ----------
    key : (n_values,) integer, float or bool array
        Each row ascending: numbers, NaN, then nulls.
    offsets : (n_rows + 1,) int64 array
    sought : (n_sought,) array of the same dtype
    sought_offsets : (n_rows + 1,) int64 array
    side : "left" or "right"
        Before or behind the items that are equal.
    valid : (n_values,) bool array, optional
        Of `key`; a slot never lies behind a null.

    Returns
    -------
    (n_sought,) int64 array
        Slots from 0 to the number of valid items of the row.

    Raises
    ------
    JagTypeError
        The dtypes differ.
    JagValueError
        An unknown side, or a null before an item of its row: the values under nulls would decide the slots.

    Notes
    -----
    O(n_values + n_sought log(longest row)).
    """
    if key.dtype != sought.dtype:
        raise JagTypeError(f"searchsorted: expected keys of one dtype, got {key.dtype} and {sought.dtype}; cast one of them.")
    if side not in ("left", "right"):
        raise JagValueError.unknown("searchsorted: side", ("left", "right"), side)
    if valid is not None:
        _check_nulls_last(valid, offsets)
    n_valid = row_sizes(offsets) if valid is None else count_true(valid, offsets)
    are_few = strategy.is_small("searchsorted", (key, valid), (sought, None))
    out = empty(len(sought), np.int64)
    loop = strategy.loop_of("bisect", find_loop("bisect", key.dtype, False, len(sought), often=True))
    if loop is not None:
        key, sought, right = np.ascontiguousarray(key), np.ascontiguousarray(sought), int(side == "right")
        map_rows(lambda first, last: loop(key, offsets, n_valid, sought, sought_offsets, first, last, right, out), sought_offsets)
        return out
    if are_few:
        return small.search((key, valid), n_valid, offsets, sought, sought_offsets, side)

    def block(first: int, last: int) -> None:
        span, local = span_of(sought_offsets, first, last)
        own, own_local = span_of(offsets, first, last)
        if strategy.choose("searchsorted", local) == "partition":
            _bisect_parts(key[own][: n_valid[first]], sought[span], side, out[span])
            return
        sizes = row_sizes(local)
        low = own_local[:-1].repeat(sizes)
        count = n_valid[first:last].repeat(sizes)
        slots = _bisect(plain_codes(key[own]), plain_codes(sought[span]), low, count, side)
        np.subtract(slots, low, out=out[span])

    map_rows(block, sought_offsets, block_values=strategy.sizes.SEARCH_BLOCK, alone=strategy.sizes.HUGE)
    return out


def _check_nulls_last(valid: NDArray[np.bool_], offsets: NDArray[np.int64]) -> None:
    wrong = valid[1:] > valid[:-1]
    wrong[offsets[(offsets > 0) & (offsets < len(valid))] - 1] = False  # the first item of each row
    if np.count_nonzero(wrong):
        row = int(offsets.searchsorted(int(wrong.argmax()) + 1, "right")) - 1
        raise JagValueError(
            f"searchsorted: row {row} has a null before an item, and must be sorted with its nulls last; call sort() first",
            row=row,
        )


def _bisect_parts(key: NDArray[Any], sought: NDArray[Any], side: Literal["left", "right"], out: NDArray[np.int64]) -> None:
    """Search one row for very many items, those of like value together: 80 ns each in 2.5M float64, in any order 380."""
    codes, wanted = plain_codes(key), plain_codes(sought)
    low = np.minimum.reduce(wanted)
    order, cuts = partition_by_value(wanted - low, int(np.maximum.reduce(wanted) - low).bit_length())

    def block(first: int, last: int) -> None:
        items = order[cuts[first] : cuts[last]]
        out[items] = np.searchsorted(codes, wanted[items], side)

    map_rows(block, cuts, block_values=strategy.sizes.PART_VALUES)


def _bisect(
    codes: NDArray[np.uint64], sought: NDArray[np.uint64], low: NDArray[np.int64], count: NDArray[np.int64], side: str
) -> NDArray[np.int64]:
    """Binary search in codes[low : low + count], all at once: in each round half of every interval is left, rounded up."""
    below = np.less if side == "left" else np.less_equal
    at, n = low.copy(), len(low)
    longest = longest_of(count)
    if longest == 0:
        return at
    left: Any = longest if int(count.min()) == longest else count.copy()
    places, found, is_below = empty(n, np.int64), empty(n, np.uint64), empty(n, np.bool_)
    for _ in range((longest - 1).bit_length()):
        half = left >> 1
        np.add(at, half, out=places)
        places -= 1
        codes.take(places, out=found, mode="clip")
        below(found, sought, out=is_below)
        np.multiply(is_below, half, out=places)
        at += places
        left -= half
    codes.take(at, out=found, mode="clip")
    below(found, sought, out=is_below)
    at += is_below if isinstance(left, int) else is_below & (left > 0)
    return at


def find(
    key: NDArray[Any], offsets: NDArray[np.int64], probes: NDArray[Any], probe_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    """An item of the same row that equals the probe, for each probe.

    Parameters
    ----------
    key : (n_values,) integer, float or bool array
        NaN equals NaN, -0.0 equals 0.0.
    offsets : (n_rows + 1,) int64 array
    probes : (n_probes,) array of the same dtype
    probe_offsets : (n_rows + 1,) int64 array

    Returns
    -------
    items : (n_probes,) int64 array
        -1 where there is none.
    distinct : bool
        Whether the items of each row are all different.

    Notes
    -----
    O(n_rows + n_values + n_probes).
    """
    out = empty(len(probes), np.int64)
    return out, _search(key, offsets, probes, probe_offsets, out)


def member(
    key: NDArray[Any], offsets: NDArray[np.int64], probes: NDArray[Any], probe_offsets: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether an item of the same row equals the probe, for each probe; arguments and cost as of `find`."""
    out = empty(len(probes), np.bool_)
    _search(key, offsets, probes, probe_offsets, out)
    return out


def _search(
    key: NDArray[Any], offsets: NDArray[np.int64], probes: NDArray[Any], probe_offsets: NDArray[np.int64], out: NDArray[Any]
) -> bool:
    """Fill `out` with the item that equals each probe, or with whether there is one; return whether the items are distinct."""

    def block(first: int, last: int) -> bool:
        span, local = span_of(offsets, first, last)
        sought, cuts = span_of(probe_offsets, first, last)
        codes, probe_codes = equality_codes(key[span]), equality_codes(probes[sought])
        if strategy.choose("hash_row", local + cuts) == "partition":
            distinct = _search_parts(codes, probe_codes, out[sought])
        else:
            found, distinct = _find(codes, local, probe_codes, cuts, out.dtype == np.int64)
            out[sought] = found
        if span.start and out.dtype == np.int64:
            out[sought] += np.where(out[sought] < 0, 0, span.start)
        return distinct

    size = 2 * strategy.sizes.HASH_BLOCK
    return all(map_rows(block, offsets + probe_offsets, min_values=size, block_values=size, alone=strategy.sizes.HUGE))


def _search_parts(codes: Codes, probes: Codes, out: NDArray[Any]) -> bool:
    """Fill `out` for the codes of one huge row, part by part of the hashes; return whether the items are distinct."""
    n_bits = hash_bits(len(codes) + len(probes))
    order, cuts = partition_by_hash(codes, n_bits)
    probe_order, probe_cuts = partition_by_hash(probes, n_bits)

    def block(first: int, last: int) -> bool:
        span, local = span_of(cuts, first, last)
        sought, probe_local = span_of(probe_cuts, first, last)
        items, numbers = order[span], probe_order[sought]
        found, distinct = _find(
            codes.take(items, mode="clip"), local, probes.take(numbers, mode="clip"), probe_local, out.dtype == np.int64
        )
        if out.dtype == np.int64 and len(items):
            found = np.where(found < 0, found, items.take(found, mode="clip"))
        out[numbers] = found
        return distinct

    return all(map_rows(block, cuts + probe_cuts, block_values=2 * strategy.sizes.HASH_BLOCK))


class _Meeting(NamedTuple):
    """The results of one hash table, indexed by the number of each item among those that took part."""

    places: NDArray[np.int64]
    """Of the item that a probe found, in its row."""

    missed: NDArray[np.int64]
    """Probes that found none."""

    left: NDArray[np.int64]
    """Items that are in no cell."""

    still: NDArray[np.int64]
    """Probes that may find one of these."""

    distinct: bool

    def found(self, starts: NDArray[np.int64] | None) -> NDArray[Any]:
        """Item numbers of what the probes found, or, without the starts of their rows, whether they did."""
        result: NDArray[Any] = np.ones(len(self.places), np.bool_) if starts is None else self.places + starts
        result[self.missed] = False if starts is None else -1
        return result


class _Cells(NamedTuple):
    """The cells of all tables."""

    entries: Codes
    crowded: NDArray[np.bool_]
    """The rows in which items without a cell are left."""

    def meet(self, items: HashedItems, places: Codes | None, probes: HashedItems, level: int) -> _Meeting:
        """Put items into their cells, look for probes there, and empty the cells again."""
        cells, entries = items.hashed(level)
        if places is not None:
            entries |= places
        self.entries[cells] = entries
        held = self.entries.take(cells, mode="clip")
        held ^= entries
        left = nonzero(held if places is None else held >> items.n_bits)
        self.crowded[cells[left]] = True
        sought, entries = probes.hashed(level)
        entries ^= self.entries.take(sought, mode="clip")
        missed = nonzero(entries if places is None else entries >> (probes.n_bits - np.uint64(1)))
        still = missed[self.crowded[sought[missed]]]
        if len(left):
            self.entries[cells] = FREE
            self.crowded[cells[left]] = False
        distinct = places is None or np.count_nonzero(held != 0) == len(left)
        return _Meeting(entries.view(np.int64), missed, left, still, distinct)


def _find(
    codes: Codes, offsets: NDArray[np.int64], probes: Codes, probe_offsets: NDArray[np.int64], numbers: bool
) -> tuple[NDArray[Any], bool]:
    """Look up the codes of one block; return item numbers, or booleans without `numbers`, and whether the items are distinct."""
    sizes, n_probes = row_sizes(offsets), row_sizes(probe_offsets)
    tables = tables_of(sizes)
    table = _Cells(tables.cells(), zeros(int(tables.offsets[-1]), np.bool_))
    table.entries.fill(FREE)
    items, sought = tables.items(codes, sizes), tables.items(probes, n_probes)
    places = places_of(offsets, sizes) if numbers else None
    starts = offsets[:-1].repeat(n_probes) if numbers else None
    met = table.meet(items, places, sought, 0)
    found = met.found(starts)
    left, still, distinct = met.left, met.still, met.distinct
    for level in range(1, len(hashing.FACTORS)):
        if len(left) == 0:
            return found, distinct
        met = table.meet(items.take(left), None if places is None else places[left], sought.take(still), level)
        found[still] = met.found(None if starts is None else starts[still])
        left, still, distinct = left[met.left], still[met.still], distinct and met.distinct
    if len(left) == 0:
        return found, distinct
    rest, apart = _sorted_find(codes[left], left.searchsorted(offsets), probes[still], still.searchsorted(probe_offsets))
    found[still] = np.where(rest < 0, -1, left[rest]) if numbers else rest >= 0
    return found, distinct and apart


def _sorted_find(
    codes: Codes, offsets: NDArray[np.int64], probes: Codes, probe_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    order, begins = sorted_runs([(codes, None)], offsets)
    data, sizes = codes[order], row_sizes(probe_offsets)
    places = offsets[:-1].repeat(sizes) + searchsorted(data, offsets, probes, probe_offsets)
    at = np.minimum(places, len(data) - 1)
    hit = (places < offsets[1:].repeat(sizes)) & (data[at] == probes)
    return np.where(hit, order[at], -1), bool(begins.all())
