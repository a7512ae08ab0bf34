"""Check an array at every level, by `secure`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._gate.buffers import check_null_count, check_unbacked, read_offsets, read_validity, read_views, validity_bits
from arrowjag._gate.checked_buffers import is_checked, registered
from arrowjag._gate.expansion import check_expansion
from arrowjag._gate.flat import check_flat, check_full
from arrowjag._gate.layouts import (
    canonical_layout,
    with_child,
    with_empty_views,
    with_nulls_of_parent,
    without_null_dictionary_values,
    without_rows,
)
from arrowjag._gate.types import LISTS, VIEWS, check_type, has_any_bits, has_ordered_categories
from arrowjag.errors import OffsetsError, are, plural

__all__ = ["secure"]


def secure(array: pa.Array, where: str) -> pa.Array:
    """Return an array that every kernel and every library can read.

    Parameters
    ----------
    array : pa.Array
        Of any type, layout and origin.
    where : str
        The name of the data in error messages.

    Returns
    -------
    pa.Array
        On the same memory; the array itself if there is nothing to register or change.

    Raises
    ------
    OffsetsError
        If any level is corrupt: offsets, sizes, indices, UTF-8, map keys, buffers that are too short.
    ShapeError
        If types are nested more than `MAX_NDIM` levels deep.
    """
    is_plain = has_any_bits(array.type)
    if not is_plain:
        check_type(array.type, where)
    try:
        array.validate()
    except pa.ArrowException as error:
        _explain(array, where)
        raise OffsetsError(f"{where} is corrupt: {error}") from error
    if is_plain:  # as `_secure` checks it
        check_null_count(array, where)
        return array
    return _secure(array, where, 1)


def _explain(array: pa.Array, where: str) -> None:
    """Raise an error that names the dim and the slot if lists are corrupt, or the leaves; Arrow's own error says less."""
    level = 1
    while len(array) and array.type.id in LISTS:
        first, last = _cut(array, f"{where}, dim {level}")
        array, level = array.values.slice(first, last - first), level + 1
    if not pt.is_nested(array.type) and not isinstance(array.type, pa.BaseExtensionType):
        check_flat(array, where)


def _secure(array: pa.Array, where: str, level: int) -> pa.Array:
    """Check the levels below the top; Arrow has already checked the lengths of their buffers and children."""
    type = array.type
    if isinstance(type, pa.BaseExtensionType):
        storage = array.storage
        safe = _secure(storage, where, level)
        return array if safe is storage else pa.ExtensionArray.from_storage(type, safe)
    if type.id in LISTS or pt.is_map(type):
        return _secure_lists(array, where, level)
    if pt.is_struct(type):
        return _secure_struct(array, where, level)
    if pt.is_dictionary(type):
        return _secure_dictionary(array, where, level)
    if pt.is_null(type):
        check_unbacked(len(array), where)
        return array
    return _secure_flat(array, where)


def _secure_lists(array: pa.Array, where: str, level: int) -> pa.Array:
    if len(array) == 0:
        return _secure_empty(array, where, level)
    check_null_count(array, where)
    here = where if pt.is_map(array.type) else f"{where}, dim {level}"
    first, last = _cut(array, here)
    child = array.values
    whole = last - first == len(child)
    if not whole:
        check_null_count(child, where)
        child = child.slice(first, last - first)
    used = child
    if pt.is_fixed_size_list(array.type) and array.null_count:
        used = with_nulls_of_parent(child, np.repeat(read_validity(array), array.type.list_size))
    safe = _secure(used, where, level + 1)
    if array.type.id in VIEWS:
        starts, sizes = read_views(array, here)
        check_expansion(safe, starts, starts + sizes, 1, f"the views of {here}")
    if pt.is_map(array.type):
        _check_keys(safe, where)
    return array if safe is child and (whole or _is_any_bits(child)) else with_child(array, safe, first)


def _secure_empty(array: pa.Array, where: str, level: int) -> pa.Array:
    """Return an array without rows: its items may be anything, but ordered dictionaries keep their categories if sound."""
    type = array.type
    if not has_ordered_categories(type):
        return without_rows(type)
    try:
        child = _secure(array.values.slice(0, 0), where, level + 1)
    except OffsetsError:
        return without_rows(type)
    zeros = pa.py_buffer(bytes(8))
    return pa.Array.from_buffers(type, 0, [None, zeros, zeros][: type.num_buffers], children=[child])


