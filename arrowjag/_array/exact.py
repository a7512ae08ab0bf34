"""Choose the type that Python objects are read as, before a checked cast: pyarrow truncates or refuses some for the wanted type."""

from __future__ import annotations

import contextlib
import datetime as dt
import reprlib
from collections.abc import Callable, Iterable
from numbers import Integral, Number
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array.times import UNITS
from arrowjag._gate import inside
from arrowjag._ops.elementwise import refuse_other_fields
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.errors import JagValueError

__all__ = [
    "as_floats",
    "exact_type",
    "holds_dates",
    "holds_identifiers",
    "holds_maps",
    "refuse_fractions",
    "rounds_integers",
    "with_python_bools",
    "without_odd_numbers",
]

_ODD = (np.float16, np.longdouble)
"""The classes of numbers that pyarrow takes for integers beside other numbers, and truncates."""


def exact_type(inferred: pa.DataType | None, wanted: pa.DataType) -> pa.DataType:
    """Return the type that holds Python objects exactly, where the wanted type may not.

    Parameters
    ----------
    inferred : pa.DataType or None
        The type that pyarrow infers for the objects.
    wanted : pa.DataType
        The type that the caller casts to.

    Returns
    -------
    pa.DataType
        The wanted type, but numbers with fractions in place of integers and times, decimals in place of floats, integers in place
        of halves, and times of a finer unit; in fields too.
    """
    if inferred is None:
        return wanted
    if pt.is_struct(wanted) and pt.is_struct(inferred):
        refuse_other_fields(inferred, wanted)
        return pa.struct([field.with_type(_exact_field(inferred, field)) for field in wanted])
    if _arrow.is_list_type(wanted) and _arrow.is_list_type(inferred):
        return _arrow.list_like(wanted, exact_type(inferred.value_type, wanted.value_type))
    if pt.is_dictionary(wanted):
        values = exact_type(inferred, wanted.value_type)
        return wanted if values == wanted.value_type else values
    if pt.is_decimal(inferred) and pt.is_floating(wanted):  # pyarrow converts no Python decimals to floats
        return inferred
    if pt.is_integer(inferred) and pt.is_float16(wanted):
        return inferred
    if pt.is_floating(inferred) or pt.is_decimal(inferred):
        return inferred if _arrow.may_truncate(wanted) else wanted
    return _finer(inferred, wanted)


def _exact_field(inferred: pa.StructType, field: pa.Field) -> pa.DataType:
    place = inferred.get_field_index(field.name)
    return field.type if place < 0 else exact_type(inferred[place].type, field.type)


def _finer(inferred: pa.DataType, wanted: pa.DataType) -> pa.DataType:
    unit = getattr(inferred, "unit", None)
    if unit not in UNITS or UNITS.index(unit) <= UNITS.index(getattr(wanted, "unit", "ns")):
        return wanted
    if pt.is_timestamp(wanted) and pt.is_timestamp(inferred):
        return pa.timestamp(unit, wanted.tz)
    same = (pt.is_duration(wanted) and pt.is_duration(inferred)) or (pt.is_time(wanted) and pt.is_time(inferred))
    return inferred if same else wanted


def holds_dates(type: pa.DataType) -> bool:
    """Return whether a type holds dates at any depth, for which pyarrow drops times of day."""
    return bool(pt.is_date(type)) or any(map(holds_dates, inside(type)))


def holds_maps(type: pa.DataType) -> bool:
    """Return whether a type holds maps at any depth, of whose entries pyarrow infers no type, or another one."""
    return pt.is_map(type) or any(map(holds_maps, inside(type)))


def refuse_fractions(data: Any, type: pa.DataType, levels: int) -> None:
    """Raise for a number with a fraction where the type has integers or times, and for a time of day where it has dates.

    Integers that a float type does not hold exactly are refused, too.

    Parameters
    ----------
    data : nested list
        Of objects for which no type could be inferred, or of datetimes.
    type : pa.DataType
        The type of the leaves.
    levels : int
        The number of list levels inside of the data.

    Raises
    ------
    JagValueError
        If there is such a number or time; pyarrow would truncate it.
    """
    for _ in range(levels):
        data = [item for one in data if _has_items(one) for item in one]
    _refuse([one for one in data if one is not None], type)


