"""Columns in pandas and polars against what those libraries do best: `python -m benchmarks.frames`.

polars: our expression against polars' own on the same plain list column, in one process, both engines' default. pandas: an operator
and a reduction against the same call on the array, then a jagged key against an Arrow string column. Equal answers are asserted
before anything is timed. Calls take turns, and the best of each counts; CPU time stands beside wall time, because others may use
the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import arrowjag as aj
from benchmarks.data import Data
from benchmarks.runner import plain, same
from benchmarks.turns import in_turn

Expr = Callable[[Any], Any]
FLOATS = ("float64",)
NUMBERS = ("float64", "int64")
BUDGET = 4.0
"""Seconds after which no turn of a pair or task begins."""


@dataclass(frozen=True)
class Pair:
    """One operation as an expression of ours on `.jag`, and as the best one of polars; `target` is theirs over ours."""

    name: str
    ours: Callable[[], pl.Expr]
    rival: Callable[[], pl.Expr]
    dtypes: tuple[str, ...] = NUMBERS
    target: float = 0.9
    nulls: bool = True


def v() -> Any:
    """Our column."""
    return pl.col("x").jag  # type: ignore[attr-defined]


def own(function: Callable[[pl.Expr], pl.Expr]) -> Callable[[], pl.Expr]:
    """A call on polars' list column."""
    return lambda: function(pl.col("x"))


def each(function: Callable[[pl.Expr], pl.Expr]) -> Callable[[], pl.Expr]:
    """A call on the items of polars' list column."""
    return lambda: pl.col("x").list.eval(function(pl.element()))


POLARS: list[Pair] = [
    Pair("list + list", lambda: v() + pl.col("y"), own(lambda x: x + pl.col("y"))),
    Pair("list * row", lambda: v() * pl.col("w"), own(lambda x: x * pl.col("w"))),
    Pair("list * 2", lambda: v() * 2, own(lambda x: x * 2)),
    Pair("1 - list", lambda: 1 - v(), own(lambda x: 1 - x)),
    Pair("list / row", lambda: v() / pl.col("w"), own(lambda x: x / pl.col("w")), FLOATS),
    Pair("list > 0.5", lambda: v() > 0.5, each(lambda x: x > 0.5)),
    Pair("list == 7", lambda: v() == 7, each(lambda x: x == 7), ("int64",)),
    Pair("-list", lambda: -v(), each(lambda x: -x)),
    Pair("abs", lambda: v().abs(), each(lambda x: x.abs())),
    Pair("round", lambda: v().round(1), each(lambda x: x.round(1)), FLOATS),
    Pair("clip", lambda: v().clip(0.2, 0.8), each(lambda x: x.clip(0.2, 0.8)), FLOATS),
    Pair("sqrt", lambda: np.sqrt(v()), each(lambda x: x.sqrt()), FLOATS),
    Pair("exp", lambda: np.exp(v()), each(lambda x: x.exp()), FLOATS),
    Pair("cast", lambda: v().cast(pl.Float32), own(lambda x: x.cast(pl.List(pl.Float32)))),
    Pair("is_null", lambda: v().is_null(), each(lambda x: x.is_null())),
    Pair("is_nan", lambda: v().is_nan(), each(lambda x: x.is_nan()), FLOATS),
    Pair("fill_null", lambda: v().fill_null(0), each(lambda x: x.fill_null(0))),
    Pair("sum", lambda: v().sum(), own(lambda x: x.list.sum())),
    Pair("mean", lambda: v().mean(), own(lambda x: x.list.mean())),
    Pair("min", lambda: v().min(), own(lambda x: x.list.min())),
    Pair("max", lambda: v().max(), own(lambda x: x.list.max())),
    Pair("std", lambda: v().std(), own(lambda x: x.list.std()), FLOATS),
    Pair("median", lambda: v().median(), own(lambda x: x.list.median()), FLOATS),
    Pair("argmax", lambda: v().argmax(), own(lambda x: x.list.arg_max()), nulls=False),
    Pair("n_unique", lambda: v().n_unique(), own(lambda x: x.list.n_unique()), nulls=False),
    Pair("any", lambda: (v() > 0.9).jag.any(), lambda: pl.col("x").list.eval(pl.element() > 0.9).list.any()),
    Pair("count", lambda: v().count(), own(lambda x: x.list.drop_nulls().list.len())),
    Pair("lengths", lambda: v().lengths(), own(lambda x: x.list.len())),
    Pair("first", lambda: v().first(), own(lambda x: x.list.first())),
    Pair("last", lambda: v().last(), own(lambda x: x.list.last())),
    Pair("get", lambda: v().S[3], own(lambda x: x.list.get(3, null_on_oob=True))),
    Pair("head", lambda: v().head(3), own(lambda x: x.list.head(3))),
    Pair("tail", lambda: v().tail(3), own(lambda x: x.list.tail(3))),
    Pair("slice", lambda: v().slice(1, 4), own(lambda x: x.list.slice(1, 4))),
    Pair("reverse", lambda: v().reverse(), own(lambda x: x.list.reverse())),
    Pair("shift", lambda: v().shift(1), own(lambda x: x.list.shift(1))),
    Pair("diff", lambda: v().diff(), own(lambda x: x.list.diff())),
    Pair("filter", lambda: v().filter(v() > 0.5), own(lambda x: x.list.filter(pl.element() > 0.5))),
    Pair("contains", lambda: v().contains(7), own(lambda x: x.list.contains(7, nulls_equal=False).fill_null(False)), ("int64",), nulls=False),
    Pair("unique", lambda: v().unique(), own(lambda x: x.list.unique(maintain_order=True)), nulls=False),
    Pair("intersection", lambda: v().intersection(pl.col("y")).jag.lengths(), own(lambda x: x.list.set_intersection(pl.col("y")).list.len()), ("int64",), nulls=False),
    Pair("sort", lambda: v().sort(), each(lambda x: x.sort(nulls_last=True)), target=2),
    Pair("argsort", lambda: v().argsort(), each(lambda x: x.arg_sort(nulls_last=True)), nulls=False),
    Pair("rank", lambda: v().rank(method="dense"), each(lambda x: x.rank("dense")), target=2),
    Pair("cumsum", lambda: v().cumsum(), each(lambda x: x.cum_sum()), target=4),
    Pair("topk", lambda: v().topk(3), each(lambda x: x.top_k(3).sort(descending=True)), target=4, nulls=False),
    Pair("rolling_mean", lambda: v().rolling_mean(3), each(lambda x: x.rolling_mean(3)), FLOATS),
    Pair("join", lambda: v().join(" "), own(lambda x: x.list.join(" ")), ("string",), nulls=False),
    Pair("(x * w).sum()", lambda: (v() * pl.col("w")).jag.sum(), own(lambda x: (x * pl.col("w")).list.sum())),
]  # fmt: skip
"""Each operation that both have. Where polars treats nulls otherwise, it is measured without them."""


