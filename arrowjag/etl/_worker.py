"""The worker of all engines: read the batches of a task, transform them, and write or gather the results."""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import pickle
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from arrowjag._pyarrow_versions import empty_table
from arrowjag.errors import joined_lines
from arrowjag.etl._batches import Origin, read_runs
from arrowjag.etl._memory import own_memory
from arrowjag.etl._output import Output, Written
from arrowjag.etl._rejects import Rejected, Rejects
from arrowjag.etl._schema import conform_result, make_frame, read_frame
from arrowjag.etl._sink import Sink, SinkError, blamed
from arrowjag.etl._tasks import SourceChangedError, Task, Where, verify_unchanged
from arrowjag.etl._units import bytes_text
from arrowjag.etl.report import SinkInUseError
from arrowjag.io._atomic import Together
from arrowjag.io._filters import take_rows
from arrowjag.io._scan import Part, Plan, finish_rows, open_parts

__all__ = [
    "GRACE_SECONDS",
    "Event",
    "Finished",
    "Job",
    "Order",
    "Outcome",
    "Progressed",
    "Retried",
    "SchemaFound",
    "SchemaReply",
    "Started",
    "Stopped",
    "TaskError",
    "Waits",
    "Worker",
    "as_partial",
    "over_share",
    "over_time",
    "run_remotely",
]

#: Workers check the time between batches and name the batch in the error; this much later a task that doesn't return is ended.
GRACE_SECONDS = 0.5
_COMPILED = (".pyx", ".pxi")  # lines of pyarrow, named without its folder
_NOT_THEIRS = (str(Path(__file__).parents[1]), str(Path(pa.__file__).parents[1]), str(Path(pickle.__file__).parent))


class Job(NamedTuple):
    """The function of a job and its options, as sent to workers. `sink` is None for reductions, which return their results.

    `rejects` receives the rows that fail (``on_error="rows"``); `workers` is the number of workers that share the memory.
    """

    transform: bytes
    name: str
    plan: Plan
    partitions: pa.Schema
    frame: str
    sink: Sink | None
    rejects: Rejects | None = None
    workers: int = 1


class Order(NamedTuple):
    """One task for a worker. `schema` is None until it is known; a probe only determines the schema and writes nothing.

    `first_bytes` limits the first batch while other workers wait for the schema. A task that `waits` computes its first result and
    writes it once it is told the schema, which an earlier task determines. `is_careful` is set for a task that held too much
    memory, or whose worker died: it reads few rows at a time.
    """

    task: Task
    batch_bytes: int
    schema: pa.Schema | None = None
    probe: bool = False
    share: int | None = None
    first_bytes: int | None = None
    timeout: float | None = None
    waits: bool = False
    is_careful: bool = False


class SchemaReply(NamedTuple):
    """The schema, for a worker whose task waits for it; None if that task is to determine it."""

    schema: pa.Schema | None


class Outcome(NamedTuple):
    """The result of a task. `schema` is that of the transformed rows or, without rows, of the transformed empty frame."""

    rows_read: int = 0
    rows: int = 0
    files: tuple[Written, ...] = ()
    rejected: int = 0
    schema: pa.Schema | None = None
    partials: tuple[Any, ...] = ()
    trouble: str = ""
    memory: int | None = None

    @property
    def bytes_written(self) -> int:
        """Total bytes of the files of the task."""
        return sum(file.bytes for file in self.files)


class TaskError(Exception):
    """A task failed.

    `kind` is "error", "timeout", "memory" (retried with smaller batches), "died" or, if it waited for its worker when that ended,
    "lost"; "sink" and "fatal" end the whole job.
    `origin` lists the files and row groups of the batch that failed.
    """

    def __init__(self, kind: str, error: str, details: str = "", origin: tuple[Where, ...] = ()) -> None:
        super().__init__(kind, error, details, origin)  # pickle restores exceptions from their arguments
        self.kind, self.error, self.details, self.origin = kind, error, details, origin


class Started(NamedTuple):
    """A worker begins a task, or continues it after it has waited."""

    number: int


class Waits(NamedTuple):
    """A worker has computed the first result of its task and waits for the schema."""

    number: int


class Progressed(NamedTuple):
    """A worker has finished a batch."""

    number: int
    rows: int


class SchemaFound(NamedTuple):
    """A running task has determined the schema of its results."""

    number: int
    schema: pa.Schema


class Finished(NamedTuple):
    """A task is done or has failed; its worker is idle."""

    number: int
    result: Outcome | TaskError


class Retried(NamedTuple):
    """An engine has run a task again by itself, because a worker died; it reports that when the task is done."""

    number: int
    times: int
    reason: str


