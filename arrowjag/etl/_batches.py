"""Read the row groups of a task in batches of a given size in bytes, independent of the sizes of the row groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from arrowjag._pyarrow_versions import nbytes
from arrowjag.errors import JagError, JagFileError
from arrowjag.etl._tasks import Where
from arrowjag.io._damage import DAMAGE
from arrowjag.io._scan import Part, Plan, finish_rows, open_reader

__all__ = ["read_batches", "read_runs"]

# The reader buffers this many bytes per column chunk, so that a large row group is never in memory as a whole.
_BUFFER = 1 << 20
# Footers give the encoded size of values, not their size in memory; the first 1/32 of a batch is read to measure the latter.
_SAMPLE = 32
# Rows per batch if no column chunk is read.
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
        The columns to read and the rows to keep.
    batch_bytes : int
        Approximate bytes per batch in memory. A larger row forms a batch by itself.
    first_bytes : int, optional
        Approximate bytes of the first batch; set it where other workers wait for the result of that batch.

    Yields
    ------
    pa.Table
        A batch; rows keep the order of the file. Empty batches are omitted.
    tuple of int
        The row groups that the rows come from.
    """
    for table, origin in read_runs([(part, groups)], plan, batch_bytes, first_bytes=first_bytes):
        yield table, origin[0][1]


def read_runs(
    runs: Iterable[tuple[Part, Sequence[int]]], plan: Plan, batch_bytes: int, *, first_bytes: int | None = None
) -> Iterator[tuple[pa.Table, tuple[Where, ...]]]:
    """Read row groups of several files in batches; a batch may hold rows of several small files.

    Parameters
    ----------
    runs : iterable of (Part, sequence of int)
        Files and their row groups; the iterator advances only when the next file is read.
    plan, batch_bytes, first_bytes
        As for `read_batches`.

    Yields
    ------
    pa.Table
        A batch; rows keep their order. Empty batches are omitted.
    tuple of Where
        The files and row groups that the rows come from.
    """
    batches = _gathered(runs, plan, batch_bytes)
    first = next(batches, None) if first_bytes is not None else None
    if first is not None and first_bytes is not None:
        table, places = first
        rows = max(1, int(table.num_rows * min(1.0, first_bytes / max(1, nbytes(table)))))
        yield table.slice(0, rows), places
        if rows < table.num_rows:
            yield table.slice(rows), places
        del first, table
    yield from batches


def _gathered(
    runs: Iterable[tuple[Part, Sequence[int]]], plan: Plan, batch_bytes: int
) -> Iterator[tuple[pa.Table, tuple[Where, ...]]]:
    """Concatenate small row groups and files until a batch is full."""
    waiting: list[pa.Table] = []
    origin: dict[str, set[int]] = {}
    size = 0
    for part, groups in runs:
        wanted = groups
        if plan.filter is not None:
            wanted = sorted(set(groups).intersection(part.row_groups(plan.filter, plan.read_schema)))
        for piece, among in _pieces(part, wanted, plan, batch_bytes):
            if waiting and size + nbytes(piece) > batch_bytes:
                yield pa.concat_tables(waiting), _origin_of(origin)
                waiting, origin, size = [], {}, 0
            waiting.append(piece)
            origin.setdefault(part.name, set()).update(among)
            size += nbytes(piece)
    if waiting:
        yield pa.concat_tables(waiting), _origin_of(origin)


def _origin_of(groups: dict[str, set[int]]) -> tuple[Where, ...]:
    return tuple((path, tuple(sorted(found))) for path, found in groups.items())


def _pieces(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int) -> Iterator[tuple[pa.Table, tuple[int, ...]]]:
    reader, chunks = open_reader(part, plan, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True)
    ends = np.cumsum([part.footer.row_group(group).num_rows for group in groups])
    kept = part.kept_rows(groups)
    start = 0
    try:
        for raw in _read(part, reader, groups, chunks, int(ends[-1]) if len(ends) else 0, batch_bytes):
            place, last = (int(np.searchsorted(ends, row, side="right")) for row in (start, start + raw.num_rows - 1))
            mask = None if kept is None else kept[start : start + raw.num_rows]
            start += raw.num_rows
            for table in _cut(finish_rows(raw, part, raw.num_rows, plan, mask), batch_bytes):
                yield table, tuple(groups[place : last + 1])
    except DAMAGE as error:
        if isinstance(error, JagError) and not isinstance(error, JagFileError):
            raise
        place = min(int(np.searchsorted(ends, start, side="right")), len(groups) - 1)
        raise JagFileError(f"row group {groups[place]}: {error}") from error


def _read(part: Part, reader: Any, groups: Sequence[int], chunks: list[str], count: int, batch_bytes: int) -> Iterator[pa.Table]:
    if not chunks:  # all columns come from partition folders or are missing from the file
        yield from (pa.table({"": pa.nulls(min(_ROWS, count - start))}) for start in range(0, count, _ROWS))
    elif count:
        rows = _batch_rows(part, reader, groups, chunks, batch_bytes)
        for batch in reader.iter_batches(rows, row_groups=list(groups), columns=chunks, use_threads=False):
            yield pa.Table.from_batches([batch])


def _batch_rows(part: Part, reader: Any, groups: Sequence[int], chunks: list[str], batch_bytes: int) -> int:
    """Return the number of rows per batch, estimated from the footer of the largest row group and measured on its first rows."""
    told = [_row_bytes(part, group, chunks) for group in groups]
    if _has_known_size(part.footer, chunks):
        return max(1, int(batch_bytes / max(told)))
    rows = max(1, int(batch_bytes / _SAMPLE / told[0]))
    if sum(part.footer.row_group(group).num_rows for group in groups) <= rows:
        return rows
    sample = next(reader.iter_batches(rows, row_groups=[groups[0]], columns=chunks, use_threads=False), None)
    found = nbytes(sample) / sample.num_rows if sample is not None and sample.num_rows else 1.0
    return max(1, int(batch_bytes / (max(found, told[0]) * max(told) / told[0])))


def _has_known_size(footer: Any, chunks: list[str]) -> bool:
    """Return whether the number of values determines their size: fixed-width columns with at most one level of lists."""
    wanted = set(chunks)
    columns = [column for place in range(len(footer.schema)) if (column := footer.schema.column(place)).path in wanted]
    return all(column.physical_type in _WIDTHS and column.max_repetition_level < 2 for column in columns)


def _row_bytes(part: Part, group: int, chunks: list[str]) -> float:
    """Estimate a lower bound of the bytes per row in memory from the footer, the width of the values and one offset per list."""
    wanted, rows, schema = set(chunks), part.footer.row_group(group).num_rows, part.footer.schema
    total = 0
    for place in range(len(schema)):
        if schema.column(place).path in wanted:
            column = part.chunks.of(group, place)
            width = _WIDTHS.get(column.physical_type, 8)
            total += max(column.total_uncompressed_size, column.num_values * width) + 8 * rows
    return float(max(total / max(1, rows), 1.0))


def _cut(table: pa.Table, batch_bytes: int) -> Iterator[pa.Table]:
    """Split a table in halves until each part fits into `batch_bytes` or holds one row."""
    if table.num_rows <= 1 or nbytes(table) <= batch_bytes:
        if table.num_rows:
            yield table
        return
    middle = table.num_rows // 2
    yield from _cut(table.slice(0, middle), batch_bytes)
    yield from _cut(table.slice(middle), batch_bytes)
