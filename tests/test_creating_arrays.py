"""array, from_arrow, from_sizes, from_parents, from_offsets, arange, zeros, full and random."""

from __future__ import annotations

import array
import ctypes
import datetime as dt
import decimal
import enum
import itertools
import re
import reprlib
import uuid
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._pyarrow_versions import NO_UUID_OBJECTS
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.hosts import pd, pl

SIZES = st.lists(st.integers(0, 3), max_size=4)


@st.composite
def two_dims(draw: st.DrawFn) -> list[list[int]]:
    """Sizes of the rows of two dims."""
    outer = draw(SIZES)
    inner = draw(st.lists(st.integers(0, 3), min_size=sum(outer), max_size=sum(outer)))
    return [outer, inner]


def nested(values: list[Any], sizes: list[list[int]]) -> Any:
    return ref.from_shape(values, [[len(sizes[0])], *sizes])


@given(two_dims())
def test_sizes_offsets_and_parents_make_the_same_array(sizes: list[list[int]]) -> None:
    values = list(range(sum(sizes[1])))
    flat = pa.array(values, pa.int64())
    expected = nested(values, sizes)
    assert aj.from_sizes(flat, *sizes).to_list() == expected
    assert aj.from_offsets(flat, *([0, *itertools.accumulate(one)] for one in sizes)).to_list() == expected
    parents = [row for row, size in enumerate(sizes[1]) for _ in range(size)]
    assert aj.from_parents(flat, parents, len(sizes[1])).to_list() == ref.from_shape(values, [[len(sizes[1])], sizes[1]])


@given(two_dims())
def test_made_of_a_shape(sizes: list[list[int]]) -> None:
    shape = aj.JaggedShape(len(sizes[0]), *sizes)
    n = sum(sizes[1])
    assert aj.arange(shape, start=3).to_list() == nested([*range(3, n + 3)], sizes)
    assert aj.zeros(shape).to_list() == nested([0.0] * n, sizes)
    assert aj.full(shape, "a").to_list() == nested(["a"] * n, sizes)
    numbers = aj.random(shape, seed=1)
    assert ref.random(numbers.to_list(), 3)
    assert numbers.shape == shape
    assert numbers.equals(aj.random(shape, seed=1))


@given(jagged_arrays(st.integers(1, 3)))
def test_data_round_trips(x: aj.JaggedArray) -> None:
    expected = ref.itself(x.to_list())
    assert_lists_equal(aj.from_arrow(x.to_arrow()).to_list(), expected, rel_tol=0, abs_tol=0)
    assert_lists_equal(array_of(expected, x.type, x.ndim).to_list(), expected, rel_tol=0, abs_tol=0)


@given(jagged_arrays(1))
def test_full_of_any_leaf(one: aj.JaggedArray) -> None:
    value = one.values[0] if len(one.values) else None
    x = aj.full((3, [2, 0, 1]), value)
    expected = next(iter(one.to_list()), None)
    assert_lists_equal(x.to_list(), [[expected] * 2, [], [expected]])
    assert value is None or x.type == one.type


@pytest.mark.parametrize("type", [pa.string_view(), pa.binary_view(), pa.uuid(), pa.json_(), pa.bool8()], ids=str)
def test_runs_of_any_type(type: pa.DataType) -> None:
    storage = getattr(type, "storage_type", type)
    known = {pa.int8(): [1, None, 0], pa.string_view(): ["a", None, "b" * 20], pa.string(): ["1", None, "2"]}
    values = pa.array(known.get(storage, [b"a" * 16, None, b"b" * 16]), storage)
    values = values if storage == type else pa.ExtensionArray.from_storage(type, values)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 3, 6], pa.int32()), values)
    expected = [values[place].as_py() for place in (0, 1, 1, 2, 2, 2)]
    assert aj.array(runs).to_list() == expected
    assert aj.array(runs[1:5]).to_list() == expected[1:5]
    assert aj.array(runs).type == type
    words = pa.array(["x", None, "y"]).dictionary_encode()
    assert aj.array(pa.RunEndEncodedArray.from_arrays(pa.array([1, 3, 6]), words)).to_list() == ["x", None, None, "y", "y", "y"]
    texts = pa.StructArray.from_arrays(
        [pa.array(["a", "b", None], pa.string_view())], ["field"], mask=pa.array([False, True, False])
    )
    inside = aj.array(pa.RunEndEncodedArray.from_arrays(pa.array([1, 3, 6]), texts)).to_list()
    assert inside == [{"field": "a"}, None, None, *[{"field": None}] * 3]


def test_zeros_of_a_type() -> None:
    for type in (pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal32(5, 2), pa.decimal256(60, 1)):
        x = aj.zeros(2, [1, 2], type=type)
        assert x.type == type
        assert x.to_list() == [[0], [0, 0]]
    assert aj.zeros(2, type="bool").to_list() == [False, False]
    assert aj.zeros(1, type="duration[s]").to_list() == [dt.timedelta(0)]
    assert aj.zeros(1, type="timestamp[us, tz=UTC]").to_list() == [dt.datetime(1970, 1, 1, tzinfo=dt.UTC)]
    for type in (pa.string(), pa.list_(pa.int8()), pa.uuid(), pa.month_day_nano_interval()):
        with pytest.raises(aj.JagTypeError, match=r"has no zero; use aj\.full"):
            aj.zeros(2, type=type)


