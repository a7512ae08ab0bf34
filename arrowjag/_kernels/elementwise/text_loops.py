"""Functions of flat text by compiled loops, on all cores: equality, occurrences, pieces, chosen, joined and sliced strings.

Each function returns None where a loop is not ready, or the result doesn't fit the type: the caller then asks Arrow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows, map_tasks, n_cores
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.texts import fits, text_bytes, text_from, text_parts
from arrowjag._kernels.base.words import bits_of_valid, pack_bits, unless_all, valid_of
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loops.moves import RUN
from arrowjag._kernels.compiled.loops.strings import ANYWHERE
from arrowjag._kernels.elementwise.text_bytes import is_ascii

__all__ = [
    "chosen",
    "counted",
    "equal",
    "holding",
    "joined",
    "joined_rows",
    "replaced",
    "sliced",
    "split",
]

_BYTE, _INT = np.dtype(np.uint8), np.dtype(np.int64)
_ROOM = int(RUN)
"""Bytes behind a short text, as many as loops copy at once."""

_FARTHEST = 2**62
"""The largest bound of a slice: no string is as long."""

Cuts: TypeAlias = "NDArray[np.int64]"


def _ready_loops(n: int, nulls: bool, least: int | None = None, **names: tuple[np.dtype[Any], bool]) -> list[Compiled] | None:
    """The loops of some names, each with its type of items and whether it asks for nulls; None if one is not ready.

    From `least` texts on, TAKEN_TEXTS by default, few of them take loops too.
    """
    often = n >= (strategy.sizes.TAKEN_TEXTS if least is None else least)
    found = [find_loop(name, dtype, nulls and asks, n, often) if n else None for name, (dtype, asks) in names.items()]
    ready = [loop for loop in found if loop is not None]
    chosen = strategy.choose("strings", len(ready) == len(found))
    return ready if chosen == "compiled" else None


def _blocks(n: int) -> list[tuple[int, int]]:
    """The first string of each block and the one after its last: a block per core, or one of few; n is not 0."""
    step = n if n < strategy.sizes.TEXT_VALUES else -(-n // n_cores())
    return [(first, min(first + step, n)) for first in range(0, n, step)]


def _added_up(count: Callable[[int, int], Any], n: int, *sums: Cuts) -> None:
    """Let a loop write sums of blocks of strings, each from 0 on, and add to them what the blocks before them hold."""
    cut = _blocks(n)
    map_tasks(lambda block: count(*block), cut)
    for found in sums:
        found[0] = 0
        for first, last in cut[1:]:
            found[first + 1 : last + 1] += found[first]


def _written(type: pa.DataType, starts: Cuts, valid: NDArray[np.bool_] | None, write: Callable[..., Any]) -> pa.Array | None:
    """Return strings that a loop writes, block by block, between their `starts`; None if the type can't hold as many bytes."""
    n_bytes = int(starts[-1])
    if not fits(type, n_bytes):
        return None
    out = empty(n_bytes, np.uint8)
    map_tasks(lambda block: write(*block, int(starts[block[1]]), out), _blocks(len(starts) - 1))
    return text_from(type, starts, out, valid)


