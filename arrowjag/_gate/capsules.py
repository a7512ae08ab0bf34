"""Import Arrow data of other libraries over the C interface; maps are checked before pyarrow builds them.

pyarrow aborts the process for a map with null entries or null keys. So this module reads the structures of the interface first, for
types that contain a map.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._kernels.base.words import unpack_bits
from arrowjag.errors import OffsetsError
from arrowjag.typing import ArrowData

__all__ = ["import_data", "import_table"]

_MAX_DEPTH = 64
"""The maximal depth that pyarrow itself imports."""


class _Schema(ctypes.Structure):
    """ArrowSchema of the C interface."""


class _Array(ctypes.Structure):
    """ArrowArray of the C interface."""


class _Stream(ctypes.Structure):
    """ArrowArrayStream of the C interface."""


_RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)),
    ("release", _RELEASE),
    ("private_data", ctypes.c_void_p),
]

_address: Any = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype, _address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class _Carrier:
    """An object that returns capsules which another object has exported."""

    def __init__(self, array: Any = None, stream: Any = None) -> None:
        if array is not None:
            self.__arrow_c_array__ = lambda _schema=None: array
        if stream is not None:
            self.__arrow_c_stream__ = lambda _schema=None: stream


def import_data(data: Any, where: str) -> ArrowData:
    """Import an array, or the chunks of a stream.

    Parameters
    ----------
    data : object
        With ``__arrow_c_array__`` or ``__arrow_c_stream__``.
    where : str
        What to call it in messages.

    Returns
    -------
    pa.Array or pa.ChunkedArray
        On the memory of the other library.

    Raises
    ------
    OffsetsError
        If a map has null entries or null keys.
    """
    if hasattr(data, "__arrow_c_stream__"):
        capsule = data.__arrow_c_stream__()
        found = _checked_stream(capsule, where)
        return pa.chunked_array(_Carrier(stream=capsule)) if found is None else pa.chunked_array(found[1], found[0])
    schema, array = capsules = data.__arrow_c_array__()
    _check(_Schema.from_address(_address(schema, b"arrow_schema")), _Array.from_address(_address(array, b"arrow_array")), where)
    return pa.array(_Carrier(array=capsules))


def import_table(data: Any, where: str) -> pa.Table:
    """Import a frame; parameters and errors as of `import_data`."""
    capsule = data.__arrow_c_stream__()
    found = _checked_stream(capsule, where)
    if found is None:
        return pa.table(_Carrier(stream=capsule))
    type, chunks = found
    schema = pa.schema(list(type))
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(one) for one in chunks], schema)


def _checked_stream(capsule: Any, where: str) -> tuple[pa.DataType, list[pa.Array]] | None:
    """Return the type and the checked chunks of a stream; None, without reading it, if it has no map or no readable schema."""
    address = _address(capsule, b"arrow_array_stream")
    stream, schema = _Stream.from_address(address), _Schema()
    if stream.get_schema(address, ctypes.byref(schema)):
        return None
    try:
        if not _has_map(schema, 0):
            return None
        again = _Schema()
        stream.get_schema(address, ctypes.byref(again))  # pyarrow releases the structures that it imports
        type = pa.DataType._import_from_c(ctypes.addressof(again))
        chunks: list[pa.Array] = []
        while True:
            array = _Array()
            if stream.get_next(address, ctypes.byref(array)):
                reason = stream.get_last_error(address) or b"no reason is given"
                raise OffsetsError(f"{where} can't be read: {reason.decode(errors='replace')}")
            if not array.release:
                return type, chunks
            try:
                _check(schema, array, where)
            except OffsetsError:
                array.release(ctypes.addressof(array))
                raise
            chunks.append(pa.Array._import_from_c(ctypes.addressof(array), type))
    finally:
        schema.release(ctypes.addressof(schema))


def _has_map(schema: _Schema, depth: int) -> bool:
    if depth > _MAX_DEPTH:  # pyarrow refuses it
        return False
    if schema.format == b"+m":
        return True
    below = [schema.children[place].contents for place in range(schema.n_children)]
    below += [schema.dictionary.contents] if schema.dictionary else []
    return any(_has_map(one, depth + 1) for one in below)


def _check(schema: _Schema, array: _Array, where: str, depth: int = 0) -> None:
    """Raise for maps that would make pyarrow abort the process; pyarrow itself raises for inconsistent structures."""
    if depth > _MAX_DEPTH or not array.release or array.n_children != schema.n_children:
        return
    if schema.format == b"+m" and array.n_children == 1:
        entries = array.children[0].contents
        keys = entries.children[0].contents if entries.n_children else entries
        for one in (entries, keys):
            if _may_hold_nulls(one):
                raise OffsetsError(f"a map of {where} has a null entry or a null key")
            one.null_count = 0  # of keys beside bits, pyarrow 22 aborts the process where another library left the nulls uncounted
    for place in range(schema.n_children):
        _check(schema.children[place].contents, array.children[place].contents, where, depth + 1)
    if schema.dictionary and array.dictionary:
        _check(schema.dictionary.contents, array.dictionary.contents, where, depth + 1)


def _may_hold_nulls(array: _Array) -> bool:
    """Return whether pyarrow has counted the nulls of an array, or trusts a given count."""
    if array.null_count >= 0 or array.n_buffers == 0 or not array.buffers[0]:
        return bool(array.null_count > 0)
    last = array.offset + array.length
    bits = pa.foreign_buffer(array.buffers[0], (last + 7) // 8)
    return not bool(np.all(unpack_bits(bits, array.offset, array.length)))
