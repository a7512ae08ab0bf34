"""Jobs: apply a function to every batch of a Parquet dataset, or reduce all rows of it."""

from __future__ import annotations

import importlib
import logging
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pyarrow as pa

from arrowjag._arguments import check_arguments
from arrowjag._integers import integer
from arrowjag._pyarrow_versions import empty_table
from arrowjag._runtime.warnings import warn
from arrowjag.errors import JagTypeError, JagValueError, brief, joined_lines
from arrowjag.etl._engine import Engine
from arrowjag.etl._fingerprint import code_digest, digest_of
from arrowjag.etl._lake import Lake, LakeFacts, refuse_rows
from arrowjag.etl._lake_sink import commit_results, prepare_lake
from arrowjag.etl._lakes import open_lake
from arrowjag.etl._lease import hold
from arrowjag.etl._limits import Limits, Shares
from arrowjag.etl._local import LocalEngine
from arrowjag.etl._pickles import name_of, pickled
from arrowjag.etl._progress import make_progress
from arrowjag.etl._record import Record, new_run
from arrowjag.etl._rejects import Rejects, clear_rejected
from arrowjag.etl._scheduler import Policy, Scheduler
from arrowjag.etl._schema import check_schema, make_frame
from arrowjag.etl._sidecar import refuse_sidecar
from arrowjag.etl._signals import ended_by_signals
from arrowjag.etl._sink import Result, Sink, open_sink, overlaps, prepare, refuse_files
from arrowjag.etl._tasks import Piece, Source, Task, make_tasks, open_source
from arrowjag.etl._units import bytes_text, parse_bytes
from arrowjag.etl._worker import Job, as_partial
from arrowjag.etl.report import JobError, Report
from arrowjag.io._locate import RealPaths, locate_file
from arrowjag.io._parquet import check_writer
from arrowjag.io._probe import probe
from arrowjag.io._scan import make_plan
from arrowjag.io._stores import check_options
from arrowjag.io._tables import is_table
from arrowjag.typing import EngineName, Host

__all__ = ["reduce", "run"]

_LOG = logging.getLogger("arrowjag.etl")
_WRITE_OPTIONS = "row_group_size, row_group_values, plain, and those of pyarrow.parquet.ParquetWriter"


