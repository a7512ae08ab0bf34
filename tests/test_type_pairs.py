"""Every pair of operand types under every operator: the same result type and the same values from the array, pandas and polars."""

from __future__ import annotations

import datetime as dt
import itertools
import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.types as pt
import pytest

import arrowjag as aj
from arrowjag._ops.elementwise import plain_type
from tests.hosts import pd, pl

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
]

MOMENT, SPAN = dt.datetime(2020, 5, 17, 12, 30), dt.timedelta(days=2, seconds=5)  # noqa: DTZ001 - the type without a zone
OTHERS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "float16": (pa.float16(), [1.5, 0.5]),
    "int64": (pa.int64(), [3, 2]),
    "double": (pa.float64(), [1.5, float("nan")]),
    "decimal": (pa.decimal128(9, 2), [Decimal("1.25"), Decimal("-3.50")]),
    "string": (pa.string(), ["b", "a"]),
    "large_string": (pa.large_string(), ["b", "\u00e9"]),
    "binary": (pa.binary(), [b"b", b""]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["b", "a"]),
    "date": (pa.date32(), [MOMENT.date(), dt.date(1969, 1, 1)]),
    "timestamp": (pa.timestamp("us"), [MOMENT, MOMENT + SPAN]),
    "zoned": (pa.timestamp("ms", "Europe/Berlin"), [MOMENT.replace(tzinfo=dt.UTC), MOMENT.replace(tzinfo=dt.UTC)]),
    "duration": (pa.duration("us"), [SPAN, -SPAN]),
    "time": (pa.time64("us"), [MOMENT.time(), dt.time(1)]),
    "null": (pa.null(), [None, None]),
    "struct": (pa.struct({"a": pa.int64()}), [{"a": 1}, {"a": None}]),
}
"""Leaf types that are no plain numbers, with two values each; beside numbers they meet."""


def jagged(type: str) -> aj.JaggedArray:
    return aj.array([[3, None], None, [], [0, 1]], type=pa.int64(), ndim=2).cast(type)


def plain(type: str) -> aj.JaggedArray:
    return aj.array(pa.array([2, 1, None, 1], pa.int64()).cast(type))


def attempt(function: Any, *operands: Any) -> Any:
    """The result, or the class of the error."""
    try:
        return function(*operands)
    except (aj.JagTypeError, aj.JagValueError) as error:
        return type(error)


def other(name: str, order: int) -> aj.JaggedArray:
    type, (one, two) = OTHERS[name]
    rows = [[one, None], None, [], [two, one]] if order > 0 else [[two, one], None, [], [None, one]]
    return aj.array(pa.array(rows, pa.large_list(type)))


def stored(x: aj.JaggedArray) -> aj.JaggedArray:
    """The array as polars stores it."""
    return aj.array(x.to_polars())


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("left", TYPES)
def test_pairs(name: str, left: str) -> None:
    function = getattr(operator, name)
    for right, make in itertools.product(TYPES, (jagged, plain)):
        x, y = jagged(left), make(right)
        expected = attempt(function, x, y)
        on_pandas = attempt(function, x.to_pandas().jag, y.to_pandas())
        on_polars = attempt(function, x.to_polars().jag, y.to_polars())
        if isinstance(expected, type):
            assert (on_pandas, on_polars) == (expected, expected), (left, right)
            continue
        assert on_pandas.array._jagged.equals(expected), (left, right)
        assert aj.array(on_polars).equals(expected), (left, right)


@pytest.mark.parametrize("left", OTHERS)
def test_pairs_of_other_types(left: str) -> None:
    for name, right in itertools.product(OPERATORS, OTHERS):
        function = getattr(operator, name)
        x, y = other(left, 1), other(right, -1)
        expected = attempt(function, x, y)
        on_pandas = attempt(function, x.to_pandas().jag, y.to_pandas())
        if isinstance(expected, type):
            assert on_pandas is expected, (name, right)
        else:
            assert on_pandas.array._jagged.equals(expected), (name, right)
        wanted = attempt(function, stored(x), stored(y))
        on_polars = attempt(function, x.to_polars().jag, y.to_polars())
        if isinstance(wanted, type):
            assert on_polars is wanted, (name, right)
        else:
            assert stored(aj.array(on_polars)).equals(stored(wanted)), (name, right)


