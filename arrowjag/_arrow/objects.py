"""Nested Python lists: their leaves, and dates, times, durations and decimals, of which pyarrow makes scalars one by one."""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow.values import to_numpy, valid_of
from arrowjag._integers import MAX_NDIM
from arrowjag.typing import BoolArray

__all__ = ["check_dates", "holds_masks", "is_missing", "leaf_objects", "leaves", "without_mask"]

_MISSING = frozenset({"NAType", "NaTType"})
"""Class names of pandas' missing values; compared by name, because pandas must not be imported here."""

_FEW = 8
"""Leaves at the beginning of lists that tell whether inner levels may hold masked arrays."""

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
        if _is_list(one):
            yield from _leaves_of_any(one)
        elif one is not None:
            yield one


def check_dates(data: Any) -> pa.DataType | None:
    """Raise for dates beside numbers of numpy: pyarrow's inference of the type would end the process.

    Lists with numbers beside lists are searched in part.

    Parameters
    ----------
    data : nested list
        Any Python objects.

    Returns
    -------
    pa.DataType or None
        The type that pyarrow infers for the data, where the search has found it.

    Raises
    ------
    pa.ArrowInvalid
        As pyarrow raises for other dtypes that have no common type.
    """
    found = _type_after_a_number(data)
    if found is None:
        _check_dates(list(leaves(data)))
        return None
    leaf = found
    while pt.is_list(leaf):
        leaf = leaf.value_type
    # A number of numpy in front changes the types of its other numbers, and of nulls.
    return found if leaf in (pa.int64(), pa.float64()) and type(next(_leaves_of_any(data), None)) in (int, float) else None


def _check_dates(items: list[Any]) -> None:
    if not any(issubclass(one, (np.generic, np.ndarray, dict)) for one in {*map(type, items)}):
        return
    records = [one for one in items if isinstance(one, dict)]
    for name in dict.fromkeys(itertools.chain.from_iterable(records)):
        _check_dates(list(leaves(one.get(name) for one in records)))
    if any(_kind(one) == "M" for one in items):
        number = next((one for one in items if _kind(one) in "biufc"), None)
        if number is not None:
            raise pa.ArrowInvalid(f"Cannot mix NumPy dtypes datetime64 and {number.dtype}")


def _type_after_a_number(data: Any) -> pa.DataType | None:
    """Infer the type of data that follow a number of numpy; None where pyarrow fails, as it does for dates after such a number.

    This takes a third of the time of a search by Python.
    """
    try:
        return pa.infer_type([_number_in(lambda: iter(data)), *data])
    except (ValueError, TypeError, OverflowError, pa.ArrowException):
        return None


def _number_in(items: Callable[[], Iterator[Any]]) -> Any:
    """Return a number of numpy in the lists and fields in which items hold their leaves."""
    first = next((one for one in items() if one is not None), None)
    if isinstance(first, dict):
        records = [one for one in items() if isinstance(one, dict)]
        names = dict.fromkeys(itertools.chain.from_iterable(records))
        return {name: _number_in(functools.partial(_field, records, name)) for name in names}
    if _is_list(first):
        return [_number_in(lambda: itertools.chain.from_iterable(filter(_is_list, items())))]
    if _kind(first) in "biufc":
        return first
    return [np.int8(0)] if isinstance(first, np.ndarray) else np.int8(0)


def _field(records: list[dict[Any, Any]], name: Any) -> Iterator[Any]:
    return (one.get(name) for one in records)


def _is_list(one: Any) -> bool:
    if isinstance(one, pa.MonthDayNano):  # a tuple
        return False
    return isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.dtype.kind == "O" and one.ndim > 0)


def holds_masks(data: Any) -> bool:
    """Return whether nested lists hold masked arrays of numpy, whose masks pyarrow ignores.

    All rows of the outermost level are searched; those of inner levels if an array is among their first leaves.
    """
    if "numpy.ma" not in sys.modules:  # numpy loads it for the first masked array
        return False
    if any(issubclass(one, np.ma.MaskedArray) for one in set(map(type, data))):
        return True
    if not any(isinstance(one, np.ndarray) for one in itertools.islice(_leaves_of_fields(data), _FEW)):
        return False
    return any(isinstance(one, np.ma.MaskedArray) for one in _leaves_of_fields(data))


def _leaves_of_fields(data: Any) -> Iterator[Any]:
    """Leaves of nested lists, and those of the fields of records."""
    for one in _leaves_of_any(data):
        if isinstance(one, dict):
            yield from _leaves_of_fields(one.values())
        else:
            yield one


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
