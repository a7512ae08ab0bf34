"""Regularity of a sequence of sizes, found on its runs of equal values.

Runs are a pair of arrays (values, lengths): neighbours differ, no length is zero. A sequence of a billion equal sizes
is one run, so every question below costs the number of runs, never the number of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrowjag.typing import IntArray

Runs = tuple[IntArray, IntArray]


def merged_runs(values: NDArray[Any], lengths: NDArray[Any]) -> Runs:
    """Runs without empty ones, equal neighbours taken together."""
    kept = lengths > 0
    values, lengths = values[kept], lengths[kept]
    if len(values) == 0:
        return values, lengths
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    return values[starts], np.add.reduceat(lengths, starts)


def runs_of(sizes: NDArray[Any]) -> Runs:
    """Runs of plain sizes."""
    return merged_runs(sizes, np.ones(len(sizes), np.int64))


def slope(runs: Runs) -> int | None:
    """The constant difference of neighbours, where each run is one row and there are at least three."""
    values, lengths = runs
    if len(values) < 3 or (lengths != 1).any():
        return None
    step = values[1] - values[0]
    return int(step) if (values[1:] - values[:-1] == step).all() else None


def period(runs: Runs) -> int:
    """Return the length of the shortest piece whose repetition gives the whole sequence."""
    values, lengths = runs
    joined = len(values) > 1 and values[0] == values[-1]  # the last run of a piece flows into the first run of the next
    if joined:
        lengths = np.concatenate([[lengths[0] + lengths[-1]], lengths[1:-1]])
        values = values[:-1]
    n = len(values)
    shortest = n
    for prime in _prime_factors(n):
        while shortest % prime == 0 and _repeats(values, shortest // prime) and _repeats(lengths, shortest // prime):
            shortest //= prime
    return int(lengths[:shortest].sum())


def _repeats(array: NDArray[Any], step: int) -> bool:
    """Whether an array equals itself shifted; most arrays already differ near the front."""
    head = min(len(array), step + 64)
    return bool((array[step:head] == array[: head - step]).all() and (array[step:] == array[: len(array) - step]).all())


def _prime_factors(n: int) -> list[int]:
    factors, prime = [], 2
    while prime * prime <= n:
        if n % prime == 0:
            factors.append(prime)
            while n % prime == 0:
                n //= prime
        prime += 1
    return [*factors, n] if n > 1 else factors


def head(runs: Runs, n_rows: int) -> Runs:
    """The runs of the first rows."""
    values, lengths = runs
    ends = np.cumsum(lengths)
    last = int(np.searchsorted(ends, n_rows))
    cut = lengths[: last + 1].copy()
    cut[-1] -= ends[last] - n_rows
    return values[: last + 1], cut
