"""get: by key in maps, by position in all other rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_values
from arrowjag.testing._leaves import leaf_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import as_list
from tests.operands import jag
from tests.reference import Jag

KEYS = [pa.string(), pa.large_string(), pa.int32(), pa.float64(), pa.date32(), pa.dictionary(pa.int8(), pa.string()), pa.binary(3)]
M = aj.array([[("a", 1), ("b", None)], [], None, [("b", 3), ("a", 4)]], type=pa.map_(pa.string(), pa.int64()))


def one_per_row(draw: Any, x: aj.JaggedArray, leaf: pa.DataType, values: Any) -> aj.JaggedArray:
    """An array with the dims above the rows' items, null rows of its own included."""
    frame = ref.at_depth(lambda _: draw(values), x.to_list(), x.ndim - 1)
    return array_of(frame, leaf, x.ndim - 1)


@given(st.data())
def test_every_leaf_type_by_position(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3)).filter(lambda x: not x.fields))
    default = data.draw(st.none() | leaf_values(x.type))
    spare = None if default is None else leaf_arrays([default], x.type, [])[0]
    known = None if spare is None else spare.as_py()
    if x.ndim > 1 and data.draw(st.booleans()):
        positions = one_per_row(data.draw, x, pa.int64(), st.none() | st.integers(-3, 3))
        assert_lists_equal(x.get(positions, spare).to_list(), ref.get(jag(x), jag(positions), Jag(known, 0)))
        return
    position = data.draw(st.integers(-4, 4))
    assert_lists_equal(as_list(x.get(position, spare)), ref.get(jag(x), Jag(position, 0), Jag(known, 0)))


@pytest.mark.parametrize("leaf", KEYS, ids=str)
@given(data=st.data())
def test_every_type_of_keys(leaf: pa.DataType, data: st.DataObject) -> None:
    entry = pa.struct([("key", leaf), ("value", pa.int64())])
    x = data.draw(jagged_arrays(st.integers(2, 3), entry, nulls=False, small=True))
    keys = leaf_values(leaf, small=True)
    if data.draw(st.booleans()):
        sought = one_per_row(data.draw, x, leaf, st.none() | keys)
        assert_lists_equal(x.get(sought, -1).to_list(), ref.get(jag(x), jag(sought), Jag(-1, 0), maps=True))
        return
    one = pa.scalar(data.draw(keys), leaf)
    assert_lists_equal(x.get(one).to_list(), ref.get(jag(x), Jag(one.as_py(), 0), maps=True))


def test_the_leaf_type_decides_the_meaning_of_a_number() -> None:
    numbered = aj.array([[(5, "five"), (0, "none")], []], type=pa.map_(pa.int64(), pa.string()))
    assert numbered.get(0).to_list() == ["none", None]
    assert numbered.get(1, "missing").to_list() == ["missing", "missing"]
    assert numbered["value"].get(0).to_list() == ["five", None]
    other = aj.array([[{"key": 5, "worth": 1}], []])
    assert other.get(0).to_list() == [{"key": 5, "worth": 1}, None]


def test_a_missing_key_has_the_default_and_a_null_value_stays() -> None:
    assert M.get("b").to_list() == [None, None, None, 3]
    assert M.get("b", -1).to_list() == [None, -1, None, 3]
    assert M.get("b", [10, 20, 30, 40]).to_list() == [None, 20, None, 3]
    assert M.get(None).to_list() == [None] * 4
    assert M.get(aj.array(["a", "a", "a", None]), -1).to_list() == [1, -1, None, None]


def test_the_type_of_the_result_holds_values_and_default() -> None:
    assert M.get("a").type == M.get("a", 0).type == pa.int64()
    assert M.get("a", 0.5).to_list() == [1.0, 0.5, None, 4.0]
    assert M[:0].get("a", 0.5).type == pa.float64()


