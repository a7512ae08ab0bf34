"""The folder of results: what is in it, whose it is, and how a file gets there."""

from __future__ import annotations

import contextlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.etl.schema import METADATA_KEY, bare_schema, conform_result
from arrowjag.etl.tasks import Source, Task
from arrowjag.io.atomic import atomic_target, part_prefix
from arrowjag.io.locate import locate_file
from arrowjag.io.parquet import leaf_options
from arrowjag.io.row_groups import cut_rows

__all__ = ["Output", "Result", "Sink", "open_sink", "prepare"]


@dataclass(frozen=True)
class Result:
    """A file in the sink: what it was made of and by what (None where no job wrote it)."""

    path: str
    source: str | None
    input: str | None
    transform: str | None
    rows: int
    schema: pa.Schema | None


@dataclass(frozen=True)
class Sink:
    """A folder on any file system, and how files are written there."""

    filesystem: pf.FileSystem
    folder: str
    transform: str
    options: dict[str, Any]

    def path(self, task: Task) -> str:
        """Where the results of a task belong."""
        return f"{self.folder}/{task.target}"

    def files(self) -> list[str]:
        """Every file below the folder."""
        infos = self.filesystem.get_file_info(pf.FileSelector(self.folder, recursive=True, allow_not_found=True))
        return sorted(info.path for info in infos if info.type == pf.FileType.File)

    def result(self, path: str) -> Result:
        """What a file is."""
        try:
            with self.filesystem.open_input_file(path) as file:
                footer = pq.ParquetFile(file)
                facts = json.loads((footer.metadata.metadata or {}).get(METADATA_KEY, b"{}"))
                schema, rows = bare_schema(footer.schema_arrow), footer.metadata.num_rows
        except (pa.ArrowException, OSError, ValueError):
            return Result(path, None, None, None, 0, None)
        known = facts if isinstance(facts, dict) else {}
        return Result(path, known.get("source"), known.get("input"), known.get("transform"), rows, schema)

    def remove(self, paths: list[str]) -> None:
        """Delete files; those that are gone are no error."""
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                self.filesystem.delete_file(path)

    def remove_parts(self, tasks: list[Task]) -> None:
        """Delete what tasks that were ended have left beside the places of their results."""
        for task in tasks:
            folder, _, name = self.path(task).rpartition("/")
            infos = self.filesystem.get_file_info(pf.FileSelector(folder, allow_not_found=True))
            self.remove([info.path for info in infos if _is_part(info.path) and info.base_name.startswith(part_prefix(name))])


def open_sink(sink: Any, source: Source, transform: str, options: dict[str, Any]) -> Sink:
    """The sink of a job.

    Parameters
    ----------
    sink : str or path
        A folder, which need not exist.
    source : Source
        Its files may not lie there, nor the sink among them.
    transform : str
        The fingerprint of what is done.
    options : dict
        Those of `arrowjag.write_parquet`.

    Returns
    -------
    Sink
        Nothing is written yet.

    Raises
    ------
    JagValueError
        If sink and source overlap, or the sink is a file.
    """
    filesystem, path = locate_file(sink)
    folder = path.rstrip("/")
    if filesystem.get_file_info(folder).type == pf.FileType.File:
        raise JagValueError(f"the sink {sink} is a file: name a folder")
    if filesystem == source.filesystem and _overlap(filesystem, folder, source):
        raise JagValueError(f"the sink {sink} and the source lie in one folder: results would be read as input")
    return Sink(filesystem, folder, transform, options)


def _overlap(filesystem: pf.FileSystem, folder: str, source: Source) -> bool:
    """Whether files of the source lie in the folder, or the source as it was named would find results there."""
    below = _real(filesystem, folder) + "/"
    if any(_real(filesystem, task.path).startswith(below) for task in source.tasks):
        return True
    named = [(search, _real(filesystem, search.folder)) for search in source.searches]
    return any(search.finds(below + task.target, real) for search, real in named for task in source.tasks)


def _real(filesystem: pf.FileSystem, path: str) -> str:
    """Where a path leads, through links of the local file system."""
    return os.path.realpath(path).replace(os.sep, "/") if isinstance(filesystem, pf.LocalFileSystem) else path


