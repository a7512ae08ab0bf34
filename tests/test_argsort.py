"""argsort."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests.along import any_axis, argsorted

ndims = st.integers(1, 3)


@pytest.mark.parametrize("leaf", [pa.int64(), pa.float64(), pa.float32(), pa.uint8(), pa.bool_()], ids=str)
@pytest.mark.parametrize("descending", [False, True])
@given(st.data())
def test_argsort_is_stable_at_every_axis(leaf: pa.DataType, descending: bool, data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    got = x.argsort(descending, axis)
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), argsorted(x.to_list(), ndim, axis, descending=descending))
