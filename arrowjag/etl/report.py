"""Reports of jobs, their failures, and the status of a sink."""

from __future__ import annotations

from dataclasses import dataclass, field

from arrowjag.errors import JagError
from arrowjag.etl._units import bytes_text, seconds_text

__all__ = ["Failure", "JobError", "Owner", "Report", "Run", "SinkInUseError", "Status"]


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
        The traceback of the worker.

    Examples
    --------
    >>> from arrowjag.etl import Failure
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
    """Format row groups as a part of a message; the empty string for a file without row groups."""
    if not groups:
        return ""
    return f", row group {groups[0]}" if len(groups) == 1 else f", row groups {groups[0]} to {groups[-1]}"


class JobError(JagError, RuntimeError):
    """A task of a job failed, and the job stopped.

    The message is one line: file, row group, error. The traceback of the worker is attached as a note.

    Parameters
    ----------
    failure : Failure
        The task and its error.

    Examples
    --------
    >>> from arrowjag.etl import Failure, JobError
    >>> str(JobError(Failure("in/a.parquet", (3, 4, 5), "ValueError: no such day")))
    'in/a.parquet, row groups 3 to 5: ValueError: no such day'
    """

    _place_first = True

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure
        if failure.details:
            self.add_note(failure.details)


class SinkInUseError(JagError, RuntimeError):
    """Another run writes to the sink, or has taken it over."""


@dataclass(frozen=True)
class Owner:
    """The current or last owner of a sink, a process.

    Attributes
    ----------
    run : str
        The id of the run.
    host : str
        The name of the machine.
    pid : int
        The process id on that machine.
    since : float
        Time at which the process acquired the sink, in seconds since 1970.
    is_released : bool
        Whether the run has ended and released the sink.
    is_alive : bool or None
        Whether the process is running; None if this machine can't determine it.

    Examples
    --------
    >>> from arrowjag.etl import Owner
    >>> print(Owner("20260101T120000.000000-abc123", "node7", 4711, 0.0, False, True))
    process 4711 on node7 (run 20260101T120000.000000-abc123)
    """

    run: str
    host: str
    pid: int
    since: float
    is_released: bool
    is_alive: bool | None

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} (run {self.run})"


@dataclass(frozen=True)
class Run:
    """The record of a run.

    Attributes
    ----------
    id : str
        Start time and a random part.
    state : str
        ``"done"``, ``"incomplete"`` (some tasks were skipped), ``"failed"``, ``"stopped"`` by a signal, or ``"unreadable"``.
    started, ended : str
        Times in ISO 8601 format.
    job : str
        The name of the function.
    tasks, kept : int
        Number of tasks that the run finished, and of tasks that earlier runs had finished.
    rows : int or None
        Rows in the results; None if the run failed.
    retries, rejected : int
        Number of retries of tasks, and of rows written to dead-letter files.
    failures : tuple of Failure
        Tasks that failed.
    error : str
        The error that ended the run; empty if none did.
    record : str
        The path of the record, which also lists inputs, outputs, fingerprints and versions.

    Examples
    --------
    >>> from arrowjag.etl import Run
    >>> print(Run("7", "done", "2026-01-01T12:00:00", "2026-01-01T12:01:00", "totals", 3, 0, 90, 1, 0, (), "", ""))
    2026-01-01T12:00:00  done        totals: 3 tasks, 90 rows, 1 retry
    """

    id: str
    state: str
    started: str
    ended: str
    job: str
    tasks: int
    kept: int
    rows: int | None
    retries: int
    rejected: int
    failures: tuple[Failure, ...]
    error: str
    record: str

    def __str__(self) -> str:
        facts = [_count(self.tasks, "task") + (f" ({self.kept} done before)" if self.kept else "")]
        facts += [_count(self.rows, "row")] if self.rows is not None else []
        facts += [f"{self.retries} {'retry' if self.retries == 1 else 'retries'}"] if self.retries else []
        facts += [f"{_count(self.rejected, 'row')} rejected"] if self.rejected else []
        facts += [f"{len(self.failures)} failed"] if self.failures else []
        facts += [self.error] if self.error else []
        return f"{self.started[:19]}  {self.state:10}  {self.job}: {', '.join(facts)}"


