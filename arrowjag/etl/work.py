"""What a worker does, on every engine: read the batches of a task, transform them, write or gather the results."""

from __future__ import annotations

import functools
import pickle
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from arrowjag.errors import JagTypeError
from arrowjag.etl.amounts import bytes_text
from arrowjag.etl.batches import read_batches
from arrowjag.etl.memory import own_memory
from arrowjag.etl.schema import make_frame, read_frame
from arrowjag.etl.sink import Output, Sink
from arrowjag.etl.tasks import Task
from arrowjag.io.scan import Part, Plan, finish_rows, open_parts

__all__ = [
    "Event",
    "Finished",
    "Job",
    "Order",
    "Outcome",
    "Progressed",
    "SchemaFound",
    "Stopped",
    "TaskError",
    "Worker",
    "as_partial",
    "over_share",
    "run_remotely",
]

_NOT_THEIRS = (str(Path(__file__).parents[1]), str(Path(pa.__file__).parents[1]), str(Path(pickle.__file__).parent))


@dataclass(frozen=True)
class Job:
    """What is done to every batch. `sink` is None in a reduction, whose results go back to the caller."""

    transform: bytes
    name: str
    plan: Plan
    partitions: pa.Schema
    frame: str
    sink: Sink | None


@dataclass(frozen=True)
class Order:
    """One task for a worker: `schema` is None until it is known; a probe ends as soon as it is, and writes nothing.

    `first_bytes` makes the first batch a small one, where other workers wait for the schema.
    """

    task: Task
    batch_bytes: int
    schema: pa.Schema | None = None
    probe: bool = False
    share: int | None = None
    first_bytes: int | None = None


@dataclass(frozen=True)
class Outcome:
    """What came of a task. `schema` is that of its rows; where there are none, that of what the transform makes of none."""

    rows_read: int = 0
    rows: int = 0
    bytes_written: int = 0
    schema: pa.Schema | None = None
    partials: tuple[Any, ...] = ()
    trouble: str = ""
    memory: int | None = None


class TaskError(Exception):
    """A task failed; `kind` is "error", "memory" (worth another try with a smaller batch), "died", or "fatal" for the whole job."""

    def __init__(self, kind: str, error: str, details: str = "", groups: tuple[int, ...] = ()) -> None:
        super().__init__(kind, error, details, groups)  # the arguments, so that it can be pickled
        self.kind, self.error, self.details, self.groups = kind, error, details, groups


@dataclass(frozen=True)
class Progressed:
    """A batch of a task is done."""

    number: int
    rows: int


@dataclass(frozen=True)
class SchemaFound:
    """A task tells the schema of its results before it is done."""

    number: int
    schema: pa.Schema


@dataclass(frozen=True)
class Finished:
    """A task is done or has failed; its worker is free."""

    number: int
    result: Outcome | TaskError


