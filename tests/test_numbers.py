"""Numbers at the limits of their types: moments beyond 2**53, overflow in null rows, Python ints that no item can equal."""

from __future__ import annotations

import datetime as dt
import decimal
import operator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagRangeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, as_list, kept
from tests.surfaces import SURFACES, plain

WIDE = st.sampled_from([pa.int64(), pa.uint64()])
MANY = 40_000
"""So many values are reduced in blocks, by polars' kernels where it is loaded."""


def many(x: aj.JaggedArray) -> aj.JaggedArray:
    """The rows of an array again and again."""
    return aj.concat([x] * (MANY // max(x.size, 1) + 1))


# ------------------------------------------------------------------------------------------------------------- moments


@pytest.mark.parametrize("name", ["mean", "var", "std", "median"])
@given(st.data())
def test_moments_of_any_integers_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, data.draw(WIDE)))
    expected = ref.reduction(name, x.to_list(), ndim, axis, extents=x.shape.extents)
    assert_lists_equal(as_list(getattr(x, name)(axis)), expected, rel_tol=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(st.data())
def test_quantiles_of_any_integers(interpolation: str, data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, data.draw(WIDE)))
    q = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
    expected = ref.reduction("quantile", x.to_list(), 2, q=q, interpolation=interpolation)
    assert_lists_equal(x.quantile(q, interpolation).to_list(), expected, rel_tol=1e-12)


@given(st.data())
def test_rolling_means_of_any_integers(data: st.DataObject) -> None:
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    x = data.draw(jagged_arrays(ndim, data.draw(WIDE)))
    assert_lists_equal(x.rolling(window).mean().to_list(), ref.rolling("mean", x.to_list(), ndim, window), rel_tol=1e-12)


@given(st.data())
def test_softmax_of_any_integers(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, data.draw(WIDE)))
    expected = kept(lambda row: ref.softmax(row, 1), x.to_list(), ndim, axis)
    assert_lists_equal(x.softmax(axis).to_list(), expected)
    if data.draw(st.booleans()):
        turned = ref.at_depth(lambda v: None if v is None else -v, x.to_list(), ndim)
        assert_lists_equal(x.softmax(axis, beta=-1).to_list(), kept(lambda row: ref.softmax(row, 1), turned, ndim, axis))


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", ["mean", "var", "std", "median"])
@given(data=st.data())
def test_moments_of_many_integers_on_every_surface(surface: str, name: str, data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, data.draw(WIDE)))
    tiled = many(x)
    expected = ref.reduction(name, x.to_list(), 2) * (len(tiled) // max(len(x), 1))
    assert_lists_equal(SURFACES[surface](tiled, name), expected, rel_tol=1e-12)


@given(st.data())
def test_a_row_gives_the_same_bits_in_any_company(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, data.draw(WIDE)))
    for name in ("mean", "var", "median", "softmax"):
        whole = getattr(x, name)().to_list()
        assert_lists_equal(whole, [getattr(x[row : row + 1], name)().to_list()[0] for row in range(len(x))], rel_tol=0, abs_tol=0)


def test_rows_that_only_a_pivot_keeps() -> None:
    assert aj.array([[1700000000000000000 + k for k in (0, 100, 200)]]).std().to_list() == [100.0]
    ends = aj.array([[2**63 - 1, -(2**63), 3]])
    assert ends.mean().to_list() == [2 / 3]
    assert ends.rolling(3).mean().to_list() == [[None, None, 2 / 3]]
    assert ends[:, :2].median().to_list() == [-0.5]
    assert aj.array([[2**63 - 1], [-(2**63)], [3]]).mean(axis=0).to_list() == [2 / 3]
    decimals = [decimal.Decimal(10**20 + k) for k in (0, 100, 200)]
    assert aj.array([decimals]).std().to_list() == [100.0]
    assert_lists_equal(aj.array([decimals]).softmax(beta=0.01).to_list(), aj.array([[0, 1, 2]]).softmax().to_list())