@check_arguments
def run(  # noqa: PLR0913, PLR0915  (the arguments of a job)
    transform: Callable[[Any], Any],
    source: Any,
    sink: Any,
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    schema: Any = None,
    frame: Host = "polars",
    batch_bytes: str | int | None = None,
    engine: EngineName = "local",
    workers: int | None = None,
    memory: str | int | None = None,
    mode: Literal["create", "resume", "replace"] = "create",
    on_error: Literal["stop", "skip", "rows"] = "stop",
    dead_letter: Any = None,
    max_failures: int | None = None,
    timeout: float | None = None,
    missing_inputs: Literal["keep", "drop", "error"] = "keep",
    bytes_per_file: str | int | None = None,
    partition_by: str | Sequence[str] | None = None,
    version: str | None = None,
    write: Mapping[str, Any] | None = None,
    progress: bool = True,
    dry_run: bool = False,
) -> Report:
    """Run a function over every batch of rows of a Parquet dataset, and write its results.

    A task is one file, or consecutive row groups of a file of about 256 MB. Each task writes one file,
    ``<sink>/<relative path>/<stem>-<first row group>.parquet``, which appears under this name once it is complete. To finish a
    job that was interrupted at any moment, even by ``kill -9``, repeat the call with ``mode="resume"``: the results then hold
    each row of the input exactly once.

    Parameters
    ----------
    transform : callable
        Function from frame to frame; lambdas, closures, partials and functions defined in a notebook are supported. Each call gets
        the rows of one batch, in their order. The result for a row must not depend on how rows are divided into batches.
    source : str, path, list of them, pyarrow.dataset.Dataset, or table
        A file, a folder, or a pattern (``data/**/*.parquet``). Folder names such as ``year=2013`` become columns of the input, and
        the sink repeats the same folders; a result must not change these columns. A table is ``delta://path``, a
        `deltalake.DeltaTable`, ``iceberg://catalog/namespace.table`` or a table of pyiceberg; the job reads the version that is
        current when it starts, or with which the table was opened.
    sink : str, path or table
        The output folder, created if it doesn't exist, or a table, to which all results are added in one commit. A new table of
        Delta Lake appears with the commit; of Iceberg, the catalog gets an empty table first.
    filesystem : pyarrow.fs.FileSystem or fsspec file system, optional
        File system of source, sink and dead-letter files; by default derived from each path or URL. Workers receive a pickled copy.
    storage_options : dict, optional
        Options of the stores of all URLs, with the names of object_store: ``aws_access_key_id``, ``aws_secret_access_key``,
        ``aws_region``, ``aws_endpoint_url``, ``aws_allow_http``... Libraries other than pyarrow get them under their own names.
    columns : list of str, optional
        Columns to read; ``"docs.score"`` reads only the column chunks of this field.
    filters : optional
        Condition on rows, as in `arrowjag.read_parquet`. Files and row groups that it excludes are not read.
    schema : pa.Schema, dict or list of pairs, optional
        Schema of the results; by default that of the first batch with rows, in the order of the files. Every result is cast to it
        losslessly. A result that can't be cast fails its task; the error names file and column.
    frame : {"polars", "pandas", "arrow"}
        Type of the argument of the function: a polars DataFrame, a pandas DataFrame with Arrow-backed columns, or a `pa.Table`. The
        function may return any of them. Jagged columns carry their type.
    batch_bytes : str or int, optional
        Approximate bytes per batch in memory; by default the smaller of 64 MB and 1/16 of the memory per worker. A worker needs 224
        MB and four times `batch_bytes`.
    engine : {"local", "ray", "dask"}
        Runs tasks in processes on this machine or on a cluster. Ray and Dask use the cluster that this process is connected to, or
        the one at ``RAY_ADDRESS`` or ``DASK_SCHEDULER_ADDRESS``; otherwise a local cluster is started and stopped. All machines of
        the cluster must have access to source and sink.
    workers : int, optional
        Number of concurrent tasks. The default is one per core that this process may use, reduced until each worker has 512 MB, or
        what it needs with the given `batch_bytes`; on a cluster, two per core. Each worker runs in one thread.
    memory : str or int, optional
        Memory limit of all workers together; by default half of the memory of the machine or of the cgroup of this process. The
        minimum is 256 MB per worker. A worker that exceeds its share is killed, and its task is retried once with batches of half
        the size, as is one that raises MemoryError. Linux reports the current memory of a process and macOS its peak; Windows
        reports neither, so that no worker is killed there. On ``"ray"`` and ``"dask"`` workers check their own memory after each
        batch.
    mode : {"create", "resume", "replace"}
        ``"create"`` requires an empty sink, ``"resume"`` keeps results that match input and function, ``"replace"`` first deletes
        the Parquet files in the sink. In a table ``"resume"`` adds the results that this job hasn't committed yet, and keeps the
        rows of others; ``"replace"`` removes all former rows in the same commit.
    on_error : {"stop", "skip", "rows"}
        What happens if a task fails. ``"stop"``: the first failure ends the job. ``"skip"``: the report lists the task, which
        writes no file; the same holds for an input file whose footer can't be read. ``"rows"``: a failing batch is bisected to find
        the failing rows, which are written to dead-letter files; the results hold all other rows. Errors of the sink always end
        the job.
    dead_letter : str or path, optional
        Folder for the rows that fail with ``on_error="rows"``: Parquet files with the input columns and ``_file``, ``_row_groups``,
        ``_error``, with one more underscore if the input has such columns. By default ``<sink>._arrowjag/rejected``; neither in the
        sink nor in the source. Files of earlier runs are deleted with the results to which they belong; those of jobs with other
        sinks are never replaced.
    max_failures : int, optional
        Maximum number of failed tasks (``"skip"``) or rows (``"rows"``); one more ends the job with an error. Rows that earlier
        runs rejected and files without a footer count, so that a resumed job fails, too.
    timeout : float, optional
        Time limit per task in seconds; a task that exceeds it is killed and counts as failed. On ``"ray"`` and ``"dask"`` it is
        interrupted; a call that never returns keeps its thread until the worker ends.
    missing_inputs : {"keep", "drop", "error"}
        What ``mode="resume"`` does with results whose input file is no longer in the source: keep them, delete them, or raise an
        error.
    bytes_per_file : str or int, optional
        Combine small files of one folder into tasks of this size, each of which writes one file. By default each input file is
        written separately.
    partition_by : str or list of str, optional
        Columns of the results that become folders ``key=value``, as in `arrowjag.write_parquet`, below the folders of the source.
    version : str, optional
        Identifies the function in place of its code when ``mode="resume"`` compares results; change it whenever results change.
    write : dict, optional
        Options of `arrowjag.write_parquet`, for example ``{"compression": "zstd", "row_group_size": 100_000}``. With
        ``{"schema_mode": "merge"}`` a table gets the columns of results that it lacks; otherwise such results are an error.
    progress : bool
        Whether to show a progress bar with rate and remaining time on stderr; without a terminal, a line every few seconds.
    dry_run : bool
        Whether to return only a report of the tasks, rows and bytes to do and already done, without running anything.

    Returns
    -------
    Report
        Rows, tasks, seconds, bytes, peak memory, retries and failures.

    Raises
    ------
    JobError
        If a task failed and the job stopped, if the function can't be loaded in a worker, if it doesn't return a frame, if a file
        of the source was replaced while the job ran, or if the sink can't be written.
    SinkInUseError
        If another run writes to the sink.
    JagTypeError, JagValueError
        If an argument is invalid, or if the sink holds files that `mode` doesn't allow.
    JagFileError
        If a result of an earlier run can't be read, for lack of permission or because its store is down; it stays as it is.
    FileNotFoundError
        If the source holds no files.
    MissingDependencyError
        If cloudpickle or the library of the engine is not installed.

    Notes
    -----
    Null rows, empty rows and null values stay distinct, and every leaf type is supported as far as `frame` can represent it.
    Input without rows yields files without rows, with the schema that the function returns for a frame without rows.

    A result counts as done if its metadata hold the fingerprints of its input (path, size, time or ETag, footer) and of the
    function (its code, the functions and values of your own modules that it uses, versions of the packages that it names, and all
    other arguments that affect results). Objects without a fingerprint, such as open connections, cause a `JagWarning`: pass
    `version`.

    Only one run at a time writes to a sink. It holds a lease in the folder ``<sink>._arrowjag`` beside the sink. The lease of a
    dead process on this machine is replaced at once, that of a process on another machine after 60 seconds without heartbeat. The
    same folder holds one record per run, ``run-<id>.json``: inputs, outputs, fingerprints, versions, retries and failures.
    `status` reads leases and records. The sink itself holds only results.

    Tables store jagged columns as plain nested lists, with the type in field metadata (Delta Lake) or table properties (Iceberg),
    so that every reader sees lists and arrowjag the type. Types that a format refuses, or would change, are an error before
    anything is written: durations, unsigned and dictionary types, float16, nanoseconds... Deletion vectors of a source are
    applied, and so are position delete files of Iceberg; its columns are found by field id, so that renamed ones are read from old
    files, too. These raise an error: tables with column mapping or equality delete files, sinks with constraints or generated
    columns, which a commit of files would bypass, and sinks of Iceberg that are partitioned other than by values of columns.

    Jobs log to ``arrowjag.etl``. An interrupted job (Ctrl-C, or SIGTERM, which raises ``SystemExit(143)``) stops its workers and
    removes their unfinished files.

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
    options, stores = _write_options(write), check_options(storage_options)
    merge = _merges(options, sink)
    limits = Limits(engine, workers, memory, batch_bytes, on_error, timeout=timeout, max_failures=max_failures)
    given = None if schema is None else check_schema(schema)
    size = None if bytes_per_file is None else parse_bytes(bytes_per_file, "bytes_per_file")
    carried = pickled(transform)
    _probe_all([source, dead_letter, sink if _is_in_bucket(sink) else None], filesystem, stores)
    dataset = _opened(source, filters, filesystem, limits, stores)
    keys = _keys(partition_by, dataset, keeps_folders=not (dataset.table or is_table(sink)))
    plan = make_plan(dataset.schema, columns, filters)
    code = code_digest(transform, version)
    lake = open_lake(sink, stores, dry_run=dry_run)
    keys = keys if lake is None else lake.keys(keys)
    facts: list[Any] = [code, [] if columns is None else list(columns), columns is None, filters, frame]
    facts += [_schema_fact(given), sorted(options.items()), keys, _schema_fact(plan.read_schema) if dataset.table else None]
    digest = digest_of(*facts)
    if lake is not None and not lake.folder:
        return _dry_run([], dataset, size, started)
    if lake is None:
        target = open_sink(sink, dataset, digest, options, keys, filesystem, stores)
    else:
        table = LakeFacts(lake.format, lake.data_folder, lake.schema, merge)
        options, given = options | {"plain": "table"}, _lake_schema(lake, given, merge=merge)
        place = (lake.folder, dataset, digest, options, keys, lake.filesystem, stores)
        target = open_sink(*place, lake=table, lake_link=lake.link)
    rejects = _rejects(target, dataset, limits, dead_letter, filesystem, stores)
    _refuse_rows(target, lake, mode)
    if dry_run:
        return _dry_run(_prepared(target, lake, dataset, mode, missing_inputs, delete=False)[1], dataset, size, started)
    run = new_run()
    with ended_by_signals(), hold(target.sidecar, run) as lease:
        target = replace(target, run=run, lease=lease)
        target.sidecar.remove_parts()
        if lease.number > 1:
            target.abort_uploads(dataset)
        target, kept = _prepared(target, lake, dataset, mode, missing_inputs)
        job = Job(carried, name_of(transform), plan, dataset.partitions, frame, target, rejects)
        record = Record(target, job=job.name, version=version, engine=engine, mode=mode, on_error=on_error)
        try:
            report = _run(job, target, dataset, limits, given, _Options(kept, lake, size, progress), record, started)
            record.done(report)
            if report.retries or report.failures:
                target.abort_uploads(dataset)
        except BaseException as error:
            record.failed(error)
            target.abort_uploads(dataset)
            raise
        finally:
            _write_record(record)
    _LOG.info("job %s: %s", job.name, report)
    return report


@dataclass(frozen=True)
class _Options:
    """Results that the sink already holds, and the table that it is."""

    kept: list[list[Result]]
    lake: Lake | None
    bytes_per_file: int | None
    progress: bool


def _run(
    job: Job, sink: Sink, dataset: Source, limits: Limits, given: pa.Schema | None, how: _Options, record: Record, started: float
) -> Report:
    kept = how.kept
    sink.probe()
    if job.rejects is not None:
        job.rejects.probe()
    tasks = make_tasks(_to_do(dataset, kept), how.bytes_per_file)
    clear_rejected(job.rejects, sink, kept, tasks)
    known = given if given is not None or _is_extended(sink) else next((parts[0].schema for parts in kept), None)
    rejected = sum(parts[0].rejected for parts in kept)

    def add(scheduler: Scheduler) -> None:
        record.add(dataset, kept, scheduler.outcomes, tasks, sum(scheduler.retries.values()))

    failed = len(dataset.failures) if job.rejects is None else rejected
    keys = next((sink.keys_of(parts[0].path) for parts in kept), "")
    scheduler, peak = _schedule(job, tasks, limits, known, how.progress, failed, add, keys)
    done = [task for task in tasks if task.number in scheduler.outcomes]
    sink.remove_results(task.target for task in tasks if task.number not in scheduler.outcomes)
    written = [(file, task) for task in done for file in scheduler.outcomes[task.number].files]
    sink.check(written, [one.path for parts in kept for one in parts])
    if job.rejects is not None:
        job.rejects.check(task.target for task in done if scheduler.outcomes[task.number].rejected)
    commit = ""
    if how.lake is not None:
        files = [file for task in done for file in scheduler.outcomes[task.number].files]
        commit = commit_results(sink, how.lake, kept, files, scheduler.schema)
        record.committed(commit)
    outcomes = list(scheduler.outcomes.values())
    return Report(
        rows=sum(one.rows for one in outcomes) + sum(one.rows for parts in kept for one in parts),
        tasks=len(done) + len(kept),
        kept=len(kept),
        seconds=time.monotonic() - started,
        rows_read=sum(one.rows_read for one in outcomes),
        bytes=sum(task.bytes for task in done),
        bytes_written=sum(one.bytes_written for one in outcomes),
        peak_memory=peak,
        failures=(*dataset.failures, *scheduler.failures),
        rejected=rejected + sum(one.rejected for one in outcomes),
        retries=sum(scheduler.retries.values()),
        run=sink.run,
        commit=commit,
    )


def _prepared(
    sink: Sink, lake: Lake | None, dataset: Source, mode: str, missing_inputs: str, *, delete: bool = True
) -> tuple[Sink, list[list[Result]]]:
    if lake is not None:
        return prepare_lake(sink, lake, dataset, mode, missing_inputs, delete=delete)
    return sink, prepare(sink, dataset, mode, missing_inputs, delete=delete)


def _is_extended(sink: Sink) -> bool:
    """Whether results may have other columns than those that are done."""
    return sink.lake is not None and sink.lake.merge


def _refuse_rows(sink: Sink, lake: Lake | None, mode: str) -> None:
    if mode == "create" and lake is not None:
        refuse_rows(lake)
    elif mode == "create":
        refuse_files(sink)


def _is_in_bucket(sink: Any) -> bool:
    """Whether a sink is more than a bucket, which is refused without asking the store."""
    return isinstance(sink, str) and "/" in sink.partition("://")[2].partition("?")[0].strip("/")


def _probe_all(places: Iterable[Any], filesystem: Any, stores: Mapping[str, str]) -> None:
    """Raise within seconds if a store doesn't answer, once for each URL."""
    if filesystem is None:
        for place in dict.fromkeys(place for place in places if isinstance(place, str)):
            probe(place, stores)


