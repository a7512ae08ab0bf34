"""Take rows and slices of rows by compiled loops: fixed-width items as words, texts by their bytes.

Each function returns None if there is no loop for the type, or if it is not ready.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks, n_cores
from arrowjag._kernels.base.fill import write_bits_of_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import runs
from arrowjag._kernels.base.texts import fits, text_bytes, text_from
from arrowjag._kernels.base.words import (
    WORDS,
    bits_at,
    data_of,
    from_words,
    has_words,
    is_variable_size,
    unpack_bits,
    valid_of,
    with_bits,
)
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop

__all__ = [
    "Taken",
    "can_move",
    "can_take",
    "find_taken",
    "moved",
    "moved_bits",
    "rows_per_core",
    "slice_ranges",
    "take_ranges",
    "take_rows",
    "word_of",
]

_INT = np.dtype(np.int64)
_BYTE = np.dtype(np.uint8)
_WORD_OF: dict[int, np.dtype[Any] | None] = {}
"""Answers of `word_of`, by type id."""


def word_of(type: pa.DataType) -> np.dtype[Any] | None:
    """Return the unsigned type of the same width, as which items are moved; None if no loop moves this width."""
    if type.id not in _WORD_OF:
        width = 8 if pt.is_boolean(type) else type.bit_width if has_words(type) else 128
        _WORD_OF[type.id] = WORDS[width] if width <= 64 else None
    return _WORD_OF[type.id]


def can_take(type: pa.DataType, n_values: int) -> bool:
    """Return True if a compiled loop can take rows of an array of `n_values` items of the type."""
    if is_variable_size(type):
        return _has_loops(n_values, "taken_rows", "taken_cuts") and find_loop("taken_bytes", _BYTE, False, n_values) is not None
    return find_loop("taken_rows", _INT, False, n_values) is not None and can_move(type, n_values)


def can_move(type: pa.DataType, n_values: int) -> bool:
    """Return True if a compiled loop can move `n_values` items of the type, and the flags of those that are not null."""
    word = word_of(type)
    if word is None or find_loop("taken_items", word, False, n_values) is None:
        return False
    return find_loop("taken_items", _BYTE, False, n_values) is not None


def _has_loops(n_values: int, *names: str) -> bool:
    return all(find_loop(name, _INT, False, n_values) is not None for name in names)


class Taken(NamedTuple):
    """The result of taking rows."""

    begins: NDArray[np.int64]
    """The first item of each row in the source."""
    offsets: NDArray[np.int64]
    """The first item of each row in the result, and the end of the last row."""


def find_taken(
    offsets: NDArray[Any], rows: NDArray[np.int64], present: NDArray[np.bool_] | None, n_values: int, *, often: bool = False
) -> Taken | None:
    """Find where rows that are taken begin, and the offsets of the result; a row that is not present becomes empty.

    Offsets have 32 or 64 bits. None if no loop is ready for `n_values` values, for few of them if it is not called `often`.
    """
    loop = find_loop("taken_rows", offsets.dtype, present is not None, n_values, often)
    if loop is None:
        return None
    return _added_up(len(rows), lambda *block: loop(offsets, rows, present, *block))


def _added_up(n: int, work: Callable[[int, int, NDArray[np.int64], NDArray[np.int64]], int]) -> Taken:
    """Call work(first, last, begins, offsets) on blocks of n rows: it writes where each begins and the sums of sizes."""
    begins, found = empty(n, np.int64), empty(n + 1, np.int64)
    found[0] = 0
    step = rows_per_core(n)
    starts = range(0, n, step)
    before = 0
    for first, total in zip(starts, map_tasks(lambda one: work(one, min(one + step, n), begins, found), starts), strict=True):
        if before:
            found[first + 1 : min(first + step, n) + 1] += before
        before += total
    return Taken(begins, found)


def rows_per_core(n: int) -> int:
    """Return how many of n rows a thread takes if each row costs the same: all of them if they are few."""
    return max(1, n if n < strategy.sizes.THREAD_VALUES else -(-n // n_cores()))


def slice_ranges(offsets: NDArray[np.int64], start: int, stop: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Find where the slice of each row begins, and the offsets of the slices, on all cores; None if no loop is ready.

    Parameters
    ----------
    offsets : (n_rows + 1,) int64 array
    start, stop : int
        Bounds of all rows, by Python's rule; None for the end of each row.

    Returns
    -------
    begins : (n_rows,) int64 array
    offsets : (n_rows + 1,) int64 array

    Notes
    -----
    O(n_rows), new arrays. 300k rows of three take 0.4 ms; numpy, one bound after the other, takes 3.
    """
    n = len(offsets) - 1
    loop = strategy.loop_of("slices", find_loop("sliced_rows", _INT, False, n))
    if loop is None:
        return None
    n_values = int(offsets[-1])
    begin, end = (max(-n_values, min(bound, n_values)) for bound in (start, n_values if stop is None else stop))
    return _added_up(n, lambda *block: loop(offsets, begin, end, *block))


