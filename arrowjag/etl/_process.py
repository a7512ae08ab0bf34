"""The worker process of the local engine (`_local.py`), which runs the tasks of one job.

The process reads pickled orders from stdin and writes pickled events to its original stdout; output that the transform prints is
redirected to stderr. End of file on stdin means that the driver has ended, and ends this process too.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from arrowjag.etl._signals import ignore
from arrowjag.etl._worker import Event, Finished, Job, Order, Outcome, SchemaReply, Started, Stopped, TaskError, Worker
from arrowjag.io._atomic import Together

__all__ = ["serve"]

_SECONDS_TO_CLEAN_UP = 5.0
_SECONDS_TO_WAIT = 0.5
"""How long results wait for those of the next tasks: a killed worker loses them, and its tasks run again."""


def serve() -> None:
    """Run orders until stdin ends."""
    try:
        _serve()
    except Stopped:
        sys.stderr.flush()
        os._exit(0)


def _serve() -> None:
    stdin, stdout = _take_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends SIGINT to all processes of the group; the driver decides
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # the driver blocked it until here
    signal.signal(signal.SIGTERM, _stop)
    pa.set_cpu_count(1)
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, orders), daemon=True).start()
    worker = _worker(orders.get())
    with Together() as together:
        results = _Results(worker, together, partial(_tell, stdout))
        while True:
            if results.are_due(orders.empty()):
                results.publish()
            order: Order | SchemaReply = orders.get()
            if isinstance(order, SchemaReply):
                continue  # for a task that has ended meanwhile
            if not order.task.is_small:
                results.publish()  # it may take minutes
            try:
                if isinstance(worker, TaskError):
                    raise worker
                _tell(stdout, Started(order.task.number))
                results.add(order.task.number, worker.run(order, partial(_tell, stdout), orders.get, together))
            except TaskError as failed:
                results.publish()
                _tell(stdout, Finished(order.task.number, failed))


class _Results:
    """Results of small tasks that follow each other: their files get their names together, then the driver is told."""

    def __init__(self, worker: Worker | TaskError, together: Together, tell: Callable[[Event], None]) -> None:
        self._worker, self._together, self._tell = worker, together, tell
        self._outcomes: dict[int, Outcome] = {}
        self._since = 0.0

    def add(self, number: int, outcome: Outcome) -> None:
        """Add the outcome of a task, whose files wait for `publish`."""
        self._since = self._since if self._outcomes else time.monotonic()
        self._outcomes[number] = outcome

    def are_due(self, is_idle: bool) -> bool:
        """Return whether to publish: the worker has no other task, or the first result has waited long enough."""
        return bool(self._outcomes) and (is_idle or time.monotonic() - self._since > _SECONDS_TO_WAIT)

    def publish(self) -> None:
        """Publish the files, and tell the driver."""
        outcomes, self._outcomes = self._outcomes, {}
        if not outcomes:
            return
        failed = None
        try:
            assert isinstance(self._worker, Worker)
            self._worker.publish(self._together)
        except TaskError as error:
            failed = error
        for number, outcome in outcomes.items():
            self._tell(Finished(number, failed or outcome))


def _worker(job: Job) -> Worker | TaskError:
    """Create the worker before the first order arrives; return the error if that fails."""
    try:
        return Worker(job)
    except TaskError as failed:
        return failed


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return both pipes under new file descriptors, so that code that reads stdin or prints doesn't disturb them."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return stdin, stdout


def _listen(stdin: BinaryIO, orders: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            orders.put(pickle.load(stdin))  # noqa: S301  (from the process that started this one)
    except (EOFError, OSError, pickle.UnpicklingError):
        # The main thread handles SIGTERM and removes its unfinished files, unless it is killed first.
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_SECONDS_TO_CLEAN_UP)
        os._exit(1)


def _stop(*_: Any) -> None:
    signal.signal(signal.SIGTERM, ignore)
    raise Stopped


def _tell(stdout: BinaryIO, event: Event) -> None:
    try:
        content = pickle.dumps(event)
    except Exception as error:  # noqa: BLE001  (partial results of a reduction may be anything)
        assert isinstance(event, Finished)
        failed = TaskError("fatal", f"a partial result can't be sent to the driver: {type(error).__name__}: {error}")
        content = pickle.dumps(Finished(event.number, failed))
    try:
        stdout.write(content)
        stdout.flush()
    except BrokenPipeError:
        raise Stopped from None
