"""Operators, ufuncs, rounding, casts: against the oracle, numpy and Python, for every leaf type that has a meaning."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import operator
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.hosts import pd, pl
from tests.operands import jag, leaves

INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float32(), pa.float64()]
NUMBERS = [*INTS, *FLOATS]
Pair = tuple[aj.JaggedArray, aj.JaggedArray]


def comparison_of(x: aj.JaggedArray) -> aj.JaggedArray | None:
    """x == x, or None where the type has no comparison, which the error must say."""
    try:
        return x == x  # noqa: PLR0124 - NaN is not itself
    except TypeError as error:
        if str(x.type) not in str(error):
            raise
        return None


@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul])
@given(pair=prefix_arrays(None, pa.int64()))
def test_integers_of_any_two_shapes(function: Callable[..., Any], pair: Pair) -> None:
    x, y = pair
    assert function(x, y).to_list() == ref.elementwise(function, jag(x), jag(y))


@given(prefix_arrays(None, pa.float64()))
def test_division_is_always_float(pair: Pair) -> None:
    x, y = pair
    assert_lists_equal((x / y).to_list(), ref.elementwise(ref.true_divide, jag(x), jag(y)))
    assert (aj.array([[1], [2]]) / 2).type == pa.float64()
    assert (aj.array([1, 0]) / 0).to_list()[0] == math.inf


@given(prefix_arrays(None, pa.int32()))
def test_floor_division_and_remainder_are_pythons_and_null_by_zero(pair: Pair) -> None:
    x, y = pair
    assert (x // y).to_list() == ref.elementwise(ref.floor_divide, jag(x), jag(y))
    assert (x % y).to_list() == ref.elementwise(ref.modulo, jag(x), jag(y))


@pytest.mark.parametrize("one", NUMBERS, ids=str)
@pytest.mark.parametrize("two", NUMBERS, ids=str)
def test_types_promote_as_in_numpy(one: pa.DataType, two: pa.DataType) -> None:
    x, y = aj.array([[1], [2, 3]], type=one), aj.array([4, 5], type=two)
    expected = pa.from_numpy_dtype(np.result_type(one.to_pandas_dtype(), two.to_pandas_dtype()))
    for function in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        assert function(x, y).type == expected
    assert (x * y).to_list() == [[4], [10, 15]]
    assert (x < y).to_list() == [[True], [True, True]]
    assert pa.types.is_floating((x / y).type)


@pytest.mark.parametrize("type", INTS, ids=str)
def test_integer_arithmetic_wraps(type: pa.DataType) -> None:
    info = np.iinfo(type.to_pandas_dtype())
    x = aj.array([[info.max, info.min]], type=type)
    signed = pa.types.is_signed_integer(type)
    expected = [ref.wrapped(v + 1, type.bit_width, signed=signed) for v in (info.max, info.min)]
    assert (x + 1).to_list() == [expected]
    assert (x + 1).type == type


def test_python_scalars_are_weak() -> None:
    x = aj.array([[1, 2]], type=pa.int8())
    assert (x + 1).type == (1 + x).type == pa.int8()
    assert (x + 1.5).type == pa.float64()
    assert (aj.array([1.5], type=pa.float32()) * 2.0).type == pa.float32()
    assert (x + np.int64(1)).type == pa.int64()
    assert (x + pa.scalar(1, pa.int16())).type == pa.int16()
    with pytest.raises(ValueError, match="1000 does not fit int8"):
        x + 1000
    assert (10 - x).to_list() == [[9, 8]]
    assert (2**x).to_list() == [[2, 4]]
    assert (-x).to_list() == [[-1, -2]]
    assert divmod(x, 2)[1].to_list() == [[1, 0]]


@pytest.mark.parametrize(
    "function", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.pow, operator.mod, divmod]
)
def test_operators_of_a_number_with_arrays(function: Callable[[Any, Any], Any]) -> None:
    x = aj.array([[1, 2, None], [3], []])
    each = [[None if one is None else function(21, one) for one in row] for row in x.to_list()]
    found, of_pandas = function(21, x), function(21, x.to_pandas().jag)
    if function is not divmod:
        found, of_pandas, each = (found,), (of_pandas,), [[None if one is None else (one,) for one in row] for row in each]
    for place, (one, two) in enumerate(zip(found, of_pandas, strict=True)):
        expected = [[None if pair is None else pair[place] for pair in row] for row in each]
        assert one.to_list() == two.jag.to_list() == expected


@pytest.mark.parametrize("function", [operator.and_, operator.or_, operator.xor])
def test_operators_of_a_boolean_with_arrays(function: Callable[[Any, Any], Any]) -> None:
    x = aj.array([[True, False], []])
    for value in (True, False):
        expected = [[function(value, True), function(value, False)], []]
        assert function(value, x).to_list() == function(value, x.to_pandas().jag).jag.to_list() == expected


PUTS: dict[str, Any] = {
    "append": lambda x, v: x.append(v),
    "fill_null": lambda x, v: x.fill_null(v),
    "insert": lambda x, v: x.insert(0, v),
    "multiply": lambda x, v: x * v,
    "pad": lambda x, v: x.pad(4, fill=v),
    "replace": lambda x, v: x.replace(1.0, v),
    "shift": lambda x, v: x.shift(fill=v),
    "where": lambda x, v: x.where(x > 2, v),
}
"""Calls whose results hold a number."""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1e39, -1e39, 10**39])
@pytest.mark.parametrize("name", PUTS)
@pytest.mark.parametrize("type", [pa.float16(), pa.float32()], ids=str)
def test_a_number_that_would_become_infinite_raises(type: pa.DataType, name: str, number: float) -> None:
    x = aj.array([[1.0, None, 2.0], [math.inf]], type=type)
    with pytest.raises(aj.errors.JagRangeError, match=f"does not fit {type}: it would become infinite. Cast the items to a wider"):
        PUTS[name](x, number)
    assert PUTS[name](x, math.inf).type == type


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [1e39, 10**39])
@pytest.mark.parametrize("type", [pa.float16(), pa.float32()], ids=str)
def test_infinity_is_no_number_beyond_the_type(type: pa.DataType, number: float) -> None:
    x = aj.array([[math.inf, 1.0, None]], type=type)
    assert (x == number).to_list() == [[False, False, None]]
    assert (x > number).to_list() == [[True, False, None]]
    assert (x < number).to_list() == [[False, True, None]]
    assert x.contains(number).to_list() == [False]
    assert x.index_of(number).to_list() == [None]
    assert x.remove(number).equals(x)
    assert x.replace(number, 0.0).equals(x)
    assert x.clip(-number, number).equals(x)
    with pytest.raises(aj.errors.JagRangeError, match=r"clip: the bound .* does not fit"):
        x.clip(number, None)


def test_times_of_pandas_keep_their_nanoseconds() -> None:
    """pyarrow takes them for microseconds and cuts the rest off, so that nothing would equal them."""
    fine = pd.Timestamp("2020-01-01 12:00:00.123456789")
    x = aj.array(pa.array([[fine.value, None]], pa.list_(pa.timestamp("ns"))))
    assert (x == fine).to_list() == [[True, None]]
    assert (fine > x).to_list() == [[False, None]]
    assert x.contains(fine).to_list() == [True]
    assert x.fill_null(fine).to_list() == [[fine, fine]]
    assert (x + pd.Timedelta(1, "ns")).to_list() == [[fine + pd.Timedelta(1, "ns"), None]]
    zoned = fine.tz_localize("Europe/Paris")
    assert (aj.array([[zoned]]) == zoned).to_list() == [[True]]
    assert aj.full((1,), zoned).type == pa.timestamp("ns", "Europe/Paris")
    assert (x.cast(pa.timestamp("us"), safe=False) + pd.Timedelta("1s")).type == pa.timestamp("us")


def test_lazy_frames_are_no_data_and_the_error_says_how_to_read_them() -> None:
    with pytest.raises(aj.JagTypeError, match=r"^array: a LazyFrame has no values before its query runs; write frame.collect\(\)"):
        aj.array(pytest.importorskip("polars").LazyFrame({"v": [[1]]}))


def test_objects_without_an_arrow_scalar_raise() -> None:
    for call in (lambda: aj.array([[1]]) + object(), lambda: aj.array([[1]]).fill_null(object())):
        with pytest.raises(aj.JagTypeError, match="is neither an array nor an Arrow scalar"):
            call()


@pytest.mark.parametrize("name", ["None", "NA", "NaT"])
def test_a_null_scalar_makes_nulls(name: str) -> None:
    scalar = None if name == "None" else getattr(pd, name)
    x = aj.array([[1], None])
    assert (x + scalar).to_list() == [[None], None]
    assert aj.where(x > 1, x, scalar).to_list() == [[None], None]
    assert x.append(scalar).to_list() == [[1, None], None]
    assert x.replace({1: scalar}).to_list() == [[None], None]
    assert aj.array([[1, None]]).replace({scalar: 0}).to_list() == [[1, 0]]
    assert x.to_pandas().jag.replace({1: scalar}).to_list() == [[None], pd.NA]


@pytest.mark.parametrize("null", [None, pd.NaT, pd.NA], ids=lambda one: type(one).__name__)
def test_a_null_operand_makes_nulls_of_numbers_and_durations(null: Any) -> None:
    for x in (aj.array([[1], None]), aj.array([[pd.Timedelta(1, "s")], None])):
        assert (x + null).to_list() == (x * null).to_list() == (x == null).to_list() == [[None], None]
        assert x.fill_null(null).equals(x)


@given(jagged_arrays(leaf=leaf_types()))
def test_every_leaf_type_compares_with_itself(x: aj.JaggedArray) -> None:
    if pa.types.is_null(x.type):
        return
    got = comparison_of(x)
    if got is None:
        return
    assert got.type == pa.bool_()
    for same, leaf in zip(leaves(got), leaves(x), strict=True):
        assert (same is None) == (leaf is None)


@pytest.mark.parametrize("function", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
@given(pair=prefix_arrays(None, pa.float64()))
def test_comparisons(function: Callable[..., Any], pair: Pair) -> None:
    x, y = pair
    assert function(x, y).to_list() == ref.elementwise(function, jag(x), jag(y))


def test_uint64_compares_exactly_with_negative_numbers() -> None:
    x = aj.array([2**64 - 1, 0], type=pa.uint64())
    assert (x > aj.array([-1, -1])).to_list() == [True, True]
    assert (x == aj.array([-1, 0])).to_list() == [False, True]


def test_text_times_and_decimals() -> None:
    assert (aj.array([["a"], ["b"]]) + "c").to_list() == [["ac"], ["bc"]]
    assert (aj.array([["a"], [None]]) == "a").to_list() == [[True], [None]]
    days = aj.array([[np.datetime64("2024-01-02", "s")]])
    assert (days - days).type == pa.duration("s")
    prices = aj.array([[pa.scalar("1.50").cast(pa.decimal128(5, 2)).as_py()]])
    assert str((prices + prices).to_list()[0][0]) == "3.00"
    with pytest.raises(TypeError, match="subtract"):
        aj.array(["a"]) - aj.array([1])


def test_shapes_that_do_not_fit_name_dim_and_row() -> None:
    with pytest.raises(aj.ShapeError, match="dim 1, row 1 has"):
        aj.array([[1], [2]]) + aj.array([[1], [2, 3]])
    with pytest.raises(aj.ShapeError, match=r"JaggedShape\(3\) is not a prefix of"):
        aj.array([[1], [2]]) + [1, 2, 3]  # noqa: RUF005 - no list


@given(prefix_arrays(None, pa.bool_()))
def test_logic_is_kleene(pair: Pair) -> None:
    x, y = pair
    assert (x & y).to_list() == ref.kleene_and(jag(x), jag(y))
    assert (x | y).to_list() == ref.kleene_or(jag(x), jag(y))
    assert (x ^ y).to_list() == ref.elementwise(operator.xor, jag(x), jag(y))
    assert (~x).to_list() == ref.kleene_not(jag(x))


@given(prefix_arrays(None, pa.int32()))
def test_integers_are_combined_bit_by_bit(pair: Pair) -> None:
    x, y = pair
    for function in (operator.and_, operator.or_, operator.xor):
        assert function(x, y).to_list() == ref.elementwise(function, jag(x), jag(y))
    assert (~x).to_list() == ref.elementwise(operator.invert, jag(x))


@pytest.mark.parametrize("function", [operator.invert, operator.neg, abs])
def test_nulls_without_a_type_stay(function: Any) -> None:
    x = aj.array([[None, None], [], None])
    assert function(x).to_list() == function(x.to_pandas().jag).jag.to_list() == x.to_list()
    assert pl.DataFrame({"v": x}).select(function(pl.col("v").jag)).to_series().to_list() == x.to_list()


def test_types_without_a_kernel_raise_with_operation_and_type() -> None:
    for call, text in [
        (lambda: ~aj.array([1.5]), "invert has no kernel for double"),
        (lambda: aj.array(["a"]) & True, "and has no kernel for string and bool|no common type"),
        (lambda: -aj.array([True]), "negative has no kernel for bool"),
        (lambda: abs(aj.array(["a"])), "absolute has no kernel for string"),
        (lambda: aj.array([True]) - True, "subtract has no kernel for bool"),
        (lambda: aj.array(["a"]).is_nan(), "is_nan has no kernel for string"),
        (lambda: np.sin(aj.array(["a"])), "sin|conversion to numpy"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()


@given(jagged_arrays(leaf=pa.float64()))
def test_ufuncs_keep_the_shape_and_nulls(x: aj.JaggedArray) -> None:
    with np.errstate(all="ignore"):
        expected = ref.elementwise(lambda v: float(np.tanh(v)), jag(x))
    assert_lists_equal(np.tanh(x).to_list(), expected)
    assert np.tanh(x).shape.extents == x.shape.extents


def test_ufuncs_of_several_operands_and_results() -> None:
    x = aj.array([[1.5, None], [2.5]])
    assert np.maximum(x, [2, 1]).to_list() == [[2.0, None], [2.5]]
    assert np.add(1, x).to_list() == [[2.5, None], [3.5]]
    part, whole = np.modf(x)
    assert (part.to_list(), whole.to_list()) == ([[0.5, None], [0.5]], [[1.0, None], [2.0]])
    assert np.logical_not(aj.array([0, 2])).to_list() == [True, False]
    calls = {"reduce": lambda: np.add.reduce(x), "where": lambda: np.add(x, x, where=True), "vecdot": lambda: np.vecdot(x, x)}
    for name, call in calls.items():
        with pytest.raises(aj.JagTypeError, match=name):
            call()


PAIRWISE = [np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.arctan2, np.logaddexp, np.copysign, np.nextafter, np.heaviside]
PAIRWISE += [np.fmod, np.float_power, np.gcd, np.ldexp]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "u1"])
@pytest.mark.parametrize("function", PAIRWISE, ids=lambda one: one.__name__)
def test_ufuncs_of_pairs_run_on_blocks(function: np.ufunc, dtype: str) -> None:
    """As one call of numpy, whatever the blocks; an extreme is never -0.0."""
    random = np.random.default_rng(3)
    one, two = (random.integers(0, 100, 1003).astype(dtype) for _ in range(2))
    if dtype.startswith("f"):
        one[::7], two[::11], one[5], two[9] = np.nan, -0.0, np.inf, -np.inf
    if function is np.ldexp:
        two = random.integers(0, 100, 1003)
    mask = random.random(1003) < 0.2
    x, y = aj.array(pa.array(one, mask=mask)), aj.array(two)
    for left, right, null, *data in [
        (x, y, mask, one, two),
        (x[3:], y[3:], mask[3:], one[3:], two[3:]),
        (x, y[8], mask, one, two[8:9]),
        (aj.array(one)[4], y, np.zeros(1003, bool), one[4:5], two),
    ]:
        try:
            with np.errstate(all="ignore"):
                expected = function(*data)
        except TypeError:
            with pytest.raises(aj.JagTypeError, match=function.__name__):
                function(left, right)
            continue
        with strategy.force(function="blocks", PASS_VALUES=64, LIGHT_BYTES=0, THREAD_VALUES=1):
            found = function(left, right)
        assert found.type == pa.from_numpy_dtype(expected.dtype)
        assert found.values.is_null().to_pylist() == null.tolist()
        got = np.asarray(found.values.drop_null())
        np.testing.assert_array_equal(got, expected[~null])
        if function.__name__ in {"maximum", "minimum", "fmax", "fmin"} and dtype.startswith("f"):
            assert not np.signbit(got[got == 0]).any()


def test_a_declared_extent_of_any_operand_is_declared() -> None:
    dense, ragged = aj.array(np.ones((2, 3))), aj.array([[1, 2, 3], [4, 5, 6]])
    assert (dense + ragged).shape.extents[1] == (ragged + dense).shape.extents[1] == 3
    assert (ragged + ragged).shape.extents[1] is None
    with pytest.raises(aj.ShapeError, match=r"^add: dim 1 is declared to have 2 and 3 items"):
        aj.array(np.ones((0, 3))) + aj.array(np.ones((0, 2)))


def test_rows_null_in_one_operand_drop_the_items_of_the_other() -> None:
    x, y = aj.array([[1, 2], None, [3]]), aj.array([None, [7, 8, 9], [4]])
    assert (x + y).to_list() == [None, None, [7]]
    assert (x + np.array([1, 2, 3])).to_list() == [[2, 3], None, [6]]


WIDE_DECIMALS = [(1, 0), (9, 2), (12, 2), (18, 6), (19, 0), (28, 3), (37, 5), (38, 2), (38, 38), (50, 10), (76, 4)]


def of_digits(precision: int, scale: int) -> pa.DataType:
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


@pytest.mark.parametrize("digits", WIDE_DECIMALS, ids=str)
@given(numbers=st.lists(st.tuples(*[st.none() | st.integers(-(10**9), 10**9)] * 2), max_size=6))
def test_decimals_of_any_precision(digits: tuple[int, int], numbers: list[tuple[int | None, int | None]]) -> None:
    type = of_digits(*digits)
    most = 10 ** digits[0] - 1
    with decimal.localcontext(prec=200):
        pairs = [[None if v is None else Decimal(max(-most, min(v, most))).scaleb(-digits[1]) for v in pair] for pair in numbers]
        x, y = (aj.array(pa.array([[pair[k] for pair in pairs], None], pa.list_(type))) for k in (0, 1))

        def floor(a: Decimal, b: Decimal) -> Decimal:
            return (a / b).to_integral_value(decimal.ROUND_FLOOR)

        for function, expected in (
            (operator.add, operator.add),
            (operator.sub, operator.sub),
            (operator.mul, operator.mul),
            (operator.floordiv, floor),
            (operator.mod, lambda a, b: a - b * floor(a, b)),
        ):
            divides = function in {operator.floordiv, operator.mod}
            wanted = [None if a is None or b is None or (divides and not b) else expected(a, b) for a, b in pairs]
            assert function(x, y).to_list() == [wanted, None]


def test_decimals_by_integers_have_room() -> None:
    price = aj.array(pa.array([[Decimal("1.25"), Decimal("-7.00")], None, []], pa.list_(pa.decimal128(38, 2))))
    assert (price * 2).to_list() == [[Decimal("2.50"), Decimal("-14.00")], None, []]
    assert (price % 2).to_list() == [[Decimal("1.25"), Decimal("1.00")], None, []]
    assert (10 - price).to_list() == [[Decimal("8.75"), Decimal("17.00")], None, []]
    assert (price // aj.array([2, 1, 0])).to_list() == [[Decimal(0), Decimal(-4)], None, []]
    assert price.diff().to_list() == [[None, Decimal("-8.25")], None, []]


@pytest.mark.parametrize("scale", [0, 20, 50, 70])
def test_integers_keep_their_values_beside_decimals_of_most_digits(scale: int) -> None:
    x = aj.array(pa.array([[Decimal("0.5") if scale else Decimal(8), None], []], pa.list_(pa.decimal256(76, scale))))
    whole = aj.array([3, 4])
    with decimal.localcontext(prec=200):
        for function in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
            (value, _), _ = x.to_list()
            assert function(x, whole).to_list() == [[function(value, 3), None], []]


def test_decimals_with_too_many_digits_raise() -> None:
    x = aj.array(pa.array([[Decimal(10**76 - 1)]], pa.list_(pa.decimal256(76, 0))))
    with pytest.raises(aj.JagOverflowError, match=r"multiply: in row .*, the result of decimal256"):
        x * x


@pytest.mark.parametrize("type", INTS, ids=str)
@pytest.mark.parametrize("function", [operator.lshift, operator.rshift])
def test_shifts_by_any_number_equal_those_of_numpy(function: Callable[..., Any], type: pa.DataType) -> None:
    """Arrow returns the number unchanged where numpy shifts all bits out."""
    dtype = type.to_pandas_dtype()
    limits = np.iinfo(dtype)
    numbers = np.array([limits.min, 0, 1, 3, limits.max], dtype)
    for by in (0, 1, limits.bits - 2, limits.bits - 1, limits.bits, limits.bits + 1):
        counts = np.full(5, by, dtype)
        got = function(aj.array(numbers), aj.array(counts))
        assert got.type == type
        assert got.to_list() == function(numbers, counts).tolist()
        missing = function(aj.array([*numbers.tolist(), None], type=type), aj.array([None, *counts.tolist()], type=type))
        assert missing.to_list() == [None, *function(numbers, counts)[1:].tolist(), None]


COMPARISONS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("function", COMPARISONS)
def test_unsigned_beside_negative_numbers_compare_by_value(function: Callable[..., Any]) -> None:
    unsigned, signed = [0, 1, 2**63, 2**64 - 1, 5, None, 5], [-1, 1, 2**63 - 1, -1, 6, 0, None]
    x, y = aj.array(unsigned, type=pa.uint64()), aj.array(signed, type=pa.int64())
    expected = [None if a is None or b is None else function(a, b) for a, b in zip(unsigned, signed, strict=True)]
    assert function(x, y).to_list() == expected
    assert function(y, x).to_list() == [
        None if a is None or b is None else function(a, b) for a, b in zip(signed, unsigned, strict=True)
    ]


@pytest.mark.parametrize("function", COMPARISONS)
def test_structs_compare_field_by_field(function: Callable[..., Any]) -> None:
    rows = [
        ({"a": 1, "b": "x"}, {"a": 1, "b": "y"}),
        ({"a": 2, "b": "x"}, {"a": 1, "b": "y"}),
        ({"a": 1, "b": "x"},) * 2,
        (None, {"a": 1}),
    ]
    type = pa.struct({"a": pa.int8(), "b": pa.string()})
    x, y = (aj.array(pa.array([pair[side] for pair in rows], type)) for side in (0, 1))
    expected = [function((one["a"], one["b"]), (two["a"], two["b"])) for one, two in rows[:3]]
    assert function(x, y).to_list() == [*expected, None]


def test_sums_and_products_of_booleans_are_those_of_numpy() -> None:
    one, two = np.array([True, True, False, False]), np.array([True, False, True, False])
    for function in (operator.add, operator.mul):
        got = function(aj.array([*one.tolist(), None]), aj.array([*two.tolist(), True]))
        assert got.type == pa.bool_()
        assert got.to_list() == [*function(one, two).tolist(), None]


def test_operators_of_nulls_without_a_type_are_integers() -> None:
    x = aj.array([[None, None], None])
    for function in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        assert function(x, x).type == pa.int64()
        assert function(x, x).to_list() == [[None, None], None]


def test_bytes_of_fixed_width_are_joined() -> None:
    x = aj.array(pa.array([[b"ab", None], None, []], pa.list_(pa.binary(2))))
    assert (x + x).type == pa.large_binary()
    assert (x + x).to_list() == [[b"abab", None], None, []]
    assert (x + aj.array(pa.array([b"c", b"d", b"e"], pa.binary(1)))).to_list() == [[b"abc", None], None, []]


@pytest.mark.parametrize("function", [np.logical_and, np.logical_or, np.logical_xor])
def test_logical_ufuncs_take_numbers_beside_every_type_of_numbers(function: np.ufunc) -> None:
    for type in (pa.float16(), pa.float32(), pa.int8(), pa.uint64(), pa.bool_()):
        x = aj.array([[0, 1, None]], type=pa.int8()).cast(type)
        for number in (0, 2, 0.5, float("nan")):
            if isinstance(number, float) and not pa.types.is_floating(type):
                continue
            expected = [None if one is None else bool(function(one, number)) for one in (0, 1, None)]
            found = function(x, number).to_list()
            assert found[0][:2] == expected[:2], (type, number)


@pytest.mark.parametrize("type", [pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_numbers_of_one_type_are_compared(type: pa.DataType) -> None:
    x, y = aj.array([[1, 0, None], [1]]).cast(type), aj.array([[1, 1, 0], [0]]).cast(type)
    assert (x > y).to_list() == [[False, False, None], [True]]
    assert (x == y).to_list() == [[True, False, None], [False]]
    assert (x <= y[0, 0]).to_list() == [[True, True, None], [True]]


_MOMENTS = {
    pa.date32(): 86_400 * 10**9,
    pa.date64(): 10**6,
    **{pa.timestamp(unit): step for unit, step in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))},
}
_SPANS = {pa.duration(unit): step for unit, step in (("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))}


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
@given(data=st.data())
def test_times_of_two_units_compare_by_value(name: str, data: st.DataObject) -> None:
    units = data.draw(st.sampled_from([_MOMENTS, _SPANS]))
    one, two = (data.draw(st.sampled_from(list(units))) for _ in range(2))

    def counts(type: pa.DataType) -> list[int | None]:
        bound = 2 ** (type.bit_width - 1) - 1
        step = 86_400_000 if pa.types.is_date64(type) else 1
        near = st.integers(-2, 2).map(lambda count: count * step)
        limit = st.integers(-2, 2).map(lambda count: (bound // (2 * units[type]) + count) // step * step)
        wide = st.integers(-(bound // step), bound // step).map(lambda count: count * step)
        return data.draw(st.lists(st.none() | near | limit | wide, min_size=3, max_size=3))

    def column(type: pa.DataType, items: list[int | None]) -> aj.JaggedArray:
        return aj.array([items], type=pa.int32() if type.bit_width == 32 else pa.int64()).cast(type)

    left, right = counts(one), counts(two)
    compare = getattr(operator, name)
    expected = [None if None in (a, b) else compare(a * units[one], b * units[two]) for a, b in zip(left, right, strict=True)]
    assert compare(column(one, left), column(two, right)).to_list() == [expected]


def test_times_beyond_the_finer_unit_compare_too() -> None:
    x = aj.array([[0, None, 10**18]]).cast(pa.timestamp("ns", "UTC"))
    end = dt.datetime(9999, 12, 31, tzinfo=dt.UTC)
    assert (x < end).to_list() == [[True, None, True]]
    assert (x == end).to_list() == [[False, None, False]]
    assert (aj.array([[end] * 3]) > x).to_list() == [[True, None, True]]
    with pytest.raises(aj.JagTypeError, match="less has no kernel for timestamp"):
        _ = x < dt.datetime(9999, 12, 31)  # noqa: DTZ001


@pytest.mark.parametrize("function", [np.logical_and, np.logical_or, np.logical_xor])
@pytest.mark.parametrize("other", ["a", [["a"]], aj.array([["true"]]), b"1"])
def test_text_has_no_truth(function: np.ufunc, other: Any) -> None:
    x = aj.array([[1]])
    for call in (lambda: function(x, other), lambda: function(aj.array([["false"]]), x), lambda: np.logical_not(aj.array([["a"]]))):
        with pytest.raises(aj.JagTypeError, match=r"logical_\w+ has no kernel for (string|large_string|binary)"):
            call()


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_booleans_compare_as_numbers(name: str) -> None:
    compare = getattr(operator, name)
    pairs = [(one, two) for one in (True, False, None) for two in (True, False, None)]
    expected = [None if None in pair else compare(*pair) for pair in pairs]
    one, two = (aj.array([[pair[side] for pair in pairs]]) for side in (0, 1))
    assert compare(one, two).to_list() == [expected]
    for number in (True, False):
        wanted = [None if pair[0] is None else compare(pair[0], number) for pair in pairs]
        assert compare(one, number).to_list() == [wanted]
        assert compare(one.flatten(), pa.scalar(number)).to_list() == wanted


@pytest.mark.parametrize("type", ["decimal128(38, 2)", "decimal128(38, 20)", "decimal128(38, 30)", "decimal256(76, 40)"])
def test_decimals_become_the_nearest_float(type: str) -> None:
    """Arrow's cast is off by one unit for 13 % of the cents below 10."""
    scale = aj.array([["0"]]).cast(type).type.scale
    wholes = [*range(-200, 1000, 7), 35, 2**53, 2**53 + 1, -(2**53) - 1, 2**63, -(2**63), 2**64 + 1, 10**35 + 1]
    exact = [Decimal(whole).scaleb(-scale, Context(prec=76)) for whole in wholes]
    x = aj.array(pa.array([exact, [None, exact[0]], None], pa.list_(aj.array([["0"]]).cast(type).type)))
    floats = [[float(one) for one in exact], [None, float(exact[0])], None]
    assert x.cast("double").to_list() == floats
    assert x[1:].cast("double").to_list() == floats[1:]
    assert x.cast("float").to_list() == aj.array(floats).cast("float").to_list()
    assert (x == aj.array(floats)).all(axis=None).as_py()
    assert (x * 1.0).to_list() == (aj.array([1.0, 1.0, 1.0]) * x).to_list() == floats
    assert (aj.array([[2.0]]) * exact[0]).to_list() == [[2.0 * floats[0][0]]]
