"""Compare columns with the values of filters given as tuples: numbers by their value, times by their moment, also as text.

Arrow casts the column to a type that it derives from the value. It fails where a value of the column doesn't fit, or rounds it.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._ops.elementwise.iso import iso_scalar
from arrowjag.errors import brief

__all__ = ["comparable", "compared_as"]

_MEMBERS = ("in", "not in")
_EQUAL = ("==", "=")
_INFINITE = (math.inf, -math.inf)
_BEYOND = 10**400  # more than any float
#: How a column compares with the next value of its type below a number, if it compares with the number in this way.
_FROM_BELOW = {">": ">", ">=": ">", "<": "<=", "<=": "<="}
_FROM_ABOVE = {">": ">=", ">=": ">=", "<": "<", "<=": "<"}


def comparable(name: str, sign: str, value: Any, type: pa.DataType) -> tuple[str, str, Any]:
    """Return a comparison that Arrow evaluates without casting the column to another kind of number.

    Parameters
    ----------
    name, sign, value
        The comparison, as in `pyarrow.parquet.filters_to_expression`.
    type : pa.DataType
        The type of the column.

    Returns
    -------
    (str, str, object)
        A comparison that the same rows satisfy; the one given where Arrow compares by value by itself.

    Raises
    ------
    TypeError
        If text is given in place of a list of values, or times in a list are of another kind than the column.
    JagValueError
        If text is no date or time.
    pa.ArrowNotImplementedError
        If Arrow doesn't compare the column with values of the type in a list.

    Examples
    --------
    >>> comparable("k", "<", 2.5, pa.int8())
    ('k', '<=', <pyarrow.Int8Scalar: 2>)
    >>> comparable("k", "!=", 300, pa.int8())
    ('k', '>=', <pyarrow.Int8Scalar: -128>)
    """
    type = compared_as(type.value_type if pt.is_dictionary(type) else type)
    if sign in _MEMBERS:
        return name, sign, _of_its_kind(name, _members(name, value, type), type)
    value = _plain(value, type)
    if _has_moments(type):
        return name, sign, _moment(name, value, type)
    if pt.is_floating(type):
        value = _as_float(value)
        return _with_float(name, sign, value) if _is_whole(value) else (name, sign, value)
    steps = _Steps.of(type)
    return (name, sign, value) if steps is None or not steps.takes(value) else steps.compare(name, sign, value)


def compared_as(type: pa.DataType) -> pa.DataType:
    """Return the type that Arrow compares and looks up in place of one that it doesn't take; other types unchanged.

    Parameters
    ----------
    type : pa.DataType
        The type of a column.

    Returns
    -------
    pa.DataType
        A type that holds the same values.

    Examples
    --------
    >>> compared_as(pa.string_view()), compared_as(pa.int8())
    (DataType(large_string), DataType(int8))
    """
    if pt.is_string_view(type):
        return pa.large_string()
    if pt.is_binary_view(type):
        return pa.large_binary()
    if pt.is_decimal(type) and type.bit_width < 128:
        return pa.decimal128(type.precision, type.scale)
    return pa.float32() if pt.is_float16(type) else type


def _plain(value: Any, type: pa.DataType) -> Any:
    """Return a number of numpy or Arrow as one of Python, and times of numpy in a unit that Arrow has."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        has_unit = np.datetime_data(value.dtype)[0] in ("s", "ms", "us", "ns")
        return value if has_unit else value.astype(f"{value.dtype.kind}8[s]")
    if isinstance(value, np.generic):
        return value.item()
    is_number = isinstance(value, pa.Scalar) and (pt.is_integer(value.type) or pt.is_floating(value.type))
    return value.as_py() if is_number and not pt.is_timestamp(type) else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


