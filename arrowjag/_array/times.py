"""Times of numpy, also inside of lists: Arrow has fewer units, and pyarrow reads all arrays as counts of the same unit."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow import leaves
from arrowjag._kernels.elementwise.times import fits_unit
from arrowjag.errors import JagValueError

__all__ = ["beside_dates", "check_zones", "finer", "has_numpy_times", "in_arrow_unit", "in_one_unit"]

_UNITS = ("s", "ms", "us", "ns")
"""The units of Arrow, the coarsest first; coarser ones of numpy become seconds."""
_COARSE = {"m": frozenset("WDhm"), "M": frozenset("YMWDhm")}
"""By kind of dtype, the coarser units; years and months have no length, but the moments that they begin at have seconds."""
_CALENDAR = frozenset("YMWD")


def in_arrow_unit(times: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert times to a unit of Arrow: days and longer to dates, others to seconds.

    Parameters
    ----------
    times : numpy.ndarray
        Of any dtype.

    Returns
    -------
    numpy.ndarray
        Times of other units and other data unchanged.

    Raises
    ------
    JagValueError
        If a time does not fit the unit.
    """
    kind = times.dtype.kind
    unit = np.datetime_data(times.dtype)[0] if kind in "mM" else None
    return times if unit not in _COARSE.get(kind, ()) else _in_unit(times, _coarse_unit({unit}, kind))


def _coarse_unit(units: set[Any], kind: str) -> str:
    return "D" if kind == "M" and units and units <= _CALENDAR else "s"


def in_one_unit(data: Any) -> Any:
    """Nested lists with all times of numpy in them in one unit.

    Parameters
    ----------
    data : nested list
        Convert arrays and scalars of ``datetime64`` or ``timedelta64`` inside nested lists.

    Returns
    -------
    nested list or None
        In the finest unit that appears. Where other items are Python's times, all become these; so do days. None where there
        are no times of numpy, or no unit of Arrow for them.

    Raises
    ------
    JagValueError
        If a time does not fit the finest unit.
    """
    items = list(leaves(data))
    if any(isinstance(one, (np.generic, np.ndarray)) and one.dtype.kind in "biufc" for one in items):
        return None  # beside dates, pyarrow would take numbers of numpy for counts of days
    found = [one for one in items if _is_times(one)]
    kinds = {one.dtype.kind for one in found}
    units = {np.datetime_data(one.dtype)[0] for one in found if not _is_nothing(one)}
    if len(kinds) != 1 or not units <= {*_UNITS, *_COARSE[kind := kinds.pop()]}:
        return None
    unit = max(units & set(_UNITS), key=_UNITS.index, default=_coarse_unit(units, kind))
    mixed = unit == "D" or len(found) < len(items)
    if units == {unit} and not mixed and not any(map(_is_nothing, found)):
        return data
    return _mapped(data, unit, mixed, _scalars(found, unit, mixed))


def _scalars(found: list[Any], unit: str, mixed: bool) -> dict[Any, Iterator[Any]]:
    """Convert the scalars of each dtype at once, in their order: one by one takes 30 microseconds each."""
    groups: dict[Any, list[Any]] = {}
    for one in found:
        if not isinstance(one, np.ndarray) and not _is_nothing(one):
            groups.setdefault(one.dtype, []).append(one)
    times = {dtype: _in_unit(np.array(ones, dtype), unit) for dtype, ones in groups.items()}
    return {dtype: iter(pa.array(ones).to_pylist() if mixed else list(ones)) for dtype, ones in times.items()}


def has_numpy_times(data: Any) -> bool:
    """Whether nested lists hold times of numpy at any depth."""
    return any(map(_is_times, leaves(data)))


def beside_dates(data: Any) -> pa.DataType | None:
    """Return the type of the datetimes in nested lists that hold dates too; None for lists without datetimes.

    pyarrow takes both for dates, and drops the time of day.
    """
    found = [one for one in leaves(data) if isinstance(one, dt.datetime)]
    return pa.infer_type(found) if found else None


def finer(inferred: pa.DataType | None, wanted: pa.DataType) -> pa.DataType:
    """Return the type to read Python's times as: pyarrow would drop what a coarser unit can't hold, and a cast checks it."""
    unit = getattr(inferred, "unit", None)
    if unit not in _UNITS or _UNITS.index(unit) <= _UNITS.index(getattr(wanted, "unit", "ns")):
        return wanted
    if pt.is_timestamp(wanted) and pt.is_timestamp(inferred):
        return pa.timestamp(unit, wanted.tz)
    same = (pt.is_duration(wanted) and pt.is_duration(inferred)) or (pt.is_time(wanted) and pt.is_time(inferred))
    return inferred if same else wanted


def check_zones(data: Any) -> None:
    """Raise for nested lists of datetimes with and without a zone; pyarrow would drop or invent the zone of some."""
    zones = {one.tzinfo is None: one for one in leaves(data) if isinstance(one, dt.datetime)}
    if len(zones) == 2:
        told = f"{zones[True]!r} has no zone, {zones[False]!r} has one"
        raise JagValueError(f"the data mixes datetimes with and without a zone: {told}. Give all of them a zone, or none")


def _is_times(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.datetime64, np.timedelta64)) and value.dtype.kind in "mM"


def _is_nothing(value: Any) -> bool:
    """Whether a value is a missing time of numpy, which may lack a unit."""
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def _mapped(data: Any, unit: str, mixed: bool, scalars: dict[Any, Iterator[Any]]) -> Any:
    if isinstance(data, (list, tuple)):
        return [_mapped(one, unit, mixed, scalars) for one in data]
    if not _is_times(data):
        return data
    if not isinstance(data, np.ndarray):
        return None if _is_nothing(data) else next(scalars[data.dtype])
    times = _in_unit(data, unit)
    return pa.array(times).to_pylist() if mixed else times


def _in_unit(times: Any, unit: str) -> Any:
    wanted, fits = np.dtype(f"{times.dtype.kind}8[{unit}]"), np.atleast_1d(fits_unit(times, unit))
    if unit == "D":  # a date of Arrow has 32 bits
        fits = fits & (np.abs(np.atleast_1d(times).astype(wanted).astype(np.int64)) < 2**31)
    if not fits.all():
        what = "date32[day], the dates of Arrow" if unit == "D" else f"{wanted}, the unit that all of the data gets"
        raise JagValueError(f"the time {np.atleast_1d(times)[~fits][0]} does not fit {what}")
    return times.astype(wanted)
