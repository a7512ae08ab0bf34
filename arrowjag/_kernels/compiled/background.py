"""One process beside this one that compiles with low priority: it fills the cache, and may end after this one."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from typing import Any

__all__ = ["can_start", "is_pending", "request"]

_running: tuple[subprocess.Popen[bytes], frozenset[str]] | None = None
_waiting: set[str] = set()
_finished: set[str] = set()
"""Variants whose compiling process has ended: one that is requested again was not compiled, and counts as failed."""


def can_start() -> bool:
    """Whether a process can be started for compiling: not in frozen programs, nor in daemonic workers."""
    import importlib.util

    if getattr(sys, "frozen", False) or not sys.executable or importlib.util.find_spec("numba") is None:
        return False
    multiprocessing = sys.modules.get("multiprocessing")
    return multiprocessing is None or not multiprocessing.current_process().daemon


def is_pending(variant: str) -> bool:
    """Whether a function is being compiled, or waits for it."""
    _poll()
    return variant in _waiting or (_running is not None and variant in _running[1])


def request(variant: str) -> bool:
    """Request the compilation of a function; False if it was tried before or no process starts."""
    if variant in _finished:
        return False
    _waiting.add(variant)
    return _poll()


def _poll() -> bool:
    """Check whether the process has ended, and start one for waiting variants; False if none starts."""
    global _running  # noqa: PLW0603  # the one process of this module
    if _running is not None:
        if _running[0].poll() is None:
            return True
        _finished.update(_running[1])
        _running = None
    if not _waiting:
        return True
    wanted = frozenset(_waiting)
    _waiting.clear()
    try:
        process = _start(sorted(wanted))
    except (OSError, ValueError, subprocess.SubprocessError):
        _finished.update(wanted)
        return False
    _running = (process, wanted)
    return True


def _start(variants: list[str]) -> subprocess.Popen[bytes]:
    # Not -I, which ignores PYTHONPATH: this package may have been found by it. The output is discarded, hence -W ignore.
    command = [sys.executable, "-W", "ignore", "-m", "arrowjag._kernels.compiled", *variants]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path))
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=environment, start_new_session=True, **quiet)  # noqa: S603  # ourselves


@atexit.register
def _leave() -> None:
    """Let the process outlive this one without the ResourceWarning of its Popen."""
    if _running is not None:
        _running[0].returncode = 0