class _Steps(NamedTuple):
    """The values of a type of integers or decimals: whole multiples of a power of ten, with bounds."""

    type: pa.DataType
    least: int
    most: int
    digits: int

    @classmethod
    def of(cls, type: pa.DataType) -> _Steps | None:
        """Return the steps of a type; None for other types."""
        if pt.is_integer(type):
            bounds = np.iinfo(type.to_pandas_dtype())
            return cls(type, int(bounds.min), int(bounds.max), 0)
        if pt.is_decimal(type):
            most = 10**type.precision - 1
            return cls(type, -most, most, type.scale)
        return None

    def takes(self, value: Any) -> bool:
        """Return whether a value compares exactly; decimals compare with floats as floats, so that 0.1 is 0.10."""
        kinds: Any = (int, Decimal, Fraction) if pt.is_decimal(self.type) else (int, float, Decimal, Fraction)
        return isinstance(value, kinds) and not isinstance(value, bool)

    def compare(self, name: str, sign: str, value: Any) -> tuple[str, str, Any]:
        """Return a comparison with a value of the type."""
        if value != value:  # noqa: PLR0124 - NaN
            return self._every(name) if sign == "!=" else self._none(name)
        count = self._count(value)
        below = self.most + 1 if count == math.inf else self.least - 1 if count == -math.inf else math.floor(count)
        if sign in (*_EQUAL, "!=") and (below != count or not self.least <= below <= self.most):
            return self._every(name) if sign == "!=" else self._none(name)
        if sign in _FROM_BELOW and not self.least <= below <= self.most:
            return self._every(name) if (below > self.most) == (sign in ("<", "<=")) else self._none(name)
        return name, sign if below == count else _FROM_BELOW.get(sign, sign), self._scalar(below)

    def holds(self, value: Any) -> bool:
        """Return whether a number is a value of the type."""
        count = self._count(value) if value == value else math.inf  # noqa: PLR0124 - NaN
        return count not in _INFINITE and count == math.floor(count) and self.least <= count <= self.most

    def scalar(self, value: Any) -> pa.Scalar:
        """Return a number that the type holds."""
        return self._scalar(math.floor(self._count(value)))

    def _count(self, value: Any) -> Any:
        return float(value) if value in _INFINITE else Fraction(value) * 10**self.digits

    def _scalar(self, count: int) -> pa.Scalar:
        if not pt.is_decimal(self.type):
            return pa.scalar(count, self.type)
        sign, digits = int(count < 0), tuple(map(int, str(abs(count))))
        return pa.scalar(Decimal((sign, digits, -self.digits)), self.type)

    def _every(self, name: str) -> tuple[str, str, Any]:
        return name, ">=", self._scalar(self.least)

    def _none(self, name: str) -> tuple[str, str, Any]:
        return name, "in", pa.array([], self.type)


def _as_float(value: Any) -> Any:
    """Return a decimal or fraction as the nearest float, or as an integer if it is beyond all floats; other values unchanged."""
    if not isinstance(value, (Decimal, Fraction)):
        return value
    try:
        near = float(value)
    except OverflowError:
        near = math.inf
    return near if near != near or near not in _INFINITE or value in _INFINITE else _BEYOND if value > 0 else -_BEYOND  # noqa: PLR0124 - NaN


def _with_float(name: str, sign: str, value: int) -> tuple[str, str, Any]:
    """Compare floats with an integer, which may lie between two of them."""
    try:
        near = float(value)
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    if near == value:
        return name, sign, near
    if sign in _EQUAL:
        return name, "in", pa.array([], pa.float64())
    if sign == "!=":
        return name, sign, math.nan
    return name, (_FROM_BELOW if near < value else _FROM_ABOVE).get(sign, sign), near