@dataclass(frozen=True)
class Status:
    """The contents of a folder of results.

    Attributes
    ----------
    sink : str
        The folder.
    files, rows, bytes : int
        Number of its Parquet files, and their rows and bytes.
    foreign : tuple of str
        Files that no job has written, or that can't be read.
    unfinished : tuple of str
        Temporary files of a run that is active or was killed.
    owner : Owner or None
        The current or last owner; None if no run has written to the folder.
    runs : tuple of Run
        The runs, most recent first.

    Examples
    --------
    >>> from arrowjag.etl import Status
    >>> print(Status("out", files=1, rows=3, bytes=900, foreign=(), unfinished=(), owner=None, runs=()))
    out: 1 file, 3 rows, 900 B
    not in use
    """

    sink: str
    files: int
    rows: int
    bytes: int
    foreign: tuple[str, ...]
    unfinished: tuple[str, ...]
    owner: Owner | None
    runs: tuple[Run, ...]

    @property
    def is_in_use(self) -> bool:
        """Whether a run owns the folder, as far as this machine can determine."""
        return self.owner is not None and not self.owner.is_released and self.owner.is_alive is not False

    def __str__(self) -> str:
        lines = [f"{self.sink}: {_count(self.files, 'file')}, {_count(self.rows, 'row')}, {bytes_text(self.bytes)}"]
        if self.owner is None or self.owner.is_released:
            lines.append("not in use")
        elif self.owner.is_alive is False:
            lines.append(f"not in use: {self.owner} has died")
        else:
            lines.append(f"in use by {self.owner}")
        lines += [f"not a result of a job: {path}" for path in self.foreign]
        lines += [f"unfinished: {path}" for path in self.unfinished]
        return "\n".join([*lines, *map(str, self.runs)])


@dataclass(frozen=True)
class Report:
    """The result of a job: rows, tasks, bytes, time and failures.

    Attributes
    ----------
    rows : int
        Rows in the results, including those of earlier runs.
    tasks : int
        Tasks whose results are in the sink.
    kept : int
        Number of those tasks that earlier runs had finished.
    seconds : float
        Wall time of this run.
    rows_read : int
        Rows that this run passed to the transform.
    bytes : int
        Bytes of the input that this run read, as stored in the files.
    bytes_written : int
        Bytes of the result files of this run.
    peak_memory : int or None
        Peak memory of all workers together, without mapped files; on a cluster, the maximum over workers at the end of a task.
        None if the system doesn't report it.
    failures : tuple of Failure
        Tasks that were skipped after an error.
    rejected : int
        Rows written to dead-letter files (``on_error="rows"``).
    retries : int
        Retries of tasks whose worker died or exceeded its memory limit.
    run : str
        The id of the run; ``<sink>._arrowjag/run-<id>.json`` is its record.
    dry_run : bool
        Whether this is a dry run: `tasks`, `rows_read` and `bytes` describe what a run would do, `kept` and `rows` what is done.
    commit : str
        The version of the table with the results, such as ``"version 3"``; empty if the sink is a folder.

    Examples
    --------
    >>> from arrowjag.etl import Report
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
    rejected: int = 0
    retries: int = 0
    run: str = ""
    dry_run: bool = False
    commit: str = ""

    def __str__(self) -> str:
        if self.dry_run:
            text = f"{_count(self.tasks, 'task')}, {self.kept} done before, {self.tasks - self.kept} to do: "
            return f"{text}{_count(self.rows_read, 'row')}, {bytes_text(self.bytes)}"
        before = f" ({self.kept} done before)" if self.kept else ""
        rate = f" ({self.rows_read / self.seconds:,.0f} rows/s)" if self.rows_read and self.seconds else ""
        memory = f", peak memory {bytes_text(self.peak_memory)}" if self.peak_memory else ""
        more = f", {_count(self.rejected, 'row')} rejected" if self.rejected else ""
        more += f", {self.retries} {'retry' if self.retries == 1 else 'retries'}" if self.retries else ""
        facts = (
            f"{_count(self.tasks, 'task')}{before}, {_count(self.rows, 'row')}; "
            f"read {_count(self.rows_read, 'row')}, {bytes_text(self.bytes)}, wrote {bytes_text(self.bytes_written)} "
            f"in {seconds_text(self.seconds)}{rate}{memory}{more}"
        )
        return "\n".join([facts, *(f"failed: {failure}" for failure in self.failures)])


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