#: The events that a worker or an engine sends.
Event = Started | Waits | Progressed | SchemaFound | Finished | Retried


class Stopped(BaseException):
    """The process was told to end."""


class Worker:
    """Runs the tasks of one job in this process.

    Parameters
    ----------
    job : Job
        The job; its transform is loaded here.

    Raises
    ------
    TaskError
        If the transform can't be loaded.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        try:
            self._transform = pickle.loads(job.transform)  # noqa: S301  (made by the process that started this one)
        except Stopped:
            raise
        except BaseException as error:  # noqa: BLE001  (code of modules that are imported may raise anything)
            text = f"{job.name} can't be loaded in a worker process: {one_line(error)}"
            raise TaskError("fatal", text, traceback.format_exc()) from None

    def run(
        self,
        order: Order,
        tell: Callable[[Event], None],
        hear: Callable[[], SchemaReply] = lambda: SchemaReply(None),
        together: Together | None = None,
    ) -> Outcome:
        """Run one task.

        Parameters
        ----------
        order : Order
            The task.
        tell : callable
            Called with an event per batch, and with the schema as soon as it is known.
        hear : callable
            Called once if the task waits for the schema; returns when the driver has told it.
        together : Together, optional
            Files of several tasks, to which those of the task are added until `publish`; by default they are published at once.

        Returns
        -------
        Outcome
            The result of the task.

        Raises
        ------
        TaskError
            If the task failed.
        """
        with Together() as alone:
            task = _Task(self.job, self._transform, order, tell, hear, alone if together is None else together)
            try:
                with _of_the_sink():
                    outcome = task.run()
            except (TaskError, KeyboardInterrupt, Stopped):
                raise
            except BaseException as error:  # noqa: BLE001  (whatever the transform raises: panics of polars and sys.exit too)
                cause = error.__cause__  # a generator turns StopIteration into RuntimeError, which names no line of the transform
                raise task.failure(cause if isinstance(cause, StopIteration) else error) from None
            self.publish(alone)
        return outcome._replace(memory=own_memory())

    def publish(self, together: Together) -> None:
        """Give the files of finished tasks their names, provided that the sink is still that of this run.

        Parameters
        ----------
        together : Together
            The files.

        Raises
        ------
        TaskError
            If another run has taken over the sink, or it can't be written.
        """
        sink = self.job.sink
        if sink is None or not together:
            return
        with _of_the_sink(), blamed(sink.folder):
            _check_lease(sink)
            together.publish()


def _check_lease(sink: Sink) -> None:
    """Raise if another run has taken over the sink."""
    if sink.lease is not None:
        with blamed(sink.folder):
            sink.lease.check()


@contextlib.contextmanager
def _of_the_sink() -> Iterator[None]:
    """Convert errors of the sink, which end the job, to those of a task."""
    try:
        yield
    except SinkInUseError as error:
        raise TaskError("fatal", str(error)) from None
    except SinkError as error:
        raise TaskError("sink", error.text, "", ((error.folder, ()),)) from None


class _Task:
    """One run of one task."""

    def __init__(
        self,
        job: Job,
        transform: Any,
        order: Order,
        tell: Callable[[Event], None],
        hear: Callable[[], SchemaReply],
        together: Together,
    ) -> None:
        self._job, self._transform, self._order, self._tell, self._hear = job, transform, order, tell, hear
        self._together = together
        self._schema, self._waits = order.schema, order.waits
        self._first_schema: pa.Schema | None = None  # of the first rows of a batch of which others may fail
        self._origin: tuple[Where, ...] = (order.task.pieces[0].where,)
        self._before, self._started = own_memory() or 0, time.monotonic()
        self._first: Part | None = None
        self._rejected: list[Rejected] = []

    def run(self) -> Outcome:
        if self._job.sink is None:
            return self._gather()
        return self._probe(self._job.sink) if self._order.probe else self._write(self._job.sink)

    def failure(self, error: BaseException) -> TaskError:
        """Convert an exception to the error of the task; a file that was replaced meanwhile takes precedence as the cause."""
        details = "".join(traceback.format_exception(error))
        try:
            if not isinstance(error, SourceChangedError):
                verify_unchanged(self._order.task.pieces)
        except SourceChangedError as cause:
            error = cause
        except (pa.ArrowException, OSError):
            pass  # a damaged footer: the original error is more specific
        if isinstance(error, SourceChangedError):
            resume = "" if self._job.sink is None else ' with mode="resume"'
            return TaskError("error", f"the file {error.text}{resume}", details, (error.where,))
        kind = "memory" if isinstance(error, MemoryError) else "error"
        return TaskError(kind, one_line(error), details, self._origin)

    # ------------------------------------------------------------------------------------------------------- batches

    def _runs(self) -> Iterator[tuple[Part, tuple[int, ...]]]:
        """Open the files in turn; raise if one has changed since the driver read its footer."""
        for piece in self._order.task.pieces:
            self._origin = (piece.where,)
            (part,) = open_parts([piece.stored], self._job.partitions, keep_open=True)
            verify_unchanged([piece], [part.content])
            self._first = self._first or part
            yield part, piece.row_groups

    def _batches(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield per batch its number of rows and its results: one, or several if rows were rejected and the batch was split."""
        order = self._order
        options: dict[str, Any] = {"first_bytes": order.first_bytes, "is_careful": order.is_careful, "blame": self._blame}
        for batch, origin in read_runs(self._runs(), self._job.plan, order.batch_bytes, **options):
            self._origin = origin.places
            rows = batch.num_rows
            results = list(self._results(batch, origin, 0))
            del batch
            yield rows, results
            del results
            self._tell(Progressed(order.task.number, rows))
            self._check_limits()

    def _blame(self, where: Where) -> None:
        self._origin = (where,)

    def _check_limits(self) -> None:
        held, order = own_memory(), self._order
        if order.share is not None and held is not None and held - self._before > order.share:
            raise TaskError("memory", over_share(held, order.share, self._job.workers), "", self._origin)
        if order.timeout is not None and time.monotonic() - self._started > order.timeout:
            raise TaskError("timeout", over_time(order.timeout), "", self._origin)

    def _results(self, batch: pa.Table, origin: Origin, start: int) -> Iterator[Any]:
        """Yield the results of rows of a batch, of which `batch` holds those from `start` on."""
        if self._job.rejects is None:
            yield self._result(batch)
            return
        try:
            result = self._result(batch)
        except SinkError:  # of the columns, whatever the rows
            raise
        except Exception as error:  # noqa: BLE001  (whatever the transform raises)
            if batch.num_rows == 1:
                self._reject(batch, error, origin.at(start))
                return
        else:
            yield result
            return
        middle = batch.num_rows // 2
        yield from self._results(batch.slice(0, middle), origin, start)
        yield from self._results(batch.slice(middle), origin, start + middle)

    def _reject(self, row: pa.Table, error: Exception, where: Where) -> None:
        path, groups = where
        kept = take_rows(row, np.zeros(1, np.int64))  # a copy: a slice would keep the whole batch in memory
        self._rejected.append(Rejected(kept, path, groups, one_line(error)))
        most = self._job.rejects.most if self._job.rejects is not None else None
        if most is not None and len(self._rejected) > most:
            raise TaskError("fatal", f"more than max_failures={most} rows fail, the last with {one_line(error)}", "", self._origin)

    def _result(self, batch: pa.Table) -> Any:
        result = self._transform(make_frame(batch, self._job.frame))
        if self._job.sink is None:
            return as_partial(result, self._job.name)
        table = read_frame(result, self._job.name)
        return table if self._job.rejects is None else self._conformed(table, self._job.sink)

    def _conformed(self, table: pa.Table, sink: Sink) -> pa.Table:
        """Cast a result before it is written, so that rows that don't fit the schema are rejected too."""
        self._await_schema(table)
        known = self._schema or self._first_schema
        if known is not None:
            return conform_result(table, known)
        table = sink.fitted(table)
        if table.num_rows:
            self._first_schema = table.schema
        return table

    def _await_schema(self, table: pa.Table) -> None:
        """Wait for the schema if these are the first rows of a task that doesn't determine it; stop the clock meanwhile."""
        if not (self._waits and table.num_rows):
            return
        since = time.monotonic()
        self._tell(Waits(self._order.task.number))
        self._schema, self._waits = self._hear().schema, False
        self._tell(Started(self._order.task.number))
        self._started += time.monotonic() - since

    # ------------------------------------------------------------------------------------------------------- outcomes

    def _gather(self) -> Outcome:
        rows_read, partials = 0, []
        for rows, results in self._batches():
            rows_read += rows
            partials += results
        verify_unchanged(self._order.task.pieces)
        return Outcome(rows_read, rows_read, partials=tuple(partials))

    def _probe(self, sink: Sink) -> Outcome:
        first = None
        for rows, results in self._batches():
            for result in results:
                table = sink.fitted(result)
                if table.num_rows:
                    return Outcome(rows, table.num_rows, schema=table.schema)
                first = table.schema if first is None else first
        return self._without_rows(Outcome(schema=first))

    def _write(self, sink: Sink) -> Outcome:
        order = self._order
        rows_read, first = 0, None
        with Output(sink, order.task, order.schema, min(order.batch_bytes, 32_000_000), together=self._together) as output:
            for rows, results in self._batches():
                rows_read += rows
                for table in map(sink.fitted, results):
                    first = table.schema if first is None else first
                    self._await_schema(table)
                    output.schema = output.schema or self._schema
                    output.write(table)
                    del table  # the next batch is read after the last one is freed
                del results
                if output.schema is not None and self._schema is None:
                    self._schema = output.schema
                    self._tell(SchemaFound(order.task.number, output.schema))
            verify_unchanged(order.task.pieces)
            if self._job.rejects is not None:
                _check_lease(sink)
                self._job.rejects.write(order.task, self._rejected)
            output.rejected = len(self._rejected)
        rejected = len(self._rejected)
        return self._without_rows(Outcome(rows_read, output.rows, output.files, rejected, output.schema or first))

    def _without_rows(self, outcome: Outcome) -> Outcome:
        """If there were no batches, add the schema of the transformed empty frame; the transform may fail on it."""
        if outcome.schema is not None:
            return outcome
        try:
            part = self._first or open_parts([self._order.task.pieces[0].stored], self._job.partitions)[0]
            frame = self._transform(_empty_frame(part, self._job))
            table = read_frame(frame, self._job.name)
            return outcome._replace(schema=(table if self._job.sink is None else self._job.sink.fitted(table)).schema)
        except SinkError:
            raise
        except Exception as error:  # noqa: BLE001  (a transform may fail on no rows: other tasks may have some)
            return outcome._replace(trouble=one_line(error))


