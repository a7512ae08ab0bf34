"""Ten expressions of real use, beside loops written by hand with numba and beside the same expression in other libraries.

Ours is measured as eager calls and as one `aj.jit` function. Answers are compared on a small input first; a library without some
function that an expression needs is left out of that expression.
"""

# ruff: noqa: ARG001 - every loop by hand takes both columns

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

import arrowjag as aj
from benchmarks.data import row_sizes
from benchmarks.runner import installed, plain, race, same, takes_loops, without_loops

SMALL = 2_000


class Columns:
    """Two columns of one shape, positive numbers, in each library's own form."""

    def __init__(self, n_values: int) -> None:
        self.sizes = np.maximum(row_sizes("poisson", n_values, 1), 2)
        draw = np.random.default_rng(2)
        n = int(self.sizes.sum())
        self.offsets = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.x_values, self.y_values = draw.random(n) + 0.5, draw.random(n) + 0.5
        self.x = aj.from_sizes(self.x_values, self.sizes)
        self.y = aj.JaggedArray(self.x.shape, self.y_values)

    @cached_property
    def polars(self) -> Any:
        """A frame with the flat items and their rows, as polars computes several columns of lists."""
        import polars as pl

        rows = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return pl.DataFrame({"r": rows, "x": self.x_values, "y": self.y_values})

    @cached_property
    def awkward(self) -> tuple[Any, Any]:
        import awkward as ak

        return ak.unflatten(self.x_values, self.sizes), ak.unflatten(self.y_values, self.sizes)

    @cached_property
    def duckdb(self) -> Any:
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect()
        frame = pa.table({"r": np.repeat(np.arange(len(self.sizes)), self.sizes), "x": self.x_values, "y": self.y_values})
        connection.register("columns", frame)
        connection.execute("create table frame as select * from columns")
        return connection


class Chain(NamedTuple):
    """An expression, in each library's words."""

    name: str
    ours: Callable[[Any, Any], Any]
    by_hand: Callable[[Any, Any, Any, Any], Any]
    """Writes one row: ``f(x, y, out, first)``; `out` has one slot per row, or per item for expressions of `per_item`."""
    per_item: bool = False
    awkward: Callable[[Any, Any, Any], Any] | None = None
    """``f(ak, x, y)``."""
    polars: Callable[[Any, Any, Any], Any] | None = None
    """``f(pl, x, y)`` of columns: an aggregate of each group, or with ``.over("r")`` per item."""
    duckdb: str | None = None
    """An aggregate of each group of `r`."""


# ------------------------------------------------------------------------------------------------------ loops by hand


def _polynomial(x, y, out, row):
    total = 0.0
    for j in range(len(x)):
        total += (x[j] * y[j] + y[j] * 2 - x[j]) ** 2
    out[row] = total


def _z_score(x, y, out, first):
    n, mean, squares = len(x), 0.0, 0.0
    for j in range(n):
        mean += x[j]
    mean /= n
    for j in range(n):
        squares += (x[j] - mean) ** 2
    deviation = np.sqrt(squares / (n - 1))
    for j in range(n):
        out[first + j] = (x[j] - mean) / deviation


def _cosine(x, y, out, row):
    xy, xx, yy = 0.0, 0.0, 0.0
    for j in range(len(x)):
        xy += x[j] * y[j]
        xx += x[j] * x[j]
        yy += y[j] * y[j]
    out[row] = xy / np.sqrt(xx * yy)


def _weighted_mean(x, y, out, row):
    total, weight = 0.0, 0.0
    for j in range(len(x)):
        total += x[j] * y[j]
        weight += y[j]
    out[row] = total / weight


def _cross_entropy(x, y, out, row):
    most, total = x[0], 0.0
    for j in range(len(x)):
        most = max(most, x[j])
    for j in range(len(x)):
        total += np.exp(x[j] - most)
    out[row] = np.log(total) + most - x[0]


def _haversine(x, y, out, row):
    total = 0.0
    for j in range(1, len(x)):
        a = np.sin((x[j] - x[j - 1]) / 2) ** 2 + np.cos(x[j - 1]) * np.cos(x[j]) * np.sin((y[j] - y[j - 1]) / 2) ** 2
        total += 2 * 6371 * np.arcsin(np.sqrt(a))
    out[row] = total


def _drawdown(x, y, out, row):
    most, worst = x[0], 0.0
    for j in range(len(x)):
        most = max(most, x[j])
        worst = max(worst, (most - x[j]) / most)
    out[row] = worst


def _crossings(x, y, out, row):
    count, short, long, before = 0, 0.0, 0.0, 0.0
    for j in range(len(x)):
        short += x[j]
        long += x[j]
        if j >= 2:
            short -= x[j - 2]
        if j >= 5:
            long -= x[j - 5]
        if j >= 4:
            now = 1.0 if short / 2 > long / 5 else -1.0
            count += before * now < 0
            before = now
    out[row] = count


