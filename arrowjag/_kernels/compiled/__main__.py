"""Compile functions into the cache: ``python -m arrowjag._kernels.compiled sum-f8-plain ...``."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import IO, Any

from arrowjag._kernels.compiled import library, objects
from arrowjag._kernels.compiled.loop import Variant

_MOST_SECONDS, _POLL_SECONDS = 600.0, 0.2
"""How long a process waits for others. One that is stopped, or runs on another machine, may hold the lock for long."""


def main(names: list[str]) -> int:
    """Compile what isn't in the cache yet; one process of a user at a time."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(15)
    with _alone() as alone:
        if not alone:
            return 0
        for name in names:
            variant = Variant.parse(name)
            key = library.key_of(variant)
            if objects.read(key) is None and not objects.is_marked_failed(key):
                library.compile_now(variant)
    return 0


@contextlib.contextmanager
def _alone() -> Iterator[bool]:
    """Wait for another process of this user that compiles; the system releases the lock of one that dies. False if it holds on."""
    folder = objects.writable_folder()
    if folder is None:
        yield False  # there is no folder to keep an object in
        return
    with contextlib.ExitStack() as files:
        # Without a lock two processes may do the same work, and write the same file: on Windows, on file systems that have no
        # locks, and where the file is of another user.
        alone = True
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            alone = _locked_in_time(fcntl, files.enter_context((folder / "compiling.lock").open("a")))
        yield alone


def _locked_in_time(fcntl: Any, file: IO[str]) -> bool:
    deadline = time.monotonic() + _MOST_SECONDS
    while not (alone := _locked(fcntl, file)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return alone


def _locked(fcntl: Any, file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