def test_medians_of_moments_far_apart() -> None:
    stamps = aj.array([[0, 2**62 - 1, 2**62 + 2], [-(2**63) + 1, 2**63 - 1, None], [2**61, 2**61 + 1]]).cast(pa.timestamp("ns"))
    assert stamps.median().cast(pa.int64()).to_list() == [2**62 - 1, 0, 2**61]
    assert stamps.median().type == pa.timestamp("ns")


# ------------------------------------------------------------------------------------------------------------ overflow


HUGE = [[2**63 - 1, 2**62, None], [1, 2, 3], None, []]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_a_row_that_is_null_anyway_does_not_overflow(surface: str, name: str) -> None:
    x, on = aj.array(HUGE), SURFACES[surface]
    six, empty = 6, 0 if name == "sum" else 1
    assert on(x, name, skip_nulls=False) == [None, six, None, empty]
    assert on(x, name, min_count=3) == [None, six, None, None]
    assert on(many(x), name, min_count=3)[-4:] == [None, six, None, None]
    with pytest.raises(JagOverflowError, match=r"row 0 does not fit int64"):
        on(x, name, min_count=2)


def test_rows_of_other_types_that_are_null_anyway_do_not_overflow() -> None:
    spans = aj.array(HUGE).cast(pa.duration("us"))
    assert spans.sum(skip_nulls=False).to_list() == [None, dt.timedelta(microseconds=6), None, dt.timedelta(0)]
    nines = decimal.Decimal("9" * 38)
    for name, empty in (("sum", 0), ("prod", 1)):
        x = aj.array([[nines, nines, None], []])
        assert getattr(x, name)(skip_nulls=False).to_list() == [None, empty]
    columns = aj.array([[2**63 - 1, 1], [2**63 - 1, None]])
    assert columns.sum(axis=0, min_count=3).to_list() == [None, None]
    assert columns[:, 1:].sum(axis=0, skip_nulls=False).to_list() == [None]
    assert aj.array([[2**63 - 1, 1, None], [2]]).dot(3, skip_nulls=False).to_list() == [None, 6]
    assert aj.array([[-(2**63), None], [2]]).dot(-1, skip_nulls=False).to_list() == [None, -2]
    for row, factor in (([2**63 - 1, None], 3), ([-(2**63)], -1), ([-1], -(2**63))):
        with pytest.raises(aj.JagOverflowError, match="dot: integer overflow"):
            aj.array([row, [1]]).dot(factor)


@pytest.mark.parametrize(
    "x",
    [
        aj.array([[2**63 - 1, 1]]),
        aj.array([[2**64 - 1, 1]], type=pa.uint64(), ndim=2),
        aj.array([[2**63 - 1, 1]]).cast(pa.duration("ns")),
        aj.array([[decimal.Decimal("9" * 38)] * 2]),
    ],
    ids=lambda x: str(x.type),
)
def test_the_advice_of_an_overflow_error_works(x: aj.JaggedArray) -> None:
    for attempt in (lambda x: x.sum(), lambda x: x.cumsum(), lambda x: x.rolling(2).sum()):
        with pytest.raises(JagOverflowError, match=r"cast\(") as caught:
            attempt(x)
        advice: str = next(part for part in str(caught.value).split(". ") if part.startswith("cast("))
        call = advice[: advice.index(")") + 1]
        for column in (x, x.to_pandas().jag, x.to_polars().jag):
            floats: Any = eval(f"column.{call}", {"column": column})
            assert plain(attempt(floats if isinstance(floats, aj.JaggedArray) else floats.jag))


# ------------------------------------------------------------------------------------------------------ ints, by value


COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
LEAVES = [
    *(pa.bool_(), pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()),
    *(pa.decimal128(5, 2), pa.decimal128(38, 2), pa.float16(), pa.float32(), pa.float64()),
    pa.dictionary(pa.int8(), pa.int8()),
]
INTS = st.sampled_from([300, -300, -1, 0, 1, 70000, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**70, -(10**30)])