def prepare(sink: Sink, tasks: tuple[Task, ...], mode: str) -> dict[int, Result]:
    """Make the sink hold results of this job only.

    Parameters
    ----------
    sink : Sink
        The folder.
    tasks : tuple of Task
        All tasks.
    mode : {"create", "resume", "replace"}
        What to do about files that are there.

    Returns
    -------
    dict
        Finished tasks by number, and their results.

    Raises
    ------
    JagValueError
        If files are in the way; the first is named.
    """
    files = sink.files()
    parts = [path for path in files if _is_part(path)]
    results = [path for path in files if path not in set(parts)]
    if mode == "create" and results:
        raise JagValueError(
            f'the sink holds files, for example {results[0]}: mode="resume" keeps what is done, mode="replace" deletes it'
        )
    sources = {_real(sink.filesystem, task.path) for task in tasks}
    shared = next((path for path in files if _real(sink.filesystem, path) in sources), None)
    if shared is not None:
        raise JagValueError(f"the sink holds {shared}, which is a file of the source: take another folder")
    sink.remove(parts)
    if mode == "replace":
        sink.remove([path for path in results if path.endswith(".parquet")])
        return {}
    return _kept(sink, tasks, results)


def _kept(sink: Sink, tasks: tuple[Task, ...], paths: list[str]) -> dict[int, Result]:
    places = {sink.path(task): task for task in tasks}
    sources = {task.file for task in tasks}
    kept: dict[int, Result] = {}
    stale = []
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(sink.result, paths))
    for result in found:
        task = places.get(result.path)
        if task is not None and (result.input, result.transform) == (task.input, sink.transform):
            kept[task.number] = result
        elif result.source in sources or task is not None:
            stale.append(result.path)
        elif result.path.endswith(".parquet"):
            whose = f"results of {result.source}" if result.source else "rows of another kind"
            raise JagValueError(f'the sink holds {whose} in {result.path}: take another sink, or mode="replace"')
    sink.remove(stale)
    return kept


def _is_part(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".") and name.endswith(".part")


class Output:
    """The file of one task, written in row groups and moved in when the block ends well.

    Parameters
    ----------
    sink : Sink
        The folder.
    task : Task
        Its results go there.
    schema : pa.Schema or None
        That of the job; None adopts that of the first table that has rows.
    buffer_bytes : int
        Results are gathered until they make a row group of about this size.
    """

    def __init__(self, sink: Sink, task: Task, schema: pa.Schema | None, buffer_bytes: int) -> None:
        self.schema = schema
        self.rows = 0
        self.bytes = 0
        self._sink, self._task, self._buffer_bytes = sink, task, buffer_bytes
        self._waiting: list[pa.Table] = []
        self._size = 0
        self._stack = contextlib.ExitStack()
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self.schema is not None:
            with self._stack:
                self._finish()
        else:
            self._stack.__exit__(kind, error, trace)

    def write(self, table: pa.Table) -> None:
        """Add rows; those of the schema of the job only."""
        if table.num_rows and self.schema is None:
            self.schema = table.schema
        if self.schema is None:
            return
        table = conform_result(table, self.schema)
        self.rows += table.num_rows
        self._waiting.append(table)
        self._size += table.nbytes
        if self._size >= self._buffer_bytes:
            self._flush()

    def _flush(self) -> None:
        table = pa.concat_tables(self._waiting)
        self._waiting, self._size = [], 0
        options = self._sink.options
        rows, values = options.get("row_group_size", 2**20), options.get("row_group_values", 2**24)
        for start, stop in cut_rows(table, rows, values):
            self._open().write_table(table.slice(start, stop - start), row_group_size=stop - start)

    def _open(self) -> Any:
        if self._writer is None:
            path = self._sink.path(self._task)
            self._sink.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            self._file = self._stack.enter_context(atomic_target(self._sink.filesystem, path))
            options = {key: value for key, value in self._sink.options.items() if key not in {"row_group_size", "row_group_values"}}
            settings = {"write_page_checksum": True} | leaf_options(options, self.schema)
            try:
                self._writer = pq.ParquetWriter(str(self._file), self.schema, **settings)
            except pa.ArrowNotImplementedError as error:
                raise JagTypeError(f"Parquet has no place for a column of the result: {error}; cast it first") from error
            self._stack.callback(self._writer.close)
        return self._writer

    def _finish(self) -> None:
        writer = self._open()
        if self._waiting:
            self._flush()
        facts = {"v": 1, "source": self._task.file, "input": self._task.input, "transform": self._sink.transform}
        writer.add_key_value_metadata({METADATA_KEY.decode(): json.dumps(facts, sort_keys=True, separators=(",", ":"))})
        writer.close()
        self.bytes = self._file.stat().st_size
