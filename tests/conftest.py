"""Settings of the whole suite: hypothesis profiles, and what is skipped where a library is absent."""

from __future__ import annotations

import importlib.util
import itertools
import os
import re
import subprocess
import sys
import threading
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

from arrowjag import options
from arrowjag._pyarrow_versions import NO_NULLS_IN_FIXED_LISTS
from arrowjag._versions import Difference
from arrowjag.errors import MissingDependencyError
from tests.compiled_calls import forced
from tests.hosts import ABSENT
from tests.surfaces import SURFACES, Surface

# HYPOTHESIS_PROFILE picks a profile: `quick` for `make test`, and `whole` for `make whole`, `make check` and runs of single files.
# No deadline and no check of speed: what comes first is slow, because threads start and libraries load. Where the variable CI is
# set, hypothesis would draw the same examples in every run and ignore all seeds.
_ANYWHERE: dict[str, Any] = {"deadline": None, "derandomize": False, "suppress_health_check": [HealthCheck.too_slow]}
_FIXED: dict[str, Any] = _ANYWHERE | {"database": None}
# Other versions of libraries fail at once or not at all: few examples show it. `cover` leaves out cases beyond a cover of all
# parameters and long tests; `quick` also leaves out those that start Python. `whole` keeps each pair of values of two parameters.
settings.register_profile("few", max_examples=15, **_FIXED)
settings.register_profile("cover", max_examples=12, **_FIXED)
settings.register_profile("quick", max_examples=12, print_blob=True, **_FIXED)
settings.register_profile("whole", max_examples=50, print_blob=True, **_FIXED)
settings.register_profile("ci", max_examples=100, print_blob=True, **_FIXED)
settings.register_profile("thorough", max_examples=2000, print_blob=True, **_ANYWHERE)
# A mutant is killed by the first failure: what the smallest example is doesn't matter.
settings.register_profile("mutants", max_examples=15, phases=[Phase.explicit, Phase.generate], **_FIXED)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "whole")
IS_COVER = PROFILE in ("cover", "quick")
"""Whether each value of each parameter occurs in one case, and not in all combinations."""
settings.load_profile(PROFILE)

# mutmut comes with `make mutants`; the tests of a surface need its host; pages, docstrings and stubs cover both surfaces.
OF_BOTH = ["coming_from", "completeness", "docstrings", "documents", "examples", "notebooks", "see_also", "stubs", "typing"]
collect_ignore = ["mutants", *ABSENT, *(f"test_{name}.py" for name in OF_BOTH if ABSENT)]

# Pages and notebooks show what the newest versions print. Every difference between versions has a row in a table.
PRINTED = {"test_coming_from.py", "test_examples.py", "test_notebooks.py"}
if not ABSENT:
    importlib.import_module("arrowjag.pandas._versions")
OLDER = next((f"{one.host} before {one.until}" for one in Difference.all if one and one.public), None)

DRAWS = Path(__file__).with_name("draws.txt")
LONG = frozenset(line for line in DRAWS.with_name("long.txt").read_text(encoding="utf-8").splitlines() if line[:1] not in ("", "#"))
"""Tests that `cover` and `quick` leave out."""

RARE = ("engines", "nightly", "slow", "torch")
"""Markers of tests that run by themselves: few files have them."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw from the fixed set, so that a run fails only for what changed; `--hypothesis-seed` draws from another one."""
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = next(re.finditer(r"(?m)^# seed: (\d+)$", DRAWS.read_text(encoding="utf-8")))[1]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read only the files that name a rare marker if no other tests run: to collect all takes half a minute."""
    wanted = re.fullmatch(rf"({'|'.join(RARE)})( and not \w+)*", config.option.markexpr)
    if wanted is None or collection_path.suffix != ".py" or collection_path.name == "__init__.py":
        return None
    return f"mark.{wanted[1]}" not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(tryfirst=True)  # before `-k` and `-m` deselect any
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse names with an address, pick cases, share examples, and skip `torch` tests where torch is absent; import no torch."""
    for item in items:
        if " at 0x" in item.nodeid.lower():
            raise pytest.UsageError(f"{item.nodeid} has another name in every process: give its parameters ids")
        if OLDER and (item.path.name in PRINTED or item.name.startswith("test_page_runs[")):
            item.add_marker(pytest.mark.skip(reason=f"pages show the output of the newest versions, this is {OLDER}"))
    if IS_COVER or PROFILE == "whole":
        left_out = beyond_cover(items, 1 if IS_COVER else 2)
        if IS_COVER:
            left_out |= {item for item in items if item.nodeid.partition("[")[0] in LONG}
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    if IS_COVER or PROFILE == "whole":
        share_examples(items)
    if importlib.util.find_spec("torch") is not None:
        return
    for item in items:
        if item.get_closest_marker("torch"):
            item.add_marker(pytest.mark.skip(reason="torch is not installed: make torch"))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Iterator[Any]:
    """Skip a test that asks for a host that is absent. Code of arrowjag that imports an absent host by accident fails the test."""
    try:
        return (yield)
    except pa.ArrowException as error:
        told = re.search("non-zero length null components|Expected all lists to be of size", str(error))
        if told is None or not NO_NULLS_IN_FIXED_LISTS:
            raise
        pytest.skip("pyarrow's own writer and reader of Parquet refuse fixed-size lists with null rows before pyarrow 26")
    except (MissingDependencyError, ModuleNotFoundError) as error:
        host = next((one for one in ABSENT if re.search(rf"\b{one}\b", str(error))), None)
        frames = traceback.extract_tb(error.__traceback__)
        if host is None or not (isinstance(error, MissingDependencyError) or "tests" in Path(frames[-1].filename).parts):
            raise
        pytest.skip(f"{host} is not installed")


