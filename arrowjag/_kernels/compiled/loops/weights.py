"""Shares of each row: distances from its largest item before the exponential function, and the quotients by its sum after it.

The exponential function itself is numpy's, in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop
from arrowjag._kernels.compiled.loops.moments import distances_of
from arrowjag._kernels.compiled.vectors import EXTREMES

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
f8: Any = np.float64

Function = Callable[..., int]

LONG = 32
"""Rows from this length on are compared in vectors, whose ends cost shorter ones more than they save."""


@loop("item* u1* i8* i8 i8 item* item*", ("f4", "f8"))
def exponents(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, scale, out): each item times a factor, less the largest such product of its row.

    `scale` holds the factor, -inf and 0. NaN is never the largest. A null gets 0: numpy takes 1M exponentials in 0.8 ms, and in 1.9
    if one in twenty is of -inf.
    """
    del kind
    largest_of = EXTREMES[True, False]

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, scale: Any, out: Any) -> int:
        factor, low, zero = scale[0], scale[1], scale[2]
        for i in range(u8(offsets[first]), u8(offsets[last])):
            item = values[i] * factor
            if nulls:
                item = item if valid[i] != 0 else low
            out[i] = item
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            top = low
            if end - begin < u8(LONG):
                for i in range(begin, end):
                    top = out[i] if out[i] > top else top  # noqa: FURB136
            else:
                top = largest_of(out, valid, begin, end, low)
            for i in range(begin, end):
                out[i] = out[i] - top
        if nulls:
            for i in range(u8(offsets[first]), u8(offsets[last])):
                distance = out[i]
                out[i] = distance if valid[i] != 0 else zero
        return 0

    return function


@loop("u1* i8* i8 i8 item*", ("f4", "f8"))
def shares(kind: str, nulls: bool) -> Function:
    """(valid, offsets, first, last, out): divide each item of `out` by the sum of its row; a null becomes 0 first."""
    del kind
    sums = distances_of(False)

    def function(valid: Any, offsets: Any, first: Any, last: Any, out: Any) -> int:
        if nulls:
            for i in range(u8(offsets[first]), u8(offsets[last])):
                item = out[i]
                out[i] = item if valid[i] != 0 else item - item
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            total = sums(out, valid, begin, end, 0.0)
            for i in range(begin, end):
                out[i] = f8(out[i]) / total
        return 0

    return function
