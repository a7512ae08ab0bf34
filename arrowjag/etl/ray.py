"""Tasks on Ray: each is a Ray task of one core, which writes its result as it does on one machine.

Ray learns nothing of the data: it places tasks, and tells of those whose worker or node has died.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from typing import Any

from arrowjag.errors import MissingDependencyError
from arrowjag.etl.local import THREADS, cores
from arrowjag.etl.work import Event, Finished, Job, Order, Outcome, TaskError, run_remotely

__all__ = ["RayEngine", "connect"]

_WAIT_SECONDS = 0.2


def connect(job: Job, workers: int | None, _share: int) -> RayEngine:
    """Take the cluster that this process is connected to or that ``RAY_ADDRESS`` names, or start one on this machine.

    Parameters
    ----------
    job : Job
        The job.
    workers : int or None
        Tasks at one time; by default two for each core of the cluster, so that none waits for orders.
    _share : int
        Bytes that a worker may hold; its orders tell it, and it looks at itself after each batch.

    Returns
    -------
    RayEngine
        Ready for orders.

    Raises
    ------
    MissingDependencyError
        If Ray is not installed.
    """
    try:
        import ray
    except ImportError:
        raise MissingDependencyError.of("ray", "ray", 'a job with engine="ray"') from None
    return RayEngine(ray, job, workers)


class RayEngine:
    """Ray tasks.

    Parameters
    ----------
    ray : module
        Ray.
    job : Job
        The job.
    workers : int or None
        Tasks at one time.
    """

    tells_schema = False

    def __init__(self, ray: Any, job: Job, workers: int | None) -> None:
        self._ray = ray
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _start(ray, workers)
        self.slots = workers or max(1, 2 * int(ray.cluster_resources().get("CPU", 1)))
        self.peak_memory: int | None = None
        self._job = ray.put(pickle.dumps(job))
        self._orders: dict[Any, Order] = {}
        # A task that died is tried again by the job, with a smaller batch.
        environment = {"env_vars": dict.fromkeys(THREADS, "1")}
        self._task = ray.remote(num_cpus=1, max_retries=0, runtime_env=environment)(run_remotely)

    def start(self, order: Order) -> None:
        """Hand a task to Ray."""
        self._orders[self._task.options(name=f"arrowjag {order.task.target}").remote(self._job, order)] = order

    def events(self) -> list[Event]:
        """Tasks that have ended."""
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
        """End what runs; end Ray, if it was started here."""
        for reference in self._orders:
            with contextlib.suppress(Exception):
                self._ray.cancel(reference, force=True)
        if self._is_ours:
            self._ray.shutdown()


def _start(ray: Any, workers: int | None) -> None:
    if os.environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False)
    else:
        ray.init(address="local", num_cpus=workers or cores(), include_dashboard=False, log_to_driver=False)


def _first_line(error: object) -> str:
    return next(iter(str(error).strip().splitlines()), "")[:300]
