"""pct_change."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, kept


@given(st.data())
def test_pct_change_agrees_with_the_oracle_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(st.integers(-2, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, data.draw(st.sampled_from([pa.float64(), pa.int32(), pa.uint8(), pa.null()])), small=True))
    expected = kept(lambda row: ref.pct_change(row, 1, n), x.to_list(), ndim, axis, complete=True)
    assert_lists_equal(x.pct_change(n, axis).to_list(), expected)


def test_types_of_changes() -> None:
    assert aj.array([[1, 2]]).pct_change().type == pa.float64()
    assert aj.array([[1.0, 2.0]], type=pa.float32()).pct_change().type == pa.float32()
    with pytest.raises(JagTypeError, match=r"pct_change.*string"):
        aj.array([["a"]]).pct_change()
