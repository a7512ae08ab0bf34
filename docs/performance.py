"""Write all pages and pictures of performance from the results of `python -m benchmarks --json results.json`.

Run `make performance RESULTS=results.json`, or `python docs/performance.py results.json`; if a long run was split, pass all its
files. It writes docs/performance-tables.md, which shows the first input in full and all others side by side, draws the pictures
of docs/performance.md (`docs/performance_pictures.py`), and writes the figures into README.md, docs/index.md and
docs/performance.md (`docs/performance_figures.py`). With ``--page`` it only writes the tables, to that file.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import performance_figures
import performance_pictures

sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.calls import call_of
from benchmarks.cases import CASES

PAGE = Path(__file__).with_name("performance-tables.md")
INTRODUCTION = """\
# Performance tables

This page lists the times behind the [performance page](performance.md). `docs/performance.py` generates it from the results of
`python -m benchmarks --json`. The benchmark first compares the results of all libraries, and omits a library from a row if its
result differs. Times are milliseconds, the minimum of several runs after a warm-up, in one process.

* *ratio*: time of the fastest other library divided by the time of arrowjag; above 1 arrowjag is faster.
* *copy*: time of arrowjag divided by the time to copy the bytes that the operation reads and writes; 1 is the speed of memory.
* *cpu*: CPU time of all threads of arrowjag, which on a busy machine is more reliable than wall time.
* *plain*: time without numba, where arrowjag runs compiled loops.
* *cold*: time of a call on a shape that has cached nothing yet, such as the parents of its items.
"""
EXTRA = {"cpu": "ours_cpu_ms", "plain": "plain_ms", "cold": "cold_ms", "peak MB": "peak_mb"}
NULLS = {"none": "Without nulls", "leaves": "With null values", "rows": "With null rows"}


Result = dict[str, Any]
Groups = dict[tuple[Any, ...], dict[str, Result]]
"""Results by input and operation."""


def main() -> None:
    """Read the results, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    measured = [json.loads(path.read_text(encoding="utf-8")) for path in options.results]
    results = [one for part in measured for one in part["results"]]
    chains = [one for one in results if "chain" in one]
    single = [one for one in results if "chain" not in one]
    parts = [page(measured[0]["machine"], single), *([chains_table(chains)] if chains else []), calls_table(single)]
    (options.page or PAGE).write_text("\n".join(parts), encoding="utf-8")
    if options.page is None:
        performance_pictures.main()
        performance_figures.main()


def page(found: dict[str, Any], results: list[Result]) -> str:
    """Return the text of the page. The first measurement of an operation counts; later files add missing figures."""
    groups: Groups = defaultdict(dict)
    for one in results:
        group = groups[one["nulls"], one.get("asked", one["values"]), one["distribution"], one["dtype"]]
        group[one["operation"]] = one | group.get(one["operation"], {})
    groups = dict(sorted(groups.items(), key=lambda item: (list(NULLS).index(item[0][0]), float(f"{item[0][1]:.1g}"))))
    main = (results[0].get("asked", results[0]["values"]), results[0]["distribution"], results[0]["dtype"])
    raced = {key: group for key, group in groups.items() if any(one["rivals_ms"] for one in group.values())}
    alone = {key: group for key, group in groups.items() if key not in raced}
    parts = [INTRODUCTION, machine(found)]
    parts += [section(key, list(group.values())) for key, group in raced.items() if key[1:] == main]
    if len(raced) > len(parts) - 2:
        parts += [OTHER_INPUTS, *beside(raced, lambda one: one["ratio"], mean=True)]
    reference = {key: raced[key] for nulls in NULLS if (key := (nulls, *main)) in raced and any(key[0] == nulls for key in alone)}
    rows = reference | {key: group for key, group in alone.items() if key[1] == main[0]}
    sizes = {key: group for key, group in (reference | alone).items() if key[2:] == main[1:]}
    sizes = dict(sorted(sizes.items(), key=lambda item: item[0][1]))
    if len({key[2] for key in rows}) > 1:
        parts += [ROW_LENGTHS, *beside(rows, nanoseconds)]
    if len({key[1] for key in sizes}) > 1:
        parts += [GROWTH, *beside(sizes, nanoseconds)]
    weighed = {key: group for key, group in groups.items() if any("peak_mb" in one for one in group.values())}
    if weighed:
        parts += [MEMORY, *beside(weighed, workspace)]
    return "\n".join(parts)


OTHER_INPUTS = """\
## Other types and sizes

Time of the fastest other library divided by the time of arrowjag; above 1 arrowjag is faster.
"""
ROW_LENGTHS = """\
## Row lengths

Nanoseconds per value for arrowjag, or per row if no row has a value. The time of sorts, ranks and groups grows with the logarithm
of the row length.
"""
GROWTH = """\
## Growth

Nanoseconds per value for arrowjag, for increasing numbers of values.
"""
MEMORY = """\
## Memory

Peak memory of a new process that runs the operation once, minus its input and its result, divided by the size of the input. A dash
means less than 0.05.
"""


def nanoseconds(one: Result) -> float:
    """Nanoseconds per value, or per row if there are no values."""
    return float(one["ours_ms"]) * 1e6 / (one["values"] or one["rows"])


def workspace(one: Result) -> float | None:
    """Peak memory without input and result, divided by the size of the input."""
    if "peak_mb" not in one:
        return None
    share = (one["peak_mb"] - one["result_mb"]) / one["input_mb"]
    return share if share >= 0.05 else None


