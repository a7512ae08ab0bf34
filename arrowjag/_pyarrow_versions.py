"""Differences between pyarrow releases; no other module of the core depends on its version."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _versions
from arrowjag._versions import Difference

__all__ = [
    "NO_LARGE_DICTIONARIES",
    "NO_NULLS_IN_FIXED_LISTS",
    "NO_UUID_OBJECTS",
    "TOO_FEW_NULLS_OF_FIELDS",
    "array_from_python",
    "check_seconds",
    "concat_tables",
    "empty_table",
    "has_views",
    "if_else",
    "nbytes",
    "null_scalar",
    "numpy_dtype",
    "parquet_schema",
    "read_json",
    "run_end_decode",
    "table_of",
    "table_with_data_of_views",
    "take",
    "with_all_nulls",
    "with_data_of_views",
    "with_metadata",
]

_versions.check(pa, "arrowjag")

NO_NULLS_IN_FIXED_LISTS = Difference(
    "pyarrow",
    "26.0",
    "Parquet: `fixed_size_list` with null rows can't be read, nor written at the top level.",
    "arrowjag reads and writes variable lists with the same bytes; `pq.read_table` fails as before.",
)
_NULLS_MOVE_SLICED_TEXT = Difference(
    "pyarrow",
    "24.0",
    "`if_else` of a slice of text or binary and a null scalar gives wrong values, from memory beyond the array.",
    "arrowjag passes an array of nulls; `pyarrow.compute.if_else` fails as before.",
)
_TAKEN_TEXT_WRAPS = Difference(
    "pyarrow",
    "26.0",
    "`take` of more than 2 GB of text or bytes returns damaged offsets.",
    "arrowjag returns large text or bytes; `pyarrow.compute.take` fails as before.",
)
_NO_RUNS_OF_LISTS = Difference("pyarrow", "26.0", "`run_end_decode` has no kernel for lists.", "arrowjag gathers the rows.")
_NO_BYTES_OF_VIEWS = Difference(
    "pyarrow", "24.0", "`nbytes` of `string_view` and `binary_view` raises.", "arrowjag counts the bytes of a cast."
)
_NO_DATA_OF_VIEWS = Difference(
    "pyarrow",
    "25.0",
    "Views of short text that a cast has created end the process when IPC writes them with compression, or polars takes them.",
    "arrowjag makes, writes and hands over other views; `pyarrow.ipc` and `pl.from_arrow` fail as before.",
)
_SECONDS_WRAP = Difference(
    "pyarrow",
    "25.0",
    "Parquet stores timestamps in seconds as milliseconds; those beyond its range are written as other times.",
    "arrowjag refuses to write them; `pq.write_table` writes them as before.",
)
NO_LARGE_DICTIONARIES = Difference(
    "pyarrow",
    "25.0",
    "`pa.array` doesn't make a `dictionary` of `large_string` from Python text.",
    "`arrowjag.array` encodes the text itself.",
)
TOO_FEW_NULLS_OF_FIELDS = Difference(
    "pyarrow",
    "26.0",
    "Parquet: the statistics of a field of structs inside lists may count too few nulls.",
    "`arrowjag show` repeats the statistics of the file.",
)
_FIELDS_BY_NAME = Difference(
    "pyarrow", "24.0", "`pa.array` sorts the fields of Python dicts by name.", "As in pyarrow; `type=` gives them another order."
)
NO_UUID_OBJECTS = Difference(
    "pyarrow", "24.0", "`pa.array` doesn't take `uuid.UUID` objects.", "`arrowjag.array` raises; pass bytes and `type=pa.uuid()`."
)


def run_end_decode(array: pa.Array) -> pa.Array:
    """Decode runs of any type.

    Parameters
    ----------
    array : pa.RunEndEncodedArray
        Any slice.

    Returns
    -------
    pa.Array
        One value per position.
    """
    values, type = array.values, array.type.value_type

    def decoded(part: pa.Array) -> pa.Array:
        """Decode the same runs of other values."""
        return run_end_decode(pa.RunEndEncodedArray.from_arrays(array.run_ends, part).slice(array.offset, len(array)))

    if isinstance(type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(type, decoded(values.storage))
    if pt.is_dictionary(type):
        return pa.DictionaryArray.from_arrays(decoded(values.indices), values.dictionary, ordered=type.ordered)
    if pt.is_string_view(type) or pt.is_binary_view(type):
        return decoded(values.cast(pa.large_string() if pt.is_string_view(type) else pa.large_binary())).cast(type)
    if not _NO_RUNS_OF_LISTS or not pt.is_nested(type):
        return pc.run_end_decode(array)
    if pt.is_struct(type):
        parts = [decoded(values.field(place)) for place in range(type.num_fields)]
        return pa.StructArray.from_arrays(parts, fields=list(type), mask=decoded(values.is_null()))
    places = pa.RunEndEncodedArray.from_arrays(array.run_ends, pa.array(np.arange(len(array.values))))
    return values.take(pc.run_end_decode(places.slice(array.offset, len(array))))


def if_else(condition: Any, one: Any, two: Any) -> pa.Array:
    """Return `pc.if_else`, for slices of text beside a null too.

    Parameters
    ----------
    condition, one, two : pa.Array, pa.ChunkedArray or pa.Scalar
        The arguments of `pc.if_else`.

    Returns
    -------
    pa.Array
        Items of `one` where the condition is true, of `two` where it is false, null where it is null.
    """
    if _NULLS_MOVE_SLICED_TEXT and not isinstance(condition, pa.Scalar):
        one, two = (pa.nulls(len(condition), side.type) if _is_null_text(side) else side for side in (one, two))
    return pc.if_else(condition, one, two)


_take, _UNCHECKED = pc.get_function("take").call, pc.TakeOptions(boundscheck=False)
"""Looked up once: `pc.take` takes half as long again for few values."""


def take(values: pa.Array, index: pa.Array) -> pa.Array:
    """Return `pc.take` without a check of the positions; more text than offsets of 32 bits reach raises an error in each release.

    Parameters
    ----------
    values : pa.Array
        Of any type that pyarrow takes.
    index : pa.Array
        Positions within range, or null.

    Returns
    -------
    pa.Array
        The items.

    Raises
    ------
    pa.ArrowInvalid
        If the result has more than 2 GB of text or bytes, and its type isn't a large one.
    """
    found = _take([values, index], _UNCHECKED)
    if _TAKEN_TEXT_WRAPS and _has_falling_offsets(found):
        raise pa.ArrowInvalid("Take operation overflowed binary array capacity")
    return found


def _has_falling_offsets(values: pa.Array) -> bool:
    """Return whether offsets of text or bytes fall at any level, as they do where they wrap around."""
    type = values.type
    if isinstance(type, pa.BaseExtensionType):
        return _has_falling_offsets(values.storage)
    if pt.is_string(type) or pt.is_binary(type):
        cuts = np.frombuffer(values.buffers()[1], np.int32, len(values) + 1, 4 * values.offset) if len(values) else np.zeros(1)
        return bool((cuts[1:] < cuts[:-1]).any())
    if pt.is_struct(type):
        return any(_has_falling_offsets(values.field(place)) for place in range(type.num_fields))
    is_list = pt.is_list(type) or pt.is_large_list(type) or pt.is_fixed_size_list(type)
    return is_list and _has_falling_offsets(values.values)


def _is_null_text(side: Any) -> bool:
    """Return whether an operand is a null of text or binary."""
    return isinstance(side, pa.Scalar) and not side.is_valid and side.type in _TEXTS


_TEXTS = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def read_json(source: Any, read_options: Any, parse_options: Any) -> pa.Table:
    """Read JSON objects, one per line; the children of lists get the lengths that the offsets require.

    Parameters
    ----------
    source : file-like
        The lines.
    read_options, parse_options
        Those of `pyarrow.json.read_json`.

    Returns
    -------
    pa.Table
        One row per object.
    """
    import pyarrow.json as reader

    table = reader.read_json(source, read_options=read_options, parse_options=parse_options)
    # Nulls at the start of a list, before it had a type, are lost.
    if parse_options.explicit_schema is None and not _is_valid(table):
        source.seek(0)
        known = reader.ParseOptions(explicit_schema=table.schema, unexpected_field_behavior="error")
        table = reader.read_json(source, read_options=read_options, parse_options=known)
    if not any(_lists_nulls(type) for type in table.schema.types):  # lists with too short children
        return table
    columns = [pa.chunked_array(map(with_all_nulls, column.chunks), column.type) for column in table.columns]
    return table_of(columns, table.schema, table.num_rows)


def _is_valid(table: pa.Table) -> bool:
    try:
        table.validate()
    except pa.ArrowInvalid:
        return False
    return True


def _lists_nulls(type: pa.DataType) -> bool:
    """Return whether lists anywhere in a type hold nulls alone."""
    if pt.is_list(type) or pt.is_large_list(type) or pt.is_fixed_size_list(type):
        return pt.is_null(type.value_type) or _lists_nulls(type.value_type)
    return pt.is_struct(type) and any(_lists_nulls(field.type) for field in type)


def with_all_nulls(array: pa.Array) -> pa.Array:
    """Give lists of nulls as many items as their offsets and sizes require: the JSON reader and casts of lists lose some.

    Parameters
    ----------
    array : pa.Array
        Not a slice.

    Returns
    -------
    pa.Array
        The array itself if it has no lists of nulls; others share all buffers.
    """
    type = array.type
    if not _lists_nulls(type):
        return array
    if len(array) == 0:
        return pa.nulls(0, type)
    if pt.is_struct(type):
        children = [with_all_nulls(array.field(place)) for place in range(type.num_fields)]
        return pa.Array.from_buffers(type, len(array), array.buffers()[:1], children=children)
    count = len(array) * type.list_size if pt.is_fixed_size_list(type) else array.offsets[-1].as_py()
    items = pa.nulls(count) if pt.is_null(type.value_type) else with_all_nulls(array.values)
    return pa.Array.from_buffers(type, len(array), array.buffers()[: type.num_buffers], children=[items])


def empty_table(schema: pa.Schema) -> pa.Table:
    """Return a table without rows; `Schema.empty_table` makes none of unions, nor of lists of what `pa.array` does not make."""
    return pa.Table.from_arrays([pa.nulls(0, type) for type in schema.types], schema=schema)


def table_of(columns: Sequence[Any], schema: pa.Schema, rows: int) -> pa.Table:
    """Return a table of columns, or of rows alone if there are none: `pa.table` makes no rows without columns.

    Parameters
    ----------
    columns : sequence of pa.Array or pa.ChunkedArray
        The columns.
    schema : pa.Schema
        Their names and types.
    rows : int
        The number of rows.

    Returns
    -------
    pa.Table
        Shares the buffers of the columns.

    Examples
    --------
    >>> table_of([], pa.schema([]), 3).num_rows
    3
    """
    if len(schema):
        return pa.Table.from_arrays(list(columns), schema=schema)
    alone = pa.StructArray.from_buffers(pa.struct([]), rows, [None])
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(alone)], schema)


def with_metadata(table: pa.Table, metadata: dict[bytes, bytes] | None) -> pa.Table:
    """Replace the metadata of the schema; pyarrow's method drops the rows of a table without columns."""
    return table_of(table.columns, table.schema.with_metadata(metadata), table.num_rows)


