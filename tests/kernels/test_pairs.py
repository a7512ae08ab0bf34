"""Comparing the pairs of short rows gives the same results as sorting, for every threshold of short rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.equal import distinct, groups, sets
from arrowjag._kernels.order import pairs, rank, sort
from arrowjag.typing import RankMethod
from tests import reference as ref
from tests.kernels.rows import EVERY_DTYPE, Rows, make, many_rows, rows, same, to_lists

METHODS = get_args(RankMethod)


OPERATIONS = [name for name, choice in strategy.CHOICES.items() if "pairs" in choice.strategies]


def by_pairs(function, longest=28):
    """The result of a function when every row up to `longest` is compared pair by pair, however few there are."""
    with strategy.force(**dict.fromkeys(OPERATIONS, "pairs"), PAIRS_LENGTH=longest):
        return function()


def by_sorting(function):
    with strategy.force(PAIRS_VALUES=2**62):
        return function()


def agree(function, longest, known=lambda result: result):
    one, two = by_pairs(function, longest), by_sorting(function)
    np.testing.assert_equal(known(one), known(two))


def under_nulls(case: Rows):
    """Forget what stands under nulls."""

    def known(result):
        ranks, valid = result
        return np.where(valid, ranks, 0) if valid is not None else ranks

    return known


@pytest.fixture(autouse=True, scope="module")
def as_many():
    """Few values are sorted in one call, whatever the length of their rows."""
    with strategy.force(SMALL_VALUES=0):
        yield


LONGEST = st.sampled_from([1, 2, 3, 28])


@given(rows(), LONGEST, st.booleans())
def test_argsort(case, longest, descending):
    agree(lambda: sort.argsort(case.data, case.valid, case.offsets, descending), longest)
    agree(lambda: sort.argsort(case.data, case.valid, case.offsets, descending, slots=True), longest)


@given(rows(), LONGEST, st.booleans(), st.sampled_from(METHODS))
def test_rank(case, longest, descending, method):
    agree(lambda: rank.rank(case.data, case.valid, case.offsets, method, descending), longest, under_nulls(case))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("forced", ["sort", "pairs", "partition"])
def test_each_way_of_ranking(forced, method, descending):
    row = [2.0, None, 7.0, 2.0, math.nan, -1.0, 7.0, None, 0.0, -0.0, math.nan]
    long = [float(k * k % 23) for k in range(40)]
    taken = Counter[tuple[str, str]]()
    for lists in ([row, [], row[:4], long, [None, None]], [long], [row], [row[2:4], row[8:10]]):
        case = make(lists, "float64")
        with strategy.force(rank=forced, PART_ITEMS=4, PART_SAMPLE=8) as now:
            found, valid = rank.rank(case.data, case.valid, case.offsets, method, descending)
        taken += now
        assert found.dtype == (np.float64 if method == "average" else np.int64)
        wanted = ref.rank(lists, 2, method, descending=descending)
        assert same(to_lists(found, valid, case.offsets), wanted)
    assert taken["rank", forced]


@given(rows(), LONGEST)
def test_groups(case, longest):
    keys = [(case.data, case.valid)]
    agree(lambda: groups.group_items(keys, case.offsets), longest)
    agree(lambda: distinct.unique(keys, case.offsets), longest)
    agree(lambda: groups.value_counts(keys, case.offsets), longest)
    agree(lambda: groups.mode(*keys[0], case.offsets), longest)
    agree(lambda: distinct.n_unique(*keys[0], case.offsets)[0], longest)


@st.composite
def two_columns(draw):
    dtype = draw(st.sampled_from(EVERY_DTYPE))
    one, two = draw(rows([dtype])), draw(rows([dtype]))
    n = max(len(one.lists), len(two.lists))
    return make(one.lists + [[]] * (n - len(one.lists)), dtype), make(two.lists + [[]] * (n - len(two.lists)), dtype)


@given(two_columns(), LONGEST)
def test_sets(case, longest):
    x, y = ((part.data, part.valid) for part in case)
    for operation in (sets.member, sets.union, sets.intersection, sets.difference):
        agree(lambda operation=operation: operation(x, case[0].offsets, y, case[1].offsets), longest)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "int64"])
def test_many_rows_on_threads(dtype, nulls):
    case = many_rows(dtype, nulls=nulls)
    assert strategy.short_share(case.offsets[:20_001])
    key = (case.data, case.valid)
    ways = [
        lambda: sort.argsort(*key, case.offsets),
        lambda: groups.group_items([key], case.offsets),
        lambda: groups.value_counts([key], case.offsets),
        lambda: sets.union(key, case.offsets, (case.data[::-1].copy(), None), case.offsets),
    ]
    with strategy.force(PAIRS_BLOCK=1 << 16):
        for way in ways:
            np.testing.assert_equal(by_pairs(way), by_sorting(way))


@pytest.mark.parametrize("valid", [None, np.array([True, False, True, True])])
def test_integers_too_far_apart_for_a_null(valid):
    data = np.array([2**63 - 1, 0, -(2**63), 2**63 - 2])
    offsets = np.array([0, 4])
    for method in METHODS:
        agree(lambda method=method: rank.rank(data, valid, offsets, method), 28, under_nulls(make([], "int64")))
    agree(lambda: sort.argsort(data, valid, offsets), 28)


@pytest.mark.parametrize("dtype", ["int16", "int64", "uint64"])
def test_integers_become_bytes_only_where_all_lie_close(dtype):
    top = np.iinfo(dtype).max
    close = np.array([top, top - 255, top - 7, top - 7] * 100, dtype)
    assert pairs.comparable(close, None).dtype == np.uint8
    assert pairs.comparable(close[::4], None, descending=True).dtype == np.uint8
    far = close.copy()
    far[1] = top - 256  # between the few that are looked at first
    assert pairs.comparable(far, None).dtype == dtype
    offsets = np.arange(0, 401, 4)
    for data in (close, far):
        agree(lambda data=data: sort.argsort(data, None, offsets), 28)
        agree(lambda data=data: sets.intersection((data, None), offsets, (far[::-1].copy(), None), offsets), 28)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_without_nan_are_compared_as_they_are(dtype):
    data, valid = np.array([1.5, -0.0, np.inf, 0.25], dtype), np.array([True, True, False, True])
    assert pairs.comparable(data, None) is data
    np.testing.assert_array_equal(pairs.comparable(data, None, descending=True), -data)
    np.testing.assert_array_equal(pairs.comparable(data, valid, only_equal=True), np.where(valid, data, np.nan).astype(dtype))
    assert pairs.comparable(data, valid, only_equal=True).dtype == dtype
    with_nan = np.array([np.nan, 1, np.nan, -1], dtype)
    codes = pairs.comparable(with_nan, None)
    assert codes[0] == codes[2] > codes[1] > codes[3]
    assert pairs.comparable(with_nan, np.array([False, True, False, True]), only_equal=True).dtype == dtype


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "uint32", "float32", "float64"])
def test_nulls_are_greater_than_all_numbers(dtype, descending):
    is_float = np.dtype(dtype).kind == "f"
    limits = np.finfo(dtype) if is_float else np.iinfo(dtype)
    valid = np.array([True, False, True, False, True])
    for number in (7, limits.max - 1, limits.max, limits.min + 1, limits.min, *([np.inf, -np.inf, np.nan] if is_float else [])):
        data = np.array([number, limits.max, 3, limits.min, 5], dtype)
        found = pairs.comparable(data, valid, descending)
        assert found[1] == found[3] > max(found[[0, 2, 4]])
        assert np.argsort(found[[0, 2, 4]]).tolist() == sort.argsort(data[valid], None, np.array([0, 3]), descending).tolist()
    close = np.array([100, 0, 1], dtype)
    assert pairs.comparable(close, valid[:3], descending).itemsize == (close.itemsize if is_float else 1)
    assert len(set(pairs.comparable(close, np.zeros(3, np.bool_), descending).tolist())) == 1


def test_the_strategy_applies_if_most_values_are_in_short_rows():
    assert not strategy.short_share(np.array([0, 5]))
    assert strategy.short_share(np.arange(0, 20_001, 10))
    assert not strategy.short_share(np.arange(0, 20_001, 100))
    assert not strategy.short_share(np.array([0, *range(10, 1_001, 10), 20_000]))
    assert strategy.short_share(np.arange(0, 20_001, 20), np.arange(0, 20_001, 20))
    many = np.arange(0, 1_000_001, 10)
    assert strategy.short_share(many)
    assert not strategy.long_share(many)
    for long in (np.array([3_000_000]), many[-1] + np.arange(10_000, 2_000_000, 10_000)):  # a row that no sample finds, and many
        for columns in ([np.append(many, long)], [np.append(many, long)] * 2):
            assert not strategy.short_share(*columns)
        assert strategy.long_share(np.append(many, long))
    assert not strategy.short_share(np.arange(0, 1_001), np.arange(0, 100_001, 100))


ROWS = {length: np.array(list(itertools.product([2, 0, 1], repeat=length)), np.int64) for length in (1, 2, 3, 4)}
"""Every row of up to four items of which any may be equal."""


@pytest.mark.parametrize("length", ROWS)
@pytest.mark.parametrize("method", METHODS)
def test_ranks_of_every_short_row(length, method):
    # Row by row: a batch of rows without ties takes a way of its own.
    for row in ROWS[length]:
        wanted = np.array(ref.rank(row.tolist(), 1, method))
        got = pairs.ranks(row[:, None], method)[:, 0]
        assert got.dtype == np.uint8
        np.testing.assert_array_equal(got / 2 if method == "average" else got, wanted)
    wanted = [ref.rank(row, 1, method) for row in ROWS[length].tolist()]
    got = pairs.ranks(np.ascontiguousarray(ROWS[length].T), method).T
    np.testing.assert_array_equal(got / 2 if method == "average" else got, wanted)


@pytest.mark.parametrize("length", ROWS)
def test_positions_and_groups_of_every_short_row(length):
    columns, lists = np.ascontiguousarray(ROWS[length].T), ROWS[length].tolist()
    orders = [ref.row_order(row) for row in lists]
    np.testing.assert_array_equal(pairs.places(columns).T, np.argsort(orders, axis=1))
    leads = [[row.index(item) == k for k, item in enumerate(row)] for row in lists]
    np.testing.assert_array_equal(pairs.first(columns).T, leads)
    found, times = pairs.times(columns)
    np.testing.assert_array_equal(found.T, leads)
    np.testing.assert_array_equal(times.T, [[row[k:].count(item) for k, item in enumerate(row)] for row in lists])


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float64", "bool"])
@pytest.mark.parametrize("descending", [False, True])
def test_comparable_numbers_have_the_order_of_the_items_up_to_the_limits(dtype, descending):
    kind = np.dtype(dtype).kind
    limits = np.finfo(dtype) if kind == "f" else None if kind == "b" else np.iinfo(dtype)
    items = [False, True] if limits is None else [limits.min, 3, limits.max]
    found = pairs.comparable(np.array(items, dtype), None, descending).tolist()
    assert sorted(found, reverse=descending) == found
    assert len(set(found)) == len(found)
