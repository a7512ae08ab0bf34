"""concat."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.hosts import pl


@given(st.integers(1, 3).flatmap(lambda n: st.lists(jagged_arrays(n, pa.int32()), min_size=1, max_size=3)))
def test_concat_of_rows(parts: list[aj.JaggedArray]) -> None:
    assert aj.concat(parts).to_list() == ref.concat([x.to_list() for x in parts], parts[0].ndim, 0)


@given(st.tuples(st.integers(2, 4), leaf_types(), st.data()))
def test_concat_inside_rows(drawn: tuple[int, pa.DataType, st.DataObject]) -> None:
    ndim, leaf, data = drawn
    axis = data.draw(st.integers(1, ndim - 1))
    frames = data.draw(prefix_arrays((axis,) * 3 if axis > 1 else (1, 1, 1), pa.int64()))
    length = len(frames[0])
    parts = []
    for frame in frames:
        below = jagged_arrays(ndim - axis, leaf, max_size=2, small=True, allow_nan=False).map(lambda x: x.to_list())
        nested = ref.at_depth(lambda _, below=below: data.draw(below), frame.to_list(), axis)
        parts.append(array_of(nested, leaf, ndim))
    got = aj.concat(parts, axis=axis)
    assert got.type == leaf
    assert len(got) == length
    assert_lists_equal(got.to_list(), ref.concat([x.to_list() for x in parts], ndim, axis))


def test_koda_examples_of_concat_and_stack() -> None:
    assert aj.concat([aj.array([[1], []]), aj.array([[], [2]])], axis=1).to_list() == [[1], [2]]
    a, b = aj.array([[1, None, 3], [4]]), aj.array([[7, 7, 7], [7]])
    assert aj.stack([a, b], axis=-1).to_list() == [[[1, 7], [None, 7], [3, 7]], [[4, 7]]]
    assert aj.stack([a, b], axis=1).to_list() == [[[1, None, 3], [7, 7, 7]], [[4], [7]]]
    assert aj.stack([a, b]).to_list() == [a.to_list(), b.to_list()]
    assert aj.stack([1, 2]).to_list() == [1, 2]
    assert aj.stack([aj.array([[1], [2]]), aj.array([[3, 4], []])[:, :1].pad(1)], axis=1).shape == aj.JaggedShape(2, 2, 1)


def test_types_promote_and_extents_add_up() -> None:
    ones, twos = aj.array(np.ones((2, 1), np.int8)), aj.array(np.ones((2, 2), np.float32))
    both = aj.concat([ones, twos], axis=1)
    assert both.type == pa.float32()
    assert both.shape.extents[1] == 3
    assert aj.concat([ones, ones]).shape.extents[1] == 1
    assert aj.concat([ones, twos]).shape.extents[1] is None
    letters = [aj.array(pa.array(one).dictionary_encode()) for one in (["a", "b"], ["c", "a"])]
    assert aj.concat(letters).to_list() == ["a", "b", "c", "a"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: aj.concat([]), ValueError, "at least one"),
        (lambda: aj.concat([aj.array([1]), aj.array([[1]])]), ValueError, "the same ndim"),
        (lambda: aj.concat([1, 2]), ValueError, "the same ndim"),
        (lambda: aj.concat([aj.array([[1]]), aj.array([[1], [2]])], axis=1), ValueError, "concat: "),
        (lambda: aj.concat([aj.array([[1]]), aj.array([["a"]])]), TypeError, "no common type"),
        (lambda: aj.concat([aj.array([[1]])], axis=2), IndexError, "axis 2"),
        (lambda: aj.concat(aj.array([[1]])), TypeError, "list of arrays"),
        (lambda: aj.stack([aj.array([[1, 2]]), aj.array([[1]])]), ValueError, "row 0 has"),
        (lambda: aj.stack([]), ValueError, "at least one"),
    ],
)
def test_joining_refuses(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_the_method_takes_lists_of_columns_too() -> None:
    x = aj.array([[1], [2]])
    df = pl.DataFrame({"v": x, "w": x})
    two = namedtuple("Two", "one two")  # noqa: PYI024  # without types
    s = x.to_pandas()
    for got in (
        x.concat([x, x], axis=1),
        x.concat(two(x, x), axis=1),
        s.jag.concat(two(s, s), axis=1).jag,
        aj.concat(two(s, s), axis=1).jag.concat([s], axis=1).jag,
        df.select(pl.col("v").jag.concat([pl.col("w"), pl.col("w")], axis=1))["v"].jag,
        s.jag.concat([s, s], axis=1).jag,
    ):
        assert got.to_list() == [[1, 1, 1], [2, 2, 2]]


def test_lists_of_any_arrays_count_as_their_members() -> None:
    a, b = aj.array([[1, 2], [3]]), aj.array([[4], [5, 6]])
    for one in (b, b.to_arrow(), pa.chunked_array([b.to_arrow()])):
        assert a.concat([one, b], axis=1).to_list() == [[1, 2, 4, 4], [3, 5, 6, 5, 6]]
    assert a.concat([[7], [8]], axis=1).to_list() == [[1, 2, 7], [3, 8]]


@pytest.mark.parametrize("name", ["concat", "append", "contains", "where"])
def test_expressions_without_a_query_are_distinguished_from_other_objects(name: str) -> None:
    column = pl.col("v").jag
    with pytest.raises(JagTypeError, match=r"a polars expression has no values outside of a query; write `pl\.lit"):
        getattr(aj.array([1, 2]), name)(column, *([3] if name == "where" else []))
    with pytest.raises(JagTypeError, match=r"(c|v|arrays.0.) of type object is neither an array nor an Arrow scalar"):
        getattr(aj.array([1, 2]), name)(object(), *([3] if name == "where" else []))


@pytest.mark.parametrize(
    "around",
    [
        lambda one: one,
        lambda one: pa.StructArray.from_arrays([one], ["a"]),
        lambda one: pa.StructArray.from_arrays([one], ["a"], mask=pa.array([False, True])),
    ],
    ids=["alone", "in structs", "in structs of which one is null"],
)
def test_dictionaries_of_halves_keep_their_numbers(around: Any) -> None:
    """pyarrow unites dictionaries of float16 to other numbers."""
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), pa.array([np.float16(one)], pa.float16()))
        for one in (1.5, 2.5)
    ]
    lists = [pa.LargeListArray.from_arrays(pa.array([0, 2], pa.int64()), around(part)) for part in parts]
    x = aj.from_arrow(pa.chunked_array(lists))
    assert x.type == around(parts[0]).type
    assert x.to_list() == aj.concat([aj.from_arrow(one) for one in lists]).to_list() == [lists[0][0].as_py(), lists[1][0].as_py()]
