"""Directly after `.jag`, a method works on items, or raises an error that names the call for whole lists."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import polars as pl
import pytest

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag._vocabulary.spellings import UFUNCS
from arrowjag.errors import JagAttributeError, JagTypeError
from arrowjag.polars import JagNamespace, JagSeries
from arrowjag.polars._names import ALIASES
from tests.polars.frames import arrays, assert_same, frame, results

X = arrays()
c = pl.col
OURS = {*METHODS, "dt", "str", "rolling", "S", "jag", "is_not_null", *ALIASES}
FACTS = {"array", "shape", "ndim", "size", "values", "type", "nbytes", "null_count", "plot", "equals", "fields"}
FACTS |= {"to_arrow", "to_dense", "to_list", "to_numpy", "to_pandas", "to_polars", "extension_type"}
PUBLIC = [name for name in dir(pl.Expr) if not name.startswith("_")]
PUBLIC_OF_SERIES = [name for name in dir(pl.Series) if not name.startswith("_")]


def test_accessors_tell_what_they_are_of_and_take_no_items():
    series = aj.array([[1]]).to_polars("v")
    with pytest.raises(JagTypeError, match=r"can't assign in place: write series = series\.jag\.set\(index, values\)"):
        series.jag[0] = [1]
    two = pl.DataFrame({"v": [[1]], "k": [2]})
    assert repr(two.jag) == "JagDataFrame of a DataFrame of 1 row and 2 columns"
    assert repr(two.lazy().jag) == "JagLazyFrame of a LazyFrame"
    for name in ("", None):
        assert pl.Series(name, aj.array([[1]])).name == ""


def test_every_name_of_an_expression_is_ours_or_raises():
    """Read from the installed polars, so that a name which a release adds can't slip in."""
    passed = {name for name in PUBLIC if hasattr(c("v").jag, name)}
    assert passed - OURS == {"alias", "over", "meta"}
    assert {name for name in PUBLIC if name in OURS} <= passed
    for name in passed & {*METHODS, *ALIASES}:
        assert getattr(JagNamespace, name) is not getattr(pl.Expr, name)


def test_every_name_of_a_series_is_ours_or_raises():
    passed = {name for name in PUBLIC_OF_SERIES if hasattr(frame()["v"].jag, name)}
    assert passed - OURS - FACTS == {"alias", "clone", "dtype", "name", "rename", "to_frame"}
    for name in passed & {*METHODS, *ALIASES}:
        assert getattr(JagSeries, name) is not getattr(pl.Series, name)


def test_a_result_has_the_names_of_polars():
    assert all(hasattr(c("v").jag.sum(), name) for name in PUBLIC)
    assert frame().select(c("v").jag.sum().product())["v"][0] == 3 * 3 * 0 * 4


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "product",
            r"write x\.prod\(\), where x is pl\.col\(\"v\"\)\.jag; polars' own.* is pl\.col\(\"v\"\)\.product without \.jag",
        ),
        ("interpolate", r"polars' own, which takes each list as one value, is pl\.col\(\"v\"\)\.interpolate without \.jag"),
        ("sums", "did you mean 'sum'"),
        ("xyzzy", "has no 'xyzzy'$"),
    ],
)
def test_errors_suggest_the_intended_call(name, said):
    with pytest.raises(JagAttributeError, match=said) as caught:
        getattr(c("v").jag, name)
    assert isinstance(caught.value, JagTypeError)
    assert isinstance(caught.value, AttributeError)
    assert caught.value.name == name
    with pytest.raises(JagAttributeError, match=said.replace(r"pl\.col\(\"v\"\)", "series")):
        getattr(frame()["v"].jag, name)


@pytest.mark.parametrize("ufunc", UFUNCS.values())
def test_recommended_ufuncs_take_expressions(ufunc):
    assert frame().select(getattr(np, ufunc)(c("f").jag)).height == 5


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_calls_the_method_that_it_names(name):
    arguments = {"gather": ([0], -1, "null"), "top_k": (2,)}.get(name, ())
    if name == "gather":
        arguments = (0, -1, "null")
    ours = ALIASES[name]
    expected = getattr(X["v"], ours)(*arguments)
    for got in results(frame(), getattr(c("v").jag, name)(*arguments)):
        assert_same(got, expected)
    assert_same(getattr(frame()["v"].jag, name)(*arguments), expected)


@pytest.mark.parametrize("axis", [-1, 0])
def test_is_not_null(axis):
    expected = ~X["v"].is_null(axis)
    for got in results(frame(), c("v").jag.is_not_null(axis)):
        assert_same(got, expected)
    assert_same(frame()["v"].jag.is_not_null(axis), expected)


@pytest.mark.parametrize(
    ("name", "keywords", "said"),
    [
        ("gather", {"index": 0, "null_on_oob": True}, "take: .*'null_on_oob' .use out_of_bounds='null'.; the parameters"),
        ("get", {"key": 0, "null_on_oob": True}, "get: .*'null_on_oob' .not needed: out of range gives default.; the parameters"),
        ("first", {"null_on_oob": True}, "first: got an unexpected keyword argument 'null_on_oob'; the parameters"),
        ("sort", {"nulls_last": True}, "sort: .*'nulls_last' .not needed: nulls are last"),
        ("shift", {"fill_value": 0}, "shift: .*'fill_value' .use fill.; the parameters are n, fill, axis"),
        ("is_nan", {"foo": 1}, "is_nan: got an unexpected keyword argument 'foo'; the parameters are none"),
    ],
)
def test_keywords_of_polars_are_refused_with_ours(name, keywords, said):
    for surface in (c("v").jag, frame()["v"].jag):
        with pytest.raises(JagTypeError, match=said):
            getattr(surface, name)(**keywords)


