"""What type checkers say of a project that uses arrowjag: `tests/typing/consumer.py` runs, and mypy and pyright agree with it."""

from __future__ import annotations

import importlib.util
import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.typing import consumer

ROOT = pathlib.Path(__file__).parent.parent
SAMPLE = "tests/typing/consumer.py"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], check=False, capture_output=True, text=True, cwd=ROOT, timeout=600)


def mypy(path: str, cache: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """As a consumer runs it: without the settings of this project, and silent about the insides of libraries."""
    return run("mypy", "--config-file=", "--strict", "--follow-imports=silent", f"--cache-dir={cache}", path)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    pytest.importorskip("mypy")
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize("sample", consumer.ALL, ids=lambda sample: sample.__name__)
def test_the_sample_runs(sample: Callable[[], None]) -> None:
    sample()


@pytest.mark.slow
def test_mypy_agrees(cache: pathlib.Path) -> None:
    answer = mypy(SAMPLE, cache)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.slow
def test_mypy_sees_a_wrong_type(cache: pathlib.Path, tmp_path: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import arrowjag as aj\n\nx: int = aj.array([[1]]).cumsum()\naj.array([[1]]).cumsums()\n")
    answer = mypy(str(wrong), cache)
    assert answer.returncode == 1
    assert "[assignment]" in answer.stdout
    assert "[attr-defined]" in answer.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed: pip install pyright")
def test_pyright_agrees() -> None:
    if run("pyright", "--version").returncode:
        pytest.skip("pyright can't fetch what it needs")
    answer = run("pyright", "--pythonpath", sys.executable, SAMPLE)
    assert answer.returncode == 0, answer.stdout + answer.stderr