#: What a worker tells.
Event = Progressed | SchemaFound | Finished


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
        If it can't be loaded.
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

    def run(self, order: Order, tell: Callable[[Event], None]) -> Outcome:
        """Run one task.

        Parameters
        ----------
        order : Order
            The task.
        tell : callable
            Is told the rows of each batch, and the schema as soon as it is known.

        Returns
        -------
        Outcome
            What came of it.

        Raises
        ------
        TaskError
            If anything did.
        """
        place = [order.task.row_groups]
        before = own_memory() or 0
        try:
            outcome = self._run(order, place, tell, before)
        except TaskError:
            raise
        except Exception as error:  # noqa: BLE001  (whatever the transform raises is the task's failure)
            raise TaskError("error", one_line(error), traceback.format_exc(), place[0]) from None
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, Stopped)):
                raise
            raise TaskError("error", one_line(error), traceback.format_exc(), place[0]) from None  # panics of polars, sys.exit
        return replace(outcome, memory=own_memory())

    def _run(self, order: Order, place: list[Any], tell: Any, before: int) -> Outcome:
        stored = order.task.stored
        (part,) = open_parts([stored if self.job.plan.filter is None else stored.with_fragment()], self.job.partitions)
        batches = self._batches(part, order, place, tell, before)
        if self.job.sink is None:
            return self._gather(part, batches)
        return self._probe(part, batches) if order.probe else self._write(part, order, batches, tell)

    def _batches(self, part: Part, order: Order, place: list[Any], tell: Any, before: int) -> Iterator[tuple[int, Any]]:
        """Rows and result of each batch."""
        batches = read_batches(part, order.task.row_groups, self.job.plan, order.batch_bytes, first_bytes=order.first_bytes)
        for table, groups in batches:
            place[0] = groups
            rows = table.num_rows
            result = self._transform(make_frame(table, self.job.frame))
            del table
            yield rows, result
            del result
            tell(Progressed(order.task.number, rows))
            held = own_memory()
            if order.share is not None and held is not None and held - before > order.share:
                raise TaskError("memory", over_share(held, order.share), "", groups)

    def _gather(self, part: Part, batches: Iterator[tuple[int, Any]]) -> Outcome:
        rows_read, partials = 0, []
        for rows, result in batches:
            rows_read += rows
            partials.append(as_partial(result, self.job.name))
        return Outcome(rows_read, rows_read, partials=tuple(partials))

    def _probe(self, part: Part, batches: Iterator[tuple[int, Any]]) -> Outcome:
        first = None
        for rows, result in batches:
            table = self._checked(result)
            if table.num_rows:
                return Outcome(rows, table.num_rows, schema=table.schema)
            first = table.schema if first is None else first
        return self._without_rows(part, Outcome(schema=first))

    def _write(self, part: Part, order: Order, batches: Iterator[tuple[int, Any]], tell: Any) -> Outcome:
        assert self.job.sink is not None
        rows_read, first, told = 0, None, order.schema is not None
        with Output(self.job.sink, order.task, order.schema, min(order.batch_bytes, 32_000_000)) as output:
            for rows, result in batches:
                table = self._checked(result)
                rows_read += rows
                first = table.schema if first is None else first
                output.write(table)
                del table, result
                if output.schema is not None and not told:
                    tell(SchemaFound(order.task.number, output.schema))
                    told = True
        outcome = Outcome(rows_read, output.rows, output.bytes, output.schema or first)
        return self._without_rows(part, outcome)

    def _without_rows(self, part: Part, outcome: Outcome) -> Outcome:
        """Where there was no batch at all, ask the transform what it makes of no rows; it need not know."""
        if outcome.schema is not None:
            return outcome
        try:
            return replace(outcome, schema=read_frame(self._transform(_empty_frame(part, self.job)), self.job.name).schema)
        except Exception as error:  # noqa: BLE001  (a transform may fail on no rows: other tasks may have some)
            return replace(outcome, trouble=one_line(error))

    def _checked(self, result: Any) -> pa.Table:
        try:
            return read_frame(result, self.job.name)
        except JagTypeError as error:
            raise TaskError("fatal", str(error)) from None


def _empty_frame(part: Part, job: Job) -> Any:
    """A frame without rows, as the transform would get it."""
    raw = part.stored.empty_table()
    return make_frame(finish_rows(raw, part, 0, job.plan), job.frame)


def as_partial(result: Any, name: str) -> Any:
    """A part of a reduction as it travels: a frame as a table, anything else as it is."""
    is_frame = isinstance(result, (pa.Table, pa.RecordBatch)) or type(result).__name__ in {"DataFrame", "LazyFrame"}
    return read_frame(result, name) if is_frame else result


def one_line(error: BaseException) -> str:
    """An exception as one line: its type, its text, and the last line of the caller's own code on its way."""
    text = " ".join(str(error).split())[:500]
    lines = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith(_NOT_THEIRS)]
    where = f" ({Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else ""
    return f"{type(error).__name__}{': ' if text else ''}{text}{where}"


def over_share(held: int, share: int) -> str:
    """What a task says that held too much."""
    return f"the worker held {bytes_text(held)}, its share of memory= is {bytes_text(share)}; take fewer workers or smaller batches"


def run_remotely(job: bytes, order: Order) -> Outcome | TaskError:
    """Run one task in a process of an engine of others; a failure is returned, because engines wrap what is raised."""
    try:
        return _remote_worker(job).run(order, lambda event: None)
    except TaskError as failed:
        return failed


@functools.lru_cache(maxsize=1)
def _remote_worker(job: bytes) -> Worker:
    return Worker(pickle.loads(job))  # noqa: S301  (made by the process that gives the orders)