def ends(leaf: pa.DataType) -> aj.JaggedArray:
    """Rows that hold the ends of a type."""
    kind = leaf.value_type if pa.types.is_dictionary(leaf) else leaf
    if pa.types.is_boolean(kind):
        items: list[Any] = [False, True]
    elif pa.types.is_integer(kind):
        items = [0, 2**kind.bit_width - 1] if pa.types.is_unsigned_integer(kind) else [-(2 ** (kind.bit_width - 1)), -1, 0, 1]
        items += [2 ** (kind.bit_width - 1) - 1]
    elif pa.types.is_decimal(kind):
        most = 10 ** (kind.precision - kind.scale) - 1
        items = [decimal.Decimal(most), decimal.Decimal(-most), decimal.Decimal(0)]
    else:
        items = [0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")]
    return aj.array(pa.array([[*items, None], None, [], items[:1]], pa.large_list(leaf)))


@pytest.mark.parametrize("surface", ["array", "pandas", "polars"])
@pytest.mark.parametrize("leaf", LEAVES, ids=str)
@given(value=INTS, name=st.sampled_from(COMPARISONS))
def test_comparisons_with_any_int_go_by_value(surface: str, leaf: pa.DataType, value: int, name: str) -> None:
    x, compare = ends(leaf), getattr(operator, name)
    if pa.types.is_floating(leaf):  # an int that is compared with floats becomes one first
        value = min(max(value, -60000), 60000) if abs(value) < 2**63 and leaf == pa.float16() else value
        expected = ref.at_depth(lambda item: None if item is None else compare(item, float(value)), x.to_list(), 2)
    else:
        expected = ref.at_depth(lambda item: None if item is None else compare(item, value), x.to_list(), 2)
    column = {"array": x, "pandas": x.to_pandas().jag, "polars": x.to_polars().jag}[surface]
    assert plain(compare(column, value)) == expected
    if surface == "array":
        turned = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(name, name)
        assert plain(getattr(operator, turned)(value, x)) == expected
        assert x.contains(value).to_list() == [None if row is None else value in row for row in x.to_list()]
        found = x.is_in([value, 2**80, None, *([0.5] if pa.types.is_floating(leaf) else [])]).to_list()
        assert found == ref.at_depth(lambda item: None if item is None else item == value, x.to_list(), 2)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("leaf", [leaf for leaf in LEAVES if pa.types.is_integer(leaf) or pa.types.is_decimal(leaf)], ids=str)
def test_clip_ignores_bounds_beyond_the_range_of_the_type(surface: str, leaf: pa.DataType) -> None:
    x, on = ends(leaf), SURFACES[surface]
    assert on(x, "clip", -(10**37), 10**37) == x.to_list()
    assert on(x, "clip", 0, 10**37) == ref.at_depth(lambda item: None if item is None else max(item, 0), x.to_list(), 2)
    assert x.clip(0, 10**37).type == leaf
    for bounds in ((10**37, None), (None, -(10**37))):
        with pytest.raises(JagRangeError, match=r"clip: the bound .* does not fit"):
            on(x, "clip", *bounds)


def test_arrays_and_scalars_of_arrow_compare_by_value_too() -> None:
    x = aj.array([[-1, 2**63 - 1], [5]])
    wide = aj.array([[2**64 - 1, 2**63 - 1], [5]], type=pa.uint64(), ndim=2)
    assert (x == wide).to_list() == [[False, True], [True]]
    assert (x < pa.scalar(2**64 - 1, pa.uint64())).to_list() == [[True, True], [True]]
    assert (aj.array([[1]], type=pa.uint8(), ndim=2) > pa.scalar(-1)).to_list() == [[True]]
    assert x.contains(wide[:, 0]).to_list() == [False, True]
    assert x.is_in(wide).to_list() == [[False, True], [True]]
    assert wide.searchsorted(-1).to_list() == [0, 0]
    assert aj.array([[2**53 + 1, 1]]).is_in([1.0]).to_list() == [[False, True]]
    assert aj.array([[2**60, 1]]).is_in([1.5, 2**60, None]).to_list() == [[True, False]]
    one, two = (aj.array([[decimal.Decimal(1)]], type=kind, ndim=2) for kind in (pa.decimal128(38, 2), pa.decimal128(38, 0)))
    assert (one == two).to_list() == [[True]]
    with pytest.raises(JagRangeError, match=r"add: the number 300 does not fit int8, which holds -128 to 127\. Cast the array"):
        aj.array([[1]], type=pa.int8(), ndim=2) + 300


# ------------------------------------------------------------------------------------------------- integers beside floats

HALVES = aj.array([[0.5], [1.0, 1.0], [2.0]])


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("multiply", lambda x: x * 0.5),
        ("add", lambda x: HALVES + x),
        ("add", lambda x: HALVES + aj.array([1, 2**60 + 1, 3])),
        ("floor_divide", lambda x: x // HALVES),
        ("where", lambda x: aj.where(x > 2, x, 0.5)),
        ("clip", lambda x: x.clip(0.5, HALVES)),
        ("fill_null", lambda x: x.fill_null(0.5)),
        ("fill_null_rows", lambda x: x.fill_null_rows([0.5])),
        ("concat", lambda x: aj.concat([x, HALVES])),
        ("append", lambda x: x.append(0.5)),
        ("pad", lambda x: x.pad(3, 0.5)),
        ("union", lambda x: x.union(HALVES)),
        ("multiply", aj.jit(lambda x: x * 0.5 + 1)),
    ],
)
def test_an_integer_that_no_float_equals_is_named(operation: str, call: Any) -> None:
    x = aj.array([[1], [3, 2**60 + 1], [2]])
    ends = "-9007199254740992 to 9007199254740992"
    held = f"row 1 holds 1152921504606846977, which float64 does not hold exactly, as it does all integers from {ends}"
    with pytest.raises(JagValueError, match=rf'{operation}: {held}; cast\("float64", safe=False\) rounds them'):
        call(x)


