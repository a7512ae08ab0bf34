"""translate."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import any_axis
from tests.operands import rows_along, rows_with_frame
from tests.reference import Jag


@given(st.data())
def test_translate_by_keys_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    keys = data.draw(jagged_arrays(ndim, pa.int8()))
    tables = rows_along(keys, axis)
    items = ref.items(tables.value, tables.ndim)
    repeated = any(
        len(present) > len(set(present)) for row in items if row is not None for present in [[k for k in row if k is not None]]
    )
    values = keys * -1
    x = keys.first(axis)
    x = x if isinstance(x, aj.JaggedArray) else aj.array([x.as_py()], type=pa.int8(), ndim=1)
    if repeated:
        with pytest.raises(JagValueError, match=r"equal keys"):
            x.translate(keys, values, axis)
        return
    expected = ref.elementwise(lambda k: -k if k > -128 else -128, Jag(x.to_list(), x.ndim))
    assert_lists_equal(x.translate(keys, values, axis).to_list(), expected)


def test_dictionaries_along_other_axes() -> None:
    keys, values = aj.array([["a", "x"], None, ["b"]]), aj.array([[1, 2], None, [3]])
    x = aj.array([["a", "b"], ["x", "a"]])
    assert x.translate(keys, values, axis=0).to_list() == [[1, 3], [2, None]]
    assert x.translate(keys, values, axis=None).to_list() == [[1, 3], [2, 1]]
    assert x.translate(keys, values, axis=(0, 1)).to_list() == [[1, 3], [2, 1]]
    assert x.translate(keys, [5, 6, 7], axis=None).to_list() == [[5, 7], [5, 5]]
    with pytest.raises(JagIndexError, match=r"translate: axis 2"):
        x.translate(keys, values, axis=2)


@given(st.data())
def test_translate_of_every_type(data: st.DataObject) -> None:
    frame, more = data.draw(st.integers(1, 2)), data.draw(st.integers(-1, 1))
    leaf = data.draw(leaf_types("int", "float", "string", "binary", "date", "decimal", "bool", "struct"))
    keys, x = rows_with_frame(data, frame, leaf, distinct=True)
    if more == 1:
        rows = st.none() | st.lists(st.none() | leaf_values(leaf, small=True), max_size=3)
        x = array_of(ref.at_depth(lambda _: data.draw(rows), x.to_list(), frame), leaf, frame + 1)
    numbers = iter(range(10**6))
    values = aj.array(ref.at_depth(lambda _: next(numbers), keys.to_list(), frame + 1), type=pa.int64(), ndim=frame + 1)
    expected = ref.translate(Jag(x.to_list(), x.ndim), Jag(keys.to_list(), keys.ndim), Jag(values.to_list(), values.ndim))
    got = x.translate(keys, values)
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), expected)


def test_one_dictionary_for_all() -> None:
    x = aj.array([[1, 2], None, [9, None]])
    assert x.translate([1, 2, None], ["a", "b", "c"]).to_list() == [["a", "b"], None, [None, None]]
    assert x.translate([], []).to_list() == [[None, None], None, [None, None]]
    assert aj.array([[math.nan, -0.0]]).translate([math.nan, 0.0], [1, 2]).to_list() == [[1, 2]]


def test_a_dict_holds_keys_and_values() -> None:
    x = aj.array([["a", "b", None], None, [], ["z"]])
    assert x.translate({"a": 1, "z": 2}).to_list() == [[1, None, None], None, [], [2]]
    assert x.translate({}).to_list() == [[None, None, None], None, [], [None]]
    assert x.translate({"a": 1}).type == pa.int64()
    with pytest.raises(JagTypeError, match=r"values_from is given too; write x\.translate\(dict\)"):
        x.translate({"a": 1}, [1])
    with pytest.raises(JagTypeError, match=r"values_from is missing; write x\.translate\(keys, values\), or"):
        x.translate(["a"])


def test_values_are_spread_to_keys_and_null_rows_stay() -> None:
    x = aj.array([[1, 2], [3], [4]])
    assert x.translate([[1, 2], [3], None], [10, 20, 30]).to_list() == [[10, 10], [20], None]


def test_refused_dictionaries() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"equal keys in row 1"):
        x.translate([[1, 2], [3, 3]], [[1, 2], [3, 4]])
    with pytest.raises(ShapeError, match=r"translate"):
        x.translate([[1], [2], [3]], [[1], [2], [3]])
    with pytest.raises(ShapeError, match=r"translate: values have 2 dims"):
        x.translate([1, 2], [[1], [2]])
    with pytest.raises(JagTypeError, match=r"translate: .* no common type"):
        x.translate(["a"], [1])