CONSTANTS = {
    "zeros": aj.zeros,
    "one row": lambda n: aj.zeros(1, n),
    "nulls": lambda n: aj.full(n, None),
    "rows of nulls": lambda n: aj.full((1, n), None),
    "text": lambda n: aj.full((2, n // 2), "a"),
    "bool": lambda n: aj.zeros(n, type="bool"),
}
READING: dict[str, Any] = {
    "==": lambda x: x == x[:],
    "~": lambda x: ~(x.is_null()),
    "x[::-1]": lambda x: x[::-1] if x.ndim == 1 else x[:, ::-1],
    "to_list": lambda x: x.to_list(),
    "to_arrow": lambda x: x.to_arrow(),
    "to_polars": lambda x: x.to_polars(),
    "equals": lambda x: x.equals(x),
    "count": lambda x: x.count(),
    "sort": lambda x: x.sort(),
    "rank": lambda x: x.rank(),
    "values": lambda x: x.values,
    "pad": lambda x: x.pad(3),
    "tile": lambda x: x.tile(aj.JaggedShape(2)) if x.ndim == 1 else x.tile(2),
}


@pytest.mark.parametrize("operation", READING.values(), ids=READING)
@pytest.mark.parametrize("make", CONSTANTS.values(), ids=CONSTANTS)
def test_more_items_than_the_machine_has_memory_for(make: Any, operation: Any) -> None:
    with pytest.raises(aj.JagMemoryError, match="GB; this process may use"):
        operation(make(2**46))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(
    ("leaf", "item"),
    [
        (pa.date32(), dt.date(2026, 1, 2)),
        (pa.time64("us"), dt.time(1, 2)),
        (pa.timestamp("us", "UTC"), dt.datetime(2026, 1, 2, tzinfo=dt.UTC)),
        (pa.duration("us"), dt.timedelta(1)),
        (pa.decimal64(6, 2), decimal.Decimal("1.50")),
        (pa.decimal128(6, 2), decimal.Decimal("1.50")),
    ],
    ids=str,
)
def test_dictionaries_of_times_and_decimals(leaf: pa.DataType, item: object, ordered: bool) -> None:
    type = pa.dictionary(pa.int8(), leaf, ordered)
    x = aj.array([[item, None], None, [item]], type=type)
    assert (x.type, x.to_list()) == (type, [[item, None], None, [item]])
    assert aj.array([item], type=type).to_list() == [item]
    with pytest.raises(aj.JagValueError, match=re.escape(f"the item 'x' at [1] does not fit the leaf type {leaf}.")):
        aj.array([None, "x"], type=type)


NEW_YEAR = dt.datetime.fromisoformat("2020-01-01")


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times_of_numpy_in_any_unit(kind: str, unit: str) -> None:
    if kind == "m8" and unit in "YM":
        with pytest.raises(JagTypeError, match=r"no type for numpy data of dtype timedelta64\["):
            aj.array(np.array([1], f"m8[{unit}]"))
        return
    times = np.array(["2020-01-01", "NaT"] if kind == "M8" else [1000, "NaT"], f"{kind}[{unit}]")
    first = times[0].astype("M8[us]" if kind == "M8" else "m8[us]").item()
    flat = aj.array(times)
    if kind == "M8" and unit in "YMWD":
        assert flat.type == pa.date32()
        first = first.date()
    else:
        assert flat.type.unit == (unit if unit in ("s", "ms", "us", "ns") else "s")
    assert flat.to_list() == [first, None]
    for nested in ([list(times), None], [[times[0], None], None], [times, None]):
        x = aj.array(nested)
        assert (x.type, x.to_list()) == (flat.type, [[first, None], None])
    assert aj.array([[times[0], np.datetime64("NaT") if kind == "M8" else np.timedelta64("NaT")]]).to_list() == [[first, None]]


@pytest.mark.parametrize("dtype", ["S3", "U3", ">U3"])
def test_texts_of_numpy_that_hold_nul_are_whole(dtype: str) -> None:
    """pyarrow would end each of them at its first NUL."""
    texts = np.array(["x", "a\0b", "\0c", ""], "U3").astype(dtype)
    items = texts.tolist()
    assert aj.array(texts).to_list() == items
    assert aj.array(texts[::-1].reshape(2, 2)).to_list() == [items[:1:-1], items[1::-1]]
    assert aj.array(np.ma.array(texts, mask=[0, 1, 0, 0])).to_list() == [items[0], None, *items[2:]]
    assert aj.array(np.array([(texts[1], 1)], [("text", dtype), ("n", "i4")])).to_list() == [{"text": items[1], "n": 1}]
    assert aj.from_sizes(texts, [2, 2]).is_in(texts[:1]).to_list() == [[True, False], [False, False]]
    assert aj.array(texts[:0]).type == aj.array(texts).type
    assert aj.array(np.zeros(2, [("text", dtype[:-1] + "0")])["text"]).to_list() == [items[3]] * 2


def test_times_of_numpy_in_several_units() -> None:
    x = aj.array([[np.datetime64("2020-01-01T00", "h")], [np.datetime64("2020-01-01T00:00:00.001", "ms")]])
    assert x.type == pa.timestamp("ms")
    assert x.to_list() == [[NEW_YEAR], [NEW_YEAR + dt.timedelta(milliseconds=1)]]
    assert aj.array([[dt.timedelta(1), np.timedelta64(1, "D")]]).to_list() == [[dt.timedelta(1), dt.timedelta(1)]]
    assert aj.array([[np.datetime64("2020-01-01")], []], type="timestamp[us]", ndim=2).to_list() == [[NEW_YEAR], []]


def test_nanoseconds_of_numpy_beside_datetimes() -> None:
    pytest.importorskip("pandas")
    fine = np.array(["2020-01-01T00:00:00.000000001"], "M8[ns]")
    for row in (fine, list(fine)):
        x = aj.array([[NEW_YEAR], row])
        assert x.type == pa.timestamp("ns")
        assert x.values.cast(pa.int64()).to_pylist() == [1577836800000000000, 1577836800000000001]


def test_days_beyond_the_dates_of_arrow() -> None:
    for days in (np.array([2**40], "M8[D]"), [[np.datetime64(2**40, "D")]], [np.array([2**40], "M8[D]")]):
        with pytest.raises(JagValueError, match=r"the time 3010362559-12-15 does not fit date32\[day\]"):
            aj.array(days)


def test_datetimes_among_dates_are_not_truncated() -> None:
    for data in (
        [[NEW_YEAR + dt.timedelta(hours=5)], [dt.date(2020, 1, 2)]],
        [dt.date(2020, 1, 2), NEW_YEAR + dt.timedelta(hours=5)],
    ):
        with pytest.raises(JagValueError, match=r"the item datetime\.date\(2020, 1, 2\) at .* does not fit .* timestamp\[us\]"):
            aj.array(data)
        with pytest.raises(JagValueError, match=r"does not fit the leaf type date32\[day\], and would be truncated"):
            aj.array(data, type="date32")
    assert aj.array([[NEW_YEAR, dt.date(2020, 1, 2)]], type="date32").to_list() == [[dt.date(2020, 1, 1), dt.date(2020, 1, 2)]]


@pytest.mark.parametrize("data", [pa.array([1]), pa.array([[1], None]), pa.chunked_array([[[1]]]), aj.array([[1]]).to_arrow()])
def test_arrow_data_has_rows(data: Any) -> None:
    for make in (aj.from_arrow, aj.array):
        with pytest.raises(ShapeError, match=r"ndim=0 needs a scalar"):
            make(data, ndim=0)


@pytest.mark.parametrize(
    ("item", "type"),
    [
        (NEW_YEAR + dt.timedelta(microseconds=5), "timestamp[s]"),
        (dt.timedelta(microseconds=5), "duration[ms]"),
        (dt.time(1, 1, 1, 5), "time32[s]"),
    ],
)
def test_times_that_a_type_would_truncate(item: Any, type: str) -> None:
    for data in ([[item], None], item):
        with pytest.raises(JagValueError, match="which is not a valid"):
            aj.array(data, type=type)
    whole = item.replace(microsecond=0) if hasattr(item, "microsecond") else dt.timedelta(seconds=5)
    x = aj.array([[whole, None], None], type=type)
    assert (str(x.type), x.to_list()) == (type, [[whole, None], None])


@pytest.mark.parametrize("number", [2.75, decimal.Decimal("2.75"), np.float32(2.75)], ids=repr)
def test_numbers_that_a_type_would_truncate(number: Any) -> None:
    """pyarrow truncates decimals in lists, and all numbers with a fraction in fields and maps, to integers and counts of a unit."""
    whole, fields = type(number)(2), pa.struct([("n", pa.int64()), ("t", pa.list_(pa.int8()))])
    cases: list[tuple[Any, Any, pa.DataType, Any]] = [
        ([number], [whole, None], pa.int64(), [2, None]),
        ([number, 1], [whole, 1], pa.uint8(), [2, 1]),
        ([number, 1.5 if isinstance(number, decimal.Decimal) else decimal.Decimal(1)], [whole, 1], pa.int16(), [2, 1]),
        ([number], [whole], pa.dictionary(pa.int8(), pa.int64()), [2]),
        ([{"n": number}], [{"n": whole}, {}, None], fields, [{"n": 2, "t": None}, {"n": None, "t": None}, None]),
        ([{"n": 1, "t": [number]}], [{"t": [None, whole]}], fields, [{"n": None, "t": [None, 2]}]),
        ([{"n": number, "t": None}, {"n": "a"}], [{"n": 1, "t": [whole]}], fields, [{"n": 1, "t": [2]}]),
        ([[("k", number)]], [[("k", whole)]], pa.map_(pa.string(), pa.int64()), [[("k", 2)]]),
        ([{"k": number}], [{"k": 1}], pa.map_(pa.string(), pa.int64()), [[("k", 1)]]),
        ([number], [dt.datetime(1970, 1, 1)], pa.timestamp("s"), [dt.datetime(1970, 1, 1)]),  # noqa: DTZ001
    ]
    for cut, exact, leaf, expected in cases:
        for row in (cut, [None, *cut]):
            with pytest.raises((JagValueError, JagTypeError), match=r"truncat|which is not a valid|decimal.* can't be cast to"):
                aj.array([[], row], type=leaf, ndim=2)
        assert aj.array([exact, None], type=leaf, ndim=2).to_list() == [expected, None]
        assert aj.array(exact, type=leaf, ndim=1).to_list() == expected


@pytest.mark.parametrize("type", [pa.float64(), pa.float32(), pa.float16()], ids=str)
def test_decimals_are_read_as_floats(type: pa.DataType) -> None:
    """pyarrow converts no decimals of Python to floats; databases return lists of them."""
    numbers = ["0.1", "-2.675", "12", "0.00390625"]
    items, floats = [*map(decimal.Decimal, numbers), None], [*map(float, map(type.to_pandas_dtype(), numbers)), None]
    in_fields, found = ([[{"a": one} for one in each], None] for each in (items, floats))
    for ndim in (None, 2):
        assert aj.array([items, [], None], type=type, ndim=ndim).to_list() == [floats, [], None]
        assert aj.array(in_fields, type=pa.struct([("a", type)]), ndim=ndim).to_list() == found
    assert aj.array(items, type=type).to_list() == floats


@pytest.mark.parametrize("type", ["bool", "string", "binary", pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_lists_of_numbers_become_neither_booleans_nor_text(type: Any) -> None:
    """Floats became text and booleans, integers were refused."""
    for items in ([1.5, None], [float("nan")], [2], [decimal.Decimal(1)], [np.float32(1)], [np.array([0.5])]):
        for data in (items, [[], items]):
            with pytest.raises(JagValueError, match=r"the item .* at \[.*\] does not fit the leaf type (bool|string|binary|dict)"):
                aj.array(data, type=type, ndim=None if isinstance(items[0], np.ndarray) else 1 + (data is not items))
    assert aj.array([[], [None]], type=type).to_list() == [[], [None]]


def test_datetimes_with_and_without_a_zone_do_not_mix() -> None:
    aware = NEW_YEAR.replace(tzinfo=dt.UTC)
    for data in ([[NEW_YEAR], [aware]], [aware, None, NEW_YEAR]):
        with pytest.raises(JagValueError, match=r"mixes datetimes with and without a zone: .* has no zone, .* has one"):
            aj.array(data)
    assert aj.array([[NEW_YEAR], [aware]], type="timestamp[us, tz=UTC]").to_list() == [[aware], [aware]]


@pytest.mark.parametrize(
    "data",
    [
        [np.datetime64("2024-01-01"), np.int8(1)],
        [dt.date(2024, 1, 1), np.int8(1)],
        [1, np.datetime64("2024-01-01"), np.int8(1)],
        [[], [None, np.datetime64("2024-01-01")], [np.bool_(True)]],
        [np.array([], "M8[s]"), np.array([1.0], np.float32)],
        [{"a": np.datetime64("2024-01-01")}, {"a": np.int64(1)}],
        [{"a": {"b": [np.datetime64("2024-01-01")]}}, {"a": {"b": [np.int64(1)]}}],
        np.array([np.datetime64("2024-01-01"), np.int8(1)], object),
        [1] * 20 + [np.datetime64("2024-01-01"), np.int8(1)],
        [None] * 20 + [np.array(["2024-01-01"], "M8[s]"), np.array([1])],
        [[], None, [[1] * 20], [[np.datetime64("2024-01-01")]], [[np.float32(1)]]],
        [{"a": 1}] * 20 + [{"b": [{"c": np.datetime64("2024-01-01")}]}, {"b": [{"c": np.int8(1)}]}],
        [{"a": np.bool_(True), "b": np.datetime64("2024-01-01")}, {"b": np.int8(1)}],
        [np.bool_(True), [np.array([np.datetime64("2024-01-01")], object), [np.int8(1), []]]],
        [[1, {np.datetime64("2024-01-01")}, np.array(3)]],
        [np.bool_(True), {np.datetime64("2024-01-01"), np.int8(1)}],
        [{"a": np.datetime64("2024-01-01")}.values(), [np.int8(1)]],
    ],
)
def test_dates_of_numpy_beside_its_numbers_raise(data: Any) -> None:
    """pyarrow's inference of the type ends the process."""
    with pytest.raises(aj.errors.JagError, match=r"(mixes nesting levels or types: |mixes times and numbers|Cannot mix NumPy)"):
        aj.array(data)


@pytest.mark.parametrize(
    "data",
    [[dt.date(2024, 1, 1), 1], [[dt.datetime.fromisoformat("2024-01-01"), decimal.Decimal(1)]], [dt.time(1), 1.5]],
)
def test_numbers_beside_times_raise(data: Any) -> None:
    """pyarrow takes them for counts of days, or of other units."""
    with pytest.raises(JagValueError, match=r"mixes times and numbers: datetime\..* is a time, .*1(\.5)?.* is none"):
        aj.array(data)


def test_fields_of_dates_and_datetimes_raise() -> None:
    with pytest.raises(
        JagValueError, match=r"datetime\.date.* at \[0\]\[0\] does not fit the leaf type struct<a: list<item: timestamp"
    ):
        aj.array([[{"a": [dt.date(2024, 1, 1)]}], [{"a": [dt.datetime.fromisoformat("2024-01-01T05")]}]])
    with pytest.raises(JagValueError, match="mixes datetimes with and without a zone"):
        aj.array([{"a": dt.datetime.fromisoformat("2024-01-01")}, {"a": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)}])


def test_fields_keep_nanoseconds_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    made = aj.array([{"a": [pd.Timestamp(1)], "b": pd.Timedelta(1)}, None, {"a": None}])
    assert made.type == pa.struct({"a": pa.list_(pa.timestamp("ns")), "b": pa.duration("ns")})
    assert made.to_list() == [{"a": [pd.Timestamp(1)], "b": pd.Timedelta(1)}, None, {"a": None, "b": None}]


def test_dates_of_numpy_and_its_numbers_in_two_fields() -> None:
    made = aj.array([{"t": np.datetime64("2024-01-01", "s"), "n": np.int8(1)}, None])
    assert made.to_list() == [{"t": dt.datetime.fromisoformat("2024-01-01"), "n": 1}, None]


def test_arrays_without_dims_inside_lists_are_items() -> None:
    assert aj.array([np.array(3), None]).to_list() == [3, None]
    assert aj.array([[np.array(3.5)], [np.array(1), np.array(None, object)], None]).to_list() == [[3.5], [1.0, None], None]
    assert aj.array([[np.array("2024-01-01", "M8[s]")]]).to_list() == [[dt.datetime.fromisoformat("2024-01-01")]]
    with pytest.raises(ShapeError, match=r"mixes nesting levels or types|does not fit"):
        aj.array([np.array(3), [1]])


MASKED_TYPES = ["bool", "int8", "uint64", "float16", "float32", "float64", "M8[s]", "M8[ns]", "M8[D]", "m8[us]", "U3", "S2"]


@pytest.mark.parametrize("dtype", MASKED_TYPES)
def test_masked_items_of_arrays_in_lists_are_null(dtype: str) -> None:
    row = np.ma.array(np.array([1, 0, 2]).astype(dtype), mask=[0, 1, 0])
    plain = np.ma.getdata(row)
    expected = aj.array([plain, plain[:0], None])
    expected = aj.where(aj.array([[True, False, True], [], None]), expected, None)
    for rows in ([row, row[:0], None], (row, row[:0], None), iter([row, row[:0], None])):
        assert aj.array(rows).equals(expected)
    objects = np.empty(3, object)
    objects[:2] = row, row[:0]
    for read in (aj.array, aj.interop.numpy.from_numpy):
        assert read(objects).equals(expected)
        assert read(objects).type == expected.type
    tables = objects.copy()
    tables[:2] = plain.reshape(1, 3), row.reshape(3, 1)
    for read in (aj.array, aj.interop.numpy.from_numpy):
        assert read(tables).equals(aj.array([[plain], [row[:1], row[1:2], row[2:]], None]))
    assert aj.array([[plain[0:1].reshape(())]]).equals(aj.array([plain[:1]]))
    assert aj.array([[row, [plain[0]]], [plain]])[0, 0].is_null().to_list() == [False, True, False]


def test_masks_at_any_depth() -> None:
    row = np.ma.masked_greater(np.array([1, 3], "float32"), 2)
    table = np.ma.array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]])
    cases: list[tuple[Any, Any, str]] = [
        ([[row, row], [row]], [[[1, None], [1, None]], [[1, None]]], "float"),
        ([table, None], [[[None, 2], [3, 4]], None], "int64"),
        ([{"a": row, "b": 1}, {"a": row, "b": np.ma.masked}], [{"a": [1, None], "b": 1}, {"a": [1, None], "b": None}], ""),
        ([{"a": {"b": [row]}}], [{"a": {"b": [[1, None]]}}], ""),
        ([None, [1], [], row], [None, [1], [], [1, None]], "double"),
        ([[1, np.ma.masked], [np.ma.masked]], [[1, None], [None]], "int64"),
        ([np.ma.masked, [2]], [None, [2]], "int64"),
        ([[np.ma.array(2), np.ma.masked]], [[2, None]], "int64"),
        ([["a", np.ma.masked]], [["a", None]], "string"),
    ]
    for data, expected, type in cases:
        found = aj.array(data)
        assert found.to_list() == expected
        assert str(found.type) == type or not type
    assert aj.array([row, row], ndim=1).type == pa.list_(pa.float32())
    assert aj.array([row, None], type="int8").equals(aj.array([[1, None], None], type="int8"))


