"""The gate: normalise Arrow arrays of any layout, and write columns as Arrow arrays.

Behind the gate offsets are int64, start at 0, never decrease and end at the number of values; values have no slack; a null row
has size 0. Invalid data raises `OffsetsError` here and never reaches a kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._gate import LISTS, canonical_layout, check_type, read_offsets, secure
from arrowjag._integers import check_ndim
from arrowjag._kernels.base.memory import pack_bits, unpack_bits
from arrowjag._kernels.move import copy_runs, gather
from arrowjag._kernels.move.scatter import inverse
from arrowjag._known import is_remembered_type, remembered
from arrowjag._pyarrow_versions import has_views, numpy_dtype, run_end_decode, with_data_of_views
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.typing import ArrowData, BoolArray, IntArray

__all__ = [
    "EXTENSION_NAME",
    "Level",
    "arrived",
    "bitmap",
    "combine_chunks",
    "data_alone",
    "depth",
    "dictionary_codes",
    "from_numpy",
    "is_level_type",
    "is_list_type",
    "is_numeric",
    "is_temporal",
    "join",
    "level_types",
    "name_words",
    "numbers",
    "order_key",
    "peel",
    "plain",
    "shared_words",
    "to_numpy",
    "valid_of",
    "vouched",
    "word_places",
    "wrap",
]

EXTENSION_NAME = "arrowjag.jagged"


class Level(NamedTuple):
    """One level of nesting: int64 `offsets` from 0, `validity` of the rows (None: all valid), declared `extent`."""

    offsets: IntArray
    validity: BoolArray | None
    extent: int | None


# ------------------------------------------------------------------------------------------------- types


def is_list_type(type: pa.DataType) -> bool:
    """Return whether an Arrow type is a list of any kind; `is_level_type` also accepts maps."""
    return type.id in LISTS


def is_level_type(type: pa.DataType) -> bool:
    """Return whether an Arrow type is one level of nesting: a list, or a map, which is a list of entries."""
    return type.id in LISTS or bool(pt.is_map(type))


def entry_type(type: pa.DataType) -> pa.DataType:
    """The type of a map's entries, as one level below it."""
    return pa.struct([("key", type.key_type), ("value", type.item_type)])


def is_jagged_extension(type: pa.DataType) -> bool:
    """Return whether a type is the extension type of arrowjag, registered or not."""
    return isinstance(type, pa.BaseExtensionType) and type.extension_name == EXTENSION_NAME


def depth(type: pa.DataType) -> int:
    """Number of list levels around the leaf type."""
    levels = 0
    while is_list_type(type):
        type, levels = type.value_type, levels + 1
    return levels


def level_types(type: pa.DataType) -> tuple[list[pa.DataType], pa.DataType]:
    """Return the types of all levels, and the leaf type; a map is a level of entries."""
    levels = []
    while is_level_type(type):
        levels.append(type)
        type = entry_type(type) if pt.is_map(type) else type.value_type
    return levels, type


def is_temporal(type: pa.DataType) -> bool:
    """Return whether a type stores dates, times or durations as integers."""
    return bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_time(type) or pt.is_duration(type))


def is_numeric(type: pa.DataType) -> bool:
    """Whether numpy computes with the values: bool, integers and floats."""
    return bool(pt.is_integer(type) or pt.is_floating(type) or pt.is_boolean(type))


def plain_numbers(values: pa.Array, operation: str) -> pa.Array:
    """Cast the null type to int64; raise for types that are not numeric."""
    if pt.is_null(values.type):
        return pa.nulls(len(values), pa.int64())
    if not is_numeric(values.type):
        raise JagTypeError.no_kernel(operation, values.type)
    return values


# ------------------------------------------------------------------------------------------------- coming in


def combine_chunks(data: ArrowData) -> pa.Array:
    """Return one contiguous array; a single chunk is returned without a copy (`combine_chunks` of pyarrow would copy it)."""
    if not isinstance(data, pa.ChunkedArray):
        return data
    if data.num_chunks == 0:
        return pa.nulls(0, data.type)
    return join(data.chunks)