def _volatility(x, y, out, row):
    n = len(x) - 1
    mean, squares = 0.0, 0.0
    for j in range(n):
        mean += np.log(x[j + 1]) - np.log(x[j])
    mean /= n
    for j in range(n):
        squares += (np.log(x[j + 1]) - np.log(x[j]) - mean) ** 2
    out[row] = np.sqrt(squares / (n - 1)) if n > 1 else np.nan


def _rmse(x, y, out, row):
    total = 0.0
    for j in range(len(x)):
        total += (x[j] - y[j]) ** 2
    out[row] = np.sqrt(total / len(x))


def _crossed(x: Any, _: Any) -> Any:
    above = (x.rolling(2).mean() > x.rolling(5).mean()).cast("int64")
    return (above.diff() != 0).cast("int64").sum()


CHAINS = [
    Chain(
        "polynomial",
        lambda x, y: ((x * y + y * 2 - x) ** 2).sum(),
        _polynomial,
        awkward=lambda ak, x, y: ak.sum((x * y + y * 2 - x) ** 2, axis=1),
        polars=lambda pl, x, y: ((x * y + y * 2 - x) ** 2).sum(),
        duckdb="sum((x * y + y * 2 - x) ** 2)",
    ),
    Chain(
        "z-score",
        lambda x, _: (x - x.mean()) / x.std(),
        _z_score,
        per_item=True,
        awkward=lambda ak, x, _: (x - ak.mean(x, axis=1)) / ak.std(x, axis=1, ddof=1),
        polars=lambda pl, x, _: (x - x.mean().over("r")) / x.std().over("r"),
    ),
    Chain(
        "cosine",
        lambda x, y: (x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum()),
        _cosine,
        awkward=lambda ak, x, y: ak.sum(x * y, axis=1) / np.sqrt(ak.sum(x * x, axis=1) * ak.sum(y * y, axis=1)),
        polars=lambda pl, x, y: (x * y).sum() / ((x * x).sum() * (y * y).sum()).sqrt(),
        duckdb="sum(x * y) / sqrt(sum(x * x) * sum(y * y))",
    ),
    Chain(
        "weighted mean",
        lambda x, y: (x * y).sum() / y.sum(),
        _weighted_mean,
        awkward=lambda ak, x, y: ak.sum(x * y, axis=1) / ak.sum(y, axis=1),
        polars=lambda pl, x, y: (x * y).sum() / y.sum(),
        duckdb="sum(x * y) / sum(y)",
    ),
    Chain(
        "cross-entropy",
        lambda x, _: np.log(np.exp(x - x.max()).sum()) + x.max() - x.first(),
        _cross_entropy,
        awkward=lambda ak, x, _: np.log(ak.sum(np.exp(x - ak.max(x, axis=1)), axis=1)) + ak.max(x, axis=1) - x[:, 0],
        polars=lambda pl, x, _: (x - x.max()).exp().sum().log() + x.max() - x.first(),
    ),
    Chain(
        "haversine",
        lambda x, y: (
            12742 * np.arcsin(np.sqrt(np.sin(x.diff() / 2) ** 2 + np.cos(x.shift(1)) * np.cos(x) * np.sin(y.diff() / 2) ** 2))
        ).sum(),
        _haversine,
        awkward=lambda ak, x, y: ak.sum(
            12742
            * np.arcsin(
                np.sqrt(
                    np.sin((x[:, 1:] - x[:, :-1]) / 2) ** 2
                    + np.cos(x[:, :-1]) * np.cos(x[:, 1:]) * np.sin((y[:, 1:] - y[:, :-1]) / 2) ** 2
                )
            ),
            axis=1,
        ),
        polars=lambda pl, x, y: (
            12742 * ((x.diff() / 2).sin() ** 2 + x.shift(1).cos() * x.cos() * (y.diff() / 2).sin() ** 2).sqrt().arcsin()
        ).sum(),
    ),
    Chain(
        "drawdown",
        lambda x, _: ((x.cummax() - x) / x.cummax()).max(),
        _drawdown,
        polars=lambda pl, x, _: ((x.cum_max() - x) / x.cum_max()).max(),
    ),
    Chain("crossings", _crossed, _crossings),
    Chain(
        "volatility",
        lambda x, _: np.log(x).diff().std(),
        _volatility,
        awkward=lambda ak, x, _: ak.std(np.log(x)[:, 1:] - np.log(x)[:, :-1], axis=1, ddof=1),
        polars=lambda pl, x, _: x.log().diff().std(),
    ),
    Chain(
        "rmse",
        lambda x, y: np.sqrt(((x - y) ** 2).mean()),
        _rmse,
        awkward=lambda ak, x, y: np.sqrt(ak.mean((x - y) ** 2, axis=1)),
        polars=lambda pl, x, y: ((x - y) ** 2).mean().sqrt(),
        duckdb="sqrt(avg((x - y) ** 2))",
    ),
]


# --------------------------------------------------------------------------------------------------- ours in polars


