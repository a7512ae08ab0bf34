"""Durations multiplied and divided by numbers, and divided by durations; statistics of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._column import Column
from arrowjag._ops.elementwise.framework import Datum, both_valid, cast_datum, datum_to_numpy, sized
from arrowjag._ops.elementwise.types import promote
from arrowjag.errors import JagOverflowError, JagTypeError

__all__ = ["are_scaled", "by_counts", "factors", "floored", "scaled"]


def are_scaled(name: str, one: pa.DataType, two: pa.DataType) -> bool:
    """Return whether one operand is a duration and the other one floats, or nulls alone, that multiply or divide it."""
    by_float = pt.is_duration(one) and _are_floats(two)
    return by_float if name == "divide" else name == "multiply" and (by_float or (_are_floats(one) and pt.is_duration(two)))


def factors(one: Datum, two: Datum) -> tuple[Datum, Datum]:
    """Replace a single null beside durations, such as None, which has taken their type, by a number: durations have no product."""
    if pt.is_duration(one.type) and pt.is_duration(two.type):
        left, right = (isinstance(side, pa.Scalar) and not side.is_valid for side in (one, two))
        number = pa.scalar(None, pa.float64())
        return (one, number) if right else (number if left else one, two)
    return one, two


def _are_floats(type: pa.DataType) -> bool:
    return bool(pt.is_floating(type) or pt.is_null(type))


def scaled(name: str, one: Datum, two: Datum) -> pa.Array:
    """Multiply or divide durations by floats, rounded toward zero as by numpy; NaN and a division by zero give null.

    Raises
    ------
    JagOverflowError
        If a result does not fit 64 bits of the unit.
    """
    type = one.type if pt.is_duration(one.type) else two.type
    sides = (cast_datum(side, pa.float64()) if pt.is_null(side.type) else side for side in (one, two))
    (left, left_valid), (right, right_valid) = map(datum_to_numpy, sides)
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


def by_counts(statistic: Callable[[Column], Column], column: Column, name: str) -> Column:
    """Apply a statistic that has the unit of its items: to durations by their counts, rounded to the nearest count."""
    if not pt.is_duration(column.type):
        return statistic(column)
    found = statistic(Column(column.shape, column.values.cast(pa.int64())))
    counts, valid = datum_to_numpy(found.values)
    return Column(found.shape, _durations(name, np.rint(counts), valid, column.type))


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
    if pt.is_null(one.type) or (pt.is_null(two.type) and name == "remainder"):  # operands of the type null count as durations
        one, two = (cast_datum(side, promote([one.type, two.type], name)) for side in (one, two))
    if pt.is_duration(one.type) and pt.is_duration(two.type):
        type = promote([one.type, two.type], name)
        found = compute(*(cast_datum(side, type).cast(pa.int64()) for side in (one, two)))
        return found if name == "floor_divide" else found.cast(type)
    if name == "floor_divide" and pt.is_duration(one.type) and (pt.is_integer(two.type) or pt.is_null(two.type)):
        return compute(one.cast(pa.int64()), cast_datum(two, pa.int64())).cast(one.type)
    if name == "floor_divide" and pt.is_duration(one.type) and pt.is_floating(two.type):
        (left, left_valid), (right, right_valid) = datum_to_numpy(one), datum_to_numpy(two)
        with np.errstate(all="ignore"):
            found = np.floor_divide(left.astype(np.float64), right.astype(np.float64))
        found[np.broadcast_to(right == 0, found.shape)] = np.nan
        return _durations(name, found, both_valid(left_valid, right_valid), one.type)
    raise JagTypeError.no_kernel(name, one.type, two.type)