def _empty_frame(part: Part, job: Job) -> Any:
    """Return an empty frame with the columns that the transform receives."""
    raw = empty_table(part.stored)
    return make_frame(finish_rows(raw, part, 0, job.plan), job.frame)


def as_partial(result: Any, name: str) -> Any:
    """Prepare a partial result for sending: convert frames to tables, return other values unchanged."""
    is_frame = isinstance(result, (pa.Table, pa.RecordBatch)) or type(result).__name__ in {"DataFrame", "LazyFrame"}
    return read_frame(result, name) if is_frame else result


def one_line(error: BaseException) -> str:
    """Format an exception in one line: type, text, and the innermost line of the user's code in the traceback."""
    try:
        text = joined_lines(error)[:500]
    except Exception as failed:  # noqa: BLE001  (a class of the user's code may have a faulty __str__)
        text = f"(its text can't be created: {type(failed).__name__})"
    trace = traceback.extract_tb(error.__traceback__)
    lines = [one for one in trace if not (one.filename.startswith(_NOT_THEIRS) or one.filename.endswith(_COMPILED))]
    where = f" ({Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def over_share(held: int, share: int, workers: int) -> str:
    """Error message for a task over its memory limit."""
    advice = f"take fewer workers (now {workers})," if workers > 1 else "give more memory"
    return f"the worker held {bytes_text(held)}, its share of memory= is {bytes_text(share)}; {advice} or smaller batches"


