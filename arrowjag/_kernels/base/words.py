"""Arrow's bits and fixed-width values as numpy arrays, and Arrow's arrays from these.

A word is the memory of one item of a fixed-width type: a number, a boolean, a time or a decimal. Kernels that only move items read
them as unsigned integers of the same width, or as opaque items where they have more than 64 bits. The values of a dictionary type
are not called words.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import empty

__all__ = [
    "INTEGERS",
    "WORDS",
    "Bits",
    "aligned_bits",
    "all_set",
    "as_flags",
    "as_places",
    "bits_at",
    "bits_of_valid",
    "both_valid",
    "copied_bytes",
    "data_of",
    "from_words",
    "has_words",
    "is_string",
    "is_variable_size",
    "nulls_like",
    "or_all",
    "pack_bits",
    "unless_all",
    "unpack_bits",
    "valid_of",
    "with_bits",
    "without_validity",
]

INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
"""Arrow's types of integers."""

_BYTE, _FLAG, _PLACE = np.dtype(np.uint8), np.dtype(np.bool_), np.dtype(np.int64)
"""Made once: numpy looks a type up at each call."""

WORDS: dict[int, np.dtype[Any]] = {bits: np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)}
WORDS |= {bits: np.dtype(f"V{bits // 8}") for bits in (128, 256)}
"""As which type values are moved, by the bits of an item."""

_STRINGS = frozenset((pa.string().id, pa.large_string().id))
_TEXTS = _STRINGS | {pa.binary().id, pa.large_binary().id}
"""Ids of types: four functions of pyarrow would be asked for each text that is moved."""

_HAS_WORDS: dict[int, bool] = {}
"""Answers of `has_words`, by type id."""


class Bits:
    """Which values are not null, as Arrow's bits: `flags` unpacks them where a kernel needs a byte for each."""

    __slots__ = ("_bits", "_first", "_flags", "_n")

    def __init__(self, bits: pa.Buffer, first: int, n: int) -> None:
        self._bits, self._first, self._n = bits, first, n
        self._flags: npt.NDArray[np.bool_] | None = None

    def flags(self) -> npt.NDArray[np.bool_]:
        """A boolean per value, unpacked once."""
        if self._flags is None:
            self._flags = unpack_bits(self._bits, self._first, self._n)
        return self._flags

    def as_array(self) -> pa.Array[Any]:
        """Arrow's booleans, which share the bits."""
        return pa.Array.from_buffers(pa.bool_(), self._n, [None, self._bits], 0, self._first)

    def packed(self) -> npt.NDArray[np.uint8]:
        """The bits as bytes; the bit of the first value is the first one of its byte."""
        return aligned_bits(self._bits, self._first, self._n)


def all_set(flags: npt.NDArray[np.bool_]) -> bool:
    """Whether all flags are set; the first one that is not ends the search."""
    if len(flags) < strategy.sizes.CALL_VALUES:  # a fraction of the time of `all`
        return not len(flags) or bool(flags[flags.argmin()])
    return bool(np.logical_and.reduce(flags))


