"""The scheduler of a job: sends orders to an engine and handles its events until every task is done or one has failed."""

from __future__ import annotations

import heapq
import logging
import math
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

import pyarrow as pa

from arrowjag.etl._engine import Engine
from arrowjag.etl._output import Output
from arrowjag.etl._progress import Progress
from arrowjag.etl._tasks import Task
from arrowjag.etl._units import bytes_text
from arrowjag.etl._worker import Event, Finished, Job, Order, Outcome, Progressed, Retried, SchemaFound, TaskError
from arrowjag.etl.report import Failure, JobError

__all__ = ["Policy", "Scheduler"]

_LOG = logging.getLogger("arrowjag.etl")
_FIRST = 16  # the first batch is 1/16 of a batch: all other workers wait for the schema with their first results
# Small tasks wait at workers, which otherwise wait for orders: for at most this time, and only a part of those that remain, so that
# all workers end at the same time.
_SECONDS_OF_WORK = 0.5
_MOST_WAITING = 64
_PARTS = 4
_LIVES = 3  # retries of a task whose worker died, which may have causes other than the task


class Policy(NamedTuple):
    """Limits and failure handling: batch size, memory per worker, whether failed tasks are skipped, and the time limit per task.

    `failed` is the number of failures before the first task: rows that earlier runs have rejected, or files without a footer.
    """

    batch_bytes: int
    share: int
    skip: bool = False
    max_failures: int | None = None
    timeout: float | None = None
    failed: int = 0


class _Try(NamedTuple):
    """A task with the history of its attempts."""

    task: Task
    batch_bytes: int
    deaths: int = 0
    halved: bool = False
    rows: int = 0


