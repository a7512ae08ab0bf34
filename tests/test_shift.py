"""shift."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, first_axis, kept, trailing_axes

STEPS = st.integers(-3, 3)


@given(st.data())
def test_shift_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    first, to_leaves = first_axis(axis, ndim)
    if to_leaves:
        expected = kept(lambda row: ref.shift(row, 1, n), x.to_list(), ndim, axis)
    else:
        expected = ref.shift(x.to_list(), ndim, n, axis=first)
    got = x.shift(n, axis=axis)
    assert got.type == x.type
    assert_lists_equal(got.to_list(), expected, rel_tol=0, abs_tol=0)


@given(st.data())
def test_shift_with_a_fill(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(STEPS)
    axis = data.draw(trailing_axes(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int16()))
    expected = kept(lambda row: ref.shift(row, 1, n, 7), x.to_list(), ndim, axis)
    got = x.shift(n, 7, axis)
    assert got.type == pa.int16()
    assert_lists_equal(got.to_list(), expected)


def test_fills_of_other_kinds() -> None:
    x = aj.array([[1, 2], [3], None])
    assert x.shift(fill=0.5).to_list() == [[0.5, 1.0], [0.5], None]
    assert x.shift(fill=0.5).type == aj.array([[]], type=pa.int64(), ndim=2).shift(fill=0.5).type
    assert x.shift(fill=[10, 20, 30]).to_list() == [[10, 1], [20], None]
    assert aj.array([["a", "b"]]).shift(fill="-").to_list() == [["-", "a"]]


def test_refused_arguments() -> None:
    x = aj.array([[1, 2], [3]])
    with pytest.raises(JagValueError, match=r"outer axis"):
        x.shift(fill=0, axis=0)
    with pytest.raises(JagTypeError, match=r"n must be an int, got float"):
        x.shift(1.0)
    with pytest.raises(JagTypeError, match=r"n must be an int, got bool"):
        x.diff(True)
