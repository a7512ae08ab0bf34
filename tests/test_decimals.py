"""Totals of decimals: exact, rounded to the digits of their type, and refused where they do not fit."""

from __future__ import annotations

import decimal
import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops import exact
from arrowjag.errors import JagOverflowError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, as_list, kept, outcome

D = decimal.Decimal
EXACT = decimal.Context(prec=1000)
TYPES = (
    pa.decimal32(5, 2),
    pa.decimal64(12, 0),
    pa.decimal128(9, 3),
    pa.decimal128(38, 1),
    pa.decimal256(60, 2),
    pa.decimal256(76, 0),
)
types = st.sampled_from(TYPES)


def wide(leaf: pa.DataType) -> pa.DataType:
    return pa.decimal256(76, leaf.scale) if leaf.bit_width == 256 else pa.decimal128(38, leaf.scale)


def fitted(value: Fraction, leaf: pa.DataType) -> D:
    """Rounded half away from zero to the digits after the point; raises where there are too many before it."""
    unscaled = abs(value) * 10**leaf.scale
    whole = int(unscaled + Fraction(1, 2))
    if whole >= 10**leaf.precision:
        raise JagOverflowError
    return EXACT.scaleb(D(-whole if value < 0 else whole), -leaf.scale)


def total(values: list[D], leaf: pa.DataType) -> D:
    return fitted(sum(map(Fraction, values), Fraction(0)), wide(leaf))


def product(values: list[D], leaf: pa.DataType) -> D:
    found = fitted(Fraction(1), wide(leaf)) if wide(leaf).scale < wide(leaf).precision else D(0)
    for value in values:
        found = fitted(Fraction(found) * Fraction(value), wide(leaf))
    return found


def average(values: list[D], leaf: pa.DataType) -> D | None:
    return fitted(sum(map(Fraction, values), Fraction(0)) / len(values), leaf) if values else None


