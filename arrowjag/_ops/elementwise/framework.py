"""Apply functions of flat values to operands that are broadcast by the prefix rule."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.base.capacity import with_room
from arrowjag._kernels.base.words import bits_of_valid, both_valid
from arrowjag._kernels.elementwise.casts import fits_part
from arrowjag._kernels.elementwise.decimals import to_doubles, to_integers
from arrowjag._kernels.elementwise.number_casts import cast_numbers, holds_infinities, integers_held
from arrowjag._ops import structure
from arrowjag._ops.cursor import row_of_item
from arrowjag._ops.elementwise.types import is_bytes, is_text, plain_type, refuse_other_fields
from arrowjag._ops.zones import as_counts, wall_of
from arrowjag._pyarrow_versions import if_else, numpy_dtype
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.typing import BoolArray

__all__ = [
    "Datum",
    "Operand",
    "apply",
    "as_float",
    "bits_of",
    "both_valid",
    "cast_chosen",
    "cast_datum",
    "cast_parts",
    "cast_plain",
    "castable",
    "columns_of",
    "datum_to_numpy",
    "decoded",
    "flat_data",
    "half_to_single",
    "has_parts_of",
    "in_first_row",
    "in_one_zone",
    "refuse_lost_parts",
    "retyped",
    "row_of",
    "single_to_half",
    "sized",
    "validity_of",
    "with_data",
]


Operand: TypeAlias = "Column | pa.Scalar"
Datum: TypeAlias = "pa.Array | pa.Scalar"


def columns_of(operands: Sequence[Operand]) -> list[Column]:
    """Return the operands that are columns."""
    return [operand for operand in operands if isinstance(operand, Column)]


def apply(function: Callable[..., Any], operands: Sequence[Operand], operation: str) -> Column:
    """Align the columns among the operands and call a function on their flat values.

    Parameters
    ----------
    function : callable
        From one datum per operand (an array of the common size, or a scalar) to an array of that size.
    operands : sequence of Column or pa.Scalar
        At least one column.
    operation : str
        The public name, for errors.

    Returns
    -------
    Column
        Of the common shape.
    """
    aligned = iter(structure.align(columns_of(operands), operation))
    data: list[Any] = []
    column = None
    for operand in operands:
        if isinstance(operand, Column):
            column = next(aligned)
            data.append(column.values)
        else:
            data.append(operand)
    assert column is not None
    shape = column.shape
    try:
        result = _called(function, data)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:  # pyarrow raises either for a missing kernel
        types = [datum.type for datum in data if isinstance(datum, (pa.Array, pa.Scalar))]
        raise JagTypeError.no_kernel(operation, *types, hint=f"({error})") from None
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        named = _named(str(error), data, column)
        if named is not None:
            raise JagValueError(f"{operation}: {named}") from None
        raise in_first_row(function, data, column, error, operation) from None
    except (JagValueError, JagOverflowError) as error:
        raise in_first_row(function, data, column, error, operation) from error.__cause__
    if isinstance(result, pa.Scalar):
        result = pa.repeat(result, shape.size)
    return Column(shape, _arrow.combine_chunks(result))


_OUT_OF_RANGE = re.compile(r"Integer value (-?\d+) not in range: (-?\d+) to (-?\d+)")
_FLOATS = {2**53: "float64", 2**24: "float32", 2**11: "float16"}
"""The float types by the number up to which they hold all integers."""


def _called(function: Callable[..., Any], data: Sequence[Any]) -> Any:
    """Call a function; where pyarrow refuses to cast large integers to the floats beside them, cast those that fit exactly."""
    try:
        return with_room(function, *data)
    except pa.ArrowInvalid as error:
        found = _OUT_OF_RANGE.fullmatch(str(error))
        name = None if found is None else _FLOATS.get(int(found[3]))
        if name is None:
            raise
    held = [cast_plain(one, pa.type_for_alias(name)) if _is_integers(one) else one for one in data]
    return with_room(function, *held)


def _is_integers(datum: Any) -> bool:
    return isinstance(datum, (pa.Array, pa.Scalar)) and bool(pt.is_integer(datum.type))


def _named(message: str, data: Sequence[Any], column: Column) -> str | None:
    """Return the text for an integer or a time that the type of the result can't hold: where, and what to do; None for others."""
    if (time := _OUT_OF_BOUNDS.match(message)) is not None:
        return _named_time(time, data, column)
    found = _OUT_OF_RANGE.fullmatch(message)
    if found is None:
        return None
    value, least, greatest = map(int, found.groups())
    float_type = _FLOATS.get(greatest)
    advice = f'cast("{float_type}", safe=False) rounds them' if float_type else "cast to a wider type first"
    held = f"which {float_type} does not hold exactly, as it does all integers" if float_type else "and its type holds integers"
    return f"{_place_of(value, data, column)}, {held} from {least} to {greatest}{'' if float_type else ' only'}; {advice}"


