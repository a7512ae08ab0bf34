"""The types to read Python objects as: pyarrow would truncate or refuse them for the wanted type, where a cast checks them."""

from __future__ import annotations

import math
import reprlib
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array.times import UNITS
from arrowjag._gate import inside
from arrowjag.errors import JagValueError

__all__ = ["exact_type", "holds_maps", "may_truncate", "refuse_fractions"]

_FRACTIONS = (float, Decimal, np.floating)
"""The classes of numbers that pyarrow truncates to integers, and to counts of a unit of time."""


def may_truncate(type: pa.DataType) -> bool:
    """Return whether pyarrow may truncate Python objects to a type: integers and times do, at any depth."""
    return pt.is_integer(type) or pt.is_temporal(type) or any(map(may_truncate, inside(type)))


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
        The wanted type, but numbers with fractions in place of integers and times, decimals in place of floats, and times of a
        finer unit; in fields too.
    """
    if inferred is None:
        return wanted
    if pt.is_struct(wanted) and pt.is_struct(inferred):
        return pa.struct([field.with_type(_exact_field(inferred, field)) for field in wanted])
    if _arrow.is_list_type(wanted) and _arrow.is_list_type(inferred):
        return _arrow.list_like(wanted, exact_type(inferred.value_type, wanted.value_type))
    if pt.is_dictionary(wanted):
        values = exact_type(inferred, wanted.value_type)
        return wanted if values == wanted.value_type else values
    if pt.is_decimal(inferred) and pt.is_floating(wanted):  # pyarrow converts no Python decimals to floats
        return inferred
    if pt.is_floating(inferred) or pt.is_decimal(inferred):
        return inferred if may_truncate(wanted) else wanted
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


def holds_maps(type: pa.DataType) -> bool:
    """Return whether a type holds maps at any depth, of whose entries pyarrow infers no type, or another one."""
    return pt.is_map(type) or any(map(holds_maps, inside(type)))


def refuse_fractions(data: Any, type: pa.DataType, levels: int) -> None:
    """Raise for a number with a fraction where the type has integers or times.

    Parameters
    ----------
    data : nested list
        Of objects for which no type could be inferred.
    type : pa.DataType
        The type of the leaves.
    levels : int
        The number of list levels inside of the data.

    Raises
    ------
    JagValueError
        If there is such a number; pyarrow would truncate it.
    """
    for _ in range(levels):
        data = [item for one in data if _has_items(one) for item in one]
    _refuse([one for one in data if one is not None], type)


def _refuse(items: list[Any], type: pa.DataType) -> None:
    if not may_truncate(type):
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
    elif wrong := [one for one in items if isinstance(one, _FRACTIONS) and not _is_whole(one)]:
        told = f"the item {reprlib.repr(wrong[0])} does not fit the leaf type {type}, and would be truncated"
        raise JagValueError(f"{told}. Convert all items to one type first, or pass another type.")


def _has_items(one: Any) -> bool:
    return isinstance(one, (list, tuple)) or (isinstance(one, np.ndarray) and one.ndim > 0)


def _is_whole(one: Any) -> bool:
    return math.isfinite(one) and one == int(one)
