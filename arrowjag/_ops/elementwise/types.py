"""Result types: promotion of arrays, and weakly typed Python scalars."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, time, timedelta
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import without_utf8
from arrowjag._arrow.foreign import as_numpy
from arrowjag._column import Column
from arrowjag._integers import is_int
from arrowjag._kernels.elementwise.times import TICKS, fits_unit
from arrowjag._ops.elementwise.iso import iso_scalar
from arrowjag._pyarrow_versions import null_scalar, numpy_dtype
from arrowjag._vocabulary.type_names import parse_type_name
from arrowjag.errors import JagRangeError, JagTypeError, JagValueError, brief
from arrowjag.typing import BoolArray

__all__ = [
    "MOST_DIGITS",
    "are_above_floats",
    "as_type",
    "beyond_floats",
    "bound_like",
    "common_type",
    "is_beyond_floats",
    "is_bytes",
    "is_text",
    "members_like",
    "plain_type",
    "promote",
    "refuse_other_fields",
    "scalar_by_value",
    "scalar_like",
    "times_like",
    "unboxed",
]


MOST_DIGITS = 76
"""The largest number of digits of a decimal, which decimal256 has."""

INTEGER_DIGITS = 20
"""The digits of the largest integer of 64 bits; Arrow casts integers only to decimals that hold each integer of the type."""

_NUMPY_NAMES = ("<", ">", "=", "|", "datetime64[", "timedelta64[")
_WANTED = "expected an Arrow type, its name or a numpy dtype"


def as_type(type: Any) -> pa.DataType:
    """Convert an Arrow type, its name, or a numpy dtype (or its name) to an Arrow type.

    Raises
    ------
    JagTypeError
        If no Arrow type corresponds to it.
    """
    if isinstance(type, pa.DataType):
        return type
    if type is None:  # numpy's float64
        raise JagTypeError(f"{_WANTED}, got None")
    if isinstance(type, str) and not type.startswith(_NUMPY_NAMES):
        try:
            return parse_type_name(type)
        except JagTypeError as error:
            reason = str(error).removeprefix(f"Cannot construct an Arrow type from {brief(type)}: ")
            raise JagTypeError(f"{_WANTED}, got {brief(type)}: {reason}") from None
    try:
        return pa.string() if type is str else pa.from_numpy_dtype(np.dtype(type))
    except Exception:  # noqa: BLE001  # depending on the argument, from pyarrow, numpy, or its own repr, which numpy asks
        raise JagTypeError(f"{_WANTED}, got {brief(type)}") from None


def common_type(types: Sequence[pa.DataType], operation: str) -> pa.DataType:
    """Return the type of a column of items of several types: equal types stay, also dictionaries, which `promote` decodes."""
    kept = [one for one in types if not pt.is_null(one)] or types
    return kept[0] if kept.count(kept[0]) == len(kept) else promote(kept, operation)


def promote(types: Sequence[pa.DataType], operation: str) -> pa.DataType:
    """Return the common type: numpy's `result_type` for numbers, the wider text type, the finer time unit, times beside dates."""
    if types and not pt.is_dictionary(types[0]) and types.count(types[0]) == len(types):
        return types[0]
    kept = [one for one in types if not pt.is_null(one)]
    if kept and all(pt.is_dictionary(one) and one.ordered for one in kept):
        return _promote_ordered(kept, operation)
    distinct: list[pa.DataType] = []
    for one in types:
        if not pt.is_null(one) and plain_type(one) not in distinct:  # not by hash, which users' extension types may lack
            distinct.append(plain_type(one))
    if not distinct:
        return pa.null()
    result = distinct[0]
    for other in distinct[1:]:
        result = _promote_pair(result, other, operation)
    return result


def _promote_ordered(types: Sequence[pa.DataType], operation: str) -> pa.DataType:
    """Return the common type of ordered dictionaries: the widest index type and the promoted value type."""
    if all(one == types[0] for one in types):
        return types[0]
    index = max((one.index_type for one in types), key=lambda type: (type.bit_width, pt.is_unsigned_integer(type)))
    return pa.dictionary(index, promote([plain_type(one) for one in types], operation), ordered=True)


