"""Lengths of time as text or timedelta, counted in the units of Arrow types, and times put into buckets of them."""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._integers import is_int
from arrowjag._kernels.base import extremes
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.elementwise.times import TICKS, Every, every_of, nanoseconds_of
from arrowjag._ops.zones import first_in_zone, steps_ahead, wall_of
from arrowjag.errors import JagRangeError, JagTypeError, JagValueError, brief
from arrowjag.typing import IntArray

__all__ = ["Buckets", "as_ticks", "buckets_of"]


def _length(span: Any, what: str, least: int) -> Every:
    """Read a length of time such as "5m" or "1mo", or a timedelta."""
    if isinstance(span, str):
        return every_of(span, what, least)
    if isinstance(span, np.timedelta64):
        return Every(str(span), nanoseconds_of(span), 0, 0)
    if isinstance(span, dt.timedelta):
        return Every(str(span), (span.days * 86_400 + span.seconds) * 10**9 + span.microseconds * 1000, 0, 0)
    if isinstance(span, pa.Scalar) and pt.is_duration(span.type) and span.is_valid:
        return Every(str(span), span.cast(pa.duration("ns")).value, 0, 0)
    raise JagTypeError(f"{what} must be a length of time such as '5m' or '1d', or a timedelta, got {type(span).__name__}")


def _nanoseconds(type: pa.DataType) -> int:
    """Return the length of one tick of a temporal type in nanoseconds."""
    if pt.is_date32(type):
        return 86_400 * 10**9
    if pt.is_date64(type):
        return 10**6
    return 10**9 // TICKS[type.unit]


def as_ticks(span: Any, type: pa.DataType, what: str) -> int:
    """Return how many ticks of a temporal type a span has, rounded down."""
    parsed = _length(span, what, 0)
    if parsed.months:
        raise JagValueError(f"{what}: months have no fixed length, got {brief(span)}; give days")
    return parsed.nanoseconds // _nanoseconds(type)


# --------------------------------------------------------------------------------------------------- buckets


class Buckets(NamedTuple):
    """The bucket number of each item, and the facts from which the starts of buckets are computed."""

    number: IntArray
    every: Any
    origin: int
    months: bool
    type: pa.DataType
    wall: bool = True
    """Whether buckets of times of a zone are numbered by wall time."""

    def label(self, number: IntArray) -> pa.Array:
        """Return where buckets begin, in the type of the times."""
        if not _arrow.is_temporal(self.type):
            label: npt.NDArray[Any] = number * self.every
            return _arrow.from_numpy(label)
        if self.months:
            instants = (number * self.every).astype("M8[M]")
            unit = "D" if pt.is_date32(self.type) else "ms" if pt.is_date64(self.type) else self.type.unit
            ticks = instants.astype(f"M8[{unit}]").view(np.int64)
            if (ticks.view(f"M8[{unit}]").astype("M8[M]") != instants).any():
                raise JagRangeError(f"resample: a bucket starts outside of the range of {self.type}. Cast to a coarser unit first.")
        else:
            ticks = number * self.every + self.origin
        if pt.is_timestamp(self.type) and self.type.tz is not None:
            if not self.wall:
                return _arrow.from_numpy(ticks, None, self.type)
            return first_in_zone(_arrow.from_numpy(ticks, None, pa.timestamp(self.type.unit)), self.type.tz)
        return _arrow.from_numpy(ticks, None, self.type)


def buckets_of(times: pa.Array, every: Any, operation: str) -> Buckets:
    """Return the bucket of each time; times hold no nulls, zoned ones are read as wall time.

    Lengths that divide every change of clocks of a zone, such as an hour, number instants in place of wall times: an hour that
    clocks repeat is two buckets, and one that they skip is none.

    Parameters
    ----------
    times : pa.Array
        Times, or numbers.
    every : str, timedelta or number
        The length of a bucket; buckets begin at multiples of it, counted from 1970-01-01, weeks on Mondays.
    operation : str
        The public name, for errors.

    Returns
    -------
    Buckets
        Cost: one pass.
    """
    type, what = times.type, f"{operation}: every"
    if not _arrow.is_temporal(type):
        return _of_numbers(times, every, what)
    span = _length(every, what, 1)
    ahead = steps_ahead(type.tz, span.nanoseconds) if pt.is_timestamp(type) and type.tz is not None else None
    times = wall_of(times, operation) if ahead is None else times
    ticks = _arrow.to_numpy(times)[0].astype(np.int64, copy=False)
    if span.months:
        if pt.is_time(type) or pt.is_duration(type):
            raise JagTypeError(f"{what}: months need dates, got {type}")
        unit = "D" if pt.is_date32(type) else "ms" if pt.is_date64(type) else type.unit
        months = ticks.view(f"M8[{unit}]").astype("M8[M]").astype(np.int64)
        return Buckets(months // span.months, span.months, 0, True, type)
    step, rest = divmod(span.nanoseconds, _nanoseconds(type))
    if step < 1 or rest:
        raise JagValueError(f"{what} must be a whole number of ticks of {type}, at least one, got {brief(every)}")
    origin = 0 if pt.is_time(type) or pt.is_duration(type) else (span.origin - (ahead or 0)) // _nanoseconds(type)
    least = int(ticks.min(initial=0))
    if min(least - origin, (least - origin) // step * step + origin) < -(2**63):
        raise JagRangeError(f"{operation}: a bucket starts outside of the range of {type}. Cast to a coarser unit first.")
    return Buckets((ticks - origin) // step, step, origin, False, type, wall=ahead is None)


def _of_numbers(times: pa.Array, every: Any, what: str) -> Buckets:
    if isinstance(every, (bool, str)) or not (is_int(every) or isinstance(every, (float, np.floating))):
        raise JagTypeError(f"{what} must be a number for times of type {times.type}, got {type(every).__name__}")
    if not every > 0 or every == float("inf"):
        raise JagValueError(f"{what} must be greater than 0 and finite, got {brief(every)}")
    data = _arrow.to_numpy(times)[0]
    if data.dtype.kind == "f" or not is_int(every):
        step, fits = float(every), [True]

        def work(items: slice, out: IntArray) -> None:
            number = np.divide(data[items], step, dtype=np.float64)
            np.floor(number, out=number)
            if not -(2**53) <= extremes.least(number) <= extremes.greatest(number) <= 2**53:  # also refuses NaN
                fits[0] = False
            out[:] = number

        number = fill(work, len(data), np.int64)
        if not fits[0]:
            raise JagValueError(f"{what} {brief(every)} is too small for times up to {np.abs(data).max()}")
        return Buckets(number, step, 0, False, pa.float64())
    whole = int(every)
    least, largest = (int(data.min()), int(data.max())) if len(data) else (0, 0)
    if max(whole, largest) >= 2**63 or least // whole * whole < -(2**63):
        raise JagRangeError(
            f"{what} {brief(whole)}: a bucket of a time from {least} to {largest} starts outside of the range of int64"
        )
    return Buckets(data.astype(np.int64) // whole, whole, 0, False, pa.int64())
