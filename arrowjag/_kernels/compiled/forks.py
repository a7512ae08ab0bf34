"""Forked children can compile: a fork waits until no other thread compiles or loads code.

A child has only the thread that forked. What another thread has locked stays locked there, and numba's state half changed.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

__all__ = ["wait_for"]

_locks: list[Any] = []
"""Locks that a fork waits for; a thread that holds one may take those before it in the list."""

_held: list[Any] = []
"""Locks that the fork at this moment holds, in the order in which they were taken."""


def wait_for(lock: threading.RLock) -> None:
    """Let forks wait until no thread holds a lock, and then for numba's own: threads take one lock after the other in that order.

    Parameters
    ----------
    lock : RLock
        A thread that holds it may take locks that were registered before, and numba's.
    """
    _locks.append(lock)


def _take() -> None:
    taken = []
    numba = sys.modules.get("numba.core.compiler_lock")
    for lock in (*reversed(_locks), getattr(numba, "global_compiler_lock", None)):
        if lock is not None:
            lock.acquire()
            taken.append(lock)
    _held.extend(taken)


def _release() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
