"""Inverse permutations against plain lists; blocks of rows give the same results as all rows together."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels.move import scatter as kernel
from arrowjag.errors import JagOverflowError, JagValueError
from tests.kernels.rows import make_offsets, offsets_from

ROWS = st.lists(st.integers(0, 6).flatmap(lambda n: st.permutations(range(n))), max_size=8)


def flat(rows, dtype="int64"):
    """Data, validity and offsets of rows of slots, None for null."""
    items = [slot for row in rows for slot in row]
    valid = np.array([slot is not None for slot in items], np.bool_)
    data = np.array([99 if slot is None else slot for slot in items], dtype)
    return data, None if valid.all() else valid, make_offsets(rows)


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
        ([[None, None], [None, -1]], "position -1 is out of range in row 1"),
        ([[None, 2], [None, None]], "position 2 is out of range in row 0"),
        ([[None, None], [0, None, 0]], "position 0 occurs twice in row 1"),
        ([[1, 2], [0, 0]], "position 2 is out of range in row 0"),
    ],
)
def test_an_invalid_permutation_is_named(rows, says):
    with pytest.raises(JagValueError, match=says):
        kernel.invert_rows(*flat(rows))


def test_slots_that_a_narrow_type_lacks():
    for sizes, slots, says in (
        ([200], {150: 0}, "slot 150 of row 0"),
        ([200], {127: 1, 128: 0}, "slot 128 of row 0"),
        ([3, 0, 300, 200], {0: 1, 130: 3, 250: 2}, "slot 247 of row 2"),
        ([150, 150], {20: 3, 150: 0, 170: 2, 290: 1}, "slot 140 of row 1"),
    ):
        row, offsets = np.zeros(sum(sizes), np.int8), offsets_from(sizes)
        valid = np.zeros(len(row), np.bool_)
        row[[*slots]], valid[[*slots]] = [*slots.values()], True
        with pytest.raises(JagOverflowError, match=f"^inverse_permutation: {says} does not fit int8; cast to a wider type first$"):
            kernel.invert_rows(row, valid, offsets)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_the_last_slot_of_a_narrow_type(dtype):
    last = np.iinfo(dtype).max
    data, offsets = np.arange(last + 1, dtype=dtype)[::-1].copy(), np.array([0, last + 1])
    slots, hit = kernel.invert_rows(data, None, offsets)
    assert (slots.tolist(), hit) == (data.tolist(), None)
    valid = np.zeros(last + 1, np.bool_)
    valid[[1, last]] = True
    slots, hit = kernel.invert_rows(data, valid, offsets)
    assert slots.tolist() == [last if slot == 0 else 1 if slot == last - 1 else 0 for slot in range(last + 1)]  # 0 under nulls
    assert np.flatnonzero(hit).tolist() == [0, last - 1]


def test_heads_of_many_items_take_64_bits():
    for last, dtype in ((2**30 - 1, np.int32), (2**30 + 1, np.int64)):
        found = kernel._heads(np.array([0, 0, 2, 2, 5, last])[[0, 1, 2, 3, 4, 4]])
        assert (found.tolist(), found.dtype) == ([0, 0, 2, 2, 2], np.int32)
        with mock.patch.object(kernel, "row_sizes", return_value=np.array([1, 2])):
            found = kernel._heads(np.array([0, 7, last]))
        assert (found.tolist(), found.dtype) == ([0, 7, 7], dtype)