_OUT_OF_BOUNDS = re.compile(r"Casting from (.+) to (.+) would result in out of bounds timestamp: (-?\d+)")


def _named_time(found: re.Match[str], data: Sequence[Any], column: Column) -> str:
    """Return the text for a time that the finer unit of the result can't hold: where it is, and what to do."""
    own, wanted, count = found.groups()
    for datum in data:
        if str(datum.type) != own:
            continue
        counts = datum.cast(pa.int32() if pt.is_date32(datum.type) else pa.int64())
        item = pc.index(counts, pa.scalar(int(count), counts.type)).as_py() if isinstance(counts, pa.Array) else None
        if item == -1:
            continue
        place = "the time is" if item is None else f"{row_of(column, item)} holds"
        text = count if pt.is_duration(datum.type) else (datum if item is None else datum[item]).cast(pa.string())
        return f"{place} {text} of {own}, which {wanted} does not hold; cast the finer times to {own} first"
    return found.string


def _place_of(value: int, data: Sequence[Any], column: Column) -> str:
    """Return which operand holds a number, or that it is a result, for a message."""
    for datum in data:
        limits = np.iinfo(numpy_dtype(datum.type)) if pt.is_integer(datum.type) else None
        if limits is None or not limits.min <= value <= limits.max:
            continue
        if isinstance(datum, pa.Scalar):
            if datum.as_py() == value:
                return f"the number is {value}"
        elif (item := pc.index(datum, pa.scalar(value, datum.type)).as_py()) >= 0:
            return f"{row_of(column, item)} holds {value}"
    return f"a result is {value}"


E = TypeVar("E", bound=Exception)


def in_first_row(
    function: Callable[..., Any], data: Sequence[Any], column: Column, error: Exception, operation: str
) -> JagValueError | JagOverflowError:
    """Return the error of a function of flat values, with the row of the first item that it refuses.

    Parameters
    ----------
    function : callable
        Computes each item of its result from the same items of the data.
    data : sequence of pa.Array, pa.Scalar or other values
        The operands of the call that raised the error.
    column : Column
        Of the shape of the result.
    error : Exception
        The error of pyarrow, which becomes a `JagValueError`, or of arrowjag.
    operation : str
        The public name.

    Returns
    -------
    JagError
        To be raised by the caller; without a row if it is about an argument, or about all items together.

    Notes
    -----
    Functions of flat values need not know shapes, nor look for the item: they are called again on ever shorter parts of the data.
    """
    item, refusal = _first_refused(function, data, error) if column.ndim else (None, error)
    text = " ".join(str(refusal).removeprefix(f"{operation}: ").split())
    where = "" if item is None else f"in {row_of(column, item)}, "
    kind = type(refusal) if isinstance(refusal, (JagValueError, JagOverflowError)) else JagValueError
    return refusal if isinstance(refusal, kind) and not where else kind(f"{operation}: {where}{text}")


def _first_refused(function: Callable[..., Any], data: Sequence[Any], error: E) -> tuple[int | None, E]:
    """Return the position of the first item that a function refuses, and its error; that of all items may be for another one.

    The position is None if the function raises the error for no items, too, or for a null, or for no item alone.
    """

    def refused(parts: Sequence[Any]) -> E | None:
        try:
            function(*parts)
        except type(error) as found:
            return found
        return None

    def refusal(first: int, n: int) -> E | None:
        return refused([one.slice(first, n) if isinstance(one, pa.Array) else one for one in data])

    first, count = 0, next((len(one) for one in data if isinstance(one, pa.Array)), 0)
    try:
        if refusal(0, 0) or refused([pa.nulls(1, one.type) if isinstance(one, pa.Array) else one for one in data]):
            return None, error
        while count:
            half = (count + 1) // 2
            found = refusal(first, half)
            if found is None:
                first, count = first + half, count - half
            elif half == 1:
                return first, found
            else:
                count = half
    except Exception:  # noqa: BLE001 - the function takes no parts of the data
        return None, error
    return None, error