def concat_tables(tables: Sequence[pa.Table]) -> pa.Table:
    """Concatenate tables of one schema; pyarrow's function drops the rows of tables without columns."""
    if tables[0].num_columns:
        return pa.concat_tables(tables)
    return table_of([], tables[0].schema, sum(table.num_rows for table in tables))


def array_from_python(values: Sequence[Any], type: pa.DataType) -> pa.Array:
    """Return `pa.array` of Python values, for dictionaries of any type of text.

    Parameters
    ----------
    values : sequence
        One value per item.
    type : pa.DataType
        Any flat type.

    Returns
    -------
    pa.Array
        Equal to ``pa.array(values, type)``.
    """
    if not _is_large_dictionary(type):
        return pa.array(values, type)
    encoded = pa.array(values, type.value_type).dictionary_encode()
    return pa.DictionaryArray.from_arrays(encoded.indices.cast(type.index_type), encoded.dictionary, ordered=type.ordered)


def null_scalar(type: pa.DataType) -> pa.Scalar:
    """Return the null of a type, as `pa.scalar` gives it."""
    # Of nested types `pa.scalar` makes indices of dictionaries without values, and before pyarrow 25 categories lose their order.
    is_plain = not (pt.is_dictionary(type) or pt.is_struct(type) or pt.is_fixed_size_list(type))
    return pa.scalar(None, type) if is_plain else pa.nulls(1, type)[0]


