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
from arrowjag.etl.report import groups_text
from arrowjag.io.files import StoredFile, has_keys, is_dataset
from arrowjag.io.locate import locate
from arrowjag.io.parquet import is_parquet, prune_files
from arrowjag.io.scan import Part, full_schema, open_parts

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
    """The tasks of a dataset, the columns of its files and folders, and those that come from names of folders."""

    tasks: tuple[Task, ...]
    schema: pa.Schema
    partitions: pa.Schema
    filesystem: pf.FileSystem
    folder: str | None


def open_source(source: Any, filters: Any = None, filesystem: Any = None) -> Source:
    """Read the footers of a dataset and cut it into tasks.

    Parameters
    ----------
    source : str, path, list of them, or pyarrow.dataset.Dataset
        Parquet files, as `arrowjag.read_parquet` takes them.
    filters : optional
        Files that the names of their folders exclude are left out.
    filesystem : optional
        Where the paths lie.

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
    files, partitions, where, folder = _files(source, filters, filesystem)
    try:
        parts = open_parts([replace(file, fragment=None) for file in files], partitions)
    except pa.ArrowInvalid as error:
        raise JagValueError(f"the source can't be read as Parquet files: {error}") from error
    base = folder or os.path.commonpath([os.path.dirname(part.name) for part in parts])  # noqa: PTH120 - paths of any file system
    names = [part.name[len(base) :].lstrip("/") for part in parts]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise JagValueError(f"the source names {twice} twice: its rows would be counted twice")
    infos = where.get_file_info([part.name for part in parts])
    stems = _stems(names)
    found: list[Task] = []
    for part, file, info in zip(parts, names, infos, strict=True):
        found += _tasks_of(part, file, stems[file], info, len(found))
    return Source(tuple(found), full_schema(parts, partitions), partitions, where, folder)


def _files(source: Any, filters: Any, filesystem: Any) -> tuple[list[StoredFile], pa.Schema, pf.FileSystem, str | None]:
    """The files, the columns of their folders, where they lie, and the folder that was named."""
    if is_dataset(source):
        if not is_parquet(source):
            raise JagTypeError(f"a job reads Parquet files, got a {type(source).__name__}: write it with aj.write_parquet first")
        return *prune_files(source, filters), source.filesystem, None
    found = locate(source, filesystem)
    folder = None if found.base is None else found.base.rstrip("/")
    if not has_keys(found.paths, found.base or ""):
        return [StoredFile(path, found.filesystem) for path in found.paths], pa.schema([]), found.filesystem, folder
    import pyarrow.dataset as ds

    try:
        dataset = ds.dataset(
            found.paths, filesystem=found.filesystem, format="parquet", partitioning="hive", partition_base_dir=found.base or ""
        )
    except pa.ArrowInvalid as error:
        raise JagValueError(f"{source} can't be read as Parquet files: {error}") from error
    return *prune_files(dataset, filters), found.filesystem, folder


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
