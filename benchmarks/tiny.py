"""`python -m benchmarks --tiny`: ten rows, where calls are all that an operation costs, against the target of 50 microseconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from arrowjag import options
from arrowjag._kernels import strategy
from benchmarks.case import Case
from benchmarks.cases import CASES
from benchmarks.data import NULLS, Data

__all__ = ["LIMIT", "microseconds", "table"]

VALUES = 100
LIMIT = 50.0
OPERATIONS = {
    "argcartesian": 2,
    "cartesian": 2,
    "expand": 2,
    "filter_compare": 2,
    "in_and_out": 2,
    "keep_rows": 3,
    "matmul": 2,
    "mean_weighted": 2,
    "nearest": 7,
    "overlay": 3,
    "quantile_weighted": 2,
    "rolling_by_time": 2,
    "rolling_max_by_time": 2,
    "sample_weighted": 2,
    "scatter": 2,
    "set": 2,
    "tile": 2,
    "zeros": 2,
    "zip_padded": 2,
}
"""Cases that call several operations, such as a product before a weighted mean, or a field of the structs of a cartesian product."""

UNLIMITED = (
    "map_rows",
    "fold",
    "scan",
    "map_items",
    "repr",
    *(f"{way}_{kind}" for way in ("read", "write") for kind in ("ipc", "ndjson", "parquet")),
)
"""Functions of the caller, files, and text of a hundred values, whose target is 10 ms."""

_TURN = 0.0003


def microseconds(run: Callable[[Data], Any], data: Data, budget: float) -> float:
    """CPU time of a call: the best of many short turns, so that a busy machine shows little."""
    run(data)
    calls, took = 1, 0.0
    while took < _TURN:
        calls = min(2 * calls, 1_000)
        took = _turn(run, data, calls)
    best, end = took, time.process_time() + budget
    while time.process_time() < end:
        best = min(best, _turn(run, data, calls))
    return best / calls * 1e6


def _turn(run: Callable[[Data], Any], data: Data, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        run(data)
    return time.process_time() - start


def table(names: Iterable[str] | None, budget: float) -> list[dict[str, Any]]:
    """Measure each case on float64 without nulls, with null values and with null rows, and on text; print a line for each.

    The last line names those above the limit.
    """
    inputs = {nulls: Data(VALUES, "poisson", nulls) for nulls in NULLS} | {"text": Data(VALUES, "poisson", "leaves", "string")}
    chosen = [case for case in CASES if {"float64", "string"} & {*case.dtypes} and (names is None or case.name in names)]
    print(f"{'CPU microseconds on 10 rows':30}" + "".join(f"{nulls:>9}" for nulls in inputs))
    results = []
    for case in chosen:
        limit = None if case.name in UNLIMITED else LIMIT * OPERATIONS.get(case.name, 1)
        if limit is not None and budget > 0:
            _prepare(case, [data for data in inputs.values() if data.dtype in case.dtypes])
        times = {name: _time(case, data, budget) for name, data in inputs.items()}
        results.append({"operation": case.name, "values": VALUES, "microseconds": times, "limit": limit})
        print(_line(results[-1]), flush=True)
    above = [one["operation"] for one in results if _is_above(one)]
    print(f"{len(above)} of {len(results)} above the limit" + (f": {', '.join(above)}" if above else ""))
    return results


def _prepare(case: Case, inputs: Iterable[Data]) -> None:
    """Have the loops that a case takes for few values compiled and loaded, as they are in long processes."""
    with options(compile="always"), strategy.force(LOADING_VALUES=1):
        for data in inputs:
            case.ours(data)


def _time(case: Case, data: Data, budget: float) -> float | None:
    """None where the case can't be run: on another type, or a Python function of rows that hold nulls."""
    if data.dtype not in case.dtypes:
        return None
    try:
        return microseconds(case.ours, data, budget)
    except TypeError:
        if case.name != "map_rows":
            raise
        return None


def _line(result: dict[str, Any]) -> str:
    times = "".join(f"{'-' if one is None else f'{one:.1f}':>9}" for one in result["microseconds"].values())
    limit = result["limit"]
    return f"{result['operation']:30}{times}" + (f"  above {limit:.0f}" if _is_above(result) else "")


def _is_above(result: dict[str, Any]) -> bool:
    limit = result["limit"]
    return limit is not None and any(one is not None and one > limit for one in result["microseconds"].values())