class Scheduler:
    """One run of a job.

    Parameters
    ----------
    job : Job
        The job.
    engine : Engine
        Runs the tasks.
    tasks : list of Task
        The tasks, in order.
    schema : pa.Schema or None
        Schema of the results, if known.
    policy : Policy
        Limits of tasks and handling of failures.
    progress : Progress
        Receives the progress of the job.
    watch : callable
        Called once per iteration of the event loop; raises to stop the job.
    keys : str
        Partition folders of a result of an earlier run, for the files of tasks without rows.
    """

    def __init__(
        self,
        job: Job,
        engine: Engine,
        tasks: list[Task],
        *,
        schema: pa.Schema | None,
        policy: Policy,
        progress: Progress,
        watch: Callable[[], None] = lambda: None,
        keys: str = "",
    ) -> None:
        self.schema = schema
        self.outcomes: dict[int, Outcome] = {}
        self.failures: list[Failure] = []
        self.retries: dict[int, int] = {}
        self._job, self._engine, self._policy, self._progress = job, engine, policy, progress
        self._watch, self._keys = watch, keys
        self._names = {task.number: task.name for task in tasks}
        # A heap: every step of a job asks for the first task, and a job may have many.
        self._waiting: list[tuple[float, int, _Try]] = [(0.0, task.number, _Try(task, policy.batch_bytes)) for task in tasks]
        self._running: dict[int, tuple[_Try, Order]] = {}
        self._empty: list[tuple[Task, Outcome]] = []
        self._untold: set[int] = set()
        self._held: dict[int, TaskError] = {}
        self._rejected = self._large = 0
        self._is_sorted = False
        self._ends = deque([time.monotonic()], maxlen=_MOST_WAITING + _PARTS * engine.slots)

    def run(self) -> None:
        """Run until all tasks are done.

        Raises
        ------
        JobError
            If a task failed and the policy doesn't allow skipping it.
        """
        try:
            self._check_failures(None)
            while self._waiting or self._running:
                self._watch()
                self._give_orders()
                events = self._engine.events()
                for event in events:
                    self._hear(event)
                self._settle()
                if not events:
                    self._progress.show()  # a batch, or a task of a cluster, may take minutes
            self._write_empty()
        finally:
            self._engine.stop()
            if self._job.sink is not None and self._names:
                self._job.sink.remove_parts()  # those that killed workers have left

    def _knows_schema(self) -> bool:
        return self._job.sink is None or self.schema is not None

    def _first(self) -> int | None:
        """Return the task that determines an unknown schema: the first, in the order of the files, that may still have rows."""
        return min((*self._running, *(number for _, number, _ in self._waiting[:1])), default=None)

    def _wait_again(self, attempt: _Try) -> None:
        """Let a task run again, before those that have not started."""
        heapq.heappush(self._waiting, (-math.inf if self._is_sorted else 0.0, attempt.task.number, attempt))

    def _give_orders(self) -> None:
        """Submit up to `slots` tasks; only one until the schema is known, if the engine can't tell it to running tasks."""
        engine = self._engine
        if engine.slots > 1 and self._knows_schema() and not self._is_sorted:  # a large task that starts last would end alone
            self._waiting = [(-float(attempt.task.bytes), number, attempt) for _, number, attempt in self._waiting]
            heapq.heapify(self._waiting)
            self._is_sorted = True
        while self._waiting and self._has_room():
            is_known = self._knows_schema()
            first = None if is_known else self._first()
            _, number, attempt = heapq.heappop(self._waiting)
            waits = not is_known and number != first
            is_awaited = not is_known and not waits and bool(self._waiting) and engine.slots > 1
            order = Order(
                attempt.task,
                attempt.batch_bytes,
                self.schema,
                probe=not is_known and not engine.tells_schema,
                share=self._policy.share,
                first_bytes=attempt.batch_bytes // _FIRST if is_awaited else None,
                timeout=self._policy.timeout,
                waits=waits,
                is_careful=attempt.halved or attempt.deaths > 0,
            )
            self._running[number] = attempt, order
            self._large += not attempt.task.is_small
            if waits:
                self._untold.add(number)
            _LOG.debug("task %s starts", attempt.task.name)
            engine.start(order)

    def _has_room(self) -> bool:
        """Return whether the engine takes the next task, which is the only one until the schema is known if it can't be told."""
        engine = self._engine
        if not (engine.tells_schema or self._knows_schema()):
            return not self._running
        if len(self._running) < engine.slots:
            return True
        if not (engine.queues and self._knows_schema()):
            return False
        if not self._waiting[0][2].task.is_small:
            return self._large < engine.slots
        return len(self._running) - self._large < (engine.slots - self._large) * self._depth()

    def _depth(self) -> int:
        """Return how many small tasks each worker gets at once, from the time that tasks have taken and the number that remain."""
        slots = self._engine.slots
        pace = (len(self._ends) - 1) / max(1e-9, time.monotonic() - self._ends[0])
        return max(1, min(_MOST_WAITING, int(_SECONDS_OF_WORK * pace / slots), len(self._waiting) // (_PARTS * slots)))

    def _stopped(self, number: int) -> tuple[_Try, Order]:
        attempt, order = self._running.pop(number)
        self._large -= not attempt.task.is_small
        return attempt, order

    def _settle(self) -> None:
        """Handle failures that were held back, and tell tasks the schema that they wait for, or that they determine it."""
        while (number := self._settled(self._held)) is not None:
            attempt, _ = self._stopped(number)
            self._failed(attempt, self._held.pop(number))
        while (number := self._settled(self._untold)) is not None:
            self._untold.remove(number)
            self._engine.tell(number, self.schema)

    def _settled(self, numbers: Iterable[int]) -> int | None:
        """Return the first of these tasks that no longer depends on an earlier one."""
        first = min(numbers, default=None)
        return first if first is not None and (self._knows_schema() or first == self._first()) else None

    def _hear(self, event: Event) -> None:
        if isinstance(event, Retried):
            self.retries[event.number] = self.retries.get(event.number, 0) + event.times
            _LOG.warning("task %s was tried again: %s", self._names[event.number], event.reason)
            return
        if event.number not in self._running:
            return
        if isinstance(event, Progressed):
            attempt, order = self._running[event.number]
            self._running[event.number] = attempt._replace(rows=attempt.rows + event.rows), order
            self._progress.advance(event.rows)
        elif isinstance(event, Finished):
            self._untold.discard(event.number)
            if isinstance(event.result, TaskError):
                self._held[event.number] = event.result
                return
            attempt, order = self._stopped(event.number)
            self._done(attempt, order, event.result)
        elif isinstance(event, SchemaFound) and self.schema is None:
            self.schema = event.schema

    def _done(self, attempt: _Try, order: Order, outcome: Outcome) -> None:
        if order.probe and outcome.rows:
            self.schema = outcome.schema
            self._wait_again(attempt)
            return
        if self._job.sink is not None and not outcome.rows and not outcome.files:
            self._empty.append((attempt.task, outcome))
        self.outcomes[attempt.task.number] = outcome
        self._ends.append(time.monotonic())
        self._rejected += outcome.rejected
        self._check_failures(Failure(attempt.task.path, attempt.task.row_groups, ""))
        self._progress.advance(outcome.rows_read - attempt.rows)
        self._progress.task_done()
        _LOG.debug("task %s is done: %d rows in, %d out", attempt.task.name, outcome.rows_read, outcome.rows)

    def _check_failures(self, last: Failure | None) -> None:
        """Raise if there are more failures than the policy allows; `last` is None before the first task."""
        most, rejects = self._policy.max_failures, self._job.rejects
        count = self._policy.failed + (len(self.failures) if rejects is None else self._rejected)
        if most is None or count <= most:
            return
        noun = "row" if rejects is not None else "file" if last is None else "task"
        text = f"{count} {noun} has" if count == 1 else f"{count} {noun}s have"
        text += f" failed{'' if last is not None else ' before the first task'}, more than max_failures={most}"
        if last is not None:
            raise JobError(replace(last, error=f"{text}, the last with {last.error}" if last.error else text))
        raise JobError(Failure("the source" if self._job.sink is None else self._job.sink.folder, (), text))

    def _failed(self, attempt: _Try, failed: TaskError) -> None:
        self._progress.advance(-attempt.rows)
        if failed.kind == "lost":
            self._wait_again(attempt._replace(rows=0))
            return
        again = self._next_try(attempt._replace(rows=0), failed)
        if again is not None:
            _LOG.warning(
                "task %s is tried again, batches of %s: %s", attempt.task.name, bytes_text(again.batch_bytes), failed.error
            )
            self.retries[attempt.task.number] = self.retries.get(attempt.task.number, 0) + 1
            self._wait_again(again)
            return
        failure = self._failure(attempt.task, failed)
        if failed.kind in {"fatal", "sink"} or not self._policy.skip:
            raise JobError(failure)
        _LOG.warning("task failed and is skipped: %s", failure)
        self.failures.append(failure)
        self._check_failures(failure)
        self._progress.task_failed()

    def _failure(self, task: Task, failed: TaskError) -> Failure:
        origin = failed.origin or tuple(piece.where for piece in task.pieces)
        (file, groups), more = origin[0], len(origin) - 1
        also = f" (the batch holds rows of {more} more {'file' if more == 1 else 'files'})" if more else ""
        return Failure(file, groups, failed.error + also, failed.details)

    def _next_try(self, attempt: _Try, failed: TaskError) -> _Try | None:
        """Return the retry with half the batch size, or None; a worker that died may have exceeded its memory too."""
        half = max(1, attempt.batch_bytes // 2)
        if failed.kind == "memory" and not attempt.halved:
            return attempt._replace(batch_bytes=half, halved=True)
        if failed.kind == "died" and attempt.deaths + 1 < _LIVES:
            return attempt._replace(batch_bytes=half, deaths=attempt.deaths + 1)
        return None

    def _write_empty(self) -> None:
        """Write the files of tasks without rows that ended before the schema, or the partition folder of a result, was known."""
        if not self._empty or self._job.sink is None:
            return
        if self.schema is None:
            self.schema = next((outcome.schema for _, outcome in self._empty if outcome.schema is not None), None)
        if self.schema is None:
            task, outcome = self._empty[0]
            count = sum(outcome.rejected for outcome in self.outcomes.values())
            what = f"all results are empty and {count} rows rejected" if count else "no batch has rows"
            text = f"{what}, and {self._job.name} fails on a frame without rows: {outcome.trouble}; pass schema="
            raise JobError(Failure(task.path, task.row_groups, text))
        keys = min((file.keys for outcome in self.outcomes.values() for file in outcome.files), default=self._keys)
        for task, outcome in self._empty:
            with Output(self._job.sink, task, self.schema, 1, empty=keys) as output:
                output.rejected = outcome.rejected
            self.outcomes[task.number] = outcome._replace(files=output.files)
