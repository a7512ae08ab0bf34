"""Take texts by position, and parts of texts, by compiled loops or by Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks, n_cores
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.texts import bytes_of, fits, text_cuts, text_from, text_parts
from arrowjag._kernels.base.words import bits_at
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.move.rows import Taken, find_taken

__all__ = ["cut_texts", "take_texts"]

_BYTE = np.dtype(np.uint8)


def take_texts(values: pa.Array[Any], index: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array[Any] | None:
    """Take items of bytes by position; null where `valid` is False.

    Notes
    -----
    O(m), a new array, on all cores.
    """
    n = len(index)
    if not n or not len(values):
        return None
    often = n >= strategy.sizes.TAKEN_TEXTS
    loop = strategy.loop_of("take_texts", find_loop("taken_bytes", _BYTE, False, n, often))
    if loop is None:
        return None
    rows, present = np.ascontiguousarray(index, np.int64), valid
    if values.null_count:
        places = rows if valid is None else np.multiply(rows, valid, out=empty(n, np.int64))
        own = bits_at(values.buffers()[0], values.offset, len(values), places)
        present = own if valid is None else valid & own
    content = find_taken(text_cuts(values), rows, present, n, often=often)
    if content is None or not fits(values.type, int(content.offsets[-1])):
        return None
    return text_from(values.type, content.offsets, _copied(loop, bytes_of(values), content), present)


def _copied(loop: Compiled, data: NDArray[np.uint8], content: Taken) -> NDArray[np.uint8]:
    """Copy the bytes of the texts that are taken."""
    begins, starts = content
    n = len(begins)
    out = empty(int(starts[-1]), np.uint8)
    few = n < strategy.sizes.THREAD_VALUES and len(out) < strategy.sizes.LIGHT_BYTES
    step = n if few else -(-n // n_cores())

    def work(first: int) -> None:
        last = min(first + step, n)
        loop(data, len(data), begins, starts, first, last, int(starts[last]), out)

    map_tasks(work, range(0, n, step))
    return out


def cut_texts(values: pa.Array[Any], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> pa.Array[Any]:
    """Cut out the bytes from `begins` to before `ends`, which are part of each text; nulls stay null.

    Notes
    -----
    O(n), a new array; the loop works on all cores. Without it, Arrow takes every second one of the pieces between begins and ends.
    """
    n = len(values)
    data, _, own = text_parts(values)
    loop = strategy.loop_of("take_texts", find_loop("taken_bytes", _BYTE, False, n) if n else None)
    if loop is not None:
        starts = from_counts(ends - begins)
        return text_from(values.type, starts, _copied(loop, data, Taken(begins, starts)), own)
    cuts = empty(2 * n, np.int64)
    cuts[::2], cuts[1::2] = begins, ends
    pieces = pa.Array.from_buffers(pa.large_binary(), max(0, 2 * n - 1), [None, pa.py_buffer(cuts), pa.py_buffer(data)])
    _, found, content = pc.take(pieces, pa.array(np.arange(0, 2 * n, 2)), boundscheck=False).buffers()
    return text_from(values.type, np.frombuffer(found, np.int64, n + 1), np.frombuffer(content, np.uint8), own)
