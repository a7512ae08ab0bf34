"""Run a mutant: a fork of this process imports arrowjag with the fault and runs tests until the first that fails."""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.mutants.making import Mutant
from tests.mutants.reach import ROOT, SourceHook

KILLED, SURVIVED, TIMEOUT = "killed", "survived", "timeout"
CPU_SECONDS, WALL_SECONDS = 60, 240
GIGABYTES = 4
PRELOADED = "ignore::pytest.PytestAssertRewriteWarning"
"""hypothesis is imported before pytest could rewrite its asserts, on purpose."""


def preload() -> None:
    """Import what every test needs but arrowjag itself: a fork then starts in a tenth of a second. Nothing may start threads."""
    for name in ("numpy", "pandas", "polars", "pyarrow.compute", "pyarrow.parquet", "hypothesis.extra.numpy", "pytest"):
        importlib.import_module(name)
    assert "arrowjag" not in sys.modules


def run(mutant: Mutant, tests: Sequence[str]) -> str:
    """Whether the tests see the fault; they have so much CPU time, wall time (a deadlock uses no CPU) and memory."""
    child = os.fork()
    if child == 0:
        os._exit(_in_child(mutant, tests))
    end = time.monotonic() + WALL_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return SURVIVED if code == 0 else TIMEOUT if code == -signal.SIGXCPU else KILLED
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TIMEOUT


def _in_child(mutant: Mutant, tests: Sequence[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + GIGABYTES * 2**30,) * 2)
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    def change(name: str, path: Path) -> Any:
        return ast.parse(mutant.source) if path.relative_to(ROOT).as_posix() == mutant.path else None

    sys.meta_path.insert(0, SourceHook(change))
    import pytest

    with contextlib.suppress(SystemExit):
        return int(pytest.main(["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-W", PRELOADED, *tests]))
    return 1
