"""Compiled trees are cached by their calls and dtypes: the same plan gives the same result."""

from __future__ import annotations

import gc
import io
import weakref

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag._expressions import tree
from arrowjag._methods import METHODS
from arrowjag.polars import _tree, lowering
from arrowjag.polars._tree import Call, Input, Tree

c = pl.col


@pytest.fixture
def plans(monkeypatch):
    """The plans of one test."""
    known = {}
    monkeypatch.setattr(lowering, "_PLANS", known)
    return known


def frame():
    x = aj.array([[1.0, -2.0], [], None, [3.0, None]])
    return pl.DataFrame({"v": x.to_polars(), "u": (x * 2).to_polars(), "k": [1.0, 2.0, 3.0, 4.0]})


def key_of(expr):
    return Tree(expr._node).key


def test_equal_trees_share_a_plan(plans):
    df = frame()
    for name in ("v", "u"):
        got = df.select((c(name).jag * c("k")).jag.cumsum() + 1).to_series()
        array = aj.polars.from_series(df[name])
        assert got.to_list() == ((array * aj.array([1.0, 2.0, 3.0, 4.0])).cumsum() + 1).to_list()
        assert len(plans) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (lambda v: v / 0.0, lambda v: v / -0.0),
        (lambda v: v * 1, lambda v: v * True),
        (lambda v: v + 1, lambda v: v + 1.0),
        (lambda v: v.sum(axis=(1,)), lambda v: v.sum(axis=[1])),
        (lambda v: v[:, 0:2], lambda v: v[:, 1:2]),
        (lambda v: v + v, lambda v: v + (v + 0)),
        (lambda v: v.cast(pl.Float32), lambda v: v.cast(pl.Int64)),
        (np.sqrt, np.abs),
        (lambda v: v.fill_null(float("nan")), lambda v: v.fill_null(float("inf"))),
    ],
)
def test_other_constants_have_another_key(one, two):
    v = c("v").jag
    assert key_of(one(v)) == key_of(one(c("u").jag))
    assert key_of(one(v)) != key_of(two(v))


def test_a_positional_tuple_is_not_taken_for_a_keyword():
    x = Input(c("v"))
    named = Call("method", "f", (x,), {"axis": 1})
    assert Tree(named).key != Tree(Call("method", "f", (x, ("axis", 1)))).key


def test_a_node_used_twice_is_not_two_equal_nodes():
    v = c("v").jag
    shared = v * 2.0
    assert key_of(shared - shared) != key_of((v * 2.0) - (v * 2.0))
    df = frame()
    assert df.select(shared - shared)["v"].to_list() == df.select((v * 2.0) - (v * 2.0))["v"].to_list()


def test_trees_without_a_key_are_planned_each_time(plans):
    df = frame()
    for value in (np.float32(2), np.float32(3)):
        assert df.select(c("v").jag * value)["v"].to_list() == (df["v"].jag * value).to_list()
    assert df.select(c("v").jag.is_in(list(range(100))))["v"].to_list()[0] == [True, False]
    assert plans == {}


def test_plans_hold_no_data(plans):
    weights = aj.array([1.0, 2.0, 3.0, 4.0]).to_polars("w")
    held = weakref.ref(weights)
    expr = c("v").jag.cumsum() * weights
    frame().select(expr)
    assert len(plans) == 1
    del weights, expr
    gc.collect()
    assert held() is None


def test_the_oldest_plans_go(plans, monkeypatch):
    monkeypatch.setattr(lowering, "_MOST_PLANS", 3)
    df = frame()
    for number in range(10):
        df.select(c("v").jag * float(number))
    assert 0 < len(plans) <= 3


def test_plans_distinguish_dtypes(plans):
    for dtype in (pl.Float64, pl.Float32, pl.Int64):
        df = pl.DataFrame({"v": pl.Series([[1, 2], []], dtype=pl.List(dtype))})
        assert df.select(c("v").jag.max())["v"].dtype == dtype
    assert len(plans) == 3


