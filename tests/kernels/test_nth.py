"""One item of each row against a loop over positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import pick as kernel
from tests.compiled_calls import forced

sizes = st.lists(st.integers(0, 4), min_size=1, max_size=12)
TYPES = ["i1", "i4", "i8", "u1", "u4"]


def check(offsets, rows, position):
    items, outside = kernel.items_at(offsets, rows, position)
    looked_up = range(len(items)) if rows is None else rows
    if len(offsets) == 2:
        looked_up = [0] * len(items)
    asked = [int(one) for one in position] if isinstance(position, np.ndarray) else [position] * len(items)
    spans = [range(int(offsets[row]), int(offsets[row + 1])) for row in looked_up]
    wrong = [k for k, (span, one) in enumerate(zip(spans, asked, strict=True)) if not -len(span) <= one < len(span)]
    assert outside == (wrong[0] if wrong else None)
    good = [k for k in range(len(items)) if k not in wrong]
    assert [int(items[k]) for k in good] == [spans[k][asked[k]] for k in good]


@pytest.fixture(scope="module", params=["numpy", "compiled"])
def way(request):
    with forced(request.param, "picked"):
        yield


@pytest.mark.usefixtures("way")
@given(sizes, st.data())
@pytest.mark.parametrize("block", [3, 1 << 16])
def test_pick(block, sizes, data):
    offsets = from_sizes(np.array(sizes))
    with strategy.force(WORD_VALUES=block):
        dtype = np.dtype(data.draw(st.sampled_from(TYPES)))
        slots = st.integers(max(-5, np.iinfo(dtype).min), 5)
        rows = data.draw(st.none() | st.lists(st.integers(0, len(sizes) - 1), max_size=12).map(np.array))
        if rows is None:
            n = data.draw(st.integers(0, 9)) if len(sizes) == 1 else len(sizes)
        else:
            rows = rows.astype(np.int64)
            n = len(rows)
        check(offsets, rows, np.array(data.draw(st.lists(slots, min_size=n, max_size=n)), dtype))
        check(offsets, rows, data.draw(slots))


@pytest.mark.usefixtures("way")
def test_positions_that_would_wrap_are_outside():
    offsets = np.array([0, 2, 2**62, 2**63 - 1])
    rows = np.array([1, 2, 2, 0, 2])
    big = np.array([2**63 - 1, 2**63 - 1, -(2**63), -(2**63), 0])
    assert kernel.items_at(offsets, rows, big)[1] == 0
    for k in range(4):
        assert kernel.items_at(offsets, rows[k:], big[k:])[1] == 0
    items, outside = kernel.items_at(offsets, rows[4:], big[4:])
    assert (items.tolist(), outside) == ([2**62], None)
