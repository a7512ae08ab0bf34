"""Columns of ragged rows, and transposition of large frames by columns, against a stable sort and the general algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy, transpose
from arrowjag._kernels.transpose import coordinates as kernel
from tests.kernels.interpreted import Loops
from tests.kernels.test_transpose_kernel import offsets_of, shapes, sizes_of, swapped

rows = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 40)), max_size=30)


def check(offsets):
    sizes = np.diff(offsets)
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
    columns, items = kernel.by_column(offsets)
    assert items.tolist() == np.argsort(place, kind="stable").tolist()
    assert np.diff(columns).tolist() == [int((sizes > column).sum()) for column in range(max(sizes, default=0))]
    assert columns.dtype == items.dtype == np.int64


@pytest.fixture(scope="module")
def small_blocks():
    """Blocks so small that a few rows fill several of them, and every frame that counts as large."""
    with strategy.force(COLUMN_ROWS=4, COLUMN_MIN_ROWS=1, WORD_VALUES=3, LARGE_FRAME=0):
        yield


@given(rows)
def test_columns(sizes):
    check(offsets_of(len(sizes), sizes)[-1])


@pytest.mark.usefixtures("small_blocks")
@given(rows)
def test_columns_in_several_blocks(sizes):
    check(offsets_of(len(sizes), sizes)[-1])


@pytest.mark.parametrize("n_wide", [1, 5])
def test_columns_by_a_loop(n_wide, monkeypatch):
    loops = Loops()
    monkeypatch.setattr(kernel, "find_loop", loops)
    for sizes in ([], [0], [3, 0, 1, 7, 2, 0, 5, 5, 1], [0, 0, 40, 2, 0, 9, 0]):
        offsets = offsets_of(len(sizes), sizes)[-1]
        with strategy.force(COLUMN_ROWS=4, COLUMN_MIN_ROWS=n_wide):
            check(offsets)
        (_, columns), items, _ = kernel.neighbours(None, [np.array([0, len(sizes)]), offsets], None)
        assert [columns.tolist(), items.tolist()] == [one.tolist() for one in kernel.by_column(offsets)]
    assert [*loops.sought] == ["placed_columns-i8-plain", "counted_columns-i8-plain"]


@pytest.mark.parametrize("sizes", [[], [0], [0, 0], [1], [0, 3, 0], [70_000, 0, 70_001], [100_000]])
def test_edges(sizes):
    check(offsets_of(len(sizes), sizes)[-1])


def test_many_rows():
    check(offsets_of(50_000, np.random.default_rng(0).poisson(3, 50_000).tolist())[-1])


@pytest.mark.usefixtures("small_blocks")
@given(shapes())
def test_large_frames_equal_the_general_path(case):
    offsets, extents = case
    for a in range(len(offsets) - 1):
        axes = swapped(len(offsets), a, a + 1)
        found = [transpose.transpose(offsets, extents, a, a + 1), transpose.permute(offsets, extents, axes)]
        with strategy.force(LARGE_FRAME=2**62):
            wanted = transpose.transpose(offsets, extents, a, a + 1)
        for one in found:
            assert sizes_of(one.offsets) == sizes_of(wanted.offsets)
            assert one.take.tolist() == wanted.take.tolist()
            assert (one.extents, one.sheared) == (wanted.extents, wanted.sheared)
