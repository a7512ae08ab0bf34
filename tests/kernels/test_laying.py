"""Rows of values of every type laid at new offsets, against Python lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrowjag._kernels import laying as kernel
from arrowjag._kernels.offsets import from_sizes
from tests.kernels.test_merging import drawn
from tests.kernels.test_scatter import SAMPLES


@pytest.fixture(params=["item by item", "by runs", "in small blocks"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "item by item":
        monkeypatch.setattr(kernel, "_FEWEST_VALUES", 0)
    if request.param == "in small blocks":
        monkeypatch.setattr(kernel, "BLOCK_VALUES", 3)


@pytest.mark.parametrize("type", [*SAMPLES, pa.string()], ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_lay_rows(type, either_way, data):
    sizes = np.array(data.draw(st.lists(st.integers(0, 3), max_size=7)), np.int64)
    own = from_sizes(sizes)
    values = drawn(data, type, int(own[-1])) if type in SAMPLES else pa.array([*map(str, range(own[-1]))], type)
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1) | st.integers(-3, -1), max_size=12)) if len(sizes) else [-2, -3]
    places = np.array(rows, np.int64)
    present = places >= 0
    if len(sizes):
        starts = np.where(present, own[np.maximum(places, 0)], 10**9)
        cuts = from_sizes(np.where(present, sizes[np.maximum(places, 0)], -places))
    else:
        starts, cuts = np.full(2, 5), from_sizes(np.array([2, 3]))
    got = kernel.lay_rows(values, starts, present, cuts)
    got.validate(full=True)
    plain = values.to_pylist()
    expected = []
    for row in rows:
        expected += [None] * -row if row < 0 else plain[own[row] : own[row + 1]]
    assert (got.to_pylist(), got.type) == (expected, type)
