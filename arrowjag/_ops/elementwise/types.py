"""Types of results: promotion of arrays, and weak Python scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag.errors import JagRangeError, JagTypeError

__all__ = ["as_type", "is_bytes", "is_text", "plain_type", "promote", "scalar_like"]


def as_type(type: Any) -> pa.DataType:
    """A leaf type from an Arrow type, its name, or what numpy takes for a dtype.

    Raises
    ------
    JagTypeError
        If there is no such type.
    """
    if isinstance(type, pa.DataType):
        return type
    try:
        if isinstance(type, str):
            return pa.type_for_alias(type)
        return pa.string() if type is str else pa.from_numpy_dtype(np.dtype(type))
    except (ValueError, TypeError, pa.ArrowNotImplementedError):  # of pyarrow for a name, of numpy, of both for a dtype
        raise JagTypeError(f"expected an Arrow type, its name or a numpy dtype, got {type!r}") from None


def promote(types: Sequence[pa.DataType], operation: str) -> pa.DataType:
    """The type that holds the values of all: numpy's `result_type` for numbers, the wider text, the finer time unit."""
    if types and not pt.is_dictionary(types[0]) and all(one == types[0] for one in types):
        return types[0]
    distinct = list(dict.fromkeys(plain_type(one) for one in types if not pt.is_null(one)))
    if not distinct:
        return pa.null()
    result = distinct[0]
    for other in distinct[1:]:
        result = _promote_pair(result, other, operation)
    return result


def plain_type(type: pa.DataType) -> pa.DataType:
    """The type of the values that a dictionary stands for; text views in it count as large text, as they are decoded to."""
    if not pt.is_dictionary(type):
        return type
    if pt.is_string_view(type.value_type):
        return pa.large_string()
    return pa.large_binary() if pt.is_binary_view(type.value_type) else type.value_type


def _promote_pair(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if _arrow.is_numeric(one) and _arrow.is_numeric(two):
        return pa.from_numpy_dtype(np.result_type(one.to_pandas_dtype(), two.to_pandas_dtype()))
    if pt.is_decimal(one) or pt.is_decimal(two):
        return _promote_decimal(one, two, operation)
    for family, wide in _FAMILIES:
        if family(one) and family(two):
            return wide(one, two)
    if pt.is_struct(one) and pt.is_struct(two) and [f.name for f in one] == [f.name for f in two]:
        return pa.struct([pa.field(a.name, promote([a.type, b.type], operation)) for a, b in zip(one, two, strict=True)])
    try:
        return pa.concat_arrays([pa.nulls(0, one), pa.nulls(0, two)]).type if one == two else _by_concat(one, two)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):  # which one depends on the pair
        raise JagTypeError(f"{operation}: {one} and {two} have no common type. Cast one of them first.") from None


def _by_concat(one: pa.DataType, two: pa.DataType) -> pa.DataType:
    schemas = [pa.schema([("x", one)]), pa.schema([("x", two)])]
    return pa.unify_schemas(schemas, promote_options="permissive").field("x").type


def _promote_decimal(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if pt.is_floating(one) or pt.is_floating(two):
        return pa.float64()
    if pt.is_integer(one) or pt.is_integer(two) or (pt.is_decimal(one) and pt.is_decimal(two)):
        scales = [t.scale if pt.is_decimal(t) else 0 for t in (one, two)]
        whole = [t.precision - t.scale if pt.is_decimal(t) else 19 for t in (one, two)]
        precision = max(whole) + max(scales)
        return pa.decimal128(precision, max(scales)) if precision <= 38 else pa.decimal256(min(precision, 76), max(scales))
    raise JagTypeError(f"{operation}: {one} and {two} have no common type. Cast one of them first.")


def is_text(type: pa.DataType) -> bool:
    return bool(pt.is_string(type) or pt.is_large_string(type) or pt.is_string_view(type))


def is_bytes(type: pa.DataType) -> bool:
    return bool(pt.is_binary(type) or pt.is_large_binary(type) or pt.is_binary_view(type) or pt.is_fixed_size_binary(type))


_FAMILIES: list[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType, pa.DataType], pa.DataType]]] = [
    (is_text, lambda one, two: pa.large_string()),
    (is_bytes, lambda one, two: pa.large_binary()),
]


