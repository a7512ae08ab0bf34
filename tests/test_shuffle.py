"""shuffle."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, first_axis

SEEDS = st.integers(0, 2**40)


@given(st.data())
def test_shuffle_permutes_each_row_at_every_axis(data: st.DataObject) -> None:
    ndim, seed = data.draw(st.integers(1, 3)), data.draw(SEEDS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    got = x.shuffle(seed, axis)
    first, to_leaves = first_axis(axis, ndim)
    below = ndim - first if to_leaves else 1
    rows = lambda y: [None if row is None else Counter(map(repr, ref.items(row, below))) for row in ref.items(y.to_list(), first)]  # noqa: E731
    assert rows(got) == rows(x)
    if to_leaves:
        assert got.shape == x.shape
        if axis in (-1, ndim - 1):
            assert ref.shuffle(x.to_list(), got.to_list(), ndim)
    assert got.type == x.type
    assert_equal(got, x.shuffle(seed, axis))
