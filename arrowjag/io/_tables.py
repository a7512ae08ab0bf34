"""Tables of the lake: Delta Lake and Iceberg, read as snapshots.

The log of a table says which of the files in its folder are current. A snapshot lists them, with the partition values and deleted
rows that the log stores; `arrowjag.io._scan` reads the files themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pf

from arrowjag.errors import JagValueError
from arrowjag.io._files import StoredFile
from arrowjag.io._scan import Part, open_parts

__all__ = ["Snapshot", "guarantee_of", "is_table", "refused", "table_kind"]


@dataclass(frozen=True)
class Snapshot:
    """The current files of a table at one version.

    Parameters
    ----------
    name : str
        Format and version, for messages.
    root : str
        The folder of the table.
    filesystem : pyarrow.fs.FileSystem
        Its file system.
    files : list of StoredFile
        The files, in the order of their paths.
    schema : pa.Schema
        The columns of the table; jagged ones have their type.
    partitions : pa.Schema
        The columns whose values are in the log and not in the files.
    """

    name: str
    root: str
    filesystem: pf.FileSystem
    files: list[StoredFile]
    schema: pa.Schema
    partitions: pa.Schema

    def parts(self) -> list[Part]:
        """Read the footers of the files."""
        return open_parts(self.files, self.partitions)


def table_kind(source: Any) -> str | None:
    """Return which kind of table an argument names.

    Parameters
    ----------
    source : object
        Any argument of a caller.

    Returns
    -------
    {"delta", "iceberg"} or None
        None for paths and everything else.

    Examples
    --------
    >>> table_kind("delta://flights"), table_kind("iceberg://local/air.flights"), table_kind("flights")
    ('delta', 'iceberg', None)
    """
    if isinstance(source, str):
        scheme = source.partition("://")[0].partition("+")[0].lower() if "://" in source else ""
        return scheme if scheme in {"delta", "iceberg"} else None
    library, name = type(source).__module__.partition(".")[0], type(source).__name__
    if library == "deltalake" and name == "DeltaTable":
        return "delta"
    return "iceberg" if library == "pyiceberg" and hasattr(source, "scan") and hasattr(source, "catalog") else None


def is_table(source: Any) -> bool:
    """Return whether an argument names a table of Delta Lake or Iceberg.

    Parameters
    ----------
    source : object
        Any argument of a caller.

    Returns
    -------
    bool
        False for paths, also of folders that hold a table.
    """
    return table_kind(source) is not None


def guarantee_of(keys: Mapping[str, Any], partitions: pa.Schema) -> Any:
    """Return an expression that is true for all rows of a file with these partition values; None without partitions."""
    guarantee = None
    for field in partitions:
        value = pa.scalar(keys[field.name], field.type)
        one = pc.field(field.name) == value if value.is_valid else pc.field(field.name).is_null()
        guarantee = one if guarantee is None else guarantee & one
    return guarantee


def refused(name: str, why: str, instead: str) -> JagValueError:
    """Create the error of a table that can't be read or written correctly."""
    return JagValueError(f"{name}: {why}; {instead}")
