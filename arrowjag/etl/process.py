"""The other side of `local.py`: a process that runs the tasks of one job.

Orders come as pickles on stdin, what happens goes as pickles to what was stdout when the process started; whatever the transform
prints goes to stderr. Where stdin ends, the process that gave the orders has ended, and so does this one.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import time
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from arrowjag.etl.work import Event, Finished, Job, Order, Stopped, TaskError, Worker

__all__ = ["serve"]

_SECONDS_TO_CLEAN_UP = 5.0


def serve() -> None:
    """Run orders until there are no more."""
    stdin, stdout = _take_streams()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to everybody: the process that gives the orders decides
    signal.signal(signal.SIGTERM, _stop)
    pa.set_cpu_count(1)
    orders: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(stdin, orders), daemon=True).start()
    try:
        worker = _worker(orders.get())
        while True:
            order: Order = orders.get()
            try:
                if isinstance(worker, TaskError):
                    raise worker
                _tell(stdout, Finished(order.task.number, worker.run(order, partial(_tell, stdout))))
            except TaskError as failed:
                _tell(stdout, Finished(order.task.number, failed))
    except Stopped:
        sys.stderr.flush()
        os._exit(0)


def _worker(job: Job) -> Worker | TaskError:
    """The worker, or why there is none; made before the first order comes."""
    try:
        return Worker(job)
    except TaskError as failed:
        return failed


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of reach of code that reads stdin or prints."""
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
        # The main thread removes what it was writing, if it gets to it in time.
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_SECONDS_TO_CLEAN_UP)
        os._exit(1)


def _stop(*_: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped


def _tell(stdout: BinaryIO, event: Event) -> None:
    try:
        content = pickle.dumps(event)
    except Exception as error:  # noqa: BLE001  (partial results of a reduction may be anything)
        assert isinstance(event, Finished)
        failed = TaskError("fatal", f"a result can't travel to the process that combines them: {type(error).__name__}: {error}")
        content = pickle.dumps(Finished(event.number, failed))
    try:
        stdout.write(content)
        stdout.flush()
    except BrokenPipeError:
        raise Stopped from None
