"""The cases that profiles leave out: those beyond a cover of all parameters, long tests, and tests that start Python."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.conftest import LONG, beyond_cover, parameters

ROOT = Path(__file__).parents[1]


class Item:
    """A case of a test, as pytest collects it."""

    def __init__(self, name: str, **values: int) -> None:
        self.path, self.originalname, self.cls, self.nodeid = Path("test.py"), name, None, f"{name}{sorted(values.items())}"
        self.values, self.callspec = values, SimpleNamespace(_idlist=[str(one) for one in values.values()])


def chosen(items: list[Any], together: int = 1) -> list[dict[str, int]]:
    left_out = beyond_cover(items, together)
    return [item.values for item in items if item not in left_out]


def test_every_value_of_every_parameter_stays() -> None:
    items = [Item("product", method=a, surface=b, leaf=c) for a, b, c in itertools.product(range(30), range(5), range(2))]
    kept = chosen(items)
    assert 30 <= len(kept) <= 37
    assert {one["method"] for one in kept} == set(range(30))
    assert {one["surface"] for one in kept} == set(range(5))
    assert {one["leaf"] for one in kept} == {0, 1}
    assert chosen(items[::-1]) == kept[::-1]


def test_every_pair_of_values_of_two_parameters_stays() -> None:
    items = [Item("product", method=a, surface=b, leaf=c) for a, b, c in itertools.product(range(7), range(5), range(6))]
    kept = chosen(items, together=2)
    assert len(kept) < 100
    for one, two in itertools.combinations(("method", "surface", "leaf"), 2):
        assert {(case[one], case[two]) for case in kept} == {(item.values[one], item.values[two]) for item in items}
    two = [Item("product", method=a, surface=b) for a, b in itertools.product(range(7), range(5))]
    assert len(chosen(two, together=2)) == 35


def test_cases_of_one_parameter_all_stay() -> None:
    assert len(chosen([Item("one", method=k) for k in range(9)])) == 9


@pytest.mark.parametrize("outer", [1, 2])
@pytest.mark.parametrize(("method", "expected"), [(3, 4), (5, 4), (3, 6)])
def test_pytest_tells_the_value_of_each_decorator(outer: int, method: int, expected: int, request: pytest.FixtureRequest) -> None:
    assert parameters(request.node) == {(0, f"{method}-{expected}"), (1, str(outer))}


def test_files_without_the_marker_that_runs_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("x = 1\n")
    (tmp_path / "rare.py").write_text("pytestmark = pytest.mark.slow\n")

    def ignored(expression: str) -> list[str]:
        config: Any = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
        return [path.name for path in sorted(tmp_path.iterdir()) if conftest.pytest_ignore_collect(path, config)]

    assert ignored("slow") == ignored("slow and not nightly and not torch") == ["plain.py"]
    assert ignored("torch") == ["plain.py", "rare.py"]
    assert ignored("") == ignored("not slow") == ignored("slow or torch") == ignored("everyday") == []


def test_long_tests_exist() -> None:
    for name in LONG:
        file, _, path = name.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {path.rpartition('::')[2]}(" in text, f"tests/long.txt: {name} is gone; delete the line"


# ------------------------------------------------------------------------------------------------------ tests that start Python


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The programs that a test starts; none of them runs. The profile is `quick`."""
    programs: list[Any] = []
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda self, args: programs.append(args))
    monkeypatch.setattr(subprocess.Popen, "__del__", lambda self: None)
    monkeypatch.setattr(conftest, "PROFILE", "quick")
    return programs


def outcome(test: Callable[[], object], *markers: str) -> str:
    """Run a test within the hooks of conftest, as pytest does: passed, or the reason why it was skipped."""
    item: Any = SimpleNamespace(stash=pytest.Stash(), get_closest_marker=lambda name: name if name in markers else None)
    protocol, call = conftest.pytest_runtest_protocol(item), conftest.pytest_runtest_call(item)
    next(protocol)
    next(call)
    try:
        try:
            test()
        except (RuntimeError, pytest.skip.Exception, pytest.fail.Exception) as error:
            call.throw(error)
    except pytest.skip.Exception as skipped:
        return str(skipped)
    finally:
        next(protocol, None)
    assert next(call, "ended") == "ended"
    return "passed"


def start_python() -> None:
    subprocess.Popen([sys.executable, "-c", "pass"])


SKIPPED = "starts Python: make whole"


def test_a_test_that_starts_python_is_skipped(started: list[Any]) -> None:
    before = subprocess.Popen.__init__
    assert outcome(start_python) == SKIPPED
    assert started == []
    assert subprocess.Popen.__init__ is before


@pytest.mark.parametrize("failure", [pytest.fail.Exception, RuntimeError])
def test_a_page_whose_example_starts_python_is_skipped(failure: type[Exception], started: list[Any]) -> None:
    def page() -> None:
        try:
            start_python()
        except pytest.skip.Exception as error:  # doctest reports a skip as a failure of the example
            raise failure("the example failed") from error

    assert outcome(page) == SKIPPED


def test_a_test_that_fails_without_starting_python_fails(started: list[Any]) -> None:
    def fails() -> None:
        raise RuntimeError("the test failed")

    with pytest.raises(RuntimeError, match="the test failed"):
        outcome(fails)


def test_an_everyday_test_starts_python(started: list[Any]) -> None:
    assert outcome(start_python, "everyday") == "passed"
    assert started == [[sys.executable, "-c", "pass"]]


@pytest.mark.parametrize("profile", ["cover", "whole"])
def test_other_profiles_start_python(profile: str, started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "PROFILE", profile)
    assert outcome(start_python) == "passed"
    assert started == [[sys.executable, "-c", "pass"]]


@pytest.mark.parametrize("program", ["git", ["git", "status"], [Path("git")]], ids=str)
def test_other_programs_start(program: Any, started: list[Any]) -> None:
    assert outcome(lambda: subprocess.Popen(program)) == "passed"
    assert started == [program]


def test_threads_start_python(started: list[Any]) -> None:
    """A compiler in the background is no reason to skip the test that runs at that moment."""

    def in_a_thread() -> None:
        thread = threading.Thread(target=start_python)
        thread.start()
        thread.join()

    assert outcome(in_a_thread) == "passed"
    assert started == [[sys.executable, "-c", "pass"]]