@pytest.mark.parametrize("left", TYPES)
def test_pairs_in_lazy_polars(left: str) -> None:
    frame = pl.DataFrame({"x": jagged(left).to_polars(), **{f"r_{right}": jagged(right).to_polars() for right in TYPES}}).lazy()
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "eq"):
        function = getattr(operator, name)
        rights = [right for right in TYPES if not isinstance(attempt(function, jagged(left), jagged(right)), type)]
        query = frame.select(**{f"r_{right}": function(pl.col("x").jag, pl.col(f"r_{right}")) for right in rights})
        result, schema = query.collect(), query.collect_schema()
        for right in rights:
            found = result[f"r_{right}"]
            assert found.dtype == schema[f"r_{right}"]
            assert aj.array(found).equals(function(jagged(left), jagged(right))), (name, left, right)


DAYS, LABELS, VIEW = pa.date32(), pa.dictionary(pa.int8(), pa.string()), pa.string_view()
_NOON = dt.datetime(2020, 1, 2, 12)  # noqa: DTZ001 - the type without a zone
ITEMS: list[tuple[Any, list[Any]]] = [
    (pa.types.is_date, [_NOON.date(), dt.date(1969, 1, 1)]),
    (lambda type: pa.types.is_timestamp(plain_type(type)), [_NOON, dt.datetime(1969, 1, 1)]),  # noqa: DTZ001
    (lambda type: pa.types.is_struct(type) and pa.types.is_date(type[0].type), [{"at": _NOON.date()}, {"at": None}]),
    (pa.types.is_struct, [{"at": _NOON}, {"at": None}]),
    (pa.types.is_boolean, [True, False]),
    (pa.types.is_decimal, [Decimal("1.5"), Decimal(0)]),
    (pa.types.is_binary, [b"b", b"a"]),
    (pa.types.is_null, [None, None]),
    (lambda type: True, ["b", "a"]),
]


def rows_of(type: pa.DataType) -> list[Any]:
    """Two items of a type and nulls at both levels."""
    one, two = next(items for is_of, items in ITEMS if is_of(type))
    return [[one, None, two], None, [], [two]]


KEEPING: dict[str, Callable[..., Any]] = {
    "concat": lambda x, y, row, one: aj.concat([x, y]),
    "concat along rows": lambda x, y, row, one: aj.concat([x, y], axis=-1),
    "stack": lambda x, y, row, one: aj.stack([x, y]),
    "where": lambda x, y, row, one: aj.where(x.is_null(), y, x),
    "coalesce": lambda x, y, row, one: aj.coalesce(x, row),
    "fill_null": lambda x, y, row, one: x.fill_null(one),
    "fill_null_rows": lambda x, y, row, one: x.fill_null_rows(y),
    "append": lambda x, y, row, one: x.append(row),
    "insert": lambda x, y, row, one: x.insert(0, one),
    "splice": lambda x, y, row, one: x.splice(0, 1, y),
    "shift": lambda x, y, row, one: x.shift(1, row),
    "pad": lambda x, y, row, one: x.pad(4, one),
    "get": lambda x, y, row, one: x.get(7, row),
    "set": lambda x, y, row, one: x.set((0, 0), y[0, 2]),
    "overlay": lambda x, y, row, one: aj.overlay(x, (slice(0, 1),), y[0:1]).materialize(),
    "union": lambda x, y, row, one: x.union(y),
    "intersection": lambda x, y, row, one: x.intersection(y),
    "difference": lambda x, y, row, one: x.difference(y),
    "symmetric_difference": lambda x, y, row, one: x.symmetric_difference(y),
    "pairs": lambda x, y, row, one: x.pairs(y),
}
"""Calls with another column, one value per row of it, and one value."""

KEPT: list[tuple[pa.DataType, pa.DataType, pa.DataType]] = [
    (DAYS, pa.timestamp("s"), pa.timestamp("s")),
    (pa.date64(), pa.timestamp("ns"), pa.timestamp("ns")),
    (pa.dictionary(pa.int8(), pa.timestamp("us")), DAYS, pa.timestamp("us")),
    (pa.struct({"at": DAYS}), pa.struct({"at": pa.timestamp("ms")}), pa.struct({"at": pa.timestamp("ms")})),
    (LABELS, LABELS, LABELS),
    (LABELS, pa.null(), LABELS),
    (LABELS, VIEW, pa.large_string()),
    (VIEW, VIEW, VIEW),
    (VIEW, pa.binary(), pa.large_binary()),
    (pa.bool_(), pa.decimal64(7, 2), pa.decimal128(7, 2)),
]
"""Two types, and that of a column that has items of both."""


