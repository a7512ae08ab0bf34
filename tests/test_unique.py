"""unique."""

from __future__ import annotations

import math

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import EQUAL, any_axis, grouped, kept

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


def test_nan_is_one_value_and_zeros_are_one() -> None:
    x = aj.array([[math.nan, -0.0, math.nan, 0.0, None]])
    assert_lists_equal(x.unique().to_list(), [[math.nan, -0.0]])
    assert_lists_equal(x.value_counts()["count"].to_list(), [[2, 2]])


@given(st.data())
def test_kept_helpers_agree_with_the_oracle(data: st.DataObject) -> None:
    rows = data.draw(jagged_arrays(2, pa.int8())).to_list()
    assert kept(lambda row: ref.cumcount(row, 1), rows, 2) == ref.cumcount(rows, 2)