class Expression(np.lib.mixins.NDArrayOperatorsMixin):
    """Spells an expression of arrays in the words of polars: each call and each operator through `.jag`."""

    def __init__(self, written: Any) -> None:
        self.written = written

    def __getattr__(self, name: str) -> Callable[..., Expression]:
        method = getattr(getattr(self.written, "jag", self.written), name)
        return lambda *operands: Expression(method(*operands))

    def __array_ufunc__(self, ufunc: np.ufunc, _: str, *operands: Any) -> Expression:
        words = [operand.written.jag if isinstance(operand, Expression) else operand for operand in operands]
        return Expression(ufunc(*words))


# --------------------------------------------------------------------------------------------------------- measuring


def calls(chain: Chain, fused: Any, data: Columns) -> dict[str, Callable[[], Any]]:
    """The same expression by each library that has it."""
    found: dict[str, Callable[[], Any]] = {"jit": lambda: fused(data.x, data.y), "eager": lambda: chain.ours(data.x, data.y)}
    if installed("numba"):
        found["by hand"] = loop(chain, data)
    if installed("polars"):
        ours = ours_in_polars(chain, data)
        found["in polars"] = lambda: ours()["found"]
    if installed("polars") and chain.polars is not None:
        found["polars"] = lambda: in_polars(chain, data)
    if installed("awkward") and chain.awkward is not None:
        import awkward as ak

        found["awkward"] = lambda: ak.to_packed(chain.awkward(ak, *data.awkward))
    if installed("duckdb") and chain.duckdb is not None:
        query = f"select {chain.duckdb} as found from frame group by r order by r"
        found["duckdb"] = lambda: data.duckdb.sql(query).to_arrow_table()["found"]
    return found


def ours_in_polars(chain: Chain, data: Columns) -> Callable[[], Any]:
    """Ours on a polars frame of two jagged columns."""
    import polars as pl

    import arrowjag.polars  # noqa: F401 - names `.jag`

    frame = pl.DataFrame({"x": data.x.to_polars(), "y": data.y.to_polars()})
    return lambda: frame.select(chain.ours(Expression(pl.col("x")), Expression(pl.col("y"))).written.alias("found"))


def in_polars(chain: Chain, data: Columns) -> Any:
    """Per item over the rows, or an aggregate of each."""
    import polars as pl

    found = chain.polars(pl, pl.col("x"), pl.col("y")).alias("found")
    if chain.per_item:
        return data.polars.select(found)["found"]
    return data.polars.group_by("r", maintain_order=True).agg(found)["found"]


def loop(chain: Chain, data: Columns) -> Callable[[], Any]:
    """The loop by hand over all rows, compiled."""
    import numba

    row = numba.njit(error_model="numpy")(chain.by_hand)
    per_item = chain.per_item

    @numba.njit(error_model="numpy")
    def run(x, y, offsets, out):
        for i in range(len(offsets) - 1):
            first, last = offsets[i], offsets[i + 1]
            row(x[first:last], y[first:last], out, first if per_item else i)
        return out

    n = len(data.x_values) if per_item else len(data.sizes)
    return lambda: run(data.x_values, data.y_values, data.offsets, np.empty(n))


def flat(found: Any) -> list[Any]:
    """A result as a flat list, NaN for null: libraries differ in the standard deviation of one item."""
    listed = plain(found)
    items = [item for row in listed for item in row] if listed and isinstance(listed[0], list) else listed
    return [float("nan") if item is None else float(item) for item in items]


def differing(chain: Chain, fused: Any) -> list[str]:
    """Which ones answer differently from the eager calls on a small input."""
    small = calls(chain, fused, Columns(SMALL))
    expected = flat(small["eager"]())
    return [name for name, call in small.items() if not same(expected, flat(call()))]


def table(only: Sequence[str] | None, values: int, budget: float) -> list[dict[str, Any]]:
    """Measure and print every chain."""
    heads = ("jit ms", "plain", "eager", "in polars", "by hand")
    print(f"{'chain':16}" + "".join(f"{head:>10}" for head in heads) + f"{'polars':>10}{'awkward':>10}{'duckdb':>10}")
    found = []
    for chain in CHAINS:
        if only and chain.name not in only:
            continue
        fused = aj.jit(chain.ours)
        wrong = differing(chain, fused)
        data = Columns(values)
        raced = {name: call for name, call in calls(chain, fused, data).items() if name not in wrong}
        if takes_loops(raced["jit"]):
            raced["jit plain"] = lambda call=raced["jit"]: without_loops(call)
        times = race(raced, budget)
        ms = {name: None if took is None else took[0] * 1e3 for name, took in times.items()}
        found.append({"chain": chain.name, "values": values, "ms": ms, "differs": wrong, "explain": fused.explain(data.x, data.y)})
        texts = [
            f"{ms[name]:.2f}" if ms.get(name) is not None else "-" for name in ("jit", "jit plain", "eager", "in polars", "by hand")
        ]
        others = [f"{ms[name]:.2f}" if ms.get(name) is not None else "-" for name in ("polars", "awkward", "duckdb")]
        print(f"{chain.name:16}" + "".join(f"{one:>10}" for one in texts) + "".join(f"{one:>10}" for one in others), flush=True)
    return found
