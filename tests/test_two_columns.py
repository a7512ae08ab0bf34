"""corr, cov, linear_fit, and means and quantiles with weights."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS, over_aligned_axis
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.along import any_axis, as_list, common_extents
from tests.reference import Jag
from tests.surfaces import SURFACES, on_array

NUMBERS = [pa.float64(), pa.int32(), pa.uint8(), pa.bool_(), pa.null()]
LEAVES = st.sampled_from(NUMBERS)
NDIMS = st.sampled_from([(1, 1), (2, 2), (1, 2), (2, 1), (3, 2), (2, 3), (3, 3)])


@pytest.mark.parametrize("name", ["corr", "cov", "linear_fit"])
@given(st.data())
def test_complete_pairs_at_every_axis(name: str, data: st.DataObject) -> None:
    one, two = data.draw(NDIMS)
    x, y = data.draw(prefix_arrays((one, two), data.draw(LEAVES)))
    axis = data.draw(any_axis(max(one, two)))
    got = getattr(x, name)(y, axis)
    expected = ref.over_pairs(getattr(ref, name), Jag(x.to_list(), one), Jag(y.to_list(), two), axis, common_extents(x, y))
    assert_lists_equal(as_list(got), expected, rel_tol=1e-7, abs_tol=1e-9)


def test_incomplete_pairs_count_as_nulls() -> None:
    x, y = aj.array([[1.0, None, 3.0], [2.0, 3.0], [4.0]]), aj.array([[1.0, 2.0, 5.0], [2.0, 5.0], [6.0]])
    assert x.cov(y).to_list() == [4.0, 1.5, None]
    for one, two in ((x, y), (y, x)):
        assert one.cov(two, skip_nulls=False).to_list() == [None, 1.5, None]
        assert one.cov(two, min_count=3).to_list() == [None, None, None]
        assert one.cov(two, min_count=2).to_list() == [4.0, 1.5, None]


def test_types_of_pairs() -> None:
    f = aj.array([[1.0, 2.0]], type=pa.float32())
    i = aj.array([[1, 2]])
    assert f.corr(f).type == f.cov(f).type == pa.float32()
    assert f.corr(i).type == i.cov(i).type == pa.float64()
    fields = {field.name: field.type for field in f.linear_fit(f).type}
    assert fields == dict.fromkeys(("slope", "intercept", "r2"), pa.float32())
    with pytest.raises(JagTypeError, match=r"corr.*string"):
        i.corr(aj.array([["a", "b"]]))
    with pytest.raises(ShapeError, match=r"corr.*row 0"):
        i.corr(aj.array([[1, 2, 3]]))


def test_lines_through_large_integers() -> None:
    x, y = aj.array([[2**60, 2**60 + 1, 2**60 + 2]]), aj.array([[1, 3, 5]])
    (fit,) = x.linear_fit(y).to_list()
    assert fit["slope"] == 2.0
    assert fit["r2"] == 1.0
    assert math.isclose(fit["intercept"], 3 - 2 * (2**60 + 1))


def test_lines_through_integers_with_nulls() -> None:
    x, y = aj.array([[1, 2, None, 4, 7], [5, 6]]), aj.array([[3, 5, 100, 9, None], [1, 2]])
    fits = x.linear_fit(y).to_list()
    assert_lists_equal(fits, [{"slope": 2.0, "intercept": 1.0, "r2": 1.0}, {"slope": 1.0, "intercept": -4.0, "r2": 1.0}])


def test_lines_of_equal_items() -> None:
    x = aj.array([[1, 2, 3], [4, 4, 4], [0.1, 0.1, 0.1]])
    y = aj.array([[0.1, 0.1, 0.1], [1, 2, 3], [0.1, 0.1, 0.1]])
    fits = x.linear_fit(y).to_list()
    assert_lists_equal(fits, [{"slope": 0.0, "intercept": 0.1, "r2": math.nan}, *[dict.fromkeys(fits[0], math.nan)] * 2])


WEIGHTS = st.none() | st.sampled_from([0, 1, 2, 3, 0.5])


@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_weighted_means_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    w = aj.array(ref.at_depth(lambda _: data.draw(WEIGHTS), x.to_list(), ndim), type=pa.float64(), ndim=ndim)
    expected = ref.over_pairs(ref.weighted_mean, Jag(x.to_list(), ndim), Jag(w.to_list(), ndim), axis, x.shape.extents)
    assert_lists_equal(as_list(x.mean(axis, weights=w)), expected)


@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_weighted_quantiles_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, q = data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.9, 1.0]))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    w = aj.array(ref.at_depth(lambda _: data.draw(WEIGHTS), x.to_list(), ndim), type=pa.float64(), ndim=ndim)
    told = Jag(x.to_list(), ndim), Jag(w.to_list(), ndim), axis, x.shape.extents
    as_float = lambda v: None if v is None else float(v)  # noqa: E731
    one = ref.over_pairs(lambda pairs: as_float(ref.weighted_quantile(pairs, q)), *told)
    assert_lists_equal(as_list(x.quantile(q, axis=axis, weights=w)), one)
    several = ref.over_pairs(lambda pairs: [as_float(ref.weighted_quantile(pairs, one)) for one in (q, 0.5)], *told)
    assert_lists_equal(as_list(x.quantile([q, 0.5], axis=axis, weights=w)), several)


def test_weighted_quantiles_agree_with_numpy() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 10, 100):
        values, weights = rng.normal(size=n), rng.integers(0, 4, n).astype(float)
        weights[0] = 1
        for q in (0.0, 0.1, 0.3, 0.5, 0.7, 1.0):
            got = aj.array([values]).quantile(q, weights=[weights]).to_list()
            counted = weights > 0  # numpy 2.0 returns an item of weight 0 for q=0
            assert got == [float(np.quantile(values[counted], q, method="inverted_cdf", weights=weights[counted]))]


@pytest.mark.parametrize("leaf", [pa.decimal128(38, 2), pa.decimal256(60, 2), pa.decimal64(12, 1)], ids=str)
def test_weighted_quantiles_of_decimals_are_exact(leaf: pa.DataType) -> None:
    ones = (
        [Decimal("12345678901234567890.13"), Decimal("12345678901234567890.12")]
        if leaf.precision > 20
        else [Decimal("1234567890.2"), Decimal("1234567890.1")]
    )
    x = aj.array([[ones[0], None, ones[1]], [], None, [Decimal(1), Decimal(2)]], type=leaf, ndim=2)
    w = [[1, 9, 1], [], None, [0, 0]]
    got = x.quantile(0.6, weights=w)
    assert got.type == leaf
    assert got.to_list() == [ones[0], None, None, None]
    assert x.quantile([0.0, 1.0], weights=w).to_list() == [[ones[1], ones[0]], [None, None], None, [None, None]]
    assert x.quantile(0.5, weights=[[1, 1, math.inf], [], None, [1, 1]]).to_list() == [None, None, None, Decimal(1)]


@pytest.mark.parametrize("name", ["corr", "cosine"])
def test_rows_that_are_equal_bit_for_bit_give_exactly_one(name: str, with_and_without_loops: str) -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(2, 12, 3000)
    n = int(sizes.sum())
    for data in (rng.random(n), rng.random(n) * 1e150, rng.random(n) * 1e-150, rng.integers(0, 2**40, n)):
        x = aj.from_sizes(data, sizes)
        y = aj.from_sizes(-data, sizes)
        assert set(getattr(x, name)(x).to_list()) == {1.0}
        assert set(getattr(x, name)(y).to_list()) == {-1.0}


def test_weights_of_a_prefix_and_other_types() -> None:
    x = aj.array([[1, 2], [3], []])
    assert x.mean(weights=[2, 0, 1]).to_list() == [1.5, None, None]
    t = aj.array([[dt.date(2020, 1, 1), dt.date(2021, 1, 1)]])
    assert t.quantile(0.5, weights=[[1, 3]]).to_list() == [dt.date(2021, 1, 1)]
    assert t.quantile(0.5, weights=[[1, math.inf]]).to_list() == [None]
    assert math.isnan(x.quantile(0.5, weights=[[1, math.nan], [1], []]).to_list()[0])
    with pytest.raises(JagTypeError, match=r"mean.*date32"):
        t.mean(weights=[[1, 3]])
    with pytest.raises(JagTypeError, match="weights must be numbers"):
        x.mean(weights=[["a", "b"], ["c"], []])


@pytest.mark.parametrize("call", [lambda x, w: x.mean(weights=w), lambda x, w: x.quantile(0.5, weights=w)])
def test_negative_weights_name_the_row(call: Any) -> None:
    with pytest.raises(JagValueError, match=r"weights must not be negative, got -1 in row 1"):
        call(aj.array([[1], [1, 2]]), aj.array([[1], [1, -1]]))


def test_weights_allow_no_interpolation() -> None:
    with pytest.raises(JagValueError, match="weights allow no interpolation, got 'lower'"):
        aj.array([[1]]).quantile(0.5, "lower", weights=[[1]])


def test_streamed_morsels_give_the_rows_of_the_array() -> None:
    pl, np = pytest.importorskip("polars"), pytest.importorskip("numpy")
    rng = np.random.default_rng(0)
    x = aj.from_sizes(rng.normal(size=600_000), rng.multinomial(600_000, np.full(250_000, 1 / 250_000)))
    y, t = x * x, x.cumcount()
    frame = pl.DataFrame({"x": x.to_polars(), "y": y.to_polars(), "t": t.to_polars()}).lazy()
    cases = {
        "corr": (pl.col("x").jag.corr(pl.col("y")), x.corr(y)),
        "fit": (pl.col("x").jag.linear_fit(pl.col("y")), x.linear_fit(y)),
        "mean": (pl.col("x").jag.mean(weights=pl.col("y")), x.mean(weights=y)),
        "quantile": (pl.col("x").jag.quantile([0.1, 0.5]), x.quantile([0.1, 0.5])),
        "rolling": (pl.col("x").jag.rolling(3, on=pl.col("t")).std(), x.rolling(3, on=t).std()),
        "histogram": (pl.col("x").jag.histogram(3), x.histogram(3)),
    }
    lazy = frame.select(**{name: expression for name, (expression, _) in cases.items()})
    got = lazy.collect(engine="streaming")
    assert got.schema == lazy.collect_schema()
    for name, (_, expected) in cases.items():
        assert aj.array(got[name]).equals(expected), name


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.rule is over_aligned_axis])
def test_a_shorter_column_before_a_longer_one_keeps_the_rows(name: str) -> None:
    """The axis is one of the longer column, and so it doesn't reduce the rows of the frame, which pandas labels."""
    k, x = aj.array([2.0, 10.0, 3.0]), aj.array([[1.0, 2.0, 5.0], [], [3.0, 1.0, None, 1.5]])
    arguments = {
        "mean": {"weights": x},
        "quantile": {"q": 0.5, "weights": x},
        "fold": {"f": lambda s, a, b: s + a * b, "start": 0.0, "type": "float64"},
    }
    given, named = ((x,), {}) if name not in arguments else ((), arguments[name])
    if name == "fold":
        given, named = (named["f"], named["start"], x), {"type": named["type"]}
    expected = on_array(k, name, *given, **named)
    assert len(expected) == 3
    for surface in SURFACES.values():
        assert_lists_equal(surface(k, name, *given, **named), expected)
    labelled = lambda one: one.to_pandas(index=["a", "b", "c"]) if isinstance(one, aj.JaggedArray) else one  # noqa: E731
    by_pandas = getattr(labelled(k).jag, name)(*map(labelled, given), **{key: labelled(one) for key, one in named.items()})
    assert list(by_pandas.index) == ["a", "b", "c"]
