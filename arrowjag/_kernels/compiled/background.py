"""One process beside this one that compiles with low priority: it fills the cache, and may end after this one."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from arrowjag._kernels.compiled import objects
from arrowjag._runtime.processes import import_path, python
from arrowjag._versions import is_installed

__all__ = ["can_start", "is_pending", "request"]

_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from arrowjag._kernels.compiled.__main__ import main; sys.exit(main(sys.argv[2:]))"
)

_running: tuple[subprocess.Popen[bytes], frozenset[str]] | None = None
_waiting: set[str] = set()
_finished: set[str] = set()
"""Variants whose compiling process has ended: one that is requested again was not compiled, and counts as failed."""


def can_start() -> bool:
    """Whether a process can be started for compiling: not in daemonic workers, and not where no folder takes what it compiles."""
    if not _has_interpreter() or not is_installed("numba") or objects.writable_folder() is None:
        return False
    multiprocessing = sys.modules.get("multiprocessing")
    return multiprocessing is None or not multiprocessing.current_process().daemon


def _has_interpreter() -> bool:
    """Whether `sys.executable` is Python; in frozen programs, and those that embed Python, it would be the program once more."""
    return not getattr(sys, "frozen", False) and "python" in Path(sys.executable or "").name.lower()


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
    except Exception:  # noqa: BLE001  # also a RuntimeError of an interpreter that exits, or whatever an audit hook raises
        _finished.update(wanted)
        return False
    _running = (process, wanted)
    return True


def _start(variants: list[str]) -> subprocess.Popen[bytes]:
    # The output is discarded, hence -W ignore.
    command = [*python("-W", "ignore"), "-c", _CODE, json.dumps(import_path()), *variants]
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, start_new_session=True, **quiet)  # noqa: S603  # ourselves


@atexit.register
def _leave() -> None:
    """Let the process outlive this one without the ResourceWarning of its Popen."""
    if _running is not None:
        _running[0].returncode = 0


def _forget() -> None:
    """Forget the process in a forked child: it is none of its own, so that it would count as ended, and its loops as failed."""
    global _running  # noqa: PLW0603  # as above
    _leave()
    _running = None
    _waiting.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
