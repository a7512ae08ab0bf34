"""Time calls in turn, so that other work on the machine falls on all of them."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["in_turn"]


def in_turn(calls: Sequence[Callable[[], Any]], turns: int, budget: float = math.inf) -> list[tuple[float, float]]:
    """The least wall seconds and the least CPU seconds, of all threads, of each call, after one that is not timed.

    No turn begins after the budget, in seconds, is spent; one is always made.
    """
    began = time.perf_counter()
    for call in calls:
        call()
    best = [(math.inf, math.inf)] * len(calls)
    gc.collect()
    for turn in range(turns):
        if turn and time.perf_counter() - began > budget:
            break
        for place, call in enumerate(calls):
            wall, cpu = time.perf_counter(), time.process_time()
            call()
            took = time.perf_counter() - wall, time.process_time() - cpu
            best[place] = (min(best[place][0], took[0]), min(best[place][1], took[1]))
    return best
