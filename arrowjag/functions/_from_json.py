"""Parse JSON text to jagged arrays: one text per row, all rows in one call of Arrow's reader."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._gate import storage_of
from arrowjag._kernels.base.texts import bytes_between
from arrowjag._kernels.elementwise import json_lists, text_bytes, text_loops
from arrowjag._methods import free_function
from arrowjag._ops import elementwise
from arrowjag._ops.text import text_values
from arrowjag._pyarrow_versions import read_json, with_all_nulls
from arrowjag._vocabulary.type_names import parse_dtype_name
from arrowjag.errors import JagTypeError, JagValueError, ShapeError, plural

__all__ = ["from_json", "parsed_as", "readable", "row_type"]


@free_function
def from_json(strings: Any, type: Any) -> JaggedArray:
    """Parse JSON text, one value per row.

    Parameters
    ----------
    strings : array-like of str, Series or expression
        JSON values: ``"[1, 2]"``, ``"null"``, ``"{...}"``. A null stays null, as does the text null.
    type : pa.DataType or str
        The type of each text: a list type of any layout or the name of a jagged dtype for rows, a leaf type or its name for single
        values. Lists may be nested, and may hold structs, whose fields are the keys of objects; other keys are left out, and a
        field without a key is null.

    Returns
    -------
    JaggedArray
        With one dim more for each level of lists. Cost: one pass over the text.

    Raises
    ------
    JagValueError
        If a text is not valid JSON, or has a value of another type; the message names the row.
    JagTypeError
        If JSON can't represent the type, or the strings are not text.
    ShapeError
        If the strings are nested.

    Examples
    --------
    >>> import arrowjag as aj
    >>> import pyarrow as pa
    >>> aj.from_json(["[1, null]", None, "[]"], pa.list_(pa.int64())).to_list()
    [[1, None], None, []]
    >>> aj.from_json(["[[1.5], []]"], "jagged[double, 3]").to_list()
    [[[1.5], []]]
    """
    column = as_column(strings)
    if column.ndim != 1:
        raise ShapeError(f"from_json takes one text per row, got {plural(column.ndim, 'dim')}; flatten() first")
    target = storage_of(row_type(type))
    reader = readable(target, "from_json")
    text = text_values(column.values, "from_json") if not pt.is_null(column.type) else column.values.cast(pa.string())
    parsed = _parsed_at_once(text, reader, target)
    if parsed is None:
        parsed = _parsed(_in_one_line(text).fill_null("null"), reader, target)
    return JaggedArray._of(_column.from_arrow(parsed))


def _in_one_line(text: pa.Array) -> pa.Array:
    """The text without line breaks, which Arrow's reader takes for the ends of values; to look for them takes little time."""
    return pc.replace_substring_regex(text, "[\r\n]", " ") if text_bytes.holds(text, b"\r\n") else text


def row_type(type: Any) -> pa.DataType:
    """Return the type of one row, as `from_json` accepts it; the name of a jagged dtype stands for nested lists."""
    if not (isinstance(type, str) and type.startswith("jagged[")):
        return elementwise.as_type(type)
    found, ndim, extents = parse_dtype_name(type)
    extents = (None,) * (ndim - 1) if extents is None else extents
    if len(extents) != ndim - 1:
        raise JagTypeError(f"{type}: ndim={ndim} takes {plural(ndim - 1, 'extent')}, got {len(extents)}")
    for extent in reversed(extents):
        found = pa.large_list(found) if extent is None else pa.list_(found, extent)
    return found


def readable(type: pa.DataType, operation: str) -> pa.DataType:
    """The type that Arrow's reader parses, from which the result is cast; a JagTypeError if there is none."""
    type = storage_of(type)
    if _arrow.is_list_type(type):
        return pa.list_(readable(type.value_type, operation))
    if pt.is_struct(type):
        return pa.struct([pa.field(field.name, readable(field.type, operation)) for field in type])
    if pt.is_dictionary(type):
        return readable(type.value_type, operation)
    if pt.is_date(type):
        return pa.string()
    if pt.is_float16(type):
        return pa.float32()
    if elementwise.is_text(type):
        return pa.large_string() if pt.is_large_string(type) else pa.string()
    plain = pt.is_integer(type) or pt.is_floating(type) or pt.is_boolean(type) or pt.is_decimal(type) or pt.is_null(type)
    if plain or pt.is_timestamp(type):
        return type
    raise JagTypeError(f"{operation}: JSON has no form for {type}; read numbers or text and cast them")


def _over(values: pa.Array, type: pa.DataType, children: list[pa.Array]) -> pa.Array:
    """The lists or structs of `values` with other children."""
    if pt.is_struct(type):
        return pa.StructArray.from_arrays(children, fields=list(type), mask=values.is_null()) if children else values
    own = 1 if pt.is_fixed_size_list(type) else 2 if pt.is_list(type) or pt.is_large_list(type) else 3
    return pa.Array.from_buffers(type, len(values), values.buffers()[:own], offset=values.offset, children=children)


