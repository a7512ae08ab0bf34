"""var and std with other degrees of freedom."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref


@given(st.data())
def test_var_with_other_degrees_of_freedom(data: st.DataObject) -> None:
    x, ddof = data.draw(jagged_arrays(2, pa.float64(), small=True)), data.draw(st.integers(0, 3))
    assert_lists_equal(x.var(ddof=ddof).to_list(), ref.reduction("var", x.to_list(), 2, ddof=ddof))
