"""Taking and filtering in every layout: pyarrow's own kernels fail on some nested types, and on some give wrong values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrowjag._kernels.move import gather
from arrowjag.testing import ArrowColumn, arrow_columns, assert_lists_equal

slow = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
text = st.sampled_from([pa.string_view(), pa.binary_view(), pa.struct([("a", pa.string_view())])])
columns = st.one_of(
    arrow_columns(chunked=False),
    arrow_columns(st.integers(1, 3), text, chunked=False),
    arrow_columns(3, pa.int32(), storages=["fixed_size_list"], chunked=False),
)


@slow
@given(columns, st.data())
def test_take_in_every_layout(column: ArrowColumn, data: st.DataObject) -> None:
    array, truth, n = column.array, column.truth, len(column.truth)
    index = data.draw(st.lists(st.none() | st.integers(0, n - 1) if n else st.none(), max_size=5))
    valid = np.array([slot is not None for slot in index], bool)
    found = gather.take(array, np.array([slot or 0 for slot in index], np.int64), valid)
    found.validate(full=True)
    assert found.type == array.type
    assert_lists_equal(found.to_pylist(), [None if slot is None else truth[slot] for slot in index])


@slow
@given(columns, st.data())
def test_filter_in_every_layout(column: ArrowColumn, data: st.DataObject) -> None:
    array, truth, n = column.array, column.truth, len(column.truth)
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    found = gather.filter_values(array, np.array(mask, bool))
    found.validate(full=True)
    assert found.type == array.type
    assert_lists_equal(found.to_pylist(), [row for row, keep in zip(truth, mask, strict=True) if keep])


@pytest.mark.parametrize(("outer", "inner"), [(0, 1), (1, 0), (1, 2)])
def test_slices_of_fixed_size_lists_of_fixed_size_lists(outer: int, inner: int) -> None:
    cells = pa.FixedSizeListArray.from_arrays(pa.array(range(16)), 1).slice(inner, 12)
    array = pa.FixedSizeListArray.from_arrays(cells, 2).slice(outer)
    assert gather.take(array, np.array([2, 0])).to_pylist() == [array[2].as_py(), array[0].as_py()]
    in_struct = pa.StructArray.from_arrays([array], names=["a"])
    assert gather.take(in_struct, np.array([2, 0])).to_pylist() == [{"a": array[2].as_py()}, {"a": array[0].as_py()}]