def _refuse(items: list[Any], type: pa.DataType) -> None:
    if not (_arrow.may_truncate(type) or _arrow.holds_floats(type)):
        return
    if pt.is_struct(type):
        for field in type:
            _refuse([one[field.name] for one in items if isinstance(one, dict) and one.get(field.name) is not None], field.type)
    elif pt.is_map(type):
        pairs = [pair for one in items for pair in (one.items() if isinstance(one, dict) else one if _has_items(one) else ())]
        for place, inner in enumerate((type.key_type, type.item_type)):
            _refuse([one[place] for one in pairs if isinstance(one, tuple) and len(one) == 2], inner)
    elif _arrow.is_list_type(type) or pt.is_dictionary(type):
        refuse_fractions(items, type.value_type, 0 if pt.is_dictionary(type) else 1)
    elif wrong := [one for one in items if (pt.is_date(type) and _has_time_of_day(one)) or _has_fraction(one, type)]:
        lost = "rounded" if pt.is_floating(type) and isinstance(wrong[0], (int, np.integer)) else "truncated"
        misfit = f"the item {reprlib.repr(wrong[0])} does not fit the leaf type {type}, and would be {lost}"
        raise JagValueError(f"{misfit}. Convert all items to one type first, or pass another type.")


def _has_time_of_day(one: Any) -> bool:
    return isinstance(one, dt.datetime) and bool(one.time() != dt.time() or getattr(one, "nanosecond", 0))


def _has_fraction(one: Any, type: pa.DataType) -> bool:
    if pt.is_floating(type) and isinstance(one, (int, np.integer)):
        return abs(int(one)) > _ALL_HELD and not _holds(type, one)
    return hasattr(one, "__int__") and not (_is_whole(one) or _fits_floats(one, type))


def _fits_floats(one: Any, type: pa.DataType) -> bool:
    return bool(pt.is_floating(type)) and isinstance(one, (Number, np.generic))


def _has_items(one: Any) -> bool:
    return isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.ndim > 0)


def _is_whole(one: Any) -> bool:
    """Return whether an object equals the integer that pyarrow makes of it, such as of fractions and identifiers."""
    if isinstance(one, (int, np.integer, np.bool_, np.datetime64)):
        return True
    try:
        return bool(one == int(one))
    except (TypeError, ValueError, OverflowError):  # of NaN, infinities, and objects that compare with their like only
        return False


def holds_identifiers(classes: Iterable[type]) -> bool:
    """Return whether there are objects that pyarrow may convert to integers though they are no numbers."""
    return any(hasattr(one, "__int__") and not issubclass(one, (Number, np.generic)) for one in classes)


def without_odd_numbers(data: Any, classes: set[type]) -> Any:
    """Convert numbers that pyarrow would truncate: arrays without dims to their items, some floats of numpy beside other numbers.

    Parameters
    ----------
    data : nested list
        Any Python objects.
    classes : set of types
        The `item_classes` of the data, which tell whether there may be such numbers.

    Returns
    -------
    nested list
        The same object if there are none.
    """
    numbers = {one for one in classes if issubclass(one, (Number, np.bool_))}
    is_mixed = len(numbers) > 1 and any(issubclass(one, _ODD) for one in numbers)
    if is_mixed or (np.ndarray in classes and _holds_scalars(data, dict in classes)):
        return _changed(data, lambda one: float(one) if is_mixed and isinstance(one, _ODD) else one)
    return data


