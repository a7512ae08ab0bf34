"""Rounding and bounding of floats, block by block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import fill, light_block
from arrowjag._kernels.compiled.library import find_loop

__all__ = ["MOST_DECIMALS", "clip", "round_half_even"]


MOST_DECIMALS = {"f": 10, "d": 22}
"""Up to here a power of ten is exact in float32 and float64."""


def _over_values(function: Callable[[NDArray[Any], NDArray[Any]], object], data: NDArray[Any]) -> NDArray[Any]:
    """Let a function fill a result block by block."""
    return fill(lambda items, out: function(data[items], out), len(data), data.dtype, strategy.sizes.WORD_VALUES)


def round_half_even(data: NDArray[Any], decimals: int) -> NDArray[Any]:
    """Floats rounded to a number of decimals, ties to even.

    Parameters
    ----------
    data : (n_values,) float32 or float64
        NaN and infinities stay.
    decimals : int
        Below 0 it rounds to tens, hundreds...

    Returns
    -------
    (n_values,) array of the type of `data`
        As numpy rounds, but that numbers too large to have such decimals stay what they are, and that results whose power of ten no
        float holds are the nearest floats; infinite where they are beyond the largest one.
    """
    if abs(decimals) > MOST_DECIMALS["d"]:
        return _round_by_text(data, decimals)
    if abs(decimals) > MOST_DECIMALS[data.dtype.char]:
        return round_half_even(data.astype(np.float64), decimals).astype(data.dtype)
    power = data.dtype.type(10 ** abs(decimals))
    there, back = (np.multiply, np.divide) if decimals > 0 else (np.divide, np.multiply)
    limit = 2.0 ** np.finfo(data.dtype).nmant  # floats of this magnitude are all integers
    loop = strategy.loop_of("rounded", find_loop("rounded", data.dtype, False, len(data), often=True) if decimals else None)
    if loop is not None:
        limits, values = np.array([power, limit], data.dtype), np.ascontiguousarray(data)
        block = light_block(len(data), data.itemsize)
        return fill(lambda items, out: loop(values[items], limits, decimals, len(out), out), len(data), data.dtype, block)

    def work(part: NDArray[Any], out: NDArray[Any]) -> None:
        if decimals == 0:
            np.rint(part, out=out)
            return
        there(part, power, out=out)
        whole = None if -limit < out.min() and out.max() < limit else ~(np.abs(out) < limit)
        np.rint(out, out=out)
        back(out, power, out=out)
        if whole is not None:
            out[whole] = part[whole]

    return _over_values(work, data)


def _round_by_text(data: NDArray[Any], decimals: int) -> NDArray[Any]:
    """Floats rounded to more decimals than have an exact power of ten: whole numbers of units become floats as text such as 17e-30.

    1M take 0.1 s; products with the nearest power of ten would be wrong in the last digits.
    """
    units = data.astype(np.float64)
    with np.errstate(over="ignore"):
        for left in range(abs(decimals), 0, -MOST_DECIMALS["d"]):
            power = 10.0 ** min(left, MOST_DECIMALS["d"])
            (np.multiply if decimals > 0 else np.divide)(units, power, out=units)
    has_decimals = np.abs(units) < 2.0 ** np.finfo(data.dtype).nmant
    counts = np.rint(np.where(has_decimals, units, 0)).astype(np.int64)
    type = pa.large_string()
    texts = pc.binary_join_element_wise(pa.array(counts).cast(type), pa.scalar(f"e{-decimals}", type), pa.scalar("", type))
    found = np.copysign(texts.cast(pa.float64()).to_numpy(), data)
    with np.errstate(over="ignore"):
        return np.where(has_decimals, found, data).astype(data.dtype, copy=False)


def clip(data: NDArray[Any], lower: Any, upper: Any) -> NDArray[Any]:
    """Numbers no lower and no higher than bounds of their type; None is no bound, NaN stays."""
    block = light_block(len(data), data.itemsize)
    return fill(lambda items, out: np.clip(data[items], lower, upper, out=out), len(data), data.dtype, block)
