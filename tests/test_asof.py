"""asof."""

from __future__ import annotations

import datetime as dt
import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import as_list
from tests.operands import jag


@given(st.data())
def test_asof_agrees_with_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    key = data.draw(st.sampled_from([pa.int8(), pa.float64()]))
    right, values, left = data.draw(
        prefix_arrays((ndim, ndim, data.draw(st.integers(1, ndim))), (key, data.draw(leaf_types()), key))
    )
    right = right.sort()
    direction = data.draw(st.sampled_from(["backward", "forward", "nearest"]))
    tolerance = data.draw(st.none() | st.integers(0, 5))
    got = aj.asof(left, right, values, direction, tolerance)
    assert got.type == values.type
    expected = ref.asof(jag(left), jag(right), jag(values), direction, tolerance)
    assert_lists_equal(as_list(got), expected, rel_tol=0, abs_tol=0)


@given(st.data())
def test_rows_of_left_and_right_have_their_own_sizes(data: st.DataObject) -> None:
    row = st.none() | st.lists(st.none() | st.integers(0, 4), max_size=4)
    pairs = data.draw(st.lists(st.tuples(row, row), min_size=1, max_size=5))
    left, right = (aj.array([pair[k] for pair in pairs], type=pa.int64(), ndim=2) for k in (0, 1))
    right = right.sort()
    direction = data.draw(st.sampled_from(["backward", "forward", "nearest"]))
    tolerance = data.draw(st.none() | st.integers(0, 3))
    expected = ref.asof(jag(left), jag(right), jag(right), direction, tolerance)
    assert aj.asof(left, right, direction=direction, tolerance=tolerance).to_list() == expected


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_rows_in_several_blocks(direction: str) -> None:
    left, right = aj.array([[1, 2], [3, None], [4, 0, 2], [1, 1], [9]]), aj.array([[1, 2], [3, 5], [0, 0, 1], [1], [8, 9, 9]])
    for tolerance in (None, 1):
        expected = ref.asof(jag(left), jag(right), jag(right), direction, tolerance)
        with strategy.force(THREAD_VALUES=1, CACHE_VALUES=3):
            assert aj.asof(left, right, direction=direction, tolerance=tolerance).to_list() == expected


@pytest.mark.parametrize("direction", ["backward", "forward", "nearest"])
def test_an_empty_last_row_has_no_key_within_the_tolerance(direction: str) -> None:
    left, right = aj.array([[2, 9], [1]]), aj.array([[2], []])
    assert aj.asof(left, right, direction=direction, tolerance=1).to_list() == [[2, None], [None]]


def test_ties_nulls_and_nan() -> None:
    right = aj.array([[1.0, 1.0, 3.0, math.nan, None], None, []])
    values = aj.array([["a", "b", "c", "d", "e"], None, []])
    left = aj.array([[1.0, 2.0, 0.0, math.nan, None], [1.0], [1.0]])
    assert aj.asof(left, right, values).to_list() == [["b", "b", None, None, None], None, [None]]
    assert aj.asof(left, right, values, "forward").to_list() == [["b", "c", "b", None, None], None, [None]]
    assert aj.asof(left, right, values, "nearest").to_list() == [["b", "b", "b", None, None], None, [None]]
    assert aj.asof(left, right).to_list() == [[1.0, 1.0, None, None, None], None, [None]]
    assert aj.asof(2, right, values).to_list() == ["b", None, None]


def test_times_and_tolerance() -> None:
    noon = dt.datetime.fromisoformat("2024-01-01T12:00")
    right = aj.array([[noon, noon + dt.timedelta(minutes=10)]])
    left = aj.array([[noon + dt.timedelta(minutes=4), noon + dt.timedelta(minutes=30)]])
    values = aj.array([[1, 2]])
    for tolerance in ("5m", dt.timedelta(minutes=5), pa.scalar(300, pa.duration("s"))):
        assert aj.asof(left, right, values, tolerance=tolerance).to_list() == [[1, None]]
    with pytest.raises(JagValueError, match=r"asof: tolerance: months have no fixed length"):
        aj.asof(left, right, tolerance="1mo")


def test_asof_rejects_invalid_arguments() -> None:
    x = aj.array([[2, 1]])
    with pytest.raises(JagValueError, match=r"asof: right is not sorted in row 0: 1 follows 2"):
        aj.asof(x, x)
    x = x.sort()
    with pytest.raises(JagValueError, match=r"direction must be"):
        aj.asof(x, x, direction="up")  # type: ignore[arg-type]
    with pytest.raises(JagValueError, match=r"tolerance must not be negative, got -1"):
        aj.asof(x, x, tolerance=-1)
    with pytest.raises(JagTypeError, match=r"tolerance must be a number"):
        aj.asof(x, x, tolerance="1h")
    with pytest.raises(ShapeError, match=r"asof"):
        aj.asof(x, x, aj.array([[1]]))
    with pytest.raises(JagTypeError, match=r"asof .*string"):
        aj.asof(aj.array([["a"]]), aj.array([["a"]]))


def test_infinite_keys_are_at_distance_zero_of_themselves() -> None:
    keys = aj.array([[-math.inf, 1.0, math.inf]])
    assert aj.asof(keys, keys, tolerance=0.5).to_list() == keys.to_list()
    assert aj.asof(aj.array([[math.inf]]), aj.array([[1.0]]), tolerance=10**300).to_list() == [[None]]


def test_distances_of_halves_are_wider_than_their_type() -> None:
    one, two = (aj.array([[value]], type=pa.float16()) for value in (60_000.0, -60_000.0))
    assert aj.asof(one, two, tolerance=120_000).to_list() == [[-60_000.0]]
    assert aj.asof(one, two, tolerance=119_000).to_list() == [[None]]


def test_values_may_have_more_dims_than_their_keys() -> None:
    keys, values = aj.array([[1.0, 2.0], [3.0, 4.0]]), aj.array([[[10.0, 20.0], None], [[30.0], [40.0, 50.0, 60.0]]])
    sought = aj.array([[[1.5, 2.0], [2.0]], [None, [4.5]]])
    assert aj.asof(sought, keys, values).to_list() == [[[20.0, 20.0], None], [None, [60.0]]]
    assert aj.interp(sought, keys, values).to_list() == [[[20.0, 20.0], None], [None, [60.0]]]
