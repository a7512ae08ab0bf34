"""Rows taken as windows, against loops; and what is not taken that way."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from arrowjag._kernels import windows


@pytest.mark.parametrize("type", ["int8", "uint16", "float32", "float64", "float16"])
@pytest.mark.parametrize("width", [1, 20, 64])
def test_take_short(type: str, width: int) -> None:
    draw = np.random.default_rng(0)
    sizes = draw.integers(width // 2, width + 1, 500_000 // width)
    sizes[-3:] = 0, width, 0
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    data = draw.integers(0, 100, cuts[-1] + 3).astype(type)
    rows = draw.integers(0, len(sizes), len(sizes))
    rows[:3] = len(sizes) - 2
    offsets = np.concatenate([[0], np.cumsum(sizes[rows])])
    found = windows.take_short(pa.array(data).slice(3), cuts[rows], offsets)
    wanted = np.concatenate([data[3:][cuts[row] : cuts[row + 1]] for row in rows.tolist()])
    assert found.type == pa.from_numpy_dtype(type)
    assert np.array_equal(found.to_numpy(), wanted)


@pytest.mark.parametrize(
    ("values", "sizes"),
    [
        (pa.array(np.arange(300_000)), [100] * 3000),
        (pa.array(np.arange(300_000)), [1] * 299_990 + [10]),
        (pa.array(np.arange(1000)), [10] * 100),
        (pa.array([None, *range(299_999)]), [10] * 30_000),
        (pa.array(np.zeros(300_000, bool)), [10] * 30_000),
        (pa.array(["a"] * 300_000), [10] * 30_000),
    ],
)
def test_what_is_not_taken_that_way(values: pa.Array, sizes: list[int]) -> None:
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    assert windows.take_short(values, offsets[:-1], offsets) is None