def test_masks_after_many_plain_rows() -> None:
    assert aj.array([[[1]] * 20, [np.ma.array([1, 2], mask=[0, 1])]])[1].to_list() == [[1, None]]
    assert aj.array([{"a": [1]}] * 20 + [{"a": np.ma.array([1, 2], mask=[0, 1])}]).to_list()[20] == {"a": [1, None]}


def test_times_in_arrays_of_objects_keep_their_places() -> None:
    times = np.array([np.datetime64("2020-01-01", "ns")], object)
    rows = [times, [np.datetime64("2021-01-01", "s")], [np.datetime64("2022-01-01", "ns")]]
    assert aj.array(rows).dt.year().to_list() == [[2020], [2021], [2022]]


def test_masks_do_not_change_the_type() -> None:
    for masks in ([[0, 0], [0]], [[1, 1], [0]], [[0, 0], [1]], [[1, 1], [1]]):
        rows = [np.ma.array(np.array([1, 2], "float32"), mask=masks[0]), np.ma.array(np.array([3], "int8"), mask=masks[1])]
        assert aj.array(rows).type == pa.float32()
        assert aj.array(rows).count().to_list() == [2 - sum(masks[0]), 1 - masks[1][0]]


def test_arrays_without_dims_in_lists_are_scalars() -> None:
    assert aj.array([[np.array(2.5)], None]).equals(aj.array([[2.5], None]))
    assert aj.array([[1, np.array(2)]], type="int32").equals(aj.array([[1, 2]], type="int32"))
    assert aj.array([{"a": np.array(2)}]).equals(aj.array([{"a": 2}]))