def beside(groups: Groups, figure: Callable[[Result], float | None], mean: bool = False) -> list[str]:
    """Return one table of a figure per kind of nulls, with one column per input; with `mean`, skip tables of a single input."""
    tables = []
    for nulls in dict.fromkeys(key[0] for key in groups):
        columns = {key: {name: figure(one) for name, one in groups[key].items()} for key in groups if key[0] == nulls}
        if mean and len(columns) < 2:
            continue
        names = list(dict.fromkeys(name for found in columns.values() for name in found))
        lines = [f"### {NULLS[nulls]}\n", f"| operation | {' | '.join(map(label, columns))} |", f"|---|{'---:|' * len(columns)}"]
        for name in names:
            figures = [found.get(name) for found in columns.values()]
            if any(value is not None for value in figures):
                lines.append(f"| {name} | {' | '.join(map(number, figures))} |")
        if mean:
            means = (geometric([value for value in found.values() if value]) for found in columns.values())
            lines.append(f"| *geometric mean* | {' | '.join(map(number, means))} |")
        tables.append("\n".join(lines) + "\n")
    return tables


CHAINS = """\
## Fused expressions

Milliseconds of whole expressions: as one function of `aj.jit` with compiled loops, the same without numba (*plain*), as single
calls (*eager*), on a frame of polars through `.jag`, as a loop written by hand for numba, and in other libraries.
"""


def chains_table(chains: list[Result]) -> str:
    """Return the table of `python -m benchmarks --chains`."""
    heads = [name for name in CHAIN_COLUMNS if any(name in one["ms"] for one in chains)]
    lines = [f"| expression | {' | '.join(map(CHAIN_COLUMNS.__getitem__, heads))} |", f"|---|{'---:|' * len(heads)}"]
    lines += [f"| {one['chain']} | {' | '.join(number(one['ms'].get(name)) for name in heads)} |" for one in chains]
    return "\n".join([CHAINS, *lines]) + "\n"


CALLS = """\
## Calls

What each operation calls. `x` and `y` are columns of lists of the same sizes, `w` holds one number per row of `x`, `z` groups of
ten rows of `x`, and `u` the same groups of `w`. In the shape of `x`, `k` holds integers from 0 to 7, `order` ascending numbers,
`slots` the positions of the items of a row from the last to the first, `mask` booleans, and `pair` structs of `x` and `k`. `rows`
holds all row numbers in random order. Where the call is only a name, `benchmarks/operations` shows the function.
"""


def calls_table(results: list[Result]) -> str:
    """Return the table of what each operation calls."""
    measured = {one["operation"] for one in results}
    found = {case.name: call_of(case) for case in CASES if case.name in measured}
    lines = ["| operation | call |", "|---|---|"]
    lines += [f"| {name} | `{call}` |" for name, call in found.items()]
    return "\n".join([CALLS, *lines]) + "\n"


CHAIN_COLUMNS = {
    "jit": "`aj.jit`",
    "jit plain": "plain",
    "eager": "eager",
    "in polars": "`.jag` in polars",
    "by hand": "by hand",
    "polars": "polars",
    "awkward": "awkward",
    "duckdb": "duckdb",
}


def label(key: tuple[Any, ...]) -> str:
    """Number of values, leaf type and distribution of row lengths."""
    _, values, distribution, dtype = key
    size = f"{values / 1e6:.0f}M" if values >= 950_000 else f"{values / 1e3:g}k"
    return f"{size} {dtype} {distribution}"


def geometric(ratios: list[float]) -> float | None:
    """Geometric mean of ratios."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def machine(found: dict[str, Any]) -> str:
    """Description of the machine and of package versions."""
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    cores = f", {found['cores']} cores, load {found['load']:.1f}" if "cores" in found else ""
    return f"{found['system']} on {found['processor']}{cores}, Python {found['python']}; {packages}.\n"


def section(key: tuple[Any, ...], results: list[Result]) -> str:
    """Return the table of one input."""
    nulls, _, distribution, dtype = key
    values = results[0]["values"]
    rivals = sorted({name for one in results for name in one["rivals_ms"]})
    extra = [head for head, key in EXTRA.items() if (any if head == "plain" else all)(key in one for one in results)]
    heads = ["operation", "arrowjag", *extra, *rivals, "by hand", "ratio", "GB/s", "copy"]
    lines = [f"## {NULLS[nulls]}: {values:,} values of {dtype}, {distribution} row lengths\n"]
    lines += [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(cells(one, rivals, extra))} |" for one in results]
    ratios = [one["ratio"] for one in results if one["ratio"]]
    if (mean := geometric(ratios)) is not None:
        lines.append(f"\nGeometric mean of {len(ratios)} ratios: **{mean:.2f}**.")
    return "\n".join(lines) + "\n"


def cells(one: Result, rivals: list[str], extra: list[str]) -> list[str]:
    """Return the cells of one operation."""
    by_hand = min((time for time in one["by_hand_ms"].values() if time is not None), default=None)
    times = [one["rivals_ms"].get(name) for name in rivals]
    ratio = f"**{one['ratio']:.2g}**" if one["ratio"] else "–"
    return [
        one["operation"],
        *map(number, [one["ours_ms"], *(one.get(EXTRA[head]) for head in extra), *times, by_hand]),
        ratio,
        number(one["gb_per_s"]),
        number(one["copy_ratio"]),
    ]


def number(value: float | None) -> str:
    """Format a figure with three significant digits."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