def refuse_other_fields(own: pa.StructType, wanted: pa.StructType) -> None:
    """Raise if structs have none of the wanted fields: Arrow casts them to fields of nulls.

    Fields that only one of the two types has are left out, or null.
    """
    ours, theirs = [field.name for field in own], [field.name for field in wanted]
    if ours and theirs and set(ours).isdisjoint(theirs):
        raise JagTypeError(
            f"the structs have the fields {brief(ours)}, and none of {brief(theirs)}: all fields would be null. Rename "
            "the fields by aj.zip, or those of the type"
        )


def plain_type(type: pa.DataType) -> pa.DataType:
    """Return the value type of a dictionary, with views replaced by the type that `decoded` returns; other types unchanged."""
    if not pt.is_dictionary(type):
        return type
    if pt.is_string_view(type.value_type):
        return pa.large_string()
    return pa.large_binary() if pt.is_binary_view(type.value_type) else type.value_type


def _promote_pair(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if _arrow.is_numeric(one) and _arrow.is_numeric(two):
        return pa.from_numpy_dtype(np.result_type(numpy_dtype(one), numpy_dtype(two)))
    if pt.is_decimal(one) or pt.is_decimal(two):
        return _promote_decimal(one, two, operation)
    if (time := _time_beside_date(one, two) or _time_beside_date(two, one)) is not None:
        return time
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


def _time_beside_date(one: pa.DataType, two: pa.DataType) -> pa.DataType | None:
    """Return the first type if it is a time without a zone and the other a date, which is midnight there; otherwise None."""
    return one if pt.is_timestamp(one) and one.tz is None and pt.is_date(two) else None


def _promote_decimal(one: pa.DataType, two: pa.DataType, operation: str) -> pa.DataType:
    if pt.is_floating(one) or pt.is_floating(two):
        return pa.float64()
    if all(pt.is_decimal(t) or pt.is_integer(t) or pt.is_boolean(t) for t in (one, two)):
        scales = [t.scale if pt.is_decimal(t) else 0 for t in (one, two)]
        whole = [t.precision - t.scale if pt.is_decimal(t) else _digits(t) for t in (one, two)]
        precision = max(whole) + max(scales)
        return pa.decimal128(precision, max(scales)) if precision <= 38 else pa.decimal256(min(precision, MOST_DIGITS), max(scales))
    raise JagTypeError(f"{operation}: {one} and {two} have no common type. Cast one of them first.")


def _digits(type: pa.DataType) -> int:
    """Return the number of digits that decimals have before the point beside integers; booleans are cast by way of int8."""
    return 3 if pt.is_boolean(type) else 19 + pt.is_uint64(type)


def is_text(type: pa.DataType) -> bool:
    return bool(pt.is_string(type) or pt.is_large_string(type) or pt.is_string_view(type))


def is_bytes(type: pa.DataType) -> bool:
    return bool(pt.is_binary(type) or pt.is_large_binary(type) or pt.is_binary_view(type) or pt.is_fixed_size_binary(type))


_FAMILIES: list[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType, pa.DataType], pa.DataType]]] = [
    (is_text, lambda one, two: pa.large_string()),
    (lambda type: is_text(type) or is_bytes(type), lambda one, two: pa.large_binary()),
]


_WEAK_KINDS: dict[type, Callable[[pa.DataType], bool]] = {
    bool: lambda leaf: bool(_arrow.is_numeric(leaf)),
    int: lambda leaf: bool(pt.is_integer(leaf) or pt.is_floating(leaf) or pt.is_decimal(leaf)),
    float: lambda leaf: bool(pt.is_floating(leaf)),
}


_NUMBERS = frozenset({bool, int, float})
"""The classes of Python's own numbers."""

_ROWS = (list, tuple, set, frozenset, np.ndarray, pa.Array, pa.ChunkedArray, pa.ListScalar)
"""The classes of rows of items."""