def test_objects_inside_of_dicts_are_converted() -> None:
    found = aj.array([{"a": range(2), "b": np.ones((1, 2))}, {"a": pa.array([3]), "b": None}])
    assert found.to_list() == [{"a": [0, 1], "b": [[1.0, 1.0]]}, {"a": [3], "b": None}]


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(np.array, id="numpy"),
        pytest.param(lambda rows: np.ma.array(np.array(rows)), id="masked"),
        pytest.param(lambda rows: rows, id="lists"),
        pytest.param(lambda rows: pa.chunked_array([pa.array(rows)]), id="arrow"),
        pytest.param(lambda rows: aj.array(np.array(rows)), id="jagged"),
        pytest.param(lambda rows: aj.array(rows).to_arrow(), id="extension"),
        pytest.param(lambda rows: pd.Series([*rows]), id="pandas"),
        pytest.param(lambda rows: pl.Series([*rows]), id="polars"),
    ],
)
def test_lists_below_the_last_level_are_items(convert: Any) -> None:
    """numpy's arrays of several dims kept all of them, whatever `ndim` was."""
    rows = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    for ndim in (1, 2, 3):
        x = aj.array(convert(rows), ndim=ndim)
        assert (x.ndim, x.to_list()) == (ndim, rows)
        depth, leaf = 0, x.type
        while hasattr(leaf, "value_type"):
            depth, leaf = depth + 1, leaf.value_type
        assert (depth, leaf) == (3 - ndim, pa.int64())
        for wrong in ((ndim, pa.int8()) if ndim < 3 else (4, None), (4, pa.int8()), (0, None)):
            with pytest.raises(ShapeError, match="dim"):
                aj.array(convert(rows), ndim=wrong[0], type=wrong[1])
        assert aj.array(convert(rows), ndim=3, type="int8").type == pa.int8()
    assert aj.array(np.array(5), ndim=0).to_list() == 5
    with pytest.raises(ShapeError, match="ndim=1 needs rows, got a single int64"):
        aj.array(np.array(5), ndim=1)
    assert aj.array(np.zeros((0, 2)), ndim=1).type == pa.list_(pa.float64(), 2)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([[1, None], None, [2, [3]]], r"item at \[2\]\[1\], \[3\], is a list, but items before it at this level are not"),
        ([[[1]], [None, 2]], r"item at \[1\]\[1\], 2, is no list, but items before it at this level are lists"),
        ([None, [1], "a"], r"item at \[2\], 'a', is no list"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"ndim": 2, "type": "int64"}], ids=["inferred", "given"])