def equal(one: pa.Array | pa.Scalar, two: pa.Array | pa.Scalar, opposite: bool = False) -> pa.Array | None:
    """Return whether two strings are equal, or with `opposite` whether they differ; null where either is null.

    Both have one type; one may be a scalar.

    1M pairs of words take 1.9 ms of CPU time, by Arrow 3.5; beside one text 0.7 and 1.7.
    """
    if not isinstance(one, pa.Array):
        one, two = two, one
    if not isinstance(one, pa.Array) or (isinstance(two, pa.Scalar) and not two.is_valid):
        return None
    n, arrays = len(one), [side for side in (one, two) if isinstance(side, pa.Array)]
    loops = _ready_loops(n, False, unequal_strings=(_BYTE, False))
    if loops is None:
        return None
    (data, cuts), (other, other_cuts) = map(_bytes_of, (one, two))
    given = data, len(data), cuts, other, len(other), other_cuts, len(arrays) - 1, 0 if opposite else 255
    flags = empty((n + 7) // 8, np.uint8)
    step = n if n < strategy.sizes.TEXT_VALUES else 8 * -(-n // (8 * n_cores()))
    map_tasks(lambda first: loops[0](*given, first, min(first + step, n), flags[first // 8 :]), range(0, n, step))
    bits = bits_of_valid(*arrays)
    return pa.Array.from_buffers(pa.bool_(), n, [None if bits is None else pa.py_buffer(bits), pa.py_buffer(flags)])


def counted(values: pa.Array, wanted: str) -> pa.Array | None:
    """Return how often a text occurs in each string, as int64; nulls stay null."""
    n = len(values)
    loops = _ready_loops(n, values.null_count > 0, occurrences=(_BYTE, True))
    if loops is None:
        return None
    data, cuts, valid = text_parts(values)
    text, found = _padded(wanted), empty(n, np.int64)
    n_wanted = len(text) - _ROOM
    map_tasks(lambda block: loops[0](data, len(data), cuts, valid, text, n_wanted, *block, found), _blocks(n))
    return pa.Array.from_buffers(pa.int64(), n, [None if valid is None else pack_bits(valid), pa.py_buffer(found)])


def _padded(text: str) -> NDArray[np.uint8]:
    """The bytes of a short text, with room behind them."""
    return np.frombuffer(text.encode() + bytes(_ROOM), np.uint8)


def holding(values: pa.Array, wanted: str, mode: int) -> pa.Array | None:
    """Return whether each string holds a text that is not empty, `ANYWHERE`, `AT_START` or `AT_END`; nulls stay null."""
    n = len(values)
    least = None if mode == ANYWHERE else strategy.sizes.COMPILED_VALUES  # Arrow compares fewer starts or ends as fast
    loops = _ready_loops(n, values.null_count > 0, least, holding=(_BYTE, True))
    if loops is None:
        return None
    data, cuts, valid = text_parts(values)
    text, found = _padded(wanted), empty(n, np.uint8)
    n_wanted = len(text) - _ROOM
    map_tasks(lambda block: loops[0](data, len(data), cuts, valid, text, n_wanted, mode, *block, found), _blocks(n))
    return pa.Array.from_buffers(pa.bool_(), n, [None if valid is None else pack_bits(valid), pack_bits(found)])


def split(values: pa.Array, wanted: str, most: int) -> pa.Array | None:
    """Return the pieces of each string that a text separates, at most `most` times, or each time if `most` is negative.

    Notes
    -----
    O(bytes): the first pass counts pieces, the second one copies them.
    """
    n = len(values)
    loops = _ready_loops(n, values.null_count > 0, piece_counts=(_BYTE, True), cut_pieces=(_BYTE, False))
    if loops is None:
        return None
    count, cut = loops
    data, cuts, valid = text_parts(values)
    text, limit = _padded(wanted), _FARTHEST if most < 0 else most
    n_wanted = len(text) - _ROOM
    taken, starts = empty(n + 1, np.int64), empty(n + 1, np.int64)
    _added_up(
        lambda first, last: count(data, len(data), cuts, valid, text, n_wanted, limit, first, last, taken, starts), n, taken, starts
    )
    ends, out = empty(int(taken[-1]) + 1, np.int64), empty(int(starts[-1]), np.uint8)
    ends[-1] = len(out)

    def work(block: tuple[int, int]) -> None:
        first, last = block
        cut(data, len(data), cuts, text, n_wanted, taken, starts, first, last, int(starts[last]), ends, out)

    map_tasks(work, _blocks(n))
    buffers = [None if valid is None else pack_bits(valid), pa.py_buffer(taken)]
    pieces = text_from(values.type, ends, out)
    return pa.LargeListArray.from_buffers(pa.large_list(values.type), n, buffers, children=[pieces])


def joined(one: pa.Array | pa.Scalar, two: pa.Array | pa.Scalar, between: str) -> pa.Array | None:
    """Return two strings joined with a text between them; null where either is null. Both have one type; one may be a scalar."""
    arrays = [side for side in (one, two) if isinstance(side, pa.Array)]
    if not arrays or any(isinstance(side, pa.Scalar) and not side.is_valid for side in (one, two)):
        return None
    n, type = len(arrays[0]), arrays[0].type
    loops = _ready_loops(n, any(side.null_count for side in arrays), joined_cuts=(_INT, True), joined_bytes=(_BYTE, False))
    if loops is None:
        return None
    valid = _all_valid(arrays)
    (data, cuts), (other, other_cuts) = map(_bytes_of, (one, two))
    steps = [int(isinstance(side, pa.Array)) for side in (one, two)]
    text, starts = _padded(between), empty(n + 1, np.int64)
    n_between = len(text) - _ROOM
    _added_up(lambda first, last: loops[0](cuts, steps[0], n_between, other_cuts, steps[1], valid, first, last, starts), n, starts)
    ours, theirs = (data, len(data), cuts, steps[0]), (other, len(other), other_cuts, steps[1])
    return _written(type, starts, valid, lambda *block: loops[1](*ours, *theirs, text, n_between, starts, *block))


def chosen(
    flags: NDArray[np.bool_], valid: NDArray[np.bool_] | None, one: pa.Array | pa.Scalar, two: pa.Array | pa.Scalar
) -> pa.Array | None:
    """Return the string of `one` where a flag is set, that of `two` elsewhere; null where `valid` is False. Both have one type.

    1M words or one text take 2.6 ms of CPU time, by Arrow 11.
    """
    n = len(flags)
    loops = _ready_loops(n, valid is not None, chosen_cuts=(_INT, True), chosen_bytes=(_BYTE, False))
    if loops is None:
        return None
    (data, cuts), (other, other_cuts) = map(_bytes_of, (one, two))
    steps = [int(isinstance(side, pa.Array)) for side in (one, two)]
    starts = empty(n + 1, np.int64)
    _added_up(lambda first, last: loops[0](flags, cuts, steps[0], other_cuts, steps[1], valid, first, last, starts), n, starts)
    ours, theirs = (data, len(data), cuts, steps[0]), (other, len(other), other_cuts, steps[1])
    return _written(one.type, starts, valid, lambda *block: loops[1](flags, *ours, *theirs, starts, *block))


def _bytes_of(side: pa.Array | pa.Scalar) -> tuple[NDArray[np.uint8], Cuts]:
    """The bytes of texts and where each begins; a scalar is a text with room behind it, without bytes if it is null."""
    if isinstance(side, pa.Array):
        return text_bytes(side)
    data, cuts = text_bytes(pa.repeat(side, 1))
    text = data[int(cuts[0]) : int(cuts[1])]
    return np.concatenate([text, np.zeros(_ROOM, np.uint8)]), np.array([0, len(text)])


def joined_rows(values: pa.Array, offsets: Cuts, between: str) -> pa.Array | None:
    """Return the strings of each row joined with a text between them; nulls are left out, and a row without strings is null."""
    n, n_values = len(offsets) - 1, len(values)
    loops = _ready_loops(n_values, values.null_count > 0, row_cuts=(_INT, True), row_bytes=(_BYTE, True))
    if loops is None:
        return None
    data, cuts, valid = text_parts(values)
    text, starts, present = _padded(between), empty(n + 1, np.int64), empty(n, np.bool_)
    n_between = len(text) - _ROOM
    starts[0] = before = 0

    def count(first: int, last: int) -> tuple[int, int, int]:
        return first, last, loops[0](cuts, valid, offsets, n_between, first, last, starts, present)

    for first, last, total in map_rows(count, offsets):
        starts[first + 1 : last + 1] += before
        before += total
    if not fits(values.type, before):
        return None
    out = empty(before, np.uint8)

    def work(first: int, last: int) -> None:
        loops[1](data, len(data), cuts, valid, offsets, text, n_between, starts, first, last, int(starts[last]), out)

    map_rows(work, offsets)
    return text_from(values.type, starts, out, unless_all(present))


def _all_valid(arrays: list[pa.Array]) -> NDArray[np.bool_] | None:
    """Which places are null in no array; None if all are."""
    flags = [valid for valid in map(valid_of, arrays) if valid is not None]
    return np.logical_and.reduce(flags) if flags else None


def replaced(values: pa.Array, wanted: str, new: str, most: int) -> pa.Array | None:
    """Return strings with a text in place of another, at most `most` times in each, or each time if `most` is negative."""
    n = len(values)
    loops = _ready_loops(n, values.null_count > 0, replaced_cuts=(_BYTE, True), replaced_bytes=(_BYTE, False))
    if loops is None:
        return None
    count, write = loops
    data, cuts, valid = text_parts(values)
    text, by, limit = _padded(wanted), _padded(new), _FARTHEST if most < 0 else most
    n_wanted, n_new = len(text) - _ROOM, len(by) - _ROOM
    starts = empty(n + 1, np.int64)
    sizes = n_wanted, n_new, limit
    _added_up(lambda first, last: count(data, len(data), cuts, valid, text, *sizes, first, last, starts), n, starts)
    taken = data, len(data), cuts, text, n_wanted, by, n_new, limit, starts
    return _written(values.type, starts, valid, lambda *block: write(*taken, *block))


def sliced(values: pa.Array, start: int, stop: int | None) -> pa.Array | None:
    """Return the characters from `start` to before `stop` of each string, by Python's rule; nulls stay null."""
    n = len(values)
    loops = _ready_loops(n, values.null_count > 0, sliced_cuts=(_BYTE, True), taken_bytes=(_BYTE, False))
    if loops is None:
        return None
    data, cuts, valid = text_parts(values)
    bounds = [max(-_FARTHEST, min(_FARTHEST, one)) for one in (start, _FARTHEST if stop is None else stop)]
    begins, starts = empty(n, np.int64), empty(n + 1, np.int64)
    ascii_only = int(is_ascii(values))
    _added_up(lambda first, last: loops[0](data, cuts, valid, *bounds, ascii_only, first, last, begins, starts), n, starts)
    return _written(values.type, starts, valid, lambda *block: loops[1](data, len(data), begins, starts, *block))
