"""`.jag` on Series, and the free functions on Series and expressions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.polars import Jagged
from tests.polars.frames import arrays, assert_same, chunked, frame, results

X = arrays()
DF = frame()


def test_facts():
    s = DF["w"].jag
    x = X["w"]
    assert (s.shape, s.ndim, s.size, s.type, s.null_count) == (x.shape, 3, x.size, x.type, 1)
    assert s.values.equals(x.values)
    assert s.nbytes == x.nbytes


@pytest.mark.parametrize("df", [DF, chunked(DF)], ids=["one chunk", "chunks"])
def test_operators_on_either_side(df):
    assert_same(df["v"].jag * df["k"], X["v"] * X["k"])
    assert_same(df["k"] * df["v"].jag, X["k"] * X["v"])
    assert_same(2 - df["v"].jag, 2 - X["v"])
    assert_same(df["w"].jag > df["v"], X["w"] > X["v"])
    assert_same(df["v"] == df["k"].jag, X["v"] == X["k"])
    assert_same(-df["f"].jag, -X["f"])
    assert_same(np.sqrt(df["v"].jag), np.sqrt(X["v"]))
    assert_same(df["v"].jag + X["v"], X["v"] + X["v"])
    assert_same(df["v"].jag * pl.Series([2]), X["v"] * 2)


def test_names_and_kinds():
    assert (DF["k"] * DF["v"].jag).name == "k"
    lists = frame(extension=False)
    assert (lists["v"].jag * 2).dtype == pl.List(pl.Int64)
    assert (lists["v"].jag * DF["v"]).dtype == Jagged(pl.Int64, 2)
    assert DF["v"].jag.sum().dtype == pl.Int64


def test_rows_may_move():
    assert_same(DF["w"].jag.flatten(), X["w"].flatten())
    assert_same(DF["v"].jag[1:], X["v"][1:])
    assert_same(DF["v"].jag[DF["v"].jag > 1], X["v"][X["v"] > 1])
    assert_same(DF["v"].jag.S[0], X["v"].S[0])
    assert_same(DF["v"].jag.sum(axis=0), X["v"].sum(axis=0))


def test_results_without_dims_are_python_values():
    assert DF["v"].jag.sum(axis=None) == 10
    assert DF["v"].jag[0, 1] == 2


def test_a_series_with_an_expression_gives_an_expression():
    expr = DF["v"].jag * pl.col("k")
    assert isinstance(expr, pl.Expr)
    for got in results(DF, expr):
        assert_same(got, X["v"] * X["k"])


def test_errors_name_the_series():
    with pytest.raises(ShapeError, match="column 'v': add"):
        DF["v"].jag + DF["w"].jag.flatten(1)
    with pytest.raises(ShapeError, match=r"^add"):
        X["v"].to_polars().jag + DF["w"].jag.flatten(1)
    with pytest.raises(JagTypeError, match=r"add\.reduce"):
        np.add.reduce(DF["v"].jag)


def test_the_namespace_is_the_series_itself():
    assert isinstance(DF["v"].jag, pl.Series)
    assert DF["v"].jag.jag.to_list() == DF["v"].to_list()
    assert pl.DataFrame({"v": DF["v"].jag}).equals(DF.select("v"))


@pytest.mark.skipif(not hasattr(aj, "where"), reason="the free functions are not exported")
def test_free_functions_return_the_kind_of_their_operands():
    v, f, k = DF["v"], DF["f"], DF["k"]
    assert_same(aj.where(k > 15, v, 0), aj.where(X["k"] > 15, X["v"], 0))
    assert_same(aj.coalesce(v, k), aj.coalesce(X["v"], X["k"]))
    assert_same(aj.zip(a=v, b=f), aj.zip(a=X["v"], b=X["f"]))
    assert_same(aj.concat([v, v]), aj.concat([X["v"], X["v"]]))
    c = pl.col
    for got in results(DF, aj.where(c("k") > 15, c("v"), 0)):
        assert_same(got, aj.where(X["k"] > 15, X["v"], 0))
    for got in results(DF, aj.concat([c("v"), c("v")], axis=1)):
        assert_same(got, aj.concat([X["v"], X["v"]], axis=1))
    one, two = aj.align(c("k"), c("w"))
    for got in results(DF, one * two):
        assert_same(got, X["k"] * X["w"])
    with pytest.raises(JagTypeError, match="concat changes the rows"):
        DF.select(aj.concat([c("v"), c("v")]))


def test_concat_takes_lists_of_arrays_beside_columns():
    v, a = X["v"], X["v"] + 1
    wanted = v.concat(a, a, axis=1)
    assert_same(DF["v"].jag.concat([a, a.to_polars()], axis=1), wanted)
    for several in ([a, a], (a, a.to_polars()), [a.to_arrow(), a]):
        for got in results(DF, pl.col("v").jag.concat(several, axis=1)):
            assert_same(got, wanted)
    for mixed in (pl.col("v").jag.concat([pl.col("v"), a], axis=1), aj.concat([pl.col("v"), pl.col("v"), a], axis=1)):
        for got in results(DF, mixed):
            assert_same(got, v.concat(v, a, axis=1))
