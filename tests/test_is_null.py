"""is_null."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref
from tests.along import single_axis


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_is_null_agrees_with_the_oracle(x: aj.JaggedArray, data: st.DataObject) -> None:
    axis = data.draw(single_axis(x.ndim))
    assert x.is_null(axis).to_list() == ref.is_null(x.to_list(), x.ndim, axis)
