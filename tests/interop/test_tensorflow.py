"""The pieces of a RaggedTensor, without tensorflow, and with it where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.interop.tensorflow import Pieces, from_tensorflow, to_tensorflow
from arrowjag.testing import assert_equal, jagged_arrays


class Tensor:
    """As much of an eager tensor as is looked at."""

    def __init__(self, data: Any) -> None:
        self.data = np.asarray(data)

    def numpy(self) -> Any:
        return self.data


class RaggedTensor:
    """As much of a RaggedTensor as is looked at."""

    def __init__(self, flat_values: Any, *splits: Any) -> None:
        self.flat_values = Tensor(flat_values)
        self.nested_row_splits = tuple(Tensor(one) for one in splits)


@given(jagged_arrays(leaf=pa.int64(), nulls=False, null_rows=False))
def test_pieces_come_back(x: aj.JaggedArray) -> None:
    pieces = to_tensorflow(x)
    assert_equal(from_tensorflow(pieces), x)
    assert_equal(from_tensorflow(*pieces), x)
    assert_equal(from_tensorflow(RaggedTensor(pieces.flat_values, *pieces.nested_row_splits)), x)


def test_shared_buffers_and_unchanged_columns() -> None:
    values = np.arange(6, dtype=np.float32)
    x = aj.JaggedArray(aj.JaggedShape(2, [2, 1], 2), values)
    pieces = to_tensorflow(x)
    assert np.shares_memory(pieces.flat_values, values)
    assert pieces.flat_values.shape == (3, 2)
    assert [one.tolist() for one in pieces.nested_row_splits] == [[0, 2, 3]]
    assert from_tensorflow(Pieces(np.zeros((0, 3)), (np.array([0, 0]),))).shape.extents == (None, None, 3)
    assert from_tensorflow(RaggedTensor([1, 2], np.array([0, 2], np.int32))).to_list() == [[1, 2]]
    assert from_tensorflow(to_tensorflow(aj.array([["a"], []]))).to_list() == [["a"], []]
    assert from_tensorflow(np.array([b"x"], object), [[0, 1]]).type == pa.binary()
    assert from_tensorflow(np.array([], object), [[0, 0]]).to_list() == [[]]
    assert from_tensorflow(np.array([None, "a"], object), [[0, 2]]).to_list() == [[None, "a"]]
    for leaf in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        assert to_tensorflow(aj.array([["a"]]).cast(pa.binary()).cast(leaf)).flat_values.dtype == object
    splits = np.array([0, 1, 3])
    assert np.shares_memory(from_tensorflow(values[:3], [splits]).shape.offsets[1], splits)
    assert to_tensorflow(aj.array(5)).flat_values.tolist() == [5]


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ValueError, match="tensorflow has no nulls, got 1, the first at value 1"):
        to_tensorflow(aj.array([[1, None]]))
    with pytest.raises(ValueError, match="tensorflow has no null rows, got one at dim 1, row 1"):
        to_tensorflow(aj.array([[1], None]))
    with pytest.raises(aj.OffsetsError, match=r"from_tensorflow: offsets\[0\]: the last offset .* is 3, but there are 2"):
        from_tensorflow([1, 2], [[0, 3]])
    with pytest.raises(TypeError, match=r"offsets\[0\] must be flat integers"):
        from_tensorflow([1, 2], [[0.0, 2.0]])
    with pytest.raises(TypeError, match="takes a RaggedTensor or its pieces"):
        from_tensorflow([1, 2])
    with pytest.raises(TypeError, match="nested_row_splits must be a list of arrays, got 5 of type int"):
        from_tensorflow([1, 2], 5)
    with pytest.raises(aj.OffsetsError, match=r"from_tensorflow: offsets\[0\] don't fit 63 bits"):
        from_tensorflow([1, 2], [np.array([0, 2**63], np.uint64)])
    with pytest.raises(aj.ShapeError, match=r"from_tensorflow takes values of one dim or more, got the scalar"):
        from_tensorflow(np.array(5), [[0, 1]])
    with pytest.raises(aj.JagTypeError, match="from_tensorflow: Arrow has no type for numpy data of dtype complex128"):
        from_tensorflow(np.array([1j]), [[0, 1]])
    with pytest.raises(TypeError, match="no kernel for struct"):
        to_tensorflow(aj.array([[{"a": 1}]]))


@pytest.mark.parametrize(
    "leaf", [pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.int8(), pa.int64(), pa.uint64()], ids=str
)
def test_real_ragged_tensors(leaf: pa.DataType) -> None:
    tensorflow = pytest.importorskip("tensorflow")
    for rows in ([[1, 0], [], [1]], [[[1], []], [], [[0, 1], [1]]], [[]]):
        x = aj.array(rows, type=pa.int8(), ndim=3 if rows[0] == [[1], []] else 2).cast(leaf)
        tensor = tensorflow.RaggedTensor.from_nested_row_splits(*to_tensorflow(x))
        assert tensor.to_list() == x.to_list()
        assert_equal(from_tensorflow(tensor), x)
    narrow = tensorflow.RaggedTensor.from_row_splits(tensorflow.zeros((3, 2)), tensorflow.constant([0, 2, 3], tensorflow.int32))
    assert from_tensorflow(narrow).shape == aj.JaggedShape(2, [2, 1], 2)
    text = tensorflow.RaggedTensor.from_nested_row_splits(*to_tensorflow(aj.array([["a", "é"], []])))
    assert from_tensorflow(text).to_list() == [[b"a", "é".encode()], []]


def test_values_are_read_only_and_text_may_be_views() -> None:
    x = aj.array([[1, 2], [], [3]])  # whose buffers pyarrow can write to
    for pieces in (aj.interop.tensorflow.to_tensorflow(x), aj.interop.tensorflow.to_tensorflow(x[1:])):
        for one in (pieces.flat_values, *pieces.nested_row_splits):
            assert not one.flags.writeable
    for type in (pa.string_view(), pa.large_string(), pa.binary_view(), pa.binary(1)):
        text = aj.array([["a"], [], ["b"]]).cast(type)
        assert aj.interop.tensorflow.to_tensorflow(text).flat_values.tolist() == text.values.to_pylist()
