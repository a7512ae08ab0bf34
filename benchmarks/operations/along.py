"""Along rows: reductions and what gives one result an item."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.case import ALL, FLOATS, Case, ak, db, each, flat, joined, kd, pl, reduced, untouched

ONE = ("float64",)


def reduction(name, ours=None, awkward=None, polars=None, koda=None, duck=None, **options):  # type: ignore[no-untyped-def]
    """A reduction of each row."""
    rivals = {}
    if awkward:
        rivals["awkward"] = ak(awkward, "x")
    if polars:
        rivals["polars"] = pl(lambda p: polars(p.col("x").list))
    if koda:
        rivals["koladata"] = kd(koda, "x")
    if duck:
        rivals["duckdb"] = db(duck)
    return Case(name, ours or (lambda d: getattr(d.x, name)()), rivals, touched=reduced, **options)


def _counted(a: Any, x: Any) -> Any:
    """Valid items of awkward, whose `count` counts the bytes of text."""
    return a.sum(~a.is_none(x, axis=1), axis=1) if "string" in str(x.type) else a.count(x, axis=1)


REDUCTIONS = [
    reduction(
        "sum",
        None,
        lambda a, x: a.sum(x, axis=1),
        lambda x: x.sum(),
        lambda k, x: k.agg_sum(x),
        "list_sum(x)",
        by_hand={"numpy": lambda d: np.add.reduceat(flat(d), d.offsets[:-1][d.sizes > 0])},
        target=0.9,
    ),
    reduction("prod", None, lambda a, x: a.prod(x, axis=1), None, None, "list_product(x)", dtypes=FLOATS),
    reduction(
        "mean", None, lambda a, x: a.mean(x, axis=1), lambda x: x.mean(), lambda k, x: k.math.agg_mean(x), "list_avg(x)", target=0.9
    ),
    reduction("min", None, lambda a, x: a.min(x, axis=1), lambda x: x.min(), lambda k, x: k.agg_min(x), "list_min(x)", target=0.9),
    reduction(
        "max",
        None,
        lambda a, x: a.max(x, axis=1),
        lambda x: x.max(),
        lambda k, x: k.agg_max(x),
        "list_max(x)",
        by_hand={"numpy": lambda d: np.maximum.reduceat(flat(d), d.offsets[:-1][d.sizes > 0])},
        target=0.9,
    ),
    reduction("argmin", None, lambda a, x: a.argmin(x, axis=1), lambda x: x.arg_min(), lambda k, x: k.math.argmin(x), target=0.2),
    reduction("argmax", None, lambda a, x: a.argmax(x, axis=1), lambda x: x.arg_max(), lambda k, x: k.math.argmax(x), target=0.2),
    reduction("count", None, _counted, None, lambda k, x: k.agg_count(x), dtypes=ALL),
    reduction("lengths", None, lambda a, x: a.num(x, axis=1), lambda x: x.len(), lambda k, x: k.agg_size(x), "len(x)", dtypes=ALL),
    Case(
        "any",
        lambda d: d.mask.any(),
        {"awkward": ak(lambda a, m: a.any(m, axis=1), "mask"), "polars": pl(lambda p: p.col("mask").list.any())},
        dtypes=ONE,
        touched=reduced,
    ),
    Case(
        "all",
        lambda d: d.mask.all(),
        {"awkward": ak(lambda a, m: a.all(m, axis=1), "mask"), "polars": pl(lambda p: p.col("mask").list.all())},
        dtypes=ONE,
        touched=reduced,
    ),
    reduction(
        "var",
        None,
        lambda a, x: a.var(x, axis=1, ddof=1),
        lambda x: x.var(),
        lambda k, x: k.math.agg_var(x),
        "list_var_samp(x)",
        dtypes=FLOATS,
        target=2,
    ),
    reduction(
        "std",
        None,
        lambda a, x: a.std(x, axis=1, ddof=1),
        lambda x: x.std(),
        lambda k, x: k.math.agg_std(x),
        "list_stddev_samp(x)",
        dtypes=FLOATS,
        target=2,
    ),
    reduction("median", None, None, lambda x: x.median(), None, "list_median(x)", dtypes=FLOATS, target=2),
    reduction(
        "quantile",
        lambda d: d.x.quantile(0.3),
        None,
        None,
        None,
        "list_aggregate(x, 'quantile_cont', 0.3)",
        dtypes=FLOATS,
        target=2,
    ),
    reduction("first", None, lambda a, x: a.firsts(x), lambda x: x.first(), None, "x[1]", dtypes=ALL),
    reduction("last", None, None, lambda x: x.last(), None, "x[-1]", dtypes=ALL),
    reduction("n_unique", None, None, lambda x: x.n_unique(), None, "list_unique(x)", dtypes=ALL),
    Case("mode", lambda d: d.k.mode(), {"duckdb": db("list_mode(k)")}, dtypes=ONE, touched=reduced),
    Case("collapse", lambda d: d.k.collapse(), {"koladata": kd(lambda k, x: k.collapse(x), "k")}, dtypes=ONE, touched=reduced),
    Case("join", lambda d: d.x.join(","), {"polars": pl(lambda p: p.col("x").list.join(","))}, dtypes=("string",), touched=reduced),
    Case(
        "dot",
        lambda d: d.x.dot(d.y),
        {
            "awkward": ak(lambda a, x, y: a.sum(x * y, axis=1), "x", "y"),
            "polars": pl(lambda p: (p.col("x") * p.col("y")).list.sum()),
            "duckdb": db("list_inner_product(x, y)"),
        },
        touched=joined,
        dtypes=FLOATS,
    ),
    Case("sum_axis_0", lambda d: d.x.sum(axis=0), {"awkward": ak(lambda a, x: a.sum(x, axis=0), "x")}, target=2.5, touched=reduced),
    Case("max_axis_0", lambda d: d.x.max(axis=0), {"awkward": ak(lambda a, x: a.max(x, axis=0), "x")}, target=2.5, touched=reduced),
    Case(
        "sum_all",
        lambda d: d.x.sum(axis=None),
        {"awkward": ak(lambda a, x: a.sum(x), "x"), "polars": lambda d: d.polars()["x"].list.sum().sum()},
        {"numpy": lambda d: flat(d).sum()},
        touched=reduced,
    ),
    Case(
        "sum_inner_of_3",
        lambda d: d.z.sum(),
        {
            "awkward": ak(lambda a, z: a.sum(z, axis=2), "z"),
            "polars": pl(lambda p: p.col("z").list.eval(p.element().list.sum()), True),
        },
        target=0.9,
        touched=reduced,
    ),
    Case(
        "sum_both_of_3",
        lambda d: d.z.sum(axis=(1, 2)),
        {
            "awkward": ak(lambda a, z: a.sum(a.flatten(z, axis=2), axis=1), "z"),
            "polars": pl(lambda p: p.col("z").list.eval(p.element().list.sum()).list.sum(), True),
        },
        touched=reduced,
    ),
    Case("sum_middle_of_3", lambda d: d.z.sum(axis=1), {"awkward": ak(lambda a, z: a.sum(z, axis=1), "z")}, target=2.5),
]

SCANS = [
    Case(
        "cumsum",
        lambda d: d.x.cumsum(),
        {"polars": each(lambda e: e.cum_sum()), "koladata": kd(lambda k, x: k.math.cum_sum(x), "x")},
        target=4,
    ),
    Case("cumprod", lambda d: d.x.cumprod(), {"polars": each(lambda e: e.cum_prod())}, dtypes=FLOATS, target=4),
    Case(
        "cummin",
        lambda d: d.x.cummin(),
        {"polars": each(lambda e: e.cum_min()), "koladata": kd(lambda k, x: k.math.cum_min(x), "x")},
        target=4,
    ),
    Case(
        "cummax",
        lambda d: d.x.cummax(),
        {"polars": each(lambda e: e.cum_max()), "koladata": kd(lambda k, x: k.math.cum_max(x), "x")},
        target=4,
    ),
    Case(
        "cumcount",
        lambda d: d.x.cumcount(),
        {"polars": each(lambda e: e.cum_count()), "koladata": kd(lambda k, x: k.cum_count(x), "x")},
        dtypes=ALL,
        target=4,
    ),
    Case("diff", lambda d: d.x.diff(), {"polars": pl(lambda p: p.col("x").list.diff())}),
    Case("shift", lambda d: d.x.shift(), {"polars": pl(lambda p: p.col("x").list.shift())}, dtypes=ALL),
    *(
        Case(
            f"rolling_{name}",
            lambda d, name=f"rolling_{name}": getattr(d.x, name)(3),
            {"polars": each(lambda e, name=name: getattr(e, f"rolling_{name}")(3))},
            dtypes=FLOATS,
            target=4,
        )
        for name in ("sum", "mean", "min", "max")
    ),
    Case("rolling_count", lambda d: d.x.rolling_count(3), dtypes=FLOATS),
    Case("ffill", lambda d: d.x.ffill(), {"polars": each(lambda e: e.forward_fill())}),
    Case("bfill", lambda d: d.x.bfill(), {"polars": each(lambda e: e.backward_fill())}),
    Case(
        "softmax",
        lambda d: d.x.softmax(),
        {
            "awkward": ak(lambda a, x: a.softmax(x, axis=-1), "x"),
            "polars": each(lambda e: (e - e.max()).exp() / (e - e.max()).exp().sum()),
            "koladata": kd(lambda k, x: k.math.softmax(x), "x"),
        },
        dtypes=FLOATS,
    ),
    Case(
        "cdf",
        lambda d: d.x.cdf(),
        {"koladata": kd(lambda k, x: k.math.cdf(x), "x"), "polars": each(lambda e: e.rank("max") / e.len())},
        dtypes=FLOATS,
    ),
    Case("local_numbers", lambda d: d.x.shape[1].iota(), {}, touched=untouched, dtypes=ONE),
]

CASES = [*REDUCTIONS, *SCANS]
