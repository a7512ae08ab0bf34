"""Write docs/performance.md from what `python -m benchmarks --json results.json` measured.

Run `python docs/performance.py results.json`, with more files behind it where a long run was done in parts. The first input is
shown in full, all others side by side.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("performance.md")
INTRODUCTION = """\
# Performance

Written by `docs/performance.py` from a run of `python -m benchmarks --json`. Before anything is timed, all answers are compared; a
library that answers differently is left out of that line. Times are milliseconds, the best of several runs after a warm-up, in one
process. *Ratio* is the best other library's time over ours: above 1 we are faster. *Copy* is our time over that of copying the
bytes that the operation reads and writes: 1 would be as fast as memory. *CPU* adds up the time of all our threads: on a machine
with other work it says more than the clock. *Cold* is a call on a shape that has computed nothing yet, such as the owner of each
item.
"""
EXTRA = {"cpu": "ours_cpu_ms", "cold": "cold_ms", "peak MB": "peak_mb"}
NULLS = {"none": "Without nulls", "leaves": "With null values", "rows": "With null rows"}


Result = dict[str, Any]
Groups = dict[tuple[Any, ...], dict[str, Result]]
"""Results by operation, for each input."""


def main() -> None:
    """Read the results, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    measured = [json.loads(path.read_text(encoding="utf-8")) for path in options.results]
    results = [one for part in measured for one in part["results"]]
    options.page.write_text(page(measured[0]["machine"], results), encoding="utf-8")


def page(found: dict[str, Any], results: list[Result]) -> str:
    """The whole page. Of what was measured twice the first counts; a later run adds what the first did not measure."""
    groups: Groups = defaultdict(dict)
    for one in results:
        group = groups[one["nulls"], one.get("asked", one["values"]), one["distribution"], one["dtype"]]
        group[one["operation"]] = one | group.get(one["operation"], {})
    groups = dict(sorted(groups.items(), key=lambda item: (list(NULLS).index(item[0][0]), item[0][1])))
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

The best other library's time over ours: above 1 we are faster.
"""
ROW_LENGTHS = """\
## Lengths of rows

Nanoseconds a value, ours alone; a row where no row holds a value. Sorts, ranks and groups grow with the logarithm of a row's
length.
"""
GROWTH = """\
## Growth

Nanoseconds a value, ours alone, from few values to many.
"""
MEMORY = """\
## Memory

The most that a new process held above its input while it did the operation once, less the result, over the size of the input.
Below 0.05 nothing is shown but a dash.
"""


def nanoseconds(one: Result) -> float:
    """Time a value, or a row if there is none."""
    return float(one["ours_ms"]) * 1e6 / (one["values"] or one["rows"])


def workspace(one: Result) -> float | None:
    """Memory above input and result, in inputs."""
    if "peak_mb" not in one:
        return None
    share = (one["peak_mb"] - one["result_mb"]) / one["input_mb"]
    return share if share >= 0.05 else None


def beside(groups: Groups, figure: Callable[[Result], float | None], mean: bool = False) -> list[str]:
    """Tables of one figure, an input a column, one table for each kind of nulls; ratios of one input alone stand elsewhere."""
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


def label(key: tuple[Any, ...]) -> str:
    """How many values, of what type, in what rows."""
    _, values, distribution, dtype = key
    size = f"{values / 1e6:g}M" if values >= 1e6 else f"{values / 1e3:g}k"
    return f"{size} {dtype} {distribution}"


def geometric(ratios: list[float]) -> float | None:
    """The mean of ratios."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def machine(found: dict[str, Any]) -> str:
    """What it was measured on."""
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    cores = f", {found['cores']} cores, load {found['load']:.1f}" if "cores" in found else ""
    return f"{found['system']} on {found['processor']}{cores}, Python {found['python']}; {packages}.\n"


def section(key: tuple[Any, ...], results: list[Result]) -> str:
    """One table: inputs of one kind."""
    nulls, _, distribution, dtype = key
    values = results[0]["values"]
    rivals = sorted({name for one in results for name in one["rivals_ms"]})
    extra = [head for head, key in EXTRA.items() if all(key in one for one in results)]
    heads = ["operation", "arrowjag", *extra, *rivals, "by hand", "ratio", "GB/s", "copy"]
    lines = [f"## {NULLS[nulls]}: {values:,} values of {dtype}, {distribution} row lengths\n"]
    lines += [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(cells(one, rivals, extra))} |" for one in results]
    ratios = [one["ratio"] for one in results if one["ratio"]]
    if (mean := geometric(ratios)) is not None:
        lines.append(f"\nGeometric mean of {len(ratios)} ratios: **{mean:.2f}**.")
    return "\n".join(lines) + "\n"


def cells(one: Result, rivals: list[str], extra: list[str]) -> list[str]:
    """One operation."""
    by_hand = min((time for time in one["by_hand_ms"].values() if time is not None), default=None)
    times = [one["rivals_ms"].get(name) for name in rivals]
    ratio = f"**{one['ratio']:.2g}**" if one["ratio"] else "–"
    return [
        one["operation"],
        *map(number, [one["ours_ms"], *(one[EXTRA[head]] for head in extra), *times, by_hand]),
        ratio,
        number(one["gb_per_s"]),
        number(one["copy_ratio"]),
    ]


def number(value: float | None) -> str:
    """Three digits that mean something."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
