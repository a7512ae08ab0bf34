"""A Parquet file: its location, and the columns of its partition folders.

pyarrow has a class for this, but `pyarrow.dataset` imports pandas if installed, which takes longer than all other imports needed
to read a file. This module imports it only for partition folders and for pruning row groups by statistics.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.io._field_ids import FieldNames
from arrowjag.io._footer import with_magic

if TYPE_CHECKING:
    import pyarrow.dataset as ds

__all__ = ["StoredFile", "files_of", "has_keys", "is_dataset"]


@dataclass(frozen=True)
class StoredFile:
    """A file on a file system, or an open object that the caller passed.

    Parameters
    ----------
    path : str
        Path on the file system; empty for an open object.
    filesystem : pyarrow.fs.FileSystem or None
        None for an open object.
    keys : dict
        Columns and values from the partition folders.
    guarantee : pyarrow.compute.Expression or None
        The same values as an expression that is true for all rows.
    content : pa.Buffer, pa.NativeFile or None
        The open object.
    fragment : pyarrow.dataset.ParquetFileFragment or None
        The fragment of the caller's dataset; it may consist of some of the row groups only.
    kept : numpy array of bool or None
        Which rows a table of the lake has kept; None if it has deleted none.
    defaults : dict
        Values of columns that a table of the lake has, for the case that the file lacks them.
    names : FieldNames or None
        How the table names the fields of the file; None if the file has the same names.
    """

    path: str
    filesystem: pf.FileSystem | None = None
    keys: dict[str, Any] = field(default_factory=dict)
    guarantee: Any = None
    content: Any = None
    fragment: Any = None
    kept: Any = field(default=None, compare=False, repr=False)
    defaults: dict[str, Any] = field(default_factory=dict)
    names: FieldNames | None = None

    @property
    def label(self) -> str:
        """The name of the file in messages."""
        return self.path or "the data"

    def open(self) -> Any:
        """Open the file."""
        if self.filesystem is not None:
            return self.filesystem.open_input_file(self.path)
        return pa.BufferReader(self.content) if isinstance(self.content, pa.Buffer) else self.content

    def row_groups(self, filter: Any, schema: pa.Schema, footer: bytes) -> list[int]:
        """Return the indices of the row groups whose statistics, in the footer of the file, don't exclude a filter."""
        fragment = self._fragment_of(footer) if self.fragment is None else self.fragment
        if filter is not None:
            fragment = fragment.subset(filter, schema=schema)
        return [group.id for group in fragment.row_groups]

    def _fragment_of(self, footer: bytes) -> Any:
        """Return a fragment of `pyarrow.dataset` over the footer alone, so that the file is not read again."""
        import pyarrow.dataset as ds

        guarantee = {} if self.guarantee is None else {"partition_expression": self.guarantee}
        return ds.ParquetFileFormat().make_fragment(pa.BufferReader(with_magic(footer)), **guarantee)


def has_keys(paths: Iterable[str], base: str) -> bool:
    """Return whether folders below `base` may be partition folders ``key=value``.

    Parameters
    ----------
    paths : iterable of str
        Files.
    base : str
        The base folder; its own path is ignored.

    Returns
    -------
    bool
        True if the path of any file below `base` contains an equals sign in a folder name.

    Examples
    --------
    >>> has_keys(["/k=1/data/a.parquet"], "/k=1/data"), has_keys(["/data/k=1/a.parquet"], "/data")
    (False, True)
    """
    return any("=" in path[len(base) :] for path in paths)


def is_dataset(source: Any) -> bool:
    """Return whether the caller passed a dataset, without importing `pyarrow.dataset`.

    Parameters
    ----------
    source : object
        Any object.

    Returns
    -------
    bool
        True for every kind of `pyarrow.dataset.Dataset`.
    """
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(source, module.Dataset)


def files_of(fragments: Iterable[ds.ParquetFileFragment]) -> list[StoredFile]:
    """Return the files of a dataset.

    Parameters
    ----------
    fragments : iterable of pyarrow.dataset.ParquetFileFragment
        From `pyarrow.dataset.Dataset.get_fragments`.

    Returns
    -------
    list of StoredFile
        In the same order.
    """
    from pyarrow.dataset import get_partition_keys

    return [
        StoredFile(
            one.path or "",
            None if one.buffer is not None else one.filesystem,
            get_partition_keys(one.partition_expression),
            one.partition_expression,
            one.buffer,
            one,
        )
        for one in fragments
    ]
