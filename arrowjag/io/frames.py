"""Frames of every host as Arrow tables, and back."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from arrowjag import _arrow, _doors
from arrowjag._array.base import ArrayBase
from arrowjag.errors import JagTypeError, JagValueError, ShapeError

__all__ = ["check_host", "from_table", "index_columns", "to_table"]


def to_table(frame: Any) -> pa.Table:
    """A frame as an Arrow table in which jagged columns carry their type.

    Parameters
    ----------
    frame : pandas or polars DataFrame, polars LazyFrame, pa.Table, pa.RecordBatch, or dict of arrays
        What to write. Whatever else has ``__arrow_c_stream__`` is taken too.

    Returns
    -------
    pa.Table
        Buffers are shared.

    Raises
    ------
    JagTypeError
        If it is no frame.
    ShapeError
        If columns of a dict have several lengths.

    Examples
    --------
    >>> import arrowjag as aj
    >>> to_table({"x": aj.array([[1], []]), "k": [1, 2]}).schema.names
    ['x', 'k']
    """
    return _portable(_to_table(frame))


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
    if library == "polars" and kind in {"DataFrame", "LazyFrame"}:
        return (frame.collect() if kind == "LazyFrame" else frame).to_arrow()
    if hasattr(frame, "__arrow_c_stream__") and kind != "Series":
        return pa.table(frame)
    raise JagTypeError(f"a frame is a pandas or polars DataFrame, a pa.Table or a dict of arrays, got {type(frame).__name__}")


def _column(name: Any, values: Any) -> Any:
    if isinstance(values, ArrayBase):
        return values.to_arrow()
    many = any(hasattr(values, one) for one in ("__iter__", "__arrow_array__", "__arrow_c_array__", "__arrow_c_stream__"))
    if isinstance(values, (str, bytes)) or not many:
        raise JagTypeError(f"column {name!r} of a frame is an array or a list of values, got {type(values).__name__}")
    return values


def _from_columns(columns: dict[Any, Any]) -> pa.Table:
    try:
        return pa.table(columns)
    except pa.ArrowInvalid:
        lengths = {name: len(one) for name, one in columns.items() if hasattr(one, "__len__")}
        if len(set(lengths.values())) < 2:
            raise
        raise ShapeError(f"the columns of a frame have one length, got {lengths}") from None


def _portable(table: pa.Table) -> pa.Table:
    """Name nested columns `object` in the pandas metadata, so that pandas without arrowjag can read the file.

    With arrowjag the type that Arrow carries decides, and the dtype comes back. Nested columns of pandas' own `ArrowDtype`
    have the same trouble: pandas can't read the names that it writes for them.
    """
    metadata = dict(table.schema.metadata or {})
    facts = _pandas_facts(metadata)
    if facts is None:
        return table
    for column in facts.get("columns", []):
        place = table.schema.get_field_index(str(column.get("field_name")))
        if place >= 0 and _is_nested(table.schema.field(place).type):
            column["numpy_type"] = "object"
    metadata[b"pandas"] = json.dumps(facts).encode()
    return table.replace_schema_metadata(metadata)


def _is_nested(type: pa.DataType) -> bool:
    return _arrow.is_jagged_extension(type) or bool(pa.types.is_nested(type))


def _pandas_facts(metadata: dict[bytes, bytes]) -> dict[str, Any] | None:
    try:
        facts = json.loads(metadata[b"pandas"])
    except (KeyError, ValueError):
        return None
    return facts if isinstance(facts, dict) else None


def index_columns(schema: pa.Schema) -> list[str]:
    """Columns that pandas wrote as the index.

    Parameters
    ----------
    schema : pa.Schema
        With the metadata of a file.

    Returns
    -------
    list of str
        Those that the schema has; none where pandas did not write the file.
    """
    facts = _pandas_facts(dict(schema.metadata or {})) or {}
    return [name for name in facts.get("index_columns", []) if isinstance(name, str) and name in schema.names]


def check_host(to: str) -> None:
    """Refuse an unknown kind of frame before anything is read.

    Parameters
    ----------
    to : str
        What the caller asked for.

    Raises
    ------
    JagValueError
        If there is no such kind.
    """
    if to not in ("arrow", "pandas", "polars"):
        raise JagValueError(f'to must be "arrow", "pandas" or "polars", got {to!r}')


def from_table(table: pa.Table, to: str) -> Any:
    """A table as the kind of frame that is asked for.

    Parameters
    ----------
    table : pa.Table
        What was read.
    to : {"arrow", "pandas", "polars"}
        The host.

    Returns
    -------
    pa.Table, pandas.DataFrame or polars.DataFrame
        Buffers are shared where the host can.

    Raises
    ------
    MissingDependencyError
        If the host is not installed.
    """
    check_host(to)
    if to == "arrow":
        return table
    _doors.open_door(to)
    if to == "pandas":
        return table.to_pandas()
    import polars as pl

    return pl.from_arrow(table)
