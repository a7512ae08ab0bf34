"""Folders for `show`: their Parquet files as one source, with the partition columns of hive folders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.cli._sources import (
    Field,
    Leaf,
    ParquetSource,
    Source,
    Statistics,
    add_bounds,
    fields_of,
    open_source,
    plain_extensions,
    spread,
)
from arrowjag.errors import JagValueError
from arrowjag.io._conflicts import refuse_conflicts
from arrowjag.io._files import StoredFile
from arrowjag.io._locate import TableFolderError, locate, locate_file
from arrowjag.io._parquet import open_files
from arrowjag.io._probe import probe
from arrowjag.io._schemas import conform
from arrowjag.io._snapshots import open_snapshot
from arrowjag.io._tables import Snapshot, is_table

__all__ = ["open_path"]


def open_path(place: str, options: Mapping[str, str] | None = None) -> Source:
    """Open a file, the Parquet files of a folder, or the files of a table, reading metadata only.

    Parameters
    ----------
    place : str
        A path, a URL, or the name of a table.
    options : mapping, optional
        Options of the store.

    Raises
    ------
    JagValueError
        If it does not exist, or can't be read.
    """
    place, options = str(place), options or {}
    probe(place, options)
    if is_table(place):
        return _table_source(place, open_snapshot(place, options))
    filesystem, path = locate_file(place, None, options)
    if filesystem.get_file_info(path).type != pf.FileType.Directory:
        return open_source(path, filesystem, place)
    try:
        found = locate(place, None, options)
    except TableFolderError as error:
        return _table_source(place, open_snapshot(error, options))
    except FileNotFoundError:
        raise JagValueError(f"{place} is a folder without Parquet files") from None
    sources = {path: _parquet(StoredFile(path, filesystem)) for path in found.paths}
    try:
        parts, schema, partitions = open_files(found)
    except OSError as error:
        raise JagValueError(f"{place} can't be read: {str(error).splitlines()[0]}") from error
    refuse_conflicts(schema)
    files = [part.file for part in parts]
    return FolderSource(place, "Parquet", files, partitions, schema, [sources[file.path] for file in files])


def _table_source(place: str, snapshot: Snapshot) -> Source:
    deleted = next((file.path for file in snapshot.files if file.kept is not None), None)
    if deleted is not None:
        raise JagValueError(f"{place}: show can't exclude the rows that are deleted from {deleted}")
    parts = snapshot.parts()
    form = snapshot.name.rpartition(" (")[2].rstrip(")")
    files = [part.file for part in parts]
    return FolderSource(place, form, files, snapshot.partitions, snapshot.schema, [_parquet(file) for file in files])


_MOST_OPEN = 100
"""Files of a folder that stay open from column to column; systems limit the number of open files."""


class FolderSource:
    """Parquet files of one schema; the row groups of all are the groups."""

    def __init__(
        self,
        path: str,
        format: str,
        files: list[StoredFile],
        partitions: pa.Schema,
        schema: pa.Schema,
        sources: list[ParquetSource],
    ) -> None:
        self.path, self.format, self.files = path, format, len(files)
        self._sources = sources
        self._keys = [
            {name: file.keys.get(name) for name in partitions.names}
            | {name: value for name, value in file.defaults.items() if name not in {one.name for one in source.fields}}
            for file, source in zip(files, sources, strict=True)
        ]
        self.bytes = sum(one.bytes for one in self._sources)
        self.rows = sum(one.rows for one in self._sources)
        self.sizes = [size for one in self._sources for size in one.sizes]
        self.groups = len(self.sizes)
        self.created_by = self._sources[0].created_by if self._sources else ""
        with plain_extensions():
            self.fields = fields_of(pa.ipc.read_schema(schema.serialize()))
        self._paths = {leaf.number: (field.name, leaf.path) for field in self.fields for leaf in field.leaves}
        # By name, because files may have thousands of columns; of two columns of one name, the first.
        self._fields = [{one.name: one for one in reversed(source.fields)} for source in sources]
        self._leaves = [
            {(name, leaf.path): leaf for name, one in fields.items() for leaf in reversed(one.leaves)} for fields in self._fields
        ]
        self._ends = list(accumulate(source.groups for source in sources))

    def _in_file(self, number: int, leaf: Leaf) -> Leaf | None:
        """Return the leaf in one file; partition columns take precedence over columns of the file."""
        name, path = self._paths[leaf.number]
        return None if name in self._keys[number] else self._leaves[number].get((name, path))

    def _field_of(self, number: int, name: str) -> Field | None:
        """Return the column in one file; partition columns take precedence."""
        return None if name in self._keys[number] else self._fields[number].get(name)

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        """Combine the facts of all files; rows of a file without the column are null."""
        found = Statistics(bounded=len(leaves) == 1)
        for leaf in leaves:
            for number, source in enumerate(self._sources):
                there = self._in_file(number, leaf)
                if there is None:
                    self._add_key(found, number, leaf)
                else:
                    _add(found, source.statistics((there,)), source.rows)
        if not found.bounded:
            found.minimum = found.maximum = None
        return found

    def _add_key(self, found: Statistics, number: int, leaf: Leaf) -> None:
        value = self._keys[number].get(self._paths[leaf.number][0])
        if value is not None and found.bounded:
            add_bounds(found, value, value)
        elif value is None and found.nulls is not None:
            found.nulls += self._sources[number].rows

    def sample(self, leaf: Leaf, limit: int) -> list[int]:
        """Groups of all files, spread evenly."""
        values: list[int] = []
        for number, source in enumerate(self._sources):
            there = self._in_file(number, leaf)
            values += [0] * source.groups if there is None else source.values(there)
        return spread(values, limit)

    def batches(self, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        """Read file by file, in the common type of all files."""
        inside: dict[int, list[int]] = {}
        for group in groups:
            number = bisect_right(self._ends, group)
            inside.setdefault(number, []).append(group - self._ends[number] + self._sources[number].groups)
        for number, found in inside.items():
            try:
                yield from self._file_batches(number, field, leaves, found)
            finally:
                if self.files > _MOST_OPEN:
                    self._sources[number].close()

    def _file_batches(self, number: int, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        source, there = self._sources[number], self._field_of(number, field.name)
        if there is None:
            value = pa.scalar(self._keys[number].get(field.name), field.type)
            yield pa.repeat(value, source.group_rows(groups))
        elif there.type == field.type:
            yield from source.batches(there, tuple(one for leaf in leaves if (one := self._in_file(number, leaf))), groups)
        else:
            yield from (conform(one, field.type) for one in source.batches(there, there.leaves, groups))


def _parquet(file: StoredFile) -> ParquetSource:
    if file.names is not None:
        return ParquetSource(file.path, file.filesystem, file.path, file.names)
    source = open_source(file.path, file.filesystem)
    if not isinstance(source, ParquetSource):
        raise JagValueError(f"{file.path} is not a Parquet file")
    return source


def _add(found: Statistics, more: Statistics, rows: int) -> None:
    found.bytes += more.bytes
    found.bytes_uncompressed += more.bytes_uncompressed
    found.nulls = None if found.nulls is None or more.nulls is None else found.nulls + more.nulls
    if more.minimum is not None and found.bounded:
        add_bounds(found, more.minimum, more.maximum)
    elif rows:
        found.bounded = found.bounded and more.bounded
