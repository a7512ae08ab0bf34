"""Checks that answers are equal, then times: the best of several runs after a warm-up, everybody's in turn."""

from __future__ import annotations

import gc
import importlib.util
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import arrowjag as aj
from benchmarks.cases import Case
from benchmarks.data import Data

RIVALS = ("awkward", "polars", "koladata", "pyarrow", "numpy")


def installed(rival: str) -> bool:
    """Whether a rival can be measured here."""
    return importlib.util.find_spec(rival) is not None


def plain(result: Any) -> Any:
    """Any library's result as nested lists; Koda has no null rows and awkward gives masked arrays, so both read as lists."""
    if result is None:
        return None
    if isinstance(result, aj.JaggedArray):
        return result.to_list()
    if isinstance(result, (pa.Array, pa.ChunkedArray)):
        return result.to_pylist()
    for method in ("to_py", "to_list", "tolist"):
        if hasattr(result, method):
            return getattr(result, method)()
    return result


def same(one: Any, two: Any) -> bool:
    """Equal up to rounding; NaN equals NaN; a rival without null rows may give an empty row."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float) and isinstance(two, (int, float)):
        return math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(one) and math.isnan(two))
    return bool(one == two) or (one is None and two in ([], 0, None))


def check(case: Case, data: Data) -> list[str]:
    """Rivals whose answer on a small input differs from ours."""
    expected = plain(case.ours(data))
    return [name for name, run in rivals_of(case, data).items() if not _agrees(expected, run, data)]


def _agrees(expected: Any, run: Callable[[Data], Any], data: Data) -> bool:
    try:
        return same(expected, plain(run(data)))
    except Exception as error:  # a rival that can't take an input is reported as such, whatever it raises
        print(f"  ({type(error).__name__}: {str(error)[:100]})")
        return False


def rivals_of(case: Case, data: Data) -> dict[str, Callable[[Data], Any]]:
    """The rivals that are installed and take this input. Koda has no null rows and no numbers narrower than 32 bits."""
    found = {name: run for name, run in case.rivals.items() if installed(name)}
    if data.nulls == "rows" or data.dtype in ("bool", "string"):
        found.pop("koladata", None)
    return found


def seconds(function: Callable[[], Any], budget: float = 1.0) -> float:
    """The best time of one call; as many calls as the budget allows, three at least."""
    function()
    best, spent, runs = math.inf, 0.0, 0
    gc.collect()
    gc.disable()
    try:
        while runs < 3 or (spent < budget and runs < 20):
            start = time.perf_counter()
            function()
            took = time.perf_counter() - start
            best, spent, runs = min(best, took), spent + took, runs + 1
    finally:
        gc.enable()
    return best


def measure(case: Case, data: Data, budget: float = 1.0, differs: Sequence[str] = ()) -> dict[str, Any]:
    """Times of ours and of every rival that answers as we do, and what they are compared with."""
    ours = seconds(lambda: case.ours(data), budget)
    rivals = {name: run for name, run in rivals_of(case, data).items() if name not in differs}
    others = {name: _time_of(run, data, budget) for name, run in rivals.items()}
    by_hand = {name: _time_of(run, data, budget) for name, run in case.by_hand.items()}
    best = min((t for t in others.values() if t is not None), default=None)
    touched = case.touched(data)
    return {
        "operation": case.name,
        "values": data.n_values,
        "distribution": data.distribution,
        "nulls": data.nulls,
        "dtype": data.dtype,
        "ours_ms": ours * 1e3,
        "rivals_ms": {name: None if t is None else t * 1e3 for name, t in others.items()},
        "by_hand_ms": {name: None if t is None else t * 1e3 for name, t in by_hand.items()},
        "ratio": None if best is None else best / ours,
        "target": case.target,
        "gb_per_s": touched / ours / 1e9,
        "copy_ratio": ours / copy_seconds(touched),
    }


def _time_of(run: Callable[[Data], Any], data: Data, budget: float) -> float | None:
    try:
        return seconds(lambda: run(data), budget)
    except Exception as error:  # a rival that can't take an input is reported as such, whatever it raises
        print(f"  (no time: {type(error).__name__}: {str(error)[:80]})")
        return None


_COPIES: dict[int, float] = {}


def copy_seconds(n_bytes: int) -> float:
    """Time to copy as many bytes as an operation reads and writes."""
    n = max(n_bytes // 2, 1)
    if n not in _COPIES:
        source, target = np.ones(n, np.uint8), np.empty(n, np.uint8)
        _COPIES[n] = seconds(lambda: np.copyto(target, source), 0.2)
    return _COPIES[n]