def _is_large_dictionary(type: pa.DataType) -> bool:
    """Return whether this pyarrow has no converter for Python values to a type."""
    return bool(NO_LARGE_DICTIONARIES) and pt.is_dictionary(type) and pt.is_large_string(type.value_type)


def numpy_dtype(type: pa.DataType) -> Any:
    """Return `type.to_pandas_dtype()`, without an import of pandas for numbers, as older versions do.

    Parameters
    ----------
    type : pa.DataType
        Any type.

    Returns
    -------
    type
        A scalar type of numpy for numbers and bool.
    """
    found = _NUMPY.get(type.id)
    return type.to_pandas_dtype() if found is None else found


_NAMES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
_NUMPY: dict[int, Any] = {pa.type_for_alias(name).id: getattr(np, name) for name in _NAMES.split()} | {pa.bool_().id: np.bool_}


def nbytes(data: pa.Array | pa.ChunkedArray | pa.RecordBatch | pa.Table) -> int:
    """Return the bytes of Arrow data; views count as text with offsets where this pyarrow can't count them.

    Parameters
    ----------
    data : pa.Array, pa.ChunkedArray, pa.RecordBatch or pa.Table
        Any slice.

    Returns
    -------
    int
        An estimate for views.
    """
    try:
        return int(data.nbytes)
    except pa.ArrowTypeError:
        if not _NO_BYTES_OF_VIEWS:
            raise
    if isinstance(data, (pa.RecordBatch, pa.Table)):
        return sum(map(nbytes, data.columns))
    try:
        return int(data.cast(without_views(data.type)).nbytes)
    except pa.ArrowException:
        return int(data.get_total_buffer_size())


