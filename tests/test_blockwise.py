"""Operators on many values run in blocks: the same results as in one piece, for every type, shape and kind of null."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._column import to_arrow
from arrowjag._kernels import strategy
from arrowjag._kernels.move import copy_runs
from arrowjag._ops.elementwise import blockwise
from arrowjag._ops.elementwise.framework import apply
from arrowjag._ops.elementwise.operators import BINARY, BY_ARROW, compute
from arrowjag.testing import jagged_arrays, prefix_arrays

N_ROWS = 10_000
NUMBERS = [
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.int64(),
    pa.uint8(),
    pa.uint16(),
    pa.uint32(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
]
OPERATORS = sorted(blockwise._RULES)


@pytest.fixture(scope="module", autouse=True)
def _always_in_blocks():
    with strategy.force(arithmetic="blocks", function="blocks", take_runs="runs", PASS_VALUES=64, DIVISION_BYTES=64, LIGHT_BYTES=0):
        yield


def same(found: pa.Array, expected: pa.Array) -> bool:
    """Equal types, nulls and values; NaN equals NaN, 0.0 is not -0.0."""
    found.validate(full=True)
    return bool(found.type == expected.type) and alike(found, expected)


def alike(one: pa.Array, two: pa.Array) -> bool:
    if not one.is_null().equals(two.is_null()):
        return False
    if pa.types.is_nested(one.type):
        return pc.list_value_length(one).equals(pc.list_value_length(two)) and alike(one.flatten(), two.flatten())
    if not pa.types.is_floating(one.type):
        return bool(one.equals(two))
    a, b = (np.asarray(side.drop_null()) for side in (one, two))
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a) & ~np.isnan(a), np.signbit(b) & ~np.isnan(b))


def check(name: str, one: Any, two: Any) -> None:
    """Blocks against the whole, unless blocks are not the way or an integer is divided by zero."""
    found = blockwise.binary(name, [one, two])
    if found is None:
        return
    with strategy.force(take_runs="items"):
        expected = apply(BINARY[name], [one, two], name)
    assert found.shape == expected.shape
    assert same(to_arrow(found), to_arrow(expected))


@pytest.mark.parametrize("name", OPERATORS)
@given(data=st.data())
def test_any_two_arrays(name, data):
    types = [data.draw(st.sampled_from(NUMBERS)) for _ in range(2)]
    one, two = data.draw(prefix_arrays(None, data.draw(st.sampled_from(types))))
    check(name, one, two)
    check(name, two, one)
    check(name, one.cast(types[0], safe=False), two.cast(types[1], safe=False))


@pytest.mark.parametrize("name", OPERATORS)
@given(data=st.data())
def test_an_array_and_a_number(name, data):
    type = data.draw(st.sampled_from(NUMBERS))
    x = data.draw(jagged_arrays(leaf=type))
    number = pa.scalar(data.draw(st.integers(0, 100)), type)
    check(name, x, number)
    if not (name == "power" and pa.types.is_integer(type)):
        check(name, number, x)


def rows(seed: int) -> aj.JaggedShape:
    """Rows of 0 to 30 items, some empty, the last ones too, and one that is longer than a block."""
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 30, N_ROWS)
    sizes[draw.random(N_ROWS) < 0.1] = 0
    sizes[1000] = 300_000
    sizes[-3:] = 0
    return aj.JaggedShape(N_ROWS, sizes)


@pytest.mark.parametrize("nulls", ["none", "items", "rows", "both"])
@pytest.mark.parametrize("type", [pa.float64(), pa.float32(), pa.int64(), pa.int8()])
def test_rows_of_every_length_over_many_blocks(type, nulls):
    draw = np.random.default_rng(0)
    shape = rows(1)
    many, few = draw.integers(-100, 100, shape.size), draw.integers(1, 100, N_ROWS)
    mask = {"items": draw.random(shape.size) < 0.1, "both": draw.random(shape.size) < 0.1}.get(nulls)
    lack = {"rows": draw.random(N_ROWS) < 0.1, "both": draw.random(N_ROWS) < 0.1}.get(nulls)
    x = aj.JaggedArray(shape, pa.array(many, mask=mask).cast(type))
    w = aj.JaggedArray(aj.JaggedShape(N_ROWS), pa.array(few, mask=lack).cast(type))
    parents = np.repeat(np.arange(N_ROWS), shape.dims[1].sizes)
    spread = w.values.take(pa.array(parents))
    for _ in range(2):  # the second time the owners of items are at hand
        for name in ("add", "multiply", "less"):
            found = blockwise.binary(name, [x, w])
            assert found is not None
            assert found.shape == shape
            assert found.values.equals(pc.call_function(name, [x.values, spread]))


@pytest.mark.parametrize("nulls", ["rows", "both"])
@pytest.mark.parametrize("type", [pa.float64(), pa.int16()])
def test_operands_that_are_null_in_different_rows(type, nulls):
    draw = np.random.default_rng(0)
    sizes = rows(1).dims[1].sizes

    def array(share: float) -> aj.JaggedArray:
        holes = draw.random(sizes.sum()) < 0.1 if nulls == "both" else None
        leaves = pa.array(draw.integers(1, 100, sizes.sum()), mask=holes).cast(type)
        mask = pa.array(draw.random(N_ROWS) < share)
        return aj.from_arrow(pa.LargeListArray.from_arrays(pa.array(rows(1).dims[1].offsets), leaves, mask=mask))

    for one, two in ((array(0.1), array(0.1)), (array(1e-4), array(0)), (array(0), array(0.9)), (array(1e-3), array(0.5))):
        for name in ("add", "less", "floor_divide"):
            check(name, one, two)
        deep = one.repeat(2)
        check("add", deep, two)
        check("less", two, deep)
    other = sizes.copy()
    other[5] += 1
    longer = aj.JaggedArray(aj.JaggedShape(N_ROWS, other), pa.nulls(other.sum(), type))
    with pytest.raises(aj.errors.ShapeError, match="row 5 has"):
        operator.add(array(1e-3), longer)


@pytest.mark.parametrize("operation", [operator.add, operator.mod, lambda one, two: aj.where(one > two, one, two)])
def test_operands_that_are_copied_run_by_run_come_in_parts_of_a_block(operation, monkeypatch):
    """However small the result: a gap reads as many items as it is long, and the data is extended for parts of a block."""
    parts = []
    part = copy_runs.RunSource.part
    monkeypatch.setattr(
        copy_runs.RunSource, "part", lambda self, items, out=None: parts.append(items.stop - items.start) or part(self, items, out)
    )
    one = aj.from_sizes(np.arange(600.0), np.full(30, 20))
    two = aj.array(pa.array([None if row % 7 == 3 else one.to_list()[row] for row in range(30)], pa.large_list(pa.float64())))
    wanted = [operation(one[row : row + 1], two[row : row + 1]).to_list()[0] for row in range(30)]
    parts.clear()
    with strategy.force(LIGHT_BYTES=10**9, if_else="blocks", merge_rows="blocks"):
        assert repr(operation(one, two).to_list()) == repr(wanted)
    assert parts
    assert max(parts) <= 64


def test_flags_choose_among_values_of_any_width():
    draw = np.random.default_rng(0)
    n = 200_003
    flags = [pa.array(draw.random(n + 3) < 0.5, mask=mask).slice(3) for mask in (None, draw.random(n + 3) < 0.1)]
    for type in (pa.int8(), pa.uint16(), pa.float32(), pa.float64(), pa.date32(), pa.timestamp("ns", "UTC"), pa.time32("s")):
        whole, holes = (pa.array(draw.integers(0, 100, n + 5), mask=mask) for mask in (None, draw.random(n + 5) < 0.1))
        is_wide = pa.types.is_temporal(type) and type.bit_width == 32
        one, two = ((side.cast(pa.int32()) if is_wide else side).cast(type).slice(5) for side in (whole, holes))
        zero = pa.array([0], pa.int32() if is_wide else pa.int64()).cast(type)[0]
        for flag in flags:
            for pair in (
                (one, two),
                (two, one),
                (one[0], two),
                (two, one[0]),
                (pa.scalar(None, type), one),
                (two, zero),
                (zero, one),
            ):
                for by in ({}, {"chosen": "numpy"}):
                    with strategy.force(**by):
                        found = blockwise.choose(flag, *pair)
                    assert found is not None
                    found.validate(full=True)
                    assert found.equals(pc.if_else(flag, *pair))


@pytest.mark.parametrize("name", sorted(BY_ARROW))
def test_functions_of_pyarrow(name):
    draw = np.random.default_rng(0)
    data = draw.normal(size=200_003) * 10
    data[::1000], data[1::1000], data[2::1000] = np.nan, np.inf, -0.0
    for type in (pa.float64(), pa.float32()):
        for mask in (None, draw.random(len(data)) < 0.1):
            array = pa.array(data, mask=mask).cast(type)
            for part in (array, array[5:]):
                found = compute(name, part)
                assert found is not None
                assert same(found, pc.call_function(name, [part]))


@pytest.mark.parametrize("type", [pa.int8(), pa.int16(), pa.int32(), pa.int64()], ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_signs_of_integers_wrap_around_as_those_of_pyarrow(type, nulls):
    draw, limits = np.random.default_rng(0), np.iinfo(type.to_pandas_dtype())
    data = draw.integers(limits.min, limits.max, 200_003, limits.dtype, endpoint=True)
    data[::1000], data[1::1000] = limits.min, limits.max
    array = pa.array(data, mask=draw.random(len(data)) < 0.1 if nulls else None)
    for part in (array, array[5:]):
        x = aj.JaggedArray(aj.JaggedShape(1, len(part)), part)
        with strategy.force(function="blocks"):
            negative, absolute = -x, abs(x)
        assert negative.type == absolute.type == type
        assert negative.values.equals(pc.negate(part))
        assert absolute.values.equals(pc.abs(part))


@pytest.mark.parametrize("type", [pa.uint8(), pa.uint64()], ids=str)
def test_signs_of_unsigned_integers(type):
    x = aj.JaggedArray(aj.JaggedShape(1, 200_003), pa.array(np.arange(200_003) % 251, type, mask=np.arange(200_003) % 7 == 0))
    wanted = np.negative(x.values.fill_null(0).to_numpy())
    assert (-x).fill_null(0).values.to_numpy().tolist() == np.where(np.arange(200_003) % 7 == 0, 0, wanted).tolist()
    assert abs(x).equals(x)


def test_ufuncs_and_operators_of_one_operand():
    data = np.linspace(-5, 5, 200_003)
    x = aj.JaggedArray(aj.JaggedShape(1, len(data)), pa.array(data))
    for ufunc in (np.exp, np.tanh, np.isfinite, np.negative, np.abs, np.sqrt):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(ufunc(x).values.to_numpy(zero_copy_only=False), ufunc(data))
    with pytest.raises(aj.errors.JagTypeError, match="gcd has no kernel for double"):
        np.gcd(x, x)
    data = np.arange(5000) % 7 == 0
    for flags in (pa.array(data), pa.array(data).slice(3)):
        for ufunc in (np.isfinite, np.logical_not, np.exp):
            found = blockwise.map_values(ufunc, flags)
            assert found is not None
            np.testing.assert_array_equal(found.to_numpy(zero_copy_only=False), ufunc(flags.to_numpy(zero_copy_only=False)))
    halves = np.frompyfunc(lambda one: one / 2, 1, 1)
    assert blockwise.map_values(halves, x.values) is None
    assert x.is_nan().sum(axis=None).as_py() == 0


def test_a_shape_that_does_not_fit_is_refused():
    x = aj.JaggedArray(rows(1), pa.nulls(rows(1).size, pa.int64()))
    with pytest.raises(aj.errors.ShapeError, match="is not a prefix of"):
        operator.add(x, aj.array(list(range(7))))
    assert math.isnan((x.cast(pa.float64()).fill_null(math.nan) + 1).values[0].as_py())


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("type", [one for one in NUMBERS if pa.types.is_integer(one)], ids=str)
def test_bits_of_integers_take_numpys_functions(type, nulls, monkeypatch):
    """Arrow visits each item, at ten to forty times the cost."""
    draw = np.random.default_rng(1)
    bits = np.dtype(type.to_pandas_dtype())
    items = [draw.integers(np.iinfo(bits).min, np.iinfo(bits).max, 5000, bits, endpoint=True) for _ in range(2)]
    lacks = [draw.random(5000) < 0.2 if nulls else np.zeros(5000, bool) for _ in range(2)]
    x, y = (aj.from_sizes(pa.array(data, mask=lack), [3000, 0, 2000]) for data, lack in zip(items, lacks, strict=True))
    calls = [operator.and_, operator.or_, operator.xor, lambda one, _: ~one]
    if type.bit_width > 8:  # numpy shifts bytes one by one
        calls += [lambda one, _: one << 3, lambda one, _: one >> 2]
    with strategy.force(arithmetic="whole", function="whole"):
        wanted = [call(x, y) for call in calls]
    called = []
    for name in ("bit_wise_and", "bit_wise_or", "bit_wise_xor", "bit_wise_not", "shift_left", "shift_right"):
        monkeypatch.setattr(pc, name, called.append)
    monkeypatch.setattr(pc, "call_function", lambda name, *_: called.append(name))
    for call, expected in zip(calls, wanted, strict=True):
        found = call(x, y)
        assert found.values.type == type
        assert found.equals(expected)
    assert called == []


@pytest.mark.parametrize("number", [0, 7, 8, 63, 200])
def test_shifts_by_more_bits_than_there_are_give_numpys_zeros(number):
    data = np.arange(5000, dtype=np.uint8)
    found = aj.from_sizes(pa.array(data), [5000]) << number
    assert found.values.to_numpy().tolist() == np.left_shift(data, np.uint8(number)).tolist()


def test_functions_that_keep_integers_keep_their_type():
    data = np.arange(-100, 100).astype(np.int8).repeat(30)
    x = aj.from_sizes(pa.array(data, mask=data == 7), [len(data)])
    for ufunc in (np.floor, np.ceil, np.sign, np.square, np.invert):
        found = ufunc(x).values
        wanted = ufunc(data)  # older numpy rounds integers to floats
        assert found.type == pa.from_numpy_dtype(wanted.dtype)
        assert found.to_pylist() == [None if item == 7 else one for item, one in zip(data, wanted, strict=True)]


TIMES = [pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("ms"), pa.timestamp("us", "UTC"), pa.duration("s")]


def times(type: pa.DataType, counts: np.ndarray, lack: np.ndarray) -> aj.JaggedArray:
    counts = counts * (86_400_000 if pa.types.is_date64(type) else 1)
    return aj.from_sizes(pa.array(counts.astype(f"i{type.bit_width // 8}"), mask=lack).view(type), [3, 0, len(counts) - 3])


@pytest.mark.parametrize("type", TIMES, ids=str)
@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_times_are_compared_as_integers(name, type):
    draw = np.random.default_rng(2)
    x, y = (times(type, draw.integers(0, 4, 300), draw.random(300) < 0.1) for _ in range(2))
    row = aj.array(x.values[:3])
    for other in (y, row, *x.values.drop_null()[5:7]):
        found = blockwise.binary(name, [x, other])
        assert found is not None
        assert same(to_arrow(found), to_arrow(apply(BINARY[name], [x, other], name)))


@pytest.mark.parametrize("name", ["equal", "less", "greater_equal"])
def test_times_of_other_units_are_compared_with_their_exact_value(name):
    counts, none = np.arange(-5, 5) * 10**6, np.zeros(10, bool)
    pairs = [
        (pa.duration("ms"), pa.duration("us"), 10**3),
        (pa.timestamp("s"), pa.timestamp("ns"), 10**9),
        (pa.time32("ms"), pa.time64("us"), 10**3),
    ]
    for type, other, ratio in pairs:
        x = times(type, abs(counts) if pa.types.is_time(type) else counts, none)
        for count in (2 * 10**9, 2 * 10**9 + 1, 0, 10**3 * (2**31 + 5)):
            scalar = pa.array([count]).view(other)[0]
            found = blockwise.binary(name, [x, scalar])
            is_too_long = pa.types.is_time(type) and count // ratio >= 2**31
            assert (found is None) == bool(count % ratio or is_too_long)
            expected = apply(BINARY[name], [x, scalar], name)
            assert found is None or same(to_arrow(found), to_arrow(expected))


def test_times_without_a_common_order_are_left_to_their_rules():
    none = np.zeros(10, bool)
    zoned, wall, date = (times(type, np.arange(10), none) for type in (pa.timestamp("us", "UTC"), pa.timestamp("us"), pa.date32()))
    pairs = [
        (zoned, wall),
        (wall, date),
        (wall, wall.cast("timestamp[ns]")),
        (wall, pa.scalar(None, wall.type)),
        (date, pa.scalar(3)),
    ]
    for one, two in pairs:
        assert blockwise.binary("less", [one, two]) is None
        assert blockwise.binary("less", [two, one]) is None
    other = zoned.cast(pa.timestamp("us", "Asia/Tokyo"))
    assert (zoned == other).all(axis=None).as_py()


@pytest.mark.parametrize("number", [3, 0, -2, 2.5, float("nan")])
@pytest.mark.parametrize("nulls", [False, True])
def test_booleans_and_a_number_take_two_results(number, nulls, monkeypatch):
    draw = np.random.default_rng(4)
    n = 20_000
    flags = aj.from_sizes(pa.array(draw.random(n) < 0.5, mask=draw.random(n) < 0.1 if nulls else None), [7, 0, n - 7])
    calls = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow]
    for call in calls:
        for is_left in (True, False):
            if call is operator.pow and number == -2:
                continue

            def result(x, call=call, is_left=is_left):
                return call(x, number) if is_left else call(number, x)

            few = {bool(item): result(aj.array([item])) for item in (False, True)}
            found, by_rows = result(flags), [result(aj.array([[item]] * 1000)) for item in (False, True)]
            for item in (False, True):
                wanted = pa.concat_arrays([few[item].values] * 1000)
                assert found.values.type == wanted.type
                assert same(by_rows[item].values, wanted)
                assert same(found.values.filter(pc.equal(flags.values, item)).slice(0, 1000), wanted)
            assert found.values.is_null().equals(pc.or_(flags.values.is_null(), found.values.is_null()))
            assert not nulls or found.values.null_count >= flags.values.null_count


def test_booleans_without_the_refused_item_are_raised_to_negative_powers():
    ones = aj.from_sizes(pa.array([True] * 20_000), [20_000])
    with pytest.raises(aj.errors.JagValueError, match="an integer to a negative integer power"):
        ones**-2
    nulls = aj.from_sizes(pa.nulls(20_000, pa.bool_()), [20_000])
    assert (nulls**-2).values.null_count == 20_000
    assert (1 // ones).values.null_count == 0
    assert (1 // aj.from_sizes(pa.array([False] * 20_000), [20_000])).values.null_count == 20_000


@pytest.mark.parametrize("n_items", [10, 1000])
def test_many_numbers_of_short_rows_are_computed_on_all_cores(n_items):
    x = aj.from_sizes(np.arange(30_000.0), [n_items] * (30_000 // n_items))
    n_rows, tasks = 30_000 // n_items, []
    weights, sizes = np.arange(float(n_rows)), {"ARITHMETIC_VALUES": 20_000, "PASS_VALUES": 10_000, "LIGHT_BYTES": 1 << 20}

    def times(one, two, out):
        tasks.append(len(out))
        np.multiply(one, two, out=out)

    with pytest.MonkeyPatch.context() as patch, strategy.force(**sizes):
        patch.setitem(blockwise._RULES, "multiply", blockwise._RULES["multiply"]._replace(function=times))
        found = x * weights
    assert tasks == ([10_000] * 3 if n_items == 10 else [30_000])
    assert found.values.equals(pa.array(np.arange(30_000.0) * weights.repeat(n_items)))