def join(arrays: list[pa.Array]) -> pa.Array:
    """Concatenate at least one array of one type; a single array is returned unchanged."""
    # Arrays without items may lack buffers; pyarrow crashes when it concatenates them.
    filled = [array for array in arrays if len(array)] or arrays[:1]
    return filled[0] if len(filled) == 1 else _concat(filled)


def _concat(chunks: list[pa.Array]) -> pa.Array:
    """Concatenate.

    Lists that pyarrow can't concatenate (too many items for 32 bits, views, no width) are normalised, text of more
    than 2 GB becomes `large_string`, and dictionaries with more values than their index type can count get a wider index.
    """
    chunks = [_with_buffers(chunk) for chunk in chunks]
    _check_orders(chunks)
    try:
        return pa.concat_arrays(chunks)
    except (pa.ArrowInvalid, pa.ArrowIndexError):
        if is_list_type(chunks[0].type):
            chunks = [wrap(*peel(chunk)) for chunk in chunks]
    while True:
        try:
            return pa.concat_arrays(chunks)
        except pa.ArrowInvalid as error:
            wide = _widened(chunks[0].type, "larger index type" in str(error))
            if wide == chunks[0].type:
                raise
        chunks = [chunk.cast(wide) for chunk in chunks]


def _widened(type: pa.DataType, words: bool) -> pa.DataType:
    """Return the type with a wider dictionary index, or with 64-bit offsets for text, bytes and lists."""
    if pt.is_dictionary(type) and words:
        index = pa.int32() if type.index_type.bit_width < 32 else pa.int64()
        return pa.dictionary(index, type.value_type, type.ordered)
    if pt.is_string(type) and not words:
        return pa.large_string()
    if pt.is_binary(type) and not words:
        return pa.large_binary()
    if pt.is_struct(type):
        return pa.struct([field.with_type(_widened(field.type, words)) for field in type])
    if pt.is_fixed_size_list(type):
        return pa.list_(type.value_field.with_type(_widened(type.value_type, words)), type.list_size)
    if pt.is_list(type) or pt.is_large_list(type):
        return pa.large_list(type.value_field.with_type(_widened(type.value_type, words)))
    return type