def over_time(limit: float) -> str:
    """Error message for a task over its time limit."""
    return f"the task took longer than timeout={limit:g} seconds"


def run_remotely(job: bytes, order: Order) -> Outcome | TaskError:
    """Run one task in a process of Ray or Dask; return a failure instead of raising, because they wrap exceptions.

    With a time limit the task runs in a thread of its own, so that this function returns in time. A thread can't be killed: Python
    code in it is interrupted, a call that never returns is abandoned with it.
    """
    if order.timeout is None:
        return _run_one(job, order)
    results: queue.SimpleQueue[Outcome | TaskError | BaseException] = queue.SimpleQueue()
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(_run_into, results, job, order), daemon=True, name="arrowjag-task")
    thread.start()
    try:
        found = results.get(timeout=order.timeout + GRACE_SECONDS)
    except queue.Empty:
        _interrupt(thread)
        return TaskError("timeout", over_time(order.timeout))
    if isinstance(found, BaseException) and not isinstance(found, TaskError):
        raise found
    return found


def _run_one(job: bytes, order: Order) -> Outcome | TaskError:
    try:
        return _remote_worker(job).run(order, lambda event: None)
    except TaskError as failed:
        return failed


def _run_into(results: queue.SimpleQueue[Outcome | TaskError | BaseException], job: bytes, order: Order) -> None:
    try:
        results.put(_run_one(job, order))
    except BaseException as error:  # noqa: BLE001  (the thread that waits raises it again)
        results.put(error)


def _interrupt(thread: threading.Thread) -> None:
    """Raise `Stopped` in a thread at its next line of Python, so that it removes its unfinished files."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))
    thread.join(GRACE_SECONDS)


@functools.lru_cache(maxsize=1)
def _remote_worker(job: bytes) -> Worker:
    return Worker(pickle.loads(job))  # noqa: S301  (made by the process that gives the orders)
