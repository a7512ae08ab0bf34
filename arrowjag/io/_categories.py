"""Ordered categories other than text: Parquet stores only their values, the metadata of the file their order.

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
from arrowjag._kernels.base.words import is_variable_size
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagValueError, brief

__all__ = ["METADATA_KEY", "Recorded", "category_facts", "encode", "ordered_type", "parse_categories", "with_categories"]

METADATA_KEY = "arrowjag.categories"

Recorded: TypeAlias = "dict[str, Recorded] | list[str]"
"""The categories of a column, as texts; those of a struct by the names of its fields. Lists have those of their items."""


def with_categories(recorded: Mapping[str, Recorded], table: pa.Table, file: str) -> dict[str, Recorded]:
    """Add the ordered categories of a part of a file to those of the parts before it.

    Parameters
    ----------
    recorded : mapping
        The categories of the columns of the earlier parts.
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
        If two parts have different categories, because a file stores one order of them.
    """
    found = dict(recorded)
    for field, column in zip(table.schema, table.columns, strict=True):
        if not has_ordered_categories(field.type):
            continue
        for chunk in column.chunks:
            ours = _recorded(chunk)
            try:
                found[field.name] = _joined(found.get(field.name, []), ours)
            except ValueError as error:
                raise JagValueError(
                    f"{file}, column {brief(field.name)}: its parts have different ordered categories, {error}, but a file stores "
                    "one order; cast all parts to the same categories, or to their plain type"
                ) from None
    return {name: one for name, one in found.items() if one}


def _recorded(array: pa.Array) -> Recorded:
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    if _arrow.is_list_type(array.type):
        return _recorded(array.values)
    if pt.is_struct(array.type):
        fields = {field.name: _recorded(array.field(place)) for place, field in enumerate(array.type)}
        return {name: one for name, one in fields.items() if one}
    # The dictionaries of a file keep the order of texts.
    is_recorded = pt.is_dictionary(array.type) and array.type.ordered and not is_variable_size(array.type.value_type)
    return _texts(array.dictionary) if is_recorded else []


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


def _joined(one: Recorded, other: Recorded) -> Recorded:
    if not one or not other:
        return one or other
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _joined(one.get(name, []), other.get(name, [])) for name in {**one, **other}}
    long, short = (one, other) if len(one) >= len(other) else (other, one)
    if isinstance(long, list) and isinstance(short, list) and long[: len(short)] == short:
        return long
    raise ValueError(f"{brief(one)} and {brief(other)}")


def category_facts(recorded: Mapping[str, Recorded]) -> dict[str, str]:
    """Return key and value for the metadata of a file; none if no column has such categories."""
    return {METADATA_KEY: json.dumps(recorded, sort_keys=True, separators=(",", ":"))} if recorded else {}


def parse_categories(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """Return the categories of columns from the metadata of a file; their form is not checked."""
    try:
        recorded = json.loads((metadata or {}).get(METADATA_KEY.encode(), b"{}"))
    except (ValueError, RecursionError):  # the metadata of a file may hold any bytes
        return {}
    return recorded if isinstance(recorded, dict) else {}


def ordered_type(type: pa.DataType, recorded: Any) -> pa.DataType:
    """Return a type in which dictionaries are ordered if the metadata of the file list categories that fit their type."""
    if not recorded:
        return type
    if isinstance(type, JaggedType):
        return JaggedType(ordered_type(type.storage_type, recorded), type.ndim)
    if _arrow.is_list_type(type):
        return _arrow.list_like(type, ordered_type(type.value_type, recorded))
    if pt.is_struct(type) and isinstance(recorded, dict):
        return pa.struct([field.with_type(ordered_type(field.type, recorded.get(field.name))) for field in type])
    if pt.is_dictionary(type) and _read(recorded, type.value_type) is not None:
        return pa.dictionary(type.index_type, type.value_type, ordered=True)
    return type


def _read(recorded: Any, type: pa.DataType) -> pa.Array | None:
    """Convert the categories in the metadata of a file to an array; None if they don't fit the type, or one occurs twice."""
    if not isinstance(recorded, list) or not all(isinstance(one, str) for one in recorded):
        return None
    try:
        found = _from_texts(recorded, type)
    except pa.ArrowException:
        return None
    return found if len(set(recorded)) == len(recorded) else None


def encode(array: pa.Array, type: pa.DataType, recorded: Any) -> pa.Array:
    """Encode values of a file as ordered categories.

    Parameters
    ----------
    array : pa.Array
        Values as the file stores them.
    type : pa.DataType
        The type of the categories.
    recorded : object
        The categories of the column in the metadata of the file; of any form, because other programs may write there.

    Returns
    -------
    pa.DictionaryArray
        Of the categories in the metadata; without any, of the values in the order in which they appear.

    Raises
    ------
    pa.ArrowInvalid
        If a value is none of the categories.
    """
    found = array.dictionary_encode()
    categories = _read(recorded, type)
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
