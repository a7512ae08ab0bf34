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
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa

from arrowjag.etl._signals import ignore
from arrowjag.etl._worker import Event, Finished, Job, Order, Started, Stopped, TaskError, Told, Worker

__all__ = ["serve"]

_SECONDS_TO_CLEAN_UP = 5.0


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
    while True:
        order: Order | Told = orders.get()
        if isinstance(order, Told):
            continue  # for a task that has ended meanwhile
        try:
            if isinstance(worker, TaskError):
                raise worker
            _tell(stdout, Started(order.task.number))
            _tell(stdout, Finished(order.task.number, worker.run(order, partial(_tell, stdout), orders.get)))
        except TaskError as failed:
            _tell(stdout, Finished(order.task.number, failed))


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
