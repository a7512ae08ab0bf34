"""Convert frames of all hosts to Arrow tables and back."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from arrowjag import _lazy_imports
from arrowjag._array.base import ArrayBase
from arrowjag._array.names import refuse_nul, refuse_unreadable
from arrowjag._gate.capsules import import_table
from arrowjag._pyarrow_versions import with_metadata
from arrowjag.errors import JagError, JagTypeError, JagValueError, ShapeError
from arrowjag.functions._storage import pandas_facts, portable
from arrowjag.io._schemas import repeated_name

__all__ = ["from_table", "index_columns", "to_table"]


def to_table(frame: Any) -> pa.Table:
    """Convert a frame to an Arrow table in which jagged columns carry their type.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, pa.RecordBatch, or dict of arrays
        The frame to write, or any other object with ``__arrow_c_stream__``.

    Returns
    -------
    pa.Table
        Shares the buffers of the frame.

    Raises
    ------
    JagTypeError
        If `frame` is not a frame.
    JagValueError
        If two columns have one name.
    ShapeError
        If the columns of a dict differ in length.

    Examples
    --------
    >>> import arrowjag as aj
    >>> to_table({"x": aj.array([[1], []]), "k": [1, 2]}).schema.names
    ['x', 'k']
    """
    if type(frame).__name__ == "LazyFrame" and type(frame).__module__.startswith("polars."):
        frame = frame.collect()  # errors of the query are polars' own
    try:
        table = _to_table(frame)
    except JagError:
        raise
    except (pa.ArrowException, TypeError, ValueError) as error:
        kind = JagTypeError if isinstance(error, (pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError)) else JagValueError
        reason = "; ".join(map(str, error.args)) or str(error)
        raise kind(f"Arrow can't convert this {type(frame).__name__}: {reason}") from error
    twice = repeated_name(table.column_names)
    if twice is not None:
        raise JagValueError(f"the frame has two columns of the name {twice!r}, which no reader could tell apart: rename one")
    return with_metadata(table, portable(table.schema).metadata)


def _to_table(frame: Any) -> pa.Table:
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, dict):
        return _from_columns({name: _column(name, one) for name, one in frame.items()})
    library = type(frame).__module__.split(".")[0]
    kind = type(frame).__name__
    if library == "pandas" and kind == "DataFrame":
        return pa.Table.from_pandas(frame)
    if library == "polars" and kind == "DataFrame":
        refuse_unreadable(frame)
        refuse_nul(frame)
        return frame.to_arrow()
    if hasattr(frame, "__arrow_c_stream__") and kind != "Series":
        return import_table(frame, f"a {kind}")
    raise JagTypeError(f"a frame must be a pandas or polars DataFrame, a pa.Table or a dict of arrays, got {type(frame).__name__}")


def _column(name: Any, values: Any) -> Any:
    if isinstance(values, ArrayBase):
        return values.to_arrow()
    many = any(hasattr(values, one) for one in ("__iter__", "__arrow_array__", "__arrow_c_array__", "__arrow_c_stream__"))
    if isinstance(values, (str, bytes)) or not many:
        raise JagTypeError(f"column {name!r} of a frame must be an array or a list of values, got {type(values).__name__}")
    if type(values).__module__.startswith("polars."):
        try:
            refuse_unreadable(values)
        except JagTypeError as error:
            raise JagTypeError(f"column {name!r}: {error}") from None
    return values


def _from_columns(columns: dict[Any, Any]) -> pa.Table:
    try:
        return pa.table(columns)
    except pa.ArrowInvalid:
        lengths = {name: len(one) for name, one in columns.items() if hasattr(one, "__len__")}
        if len(set(lengths.values())) < 2:
            raise
        raise ShapeError(f"the columns of a frame have one length, got {lengths}") from None


def _entries(facts: dict[str, Any], name: str) -> list[Any]:
    found = facts.get(name)
    return found if isinstance(found, list) else []


def index_columns(schema: pa.Schema) -> list[str]:
    """Return the columns that pandas wrote as the index.

    Parameters
    ----------
    schema : pa.Schema
        The schema of a file, with metadata.

    Returns
    -------
    list of str
        Index columns that exist in the schema; empty if pandas didn't write the file.
    """
    facts = pandas_facts(dict(schema.metadata or {})) or {}
    return [name for name in _entries(facts, "index_columns") if isinstance(name, str) and name in schema.names]


def from_table(table: pa.Table, to: str) -> Any:
    """Convert a table to the requested kind of frame.

    Parameters
    ----------
    table : pa.Table
        The table.
    to : {"polars", "pandas", "arrow"}
        The host.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Shares buffers where the host supports it. In pandas, lists become jagged columns, structs and maps Arrow-backed ones.

    Raises
    ------
    MissingDependencyError
        If the host is not installed.
    JagTypeError, JagValueError
        If the host can't represent a column; the message names the column and its type.
    """
    if to == "arrow":
        return table
    surface = _lazy_imports.load(to)
    error = _failure(table, surface)
    if isinstance(error, BaseException):
        raise _named(error, table, to, surface) from error
    return error


def _failure(table: pa.Table, surface: Any) -> Any:
    """The frame, or the exception of the host: hosts raise unrelated ones for unsupported types and metadata."""
    try:
        return surface.frame_from_table(table)
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # a panic of polars is no Exception
            raise
        return error


def _named(error: BaseException, table: pa.Table, to: str, surface: Any) -> BaseException:
    """The error with the first column that the host can't represent, and its type."""
    alone = table.replace_schema_metadata(None)
    fails = (field for field in table.schema if isinstance(_failure(alone.select([field.name]), surface), BaseException))
    unique = len(set(table.schema.names)) == len(table.schema)
    field = next(fails, None) if unique else None
    where = "the table" if field is None else f"column {field.name!r} of type {field.type}"
    if isinstance(error, JagError):
        return error if field is None or repr(field.name) in str(error) else type(error)(f"{where}: {error}")
    kinds = (pa.ArrowNotImplementedError, NotImplementedError)
    is_type = isinstance(error, kinds) or not isinstance(error, Exception)
    message = f"{to} can't {'represent' if is_type else 'take'} {where}: {error}; read it with to='arrow'"
    return JagTypeError(message) if is_type else JagValueError(message)
