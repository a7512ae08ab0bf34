"""The gate: Arrow arrays of any layout come in canonical, and canonical columns go out.

Behind the gate offsets are int64, start at 0, never decrease and end at the number of values; values have no slack; a null row
owns nothing. Whatever does not fit is an `OffsetsError` here and never reaches a kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._kernels import gather, laying
from arrowjag._kernels.memory import pack_bits, unpack_bits
from arrowjag._kernels.permutations import inverse
from arrowjag.errors import JagTypeError, OffsetsError, ShapeError
from arrowjag.typing import ArrowData, BoolArray, IntArray

__all__ = [
    "EXTENSION_NAME",
    "Level",
    "bitmap",
    "combine_chunks",
    "depth",
    "dictionary_codes",
    "from_numpy",
    "is_list_type",
    "is_numeric",
    "is_temporal",
    "join",
    "numbers",
    "order_key",
    "peel",
    "plain",
    "to_numpy",
    "valid_of",
    "wrap",
]

EXTENSION_NAME = "arrowjag.jagged"


_LISTS = frozenset({pa.lib.Type_LARGE_LIST, pa.lib.Type_LIST, pa.lib.Type_FIXED_SIZE_LIST, pa.lib.Type_LIST_VIEW})
_LISTS |= {pa.lib.Type_LARGE_LIST_VIEW}


class Level(NamedTuple):
    """One level of nesting: int64 `offsets` from 0, `validity` of the rows (None: all valid), declared `extent`."""

    offsets: IntArray
    validity: BoolArray | None
    extent: int | None


# ------------------------------------------------------------------------------------------------- types


def is_list_type(type: pa.DataType) -> bool:
    """Whether an Arrow type is one level of nesting (a map is a leaf unless asked for)."""
    return type.id in _LISTS


def is_jagged_extension(type: pa.DataType) -> bool:
    """Whether a type is ours, registered or not."""
    return isinstance(type, pa.BaseExtensionType) and type.extension_name == EXTENSION_NAME


def depth(type: pa.DataType) -> int:
    """Number of list levels around the leaf type."""
    levels = 0
    while is_list_type(type):
        type, levels = type.value_type, levels + 1
    return levels


def is_temporal(type: pa.DataType) -> bool:
    """Whether values are integers that count days or parts of seconds."""
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_time(type) or pt.is_duration(type))


def is_numeric(type: pa.DataType) -> bool:
    """Whether numpy computes with the values: bool, integers and floats."""
    return bool(pt.is_integer(type) or pt.is_floating(type) or pt.is_boolean(type))


# ------------------------------------------------------------------------------------------------- coming in


def combine_chunks(data: ArrowData) -> pa.Array:
    """One contiguous array; a single chunk is passed on without a copy (`combine_chunks` of pyarrow would copy it)."""
    if not isinstance(data, pa.ChunkedArray):
        return data
    if data.num_chunks == 0:
        return pa.nulls(0, data.type)
    return join(data.chunks)


def join(arrays: list[pa.Array]) -> pa.Array:
    """At least one array of one type, end to end; a single one is passed on as it is."""
    # Arrays without items may come without buffers, and pyarrow can't join those.
    filled = [array for array in arrays if len(array)] or arrays[:1]
    return filled[0] if len(filled) == 1 else _concat(filled)


def _concat(chunks: list[pa.Array]) -> pa.Array:
    """Concatenate.

    Lists that pyarrow can't join as they are (too many items for 32 bits, views, no width) come in canonical form, and text of more
    than 2 GB as `large_string`.
    """
    chunks = [_with_buffers(chunk) for chunk in chunks]
    try:
        return pa.concat_arrays(chunks)
    except (pa.ArrowInvalid, pa.ArrowIndexError):
        if is_list_type(chunks[0].type):
            chunks = [wrap(*peel(chunk)) for chunk in chunks]
        wide = _with_long_offsets(chunks[0].type)
        try:
            return pa.concat_arrays(chunks)
        except pa.ArrowInvalid:
            if wide == chunks[0].type:
                raise
        return pa.concat_arrays([chunk.cast(wide) for chunk in chunks])


def _with_long_offsets(type: pa.DataType) -> pa.DataType:
    """The type with texts, bytes and lists that more than 2**31 bytes or items fit in."""
    if pt.is_string(type):
        return pa.large_string()
    if pt.is_binary(type):
        return pa.large_binary()
    if pt.is_struct(type):
        return pa.struct([field.with_type(_with_long_offsets(field.type)) for field in type])
    if pt.is_list(type) or pt.is_large_list(type):
        return pa.large_list(type.value_field.with_type(_with_long_offsets(type.value_type)))
    return type


def _with_buffers(array: pa.Array) -> pa.Array:
    """The same array; what has no items in it is made anew: it may come without buffers, and joining those crashes pyarrow."""
    type = array.type
    if len(array) and pt.is_primitive(type):
        return array
    if len(array) == 0:
        return pa.nulls(0, type)  # pa.array([]) can't make dictionaries of views, which polars' categories are
    if isinstance(type, pa.BaseExtensionType):
        storage = array.storage
        whole_storage = _with_buffers(storage)
        return array if whole_storage is storage else pa.ExtensionArray.from_storage(type, whole_storage)
    if pt.is_struct(type):
        fields = [array.field(place) for place in range(type.num_fields)]
        whole = [_with_buffers(field) for field in fields]
        same = all(one is two for one, two in zip(fields, whole, strict=True))
        return array if same else pa.StructArray.from_arrays(whole, fields=list(type), mask=array.is_null())
    if is_list_type(type) or pt.is_map(type):
        items = array.values
        whole_items = _with_buffers(items)
        if whole_items is items:
            return array
        return pa.Array.from_buffers(
            type, len(array), array.buffers()[: type.num_buffers], array.null_count, array.offset, [whole_items]
        )
    return array


def peel(data: ArrowData, ndim: int | None = None, *, where: str = "the column") -> tuple[list[Level], pa.Array]:
    """Split a nested array into its levels and its flat leaf values.

    Parameters
    ----------
    data : pa.Array or pa.ChunkedArray
        Any nested layout: lists of five kinds, maps (only when `ndim` asks for them), arrays of our type, in lists too; slices and
        chunks.
    ndim : int, optional
        Number of levels wanted, the rows included. By default every list is a level, down to the leaves that our type tells.
    where : str
        What the data is, for error messages.

    Returns
    -------
    list of Level
        One entry a list level, outermost first; there are ``ndim - 1``.
    pa.Array
        The leaf values in one piece, without slack.

    Raises
    ------
    OffsetsError
        If offsets are not a valid cut of the values below them.
    ShapeError
        If the array has fewer levels than `ndim` asks for.
    """
    array = decode(combine_chunks(data))
    if ndim is None and pt.is_primitive(array.type):
        return [], _check_leaf(array, where)
    levels: list[Level] = []
    array, ndim = _unwrapped(array, ndim, 0)
    while (ndim is None and is_list_type(array.type)) or (ndim is not None and len(levels) < ndim - 1):
        if not is_list_type(array.type) and not pt.is_map(array.type):
            if not pt.is_null(array.type):
                got = len(levels) + 1
                raise ShapeError(f"{where} has {got} dims (leaf type {array.type}), ndim={ndim} was asked for")
            levels.append(_null_level(array))
            array = pa.nulls(0)
            continue
        level, array = _peel_level(array, f"{where}, dim {len(levels) + 1}")
        levels.append(level)
        array, ndim = _unwrapped(decode(array), ndim, len(levels))
    return levels, _check_leaf(array, where)


def _unwrapped(array: pa.Array, ndim: int | None, levels: int) -> tuple[pa.Array, int | None]:
    """The lists of an array of our type that stands under so many levels, and the ndim that it tells if nobody asked for one."""
    if not is_jagged_extension(array.type):
        return array, ndim
    told = getattr(array.type, "ndim", None)
    return array.storage, levels + told if ndim is None and told is not None else ndim


def decode(array: pa.Array) -> pa.Array:
    """Undo encodings that no list kernel understands: runs, and dictionaries of lists."""
    if pt.is_run_end_encoded(array.type):
        return decode(pc.run_end_decode(array))
    if pt.is_dictionary(array.type) and is_list_type(array.type.value_type):
        return decode(array.dictionary_decode())
    return array


def plain(array: pa.Array) -> pa.Array:
    """A dictionary array as its values; text views, which pyarrow can't look up by index, come as large text."""
    words = array.dictionary
    if pt.is_string_view(words.type) or pt.is_binary_view(words.type):
        words = words.cast(pa.large_string() if pt.is_string_view(words.type) else pa.large_binary())
    return pa.DictionaryArray.from_arrays(array.indices, words).dictionary_decode()


