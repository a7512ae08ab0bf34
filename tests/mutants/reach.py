"""Which functions each test reaches, and how long it takes: a plugin of pytest, and an import hook that the mutants use too."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
REACHED: set[str] = set()
"""Functions that ran since it was last cleared; module and qualified name."""


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


def watched(name: str, path: Path) -> ast.Module | None:
    """A module of the kernels or operations whose functions say that they run."""
    if not name.startswith(("arrowjag._kernels", "arrowjag._ops")):
        return None
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file = path.relative_to(ROOT).as_posix()
    tops: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    tops += [(f"{node.name}.", part) for node in tree.body if isinstance(node, ast.ClassDef) for part in node.body]
    for prefix, node in tops:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            say = ast.parse(
                f"__import__('tests.mutants.reach', fromlist=['x']).REACHED.add({f'{file}:{prefix}{node.name}'!r})"
            ).body[0]
            node.body.insert(1 if ast.get_docstring(node) is not None and len(node.body) > 1 else 0, say)
    return ast.fix_missing_locations(tree)


class Recorder:
    """Writes for each test that passed its seconds of CPU, whatever else the machine does, and what it reached."""

    def __init__(self, out: Path):
        self.out, self.found, self.seconds = out, dict[str, tuple[float, list[str]]](), 0.0

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
        self.out.write_text(json.dumps(self.found))


def main(out: str, *options: str) -> int:
    """Run pytest with the options, and write what was reached."""
    sys.meta_path.insert(0, SourceHook(watched))
    return int(pytest.main([*options], plugins=[Recorder(Path(out))]))


if __name__ == "__main__":
    # Under its own name too, so that the watched functions and the recorder see one set.
    module = importlib.import_module("tests.mutants.reach")
    sys.exit(module.main(*sys.argv[1:]))
