"""Checks of integer arguments, their error messages, and the maximal number of dims."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from arrowjag.errors import JagRangeError, JagTypeError, JagValueError, ShapeError, brief, type_name

__all__ = ["MAX_NDIM", "MOST_ITEMS", "check_ndim", "exceeds_floats", "integer", "is_int", "item_count"]

_MOST = 2**63 - 1

MAX_NDIM = 64
"""Maximal number of dims of a shape, a type or a file, and of nesting levels of a type; numpy has the same limit."""

MOST_ITEMS = 2**40
"""More items of 8 bytes than any memory holds: a call with a larger result raises before it computes anything."""


def check_ndim(ndim: int, what: str) -> None:
    """Refuse more dims than `MAX_NDIM`, a negative number, and an argument that is not an int.

    Arrow, pandas and polars process nested types recursively, so a file with thousands of levels would crash the process.
    """
    if integer(ndim, "ndim", 0) > MAX_NDIM:
        raise ShapeError(f"{what} would have {brief(ndim)} dims, at most {MAX_NDIM} are supported")


def is_int(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Whether a value is a Python or numpy integer; a bool is not, nor is numpy's timedelta64, a subclass of its integers."""
    return type(value) is int or (isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64)))


def exceeds_floats(value: object) -> bool:
    """Whether a value is an int beyond float64, for which numpy and Python raise OverflowError."""
    return isinstance(value, int) and value.bit_length() > 1023


def integer(value: object, what: str, least: int | None = None) -> int:
    """Convert a value to a Python int, or raise an error that names the argument and its minimum."""
    if type(value) is int:
        number = value
    elif is_int(value):
        number = int(value)
    else:
        raise JagTypeError(f"{what} must be an int, got {type_name(value)}")
    if least is not None and number < least:
        raise JagValueError(f"{what} must {f'be at least {least}' if least else 'not be negative'}, got {brief(number)}")
    return number


def item_count(value: object, what: str, least: int = 0) -> int:
    """Convert a number of items to a Python int; raise if it is not an integer, below `least`, or too many for 64-bit offsets."""
    number = integer(value, what, least)
    if number > _MOST:
        raise JagRangeError(f"{what} must be at most {_MOST}, got {brief(number)}")
    return number