def _null_level(array: pa.Array) -> Level:
    """Nulls of the null type read as null rows."""
    n = len(array)
    return Level(np.zeros(n + 1, np.int64), np.zeros(n, bool) if n else None, None)


def valid_of(array: pa.Array) -> BoolArray | None:
    """Which items are valid; None where all are."""
    if len(array) == 0 or array.null_count == 0:
        return None
    bits = array.buffers()[0]
    if bits is not None and not pt.is_union(array.type):
        return unpack_bits(bits, array.offset, len(array))
    mask: BoolArray = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


def _peel_level(array: pa.Array, where: str) -> tuple[Level, pa.Array]:
    if len(array) == 0:
        return _peel_empty(array)
    type = array.type
    if pt.is_fixed_size_list(type):
        return _peel_fixed(array, where)
    if pt.is_list_view(type) or pt.is_large_list_view(type):
        return _peel_view(array, where)
    offsets = _read_offsets(array, np.int64 if pt.is_large_list(type) else np.int32, where)
    child = _map_entries(array) if pt.is_map(type) else array.values
    if offsets[-1] > len(child):
        raise OffsetsError(f"offsets of {where} end at {offsets[-1]}, past the {len(child)} values below")
    validity = valid_of(array)
    if validity is not None:
        null = np.logical_not(validity).nonzero()[0]
        hidden = null[offsets[null + 1] > offsets[null]]
        if len(hidden):
            child, offsets = child.slice(int(offsets[0]), int(offsets[-1] - offsets[0])), offsets - offsets[0]
            return Level(laying.offsets_with(offsets, hidden), validity, None), laying.drop_rows(child, offsets, hidden)
    first, last = int(offsets[0]), int(offsets[-1])
    child = child if first == 0 and last == len(child) else child.slice(first, last - first)
    return Level(offsets if first == 0 else offsets - first, validity, None), child


