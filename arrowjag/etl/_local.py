"""The local engine: worker processes on this machine, whose memory it monitors.

Workers are fresh interpreters: polars hangs in forked processes, and multiprocessing's spawn would run the main module again.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import IO

import pyarrow as pa

from arrowjag._runtime.processes import import_path, python
from arrowjag.etl._limits import needed_memory
from arrowjag.etl._memory import process_memory
from arrowjag.etl._worker import (
    GRACE_SECONDS,
    Event,
    Finished,
    Job,
    Order,
    Outcome,
    SchemaReply,
    Started,
    TaskError,
    Waits,
    over_share,
    over_time,
)
from arrowjag.io._atomic import remove_temporaries

__all__ = ["THREADS", "LocalEngine"]

# Modules live as long as the process: no collection while they are imported, and none that looks at them later.
_CODE = (
    "import gc, sys, json; sys.path[:] = json.loads(sys.stdin.buffer.raw.read(int(sys.argv[1]))); gc.disable();"
    " from arrowjag.etl._process import serve; gc.freeze(); gc.enable(); serve()"
)
_POLL_SECONDS = 0.05
_SECONDS_TO_END = 5.0
_SECONDS_TO_HEAR = 1.0
# Each worker runs in one thread; the job is parallel across workers.
THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_TIGHT = 1.25
"""Workers that have at most this share of the memory that they need return freed memory to the system soon."""
_FREED_SOON = {"MIMALLOC_PURGE_DELAY": "100"}
"""Milliseconds after which Arrow's allocator returns memory. By default it keeps it for a second, up to two batches of 64 MB; to
return it soon takes up to 8 % more CPU time."""


_LOST = TaskError("lost", "its worker process ended before it began")


class LocalEngine:
    """Worker processes on this machine.

    Parameters
    ----------
    job : Job
        The job.
    workers : int
        Number of processes.
    share : int
        Memory limit per worker in bytes.
    """

    tells_schema = queues = True

    def __init__(self, job: Job, workers: int, share: int) -> None:
        self.slots = workers
        self.peak_memory: int | None = None
        self._job, self._share = pickle.dumps(job), share
        self._events: queue.SimpleQueue[tuple[_Process, Event | None]] = queue.SimpleQueue()
        self._processes: list[_Process] = []

    def start(self, order: Order) -> None:
        """Send an order to an idle process, or to the one with the fewest small tasks to do.

        The first order starts all processes, so that they import libraries concurrently.
        """
        is_tight = self._share <= _TIGHT * needed_memory(order.batch_bytes)
        while len(self._processes) < self.slots:
            self._processes.append(_Process(self._job, self._events, _FREED_SOON if is_tight else {}))
        min(self._processes, key=_Process.load).give(order)

    def tell(self, number: int, schema: pa.Schema | None) -> None:
        """Tell the process of a task that waits the schema, or that the task is to determine it."""
        for process in self._processes:
            if number in process.orders:
                process.tell(SchemaReply(schema))

    def events(self) -> list[Event]:
        """Return the events of all workers; wait briefly if there are none."""
        found: list[Event] = []
        with contextlib.suppress(queue.Empty):
            process, event = self._events.get(timeout=_POLL_SECONDS)
            found += self._heard(process, event)
            while not self._events.empty():
                found += self._heard(*self._events.get())
        self._watch()
        return found

    def _heard(self, process: _Process, event: Event | None) -> list[Event]:
        if process not in self._processes:  # its task is run again
            return []
        if isinstance(event, (Started, Waits)):
            process.at = event.number
            process.since = time.monotonic() if isinstance(event, Started) else None
            return []
        if event is not None:
            if isinstance(event, Finished):
                process.orders.pop(event.number, None)
                if isinstance(event.result, Outcome):
                    process.reported_memory = event.result.memory
            return [event]
        self._processes.remove(process)
        process.close()
        return process.failures()

    def _watch(self) -> None:
        """Kill processes that exceed their limits, and notice those that have ended."""
        held = [(one, process_memory(one.pid) or one.reported_memory) for one in self._processes]
        total = sum(size for _, size in held if size is not None)
        self.peak_memory = max(total, self.peak_memory or 0) or None
        for process, size in held:
            if size is not None and size > self._share and process.over is None:
                process.end_for("memory", over_share(size, self._share, self.slots))
        for process in self._processes:
            order = process.orders.get(process.at)
            limit = None if order is None else order.timeout
            if limit is not None and process.since is not None and time.monotonic() - process.since > limit + GRACE_SECONDS:
                process.end_for("timeout", over_time(limit))
            if process.has_ended():  # the end of its pipe may not show it: a process that it has forked holds the pipe, too
                self._events.put((process, None))

    def stop(self) -> None:
        """Stop all processes."""
        for process in self._processes:
            process.end()
        deadline = time.monotonic() + _SECONDS_TO_END
        for process in self._processes:
            process.wait(max(0.0, deadline - time.monotonic()))
        self._processes = []


@contextlib.contextmanager
def _held_interrupts() -> Iterator[None]:
    """Block SIGINT for processes started in the block: a terminal sends it to all, also to those that import libraries."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Process:
    """One worker process, and the thread that receives its events."""

    def __init__(self, job: bytes, events: queue.SimpleQueue[tuple[_Process, Event | None]], variables: dict[str, str]) -> None:
        path = json.dumps(import_path()).encode()
        environment = dict.fromkeys(THREADS, "1") | variables | os.environ
        command = [*python(), "-c", _CODE, str(len(path))]
        with _held_interrupts():
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)  # noqa: S603
        self.pid = self._child.pid
        self.orders: dict[int, Order] = {}
        self.at = -1  # the task that it began last
        self.since: float | None = None
        self.over: TaskError | None = None
        self.reported_memory: int | None = None
        self._ended: float | None = None
        self._events = events
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._said: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._send(path + job)
        threading.Thread(target=self._say, args=(self._child.stdin,), daemon=True).start()
        threading.Thread(target=self._hear, args=(self._child.stdout,), daemon=True).start()

    def load(self) -> tuple[int, int]:
        """The key by which idle processes come first, so that small tasks do not wait behind a large one."""
        return sum(not order.task.is_small for order in self.orders.values()), len(self.orders)

    def give(self, order: Order) -> None:
        if not self.orders:
            self.since = None
        self.orders[order.task.number] = order
        self._send(pickle.dumps(order))

    def tell(self, reply: SchemaReply) -> None:
        self._send(pickle.dumps(reply))

    def _send(self, content: bytes | None) -> None:
        self._said.put(content)

    def _say(self, stdin: IO[bytes]) -> None:
        """Write to the process, in a thread: it reads nothing while a function holds the GIL, and the pipe takes 64 KiB."""
        with contextlib.suppress(OSError), stdin:  # the process has died; the receiving thread reports it
            while (content := self._said.get()) is not None:
                stdin.write(content)
                stdin.flush()

    def _hear(self, stdout: IO[bytes]) -> None:
        try:
            while True:
                self._events.put((self, pickle.load(stdout)))  # noqa: S301  (from a process that we started)
        except Exception:  # noqa: BLE001  (it has ended, perhaps while it wrote an event)
            stdout.close()
            self._events.put((self, None))

    def has_ended(self) -> bool:
        """Whether the process ended long enough ago that its last events have been received."""
        if self._child.poll() is None:
            return False
        self._ended = time.monotonic() if self._ended is None else self._ended
        return time.monotonic() - self._ended > _SECONDS_TO_HEAR

    def failures(self) -> list[Event]:
        """Return the failures of its tasks: the one at work may be to blame, and those that waited run again."""
        if not self.orders:
            return []
        at = self.at if self.at in self.orders else min(self.orders)
        failed, self.orders = dict.fromkeys(self.orders, _LOST) | {at: self._failure()}, {}
        return [Finished(number, error) for number, error in failed.items()]

    def _failure(self) -> TaskError:
        """Describe how the process ended before its task."""
        self.wait(_SECONDS_TO_END)  # it has closed its output, and may go on
        if self.over is not None:
            return self.over
        code = self._child.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return TaskError("died", f"its worker process {how}")

    def end_for(self, kind: str, reason: str) -> None:
        """Kill the process; its task fails with the given kind and reason."""
        self.over = self.over or TaskError(kind, reason)
        self._child.kill()

    def close(self) -> None:
        self._send(None)

    def end(self) -> None:
        """Close the input of the process and send SIGTERM, so that it removes unfinished files."""
        self.close()
        self._child.terminate()

    def wait(self, seconds: float) -> None:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        remove_temporaries(self.pid)
