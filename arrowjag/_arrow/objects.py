"""Nested Python lists: their leaves, and dates, times, durations and decimals, of which pyarrow makes scalars one by one."""

from __future__ import annotations

import datetime as dt
import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow.values import to_numpy, valid_of
from arrowjag._integers import MAX_NDIM
from arrowjag.errors import JagValueError, ShapeError
from arrowjag.typing import BoolArray

__all__ = [
    "check_dates",
    "check_times_of_day",
    "holds_masks",
    "is_list",
    "is_missing",
    "item_classes",
    "leaf_objects",
    "leaves",
    "without_mask",
]

_MISSING = frozenset({"NAType", "NaTType"})
"""Class names of pandas' missing values; compared by name, because pandas must not be imported here."""

_EPOCH = dt.date(1970, 1, 1).toordinal()
_DAYS = {
    "M8": (dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH),
    "m8": (dt.timedelta.min.days, dt.timedelta.max.days),
}
"""The first and the last day that Python's times and durations hold."""

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}
"""Units of Python's types; they lack nanoseconds."""

_PER_DAY_NS = 86_400 * 10**9


def is_missing(value: Any) -> bool:
    """Return whether an object is pandas' `NA` or `NaT`."""
    return type(value).__name__ in _MISSING


def leaf_objects(values: pa.Array) -> list[Any] | None:
    """Convert dates, times, durations, decimals and halves, in lists of any depth, to Python objects.

    Parameters
    ----------
    values : pa.Array
        Any flat values, or lists of them.

    Returns
    -------
    list or None
        What `pa.Array.to_pylist` gives; None for other types, for times that its objects don't hold, and for nanoseconds if
        pandas is absent. 500,000 times take 60 ms where pyarrow takes 1,400, of a zone 150 to 400.
    """
    type = values.type
    if len(values) == 0:  # which may lack offsets
        return []
    if pt.is_large_list(type) or pt.is_list(type):
        cuts = values.offsets.to_numpy()
    elif pt.is_fixed_size_list(type):
        cuts = (values.offset + np.arange(len(values) + 1)) * type.list_size
    else:
        return _flat_objects(values)
    items = leaf_objects(values.values.slice(cuts[0], cuts[-1] - cuts[0]))
    if items is None:
        return None
    rows: list[Any] = [items[first:last] for first, last in itertools.pairwise((cuts - cuts[0]).tolist())]
    valid = valid_of(values)
    if valid is not None:
        for row in (~valid).nonzero()[0].tolist():
            rows[row] = None
    return rows


def _flat_objects(values: pa.Array) -> list[Any] | None:
    type = values.type
    if pt.is_decimal(type):
        found: list[Any] = values.to_numpy(zero_copy_only=False).tolist()
        return found
    if pt.is_float16(type):
        data, valid = to_numpy(values)
        return _listed(data.astype(np.float64), valid)
    if pt.is_time(type):
        return _clocks(values)
    if (pt.is_timestamp(type) or pt.is_duration(type)) and type.unit == "ns":
        return _pandas_objects(values)
    if pt.is_date(type):
        kind, unit, per_day = "M8", "D", 1
    elif pt.is_timestamp(type) or pt.is_duration(type):
        kind, unit, per_day = "m8" if pt.is_duration(type) else "M8", type.unit, _PER_DAY[type.unit]
    else:
        return None
    counts, valid = _counts(values)
    if pt.is_date64(type):
        counts = counts // _PER_DAY["ms"]
    first, last = _DAYS[kind]
    if not _within(counts, valid, first * per_day, (last + 1) * per_day):
        return None
    times = _listed(counts.view(f"{kind}[{unit}]"), valid)
    return times if getattr(type, "tz", None) is None else _in_zone(times, values)


def _counts(values: pa.Array) -> tuple[npt.NDArray[np.int64], BoolArray | None]:
    data, valid = to_numpy(values)
    return data.astype(np.int64, copy=False), valid


def _within(counts: npt.NDArray[np.int64], valid: BoolArray | None, first: int, end: int) -> bool:
    """Return whether all valid counts are at least the first one, and less than the end."""
    known = counts if valid is None else counts[valid]
    return len(known) == 0 or (first <= int(known.min()) and int(known.max()) < end)


