"""From what a transform returns to a table of the schema of the job."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag.errors import JagError, JagTypeError, JagValueError
from arrowjag.io.frames import from_table, to_table
from arrowjag.io.scan import conform_table
from arrowjag.io.schemas import merge_types

__all__ = ["METADATA_KEY", "bare_schema", "check_schema", "conform_result", "make_frame", "read_frame"]

#: The key of our metadata in files; tables that are made of such files don't carry it on.
METADATA_KEY = b"arrowjag.etl"


def make_frame(table: pa.Table, frame: str) -> Any:
    """A batch as the frame that the transform gets.

    Parameters
    ----------
    table : pa.Table
        Rows.
    frame : {"polars", "pandas", "arrow"}
        The kind of frame. Columns of pandas are Arrow-backed: their types don't depend on whether a batch has nulls.

    Returns
    -------
    polars.DataFrame, pandas.DataFrame or pa.Table
        Buffers are shared where the host can.
    """
    if frame != "pandas":
        return from_table(table, frame)
    import pandas as pd

    def host_type(type: pa.DataType) -> Any:
        return None if isinstance(type, pa.BaseExtensionType) else pd.ArrowDtype(type)

    return table.to_pandas(types_mapper=host_type, ignore_metadata=True)


def read_frame(result: Any, name: str) -> pa.Table:
    """What a transform returned, as a table.

    Parameters
    ----------
    result : object
        A frame of any kind that `arrowjag.write_parquet` takes. Named levels of a pandas index become columns, an index without
        a name is dropped.
    name : str
        The transform.

    Returns
    -------
    pa.Table
        Buffers are shared.

    Raises
    ------
    JagTypeError
        If it is no frame.
    JagValueError
        If two columns have one name.
    """
    library = type(result).__module__.partition(".")[0]
    is_column = isinstance(result, (pa.Array, pa.ChunkedArray)) or type(result).__name__ == "Series"
    try:
        if is_column:
            raise JagTypeError("a column is no frame")
        table = _from_pandas(result) if library == "pandas" else to_table(result)
    except (JagError, pa.ArrowException, TypeError, ValueError, AttributeError) as error:
        kind = f"{library}.{type(result).__name__}" if library != "builtins" else type(result).__name__
        raise JagTypeError(
            f"{name} returned a {kind}, expected a frame: polars, pandas, a pa.Table or a dict of arrays ({error})"
        ) from error
    twice = [one for one in table.column_names if table.column_names.count(one) > 1]
    if twice:
        raise JagValueError(f"{name} returned two columns of the name {twice[0]!r}")
    return table.replace_schema_metadata(bare_schema(table.schema).metadata)


def _from_pandas(frame: Any) -> pa.Table:
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index(level=named)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return to_table(table)


def bare_schema(schema: pa.Schema) -> pa.Schema:
    """A schema without what jobs write into files.

    Parameters
    ----------
    schema : pa.Schema
        Of a table or a file.

    Returns
    -------
    pa.Schema
        The same columns.
    """
    metadata = {key: value for key, value in (schema.metadata or {}).items() if key != METADATA_KEY}
    return schema.with_metadata(metadata or None)


def check_schema(schema: Any) -> pa.Schema:
    """The schema that a caller gives.

    Parameters
    ----------
    schema : pa.Schema, dict, list of pairs, or what has ``__arrow_c_schema__``
        Names and Arrow types.

    Returns
    -------
    pa.Schema
        As Arrow has it.

    Raises
    ------
    JagTypeError
        If it is nothing of these.
    """
    try:
        return bare_schema(schema if isinstance(schema, pa.Schema) else pa.schema(schema))
    except (TypeError, pa.ArrowException, AttributeError) as error:
        raise JagTypeError(f"schema is a pa.Schema, or names with Arrow types, got {type(schema).__name__}: {error}") from error


def conform_result(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A result in the schema of the job: the same columns, in its order, cast without a loss where types are of one kind.

    Parameters
    ----------
    table : pa.Table
        What a transform returned.
    schema : pa.Schema
        That of the job.

    Returns
    -------
    pa.Table
        Buffers that fit are shared.

    Raises
    ------
    JagValueError
        If columns are missing or too many, if a type is of another kind, or if a value doesn't fit; the column is named.
    """
    if table.schema.equals(schema, check_metadata=False):
        return table.replace_schema_metadata(schema.metadata)
    missing = [name for name in schema.names if name not in table.column_names]
    more = [name for name in table.column_names if name not in schema.names]
    if missing or more:
        said = [f"{word} column {', '.join(map(repr, names))}" for word, names in (("lacks", missing), ("adds", more)) if names]
        raise JagValueError(f"the result {' and '.join(said)}; the columns of the job are {', '.join(schema.names)}")
    for field in schema:
        found = table.schema.field(field.name).type
        if not _is_alike(found, field.type):
            raise JagValueError(
                f"the result, column {field.name!r}: {found} is no {field.type}, which the job has (schema= says what to write)"
            )
    return conform_table(table, schema, "the result")


def _is_alike(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a type is of the same kind as another: no field of a struct would be lost or made up, no number read from text."""
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
