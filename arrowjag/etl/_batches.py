"""Read the row groups of a task in batches of a given size in bytes, independent of the sizes of the row groups."""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from arrowjag._pyarrow_versions import concat_tables, nbytes
from arrowjag.errors import JagError, JagFileError, JagMemoryError
from arrowjag.etl._tasks import Where
from arrowjag.io._damage import DAMAGE
from arrowjag.io._int96 import has_int96
from arrowjag.io._scan import Part, Plan, check_rows, chunks_of, finish_rows, has_dictionary, iter_batches, open_reader

__all__ = ["Origin", "read_runs"]

# The reader buffers this many bytes per column chunk, so that a large row group is never in memory as a whole.
_BUFFER = 1 << 20
# Footers give the encoded size of values, not their size in memory; the first 1/32 of a batch is read to measure the latter.
_SAMPLE = 32
# Rows of a row group may differ in size a thousandfold, for example if they are sorted by length. If a task held too much memory,
# it is repeated with at most 64 rows at a time, and at most 1/16 of a batch.
_FEW_ROWS, _FEW = 64, 16
# Small files of one schema, with at most this many times the rows and bytes of one that was measured, need not be measured again.
_ALIKE = 4
# Rows per batch if no column chunk is read.
_ROWS = 1 << 20
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 8}


class Origin(NamedTuple):
    """The files and row groups that the rows of a batch come from, and how many rows come from each of these files."""

    places: tuple[Where, ...]
    rows: tuple[int, ...]

    def at(self, row: int) -> Where:
        """Return the file of a row."""
        return self.places[bisect_right(list(accumulate(self.rows)), row)]

    def cut(self, start: int, stop: int) -> Origin:
        """Return the origin of the rows from `start` to before `stop`."""
        kept: list[tuple[Where, int]] = []
        first = 0
        for place, rows in zip(self.places, self.rows, strict=True):
            count = min(stop, first + rows) - max(start, first)
            if count > 0:
                kept.append((place, count))
            first += rows
        return _origin_of(kept)


def _origin_of(parts: Iterable[tuple[Where, int]]) -> Origin:
    """Return the origin of rows from files, some of which may follow themselves with other row groups."""
    groups: dict[str, set[int]] = {}
    counts: dict[str, int] = {}
    for (path, among), rows in parts:
        groups.setdefault(path, set()).update(among)
        counts[path] = counts.get(path, 0) + rows
    return Origin(tuple((path, tuple(sorted(found))) for path, found in groups.items()), tuple(counts.values()))


def read_runs(
    runs: Iterable[tuple[Part, Sequence[int]]],
    plan: Plan,
    batch_bytes: int,
    *,
    first_bytes: int | None = None,
    is_careful: bool = False,
    blame: Callable[[Where], None] = lambda where: None,
) -> Iterator[tuple[pa.Table, Origin]]:
    """Read row groups of several files in batches; a batch may hold rows of several small files.

    Parameters
    ----------
    runs : iterable of (Part, sequence of int)
        Files and their row groups; the iterator advances only when the next file is read.
    plan : Plan
        The columns to read and the rows to keep.
    batch_bytes : int
        Approximate bytes per batch in memory. A larger row forms a batch by itself.
    first_bytes : int, optional
        Approximate bytes of the first batch; set it where other workers wait for the result of that batch.
    is_careful : bool
        Whether to read few rows at a time and concatenate them until a batch is full: a batch then has its size even if some rows
        are much larger than most. It takes more time.
    blame : callable
        Called with the file that is damaged before the error is raised, if it was read together with others.

    Yields
    ------
    pa.Table
        A batch; rows keep their order. Empty batches are omitted.
    Origin
        The files and row groups that the rows come from.
    """
    batches = _gathered(_finished(runs, _Small(plan, batch_bytes, blame), is_careful), batch_bytes)
    first = next(batches, None) if first_bytes is not None else None
    if first is not None and first_bytes is not None:
        table, origin = first
        rows = max(1, int(table.num_rows * min(1.0, first_bytes / max(1, nbytes(table)))))
        yield table.slice(0, rows), origin.cut(0, rows)
        if rows < table.num_rows:
            yield table.slice(rows), origin.cut(rows, table.num_rows)
        del first, table
    yield from batches


# No generator holds a batch while it reads the next one: a name that refers to a batch adds its bytes to the memory of a worker.


def _gathered(pieces: Iterable[tuple[pa.Table, Origin]], batch_bytes: int) -> Iterator[tuple[pa.Table, Origin]]:
    """Concatenate small row groups and files until a batch is full; assume that the next piece has the size of the last one."""
    waiting = _Waiting()
    for piece, origin in pieces:
        size = nbytes(piece)
        if waiting.tables and waiting.size + size > batch_bytes:
            yield waiting.take()
        waiting.add(piece, origin, size)
        del piece
        if waiting.size + size > batch_bytes:
            yield waiting.take()
    if waiting.tables:
        yield waiting.take()