def _lake_schema(lake: Lake, given: pa.Schema | None, *, merge: bool) -> pa.Schema | None:
    """Return the schema of results in a table: that of the caller, or that of the table, unless the table is to be extended."""
    if given is not None:
        given = LakeFacts(lake.format, "", lake.schema, merge=True).fitted(given)
    if lake.schema is None or merge:
        return given
    if given is not None and set(given.names) != set(lake.schema.names):
        raise JagValueError(
            f"schema has the columns {', '.join(given.names)}, but {lake.name} has {', '.join(lake.schema.names)}: "
            'write={"schema_mode": "merge"} adds columns to the table'
        )
    return lake.schema


def _merges(options: dict[str, Any], sink: Any) -> bool:
    """Return whether a table may get more columns; remove the option."""
    found = options.pop("schema_mode", None)
    if found not in (None, "merge"):
        raise JagValueError(f'write: schema_mode must be "merge", got {found!r}')
    if found is not None and not is_table(sink):
        raise JagValueError('write: schema_mode="merge" adds columns to a table of Delta Lake or Iceberg; the sink is a folder')
    return found is not None


def _dry_run(kept: list[list[Result]], dataset: Source, size: int | None, started: float) -> Report:
    tasks = make_tasks(_to_do(dataset, kept), size)
    return Report(
        rows=sum(one.rows for parts in kept for one in parts),
        tasks=len(tasks) + len(kept),
        kept=len(kept),
        seconds=time.monotonic() - started,
        rows_read=sum(task.rows for task in tasks),
        bytes=sum(task.bytes for task in tasks),
        bytes_written=0,
        peak_memory=None,
        failures=dataset.failures,
        dry_run=True,
    )