STARTS = "starts Python: make whole"
STARTS_PYTHON = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """Skip a test in which an example of a page starts Python: doctest takes the skip for an error of the example."""
    try:
        return (yield)
    except (Exception, pytest.fail.Exception):
        if item.stash.get(STARTS_PYTHON, False):
            pytest.skip(STARTS)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """In the profile `quick`, skip a test that starts Python, which takes a second, unless it has the marker `everyday`."""
    if PROFILE != "quick" or item.get_closest_marker("everyday"):
        return (yield)
    start = subprocess.Popen.__init__

    def start_other_programs(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        program = args if isinstance(args, str | Path) else next(iter(args), "")
        if str(program) == sys.executable and threading.current_thread() is threading.main_thread():
            item.stash[STARTS_PYTHON] = True
            pytest.skip(STARTS)
        start(self, args, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", start_other_programs)
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _no_compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let tests run without machine code but where they ask for it, and keep it out of the user's cache.

    The workers of pytest-xdist share the compiled loops; ``ARROWJAG_TEST_OBJECTS`` names a folder that keeps them for other runs.
    """
    base = tmp_path_factory.getbasetemp()
    kept = os.environ.get("ARROWJAG_TEST_OBJECTS")
    folder = Path(kept) if kept else (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "objects"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARROWJAG_CACHE_DIR", str(folder))
        with options(compile="never"):
            yield


def beyond_cover(items: list[pytest.Item], together: int) -> set[pytest.Item]:
    """The cases of tests with several parameters that a profile leaves out.

    Each value of each parameter is in a case that stays; with ``together=2`` each pair of values of two. Cases are visited
    in an order that depends on their names alone, so that different tests combine the values differently.
    """
    seen: dict[Any, set[tuple[tuple[int, str], ...]]] = {}
    left_out = set()
    for item in sorted(items, key=lambda item: zlib.crc32(item.nodeid.encode())):
        values = {*itertools.combinations(sorted(parameters(item)), together)}
        if len(values) < 2:
            continue
        known = seen.setdefault((item.path, item.originalname, item.cls), set())
        if values <= known:
            left_out.add(item)
        known |= values
    return left_out


def parameters(item: Any) -> set[tuple[int, str]]:
    """The ids of the values of a case, one per `parametrize` or fixture, each with its place in the name of the case.

    `callspec.indices` is no substitute: it counts the cases of all parameters together.
    """
    called = getattr(item, "callspec", None)
    return set() if called is None else set(enumerate(called._idlist))


def share_examples(items: list[pytest.Item]) -> None:
    """Divide the examples of a property test by its parameters: all together have twice those of a test without.

    Each has at least a sixth of them. The profile `ci` gives each parameter all of its examples, and tests with settings of their
    own keep them.
    """
    tests = Counter(item.function for item in items if isinstance(item, pytest.Function))
    for test, count in tests.items():
        if count > 2 and is_hypothesis_test(test) and not getattr(test, "_hypothesis_internal_settings_applied", False):
            settings(max_examples=max(2 * settings().max_examples // count, settings().max_examples // 6))(test)


@pytest.fixture(params=SURFACES)
def surface(request: pytest.FixtureRequest) -> Surface:
    """Calls a method by its name on one surface after another: ``surface(x, "sum", axis=-1)``."""
    return SURFACES[request.param]


@pytest.fixture(params=["numpy", "compiled"])
def with_and_without_loops(request: pytest.FixtureRequest) -> Iterator[str]:
    """Both ways to compute: without compiled loops, and with them for few values too, where numba is installed."""
    with forced(request.param):
        yield request.param


@pytest.fixture(params=["never", "always"])
def compiling(request: pytest.FixtureRequest) -> Iterator[str]:
    """Both ways to run a function: by the interpreter and, where numba is installed, compiled."""
    if request.param == "always":
        pytest.importorskip("numba")
    with options(compile=request.param):
        yield request.param
