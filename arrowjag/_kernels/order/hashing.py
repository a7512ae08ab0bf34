"""Equal items of rows by hashes: each row has a table of its own, and all tables of a block are filled and read at once.

The cost does not grow with the length of a row, as it does by pairs or by sorting. Multiplied by an odd number, codes stay
different. The first bits of the product choose the cell of the row's table, and the others go into it, the place of the item in the
row below them: a table has more cells than the row has items, so that nothing is lost, and one comparison tells
whether an item is the one that is held. Items that find another one in their cell go on to a next table, made for them alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.codes import equality_codes
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import from_counts, row_sizes
from arrowjag._kernels.order import partition
from arrowjag._kernels.order.rank import sorted_runs
from arrowjag._kernels.order.sort import searchsorted, span_of

__all__ = ["find", "first_equals", "leads", "member"]

_FACTORS = [np.uint64(number | 1) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xFF51AFD7ED558CCD, 0xD6E8FEB86659FD93)]
"""One a table: where two items meet in one, they part in the next."""

_FREE = np.uint64(2**64 - 1)
"""What a cell holds where no item is: its place is beyond every row."""

Codes = NDArray[np.uint64]


def leads(key: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
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


def first_equals(key: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the first item of its row that each item equals, be it itself; arguments and cost as of `leads`."""
    out = empty(len(key), np.int64)

    def put(items: Any, steps: NDArray[np.int64]) -> None:
        numbers = np.arange(items.start, items.stop) if isinstance(items, slice) else items
        out[items] = numbers[np.arange(len(numbers)) - steps]

    _over_rows(key, offsets, put)
    return out


def _over_rows(key: NDArray[Any], offsets: NDArray[np.int64], put: Any) -> None:
    """Call put(items, steps) on all items, block by block: which they are, and how many of these back the first equal one is."""

    def block(first: int, last: int) -> None:
        span, local = span_of(offsets, first, last)
        if strategy.choose("hash_row", local) == "partition":
            _over_parts(equality_codes(key[span]), span.start, put)
            return
        # Of items in one cell the last one written stays: they are written backwards.
        backwards = equality_codes(key[span][::-1]), from_counts(row_sizes(local)[::-1])
        put(span, _steps(*backwards)[::-1])

    map_rows(
        block, offsets, min_values=strategy.sizes.HASH_BLOCK, block_values=strategy.sizes.HASH_BLOCK, alone=strategy.sizes.HUGE
    )


def _over_parts(codes: Codes, base: int, put: Any) -> None:
    order, cuts = partition.by_hash(codes, partition.hash_bits(len(codes)))

    def block(first: int, last: int) -> None:
        span, local = span_of(cuts, first, last)
        items = order[span]
        steps = _steps(codes.take(items, mode="clip")[::-1], from_counts(row_sizes(local)[::-1]))[::-1]
        put(items + base if base else items, steps)

    map_rows(block, cuts, min_values=strategy.sizes.HASH_BLOCK, block_values=strategy.sizes.HASH_BLOCK)


class _Items(NamedTuple):
    """Items, and what is to be known of the table of their row: it has 2 ** n_bits cells, at least four times as many as items."""

    codes: Codes
    n_bits: Codes
    bases: NDArray[np.int64]

    def take(self, items: NDArray[np.int64]) -> _Items:
        return _Items(self.codes[items], self.n_bits[items], self.bases[items])

    def hashed(self, level: int) -> tuple[NDArray[np.int64], Codes]:
        """The cell of each item, and the bits of its hash that did not choose the cell, above as many zeros."""
        codes = self.codes ^ (self.codes >> np.uint64(32 - level)) if level else self.codes
        hashes = codes * _FACTORS[level]
        words = hashes << self.n_bits
        hashes >>= np.uint64(64) - self.n_bits
        cells = hashes.view(np.int64)
        cells += self.bases
        return cells, words


class _Tables(NamedTuple):
    """The tables of rows, side by side."""

    n_bits: Codes
    offsets: NDArray[np.int64]

    def items(self, codes: Codes, sizes: NDArray[np.int64]) -> _Items:
        """Items of rows of these sizes."""
        return _Items(codes, self.n_bits.repeat(sizes), self.offsets[:-1].repeat(sizes))

    def cells(self) -> Codes:
        return empty(int(self.offsets[-1]), np.uint64)