class _Waiting:
    """Pieces of a batch that is not full yet."""

    def __init__(self) -> None:
        self.tables: list[pa.Table] = []
        self.size = 0
        self._origins: list[tuple[Where, int]] = []

    def add(self, piece: pa.Table, origin: Origin, size: int) -> None:
        self.tables.append(piece)
        self.size += size
        self._origins += zip(origin.places, origin.rows, strict=True)

    def take(self) -> tuple[pa.Table, Origin]:
        """Return the batch, and begin the next one."""
        tables, origins = self.tables, self._origins
        self.tables, self.size, self._origins = [], 0, []
        return concat_tables(tables), _origin_of(origins)


def _finished(runs: Iterable[tuple[Part, Sequence[int]]], small: _Small, is_careful: bool) -> Iterator[tuple[pa.Table, Origin]]:
    """Read files one by one; small ones that follow each other are finished together."""
    plan = small.plan
    for part, groups in runs:
        wanted = groups
        if plan.pruning is not None:
            wanted = sorted(set(groups).intersection(part.row_groups(plan.pruning, plan.read_schema, plan.filter_names)))
        raw = small.read(part, wanted)
        if raw is None or not small.takes(part):
            yield from small.finish()
        if raw is not None:
            small.add(part, wanted, raw)
            continue
        yield from _pieces(part, wanted, plan, small.batch_bytes, is_careful)
    yield from small.finish()


class _Small:
    """The rows of small files of one schema that follow each other.

    They are validated and cast together, because that costs as much for the rows of hundreds of files as for those of one.
    """

    def __init__(self, plan: Plan, batch_bytes: int, blame: Callable[[Where], None]) -> None:
        self.plan, self.batch_bytes = plan, batch_bytes
        self._blame = blame
        self._files: list[tuple[Part, tuple[int, ...], pa.Table]] = []
        self._size = 0
        self._last = 0  # bytes that reading the last file allocated: to ask its columns takes as long as reading some

    def read(self, part: Part, groups: Sequence[int]) -> pa.Table | None:
        """Read row groups of a file that is in memory; None if they are to be read in batches, or can't be read."""
        if self.plan.filter is not None or part.file.kept is not None or part.reader is None:
            return None
        like = _Like.latest
        if like is None or not like.is_of(part, self.plan, self.batch_bytes):
            like = _Like.latest = _Like.of(part, self.plan, self.batch_bytes)
        if not (groups and like.chunks) or like.is_read_apart:  # concatenation follows indices before they are validated
            return None
        found = [part.footer.row_group(group) for group in groups]
        rows, size = sum(group.num_rows for group in found), sum(group.total_byte_size for group in found)
        try:
            if rows > like.rows or size > like.size:
                if rows * max(_row_bytes(part, group, like.chunks) for group in groups) > self.batch_bytes / _SAMPLE:
                    return None
                like.rows, like.size = max(like.rows, _ALIKE * rows), max(like.size, _ALIKE * size)
            before = pa.total_allocated_bytes()
            raw = part.reader.read_row_groups(list(groups), columns=like.chunks, use_threads=False)
        except DAMAGE:
            return None  # the caller reads again and names the row group
        self._last = max(size, pa.total_allocated_bytes() - before)
        return raw

    def takes(self, part: Part) -> bool:
        """Return whether a file can be finished together with those added so far."""
        if not self._files:
            return True
        first = self._files[0][0]
        return part.schema is first.schema and part.keys == first.keys and self._size <= self.batch_bytes

    def add(self, part: Part, groups: Sequence[int], raw: pa.Table) -> None:
        """Add a file that was read last."""
        if raw.num_rows:
            self._files.append((part, tuple(groups), raw))
            self._size += self._last + part.source.size()

    def finish(self) -> Iterator[tuple[pa.Table, Origin]]:
        """Yield the rows added so far."""
        files, self._files, self._size = self._files, [], 0
        if not files:
            return
        try:
            raw = pa.concat_tables([raw for _, _, raw in files])
            raw.validate()
            table = finish_rows(raw.combine_chunks(), files[0][0], raw.num_rows, self.plan)
        except DAMAGE:
            for part, groups, raw in files:
                self._blame((part.name, groups))
                with _naming(groups):
                    finish_rows(raw, part, raw.num_rows, self.plan)
            raise
        origin = Origin(tuple((part.name, groups) for part, groups, _ in files), tuple(raw.num_rows for _, _, raw in files))
        del files, raw
        start = 0
        for piece in _cut(table, self.batch_bytes):
            yield piece, origin.cut(start, start + piece.num_rows)
            start += piece.num_rows


