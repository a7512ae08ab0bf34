"""The loop of a job: orders out, events in, until every task is done or the first has failed."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, replace

import pyarrow as pa

from arrowjag.etl.amounts import bytes_text
from arrowjag.etl.engine import Engine
from arrowjag.etl.progress import Progress
from arrowjag.etl.report import Failure, JobError
from arrowjag.etl.sink import Output
from arrowjag.etl.tasks import Task
from arrowjag.etl.work import Event, Finished, Job, Order, Outcome, Progressed, TaskError

__all__ = ["Drive"]

_LOG = logging.getLogger("arrowjag.etl")
_FIRST = 16  # the part of a batch that tells the schema, for which all workers but one wait
_LIVES = 3  # a worker may die for reasons that have nothing to do with its task


@dataclass(frozen=True)
class _Try:
    """A task, and what it has been through."""

    task: Task
    batch_bytes: int
    deaths: int = 0
    halved: bool = False
    rows: int = 0


class Drive:
    """One run of a job.

    Parameters
    ----------
    job : Job
        What to do.
    engine : Engine
        Where to do it.
    tasks : list of Task
        What is to be done, in order.
    schema : pa.Schema or None
        That of the results, where it is known.
    batch_bytes : int
        Bytes of a batch.
    share : int
        Memory of a worker.
    skip : bool
        Whether a failed task is passed over.
    progress : Progress
        Is told what is done.
    """

    def __init__(
        self,
        job: Job,
        engine: Engine,
        tasks: list[Task],
        *,
        schema: pa.Schema | None,
        batch_bytes: int,
        share: int,
        skip: bool,
        progress: Progress,
    ) -> None:
        self.schema = schema
        self.outcomes: dict[int, Outcome] = {}
        self.failures: list[Failure] = []
        self._job, self._engine, self._share, self._skip, self._progress = job, engine, share, skip, progress
        self._waiting = deque(_Try(task, batch_bytes) for task in tasks)
        self._running: dict[int, tuple[_Try, Order]] = {}
        self._empty: list[tuple[Task, Outcome]] = []

    def run(self) -> None:
        """Run until all is done.

        Raises
        ------
        JobError
            If a task failed that may not be skipped.
        """
        try:
            while self._waiting or self._running:
                self._give_orders()
                for event in self._engine.events():
                    self._hear(event)
            self._write_empty()
        finally:
            self._engine.stop()
            if self._job.sink is not None and self._running:
                self._job.sink.remove_parts([attempt.task for attempt, _ in self._running.values()])

    def _knows_schema(self) -> bool:
        return self._job.sink is None or self.schema is not None

    def _give_orders(self) -> None:
        """As many as there are workers; a single one as long as nobody knows the schema."""
        while self._waiting and len(self._running) < (self._engine.slots if self._knows_schema() else 1):
            attempt = self._waiting.popleft()
            probe = not self._knows_schema() and not self._engine.tells_schema
            is_awaited = not self._knows_schema() and bool(self._waiting) and self._engine.slots > 1
            first_bytes = attempt.batch_bytes // _FIRST if is_awaited else None
            order = Order(attempt.task, attempt.batch_bytes, self.schema, probe, self._share, first_bytes)
            self._running[attempt.task.number] = attempt, order
            _LOG.debug("task %s starts", attempt.task.name)
            self._engine.start(order)

    def _hear(self, event: Event) -> None:
        if event.number not in self._running:
            return
        if isinstance(event, Progressed):
            attempt, order = self._running[event.number]
            self._running[event.number] = replace(attempt, rows=attempt.rows + event.rows), order
            self._progress.advance(event.rows)
        elif isinstance(event, Finished):
            attempt, order = self._running.pop(event.number)
            if isinstance(event.result, TaskError):
                self._failed(attempt, event.result)
            else:
                self._done(attempt, order, event.result)
        elif self.schema is None:
            self.schema = event.schema

    def _done(self, attempt: _Try, order: Order, outcome: Outcome) -> None:
        if order.probe and outcome.rows:
            self.schema = outcome.schema
            self._waiting.appendleft(attempt)
            return
        if self._job.sink is not None and order.schema is None and not outcome.rows:
            self._empty.append((attempt.task, outcome))
        self.outcomes[attempt.task.number] = outcome
        self._progress.advance(outcome.rows_read - attempt.rows)
        self._progress.task_done()
        _LOG.debug("task %s is done: %d rows in, %d out", attempt.task.name, outcome.rows_read, outcome.rows)

    def _failed(self, attempt: _Try, failed: TaskError) -> None:
        self._progress.advance(-attempt.rows)
        again = self._next_try(replace(attempt, rows=0), failed)
        if again is not None:
            _LOG.warning(
                "task %s is tried again, batches of %s: %s", attempt.task.name, bytes_text(again.batch_bytes), failed.error
            )
            self._waiting.appendleft(again)
            return
        failure = Failure(attempt.task.path, failed.groups or attempt.task.row_groups, failed.error, failed.details)
        if failed.kind == "fatal" or not self._skip:
            raise JobError(failure)
        _LOG.warning("task failed and is skipped: %s", failure)
        self.failures.append(failure)
        self._progress.task_failed(failure)

    def _next_try(self, attempt: _Try, failed: TaskError) -> _Try | None:
        """Half the batch, once, for a worker that held too much; a worker that died may have done so for the same reason."""
        half = max(1, attempt.batch_bytes // 2)
        if failed.kind == "memory" and not attempt.halved:
            return replace(attempt, batch_bytes=half, halved=True)
        if failed.kind == "died" and attempt.deaths + 1 < _LIVES:
            return replace(attempt, batch_bytes=half, deaths=attempt.deaths + 1)
        return None

    def _write_empty(self) -> None:
        """Files without rows, of tasks that were done before anybody knew the schema."""
        if not self._empty or self._job.sink is None:
            return
        if self.schema is None:
            self.schema = next((outcome.schema for _, outcome in self._empty if outcome.schema is not None), None)
        if self.schema is None:
            task, outcome = self._empty[0]
            text = f"no batch has rows, and {self._job.name} fails on a frame without rows: {outcome.trouble}; say schema="
            raise JobError(Failure(task.path, task.row_groups, text))
        for task, outcome in self._empty:
            with Output(self._job.sink, task, self.schema, 1) as output:
                pass
            self.outcomes[task.number] = replace(outcome, bytes_written=output.bytes)
