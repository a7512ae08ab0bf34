"""The verified cases of fold's shapes, building, reshape, expand, indexing, images, assignment, overlays and transpose, by number.

Where fold is wrong or ours is decided otherwise, the case states what arrowjag does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag import JaggedShape
from arrowjag.dims import Affine, Runs, Sparse

S = slice


def a(*dims: Any, start: int = 0) -> Any:
    return aj.arange(*dims, start=start)


def sizes(shape: JaggedShape) -> list[list[int]]:
    return list(shape.unpack())


def shown(x: Any) -> Any:
    """A result as sizes and nested lists."""
    return sizes(x.shape), x.to_list()


SHAPES: dict[int, tuple[Callable[[], JaggedShape], list[list[int]]]] = {
    30: (JaggedShape, []),
    31: (lambda: JaggedShape(3, 5, range(1, 6)), [[3], [5, 5, 5], [1, 2, 3, 4, 5] * 3]),
    32: (lambda: JaggedShape(2, [1, 2], [3, 4, 5]), [[2], [1, 2], [3, 4, 5]]),
    37: (lambda: JaggedShape(3, 0, 5), [[3], [0, 0, 0], []]),
    41: (lambda: JaggedShape(3, 4, Runs([5, 7, 3], [4, 4, 4])), [[3], [4, 4, 4], [5] * 4 + [7] * 4 + [3] * 4]),
    42: (lambda: JaggedShape(8, Sparse({1: 2, 4: 3, 5: 1, 7: 2})), [[8], [0, 2, 0, 0, 3, 1, 0, 2]]),
    112: (lambda: JaggedShape(2, 3, ([1, 2, 3], 2)).transpose(0, 1), [[3], [2, 2, 2], [1, 1, 2, 2, 3, 3]]),
    114: (lambda: JaggedShape(2, [4, 5], 2, 3).transpose(1, 2), [[2], [2, 2], [4, 4, 5, 5], [3] * 18]),
    115: (lambda: JaggedShape(2, [2, 3], 2, 3).transpose(1, 3), [[2], [3, 3], [2] * 6, [2] * 6 + [3] * 6]),
    116: (
        lambda: JaggedShape(3, [3, 2, 3], Runs([4, 3, 4], [3, 2, 3])).transpose(1, 2),
        [[3], [4, 3, 4], [3, 3, 3, 3, 2, 2, 2, 3, 3, 3, 3]],
    ),
    118: (
        lambda: JaggedShape(2, 3, [6, 5, 4, 3, 2, 1], 2).transpose(1, 3),
        [[2], [2, 2], [6, 6, 3, 3], [3, 3, 3, 3, 2, 1, 3, 3, 3, 3, 2, 1, 3, 2, 1, 3, 2, 1]],
    ),
    125: (lambda: JaggedShape(3, [2, 1, 0]).transpose(0, 1).transpose(0, 1), [[2], [2, 1]]),
    126: (
        lambda: JaggedShape(3, [2, 0, 1], 3).transpose(1, 2),
        [[3], [3, 3, 3], [2, 2, 2, 0, 0, 0, 1, 1, 1]],
    ),
    127: (lambda: JaggedShape(3, [0, 0, 0]).transpose(0, 1), [[0], []]),
    128: (lambda: JaggedShape(2, 0, 3).transpose(1, 2), [[2], [3, 3], [0] * 6]),
    129: (lambda: JaggedShape(2, 3, 4).transpose(0, -1), [[4], [3] * 4, [2] * 12]),
    131: (lambda: aj.arange(2, 3).permute(1, 0).shape, [[3], [2, 2, 2]]),
}


@pytest.mark.parametrize("number", SHAPES)
def test_shape(number: int) -> None:
    make, expected = SHAPES[number]
    assert sizes(make()) == expected


def test_37_extents_outlive_zero_rows() -> None:
    assert JaggedShape(3, 0, 5).extents == (3, 0, 5)
    assert JaggedShape(2, 0, 3).transpose(1, 2).extents == (2, 3, 0)


def test_40_equality_is_by_value() -> None:
    assert JaggedShape(2, [3, 3]) == JaggedShape(2, 3)
    assert hash(JaggedShape(2, [3, 3])) == hash(JaggedShape(2, 3))


REFUSED: dict[int, tuple[Callable[[], Any], type[Exception], str]] = {
    33: (lambda: JaggedShape(2, [1, 2], [3, 4]), aj.ShapeError, "dim 2"),
    34: (lambda: JaggedShape(2, [1, 2, 3]), aj.ShapeError, "dim 1"),
    35: (lambda: JaggedShape([2, 3], [1, 2]), aj.ShapeError, "dim 0"),
    36: (lambda: JaggedShape(0, [1, 2], 7), aj.ShapeError, "dim 1"),
    38: (lambda: JaggedShape(2, []), aj.ShapeError, "dim 1"),
    39: (lambda: JaggedShape(2, [-1, 3]), aj.ShapeError, "-1"),
    50: (lambda: aj.array([1, [2]]), aj.ShapeError, "mixes nesting levels"),
    57: (lambda: a(5).reshape(2, -1), aj.ShapeError, "evenly"),
    58: (lambda: a(6).reshape(-1, -1), aj.ShapeError, "at most one -1"),
    59: (lambda: a(0).reshape(-1, 0), aj.ShapeError, "positive"),
    61: (lambda: a(2, [2, 3]).reshape(6), aj.ShapeError, "5 items"),
    64: (lambda: a(2, [1, 2]).unsqueeze(-4), aj.JagIndexError, "-4"),
    71: (lambda: a(4, 1).expand(4, [1, 2]), aj.ShapeError, "one size per row"),
    72: (lambda: a(2, [1, 2]).expand(2, [2, 1]), aj.ShapeError, "dim 1"),
    74: (lambda: a(2, [1, 1]).expand(2, 3), aj.ShapeError, "declared"),
    81: (lambda: a(3, [2, 3, 1])[:, 1], aj.JagIndexError, "row 2"),
    82: (lambda: a(3, [2, 3, 1])[:, -2], aj.JagIndexError, "row 2"),
    83: (lambda: a(3, [2, 0, 1])[:, -1], aj.JagIndexError, "row 1"),
    91: (lambda: a(2, [2, 3])[:, [0, 2]], aj.JagIndexError, "row 0"),
    101: (lambda: a(3, [2, 3, 1]).set((S(None), S(None)), a(3, 1, start=10)), aj.ShapeError, "set"),
    102: (lambda: a(3, [2, 3, 1]).set((S(None), S(None)), a(3, 2, start=10)), aj.ShapeError, "set"),
    103: (lambda: a(3, 3).set(([0, 0], [1, 1]), aj.array([7, 8])), aj.JagValueError, r"\(0, 1\)"),
    121: (lambda: a(4, [1, 2, 1, 2]).transpose(0, 1), aj.ShapeError, "will shear"),
    130: (lambda: a(2, 3, 4).transpose(0, 3), aj.JagIndexError, "3"),
}


@pytest.mark.parametrize("number", REFUSED)
def test_refused(number: int) -> None:
    call, error, text = REFUSED[number]
    with pytest.raises(error, match=text):
        call()


ARRAYS: dict[int, tuple[Callable[[], Any], Any]] = {
    43: (lambda: a(2, [2, 3]), [[0, 1], [2, 3, 4]]),
    44: (lambda: a(3, [0, 2, 1]), [[], [0, 1], [2]]),
    45: (lambda: a(3, 0, 4), [[], [], []]),
    46: (a, 0),
    47: (lambda: aj.array([[1, 2], []]), [[1, 2], []]),
    48: (lambda: aj.array([[], []]), [[], []]),
    49: (lambda: aj.array([[[]], [[1], [2, 3]]]), [[[]], [[1], [2, 3]]]),
    51: (lambda: aj.array([["a"], ["b", "c"]]), [["a"], ["b", "c"]]),
    53: (lambda: a(9).reshape(-1, ([1, 2], 3)), [[0], [1, 2], [3], [4, 5], [6], [7, 8]]),
    54: (lambda: a(2, 3, 4).reshape(2, [1, 2], -1), [[list(range(8))], [list(range(8, 16)), list(range(16, 24))]]),
    55: (lambda: a(2, 2, [1, 2, 2, 2]).reshape(4, -1), [[0], [1, 2], [3, 4], [5, 6]]),
    56: (lambda: a(2, 2, [1, 2, 2, 3]).reshape(4, -1), [[0], [1, 2], [3, 4], [5, 6, 7]]),
    60: (lambda: a().reshape(1), [0]),
    62: (lambda: a(2, [1, 2]).unsqueeze(1), [[[0]], [[1, 2]]]),
    63: (lambda: a(2, [1, 2]).unsqueeze(-1), [[[0]], [[1], [2]]]),
    65: (lambda: a(2, [2, 3], 1).expand(-1, -1, 3), [[[0] * 3, [1] * 3], [[2] * 3, [3] * 3, [4] * 3]]),
    68: (
        lambda: a(3, range(1, 4)).unsqueeze(-1).expand(-1, -1, Runs(range(1, 4), range(1, 4))),
        [[[0]], [[1, 1], [2, 2]], [[3] * 3, [4] * 3, [5] * 3]],
    ),
    70: (lambda: a(5, 1).expand(5, [2, 3, 1, 0, 6]), [[0, 0], [1] * 3, [2], [], [4] * 6]),
    73: (lambda: a(3, 1).expand(3, 0), [[], [], []]),
    76: (lambda: a(2).expand_to(a(2, [1, 2])), [[0], [1, 1]]),
    79: (lambda: a(3, [2, 3, 1])[-1], [5]),
    80: (lambda: a(3, [2, 3, 1])[:, 0], [0, 2, 5]),
    84: (lambda: a(3, [2, 3, 1])[:, 1:], [[1], [3, 4], []]),
    85: (lambda: a(3, [2, 3, 1])[:, ::-1], [[1, 0], [4, 3, 2], [5]]),
    86: (lambda: a(3, [2, 3, 1])[:, S(None, [1, 2, 1])], [[0], [2, 3], [5]]),
    87: (lambda: a(3, [2, 3, 1])[:, S(None, Affine(0, 3, 1))], [[], [2], [5]]),
    88: (lambda: a(3, [2, 3, 1])[[2, 0]], [[5], [0, 1]]),
    89: (lambda: a(3, [2, 3, 1])[[0, 1, 2], [1, 2, 0]], [1, 4, 5]),
    90: (lambda: a(2, [2, 3])[(aj.array([[0], [1, 0]]),)], [[[0, 1]], [[2, 3, 4], [0, 1]]]),
    92: (lambda: a(3, [2, 3, 1])[[2, -3]], [[5], [0, 1]]),
    93: (lambda: a(3, [2, 3, 1])[np.array([], int)], []),
    96: (lambda: a(2, [2, 3])[np.array([True, True])], [[0, 1], [2, 3, 4]]),
    98: (lambda: a(3, [2, 3, 1])[a(3, [2, 3, 1]).image()], [[0, 1], [2, 3, 4], [5]]),
    100: (lambda: aj.zeros(4, 2).set(a(4, [1, 2]).image(), aj.full((4, [1, 2]), 1.0)), [[1, 0], [1, 1], [1, 0], [1, 1]]),
    105: (lambda: a(3, 3).set(S(0, 0), 5), [[0, 1, 2], [3, 4, 5], [6, 7, 8]]),
    106: (
        lambda: aj.overlay(aj.zeros(4, 2), a(4, [1, 2]).image(), aj.full((4, [1, 2]), 1.0)),
        [[1, 0], [1, 1], [1, 0], [1, 1]],
    ),
    112: (
        lambda: a(2, 3, [1, 2, 3]).transpose(0, 1),
        [[[0], [6]], [[1, 2], [7, 8]], [[3, 4, 5], [9, 10, 11]]],
    ),
    113: (
        lambda: a(2, [2, 3], 3).transpose(1, 2),
        [[[0, 3], [1, 4], [2, 5]], [[6, 9, 12], [7, 10, 13], [8, 11, 14]]],
    ),
    117: (
        lambda: a(3, [3, 2, 3], [3, 2, 1, 3, 1, 2, 1, 1]).transpose(1, 2),
        [[[0, 3, 5], [1, 4], [2]], [[6, 9], [7], [8]], [[10, 12, 13], [11]]],
    ),
    119: (lambda: a(2, [4, 2]).transpose(0, 1), [[0, 4], [1, 5], [2], [3]]),
    121: (lambda: a(4, [1, 2]).transpose(0, 1, shear="allow"), [[0, 1, 3, 4], [2, 5]]),
    122: (lambda: a(2, [2, 1], [2, 2, 2]).transpose(0, 2), [[[0, 4], [2]], [[1, 5], [3]]]),
    123: (lambda: a(2, 2, [2, 2, 1, 2]).transpose(0, 2, shear="allow"), [[[0, 4], [2, 5]], [[1], [3, 6]]]),
    124: (lambda: a(2, [2, 0], 3).transpose(1, 2), [[[0, 3], [1, 4], [2, 5]], [[], [], []]]),
}


@pytest.mark.parametrize("number", ARRAYS)
def test_array(number: int) -> None:
    make, expected = ARRAYS[number]
    assert make().to_list() == expected


def test_52_text() -> None:
    assert repr(a(2, [1, 2], [1, 2, 3])).splitlines()[1:] == ["[[[0]],", " [[1, 2], [3, 4, 5]]]"]


@pytest.mark.parametrize(
    ("number", "dims", "expanded", "expected"),
    [
        (66, (1, 3, [1, 2, 3]), (2, -1, -1), [[2], [3, 3], [1, 2, 3, 1, 2, 3]]),
        (67, (3, 1, [1, 2, 3]), (-1, 3, -1), [[3], [3, 3, 3], [1, 1, 1, 2, 2, 2, 3, 3, 3]]),
        (
            69,
            (2, 1, [1, 2], 1, [3, 4, 5]),
            (-1, 2, -1, 2, -1),
            [[2], [2, 2], [1, 1, 2, 2], [2] * 6, [3, 3, 3, 3, 4, 4, 5, 5, 4, 4, 5, 5]],
        ),
    ],
)
def test_expand_shapes(number: int, dims: tuple[Any, ...], expanded: tuple[Any, ...], expected: list[list[int]]) -> None:
    assert sizes(a(*dims).expand(*expanded).shape) == expected, number


def test_97_99_images() -> None:
    assert [i.to_list() for i in a(3, [2, 3, 1]).image()] == [[[0, 0], [1, 1, 1], [2]], [[0, 1], [0, 1, 2], [0]]]
    assert [i.to_list() for i in a(2, [1, 2], [1, 0, 2]).image()] == [
        [[[0]], [[], [1, 1]]],
        [[[0]], [[], [1, 1]]],
        [[[0]], [[], [0, 1]]],
    ]


def test_120_123_guards() -> None:
    assert a(4, [1, 2, 1, 2]).transpose_will_shear(0, 1)
    assert a(2, 2, [2, 2, 1, 2]).transpose_will_shear(0, 2)
    assert not a(2, 2, [2, 2, 1, 2]).transpose_will_shear(0, 2, rule="exact")
    with pytest.raises(aj.JagIndexError, match="transpose_will_shear: dim 2 is out of range for 2 dims"):
        a(4, [1, 2, 1, 2]).transpose_will_shear(0, 2)
