"""repeat."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.operands import jag
from tests.reference import Jag

ndims = st.integers(1, 3)


@given(prefix_arrays(None, [leaf_types(), pa.int8()]), st.data())
def test_repeat_broadcasts_either_operand(pair: tuple[aj.JaggedArray, aj.JaggedArray], data: st.DataObject) -> None:
    x, other = pair
    sizes = ref.at_depth(lambda _: data.draw(st.integers(0, 2)), other.to_list(), other.ndim)
    got = x.repeat(aj.array(sizes, type=pa.int64(), ndim=other.ndim))
    assert_lists_equal(got.to_list(), ref.repeat(jag(x), Jag(sizes, other.ndim)))


@given(jagged_arrays(ndims), st.integers(0, 3))
def test_repeat_by_an_int_declares_the_extent(x: aj.JaggedArray, n: int) -> None:
    got = x.repeat(n)
    assert_lists_equal(got.to_list(), ref.repeat(jag(x), Jag(n, 0)))
    assert got.shape.extents[-1] == n


def test_koda_examples_of_repeat() -> None:
    assert aj.array([[1, None], [3]]).repeat([2, 3]).to_list() == [[[1, 1], [None, None]], [[3, 3, 3]]]
    assert aj.array(1).repeat([2, 3]).to_list() == [[1, 1], [1, 1, 1]]
    assert aj.array([], type=pa.int8()).repeat(3).shape == aj.JaggedShape(0, [])


@pytest.mark.parametrize(
    ("sizes", "error", "text"),
    [
        (-1, aj.ShapeError, "a size must be at least 0, got -1"),
        ([1, -1], aj.ShapeError, "in row 1, a size is -1; sizes must be at least 0"),
        ([None, 1], ValueError, "null"),
        ([1], aj.ShapeError, r"JaggedShape\(1\) is not a prefix of JaggedShape\(2\)"),
        (1.0, aj.JagTypeError, "sizes must be an int, got float"),
        ([1.0, 2.0], aj.JagTypeError, "sizes must be integers, got double"),
    ],
)
def test_repeat_refuses(sizes: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^repeat: .*{text}"):
        aj.array([1, 2]).repeat(sizes)
