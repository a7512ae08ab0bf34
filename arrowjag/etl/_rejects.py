"""Dead-letter files: the input rows on which the function fails, with the error as an additional column."""

from __future__ import annotations

import contextlib
import uuid
from typing import NamedTuple

import pyarrow as pa
import pyarrow.fs as pf
import pyarrow.parquet as pq

from arrowjag.etl._sink import blamed, probe_folder
from arrowjag.etl._tasks import Task
from arrowjag.etl.report import Failure, JobError
from arrowjag.io._atomic import atomic_target

__all__ = ["Rejected", "Rejects"]


class Rejected(NamedTuple):
    """One rejected row, its file and row groups, and its error."""

    row: pa.Table
    path: str
    row_groups: tuple[int, ...]
    error: str


class Rejects(NamedTuple):
    """The folder of dead-letter files; `most` is the maximum number of rejected rows."""

    filesystem: pf.FileSystem
    folder: str
    most: int | None

    def probe(self) -> None:
        """Raise if the folder can't be written, before the job computes anything."""
        try:
            probe_folder(self.filesystem, self.folder, uuid.uuid4().hex)
        except OSError as error:
            text = f"the dead-letter files can't be written: {' '.join(str(error).split())}"
            raise JobError(Failure(self.folder, (), text)) from error

    def write(self, task: Task, rejected: list[Rejected]) -> None:
        """Write the dead-letter file of a task. If no rows were rejected, delete the file of an earlier run."""
        path = f"{self.folder}/{task.target}"
        if not rejected:
            with contextlib.suppress(FileNotFoundError):
                self.filesystem.delete_file(path)
            return
        rows = pa.concat_tables([one.row for one in rejected])
        facts = {
            "_file": pa.array([one.path for one in rejected]),
            "_row_groups": pa.array([list(one.row_groups) for one in rejected], pa.list_(pa.int64())),
            "_error": pa.array([one.error for one in rejected]),
        }
        for name, column in facts.items():
            rows = rows.append_column(name, column)
        with blamed(self.folder):
            self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
            with atomic_target(self.filesystem, path) as temporary:
                pq.write_table(rows, str(temporary))