def row_of(column: Column, item: int) -> str:
    """Name the row that holds an item, in an error message."""
    return row_of_item(column.shape, item)


def cast_datum(datum: Datum, type: pa.DataType) -> Datum:
    """Cast safely to a type; returns the same object if the type is equal."""
    if datum.type == type:
        return datum
    if pt.is_dictionary(datum.type):
        if isinstance(datum, pa.Array) and pt.is_dictionary(type) and datum.type.ordered and type.ordered:
            return retyped(datum, type)
        datum = decoded(datum)
    if isinstance(datum, pa.Array) and has_parts_of(datum.type, type):
        return cast_parts(datum, type, cast_datum)
    return cast_plain(castable(datum, type), type)


def has_parts_of(own: pa.DataType, type: pa.DataType) -> bool:
    """Return whether nested values can be cast part by part: lists, and structs with a name in common.

    Names of fields must be unique, and each field may be null. Structs that share no name raise `JagTypeError`.
    """
    if _arrow.is_list_type(own) and _arrow.is_list_type(type):
        return bool(own.value_type != type.value_type)
    if not (pt.is_struct(own) and pt.is_struct(type)):
        return False
    refuse_other_fields(own, type)
    ours, theirs = {field.name for field in own}, {field.name for field in type}
    unique = len(ours) == own.num_fields and len(theirs) == type.num_fields
    return unique and not ours.isdisjoint(theirs) and all(field.nullable for field in type)


def cast_parts(values: pa.Array, type: pa.DataType, cast: Callable[[pa.Array, pa.DataType], pa.Array]) -> pa.Array:
    """Cast the items of lists, or the fields of structs, by a function.

    Fields are matched by name: one that is missing is null, and others are left out, as Arrow does.
    """
    if pt.is_struct(type):
        return _cast_fields(values, type, cast)
    level, items = _arrow.peel_level(values)
    return _arrow.wrap([level], cast(items, type.value_type)).cast(type)


def _cast_fields(structs: pa.Array, type: pa.StructType, cast: Callable[[pa.Array, pa.DataType], pa.Array]) -> pa.Array:
    fields = []
    for wanted in type:
        place = structs.type.get_field_index(wanted.name)
        field = pa.nulls(len(structs), wanted.type) if place < 0 else _arrow.field_of(structs, place)
        fields.append(field if field.type == wanted.type else cast(field, wanted.type))
    return _arrow.structs(fields, list(type), _arrow.valid_of(structs))


def cast_plain(datum: Datum, type: pa.DataType, safe: bool = True) -> Datum:
    """Cast as Arrow does, by a faster cast where there is one, and raise where Arrow's cast loses more than digits of a float.

    Decimals become floats by way of the nearest float64.

    Raises
    ------
    pa.ArrowInvalid
        If a value does not fit and `safe` is True; also if it is False, where no value of the type is like it: for decimals with
        more digits than their type, and bytes that are no UTF-8.
    """
    own = datum.type
    if safe and pt.is_timestamp(own) and (pt.is_date(type) or pt.is_time(type)):
        refuse_lost_parts(datum, type)
    if pt.is_decimal(type) and (pt.is_decimal(own) or pt.is_integer(own)):
        return _to_decimal(datum, type, safe)
    if not safe and is_bytes(own) and is_text(plain_type(type)):
        safe = True
    if safe and pt.is_integer(own) and pt.is_floating(type):
        return _to_float(datum, type)
    if pt.is_decimal(own) and pt.is_floating(type) and (isinstance(datum, pa.Array) or datum.is_valid):
        doubles = to_doubles(datum) if isinstance(datum, pa.Array) else to_doubles(pa.repeat(datum, 1))[0]
        return doubles if pt.is_float64(type) else cast_plain(doubles, type, safe)
    if safe and pt.is_decimal(own) and pt.is_integer(type) and isinstance(datum, pa.Array):
        found = to_integers(datum, type)
    else:
        found = cast_numbers(datum, type, safe) if isinstance(datum, pa.Array) else None
    if found is not None and not pt.is_float16(type):
        return found
    found = datum.cast(type, safe=safe) if found is None else found
    if safe and pt.is_floating(type):
        _refuse_overflow(datum, found)
    return found


