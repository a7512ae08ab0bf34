"""Concatenate arrays, also those that pyarrow can't concatenate."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._arrow.levels import split_levels, wrap
from arrowjag._arrow.order import shared_categories
from arrowjag._arrow.types import is_list_type, list_like
from arrowjag._gate import canonical_layout, secure
from arrowjag._kernels.base.capacity import widen, widened
from arrowjag._kernels.base.words import nulls_like
from arrowjag._kernels.move.join import concatenate
from arrowjag.typing import ArrowData

__all__ = ["combine_chunks", "join", "with_buffers"]


def combine_chunks(data: ArrowData) -> pa.Array:
    """Return one contiguous array; a single chunk is returned without a copy (`combine_chunks` of pyarrow would copy it)."""
    if not isinstance(data, pa.ChunkedArray):
        return data
    if data.num_chunks == 0:
        return pa.nulls(0, data.type)
    return join(data.chunks)


def join(arrays: list[pa.Array]) -> pa.Array:
    """Concatenate at least one array of one type; a single array is returned unchanged."""
    if pt.is_dictionary(arrays[0].type):
        arrays = _with_dictionary(arrays)
    # Arrays without items may lack buffers; pyarrow crashes when it concatenates them.
    filled = [array for array in arrays if len(array)] or arrays[:1]
    if len(filled) == 1:
        return filled[0]
    return concatenate(filled) if pt.is_primitive(filled[0].type) else _concat(filled)


def _with_dictionary(arrays: list[pa.Array]) -> list[pa.Array]:
    """Give the dictionary of another array to those whose dictionary is empty, so that ordered categories stay known."""
    named = next((array for array in arrays if len(array.dictionary)), None)
    if named is None:
        return arrays
    return [array if len(array.dictionary) else nulls_like(named, len(array)) for array in arrays]


def _concat(chunks: list[pa.Array]) -> pa.Array:
    """Concatenate.

    Lists that pyarrow can't concatenate (too many items for 32 bits, views, no width) are normalised, text of more
    than 2 GB becomes `large_string`, and dictionaries with more values than their index type can count get a wider index.
    """
    chunks = [with_buffers(chunk) for chunk in chunks]
    _check_orders(chunks)
    type = chunks[0].type
    single = _with_single_precision(type)
    if single != type:  # pyarrow unites dictionaries of halves to other numbers
        return _retyped(_concat([_retyped(chunk, single) for chunk in chunks]), type)
    try:
        return pa.concat_arrays(chunks)
    except (pa.ArrowInvalid, pa.ArrowIndexError):
        if is_list_type(chunks[0].type):
            chunks = [wrap(*split_levels(canonical_layout(secure(chunk, "the column")))) for chunk in chunks]
    while True:
        try:
            return pa.concat_arrays(chunks)
        except pa.ArrowInvalid as error:
            by_index = "larger index type" in str(error)
            wide = widened(chunks[0].type, _wider_index) if by_index else widened(chunks[0].type)
            if wide == chunks[0].type:
                raise
        chunks = [chunk.cast(wide) if by_index else widen(chunk) for chunk in chunks]


def _with_single_precision(type: pa.DataType) -> pa.DataType:
    """Return the type with float32 for float16 in its dictionaries."""
    if pt.is_dictionary(type):
        return pa.dictionary(type.index_type, pa.float32(), type.ordered) if pt.is_float16(type.value_type) else type
    if pt.is_struct(type):
        return pa.struct([field.with_type(_with_single_precision(field.type)) for field in type])
    if pt.is_list(type) or pt.is_large_list(type) or pt.is_fixed_size_list(type):
        return list_like(type, _with_single_precision(type.value_type))
    return type


def _retyped(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast the values of dictionaries at any level."""
    if array.type == type:
        return array
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(type.value_type), ordered=type.ordered)
    if pt.is_struct(type):
        fields = [_retyped(array.field(place), type.field(place).type) for place in range(type.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(type), mask=array.is_null())
    items = [_retyped(array.values, type.value_type)]
    return pa.Array.from_buffers(type, len(array), array.buffers()[: type.num_buffers], array.null_count, array.offset, items)


def _wider_index(type: pa.DataType) -> pa.DataType:
    if not pt.is_dictionary(type):
        return type
    return pa.dictionary(pa.int32() if type.index_type.bit_width < 32 else pa.int64(), type.value_type, type.ordered)


def with_buffers(array: pa.Array) -> pa.Array:
    """Return the array with its empty children and its fields of nulls created anew.

    Empty children may lack buffers, and pyarrow crashes when it concatenates those. Where a slice of a struct has a field of nulls,
    pyarrow doesn't concatenate it, and a cast makes an array that crashes when the field is read.
    """
    type = array.type
    if len(array) and pt.is_primitive(type):
        return array
    if len(array) == 0:
        return pa.nulls(0, type)  # pa.array([]) can't make dictionaries of views, which polars' categories are
    if isinstance(type, pa.BaseExtensionType):
        storage = array.storage
        whole_storage = with_buffers(storage)
        return array if whole_storage is storage else pa.ExtensionArray.from_storage(type, whole_storage)
    if pt.is_struct(type):
        fields = [array.field(place) for place in range(type.num_fields)]
        whole = [pa.nulls(len(array)) if pt.is_null(field.type) else with_buffers(field) for field in fields]
        same = all(one is two for one, two in zip(fields, whole, strict=True))
        return array if same else pa.StructArray.from_arrays(whole, fields=list(type), mask=array.is_null())
    if is_list_type(type) or pt.is_map(type):
        items = array.values
        whole_items = with_buffers(items)
        if whole_items is items:
            return array
        return pa.Array.from_buffers(
            type, len(array), array.buffers()[: type.num_buffers], array.null_count, array.offset, [whole_items]
        )
    return array


def _check_orders(arrays: list[pa.Array]) -> None:
    """Raise if ordered dictionaries differ: pyarrow would append the categories of one to those of the other."""
    type = arrays[0].type
    if pt.is_dictionary(type) and type.ordered:
        shared_categories([array.dictionary for array in arrays], "joining arrays")
    elif pt.is_struct(type):
        for place in range(type.num_fields):
            _check_orders([array.field(place) for array in arrays])
    elif is_list_type(type) or pt.is_map(type):
        _check_orders([array.values for array in arrays])
    elif isinstance(type, pa.BaseExtensionType):
        _check_orders([array.storage for array in arrays])
