"""inverse_permutation."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.testing import assert_equal, assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis

ndims = st.integers(1, 3)


@given(st.data())
def test_inverse_permutation_undoes_argsort_at_every_axis(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, pa.int16(), small=True))
    order = x.argsort(axis=axis)
    assert_equal(order.inverse_permutation(axis).inverse_permutation(axis), order)


@given(st.data())
def test_partial_permutations(data: st.DataObject) -> None:
    size = data.draw(st.integers(0, 5))
    row = data.draw(st.permutations(range(size)))
    holes = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    rows = [[None if hole else one for one, hole in zip(row, holes, strict=True)], None, []]
    x = aj.array(rows, type=pa.int8(), ndim=2)
    got = x.inverse_permutation()
    assert got.type == pa.int8()
    assert_lists_equal(got.to_list(), ref.inverse_permutation(rows, 2))


def test_over_two_dims_positions_are_of_the_flattened_group() -> None:
    x = aj.array([[[1, 2, 0], [3, None]]])
    assert x.inverse_permutation((1, 2)).to_list() == [[[2, 0, 1], [3, None]]]


def test_an_invalid_permutation_raises_by_row() -> None:
    with pytest.raises(JagValueError, match=r"position 2 is out of range in row 1, which has 2 items"):
        aj.array([[0], [2, 1]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"position 1 occurs twice in row 1"):
        aj.array([[0], [1, 1]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"position -1 is out of range"):
        aj.array([[-1]]).inverse_permutation()
    with pytest.raises(JagTypeError, match=r"inverse_permutation .*double"):
        aj.array([[1.0]]).inverse_permutation()
    with pytest.raises(JagValueError, match=r"a position out of range for its row"):
        aj.array([[0, 1], [1], [2, 2]]).inverse_permutation(0)


@pytest.mark.parametrize("type", [pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()])
def test_permutations_that_meet_in_their_sum_are_refused(type: pa.DataType) -> None:
    # Each row points into the next one so that all slots of the block but one are hit, or hit as often.
    for rows, found in (
        ([[0, 2], [0, 1]], "position 2 is out of range in row 0"),
        ([[1, 0], [0, 2], [0]], "position 2 is out of range in row 1"),
        ([[0, 0], [1, 0]], "position 0 occurs twice in row 0"),
        ([[None, 2], [None, 1]], "position 2 is out of range in row 0"),
        ([[1, None, 1], [0]], "position 1 occurs twice in row 0"),
    ):
        with pytest.raises(JagValueError, match=found):
            aj.array(rows, type=type, ndim=2).inverse_permutation()
    with pytest.raises(JagValueError, match="is out of range in row 0"):
        aj.array([[2 ** (type.bit_width - 1) - 1, 0]], type=type, ndim=2).inverse_permutation()


def test_permutations_over_many_blocks() -> None:
    sizes = np.random.default_rng(0).integers(0, 9, 60_000)
    x = aj.random(len(sizes), sizes, seed=1)
    order = x.argsort()
    assert_equal(order.inverse_permutation(), order.argsort())
    holes = aj.where(x > 0.5, order, None)
    back = holes.inverse_permutation()
    assert back.count().sum().as_py() == holes.count().sum().as_py()
    assert_equal(back.inverse_permutation(), holes)


def test_a_slot_that_the_type_can_not_hold_is_refused() -> None:
    row = [None] * 200
    row[150] = 3
    with pytest.raises(JagOverflowError, match="slot 150 of row 1 does not fit int8"):
        aj.array([[0], row], type=pa.int8(), ndim=2).inverse_permutation()
    assert aj.array([[0], row], type=pa.uint8(), ndim=2).inverse_permutation().to_list()[1][3] == 150
