"""Times of numpy, also inside of lists: Arrow has fewer units, and pyarrow reads all arrays as counts of the same unit."""

from __future__ import annotations

import datetime as dt
import functools
import operator
import reprlib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow import is_list, leaves
from arrowjag._gate import inside
from arrowjag._kernels.elementwise.times import fits_unit
from arrowjag.errors import JagValueError

__all__ = ["UNITS", "has_numpy_times", "in_arrow_unit", "in_one_unit", "with_datetimes"]

UNITS = ("s", "ms", "us", "ns")
"""The units of Arrow, the coarsest first; coarser ones of numpy become seconds."""
_COARSE = {"m": frozenset("WDhm"), "M": frozenset("YMWDhm")}
"""By kind of dtype, the coarser units. A duration in years or months has no length, but a year or a month begins at a second."""
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
    """Convert the times of numpy inside of nested lists to one unit.

    Parameters
    ----------
    data : nested list
        It may hold arrays and scalars of ``datetime64`` or ``timedelta64``.

    Returns
    -------
    nested list or None
        With times in the finest unit that appears. If other items are Python's times, or the unit is the day, all times become
        Python's. None if there are no times of numpy, or no unit of Arrow holds them.

    Raises
    ------
    JagValueError
        If a time does not fit the finest unit.
    """
    items = list(leaves(data))
    if not any(issubclass(one, (np.generic, np.ndarray)) for one in {*map(type, items)}):
        return None
    if any(isinstance(one, (np.generic, np.ndarray)) and one.dtype.kind in "biufc" for one in items):
        return None  # beside dates, pyarrow would take numbers of numpy for counts of days
    found = [one for one in items if _is_times(one)]
    kinds = {one.dtype.kind for one in found}
    units = {np.datetime_data(one.dtype)[0] for one in found if not _is_nothing(one)}
    if len(kinds) != 1 or not units <= {*UNITS, *_COARSE[kind := kinds.pop()]}:
        return None
    unit = max(units & set(UNITS), key=UNITS.index, default=_coarse_unit(units, kind))
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


def with_datetimes(data: Any, inferred: pa.DataType, *, any_zones: bool) -> pa.DataType:
    """Return the type to read nested lists as, in which dates beside datetimes become datetimes.

    Parameters
    ----------
    data : nested list
        Of Python objects, also dicts.
    inferred : pa.DataType
        The type that pyarrow infers for the leaves: dates, where they hold dates and datetimes, and it would drop the times of day.
    any_zones : bool
        Whether datetimes with a zone may stand beside others, where the caller passes the type of both.

    Returns
    -------
    pa.DataType
        Other types unchanged, at any depth. Lists and fields without times are not searched.

    Raises
    ------
    JagValueError
        If datetimes with a zone stand beside others, or numbers beside times: pyarrow would drop or invent the zones, and take
        numbers for counts of days, or of other units.
    """
    if not _holds_times(inferred):
        return inferred
    if pt.is_struct(inferred):
        records = [one for one in leaves(data) if isinstance(one, dict)]
        return pa.struct(map(functools.partial(_with_datetimes, records, any_zones), inferred))
    if pt.is_list(inferred):
        return pa.list_(with_datetimes(data, inferred.value_type, any_zones=any_zones))
    items = list(leaves(data))
    classes = {*map(type, items)}
    number = next((one for one in items if _is_number(one)), None) if any(issubclass(one, _NUMBERS) for one in classes) else None
    if number is not None:
        time = next(one for one in items if not _is_number(one))
        both = f"{reprlib.repr(time)} is a time, {reprlib.repr(number)} is none"
        raise JagValueError(f"the data mixes times and numbers: {both}. Convert all items to one type first, or pass another type")
    times = (
        items if all(issubclass(one, dt.datetime) for one in classes) else [one for one in items if isinstance(one, dt.datetime)]
    )
    if not any_zones:
        _check_zones(times)
    return pa.infer_type(times) if times and pt.is_date(inferred) else inferred


def _with_datetimes(records: list[dict[Any, Any]], any_zones: bool, field: pa.Field) -> pa.Field:
    items = [one.get(field.name) for one in records]
    return field.with_type(_in_nanoseconds(items, with_datetimes(items, field.type, any_zones=any_zones)))


def _in_nanoseconds(items: list[Any], type: pa.DataType) -> pa.DataType:
    """Return the type of a field that holds nanoseconds of pandas, which pyarrow would drop."""
    if pt.is_list(type):
        return pa.list_(_in_nanoseconds(items, type.value_type))
    if not (pt.is_timestamp(type) or pt.is_duration(type)):
        return type
    fine = any(getattr(one, "nanosecond", 0) or getattr(one, "nanoseconds", 0) for one in leaves(items))
    return type if not fine else pa.duration("ns") if pt.is_duration(type) else pa.timestamp("ns", type.tz)


def _holds_times(type: pa.DataType) -> bool:
    return pt.is_temporal(type) or ((pt.is_struct(type) or pt.is_list(type)) and any(map(_holds_times, inside(type))))


_NUMBERS = (int, float, Decimal, np.generic, np.ndarray)
"""Classes whose objects may be numbers; `_is_number` decides."""


def _is_number(one: Any) -> bool:
    return isinstance(one, (int, float, Decimal)) or (isinstance(one, (np.generic, np.ndarray)) and one.dtype.kind in "biuf")


_zone_of = operator.attrgetter("tzinfo")


def _check_zones(times: list[dt.datetime]) -> None:
    if len({*map(id, map(_zone_of, times))}) < 2:
        return
    zones = {one.tzinfo is None: one for one in times}
    if len(zones) == 2:
        both = f"{zones[True]!r} has no zone, {zones[False]!r} has one"
        raise JagValueError(f"the data mixes datetimes with and without a zone: {both}. Give all of them a zone, or none")


def _is_times(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.datetime64, np.timedelta64)) and value.dtype.kind in "mM"


def _is_nothing(value: Any) -> bool:
    """Whether a value is a missing time of numpy, which may lack a unit."""
    return isinstance(value, (np.datetime64, np.timedelta64)) and bool(np.isnat(value))


def _mapped(data: Any, unit: str, mixed: bool, scalars: dict[Any, Iterator[Any]]) -> Any:
    if is_list(data) or (isinstance(data, np.ndarray) and data.ndim > 1):  # pyarrow takes no arrays of several dims
        return [_mapped(one, unit, mixed, scalars) for one in data]
    if not _is_times(data):
        return data
    if not isinstance(data, np.ndarray):
        return None if _is_nothing(data) else next(scalars[data.dtype])
    times = _in_unit(np.atleast_1d(data), unit)
    items = pa.array(times).to_pylist() if mixed else times
    return items if data.ndim else items[0]


def _in_unit(times: Any, unit: str) -> Any:
    wanted, fits = np.dtype(f"{times.dtype.kind}8[{unit}]"), np.atleast_1d(fits_unit(times, unit))
    if unit == "D":  # a date of Arrow has 32 bits
        fits = fits & (np.abs(np.atleast_1d(times).astype(wanted).astype(np.int64)) < 2**31)
    if not fits.all():
        what = "date32[day], the dates of Arrow" if unit == "D" else f"{wanted}, the unit that all of the data gets"
        raise JagValueError(f"the time {np.atleast_1d(times)[~fits][0]} does not fit {what}")
    return times.astype(wanted)
