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
import pyarrow.types as pt

from arrowjag._ops.elementwise.iso import iso_scalar
from arrowjag._ops.elementwise.types import promote

__all__ = ["comparable"]

_MEMBERS = ("in", "not in")
_EQUAL = ("==", "=")
_INFINITE = (math.inf, -math.inf)
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
        If text is given in place of a list of values.
    JagValueError
        If text is no date or time.

    Examples
    --------
    >>> comparable("k", "<", 2.5, pa.int8())
    ('k', '<=', <pyarrow.Int8Scalar: 2>)
    >>> comparable("k", "!=", 300, pa.int8())
    ('k', '>=', <pyarrow.Int8Scalar: -128>)
    """
    type = type.value_type if pt.is_dictionary(type) else type
    if sign in _MEMBERS:
        return name, sign, _members(name, value, type)
    value = _plain(value, type)
    if _has_moments(type):
        return name, sign, _moment(name, value, type)
    if pt.is_floating(type):
        return _with_float(name, sign, value) if _is_whole(value) else (name, sign, value)
    steps = _Steps.of(type)
    return (name, sign, value) if steps is None or not steps.takes(value) else steps.compare(name, sign, value)


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
        raise TypeError(f"in and not in take a list of values, got {values!r}")
    if not isinstance(values, (list, tuple, set, frozenset, np.ndarray)):
        return values
    values = [_plain(one, type) for one in values]
    if all(one is None for one in values):
        return pa.array(values, type)
    steps = _Steps.of(type)
    if _has_moments(type):
        return _of_one_type([_moment(name, one, type) for one in values], name)
    if pt.is_floating(type):
        return [_as_float(one) for one in values if _has_float(one, type)]
    if steps is None or not all(one is None or steps.takes(one) for one in values):
        return values
    return pa.array([None if one is None else steps.scalar(one).as_py() for one in values if one is None or steps.holds(one)], type)


def _of_one_type(values: list[Any], name: str) -> list[Any]:
    """Cast dates and times to one type, which Arrow requires of a list: dates beside times are midnight."""
    scalars = [_scalar(one) for one in values]
    types = [one.type for one in scalars if isinstance(one, pa.Scalar)]
    times = [type for type in types if not pt.is_date(type)]
    widest = promote(times or types, name) if types else None
    return [one.cast(widest) if isinstance(one, pa.Scalar) else one for one in scalars]


def _scalar(value: Any) -> Any:
    """Return a date or time as Arrow's scalar; others, such as None, unchanged."""
    if isinstance(value, (dt.date, dt.time, np.datetime64)):
        return pa.scalar(value)
    return value


def _as_float(value: Any) -> Any:
    return float(value) if _is_whole(value) else value


def _has_float(value: Any, type: pa.DataType) -> bool:
    """Return whether a number is one of the floats of a type, to which Arrow would round it; True for values of other kinds."""
    if isinstance(value, float) and math.isfinite(value):
        with np.errstate(over="ignore"):
            return float(np.float64(value).astype(type.to_pandas_dtype())) == value
    if not _is_whole(value):
        return True
    try:
        return bool(float(value) == value) and _has_float(float(value), type)
    except OverflowError:
        return False


def _has_moments(type: pa.DataType) -> bool:
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_time(type))


def _moment(name: str, value: Any, type: pa.DataType) -> Any:
    """Return the time that a text of ISO 8601 holds, as beside an array of times, or a time with a zone in the zone of the column.

    Arrow compares times with text as little as times of two zones, and drops the nanoseconds of pandas.
    """
    if isinstance(value, str):
        return iso_scalar(value, type, name)
    if not pt.is_timestamp(type) or not isinstance(value, dt.datetime) or (value.tzinfo is None) != (type.tz is None):
        return value
    return pa.scalar(value, pa.timestamp("ns" if getattr(value, "nanosecond", 0) else "us", type.tz))
