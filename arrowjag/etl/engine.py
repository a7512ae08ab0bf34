"""What an engine is: takes orders, and tells what came of them."""

from __future__ import annotations

from typing import Protocol

from arrowjag.etl.work import Event, Order

__all__ = ["Engine"]


class Engine(Protocol):
    """Where tasks run."""

    #: Orders that are worth having at one time.
    slots: int
    #: Whether a task tells its schema before it is done; otherwise one batch is run twice to learn it.
    tells_schema: bool

    @property
    def peak_memory(self) -> int | None:
        """The most that all workers held at one time."""

    def start(self, order: Order) -> None:
        """Give an order to a worker."""

    def events(self) -> list[Event]:
        """What has happened; waits for a moment where nothing has."""

    def stop(self) -> None:
        """End what runs."""