def within(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except JagOverflowError:
        return "overflow"


@pytest.mark.parametrize(("name", "oracle"), [("sum", total), ("prod", product), ("mean", average)])
@given(st.data())
def test_reductions_at_every_axis(name: str, oracle: Any, data: st.DataObject) -> None:
    ndim, leaf = data.draw(st.integers(1, 3)), data.draw(types)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans())))
    group = ref.of_valid(lambda values: oracle(values, leaf))
    expected = within(lambda: ref.reduce(group, x.to_list(), ndim, axis, x.shape.extents))
    got = outcome(lambda: getattr(x, name)(axis))
    assert_lists_equal(got, expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize(("name", "oracle"), [("cumsum", total), ("cumprod", product)])
@given(st.data())
def test_running_totals_at_every_axis(name: str, oracle: Any, data: st.DataObject) -> None:
    ndim, leaf = data.draw(st.integers(1, 3)), data.draw(types)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans())))
    running = lambda row: ref.scan(lambda values: oracle(values, leaf), row, 1)  # noqa: E731
    expected = within(lambda: kept(running, x.to_list(), ndim, axis))
    assert_lists_equal(outcome(lambda: getattr(x, name)(axis)), expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize(("name", "oracle"), [("rolling_sum", total), ("rolling_mean", average)])
@given(st.data())
def test_windows_at_every_axis(name: str, oracle: Any, data: st.DataObject) -> None:
    ndim, leaf, window = data.draw(st.integers(1, 3)), data.draw(types), data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans())))

    def windows(row: list[Any]) -> list[Any]:
        parts = [row[k + 1 - window : k + 1] for k in range(len(row))]
        return [None if len(part) < window or None in part else oracle(part, leaf) for part in parts]

    expected = within(lambda: kept(windows, x.to_list(), ndim, axis, complete=True))
    assert_lists_equal(outcome(lambda: getattr(x, name)(window, axis)), expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("digits", [15, 18, 28])
@pytest.mark.parametrize("leaf", [pa.decimal64(18, 3), pa.decimal128(18, 0), pa.decimal128(30, 5), pa.decimal256(60, 25)], ids=str)
def test_deviations_are_those_of_the_decimals_rounded_once(leaf: pa.DataType, digits: int) -> None:
    """Items of more than 53 bits: as floats, they would be rounded before they are divided, and again after it."""
    chosen = random.Random(digits)
    whole = [0, 1, *(chosen.randrange(-(10 ** min(digits, leaf.precision)), 10 ** min(digits, leaf.precision)) for _ in range(50))]
    row = [EXACT.scaleb(D(one), -leaf.scale) for one in whole]
    mean = average(row, leaf)
    assert mean is not None
    expected = [float(Fraction(one) - Fraction(mean)) for one in row]
    found = exact.deviations(pa.array([None, *row, None], leaf)[1:], np.array([0, len(row) + 1]))
    assert found.to_pylist() == [*expected, None]


@pytest.mark.parametrize("leaf", TYPES, ids=str)
def test_types_do_not_depend_on_values(leaf: pa.DataType) -> None:
    plain = leaf if leaf.bit_width > 64 else pa.decimal128(leaf.precision, leaf.scale)
    for x in (aj.array([[]], type=leaf, ndim=2), aj.array([[1, None]], type=leaf, ndim=2)):
        assert x.sum().type == x.prod().type == x.cumsum().type == x.cumprod().type == x.rolling_sum(1).type == wide(leaf)
        assert x.mean().type == x.rolling_mean(1).type == plain


def test_products_are_rounded_half_away_from_zero() -> None:
    x = aj.array([[D("1.15"), None, D("-1.15"), D("0.01")], [], None, [D("0.05")] * 4], type=pa.decimal128(5, 2), ndim=2)
    assert x.cumprod().to_list() == [[D("1.15"), None, D("-1.32"), D("-0.01")], [], None, [D("0.05"), D("0.00"), D(0), D(0)]]
    assert x.prod().to_list() == [D("-0.01"), 1, None, 0]


def test_values_that_do_not_fit_raise_by_row_and_never_wrap() -> None:
    big = D(10) ** 20
    x = aj.array([[D(1)], [big, big]], type=pa.decimal128(38, 0), ndim=2)
    for name in ("prod", "cumprod"):
        with pytest.raises(JagOverflowError, match=rf"{name}: the product in row 1 does not fit decimal128\(38, 0\)"):
            getattr(x, name)()
    nines = aj.array([[D("9" * 38)] * 3], type=pa.decimal128(38, 0), ndim=2)
    with pytest.raises(JagOverflowError, match=r"sum: a result of row 0 does not fit"):
        nines.sum()
    assert nines.mean().to_list() == [D("9" * 38)]
    assert as_list(aj.array([D("9" * 76)], type=pa.decimal256(76, 0)).sum()) == D("9" * 76)


def test_a_scale_below_zero_is_spelled_out_in_products() -> None:
    x = aj.array([[D(300), D(200)], []], type=pa.decimal128(5, -2), ndim=2)
    assert x.sum().to_list() == [500, 0]
    assert x.prod().to_list() == [60000, 1]
    assert x.cumprod().to_list() == [[300, 60000], []]


def test_one_overflows_a_decimal_without_integer_digits() -> None:
    x = aj.array([[None, None, D("0.5"), D("0.5")]], type=pa.decimal128(38, 38), ndim=2)
    assert x.cumprod().to_list() == [[None, None, D("0.5"), D("0.25")]]
    assert x.prod().to_list() == [D("0.25")]
    with pytest.raises(JagOverflowError, match=r"prod: a result of row 0 does not fit"):
        x[:, :0].prod()


def test_slices_are_read_from_where_they_begin() -> None:
    x = aj.array([[D(1)], [D(2), D(-3)], [D(4)]], type=pa.decimal128(5, 1), ndim=2)
    assert x[1:].sum().to_list() == [-1, 4]
    assert x[1:].cumprod().to_list() == [[2, -6], [4]]


def exact_quantile(values: list[D], q: float, interpolation: str, scale: int) -> D | None:
    """Between two items at the float position, in fractions, rounded half away from zero."""
    if not values:
        return None
    ordered, at = sorted(values), q * (len(values) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    weight = Fraction(at) - math.floor(at)
    picked = {"lower": low, "higher": high, "nearest": ordered[round(at)]}
    if interpolation in picked:
        return picked[interpolation]
    weight = Fraction(1, 2) if interpolation == "midpoint" and low is not high and weight else weight
    units = (Fraction(low) + (Fraction(high) - Fraction(low)) * weight) * 10**scale
    whole = (abs(units.numerator) * 2 + units.denominator) // (2 * units.denominator)
    return EXACT.scaleb(D(whole if units >= 0 else -whole), -scale)


@pytest.mark.parametrize("leaf", [pa.decimal128(9, 3), pa.decimal128(38, 1), pa.decimal256(60, 2), pa.decimal256(76, 0)], ids=str)
@given(data=st.data())
def test_quantiles_are_exact(leaf: pa.DataType, data: st.DataObject) -> None:
    digits = 10**leaf.precision - 1
    near = st.integers(-40, 40) | st.sampled_from([digits, -digits, digits - 1, digits // 3, 2**53 + 1])
    numbers = st.none() | near.map(lambda n: EXACT.scaleb(D(max(-digits, min(n, digits))), -leaf.scale))
    rows = data.draw(st.lists(st.none() | st.lists(numbers, max_size=6), max_size=5))
    x = aj.array(rows, type=leaf, ndim=2)
    q = data.draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1 / 3, 0.9, 1.0]))
    how = data.draw(st.sampled_from(["linear", "lower", "higher", "midpoint", "nearest"]))
    valid = [None if row is None else [one for one in row if one is not None] for row in rows]
    expected = [None if row is None else exact_quantile(row, q, how, leaf.scale) for row in valid]
    got = x.quantile(q, how)
    assert got.type == leaf
    assert got.to_list() == expected
    assert x.quantile([q, 0.5], how).to_list() == [
        None if row is None else [one, exact_quantile(row, 0.5, how, leaf.scale)] for row, one in zip(valid, expected, strict=True)
    ]
    assert x.median().to_list() == [None if row is None else exact_quantile(row, 0.5, "linear", leaf.scale) for row in valid]


def test_quantiles_of_narrow_decimals_and_other_axes() -> None:
    x = aj.array([[D("1.10"), D("2.25")], [D("3.00")]], type=pa.decimal32(5, 2), ndim=2)
    assert x.median().to_list() == [D("1.68"), D("3.00")]
    assert x.median(axis=None).as_py() == D("2.25")
    assert x.median(axis=0).to_list() == [D("2.05"), D("2.25")]
    assert x.median().type == pa.decimal128(5, 2)
    with pytest.raises(JagValueError, match="interpolation must be "):
        x.quantile(0.5, "cubic")


# ------------------------------------------------------------------------------------------------------ comparison

COMPARED = (*TYPES, pa.decimal128(38, 30), pa.decimal256(76, 70), pa.decimal128(5, 5), pa.decimal128(3, -2))
INTEGERS = tuple(getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64))
BESIDE = (*COMPARED, *INTEGERS, pa.bool_())


