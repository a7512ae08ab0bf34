"""windows and n_grams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import single_axis


@given(st.data())
def test_windows_of_every_type_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3)))
    axis, size, step = data.draw(single_axis(x.ndim)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    got = x.windows(size, step, axis)
    assert got.shape.extents[axis % x.ndim + 1] == size
    assert_lists_equal(got.to_list(), ref.windows(x.to_list(), x.ndim, size, step, axis), rel_tol=0, abs_tol=0)
    assert x.n_grams(size, axis).equals(x.windows(size, axis=axis))


def test_windows_of_several_axes_and_errors() -> None:
    x = aj.array([[[1, 2], [3]], [[4]], None])
    assert x.windows(2, axis=(1, 2)).to_list() == [[[1, 2], [2, 3]], [], None]
    with pytest.raises(JagValueError, match=r"windows: size must be at least 1, got 0"):
        x.windows(0)
    with pytest.raises(JagValueError, match=r"windows: step must be at least 1, got 0"):
        x.windows(1, 0)
    with pytest.raises(JagTypeError, match=r"n_grams: n must be an int"):
        x.n_grams(1.5)