def test_mixed_levels_name_the_first_item_that_differs(data: Any, said: str, options: dict[str, Any]) -> None:
    with pytest.raises(ShapeError, match=said):
        aj.array(data, **options)


@pytest.mark.parametrize("make", [aj.zeros, aj.arange, aj.random, aj.JaggedShape])
def test_a_shape_of_numpy_is_no_first_dim(make: Any) -> None:
    with pytest.raises(ShapeError, match=r"dim 0: the pattern \(2, 3\) .* write 2, 3 without the tuple for 2 rows of 3 items"):
        make((2, 3))
    assert make((4, 1)) is not None
    assert aj.full((2, 3), 0).to_list() == [[0, 0, 0], [0, 0, 0]]


_ODD: list[Any] = [
    2,
    2.5,
    decimal.Decimal("1.5"),
    Fraction(1, 2),
    True,
    np.int8(3),
    np.float16(0.5),
    np.float32(0.5),
    np.bool_(True),
]
_ODD += [
    np.array(4),
    np.array(4.5),
    np.longdouble(1.5),
    pa.scalar(7),
    pa.scalar(decimal.Decimal("0.5")),
    pd.NA,
    2**70,
    uuid.UUID(int=5),
]


@pytest.mark.parametrize("one", _ODD, ids=repr)
def test_numbers_of_all_classes_are_read_exactly_or_refused(one: Any) -> None:
    """pyarrow truncates halves, fractions and arrays without dims beside other numbers, and makes numbers of identifiers."""

    def value(item: Any) -> Any:
        item = item.as_py() if isinstance(item, pa.Scalar) else item[()] if isinstance(item, np.ndarray) else item
        return None if item is pd.NA else item

    types = [
        None,
        pa.float64(),
        pa.int64(),
        pa.decimal128(9, 2),
        pa.duration("s"),
        pa.struct([("a", pa.int8())]),
        pa.list_(pa.int8()),
    ]
    for other, type in itertools.product(_ODD, types):
        boxed = [[{"a": item} if type == types[-2] else [item] if type == types[-1] else item for item in (one, other)], None, []]
        numbers = [value(one), value(other)]
        try:
            found = aj.array(boxed, type=type, ndim=2)
        except aj.JagError:
            found = None
        if found is None:
            assert type != pa.float64() or any(isinstance(item, uuid.UUID) for item in numbers)
            continue
        if found.type == pa.uuid():
            assert {item for item in numbers if item is not None} == {uuid.UUID(int=5)}
            continue
        items = found.values
        items = items.field(0) if type == types[-2] else items.values if type == types[-1] else items
        got = items.cast(pa.int64()).to_pylist() if type == types[4] else items.to_pylist()
        assert [None if item is None else float(item) for item in numbers] == [
            None if item is None else float(item) for item in got
        ]


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    "item",
    [1j, Fraction(1, 2), Path("a"), Colour.RED, object(), pd.Interval(0, 1)],
    ids=["complex", "fraction", "path", "enum", "object", "interval"],
)
def test_objects_without_a_type_are_named_with_their_place(item: Any) -> None:
    for data, place in (([[None, 1], [item]], r"\[1\]\[0\]"), ([None, [{"a": [1, item]}]], r"\[1\]\[0\]\['a'\]\[1\]")):
        with pytest.raises(
            aj.JagTypeError, match=rf"^array: the item {re.escape(reprlib.repr(item))} at {place} has no Arrow type"
        ):
            aj.array(data)
    with pytest.raises(aj.JagError, match=r"^array: the item .* does not fit the leaf type int64"):
        aj.array([[None, item]], type=pa.int64())


