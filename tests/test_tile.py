"""tile."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.operands import jag


@given(jagged_arrays(st.integers(1, 2)), jagged_arrays(st.integers(1, 2), pa.int8()))
def test_tile_copies_the_whole_array(x: aj.JaggedArray, target: aj.JaggedArray) -> None:
    assert_lists_equal(x.tile(target).to_list(), ref.tile(jag(x), jag(target)))
    for shape in (target.shape, target.to_arrow() if target.ndim > 1 else target):
        assert_lists_equal(x.tile(shape).to_list(), x.tile(target).to_list())


def test_tile_takes_dims() -> None:
    assert aj.array([1, 2]).tile(2).to_list() == aj.array([1, 2]).tile((2,)).to_list() == [[1, 2], [1, 2]]
