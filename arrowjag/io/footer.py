"""Footers of Parquet files: the Arrow schema that they carry, and the same footer with another one."""

from __future__ import annotations

import base64
import binascii
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["read_arrow_schema", "without_extensions"]

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
    content = content.replace(old, new)
    return pq.read_metadata(pa.BufferReader(b"PAR1" + content + len(content).to_bytes(4, "little") + b"PAR1"))


def _entry(value: bytes) -> bytes:
    """Key and value as Thrift's compact protocol has them: two strings, fields 1 and 2 of a struct."""
    return b"\x18" + _varint(len(_KEY)) + _KEY + b"\x18" + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)
