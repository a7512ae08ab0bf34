"""The notebook "Generalized shapes" of fold, cell by cell, in both spellings of its patterns.

fold prints an encoding that depends on how a shape came about; here sizes are compared, and our own canonical encodings.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag.dims import Affine, Repeat, Runs, Uniform, to_dim

RAGGED = [7, 11, 5, 6, 10, 3, 0, 1]
INNER = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5]


def test_cell_3_rectangular_dimensions() -> None:
    mat = aj.random(4, 4, seed=0)
    assert mat.shape == aj.JaggedShape(4, 4)
    assert mat.shape.encodings() == "(4, 4)"
    assert mat.to_numpy().shape == (4, 4)


def test_cell_4_a_size_for_each_position() -> None:
    shape = aj.random(4, 4).shape
    assert (shape[0], shape[1]) == (Uniform(4, 1), Uniform(4, 4))
    assert shape.unpack() == ([4], [4, 4, 4, 4])


def test_cell_5_ragged_dimensions() -> None:
    ragged = aj.random(8, RAGGED)
    assert [len(row) for row in ragged.to_list()] == RAGGED
    assert ragged.shape.encodings() == "(8, [7, 11, 5, 6, 10, 3, 0, 1])"


def test_cell_6_batches_of_ragged_rows() -> None:
    ragged = aj.random(8, RAGGED)
    even = ragged.reshape(4, 2, ragged.shape[-1])
    assert even.shape.unpack() == ([4], [2, 2, 2, 2], RAGGED)
    uneven = ragged.reshape(4, [2, 1, 2, 3], ragged.shape[-1])
    assert uneven.shape.unpack() == ([4], [2, 1, 2, 3], RAGGED)
    assert even.values.equals(ragged.values)
    assert uneven.to_list()[3] == ragged.to_list()[5:]


@pytest.mark.parametrize("spelling", [(1, 5, 1), range(1, 6), Affine(1, 5, 1)])
def test_cell_7_triangles(spelling: Any) -> None:
    tril = aj.random(5, spelling)
    assert [len(row) for row in tril.to_list()] == [1, 2, 3, 4, 5]
    assert tril.shape.encodings() == "(5, Affine(1, 5, 1))"
    triu = aj.random(5, (5, 5, -1))
    assert [len(row) for row in triu.to_list()] == [5, 4, 3, 2, 1]


def test_cell_8_repetition() -> None:
    trils = aj.random(3, 5, (1, 5, 1))
    assert trils.shape.unpack() == ([3], [5, 5, 5], [1, 2, 3, 4, 5] * 3)
    assert trils.shape.encodings() == "(3, 5, Repeat(Affine(1, 5, 1), 3))"


def test_cell_9_reshape_to_a_pattern() -> None:
    trils = aj.random(3, 5, (1, 5, 1))
    flat = trils.reshape(-1, (1, 5, 1))
    assert flat.shape == aj.JaggedShape(15, Repeat(Affine(1, 5, 1), 3))
    assert flat.values.equals(trils.values)


def test_cell_10_expansion() -> None:
    tril = aj.random(5, (1, 5, 1))
    expanded = tril.unsqueeze(-1).expand(-1, -1, 5)
    assert expanded.shape == aj.JaggedShape(5, (1, 5, 1), 5)
    assert expanded.to_list() == [[[item] * 5 for item in row] for row in tril.to_list()]


@pytest.mark.parametrize("inner", [((1, 5, 1), (1, 5, 1)), Runs(range(1, 6), range(1, 6))])
def test_cell_11_expansion_into_a_ragged_dimension(inner: Any) -> None:
    assert to_dim(inner).tolist() == INNER
    tril = aj.random(5, (1, 5, 1))
    expanded = tril.unsqueeze(-1).expand(-1, -1, inner)
    assert expanded.shape.unpack() == ([5], [1, 2, 3, 4, 5], INNER)
    assert expanded.to_list() == [[[item] * (row + 1) for item in items] for row, items in enumerate(tril.to_list())]


@pytest.mark.parametrize("spelling", [([5, 7, 3], (4, 3)), Runs([5, 7, 3], Uniform(4, 3))])
def test_cell_12_equal_batches_of_a_common_width(spelling: Any) -> None:
    expected = [5] * 4 + [7] * 4 + [3] * 4
    assert to_dim(spelling).tolist() == expected
    assert aj.random(3, 4, spelling).shape.unpack() == ([3], [4, 4, 4], expected)


@pytest.mark.parametrize("spelling", [([5, 7, 3], [5, 3, 4]), Runs([5, 7, 3], [5, 3, 4])])
def test_cell_13_unequal_batches_of_a_common_width(spelling: Any) -> None:
    expected = [5] * 5 + [7] * 3 + [3] * 4
    t = aj.random(3, [5, 3, 4], spelling)
    assert t.shape.unpack() == ([3], [5, 3, 4], expected)
    assert [np.array(batch).shape for batch in t.to_list()] == [(5, 5), (3, 7), (4, 3)]
