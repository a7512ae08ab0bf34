"""Linear interpolation between the sorted points of each row, with the results of numpy.interp."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_rows
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.offsets import row_sizes
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loop import TOGETHER
from arrowjag._kernels.order.search import searchsorted

__all__ = ["apart", "distance", "interpolate"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def interpolate(
    key: npt.NDArray[Any],
    level: Floats,
    offsets: Integers,
    sought: npt.NDArray[Any],
    sought_offsets: Integers,
    *,
    clamps: bool,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Interpolate between the points (key, level) of each row.

    Parameters
    ----------
    key : (n_points,) integer or float array
        Ascending in each row, without NaN.
    level : (n_points,) float64 array
    offsets : (n_rows + 1,) int64 array
        Cuts the points into rows.
    sought : (n_sought,) array of the dtype of the keys
    sought_offsets : (n_rows + 1,) int64 array
    clamps : bool
        Whether items outside of the points of their row get the first or last level.

    Returns
    -------
    values : (n_sought,) float64 array
        NaN for a NaN among the items sought.
    there : (n_sought,) bool array
        False in rows without points, and outside of the points unless `clamps`; values are unspecified there.

    Notes
    -----
    O(n_sought log(longest row)).
    """
    loop = strategy.loop_of("interpolate", find_loop("interpolate", key.dtype, False, len(sought), often=True))
    if loop is not None:
        out, there = empty(len(sought), np.float64), empty(len(sought), np.bool_)
        key, level, sought = np.ascontiguousarray(key), np.ascontiguousarray(level), np.ascontiguousarray(sought)

        def block(first: int, last: int) -> None:
            loop(key, level, offsets, sought, sought_offsets, first, last, int(clamps), out, there, empty(TOGETHER, np.int64))

        map_rows(block, sought_offsets)
        return out, there
    sizes = row_sizes(sought_offsets)
    starts, ends = offsets[:-1].repeat(sizes), offsets[1:].repeat(sizes)
    after = searchsorted(key, offsets, sought, sought_offsets, "right")
    after += starts
    there = starts < ends
    if not clamps and len(key):
        inside = (after > starts) & (sought <= key[np.clip(ends - 1, 0, len(key) - 1)])
        if sought.dtype.kind == "f":
            inside |= np.isnan(sought)
        there &= inside
    return _between(key, level, sought, starts, ends, after), there


def _between(
    key: npt.NDArray[Any], level: Floats, sought: npt.NDArray[Any], starts: Integers, ends: Integers, after: Integers
) -> Floats:
    """Interpolate as numpy.interp does: from the point before each position by the slope after it, in blocks that stay in cache."""
    n = len(key)
    if not n:
        return np.zeros(len(sought))
    slope = without_warnings(_slopes, key, level)

    def work(part: slice, out: npt.NDArray[Any]) -> None:
        at, behind = sought[part], after[part]
        low = np.minimum(np.maximum(behind - 1, starts[part]), n - 1)
        y0, x0 = level.take(low), key.take(low)
        np.multiply(slope.take(low), distance(at, x0), out=out)
        out += y0
        if np.count_nonzero(np.isnan(out)):
            _from_above(out, key, level, low, at)
        np.copyto(out, y0, where=(at <= x0) | (behind == ends[part]))
        if at.dtype.kind == "f":
            np.copyto(out, np.nan, where=np.isnan(at))

    return fill(work, len(sought), np.float64, strategy.sizes.SEARCH_BLOCK)


def _slopes(key: npt.NDArray[Any], level: Floats) -> Floats:
    """The slope from each point to the next, 0 behind the last one."""
    slope = np.zeros(len(key))
    np.divide(level[1:] - level[:-1], distance(key[1:], key[:-1]), out=slope[:-1])
    return slope


def _from_above(out: npt.NDArray[Any], key: npt.NDArray[Any], level: Floats, low: Integers, at: npt.NDArray[Any]) -> None:
    """Compute from the next point where the previous point gives NaN, as between two infinities."""
    wrong = np.isnan(out).nonzero()[0]
    low = low[wrong]
    high = np.minimum(low + 1, len(key) - 1)
    y0, y1 = level[low], level[high]
    found = (y1 - y0) / distance(key[high], key[low]) * distance(at[wrong], key[high]) + y1
    out[wrong] = np.where(np.isnan(found) & (y0 == y1), y0, found)


def distance(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> Floats:
    """Subtract numbers as floats; integers are subtracted first, so that large times keep their digits."""
    if one.dtype.kind == "f":
        return one.astype(np.float64, copy=False) - two.astype(np.float64, copy=False)
    if one.dtype.kind == "u":
        return apart(one, two) * np.where(one >= two, 1.0, -1.0)
    one, two = one.astype(np.int64, copy=False), two.astype(np.int64, copy=False)
    found = one - two
    if ((one ^ two) & (one ^ found) < 0).any():  # beyond 64 bits
        return apart(one, two) * np.where(one >= two, 1.0, -1.0)
    return found.astype(np.float64)  # type: ignore[no-any-return]  # numpy's types of operators


def apart(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return distances, those of integers exactly."""
    if one.dtype.kind == "b":
        one, two = one.astype(np.int8), two.astype(np.int8)
    if one.dtype.kind == "f":
        one, two = one.astype(np.float64, copy=False), two.astype(np.float64, copy=False)
        with np.errstate(all="ignore"):
            return np.where(one == two, 0.0, np.absolute(one - two))  # infinities are equal to themselves
    wide = np.uint64
    return np.where(one >= two, one.astype(wide) - two.astype(wide), two.astype(wide) - one.astype(wide))