_LIST_KINDS = (pt.is_list, pt.is_large_list, pt.is_fixed_size_list, pt.is_list_view, pt.is_large_list_view)


def without_views(type: pa.DataType) -> pa.DataType:
    """Return a type with large text and bytes in place of views.

    Parameters
    ----------
    type : pa.DataType
        Any type.

    Returns
    -------
    pa.DataType
    """
    if isinstance(type, pa.BaseExtensionType):
        return without_views(type.storage_type)
    if pt.is_string_view(type) or pt.is_binary_view(type):
        return pa.large_string() if pt.is_string_view(type) else pa.large_binary()
    if pt.is_struct(type):
        return pa.struct([field.with_type(without_views(field.type)) for field in type])
    if pt.is_map(type):
        return _map_of(type, without_views)
    if not any(is_kind(type) for is_kind in _LIST_KINDS):
        return type
    items = type.value_field.with_type(without_views(type.value_type))
    return pa.list_(items, type.list_size) if pt.is_fixed_size_list(type) else _list_of(type, items)


def _map_of(type: pa.DataType, change: Callable[[pa.DataType], pa.DataType]) -> pa.DataType:
    """Return a map whose keys and items have changed types."""
    return pa.map_(change(type.key_type), type.item_field.with_type(change(type.item_type)), type.keys_sorted)


def _list_of(type: pa.DataType, items: pa.Field) -> pa.DataType:
    """Return a list with other items, of the kind of `type`; large lists in place of lists of a fixed size."""
    if pt.is_list(type):
        return pa.list_(items)
    if pt.is_list_view(type):
        return pa.list_view(items)
    return pa.large_list_view(items) if pt.is_large_list_view(type) else pa.large_list(items)


def has_views(type: pa.DataType) -> bool:
    """Return whether a type contains views of text or bytes, also in its fields.

    Parameters
    ----------
    type : pa.DataType
        Any type.

    Returns
    -------
    bool
    """
    type = type.storage_type if isinstance(type, pa.BaseExtensionType) else type
    fields = (type.field(place).type for place in range(type.num_fields))
    return bool(pt.is_string_view(type) or pt.is_binary_view(type) or any(map(has_views, fields)))


