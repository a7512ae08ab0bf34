"""Check Arrow data from files, buffers, other libraries and callers at every level, before any other code reads it.

Offsets of lists are checked level by level, down to the slots in use; flat arrays are checked by Arrow's own full
validation, once per buffer (`arrowjag._known`). Two valid layouts are rewritten, because some libraries can't read them:
views under nulls become empty, and null values of a dictionary become null indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._integers import MAX_NDIM, check_ndim
from arrowjag._kernels.base.memory import pack_bits, unpack_bits
from arrowjag._kernels.elementwise import utf8
from arrowjag._kernels.move import gather
from arrowjag._known import is_known, remembered
from arrowjag._pyarrow_versions import nbytes, run_end_decode
from arrowjag.errors import JagTypeError, OffsetsError, ShapeError
from arrowjag.typing import BoolArray, IntArray

__all__ = ["LISTS", "MOST_EXPANDED", "canonical_layout", "check_expansion", "check_type", "read_offsets", "read_views", "secure"]

LISTS = frozenset(
    {
        pa.lib.Type_LARGE_LIST,
        pa.lib.Type_LIST,
        pa.lib.Type_FIXED_SIZE_LIST,
        pa.lib.Type_LIST_VIEW,
        pa.lib.Type_LARGE_LIST_VIEW,
    }
)
"""The types that are one level of nesting."""

_VIEWS = frozenset({pa.lib.Type_LIST_VIEW, pa.lib.Type_LARGE_LIST_VIEW})
_WIDE = frozenset({pa.lib.Type_LARGE_LIST, pa.lib.Type_LARGE_LIST_VIEW})
_ANY_BITS = frozenset({pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()})
_ANY_BITS |= {pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.date32()}
"""Types for which each pattern of bits is a valid value; this also holds for timestamps and durations."""

MOST_EXPANDED = 2**30
"""Maximal bytes after overlapping views, runs and dictionaries are expanded, unless the data itself is larger."""

_DIGITS = {32: 9, 64: 18, 128: 38, 256: 76}
"""Largest scale per bit width of a decimal."""

_MOST_UNBACKED = 2**30
"""Maximal number of items of the null type, which no buffer limits."""


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
    check_type(array.type, where)
    try:
        array.validate()
    except pa.ArrowException as error:
        _explain(array, where)
        raise OffsetsError(f"{where} is corrupt: {error}") from error
    return _secure(array, where, 1)


def check_type(type: pa.DataType, where: str) -> None:
    """Raise for types nested too deep for recursive code, and for decimals that Arrow can't compute with.

    Arrow indexes a table of powers of ten by the scale of a file without checking it.
    """
    below, level = [type], 0
    while below:
        level += 1
        for one in below:
            if pt.is_decimal(one) and abs(one.scale) > _DIGITS[one.bit_width]:
                raise JagTypeError(f"{where} is of {one}: decimals of that width have a scale of at most {_DIGITS[one.bit_width]}")
        below = [inner for one in below for inner in _inside(one)]
        if level > MAX_NDIM:
            check_ndim(level, where)


def _inside(type: pa.DataType) -> list[pa.DataType]:
    if isinstance(type, pa.BaseExtensionType):
        return _inside(type.storage_type)
    if pt.is_dictionary(type) or pt.is_run_end_encoded(type):
        return [type.value_type]
    return [type.field(place).type for place in range(type.num_fields)]


def _explain(array: pa.Array, where: str) -> None:
    """Raise an error that names dim and slot, if the lists are the corrupt part of the array."""
    level = 1
    while len(array) and array.type.id in LISTS:
        first, last = _cut(array, f"{where}, dim {level}")
        array, level = array.values.slice(first, last - first), level + 1
    if not pt.is_nested(array.type) and not isinstance(array.type, pa.BaseExtensionType):
        _check_flat(array, where)


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
        _check_unbacked(len(array), where)
        return array
    return _secure_flat(array, where)


# --------------------------------------------------------------------------------------------------------------- lists


def _secure_lists(array: pa.Array, where: str, level: int) -> pa.Array:
    if len(array) == 0:
        return _without_rows(array.type)  # children of no rows may be anything
    _check_null_count(array, where)
    here = where if pt.is_map(array.type) else f"{where}, dim {level}"
    first, last = _cut(array, here)
    child = array.values
    whole = last - first == len(child)
    if not whole:
        _check_null_count(child, where)
        child = child.slice(first, last - first)
    safe = _secure(child, where, level + 1)
    if array.type.id in _VIEWS:
        starts, sizes = read_views(array, here)
        check_expansion(safe, starts, starts + sizes, 1, f"the views of {here}")
    if pt.is_map(array.type):
        _check_keys(safe, where)
    return array if safe is child and (whole or _is_any_bits(child)) else _with_child(array, safe, first)


def _cut(array: pa.Array, where: str) -> tuple[int, int]:
    """Return the first child item that a list array uses, and the one after the last; checked."""
    type, below = array.type, len(array.values)
    if pt.is_fixed_size_list(type):
        first, last = array.offset * type.list_size, (array.offset + len(array)) * type.list_size
        if last > below:
            raise OffsetsError(f"{where} needs {last} values for its fixed size {type.list_size}, has {below}")
        if type.list_size == 0:
            _check_unbacked(len(array), where)
        return first, last
    if type.id in _VIEWS:
        read_views(array, where)
        return 0, below
    offsets = read_offsets(array, where, check=True)
    if offsets[-1] > below:
        raise OffsetsError(f"offsets of {where} end at {offsets[-1]}, past the {below} values below")
    return int(offsets[0]), int(offsets[-1])


def read_offsets(array: pa.Array, where: str, *, check: bool) -> IntArray:
    """Return the offsets of a list array as int64; int64 buffers are viewed, not copied.

    Parameters
    ----------
    array : pa.Array
        A list or a map with at least one row.
    where : str
        The name of the data in error messages.
    check : bool
        Whether to check that they are in range and never decrease.

    Returns
    -------
    numpy.ndarray
        One more than the number of rows.

    Raises
    ------
    OffsetsError
        If the buffer is too short, or the offsets are invalid.
    """
    dtype: Any = np.int64 if array.type.id in _WIDE else np.int32
    width = np.dtype(dtype).itemsize
    buffer = array.buffers()[1]
    need = (array.offset + len(array) + 1) * width
    if buffer is None or buffer.size < need:
        raise OffsetsError(f"the offsets buffer of {where} has {buffer.size if buffer else 0} bytes, {need} are needed")
    offsets = np.frombuffer(buffer, dtype, len(array) + 1, array.offset * width)
    if not check:
        return offsets.astype(np.int64, copy=False)
    if offsets[0] < 0:
        raise OffsetsError(f"offsets of {where} start at {offsets[0]}, below 0")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        slot = int(falls.argmax()) + 1
        raise OffsetsError(f"offsets of {where} fall at slot {slot}: {offsets[slot]} < {offsets[slot - 1]}")
    return offsets.astype(np.int64, copy=False)


def read_views(array: pa.Array, where: str) -> tuple[IntArray, IntArray]:
    """Starts and sizes of the rows of a list view, checked; a null row views nothing."""
    starts, sizes = (_read_int(array, place, where) for place in (1, 2))
    if array.null_count:
        valid = _valid(array)
        starts, sizes = np.where(valid, starts, 0), np.where(valid, sizes, 0)
    below = len(array.values)
    # Not the sum of start and size: that may wrap.
    wrong = (starts < 0) | (sizes < 0) | (sizes > below) | (starts > below - sizes)
    if wrong.any():
        row = int(wrong.argmax())
        raise OffsetsError(f"row {row} of {where} views {sizes[row]} values from {starts[row]}, there are {below} values below")
    return starts, sizes


def _read_int(array: pa.Array, place: int, where: str) -> IntArray:
    dtype = np.dtype(np.int64 if array.type.id in _WIDE else np.int32)
    buffer = array.buffers()[place]
    need = (array.offset + len(array)) * dtype.itemsize
    if buffer is None or buffer.size < need:
        raise OffsetsError(f"a buffer of views of {where} has {buffer.size if buffer else 0} bytes, {need} are needed")
    return np.frombuffer(buffer, dtype, len(array), array.offset * dtype.itemsize).astype(np.int64, copy=False)


def _with_child(array: pa.Array, child: pa.Array, first: int) -> pa.Array:
    """Return a list array on another child that begins at item `first`; offsets are shared if `first` is 0."""
    type, n = array.type, len(array)
    own = array.buffers()[: type.num_buffers]
    if first == 0:
        return pa.Array.from_buffers(type, n, own, array.null_count, array.offset, [child])
    valid = pack_bits(_valid(array)) if array.null_count else None
    if pt.is_fixed_size_list(type):
        return pa.Array.from_buffers(type, n, [valid], children=[child])
    offsets = read_offsets(array, "", check=False) - first
    stored = offsets if type.id in _WIDE else offsets.astype(np.int32)
    return pa.Array.from_buffers(type, n, [valid, pa.py_buffer(stored)], children=[child])


def _without_rows(type: pa.DataType) -> pa.Array:
    """Return an empty array. For run-end encoding below lists, `pa.nulls` would create a validity that Arrow rejects."""
    if pt.is_run_end_encoded(type):
        return pa.RunEndEncodedArray.from_arrays(pa.nulls(0, type.run_end_type), _without_rows(type.value_type))
    if isinstance(type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type, _without_rows(type.storage_type))
    if not pt.is_nested(type) or pt.is_union(type):
        return pa.nulls(0, type)
    zeros = pa.py_buffer(bytes(8))
    children = [_without_rows(inner) for inner in _inside(type)]
    return pa.Array.from_buffers(type, 0, [None, zeros, zeros][: type.num_buffers], children=children)


def _check_keys(entries: pa.Array, where: str) -> None:
    if entries.null_count or canonical_layout(entries.field(0)).null_count:
        raise OffsetsError(f"a map of {where} has an entry or a key that is null")


# ------------------------------------------------------------------------------------------------------ structs, words


def _secure_struct(array: pa.Array, where: str, level: int) -> pa.Array:
    if array.type.num_fields == 0:
        _check_unbacked(len(array), where)
    _check_null_count(array, where)
    fields = [array.field(place) for place in range(array.type.num_fields)]
    safe = [_secure(field, f"{where}, field {one.name!r}", level) for field, one in zip(fields, array.type, strict=True)]
    # Child items beyond the slots in use are unchecked; slice the child if its type could hold invalid ones.
    if all(_is_any_bits(one) and one is two for one, two in zip(fields, safe, strict=True)):
        return array
    valid = pack_bits(_valid(array)) if array.null_count else None
    return pa.Array.from_buffers(array.type, len(array), [valid], array.null_count, children=safe)


def _secure_dictionary(array: pa.Array, where: str, level: int) -> pa.Array:
    if is_known(array):
        _check_null_count(array, where)
        return array
    words = _secure(array.dictionary, f"the words of {where}", level)
    indices = array.indices
    _check_full(indices, f"the indices of {where}")
    try:
        safe = pa.DictionaryArray.from_arrays(indices, words, ordered=array.type.ordered, safe=not _all_below(indices, len(words)))
    except (pa.ArrowInvalid, IndexError) as error:
        raise OffsetsError(f"an index of {where} lies outside of its {len(words)} words: {error}") from error
    if words.type.id in LISTS:
        at = indices.drop_null().cast(pa.int64()).to_numpy()
        check_expansion(words, at, at + 1, 1, f"the dictionary of lists of {where}")
    if words.null_count or pt.is_null(words.type):
        safe = _without_null_words(safe)
    return remembered(safe)


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


def _without_null_words(array: pa.DictionaryArray) -> pa.DictionaryArray:
    """Set the indices of null dictionary values to null and drop these values: later code reads nulls from the indices only."""
    words, indices = array.dictionary, array.indices
    known = words.is_valid().to_numpy(zero_copy_only=False)
    moved = pa.array(np.cumsum(known) - 1, array.type.index_type, mask=~known) if len(words) else pa.nulls(0, array.type.index_type)
    return pa.DictionaryArray.from_arrays(moved.take(indices), words.filter(pa.array(known)), ordered=array.type.ordered)


# ---------------------------------------------------------------------------------------------------------------- flat


def _secure_flat(array: pa.Array, where: str) -> pa.Array:
    type = array.type
    if _has_any_bits(type):
        _check_null_count(array, where)
        return array
    if pt.is_run_end_encoded(type):
        return _secure_runs(array, where)
    if pt.is_union(type):
        _check_full(array, f"the leaves of {where}")
        return array
    if is_known(array):
        _check_null_count(array, where)
        return array
    _check_flat(array, where)
    if pt.is_string_view(type) or pt.is_binary_view(type):
        array = _with_empty_views(array)
    return remembered(array)


def _has_any_bits(type: pa.DataType) -> bool:
    return type in _ANY_BITS or bool(pt.is_timestamp(type) or pt.is_duration(type))


def _is_any_bits(array: pa.Array) -> bool:
    """Return whether an array can't be invalid, not even beyond its slots: no nulls, and each pattern of bits is a value."""
    return _has_any_bits(array.type) and array.buffers()[0] is None


