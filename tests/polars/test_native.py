"""The native table: for every kind of column, polars' own expressions give the same values as the array."""

from __future__ import annotations

import operator

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.polars import from_series, lowering
from arrowjag.testing import arrow_columns, assert_lists_equal

c = pl.col
CALLS = {
    "sum": lambda v: v.sum(),
    "mean": lambda v: v.mean(),
    "min": lambda v: v.min(),
    "max": lambda v: v.max(),
    "n_unique": lambda v: v.n_unique(),
    "first": lambda v: v.first(),
    "last": lambda v: v.last(),
    "lengths": lambda v: v.lengths(),
    "head": lambda v: v.head(2),
    "tail": lambda v: v.tail(2),
    "slice": lambda v: v.slice(1, 2),
    "slot": lambda v: v.S[1],
    "slot from the end": lambda v: v.S[-2],
    "multiply": lambda v: v * 2.5,
    "from the left": lambda v: 2 * v,
    "divide": lambda v: v / 0,
    "halve": lambda v: v / 2,
    "a tree": lambda v: -(v * 2.0 - 1.0),
    "a tree of methods": lambda v: jag(v + 1.0).max(),
}
ITEMS = {
    "negative": lambda v: -v,
    "absolute": abs,
    "abs": lambda v: v.abs(),
    "sqrt": np.sqrt,
    "equal": lambda v: v == 1,
    "other": lambda v: v != 0.0,
    "less": lambda v: v < 2,
    "at most": lambda v: v <= 0.5,
    "bound on the left": lambda v: 1 > v,  # noqa: SIM300
    "is_nan": lambda v: v.is_nan(),
    "is_null": lambda v: v.is_null(),
    "fill_null": lambda v: v.fill_null(7),
}
"""Calls on items, which are native for lists of lists too."""
LISTS = st.sampled_from(["list", "large_list"])
LEAVES = st.sampled_from([pa.float64(), pa.float32(), pa.int64(), pa.uint8()])


@pytest.fixture
def native(monkeypatch):
    """How many calls became polars' own, and how many Python made."""
    counts = {"native": 0, "python": 0}
    found, evaluate = lowering.native, lowering._Evaluation._result

    def counted(*args):
        made = found(*args)
        counts["native"] += made is not None
        return made

    def called(self, series, *rest):
        counts["python"] += 1
        return evaluate(self, series, *rest)

    monkeypatch.setattr(lowering, "_PLANS", {})
    monkeypatch.setattr(lowering, "native", counted)
    monkeypatch.setattr(lowering._Evaluation, "_result", called)
    return counts


def jag(value):
    """The same methods on an array and on an expression."""
    return value if isinstance(value, aj.JaggedArray) else value.jag


def check(function, x, extension):
    """An expression gives what the array gives, type and values, by both engines."""
    expected = function(x)
    df = pl.DataFrame({"v": x.to_polars(extension=extension)})
    for engine in ("in-memory", "streaming"):
        back = from_series(df.lazy().select(function(c("v").jag)).collect(engine=engine).to_series())
        assert (back.type, back.ndim) == (expected.type, expected.ndim)
        assert_lists_equal(back.to_list(), expected.to_list(), rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=20)
@given(data=st.data(), extension=st.booleans())
def test_native_calls_agree(name, data, extension):
    column = data.draw(arrow_columns(2, LEAVES, storages=["list", "large_list"], small=True))
    check(CALLS[name], aj.from_arrow(column.array, 2), extension)


@pytest.mark.parametrize("name", ITEMS)
@settings(max_examples=20)
@given(data=st.data(), extension=st.booleans(), ndim=st.integers(2, 3))
def test_native_calls_on_items_agree(name, data, extension, ndim):
    column = data.draw(arrow_columns(ndim, LEAVES, storages=["list", "large_list"], small=True))
    check(ITEMS[name], aj.from_arrow(column.array, ndim), extension)


@pytest.mark.parametrize("name", ["any", "all"])
@settings(max_examples=20)
@given(data=st.data())
def test_any_and_all_agree(name, data):
    column = data.draw(arrow_columns(2, st.just(pa.bool_()), storages=["list", "large_list"], small=True))
    check(lambda v: getattr(v, name)(), aj.from_arrow(column.array, 2), False)