_WEAK_KINDS: dict[type, Callable[[pa.DataType], bool]] = {
    bool: lambda leaf: bool(_arrow.is_numeric(leaf)),
    int: lambda leaf: bool(pt.is_integer(leaf) or pt.is_floating(leaf) or pt.is_decimal(leaf)),
    float: lambda leaf: bool(pt.is_floating(leaf)),
}


def scalar_like(value: Any, leaf: pa.DataType | None, operation: str) -> pa.Scalar:
    """A Python scalar as an Arrow scalar; plain Python numbers are weak: they take the leaf's type where the kind fits.

    Raises
    ------
    JagTypeError
        If the value is no scalar.
    JagRangeError
        If a Python int does not fit the integer type it meets.
    """
    if isinstance(value, pa.Scalar):
        return value
    leaf = None if leaf is None or pt.is_null(leaf) else plain_type(leaf)
    try:
        if isinstance(value, np.generic):
            return pa.scalar(value)
        if isinstance(value, (datetime, timedelta)):
            return _time_scalar(value)
        if leaf is None:
            return pa.scalar(value) if type(value) is not int else _int_scalar(value)
        if value is None or _keeps_leaf(value, leaf):
            value = int(value) if isinstance(value, bool) and not pt.is_boolean(leaf) else value
            if pt.is_decimal(leaf) and value is not None:
                return _decimal_scalar(value, leaf)
            return pa.scalar(value, leaf) if not pt.is_floating(leaf) else _float_scalar(value, leaf)
        if type(value) is float and pt.is_integer(leaf):
            return pa.scalar(value, pa.float64())
        return pa.scalar(value)
    except (OverflowError, ValueError) as error:
        if not isinstance(value, (int, float)):
            raise JagTypeError(f"{operation}: {type(value).__name__} is neither a column nor a scalar of Arrow") from None
        raise JagRangeError(f"{operation}: the number {value!r} does not fit {leaf or 'int64'}: {error}") from None
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):  # objects, and numpy scalars without a type of Arrow
        raise JagTypeError(f"{operation}: {type(value).__name__} is neither a column nor a scalar of Arrow") from None


def _time_scalar(value: datetime | timedelta) -> pa.Scalar:
    """Those of pandas may hold nanoseconds, which pyarrow would cut off."""
    plain = pa.scalar(value)
    if getattr(value, "nanosecond", 0):
        return pa.scalar(value, pa.timestamp("ns", plain.type.tz))
    return pa.scalar(value, pa.duration("ns")) if getattr(value, "nanoseconds", 0) else plain


def _int_scalar(value: int) -> pa.Scalar:
    return pa.scalar(value, pa.uint64() if 2**63 <= value < 2**64 else pa.int64())


def _decimal_scalar(value: int, leaf: pa.DataType) -> pa.Scalar:
    """An int beside decimals: of their type where it fits, else a decimal of as many digits as it has."""
    try:
        return pa.scalar(value, leaf)
    except pa.ArrowInvalid:
        return pa.scalar(Decimal(value))


def _keeps_leaf(value: Any, leaf: pa.DataType) -> bool:
    fits = _WEAK_KINDS.get(type(value))
    if fits is not None:
        return fits(leaf) and not (type(value) is int and pt.is_boolean(leaf))
    if isinstance(value, str):
        return is_text(leaf)
    return isinstance(value, bytes) and is_bytes(leaf) and not pt.is_fixed_size_binary(leaf)


def _float_scalar(value: Any, leaf: pa.DataType) -> pa.Scalar:
    return pa.scalar(None if value is None else np.dtype(leaf.to_pandas_dtype()).type(value), leaf)