def _to_float(datum: Datum, type: pa.DataType) -> Datum:
    """Cast integers that floats hold exactly. Arrow refuses some of them to float32 and float64, and none to float16."""
    found = cast_numbers(datum, type) if isinstance(datum, pa.Array) else None
    if found is not None:
        return found
    if not pt.is_float16(type):
        with contextlib.suppress(pa.ArrowInvalid):
            return datum.cast(type)
    values = datum if isinstance(datum, pa.Array) else pa.array([datum.as_py()], datum.type)
    lost = ~integers_held(values, type)
    if np.count_nonzero(lost):
        most = next(bound for bound, name in _FLOATS.items() if pa.type_for_alias(name) == type)
        raise pa.ArrowInvalid(f"Integer value {values[int(lost.argmax())]} not in range: {-most} to {most}")
    rounded = datum.cast(pa.float32() if pt.is_float16(type) else type, safe=False)
    return single_to_half(rounded) if pt.is_float16(type) else rounded


def _to_decimal(datum: Datum, type: pa.DataType, safe: bool) -> Datum:
    """Cast decimals and integers to decimals: Arrow checks those of 32 and 64 bits after it has cut off the higher bits."""
    if type.bit_width >= 128:
        found = datum.cast(type, safe=safe)
        if not safe:
            found.validate(full=True)
        return found
    return _to_decimal(datum, pa.decimal128(type.precision, type.scale), safe).cast(type)


def _refuse_overflow(datum: Datum, found: Datum) -> None:
    """Raise if a finite number, or text of one, became infinite."""
    own = datum.type
    if not (is_text(own) or is_bytes(own) or (pt.is_floating(own) and own.bit_width > found.type.bit_width)):
        return
    if isinstance(found, pa.Array) and not holds_infinities(found):
        return
    infinite = pc.is_inf(half_to_single(found))
    if pt.is_floating(own):
        lost = pc.and_(infinite, pc.is_finite(datum))
    else:
        lost = pc.and_(infinite, pc.invert(pc.match_substring(datum, "inf", ignore_case=True)))
    if pc.any(lost).as_py():
        raise pa.ArrowInvalid(f"a finite number would become infinite in {found.type}")


def refuse_lost_parts(datum: Datum, type: pa.DataType) -> None:
    """Raise for timestamps that a date or a time of day does not hold: Arrow drops the other part of them."""
    times = datum if isinstance(datum, pa.Array) else pa.repeat(datum, 1) if datum.is_valid else pa.nulls(0, datum.type)
    if not fits_part(as_counts(wall_of(times, "cast"))[0], times.type, type).all():
        raise pa.ArrowInvalid(f"timestamps would lose their {'time of day' if pt.is_date(type) else 'date'} in {type}")


def cast_chosen(datum: Datum, type: pa.DataType, chosen: Callable[[], Datum]) -> Datum:
    """Cast as `cast_datum`, but values that are not chosen need not fit the type; they become null where one of them doesn't."""
    try:
        return cast_datum(datum, type)
    except pa.ArrowInvalid:  # the year 9999 doesn't fit nanoseconds
        if pt.is_nested(type):
            raise
        if isinstance(datum, pa.Array):
            plain = decoded(datum)
            return cast_datum(if_else(chosen(), plain, pa.scalar(None, plain.type)), type)
        if pc.any(chosen()).as_py():
            raise
        return pa.scalar(None, type)


