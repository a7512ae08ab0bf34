"""shift."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops import structure
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


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view()])
def test_text_moves_as_one_block(type: pa.DataType) -> None:
    values = pa.array([b"x", b"a", None, b"ccc", b"", b"dd", None, b"e", b"y"], pa.binary()).cast(type)[1:-1]
    a, none, ccc, empty, dd, _, e = values.to_pylist()
    x = aj.from_sizes(values, [3, 0, 1, 3])
    assert x.shift(1).to_list() == [[none, a, none], [], [none], [none, dd, none]]
    assert x.shift(-1).to_list() == [[none, ccc, none], [], [none], [none, e, none]]
    assert x.shift(9).to_list() == [[none] * 3, [], [none], [none] * 3]
    one = aj.from_sizes(values, [7])
    assert one.shift(2).to_list() == [[none, none, a, none, ccc, empty, dd]]
    x.shift(1).to_arrow(extension=False).validate(full=True)


@pytest.mark.parametrize("skipped", [0, 1, 8, 11])
def test_nulls_of_sliced_numbers_join_those_that_are_there(skipped: int) -> None:
    numbers = [None if i % 3 == 0 else i for i in range(40)]
    values, keep = pa.array(numbers, pa.int16())[skipped:], np.arange(40 - skipped) % 5 > 0
    found = structure.null_values(values, keep)
    found.validate(full=True)
    assert found.to_pylist() == [n if kept else None for n, kept in zip(numbers[skipped:], keep, strict=True)]


@pytest.mark.parametrize("type", [pa.string(), pa.large_binary()])
def test_nulls_of_text_share_its_buffers(type: pa.DataType) -> None:
    values = pa.array([b"x", b"a", None, b"ccc", b"dd"], pa.binary()).cast(type)[1:]
    found = structure.null_values(values, np.array([True, True, False, True]))
    found.validate(full=True)
    assert found.to_pylist() == [values[0].as_py(), None, None, values[3].as_py()]
    assert found.buffers()[2].address == values.buffers()[2].address
    assert structure.null_values(values, np.ones(4, bool)) is values


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
