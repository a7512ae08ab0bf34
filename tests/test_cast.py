"""cast."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise.casts import _SAMPLE, cast_where_it_fits
from arrowjag._ops import zones
from arrowjag._ops.elementwise import cast_values
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import jagged_arrays, leaf_types
from tests.hosts import pl
from tests.operands import leaves
from tests.surfaces import SURFACES


@given(jagged_arrays(leaf=pa.int16()), st.sampled_from([pa.int64(), pa.float64(), pa.string(), pa.decimal128(9, 2), pa.float16()]))
def test_casts_keep_shape_and_nulls(x: aj.JaggedArray, type: pa.DataType) -> None:
    got = x.cast(type, safe=False)
    assert got.type == type
    assert got.shape == x.shape
    assert [one is None for one in leaves(got)] == [one is None for one in leaves(x)]
    assert x.cast(pa.int64()).to_list() == x.to_list()


def test_casts_by_name_and_unsafe_ones() -> None:
    assert aj.array([[1]]).cast("float32").type == pa.float32()
    with pytest.raises(ValueError, match="cast"):
        aj.array([300]).cast("int8")
    assert aj.array([300]).cast("int8", safe=False).to_list() == [44]
    with pytest.raises(TypeError, match="cast"):
        aj.array([{"a": 1}]).cast("int8")


@pytest.mark.parametrize(("type", "digits", "most"), [("float16", 11, 65504), ("float32", 24, 2**63), ("float64", 53, 2**63)])
def test_integers_that_a_float_does_not_hold_exactly_are_refused(type: str, digits: int, most: int) -> None:
    """Arrow casts every integer to float16, and to other floats none beyond those of which the type holds each."""
    ends = [0, 1, 2**digits, 2**digits + 2, min(most, 2**62), 1000 * 2**5]
    for x in (aj.array([[*ends, *(-end for end in ends)], [None]]), aj.array([[most]], type="uint64"), aj.array([[-most]])):
        for strict in (True, False):
            assert x.cast(type, strict=strict).to_list() == x.to_list()
        assert aj.array(x.to_list(), type=type).equals(x.cast(type))
        halves = x * aj.array([0.5] * len(x))
        assert halves.to_list() == [[None if item is None else item / 2 for item in row] for row in x.to_list()]
    for beyond in (2**digits + 1, -(2**digits) - 1, 2**62 - 1, *([2**16] if type == "float16" else [])):
        for data in ([[1], [2**digits, beyond]], np.array([[1], [beyond]]), pa.array([[1], [2**digits, beyond]])):
            with pytest.raises(JagValueError, match=f"{beyond}.*(float|double)"):
                aj.array(data, type=type)
        x = aj.array([[1, None], [2**digits, beyond]])
        assert x.cast(type, strict=False).to_list() == [[1, None], [2**digits, None]]
        assert np.isfinite(x.cast(type, safe=False).to_list()[1][1]) or beyond > 65504
        with pytest.raises(JagValueError, match=f"row 1 holds {beyond}, which is not a valid"):
            x.cast(type)


def test_an_integer_beside_floats_is_refused_only_if_no_float_equals_it() -> None:
    x, halves = aj.array([[2**60], [2**60, -(2**63)]]), aj.array([0.5, 0.5])
    for product in (x * halves, aj.apply("multiply", x, halves)):
        assert product.to_list() == [[2.0**59], [2.0**59, -(2.0**62)]]
    assert aj.concat([x, halves.unsqueeze(1)]).to_list() == [[2.0**60], [2.0**60, -(2.0**63)], [0.5], [0.5]]
    with pytest.raises(JagValueError, match=rf"row 1 holds {2**60 + 1}, which float64 does not hold exactly"):
        aj.array([[2**60], [2**60 + 1]]) * halves


# Pairs of which the second can't hold all of the first, and values near the ends.
NARROWING = {
    pa.int64(): [pa.int8(), pa.uint64(), pa.int32(), pa.float64(), pa.float32(), pa.float16(), pa.decimal128(4, 2), pa.bool_()],
    pa.uint64(): [pa.int64(), pa.uint8(), pa.float64(), pa.float32()],
    pa.float64(): [pa.int64(), pa.uint64(), pa.int8(), pa.float32(), pa.decimal128(6, 2)],
    pa.float32(): [pa.int64(), pa.uint8()],
    pa.float16(): [pa.int8(), pa.uint64()],
    pa.decimal128(12, 2): [pa.int8(), pa.decimal128(5, 1), pa.int64()],
    pa.decimal64(12, 2): [pa.uint32(), pa.int64(), pa.uint64()],
    pa.decimal32(6, 2): [pa.uint16(), pa.uint32(), pa.int64(), pa.uint64()],
    pa.timestamp("us"): [pa.timestamp("s"), pa.timestamp("ns"), pa.date32(), pa.date64()],
    pa.timestamp("s"): [pa.timestamp("ns"), pa.timestamp("ms")],
    pa.duration("ns"): [pa.duration("s")],
    pa.date64(): [pa.timestamp("ns"), pa.date32()],
    pa.binary(): [pa.string(), pa.string_view()],
    pa.string(): [pa.int64(), pa.int8(), pa.uint64(), pa.float64(), pa.float32(), pa.bool_(), pa.decimal128(5, 2)],
    pa.large_string(): [pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", "UTC")],
    pa.string_view(): [pa.date32(), pa.date64()],
    pa.dictionary(pa.int8(), pa.string()): [pa.int8(), pa.date32(), pa.dictionary(pa.int8(), pa.int64())],
}
PAIRS = [(one, two) for one, many in NARROWING.items() for two in many]
NUMBERS_AS_TEXT = [
    "0",
    "-0",
    "1",
    "+1",
    " 1",
    "01",
    "0x1F",
    "0xfffffffff",
    "-0x1",
    "1e2",
    "1.0",
    "1.",
    ".5",
    ".",
    "",
    "128",
    "-129",
    "1e",
    "nan",
]
NUMBERS_AS_TEXT += [
    "-inf",
    "Infinity",
    "1_0",
    "9223372036854775807",
    "9223372036854775808",
    "1" * 30,
    "-1",
    "true",
    "FALSE",
    "t",
    "1.239",
    "999.99",
]
TIMES_AS_TEXT = [
    "2024-02-29",
    "2023-02-29",
    "2024-04-31",
    "2024-1-1",
    "0000-01-01",
    "9999-12-31",
    "2024-01-01T10",
    "2024-01-01 10:00",
]
TIMES_AS_TEXT += [
    f"2024-01-01 10:00:00{end}" for end in ("", ".1", ".123", ".123456", ".123456789", "Z", "+01:00", "+0100", "-01", "x", ".")
]
TIMES_AS_TEXT += [
    "2024-01-01T24:00:00",
    "2024-01-01T23:59:60",
    "2024-01-01Z",
    "2024-01-01T1000",
    "2024-01-01T100000",
    "20240101",
    "1500-01-01",
]
AS_TEXT = st.sampled_from(NUMBERS_AS_TEXT + TIMES_AS_TEXT) | st.text(max_size=3)


def alone(values: pa.Array, type: pa.DataType) -> list[bool]:
    """Whether each value can be cast on its own."""
    fits = []
    for at in range(len(values)):
        try:
            aj.JaggedArray(aj.JaggedShape(1), values[at : at + 1]).cast(type)
            fits.append(True)
        except aj.JagValueError:
            fits.append(False)
    return fits


@pytest.mark.parametrize(("one", "two"), PAIRS, ids=[f"{one} to {two}" for one, two in PAIRS])
@given(data=st.data())
def test_without_strict_exactly_the_values_that_strict_rejects_are_null(
    one: pa.DataType, two: pa.DataType, data: st.DataObject
) -> None:
    inner = one.value_type if isinstance(one, pa.DictionaryType) else one
    is_text = pa.types.is_string(inner) or pa.types.is_large_string(inner) or pa.types.is_string_view(inner)
    x = data.draw(jagged_arrays(st.integers(1, 3), one, values=AS_TEXT if is_text else None))
    got = x.cast(two, strict=False)
    assert (got.type, got.shape) == (two, x.shape)
    fits = alone(x.values, two)
    assert got.values.is_valid().to_pylist() == [ok and one.is_valid for ok, one in zip(fits, x.values, strict=True)]
    if all(fits):
        assert got.equals(x.cast(two))
    else:
        with pytest.raises(
            aj.JagValueError, match=r"cast: row [\d\[\]]+ holds .*, which is not a valid .*; strict=False makes it null"
        ):
            x.cast(two)


def test_every_text_one_by_one() -> None:
    x = aj.array([[*NUMBERS_AS_TEXT, *TIMES_AS_TEXT]])
    for two in {two for one in (pa.string(), pa.large_string(), pa.string_view()) for two in NARROWING[one]}:
        assert x.cast(two, strict=False).values.is_valid().to_pylist() == alone(x.values, two), two


def test_the_row_of_a_value_that_does_not_fit_is_named() -> None:
    with pytest.raises(aj.JagValueError, match="cast: row 2 holds 'x', which is not a valid int64; strict=False makes it null"):
        aj.array([["1"], [], ["2", "x"]]).cast("int64")
    with pytest.raises(aj.JagValueError, match=r"cast: row \[1\]\[1\] holds 300"):
        aj.array([[[1]], [[], [300]]]).cast("int8")
    with pytest.raises(aj.JagValueError, match="cast: the array holds 300"):
        aj.array(300).cast("int8")


@pytest.mark.parametrize("type", [pa.decimal32(6, 2), pa.decimal64(6, 2), pa.decimal128(6, 2), pa.decimal256(6, 2)], ids=str)
def test_a_decimal_that_does_not_fit_is_named_or_null(type: pa.DataType) -> None:
    x = aj.array([["1.00"], ["-1.00", None]]).cast(type)
    with pytest.raises(aj.JagValueError, match=r"cast: row 1 holds -1\.00, which is not a valid uint8; strict=False makes it null"):
        x.cast("uint8")
    assert x.cast("uint8", strict=False).to_list() == [[1], [None, None]]


@pytest.mark.parametrize("type", [pa.decimal32(9, 2), pa.decimal64(12, 2), pa.decimal128(12, 2), pa.decimal256(40, 2)], ids=str)
@pytest.mark.parametrize("integer", [pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()], ids=str)
def test_whole_decimals_of_every_width_are_integers(type: pa.DataType, integer: pa.DataType) -> None:
    x = aj.array([["1.00", None], [], ["100.00"]]).cast(type)
    for found in (x.cast(integer), x.cast(integer, safe=False), x.cast(integer, strict=False)):
        assert found.type == integer
        assert found.to_list() == [[1, None], [], [100]]


def test_a_time_that_python_cannot_represent_is_named_by_its_count() -> None:
    x = aj.array([[1], [2**61]]).cast(pa.timestamp("s"))
    with pytest.raises(aj.JagValueError, match=rf"row 1 holds {2**61} in timestamp\[s\], which is not a valid timestamp\[ms\]"):
        x.cast(pa.timestamp("ms"))
    nanoseconds = aj.array([[2**62 + 1]]).cast(pa.timestamp("ns"))
    with pytest.raises(aj.JagValueError, match=r"cast: row 0 holds .*, which is not a valid timestamp\[s\]"):
        nanoseconds.cast(pa.timestamp("s"))


def test_types_without_a_cast_raise_without_strict_too() -> None:
    with pytest.raises(
        aj.JagTypeError, match=r"^cast: struct<a: int64> can't be cast to int8\. Pick a field first, such as x\['a'\]"
    ):
        aj.array([[{"a": 1}]]).cast("int8", strict=False)
    with pytest.raises(aj.JagValueError, match="choose one of them"):
        aj.array([[1]]).cast("int8", safe=False, strict=False)


def test_without_strict_on_hosts() -> None:
    df = pl.DataFrame({"v": [["1", "x"], None], "t": ["2", ""]})
    lazy = df.lazy().select(pl.col("v").jag.cast(pl.Int64, strict=False), pl.col("t").jag.str.to_number("int8", strict=False))
    assert dict(lazy.collect_schema()) == {"v": pl.List(pl.Int64), "t": pl.Int8}
    assert lazy.collect(engine="streaming").to_dict(as_series=False) == {"v": [[1, None], None], "t": [2, None]}
    assert aj.array([["1", "x"]]).to_pandas().jag.cast("int64", strict=False).jag.to_list() == [[1, None]]


@pytest.mark.parametrize(
    ("items", "own", "wanted"),
    [
        (["-2.675", "0.1", None], pa.decimal128(9, 3), pa.float64()),
        (["-2.675", "12", None], pa.decimal64(9, 3), pa.float16()),
        (["12:30", None, "23:59:59"], pa.string(), pa.time32("s")),
        ([5, None, -7], pa.int64(), pa.decimal32(4, 2)),
        ([5, None, 5], pa.int64(), pa.dictionary(pa.int8(), pa.float32())),
        (["a", None, "b"], pa.dictionary(pa.int8(), pa.string()), pa.large_string()),
    ],
    ids=str,
)
def test_fields_of_structs_are_cast_as_columns_of_them(items: list[Any], own: pa.DataType, wanted: pa.DataType) -> None:
    """pyarrow's cast of structs rounds decimals twice, and lacks what other casts add to those of pyarrow."""
    made = [None if one is None else decimal.Decimal(one) for one in items] if pa.types.is_decimal(own) else items
    field = aj.array([made, [], None, made], type=own)
    x = aj.zip(a=field, b=field)
    for outer in (lambda type: type, lambda type: pa.struct({"s": type})):
        column = x if outer(own) == own else aj.zip(s=x)
        types = pa.struct({"b": wanted, "missing": pa.int8(), "a": own})
        found = column.cast(outer(types))
        found = found if column is x else found["s"]
        assert found.type == types
        assert found["a"].to_list() == field.to_list()
        assert found["b"].to_list() == field.cast(wanted).to_list()
        assert found["missing"].values.null_count == x.shape.size
        assert found[1:].shape == x[1:].shape
    for level in (pa.list_, pa.large_list, lambda type: pa.list_(type, len(items))):
        rows = aj.array([[{"l": made}, {"l": None}, None], None], type=pa.struct({"l": level(own)}))
        lists = rows.cast(pa.struct({"l": level(wanted)}))
        assert lists.type == pa.struct({"l": level(wanted)})
        expected = field.cast(wanted).to_list()[0]
        assert lists.to_list() == [[{"l": expected}, {"l": None}, None], None]
        assert lists[1:].to_list() == rows[1:].cast(lists.type).to_list() == [None]
    nulls = aj.where(aj.array([[True, False, True], [], None, [True] * 3]), x, None).cast(pa.struct({"b": wanted}))
    assert nulls.to_list()[0][1] is None


