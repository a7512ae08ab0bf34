"""Read the selected column chunks and row groups of the files of a dataset."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from arrowjag._gate import has_ordered_categories, storage_of
from arrowjag._pyarrow_versions import concat_tables, table_of
from arrowjag.errors import JagFileError, JagTypeError, JagValueError, ShapeError, are, brief, plural
from arrowjag.io._atomic import local_path
from arrowjag.io._categories import METADATA_KEY, ordered_type, parse_categories
from arrowjag.io._chunks import Chunks
from arrowjag.io._conflicts import refuse_conflicts, without_conflicts
from arrowjag.io._damage import checked, reading
from arrowjag.io._field_ids import rename_fields
from arrowjag.io._files import StoredFile
from arrowjag.io._filters import BY_VALUE, has_bounds, keep_rows, names_in, take_rows, to_expression
from arrowjag.io._footer import (
    parse_any,
    plain_content,
    read_arrow_schema,
    read_end,
    readable,
    with_magic,
    without_extensions,
)
from arrowjag.io._int96 import Int96Reader, has_int96
from arrowjag.io._leaves import Selection, leaf_places, part_of_type, select
from arrowjag.io._plain import typed_schema
from arrowjag.io._schemas import canonical, conform, merge_schemas, restored
from arrowjag.io._thrift import span_of
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "Part",
    "Plan",
    "Reader",
    "ReplacedFileError",
    "check_rows",
    "chunks_of",
    "conform_table",
    "finish_rows",
    "footer_content",
    "full_schema",
    "has_dictionary",
    "iter_batches",
    "make_plan",
    "open_parts",
    "open_reader",
    "read_parts",
    "reader_of",
    "stream_parts",
]

_T = TypeVar("_T")
_R = TypeVar("_R")
Reader: TypeAlias = pq.ParquetFile | Int96Reader
_HIDDEN_METADATA = b"ARROW:schema"
_MOST_IN_RUN = 32
_MOST_WAITED = 0.005
"""Seconds that reading may wait before threads take the rest."""


@dataclass(frozen=True)
class Part:
    """One file: its footer (parsed without extension types, and serialized), logical schema, and values of partition columns.

    `is_known` is False if pyarrow can't parse the original footer; row groups of such a file can't be pruned. `source` is the open
    file, or the content of a small one, if it is to be read at once; None if it is to be opened again. `reader` has parsed the
    footer of a small file and can read its rows. `size` is that of the file in bytes.
    """

    file: StoredFile
    footer: Any
    content: bytes
    stored: pa.Schema
    schema: pa.Schema
    keys: dict[str, Any]
    is_known: bool
    source: Any = dataclasses.field(default=None, compare=False, repr=False)
    reader: Any = dataclasses.field(default=None, compare=False, repr=False)
    size: int = 0

    def open(self) -> Any:
        """Open the file, unless that was done to read its footer."""
        return self.file.open() if self.source is None else self.source

    def row_groups(self, filter: Any, schema: pa.Schema, names: Iterable[str]) -> list[int]:
        """Numbers of the row groups that a filter of some columns does not exclude by their statistics."""
        if not self.is_known:
            return list(range(self.footer.num_row_groups))
        if filter is not None and any(self._rounds(name, schema) for name in names):
            filter = None
        if filter is None and self.file.fragment is None:
            return list(range(self.footer.num_row_groups))
        with reading(self.name):
            if filter is not None:
                _ = self.chunks  # validates the statistics that the filter uses
            try:
                return self.file.row_groups(filter, schema, self.content)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
                # The file has other types than the schema, or bounds that Arrow can't compare: rows are filtered after they are
                # cast.
                return self.file.row_groups(None, schema, self.content)

    def _rounds(self, name: str, schema: pa.Schema) -> bool:
        """Whether the schema casts a column to other floats: rounded values may lie beyond the bounds in the file."""
        if name not in self.schema.names:
            return False
        type = schema.field(name).type
        return bool(pt.is_floating(type)) and self.schema.field(name).type != type

    def kept_rows(self, groups: Sequence[int]) -> BoolArray | None:
        """Which rows of some row groups a table of the lake has kept; None if it has deleted none of the file."""
        if self.file.kept is None:
            return None
        ends = self._ends
        if len(self.file.kept) != ends[-1]:
            raise JagFileError(
                f"{self.name}: the deletion vector covers {plural(len(self.file.kept), 'row')}, but the file has {ends[-1]}"
            )
        return np.concatenate([self.file.kept[ends[group] : ends[group + 1]] for group in groups] or [np.zeros(0, bool)])

    @cached_property
    def _ends(self) -> IntArray:
        """The rows before each row group, and those of all."""
        return np.cumsum([0, *(self.footer.row_group(group).num_rows for group in range(self.footer.num_row_groups))])

    @cached_property
    def chunks(self) -> Chunks:
        """The metadata of column chunks, validated on first access."""
        with reading(self.name):
            return Chunks(self.footer, self.content)

    @cached_property
    def categories(self) -> dict[str, Any]:
        """The ordered categories in the metadata of the file, by column."""
        return parse_categories(self.footer.metadata)

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.file.label

    @property
    def is_local(self) -> bool:
        """Whether small reads are cheap; data in memory and file objects count as local."""
        return self.file.filesystem is None or local_path(self.file.filesystem, self.name) is not None

    @property
    def has_no_path(self) -> bool:
        """Whether the caller passed an open object, which can't be reopened."""
        return self.file.filesystem is None


