"""Processes that fork while a thread compiles or loads code: the child compiles too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from arrowjag._kernels.compiled import forks

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes don't fork")

LOCKED = """
import os, threading, time
from arrowjag._kernels.compiled import compiler, library
from arrowjag._ops import row_compiler

locks = row_compiler._lock, library._lock, compiler._lock
is_held = threading.Event()

def hold():
    for lock in locks:
        lock.acquire()
    is_held.set()
    time.sleep(0.3)
    for lock in reversed(locks):
        lock.release()

threading.Thread(target=hold).start()
is_held.wait()
with library._lock:  # the thread that forks may hold one itself
    child = os.fork()
if not child:
    free = []
    other = threading.Thread(target=lambda: free.extend(lock.acquire(timeout=5) for lock in locks))
    other.start()
    other.join()
    os._exit(0 if free == [True] * 3 else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

COMPILING = """
import os, threading, time
import arrowjag as aj

aj.options.compile = "always"
x = aj.array([[1.0, 2.0], [3.0]])

def multiplied(number):
    scope = {}
    exec(f"def f(row): return row.sum() * {number}.0", scope)
    return x.map_rows(scope["f"]).to_list()

is_done = False

def compile_others():
    number = 100
    while not is_done:
        number += 1
        multiplied(number)

threading.Thread(target=compile_others).start()
time.sleep(0.5)
codes = []
for number in range(3):
    child = os.fork()
    if not child:
        os._exit(0 if multiplied(number) == [3.0 * number, 3.0 * number] else 1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    time.sleep(0.1)
is_done = True
raise SystemExit(any(codes))
"""


def test_locks_are_free_in_a_forked_child() -> None:
    assert run(LOCKED) == 0


def test_a_child_compiles_that_was_forked_while_a_thread_compiled() -> None:
    pytest.importorskip("numba")
    assert run(COMPILING) == 0


class Lock:
    """A lock that calls a function when it is taken or released, and notes both."""

    def __init__(self, notes: list[str], name: str, on_acquire: Callable[[], object] = int, on_release: Callable[[], object] = int):
        self.notes, self.name, self.on_acquire, self.on_release = notes, name, on_acquire, on_release

    def acquire(self) -> None:
        self.on_acquire()
        self.notes.append(f"take {self.name}")

    def release(self) -> None:
        self.notes.append(f"release {self.name}")
        self.on_release()


def test_another_thread_forks_as_soon_as_the_first_lock_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = list[str]()
    other = Lock(notes, "other")
    outer = Lock(notes, "outer", on_release=lambda: forks._held.append(other))
    monkeypatch.setattr(forks, "_locks", [Lock(notes, "inner"), outer])
    monkeypatch.setattr(forks, "_held", [])
    forks._take()
    forks._release()
    assert notes == ["take outer", "take inner", "release inner", "release outer"]
    assert forks._held == [other]


def test_a_fork_that_is_interrupted_while_it_waits_releases_what_it_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = list[str]()

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(forks, "_locks", [Lock(notes, "inner", interrupt), Lock(notes, "outer")])
    monkeypatch.setattr(forks, "_held", [])
    with pytest.raises(KeyboardInterrupt):
        forks._take()
    forks._release()
    assert notes == ["take outer", "release outer"]
    assert forks._held == []


def run(code: str) -> int:
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False, timeout=120).returncode
