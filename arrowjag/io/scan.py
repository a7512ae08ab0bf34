"""Reading: the files of a dataset, their row groups, and of those the column chunks that are wanted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from arrowjag._arrow import combine_chunks
from arrowjag._kernels import gather
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.io.atomic import local_path
from arrowjag.io.files import StoredFile
from arrowjag.io.footer import maps_as_lists, read_arrow_schema, without_extensions
from arrowjag.io.leaves import Selection, leaf_names, leaf_places, part_of_type, select
from arrowjag.io.schemas import canonical, conform, merge_schemas, restored
from arrowjag.typing import IntArray

__all__ = [
    "Part",
    "Plan",
    "conform_table",
    "finish_rows",
    "full_schema",
    "make_plan",
    "named_error",
    "open_parts",
    "open_reader",
    "read_parts",
    "take_rows",
]

_T = TypeVar("_T")
_R = TypeVar("_R")
_HIDDEN_METADATA = b"ARROW:schema"
NO_MAP_KEYS = "Map keys must be annotated as required"


@dataclass(frozen=True)
class Part:
    """One file: its footer without extension types, the schema that its writer meant, the values of its folders.

    `is_known` says whether pyarrow reads the footer as it is; where it doesn't, row groups can't be pruned.
    """

    file: StoredFile
    footer: Any
    stored: pa.Schema
    schema: pa.Schema
    keys: dict[str, Any]
    is_known: bool

    def row_groups(self, filter: Any, schema: pa.Schema) -> list[int]:
        """Numbers of the row groups that a filter does not exclude by their statistics."""
        if not self.is_known:
            return list(range(self.footer.num_row_groups))
        if filter is None and self.file.fragment is None:
            return list(range(self.footer.num_row_groups))
        return self.file.row_groups(filter, schema)

    @property
    def name(self) -> str:
        """What to call the file in a message."""
        return self.file.path

    @property
    def is_local(self) -> bool:
        """Whether small reads cost little; data in memory and file objects count as local."""
        return self.file.filesystem is None or local_path(self.file.filesystem, self.name) is not None

    @property
    def has_no_path(self) -> bool:
        """Whether the file was given as an open object, which can't be opened again."""
        return self.file.filesystem is None


@dataclass(frozen=True)
class Plan:
    """What to read of each file (what a filter needs is read whole), what to keep of its rows, and what to give back."""

    read_schema: pa.Schema
    selection: Selection
    filter: Any
    filter_names: frozenset[str]
    schema: pa.Schema


def in_threads(function: Callable[[_T], _R], items: Iterable[_T]) -> list[_R]:
    """Results in order; a single item runs in place."""
    items = list(items)
    if len(items) < 2:
        return [function(item) for item in items]
    from concurrent.futures import ThreadPoolExecutor  # loads logging: workers of jobs have no need of it

    with ThreadPoolExecutor(min(len(items), _threads())) as pool:
        return list(pool.map(function, items))


def _threads() -> int:
    return os.cpu_count() or 1


# --------------------------------------------------------------------------------------------------------- footers


def open_parts(files: Iterable[StoredFile], partitions: pa.Schema) -> list[Part]:
    """Read the footers of files.

    Parameters
    ----------
    files : iterable of StoredFile
        The files.
    partitions : pa.Schema
        Columns that folders may stand for.

    Returns
    -------
    list of Part
        In the same order.
    """
    return in_threads(lambda file: _open_part(file, partitions), files)


def _open_part(file: StoredFile, partitions: pa.Schema) -> Part:
    footer, known = _read_footer(file)
    written = read_arrow_schema(footer)
    footer = without_extensions(footer, written)
    stored = footer.schema.to_arrow_schema()
    if written is None or written.names != stored.names:
        meant = list(stored)
    else:
        meant = [field.with_type(restored(inside.type, field.type)) for inside, field in zip(stored, written, strict=True)]
    metadata = {key: value for key, value in (footer.metadata or {}).items() if key != _HIDDEN_METADATA}
    schema = pa.schema([field.with_type(canonical(field.type)) for field in meant], metadata=metadata or None)
    return Part(file, footer, stored, schema, {name: file.keys.get(name) for name in partitions.names}, known)


def _read_footer(file: StoredFile) -> tuple[Any, bool]:
    """The footer, and whether pyarrow could read it by itself."""
    try:
        return file.footer(), True
    except (pa.ArrowException, OSError) as error:
        if NO_MAP_KEYS not in str(error):
            raise named_error(error, file.path) from error
    return maps_as_lists(file.open()), False


