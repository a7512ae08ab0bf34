"""Check what type checkers say of a project that uses arrowjag: the last step of `make types`.

mypy and pyright read `tests/typing/consumer.py`, which the tests run, and a file with wrong types, in which mypy must see them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["main"]

ROOT = Path(__file__).parents[1]
SAMPLE = "tests/typing/consumer.py"
WRONG = "import arrowjag as aj\n\nx: int = aj.array([[1]]).cumsum()\naj.array([[1]]).cumsums()\n"


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], check=False, capture_output=True, text=True, cwd=ROOT)


def _mypy(path: str) -> subprocess.CompletedProcess[str]:
    """Run mypy as a consumer does: without this project's settings, and without errors inside libraries."""
    return _run("mypy", "--config-file=", "--strict", "--follow-imports=silent", "--cache-dir=.mypy_cache/consumer", path)


def main() -> None:
    """Run both checkers.

    Raises
    ------
    SystemExit
        One of them disagrees with the sample, or mypy doesn't see what is wrong.
    """
    answer = _mypy(SAMPLE)
    if answer.returncode:
        sys.exit(answer.stdout + answer.stderr)
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder, "wrong.py")
        wrong.write_text(WRONG, encoding="utf-8")
        answer = _mypy(str(wrong))
    if "[assignment]" not in answer.stdout or "[attr-defined]" not in answer.stdout:
        sys.exit(f"mypy does not see the wrong types of\n{WRONG}\n{answer.stdout}{answer.stderr}")
    if _run("pyright", "--version").returncode:
        print("pyright is not installed, or can't fetch what it needs: passed over")
        return
    answer = _run("pyright", "--pythonpath", sys.executable, SAMPLE)
    if answer.returncode:
        sys.exit(answer.stdout + answer.stderr)
    print("mypy and pyright agree with the sample of a consumer")


if __name__ == "__main__":
    main()
