"""Rows as text and back: JSON, in which durations are counts of their unit, times ISO 8601, and bytes hexadecimal."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._ops import elementwise
from arrowjag.errors import JagError, JagTypeError, JagValueError
from arrowjag.pandas._convert import is_missing, read
from arrowjag.pandas.dtype import JaggedDtype

__all__ = ["parse_rows"]


def parse_rows(strings: Any, dtype: JaggedDtype) -> Column:
    """Parse the text of rows by Python, which also reads NaN and Infinity.

    Parameters
    ----------
    strings : iterable of str or missing
        The rows, as `str(row)` writes them.
    dtype : JaggedDtype
        The dtype of the rows.

    Returns
    -------
    Column
        Of the dtype's leaf type and ndim. Cost: a few calls of Python per row.

    Raises
    ------
    JagValueError
        If a text is not JSON, or a value does not fit the leaf type.
    JagTypeError
        If text has no form for the leaf type, or a row is not a list.
    """
    form = _form(dtype.leaf, dtype)
    rows = [None if is_missing(one) else _json_row(one, row, dtype) for row, one in enumerate(strings)]
    if not _needs_form(dtype.leaf):
        try:
            return read(rows, dtype)
        except JagError:  # such as numbers in quotation marks
            if form == dtype.leaf:
                raise
    column = read(rows, JaggedDtype(form, dtype.ndim))
    try:
        return Column(column.shape, _restored(column.values, dtype.leaf))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise JagValueError(f"an item is not the text of {dtype.leaf}: {error}") from None


def _json_row(text: Any, row: int, dtype: JaggedDtype) -> Any:
    """Parse the text of one row."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        shown = repr(text) if len(str(text)) <= 60 else f"{str(text)[:57]!r}..."
        raise JagValueError(
            f"row {row} holds {shown}, which is not JSON of type {dtype}: {error}. Write lists as [1, null]"
        ) from None


def _form(type: pa.DataType, dtype: JaggedDtype) -> pa.DataType:
    """Return the type that leaves have in JSON."""
    if pt.is_dictionary(type):
        return _form(type.value_type, dtype)
    if pt.is_struct(type):
        return pa.struct([pa.field(field.name, _form(field.type, dtype)) for field in type])
    if pt.is_map(type) or pt.is_interval(type):
        raise JagTypeError(f"rows of {dtype} can't be read from text: JSON has no form for {type}. Use Parquet or Arrow files")
    if _arrow.is_list_type(type):
        return pa.large_list(_form(type.value_type, dtype))
    if pt.is_duration(type):
        return pa.int64()
    is_text = elementwise.is_bytes(type) or pt.is_time(type) or pt.is_date(type) or pt.is_timestamp(type) or pt.is_decimal(type)
    return pa.string() if is_text else type


def _needs_form(type: pa.DataType) -> bool:
    """Return whether Arrow would read a leaf from JSON as another value, or not at all."""
    if pt.is_dictionary(type) or _arrow.is_list_type(type):
        return _needs_form(type.value_type)
    if pt.is_struct(type):
        return any(_needs_form(field.type) for field in type)
    return bool(elementwise.is_bytes(type) or pt.is_time(type) or pt.is_duration(type))


def _restored(values: pa.Array, type: pa.DataType) -> pa.Array:
    """Convert leaves from their form in JSON."""
    if pt.is_dictionary(type):
        return _restored(values, type.value_type).dictionary_encode().cast(type)
    if pt.is_struct(type):
        fields = [_restored(one, field.type) for one, field in zip(values.flatten(), type, strict=True)]
        return pa.StructArray.from_arrays(fields, fields=list(type), mask=values.is_null()) if fields else values
    if _arrow.is_list_type(type):
        offsets = np.append(0, np.cumsum(pc.list_value_length(values).fill_null(0).to_numpy()))
        items = _restored(values.flatten(), type.value_type)
        return pa.LargeListArray.from_arrays(pa.array(offsets), items, mask=values.is_null()).cast(type)
    if elementwise.is_bytes(type):
        return _from_hexadecimal(values, type)
    if pt.is_time(type):
        moments = pc.binary_join_element_wise(pa.scalar("1970-01-01"), values, pa.scalar(" "))
        return moments.cast(pa.timestamp(type.unit)).cast(type)
    return values.cast(type)


def _from_hexadecimal(texts: pa.Array, type: pa.DataType) -> pa.Array:
    """Convert hexadecimal text to bytes."""
    try:
        return pa.array([None if one is None else bytes.fromhex(one) for one in texts.to_pylist()], type)
    except (ValueError, pa.ArrowInvalid) as error:
        raise JagValueError(f"items of {type} are written in hexadecimal: {error}") from None
