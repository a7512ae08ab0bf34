"""Dead-letter files: the input rows on which the function fails, with the error as an additional column."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.errors import joined_lines
from arrowjag.etl._fingerprint import digest_of
from arrowjag.etl._footers import read_footer
from arrowjag.etl._schema import METADATA_KEY
from arrowjag.etl._sidecar import Sidecar
from arrowjag.etl._sink import Result, Sink, SinkError, blamed, is_part, probe_folder
from arrowjag.etl._tasks import Task
from arrowjag.etl.report import Failure, JobError
from arrowjag.io._atomic import atomic_target
from arrowjag.io._locate import SIDECAR

__all__ = ["Rejected", "Rejects", "clear_rejected"]


_OF_ANOTHER = "the folder holds rejected rows of another job, which this job would replace: give another dead_letter="


class Rejected(NamedTuple):
    """One rejected row, its file and row groups, and its error."""

    row: pa.Table
    path: str
    row_groups: tuple[int, ...]
    error: str


class Rejects(NamedTuple):
    """The folder of dead-letter files; `most` is the maximum number of rejected rows.

    `sink` is the folder of results: jobs with other sinks may write to the same folder.
    """

    filesystem: pf.FileSystem
    folder: str
    most: int | None
    sink: str

    @classmethod
    def beside(cls, sidecar: Sidecar, most: int | None = None) -> Rejects:
        """Return the default folder, beside the sink."""
        return cls(sidecar.filesystem, f"{sidecar.folder}/rejected", most, sidecar.sink)

    @property
    def _tag(self) -> str:
        """Part of the names of temporaries, which distinguishes them from those of other sinks."""
        return f"{digest_of(self.sink)[:8]}-"

    def probe(self) -> None:
        """Raise if the folder can't be written, before the job computes anything."""
        with _named(self.folder, "written"):
            probe_folder(self.filesystem, self.folder, f"{self._tag}rejected")

    def clear(self, kept: Collection[str], planned: Collection[str] = ()) -> None:
        """Delete what earlier runs of this sink left, except the dead-letter files of kept results. The caller holds the lease.

        Parameters
        ----------
        kept, planned : collection of str
            The dead-letter files to keep, and those of tasks that are to run; paths relative to the folder.

        Raises
        ------
        JobError
            If a file can't be listed or deleted, or if a task would replace the file of a job with another sink.
        """
        start = len(self.folder) + 1
        with _named(self.folder, "deleted"):
            infos = self.filesystem.get_file_info(pf.FileSelector(self.folder, recursive=True, allow_not_found=True))
            for info in infos:
                path = info.path[start:]
                if info.type != pf.FileType.File or path in kept:
                    continue
                if self._is_own(info.path):
                    self.filesystem.delete_file(info.path)
                elif path in planned:
                    raise JobError(Failure(info.path, (), _OF_ANOTHER))

    def check(self, written: Iterable[str]) -> None:
        """Raise unless the dead-letter files of tasks are those of this sink: a job that runs at the same time may write them."""
        with _named(self.folder, "read"):
            for path in (f"{self.folder}/{target}" for target in written):
                if not self._is_own(path):
                    raise JobError(Failure(path, (), "another program has deleted or replaced it: give another dead_letter="))

    def _is_own(self, path: str) -> bool:
        """Return whether a run of this sink has written a file."""
        if self.folder.startswith(f"{self.sink}{SIDECAR}/"):
            return path.endswith(".parquet") or is_part(path)
        if is_part(path):
            return f".{self._tag}" in path.rpartition("/")[2]
        footer = read_footer(self.filesystem, path)
        return footer is not None and footer.facts.get("rejected_by") == self.sink

    def write(self, task: Task, rejected: list[Rejected]) -> None:
        """Write the dead-letter file of a task. If no rows were rejected, delete the file of an earlier run."""
        path = f"{self.folder}/{task.target}"
        with blamed(self.folder):
            is_there = self.filesystem.get_file_info(path).type != pf.FileType.NotFound
            is_own = is_there and self._is_own(path)
            if is_own and not rejected:
                self.filesystem.delete_file(path)
        if not rejected:
            return
        if is_there and not is_own:
            raise SinkError(path, _OF_ANOTHER)
        rows = pa.concat_tables([one.row for one in rejected])
        facts = {
            "_file": pa.array([one.path for one in rejected]),
            "_row_groups": pa.array([list(one.row_groups) for one in rejected], pa.list_(pa.int64())),
            "_error": pa.array([one.error for one in rejected]),
        }
        for name, column in facts.items():
            while name in rows.column_names:  # the input may be the rejected rows of another job
                name = f"_{name}"  # noqa: PLW2901
            rows = rows.append_column(name, column)
        rows = rows.drop_columns([name for name in task.folders if name in rows.column_names])
        metadata = dict(rows.schema.metadata or {}) | {METADATA_KEY: json.dumps({"rejected_by": self.sink})}
        with blamed(self.folder):
            self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            with atomic_target(self.filesystem, path, self._tag) as temporary:
                pq.write_table(rows.replace_schema_metadata(metadata), str(temporary))


def clear_rejected(rejects: Rejects | None, sink: Sink, kept: Iterable[list[Result]], tasks: Iterable[Task]) -> None:
    """Delete dead-letter files of results that aren't kept; their tasks run again, perhaps in other groups or not at all."""
    valid = {parts[0].dead_letter for parts in kept}
    default = Rejects.beside(sink.sidecar)
    default.clear(valid)
    if rejects is not None and rejects.folder != default.folder:
        rejects.clear(valid, {task.target for task in tasks})


@contextlib.contextmanager
def _named(folder: str, done: str) -> Iterator[None]:
    """Convert an `OSError` of the block to a `JobError` that names the folder."""
    try:
        yield
    except OSError as error:
        text = f"the dead-letter files can't be {done}: {joined_lines(error)}"
        raise JobError(Failure(folder, (), text)) from error
