"""Each benchmark runs once on tiny input, without timing: arrowjag supports all inputs, and other libraries agree without nulls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import arrowjag as aj

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
cases = pytest.importorskip("benchmarks.cases", reason="benchmarks are not installed with the package")

from benchmarks import chains, functions, matrix, runner, tiny  # noqa: E402
from benchmarks.data import DISTRIBUTIONS, NULLS, OTHER_TYPES, TEXTS, Data  # noqa: E402
from benchmarks.history.operations import Operations  # noqa: E402
from benchmarks.runner import check, measure  # noqa: E402

INPUTS = [
    *((distribution, "none", "float64") for distribution in DISTRIBUTIONS),
    *(("poisson", nulls, "float64") for nulls in NULLS[1:]),
    *(("poisson", "none", dtype) for dtype in ("float32", "int64", "int32", "bool", "string")),
]
NAMES = [case.name for case in cases.CASES]


def _takes_none(call: object) -> bool:
    """Compile no loops: a second for each leaf type."""
    del call
    return False


def test_names_differ() -> None:
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize(("distribution", "nulls", "dtype"), INPUTS, ids=str)
def test_every_case_runs(distribution: str, nulls: str, dtype: str) -> None:
    data = Data(200, distribution, nulls, dtype)
    for case in cases.CASES:
        if dtype in case.dtypes and not (case.name == "map_rows" and nulls == "leaves"):
            assert case.ours(data) is not None, case.name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "bool", "string"])
def test_rivals_answer_as_we_do(dtype: str) -> None:
    data = Data(300, "poisson", "none", dtype)
    wrong = {case.name: found for case in cases.CASES if dtype in case.dtypes and (found := check(case, data))}
    assert wrong == {}


def test_one_measurement(tmp_path: Path) -> None:
    del tmp_path
    case = next(case for case in cases.CASES if case.name == "sum")
    result = measure(case, Data(1000), budget=0.001)
    assert result["operation"] == "sum"
    assert result["ours_ms"] > 0
    assert result["cold_ms"] > 0
    assert result["ratio"] is None or result["ratio"] > 0


@pytest.mark.skipif(find_spec("polars") is None, reason="needs polars")
def test_command(tmp_path: Path) -> None:
    page = tmp_path / "results.json"
    command = [sys.executable, "-m", "benchmarks", "--only", "sum", "--values", "1000", "--nulls", "none", "--budget", "0.001"]
    ran = subprocess.run(
        [*command, "--json", str(page)], cwd=ROOT, capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert "geometric mean" in ran.stdout
    assert json.loads(page.read_text(encoding="utf-8"))["results"][0]["operation"] == "sum"


def test_tiny_input(capsys: pytest.CaptureFixture[str]) -> None:
    """Every operation once on ten rows, whatever it takes."""
    results = tiny.table(None, 0.0)
    types = {case.name: case.dtypes for case in cases.CASES if {"float64", "string"} & {*case.dtypes}}
    assert {one["operation"] for one in results} == types.keys()
    for one in results:
        assert set(one["microseconds"]) == {*NULLS, "text"}
        assert (one["microseconds"]["text"] is None) is ("string" not in types[one["operation"]])
        assert "float64" in types[one["operation"]] or one["microseconds"]["none"] is None
    assert all(took > 0 for one in results for took in one["microseconds"].values() if took is not None)
    assert set(tiny.OPERATIONS) | set(tiny.UNLIMITED) <= set(NAMES)
    *_, total = capsys.readouterr().out.splitlines()
    assert f" of {len(results)} above the limit" in total


@pytest.mark.parametrize(("took", "above"), [({"none": 49.0, "rows": None}, False), ({"none": 49.0, "rows": 51.0}, True)])
def test_limit_of_tiny_input(took: dict[str, float | None], above: bool) -> None:
    result = {"operation": "sum", "microseconds": took, "limit": tiny.LIMIT}
    assert tiny._is_above(result) is above
    assert ("above 50" in tiny._line(result)) is above
    assert not tiny._is_above(result | {"limit": None})


def test_inputs_match_their_description() -> None:
    assert Data(1000, "uniform").x.shape[1].is_uniform
    assert Data(1000, "all_empty").x.size == 0
    assert Data(1000, "poisson", "leaves").x.values.null_count > 0
    assert Data(1000, "poisson", "rows").x.null_count > 0
    assert isinstance(Data(1000).mask, aj.JaggedArray)


def test_asv_measures_every_case_of_numbers() -> None:
    settings = json.loads((ROOT / "asv.conf.json").read_text(encoding="utf-8"))
    assert (ROOT / settings["benchmark_dir"] / "operations.py").exists()
    operations, nulls = Operations.params
    assert set(operations) == {case.name for case in cases.CASES if "float64" in case.dtypes}
    assert set(nulls) <= set(NULLS)
    benchmark = Operations()
    benchmark.n_values = 100
    benchmark.setup("sum", "leaves")
    assert benchmark.case.name == "sum"
    assert benchmark.data.n_values < 1000


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("polars") is None, reason="needs a rival")
def test_matrix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few columns of the matrix on little data, with all that it writes."""
    monkeypatch.setattr(runner, "takes_loops", _takes_none)
    wanted = list(matrix.inputs(None, None, ["three", "one_row"]))
    cells = matrix.cells(wanted, ["max", "unique"], 300, 0)
    assert {cell["operation"] for cell in cells} == {"max", "unique"}
    found = {(cell["dtype"], cell["nulls"], cell["distribution"]) for cell in cells}
    assert found >= {(dtype, "none", rows) for dtype in matrix.DTYPES for rows in ("three", "one_row")}
    assert found >= {(dtype, "leaves", rows) for dtype in ("int64", "float32", "float64") for rows in ("three", "one_row")}
    assert matrix.summary(cells).startswith(f"{len(cells)} cells, ")
    page = tmp_path / "cells.jsonl"
    for _ in range(2):
        matrix.write_history(page, cells, {"cores": 2})
    runs = [json.loads(line) for line in page.read_text(encoding="utf-8").splitlines()]
    assert [len(run["ratios"]) for run in runs] == [len(cells), len(cells)]
    if find_spec("matplotlib"):
        matrix.draw(tmp_path / "cells.png", cells)
        assert (tmp_path / "cells.png").stat().st_size > 1000


