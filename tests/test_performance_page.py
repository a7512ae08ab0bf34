"""docs/performance.py: from the benchmark's JSON to a page."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import arrowjag as aj
from benchmarks.calls import call_of
from benchmarks.cases import CASES
from benchmarks.data import Data

ROOT = Path(__file__).parents[1]
MACHINE = {"python": "3.11", "system": "Linux", "processor": "x86_64", "packages": {"polars": "2.0.0"}}


def result(operation: str, nulls: str, ours: float, **rivals: float | None) -> dict[str, object]:
    times = [time for time in rivals.values() if time is not None]
    return {
        "rows": 100,
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


def write(tmp_path: Path, *parts: list[dict[str, object]]) -> str:
    """The page of results in one file or several."""
    page, files = tmp_path / "page.md", []
    for number, results in enumerate(parts):
        files.append(tmp_path / f"results-{number}.json")
        files[-1].write_text(json.dumps({"machine": MACHINE, "results": results}), encoding="utf-8")
    subprocess.run([sys.executable, str(ROOT / "docs" / "performance.py"), *map(str, files), "--page", str(page)], check=True)
    return page.read_text(encoding="utf-8")


def test_page(tmp_path: Path) -> None:
    results = [
        result("sum", "rows", 2.0, polars=1.0),
        result("sum", "none", 2.0, polars=8.0, awkward=None),
        result("sort", "none", 4.0, awkward=4.0),
        result("rank", "none", 1234.5),
    ]
    text = write(tmp_path, results)
    assert text.index("## Without nulls: 1,000 values") < text.index("## With null rows")
    assert "| operation | arrowjag | awkward | polars | by hand | ratio | GB/s | copy |" in text
    assert "| sum | 2 | – | 8 | – | **4** | 1 | 3 |" in text
    assert "| rank | 1,234 | – | – | – | – | 1 | 3 |" in text
    assert "Geometric mean of 2 ratios: **2.00**." in text
    assert "| sort | `x.sort()` |" in text
    assert "## Other" not in text
    assert "## Growth" not in text
    assert "## Memory" not in text


def test_other_inputs_are_columns_of_one_table(tmp_path: Path) -> None:
    first = [result("sum", "none", 2.0, polars=8.0), result("sort", "none", 4.0, awkward=2.0)]
    others = [result("sum", "none", 1.0, polars=9.0) | {"dtype": "int32"}]
    others += [result("sum", "none", 3.0) | {"asked": asked, "values": asked - 1} for asked in (10_000, 2_000_000)]
    others += [result("sum", "none", 5.0) | {"distribution": name} for name in ("zipf", "all_empty")]
    others[-1] |= {"asked": 1000, "values": 0}
    weighed = [result("sum", "none", 1.0) | {"asked": 9000, "peak_mb": 13.0, "result_mb": 1.0, "input_mb": 8.0}]
    text = write(tmp_path, first, others, weighed)
    assert text.count("## Without nulls") == text.count("### Without nulls") + 1
    table = "| operation | 1k float64 poisson | 1k int32 poisson |\n|---|---:|---:|\n| sum | 4 | 9 |\n| sort | 0.5 | – |\n"
    assert table + "| *geometric mean* | 1.41 | 9 |\n" in text
    table = "| operation | 1k float64 poisson | 1k float64 zipf | 1k float64 all_empty |\n|---|---:|---:|---:|\n"
    assert table + "| sum | 2,000 | 5,000 | 50,000 |\n| sort | 4,000 | – | – |\n" in text
    assert "| operation | 1k float64 poisson | 9k float64 poisson | 10k float64 poisson | 2M float64 poisson |\n" in text
    assert "| sum | 1.5 |" in text.split("## Memory")[1]


def test_pictures_read_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pictures = importlib.import_module("performance_pictures")
    found = pictures.ratios(pictures.TABLES.read_text(encoding="utf-8"))
    assert len(found) > 100
    assert {pictures.family(case.name) for case in CASES} == set(pictures.FAMILIES)  # each case has one
    assert len(pictures.draw_families(found).axes) == 1


def test_chains_have_a_table_of_their_own(tmp_path: Path) -> None:
    chain = {"chain": "z-score", "values": 10, "ms": {"jit": 1.25, "jit plain": 4.0, "eager": 5.0, "polars": None}, "differs": []}
    plain = result("sum", "none", 1.0, polars=3.0) | {"plain_ms": 1.5}
    text = write(tmp_path, [plain, result("abs", "none", 2.0, polars=3.0)], [chain])
    assert "| z-score | 1.25 | 4 | 5 | – |" in text
    assert "| operation | arrowjag | plain |" in text
    assert "| sum | 1 | 1.5 |" in text
    assert "| abs | 2 | – |" in text


def test_figures_of_the_pages_are_those_of_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    figures = importlib.import_module("performance_figures")
    tables = figures.TABLES.read_text(encoding="utf-8")
    mean, count = figures.means(tables)["Without nulls"]
    for path in figures.PAGES:
        page = path.read_text(encoding="utf-8")
        assert f"{mean:.1f} times" in page, path
        assert f"mean of {count} operations" in page, path
        assert figures.written(page, tables) == page, f"{path}: run python docs/performance_figures.py"
        changed = page.replace(f"{mean:.1f} times", "9.9 times").replace(f"mean of {count}", "mean of 1")
        assert figures.written(changed, tables) == page


def test_calls_are_what_cases_measure() -> None:
    names = {"aj": aj, "np": np, "pa": pa}
    written = {case.name: call_of(case) for case in CASES}
    assert written["row_take"] == "x[rows]"
    assert sum(text != name for name, text in written.items()) > 0.95 * len(CASES)
    for case in CASES:
        text = written[case.name]
        if text == case.name:
            continue
        data = Data(300, dtype=case.dtypes[0])
        found = {name: getattr(data, name) for name in compile(text, case.name, "eval").co_names if hasattr(Data, name)}
        found |= {"sizes": data.sizes, "offsets": data.offsets}
        was, now = case.ours(data), eval(text, names | found)
        assert str(was) == str(now), f"{case.name}: {text}"
