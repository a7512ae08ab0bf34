"""unique, value_counts and the operations on sets: union, intersection, difference, contains, is_in."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, any_axis, first_axis, grouped, kept, trailing_axes
from tests.reference import Jag

ndims = st.integers(1, 3)
EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_unique_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*EQUAL), small=True))
    got = x.unique(axis)
    assert got.type == x.type
    flat, first = grouped(x.to_list(), ndim, axis)
    assert_lists_equal(got.to_list(), ref.rows_at(ref.first_appearances, flat, first), **EXACT)


@given(st.data())
def test_value_counts_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*EQUAL), small=True))
    flat, first = grouped(x.to_list(), ndim, axis)
    got = x.value_counts(axis)
    assert [field.name for field in got.type] == ["value", "count"]
    assert_lists_equal(got.to_list(), ref.value_counts(flat, first + 1), **EXACT)


def test_nan_is_one_value_and_zeros_are_one() -> None:
    x = aj.array([[math.nan, -0.0, math.nan, 0.0, None]])
    assert_lists_equal(x.unique().to_list(), [[math.nan, -0.0]])
    assert_lists_equal(x.value_counts()["count"].to_list(), [[2, 2]])


@pytest.mark.parametrize("name", ["union", "intersection", "difference"])
@given(st.data())
def test_set_operations_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(trailing_axes(ndim) | st.integers(-ndim, ndim - 1))
    leaf = data.draw(leaf_types(*EQUAL))
    first, _ = first_axis(axis, ndim)
    if isinstance(axis, int) and first < ndim - 1:  # rows below the axis are items, and need not agree
        x, y = (data.draw(jagged_arrays(ndim, leaf, small=True, null_rows=False)) for _ in range(2))
        if first > 0:
            return
        flat_x, flat_y = x.to_list(), y.to_list()
    else:
        x, y = data.draw(prefix_arrays((ndim, ndim), leaf))
        flat_x, flat_y = grouped(x.to_list(), ndim, axis)[0], grouped(y.to_list(), ndim, axis)[0]
    expected = getattr(ref, name)(flat_x, flat_y, first + 1)
    assert_lists_equal(getattr(x, name)(y, axis).to_list(), expected, **EXACT)


def test_sets_of_other_sizes_than_each_other() -> None:
    x, y = aj.array([[1, 2, 2, None], None, [], [3]]), aj.array([[2, 5], [1], [4, 4], None])
    assert x.union(y).to_list() == [[1, 2, 5], None, [4], None]
    assert x.intersection(y).to_list() == [[2], None, [], None]
    assert x.difference(y).to_list() == [[1], None, [], None]
    deep = aj.array([[[1], [2, 3]], [[4]]])
    assert deep.difference([[[2, 3], [9]], [[4], [4]]], axis=1).to_list() == [[[1]], []]


def test_sets_of_types_that_meet() -> None:
    assert aj.array([[1]], type=pa.int8(), ndim=2).union([[1.5]]).to_list() == [[1.0, 1.5]]
    with pytest.raises(JagTypeError, match=r"union: .* have no common type"):
        aj.array([[1]]).union([["a"]])
    with pytest.raises(ShapeError, match=r"union"):
        aj.array([[1]]).union([[1], [2]])
    with pytest.raises(ShapeError, match=r"equally many dims"):
        aj.array([[1]]).union([1])


@given(st.data())
def test_contains_a_scalar_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    leaf = data.draw(leaf_types("int", "float", "string", "date", "decimal", "bool", "timestamp", "dictionary"))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    value = data.draw(st.none() | leaf_values(leaf.value_type if pa.types.is_dictionary(leaf) else leaf, small=True))
    scalar = pa.scalar(value, leaf.value_type if pa.types.is_dictionary(leaf) else leaf)
    wanted = scalar.as_py()
    holds = lambda leaves: None if wanted is None else ref.key(wanted) in [ref.key(v) for v in leaves if v is not None]  # noqa: E731
    got = x.contains(scalar, axis)
    expected = ref.reduce(holds, x.to_list(), ndim, axis, x.shape.extents)
    assert_lists_equal(got.as_py() if isinstance(got, pa.Scalar) else got.to_list(), expected)


@given(st.data())
def test_contains_one_value_or_several_a_row(data: st.DataObject) -> None:
    ndim, more = data.draw(st.integers(2, 3)), data.draw(st.integers(-1, 1))
    x, v = _with_frame(data, ndim, ndim - 1 + more, pa.float64())
    got = x.contains(v)
    assert_lists_equal(got.to_list(), ref.contains(Jag(x.to_list(), ndim), Jag(v.to_list(), v.ndim)))


def _with_frame(data: st.DataObject, ndim: int, other: int, leaf: pa.DataType) -> tuple[Any, Any]:
    """Two arrays that agree in the dims above the rows of the first."""
    frame = ndim - 1
    x, y = data.draw(prefix_arrays((frame, min(other, frame)), (pa.int64(), leaf)))
    rows = st.none() | st.lists(st.none() | leaf_values(leaf, small=True), max_size=3)
    x = aj.array(ref.at_depth(lambda item: data.draw(rows), x.to_list(), frame), type=leaf, ndim=ndim)
    if other > frame:
        y = aj.array(ref.at_depth(lambda item: data.draw(rows), y.to_list(), frame), type=leaf, ndim=other)
    return x, y


@given(st.data())
def test_is_in_a_flat_set(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    leaf = data.draw(leaf_types(*EQUAL))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    values = data.draw(jagged_arrays(1, leaf, small=True))
    assert_lists_equal(x.is_in(values).to_list(), ref.is_in(Jag(x.to_list(), ndim), Jag(values.to_list(), 1)))


@given(st.data())
def test_is_in_row_by_row(data: st.DataObject) -> None:
    ndim, more = data.draw(st.integers(2, 3)), data.draw(st.integers(-1, 1))
    sets, x = _with_frame(data, ndim, ndim - 1 + more, pa.float32())
    assert_lists_equal(x.is_in(sets).to_list(), ref.is_in(Jag(x.to_list(), x.ndim), Jag(sets.to_list(), ndim)))


def test_sets_of_python() -> None:
    x = aj.array([["a", None], ["b"]])
    assert x.is_in({"a"}).to_list() == x.is_in(["a", None]).to_list() == [[True, None], [False]]
    assert x.is_in([]).to_list() == [[False, None], [False]]
    assert aj.array([[1, 2]], type=pa.int8(), ndim=2).is_in([1.0]).to_list() == [[True, False]]
    with pytest.raises(JagTypeError, match=r"is_in: .* have no common type"):
        x.is_in([1])


def test_a_null_set_gives_null() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.is_in([[1], None]).to_list() == [[True, False], None]
    assert aj.array([[1], None]).contains([1, 1]).to_list() == [True, None]


@given(st.data())
def test_kept_helpers_agree_with_the_oracle(data: st.DataObject) -> None:
    rows = data.draw(jagged_arrays(2, pa.int8())).to_list()
    assert kept(lambda row: ref.cumcount(row, 1), rows, 2) == ref.cumcount(rows, 2)