def test_fields_of_structs_are_promoted_as_columns_of_them() -> None:
    decimals, doubles = aj.array([[decimal.Decimal("-2.675"), None], None]), aj.array([[1.5, 2.5], None])
    chosen = aj.array([[True, False], None])
    for call in (
        lambda x, y: aj.where(chosen, x, y),
        lambda x, y: aj.concat([x, y], axis=1),
        lambda x, y: x.append(y.first()),
        lambda x, y: aj.stack([x, y]),
    ):
        found = call(aj.zip(a=decimals), aj.zip(a=doubles))["a"]
        assert found.to_list() == call(decimals, doubles).to_list()
        assert -2.675 in found.flatten(0).to_list()


@pytest.mark.parametrize("surface", SURFACES)
def test_structs_without_a_field_of_the_type_are_refused(surface: str) -> None:
    """Arrow casts them to structs of nulls."""
    other, call = pa.struct([("b", pa.int64()), ("c", pa.int8())]), SURFACES[surface]
    told = r"the structs have the fields \['a'\], and none of \['b', 'c'\]: all fields would be null"
    nested = [lambda type: type, lambda type: pa.struct([("s", type)]), lambda type: pa.struct([("s", pa.list_(type))])]
    for outer, inner in zip(nested, ({"a": 1}, {"s": {"a": 1}}, {"s": [{"a": 1}, None]}), strict=True):
        for strict in (True, False):
            with pytest.raises(TypeError, match=f"cast: {told}"):
                call(aj.array([[inner, None], None]), "cast", outer(other), strict=strict)
        for ndim in (None, 2):
            with pytest.raises(aj.JagTypeError, match=f"array: {told}"):
                aj.array([[inner, None], None], type=outer(other), ndim=ndim)
    for empty in (pa.struct([]), pa.struct([("a", pa.int8())])):
        rows = aj.array([[{}, None], None], type=pa.struct([]))
        assert call(rows.cast(empty), "cast", pa.struct([("a", pa.int8())])) == [[{"a": None}, None], None]


