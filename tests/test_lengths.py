"""lengths."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import jagged_arrays
from tests import reference as ref
from tests.along import as_list

ndims = st.integers(1, 3)


@given(st.data())
def test_lengths_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(st.integers(-ndim, ndim - 1))
    x = data.draw(jagged_arrays(ndim))
    got = x.lengths(axis)
    assert as_list(got) == ref.lengths(x.to_list(), ndim, axis)
    assert got.type == pa.int64()