def _listed(data: Any, valid: BoolArray | None) -> list[Any]:
    """Return the objects that numpy or pandas makes of data, None for nulls."""
    found: list[Any] = data.tolist()
    if valid is not None:
        for place in (~valid).nonzero()[0].tolist():
            found[place] = None
    return found


def _clocks(values: pa.Array) -> list[Any] | None:
    """Convert times of day; Arrow refuses nanoseconds, which pyarrow's scalars drop."""
    counts, valid = _counts(values)
    per_day = _PER_DAY.get(values.type.unit, _PER_DAY_NS)
    if not _within(counts, valid, 0, per_day):
        return None
    if values.type.unit == "ns":
        micros = pa.array(counts // 1000, mask=None if valid is None else ~valid)
        values = micros.view(pa.time64("us"))
    found: list[Any] = values.to_numpy(zero_copy_only=False).tolist()
    return found


def _pandas_objects(values: pa.Array) -> list[Any] | None:
    """Convert nanoseconds to objects of pandas, as pyarrow's scalars do if it is there."""
    counts, valid = _counts(values)
    ends = np.iinfo(np.int64)
    if not _within(counts, valid, ends.min + _PER_DAY_NS, ends.max - _PER_DAY_NS):
        return None
    try:
        series = values.to_pandas()
    except ImportError:
        return None
    return _listed(series, valid)


def _in_zone(times: list[Any], values: pa.Array) -> list[Any] | None:
    """Convert times of UTC to a zone, as pyarrow's scalars name it; None if Python does not hold one there."""
    place = next((place for place, one in enumerate(times) if one is not None), None)
    if place is None:
        return times
    try:
        zone = values[place].as_py().tzinfo
        there = [None if one is None else one.replace(tzinfo=zone) for one in times]
        return there if values.type.tz == "UTC" else [None if one is None else zone.fromutc(one) for one in there]
    except (OverflowError, ValueError):
        return None


# --------------------------------------------------------------------------------------------------- objects for pyarrow


def leaves(data: Any) -> Iterator[Any]:
    """Arrays and leaves of nested lists; missing ones are left out.

    Notes
    -----
    Levels of lists alone are joined at once: 200k leaves of 20k lists take 6 ms, one by one 60.
    """
    items = data if isinstance(data, (list, tuple)) else list(data)
    for _ in range(MAX_NDIM):
        classes = {*map(type, items)}
        if not classes or not classes <= _LISTS:
            break
        items = list(itertools.chain.from_iterable(filter(None, items)))
    if any(issubclass(one, (list, tuple, np.ndarray)) for one in classes):
        return _leaves_of_any(items)
    return iter(items) if type(None) not in classes else (one for one in items if one is not None)


_LISTS = frozenset({list, tuple, type(None)})
"""The classes of the items of a level that holds no leaves."""


def _leaves_of_any(data: Any) -> Iterator[Any]:
    """Yield the leaves of lists one by one, also where lists stand beside leaves."""
    for one in data:
        if is_list(one):
            yield from _leaves_of_any(one)
        elif one is not None:
            yield one


def check_dates(data: Any, classes: set[type] | None = None) -> None:
    """Raise for dates beside numbers of numpy: pyarrow's inference of the type would end the process.

    Parameters
    ----------
    data : nested list
        Any Python objects.
    classes : set of types, optional
        The `item_classes` of the data; data without dates and arrays of numpy are not searched.

    Raises
    ------
    pa.ArrowInvalid
        As pyarrow raises for other dtypes that have no common type.
    """
    if any(issubclass(one, (np.datetime64, np.ndarray)) for one in (item_classes(data) if classes is None else classes)):
        _check_dates(list(leaves(data)))


def check_times_of_day(data: Any, classes: set[type]) -> None:
    """Raise for times of day with a zone, which pyarrow would drop: no Arrow type holds it.

    Parameters
    ----------
    data : nested list
        Any Python objects.
    classes : set of types
        The `item_classes` of the data; data without times of day is not searched.

    Raises
    ------
    JagValueError
        Names the first one.
    """
    if any(issubclass(one, dt.time) for one in classes):
        zoned = next((one for one in _times_of_day(leaves(data)) if one.tzinfo is not None), None)
        if zoned is not None:
            raise JagValueError(
                f"the time of day {zoned!r} has a zone, which no Arrow type holds; write .replace(tzinfo=None), or pass datetimes"
            )


def _times_of_day(items: Iterable[Any]) -> Iterator[dt.time]:
    for one in items:
        if isinstance(one, dt.time):
            yield one
        elif isinstance(one, dict):
            yield from _times_of_day(leaves(list(one.values())))


def _check_dates(items: list[Any]) -> None:
    if not any(issubclass(one, (np.generic, np.ndarray, dict, *_SETS)) for one in {*map(type, items)}):
        return
    while sets := [one for one in items if isinstance(one, _SETS)]:
        items = [one for one in items if not isinstance(one, _SETS)] + list(
            leaves(itertools.chain.from_iterable(cast("list[Any]", sets)))
        )
    records = [one for one in items if isinstance(one, dict)]
    for name in dict.fromkeys(itertools.chain.from_iterable(records)):
        _check_dates(list(leaves(one.get(name) for one in records)))
    if any(_kind(one) == "M" for one in items):
        number = next((one for one in items if _kind(one) in "biufc"), None)
        if number is not None:
            raise pa.ArrowInvalid(f"Cannot mix NumPy dtypes datetime64 and {number.dtype}")


_SETS: tuple[type, ...] = (set, type({}.values()))
"""The classes besides lists and arrays that pyarrow reads as rows."""


def is_list(one: Any) -> bool:
    """Return whether an object is a list, a tuple or an array of objects, which hold leaves or further lists."""
    if isinstance(one, pa.MonthDayNano):  # a tuple
        return False
    return isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.dtype.kind == "O" and one.ndim > 0)


