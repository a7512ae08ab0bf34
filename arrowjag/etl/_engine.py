"""The protocol of engines: an engine takes orders and returns events."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa

from arrowjag.etl._worker import Event, Order

__all__ = ["Engine"]


class Engine(Protocol):
    """Runs tasks: in local processes, on Ray or on Dask."""

    #: Maximum number of orders that the engine works on concurrently.
    slots: int
    #: Whether a running task reports its schema before it ends, and hears that of another. Otherwise a probe runs the first batch,
    #: which then runs twice, while all other tasks wait.
    tells_schema: bool
    #: Whether a worker takes orders while it works on another one.
    queues: bool

    @property
    def peak_memory(self) -> int | None:
        """Peak of the memory that all workers held together."""

    def start(self, order: Order) -> None:
        """Give an order to a worker."""

    def tell(self, number: int, schema: pa.Schema | None) -> None:
        """Tell a task that waits the schema, or that it is to determine it; called only if `tells_schema`."""

    def events(self) -> list[Event]:
        """Return the events since the last call; wait briefly if there are none."""

    def stop(self) -> None:
        """Cancel running tasks and release the workers."""
