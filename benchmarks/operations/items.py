"""Items by key and by value, edits of rows, runs and windows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import arrowjag as aj
from benchmarks.case import Case, ak, db, each, pl, reduced
from benchmarks.data import Data

ONE = ("float64",)


def _both(a: Any, pairs: Any) -> Any:
    """Pairs of awkward as lists of two."""
    return a.concatenate([pairs["0"][..., None], pairs["1"][..., None]], axis=-1)


def _peaks(e: Any) -> Any:
    """Flags of the items of polars that are greater than both neighbours; peaks() gives positions of float32."""
    return ((e > e.shift(1)) & (e > e.shift(-1))).fill_null(False)


def _rows(data: Any, *names: str) -> list[tuple[np.ndarray, ...]]:
    """The rows of arrays as numpy arrays, one tuple per row."""
    arrays = [getattr(data, name).values.to_numpy(zero_copy_only=False) for name in names]
    return [tuple(one[a:b] for one in arrays) for a, b in pairwise(data.offsets.tolist())]


LONGEST_COPIED = 100_000
"""DuckDB's lambdas copy the row that they refer to for each item: a row of a million takes all memory."""


def _windows(data: Data) -> Any:
    """Windows of three by DuckDB."""
    if int(data.sizes.max(initial=0)) > LONGEST_COPIED:
        raise MemoryError(f"rows of more than {LONGEST_COPIED} items")
    return db("list_transform(range(1, greatest(len(x) - 1, 1)), lambda i: x[i:i + 2])")(data)


