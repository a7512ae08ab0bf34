"""The Ray engine: each task runs as a Ray task of one core, which writes its own result file as a local worker does.

Workers read and write files themselves; Ray only schedules tasks and reports lost workers and nodes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
from typing import Any

from arrowjag.errors import JagValueError, MissingDependencyError
from arrowjag.etl._limits import Shares
from arrowjag.etl._local import THREADS
from arrowjag.etl._worker import Event, Finished, Job, Order, Outcome, TaskError, run_remotely

__all__ = ["RayEngine", "connect"]

_WAIT_SECONDS = 0.2
_PROBE_SECONDS = 10.0


def connect(job: Job, workers: int | None, shares: Shares) -> RayEngine:
    """Connect to the cluster of this process or the one at ``RAY_ADDRESS``; otherwise start Ray on this machine.

    Parameters
    ----------
    job : Job
        The job.
    workers : int or None
        Concurrent tasks; by default two per core of the cluster, so that no core waits for its next task.
    shares : Shares
        Number of local workers to start. Orders carry the memory limit per worker; each worker checks its memory after each
        batch.

    Returns
    -------
    RayEngine
        Ready to run tasks.

    Raises
    ------
    MissingDependencyError
        If Ray is not installed.
    JagValueError
        If no cluster answers at the address.
    """
    try:
        import ray
    except ImportError:
        raise MissingDependencyError.of("ray", "ray", 'a job with engine="ray"') from None
    return RayEngine(ray, job, workers, shares)


class RayEngine:
    """Ray tasks.

    Parameters
    ----------
    ray : module
        Ray.
    job : Job
        The job.
    workers : int or None
        Concurrent tasks.
    shares : Shares
        Number of local workers to start.
    """

    tells_schema = queues = False

    def __init__(self, ray: Any, job: Job, workers: int | None, shares: Shares) -> None:
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _start(ray, shares.workers)
        self.slots = workers or max(1, 2 * int(ray.cluster_resources().get("CPU", 1)))
        self.peak_memory: int | None = None
        self._job = ray.put(pickle.dumps(job))
        self._orders: dict[Any, Order] = {}
        # Ray must not retry a task whose worker died: the scheduler retries it with smaller batches.
        environment = {"env_vars": dict.fromkeys(THREADS, "1")}
        self._task = ray.remote(num_cpus=1, max_retries=0, runtime_env=environment)(run_remotely)

    def start(self, order: Order) -> None:
        """Submit a task to Ray."""
        self._orders[self._task.options(name=f"arrowjag {order.task.target}").remote(self._job, order)] = order

    def events(self) -> list[Event]:
        """Return one event per task that has ended."""
        ready, _ = self._ray.wait(list(self._orders), num_returns=1, timeout=_WAIT_SECONDS)
        return [Finished(self._orders.pop(one).task.number, self._result(one)) for one in ready]

    def _result(self, reference: Any) -> Outcome | TaskError:
        errors = self._ray.exceptions
        try:
            result: Outcome | TaskError = self._ray.get(reference)
        except errors.OutOfMemoryError as error:
            return TaskError("memory", f"Ray ended its worker for the memory that it held: {_first_line(error)}")
        except errors.RayTaskError as error:
            return TaskError("fatal", f"its worker can't run tasks of arrowjag: {_first_line(error.cause or error)}", str(error))
        except errors.RayError as error:
            return TaskError("died", f"Ray lost its worker: {type(error).__name__}: {_first_line(error)}")
        if isinstance(result, Outcome) and result.memory is not None:
            self.peak_memory = max(result.memory, self.peak_memory or 0)
        return result

    def stop(self) -> None:
        """Cancel running tasks, and shut Ray down if this engine started it."""
        for reference in self._orders:
            with contextlib.suppress(Exception):
                self._ray.cancel(reference, force=True)
        if self._is_ours:
            self._ray.shutdown()


def _start(ray: Any, workers: int) -> None:
    address = os.environ.get("RAY_ADDRESS")
    if address:
        try:
            _probe(address)
            ray.init(log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise JagValueError(f"RAY_ADDRESS={address}: no Ray cluster answers there: {_first_line(error)}") from None
    else:
        ray.init(address="local", num_cpus=workers, include_dashboard=False, log_to_driver=False)


def _probe(address: str) -> None:
    """Open and close a connection to the port of a cluster; `ray.init` retries a closed port for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), _PROBE_SECONDS).close()


def _first_line(error: object) -> str:
    return next(iter(str(error).strip().splitlines()), "")[:300]