ZONED = dt.time(1, tzinfo=dt.UTC)


@pytest.mark.parametrize("data", [ZONED, [None, ZONED], [[dt.time(1)], [ZONED]], [[{"a": ZONED}]], [[{"a": [ZONED]}], []]])
def test_times_of_day_with_a_zone_are_refused(data: Any) -> None:
    """pyarrow drops the zone, so that 01:00 in one zone would equal 01:00 in another."""
    times = aj.array([[dt.time(1), None]])
    item = {"a": ZONED} if "a" in repr(data) and "{" in repr(data) else ZONED
    calls: list[Callable[[], Any]] = [
        lambda: aj.array(data),
        lambda: aj.full(2, item),
        lambda: times.map_rows(lambda _: item),
        lambda: times == ZONED,
        lambda: times.fill_null(ZONED),
        lambda: times.is_in([ZONED]),
    ]
    for call in calls:
        with pytest.raises(JagValueError, match=r"the time of day .*utc.* has a zone, which no Arrow type holds"):
            call()


@pytest.mark.parametrize("text", ["NaN", "sNaN", "Infinity", "-Infinity"])
def test_decimals_that_are_no_numbers_are_refused(text: str) -> None:
    """pyarrow says that a str is no integer, or that a precision is out of range."""
    value = decimal.Decimal(text)
    x = aj.array([[decimal.Decimal("1.5"), None]])
    calls: list[Callable[[], Any]] = [
        lambda: aj.array(value),
        lambda: x + value,
        lambda: x < value,
        lambda: x.cast("float64") * value,
        lambda: x.fill_null(value),
        lambda: x.clip(value),
    ]
    for call in calls:
        with pytest.raises(JagValueError, match=rf"no Arrow type holds Decimal\('{text}'\); pass a float"):
            call()
    with pytest.raises(aj.JagError, match=rf"the item Decimal\('{text}'\) at \[1\]\[0\] has no Arrow type"):
        aj.array([[], [value]])


