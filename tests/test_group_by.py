"""group_by and group_by_indices."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, ORDERED, any_axis, grouped, trailing_axes
from tests.reference import Jag

ndims = st.integers(1, 3)
EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_groups_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*EQUAL), small=True))
    flat, first = grouped(x.to_list(), ndim, axis)
    assert_lists_equal(x.group_by_indices(axis=axis).to_list(), ref.group_by_indices([flat], first + 1))
    assert_lists_equal(x.group_by(axis=axis).to_list(), ref.group_by(flat, first + 1), **EXACT)


@given(st.data())
def test_groups_by_several_keys(data: st.DataObject) -> None:
    ndim, n_keys = data.draw(ndims), data.draw(st.integers(1, 2))
    kinds = [data.draw(leaf_types("int", "float", "string", "bool")) for _ in range(n_keys)]
    x, *keys = data.draw(prefix_arrays([ndim] * (n_keys + 1), [pa.int64(), *kinds]))
    rows = ref.align(*(Jag(one.to_list(), ndim) for one in (x, *keys)))  # a row that is null in one is null in all
    expected = ref.group_by(rows[0], ndim, *rows[1:])
    assert_lists_equal(x.group_by(*keys).to_list(), expected, **EXACT)


@given(st.data())
def test_groups_over_trailing_axes(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(trailing_axes(ndim))
    x, by = data.draw(prefix_arrays([ndim, ndim], [pa.int64(), pa.int8()], null_rows=False))
    flat, first = grouped(x.to_list(), ndim, axis)
    expected = ref.group_by(flat, first + 1, grouped(by.to_list(), ndim, axis)[0])
    assert_lists_equal(x.group_by(by, axis=axis).to_list(), expected)


def test_sorted_groups_of_ordered_categories() -> None:
    sizes = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int8()), pa.array(ref.CATEGORIES[:2]), ordered=True)
    x = aj.from_sizes(sizes, [3])
    assert x.to_list() == [["large", "small", "large"]]
    assert x.group_by_indices(sort=True).to_list() == ref.group_by_indices([x.to_list()], 2, sort=True) == [[[1], [0, 2]]]


def test_sorted_groups_of_texts_and_structs() -> None:
    words = aj.array([["b", "a", None, "b"], ["c", "b"]])
    pairs = aj.zip(word=words, number=[[1, 2, 3, 0], [5, 5]])
    assert words.group_by_indices(words, sort=True).to_list() == [[[1], [0, 3]], [[1], [0]]]
    assert words.group_by_indices(words, [[1, 2, 3, 0], [5, 5]], sort=True).to_list() == [[[1], [3], [0]], [[1], [0]]]
    assert pairs.group_by_indices(sort=True).to_list() == [[[1], [3], [0], [2]], [[1], [0]]]


@given(st.data())
def test_sorted_groups(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED), small=True))
    n_keys = data.draw(st.integers(0, 2))
    expected = ref.group_by_indices([x.to_list()] * max(n_keys, 1), ndim, sort=True)
    assert_lists_equal(x.group_by_indices(*[x] * n_keys, sort=True).to_list(), expected)


@given(st.data())
def test_groups_of_whole_sub_trees(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(0, ndim - 2))
    x = data.draw(jagged_arrays(ndim, pa.int8(), null_rows=False))
    keys: Any = ref.at_depth(lambda _: data.draw(st.none() | st.integers(0, 2)), x.to_list(), axis + 1)
    by = aj.array(keys, type=pa.int64(), ndim=axis + 1)
    assert_lists_equal(x.group_by(by, axis=axis).to_list(), ref.group_by(x.to_list(), axis + 1, keys))


def test_results_that_koda_prints() -> None:
    x = aj.array([1, 2, 3, 4, None, 6, 7, 8])
    assert x.group_by([7, 4, 0, 9, 4, 0, 7, None]).to_list() == [[1, 7], [2, None], [3, 6], [4]]
    assert aj.array([[], [1]]).group_by().to_list() == [[], [[1]]]
    assert aj.array([1, None, 1]).group_by([1, None, 1], [2, 2, None]).to_list() == [[1]]
    dropped = aj.array([[1], [2]]).group_by([[None], [None]])
    assert dropped.shape == aj.JaggedShape(2, [0, 0], [])


def test_a_shorter_key_is_spread_and_a_longer_one_refused() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.group_by([1, None]).to_list() == [[[1, 2]], []]
    with pytest.raises(ShapeError, match=r"group_by: a key has 3 dims"):
        x.group_by([[[1], [2]], [[3]]])
    with pytest.raises(ShapeError, match=r"group_by"):
        x.group_by([[1], [2]])


def test_rows_that_are_null_in_a_key_are_null() -> None:
    x = aj.array([[1, 2], [3], None])
    assert x.group_by([[1, 1], None, [4]]).to_list() == [[[1, 2]], None, None]
    assert x.group_by_indices([[1, 1], None, [4]]).to_list() == [[[0, 1]], None, None]


def test_nan_is_one_group_and_sorts_last() -> None:
    x = aj.array([[3.0, math.nan, 1.0, math.nan, 2.0]])
    assert x.group_by_indices(sort=True).to_list() == [[[2], [4], [0], [1, 3]]]


def test_types_that_do_not_compare_are_named() -> None:
    with pytest.raises(JagTypeError, match=r"group_by .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).group_by()
