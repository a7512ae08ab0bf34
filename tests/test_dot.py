"""dot."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_lists_equal, prefix_arrays
from tests import reference as ref
from tests.along import as_list
from tests.reference import Jag


@given(st.data())
def test_dot(data: st.DataObject) -> None:
    one, two = data.draw(st.sampled_from([(1, 1), (2, 2), (1, 2), (2, 1), (3, 2), (2, 3)]))
    x, y = data.draw(prefix_arrays((one, two), pa.int32()))
    assert_lists_equal(as_list(x.dot(y)), ref.dot(Jag(x.to_list(), one), Jag(y.to_list(), two)))
