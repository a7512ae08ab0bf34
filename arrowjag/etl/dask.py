"""Tasks on Dask's distributed scheduler: each is a future, which writes its result as it does on one machine."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import uuid
from typing import Any

from arrowjag.errors import MissingDependencyError
from arrowjag.etl.local import cores
from arrowjag.etl.work import Event, Finished, Job, Order, Outcome, TaskError, run_remotely

__all__ = ["DaskEngine", "connect"]

_WAIT_SECONDS = 0.2


def connect(job: Job, workers: int | None, share: int) -> DaskEngine:
    """Take the client of this process, the scheduler that ``DASK_SCHEDULER_ADDRESS`` names, or start workers on this machine.

    Parameters
    ----------
    job : Job
        The job.
    workers : int or None
        Tasks at one time; by default two for each thread of the cluster, so that none waits for orders.
    share : int
        Bytes that a worker may hold; it looks at itself after each batch, and a local one is limited by Dask too.

    Returns
    -------
    DaskEngine
        Ready for orders.

    Raises
    ------
    MissingDependencyError
        If distributed is not installed.
    """
    try:
        import distributed
    except ImportError:
        raise MissingDependencyError.of("distributed", "dask", 'a job with engine="dask"') from None
    owned = contextlib.ExitStack()
    try:
        client = distributed.get_client()
    except ValueError:
        client = owned.enter_context(_client(distributed, owned, workers, share))
    return DaskEngine(client, owned, job, workers)


def _client(distributed: Any, owned: contextlib.ExitStack, workers: int | None, share: int) -> Any:
    address = os.environ.get("DASK_SCHEDULER_ADDRESS")
    if address:
        return distributed.Client(address, set_as_default=False)
    cluster = distributed.LocalCluster(
        n_workers=workers or cores(), threads_per_worker=1, memory_limit=share, dashboard_address=None, silence_logs="ERROR"
    )
    return distributed.Client(owned.enter_context(cluster), set_as_default=False)


class DaskEngine:
    """Futures of a Dask client.

    Parameters
    ----------
    client : distributed.Client
        Connected.
    owned : contextlib.ExitStack
        What to close in the end.
    job : Job
        The job.
    workers : int or None
        Tasks at one time.
    """

    tells_schema = False

    def __init__(self, client: Any, owned: contextlib.ExitStack, job: Job, workers: int | None) -> None:
        self._client, self._owned, self._job = client, owned, pickle.dumps(job)
        self.slots = workers or max(1, 2 * sum(client.nthreads().values()))
        self.peak_memory: int | None = None
        self._futures: dict[int, Any] = {}
        self._ended: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()

    def start(self, order: Order) -> None:
        """Hand a task to Dask."""
        number = order.task.number
        future = self._client.submit(run_remotely, self._job, order, pure=False, key=f"arrowjag-{uuid.uuid4().hex}")
        self._futures[number] = future
        future.add_done_callback(lambda done: self._ended.put((number, done)))

    def events(self) -> list[Event]:
        """Tasks that have ended."""
        found: list[Event] = []
        with contextlib.suppress(queue.Empty):
            number, future = self._ended.get(timeout=_WAIT_SECONDS)
            self._futures.pop(number, None)
            found.append(Finished(number, self._result(future)))
        return found

    def _result(self, future: Any) -> Outcome | TaskError:
        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            kind = "died" if error is None or type(error).__name__ in {"KilledWorker", "CommClosedError"} else "fatal"
            return TaskError(kind, f"Dask lost its worker: {type(error).__name__ if error else future.status}: {error or ''}"[:300])
        result: Outcome | TaskError = future.result()
        if isinstance(result, Outcome) and result.memory is not None:
            self.peak_memory = max(result.memory, self.peak_memory or 0)
        return result

    def stop(self) -> None:
        """End what runs; end the workers, if they were started here."""
        for future in self._futures.values():
            with contextlib.suppress(Exception):
                future.cancel()
        self._owned.close()