def test_structs_with_a_field_that_does_not_fit_are_null() -> None:
    x = aj.array([[{"a": 300}, {"a": 1}, None], [], [{"a": -129}]])
    assert x.cast(pa.struct([("a", pa.int8())]), strict=False).to_list() == [[None, {"a": 1}, None], [], [None]]


@given(leaf_types())
def test_types_by_the_names_that_they_print(leaf: pa.DataType) -> None:
    name = str(aj.array([[None]], type=leaf).to_arrow().type).removeprefix("jagged[").removesuffix(", 2]")
    assert aj.array([[None], []]).cast(name).type == leaf


@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("struct<a: int8, at: timestamp[us, tz=UTC]>", pa.struct([("a", pa.int8()), ("at", pa.timestamp("us", "UTC"))])),
        ("datetime64[us]", pa.timestamp("us")),
        ("<f4", pa.float32()),
        ("dictionary<values=large_string, indices=int8, ordered=1>", pa.dictionary(pa.int8(), pa.large_string(), ordered=True)),
        ("dictionary<values=string, indices=int32, ordered=0>", pa.dictionary(pa.int32(), pa.string())),
        (
            "struct<a: list<element: int8 not null>, b: fixed_size_list<item: bool>[3]>",
            pa.struct([("a", pa.list_(pa.field("element", pa.int8(), nullable=False))), ("b", pa.list_(pa.bool_(), 3))]),
        ),
    ],
)
def test_names_of_arrow_and_numpy(name: str, type: pa.DataType) -> None:
    assert aj.array([[None]]).cast(name).type == type


