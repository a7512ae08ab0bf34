"""Flat values: their validity, conversion to and from numpy, decoded dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._arrow.types import is_numeric
from arrowjag._gate.checked_buffers import is_registered_type, registered
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.words import INTEGERS, Bits, all_set, pack_bits, unpack_bits, valid_of, with_bits
from arrowjag._kernels.move import gather
from arrowjag._pyarrow_versions import numpy_dtype
from arrowjag.errors import JagTypeError
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "bitmap",
    "bits_of",
    "data_alone",
    "field_of",
    "fields_of",
    "from_numpy",
    "null_as",
    "numbers",
    "plain",
    "plain_numbers",
    "structs",
    "to_int64",
    "to_numpy",
    "to_numpy_bits",
    "valid_of",
    "vouched",
]


def plain_numbers(values: pa.Array, operation: str) -> pa.Array:
    """Cast the null type to int64; raise for types that are not numeric."""
    type = values.type
    if is_numeric(type):
        return values
    if pt.is_null(type):
        return pa.nulls(len(values), pa.int64())
    raise JagTypeError.no_kernel(operation, type)


def field_of(values: pa.Array, place: int) -> pa.Array:
    """Return a field of structs, null where the struct is null."""
    type = values.type.field(place).type
    child = values.field(place)
    if values.null_count == 0:
        return child  # not by pc.struct_field, which loses the dictionary of an empty dictionary
    if not (pt.is_union(type) or pt.is_run_end_encoded(type)):
        return pc.struct_field(values, [place])
    # These types have no bitmap of their own that Arrow could join the struct's to: it aborts the process, or loses the nulls.
    child = pc.run_end_decode(child) if pt.is_run_end_encoded(type) else child
    return child.take(pc.if_else(values.is_valid(), numbers(len(values)), None))


def fields_of(values: pa.Array) -> list[pa.Array]:
    """Return all fields of structs, null where the struct is null."""
    return [field_of(values, place) for place in range(values.type.num_fields)]


def structs(fields: list[pa.Array], types: list[pa.Field], valid: BoolArray | None = None) -> pa.Array:
    """Build structs of fields of one length, null where `valid` is False; a mask of pyarrow would take four times as long."""
    if valid is None:
        return pa.StructArray.from_arrays(fields, fields=types)
    return pa.Array.from_buffers(pa.struct(types), len(valid), [pack_bits(valid)], children=fields)


def vouched(values: pa.Array) -> pa.Array:
    """Return the leaves of a column, registered as checked."""
    if pt.is_struct(values.type) and len(values):
        fields = [values.field(place) for place in range(values.type.num_fields)]
        known = [vouched(field) for field in fields]
        if all(one is two for one, two in zip(fields, known, strict=True)):
            return values
        valid = bitmap(valid_of(values))
        return pa.Array.from_buffers(values.type, len(values), [valid], values.null_count, children=known)
    return registered(values) if is_registered_type(values.type) else values


def plain(array: pa.Array) -> pa.Array:
    """Decode a dictionary array. Text views become `large_string`, which pyarrow can gather; those in nested values stay."""
    dictionary, indices = array.dictionary, array.indices
    if pt.is_string_view(dictionary.type) or pt.is_binary_view(dictionary.type):
        dictionary = dictionary.cast(pa.large_string() if pt.is_string_view(dictionary.type) else pa.large_binary())
    return gather.take_at(dictionary, indices)


def bitmap(valid: BoolArray | None) -> pa.Buffer | None:
    """Pack a validity into Arrow's bits; None if all items are valid."""
    return None if valid is None else pack_bits(valid)


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
        return _read_fixed(values, dtype), valid_of(values) if values.null_count else None
    if pt.is_null(values.type):
        return np.zeros(len(values)), np.zeros(len(values), bool)
    if pt.is_boolean(values.type):
        return _unpack_bits(values), valid_of(values)
    raise JagTypeError.no_kernel("conversion to numpy", values.type)


def to_int64(values: pa.Array) -> tuple[IntArray, BoolArray | None]:
    """Convert integers and booleans to int64 and a validity; a uint64 beyond int64 becomes the largest int64."""
    data, valid = to_numpy(values)
    if data.dtype == np.uint64:
        data = np.minimum(data, np.uint64(2**63 - 1))
    return data.astype(np.int64, copy=False), valid


def to_numpy_bits(values: pa.Array) -> tuple[npt.NDArray[Any], BoolArray | Bits | None]:
    """Convert flat values to numpy data and a validity, whose bits are unpacked once a kernel asks for flags."""
    if values.null_count == 0 or values.type.id not in _STORED:
        return to_numpy(values)
    return data_alone(values), bits_of(values)


def bits_of(values: pa.Array) -> Bits:
    """Return which values are not null, of an array that has a bitmap."""
    return Bits(values.buffers()[0], values.offset, len(values))


_STORED = {type.id: np.dtype(numpy_dtype(type)) for type in (*INTEGERS, pa.float16(), pa.float32(), pa.float64())}
_STORED |= {type.id: np.dtype(np.int32) for type in (pa.date32(), pa.time32("s"))}
_STORED |= {type.id: np.dtype(np.int64) for type in (pa.date64(), pa.time64("us"), pa.timestamp("us"), pa.duration("us"))}
"""The numpy dtype of each Arrow type, by type id; temporal types map to the integers that store them."""

_BY_DTYPE = {np.dtype(numpy_dtype(type)): type for type in (*INTEGERS, pa.float16(), pa.float32(), pa.float64(), pa.bool_())}
"""The Arrow type of each numpy dtype of numbers."""


def data_alone(values: pa.Array) -> npt.NDArray[Any]:
    """Convert flat values to numpy data; those under nulls are arbitrary."""
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
    bits = None if valid is None or all_set(valid) else pack_bits(valid)
    if type is None:
        type = _BY_DTYPE.get(data.dtype) or pa.from_numpy_dtype(data.dtype)
    stored = _STORED.get(type.id)
    if stored is None:
        return pa.Array.from_buffers(type, len(data), [bits, pack_bits(data.astype(bool, copy=False))])
    if data.dtype is not stored or not data.flags.c_contiguous:
        data = np.ascontiguousarray(data, stored)
    return pa.Array.from_buffers(type, len(data), [bits, pa.py_buffer(data)])


def null_as(values: pa.Array, data: npt.NDArray[Any], type: pa.DataType | None = None) -> pa.Array:
    """Convert numpy data to an array that is null where `values` are; it shares their bits if the first begins a byte."""
    if not values.null_count or values.buffers()[0] is None:  # the null type has no bits
        return from_numpy(data, valid_of(values), type)
    return with_bits(from_numpy(data, None, type), bits_of(values).packed())


_FIRST_NUMBERS = pa.Array.from_buffers(pa.int64(), 1 << 12, [None, pa.py_buffer(np.arange(1 << 12, dtype=np.int64).tobytes())])
"""Read-only, as bytes are."""


def numbers(n: int, first: int = 0) -> pa.Array:
    """Return n integers from the first on; small arrays of those from 0 are cached and shared."""
    if not first and n <= len(_FIRST_NUMBERS):
        return _FIRST_NUMBERS.slice(0, n)

    def work(items: slice, out: IntArray) -> None:
        out[:] = np.arange(first + items.start, first + items.stop, dtype=np.int64)

    return pa.array(fill(work, n, np.int64))
