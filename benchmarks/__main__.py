"""`python -m benchmarks`: a table, and the same as JSON.

Without options the inputs that the targets speak of: 5M float64 in 500k rows, without nulls, with null values, with null rows.
`--quick` is a look at everything in a few minutes, and with `--matrix` or `--chains` at some of it in eight; `--full` adds types, sizes and distributions; `--tiny` shows what calls cost;
`--strategies` shows which algorithm runs where, and how the others compare; `--matrix` compares every operation with other libraries
over types and lengths of rows, `--leaves` over every other leaf type, such as booleans and times, `--chains` ten expressions with
loops by hand, and `--functions` functions of a user with bare numba.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import chains, functions, matrix
from benchmarks.cases import CASES
from benchmarks.data import DISTRIBUTIONS, LENGTHS, NULLS, OTHER_TYPES, TEXTS, TYPES, Data
from benchmarks.memory import peak
from benchmarks.runner import check, measure
from benchmarks.strategies import rows_of_table as strategies
from benchmarks.tiny import table

DEFAULTS = {"values": [5_000_000], "distributions": ["poisson"], "nulls": list(NULLS), "dtypes": ["float64"]}
MILLION = 1_000_000
CHAIN_VALUES = 5 * MILLION
QUICK_CHAIN_VALUES = 2 * MILLION


class Input(NamedTuple):
    """The inputs of a measurement, and whether rivals are measured too."""

    values: int
    distribution: str
    nulls: str
    dtype: str
    rivals: bool = True


def main() -> None:
    """Measure what the arguments ask for."""
    options = arguments().parse_args()
    if options.tiny:
        report(options.json, table(options.only, options.budget or 0.03))
        return
    if options.strategies:
        report(options.json, strategies(options.only, options.budget or 0.02))
        return
    if options.matrix or options.leaves:
        measure_matrix(options)
        return
    if options.chains:
        values, budget = (QUICK_CHAIN_VALUES, 0.1) if options.quick else (CHAIN_VALUES, 0.4)
        report(options.json, chains.table(options.only, (options.values or [values])[0], options.budget or budget))
        return
    if options.functions:
        report(options.json, functions.table(options.only, (options.values or [CHAIN_VALUES])[0], options.budget or 0.4))
        return
    results: list[dict[str, Any]] = []
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; milliseconds of wall clock, the best of several turns")
    heads = ("ours ms", "cpu", "cold", "best rival", "ratio", "target", "GB/s", "copy")
    print(
        f"{'operation':20}{'values':>10} {'rows':11}{'nulls':7}{'type':8}{{:>9}}{{:>8}}{{:>8}}{{:>19}}{{:>7}}{{:>7}}{{:>7}}{{:>7}}".format(
            *heads
        )
    )
    for given in inputs(options):
        data, small = Data(*given[:4]), Data(2_000, *given[1:4])
        for case in CASES:
            if (options.only and case.name not in options.only) or given.dtype not in case.dtypes or given.values > case.at_most:
                continue
            result = one(case, data, small, given, options)
            if result is not None:
                results.append(result)
                print(line(result), flush=True)
        report(options.json, results)  # as far as it got: a run of hours may be stopped
    print(summary(results))


def measure_matrix(options: argparse.Namespace) -> None:
    """Measure the matrix, and write what is asked for."""
    wanted = list(
        matrix.inputs_of_leaves(options.dtypes, options.nulls)
        if options.leaves
        else matrix.inputs(options.dtypes, options.nulls, options.distributions)
    )
    only, budget, minutes = options.only, options.budget, options.minutes
    if options.quick:
        only, minutes = only or matrix.QUICK, minutes or matrix.QUICK_MINUTES
        budget = matrix.QUICK_BUDGET if budget is None else budget
        wanted = [one for one in matrix.quick_inputs() if one in wanted]
    values = (options.values or [matrix.VALUES])[0]
    keep = functools.partial(report, options.json)
    found = matrix.cells(wanted, only, values, 0.1 if budget is None else budget, minutes, keep)
    if options.heat_map and found:
        matrix.draw(options.heat_map, found)
    if options.history:
        matrix.write_history(options.history, found, machine())
    print(matrix.summary(found))


def report(page: Path | None, results: list[dict[str, Any]]) -> None:
    """Write results as JSON where that is asked for."""
    if page:
        page.write_text(json.dumps({"machine": machine(), "results": results}, indent=1), encoding="utf-8")


def arguments() -> argparse.ArgumentParser:
    """The options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    presets = parser.add_mutually_exclusive_group()
    parser.add_argument(
        "--quick", action="store_true", help="200k values, no nulls; under three minutes; fewer cells with --matrix, --chains"
    )
    parser.add_argument("--minutes", type=float, default=None, help="with --matrix: leave out what has not begun by then")
    presets.add_argument("--full", action="store_true", help="every type, distribution and size as well; hours")
    presets.add_argument("--tiny", action="store_true", help="ours alone on 10 rows, in microseconds; under a minute")
    presets.add_argument("--strategies", action="store_true", help="each algorithm of each decision, forced; about five minutes")
    presets.add_argument("--matrix", action="store_true", help="operations by types, nulls and lengths of rows; about an hour")
    presets.add_argument("--leaves", action="store_true", help="as --matrix, over every other leaf type; twenty minutes")
    presets.add_argument("--chains", action="store_true", help="ten expressions of real use, fused; a few minutes")
    presets.add_argument("--functions", action="store_true", help="functions of a user, compiled, beside bare numba; a minute")
    parser.add_argument("--heat-map", type=Path, default=None, help="with --matrix: a picture of the cells")
    parser.add_argument("--history", type=Path, default=None, help="with --matrix: a file of JSON lines, to which the run is added")
    parser.add_argument("--values", type=int, nargs="+", help="how many values, e.g. 10000 1000000 10000000")
    parser.add_argument("--distributions", nargs="+", choices=[*DISTRIBUTIONS, *LENGTHS])
    parser.add_argument("--nulls", nargs="+", choices=NULLS)
    parser.add_argument("--dtypes", nargs="+", choices=[*TYPES, *OTHER_TYPES, *TEXTS])
    parser.add_argument("--only", nargs="+", default=None, metavar="OPERATION", help="names of operations")
    parser.add_argument("--ours-only", action="store_true", help="no rivals: how cost changes with the input")
    parser.add_argument("--memory", action="store_true", help="peak memory too, of one child process a case")
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--budget", type=float, default=None, help="seconds a measurement")
    return parser


