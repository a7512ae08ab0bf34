"""Integers as floats, and whether each is exact, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i4: Any = np.int32
i8: Any = np.int64
f4: Any = np.float32
f8: Any = np.float64

Function = Callable[..., int]

_OF_SINGLES = 2**24
_OF_DOUBLES = 2**53
"""Integers up to here are floats; in lanes it takes less to compare with these than to convert back."""


def _beyond(kind: str, most: int) -> Callable[..., Any]:
    """Whether the magnitude of an integer is above a number."""
    if kind == "u":

        @helper
        def beyond(item: Any) -> Any:
            return u8(item) > u8(most)
    else:

        @helper
        def beyond(item: Any) -> Any:
            return (i8(item) > i8(most)) | (i8(item) < i8(-most))

    return beyond


@loop("item* i8 f4*", ("i4", "u4", "i8", "u8"))
def as_singles(kind: str, nulls: bool) -> Function:
    """(values, n, out): integers as float32; returns 1 if the magnitude of one is above 2**24, else 0."""
    del nulls
    is_beyond = _beyond(kind, _OF_SINGLES)

    def function(values: Any, n: Any, out: Any) -> int:
        beyond = False
        for i in range(n):
            item = values[i]
            beyond |= is_beyond(item)
            out[i] = f4(i4(item))  # 32 bits hold each that is not beyond, and have instructions in more processors
        return 1 if beyond else 0

    return function


@loop("item* i8 f8*", ("i8", "u8"))
def as_doubles(kind: str, nulls: bool) -> Function:
    """(values, n, out): integers as float64; returns 1 if the magnitude of one is above 2**53, else 0."""
    del nulls
    is_beyond = _beyond(kind, _OF_DOUBLES)

    def function(values: Any, n: Any, out: Any) -> int:
        beyond = False
        for i in range(n):
            item = values[i]
            beyond |= is_beyond(item)
            out[i] = f8(item)
        return 1 if beyond else 0

    return function
