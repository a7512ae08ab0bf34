"""sample."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, grouped

SEEDS = st.integers(0, 2**40)


@given(st.data())
def test_samples_keep_the_order_at_every_axis(data: st.DataObject) -> None:
    ndim, seed, n = data.draw(st.integers(1, 3)), data.draw(SEEDS), data.draw(st.integers(0, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    flat, first = grouped(x.to_list(), ndim, axis)
    for got, whole in ((x.sample(n=n, seed=seed, axis=axis), True), (x.sample(fraction=0.5, seed=seed, axis=axis), False)):
        assert got.type == x.type
        for before, after in zip(ref.items(flat, first), ref.items(got.to_list(), first), strict=True):
            if before is None:
                assert after is None
                continue
            assert not whole or len(after) == min(n, len(before))
            left = iter(map(repr, before))
            assert all(repr(one) in left for one in after)  # a subsequence: `in` moves the iterator on


def test_another_seed_gives_another_order() -> None:
    x = aj.arange(1, 100)
    assert not x.shuffle(1).equals(x.shuffle(2))
    assert not x.sample(n=50, seed=1).equals(x.sample(n=50, seed=2))


def test_every_order_and_every_choice_is_about_as_likely() -> None:
    rows = aj.arange(6000, [3] * 6000) % 3
    orders = Counter(map(tuple, rows.shuffle(7).to_list()))
    assert len(orders) == 6
    assert all(800 < count < 1200 for count in orders.values())
    choices = Counter(map(tuple, rows.sample(n=1, seed=7).to_list()))
    assert all(1800 < count < 2200 for count in choices.values())
    assert 0.45 < np.mean(rows.sample(fraction=0.5, seed=7).lengths().values) / 3 < 0.55


def test_a_number_for_each_row() -> None:
    x = aj.array([[1, 2, 3], [4, 5], None, [6], [7]])
    got = x.sample(n=[2, 9, 1, -1, None], seed=3)
    assert got.lengths().to_list() == [2, 2, None, 0, None]
    assert aj.array([[[1], [2]], []]).sample(n=[[1, 1], None], seed=1).to_list() == [[[1], [2]], None]
    assert aj.array([[[1, 2], [3]], [[4, 5]]]).sample(n=[0, 1], seed=1, axis=-1).lengths().to_list() == [[0, 0], [1]]


def test_more_than_64_bits_with_a_sign_hold_takes_all_items() -> None:
    many = aj.array([2**64 - 1, 1], type=pa.uint64())
    assert aj.array([[1, 2, 3], [4]]).sample(n=many, seed=1).to_list() == [[1, 2, 3], [4]]


def test_ends_of_the_range() -> None:
    x = aj.array([[1, None, 3], [], None])
    assert_equal(x.sample(fraction=1, seed=0), x)
    assert x.sample(fraction=0.0, seed=0).to_list() == [[], [], None]
    assert_equal(x.sample(n=10**15, seed=0), x)


def test_refused_arguments() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match="exactly one of fraction= and n=, got none"):
        x.sample(seed=1)
    with pytest.raises(JagValueError, match="exactly one of fraction= and n=, got both"):
        x.sample(n=1, fraction=0.5, seed=1)
    with pytest.raises(JagValueError, match="fraction must be from 0 to 1"):
        x.sample(fraction=2, seed=1)
    with pytest.raises(JagTypeError, match="fraction must be a number"):
        x.sample(fraction="half", seed=1)
    with pytest.raises(JagTypeError, match="n must be integers"):
        x.sample(n=1.5, seed=1)
    with pytest.raises(JagValueError, match="n must not be negative"):
        x.sample(n=-1, seed=1)
    with pytest.raises(ShapeError, match="n has 2 dims"):
        x.sample(n=[[1, 1]], seed=1)
    with pytest.raises(JagTypeError, match="seed must be an int, got float"):
        x.shuffle(1.5)
    with pytest.raises(JagValueError, match="seed must not be negative"):
        x.shuffle(-1)


def test_halves_and_longest_rows() -> None:
    x = aj.arange(1, 300_000)
    assert sorted(x.shuffle(3).values.to_pylist()) == list(range(300_000))
    assert aj.array([[None]], type=pa.null(), ndim=2).shuffle(1).to_list() == [[None]]


@given(st.data())
def test_weighted_samples_hold_weighty_items_only(data: st.DataObject) -> None:
    ndim, seed, n = data.draw(st.integers(1, 3)), data.draw(SEEDS), data.draw(st.integers(0, 3))
    x = data.draw(jagged_arrays(ndim, pa.int32(), nulls=False))
    weights = ref.at_depth(lambda _: data.draw(st.sampled_from([None, 0, 1, 2.5])), x.to_list(), ndim)
    got = x.sample(n=n, seed=seed, weights=aj.array(weights, type=pa.float64(), ndim=ndim))
    weighty = ref.filter_items(ref.Jag(x.to_list(), ndim), ref.Jag(ref.at_depth(bool, weights, ndim), ndim))
    assert ref.sample(weighty, got.to_list(), ndim, n)


def test_samples_follow_the_weights() -> None:
    x = aj.array([[0, 1, 2, 3]] * 20_000)
    drawn = x.sample(n=1, seed=3, weights=[[1, 2, 3, 4]] * 20_000).values.to_numpy()
    assert np.allclose(np.bincount(drawn) / len(drawn), [0.1, 0.2, 0.3, 0.4], atol=0.02)
    rows = aj.array([[1], [2], [3]]).sample(n=1, seed=1, weights=[0, 0, 1], axis=0)
    assert rows.to_list() == [[3]]
    assert aj.array([[[1, 2], [3]]]).sample(n=2, seed=1, weights=[[[0, 1], [1]]], axis=None).to_list() == [2, 3]


def test_refused_weights() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match="weights apply to n=, not to fraction="):
        x.sample(fraction=0.5, seed=1, weights=[[1, 1]])
    with pytest.raises(JagValueError, match="weights must not be negative, got -1 in row 0"):
        x.sample(n=1, seed=1, weights=[[1, -1]])
    with pytest.raises(JagValueError, match="weights must be numbers, got NaN"):
        x.sample(n=1, seed=1, weights=[[1, float("nan")]])
    with pytest.raises(JagTypeError, match="weights must be numbers"):
        x.sample(n=1, seed=1, weights=[["a", "b"]])
