"""The workflows of `.github`: pinned actions, least rights, every supported Python on every system."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="workflows are in the repository only")

PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")


def unpinned(text: str) -> list[str]:
    """Actions that are not named by a commit, with the version in a comment."""
    used = re.findall(r"^\s*(?:- )?uses: *(.*?) *$", text, re.MULTILINE)
    return [one for one in used if not one.startswith("./") and not PINNED.fullmatch(one)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    found = unpinned(path.read_text(encoding="utf-8"))
    assert not found, f"{path.name}: {found}: write `owner/name@COMMIT # vX.Y.Z`, the commit from the action's own repository"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_read_and_no_more_unless_a_job_says_so(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^permissions:\n  contents: read\n(?! )", text, re.MULTILINE), (
        f"{path.name}: add `permissions: contents: read`"
    )
    assert "timeout-minutes:" in text, f"{path.name}: a job without timeout-minutes runs for six hours"


def test_every_supported_python_is_tested_on_every_system() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = {one.rpartition(" ")[2] for one in project["classifiers"] if re.fullmatch(r".*Python :: 3\.\d+", one)}
    matrix = re.search(
        r"os: \[(.*)\]\n\s+python: \[(.*)\]", (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    )
    assert matrix is not None
    assert {one.partition("-")[0] for one in matrix[1].split(", ")} == {"ubuntu", "macos", "windows"}
    assert {one.strip('"') for one in matrix[2].split(", ")} == pythons


@pytest.mark.parametrize("used", ["actions/checkout@v4", "actions/checkout@main", "a/b@" + "0" * 40, "a/b@" + "0" * 39 + " # v1"])
def test_unpinned_actions_are_found(used: str) -> None:
    assert unpinned(f"steps:\n  - uses: {used}\n") == [used]
