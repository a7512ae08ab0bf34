"""Run a mutant: a fork runs tests with the fault until the first that fails.

A server has imported arrowjag and collected the tests. Its forks exchange the code of the one function that holds the fault, so
that a mutant costs no import and no collection. Faults outside of functions (constants, defaults, decorators) are met by a fork
that imports arrowjag with the fault.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tests.mutants.making import Mutant
from tests.mutants.reach import ROOT, SourceHook

IDLE_SECONDS = 60
"""A mutant that uses no CPU for so long waits forever; what else the machine does must not make it seem killed."""

GIGABYTES = 4
OBJECTS = "ARROWJAG_TEST_OBJECTS"
"""The variable that names the folder of compiled loops, which forks share unless the fault is in the compiler or in a loop."""

OPTIONS = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not slow and not torch and not engines"]
PRELOADED = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
"""hypothesis is imported before pytest could rewrite its asserts, on purpose."""


class Outcome(NamedTuple):
    """The outcome of a mutant: whether it survived, and the test that failed, if one did."""

    survived: bool
    test: str = ""


def preload() -> None:
    """Import what every test needs but arrowjag itself: a fork then starts in a tenth of a second. Nothing may start threads."""
    for name in ("numpy", "pandas", "polars", "pyarrow.compute", "pyarrow.parquet", "hypothesis.extra.numpy", "pytest"):
        importlib.import_module(name)
    assert "arrowjag" not in sys.modules


class Runner:
    """Meets mutants with tests; call `preload` before."""

    def __init__(self, files: Sequence[str]):
        self._tasks, theirs = multiprocessing.Pipe()
        self._server = os.fork()
        if self._server == 0:
            self._tasks.close()
            _silence()
            os._exit(_main([*OPTIONS, *PRELOADED, *files], _Server(theirs)))
        theirs.close()

    def run(self, mutant: Mutant, tests: Sequence[str], seconds: float, on_import: bool = False) -> Outcome:
        """Whether the tests, which took so many seconds of CPU without it, see the fault.

        A fork that imports arrowjag meets faults in statements that run on import: what they made is there already in other forks.
        """
        if not tests:
            return Outcome(survived=True)
        limit = int(20 + 5 * seconds)
        found: Outcome | None = None
        if not on_import:
            self._tasks.send((mutant, list(tests), limit))
            found = self._tasks.recv()
        return found or _fork(partial(_import_and_run, mutant, tests), limit)

    def close(self) -> None:
        self._tasks.send(None)
        os.waitpid(self._server, 0)


def _fork(work: Callable[[Callable[[str], None]], int], cpu_seconds: int) -> Outcome:
    """Do something in a fork that may use so much CPU time and memory; it says which test failed."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + GIGABYTES * 2**30,) * 2)
        os.setpgid(0, 0)
        _silence()
        with os.fdopen(tell, "w", encoding="utf-8") as saying:
            code = work(lambda name: print(name, end="", file=saying, flush=True))
        os._exit(code)
    os.close(tell)
    status = _wait(child)
    with os.fdopen(told, encoding="utf-8") as said:
        return Outcome(survived=status == 0, test=said.read())


def _wait(child: int) -> int:
    """Its exit code; that of a kill if it uses no CPU any more."""
    used, since = -1.0, time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]))
        if now != used:
            used, since = now, time.monotonic()
        elif time.monotonic() - since > IDLE_SECONDS:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)


def _silence() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


def _main(options: list[str], *plugins: Any) -> int:
    import pytest

    with contextlib.suppress(SystemExit):
        return int(pytest.main(options, plugins=[*plugins]))
    return 1


def _leave_objects(mutant: Mutant) -> None:
    """Let a fork compile loops itself if the fault may change what they do."""
    if "/compiled/" in mutant.path:
        os.environ.pop(OBJECTS, None)


class _Failures:
    """Tells the first test that fails."""

    def __init__(self, say: Callable[[str], None]):
        self.say = say

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.say(report.nodeid)


