"""rolling(window).sum, mean, min, max, count."""

from __future__ import annotations

import datetime as dt
import decimal
from fractions import Fraction
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


@pytest.mark.parametrize(
    "leaf",
    [pa.duration("ns"), pa.duration("s"), pa.timestamp("us", "UTC"), pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("us")],
    ids=str,
)
@given(st.data())
def test_means_of_moments_are_exact(leaf: pa.DataType, data: st.DataObject) -> None:
    """Rounded half away from zero to the unit of the type; of whole rows as of windows."""
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans())))
    unit = 86_400_000 if leaf == pa.date64() else 1
    number = pa.int64() if leaf.bit_width == 64 else pa.int32()

    def counts(result: Any) -> Any:
        found = result if isinstance(result, aj.JaggedArray) else aj.array(pa.array([result.as_py()], leaf))
        numbers = aj.JaggedArray(found.shape, found.values.view(number)).to_list()
        numbers = ref.at_depth(lambda v: None if v is None else Fraction(v, unit), numbers, found.ndim)
        return numbers if isinstance(result, aj.JaggedArray) else numbers[0]

    def mean(row: list[Any]) -> int | None:
        total = sum(row)
        return None if not row else (abs(total) * 2 + len(row)) // (2 * len(row)) * (-1 if total < 0 else 1)

    def means(row: list[Any]) -> list[Any]:
        parts = [row[k + 1 - window : k + 1] for k in range(len(row))]
        return [None if len(part) < window or None in part else mean(part) for part in parts]

    assert_lists_equal(counts(x.rolling_mean(window, axis)), kept(means, counts(x), ndim, axis, complete=True))
    expected = ref.reduce(ref.of_valid(mean), counts(x), ndim, axis, x.shape.extents)
    assert_lists_equal(counts(x.mean(axis)), expected)


def test_means_of_durations_are_durations() -> None:
    x = aj.array([[dt.timedelta(seconds=1), dt.timedelta(seconds=2), None, dt.timedelta(0)], [], None])
    assert x.rolling(2).mean().to_list() == [[None, dt.timedelta(seconds=1.5), None, None], [], None]
    assert x.rolling(2).mean().type == x.type == aj.array([[]], type=x.type, ndim=2).rolling_mean(2).type


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
