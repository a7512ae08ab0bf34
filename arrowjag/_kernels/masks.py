"""Choosing by masks of all bits or none: flags are as good as random to the processor, whose guesses cost more than the work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.flat import fill as fill_blocks
from arrowjag._kernels.memory import empty

__all__ = ["filled", "write_mask"]

_FEW = 1 << 12
"""Values below which calls decide what it costs."""


def write_mask(flags: NDArray[np.bool_], out: NDArray[Any]) -> None:
    """A word of all bits for each flag that is set, of none for the others."""
    np.copyto(out, np.negative(flags.view(np.int8)), casting="unsafe")


def filled(data: NDArray[Any], valid: NDArray[np.bool_], fill: object) -> NDArray[Any]:
    """The data with `fill` where it is not valid, a new array.

    Notes
    -----
    O(n), on all cores where there are many. 5M float64 of which every twentieth is null are filled with 0 in 3.2 ms of CPU time, a
    copy takes 2.7; np.where takes 6 in blocks, 10 as a whole, and 18 where every second is null. All bits cost as little as none,
    other fillers 1.5 more.
    """
    if len(data) < _FEW:
        return np.where(valid, data, np.array(fill, data.dtype))
    words = np.dtype(f"i{data.itemsize}")
    bits = np.array([fill], data.dtype).view(words)[0]

    def work(items: slice, out: NDArray[Any]) -> None:
        source = data[items].view(words)
        if bits == -1:
            write_mask(np.logical_not(valid[items]), out)
            out |= source
            return
        write_mask(valid[items], out)
        if bits == 0:
            out &= source
        else:
            out &= np.bitwise_xor(source, bits, out=empty(len(out), words))
            out ^= bits

    return fill_blocks(work, len(data), words).view(data.dtype)
