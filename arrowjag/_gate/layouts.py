"""Rewrite valid layouts that kernels or other libraries can't read: runs, views, null values of dictionaries."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._gate.buffers import read_offsets, read_validity, read_views, validity_bits
from arrowjag._gate.types import VIEWS, WIDE, inside, list_like
from arrowjag._kernels.base.offsets import from_counts
from arrowjag._kernels.base.words import pack_bits
from arrowjag._kernels.move import gather
from arrowjag._pyarrow_versions import run_end_decode
from arrowjag.typing import BoolArray

__all__ = [
    "canonical_column",
    "canonical_layout",
    "with_child",
    "with_empty_views",
    "with_nulls_of_parent",
    "without_null_dictionary_values",
    "without_rows",
]


def with_child(array: pa.Array, child: pa.Array, first: int) -> pa.Array:
    """Return a list array with another child, which begins with item `first` of its own; offsets are shared if `first` is 0."""
    type, n = array.type, len(array)
    own = array.buffers()[: type.num_buffers]
    if first == 0:
        return pa.Array.from_buffers(type, n, own, array.null_count, array.offset, [child])
    valid = validity_bits(array)
    if pt.is_fixed_size_list(type):
        return pa.Array.from_buffers(type, n, [valid], children=[child])
    offsets = read_offsets(array, "", check=False) - first
    stored = offsets if type.id in WIDE else offsets.astype(np.int32)
    return pa.Array.from_buffers(type, n, [valid, pa.py_buffer(stored)], children=[child])


def without_rows(type: pa.DataType) -> pa.Array:
    """Return an empty array. For run-end encoding below lists, `pa.nulls` would create a validity that Arrow rejects."""
    if pt.is_run_end_encoded(type):
        return pa.RunEndEncodedArray.from_arrays(pa.nulls(0, type.run_end_type), without_rows(type.value_type))
    if isinstance(type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type, without_rows(type.storage_type))
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(pa.nulls(0, type.index_type), without_rows(type.value_type), ordered=type.ordered)
    if not pt.is_nested(type) or pt.is_union(type):
        return pa.nulls(0, type)
    zeros = pa.py_buffer(bytes(8))
    children = [without_rows(inner) for inner in inside(type)]
    return pa.Array.from_buffers(type, 0, [None, zeros, zeros][: type.num_buffers], children=children)


def without_null_dictionary_values(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Set the indices of null dictionary values to null and drop these values: later code reads nulls from the indices only.

    Values in a layout that can't be filtered are kept, without an index that names them.
    """
    dictionary, indices = array.dictionary, array.indices
    known = dictionary.is_valid().to_numpy(zero_copy_only=False)
    if _has_odd_layout(dictionary.type):
        named = pc.if_else(pa.array(known).take(indices), indices, pa.scalar(None, indices.type))
        return pa.DictionaryArray.from_arrays(named, dictionary, ordered=array.type.ordered)
    moved = (
        pa.array(np.cumsum(known) - 1, array.type.index_type, mask=~known)
        if len(dictionary)
        else pa.nulls(0, array.type.index_type)
    )
    return pa.DictionaryArray.from_arrays(moved.take(indices), gather.filter_values(dictionary, known), ordered=array.type.ordered)


def with_nulls_of_parent(child: pa.Array, valid: BoolArray) -> pa.Array:
    """Set the indices of dictionaries without values to null under null parents: pyarrow's builders write the index 0 there."""
    type = child.type
    if pt.is_dictionary(type) and len(child.dictionary) == 0:
        indices = pc.if_else(pa.array(valid), child.indices, pa.scalar(None, type.index_type))
        return pa.DictionaryArray.from_arrays(indices, child.dictionary, ordered=type.ordered, safe=False)
    if isinstance(type, pa.BaseExtensionType):
        storage = child.storage
        masked_storage = with_nulls_of_parent(storage, valid)
        return child if masked_storage is storage else pa.ExtensionArray.from_storage(type, masked_storage)
    if pt.is_struct(type):
        fields = [child.field(place) for place in range(type.num_fields)]
        masked = [with_nulls_of_parent(field, valid) for field in fields]
        if all(one is two for one, two in zip(fields, masked, strict=True)):
            return child
        bits = validity_bits(child)
        return pa.Array.from_buffers(type, len(child), [bits], child.null_count, children=masked)
    if pt.is_fixed_size_list(type):
        first, n = child.offset * type.list_size, len(child) * type.list_size
        items = child.values.slice(first, n)
        masked_items = with_nulls_of_parent(items, np.repeat(valid, type.list_size))
        return child if masked_items is items else with_child(child, masked_items, first)
    return child