COMPARISONS = {
    "eq": lambda v, bound: v == bound,
    "ne": lambda v, bound: v != bound,
    "lt": lambda v, bound: v < bound,
    "le": lambda v, bound: v <= bound,
    "gt": lambda v, bound: v > bound,
    "ge": lambda v, bound: v >= bound,
}


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("bound", [0, 1.5, 2.0, -0.5, -0.0, float("nan"), float("inf"), 1e300, 2**63, 2.0**53, -1, True, None])
@pytest.mark.parametrize("dtype", [pa.float64(), pa.float32(), pa.int64(), pa.uint8()])
def test_comparisons_are_those_of_the_standard(name, bound, dtype):
    """NaN is unequal to all and in no order, and bounds outside of a type are compared as numbers."""
    rows = [[0, 1, 2], [255, None], [], None]
    if pa.types.is_int64(dtype):
        rows += [[2**53 - 1, 2**53, 2**53 + 1, -1, -(2**63)]]
    if pa.types.is_floating(dtype):
        rows += [[float("nan"), float("inf"), -float("inf"), -0.0, 1.5]]
    for x in (aj.array(rows, type=dtype), aj.array([rows, None, []], type=dtype)):
        check(lambda v: COMPARISONS[name](v, bound), x, False)


@pytest.mark.parametrize("function", [lambda v: v + (2**63 - 1), lambda v: v - 1, lambda v: 3 * v, abs, lambda v: -v])
def test_integers_wrap_as_those_of_the_array_do(function):
    check(function, aj.array([[-(2**63), 2**63 - 1], [5]]), True)


@pytest.mark.parametrize("name", {**CALLS, **ITEMS})
def test_the_table_is_used(native, name):
    leaf = pa.int64() if name in ("sum", "mean") else pa.float64()  # sums of floats are added in our order
    df = pl.DataFrame({"v": aj.array([[1, 2], None, []], type=leaf).to_polars()})
    df.select({**CALLS, **ITEMS}[name](c("v").jag))
    assert native["native"] > 0
    assert native["python"] == 0


@pytest.mark.parametrize("function", [lambda v: v < 1.5, lambda v: v == 2.0, lambda v: v != 2.0, lambda v: v * pl.lit(3, pl.Int64)])
def test_integers_are_compared_with_floats_natively(native, function):
    x = aj.array([[1, 2], None, [], [3, None]])
    got = pl.DataFrame({"v": x.to_polars()}).select(function(c("v").jag))["v"]
    assert native["python"] == 0
    assert got.to_list() == (function(x).to_list() if got.dtype.leaf == pl.Boolean else (x * 3).to_list())


def test_a_shared_call_is_computed_once(native):
    scaled = c("v").jag * 2.0
    got = pl.DataFrame({"v": [[1.0, 2.0], [3.0]]}).select(scaled - scaled)["v"]
    assert got.to_list() == [[0.0, 0.0], [0.0]]
    assert native["python"] == 1


OURS = {
    "sums of narrow integers": (pl.List(pl.Int32), lambda v: v.sum()),
    "sums of floats": (pl.List(pl.Float64), lambda v: v.sum()),
    "means of floats": (pl.List(pl.Float64), lambda v: v.mean()),
    "options": (pl.List(pl.Int64), lambda v: v.sum(min_count=1)),
    "another axis": (pl.List(pl.Int64), lambda v: v.sum(axis=0)),
    "three dims": (pl.List(pl.List(pl.Int64)), lambda v: v.sum()),
    "declared extents": (pl.Array(pl.Int64, 2), lambda v: v.sum()),
    "mixed types": (pl.List(pl.Float32), lambda v: v * pl.lit(2.5, pl.Float64)),
    "integer lists and floats": (pl.List(pl.Int64), lambda v: v * 2.5),
    "integers and a float that rounds them": (pl.List(pl.Int64), lambda v: v < 2.0**53),
    "integers that equal a fraction": (pl.List(pl.Int64), lambda v: v == 2.5),
    "two lists": (pl.List(pl.Float64), lambda v: v + v),
    "lists and arrays": (pl.List(pl.Float64), lambda v: v * pl.lit(pl.Series([[2.5]], dtype=pl.Array(pl.Float64, 1)))),
    "integers divided": (pl.List(pl.Int64), lambda v: v / 3),
    "narrow integers": (pl.List(pl.Int8), lambda v: v + 1),
    "texts": (pl.List(pl.String), lambda v: v == "a"),
    "two columns compared": (pl.List(pl.Float64), lambda v: v <= pl.lit(2.5)),
    "a number without an exact inverse": (pl.List(pl.Float64), lambda v: v / 3),
    "a number whose inverse is infinite": (pl.List(pl.Float32), lambda v: v / 2.0**-149),
    "a divisor per row": (pl.List(pl.Float64), lambda v: v / pl.lit(2.5)),
    "a term per row": (pl.List(pl.Float64), lambda v: v - pl.lit(2.5)),
    "a number that float32 rounds to zero": (pl.List(pl.Float32), lambda v: v + 1e-300),
    "positions from the end": (pl.List(pl.Float64), lambda v: v.slice(-1, 1)),
}


