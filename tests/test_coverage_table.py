"""`tools/coverage_table.py`: what `make coverage` writes into tests/README.md."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import load

TOOL = Path(__file__).parents[1] / "tools" / "coverage_table.py"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="the tools are not there")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return load(TOOL)


def found(missing_lines: list[int], missing_branches: list[list[int]], percent: float) -> dict[str, Any]:
    summary = {"num_statements": 10, "num_branches": 4, "percent_covered": percent}
    return {"summary": summary, "missing_lines": missing_lines, "missing_branches": missing_branches}


def test_table_names_unreached_lines(tool: Any) -> None:
    files = {
        "arrowjag/_kernels/whole.py": found([], [], 100.0),
        "arrowjag/_kernels/scan.py": found([3, 4, 5, 9], [[2, 3], [6, 8], [7, -1]], 60.0),
    }
    text = tool.table({"files": files, "totals": {"percent_covered": 80.0, "num_statements": 20, "num_branches": 8}})
    assert "80.0 % of 20 statements and 8 branches; 1 of 2 files are covered whole" in text
    assert "| `_kernels/scan.py` | 10 | 4 | 60.0 % | 3-5, 9, 6 -> 8, 7 -> 1 |" in text
    assert "whole.py" not in text


def test_page_is_written_between_its_marks(tool: Any) -> None:
    page = f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n"
    assert tool.replaced(page, "new") == f"before\n{tool.BEGIN}\n\nnew\n\n{tool.END}\nafter\n"
    with pytest.raises(ValueError, match="expected the lines"):
        tool.replaced("before\n", "new")


def test_page_has_the_marks(tool: Any) -> None:
    assert tool.replaced(tool.README.read_text(encoding="utf-8"), "new")
