"""A fork waits until no other thread compiles or loads code, so that the child can compile too.

Of all threads only the one that forks goes on in the child: what another one has locked would stay locked there, and what it was
changing in numba would stay unfinished.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

__all__ = ["wait_for"]

_locks: list[Any] = []
"""Locks that a fork waits for, in the order in which they were registered."""

_held: list[Any] = []
"""Locks that the thread which forks now holds, in the order in which it took them."""


def wait_for(lock: threading.RLock) -> None:
    """Let every fork wait until no other thread holds a lock.

    Parameters
    ----------
    lock : RLock
        A thread that holds it may take locks that were registered before it, and numba's own, but none that is registered later: a
        fork takes them from the last one to the first and then numba's, and would block that thread otherwise.
    """
    _locks.append(lock)


def _take() -> None:
    numba = sys.modules.get("numba.core.compiler_lock")
    for lock in (*reversed(_locks), getattr(numba, "global_compiler_lock", None)):
        if lock is not None:
            lock.acquire()
            _held.append(lock)  # at once: an interrupt ends this function, and not the fork


def _release() -> None:
    taken = _held[::-1]
    _held.clear()  # before any is released: then another thread that forks fills the list
    for lock in taken:
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
