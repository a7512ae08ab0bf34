"""Order, equal items, and pairs of items inside rows."""

from __future__ import annotations

from typing import Any

import arrowjag as aj
from benchmarks.case import ALL, NUMBERS, Case, ak, db, each, kd, pl

ONE = ("float64",)
INTS = ("int64", "int32")


def _both(a: Any, pairs: Any) -> Any:
    """Pairs of awkward as lists of two."""
    return a.concatenate([pairs["0"][..., None], pairs["1"][..., None]], axis=-1)


def _duck_sorted(column: str) -> str:
    return f"list_sort({column}, 'ASC', 'NULLS LAST')"


CASES = [
    Case("fold", lambda d: d.x.fold(lambda state, item: state + item, 0.0), dtypes=("float64",), at_most=100_000),
    Case("scan", lambda d: d.x.scan(lambda state, item: state + item, 0.0), dtypes=("float64",), at_most=100_000),
    Case("map_items", lambda d: d.x.map_items(lambda item: item * 2), dtypes=("float64",), at_most=100_000),
    Case(
        "sort",
        lambda d: d.x.sort(),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1), "x"),
            "polars": each(lambda e: e.sort(nulls_last=True)),
            "koladata": kd(lambda k, x: k.sort(x), "x"),
            "duckdb": db(_duck_sorted("x")),
        },
        dtypes=ALL,
        target=2,
    ),
    Case(
        "sort_descending",
        lambda d: d.x.sort(descending=True),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1, ascending=False), "x"),
            "polars": each(lambda e: e.sort(descending=True, nulls_last=True)),
        },
        target=2,
    ),
    Case("sort_by", lambda d: d.x.sort(by=d.k), {"koladata": kd(lambda k, x, y: k.sort(x, y), "x", "k")}, target=2),
    Case(
        "argsort",
        lambda d: d.x.argsort(),
        {"awkward": ak(lambda a, x: a.argsort(x, axis=1, stable=True), "x"), "polars": each(lambda e: e.arg_sort(nulls_last=True))},
        target=2,
    ),
    *(
        Case(
            f"rank_{method}",
            lambda d, method=method: d.x.rank(method=method),
            {"polars": each(lambda e, method=method: e.rank(method))}
            | ({"koladata": kd(lambda k, x: k.dense_rank(x) + 1, "x")} if method == "dense" else {}),
            target=2,
        )
        for method in ("ordinal", "dense", "min", "max", "average")
    ),
    Case(
        "rank_dense_of_few",
        lambda d: d.k.rank(method="dense"),
        {
            "polars": pl(lambda p: p.col("k").list.eval(p.element().rank("dense"))),
            "koladata": kd(lambda k, x: k.dense_rank(x) + 1, "k"),
        },
        dtypes=ONE,
        target=2,
    ),
    Case(
        "topk",
        lambda d: d.x.topk(3),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1, ascending=False)[:, :3], "x"),
            "polars": each(lambda e: e.sort(descending=True, nulls_last=True).head(3)),
            "duckdb": db("list_sort(x, 'DESC', 'NULLS LAST')[:3]"),
        },
        dtypes=("float64", "float32", "int64"),
        target=2.5,
    ),
    Case(
        "inverse_permutation",
        lambda d: d.slots.inverse_permutation(),
        {"koladata": kd(lambda k, x: k.inverse_mapping(x), "slots")},
        dtypes=ONE,
    ),
    Case("searchsorted", lambda d: d.order.searchsorted(d.y), dtypes=ONE),
    Case("shuffle", lambda d: d.x.shuffle(seed=1), {}),
    Case("sample", lambda d: d.x.sample(n=2, seed=1), {}),
    Case(
        "unique",
        lambda d: d.x.unique(),
        {"polars": pl(lambda p: p.col("x").list.unique(maintain_order=True)), "koladata": kd(lambda k, x: k.unique(x), "x")},
        dtypes=ALL,
    ),
    Case(
        "unique_of_few",
        lambda d: d.k.unique(),
        {"polars": pl(lambda p: p.col("k").list.unique(maintain_order=True)), "koladata": kd(lambda k, x: k.unique(x), "k")},
        dtypes=ONE,
    ),
    Case("value_counts", lambda d: d.k.value_counts(), {}, dtypes=ONE),
    Case("value_counts_of_text", lambda d: d.x.value_counts(), {}, dtypes=("string",)),
    Case(
        "intersection_of_text",
        lambda d: d.x.intersection(d.y),
        {"polars": pl(lambda p: p.col("x").list.set_intersection("y"))},
        dtypes=("string",),
    ),
    Case("group_by", lambda d: d.x.group_by(d.k), {"koladata": kd(lambda k, x, y: k.group_by(x, y), "x", "k")}),
    Case(
        "group_by_indices",
        lambda d: d.k.group_by_indices(d.k),
        {"koladata": kd(lambda k, x: k.group_by_indices(x), "k")},
        dtypes=ONE,
    ),
    Case("union", lambda d: d.k.union(d.slots), dtypes=ONE),
    Case(
        "intersection",
        lambda d: d.k.intersection(d.slots),
        {
            "polars": lambda d: (
                d.polars()
                .with_columns(s=__import__("polars").Series(d.slots_arrow))
                .select(r=__import__("polars").col("k").list.set_intersection("s"))["r"]
            )
        },
        dtypes=ONE,
    ),
    Case("difference", lambda d: d.k.difference(d.slots), dtypes=ONE),
    Case("translate", lambda d: d.k.translate(d.slots, d.order), dtypes=ONE),
    Case(
        "combinations",
        lambda d: d.x.combinations(2),
        {"awkward": ak(lambda a, x: _both(a, a.combinations(x, 2)), "x")},
        dtypes=NUMBERS,
        at_most=300_000,
    ),
    Case(
        "pairs",
        lambda d: d.x.pairs(d.y),
        {"awkward": ak(lambda a, x, y: _both(a, a.cartesian([x, y])), "x", "y")},
        dtypes=NUMBERS,
        at_most=300_000,
    ),
    Case(
        "map_rows",
        lambda d: d.x.map_rows(sum, aj.array([0.5]).type),
        {"polars": pl(lambda p: p.col("x").map_elements(lambda row: float(sum(row)), return_dtype=p.Float64))},
        dtypes=ONE,
        at_most=300_000,
    ),
]
