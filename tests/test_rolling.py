"""rolling(window).sum, mean, min, max, count."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import NUMBERS, ORDERED, any_axis, kept, outcome, tolerance, within

D = decimal.Decimal


def windows(name: str, row: list[Any], window: int) -> list[Any]:
    if name != "count":
        return ref.rolling(name, row, 1, window)
    parts = [row[k + 1 - window : k + 1] if k + 1 >= window else None for k in range(len(row))]
    return [None if part is None else sum(v is not None for v in part) for part in parts]


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_sums_and_means_at_every_axis(name: str, leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=name == "mean" or pa.types.is_floating(leaf) or data.draw(st.booleans())))
    expected = kept(lambda row: windows(name, row, window), x.to_list(), ndim, axis, complete=True)
    got = outcome(getattr(x.rolling(window, axis), name))
    expected = within(leaf, expected, ndim) if name == "sum" else expected
    assert_lists_equal(got, expected, **({} if name == "mean" and leaf != pa.float32() else tolerance(leaf)))


@pytest.mark.parametrize("name", ["min", "max", "count"])
@given(st.data())
def test_extremes_and_counts_of_every_type_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED)))
    expected = kept(lambda row: windows(name, row, window), x.to_list(), ndim, axis, complete=True)
    assert_lists_equal(getattr(x.rolling(window, axis), name)().to_list(), expected, rel_tol=0, abs_tol=0)


def test_sums_of_decimals_and_durations() -> None:
    x = aj.array([[D("1.5"), D("2.5"), None, D("1.0"), D("-3.0")], []])
    assert x.rolling(2).sum().to_list() == [[None, D("4.0"), None, None, D("-2.0")], []]
    assert x.rolling(2).sum().type == aj.array([[]], type=x.type, ndim=2).rolling(2).sum().type
    assert x.rolling(2).mean().to_list() == [[None, 2.0, None, None, -1.0], []]
    second = dt.timedelta(seconds=1)
    assert aj.array([[second, second, second]]).rolling(2).sum().to_list() == [[None, 2 * second, 2 * second]]


def test_what_left_the_window_leaves_no_trace() -> None:
    x = aj.array([[float("nan"), 1e16, 1.0, 2.0, 3.0]])
    assert x.rolling(2).sum().to_list()[0][3:] == [3.0, 5.0]


def test_the_object_and_the_methods_are_one() -> None:
    x = aj.array([[1, 2, 3]])
    assert x.rolling(2).max().to_list() == x.rolling_max(2).to_list() == [[None, 2, 3]]
    assert repr(x.rolling(2)) == "Rolling(window=2, axis=-1)"


def test_refused_windows_and_types() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match=r"window must be at least 1, got 0"):
        x.rolling(0).sum()
    with pytest.raises(JagTypeError, match=r"window must be an int, got float"):
        x.rolling(2.0).sum()
    with pytest.raises(JagTypeError, match=r"rolling sum .*string"):
        aj.array([["a"]]).rolling(2).sum()
    with pytest.raises(JagOverflowError, match=r"row 0"):
        aj.array([[2**62, 2**62]]).rolling(2).sum()