def _peel_empty(array: pa.Array) -> tuple[Level, pa.Array]:
    """Without rows the offsets buffer may be missing, so nothing of it is read."""
    type = array.type
    extent = type.list_size if pt.is_fixed_size_list(type) else None
    item = pa.struct([("key", type.key_type), ("value", type.item_type)]) if pt.is_map(type) else type.value_type
    return Level(np.zeros(1, np.int64), None, extent), pa.nulls(0, item)


def _map_entries(array: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([array.keys, array.items], names=["key", "value"])


def _read_offsets(array: pa.Array, dtype: Any, where: str) -> IntArray:
    """Offsets of a list array as int64, checked to be in range and never to fall; int64 buffers are viewed, not copied."""
    buffer = array.buffers()[1]
    width = np.dtype(dtype).itemsize
    need = (array.offset + len(array) + 1) * width
    if buffer is None or buffer.size < need:
        raise OffsetsError(f"the offsets buffer of {where} has {buffer.size if buffer else 0} bytes, {need} are needed")
    offsets = np.frombuffer(buffer, dtype, len(array) + 1, array.offset * width)
    if offsets[0] < 0:
        raise OffsetsError(f"offsets of {where} start at {offsets[0]}, below 0")
    falls = offsets[1:] < offsets[:-1]
    if falls.any():
        slot = int(falls.argmax()) + 1
        raise OffsetsError(f"offsets of {where} fall at slot {slot}: {offsets[slot]} < {offsets[slot - 1]}")
    return offsets.astype(np.int64, copy=False)


def _peel_fixed(array: pa.Array, where: str) -> tuple[Level, pa.Array]:
    width, n = array.type.list_size, len(array)
    validity = valid_of(array)
    child = array.values
    if (array.offset + n) * width > len(child):
        raise OffsetsError(f"{where} needs {(array.offset + n) * width} values for its fixed size {width}, has {len(child)}")
    child = child.slice(array.offset * width, n * width)
    if validity is None:
        return Level(np.arange(n + 1, dtype=np.int64) * width, None, width), child
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.where(validity, width, 0), out=offsets[1:])
    return Level(offsets, validity, width), gather.filter_values(child, np.repeat(validity, width))


