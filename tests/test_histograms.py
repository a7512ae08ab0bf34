"""histogram, bincount, digitize and cut."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.reduce import histograms as kernel
from arrowjag.errors import JagOverflowError, JagRangeError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, as_list, kept
from tests.hosts import pd
from tests.kernels.interpreted import Loops

NUMBERS = [pa.float64(), pa.float32(), pa.int32(), pa.uint8(), pa.bool_(), pa.null()]
LEAVES = st.sampled_from(NUMBERS)
BINS = st.integers(1, 4) | st.sampled_from([[0, 1], [-1.5, 0, 0.5, 3], [0, 1, 2, 3]])
SPANS = st.none() | st.sampled_from([(0, 2), (-1.0, 3.5)])


@pytest.fixture(scope="module", params=["numpy", "loops"], autouse=True)
def by_each_strategy(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "loops":
            patched.setattr(kernel, "find_loop", Loops())
        yield


def finite(x: aj.JaggedArray) -> bool:
    return all(v is None or not math.isinf(v) for v in x.values.to_pylist())


@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_histograms_agree_with_the_oracle_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, bins = data.draw(st.integers(1, 3)), data.draw(BINS)
    span = data.draw(SPANS) if isinstance(bins, int) else None
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True).filter(finite))
    expected = ref.reduce(ref.of_valid(lambda v: ref.histogram(v, bins, span)), x.to_list(), ndim, axis, x.shape.extents)
    got = x.histogram(bins, span, axis)
    found = got.as_py() if isinstance(got, pa.Scalar) else got.to_list()
    assert_lists_equal(found, expected)


@given(st.data())
def test_bins_agree_with_the_oracle_at_every_axis(data: st.DataObject) -> None:
    ndim, bins = data.draw(st.integers(1, 3)), data.draw(BINS)
    span = data.draw(SPANS) if isinstance(bins, int) else None
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, data.draw(LEAVES), small=True).filter(finite))
    expected = kept(lambda row: ref.cut(row, bins, span), x.to_list(), ndim, axis)
    got = x.cut(bins, span, axis)
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), expected)


def edges_beside(data: st.DataObject, x: list[Any], least: int) -> list[Any]:
    """A row of distinct rising edges for each row, some of them null."""
    one = st.none() | st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0]), min_size=least, unique=True).map(sorted)
    return data.draw(st.lists(one, min_size=len(x), max_size=len(x)))


@given(st.data())
def test_edges_per_row_agree_with_the_rows_one_by_one(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.null()])), small=True))
    rows, right = x.to_list(), data.draw(st.booleans())
    edges = edges_beside(data, rows, 2)
    array = aj.array(edges, type=pa.float64(), ndim=2)

    def each(function: Any) -> list[Any]:
        return [
            None if row is None or cuts is None else function(aj.array([row], type=x.type, ndim=2), cuts).to_list()[0]
            for row, cuts in zip(rows, edges, strict=True)
        ]

    assert_lists_equal(x.digitize(array, right).to_list(), each(lambda row, cuts: row.digitize(cuts, right)))
    assert_lists_equal(x.cut(array).to_list(), each(lambda row, cuts: row.cut(cuts)))
    assert_lists_equal(x.histogram(array).to_list(), each(lambda row, cuts: row.histogram(cuts)))
    assert x.histogram(array).type == x.cut(array).type == x.digitize(array).type == pa.int64()


def test_edges_per_row_hold_for_all_rows_below_them() -> None:
    x, edges = aj.array([[[0, 1], [5]], [[1.5]], None]), aj.array([[0, 1], [1, 2], [0, 1]])
    assert x.digitize(edges).to_list() == [[[1, 2], [2]], [[1]], None]
    assert x.cut(edges).to_list() == [[[0, 0], [None]], [[0]], None]


def test_rows_of_few_edges_have_no_bins() -> None:
    x, edges = aj.array([[0, 1], [1]]), aj.array([[], [1]], type=pa.float64())
    assert x.digitize(edges).to_list() == [[0, 0], [1]]
    assert x.cut(edges).to_list() == [[None, None], [None]]
    assert x.histogram(edges).to_list() == [[], []]


@pytest.mark.parametrize("name", ["histogram", "cut", "digitize"])
@pytest.mark.parametrize(
    ("edges", "error", "told"),
    [
        ([[0, 1], [2, 1]], JagValueError, "edges must rise, but those of row 1 don't"),
        ([[0, 1], [0, math.nan]], JagValueError, "edges must be numbers, but those of row 1 don't"),
        ([[0, 1], [0, None]], JagValueError, "edges must be numbers, but those of row 1 don't"),
        ([[[0, 1]], [[2]]], ShapeError, "edges"),
        ([[0, 1]], ShapeError, "rows"),
        ([["a"], ["b"]], JagTypeError, "string"),
    ],
)
def test_wrong_edges_per_row(name: str, edges: Any, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        getattr(aj.array([[0.5], [1.5]]), name)(aj.array(edges))


def test_edges_per_row_apply_along_the_last_axis() -> None:
    x, edges = aj.array([[0.5], [1.5]]), aj.array([[0, 1], [1, 2]])
    with pytest.raises(JagValueError, match="edges per row apply along the last axis, got axis=0"):
        x.cut(edges, axis=0)
    with pytest.raises(JagValueError, match="range applies to a number of bins"):
        x.histogram(edges, (0, 1))


@given(st.data())
def test_digitize_agrees_with_the_oracle(data: st.DataObject) -> None:
    edges, right = data.draw(st.sampled_from([[], [1], [0, 0, 2], [2.5, 1, -1], [1, 1]])), data.draw(st.booleans())
    ndim = data.draw(st.integers(1, 3))
    x = data.draw(jagged_arrays(ndim, data.draw(LEAVES), small=True))
    assert_lists_equal(x.digitize(edges, right).to_list(), ref.digitize(x.to_list(), ndim, edges, right=right))


@given(st.data())
def test_bincounts_agree_with_the_oracle_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(st.none() | st.sampled_from([5, 6]))
    axis = data.draw(any_axis(ndim))
    leaf = data.draw(st.sampled_from([pa.int64(), pa.uint8(), pa.int16()]))
    x = data.draw(jagged_arrays(ndim, leaf, values=st.integers(0, 4)))
    expected = ref.reduce(ref.of_valid(lambda v: ref.bincount(v, n)), x.to_list(), ndim, axis, x.shape.extents)
    got = x.bincount(n, axis)
    assert got.shape.extents[-1] is None
    assert_lists_equal(as_list(got), expected)


def test_numpy_counts_the_same() -> None:
    rng = np.random.default_rng(0)
    rows = [np.round(rng.normal(size=n) * scale, 1) for n in (1, 2, 7, 50, 1000) for scale in (1e-3, 1, 1e9)]
    x = aj.array([row.tolist() for row in rows])
    for bins in (1, 3, 7, 10, 64):
        for options in ({}, {"range": (-1.0, 1.5)}):
            for row, got in zip(rows, x.histogram(bins, **options).to_list(), strict=True):
                counts, edges = np.histogram(row, bins, **options)
                assert (got["counts"], got["edges"]) == (counts.tolist(), edges.tolist())
    with strategy.force(THREAD_VALUES=1, CACHE_VALUES=100):
        assert x.histogram(7).to_list() == aj.array(x.to_list()).histogram(7).to_list()
    edges = np.sort(rng.normal(size=5))
    assert x.histogram(edges).to_list() == [np.histogram(row, edges)[0].tolist() for row in rows]
    assert x.digitize(edges).to_list() == [np.digitize(row, edges).tolist() for row in rows]


def test_types_do_not_depend_on_values() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.histogram(2).type == x[:0].histogram(7).type
    assert x.histogram([1, 2]).type == x[:0].histogram([1, 2, 3]).type == pa.int64()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: x.histogram(0), JagValueError, "bins must be at least 1, got 0"),
        (lambda x: x.histogram(2, range=(3, 1)), JagValueError, "range must be two finite numbers"),
        (lambda x: x.histogram([1, 2], range=(0, 1)), JagValueError, "range applies to a number of bins"),
        (lambda x: x.histogram([2, 1]), JagValueError, "edges must rise"),
        (lambda x: x.histogram([1]), JagValueError, "at least 2 edges"),
        (lambda x: x.histogram("auto"), JagTypeError, "a number of bins or a list of edges, got str"),
        (lambda x: x.histogram([1, math.nan]), JagValueError, "got NaN"),
        (lambda x: x.digitize([1, 3, 2]), JagValueError, "edges must rise or fall"),
        (lambda x: x.digitize([1], right=1), JagTypeError, "right must be a bool"),
        (lambda x: x.bincount(2), JagValueError, "items must be from 0 to 1, got 2 in row 1"),
        (lambda x: (x - 2).bincount(), JagValueError, "items must not be negative, got -1 in row 0"),
        (lambda x: x.cast("float64").bincount(), JagTypeError, "bincount.*double"),
        (lambda x: (x + 2**40).bincount(), JagOverflowError, "needs more counts than fit"),
        (lambda x: x.cast("string").histogram(2), JagTypeError, "histogram.*string"),
        (lambda x: (x / 0).histogram(2), JagValueError, "row 0 holds an infinite number; give a range"),
        (lambda x: ((x - 1) / 0).histogram(2), JagValueError, "row 1 holds an infinite number; give a range"),
    ],
)
def test_refused(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call(aj.array([[1], [2, 2]]))


def test_nan_and_nulls_take_no_part_in_the_range_of_a_row() -> None:
    nan = math.nan
    x = aj.array([[1.0, nan, 3.0, None], [nan], [5.0, None], [None, nan], []])
    none = {"edges": [None, None, None], "counts": [0, 0]}
    expected = [{"edges": [1.0, 2.0, 3.0], "counts": [1, 1]}, none, {"edges": [4.5, 5.0, 5.5], "counts": [0, 1]}, none, none]
    assert x.histogram(2).to_list() == expected
    assert aj.array([[1.0, nan, 3.0], [nan]]).histogram(2).to_list() == expected[:2]


def test_a_range_wider_than_the_largest_number_is_refused() -> None:
    with pytest.raises(JagValueError, match="range must be two finite numbers"):
        aj.array([[1.0]]).histogram(2, range=(-1.7e308, 1.7e308))


def test_more_counts_than_memory_are_our_error() -> None:
    with pytest.raises(aj.JagMemoryError, match=r"^histogram: 1,099,511,627,776 items of 8 bytes take 8796 GB; this"):
        aj.array([[1, 2]]).histogram(2**40)
    with pytest.raises(aj.JagMemoryError, match=r"^bincount: 2,199,023,254,528 items of 8 bytes take 1.759e\+04 GB; this"):
        aj.array([[2**31 - 2]] * 1024).bincount()


def test_a_flat_series_of_edges_is_no_column_of_the_frame() -> None:
    edges = pd.Series([0, 1, 2], index=list("xyz"))
    series = aj.array([[0.5, 1.5], [2.5]]).to_pandas(index=["a", "b"])
    assert series.jag.digitize(edges).jag.to_list() == [[1, 2], [3]]
    assert series.jag.cut(edges).jag.to_list() == [[0, 1], [None]]
    assert series.jag.histogram(edges).jag.to_list() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("seed", range(5))
def test_an_item_on_an_edge_is_in_the_bin_that_begins_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, width = rng.normal(size=200), rng.random(200) + 0.1
    bins = kernel.Bins(low, low + width, 7)
    offsets = np.arange(201) * 8
    slots = kernel.slots_in_bins(kernel.edges_of(bins).reshape(-1), None, offsets, bins)
    assert slots.reshape(-1, 8).tolist() == [[*range(7), 6]] * 200


def test_slots_of_bins_without_width_and_of_infinite_ones() -> None:
    data = np.array([1.0, 2.0, 0.0, -np.inf, 5.0, np.inf])
    bins = kernel.Bins(np.array([1.0, -np.inf]), np.array([1.0, np.inf]), 3)
    assert kernel.slots_in_bins(data, None, np.array([0, 3, 6]), bins).tolist() == [1, -1, -1, 0, 0, 0]


def test_slots_beyond_the_edges_are_minus_1() -> None:
    data, valid = np.array([0.0, 0.5, 1.0, 2.0, 3.0, np.nan, 1.0]), np.array([True] * 6 + [False])
    assert kernel.bins_of_edges(data, valid, np.array([0.5, 1.0, 2.0])).tolist() == [-1, 0, 1, 1, -1, -1, -1]


def test_too_many_bins_are_refused_whatever_the_rows() -> None:
    for x in (aj.array([[1.0]]), aj.array([], type="float64", ndim=2), aj.array([], type="float64")):
        for bins, text in ((2**62, "4611686018427387904 counts don't fit into memory"), (2**70, "bins must be at most 2?")):
            with pytest.raises(aj.JagOverflowError, match=rf"^histogram: {text}"):
                x.histogram(bins)


@pytest.mark.parametrize("type", [pa.int64(), pa.uint64()])
def test_integers_and_edges_beyond_2_53_compare_exactly(type: pa.DataType) -> None:
    x = aj.array([[2**53, 2**53 + 1, 2**63 - 1], [2**63 - 2], None], type=type)
    assert x.digitize([2**53 + 1, 2**63 - 1]).to_list() == [[0, 1, 2], [1], None]
    assert x.digitize([2**53 + 1, 2**63 - 1], right=True).to_list() == [[0, 0, 1], [1], None]
    assert x.cut([2**53 + 1, 2**53 + 2, 2**63 - 2]).to_list() == [[None, 0, None], [1], None]
    assert x.histogram([2**53 + 1, 2**53 + 2, 2**63 - 1]).to_list() == [[1, 1], [0, 1], None]


def test_edges_beyond_64_bits_are_floats() -> None:
    x = aj.array([[2**63 - 1, -(2**63)]])
    assert x.digitize([0, 2**64]).to_list() == [[1, 0]]
    assert x.cut([-(2**65), 0, 10**30]).to_list() == [[1, 0]]
    with pytest.raises(JagRangeError, match="digitize: edges must fit float64, got"):
        x.digitize([0, 10**400])


@pytest.mark.parametrize("type", [pa.decimal128(4, 2), pa.float64()])
def test_edges_may_be_decimals(type: pa.DataType) -> None:
    x = aj.array([[1.5, 3.0, None], [0.25]]).cast(type)
    edges = [Decimal(0), Decimal("1.50"), Decimal(3)]
    for bins in (edges, aj.array(edges), pa.array(edges)):
        assert x.histogram(bins).to_list() == x.histogram([0, 1.5, 3]).to_list() == [[0, 2], [1, 0]]
        assert x.digitize(bins).to_list() == [[2, 3, None], [1]]
        assert x.cut(bins).to_list() == [[1, 1, None], [0]]


@pytest.mark.parametrize("type", ["int64", "uint64"])
def test_edges_per_row_compare_with_integers_exactly(type: str) -> None:
    """float64 rounds integers beyond 2**53."""
    n = 2**53 if type == "int64" else 2**63
    x = aj.array([[n, n + 1, n + 2, None], [n], None], type=type)
    edges = aj.array([[n + 1, n + 2], [n], []], type=type)
    assert x.digitize(edges).to_list() == [[0, 1, 2, None], [1], None]
    assert x.digitize(edges, right=True).to_list() == [[0, 0, 1, None], [0], None]
    assert x.cut(aj.array([[n, n + 1, n + 2], [0, n, n + 1], [0, 1]], type=type)).to_list() == [[0, 1, 1, None], [1], None]
    assert x.histogram(aj.array([[n, n + 1, n + 2], [0, n, n + 1], [0, 1]], type=type)).to_list() == [[1, 2], [0, 1], None]


def test_signed_integers_beside_unsigned_edges_of_each_row() -> None:
    x = aj.array([[-1, 0, 2**53 + 1], []])
    assert x.digitize(aj.array([[0, 2**53 + 1], [1]], type="uint64")).to_list() == [[0, 1, 2], []]


def test_decimals_beside_edges_are_the_nearest_floats() -> None:
    """Arrow's cast of 0.35 is more than 0.35."""
    cents = [Decimal(one) / 100 for one in range(1, 1000)]
    edges = [one / 100 for one in range(1, 1000)]
    x = aj.array([cents]).cast("decimal128(38, 2)")
    assert x.digitize(edges, right=True).to_list() == [list(range(999))]
    assert x.digitize(aj.array([edges]), right=True).to_list() == [list(range(999))]
