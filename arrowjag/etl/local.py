"""The engine of one machine: processes of their own, watched for the memory that they hold.

They are fresh interpreters, neither forked (polars hangs in a fork) nor started by multiprocessing, which would run the main
module again.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from typing import IO

from arrowjag.etl.memory import process_memory
from arrowjag.etl.work import Event, Finished, Job, Order, Outcome, TaskError, over_share

__all__ = ["THREADS", "LocalEngine", "cores"]

_CODE = (
    "import sys, json; sys.path[:] = json.loads(sys.stdin.buffer.raw.read(int(sys.argv[1])));"
    " from arrowjag.etl.process import serve; serve()"
)
_POLL_SECONDS = 0.05
_SECONDS_TO_END = 5.0
# One worker works in one thread; parallel are the workers.
THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalEngine:
    """Worker processes on this machine.

    Parameters
    ----------
    job : Job
        The job.
    workers : int
        How many.
    share : int
        Bytes that each may hold.
    """

    tells_schema = True

    def __init__(self, job: Job, workers: int, share: int) -> None:
        self.slots = workers
        self.peak_memory: int | None = None
        self._job, self._share = pickle.dumps(job), share
        self._events: queue.SimpleQueue[tuple[_Process, Event | None]] = queue.SimpleQueue()
        self._processes: list[_Process] = []

    def start(self, order: Order) -> None:
        """Give an order to a process that has none. All are started at the first one, so that they have loaded what they need."""
        while len(self._processes) < self.slots:
            self._processes.append(_Process(self._job, self._events))
        next(one for one in self._processes if one.order is None).give(order)

    def events(self) -> list[Event]:
        """What has happened."""
        found: list[Event] = []
        with contextlib.suppress(queue.Empty):
            process, event = self._events.get(timeout=_POLL_SECONDS)
            found += self._heard(process, event)
            while not self._events.empty():
                found += self._heard(*self._events.get())
        self._watch()
        return found

    def _heard(self, process: _Process, event: Event | None) -> list[Event]:
        if event is not None:
            if isinstance(event, Finished):
                process.order = None
                if isinstance(event.result, Outcome):
                    process.told = event.result.memory
            return [event]
        if process in self._processes:
            self._processes.remove(process)
            process.close()
        order, process.order = process.order, None
        if order is None:
            return []
        return [Finished(order.task.number, process.failure())]

    def _watch(self) -> None:
        """End a process that holds more than its share."""
        held = [(one, process_memory(one.pid) or one.told) for one in self._processes]
        total = sum(size for _, size in held if size is not None)
        self.peak_memory = max(total, self.peak_memory or 0) or None
        for process, size in held:
            if size is not None and size > self._share and process.over is None:
                process.over = over_share(size, self._share)
                process.kill()

    def stop(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.end()
        deadline = time.monotonic() + _SECONDS_TO_END
        for process in self._processes:
            process.wait(max(0.0, deadline - time.monotonic()))
        self._processes = []


class _Process:
    """One worker process, and a thread that hears what it tells."""

    def __init__(self, job: bytes, events: queue.SimpleQueue[tuple[_Process, Event | None]]) -> None:
        path = json.dumps(sys.path).encode()
        environment = dict.fromkeys(THREADS, "1") | os.environ
        command = [sys.executable, "-c", _CODE, str(len(path))]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)  # noqa: S603
        self.pid = self._child.pid
        self.order: Order | None = None
        self.over: str | None = None
        self.told: int | None = None
        self._events = events
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin: IO[bytes] = self._child.stdin
        self._send(path + job)
        threading.Thread(target=self._hear, args=(self._child.stdout,), daemon=True).start()

    def give(self, order: Order) -> None:
        self.order = order
        self._send(pickle.dumps(order))

    def _send(self, content: bytes) -> None:
        with contextlib.suppress(OSError):  # it has died: the thread that hears it tells so
            self._stdin.write(content)
            self._stdin.flush()

    def _hear(self, stdout: IO[bytes]) -> None:
        try:
            while True:
                self._events.put((self, pickle.load(stdout)))  # noqa: S301  (from a process that we started)
        except Exception:  # noqa: BLE001  (it has ended, in the middle of a word perhaps)
            stdout.close()
            self._events.put((self, None))

    def failure(self) -> TaskError:
        """Why it has ended before its task."""
        self._child.wait()
        if self.over is not None:
            return TaskError("memory", self.over)
        code = self._child.returncode
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return TaskError("died", f"its worker process {how}")

    def kill(self) -> None:
        self._child.kill()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stdin.close()

    def end(self) -> None:
        """Let it clean up; an idle one has nothing to clean up."""
        self.close()
        self._child.terminate()

    def wait(self, seconds: float) -> None:
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