def scalar_like(value: Any, leaf: pa.DataType | None, operation: str) -> pa.Scalar:
    """Convert a Python scalar to an Arrow scalar; plain Python numbers are weak: they take the leaf's type if the kind fits.

    Text beside times is read as ISO 8601, and beside durations as a length of time. Missing values of pandas are
    null.

    Raises
    ------
    JagTypeError
        If the value is not a scalar.
    JagRangeError
        If a Python int does not fit the integer leaf type, or a finite number would become infinite in it.
    """
    is_number = type(value) in _NUMBERS  # which nothing before the conversion looks for
    if not is_number:
        value = _single(value, operation)
        if isinstance(value, pa.Scalar):
            return value
    leaf = _known_type(leaf)
    if not is_number:
        if value is None or _arrow.is_missing(value):
            return null_scalar(pa.null() if leaf is None else leaf)
        if isinstance(value, str) and leaf is not None and (time := iso_scalar(value, leaf, operation)) is not None:
            return time
    try:
        return _converted(value, leaf)
    except (OverflowError, ValueError) as error:
        if isinstance(value, Decimal):
            reason = f"does not fit {MOST_DIGITS} digits, the most that Arrow's decimals hold; pass a float"
            raise JagRangeError(f"{operation}: the number {brief(value)} {reason}") from None
        if not isinstance(value, (int, float)):
            raise _no_operand(value, operation, error) from None
        raise JagRangeError(f"{operation}: the number {brief(value)} does not fit {_range_text(leaf, error)}") from None
    except (pa.ArrowTypeError, pa.ArrowNotImplementedError):  # objects, and numpy scalars without an Arrow type
        raise _no_operand(value, operation) from None


def _range_text(leaf: pa.DataType | None, error: Exception) -> str:
    """Return the text about the leaf type that a number does not fit: bounds and advice for integers, Arrow's error for others."""
    if leaf is None or not pt.is_integer(leaf):
        return f"{leaf or 'int64'}: {error}"
    bounds = np.iinfo(leaf.to_pandas_dtype())
    return f"{leaf}, which holds {bounds.min} to {bounds.max}. Cast the array first, to a type that holds it."


def _converted(value: Any, leaf: pa.DataType | None) -> pa.Scalar:
    if isinstance(value, np.generic):
        return _numpy_time(value, leaf) if isinstance(value, (np.datetime64, np.timedelta64)) else pa.scalar(value)
    if isinstance(value, (datetime, timedelta)):
        return _time_scalar(value)
    if leaf is None:
        return pa.scalar(value) if type(value) is not int else _int_scalar(value)
    if _keeps_leaf(value, leaf):
        value = int(value) if isinstance(value, bool) and not pt.is_boolean(leaf) else value
        if pt.is_decimal(leaf):
            return _decimal_scalar(value, leaf)
        return pa.scalar(value, leaf) if not pt.is_floating(leaf) else _float_scalar(value, leaf)
    if type(value) is float and pt.is_integer(leaf):
        return pa.scalar(value, pa.float64())
    return pa.scalar(value)


def unboxed(value: Any) -> Any:
    """Return the item of an array without dims, of a column, of numpy or of a library that numpy reads; other values unchanged."""
    if isinstance(value, Column):
        return value if value.ndim else value.values[0]
    value = as_numpy(value)
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _single(value: Any, operation: str) -> Any:
    """Return the item; raise for rows of items, because lists are dims, and for dicts that contain themselves."""
    value = unboxed(value)
    if isinstance(value, _ROWS):
        raise _no_operand(value, operation)
    if isinstance(value, (dict, time)):
        _arrow.check_times_of_day([value], _arrow.item_classes([value]))
    if isinstance(value, Decimal) and not value.is_finite():
        raise JagValueError(f"{operation}: no Arrow type holds {value!r}; pass a float, such as float({str(value)!r})")
    return value


def _known_type(leaf: pa.DataType | None) -> pa.DataType | None:
    """Return the plain leaf type; None if there is none, or if it is the type null."""
    return None if leaf is None or pt.is_null(leaf) else plain_type(leaf)


