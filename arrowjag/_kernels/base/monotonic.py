"""Test whether numbers ascend, and count equal ones; both run on all cores, in blocks that stay in cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.memory import zeros
from arrowjag._kernels.base.words import all_set

__all__ = ["all_neighbours", "bincount_sorted"]


def all_neighbours(condition: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]], data: NDArray[Any]) -> bool:
    """Return whether ``condition(data[1:], data[:-1])`` is true for all pairs of neighbours.

    Notes
    -----
    O(n); data of which the first block fails is not read any further.
    """
    step, last = strategy.sizes.PASS_VALUES, len(data) - 1

    def holds(first: int) -> bool:
        end = min(first + step, last)
        found = condition(data[first + 1 : end + 1], data[first:end])
        return all_set(found)

    return last < 1 or (holds(0) and (last <= step or all(map_tasks(holds, range(step, last, step)))))


def bincount_sorted(numbers: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Count how often each number from 0 to n - 1 occurs, as `np.bincount` does, if the numbers are sorted.

    Parameters
    ----------
    numbers : integer array
        From 0 to n - 1, never falling.
    n : int

    Returns
    -------
    (n,) int64 array

    Notes
    -----
    O(n + numbers). A block begins with the first of equal numbers, so that each count is written by one block.
    """
    step = strategy.sizes.PASS_VALUES
    if len(numbers) <= step:
        return np.bincount(numbers.astype(np.int64, copy=False), minlength=n).astype(np.int64, copy=False)
    counts = zeros(n, np.int64)

    def begin(place: int) -> int:
        return int(numbers.searchsorted(numbers[place])) if place < len(numbers) else len(numbers)

    def count(place: int) -> None:
        own = numbers[begin(place) : begin(place + step)]
        if len(own):
            counted = np.bincount((own - own[0]).astype(np.int64, copy=False))
            counts[int(own[0]) : int(own[0]) + len(counted)] = counted

    map_tasks(count, range(0, len(numbers), step))
    return counts