def ends(leaf: pa.DataType) -> list[Any]:
    """Values around 0 and the largest of a type."""
    if pa.types.is_boolean(leaf):
        return [False, True, None]
    if pa.types.is_decimal(leaf):
        unscaled = [0, 1, -1, 10**leaf.precision - 1, 1 - 10**leaf.precision, 10 ** max(leaf.scale, 0) % 10**leaf.precision]
        return [*(EXACT.scaleb(D(one), -leaf.scale) for one in unscaled), None]
    signed = pa.types.is_signed_integer(leaf)
    largest = 2 ** (leaf.bit_width - signed) - 1
    return [0, 1, 2, largest, -largest - 1 if signed else largest - 1, None]


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge])
@pytest.mark.parametrize("leaf", COMPARED, ids=str)
def test_decimals_of_any_digits_are_compared_by_value(leaf: pa.DataType, compare: Callable[[Any, Any], bool]) -> None:
    for other in BESIDE:
        pairs = [(one, two) for one in ends(leaf) for two in ends(other)]
        x, y = (
            aj.array(pa.array([side], pa.large_list(type)))
            for side, type in zip(zip(*pairs, strict=True), (leaf, other), strict=True)
        )
        assert compare(x, y).to_list() == [[None if None in pair else compare(*pair) for pair in pairs]], other
        assert compare(y, x).to_list() == [[None if None in pair else compare(*pair[::-1]) for pair in pairs]], other
        number = next(one for one in ends(other)[::-1] if one is not None)
        assert compare(x, pa.scalar(number, other)).to_list() == [
            [None if one is None else compare(one, number) for one, _ in pairs]
        ], other