@pytest.mark.parametrize("why", OURS)
def test_results_follow_arrowjag_where_polars_differs(native, why):
    dtype, function = OURS[why]
    pl.DataFrame({"v": pl.Series([None, None], dtype=dtype)}).select(function(c("v").jag))
    assert native == {"native": 0, "python": 1}


IN_BLOCKS = {
    "sum": lambda v: v.sum(),
    "mean": lambda v: v.mean(),
    "min": lambda v: v.min(),
    "n_unique": lambda v: v.n_unique(),
    "lengths": lambda v: v.lengths(),
    "above": lambda v: v > 0.5,
    "at least": lambda v: v >= 0.5,
}
"""Calls that look at the values, block by block."""


@pytest.mark.parametrize("name", IN_BLOCKS)
@settings(max_examples=30)
@given(data=st.data(), extension=st.booleans())
def test_blocks_of_rows_are_put_together(name, data, extension):
    leaves = [pa.float64(), pa.float32(), pa.int64(), pa.uint64(), pa.int8()]
    x = aj.from_arrow(data.draw(arrow_columns(2, st.sampled_from(leaves), storages=["list", "large_list"])).array, 2)
    try:
        IN_BLOCKS[name](x)
    except aj.JagOverflowError:
        return
    with strategy.force(EXPRESSION_VALUES=2, EXPRESSION_BLOCK=5, EXPRESSION_FLAGS=8):
        check(IN_BLOCKS[name], x, extension)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_slices_and_chunks_of_lists(name):
    x = aj.array([[1.0, 0.25], [], None, [2.0, None], [float("nan"), 0.5], [-0.0], [0.75]] * 3)
    s = x.to_polars("v", extension=False)
    hidden = pl.Series(
        "v", pa.LargeListArray.from_arrays([0, 2, 4, 5], pa.array([1.0, 2.0, 3.0, 4.0, 9.0]), mask=pa.array([False, True, False]))
    )
    pieces = [s.slice(2, 9), s.slice(4, 0), s.slice(10, 3), s.slice(13, 5), hidden, hidden.slice(1, 2)]
    chunked = pl.concat(pieces, rechunk=False)
    for column in (s, chunked, chunked.slice(3, 12), *pieces):
        with strategy.force(EXPRESSION_VALUES=2, EXPRESSION_BLOCK=5, EXPRESSION_FLAGS=8):
            got = from_series(pl.DataFrame({"v": column}).select(IN_BLOCKS[name](c("v").jag)).to_series())
        expected = IN_BLOCKS[name](from_series(column))
        assert_lists_equal(got.to_list(), expected.to_list())