def full_schema(parts: Sequence[Part], partitions: pa.Schema) -> pa.Schema:
    """The columns of all files and those of their folders, which win over columns of the same name in files."""
    merged = merge_schemas([(part.name, part.schema) for part in parts])
    for field in partitions:
        place = merged.get_field_index(field.name)
        merged = merged.append(field) if place < 0 else merged.set(place, field)
    return merged


# --------------------------------------------------------------------------------------------------------- filters


def to_expression(filters: Any, schema: pa.Schema) -> Any:
    """A filter as an expression, its names checked.

    Parameters
    ----------
    filters : pyarrow.compute.Expression, list of tuples, or list of lists of tuples
        Tuples are ``(column, operator, value)``; those of a list hold together, one of the lists is enough.
    schema : pa.Schema
        What there is.

    Returns
    -------
    pyarrow.compute.Expression
        The filter.

    Raises
    ------
    JagValueError
        If it names an unknown column or can't be read.
    JagTypeError
        If it compares what can't be compared.
    """
    if not isinstance(filters, pc.Expression):
        try:
            filters = pq.filters_to_expression(filters)
        except (ValueError, TypeError) as error:
            raise JagValueError(f"filters can't be read: {error}") from error
    try:
        _mask(schema.empty_table(), filters)
    except pa.ArrowInvalid as error:
        if "No match for FieldRef" not in str(error):
            raise JagValueError(f"filters don't fit the columns: {error}") from error
        raise JagValueError(f"filters name an unknown column in {filters}; there are {', '.join(leaf_names(schema))}") from error
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise JagTypeError(f"filters compare what can't be compared: {error}") from error
    return filters


def names_in(expression: Any, schema: pa.Schema) -> frozenset[str]:
    """Columns that an expression reads: those without which it no longer fits the schema (pyarrow doesn't tell them)."""
    text = str(expression)
    return frozenset(
        name for name in schema.names if name in text and not _fits(expression, schema.remove(schema.get_field_index(name)))
    )


def _fits(expression: Any, schema: pa.Schema) -> bool:
    try:
        _mask(schema.empty_table(), expression)
    except (pa.ArrowException, ValueError):
        return False
    return True


def _mask(table: pa.Table, expression: Any) -> pa.Array:
    """Where a filter holds; in one thread, because the order of rows counts."""
    from pyarrow import acero  # imports pyarrow.dataset, and that pandas

    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(table))
    project = acero.Declaration("project", acero.ProjectNodeOptions([expression], ["keep"]))
    return acero.Declaration.from_sequence([source, project]).to_table(use_threads=False).column(0)


def keep_rows(table: pa.Table, expression: Any, names: frozenset[str]) -> pa.Table:
    """The rows for which a filter holds; a slice that shares everything where they follow one another."""
    tested = table.select([name for name in table.column_names if name in names]) if names else table
    mask = combine_chunks(_mask(tested, expression))
    rows = np.flatnonzero(mask.fill_null(False).to_numpy(zero_copy_only=False))
    if len(rows) == 0 or rows[-1] - rows[0] + 1 == len(rows):
        return table.slice(int(rows[0]) if len(rows) else 0, len(rows))
    return take_rows(table, rows)


def take_rows(table: pa.Table, rows: IntArray) -> pa.Table:
    """Rows by their numbers, as one chunk."""
    return pa.table([_taken(column, rows) for column in table.columns], schema=table.schema)


