"""Plain nested lists in place of jagged columns, for readers without arrowjag."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array.base import ArrayBase
from arrowjag._pyarrow_versions import table_of
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, brief

__all__ = ["pandas_facts", "portable", "storage_type", "to_storage"]

_LARGEST = 2**31 - 1


@check_arguments
def to_storage(obj: Any, offsets: int = 64) -> Any:
    """Convert jagged columns to plain nested lists, for readers without arrowjag.

    Parameters
    ----------
    obj : JaggedArray, Arrow data, Arrow type or schema, pandas or polars object, or dict of these
        Arrow data are `Array`, `ChunkedArray`, `RecordBatch`, `Table` and `RecordBatchReader`; pandas and polars objects are
        `Series`, `DataFrame` and `LazyFrame`.
    offsets : {64, 32}
        With 64, jagged columns become `large_list`, and all other columns are unchanged. With 32, as Spark requires, all columns
        get `list`, `string` and `binary` in place of their types with 64-bit offsets.

    Returns
    -------
    object
        An object of the same kind; for a `JaggedArray` a `pa.Array`. pandas columns become Arrow-backed. polars has only 64-bit
        offsets, so that `offsets` does not affect its objects.

    Raises
    ------
    JagOverflowError
        If a column has more than 2**31 - 1 items in a level, or bytes of text, and `offsets` is 32.
    JagTypeError
        If `obj` is none of these.
    JagValueError
        If `offsets` is neither 64 nor 32.

    Notes
    -----
    Null rows, empty rows and null items stay distinct. A declared extent remains `fixed_size_list`, and a map column remains a map.
    Values are shared; offsets are shared with 64, and copied with 32. `arrowjag.from_arrow` reads the lists as dims again.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import arrowjag as aj
    >>> x = aj.array([[1, 2], None, []])
    >>> aj.to_storage(x, offsets=32).type
    ListType(list<item: int64>)
    >>> aj.to_storage(pa.table({"x": x.to_arrow()})).schema
    x: large_list<item: int64>
      child 0, item: int64
    """
    if offsets not in (64, 32):
        raise JagValueError(f"offsets must be 64 or 32, got {brief(offsets)}")
    return _to_storage(obj, offsets == 32)


def _to_storage(obj: Any, narrow: bool) -> Any:
    if isinstance(obj, ArrayBase):
        return _array(obj.to_arrow(), narrow, "the array")
    for kind, convert in _ARROW:
        if isinstance(obj, kind):
            return convert(obj, narrow)
    if isinstance(obj, dict):
        return {name: _to_storage(one, narrow) for name, one in obj.items()}
    library, kind = type(obj).__module__.partition(".")[0], type(obj).__name__
    if library == "pandas" and kind in {"Series", "DataFrame"}:
        return _pandas_series(obj, narrow) if kind == "Series" else _pandas_frame(obj, narrow)
    if library == "polars" and kind in {"Series", "DataFrame", "LazyFrame"}:
        return _polars(obj, kind)
    raise JagTypeError(
        f"to_storage takes arrays, Arrow data, and frames and Series of pandas and polars, got {kind}: convert it first, "
        "for example with pa.table(...)"
    )


# ------------------------------------------------------------------------------------------------------------- types


def storage_type(type: pa.DataType, narrow: bool = False) -> pa.DataType:
    """Return the type of plain nested lists that stores an Arrow type, at every level; other types are unchanged.

    Parameters
    ----------
    type : pa.DataType
        Any type.
    narrow : bool
        Whether all lists, strings and binaries get 32-bit offsets.

    Returns
    -------
    pa.DataType
        The same type if it contains no jagged type and `narrow` is False.
    """
    if _arrow.is_jagged_extension(type):
        return _widened(storage_type(type.storage_type, narrow), narrow, _arrow.depth(type.storage_type))
    if pt.is_fixed_size_list(type):
        return pa.list_(_field(type.value_field, narrow), type.list_size)
    if _arrow.is_list_type(type):
        return _list_maker(type, narrow)(_field(type.value_field, narrow))
    if pt.is_struct(type):
        return pa.struct([_field(one, narrow) for one in type])
    if pt.is_map(type):
        return pa.map_(_field(type.key_field, narrow), _field(type.item_field, narrow), type.keys_sorted)
    if pt.is_dictionary(type):
        return pa.dictionary(type.index_type, storage_type(type.value_type, narrow), type.ordered)
    return _NARROW.get(type, type) if narrow else type


_NARROW = {pa.large_string(): pa.string(), pa.large_binary(): pa.binary()}


def _field(field: pa.Field, narrow: bool) -> pa.Field:
    return field.with_type(storage_type(field.type, narrow))


def _list_maker(type: pa.DataType, narrow: bool) -> Callable[[pa.Field], pa.DataType]:
    if narrow or pt.is_list(type):
        return pa.list_  # type: ignore[no-any-return]
    if pt.is_large_list(type):
        return pa.large_list  # type: ignore[no-any-return]
    return pa.list_view if pt.is_list_view(type) else pa.large_list_view  # type: ignore[no-any-return]


def _widened(type: pa.DataType, narrow: bool, levels: int) -> pa.DataType:
    """Return the canonical storage of a jagged column: lists of any kind become `large_list`, or `list` if narrow."""
    if levels == 0:
        return type
    inner = type.value_field.with_type(_widened(type.value_type, narrow, levels - 1))
    if pt.is_fixed_size_list(type) and type.list_size:
        return pa.list_(inner, type.list_size)
    return pa.list_(inner) if narrow else pa.large_list(inner)


# ------------------------------------------------------------------------------------------------------------- Arrow


def _array(array: pa.Array, narrow: bool, where: str) -> pa.Array:
    wanted = storage_type(array.type, narrow)
    return array if wanted == array.type else _converted(_arrow.arrived(array, where), wanted, where)


def _converted(array: pa.Array, wanted: pa.DataType, where: str) -> pa.Array:
    if array.type == wanted:
        return array
    if isinstance(array.type, pa.BaseExtensionType):
        return _converted(array.storage, wanted, where)
    if _arrow.is_list_type(wanted) or pt.is_map(wanted):
        return _nested(array, wanted, where)
    if pt.is_struct(wanted):
        fields = [_converted(array.field(place), one.type, where) for place, one in enumerate(wanted)]
        mask = array.is_null() if array.null_count else None
        return pa.StructArray.from_arrays(fields, fields=list(wanted), mask=mask)
    try:
        return array.cast(wanted)
    except pa.ArrowInvalid as error:
        raise JagOverflowError(f"{where} does not fit {wanted}: {error}; take offsets=64, or convert it in parts") from error


def _nested(array: pa.Array, wanted: pa.DataType, where: str) -> pa.Array:
    (level,), items = _arrow.peel(array, ndim=2)
    if pt.is_map(wanted):
        children = [_converted(items.field(0), wanted.key_type, where), _converted(items.field(1), wanted.item_type, where)]
        entries = pa.StructArray.from_arrays(children, fields=[wanted.key_field, wanted.item_field])
        return _cut(level, entries, wanted, where)
    items = _converted(items, wanted.value_type, where)
    if pt.is_fixed_size_list(wanted):
        stored = _arrow.wrap([level._replace(extent=wanted.list_size)], items)
        return stored.cast(wanted) if stored.type != wanted else stored
    return _cut(level, items, wanted, where)


def _cut(level: _arrow.Level, items: pa.Array, wanted: pa.DataType, where: str) -> pa.Array:
    offsets = level.offsets
    if not pt.is_large_list(wanted):
        if offsets[-1] > _LARGEST:
            items_text = f"{offsets[-1]:,} items, too many for 32-bit offsets"
            raise JagOverflowError(f"{where} has a level of {items_text}: take offsets=64, or convert it in parts")
        offsets = offsets.astype(np.int32)
    buffers = [_arrow.bitmap(level.validity), pa.py_buffer(offsets)]
    return pa.Array.from_buffers(wanted, len(offsets) - 1, buffers, children=[items])


def _chunks(column: pa.ChunkedArray, narrow: bool, where: str = "the column") -> pa.ChunkedArray:
    chunks = [_array(chunk, narrow, where) for chunk in column.chunks]
    return pa.chunked_array(chunks, type=storage_type(column.type, narrow))


def _schema(schema: pa.Schema, narrow: bool) -> pa.Schema:
    return portable(pa.schema([_field(field, narrow) for field in schema], schema.metadata))


def _table(table: pa.Table, narrow: bool) -> pa.Table:
    columns = [_chunks(column, narrow, f"column {name!r}") for name, column in zip(table.column_names, table.columns, strict=True)]
    return table_of(columns, _schema(table.schema, narrow), table.num_rows)


def _batch(batch: pa.RecordBatch, narrow: bool) -> pa.RecordBatch:
    columns = [_array(column, narrow, f"column {name!r}") for name, column in zip(batch.schema.names, batch.columns, strict=True)]
    return pa.record_batch(columns, schema=_schema(batch.schema, narrow))


def _reader(reader: pa.RecordBatchReader, narrow: bool) -> pa.RecordBatchReader:
    schema = _schema(reader.schema, narrow)
    return pa.RecordBatchReader.from_batches(schema, (_batch(batch, narrow) for batch in reader))


_ARROW: tuple[tuple[Any, Callable[[Any, bool], Any]], ...] = (
    (pa.Table, _table),
    (pa.RecordBatch, _batch),
    (pa.RecordBatchReader, _reader),
    (pa.ChunkedArray, _chunks),
    (pa.Array, lambda array, narrow: _array(array, narrow, "the array")),
    (pa.Schema, _schema),
    (pa.Field, _field),
    (pa.DataType, storage_type),
)


# ------------------------------------------------------------------------------------------------------------- frames


def _pandas_series(series: Any, narrow: bool) -> Any:
    values = _pandas_values(series, narrow, f"column {series.name!r}")
    index = _pandas_index(series.index, narrow)
    if values is None:
        return series.set_axis(index) if index is not series.index else series
    return type(series)(values, index=index, name=series.name)


def _pandas_frame(frame: Any, narrow: bool) -> Any:
    made = frame.copy(deep=False)
    for place, name in enumerate(frame.columns):
        values = _pandas_values(frame.iloc[:, place], narrow, f"column {name!r}")
        if values is not None:
            made.isetitem(place, values)
    made.index = _pandas_index(frame.index, narrow)
    return made


def _pandas_index(index: Any, narrow: bool) -> Any:
    values = _pandas_values(index, narrow, f"the index {index.name!r}") if index.nlevels == 1 else None
    return index if values is None else type(index)(values, name=index.name)


def _pandas_values(column: Any, narrow: bool, where: str) -> Any:
    """Return the values of a column whose type changes, or None."""
    import pandas as pd

    if not (isinstance(column.dtype, pd.ArrowDtype) or type(column.dtype).__name__ == "JaggedDtype"):
        return None
    stored = column.array.__arrow_array__()
    made = _chunks(stored, narrow, where) if isinstance(stored, pa.ChunkedArray) else _array(stored, narrow, where)
    return None if made.type == stored.type else pd.arrays.ArrowExtensionArray(made)


def _polars(obj: Any, kind: str) -> Any:
    import polars as pl
    import polars.selectors as cs

    if kind == "Series":
        return obj.to_frame("").select(_polars_lists(pl.col(""), obj.dtype)).to_series().alias(obj.name)
    schema = obj.collect_schema()
    changed = [_polars_lists(cs.by_name(name).as_expr(), dtype) for name, dtype in schema.items() if _holds_jagged(dtype)]
    return obj.with_columns(changed) if changed else obj


def _holds_jagged(dtype: Any) -> bool:
    if _is_jagged(dtype):
        return True
    inner = getattr(dtype, "inner", None)
    fields = getattr(dtype, "fields", ())
    return (inner is not None and _holds_jagged(inner)) or any(_holds_jagged(field.dtype) for field in fields)


def _is_jagged(dtype: Any) -> bool:
    return hasattr(dtype, "ext_name") and dtype.ext_name() == _arrow.EXTENSION_NAME


def _polars_lists(column: Any, dtype: Any) -> Any:
    """Return an expression of the column without extensions, at every level."""
    import polars as pl

    if not _holds_jagged(dtype):
        return column
    if _is_jagged(dtype):
        return _polars_lists(column.ext.storage(), dtype.ext_storage())
    if isinstance(dtype, pl.Struct):
        return column.struct.with_fields([_polars_lists(pl.field(one.name), one.dtype) for one in dtype.fields])
    inner = _polars_lists(pl.element(), dtype.inner)
    return column.arr.eval(inner) if isinstance(dtype, pl.Array) else column.list.eval(inner)


# ---------------------------------------------------------------------------------------------------- metadata of pandas


def portable(schema: pa.Schema) -> pa.Schema:
    """Store the dtype `object` for nested columns in the pandas metadata, so that pandas without arrowjag can read the file.

    With arrowjag, the Arrow type restores the dtype. The same is needed for columns of pandas' `ArrowDtype` that are nested,
    dictionaries or bytes of one size: pandas can't parse the dtype names that it writes for them.

    Parameters
    ----------
    schema : pa.Schema
        A schema, with or without pandas metadata.

    Returns
    -------
    pa.Schema
        The same columns.
    """
    metadata = dict(schema.metadata or {})
    facts = pandas_facts(metadata)
    columns = facts.get("columns") if facts is not None else None
    if not isinstance(columns, list):
        return schema
    for column in columns:
        place = schema.get_field_index(str(column.get("field_name"))) if isinstance(column, dict) else -1
        if place >= 0 and _has_no_name(schema.field(place).type, column.get("numpy_type")):
            column["numpy_type"] = "object"
    metadata[b"pandas"] = json.dumps(facts).encode()
    return schema.with_metadata(metadata)


def _has_no_name(type: pa.DataType, name: Any) -> bool:
    """Return whether pandas can't parse the name that it writes for a type: those of categoricals are names of their codes."""
    if pt.is_dictionary(type) or pt.is_fixed_size_binary(type):
        return str(name).endswith("[pyarrow]")
    return _arrow.is_jagged_extension(type) or bool(pt.is_nested(type))


def pandas_facts(metadata: dict[bytes, bytes]) -> dict[str, Any] | None:
    """Parse the metadata that pandas writes.

    Parameters
    ----------
    metadata : dict
        The metadata of a schema, which may hold any bytes.

    Returns
    -------
    dict or None
        None if there are none, or they can't be parsed.
    """
    try:
        facts = json.loads(metadata[b"pandas"])
    except (KeyError, ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None
