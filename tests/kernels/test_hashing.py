"""Hashing finds the same equal items as dictionaries and sorting, for any number of collisions."""

from __future__ import annotations

import contextlib
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.equal import distinct, groups
from arrowjag._kernels.order import hashing, search
from tests.kernels.rows import EVERY_DTYPE, items, key_of, make, many_rows, rows

FACTORS = [int(factor) for factor in hashing.FACTORS]

FULL = [np.uint64(1)] * 2
"""Factors by which small codes all have the same cell, so that the last of them are left to a sort."""


@pytest.fixture(autouse=True, scope="module", params=["tables", "full", "one full", "parts"])
def way(request):
    """Each item finds its cell; most don't, in all tables or in the first; each row is cut into parts."""
    changes = {
        "tables": {},
        "full": {"FACTORS": FULL},
        "one full": {"FACTORS": [FULL[0], *hashing.FACTORS]},
        "parts": {},
    }[request.param]
    parts = {"HASH_BLOCK": 4, "HUGE": 1, "HASH_PART": 2} if request.param == "parts" else {}
    with contextlib.ExitStack() as stack:
        for name, value in changes.items():
            stack.enter_context(mock.patch.object(hashing, name, value))
        stack.enter_context(strategy.force(SMALL_VALUES=0, **parts))
        yield


def firsts(case):
    """The first equal item of each, by number."""
    found = []
    for row, start in zip(case.lists, case.offsets.tolist(), strict=False):
        seen = {}
        found += [seen.setdefault(key_of(item), item_number) for item_number, item in enumerate(row, start)]
    return found


@given(rows(nulls=False))
def test_first_equals_are_those_of_a_dictionary(case):
    expected = firsts(case)
    found = hashing.first_occurrences(case.data, case.offsets)
    assert found.tolist() == expected
    assert hashing.is_first_distinct(case.data, case.offsets).tolist() == [first == item for item, first in enumerate(expected)]


@st.composite
def two(draw):
    dtype = draw(st.sampled_from(EVERY_DTYPE))
    pairs = draw(st.lists(st.tuples(st.lists(items(dtype), max_size=9), st.lists(items(dtype), max_size=9)), max_size=6))
    return make([one for one, _ in pairs], dtype), make([other for _, other in pairs], dtype)


@given(two())
def test_items_are_found_as_in_a_dictionary(case):
    table, probes = case
    found, apart = search.find(table.data, table.offsets, probes.data, probes.offsets)
    assert apart == all(len({key_of(item) for item in row}) == len(row) for row in table.lists)
    known = [{key_of(item) for item in row} for row in table.lists]
    expected = [key_of(probe) in row for row, sought in zip(known, probes.lists, strict=True) for probe in sought]
    assert (found >= 0).tolist() == expected
    assert search.member(table.data, table.offsets, probes.data, probes.offsets).tolist() == expected
    for row, (start, end) in enumerate(pairwise(probes.offsets)):
        for item, probe in zip(found[start:end].tolist(), probes.lists[row], strict=True):
            if item >= 0:
                assert table.offsets[row] <= item < table.offsets[row + 1]
                assert key_of(table.data[item].item()) == key_of(probe)


OPERATIONS = ["group", "value_counts", "unique", "n_unique"]


def by(name, function):
    with strategy.force(**{operation: name for operation in OPERATIONS if name in strategy.CHOICES[operation].strategies}):
        return function()


def assert_both_ways_agree(case):
    keys = [(case.data, case.valid)]
    for function in (
        lambda: groups.group_items(keys, case.offsets),
        lambda: groups.value_counts(keys, case.offsets),
        lambda: distinct.unique(keys, case.offsets),
        lambda: distinct.n_unique(*keys[0], case.offsets)[0],
    ):
        np.testing.assert_equal(by("hash", function), by("sort", function))


@given(rows())
def test_groups_are_those_of_sorting(case):
    assert_both_ways_agree(case)


@pytest.mark.parametrize("dtype", ["bool", "uint64", "int64", "float32", "float64"])
def test_many_rows_over_threads(dtype, request):
    if request.node.callspec.params["way"] == "parts":
        pytest.skip("a part for every few items of 400,000")
    case = many_rows(dtype, nulls=True)
    assert_both_ways_agree(case)


def test_one_huge_row_among_others():
    rng = np.random.default_rng(1)
    offsets = np.cumsum([0, 3, 300_000, 0, 5, 200_000, 2])
    key = rng.integers(-(2**62), 2**62, offsets[-1]) >> rng.integers(0, 62, offsets[-1])
    rows = np.arange(6).repeat(np.diff(offsets))
    order = np.lexsort((np.arange(len(key)), key, rows))
    begins = np.ones(len(key), bool)
    begins[1:] = (key[order][1:] != key[order][:-1]) | (rows[order][1:] != rows[order][:-1])
    expected = np.zeros(len(key), bool)
    expected[order[begins]] = True
    assert np.array_equal(hashing.is_first_distinct(key, offsets), expected)
    probes = np.where(rng.random(len(key)) < 0.5, key[::-1], key)
    probe_offsets = offsets[-1] - offsets[::-1]
    found, apart = search.find(key, offsets, probes, probe_offsets)
    hit = found >= 0
    assert not apart
    assert np.array_equal(key[found[hit]], probes[hit])
    probe_rows = np.arange(6).repeat(np.diff(probe_offsets))
    assert np.array_equal(rows[found[hit]], probe_rows[hit])
    known = {(int(row), int(one)) for row, one in zip(rows, key, strict=True)}
    assert hit.tolist() == [(int(row), int(one)) in known for row, one in zip(probe_rows, probes, strict=True)]


def test_factors_are_odd_and_differ():
    """By an even factor codes that differ in their first bit alone would be one."""
    assert all(factor % 2 for factor in FACTORS)
    assert len(set(FACTORS)) == len(FACTORS) == 4


@pytest.mark.parametrize("forced", ["tables", "partition"])
def test_find_tells_whether_items_are_distinct(forced):
    probes, probe_offsets = np.array([7, 2, 5, 5, 8]), np.array([0, 5])
    for key, apart in (([5, 1, 7, 9, 11, 8], True), ([5, 1, 7, 9, 1, 8], False), ([5, 5], False), ([5, 6], True)):
        offsets = np.array([0, len(key)])
        with strategy.force(hash_row=forced):
            items, distinct = search.find(np.array(key), offsets, probes, probe_offsets)
            found = search.member(np.array(key), offsets, probes, probe_offsets)
        assert distinct == apart
        assert (items >= 0).tolist() == found.tolist() == [probe in key for probe in probes]
        assert [key[item] for item in items[items >= 0]] == [probe for probe in probes if probe in key]


def test_numbers_whose_hashes_collide():
    """Multiples of the inverse of a factor have hashes in a row, which begin with the same bits; all of them are told apart."""
    step = pow(int(hashing.FACTORS[0]), -1, 2**64)
    key = np.arange(20_000, dtype=np.uint64) * np.uint64(step)
    offsets = np.array([0, 20_000])
    assert hashing.is_first_distinct(key, offsets).all()
    assert np.array_equal(hashing.first_occurrences(np.tile(key, 2), 2 * offsets), np.tile(np.arange(20_000), 2))
    assert np.array_equal(search.find(key, offsets, key[::-1], offsets)[0], np.arange(20_000)[::-1])
