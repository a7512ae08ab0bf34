"""Run the demo and the tests with one combination of versions of the hosts after another, each in an environment of its own.

`python tools/versions.py pandas-2.3,polars-2.0,pyarrow-22` runs one combination, `python tools/versions.py bare` the core without
pandas and polars, `python tools/versions.py mlflow,gluonts` the newest releases of two libraries that refuse the newest pyarrow and
pandas, `python tools/versions.py python-3.13` the newest hosts with another Python, and no name runs all of them. `--list` prints
their names as JSON, for the nightly workflow, `--table` adds the results to tests/README.md, and `--short` runs a few test files
without pandas, without polars and without both. If test files follow names, only these files run, with all their cases, the slow
ones included.

The environment variable HYPOTHESIS_PROFILE picks what runs: the profile `quick` of `make test` by default, for some minutes per
environment; the nightly workflow sets `few`, with which all cases run. PYTEST_WORKERS sets the number of processes, one per core by
default.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["ENVIRONMENTS", "ROOT", "environment", "main", "requirements", "run_tests", "write_table"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "tests" / "README.md"
FIRST, LAST = "<!-- versions: written by tools/versions.py -->\n", "<!-- end of versions -->\n"

TOOLS = ["packaging>=24.2", "pytest>=9.0", "pytest-xdist>=3.8"]
BARE = {"bare": "cli,etl,testing", "pandas-only": "cli,etl,pandas,testing", "polars-only": "cli,etl,polars,testing"}
"""The extras of the environments without one of the hosts."""

BESIDE = {"mlflow,gluonts": ["mlflow", "gluonts"]}
"""Environments with libraries that have narrower bounds on pandas and pyarrow; pip chooses the newest versions that all accept."""

PYTHONS = ("3.12", "3.13", "3.14")
"""Other versions of Python than the one that makes most environments; the hosts are the newest."""

SHORT = {
    "bare": "array concat creating_arrays dims filter fold_cases formatting shape take unique versions where",
    "pandas-only": "versions pandas/test_array pandas/test_entry pandas/test_frame pandas/test_operators",
    "polars-only": "versions polars/test_entry polars/test_expressions polars/test_series",
}
"""The test files that `--short` runs there, for every change; `make versions` runs all."""

VERSIONS = {"pandas": ("2.3", "3.0", ""), "polars": ("2.0", ""), "pyarrow": ("22", "24", "")}
"""The versions of each host; the empty one is the newest."""


def _combinations() -> dict[str, list[str]]:
    found = {}
    for chosen in itertools.product(*VERSIONS.values()):
        pinned = [(host, version) for host, version in zip(VERSIONS, chosen, strict=True) if version]
        name = ",".join(f"{host}-{version}" for host, version in pinned)
        found[name or "newest"] = [f"{host}=={version}.*" for host, version in pinned]
    return found


ENVIRONMENTS = _combinations()
"""The requirements of each combination of versions, by its name."""

_NAMES = [*BARE, *BESIDE, *ENVIRONMENTS, *(f"python-{version}" for version in PYTHONS)]


def requirements(name: str) -> list[str]:
    """The requirements that pip installs into an environment.

    Parameters
    ----------
    name : str
        A key of `ENVIRONMENTS`, `BARE` or `BESIDE`, or ``python-`` and one of `PYTHONS`.

    Returns
    -------
    list of str
        Arguments of ``pip install``.

    Raises
    ------
    SystemExit
        There is no such environment.
    """
    if name in BARE:
        return [*TOOLS, "--editable", f"{ROOT}[{BARE[name]}]"]
    if name not in _NAMES:
        sys.exit(f"there is no environment {name!r}; there are {', '.join(_NAMES)}")
    return [*(BESIDE.get(name) or ENVIRONMENTS.get(name, [])), "--editable", f"{ROOT}[suite]"]


def _interpreter(name: str) -> str | None:
    """The Python that makes an environment: the one that runs this file unless `name` names one; None if that isn't installed."""
    if not name.startswith("python-"):
        return sys.executable
    found = shutil.which(name.replace("-", ""))
    # pyenv puts commands on PATH that only say that a version isn't chosen.
    return found if found and not subprocess.run([found, "-V"], check=False, capture_output=True).returncode else None


def environment(name: str) -> Path:
    """The Python of an environment, which is made when it is missing or old.

    Parameters
    ----------
    name : str
        A key of `ENVIRONMENTS`, `BARE` or `BESIDE`, or ``python-`` and one of `PYTHONS`.

    Returns
    -------
    Path
        The interpreter.
    """
    folder = ROOT / f".venv-{name}"
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    wanted = ["--constraint", str(ROOT / "tests" / "draws.txt"), *requirements(name)]
    project = (ROOT / "pyproject.toml").read_bytes() + (ROOT / "tests" / "draws.txt").read_bytes()
    stamp, made = folder / ".done", hashlib.sha256(project + json.dumps(wanted).encode()).hexdigest()
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != made:
        interpreter = _interpreter(name) or sys.exit(f"environment {name!r} needs the command {name.replace('-', '')} on PATH")
        subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
        stamp.write_text(made, encoding="utf-8")
    return python


