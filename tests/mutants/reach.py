"""Which code each test reaches, and how long it takes: a plugin of pytest, and an import hook that the mutants use too."""

from __future__ import annotations

import ast
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
REACHED: set[str] = set()
"""Stretches of code that ran since it was last cleared."""


def digest(path: str) -> str:
    """A hash of the version of a file."""
    return hashlib.sha256((ROOT / path).read_bytes()).hexdigest()[:16]


class SourceHook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from sources that a function makes of theirs; None leaves a module as it is."""

    def __init__(self, change: Callable[[str, Path], Any]):
        self.change = change

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if not fullname.startswith("arrowjag."):
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        if found is None or not found.origin or self.change(fullname, Path(found.origin)) is None:
            return None
        locations = found.submodule_search_locations
        return importlib.util.spec_from_file_location(fullname, found.origin, loader=self, submodule_search_locations=locations)

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        path = Path(str(module.__file__))
        exec(compile(self.change(module.__name__, path), str(path), "exec"), module.__dict__)


class Stretch(NamedTuple):
    """Statements of a function that run one after the other, if nothing raises: all or none of them are reached."""

    block: list[ast.stmt]
    """The block that holds them."""

    begin: int
    end: int
    function: str
    name: str
    """The function, the first line of the first statement, and how often it was met: the same wherever the function moves."""


def stretches(tree: ast.Module, path: str) -> Iterator[Stretch]:
    """Every stretch of the functions of a module, outer ones first.

    numba reads compiled loops, which are not divided; the other functions beside them are left out, for it compiles some of them.
    """
    tops: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    tops += [(f"{node.name}.", part) for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    times = Counter[str]()
    for prefix, node in tops:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            whole = "/compiled/loops/" in path
            if whole and not any(isinstance(one, ast.Call) for one in node.decorator_list):
                continue
            for block in [node.body] if whole else _blocks(node):
                for begin, end in [(0, len(block))] if whole else _runs(block):
                    first = ast.unparse(block[min(begin + _is_text(block[begin]), len(block) - 1)]).partition("\n")[0]
                    name = f"{path}:{prefix}{node.name}:{first}"
                    times[name] += 1
                    yield Stretch(block, begin, end, prefix + node.name, f"{name} ({times[name]})")


def _is_text(statement: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        if isinstance(block := getattr(node, field, None), list):
            if block:
                yield block
            for statement in block:
                yield from _blocks(statement)
    for inner in [*getattr(node, "handlers", []), *getattr(node, "cases", [])]:
        yield from _blocks(inner)


def _runs(block: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """The positions at which a block is cut: after each statement that may leave it."""
    leaving = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    leaves = [hasattr(statement, "body") and any(isinstance(node, leaving) for node in ast.walk(statement)) for statement in block]
    cuts = [0, *(place + 1 for place, one in enumerate(leaves[:-1]) if one), len(block)]
    return pairwise(cuts)


def watched(name: str, path: Path) -> ast.Module | None:
    """A module of the kernels or operations whose functions say that they run."""
    if not name.startswith(("arrowjag._kernels", "arrowjag._ops")):
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for one in [*stretches(tree, path.relative_to(ROOT).as_posix())][::-1]:
        one.block.insert(one.begin + _is_text(one.block[one.begin]), ast.parse(f"_reached.add({one.name!r})").body[0])
    _watch_lambdas(tree, f"{path.relative_to(ROOT).as_posix()}::lambda")
    future = max((place for place, node in enumerate(tree.body) if getattr(node, "module", "") == "__future__"), default=0)
    tree.body.insert(future + 1, ast.parse("from tests.mutants.reach import REACHED as _reached").body[0])
    return ast.fix_missing_locations(tree)


def _watch_lambdas(tree: ast.Module, name: str) -> None:
    """Let the lambdas of a module's own statements, such as those of a table, say that they run."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for statement in [one for one in tree.body if not isinstance(one, functions)]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Lambda):
                told = ast.parse(f"(_reached.add({name!r}), None)[1]", mode="eval").body
                assert isinstance(told, ast.Subscript)
                assert isinstance(told.value, ast.Tuple)
                told.value.elts[1] = node.body
                node.body = told


class Recorder:
    """Writes for each test that passed its seconds of CPU, whatever else the machine does, and what it reached."""

    def __init__(self, out: Path):
        self.out, self.found, self.seconds = out, dict[str, tuple[float, list[str]]](), 0.0

    def pytest_collection_finish(self) -> None:
        """Code that runs on import is reached by every test."""
        self.found[""] = (0.0, sorted(REACHED))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        REACHED.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Any:
        start = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds = time.process_time() - start

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.found[report.nodeid] = (round(self.seconds, 4), sorted(REACHED))

    def pytest_sessionfinish(self) -> None:
        paths = {name.partition(":")[0] for _, names in self.found.values() for name in names}
        self.out.write_text(json.dumps({"sources": {path: digest(path) for path in sorted(paths)}, "tests": self.found}))


def main(out: str, *options: str) -> int:
    """Run pytest with the options, and write what was reached."""
    sys.meta_path.insert(0, SourceHook(watched))
    return int(pytest.main([*options], plugins=[Recorder(Path(out))]))


if __name__ == "__main__":
    # Under its own name too, so that the watched functions and the recorder see one set.
    module = importlib.import_module("tests.mutants.reach")
    sys.exit(module.main(*sys.argv[1:]))
