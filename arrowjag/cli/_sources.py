"""Files for `show`: facts from their metadata, and batches of the required column chunks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.types as pt

from arrowjag import _arrow, dtype
from arrowjag._pyarrow_versions import nbytes
from arrowjag.errors import JagValueError
from arrowjag.io._atomic import local_path
from arrowjag.io._chunks import Chunks
from arrowjag.io._damage import describe_missing, reading
from arrowjag.io._files import StoredFile
from arrowjag.io._footer import parse_any
from arrowjag.io._formats import START, other_format
from arrowjag.io._int96 import has_int96
from arrowjag.io._plain import typed_schema
from arrowjag.io._scan import Part, Reader, has_dictionary, iter_batches, open_parts, reader_of
from arrowjag.io._schemas import conform

__all__ = [
    "Columns",
    "Field",
    "Leaf",
    "ParquetSource",
    "Source",
    "Statistics",
    "add_bounds",
    "fields_of",
    "open_source",
    "plain_extensions",
    "spread",
]

ALL_VALUES = 1 << 62
_BUFFER = 1 << 20
"""Bytes of a column chunk that are read at once, so that the first rows of a large one are read alone."""

_MOST_KEPT = 1_000_000
"""Columns of record batches that are kept, because each batch is read with all of its columns."""


@dataclass(frozen=True)
class Leaf:
    """One column chunk of a nested column: the names of the structs' fields on the way, and its number in the file."""

    path: tuple[str, ...]
    number: int
    type: pa.DataType


@dataclass(frozen=True)
class Field:
    """A top-level column: its storage, its levels, and its leaves; `path` picks a field of its structs."""

    name: str
    type: pa.DataType
    ndim: int
    tagged: bool
    leaves: tuple[Leaf, ...]
    path: tuple[str, ...] = ()

    @property
    def leaf_type(self) -> pa.DataType:
        """The type below the dims."""
        levels, leaf = _arrow.level_types(self.type)
        return levels[self.ndim - 1] if self.ndim <= len(levels) else leaf


@dataclass
class Statistics:
    """Facts of column chunks from metadata alone; None if a file lacks them."""

    bytes: int = 0
    bytes_uncompressed: int = 0
    nulls: int | None = 0
    minimum: Any = None
    maximum: Any = None
    bounded: bool = field(default=True, repr=False)


