"""searchsorted."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values, prefix_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref
from tests.along import ORDERED, any_axis, as_list
from tests.operands import rows_along, rows_with_frame
from tests.reference import Jag


@given(st.data())
def test_searchsorted_of_every_type(data: st.DataObject) -> None:
    frame = data.draw(st.integers(1, 2))
    leaf = data.draw(leaf_types(*(set(ORDERED) - {"bool", "dictionary"})))
    x, y = rows_with_frame(data, frame, leaf)
    if data.draw(st.booleans()):  # several a row
        rows = st.none() | st.lists(st.none() | leaf_values(leaf, small=True), max_size=3)
        y = array_of(ref.at_depth(lambda _: data.draw(rows), y.to_list(), frame), leaf, frame + 1)
    x = x.sort()
    row, place = Jag(x.to_list(), x.ndim), Jag(y.to_list(), y.ndim)
    below = lambda a, b: ref.row_order([a, b]) == [0, 1] and ref.key(a) != ref.key(b)  # noqa: E731
    slots = lambda items, v: None if v is None else sum(w is not None and below(w, v) for w in items)  # noqa: E731
    assert_lists_equal(x.searchsorted(y).to_list(), ref.over_rows(slots, Jag(row.value, row.ndim - 1), place))


@given(st.data())
def test_searchsorted_agrees_with_the_oracle(data: st.DataObject) -> None:
    frame = data.draw(st.integers(0, 2))
    x, y = (
        rows_with_frame(data, frame, pa.float64())
        if frame
        else (aj.array([1.0, 2.0, math.nan, None]), data.draw(prefix_arrays((2,), (pa.float64(),)))[0])
    )
    x = x.sort()
    assert_lists_equal(x.searchsorted(y).to_list(), ref.searchsorted(Jag(x.to_list(), x.ndim), Jag(y.to_list(), y.ndim)))


def test_sides_scalars_and_types() -> None:
    x = aj.array([[1, 2, 2, None], None, []])
    assert x.searchsorted(2).to_list() == [1, None, 0]
    assert x.searchsorted(2, side="right").to_list() == [3, None, 0]
    assert x.searchsorted(1.5).to_list() == [1, None, 0]
    with pytest.raises(JagValueError, match=r"side"):
        x.searchsorted(2, side="middle")
    with pytest.raises(JagTypeError, match=r"searchsorted: .* no common type"):
        x.searchsorted(["a", "b", "c"])
    with pytest.raises(ShapeError, match=r"searchsorted"):
        x.searchsorted([1, 2])


@given(st.data())
def test_searchsorted_at_every_axis(data: st.DataObject) -> None:
    ndim, sought = data.draw(st.integers(1, 3)), data.draw(st.none() | st.integers(-3, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int16(), small=True)).sort(axis=axis)
    rows = rows_along(x, axis)
    slots = lambda items, v: None if v is None else sum(w is not None and w < v for w in items)  # noqa: E731
    got = x.searchsorted(pa.scalar(sought, pa.int16()), axis=axis)
    assert_lists_equal(as_list(got), ref.over_rows(slots, rows, Jag(sought, 0)))
    if rows.ndim:
        y = x.max(axis)
        assert_lists_equal(as_list(x.searchsorted(y, axis=axis)), ref.over_rows(slots, rows, Jag(as_list(y), rows.ndim)))


@pytest.mark.parametrize("leaf", [pa.int64(), pa.float32(), pa.string(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_nulls_before_items_raise(leaf: pa.DataType) -> None:
    """As polars sorts them: what lies under the nulls would decide the positions."""
    x = aj.array([[["1", None], [None, "2", None]]]).cast(leaf)
    with pytest.raises(JagValueError, match=r"searchsorted: row \[0\]\[1\] has a null before an item.*nulls last; call sort"):
        x.searchsorted(x)
    with pytest.raises(JagValueError, match=r"searchsorted: row 0 has a null before an item"):
        x.searchsorted(x[:, 0, 0], axis=(1, 2))
    assert x.sort().searchsorted(x).to_list() == [[[0, None], [None, 0, None]]]
