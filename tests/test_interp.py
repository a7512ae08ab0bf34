"""interp."""

from __future__ import annotations

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels.order import interpolation
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.along import as_list
from tests.operands import jag


@given(st.data())
def test_interp_agrees_with_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    x, y, at = data.draw(
        prefix_arrays((ndim, ndim, data.draw(st.integers(1, ndim))), (pa.int16(), pa.float64(), pa.float64()), allow_nan=False)
    )
    x = x.sort()
    outside = data.draw(st.sampled_from(["clamp", "null"]))
    got = aj.interp(at.round(), x, y, outside)
    assert got.type == pa.float64()
    expected = ref.interp(jag(at.round()), jag(x), jag(y), outside)
    assert_lists_equal(as_list(got), expected, rel_tol=1e-9, abs_tol=1e-9)


@given(jagged_arrays(2, pa.float64(), nulls=False, null_rows=False, allow_nan=False, small=True), st.integers(0, 9))
def test_interp_is_numpy_interp_of_each_row(y: aj.JaggedArray, seed: int) -> None:
    draw = np.random.default_rng(seed)
    x = aj.JaggedArray(y.shape, np.sort(draw.random(y.size))).sort()
    at = aj.array([draw.random(3) * 1.2 - 0.1 for _ in range(len(y))], ndim=2, type=pa.float64())
    expected = [
        np.interp(a, p, v).tolist() if len(p) else [None] * 3
        for a, p, v in zip(at.to_list(), x.to_list(), y.to_list(), strict=True)
    ]
    assert aj.interp(at, x, y).to_list() == expected


def test_nulls_nan_and_the_ends() -> None:
    x, y = aj.array([[0, 10, None, 20], [5], [], None]), aj.array([[1.0, 3.0, 9.0, None], [7.0], [], [2.0]])
    at = aj.array([[5.0, 15.0, None, math.nan, -1.0], [1.0], [2.0], [3.0]])
    assert_lists_equal(aj.interp(at, x, y).to_list(), [[2.0, 3.0, None, math.nan, 1.0], [7.0], [None], None])
    assert_lists_equal(aj.interp(at, x, y, "null").to_list(), [[2.0, None, None, math.nan, None], [None], [None], None])
    assert aj.interp(5, x, y).to_list() == [2.0, 7.0, None, None]
    assert aj.interp([5, 5, 5, 5], x, y).to_list() == [2.0, 7.0, None, None]
    assert aj.interp(aj.array([1.5]), aj.array([1, 2]), aj.array([0.0, 1.0])).to_list() == [0.5]
    assert aj.interp(1, aj.array([[0, 2]]), aj.array([[1.0, 2.0]], type="float32")).type == pa.float32()


def test_times_keep_their_digits() -> None:
    begin = dt.datetime.fromisoformat("2024-01-01")
    t = aj.array([[begin, begin + dt.timedelta(microseconds=4)]])
    assert aj.interp(begin + dt.timedelta(microseconds=1), t, aj.array([[0.0, 1.0]])).to_list() == [0.25]
    late = aj.array([[2**62, 2**62 + 4]])
    assert aj.interp(2**62 + 1, late, aj.array([[0.0, 1.0]])).to_list() == [0.25]


def test_infinities_are_as_in_numpy(with_and_without_loops: str) -> None:
    positions = [-math.inf, -1.0, 0.0, 0.0, 2.0, math.inf]
    levels = [1.0, 2.0, math.inf, 4.0, -math.inf, 6.0]
    sought = [-math.inf, -5.0, -1.0, -0.5, -0.0, 1.0, 2.0, 3.0, math.inf, math.nan] * 1000
    got = aj.interp([sought], [positions], [levels]).to_list()[0]
    with np.errstate(all="ignore"):
        expected = np.interp(sought, positions, levels).tolist()
    assert_lists_equal(got, expected)


def test_filling_nulls_by_time() -> None:
    t, y = aj.array([[0, 1, 10], [5, 6]]), aj.array([[0.0, None, 10.0], [None, 3.0]])
    assert aj.coalesce(y, aj.interp(t, t, y)).to_list() == [[0.0, 1.0, 10.0], [3.0, 3.0]]
    assert aj.coalesce(y, aj.interp(t, t, y, outside="null")).to_list() == [[0.0, 1.0, 10.0], [None, 3.0]]


def test_interp_rejects_invalid_arguments() -> None:
    x, y = aj.array([[1], [3, 2]]), aj.array([[1.0], [1.0, 2.0]])
    with pytest.raises(JagValueError, match=r"interp: x is not sorted in row 1: 2 follows 3"):
        aj.interp(1, x, y)
    with pytest.raises(JagValueError, match=r"outside must be .clamp. or .null., got 'edge'"):
        aj.interp(1, y, y, "edge")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"interp"):
        aj.interp(1, x, aj.array([[1.0], [1.0]]))
    with pytest.raises(JagTypeError, match=r"interp .*string"):
        aj.interp(1, aj.array([["a"]]), aj.array([[1.0]]))
    with pytest.raises(JagTypeError, match=r"interp .*string"):
        aj.interp(1, aj.array([[1]]), aj.array([["a"]]))


@pytest.mark.parametrize(
    "leaf", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64(), pa.timestamp("ns"), pa.float16()]
)
def test_positions_as_far_apart_as_their_type_allows(leaf: pa.DataType) -> None:
    """The distance of two positions may be twice the largest number of their type."""
    if pa.types.is_floating(leaf):
        low, high = -60_000.0, 60_000.0
    else:
        ends = np.iinfo(np.int64 if pa.types.is_timestamp(leaf) else leaf.to_pandas_dtype())
        low, high = int(ends.min), int(ends.max)
    x = aj.from_sizes(pa.array([low, high], leaf), [2])
    at = aj.from_sizes(pa.array([low, high // 2, high], leaf), [3])
    expected = [200 * (one - low) / (high - low) for one in (low, high // 2, high)]
    assert aj.interp(at, x, aj.array([[0.0, 200.0]])).to_list()[0] == pytest.approx(expected)


def test_distances_of_integers_are_exact() -> None:
    one, two = np.array([1, 2**63 + 1, 5], np.uint64), np.array([2**63 + 2, 1, 5], np.uint64)
    assert interpolation.apart(one, two).tolist() == [2**63 + 1, 2**63, 0]
    found = interpolation.distance(one, two)
    assert found.tolist() == [-(2.0**63), 2.0**63, 0.0]
    assert not np.signbit(found[2])
    low, high = np.array([-(2**63), 7]), np.array([2**63 - 1, 7])
    assert interpolation.apart(low, high).tolist() == [2**64 - 1, 0]
    for less, more, sign in ((low, high, -1.0), (high, low, 1.0)):
        found = interpolation.distance(less, more)
        assert found.tolist() == [sign * 2.0**64, 0.0]
        assert not np.signbit(found[1])