def _cut(array: pa.Array, where: str) -> tuple[int, int]:
    """Return the first child item that a list array uses, and the one after the last; checked."""
    type, below = array.type, len(array.values)
    if pt.is_fixed_size_list(type):
        first, last = array.offset * type.list_size, (array.offset + len(array)) * type.list_size
        if last > below:
            raise OffsetsError(f"{where} needs {plural(last, 'value')} for its fixed size {type.list_size}, but has {below}")
        if type.list_size == 0:
            check_unbacked(len(array), where)
        return first, last
    if type.id in VIEWS:
        read_views(array, where)
        return 0, below
    offsets = read_offsets(array, where, check=True)
    if offsets[-1] > below:
        raise OffsetsError(f"offsets of {where} end at {offsets[-1]}, but there {are(below)} {plural(below, 'value')}")
    return int(offsets[0]), int(offsets[-1])


def _check_keys(entries: pa.Array, where: str) -> None:
    if entries.null_count or canonical_layout(entries.field(0)).null_count:
        raise OffsetsError(f"a map of {where} has a null entry or a null key")


def _secure_struct(array: pa.Array, where: str, level: int) -> pa.Array:
    if array.type.num_fields == 0:
        check_unbacked(len(array), where)
    check_null_count(array, where)
    fields = [array.field(place) for place in range(array.type.num_fields)]
    if array.null_count:
        fields = [with_nulls_of_parent(field, read_validity(array)) for field in fields]
    safe = [_secure(field, f"{where}, field {one.name!r}", level) for field, one in zip(fields, array.type, strict=True)]
    # Child items beyond the slots in use are unchecked; slice the child if its type could hold invalid ones.
    if all(_is_any_bits(one) and one is two for one, two in zip(fields, safe, strict=True)):
        return array
    valid = validity_bits(array)
    return pa.Array.from_buffers(array.type, len(array), [valid], array.null_count, children=safe)


def _secure_dictionary(array: pa.Array, where: str, level: int) -> pa.Array:
    if is_checked(array):
        check_null_count(array, where)
        return array
    dictionary = _secure(array.dictionary, f"the dictionary values of {where}", level)
    indices = array.indices
    check_full(indices, f"the dictionary indices of {where}")
    try:
        safe = pa.DictionaryArray.from_arrays(
            indices, dictionary, ordered=array.type.ordered, safe=not _all_below(indices, len(dictionary))
        )
    except (pa.ArrowInvalid, IndexError) as error:
        raise OffsetsError(
            f"a dictionary index of {where} is out of range for {len(dictionary)} dictionary values: {error}"
        ) from error
    if dictionary.type.id in LISTS:
        at = indices.drop_null().cast(pa.int64()).to_numpy()
        check_expansion(dictionary, at, at + 1, 1, f"the dictionary of lists of {where}")
    if dictionary.null_count or pt.is_null(dictionary.type):
        safe = without_null_dictionary_values(safe)
    return registered(safe)


def _all_below(indices: pa.Array, n: int) -> bool:
    """Return whether all indices are in range, also under nulls: one maximum, a tenth of the time of Arrow's own check.

    Read as unsigned, a negative index is larger than any that its type can hold.
    """
    if len(indices) == 0:
        return True
    bits = indices.type.bit_width
    stored = np.frombuffer(indices.buffers()[1], f"u{bits // 8}", len(indices), indices.offset * bits // 8)
    most = 2 ** (bits - 1) if pt.is_signed_integer(indices.type) else 2**bits
    return bool(stored.max() < min(n, most))


def _secure_flat(array: pa.Array, where: str) -> pa.Array:
    type = array.type
    if pt.is_fixed_size_binary(type) and type.byte_width == 0:
        check_unbacked(len(array), where)
    if has_any_bits(type):
        check_null_count(array, where)
        return array
    if pt.is_run_end_encoded(type):
        return _secure_runs(array, where)
    if pt.is_union(type):
        check_full(array, f"the leaves of {where}")
        return array
    if is_checked(array):
        check_null_count(array, where)
        return array
    check_flat(array, where)
    if pt.is_string_view(type) or pt.is_binary_view(type):
        array = with_empty_views(array)
    return registered(array)


def _is_any_bits(array: pa.Array) -> bool:
    """Return whether an array can't be invalid, not even beyond its slots: no nulls, and each pattern of bits is a value."""
    return has_any_bits(array.type) and array.buffers()[0] is None


def _secure_runs(array: pa.Array, where: str) -> pa.Array:
    check_full(array, f"the runs of {where}")
    ends = np.asarray(array.run_ends)
    sizes = np.diff(np.minimum(ends.astype(np.int64), array.offset + len(array)), prepend=np.int64(0))
    check_expansion(array.values, np.arange(len(ends)), np.arange(1, len(ends) + 1), np.maximum(sizes, 0), f"the runs of {where}")
    safe = _secure(array.values, where, 1)
    if safe is array.values:
        return array
    return pa.RunEndEncodedArray.from_arrays(array.run_ends, safe)[array.offset : array.offset + len(array)]
