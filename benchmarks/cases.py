"""What is measured: one case an operation, ours and each rival's best way of saying it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import arrowjag as aj
from benchmarks.data import Data

Run = Callable[[Data], Any]
NUMBERS = ("float64", "float32", "int64", "int32")
ALL = (*NUMBERS, "bool", "string")


@dataclass(frozen=True)
class Case:
    """An operation: `ours` and rivals take prepared input and return a result, `by_hand` is numpy or pyarrow without a library."""

    name: str
    ours: Run
    rivals: dict[str, Run] = field(default_factory=dict)
    by_hand: dict[str, Run] = field(default_factory=dict)
    dtypes: tuple[str, ...] = NUMBERS
    target: float = 1.0
    touched: Callable[[Data], int] = lambda data: data.x_arrow.nbytes * 2
    ordered: bool = True


def ak(function: Callable[..., Any], *names: str) -> Run:
    """A call of awkward, its result packed."""

    def run(data: Data) -> Any:
        import awkward

        return awkward.to_packed(function(awkward, *(data.awkward(name) for name in names)))

    return run


def pl(expression: Callable[[Any], Any], groups: bool = False) -> Run:
    """A polars expression on the frame of x, y and w (or z and u)."""

    def run(data: Data) -> Any:
        import polars  # noqa: ICN001 - pl is this function

        frame = data.polars_groups() if groups else data.polars()
        return frame.select(r=expression(polars))["r"]

    return run


def kd(function: Callable[..., Any], *names: str) -> Run:
    """A call of Koda."""

    def run(data: Data) -> Any:
        from koladata import kd as koda

        return function(koda, *(data.koda(name) for name in names))

    return run


def _flat(data: Data) -> np.ndarray:
    return data.x_arrow.values.to_numpy(zero_copy_only=False) if data.nulls == "none" else data.x.values.to_numpy(False)


def _relist(data: Data, values: Any) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array(data.offsets), values)


def _parents(data: Data) -> Any:
    return np.repeat(np.arange(len(data.sizes), dtype=np.int32), data.sizes)


CASES: list[Case] = [
    Case(
        "in_and_out",
        lambda d: aj.from_arrow(d.x_arrow).to_arrow(),
        {"awkward": lambda d: __import__("awkward").to_arrow(__import__("awkward").from_arrow(d.x_arrow))},
        dtypes=ALL,
    ),
    Case(
        "list_plus_list",
        lambda d: d.x + d.y,
        {
            "awkward": ak(lambda a, x, y: x + y, "x", "y"),
            "polars": pl(lambda p: p.col("x") + p.col("y")),
            "koladata": kd(lambda k, x, y: x + y, "x", "y"),
        },
        {"pyarrow": lambda d: _relist(d, pc.add(d.x_arrow.values, d.y_arrow.values))},
        target=0.9,
    ),
    Case(
        "list_times_row",
        lambda d: d.x * d.w,
        {
            "awkward": ak(lambda a, x, w: x * w, "x", "w"),
            "polars": pl(lambda p: p.col("x") * p.col("w")),
            "koladata": kd(lambda k, x, w: x * w, "x", "w"),
        },
        {"pyarrow": lambda d: _relist(d, pc.multiply(d.x_arrow.values, pc.take(d.w_arrow, pa.array(_parents(d)))))},
        target=0.9,
    ),
    Case(
        "compare_row",
        lambda d: d.x > d.w,
        {
            "awkward": ak(lambda a, x, w: x > w, "x", "w"),
            "polars": pl(lambda p: (p.col("x") - p.col("w")).list.eval(p.element() > 0)),
        },
        target=1.7,
    ),
    Case(
        "ndim3_times_ndim2",
        lambda d: d.z * d.u,
        {"awkward": ak(lambda a, z, u: z * u, "z", "u")},
        target=2,
    ),
    Case(
        "sum",
        lambda d: d.x.sum(),
        {
            "awkward": ak(lambda a, x: a.sum(x, axis=1), "x"),
            "polars": pl(lambda p: p.col("x").list.sum()),
            "koladata": kd(lambda k, x: k.agg_sum(x), "x"),
        },
        {"numpy": lambda d: np.add.reduceat(_flat(d), d.offsets[:-1]) if d.n_values else None},
        target=0.9,
    ),
    Case(
        "max",
        lambda d: d.x.max(),
        {
            "awkward": ak(lambda a, x: a.max(x, axis=1), "x"),
            "polars": pl(lambda p: p.col("x").list.max()),
            "koladata": kd(lambda k, x: k.agg_max(x), "x"),
        },
        target=0.9,
    ),
    Case(
        "mean",
        lambda d: d.x.mean(),
        {
            "awkward": ak(lambda a, x: a.mean(x, axis=1), "x"),
            "polars": pl(lambda p: p.col("x").list.mean()),
            "koladata": kd(lambda k, x: k.math.agg_mean(x), "x"),
        },
        target=0.9,
    ),
    Case(
        "argmax",
        lambda d: d.x.argmax(),
        {
            "awkward": ak(lambda a, x: a.argmax(x, axis=1), "x"),
            "polars": pl(lambda p: p.col("x").list.arg_max()),
            "koladata": kd(lambda k, x: k.math.argmax(x), "x"),
        },
        target=0.2,
    ),
    Case(
        "std",
        lambda d: d.x.std(),
        {
            "awkward": ak(lambda a, x: a.std(x, axis=1, ddof=1), "x"),
            "polars": pl(lambda p: p.col("x").list.std()),
            "koladata": kd(lambda k, x: k.math.agg_std(x), "x"),
        },
        dtypes=("float64", "float32"),
        target=2,
    ),
    Case(
        "median",
        lambda d: d.x.median(),
        {"polars": pl(lambda p: p.col("x").list.median())},
        dtypes=("float64", "float32"),
        target=2,
    ),
    Case(
        "sum_axis_0",
        lambda d: d.x.sum(axis=0),
        {"awkward": ak(lambda a, x: a.sum(x, axis=0), "x")},
        target=2.5,
    ),
    Case(
        "filter",
        lambda d: d.x[d.mask],
        {
            "awkward": lambda d: __import__("awkward").to_packed(
                d.awkward("x")[d._kept("awkward", "mask", lambda _: d.awkward("x") > 0.5)]
            ),
            "polars": pl(lambda p: p.col("x").list.filter(p.element() > 0.5)),
            "koladata": kd(lambda k, x: k.select(x, x > 0.5), "x"),
        },
        dtypes=("float64", "float32"),
    ),
    Case(
        "flatten",
        lambda d: d.z.flatten(),
        {
            "awkward": ak(lambda a, z: a.flatten(z, axis=None), "z"),
            "polars": pl(
                lambda p: p.col("z").explode(empty_as_null=False, keep_nulls=False).explode(empty_as_null=False, keep_nulls=False),
                True,
            ),
        },
        dtypes=ALL,
    ),
    Case(
        "row_take",
        lambda d: d.x[d.rows],
        {
            "awkward": lambda d: __import__("awkward").to_packed(d.awkward("x")[d.rows]),
            "polars": lambda d: d.polars()["x"].gather(d.rows),
            "pyarrow": lambda d: d.x_arrow.take(pa.array(d.rows)),
        },
        dtypes=ALL,
        target=0.9,
    ),
    Case(
        "sort",
        lambda d: d.x.sort(),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1), "x"),
            "polars": pl(lambda p: p.col("x").list.eval(p.element().sort(nulls_last=True))),
            "koladata": kd(lambda k, x: k.sort(x), "x"),
        },
        target=2,
    ),
    Case(
        "argsort",
        lambda d: d.x.argsort(),
        {
            "awkward": ak(lambda a, x: a.argsort(x, axis=1, stable=True), "x"),
            "polars": pl(lambda p: p.col("x").list.eval(p.element().arg_sort(nulls_last=True))),
        },
        target=2,
    ),
    Case(
        "rank",
        lambda d: d.x.rank(method="dense"),
        {
            "polars": pl(lambda p: p.col("x").list.eval(p.element().rank("dense"))),
            "koladata": kd(lambda k, x: k.dense_rank(x) + 1, "x"),
        },
        target=2,
    ),
    Case(
        "topk",
        lambda d: d.x.topk(3),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1, ascending=False)[:, :3], "x"),
            "polars": pl(lambda p: p.col("x").list.eval(p.element().top_k(3).sort(descending=True))),
        },
        dtypes=("float64", "float32", "int64"),
        target=2.5,
    ),
    Case(
        "unique",
        lambda d: d.x.unique(),
        {
            "polars": pl(lambda p: p.col("x").list.unique(maintain_order=True)),
            "koladata": kd(lambda k, x: k.unique(x), "x"),
        },
        dtypes=ALL,
    ),
    Case(
        "cumsum",
        lambda d: d.x.cumsum(),
        {
            "polars": pl(lambda p: p.col("x").list.eval(p.element().cum_sum())),
            "koladata": kd(lambda k, x: k.math.cum_sum(x), "x"),
        },
        target=4,
    ),
    Case(
        "rolling_mean",
        lambda d: d.x.rolling(3).mean(),
        {"polars": pl(lambda p: p.col("x").list.eval(p.element().rolling_mean(3)))},
        dtypes=("float64", "float32"),
        target=4,
    ),
    Case(
        "group_by",
        lambda d: d.x.group_by(d.x),
        {"koladata": kd(lambda k, x: k.group_by(x), "x")},
        dtypes=("int64", "int32"),
    ),
    Case(
        "reverse",
        lambda d: d.x.reverse(),
        {
            "awkward": ak(lambda a, x: x[:, ::-1], "x"),
            "polars": pl(lambda p: p.col("x").list.reverse()),
            "koladata": kd(lambda k, x: k.reverse(x), "x"),
        },
        dtypes=ALL,
    ),
    Case(
        "to_dense",
        lambda d: d.x.to_dense((20,)),
        {
            "awkward": lambda d: __import__("awkward").to_numpy(
                __import__("awkward").fill_none(__import__("awkward").pad_none(d.awkward("x"), 20, clip=True), 0)
            )
        },
        dtypes=("float64", "float32"),
        target=3,
    ),
]
"""Each operation once; targets are for 5M float64 in 500k rows."""