def _import_and_run(mutant: Mutant, tests: Sequence[str], say: Callable[[str], None]) -> int:
    def change(name: str, path: Path) -> Any:
        return ast.parse(mutant.source) if path.relative_to(ROOT).as_posix() == mutant.path else None

    _leave_objects(mutant)
    sys.meta_path.insert(0, SourceHook(change))
    return _main([*OPTIONS, *PRELOADED, *tests], _Failures(say))


class _Server:
    """Holds the collected tests, and meets one mutant after another in forks."""

    def __init__(self, tasks: Connection):
        self.tasks = tasks

    def pytest_runtestloop(self, session: Any) -> bool:
        items = {item.nodeid: item for item in session.items}
        while (task := self.tasks.recv()) is not None:
            mutant, tests, limit = task
            found = exchange(mutant)
            if found is None or not all(name in items for name in tests):
                self.tasks.send(None)
            else:
                session.items = [items[name] for name in tests]
                self.tasks.send(_fork(partial(_exchange_and_run, mutant, found, session), limit))
        return True


def _exchange_and_run(mutant: Mutant, found: list[tuple[FunctionType, CodeType]], session: Any, say: Callable[[str], None]) -> int:
    from _pytest.main import pytest_runtestloop

    _leave_objects(mutant)
    for function, code in found:
        function.__code__ = code
    session.config.pluginmanager.register(_Failures(say))
    with contextlib.suppress(session.Failed, session.Interrupted):
        pytest_runtestloop(session)
    return int(session.testsfailed > 0)


def exchange(mutant: Mutant) -> list[tuple[FunctionType, CodeType]] | None:
    """Functions and their code with the fault; None where exchanging code is not all that the fault does.

    The first is the function that holds the fault. The others it made before, when modules were imported or tests collected.
    """
    module = sys.modules.get(mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    original = (ROOT / mutant.path).read_text(encoding="utf-8")
    old, new = (_parts(source, mutant.function) for source in (original, mutant.source))
    if module is None or not mutant.function or old is None or new is None or old.outside != new.outside:
        return None
    for function in _functions(module, mutant.function):
        if function.__code__ == old.code and function.__code__.co_freevars == new.code.co_freevars:
            before, after = (list(_inner(code)) for code in (old.code, new.code))
            made = _made(module.__name__, dict(zip(before, after, strict=False)))
            is_same = len(before) == len(after) and all(one.__code__.co_freevars == code.co_freevars for one, code in made)
            return [(function, new.code), *made] if is_same else None
    return None


def _inner(code: CodeType) -> Iterator[CodeType]:
    """The code of the functions that a function makes."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _inner(one)


def _made(module: str, codes: dict[CodeType, CodeType]) -> list[tuple[FunctionType, CodeType]]:
    """The functions of a module that exist, whose code is to be exchanged."""
    changed = {old: new for old, new in codes.items() if old != new}
    alive = gc.get_objects() if changed else []
    mine = [one for one in alive if type(one) is FunctionType and one.__module__ == module and one.__code__ in changed]
    return [(one, changed[one.__code__]) for one in mine]


class _Parts(NamedTuple):
    """A function of a file: its code, and all that isn't inside of it."""

    code: CodeType
    outside: str


def _parts(source: str, name: str) -> _Parts | None:
    code: CodeType | None = compile(source, "mutant", "exec")
    for part in name.split("."):
        inner = [one for one in (code.co_consts if code else ()) if isinstance(one, CodeType) and one.co_name == part]
        code = inner[0] if len(inner) == 1 else None
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name.rsplit(".", maxsplit=1)[-1]:
            node.body = []
    return None if code is None else _Parts(code, ast.dump(tree))


def _functions(module: Any, name: str) -> Iterator[FunctionType]:
    """The function of that name, from under what its decorators made of it."""
    found: Any = module
    for part in name.split("."):
        found = vars(found).get(part)
    while found is not None:
        if isinstance(found, FunctionType):
            yield found
        found = next((vars(found)[key] for key in ("__wrapped__",) if key in getattr(found, "__dict__", {})), None) or next(
            (getattr(found, key) for key in ("__func__", "fget", "func") if hasattr(found, key)), None
        )
