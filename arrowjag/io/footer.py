"""Footers of Parquet files: the Arrow schema that they carry, and the same footer with another one."""

from __future__ import annotations

import base64
import binascii
import io
import re
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["maps_as_lists", "read_arrow_schema", "without_extensions"]

_KEY = b"ARROW:schema"


def read_arrow_schema(footer: pq.FileMetaData) -> pa.Schema | None:
    """The Arrow schema that the writer of a Parquet file left in its footer.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer.

    Returns
    -------
    pa.Schema or None
        None where the writer left none, or something that can't be read.
    """
    encoded = (footer.metadata or {}).get(_KEY)
    if encoded is None:
        return None
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))
    except (pa.ArrowException, binascii.Error, ValueError, OSError):
        return None


def without_extensions(footer: pq.FileMetaData, schema: pa.Schema | None) -> pq.FileMetaData:
    """A footer whose Arrow schema knows no jagged type, only its storage.

    Readers refuse to leave out leaves of an extension type; of its storage they read any part.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer of a file.
    schema : pa.Schema or None
        The Arrow schema in it, as `read_arrow_schema` tells.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        The footer itself where nothing had to be changed.
    """
    if schema is None or not any(isinstance(field.type, pa.BaseExtensionType) for field in schema):
        return footer
    plain = pa.schema([field.with_type(_storage(field.type)) for field in schema])
    old = footer.metadata[_KEY]
    return _replaced(footer, _entry(old), _entry(base64.b64encode(plain.serialize().to_pybytes())))


def _storage(type: pa.DataType) -> pa.DataType:
    return type.storage_type if isinstance(type, pa.BaseExtensionType) else type


def _replaced(footer: pq.FileMetaData, old: bytes, new: bytes) -> Any:
    """Exchange one entry of the key-value list: it holds its own length, and nothing else in the footer counts bytes."""
    whole = io.BytesIO()
    footer.write_metadata_file(whole)
    content = whole.getvalue()[4:-8]
    if content.count(old) != 1:
        return footer
    return _parsed(content.replace(old, new))


def _parsed(content: bytes) -> Any:
    return pq.read_metadata(pa.BufferReader(b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1"))


def _entry(value: bytes) -> bytes:
    """Key and value as Thrift's compact protocol has them: two strings, fields 1 and 2 of a struct."""
    return b"\x18" + _varint(len(_KEY)) + _KEY + b"\x18" + _varint(len(value)) + value


def maps_as_lists(source: pa.NativeFile) -> pq.FileMetaData:
    """The footer of a file whose maps do not promise keys, which Arrow refuses: its maps read as lists of keys and values.

    Parameters
    ----------
    source : pyarrow.NativeFile
        The file.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        Every map of the file is a list in it. Arrow parses the result, and refuses what it can't read.
    """
    size = source.size()
    length = int.from_bytes(source.read_at(4, size - 8), "little")
    content = source.read_at(length, size - 8 - length)
    content = _KEY_VALUE.sub(lambda found: _if_named(found, b"\x15\x04\x00"), content)
    return _parsed(_MAP.sub(lambda found: _if_named(found, b"\x15\x02\x15\x06\x00"), content))


# Ends of schema elements in Thrift's compact protocol: number of children (1 or 2), converted type (1 is MAP, 2 MAP_KEY_VALUE,
# 3 LIST; numbers are doubled), perhaps the same as a logical type.
_KEY_VALUE = re.compile(rb"\x15\x04\x15\x04\x00")
_MAP = re.compile(rb"\x15\x02\x15[\x02\x04](?:\x4c\x2c\x00\x00)?\x00")


def _if_named(found: re.Match[bytes], replacement: bytes) -> bytes:
    """The replacement where a name stands before the match, as in every schema element; else what was there."""
    before = found.string[max(0, found.start() - 130) : found.start()]
    is_named = any(before[-size - 2 : -size] == bytes([0x18, size]) for size in range(1, min(128, len(before) - 1)))
    return replacement if is_named else found[0]


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