def parsed_as(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast a parsed array; dictionaries are encoded here, because Arrow lacks the cast for some types.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the type can't represent a value, or an item or field that is not nullable is null.
    """
    found = _encoded(_cast(values, _without_categories(type)), type)
    if _has_required(type):
        _refuse_nulls(found)
    return found


def _has_required(type: pa.DataType) -> bool:
    fields = [type.field(place) for place in range(type.num_fields)]
    return any(not field.nullable or _has_required(field.type) for field in fields)


def _refuse_nulls(array: pa.Array) -> None:
    """Raise for nulls in items and fields that are not nullable: neither the reader nor the cast looks at them."""
    fields = [array.type.field(place) for place in range(array.type.num_fields)]
    is_struct = pt.is_struct(array.type)
    children = array.flatten() if is_struct else [array.flatten()] if fields else []
    for field, child in zip(fields, children, strict=True):
        if not field.nullable and child.null_count > (array.null_count if is_struct else 0):
            what = f"the field {field.name!r}" if is_struct else "an item"
            raise pa.ArrowInvalid(f"{what} is null, and the type says not null: {array.type}")
        _refuse_nulls(child)


def _cast(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Cast. If all rows of fixed size are null, Arrow's cast leaves uninitialised memory under them, which is no decimal."""
    if pt.is_fixed_size_list(type) and values.null_count == len(values):
        return pa.nulls(len(values), type)
    if _arrow.is_list_type(type) and pt.is_list(values.type):
        if pt.is_list_view(type) or pt.is_large_list_view(type):
            return _as_view(values, type)
        # Rows before items: Arrow can't gather items of every type.
        rows = with_all_nulls(values.cast(_arrow.list_like(type, values.type.value_type)))
        return _over(rows, type, [_cast(rows.values, type.value_type)])
    if pt.is_struct(type) and pt.is_struct(values.type):  # field by field: Arrow has no cast to list views in fields
        return _over(values, type, [_cast(values.field(place), field.type) for place, field in enumerate(type)])
    return values.cast(type)


def _as_view(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Lists as list views, for which Arrow has no cast."""
    maker = pa.ListViewArray if pt.is_list_view(type) else pa.LargeListViewArray
    starts = values.offsets.to_numpy()
    items, mask = _cast(values.values, type.value_type), values.is_null()
    return maker.from_arrays(starts[:-1], np.diff(starts), items, type=type, mask=mask)


def _without_categories(type: pa.DataType) -> pa.DataType:
    if pt.is_dictionary(type):
        return type.value_type
    if pt.is_struct(type):
        return pa.struct([field.with_type(_without_categories(field.type)) for field in type])
    if not _arrow.is_list_type(type):
        return type
    return _arrow.list_like(type, _without_categories(type.value_type))


def _encoded(values: pa.Array, type: pa.DataType) -> pa.Array:
    if values.type.equals(type):
        return values
    if pt.is_dictionary(type):
        return values.dictionary_encode().cast(type)
    if pt.is_struct(type):
        return _over(values, type, [_encoded(values.field(place), field.type) for place, field in enumerate(type)])
    return _over(values, type, [_encoded(values.values, type.value_type)])


def _parsed_at_once(text: pa.Array, reader: pa.DataType, target: pa.DataType) -> pa.Array | None:
    """The array by a compiled loop; None if it can't parse all texts, or if they have other sizes than the type."""
    found = json_lists.parsed(text, reader)
    try:
        return None if found is None else parsed_as(found, target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # Arrow's reader decides, and its error names the row
        return None


def _parsed(text: pa.Array, reader: pa.DataType, target: pa.DataType) -> pa.Array:
    parse = _parse
    try:
        try:
            return parse(text, reader, target)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # pyarrow raises either, depending on the type
            if not _has_objects(reader):
                raise
            parse = _parse_fields
            return parse(text, reader, target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        row = _first_wrong(text, lambda part: parse(part, reader, target))
        shown = text[row].as_py()
        shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
        raise JagValueError(f"from_json: row {row} holds {shown!r}, which is not JSON of type {target}") from None


def _parse(text: pa.Array, reader: pa.DataType, target: pa.DataType) -> pa.Array:
    return parsed_as(_read(text, reader, "error"), target)


def _parse_fields(text: pa.Array, reader: pa.DataType, target: pa.DataType) -> pa.Array:
    """Parse objects that have more keys than the type has fields.

    Arrow's reader then leaves out keys at every level, also those beside the text, as in ``1, "x": 2``. Such a text is several
    items, or none, between brackets.
    """
    found = _read(text, reader, "ignore")
    between = _read(text, pa.list_(reader), "ignore", "[", "]")
    if pc.any(pc.not_equal(pc.list_value_length(between), 1)).as_py():
        raise pa.ArrowInvalid(_SEVERAL)
    return parsed_as(found, target)


_SEVERAL = "a text holds several values"


def _has_objects(type: pa.DataType) -> bool:
    return pt.is_struct(type) or (_arrow.is_list_type(type) and _has_objects(type.value_type))


def _read(text: pa.Array, reader: pa.DataType, others: str, before: str = "", after: str = "") -> pa.Array:
    """Read one value per text, each between `before` and `after`; `others` says what Arrow's reader does with other keys."""
    import pyarrow.json as reading

    if not len(text):
        return pa.nulls(0, reader)
    head = f'{{"x":{before}'
    between = pa.scalar(f"{after}}}\n{head}", pa.large_string())
    text = text.cast(pa.large_string())
    lines = text_loops.joined(text, between, "")
    if lines is None:
        lines = pc.binary_join_element_wise(text, between, pa.scalar("", text.type))
    longest = pc.max(pc.binary_length(lines)).as_py()
    schema = pa.schema([("x", reader)])
    table = read_json(
        io.BytesIO(b"".join([head.encode(), bytes_between(lines)[: -len(head)]])),
        read_options=reading.ReadOptions(block_size=min(2**31 - 1, max(2**20, 2 * longest))),
        parse_options=reading.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others),
    )
    if table.num_rows != len(text):
        raise pa.ArrowInvalid(_SEVERAL)
    return _arrow.combine_chunks(table["x"])


def _first_wrong(text: pa.Array, parse: Callable[[pa.Array], pa.Array]) -> int:
    """The first text that can't be parsed, found by halving."""
    first, last = 0, len(text)
    while last - first > 1:
        middle = (first + last) // 2
        try:
            parse(text[first:middle])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # the wrong text is in this half
            last = middle
        else:
            first = middle
    return first