def _to_do(dataset: Source, kept: list[list[Result]]) -> list[Piece]:
    done = {digest for parts in kept for digest, _ in parts[0].inputs}
    return [piece for piece in dataset.pieces if piece.input not in done]


def _write_record(record: Record) -> None:
    """Write the record; only log if that fails, because an error here would hide how the run ended, and resume needs no record."""
    try:
        record.write()
    except OSError as error:
        _LOG.warning("the record of the run can't be written: %s", error)


def _rejects(
    sink: Sink, dataset: Source, limits: Limits, dead_letter: Any, where: Any, stores: Mapping[str, str]
) -> Rejects | None:
    if limits.on_error != "rows":
        if dead_letter is not None:
            raise JagValueError(
                f'dead_letter is the folder of the rows that on_error="rows" rejects, got on_error="{limits.on_error}"'
            )
        return None
    if dead_letter is None:
        return Rejects.beside(sink.sidecar, limits.max_failures)
    filesystem, folder = locate_file(dead_letter, where, stores, "dead_letter")
    found = Rejects(filesystem, folder.rstrip("/"), limits.max_failures, sink.folder)
    if found != Rejects.beside(sink.sidecar, limits.max_failures):
        _refuse_folder(filesystem, found.folder, sink, dataset)
    return found


def _refuse_folder(filesystem: Any, folder: str, sink: Sink, dataset: Source) -> None:
    """Raise if dead-letter files would be read as input or as results, or would replace results of the same names."""
    real = RealPaths(filesystem)
    refuse_sidecar(real.of(folder), f"dead_letter {folder}")
    inner, outer = real.of(folder) + "/", real.of(sink.folder) + "/"
    if filesystem == sink.filesystem and (inner.startswith(outer) or outer.startswith(inner)):
        raise JagValueError(f"dead_letter {folder} and the sink {sink.folder} lie in one folder: take another folder")
    if filesystem == dataset.filesystem and overlaps(filesystem, folder, dataset):
        raise JagValueError(f"dead_letter {folder} and the source lie in one folder: rejected rows would be read as input")