def unless_all(valid: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
    """The flags, or None if all are set."""
    return None if all_set(valid) else valid


def or_all(valid: npt.NDArray[np.bool_] | None, n: int) -> npt.NDArray[np.bool_]:
    """The flags of n items: those given, or new ones that are all set for None."""
    return np.ones(n, np.bool_) if valid is None else valid


def both_valid(one: npt.NDArray[np.bool_] | None, two: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_] | None:
    """Which items are valid in both; None if all are."""
    if one is None or two is None:
        return two if one is None else one
    return one & two


def unpack_bits(bits: pa.Buffer, first: int, n: int) -> npt.NDArray[np.bool_]:
    """The n bits from the first on as booleans, a new array; ten times as fast as a cast of pyarrow.

    Many are unpacked block by block into memory of Arrow's pool, for which numpy would take that of the C library.
    """
    skip = first & 7
    packed = np.frombuffer(bits, _BYTE, (skip + n + 7) >> 3, first >> 3)
    if len(packed) < strategy.sizes.UNPACKED_BYTES:
        flags = np.unpackbits(packed, None, skip + n, "little").view(_FLAG)
        return flags[skip:] if skip else flags
    flags = empty(len(packed) << 3, _FLAG)
    for at in range(0, len(packed), strategy.sizes.UNPACKED_BLOCK):
        part = packed[at : at + strategy.sizes.UNPACKED_BLOCK]
        flags[at << 3 : (at + len(part)) << 3] = np.unpackbits(part, None, None, "little").view(_FLAG)
    return flags[skip : skip + n]


def bits_at(bits: pa.Buffer, first: int, n: int, places: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Some of the n bits from the first on, by their places, as booleans: a few are read one by one, many after unpacking all."""
    if strategy.choose("bits_at", len(places), n) == "unpacked":
        found: npt.NDArray[np.bool_] = unpack_bits(bits, first, n)[places]
        return found
    where = np.add(places, first, dtype=np.int64)
    flags: npt.NDArray[np.uint8] = np.frombuffer(bits, _BYTE)[where >> 3] >> (where & 7).astype(_BYTE)
    return (flags & _BYTE.type(1)).view(_FLAG)


def as_flags(valid: npt.NDArray[np.bool_] | Bits | None) -> npt.NDArray[np.bool_] | None:
    """Which values are not null, as booleans; None if all are."""
    return valid.flags() if isinstance(valid, Bits) else valid


def pack_bits(flags: npt.NDArray[Any]) -> pa.Buffer:
    """Booleans, or bytes that are not 0, as Arrow's bits; a new buffer."""
    return pa.py_buffer(np.packbits(flags, None, "little"))


def aligned_bits(bits: pa.Buffer, first: int, n: int) -> npt.NDArray[Any]:
    """Bytes that hold the n bits from number `first` on, and begin with it; shared if it begins a byte already."""
    if first % 8:
        return np.packbits(unpack_bits(bits, first, n), bitorder="little")
    return np.frombuffer(bits, np.uint8, (n + 7) // 8, first // 8)


def bits_of_valid(*arrays: pa.Array[Any]) -> npt.NDArray[np.uint8] | None:
    """The bits, as `aligned_bits`, of which items are valid in all of some arrays of one length; None if all are."""
    bits = [aligned_bits(one.buffers()[0], one.offset, len(one)) for one in arrays if one.null_count]
    return functools.reduce(np.bitwise_and, bits) if bits else None


def has_words(type: pa.DataType) -> bool:
    """Whether items of the type are words, which lie side by side in one buffer, next to their validity."""
    found = _HAS_WORDS.get(type.id)
    if found is None:
        found = _HAS_WORDS[type.id] = bool(pt.is_primitive(type) or pt.is_decimal(type))
    return found


def data_of(values: Any) -> NDArray[Any]:
    """The words of values, as unsigned integers of their width or as opaque items, shared; booleans as bytes, a new array.

    Values under nulls are arbitrary.
    """
    width, n = values.type.bit_width, len(values)
    if width == 1:  # booleans
        return unpack_bits(values.buffers()[1], values.offset, n).view(_BYTE) if n else np.zeros(0, _BYTE)
    dtype = WORDS[width]
    return np.frombuffer(values.buffers()[1], dtype, n, values.offset * (width >> 3)) if n else np.empty(0, dtype)


def valid_of(values: Any) -> NDArray[np.bool_] | None:
    """Which values are not null; None if all are."""
    if values.null_count == 0:
        return None
    bits = values.buffers()[0]
    if bits is None:  # of the null type
        return np.zeros(len(values), np.bool_)
    return unpack_bits(bits, values.offset, len(values))


def without_validity(values: pa.Array[Any]) -> pa.Array[Any]:
    """Values of a fixed-width type without their validity, on the same words: those under nulls become values. Others stay."""
    if values.null_count == 0 or not has_words(values.type):
        return values
    return pa.Array.from_buffers(values.type, len(values), [None, values.buffers()[1]], 0, values.offset)


def from_words(
    type: pa.DataType, data: NDArray[Any], valid: NDArray[Any] | None = None, bits: NDArray[np.uint8] | None = None
) -> pa.Array[Any]:
    """Values from their words, which are shared except for booleans; flags or Arrow's bits tell which values are not null."""
    words = pack_bits(data) if type.bit_width == 1 else pa.py_buffer(data)
    known = pack_bits(valid) if valid is not None else None if bits is None else pa.py_buffer(bits)
    return pa.Array.from_buffers(type, len(data), [known, words])


def as_places(index: NDArray[Any], valid: NDArray[np.bool_] | None) -> pa.Array[Any]:
    """Positions as Arrow's integers, null where `valid` is False; shared where they are int64 side by side.

    pyarrow copies positions with a mask one by one, and takes longer to look at an array of numpy than to take few texts.
    """
    if valid is None and index.dtype != _PLACE:
        return pa.array(index)
    return from_words(pa.int64(), np.ascontiguousarray(index, np.int64), valid)


def nulls_like(values: Any, n: int) -> pa.Array[Any]:
    """Return `n` nulls of the type of an array; dictionaries keep their values, which are the categories of ordered ones."""
    type = values.type
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(pa.nulls(n, type.index_type), values.dictionary, ordered=type.ordered)
    if pt.is_struct(type) and type.num_fields:
        fields = [nulls_like(values.field(slot), n) for slot in range(type.num_fields)]
        return pa.StructArray.from_arrays(fields, fields=list(type), mask=pa.repeat(True, n))
    return pa.nulls(n, type)


def with_bits(values: pa.Array[Any], bits: NDArray[np.uint8] | None) -> pa.Array[Any]:
    """Add a validity, as Arrow's bits, to words or texts that have none and begin at the start of their buffers."""
    return values if bits is None else pa.Array.from_buffers(values.type, len(values), [pa.py_buffer(bits), *values.buffers()[1:]])


def copied_bytes(value: pa.Scalar[Any]) -> int:
    """Return how many bytes a copy of a valid text, struct or list takes; 0 for values of a fixed width."""
    if has_words(value.type):
        return 0
    if is_variable_size(value.type):
        return int(value.as_buffer().size)
    return int(pa.repeat(value, 1).nbytes) if pt.is_nested(value.type) else 0


def is_variable_size(type: pa.DataType) -> bool:
    """Whether items are text or bytes side by side, cut by offsets of their own."""
    return type.id in _TEXTS


def is_string(type: pa.DataType) -> bool:
    """Whether items are text cut by offsets: not views, for which Arrow lacks most kernels."""
    return type.id in _STRINGS
