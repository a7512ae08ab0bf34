"""Progress of a job: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Protocol

from arrowjag.etl.amounts import seconds_text
from arrowjag.etl.report import Failure

__all__ = ["Progress", "make_progress"]

_SECONDS_BETWEEN_LINES = 5.0


class Progress:
    """Shows nothing; the base of what does.

    Parameters
    ----------
    rows : int
        Rows that are to be read.
    tasks : int
        Tasks that are to be done.
    """

    def __init__(self, rows: int = 0, tasks: int = 0) -> None:
        self.rows, self.tasks = rows, tasks
        self.rows_done = self.tasks_done = self.tasks_failed = 0
        self._started = time.monotonic()

    def advance(self, rows: int) -> None:
        """So many rows more are done; fewer, if a task starts again."""
        self.rows_done += rows
        self.show()

    def task_done(self) -> None:
        """A task more is done."""
        self.tasks_done += 1
        self.show()

    def task_failed(self, failure: Failure) -> None:
        """A task was skipped."""
        self.tasks_failed += 1
        self.show()

    def show(self) -> None:
        """Tell how far the job is."""

    def close(self) -> None:
        """The job has ended."""

    def text(self) -> str:
        """How far the job is, in one line.

        Returns
        -------
        str
            Tasks, rows, rate and the time left.
        """
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = self.rows_done / seconds
        left = f", {seconds_text((self.rows - self.rows_done) / rate)} left" if 0 < self.rows_done < self.rows else ""
        failed = f" ({self.tasks_failed} failed)" if self.tasks_failed else ""
        return f"{self.tasks_done}/{self.tasks} tasks{failed}, {self.rows_done:,}/{self.rows:,} rows, {rate:,.0f} rows/s{left}"


class _Lines(Progress):
    """A line every few seconds, and one in the end."""

    def __init__(self, rows: int, tasks: int, stream: Any) -> None:
        super().__init__(rows, tasks)
        self._stream = stream
        self._shown = time.monotonic()

    def show(self) -> None:
        if time.monotonic() - self._shown >= _SECONDS_BETWEEN_LINES:
            self._print()

    def close(self) -> None:
        self._print()

    def _print(self) -> None:
        self._shown = time.monotonic()
        with contextlib.suppress(OSError, ValueError):  # a closed stream is no reason to end a job
            print(f"arrowjag: {self.text()}", file=self._stream, flush=True)


class _Bar(Progress):
    """A bar with rate and time left."""

    def __init__(self, rows: int, tasks: int, bar: _RichBar, place: Any) -> None:
        super().__init__(rows, tasks)
        self._bar, self._place = bar, place

    def show(self) -> None:
        self._bar.update(self._place, completed=self.rows_done, facts=self.text())

    def close(self) -> None:
        self.show()
        self._bar.stop()


class _RichBar(Protocol):
    def update(self, place: Any, *, completed: int, facts: str) -> None: ...

    def stop(self) -> None: ...


def make_progress(wanted: bool, rows: int, tasks: int) -> Progress:
    """What shows the progress of a job.

    Parameters
    ----------
    wanted : bool
        Whether to show any.
    rows : int
        Rows that are to be read.
    tasks : int
        Tasks that are to be done.

    Returns
    -------
    Progress
        A bar where the standard error stream is a terminal or a notebook and rich is installed, otherwise lines.

    Examples
    --------
    >>> progress = make_progress(False, rows=10, tasks=2)
    >>> progress.advance(4)
    >>> progress.text()
    '0/2 tasks, 4/10 rows, ... rows/s, ... s left'
    """
    if not wanted:
        return Progress(rows, tasks)
    bar = _rich_bar()
    if bar is None:
        return _Lines(rows, tasks, sys.stderr)
    place = bar.add_task("", total=rows, facts="")
    bar.start()
    return _Bar(rows, tasks, bar, place)


def _rich_bar() -> Any:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress
    except ImportError:
        return None
    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        return None
    return RichProgress(BarColumn(), TextColumn("{task.percentage:>3.0f}% {task.fields[facts]}"), console=console, transient=False)
