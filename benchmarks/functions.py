"""Functions of a user, compiled by `map_rows`, `fold`, `scan` and `map_items`, beside the same functions in bare loops of numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

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
    """A function, how arrowjag calls it, and the body of a bare loop over the rows of a column.

    The body gets `v`, the values, `k`, True where they are valid, and the bounds `a`, `b` of row `r`.
    """

    name: str
    ours: Callable[[Any], Any]
    function: Callable[..., Any]
    by_hand: str
    per_item: bool = False
    is_row: bool = False


_VALID_ITEMS = """
  n = 0
  for i in range(a, b):
   row[n] = v[i]
   n += k[i]
"""

FUNCTIONS = [
    Function("map_rows", lambda x: aj.map_rows(largest_step, x), largest_step, "out[r] = f(v[a:b])"),
    Function("map_rows to rows", lambda x: aj.map_rows(centered, x), centered, "out[a:b] = f(v[a:b])", True, True),
    Function(
        "fold", lambda x: aj.fold(smoothed, 0.0, x), smoothed, "s = 0.0\n  for i in range(a, b): s = f(s, v[i])\n  out[r] = s"
    ),
    Function(
        "scan",
        lambda x: aj.scan(smoothed, 0.0, x),
        smoothed,
        "s = 0.0\n  for i in range(a, b):\n   s = f(s, v[i])\n   out[i] = s",
        True,
    ),
    Function("map_items", lambda x: aj.map_items(above, x), above, "for i in range(a, b): out[i] = f(v[i])", True),
]

WITH_NULLS = [
    Function("map_rows", FUNCTIONS[0].ours, largest_step, _VALID_ITEMS + "  out[r] = f(row[:n])"),
    Function("map_rows to rows", FUNCTIONS[1].ours, centered, _VALID_ITEMS + "  out[u:u + n] = f(row[:n])\n  u += n", True, True),
    Function("fold", FUNCTIONS[2].ours, smoothed, "s = 0.0\n  for i in range(a, b):\n   if k[i]: s = f(s, v[i])\n  out[r] = s"),
    Function(
        "scan",
        FUNCTIONS[3].ours,
        smoothed,
        "s = 0.0\n  for i in range(a, b):\n   if k[i]:\n    s = f(s, v[i])\n    out[i] = s",
        True,
    ),
    Function("map_items", FUNCTIONS[4].ours, above, "for i in range(a, b):\n   if k[i]: out[i] = f(v[i])", True),
]
"""The same, where one item in twenty is null."""


def bare(case: Function) -> Callable[..., Any]:
    """A loop over rows, compiled together with the function."""
    import numba

    compiled = numba.njit(error_model="numpy")
    scope: dict[str, Any] = {"f": compiled(case.function), "np": np}
    head = "def loop(v, k, o, out):\n row, u = np.empty(len(v)), 0\n for r in range(len(o) - 1):\n  a, b = o[r], o[r + 1]\n  "
    exec(f"{head}{case.by_hand}\n return out[:u] if u else out", scope)  # the source is that of this module
    loop: Callable[..., Any] = compiled(scope["loop"])
    return loop


def calls(case: Function, data: Columns, x: aj.JaggedArray, valid: Any) -> dict[str, Callable[[], Any]]:
    """Both ways to call a function on a column."""
    loop = bare(case)
    n = len(data.x_values) if case.per_item else len(data.sizes)
    return {
        "ours": partial(case.ours, x),
        "by hand": lambda: loop(data.x_values, valid, data.offsets, np.zeros(n)),
    }


def column(n_values: int, nulls: str) -> tuple[Columns, aj.JaggedArray, Any]:
    """A column of positive numbers, some of them null, and which are valid."""
    data = Columns(n_values)
    valid = np.ones(len(data.x_values), np.bool_)
    if nulls == "none":
        return data, data.x, valid
    valid &= np.random.default_rng(3).random(len(valid)) >= 0.05
    return data, aj.JaggedArray(data.x.shape, pa.array(data.x_values, mask=~valid)), valid


def check(case: Function, nulls: str) -> None:
    """Compare both results for a small column."""
    data, x, valid = column(SMALL, nulls)
    results = calls(case, data, x, valid)
    ours, by_hand = results["ours"](), results["by hand"]()
    found = ours.values.to_numpy(zero_copy_only=False)
    expected = by_hand if case.is_row or not case.per_item else np.where(valid, by_hand, np.nan)
    if not np.allclose(found, expected, equal_nan=True):
        raise ValueError(f"{case.name} differs from the loop by hand")


def table(only: Sequence[str] | None, values: int, budget: float) -> list[dict[str, Any]]:
    """Measure and print every function; results are compared on a small input first."""
    print(f"{'function':20}{'nulls':8}{'ours ms':>10}{'by hand':>10}{'ratio':>8}")
    found = []
    for nulls, cases in (("none", FUNCTIONS), ("leaves", WITH_NULLS)):
        for case in cases:
            if only and case.name not in only:
                continue
            with aj.options(compile="always"):
                check(case, nulls)
                times = race(calls(case, *column(values, nulls)), budget)
            ms = {name: None if took is None else took[0] * 1e3 for name, took in times.items()}
            found.append({"function": case.name, "nulls": nulls, "values": values, "ms": ms})
            ratio = ms["ours"] / ms["by hand"]
            print(f"{case.name:20}{nulls:8}{ms['ours']:>10.2f}{ms['by hand']:>10.2f}{ratio:>8.2f}", flush=True)
    return found
