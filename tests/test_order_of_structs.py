"""Structs in operations on order: a null field sorts last, NaN just before it, ascending and descending."""

from __future__ import annotations

import math
import operator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.surfaces import SURFACES

NAN = math.nan


@given(st.data())
def test_structs_against_the_oracle(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, leaf_types("struct"), small=True))
    rows = x.to_list()
    for falling in (False, True):
        order = ref.argsort(rows, 2, descending=falling)
        assert x.argsort(falling).to_list() == order
        assert_lists_equal(x.sort(falling).to_list(), ref.sort(rows, 2, descending=falling), rel_tol=0, abs_tol=0)
        assert x.rank("dense", falling).to_list() == ref.rank(rows, 2, "dense", descending=falling)
        first = [row[places[0]] if row else None for row, places in zip(map(_list, rows), map(_list, order), strict=True)]
        assert_lists_equal((x.max() if falling else x.min()).to_list(), first, rel_tol=0, abs_tol=0)
    assert_lists_equal(x.topk(2).to_list(), ref.topk(rows, 2, 2), rel_tol=0, abs_tol=0)


NESTED = [
    pa.struct({"a": pa.float64(), "b": pa.int8()}),
    pa.struct({"a": pa.struct({"x": pa.float32(), "y": pa.bool_()}), "b": pa.string_view()}),
    pa.struct({"a": pa.decimal128(30, 2), "b": pa.large_binary()}),
    pa.struct({"a": pa.dictionary(pa.int8(), pa.string()), "b": pa.date32()}),
]


@given(st.data())
def test_comparisons_of_structs_follow_their_order(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(2, leaf_types("struct") | st.sampled_from(NESTED), small=True))
    y = data.draw(st.sampled_from([x, x.reverse(), x.sort()]))
    for function in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):

        def compared(one: Any, two: Any, function: Any = function) -> bool | None:
            if one is None or two is None:
                return None
            return bool(function((ref.row_order([one, two]) == [1, 0]) - (ref.row_order([two, one]) == [1, 0]), 0))

        pairs = zip(x.to_list(), y.to_list(), strict=True)
        expected = [None if one is None else [*map(compared, one, two)] for one, two in pairs]
        assert function(x, y).to_list() == expected


def _list(row: list[object] | None) -> list[object]:
    return [] if row is None else row


@pytest.mark.parametrize("surface", SURFACES)
def test_a_struct_of_null_is_never_the_largest(surface: str) -> None:
    x, on = aj.array([[{"x": None}, {"x": 1.0}, {"x": NAN}, {"x": 2.0}, None]]), SURFACES[surface]
    rising = [[{"x": 1.0}, {"x": 2.0}, {"x": NAN}, {"x": None}, None]]
    falling = [[{"x": 2.0}, {"x": 1.0}, {"x": NAN}, {"x": None}, None]]
    assert_lists_equal(on(x, "sort"), rising)
    assert_lists_equal(on(x, "sort", descending=True), falling)
    assert on(x, "topk", 2) == [[{"x": 2.0}, {"x": 1.0}]]
    assert (on(x, "max"), on(x, "argmax"), on(x, "min"), on(x, "argmin")) == ([{"x": 2.0}], [3], [{"x": 1.0}], [1])
    assert on(x, "rank") == [[4, 1, 3, 2, None]]
    assert on(x, "rank", descending=True) == [[4, 2, 3, 1, None]]
    assert on(x, "cummax")[0][1:4] == [{"x": 1.0}, {"x": 1.0}, {"x": 2.0}]


@pytest.mark.parametrize(("name", "compare"), [("equal", operator.eq), ("less", operator.lt)])
def test_structs_of_fields_without_order_are_not_compared(name: str, compare: Any) -> None:
    type = pa.struct({"a": pa.month_day_nano_interval()})
    x = aj.array(pa.array([[{"a": pa.MonthDayNano([1, 2, 3])}]], pa.list_(type)))
    with pytest.raises(aj.JagTypeError, match=f"^{name} has no kernel for month_day_nano_interval"):
        compare(x, x)


@pytest.mark.parametrize("other", [{"c": 5, "d": 6}, {"a": 1, "c": 2}, {"b": 0, "a": 1}, {"b": 0}], ids=str)
def test_structs_of_other_fields_have_no_order(other: dict[str, int]) -> None:
    """Whichever operand's fields came first would decide which of two structs is less."""
    type = pa.struct([(name, pa.int64()) for name in other])  # older versions of pyarrow sort the names that they infer
    x, y = aj.array([[{"a": 1, "b": 2}, None], None]), aj.array([[other, other], None], type=type)
    inside, beside = aj.array([[{"s": {"a": 1, "b": 2}}]]), aj.array([[{"s": other}]], type=pa.struct([("s", type)]))
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        for one, two in ((x, y), (y, x), (x, pa.scalar(other, type)), (inside, beside)):
            with pytest.raises(aj.JagTypeError, match="have no common order"):
                compare(one, two)
    assert (x == y).to_list() == [[other == {"a": 1, "b": 2}, None], None]
    shorter = aj.array([[{"a": 1}, {"a": 2}], None])  # the field that it lacks counts as null, the last of all
    assert (x < shorter).to_list() == (shorter > x).to_list() == [[True, None], None]


@pytest.mark.parametrize("nested", [False, True])
def test_slices_of_structs_with_fields_of_nulls(nested: bool) -> None:
    inner = pa.struct([("n", pa.null())])
    types = [pa.struct([("n", inner if nested else pa.null()), ("f", leaf)]) for leaf in (pa.float32(), pa.float64())]
    rows = [{"n": {"n": None} if nested else None, "f": float(k)} for k in range(13)]
    x, y = (aj.from_sizes(pa.array(rows, type), [11, 1, 1])[1:] for type in types)  # the slices begin beyond their own length
    for one, two in ((x, x), (x, y), (x.cast(types[1]), y)):
        assert (one == two).to_list() == [[True], [True]]
        assert (one < two).to_list() == [[False], [False]]
    assert x.cast(types[1])["n"].to_list() == x["n"].to_list()
    assert aj.concat([x, y]).to_list() == [[row] for row in rows[11:] * 2]


def test_no_items_compare_with_a_struct_of_a_list() -> None:
    type = pa.struct([("l", pa.list_(pa.int64()))])
    x = aj.array([[], None], type=type, ndim=2)
    assert (x == pa.scalar({"l": [1]}, type)).to_list() == [[], None]
    assert (x < pa.scalar({"l": [1]}, type)).to_list() == [[], None]


@pytest.mark.parametrize("name", ["cummin", "cummax"])
def test_extremes_are_the_first_of_equal_items_of_their_row(name: str) -> None:
    """0.0 and -0.0 are equal: the item of another row is not taken for it."""
    rows = [[{"x": 0.0}], [{"x": -0.0}, {"x": 0.0}], [{"x": NAN}, None, {"x": 0.0}]]
    x = aj.array(rows)
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 2, None, 0]), pa.array([0.0, -0.0, NAN]))
    for column in (x, aj.from_sizes(words, [1, 2, 3])):
        whole = getattr(column, name)().to_list()
        assert repr(whole) == repr([row for at in range(3) for row in getattr(column[at : at + 1], name)().to_list()])
        assert repr(whole) == repr(getattr(column.rolling(3, min_periods=1), name.removeprefix("cum"))().to_list()[:2] + whole[2:])