@pytest.mark.parametrize("least", [2, 10**9])
@pytest.mark.parametrize(("dtype", "limit"), [(pa.int64(), 2**63 - 1), (pa.uint64(), 2**64 - 1)])
def test_integer_sums_are_exact_up_to_the_limit_and_raise_above(least, dtype, limit):
    rows = [[1], [limit - 5, 2, 3], [], None, [limit // 2, limit // 2]]
    for last in ([7], [limit, 1]):
        df = pl.DataFrame({"v": aj.array([*rows, last], type=dtype).to_polars()})
        for engine, row in (("in-memory", "5"), ("streaming", "[0-5]")):
            lazy = df.lazy().select(c("v").jag.sum())
            with strategy.force(EXPRESSION_VALUES=least):
                if last == [7]:
                    assert lazy.collect(engine=engine)["v"].to_list() == [1, limit, 0, None, limit // 2 * 2, 7]
                    continue
                with pytest.raises(aj.JagOverflowError, match=f"^column 'v': sum: integer overflow, the result of row {row} "):
                    lazy.collect(engine=engine)


@pytest.mark.parametrize("least", [2, 10**9])
def test_sums_of_large_negative_integers_raise(least):
    df = pl.DataFrame({"v": aj.array([[-(2**62)] * 2, [], [-(2**62)] * 3]).to_polars()})
    with strategy.force(EXPRESSION_VALUES=least):
        assert df[:2].select(c("v").jag.sum())["v"].to_list() == [-(2**63), 0]
        with pytest.raises(aj.JagOverflowError, match=r"^column 'v': sum: integer overflow, the result of row 2 "):
            df.select(c("v").jag.sum())


@pytest.mark.parametrize("name", ["sum", "mean"])
def test_null_rows_that_hold_large_integers(name):
    items = pa.array([2**62] * 6)
    hidden = pl.Series("v", pa.LargeListArray.from_arrays([0, 3, 6], items, mask=pa.array([True, True])))
    assert pl.DataFrame(hidden).select(getattr(c("v").jag, name)()).to_series().to_list() == [None, None]


def test_means_of_large_integers_are_rounded_once():
    x = aj.array([[2**53 + 1, 1], [2**62, 2**62 - 1, 5], [3, 4], [-(2**63), 2**63 - 1]])
    barely = [2**52, 1, 2**52, 1]  # floats hold the sum, but not the one on the way to it
    for rows in (x, x[:1], aj.array([barely]), aj.array([sorted(barely)[::-1]]), aj.array([[-one for one in barely]])):
        assert pl.DataFrame({"v": rows.to_polars()}).select(c("v").jag.mean())["v"].to_list() == rows.mean().to_list()


def test_empty_rows_sum_to_plus_zero():
    for rows in ([[]], [[1.0], []], [[], [2.0], [], None]):
        for dtype in (pl.Float64, pl.Float32):
            got = pl.DataFrame({"v": pl.Series(rows, dtype=pl.List(dtype))}).select(c("v").jag.sum()).to_series()
            assert (got.name, got.dtype) == ("v", dtype)
            assert [str(one) for one, row in zip(got, rows, strict=True) if row == []] == ["0.0"] * rows.count([])


@pytest.mark.parametrize("n", [2**63 - 1, 2**63, 2**70])
@pytest.mark.parametrize(
    "function", [lambda v, n: v.head(n), lambda v, n: v.tail(n), lambda v, n: v.slice(n, 1), lambda v, n: v.slice(1, n)]
)
def test_positions_beyond_64_bits_are_beyond_every_row(function, n):
    check(lambda v: function(v, n), aj.array([[1, 2, 3], [], None]), False)


def test_operators_of_a_list_column_and_a_plain_column():
    x, k = aj.array([[1.0, None], None, [], [2.0]]), aj.array([2.0, 3.0, None, None])
    df = pl.DataFrame({"v": x.to_polars(), "k": k.to_polars()})
    assert_lists_equal(from_series(df.select(c("v").jag - c("k"))["v"]).to_list(), (x - k).to_list())
    assert_lists_equal(from_series(df.select(c("k") - c("v").jag)["k"]).to_list(), (k - x).to_list())


def test_adding_zero_is_not_left_to_polars():
    """polars returns x for x + 0, so that -0.0 stays."""
    df = pl.DataFrame({"v": [[-0.0, 1.0]]})
    got = df.select(plus=pl.col("v").jag + 0, minus=pl.col("v").jag - (-0.0))
    assert [str(one) for one in got["plus"].to_list()[0]] == ["0.0", "1.0"]
    assert [str(one) for one in got["minus"].to_list()[0]] == ["0.0", "1.0"]


NUMBERS = [0.0, -0.0, 1, 2, 3, -7, 0.1, 2.0**-149, 5e-324, 1e-300, 1e30, float("inf")]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_floats_have_the_bits_of_the_array(name, dtype):
    """Also where a column repeats one number, which polars then takes for a constant."""
    function = getattr(operator, name)
    x = aj.array([[2.5, -0.0, 0.0, 7.3], [1.1, 0.7, 1e30, -3.0]], type=dtype)
    for number in NUMBERS:
        with np.errstate(over="ignore"):
            repeated = np.full(2, number, dtype)
        k = aj.array(repeated)
        df = pl.DataFrame({"v": x.to_polars(), "k": k.to_polars()})
        columns = {"each": c("k"), "literal": pl.lit(pl.Series(repeated[:1]))}
        for found, expected in (
            (df.select(function(c("v").jag, number)), function(x, number)),
            *((df.select(function(c("v").jag, one)), function(x, k)) for one in columns.values()),
            *((df.select(function(one, c("v").jag)), function(k, x)) for one in columns.values()),
        ):
            assert repr(from_series(found.to_series()).to_list()) == repr(expected.to_list()), number