def inputs(options: argparse.Namespace) -> Iterator[Input]:
    """The preset's inputs, or the product of what was given."""
    options.budget = options.budget or (0.05 if options.quick else 0.4)
    given = {name: getattr(options, name) for name in DEFAULTS}
    if options.full and not any(given.values()):
        yield from full()
        return
    base = DEFAULTS | ({"values": [200_000], "nulls": ["none"]} if options.quick else {})
    chosen = {name: found or base[name] for name, found in given.items()}
    for dtype in chosen["dtypes"]:
        for values in chosen["values"]:
            for distribution in chosen["distributions"]:
                for nulls in chosen["nulls"]:
                    yield Input(values, distribution, nulls, dtype, not options.ours_only)


def full() -> Iterator[Input]:
    """The default, every type, three sizes with rivals; then ours alone over distributions and growing sizes."""
    for nulls in NULLS:
        yield Input(5 * MILLION, "poisson", nulls, "float64")
    for dtype in TYPES:
        if dtype != "float64":
            for nulls in NULLS:
                yield Input(MILLION, "poisson", nulls, dtype)
    for values in (10_000, MILLION, 10 * MILLION):
        yield Input(values, "poisson", "none", "float64")
    for distribution in DISTRIBUTIONS:
        for nulls in NULLS:
            yield Input(5 * MILLION, distribution, nulls, "float64", rivals=False)
    for values in (100_000, 300_000, MILLION, 3 * MILLION, 10 * MILLION, 30 * MILLION, 100 * MILLION):
        yield Input(values, "poisson", "none", "float64", rivals=False)


def one(case: Any, data: Data, small: Data, given: Input, options: argparse.Namespace) -> dict[str, Any] | None:
    """One line; None where the operation failed, which is said."""
    try:
        wrong = check(case, small) if given.rivals else {}
        result = measure(case, data, options.budget, list(wrong), given.rivals)
    except Exception as error:
        print(f"{case.name} FAILED on {data.name}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return None
    for name, reason in wrong.items():
        print(f"  ({name} is left out of {case.name}: {reason})", file=sys.stderr)
    result |= {"differs": wrong, "asked": given.values}
    if options.memory:
        result |= peak(case.name, *given[:4])
    return result


def line(result: dict[str, Any]) -> str:
    """One result as a row of the table."""
    times = {name: t for name, t in result["rivals_ms"].items() if t is not None}
    best = min(times, key=lambda name: times[name]) if times else ""
    rival = f"{best} {times[best]:.2f}" if best else "-"
    ratio = f"{result['ratio']:.2f}" if result["ratio"] else "-"
    peak_text = f"  peak {result['peak_mb']:.0f} MB" if "peak_mb" in result else ""
    if "plain_ms" in result:
        peak_text += f"\n{'  without numba':56}{result['plain_ms']:>9.2f}{result['plain_cpu_ms']:>8.2f}"
    return (
        f"{result['operation']:20}{result['values']:>10} {result['distribution']:11}{result['nulls']:7}{result['dtype']:8}"
        f"{result['ours_ms']:>9.2f}{result['ours_cpu_ms']:>8.2f}{result['cold_ms']:>8.2f}{rival:>19}{ratio:>7}{result['target']:>7}"
        f"{result['gb_per_s']:>7.1f}{result['copy_ratio']:>7.1f}{peak_text}"
    )


def summary(results: list[dict[str, Any]]) -> str:
    """The mean ratio, and what stays behind its target."""
    lines = []
    for nulls in NULLS:
        ratios = [one["ratio"] for one in results if one["ratio"] and one["nulls"] == nulls]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            lines.append(f"nulls: {nulls}; geometric mean of {len(ratios)} ratios: {mean:.2f}")
    behind = [one for one in results if one["ratio"] and one["ratio"] < one["target"] and one["nulls"] == "none"]
    if behind:
        lines.append("behind target: " + ", ".join(f"{one['operation']} {one['ratio']:.2f} of {one['target']}" for one in behind))
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """The machine of the numbers."""
    packages = ["arrowjag", "pyarrow", "numpy", "pandas", "polars", "awkward", "koladata", "duckdb"]
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except ImportError:
            continue
    about = {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()}
    return about | {"cores": os.cpu_count(), "load": os.getloadavg()[0], "packages": found}


if __name__ == "__main__":
    main()
