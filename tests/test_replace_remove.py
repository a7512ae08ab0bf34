"""replace and remove."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagRangeError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL
from tests.reference import Jag


@given(st.data())
def test_replace_agrees_with_the_oracle(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), st.sampled_from([pa.int8(), pa.float64(), pa.string()]), small=True))
    old, new = x.values.slice(0, 1).to_pylist(), x.values.slice(1, 1).to_pylist()
    if old and new:
        got = x.replace(old[0], new[0])
        assert got.type == x.type
        assert_lists_equal(got.to_list(), ref.replace(x.to_list(), x.ndim, [(old[0], new[0])]), rel_tol=0, abs_tol=0)


@given(jagged_arrays(2, pa.int8(), small=True))
def test_a_dict_replaces_all_at_once(x: aj.JaggedArray) -> None:
    table: dict[Any, Any] = {k: k + 1 for k in range(-4, 12)} | {None: 99}
    assert x.replace(table).to_list() == ref.replace(x.to_list(), 2, list(table.items()))
    assert x.replace(list(table), list(table.values())).equals(x.replace(table))


def test_replace() -> None:
    x = aj.array([[1.0, math.nan, None, -0.0], None, []])
    assert x.replace(math.nan, None).to_list() == [[1.0, None, None, -0.0], None, []]
    assert_lists_equal(x.replace(None, 5).to_list(), [[1.0, math.nan, 5.0, -0.0], None, []])
    assert x.replace([0, None, math.nan], 7).to_list() == [[1.0, 7.0, 7.0, 7.0], None, []]
    assert x.replace([], []).values is x.values
    assert x.replace(99, 1).values is x.values
    small = aj.array([[1, 2]], type="int8")
    assert small.replace(300, 1).to_list() == [[1, 2]]
    assert small.replace(1, 2.0).type == pa.int8()
    words = aj.array([["a", "b"]], type=pa.dictionary(pa.int8(), pa.string()))
    assert words.replace("a", "z").to_list() == [["z", "b"]]


@pytest.mark.parametrize("type", ["int8", "uint64", "float32", "float64"])
def test_several_numbers_change_places(type: str) -> None:
    x = aj.array([[1, 2, None, 3], [2, 1], None], type=type)
    assert x.replace({1: 2, 2: 1}).to_list() == [[2, 1, None, 3], [1, 2], None]
    assert x.replace({1.0: 2.0, 2.0: 3.0, 3.0: 1.0}).to_list() == [[2, 3, None, 1], [3, 2], None]
    assert x.replace({1: 3, 3: None, None: 1}).to_list() == [[3, 2, 1, None], [2, 3], None]
    assert x.replace({7: 1, 8: 2}).values is x.values
    assert x.replace([True, 2], [5, 6]).to_list() == [[5, 6, None, 3], [6, 5], None]


def test_replace_rejects_invalid_arguments() -> None:
    x = aj.array([[1, 2]], type="int8")
    for new in (300, 1.5, "a"):
        with pytest.raises((JagTypeError, JagValueError, OverflowError), match=r"replace|int8"):
            x.replace(1, new)
    with pytest.raises(JagTypeError, match=r"^replace: 1\.5 does not fit the leaf type int8, which replace keeps\. Cast the array"):
        x.replace(1, 1.5)
    with pytest.raises(JagRangeError, match=r"^replace: the number 300 does not fit int8, which holds -128 to 127\. Cast"):
        x.replace([1, 2], [3, 300])
    with pytest.raises(JagValueError, match=r"2 old values and 1 new"):
        x.replace([1, 2], [3])
    with pytest.raises(JagValueError, match=r"old value 1 occurs twice"):
        x.replace([1, 2, 1], [3, 4, 5])
    with pytest.raises(JagTypeError, match=r"new is missing"):
        x.replace(1)
    with pytest.raises(JagTypeError, match=r"takes no second argument"):
        x.replace({1: 2}, 3)


@given(st.data())
def test_remove_agrees_with_the_oracle(data: st.DataObject) -> None:
    leaf, ndim = data.draw(leaf_types(*EQUAL)), data.draw(st.integers(2, 3))
    x, v = data.draw(prefix_arrays((ndim, data.draw(st.integers(1, ndim - 1))), (leaf, leaf)))
    expected = ref.remove(x.to_list(), ndim, Jag(v.to_list(), v.ndim))
    assert_lists_equal(x.remove(v).to_list(), expected, rel_tol=0, abs_tol=0)


@given(jagged_arrays(st.integers(1, 3)))
def test_remove_none_drops_nulls(x: aj.JaggedArray) -> None:
    assert x.remove(None).equals(x.drop_nulls())


def test_remove() -> None:
    x = aj.array([[1, 2, 1], None, [], [None]])
    assert x.remove(1).to_list() == [[2], None, [], [None]]
    assert x.remove([2, 1, 1, None]).to_list() == [[1, 1], None, [], []]
    assert aj.zeros(2, 3).remove(0).shape.extents == (2, None)
    with pytest.raises(ShapeError, match=r"remove: v has 2 dims"):
        x.remove([[1], [1], [1], [1]])


@pytest.mark.parametrize(("old", "new"), [(1, "7"), (1, b"7"), (1, dt.date(2020, 1, 1)), ("1", True), (1.5, "2.5"), (True, 2)])
def test_a_value_of_another_kind_is_refused(old: Any, new: Any) -> None:
    with pytest.raises(JagTypeError, match=r"does not fit the leaf type .*, which replace keeps"):
        aj.array([[old]]).replace(old, new)


def test_the_scalar_of_a_struct_is_a_value() -> None:
    """Though it is a mapping, as the dicts of old to new values are."""
    x = aj.array([[{"a": 1}, {"a": None}, None]])
    assert x.replace(x[0, 0], None).to_list() == x.replace([{"a": 1}], [None]).to_list() == [[None, {"a": None}, None]]
    assert x.replace(None, x[0, 0]).to_list() == [[{"a": 1}, {"a": None}, {"a": 1}]]


def test_dates_keep_no_times_of_day() -> None:
    """Arrow's cast of times to dates drops the rest of the day."""
    days = aj.array([[dt.date(2020, 1, 1), None]])
    noon = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001 - the type without a zone
    with pytest.raises(JagTypeError, match=r"replace: .* does not fit the leaf type date32\[day\], which replace keeps"):
        days.replace(None, noon)
    assert days.replace(noon, None).to_list() == days.to_list()
    assert days.cast("timestamp[s]").replace(None, noon.date()).to_list() == [[noon.replace(hour=0)] * 2]


def test_replace_of_ordered_categories() -> None:
    x = aj.from_sizes(pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), ["lo", "hi"], ordered=True), [2, 1])
    assert x.replace("lo", "hi").to_list() == [["hi", "hi"], [None]]
    assert x.replace({"lo": None, None: "lo"}).to_list() == [[None, "hi"], ["lo"]]
    assert x.replace("lo", "hi").type == x.type
    with pytest.raises(JagValueError, match=r"replace: 'no' is not one of the ordered categories \['lo', 'hi'\]"):
        x.replace("lo", "no")
    with pytest.raises(JagTypeError, match=r"got an array; write aj.where\(x == y, new, x\)"):
        x.replace(x, "hi")
