"""`python -m benchmarks`: a table, and the same as JSON."""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import arrowjag as aj
from benchmarks.cases import CASES
from benchmarks.data import DISTRIBUTIONS, NULLS, Data
from benchmarks.runner import check, measure


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--values", type=int, nargs="+", default=[5_000_000])
    parser.add_argument("--distributions", nargs="+", default=["poisson"], choices=DISTRIBUTIONS)
    parser.add_argument("--nulls", nargs="+", default=["none", "leaves", "rows"], choices=NULLS)
    parser.add_argument("--dtypes", nargs="+", default=["float64"])
    parser.add_argument("--only", nargs="+", default=None, help="names of operations")
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--budget", type=float, default=1.0, help="seconds a measurement")
    options = parser.parse_args()
    results = []
    print(
        f"{'operation':20}{'values':>10} {'rows':12}{'nulls':8}{'type':9}{'ours ms':>9}{'best rival':>22}{'ratio':>7}{'target':>7}{'copy':>6}"
    )
    for case in CASES:
        if (options.only and case.name not in options.only) or not hasattr_of(case.name):
            continue
        for n_values, distribution, nulls, dtype in product(options):
            if dtype not in case.dtypes:
                if options.only is None or dtype != "float64":
                    continue
                dtype = case.dtypes[0]
            wrong = check(case, Data(2_000, distribution, nulls, dtype))
            if wrong:
                print(
                    f"{case.name}: {', '.join(wrong)} answers differently and is left out ({distribution}, {nulls}, {dtype})",
                    file=sys.stderr,
                )
            result = measure(case, Data(n_values, distribution, nulls, dtype), options.budget, wrong)
            result["differs"] = wrong
            results.append(result)
            print(line(result), flush=True)
    ratios = [one["ratio"] for one in results if one["ratio"] and one["nulls"] == "none"]
    if ratios:
        print(f"geometric mean of {len(ratios)} ratios without nulls: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=1))


def hasattr_of(name: str) -> bool:
    """Operations that the installed version has."""
    methods = {"topk": "topk", "unique": "unique", "sort": "sort", "cumsum": "cumsum", "to_dense": "to_dense"}
    return hasattr(aj.JaggedArray, methods.get(name, "shape"))


def product(options: Any) -> list[tuple[int, str, str, str]]:
    """Every input that was asked for."""
    return [(n, d, m, t) for t in options.dtypes for n in options.values for d in options.distributions for m in options.nulls]


def line(result: dict[str, Any]) -> str:
    """One result as a row of the table."""
    times = {name: t for name, t in result["rivals_ms"].items() if t is not None}
    best = min(times, key=lambda name: times[name]) if times else ""
    rival = f"{best} {times[best]:.1f}" if best else "-"
    ratio = f"{result['ratio']:.2f}" if result["ratio"] else "-"
    return (
        f"{result['operation']:20}{result['values']:>10} {result['distribution']:12}{result['nulls']:8}{result['dtype']:9}"
        f"{result['ours_ms']:>9.2f}{rival:>22}{ratio:>7}{result['target']:>7}{result['copy_ratio']:>6.1f}"
    )


def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    packages = ["arrowjag", "pyarrow", "numpy", "pandas", "polars", "awkward", "koladata", "duckdb"]
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except ImportError:
            continue
    return {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine(), "packages": found}


if __name__ == "__main__":
    main()
