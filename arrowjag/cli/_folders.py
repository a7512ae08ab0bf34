"""Folders that the command shows: their Parquet files as one, with the columns that the names of folders make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

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
from arrowjag.io.files import StoredFile
from arrowjag.io.parquet import find_files
from arrowjag.io.scan import full_schema, open_parts
from arrowjag.io.schemas import conform

__all__ = ["open_path"]


def open_path(path: Path) -> Source:
    """Open a file, or the Parquet files of a folder, reading metadata only.

    Raises
    ------
    JagValueError
        If nothing is there, or it can't be read.
    """
    if not path.is_dir():
        return open_source(path)
    inside = [one for one in path.rglob("*.parquet") if not one.name.startswith((".", "_"))]
    if not inside:
        raise JagValueError(f"{path} is a folder without Parquet files")
    try:
        files, partitions = find_files(path)
    except (pa.ArrowException, OSError) as error:
        raise JagValueError(f"{path} can't be read: {str(error).splitlines()[0]}") from None
    return FolderSource(path, [file for file in files if file.path.endswith(".parquet")], partitions)


class FolderSource:
    """Parquet files of one schema; the row groups of all are the groups."""

    format = "Parquet"

    def __init__(self, path: Path, files: list[StoredFile], partitions: pa.Schema) -> None:
        self.path, self.files = path, len(files)
        self._sources = [_parquet(Path(file.path)) for file in files]
        self._keys = [{name: file.keys.get(name) for name in partitions.names} for file in files]
        self.bytes = sum(one.bytes for one in self._sources)
        self.rows = sum(one.rows for one in self._sources)
        self.groups = sum(one.groups for one in self._sources)
        self.created_by = self._sources[0].created_by
        schema = full_schema(open_parts(files, partitions), partitions).serialize()
        with plain_extensions():
            self.fields = fields_of(pa.ipc.read_schema(schema))
        self._paths = {leaf.number: (field, leaf.path) for field in self.fields for leaf in field.leaves}

    def _in_file(self, number: int, leaf: Leaf) -> Leaf | None:
        """The leaf as a file has it."""
        field, path = self._paths[leaf.number]
        found = self._field_of(number, field.name)
        return None if found is None else next((one for one in found.leaves if one.path == path), None)

    def _field_of(self, number: int, name: str) -> Field | None:
        """The column as a file has it; names of folders win."""
        if name in self._keys[number]:
            return None
        return next((one for one in self._sources[number].fields if one.name == name), None)

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        """Those of all files together; rows of a file without the column are null."""
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
        value = self._keys[number].get(self._paths[leaf.number][0].name)
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
        """File by file, in the type that all have together."""
        first = 0
        for number, source in enumerate(self._sources):
            inside = [group - first for group in groups if first <= group < first + source.groups]
            first += source.groups
            if inside:
                yield from self._file_batches(number, field, leaves, inside)

    def _file_batches(self, number: int, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        source, there = self._sources[number], self._field_of(number, field.name)
        if there is None:
            value = pa.scalar(self._keys[number].get(field.name), field.type)
            yield pa.repeat(value, source.group_rows(groups))
        elif there.type == field.type:
            yield from source.batches(there, tuple(one for leaf in leaves if (one := self._in_file(number, leaf))), groups)
        else:
            yield from (conform(one, field.type) for one in source.batches(there, there.leaves, groups))


def _parquet(path: Path) -> ParquetSource:
    source = open_source(path)
    if not isinstance(source, ParquetSource):
        raise JagValueError(f"{path} is no Parquet file")
    return source


def _add(found: Statistics, more: Statistics, rows: int) -> None:
    found.bytes += more.bytes
    found.bytes_uncompressed += more.bytes_uncompressed
    found.nulls = None if found.nulls is None or more.nulls is None else found.nulls + more.nulls
    if more.minimum is not None and found.bounded:
        add_bounds(found, more.minimum, more.maximum)
    elif rows:
        found.bounded = found.bounded and more.bounded
