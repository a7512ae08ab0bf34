"""flatten and flatten_end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref

BOUNDS = st.integers(-4, 4)


@given(jagged_arrays(st.integers(1, 3)), BOUNDS, st.none() | BOUNDS)
def test_flatten_agrees_with_the_oracle(x: aj.JaggedArray, from_dim: int, to_dim: int | None) -> None:
    got = x.flatten(from_dim, to_dim)
    assert got.ndim == ref.flatten_ndim(x.ndim, from_dim, to_dim)
    assert_lists_equal(got.to_list(), ref.flatten(x.to_list(), x.ndim, from_dim, to_dim), rel_tol=0, abs_tol=0)


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_flatten_end_agrees_with_the_oracle(x: aj.JaggedArray, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, x.ndim - 1))
    assert_lists_equal(x.flatten_end(n).to_list(), ref.flatten_end(x.to_list(), x.ndim, n), rel_tol=0, abs_tol=0)