def _secure_runs(array: pa.Array, where: str) -> pa.Array:
    _check_full(array, f"the runs of {where}")
    ends = np.asarray(array.run_ends)
    sizes = np.diff(np.minimum(ends.astype(np.int64), array.offset + len(array)), prepend=np.int64(0))
    check_expansion(array.values, np.arange(len(ends)), np.arange(1, len(ends) + 1), np.maximum(sizes, 0), f"the runs of {where}")
    safe = _secure(array.values, where, 1)
    if safe is array.values:
        return array
    return pa.RunEndEncodedArray.from_arrays(array.run_ends, safe)[array.offset : array.offset + len(array)]


def canonical_layout(array: pa.Array) -> pa.Array:
    """Decode run-end encoding and list views at any level: kernels don't support them, and Arrow's casts of them are wrong."""
    type = array.type
    if not _has_odd_layout(type):
        return array
    if pt.is_run_end_encoded(type):
        return canonical_layout(run_end_decode(array))
    if type.id in _VIEWS:
        return _without_views(array)
    if pt.is_struct(type):
        fields = [canonical_layout(array.field(place)) for place in range(type.num_fields)]
        inside = [field.with_type(one.type) for field, one in zip(type, fields, strict=True)]
        valid = pack_bits(_valid(array)) if array.null_count else None
        return pa.Array.from_buffers(pa.struct(inside), len(array), [valid], array.null_count, children=fields)
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(array.indices, canonical_layout(array.dictionary), ordered=type.ordered)
    child = canonical_layout(array.values)
    own = array.buffers()[: type.num_buffers]
    return pa.Array.from_buffers(_around(type, child.type), len(array), own, array.null_count, array.offset, [child])