def with_python_bools(data: Any, type: pa.DataType, classes: set[Any] | None) -> Any:
    """Convert bools of numpy, and rows of them, to bools of Python, which pyarrow refuses for integers and times.

    Parameters
    ----------
    data : nested list
        Any Python objects.
    type : pa.DataType
        The type of the leaves.
    classes : set of types, optional
        The `item_classes` of the data, if known.

    Returns
    -------
    nested list
        The same object if there are none, or if the leaves are bools.
    """
    may_hold = classes is None or any(issubclass(one, (np.bool_, np.ndarray)) for one in classes)
    if pt.is_boolean(type) or not (may_hold and any(map(_is_of_bools, _arrow.leaves(data)))):
        return data
    return _changed(data, lambda one: bool(one) if isinstance(one, np.bool_) else one)


def _is_of_bools(one: Any) -> bool:
    if isinstance(one, dict):
        return any(map(_is_of_bools, _arrow.leaves(list(one.values()))))
    return isinstance(one, (np.bool_, np.ndarray)) and one.dtype.kind == "b"


def _holds_scalars(data: Any, in_fields: bool) -> bool:
    """Return whether nested lists may hold arrays without dims."""
    return in_fields or any(isinstance(one, np.ndarray) and one.ndim == 0 for one in _arrow.leaves(data))


def _changed(one: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a function to the leaves of nested lists and fields; arrays of numbers and times stay."""
    if isinstance(one, np.ndarray):
        if one.ndim == 0:
            return change(one[()])
        return [_changed(item, change) for item in one] if one.dtype.kind in "Ob" else one
    if isinstance(one, dict):
        return {name: _changed(item, change) for name, item in one.items()}
    if not _arrow.is_list(one):
        return change(one)
    items = [_changed(item, change) for item in one]
    return tuple(items) if isinstance(one, tuple) else items


def as_floats(data: Any, type: pa.DataType, levels: int) -> Any:
    """Convert numbers of any class to floats where the type has floats, in fields too: pyarrow converts Python's floats and ints.

    Parameters
    ----------
    data : nested list
        Any Python objects.
    type : pa.DataType
        The type of the leaves.
    levels : int
        The number of list levels inside of the data.

    Returns
    -------
    nested list
        Objects that are no numbers, numbers beyond the range of floats, and integers that the type does not hold exactly stay.
    """
    for _ in range(levels + 1):
        type = pa.list_(type)
    return _floats(data, type)


_ALL_HELD = 2**11
"""Every float type holds the integers up to this one."""


def _holds(type: pa.DataType, number: Any) -> bool:
    """Return whether a float type holds an integer exactly."""
    try:
        with np.errstate(over="ignore"):
            near = float(numpy_dtype(type)(number))
    except OverflowError:
        return False
    return near == int(number)


def rounds_integers(type: pa.DataType, classes: set[Any] | None) -> bool:
    """Return whether integers beside floats may be rounded: pyarrow reads both as float64, which is cast to a shorter type."""
    if not _holds_short_floats(type):
        return False
    if classes is None or dict in classes:
        return True
    return any(issubclass(one, Integral) for one in classes) and any(issubclass(one, (float, np.floating)) for one in classes)


def _holds_short_floats(type: pa.DataType) -> bool:
    return bool(pt.is_floating(type) and not pt.is_float64(type)) or any(map(_holds_short_floats, inside(type)))


def _floats(one: Any, type: pa.DataType) -> Any:
    if pt.is_dictionary(type):
        return _floats(one, type.value_type)
    if pt.is_floating(type) and isinstance(one, (Number, np.bool_)) and not isinstance(one, complex):
        with contextlib.suppress(OverflowError):
            near = float(one)  # type: ignore[arg-type]  # of the numbers, only complex ones have no float
            return near if not isinstance(one, Integral) or _holds(type, one) else one
    if pt.is_struct(type) and isinstance(one, dict):
        return {**one, **{field.name: _floats(one[field.name], field.type) for field in type if field.name in one}}
    if _arrow.is_list_type(type) and _has_items(one):
        return [_floats(item, type.value_type) for item in one]
    return one
