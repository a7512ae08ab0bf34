"""The examples of "kd.shapes API", under the same names in `arrowjag.shapes`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj

shapes = aj.shapes
X = aj.array([1, 2, 3, 4])


def test_dim_mapping() -> None:
    shape = shapes.new([2], [3, 2], [1, 2, 0, 2, 1])
    assert shapes.dim_mapping(shape, 0).to_pylist() == [0, 0]
    assert shapes.dim_mapping(shape, 1).to_pylist() == [0, 0, 0, 1, 1]
    assert shapes.dim_mapping(shape, 2).to_pylist() == [0, 1, 1, 3, 3, 4]


def test_dim_sizes() -> None:
    shape = shapes.new([2], [2, 1])
    assert shapes.dim_sizes(shape, 0).to_pylist() == [2]
    assert shapes.dim_sizes(shape, 1).to_pylist() == [2, 1]
    assert pa.types.is_integer(shapes.dim_sizes(shape, 1).type)


def test_expand_to_shape() -> None:
    x = aj.array([[1, 2], [3]])
    assert shapes.expand_to_shape(x, shapes.new(2, [2, 1], [1, 2, 3])).to_list() == [[[1], [2, 2]], [[3, 3, 3]]]
    assert shapes.expand_to_shape(x, shapes.new(2, [1, 2]), ndim=1).to_list() == [[[1, 2]], [[3], [3]]]
    assert shapes.expand_to_shape(x, shapes.new(2, [1, 2]), ndim=2).to_list() == [
        [[[1, 2], [3]]],
        [[[1, 2], [3]], [[1, 2], [3]]],
    ]


@pytest.mark.parametrize("target", [shapes.new(3, [1, 1, 1], [1, 3, 1]), shapes.new(2)], ids=repr)
def test_expand_to_shape_of_incompatible_shapes(target: aj.JaggedShape) -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(aj.ShapeError, match="cannot expand"):
        shapes.expand_to_shape(x, target)
    assert shapes.is_expandable_to_shape(x, target) is False


def test_is_expandable_to_shape() -> None:
    x = aj.array([[1, 2], [3]])
    assert shapes.is_expandable_to_shape(x, shapes.new(2, [2, 1], [1, 2, 3])) is True
    assert shapes.is_expandable_to_shape(x, shapes.new(2, [1, 2])) is False
    assert shapes.is_expandable_to_shape(x, shapes.new(2, [1, 2]), ndim=1) is True


@pytest.mark.parametrize(
    ("dims", "arguments", "expected"),
    [
        ((2, [2, 1], [7, 5, 3]), (-2,), "JaggedShape(2, [12, 3])"),
        ((2, [2, 1], [7, 5, 3]), (0, -1), "JaggedShape(3, [7, 5, 3])"),
        ((2, [2, 1], [7, 5, 3]), (), "JaggedShape(15)"),
        ((2, [2, 1]), (1, 1), "JaggedShape(2, 1, [2, 1])"),
        ((2, [2, 1]), (5, 1), "JaggedShape(2, [2, 1], 1)"),
        ((2, [2, 1]), (-9, 0), "JaggedShape(1, 2, [2, 1])"),
    ],
)
def test_flatten(dims: tuple[Any, ...], arguments: tuple[int, ...], expected: str) -> None:
    x = aj.arange(*dims)
    flat = shapes.flatten(x, *arguments)
    assert repr(shapes.get_shape(flat)) == expected
    assert flat.values.to_pylist() == x.values.to_pylist()


def test_flatten_end() -> None:
    x = aj.array([[[1, 2], [3]], [[4]]])
    assert shapes.flatten_end(x).to_list() == [[1, 2, 3], [4]]
    assert [shapes.flatten_end(x, n).ndim for n in (0, 1, 2, 3)] == [3, 2, 1, 1]
    for wrong in (-1, 4):
        with pytest.raises(aj.ShapeError, match="n must be from 0 to 3"):
            shapes.flatten_end(x, wrong)


def test_get_shape_and_get_sizes() -> None:
    letters = aj.array([["a", "b"], ["c"]])
    assert shapes.get_shape(letters) == shapes.new(2, [2, 1])
    assert shapes.get_sizes(shapes.new([2], [2, 1])).to_list() == [[2], [2, 1]]
    assert shapes.get_sizes(letters).to_list() == [[2], [2, 1]]


def test_new() -> None:
    assert repr(shapes.new()) == "JaggedShape()"
    assert repr(shapes.new(2, 3, 1)) == "JaggedShape(2, 3, 1)"
    assert repr(shapes.new(2, [2, 1], [1, 2, 3])) == "JaggedShape(2, [2, 1], [1, 2, 3])"
    assert shapes.new(aj.dims.from_offsets([0, 2]), aj.dims.from_offsets([0, 2, 3])) == shapes.new(2, [2, 1])


def test_ndim_rank_and_size() -> None:
    shape = shapes.new(2, [2, 1])
    assert shapes.ndim(shape) == shapes.rank(shape) == 2
    assert shapes.size(shape) == 3
    assert shapes.size(shapes.new()) == 1


def test_reshape() -> None:
    square = [[1, 2], [3, 4]]
    assert shapes.reshape(X, shapes.new(2, 2)).to_list() == square
    assert shapes.reshape(X, (2, 2)).to_list() == square
    assert shapes.reshape(X, (-1, 2)).to_list() == square
    assert shapes.reshape(X, (-1, [3, 1])).to_list() == [[1, 2, 3], [4]]
    assert shapes.reshape(aj.array(1), (1, 1)).to_list() == [[1]]
    assert shapes.reshape(aj.array([]), (2, 0)).to_list() == [[], []]


def test_reshape_as() -> None:
    assert shapes.reshape_as(X, aj.array([["a"], ["b", "c", "d"]])).to_list() == [[1], [2, 3, 4]]
    with pytest.raises(aj.ShapeError, match="4 items can't fill 2 places"):
        shapes.reshape_as(X, aj.array(["a", "b"]))


def test_the_document_lists_these_operators() -> None:
    listed = """dim_mapping dim_sizes expand_to_shape flatten flatten_end get_shape get_sizes is_expandable_to_shape ndim new
    rank reshape reshape_as size"""
    assert sorted(shapes.__all__) == listed.split()