class Source(Protocol):
    """A file of columns, cut into groups of rows; `sizes` is the number of rows per group."""

    path: str
    format: str
    files: int
    bytes: int
    rows: int
    groups: int
    sizes: list[int]
    fields: tuple[Field, ...]
    created_by: str

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        """Bytes, nulls and bounds of some leaves."""

    def sample(self, leaf: Leaf, limit: int) -> list[int]:
        """Return evenly spread groups with about `limit` values in total, the first and last among them."""

    def batches(self, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        """The storage of a column with some of its leaves, batch by batch."""


def open_source(path: str | Path, filesystem: Any = None, name: str | None = None) -> Source:
    """Open a file by its first bytes, reading metadata only.

    Parameters
    ----------
    path : str or path
        A path on the file system.
    filesystem : pyarrow.fs.FileSystem, optional
        By default that of this machine.
    name : str, optional
        The name of the file in messages; by default its path.

    Raises
    ------
    JagValueError
        If it does not exist, or is neither Parquet nor Arrow IPC.
    """
    where = pf.LocalFileSystem() if filesystem is None else filesystem
    path, name = str(path), str(path) if name is None else name
    try:
        with where.open_input_file(path) as handle:
            start = handle.read(START)
        with reading(name):
            if start.startswith(b"PAR1"):
                return ParquetSource.of(path, where, name)
            if start.startswith(b"ARROW1"):
                with plain_extensions():
                    return IpcSource(path, where, name)
    except FileNotFoundError:
        raise JagValueError(describe_missing(name)) from None
    except PermissionError:
        raise JagValueError(f"{name}: no permission to read it") from None
    other = other_format(start, "Parquet or IPC")
    raise JagValueError(f"{name} {'is neither a Parquet nor an Arrow IPC file' if other is None else other}")


@contextlib.contextmanager
def plain_extensions() -> Iterator[None]:
    """Open files with jagged columns as their storage: Arrow refuses to read some leaves of an extension type."""
    with contextlib.suppress(pa.ArrowKeyError):  # one block inside of another
        pa.unregister_extension_type(_arrow.EXTENSION_NAME)
    try:
        yield
    finally:
        dtype.register()


def fields_of(schema: pa.Schema, ndims: Mapping[str, int] | None = None) -> tuple[Field, ...]:
    """The columns of a schema; `ndims` has the ndim of columns whose jagged type stands only in the metadata of the file."""
    fields, number = [], 0
    for one in schema:
        metadata = one.metadata or {}
        tagged = metadata.get(b"ARROW:extension:name") == _arrow.EXTENSION_NAME.encode()
        stored = metadata.get(b"ARROW:extension:metadata")
        lists = _arrow.depth(one.type)
        ndim = dtype.parse_metadata(stored, lists) if tagged else len(_arrow.level_types(one.type)[0]) + 1
        if ndims is not None and one.name in ndims:
            ndim, tagged = ndims[one.name], True
        leaves = tuple(Leaf(path, number + place, type) for place, (path, type) in enumerate(_leaves(one.type, ())))
        fields.append(Field(one.name, one.type, ndim, tagged, leaves))
        number += len(leaves)
    return tuple(fields)


def _leaves(type: pa.DataType, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], pa.DataType]]:
    """Parquet's columns of a type, in its order."""
    if isinstance(type, pa.BaseExtensionType):
        yield from _leaves(type.storage_type, path)
    elif _arrow.is_list_type(type):
        yield from _leaves(type.value_type, path)
    elif pt.is_map(type):
        yield from _leaves(type.key_type, (*path, "key"))
        yield from _leaves(type.item_type, (*path, "value"))
    elif pt.is_struct(type):
        for inner in type:
            yield from _leaves(inner.type, (*path, inner.name))
    else:
        yield path, type


class Columns:
    """The columns of a file by name, as files may have thousands; files of one schema share them."""

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self.fields = fields
        self.same: dict[str, list[Field]] = {}
        for one in fields:
            self.same.setdefault(one.name, []).append(one)
        # Of two columns of one name the first.
        self.leaves = {(name, leaf.path): leaf for name, (one, *_) in self.same.items() for leaf in reversed(one.leaves)}

    @classmethod
    def of(cls, stored: pa.Schema, typed: pa.Schema) -> Columns:
        """Return the columns of a file; `typed` has the jagged types, which `stored` may lack."""
        return cls(fields_of(stored, {one.name: one.type.ndim for one in typed if isinstance(one.type, dtype.JaggedType)}))

    def field(self, name: str) -> Field | None:
        """Return the first column of a name."""
        return next(iter(self.same.get(name, ())), None)