HALF = 2**62
ROWS = [[HALF, HALF - 1], [HALF, HALF], [-HALF, -HALF], [-HALF, -HALF - 1], [10**30, -(10**30), 7], [5], [], [3, None, 4]]


def _centered(leaf: pa.DataType, rows: list[list[int | None]]) -> aj.JaggedArray:
    return aj.array([[None if item is None else D(item) for item in row] for row in rows], type=leaf)


@pytest.mark.parametrize("leaf", [pa.decimal128(38, 0), pa.decimal256(76, 0)])
@pytest.mark.parametrize("kept_rows", [slice(0, 1), slice(1, 2), slice(2, 3), slice(3, 4), slice(4, 5), slice(5, 8), slice(None)])
def test_sums_around_64_bits_are_exact_alone_and_beside_wider_rows(leaf: pa.DataType, kept_rows: slice) -> None:
    rows = ROWS[kept_rows]
    x = _centered(leaf, rows)
    items = [[item for item in row if item is not None] for row in rows]
    assert [int(one) for one in x.sum().to_list()] == [sum(row) for row in items]
    means = [None if not row else int(fitted(Fraction(sum(row), len(row)), leaf)) for row in items]
    assert [None if one is None else int(one) for one in x.mean().to_list()] == means
    running = [
        [None if item is None else sum(v for v in row[: at + 1] if v is not None) for at, item in enumerate(row)] for row in rows
    ]
    assert x.cumsum().to_list() == [[None if one is None else D(one) for one in row] for row in running]
    rolling = x.rolling(2, min_periods=1)
    pairs = [[[v for v in row[max(at - 1, 0) : at + 1] if v is not None] for at in range(len(row))] for row in rows]
    assert rolling.sum().to_list() == [[D(sum(pair)) for pair in row] for row in pairs]
    middles = [[D(fitted(Fraction(sum(pair), len(pair)), leaf)) for pair in row] for row in pairs]
    assert rolling.mean().to_list() == middles
    medians = [
        None if not row else fitted(Fraction(sorted(row)[(len(row) - 1) // 2] + sorted(row)[len(row) // 2], 2), leaf)
        for row in items
    ]
    assert x.median().to_list() == medians
    spread = [x[row : row + 1].var().to_list()[0] for row in range(len(rows))]
    assert x.var().to_list() == spread


def test_data_under_null_decimals_is_not_read() -> None:
    words = pa.py_buffer(b"".join(one.to_bytes(16, "little", signed=True) for one in (7, 10**37, -2, -(10**37))))
    values = pa.Array.from_buffers(pa.decimal128(38, 0), 4, [pa.py_buffer(bytes([0b0101])), words])
    x = aj.from_sizes(values, [2, 2])
    assert x.sum().to_list() == [D(7), D(-2)]
    assert x.mean().to_list() == x.median().to_list() == [D(7), D(-2)]
    assert x.cumsum().to_list() == [[D(7), None], [D(-2), None]]


@pytest.mark.parametrize(
    "items", [[HALF, HALF - 1], [HALF, HALF], [-HALF, -HALF - 1], [2**63 - 1, 2**63 - 3, -5], [3, 4], [-3, -4]]
)
def test_means_of_times_around_64_bits_are_exact(items: list[int]) -> None:
    x = aj.from_sizes(pa.array(items).cast(pa.timestamp("ns")), [len(items)])
    exact = int(fitted(Fraction(sum(items), len(items)), pa.decimal128(38, 0)))
    assert x.mean().values.cast(pa.int64()).to_pylist() == [exact]
    rolled = x.rolling_mean(len(items)).values.cast(pa.int64()).to_pylist()
    assert rolled == [None] * (len(items) - 1) + [exact]


@pytest.mark.parametrize(
    ("type", "most", "decimals"),
    [
        (pa.decimal32(2, 1), "9.9", 0),
        (pa.decimal64(18, 0), "9" * 18, -1),
        (pa.decimal128(2, 1), "9.9", 0),
        (pa.decimal128(38, 0), "9" * 38, -1),
        (pa.decimal256(76, 0), "9" * 76, -1),
    ],
    ids=str,
)
@pytest.mark.parametrize("sign", ["", "-"])
def test_decimals_that_outgrow_their_digits_when_rounded_are_refused(
    type: pa.DataType, most: str, decimals: int, sign: str
) -> None:
    small = decimal.Decimal(0)
    for row in ([decimal.Decimal(sign + most), small, None], [small, None, decimal.Decimal(sign + most)]):
        with pytest.raises(aj.JagValueError, match=r"round: (in row \d+, )?Rounded value .* does not fit in precision"):
            aj.array([row, []], type=type).round(decimals)
    assert aj.array([[small, None], [], None], type=type).round(decimals).to_list() == [[0, None], [], None]
    assert aj.array([[None], []], type=type).round(decimals).to_list() == [[None], []]


AROUND_64_BITS = [*range(2**63 - 3, 2**63 + 3), *range(-(2**63) - 3, -(2**63) + 3), 0, 1, -1, 7, 15, 25, -25, 10**17, -5 * 10**17]


@pytest.mark.parametrize("null", [None, 3])
@pytest.mark.parametrize("n", [6, 15, len(AROUND_64_BITS)])
def test_floors_remainders_and_signs_around_64_bits_are_exact(n: int, null: int | None) -> None:
    """Integers that fit are computed as int64, the others by wider decimals; a column of both is computed by the latter."""
    leaf = pa.decimal128(20, 1)
    for whole in (AROUND_64_BITS[:n], AROUND_64_BITS[-n:], [-(2**63)] * n):
        items = [None if place == null else EXACT.scaleb(D(one), -1) for place, one in enumerate(whole)]
        x = aj.from_sizes(pa.array(items, leaf), [2, n - 2])[:]
        flat = x.flatten()
        for divisor in (D("0.1"), D("-0.1"), D("0.3"), D("-7.0"), D("922337203685477580.7")):
            unscaled = int(divisor * 10)
            floors = [None if one is None else whole[place] // unscaled for place, one in enumerate(items)]
            rests = [None if one is None else EXACT.scaleb(D(whole[place] % unscaled), -1) for place, one in enumerate(items)]
            assert (flat // divisor).to_list() == floors
            assert (flat % divisor).to_list() == rests
            assert (x % divisor).type == leaf
        assert (-flat).to_list() == [None if one is None else -one for one in items]
        assert abs(flat).to_list() == [None if one is None else abs(one) for one in items]
    zero = aj.array([D("0.0"), D("0.5"), None]).cast(leaf)
    ones = aj.from_sizes(pa.array([D(1), D(1), D(1)], leaf), [3]).flatten()
    assert (ones // zero).to_list() == [None, 2, None]
    assert (ones % zero).to_list() == [None, D(0), None]


@pytest.mark.parametrize("places", [1, 0, -1, -4, -13, -15, -16, -17, -18])
@pytest.mark.parametrize("n", [3, 6, 15, len(AROUND_64_BITS)])
def test_rounding_around_64_bits_is_half_to_even(n: int, places: int) -> None:
    for leaf in (pa.decimal128(22, 1), pa.decimal256(40, 1)):
        for whole in (AROUND_64_BITS[:n], AROUND_64_BITS[-n:]):
            items = [None, *(EXACT.scaleb(D(one), -1) for one in whole)]
            x = aj.from_sizes(pa.array(items, leaf), [2, n - 1])
            step = 10 ** (1 - places)
            expected = [None if one is None else EXACT.scaleb(D(round(Fraction(int(one * 10), step)) * step), -1) for one in items]
            assert x.round(places).flatten().to_list() == expected
            assert x.round(places).type == leaf


@pytest.mark.parametrize(
    "leaf", [pa.decimal128(38, 14), pa.decimal128(38, 18), pa.decimal256(75, 30), pa.decimal256(76, 37)], ids=str
)
@pytest.mark.parametrize("places", [0, 1, 5, -2])
def test_rounding_where_the_whole_part_ends_in_32_bits_of_1_is_exact(leaf: pa.DataType, places: int) -> None:
    """`pc.round` makes 2**64 - 1 less by 6 billion, as of pyarrow 26."""
    step = 10 ** (leaf.scale - places)
    whole = [one for one in (2**32 - 1, 3 * 2**32 - 1, 2**64 - 1, 2**96 - 1) if (one + 2) * step < 10**leaf.precision]
    units = [sign * (one * step + rest) for one in whole for rest in (0, 1, step // 2, step // 2 + 1, step - 1) for sign in (1, -1)]
    x = aj.array([[EXACT.scaleb(D(one), -leaf.scale) for one in units], [], [None]], type=leaf)
    expected = [EXACT.scaleb(D(round(Fraction(one, step)) * step), -leaf.scale) for one in units]
    assert x.round(places).to_list() == [expected, [], [None]]
    assert x.round(places).type == leaf


@pytest.mark.parametrize("scale", [0, 2, 22, 23, -2])
def test_deviations_of_a_row_are_the_same_beside_longer_numbers(scale: int) -> None:
    leaf = pa.decimal128(38, scale)
    unit = Fraction(10) ** -scale
    counts = [[1, 2, 4, None], [3 * 10**9, 7], [2**60, 2**60 + 3, -(2**61)], [2**55 + 1, -3]]
    rows = [[None if one is None else D(one).scaleb(-scale, EXACT) for one in row] for row in counts]
    x = aj.array(pa.array(rows, pa.list_(leaf)))
    beside = aj.array(pa.array([*rows, [D(10**30).scaleb(-scale, EXACT), D(-5).scaleb(-scale, EXACT)]], pa.list_(leaf)))
    for name in ("std", "var", "skew"):
        assert getattr(x, name)().to_list() == getattr(beside, name)()[:4].to_list()
        assert getattr(x, name)().to_list() == [getattr(x[row : row + 1], name)().to_list()[0] for row in range(4)]
    for row, got in zip(counts, x.std().to_list(), strict=True):
        known = [one * unit for one in row if one is not None]
        middle = sum(known) / len(known)
        wanted = math.sqrt(sum((one - middle) ** 2 for one in known) / (len(known) - 1))
        assert math.isclose(got, wanted, rel_tol=1e-14)


@given(st.data())
def test_quantiles_between_decimals_are_rounded_once(data: st.DataObject) -> None:
    bits = data.draw(st.sampled_from([3, 40, 61, 100]))
    pair = st.tuples(*[st.integers(-(2**bits), 2**bits)] * 2)
    rows = data.draw(st.lists(pair, min_size=1, max_size=8))
    q = data.draw(st.floats(0, 1))
    x = aj.array(pa.array([[D(one) for one in row] for row in rows], pa.list_(pa.decimal128(38, 0))))
    wanted = [min(row) + (max(row) - min(row)) * Fraction(q) for row in rows]
    rounded = [int(abs(one) + Fraction(1, 2)) * (-1 if one < 0 else 1) for one in wanted]
    assert x.quantile(q).to_list() == rounded


@pytest.mark.parametrize("scale", [0, 1, 17])
@pytest.mark.parametrize("digits", [18, 33, 36, 37, 38, 39, 75, 76])
def test_floors_and_remainders_of_all_digits_are_exact(digits: int, scale: int) -> None:
    """pyarrow's floor of 499...9.5 with 34 digits after the point is 499...8."""
    leaf = (pa.decimal128 if digits <= 38 else pa.decimal256)(digits, scale)
    most = 10**digits - 1
    units = [most, -most, most - 1, most // 3, 10**scale, 1, -1, 0, None]
    divisors = [1, -1, 2, 3, 10**scale, most, 1 - most, most // 7, 0, None]
    pairs = [(one, two) for one in units for two in divisors]
    whole = min(digits + 1, 76)
    quotients = pa.decimal128(whole, 0) if whole <= 38 else pa.decimal256(whole, 0)

    def column(integers: list[int | None]) -> aj.JaggedArray:
        return aj.array(
            pa.array([[None if one is None else EXACT.scaleb(D(one), -scale) for one in integers], []], pa.large_list(leaf))
        )

    def exactly(function: Any, scale: int) -> list[list[D | None]]:
        found = [None if None in pair or pair[1] == 0 else D(function(*pair)) for pair in pairs]
        return [[None if one is None else EXACT.scaleb(one, -scale) for one in found], []]

    x, y = (column(list(side)) for side in zip(*pairs, strict=True))
    assert (x // y).type == quotients
    assert (x // y).to_list() == exactly(operator.floordiv, 0)
    assert (x % y).type == leaf
    assert (x % y).to_list() == exactly(operator.mod, scale)


@pytest.mark.parametrize("leaf", [pa.decimal32(5, 2), pa.decimal64(9, 2), pa.decimal128(9, 2), pa.decimal256(30, 2)], ids=str)
def test_arithmetic_of_slices_keeps_the_width_of_the_type(leaf: pa.DataType) -> None:
    x = aj.array([[D("7.77")], [D("9.90"), None], [D("-1.20"), D("0.03")]], type=leaf)[1:]
    assert (-x).type == (x % x).type == (x % 2).type == leaf
    assert (-x).to_list() == [[D("-9.90"), None], [D("1.20"), D("-0.03")]]
    assert (x % x).to_list() == [[D(0), None], [D(0), D(0)]]
    assert (x % 2).to_list() == [[D("1.90"), None], [D("0.80"), D("0.03")]]
    assert (x // 2).to_list() == [[D(4), None], [D(-1), D(0)]]
    wide = pa.decimal256 if leaf.bit_width == 256 else pa.decimal128
    assert (x + x).type == wide(leaf.precision + 1, 2)
    assert (x * x).type == wide(2 * leaf.precision + 1, 4)
    assert (x / x).type == wide(2 * leaf.precision + 1, leaf.precision + 1)


def test_division_by_zero_is_null_and_division_by_one_is_not() -> None:
    x = aj.array([[D("7.5"), D(0), None], []], type=pa.decimal128(9, 1))
    for zero in (0, D(0), aj.array([0, 0]), aj.array([D(0), D(0)])):
        for found in (x / zero, x // zero, x % zero):
            assert found.to_list() == [[None, None, None], []]
    for one in (1, D(1), aj.array([1, 1]), aj.array([D(1), D(1)])):
        assert (x / one).to_list() == [[D("7.5"), D(0), None], []]
        assert (x // one).to_list() == [[D(7), D(0), None], []]
        assert (x % one).to_list() == [[D("0.5"), D(0), None], []]


def test_booleans_beside_decimals_are_numbers() -> None:
    """As they are beside other numbers: a mask times amounts, and amounts where a column of flags is null."""
    x = aj.array([[D("7.5"), D(-2), None], [D("0.4")]], type=pa.decimal128(9, 1))
    for flags in (aj.array([[True, False, True], [None]]), aj.array([True, False]), True, pa.scalar(False)):
        numbers = flags.cast("int8") if isinstance(flags, (aj.JaggedArray, pa.Scalar)) else pa.scalar(1, pa.int8())
        for call in (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod):
            assert call(x, flags).to_list() == call(x, numbers).to_list()
            assert call(flags, x).to_list() == call(numbers, x).to_list()
    flags = aj.array([[None, True, True], [False]])
    found = aj.coalesce(flags, x)
    assert found.to_list() == [[D("7.5"), D(1), D(1)], [D(0)]]
    assert found.type == x.coalesce(flags).type == aj.concat([x, flags]).type == x.type
    assert found.contains(True).to_list() == found.contains(D(1)).to_list() == [True, False]
    assert flags.cast(pa.decimal64(2, 1)).to_list() == [[None, D(1), D(1)], [D(0)]]
    with pytest.raises(aj.JagTypeError, match="and has no kernel for bool and decimal128"):
        flags & x


def test_rounding_by_pyarrow_refuses_what_outgrows_its_digits_by_its_own_options_alone() -> None:
    x = aj.array([[D("9.9"), None], [D("1.2")]], type=pa.decimal128(2, 1))
    down = {"round_mode": "towards_zero"}
    assert aj.apply(pc.round, x, ndigits=0, **down).to_list() == [[D(9), None], [D(1)]]
    one, other = aj.array([1, 0], type="int32"), aj.array([0, 1], type="int32")
    assert aj.apply(pc.round_binary, x, one).to_list() == [[D("9.9"), None], [D(1)]]
    assert aj.apply(pc.round_binary, x, other, **down).to_list() == [[D(9), None], [D("1.2")]]
    for call in (lambda: aj.apply(pc.round, x, ndigits=0), lambda: aj.apply(pc.round_binary, x, other)):
        with pytest.raises(JagValueError, match=r"Rounded value .* does not fit in precision"):
            call()
