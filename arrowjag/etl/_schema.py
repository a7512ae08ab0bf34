"""Convert batches to the frames that a transform receives, and its results to tables with the schema of the job."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag.errors import JagError, JagTypeError, JagValueError
from arrowjag.io._frames import from_table, to_table
from arrowjag.io._scan import conform_table
from arrowjag.io._schemas import merge_types, repeated_name

__all__ = ["METADATA_KEY", "THE_TABLE", "bare_schema", "check_schema", "conform_result", "make_frame", "read_frame"]

THE_TABLE = "the table"
"""The owner of the types of columns that a table of the lake has."""

#: The key of arrowjag's metadata in files; `bare_schema` removes it from tables read from such files.
METADATA_KEY = b"arrowjag.etl"


_OTHER_COLUMNS = 'return the same columns for every batch; if the function has changed, mode="replace" writes all results again'
_IN_FUNCTION = "cast it in the function, to one type for every batch"
_IN_SCHEMA = "cast it in the function, or pass schema= that all results fit"


def make_frame(table: pa.Table, frame: str) -> Any:
    """Convert a batch to the frame that the transform receives.

    Parameters
    ----------
    table : pa.Table
        Rows.
    frame : {"polars", "pandas", "arrow"}
        The kind of frame. pandas columns are Arrow-backed, so that their types don't depend on whether a batch has nulls.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pa.Table
        Shares buffers where the host supports it.
    """
    if frame != "pandas":
        return from_table(table, frame)
    import pandas as pd

    def host_type(type: pa.DataType) -> Any:
        return None if isinstance(type, pa.BaseExtensionType) else pd.ArrowDtype(type)

    return table.to_pandas(types_mapper=host_type, ignore_metadata=True)


def read_frame(result: Any, name: str) -> pa.Table:
    """Convert the return value of a transform to a table.

    Parameters
    ----------
    result : object
        Any frame that `arrowjag.write_parquet` accepts. Named levels of a pandas index become columns; an index without a name is
        dropped.
    name : str
        Name of the transform, for messages.

    Returns
    -------
    pa.Table
        Shares the buffers of the frame.

    Raises
    ------
    JagTypeError
        If `result` is not a frame.
    JagValueError
        If two columns have the same name.
    """
    library = type(result).__module__.partition(".")[0]
    is_column = isinstance(result, (pa.Array, pa.ChunkedArray)) or type(result).__name__ == "Series"
    try:
        if is_column:
            raise JagTypeError("a column is not a frame")
        table = _from_pandas(result) if library == "pandas" else to_table(result)
    except (JagError, pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        kind = f"{library}.{type(result).__name__}" if library != "builtins" else type(result).__name__
        if not is_column and (isinstance(result, (dict, pa.Table)) or kind.endswith(".DataFrame")):
            failed = JagValueError if isinstance(error, ValueError) else JagTypeError
            raise failed(f"{name} returned a {kind} that can't be written: {error}") from error
        raise JagTypeError(
            f"{name} returned {_article(kind)}, expected a frame: polars, pandas, a pa.Table or a dict of arrays"
        ) from error
    if table.num_rows and not table.num_columns:
        raise JagValueError(f"{name} returned {table.num_rows:,} rows and no columns, and Parquet stores rows in columns")
    return table.replace_schema_metadata(bare_schema(table.schema).metadata)


def _article(kind: str) -> str:
    """Return the name of a type with its article."""
    return "None" if kind == "NoneType" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _from_pandas(frame: Any) -> pa.Table:
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index(level=named)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return to_table(table)


def bare_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema without the metadata that jobs write into files.

    Parameters
    ----------
    schema : pa.Schema
        Schema of a table or a file.

    Returns
    -------
    pa.Schema
        The same columns.
    """
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key != METADATA_KEY}
    return schema.with_metadata(metadata or None)


def check_schema(schema: Any) -> pa.Schema:
    """Convert the `schema` argument of the caller to a `pa.Schema`.

    Parameters
    ----------
    schema : pa.Schema, dict, list of pairs, or object with ``__arrow_c_schema__``
        Names and Arrow types.

    Returns
    -------
    pa.Schema
        The schema.

    Raises
    ------
    JagTypeError
        If `schema` is none of these.
    JagValueError
        If it has no columns, or two of one name.
    """
    try:
        found = bare_schema(schema if isinstance(schema, pa.Schema) else pa.schema(schema))
    except (TypeError, ValueError, KeyError, pa.ArrowException, AttributeError) as error:
        raise JagTypeError(f"schema must be a pa.Schema or names with Arrow types, got {type(schema).__name__}: {error}") from error
    if not found.names:
        raise JagValueError("schema has no columns; leave it out to take that of the first results")
    twice = repeated_name(found.names)
    if twice is not None:
        raise JagValueError(f"schema has two columns of the name {twice!r}")
    return found


def conform_result(table: pa.Table, schema: pa.Schema, owner: str = "the job", hint: str = "") -> pa.Table:
    """Reorder and losslessly cast the columns of a result to the schema of the job.

    Parameters
    ----------
    table : pa.Table
        The result of a transform.
    schema : pa.Schema
        Schema of the job.
    owner : str
        The owner of the schema, for messages.
    hint : str
        Advice for missing and additional columns, for messages.

    Returns
    -------
    pa.Table
        Shares the buffers of columns that need no cast.

    Raises
    ------
    JagValueError
        If a column is missing or unexpected, if its type is of another kind, or if a value can't be cast; names the column.
    """
    if table.schema.equals(schema, check_metadata=False):
        return table.replace_schema_metadata(schema.metadata)
    found, known = table.column_names, schema.names
    missing, more = ([name for name in one if name not in others] for one, others in ((known, set(found)), (found, set(known))))
    if missing or more:
        said = [f"{word} column {', '.join(map(repr, names))}" for word, names in (("lacks", missing), ("adds", more)) if names]
        columns = f"the columns of {owner} are {', '.join(schema.names)}"
        raise JagValueError(f"the result {' and '.join(said)}; {columns}; {hint or _OTHER_COLUMNS}")
    for field in schema:
        type = table.schema.field(field.name).type
        if not _is_alike(type, field.type):
            raise JagValueError(
                f"the result, column {field.name!r}: {type} does not fit {field.type}, the type of {owner}; {_IN_FUNCTION}"
            )
    try:
        return conform_table(table, schema, "the result")
    except JagValueError as error:
        raise JagValueError(f"{error}; {_IN_FUNCTION if owner == THE_TABLE else _IN_SCHEMA}") from error


def _is_alike(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether two types are of one kind: a cast neither drops nor adds fields of structs, and parses no text as numbers."""
    if found == wanted or pt.is_null(found):
        return True
    return merge_types(found, wanted) is not None and _field_names(found) == _field_names(wanted)


def _field_names(type: pa.DataType) -> list[str]:
    if isinstance(type, pa.BaseExtensionType):
        return _field_names(type.storage_type)
    if _arrow.is_list_type(type):
        return _field_names(type.value_type)
    if pt.is_struct(type):
        return sorted(
            name for field in type for name in [field.name, *(f"{field.name}.{below}" for below in _field_names(field.type))]
        )
    return []
