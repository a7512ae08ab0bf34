"""Cases that change shapes and move values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import arrowjag as aj
from benchmarks.case import ALL, FLOATS, NUMBERS, Case, ak, db, flat, kd, pl, relist, untouched
from benchmarks.data import Data

ONE = ("float64",)


def columns(data: Data) -> pa.Array:
    """All first items, all second ones and so on, by numpy."""
    places = np.arange(data.n_values) - np.repeat(data.offsets[:-1], data.sizes)
    ends = np.concatenate([[0], np.cumsum(np.bincount(places))])
    return pa.LargeListArray.from_arrays(pa.array(ends), pa.array(flat(data)[np.argsort(places, kind="stable")]))


def _expanded(a: Any, w: Any, x: Any) -> Any:
    """Items of awkward repeated by rows; its `broadcast_arrays` refuses text."""
    if "string" not in str(x.type):
        return a.broadcast_arrays(w, x)[0]
    sizes = a.num(x)
    return a.unflatten(w[np.repeat(np.arange(len(w)), sizes)], sizes)


CASES = [
    Case(
        "in_and_out",
        lambda d: aj.from_arrow(d.x_arrow).to_arrow(),
        {"awkward": lambda d: __import__("awkward").to_arrow(__import__("awkward").from_arrow(d.x_arrow))},
        dtypes=ALL,
        touched=untouched,
    ),
    Case("from_offsets", lambda d: aj.from_offsets(d.x.values, d.offsets), dtypes=ALL, touched=untouched),
    Case("from_parents", lambda d: aj.from_parents(d.x.values, d.parents, len(d.sizes)), dtypes=ONE, touched=untouched),
    Case(
        "from_sizes",
        lambda d: aj.from_sizes(d.x.values, d.sizes),
        {"awkward": lambda d: __import__("awkward").unflatten(flat(d), d.sizes)},
        touched=untouched,
    ),
    Case("zeros", lambda d: aj.zeros(len(d.sizes), d.sizes).values, dtypes=ONE),
    Case("arange", lambda d: aj.arange(len(d.sizes), d.sizes), dtypes=ONE),
    Case("random", lambda d: aj.random(len(d.sizes), d.sizes, seed=1), dtypes=ONE),
    Case("repr", lambda d: repr(d.x), dtypes=ALL, touched=lambda d: 1000),
    Case(
        "flatten",
        lambda d: d.z.flatten(),
        {
            "awkward": ak(lambda a, z: a.flatten(z, axis=None), "z"),
            "polars": pl(
                lambda p: p.col("z").explode(empty_as_null=False, keep_nulls=False).explode(empty_as_null=False, keep_nulls=False),
                True,
            ),
            "koladata": kd(lambda k, z: z.flatten(), "z"),
        },
        {"pyarrow": lambda d: d.z_arrow.flatten().flatten()},
        dtypes=ALL,
        touched=untouched,
    ),
    Case(
        "flatten_inner",
        lambda d: d.z.flatten(1),
        {"awkward": ak(lambda a, z: a.flatten(z, axis=2), "z")},
        dtypes=ALL,
        touched=untouched,
    ),
    Case(
        "flatten_end",
        lambda d: d.z.flatten_end(),
        {"awkward": ak(lambda a, z: a.flatten(z, axis=2), "z"), "koladata": kd(lambda k, z: k.flatten_end(z), "z")},
        dtypes=ALL,
        touched=untouched,
    ),
    Case("reshape", lambda d: d.x.reshape(-1), dtypes=ALL, touched=untouched),
    Case(
        "reshape_as",
        lambda d: d.x.flatten().reshape_as(d.y),
        {
            "awkward": ak(lambda a, x, y: a.unflatten(a.flatten(x), a.num(y)), "x", "y"),
            "koladata": kd(lambda k, x, y: x.flatten().reshape_as(y), "x", "y"),
        },
        dtypes=ALL,
        touched=untouched,
    ),
    Case(
        "expand_to",
        lambda d: d.w.expand_to(d.x),
        {
            "awkward": ak(_expanded, "w", "x"),
            "koladata": kd(lambda k, w, x: w.expand_to(x), "w", "x"),
        },
        dtypes=ALL,
    ),
    Case(
        "unsqueeze", lambda d: d.x.unsqueeze(1), {"awkward": ak(lambda a, x: x[:, np.newaxis], "x")}, dtypes=ALL, touched=untouched
    ),
    Case(
        "squeeze",
        lambda d: d.x.unsqueeze(1).squeeze(1),
        {"awkward": ak(lambda a, x: x[:, np.newaxis][:, 0], "x")},
        dtypes=ALL,
        touched=untouched,
    ),
    Case(
        "expand",
        lambda d: d.w.unsqueeze(-1).expand(-1, d.length),
        {
            "awkward": lambda d: ak(lambda a, w: a.broadcast_arrays(w[:, np.newaxis], np.zeros((1, d.length)))[0], "w")(d),
            "koladata": lambda d: kd(lambda k, w: k.repeat(w, d.length), "w")(d),
            "numpy": lambda d: np.repeat(d.w.values.to_numpy(zero_copy_only=False), d.length).reshape(-1, d.length),
        },
        dtypes=NUMBERS,
    ),
    Case(
        "tile",
        lambda d: d.x.flatten()[: d.length].tile(d.w.shape),
        {
            "koladata": lambda d: kd(lambda k, x, w: k.tile(x.flatten().S[: d.length], w.get_shape()), "x", "w")(d),
            "numpy": lambda d: np.tile(d.x.values[: d.length].to_numpy(zero_copy_only=False), (len(d.sizes), 1)),
        },
        dtypes=NUMBERS,
    ),
    Case("transpose", lambda d: d.z.transpose(1, 2, shear="allow"), dtypes=ONE, at_most=2_000_000),
    Case("transpose_rows", lambda d: d.x.transpose(0, 1, shear="allow"), {"numpy": columns}, dtypes=ONE),
    Case("permute", lambda d: d.z.permute(0, 2, 1, shear="allow"), dtypes=ONE),
    Case("image", lambda d: d.x.image()[-1], dtypes=ONE),
    Case("set", lambda d: d.x.set(d.x.image(), d.y), dtypes=ONE),
    Case("overlay", lambda d: aj.overlay(d.x, d.x.image(), d.y).materialize(), dtypes=ONE),
    Case(
        "concat_rows",
        lambda d: aj.concat([d.x, d.y]),
        {
            "awkward": ak(lambda a, x, y: a.concatenate([x, y]), "x", "y"),
            "polars": lambda d: __import__("polars").concat([d.polars()["x"], d.polars()["y"]]).rechunk(),
        },
        dtypes=ALL,
    ),
    Case(
        "concat_items",
        lambda d: aj.concat([d.x, d.y], axis=1),
        {
            "awkward": ak(lambda a, x, y: a.concatenate([x, y], axis=1), "x", "y"),
            "polars": pl(lambda p: p.concat_list("x", "y")),
            "koladata": kd(lambda k, x, y: k.concat(x, y), "x", "y"),
            "duckdb": db("list_concat(x, y)"),
        },
        dtypes=NUMBERS,
    ),
    Case(
        "stack", lambda d: aj.stack([d.x, d.y], axis=-1), {"koladata": kd(lambda k, x, y: k.stack(x, y), "x", "y")}, dtypes=NUMBERS
    ),
    Case("repeat", lambda d: d.x.repeat(2), {"koladata": kd(lambda k, x: k.repeat(x, 2), "x")}, dtypes=NUMBERS),
    Case(
        "align",
        lambda d: aj.align(d.x, d.w)[1],
        {"awkward": ak(lambda a, x, w: a.broadcast_arrays(x, w)[1], "x", "w")},
        dtypes=NUMBERS,
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
        "row_slice",
        lambda d: d.x[10:-10],
        {"awkward": ak(lambda a, x: x[10:-10], "x"), "polars": lambda d: d.polars()["x"].slice(10, max(len(d.sizes) - 20, 0))},
        dtypes=ALL,
        touched=untouched,
    ),
    Case(
        "item_slice",
        lambda d: d.x[:, :3],
        {
            "awkward": ak(lambda a, x: x[:, :3], "x"),
            "polars": pl(lambda p: p.col("x").list.head(3)),
            "koladata": kd(lambda k, x: x.S[:3], "x"),
        },
        dtypes=ALL,
    ),
    Case("head", lambda d: d.x.head(3), {"polars": pl(lambda p: p.col("x").list.head(3)), "duckdb": db("x[:3]")}, dtypes=ALL),
    Case("tail", lambda d: d.x.tail(3), {"polars": pl(lambda p: p.col("x").list.tail(3))}, dtypes=ALL),
    Case("slice", lambda d: d.x.slice(1, 4), {"polars": pl(lambda p: p.col("x").list.slice(1, 4))}, dtypes=ALL),
    Case(
        "item_or_null",
        lambda d: d.x.S[2],
        {
            "polars": pl(lambda p: p.col("x").list.get(2, null_on_oob=True)),
            "koladata": kd(lambda k, x: x.S[2], "x"),
            "duckdb": db("x[3]"),
        },
        dtypes=ALL,
    ),
    Case(
        "take_items",
        lambda d: d.x.take(d.slots),
        {"awkward": ak(lambda a, x, s: x[s], "x", "slots"), "koladata": kd(lambda k, x, s: k.take(x, s), "x", "slots")},
        dtypes=NUMBERS,
    ),
    Case(
        "filter",
        lambda d: d.x[d.mask],
        {
            "awkward": ak(lambda a, x, m: x[m], "x", "mask"),
        },
        {"numpy": lambda d: flat(d)[d.mask.values.to_numpy(zero_copy_only=False)]},
        dtypes=ALL,
    ),
    Case(
        "filter_compare",
        lambda d: d.x[d.x > 0.5],
        {
            "awkward": ak(lambda a, x: x[x > 0.5], "x"),
            "polars": pl(lambda p: p.col("x").list.filter(p.element() > 0.5)),
            "koladata": kd(lambda k, x: k.select(x, x > 0.5), "x"),
            "duckdb": db("list_filter(x, lambda e: e > 0.5)"),
        },
        dtypes=FLOATS,
    ),
    Case(
        "keep_rows",
        lambda d: d.x[d.x.lengths() > 9],
        {
            "awkward": ak(lambda a, x: x[a.num(x) > 9], "x"),
            "polars": lambda d: d.polars().filter(__import__("polars").col("x").list.len() > 9)["x"],
        },
        dtypes=ALL,
    ),
    Case("pad", lambda d: d.x.pad(20), {"awkward": ak(lambda a, x: a.pad_none(x, 20), "x")}, dtypes=NUMBERS),
    Case("zip", lambda d: aj.zip(x=d.x, k=d.k).values, dtypes=ONE, touched=untouched),
    Case("field", lambda d: d.pair["x"], dtypes=ONE, touched=untouched),
    Case("with_fields", lambda d: d.pair.with_fields(y=d.y), dtypes=ONE, touched=untouched),
    Case("scatter", lambda d: aj.scatter(d.x, d.x.image(), d.y), dtypes=ONE),
    Case("validity", lambda d: d.x.validity(), dtypes=ONE, touched=untouched),
    Case("with_validity", lambda d: d.x.with_validity(-1, d.mask), dtypes=ONE),
    Case("fill_null_rows", lambda d: d.x.fill_null_rows(aj.array([0.0])), dtypes=ONE),
    Case(
        "reverse",
        lambda d: d.x.reverse(),
        {
            "awkward": ak(lambda a, x: x[:, ::-1], "x"),
            "polars": pl(lambda p: p.col("x").list.reverse()),
            "koladata": kd(lambda k, x: k.reverse(x), "x"),
            "duckdb": db("list_reverse(x)"),
        },
        {
            "pyarrow": lambda d: relist(
                d, pc.take(d.x.values, pa.array(np.repeat(d.offsets[:-1] + d.offsets[1:] - 1, d.sizes) - np.arange(d.n_values)))
            )
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
        dtypes=FLOATS,
        target=3,
    ),
    Case("from_dense", lambda d: aj.dense.from_dense(d.dense, d.sizes), dtypes=FLOATS),
    Case("dense_add", lambda d: aj.dense.add(d.x, d.dense), dtypes=FLOATS),
    Case("dense_mul", lambda d: aj.dense.mul(d.x, d.dense), dtypes=FLOATS),
    Case("dense_softmax", lambda d: aj.dense.softmax(d.x), dtypes=FLOATS),
]
