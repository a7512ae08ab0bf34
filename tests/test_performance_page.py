"""docs/performance.py: from the benchmark's JSON to a page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MACHINE = {"python": "3.11", "system": "Linux", "processor": "x86_64", "packages": {"polars": "2.0.0"}}


def result(operation: str, nulls: str, ours: float, **rivals: float | None) -> dict[str, object]:
    times = [time for time in rivals.values() if time is not None]
    return {
        "operation": operation,
        "values": 1000,
        "distribution": "poisson",
        "nulls": nulls,
        "dtype": "float64",
        "ours_ms": ours,
        "rivals_ms": rivals,
        "by_hand_ms": {},
        "ratio": min(times) / ours if times else None,
        "target": 2,
        "gb_per_s": 1.0,
        "copy_ratio": 3.0,
    }


def test_page(tmp_path: Path) -> None:
    results = [
        result("sum", "rows", 2.0, polars=1.0),
        result("sum", "none", 2.0, polars=8.0, awkward=None),
        result("sort", "none", 4.0, awkward=4.0),
        result("rank", "none", 1234.5),
    ]
    (tmp_path / "results.json").write_text(json.dumps({"machine": MACHINE, "results": results}), encoding="utf-8")
    page = tmp_path / "page.md"
    command = [sys.executable, str(ROOT / "docs" / "performance.py"), str(tmp_path / "results.json"), "--page", str(page)]
    subprocess.run(command, check=True)
    text = page.read_text(encoding="utf-8")
    assert text.index("## Without nulls: 1,000 values") < text.index("## With null rows")
    assert "| operation | arrowjag | awkward | polars | by hand | ratio | GB/s | copy |" in text
    assert "| sum | 2 | – | 8 | – | **4** | 1 | 3 |" in text
    assert "| rank | 1,234 | – | – | – | – | 1 | 3 |" in text
    assert "Geometric mean of 2 ratios: **2.00**." in text
