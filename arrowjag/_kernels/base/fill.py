"""Flat arrays that are written block by block, on all cores, into memory of Arrow's pool: broadcast rows, filled nulls, bitmaps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.memory import check_memory, empty, zeros
from arrowjag._kernels.base.words import pack_bits, unpack_bits
from arrowjag._kernels.compiled.library import Compiled, find_loop
from arrowjag._kernels.compiled.loop import Nulls

__all__ = [
    "Source",
    "choose_at_once",
    "chooser",
    "chooser_by_bits",
    "chooses_at_once",
    "fill",
    "fill_bits",
    "filled",
    "light_block",
    "spread_flags",
    "spread_rows",
    "write_bits",
    "write_bits_of_rows",
    "write_mask",
]


class Source(NamedTuple):
    """An operand that is read block by block: one item for each value of the result, for each row, or for all."""

    data: NDArray[Any]
    """One item per value, one for all values, or one per row."""
    offsets: NDArray[np.int64] | None = None
    """The first values of the rows that share an item."""
    parents: NDArray[Any] | None = None
    """The row of each value, where that is known already."""

    def part(self, items: slice, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The items for a range of values, or one item for all of them; they must not be written to.

        Items of rows are repeated in `out`, if it is given and has the same type.
        """
        if self.offsets is None:
            return self.data if len(self.data) == 1 else self.data[items]
        loop = _spread_loop(self.data, self.offsets)
        if loop is None and self.parents is not None:
            rows, data = pa.array(self.parents[items]), pa.array(self.data)
            return np.frombuffer(pc.take(data, rows, boundscheck=False).buffers()[1], self.data.dtype, len(rows))
        if loop is None:
            return _repeat(self.data, self.offsets, items)
        if out is None or out.dtype != self.data.dtype:
            out = empty(items.stop - items.start, self.data.dtype)
        _run_spread(loop, self.data, self.offsets, items, out)
        return out


def _spread_loop(data: NDArray[Any], offsets: NDArray[np.int64]) -> Compiled | None:
    """The loop that broadcasts one item per row, if it is ready and chosen."""
    loop = find_loop("spread_items", np.dtype(f"u{data.itemsize}"), False, int(offsets[-1])) if data.itemsize <= 8 else None
    return strategy.loop_of("spread_part", loop)


def _run_spread(loop: Compiled, data: NDArray[Any], offsets: NDArray[np.int64], items: slice, out: NDArray[Any]) -> None:
    rows = _rows_of(offsets, items)
    loop(np.ascontiguousarray(data), offsets, rows.start, rows.stop, items.start, items.stop, out)


def _repeat(data: NDArray[Any], offsets: NDArray[np.int64], items: slice) -> NDArray[Any]:
    """Repeat the item of each row for those of its values that lie in a range.

    Notes
    -----
    1M float64 in rows of 3, 10 and 1,000 take 1.0, 1.4 and 0.3 ms of CPU time, a gather by row numbers that are at hand 0.7; to
    sum up the differences between rows takes 3 to 4.
    """
    if items.start == 0 and items.stop == int(offsets[-1]):
        return data.repeat(offsets[1:] - offsets[:-1])
    rows = _rows_of(offsets, items)
    cuts = offsets[rows.start : rows.stop + 1].clip(items.start, items.stop)
    return data[rows].repeat(cuts[1:] - cuts[:-1])


def _rows_of(offsets: NDArray[np.int64], items: slice) -> slice:
    """The rows that own a range of items."""
    return slice(int(offsets.searchsorted(items.start, "right")) - 1, int(offsets.searchsorted(items.stop, "left")))