@pytest.mark.parametrize(
    ("item", "values"), [("a", pa.string_view()), (b"a", pa.binary_view()), (1.5, pa.float16()), (b"a", pa.binary(1))], ids=str
)
def test_categories_of_every_type_of_values(item: Any, values: pa.DataType) -> None:
    type = pa.dictionary(pa.int8(), values)
    for data, ndim in (([[item, None, item], None, []], 2), ([[[item], []], None], 3)):
        found = aj.array(data, type=type, ndim=ndim)
        assert (found.type, found.to_list()) == (type, data)
        assert aj.array(data, type=values, ndim=ndim).cast(type).equals(found)


def test_a_type_of_lists_or_maps_is_that_of_items_beside_ndim() -> None:
    entries, lists = pa.map_(pa.string(), pa.int64()), pa.list_(pa.int8())
    for data in ([[{"k": 1}, {}, None], None, []], [[[("k", 1)], [], None], None, []]):
        x = aj.array(data, type=entries, ndim=2)
        assert (x.type, x.shape, x.to_list()) == (
            entries,
            aj.array([[1, 1, None], None, []]).shape,
            [[[("k", 1)], [], None], None, []],
        )
        opened = aj.array(data, type=pa.list_(entries))
        assert (opened.ndim, opened["key"].to_list()) == (3, [[["k"], [], None], None, []])
        for source in (data, pa.array(data, pa.list_(entries))):
            with pytest.raises(
                (ShapeError, JagTypeError), match=r"With ndim=3, map<string, int64> is the type of the items.* leave out"
            ):
                aj.array(source, type=entries, ndim=3)
    assert aj.array([[[1]], None], type=lists, ndim=2).to_list() == [[[1]], None]
    with pytest.raises(
        ShapeError, match=r"With ndim=2, list<item: int8> is the type of the items of the last dim.* leave out ndim="
    ):
        aj.array([[1], None], type=lists, ndim=2)
    assert aj.array([[1], None], type=lists).type == pa.int8()


# ------------------------------------------------------------------------------------------------ arrays of other libraries


class Tensor:
    """An array of another library: numpy reads it, and its items are numbers of Python."""

    def __init__(self, data: Any, *, refuses: bool = False) -> None:
        self._data, self._refuses = np.asarray(data), refuses

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self._refuses:
            raise RuntimeError("it lies on another device")
        return self._data

    def __iter__(self) -> Any:
        return iter(self._data.tolist())

    def __len__(self) -> int:
        return len(self._data)


class TensorWithDims(Tensor):
    """Names its dims, as most libraries do."""

    @property
    def ndim(self) -> int:
        return self._data.ndim


