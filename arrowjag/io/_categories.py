"""Ordered categories other than text: Parquet stores their values alone, the metadata of the file their order.

Categories of text come back from the dictionaries of a file, which keep their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._gate import has_ordered_categories
from arrowjag._kernels.base.memory import is_variable_size
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagValueError, brief

__all__ = ["METADATA_KEY", "Told", "category_facts", "encode", "ordered_type", "parse_categories", "with_categories"]

METADATA_KEY = "arrowjag.categories"

Told: TypeAlias = "dict[str, Told] | list[str]"
"""The categories of a column, as texts; those of a struct by the names of its fields. Lists have those of their items."""


def with_categories(told: Mapping[str, Told], table: pa.Table, file: str) -> dict[str, Told]:
    """Add the ordered categories of a part of a file to those of the parts before it.

    Parameters
    ----------
    told : mapping
        The categories of the columns of the parts before.
    table : pa.Table
        The part.
    file : str
        The name of the file in messages.

    Returns
    -------
    dict
        The categories of both; those of the longer part, if the others are its first ones.

    Raises
    ------
    JagValueError
        If two parts have other categories, of which a reader could not tell the order.
    """
    found = dict(told)
    for field, column in zip(table.schema, table.columns, strict=True):
        if not has_ordered_categories(field.type):
            continue
        for chunk in column.chunks:
            ours = _told(chunk)
            try:
                found[field.name] = _joined(found.get(field.name, []), ours)
            except ValueError as error:
                raise JagValueError(
                    f"{file}, column {brief(field.name)}: its parts have other ordered categories, {error}, and a file has one "
                    "order of them; cast all parts to the same categories, or to their plain type"
                ) from None
    return {name: one for name, one in found.items() if one}


def _told(array: pa.Array) -> Told:
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    if _arrow.is_list_type(array.type):
        return _told(array.values)
    if pt.is_struct(array.type):
        fields = {field.name: _told(array.field(place)) for place, field in enumerate(array.type)}
        return {name: one for name, one in fields.items() if one}
    # Files keep the order of texts without metadata.
    is_told = pt.is_dictionary(array.type) and array.type.ordered and not is_variable_size(array.type.value_type)
    return _texts(array.dictionary) if is_told else []


def _texts(categories: pa.Array) -> list[str]:
    """Return the categories as texts from which they can be read again; none for types that can't."""
    try:
        texts: list[str] = _plain(categories).cast(pa.string()).to_pylist()
        return texts if _from_texts(texts, categories.type).equals(categories) else []
    except pa.ArrowException:
        return []


def _plain(categories: pa.Array) -> pa.Array:
    """Convert times to their counts, of which each has a text that Arrow reads."""
    return categories.cast(_arrow.counts_type(categories.type)) if pt.is_temporal(categories.type) else categories


def _from_texts(texts: list[str], type: pa.DataType) -> pa.Array:
    found = pa.array(texts, pa.string())
    return found.cast(_arrow.counts_type(type)).cast(type) if pt.is_temporal(type) else found.cast(type)


def _joined(one: Told, other: Told) -> Told:
    if not one or not other:
        return one or other
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _joined(one.get(name, []), other.get(name, [])) for name in {**one, **other}}
    long, short = (one, other) if len(one) >= len(other) else (other, one)
    if isinstance(long, list) and isinstance(short, list) and long[: len(short)] == short:
        return long
    raise ValueError(f"{brief(one)} and {brief(other)}")


def category_facts(told: Mapping[str, Told]) -> dict[str, str]:
    """Return key and value for the metadata of a file; none if no column has such categories."""
    return {METADATA_KEY: json.dumps(told, sort_keys=True, separators=(",", ":"))} if told else {}


def parse_categories(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """Return what the metadata of a file say of the categories of its columns, which may be anything."""
    try:
        told = json.loads((metadata or {}).get(METADATA_KEY.encode(), b"{}"))
    except (ValueError, RecursionError):  # the metadata of a file may hold any bytes
        return {}
    return told if isinstance(told, dict) else {}


def ordered_type(type: pa.DataType, told: Any) -> pa.DataType:
    """Return the type with those categories ordered that the metadata of a file tell; others, and wrong ones, unchanged."""
    if not told:
        return type
    if isinstance(type, JaggedType):
        return JaggedType(ordered_type(type.storage_type, told), type.ndim)
    if _arrow.is_list_type(type):
        return _arrow.list_like(type, ordered_type(type.value_type, told))
    if pt.is_struct(type) and isinstance(told, dict):
        return pa.struct([field.with_type(ordered_type(field.type, told.get(field.name))) for field in type])
    if pt.is_dictionary(type) and _read(told, type.value_type) is not None:
        return pa.dictionary(type.index_type, type.value_type, ordered=True)
    return type


def _read(told: Any, type: pa.DataType) -> pa.Array | None:
    """Return the told categories; None if they are none of the type, or one occurs twice."""
    if not isinstance(told, list) or not all(isinstance(one, str) for one in told):
        return None
    try:
        found = _from_texts(told, type)
    except pa.ArrowException:
        return None
    return found if len(set(told)) == len(told) else None


def encode(array: pa.Array, type: pa.DataType, told: Any) -> pa.Array:
    """Encode values of a file as ordered categories.

    Parameters
    ----------
    array : pa.Array
        Values as the file stores them.
    type : pa.DataType
        The type of the categories.
    told : object
        What the metadata of the file tell of the column.

    Returns
    -------
    pa.DictionaryArray
        Of the told categories; of the values in the order in which they appear where nothing is told.

    Raises
    ------
    pa.ArrowInvalid
        If a value is none of the categories.
    """
    found = array.dictionary_encode()
    categories = _read(told, type)
    if categories is None:
        return found
    places = _places(found.dictionary, categories.cast(array.type))
    if places.null_count:
        other = found.dictionary[pc.index(places.is_null(), True).as_py()]
        raise pa.ArrowInvalid(f"the value {other} is none of the categories that the metadata of the file name")
    return pa.DictionaryArray.from_arrays(places.take(found.indices), categories, ordered=True)


def _places(values: pa.Array, categories: pa.Array) -> pa.Array:
    """Return the places of values among categories, null for others."""
    both = pa.concat_arrays([categories, values]).dictionary_encode().indices
    found = both.slice(len(categories))
    return pc.if_else(pc.less(found, len(categories)), found, pa.scalar(None, found.type))
