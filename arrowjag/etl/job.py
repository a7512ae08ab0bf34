"""Jobs: a function over every batch of a Parquet dataset, and reductions over all of its rows."""

from __future__ import annotations

import functools
import importlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagTypeError, JagValueError, MissingDependencyError
from arrowjag.etl.amounts import bytes_text, parse_bytes
from arrowjag.etl.drive import Drive
from arrowjag.etl.engine import Engine
from arrowjag.etl.fingerprint import digest_of
from arrowjag.etl.local import LocalEngine, cores
from arrowjag.etl.progress import make_progress
from arrowjag.etl.report import Failure, JobError, Report
from arrowjag.etl.schema import check_schema, make_frame
from arrowjag.etl.sink import Sink, open_sink, prepare
from arrowjag.etl.tasks import Source, Task, open_source
from arrowjag.etl.work import Job, as_partial
from arrowjag.io.scan import make_plan

__all__ = ["reduce", "run"]

_LOG = logging.getLogger("arrowjag.etl")
_ENGINES = ("local", "ray", "dask")
_WRITE_OPTIONS = "row_group_size, row_group_values, and those of pyarrow.parquet.ParquetWriter"


def run(  # noqa: PLR0913  (the arguments of a job)
    transform: Callable[[Any], Any],
    source: Any,
    sink: Any,
    *,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    schema: Any = None,
    frame: str = "polars",
    batch_bytes: str | int = "64MB",
    engine: str = "local",
    workers: int | None = None,
    memory: str | int = "4GB",
    mode: str = "create",
    on_error: str = "stop",
    write: Mapping[str, Any] | None = None,
    progress: bool = True,
) -> Report:
    """Run a function over every batch of rows of a Parquet dataset, and write what it returns.

    A task is a file, or a run of its row groups of about 256 MB. Each makes one file,
    ``<sink>/<relative path>/<stem>-<first row group>.parquet``, which appears there when it is complete. A job that was ended at
    any moment, by ``kill -9`` too, is finished by the same call with ``mode="resume"``: each row of the input is in the results
    once.

    Parameters
    ----------
    transform : callable
        From frame to frame; a lambda, a closure, a partial or a function of a notebook too. It sees the rows of a batch in their
        order, and no others: what it makes of a row may not depend on where batches end.
    source : str, path, list of them, or pyarrow.dataset.Dataset
        A file, a folder, a pattern (``data/**/*.parquet``). Names of folders such as ``year=2013`` are columns of the input, and
        the results lie in folders of the same names.
    sink : str or path
        A folder; it need not exist.
    columns : list of str, optional
        What to read; ``"docs.score"`` reads those column chunks only.
    filters : optional
        Rows to read, as in `arrowjag.read_parquet`. Files and row groups that they exclude are not read.
    schema : pa.Schema, dict or list of pairs, optional
        That of the results; by default the one of the first batch that has rows, in the order of the files. Every result is cast
        to it without a loss; one that doesn't fit fails, and file and column are named.
    frame : {"polars", "pandas", "arrow"}
        What the function gets: a polars DataFrame, a pandas DataFrame of Arrow-backed columns, or a `pa.Table`. It may return any
        of them. Jagged columns carry their type.
    batch_bytes : str or int
        Bytes of a batch in memory, about; a sixteenth of a worker's share at most.
    engine : {"local", "ray", "dask"}
        Where tasks run: in processes on this machine, or on a cluster. One that the process is connected to, or that
        ``RAY_ADDRESS`` or ``DASK_SCHEDULER_ADDRESS`` names, is taken; otherwise a local one is started and stopped. Source and
        sink must be in the reach of all of its machines.
    workers : int, optional
        Tasks that run at one time; by default as many as there are cores here, and on a cluster two for each of its cores. A worker
        works in one thread.
    memory : str or int
        What all workers may hold together. One that holds more than its share is ended and its task tried once more with half the
        batch. Linux tells what a process holds now, macOS the most that it ever held, Windows nothing: there nobody is ended. On
        ``"ray"`` and ``"dask"`` workers look at themselves after each batch.
    mode : {"create", "resume", "replace"}
        Whether the sink must be empty, results that match input and function are kept, or Parquet files in it are deleted first.
    on_error : {"stop", "skip"}
        Whether the first task that fails ends the job, or is listed in the report and has no file; so is a file whose footer can't
        be read.
    write : dict, optional
        Options of `arrowjag.write_parquet`, for example ``{"compression": "zstd", "row_group_size": 100_000}``.
    progress : bool
        Whether to show a bar with rate and time left on stderr; lines where that is no terminal.

    Returns
    -------
    Report
        Rows, tasks, seconds, bytes, peak memory and failures.

    Raises
    ------
    JobError
        If a task failed and the job stopped, if the function can't be loaded in a worker, or if it doesn't return a frame.
    JagTypeError, JagValueError
        If an argument has no meaning; if the sink holds files that are in the way.
    FileNotFoundError
        If there is no input.
    MissingDependencyError
        If cloudpickle, or the engine, is not installed.

    Notes
    -----
    Null, empty and null-in-row are kept apart on the way, and every leaf type passes through; pandas and polars store what they
    store. Input without any rows makes files without rows; their schema is that of what the function makes of a frame without rows.

    A file is taken as done if its key-value metadata hold fingerprints of this input (path, size, time, footer) and of this
    function (its code, what it closes over, and the other arguments that change results). Nothing else is kept about a job.

    What happens is told to the logger ``arrowjag.etl``. A job that is interrupted (Ctrl-C) ends its workers and removes what they
    had not finished.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"v": aj.array([[1, 2], [], [3]])}, folder + "/in.parquet")
    ...     report = aj.etl.run(
    ...         lambda frame: frame.select(total=pl.col("v").jag.sum()),
    ...         folder + "/in.parquet", folder + "/out", workers=1, progress=False,
    ...     )
    ...     aj.read_parquet(folder + "/out").to_pydict()
    {'total': [3, 0, 3]}
    >>> report.rows, report.tasks, report.failures
    (3, 1, ())
    """
    started = time.monotonic()
    options = _write_options(write)
    _one_of("frame", frame, ("polars", "pandas", "arrow"))
    _one_of("mode", mode, ("create", "resume", "replace"))
    given = None if schema is None else check_schema(schema)
    limits = _Limits(engine, workers, memory, batch_bytes, on_error)
    carried = _pickled(transform)
    there = _opened(source, filters, limits)
    plan = make_plan(there.schema, columns, filters)
    facts = digest_of(
        transform, list(columns or []), columns is None, str(filters), frame, _schema_fact(given), sorted(options.items())
    )
    target = open_sink(sink, there, facts, options)
    kept = prepare(target, there.tasks, mode)
    job = Job(carried, name_of(transform), plan, there.partitions, frame, target)
    tasks = [task for task in there.tasks if task.number not in kept]
    known = given if given is not None else next((result.schema for result in kept.values()), None)
    drive, peak = _drive(job, tasks, limits, known, progress)
    _check_results(target, [task for task in tasks if task.number in drive.outcomes])
    done = list(drive.outcomes.values())
    report = Report(
        rows=sum(one.rows for one in done) + sum(one.rows for one in kept.values()),
        tasks=len(done) + len(kept),
        kept=len(kept),
        seconds=time.monotonic() - started,
        rows_read=sum(one.rows_read for one in done),
        bytes=sum(task.bytes for task in tasks if task.number in drive.outcomes),
        bytes_written=sum(one.bytes_written for one in done),
        peak_memory=peak,
        failures=(*there.failures, *drive.failures),
    )
    _LOG.info("job %s: %s", job.name, report)
    return report