def test_the_last_of_equal_keys_counts() -> None:
    twice = aj.array([[("a", 1), ("a", 2)]], type=pa.map_(pa.string(), pa.int64()))
    assert twice.get("a").to_list() == [2]
    nan = float("nan")
    floats = aj.array([[(nan, 1), (-0.0, 2)]], type=pa.map_(pa.float64(), pa.int64()))
    assert floats.get(nan).to_list() == [1]
    assert floats.get(0.0).to_list() == [2]


def test_keys_compare_by_value() -> None:
    small = aj.array([[(1, "a")], []], type=pa.map_(pa.int8(), pa.string()))
    assert small.get(300).to_list() == [None, None]
    assert small.get(pa.array([1, 300])).to_list() == ["a", None]


def test_values_that_are_lists_keep_their_dims() -> None:
    x = aj.array([[("a", [1, 2]), ("b", None)], [("a", [])], None], type=pa.map_(pa.string(), pa.list_(pa.int64())))
    assert x.get("a").to_list() == [[1, 2], [], None]
    assert x.get("b").to_list() == [None, None, None]
    assert x.get("b", []).to_list() == [None, [], None]
    assert x.get("z", [7]).to_list() == [[7], [7], None]
    assert x.get("b", [[1], [2, 3], []]).to_list() == [None, [2, 3], None]
    with pytest.raises(aj.ShapeError, match="have 1 dim, and the default must have as many, got a scalar"):
        x.get("z", 7)
    with pytest.raises(aj.ShapeError, match="a default per row must have the rows"):
        x.get("z", [[1], [2]])


def test_maps_of_maps_and_maps_in_lists_and_structs() -> None:
    inner = pa.map_(pa.string(), pa.int64())
    x = aj.array([[("x", [("a", 1)])], []], type=pa.map_(pa.string(), inner))
    assert x.get("x").get("a").to_list() == [1, None]
    lists = aj.array([[[("a", 1)], []], [None]], type=pa.list_(inner))
    assert lists.ndim == 3
    assert lists.get("a", 0).to_list() == [[1, 0], [None]]
    assert lists.get(["a", "b"]).to_list() == [[1, None], [None]]
    struct = pa.StructArray.from_arrays([pa.array([[("a", 1)], None], inner)], ["m"])
    assert aj.array(struct)["m"].get("a").to_list() == [1, None]


def test_a_map_that_is_a_leaf_is_opened() -> None:
    maps = pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))
    x = aj.array(maps, ndim=1)
    assert x.type == maps.type
    assert x.get("a").to_list() == [1, None]
    assert x.contains_key("a").to_list() == [True, None]
    assert x["key"].to_list() == [["a"], None]


def test_one_dim_has_one_item() -> None:
    assert aj.array([1, 2, 3]).get(-1).as_py() == 3
    assert aj.array([1, 2]).get(7, 0).as_py() == 0


@pytest.mark.parametrize("key", [True, 1.0, [1.5, 2.5]])
def test_positions_are_integers(key: Any) -> None:
    with pytest.raises(aj.JagTypeError, match="get: key must be"):
        aj.array([[1], [2]]).get(key)


def test_a_key_that_no_leaf_can_have_is_refused() -> None:
    with pytest.raises(aj.JagTypeError, match="leaves of string are looked up by position, got the key 'a'"):
        aj.array([["a"]]).get("a")
    with pytest.raises(aj.JagTypeError, match="get: the keys of the maps are string, got 1"):
        M.get(1)
    with pytest.raises(aj.JagTypeError, match="get: the keys of the maps are string, got keys of int64"):
        M.get([1, 2, 3, 4])


def test_several_keys_per_row_are_refused() -> None:
    with pytest.raises(aj.ShapeError, match="use take for several positions per row, translate for several keys"):
        M.get([["a"], ["a"], ["a"], ["a"]])
    with pytest.raises(aj.ShapeError, match=r"^get: JaggedShape\(2\) is not a prefix of"):
        M.get(["a", "b"])


def test_a_default_of_another_kind_names_get() -> None:
    with pytest.raises(aj.JagTypeError, match="get: int64 and string have no common type"):
        aj.array([[1]]).get(5, default="a")
