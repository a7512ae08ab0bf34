"""Open tables of the lake, of any format, as snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arrowjag.io import _delta, _iceberg
from arrowjag.io._locate import TableFolderError
from arrowjag.io._tables import Snapshot, table_kind

__all__ = ["open_snapshot"]


def open_snapshot(source: Any, options: Mapping[str, str]) -> Snapshot:
    """Open the current version of a table, or the version that an open table has.

    Parameters
    ----------
    source : str, DeltaTable, pyiceberg Table, or TableFolderError
        The table. The error is what `locate` raises for the folder of a table of Delta Lake.
    options : mapping
        The result of `check_options`.

    Returns
    -------
    Snapshot
        Its files.

    Raises
    ------
    MissingDependencyError
        If deltalake or pyiceberg is not installed.
    JagValueError
        If there is no such table, or it uses features that can't be read correctly.
    """
    if isinstance(source, TableFolderError):
        if source.format != "Delta Lake" or not source.is_root:
            raise source
        return _delta.snapshot_at(source, options)
    return _delta.snapshot(source, options) if table_kind(source) == "delta" else _iceberg.snapshot(source, options)
