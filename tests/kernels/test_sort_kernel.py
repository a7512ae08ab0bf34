"""Sort kernels against Python's sorted(), row by row."""

from __future__ import annotations

import math
from collections import Counter
from functools import cmp_to_key
from itertools import pairwise
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.order import rank, search, sort
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.typing import RankMethod
from tests.kernels.rows import make, offsets_from

pytestmark = pytest.mark.usefixtures("either_way")

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def numbers(dtype):
    """Few distinct values, among them the extremes of the type."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind == "f":
        info = np.finfo(dtype)
        return [0.0, -0.0, 1.5, -1.5, 2.25, math.inf, -math.inf, math.nan, float(info.max), float(info.min), float(info.tiny)]
    info = np.iinfo(dtype)
    return [0, 1, 2, 3, info.max, info.max - 1, info.min, info.min + 1]


def is_nan(number):
    return isinstance(number, float) and math.isnan(number)


def before(a, b):
    """-1, 0 or 1 in the order numbers, NaN, null."""
    if a is None or b is None:
        return (a is None) - (b is None)
    if is_nan(a) or is_nan(b):
        return is_nan(a) - is_nan(b)
    return (a > b) - (a < b)


def falling(a, b):
    """The same with numbers from the largest to the least."""
    return before(a, b) if a is None or b is None or is_nan(a) or is_nan(b) else before(b, a)


def expected_order(row, descending=False):
    """Slots of one row in order."""
    compare = falling if descending else before
    return sorted(range(len(row)), key=cmp_to_key(lambda i, j: compare(row[i], row[j])))


def flat(rows, dtype):
    """(data, valid, offsets) of nested lists; valid is None where nothing is null."""
    return make(rows, dtype)[1:]


def slots(order, offsets):
    """Item numbers as slots of their rows, nested."""
    return [(order[a:b] - a).tolist() for a, b in pairwise(offsets)]


def bits(values):
    """Values told apart by sign of zero; all NaN alike."""
    return ["nan" if is_nan(v) else (v, math.copysign(1, v)) for v in map(float, values)]


@st.composite
def jagged(draw, nulls=True):
    dtype = draw(st.sampled_from(DTYPES))
    item = st.sampled_from(numbers(dtype))
    row = st.lists(item | st.none() if nulls else item, max_size=draw(st.sampled_from([3, 9, 40])))
    return draw(st.lists(row, max_size=8)), dtype


def check_orders(rows, dtype):
    data, valid, offsets = flat(rows, dtype)
    rows = [[None if item is None else data.dtype.type(item).item() for item in row] for row in rows]
    for descending in (False, True):
        expected = [expected_order(row, descending) for row in rows]
        assert slots(sort.argsort(data, valid, offsets, descending), offsets) == expected
        result, result_valid = sort.sort(data, valid, offsets, descending)
        assert result.dtype == data.dtype
        keep = np.ones(len(data), bool) if result_valid is None else result_valid
        got = [bits(result[a:b][keep[a:b]]) for a, b in pairwise(offsets)]
        assert got == [bits(row[i] for i in order if row[i] is not None) for row, order in zip(rows, expected, strict=True)]
        if valid is not None:
            assert [keep[a:b].tolist() for a, b in pairwise(offsets)] == [
                [row[i] is not None for i in order] for row, order in zip(rows, expected, strict=True)
            ]


@given(jagged())
def test_sort_and_argsort(case):
    check_orders(*case)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("forced", ["small", "matrix", "cut", "apart", "pairs", "partition"])
def test_slots_number_the_items_of_each_row_from_0(forced, descending):
    rows = [[2.5, None, -1.0, 2.5], [], [math.nan, 0.0, -0.0], [None, None], [float(k * 7 % 31) for k in range(40)], [7.0]]
    taken = Counter[tuple[str, str]]()
    for nested in (rows, [[0.0 if item is None else item for item in row] for row in rows], rows[4:5]):
        key = flat(nested, "f8")
        for sizes in ({}, {"SORT_BLOCK": 4, "PAIRS_BLOCK": 4, "THREAD_VALUES": 1}):
            with strategy.force(argsort=forced, **sizes) as now:
                found = sort.argsort(*key, descending, slots=True)
            taken += now
            assert found.dtype == np.int64
            assert [found[a:b].tolist() for a, b in pairwise(key[2])] == [expected_order(row, descending) for row in nested]
    assert taken["argsort", forced]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("forced", ["small", "order", "matrix"])
def test_each_way_of_sorting_moves_nulls_behind(forced, descending):
    taken = Counter[tuple[str, str]]()
    for row in ([3.5, None, -1.0, None, 2.0, math.nan, 0.5], [1.0, 0.0, None, -0.0, -2.0, None, 0.0]):
        data, valid, offsets = flat([row, row[2:4], row], "f8")
        data[~valid] = -math.inf
        for part in (slice(0, 4), slice(0, 2)):
            cuts = offsets[part]
            with strategy.force(sort=forced, short_sort="numpy") as now:
                found, kept = sort.sort(data[: cuts[-1]], valid[: cuts[-1]], cuts, descending)
            taken += now
            for a, b in pairwise(cuts):
                items = [None if not known else item for item, known in zip(data[a:b].tolist(), valid[a:b], strict=True)]
                order = [slot for slot in expected_order(items, descending) if items[slot] is not None]
                assert kept[a:b].tolist() == [k < len(order) for k in range(b - a)]
                assert bits(found[a : a + len(order)]) == bits(items[slot] for slot in order)
    assert taken["sort", forced]


@pytest.mark.parametrize(
    "rows", [[], [[]], [[], [], []], [[1.0], [], []], [[None]], [[None, None], [], [None]], [[math.nan, None, 1.0]]]
)
def test_empty_and_null_rows(rows):
    check_orders(rows, "f8")


def random_rows(sizes, dtype, seed, null_share=0.0):
    """(data, valid, offsets) over all bits of the type, NaN and infinities of many kinds included."""
    rng = np.random.default_rng(seed)
    offsets = offsets_from(sizes)
    n = int(offsets[-1])
    data = rng.integers(0, 2, n).astype(bool) if dtype == "bool" else rng.bytes(n * np.dtype(dtype).itemsize)
    data = data if dtype == "bool" else np.frombuffer(data, dtype)
    return data, rng.random(n) >= null_share if null_share else None, offsets


def reference_order(data, valid, offsets, descending):
    """One numpy lexsort over everything: row, null, NaN, number."""
    parents = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    nan = np.isnan(data) if data.dtype.kind == "f" else np.zeros(len(data), bool)
    number = np.unique(np.where(nan, 0, data), return_inverse=True)[1]
    null = np.zeros(len(data), bool) if valid is None else ~valid
    number = np.where(nan | null, 0, -number if descending else number)
    return np.lexsort((number, nan & ~null, null, parents))


LENGTHS = {
    "poisson": lambda rng: rng.poisson(10, 1500),
    "uniform": lambda rng: np.full(300, 50),
    "zipf": lambda rng: np.minimum(rng.zipf(1.6, 800), 3000),
    "one huge row": lambda rng: np.array([0, 3, 20_000, 0, 1, 0]),
    "every length": lambda rng: rng.permutation(180),
    "few": lambda rng: rng.permutation(20),
}


@pytest.mark.parametrize("null_share", [0.0, 0.1])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lengths", LENGTHS)
def test_lengths_and_bits(lengths, dtype, null_share):
    data, valid, offsets = random_rows(LENGTHS[lengths](np.random.default_rng(1)), dtype, 2, null_share)
    for descending in (False, True):
        expected = reference_order(data, valid, offsets, descending)
        assert np.array_equal(sort.argsort(data, valid, offsets, descending), expected)
        result, result_valid = sort.sort(data, valid, offsets, descending)
        keep = slice(None) if valid is None else valid[expected]
        assert np.array_equal(result[keep], data[expected][keep], equal_nan=data.dtype.kind == "f")
        assert result_valid is None if valid is None else np.array_equal(result_valid, keep)


def test_input_is_not_written_to():
    data, valid, offsets = random_rows(np.array([5, 0, 7, 5]), "f8", 3, 0.2)
    copy = data.copy()
    for descending in (False, True):
        sort.sort(data, valid, offsets, descending)
        sort.sort(data, None, offsets, descending)
        sort.argsort(data, valid, offsets, descending)
    assert data.tobytes() == copy.tobytes()


def test_threads_agree_with_one_block():
    data, valid, offsets = random_rows(np.random.default_rng(4).poisson(10, 25_000), "f4", 5, 0.05)
    assert offsets[-1] > 200_000
    for descending in (False, True):
        with strategy.force(SORT_BLOCK=1 << 14):
            found = sort.argsort(data, valid, offsets, descending)
        assert np.array_equal(found, reference_order(data, valid, offsets, descending))


@pytest.mark.parametrize("null_share", [0.0, 0.2])
def test_codes_that_are_cut_are_repaired(null_share):
    # Numbers over the whole range leave no room for places; those that differ in their last bits only must still be in order.
    rng = np.random.default_rng(6)
    sizes = np.array([300, 40, 41, 42, 5, 5, 0, 1])
    offsets = offsets_from(sizes)
    data = (rng.integers(0, 40, offsets[-1]) + rng.choice([-(2**63), 0, 2**63 - 100], offsets[-1])).astype(np.int64)
    valid = rng.random(len(data)) >= null_share if null_share else None
    for key in (
        data,
        data.view(np.uint64),
        np.nextafter(1.0, 2)
        * (1 + np.ldexp(rng.integers(0, 9, len(data)) * 1.0, -52))
        * 10.0 ** (300 * rng.choice([-1, 1], len(data))),
    ):
        for descending in (False, True):
            assert np.array_equal(sort.argsort(key, valid, offsets, descending), reference_order(key, valid, offsets, descending))


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([1, 2, None]), st.sampled_from([0.0, -0.0, math.nan, 1.0, None]))), max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_lexsort(rows, first_falls, second_falls):
    first, first_valid, offsets = flat([[a for a, _ in row] for row in rows], "i4")
    second, second_valid, _ = flat([[b for _, b in row] for row in rows], "f8")
    order = sort.lexsort([(first, first_valid), (second, second_valid)], offsets, [first_falls, second_falls])

    def compare(x, y):
        return (falling if first_falls else before)(x[0], y[0]) or (falling if second_falls else before)(x[1], y[1])

    assert slots(order, offsets) == [sorted(range(len(r)), key=lambda i, r=r: cmp_to_key(compare)(r[i])) for r in rows]


def test_lexsort_requires_a_direction_per_key():
    key = (np.arange(3), None)
    with pytest.raises(JagValueError, match="2 keys, 1 direction"):
        sort.lexsort([key, key], np.array([0, 3]), [True])
    with pytest.raises(JagValueError, match="0 keys"):
        sort.lexsort([], np.array([0, 3]))


@given(jagged(), st.data())
def test_searchsorted(case, data):
    rows, dtype = case
    rows = [[row[i] for i in expected_order(row)] for row in rows]
    sought = [data.draw(st.lists(st.sampled_from(numbers(dtype)), max_size=5)) for _ in rows]
    key, valid, offsets = flat(rows, dtype)
    wanted, _, wanted_offsets = flat(sought, dtype)
    for side, limit in (("left", 0), ("right", 1)):
        got = search.searchsorted(key, offsets, wanted, wanted_offsets, side, valid)
        expected = [
            sum(y is not None and before(y, x) < limit for y in row) for row, own in zip(rows, sought, strict=True) for x in own
        ]
        assert got.tolist() == expected


def test_searchsorted_refuses_mixed_types_and_unknown_sides():
    offsets = np.array([0, 2])
    with pytest.raises(JagTypeError, match="int64 and float64"):
        search.searchsorted(np.array([1, 2]), offsets, np.array([1.0, 2.0]), offsets)
    with pytest.raises(JagValueError, match="middle"):
        search.searchsorted(np.array([1, 2]), offsets, np.array([1, 2]), offsets, "middle")


def test_a_type_without_order_is_refused():
    with pytest.raises(JagTypeError, match="complex128"):
        sort.argsort(np.array([1j]), None, np.array([0, 1]))


def expected_ranks(row, method, descending):
    compare = falling if descending else before
    present = [x for x in row if x is not None]
    result = []
    for place, x in enumerate(row):
        if x is None:
            result.append(None)
            continue
        less = sum(compare(y, x) < 0 for y in present)
        equal = sum(compare(y, x) == 0 for y in present)
        earlier = sum(y is not None and compare(y, x) == 0 for y in row[:place])
        distinct = sum(compare(y, x) < 0 and all(compare(y, z) for z in present[:i]) for i, y in enumerate(present))
        result.append(
            {
                "ordinal": less + earlier + 1,
                "min": less + 1,
                "max": less + equal,
                "average": less + (equal + 1) / 2,
                "dense": distinct + 1,
            }[method]
        )
    return result


@given(jagged(), st.sampled_from(get_args(RankMethod)), st.booleans())
def test_rank(case, method, descending):
    rows, dtype = case
    data, valid, offsets = flat(rows, dtype)
    ranks, ranks_valid = rank.rank(data, valid, offsets, method, descending)
    assert ranks.dtype == (np.float64 if method == "average" else np.int64)
    keep = [True] * len(data) if ranks_valid is None else ranks_valid.tolist()
    got = [r if k else None for r, k in zip(ranks.tolist(), keep, strict=True)]
    assert got == [r for row in rows for r in expected_ranks(row, method, descending)]


def test_rank_refuses_an_unknown_method():
    with pytest.raises(JagValueError, match="first"):
        rank.rank(np.arange(3), None, np.array([0, 3]), "first")
