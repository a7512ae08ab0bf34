"""The output files of one task, written in row groups and renamed to their final names once all are complete."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from arrowjag._kernels.base.words import is_string
from arrowjag._pyarrow_versions import empty_table, nbytes
from arrowjag.errors import JagValueError, brief
from arrowjag.etl._lake import MOST_KEY_BYTES, LakeFacts
from arrowjag.etl._schema import METADATA_KEY, conform_result
from arrowjag.etl._sink import Sink, Written, blamed, mark_of
from arrowjag.etl._tasks import Task
from arrowjag.io._atomic import Together, atomic_target
from arrowjag.io._parquet import FileWriter
from arrowjag.io._partitions import cut_by_keys

__all__ = ["Output", "Written"]

# Limits memory and file descriptors: each open file has a buffer and a descriptor.
_MOST_FILES = 1000


class Output:
    """The output files of one task, a context manager: files get their final names if the block ends without an error.

    Parameters
    ----------
    sink : Sink
        The folder.
    task : Task
        The task; determines the paths of the files.
    schema : pa.Schema or None
        Schema of the job; if None, the schema of the first table with rows.
    buffer_bytes : int
        Results are buffered until they form a row group of about this size.
    empty : str, optional
        Partition folders of the file if there are no rows. By default a task without rows writes no file into a folder that
        `partition_by` partitions: readers refuse a file outside of the partition folders, so it takes a folder of another task.
    together : Together, optional
        Files that get their names together, to which those of the task are added. By default the end of the block publishes them.
    """

    def __init__(
        self,
        sink: Sink,
        task: Task,
        schema: pa.Schema | None,
        buffer_bytes: int,
        *,
        empty: str | None = None,
        together: Together | None = None,
    ) -> None:
        self.schema = schema
        self.rows = self.rejected = 0
        self.files: tuple[Written, ...] = ()
        self._sink, self._task, self._buffer_bytes = sink, task, buffer_bytes
        self._folders = sink.folders_of(task)
        self._empty = empty if sink.cuts else ""
        self._open: dict[str, _File] = {}
        self._alone = Together()
        self._together = self._alone if together is None else together
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with blamed(self._sink.folder), self._alone:
            if kind is not None or self.schema is None:
                self._stack.__exit__(kind, error, trace)
                return
            with self._stack:
                self._finish()
            self._alone.publish()

    def write(self, table: pa.Table) -> None:
        """Append rows; the table must have the schema of the job."""
        if table.num_rows and self.schema is None:
            self.schema = table.schema
        if self.schema is None:
            return
        table = conform_result(table, self.schema)
        self.rows += table.num_rows
        if not table.num_rows:
            return
        table = self._without_folders(table)
        with blamed(self._sink.folder):
            for folder, rows in self._cut(table):
                self._file(folder, rows.schema).write(rows)
            if sum(file.size for file in self._open.values()) >= self._buffer_bytes:
                max(self._open.values(), key=lambda file: file.size).flush()

    def _without_folders(self, table: pa.Table) -> pa.Table:
        """Drop the columns that folders hold: readers take them from there, or refuse files that hold them, too."""
        held = [name for name in self._folders if name in table.column_names]
        if len(held) == table.num_columns:  # Parquet stores rows in columns
            return table
        for name in held:
            value = self._folders[name]
            if not _is_all(table.column(name), value):
                raise JagValueError(
                    f"the result changes column {name!r}, which readers take from the folder {name}={value}: rename the column"
                )
        return table.drop_columns(held)

    def _cut(self, table: pa.Table) -> Iterable[tuple[str, pa.Table]]:
        if not self._sink.partition_by:
            return [("", table)]
        keep = self._sink.lake is not None and self._sink.lake.keeps_keys
        if self._sink.lake is not None:
            for name in self._sink.partition_by:
                _refuse_texts(table.column(name), name, self._sink.lake)
        return cut_by_keys(table, self._sink.partition_by, any_null=True, keep=keep)

    def _file(self, folder: str, schema: pa.Schema) -> _File:
        path = self._sink.path_of(self._task.target, folder)
        if path not in self._open:
            if len(self._open) == _MOST_FILES:
                raise JagValueError(
                    f"partition_by makes more than {_MOST_FILES} files of one task: take a key of fewer values, or sort the input"
                )
            self._open[path] = _File(self._sink, path, schema, self._stack, self._together, folder)
        return self._open[path]

    def _finish(self) -> None:
        assert self.schema is not None
        if not self._open:
            if self._empty is None:
                return
            table = self._without_folders(empty_table(self.schema))
            self._file(self._empty, table.drop_columns(list(self._sink.partition_by if self._empty else ())).schema)
        keys = {path: file.keys for path, file in self._open.items()}
        facts = self._sink.facts(self._task, keys, self.schema, self.rejected)
        self.files = tuple(file.close(facts) for file in self._open.values())


def _refuse_texts(texts: pa.ChunkedArray, name: str, lake: LakeFacts) -> None:
    """Raise for texts that a table of the lake doesn't store as partition values, or that its readers take for null."""
    if not is_string(texts.type):
        return
    sizes = pc.min_max(pc.binary_length(texts)).as_py()
    if lake.keeps_keys and (sizes["max"] or 0) > MOST_KEY_BYTES:
        limit = f"Iceberg takes texts of at most {MOST_KEY_BYTES} bytes, got {sizes['max']}"
        raise JagValueError(f"partition_by, column {name!r}: {limit}")
    if not lake.keeps_keys and sizes["min"] == 0:
        raise JagValueError(
            f"partition_by, column {name!r}: readers of Delta Lake take an empty text for null; replace it, or take another column"
        )


