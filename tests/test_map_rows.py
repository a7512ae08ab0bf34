"""map_rows."""

from __future__ import annotations

import uuid

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._methods import METHODS
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref


@given(st.data())
def test_it_sees_every_row_that_is_not_null(data: st.DataObject) -> None:
    ndim = data.draw(st.integers(2, 3))
    axis = data.draw(st.integers(1, ndim - 1))
    x = data.draw(jagged_arrays(ndim))
    seen = []
    got = x.map_rows(lambda row: seen.append(row) or len(row), pa.int64(), axis)
    assert_lists_equal(seen, [row for row in ref.items(x.to_list(), axis) if row is not None], rel_tol=0, abs_tol=0)
    assert_lists_equal(got.to_list(), ref.rows_at(len, x.to_list(), axis))


def test_a_list_type_adds_a_dim() -> None:
    x = aj.array([[1, 2], None, []])
    got = x.map_rows(lambda row: [*row, 0] if row else None, pa.list_(pa.int32()))
    assert got.to_list() == [[1, 2, 0], None, None]
    assert got.type == pa.int32()
    assert x.map_rows(lambda row: [row, []], pa.list_(pa.list_(pa.int64()))).ndim == 3


def test_all_rows_as_one() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.map_rows(len, "int64", axis=0).as_py() == 2
    assert x.map_rows(lambda rows: sum(map(sum, rows)), "int64", axis=None).as_py() == 6
    assert x.map_rows(lambda rows: rows[0], pa.list_(pa.int64()), axis=0).to_list() == [1, 2]


def test_the_type_is_known_without_rows() -> None:
    rule = METHODS["map_rows"].result_type
    assert rule is not None
    x = aj.array([], type=pa.int64(), ndim=3)
    assert rule(x, fn=len, type="float32").ndim == 2
    nested = rule(x, fn=len, type=pa.list_(pa.string(), 2), axis=1)
    assert (nested.ndim, nested.type, nested.shape.extents[1]) == (2, pa.string(), 2)


def test_what_does_not_fit_and_what_fails() -> None:
    x = aj.array([[1], [2]])
    with pytest.raises(JagTypeError, match="does not fit timestamp"):
        x.map_rows(lambda row: pd.NaT, pa.timestamp("us"))
    with pytest.raises(JagTypeError, match=r"does not fit list<item: extension<arrow\.uuid>>"):
        x.map_rows(lambda row: [uuid.UUID(int=1)], pa.list_(pa.uuid()))
    with pytest.raises(JagTypeError, match="does not fit int64"):
        x.map_rows(str, "int64")
    with pytest.raises(ZeroDivisionError) as caught:
        x.map_rows(lambda row: 1 // (row[0] - 2), "int64")
    assert caught.value.__notes__ == ["map_rows: the function failed on row 1"]