def _no_operand(value: Any, operation: str, error: Exception | None = None) -> Exception:
    """Build the error for an object that is no operand, such as an expression of polars, which has no values yet."""
    if isinstance(error, UnicodeEncodeError):
        return without_utf8(error, operation)
    if isinstance(error, OverflowError) and isinstance(value, (np.datetime64, np.timedelta64)):
        return JagRangeError(f"{operation}: the time {brief(value)} does not fit 64 bits of seconds")
    message = f"{operation}: a value of type {type(value).__name__} is neither an array nor an Arrow scalar"
    if isinstance(value, (Column, *_ROWS)):
        message = f"{operation}: a value must be a single item, got {type(value).__name__}"
    if type(value).__name__ == "LazyFrame":
        message = f"{operation}: a LazyFrame has no values before its query runs; write frame.collect(), or an expression with .jag"
    if any(one.__name__ == "Expr" and one.__module__.startswith("polars.") for one in type(value).__mro__):
        message = (
            f"{operation}: a polars expression has no values outside of a query; write `pl.lit(pl.Series(x)).jag` in place of the "
            'array, or pass a column of a frame, frame["v"]'
        )
    made = JagTypeError(message)
    made.given = id(value)
    return made


def scalar_by_value(value: Any, leaf: pa.DataType | None, operation: str) -> pa.Scalar:
    """Convert a Python scalar to an Arrow scalar that compares with items as the number does.

    The scalar has the type of the leaves, or another one if the number does not fit that type.

    Raises
    ------
    JagTypeError
        If the value is not a scalar.
    """
    plain = None if leaf is None else plain_type(leaf)
    if isinstance(value, Decimal) and plain is not None and value.is_finite() and not _is_decimal_of_arrow(value):
        value = _nearest_like(value, plain)
    if type(value) in (int, float) and plain is not None and _exceeds(value, plain):
        return beyond_floats(value > 0) if abs(value) > _largest_float(64) else scalar_like(value, pa.float64(), operation)
    if type(value) is not int or plain is None:
        return scalar_like(value, leaf, operation)
    if pt.is_integer(plain) or pt.is_boolean(plain) or pt.is_null(plain):
        return _int_by_value(value, plain)
    if pt.is_decimal(plain) and plain.precision - plain.scale < MOST_DIGITS and not _holds(plain, value):
        beyond = 10 ** (plain.precision - plain.scale)
        return pa.scalar(Decimal(beyond if value > 0 else -beyond))
    if not (_arrow.is_numeric(plain) or pt.is_decimal(plain)):
        value = max(-(2**63), min(value, 2**63 - 1))  # any integer will do: such leaves raise for the type
    return scalar_like(value, leaf, operation)


def _is_decimal_of_arrow(value: Decimal) -> bool:
    """Return whether a decimal of Arrow holds a finite number."""
    digits, exponent = value.as_tuple().digits, int(value.as_tuple().exponent)
    return max(len(digits) + max(exponent, 0), -exponent) <= MOST_DIGITS


def _nearest_like(value: Decimal, leaf: pa.DataType) -> Decimal | float:
    """Return a number that compares with all items of a type as one of more digits than the decimals of Arrow does."""
    if pt.is_floating(leaf):  # which is compared with decimals as float64
        near = float(value)
        most: int = 10**_FLOAT_DIGITS
        return near if math.isfinite(near) else most if value > 0 else -most
    if not (_arrow.is_numeric(leaf) or pt.is_decimal(leaf)):
        return Decimal(1)  # any decimal will do: such leaves raise for the type
    if value.adjusted() >= MOST_DIGITS:
        beyond: int = 10**MOST_DIGITS
        return beyond if value > 0 else -beyond
    scale = max(leaf.scale, 0) if pt.is_decimal(leaf) else 0
    step = Decimal(1).scaleb(-scale)
    below = value.quantize(step, ROUND_FLOOR, _EXACT) if value.adjusted() > -MOST_DIGITS else step * (-1 if value < 0 else 0)
    return below if below == value else _EXACT.add(below, Decimal(5).scaleb(-scale - 1))


_FLOAT_DIGITS = 309
"""The digits of the largest float64."""
_WORDS = 4
"""The number of 64-bit words in a number of decimal256."""
_EXACT = Context(prec=2 * MOST_DIGITS)


def beyond_floats(is_positive: bool) -> pa.Scalar:
    """Return a decimal beyond all finite floats: one digit with a negative scale."""
    digit = pa.array([Decimal(1 if is_positive else -1)], pa.decimal256(1, 0))
    return pa.Array.from_buffers(pa.decimal256(1, -_FLOAT_DIGITS), 1, digit.buffers())[0]