@dataclass(frozen=True)
class Task:
    """One task of pandas on a jagged column, and what it is held against; `target` is ours over theirs, at most."""

    name: str
    ours: Callable[[Frames], Any]
    rival: Callable[[Frames], Any]
    target: float


class Frames:
    """A column of numbers for arithmetic, and a frame with equal keys as jagged rows and as Arrow strings."""

    def __init__(self, n_rows: int) -> None:
        draw = np.random.default_rng(0)
        sizes = draw.integers(0, 11, n_rows)
        self.x = aj.from_sizes(pa.array(draw.random(int(sizes.sum()))), sizes)
        self.w = aj.from_arrow(pa.array(draw.random(n_rows)))
        self.s = self.x.to_pandas()
        self.weights = pd.Series(self.w.values.to_numpy(False))
        self.key = draw.integers(0, 1000, n_rows)
        self.distinct = [[place // 100, place // 10 % 10, place % 10][: 1 + place % 3] + [place] for place in range(1000)]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Keys of both kinds, one string a jagged row, and a payload."""
        jagged = aj.array(self.distinct)[self.key].to_pandas()
        texts = pa.array([",".join(f"{one:03d}" for one in row) for row in self.distinct], pa.large_string()).take(
            pa.array(self.key)
        )
        string = pd.Series(texts, dtype=pd.ArrowDtype(pa.large_string()))
        return pd.DataFrame({"jagged": jagged, "string": string, "payload": np.arange(len(self.key), dtype=float)})

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a distinct key."""
        return self.frame.drop_duplicates("string")[["jagged", "string"]].assign(found=1.0).reset_index(drop=True)


def merged(key: str) -> Callable[[Frames], Any]:
    """A merge on a key."""
    return lambda d: d.frame[[key, "payload"]].merge(d.table[[key, "found"]], on=key)["found"].sum()


PANDAS: list[Task] = [
    Task("s * w", lambda d: d.s * d.weights, lambda d: d.x * d.w, 1.3),
    Task("s.jag.sum()", lambda d: d.s.jag.sum(), lambda d: d.x.sum(), 1.3),
    Task(
        "groupby key",
        lambda d: d.frame.groupby("jagged", sort=False)["payload"].sum().to_numpy(),
        lambda d: d.frame.groupby("string", sort=False)["payload"].sum().to_numpy(),
        5,
    ),
    Task(
        "sorted groupby key",
        lambda d: d.frame.groupby("jagged")["payload"].sum().to_numpy(),
        lambda d: d.frame.groupby("string")["payload"].sum().to_numpy(),
        5,
    ),
    Task("merge key", merged("jagged"), merged("string"), 5),
    Task(
        "sort key",
        lambda d: d.frame.sort_values("jagged", kind="stable")["payload"].to_numpy(),
        lambda d: d.frame.sort_values("string", kind="stable")["payload"].to_numpy(),
        5,
    ),
    Task("drop_duplicates", lambda d: len(d.frame.drop_duplicates("jagged")), lambda d: len(d.frame.drop_duplicates("string")), 5),
]


# ------------------------------------------------------------------------------------------------- measuring


def frame_of(n_values: int, nulls: str, dtype: str) -> pl.DataFrame:
    """The lists x and y and the plain column w, as plain dtypes of polars."""
    data = Data(n_values, "poisson", nulls, dtype)
    return pl.DataFrame({"x": pl.Series(data.x_arrow), "y": pl.Series(data.y_arrow), "w": pl.Series(data.w_arrow)}).rechunk()


def measure_polars(pair: Pair, small: pl.DataFrame, large: pl.DataFrame, runs: int) -> dict[str, float]:
    """Check one pair on a small frame and time it on a large one."""
    ours, theirs = (plain(small.select(r=make())["r"]) for make in (pair.ours, pair.rival))
    if not same(ours, theirs):
        raise AssertionError(f"{pair.name}: other answers, {ours[:5]} and {theirs[:5]}")
    return as_row(in_turn([lambda: large.select(r=pair.ours()), lambda: large.select(r=pair.rival())], runs, BUDGET))


def as_row(times: list[tuple[float, float]]) -> dict[str, float]:
    """Milliseconds of ours and theirs, and theirs over ours."""
    (wall, cpu), (their_wall, their_cpu) = times
    return {
        "ours_ms": wall * 1e3,
        "ours_cpu_ms": cpu * 1e3,
        "theirs_ms": their_wall * 1e3,
        "theirs_cpu_ms": their_cpu * 1e3,
        "ratio": their_wall / wall,
        "cpu_ratio": their_cpu / cpu,
    }


COLUMNS = "{ours_ms:9.1f}{ours_cpu_ms:9.1f}{theirs_ms:9.1f}{theirs_cpu_ms:9.1f}{ratio:7.2f}{cpu_ratio:7.2f}{target:7.1f}"
HEADINGS = f"{'ours ms':>9}{'cpu':>9}{'theirs':>9}{'cpu':>9}{'ratio':>7}{'cpu':>7}{'target':>7}"


def polars_table(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every pair over every input; ratios are theirs over ours."""
    results: list[dict[str, Any]] = []
    print(f"{'polars':16}{'nulls':8}{'type':9}{HEADINGS}")
    for dtype in dict.fromkeys(dtype for pair in POLARS for dtype in pair.dtypes):
        for nulls in options.nulls:
            small, large = frame_of(2000, nulls, dtype), frame_of(options.values, nulls, dtype)
            for pair in POLARS:
                if dtype not in pair.dtypes or not wanted(pair.name, options) or (nulls != "none" and not pair.nulls):
                    continue
                row = measure_polars(pair, small, large, options.runs)
                results.append({"operation": pair.name, "nulls": nulls, "dtype": dtype, "target": pair.target, **row})
                miss = " *" if max(row["ratio"], row["cpu_ratio"]) < pair.target else ""
                print(("{operation:16}{nulls:8}{dtype:9}" + COLUMNS).format(**results[-1]) + miss, flush=True)
    return results


def pandas_table(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Every task; ratios are ours over theirs."""
    results: list[dict[str, Any]] = []
    print(f"{'pandas':33}{HEADINGS}")
    small, large = Frames(5000), Frames(options.rows)
    for task in PANDAS:
        if not wanted(task.name, options):
            continue
        ours, theirs = (values_of(function(small)) for function in (task.ours, task.rival))
        if not same(ours, theirs):
            raise AssertionError(f"{task.name}: other answers")
        row = as_row(in_turn([lambda: task.ours(large), lambda: task.rival(large)], options.runs, BUDGET))  # noqa: B023
        row["ratio"], row["cpu_ratio"] = 1 / row["ratio"], 1 / row["cpu_ratio"]
        results.append({"operation": task.name, "target": task.target, **row})
        miss = " *" if min(row["ratio"], row["cpu_ratio"]) > task.target else ""
        print(("{operation:33}" + COLUMNS).format(**results[-1]) + miss, flush=True)
    return results


def values_of(result: Any) -> Any:
    """A result of pandas as nested lists."""
    return result.jag.to_list() if isinstance(result, pd.Series) else plain(result)


def wanted(name: str, options: argparse.Namespace) -> bool:
    """Whether an operation was asked for."""
    return options.only is None or name in options.only


def main() -> None:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frames")
    parser.add_argument("libraries", nargs="*", default=[], help="pandas, polars; both by default")
    parser.add_argument("--values", type=int, default=5_000_000, help="of the polars columns")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the pandas columns")
    parser.add_argument("--nulls", nargs="+", default=["none", "leaves"], choices=["none", "leaves", "rows"])
    parser.add_argument("--only", nargs="+", default=None, help="names of operations")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    tables = {"pandas": pandas_table, "polars": polars_table}
    unknown = set(options.libraries) - set(tables)
    if unknown:
        parser.error(f"no tables for {', '.join(sorted(unknown))}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; * misses its target by wall and by CPU time", file=sys.stderr)
    results = {name: tables[name](options) for name in options.libraries or tables}
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
