"""rle."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import EQUAL, single_axis


@given(st.data())
def test_rle_agrees_with_the_oracle_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), leaf_types(*EQUAL), small=True))
    axis = data.draw(single_axis(x.ndim))
    assert_lists_equal(x.rle(axis).to_list(), ref.rle(x.to_list(), x.ndim, axis), rel_tol=0, abs_tol=0)


@given(jagged_arrays(2, leaf_types("int", "float", "string"), small=True, null_rows=False))
def test_repeating_the_values_gives_the_rows_back(x: aj.JaggedArray) -> None:
    runs = x.rle()
    assert_lists_equal(runs["value"].repeat(runs["length"]).flatten(1).to_list(), x.to_list())


def test_nulls_and_nan_are_runs() -> None:
    x = aj.array([[None, None, math.nan, math.nan, -0.0, 0.0], [0.0], [], None])
    assert x.rle()["length"].to_list() == [[2, 2, 2], [1], [], None]
    assert aj.array([1, 1, 2]).rle()["length"].to_list() == [2, 1]
