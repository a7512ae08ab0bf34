"""Packing: cut rows into pieces of at most a width, and put pieces into bins of that width."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.order.digits import radix_order

__all__ = ["Bins", "Pieces", "best_fit", "cut", "first_fit", "wrap"]

Ints = NDArray[np.int64]


class Pieces(NamedTuple):
    """Consecutive ranges of values that together are all values.

    Attributes
    ----------
    offsets : (n_pieces + 1,) int64 array
        From 0 to the number of values.
    rows : (n_pieces,) int64 array
        The row that each piece belongs to.
    """

    offsets: Ints
    rows: Ints


class Bins(NamedTuple):
    """Pieces in bins.

    Attributes
    ----------
    order : (n_pieces,) int64 array
        The numbers of pieces, bin by bin.
    offsets : (n_bins + 1,) int64 array
        The boundaries of bins among them.
    """

    order: Ints
    offsets: Ints


def cut(offsets: Ints, width: int) -> Pieces:
    """Cut each row at every multiple of the width; rows without items give no piece.

    Notes
    -----
    O(n_rows + n_pieces), new arrays.
    """
    counts = -(-np.diff(offsets) // width)
    rows = np.repeat(np.arange(len(counts)), counts)
    starts = _offsets.runs(offsets[:-1], _offsets.from_sizes(counts), width)
    return Pieces(np.append(starts, offsets[-1]), rows)


def wrap(offsets: Ints, width: int) -> tuple[Pieces, Ints]:
    """Cut all values, one row after another, at every multiple of the width; also return the boundaries of bins among the pieces.

    Notes
    -----
    O(n_rows + n_pieces), new arrays.
    """
    total = int(offsets[-1])
    filled = np.flatnonzero(offsets[1:] > offsets[:-1])
    edges = np.arange(0, total, width)
    starts = np.concatenate([offsets[filled], edges])
    starts.sort(kind="stable")  # two ascending runs are merged
    starts = starts[np.append(True, starts[1:] != starts[:-1])] if len(starts) else starts
    rows = filled[np.searchsorted(offsets[filled], starts, side="right") - 1] if len(filled) else filled
    bins = np.append(np.searchsorted(starts, edges), len(starts)) if total else np.zeros(1, np.int64)
    return Pieces(np.append(starts, total), rows), bins


def best_fit(lengths: Ints, width: int) -> Bins:
    """Put the longest piece first, each into the bin with the least room that holds it, or into a new bin.

    Parameters
    ----------
    lengths : (n_pieces,) int64 array
        From 1 to `width`.
    width : int
        The number of values per bin.

    Returns
    -------
    Bins
        In each bin longer pieces come first, equal ones in their order.

    Notes
    -----
    A Python loop over runs of equal pieces and equal bins: pieces of one length go together into all bins of one room. The rooms
    that occur are the bits of one number, so the least room of at least a length is one expression. O(n_pieces) besides.
    """
    rooms: dict[int, deque[tuple[int, int]]] = {}
    present, n_bins = 0, 0
    moves: list[tuple[int, int, int]] = []
    for length, number in _by_length(lengths, width):
        left = number
        while left:
            wide = present >> length
            if wide:
                room = length + (wide & -wide).bit_length() - 1
                first, count = rooms[room].popleft()
            else:
                room, first, count = width, n_bins, left
            each = room // length
            used = min(count, -(-left // each))
            items = min(left, used * each)
            if room == width:
                n_bins += used
            elif used < count:
                rooms[room].appendleft((first + used, count - used))
            elif not rooms[room]:
                present &= ~(1 << room)
            full, rest = divmod(items, each)
            for start, n, taken in ((first, full, each), (first + full, min(rest, 1), rest)):
                over = room - taken * length
                if n and over:
                    rooms.setdefault(over, deque()).append((start, n))
                    present |= 1 << over
            moves.append((items, first, each))
            left -= items
    return _placed(lengths, width, np.array(moves, np.int64).reshape(-1, 3), n_bins)


def first_fit(lengths: Ints, width: int) -> Bins:
    """Put the longest piece first, each into the first bin that holds it, or into a new bin.

    Parameters
    ----------
    lengths : (n_pieces,) int64 array
        From 1 to `width`.
    width : int
        The number of values per bin.

    Returns
    -------
    Bins
        In each bin longer pieces come first, equal ones in their order.

    Notes
    -----
    A Python loop over distinct lengths, over arrays of runs of equal bins. O(n_pieces) besides.
    """
    least = int(lengths.min()) if len(lengths) else 1
    room = first = count = np.zeros(0, np.int64)
    n_bins = 0
    moves: list[Any] = []
    for length, number in _by_length(lengths, width):
        left = number
        if len(room) and int(room.max()) >= length:
            each = room // length
            ends = np.cumsum(each * count)
            cut_at = int(np.searchsorted(ends, left))
            taken = each[:cut_at].nonzero()[0]
            moves.append(np.stack([(each * count)[taken], first[taken], each[taken]], axis=1))
            room = room - np.where(np.arange(len(room)) < cut_at, each * length, 0)
            left -= int(ends[cut_at - 1]) if cut_at else 0
            if cut_at < len(room):
                room, first, count = _split(room, first, count, cut_at, int(each[cut_at]), left, length)
                if left:
                    moves.append(np.array([[left, first[cut_at], each[cut_at]]]))
                left = 0
            kept = room >= least
            room, first, count = room[kept], first[kept], count[kept]
        if left:
            new = -(-left // (width // length))
            moves.append(np.array([[left, n_bins, width // length]]))
            parts = _split(np.array([width]), np.array([n_bins]), np.array([new]), 0, width // length, left, length)
            n_bins += new
            room, first, count = (np.concatenate(pair) for pair in zip((room, first, count), parts, strict=True))
    return _placed(lengths, width, np.concatenate(moves) if moves else np.zeros((0, 3), np.int64), n_bins)


def _split(room: Ints, first: Ints, count: Ints, place: int, each: int, items: int, length: int) -> tuple[Ints, Ints, Ints]:
    """Put `items` pieces into the run of bins at `place`: full ones, one that takes the rest, and those that stay as they are."""
    full, rest = divmod(items, each) if items else (0, 0)
    start, number, space = int(first[place]), int(count[place]), int(room[place])
    parts = [
        (space - each * length, start, full),
        (space - rest * length, start + full, min(rest, 1)),
        (space, start + full + min(rest, 1), number - full - min(rest, 1)),
    ]
    kept = [part for part in parts if part[2]]
    middle = np.array(kept, np.int64).reshape(-1, 3).T
    columns = zip((room, first, count), middle, strict=True)
    made = [np.concatenate([column[:place], part, column[place + 1 :]]) for column, part in columns]
    return made[0], made[1], made[2]


def _by_length(lengths: Ints, width: int) -> list[tuple[int, int]]:
    """Distinct lengths from the longest, each with how many there are."""
    counts = np.bincount(lengths, minlength=width + 1)
    there = counts.nonzero()[0][::-1]
    return list(zip(there.tolist(), counts[there].tolist(), strict=True))


def _placed(lengths: Ints, width: int, moves: Ints, n_bins: int) -> Bins:
    """Spell out moves (pieces, first bin, pieces per bin) of pieces from the longest."""
    longest_first = radix_order(width - lengths)
    items, first, each = moves.T
    ends = _offsets.from_sizes(items)
    bins = np.repeat(first, items) + _offsets.positions(ends) // np.repeat(each, items)
    order = longest_first[radix_order(bins)]
    return Bins(order, _offsets.from_sizes(np.bincount(bins, minlength=n_bins)))
