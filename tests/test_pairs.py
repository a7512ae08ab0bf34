"""pairs."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import first_axis, grouped, trailing_axes

EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_pairs_of_every_type_over_trailing_axes(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis: Any = data.draw(trailing_axes(ndim))
    leaf = data.draw(leaf_types())
    x, y = data.draw(prefix_arrays((ndim, ndim), leaf, null_rows=axis == -1))
    first, _ = first_axis(axis, ndim)
    flat = [grouped(one.to_list(), ndim, axis)[0] for one in (x, y)]
    got = x.pairs(y, axis)
    assert got.shape.extents[first + 1] == 2
    assert_lists_equal(got.to_list(), ref.pairs(*flat, first + 1), **EXACT)


def test_rows_of_pairs_need_no_equal_sizes() -> None:
    x, y = aj.array([[1, 2], None, [], [3]]), aj.array([[7], [8], [9], None])
    assert x.pairs(y).to_list() == [[[1, 7], [2, 7]], None, [], None]
    trees = aj.array([[1, 2], [3]]).pairs([[9]], axis=0)
    assert trees.to_list() == [[[1, 2], [9]], [[3], [9]]]


def test_types_meet() -> None:
    assert aj.array([[1]], type=pa.int8(), ndim=2).pairs([[0.5]]).to_list() == [[[1.0, 0.5]]]
