"""`python -m benchmarks --strategies`: which strategy runs where, and how much time it takes beside the others.

For each operation, inputs from few to many values in short, mixed and long rows; all strategies that are able to compute the result are
forced one after another. A star marks the one that the rules choose. A turn calls an operation on many inputs of few values, because a
processor would learn the branches that a single one takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import offsets as _offsets

__all__ = ["rows_of_table", "strategy_table"]

SHAPES = {"rows of 3": 3, "rows of 10": 10, "rows of 30": 30, "rows of 100": 100, "rows of 600": 600, "one row": 0}
VALUES = (300, 1_000, 3_000, 30_000, 300_000)
COLUMNS_VALUES = 300_000
"""Values of the columns of a turn, of which there are at most a hundred."""

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "sort": lambda x: x.sort(),
    "argsort": lambda x: x.argsort(),
    "rank": lambda x: x.rank("min"),
    "topk": lambda x: x.topk(3),
    "quantile": lambda x: x.median(),
    "unique": lambda x: x.unique(),
    "group": lambda x: x.group_by_indices(x),
    "value_counts": lambda x: x.value_counts(),
    "n_unique": lambda x: x.n_unique(),
    "member": lambda x: x.is_in(x),
    "combine": lambda x: x.union(x),
    "row_reduction": lambda x: x.sum(),
    "count": lambda x: (x > 0).any(),
    "outer": lambda x: x.sum(axis=0),
    "variance": lambda x: x.var(),
    "scan": lambda x: x.cummax(),
    "shift": lambda x: x.diff(2),
    "take": lambda x: x.reverse(),
    "filter": lambda x: x[x > 0],
    "spread": lambda x: x.max().expand_to(x),
    "take_rows": lambda x: x[::-1],
    "parents": lambda x: _offsets.parents(x.shape.dims[-1].offsets),
    "positions": lambda x: _offsets.positions(x.shape.dims[-1].offsets),
    "runs": lambda x: _offsets.runs(x.shape.dims[-1].offsets[:-1], x.shape.dims[-1].offsets),
    "if_else": lambda x: aj.where(x > 0, x, 0.0),
    "function": np.sqrt,
    "arithmetic": lambda x: x + x,
    "unpad": lambda x: aj.dense.from_dense(np.zeros((len(x), 20)), x.shape),
}
"""Public operations by the decision that they reach."""


def columns(n_values: int, length: int) -> list[Any]:
    """The columns of a turn."""
    return [column(n_values, length, seed) for seed in range(min(100, max(1, COLUMNS_VALUES // n_values)))]


def column(n_values: int, length: int, seed: int) -> Any:
    """Rows of about a length; one row for 0."""
    draw = np.random.default_rng(seed)
    sizes = draw.poisson(length, max(1, n_values // length)) if length else np.array([n_values])
    data = draw.normal(size=int(sizes.sum()))
    data[::7] = data[:1]
    return aj.from_sizes(pa.array(data), sizes)


def best(function: Callable[[Any], Any], inputs: list[Any], budget: float) -> float:
    """The milliseconds of a call in the best of several turns."""
    function(inputs[0])
    times, end = [], time.perf_counter() + budget
    while not times or (time.perf_counter() < end and len(times) < 50):
        start = time.perf_counter()
        for one in inputs:
            function(one)
        times.append(time.perf_counter() - start)
    return 1000 * min(times) / len(inputs)


def strategy_table(only: list[str] | None, budget: float) -> Iterator[dict[str, Any]]:
    """One measurement for each operation and input: milliseconds by strategy, and which one is chosen."""
    for operation, call in OPERATIONS.items():
        if only and operation not in only:
            continue
        for shape, length in SHAPES.items():
            for n_values in VALUES:
                given = columns(n_values, length)
                x = given[0]
                with strategy.force() as taken:
                    call(x)
                chosen = {name for where, name in taken if where == operation}
                found = {}
                for name in strategy.CHOICES[operation].strategies:
                    with strategy.force(**{operation: name}) as now:
                        call(x)
                        if now[operation, name]:
                            found[name] = best(call, given, budget)
                if len(found) > 1:
                    yield {"operation": operation, "rows": shape, "values": n_values, "chosen": sorted(chosen), "ms": found}


def rows_of_table(only: list[str] | None, budget: float) -> list[dict[str, Any]]:
    """Print the table; the ratio is the time of the best strategy that is not chosen over that of the chosen one."""
    results = []
    print(
        f"{'operation':15}{'rows':14}{'values':>8}  milliseconds by strategy, * chosen; then the best of the others over the chosen"
    )
    for one in strategy_table(only, budget):
        results.append(one)
        ours = [one["ms"][name] for name in one["chosen"] if name in one["ms"]]
        others = [ms for name, ms in one["ms"].items() if name not in one["chosen"]]
        ratio = f"{min(others) / min(ours):6.2f}" if ours and others else "     -"
        times = "  ".join(f"{name}{'*' if name in one['chosen'] else ''} {ms:.3f}" for name, ms in one["ms"].items())
        print(f"{one['operation']:15}{one['rows']:14}{one['values']:>8}  {ratio}  {times}", flush=True)
    return results
