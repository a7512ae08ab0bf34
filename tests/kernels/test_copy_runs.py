"""Rows of values of every type that are dropped or copied to new offsets, against Python lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base.offsets import from_sizes
from arrowjag._kernels.move import copy_runs as kernel
from tests.compiled_calls import forced
from tests.kernels.test_merge import drawn
from tests.kernels.test_scatter import SAMPLES


@pytest.fixture(scope="module", params=["item by item", "by runs", "in small blocks", "compiled"])
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        with forced("compiled", "copy_rows"):
            yield
        return
    blocks = {"PASS_VALUES": 8, "ROWS": 2} if request.param == "in small blocks" else {}
    by = "items" if request.param == "item by item" else "runs"
    with strategy.force(take_runs=by, copy_rows=by, **blocks):
        yield


def drawn_or_texts(data, type, n):
    return drawn(data, type, n) if type in SAMPLES else pa.array([*map(str, range(n))], type)


@pytest.mark.parametrize("type", [*SAMPLES, pa.string()], ids=str)
@given(data=st.data())
def test_rows_are_written_at_new_offsets(type, either_way, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, 3), max_size=7)), np.int64)
    own = from_sizes(sizes)
    values = drawn_or_texts(data, type, int(own[-1]))
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1) | st.integers(-3, -1), max_size=12)) if len(sizes) else [-2, -3]
    places = np.array(rows, np.int64)
    present = places >= 0
    if len(sizes):
        starts = np.where(present, own[np.maximum(places, 0)], 10**9)
        cuts = from_sizes(np.where(present, sizes[np.maximum(places, 0)], -places))
    else:
        starts, cuts = np.full(2, 5), from_sizes(np.array([2, 3]))
    got = kernel.copy_rows(values, starts, present, cuts)
    got.validate(full=True)
    plain = values.to_pylist()
    expected = []
    for row in rows:
        expected += [None] * -row if row < 0 else plain[own[row] : own[row + 1]]
    assert (got.to_pylist(), got.type) == (expected, type)


@pytest.mark.parametrize("type", [*SAMPLES, pa.string()], ids=str)
@given(data=st.data())
def test_drop_rows(type, either_way, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, 9), max_size=9)), np.int64)
    offsets = from_sizes(sizes)
    values = drawn_or_texts(data, type, int(offsets[-1]))
    lost = np.array(data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes))), bool) & (sizes > 0)
    dropped = lost.nonzero()[0]
    left = kernel.offsets_with(offsets, dropped)
    got = kernel.drop_rows(values, offsets, dropped)
    got.validate(full=True)
    plain = values.to_pylist()
    rows = [plain[start:stop] for start, stop in pairwise(offsets)]
    assert got.type == type
    assert got.to_pylist() == [item for row, is_lost in zip(rows, lost, strict=True) if not is_lost for item in row]
    assert left.tolist() == from_sizes(np.where(lost, 0, sizes)).tolist()
    assert kernel.differ_only_in(left, offsets, dropped)
    if len(sizes) > len(dropped):
        row = data.draw(st.sampled_from((~lost).nonzero()[0].tolist()))
        others = from_sizes(np.where(lost, 0, sizes) + (np.arange(len(sizes)) == row))
        assert not kernel.differ_only_in(others, offsets, dropped)
        assert not kernel.differ_only_in(left[:-1], offsets, dropped)


@pytest.mark.parametrize("share", [1e-5, 0.02, 0.5, 0.99])
def test_parts_of_a_layout(share):
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 20, 60_000)
    sizes[777] = 200_000
    offsets = from_sizes(sizes)
    lost = (rng.random(len(sizes)) < share) & (sizes > 0)
    lost[777] = False
    data = rng.random(int(offsets[-1]))
    dropped = lost.nonzero()[0]
    expected = data[(~lost).repeat(sizes)]
    for layout in (
        kernel.layout_without(offsets, dropped),
        kernel.layout_with(offsets, kernel.offsets_with(offsets, dropped), dropped),
    ):
        assert layout.size == len(expected)
        for start, stop in np.sort(rng.integers(0, len(expected), (50, 2)), axis=1).tolist():
            assert np.array_equal(layout.part(data, slice(start, stop + 1)), expected[start : stop + 1])
    array = pa.array(data, mask=rng.random(len(data)) < 0.1)
    assert kernel.drop_rows(array, offsets, dropped).equals(array.filter(pa.array((~lost).repeat(sizes))))