def take_rows(
    values: pa.Array[Any], offsets: NDArray[np.int64], rows: NDArray[Any], present: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], pa.Array[Any]] | None:
    """Take whole rows, in any order and as often as asked, on all cores.

    Parameters
    ----------
    values : (n_values,) Arrow array
    offsets : (n_rows + 1,) int64 array
    rows : (m,) integer array
        Row numbers, within range wherever present.
    present : (m,) boolean array, optional
        Where False the result has an empty row.

    Returns
    -------
    offsets : (m + 1,) int64 array
    values : Arrow array of the same type

    Notes
    -----
    O(n_rows + m + items taken), new arrays. A row of texts is moved as one run of bytes.
    """
    rows = np.ascontiguousarray(rows, np.int64)
    n_values = len(values)
    taken = find_taken(offsets, rows, present, n_values)
    if taken is None:
        return None
    if is_variable_size(values.type):
        found = _take_rows_of_texts(values, taken)
        return None if found is None else (taken.offsets, found)
    found = moved("taken", values, *taken)
    return None if found is None else (taken.offsets, found)


def take_ranges(values: pa.Array[Any], begins: NDArray[np.int64], offsets: NDArray[np.int64]) -> pa.Array[Any] | None:
    """Take ranges of items, in any order and as often as asked, on all cores.

    Parameters
    ----------
    values : (n_values,) Arrow array
    begins : (m,) int64 array
        The first item of each range; any number for a range without items.
    offsets : (m + 1,) int64 array
        Where the ranges go: each has as many items as its row in the result.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(m + items taken), a new array.
    """
    return moved("taken", values, begins, offsets)


def moved(way: str, values: pa.Array[Any], *bounds: NDArray[np.int64]) -> pa.Array[Any] | None:
    """Move items and their validity, as bits after the items or as flags along with them; arguments are those of `moved_bits`."""
    n, word = len(values), word_of(values.type)
    bits = _bits_apart(way, values, *bounds) if values.null_count else None
    together = values.null_count > 0 and bits is None
    loop = None if word is None else find_loop(f"{way}_items", word, together, n)
    if loop is None:
        return None
    data, flags = moved_items(loop, data_of(values), valid_of(values) if together else None, *bounds)
    return from_words(values.type, data, flags, bits)


def moved_bits(way: str, values: pa.Array[Any], *bounds: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """Move the validity of items as Arrow's bits, or return None if no loop is ready.

    Parameters
    ----------
    way : {"taken", "reversed"}
        How items are moved.
    values : (n_values,) Arrow array
        With nulls.
    *bounds : int64 arrays
        For "taken" where each row begins; for both the offsets of the result.

    Notes
    -----
    O(rows + items moved), a new array, on all cores. 1M bits in rows of 3, 10 and 1,000 take 1.1, 0.3 and 0.04 ms of CPU time; as
    bytes that are unpacked, moved and packed 0.6, 0.8 and 0.14: a branch for each length is mispredicted where lengths differ.
    """
    bits = _bits_apart(way, values, *bounds)
    loop = find_loop(f"{way}_items", _BYTE, False, len(values)) if bits is None else None
    if loop is None:
        return bits
    flags = unpack_bits(values.buffers()[0], values.offset, len(values))
    return np.packbits(moved_items(loop, flags, None, *bounds)[0], bitorder="little")


def _bits_apart(way: str, values: pa.Array[Any], *bounds: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """Move the validity of items as Arrow's bits, or return None if flags are moved as bytes."""
    n, offsets = len(values), bounds[-1]
    loop = strategy.loop_of("moved_bits", find_loop(f"{way}_bits", _BYTE, False, n), offsets, n)
    if loop is not None:
        bits, by_bits = np.frombuffer(values.buffers()[0], np.uint8), loop
        return write_bits_of_rows(lambda *block: by_bits(bits, len(bits), values.offset, *bounds, *block), offsets)
    if way == "taken" and strategy.choose("bits_at", int(offsets[-1]), n) == "each":
        return np.packbits(bits_at(values.buffers()[0], values.offset, n, runs(bounds[0], offsets)), bitorder="little")
    return None


def moved_items(
    loop: Compiled, data: NDArray[Any], valid: NDArray[Any] | None, *bounds: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
    """Move items and flags by a loop; bounds are those of `moved_bits`."""
    n = int(bounds[-1][-1])
    out, there = empty(n, data.dtype), None if valid is None else empty(n, np.uint8)
    map_rows(lambda first, last: loop(data, valid, *bounds, first, last, out, there), bounds[-1], light=True)
    return out, there


def _take_rows_of_texts(values: pa.Array[Any], taken: Taken) -> pa.Array[Any] | None:
    n_values, n = len(values), len(taken.begins)
    move_cuts = find_loop("taken_cuts", _INT, False, n_values)
    move_bytes = find_loop("taken_bytes", _BYTE, False, n_values)
    bits = moved_bits("taken", values, *taken) if values.null_count else None
    if move_cuts is None or move_bytes is None or (values.null_count and bits is None):
        return None
    data, cuts = text_bytes(values)
    content = Taken(empty(n, np.int64), empty(n + 1, np.int64))
    starts, out_cuts = content.offsets, empty(int(taken.offsets[-1]) + 1, np.int64)
    starts[0] = before = 0

    def cut(first: int, last: int) -> tuple[int, int, int]:
        return first, last, move_cuts(cuts, *taken, first, last, *content, out_cuts)

    for first, last, n_bytes in map_rows(cut, taken.offsets):
        if before:
            starts[first + 1 : last + 1] += before
            out_cuts[taken.offsets[first] : taken.offsets[last]] += before
        before += n_bytes
    if not fits(values.type, before):
        return None
    out = empty(before, np.uint8)
    out_cuts[-1] = before
    map_rows(lambda first, last: move_bytes(data, len(data), *content, first, last, int(starts[last]), out), taken.offsets)
    return with_bits(text_from(values.type, out_cuts, out), bits)
