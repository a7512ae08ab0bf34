"""Dims whose rows are all of one size, transposed, against numpy's transposition of their positions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.transpose.even import even


@pytest.mark.parametrize("few_columns", [0, 1 << 20], ids=["rows", "columns"])
@pytest.mark.parametrize("n_frames", [0, 1, 3])
@pytest.mark.parametrize(
    "sizes", [[1], [4], [2, 3], [1, 5], [5, 1], [3, 0], [0, 3], [2, 3, 4], [1, 1, 1], [2**40, 2**40, 0]], ids=str
)
def test_positions_are_those_of_numpy(few_columns: int, n_frames: int, sizes: list[int]) -> None:
    first = 2
    with strategy.force(FEW_COLUMNS=few_columns, WINDOW_BYTES=16):
        for order in itertools.permutations(range(len(sizes))):
            if max(sizes) > 100 and sizes[order[0]] > 0:
                continue  # so many rows have offsets that memory can't hold
            moved, atoms = even(n_frames, sizes, [first + dim for dim in order], first)
            rows = n_frames
            for dim, offsets in zip(order, moved, strict=True):
                assert offsets.tolist() == (np.arange(rows + 1) * sizes[dim]).tolist()
                rows *= sizes[dim]
            shape = (n_frames, *sizes)
            numbered = np.arange(rows).reshape(shape if rows else [0] * len(shape))
            assert atoms.tolist() == numbered.transpose(0, *(dim + 1 for dim in order)).reshape(-1).tolist()