def with_data_of_views(values: pa.Array) -> pa.Array:
    """Return values whose views can be written compressed, and be handed to other libraries.

    Parameters
    ----------
    values : pa.Array
        Of any type.

    Returns
    -------
    pa.Array
        The values themselves; where this pyarrow can't write their views, a new array that shares the memory of flat ones.
    """
    if not _NO_DATA_OF_VIEWS or not has_views(values.type):
        return values
    buffers = values.buffers()
    if values.type.num_fields or isinstance(values.type, pa.BaseExtensionType):  # a stream brings all buffers
        sink = pa.BufferOutputStream()
        batch = pa.record_batch([values], ["values"])
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        return pa.ipc.open_stream(sink.getvalue()).read_next_batch().column(0)
    data = [pa.py_buffer(b"") if one is None else one for one in buffers[2:]]
    if all(one is not None for one in buffers[2:]):
        return values
    data = [] if all(one is None for one in buffers[2:]) else data  # views tell the numbers of their buffers
    return pa.Array.from_buffers(values.type, len(values), [*buffers[:2], *data], values.null_count, values.offset)


def table_with_data_of_views(table: pa.Table) -> pa.Table:
    """Return a table of which each column is as `with_data_of_views` makes it.

    Parameters
    ----------
    table : pa.Table
        Any columns.

    Returns
    -------
    pa.Table
        The table itself where this pyarrow writes all of it.
    """
    if not _NO_DATA_OF_VIEWS:
        return table
    columns = [pa.chunked_array(map(with_data_of_views, column.chunks), column.type) for column in table.columns]
    return table_of(columns, table.schema, table.num_rows)


def check_seconds(table: pa.Table) -> None:
    """Raise if Parquet can't store a timestamp in seconds: it stores milliseconds.

    Parameters
    ----------
    table : pa.Table
        The data to write.

    Raises
    ------
    pa.ArrowInvalid
        For a timestamp beyond the range of milliseconds, as the newest pyarrow raises while it writes.
    """
    if not _SECONDS_WRAP:
        return
    for column in table.columns:
        if "timestamp[s" in str(column.type):
            for chunk in column.chunks:
                _cast_seconds(chunk)


def _cast_seconds(values: pa.Array) -> None:
    type = values.type
    if isinstance(type, pa.BaseExtensionType):
        _cast_seconds(values.storage)
    elif pt.is_timestamp(type) and type.unit == "s":
        values.cast(pa.timestamp("ms", type.tz))
    elif pt.is_struct(type):
        for field in values.flatten():
            _cast_seconds(field)
    elif pt.is_nested(type) and not pt.is_union(type):
        _cast_seconds(values.flatten())


def parquet_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema in which this pyarrow reads and writes Parquet files whose Arrow schema is `schema`.

    Parameters
    ----------
    schema : pa.Schema
        The schema of a file.

    Returns
    -------
    pa.Schema
        The same columns; `schema` itself if this pyarrow supports all of its types.
    """
    types = [_parquet_type(field.type) for field in schema]
    if all(type == field.type for type, field in zip(types, schema, strict=True)):
        return schema
    return pa.schema([field.with_type(type) for field, type in zip(schema, types, strict=True)], schema.metadata)


@functools.lru_cache(maxsize=1024)
def _parquet_type(type: pa.DataType, in_struct: bool = False, is_required: bool = False) -> pa.DataType:
    """`is_required` says that the type is that of a field of structs that is never null in them."""
    if isinstance(type, pa.BaseExtensionType):
        inside = _parquet_type(type.storage_type, in_struct)
        return type if inside == type.storage_type else inside
    if pt.is_struct(type):
        return pa.struct([field.with_type(_parquet_type(field.type, True, not field.nullable)) for field in type])
    if pt.is_map(type):
        return _map_of(type, lambda one: _parquet_type(one, True))
    if in_struct and (pt.is_string_view(type) or pt.is_binary_view(type)):  # pyarrow can't write those
        return pa.large_string() if pt.is_string_view(type) else pa.large_binary()
    if not any(is_kind(type) for is_kind in _LIST_KINDS):
        return type
    items = type.value_field.with_type(_parquet_type(type.value_type, in_struct))
    # pyarrow never reads those of size 0, nor those that a null struct lacks although they are required.
    if pt.is_fixed_size_list(type) and type.list_size and not (is_required or NO_NULLS_IN_FIXED_LISTS):
        return pa.list_(items, type.list_size)
    return _list_of(type, items)