def item_classes(data: Any) -> set[type]:
    """Return the classes of the items of nested lists, at all levels, also in the fields of dicts.

    Raises
    ------
    ShapeError
        If there are more levels than arrays have, as in lists that contain themselves: pyarrow would end the process.

    Notes
    -----
    Levels are joined at once: 200k leaves of 20k lists take 5 ms. Lists that appear several times are searched once per level,
    so that those that contain themselves don't grow from level to level.
    """
    parts: Iterable[Any] = [data]
    found: set[type] = set()
    for level in range(MAX_NDIM + 1):
        classes = {*map(type, itertools.chain.from_iterable(parts))}
        found |= classes
        nested = tuple(one for one in classes if issubclass(one, _NESTED))
        if not nested:
            return found
        items = itertools.chain.from_iterable(parts)
        inner = [one for one in items if isinstance(one, nested)] if len(nested) < len(classes) else list(items)
        inner = inner if level == 0 else list(dict(zip(map(id, inner), inner, strict=True)).values())
        parts = inner if nested == (list,) else [*map(_parts_of, inner)]
    raise ShapeError(f"the data is nested more than {MAX_NDIM} levels deep; does a list contain itself?")


_NESTED = (list, tuple, dict, np.ndarray, *_SETS)


def _parts_of(one: Any) -> Iterable[Any]:
    if isinstance(one, dict):
        return one.values()
    if isinstance(one, np.ndarray):
        return one.ravel() if one.dtype.kind == "O" else ()
    return cast("Iterable[Any]", one)


def holds_masks(classes: set[type]) -> bool:
    """Return whether the items of nested lists hold masked arrays of numpy, whose masks pyarrow ignores."""
    # numpy loads its module for the first masked array
    return "numpy.ma" in sys.modules and any(issubclass(one, np.ma.MaskedArray) for one in classes)


def without_mask(array: np.ma.MaskedArray[Any, Any]) -> Any:
    """Convert a masked array to an array where no item is masked, and else to lists of numpy's scalars and None."""
    data = np.ma.getdata(array)
    if array.dtype.names or not np.ma.is_masked(array):  # pyarrow refuses records
        return data
    if array.ndim != 1:
        return [without_mask(row) for row in array] if array.ndim else None
    return [None if is_masked else item for item, is_masked in zip(data, np.ma.getmaskarray(array).tolist(), strict=True)]


def _kind(value: Any) -> str:
    """Return the kind of dtype of a scalar or array of numpy; "O" for other objects."""
    return value.dtype.kind if isinstance(value, (np.generic, np.ndarray)) else "O"