@pytest.mark.parametrize("name", ["to_dense", "shape", "values"])
def test_names_that_arrays_alone_have_name_the_array(name: str) -> None:
    with pytest.raises(JagAttributeError, match=rf"^\.jag has no '{name}'; arrays have it: aj\.array\(frame\[\.\.\.\]\)\.{name}$"):
        getattr(pl.col("v").jag, name)


def test_alias_over_and_meta_are_polars_own():
    df = frame()
    assert df.select(c("v").jag.alias("w")).columns == ["w"]
    assert df.select(c("k").jag.over("g"))["k"].to_list() == df["k"].to_list()
    assert c("v").jag.meta.output_name() == "v"


def test_dir_lists_all_names():
    for surface in (c("v").jag, frame()["v"].jag):
        names = [name for name in dir(surface) if not name.startswith("_")]
        assert {"sum", "lengths", "len", "alias"} <= set(names)
        assert "product" not in names
        assert all(hasattr(surface, name) for name in names if name not in ("fields", "to_dense"))


PASSED = {
    "select": lambda df, v: df.select(v),
    "keyword": lambda df, v: df.with_columns(v=v),
    "filter": lambda df, v: df.filter(c("g") == "a", v > c("k") - 1),
    "sort": lambda df, v: df.sort(v),
    "group_by": lambda df, v: df.group_by(v, maintain_order=True).agg(pl.len()),
    "agg": lambda df, v: df.group_by("g", maintain_order=True).agg(v),
    "struct": lambda df, v: df.select(pl.struct(v, "g")),
    "when": lambda df, v: df.select(pl.when(c("g") == "a").then(v).otherwise(v)),
    "coalesce": lambda df, v: df.select(pl.coalesce(v, v)),
    "concat_list": lambda df, v: df.select(pl.concat_list(v, v)),
    "is_in": lambda df, v: df.select(c("k").is_in([1]) & c("k").is_not_null() & (v.over("g") >= 0)),
    "partition": lambda df, v: df.select(c("k").sum().over(v)),
    "by": lambda df, v: df.select(c("k").sort_by(v)),
    "map_batches": lambda df, v: df.select(pl.map_batches([v], lambda series: series[0], return_dtype=pl.Int64)),
}


@pytest.mark.parametrize("name", PASSED)
def test_polars_takes_it_for_the_column(name):
    """polars reads the expression behind it, and none of the names that we refuse."""
    df = frame()
    got = PASSED[name](df, c("k").jag)
    expected = PASSED[name](df, c("k"))
    assert got.to_dict(as_series=False).keys() == expected.to_dict(as_series=False).keys()
    if name != "is_in":
        assert got.equals(expected)


def test_a_series_with_jag_is_the_series():
    v = frame()["v"]
    assert pl.DataFrame({"v": v.jag}).equals(v.to_frame())
    assert pl.Series("w", v.jag).equals(v)
    assert len(v.jag) == 5
    assert [list(row) for row in v.jag if row is not None] == [[1, 2], [3], [], [4, None]]
    assert v.jag.name == "v"
    assert 30 in frame()["k"].jag


def test_copies_and_pickles():
    made = c("v").jag
    for one in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert_same(frame().select(one.sum())["v"], X["v"].sum())
    s = frame()["v"].jag
    for one in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
        assert_same(one.sum(), X["v"].sum())


def test_hosts_ask_for_attributes():
    assert not hasattr(c("v").jag, "__array__")
    assert not hasattr(c("v").jag, "shape")
    assert isinstance(aj.JagAttributeError("no", name="x"), AttributeError)


def test_a_result_has_the_name_of_its_column_where_a_number_comes_first():
    df = pl.DataFrame({"v": [[1.0, 2.0]]})
    for expression in (2 * c("v").jag, 1 - c("v").jag, 1 / c("v").jag, 2 + c("v").jag, (1 - c("v").jag).jag.sum()):
        assert df.select(expression).columns == ["v"]
    assert df.select(1 - c("v").jag)["v"].to_list() == [[0.0, -1.0]]


def test_columns_named_like_a_pattern():
    """polars reads `*` and `^...$` as patterns of names."""
    df = pl.DataFrame({"^z$": [[3, 1], [2]], "*": [[1, 2], [3]], "v": [[5.0, 6.0], [7.0]]})
    got = df.lazy().jag.sort_items("^z$", "^z$", "*").collect()
    assert got.to_dict(as_series=False) == {"^z$": [[1, 3], [2]], "*": [[2, 1], [3]], "v": [[5.0, 6.0], [7.0]]}
    assert df.jag.topk(1, "*", "^z$")["^z$"].to_list() == [[1], [2]]
    assert df.jag.describe("^z$").columns == ["statistic", "^z$"]
    assert df.jag.flatten("^z$", "*").rows() == [(3, 1, [5.0, 6.0]), (1, 2, [5.0, 6.0]), (2, 3, [7.0])]
    assert set(df.jag.nest("v", into="s").columns) == {"s", "^z$", "*"}
