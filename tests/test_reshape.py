"""reshape and reshape_as."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3), null_rows=False))
def test_reshape_into_one_dim_and_back(x: aj.JaggedArray) -> None:
    flat = x.reshape(x.size)
    assert_lists_equal(flat.to_list(), ref.reshape(x.to_list(), x.ndim, [x.size]), rel_tol=0, abs_tol=0)
    assert_lists_equal(flat.reshape_as(x).to_list(), x.to_list(), rel_tol=0, abs_tol=0)


@given(jagged_arrays(st.integers(1, 3), null_rows=False))
def test_reshape_as_gives_the_rows_of_the_other(y: aj.JaggedArray) -> None:
    x = aj.array(range(y.size), type=pa.int64(), ndim=1)
    assert x.reshape_as(y).to_list() == ref.reshape_as(x.to_list(), 1, y.to_list(), y.ndim)