@dataclass
class _Like:
    """Limits that hold for the small files of one schema: chunks to read, and the rows and bytes that count as small.

    The last ones are kept from task to task, as a task may have one small file.
    """

    schema: pa.Schema
    plan: Plan
    batch_bytes: int
    chunks: list[str]
    is_read_apart: bool
    rows: int = 0
    size: int = 0

    latest: ClassVar[_Like | None] = None

    def is_of(self, part: Part, plan: Plan, batch_bytes: int) -> bool:
        return self.schema is part.schema and self.plan is plan and self.batch_bytes == batch_bytes

    @classmethod
    def of(cls, part: Part, plan: Plan, batch_bytes: int) -> _Like:
        return cls(part.schema, plan, batch_bytes, chunks_of(part, plan), _is_read_apart(part) or has_int96(part.footer))


def _is_read_apart(part: Part) -> bool:
    """Return whether a column of a file holds a dictionary, whose row groups are read one by one."""
    return any(map(has_dictionary, part.stored.types))


@contextlib.contextmanager
def _naming(groups: Sequence[int], place: Callable[[], int] = lambda: 0) -> Iterator[None]:
    """Name the row group at a place in errors of damaged files, and in those of memory, for which no file is to blame."""
    try:
        yield
    except (MemoryError, *DAMAGE) as error:
        if isinstance(error, JagError) and not isinstance(error, JagFileError):
            raise
        group = groups[min(place(), len(groups) - 1)]
        if isinstance(error, MemoryError):
            raise JagMemoryError.of(f"row group {group} requires", error) from error
        raise JagFileError(f"row group {group}: {error}") from error


def _pieces(part: Part, groups: Sequence[int], plan: Plan, batch_bytes: int, is_careful: bool) -> Iterator[tuple[pa.Table, Origin]]:
    reader, chunks = open_reader(part, plan, pre_buffer=False, buffer_size=_BUFFER)
    ends = np.cumsum([part.footer.row_group(group).num_rows for group in groups])
    kept = part.kept_rows(groups)
    start = 0
    with _naming(groups, lambda: int(np.searchsorted(ends, start, side="right"))):
        for raw in _read(part, reader, groups, chunks, int(ends[-1]) if len(ends) else 0, batch_bytes, is_careful):
            place, last = (int(np.searchsorted(ends, row, side="right")) for row in (start, start + raw.num_rows - 1))
            where = (part.name, tuple(groups[place : last + 1]))
            mask = None if kept is None else kept[start : start + raw.num_rows]
            start += raw.num_rows
            tables = _cut(finish_rows(raw, part, raw.num_rows, plan, mask), batch_bytes)
            del raw
            yield from ((table, Origin((where,), (table.num_rows,))) for table in tables)
        check_rows(start, int(ends[-1]) if len(ends) else 0)


def _read(
    part: Part, reader: Any, groups: Sequence[int], chunks: list[str], count: int, batch_bytes: int, is_careful: bool
) -> Iterator[pa.Table]:
    if not chunks:  # all columns come from partition folders or are missing from the file
        yield from (pa.table({"": pa.nulls(min(_ROWS, count - start))}) for start in range(0, count, _ROWS))
    elif count:
        rows, apart = _batch_rows(part, reader, groups, chunks, batch_bytes), _is_read_apart(part)
        rows = max(1, min(rows // _FEW, _FEW_ROWS)) if is_careful else rows
        found = iter_batches(reader, rows, groups, chunks, apart=apart)
        # A loop would hold a batch while the next one is read.
        yield from _joined(found, batch_bytes) if is_careful and not apart else map(_as_table, found)


def _joined(found: Iterable[pa.RecordBatch], batch_bytes: int) -> Iterator[pa.Table]:
    """Concatenate batches of few rows up to `batch_bytes`."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in found:
        more = nbytes(batch)
        if waiting and size + more > batch_bytes:
            yield _combined(waiting)
            size = 0
        waiting.append(batch)
        size += more
    if waiting:
        yield _combined(waiting)


def _combined(batches: list[pa.RecordBatch]) -> pa.Table:
    """Concatenate batches, and free them."""
    table = pa.Table.from_batches(batches)
    batches.clear()
    return table.combine_chunks()


def _as_table(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])


def _batch_rows(part: Part, reader: Any, groups: Sequence[int], chunks: list[str], batch_bytes: int) -> int:
    """Return the number of rows per batch, estimated from the footer of the largest row group and measured on its first rows."""
    estimates = [_row_bytes(part, group, chunks) for group in groups]
    if _has_known_size(part.footer, chunks):
        return max(1, int(batch_bytes / max(estimates)))
    rows = max(1, int(batch_bytes / _SAMPLE / estimates[0]))
    if sum(part.footer.row_group(group).num_rows for group in groups) <= rows:
        return rows
    sample = next(iter_batches(reader, rows, groups[:1], chunks, apart=_is_read_apart(part)), None)
    found = nbytes(sample) / sample.num_rows if sample is not None and sample.num_rows else 1.0
    return max(1, int(batch_bytes / (max(found, estimates[0]) * max(estimates) / estimates[0])))


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
