"""The oracle itself, on worked examples: documented results of numpy, Koda and fold, and small cases by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag.testing import assert_lists_equal, jagged_lists, prefix_lists
from tests import reference as ref
from tests.reference import Jag

N = None
NAN = math.nan
X3 = [[[1, 2], [3]], [[4, 5]]]
S3 = [[[1, 2], [3]], [[4, 5, 6]], [[7], [8, 9]]]
S2 = [[1, N, 3], [], [4, 5]]
Z3 = [[[1, 2], [], [3]], [], [[4]]]


def arange(*dims: int | list[int]) -> Any:
    """Nested lists of 0, 1, 2...; plain lists are complete."""
    sizes, rows = [], 1
    for dim in dims:
        sizes.append([dim] * rows if isinstance(dim, int) else dim)
        rows = sum(sizes[-1])
    return ref.from_shape(range(rows), sizes)


def jag(x: Any) -> Jag:
    """The value with the depth of its first deepest list; for literals without doubt."""
    depth = lambda v: 1 + max(map(depth, v), default=0) if isinstance(v, list) else 0  # noqa: E731
    return Jag(x, depth(x))


# --------------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    ("x", "ndim", "sizes"),
    [
        ([], 1, ([0],)),
        ([[]], 2, ([1], [0])),
        ([[[]], []], 3, ([2], [1, 0], [0])),
        ([[], [[]]], 3, ([2], [0, 1], [0])),
        ([[1], None], 2, ([2], [1, 0])),
        (X3, 3, ([2], [2, 1], [2, 1, 2])),
        (7, 0, ()),
    ],
)
def test_shape_of(x: Any, ndim: int, sizes: tuple[list[int], ...]) -> None:
    assert ref.shape_of(x, ndim) == sizes


@given(jagged_lists(3, null_rows=False))
def test_from_shape_undoes_shape_of(x: Any) -> None:
    assert ref.from_shape(ref.items(x, 3), ref.shape_of(x, 3)) == x


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ((), [1, 2, 3, 4, 5]),
        ((0, 3), [1, 2, 3, 4, 5]),
        ((-5, 9), [1, 2, 3, 4, 5]),
        ((1,), [[1, 2, 3], [4, 5]]),
        ((-2,), [[1, 2, 3], [4, 5]]),
        ((0, 2), [[1, 2], [3], [4, 5]]),
        ((-1,), X3),
        ((1, 2), X3),
        ((0, 0), [X3]),
        ((-5, 0), [X3]),
        ((1, 0), [[[[1, 2], [3]]], [[[4, 5]]]]),
        ((2, 1), [[[[1, 2]], [[3]]], [[[4, 5]]]]),
        ((9,), [[[[1], [2]], [[3]]], [[[4], [5]]]]),
    ],
)
def test_flatten(dims: tuple[int, ...], expected: Any) -> None:
    assert ref.flatten(X3, 3, *dims) == expected
    assert len(ref.shape_of(expected, ref.flatten_ndim(3, *dims))[-1]) > 0


def test_flatten_drops_null_rows_and_keeps_those_above() -> None:
    assert ref.flatten([[1, N], N, []], 2) == [1, N]
    assert ref.flatten([[[1], N], N, []], 3, 1) == [[1], N, []]
    assert ref.flatten([[[1, 2], [], [3]], [], [[4]]], 3, 0, 2) == [[1, 2], [], [3], [4]]


def test_flatten_end() -> None:
    assert ref.flatten_end([1, 2], 1) == [1, 2]
    assert ref.flatten_end(X3, 3) == [[1, 2, 3], [4, 5]]
    assert ref.flatten_end(X3, 3, 0) == X3
    assert ref.flatten_end(X3, 3, 2) == ref.flatten_end(X3, 3, 3) == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="flatten_end"):
        ref.flatten_end(X3, 3, 4)


@pytest.mark.parametrize(
    ("count", "dims", "sizes"),
    [
        (4, (-1,), ([4],)),
        (4, (-1, 2), ([2], [2, 2])),
        (4, (1, -1), ([1], [4])),
        (4, (2, -1, 2), ([2], [1, 1], [2, 2])),
        (4, (-1, [3, 1]), ([2], [3, 1])),
        (4, (-1, [3, 1], 1), ([2], [3, 1], [1, 1, 1, 1])),
        (4, (2, -1, [2, 2]), ([2], [1, 1], [2, 2])),
        (6, (2, [1, 2], -1), ([2], [1, 2], [2, 2, 2])),
        (6, (2, [1, 2], -1, [1, 2, 3]), ([2], [1, 2], [1, 1, 1], [1, 2, 3])),
        (6, (-1, 2, [1, 2, 0, 3]), ([2], [2, 2], [1, 2, 0, 3])),
        (0, (0, -1), ([0], [])),
        (0, (3, -1), ([3], [0, 0, 0])),
        (0, (-1, 3), ([0], [])),
        (0, (2, -1, [0, 0]), ([2], [1, 1], [0, 0])),
        (1, (), ()),
    ],
)
def test_koda_reshape(count: int, dims: Any, sizes: Any) -> None:
    assert ref.shape_of(ref.koda_reshape(list(range(count)), 1, dims), len(dims)) == sizes


@pytest.mark.parametrize(
    ("count", "dims"),
    [
        (4, (3, -1)),
        (4, (-1, 3)),
        (4, (-1, 8)),
        (4, (-1, [3, 2])),
        (4, (2, -1, [2, 1, 1])),
        (6, (-1, 3, [1, 2, 0, 3])),
        (6, (-1, 0)),
        (0, (-1, 0)),
        (6, (0, -1)),
        (4, (-1, -1)),
        (4, ()),
        (4, (-2, 2)),
        (4, ([2], [2])),
        (5, (2, [3, 3])),
    ],
)
def test_koda_reshape_refuses(count: int, dims: Any) -> None:
    with pytest.raises(ValueError):
        ref.koda_reshape(list(range(count)), 1, dims)


def test_reshape_keeps_ragged_rows() -> None:
    assert ref.reshape(arange(2, 2, [1, 2, 2, 2]), 3, (4, -1)) == [[0], [1, 2], [3, 4], [5, 6]]
    assert ref.reshape(arange(2, 2, [1, 2, 2, 3]), 3, (4, -1)) == [[0], [1, 2], [3, 4], [5, 6, 7]]
    assert ref.reshape(arange(2, 3, 4), 3, (2, [1, 2], -1))[0] == [[0, 1, 2, 3, 4, 5, 6, 7]]
    assert ref.reshape([[1], N, [2, 3], []], 2, (2, 2, -1)) == [[[1], N], [[2, 3], []]]
    assert ref.reshape([1, 2, 3, 4], 1, (4, -1)) == [[1], [2], [3], [4]]
    with pytest.raises(ValueError, match="divide"):
        ref.reshape(list(range(5)), 1, (2, -1))


# --------------------------------------------------------------------------------------------------------- broadcasting


@pytest.mark.parametrize(
    ("target", "ndim", "expected"),
    [
        ([[[0], [0, 0]], [[0, 0, 0]]], 0, [[[1], [2, 2]], [[3, 3, 3]]]),
        ([[[], [0, 0]], [[]]], 0, [[[], [2, 2]], [[]]]),
        ([[0], [0, 0]], 1, [[[1, 2]], [[3], [3]]]),
        ([[0], [0, 0]], 2, [[[[1, 2], [3]]], [[[1, 2], [3]], [[1, 2], [3]]]]),
        ([0, 0], 1, [[1, 2], [3]]),
        (0, 2, [[1, 2], [3]]),
        ([], 2, []),
    ],
)
def test_expand_to(target: Any, ndim: int, expected: Any) -> None:
    target = Jag(target, 1) if target == [] else jag(target)
    assert ref.expand_to(jag([[1, 2], [3]]), target, ndim) == expected


@pytest.mark.parametrize(("target", "ndim"), [([0, 0], 0), ([[0], [0, 0]], 0), ([0, 0, 0], 1), (0, 1), (0, 3), (0, -1)])
def test_expand_to_refuses(target: Any, ndim: int) -> None:
    with pytest.raises(ValueError):
        ref.expand_to(jag([[1, 2], [3]]), jag(target), ndim)


def test_size_one_never_stretches() -> None:
    for x, y in [([1], [1, 2]), ([[1]], [[1, 2]]), ([[1], [2, 3]], [[1, 2], [3]])]:
        with pytest.raises(ValueError, match="sizes differ"):
            ref.elementwise(lambda a, b: a + b, jag(x), jag(y))
    assert ref.elementwise(lambda a, b: a + b, jag([[1]]), jag(1)) == [[2]]


def test_a_null_row_of_any_operand_gives_a_null_row() -> None:
    add = lambda a, b: a + b  # noqa: E731
    assert ref.elementwise(add, Jag([[1, 2], N, [3]], 2), Jag([N, [7, 8, 9], [10]], 2)) == [N, N, [13]]
    assert ref.elementwise(add, Jag([1, N], 1), Jag([[1, 2], [3]], 2)) == [[2, 3], [N]]
    assert ref.elementwise(add, Jag([1, N], 1), Jag([N, [3]], 2)) == [N, [N]]
    assert ref.elementwise(add, Jag([[1], N], 2), Jag([[[1, 1]], [[2], [3]]], 3)) == [[[2, 2]], N]
    assert ref.elementwise(add, Jag([], 1), Jag(1, 0)) == []


def test_align() -> None:
    x, y, z = ref.align(Jag([1, 2], 1), Jag([[5], [6, 7]], 2), Jag(0, 0))
    assert (x, y, z) == ([[1], [2, 2]], [[5], [6, 7]], [[0], [0, 0]])
    assert ref.align(Jag([[1], N], 2), Jag([N, [2]], 2)) == ([N, N], [N, N])
    assert ref.align() == ()


@given(prefix_lists((1, 3)))
def test_expanding_then_adding_is_adding(pair: tuple[Any, Any]) -> None:
    x, y = Jag(pair[0], 1), Jag(pair[1], 3)
    add = lambda a, b: a + b  # noqa: E731
    assert ref.elementwise(add, x, y) == ref.elementwise(add, Jag(ref.expand_to(x, y), 3), y)


def test_is_prefix() -> None:
    assert ref.is_prefix(Jag([1, 2], 1), Jag([[1], []], 2))
    assert not ref.is_prefix(Jag([[1], []], 2), Jag([1, 2], 1))
    assert ref.is_prefix(Jag([N, [2]], 2), Jag([[1, 1], [2]], 2))
    assert not ref.is_prefix(Jag([1], 1), Jag([], 2))


def test_logic_is_kleene() -> None:
    values = [True, True, True, False, False, False, N, N, N], [True, False, N] * 3
    a, b = (Jag(v, 1) for v in values)
    assert ref.kleene_and(a, b) == [True, False, N, False, False, False, N, False, N]
    assert ref.kleene_or(a, b) == [True, True, True, True, False, N, True, N, N]
    assert ref.kleene_not(Jag([[True, N], N], 2)) == [[False, N], N]


def test_where_and_coalesce_are_null_only_where_the_supplier_is() -> None:
    where, coalesce = ref.where, ref.coalesce
    assert where(Jag([True, False], 1), Jag([N, [1]], 2), Jag([[5], N], 2)) == [N, N]
    assert where(Jag([False, True], 1), Jag([N, [1]], 2), Jag([[5], N], 2)) == [[5], [1]]
    assert where(Jag([[True, False]], 2), Jag([N], 2), Jag([[5, 6]], 2)) == [[N, 6]]
    assert where(Jag([[True, N], N], 2), Jag([1, 2], 1), Jag(0, 0)) == [[1, N], N]
    assert where(Jag(True, 0), Jag([1], 1), Jag([2], 1)) == [1]
    assert coalesce(Jag([[1, N], N, N], 2), Jag([[7, 8], [9], N], 2)) == [[1, 8], [9], N]
    assert coalesce(Jag([[N, 2], N], 2), Jag([5, 6], 1)) == [[5, 2], N]
    assert coalesce(Jag([5, N], 1), Jag([[1, 2], [3]], 2)) == [[5, 5], [3]]


def test_nulls_of_leaves_and_of_rows() -> None:
    assert ref.is_null([[1, N], N], 2) == [[False, True], N]
    assert ref.is_null([[1, N], N], 2, 0) == [False, True]
    assert ref.fill_null([[1, N], N], 2, 0) == [[1, 0], N]


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (7.5, -2.0), (1, 0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)])
def test_division(a: Any, b: Any) -> None:
    integers = isinstance(a, int)
    with np.errstate(all="ignore"):
        quotient, floor, rest = (float(f(np.float64(a), b)) for f in (np.true_divide, np.floor_divide, np.mod))
    assert_lists_equal(ref.true_divide(a, b), quotient)
    assert_lists_equal(ref.floor_divide(a, b), None if integers and b == 0 else floor)
    assert_lists_equal(ref.modulo(a, b), None if integers and b == 0 else rest)


def test_integers_wrap() -> None:
    assert [ref.wrapped(v, 8) for v in (127, 128, -129, 256)] == [127, -128, 127, 0]
    assert [ref.wrapped(v, 8, signed=False) for v in (255, 256, -1)] == [255, 0, 255]


# ------------------------------------------------------------------------------------------------------------- indexing


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (-1, [5]),
        ((slice(N), 0), [0, 2, 5]),
        ((slice(N), slice(1, N)), [[1], [3, 4], []]),
        ((slice(N), slice(N, N, -1)), [[1, 0], [4, 3, 2], [5]]),
        (slice(N, N, 2), [[0, 1], [5]]),
        ((..., 0), [0, 2, 5]),
        ((1, ...), [2, 3, 4]),
        ((1, ..., -1), 4),
        (None, [[[0, 1], [2, 3, 4], [5]]]),
        ((slice(N), None), [[[0, 1]], [[2, 3, 4]], [[5]]]),
        ((..., None), [[[0], [1]], [[2], [3], [4]], [[5]]]),
        (Jag([2, 0], 1), [[5], [0, 1]]),
        (Jag([2, -3], 1), [[5], [0, 1]]),
        (Jag([], 1), []),
        ((Jag([0, 1, 2], 1), Jag([1, 2, 0], 1)), [1, 4, 5]),
        ((Jag([0, 1], 1), slice(1, N)), [[1], [3, 4]]),
        ((slice(N), Jag([0, 0], 1)), [[0, 0], [2, 2], [5, 5]]),
        (Jag([[0], [2, 0], []], 2), [[0], [4, 2], []]),
        (Jag([[0], N, [N]], 2), [[0], N, [N]]),
        (Jag([True, False, True], 1), [[0, 1], [5]]),
        (Jag([[True, False], [N, True, True], [False]], 2), [[0], [3, 4], []]),
        ((Jag([True, False, True], 1), 0), [0, 5]),
    ],
)
def test_getitem(index: Any, expected: Any) -> None:
    found = ref.getitem(arange(3, [2, 3, 1]), 2, index)
    assert found.value == expected
    if expected != []:
        assert found.ndim == jag(expected).ndim


def test_a_tuple_with_one_array_gathers_at_its_dim() -> None:
    gathered = ref.getitem(arange(2, [2, 3]), 2, (Jag([[0], [1, 0]], 2),))
    assert gathered == ([[[0, 1]], [[2, 3, 4], [0, 1]]], 3)


@pytest.mark.parametrize("index", [3, (slice(N), 1), (slice(N), -2), (0, 0, 0), (..., ...), Jag([[5], [0], [0]], 2)])
def test_getitem_out_of_range(index: Any) -> None:
    with pytest.raises(IndexError):
        ref.getitem(arange(3, [2, 3, 1]), 2, index)


def test_getitem_of_a_null_row_is_null() -> None:
    x = [[1, 2], N, [3]]
    assert ref.getitem(x, 2, 1) == (N, 1)
    assert ref.getitem(x, 2, (slice(N), 0)).value == [1, N, 3]
    assert ref.getitem(x, 2, (slice(N), slice(1, N))).value == [[2], N, []]
    assert ref.getitem(x, 2, Jag([[0], [5], []], 2)).value == [[1], N, []]
    assert ref.getitem(x, 2, Jag([[True, True], [True], [False]], 2)).value == [[1, 2], N, []]


@given(jagged_lists(3))
def test_an_array_at_its_image_is_itself(x: Any) -> None:
    image = tuple(Jag(one, 3) for one in ref.image(x, 3))
    assert ref.getitem(x, 3, image) == (x, 3)


def test_image() -> None:
    assert ref.image(arange(3, [2, 3, 1]), 2) == ([[0, 0], [1, 1, 1], [2]], [[0, 1], [0, 1, 2], [0]])
    assert ref.image(arange(2, [1, 2], [1, 0, 2]), 3)[2] == [[[0]], [[], [0, 1]]]


def test_numpy_agrees_on_rectangles() -> None:
    dense = np.arange(24).reshape(2, 3, 4)
    for index in [(0,), (..., 1), (slice(N), slice(N, N, -2)), (1, N, slice(1, 3)), (..., N), (-1, ..., -1, N)]:
        assert ref.getitem(dense.tolist(), 3, index).value == dense[index].tolist()


@pytest.mark.parametrize(
    ("x", "args", "expected"),
    [
        (S3, (0,), [[1, 3], [4], [7, 8]]),
        (S3, (-1,), [[2, 3], [6], [7, 9]]),
        (S3, (1,), [[2, N], [5], [N, 9]]),
        (S3, (5,), [[N, N], [N], [N, N]]),
        (S3, (0, 1), [2, 5, N]),
        (S3, (0, 1, 0), 3),
        (S3, (2, ...), [[7], [8, 9]]),
        (S3, (2, 1, ...), [8, 9]),
        (S3, (2, ..., 0), [7, 8]),
        (S3, (5, ...), []),
        (S3, (0, 5, ...), []),
        (S3, (5, 0, 0), N),
        (S3, (slice(1, N),), [[[2], []], [[5, 6]], [[], [9]]]),
        (S3, (slice(1, 0),), [[[], []], [[]], [[], []]]),
        (S3, (slice(1, N), ...), S3[1:]),
        (S3, (slice(-100, N), ...), S3),
        (S3, (slice(1, N), 0), [[3], [], [8]]),
        (S3, (slice(1, N), 0, ...), [[4, 5, 6], [7]]),
        (S3, (slice(0, -1), slice(0, 1), slice(1, N)), [[[2]], [[5, 6]]]),
        (S3, (slice(Jag([0, 1, 2], 1), N),), [[[1, 2], [3]], [[5, 6]], [[], []]]),
        (S3, (slice(Jag([0, 1, 2], 1), Jag([2, 3, N], 1)), ...), [S3[0:2], S3[1:3], []]),
        (S3, (Jag([1, 2], 1), ...), [S3[1], S3[2]]),
        (S3, (Jag([[1], [0, 2]], 2), ...), [[S3[1]], [S3[0], S3[2]]]),
        (S3, (Jag([1, N, 0], 1), ...), [S3[1], [], S3[0]]),
        (S3, (Jag([1, 0, 7], 1), ...), [S3[1], S3[0], []]),
        (S3, (Jag([1, 2], 1), Jag([[0, 0], [1, 0]], 2), 0), [[4, 4], [8, 7]]),
        (S2, (Jag([0, 0, 1], 1),), [1, N, 5]),
        (S2, (Jag([[0, 1], [0], [1, 7, -1, -3, N]], 2),), [[1, N], [N], [5, N, 5, N, N]]),
        (S2, (slice(Jag([[0, 1], [], [0]], 2), N),), [[[1, N, 3], [N, 3]], [], [[4, 5]]]),
        (S2, (None,), [N, N, N]),
        (Z3, (slice(N), -1, 0), [3, N, 4]),
        (Z3, (slice(N), 1, ...), [[], [], []]),
        (Z3, (Jag([N, 0], 1), slice(N), ...), [[], [[1, 2], [], [3]]]),
        ([[1, 2], N], (0,), [1, N]),
        ([[1, 2], N], (slice(1, N),), [[2], N]),
        ([[1, 2], N], (1, ...), N),
    ],
)
def test_subslice(x: Any, args: tuple[Any, ...], expected: Any) -> None:
    assert ref.subslice(x, jag(x).ndim, *args).value == expected


@pytest.mark.parametrize("args", [(0, 0, 0), (Jag([0, 1], 1),), (slice(Jag([0, 1], 1), N),), (Jag([[0], [0]], 2),)])
def test_subslice_refuses(args: tuple[Any, ...]) -> None:
    with pytest.raises((ValueError, IndexError)):
        ref.subslice(S2, 2, *args)


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (1, [N, 4]),
        ([0, 1], [1, 4]),
        ([[0, 1], [1]], [[1, N], [4]]),
        ([[[0, 1], []], [[1], [0]]], [[[1, N], []], [[4], [3]]]),
        ([3, -3], [N, N]),
        ([-3, -3], [1, N]),
        ([N, 0], [N, 3]),
    ],
)
def test_take(index: Any, expected: Any) -> None:
    assert ref.take(Jag([[1, N, 2], [3, 4]], 2), jag(index), out_of_bounds="null") == expected


def test_filter() -> None:
    v = Jag([[1, N, 4], [N], [2, 8]], 2)
    assert ref.filter_items(v, Jag([[False, N, True], [N], [False, True]], 2)) == [[4], [], [8]]
    assert ref.filter_items(v, Jag([True, True, N], 1)) == [[1, N, 4], [N], []]
    assert ref.filter_items(v, Jag(False, 0)) == [[], [], []]
    assert ref.filter_items(v, Jag([True, True, N], 1), 0) == [[1, N, 4], [N]]
    assert ref.filter_items(Jag([[1], N, [2]], 2), Jag([N, [True], [True]], 2)) == [N, N, [2]]
    nested = Jag([[[1], [2, 3]], [[4]], []], 3)
    assert ref.filter_items(nested, Jag([[True, N], [N], []], 2)) == [[[1], []], [[]], []]
    assert ref.filter_items(nested, Jag([[True, N], [N], []], 2), 1) == [[[1]], [], []]


def test_windows_of_rows() -> None:
    x = [[1, 2, 3], N, [], [4]]
    assert ref.head(x, 2, 2) == [[1, 2], N, [], [4]]
    assert ref.tail(x, 2, 2) == [[2, 3], N, [], [4]]
    assert ref.tail(x, 2, 0) == [[], N, [], []]
    assert ref.head(x, 2, 1, axis=0) == [[1, 2, 3]]
    assert ref.slice_items(x, 2, 1, 1) == [[2], N, [], []]
    assert ref.slice_items(x, 2, -2, 1) == [[2], N, [], []]
    assert ref.pad(x, 2, 2, 0) == [[1, 2, 3], N, [0, 0], [4, 0]]


# ----------------------------------------------------------------------------------------------------------- reductions

R2 = [[2, N, 1], [3, 4], [N, N], []]
R3 = [[[1, 2], [3]], [[4]], []]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("count", [2, 2, 0, 0]),
        ("sum", [3, 7, 0, 0]),
        ("prod", [2, 12, 1, 1]),
        ("max", [2, 4, N, N]),
        ("min", [1, 3, N, N]),
        ("mean", [1.5, 3.5, N, N]),
        ("median", [1.5, 3.5, N, N]),
        ("var", [0.5, 0.5, N, N]),
        ("n_unique", [2, 2, 0, 0]),
        ("mode", [2, 3, N, N]),
        ("collapse", [N, N, N, N]),
        ("argmin", [2, 0, N, N]),
        ("argmax", [0, 1, N, N]),
        ("first", [2, 3, N, N]),
        ("last", [1, 4, N, N]),
    ],
)
def test_reductions_of_rows(name: str, expected: Any) -> None:
    assert_lists_equal(ref.reduction(name, R2, 2), expected)
    assert_lists_equal(ref.reduction(name, [N, *R2], 2), [N, *expected])


def test_reductions_over_several_axes() -> None:
    assert ref.reduction("sum", R3, 3, (1, 2)) == [6, 4, 0]
    assert ref.reduction("max", R3, 3, (-1, -2)) == [3, 4, N]
    assert ref.reduction("argmax", [[[1, N], [3]]], 3, (1, 2)) == [2]
    assert ref.reduction("sum", R3, 3, None) == ref.reduction("sum", R3, 3, (0, 1, 2)) == 10
    assert ref.reduction("sum", [[[1], N], N], 3, (1, 2)) == [1, N]
    with pytest.raises(ValueError, match="trailing"):
        ref.reduction("sum", R3, 3, (0, 1))
    with pytest.raises(ValueError, match="trailing"):
        ref.reduction("sum", R3, 3, (0, 2))


def test_reductions_along_an_outer_axis() -> None:
    assert ref.reduction("sum", [[1, 2], [3]], 2, 0) == [4, 2]
    assert ref.reduction("sum", [[1, 2], N, [3]], 2, 0) == [4, 2]
    assert ref.reduction("count", [[1, N], [N, N, 3]], 2, 0) == [1, 0, 1]
    assert ref.reduction("sum", R3, 3, 0) == [[5, 2], [3]]
    assert ref.reduction("sum", R3, 3, 1) == [[4, 2], [4], []]
    assert ref.reduction("sum", [N, [[1]]], 3, 1) == [N, [1]]
    assert ref.reduction("argmax", [[1], [], N, [3, 0]], 2, 0) == [3, 3]
    assert ref.reduction("sum", [], 2, 0) == []
    assert ref.reduction("sum", [], 2, 0, extents=[N, 3]) == [0, 0, 0]
    assert ref.reduction("max", [[[1, 2]], []], 3, 1, extents=[N, N, 2]) == [[1, 2], [N, N]]


def test_skip_nulls_and_min_count() -> None:
    assert ref.reduction("sum", R2, 2, skip_nulls=False) == [N, 7, N, 0]
    assert ref.reduction("sum", R2, 2, min_count=1) == [3, 7, N, N]
    assert ref.reduction("argmin", R2, 2, skip_nulls=False) == [N, 0, N, N]
    masks = [[True, N], [False, N], [N], [], [True], [False]]
    assert ref.reduction("any", masks, 2) == [True, False, False, False, True, False]
    assert ref.reduction("all", masks, 2) == [True, False, True, True, True, False]
    assert ref.reduction("any", masks, 2, skip_nulls=False) == [True, N, N, False, True, False]
    assert ref.reduction("all", masks, 2, skip_nulls=False) == [N, False, N, True, True, False]


def test_nan_is_a_value() -> None:
    x = [[1.0, NAN, 3.0], [NAN, N], [NAN, NAN]]
    assert_lists_equal(ref.reduction("sum", x, 2), [NAN, NAN, NAN])
    assert_lists_equal(ref.reduction("min", x, 2), [1.0, NAN, NAN])
    assert_lists_equal(ref.reduction("max", x, 2), [3.0, NAN, NAN])
    assert_lists_equal(ref.reduction("argmin", x, 2), [0, 0, 0])
    assert_lists_equal(ref.reduction("argmax", x, 2), [2, 0, 0])
    assert_lists_equal(ref.reduction("median", x, 2), [NAN, NAN, NAN])
    assert_lists_equal(ref.reduction("n_unique", x, 2), [3, 1, 1])
    assert_lists_equal(ref.reduction("collapse", [[NAN, N, NAN], [0.0, -0.0]], 2), [NAN, 0.0])


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(values=st.lists(st.integers(-9, 9), min_size=1), q=st.sampled_from([0, 0.1, 0.25, 0.5, 0.9, 1]))
def test_quantile_is_as_in_numpy(interpolation: str, values: list[int], q: float) -> None:
    expected = float(np.quantile(values, q, method=interpolation))
    assert_lists_equal(ref.quantile(values, q, interpolation), expected)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2), st.integers(0, 1))
def test_variance_is_as_in_numpy(values: list[float], ddof: int) -> None:
    assert_lists_equal(ref.variance(values, ddof), float(np.var(values, ddof=ddof)), rel_tol=1e-6, abs_tol=1e-6)


def test_other_reductions() -> None:
    assert ref.lengths([[1, N], N, []], 2) == [2, N, 0]
    assert ref.lengths(R3, 3, 1) == [2, 1, 0]
    assert ref.lengths(R3, 3, 0) == 3
    assert ref.reduction("join", [["a", N, "b"], [N], []], 2, sep="-") == ["a-b", N, N]
    assert ref.dot(Jag([[1, 2], [3, N], N], 2), Jag([10, 100, 1], 1)) == [30, 300, N]


# --------------------------------------------------------------------------------------------------- order, scans, sets


def test_nulls_are_last_and_nan_before_them_in_both_directions() -> None:
    x = [[N, NAN, 2.0, 1.0, 2.0], N, []]
    assert_lists_equal(ref.sort(x, 2), [[1.0, 2.0, 2.0, NAN, N], N, []])
    assert_lists_equal(ref.sort(x, 2, descending=True), [[2.0, 2.0, 1.0, NAN, N], N, []])
    assert ref.argsort(x, 2) == [[3, 2, 4, 1, 0], N, []]
    assert ref.argsort(x, 2, descending=True) == [[2, 4, 3, 1, 0], N, []]
    assert ref.argsort([[0.0, -0.0]], 2) == ref.argsort([[-0.0, 0.0]], 2) == [[0, 1]]


def test_sort_by() -> None:
    assert ref.sort([[2, 1, N, 4]], 2, by=[[9, 2, 1, 3]]) == [[N, 1, 4, 2]]
    assert ref.topk([[3, 1, 2], [5]], 2, 2) == [[3, 2], [5]]
    assert ref.topk([[1], [5, 3], N, [2, 4]], 2, 9, 0) == [[5, 4], [2, 3], [1], N]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("ordinal", [3, 1, 4, N, 2]),
        ("dense", [2, 1, 2, N, 1]),
        ("min", [3, 1, 3, N, 1]),
        ("max", [4, 2, 4, N, 2]),
        ("average", [3.5, 1.5, 3.5, N, 1.5]),
    ],
)
def test_rank(method: str, expected: Any) -> None:
    assert ref.rank([[4, 3, 4, N, 3], N], 2, method) == [expected, N]


def test_rank_of_nan() -> None:
    assert ref.rank([[NAN, 1.0, NAN]], 2, "min") == [[2, 1, 2]]
    assert ref.rank([[1.0, 2.0, 1.0]], 2, descending=True) == [[2, 1, 3]]


def test_unique_and_counts() -> None:
    assert ref.unique([[1, 2, 1, 3], [3, N, 1, 1], N], 2) == [[1, 2, 3], [3, 1], N]
    assert_lists_equal(ref.unique([[NAN, -0.0, 0.0, NAN]], 2), [[NAN, -0.0]])
    assert ref.value_counts([["b", "a", "b", N]], 2) == [[{"value": "b", "count": 2}, {"value": "a", "count": 1}]]


def test_scans() -> None:
    x = [[1, N, 0, 5], [3, 2], N]
    assert ref.cumsum(x, 2) == [[1, N, 1, 6], [3, 5], N]
    assert ref.cumcount(x, 2) == [[1, N, 2, 3], [1, 2], N]
    assert ref.cummax(x, 2) == [[1, N, 1, 5], [3, 3], N]
    assert ref.cummin(x, 2) == [[1, N, 0, 0], [3, 2], N]
    assert ref.cumprod(x, 2) == [[1, N, 0, 0], [3, 6], N]
    assert ref.shift(x, 2) == [[N, 1, N, 0], [N, 3], N]
    assert ref.shift(x, 2, -1, 9) == [[N, 0, 5, 9], [2, 9], N]
    assert ref.diff(x, 2) == [[N, N, N, 5], [N, -1], N]
    assert ref.ffill(x, 2) == [[1, 1, 0, 5], [3, 2], N]
    assert ref.bfill([[N, 1, N], N], 2) == [[1, 1, N], N]
    assert ref.rolling("sum", [[1, 2, 3, N, 4, 5], [1]], 2, 2) == [[N, 3, 5, N, N, 9], [N]]


def test_softmax_and_cdf() -> None:
    assert_lists_equal(ref.softmax([[1000, 1000, N], []], 2), [[0.5, 0.5, N], []])
    assert ref.cdf([[1, 2, 2, N, 5]], 2) == [[0.25, 0.75, 0.75, N, 1.0]]
    assert_lists_equal(ref.cdf([[1.0, NAN]], 2), [[NAN, NAN]])


def test_groups() -> None:
    assert ref.group_by([1, 3, 2, 1, 2, 3, 1, 3], 1) == [[1, 1, 1], [3, 3, 3], [2, 2]]
    assert ref.group_by_indices([[1, 3, N, 1]], 1) == [[0, 3], [1]]
    assert ref.group_by([1, 2, 3, 4, N, 6, 7, 8], 1, [7, 4, 0, 9, 4, 0, 7, N]) == [[1, 7], [2, N], [3, 6], [4]]
    assert ref.group_by_indices([[1, N, 1], [2, 2, N]], 1) == [[0]]
    assert ref.group_by([[], [1], N], 2) == [[], [[1]], N]
    assert ref.group_by_indices([[3, NAN, 1, NAN, 3]], 1, sort=True) == [[2], [0, 4], [1, 3]]


def test_inverse_permutation() -> None:
    assert ref.inverse_permutation([[1, 2, 0], [1, N], N], 2) == [[2, 0, 1], [N, 0], N]
    for bad in ([0, 0], [2, 0], [-1, 0]):
        with pytest.raises(ValueError, match="permutation"):
            ref.inverse_permutation([bad], 2)


def test_membership_and_sets() -> None:
    x, y = [[1, 2, 2, N], [], N, [NAN]], [[2, 3], [1], [1], [NAN]]
    assert ref.contains(Jag(x, 2), Jag(2, 0)) == [True, False, N, False]
    assert ref.contains(Jag(x, 2), Jag([1, 1, 1, NAN], 1)) == [True, False, N, True]
    assert ref.is_in(Jag([[1, N], N], 2), Jag([1, 5], 1)) == [[True, N], N]
    assert ref.is_in(Jag([[1, 2], [1]], 2), Jag([[2], []], 2)) == [[False, True], [False]]
    assert_lists_equal(ref.union(x, y, 2), [[1, 2, 3], [1], N, [NAN]])
    assert_lists_equal(ref.intersection(x, y, 2), [[2], [], N, [NAN]])
    assert ref.difference(x, y, 2) == [[1], [], N, []]


def test_lookups() -> None:
    assert ref.searchsorted(Jag([[1, 3, 3], []], 2), Jag([[0, 3, 4, N], [7]], 2)) == [[0, 1, 3, N], [0]]
    assert ref.searchsorted(Jag([[1, 3], N], 2), Jag([2, 2], 1)) == [1, N]
    to, keys, values = [["a", "d"], ["c", N]], [["a", "b"], ["c", N]], [[1, 2], [3, 4]]
    assert ref.translate(Jag(to, 2), Jag(keys, 2), Jag(values, 2)) == [[1, N], [3, N]]
    with pytest.raises(ValueError, match="unique"):
        ref.translate(Jag(["a"], 1), Jag(["a", "a"], 1), Jag([1, 2], 1))


def test_choices() -> None:
    assert ref.combinations([[1, 2, 3], [4], N], 2, 2) == [[[1, 2], [1, 3], [2, 3]], [], N]
    assert ref.pairs([[1, 2], N], [[3, 4], [5]], 2) == [[[1, 3], [1, 4], [2, 3], [2, 4]], N]


# ------------------------------------------------------------------------------------------------------------ structure


def test_concat_and_stack() -> None:
    assert ref.concat([[[1, 2], [3]], [[4], [5, 6]]], 2, 1) == [[1, 2, 4], [3, 5, 6]]
    assert ref.concat([[[1], []], [[], [2]]], 2, 1) == [[1], [2]]
    assert ref.concat([[[1], N], [[2], [3]]], 2, 1) == [[1, 2], N]
    assert ref.concat([[[1], N], [[2]]], 2) == [[1], N, [2]]
    a, b = Jag([[1, N, 3], [4]], 2), Jag([[7, 7, 7], [7]], 2)
    assert ref.stack([a, b], 2) == [[[1, 7], [N, 7], [3, 7]], [[4, 7]]]
    assert ref.stack([a, b], 1) == [[[1, N, 3], [7, 7, 7]], [[4], [7]]]
    assert ref.stack([a, b], 0) == [a.value, b.value]
    assert ref.stack([Jag([[1, N, 3], [4]], 2), Jag([7, N], 1)], 2) == [[[1, 7], [N, 7], [3, 7]], [[4, N]]]
    assert ref.stack([Jag(1, 0), Jag(2, 0)]) == [1, 2]


def test_zip_tile_repeat() -> None:
    assert ref.zip_fields(a=Jag([1, 2], 1), b=Jag([["x"], N], 2)) == [[{"a": 1, "b": "x"}], N]
    assert ref.tile(Jag([1, 2], 1), Jag([0, 0], 1)) == [[1, 2], [1, 2]]
    assert ref.repeat(Jag([[1, N], [3]], 2), Jag([2, 3], 1)) == [[[1, 1], [N, N]], [[3, 3, 3]]]
    assert ref.repeat(Jag(1, 0), Jag([2, 3], 1)) == [[1, 1], [1, 1, 1]]
    with pytest.raises(ValueError, match="size -1"):
        ref.repeat(Jag([1], 1), Jag(-1, 0))


def test_unsqueeze() -> None:
    assert ref.unsqueeze(arange(2, [1, 2]), 2, 1) == [[[0]], [[1, 2]]]
    assert ref.unsqueeze(arange(2, [1, 2]), 2, -1) == [[[0]], [[1], [2]]]
    with pytest.raises(IndexError):
        ref.unsqueeze(arange(2, [1, 2]), 2, -4)


def test_set_items() -> None:
    x = arange(3, [2, 3, 1])
    assert ref.set_items(x, 2, (slice(N), 0), Jag([7, 8, 9], 1)) == [[7, 1], [8, 3, 4], [9]]
    assert ref.set_items(x, 2, ..., Jag([10, 11, 12], 1)) == [[10, 10], [11, 11, 11], [12]]
    assert ref.set_items(x, 2, slice(0, 0), Jag(5, 0)) == x
    assert ref.set_items([[1, 2], N], 2, ..., Jag(0, 0)) == [[0, 0], N]
    sparse = [[0, 0], [0, 0], [0, 0], [0, 0]]
    image = tuple(Jag(one, 2) for one in ref.image(arange(4, [1, 2, 1, 2]), 2))
    assert ref.set_items(sparse, 2, image, Jag(1, 0)) == [[1, 0], [1, 1], [1, 0], [1, 1]]
    with pytest.raises(ValueError):
        ref.set_items(x, 2, ..., Jag([[1, 1]] * 3, 2))


@pytest.mark.parametrize(
    ("x", "swap", "expected"),
    [
        (arange(2, 3, [1, 2, 3, 1, 2, 3]), (0, 1), [[[0], [6]], [[1, 2], [7, 8]], [[3, 4, 5], [9, 10, 11]]]),
        (arange(2, [2, 3], 3), (1, 2), [[[0, 3], [1, 4], [2, 5]], [[6, 9, 12], [7, 10, 13], [8, 11, 14]]]),
        (
            arange(3, [3, 2, 3], [3, 2, 1, 3, 1, 2, 1, 1]),
            (1, 2),
            [[[0, 3, 5], [1, 4], [2]], [[6, 9], [7], [8]], [[10, 12, 13], [11]]],
        ),
        (arange(2, [4, 2]), (0, 1), [[0, 4], [1, 5], [2], [3]]),
        (arange(2, [2, 1], [2, 2, 2]), (0, 2), [[[0, 4], [2]], [[1, 5], [3]]]),
        (arange(3, [2, 1, 0]), (0, 1), [[0, 2], [1]]),
        (arange(3, [0, 0, 0]), (0, 1), []),
    ],
)
def test_transpose(x: Any, swap: tuple[int, int], expected: Any) -> None:
    ndim = jag(x).ndim
    assert ref.transpose(x, ndim, *swap) == expected
    assert ref.transpose(x, ndim, swap[1] - ndim, swap[0] - ndim) == expected


def test_transpose_shapes() -> None:
    x = arange(2, 3, [6, 5, 4, 3, 2, 1], 2)
    assert ref.shape_of(ref.transpose(x, 4, 1, 3), 4)[2] == [6, 6, 3, 3]
    y = arange(3, [3, 2, 3], [4] * 3 + [3] * 2 + [4] * 3)
    assert ref.shape_of(ref.transpose(y, 3, 1, 2), 3)[1:] == ([4, 3, 4], [3, 3, 3, 3, 2, 2, 2, 3, 3, 3, 3])


def test_transpose_with_declared_extents() -> None:
    x = arange(2, [2, 0], 3)
    assert ref.transpose(x, 3, 1, 2, extents=(N, N, 3)) == [[[0, 3], [1, 4], [2, 5]], [[], [], []]]
    assert ref.transpose(x, 3, 1, 2) == [[[0, 3], [1, 4], [2, 5]], []]
    assert ref.transpose(arange(2, 0, 3), 3, 1, 2, extents=(N, 0, 3)) == [[[], [], []], [[], [], []]]


def test_shear() -> None:
    x = arange(4, [1, 2, 1, 2])
    assert ref.transpose_will_shear(x, 2, 0, 1)
    with pytest.raises(ValueError, match="shear"):
        ref.transpose(x, 2, 0, 1)
    assert ref.transpose(x, 2, 0, 1, shear="allow") == [[0, 1, 3, 4], [2, 5]]
    y = arange(2, 2, [2, 2, 1, 2])
    assert ref.transpose_will_shear(y, 3, 0, 2, rule="fold")
    assert not ref.transpose_will_shear(y, 3, 0, 2, rule="exact")
    assert ref.transpose(y, 3, 0, 2, rule="exact") == [[[0, 4], [2, 5]], [[1], [3, 6]]]


@pytest.mark.parametrize("sizes", [(2, 3, 4), (2, 0, 3), (0, 2, 3), (2, 3, 0), (1, 1, 1)])
@pytest.mark.parametrize("axes", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_rectangles_transpose_as_in_numpy(sizes: tuple[int, int, int], axes: tuple[int, int, int]) -> None:
    dense = np.arange(math.prod(sizes)).reshape(sizes)
    assert ref.permute(arange(*sizes), 3, axes, extents=sizes) == dense.transpose(axes).tolist()


@given(jagged_lists(3, nulls=False, null_rows=False, max_size=3), st.sampled_from([(0, 1), (0, 2), (1, 2)]))
def test_shapes_without_shear_transpose_back(x: Any, swap: tuple[int, int]) -> None:
    swapped = ref.transpose(x, 3, *swap, shear="allow")
    assert sorted(ref.items(swapped, 3)) == sorted(ref.items(x, 3))
    childless = any(0 in sizes for sizes in ref.shape_of(x, 3)[: swap[1] + 1])
    if not childless and not ref.transpose_will_shear(x, 3, *swap, rule="exact"):
        assert ref.transpose(swapped, 3, *swap, rule="exact") == x
    if not ref.transpose_will_shear(x, 3, *swap):
        assert not ref.transpose_will_shear(x, 3, *swap, rule="exact")


def test_null_frames_stay_and_null_rows_between_are_lost() -> None:
    assert ref.transpose([N, [[1, 2], [3]]], 3, 1, 2) == [N, [[1, 3], [2]]]
    assert ref.transpose([[1, 2], [3], N], 2, 0, 1) == [[1, 3], [2]]
    assert ref.transpose([[N, [1]], [[2]]], 3, 0, 1) == [[N, [2]], [[1]]]


# ---------------------------------------------------------------------------------------------------------------- dense


def test_dense() -> None:
    x = [[1, N, 3], N, [], [4]]
    assert ref.max_sizes(x, 2) == [3]
    assert ref.to_dense(x, 2) == [[1, 0, 3], [0, 0, 0], [0, 0, 0], [4, 0, 0]]
    assert ref.to_dense(x, 2, [2], fill=-1) == [[1, -1], [-1, -1], [-1, -1], [4, -1]]
    assert ref.to_dense(R3, 3, [2, 1]) == [[[1], [3]], [[4], [0]], [[0], [0]]]
    assert ref.from_dense([[1, 2], [3, 4]], [[0, 0, 0], []], 2) == [[1, 2, 0], []]


@given(jagged_lists(3, nulls=False, null_rows=False))
def test_from_dense_undoes_to_dense(x: Any) -> None:
    assert ref.from_dense(ref.to_dense(x, 3), x, 3) == x
