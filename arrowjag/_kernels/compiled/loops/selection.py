"""The items at two neighbouring places of each sorted row, without sorting it: what quantiles are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
i8: Any = np.int64
f8: Any = np.float64

SHORT = 24
"""Rows up to this length compute the rank of each item by counting the smaller ones."""

Function = Callable[..., int]


@loop("item* i8* i8 i8 i8* item* item* item*")
def select(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, places, scratch, lower, upper): the items of rank places[row] and of the next rank.

    The last item has no next one and stands for it. There are no nulls and no NaN; rows that are empty are left out. `scratch` has
    room for the longest row.
    """
    del nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, places: Any, scratch: Any, lower: Any, upper: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n = end - begin
            if n == u8(0):
                continue
            place = u8(places[row])
            if n <= u8(SHORT):
                for i in range(begin, end):
                    item = values[i]
                    rank = u8(0)
                    for j in range(begin, i):
                        rank += u8(1) if values[j] <= item else u8(0)
                    for j in range(i + u8(1), end):
                        rank += u8(1) if values[j] < item else u8(0)
                    lower[row] = item if rank == place else lower[row]
                    upper[row] = item if (rank == place + u8(1)) | ((rank == place) & (place + u8(1) == n)) else upper[row]
                continue
            for i in range(u8(0), n):
                scratch[i] = values[begin + i]
            # Hoare's selection around the median of three; places beyond `left` and `right` are settled.
            left, right = u8(0), n - u8(1)
            while right > left:
                middle = left + ((right - left) >> u8(1))
                a, b, c = scratch[left], scratch[middle], scratch[right]
                low = min(b, a)
                high = max(a, b)
                pivot = low if c < low else (min(c, high))
                i, j = left, right
                while True:
                    while scratch[i] < pivot:
                        i += u8(1)
                    while pivot < scratch[j]:
                        j -= u8(1)
                    if i >= j:
                        break
                    held = scratch[i]
                    scratch[i] = scratch[j]
                    scratch[j] = held
                    i += u8(1)
                    j -= u8(1)
                if place <= j:
                    right = j
                else:
                    left = j + u8(1)
            lower[row] = scratch[place]
            best = scratch[place]
            if place + u8(1) < n:
                best = scratch[place + u8(1)]
                for i in range(place + u8(2), n):
                    best = min(best, scratch[i])
            upper[row] = best
        return 0

    return function
