"""awkward, both ways: nulls of every level, records, regular dims, shared buffers."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays

ak = pytest.importorskip("awkward")
from arrowjag.interop.awkward import from_awkward, to_awkward  # noqa: E402


@given(jagged_arrays(leaf=st.sampled_from([pa.int32(), pa.float64(), pa.bool_(), pa.large_string()])))
def test_round_trips(x: aj.JaggedArray) -> None:
    assert len(to_awkward(x)) == len(x)
    back = from_awkward(to_awkward(x), ndim=x.ndim)
    if x.size:
        assert_equal(back, x)
    assert back.to_list() == x.to_list() or x.type == pa.float64()  # NaN


def test_awkward_reads_the_same_items() -> None:
    x = aj.array([[1, None], None, []])
    assert ak.to_list(to_awkward(x)) == x.to_list()
    pairs = aj.array([[{"a": 1, "b": [1.5]}], []])
    assert ak.to_list(to_awkward(pairs)) == pairs.to_list()
    assert from_awkward(ak.Array([[{"a": 1}], []])).to_list() == [[{"a": 1}], []]
    assert from_awkward(ak.Array(np.zeros((2, 3)))).shape.extents[1] == 3
    assert from_awkward(ak.Array([["ab"], []])).to_list() == [["ab"], []]
    assert from_awkward(ak.Array([[1, 2, 3], [4]])[:, ::-1]).to_list() == [[3, 2, 1], [4]]


@pytest.mark.parametrize("places", [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64()], ids=str)
@pytest.mark.parametrize("rows", [[["a", "b"], [], ["a"]], [["a", None], None, ["b"]]])
def test_categories_of_any_width(places: pa.DataType, rows: list[list[str | None] | None]) -> None:
    x = aj.array(rows).cast(pa.dictionary(places, pa.string()))
    assert ak.to_list(to_awkward(x)) == rows
    assert ak.to_list(to_awkward(x[1:])) == rows[1:]
    again = from_awkward(to_awkward(x))
    assert again.to_list() == rows
    assert again.type == pa.dictionary(pa.int64(), pa.string())


@pytest.mark.parametrize("rows", [[], [None], [[]], [[None], None]], ids=str)
@pytest.mark.parametrize("values", [pa.string(), pa.large_binary(), pa.int8(), pa.float64()], ids=str)
def test_categories_and_structs_without_any(values: pa.DataType, rows: list[Any]) -> None:
    """awkward can't read categories without any, nor the buffers that Arrow makes for no structs."""
    leaf = pa.dictionary(pa.int8(), values)
    for type in (leaf, pa.struct([("f", leaf)]), pa.struct([("a", pa.list_(pa.int64())), ("f", values)])):
        for ndim in (2, 3):
            x = aj.array(rows if ndim == 2 else [rows, None], type=type, ndim=ndim)
            for one in (x, x[:0], aj.array(pa.chunked_array([x.to_arrow(), x.to_arrow()]))):
                again = from_awkward(to_awkward(one), ndim)
                assert again.to_list() == one.to_list()
                assert again.type == (pa.dictionary(pa.int64(), values) if type == leaf else again.type)


@pytest.mark.parametrize(("leaf", "wide"), [(pa.string_view(), pa.large_string()), (pa.binary_view(), pa.large_binary())])
def test_views_of_text(leaf: pa.DataType, wide: pa.DataType) -> None:
    x = aj.array([["a", None], None, ["longer than twelve bytes"]]).cast(wide).cast(leaf)
    assert to_awkward(x[1:]).to_list() == x[1:].to_list()
    assert from_awkward(to_awkward(x)).equals(x.cast(wide))


PERSON = pa.struct([("a", pa.int32()), ("b", pa.string()), ("d", pa.struct([("e", pa.bool_())]))])


@given(jagged_arrays(leaf=PERSON), st.integers(0, 5))
def test_fields_of_slices(x: aj.JaggedArray, start: int) -> None:
    """awkward reads the nulls of fields that begin within their buffers from the wrong bits."""
    for array in (x, aj.from_arrow(x.to_arrow().slice(start), ndim=x.ndim)):
        assert ak.to_list(to_awkward(array)) == array.to_list()
    items = pa.array([{"c": [9, 9]}, {"c": None}, {"c": [1, None]}, {"c": []}], pa.struct([("c", pa.list_(pa.int8()))]))
    lists = aj.from_offsets(items.slice(1), [0, 1, 3])
    assert ak.to_list(to_awkward(lists)) == [[{"c": None}], [{"c": [1, None]}, {"c": []}]]


@pytest.mark.parametrize(
    ("field", "values", "read"),
    [
        (pa.dictionary(pa.int8(), pa.string()), ["x", None, "y"], None),
        (pa.string_view(), ["x", None, "longer than twelve bytes"], None),
        (pa.date64(), [dt.date(2024, 1, 2), None], None),
        (pa.map_(pa.string(), pa.int64()), [[("k", 1)], None, []], [[{"key": "k", "value": 1}], None, []]),
    ],
    ids=str,
)
def test_fields_of_types_that_awkward_lacks(field: pa.DataType, values: list[Any], read: list[Any] | None) -> None:
    x = aj.array([[{"f": one} for one in values]], type=pa.struct([("f", field)]))
    expected = [[{"f": one} for one in read or values]]
    assert from_awkward(to_awkward(x)).to_list() == expected
    if read is None:
        assert from_awkward(to_awkward(x["f"])).to_list() == [values]


@pytest.mark.parametrize("leaf", [pa.timestamp("us", "UTC"), pa.time32("s"), pa.time64("us"), pa.decimal128(5, 2)], ids=str)
def test_types_that_would_lose_a_part_inside_structs_too(leaf: pa.DataType) -> None:
    for type in (leaf, pa.struct([("f", leaf)]), pa.struct([("f", pa.list_(leaf))])):
        with pytest.raises(aj.JagTypeError, match=f"to_awkward has no kernel for {re.escape(str(leaf))}. awkward would lose part"):
            to_awkward(aj.array([[None]], type=type))


def test_values_are_shared() -> None:
    values = np.arange(4.0)
    x = aj.from_offsets(values, [0, 1, 4])
    there = to_awkward(x)
    assert np.shares_memory(np.asarray(ak.flatten(there)), values)
    again = from_awkward(there)
    assert again.values.buffers()[1].address == x.values.buffers()[1].address


def test_invalid_arguments_raise() -> None:
    with pytest.raises(TypeError, match="to_awkward has no kernel for decimal"):
        to_awkward(aj.array([[decimal.Decimal("1.5")]]))
    with pytest.raises(TypeError, match=r"to_awkward has no kernel for timestamp.*UTC"):
        to_awkward(aj.array([[0]], type=pa.int64()).cast(pa.timestamp("us", "UTC")))
    with pytest.raises(aj.ShapeError, match="to_awkward needs rows, got a single value"):
        to_awkward(1)
