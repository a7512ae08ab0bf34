"""Reading a task in batches of so many bytes, whatever the sizes of its row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag.io.scan import Part, Plan, finish_rows, named_error, open_reader

__all__ = ["read_batches"]

# Column chunks are read through a buffer of this size, so that no more of a large row group is in memory.
_BUFFER = 1 << 20
# Parquet tells how large values are encoded, not how large they are: a part of a batch is read first, to learn that.
_SAMPLE = 32
# Rows of a batch that has no values of its own.
_ROWS = 1 << 20
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}


def read_batches(
    part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int, *, first_bytes: int | None = None
) -> Iterator[tuple[pa.Table, tuple[int, ...]]]:
    """Read row groups of a file in batches.

    Parameters
    ----------
    part : Part
        The file.
    groups : sequence of int
        Row groups.
    plan : Plan
        What to read of them, what to keep.
    batch_bytes : int
        Bytes of a batch in memory, about. A row that is larger makes a batch alone.
    first_bytes : int, optional
        Bytes of the first one, where its result is waited for.

    Yields
    ------
    pa.Table
        Rows in the order of the file; never without rows.
    tuple of int
        The row groups that they are of.
    """
    if plan.filter is not None:
        groups = sorted(set(groups).intersection(part.row_groups(plan.filter, plan.read_schema)))
    batches = _gathered(part, groups, plan, batch_bytes)
    first = next(batches, None) if first_bytes is not None else None
    if first is not None and first_bytes is not None:
        table, places = first
        rows = max(1, int(table.num_rows * min(1.0, first_bytes / max(1, table.nbytes))))
        yield table.slice(0, rows), places
        if rows < table.num_rows:
            yield table.slice(rows), places
        del first, table
    yield from batches


def _gathered(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int) -> Iterator[tuple[pa.Table, tuple[int, ...]]]:
    """Small row groups are put together."""
    waiting: list[pa.Table] = []
    places: list[int] = []
    size = 0
    for piece, among in _pieces(part, groups, plan, batch_bytes):
        if waiting and size + piece.nbytes > batch_bytes:
            yield pa.concat_tables(waiting), tuple(sorted(set(places)))
            waiting, places, size = [], [], 0
        waiting.append(piece)
        places += among
        size += piece.nbytes
    if waiting:
        yield pa.concat_tables(waiting), tuple(sorted(set(places)))


def _pieces(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int) -> Iterator[tuple[pa.Table, tuple[int, ...]]]:
    reader, chunks = open_reader(part, plan, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True)
    ends = np.cumsum([part.footer.row_group(group).num_rows for group in groups])
    start = 0
    try:
        for raw in _read(reader, groups, chunks, int(ends[-1]) if len(ends) else 0, batch_bytes):
            place, last = (int(np.searchsorted(ends, row, side="right")) for row in (start, start + raw.num_rows - 1))
            start += raw.num_rows
            for table in _cut(finish_rows(raw, part, raw.num_rows, plan), batch_bytes):
                yield table, tuple(groups[place : last + 1])
    except (pa.ArrowException, OSError) as error:
        place = min(int(np.searchsorted(ends, start, side="right")), len(groups) - 1)
        raise named_error(error, f"row group {groups[place]}") from error


def _read(reader: Any, groups: Sequence[int], chunks: list[str], count: int, batch_bytes: int) -> Iterator[pa.Table]:
    if not chunks:  # only columns that come from names of folders, or that the file lacks
        yield from (pa.table({"": pa.nulls(min(_ROWS, count - start))}) for start in range(0, count, _ROWS))
    elif count:
        rows = _batch_rows(reader, groups, chunks, batch_bytes)
        for batch in reader.iter_batches(rows, row_groups=list(groups), columns=chunks, use_threads=False):
            yield pa.Table.from_batches([batch])


def _batch_rows(reader: Any, groups: Sequence[int], chunks: list[str], batch_bytes: int) -> int:
    """Rows of a batch, by what Parquet tells of the largest row group and by what the first rows turn out to be."""
    told = [_row_bytes(reader.metadata.row_group(group), chunks) for group in groups]
    if _is_told_well(reader.metadata, chunks):
        return max(1, int(batch_bytes / max(told)))
    rows = max(1, int(batch_bytes / _SAMPLE / told[0]))
    if sum(reader.metadata.row_group(group).num_rows for group in groups) <= rows:
        return rows
    sample = next(reader.iter_batches(rows, row_groups=[groups[0]], columns=chunks, use_threads=False), None)
    found = sample.nbytes / sample.num_rows if sample is not None and sample.num_rows else 1.0
    return max(1, int(batch_bytes / (max(found, told[0]) * max(told) / told[0])))


def _is_told_well(footer: Any, chunks: list[str]) -> bool:
    """Whether the number of values tells their bytes: numbers, in one list at most."""
    wanted = set(chunks)
    columns = [column for place in range(len(footer.schema)) if (column := footer.schema.column(place)).path in wanted]
    return all(column.physical_type in _WIDTHS and column.max_repetition_level < 2 for column in columns)


def _row_bytes(facts: Any, chunks: list[str]) -> float:
    """Bytes of a row in memory, at least about: what Parquet tells, the width of the values, and an offset for each list."""
    wanted = set(chunks)
    total = 0
    for place in range(facts.num_columns):
        column = facts.column(place)
        if column.path_in_schema in wanted:
            width = _WIDTHS.get(column.physical_type, 8)
            total += max(column.total_uncompressed_size, column.num_values * width) + 8 * facts.num_rows
    return float(max(total / max(1, facts.num_rows), 1.0))


def _cut(table: pa.Table, batch_bytes: int) -> Iterator[pa.Table]:
    """Halves, until each is small enough or one row."""
    if table.num_rows <= 1 or table.nbytes <= batch_bytes:
        if table.num_rows:
            yield table
        return
    middle = table.num_rows // 2
    yield from _cut(table.slice(0, middle), batch_bytes)
    yield from _cut(table.slice(middle), batch_bytes)
