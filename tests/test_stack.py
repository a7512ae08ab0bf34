"""stack."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from tests import reference as ref
from tests.operands import jag, same_leaves

depths = st.integers(1, 3)


@given(same_leaves(3), st.integers(0, 3))
def test_stack(parts: tuple[aj.JaggedArray, ...], axis: int) -> None:
    ndim = max(x.ndim for x in parts)
    axis = min(axis, ndim)
    got = aj.stack(parts, axis=axis)
    assert got.shape.extents[axis] == 3 or axis == 0
    assert_lists_equal(got.to_list(), ref.stack([jag(x) for x in parts], axis))
