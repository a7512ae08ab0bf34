"""Casts whose errors name the value that does not fit, or that make it null; parsing of numbers and times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels.base.capacity import widened
from arrowjag._kernels.elementwise.casts import cast_where_it_fits
from arrowjag._kernels.elementwise.text_bytes import has_length
from arrowjag._kernels.elementwise.text_items import few_integers
from arrowjag._kernels.elementwise.time_formats import has_zone, parse_times, pattern_of
from arrowjag._ops import elementwise
from arrowjag._ops.text import on_all_cores, text_values
from arrowjag._ops.zones import wall_of
from arrowjag.errors import JagTypeError, JagValueError, brief

__all__ = ["cast", "cast_by_name", "to_categories", "to_datetime", "to_number"]

_HINT = "strict=False makes it null"


def cast(column: Column, type: pa.DataType, safe: bool, strict: bool) -> Column:
    """Cast the leaves; a value that does not fit raises, or is null without `strict`."""
    if strict:
        return cast_by_name(column, type, "cast", safe=safe, hint=f"; {_HINT}{_other_way(column.type, type)}")
    if not safe:
        raise JagValueError(
            "cast: strict=False gives null for values that do not fit, safe=False casts them anyway; choose one of them"
        )
    return _cast_or_null(column, type)


def _other_way(own: pa.DataType, type: pa.DataType) -> str:
    """Name the method that returns a part of timestamps, for the error of a cast that would drop the other part."""
    if not (pt.is_timestamp(own) and (pt.is_date(type) or pt.is_time(type))):
        return ""
    return ", and x.dt.date() takes the date alone" if pt.is_date(type) else ", and x.dt.time() takes the time of day alone"


def cast_by_name(column: Column, type: pa.DataType, operation: str, *, safe: bool = True, hint: str = "") -> Column:
    """Cast the leaves; the error for a value that does not fit names its row."""
    try:
        return elementwise.cast(column, type, safe, operation)
    except JagValueError:
        raise _named(column, _cast_or_null(column, type), operation, str(type), hint) from None


def to_categories(column: Column, categories: elementwise.Categories, strict: bool) -> Column:
    """Convert text or categories to ordered categories; an unknown label raises, or is null without `strict`."""
    labels = elementwise.decoded(column.values)
    if not (elementwise.is_text(labels.type) or pt.is_null(labels.type)):
        raise JagTypeError.no_kernel("cast", column.type, hint="Only text becomes an Enum: cast to string first.")
    found = Column(column.shape, categories.of(_arrow.combine_chunks(labels)))
    if strict and found.values.null_count > column.values.null_count:
        raise _named(Column(column.shape, labels), found, "cast", f"category among {list(categories.labels)}")
    return found


def _cast_or_null(column: Column, type: pa.DataType) -> Column:
    if column.type == type:
        return column
    flat = elementwise.decoded(column.values)
    if pt.is_timestamp(flat.type) and (pt.is_date(type) or pt.is_time(type)):
        flat = wall_of(flat, "cast")

    def compute(values: pa.Array) -> pa.Array:
        return elementwise.cast_values(values, type)

    try:
        return Column(column.shape, _arrow.combine_chunks(cast_where_it_fits(flat, type, compute)))
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise JagTypeError.no_cast("cast", column.type, type) from None
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:  # each item fits, but all labels together need larger codes
        wide = widened(type)
        advice = "" if wide == type else f"; cast to {wide}"
        raise JagValueError(f"cast: the items do not fit {type} together ({error}){advice}") from None


def _named(column: Column, found: Column, operation: str, wanted: str, hint: str = f"; {_HINT}") -> JagValueError:
    """Return the error that names the first item that became null."""
    lost = pc.and_(column.values.is_valid(), found.values.is_null())
    at = pc.index(lost, True).as_py()
    row = elementwise.row_of(column, at)
    return JagValueError(f"{operation}: {row} holds {_shown(column.values[at])}, which is not a valid {wanted}{hint}")


def _shown(value: pa.Scalar) -> str:
    try:
        return brief(value.as_py()) if isinstance(value.as_py(), str) else str(value)
    except (ValueError, OverflowError, ImportError):  # a time that Python can't represent
        return f"{value.value} in {value.type}"


def _converted(column: Column, name: str, wanted: str, strict: bool, compute: Callable[[pa.Array], pa.Array]) -> Column:
    """Convert text; raise for values that can't be converted, or make them null."""
    text = text_values(column.values, name)
    result = Column(column.shape, on_all_cores(compute, text))
    if strict and result.values.null_count > column.values.null_count:
        raise _named(column, result, f"str.{name}", wanted)
    return result


def to_number(column: Column, type: pa.DataType, strict: bool) -> Column:
    """Convert text to numbers; blanks around them and a leading plus are allowed."""
    if not (pt.is_integer(type) or pt.is_floating(type) or pt.is_decimal(type)):
        raise JagTypeError(f"str.to_number: expected a numeric type, got {type}")

    def compute(text: pa.Array) -> pa.Array:
        few = few_integers(text, type) if pt.is_integer(type) else None
        if few is not None:
            return few
        plain = pc.utf8_trim_whitespace(text)
        if pc.any(pc.starts_with(plain, "+")).as_py():
            plain = pc.replace_substring_regex(plain, r"\A\+([0-9.])", r"\1")
        return cast_where_it_fits(plain, type, lambda values: elementwise.cast_values(values, type))

    return _converted(column, "to_number", str(type), strict, compute)


_ISO_TYPE = pa.timestamp("us")
_ISO_LENGTHS = {"%Y-%m-%d": 10, "%Y-%m-%d %H:%M:%S": 19, "%Y-%m-%dT%H:%M:%S": 19}
"""Formats that Arrow's cast reads for text of this length."""


def to_datetime(column: Column, format: Any, strict: bool) -> Column:
    """Convert text to timestamps in microseconds: ISO 8601, or by a format."""
    if format is None:

        def read(text: pa.Array) -> pa.Array:
            return cast_where_it_fits(text, _ISO_TYPE, lambda values: values.cast(_ISO_TYPE))

        return _converted(column, "to_datetime", "ISO 8601 time without a zone", strict, read)
    format.encode()  # a lone surrogate raises here, for empty columns too
    try:
        pattern = pattern_of(format)
    except ValueError as error:
        raise JagValueError(f"str.to_datetime: {error} in {brief(format)}") from None

    def compute(text: pa.Array) -> pa.Array:
        fast = _by_iso(text, format)
        if fast is not None:
            return fast
        counts, valid = parse_times(text, pattern)
        return _arrow.from_numpy(counts, valid).view(pa.timestamp("us", "UTC" if has_zone(pattern) else None))

    return _converted(column, "to_datetime", f"time of the format {brief(format)}", strict, compute)


def _by_iso(text: pa.Array, format: str) -> pa.Array | None:
    """Read text by Arrow's cast if all of it has the shape of a frequent format; else None."""
    length = _ISO_LENGTHS.get(format)
    if length is None or not has_length(text, length):
        return None
    if length > 10 and not pc.all(pc.equal(pc.utf8_slice_codeunits(text, 10, 11), format[8])).as_py():
        return None
    try:
        found = text.cast(_ISO_TYPE)
    except pa.ArrowInvalid:
        return None
    return found if pc.min(pc.year(found)).as_py() != 0 else None