def retyped(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast index and values of an ordered dictionary, keeping the order."""
    return pa.DictionaryArray.from_arrays(
        values.indices.cast(type.index_type), values.dictionary.cast(type.value_type), ordered=True
    )


def castable(datum: Datum, type: pa.DataType) -> Datum:
    """Cast booleans to another type where pyarrow lacks the direct cast, to float16 and decimals; make structs safe to cast."""
    if pt.is_struct(datum.type) and isinstance(datum, pa.Array):
        return _arrow.with_buffers(datum)
    if pt.is_boolean(datum.type) and (pt.is_float16(type) or pt.is_decimal(type)):
        return datum.cast(pa.float32() if pt.is_float16(type) else pa.int8())
    return datum


def decoded(datum: Datum) -> Datum:
    """Decode dictionaries and string or binary views, which few kernels support."""
    type = datum.type
    if pt.is_dictionary(type):
        return decoded(_arrow.plain(datum) if isinstance(datum, pa.Array) else _dictionary_value(datum))
    if pt.is_string_view(type):
        return datum.cast(pa.large_string())
    return datum.cast(pa.large_binary()) if pt.is_binary_view(type) else datum


def _dictionary_value(scalar: pa.Scalar) -> pa.Scalar:
    """Return the value of a dictionary scalar."""
    return scalar.value if scalar.is_valid else pa.scalar(None, scalar.type.value_type)


def in_one_zone(one: Datum, two: Datum) -> tuple[Datum, Datum]:
    """Give instants of another zone that of the first, in structs too: Arrow compares two zones only if the units are the same."""
    if one.type == two.type:
        return one, two
    own, other = plain_type(one.type), plain_type(two.type)
    type = _in_zones_of(own, other)
    return (one, two) if type == other else (decoded(one), cast_datum(decoded(two), type))


def _in_zones_of(own: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return the second type with the zones of the first."""
    if pt.is_timestamp(own) and pt.is_timestamp(other) and own.tz and other.tz and own.tz != other.tz:
        return pa.timestamp(other.unit, own.tz)
    if not (pt.is_struct(own) and pt.is_struct(other) and [f.name for f in own] == [f.name for f in other]):
        return other
    return pa.struct([b.with_type(_in_zones_of(a.type, b.type)) for a, b in zip(own, other, strict=True)])


def half_to_single(datum: Datum) -> Datum:
    return cast_plain(datum, pa.float32()) if pt.is_float16(datum.type) else datum


def single_to_half(datum: Datum) -> Datum:
    return cast_plain(datum, pa.float16(), safe=False)


def in_single_precision(function: Callable[..., Datum], *operands: Datum) -> Datum:
    """Call a function with float32 in place of float16, and round its result to float16; numpy computes float16 in this way."""
    return single_to_half(function(*map(half_to_single, operands)))


def as_float(datum: Datum, type: pa.DataType) -> Datum:
    return datum if datum.type == type else cast_plain(castable(datum, type), type, safe=False)


def datum_to_numpy(datum: Datum) -> tuple[Any, Any]:
    if isinstance(datum, pa.Scalar):
        array = pa.repeat(datum, 1) if datum.is_valid else pa.nulls(1, datum.type)
        return _arrow.to_numpy(array)
    return _arrow.to_numpy(datum)


def sized(data: npt.NDArray[Any], valid: BoolArray | None, type: pa.DataType | None = None) -> pa.Array:
    if valid is not None and len(valid) != len(data):
        valid = np.broadcast_to(valid, data.shape)
    return _arrow.from_numpy(np.ascontiguousarray(data), valid, type)


def flat_data(array: pa.Array) -> npt.NDArray[Any]:
    """View the data buffer of an array, values under nulls included."""
    dtype = np.dtype(numpy_dtype(array.type))
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype, len(array), array.offset * dtype.itemsize)


def with_data(array: pa.Array, data: npt.NDArray[Any], type: pa.DataType | None = None) -> pa.Array:
    """Combine new data with the validity of an array; the bitmap is shared if the array has no offset."""
    type = array.type if type is None else type
    if not array.null_count:
        return pa.Array.from_buffers(type, len(array), [None, pa.py_buffer(data)], 0)
    return pa.Array.from_buffers(type, len(array), [validity_of(array), pa.py_buffer(data)], array.null_count)


def validity_of(array: pa.Array) -> pa.Buffer:
    """Return the validity bitmap of an array that has nulls, beginning at its first value; shared if the array has no offset."""
    return pa.py_buffer(bits_of_valid(array)) if array.offset else array.buffers()[0]


def bits_of(flags: pa.Array) -> pa.Buffer:
    """Return a bitmap that begins at the first flag; shared if the array has no offset."""
    if flags.offset == 0:
        return flags.buffers()[1]
    return pa.py_buffer(np.packbits(flags.to_numpy(zero_copy_only=False), bitorder="little"))
