"""take, filter, head, tail, slice, pad, repeat and tile against the oracle, and by example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops import indexing, select
from arrowjag.testing import assert_lists_equal, jagged_arrays, jagged_lists, leaf_types, leaf_values, prefix_arrays
from tests import reference as ref
from tests.reference import Jag

ndims = st.integers(1, 3)


def jag(x: Any) -> Jag:
    return Jag(x.to_list(), x.ndim)


def as_list(result: Any) -> Any:
    return result.as_py() if isinstance(result, pa.Scalar) else result.to_list()


def outcome(function: Any) -> Any:
    """What a call gives, or the builtin that it raises."""
    try:
        return as_list(function())
    except IndexError:
        return "IndexError"
    except ValueError:
        return "ValueError"


def expected(function: Any) -> Any:
    try:
        return function()
    except IndexError:
        return "IndexError"
    except ValueError:
        return "ValueError"


# ----------------------------------------------------------------------------------------------------------------- take


@pytest.fixture(params=["few", "many"], scope="module")
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Positions as they come, or the way of many whatever their number."""
    with mock.patch.object(indexing, "_MANY", 1 if request.param == "many" else indexing._MANY):
        yield


@pytest.mark.usefixtures("either_way")
@given(st.data())
def test_take_at_every_axis_does_what_the_oracle_says(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(st.integers(0, ndim - 1))
    depth = data.draw(st.integers(0, axis + 2))
    x = data.draw(jagged_arrays(ndim, pa.int16(), max_size=3))
    position = data.draw(st.sampled_from([st.integers(-1, 0), st.integers(-3, 3)])) | st.none()
    entries = _fitting(data, x.to_list(), axis, depth, position)
    index: Any = entries if depth == 0 else aj.array(entries, type=pa.int64(), ndim=depth)
    index = pa.scalar(None, pa.int64()) if index is None else index
    mode = data.draw(st.sampled_from(["raise", "null"]))
    got = outcome(lambda: x.take(index, axis - ndim, out_of_bounds=mode)) if not isinstance(index, pa.Scalar) else None
    if not isinstance(index, pa.Scalar):
        assert got == expected(lambda: ref.take(jag(x), Jag(entries, depth), axis, mode))


def _fitting(data: st.DataObject, x: Any, axis: int, depth: int, leaf: Any) -> Any:
    """A nested list of `depth` levels whose sizes are those of x above the axis, and free below."""
    if depth == 0:
        return data.draw(leaf)
    if axis == 0 or x is None:
        return data.draw(jagged_lists(depth, leaf, max_size=3, nulls=False))
    rows = [_fitting(data, row, axis - 1, depth - 1, leaf) for row in x]
    return [None if depth > 1 and data.draw(st.integers(0, 9)) == 9 else row for row in rows]


@given(jagged_arrays(ndims), st.integers(-3, 2))
def test_every_leaf_type_is_taken(x: aj.JaggedArray, position: int) -> None:
    got = as_list(x.take(position, out_of_bounds="null"))
    assert_lists_equal(got, ref.take(jag(x), Jag(position, 0), -1, "null"))


def test_koda_examples_of_take() -> None:
    x = aj.array([[1, None, 2], [3, 4]])
    null = {"out_of_bounds": "null"}
    assert x.take(1).to_list() == [None, 4]
    assert x.take([0, 1]).to_list() == [1, 4]
    assert x.take([[0, 1], [1]]).to_list() == [[1, None], [4]]
    assert x.take([[[0, 1], []], [[1], [0]]]).to_list() == [[[1, None], []], [[4], [3]]]
    assert x.take([3, -3], **null).to_list() == [None, None]
    assert x.take([-3, -3], **null).to_list() == [1, None]
    assert x.take([None, 0]).to_list() == [None, 3]
    assert aj.array([1, 2, 3]).take([[2, 0], [5]], **null).to_list() == [[3, 1], [None]]
    assert aj.array([], type=pa.int8()).take(0, **null).as_py() is None
    assert aj.array([[], []], type=pa.int8()).take(0, **null).to_list() == [None, None]
    with pytest.raises(ValueError):
        x.take([1, 2, 3])


def test_take_leaves_null_rows_null() -> None:
    x = aj.array([[1, 2], None])
    assert x.take([0, 5]).to_list() == [1, None]
    assert x.take([[1], [5]]).to_list() == [[2], None]
    assert x.take([[], []]).to_list() == [[], None]


def test_what_an_index_holds_under_a_null_row_is_dropped_at_every_level() -> None:
    x = aj.array([[[1], [2, 3]], [[], None], None])
    assert x.take([[[0], [1, 0]], [[], [9]], [[9], [9]]]).to_list() == [[[1], [3, 2]], [[], None], None]
    assert x.take([[[0], [1, 0]], None, [[9]]]).to_list() == [[[1], [3, 2]], None, None]
    assert x.S[aj.array([[[0], [1, 0]], [[], [9]], [[9], [9]]])].to_list() == [[[1], [3, 2]], [[], None], None]


def test_take_names_the_row() -> None:
    with pytest.raises(aj.JagIndexError, match="take: index 2 is out of range for row 1, which has 2 items at dim 1"):
        aj.array([[1, 2, 3], [4, 5]]).take(2)


def test_take_keeps_extents_below_the_axis() -> None:
    x = aj.array(np.zeros((3, 2, 4)))
    assert x.take([0, 1], axis=0).shape.extents[1:] == (2, 4)
    assert x.take(0, axis=1).shape.extents[1:] == (4,)


@pytest.mark.parametrize("index", [1.0, True, [1.0], ["a"], [True]])
def test_take_wants_integers(index: Any) -> None:
    with pytest.raises(TypeError):
        aj.array([[1], [2]]).take(index)


def test_take_knows_two_ways_out_of_bounds() -> None:
    with pytest.raises(TypeError, match="'raise' or 'null'"):
        aj.array([[1]]).take(0, out_of_bounds="clip")


# --------------------------------------------------------------------------------------------------------------- filter


@given(st.integers(1, 3).flatmap(lambda n: prefix_arrays((n, n), [leaf_types(), pa.bool_()])))
def test_filter_by_a_mask_of_the_same_shape(pair: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    x, mask = pair
    assert_lists_equal(x.filter(mask).to_list(), ref.filter_items(jag(x), jag(mask)))


@given(st.sampled_from([(2, 1), (3, 1), (3, 2)]).flatmap(lambda n: prefix_arrays(n, [pa.int64(), pa.bool_()])))
def test_filter_by_a_shorter_mask(pair: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    x, mask = pair
    assert x.filter(mask).to_list() == ref.filter_items(jag(x), jag(mask))


def test_filter_by_a_scalar_and_by_nulls() -> None:
    v = aj.array([[1, None, 4], [None], [2, 8], None])
    assert v.filter(True).to_list() == v.to_list()
    assert v.filter(False).to_list() == [[], [], [], None]
    assert v.filter(None).to_list() == [[], [], [], None]
    assert v.filter(v > 3).to_list() == [[4], [], [8], None]
    assert v.filter([True, True, None, True]).to_list() == [[1, None, 4], [None], [], None]
    assert aj.array([1, 2, 3]).filter([True, None, False]).to_list() == [1]


def test_filter_drops_the_extent_inside_rows_and_keeps_those_outside() -> None:
    x = aj.array(np.arange(12).reshape(2, 3, 2))
    assert x.filter(x >= 0).shape.extents[1:] == (3, None)


def test_filter_of_many_values_equals_numpy() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.int8, np.uint16):
        values = rng.integers(0, 100, 300_000).astype(dtype)
        sizes = np.bincount(rng.integers(0, 30_000, 300_000), minlength=30_000)
        x = aj.from_sizes(values, sizes)
        keep = values % 3 == 0
        left = x.filter(aj.from_sizes(keep, sizes))
        assert np.array_equal(left.values.to_numpy(), values[keep])
        assert np.array_equal(left.shape.dims[1].sizes, np.bincount(x.shape.dims[1].parents[keep], minlength=30_000))


@pytest.mark.parametrize(("mask", "error"), [([[1], [0]], TypeError), ([[[True]], [[True]]], ValueError), ([True], ValueError)])
def test_filter_refuses(mask: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        aj.array([[1], [2]]).filter(mask)


# ---------------------------------------------------------------------------------------------------- windows of rows


@given(jagged_arrays(ndims), st.integers(0, 4), st.integers(0, 2))
def test_head_and_tail(x: aj.JaggedArray, n: int, axis: int) -> None:
    axis %= x.ndim
    assert_lists_equal(x.head(n, axis).to_list(), ref.head(x.to_list(), x.ndim, n, axis))
    assert_lists_equal(x.tail(n, axis).to_list(), ref.tail(x.to_list(), x.ndim, n, axis))


@given(jagged_arrays(ndims, pa.int8()), st.integers(-5, 5), st.none() | st.integers(0, 4), st.integers(0, 2))
def test_slice(x: aj.JaggedArray, start: int, length: int | None, axis: int) -> None:
    axis %= x.ndim
    assert x.slice(start, length, axis).to_list() == ref.slice_items(x.to_list(), x.ndim, start, length, axis)


@given(st.data())
def test_windows_with_a_bound_for_each_row(data: st.DataObject) -> None:
    """Bounds have the dims above the axis, or fewer; null ones, and null rows above them, make null."""
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    above = st.integers(1, axis)
    x, one = data.draw(prefix_arrays((ndim, data.draw(above)), (leaf_types(), pa.int8()), allow_nan=False))
    rows, n = Jag(x.to_list(), axis), jag(one)
    wholes = lambda f: lambda row, *bounds: None if None in bounds else f(row, *bounds)  # noqa: E731
    assert_lists_equal(x.head(one, axis).to_list(), ref.over_rows(wholes(lambda row, k: row[:k]), rows, n))
    assert_lists_equal(x.tail(one, axis).to_list(), ref.over_rows(wholes(lambda row, k: ref.tail(row, 1, k)), rows, n))
    part = ref.over_rows(wholes(lambda row, k: ref.slice_items(row, 1, k)), rows, n)
    assert_lists_equal(x.slice(one, axis=axis).to_list(), part)
    part = ref.over_rows(wholes(lambda row, k: ref.slice_items(row, 1, k, 2)), rows, n)
    assert_lists_equal(x.slice(one, 2, axis).to_list(), part)


@given(st.data())
def test_stretches_of_each_row(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    above = st.integers(1, axis)
    x, one, two = data.draw(prefix_arrays((ndim, data.draw(above), data.draw(above)), (pa.string(), pa.int8(), pa.uint8())))
    stretch = lambda row, *bounds: None if None in bounds else ref.slice_items(row, 1, *bounds)  # noqa: E731
    expected = ref.over_rows(stretch, Jag(x.to_list(), axis), jag(one), jag(two))
    assert_lists_equal(x.slice(one, two, axis).to_list(), expected)
    x, two = data.draw(prefix_arrays((ndim, data.draw(above)), (pa.string(), pa.uint8())))
    expected = ref.over_rows(lambda row, width: stretch(row, -2, width), Jag(x.to_list(), axis), jag(two))
    assert_lists_equal(x.slice(-2, two, axis).to_list(), expected)


def test_bounds_for_each_row_drop_the_extent_and_are_checked() -> None:
    x = aj.zeros(2, 3)
    assert x.head([1, 1]).shape.extents[1] is None
    assert x.tail(np.array([-(2**63), 2**63 - 1])).lengths().to_list() == [0, 3]
    assert x.slice(np.array([1, -(2**63)]), 2**63 - 1).lengths().to_list() == [2, 3]
    with pytest.raises(ValueError, match=r"slice: length must be at least 0, got -1 for row 1"):
        x.slice(0, [0, -1])
    with pytest.raises(TypeError, match=r"head takes integers, got double"):
        x.head([1.0, 2.0])
    with pytest.raises(ValueError, match=r"tail: JaggedShape\(2, 1\) has 2 dims, the rows that it bounds have 1"):
        x.tail([[1], [1]])
    with pytest.raises(ValueError, match=r"head: JaggedShape\(3\) is not a prefix"):
        x.head([1, 1, 1])


def test_negative_head_and_tail_leave_out_as_in_pandas() -> None:
    x = aj.array([[1, 2, 3], [4], None])
    assert x.head(-1).to_list() == [[1, 2], [], None]
    assert x.tail(-1).to_list() == [[2, 3], [], None]


def test_windows_compute_the_extent() -> None:
    x = aj.array(np.zeros((4, 3)))
    windows = (x.head(2), x.tail(5), x.slice(1, 1), x.slice(-2), x.pad(5), x.pad(1))
    assert [one.shape.extents[1] for one in windows] == [2, 3, 1, 2, 5, 3]
    assert aj.array(np.zeros((0, 3))).head(2).shape.extents[1] == 2


@pytest.mark.parametrize("call", [lambda x: x.head(1.0), lambda x: x.tail(True), lambda x: x.slice("a"), lambda x: x.pad(None)])
def test_windows_want_ints(call: Any) -> None:
    with pytest.raises(TypeError, match="takes an int"):
        call(aj.array([[1]]))


def test_windows_refuse_negative_lengths_and_axes_out_of_range() -> None:
    x = aj.array([[1]])
    with pytest.raises(ValueError, match="length"):
        x.slice(0, -1)
    with pytest.raises(ValueError, match="pad: n must not be negative, got -1"):
        x.pad(-1)
    with pytest.raises(IndexError, match="axis 2"):
        x.head(1, axis=2)


# ------------------------------------------------------------------------------------------------------------------ pad


@given(st.data(), st.integers(0, 4), ndims)
def test_pad_leaves(data: st.DataObject, n: int, ndim: int) -> None:
    leaf = data.draw(leaf_types())
    x = data.draw(jagged_arrays(ndim, leaf, allow_nan=False))
    fill = data.draw(st.none() | leaf_values(leaf, allow_nan=False))
    scalar = pa.array([fill], leaf)[0]
    assert_lists_equal(x.pad(n, scalar).to_list(), ref.pad(x.to_list(), ndim, n, scalar.as_py()))


@given(jagged_arrays(ndims, pa.int8()), st.integers(0, 4), st.integers(0, 2))
def test_pad_with_nulls_at_every_axis(x: aj.JaggedArray, n: int, axis: int) -> None:
    axis %= x.ndim
    assert x.pad(n, axis=axis).to_list() == ref.pad(x.to_list(), x.ndim, n, None, axis)


def without_extents(x: aj.JaggedArray) -> aj.JaggedArray:
    dims = [x.shape.dims[0], *(dim.with_extent(None) for dim in x.shape.dims[1:])]
    return aj.JaggedArray(aj.JaggedShape._trusted(dims), x.values)


@given(st.data())
def test_pad_with_sub_trees(data: st.DataObject) -> None:
    ndim, n, leaf = data.draw(st.integers(2, 3)), data.draw(st.integers(0, 4)), data.draw(leaf_types())
    axis = data.draw(st.integers(0, ndim - 2))
    x = without_extents(data.draw(jagged_arrays(ndim, leaf, allow_nan=False)))
    fill = data.draw(jagged_arrays(ndim - 1 - axis, leaf, allow_nan=False))
    got = x.pad(n, fill, axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), ref.pad(x.to_list(), ndim, n, fill.to_list(), axis))


@given(x=jagged_arrays(2), n=st.integers(0, 4))
def test_few_items_are_padded_as_many_are(x: aj.JaggedArray, n: int) -> None:
    few = x.pad(n)
    with mock.patch.object(select, "_FEW", -1):
        assert_lists_equal(x.pad(n).to_list(), few.to_list())


def test_pad_promotes_and_puts_in_rows() -> None:
    assert aj.array([[1], []]).pad(1, 0.5).type == pa.float64()
    assert aj.array([[1], []]).pad(3, [0.5], axis=0).to_list() == [[1.0], [], [0.5]]
    assert aj.array([[1], []]).pad(3, [], axis=0).to_list() == [[1], [], []]
    assert aj.array([[[1]], None]).pad(2, [[]], axis=0).to_list() == [[[1]], None]
    assert aj.array([[[1]], None]).pad(3, [], axis=0).to_list() == [[[1]], None, []]
    assert aj.array([[[1]], None]).pad(2, [7, None], axis=1).to_list() == [[[1], [7, None]], None]


def test_pad_keeps_extents_below_the_axis() -> None:
    x = aj.zeros(2, 3)
    assert x.pad(3, 5, axis=0).to_list() == [[0.0] * 3, [0.0] * 3, [5.0] * 3]
    assert x.pad(3, 5, axis=0).shape.extents[1] == x.pad(3, [1, 2, 3], axis=0).shape.extents[1] == 3
    assert aj.zeros(2, 1, 3).pad(2, 5, axis=1).shape.extents == (2, 2, 3)
    with pytest.raises(
        ValueError, match=r"pad: the fill JaggedShape\(2\) does not have the extents of the dims below axis 0: row 0 has 2 items"
    ):
        x.pad(3, [1, 2], axis=0)


def test_pad_says_what_it_needs() -> None:
    x = aj.array([[1], []])
    with pytest.raises(ValueError, match=r"a single value does not say how long. Give a row, such as fill=\[0\]"):
        x.pad(3, 0, axis=0)
    with pytest.raises(ValueError, match=r"pad: along axis 1 of 2 dims a fill has 0 dims, got JaggedShape\(1\)"):
        x.pad(3, [0])
    with pytest.raises(ValueError, match=r"a fill has 1 dims, got JaggedShape\(1, 1\)"):
        x.pad(3, [[0]], axis=0)
    with pytest.raises(TypeError, match=r"pad: .* no common type"):
        x.pad(3, ["a"], axis=0)


# ------------------------------------------------------------------------------------------------------- repeat and tile


@given(prefix_arrays(None, [leaf_types(), pa.int8()]), st.data())
def test_repeat_expands_either_way(pair: tuple[aj.JaggedArray, aj.JaggedArray], data: st.DataObject) -> None:
    x, other = pair
    sizes = ref.at_depth(lambda _: data.draw(st.integers(0, 2)), other.to_list(), other.ndim)
    got = x.repeat(aj.array(sizes, type=pa.int64(), ndim=other.ndim))
    assert_lists_equal(got.to_list(), ref.repeat(jag(x), Jag(sizes, other.ndim)))


@given(jagged_arrays(ndims), st.integers(0, 3))
def test_repeat_by_an_int_declares_the_extent(x: aj.JaggedArray, n: int) -> None:
    got = x.repeat(n)
    assert_lists_equal(got.to_list(), ref.repeat(jag(x), Jag(n, 0)))
    assert got.shape.extents[-1] == n


def test_koda_examples_of_repeat() -> None:
    assert aj.array([[1, None], [3]]).repeat([2, 3]).to_list() == [[[1, 1], [None, None]], [[3, 3, 3]]]
    assert aj.array(1).repeat([2, 3]).to_list() == [[1, 1], [1, 1, 1]]
    assert aj.array([], type=pa.int8()).repeat(3).shape == aj.JaggedShape(0, [])


@pytest.mark.parametrize(
    ("sizes", "error"),
    [(-1, ValueError), ([1, -1], ValueError), ([None, 1], ValueError), (1.0, TypeError), ([1.0, 2.0], TypeError)],
)
def test_repeat_refuses(sizes: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        aj.array([1, 2]).repeat(sizes)


@given(jagged_arrays(st.integers(1, 2)), jagged_arrays(st.integers(1, 2), pa.int8()))
def test_tile_copies_the_whole_array(x: aj.JaggedArray, target: aj.JaggedArray) -> None:
    assert_lists_equal(x.tile(target).to_list(), ref.tile(jag(x), jag(target)))
    assert x.tile(target.shape).to_list() is not None


def test_tile_takes_dims() -> None:
    assert aj.array([1, 2]).tile(2).to_list() == aj.array([1, 2]).tile((2,)).to_list() == [[1, 2], [1, 2]]
