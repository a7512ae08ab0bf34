"""cumsum, cumprod, cummin, cummax, cumcount."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagIndexError, JagOverflowError, JagTypeError, JagValueError
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import EQUAL, NUMBERS, ORDERED, any_axis, kept, outcome, tolerance, within
from tests.compiled_calls import forced
from tests.conftest import IS_COVER

ORACLES = {name: getattr(ref, name) for name in ("cumsum", "cumprod", "cummin", "cummax", "cumcount")}
D = decimal.Decimal


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_totals_at_every_axis(name: str, leaf: pa.DataType, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans()) or pa.types.is_floating(leaf)))
    expected = kept(lambda row: ORACLES[name](row, 1), x.to_list(), ndim, axis)
    got = outcome(lambda: getattr(x, name)(axis))
    assert_lists_equal(got, within(leaf, expected, ndim), **tolerance(leaf))


@pytest.mark.parametrize("name", ["cummin", "cummax"])
@given(st.data())
def test_extremes_of_every_type_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED, "null")))
    got = getattr(x, name)(axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), kept(lambda row: ORACLES[name](row, 1), x.to_list(), ndim, axis), rel_tol=0, abs_tol=0)


@given(st.data())
def test_count_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    assert_lists_equal(x.cumcount(axis).to_list(), kept(lambda row: ref.cumcount(row, 1), x.to_list(), ndim, axis))


@pytest.mark.parametrize(
    ("given_type", "result"),
    [
        (pa.int8(), pa.int64()),
        (pa.bool_(), pa.int64()),
        (pa.uint16(), pa.uint64()),
        (pa.float16(), pa.float16()),
        (pa.float32(), pa.float32()),
        (pa.null(), pa.int64()),
        (pa.duration("ms"), pa.duration("ms")),
        (pa.decimal128(5, 2), pa.decimal128(38, 2)),
        (pa.decimal256(50, 3), pa.decimal256(76, 3)),
    ],
)
def test_type_of_cumsum_does_not_depend_on_values(given_type: pa.DataType, result: pa.DataType) -> None:
    assert aj.array([[]], type=given_type, ndim=2).cumsum().type == result
    assert aj.array([[None]], type=given_type, ndim=2).cumsum().type == result


@given(jagged_arrays(st.integers(1, 3), pa.float64()))
def test_with_an_empty_tuple_of_axes_each_item_is_a_row(x: aj.JaggedArray) -> None:
    for name in ("cumsum", "cumprod", "cummin", "cummax", "ffill", "bfill", "sort"):
        assert_equal(getattr(x, name)(axis=()), x)
    ones = ref.at_depth(lambda leaf: None if leaf is None else 1, x.to_list(), x.ndim)
    assert x.cumcount(()).to_list() == x.rank(axis=()).to_list() == ones
    assert x.argsort(axis=()).to_list() == ref.at_depth(lambda _: 0, x.to_list(), x.ndim)
    finite = x.fill_null(1.0) * 0.0
    assert_lists_equal(finite.cdf(()).to_list(), finite.softmax(()).to_list())


def test_shape_is_shared_and_extent_kept() -> None:
    x = aj.zeros(2, 3)
    assert x.cumsum().shape is x.shape


def test_nan_and_rounding_stay_in_their_row() -> None:
    x = aj.array([[1e300, float("nan")], [1.0, 1.0], [1e16, 1.0, -1e16], [0.1]])
    got = x.cumsum().to_list()
    assert got[1] == [1.0, 2.0]
    assert got[3] == [0.1]


@pytest.mark.parametrize("unit", [pa.decimal128(20, 2), pa.decimal256(60, 2)])
def test_decimals_add_up_exactly(unit: pa.DataType) -> None:
    big = D("99999999999999999.99")
    x = aj.array([[big, None, big, -big, D("-0.01")], [], None, [D("-1.50"), D("2.25")]], type=unit, ndim=2)
    assert x.cumsum().to_list() == [[big, None, 2 * big, big, big - D("0.01")], [], None, [D("-1.50"), D("0.75")]]


def test_decimals_that_outgrow_their_digits_are_refused() -> None:
    big = D("9" * 38)
    with pytest.raises(JagOverflowError, match=r"cumsum"):
        aj.array([[big, big]], type=pa.decimal128(38, 0)).cumsum()


def test_durations_add_up() -> None:
    x = aj.array([[dt.timedelta(seconds=1), None, dt.timedelta(seconds=2)]])
    assert x.cumsum().to_list() == [[dt.timedelta(seconds=1), None, dt.timedelta(seconds=3)]]


@pytest.mark.parametrize("type", [pa.float64(), pa.int64(), *([] if IS_COVER else [pa.float32(), pa.int8(), pa.uint16()])], ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_long_rows_are_computed_abreast_and_each_as_if_alone(type: pa.DataType, nulls: bool) -> None:
    lengths = [32, 40, 31, 33, 200, 32, 0, 32, 34, 32, 90, 128, 32, 1, 32, 64, 32, 33]
    rng = np.random.default_rng(3)
    data = rng.choice([-0.0, 0.0, 1.5, -2.25, 1.1, np.nan, np.inf], sum(lengths), p=[0.3, 0.1, 0.2, 0.19, 0.19, 0.01, 0.01])
    if not pa.types.is_floating(type):
        data = rng.integers(0, 3, len(data))
    items = pa.array(data, mask=(rng.random(len(data)) < 0.2) | np.isin(np.arange(len(data)), [0, 32])) if nulls else pa.array(data)
    x = aj.from_sizes(items.cast(type, safe=False), lengths)
    for name in ("cumsum", "cumprod", "cummax", "cummin") if pa.types.is_floating(type) else ("cumsum", "cummax", "cummin"):
        with forced("compiled"):
            found = [repr(row) for row in getattr(x, name)().to_list()]
            alone = [repr(getattr(x[row : row + 1], name)().to_list()[0]) for row in range(len(lengths))]
        with aj.options(compile="never"):
            plain = [repr(row) for row in getattr(x, name)().to_list()]
        assert found == alone == plain


def test_overflow_names_the_row() -> None:
    with pytest.raises(JagOverflowError, match=r"row 1"):
        aj.array([[1], [2**62, 2**62]]).cumsum()


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_types_without_arithmetic_are_named(name: str) -> None:
    with pytest.raises(JagTypeError, match=rf"{name} .*string"):
        getattr(aj.array([["a"]]), name)()


def test_types_without_order_are_named() -> None:
    x = aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2)
    for rows in (x, x[:0]):
        for call in (rows.cummin, rows.cummax, lambda: rows.rolling_min(2)):  # noqa: B023
            with pytest.raises(JagTypeError, match=r"(cumm|rolling m).*interval"):
                call()


def test_axes_out_of_range_and_apart_are_refused() -> None:
    x = aj.array([[[1]]])
    with pytest.raises(JagIndexError, match=r"cumsum: axis 3"):
        x.cumsum(3)
    with pytest.raises(JagValueError, match=r"last ones"):
        x.cumsum((0, 1))


@given(jagged_arrays(2, leaf_types(*EQUAL)))
def test_slices_of_the_rows_give_slices_of_the_result(x: aj.JaggedArray) -> None:
    assert_equal(x[1:].cumcount(), x.cumcount()[1:])


def test_extremes_of_decimals_around_zero() -> None:
    for numbers in ([[2, -1], [0]], [[-1, 2], [0]], [[1, -1, None, 3]]):  # the largest is one less than their number
        x = aj.array(numbers)
        for found, expected in (
            (x.cast(pa.decimal128(20, 0)).cummin(), x.cummin()),
            (x.cast(pa.decimal128(20, 0)).cummax(), x.cummax()),
        ):
            assert found.to_list() == expected.to_list()


@pytest.mark.parametrize(
    "leaf", [pa.float64(), pa.float32(), pa.uint64(), pa.bool_(), pa.decimal128(12, 2), pa.string(), pa.date32()], ids=str
)
@given(st.data())
def test_extremes_of_dictionaries_are_those_of_their_values(leaf: pa.DataType, data: st.DataObject) -> None:
    plain = data.draw(jagged_arrays(2, leaf))
    x = aj.JaggedArray(plain.shape, plain.values.dictionary_encode())
    for got, expected in (
        (x.cummin(), plain.cummin()),
        (x.cummax(), plain.cummax()),
        (x.rolling_min(2), plain.rolling_min(2)),
        (x.rolling_max(2), plain.rolling_max(2)),
    ):
        assert got.type == x.type
        assert_lists_equal(got.to_list(), expected.to_list(), rel_tol=0, abs_tol=0)


def test_extremes_of_dictionaries_of_fractions() -> None:
    x = aj.array([[0.5, 0.25, float("nan"), 1.0]], type=pa.dictionary(pa.int8(), pa.float64()))
    assert x.cummin().to_list() == [[0.5, 0.25, 0.25, 0.25]]
    assert x.cummax().to_list() == [[0.5, 0.5, 0.5, 1.0]]