CASES = [
    Case(
        "topk_by",
        lambda d: d.x.topk(3, by=d.y),
        {"awkward": ak(lambda a, x, y: x[a.argsort(y, axis=1, ascending=False)][:, :3], "x", "y")},
        dtypes=ONE,
    ),
    Case(
        "bottomk",
        lambda d: d.x.bottomk(3),
        {
            "awkward": ak(lambda a, x: a.sort(x, axis=1)[:, :3], "x"),
            "polars": each(lambda e: e.sort(nulls_last=True).head(3)),
            "duckdb": db("list_sort(x, 'ASC', 'NULLS LAST')[:3]"),
        },
        dtypes=("float64", "int64"),
        target=2.5,
    ),
    Case("unique_by", lambda d: d.x.unique(by=d.k), dtypes=ONE),
    Case(
        "min_by",
        lambda d: d.x.min_by(d.y),
        {"awkward": ak(lambda a, x, y: a.firsts(x[a.argmin(y, axis=1, keepdims=True)]), "x", "y")},
        dtypes=ONE,
        touched=reduced,
    ),
    Case("max_by", lambda d: d.x.max_by(d.y), dtypes=ONE, touched=reduced),
    Case(
        "index_of",
        lambda d: d.k.index_of(3),
        {
            "duckdb": db("list_position(k, 3) - 1"),
            "polars": pl(lambda p: p.col("k").list.eval(p.element().index_of(3).cast(p.Int64)).list.first()),
        },
        dtypes=ONE,
        touched=reduced,
    ),
    Case(
        "argwhere",
        lambda d: d.mask.argwhere(),
        {
            "awkward": ak(lambda a, m: a.local_index(m, axis=1)[m], "mask"),
            "polars": pl(lambda p: p.col("mask").list.eval(p.element().arg_true().cast(p.Int64))),
        },
        dtypes=ONE,
    ),
    Case(
        "drop_nulls",
        lambda d: d.x.drop_nulls(),
        {"awkward": ak(lambda a, x: a.drop_none(x, axis=1), "x"), "polars": pl(lambda p: p.col("x").list.drop_nulls())},
    ),
    Case(
        "is_sorted",
        lambda d: d.order.is_sorted(),
        dtypes=ONE,
        touched=reduced,
    ),
    Case(
        "replace",
        lambda d: d.k.replace(3, 9),
        {"polars": pl(lambda p: p.col("k").list.eval(p.element().replace(3, 9)))},
        dtypes=ONE,
    ),
    Case(
        "replace_several",
        lambda d: d.k.replace({0: 7, 1: 6, 2: 5, 3: 4}),
        {"polars": pl(lambda p: p.col("k").list.eval(p.element().replace({0: 7, 1: 6, 2: 5, 3: 4})))},
        dtypes=ONE,
    ),
    Case(
        "remove",
        lambda d: d.k.remove(3),
        {
            "awkward": ak(lambda a, k: k[k != 3], "k"),
            "polars": pl(lambda p: p.col("k").list.filter(p.element() != 3)),
            "duckdb": db("list_filter(k, lambda v: v != 3)"),
        },
        dtypes=ONE,
    ),
    Case(
        "append",
        lambda d: d.x.append(d.w),
        {
            "awkward": ak(lambda a, x, w: a.concatenate([x, w[:, None]], axis=1), "x", "w"),
            "polars": pl(lambda p: p.concat_list("x", "w")),
            "duckdb": db("list_append(x, w)"),
        },
        dtypes=ONE,
    ),
    Case(
        "insert",
        lambda d: d.x.insert(1, d.w),
        {
            "awkward": ak(lambda a, x, w: a.concatenate([x[:, :1], w[:, None], x[:, 1:]], axis=1), "x", "w"),
            "polars": pl(lambda p: p.concat_list(p.col("x").list.head(1), "w", p.col("x").list.slice(1))),
            "duckdb": db("list_concat(list_append(x[:1], w), x[2:])"),
        },
        dtypes=ONE,
    ),
    Case(
        "splice",
        lambda d: d.x.splice(1, 2, d.y),
        {
            "awkward": ak(lambda a, x, y: a.concatenate([x[:, :1], y, x[:, 3:]], axis=1), "x", "y"),
            "polars": pl(lambda p: p.concat_list(p.col("x").list.head(1), "y", p.col("x").list.slice(3))),
            "duckdb": db("list_concat(list_concat(x[:1], y), x[4:])"),
        },
        dtypes=ONE,
    ),
    Case(
        "rotate",
        lambda d: d.x.rotate(1),
        {"awkward": ak(lambda a, x: a.concatenate([x[:, -1:], x[:, :-1]], axis=1), "x")},
        dtypes=ONE,
    ),
    Case(
        "rle",
        lambda d: d.k.rle()["length"],
        {"polars": pl(lambda p: p.col("k").list.eval(p.element().rle().struct.field("len").cast(p.Int64)))},
        dtypes=ONE,
    ),
    Case(
        "windows",
        lambda d: d.x.windows(3),
        {"duckdb": _windows},
        dtypes=ONE,
    ),
    Case("n_grams", lambda d: d.x.n_grams(2), dtypes=("string",)),
    Case("symmetric_difference", lambda d: d.k.symmetric_difference(d.slots), dtypes=ONE),
    Case(
        "argcombinations",
        lambda d: d.x.argcombinations(2),
        {"awkward": ak(lambda a, x: _both(a, a.argcombinations(x, 2)), "x")},
        dtypes=ONE,
        at_most=300_000,
    ),
    Case(
        "zip_padded",
        lambda d: aj.zip(a=d.x, b=d.k.head(8), pad=True),
        {"duckdb": db("list_zip(x, k[:8])")},
        dtypes=ONE,
    ),
    Case(
        "cartesian",
        lambda d: aj.cartesian(a=d.x, b=d.k)["b"],
        {"awkward": ak(lambda a, x, k: a.cartesian({"a": x, "b": k})["b"], "x", "k")},
        dtypes=ONE,
        at_most=300_000,
    ),
    Case(
        "argcartesian",
        lambda d: aj.argcartesian(d.x, d.k)["1"],
        {"awkward": ak(lambda a, x, k: a.argcartesian([x, k])["1"], "x", "k")},
        dtypes=ONE,
        at_most=300_000,
    ),
    Case(
        "flatten_keep_empty",
        lambda d: d.x.flatten(keep_empty=True),
        {"polars": lambda d: d.polars()["x"].list.explode(keep_nulls=True, empty_as_null=True)},
        dtypes=ONE,
    ),
    Case(
        "interp",
        lambda d: aj.interp(d.y, d.order, d.x),
        by_hand={"numpy per row": lambda d: [np.interp(*one) for one in _rows(d, "y", "order", "x")]},
        dtypes=ONE,
        at_most=1_000_000,
    ),
    Case(
        "asof",
        lambda d: aj.asof(d.y, d.order),
        by_hand={
            "numpy per row": lambda d: [
                o[np.maximum(o.searchsorted(y, "right") - 1, 0)] for y, o in _rows(d, "y", "order") if len(o)
            ]
        },
        dtypes=ONE,
        at_most=1_000_000,
    ),
    Case("resample", lambda d: aj.resample(d.x, d.y, 0.25), dtypes=ONE),
    Case(
        "lomb_scargle",
        lambda d: aj.lomb_scargle(d.order, d.y, np.linspace(0.1, 5, 20)),
        dtypes=ONE,
        at_most=1_000_000,
    ),
    Case("gaps", lambda d: d.x.gaps(), {"awkward": ak(lambda a, x: x[:, 1:] - x[:, :-1], "x")}, dtypes=ONE),
    Case("local_maxima", lambda d: d.x.local_maxima(), {"polars": each(_peaks)}, dtypes=ONE),
    Case(
        "fft_power",
        lambda d: d.x.fft_power(),
        by_hand={"numpy per row": lambda d: [abs(np.fft.rfft(one)) ** 2 for (one,) in _rows(d, "x") if len(one)]},
        dtypes=ONE,
        at_most=1_000_000,
    ),
]
