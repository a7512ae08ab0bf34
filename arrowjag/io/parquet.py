"""Parquet files that keep the type of jagged columns."""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq

from arrowjag.io.atomic import atomic_path
from arrowjag.io.frames import from_table, to_table

__all__ = ["read_parquet", "write_parquet"]


def read_parquet(path: Any, columns: list[str] | None = None, filters: Any = None, to: str = "arrow") -> Any:
    """Read a Parquet file or dataset.

    Parameters
    ----------
    path : path
        A file or a folder.
    columns : list of str, optional
        Names of columns.
    filters : expression or list of tuples, optional
        As `pyarrow.parquet.read_table` takes them; row groups are pruned.
    to : {"arrow", "pandas", "polars"}
        The kind of frame.

    Returns
    -------
    pa.Table or DataFrame
        Jagged columns carry their type.
    """
    return from_table(pq.read_table(path, columns=columns, filters=filters), to)


def write_parquet(frame: Any, path: Any, **options: Any) -> None:
    """Write a frame to a Parquet file.

    Parameters
    ----------
    frame : pandas or polars DataFrame, pa.Table, or dict of arrays
        What to write.
    path : path
        The file; a crash leaves the old one or the new one.
    **options
        Those of `pyarrow.parquet.write_table`.
    """
    table = to_table(frame)
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary, **options)