def _installable() -> list[str]:
    """The names of all environments; those of Pythons that aren't installed are printed and left out."""
    missing = [name for name in _NAMES if _interpreter(name) is None]
    if missing:
        print(f"left out, because there is no such command on PATH: {', '.join(missing)}")
    return [name for name in _NAMES if name not in missing]


def run_tests(name: str, profile: str, files: Sequence[str] = (), slow: bool = False) -> tuple[int, str]:
    """Run the demo and the tests in an environment.

    Parameters
    ----------
    name : str
        A key of `ENVIRONMENTS`, `BARE` or `BESIDE`, or ``python-`` and one of `PYTHONS`.
    profile : str
        One of the profiles of `tests/conftest.py`.
    files : sequence of str
        Run these test files alone, without the demo.
    slow : bool
        Whether the slow tests run too.

    Returns
    -------
    code : int
        The exit code of pytest, or of the demo if that failed.
    summary : str
        The last line of pytest.
    """
    python = environment(name)
    if name not in BARE and not files:
        print(f"--- {name}: the demo", flush=True)
        demo = subprocess.run([str(python), "-m", "arrowjag", "demo"], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True)
        if demo.returncode:
            return demo.returncode, "the demo failed"
    workers, marked = os.environ.get("PYTEST_WORKERS", "auto"), "not torch and not engines" + " and not slow" * (not slow)
    command = [str(python), "-m", "pytest", "-q", "-n", workers, "-m", marked, *(files or ["tests"])]
    print(f"--- {name}: {' '.join(command[1:])}", flush=True)
    settings = dict(os.environ) | {"HYPOTHESIS_PROFILE": profile}
    child = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert child.stdout is not None
    last = ""
    for line in child.stdout:
        if not line.startswith("SKIPPED"):
            print(line, end="", flush=True)
        last = line.strip() or last
    return child.wait(), last.strip("= ")


def _installed(name: str) -> str:
    """The versions in an environment of Python and the hosts, for the table."""
    libraries = ["numpy", *VERSIONS, *BESIDE.get(name, [])]
    code = f"""
import importlib.metadata, platform
found = {{one.metadata["Name"].lower(): one.version for one in importlib.metadata.distributions()}}
print(f"Python {{platform.python_version()}}", *[f"{{one}} {{found[one]}}" for one in {libraries} if one in found], sep=", ")
"""
    return subprocess.run([str(environment(name)), "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _counts(summary: str) -> str:
    """The numbers of failed, passed and skipped cases in the last line of pytest."""
    parts = re.findall(r"(\d+) (failed|errors?|passed|skipped)", summary)
    return ", ".join(f"{int(count):,} {what}" for count, what in parts) or summary


_NOT_RUN = "not run yet; the nightly workflow runs it | | |"


def write_table(results: Mapping[str, str]) -> None:
    """Write results into tests/README.md; those of other environments stay.

    Parameters
    ----------
    results : mapping of str to str
        The cells of a line beyond the name, by environment.
    """
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(FIRST)
    old, after = rest.split(LAST)
    known = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", old, re.MULTILINE)) | dict(results)
    rows = [f"| `{name}` | {known.get(name, _NOT_RUN)} |" for name in _NAMES]
    table = "\n".join(["", "| environment | result | profile | date | versions |", "|---|---|---|---|---|", *rows, "", ""])
    PAGE.write_text(f"{before}{FIRST}{table}{LAST}{after}", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run the environments that are named.

    Parameters
    ----------
    arguments : list of str
        Names, test files, `--list`, `--table` or `--short`.

    Returns
    -------
    int
        0 if all tests passed.
    """
    if "--list" in arguments:
        print(json.dumps(_NAMES))
        return 0
    short = "--short" in arguments
    files = [one for one in arguments if one.endswith(".py")]
    names = [one for one in arguments if not one.startswith("--") and one not in files] or (list(BARE) if short else _installable())
    if "--table" in arguments and (short or files):
        sys.exit("the table shows runs of all files: leave out --table, or --short and the test files")
    profile = os.environ.get("HYPOTHESIS_PROFILE") or ("few" if short else "whole" if files else "quick")
    if short:  # pip uses one core, and takes longer than the tests
        with ThreadPoolExecutor() as pool:
            list(pool.map(environment, names))
    failed = []
    for name in names:
        started = time.monotonic()
        day = dt.datetime.now(dt.UTC).date()
        chosen = [f"tests/{file if '/' in file else f'test_{file}'}.py" for file in SHORT[name].split()] if short else files
        code, summary = run_tests(name, profile, chosen, slow=bool(files))
        if code:
            failed.append(name)
        if "--table" in arguments:
            write_table({name: f"{_counts(summary)} | `{profile}` | {day} | {_installed(name)}"})
        print(f"--- {name}: {summary}, {time.monotonic() - started:.0f} s with the installation", flush=True)
    if failed:
        print(f"failed with {', '.join(failed)}; repeat with: python tools/versions.py {failed[0]}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