def is_beyond_floats(datum: pa.Array | pa.Scalar) -> bool:
    """Return whether data is of `beyond_floats`."""
    return pt.is_decimal(datum.type) and bool(datum.type.scale == -_FLOAT_DIGITS)


def are_above_floats(values: pa.Array) -> BoolArray:
    """Return the signs of numbers of `beyond_floats`, which pyarrow can't convert to Python."""
    words = np.frombuffer(values.buffers()[1], np.int64)[_WORDS - 1 :: _WORDS]
    return np.asarray(words[values.offset : values.offset + len(values)] >= 0)


def _exceeds(value: float, leaf: pa.DataType) -> bool:
    """Return whether a finite number is beyond the range of a floating point type."""
    return bool(pt.is_floating(leaf) and _largest_float(leaf.bit_width) < abs(value) < math.inf)


@functools.cache
def _largest_float(n_bits: int) -> float:
    return float(np.finfo(f"f{n_bits // 8}").max)


def _int_by_value(value: int, leaf: pa.DataType) -> pa.Scalar:
    """Convert to the leaf type, else to a 64-bit type that holds the value, else to a number beyond the leaf type's range."""
    for type in (leaf, pa.int64(), pa.uint64()):
        if _holds(type, value):
            return pa.scalar(value, type)
    if pt.is_uint64(leaf) if value > 0 else pt.is_int64(leaf):
        return pa.scalar(Decimal(2**64 if value > 0 else -(2**63) - 1), pa.decimal128(20, 0))
    return pa.scalar(2**64 - 1, pa.uint64()) if value > 0 else pa.scalar(-(2**63), pa.int64())


def _holds(type: pa.DataType, value: int) -> bool:
    """Return whether an int fits an integer or decimal type."""
    if pt.is_decimal(type):
        return bool(abs(value) < 10 ** (type.precision - type.scale))
    if pt.is_signed_integer(type):
        return bool(-(1 << type.bit_width - 1) <= value < 1 << type.bit_width - 1)
    return bool(pt.is_unsigned_integer(type) and 0 <= value < 1 << type.bit_width)


def times_like(texts: pa.Array, leaf: pa.DataType, operation: str) -> pa.Array:
    """Read text beside times as ISO 8601, or beside durations as lengths; each distinct text once. Other leaves leave it as it is.

    Raises
    ------
    JagValueError
        If a text is no time of the kind of the leaves.
    """
    plain = plain_type(leaf)
    if not (is_text(plain_type(texts.type)) and _arrow.is_temporal(plain)):
        return texts
    codes = (texts if pt.is_dictionary(texts.type) else texts.cast(pa.large_string())).dictionary_encode()
    times = [time for text in codes.dictionary.to_pylist() if (time := iso_scalar(text, plain, operation)) is not None]
    type = promote([time.type for time in times] or [plain], operation)
    return pa.array([time.cast(type) for time in times], type).take(codes.indices)


def members_like(values: Any, leaf: pa.DataType) -> list[Any]:
    """Drop from the values of a set the ints that don't fit the leaf type, and so equal no item; read text beside times."""
    plain = plain_type(leaf)
    if _arrow.is_temporal(plain):
        times = [iso_scalar(value, plain, "is_in") if isinstance(value, str) else None for value in values]
        return [value if time is None else time.as_py() for value, time in zip(values, times, strict=True)]
    values = [value for value in values if not isinstance(value, Decimal) or not value.is_finite() or _is_decimal_of_arrow(value)]
    has_floats = any(isinstance(value, (float, np.floating)) for value in values)
    if has_floats:  # pyarrow refuses decimals beside floats
        values = [float(value) if isinstance(value, Decimal) else value for value in values]
    if pt.is_integer(plain):
        held = [value for value in values if type(value) is not int or _holds(plain, value)]
        return _with_exact_ints(held) if any(type(value) is float for value in held) else held
    if pt.is_decimal(plain):
        held = [value for value in values if type(value) is not int or _holds(plain, value)]
        return held if has_floats else [Decimal(int(value)) if is_int(value) else value for value in held]
    if pt.is_boolean(plain) or pt.is_null(plain):
        return [value for value in values if type(value) is not int or _holds(pa.int64(), value)]
    if not pt.is_floating(plain):
        return list(values)
    if not pt.is_float64(plain):
        with np.errstate(over="ignore"):  # as in comparisons, Python's floats take the type of the leaves
            near = np.dtype(numpy_dtype(plain)).type
            values = [float(near(value)) if type(value) is float else value for value in values]
    return _with_exact_ints(values)


