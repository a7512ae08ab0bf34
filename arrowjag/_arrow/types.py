"""Tests of Arrow types: levels of nesting, numbers, times."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._gate import LISTS, inside, list_like, storage_of

__all__ = [
    "EXTENSION_NAME",
    "counts_type",
    "depth",
    "entry_type",
    "holds_floats",
    "is_jagged_extension",
    "is_level_type",
    "is_list_type",
    "is_numeric",
    "is_temporal",
    "level_types",
    "list_like",
    "may_truncate",
]

EXTENSION_NAME = "arrowjag.jagged"

_IS_NUMERIC: dict[int, bool] = {}
_IS_TEMPORAL: dict[int, bool] = {}
"""Answers by type id, each of which takes several calls of pyarrow."""


def is_list_type(type: pa.DataType) -> bool:
    """Return whether an Arrow type is a list of any kind; `is_level_type` also accepts maps."""
    return type.id in LISTS


def is_level_type(type: pa.DataType) -> bool:
    """Return whether an Arrow type is one level of nesting: a list, or a map, which is a list of entries."""
    return type.id in LISTS or bool(pt.is_map(type))


def entry_type(type: pa.DataType) -> pa.DataType:
    """The type of a map's entries, as one level below it."""
    return pa.struct([("key", type.key_type), ("value", type.item_type)])


def is_jagged_extension(type: pa.DataType) -> bool:
    """Return whether a type is the extension type of arrowjag, registered or not."""
    return isinstance(type, pa.BaseExtensionType) and type.extension_name == EXTENSION_NAME


def depth(type: pa.DataType) -> int:
    """Number of list levels around the leaf type."""
    levels = 0
    while is_list_type(type):
        type, levels = type.value_type, levels + 1
    return levels


def level_types(type: pa.DataType) -> tuple[list[pa.DataType], pa.DataType]:
    """Return the types of all levels, and the leaf type; a map is a level of entries."""
    levels = []
    while is_level_type(type):
        levels.append(type)
        type = entry_type(type) if pt.is_map(type) else type.value_type
    return levels, type


def is_temporal(type: pa.DataType) -> bool:
    """Return whether a type stores dates, times or durations as integers."""
    found = _IS_TEMPORAL.get(type.id)
    if found is None:
        found = bool(pt.is_timestamp(type) or pt.is_date(type) or pt.is_time(type) or pt.is_duration(type))
        _IS_TEMPORAL[type.id] = found
    return found


def counts_type(type: pa.DataType) -> pa.DataType:
    """Return the integer type that stores dates, times or durations, the only one to and from which Arrow casts them."""
    return pa.int32() if type.bit_width == 32 else pa.int64()


def is_numeric(type: pa.DataType) -> bool:
    """Whether numpy computes with the values: bool, integers and floats."""
    found = _IS_NUMERIC.get(type.id)
    if found is None:
        found = _IS_NUMERIC[type.id] = bool(pt.is_integer(type) or pt.is_floating(type) or pt.is_boolean(type))
    return found


def holds_floats(type: pa.DataType) -> bool:
    """Return whether values of a type are floats, or hold some."""
    storage = storage_of(type)
    return bool(pt.is_floating(storage)) or any(map(holds_floats, inside(storage)))


def may_truncate(type: pa.DataType) -> bool:
    """Return whether pyarrow may truncate Python objects to a type, at any depth: integers, times, short floats to infinity."""
    is_short = bool(pt.is_floating(type) and type.bit_width < 64)
    return is_short or bool(pt.is_integer(type) or pt.is_temporal(type)) or any(map(may_truncate, inside(type)))
