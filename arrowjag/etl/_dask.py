"""The Dask engine: each task runs as a future, which writes its own result file as a local worker does."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import pickle
import queue
import time
import uuid
from typing import Any

from arrowjag.errors import JagValueError, MissingDependencyError
from arrowjag.etl._limits import Shares
from arrowjag.etl._worker import Event, Finished, Job, Order, Outcome, Retried, TaskError, run_remotely
from arrowjag.etl.report import Failure, JobError

__all__ = ["DaskEngine", "connect"]

_LOG = logging.getLogger("arrowjag.etl")
_WAIT_SECONDS = 0.2
_CONNECT_SECONDS = 10
# The client reconnects by itself; after this many seconds without a connection the scheduler counts as dead.
_LOST_SECONDS = 30.0
_CLOSE_SECONDS = 5


def connect(job: Job, workers: int | None, shares: Shares) -> DaskEngine:
    """Connect to the client of this process or to the scheduler at ``DASK_SCHEDULER_ADDRESS``; otherwise start local workers.

    Parameters
    ----------
    job : Job
        The job.
    workers : int or None
        Concurrent tasks; by default two per thread of the cluster, so that no thread waits for its next task.
    shares : Shares
        Number of local workers to start, and the memory limit per worker. Each worker checks its memory after each batch; Dask
        limits local workers in addition.

    Returns
    -------
    DaskEngine
        Ready to run tasks.

    Raises
    ------
    MissingDependencyError
        If distributed is not installed.
    JagValueError
        If no scheduler answers at the address.
    """
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError.of("distributed", "dask", 'a job with engine="dask"') from None
    owned = contextlib.ExitStack()
    try:
        client = distributed.get_client()
    except ValueError:
        client = owned.enter_context(_client(distributed, owned, shares))
    return DaskEngine(client, owned, job, workers)


def _client(distributed: Any, owned: contextlib.ExitStack, shares: Shares) -> Any:
    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        try:
            # A client that can't parse its address has no loop to close, and waits 20 seconds for it when Python ends.
            distributed.comm.get_address_host(address)
            return distributed.Client(address, set_as_default=False, timeout=_CONNECT_SECONDS)
        except (OSError, ValueError, TypeError) as error:
            text = next(iter(str(error).splitlines()), "") or type(error).__name__
            raise JagValueError(f"DASK_SCHEDULER_ADDRESS={address}: no Dask scheduler answers there: {text}") from None
    cluster = distributed.LocalCluster(
        n_workers=shares.workers,
        threads_per_worker=1,
        memory_limit=shares.share,
        dashboard_address=None,
        silence_logs="ERROR",
    )
    return distributed.Client(owned.enter_context(cluster), set_as_default=False)


class DaskEngine:
    """Futures of a Dask client.

    Parameters
    ----------
    client : distributed.Client
        Connected.
    owned : contextlib.ExitStack
        Resources that `stop` closes.
    job : Job
        The job.
    workers : int or None
        Concurrent tasks.
    """

    tells_schema = queues = False

    def __init__(self, client: Any, owned: contextlib.ExitStack, job: Job, workers: int | None) -> None:
        self._client, self._owned, self._job = client, owned, pickle.dumps(job)
        self._again = "run again" if job.sink is None else 'run again with mode="resume"'
        self.slots = workers or max(1, 2 * sum(client.nthreads().values()))
        self.peak_memory: int | None = None
        self._lost_since: float | None = None
        self._futures: dict[int, Any] = {}
        self._finished: list[tuple[int, Any]] = []  # the scheduler forgets a task without futures
        self._ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()

    def start(self, order: Order) -> None:
        """Submit a task to Dask."""
        number = order.task.number
        work = functools.partial(run_remotely, self._job, order)  # Dask would look for futures inside of an order, which is a tuple
        try:
            future = self._client.submit(work, pure=False, key=f"arrowjag-{uuid.uuid4().hex}")
        except Exception as error:
            if self._client.status in {"closing", "closed"}:  # the scheduler died since it was checked
                raise self._gone() from error
            raise
        self._futures[number] = future
        future.add_done_callback(lambda done: self._ended.put((number, done)))

    def events(self) -> list[Event]:
        """Return one event per task that has ended, and when all have, one per task that Dask has run again by itself.

        Raises
        ------
        JobError
            If the scheduler no longer answers; Dask itself would wait forever.
        """
        self._check_scheduler()
        found: list[Event] = []
        with contextlib.suppress(queue.Empty):
            number, future = self._ended.get(timeout=_WAIT_SECONDS)
            self._futures.pop(number, None)
            if future.status == "finished":
                self._finished.append((number, future))
            found.append(Finished(number, self._result(future)))
        return [*self._retried(), *found] if found and not self._futures else found

    def _retried(self) -> list[Event]:
        """Ask the scheduler how many workers have died with each task: Dask retries the task and reports no event."""
        numbers = {future.key: number for number, future in self._finished}

        def count(keys: list[str], dask_scheduler: Any) -> dict[str, int]:
            """An inner function travels by value: the process of the scheduler may lack arrowjag."""
            return {key: dask_scheduler.tasks[key].suspicious for key in keys if key in dask_scheduler.tasks}

        try:
            deaths = self._client.run_on_scheduler(count, list(numbers))
        except Exception as error:  # noqa: BLE001  (a scheduler may refuse functions; the results don't depend on it)
            _LOG.warning("Dask doesn't say whether workers have died: %s: %s", type(error).__name__, error)
            deaths = {}
        self._finished = []
        return [Retried(numbers[key], times, "its worker died") for key, times in deaths.items() if times]

    def _check_scheduler(self) -> None:
        if self._client.status == "running":
            self._lost_since = None
            return
        self._lost_since = self._lost_since or time.monotonic()
        if self._client.status in {"closing", "closed"} or time.monotonic() - self._lost_since > _LOST_SECONDS:
            raise self._gone()

    def _gone(self) -> JobError:
        address = str(getattr(self._client.scheduler, "address", "its address"))
        return JobError(Failure("dask", (), f"the scheduler at {address} no longer answers: {self._again}"))

    def _result(self, future: Any) -> Outcome | TaskError:
        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            kind = "died" if error is None or type(error).__name__ in {"KilledWorker", "CommClosedError"} else "fatal"
            return TaskError(kind, f"Dask lost its worker: {type(error).__name__ if error else future.status}: {error or ''}"[:300])
        try:
            result: Outcome | TaskError = future.result()
        except OSError as error:  # the scheduler died before it handed over the result; the next check says so
            return TaskError("died", f"Dask lost a result: {type(error).__name__}: {error}"[:300])
        if isinstance(result, Outcome) and result.memory is not None:
            self.peak_memory = max(result.memory, self.peak_memory or 0)
        return result

    def stop(self) -> None:
        """Cancel running tasks, and stop the workers that this engine started."""
        if self._lost_since is not None:  # calls to a dead scheduler would block
            with contextlib.suppress(Exception):
                self._client.close(timeout=_CLOSE_SECONDS)
        for future in self._futures.values() if self._lost_since is None else ():
            with contextlib.suppress(Exception):
                future.cancel()
        self._owned.close()