def _check_results(sink: Sink, tasks: list[Task]) -> None:
    """Done means that the file is there, whatever an engine says."""
    files = set(sink.files()) if tasks else set()
    for task in tasks:
        if sink.path(task) not in files:
            raise JobError(Failure(task.path, task.row_groups, f"its result {sink.path(task)} is not in the sink"))


def reduce(  # noqa: PLR0913  (the arguments of a job)
    partial: Callable[[Any], Any],
    combine: Callable[[Any], Any],
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    frame: str = "polars",
    batch_bytes: str | int = "64MB",
    engine: str = "local",
    workers: int | None = None,
    memory: str | int = "4GB",
    on_error: str = "stop",
    progress: bool = True,
) -> Any:
    """Reduce all rows of a Parquet dataset to one result: a part of each batch, and all parts combined.

    Parameters
    ----------
    partial : callable
        From frame to a small frame, or to any other small value; runs in the workers, once a batch.
    combine : callable
        Runs once, in this process: gets the frames of all batches below one another, in the order of the rows, or a list of all
        values where `partial` returns no frames. What it returns is the result.
    source, columns, filters, batch_bytes, engine, workers, memory, on_error, progress
        As for `run`.
    frame : {"polars", "pandas", "arrow"}
        What both functions get.

    Returns
    -------
    object
        What `combine` returned.

    Raises
    ------
    JobError
        If a task failed and the job stopped.
    JagTypeError
        If some batches gave frames and others gave none, or frames of different columns.
    JagTypeError, JagValueError, FileNotFoundError, MissingDependencyError
        As `run`.

    Notes
    -----
    All parts are held in memory. Input without rows gives `combine` the part of a frame without rows.

    Examples
    --------
    >>> import tempfile
    >>> import polars as pl
    >>> import arrowjag as aj
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aj.write_parquet({"v": aj.array([[1, 2], [], [3]])}, folder + "/in.parquet")
    ...     longest = aj.etl.reduce(
    ...         lambda frame: frame.select(pl.col("v").jag.lengths().max()),
    ...         lambda parts: parts["v"].max(),
    ...         folder, workers=1, progress=False,
    ...     )
    >>> longest
    2
    """
    _one_of("frame", frame, ("polars", "pandas", "arrow"))
    limits = _Limits(engine, workers, memory, batch_bytes, on_error)
    carried = _pickled(partial)
    if not callable(combine):
        raise JagTypeError(f"combine is a function, got {type(combine).__name__}")
    there = _opened(source, filters, limits)
    plan = make_plan(there.schema, columns, filters)
    job = Job(carried, name_of(partial), plan, there.partitions, frame, None)
    drive, _ = _drive(job, list(there.tasks), limits, None, progress)
    parts = [part for number in sorted(drive.outcomes) for part in drive.outcomes[number].partials]
    if not parts:
        parts = [as_partial(partial(make_frame(plan.schema.empty_table(), frame)), job.name)]
    return combine(_joined(parts, job.name, frame))