def _without_views(array: pa.Array) -> pa.Array:
    """Gather the items of views, which may overlap and have any order, in row order."""
    child = canonical_layout(array.values)
    type = pa.large_list(array.type.value_field.with_type(child.type))
    if len(array) == 0:
        return pa.nulls(0, type)
    starts, sizes = read_views(array, "the views")
    offsets = np.zeros(len(array) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    valid = pack_bits(_valid(array)) if array.null_count else None
    items = gather.take(child, gather.ranges(starts, sizes))
    return pa.Array.from_buffers(type, len(array), [valid, pa.py_buffer(offsets)], array.null_count, children=[items])


def _has_odd_layout(type: pa.DataType) -> bool:
    if pt.is_run_end_encoded(type) or type.id in _VIEWS:  # `pt.is_nested` knows runs from pyarrow 26 on
        return True
    if isinstance(type, pa.BaseExtensionType) or not (pt.is_nested(type) or pt.is_dictionary(type)):
        return False
    return not pt.is_union(type) and any(_has_odd_layout(one) for one in _inside(type))


def _around(type: pa.DataType, item: pa.DataType) -> pa.DataType:
    """Return a list type of the same kind with another item type."""
    if pt.is_map(type):
        return pa.map_(item.field(0).type, item.field(1).type)
    field = type.value_field.with_type(item)
    if pt.is_fixed_size_list(type):
        return pa.list_(field, type.list_size)
    return pa.list_(field) if pt.is_list(type) else pa.large_list(field)


def _with_empty_views(array: pa.Array) -> pa.Array:
    """Replace the views under nulls by empty ones: Arrow ignores them, but other libraries read them."""
    if not array.null_count:
        return array
    buffers = array.buffers()
    views = np.frombuffer(buffers[1], np.int64, 2 * len(array), 16 * array.offset).reshape(-1, 2)
    valid = _valid(array)
    if not views[~valid].any():
        return array
    empty = np.where(valid[:, None], views, 0)
    return pa.Array.from_buffers(array.type, len(array), [pack_bits(valid), pa.py_buffer(empty), *buffers[2:]], array.null_count)


def _check_flat(array: pa.Array, where: str) -> None:
    if _is_whole_text(array):
        _check_null_count(array, where)
        return
    _check_full(array, f"the {'text' if _is_text(array.type) else 'leaves'} of {where}")


def _is_whole_text(array: pa.Array) -> bool:
    """Return whether the values are contiguous, valid UTF-8; after False, Arrow's own check decides."""
    wide = pt.is_large_string(array.type)
    if len(array) == 0 or not (wide or pt.is_string(array.type)):
        return False
    dtype: Any = np.int64 if wide else np.int32
    _, cut, data = array.buffers()
    width = np.dtype(dtype).itemsize
    if cut is None or data is None or cut.size < (array.offset + len(array) + 1) * width:
        return False
    return utf8.is_text(np.frombuffer(data, np.uint8), np.frombuffer(cut, dtype, len(array) + 1, array.offset * width))


def _check_full(array: pa.Array, what: str) -> None:
    try:
        array.validate(full=True)
    except (pa.ArrowException, IndexError, ValueError) as error:
        raise OffsetsError(f"{what} can't be read, it is corrupt: {error}") from error


def _check_null_count(array: pa.Array, where: str) -> None:
    """With a wrong null count, Arrow's kernels write past the end of their results."""
    if pt.is_union(array.type) or isinstance(array.type, pa.BaseExtensionType):
        return
    bits = array.buffers()[0]
    if bits is None or bits.size * 8 < array.offset + len(array):
        return
    n = len(array)
    valid = pa.Array.from_buffers(pa.bool_(), n, [None, bits], 0, array.offset).true_count
    if array.null_count != n - valid:
        raise OffsetsError(f"{where} is said to hold {array.null_count} nulls, its validity has {n - valid}")


def _check_unbacked(n: int, where: str) -> None:
    if n > _MOST_UNBACKED:
        raise OffsetsError(f"{where} is said to hold {n} items that take no memory, more than {_MOST_UNBACKED}")


def _valid(array: pa.Array) -> BoolArray:
    return unpack_bits(array.buffers()[0], array.offset, len(array))


# ----------------------------------------------------------------------------------------------------------- expansion


def check_expansion(values: pa.Array, starts: IntArray, stops: IntArray, times: npt.NDArray[Any] | int, where: str) -> None:
    """Raise if a copy would be far larger than its source.

    Parameters
    ----------
    values : pa.Array
        The source.
    starts, stops : numpy.ndarray
        The ranges of items that are copied.
    times : numpy.ndarray or int
        The number of copies of each range.
    where : str
        The name of the data in error messages.

    Raises
    ------
    ShapeError
        If the copy has more than `MOST_EXPANDED` bytes, and more than twice the bytes of `values`.
    """
    items = float(((stops - starts) * times).sum(dtype=np.float64)) if len(starts) else 0.0
    if items <= 2 * len(values):
        return
    needed = _bytes(values, starts, stops, times)
    if needed > max(MOST_EXPANDED, 2 * nbytes(values)):
        raise ShapeError(
            f"{where} would become {needed / 1e9:.3g} GB of {nbytes(values) / 1e6:.3g} MB, more than {MOST_EXPANDED / 1e9:.3g} GB: "
            "take the rows that are needed first"
        )


def _bytes(values: pa.Array, starts: IntArray, stops: IntArray, times: npt.NDArray[Any] | int) -> float:
    """Return the bytes that repeated ranges of items occupy; an estimate for types without a fixed width."""
    type = values.type
    items = float(((stops - starts).astype(np.float64) * times).sum())
    if isinstance(type, pa.BaseExtensionType):
        return _bytes(values.storage, starts, stops, times)
    if pt.is_struct(type):
        return items + sum(_bytes(values.field(place), starts, stops, times) for place in range(type.num_fields))
    if pt.is_fixed_size_list(type):
        begin = values.offset * type.list_size
        return items + _bytes(values.values, begin + starts * type.list_size, begin + stops * type.list_size, times)
    if type.id in LISTS - _VIEWS or pt.is_map(type):
        offsets = read_offsets(values, "", check=False) if len(values) else np.zeros(1, np.int64)
        return 8 * items + _bytes(values.values, offsets[starts], offsets[stops], times)
    if _is_text(type):
        ends = np.concatenate([[0], np.cumsum(pc.binary_length(values).fill_null(0).to_numpy(zero_copy_only=False))])
        return 8 * items + float(((ends[stops] - ends[starts]).astype(np.float64) * times).sum())
    return items * max(1.0, float(nbytes(values)) / max(1, len(values)))


def _is_text(type: pa.DataType) -> bool:
    return bool(pt.is_string(type) or pt.is_large_string(type) or pt.is_binary(type) or pt.is_large_binary(type))
