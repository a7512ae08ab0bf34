"""Eight threads that start at the same moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

THREADS = 8


@contextmanager
def switching() -> Iterator[None]:
    """Let the interpreter switch threads a thousand times as often as it does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def together(functions: list[Callable[[], Any]]) -> list[Any]:
    """Run each function in a thread of its own behind a barrier; return their results, or raise the error of any thread."""
    barrier, results, errors = threading.Barrier(len(functions)), [None] * len(functions), list[BaseException]()

    def work(k: int) -> None:
        barrier.wait()
        try:
            results[k] = functions[k]()
        except BaseException as error:  # noqa: BLE001 - a panic of polars too is raised in the thread that waits
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread waits for another one that waits for it"
    if errors:
        raise errors[0]
    return results
