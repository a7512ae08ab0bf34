"""Reading a task in batches of so many bytes, whatever the sizes of its row groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from arrowjag.io.scan import Part, Plan, finish_rows, named_error, open_reader

__all__ = ["read_batches"]

# Column chunks are read through a buffer of this size, so that no more of a large row group is in memory.
_BUFFER = 1 << 20
# What is read at one time is a part of a batch: Parquet tells how large values are encoded, not how large they are.
_PIECES = 8
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}


def read_batches(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int) -> Iterator[tuple[pa.Table, tuple[int, ...]]]:
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

    Yields
    ------
    pa.Table
        Rows in the order of the file; never without rows.
    tuple of int
        The row groups that they are of.
    """
    waiting: list[pa.Table] = []
    places: list[int] = []
    size = 0
    for piece, group in _pieces(part, groups, plan, batch_bytes):
        if waiting and size + piece.nbytes > batch_bytes:
            yield pa.concat_tables(waiting), tuple(sorted(set(places)))
            waiting, places, size = [], [], 0
        waiting.append(piece)
        places.append(group)
        size += piece.nbytes
    if waiting:
        yield pa.concat_tables(waiting), tuple(sorted(set(places)))


def _pieces(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int) -> Iterator[tuple[pa.Table, int]]:
    reader, chunks = open_reader(part, plan, pre_buffer=False, buffer_size=_BUFFER, page_checksum_verification=True)
    for group in groups:
        facts = part.footer.row_group(group)
        rows = max(1, int(batch_bytes / _PIECES / _row_bytes(facts, chunks)))
        for raw in _read_group(reader, group, facts.num_rows, chunks, rows, part):
            table = finish_rows(raw, part, raw.num_rows, plan)
            yield from ((one, group) for one in _cut(table, batch_bytes))


def _read_group(reader: Any, group: int, count: int, chunks: list[str], rows: int, part: Part) -> Iterator[pa.Table]:
    if not chunks:  # only columns that come from names of folders, or that the file lacks
        for start in range(0, count, rows):
            yield pa.table({"": pa.nulls(min(rows, count - start))})
        return
    try:
        for batch in reader.iter_batches(rows, row_groups=[group], columns=chunks, use_threads=False):
            yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError) as error:
        raise named_error(error, f"{part.name}, row group {group}") from error


def _row_bytes(facts: Any, chunks: list[str]) -> float:
    """Bytes of a row in memory, at least about: what Parquet tells, and the width of the values."""
    wanted = set(chunks)
    total = 0
    for place in range(facts.num_columns):
        column = facts.column(place)
        if column.path_in_schema in wanted:
            total += max(column.total_uncompressed_size, column.num_values * _WIDTHS.get(column.physical_type, 8))
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