def _with_buffers(array: pa.Array) -> pa.Array:
    """Return the array with its empty children created anew: they may lack buffers, and concatenating those crashes pyarrow."""
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
        # pyarrow can't concatenate structs that contain a slice of nulls.
        whole = [pa.nulls(len(array)) if pt.is_null(field.type) else _with_buffers(field) for field in fields]
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
        Any nested layout: lists of five kinds, maps, arrays of our type, in lists too; slices and chunks.
    ndim : int, optional
        Number of levels wanted, the rows included. By default every list and every map is a level, down to the leaves of the
        extension type. The leaves of a map are structs of `key` and `value`.
    where : str
        The name of the data in error messages.

    Returns
    -------
    list of Level
        One entry per list level, outermost first; there are ``ndim - 1``.
    pa.Array
        The leaf values in one piece, without slack.

    Raises
    ------
    OffsetsError
        If offsets are not a valid cut of the values below them.
    ShapeError
        If the array has fewer levels than `ndim` asks for.
    """
    if ndim is not None:
        check_ndim(ndim, where)
    array = decode(arrived(data, where))
    if ndim is None and pt.is_primitive(array.type):
        return [], array
    levels: list[Level] = []
    asked = ndim is not None
    array, ndim = _unwrapped(array, ndim, 0)
    while (ndim is None and is_level_type(array.type)) or (ndim is not None and len(levels) < ndim - 1):
        if not is_level_type(array.type):
            if not pt.is_null(array.type):
                got = len(levels) + 1
                raise ShapeError(f"{where} has {got} dims (leaf type {array.type}), ndim={ndim} was asked for")
            levels.append(_null_level(array))
            array = pa.nulls(0)
            continue
        level, array = _peel_level(array)
        levels.append(level)
        array, ndim = _unwrapped(decode(array), ndim, len(levels))
    if not asked and pt.is_map(array.type):  # the extension type counts list levels only
        level, array = _peel_level(array)
        levels.append(level)
    return levels, array


def arrived(data: ArrowData, where: str) -> pa.Array:
    """Return one contiguous array that every kernel can read: `arrowjag._gate.secure` checks each chunk before concatenation."""
    if not isinstance(data, pa.ChunkedArray):
        return canonical_layout(secure(data, where))
    chunks = [canonical_layout(secure(chunk, where)) for chunk in data.chunks if len(chunk)]
    if not chunks:
        check_type(data.type, where)
        return data.chunk(0) if data.num_chunks and pt.is_dictionary(data.type) else pa.nulls(0, data.type)
    return join(chunks)


def _unwrapped(array: pa.Array, ndim: int | None, levels: int) -> tuple[pa.Array, int | None]:
    """Return the storage of an extension array found below `levels` levels, and its declared ndim if the caller gave none."""
    if not is_jagged_extension(array.type):
        return array, ndim
    told = getattr(array.type, "ndim", None)
    return array.storage, levels + told if ndim is None and told is not None else ndim


def vouched(values: pa.Array) -> pa.Array:
    """Return the leaves of a column, registered as checked."""
    if pt.is_struct(values.type) and len(values):
        fields = [values.field(place) for place in range(values.type.num_fields)]
        known = [vouched(field) for field in fields]
        if all(one is two for one, two in zip(fields, known, strict=True)):
            return values
        valid = bitmap(valid_of(values))
        return pa.Array.from_buffers(values.type, len(values), [valid], values.null_count, children=known)
    return remembered(values) if is_remembered_type(values.type) else values


def decode(array: pa.Array) -> pa.Array:
    """Decode layouts that no list kernel supports: run-end encoding, dictionaries of lists or of null, and tensors."""
    if isinstance(array.type, pa.FixedShapeTensorType) and all(array.type.shape):
        return _tensors_as_lists(array)
    if pt.is_run_end_encoded(array.type):
        return decode(run_end_decode(array))
    if pt.is_dictionary(array.type) and is_level_type(array.type.value_type):
        return decode(array.dictionary_decode())
    if pt.is_dictionary(array.type) and pt.is_null(array.type.value_type):
        return pa.nulls(len(array))
    return array


def _tensors_as_lists(array: pa.Array) -> pa.Array:
    """Tensors of one shape as nested lists of fixed sizes; values are copied if the dims are permuted."""
    storage, physical, order = array.storage, list(array.type.shape), array.type.permutation
    size = storage.type.list_size
    flat = storage.values.slice(storage.offset * size, len(storage) * size)
    shape = physical
    if order is not None and list(order) != sorted(order):
        shape = [physical[place] for place in order]
        places = np.arange(size).reshape(physical).transpose(order).reshape(-1)
        flat = flat.take(pa.array((np.arange(len(storage))[:, None] * size + places).reshape(-1)))
    for extent in reversed(shape[1:]):
        flat = pa.FixedSizeListArray.from_arrays(flat, extent)
    return pa.FixedSizeListArray.from_arrays(flat, shape[0], mask=storage.is_null() if storage.null_count else None)


def plain(array: pa.Array) -> pa.Array:
    """Decode a dictionary array; text views become `large_string`, because pyarrow can't gather them."""
    words = array.dictionary
    if pt.is_string_view(words.type) or pt.is_binary_view(words.type):
        words = words.cast(pa.large_string() if pt.is_string_view(words.type) else pa.large_binary())
    return pa.DictionaryArray.from_arrays(array.indices, words).dictionary_decode()


def _null_level(array: pa.Array) -> Level:
    """Convert an array of the null type to null rows."""
    n = len(array)
    return Level(np.zeros(n + 1, np.int64), np.zeros(n, bool) if n else None, None)


