"""Running totals of sizes, running counts of flags, and the places of those that are True."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.compiled.library import Compiled, find_loop

__all__ = ["count_before", "running_count", "running_total", "true_places"]


def running_total(counts: NDArray[Any]) -> NDArray[np.int64]:
    """The sum of the integers or flags before each place, and of all: a new (n + 1,) int64 array."""
    totals = empty(len(counts) + 1, np.int64)
    loop = _find(counts)
    if loop is not None:  # np.add.accumulate takes five times as long: each sum waits for the one before to be stored
        loop(np.ascontiguousarray(counts), len(counts), totals)
        return totals
    totals[0] = 0
    np.add.accumulate(counts, dtype=np.int64, out=totals[1:])
    return totals


def _find(counts: NDArray[Any]) -> Compiled | None:
    if len(counts) < strategy.sizes.COMPILED_VALUES:
        return None
    return strategy.loop_of("running_total", find_loop("running_total", counts.dtype, False, len(counts)))


def running_count(mask: NDArray[np.bool_]) -> NDArray[Any]:
    """How many are True before each place, and in all."""
    if _find(mask) is not None:
        return running_total(mask)
    # Few counts need no narrow type, and results computed from them are int64.
    running = empty(len(mask) + 1, np.int32 if strategy.sizes.CALL_VALUES <= len(mask) < 2**31 else np.int64)
    running[0] = 0
    # Of one type: where numpy converts while it sums up, it keeps the interpreter to itself.
    np.add.accumulate(mask.astype(running.dtype), out=running[1:])
    return running


def count_before(mask: NDArray[np.bool_], places: NDArray[np.int64]) -> NDArray[Any]:
    """How many are True before each of some rising places."""
    if len(places) <= strategy.sizes.SEARCHED_PLACES and len(mask) < strategy.sizes.CALL_VALUES:
        return mask.nonzero()[0].searchsorted(places)
    return running_count(mask)[places]


def true_places(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return ``mask.nonzero()[0]``: each block writes its places behind those of the blocks before it, which are counted first."""
    step = strategy.sizes.PASS_VALUES
    if len(mask) <= step:
        return mask.nonzero()[0]
    starts = range(0, len(mask), step)
    ends = np.cumsum(map_tasks(lambda start: np.count_nonzero(mask[start : start + step]), starts)).tolist()
    out = empty(ends[-1], np.int64)

    def work(block: int) -> None:
        found = mask[starts[block] : starts[block] + step].nonzero()[0]
        np.add(found, starts[block], out=out[ends[block] - len(found) : ends[block]])

    map_tasks(work, range(len(starts)))
    return out
