"""Folders for `show`: their Parquet files as one source, with the partition columns of hive folders."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag._pyarrow_versions import nbytes
from arrowjag.cli._sources import (
    Columns,
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
from arrowjag.io._locate import TableFolderError, locate, locate_file
from arrowjag.io._parquet import open_files
from arrowjag.io._probe import probe
from arrowjag.io._scan import Part, has_dictionary
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
    try:
        parts, schema, partitions = open_files(found)
    except OSError as error:
        for one in found.paths:
            if not isinstance(open_source(one, filesystem), ParquetSource):
                raise JagValueError(f"{one} is not a Parquet file") from None
        raise JagValueError(f"{place} can't be read: {str(error).splitlines()[0]}") from error
    refuse_conflicts(schema)
    return FolderSource(place, "Parquet", parts, partitions, schema)


def _table_source(place: str, snapshot: Snapshot) -> Source:
    deleted = next((file.path for file in snapshot.files if file.kept is not None), None)
    if deleted is not None:
        raise JagValueError(f"{place}: show can't exclude the rows that are deleted from {deleted}")
    parts = snapshot.parts()
    form = snapshot.name.rpartition(" (")[2].rstrip(")")
    return FolderSource(place, form, parts, snapshot.partitions, snapshot.schema)


_MOST_OPEN = 100
"""Files of a folder that stay open from column to column; systems limit the number of open files."""
_SMALL = 1 << 16
_MOST_BYTES = 1 << 26
"""Small files stay in memory from column to column, up to this many bytes in all."""
_ROWS = 1 << 16
"""Rows of small files that are put together: to look at the rows of one file takes as long as to look at thousands."""


class FolderSource:
    """Parquet files of one schema; the row groups of all are the groups."""

    def __init__(
        self,
        path: str,
        format: str,
        parts: list[Part],
        partitions: pa.Schema,
        schema: pa.Schema,
    ) -> None:
        self.path, self.format, self.files = path, format, len(parts)
        self._sources = _sources_of(parts)
        self._keys = [
            {name: part.file.keys.get(name) for name in partitions.names}
            | {name: value for name, value in part.file.defaults.items() if source.columns.field(name) is None}
            for part, source in zip(parts, self._sources, strict=True)
        ]
        self.bytes = sum(one.bytes for one in self._sources)
        self.rows = sum(one.rows for one in self._sources)
        self.sizes = [size for one in self._sources for size in one.sizes]
        self.groups = len(self.sizes)
        self.created_by = self._sources[0].created_by if self._sources else ""
        with plain_extensions():
            self.fields = fields_of(pa.ipc.read_schema(schema.serialize()))
        self._paths = {leaf.number: (field.name, leaf.path) for field in self.fields for leaf in field.leaves}
        self._ends = list(accumulate(source.groups for source in self._sources))
        self._facts: dict[int, Statistics] = {}
        self._room = _MOST_BYTES

    def _in_file(self, number: int, leaf: Leaf) -> Leaf | None:
        """Return the leaf in one file; partition columns take precedence over columns of the file."""
        name, path = self._paths[leaf.number]
        return None if name in self._keys[number] else self._sources[number].columns.leaves.get((name, path))

    def _field_of(self, number: int, name: str) -> Field | None:
        """Return the column in one file; partition columns take precedence."""
        return None if name in self._keys[number] else self._sources[number].columns.field(name)

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        """Combine the facts of all files; rows of a file without the column are null."""
        if len(leaves) == 1:
            return self._statistics_of(leaves[0])
        found = Statistics(bounded=False)
        for leaf in leaves:
            _add(found, self._statistics_of(leaf), self.rows)
        return found

    def _statistics_of(self, leaf: Leaf) -> Statistics:
        """Return the facts of a leaf, which are asked for more than once."""
        if leaf.number not in self._facts:
            found = Statistics()
            for number, source in enumerate(self._sources):
                there = self._in_file(number, leaf)
                if there is None:
                    self._add_key(found, number, leaf)
                else:
                    _add(found, source.statistics((there,)), source.rows)
            if not found.bounded:
                found.minimum = found.maximum = None
            self._facts[leaf.number] = found
        return self._facts[leaf.number]

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
        """Read file by file, in the common type of all files; rows of small files come together."""
        pieces = self._pieces(field, leaves, groups)
        return pieces if has_dictionary(field.type) else _joined(pieces)

    def _pieces(self, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        inside: dict[int, list[int]] = {}
        for group in groups:
            number = bisect_right(self._ends, group)
            inside.setdefault(number, []).append(group - self._ends[number] + self._sources[number].groups)
        for number, found in inside.items():
            source, there = self._sources[number], self._field_of(number, field.name)
            if there is None:
                value = pa.scalar(self._keys[number].get(field.name), field.type)
                yield pa.repeat(value, source.group_rows(found))
                continue
            is_kept = self.files <= _MOST_OPEN or self._keep(source)
            try:
                yield from self._file_batches(number, there, field, leaves, found)
            finally:
                if not is_kept:
                    source.close()

    def _keep(self, source: ParquetSource) -> bool:
        """Load a small file for all columns; return False if there is no more room for it."""
        if source.is_open:
            return True
        if source.bytes > min(_SMALL, self._room):
            return False
        self._room -= source.bytes
        source.load()
        return True

    def _file_batches(
        self, number: int, there: Field, field: Field, leaves: tuple[Leaf, ...], groups: list[int]
    ) -> Iterator[pa.Array]:
        source = self._sources[number]
        if there.type == field.type:
            yield from source.batches(there, tuple(one for leaf in leaves if (one := self._in_file(number, leaf))), groups)
        else:
            yield from (conform(one, field.type) for one in source.batches(there, there.leaves, groups))


def _sources_of(parts: list[Part]) -> list[ParquetSource]:
    """Return the files with their columns, which files of one schema share."""
    known: dict[tuple[int, int], Columns] = {}
    sources = []
    for part in parts:
        key = id(part.stored), id(part.schema)
        if key not in known:
            known[key] = Columns.of(part.stored, part.schema)
        sources.append(ParquetSource.of_part(part, known[key]))
    return sources


def _joined(pieces: Iterator[pa.Array]) -> Iterator[pa.Array]:
    """Concatenate arrays of few rows, as those of small files."""
    waiting: list[pa.Array] = []
    rows = size = 0
    for piece in pieces:
        rows, size = rows + len(piece), size + nbytes(piece)
        if waiting and (rows > _ROWS or size > _MOST_BYTES or piece.type != waiting[0].type):
            yield _concatenated(waiting)
            waiting, rows, size = [], len(piece), nbytes(piece)
        waiting.append(piece)
    if waiting:
        yield _concatenated(waiting)


def _concatenated(arrays: list[pa.Array]) -> pa.Array:
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _add(found: Statistics, more: Statistics, rows: int) -> None:
    found.bytes += more.bytes
    found.bytes_uncompressed += more.bytes_uncompressed
    found.nulls = None if found.nulls is None or more.nulls is None else found.nulls + more.nulls
    if more.minimum is not None and found.bounded:
        add_bounds(found, more.minimum, more.maximum)
    elif rows:
        found.bounded = found.bounded and more.bounded