def spread_flags(flags: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Broadcast one flag per row to its values, as a bitmap in Arrow's order of bits.

    Notes
    -----
    Without the loop, the first value of each row whose flag differs from that of the row before is marked. The flag of a value is
    then the parity of the marks up to it, which shifts of 64-bit integers compute: 5M flags in rows of 10 take 1.5 ms of CPU time,
    by the compiled loop 1.0. A gather of bytes by known row numbers takes 2, packing included.
    """
    n = int(offsets[-1])
    loop = strategy.loop_of("spread_bits", find_loop("spread_bits", np.dtype(np.uint8), False, n))
    if loop is not None:
        bytes = np.ascontiguousarray(flags)
        return write_bits_of_rows(lambda *block: loop(bytes, offsets, *block), offsets)

    def work(part: slice, out: NDArray[Any]) -> None:
        items = slice(8 * part.start, min(8 * part.stop, n))
        rows = _rows_of(offsets, items)
        own = flags[rows]
        begins = offsets[rows][(own[1:] != own[:-1]).nonzero()[0] + 1] - items.start
        marks = zeros(items.stop - items.start, np.uint8)
        marks[begins] = 1
        again = begins[1:][begins[1:] == begins[:-1]]
        if len(again):  # of empty rows: several begin at one place
            np.add.at(marks, again, 1)
            marks &= 1
        marks[0] ^= own[0]
        out[:] = _running_parity(np.packbits(marks, bitorder="little"))

    return fill(work, (n + 7) // 8, np.uint8, strategy.sizes.PASS_VALUES // 2)


def _running_parity(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """For each bit, whether an odd number of bits is set up to it."""
    chunks = np.zeros(-(-len(packed) // 8), "<u8")
    chunks.view(np.uint8)[: len(packed)] = packed
    for shift in (1, 2, 4, 8, 16, 32):
        chunks ^= chunks << shift
    chunks[1:] ^= -np.bitwise_xor.accumulate(chunks >> 63)[:-1]
    return chunks.view(np.uint8)[: len(packed)]


def fill(function: Callable[[slice, NDArray[Any]], object], n: int, dtype: npt.DTypeLike, block: int | None = None) -> NDArray[Any]:
    """A new array of n items, of which function(items, out) has written each block; floating-point warnings are off inside."""
    out, block = empty(n, dtype), block or strategy.sizes.PASS_VALUES
    if 0 < n <= block:
        without_warnings(function, slice(0, n), out)
        return out

    def work(start: int) -> None:
        items = slice(start, min(start + block, n))
        without_warnings(function, items, out[items])

    blocks.map_tasks(work, range(0, n, block))
    return out


def spread_rows(numbers: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """One number per row, repeated for each of the row's items; a new array. The loop works on all cores."""
    n = int(offsets[-1])
    loop = None if n < strategy.sizes.CALL_VALUES else _spread_loop(numbers, offsets)
    if loop is None:
        check_memory(n, numbers.itemsize)
        return numbers.repeat(offsets[1:] - offsets[:-1])
    return fill(lambda items, out: _run_spread(loop, numbers, offsets, items, out), n, numbers.dtype)


def light_block(n: int, itemsize: int) -> int:
    """The block size of work at the speed of memory: one block for a small result, which one thread writes faster than two."""
    return max(n, 1) if n * itemsize < strategy.sizes.LIGHT_BYTES else strategy.sizes.PASS_VALUES


def fill_bits(function: Callable[[slice], NDArray[np.bool_]], n: int, block: int | None = None) -> NDArray[np.uint8]:
    """A new bitmap of n flags, in Arrow's order of bits, from function(items) of each block."""
    out, block = empty((n + 7) // 8, np.uint8), block or strategy.sizes.PASS_VALUES

    def work(start: int) -> None:
        items = slice(start, min(start + block, n))
        out[start // 8 : (items.stop + 7) // 8] = np.packbits(without_warnings(function, items), bitorder="little")

    blocks.map_tasks(work, range(0, n, block))
    return out


def write_bits(write: Callable[[int, int, NDArray[np.uint8]], object], n: int, block: int | None = None) -> NDArray[np.uint8]:
    """A new bitmap of n flags, in Arrow's order of bits, which ``write(first, last, out)`` fills at the speed of memory."""
    out = empty((n + 7) // 8, np.uint8)
    step = block or (max(n, 1) if n < strategy.sizes.LIGHT_VALUES else strategy.sizes.PASS_VALUES)
    blocks.map_tasks(lambda first: write(first, min(first + step, n), out[first // 8 :]), range(0, n, step))
    return out


def write_bits_of_rows(
    write: Callable[[int, int, int, int, NDArray[np.uint8]], object], offsets: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """A new bitmap, which ``write(first_row, last_row, first, last, out)`` fills: some items, and the rows that they are in."""
    n, out = int(offsets[-1]), empty((int(offsets[-1]) + 7) // 8, np.uint8)
    light = n // strategy.sizes.LIGHT_BITS_PER_VALUE + strategy.sizes.LIGHT_ROW * (len(offsets) - 1) < strategy.sizes.LIGHT_VALUES
    step = max(n, 1) if light else strategy.sizes.PASS_VALUES

    def work(first: int) -> None:
        last = min(first + step, n)
        rows = _rows_of(offsets, slice(first, last)) if step < n else slice(0, len(offsets) - 1)
        write(rows.start, rows.stop, first, last, out[first // 8 :])

    blocks.map_tasks(work, range(0, n, step))
    return out


def write_mask(flags: NDArray[np.bool_], out: NDArray[Any]) -> None:
    """Write -1, an integer of all bits, for each flag that is set, and 0 for the others."""
    np.copyto(out, np.negative(flags.view(np.int8)), casting="unsafe")


def filled(data: NDArray[Any], valid: NDArray[np.bool_], value: object) -> NDArray[Any]:
    """The data with `value` where it is not valid, a new array that is read-only: polars shares its memory.

    Notes
    -----
    O(n), on all cores if there are many values. 5M float64, of which every twentieth is null, take 2.4 ms of CPU time by the
    compiled loop, 3.2 by polars, 4.7 by masks (for a value other than 0), and by np.where 6 in blocks, 10 at once, and 18 if every
    second value is null. A copy to new memory takes 2.7.
    """
    found = _filled(data, valid, value)
    found.flags.writeable = False
    return found


def _filled(data: NDArray[Any], valid: NDArray[np.bool_], value: object) -> NDArray[Any]:
    if strategy.choose("fill", len(data)) == "small":
        out = np.empty(len(data), data.dtype)
        out.fill(value)
        np.copyto(out, data, where=valid)
        return out
    dtype = np.dtype(f"i{data.itemsize}")
    filler, given = np.array([value], data.dtype).view(dtype), data.view(dtype)
    if chooses_at_once(dtype, len(data)):
        flags = pa.Array.from_buffers(pa.bool_(), len(valid), [None, pack_bits(valid)])
        return choose_at_once(flags, given, filler).view(data.dtype)
    choose = chooser(dtype, len(data))

    def work(items: slice, out: NDArray[Any]) -> None:
        choose(valid[items], given[items], filler, out)

    return fill(work, len(data), dtype, light_block(len(data), dtype.itemsize)).view(data.dtype)


def chooser(dtype: np.dtype[Any], n: int) -> Callable[[NDArray[np.bool_], NDArray[Any], NDArray[Any], NDArray[Any]], object]:
    """Return a function (flags, one, two, out) that writes items of `one` where a flag is set, and of `two` elsewhere.

    Parameters
    ----------
    dtype : dtype
        Integers as wide as the items.
    n : int
        The number of items in all blocks.

    Returns
    -------
    callable
        It takes one item per flag, or one for all, on each side.

    Notes
    -----
    To choose between 1M float32 and a number takes 0.23 ms of CPU time with the compiled loop and 0.56 ms with masks; between 1M
    float64 and a number it takes 0.42 and 1.2 ms.
    """
    loop = strategy.loop_of("chosen", _choosing(dtype, n))
    if loop is None:
        return _choose_by_masks
    return functools.partial(_choose_by_loop, loop)


def _choosing(dtype: np.dtype[Any], n: int, nulls: Nulls = False) -> Compiled | None:
    return find_loop("choose_items", np.dtype(f"u{dtype.itemsize}"), nulls, n)


def chooser_by_bits(dtype: np.dtype[Any], n: int) -> Callable[[pa.Buffer, int, NDArray[Any], NDArray[Any], NDArray[Any]], object]:
    """As `chooser`, for flags that are Arrow's bits: a function (buffer, place of the first bit, one, two, out).

    Notes
    -----
    For items of four or eight bytes, the loop reads the bits themselves: to choose between 1M int64 and a number takes 0.57 ms of
    CPU time, as long as a copy. To unpack the bits first would take 0.06 more.
    """
    loop = strategy.loop_of("chosen_bits", _choosing(dtype, n, "bits") if dtype.itemsize >= 4 else None)
    choose = chooser(dtype, n)

    def work(bits: pa.Buffer, first: int, one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
        if loop is not None and first % 8 == 0:
            _choose_by_loop(loop, np.frombuffer(bits, np.uint8)[first // 8 :], one, two, out)
        else:
            choose(unpack_bits(bits, first, len(out)), one, two, out)

    return work


def chooses_at_once(dtype: np.dtype[Any], n: int) -> bool:
    """Whether `choose_at_once` is chosen, which is faster than masks, where both sides have one item or n."""
    return strategy.choose("chosen", _choosing(dtype, n) is not None, n) == "polars"


def choose_at_once(flags: pa.Array[Any], one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    """Choose all items at once, `one` where flags are set and `two` elsewhere: by polars, which reads Arrow's bits of the flags.

    Parameters
    ----------
    flags : (n,) Arrow array of booleans
        Those under nulls are arbitrary.
    one, two : (n,) or (1,) arrays of integers of one type

    Returns
    -------
    (n,) array of the same type, for reading

    Notes
    -----
    O(n). To choose between 1M int64 and a number takes 0.6 ms, between 1M int64 and others 0.9.
    """
    import polars as pl

    bits = pa.Array.from_buffers(pa.bool_(), len(flags), [None, flags.buffers()[1]], offset=flags.offset)
    left, right = (pl.Series(pa.array(side)) for side in (one, two))
    found: NDArray[Any] = left.zip_with(pl.Series(bits), right).to_numpy()
    return found


def _choose_by_loop(loop: Compiled, flags: NDArray[Any], one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    chosen = 1
    if len(one) == 1:
        chosen, one, two = 0, two, one
    if len(one) < len(out):  # numbers on both sides
        one = np.full(len(out), one[0])
    flags, one, two = map(np.ascontiguousarray, (flags, one, two))
    loop(flags, chosen, one, two, int(len(two) == 1), len(out), out)


def _choose_by_masks(flags: NDArray[np.bool_], one: NDArray[Any], two: NDArray[Any], out: NDArray[Any]) -> None:
    """Branch-free: 8 ms for 5M values with random flags; numpy's and pyarrow's loops take 20."""
    number = two[0] if len(two) == 1 else None
    if number == -1:
        write_mask(np.logical_not(flags), out)
        out |= one
        return
    write_mask(flags, out)
    if number == 0:
        out &= one
        return
    out &= np.bitwise_xor(one, two, out=empty(len(out), out.dtype))
    out ^= two
