"""stack."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.reference import Jag

depths = st.integers(1, 3)


def jag(x: Any) -> Jag:
    return Jag(x.to_list(), x.ndim) if isinstance(x, aj.JaggedArray) else Jag(x.as_py(), 0)


def same_leaves(count: int, ndims: st.SearchStrategy[int] = depths) -> st.SearchStrategy[Any]:
    """Arrays of any one leaf type that fit each other."""
    shapes = st.lists(ndims, min_size=count, max_size=count)
    return st.tuples(shapes, leaf_types()).flatmap(lambda pair: prefix_arrays(pair[0], pair[1], allow_nan=False))


@given(same_leaves(3), st.integers(0, 3))
def test_stack(parts: tuple[aj.JaggedArray, ...], axis: int) -> None:
    ndim = max(x.ndim for x in parts)
    axis = min(axis, ndim)
    got = aj.stack(parts, axis=axis)
    assert got.shape.extents[axis] == 3 or axis == 0
    assert_lists_equal(got.to_list(), ref.stack([jag(x) for x in parts], axis))
