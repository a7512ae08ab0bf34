"""A huge row that is cut into parts is sorted and ranked as it is in one piece, however its values are distributed."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.order import batches, digits, rank, search, sort
from arrowjag.typing import RankMethod
from tests.kernels.rows import EVERY_DTYPE, bits, items, make

METHODS = get_args(RankMethod)


def agree(function):
    results = []
    for huge in (1, 2**62):
        with strategy.force(HUGE=huge, SMALL_VALUES=0):
            results.append(function())
    np.testing.assert_equal(*results)


@st.composite
def one_row(draw):
    dtype = draw(st.sampled_from(EVERY_DTYPE))
    item = draw(st.sampled_from([items(dtype), st.none() | items(dtype)]))
    return make([draw(st.lists(item, min_size=2, max_size=40)) * draw(st.sampled_from([1, 5]))], dtype)


def known(data, valid):
    """Bits of what is not null."""
    return np.where(np.ones(len(data), bool) if valid is None else valid, bits(data), 0)


@given(one_row(), st.booleans(), st.sampled_from(METHODS))
def test_short_rows(case, descending, method):
    with strategy.force(POLARS_VALUES=1):
        agree(lambda: known(*sort.sort(case.data, case.valid, case.offsets, descending)))
    agree(lambda: sort.argsort(case.data, case.valid, case.offsets, descending))
    agree(lambda: sort.argsort(case.data, case.valid, case.offsets, descending, slots=True))
    agree(lambda: known(*rank.rank(case.data, case.valid, case.offsets, method, descending)))


def values(kind, n, rng):
    if kind == "zeros":
        return rng.choice([0.0, -0.0, 1.0, -1.0], n)
    if kind == "heavy":
        found = rng.standard_cauchy(n)
        found[::1000] = rng.choice([np.nan, np.inf, -np.inf, -0.0], len(found[::1000]))
        return found
    if kind == "crowded":
        return np.append(rng.random(n - 1) * 1e-3 + 1e6, 1e300)
    if kind == "wide":
        return rng.integers(-(2**63), 2**63 - 1, n)
    if kind == "few":
        return rng.integers(0, 5, n)
    return rng.integers(0, 2**40, n).astype(np.uint64) ** np.uint64(2)


KINDS = ["zeros", "heavy", "crowded", "wide", "few", "unsigned"]


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_one_huge_row_among_others(kind, nulls):
    rng = np.random.default_rng(0)
    offsets = np.cumsum([0, 3, 0, 150_000, 70_000, 5])
    data = values(kind, offsets[-1], rng)
    valid = rng.random(len(data)) > 0.1 if nulls else None

    def agree(function):
        cut = function()
        with strategy.force(HUGE=2**62):
            np.testing.assert_equal(cut, function())

    for descending in (False, True):
        agree(lambda falls=descending: known(*sort.sort(data, valid, offsets, falls)))
        agree(lambda falls=descending: sort.argsort(data, valid, offsets, falls))
        agree(lambda falls=descending: known(*rank.rank(data, valid, offsets, "dense", falls)))
        agree(lambda falls=descending: known(*rank.rank(data, valid, offsets, "average", falls)))


@pytest.mark.parametrize("n_bits", [15, 16, 17])
@pytest.mark.parametrize("nulls", [False, True])
def test_integers_on_both_sides_of_what_numpy_sorts_by_radix(nulls, n_bits):
    rng = np.random.default_rng(3)
    data = np.append(rng.integers(0, 2**n_bits, 3000), [0, 2**n_bits - 1] * 2) - 77
    valid = rng.random(len(data)) > 0.1 if nulls else None
    offsets = np.array([0, len(data)])
    for descending in (False, True):
        agree(lambda falls=descending: sort.argsort(data, valid, offsets, falls))
        for method in METHODS:
            agree(lambda falls=descending, by=method: known(*rank.rank(data, valid, offsets, by, falls)))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_search_of_a_huge_row(kind, nulls, side):
    rng = np.random.default_rng(2)
    offsets, cuts = np.array([0, 3, 3, 60_000, 60_005]), np.cumsum([0, 5, 2, 230_000, 3])
    valid = rng.random(offsets[-1]) > 0.1 if nulls else None
    data, valid = sort.sort(values(kind, offsets[-1], rng), valid, offsets)
    sought = values(kind, cuts[-1], rng)
    found = search.searchsorted(data, offsets, sought, cuts, side, valid)
    with strategy.force(HUGE=2**62):
        assert np.array_equal(found, search.searchsorted(data, offsets, sought, cuts, side, valid))


@pytest.mark.parametrize("n_bits", [1, 5, 12, 13, 40, 64])
def test_partitions_are_ordered_by_value(n_bits):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2**n_bits - 1, 50_000, np.uint64, endpoint=True)
    codes[::3] >>= np.uint64(n_bits // 2)
    order, cuts = batches.partition_by_value(codes, n_bits)
    assert np.array_equal(np.sort(order), np.arange(50_000))
    assert cuts[0] == 0
    assert cuts[-1] == 50_000
    assert (np.diff(cuts) > 0).all()
    parts = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    assert (np.diff(order)[np.diff(parts) == 0] > 0).all()
    low, high = np.minimum.reduceat(codes[order], cuts[:-1]), np.maximum.reduceat(codes[order], cuts[:-1])
    assert (high[:-1] < low[1:]).all()


@pytest.mark.parametrize("way", ["radix", "count"])
@pytest.mark.parametrize("n_bits", [0, 1, 8, 9, 12, 16, 17, 24, 33, 62])
def test_order_of_numbers_of_any_width_is_stable(n_bits, way):
    numbers = np.random.default_rng(3).integers(0, 2**n_bits, 600).repeat(2)
    numbers[::5] %= 2**16 + 2  # some differ in their low bits alone, others in their high bits
    numbers[1::5] &= ~0xFFFF
    wanted = np.argsort(numbers, kind="stable")
    with strategy.force(digits=way):
        for largest in (None, 2**n_bits, 2**63 - 1):
            assert np.array_equal(digits.radix_order(numbers, largest), wanted)
        assert digits.radix_order(numbers[:0]).tolist() == []