class Plan(NamedTuple):
    """The columns to read (those of the filter completely), the filter of rows, and the schema of the result.

    `pruning` is the filter if statistics can exclude row groups by it, else None.
    """

    read_schema: pa.Schema
    selection: Selection
    filter: Any
    pruning: Any
    filter_names: frozenset[str]
    schema: pa.Schema


def in_threads(function: Callable[[_T], _R], items: Iterable[_T], *, once_it_waits: bool = False) -> list[_R]:
    """Apply a function to items in a thread pool; return results in order. A single item runs in the calling thread.

    With `once_it_waits` the calling thread goes on as long as it works more than it waits, as for footers in the cache of the
    system: threads would wait for the interpreter, and take half as much time again.
    """
    items = list(items)
    found = _until_it_waits(function, items) if once_it_waits else []
    left = items[len(found) :]
    if len(left) < 2:
        return found + [function(item) for item in left]
    from concurrent.futures import ThreadPoolExecutor  # lazy, because it imports logging, which workers of jobs don't need

    threads = min(len(left), _threads())
    size = min(_MOST_IN_RUN, -(-len(left) // (4 * threads)))  # handing over an item costs as much as reading a small footer
    runs = [left[start : start + size] for start in range(0, len(left), size)]
    with ThreadPoolExecutor(threads) as pool:
        return found + [one for run in pool.map(lambda run: [function(item) for item in run], runs) for one in run]


def _until_it_waits(function: Callable[[_T], _R], items: Sequence[_T]) -> list[_R]:
    """Return the results of the first items, up to where the function has waited for some time, and longer than it has worked."""
    found: list[_R] = []
    started, worked_before = time.perf_counter(), time.thread_time()
    for item in items:
        found.append(function(item))
        worked = time.thread_time() - worked_before
        if time.perf_counter() - started - worked > max(worked, _MOST_WAITED):
            break
    return found


def _threads() -> int:
    return os.cpu_count() or 1


# --------------------------------------------------------------------------------------------------------- footers


def open_parts(files: Iterable[StoredFile], partitions: pa.Schema, *, keep_open: bool = False) -> list[Part]:
    """Read the footers of files.

    Parameters
    ----------
    files : iterable of StoredFile
        The files.
    partitions : pa.Schema
        The partition columns.
    keep_open : bool
        Whether the files are read at once, so that they need not be opened again: parts then hold them open, small ones in memory.

    Returns
    -------
    list of Part
        In the same order.
    """
    return in_threads(lambda file: _open_part(file, partitions, keep_open), files, once_it_waits=True)


def _open_part(file: StoredFile, partitions: pa.Schema, keep_open: bool) -> Part:
    with reading(file.label):
        return _read_part(file, partitions, keep_open)


def _read_part(file: StoredFile, partitions: pa.Schema, keep_open: bool) -> Part:
    source = file.open()
    size = source.size()
    content, whole = read_end(source)
    rows = whole[: -8 - len(content)] if keep_open and whole is not None else None
    content = _named(content, file)
    plain = plain_content(content)
    readable_content = content if plain is None else plain[0]
    reader = None if rows is None else _reader_in_memory(readable_content, rows)
    footer, known = parse_any(readable_content) if reader is None else (reader.metadata, True)
    parsed = footer
    metadata = footer.metadata or {}
    seen = _Seen.latest
    written = None if plain is None else plain[1]
    if seen is None or not (known and seen.is_like(readable_content, metadata, written)):
        seen, footer = _see(readable_content, footer, known, metadata, written)
        if known and footer is parsed:
            _Seen.latest = seen
    keys = {name: file.keys.get(name) for name in partitions.names}
    keys |= {name: value for name, value in file.defaults.items() if name not in seen.stored.names}
    if keep_open and whole is not None:
        source = pa.BufferReader(whole)
    reader = reader if footer is parsed else None  # a reader keeps the footer that it has parsed
    return Part(file, footer, content, seen.stored, seen.schema, keys, known, source if keep_open else None, reader, size)


def footer_content(file: StoredFile) -> bytes:
    """Read the footer of a file as the `content` of a part, without parsing it.

    Raises
    ------
    OSError
        If the file is gone, has no footer, or can't be read.
    """
    with reading(file.label), file.open() as source:
        return _named(read_end(source)[0], file)


def _named(content: bytes, file: StoredFile) -> bytes:
    return content if file.names is None else rename_fields(content, file.names)


@dataclass(frozen=True)
class _Seen:
    """The schemas of the file that was opened last, and all that they depend on: most files of a dataset are alike.

    `head` is the start of the footer, up to the end of the schema of the file, and `extended` the Arrow schema that the writer
    stored if it has extension types, which are not in `head` and `metadata`.
    """

    head: bytes
    metadata: dict[bytes, bytes]
    extended: pa.Schema | None
    stored: pa.Schema
    schema: pa.Schema

    latest: ClassVar[_Seen | None] = None

    def is_like(self, content: bytes, metadata: dict[bytes, bytes], extended: pa.Schema | None) -> bool:
        """Return whether another file has the same schemas."""
        is_same = self.extended is extended
        if self.extended is not None and extended is not None:
            is_same = is_same or extended.equals(self.extended, check_metadata=True)
        return is_same and content.startswith(self.head) and metadata == self.metadata


def _see(content: bytes, footer: Any, known: bool, metadata: dict[bytes, bytes], extended: pa.Schema | None) -> tuple[_Seen, Any]:
    """Return the schemas of a file, and its footer without extension types; `extended` is None if `content` may still have them."""
    written = extended
    if written is None:
        written = read_arrow_schema(footer)
        footer = without_extensions(footer, content, written)
    stored = footer.schema.to_arrow_schema()
    if written is not None and known:
        footer = readable(footer, content, stored)
    others = {key: value for key, value in metadata.items() if key != _HIDDEN_METADATA}
    schema = _logical_schema(stored, written, others, footer.metadata)
    return _Seen(content[: span_of(content, 2)[1]], metadata, extended, stored, schema), footer


def _logical_schema(
    stored: pa.Schema, written: pa.Schema | None, metadata: dict[bytes, bytes], recorded: dict[bytes, bytes] | None
) -> pa.Schema:
    """Return the types that the columns of a file had when they were written."""
    if written is None or written.names != stored.names:
        meant = list(stored)
    else:
        meant = [field.with_type(restored(inside.type, field.type)) for inside, field in zip(stored, written, strict=True)]
    kept = {key: value for key, value in metadata.items() if key != METADATA_KEY.encode()}
    typed = typed_schema(pa.schema(meant, metadata=kept or None), recorded)
    orders = parse_categories(recorded)
    types = [canonical(ordered_type(field.type, orders.get(field.name))) for field in typed]
    return pa.schema([field.with_type(type) for field, type in zip(typed, types, strict=True)], metadata=typed.metadata)


def _reader_in_memory(content: bytes, rows: bytes) -> pq.ParquetFile | None:
    """Open a file whose footer and rows are in memory; None if pyarrow can't parse the footer."""
    try:
        return pq.ParquetFile(pa.BufferReader(with_magic(content, rows)), pre_buffer=False, page_checksum_verification=True)
    except (pa.ArrowException, OSError):
        return None


def full_schema(parts: Sequence[Part], partitions: pa.Schema) -> pa.Schema:
    """Merge the schemas of all files; partition columns take precedence over columns of the same name in files."""
    merged = merge_schemas([(part.name, part.schema) for part in parts])
    for field in partitions:
        place = merged.get_field_index(field.name)
        merged = merged.append(field) if place < 0 else merged.set(place, field)
    return merged


# ------------------------------------------------------------------------------------------------------------ rows


def read_parts(parts: Sequence[Part], schema: pa.Schema, columns: Sequence[str] | None, filters: Any, verify: bool) -> pa.Table:
    """Read the selected columns and rows of files.

    Parameters
    ----------
    parts : sequence of Part
        The files, in the order of the rows of the result.
    schema : pa.Schema
        All columns of the files.
    columns : sequence of str or None
        Names of columns and leaves; None for all.
    filters : expression, tuples or None
        As `to_expression` takes them.
    verify : bool
        Whether checksums of pages are compared where the file has them.

    Returns
    -------
    pa.Table
        One chunk per row group.
    """
    plan = make_plan(schema, columns, filters)
    tables = in_threads(lambda task: list(_read_run(*task, plan, verify)), _tasks(parts, schema, plan))
    everything = [table for run in tables for table in run if table.num_rows]
    return concat_tables(everything) if everything else pa.Table.from_batches([], plan.schema)


def stream_parts(
    parts: Sequence[Part], schema: pa.Schema, columns: Sequence[str] | None, filters: Any, verify: bool
) -> Iterator[pa.Table]:
    """Read what `read_parts` reads, one row group after another, also long after the footers were read."""
    plan = make_plan(schema, columns, filters)
    for part in parts:
        if _may_change(part):  # row groups are skipped by the old footer
            with reading(part.name), part.open() as source:
                _check_unchanged(part, source)
        groups = part.row_groups(plan.pruning, schema, plan.filter_names)
        if groups:
            yield from _read_run(part, [int(group) for group in groups], plan, verify)


class ReplacedFileError(JagFileError):
    """A file was replaced after its footer had been read."""


def _may_change(part: Part) -> bool:
    """Return whether the file may be replaced before it is opened again; tables that rename fields never write over a file."""
    return part.source is None and not part.has_no_path and part.file.names is None


def _check_unchanged(part: Part, source: Any) -> None:
    """Raise if an open file has another footer than the part: pages of the new file would be found by the old footer."""
    if read_end(source)[0] != part.content:
        raise ReplacedFileError(f"{part.name} was replaced after its footer had been read: read or scan it again")


def make_plan(schema: pa.Schema, columns: Sequence[str] | None, filters: Any) -> Plan:
    """Resolve the names in columns and filters against a schema; raise for those that files hold in conflicting types."""
    if not isinstance(schema, pa.Schema):
        raise JagTypeError(f"schema must be a pa.Schema, got {type(schema).__name__}")
    selection = select(schema, schema.names if columns is None else columns)
    result = _part_of_schema(schema, selection)
    if filters is None:
        return Plan(result, selection, None, None, frozenset(), result)
    compared = without_conflicts(schema)
    expression = to_expression(filters, compared)
    names = names_in(expression, compared)
    wider = selection | {name: {()} for name in sorted(names)}
    read = _part_of_schema(schema, wider)
    pruning = expression if has_bounds(expression, names, schema) else None
    return Plan(read, wider, expression, pruning, names, result)


def _part_of_schema(schema: pa.Schema, selection: Selection) -> pa.Schema:
    fields = [schema.field(name) for name in selection]
    fields = [field.with_type(part_of_type(field.type, selection[field.name])) for field in fields]
    refuse_conflicts(fields)
    return pa.schema(fields, schema.metadata)


def _tasks(parts: Sequence[Part], schema: pa.Schema, plan: Plan) -> Iterator[tuple[Part, list[int]]]:
    """Split work into files or, if there are fewer files than threads, into consecutive row groups of files."""
    share = max(1, _threads() // max(1, len(parts)))
    for part in parts:
        groups = part.row_groups(plan.pruning, schema, plan.filter_names)
        runs = 1 if part.has_no_path else min(share, len(groups))
        for run in np.array_split(groups, runs) if groups else []:
            yield part, [int(group) for group in run]


def open_reader(part: Part, plan: Plan, **options: Any) -> tuple[Reader, list[str]]:
    """Open a reader of one file; also return the physical paths of the column chunks that a plan reads."""
    source = part.open()
    # Elsewhere the check would take a request, and an open file may be replaced all the same.
    if part.is_local and _may_change(part):
        _check_unchanged(part, source)
    return reader_of(source, part.footer, part.name, plan.read_schema, **options), chunks_of(part, plan)


def reader_of(source: Any, footer: pq.FileMetaData, name: str, schema: pa.Schema, **options: Any) -> Reader:
    """Open a reader of the rows of a file, which compares pages with their checksums if the file has them.

    Parameters
    ----------
    source : pa.NativeFile
        The open file.
    footer : pyarrow.parquet.FileMetaData
        Its footer.
    name : str
        The file in messages.
    schema : pa.Schema
        The types that the columns are cast to.
    **options : object
        Those of `pyarrow.parquet.ParquetFile`.

    Returns
    -------
    Reader
        One that reads times of 96 bits right, if the file has some.
    """
    options = {"page_checksum_verification": True} | options
    if has_int96(footer):
        return Int96Reader(source, name, schema, metadata=footer, **options)
    return pq.ParquetFile(source, metadata=footer, **options)


def iter_batches(
    reader: Reader, rows: int, groups: Sequence[int], chunks: list[str], *, apart: bool, use_threads: bool = False
) -> Iterator[pa.RecordBatch]:
    """Read column chunks of row groups in batches of at most `rows` rows.

    With `apart`, each batch holds rows of a single row group: pyarrow can't read lists of a dictionary from several ones into one
    batch.
    """
    runs = [[group] for group in groups] if apart else [list(groups)]
    for run in runs:
        yield from reader.iter_batches(rows, row_groups=run, columns=chunks, use_threads=use_threads)


def has_dictionary(type: pa.DataType) -> bool:
    """Return whether a type is a dictionary or holds one."""
    storage = storage_of(type)
    return pt.is_dictionary(storage) or any(has_dictionary(storage.field(place).type) for place in range(storage.num_fields))


def chunks_of(part: Part, plan: Plan) -> list[str]:
    """Return the physical paths of the column chunks that a plan reads."""
    inside = {name: paths for name, paths in plan.selection.items() if name not in part.keys}
    return [part.footer.schema.column(place).path for place in leaf_places(part.stored, inside)]


def _read_run(part: Part, groups: list[int], plan: Plan, verify: bool) -> Iterator[pa.Table]:
    with reading(part.name):
        reader, chunks = open_reader(part, plan, pre_buffer=not part.is_local, page_checksum_verification=verify)
    for group in groups:
        raw = _read_group(reader, group, chunks, f"{part.name}, row group {group}")
        yield finish_rows(raw, part, part.footer.row_group(group).num_rows, plan, part.kept_rows([group]))


def _read_group(reader: Reader, group: int, chunks: list[str], where: str) -> pa.Table:
    """Read column chunks of a row group; on failure read them one by one, to name the first damaged one."""
    try:
        with reading(where):
            raw = reader.read_row_group(group, columns=chunks)
            check_rows(raw.num_rows, reader.metadata.row_group(group).num_rows if chunks else raw.num_rows)
            return raw
    except JagFileError:
        for chunk in chunks:
            with reading(f"{where}, column {chunk!r}"):
                reader.read_row_group(group, columns=[chunk])
        raise


def check_rows(read: int, expected: int) -> None:
    """Raise if pyarrow read fewer rows than the file holds, which it does without an error.

    Seen in row groups of one row: a list of a dictionary, whose page ends with the row.
    """
    if read != expected:
        raise ValueError(
            f"pyarrow returned only {read} of {plural(expected, 'row')}. Write the file with larger pages, or without dictionaries"
        )


def finish_rows(raw: pa.Table, part: Part, rows: int, plan: Plan, kept: BoolArray | None = None) -> pa.Table:
    """Validate a row group, cast it to the schema of the result, drop rows that are not `kept`, and filter the others."""
    columns = [_column(raw, part, field, rows) for field in plan.read_schema]
    table = table_of(columns, plan.read_schema, rows)
    if kept is not None and not kept.all():
        table = take_rows(table, kept.nonzero()[0])
    if plan.filter is None:
        return table
    try:
        table = keep_rows(table, plan.filter, plan.filter_names)
    except pa.ArrowInvalid as error:
        raise JagValueError(f"{part.name}: filters don't fit the values of the columns: {error}. {BY_VALUE}") from error
    return conform_table(table, plan.schema, part.name)


def _column(raw: pa.Table, part: Part, field: pa.Field, rows: int) -> pa.ChunkedArray:
    if field.name in part.keys:
        return pa.chunked_array([pa.repeat(_key(part, field), rows)])
    place = raw.schema.get_field_index(field.name)
    if place < 0 and rows and not field.nullable:
        raise JagValueError(f"{part.name} has no column {field.name!r}, and the schema says that it is not null")
    return pa.chunked_array([pa.nulls(rows, field.type)]) if place < 0 else _read_column(raw, place, field, part)


def _key(part: Part, field: pa.Field) -> pa.Scalar:
    """Return the value of a partition column in the type of the result."""
    key = part.keys[field.name]
    try:
        return pa.scalar(key, field.type)
    except (pa.ArrowException, ValueError, TypeError):
        pass
    try:
        return pa.scalar(key).cast(field.type)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise JagValueError(
            f"{part.name}: the folder says {field.name}={brief(key)}, and the schema {field.type}: {error}"
        ) from error


def _read_column(raw: pa.Table, place: int, field: pa.Field, part: Part) -> pa.ChunkedArray:
    recorded = part.categories.get(field.name) if has_ordered_categories(field.type) else None
    return _conformed(checked(raw.column(place), f"{part.name}, column {field.name!r}"), field, part.name, recorded)


def conform_table(table: pa.Table, schema: pa.Schema, where: str) -> pa.Table:
    """Cast a table to the columns and types of a schema; errors name file and column."""
    return table_of([_conformed(table.column(field.name), field, where) for field in schema], schema, table.num_rows)


def _conformed(column: pa.ChunkedArray, field: pa.Field, where: str, recorded: Any = None) -> pa.ChunkedArray:
    if column.null_count and not field.nullable:
        n = column.null_count
        raise JagValueError(f"{where}, column {field.name!r}: {plural(n, 'row')} {are(n)} null, and the schema says not null")
    try:
        return pa.chunked_array([conform(chunk, field.type, recorded) for chunk in column.chunks], type=field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ShapeError) as error:
        raise JagValueError(f"{where}, column {field.name!r}: {column.type} doesn't fit {field.type}: {error}") from error
