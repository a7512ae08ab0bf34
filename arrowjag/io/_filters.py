"""Filters of rows: tuples or expressions, the columns that they read, and the rows of a table that satisfy them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as pt

from arrowjag._arrow import combine_chunks, holds_floats, is_list_type
from arrowjag._gate import storage_of
from arrowjag._kernels.move import gather
from arrowjag._pyarrow_versions import empty_table, table_of
from arrowjag.errors import JagTypeError, JagValueError, brief
from arrowjag.io._comparisons import comparable, compared_as
from arrowjag.io._leaves import leaf_names
from arrowjag.typing import IntArray

__all__ = ["BY_VALUE", "OPERATORS", "has_bounds", "keep_rows", "names_in", "take_rows", "to_expression"]

BY_VALUE = (
    "Compare a column with values of its own type, such as pa.scalar(1, pa.uint64()), "
    "or pass the filter as tuples, which compare by value"
)
"""The advice of errors about values that a filter can't compare with a column."""

_SAME_TYPE = "Give values of the type of the column, such as text beside text."
#: The operators of conditions.
OPERATORS = ("==", "=", "!=", "<", "<=", ">", ">=", "in", "not in")


def to_expression(filters: Any, schema: pa.Schema) -> Any:
    """Convert a filter to an expression and validate its column names.

    Parameters
    ----------
    filters : pyarrow.compute.Expression, list of tuples, or list of lists of tuples
        Tuples are ``(column, operator, value)``, combined by "and"; lists of tuples are combined by "or".
    schema : pa.Schema
        The schema of the files.

    Returns
    -------
    pyarrow.compute.Expression
        The filter.

    Raises
    ------
    JagValueError
        If it names an unknown column or can't be read.
    JagTypeError
        If it compares incompatible types.
    """
    if not isinstance(filters, pc.Expression):
        groups = _alternatives(filters)
        if groups is None:
            got = f"got {brief(filters)} of type {type(filters).__name__}"
            raise JagTypeError(f'filters must be an expression, or tuples such as [("year", ">=", 2013)], {got}')
        try:
            filters = pq.filters_to_expression([[_typed(one, schema) for one in group] for group in groups])
        except JagTypeError:
            raise
        except (pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise JagTypeError(f"filters compare incompatible types: {error}. {_SAME_TYPE}") from error
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise JagValueError(f"filters can't be read: {error}") from error
    try:
        kind = _mask(empty_table(schema), filters).type
    except pa.ArrowInvalid as error:
        if "No match for FieldRef" not in str(error):
            raise JagValueError(f"filters don't fit the columns: {error}. {BY_VALUE}") from error
        raise JagValueError(f"filters name an unknown column in {filters}; there are {', '.join(leaf_names(schema))}") from error
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        shown = " ".join((_text_of(filters) or "bytes").split())
        raise JagTypeError(f"filters compare incompatible types: {error}, in {shown}. {_SAME_TYPE}") from error
    if not (pt.is_boolean(kind) or pt.is_null(kind)):
        raise JagTypeError(f"filters must be a condition, got an expression of {kind}: {filters}")
    return filters


def _alternatives(filters: Any) -> list[list[tuple[str, Any, Any]]] | None:
    """Return the conditions of filters, joined by "and" in the inner lists and by "or" in the outer; None if there are none."""
    if not isinstance(filters, (list, tuple)) or not filters:
        return None
    is_nested = all(isinstance(one, (list, tuple)) and one and not isinstance(one[0], str) for one in filters)
    groups = filters if is_nested else [filters]
    are_conditions = all(
        isinstance(one, (tuple, list)) and len(one) == 3 and isinstance(one[0], str) for group in groups for one in group
    )
    return [[(one[0], one[1], one[2]) for one in group] for group in groups] if are_conditions else None


def _typed(condition: tuple[str, Any, Any], schema: pa.Schema) -> tuple[Any, Any, Any]:
    """Give the value of a condition a type that Arrow compares with its column."""
    if not (isinstance(condition[1], str) and condition[1] in OPERATORS):
        raise JagValueError(f"{brief(condition[1])} in {brief(condition)} is not an operator; there are {', '.join(OPERATORS)}")
    found = _find_field(condition[0], schema)
    _refuse_lists(condition[0], found[1] if found else None, schema)
    if found is None:
        return condition
    path, type = found
    _refuse_zone(condition, type)
    return (path[0] if len(path) == 1 else path, *comparable(*condition, type)[1:])


def _refuse_lists(name: str, type: pa.DataType | None, schema: pa.Schema) -> None:
    """Refuse to compare lists, and fields inside of lists: errors of pyarrow don't say that the column is nested."""
    inside = type is None and any(name.startswith(f"{field.name}.") and _holds_lists(field.type) for field in schema)
    if inside or (type is not None and _holds_lists(type)):
        what = "is a field inside of lists" if inside else f"holds lists, {storage_of(type)}"
        raise JagTypeError(
            f"filters compare flat columns, {brief(name)} {what}: read its rows, and filter their items with frame.jag.filter"
        )


def _holds_lists(type: pa.DataType) -> bool:
    return is_list_type(storage_of(type)) or pt.is_map(type)


def _refuse_zone(condition: tuple[str, Any, Any], type: pa.DataType) -> None:
    """Refuse a time without a zone beside times with one, and the reverse, with the same message for every operator."""
    name, sign, value = condition
    if pt.is_timestamp(type) and isinstance(value, dt.datetime) and (value.tzinfo is None) != (type.tz is None):
        zone = "has no zone" if value.tzinfo is None else "has one"
        raise JagTypeError(f"filters compare incompatible types: {name} is {type}, {name} {sign} {value} {zone}. {_SAME_TYPE}")


def _find_field(name: str, fields: Iterable[pa.Field]) -> tuple[tuple[str, ...], pa.DataType] | None:
    """Return path and type of a column, or of a field of structs, whose name has dots; None if there is none."""
    fields = list(fields)
    for field in fields:
        if field.name == name:
            return (name,), field.type
    for field in fields:
        if name.startswith(f"{field.name}.") and pt.is_struct(field.type):
            found = _find_field(name[len(field.name) + 1 :], field.type)
            if found is not None:
                return (field.name, *found[0]), found[1]
    return None


def has_bounds(expression: Any, names: frozenset[str], schema: pa.Schema) -> bool:
    """Return whether row groups can be excluded by bounds of values, in which NaN doesn't count.

    NaN satisfies no comparison but ``!=``. So a filter that has neither that nor a negation, nor functions of values, keeps no
    row that only NaN lets pass.
    """
    exact = [name for name in names if not holds_floats(schema.field(name).type)]
    text = _text_of(expression)
    if len(exact) == len(names) or text is None:
        return len(exact) == len(names)
    for name in exact:
        text = text.replace(f"is_in({name}, ", "(")
    return "!=" not in text and not _FUNCTION.search(text)


#: Functions in the text of an expression, except tests for nulls and names of nested fields.
_FUNCTION = re.compile(r"(?<!\w)(?!is_valid\(|is_null\([^()]*nan_is_null=false|Name\(|Nested\()\w+\(")


def _text_of(expression: Any) -> str | None:
    """The text of an expression; None if it has bytes that are no text."""
    try:
        return str(expression)
    except UnicodeDecodeError:
        return None


def names_in(expression: Any, schema: pa.Schema) -> frozenset[str]:
    """Return the columns that an expression reads, found by removing columns from the schema; pyarrow has no function for it."""
    text = _text_of(expression)
    named = [name for name in schema.names if text is None or name in text]
    return frozenset(name for name in named if not _fits(expression, schema.remove(schema.get_field_index(name))))


def _fits(expression: Any, schema: pa.Schema) -> bool:
    try:
        _mask(empty_table(schema), expression)
    except (pa.ArrowException, ValueError):
        return False
    return True


def _mask(table: pa.Table, expression: Any) -> pa.Array:
    """Evaluate a filter to a mask; with wider types of columns if Arrow does not take those there are."""
    try:
        return _evaluated(table, expression)
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        fields = [field.with_type(compared_as(field.type)) for field in table.schema]
        if [field.type for field in fields] == table.schema.types:
            raise
        return _evaluated(table.cast(pa.schema(fields)), expression)


def _evaluated(table: pa.Table, expression: Any) -> pa.Array:
    """Evaluate a filter to a mask; in one thread, to keep the order of rows."""
    from pyarrow import acero  # lazy, because it imports pyarrow.dataset, which imports pandas

    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(table))
    project = acero.Declaration("project", acero.ProjectNodeOptions([expression], ["keep"]))
    return acero.Declaration.from_sequence([source, project]).to_table(use_threads=False).column(0)


def keep_rows(table: pa.Table, expression: Any, names: frozenset[str]) -> pa.Table:
    """Return the rows that satisfy a filter; consecutive rows are returned as a slice that shares all buffers."""
    tested = table.select([name for name in table.column_names if name in names]) if names else table
    mask = combine_chunks(_mask(tested, expression))
    rows = np.flatnonzero(mask.fill_null(False).to_numpy(zero_copy_only=False))
    if len(rows) == 0 or rows[-1] - rows[0] + 1 == len(rows):
        return table.slice(int(rows[0]) if len(rows) else 0, len(rows))
    return take_rows(table, rows)


def take_rows(table: pa.Table, rows: IntArray) -> pa.Table:
    """Gather rows by index into one chunk."""
    return table_of([_taken(column, rows) for column in table.columns], table.schema, len(rows))


def _taken(column: pa.ChunkedArray, rows: Any) -> pa.Array:
    array = combine_chunks(column)
    if isinstance(array.type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(array.type, gather.take(array.storage, rows))
    return gather.take(array, rows)
