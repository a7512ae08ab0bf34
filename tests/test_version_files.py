"""Files of one version are read by each other one (`make version-files`); here one version reads its own."""

from __future__ import annotations

import datetime as dt
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import arrowjag as aj
from tests.scripts import load

ROOT = Path(aj.__file__).parents[1]


def tool(name: str) -> ModuleType:
    return load(ROOT / "tools" / f"{name}.py")


def test_files_of_this_version_are_read(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    version_files = tool("version_files")
    version_files.write_files(tmp_path)
    assert len(list(tmp_path.iterdir())) == 5
    assert list(version_files.read_files(tmp_path)) == []
    shutil.copy(tmp_path / "arrowjag.parquet", tmp_path / "other.parquet")
    changed = {"ints": aj.array([[2, None], None, []], type="int8")}
    aj.write_parquet(changed, tmp_path / "arrowjag.parquet")
    assert next(version_files.read_files(tmp_path)) == (
        "arrowjag.parquet, column ints: [[2, None], None, []], expected [[1, None], None, []]"
    )


def test_every_environment_has_a_name() -> None:
    done = subprocess.run([sys.executable, "tools/versions.py", "--list"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = json.loads(done.stdout)
    assert names[:4] == ["bare", "pandas-only", "polars-only", "mlflow,gluonts"]
    assert {"newest", "pandas-2.3,polars-2.0,pyarrow-22", "pandas-3.0,pyarrow-24", "python-3.13"} <= set(names)
    assert len(names) == len(set(names)) == 4 + 3 * 2 * 3 + 3


def test_environments_of_other_pythons_are_left_out_unless_installed(monkeypatch, capsys) -> None:
    versions = tool("versions")
    ran = []
    monkeypatch.setattr(versions.shutil, "which", lambda command: sys.executable if command == "python3.13" else None)
    monkeypatch.setattr(versions, "run_tests", lambda name, *_args, **_options: (ran.append(name), (0, "1 passed"))[1])
    assert versions.main([]) == 0
    assert ran[-2:] == ["newest", "python-3.13"]
    assert capsys.readouterr().out.startswith("left out, because there is no such command on PATH: python-3.12, python-3.14\n")
    monkeypatch.undo()
    monkeypatch.setattr(versions.shutil, "which", lambda _command: None)
    with pytest.raises(SystemExit, match=r"environment 'python-3.14' needs the command python3.14 on PATH"):
        versions.environment("python-3.14")


def test_the_table_says_what_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = tool("versions")
    ran = []

    def run_tests(name: str, profile: str, files: list[str], slow: bool) -> tuple[int, str]:
        ran.append((name, profile, files, slow))
        return int(name == "bare"), "1 failed, 12034 passed, 900 skipped, 3 xfailed, 1 warning in 70.1s (0:01:10)"

    page = tmp_path / "README.md"
    page.write_text(
        f"before\n{versions.FIRST}\n| `newest` | 7 passed | `few` | 2026-11-22 | Python |\n\n{versions.LAST}after\n", "utf-8"
    )
    monkeypatch.setattr(versions, "PAGE", page)
    monkeypatch.setattr(versions, "run_tests", run_tests)
    monkeypatch.setattr(versions, "_installed", lambda name: f"Python of {name}")
    monkeypatch.delenv("HYPOTHESIS_PROFILE", raising=False)
    assert versions.main(["bare", "pandas-3.0", "--table"]) == 1
    assert versions.main(["newest", "tests/test_dims.py"]) == 0
    assert ran == [
        ("bare", "quick", [], False),
        ("pandas-3.0", "quick", [], False),
        ("newest", "whole", ["tests/test_dims.py"], True),
    ]
    text = page.read_text("utf-8")
    lines = dict(line.split("|", 2)[1:] for line in text.splitlines() if line.startswith("| `"))
    assert re.fullmatch(r" 1 failed, 12,034 passed, 900 skipped \| `quick` \| [\d-]{10} \| Python of bare \|", lines[" `bare` "])
    assert lines[" `newest` "] == " 7 passed | `few` | 2026-11-22 | Python |"
    assert lines[" `pandas-2.3` "].startswith(" not run yet")
    assert len(lines) == 25
    assert (text.splitlines()[0], text.splitlines()[-1]) == ("before", "after")
    with pytest.raises(SystemExit, match="leave out --table"):
        versions.main(["--short", "--table"])


def days(*ages: tuple[str, int]) -> dict[str, dt.date]:
    return {version: dt.date(2026, 11, 22) - dt.timedelta(days=age) for version, age in ages}


@pytest.mark.parametrize(
    ("current", "releases", "expected"),
    [
        ("2.3.0", days(("2.3.0", 800), ("2.3.3", 400), ("3.0.0", 300), ("3.1.0", 30)), "3.0.0"),
        ("3.0.0", days(("2.3.0", 800), ("3.0.0", 300), ("3.1.0", 30)), None),
        ("22.0.0", days(("22.0.0", 390), ("23.0.0", 300)), None),
        ("1.0", days(("1.0", 2000), ("1.1rc1", 10), ("not a version", 5)), None),
        ("1.0", {}, None),
    ],
)
def test_bounds_follow_the_last_24_months(current: str, releases: dict[str, dt.date], expected: str | None) -> None:
    assert tool("propose_bounds").propose(current, releases, dt.date(2026, 11, 22)) == expected


def test_a_proposal_changes_both_files(tmp_path: Path) -> None:
    (tmp_path / "arrowjag").mkdir()
    for name in ("pyproject.toml", "arrowjag/_versions.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    releases = {"pandas": days(("2.3.0", 800), ("3.0.0", 300))}
    changes = tool("propose_bounds").main(dt.date(2026, 11, 22), lambda name: releases.get(name, {}), tmp_path)
    assert changes == ["pandas 2.3.0 -> 3.0.0"]
    assert '"pandas>=3.0.0"' in (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert '"pandas": "3.0.0"' in (tmp_path / "arrowjag" / "_versions.py").read_text(encoding="utf-8")
