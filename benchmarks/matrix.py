"""Every operation that has a rival, over types, nulls and lengths of rows: one cell each, answers compared first.

`python -m benchmarks --matrix --json cells.json --heat-map cells.png --history cells.jsonl`. The history file gets one line per run,
with the commit and the ratio of each cell, so that runs can be compared. `--leaves` in place of `--matrix` measures times, decimals,
categories, bytes, structs and other texts, in rows of about ten items.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arrowjag.errors import JagTypeError
from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.data import OTHER_TYPES, TEXTS, Data
from benchmarks.runner import check, installed, measure

DTYPES = ("int64", "float32", "float64", "string")
LEAVES = ("int32", "bool", *OTHER_TYPES, *TEXTS)
NULLS = ("none", "leaves")
LENGTHS = ("three", "poisson", "thousand", "zipf", "one_row")
VALUES = 1_000_000
QUICK = [
    "sum",
    "mean",
    "min",
    "max",
    "argmin",
    "argmax",
    "std",
    "median",
    "any",
    "count",
    "n_unique",
    "unique",
    "sort",
    "argsort",
    "rank_min",
    "topk",
    "cumsum",
    "cummax",
    "reverse",
    "shift",
    "row_take",
    "filter",
    "list_plus_list",
    "list_times_row",
    "expand_to",
    "is_in_set",
    "intersection",
    "group_by",
]
"""The operations of `--quick`."""

QUICK_MINUTES = 8.0
QUICK_BUDGET = 0.02
SMALL = 2_000


class Input(NamedTuple):
    """The input of a column of the matrix."""

    dtype: str
    nulls: str
    distribution: str

    def __str__(self) -> str:
        return f"{self.dtype} {self.distribution}{' nulls' if self.nulls != 'none' else ''}"


def inputs(dtypes: Sequence[str] | None, nulls: Sequence[str] | None, distributions: Sequence[str] | None) -> Iterator[Input]:
    """The columns of the matrix."""
    for dtype in dtypes or DTYPES:
        for found in nulls or NULLS:
            for distribution in distributions or LENGTHS:
                yield Input(dtype, found, distribution)


def inputs_of_leaves(dtypes: Sequence[str] | None, nulls: Sequence[str] | None) -> Iterator[Input]:
    """The columns of `--leaves`, which has every other leaf type."""
    for dtype in dtypes or LEAVES:
        for found in nulls or NULLS:
            yield Input(dtype, found, "poisson")


def quick_inputs() -> Iterator[Input]:
    """The columns of `--quick`, those first that tell most: a run that has no time left leaves out the last."""
    for distribution in ("poisson", "thousand", "zipf", "three"):
        for dtype in ("float64", "int64", "string", "float32"):
            yield Input(dtype, "none", distribution)
    for dtype in ("float64", "int64"):
        yield Input(dtype, "leaves", "poisson")
    yield Input("float64", "none", "one_row")


def cases(only: Sequence[str] | None) -> list[Case]:
    """The operations with a rival that is installed."""
    return [case for case in CASES if any(map(installed, case.rivals)) and (not only or case.name in only)]


def takes(case: Case, data: Data) -> bool:
    """Whether a case is measured on a leaf type; beyond the types of the matrix, whether the operation has a kernel for it."""
    if data.dtype in (*DTYPES, *TEXTS):
        return ("string" if data.dtype in TEXTS else data.dtype) in case.dtypes
    if len(case.dtypes) < 2:  # it reads other columns
        return False
    try:
        case.ours(data)
    except (JagTypeError, AttributeError):
        return False
    return True


def cells(
    given: Sequence[Input],
    only: Sequence[str] | None,
    values: int,
    budget: float,
    minutes: float | None = None,
    keep: Callable[[list[dict[str, Any]]], object] = len,
) -> list[dict[str, Any]]:
    """Measure every cell; a cell that fails is reported and left out. After so many minutes the rest is left out, too.

    `keep` gets the cells so far after each column: a library that takes all memory ends the process.
    """
    found = []
    end = math.inf if minutes is None else time.monotonic() + 60 * minutes
    for place, one in enumerate(given):
        if time.monotonic() > end:
            print(f"out of time: {len(given) - place} of {len(given)} columns are left out", flush=True)
            break
        data, small = Data(values, one.distribution, one.nulls, one.dtype), Data(SMALL, one.distribution, one.nulls, one.dtype)
        for case in cases(only):
            if values > case.at_most or time.monotonic() > end:
                continue
            try:
                if not takes(case, small):
                    continue
                wrong = check(case, small)
                cell = measure(case, data, budget, list(wrong)) | {"differs": wrong}
            except Exception as error:
                print(f"{case.name} FAILED on {one}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
                continue
            if cell["ratio"] is not None:
                found.append(cell)
                print(f"{case.name:20}{one!s:28}{cell['ours_ms']:>9.2f} ms{cell['ratio']:>8.2f}", flush=True)
        keep(found)
    return found


def summary(found: Sequence[dict[str, Any]]) -> str:
    """How many cells are behind, the geometric mean, and the worst cells."""
    if not found:
        return "no cells"
    ratios = [cell["ratio"] for cell in found]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    worst = sorted(found, key=lambda cell: cell["ratio"])[:10]
    lines = [f"{len(ratios)} cells, {sum(one < 0.95 for one in ratios)} below 0.95 of the best library, geometric mean {mean:.2f}"]
    lines += [f"  {cell['operation']} on {label(cell)}: {cell['ratio']:.2f}" for cell in worst]
    return "\n".join(lines)


def label(cell: dict[str, Any]) -> str:
    """The column of a cell."""
    return str(Input(cell["dtype"], cell["nulls"], cell["distribution"]))


def write_history(page: Path, found: Sequence[dict[str, Any]], machine: dict[str, Any]) -> None:
    """Append a run to a file of JSON lines."""
    ran = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    run = {
        "commit": ran.stdout.strip() or None,
        "time": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "ratios": {f"{cell['operation']}/{label(cell)}": round(cell["ratio"], 3) for cell in found},
        "ms": {f"{cell['operation']}/{label(cell)}": round(cell["ours_ms"], 4) for cell in found},
    }
    with page.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run) + "\n")


def draw(page: Path, found: Sequence[dict[str, Any]]) -> None:
    """A heat map: operations by inputs, the ratio to the best library in powers of two, blue where ours is ahead."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    rows = list(dict.fromkeys(cell["operation"] for cell in found))
    columns = list(dict.fromkeys(map(label, found)))
    table = np.full((len(rows), len(columns)), np.nan)
    for cell in found:
        table[rows.index(cell["operation"]), columns.index(label(cell))] = math.log2(cell["ratio"])
    figure, axes = plt.subplots(figsize=(2 + 0.35 * len(columns), 2 + 0.22 * len(rows)))
    image = axes.imshow(table, cmap="RdBu", vmin=-3, vmax=3, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=6)
    axes.set_yticks(range(len(rows)), rows, fontsize=6)
    axes.set_title("time of the best library / ours")
    bar = figure.colorbar(image, ticks=[-3, -2, -1, 0, 1, 2, 3])
    bar.ax.set_yticklabels(["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    figure.savefig(page, dpi=150, bbox_inches="tight")
    plt.close(figure)
