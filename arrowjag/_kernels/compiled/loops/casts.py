"""Numbers as floats, and whether each fits, in one pass."""

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

_OF_SINGLES, _OF_DOUBLES = 2**24, 2**53
"""Every integer of up to this magnitude is such a float; vectors compare with it in less time than they convert back."""


def _as_floats(kind: str, most: int, as_float: Callable[[Any], Any]) -> Function:
    if kind == "u":

        @helper
        def is_beyond(item: Any) -> Any:
            return u8(item) > u8(most)
    else:

        @helper
        def is_beyond(item: Any) -> Any:
            return (i8(item) > i8(most)) | (i8(item) < i8(-most))

    return _cast(as_float, is_beyond)


def _cast(as_float: Callable[[Any], Any], is_beyond: Callable[[Any], Any]) -> Function:
    def function(values: Any, n: Any, out: Any) -> int:
        found = False
        for i in range(n):
            item = values[i]
            found |= is_beyond(item)
            out[i] = as_float(item)
        return 1 if found else 0

    return function


@helper
def as_single(item: Any) -> Any:
    """An integer as float32, by way of 32 bits: they hold each one that is not beyond, and more processors convert them."""
    return f4(i4(item))


@helper
def rounded(item: Any) -> Any:
    """A float64 as the nearest float32."""
    return f4(item)


@helper
def is_infinite(item: Any) -> Any:
    """Whether a float64 is infinite as float32."""
    return abs(f4(item)) == f4(np.inf)


@helper
def as_double(item: Any) -> Any:
    """An integer as float64."""
    return f8(item)


@loop("item* i8 f4*", ("i4", "u4", "i8", "u8", "f8"))
def as_singles(kind: str, nulls: bool) -> Function:
    """(values, n, out): numbers as float32; returns 1 if an integer is beyond 2**24, or a result is infinite, else 0."""
    del nulls
    return _cast(rounded, is_infinite) if kind == "f" else _as_floats(kind, _OF_SINGLES, as_single)


@loop("item* i8 f8*", ("i8", "u8"))
def as_doubles(kind: str, nulls: bool) -> Function:
    """(values, n, out): integers as float64; returns 1 if the magnitude of one is above 2**53, else 0."""
    del nulls
    return _as_floats(kind, _OF_DOUBLES, as_double)
