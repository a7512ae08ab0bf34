"""koladata, both ways."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_equal, jagged_arrays

pytest.importorskip("koladata")
from arrowjag.interop.koladata import from_koladata, to_koladata

TYPES = [pa.int32(), pa.int64(), pa.float32(), pa.float64(), pa.bool_(), pa.large_string(), pa.large_binary()]


@settings(max_examples=25)
@given(jagged_arrays(leaf=st.sampled_from(TYPES), null_rows=False))
def test_round_trips(x: aj.JaggedArray) -> None:
    assert_equal(from_koladata(to_koladata(x)), aj.JaggedArray(x.shape, x.values))


def test_koda_reads_the_same_items() -> None:
    from koladata import kd

    x = aj.array([[1, None], []])
    there = to_koladata(x)
    assert there.to_py() == [[1, None], []]
    assert there.get_schema() == kd.INT64
    assert from_koladata(kd.slice([[kd.present, None]])).to_list() == [[True, None]]
    assert from_koladata(kd.item(5)).to_list() == 5


def test_invalid_arguments_raise() -> None:
    from koladata import kd

    with pytest.raises(ValueError, match="koladata has no null rows, got one at dim 1, row 1"):
        to_koladata(aj.array([[1], None]))
    with pytest.raises(TypeError, match="to_koladata has no kernel for int8"):
        to_koladata(aj.array([[1]], type=pa.int8()))
    with pytest.raises(TypeError, match="primitives of one type"):
        from_koladata(kd.slice([[1, "a"]]))
    with pytest.raises(TypeError, match=r"from_koladata takes a kd\.DataSlice, got list"):
        from_koladata([1])