def canonical_layout(array: pa.Array) -> pa.Array:
    """Decode run-end encoding and list views at any level: kernels don't support them, and Arrow's casts of them are wrong."""
    type = array.type
    if not _has_odd_layout(type):
        return array
    if isinstance(type, pa.BaseExtensionType):
        return _extension_over(type, canonical_layout(array.storage))
    if pt.is_run_end_encoded(type):
        return canonical_layout(run_end_decode(array))
    if type.id in VIEWS:
        return _without_views(array)
    if pt.is_struct(type):
        fields = [canonical_layout(array.field(place)) for place in range(type.num_fields)]
        inside = [field.with_type(one.type) for field, one in zip(type, fields, strict=True)]
        valid = validity_bits(array)
        return pa.Array.from_buffers(pa.struct(inside), len(array), [valid], array.null_count, children=fields)
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(array.indices, canonical_layout(array.dictionary), ordered=type.ordered)
    child = canonical_layout(array.values)
    own = array.buffers()[: type.num_buffers]
    return pa.Array.from_buffers(_around(type, child.type), len(array), own, array.null_count, array.offset, [child])


def _extension_over(type: pa.BaseExtensionType, storage: pa.Array) -> pa.Array:
    """Return an array of the same extension type with another storage; the storage itself if the type does not take it."""
    if isinstance(type, pa.OpaqueType):
        return pa.ExtensionArray.from_storage(pa.opaque(storage.type, type.type_name, type.vendor_name), storage)
    if not isinstance(type, pa.ExtensionType):
        return storage
    try:
        return pa.ExtensionArray.from_storage(type.__arrow_ext_deserialize__(storage.type, type.__arrow_ext_serialize__()), storage)
    except Exception:  # noqa: BLE001  # of a class of the user
        return storage


def canonical_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Apply `canonical_layout` to each chunk; a column without chunks gets one, so that its type changes alike."""
    if not _has_odd_layout(column.type):
        return column
    return pa.chunked_array([canonical_layout(chunk) for chunk in column.chunks or [without_rows(column.type)]])


def _without_views(array: pa.Array) -> pa.Array:
    """Gather the items of views, which may overlap and have any order, in row order."""
    child = canonical_layout(array.values)
    type = pa.large_list(array.type.value_field.with_type(child.type))
    if len(array) == 0:
        return pa.nulls(0, type)
    starts, sizes = read_views(array, "the views")
    offsets = from_counts(sizes)
    valid = validity_bits(array)
    items = gather.take(child, gather.ranges(starts, sizes))
    return pa.Array.from_buffers(type, len(array), [valid, pa.py_buffer(offsets)], array.null_count, children=[items])


def _has_odd_layout(type: pa.DataType) -> bool:
    if pt.is_run_end_encoded(type) or type.id in VIEWS:  # `pt.is_nested` knows runs from pyarrow 26 on
        return True
    if isinstance(type, pa.BaseExtensionType):
        return _has_odd_layout(type.storage_type)
    if not (pt.is_nested(type) or pt.is_dictionary(type)):
        return False
    return not pt.is_union(type) and any(_has_odd_layout(one) for one in inside(type))


def _around(type: pa.DataType, item: pa.DataType) -> pa.DataType:
    """Return a list type of the same kind with another item type."""
    if pt.is_map(type):
        return pa.map_(item.field(0).type, type.item_field.with_type(item.field(1).type))
    return list_like(type, item)


def with_empty_views(array: pa.Array) -> pa.Array:
    """Replace the views under nulls by empty ones: Arrow ignores them, but other libraries read them."""
    if not array.null_count:
        return array
    buffers = array.buffers()
    views = np.frombuffer(buffers[1], np.int64, 2 * len(array), 16 * array.offset).reshape(-1, 2)
    valid = read_validity(array)
    if not views[~valid].any():
        return array
    empty = np.where(valid[:, None], views, 0)
    return pa.Array.from_buffers(array.type, len(array), [pack_bits(valid), pa.py_buffer(empty), *buffers[2:]], array.null_count)
