"""Functions of a user, compiled by `map_rows`, `fold`, `scan` and `map_items`, beside the same functions in bare loops of numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import arrowjag as aj
from benchmarks.chains import Columns
from benchmarks.runner import race

SMALL = 2_000


def largest_step(row: Any) -> Any:
    """A scalar from a row."""
    most = 0.0
    for i in range(1, len(row)):
        most = max(most, abs(row[i] - row[i - 1]))
    return most


def centered(row: Any) -> Any:
    """A row from a row."""
    return row - row.mean()


def smoothed(state: Any, item: Any) -> Any:
    """A state from the one before."""
    return state * 0.5 + item


def above(item: Any) -> Any:
    """An item from an item."""
    return item * 2.0 - 1.0 if item > 1.0 else 0.0


class Function(NamedTuple):
    """A function, how arrowjag calls it, and the body of a bare loop, which gets `v`, the values, and the bounds `a`, `b` of row `r`."""

    name: str
    ours: Callable[[Any], Any]
    function: Callable[..., Any]
    by_hand: str
    per_item: bool = False


FUNCTIONS = [
    Function("map_rows", lambda x: aj.map_rows(largest_step, x), largest_step, "out[r] = f(v[a:b])"),
    Function("map_rows to rows", lambda x: aj.map_rows(centered, x), centered, "out[a:b] = f(v[a:b])", per_item=True),
    Function(
        "fold", lambda x: aj.fold(smoothed, 0.0, x), smoothed, "s = 0.0\n  for i in range(a, b): s = f(s, v[i])\n  out[r] = s"
    ),
    Function(
        "scan",
        lambda x: aj.scan(smoothed, 0.0, x),
        smoothed,
        "s = 0.0\n  for i in range(a, b):\n   s = f(s, v[i])\n   out[i] = s",
        per_item=True,
    ),
    Function("map_items", lambda x: aj.map_items(above, x), above, "for i in range(a, b): out[i] = f(v[i])", per_item=True),
]


def bare(case: Function) -> Callable[[Any, Any, Any], Any]:
    """A loop over rows, compiled together with the function."""
    import numba

    compiled = numba.njit(error_model="numpy")
    scope: dict[str, Any] = {"f": compiled(case.function)}
    head = "def loop(v, o, out):\n for r in range(len(o) - 1):\n  a, b = o[r], o[r + 1]\n  "
    exec(f"{head}{case.by_hand}\n return out", scope)  # the source is that of this module
    loop: Callable[[Any, Any, Any], Any] = compiled(scope["loop"])
    return loop


def calls(case: Function, data: Columns) -> dict[str, Callable[[], Any]]:
    """Both ways to call a function on a column."""
    loop = bare(case)
    n = len(data.x_values) if case.per_item else len(data.sizes)
    return {
        "ours": partial(case.ours, data.x),
        "by hand": lambda: loop(data.x_values, data.offsets, np.empty(n)),
    }


def table(only: Sequence[str] | None, values: int, budget: float) -> list[dict[str, Any]]:
    """Measure and print every function; results are compared on a small input first."""
    print(f"{'function':20}{'ours ms':>10}{'by hand':>10}{'ratio':>8}")
    found = []
    for case in FUNCTIONS:
        if only and case.name not in only:
            continue
        with aj.options(compile="always"):
            small = calls(case, Columns(SMALL))
            ours = small["ours"]()
            if not np.allclose((ours.values if case.per_item else ours).to_numpy(), small["by hand"]()):
                raise ValueError(f"{case.name} differs from the loop by hand")
            times = race(calls(case, Columns(values)), budget)
        ms = {name: None if took is None else took[0] * 1e3 for name, took in times.items()}
        found.append({"function": case.name, "values": values, "ms": ms})
        print(f"{case.name:20}{ms['ours']:>10.2f}{ms['by hand']:>10.2f}{ms['ours'] / ms['by hand']:>8.2f}", flush=True)
    return found