class ParquetSource:
    """A Parquet file; row groups are the groups.

    Parameters
    ----------
    name : str
        The file in messages.
    open : callable
        Opens it.
    size : int
        Its bytes.
    footer : pyarrow.parquet.FileMetaData
        Its footer.
    chunks : callable
        Returns the validated column chunks of the footer.
    columns : Columns
        Its columns.
    """

    format = "Parquet"
    files = 1

    def __init__(
        self, name: str, open: Callable[[], Any], size: int, footer: Any, chunks: Callable[[], Chunks], columns: Columns
    ) -> None:
        self.path, self.bytes, self.columns, self.fields = name, size, columns, columns.fields
        self._open, self._metadata, self._chunks_of = open, footer, chunks
        self.rows, self.created_by = footer.num_rows, footer.created_by
        self.sizes = [footer.row_group(group).num_rows for group in range(footer.num_row_groups)]
        self.groups = len(self.sizes)
        self._totals: dict[int, int] = {}
        self._file: Reader | None = None

    @classmethod
    def of(cls, path: str, filesystem: Any, name: str) -> ParquetSource:
        """Open a file and read its footer."""
        (part,) = open_parts([StoredFile(path, filesystem)], pa.schema([]))
        _ = part.chunks  # validates them
        with plain_extensions():
            schema = parse_any(part.content)[0].schema.to_arrow_schema()
        columns = Columns.of(schema, typed_schema(schema, part.footer.metadata))
        return cls(name, part.open, part.size, part.footer, lambda: part.chunks, columns)

    @classmethod
    def of_part(cls, part: Part, columns: Columns) -> ParquetSource:
        """Take over the footer of a file of a folder, which was read once for its schema."""
        return cls(part.name, part.open, part.size, part.footer, lambda: part.chunks, columns)

    def _read(self, file: Any, **options: Any) -> Reader:
        return reader_of(file, self._metadata, self.path, pa.schema([]), pre_buffer=False, **options)

    def _reader(self) -> Reader:
        """Return the open file, which is kept for the next column: it takes the longer to open, the more columns there are."""
        if self._file is None:
            self._file = self._read(self._open(), buffer_size=_BUFFER)
        return self._file

    def load(self) -> None:
        """Read the whole file, which is small: then it needs no place among the open files of the process."""
        if self._file is None:
            with self._open() as file:
                content = file.read_buffer()
            self._file = self._read(pa.BufferReader(content))

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._file is not None

    def close(self) -> None:
        """Close the file until the next column is read."""
        if self._file is not None:
            self._file.close(force=True)
        self._file = None

    def _chunks(self, leaf: Leaf) -> Iterator[Any]:
        chunks = self._chunks_of()
        return (chunks.of(group, leaf.number) for group in range(self.groups))

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        found = Statistics(bounded=len(leaves) == 1)
        for leaf in leaves:
            for chunk in self._chunks(leaf):
                found.bytes += chunk.total_compressed_size
                found.bytes_uncompressed += chunk.total_uncompressed_size
                _add_chunk(found, chunk)
        if not found.bounded:
            found.minimum = found.maximum = None
        return found

    def sample(self, leaf: Leaf, limit: int) -> list[int]:
        return spread(self.values(leaf), limit)

    def values(self, leaf: Leaf) -> list[int]:
        """Return the number of values per group."""
        return [chunk.num_values for chunk in self._chunks(leaf)]

    def group_rows(self, groups: list[int]) -> int:
        """Return the total number of rows of some groups."""
        return sum(self.sizes[group] for group in groups)

    def _total(self, leaf: Leaf) -> int:
        """Return the number of values in all groups."""
        if leaf.number not in self._totals:
            self._totals[leaf.number] = sum(self.values(leaf))
        return self._totals[leaf.number]

    def batches(self, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        names = [self._metadata.schema.column(leaf.number).path for leaf in leaves]
        values = sum(map(self._total, leaves[:1]))
        rows = max(1, min(1 << 16, (1 << 22) * max(1, self.rows) // max(1, values)))
        # pyarrow also reads the columns whose paths begin with one of these: with a.b all of a column of lists named "a.b".
        same = self.columns.same.get(field.name, ())
        rank = next((place for place, one in enumerate(same) if one.leaves[:1] == field.leaves[:1]), 0)
        # Times of 96 bits come in the unit that holds them.
        is_whole = leaves == field.leaves and not has_int96(self._metadata)
        for batch in iter_batches(
            self._reader(), rows, groups, names, apart=has_dictionary(field.type), use_threads=self.bytes > _BUFFER
        ):
            read = batch.schema.get_all_field_indices(field.name)
            found = batch.column(read[min(rank, len(read) - 1)])
            yield conform(found, field.type) if is_whole else found


def spread(values: list[int], limit: int) -> list[int]:
    """Return evenly spread groups with about this many values in total."""
    if sum(values) <= limit or len(values) <= 2:
        return list(range(len(values)))
    wanted = max(2, int(len(values) * limit / sum(values)))
    return np.unique(np.linspace(0, len(values) - 1, wanted).round().astype(int)).tolist()  # type: ignore[no-any-return]


def _add_chunk(found: Statistics, chunk: Any) -> None:
    """Add the nulls and bounds of one more chunk; if one chunk lacks them, the column lacks them."""
    statistics = chunk.statistics if chunk.is_stats_set else None
    if statistics is None:
        found.nulls, found.bounded = None, False
        return
    if found.nulls is not None:
        found.nulls = found.nulls + statistics.null_count if statistics.has_null_count else None
    if statistics.has_min_max:
        add_bounds(found, *_bounds_of(statistics))
    else:
        found.bounded = found.bounded and statistics.null_count == chunk.num_values


def _bounds_of(statistics: Any) -> tuple[Any, Any]:
    """Return the least and the largest value of a chunk; pyarrow gives those of float16 as bytes, which have another order."""
    bounds = statistics.min, statistics.max
    if statistics.logical_type.type == "FLOAT16":
        least, largest = (float(np.frombuffer(one, "<f2")[0]) for one in bounds)
        return least, largest
    return bounds


def add_bounds(found: Statistics, minimum: Any, maximum: Any) -> None:
    """The least and the largest value of one more chunk."""
    if isinstance(minimum, float):
        minimum += 0.0  # Parquet writers store a least value of 0.0 as -0.0, for readers that tell them apart
    if not found.bounded or found.minimum is None:
        found.minimum, found.maximum = minimum, maximum
    else:
        found.minimum, found.maximum = min(found.minimum, minimum), max(found.maximum, maximum)


class IpcSource:
    """An Arrow IPC (Feather) file, memory mapped; record batches are the groups."""

    format = "Arrow IPC"
    files = 1

    def __init__(self, path: str, filesystem: Any, name: str) -> None:
        self.path = name
        local = local_path(filesystem, path)
        # A remote file is read once into memory, and then used like a mapped file.
        self._map = filesystem.open_input_file(path) if local is None else pa.memory_map(local)
        if local is None:
            self._map = pa.BufferReader(self._map.read_buffer())
        self.bytes = self._map.size()
        reader = pa.ipc.open_file(self._map)
        self.groups = reader.num_record_batches
        self.fields = fields_of(reader.schema)
        self._places = {leaf.number: place for place, one in enumerate(self.fields) for leaf in one.leaves}
        self._kept: dict[int, pa.RecordBatch] = {}
        self._opened: tuple[int | None, Any] | None = None
        self._mapped = self._is_mapped(reader)
        self.sizes = [batch.num_rows for batch in self._batches(0)] if self.fields else [0] * self.groups
        self.rows = sum(self.sizes)
        self.created_by = ""

    def _is_mapped(self, reader: Any) -> bool:
        """Return whether the file is uncompressed, so that memory mapping makes reads free."""
        self._map.seek(0)
        whole = self._map.read_buffer(self._map.size())
        for group in range(self.groups):
            columns = reader.get_batch(group).columns
            buffers = [one for column in columns for one in column.buffers() if one is not None and one.size]
            if buffers:
                return all(whole.address <= one.address < whole.address + whole.size for one in buffers)
        return True

    def _batches(self, place: int, groups: Sequence[int] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield one column, batch by batch. Arrow copies if it reads a subset of columns, so only compressed files use that."""
        reader = self._reader(None if self._mapped else place)
        for group in range(self.groups) if groups is None else groups:
            batch = self._kept.get(group)
            if batch is None:
                batch = reader.get_batch(group)
                if self._mapped and len(self._kept) * len(self.fields) < _MOST_KEPT:
                    self._kept[group] = batch
            yield pa.record_batch([batch.column(place if self._mapped else 0)], ["_"])

    def _reader(self, place: int | None) -> Any:
        """Return a reader of one column, or of all; the last one is kept: the schema of many columns takes long to parse."""
        if self._opened is None or self._opened[0] != place:
            options = None if place is None else pa.ipc.IpcReadOptions(included_fields=[place])
            with plain_extensions():
                self._opened = place, pa.ipc.open_file(self._map, options=options)
        return self._opened[1]

    def statistics(self, leaves: tuple[Leaf, ...]) -> Statistics:
        places = {self._places[leaf.number] for leaf in leaves}
        size = sum(nbytes(batch) for place in places for batch in self._batches(place))
        return Statistics(size, size, None, bounded=False)

    def sample(self, leaf: Leaf, limit: int) -> list[int]:
        return list(range(self.groups))

    def batches(self, field: Field, leaves: tuple[Leaf, ...], groups: list[int]) -> Iterator[pa.Array]:
        return (batch.column(0) for batch in self._batches(self._places[leaves[0].number], groups))