def _is_all(column: pa.ChunkedArray, value: Any) -> bool:
    """Return whether every item of a column is a value; it may be written as another type, such as text."""
    if value is None:
        return bool(column.null_count == len(column))
    type = pa.large_string() if isinstance(value, str) else pa.scalar(value).type
    try:
        equal = pc.equal(column.cast(type), pa.scalar(value, type))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return bool(pc.all(equal, skip_nulls=False).as_py() or not len(column))


class _File:
    """One Parquet file, written to a temporary path until it is complete."""

    def __init__(
        self, sink: Sink, path: str, schema: pa.Schema, stack: contextlib.ExitStack, together: Together, keys: str
    ) -> None:
        self.size, self.keys = 0, keys
        self._sink, self._path, self._schema, self._stack, self._together = sink, path, schema, stack, together
        self._rows = 0
        self._waiting: list[pa.Table] = []
        self._writer: FileWriter | None = None

    def write(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self.size += nbytes(table)
        self._rows += table.num_rows

    def flush(self) -> None:
        table = pa.concat_tables(self._waiting)
        self._waiting, self.size = [], 0
        self._opened(table).write(table)

    def _opened(self, first: pa.Table | None = None) -> FileWriter:
        if self._writer is None:
            path = f"{self._sink.folder}/{self._path}"
            tag = f"{self._sink.run}-" if self._sink.run else ""
            try:
                self._sink.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
                self._file = self._stack.enter_context(atomic_target(self._sink.filesystem, path, tag, together=self._together))
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
                advice = "take another key for partition_by" if self.keys else "rename the file of the source"
                raise JagValueError(
                    f"the name of the result {brief(self._path)} is too long for its file system: {advice}"
                ) from error
            self._writer = FileWriter(str(self._file), self._schema, self._sink.options, "the result", first)
            self._stack.callback(self._writer.close)
        return self._writer

    def close(self, facts: str) -> Written:
        if self._waiting:
            self.flush()
        writer = self._opened()
        writer.add_metadata({METADATA_KEY.decode(): facts})
        writer.close()
        return Written(self._path, self._rows, self._file.stat().st_size, self.keys, mark_of(self._file))
