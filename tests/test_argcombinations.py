"""argcombinations."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3), max_size=5), st.integers(1, 3))
def test_argcombinations_agrees_with_the_oracle(x: aj.JaggedArray, n: int) -> None:
    got = x.argcombinations(n)
    assert got.shape.extents[-1] == n
    assert got.to_list() == ref.argcombinations(x.to_list(), x.ndim, n)


def test_taking_the_positions_gives_the_combinations() -> None:
    x = aj.array([["a", "b", "c"], None, ["d"]])
    assert x.take(x.argcombinations(2).flatten_end()).to_list() == x.combinations(2).flatten_end().to_list()
    assert aj.array([[[1], [2]], [[3]]]).argcombinations(2, axis=1).to_list() == [[[0, 1]], []]