class _Limits:
    """The arguments that say how, checked."""

    def __init__(self, engine: str, workers: int | None, memory: str | int, batch_bytes: str | int, on_error: str) -> None:
        _one_of("engine", engine, _ENGINES)
        _one_of("on_error", on_error, ("stop", "skip"))
        if not (workers is None or (type(workers) is int and workers > 0)):
            raise JagValueError(f"workers is a whole number of at least 1, got {workers!r}")
        self.engine, self.workers, self.skip = engine, workers, on_error == "skip"
        self.memory = parse_bytes(memory, "memory")
        self.batch_bytes = parse_bytes(batch_bytes, "batch_bytes")


def _drive(job: Job, tasks: list[Task], limits: _Limits, schema: pa.Schema | None, progress: bool) -> tuple[Drive, int | None]:
    shown = make_progress(progress and bool(tasks), sum(task.rows for task in tasks), len(tasks))
    workers = limits.workers or cores()
    share = limits.memory // workers
    batch_bytes = max(1, min(limits.batch_bytes, share // 16))
    _LOG.info("job %s: %d tasks, %s engine, batches of %s", job.name, len(tasks), limits.engine, bytes_text(batch_bytes))
    engine = _engine(job, limits, min(workers, max(1, len(tasks))), share) if tasks else _NoEngine()
    drive = Drive(job, engine, tasks, schema=schema, batch_bytes=batch_bytes, share=share, skip=limits.skip, progress=shown)
    try:
        drive.run()
    finally:
        shown.close()
    return drive, engine.peak_memory


def _opened(source: Any, filters: Any, limits: _Limits) -> Source:
    there = open_source(source, filters, skip=limits.skip)
    for failure in there.failures:
        _LOG.warning("file is skipped: %s", failure)
    return there


class _NoEngine:
    """For a job that has nothing left to do."""

    slots, tells_schema, peak_memory = 0, True, None

    def start(self, order: Any) -> None:
        raise AssertionError(order)

    def events(self) -> list[Any]:
        return []

    def stop(self) -> None:
        return


def _engine(job: Job, limits: _Limits, workers: int, share: int) -> Engine:
    if limits.engine == "local":
        return LocalEngine(job, workers, share)
    module = importlib.import_module(f"arrowjag.etl.{limits.engine}")
    engine: Engine = module.connect(job, limits.workers, share)
    return engine


def name_of(function: Any) -> str:
    """What to call a function in a message."""
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name.rpartition("<locals>.")[2]


def _pickled(transform: Any) -> bytes:
    if not callable(transform):
        raise JagTypeError(f"a transform is a function from frame to frame, got {type(transform).__name__}")
    try:
        import cloudpickle
    except ImportError:
        raise MissingDependencyError.of("cloudpickle", "etl", "a job") from None
    try:
        return bytes(cloudpickle.dumps(transform))
    except Exception as error:
        text = " ".join(str(error).split())
        raise JagTypeError(f"{name_of(transform)} can't travel to a worker process: {type(error).__name__}: {text}") from error


def _one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        raise JagValueError(f"{name} must be {', '.join(map(repr, known[:-1]))} or {known[-1]!r}, got {value!r}")


def _write_options(write: Any) -> dict[str, Any]:
    if write is not None and not isinstance(write, Mapping):
        raise JagTypeError(f"write is a dict of options ({_WRITE_OPTIONS}), got {type(write).__name__}")
    if write is not None and "partition_by" in write:
        raise JagValueError("write: a job makes one file of each task and keeps the folders of its source; it has no partition_by")
    return dict(write or {})


def _schema_fact(schema: pa.Schema | None) -> bytes | None:
    return None if schema is None else schema.serialize().to_pybytes()


def _joined(parts: list[Any], name: str, frame: str) -> Any:
    frames = [isinstance(part, pa.Table) for part in parts]
    if not any(frames):
        return parts
    if not all(frames):
        raise JagTypeError(f"{name} returned a frame for some batches and something else for others")
    other = next((part for part in parts if set(part.column_names) != set(parts[0].column_names)), None)
    if other is not None:
        columns = f"{', '.join(parts[0].column_names)} for one batch and {', '.join(other.column_names)} for another"
        raise JagTypeError(f"{name} returned frames that can't stand below one another: with the columns {columns}")
    try:
        return make_frame(pa.concat_tables(parts, promote_options="permissive"), frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise JagTypeError(f"{name} returned frames that can't stand below one another: {error}") from error
