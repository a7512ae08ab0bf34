"""Arrow arrays as JSON text, one text per item, made by Arrow's kernels."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._ops import elementwise
from arrowjag.errors import JagTypeError

__all__ = ["joined", "json_text"]

_TEXT = pa.large_string()


def _null() -> pa.Scalar:
    return pa.scalar("null", _TEXT)  # created on demand: pyarrow looks for pandas when it creates a scalar


def joined(*parts: pa.Array | str) -> pa.Array:
    """Join text item by item."""
    given = [pa.scalar(one, _TEXT) if isinstance(one, str) else one for one in parts]
    return pc.binary_join_element_wise(*given, pa.scalar("", _TEXT))


def json_text(values: pa.Array, name: str) -> pa.Array:
    """Write each item of an array as JSON.

    Parameters
    ----------
    values : pa.Array
        Of any type but binary and intervals.
    name : str
        The column, for errors.

    Returns
    -------
    pa.LargeStringArray
        Without nulls: a null is the text null, and so are NaN and infinities. Dates and times are text of ISO 8601, decimals text,
        durations seconds.
    """
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    type = values.type
    if _arrow.is_list_type(type):
        return _lists(values, name)
    if pt.is_struct(type):
        return _structs(values, name)
    if pt.is_map(type):
        return _maps(values, name)
    if pt.is_dictionary(type):
        return json_text(values.dictionary, name).take(values.indices).fill_null("null")
    if pt.is_run_end_encoded(type):
        return json_text(pc.run_end_decode(values), name)
    return _leaves(values, name).cast(_TEXT).fill_null("null")


def _leaves(values: pa.Array, name: str) -> pa.Array:
    type = values.type
    if pt.is_null(type) or pt.is_boolean(type) or pt.is_integer(type):
        return values.cast(_TEXT)
    if pt.is_floating(type):
        return _floats(values)
    if elementwise.is_text(type):
        return _quoted(values.cast(_TEXT))
    if pt.is_timestamp(type):
        text = (values if type.tz is None else values.cast(pa.timestamp(type.unit, "UTC"))).cast(_TEXT)
        return joined('"', pc.replace_substring(text, " ", "T", max_replacements=1), '"')  # Arrow writes a blank
    if pt.is_date(type) or pt.is_time(type) or pt.is_decimal(type):
        return _quoted(values.cast(_TEXT))
    if pt.is_duration(type):
        ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[type.unit]
        return _floats(pc.divide(values.cast(pa.int64()).cast(pa.float64(), safe=False), float(ticks)))
    raise JagTypeError(f"column {name!r}: JSON has no form for {type}; cast it to text or numbers first")


def _floats(values: pa.Array) -> pa.Array:
    """Numbers with a point, so that they stay floats when read."""
    values = values.cast(pa.float32()) if pt.is_float16(values.type) else values
    known = pc.if_else(pc.is_finite(values), values, pa.scalar(None, values.type))
    return pc.replace_substring_regex(known.cast(_TEXT), r"\A(-?[0-9]+)\z", r"\1.0")


def _quoted(text: pa.Array) -> pa.Array:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"')):
        text = pc.replace_substring(text, plain, escaped)
    if pc.any(pc.match_substring_regex(text, "[\\x00-\\x1f]")).as_py():
        for code in range(32):
            text = pc.replace_substring(text, chr(code), json.dumps(chr(code))[1:-1])
    return joined('"', text, '"')


def _lists(values: pa.Array, name: str) -> pa.Array:
    column = _column.from_arrow(values, 2)
    dim = column.shape.dims[1]
    items = json_text(column.values, name)
    text = joined("[", _with_commas(dim.offsets, items), "]")
    return text if dim.validity is None else pc.if_else(pa.array(np.asarray(dim.validity)), text, _null())


def _with_commas(offsets: npt.NDArray[np.int64], items: pa.Array) -> pa.Array:
    """Join the items of each list."""
    return pc.binary_join(pa.LargeListArray.from_arrays(pa.array(offsets), items), pa.scalar(",", _TEXT))


def _structs(values: pa.Array, name: str) -> pa.Array:
    parts: list[pa.Array | str] = []
    for place, field in enumerate(values.type):
        key = json.dumps(field.name, ensure_ascii=False)
        parts += [f"{',' if place else '{'}{key}:", json_text(pc.struct_field(values, [place]), name)]
    if not parts:
        return pc.if_else(values.is_valid(), pa.scalar("{}", _TEXT), _null())
    return pc.if_else(values.is_valid(), joined(*parts, "}"), _null())


def _maps(values: pa.Array, name: str) -> pa.Array:
    """Maps as objects; keys that are no text are quoted."""
    if not len(values):
        return pa.nulls(0, _TEXT)
    column = _column.from_arrow(values, 2)
    keys = json_text(pc.struct_field(column.values, [0]), name)
    keys = pc.if_else(pc.starts_with(keys, '"'), keys, joined('"', keys, '"'))
    entries = joined(keys, ":", json_text(pc.struct_field(column.values, [1]), name))
    dim = column.shape.dims[1]
    text = joined("{", _with_commas(dim.offsets, entries), "}")
    return text if dim.validity is None else pc.if_else(pa.array(np.asarray(dim.validity)), text, _null())