def _members(name: str, values: Any, type: pa.DataType) -> Any:
    """Return the values of a list that the column can hold; those of other types unchanged."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"in and not in take a list of values, got {brief(values)}")
    if isinstance(values, (pa.Array, pa.ChunkedArray)) and pt.is_floating(type):
        values = values.to_pylist()
    if not isinstance(values, (list, tuple, set, frozenset, np.ndarray)):
        return values
    values = [_plain(one, type) for one in values]
    if all(one is None for one in values):
        return pa.array(values, type)
    steps = _Steps.of(type)
    if _has_moments(type):
        return _held_times([_moment(name, one, type) for one in values], type, name)
    if pt.is_duration(type):
        return _held_times(values, type, name)
    if pt.is_floating(type):
        return _held_floats(values, type)
    if steps is None or not all(one is None or steps.takes(one) for one in values):
        return values
    return pa.array([None if one is None else steps.scalar(one).as_py() for one in values if one is None or steps.holds(one)], type)


def _of_its_kind(name: str, members: Any, type: pa.DataType) -> Any:
    """Return the values of a list if Arrow compares them with the column: to look them up, it casts text and counts to any type."""
    members = members if isinstance(members, (pa.Array, pa.ChunkedArray)) else pa.array(members)
    try:
        pc.equal(pa.nulls(0, type), pa.nulls(0, members.type))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:  # pyarrow 22 says so of decimals beside text
        raise pa.ArrowNotImplementedError(f"{error}, in the list for {name}") from None
    return members


def _held_times(values: list[Any], type: pa.DataType, name: str) -> pa.Array:
    """Return the times that a column can hold, in its type: Arrow takes lists of one type, and truncates times to dates."""
    scalars = [one if isinstance(one, pa.Scalar) else pa.scalar(one) for one in values]
    known = [one for one in scalars if one.is_valid]
    other = next((one.type for one in known if not _is_like(one.type, type)), None)
    if other is not None:  # Arrow casts some of these to the other kind, such as timestamps to times of day
        raise pa.ArrowTypeError(f"{name} is {type}, and the list holds {other}")
    arrays = [pa.array([one]).cast(type, safe=False) for one in known]
    held = [array for one, array in zip(known, arrays, strict=True) if array.cast(one.type, safe=False)[0].equals(one)]
    return pa.concat_arrays([pa.nulls(len(known) < len(scalars), type), *held])


def _is_like(one: pa.DataType, other: pa.DataType) -> bool:
    """Return whether Arrow compares two types of times."""
    if pt.is_timestamp(one) and pt.is_timestamp(other):
        return (one.tz is None) == (other.tz is None)
    if pt.is_duration(one) or pt.is_duration(other):
        return bool(pt.is_duration(one) and pt.is_duration(other))
    return _has_moments(one) and bool(pt.is_time(one) == pt.is_time(other))


def _held_floats(values: list[Any], type: pa.DataType) -> list[Any]:
    """Return the numbers that a column of floats can hold, and both zeros for one: Arrow rounds numbers, and compares bits."""
    values = [_as_float(one) for one in values]
    values = [float(one) if _is_whole(one) else one for one in values if not _is_whole(one) or _has_float(one)]
    with np.errstate(over="ignore"):
        rounded = [type.to_pandas_dtype()(one).item() if isinstance(one, float) else one for one in values]
    held = [one for one, near in zip(values, rounded, strict=True) if near == one or near != near]  # noqa: PLR0124 - NaN
    return [*held, 0.0, -0.0] if any(isinstance(one, float) and one == 0 for one in held) else held


def _has_float(value: int) -> bool:
    """Return whether an integer is a float64."""
    try:
        return float(value) == value
    except OverflowError:
        return False


def _has_moments(type: pa.DataType) -> bool:
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_time(type))


def _moment(name: str, value: Any, type: pa.DataType) -> Any:
    """Return the time that a text of ISO 8601 holds, as beside an array of times, or a time with a zone in the zone of the column.

    Arrow compares times neither with text nor with times of another zone, and drops the nanoseconds of pandas.
    """
    if isinstance(value, str):
        return iso_scalar(value, type, name)
    if not pt.is_timestamp(type) or not isinstance(value, dt.datetime) or (value.tzinfo is None) != (type.tz is None):
        return value
    return pa.scalar(value, pa.timestamp("ns" if getattr(value, "nanosecond", 0) else "us", type.tz))