@pytest.mark.parametrize("name", ["nope", "", "decimal128(99, 1)", "decimal128(9", "dictionary<string, double>", "struct<a int8>"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(aj.JagTypeError, match="expected an Arrow type, its name or a numpy dtype"):
        aj.array([[None]]).cast(name)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("level", [pa.list_(pa.int8()), pa.list_(pa.int8(), 2), pa.map_(pa.string(), pa.int8())], ids=str)
def test_a_level_is_no_leaf(level: pa.DataType, strict: bool) -> None:
    with pytest.raises(aj.JagTypeError, match="each list is a dim of the array"):
        aj.array([[None]]).cast(level, strict=strict)


@pytest.mark.parametrize(
    "type", [pa.decimal128(10, 2), pa.decimal32(9, 2), pa.decimal64(6, 4), pa.decimal256(40, 20), pa.decimal128(5, 0)]
)
@pytest.mark.parametrize("leaf", [pa.int8(), pa.uint64(), pa.int64()])
def test_integers_become_any_decimal_that_holds_them(type: pa.DataType, leaf: pa.DataType) -> None:
    x = aj.array([[23, None], [1]], type=leaf)
    for strict in (True, False):
        got = x.cast(type, strict=strict)
        assert got.type == type
        assert got.to_list() == [[decimal.Decimal(23), None], [decimal.Decimal(1)]]


def test_integers_beyond_a_decimal_raise_or_are_null() -> None:
    x = aj.array([[23, 12345]])
    with pytest.raises(JagValueError, match=r"row 0 holds 12345, which is not a valid decimal128\(4, 2\)"):
        x.cast(pa.decimal128(4, 2))
    assert x.cast(pa.decimal128(4, 2), strict=False).to_list() == [[decimal.Decimal(23), None]]
    for digits in (5, 19, 38):  # Arrow casts no integers to decimals of a negative scale
        for strict in (True, False):
            assert aj.array([[2300, 0]]).cast(pa.decimal128(digits, -2), strict=strict).to_list() == [[2300, 0]]
        assert aj.array([[2300, 2310]]).cast(pa.decimal128(digits, -2), strict=False).to_list() == [[2300, None]]


DECIMALS = [pa.decimal32(5, 2), pa.decimal64(12, 3), pa.decimal128(10, 2), pa.decimal256(50, 3), pa.decimal128(5, -2)]


@pytest.mark.parametrize(
    ("surface", "type"),
    [(one, type) for one in SURFACES for type in DECIMALS if one in ("array", "pandas") or type.scale >= 0],
    ids=str,
)
def test_all_decimals_but_0_are_true(surface: str, type: pa.DataType) -> None:
    """polars has no negative scales."""
    x = aj.array([[0, 100, None, -100], None, []]).cast(type)
    for strict in (True, False):
        assert SURFACES[surface](x, "cast", pa.bool_(), strict=strict) == [[False, True, None, True], None, []]


def test_no_type_is_not_float64() -> None:
    with pytest.raises(JagTypeError, match="got None"):
        aj.array([[1]]).cast(None)


@pytest.mark.parametrize("strict", [True, False])
def test_more_labels_than_codes_are_refused(strict: bool) -> None:
    x = aj.array([[str(number) for number in range(200)]])
    with pytest.raises(JagValueError, match=r"cast: the items do not fit dictionary<.*int8.*> together .*larger index type"):
        x.cast(pa.dictionary(pa.int8(), pa.string()), strict=strict)
    assert x.cast(pa.dictionary(pa.uint8(), pa.string()), strict=strict).to_list() == x.to_list()


def test_a_cast_to_the_same_type_shares_all() -> None:
    x = aj.array([["a", None], ["b"]])
    assert x.cast("string", strict=False).values is x.values


INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TICKS = [make(unit) for make in (pa.timestamp, pa.duration) for unit in ("s", "ms", "us", "ns")]


def ends_of(type: pa.DataType) -> list[int]:
    """The numbers around the ends of a type of integers, or of the integers that a type of floats holds exactly."""
    if pa.types.is_floating(type):
        bound = 2 ** (np.finfo(type.to_pandas_dtype()).nmant + 1)
        ends = [-bound, bound]
    else:
        limits = np.iinfo(type.to_pandas_dtype())
        ends = [int(limits.min), int(limits.max)]
    return [end + step for end in ends for step in (-1, 0, 1)]


def near_the_ends(one: pa.DataType, two: pa.DataType) -> pa.Array:
    """Values of the first type at the ends of both, and null."""
    numbers: list[Any] = [0, 1, 100, *ends_of(one), *ends_of(two)]
    if pa.types.is_integer(one):
        low, high = ends_of(one)[1], ends_of(one)[4]
        return pa.array([None, *(number for number in numbers if low <= number <= high)], one)
    dtype = one.to_pandas_dtype()
    with np.errstate(over="ignore"):
        floats = np.array([*map(float, numbers), 0.5, -0.5, np.nan, np.inf, -np.inf]).astype(dtype)
        floats = np.concatenate((floats, np.nextafter(floats, dtype(0)), np.nextafter(floats, dtype(np.inf))))
    return pa.concat_arrays([pa.array(floats, one), pa.nulls(1, one)])


def ticks_near_the_ends(one: pa.DataType, two: pa.DataType) -> pa.Array:
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    ratio = max(per_second[two.unit] // per_second[one.unit], 1)
    bound = (2**63 - 1) // ratio
    back = max(per_second[one.unit] // per_second[two.unit], 1)
    counts = [0, 1, -1, back, -back, back + 1, 2 * back, back // 2]
    counts += [end + step for end in (-bound, bound) for step in (-1, 0, 1) if abs(end + step) < 2**63]
    return pa.array([None, *counts]).cast(one)


FREQUENT = [(one, two, near_the_ends(one, two)) for one in INTEGERS for two in (*INTEGERS, *FLOATS) if one != two]
FREQUENT += [(one, two, near_the_ends(one, two)) for one in FLOATS for two in INTEGERS]
FREQUENT += [(one, two, ticks_near_the_ends(one, two)) for one in TICKS for two in TICKS if one != two and type(one) is type(two)]
FREQUENT += [  # of 19 digits and more, the cast alone tells whether a number fits
    (pa.string(), two, pa.array([None, "0", "-1", "x", *(str(end) for end in ends_of(two) if abs(end) < 10**18)]))
    for two in INTEGERS
]
FREQUENT += [
    (pa.large_string(), two, pa.array([None, *texts], pa.large_string()))
    for two, texts in {
        pa.float32(): ["1", "-1.5", "+1", "1e9", ".5", "5.", "1e", "e1", "nan", "-INF", "infinity", "in", "", "1 ", "1.5.2", "٣"],
        pa.bool_(): ["true", "False", "0", "1", "2", "t", "", "yes", "true ", "10"],
        pa.decimal128(9, 2): ["1", "1.25", "-1", "1e2", "x", "", "1.2.3"],
        pa.date32(): ["2024-02-29", "2024-01-31", "2024-01-32", "2024-04-30", "2024-04-31", "2024-13-01", "x", "", "2024-00-01"],
        pa.date64(): ["2024-12-31", "2024-11-31", "2024-11-30", "2024-02-30", "2024-02-09", "2024-02-00", "2024-10-10x"],
    }.items()
]
CLOCKS = ["", "T", "T10", " 10:00", "T23:59:59", "T24:00", "T19:60", "T1000", "T100000", "T10:00:60", "T10:00:0", "T10:00:00."]
CLOCKS += [f"T10:00:00.{'123456789'[:n]}" for n in range(1, 10)] + [
    "T10:00:00.1234567890",
    "T10:00:00Z",
    "T10:00+01:00",
    "T10:00-01",
]
FREQUENT += [
    (pa.string(), pa.timestamp(unit, zone), pa.array([None, "2024-02-31", *(f"2024-02-28{clock}" for clock in CLOCKS)]))
    for unit in ("s", "ms", "us", "ns")
    for zone in (None, "UTC")
]


@pytest.mark.parametrize(("one", "two", "values"), FREQUENT, ids=[f"{one} to {two}" for one, two, _ in FREQUENT])
def test_two_casts_find_the_values_that_fit(one: pa.DataType, two: pa.DataType, values: pa.Array) -> None:
    given: list[int] = []

    def cast(part: pa.Array) -> pa.Array:
        given.append(len(part))
        return cast_values(part, two)

    parts = [aj.JaggedArray(aj.JaggedShape(1), values[at : at + 1]) for at in range(len(values))]
    fits = alone(values, two)
    expected = [part.cast(two).values if fit else pa.nulls(1, two) for part, fit in zip(parts, fits, strict=True)]
    sliced = pa.concat_arrays([values[1:2], values])[1:]
    got = cast_where_it_fits(sliced, two, cast)
    assert got.to_string(window=100) == pa.concat_arrays(expected).to_string(window=100)
    assert got.is_valid().to_pylist() == [fit and value.is_valid for fit, value in zip(fits, values, strict=True)]
    assert given == [len(values)] * (1 if all(fits) else 2)


def test_many_texts_are_tried_by_a_sample() -> None:
    given: list[int] = []

    def cast(part: pa.Array) -> pa.Array:
        given.append(len(part))
        return part.cast(pa.int64())

    for texts, calls in (
        (["1"] * _SAMPLE, [_SAMPLE]),
        (["1"] * (_SAMPLE + 1), [_SAMPLE, _SAMPLE + 1]),
        (["x"] + ["1"] * _SAMPLE, [_SAMPLE, _SAMPLE + 1]),  # the second is cast without what is no number
        (["1"] * _SAMPLE + ["x"], [_SAMPLE, _SAMPLE + 1, _SAMPLE + 1]),
    ):
        for type in (pa.string(), pa.large_string()):
            given.clear()
            expected = [None if text == "x" else 1 for text in texts]
            assert cast_where_it_fits(pa.array(texts, type), pa.int64(), cast).to_pylist() == expected
            assert given == calls
    given.clear()
    cast_where_it_fits(pa.array([1.0] * 100), pa.int64(), cast)
    assert given == [100]


def test_other_pairs_are_cast_by_halves_of_distinct_values() -> None:
    given: list[int] = []

    def cast(part: pa.Array) -> pa.Array:
        given.append(len(part))
        return part.cast(pa.decimal128(3, 1))

    values = pa.array([decimal.Decimal(text) for text in ("1.1", "1000.1", "2.2", "1.1", "3.3")] * 3 + [None])
    got = cast_where_it_fits(values, pa.decimal128(3, 1), cast)
    assert got.cast(pa.string()).to_pylist() == ["1.1", None, "2.2", "1.1", "3.3"] * 3 + [None]
    assert given == [16, 4, 2, 1, 1, 2]


@pytest.mark.parametrize(
    "time", [pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("ns"), pa.timestamp("s", "UTC"), pa.duration("us")]
)
def test_times_are_cast_to_their_counts_and_back(time: pa.DataType) -> None:
    """Of any width that holds them: Arrow casts dates and times of 32 bits to int32 alone."""
    tick = 86_400_000 if time == pa.date64() else 1
    counts = aj.array([[3 * tick, None], None, [0]])
    x = counts.cast("int32").cast(pa.int32() if time.bit_width == 32 else pa.int64()).cast(time)
    for number in map(pa.type_for_alias, ("int32", "int64", "uint64", "float64")):
        assert x.cast(number).equals(counts.cast(number))
        if pa.types.is_integer(number):
            assert counts.cast(number).cast(time).equals(x)
    with pytest.raises(JagValueError, match=r"row 1 holds .*, which is not a valid int8"):
        aj.array([[0], [200 * tick]]).cast(time).cast("int8")


def test_counts_beyond_32_bits_are_no_dates() -> None:
    x = aj.array([[1], [2**40, None]])
    with pytest.raises(JagValueError, match=r"row 1 holds 1099511627776, which is not a valid date32"):
        x.cast("date32")
    assert x.cast("date32", strict=False).to_list() == [[dt.date(1970, 1, 2)], [None, None]]
    assert x.cast("date32", safe=False).cast("int32").to_list() == [[1], [0, None]]


@pytest.mark.parametrize("type", [pa.time32("s"), pa.time64("us"), pa.time64("ns"), pa.date64()])
def test_counts_that_are_no_time_of_a_day_are_refused(type: pa.DataType) -> None:
    integer = pa.int32() if type.bit_width == 32 else pa.int64()
    wrong = 1 if pa.types.is_date64(type) else -1
    x = aj.array([[0], [0, wrong], [-wrong]], type=integer)
    with pytest.raises(aj.JagValueError, match=rf"row 1 holds {wrong}, which is not a valid {re.escape(str(type))}; strict=False"):
        x.cast(type)
    found = x.cast(type, strict=False)
    found.to_arrow(extension=False).validate(full=True)
    assert found.is_null().to_list() == [[False], [False, True], [pa.types.is_date64(type)]]


COUNTED = [
    pa.date32(),
    pa.date64(),
    pa.time32("ms"),
    pa.time64("ns"),
    pa.timestamp("s"),
    pa.timestamp("us", "UTC"),
    pa.duration("ms"),
]


@pytest.mark.parametrize("time", COUNTED, ids=str)
@pytest.mark.parametrize("number", ["int16", "uint32", "int64", "float64"])
def test_times_become_numbers_of_any_width_and_back(time: pa.DataType, number: str) -> None:
    day = 86_400_000 if pa.types.is_date64(time) else 1
    counts = [[0, day, None], [], None, [2 * day]] if number != "int16" else [[0, None], [0]]
    x = aj.array(counts, type="int32" if time.bit_width == 32 else "int64").cast(time)
    found = x.cast(number)
    assert found.to_list() == counts
    assert found.cast(time).equals(x)
    assert x.to_pandas().jag.cast(number).jag.to_list() == counts
    if time == pa.date32():
        frame = pl.LazyFrame({"v": x}).select(pl.col("v").jag.cast(number).jag.cast(pl.Date).jag.cast(number))
        assert frame.collect()["v"].to_list() == counts
    with pytest.raises(aj.JagValueError, match=r"cast: row 1 holds .*, which is not a valid int8; strict=False makes it null"):
        aj.array([[0], [300 * day]], type=x.cast("int64").type).cast(time).cast("int8")
    if number.startswith("float"):
        assert aj.array([[0.5, 0.0]], type=number).cast(time, strict=False).is_null().to_list() == [[True, False]]


@pytest.mark.parametrize(
    "leaf",
    [
        pa.int64(),
        pa.float16(),
        pa.bool_(),
        pa.date64(),
        pa.timestamp("us", "UTC"),
        pa.duration("s"),
        pa.decimal32(6, 2),
        pa.decimal64(12, 2),
        pa.decimal128(12, 2),
        pa.decimal256(40, 2),
    ],
)
@pytest.mark.parametrize("ordered", [False, True])
def test_numbers_and_times_become_dictionaries(leaf: pa.DataType, ordered: bool) -> None:
    x = aj.array([[0, None, 1], None, [0]], type=pa.int64()).cast("bool" if leaf == pa.bool_() else "int64")
    x = (x * 86_400_000 if leaf == pa.date64() else x).cast(leaf)
    type = pa.dictionary(pa.int8(), leaf, ordered)
    found = x.cast(type)
    assert found.type == type
    assert found.to_list() == x.to_list()
    assert found.cast(leaf).equals(x)
    assert aj.array([[7, 300]]).cast(pa.dictionary(pa.int8(), pa.int8()), strict=False).to_list() == [[7, None]]
    with pytest.raises(aj.JagValueError, match=r"cast: the items do not fit .* together"):
        aj.array([list(range(300))]).cast(pa.dictionary(pa.int8(), pa.int64()))


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_text_becomes_times_of_day(text: pa.DataType, unit: str) -> None:
    type = pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)
    x = aj.array([["23:59:59", "01:02", None], [], None, ["24:00", "", "1:00", "12:00 ", "12:00Z"]], type="string").cast(text)
    found = x.cast(type, strict=False)
    assert found.type == type
    assert found.to_list() == [[dt.time(23, 59, 59), dt.time(1, 2), None], [], None, [None] * 5]
    assert x[:3].cast(type).equals(found[:3])
    with pytest.raises(JagValueError, match=f"^cast: row 3 holds '24:00', which is not a valid {re.escape(str(type))}"):
        x.cast(type)


def test_fractions_of_seconds_in_text_fit_the_unit() -> None:
    x = aj.array([["12:00:00.25"]])
    assert x.cast("time32[ms]").to_list() == x.cast("time64[ns]").to_list() == [[dt.time(12, 0, 0, 250_000)]]
    assert x.cast("time32[s]", strict=False).to_list() == [[None]]


D = decimal.Decimal
DAY = 86_400
PER_SECOND = {"s": 1, "ms": 10**3, "ns": 10**9}
LEAST_AND_MOST = [
    aj.array([[-128, 127, 0]], type="int8"),
    aj.array([[0, 255, 1]], type="uint8"),
    aj.array([[-(2**63), 2**63 - 1, 2**53 + 1, 2**32 + 1, 3]]),
    aj.array([[2**64 - 1, 2**32, 1]], type="uint64"),
    aj.array([[1.5, 65504.0, 3.0]]).cast("float16"),
    aj.array([[1.5, 1e18, 1e300, float("inf"), 2.0**32 + 1]]),
    *(
        aj.array([[D("1.25"), D("-42949672.97"), D("42949672.96"), D("3.00"), D(2**32 + 1)]], type=pa.decimal128(38, 2)).cast(one)
        for one in (pa.decimal64(12, 2), pa.decimal128(30, 2), pa.decimal256(60, 2))
    ),
    aj.array([[D("1.25"), D("99999.00")]]).cast(pa.decimal32(7, 2)),
    *(
        aj.array([[5 * one, DAY * one, DAY * one + 1, 0, -1, 10**6 * DAY]], type="int64").cast(pa.timestamp(unit))
        for unit, one in PER_SECOND.items()
    ),
    aj.array([[-DAY, DAY, 2**31 - 1]], type="int32").cast("date32[day]"),
    aj.array([[0, DAY * 10**6]], type="int64").cast(pa.date64()),
    aj.array([[5, DAY - 1]], type="int32").cast("time32[s]"),
    aj.array([[5, 10**9]], type="int64").cast("time64[ns]"),
    aj.array([[5, -DAY, 2**62]], type="int64").cast("duration[s]"),
    aj.array([[5, 10**9]], type="int64").cast("duration[ns]"),
    aj.array([["1", "1.5", "2020-01-02", "03:04:05", "x", "1e400"]]),
    aj.array([[b"1", b"\xff", b"ab"]]),
]
LEAVES = [
    *(x.type for x in LEAST_AND_MOST),
    pa.decimal32(9, 0),
    pa.decimal64(5, 1),
    pa.decimal128(5, 0),
    pa.time32("ms"),
    pa.float32(),
    pa.large_string(),
    pa.dictionary(pa.int8(), pa.int8()),
]


AS_WRITTEN = (pa.string(), pa.large_string(), pa.binary())
"""Types that hold the same value in several spellings, or as a count without a unit."""


@pytest.mark.parametrize("x", LEAST_AND_MOST, ids=lambda x: str(x.type))
def test_what_a_strict_cast_keeps_gives_the_item_back(x: aj.JaggedArray) -> None:
    """Arrow's casts drop times of day, dates, and the higher bits of decimals."""
    own, text = x.type, pa.large_string()
    for type in LEAVES:
        try:
            found = x.cast(type, strict=False)
        except JagTypeError:
            continue
        found.to_arrow(extension=False).validate(full=True)
        kept = found.values.is_valid()
        item, other = x.values.filter(kept), found.values.filter(kept)
        if pa.types.is_floating(own) and pa.types.is_floating(type):
            assert pa.compute.is_inf(other.cast("float64")).equals(pa.compute.is_inf(item.cast("float64"))), type
        elif pa.types.is_timestamp(own) and pa.types.is_time(type):
            assert all(0 <= one < DAY * PER_SECOND[own.unit] for one in item.cast(pa.int64()).to_pylist()), type
        elif not (own in AS_WRITTEN or pa.types.is_floating(own) or pa.types.is_floating(type) or type in AS_WRITTEN):
            back = aj.JaggedArray(aj.JaggedShape(len(other)), other).cast(own)
            assert back.values.cast(text).equals(item.cast(text)), type
        lost = x.filter(aj.JaggedArray(x.shape, pa.compute.invert(kept)))
        for one in lost.values:
            with pytest.raises(JagValueError, match="is not a valid"):
                aj.JaggedArray(aj.JaggedShape(1), pa.repeat(one, 1)).cast(type)
        try:
            x.cast(type, safe=False).to_arrow(extension=False).validate(full=True)
        except JagValueError:
            assert lost.size


def test_timestamps_lose_no_part_unless_asked_on_any_surface() -> None:
    midnight, noon = dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 1, 12)  # noqa: DTZ001 - without a zone
    x = aj.array([[midnight], None, [midnight, None, noon]])
    told = r"which is not a valid date32\[day\]; strict=False makes it null, and x\.dt\.date\(\) takes the date alone"
    told = rf"cast: row 2 holds 2024-05-01 12:00:00, {told}"
    for surface in SURFACES.values():
        given = x[2:3] if surface is SURFACES["lazy"] else x  # which names the row of a part of the frame
        with pytest.raises(JagValueError, match=told.replace("row 2", "row 0" if len(given) == 1 else "row 2")):
            surface(given, "cast", pa.date32())
        day = dt.date(2024, 5, 1)
        assert surface(x, "cast", pa.date32(), strict=False) == [[day], None, [day, None, None]]
        assert surface(x, "cast", pa.date32(), safe=False) == [[day], None, [day, None, day]]
    zoned = x.dt.tz_localize("Europe/Berlin")
    assert zoned.cast("date32", strict=False).is_null().to_list() == [[False], None, [False, True, True]]
    with pytest.raises(JagValueError, match=r"00:00:00\+02:00.*x\.dt\.time\(\) takes the time of day alone"):
        zoned[2:].cast("time64[us]", strict=True)
    assert x[:0].cast("date32").to_list() == []
    for data in ([[noon]], [[day, noon]], [[{"a": noon}]], pa.array([[noon]]), np.array([noon], "M8[s]")):
        type = pa.struct([("a", pa.date32())]) if isinstance(data, list) and isinstance(data[0][0], dict) else pa.date32()
        with pytest.raises(JagValueError, match=r"date32\[day\]"):
            aj.array(data, type=type)
    assert aj.array([[day, midnight]], type="date32").to_list() == [[day, day]]
    with pytest.raises(JagTypeError, match="lose their time of day"):
        x.map_rows(lambda row: noon, type="date32")


def test_finite_numbers_do_not_become_infinite() -> None:
    for data in ([[1.0, 1e300]], [[1, 2**140]], np.array([1e300]), pa.array([D("1e50")])):
        with pytest.raises(JagValueError, match=r"1e\+300|1393796\d+|10{50}"):
            aj.array(data, type="float32")
    for integers in ([[2049]], [[70_000]]):
        with pytest.raises(JagValueError, match="not a valid halffloat"):
            aj.array(integers, type="float16")
    x = aj.array([["inf", "-Infinity", "1e39", "nan"]])
    assert x.cast("float32", strict=False).values.is_valid().to_pylist() == [True, True, False, True]
    assert aj.array([[1e300, 1.0]]).cast("float32", safe=False).to_list() == [[float("inf"), 1.0]]


@pytest.mark.parametrize("compile", ["never", "always"])
def test_many_floats_become_singles_alike(compile: Literal["never", "always"]) -> None:
    numbers = np.random.default_rng(0).normal(size=20_003) * 10.0 ** np.resize(np.arange(-50, 38), 20_003)
    numbers[[5, 7, 9, 11]] = np.nan, -0.0, np.inf, -np.inf
    numbers.view(np.uint64)[13] = 0x7FF << 52 | 1  # NaN that signals
    with np.errstate(invalid="ignore"):
        singles = numbers.astype(np.float32)
    nulls = np.arange(20_003) % 7 == 3
    numbers[nulls] = 1e300
    for mask, first in ((None, 0), (nulls, 0), (nulls, 3)):
        values = pa.array(np.where(nulls, 0, numbers) if mask is None else numbers, mask=mask).slice(first)
        with aj.options(compile=compile):
            found = [aj.array(values).cast("float32", strict=strict).values for strict in (True, False)]
        for one in found:
            one.validate(full=True)
            assert one.null_count == values.null_count
            kept = ~nulls[first:]
            got = np.frombuffer(one.buffers()[1], np.uint32, len(one), one.offset * 4)
            np.testing.assert_array_equal(got[kept], singles[first:].view(np.uint32)[kept])
    with aj.options(compile=compile), pytest.raises(JagValueError, match=r"cast: row 3 holds 1e\+300, which is not a valid float"):
        aj.array(numbers).cast("float32")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("sizes", [{}, {"PASS_VALUES": 8}], ids=["whole", "blocks"])
def test_instants_become_dates_and_times_of_their_wall_times(unit: str, sizes: dict[str, int], monkeypatch) -> None:
    seconds = [*range(-3600, 12 * 3600, 1733), None, 86_399 - 3600, *range(0, 12 * 3600, 997)]  # a day in Berlin
    ticks = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    times = pa.array([None if one is None else one * ticks for one in seconds], pa.int64()).view(
        pa.timestamp(unit, "Europe/Berlin")
    )
    x = aj.from_sizes(times, [3, len(times) - 3])[1:]
    midnights = pa.array([(day * 86_400 - 3600) * ticks for day in range(20)], pa.int64()).view(times.type)
    calls = []
    local = pc.local_timestamp
    monkeypatch.setattr(zones.pc, "local_timestamp", lambda values: calls.append(len(values)) or local(values))
    with strategy.force(**sizes):
        found = x.cast("time64[ns]")
        assert sum(calls) == len(x.values)  # once each
        dates = aj.array(midnights).cast("date32")
    expected = pa.array([None if one is None else (one + 3600) * 10**9 for one in seconds[3:]]).view(pa.time64("ns"))
    assert found.values.equals(expected)
    assert dates.to_list() == [dt.date(1970, 1, 1) + dt.timedelta(days=day) for day in range(20)]
    with pytest.raises(aj.JagValueError, match=r"row 1 holds .* not a valid date32"):
        aj.array(times[:2].take(pa.array([0, 1]))).cast("date32")