def _taken(column: pa.ChunkedArray, rows: Any) -> pa.Array:
    array = combine_chunks(column)
    if isinstance(array.type, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(array.type, gather.take(array.storage, rows))
    return gather.take(array, rows)


# ------------------------------------------------------------------------------------------------------------ rows


def read_parts(parts: Sequence[Part], schema: pa.Schema, columns: Sequence[str] | None, filters: Any, verify: bool) -> pa.Table:
    """Read what is wanted of files.

    Parameters
    ----------
    parts : sequence of Part
        The files, in the order of the rows of the result.
    schema : pa.Schema
        All columns that there are.
    columns : sequence of str or None
        Names of columns and leaves; None for all.
    filters : expression, tuples or None
        As `to_expression` takes them.
    verify : bool
        Whether checksums of pages are compared where the file has them.

    Returns
    -------
    pa.Table
        One chunk a row group.
    """
    plan = make_plan(schema, columns, filters)
    tables = in_threads(lambda task: list(_read_run(*task, plan, verify)), _tasks(parts, schema, plan))
    everything = [table for run in tables for table in run if table.num_rows]
    return pa.concat_tables(everything) if everything else plan.schema.empty_table()


def make_plan(schema: pa.Schema, columns: Sequence[str] | None, filters: Any) -> Plan:
    """Resolve names against the columns that there are."""
    selection = select(schema, schema.names if columns is None else columns)
    result = _part_of_schema(schema, selection)
    if filters is None:
        return Plan(result, selection, None, frozenset(), result)
    expression = to_expression(filters, schema)
    names = names_in(expression, schema)
    wider = selection | {name: {()} for name in sorted(names)}
    return Plan(_part_of_schema(schema, wider), wider, expression, names, result)


def _part_of_schema(schema: pa.Schema, selection: Selection) -> pa.Schema:
    fields = [schema.field(name) for name in selection]
    return pa.schema([field.with_type(part_of_type(field.type, selection[field.name])) for field in fields], schema.metadata)


def _tasks(parts: Sequence[Part], schema: pa.Schema, plan: Plan) -> Iterator[tuple[Part, list[int]]]:
    """Files, or where there are fewer than threads, runs of their row groups."""
    share = max(1, _threads() // max(1, len(parts)))
    for part in parts:
        groups = part.row_groups(plan.filter, schema)
        runs = 1 if part.has_no_path else min(share, len(groups))
        for run in np.array_split(groups, runs) if groups else []:
            yield part, [int(group) for group in run]


def open_reader(part: Part, plan: Plan, **options: Any) -> tuple[pq.ParquetFile, list[str]]:
    """A reader of one file, and the physical paths of the column chunks that a plan needs of it."""
    inside = {name: paths for name, paths in plan.selection.items() if name not in part.keys}
    chunks = [part.footer.schema.column(place).path for place in leaf_places(part.stored, inside)]
    return pq.ParquetFile(part.file.open(), metadata=part.footer, **options), chunks


def _read_run(part: Part, groups: list[int], plan: Plan, verify: bool) -> Iterator[pa.Table]:
    reader, chunks = open_reader(part, plan, pre_buffer=not part.is_local, page_checksum_verification=verify)
    for group in groups:
        try:
            raw = reader.read_row_group(group, columns=chunks)
        except (pa.ArrowException, OSError) as error:
            raise named_error(error, f"{part.name}, row group {group}") from error
        yield finish_rows(raw, part, part.footer.row_group(group).num_rows, plan)


def named_error(error: Exception, where: str) -> Exception:
    """The same kind of error, saying where."""
    kind = type(error) if isinstance(error, pa.ArrowException) else OSError
    return kind(f"{where}: {error}")


def finish_rows(raw: pa.Table, part: Part, rows: int, plan: Plan) -> pa.Table:
    """Bring a row group to the schema of the result and filter it."""
    columns = [_column(raw, part, field, rows) for field in plan.read_schema]
    table = pa.table(columns, schema=plan.read_schema)
    if plan.filter is None:
        return table
    return conform_table(keep_rows(table, plan.filter, plan.filter_names), plan.schema, part.name)


def _column(raw: pa.Table, part: Part, field: pa.Field, rows: int) -> pa.ChunkedArray:
    if field.name in part.keys:
        return pa.chunked_array([pa.repeat(pa.scalar(part.keys[field.name], field.type), rows)])
    place = raw.schema.get_field_index(field.name)
    return pa.chunked_array([pa.nulls(rows, field.type)]) if place < 0 else _conformed(raw.column(place), field, part.name)


def conform_table(table: pa.Table, schema: pa.Schema, where: str) -> pa.Table:
    """The columns of a schema, each in its type; the message of an error says which file and column it was."""
    return pa.table([_conformed(table.column(field.name), field, where) for field in schema], schema=schema)


def _conformed(column: pa.ChunkedArray, field: pa.Field, where: str) -> pa.ChunkedArray:
    try:
        return pa.chunked_array([conform(chunk, field.type) for chunk in column.chunks], type=field.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ShapeError) as error:
        raise JagValueError(f"{where}, column {field.name!r}: {column.type} doesn't fit {field.type}: {error}") from error
