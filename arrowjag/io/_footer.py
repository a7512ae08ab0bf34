"""Footers of Parquet files: read the Arrow schema in a footer, or replace parts of the footer."""

from __future__ import annotations

import base64
import binascii
import functools
import re

import pyarrow as pa
import pyarrow.parquet as pq

from arrowjag._gate import storage_of
from arrowjag._pyarrow_versions import parquet_schema
from arrowjag.io._formats import START, other_format
from arrowjag.io._thrift import varint

__all__ = [
    "NO_MAP_KEYS",
    "encoded_schema",
    "parse_any",
    "parse_footer",
    "plain_content",
    "read_arrow_schema",
    "read_content",
    "read_end",
    "readable",
    "with_magic",
    "without_extensions",
]

NO_MAP_KEYS = "Map keys must be annotated as required"
"""The text of Arrow's error for maps with optional keys."""

_KEY = b"ARROW:schema"
_HEAD = b"\x18\x0cARROW:schema\x18"
_MAGIC = b"PAR1"


_TAIL = 1 << 16
"""Bytes to read from the end of a file in the first call; most footers are shorter."""


def read_content(source: pa.NativeFile) -> bytes:
    """Read the serialized footer of a Parquet file.

    Parameters
    ----------
    source : pyarrow.NativeFile
        The file.

    Returns
    -------
    bytes
        The footer in Thrift's compact protocol; `parse_footer` parses it.

    Raises
    ------
    ValueError
        If the file has no footer or an encrypted one; the message prefers Arrow's own error for the file.
    OSError
        If the store returns less than was asked for.
    """
    return read_end(source)[0]


def read_end(source: pa.NativeFile) -> tuple[bytes, bytes | None]:
    """Read the serialized footer of a Parquet file, and the whole file if the same call reads it.

    Parameters
    ----------
    source : pyarrow.NativeFile
        The file.

    Returns
    -------
    bytes
        As `read_content`.
    bytes or None
        The file; None for files of more than 64 KiB.

    Raises
    ------
    ValueError
        As `read_content`.
    OSError
        As `read_content`.
    """
    size = source.size()
    tail = _read_at(source, min(size, _TAIL), max(0, size - _TAIL))
    length = int.from_bytes(tail[-8:-4], "little")
    if size < 12 or tail[-4:] != _MAGIC or length > size - 12:
        if (other := other_format(bytes(source.read_at(min(size, START), 0)), "Parquet")) is not None:
            raise ValueError(f"it {other}")
        pq.read_metadata(source)
        raise ValueError("the footer is encrypted")
    whole = tail if len(tail) == size else None
    if length + 8 <= len(tail):
        return bytes(tail[-8 - length : -8]), whole
    return bytes(_read_at(source, length, size - 8 - length)), whole


def _read_at(source: pa.NativeFile, count: int, start: int) -> bytes:
    """Read a part of a file; raise if a store returns less, which would pass for a damaged file."""
    found: bytes = source.read_at(count, start)
    if len(found) < count:
        raise OSError(f"the store returned {len(found):,} of {count:,} bytes; read the file again")
    return found


def parse_footer(content: bytes) -> pq.FileMetaData:
    """Parse a footer with pyarrow.

    Parameters
    ----------
    content : bytes
        The result of `read_content`.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        Row groups and schema. Read metadata of column chunks only through `Chunks`.
    """
    return pq.read_metadata(pa.BufferReader(with_magic(content)))


def with_magic(content: bytes, rows: bytes = _MAGIC) -> bytes:
    """A footer as the end of a file; `rows` are the bytes before it, by default those of a file that holds nothing else."""
    return rows + content + len(content).to_bytes(4, "little") + _MAGIC


def read_arrow_schema(footer: pq.FileMetaData) -> pa.Schema | None:
    """Read the Arrow schema that the writer stored in the footer of a Parquet file.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer.

    Returns
    -------
    pa.Schema or None
        None if the footer has no Arrow schema, or one that can't be parsed.
    """
    encoded = (footer.metadata or {}).get(_KEY)
    return None if encoded is None else _decoded(encoded)


@functools.lru_cache(maxsize=16)
def _decoded(encoded: bytes) -> pa.Schema | None:
    """Files of one dataset have one schema."""
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))
    except (pa.ArrowException, binascii.Error, ValueError, OSError):
        return None


def without_extensions(footer: pq.FileMetaData, content: bytes, schema: pa.Schema | None) -> pq.FileMetaData:
    """Replace jagged types in the Arrow schema of a footer by their storage types.

    Readers can't read single leaves of an extension type, but any leaves of its storage type.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer of a file.
    content : bytes
        The serialized footer.
    schema : pa.Schema or None
        The result of `read_arrow_schema`.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        The new footer, or `footer` itself if it has no jagged types.
    """
    if schema is None or not any(isinstance(field.type, pa.BaseExtensionType) for field in schema):
        return footer
    return with_arrow_schema(footer, content, pa.schema([field.with_type(storage_of(field.type)) for field in schema]))


