"""Frames of every host as Arrow tables, and back."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from arrowjag._array.base import ArrayBase
from arrowjag.errors import JagTypeError, JagValueError

__all__ = ["from_table", "to_table"]


def to_table(frame: Any) -> pa.Table:
    """A frame as an Arrow table in which jagged columns carry their type.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pa.Table, or dict of arrays
        What to write.

    Returns
    -------
    pa.Table
        Buffers are shared.
    """
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, dict):
        return pa.table({name: one.to_arrow() if isinstance(one, ArrayBase) else one for name, one in frame.items()})
    if type(frame).__module__.split(".")[0] == "pandas":
        return portable(pa.Table.from_pandas(frame))
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    raise JagTypeError(f"a frame is a pandas or polars DataFrame, a pa.Table or a dict of arrays, got {type(frame).__name__}")


def portable(table: pa.Table) -> pa.Table:
    """Name jagged columns `object` in the pandas metadata, so that pandas without arrowjag can read the file."""
    metadata = dict(table.schema.metadata or {})
    if b"pandas" not in metadata:
        return table
    facts = json.loads(metadata[b"pandas"])
    for column in facts.get("columns", []):
        if str(column.get("numpy_type", "")).startswith("jagged["):
            column["numpy_type"] = "object"
    metadata[b"pandas"] = json.dumps(facts).encode()
    return table.replace_schema_metadata(metadata)


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
    pa.Table or DataFrame
        Buffers are shared where the host can.
    """
    if to == "arrow":
        return table
    if to == "pandas":
        import arrowjag.pandas  # noqa: F401  (registers the dtype)

        return table.to_pandas()
    if to == "polars":
        import polars as pl

        import arrowjag.polars  # noqa: F401

        return pl.from_arrow(table)
    raise JagValueError(f'to must be "arrow", "pandas" or "polars", got {to!r}')