def _with_exact_ints(values: Iterable[Any]) -> list[Any]:
    """Replace the ints that float64 can't hold exactly by the nearest float, and those beyond its range by None."""
    return [_nearest_float(value) if type(value) is int and abs(value) > 2**53 else value for value in values]


def _nearest_float(value: int) -> float | None:
    """Round an int to float; None if it exceeds the range of floats."""
    try:
        return float(value)
    except OverflowError:
        return None


def bound_like(value: float, leaf: pa.DataType, *, is_lower: bool) -> pa.Scalar | None:
    """Convert a bound of `clip` to a scalar of the leaf type; None for a number beyond the type's range, which limits nothing.

    Raises
    ------
    JagRangeError
        If the bound would replace all items by a number that does not fit their type.
    """
    plain = plain_type(leaf)
    if type(value) is int and (pt.is_integer(plain) or pt.is_decimal(plain)):
        fits = _holds(plain, value)
    else:
        fits = not _exceeds(value, plain)
    if fits:
        return scalar_like(value, leaf, "clip")
    if (value < 0) == is_lower:
        return None
    raise JagRangeError(f"clip: the bound {brief(value)} does not fit {plain}. Cast the items to a wider type first.")


def _time_scalar(value: datetime | timedelta) -> pa.Scalar:
    """Convert a time, with nanoseconds if it is a pandas object that holds them: pyarrow would truncate them."""
    plain = pa.scalar(value)
    if getattr(value, "nanosecond", 0):
        return pa.scalar(value, pa.timestamp("ns", plain.type.tz))
    return pa.scalar(value, pa.duration("ns")) if getattr(value, "nanoseconds", 0) else plain


def _numpy_time(value: np.datetime64 | np.timedelta64, leaf: pa.DataType | None) -> pa.Scalar:
    """Convert a time of numpy. Arrow has fewer units: days and longer are dates beside dates, seconds beside anything else.

    Raises
    ------
    ValueError
        If the unit has no length in seconds, or is shorter than a nanosecond.
    OverflowError
        If 64 bits of seconds do not hold the time.
    """
    is_moment, unit = isinstance(value, np.datetime64), np.datetime_data(value.dtype)[0]
    if np.isnat(value):
        return pa.scalar(None, pa.timestamp("us") if is_moment else pa.duration("us"))
    if unit in ("ps", "fs", "as", "generic") or (unit in "YM" and not is_moment):
        raise ValueError(unit)
    if is_moment and unit in "YMWD" and leaf is not None and pt.is_date(leaf):
        return pa.scalar(int(value.astype("M8[D]").astype(np.int64)), pa.int32()).cast(pa.date32())
    wanted = unit if unit in TICKS else "s"
    if not fits_unit(value, wanted):
        raise OverflowError(wanted)
    stored = value.astype(f"{value.dtype.kind}8[{wanted}]")
    return pa.array(stored[None])[0]


def _int_scalar(value: int) -> pa.Scalar:
    return pa.scalar(value, pa.uint64() if 2**63 <= value < 2**64 else pa.int64())


def _decimal_scalar(value: int, leaf: pa.DataType) -> pa.Scalar:
    """Convert an int to the decimal leaf type if it fits, else to a decimal with its own number of digits."""
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
    """Round a number to the leaf type; raises OverflowError if that makes it infinite."""
    if value is None:
        return pa.scalar(None, leaf)
    if type(value) in (int, float) and (pt.is_float64(leaf) or (pt.is_float32(leaf) and abs(value) < 2**53)):
        return pa.scalar(float(value), leaf)  # a single rounding, and the result is finite
    with np.errstate(over="ignore"):
        rounded = np.dtype(numpy_dtype(leaf)).type(value)
    if np.isinf(rounded) and not math.isinf(value):
        raise OverflowError("it would become infinite. Cast the items to a wider type first.")
    return pa.scalar(rounded, leaf)
