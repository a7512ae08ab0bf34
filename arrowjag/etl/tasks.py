"""Cutting a dataset into tasks: a file, or a run of its row groups."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.fs as pf

from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.etl.fingerprint import digest_of, footer_digest
from arrowjag.etl.report import Failure, groups_text
from arrowjag.io.files import StoredFile, has_keys, is_dataset
from arrowjag.io.locate import Located, Search, locate
from arrowjag.io.parquet import is_parquet, open_dataset, prune_files
from arrowjag.io.scan import Part, full_schema, in_threads, open_parts

__all__ = ["TASK_BYTES", "Source", "Task", "open_source"]

#: Bytes of row groups, decompressed, that make a task.
TASK_BYTES = 256_000_000


@dataclass(frozen=True)
class Task:
    """A run of row groups of one file, and the place of its results.

    `file` is its path below the source, `target` that of its results below the sink, `input` a fingerprint.
    """

    number: int
    stored: StoredFile
    file: str
    row_groups: tuple[int, ...]
    rows: int
    bytes: int
    target: str
    input: str

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return f"{self.path}{groups_text(self.row_groups)}"

    @property
    def path(self) -> str:
        """The whole path of its file."""
        return self.stored.path


@dataclass(frozen=True)
class Source:
    """The tasks of a dataset, the columns of its files and folders, those that come from names of folders, and what can't be read.

    `searches` are the folders and patterns that were named.
    """

    tasks: tuple[Task, ...]
    schema: pa.Schema
    partitions: pa.Schema
    filesystem: pf.FileSystem
    searches: tuple[Search, ...]
    failures: tuple[Failure, ...]


def open_source(source: Any, filters: Any = None, filesystem: Any = None, *, skip: bool = False) -> Source:
    """Read the footers of a dataset and cut it into tasks.

    Parameters
    ----------
    source : str, path, list of them, or pyarrow.dataset.Dataset
        Parquet files, as `arrowjag.read_parquet` takes them.
    filters : optional
        Files that the names of their folders exclude are left out.
    filesystem : optional
        Where the paths lie.
    skip : bool
        Whether files that can't be read are failures of the source, as long as there are others; otherwise the first is an error.

    Returns
    -------
    Source
        With at least one task.

    Raises
    ------
    FileNotFoundError
        If there is no file.
    JagTypeError
        If the source is nothing of these.
    JagValueError
        If a file is there twice, or is no Parquet file.
    """
    found, failures = _locate(source, filesystem, skip)
    files, partitions = _files(source, found, filters)
    where = source.filesystem if found is None else found.filesystem
    try:
        parts = open_parts([replace(file, fragment=None) for file in files], partitions)
    except pa.ArrowInvalid as error:
        raise JagValueError(f"the source can't be read as Parquet files: {error}") from error
    folder = None if found is None or found.base is None else found.base.rstrip("/")
    base = folder or os.path.commonpath([os.path.dirname(part.name) for part in parts])  # noqa: PTH120 - paths of any file system
    names = [part.name[len(base) :].lstrip("/") for part in parts]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise JagValueError(f"the source names {twice} twice: its rows would be counted twice")
    infos = where.get_file_info([part.name for part in parts])
    stems = _stems(names)
    tasks: list[Task] = []
    for part, file, info in zip(parts, names, infos, strict=True):
        tasks += _tasks_of(part, file, stems[file], info, len(tasks))
    searches = () if found is None else found.searches
    return Source(tuple(tasks), full_schema(parts, partitions), partitions, where, searches, failures)


def _locate(source: Any, filesystem: Any, skip: bool) -> tuple[Located | None, tuple[Failure, ...]]:
    """Where the files are, None for a dataset; without those that can't be read if they are to be skipped and are not all."""
    if is_dataset(source):
        return None, ()
    found = locate(source, filesystem)
    if not skip:
        return found, ()
    failures = in_threads(lambda path: _failure(StoredFile(path, found.filesystem)), found.paths)
    readable = [path for path, failure in zip(found.paths, failures, strict=True) if failure is None]
    if not readable:
        return found, ()
    return found._replace(paths=readable), tuple(failure for failure in failures if failure is not None)


def _failure(file: StoredFile) -> Failure | None:
    """Why the footer of a file can't be read; None if it can."""
    try:
        open_parts([file], pa.schema([]))
    except (pa.ArrowException, OSError) as error:
        text = " ".join(str(error).removeprefix(f"{file.path}: ").split())
        return Failure(file.path, (), f"{type(error).__name__}: {text}")
    return None


def _files(source: Any, found: Located | None, filters: Any) -> tuple[list[StoredFile], pa.Schema]:
    """The files, and the columns of their folders."""
    if found is None:
        if not is_parquet(source):
            raise JagTypeError(f"a job reads Parquet files, got a {type(source).__name__}: write it with aj.write_parquet first")
        return prune_files(source, filters)
    if not has_keys(found.paths, found.base or ""):
        return [StoredFile(path, found.filesystem) for path in found.paths], pa.schema([])
    try:
        dataset = open_dataset(found, "hive")
    except pa.ArrowInvalid as error:
        raise JagValueError(f"{source} can't be read as Parquet files: {error}") from error
    return prune_files(dataset, filters)


def _stems(files: Sequence[str]) -> dict[str, str]:
    """Paths without their endings, with them where two files differ in nothing else."""
    short = {file: os.path.splitext(file)[0] for file in files}  # noqa: PTH122 - paths of any file system
    counts: dict[str, int] = {}
    for stem in short.values():
        counts[stem] = counts.get(stem, 0) + 1
    return {file: stem if counts[stem] == 1 else file for file, stem in short.items()}


def _tasks_of(part: Part, file: str, stem: str, info: Any, first: int) -> list[Task]:
    state = [file, info.size, info.mtime_ns, footer_digest(_stored(part.footer))]
    sizes = [part.footer.row_group(place).total_byte_size for place in range(part.footer.num_row_groups)]
    tasks: list[Task] = []
    for groups in _runs(sizes):
        rows = sum(part.footer.row_group(place).num_rows for place in groups)
        share = sum(sizes[place] for place in groups) / (sum(sizes) or 1)
        size = int((info.size or 0) * (share if groups else 1))
        target = f"{stem}-{groups[0] if groups else 0}.parquet"
        number = first + len(tasks)
        tasks.append(Task(number, part.file, file, groups, rows, size, target, digest_of(state, groups)))
    return tasks


def _runs(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Runs of row groups of about the size of a task; one empty run for a file without row groups."""
    run: list[int] = []
    total = 0
    for place, size in enumerate(sizes):
        if run and total + size > TASK_BYTES:
            yield tuple(run)
            run, total = [], 0
        run.append(place)
        total += size
    yield tuple(run)


def _stored(footer: Any) -> bytes:
    whole = io.BytesIO()
    footer.write_metadata_file(whole)
    return whole.getvalue()