@pytest.mark.parametrize(("left", "right", "common"), KEPT, ids=str)
def test_operations_that_keep_items_agree_on_their_type(left: pa.DataType, right: pa.DataType, common: pa.DataType) -> None:
    """Items that are not computed keep the type that both columns have; otherwise every operation gives the same common type."""
    for one, two in ((left, right), (right, left)):
        x, y = (aj.array(pa.array(rows_of(kind), pa.large_list(plain_type(kind)))).cast(kind) for kind in (one, two))
        for name, call in KEEPING.items():
            found = call(x, y, y.first(), y.max(axis=None))
            wide = y.cast(common)
            expected = call(x.cast(common), wide, wide.first(), wide.max(axis=None))
            assert found.type == expected.type == common, name
            assert found.equals(expected), name
        on_pandas = x.to_pandas().jag.coalesce(y.to_pandas())
        assert on_pandas.array._jagged.equals(aj.coalesce(x, y))
        frame = pl.DataFrame({"x": x.to_polars(), "y": y.to_polars()}).lazy().select(r=pl.col("x").jag.coalesce(pl.col("y")))
        assert stored(aj.array(frame.collect()["r"])).equals(stored(aj.coalesce(stored(x), stored(y))))
        assert frame.collect_schema()["r"] == frame.collect()["r"].dtype


def test_python_scalars_are_weak_everywhere() -> None:
    for left, scalar in itertools.product(TYPES[1:], (2, 2.0, True)):
        x = jagged(left)
        expected = x * scalar
        assert (x.to_pandas() * scalar).array._jagged.equals(expected)
        assert aj.array(x.to_polars().jag * scalar).equals(expected)
    assert isinstance(pd.Series([1]).jag * 2, pd.Series)


_LABELS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string())]
MET: list[tuple[Any, list[pa.DataType]]] = [
    (True, [pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32()]),
    (
        1,
        [pa.int8(), pa.uint64(), pa.float16(), pa.decimal32(5, 2), pa.decimal64(12, 1), pa.decimal128(20, 3), pa.decimal256(50, 3)],
    ),
    ("1", [*_LABELS, pa.string_view(), pa.binary(), pa.binary_view(), pa.binary(1), pa.int8()]),
    (MOMENT.date(), [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ms", "UTC"), pa.string()]),
    (SPAN, [pa.duration("s"), pa.duration("ns"), pa.string()]),
    (dt.time(1), [pa.time32("s"), pa.time64("ns")]),
    ("fields", [pa.struct({"a": pa.int8()}), pa.struct({"a": pa.decimal32(4, 1)}), pa.struct({"b": pa.int8()})]),
]
"""Types that meet, with a value that each of the first ones holds."""
TAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "fill_null": lambda x, y: x.fill_null(y),
    "coalesce": aj.coalesce,
    "fill_null_rows": lambda x, y: x.fill_null_rows(y),
    "concat of rows": lambda x, y: aj.concat([x, y]),
    "concat in rows": lambda x, y: aj.concat([x, y], axis=1),
    "stack": lambda x, y: aj.stack([x, y]),
    "append": lambda x, y: x.append(y.first()),
    "insert": lambda x, y: x.insert(0, y.values[0]),
    "splice": lambda x, y: x.splice(0, 1, y),
    "set": lambda x, y: x.set((0, 0), y.values[0]),
    "pad": lambda x, y: x.pad(3, y.values[0]),
    "shift": lambda x, y: x.shift(1, fill=y.values[0]),
    "get": lambda x, y: x.get(5, default=y.values[0]),
    "where in pandas": lambda x, y: aj.where(pd.Series([True] * 3), x.to_pandas(), y.to_pandas()).array._jagged,
}


@pytest.mark.parametrize(("value", "types"), MET, ids=[str(value) for value, _ in MET])
def test_all_operations_agree_on_the_type_of_items_of_two(value: Any, types: list[pa.DataType]) -> None:
    """The table of docs/concepts/types.md, in both orders, and for columns without rows."""
    arrays = {}
    for type in types:
        one = {"a": 1, "b": 1} if value == "fields" else str(value) if pt.is_string(type) else value
        items = [None if pt.is_null(type) else one, None]
        arrays[type] = aj.from_sizes(pa.array(items, type) if value == "fields" else aj.array(items).cast(type).values, [2, 0, 0])
    for place, pair in enumerate(itertools.combinations(types, 2)):
        left, right = pair if place % 2 else pair[::-1]
        x, y = arrays[left], arrays[right]
        wanted = attempt(lambda x, y: aj.where(aj.array([True, False, True]), x, y), x, y)
        for rows in (slice(None), slice(0, 0)):
            for name, take in TAKERS.items():
                if rows.stop == 0 and name in ("insert", "set", "pad", "shift", "get", "where in pandas"):
                    continue
                found = attempt(take, x[rows], y[rows])
                assert getattr(found, "type", found) == getattr(wanted, "type", wanted), (name, left, right)