def test_errors_name_the_column_of_the_tree_at_hand(plans):
    rows = aj.array([[2**62, 2**62]])
    for name in ("one", "two"):
        for function in (lambda v: v.sum(), lambda v: v.cumsum()):
            with pytest.raises(aj.JagOverflowError, match=f"^column '{name}': "):
                pl.DataFrame({name: rows.to_polars()}).select(function(c(name).jag))
    assert len(plans) == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v.cumsum(),
        lambda v: v * 2.0,
        lambda v: v.sum(),
        lambda v: v > 0.0,
        lambda v: aj.where(v > 0, v, c("u").jag),
        lambda v: v.count(axis=0),
    ],
)
def test_frames_that_were_written_down_are_planned_anew(plans, function):
    lazy = frame().lazy().select(r=function(c("v").jag))
    expected = lazy.collect()
    written = lazy.serialize()
    plans.clear()
    assert pl.LazyFrame.deserialize(io.BytesIO(written)).collect().equals(expected)


@pytest.mark.parametrize("name", METHODS)
def test_positional_arguments_are_bound_like_keywords(name, monkeypatch):
    """Positional arguments alone skip the signature; so do wrong ones not."""
    values = [c("k"), 1, "a", [1, 2]]
    for n in range(5):
        args = tuple(values[:n])
        got = recorded(name, args)
        with monkeypatch.context() as patched:
            patched.setattr(tree, "_positional", lambda name: None)
            assert recorded(name, args) == got


def recorded(name, args):
    """The kinds of recorded arguments, or the error."""
    try:
        made, named = _tree.record_arguments(name, args, {})
    except TypeError as error:
        return str(error)
    return [type(one) for one in made], {key: type(one) for key, one in named.items()}


@pytest.mark.parametrize("rows", [10, 100_000])
@pytest.mark.parametrize("outputs", [1, 2])
def test_rows_are_freed_without_the_garbage_collector(rows: int, outputs: int) -> None:
    frame = pl.DataFrame({"v": aj.array([[1.0, None], [], None])[np.arange(rows) % 3]})
    doubled = (pl.col("v").jag * 2 + 1).jag
    query = {"a": doubled.sum(), "b": doubled.max()}
    chosen = dict(list(query.items())[:outputs])
    frame.select(**chosen)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        frame.select(**chosen)
        gc.collect()
        assert [type(one) for one in gc.garbage if isinstance(one, (pl.Series, pl.DataFrame, aj.JaggedArray, pa.Array))] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("extension", [True, False])
def test_rows_whose_type_polars_loses_have_the_planned_one(extension: bool) -> None:
    """`reverse` of polars makes lists of nulls of a column whose rows are all null."""
    columns = {"v": [[1.5], None, None], "w": [[[True]], None, None], "t": [["a"], None, None]}
    types = {"v": pa.float32(), "w": pa.bool_(), "t": pa.large_string()}
    made = {name: aj.array(rows, type=types[name]).to_polars(name, extension=extension) for name, rows in columns.items()}
    frame = pl.DataFrame({**made, "k": [0, 1, 1]}).filter(c("k") == 1).lazy()
    v, w, t = (c(name).reverse() for name in "vwt")
    query = frame.select(
        std=v.jag.std(), total=v.jag.cumsum(), flags=~w.jag, text=t.jag.str.upper(), longest=v.jag.max(axis=0), all=w.jag.all()
    )
    found = query.collect(engine="in-memory")
    assert found.schema == query.collect_schema()
    assert found.rows()[0] == (None, None, None, None, [], None)
    reversed_ = frame.select(v, w, t, "k")
    for steps in (
        reversed_.jag.sort_items("v", "v"),
        reversed_.jag.flatten("v", keep_empty=True),
        reversed_.jag.nest("t", into="s"),
    ):
        names = [name for name in ("v", "s") if name in steps.collect_schema()]
        assert steps.select(names[-1]).collect(engine="in-memory").schema == steps.select(names[-1]).collect_schema()