def valid_of(array: pa.Array) -> BoolArray | None:
    """Return which items are valid; None if all are."""
    if len(array) == 0 or array.null_count == 0:
        return None
    bits = array.buffers()[0]
    if bits is not None and not pt.is_union(array.type):
        return unpack_bits(bits, array.offset, len(array))
    mask: BoolArray = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


def _peel_level(array: pa.Array) -> tuple[Level, pa.Array]:
    if len(array) == 0:
        return _peel_empty(array)
    type = array.type
    if pt.is_fixed_size_list(type):
        return _peel_fixed(array)
    offsets = read_offsets(array, "", check=False)
    child = _map_entries(array) if pt.is_map(type) else array.values
    validity = valid_of(array)
    if validity is not None:
        null = np.logical_not(validity).nonzero()[0]
        hidden = null[offsets[null + 1] > offsets[null]]
        if len(hidden):
            child, offsets = child.slice(int(offsets[0]), int(offsets[-1] - offsets[0])), offsets - offsets[0]
            return Level(copy_runs.offsets_with(offsets, hidden), validity, None), copy_runs.drop_rows(child, offsets, hidden)
    first, last = int(offsets[0]), int(offsets[-1])
    child = child if first == 0 and last == len(child) else child.slice(first, last - first)
    return Level(offsets if first == 0 else offsets - first, validity, None), child


def _peel_empty(array: pa.Array) -> tuple[Level, pa.Array]:
    """An array without rows may lack its offsets buffer, so the buffer is not read."""
    type = array.type
    extent = type.list_size if pt.is_fixed_size_list(type) else None
    item = entry_type(type) if pt.is_map(type) else type.value_type
    return Level(np.zeros(1, np.int64), None, extent), pa.nulls(0, item)


def _map_entries(array: pa.Array) -> pa.Array:
    """Return the entries as structs of `key` and `value`; pyarrow's `keys` would drop the slice offset."""
    entries = array.values
    type = entry_type(array.type)
    parts = [entries.field(0), entries.field(1)]
    return pa.StructArray.from_arrays(parts, fields=list(type))


def _peel_fixed(array: pa.Array) -> tuple[Level, pa.Array]:
    width, n = array.type.list_size, len(array)
    validity = valid_of(array)
    child = array.values.slice(array.offset * width, n * width)
    if validity is None:
        return Level(np.arange(n + 1, dtype=np.int64) * width, None, width), child
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.where(validity, width, 0), out=offsets[1:])
    return Level(offsets, validity, width), gather.filter_values(child, np.repeat(validity, width))


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
    if not len(values) and values.offset and has_views(values.type):  # Arrow refuses to import such views from an offset on
        values = pa.nulls(0, values.type)
    values = with_data_of_views(values)
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
    """Pack a validity into Arrow's bits; None if all items are valid."""
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
        The data, shared with Arrow except for booleans; items under nulls are unspecified.
    numpy.ndarray of bool or None
        True where valid; None if all items are valid.
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
_STORED = {type.id: np.dtype(numpy_dtype(type)) for type in (*_NUMBERS, pa.float16(), pa.float32(), pa.float64())}
_STORED |= {type.id: np.dtype(np.int32) for type in (pa.date32(), pa.time32("s"))}
_STORED |= {type.id: np.dtype(np.int64) for type in (pa.date64(), pa.time64("us"), pa.timestamp("us"), pa.duration("us"))}
"""The numpy dtype of each Arrow type, by type id; temporal types map to the integers that store them."""


_BY_DTYPE = {np.dtype(numpy_dtype(type)): type for type in (*_NUMBERS, pa.float16(), pa.float32(), pa.float64(), pa.bool_())}
"""The Arrow type of each numpy dtype of numbers."""


def data_alone(values: pa.Array) -> npt.NDArray[Any]:
    """As `to_numpy`, without the validity."""
    dtype = _STORED.get(values.type.id)
    return to_numpy(values)[0] if dtype is None else _read_fixed(values, dtype)


