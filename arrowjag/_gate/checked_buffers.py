"""A registry of checked buffers, so that no buffer is checked twice during its lifetime.

A checked array gets one buffer that owns a token. The token references all buffers of the array, so their addresses can't be
reused before the last array that uses the buffer is deleted: an address in the registry always belongs to
checked memory.
"""

from __future__ import annotations

import weakref
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

__all__ = ["is_checked", "is_registered_type", "registered"]


class _Token:
    """Buffers whose slots from `start` to before `stop` were checked."""

    __slots__ = ("__weakref__", "buffers", "dictionary", "start", "stop")

    def __init__(self, array: pa.Array) -> None:
        self.buffers = array.buffers()
        self.dictionary = array.dictionary if pt.is_dictionary(array.type) else None
        self.start, self.stop = array.offset, array.offset + len(array)


_TOKENS: weakref.WeakValueDictionary[Any, _Token] = weakref.WeakValueDictionary()


_LONG = frozenset(
    {
        pa.lib.Type_STRING,
        pa.lib.Type_LARGE_STRING,
        pa.lib.Type_STRING_VIEW,
        pa.lib.Type_BINARY,
        pa.lib.Type_LARGE_BINARY,
        pa.lib.Type_BINARY_VIEW,
        pa.lib.Type_DICTIONARY,
        pa.lib.Type_DECIMAL32,
        pa.lib.Type_DECIMAL64,
        pa.lib.Type_DECIMAL128,
        pa.lib.Type_DECIMAL256,
    }
)


def _key(array: pa.Array) -> tuple[Any, ...]:
    """Type and buffer addresses of a flat array; for a dictionary also those of its values."""
    if not pt.is_dictionary(array.type):
        return (array.type, *_places(array))
    dictionary = array.dictionary
    return (array.type, *_places(array), dictionary.offset, len(dictionary), *_places(dictionary))


def _places(array: pa.Array) -> list[tuple[int, int] | None]:
    first, *others = array.buffers()
    valid = first if array.null_count else None  # pyarrow drops the bits of an array that it rebuilds without nulls
    return [None if one is None else (one.address, one.size) for one in (valid, *others)]


def is_registered_type(type: pa.DataType) -> bool:
    """Return whether arrays of a flat type are registered, because a check takes long: text, bytes, dictionaries, decimals."""
    return type.id in _LONG


def is_checked(array: pa.Array) -> bool:
    """Return whether all slots of a flat array were checked before, as part of this array or of another one on the same buffers."""
    token = _TOKENS.get(_key(array))
    return token is not None and token.start <= array.offset and array.offset + len(array) <= token.stop


def registered(array: pa.Array) -> pa.Array:
    """Return the same array on the same memory, and register it as checked.

    Parameters
    ----------
    array : pa.Array
        Flat, with at least two buffers.

    Returns
    -------
    pa.Array
        The array itself if its type is not registered, or it was checked before.
    """
    buffers = array.buffers()
    main = buffers[1]
    if main is None or main.size == 0 or not is_registered_type(array.type) or is_checked(array):
        return array
    token = _Token(array)
    _TOKENS[_key(array)] = token
    buffers[1] = pa.foreign_buffer(main.address, main.size, token)
    type, n, nulls, start = array.type, len(array), array.null_count, array.offset
    if pt.is_dictionary(type):
        indices = pa.Array.from_buffers(type.index_type, n, buffers, nulls, start)
        return pa.DictionaryArray.from_arrays(indices, array.dictionary, ordered=type.ordered, safe=False)
    return pa.Array.from_buffers(type, n, buffers, nulls, start)
