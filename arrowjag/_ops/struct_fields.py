"""Struct fields: taken, replaced, zipped to structs, and opened maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._column import Column
from arrowjag._ops import structure
from arrowjag._ops.structure import constant
from arrowjag.errors import JagIndexError, JagTypeError, brief
from arrowjag.shape import JaggedShape

__all__ = ["field", "fields", "opened_maps", "place_of", "with_fields", "with_levels", "zip_fields"]


def fields(type: pa.DataType) -> list[str]:
    """Return the field names of a struct type; an empty list for other types."""
    return [one.name for one in type] if pt.is_struct(type) else []


def place_of(type: pa.DataType, name: str) -> int:
    """Return the position of the first field with a name, -1 if there is none; faster than a search in a list of all names."""
    if not pt.is_struct(type):
        return -1
    place: int = type.get_field_index(name)  # -1 also where several fields have the name
    if place < 0 and name in (names := fields(type)):
        return names.index(name)
    return place


def opened_maps(column: Column) -> Column:
    """Return a column whose leaves are maps with one more dim, of entries; return any other column unchanged."""
    return with_levels(column.shape, column.values) if pt.is_map(column.type) else column


def field(column: Column, name: str) -> Column:
    """Return one field of struct leaves, with the same shape object; each level of a list or map field adds a dim."""
    column = opened_maps(column)
    values = column.values
    type = values.type
    place = place_of(type, name)
    if place < 0:
        names = fields(type)
        known = f"its fields are {names}" if names else f"the leaves are {type}, not structs"
        raise JagIndexError(f"no field {brief(name)}: {known}")
    return with_levels(column.shape, _arrow.field_of(values, place))


def with_levels(shape: JaggedShape, values: pa.Array, *, check: bool = True) -> Column:
    """Combine a shape and values; each list or map level of the values becomes a dim. Lists made by kernels need no `check`."""
    if not (_arrow.is_level_type(values.type) or _arrow.is_jagged_extension(values.type)):
        return Column(shape, values)
    inner = _column.from_arrow(values) if check else _column.from_kernel(values)
    return Column(JaggedShape._trusted([*shape.dims, *inner.shape.dims[1:]]), inner.values)


def pick_fields(column: Column, names: Sequence[str]) -> Column:
    """Select several fields of struct leaves, as structs."""
    picked = [_flat_field(column, name) for name in names]
    return Column(column.shape, structs(dict(zip(names, picked, strict=True)), column.values))


def _flat_field(column: Column, name: str) -> pa.Array:
    place = place_of(column.type, name)
    if place < 0:
        raise JagIndexError(f"no field {brief(name)}: its fields are {fields(column.type)}")
    return _arrow.field_of(column.values, place)


def structs(parts: Mapping[str, pa.Array], owner: pa.Array | None = None) -> pa.Array:
    """Build structs of flat arrays, null where `owner` is null."""
    types = [pa.field(name, one.type) for name, one in parts.items()]
    return _arrow.structs(list(parts.values()), types, None if owner is None else _arrow.valid_of(owner))


def zip_fields(parts: Mapping[str, Column | pa.Scalar], operation: str = "zip") -> Column:
    """Build one struct per leaf of the common shape, with one field per operand."""
    columns = [one for one in parts.values() if isinstance(one, Column)]
    if not columns:
        return Column(JaggedShape(), structs({name: constant(one, 1) for name, one in parts.items()}, None))
    aligned = iter(structure.align(columns, operation, [name for name, one in parts.items() if isinstance(one, Column)]))
    fitted: dict[str, Any] = {name: next(aligned) if isinstance(one, Column) else one for name, one in parts.items()}
    shape = next(one.shape for one in fitted.values() if isinstance(one, Column))
    flat = {name: one.values if isinstance(one, Column) else constant(one, shape.size) for name, one in fitted.items()}
    return Column(shape, structs(flat, None))


def with_fields(column: Column, parts: Mapping[str, Column | pa.Scalar]) -> Column:
    """Add or replace fields of struct leaves; a null struct stays null."""
    if not pt.is_struct(column.type):
        raise JagTypeError(f"with_fields needs struct leaves, got {column.type}; use aj.zip to build structs")
    columns = {name: one for name, one in parts.items() if isinstance(one, Column)}
    own = next(iter(fields(column.type)), "")
    column, *rest = structure.align([column, *columns.values()], "with_fields", [own, *columns])
    aligned = iter(rest)
    flat = {name: _flat_field(column, name) for name in fields(column.type)}
    for name, one in parts.items():
        flat[name] = next(aligned).values if isinstance(one, Column) else constant(one, column.shape.size)
    return Column(column.shape, structs(flat, column.values))