@pytest.mark.skipif(find_spec("polars") is None, reason="needs a rival")
def test_matrix_command(tmp_path: Path) -> None:
    pages = tmp_path / "cells.json", tmp_path / "cells.jsonl"
    options = [
        "--values",
        "300",
        "--budget",
        "0",
        "--only",
        "sum",
        "--distributions",
        "three",
        "--dtypes",
        "int64",
        "--nulls",
        "none",
    ]
    command = [sys.executable, "-m", "benchmarks", "--matrix", *options, "--json", str(pages[0]), "--history", str(pages[1])]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "1 cells, " in ran.stdout
    assert json.loads(pages[0].read_text(encoding="utf-8"))["results"][0]["operation"] == "sum"
    assert len(pages[1].read_text(encoding="utf-8").splitlines()) == 1


def test_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """`--leaves` measures every operation that has a kernel for a leaf type, and leaves out the others."""
    monkeypatch.setattr(runner, "takes_loops", _takes_none)
    wanted = list(matrix.inputs_of_leaves(None, ["leaves"]))
    assert {one.dtype for one in wanted} == {*OTHER_TYPES, *TEXTS, "int32", "bool"}
    found = matrix.cells(wanted, ["max", "sum", "reverse"], 300, 0)
    measured = {(cell["operation"], cell["dtype"]) for cell in found}
    took = {*OTHER_TYPES, *TEXTS} - {"float16"} if find_spec("polars") else set()  # polars panics on float16
    assert measured >= {("reverse", dtype) for dtype in took}
    assert ("sum", "decimal") in measured or not find_spec("polars")
    assert not {("sum", "date"), ("sum", "struct"), ("sum", "category")} & measured
    for dtype in (*OTHER_TYPES, *TEXTS):
        assert Data(300, "poisson", "leaves", dtype).x.values.null_count


def test_quick_forms(tmp_path: Path) -> None:
    """`--quick` measures columns and operations of the matrix until its time is over."""
    names = [case.name for case in matrix.cases(None)]
    assert not set(matrix.QUICK) - set(NAMES)
    # an operation without an installed rival is no row of the matrix
    assert set(matrix.QUICK) <= set(names) or not all(map(find_spec, ["polars", "awkward", "duckdb"]))
    quick = list(matrix.quick_inputs())
    assert set(quick) < set(matrix.inputs(None, None, None))
    assert matrix.cells(quick, ["sum"], 300, 0, minutes=-1.0) == []
    page = tmp_path / "chains.json"
    options = ["--chains", "--quick", "--values", "3000", "--only", "rmse", "--budget", "0", "--json", str(page)]
    subprocess.run([sys.executable, "-m", "benchmarks", *options], cwd=ROOT, capture_output=True, check=True)
    (chain,) = json.loads(page.read_text(encoding="utf-8"))["results"]
    assert {"jit", "eager"} <= chain["ms"].keys()


def test_rows_without_loops() -> None:
    pytest.importorskip("numba")
    case = next(case for case in cases.CASES if case.name == "argmax")
    found = measure(case, Data(200_000), budget=0.0, rivals=False)
    assert found["plain_ms"] > 0
    assert "plain_ms" not in measure(
        next(case for case in cases.CASES if case.name == "head"), Data(1000), budget=0.0, rivals=False
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", [["cosine", "z-score"], pytest.param(None, marks=pytest.mark.slow)], ids=["two", "all"])
def test_chains(names: list[str] | None, capsys: pytest.CaptureFixture[str]) -> None:
    """Every chain by every library that is installed answers alike."""
    found = chains.table(names, 500, 0)
    assert len(found) == (len(names) if names else 10)
    assert {one["chain"]: one["differs"] for one in found if one["differs"]} == {}
    assert "z-score" in capsys.readouterr().out


def test_functions_of_a_user(capsys: pytest.CaptureFixture[str]) -> None:
    """The results are compared with those of bare loops; every way to call a function is among them."""
    pytest.importorskip("numba")
    found = functions.table(None, 500, 0)
    assert {one["function"].split()[0] for one in found} == {"map_rows", "fold", "scan", "map_items"}
    assert all(one["ms"]["ours"] and one["ms"]["by hand"] for one in found)
    assert "map_items" in capsys.readouterr().out
