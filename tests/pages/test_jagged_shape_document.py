"""The examples of "Technical Deep Dive: JaggedShape"."""

from __future__ import annotations

import numpy as np
import pytest

import arrowjag as aj

X = aj.array([[["a", "b"], ["c"]], [["d", "e", "f"]]])
ROWS = aj.array([["a", "b"], ["c"], ["d", "e", "f"]])


def test_a_shape_partitions_three_dims() -> None:
    assert aj.shapes.get_sizes(X).to_list() == [[2], [2, 1], [2, 1, 3]]
    assert repr(X.shape) == "JaggedShape(2, [2, 1], [2, 1, 3])"
    assert X.values.to_pylist() == ["a", "b", "c", "d", "e", "f"]


def test_broadcasting_is_by_prefix() -> None:
    one = aj.array(["a", "b"])
    two = aj.array([["c", "d", "e"], ["f", "g", "h"]])
    assert repr(one.shape) == "JaggedShape(2)"
    assert repr(two.shape) == "JaggedShape(2, 3)"
    assert aj.shapes.expand_to_shape(one, two.shape).to_list() == [["a", "a", "a"], ["b", "b", "b"]]
    with pytest.raises(aj.ShapeError, match=r"is not a prefix of|more dims"):
        aj.shapes.expand_to_shape(two, one.shape)
    with pytest.raises(aj.ShapeError, match="is not a prefix of"):
        aj.shapes.expand_to_shape(aj.array(["a", "b", "c"]), two.shape)


def test_the_common_shape_is_the_one_that_all_others_expand_to() -> None:
    long = aj.JaggedShape(2, [2, 1])
    assert aj.JaggedShape.common(aj.JaggedShape(2), long, aj.JaggedShape()) is long
    with pytest.raises(aj.ShapeError, match=r"JaggedShape\(3\) is not a prefix of"):
        aj.JaggedShape.common(aj.JaggedShape(3), long)


def test_numpy_broadcasts_by_suffix_instead() -> None:
    two = np.array([["c", "d", "e"], ["f", "g", "h"]])
    with pytest.raises(ValueError, match="could not be broadcast"):
        np.broadcast_to(np.array(["a", "b"]), two.shape)
    assert np.broadcast_to(np.array(["a", "b", "c"]), two.shape).tolist() == [["a", "b", "c"], ["a", "b", "c"]]


def test_queries_meet_their_documents() -> None:
    queries = aj.array(["query_1", "query_2"])
    docs = aj.array([["doc_1", "doc_2"], ["doc_3"]])
    assert queries.expand_to(docs).to_list() == [["query_1", "query_1"], ["query_2"]]
    joined = queries + ":" + docs
    assert joined.to_list() == [["query_1:doc_1", "query_1:doc_2"], ["query_2:doc_3"]]


def test_operators_give_the_common_shape() -> None:
    x, y = aj.array([10, 20]), aj.array([[1, 2], [3]])
    assert (x + y).shape == y.shape
    assert (x + y).to_list() == [[11, 12], [23]]


def test_indexing_goes_through_the_dims_from_left_to_right() -> None:
    assert repr(ROWS.shape) == "JaggedShape(3, [2, 1, 3])"
    row = ROWS.S[2, ...]
    assert row.to_list() == ["d", "e", "f"]
    assert aj.shapes.get_sizes(row).to_list() == [[3]]
    item = row.S[1]
    assert item.as_py() == "e"
    assert aj.shapes.get_sizes(item).to_list() == []
    assert ROWS.S[2, 1].as_py() == "e"


def test_start_and_end_come_from_sizes() -> None:
    sizes = ROWS.shape[1].tolist()
    assert sizes == [2, 1, 3]
    start = sum(sizes[:2])
    end = start + sizes[2]
    assert (start, end) == (3, 6)
    assert ROWS.values[start:end].to_pylist() == ["d", "e", "f"]


def test_split_points_give_start_and_end_at_once() -> None:
    shape = aj.JaggedShape(3, [2, 1, 3])
    assert [one.tolist() for one in shape.offsets] == [[0, 3], [0, 2, 3, 6]]
    points = shape.offsets[1]
    assert ROWS.values[points[2] : points[3]].to_pylist() == ["d", "e", "f"]
    assert len(points) - 1 == len(shape[1]) == 3
    assert points[1] - points[0] == shape[1][0] == 2
    assert points[-1] == shape[1].size == 6


def test_a_shape_is_made_of_split_points() -> None:
    shape = aj.JaggedShape.from_offsets([0, 2], [0, 2, 3], [0, 2, 3, 6])
    assert shape == X.shape
    assert len(shape[0]) == 1
    for outer, inner in zip(shape, shape.dims[1:], strict=False):
        assert outer.size == len(inner)
    for dim in shape:
        assert dim.offsets[0] == 0
        assert (np.diff(dim.offsets) >= 0).all()


def test_shapes_are_inspected_and_manipulated() -> None:
    shape = X.shape
    assert aj.shapes.get_shape(X) is shape
    assert shape.ndim == aj.shapes.rank(shape) == 3
    assert shape.flatten(1, 3) == aj.JaggedShape(2, [3, 3])
    assert aj.shapes.flatten(X, 0, 2).to_list() == [["a", "b"], ["c"], ["d", "e", "f"]]
