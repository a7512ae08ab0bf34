"""Set kernels against dictionaries of Python, row by row."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.equal import distinct, sets
from arrowjag._kernels.equal import groups as kernel
from arrowjag.errors import JagTypeError, ShapeError
from tests.kernels.rows import EVERY_DTYPE, items, key_of, make, offsets_from, rows

pytestmark = pytest.mark.usefixtures("either_way")


def groups(row):
    """Slots by key in order of first appearance, nulls left out; an item may be a tuple of keys."""
    found = {}
    for slot, item in enumerate(row):
        parts = item if isinstance(item, tuple) else (item,)
        if None not in parts:
            found.setdefault(tuple(map(key_of, parts)), []).append(slot)
    return list(found.values())


def nested(flat, offsets):
    return [flat[a:b].tolist() for a, b in pairwise(offsets)]


def local(flat, new_offsets, offsets):
    """Item numbers of each row as slots."""
    return [(flat[a:b] - start).tolist() for (a, b), start in zip(pairwise(new_offsets), offsets[:-1], strict=True)]


@given(rows())
def test_groups_of_one_key(case):
    keys = [(case.data, case.valid)]
    expected = [groups(row) for row in case.lists]
    new_offsets, found = distinct.unique(keys, case.offsets)
    assert local(np.flatnonzero(found), new_offsets, case.offsets) == [[g[0] for g in row] for row in expected]
    new_offsets, first, counts = kernel.value_counts(keys, case.offsets)
    assert local(first, new_offsets, case.offsets) == [[g[0] for g in row] for row in expected]
    assert nested(counts, new_offsets) == [[len(g) for g in row] for row in expected]


@given(rows())
def test_mode(case):
    found, present = kernel.mode(case.data, case.valid, case.offsets)
    expected = [max(groups(row), key=len, default=None) for row in case.lists]
    assert (present is None) == (None not in expected)
    for row, group in enumerate(expected):
        if group is None:
            assert not present[row]
        else:
            assert found[row] - case.offsets[row] == group[0]


@given(rows(), st.booleans())
def test_group_items(case, sort):
    group_offsets, item_offsets, found = kernel.group_items([(case.data, case.valid)], case.offsets, sort=sort)
    expected = [groups(row) for row in case.lists]
    if sort:

        def place(row, group):
            number = row[group[0]]
            return (number != number, 0 if number != number else number)  # noqa: PLR0124

        expected = [sorted(g, key=lambda group, row=row: place(row, group)) for row, g in zip(case.lists, expected, strict=True)]
    got = [
        [(found[a:b] - start).tolist() for a, b in pairwise(item_offsets[first : last + 1])]
        for (first, last), start in zip(pairwise(group_offsets), case.offsets[:-1], strict=True)
    ]
    assert got == expected
    assert item_offsets[-1] == len(found)


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from([1, 2, None]), st.sampled_from([0.0, -0.0, math.nan, None])), max_size=9), max_size=6
    )
)
def test_groups_of_two_keys(pairs):
    first = make([[a for a, _ in row] for row in pairs], "int16")
    second = make([[b for _, b in row] for row in pairs], "float32")
    new_offsets, found = distinct.unique([(first.data, first.valid), (second.data, second.valid)], first.offsets)
    assert local(np.flatnonzero(found), new_offsets, first.offsets) == [[g[0] for g in groups(row)] for row in pairs]


@st.composite
def two(draw):
    dtype = draw(st.sampled_from(EVERY_DTYPE))
    item = st.none() | items(dtype)
    pairs = draw(st.lists(st.tuples(st.lists(item, max_size=7), st.lists(item, max_size=7)), max_size=6))
    return make([x for x, _ in pairs], dtype), make([y for _, y in pairs], dtype)


@given(two())
def test_member_and_set_operations(case):
    x, y = case
    arguments = ((x.data, x.valid), x.offsets, (y.data, y.valid), y.offsets)
    keys = [({key_of(item) for item in row} - {None}) for row in y.lists]
    assert nested(sets.member(*arguments), x.offsets) == [
        [item is not None and key_of(item) in own for item in row] for row, own in zip(x.lists, keys, strict=True)
    ]
    expected = {"union": [], "intersection": [], "difference": [], "symmetric_difference": []}
    for row, (left, right) in enumerate(zip(x.lists, y.lists, strict=True)):
        numbers = [*range(x.offsets[row], x.offsets[row + 1]), *(len(x.data) + np.arange(y.offsets[row], y.offsets[row + 1]))]
        found = [group[0] for group in groups([*left, *right])]
        ours = [slot for slot in found if slot < len(left)]
        expected["union"].append([numbers[slot] for slot in found])
        expected["intersection"].append([numbers[slot] for slot in ours if key_of(left[slot]) in keys[row]])
        expected["difference"].append([numbers[slot] for slot in ours if key_of(left[slot]) not in keys[row]])
        others = {key_of(item) for item in left} - {None}
        both = [key_of(item) for item in (*left, *right)]
        lacking = [slot for slot in found if (both[slot] in keys[row]) != (both[slot] in others)]
        expected["symmetric_difference"].append([numbers[slot] for slot in lacking])
    for name, wanted in expected.items():
        new_offsets, found = getattr(sets, name)(*arguments)
        assert nested(found, new_offsets) == wanted


def test_rows_enough_for_threads():
    rng = np.random.default_rng(0)
    offsets = offsets_from(rng.poisson(10, 60_000))
    key = rng.integers(0, 12, offsets[-1])
    parents = np.repeat(np.arange(60_000), np.diff(offsets))
    expected = np.sort(np.unique(parents * 12 + key, return_index=True)[1])
    new_offsets, found = distinct.unique([(key, None)], offsets)
    assert np.array_equal(np.flatnonzero(found), expected)
    assert np.array_equal(np.diff(new_offsets), np.bincount(parents[expected], minlength=60_000))


def test_pairs_of_columns_in_blocks():
    rng = np.random.default_rng(1)
    offsets_x, offsets_y = (offsets_from(rng.poisson(6, 20_000)) for _ in range(2))
    x, y = rng.integers(0, 30, offsets_x[-1]), rng.integers(0, 30, offsets_y[-1])
    row_x, row_y = (np.repeat(np.arange(20_000), np.diff(offsets)) for offsets in (offsets_x, offsets_y))
    code_x, code_y = row_x * 30 + x, row_y * 30 + y
    assert offsets_x[-1] + offsets_y[-1] > 200_000
    arguments = ((x, None), offsets_x, (y, None), offsets_y)
    with strategy.force(RUNS_BLOCK=1 << 15):
        found = {
            name: getattr(sets, name)(*arguments)
            for name in ("member", "union", "intersection", "difference", "symmetric_difference")
        }
    assert np.array_equal(found["member"], np.isin(code_x, code_y))
    both = np.concatenate([code_x, code_y])
    for name, wanted in (
        ("union", np.union1d(code_x, code_y)),
        ("intersection", np.intersect1d(code_x, code_y)),
        ("difference", np.setdiff1d(code_x, code_y)),
        ("symmetric_difference", np.setxor1d(code_x, code_y)),
    ):
        new_offsets, items = found[name]
        assert np.array_equal(np.sort(both[items]), wanted)
        assert np.array_equal(np.repeat(np.arange(20_000), np.diff(new_offsets)), both[items] // 30)


def test_mismatches_are_named():
    key, offsets = (np.arange(3), None), np.array([0, 3])
    with pytest.raises(JagTypeError, match="is_in: expected keys of one dtype, got int64 and float64"):
        sets.member(key, offsets, (np.zeros(3), None), offsets)
    with pytest.raises(ShapeError, match="union: expected equally many rows, got 1 and 2"):
        sets.union(key, offsets, key, np.array([0, 3, 3]))
