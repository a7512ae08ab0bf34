"""image."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import jagged_arrays
from tests import reference as ref


@given(jagged_arrays(st.integers(1, 3)))
def test_the_image_gives_the_array_back(x: aj.JaggedArray) -> None:
    assert x[x.image()].equals(x)
    assert [index.to_list() for index in x.image()] == [*ref.image(x.to_list(), x.ndim)]
