"""Functions of flat values that are written block by block, on all cores, into memory of Arrow's pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import blocks
from arrowjag._kernels.memory import empty, zeros

__all__ = ["BLOCK_VALUES", "FEWEST_VALUES", "Source", "fill", "fill_bits"]

BLOCK_VALUES = 1 << 17
"""A pass over a block is long enough for another thread to take the interpreter meanwhile, and the block still fits a cache."""

FEWEST_VALUES = 1 << 17
"""Below this many values one call on all of them is as fast."""


class Source(NamedTuple):
    """What gives each value of a result one of its operands."""

    data: NDArray[Any]
    """One item a value, one for all values, or one a row."""
    offsets: NDArray[np.int64] | None = None
    """Where the rows begin whose values share an item."""
    parents: NDArray[Any] | None = None
    """The row of each value, where that is known already."""

    def part(self, items: slice) -> NDArray[Any]:
        """The operand of some neighbouring values, or one item for all of them; not to be written to."""
        if self.offsets is None:
            return self.data if len(self.data) == 1 else self.data[items]
        if self.parents is not None:
            # numpy's take needs 3.8 ms for 5M float64 in blocks, pyarrow's 2.2.
            rows, data = pa.array(self.parents[items]), pa.array(self.data)
            return np.frombuffer(pc.take(data, rows, boundscheck=False).buffers()[1], self.data.dtype, len(rows))
        first = int(np.searchsorted(self.offsets, items.start, "right")) - 1
        last = int(np.searchsorted(self.offsets, items.stop, "left"))
        return _spread(self.data[first:last], self.offsets[first : last + 1], items)


def _spread(data: NDArray[Any], offsets: NDArray[np.int64], items: slice) -> NDArray[Any]:
    """One number a row for each of its values that are among the items; the first row and the last one may be cut.

    Notes
    -----
    The bits by which a row differs from the one before, where it begins, added up without carry. 5M float64 in rows of 10 take 5
    ms, np.repeat 6 (its loop over a row is as short as the row), the row numbers that are not needed then 5 and a gather by them 2.
    """
    full = offsets[1:] > offsets[:-1]
    starts = offsets[:-1] - items.start
    starts[0] = 0
    bits = data.view(f"u{data.itemsize}")
    if not full.all():
        bits, starts = bits[full], starts[full]
    steps = bits.copy()
    steps[1:] ^= bits[:-1]
    spread = zeros(items.stop - items.start, bits.dtype)
    spread[starts] = steps
    np.bitwise_xor.accumulate(spread, out=spread)
    return spread.view(data.dtype)


def fill(
    function: Callable[[slice, NDArray[Any]], object], n: int, dtype: npt.DTypeLike, block: int = BLOCK_VALUES
) -> NDArray[Any]:
    """A new array of n items, of which function(items, out) has written each block; floating-point warnings are off inside."""
    out = empty(n, dtype)

    def work(start: int) -> None:
        items = slice(start, min(start + block, n))
        with np.errstate(all="ignore"):
            function(items, out[items])

    blocks.map_tasks(work, range(0, n, block))
    return out


def fill_bits(function: Callable[[slice], NDArray[np.bool_]], n: int, block: int = BLOCK_VALUES) -> NDArray[np.uint8]:
    """A new bitmap of n flags, in Arrow's order of bits, from function(items) of each block."""
    out = empty((n + 7) // 8, np.uint8)

    def work(start: int) -> None:
        items = slice(start, min(start + block, n))
        with np.errstate(all="ignore"):
            out[start // 8 : (items.stop + 7) // 8] = np.packbits(function(items), bitorder="little")

    blocks.map_tasks(work, range(0, n, block))
    return out
