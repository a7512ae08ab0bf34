"""Functions of integers with many repetitions, such as days: computed once for each integer of the range, then looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from arrowjag import _arrow
from arrowjag._kernels import strategy
from arrowjag._kernels.base.extremes import least_and_greatest
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.move import gather

__all__ = ["Keys", "map_keys"]


class Keys(NamedTuple):
    """Counts of time, and how their parts are numbered: by day, or by hour, where numbers begin again after 24."""

    counts: NDArray[np.int64]
    """Arbitrary under nulls; 0 is better than a number beyond the limits of the others, which would enlarge the table."""
    valid: NDArray[np.bool_] | None
    size: int
    """The number of counts in a part."""
    cycle: int | None = None
    """The number of parts after which the numbers begin again; None for never."""

    def limits(self) -> tuple[int, int]:
        """The least and the greatest number that there may be."""
        if self.cycle is not None or not len(self.counts):
            return 0, (self.cycle or 0) - 1
        least, greatest = least_and_greatest(self.counts)
        return least // self.size, greatest // self.size

    def write(self, items: slice, out: NDArray[np.int64], first: int = 0) -> None:
        """Write the numbers of some neighbouring counts, less `first`."""
        np.floor_divide(self.counts[items], self.size, out=out)
        if self.cycle is not None:
            out -= out // self.cycle * self.cycle
        out -= first


def map_keys(keys: Keys, compute: Callable[[NDArray[np.int64]], pa.Array]) -> pa.Array:
    """Apply a function to numbers of parts.

    Parameters
    ----------
    keys : Keys
    compute : callable
        Takes integers, and returns one result per integer, integers or text, without nulls.

    Returns
    -------
    pyarrow.Array
        One result per count, null under nulls.

    Notes
    -----
    Calls `compute` with every integer between the limits where these are fewer than the counts, and takes from the results:
    O(n_values + n_integers). The fields of 1M dates take 2.7 ms of CPU time, Arrow's
    functions 9 to 33; their text takes 8 ms instead of 1 s.
    """
    n, (low, high) = len(keys.counts), keys.limits()
    if strategy.choose("map_keys", n, high - low + 1) == "items":
        found = compute(fill(keys.write, n, np.int64))
        return found if keys.valid is None else pc.if_else(_arrow.from_numpy(keys.valid), found, pa.scalar(None, found.type))
    table = compute(np.arange(low, high + 1))
    if not pa.types.is_integer(table.type):
        places = fill(lambda items, out: keys.write(items, out, low), n, np.int64)
        return gather.take(table, places, keys.valid)
    results = np.asarray(table)

    def work(items: slice, out: NDArray[Any]) -> None:
        places = np.empty(len(out), np.int64)
        keys.write(items, places, low)
        results.take(places, out=out, mode="clip")  # places are in range; with its check, numpy would write to a copy first

    return _arrow.from_numpy(fill(work, n, results.dtype), keys.valid)
