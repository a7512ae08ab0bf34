"""Files whose Arrow schema has plain nested lists, and whose metadata name the columns that are jagged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from arrowjag import _arrow, _column
from arrowjag.dtype import JaggedType, metadata, parse_metadata
from arrowjag.functions._storage import storage_type

__all__ = ["METADATA_KEY", "describe_type", "jagged_type", "plain_schema", "typed_schema"]

#: The key of the metadata of files, of fields (Delta Lake), and the prefix of table properties (Iceberg).
METADATA_KEY = "arrowjag.jagged"


def jagged_type(type: pa.DataType, text: str | bytes | None) -> pa.DataType:
    """Return the jagged type that the metadata of a table give for a column; the type itself if they don't fit it.

    Parameters
    ----------
    type : pa.DataType
        The type of the column in the table: nested lists.
    text : str, bytes or None
        The result of `describe_type`, from the metadata of the table.

    Returns
    -------
    pa.DataType
        A `JaggedType`, with declared extents.
    """
    levels = _arrow.depth(type)
    if not text or levels == 0:
        return type
    ndim = parse_metadata(text, levels)
    extents = _extents(text, ndim)
    return JaggedType(type, ndim) if extents is None else JaggedType.of(JaggedType(type, ndim).leaf_type, ndim, extents)


def _extents(text: str | bytes, ndim: int) -> tuple[int | None, ...] | None:
    try:
        extents = json.loads(text)["extents"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    fits = isinstance(extents, list) and len(extents) == ndim and all(one is None or type(one) is int for one in extents)
    return tuple(extents) if fits and all(one is None or one >= 0 for one in extents) else None


def describe_type(type: JaggedType) -> str:
    """Return the metadata of a jagged column for a table, whose formats have no fixed-size lists: ndim and declared extents.

    Examples
    --------
    >>> describe_type(JaggedType.of(pa.int64(), 3, (None, None, 4)))
    '{"extents":[null,null,4],"ndim":3,"v":1}'
    """
    facts: dict[str, Any] = {"ndim": type.ndim, "v": 1}
    if any(extent is not None for extent in type.extents):
        facts["extents"] = list(type.extents)
    return json.dumps(facts, sort_keys=True, separators=(",", ":"))


def plain_schema(schema: pa.Schema, *, extents: bool) -> tuple[pa.Schema, dict[str, str]]:
    """Return the schema with plain nested lists, and the metadata of a file that restore the jagged types.

    Parameters
    ----------
    schema : pa.Schema
        A schema with the extension type of arrowjag.
    extents : bool
        Whether declared extents remain `fixed_size_list`, which tables of the lake don't have.

    Returns
    -------
    pa.Schema
        The same columns without extension types of arrowjag.
    dict
        Key and value for the file metadata; empty if no column is jagged.
    """
    types = {field.name: field.type for field in schema if isinstance(field.type, JaggedType)}
    facts = {name: json.loads(describe_type(type) if not extents else metadata(type.ndim)) for name, type in types.items()}
    plain = pa.schema([field.with_type(_plain(field.type, extents)) for field in schema], schema.metadata)
    return plain, {METADATA_KEY: json.dumps(facts, sort_keys=True, separators=(",", ":"))} if facts else {}


def _plain(type: pa.DataType, extents: bool) -> pa.DataType:
    if extents or not isinstance(type, JaggedType):
        return storage_type(type)
    return _column.storage_type(storage_type(type.leaf_type), type.ndim)


def typed_schema(schema: pa.Schema, found: Mapping[bytes, bytes] | None) -> pa.Schema:
    """Return the schema with the jagged types that the metadata of a file name; a type that doesn't fit its column is ignored.

    Parameters
    ----------
    schema : pa.Schema
        The Arrow schema of the file.
    found : mapping or None
        The metadata of the file.

    Returns
    -------
    pa.Schema
        Without arrowjag's key in its metadata.
    """
    recorded = _parsed((found or {}).get(METADATA_KEY.encode()))
    fields = [_typed(field, recorded[field.name]) if field.name in recorded else field for field in schema]
    kept = {key: value for key, value in (schema.metadata or {}).items() if key != METADATA_KEY.encode()}
    return pa.schema(fields, kept or None)


def _parsed(text: bytes | None) -> dict[str, Any]:
    try:
        recorded = json.loads(text or b"{}")
    except (ValueError, RecursionError):  # the metadata of a file may hold any bytes
        return {}
    return recorded if isinstance(recorded, dict) else {}


def _typed(field: pa.Field, recorded: Any) -> pa.Field:
    if not isinstance(recorded, dict) or isinstance(field.type, pa.BaseExtensionType):
        return field
    return field.with_type(jagged_type(field.type, json.dumps(recorded)))
