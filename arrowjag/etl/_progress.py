"""Progress of a job: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Protocol

from arrowjag.etl._units import bytes_text, seconds_text

__all__ = ["Progress", "make_progress"]

_SECONDS_BETWEEN_LINES = 5.0
_PERCENT_AND_BAR = 12
"""Characters that the percentage and a bar of five characters take; the bar gets what the text leaves."""


class Progress:
    """Counts progress without showing it; the base class of bars and lines.

    Parameters
    ----------
    rows : int
        Number of rows to read.
    tasks : int
        Number of tasks to run.
    size : int
        Bytes of the files to read.
    """

    def __init__(self, rows: int = 0, tasks: int = 0, size: int = 0) -> None:
        self.rows, self.tasks, self.size = rows, tasks, size
        self.rows_done = self.tasks_done = self.tasks_failed = 0
        self._started = time.monotonic()

    def advance(self, rows: int) -> None:
        """Add a number of finished rows; negative if a task starts again."""
        self.rows_done += rows
        self.show()

    def task_done(self) -> None:
        """Count a finished task."""
        self.tasks_done += 1
        self.show()

    def task_failed(self) -> None:
        """Count a task that failed and was skipped."""
        self.tasks_failed += 1
        self.show()

    def show(self) -> None:
        """Update the display."""

    def close(self) -> None:
        """End the display when the job has ended."""

    def text(self, width: int | None = None) -> str:
        """Return the progress of the job in one line.

        Parameters
        ----------
        width : int, optional
            The characters that the line may have: it leaves out bytes, then the rate, then rows, then the remaining time.

        Returns
        -------
        str
            Tasks, rows, bytes, rate and remaining time.
        """
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = self.rows_done / seconds
        done = bytes_text(self.size * self.rows_done / self.rows) if self.rows else bytes_text(0)
        failed = f" ({self.tasks_failed} failed)" if self.tasks_failed else ""
        facts = {
            "tasks": f"{self.tasks_done}/{self.tasks} tasks{failed}",
            "rows": f"{self.rows_done:,}/{self.rows:,} rows",
            "bytes": f"{done}/{bytes_text(self.size)}" if self.size else "",
            "rate": f"{rate:,.0f} rows/s",
            "left": f"{seconds_text((self.rows - self.rows_done) / rate)} left" if 0 < self.rows_done < self.rows else "",
        }
        for name in ("", "bytes", "rate", "rows", "left"):
            facts.pop(name, None)
            line = ", ".join(filter(None, facts.values()))
            if width is None or len(line) <= width:
                break
        return line


class _Lines(Progress):
    """Prints a line every few seconds, and a last line if it printed any before."""

    def __init__(self, rows: int, tasks: int, size: int, stream: Any) -> None:
        super().__init__(rows, tasks, size)
        self._has_shown = False
        self._stream = stream
        self._shown = time.monotonic()

    def show(self) -> None:
        if time.monotonic() - self._shown >= _SECONDS_BETWEEN_LINES:
            self._print()

    def close(self) -> None:
        if self._has_shown:  # for a short job the report is enough
            self._print()

    def _print(self) -> None:
        self._has_shown = True
        self._shown = time.monotonic()
        with contextlib.suppress(OSError, ValueError):  # a closed stream must not end the job
            print(f"arrowjag: {self.text()}", file=self._stream, flush=True)


class _Bar(Progress):
    """A progress bar with rate and remaining time."""

    def __init__(self, rows: int, tasks: int, size: int, bar: _RichBar, place: Any) -> None:
        super().__init__(rows, tasks, size)
        self._bar, self._place = bar, place

    def show(self) -> None:
        facts = self.text(self._bar.console.width - _PERCENT_AND_BAR)
        self._bar.update(self._place, completed=self.rows_done, facts=facts)

    def close(self) -> None:
        self.show()
        self._bar.stop()


class _RichBar(Protocol):
    console: Any

    def update(self, place: Any, *, completed: int, facts: str) -> None: ...

    def stop(self) -> None: ...


def make_progress(wanted: bool, rows: int, tasks: int, size: int = 0) -> Progress:
    """Create the progress display of a job.

    Parameters
    ----------
    wanted : bool
        Whether to show progress.
    rows : int
        Number of rows to read.
    tasks : int
        Number of tasks to run.
    size : int
        Bytes of the files to read.

    Returns
    -------
    Progress
        A bar if rich is installed and the standard error stream is a terminal or a notebook; otherwise plain lines.

    Examples
    --------
    >>> progress = make_progress(False, rows=10, tasks=2)
    >>> progress.advance(4)
    >>> progress.text()
    '0/2 tasks, 4/10 rows, ... rows/s, ... s left'
    """
    if not wanted:
        return Progress(rows, tasks, size)
    bar = _rich_bar()
    if bar is None:
        return _Lines(rows, tasks, size, sys.stderr)
    place = bar.add_task("", total=rows, facts="")
    bar.start()
    return _Bar(rows, tasks, size, bar, place)


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