def _keys(partition_by: Any, dataset: Source, *, keeps_folders: bool) -> tuple[str, ...]:
    if not (partition_by is None or isinstance(partition_by, (str, list, tuple))):
        raise JagTypeError(f"partition_by must be a name or a list of names, got {type(partition_by).__name__}")
    keys = () if partition_by is None else (partition_by,) if isinstance(partition_by, str) else tuple(partition_by)
    wrong = next((key for key in keys if not isinstance(key, str)), None)
    if wrong is not None:
        raise JagTypeError(f"partition_by must be a name or a list of names, got {brief(wrong)} in it")
    if len(set(keys)) < len(keys):
        raise JagValueError(f"partition_by must name each key once, got {brief(partition_by)}")
    twice = next((key for key in keys if key in dataset.partitions.names), None) if keeps_folders else None
    if twice is not None:
        raise JagValueError(f"partition_by names {twice!r}, which folders of the source hold: results keep those folders")
    return keys


@check_arguments
def reduce(  # noqa: PLR0913  (the arguments of a job)
    partial: Callable[[Any], Any],
    combine: Callable[[Any], Any],
    source: Any,
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    columns: Sequence[str] | None = None,
    filters: Any = None,
    frame: Host = "polars",
    batch_bytes: str | int | None = None,
    engine: EngineName = "local",
    workers: int | None = None,
    memory: str | int | None = None,
    on_error: Literal["stop", "skip"] = "stop",
    max_failures: int | None = None,
    timeout: float | None = None,
    progress: bool = True,
) -> Any:
    """Reduce all rows of a Parquet dataset to one result: compute a partial result per batch, then combine them.

    Parameters
    ----------
    partial : callable
        Function from frame to a small frame or any other small value; workers call it once per batch.
    combine : callable
        Function that this process calls once. Its argument is the concatenation of all partial frames in the order of the rows, or
        a list of all partial values if `partial` doesn't return frames. Its return value is the result.
    source, filesystem, storage_options, columns, filters, batch_bytes, workers, memory, max_failures, timeout, progress
        As for `run`.
    engine : {"local", "ray", "dask"}
        As for `run`.
    on_error : {"stop", "skip"}
        As for `run`; failing rows are not searched for.
    frame : {"polars", "pandas", "arrow"}
        Type of the frames that both functions receive.

    Returns
    -------
    object
        The return value of `combine`.

    Raises
    ------
    JobError
        If a task failed and the job stopped, or if every task failed.
    JagTypeError
        If `partial` returned frames for some batches only, or frames with different columns.
    JagTypeError, JagValueError, FileNotFoundError, MissingDependencyError
        As for `run`.

    Notes
    -----
    All partial results are held in memory. With ``on_error="skip"`` a `JagWarning` tells how many tasks the result lacks. For
    input without rows, `combine` receives the partial result of a frame without rows.

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
    limits = Limits(engine, workers, memory, batch_bytes, on_error, timeout=timeout, max_failures=max_failures)
    carried = pickled(partial, "partial")
    if not callable(combine):
        raise JagTypeError(f"combine must be a function, got {type(combine).__name__}")
    stores = check_options(storage_options)
    _probe_all([source], filesystem, stores)
    dataset = _opened(source, filters, filesystem, limits, stores)
    plan = make_plan(dataset.schema, columns, filters)
    job = Job(carried, name_of(partial), plan, dataset.partitions, frame, None)
    with ended_by_signals():
        scheduler, _ = _schedule(job, make_tasks(dataset.pieces), limits, None, progress, len(dataset.failures))
    lost = scheduler.failures
    if lost and not scheduler.outcomes:
        raise JobError(replace(lost[0], error=f"every task failed, the first with {lost[0].error}"))
    if lost or dataset.failures:
        first, count = str((*dataset.failures, *lost)[0]), len(dataset.failures) + len(lost)
        warn(f"reduce: the result lacks the rows of {count} {'task' if count == 1 else 'tasks'} that failed, the first: {first}")
    parts = [part for number in sorted(scheduler.outcomes) for part in scheduler.outcomes[number].partials]
    if not parts:
        parts = [as_partial(partial(make_frame(empty_table(plan.schema), frame)), job.name)]
    return combine(_joined(parts, job.name, frame))


def _schedule(
    job: Job,
    tasks: list[Task],
    limits: Limits,
    schema: pa.Schema | None,
    progress: bool,
    failed: int,
    ended: Callable[[Scheduler], None] = lambda scheduler: None,
    keys: str = "",
) -> tuple[Scheduler, int | None]:
    """Run the tasks; `ended` is called after them, also if one has failed or a signal has stopped them."""
    shown = make_progress(progress and bool(tasks), sum(task.rows for task in tasks), len(tasks), sum(task.bytes for task in tasks))
    shares = limits.shares(len(tasks))
    _LOG.info(
        "job %s: %d tasks, %s engine, %d workers of %s, batches of %s",
        *(job.name, len(tasks), limits.engine, shares.workers, bytes_text(shares.share), bytes_text(shares.batch_bytes)),
    )
    policy = Policy(shares.batch_bytes, shares.share, limits.skip, limits.max_failures, limits.timeout, failed)
    engine = _engine(job._replace(workers=shares.workers), limits, shares) if tasks else _NoEngine()
    watch = job.sink.lease.watch if job.sink is not None and job.sink.lease is not None else lambda: None
    scheduler = Scheduler(job, engine, tasks, schema=schema, policy=policy, progress=shown, watch=watch, keys=keys)
    try:
        scheduler.run()
    finally:
        shown.close()
        ended(scheduler)
    return scheduler, engine.peak_memory


def _opened(source: Any, filters: Any, filesystem: Any, limits: Limits, stores: Mapping[str, str]) -> Source:
    dataset = open_source(source, filters, filesystem, options=stores, skip=limits.skip)
    for failure in dataset.failures:
        _LOG.warning("file is skipped: %s", failure)
    return dataset


class _NoEngine:
    """The engine of a job without remaining tasks; starts no workers."""

    slots, tells_schema, queues, peak_memory = 0, True, False, None

    def start(self, order: Any) -> None:
        raise AssertionError(order)

    def tell(self, number: int, schema: Any) -> None:
        raise AssertionError(number)

    def events(self) -> list[Any]:
        return []

    def stop(self) -> None:
        return


def _engine(job: Job, limits: Limits, shares: Shares) -> Engine:
    if limits.engine == "local":
        return LocalEngine(job, shares.workers, shares.share)
    module = importlib.import_module(f"arrowjag.etl._{limits.engine}")
    engine: Engine = module.connect(job, limits.workers, shares)
    return engine


def _write_options(write: Any) -> dict[str, Any]:
    if write is not None and not isinstance(write, Mapping):
        raise JagTypeError(f"write must be a dict of options ({_WRITE_OPTIONS}), got {type(write).__name__}")
    if write is not None and "partition_by" in write:
        raise JagValueError("write: partition_by is an argument of the job itself, not one of the options of a file")
    options = dict(write or {})
    for name in ("row_group_size", "row_group_values"):
        if name in options:
            integer(options[name], f"write: {name}", 1)
    if not isinstance(options.get("plain", False), bool):
        raise JagTypeError(f"write: plain must be a bool, got {type(options['plain']).__name__}")
    try:
        check_writer({name: value for name, value in options.items() if name != "schema_mode"})
    except (JagTypeError, JagValueError) as error:
        reason = str(error)
        if "unexpected keyword" in reason:
            reason = f"{reason.rpartition(' ')[2]} is none of the options: {_WRITE_OPTIONS}"
        raise type(error)(f"write: {reason.removeprefix('write_parquet: ')}") from None
    for name, value in options.items():
        try:
            pickle.dumps(value)
        except Exception as error:  # noqa: BLE001  (pickle passes on those of any class)
            reason = f"{type(error).__name__}: {joined_lines(error)}"
            raise JagTypeError(f"write: {name} can't be sent to the workers, which write the files: {reason}") from None
    return options


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
        raise JagTypeError(f"{name} returned frames that can't be concatenated: with the columns {columns}")
    try:
        return make_frame(pa.concat_tables(parts, promote_options="permissive"), frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise JagTypeError(f"{name} returned frames that can't be concatenated: {error}") from error