def _unpack_bits(values: pa.Array) -> BoolArray:
    buffer, n = values.buffers()[1], len(values)
    return np.zeros(n, bool) if n == 0 or buffer is None else unpack_bits(buffer, values.offset, n)


def _read_fixed(values: pa.Array, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    buffer = values.buffers()[1]
    if len(values) == 0 or buffer is None:
        return np.zeros(len(values), dtype)
    return np.frombuffer(buffer, dtype, len(values), values.offset * dtype.itemsize)


def from_numpy(data: npt.NDArray[Any], valid: BoolArray | None = None, type: pa.DataType | None = None) -> pa.Array:
    """Convert numpy data to an Arrow array, which shares the data except for booleans.

    Parameters
    ----------
    data : numpy.ndarray
        One-dimensional; integers represent times if `type` is a temporal type.
    valid : numpy.ndarray of bool, optional
        True where valid.
    type : pa.DataType, optional
        The Arrow type of the result; by default that of the numpy dtype.

    Returns
    -------
    pa.Array
        The values.
    """
    if type is None:
        type = _BY_DTYPE.get(data.dtype) or pa.from_numpy_dtype(data.dtype)
    bits = None if valid is None or np.count_nonzero(valid) == len(valid) else pack_bits(valid)
    if pt.is_boolean(type):
        return pa.Array.from_buffers(type, len(data), [bits, pack_bits(data.astype(bool, copy=False))])
    stored = _STORED[type.id]
    if data.dtype != stored or not data.flags.c_contiguous:
        data = np.ascontiguousarray(data, dtype=stored)
    return pa.Array.from_buffers(type, len(data), [bits, pa.py_buffer(data)])


_FIRST_NUMBERS = pa.Array.from_buffers(pa.int64(), 1 << 12, [None, pa.py_buffer(np.arange(1 << 12, dtype=np.int64).tobytes())])
"""Read-only, as bytes are."""


def numbers(n: int) -> pa.Array:
    """Return the integers from 0 to n - 1; small arrays are cached and shared."""
    return _FIRST_NUMBERS.slice(0, n) if n <= len(_FIRST_NUMBERS) else pa.array(np.arange(n))


def order_key(
    values: pa.Array, operation: str = "ordering", *, descending: bool = False
) -> tuple[npt.NDArray[Any], BoolArray | None]:
    """Return a numpy key that sorts and compares like the values, for every type that has an order.

    Parameters
    ----------
    values : pa.Array
        Flat values.
    operation : str
        The name of the operation in error messages.
    descending : bool
        Whether the largest key comes first: inside structs and lists, null and NaN then get the smallest
        codes, so that they come last in both directions.

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
        return order_key(values.storage, operation, descending=descending)
    if is_numeric(type) or is_temporal(type) or pt.is_null(type):
        return to_numpy(values)
    valid = valid_of(values)
    if pt.is_dictionary(type):
        if type.ordered:
            return to_numpy(word_places(values))
        codes, _ = order_key(values.dictionary, operation)
        place, _ = to_numpy(values.indices.cast(pa.int64()))
        if valid is not None:
            place = np.where(valid, place, 0)
        return (codes[place] if len(codes) else np.zeros(len(values), np.int64)), _dictionary_validity(values, valid)
    if pt.is_struct(type):
        return _struct_key(values, operation, descending), valid
    if is_list_type(type) or pt.is_map(type):
        return _list_key(values, operation, descending), valid
    if pt.is_interval(type) or pt.is_union(type):
        raise JagTypeError.no_kernel(operation, type, hint="The type has no order.")
    return dictionary_codes(values), valid


def word_places(values: pa.Array) -> pa.Array:
    """Return the index of each item's dictionary value as int64; equal dictionary values share the first index."""
    words = values.dictionary
    places = values.indices.cast(pa.int64())
    if len(words) == 0:
        return places
    _, first, code = np.unique(order_key(words)[0], return_index=True, return_inverse=True)
    return places if len(first) == len(words) else pa.array(first[code.reshape(-1)]).take(places)


def shared_words(dictionaries: list[pa.Array], operation: str) -> pa.Array:
    """Return the longest list of ordered categories, if all others are a prefix of it.

    Raises
    ------
    JagValueError
        If one is not a prefix of the longest: the items have no common order.
    """
    longest = max(dictionaries, key=len)
    for words in dictionaries:
        first = longest.slice(0, len(words))
        if words is not longest and not (words.equals(first) or words.to_pylist() == first.to_pylist()):
            raise JagValueError(
                f"{operation}: the ordered categories {name_words(words)} and {name_words(longest)} differ, so that their items "
                "have no common order. Cast one of them to its plain type first."
            )
    return longest


def name_words(words: pa.Array) -> str:
    """Format the values of a dictionary for a message: the first ones and their number."""
    named = ", ".join(map(repr, words.slice(0, 8).to_pylist()))
    return f"[{named}]" if len(words) <= 8 else f"[{named}, ... {len(words)} in all]"


def _check_orders(arrays: list[pa.Array]) -> None:
    """Raise if ordered dictionaries differ: pyarrow would append the categories of one to those of the other."""
    type = arrays[0].type
    if pt.is_dictionary(type) and type.ordered:
        shared_words([array.dictionary for array in arrays], "concat")
    elif pt.is_struct(type):
        for place in range(type.num_fields):
            _check_orders([array.field(place) for array in arrays])
    elif is_list_type(type):
        _check_orders([array.values for array in arrays])


def _dictionary_validity(values: pa.Array, valid: BoolArray | None) -> BoolArray | None:
    """The dictionary itself may contain a null, too."""
    if values.dictionary.null_count == 0:
        return valid
    return plain(values).is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]  # pyarrow is untyped


