"""skew, kurtosis, sem, mad, entropy, moment, ptp and bootstrap."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import NUMBERS, any_axis, as_list

TOLERANCE = {"float": 1e-4, "double": 1e-8}


@pytest.mark.parametrize("name", ["skew", "kurtosis", "sem", "mad", "entropy", "moment", "ptp"])
@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_moments_of_every_number_at_every_axis(name: str, leaf: pa.DataType, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    options: dict[str, Any] = {"skip_nulls": data.draw(st.booleans()), "min_count": data.draw(st.none() | st.integers(0, 3))}
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    more = {"moment": {"k": data.draw(st.integers(0, 4))}, "sem": {"ddof": data.draw(st.integers(0, 2))}}.get(name, {})
    got = getattr(x, name)(axis=axis, **options, **more)
    assert got.type == (leaf if pa.types.is_floating(leaf) else pa.float64())
    expected = ref.reduction(name, x.to_list(), ndim, axis, extents=x.shape.extents, **options, **more)
    rel = TOLERANCE[str(got.type)]
    assert_lists_equal(as_list(got), expected, rel_tol=rel, abs_tol=rel)


@pytest.mark.parametrize("name", ["skew", "kurtosis"])
@pytest.mark.parametrize("value", [0.1, 1e300, -3.7, 2**63 - 1])
@pytest.mark.parametrize("n", [4, 5, 7, 129, 300])
def test_rows_of_equal_items_are_nan(name: str, value: float, n: int) -> None:
    x = aj.from_sizes([value] * n + [1] * 4, [n, 4])
    assert all(map(math.isnan, getattr(x, name)().to_list()))
    assert math.isnan(x.corr(aj.from_sizes(range(n + 4), [n, 4])).to_list()[0])


def test_integers_beyond_2_53_keep_their_moments() -> None:
    row = [2**60 + k for k in (0, 1, 2, 10)]
    x = aj.array([row, [-(2**62), 2**62, 0, 1], [2**63, 2**63 + 4, 2**63 + 8, 2**64 - 1][:0]])
    for name in ("skew", "kurtosis", "sem", "mad", "ptp"):
        expected = [ref.GROUP[name](one) for one in x.to_list()]
        assert_lists_equal(getattr(x, name)().to_list(), expected)
    y = aj.array([[2**63, 2**63 + 4, 2**63 + 12, 2**64 - 1]], type=pa.uint64())
    assert y.ptp().to_list() == [float(2**63 - 1)]
    assert_lists_equal(y.skew().to_list(), [ref.skew(y.to_list()[0])])


def test_decimals_and_moments_of_time() -> None:
    d = aj.array([[decimal.Decimal("1.5"), decimal.Decimal("2.5"), None, decimal.Decimal("9.0")], []])
    values = [1.5, 2.5, 9.0]
    assert d.ptp().to_list() == [decimal.Decimal("7.5"), None]
    for name in ("skew", "sem", "mad", "entropy"):
        assert_lists_equal(getattr(d, name)().to_list(), [ref.GROUP[name](values), None])
    t = aj.array([[dt.date(2020, 1, 1), dt.date(2020, 1, 5)], []])
    assert t.ptp().to_list() == [dt.timedelta(days=4), None]
    assert aj.array([[dt.timedelta(1), dt.timedelta(3)]]).ptp().to_list() == [dt.timedelta(2)]


@pytest.mark.parametrize("type", [pa.timestamp("ns"), pa.duration("us")], ids=str)
def test_ptp_of_times_that_are_too_far_apart(type: pa.DataType) -> None:
    x = aj.array([[[2**62, 2], [-(2**62), None, 2**62]]], type=pa.int64()).cast(type)
    for axis, where in ((-1, r"row \[0\]\[1\]"), (None, "the frame"), (1, r"row \[0\]\[0\]")):
        with pytest.raises(JagOverflowError, match=rf"ptp: the result of {where} does not fit duration\[.s\]; cast to a coarser"):
            x.ptp(axis=axis)


@pytest.mark.parametrize("name", ["skew", "kurtosis", "sem", "mad", "entropy", "ptp"])
def test_texts_have_no_moments(name: str) -> None:
    with pytest.raises(JagTypeError, match=rf"{name}.*string"):
        getattr(aj.array([["a"]]), name)()


def test_infinite_items() -> None:
    x = aj.array([[1.0, math.inf, 2.0, 3.0], [math.inf, -math.inf, 1.0, 2.0], [math.inf, math.inf, 1.0, 2.0]])
    for name in ("skew", "kurtosis", "sem"):
        assert all(map(math.isnan, getattr(x, name)().to_list()))
    assert_lists_equal(x.ptp().to_list(), [math.inf] * 3)
    assert_lists_equal(x.mad().to_list()[:1], [1.0])


def test_entropy_of_shares_that_are_negative_or_undefined() -> None:
    assert_lists_equal(aj.array([[0, 0], [3, -1], [-1, -1], [5]]).entropy().to_list(), [math.nan, -math.inf, math.log(2), 0.0])


def test_moment_takes_whole_numbers() -> None:
    with pytest.raises(JagValueError, match="moment: k must not be negative, got -1"):
        aj.array([[1]]).moment(-1)
    with pytest.raises(JagTypeError, match="moment: k must be an int, got float"):
        aj.array([[1]]).moment(2.0)  # type: ignore[arg-type]


@given(st.data())
def test_bootstrap_means_lie_within_the_row(data: st.DataObject) -> None:
    ndim, n, seed = data.draw(st.integers(1, 3)), data.draw(st.integers(0, 3)), data.draw(st.integers(0, 2**40))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int32(), small=True))
    got = as_list(x.bootstrap(n, seed, axis))
    rows = ref.reduce(lambda leaves: [("row", [v for v in leaves if v is not None])], x.to_list(), ndim, axis, x.shape.extents)

    def check(row: Any, means: Any) -> None:
        if row is None:
            assert means is None
        elif row and isinstance(row[0], tuple):
            assert ref.bootstrap(row[0][1], means, n)
        else:
            for one, two in zip(row, means, strict=True):
                check(one, two)

    check(rows, got)
    assert got == as_list(x.bootstrap(n, seed, axis))


@pytest.mark.parametrize("type", [pa.float64(), pa.int32()])
def test_bootstrap_means_are_of_the_items_that_one_generator_draws(type: pa.DataType, with_and_without_loops: str) -> None:
    x = aj.array([[3, 8, 1, 9], [], [5, None, 7], None, [2], [6, 4]], type=type)
    got = x.bootstrap(5, seed=4).to_list()
    rows = [None if row is None else [item for item in row if item is not None] for row in x.to_list()]
    draws = np.random.default_rng(4).random((5, sum(len(row or []) for row in rows)))
    expected: list[Any] = []
    at = 0
    for row in rows:
        places = [[int(draw * len(row)) for draw in each[at : at + len(row)]] for each in draws] if row else []
        none = None if row is None else [None] * 5
        expected.append([sum(row[place] for place in each) / len(row) for each in places] if row else none)
        at += len(row or [])
    assert got == expected


def test_bootstrap_means_of_infinities_raise_no_warning() -> None:
    found = aj.array(np.full((3000, 2), [math.inf, -math.inf])).bootstrap(8, seed=1)
    assert found.is_nan().any(axis=None).as_py()


def test_bootstrap_spreads_as_the_standard_error_says() -> None:
    x = aj.array([np.random.default_rng(0).normal(size=400).tolist()])
    means = x.bootstrap(2000, seed=1)
    assert means.lengths().to_list() == [2000]
    assert abs(means.std().to_list()[0] / x.sem().to_list()[0] - 1) < 0.1
    with strategy.force(CACHE_VALUES=50):  # how many means are drawn at once changes nothing
        assert x.bootstrap(2000, seed=1).equals(means)
    with pytest.raises(JagValueError, match="bootstrap: n must not be negative, got -1"):
        x.bootstrap(-1, seed=1)
    with pytest.raises(JagTypeError, match=r"bootstrap.*string"):
        aj.array([["a"]]).bootstrap(1, seed=1)


@pytest.mark.parametrize("k", [65, 66, 67, 1000, 2**62])
def test_high_moments_take_no_longer_than_low_ones(k: int) -> None:
    x = [[1.0, 1.5, 2.25, 0.75], [-2.0, 2.0, 5.0]]
    expected = []
    for row in x:
        deviations = [one - sum(row) / len(row) for one in row]
        with np.errstate(all="ignore"):
            expected.append(float(np.mean([np.sign(one) ** (k % 2) * np.abs(one) ** float(k) for one in deviations])))
    assert aj.array(x).moment(k).to_list() == pytest.approx(expected, nan_ok=True)


def test_more_means_than_memory_are_refused() -> None:
    with pytest.raises(aj.JagOverflowError, match=r"bootstrap: .* means don't fit into memory"):
        aj.array([[1, 2]]).bootstrap(2**62, seed=0)


def test_equal_items_after_a_null_deviate_by_exactly_0() -> None:
    """Deviations are taken from the first item that is known: from 0, the sum of three times 0.1 would leave a rest."""
    x = aj.array([[None, 0.1, 0.1, 0.1], [], None, [None]])
    found = {}
    with strategy.force(central="numpy", variance="numpy", product="numpy"):
        for k in (2, 3, 4):
            found[k] = x.moment(k).to_list()
        found["cov"] = x.cov(x, ddof=0).to_list()
        found["var"] = x.var().to_list()
    assert all(one[0] == 0.0 for one in found.values()), found


@pytest.mark.parametrize("leaf", [pa.decimal32(5, 2), pa.decimal128(30, 2), pa.decimal256(60, 2)])
def test_mad_of_decimals(leaf: pa.DataType) -> None:
    x = aj.array([[decimal.Decimal("1.5"), decimal.Decimal("2.25"), decimal.Decimal(9), None], [], None], type=leaf)
    assert x.mad().to_list() == [0.75, None, None]


@pytest.mark.parametrize("type", ["float64", "float32"])
def test_the_range_of_one_row(type: str) -> None:
    x = aj.array([[0.5, -0.0, 3.0, 1.5]]).cast(type)
    assert x.ptp().to_list() == [3.0]
    assert math.isnan(aj.array([[float("nan"), 1.0]]).cast(type).ptp().to_list()[0])
    assert aj.array([[-0.0, 0.0]]).cast(type).ptp().to_list() == [0.0]
    assert aj.array([[None, 2.0, 7.0]]).cast(type).ptp().to_list() == [5.0]