def _peel_view(array: pa.Array, where: str) -> tuple[Level, pa.Array]:
    """Views may overlap and lie in any order: their items are gathered in row order."""
    validity = valid_of(array)
    starts = array.offsets.to_numpy().astype(np.int64)[: len(array)]
    sizes = array.sizes.to_numpy().astype(np.int64)[: len(array)]
    child = array.values
    if validity is not None:
        starts, sizes = np.where(validity, starts, 0), np.where(validity, sizes, 0)
    wrong = (starts < 0) | (sizes < 0) | (starts + sizes > len(child))
    if wrong.any():
        row = int(wrong.argmax())
        raise OffsetsError(
            f"row {row} of {where} views {sizes[row]} values from {starts[row]}, there are {len(child)} values below"
        )
    offsets = np.zeros(len(array) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return Level(offsets, validity, None), gather.take(child, gather.ranges(starts, sizes))


def _check_leaf(array: pa.Array, where: str) -> pa.Array:
    """Refuse text and bytes whose own offsets would be read out of bounds."""
    type = array.type
    if len(array) and (pt.is_string(type) or pt.is_binary(type) or pt.is_large_string(type) or pt.is_large_binary(type)):
        wide = pt.is_large_string(type) or pt.is_large_binary(type)
        offsets = _read_offsets(array, np.int64 if wide else np.int32, f"the text of {where}")
        data = array.buffers()[2]
        if offsets[-1] > (0 if data is None else data.size):
            raise OffsetsError(f"the text of {where} ends at byte {offsets[-1]}, past its buffer")
    try:
        array.validate()
    except pa.ArrowInvalid as error:
        raise OffsetsError(f"the leaves of {where} are corrupt: {error}") from None
    return array


# ------------------------------------------------------------------------------------------------- going out


def wrap(levels: list[Level], values: pa.Array) -> pa.Array:
    """Nest flat values: `large_list` for each level, `fixed_size_list` where an extent is declared.

    Parameters
    ----------
    levels : list of Level
        Outermost first.
    values : pa.Array
        The leaf values; they and 64-bit offsets are shared, not copied, except under null rows of a declared extent.

    Returns
    -------
    pa.Array
        The storage of a jagged column.
    """
    for level in reversed(levels):
        values = _wrap_fixed(level, values) if level.extent else _wrap_large(level, values)
    return values


def _wrap_large(level: Level, values: pa.Array) -> pa.Array:
    buffers = [bitmap(level.validity), pa.py_buffer(level.offsets)]
    return pa.LargeListArray.from_buffers(pa.large_list(values.type), len(level.offsets) - 1, buffers, children=[values])


def _wrap_fixed(level: Level, values: pa.Array) -> pa.Array:
    assert level.extent is not None
    n, width = len(level.offsets) - 1, level.extent
    if level.validity is not None:
        starts = np.where(level.validity, level.offsets[:-1], 0)
        slots = (starts[:, None] + np.arange(width)).ravel()
        values = gather.take(values, slots, np.repeat(level.validity, width))
    type = pa.list_(values.type, width)
    return pa.FixedSizeListArray.from_buffers(type, n, [bitmap(level.validity)], children=[values])


def bitmap(valid: BoolArray | None) -> pa.Buffer | None:
    """Pack a validity into Arrow's bits; None where everything is valid."""
    return None if valid is None else pack_bits(valid)


# ------------------------------------------------------------------------------------------------- leaf values


def to_numpy(values: pa.Array) -> tuple[npt.NDArray[Any], BoolArray | None]:
    """Flat values as numpy data and a validity.

    Parameters
    ----------
    values : pa.Array
        Booleans, numbers or temporals; temporals become the integers that store them.

    Returns
    -------
    numpy.ndarray
        The data, shared with Arrow but for booleans; what stands under a null is unspecified.
    numpy.ndarray of bool or None
        True where valid; None where everything is.
    """
    dtype = _STORED.get(values.type.id)
    if dtype is not None:
        return _read_fixed(values, dtype), valid_of(values)
    if pt.is_null(values.type):
        return np.zeros(len(values)), np.zeros(len(values), bool)
    if pt.is_boolean(values.type):
        return _unpack_bits(values), valid_of(values)
    raise JagTypeError.no_kernel("conversion to numpy", values.type)


_NUMBERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
_STORED = {type.id: np.dtype(type.to_pandas_dtype()) for type in (*_NUMBERS, pa.float16(), pa.float32(), pa.float64())}
_STORED |= {type.id: np.dtype(np.int32) for type in (pa.date32(), pa.time32("s"))}
_STORED |= {type.id: np.dtype(np.int64) for type in (pa.date64(), pa.time64("us"), pa.timestamp("us"), pa.duration("us"))}
"""What numpy holds the values of a type in, by the type's number; temporals are the integers that store them."""


def _unpack_bits(values: pa.Array) -> BoolArray:
    buffer, n = values.buffers()[1], len(values)
    return np.zeros(n, bool) if n == 0 or buffer is None else unpack_bits(buffer, values.offset, n)


def _read_fixed(values: pa.Array, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    buffer = values.buffers()[1]
    if len(values) == 0 or buffer is None:
        return np.zeros(len(values), dtype)
    return np.frombuffer(buffer, dtype, len(values), values.offset * dtype.itemsize)


def from_numpy(data: npt.NDArray[Any], valid: BoolArray | None = None, type: pa.DataType | None = None) -> pa.Array:
    """Numpy data as an Arrow array, sharing the data but for booleans.

    Parameters
    ----------
    data : numpy.ndarray
        One-dimensional; integers stand for temporals when `type` says so.
    valid : numpy.ndarray of bool, optional
        True where valid.
    type : pa.DataType, optional
        The Arrow type of the result; by default that of the numpy dtype.

    Returns
    -------
    pa.Array
        The values.
    """
    type = pa.from_numpy_dtype(data.dtype) if type is None else type
    if valid is not None and np.count_nonzero(valid) == len(valid):
        valid = None
    if pt.is_boolean(type):
        return pa.Array.from_buffers(type, len(data), [bitmap(valid), pack_bits(data.astype(bool, copy=False))])
    contiguous = np.ascontiguousarray(data, dtype=_STORED[type.id])
    return pa.Array.from_buffers(type, len(data), [bitmap(valid), pa.py_buffer(contiguous)])


_FIRST_NUMBERS = pa.Array.from_buffers(pa.int64(), 1 << 12, [None, pa.py_buffer(np.arange(1 << 12, dtype=np.int64).tobytes())])
"""Not to be written to, as bytes are not."""


def numbers(n: int) -> pa.Array:
    """The numbers from 0 to before n; those of few items are shared by all who ask."""
    return _FIRST_NUMBERS.slice(0, n) if n <= len(_FIRST_NUMBERS) else pa.array(np.arange(n))


def order_key(values: pa.Array, operation: str = "ordering") -> tuple[npt.NDArray[Any], BoolArray | None]:
    """A numpy key that sorts and compares as the values do, for every type that has an order.

    Parameters
    ----------
    values : pa.Array
        Flat values.
    operation : str
        Who asks, for the error.

    Returns
    -------
    numpy.ndarray
        Numbers for numbers; dense int64 codes for text, bytes, decimals, dictionaries and structs. Equal values have equal keys.
    numpy.ndarray of bool or None
        True where valid.

    Raises
    ------
    JagTypeError
        If the type has no order.
    """
    type = values.type
    if isinstance(type, pa.BaseExtensionType):
        return order_key(values.storage, operation)
    if is_numeric(type) or is_temporal(type) or pt.is_null(type):
        return to_numpy(values)
    valid = valid_of(values)
    if pt.is_dictionary(type):
        codes, _ = order_key(values.dictionary, operation)
        place, _ = to_numpy(values.indices.cast(pa.int64()))
        if valid is not None:
            place = np.where(valid, place, 0)
        return (codes[place] if len(codes) else np.zeros(len(values), np.int64)), _dictionary_validity(values, valid)
    if pt.is_struct(type):
        return _struct_key(values, operation), valid
    if is_list_type(type) or pt.is_map(type):
        return _list_key(values, operation), valid
    if pt.is_interval(type) or pt.is_union(type):
        raise JagTypeError.no_kernel(operation, type, hint="The type has no order.")
    return dictionary_codes(values), valid


def _dictionary_validity(values: pa.Array, valid: BoolArray | None) -> BoolArray | None:
    """A null may also stand in the dictionary itself."""
    if values.dictionary.null_count == 0:
        return valid
    return plain(values).is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]  # pyarrow is untyped


def dictionary_codes(values: pa.Array) -> IntArray:
    """Rank of each value among the distinct ones; what stands for a null is unspecified."""
    type = values.type
    if pt.is_string_view(type):
        values = values.cast(pa.large_string())
    elif pt.is_binary_view(type):
        values = values.cast(pa.large_binary())
    elif pt.is_decimal(type) and type.bit_width < 128:
        values = values.cast(pa.decimal128(type.precision, type.scale))
    encoded = values.dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary).to_numpy()
    place = inverse(order)
    index, valid = to_numpy(encoded.indices.cast(pa.int64()))
    if valid is not None:
        index = np.where(valid, index, 0)
    return place[index] if len(place) else np.zeros(len(values), np.int64)


