"""`.jag` on expressions: operators on either side, kinds of operands, names, and what stays polars' own."""

from __future__ import annotations

import io
import operator
import pickle
from contextlib import nullcontext

import numpy as np
import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.errors import JagError, JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag.polars import JagExpr, Jagged
from tests.polars.frames import arrays, assert_same, chunked, frame, results

X = arrays()
c = pl.col

OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("other", ["k", "v", "w"])
@pytest.mark.parametrize("extension", [True, False])
def test_operators_with_columns_of_every_depth_on_either_side(name, other, extension):
    function = getattr(operator, name)
    for df in (frame(extension), chunked(frame(extension))):
        for got in results(df, function(c("v").jag, c(other))):
            assert_same(got, function(X["v"], X[other]))
        for got in results(df, function(c(other), c("v").jag)):
            assert_same(got, function(X[other], X["v"]))


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("scalar", [3, 2.5, np.float32(2), np.int64(3), pa.scalar(2, pa.int8())], ids=repr)
def test_operators_with_scalars_on_either_side(name, scalar):
    function = getattr(operator, name)
    for got in results(frame(), function(c("v").jag, scalar)):
        assert_same(got, function(X["v"], scalar))
    if not isinstance(scalar, pa.Scalar):
        for got in results(frame(), function(scalar, c("v").jag)):
            assert_same(got, function(scalar, X["v"]))


@pytest.mark.parametrize("name", ["and_", "or_", "xor"])
def test_logic(name):
    function = getattr(operator, name)
    for got in results(frame(), function(c("b").jag, c("v").jag > 1)):
        assert_same(got, function(X["b"], X["v"] > 1))
    for got in results(frame(), ~c("b").jag):
        assert_same(got, ~X["b"])


@pytest.mark.parametrize("name", ["neg", "pos", "abs"])
def test_one_operand(name):
    function = getattr(operator, name)
    for got in results(frame(), function(c("f").jag)):
        assert_same(got, function(X["f"]))