def plain_content(content: bytes) -> tuple[bytes, pa.Schema] | None:
    """Replace jagged types in the Arrow schema of a footer by their storage types before it is parsed.

    Parameters
    ----------
    content : bytes
        The serialized footer.

    Returns
    -------
    bytes
        The new footer.
    pa.Schema
        The Arrow schema that the writer stored. None in place of both if the schema has no jagged types, or can't be
        located in the bytes.
    """
    start = content.find(_HEAD)
    if start < 0 or content.find(_HEAD, start + 1) >= 0:
        return None
    place, length, shift = start + len(_HEAD), 0, 0
    for byte in content[place : place + 5]:
        length |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            break
    found = _plain_entry(content[place : place + length])
    if found is None or place + length > len(content):
        return None
    schema, entry = found
    return content[:start] + entry + content[place + length :], schema


@functools.lru_cache(maxsize=16)
def _plain_entry(encoded: bytes) -> tuple[pa.Schema, bytes] | None:
    schema = _decoded(encoded)
    if schema is None or not any(isinstance(field.type, pa.BaseExtensionType) for field in schema):
        return None
    plain = pa.schema([field.with_type(storage_of(field.type)) for field in schema])
    return schema, _entry(base64.b64encode(plain.serialize().to_pybytes()))


def readable(footer: pq.FileMetaData, content: bytes, schema: pa.Schema) -> pq.FileMetaData:
    """Replace types in the Arrow schema of a footer that this pyarrow can't read by similar ones.

    Parameters
    ----------
    footer : pyarrow.parquet.FileMetaData
        The footer that `without_extensions` returned.
    content : bytes
        The serialized footer of the file.
    schema : pa.Schema
        The schema that `footer` gives.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        The new footer, or `footer` itself if pyarrow can read all types.
    """
    types = parquet_schema(schema)
    return footer if types is schema else with_arrow_schema(footer, content, types)


def encoded_schema(schema: pa.Schema) -> dict[str, str]:
    """Encode an Arrow schema as an entry of the metadata of a file."""
    return {_KEY.decode(): base64.b64encode(schema.serialize().to_pybytes()).decode()}


def with_arrow_schema(footer: pq.FileMetaData, content: bytes, schema: pa.Schema) -> pq.FileMetaData:
    """Replace the Arrow schema of a footer, which is that of the content, or one that this function returned for it."""
    old = _entry(footer.metadata[_KEY])
    if old not in content:
        old = _entry(parse_footer(content).metadata[_KEY])
    new = _entry(base64.b64encode(schema.serialize().to_pybytes()))
    # The entry stores its own length, and no other part of the footer stores offsets in it.
    return parse_footer(content.replace(old, new)) if content.count(old) == 1 else footer


def _entry(value: bytes) -> bytes:
    """Encode the Arrow schema's key-value entry in Thrift's compact protocol: two strings, fields 1 and 2 of a struct."""
    return b"\x18" + varint(len(_KEY)) + _KEY + b"\x18" + varint(len(value)) + value


def parse_any(content: bytes) -> tuple[pq.FileMetaData, bool]:
    """Parse a footer; one with optional map keys, which Arrow refuses, with a list in place of every map.

    Parameters
    ----------
    content : bytes
        The serialized footer.

    Returns
    -------
    pyarrow.parquet.FileMetaData
        The footer.
    bool
        Whether Arrow parses the footer as it is; the statistics of others can't be used to skip row groups.
    """
    try:
        return parse_footer(content), True
    except (pa.ArrowException, OSError) as error:
        if NO_MAP_KEYS not in str(error):
            raise
        return _with_lists_for_maps(content), False


def _with_lists_for_maps(content: bytes) -> pq.FileMetaData:
    content = _KEY_VALUE.sub(lambda found: _if_named(found, b"\x15\x04\x00"), content)
    return parse_footer(_MAP.sub(lambda found: _if_named(found, b"\x15\x02\x15\x06\x00"), content))


# Ends of schema elements in Thrift's compact protocol: number of children (1 or 2), converted type (1 is MAP, 2 MAP_KEY_VALUE,
# 3 LIST; numbers are doubled), perhaps the same as a logical type.
_KEY_VALUE = re.compile(rb"\x15\x04\x15\x04\x00")
_MAP = re.compile(rb"\x15\x02\x15[\x02\x04](?:\x4c\x2c\x00\x00)?\x00")


def _if_named(found: re.Match[bytes], replacement: bytes) -> bytes:
    """Return the replacement if a name precedes the match, as in every schema element; otherwise the matched bytes."""
    before = found.string[max(0, found.start() - 130) : found.start()]
    is_named = any(before[-size - 2 : -size] == bytes([0x18, size]) for size in range(1, min(128, len(before) - 1)))
    return replacement if is_named else found[0]