def _dense(keys: list[npt.NDArray[Any]]) -> IntArray:
    """Dense codes of tuples, in lexicographic order."""
    n = len(keys[0])
    order = np.lexsort(keys[::-1])
    fresh = np.zeros(n, bool)
    for key in keys:
        ranked = key[order]
        fresh[1:] |= ranked[1:] != ranked[:-1]
    codes = np.empty(n, np.int64)
    codes[order] = np.cumsum(fresh)
    return codes


def _normal(key: npt.NDArray[Any], valid: BoolArray | None) -> npt.NDArray[Any]:
    """Codes in which null sorts last, NaN just before it and equal to itself, and -0.0 equals 0.0."""
    if len(key) == 0:
        return np.zeros(0, np.int64)
    distinct, codes = np.unique(key + 0 if key.dtype.kind == "f" else key, return_inverse=True)
    codes = codes.reshape(-1)
    return codes if valid is None else np.where(valid, codes, len(distinct))


def _struct_key(values: pa.Array, operation: str) -> IntArray:
    if values.type.num_fields == 0 or len(values) == 0:
        return np.zeros(len(values), np.int64)
    return _dense([_normal(*order_key(field, operation)) for field in values.flatten()])


def _list_key(values: pa.Array, operation: str) -> IntArray:
    """Codes of whole lists: big-endian item codes are bytes that compare as the lists do."""
    level, child = _peel_level(values, operation)
    codes = np.ascontiguousarray(_normal(*order_key(decode(child), operation)).astype(">i8"))
    buffers = [None, pa.py_buffer(level.offsets * 8), pa.py_buffer(codes)]
    return dictionary_codes(pa.Array.from_buffers(pa.large_binary(), len(values), buffers))
