"""Methods that keep a part of each group cost one call for all groups, with the results of one call per group."""

from __future__ import annotations

import polars as pl
import pytest

import arrowjag as aj
from arrowjag.polars._groups import covering
from tests.polars.frames import frame

c = pl.col
BIG = c("k") > 15
GROUPS = [0, 2, 4], [1, 3]


PARTS = {
    "filter": lambda v: v.filter(BIG),
    "filter of nothing": lambda v: v.filter(c("k") > 1000),
    "head": lambda v: v.head(2),
    "tail": lambda v: v.tail(1),
    "slice": lambda v: v.slice(1, 1),
    "both": lambda v: v.filter(BIG).head(1),
    "named": lambda v: v.filter(BIG).alias("w"),
    "reversed": lambda v: v.filter(BIG).reverse(),
    "sorted before": lambda v: v.sort_by("k").filter(BIG),
    "storage": lambda v: v.ext.storage().filter(BIG),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("column", ["v", "w", "f"])
def test_one_call_for_all_groups(name, column, calls):
    df = frame()
    expr = PARTS[name](c(column)).jag.sort().jag.cumcount()
    for engine in ("in-memory", "streaming"):
        calls.clear()
        out = df.lazy().group_by("g", maintain_order=True).agg(r=expr).collect(engine=engine)
        assert len(calls) == 1
        for rows, got in zip(GROUPS, out["r"], strict=True):
            assert got.to_list() == df[rows].select(r=expr)["r"].to_list()


def test_operands_that_are_filtered_alike(calls):
    df = frame()
    expr = c("v").filter(BIG).jag + c("k").filter(BIG)
    out = df.group_by("g", maintain_order=True).agg(r=expr.jag.cumsum())
    assert len(calls) == 1
    for rows, got in zip(GROUPS, out["r"], strict=True):
        assert got.to_list() == df[rows].select(r=expr.jag.cumsum())["r"].to_list()


def test_over(calls):
    n = 60
    df = pl.DataFrame({"g": [i % 20 for i in range(n)], "v": aj.array([[i, 1] for i in range(n)]).to_polars()})
    got = df.select(r=c("v").head(1).jag.sort().jag.first().sum().over("g"))
    assert len(calls) == 1
    assert got["r"].to_list() == [min(i % 20, 1) for i in range(n)]


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v,
        lambda v: v.filter(BIG).first(),
        lambda v: v.filter(BIG).len(),
        lambda v: v.filter(BIG).sum() + 1,
        lambda v: v.filter(BIG).sum().alias("w"),
        lambda v: v.gather([0]),
        lambda v: v.alias("w"),
        lambda v: pl.when(BIG).then(v),
    ],
)
def test_constants_and_full_groups_are_unchanged(function):
    expr = function(c("k"))
    assert covering(expr) is expr


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v.alias("w"),
        lambda v: v.reverse(),
        lambda v: v.shift(1),
        lambda v: v.sort(),
        lambda v: v.sort_by(c("g").filter(BIG)),
        lambda v: v.cast(pl.Int8),
        lambda v: v.cast(pl.Int8, strict=False),
        lambda v: v + 1,
    ],
)
def test_calls_that_keep_the_rows_of_a_part(function):
    expr = function(c("k").filter(BIG))
    assert covering(expr) is not expr
    assert frame().select(covering(expr)).equals(frame().select(expr))


def test_names_that_look_like_calls():
    df = pl.DataFrame({"a).filter(b": [1, 2], "g": [1, 1]})
    expr = c("a).filter(b").sum()
    assert covering(expr) is expr
    assert df.group_by("g").agg(c("a).filter(b").sum().jag * 2)["a).filter(b"].to_list() == [6]


def test_aggregates_of_parts_stay_values():
    df = frame()
    out = df.group_by("g", maintain_order=True).agg(r=(c("v").jag * c("k").filter(BIG).first()).jag.sum())
    for rows, got in zip(GROUPS, out["r"], strict=True):
        part = df[rows]
        assert got.to_list() == part.select(r=(c("v").jag * c("k").filter(BIG).first()).jag.sum())["r"].to_list()


def test_buffers_are_shared():
    df = frame()
    moved = df.select(c("v").shift(0))["v"]
    assert moved.n_chunks() == 1
    assert moved.to_arrow().storage.values.buffers()[1].address == df["v"].to_arrow().storage.values.buffers()[1].address
