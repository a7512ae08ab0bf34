"""Calls and the rows of the frame: aggregates in select, agg and over; whole columns; and refused calls."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.polars import Jagged, from_series
from tests.polars.frames import ROWS, arrays, assert_same, chunked, frame, results

X = arrays()
c = pl.col
AGGREGATES = ["sum", "count", "min", "max", "mean", "first", "last", "lengths"]


def group(name: str, key: str) -> aj.JaggedArray:
    """The rows of one group, as an array of their own."""
    rows, type, ndim = ROWS[name]
    return aj.array([row for row, one in zip(rows, ROWS["g"][0], strict=True) if one == key], type=type, ndim=ndim)


def row_of(value: object) -> aj.JaggedArray:
    """The result of an aggregate, as the one row that polars makes of it."""
    if isinstance(value, aj.JaggedArray):
        return aj.array([value.to_list()], type=value.type, ndim=value.ndim + 1)
    return aj.array([value.as_py()], type=value.type)


@pytest.mark.parametrize("name", AGGREGATES)
@pytest.mark.parametrize("column", ["k", "v", "w"])
@pytest.mark.parametrize("axis", [0, None, "negative"])
@pytest.mark.parametrize("extension", [True, False])
def test_aggregates_in_select(name, column, axis, extension):
    axis = -X[column].ndim if axis == "negative" else axis
    expected = row_of(getattr(X[column], name)(axis=axis))
    for df in (frame(extension), chunked(frame(extension))):
        for got in results(df, getattr(c(column).jag, name)(axis=axis)):
            assert_same(got, expected)


@pytest.mark.parametrize("name", AGGREGATES)
@pytest.mark.parametrize("column", ["k", "v", "w"])
@pytest.mark.parametrize("axis", [0, None])
@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_aggregates_of_groups(name, column, axis, engine):
    expr = getattr(c(column).jag, name)(axis=axis).alias("x")
    grouped = frame().lazy().group_by("g", maintain_order=True).agg(expr)
    out = grouped.collect(engine=engine)
    assert grouped.collect_schema() == out.schema
    for place, key in enumerate("ab"):
        assert_same(out["x"].slice(place, 1), row_of(getattr(group(column, key), name)(axis=axis)))
    spread = frame().lazy().select(expr.over("g")).collect(engine=engine)["x"]
    assert spread.to_list() == [out["x"].to_list()["ab".index(key)] for key in ROWS["g"][0]]


@pytest.mark.parametrize("leaf", [pa.bool8(), pa.json_(), pa.opaque(pa.int8(), "name", "vendor")], ids=str)
def test_aggregates_keep_the_extension_type_of_the_leaves(leaf):
    values = ["3", None, "1"] if leaf == pa.json_() else [1, None, 0]
    flat = aj.array(pa.ExtensionArray.from_storage(leaf, pa.array(values, leaf.storage_type)))
    nested = aj.JaggedArray(aj.JaggedShape(2, [2, 1]), flat.values)
    for column, expr in ((flat, c("x").jag.min(axis=0)), (flat, c("x").jag.get(-1)), (nested, c("x").jag.min().jag.min(axis=0))):
        df = column.to_polars("x").to_frame()
        smallest = aj.array(pa.ExtensionArray.from_storage(leaf, pa.array(values[2:], leaf.storage_type)))
        for got in (*results(df, expr), df.group_by(pl.lit(1)).agg(expr.alias("x"))["x"]):
            assert_same(got, smallest)


def test_aggregates_of_computed_columns_and_of_several_axes():
    for got in results(frame(), (c("v").jag * c("k")).jag.sum(axis=0)):
        assert_same(got, row_of((X["v"] * X["k"]).sum(axis=0)))
    for got in results(frame(), c("w").jag.max(axis=(0, 1, 2))):
        assert_same(got, row_of(X["w"].max(axis=None)))
    for options in ({"skip_nulls": False}, {"min_count": 3}):
        for got in results(frame(), c("v").jag.sum(axis=0, **options)):
            assert_same(got, row_of(X["v"].sum(axis=0, **options)))


WINDOWS = {
    "sum of columns": lambda v, k: (v + k).jag.sum(axis=0) if isinstance(k, pl.Expr) else (v + k).sum(axis=0),
    "lengths": lambda v, k: v.lengths(axis=0),
}


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("name", WINDOWS)
def test_aggregates_of_windows_that_overlap_and_of_parts_of_groups(name, engine):
    """Of `group_by_dynamic` and `rolling`, and of groups that are sorted, cut or filtered."""
    function = WINDOWS[name]
    made, lazy = function(c("v").jag, c("k")), frame().with_columns(j=pl.int_range(5)).lazy()
    groups, last_three = [[0, 2, 4], [1, 3]], [list(range(max(0, row - 2), row + 1)) for row in range(5)]

    def expected(parts):
        found = [function(X["v"][part], X["k"][part]) for part in parts]
        return [one.to_list() if isinstance(one, aj.JaggedArray) else one.as_py() for one in found]

    dynamic = lazy.group_by_dynamic("j", every="2i").agg(r=made)
    rolling = lazy.rolling("j", period="3i").agg(r=made)
    for query, parts in ((dynamic, [[0, 1], [2, 3], [4]]), (rolling, last_three)):
        got = query.collect(engine=engine)
        assert got.schema == query.collect_schema()
        assert got["r"].to_list() == expected(parts)
    cut = {
        "reversed": (lambda one: one.sort_by("j", descending=True), lambda rows: rows[::-1]),
        "cut": (lambda one: one.head(2), lambda rows: rows[:2]),
        "filtered": (lambda one: one.filter(c("j") > 0), lambda rows: [row for row in rows if row]),
    }
    for columns, rows in cut.values():
        got = lazy.group_by("g", maintain_order=True).agg(r=function(columns(c("v")).jag, columns(c("k")))).collect(engine=engine)
        assert got["r"].to_list() == expected([rows(group) for group in groups])


def test_an_aggregate_is_spread_over_the_rows():
    expr = c("v").jag - c("v").jag.min(axis=None)
    for got in results(frame(), expr):
        assert_same(got, X["v"] - X["v"].min(axis=None))
    both = frame().with_columns(total=c("v").jag.sum(axis=0))
    assert both["total"].to_list() == [X["v"].sum(axis=0).to_list()] * 5


def test_a_call_on_an_aggregate_works_on_its_one_row():
    for got in results(frame(), c("v").jag.sum(axis=0).jag.max()):
        assert_same(got, aj.array([X["v"].sum(axis=0).max().as_py()]))


def test_groups_cost_one_call_outside_and_one_each_inside(calls):
    groups = pl.DataFrame({"g": [i % 50 for i in range(200)], "v": aj.array([[1, 2]] * 200).to_polars()})
    groups.group_by("g").agg(c("v").jag.sum(axis=0))
    assert calls == [50]
    calls.clear()
    groups.select(c("v").jag.sum(axis=0).over("g"))
    assert calls == [50]
    calls.clear()
    groups.select(c("v").jag % c("v").jag.min(axis=None).over("g"))
    assert sorted(calls) == [50, 200]


def test_elementwise_calls_in_groups_cost_one_call(calls):
    df = frame()
    out = df.group_by("g", maintain_order=True).agg(c("v").jag.sort().alias("x"), (c("v").jag.sum() + 1).sum().alias("y"))
    assert len(calls) == 2
    assert out["y"].to_list() == [4 + 5, 4 + 1]
    assert_same(df.select((c("v").jag * c("k")).over("g"))["v"], X["v"] * X["k"])


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v * 2,
        lambda v: -v,
        lambda v: v < 3,
        lambda v: v.is_null(),
        lambda v: v.max(),
        lambda v: v.S[0],
        lambda v: v.fill_null(0),
    ],
)
def test_calls_of_polars_own_in_groups(function):
    df = frame()
    expected = function(X["v"])
    assert_same(df.select(function(c("v").jag).over("g"))["v"], expected)
    groups = df.group_by("g", maintain_order=True).agg(function(c("v").jag).alias("r"))
    groups = groups.explode("r") if expected.ndim == 1 else groups.select(c("r").list.explode())
    order = [0, 2, 4, 1, 3]
    assert_same(groups["r"], aj.array([expected.to_list()[row] for row in order], type=expected.type, ndim=expected.ndim))


def test_whole_columns_under_the_streaming_engine():
    n = 250_000
    df = pl.DataFrame({"v": aj.array(list(range(n))).reshape(n, 1).to_polars()})
    index = ((slice(n - 1, n), 0), -1)
    for got in results(df, c("v").jag.set(*index)):
        assert got[-1].to_list() == [-1]
        assert got[99_999].to_list() == [99_999]


@pytest.mark.parametrize("name", ["cumsum", "cummax", "ffill"])
def test_calls_along_the_rows_see_whole_columns_and_whole_groups(name):
    expr = getattr(c("v").jag, name)(axis=0)
    for df in (frame(), chunked(frame())):
        for got in results(df, expr):
            assert_same(got, getattr(X["v"], name)(axis=0))
    over = frame().select(expr.over("g"))["v"]
    for key in "ab":
        rows = [row for row, one in enumerate(ROWS["g"][0]) if one == key]
        assert_same(over.gather(rows), getattr(group("v", key), name)(axis=0))


def test_seeded_calls_do_not_depend_on_morsels():
    n = 250_000
    df = pl.DataFrame({"v": aj.array(list(range(4 * n))).reshape(n, 4).to_polars()})
    expected = aj.polars.from_series(df["v"]).shuffle(7)
    for got in results(df, c("v").jag.shuffle(7)):
        assert aj.polars.from_series(got).equals(expected)


MOVING = {
    "flatten": lambda e: e.jag.flatten(),
    "reshape": lambda e: e.jag.reshape(-1),
    "x[...]": lambda e: e.jag[0],
    "x[...] slice": lambda e: e.jag[1:],
    "x[...] rows": lambda e: e.jag[pl.col("k") > 1],
    "x.S[...]": lambda e: e.jag.S[0, 0],
    "x.S[...] row": lambda e: e.jag.S[0, ...],
    "x.S[...] rows": lambda e: e.jag.S[1:, ...],
    "x.S[...] positions": lambda e: e.jag.S[aj.array([4, 3, 2, 1, 0]), ...],
    "x.S[...] all dims": lambda e: e.jag.S[..., 0, 0],
    "head": lambda e: e.jag.head(2, axis=0),
    "filter": lambda e: pl.col("k").jag.filter(e.jag.sum() > 1),
}


@pytest.mark.parametrize("name", MOVING)
def test_methods_that_move_rows_raise_at_plan_time(name):
    instead = r"x\.S\[i\] or x\.get\(i\) for items of each row" if "[" in name else "df.jag.flatten"
    with pytest.raises(JagTypeError, match=rf"column '.*': .* changes the rows of the frame.*{instead}") as caught:
        frame().lazy().select(MOVING[name](c("v"))).collect_schema()
    assert f": {name.split(' ')[0]} changes" in str(caught.value)
    assert ("; in group_by, agg(column) collects" in str(caught.value)) == (name == "flatten")


def test_the_lists_of_a_group_are_merged_as_the_error_says():
    df = frame()
    merged = df.group_by("g", maintain_order=True).agg("v").select("g", c("v").jag.flatten(1))
    groups, rows = ROWS["g"][0], df["v"].jag.to_list()
    for key, row in zip(merged["g"], merged["v"].jag.to_list(), strict=True):
        assert row == [item for one, items in zip(groups, rows, strict=True) if one == key for item in items or ()]


def test_indexing_that_keeps_the_rows():
    df = frame()
    keys = {
        "slice": (slice(None), slice(None, None, -1)),
        "ellipsis": (..., slice(0, 1)),
        "innermost": (slice(None), slice(None), slice(0, 1)),
    }
    for key in keys.values():
        for got in results(df, c("w").jag[key]):
            assert_same(got, X["w"][key])
    for got in results(df, c("v").jag[c("v").jag > 1]):
        assert_same(got, X["v"][X["v"] > 1])
    for name, slots in (("v", 0), ("v", (slice(None), 0)), ("w", (slice(None), 0, ...)), ("w", (..., 0, 0)), ("w", ())):
        for got in results(df, c(name).jag.S[slots]):
            assert_same(got, X[name].S[slots])
    structs = df.select(s=aj.zip(a=c("v"), b=c("f")))
    for got in results(structs, c("s").jag["a"]):
        assert_same(got, X["v"])


def test_copies_and_sizes_of_all_rows_read_whole_columns():
    df, flat = frame(), c("k").jag
    k = aj.array(df["k"])
    for got in results(df, flat.expand_to(c("v"), 1)):
        assert_same(got, k.expand_to(X["v"], 1))
    for dim in ([1, 0, 2, 1, 3], range(5), (5, 5, -1), aj.dims.Ragged([2, 2, 0, 1, 1]), 2):
        for got in results(df, flat.unsqueeze(-1).jag.expand(-1, dim)):
            assert_same(got, k.unsqueeze(-1).expand(-1, dim))


@pytest.mark.parametrize("name", ["k", "v", "w"])
def test_flatten_keeps_the_rows_wherever_it_does_not_merge_them(name):
    df = frame()
    x = aj.array(df[name])
    dims = range(-x.ndim - 2, x.ndim + 3)
    for first, last in ((first, last) for first in dims for last in (None, *dims)):
        flat = x.flatten(first, last)
        kept = len(flat) == len(x) and all(flat[row : row + 1].equals(x[row : row + 1].flatten(first, last)) for row in range(5))
        query = df.lazy().select(c(name).jag.flatten(first, last))
        if kept:
            assert_same(query.collect()[name], flat)
        else:
            with pytest.raises(JagTypeError, match="changes the rows of the frame"):
                query.collect_schema()


KEYS_WITH_COLUMNS = {
    "positions": lambda v, w: v[:, c("k")],
    "lists": lambda v, w: v[:, c("v")],
    "after an ellipsis": lambda v, w: w[..., c("k")],
    "beside a number": lambda v, w: w[:, 0, c("k").first()],
    "a mask": lambda v, w: v[:, v > 1],
    "a list": lambda v, w: v[[c("k")]],
    "a list of slots": lambda v, w: v.S[[0, c("k")]],
    "of a traced function": lambda v, w: aj.jit(lambda x, k: x[:, k])(c("v"), c("k")),
}


@pytest.mark.parametrize("name", KEYS_WITH_COLUMNS)
def test_a_column_is_no_position_for_all_rows(name):
    made = KEYS_WITH_COLUMNS[name](c("v").jag, c("w").jag)
    with pytest.raises(
        JagTypeError, match=r"column '.*': x.*\[\.\.\.\]: a column can't stand beside.*use x.take\(column, axis=1\)"
    ):
        frame().lazy().select(made).collect_schema()


def test_an_array_in_a_key_holds_positions_for_all_rows():
    df = pl.DataFrame({"v": aj.array([[1, 2, 3], [4, 5], None]).to_polars()})
    for key in ([1, 0], np.array([1, 0]), pl.Series([1, 0]), aj.array([1, 0])):
        for got in results(df, c("v").jag[:, key]):
            assert got.jag.to_list() == [[2, 1], [5, 4], None]


FOR_ALL_ROWS = {
    "a row": lambda v, w, k: v.fill_null_rows([7]),
    "a longer row": lambda v, w, k: v.fill_null_rows(aj.array([7, 8])),
    "all rows": lambda v, w, k: v.fill_null_rows([[1], [2], [3, 3], [], [5]]),
    "a row of rows": lambda v, w, k: w.fill_null_rows([[7]]),
    "an inner row": lambda v, w, k: w.fill_null_rows([7], axis=1),
    "a column as a row": lambda v, w, k: v.fill_null_rows(k),
    "a column as an inner row": lambda v, w, k: w.fill_null_rows(k, axis=1),
    "a column as an item": lambda v, w, k: w.pad(3, k, axis=1),
    "a matrix": lambda v, w, k: k.jag.unsqueeze(1).jag.nearest(k.jag.fill_null(0).jag.unsqueeze(1)),
    "sets": lambda v, w, k: v.is_in(aj.array([[1], [2], [3], [4], [4]])),
    "a table": lambda v, w, k: v.translate(aj.array([[1], [3], [3], [4], [4]]), aj.array([[7], [8], [9], [0], [6]])),
}


@pytest.mark.parametrize("name", FOR_ALL_ROWS)
def test_arguments_without_one_item_per_row_are_read_whole(name):
    for df in (frame(), chunked(frame())):
        expected = FOR_ALL_ROWS[name](df["v"].jag, df["w"].jag, df["k"])
        for got in results(df, FOR_ALL_ROWS[name](c("v").jag, c("w").jag, c("k"))):
            assert got.dtype == expected.dtype
            assert_same(got, from_series(expected))


@pytest.mark.parametrize("extension", [True, False])
def test_masks_are_operands_of_the_same_kinds_on_series_and_expressions(extension):
    df = frame(extension).with_columns(m=frame(not extension)["b"], p=frame(not extension)["v"].jag.argsort())
    for key in (lambda one: one("m"), lambda one: one("p")):
        for got in results(df, c("v").jag[key(c)]):
            assert got.dtype == df["v"].jag[key(df.get_column)].dtype == Jagged(pl.Int64, 2)


GATHERED = {
    "leaves": lambda v, k: v * 2,
    "rows": lambda v, k: v.sum(),
    "by row": lambda v, k: v * k,
    "native": lambda v, k: (v + 1).jag.max(),
    "reduced": lambda v, k: v.sum(axis=0),
    "structure": lambda v, k: v.flatten(1),
}


@pytest.mark.parametrize("name", GATHERED)
@pytest.mark.parametrize("column", ["v", "w", "f"])
def test_columns_gathered_by_agg_have_one_more_dim(name, column):
    """A list of `Jagged` is what polars makes of it."""
    function = GATHERED[name]
    gathered = frame().group_by("g", maintain_order=True).agg(v=c(column), k=c("k"))
    imploded = frame().select("g", "k", v=column).jag.implode("g")
    assert isinstance(gathered.schema["v"].inner, Jagged)
    for got, expected in zip(*(results(df, function(c("v").jag, c("k"))) for df in (gathered, imploded)), strict=True):
        assert got.dtype == expected.dtype
        assert_same(got, aj.polars.from_series(expected))
    assert gathered.jag.flatten("v")["v"].equals(imploded.jag.flatten("v")["v"])
    assert_same(gathered["v"].jag.flatten(1), aj.polars.from_series(imploded["v"]).flatten(1))
    again = gathered.select("v", one=1).jag.implode("one", "v")["v"]
    assert again.dtype == Jagged(imploded.schema["v"].leaf, imploded.schema["v"].ndim + 1)


def test_arrays_of_jagged_declare_their_extent():
    df = frame().select(v=pl.concat_arr("v", "v"))
    assert isinstance(df.schema["v"].inner, Jagged)
    for got in results(df, c("v").jag.sum()):
        assert got.dtype == Jagged(pl.Int64, 2, extents=(2,))
        assert_same(got, aj.stack([X["v"].sum()] * 2, axis=1))


# ------------------------------------------------------------------------------------------- arrays of the caller

V = pl.DataFrame({"v": aj.array([[1.5, 2.0], [3.0], None]).to_polars(), "k": [1, 2, 3]})
WITH_ARRAY = {
    "native": lambda v, array: v + array,
    "not native": lambda v, array: v * v + array,
    "on the left": lambda v, array: np.add(array, v),
    "compared": lambda v, array: v > array,
    "chain": lambda v, array: (v + array).jag.sum() if isinstance(v, pl.Expr) else (v + array).sum(),
    "imploded": lambda v, array: (v + array).jag.sum(axis=0) if isinstance(v, pl.Expr) else (v + array).sum(axis=0),
    "function": lambda v, array: aj.where(v > 1, pl.Series(array), v),
    "literal": lambda v, array: v + pl.lit(pl.Series(array)),
    "named literal": lambda v, array: v + pl.lit(pl.Series(array)).alias("w"),
    "argument": lambda v, array: v.shift(1, fill=array),
}


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
@pytest.mark.parametrize("name", WITH_ARRAY)
def test_a_constant_array_of_another_length_raises_our_error(name: str, engine: pl.lazyframe.engine_config.EngineType) -> None:
    query = WITH_ARRAY[name]
    for n in (0, 2, 5):
        with pytest.raises(aj.errors.ShapeError, match="row"):
            V.lazy().select(x=query(c("v").jag, np.arange(float(n)))).collect(engine=engine)
    with pytest.raises(aj.errors.ShapeError, match="row"):  # polars doesn't take the first rows of the array
        V.lazy().with_columns(x=query(c("v").jag, np.arange(5.0))).head(2).collect(engine=engine)


@pytest.mark.parametrize("name", WITH_ARRAY)
def test_a_constant_array_of_the_frame_gives_what_the_array_gives(name: str) -> None:
    array = np.arange(3.0)
    expected = aj.array(V["v"]) + array if "literal" in name else WITH_ARRAY[name](aj.array(V["v"]), array)
    got = V.lazy().select(x=WITH_ARRAY[name](c("v").jag, array)).collect(engine="streaming")["x"]
    assert got.to_list() == (expected.to_list() if len(expected) == 3 and name != "imploded" else [expected.to_list()])
    part = V.lazy().with_columns(x=WITH_ARRAY[name](c("v").jag, array)).filter(c("k") > 1).collect()
    assert part["x"].to_list() == (got.to_list()[1:] if len(got) == 3 else got.to_list() * 2)


def test_an_array_that_depends_on_columns_is_no_constant() -> None:
    expected = aj.array(V["v"]) * [2.0, 1.0, 0.0]
    got = V.select(x=c("v").jag * pl.lit(pl.Series([0.0, 1.0, 2.0])).sort_by("k", descending=True))["x"]
    assert got.to_list() == expected.to_list()


def test_numpy_functions_that_take_expressions_for_objects_raise() -> None:
    for call in (
        np.round,
        np.sum,
        lambda x: np.clip(x, 0, 1),
        lambda x: np.where(x > 1, x, 0),
        lambda x: np.concatenate([x, x]),
    ):
        with pytest.raises(JagTypeError, match="a polars expression has no values outside of a query, so numpy calls ufuncs"):
            call(c("v").jag)


@pytest.mark.parametrize("name", ["fold", "scan", "map_items", "map_rows"])
def test_functions_of_rows_need_a_type_in_lazy_frames(name: str) -> None:
    start = () if name.startswith("map") else (0.0,)
    function = np.add if start else np.sum
    with pytest.raises(JagTypeError, match=f"column 'v': {name}: an expression must know the type of its results"):
        V.lazy().select(getattr(aj, name)(function, *start, c("v").jag)).collect()
    with pytest.raises(JagTypeError, match=f"column 'v': {name}: expected an Arrow type, its name .*, got 'foo'"):
        V.lazy().select(getattr(aj, name)(function, *start, c("v").jag, type="foo")).collect()
    with pytest.raises(JagTypeError, match=f"column 'v': {name}: expected an Arrow type, its name .*, got 'foo'"):
        V.select(getattr(c("v").jag, name)(function, *start, type="foo"))
    expected = getattr(aj, name)(function, *start, V["v"].jag)
    got = V.lazy().select(getattr(aj, name)(function, *start, c("v").jag, type="float64")).collect().to_series()
    assert got.to_list() == expected.to_list()


ARRAYS = {
    "numpy": np.array([2, 20]),
    "pyarrow": pa.array([2, 20]),
    "chunked": pa.chunked_array([[2], [20]]),
    "list": [2, 20],
    "arrowjag": aj.array([2, 20]),
    "polars": pl.Series([2, 20]),
}
"""One item per row, as each library holds it."""

ROWWISE = {
    "where": lambda v, a: aj.where(v > 1, a, v),
    "where, first": lambda v, a: aj.where(v > 1, v, a),
    "coalesce": aj.coalesce,
    "zip": lambda v, a: aj.zip(a=v, b=a),
    "contains": lambda v, a: v.contains(a),
    "fill_null": lambda v, a: v.fill_null(a),
    "add": lambda v, a: v + a,
}


@pytest.mark.parametrize("library", ARRAYS)
@pytest.mark.parametrize("name", ROWWISE)
def test_arrays_beside_expressions_hold_one_item_per_row(name, library):
    x, given = aj.array([[1, 2, None], [3]]), ARRAYS[library]
    expected = ROWWISE[name](x, aj.array(given)).to_list()
    df = pl.DataFrame({"v": x.to_polars()})
    got = df.lazy().select(ROWWISE[name](pl.col("v").jag, given))
    assert from_series(got.collect().to_series()).to_list() == expected
    assert got.collect_schema().names() == ["v"]


@pytest.mark.parametrize(("n", "rows"), [(1, 3), (3, 1), (1, 0), (2, 0)])
def test_arrays_of_the_caller_have_the_rows_of_the_frame(n, rows):
    # polars repeats a Series of one row, and repeated the rows of an array, or those of the frame for an array.
    df = pl.DataFrame({"v": aj.array([[1, 2], [3], []][:rows], type=pa.int64(), ndim=2)})
    given = [*range(n)]
    for array in (given, np.array(given), aj.array(given), pa.array(given)):
        calls = (lambda v, y=array: v.jag.append(y), lambda v, y=array: v.jag + y, lambda v, y=array: aj.coalesce(v, y))
        for call in calls:
            for select in (df.select, df.with_columns, df.group_by(pl.lit(1)).agg):
                with pytest.raises(ShapeError, match=rf"JaggedShape\({n}\) is not a prefix of JaggedShape\({rows}"):
                    select(call(c("v")))
            with pytest.raises(ShapeError, match="is not a prefix of"):
                df.lazy().select(call(c("v"))).collect(engine="streaming")
    if rows:
        repeated = df.select(c("v").jag.append(pl.Series(given)))["v"]
        assert repeated.to_list() == [[*row, given[at % n]] for at, row in enumerate((df["v"].to_list() * 3)[:3])]


def test_axes_of_an_aggregate_count_the_dims_of_its_array():
    df = pl.DataFrame({"g": [1, 1], "v": [1, 2], "by": aj.array([[[1]], [[2]]])})
    wrong = c("v").jag.min_by(c("by"), axis=None)
    for select in (df.select, df.group_by("g").agg):
        with pytest.raises(ShapeError, match="min_by: by has"):  # not an axis that nobody gave
            select(wrong)
