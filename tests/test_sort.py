"""sort, argsort, topk, reverse, inverse_permutation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import ORDERED, any_axis, first_axis, grouped, kept
from tests.reference import Jag

ndims = st.integers(1, 3)


@given(st.data())
def test_sort_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, descending = data.draw(ndims), data.draw(st.booleans())
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED, "null"), small=data.draw(st.booleans())))
    got = x.sort(descending, axis=axis)
    assert got.type == x.type
    assert got.shape.extents == x.shape.extents
    expected = kept(lambda row: ref.sort(row, 1, descending=descending), x.to_list(), ndim, axis)
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("leaf", [pa.int64(), pa.float64(), pa.float32(), pa.uint8(), pa.bool_()], ids=str)
@pytest.mark.parametrize("descending", [False, True])
@given(st.data())
def test_argsort_is_stable_at_every_axis(leaf: pa.DataType, descending: bool, data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    got = x.argsort(descending, axis)

    def slots(row: list[Any]) -> list[Any]:
        # Along an outer axis a place that a row lacks is no item: what is left keeps its place of that axis.
        present = [k for k, one in enumerate(row) if one is not ...]
        return [present[k] for k in ref.row_order([row[k] for k in present], descending=descending)]

    _, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        expected = kept(slots, x.to_list(), ndim, axis)
    else:
        expected = _argsorted_across(x.to_list(), ndim, axis, descending)
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), expected)


def _argsorted_across(x: Any, ndim: int, axis: Any, descending: bool) -> Any:
    """The places along an outer axis: each leaf is replaced by its place first, and the pairs are sorted by leaf."""

    def across(row: list[Any]) -> Any:
        tagged = ref.at_depth(lambda leaf: (leaf,), row, ndim - axis % ndim)
        placed = [
            None if one is None else ref.at_depth(lambda t, k=k: (*t, k), one, ndim - axis % ndim - 1)
            for k, one in enumerate(tagged)
        ]
        pick = lambda group: [group[k][1] for k in ref.row_order([t[0] for t in group], descending=descending)]  # noqa: E731
        return kept(pick, placed, ndim - axis % ndim, 0)

    return ref.rows_at(across, x, axis % ndim)


@given(st.data())
def test_sort_by_keys(data: st.DataObject) -> None:
    ndim, descending = data.draw(ndims), data.draw(st.booleans())
    x, by = data.draw(prefix_arrays((ndim, ndim), (pa.string(), pa.float64())))
    got = x.sort(descending, by=by)
    expected = ref.sort(x.to_list(), ndim, descending=descending, by=by.to_list())
    assert_lists_equal(got.to_list(), expected)


def test_sort_by_keys_of_fewer_dims_and_along_outer_axes() -> None:
    x = aj.array([[3, 1], None, [2, None]])
    assert x.sort(by=[3, 1, 2]).to_list() == [[3, 1], None, [2, None]]
    assert x.sort(by=[3, 1, 2], axis=0).to_list() == [None, [2, None], [3, 1]]
    assert aj.array([[1, 2], [3]]).sort(by=[[9, 0], [8]], axis=0).to_list() == [[3, 2], [1]]
    assert aj.array([[[1], [2]], [[3]]]).sort(by=[[2, 1], [0]], axis=1).to_list() == [[[2], [1]], [[3]]]
    assert aj.array([[[1, 4], [2]], [[3]]]).sort(by=[[[4, 3], [2]], [[0]]], axis=(1, 2)).to_list() == [[[2, 4], [1]], [[3]]]


def test_a_null_under_a_key_takes_part() -> None:
    assert aj.array([[2, 1, None, 4]]).sort(by=[[9, 2, 1, 3]]).to_list() == [[None, 1, 4, 2]]


def test_refused_keys_and_flags() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(ShapeError, match=r"sort: by has 3 dims"):
        x.sort(by=[[[1], [2]]])
    with pytest.raises(ShapeError, match=r"sort"):
        x.sort(by=[[1]])
    with pytest.raises(JagTypeError, match=r"descending must be a bool"):
        x.sort(by=[[1, 2]], descending=1)
    with pytest.raises(JagTypeError, match=r"sort .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).sort()


@given(st.data())
def test_topk_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, k = data.draw(ndims), data.draw(st.integers(0, 5))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED, "null")))
    flat, first = grouped(x.to_list(), ndim, axis)
    depth = ndim if isinstance(axis, int) else first + 1
    got = x.topk(k, axis)
    assert got.type == x.type
    assert got.shape.extents[first + 1 :] == (x.shape.extents[first + 1 :] if isinstance(axis, int) else ())
    assert_lists_equal(got.to_list(), ref.topk(flat, depth, k, first), rel_tol=0, abs_tol=0)


@given(jagged_arrays(st.integers(2, 3), pa.int16()), st.integers(0, 1))
def test_the_largest_along_an_outer_axis_are_the_maxima(x: aj.JaggedArray, axis: int) -> None:
    axis = min(axis, x.ndim - 2)
    assert_lists_equal(x.topk(1, axis).max(axis).to_list(), x.max(axis).to_list())


def test_topk_along_an_outer_axis() -> None:
    x = aj.array([[1], [5, 3], None, [2, 4]])
    assert x.topk(1, axis=0).to_list() == [[5, 4]]
    assert x.topk(9, axis=0).to_list() == [[5, 4], [2, 3], [1], None]
    deep = aj.array([[None, [5]], [None, [6]], [[1]]])
    assert deep.topk(3, axis=0).to_list() == [[[1], [6]], [None, [5]], [None]]
    assert deep.topk(1, axis=1).to_list() == [[[5]], [[6]], [[1]]]
    assert aj.zeros(0, 3).topk(2, axis=0).shape.extents == (None, 3)
    assert aj.zeros(2, 4, 3).topk(2, axis=1).shape == aj.JaggedShape(2, 2, 3)


def test_topk_refuses_what_has_no_answer() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"k must not be negative"):
        x.topk(-1)
    with pytest.raises(JagTypeError, match=r"k must be an int"):
        x.topk(1.5)
    with pytest.raises(JagTypeError, match=r"topk .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).topk(1, axis=0)


def test_topk_drops_the_extent() -> None:
    assert aj.zeros(2, 3).topk(2).shape.extents[1] is None


@given(st.data())
def test_reverse_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        expected = kept(lambda row: row[::-1], x.to_list(), ndim, axis)
    else:
        expected = ref.reverse(x.to_list(), ndim, first)
    assert_lists_equal(x.reverse(axis).to_list(), expected, rel_tol=0, abs_tol=0)
    assert_equal(x.reverse(axis).reverse(axis), x)


@given(st.data())
def test_inverse_permutation_undoes_argsort_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int16(), small=True))
    order = x.argsort(axis=axis)
    assert_equal(order.inverse_permutation(axis).inverse_permutation(axis), order)


@given(st.data())
def test_partial_permutations(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 5))
    row = data.draw(st.permutations(range(size)))
    holes = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    rows = [[None if hole else one for one, hole in zip(row, holes, strict=True)], None, []]
    x = aj.array(rows, type=pa.int8(), ndim=2)
    got = x.inverse_permutation()
    assert got.type == pa.int8()
    assert_lists_equal(got.to_list(), ref.inverse_permutation(rows, 2))


def test_over_two_dims_positions_are_of_the_flattened_group() -> None:
    x = aj.array([[[1, 2, 0], [3, None]]])
    assert x.inverse_permutation((1, 2)).to_list() == [[[2, 0, 1], [3, None]]]


def test_what_is_no_permutation_is_refused_by_row() -> None:
    with pytest.raises(JagValueError, match=r"position 2 is out of range in row 1, which has 2 items"):
        aj.array([[0], [2, 1]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"position 1 occurs twice in row 1"):
        aj.array([[0], [1, 1]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"position -1 is out of range"):
        aj.array([[-1]]).inverse_permutation()
    with pytest.raises(JagTypeError, match=r"inverse_permutation .*double"):
        aj.array([[1.0]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"a place that its row lacks"):
        aj.array([[0, 1], [1], [2, 2]]).inverse_permutation(0)


@pytest.mark.parametrize("type", [pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()])
def test_permutations_that_meet_in_their_sum_are_refused(type: pa.DataType) -> None:
    # Each row points into the next one so that all slots of the block but one are hit, or hit as often.
    for rows, found in (
        ([[0, 2], [0, 1]], "position 2 is out of range in row 0"),
        ([[1, 0], [0, 2], [0]], "position 2 is out of range in row 1"),
        ([[0, 0], [1, 0]], "position 0 occurs twice in row 0"),
        ([[None, 2], [None, 1]], "position 2 is out of range in row 0"),
        ([[1, None, 1], [0]], "position 1 occurs twice in row 0"),
    ):
        with pytest.raises(JagValueError, match=found):
            aj.array(rows, type=type, ndim=2).inverse_permutation()
    with pytest.raises(JagValueError, match="is out of range in row 0"):
        aj.array([[2 ** (type.bit_width - 1) - 1, 0]], type=type, ndim=2).inverse_permutation()


def test_permutations_over_many_blocks() -> None:
    sizes = np.random.default_rng(0).integers(0, 9, 60_000)
    x = aj.random(len(sizes), sizes, seed=1)
    order = x.argsort()
    assert_equal(order.inverse_permutation(), order.argsort())
    holes = aj.where(x > 0.5, order, None)
    back = holes.inverse_permutation()
    assert back.count().sum().as_py() == holes.count().sum().as_py()
    assert_equal(back.inverse_permutation(), holes)


def test_a_slot_that_the_type_can_not_hold_is_refused() -> None:
    row = [None] * 200
    row[150] = 3
    with pytest.raises(JagOverflowError, match="slot 150 of row 1 does not fit int8"):
        aj.array([[0], row], type=pa.int8(), ndim=2).inverse_permutation()
    assert aj.array([[0], row], type=pa.uint8(), ndim=2).inverse_permutation().to_list()[1][3] == 150


def test_searching_leaves_what_sort_leaves() -> None:
    x = aj.array([[2, None, 1], [float("nan"), 5]], type=pa.float64(), ndim=2)
    assert_lists_equal(
        ref.searchsorted(Jag(x.sort().to_list(), 2), Jag([1.5, 6.0], 1)), x.sort().searchsorted([1.5, 6.0]).to_list()
    )


@pytest.mark.parametrize("type", [pa.float64(), pa.bool_(), pa.timestamp("us", "UTC"), pa.decimal128(21, 2), pa.large_string()])
def test_topk_of_long_rows_is_the_head_of_a_descending_sort(type: pa.DataType) -> None:
    rng = np.random.default_rng(0)
    numbers = pa.array(rng.integers(0, 500, 20_000), mask=rng.random(20_000) < 0.1)
    values = numbers.cast(type)
    x = aj.from_sizes(values, [5, 0, 9_000, 3, 4_000, 6_992])
    for k in (0, 1, 7):
        assert x.topk(k).equals(x.sort(descending=True).head(k))
