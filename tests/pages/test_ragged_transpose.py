"""The notebook "Transpose" of fold, cell by cell: shapes as sizes, and every value."""

from __future__ import annotations

import numpy as np
import pytest

import arrowjag as aj
from arrowjag import JaggedShape
from arrowjag.dims import Repeat, Runs

SHEARING = [[0], [1, 2], [3], [4, 5]]


def test_cell_3_rows_and_columns() -> None:
    t = aj.arange(3, 4).transpose(0, 1)
    assert t.shape == JaggedShape(4, 3)
    assert t.to_list() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]


@pytest.mark.parametrize(("cell", "axes"), [(5, (1, 2)), (6, (0, 1)), (7, (0, 2))])
def test_cells_4_to_7_as_numpy(cell: int, axes: tuple[int, int]) -> None:
    dense = np.arange(24).reshape(2, 3, 4)
    t = aj.arange(2, 3, 4).transpose(*axes)
    assert t.to_list() == dense.swapaxes(*axes).tolist(), cell
    assert t.shape == JaggedShape(*dense.swapaxes(*axes).shape)


def test_shear_preserves_density() -> None:
    x = aj.array(SHEARING)
    t = x.transpose(0, 1, shear="allow")
    assert t.to_list() == [[0, 1, 3, 4], [2, 5]]
    again = t.transpose(0, 1)
    assert again.to_list() == [[0, 2], [1, 5], [3], [4]]
    assert again.transpose(0, 1).equals(t)


def test_cell_9_case_1_a_ragged_dim_outward() -> None:
    t = aj.arange(2, [1, 2], 2, 3).transpose(2, 3)
    assert t.shape == JaggedShape(2, [1, 2], 3, 2)
    assert t.to_list() == [
        [[[0, 3], [1, 4], [2, 5]]],
        [[[6, 9], [7, 10], [8, 11]], [[12, 15], [13, 16], [14, 17]]],
    ]


def test_cells_10_and_11_case_2_a_ragged_dim_inward() -> None:
    x = aj.arange(2, 3, [1, 2, 3])
    assert x.shape == JaggedShape(2, 3, Repeat([1, 2, 3], 2))
    t = x.transpose(0, 1)
    assert t.shape == JaggedShape(3, 2, [1, 1, 2, 2, 3, 3])
    assert t.to_list() == [[[0], [6]], [[1, 2], [7, 8]], [[3, 4, 5], [9, 10, 11]]]


def test_cell_12_repeat() -> None:
    assert list(Repeat([1, 2, 3], 2)) == [1, 2, 3, 1, 2, 3]


def test_cell_14_case_3_a_ragged_dim_transposed_inward() -> None:
    t = aj.arange(2, [2, 3], 3).transpose(1, 2)
    assert t.shape == JaggedShape(2, 3, Runs([2, 3], 3))
    assert t.to_list() == [[[0, 3], [1, 4], [2, 5]], [[6, 9, 12], [7, 10, 13], [8, 11, 14]]]


def test_cell_15_runs() -> None:
    assert list(Runs([2, 4], 3)) == [2, 2, 2, 4, 4, 4]


def test_cells_16_and_17_heads_and_tokens() -> None:
    x = aj.arange(2, [4, 5], 2, 3)
    t = x.transpose(1, 2)
    assert t.shape == JaggedShape(2, 2, Runs([4, 5], 2), 3)
    assert t.to_list() == [np.swapaxes(sequence, 0, 1).tolist() for sequence in x.to_list()]
    assert t.to_list()[0][0] == [[0, 1, 2], [6, 7, 8], [12, 13, 14], [18, 19, 20]]


def test_cells_18_and_19_case_3_with_a_gap() -> None:
    t = aj.arange(2, [2, 3], 2, 3).transpose(1, 3)
    assert t.shape == JaggedShape(2, 3, 2, Runs([2, 3], 6))
    assert t.to_list() == [
        [[[0, 6], [3, 9]], [[1, 7], [4, 10]], [[2, 8], [5, 11]]],
        [[[12, 18, 24], [15, 21, 27]], [[13, 19, 25], [16, 22, 28]], [[14, 20, 26], [17, 23, 29]]],
    ]


def test_cells_20_and_21_case_4_rectangles() -> None:
    x = aj.arange(3, [3, 2, 3], Runs([4, 3, 4], [3, 2, 3]))
    assert x.shape.unpack() == ([3], [3, 2, 3], [4, 4, 4, 3, 3, 4, 4, 4])
    t = x.transpose(1, 2)
    assert t.shape == JaggedShape(3, [4, 3, 4], Runs([3, 2, 3], [4, 3, 4]))
    assert t.to_list() == [np.transpose(rectangle).tolist() for rectangle in x.to_list()]


def test_cell_22_case_4_falling_rows() -> None:
    t = aj.arange(3, [3, 2, 3], [3, 2, 1, 3, 1, 2, 1, 1]).transpose(1, 2)
    assert t.shape == JaggedShape(3, Runs([3, 2], [2, 1]), [3, 2, 1, 2, 1, 1, 3, 1])
    assert t.to_list() == [[[0, 3, 5], [1, 4], [2]], [[6, 9], [7], [8]], [[10, 12, 13], [11]]]


def test_cells_23_and_24_case_5_a_ragged_gap() -> None:
    t = aj.arange(2, 3, [6, 5, 4, 3, 2, 1], 2).transpose(1, 3)
    assert t.shape.unpack() == (
        [2],
        [2, 2],
        [6, 6, 3, 3],
        [3, 3, 3, 3, 2, 1, 3, 3, 3, 3, 2, 1, 3, 2, 1, 3, 2, 1],
    )
    assert t.to_list() == [
        [
            [[0, 12, 22], [2, 14, 24], [4, 16, 26], [6, 18, 28], [8, 20], [10]],
            [[1, 13, 23], [3, 15, 25], [5, 17, 27], [7, 19, 29], [9, 21], [11]],
        ],
        [[[30, 36, 40], [32, 38], [34]], [[31, 37, 41], [33, 39], [35]]],
    ]


def test_cell_25_the_guard() -> None:
    x = aj.arange(4, [1, 2, 1, 2])
    assert x.to_list() == SHEARING
    assert x.transpose_will_shear(0, 1)
    with pytest.raises(aj.ShapeError, match="will shear"):
        x.transpose(0, 1)


def test_cell_27_images() -> None:
    x = aj.random(4, [1, 2, 1, 2], seed=1)
    rows, columns = x.image()
    assert rows.to_list() == [[0], [1, 1], [2], [3, 3]]
    assert columns.to_list() == [[0], [0, 1], [0], [0, 1]]
    assert x[x.image()].equals(x)


def test_cells_28_to_30_scatter_and_overlay() -> None:
    x = aj.random(4, [1, 2, 1, 2], seed=1)
    v = x.values.to_pylist()
    scattered = aj.scatter(aj.zeros(4, 2), x.image(), x)
    assert scattered.to_list() == [[v[0], 0.0], [v[1], v[2]], [v[3], 0.0], [v[4], v[5]]]
    fill = aj.zeros(4, 2)
    assert fill.nbytes < 100
    overlay = aj.overlay(fill, x.image(), x)
    assert overlay.to_list() == scattered.to_list()
    assert overlay.materialize().equals(scattered)
    assert overlay.dest is fill
    assert overlay.values is x


def test_cells_31_and_32_the_image_recovers_the_array() -> None:
    x = aj.random(4, [1, 2, 1, 2], seed=1)
    scattered = aj.scatter(aj.zeros(4, 2), x.image(), x)
    assert scattered[x.image()].equals(x)