def _tables(sizes: NDArray[np.int64]) -> _Tables:
    n_bits = np.frexp(4 * sizes - 1)[1]
    return _Tables(n_bits.astype(np.uint64), from_counts(np.left_shift(1, n_bits, dtype=np.int64)))


def _nonzero(words: Codes) -> NDArray[np.int64]:
    """Which words are not 0, by way of booleans: numpy takes 0.8 ns a word, 2.4 without."""
    places: NDArray[np.int64] = (words != 0).nonzero()[0]
    return places


def _places(offsets: NDArray[np.int64], sizes: NDArray[np.int64]) -> Codes:
    places = np.arange(offsets[-1])
    places -= offsets[:-1].repeat(sizes)
    return places.view(np.uint64)


def _steps(codes: Codes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many items further on the last one of its row is that equals it, for each item."""
    sizes = row_sizes(offsets)
    tables = _tables(sizes)
    items, table = tables.items(codes, sizes), tables.cells()
    places = _places(offsets, sizes)
    cells, words = items.hashed(0)
    words |= places
    table[cells] = words
    held = table.take(cells, mode="clip")
    steps: NDArray[np.int64] = (held - words).view(np.int64)
    held ^= words
    left = _nonzero(held >> items.n_bits)
    for level in range(1, len(_FACTORS)):
        if len(left) == 0:
            return steps
        part = items.take(left)
        cells, words = part.hashed(level)
        words |= places[left]
        table[cells] = words
        held = table.take(cells, mode="clip")
        steps[left] = held - words
        held ^= words
        left = left[_nonzero(held >> part.n_bits)]
    if len(left):
        steps[left] = left[_sorted_steps(codes[left], left.searchsorted(offsets))] - left
    return steps


def _sorted_steps(codes: Codes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """As `_steps`, but the item itself: for those that met others in every table, which happens where somebody wants it to."""
    order, begins = sorted_runs([(codes, None)], offsets)
    ends = np.append(begins[1:], [True]).nonzero()[0]
    last = empty(len(order), np.int64)
    last[order] = order[ends].repeat(np.diff(ends, prepend=-1))
    return last


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
    """Fill `out`: item numbers as of `find`, or booleans as of `member`; where it is numbers, whether the items are distinct."""

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
    """As `_search`, of the codes of one huge row."""
    n_bits = partition.hash_bits(len(codes) + len(probes))
    order, cuts = partition.by_hash(codes, n_bits)
    probe_order, probe_cuts = partition.by_hash(probes, n_bits)

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
    """What comes of one table, all of it by number among those that took part."""

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

    words: Codes
    crowded: NDArray[np.bool_]
    """Where items are left over."""

    def meet(self, items: _Items, places: Codes | None, probes: _Items, level: int) -> _Meeting:
        """Put items into their cells, look for probes there, and empty the cells again."""
        cells, words = items.hashed(level)
        if places is not None:
            words |= places
        self.words[cells] = words
        held = self.words.take(cells, mode="clip")
        held ^= words
        left = _nonzero(held if places is None else held >> items.n_bits)
        self.crowded[cells[left]] = True
        sought, words = probes.hashed(level)
        words ^= self.words.take(sought, mode="clip")
        missed = _nonzero(words if places is None else words >> (probes.n_bits - np.uint64(1)))
        still = missed[self.crowded[sought[missed]]]
        if len(left):
            self.words[cells] = _FREE
            self.crowded[cells[left]] = False
        distinct = places is None or np.count_nonzero(held != 0) == len(left)
        return _Meeting(words.view(np.int64), missed, left, still, distinct)


def _find(
    codes: Codes, offsets: NDArray[np.int64], probes: Codes, probe_offsets: NDArray[np.int64], numbers: bool
) -> tuple[NDArray[Any], bool]:
    """As `find`, of codes, in one block; or as `member`."""
    sizes, n_probes = row_sizes(offsets), row_sizes(probe_offsets)
    tables = _tables(sizes)
    table = _Cells(tables.cells(), zeros(int(tables.offsets[-1]), np.bool_))
    table.words.fill(_FREE)
    items, sought = tables.items(codes, sizes), tables.items(probes, n_probes)
    places = _places(offsets, sizes) if numbers else None
    starts = offsets[:-1].repeat(n_probes) if numbers else None
    met = table.meet(items, places, sought, 0)
    found = met.found(starts)
    left, still, distinct = met.left, met.still, met.distinct
    for level in range(1, len(_FACTORS)):
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
