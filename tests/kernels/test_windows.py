"""Rows copied as windows, and their cells filtered, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from arrowjag._kernels import windows


@pytest.mark.parametrize("type", ["int8", "uint16", "float32", "float64", "float16"])
@pytest.mark.parametrize("width", [1, 20, 64])
@pytest.mark.parametrize("few", [0, 1 << 20])
def test_windows_and_filter(type: str, width: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    monkeypatch.setattr(windows, "_FEW_CELLS", few)
    draw = np.random.default_rng(0)
    sizes = draw.integers(0, width + 1, 500)
    sizes[-3:] = 0, width, 0
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    data = windows.words(draw.integers(0, 100, cuts[-1]).astype(type))
    rows = draw.integers(0, len(sizes), len(sizes))
    rows[:3] = len(sizes) - 2
    cells = np.empty((len(rows), width), data.dtype)
    windows.copy_windows(data, cuts[rows], cells)
    out = np.empty(int(sizes[rows].sum()), data.dtype)
    windows.filter_cells(cells, sizes[rows], out)
    wanted = np.concatenate([data[cuts[row] : cuts[row + 1]] for row in rows.tolist()])
    assert np.array_equal(out, wanted)


def test_blocks_cover_all_rows() -> None:
    seen = np.zeros(100_000, int)

    def work(first: int, end: int) -> None:
        seen[first:end] += 1

    windows.map_cells(work, len(seen), 20)
    assert (seen == 1).all()
