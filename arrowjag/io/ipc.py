"""Arrow IPC files, memory mapped when read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from arrowjag.io.atomic import atomic_path
from arrowjag.io.frames import from_table, to_table

__all__ = ["read_ipc", "write_ipc"]


def read_ipc(path: Any, columns: list[str] | None = None, to: str = "arrow") -> Any:
    """Read an Arrow IPC (Feather) file without copying it.

    Parameters
    ----------
    path : path
        The file; it is memory mapped and must stay as it is while the result lives.
    columns : list of str, optional
        Names of columns.
    to : {"arrow", "pandas", "polars"}
        The kind of frame.

    Returns
    -------
    pa.Table or DataFrame
        Jagged columns carry their type.
    """
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    return from_table(table if columns is None else table.select(columns), to)


def write_ipc(frame: Any, path: Any) -> None:
    """Write a frame to an Arrow IPC file, uncompressed so that it can be mapped.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pa.Table, or dict of arrays
        What to write.
    path : path
        The file; a crash leaves the old one or the new one.
    """
    table = to_table(frame)
    with atomic_path(path) as temporary, pa.OSFile(str(temporary), "wb") as sink:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