def dictionary_codes(values: pa.Array) -> IntArray:
    """Return the rank of each value among the distinct values; the code of a null is unspecified."""
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
    """Return dense codes of tuples, in lexicographic order."""
    n = len(keys[0])
    order = np.lexsort(keys[::-1])
    fresh = np.zeros(n, bool)
    for key in keys:
        ranked = key[order]
        fresh[1:] |= ranked[1:] != ranked[:-1]
    codes = np.empty(n, np.int64)
    codes[order] = np.cumsum(fresh)
    return codes


def _normal(key: npt.NDArray[Any], valid: BoolArray | None, descending: bool) -> npt.NDArray[Any]:
    """Return codes that sort null last and NaN just before it, in both directions; NaN equals itself, -0.0 equals 0.0."""
    if len(key) == 0:
        return np.zeros(0, np.int64)
    distinct, codes = np.unique(key + 0 if key.dtype.kind == "f" else key, return_inverse=True)
    codes = codes.reshape(-1)
    if descending and key.dtype.kind == "f" and np.isnan(distinct[-1]):
        codes = np.where(codes == len(distinct) - 1, -1, codes)
    return codes if valid is None else np.where(valid, codes, -2 if descending else len(distinct))


def _struct_key(values: pa.Array, operation: str, descending: bool) -> IntArray:
    if values.type.num_fields == 0 or len(values) == 0:
        return np.zeros(len(values), np.int64)
    return _dense([_normal(*order_key(field, operation, descending=descending), descending) for field in values.flatten()])


def _list_key(values: pa.Array, operation: str, descending: bool) -> IntArray:
    """Return codes of whole lists: the bytes of big-endian item codes compare like the lists."""
    level, child = _peel_level(values)
    codes = _normal(*order_key(decode(child), operation, descending=descending), descending)
    codes = np.ascontiguousarray((codes + 2).astype(">i8"))  # comparison of bytes is unsigned
    buffers = [None, pa.py_buffer(level.offsets * 8), pa.py_buffer(codes)]
    return dictionary_codes(pa.Array.from_buffers(pa.large_binary(), len(values), buffers))
