"""append, insert, splice and rotate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.hosts import pd
from tests.operands import jag
from tests.surfaces import SURFACES

EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}
X = aj.array([[1, 2, 3], [], None, [4]])


@given(st.data())
def test_append_and_insert_agree_with_the_oracle(data: st.DataObject) -> None:
    leaf, ndim = data.draw(leaf_types()), data.draw(st.integers(2, 3))
    shorter = st.integers(1, ndim - 1)
    x, v = data.draw(prefix_arrays((ndim, data.draw(shorter)), leaf))
    assert_lists_equal(x.append(v).to_list(), ref.append(x.to_list(), ndim, jag(v)), **EXACT)
    x, v, i = data.draw(prefix_arrays((ndim, data.draw(shorter), data.draw(shorter)), (leaf, leaf, pa.int8())))
    assert_lists_equal(x.insert(i, v).to_list(), ref.insert(x.to_list(), ndim, jag(i), jag(v)), **EXACT)


@given(st.data())
def test_splice_agrees_with_the_oracle(data: st.DataObject) -> None:
    leaf, ndim = data.draw(leaf_types()), data.draw(st.integers(2, 3))
    x, start, n = data.draw(prefix_arrays((ndim, ndim - 1, data.draw(st.integers(1, ndim - 1))), (leaf, pa.int8(), pa.uint8())))
    given_items = x.tail(2)
    assert_lists_equal(
        x.splice(start, n, given_items).to_list(), ref.splice(x.to_list(), ndim, jag(start), jag(n), jag(given_items)), **EXACT
    )
    assert_lists_equal(x.splice(start, n).to_list(), ref.splice(x.to_list(), ndim, jag(start), jag(n)), **EXACT)


@given(st.data())
def test_rotate_agrees_with_the_oracle(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    x, n = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, ndim - 1))), (leaf_types(), pa.int8())))
    assert_lists_equal(x.rotate(n).to_list(), ref.rotate(x.to_list(), ndim, jag(n)), **EXACT)


@given(jagged_arrays(st.integers(1, 3)), st.integers(-9, 9))
def test_rotating_back_gives_the_rows_back(x: aj.JaggedArray, n: int) -> None:
    assert x.rotate(n).rotate(-n).equals(x)


def test_one_value_for_all_rows() -> None:
    assert X.append(9).to_list() == [[1, 2, 3, 9], [9], None, [4, 9]]
    assert X.append(None).to_list() == [[1, 2, 3, None], [None], None, [4, None]]
    assert X.insert(-1, 9).to_list() == [[1, 2, 9, 3], [9], None, [9, 4]]
    assert X.insert(99, 9).equals(X.append(9))
    assert X.insert(-(2**70), 9).equals(X.insert(0, 9))
    assert X.splice(1, 1, 9).to_list() == [[1, 9, 3], [9], None, [4, 9]]
    assert X.splice(1, 2**70).to_list() == [[1], [], None, [4]]
    assert X.rotate(2).to_list() == [[2, 3, 1], [], None, [4]]
    assert aj.array([1, 2]).append(3).to_list() == [1, 2, 3]
    assert aj.array([1, 2, 3]).splice(1, 1, aj.array([7, 8])).to_list() == [1, 7, 8, 3]


def test_a_null_position_makes_the_row_null() -> None:
    assert X.insert([None, 0, 0, 0], 9).to_list() == [None, [9], None, [9, 4]]
    assert X.splice(0, [1, 1, 1, None]).to_list() == [[2, 3], [], None, None]
    assert X.rotate([None, 1, 1, 1]).to_list() == [None, [], None, [4]]


@pytest.mark.parametrize("surface", SURFACES)
def test_a_scalar_of_any_library_is_a_position(surface: str) -> None:
    """A null scalar is a null position, as in an array of positions."""
    call = SURFACES[surface]
    calls: dict[str, Callable[[Any], tuple[Any, ...]]] = {
        "insert": lambda n: (n, 9),
        "splice": lambda n: (n, 1, 8),
        "rotate": lambda n: (n,),
        "head": lambda n: (n,),
        "slice": lambda n: (n, 1),
        "get": lambda n: (n,),
    }
    for name, arguments in calls.items():
        for one in (np.int8(1), np.array(1), pa.scalar(1, pa.int8()), pa.scalar(1, pa.uint64())):
            assert call(X, name, *arguments(one)) == call(X, name, *arguments(1)), (name, one)
        for null in (pa.scalar(None, pa.int64()), pa.scalar(None), pd.NA):
            assert call(X, name, *arguments(null)) == [None] * len(X), (name, null)
    assert call(X, "splice", 0, pa.scalar(None, pa.int8())) == [None] * len(X)
    with pytest.raises(JagTypeError, match=r"splice: n must be an int, got NoneType"):
        call(X, "splice", 0, None)
    with pytest.raises(JagTypeError, match=r"rotate: n must be (an int|integers), got (bool|float)"):
        call(X, "rotate", pa.scalar(True))


def test_the_items_of_a_row_that_a_position_makes_null_are_dropped() -> None:
    spliced = aj.array([[1, 2], [3]]).splice([None, 0], 1, aj.array([[7], [8, 9]]))
    assert spliced.to_list() == [None, [8, 9]]
    assert spliced.values.to_pylist() == [8, 9]


def test_types_meet_and_extents_grow() -> None:
    assert aj.array([[1]]).append(aj.array([2.5])).type == pa.float64()
    assert aj.zeros(2, 3).append(1).shape.extents == (2, 4)
    assert aj.zeros(2, 3).insert(1, 1).shape.extents == (2, 4)
    assert aj.zeros(0, 3).insert(1, 1).shape.extents[1] == 4
    assert aj.zeros(2, 3).splice(1, 1, 5).shape.extents == (2, None)
    assert aj.zeros(2, 3).rotate(1).shape.extents == (2, 3)


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ShapeError, match=r"append: v has 2 dims.*have 1"):
        X.append(X)
    with pytest.raises(JagTypeError, match=r"insert: i must be an int, got float"):
        X.insert(1.0, 2)
    with pytest.raises(JagTypeError, match=r"insert: i must be integers, got string"):
        X.insert(["a", "b", "c", "d"], 2)
    with pytest.raises(JagValueError, match=r"splice: n must not be negative, got -1$"):
        X.splice(0, -1)
    with pytest.raises(JagValueError, match=r"splice: n must not be negative, got -2 for row 1"):
        X.splice(0, [1, -2, 1, 1])
    with pytest.raises(ShapeError, match=r"splice: y has 3 dims"):
        X.splice(0, 1, [[[1]], [[2]], [[3]], [[4]]])
    with pytest.raises(JagTypeError, match=r"append: .* no common type"):
        X.append(aj.array(["a", "b", "c", "d"]))
    with pytest.raises(ShapeError, match=r"rotate needs rows"):
        aj.array(1).rotate(1)


def test_ordered_categories_stay_ordered() -> None:
    x = aj.from_sizes(pa.DictionaryArray.from_arrays(pa.array([0, 1]), ["z", "a"], ordered=True), [2])
    for got, expected in (
        (x.append("z"), ["z", "a", "z"]),
        (x.append(None), ["z", "a", None]),
        (x.append(["a"]), ["z", "a", "a"]),
        (x.insert(0, "a"), ["a", "z", "a"]),
        (x.splice(0, 1, [["a", "a"]]), ["a", "a", "a"]),
    ):
        assert got.to_list() == [expected]
        assert got.type == x.type
    assert x.insert(0, "a").sort().to_list() == [["z", "a", "a"]]
    with pytest.raises(JagValueError, match=r"append: 'q' is not one of the ordered categories \['z', 'a'\]"):
        x.append("q")
