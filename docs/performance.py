"""Write docs/performance.md from what `python -m benchmarks --json results.json` measured.

Run `python docs/performance.py results.json`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
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


def main() -> None:
    """Read one file of results, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    options.page.write_text(page(json.loads(options.results.read_text(encoding="utf-8"))), encoding="utf-8")


def page(measured: dict[str, Any]) -> str:
    """The whole page."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for one in measured["results"]:
        groups[one["nulls"], one["values"], one["distribution"], one["dtype"]].append(one)
    order = sorted(groups, key=lambda key: (list(NULLS).index(key[0]), *map(str, key[1:])))
    parts = [INTRODUCTION, machine(measured["machine"]), *(section(key, groups[key]) for key in order)]
    return "\n".join(parts)


def machine(found: dict[str, Any]) -> str:
    """What it was measured on."""
    packages = ", ".join(f"{name} {version}" for name, version in found["packages"].items())
    cores = f", {found['cores']} cores, load {found['load']:.1f}" if "cores" in found else ""
    return f"{found['system']} on {found['processor']}{cores}, Python {found['python']}; {packages}.\n"


def section(key: tuple[Any, ...], results: list[dict[str, Any]]) -> str:
    """One table: inputs of one kind."""
    nulls, values, distribution, dtype = key
    rivals = sorted({name for one in results for name in one["rivals_ms"]})
    extra = [head for head, key in EXTRA.items() if all(key in one for one in results)]
    heads = ["operation", "arrowjag", *extra, *rivals, "by hand", "ratio", "GB/s", "copy"]
    lines = [f"## {NULLS[nulls]}: {values:,} values of {dtype}, {distribution} row lengths\n"]
    lines += [f"| {' | '.join(heads)} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(cells(one, rivals, extra))} |" for one in results]
    ratios = [one["ratio"] for one in results if one["ratio"]]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(f"\nGeometric mean of {len(ratios)} ratios: **{mean:.2f}**.")
    return "\n".join(lines) + "\n"


def cells(one: dict[str, Any], rivals: list[str], extra: list[str]) -> list[str]:
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
