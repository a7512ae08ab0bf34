"""Repeat a whole array of any type: words, texts and each field of structs are copied block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.fill import light_block
from arrowjag._kernels.base.memory import empty, numbers
from arrowjag._kernels.base.texts import bytes_between, fits, text_cuts
from arrowjag._kernels.base.words import Bits, has_words, is_variable_size, valid_of
from arrowjag._kernels.move.gather import structs, take, with_indices
from arrowjag._kernels.move.merge import tile_words, tiled

__all__ = ["tile"]


def tile(values: pa.Array[Any], count: int) -> pa.Array[Any]:
    """Repeat the whole array `count` times.

    Parameters
    ----------
    values : (n,) Arrow array of any type
    count : int

    Returns
    -------
    (n * count,) Arrow array of the same type

    Notes
    -----
    O(n * count), a new array. 1M words of seven bytes take 0.7 ms, where a take by item numbers needs 1.3, and without numba 4.
    Few texts are taken: 20 words in 12 microseconds instead of 19.
    """
    n, type = len(values), values.type
    if has_words(type) or n * count == 0 or count == 1:
        return tile_words(values, count)
    if pt.is_dictionary(type):
        return with_indices(values, tile(values.indices, count))
    if pt.is_struct(type):
        valid = valid_of(values)
        fields = [tile(values.field(slot), count) for slot in range(type.num_fields)]
        return structs(type, fields, n * count, None if valid is None else tiled(valid, count))
    in_blocks = is_variable_size(type) and strategy.choose("tile_texts", n * count) == "blocks"
    if in_blocks and fits(type, len(bytes_between(values)) * count):
        return _tiled_texts(values, count)
    return take(values, tiled(numbers(n), count))


def _tiled_texts(values: pa.Array[Any], count: int) -> pa.Array[Any]:
    n, data = len(values), np.frombuffer(bytes_between(values), np.uint8)
    content = tiled(data, count) if len(data) else data
    bits = tile_words(Bits(values.buffers()[0], values.offset, n).as_array(), count).buffers()[1] if values.null_count else None
    cuts = _tiled_cuts(text_cuts(values), count)
    return pa.Array.from_buffers(values.type, n * count, [bits, pa.py_buffer(cuts), pa.py_buffer(content)])


def _tiled_cuts(cuts: NDArray[Any], count: int) -> NDArray[Any]:
    """Return where each text begins, copy by copy; few texts are first repeated to a longer row, as in `tiled`."""
    begins, total = cuts[:-1] - cuts[0], int(cuts[-1] - cuts[0])
    out = empty(len(begins) * count + 1, cuts.dtype)
    copies = min(count, -(-strategy.sizes.TILE_VALUES // len(begins)))
    piece = np.add(begins, (np.arange(copies) * total)[:, None], dtype=cuts.dtype, casting="unsafe").reshape(-1)
    times, rest = divmod(count, copies)
    shifts = (np.arange(times + 1) * (total * copies)).astype(cuts.dtype)[:, None]
    end = times * len(piece)
    table = out[:end].reshape(times, len(piece))
    step = max(1, light_block(table.size, table.itemsize) // len(piece))

    def work(first: int) -> None:
        np.add(piece, shifts[first : min(first + step, times)], out=table[first : first + step])

    map_tasks(work, range(0, times, step))
    np.add(piece[: rest * len(begins)], shifts[times], out=out[end:-1])
    out[-1] = total * count
    return out
