"""Choosing by masks of all bits or none: flags are as good as random to the processor, whose guesses cost more than the work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.flat import fill as fill_blocks
from arrowjag._kernels.memory import empty

__all__ = ["filled", "filled_by_blocks", "mask_of"]


def mask_of(flags: NDArray[np.bool_], words: Any) -> NDArray[Any]:
    """A word of all bits for each flag that is set, of none for the others; a new array."""
    mask = empty(len(flags), words)
    np.copyto(mask, np.negative(flags.view(np.int8)), casting="unsafe")
    return mask


def filled(data: NDArray[Any], valid: NDArray[np.bool_], fill: object, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The data with `fill` where it is not valid: in `out`, or a new array.

    Notes
    -----
    5M float64, every twentieth null, filled with 0 in blocks take 3.5 ms, np.where takes 6; with every second null 4 and 18.
    """
    words = np.dtype(f"i{data.itemsize}")
    bits = np.array([fill], data.dtype).view(words)[0]
    mask = mask_of(valid, words)
    chosen = (empty(len(data), data.dtype) if out is None else out).view(words)
    if bits == 0:
        np.bitwise_and(data.view(words), mask, out=chosen)
    else:
        np.bitwise_xor(data.view(words), bits, out=chosen)
        chosen &= mask
        chosen ^= bits
    return chosen.view(data.dtype)


def filled_by_blocks(data: NDArray[Any], valid: NDArray[np.bool_] | None, fill: object) -> NDArray[Any]:
    """As `filled`, for data of any length, on all cores; the data itself where all is valid."""
    if valid is None:
        return data
    return fill_blocks(lambda items, out: filled(data[items], valid[items], fill, out), len(data), data.dtype)