def test_power_shift_round_and_divmod():
    for got in results(frame(), 2 ** c("v").jag):
        assert_same(got, 2 ** X["v"])
    for got in results(frame(), (c("v").jag << 2) >> 1):
        assert_same(got, (X["v"] << 2) >> 1)
    for got in results(frame(), round(c("f").jag * 1.26, 1)):
        assert_same(got, round(X["f"] * 1.26, 1))
    quotient, remainder = divmod(c("v").jag, 2)
    for got in results(frame(), quotient + remainder):
        assert_same(got, X["v"] // 2 + X["v"] % 2)


def test_ufuncs():
    for got in results(frame(), np.sqrt(c("v").jag)):
        assert_same(got, np.sqrt(X["v"]))
    for got in results(frame(), np.subtract(2.5, np.multiply(c("v").jag, c("v").jag))):
        assert_same(got, 2.5 - X["v"] * X["v"])
    for got in results(frame(), np.logical_and(c("v").jag, c("v").jag > 1)):
        assert_same(got, X["v"].cast("bool") & (X["v"] > 1))
    for got in results(frame(), np.maximum(c("k"), c("v").jag)):
        assert_same(got, np.maximum(X["k"], X["v"]))
    whole, part = np.divmod(c("v").jag, 2)
    for got, expected in zip(results(frame(), whole - part), [X["v"] // 2 - X["v"] % 2] * 2, strict=True):
        assert_same(got, expected)
    with pytest.raises(JagTypeError, match=r"add\.reduce"):
        np.add.reduce(c("v").jag)
    with pytest.raises(JagTypeError, match="no options"):
        np.sqrt(c("v").jag, where=True)


def test_arrays_series_and_lists_are_literal_columns():
    rows = [1, 2, 3, 4, 5]
    for other in (rows, np.array(rows), pl.Series(rows), pa.array(rows), aj.array(rows)):
        for got in results(frame(), c("v").jag + other):
            assert_same(got, X["v"] + aj.array(rows))
        for got in results(frame(), other + c("v").jag) if not isinstance(other, (list, pa.Array)) else []:
            assert_same(got, aj.array(rows) + X["v"])
    for got in results(frame(), c("k").jag * X["v"]):
        assert_same(got, X["k"] * X["v"])


def test_literals_of_one_row_are_spread():
    for got in results(frame(), c("v").jag * pl.lit(2)):
        assert_same(got, X["v"] * 2)
    one = aj.array([[7, 8]]).to_polars()
    for got in results(frame(), c("k").jag + pl.lit(one)):
        assert_same(got, X["k"] + aj.array([[7, 8]] * 5))
    for got in results(frame().clear(), c("v").jag * pl.lit(2)):
        assert len(got) == 0


# --------------------------------------------------------------------------------------------------- kinds


def test_list_in_list_out_and_mixed_gives_jagged():
    df = frame(extension=False).with_columns(j=frame()["v"], a=pl.lit(pl.Series([[1, 2]] * 5, dtype=pl.Array(pl.Int64, 2))))
    kinds = df.lazy().select(
        list=c("v").jag * c("k"),
        nested=c("v").jag * c("w"),
        array=c("a").jag * c("k"),
        mixed=c("v").jag * c("j"),
        flat=c("v").jag.sum(),
        flat_of_jagged=c("j").jag.sum(),
        inner=c("w").jag.sum(),
    )
    expected = {
        "list": pl.List(pl.Int64),
        "nested": pl.List(pl.List(pl.Int64)),
        "array": pl.Array(pl.Int64, 2),
        "mixed": Jagged(pl.Int64, 2),
        "flat": pl.Int64(),
        "flat_of_jagged": pl.Int64(),
        "inner": pl.List(pl.Int64),
    }
    assert kinds.collect_schema() == expected
    assert kinds.collect().schema == expected


def test_plain_columns_that_become_nested_are_jagged():
    for got in results(frame(), c("k").jag.expand_to(c("w"))):
        assert_same(got, X["k"].expand_to(X["w"]))
        assert got.dtype == Jagged(pl.Int64, 3)


CHAINS = {
    "repeated": lambda v, k: v.sum().jag.repeat(2),
    "expanded": lambda v, k: v.lengths().jag.expand_to(k.jag.repeat(3)),
    "joined": lambda v, k: (v.max() + 1).jag.unsqueeze(1).jag.union(v),
    "columns": lambda v, k: v * k.jag.repeat(1).jag.first(),
    "one plain": lambda v, k: v.append(k.jag.unsqueeze(1).jag.max()),
    "one nested": lambda v, k: v.jag.union(k.jag.unsqueeze(1)),
}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("extension", [True, False])
def test_a_chain_has_the_type_of_its_calls_one_by_one(name, extension):
    df = frame(extension)
    one_by_one = CHAINS[name](df["v"].jag, df["k"])
    for got in results(df, CHAINS[name](c("v").jag, c("k"))):
        assert got.dtype == one_by_one.dtype
        assert got.to_list() == one_by_one.to_list()


def test_types_may_be_polars_dtypes():
    for type in (pl.Float32, pl.Float32(), pa.float32(), "float32"):
        for got in results(frame(), c("v").jag.cast(type)):
            assert got.dtype == Jagged(pl.Float32, 2)
        assert frame()["v"].jag.cast(type).dtype == Jagged(pl.Float32, 2)


def test_a_list_dtype_of_rows_that_a_function_returns_adds_a_dim():
    df = frame(extension=False)
    expected = X["v"].map_rows(lambda row: [row, row], pa.list_(pa.list_(pa.int64())))
    for type in (pl.List(pl.List(pl.Int64)), pa.list_(pa.list_(pa.int64()))):
        call = c("v").jag.map_rows(lambda row: [row, row], type)
        for got in (*results(df, call), df["v"].jag.map_rows(lambda row: [row, row], type)):
            assert_same(got, expected)
    for type in (pl.List(pl.Float32), Jagged(pl.Float32, 2)):  # the dtype of the whole column
        assert frame()["v"].jag.cast(type).dtype == Jagged(pl.Float32, 2)
        assert df.select(c("v").jag.cast(type=type))["v"].dtype == pl.List(pl.Float32)


def test_methods_that_give_windows_and_groups():
    for got in results(frame(), c("v").jag.rolling(2).sum()):
        assert_same(got, X["v"].rolling(2).sum())
    assert_same(frame()["v"].jag.rolling(2).max(), X["v"].rolling(2).max())
    for got in results(frame(), c("v").jag.group_by(c("v").jag % 2)):
        assert_same(got, X["v"].group_by(X["v"] % 2))
    for got in results(frame(), c("v").jag.is_in([1, 4])):
        assert_same(got, X["v"].is_in([1, 4]))


KEYS = [[1], [3], [3], [4], [4]]


@pytest.mark.parametrize(
    "rows", [KEYS, tuple(KEYS), np.array(KEYS), [np.array(one) for one in KEYS]], ids=["lists", "tuple", "matrix", "arrays"]
)
def test_lists_of_lists_are_the_sets_and_tables_of_their_rows(rows):
    for got in results(frame(), c("v").jag.is_in(rows)):
        assert_same(got, X["v"].is_in(rows))
    for keys, values in [(rows, rows), (rows, [7, 8, 9, 0, 6]), (aj.array(KEYS), KEYS), (aj.array(KEYS), [7, 8, 9, 0, 6])]:
        for got in results(frame(), c("v").jag.translate(keys, values)):
            assert_same(got, X["v"].translate(keys, values))


@pytest.mark.parametrize("length", [2, 6])
def test_lists_of_lists_of_another_length_are_refused(length):
    with pytest.raises(ShapeError, match=rf"is_in: JaggedShape\({length}\) is not a prefix of JaggedShape\(5, "):
        frame().select(c("v").jag.is_in([[1]] * length))


@pytest.mark.parametrize(
    ("index", "values"),
    [
        (([0],), [[8, 9]]),
        (([0],), [8]),
        ((slice(None, 2), 0), [8, 9]),
        (0, [8, 9]),
        (([0],), aj.array([[8, 9]])),
        (([0],), np.array([8])),
    ],
)
def test_values_of_set_have_the_shape_of_the_index_whatever_the_rows_of_the_frame(index, values):
    for got in results(frame(), c("v").jag.set(index, values)):
        assert_same(got, X["v"].set(index, values))


def test_values_of_set_are_not_repeated_for_the_rows_of_the_frame():
    with pytest.raises(ShapeError, match="set: "):
        frame().select(c("v").jag.set((slice(None, 2), 0), [8]))


# --------------------------------------------------------------------------------------------------- polars' own


def test_the_namespace_is_the_column_itself():
    assert isinstance(c("v").jag, pl.Expr)
    assert frame().select(c("v").jag).equals(frame().select("v"))
    assert c("v").jag.jag.meta.eq(c("v"))


def test_methods_on_a_result_are_polars_own():
    df = frame()
    got = df.select((c("v").jag.sum() * 2).sum().alias("own"), (c("v").jag * 2).is_null().alias("null"))
    assert got["own"][0] == 2 * (3 + 3 + 4)
    assert got["null"].to_list() == [False, False, True, False, False]


def test_names():
    df = frame()
    named = df.select(
        c("k") * c("v").jag,
        (2 * c("f").jag).alias("alias"),
        (c("v").jag * 2).name.suffix("_twice"),
        aj.where(c("k") > 20, c("t"), "none"),
    )
    assert named.columns == ["k", "alias", "v_twice", "t"]


def test_selectors_give_one_output_a_column():
    df = frame()
    out = df.select((aj.polars.jagged(pl.Int64, 2) | cs.by_name("f")).jag * c("k"))
    assert out.columns == ["v", "f"]
    assert_same(out["f"], X["f"] * X["k"])
    assert df.select(cs.by_name("v", "w").jag.lengths().name.suffix("_n")).columns == ["v_n", "w_n"]


def test_when_then_filter_and_sort_take_results():
    df = frame()
    got = df.select(pl.when(c("k") > 15).then(c("v").jag * 2).otherwise(c("v")).alias("x"))["x"]
    assert_same(got, aj.array([[1, 2], [6], None, [], [8, None]]))
    assert df.filter(c("v").jag.sum() > 3)["k"].to_list() == [50]
    assert df.sort(c("v").jag.sum(), nulls_last=True)["k"].to_list() == [None, 10, 20, 50, 30]


def test_pickle_and_serialise():
    expr = (c("v").jag * c("k") + X["v"]).jag.clip(2, 40)
    back = pickle.loads(pickle.dumps(expr))
    assert isinstance(back, JagExpr)
    lazy = frame().lazy().select(expr)
    for got in (frame().select(back), pl.LazyFrame.deserialize(io.BytesIO(lazy.serialize())).collect()):
        assert got.equals(lazy.collect())


def test_sharing_a_node_many_times_stays_small():
    expr = c("v").jag
    for _ in range(40):
        expr = expr - expr * 0
    assert_same(frame().select(expr)["v"], X["v"])


# --------------------------------------------------------------------------------------------------- one conversion


def test_a_chain_converts_once(calls):
    frame().select(((c("v").jag * c("k")).jag.clip(0, 100) + c("v")).jag.sum())
    assert calls == [5]


def test_results_are_evaluated_in_morsels():
    n = 250_000
    df = pl.DataFrame({"v": aj.array([1, 2, 3] * n).reshape(n, 3).to_polars(), "k": pl.int_range(n, eager=True)})
    expected = df["k"].cast(pl.Int64) * 6
    for got in results(df, (c("v").jag * c("k")).jag.sum()):
        assert got.equals(expected)
    for got in results(df, (c("v").jag * np.arange(n)).jag.sum()):
        assert got.equals(expected)


# --------------------------------------------------------------------------------------------------- errors


def test_errors_are_ours_and_name_the_column():
    df = frame()
    with pytest.raises(ShapeError, match=r"column 'v': add: JaggedShape.* is not a prefix of"):
        df.select(c("v").jag + c("w").jag.flatten(1))
    with pytest.raises(JagTypeError, match="column 't': sum has no kernel for large_string"):
        df.lazy().select(c("t").jag.sum()).collect_schema()
    wide = df.with_columns(wide=c("k").cast(pl.Int128))
    with pytest.raises(JagTypeError, match="column 'wide': polars can't convert Int128 to Arrow"):
        wide.select(c("v").jag * c("wide"))
    with pytest.raises(JagTypeError, match="a Series of Int128 has no Arrow type"):
        aj.array(wide["wide"])


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_errors_keep_their_type_in_both_engines(engine):
    big = pl.DataFrame({"v": [[2**62, 2**62]]})
    with pytest.raises(OverflowError, match="column 'v'") as caught:
        big.lazy().select(c("v").jag.sum()).collect(engine=engine)
    assert isinstance(caught.value, JagError)


@pytest.mark.parametrize("name", ["sum", "first", "cumsum", "sort"])
@pytest.mark.parametrize("wrong", [2, 4, -3, -4])
def test_an_axis_out_of_range_is_named_as_it_was_written(name, wrong):
    with pytest.raises(JagIndexError, match=f"column 'v': {name}: axis {wrong} is out of range for 2 dims"):
        frame().select(getattr(c("v").jag, name)(axis=wrong))


def test_wrong_axes_of_aggregates_are_named_as_they_were_written():
    with pytest.raises(JagIndexError, match="column 'k': sum: axis -2 is out of range for 1 dim"):
        frame().select(c("k").jag.sum(axis=-2))
    for axis in ((0, -3), (1, None)):
        with pytest.raises(JagError, match=r"sum: axis -3 is out of range for 2 dims|axis must be an int, got NoneType"):
            frame().select(c("v").jag.sum(axis=axis))
    with pytest.raises(JagValueError, match=r"sum: axes must differ, got \(0, -2\) of 2 dims"):
        frame().select(c("v").jag.sum(axis=(0, -2)))


WRONG = {
    "get": (lambda v, w, k: v.get(c("v")), "get: the keys or positions have 2 dims, but the rows have 1"),
    "default": (lambda v, w, k: v.get(0, c("w")), "at most one default per row, a shape of 1 dim, got a shape of 3 dims"),
    "filter": (lambda v, w, k: v.filter(w > 1), "a mask of a shape of 3 dims"),
    "matmul": (lambda v, w, k: w @ 2, r"got a shape of 3 dims and JaggedShape\(\)"),
    "constant": (lambda v, w, k: k.jag.fill_null_rows([[1], [2]]), r"JaggedShape\(2, 1\) must have the rows of a shape of 1 dim"),
    "not for arrays": (lambda v, w, k: v.quantile(k), "from 0 to 1, got JaggedArray of 1 dim of int64"),
    "of a chain": (lambda v, w, k: v.cumsum().jag.get(c("v")), "get: the keys or positions have 2 dims, but the rows have 1"),
    "of an aggregate": (lambda v, w, k: v.max_by(c("w"), axis=0), "by has 4 dims, but the array has"),
}
"""Calls that are refused before there are rows, with a part of the error."""


@pytest.mark.parametrize("name", WRONG)
def test_errors_of_plans_show_no_shapes_of_samples(name):
    call, told = WRONG[name]
    with pytest.raises(JagError, match=told) as caught:
        frame().lazy().select(call(c("v").jag, c("w").jag, c("k"))).collect()
    assert "JaggedShape(0" not in str(caught.value)
    assert repr(aj.array([], type=pa.int64(), ndim=2).shape) == "JaggedShape(0, [])"


def test_masks_are_columns():
    df = frame()
    keep = [k % 2 == 0 for k in range(df.height)]
    for mask in (keep, np.array(keep), pl.Series(keep), c("q")):
        for got in results(df.with_columns(q=pl.Series(keep)), c("v").jag.with_validity(0, mask)):
            assert_same(got, X["v"].with_validity(0, keep))
    for got in results(df, c("v").jag.with_validity(-1, c("v").jag.is_null())):
        assert_same(got, X["v"].with_validity(-1, X["v"].is_null()))


def test_unknown_methods_and_arguments_fail_when_written():
    with pytest.raises(AttributeError, match="nope"):
        c("v").jag.nope()
    with pytest.raises(TypeError, match="sum: got an unexpected keyword argument 'foo'"):
        c("v").jag.sum(foo=1)
    with pytest.raises(TypeError, match="quantile: missing a required argument: 'q'"):
        c("v").jag.quantile()


def test_results_that_are_no_columns_are_refused():
    with pytest.raises(JagTypeError, match="image returns a tuple, which is not a column"):
        frame().select(c("v").jag.image())
    for rows in range(3):  # however many leaves they happen to have
        with pytest.raises(JagTypeError, match="column 'v': validity changes the rows of the frame"):
            frame().head(rows).select(c("v").jag.validity(axis=-1))


def test_selectors_on_either_side():
    df = frame().with_columns(q=c("k") * 2)
    flat = cs.by_name("k", "q")
    for made in (flat.jag * c("v"), flat.as_expr() * c("v").jag):
        got = df.select(made)
        assert_same(got["k"], X["v"] * X["k"])
        assert_same(got["q"], X["v"] * (X["k"] * 2))
    several = df.select((cs.by_name("v", "f").jag * c("k")).name.suffix("_k"))
    assert several.columns == ["v_k", "f_k"]
    assert_same(several["f_k"], X["f"] * X["k"])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor"])
def test_a_selector_on_the_left_raises_with_the_alternative(name: str):
    """polars asks it first, and would compute with plain lists by rules of its own."""
    for right in (c("v").jag, c("v").jag.cumsum()):
        with pytest.raises(JagTypeError, match=r"write cs\.float\(\)\.as_expr\(\) \* pl\.col\(\"v\"\)\.jag"):
            getattr(operator, name)(cs.by_name("k"), right)
    assert isinstance(getattr(operator, name)(c("k"), c("v").jag), pl.Expr)


@pytest.mark.parametrize("name", ["gt", "ge", "lt", "le", "eq", "ne"])
def test_comparisons_with_a_selector_on_the_left(name: str):
    with pytest.raises(JagTypeError, match="a selector on the left of an operator"):
        getattr(operator, name)(cs.by_name("k"), c("v").jag)


def test_nested_results_of_flat_columns_are_jagged():
    assert frame().select(c("k").jag.unsqueeze(-1)).schema == {"k": Jagged(pl.Int64, 2, extents=(1,))}


def test_a_chain_of_too_many_calls_raises_with_the_alternative():
    """A Series and an array take any number of calls; here Python's recursion ends."""
    made = c("v").jag
    for step in range(1000):
        made = made + step
        if step in (20, 999):
            with pytest.raises(JagValueError, match="chain of too many calls") if step == 999 else nullcontext():
                frame().select(made)


@pytest.mark.parametrize(
    ("name", "args"),
    [("fill_null_rows", (object,)), ("get", (0, object)), ("set", (0, object)), ("histogram", (object,))],
)
def test_errors_of_arguments_at_plan_time_are_those_of_arrays(name, args):
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagError, match=f"^{name}: ") as expected:
        getattr(x, name)(*args)
    lazy = x.to_polars("v").to_frame().lazy().select(getattr(pl.col("v").jag, name)(*args))
    with pytest.raises(type(expected.value)) as found:
        lazy.collect_schema()
    assert str(found.value).partition("\n")[0] == f"column 'v': {expected.value}"
