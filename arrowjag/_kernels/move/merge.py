"""Interleave, repeat and pad values, and take whole rows; values are moved as words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import dense, strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.fill import fill, light_block, spread_flags
from arrowjag._kernels.base.memory import check_memory, empty, is_counted
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.polars_lists import NUMBERS, take_lists
from arrowjag._kernels.base.texts import fits, text_from, text_parts
from arrowjag._kernels.base.words import (
    WORDS,
    aligned_bits,
    as_places,
    data_of,
    from_words,
    has_words,
    is_variable_size,
    or_all,
    valid_of,
)
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.move.gather import ranges, with_indices
from arrowjag._kernels.move.rows import can_take, moved_bits, take_rows
from arrowjag._pyarrow_versions import nbytes
from arrowjag.errors import JagOverflowError

__all__ = ["as_strings", "by_rows", "pad_rows", "pays_rows", "repeat_each", "take_spans", "tile_words", "tiled", "weave"]


def weave(parts: Sequence[pa.Array[Any]]) -> pa.Array[Any]:
    """Interleave parts: the first item of each part, then the second item of each, and so on.

    Parameters
    ----------
    parts : at least one (n,) Arrow array
        Of one type that has words.

    Returns
    -------
    (n * parts,) Arrow array of the same type

    Notes
    -----
    O(n * parts), a new array. Two times 5M float64 take 9 ms, where item numbers and a take of both end to end need 66.
    """
    valid = [valid_of(one) for one in parts]
    present = None
    if any(one is not None for one in valid):
        flags = [or_all(one, len(parts[0])) for one in valid]
        present = _woven_pair(*flags) if len(flags) == 2 else _woven(flags)
    return from_words(parts[0].type, _woven([data_of(one) for one in parts]), present)


def _woven(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    n = len(parts[0])
    out = empty(n * len(parts), parts[0].dtype)
    table, step = out.reshape(n, len(parts)), strategy.sizes.WORD_VALUES

    def work(start: int) -> None:
        for slot, part in enumerate(parts):
            table[start : start + step, slot] = part[start : start + step]

    map_tasks(work, range(0, n, step))
    return out


def _woven_pair(one: NDArray[np.bool_], two: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Alternate the flags of two arrays, as the bytes of 16-bit integers: 1M of each take 0.2 ms, by `_woven` 0.5."""

    def write(items: slice, out: NDArray[Any]) -> None:
        np.multiply(two[items], 256, out=out, dtype="<u2")
        out |= one[items]

    return fill(write, len(one), "<u2").view(np.bool_)


def repeat_each(values: pa.Array[Any], count: int) -> pa.Array[Any]:
    """Repeat each item `count` times; items of the type are words. O(n * count), a new array."""
    return _moved(values, count, _repeated, _repeated_bits)


