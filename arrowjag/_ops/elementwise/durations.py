"""Durations multiplied and divided by numbers, and divided by durations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._ops.elementwise.framework import Datum, both_valid, cast_datum, datum_to_numpy, sized
from arrowjag._ops.elementwise.types import promote
from arrowjag.errors import JagOverflowError, JagTypeError

__all__ = ["are_scaled", "floored", "scaled"]


def are_scaled(name: str, one: pa.DataType, two: pa.DataType) -> bool:
    """Return whether one operand is a duration and the other one a float that multiplies or divides it."""
    by_float = pt.is_duration(one) and pt.is_floating(two)
    return by_float if name == "divide" else name == "multiply" and (by_float or (pt.is_floating(one) and pt.is_duration(two)))


def scaled(name: str, one: Datum, two: Datum) -> pa.Array:
    """Multiply or divide durations by floats, rounded toward zero as by numpy; NaN and a division by zero give null.

    Raises
    ------
    JagOverflowError
        If a result does not fit 64 bits of the unit.
    """
    (left, left_valid), (right, right_valid) = datum_to_numpy(one), datum_to_numpy(two)
    type = one.type if pt.is_duration(one.type) else two.type
    with np.errstate(all="ignore"):
        found = (np.multiply if name == "multiply" else np.divide)(left, right, dtype=np.float64)
        if name == "divide":
            found[np.broadcast_to(right == 0, found.shape)] = np.nan
    return _durations(name, np.trunc(found), both_valid(left_valid, right_valid), type)


def _durations(name: str, counts: npt.NDArray[np.float64], valid: npt.NDArray[np.bool_] | None, type: pa.DataType) -> pa.Array:
    """Convert whole float64 counts to durations; NaN becomes null."""
    known = ~np.isnan(counts)
    valid = known if valid is None else known & valid
    fits = np.abs(counts) < 2.0**63
    if np.count_nonzero(valid & ~fits):
        raise JagOverflowError(f"{name}: a result does not fit {type}; cast to a coarser unit first")
    return sized(np.where(valid & fits, counts, 0).astype(np.int64), valid, pa.int64()).cast(type)


def floored(name: str, one: Datum, two: Datum, compute: Callable[[Datum, Datum], Any]) -> pa.Array:
    """Floor division or remainder of durations: by durations, whose quotients are int64, or by numbers, which give durations.

    Parameters
    ----------
    name : {"floor_divide", "remainder"}
    one, two : pa.Array or pa.Scalar
        At least one of them holds durations.
    compute : callable
        The operation on integers.
    """
    if pt.is_duration(one.type) and pt.is_duration(two.type):
        type = promote([one.type, two.type], name)
        found = compute(*(cast_datum(side, type).cast(pa.int64()) for side in (one, two)))
        return found if name == "floor_divide" else found.cast(type)
    if name == "floor_divide" and pt.is_duration(one.type) and pt.is_integer(two.type) and not pt.is_uint64(two.type):
        return compute(one.cast(pa.int64()), two.cast(pa.int64())).cast(one.type)
    if name == "floor_divide" and pt.is_duration(one.type) and pt.is_floating(two.type):
        (left, left_valid), (right, right_valid) = datum_to_numpy(one), datum_to_numpy(two)
        with np.errstate(all="ignore"):
            found = np.floor_divide(left.astype(np.float64), right.astype(np.float64))
        found[np.broadcast_to(right == 0, found.shape)] = np.nan
        return _durations(name, found, both_valid(left_valid, right_valid), one.type)
    raise JagTypeError.no_kernel(name, one.type, two.type)
