"""Names of columns and of the leaves inside them: "docs.score" is the field score of the structs in the lists of docs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import several
from arrowjag.dtype import JaggedType
from arrowjag.errors import JagTypeError, JagValueError, brief
from arrowjag.io._conflicts import refuse_conflicts

__all__ = ["Selection", "leaf_names", "leaf_places", "leaf_types", "part_of_type", "select"]

#: Maps each selected column to the paths of selected fields inside it; the empty path selects the whole column.
Selection: TypeAlias = dict[str, set[tuple[str, ...]]]


def select(schema: pa.Schema, names: Sequence[str]) -> Selection:
    """Resolve names of columns and leaves.

    Parameters
    ----------
    schema : pa.Schema
        The schema of the files.
    names : sequence of str
        Names of columns, or paths of column and nested fields joined by dots; lists have no name in a path, and the fields of a map
        are key and value. A column whose own name contains the dots takes precedence.

    Returns
    -------
    dict
        The selected paths per column; columns in the order of their first occurrence in `names`.

    Raises
    ------
    JagTypeError
        If `names` is a single str.
    JagValueError
        If a name is unknown; the message lists the known ones.

    Examples
    --------
    >>> schema = pa.schema([("docs", pa.list_(pa.struct([("score", pa.float64()), ("id", pa.int64())])))])
    >>> select(schema, ["docs.score"])
    {'docs': {('score',)}}
    >>> select(schema, ["docs.scores"])
    Traceback (most recent call last):
    arrowjag.errors.JagValueError: there is no column or leaf 'docs.scores'; there are docs, docs.score, docs.id
    """
    if isinstance(names, str):
        raise JagTypeError(f"columns must be a list of names, got the str {brief(names)}: write columns=[{brief(names)}]")
    found: Selection = {}
    fields = list(schema)
    known = {field.name for field in fields}
    for name in several(names, "columns must be a list of names"):
        if not isinstance(name, str):
            raise JagTypeError(f"columns must be a list of names, got {brief(name)} in it")
        path = (name,) if name in known else _find(fields, name)
        if path is None:
            refuse_conflicts(field for field in schema if name.startswith(f"{field.name}."))
            raise JagValueError(f"there is no column or leaf {brief(name)}; there are {', '.join(leaf_names(schema))}")
        found.setdefault(path[0], set()).add(path[1:])
    return found


def _find(fields: Sequence[pa.Field], name: str) -> tuple[str, ...] | None:
    for field in fields:
        if field.name == name:
            return (name,)
    for field in fields:
        if name.startswith(field.name + "."):
            below = _find(_fields_below(field.type), name[len(field.name) + 1 :])
            if below is not None:
                return (field.name, *below)
    return None


def _fields_below(type: pa.DataType) -> list[pa.Field]:
    """Return the fields of the struct or the map inside any number of nested lists; empty if there is none."""
    if isinstance(type, JaggedType):
        return _fields_below(type.storage_type)
    if _arrow.is_list_type(type):
        return _fields_below(type.value_type)
    if pt.is_map(type):
        return _entry_fields(type)
    return list(type) if pt.is_struct(type) else []


def _entry_fields(type: pa.MapType) -> list[pa.Field]:
    return [type.key_field.with_name("key"), type.item_field.with_name("value")]


def leaf_names(schema: pa.Schema) -> list[str]:
    """Return all names that `select` accepts, in the order of the schema.

    Parameters
    ----------
    schema : pa.Schema
        The schema of the files.

    Returns
    -------
    list of str
        Columns, each followed by the fields inside it.
    """
    return list(_names(list(schema), ""))


def _names(fields: Sequence[pa.Field], prefix: str) -> Iterator[str]:
    for field in fields:
        yield prefix + field.name
        yield from _names(_fields_below(field.type), f"{prefix}{field.name}.")


def part_of_type(type: pa.DataType, paths: set[tuple[str, ...]]) -> pa.DataType:
    """Reduce a type to its selected fields, with unchanged dimensions.

    Parameters
    ----------
    type : pa.DataType
        The type of a whole column.
    paths : set of tuple of str
        The selected paths inside the column.

    Returns
    -------
    pa.DataType
        The reduced type; fields keep their order. A map of which only keys or only values are selected becomes a list of structs.
    """
    if () in paths:
        return type
    if isinstance(type, JaggedType):
        return JaggedType(part_of_type(type.storage_type, paths), type.ndim)
    if pt.is_struct(type):
        return _part_of_struct(list(type), paths)
    if pt.is_map(type):
        entry = _part_of_struct(_entry_fields(type), paths)
        return pa.map_(*(field.type for field in entry)) if entry.num_fields == 2 else pa.list_(entry)
    return _arrow.list_like(type, part_of_type(type.value_type, paths))


def _part_of_struct(fields: list[pa.Field], paths: set[tuple[str, ...]]) -> pa.StructType:
    wanted = [(field, _below(paths, field.name)) for field in fields]
    return pa.struct([field.with_type(part_of_type(field.type, below)) for field, below in wanted if below])


def _below(paths: set[tuple[str, ...]], name: str) -> set[tuple[str, ...]]:
    return {path[1:] for path in paths if path[:1] == (name,)}


def leaf_places(schema: pa.Schema, selection: Selection) -> list[int]:
    """Return the indices of the Parquet columns that hold a selection.

    Parameters
    ----------
    schema : pa.Schema
        The Arrow view of one file, its leaves in the order of the file.
    selection : dict
        The selected paths per column. Columns missing from the file are skipped. For a missing field, the function selects a
        sibling field, whose levels determine nulls and lists.

    Returns
    -------
    list of int
        In ascending order.
    """
    places: list[int] = []
    start = 0
    for field in schema:
        if field.name in selection:
            places += _places(field.type, selection[field.name], start)
        start += _leaf_count(field.type)
    return places


def _places(type: pa.DataType, paths: set[tuple[str, ...]], start: int) -> list[int]:
    if () in paths:
        return list(range(start, start + _leaf_count(type)))
    if isinstance(type, pa.BaseExtensionType):
        return _places(type.storage_type, paths, start)
    if _arrow.is_list_type(type):
        return _places(type.value_type, paths, start)
    if not (pt.is_struct(type) or pt.is_map(type)):
        return list(range(start, start + _leaf_count(type)))
    places: list[int] = []
    first = start
    for field in _fields_below(type):
        below = _below(paths, field.name)
        places += _places(field.type, below, start) if below else []
        start += _leaf_count(field.type)
    return places or [first]


def _leaf_count(type: pa.DataType) -> int:
    """Return the number of Parquet columns of an Arrow type."""
    return sum(1 for _ in leaf_types(type))


def leaf_types(type: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types of the Parquet columns of an Arrow type, in their order."""
    if isinstance(type, pa.BaseExtensionType):
        yield from leaf_types(type.storage_type)
    elif _arrow.is_list_type(type):
        yield from leaf_types(type.value_type)
    elif pt.is_map(type) or pt.is_struct(type):
        for inner in (type.key_type, type.item_type) if pt.is_map(type) else (field.type for field in type):
            yield from leaf_types(inner)
    else:
        yield type