def _repeated(data: NDArray[Any], count: int) -> NDArray[Any]:
    def find() -> Compiled | None:
        return find_loop("repeated_items", data.dtype, False, len(data) * count) if data.itemsize <= 8 else None

    by = strategy.choose("repeat", len(data), count, lambda: find() is not None)
    if by == "small":
        return data.repeat(count)
    if by == "columns":  # column by column: the inner loop of numpy.repeat would be as short as `count`
        return _woven([data] * count)
    out = empty(len(data) * count, data.dtype)
    if by == "compiled" and (loop := find()) is not None:
        values = np.ascontiguousarray(data)
        step = max(1, strategy.sizes.PASS_VALUES // count) if len(out) >= strategy.sizes.LIGHT_VALUES else len(data)
        map_tasks(lambda first: loop(values, count, first, min(first + step, len(data)), out), range(0, len(data), step))
        return out
    _fill(out.reshape(len(data), count), data[:, None])
    return out


def _repeated_bits(bits: NDArray[np.uint8], n: int, count: int) -> NDArray[np.uint8]:
    by = strategy.choose("repeat_bits", n, count)
    if by == "small":
        return np.packbits(np.unpackbits(bits, count=n, bitorder="little").repeat(count), bitorder="little")
    if by == "spread":
        return spread_flags(np.unpackbits(bits, count=n, bitorder="little").view(np.bool_), np.arange(n + 1) * count)
    table = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").repeat(count, axis=1)
    # Each byte is replaced by the `count` bytes that its bits become.
    return np.packbits(table, bitorder="little").view(f"V{count}").take(bits).view(np.uint8)


def tile_words(values: pa.Array[Any], count: int) -> pa.Array[Any]:
    """Repeat the whole array `count` times; items of the type are words. O(n * count), a new array."""
    return _moved(values, count, tiled, _tiled_bits)


def tiled(data: NDArray[Any], count: int) -> NDArray[Any]:
    """Repeat a flat array of numpy as `tile_words`."""
    if strategy.choose("tile", len(data) * count) == "small":
        return data.reshape(1, -1).repeat(count, 0).reshape(-1)
    out = empty(len(data) * count, data.dtype)
    length = strategy.sizes.TILE_VALUES
    piece = np.tile(data, -(-length // len(data))) if len(data) < length else data
    times, rest = divmod(len(out), len(piece))
    _fill(out[: len(out) - rest].reshape(times, len(piece)), piece[None])
    out[len(out) - rest :] = piece[:rest]
    return out


def _tiled_bits(bits: NDArray[np.uint8], n: int, count: int) -> NDArray[np.uint8]:
    few = np.packbits(tiled(np.unpackbits(bits, count=n, bitorder="little"), min(count, 8)), bitorder="little")
    return few if count <= 8 else tiled(few, -(-count // 8))  # eight copies fill whole bytes


def _moved(
    values: Any,
    count: int,
    words: Callable[[NDArray[Any], int], NDArray[Any]],
    bits: Callable[[NDArray[np.uint8], int, int], NDArray[np.uint8]],
) -> pa.Array[Any]:
    """Repeat values `count` times, by one function for words and another one for bits."""
    n, type, first = len(values), values.type, values.offset
    if n * count == 0 or count == 1:
        return values if count else values[:0]
    flags, data = values.buffers()
    known = pa.py_buffer(bits(aligned_bits(flags, first, n), n, count)) if values.null_count else None
    moved = bits(aligned_bits(data, first, n), n, count) if pt.is_boolean(type) else words(data_of(values), count)
    return pa.Array.from_buffers(type, n * count, [known, pa.py_buffer(moved)])


def _fill(table: NDArray[Any], rows: NDArray[Any]) -> None:
    """Write different rows, or the same row to all; a row of one item is repeated."""
    step = max(1, light_block(table.size, table.itemsize) // table.shape[1])
    if rows.shape == (1, table.shape[1]) and rows.nbytes <= strategy.sizes.WINDOW_BYTES:  # memcpy per row, no loop over its items
        table, rows = blocks.opaque(table), blocks.opaque(rows)

    def work(start: int) -> None:
        table[start : start + step] = rows if len(rows) == 1 else rows[start : start + step]

    map_tasks(work, range(0, len(table), step))


def pad_rows(
    values: pa.Array[Any], offsets: NDArray[np.int64], padded: NDArray[np.int64], fill: pa.Array[Any] | None
) -> pa.Array[Any]:
    """Pad rows at their end.

    Parameters
    ----------
    values : (n_values,) Arrow array
        Of a type that has words, or of a dictionary type if there is no `fill`.
    offsets, padded : (n_rows + 1,) int64 arrays
        Before and after; no row shrinks.
    fill : (1,) Arrow array of the same type, optional
        The inserted values; by default null.

    Returns
    -------
    Arrow array of the same type

    Notes
    -----
    O(n_rows + items of the result), a new array. 5M float64 grow to 6M in 22 ms, where a take by item numbers needs 90.
    """
    if pt.is_dictionary(values.type):
        return with_indices(values, pad_rows(values.indices, offsets, padded, None))
    data, valid = data_of(values), valid_of(values)
    word = np.zeros(1, data.dtype) if fill is None else data_of(fill)
    is_valid = fill is not None and fill.null_count == 0
    scatter = _layout(data, offsets, padded)
    grown = scatter(data, word[0])
    if valid is None and (is_valid or len(grown) == len(data)):
        return from_words(values.type, grown)
    return from_words(values.type, grown, scatter(or_all(valid, len(data)), is_valid))


def _layout(
    data: NDArray[Any], offsets: NDArray[np.int64], padded: NDArray[np.int64]
) -> Callable[[NDArray[Any], Any], NDArray[Any]]:
    """Return a function that writes data and a filler to padded rows: short rows of one length as windows, others item by item."""
    sizes = np.diff(padded)
    width = int(sizes[0]) if len(sizes) else 0
    as_windows = blocks.is_word(data) and len(data) > 0 and bool((sizes == width).all())
    if strategy.choose("pad", width, as_windows) == "windows":
        return lambda data, fill: dense.pad(data, [offsets], [width], fill).reshape(-1)
    cells = ranges(padded[:-1], np.diff(offsets))

    def scatter(data: NDArray[Any], fill: Any) -> NDArray[Any]:
        out = empty(int(padded[-1]), data.dtype)

        def block(first: int, last: int) -> None:
            items = slice(int(offsets[first]), int(offsets[last]))
            out[padded[first] : padded[last]] = fill
            out[cells[items]] = data[items]

        blocks.map_rows(block, padded, block_values=strategy.sizes.CACHE_VALUES)
        return out

    return scatter


def pays_rows(type: pa.DataType, n_rows: int, n_values: int, n_taken: int) -> bool:
    """Whether rows of words are moved faster as whole rows than item by item."""
    return strategy.choose("join_rows", n_values, n_rows, has_words(type), n_taken) == "runs"


def by_rows(type: pa.DataType, n_rows: int, n_values: int, n_taken: int) -> str:
    """Choose how rows of such values are taken: as "runs", by a "compiled" loop, by "polars", or item by item."""
    kind = "word" if has_words(type) else "text" if is_variable_size(type) else ""
    return strategy.choose("take_rows", n_values, n_rows, kind, n_taken, lambda: can_take(type, n_values), _is_shared(type))


def _is_shared(type: pa.DataType) -> bool:
    """Whether polars holds rows of the type as integers of its width."""
    return has_words(type) and not pt.is_boolean(type) and WORDS[type.bit_width].char in NUMBERS


def take_spans(
    values: pa.Array[Any],
    offsets: NDArray[np.int64],
    rows: NDArray[Any],
    present: NDArray[np.bool_] | None = None,
    by: str = "runs",
) -> tuple[NDArray[np.int64], pa.Array[Any]]:
    """Take whole rows, in any order and as often as asked.

    Parameters
    ----------
    values : (n_values,) Arrow array
        Of a type that has words, or of bytes.
    offsets : (n_rows + 1,) int64 array
    rows : (m,) integer array
        Row numbers, within range wherever present.
    present : (m,) boolean array, optional
        Where False the result has an empty row.
    by : str
        "runs", "polars", or "compiled", which falls back to runs.

    Returns
    -------
    offsets : (m + 1,) int64 array
    values : Arrow array of the same type

    Notes
    -----
    O(m + items taken), for items of bytes O(n_values), new arrays. Rows are passed to Arrow's take as binary strings, because it
    copies a string with one memcpy and sums the lengths in the same pass: 10M values that alternate between 1M rows take 14 ms
    instead of 36.
    """
    _check_taken(values, offsets, rows, present)
    if by == "compiled" and (found := take_rows(values, offsets, rows, present)) is not None:
        return found
    wanted = as_places(rows, present)
    if by == "polars":
        new, items = take_lists(data_of(values), valid_of(values), offsets, wanted)
        return new, items.view(values.type)
    if is_variable_size(values.type):
        return _take_texts(values, offsets, wanted)
    new, data = _take_bytes(data_of(values), offsets, wanted)
    if values.null_count:
        begins = offsets[rows if present is None else np.where(present, rows, 0)]
        if (bits := moved_bits("taken", values, begins, new)) is not None:
            return new, from_words(values.type, data, None, bits)
    valid = valid_of(values)
    kept = None if valid is None else _take_bytes(valid, offsets, wanted)[1]
    return new, from_words(values.type, data, kept)


def _check_taken(values: pa.Array[Any], offsets: NDArray[np.int64], rows: NDArray[Any], present: NDArray[np.bool_] | None) -> None:
    """Refuse rows that are taken so often that memory lacks.

    Their items are counted, in 16 ms for 1M rows, only where as many rows of the mean size would be large.
    """
    n_rows = len(offsets) - 1
    if len(rows) > n_rows > 0 and is_counted(len(rows) * values.get_total_buffer_size() // n_rows):
        taken = rows if present is None else rows[present]
        check_memory(int((offsets[taken + 1] - offsets[taken]).sum()), nbytes(values) / max(len(values), 1))


def _take_texts(
    values: pa.Array[Any], offsets: NDArray[np.int64], wanted: pa.Array[Any]
) -> tuple[NDArray[np.int64], pa.Array[Any]]:
    """Take rows of texts: each is one run of bytes, and one run of sizes."""
    data, cuts, valid = text_parts(values)
    new, sizes = _take_bytes(cuts[1:] - cuts[:-1], offsets, wanted)
    content = _take_bytes(data, cuts[offsets], wanted)[1]
    if not fits(values.type, len(content)):
        raise JagOverflowError(f"take: {len(content)} bytes are more than {values.type} holds; cast to large_{values.type} before")
    return new, text_from(
        values.type, from_counts(sizes), content, None if valid is None else _take_bytes(valid, offsets, wanted)[1]
    )


def _take_bytes(data: NDArray[Any], offsets: NDArray[np.int64], rows: pa.Array[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    taken = pc.take(as_strings(data, offsets), rows, boundscheck=False)
    _, cuts, content = taken.buffers()
    new: NDArray[np.int64] = np.frombuffer(cuts, np.int64, len(rows) + 1, taken.offset * 8) // data.dtype.itemsize
    return new, np.frombuffer(content, data.dtype, int(new[-1])) if new[-1] else np.empty(0, data.dtype)


def as_strings(data: NDArray[Any], offsets: NDArray[np.int64]) -> pa.Array[Any]:
    """View rows as binary strings; data is shared if it is contiguous."""
    buffers = [None, pa.py_buffer(offsets * data.dtype.itemsize), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)
