"""What a job has done, and how it failed."""

from __future__ import annotations

from dataclasses import dataclass, field

from arrowjag.errors import JagError
from arrowjag.etl.amounts import bytes_text, seconds_text

__all__ = ["Failure", "JobError", "Report"]


@dataclass(frozen=True)
class Failure:
    """A task that failed.

    Parameters
    ----------
    file : str
        The path of its file.
    row_groups : tuple of int
        The row groups of the batch that failed, or of the whole task.
    error : str
        The error, in one line.
    details : str
        What the worker's traceback said.

    Examples
    --------
    >>> print(Failure("in/a.parquet", (3,), "ValueError: no such day"))
    in/a.parquet, row group 3: ValueError: no such day
    """

    file: str
    row_groups: tuple[int, ...]
    error: str
    details: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.file}{groups_text(self.row_groups)}: {self.error}"


def groups_text(groups: tuple[int, ...]) -> str:
    """Row groups as a part of a message; nothing for a file that has none."""
    if not groups:
        return ""
    return f", row group {groups[0]}" if len(groups) == 1 else f", row groups {groups[0]} to {groups[-1]}"


class JobError(JagError, RuntimeError):
    """A task of a job failed, and the job stopped.

    Its text is one line: file, row group, error. What the worker's traceback said is a note of the exception.

    Parameters
    ----------
    failure : Failure
        The task and its error.

    Examples
    --------
    >>> str(JobError(Failure("in/a.parquet", (3, 4, 5), "ValueError: no such day")))
    'in/a.parquet, row groups 3 to 5: ValueError: no such day'
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure
        if failure.details:
            self.add_note(failure.details)


@dataclass(frozen=True)
class Report:
    """What a job has done.

    Attributes
    ----------
    rows : int
        Rows in the results, those included that an earlier run had finished.
    tasks : int
        Tasks whose results are in the sink.
    kept : int
        How many of them an earlier run had finished.
    seconds : float
        Wall time of this run.
    rows_read : int
        Rows that this run gave to the transform.
    bytes : int
        Bytes of the input that this run went through, as they lie in the files.
    bytes_written : int
        Bytes of the result files of this run.
    peak_memory : int or None
        The most that all workers held at one time, memory of files not counted; on a cluster, the most that one of them held at
        the end of a task. None where the system doesn't tell.
    failures : tuple of Failure
        Tasks that were skipped after an error; empty where all went well.

    Examples
    --------
    >>> print(Report(rows=900, tasks=2, kept=1, seconds=0.5, rows_read=500, bytes=4000, bytes_written=3000, peak_memory=10**8))
    2 tasks (1 done before), 900 rows; read 500 rows, 4.0 kB, wrote 3.0 kB in 0.5 s (1,000 rows/s), peak memory 100.0 MB
    """

    rows: int
    tasks: int
    kept: int
    seconds: float
    rows_read: int
    bytes: int
    bytes_written: int
    peak_memory: int | None
    failures: tuple[Failure, ...] = ()

    def __str__(self) -> str:
        before = f" ({self.kept} done before)" if self.kept else ""
        rate = f" ({self.rows_read / self.seconds:,.0f} rows/s)" if self.rows_read and self.seconds else ""
        memory = f", peak memory {bytes_text(self.peak_memory)}" if self.peak_memory else ""
        facts = (
            f"{_count(self.tasks, 'task')}{before}, {_count(self.rows, 'row')}; "
            f"read {_count(self.rows_read, 'row')}, {bytes_text(self.bytes)}, wrote {bytes_text(self.bytes_written)} "
            f"in {seconds_text(self.seconds)}{rate}{memory}"
        )
        return "\n".join([facts, *(f"failed: {failure}" for failure in self.failures)])


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
