"""Open tables of the lake, of any format, as sinks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arrowjag.etl._delta import DeltaLake
from arrowjag.etl._iceberg import IcebergLake
from arrowjag.etl._lake import Lake
from arrowjag.io._tables import table_kind

__all__ = ["open_lake"]


def open_lake(sink: Any, options: Mapping[str, str], *, dry_run: bool) -> Lake | None:
    """Open the table that a sink names.

    Parameters
    ----------
    sink : object
        The argument of the caller.
    options : mapping
        The result of `check_options`.
    dry_run : bool
        Whether nothing may be created.

    Returns
    -------
    Lake or None
        None if the sink is a folder.
    """
    kind = table_kind(sink)
    if kind is None:
        return None
    if kind == "delta":
        return DeltaLake(sink, options)
    return IcebergLake(sink, options, create=not dry_run)
