"""Every reduction against the oracle: any axis, trailing axes together, skip_nulls, min_count, every leaf type."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS, over_aligned_axis, over_axis
from arrowjag.errors import JagIndexError, JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import any_axis, as_list, tolerance
from tests.fuzz import calls

ndims = st.integers(1, 3)

CALLS = {name: call for name, call in calls.CALLS.items() if name in ref.GROUP or name in ref.SLOTS}
"""Every reduction of the oracle with the kinds of leaves that it takes, as the fuzzers call it."""
ARGUMENTS: dict[str, tuple[Any, ...]] = {"join": ("-",), "quantile": (0.25, "linear"), "norm": (2,)}


def reduced(name: str, x: Any, axis: Any, options: dict[str, Any], *args: Any) -> Any:
    named = {
        "join": {"sep": args[0]} if args else {},
        "quantile": {"q": args[0], "interpolation": args[1]} if len(args) > 1 else {},
        "norm": {"p": args[0]} if args else {},
    }
    return ref.reduction(name, x.to_list(), x.ndim, axis, extents=x.shape.extents, **options, **named.get(name, {}))


def options_of(data: st.DataObject, name: str) -> dict[str, Any]:
    if "min_count" not in METHODS[name].signature.parameters:
        return {}
    return {"skip_nulls": data.draw(st.booleans()), "min_count": data.draw(st.none() | st.integers(0, 3))}


def leaf_of(data: st.DataObject, name: str) -> pa.DataType:
    return data.draw(leaf_types(*CALLS[name].kinds) | st.just(pa.null()))


def test_the_table_of_methods_and_the_oracle_hold_the_same_reductions() -> None:
    """Reductions that are not in `CALLS` have arguments or results of their own, an oracle, and tests in a file of their name."""
    reductions = {name for name, method in METHODS.items() if method.rule in (over_axis, over_aligned_axis)}
    assert CALLS.keys() <= reductions
    missing = reductions - CALLS.keys() - ref.ORACLES.keys()
    assert not missing, f"add {sorted(missing)} to GROUP or SLOTS of tests/reference.py"


@pytest.mark.parametrize("name", CALLS)
@given(st.data())
def test_a_reduction_agrees_with_the_oracle_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim, leaf, args = data.draw(ndims), leaf_of(data, name), ARGUMENTS.get(name, ())
    axis, options, exact = data.draw(any_axis(ndim)), options_of(data, name), CALLS[name].exact
    small = not exact or data.draw(st.booleans())
    x = data.draw(jagged_arrays(ndim, leaf, small=small, max_size=4 if exact else 3))
    got = getattr(x, name)(*args, axis, **options)
    close = tolerance(leaf) if pa.types.is_floating(leaf) else {}
    assert_lists_equal(as_list(got), reduced(name, x, axis, options, *args), **({"rel_tol": 0, "abs_tol": 0} if exact else close))


@pytest.mark.parametrize("name", CALLS)
@given(st.data())
def test_an_empty_tuple_of_axes_reduces_each_item_alone(name: str, data: st.DataObject) -> None:
    ndim, options, args = data.draw(ndims), options_of(data, name), ARGUMENTS.get(name, ())
    x = data.draw(jagged_arrays(ndim, leaf_of(data, name), small=True))
    got = getattr(x, name)(*args, (), **options)
    apart = array_of(ref.at_depth(lambda leaf: [leaf], x.to_list(), ndim), x.type, ndim + 1)
    assert got.shape == x.shape
    assert_lists_equal(as_list(got), reduced(name, apart, -1, options, *args))


def test_lengths_dot_and_scalars_are_not_reduced() -> None:
    x = aj.array([[1, None], None, []], type=pa.int8(), ndim=2)
    assert x.lengths(()).to_list() == [[1, 1], None, []]
    assert x.dot(x, ()).to_list() == [[1, 0], None, []]
    assert x.sum([]).type == pa.int64()
    assert aj.zeros(2, 3).sum(()).shape.extents == (2, 3)
    assert aj.array(5).sum(()).as_py() == 5
    assert aj.array(5).lengths(()).as_py() == 1
    with pytest.raises(JagValueError, match=r"reverse: axis is an empty tuple"):
        x.reverse(())


@pytest.mark.parametrize(
    ("name", "given_type", "result"),
    [
        ("sum", pa.int8(), pa.int64()),
        ("sum", pa.uint8(), pa.uint64()),
        ("sum", pa.bool_(), pa.int64()),
        ("sum", pa.float32(), pa.float32()),
        ("sum", pa.null(), pa.int64()),
        ("sum", pa.duration("s"), pa.duration("s")),
        ("mean", pa.int8(), pa.float64()),
        ("mean", pa.float32(), pa.float32()),
        ("mean", pa.timestamp("ms", "UTC"), pa.timestamp("ms", "UTC")),
        ("median", pa.int64(), pa.float64()),
        ("min", pa.string(), pa.string()),
        ("argmax", pa.string(), pa.int64()),
        ("n_unique", pa.string(), pa.int64()),
        ("count", pa.string(), pa.int64()),
        ("first", pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int8(), pa.string())),
    ],
)
def test_types_do_not_depend_on_values(name: str, given_type: pa.DataType, result: pa.DataType) -> None:
    for rows in ([], [[]], [[None]], [None]):
        assert getattr(aj.array(rows, type=given_type, ndim=2), name)().type == result
    assert getattr(aj.array([], type=given_type, ndim=1), name)().type == result


def test_empty_rows() -> None:
    x = aj.array([[]], type=pa.float64(), ndim=2)
    expected = {"sum": 0.0, "prod": 1.0, "count": 0, "lengths": 0, "n_unique": 0, "any": False, "all": True}
    nulls = dict.fromkeys(["mean", "min", "max", "var", "std", "median", "argmin", "argmax", "first", "last", "mode", "collapse"])
    for name, value in (expected | nulls).items():
        assert getattr(x, name)().to_list() == [value], name
    assert math.copysign(1, x.sum().to_list()[0]) == 1


def test_zero_rows_of_a_declared_extent() -> None:
    assert aj.zeros(0, 3).sum(axis=0).to_list() == [0, 0, 0]
    assert aj.zeros(2, 3).sum(axis=0).shape.extents == (3,)


def test_decimals_and_temporals() -> None:
    d = decimal.Decimal
    x = aj.array([[d("1.50"), d("2.50")], [], [None], None])
    assert x.sum().to_list() == [d("4.00"), d("0.00"), d("0.00"), None]
    assert x.max().to_list() == [d("2.50"), None, None, None]
    assert x.mean().to_list() == [d("2.00"), None, None, None]
    day = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
    t = aj.array([[day, day + dt.timedelta(days=2)], []], type=pa.timestamp("us", "UTC"), ndim=2)
    assert t.mean().to_list() == [day + dt.timedelta(days=1), None]
    assert t.median().to_list() == [day + dt.timedelta(days=1), None]
    assert t.quantile(0.25).to_list() == [day + dt.timedelta(hours=12), None]
    assert aj.array([[dt.timedelta(1), dt.timedelta(2)]]).sum().to_list() == [dt.timedelta(3)]


def test_numbers_are_true_unless_zero() -> None:
    x = aj.array([[0, 2], [0], [0.0], [math.nan]], type=pa.float64(), ndim=2)
    assert x.any().to_list() == [True, False, False, True]
    assert x.all().to_list() == [False, False, False, True]


def test_nan_is_ignored_by_extremes_only() -> None:
    x = aj.array([[math.nan, 2.0, 1.0], [math.nan], [None, math.nan]])
    assert_lists_equal(x.min().to_list(), [1.0, math.nan, math.nan])
    assert x.argmax().to_list() == [1, 0, 1]
    assert_lists_equal(x.sum().to_list(), [math.nan] * 3)


def test_kleene_logic_without_skipping() -> None:
    x = aj.array([[True, None], [False, None], [None], []])
    assert x.any(skip_nulls=False).to_list() == [True, None, None, False]
    assert x.all(skip_nulls=False).to_list() == [None, False, None, True]


def test_overflow_names_the_row() -> None:
    with pytest.raises(JagOverflowError, match=r"row 1"):
        aj.array([[1], [2**62, 2**62]]).sum()
    with pytest.raises(JagOverflowError, match=r"row 0"):
        aj.array([[2**62, 3]]).prod()
    with pytest.raises(JagOverflowError, match=r"row 2") as caught:  # the results of other rows are null
        aj.array([[2**62, 2**62, None], [1], [2**62, 2**62]]).sum(skip_nulls=False)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "median", "any", "all"])
def test_types_without_arithmetic_are_named(name: str) -> None:
    with pytest.raises(JagTypeError, match=rf"{name} .*string"):
        getattr(aj.array([["a"]]), name)()


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "n_unique", "mode", "collapse"])
def test_types_without_order_are_named(name: str) -> None:
    x = aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2)
    with pytest.raises(JagTypeError, match=rf"{name} .*interval"):
        getattr(x, name)()


def test_refused_arguments() -> None:
    x = aj.array([[[1]]])
    with pytest.raises(JagIndexError, match=r"sum: axis 3"):
        x.sum(3)
    with pytest.raises(JagValueError, match=r"last ones"):
        x.sum((0, 2))
    with pytest.raises(JagTypeError, match=r"axis must be an int"):
        x.sum("a")
    with pytest.raises(JagValueError, match=r"quantile: q"):
        x.quantile(2)
    with pytest.raises(JagTypeError, match=r"join .*int64"):
        x.join("-")
    with pytest.raises(ShapeError, match=r"^dot: .*has 2 items here and 1 there"):
        x.dot([[[1, 2]]])


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "sum", "mean", "count", "first", "last"])
@pytest.mark.parametrize("leaf", [pa.float64(), pa.float32(), pa.float16()], ids=str)
def test_every_column_of_up_to_three_floats_along_the_outer_axis(name: str, leaf: pa.DataType) -> None:
    values = [1.0, math.nan, None, -2.0]
    for length in (1, 2, 3):
        columns = list(itertools.product(values, repeat=length))
        for rows in ([list(row) for row in zip(*columns, strict=True)], *([[item] for item in column] for column in columns)):
            x = array_of(rows, leaf, 2)
            assert_lists_equal(getattr(x, name)(0).to_list(), ref.reduction(name, rows, 2, 0))


@pytest.mark.parametrize(("values", "advice"), [(["a"], "Cast text to numbers first"), ([{"a": 1}], "Pick a field first")])
def test_a_type_without_a_kernel_names_the_alternative(values: list[Any], advice: str) -> None:
    with pytest.raises(aj.JagTypeError, match=rf"sum has no kernel for .*{advice}"):
        aj.array([values]).sum()


def test_structs_of_rows_with_too_few_items_are_null() -> None:
    x = aj.array([[{"a": 1}], [{"a": 2}, {"a": 3}], []])
    assert [x.min(min_count=2).to_list(), x.mode(min_count=2).to_list()] == [[None, {"a": 2}, None]] * 2
    assert x.max(min_count=1).to_list() == [{"a": 1}, {"a": 3}, None]


def test_null_rows_of_declared_size_own_no_results() -> None:
    x = aj.from_arrow(pa.array([[[1, 2], None], None, [[3, 4], [5, 6]]], pa.large_list(pa.list_(pa.int64(), 2))))
    found = x.sum(axis=1)
    assert (found.to_list(), found.size, found.shape.extents) == ([[1, 2], None, [8, 10]], 4, (None, 2))


TIMES = (pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("us"), pa.timestamp("s", "UTC"), pa.duration("ms"))


@pytest.mark.parametrize("leaf", TIMES, ids=str)
@pytest.mark.parametrize("options", [{}, {"skip_nulls": False}, {"min_count": 2}], ids=str)
def test_times_along_outer_axes(leaf: pa.DataType, options: dict[str, Any]) -> None:
    """As their numbers, the least and the greatest number included; sums are of durations alone."""
    stored = pa.int32() if leaf.bit_width == 32 else pa.int64()
    most = 86_399 if pa.types.is_time(leaf) else 2 ** (leaf.bit_width - 1) - 1
    day = 86_400_000 if pa.types.is_date64(leaf) else 1
    numbers = [None, 3, 0 if pa.types.is_time(leaf) else -(most // day), 5, None, most // day, 0, 7, None, 2]
    numbers = pa.array([None if one is None else one * day for one in numbers], stored)
    for shape in (aj.JaggedShape(4, [3, 0, 2, 5]), aj.JaggedShape(2, [4, 2], [1, 2, 0, 2, 1, 4])):
        times, plain = aj.JaggedArray(shape, numbers.view(leaf)), aj.JaggedArray(shape, numbers)
        for name in ("min", "max"):
            found, expected = (getattr(side, name)(axis=0, **options) for side in (times, plain))
            assert found.type == leaf
            assert found.cast(stored).to_list() == expected.to_list()
        if pa.types.is_duration(leaf):
            small = (plain % 100).values
            found, expected = (aj.JaggedArray(shape, one).sum(axis=0, **options) for one in (small.view(leaf), small))
            assert found.type == leaf
            assert found.cast(stored).to_list() == expected.to_list()
        else:
            with pytest.raises(JagTypeError, match="sum has no kernel for"):
                times.sum(axis=0, **options)