DTYPES = ["?", "i1", "u2", "i8", "f2", "f4", "M8[s]", ">i4", ">f8"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_other_libraries_keep_type_and_extents(dtype: str) -> None:
    """Also inside of lists, without dims, as values of an array, and as operands of every surface."""
    flat, block = np.array([1, 0, 3]).astype("i8").astype(dtype), np.zeros((2, 3), dtype)
    like = [aj.array(one.astype(one.dtype.newbyteorder("="))) for one in (flat, block)]
    for data, expected in ((Tensor(flat), like[0]), (Tensor(block), like[1]), (Tensor(flat[:0]), like[0][:0])):
        found = aj.array(data)
        assert found.equals(expected)
        assert found.shape.extents == expected.shape.extents
    for rows in ([Tensor(flat), None, Tensor(flat[:1])], [flat, None, flat[:1]]):
        assert aj.array(rows).equals(aj.array([like[0].to_numpy(), None, like[0].to_numpy()[:1]]))
    assert aj.array(Tensor(flat[0])).equals(aj.array(like[0].values[0]))
    assert aj.from_sizes(Tensor(flat), [1, 2]).equals(aj.from_sizes(like[0].values, [1, 2]))
    assert aj.JaggedArray(aj.JaggedShape(3), Tensor(flat)).equals(like[0])
    if flat.dtype.kind in "iuf":
        x = aj.from_sizes(pa.array([1, 2, 3, 4], pa.int8()), [2, 0, 2])
        doubled = x * like[0]
        assert (x * Tensor(flat)).equals(doubled)
        single = np.asarray(flat[2])
        for made in (Tensor(single), TensorWithDims(single)):
            assert (x * made).equals(x * single)
            assert (x == made).equals(x == single)
        for value in (flat, single):
            for made in (Tensor(value), TensorWithDims(value)):
                assert x.append(made).equals(x.append(value))
                assert aj.where(x > 1, made, 0).equals(aj.where(x > 1, value, 0))
        assert x.map_rows(lambda row: row.astype(dtype)).equals(x.cast(like[0].type))
        assert aj.array(x.to_pandas().jag * Tensor(flat)).equals(doubled)
        assert aj.array(x.to_polars().jag * Tensor(flat)).equals(aj.array(doubled.to_polars()))
        chosen = aj.where(x > 1, Tensor(flat), 0)
        assert chosen.type == like[0].type  # a Python number has no type of its own
        assert chosen.equals(aj.where(x > 1, like[0], 0))


class Clock(dt.time):
    """A subclass of times of day."""


class Number:
    """No number, though it converts itself to int."""

    def __int__(self) -> int:
        return 5


def test_objects_that_only_look_like_those_of_arrow() -> None:
    for rows in ([np.array(5, object), 6], [6, np.array(5, object)], [np.array(None, object), 6]):
        wanted = [one[()] if isinstance(one, np.ndarray) else one for one in rows]
        assert aj.array(rows).to_list() == wanted
        assert aj.array([rows, None]).to_list() == [wanted, None]
    assert aj.array([[Clock(1)]]).to_list() == [[dt.time(1)]]
    with pytest.raises(JagValueError, match="has a zone, which no Arrow type holds"):
        aj.array([[Clock(1, tzinfo=dt.UTC)]])
    for type in ("float64", "float32", "int8"):
        with pytest.raises(JagValueError, match=r"the item <.*> does not fit the leaf type \w+, and would be truncated"):
            aj.array([[Number(), 1.5]], type=type)
    halves = np.array([decimal.Decimal("0.5"), 2.5], object)
    for rows in ([halves], [halves, [Fraction(1, 4)]], [[Fraction(1, 4), 1], halves]):
        assert aj.array(rows, type="float32").to_list() == [[float(one) for one in row] for row in rows]


def test_nan_of_numpy_is_a_value_however_it_is_stored() -> None:
    nan = float("nan")
    pairs = np.array([(1.5, 1), (nan, 2)], [("a", "f8"), ("b", "i4")])
    for data in (
        np.array([1.5, nan], ">f8"),
        np.array([1.5, nan], "f2"),
        np.ma.array([1.5, nan, 7], mask=[False, False, True]),
        pairs["a"],
    ):
        found = aj.array(data)
        assert_lists_equal(found.to_list(), [1.5, nan, None][: len(data)])
    assert_lists_equal(aj.array(pairs)["a"].to_list(), [1.5, nan])


def test_levels_and_places_of_what_arrow_infers_no_type_for() -> None:
    half, one = Fraction(1, 2), uuid.UUID(int=1)
    for rows, ndim in (([half], 1), ([[half], []], 2), ([[[half], []], [], None], 3), ([[[[half]], []]], 4)):
        found = aj.array(rows, type="float64")
        assert found.ndim == ndim
        assert found.values.to_pylist() == [0.5]
    for rows in () if NO_UUID_OBJECTS else ([[one, None], None, []], [[[one], None], [], [[one, one]]]):
        found = aj.array(rows, type=pa.uuid(), ndim=2 if rows[1] is None else 3)
        assert found.to_list() == rows
    for rows, place in (([1, 2**70], r"\[1\]"), ([[1], None, [2, 2**70]], r"\[2\]\[1\]")):
        for type in (None, "int64"):
            with pytest.raises(JagOverflowError, match=rf"the item {2**70} at {place} does not fit"):
                aj.array(rows, type=type)


@pytest.mark.parametrize("error", [TypeError, ValueError, RuntimeError, BufferError])
def test_libraries_refuse_by_any_error(error: type[Exception]) -> None:
    class Refusing(Tensor):
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            raise error("not here")

    for call in (lambda: aj.array(Refusing([1])), lambda: aj.array([[1]]) + Refusing([1]), lambda: aj.array([1, Refusing(1)])):
        with pytest.raises(JagTypeError, match="numpy can't read a Refusing: not here"):
            call()


@pytest.mark.parametrize("library", ["torch", "dask"])
def test_objects_of_libraries_that_are_no_tensors_are_read_as_arrays(library: str) -> None:
    """Classes of users inherit from those of the library, such as data sets."""
    base = type("Dataset", (), {"__module__": f"{library}.utils.data"})
    mine = type("Mine", (base, Tensor), {"__module__": __name__})
    x = aj.array(mine([[1, 2], [3, 4]]))
    assert (x.type, x.to_list()) == (aj.array(Tensor([[1, 2], [3, 4]])).type, [[1, 2], [3, 4]])


def test_buffers_keep_their_type() -> None:
    for data, type, rows in (
        (array.array("f", [1, 2]), pa.float32(), [1.0, 2.0]),
        (array.array("H"), pa.uint16(), []),
        (memoryview(np.ones((2, 1), "i1")), pa.int8(), [[1], [1]]),
        (memoryview(b"ab"), pa.uint8(), [97, 98]),
        ((ctypes.c_int16 * 2)(1, 2), pa.int16(), [1, 2]),
    ):
        found = aj.array(data)
        assert (found.type, found.to_list()) == (type, rows)


def test_arrays_that_numpy_cannot_read_are_refused() -> None:
    x = aj.array([[1], [2]])
    for call in (
        lambda: aj.array(Tensor([1], refuses=True)),
        lambda: aj.array([Tensor([1], refuses=True), 5]),
        lambda: x * Tensor([1, 2], refuses=True),
    ):
        with pytest.raises(JagTypeError, match="numpy can't read a Tensor: it lies on another device"):
            call()


def test_extension_arrays_of_pandas_keep_the_type() -> None:
    x = aj.array(pa.array([[1, None], None], pa.list_(pa.float32())))
    assert aj.array(x.to_pandas().array).equals(x)


@pytest.mark.parametrize(("type", "most"), [("float16", 2**11), ("float32", 2**24), ("float64", 2**53)])
def test_integers_beside_floats_are_exact_or_refused(type: str, most: int) -> None:
    """As those of lists of integers alone: pyarrow reads both as float64, of which a cast would round the integers."""
    for whole in (most, -most, np.int64(2 * most), None):
        assert aj.array([[0.5, whole], [], None], type=type).to_list() == [[0.5, whole], [], None]
    for rows in ([most + 1, 0.5], [[0.5, None], [np.int64(-most - 1)]], [[[most + 1]], [[0.5]]], [Fraction(1, 2), most + 1]):
        with pytest.raises(JagValueError, match=rf"{most + 1}\)? (at .*)?does not fit the leaf type \w+"):
            aj.array(rows, type=type)
    struct = pa.struct([("a", aj.array([0.5], type=type).type)])
    with pytest.raises(JagValueError, match="does not fit"):
        aj.array([[{"a": most + 1}], [{"a": 0.5}]], type=struct)
