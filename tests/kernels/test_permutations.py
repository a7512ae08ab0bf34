"""Permutations turned round, against plain lists; blocks of rows give what all rows together give."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.move import scatter as kernel
from arrowjag.errors import JagOverflowError, JagValueError

ROWS = st.lists(st.integers(0, 6).flatmap(lambda n: st.permutations(range(n))), max_size=8)


def flat(rows, dtype="int64"):
    """Data, validity and offsets of rows of slots, None for null."""
    items = [slot for row in rows for slot in row]
    valid = np.array([slot is not None for slot in items], np.bool_)
    data = np.array([99 if slot is None else slot for slot in items], dtype)
    return data, None if valid.all() else valid, np.array([0, *np.cumsum([len(row) for row in rows])], np.int64)


def inverted(row):
    return [row.index(slot) if slot in row else None for slot in range(len(row))]


def row_by_row(work, offsets, *, block_values):
    """As `map_rows`, with blocks of one row."""
    del block_values
    return [work(row, row + 1) for row in range(len(offsets) - 1)]


def test_inverse():
    assert kernel.inverse(np.array([2, 0, 1, 3])).tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
@given(rows=ROWS, nulls=st.booleans(), in_blocks=st.booleans(), data=st.data())
def test_rows_are_turned_round(dtype, rows, nulls, in_blocks, data):
    if nulls:
        rows = [[None if data.draw(st.booleans()) else slot for slot in row] for row in rows]
    with mock.patch.object(kernel, "map_rows", row_by_row if in_blocks else kernel.map_rows):
        slots, hit = kernel.invert_rows(*flat(rows, dtype))
    assert slots.dtype == dtype
    present = np.ones(len(slots), np.bool_) if hit is None else hit
    expected = [slot for row in rows for slot in inverted(row)]
    assert [slot if known else None for slot, known in zip(slots.tolist(), present.tolist(), strict=True)] == expected


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([[0], [1, 0], [0, 0]], "position 0 occurs twice in row 2"),
        ([[0], [], [2, 0]], "position 2 is out of range in row 2, which has 2 items"),
        ([[0], [-1]], "position -1 is out of range in row 1"),
        ([[1, None, 0], [None, 1, 1]], "position 1 occurs twice in row 1"),
        ([[None, 5], [0]], "position 5 is out of range in row 0"),
    ],
)
def test_an_invalid_permutation_is_named(rows, says):
    with pytest.raises(JagValueError, match=says):
        kernel.invert_rows(*flat(rows))


def test_slots_that_a_narrow_type_lacks():
    row = np.zeros(200, np.int8)
    valid = np.zeros(200, np.bool_)
    valid[150] = True
    with pytest.raises(JagOverflowError, match="slot 150 of row 0 does not fit int8"):
        kernel.invert_rows(row, valid, np.array([0, 200]))
