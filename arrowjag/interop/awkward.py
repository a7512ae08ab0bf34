"""awkward: arrays of any depth, records and strings, in both directions.

Values and 64-bit offsets are shared in both directions; awkward keeps nulls as bits or as an index, and packs
layouts that Arrow can't represent (views of lists in any order, indexed layouts).
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._ops import elementwise, structure
from arrowjag.creation import from_arrow
from arrowjag.errors import JagTypeError
from arrowjag.interop import _parts
from arrowjag.io._schemas import conform

__all__ = ["from_awkward", "to_awkward"]


@check_arguments
def to_awkward(x: Any) -> Any:
    """Convert a jagged array to an awkward array.

    Parameters
    ----------
    x : JaggedArray
        An array of one dim or more. Structs become records, dims with a declared extent become regular dims.

    Returns
    -------
    ak.Array
        Nulls of every level become None. Values and offsets are shared if awkward has the type. Maps inside structs become lists
        of records of key and value.

    Raises
    ------
    JagTypeError
        If awkward has no such leaf type, or no such type of a field of structs: decimals, times of day, times with a zone.
    ShapeError
        If the array has no dims.
    MissingDependencyError
        If awkward is not installed.
    """
    array = array_of(x)
    structure.check_rows(array.ndim, "to_awkward")
    awkward = _parts.load("awkward", "to_awkward")
    try:
        return awkward.from_arrow(_rebased(array, _type_for(array.type)).to_arrow(extension=False))
    except JagTypeError:
        raise
    except (TypeError, NotImplementedError, ValueError, KeyError, OverflowError) as error:
        raise JagTypeError.no_kernel("to_awkward", array.type, hint=f"({error})") from None


def _type_for(type: pa.DataType) -> pa.DataType:
    """Return the type of leaves, or of fields inside them, that awkward reads as the same values; raise if it has none.

    Categories get 64-bit indices: awkward lacks kernels for narrow and unsigned indices. It has no views of text and no maps, and
    reads days as times if they are counted in milliseconds.
    """
    is_zoned = pt.is_timestamp(type) and type.tz is not None
    if pt.is_decimal(type) or pt.is_interval(type) or pt.is_time(type) or is_zoned:
        raise JagTypeError.no_kernel("to_awkward", type, hint="awkward would lose part of it: cast first.")
    if pt.is_dictionary(type):
        return pa.dictionary(pa.int64(), _type_for(type.value_type), type.ordered)
    if pt.is_struct(type):
        return pa.struct([field.with_type(_type_for(field.type)) for field in type])
    if pt.is_map(type):
        return pa.large_list(pa.struct([("key", _type_for(type.key_type)), ("value", _type_for(type.item_type))]))
    if _arrow.is_list_type(type):
        return _arrow.list_like(type, _type_for(type.value_type))
    others = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary(), pa.date64(): pa.date32()}
    return others.get(type, type)


def _rebased(array: JaggedArray, type: pa.DataType) -> JaggedArray:
    """Return the array with another type and values that begin where their buffers do.

    Awkward (2.14) reads the nulls of a slice from wrong bits, and raises errors for categories without any, and for the buffers
    that Arrow makes for no rows of structs.
    """
    values = array.values
    if not len(values) and pt.is_struct(type):
        values = pa.array([], type)
    if values.type != type:
        values = conform(values, type)
    values = _with_a_category(values)
    if values is not array.values:
        array = JaggedArray(array.shape, values)
    if not _is_slice(values) or (_arrow.is_numeric(values.type) and values.buffers()[0] is None):
        return array
    return JaggedArray(array.shape, pa.concat_arrays([values, values.slice(0, 0)]))


def _with_a_category(values: pa.Array) -> pa.Array:
    """Return categories, also in fields, with one that no item has, if there are none; other values are returned unchanged."""
    type = values.type
    if pt.is_struct(type):
        fields = values.flatten()
        made = list(map(_with_a_category, fields))
        if all(one is two for one, two in zip(made, fields, strict=True)):
            return values
        return pa.StructArray.from_arrays(made, fields=list(type), mask=values.is_null())
    if not pt.is_dictionary(type) or len(values.dictionary):
        return values
    is_text = elementwise.is_text(type.value_type) or elementwise.is_bytes(type.value_type)
    category = pa.array([b"" if is_text else 0]).cast(type.value_type)
    return pa.DictionaryArray.from_arrays(values.indices, category, ordered=type.ordered)


def _is_slice(values: pa.Array) -> bool:
    """Return whether values, or fields or items inside them, begin later than their buffers."""
    type = values.type
    if pt.is_struct(type):
        return values.offset != 0 or any(_is_slice(values.field(place)) for place in range(type.num_fields))
    return values.offset != 0 or (_arrow.is_list_type(type) and _is_slice(values.values))


@check_arguments
def from_awkward(data: Any, ndim: int | None = None) -> JaggedArray:
    """Convert an awkward array to a jagged array.

    Parameters
    ----------
    data : ak.Array
        Regular dims become dims with a declared extent; None at any level becomes null. Categories become dictionaries without
        an order, because awkward has none.
    ndim : int, optional
        Number of dims; by default every list is one.

    Returns
    -------
    JaggedArray
        Values and 64-bit offsets are shared where awkward holds them in one piece.

    Raises
    ------
    JagTypeError
        If the array has parts that Arrow has no type for.
    ShapeError
        If there are fewer levels than `ndim`.
    MissingDependencyError
        If awkward is not installed.
    """
    awkward = _parts.load("awkward", "from_awkward")
    _parts.expect(data, ("layout", "to_list"), "from_awkward", "an ak.Array; arrowjag.array converts lists and other arrays")
    try:
        options = {"list_to32": False, "string_to32": False, "bytestring_to32": False, "categorical_as_dictionary": True}
        found = awkward.to_arrow(data, extensionarray=False, **options)
    except (TypeError, ValueError, NotImplementedError) as error:
        raise JagTypeError(f"from_awkward: Arrow can't hold {getattr(data, 'type', type(data))}: {error}") from None
    return from_arrow(found, ndim)
