"""Rows copied as windows, and their cells filtered, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from arrowjag._kernels.base import blocks
from tests.kernels.rows import offsets_from


@pytest.mark.parametrize("type", ["int8", "uint16", "float32", "float64", "float16"])
@pytest.mark.parametrize("width", [1, 20, 64])
def test_windows_there_and_back(type: str, width: int) -> None:
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, width + 1, 500)
    sizes[-3:] = 0, width, 0
    cuts = offsets_from(sizes)
    data = blocks.words(draw.integers(0, 100, cuts[-1]).astype(type))
    rows = draw.integers(0, len(sizes), len(sizes))
    rows[:3] = len(sizes) - 2
    cells = blocks.take_windows(data, cuts[rows], width)
    out = np.empty(int(sizes[rows].sum()), data.dtype)
    blocks.put_windows(cells, np.cumsum(sizes[rows]) - sizes[rows], out)
    wanted = np.concatenate([data[cuts[row] : cuts[row + 1]] for row in rows.tolist()])
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("sizes", [[0, 1], [0, 0], [], [3, 5, 0, 4, 0], [1, 1, 1], [5], [0, 7, 0, 0, 9]])
def test_windows_ignore_items_that_no_row_covers(sizes: list[int]) -> None:
    width = 3
    cells = np.arange(len(sizes) * width).reshape(-1, width)
    out = np.full(sum(sizes), -1)
    blocks.put_windows(cells, np.cumsum(sizes, dtype=np.int64) - sizes, out)
    wanted = [[*row[:size], *[-1] * (size - width)] for row, size in zip(cells.tolist(), sizes, strict=True)]
    assert out.tolist() == [cell for row in wanted for cell in row]


def test_blocks_cover_all_rows() -> None:
    seen = np.zeros(100_000, int)

    def work(first: int, end: int) -> None:
        seen[first:end] += 1

    blocks.map_cells(work, len(seen), 20)
    assert (seen == 1).all()
