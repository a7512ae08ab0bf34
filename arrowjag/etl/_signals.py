"""SIGTERM ends a job like Ctrl-C: the job stops its workers, removes unfinished files and releases the sink."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["TERMINATED", "ended_by_signals", "ignore"]

_LOG = logging.getLogger("arrowjag.etl")
#: The exit code that shells report for a process ended by SIGTERM.
TERMINATED = 128 + signal.SIGTERM


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise ``SystemExit(143)`` on SIGTERM, unless the caller has installed a handler.

    Yields
    ------
    None
        The end of the block restores the previous handler. Only the main thread can set a handler; others change nothing.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def ignore(*_: Any) -> None:
    """Handle a signal by doing nothing.

    ``SIG_IGN`` is no handler for a signal that may be pending already: Python would report a race condition.
    """


def _end(*_: Any) -> NoReturn:
    signal.signal(signal.SIGTERM, ignore)  # a second SIGTERM must not interrupt the cleanup
    _LOG.warning('the job is ended by SIGTERM; mode="resume" goes on')
    raise SystemExit(TERMINATED)