def test_a_number_that_no_float_equals_is_named() -> None:
    with pytest.raises(JagValueError, match=r"multiply: the number is 1152921504606846977, which float64 does not hold exactly"):
        HALVES * pa.scalar(2**60 + 1)


@pytest.mark.parametrize(
    "number",
    [
        10**400,
        -(10**400),
        decimal.Decimal("1e400"),
        decimal.Decimal("-1e400"),
        decimal.Decimal("1e-90"),
        decimal.Decimal("-0." + "1" * 90),
    ],
)
@pytest.mark.parametrize(
    "type", ["bool", "int8", "uint64", "int64", "float16", "float32", "float64", pa.decimal32(5, 2), pa.decimal128(30, 2)]
)
def test_numbers_of_any_size_are_compared_by_value(number: Any, type: Any) -> None:
    """Python compares its numbers by value; beyond the range of floats only infinities are on the other side."""
    infinite = [float("inf"), float("-inf"), float("nan")] if "float" in str(type) else []
    items = [True, False] if type == "bool" else [1, 2, 0, *infinite]
    x = aj.array([[*items, None], None, []]).cast(type)
    if infinite and abs(number) < 1:  # numbers take the type of floats
        return
    plain = int(number) if abs(number) > 1 else number
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        compare = getattr(operator, name)
        assert compare(x, number).to_list() == [[*(compare(item, plain) for item in items), None], None, []], name
        assert compare(number, x).to_list() == [[*(compare(plain, item) for item in items), None], None, []], name
    if abs(number) > 1:
        with pytest.raises((aj.JagRangeError, aj.JagTypeError), match=r"10000000|E\+400|bool"):
            x + number
        assert x.is_in([number]).to_list() == [[*(False for _ in items), None], None, []]
    assert x.contains(number).to_list() == [False, None, False]
    assert x.index_of(number).to_list() == [None, None, None]
    assert_lists_equal(x.remove(number).to_list(), x.to_list())
    assert_lists_equal(x.replace({number: items[0], number * 10: items[1]}).to_list(), x.to_list())
    assert x.sort().searchsorted(number).to_list() == [sum(item < plain for item in items), None, 0]


@pytest.mark.parametrize("leaf", ["string", "binary", "date32"])
@pytest.mark.parametrize("number", [2**64, -(10**400), decimal.Decimal("1e400"), decimal.Decimal("1e-400")])
def test_leaves_that_are_no_numbers_refuse_numbers_of_any_size(leaf: str, number: Any) -> None:
    x = aj.array([[None]]).cast(leaf)
    for name in ("contains", "index_of", "remove", "searchsorted"):
        with pytest.raises(aj.JagTypeError, match=f"{name}: .* have no common type"):
            getattr(x, name)(number)
