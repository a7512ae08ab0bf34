"""The native table: what polars computes itself is what the array computes, over every kind of column."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.polars import from_series, lowering
from arrowjag.testing import arrow_columns, assert_lists_equal

c = pl.col
CALLS = {
    "sum": lambda v: v.sum(),
    "mean": lambda v: v.mean(),
    "min": lambda v: v.min(),
    "max": lambda v: v.max(),
    "first": lambda v: v.first(),
    "last": lambda v: v.last(),
    "lengths": lambda v: v.lengths(),
    "head": lambda v: v.head(2),
    "slice": lambda v: v.slice(1, 2),
    "multiply": lambda v: v * 2.5,
    "from the left": lambda v: 1 - v,
    "divide": lambda v: v / 0,
}
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

    def called(self, series):
        counts["python"] += 1
        return evaluate(self, series)

    monkeypatch.setattr(lowering, "native", counted)
    monkeypatch.setattr(lowering._Evaluation, "_result", called)
    return counts


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=20)
@given(data=st.data(), extension=st.booleans())
def test_native_calls_agree(name, data, extension):
    column = data.draw(arrow_columns(2, LEAVES, storages=["list", "large_list"], small=True))
    x = aj.from_arrow(column.array, 2)
    expected = CALLS[name](x)
    df = pl.DataFrame({"v": x.to_polars(extension=extension)})
    for engine in ("in-memory", "streaming"):
        back = from_series(df.lazy().select(CALLS[name](c("v").jag)).collect(engine=engine).to_series())
        assert (back.type, back.ndim) == (expected.type, expected.ndim)
        assert_lists_equal(back.to_list(), expected.to_list(), rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_the_table_is_used(native, name):
    df = pl.DataFrame({"v": aj.array([[1.0, 2.0], None, []]).to_polars()})
    df.select(CALLS[name](c("v").jag))
    assert native["native"] > 0
    assert native["python"] == 0


OURS = {
    "integer sums raise on overflow": (pl.List(pl.Int64), lambda v: v.sum()),
    "options": (pl.List(pl.Float64), lambda v: v.sum(min_count=1)),
    "another axis": (pl.List(pl.Float64), lambda v: v.sum(axis=0)),
    "three dims": (pl.List(pl.List(pl.Float64)), lambda v: v.sum()),
    "declared extents": (pl.Array(pl.Float64, 2), lambda v: v.sum()),
    "mixed types": (pl.List(pl.Float32), lambda v: v * 2.5),
    "two lists": (pl.List(pl.Float64), lambda v: v + v),
    "positions from the end": (pl.List(pl.Float64), lambda v: v.slice(-1, 1)),
    "comparison": (pl.List(pl.Float64), lambda v: v > 1),
}


@pytest.mark.parametrize("why", OURS)
def test_what_polars_does_otherwise_is_ours(native, why):
    dtype, function = OURS[why]
    pl.DataFrame({"v": pl.Series([None, None], dtype=dtype)}).select(function(c("v").jag))
    assert native == {"native": 0, "python": 1}


def test_empty_rows_sum_to_plus_zero():
    for rows in ([[]], [[1.0], []], [[], [2.0], [], None]):
        for dtype in (pl.Float64, pl.Float32):
            got = pl.DataFrame({"v": pl.Series(rows, dtype=pl.List(dtype))}).select(c("v").jag.sum()).to_series()
            assert (got.name, got.dtype) == ("v", dtype)
            assert [str(one) for one, row in zip(got, rows, strict=True) if row == []] == ["0.0"] * rows.count([])


def test_a_plain_column_beside_a_list():
    x, k = aj.array([[1.0, None], None, [], [2.0]]), aj.array([2.0, 3.0, None, None])
    df = pl.DataFrame({"v": x.to_polars(), "k": k.to_polars()})
    assert_lists_equal(from_series(df.select(c("v").jag - c("k"))["v"]).to_list(), (x - k).to_list())
    assert_lists_equal(from_series(df.select(c("k") - c("v").jag)["k"]).to_list(), (k - x).to_list())
