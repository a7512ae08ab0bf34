"""Checks that answers are equal, then times: calls take turns, and the best of each counts, so that other work on the machine
falls on all of them."""

from __future__ import annotations

import gc
import importlib.util
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from polars.exceptions import PanicException

import arrowjag as aj
from arrowjag._kernels import strategy
from benchmarks.case import Case
from benchmarks.data import TEXTS, Data

REFUSALS = (Exception, PanicException)
"""Errors that rivals raise; polars' panic, as for rows of float16, is no `Exception`."""
TURN = 4e-3
"""Seconds after which a turn ends with the call that it has begun."""
KODA_ROWS = 600_000
"""More rows don't reach Koda: it is filled from Python lists."""


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
    if isinstance(result, pa.Scalar):
        return result.as_py()
    for method in ("to_py", "to_list", "tolist"):
        if hasattr(result, method):
            return getattr(result, method)()
    return result


def same(one: Any, two: Any) -> bool:
    """Equal up to rounding; NaN equals NaN; a rival without null rows may give an empty row."""
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict) and isinstance(two, dict):  # fields by place, if a rival names them otherwise
        theirs = [two[key] for key in one] if one.keys() == two.keys() else list(two.values())
        return same(list(one.values()), theirs)
    if isinstance(one, float) and isinstance(two, (int, float)):
        return math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-6) or (math.isnan(one) and math.isnan(two))
    return bool(one == two) or (one is None and two in ([], 0, None))


def check(case: Case, data: Data) -> dict[str, str]:
    """Rivals whose answer on a small input differs from ours, and how."""
    expected = plain(case.ours(data))
    found = {}
    for name, run in rivals_of(case, data).items():
        try:
            if not same(expected, plain(run(data))):
                found[name] = "answers differently"
        except REFUSALS as error:  # a rival that can't take an input is reported as such, whatever it raises
            found[name] = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:80]}"
    return found


def rivals_of(case: Case, data: Data) -> dict[str, Callable[[Data], Any]]:
    """The rivals that are installed and take this input. Koda has no null rows and no numbers narrower than 32 bits."""
    found = {name: run for name, run in case.rivals.items() if installed(name)}
    if data.nulls == "rows" or data.dtype in ("bool", "string", *TEXTS) or len(data.sizes) > KODA_ROWS:
        found.pop("koladata", None)
    return found


def race(calls: dict[str, Callable[[], Any]], budget: float, before: Callable[[str], None] | None = None) -> dict[str, Any]:
    """The best wall and CPU seconds of each call; calls take turns until each has had its budget, three times at least.

    Slow ones get fewer turns: one that spent its budget rests. A short one is called several times in its turn: its first call mostly
    fetches the code that the others have pushed out of the caches, and the memory that Arrow's pool has given back meanwhile. `before`
    is called ahead of each call, untimed, and leaves every turn one call. A call that raises has None.
    """
    best: dict[str, Any] = {}
    for name, call in calls.items():
        try:
            call()
        except REFUSALS as error:  # a rival that can't take an input is reported as such, whatever it raises
            print(f"  ({name}: no time, {type(error).__name__}: {str(error)[:80]})")
            best[name] = None
    spent = dict.fromkeys((name for name in calls if name not in best), 0.0)
    gc.collect()
    gc.disable()
    try:
        for turn in range(30):
            for name in [one for one in spent if turn < (3 if spent[one] < 2 else 1) or spent[one] < budget]:
                if before is not None:
                    before(name)
                left = TURN if before is None else 0.0
                while True:
                    start, cpu = time.perf_counter(), time.process_time()
                    calls[name]()
                    took, busy = time.perf_counter() - start, time.process_time() - cpu
                    wall, least = best.get(name, (math.inf, math.inf))
                    best[name] = (min(wall, took), min(least, busy))
                    spent[name] += took
                    left -= took
                    if left <= 0:
                        break
    finally:
        gc.enable()
    return best


def takes_loops(call: Callable[[], Any]) -> bool:
    """Whether a call runs compiled loops; those that it would have compiled in the background are compiled now."""
    if not installed("numba"):
        return False
    with aj.options(compile="always"), strategy.force() as taken:
        call()
    return any(name == "compiled" for _, name in taken)


def without_loops(call: Callable[[], Any]) -> Any:
    """A call as it runs where numba is not installed."""
    with aj.options(compile="never"):
        return call()


def seconds(function: Callable[[], Any], budget: float = 1.0) -> float:
    """The best wall time of one call."""
    best = race({"it": function}, budget)["it"]
    return math.inf if best is None else float(best[0])


def measure(case: Case, data: Data, budget: float = 1.0, differs: Sequence[str] = (), rivals: bool = True) -> dict[str, Any]:
    """Times of ours and of every rival that answers as we do, and what they are compared with."""
    others = {name: run for name, run in rivals_of(case, data).items() if name not in differs} if rivals else {}
    hand = case.by_hand if rivals else {}
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: case.ours(data)}
    calls |= {name: lambda run=run: run(data) for name, run in others.items()}
    calls |= {f"hand {name}": lambda run=run: run(data) for name, run in hand.items()}
    if takes_loops(calls["ours"]):
        calls["plain"] = lambda: without_loops(calls["ours"])
    times = race(calls, budget)
    ours = times["ours"]
    if ours is None:
        raise RuntimeError(f"{case.name} failed on {data.name}")
    alone = {"ours": calls["ours"]}
    cold = race(alone, budget / 2, lambda _: data.fresh() or data.touch())["ours"]
    known = race(alone, budget / 2, lambda _: data.disturb())["ours"]
    best = min((times[name][0] for name in others if times[name]), default=None)
    touched = case.touched(data)
    return {
        "operation": case.name,
        "values": data.n_values,
        "rows": len(data.sizes),
        "distribution": data.distribution,
        "nulls": data.nulls,
        "dtype": data.dtype,
        "ours_ms": ours[0] * 1e3,
        "ours_cpu_ms": ours[1] * 1e3,
        **({"plain_ms": times["plain"][0] * 1e3, "plain_cpu_ms": times["plain"][1] * 1e3} if times.get("plain") else {}),
        "cold_ms": cold[0] * 1e3,
        "cold_cpu_ms": cold[1] * 1e3,
        "cold_ratio": cold[0] / known[0],
        "rivals_ms": {name: times[name] and times[name][0] * 1e3 for name in others},
        "rivals_cpu_ms": {name: times[name] and times[name][1] * 1e3 for name in others},
        "by_hand_ms": {name: times[f"hand {name}"] and times[f"hand {name}"][0] * 1e3 for name in hand},
        "ratio": None if best is None else best / ours[0],
        "target": case.target,
        "gb_per_s": touched / ours[0] / 1e9,
        "copy_ratio": ours[0] / copy_seconds(touched),
    }


_COPIES: dict[int, float] = {}


def copy_seconds(n_bytes: int) -> float:
    """Time to copy as many bytes as an operation reads and writes; measured for powers of two and scaled."""
    n = 1 << max(n_bytes // 2, 1).bit_length()
    if n not in _COPIES:
        source, target = np.ones(n, np.uint8), np.empty(n, np.uint8)
        _COPIES[n] = seconds(lambda: np.copyto(target, source), 0.2)
    return _COPIES[n] * max(n_bytes // 2, 1) / n
