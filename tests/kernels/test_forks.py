"""Processes that fork while a thread compiles or loads code: the child compiles too."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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


def run(code: str) -> int:
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False, timeout=120).returncode
