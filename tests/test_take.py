"""take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.testing import assert_lists_equal, jagged_arrays, jagged_lists
from tests import reference as ref
from tests.along import as_list
from tests.operands import jag, result_or_error
from tests.reference import Jag

ndims = st.integers(1, 3)


def outcome(function: Any) -> Any:
    """The items of a result, or the builtin exception that the call raises."""
    return result_or_error(lambda: as_list(function()))


# ----------------------------------------------------------------------------------------------------------------- take


@pytest.fixture(params=["few", "many"], scope="module")
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Positions as they come, or the way of many whatever their number."""
    with strategy.force(nth="blocks" if request.param == "many" else "whole"):
        yield


def _fitting(data: st.DataObject, x: Any, axis: int, depth: int, leaf: Any) -> Any:
    """A nested list of `depth` levels whose sizes are those of x above the axis, and free below."""
    if depth == 0:
        return data.draw(leaf)
    if axis == 0 or x is None:
        return data.draw(jagged_lists(depth, leaf, max_size=3, nulls=False))
    rows = [_fitting(data, row, axis - 1, depth - 1, leaf) for row in x]
    return [None if depth > 1 and data.draw(st.integers(0, 9)) == 9 else row for row in rows]


@pytest.mark.usefixtures("either_way")
@given(st.data())
def test_take_at_every_axis_equals_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(st.integers(0, ndim - 1))
    depth = data.draw(st.integers(0, axis + 2))
    x = data.draw(jagged_arrays(ndim, pa.int16(), max_size=3))
    position = data.draw(st.sampled_from([st.integers(-1, 0), st.integers(-3, 3)]))
    position = position if depth == 0 else position | st.none()
    entries = _fitting(data, x.to_list(), axis, depth, position)
    index: Any = entries if depth == 0 else aj.array(entries, type=pa.int64(), ndim=depth)
    mode = data.draw(st.sampled_from(["raise", "null"]))
    got = outcome(lambda: x.take(index, axis - ndim, out_of_bounds=mode))
    assert got == result_or_error(lambda: ref.take(jag(x), Jag(entries, depth), axis, mode))


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
    with pytest.raises(aj.ShapeError, match="is not a prefix of"):
        x.take([1, 2, 3])


def test_take_leaves_null_rows_null() -> None:
    x = aj.array([[1, 2], None])
    assert x.take([0, 5]).to_list() == [1, None]
    assert x.take([[1], [5]]).to_list() == [[2], None]
    assert x.take([[], []]).to_list() == [[], None]


def test_index_items_under_a_null_row_are_dropped_at_every_level() -> None:
    x = aj.array([[[1], [2, 3]], [[], None], None])
    assert x.take([[[0], [1, 0]], [[], [9]], [[9], [9]]]).to_list() == [[[1], [3, 2]], [[], None], None]
    assert x.take([[[0], [1, 0]], None, [[9]]]).to_list() == [[[1], [3, 2]], None, None]
    assert x.S[aj.array([[[0], [1, 0]], [[], [9]], [[9], [9]]])].to_list() == [[[1], [3, 2]], [[], None], None]


def test_take_names_the_row() -> None:
    with pytest.raises(aj.JagIndexError, match=r'index 2 is out of range for row 1, .*; out_of_bounds="null" gives null there'):
        aj.array([[1, 2, 3], [4, 5]]).take(2)


def test_take_keeps_extents_below_the_axis() -> None:
    x = aj.array(np.zeros((3, 2, 4)))
    assert x.take([0, 1], axis=0).shape.extents[1:] == (2, 4)
    assert x.take(0, axis=1).shape.extents[1:] == (4,)


@pytest.mark.parametrize("index", [1.0, True, [1.0], ["a"], [True]])
def test_take_wants_integers(index: Any) -> None:
    with pytest.raises(TypeError, match=r"^take: .*(must be an int|integers|numbers)"):
        aj.array([[1], [2]]).take(index)


def test_an_unknown_out_of_bounds_option_raises() -> None:
    with pytest.raises(ValueError, match="'raise' or 'null', got 'clip'"):
        aj.array([[1]]).take(0, out_of_bounds="clip")


@pytest.mark.parametrize("rows", [[1], [1, 2, 3], [0, 1, 2, 3, 4]])
def test_rows_that_follow_each_other_share_the_values(rows: list[int]) -> None:
    x = aj.array([[[1, 2], []], None, [[3], None], [], [[4, 5, 6]]])
    found = x[aj.array(rows)]
    assert found.to_list() == [x.to_list()[row] for row in rows]
    assert found.values.buffers()[1].address == x.values.buffers()[1].address


@pytest.mark.parametrize("rows", [[1, 1, 3], [0, 2, 1, 3], [0, 2, 2, 3], [3, 2, 1], [0, 1, 1, 3, 4]])
def test_rows_that_only_end_as_a_run_are_gathered(rows: list[int]) -> None:
    x = aj.array([[[1, 2], []], None, [[3], None], [], [[4, 5, 6]]])
    assert x[aj.array(rows)].to_list() == [x.to_list()[row] for row in rows]


@pytest.mark.parametrize("type", [pa.int64(), pa.null()])
def test_a_null_scalar_is_a_null_position(type: pa.DataType) -> None:
    nothing, k, x = pa.scalar(None, type), aj.array([None, None], type=pa.int64()), aj.array([[1, 2], [3]])
    assert k.take(k.argmin()).as_py() is k.min().as_py() is None
    for name in ("take", "get", "head", "tail", "slice"):
        assert getattr(x, name)(nothing).to_list() == getattr(x, name)(aj.array([None, None], type=type)).to_list() == [None, None]
    with pytest.raises(aj.JagValueError, match=r"repeat: in row .*, a size is null"):
        x.repeat(nothing)


@pytest.mark.parametrize("way", ["runs", "polars", "compiled", "items"])
@pytest.mark.parametrize("values", [np.arange(2**20), np.full(2**20, "ab")], ids=["numbers", "text"])
def test_rows_taken_too_often_are_refused_before_they_are_copied(way: str, values: Any) -> None:
    x = aj.from_sizes(values, [2**20])
    with (
        strategy.force(take_rows=way),
        pytest.raises(aj.JagMemoryError, match=r"^take: [0-9,]+ items of .* GB; this process"),
    ):
        x.take(np.zeros(2**20, np.int64), axis=0)
