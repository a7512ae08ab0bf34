"""JSON text of nested lists of numbers or booleans, parsed by a compiled loop on all cores."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.texts import text_parts
from arrowjag._kernels.base.words import from_words, pack_bits, unless_all
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loops.numerals import HIGHEST_POWER, LOWEST_POWER

__all__ = ["parsed", "powers_of_ten", "powers_of_two", "tens"]

_MOST = 2**31 - 1
"""Items that the offsets of the result can count."""


@functools.cache
def tens() -> NDArray[np.uint64]:
    """10 to the power of 0 to 8, and the largest number to which as many digits can be appended within 64 bits."""
    powers = [10**n for n in range(9)]
    return np.array([*powers, *((2**64 - 1) // one - 1 for one in powers)], np.uint64)


@functools.cache
def powers_of_ten() -> NDArray[np.uint64]:
    """128 bits of each power of ten, whose highest bit is set, as two words, the upper one first."""
    found = []
    for power in range(LOWEST_POWER, HIGHEST_POWER + 1):
        five = 5 ** abs(power)
        bits = five.bit_length()
        if power >= 0:
            word = five << (128 - bits) if bits <= 128 else five >> (bits - 128)
        else:
            word = (1 << (bits + 127)) // five + (power >= -27)  # integers of more than 64 bits are rounded down
        found += [word >> 64, word & (2**64 - 1)]
    return np.array(found, np.uint64)


@functools.cache
def powers_of_two() -> NDArray[np.float64]:
    """2 to the power of -1074, which is the smallest float, to 971."""
    return np.ldexp(1.0, np.arange(-1074, 972))


def parsed(text: pa.Array, type: pa.DataType) -> pa.Array | None:
    """Parse each string.

    Parameters
    ----------
    text : pa.StringArray or pa.LargeStringArray
        JSON values; nulls stay null.
    type : pa.DataType
        That of each string: lists, nested or not, of integers, float32, float64 or booleans, or one of these.

    Returns
    -------
    pa.Array or None
        None if no loop is ready, for other types, and if the loop can't parse a string: Arrow's reader then does, or raises an
        error that says what is wrong.

    Notes
    -----
    O(bytes). For a block of strings, each level gets room for as many entries as there may be; those found are copied at the end.
    """
    n_levels, leaf = _levels(type)
    is_number = pt.is_integer(leaf) or pt.is_float64(leaf) or pt.is_float32(leaf) or pt.is_boolean(leaf)
    dtype = np.dtype(np.bool_) if pt.is_boolean(leaf) else np.dtype(leaf.to_pandas_dtype()) if is_number else None
    if dtype is None or not len(text):
        return None
    data, cuts, valid = text_parts(text)
    starts = cuts - cuts[0] if cuts[0] else cuts
    loop = strategy.loop_of(
        "json", find_loop("json_singles" if pt.is_float32(leaf) else "json_lists", dtype, valid is not None, int(starts[-1]))
    )
    if loop is None:
        return None
    parts = map_rows(lambda first, last: _parse(loop, (data, cuts, valid), n_levels, dtype, first, last), starts)
    found = [part for part in parts if part is not None]
    return _joined(found, type) if len(found) == len(parts) else None


def _levels(type: pa.DataType) -> tuple[int, pa.DataType]:
    """How many levels of lists a type has, and its leaf type."""
    n = 0
    while pt.is_list(type):
        type, n = type.value_type, n + 1
    return n, type


class _Part(NamedTuple):
    """A block of strings: of each level where lists end and which are not null, then the items and which are not null."""

    ends: list[NDArray[np.int64]]
    known: list[NDArray[np.uint8]]


def _parse(loop: Compiled, text: tuple[Any, Any, Any], n_levels: int, dtype: np.dtype[Any], first: int, last: int) -> _Part | None:
    data, cuts, valid = text
    block = data[int(cuts[first]) : int(cuts[last])]
    room = last - first + int(np.count_nonzero(block == ord(",")))  # two entries of a level in one string are separated by a comma
    ends, known = empty(n_levels * room, np.int64), empty(n_levels * room, np.uint8)
    out, present = empty(room, np.uint8 if dtype.kind == "b" else dtype), empty(room, np.uint8)
    counts, tables = empty(n_levels + 1, np.int64), (tens(), powers_of_ten(), powers_of_two())
    limits = np.iinfo(dtype) if dtype.kind in "iu" else np.iinfo(np.int8)
    bounds = int(limits.min), min(int(limits.max), 2**63 - 1)
    if loop(data, len(data), cuts, valid, first, last, n_levels, *bounds, *tables, room, ends, known, out, present, counts):
        return None
    levels = [slice(level * room, level * room + n) for level, n in enumerate(counts[:-1].tolist())]
    items = slice(int(counts[-1]))
    return _Part([*(ends[level] for level in levels), out[items]], [*(known[level] for level in levels), present[items]])


def _joined(parts: list[_Part], type: pa.DataType, level: int = 0) -> pa.Array | None:
    """The lists of a level of all blocks, or their items; None if offsets of 32 bits can't count them."""
    known = unless_all(np.concatenate([part.known[level] for part in parts]).view(np.bool_))
    if not pt.is_list(type):
        return from_words(type, np.concatenate([part.ends[level] for part in parts]), known)
    items = _joined(parts, type.value_type, level + 1)
    if items is None or len(items) > _MOST:
        return None
    offsets, place, before = empty(sum(len(part.ends[level]) for part in parts) + 1, np.int32), 1, 0
    offsets[0] = 0
    for part in parts:
        ends = part.ends[level]
        np.add(ends, before, out=offsets[place : place + len(ends)], casting="unsafe")
        place, before = place + len(ends), before + len(part.ends[level + 1])
    buffers = [None if known is None else pack_bits(known), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(type, len(offsets) - 1, buffers, children=[items])
