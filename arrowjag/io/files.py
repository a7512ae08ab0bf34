"""A Parquet file: where it is, and what the names of its folders say.

pyarrow has a class for this, but `pyarrow.dataset` imports pandas where it is installed, which takes longer than everything else
that a process needs to read a file. It is imported where folders make columns or statistics exclude row groups.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import pyarrow.dataset as ds

__all__ = ["StoredFile", "files_of", "has_keys", "is_dataset"]


@dataclass(frozen=True)
class StoredFile:
    """A file on a file system, or the open object that a caller gave in its place.

    Parameters
    ----------
    path : str
        On the file system; empty for an open object.
    filesystem : pyarrow.fs.FileSystem or None
        None for an open object.
    keys : dict
        The columns that the names of its folders make.
    guarantee : pyarrow.compute.Expression or None
        The same as an expression that holds for all of its rows.
    content : pa.Buffer, pa.NativeFile or None
        The open object.
    fragment : pyarrow.dataset.ParquetFileFragment or None
        What a caller's dataset has of the file; it may be some of its row groups only.
    """

    path: str
    filesystem: pf.FileSystem | None = None
    keys: dict[str, Any] = field(default_factory=dict)
    guarantee: Any = None
    content: Any = None
    fragment: Any = None

    def open(self) -> Any:
        """An open file."""
        if self.filesystem is not None:
            return self.filesystem.open_input_file(self.path)
        return pa.BufferReader(self.content) if isinstance(self.content, pa.Buffer) else self.content

    def footer(self) -> Any:
        """Its footer, as pyarrow reads it."""
        return pq.ParquetFile(self.open()).metadata if self.fragment is None else self.fragment.metadata

    def with_fragment(self) -> StoredFile:
        """The same file as pyarrow's datasets know it, whose row groups a filter can exclude; one footer is read for both."""
        if self.fragment is not None:
            return self
        import pyarrow.dataset as ds

        kind = ds.ParquetFileFormat()
        if self.filesystem is None:
            return replace(self, fragment=kind.make_fragment(self.content))
        return replace(self, fragment=kind.make_fragment(self.path, self.filesystem, self.guarantee))

    def row_groups(self, filter: Any, schema: pa.Schema) -> list[int]:
        """Numbers of the row groups that a filter does not exclude by their statistics."""
        fragment = self.with_fragment().fragment
        if filter is not None:
            fragment = fragment.subset(filter, schema=schema)
        return [group.id for group in fragment.row_groups]


def has_keys(paths: Iterable[str], base: str) -> bool:
    """Whether folders below another one may be ``key=value``.

    Parameters
    ----------
    paths : iterable of str
        Files.
    base : str
        What lies above it says nothing.

    Returns
    -------
    bool
        True if any has an equals sign on its way.

    Examples
    --------
    >>> has_keys(["/k=1/data/a.parquet"], "/k=1/data"), has_keys(["/data/k=1/a.parquet"], "/data")
    (False, True)
    """
    return any("=" in path[len(base) :] for path in paths)


def is_dataset(source: Any) -> bool:
    """Whether a caller gave a dataset: then its module is loaded.

    Parameters
    ----------
    source : object
        Whatever it is.

    Returns
    -------
    bool
        True for every kind of `pyarrow.dataset.Dataset`.
    """
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(source, module.Dataset)


def files_of(fragments: Iterable[ds.ParquetFileFragment]) -> list[StoredFile]:
    """The files of a dataset.

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
