"""Transpose kernels against coordinate dictionaries and numpy."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels import transpose as kernel
from arrowjag._kernels.transpose import coordinates
from tests.kernels.rows import offsets_from


def offsets_of(*dims):
    """Offsets of each dim; an int is the size of every row."""
    result, n_rows = [], 1
    for dim in dims:
        sizes = [dim] * n_rows if isinstance(dim, int) else dim
        assert len(sizes) == n_rows
        result.append(offsets_from(sizes))
        n_rows = int(result[-1][-1])
    return result


def sizes_of(offsets):
    return [np.diff(one).tolist() for one in offsets]


def atoms_of(offsets, depth):
    """Coordinates of every node `depth` dims down, with its number, one dictionary a row of dim 0."""
    found = [((), 0)]
    for dim in offsets[:depth]:
        found = [((*at, k), child) for at, node in found for k, child in enumerate(range(dim[node], dim[node + 1]))]
    return found


def closed(atoms, counts):
    """Sizes level by level, and items in order, of coordinates whose holes are closed; a count keeps lists that hold nothing."""
    if not counts:
        return [], [item for _, item in atoms], False
    keys = sorted({at[0] for at, _ in atoms})
    holes = keys != list(range(len(keys)))
    if counts[0] is not None and len(counts) > 1:
        keys = range(counts[0])
    levels, items = [[len(keys)]] + [[] for _ in counts[1:]], []
    for k in keys:
        below, inside, broken = closed([(at[1:], item) for at, item in atoms if at[0] == k], counts[1:])
        holes |= broken
        items += inside
        for level, sizes in zip(levels[1:], below, strict=True):
            level.extend(sizes)
    return levels, items, holes


def expected(offsets, extents, axes):
    """Sizes of the moved dims, order of the atoms, whether it shears; frame by frame."""
    moved = [k for k, axis in enumerate(axes) if k != axis]
    first, last = moved[0], moved[-1]
    order = axes[first : last + 1]
    counts = [
        extents[d] if all(extents[q] is not None for q in [d, *(q for q in order[:j] if q > d)]) else None
        for j, d in enumerate(order)
    ]
    frames = {}
    for at, node in atoms_of(offsets, last + 1):
        frames.setdefault(at[:first], []).append((tuple(at[d] for d in order), node))
    levels, items, holes = [[] for _ in order], [], False
    for at, _ in atoms_of(offsets, first):
        below, inside, broken = closed(sorted(frames.get(at, [])), counts)
        holes |= broken
        items += inside
        for level, sizes in zip(levels, below, strict=True):
            level.extend(sizes)
    return first, last, levels, items, holes


def check(result, offsets, extents, axes):
    first, last, levels, atoms, holes = expected(offsets, extents, axes)
    assert sizes_of(result.offsets[:first]) == sizes_of(offsets[:first])
    assert sizes_of(result.offsets[first : last + 1]) == levels
    assert result.orders[: last + 1] == [None] * (last + 1)
    rows = atoms
    for d in range(last + 1, len(offsets)):
        assert result.orders[d].tolist() == rows
        assert sizes_of(result.offsets)[d] == [int(offsets[d][row + 1] - offsets[d][row]) for row in rows]
        rows = [item for row in rows for item in range(offsets[d][row], offsets[d][row + 1])]
    assert result.take.tolist() == rows
    assert result.sheared == holes
    for extent, dim in zip(result.extents, result.offsets, strict=True):
        assert extent is None or set(np.diff(dim).tolist()) <= {extent}


@st.composite
def shapes(draw, max_dims=5):
    """Dims with declared and free sizes; rows often fall, so that many don't shear."""
    dims, extents, n_rows = [], [], 1
    for _ in range(draw(st.integers(2, max_dims))):
        kind = draw(st.sampled_from(["declared", "even", "free", "free", "falling"]))
        if kind in ("declared", "even"):
            sizes = [draw(st.integers(0, 3))] * n_rows
        else:
            sizes = draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
        if kind == "falling":
            sizes = sorted(sizes, reverse=True)
        dims.append(sizes)
        extents.append(sizes[0] if kind == "declared" and sizes else (3 if kind == "declared" else None))
        n_rows = sum(sizes)
        if n_rows > 60:
            break
    return offsets_of(*dims), extents


def swapped(ndim, a, b):
    axes = list(range(ndim))
    axes[a], axes[b] = b, a
    return axes


def all_pairs(ndim):
    return [(a, b) for a in range(ndim) for b in range(a + 1, ndim)]


@settings(max_examples=250)
@given(shapes())
def test_transpose_and_shear(case):
    offsets, extents = case
    for a, b in all_pairs(len(offsets)):
        axes = swapped(len(offsets), a, b)
        holes = expected(offsets, extents, axes)[-1]
        assert kernel.will_shear(offsets, a, b, "exact") == holes
        check(kernel.transpose(offsets, extents, a, b), offsets, extents, axes)
        check(kernel.permute(offsets, extents, axes), offsets, extents, axes)


def rises(node_sizes):
    return any(x < y for x, y in pairwise(node_sizes))


def reach_and_rise(offsets, d, b, node):
    """The longest row of dim b below a node of dim d, and whether reaches rise among any siblings below it."""
    if d == b:
        return int(offsets[b][node + 1] - offsets[b][node]), False
    below = [reach_and_rise(offsets, d + 1, b, child) for child in range(offsets[d][node], offsets[d][node + 1])]
    reaches = [reach for reach, _ in below]
    return max(reaches, default=0), rises(reaches) or any(rise for _, rise in below)


@settings(max_examples=150)
@given(shapes())
def test_folds_rule(case):
    offsets, extents = case
    for a, b in all_pairs(len(offsets)):
        holes = expected(offsets, extents, swapped(len(offsets), a, b))[-1]
        slices = range(offsets[a][-1])
        wanted = holes or any(reach_and_rise(offsets, a + 1, b, node)[1] for node in slices)
        assert kernel.will_shear(offsets, a, b) == wanted


@settings(max_examples=150)
@given(shapes(max_dims=4), st.data())
def test_permute(case, data):
    offsets, extents = case
    axes = list(data.draw(st.permutations(range(len(offsets)))))
    if axes != sorted(axes):
        check(kernel.permute(offsets, extents, axes), offsets, extents, axes)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=4))
def test_rectangles_are_numpys(sizes):
    dense = np.arange(np.prod(sizes)).reshape(sizes)
    offsets = offsets_of(*sizes)
    for axes in permutations(range(len(sizes))):
        result = kernel.permute(offsets, sizes, axes)
        assert result.extents == list(dense.transpose(axes).shape)
        assert result.take.tolist() == dense.transpose(axes).ravel().tolist()
        assert not result.sheared
    for a, b in all_pairs(len(sizes)):
        result = kernel.transpose(offsets, sizes, a, b)
        assert result.extents == list(dense.swapaxes(a, b).shape)
        assert result.take.tolist() == dense.swapaxes(a, b).ravel().tolist()


@settings(max_examples=150)
@given(shapes())
def test_twice_is_the_identity(case):
    """Without shear and childless nodes; declared sizes may be empty where nothing undeclared moves past them."""
    offsets, extents = case
    for a, b in all_pairs(len(offsets)):
        childless = any((np.diff(offsets[d]) == 0).any() for d in range(a, b + 1))
        if childless or kernel.will_shear(offsets, a, b, "exact"):
            continue
        once = kernel.transpose(offsets, extents, a, b)
        twice = kernel.transpose(once.offsets, once.extents, a, b)
        assert sizes_of(twice.offsets) == sizes_of(offsets)
        assert once.take[twice.take].tolist() == list(range(offsets[-1][-1]))


CASES = [  # dims, declared, swap, sizes, shears by fold's rule
    ((2, 3, [1, 2, 3] * 2), (2, 3, None), (0, 1), [[3], [2, 2, 2], [1, 1, 2, 2, 3, 3]], False),
    ((2, [2, 0], 3), (2, None, 3), (1, 2), [[2], [3, 3], [2, 2, 2, 0, 0, 0]], False),
    ((2, [2, 0], 3), (2, None, None), (1, 2), [[2], [3, 0], [2, 2, 2]], False),
    ((3, [2, 1, 0]), (3, None), (0, 1), [[2], [2, 1]], False),
    ((3, [0, 0, 0]), (3, None), (0, 1), [[0], []], False),
    ((3, [0, 0, 0]), (3, 0), (0, 1), [[0], []], False),
    ((2, 0, 3), (2, 0, 3), (1, 2), [[2], [3, 3], [0] * 6], False),
    ((0, 3), (0, 3), (0, 1), [[3], [0, 0, 0]], False),
    ((2, [2, 1], [2, 2, 2]), (2, None, None), (0, 2), [[2], [2, 2], [2, 1, 2, 1]], False),
    ((2, 2, [2, 2, 1, 2]), (2, 2, None), (0, 2), [[2], [2, 2], [2, 2, 1, 2]], True),
    ((4, [1, 2, 1, 2]), (4, None), (0, 1), [[2], [4, 2]], True),
    ((3, [3, 2, 3], [3, 2, 1, 3, 1, 2, 1, 1]), (3, None, None), (1, 2), [[3], [3, 3, 2], [3, 2, 1, 2, 1, 1, 3, 1]], False),
]


@pytest.mark.parametrize(("dims", "declared", "swap", "sizes", "shears"), CASES)
def test_known_cases(dims, declared, swap, sizes, shears):
    offsets = offsets_of(*dims)
    assert kernel.will_shear(offsets, *swap) == shears
    result = kernel.transpose(offsets, declared, *swap)
    assert sizes_of(result.offsets) == sizes


@pytest.mark.parametrize("extents", [[2, None, 0, 3], [2, 2, 0, 3], [None, None, 0, 3], [None, 2, 0, 3], [2, None, None, None]])
def test_dims_without_items_keep_declared_sizes_alone(extents):
    offsets = offsets_of(2, 2, 0, 3)
    for a, b in all_pairs(4):
        axes = swapped(4, a, b)
        check(kernel.transpose(offsets, extents, a, b), offsets, extents, axes)
        check(kernel.permute(offsets, extents, axes), offsets, extents, axes)


def test_holes_are_closed_in_order():
    offsets = offsets_of(4, [1, 2, 1, 2])
    result = kernel.transpose(offsets, [4, None], 0, 1)
    assert result.sheared
    assert result.take.tolist() == [0, 1, 3, 4, 2, 5]


def test_null_frames_stay_empty():
    offsets = offsets_of(3, [2, 0, 1], 2)
    result = kernel.transpose(offsets, [3, None, 2], 1, 2, frame_valid=np.array([True, False, True]))
    assert sizes_of(result.offsets) == [[3], [2, 0, 2], [2, 2, 1, 1]]
    assert result.extents == [3, 2, None]
    assert result.take.tolist() == [0, 2, 1, 3, 4, 5]
    same = kernel.permute(offsets, [3, None, 2], [0, 2, 1], frame_valid=np.array([True, False, True]))
    assert sizes_of(same.offsets) == sizes_of(result.offsets)


@pytest.mark.parametrize("axes", [(0, 3, 2, 1), (0, 2, 3, 1), (0, 3, 1, 2)])
def test_null_frames_stay_empty_where_every_dim_declares_its_size(axes):
    offsets, declared, valid = offsets_of(3, [2, 0, 2], 2, 3), [3, 2, 2, 3], np.array([True, False, True])
    dense = np.arange(24).reshape(2, 2, 2, 3).transpose(axes)
    _, a, b, c = dense.shape
    results = [kernel.permute(offsets, declared, axes, frame_valid=valid)]
    if axes == (0, 3, 2, 1):
        results += [kernel.transpose(offsets, declared, 1, 3, frame_valid=valid, sheared=sheared) for sheared in (None, True)]
    for result in results:
        assert sizes_of(result.offsets) == [[3], [a, 0, a], [b] * (2 * a), [c] * (2 * a * b)]
        assert result.extents == [3, a, b, c]
        assert result.take.tolist() == dense.ravel().tolist()
        assert not result.sheared


def test_a_lost_row_takes_its_declaration_along():
    # The second of two slices is null, so that it has none of the three items its dim declares.
    offsets = offsets_of(1, [2], [3, 0])
    result = kernel.transpose(offsets, [1, 2, 3], 1, 2)
    assert sizes_of(result.offsets) == [[1], [3], [1, 1, 1]]
    assert result.extents == [1, 3, None]


def test_long_dims_take_several_digits():
    rng = np.random.default_rng(0)
    for dims in (
        (2, 70_000, rng.integers(0, 3, 140_000).tolist()),
        (30_000, rng.integers(0, 9, 30_000).tolist()),
        (3, [90_000, 2, 80_000]),
    ):
        offsets = offsets_of(*dims)
        a, b = len(dims) - 2, len(dims) - 1
        result = kernel.transpose(offsets, [None] * len(dims), a, b)
        parent = np.repeat(np.arange(len(offsets[b]) - 1), np.diff(offsets[b]))
        place = np.arange(offsets[b][-1]) - offsets[b][parent]
        frame = np.repeat(np.arange(len(offsets[a]) - 1), np.diff(offsets[a]))[parent]
        assert np.array_equal(result.take, np.lexsort((place, frame)))
        assert result.sheared == kernel.will_shear(offsets, a, b, "exact")


def test_blocks_of_frames_are_stitched():
    rng = np.random.default_rng(1)
    outer = rng.integers(0, 5, 40_000)
    inner = rng.integers(0, 5, outer.sum())
    n = int(inner.sum())
    offsets = [*offsets_of(40_000, outer.tolist(), inner.tolist()), np.arange(n + 1) * 3]
    declared = [40_000, None, None, 3]
    coordinates, node = [], np.arange(n * 3)
    for d in (3, 2, 1):
        above = np.repeat(np.arange(len(offsets[d]) - 1), np.diff(offsets[d]))[node]
        coordinates.append(node - offsets[d][above])
        node = above
    last, middle, first = coordinates
    for axes, keys in (
        ([0, 2, 1, 3], (last, first, middle)),
        ([0, 3, 2, 1], (first, middle, last)),
        ([0, 1, 3, 2], (middle, last, first)),
    ):
        assert np.array_equal(kernel.permute(offsets, declared, axes).take, np.lexsort((*keys, node)))
    swapped_once = kernel.transpose(offsets, declared, 2, 3)
    assert np.array_equal(swapped_once.take, np.lexsort((middle, last, first, node)))
    assert swapped_once.extents == [40_000, None, 3, None]
    assert np.array_equal(np.diff(swapped_once.offsets[3]), np.repeat(inner, 3))


@pytest.mark.parametrize("frames", [1, 3])
@pytest.mark.parametrize("order", [(2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_large_frames_with_a_gap(frames, order):
    rng = np.random.default_rng(2)
    outer, middle = [20_000] * frames, rng.integers(0, 4, 20_000 * frames)
    inner = rng.integers(0, 5, middle.sum())
    offsets = offsets_of(frames, outer, middle.tolist(), inner.tolist())
    places, node = [], np.arange(offsets[-1][-1])
    for d in (3, 2, 1):
        above = np.repeat(np.arange(len(offsets[d]) - 1), np.diff(offsets[d]))[node]
        places.insert(0, node - offsets[d][above])
        node = above
    result = kernel.permute(offsets, [None] * 4, [0, *(d + 1 for d in order)])
    moved = [places[d] for d in order]
    assert np.array_equal(result.take, np.lexsort((*moved[::-1], node)))
    top, below = node[result.take], [one[result.take] for one in moved]
    wanted = len(np.unique(top * 10**6 + below[0]))
    assert (len(result.offsets[2]) - 1, result.offsets[1][-1]) == (wanted, wanted)
    wanted = len(np.unique((top * 10**6 + below[0]) * 10**6 + below[1]))
    assert (len(result.offsets[3]) - 1, result.offsets[2][-1]) == (wanted, wanted)
    assert result.sheared
    if order == (2, 1, 0):
        assert np.array_equal(kernel.transpose(offsets, [None] * 4, 1, 3).take, result.take)


ROWS = [[], [0], [0, 0, 3, 0], [3, 1, 0, 7, 2, 5, 5, 0, 1, 40, 3, 0, 2, 9], [4] * 9, [1] * 30 + [25]]


@pytest.mark.parametrize("sizes", ROWS, ids=str)
def test_the_order_by_column(sizes):
    offsets = offsets_from(sizes)
    places = [(column, offsets[row] + column) for row, size in enumerate(sizes) for column in range(size)]
    counts = [sum(size > column for size in sizes) for column in range(max(sizes, default=0))]
    for least in (1, 2, 1000):
        for rows, values in ((3, 4), (1000, 4), (4, 1000)):
            with strategy.force(COLUMN_MIN_ROWS=least, COLUMN_ROWS=rows, WORD_VALUES=values):
                columns, items = coordinates.by_column(offsets)
            assert columns.dtype == items.dtype == np.int64
            assert columns.tolist() == [0, *np.cumsum(counts).tolist()]
            assert items.tolist() == [item for _, item in sorted(places)]


@pytest.mark.parametrize("sizes", ROWS, ids=str)
def test_items_that_rise_and_the_largest_of_each_row(sizes):
    offsets = offsets_from(sizes)
    data = np.random.default_rng(0).integers(1, 4, offsets[-1])
    lists = [data[begin:end].tolist() for begin, end in pairwise(offsets)]
    largest, rises = coordinates.row_max(data, offsets), coordinates.rising(data, offsets)
    assert largest.dtype == np.int64
    assert largest.tolist() == [max(row, default=0) for row in lists]
    assert rises.dtype == np.bool_
    assert rises.tolist() == [place > 0 and row[place] > row[place - 1] for row in lists for place in range(len(row))]


def key_cases():
    """Keys whose codes take 8, 9, 16, 17, 31, 32, 62 and 63 bits, and more than a word."""
    rng = np.random.default_rng(3)
    for widths in ([3, 2], [3, 3], [8, 5], [8, 6], [15, 13], [15, 14], [30, 29], [30, 30], [40, 40], []):
        frames, n = np.sort(rng.integers(0, 8, 60)), 60
        keys = [np.append(rng.integers(0, 2**width, n - 1) & -(2 ** (width - 2)), 2**width - 1) for width in widths]
        yield frames, keys


@pytest.mark.parametrize("digits", ["radix", "count"])
def test_atoms_are_sorted_by_frame_and_keys(digits):
    for frames, keys in key_cases():
        wanted = np.lexsort((*keys[::-1], frames)).tolist()
        for dtype in (np.int32, np.int64):
            if all(key.max(initial=0) <= np.iinfo(dtype).max for key in keys):
                with strategy.force(digits=digits):
                    got = coordinates._sorted_atoms(frames.astype(dtype), 8, [key.astype(dtype) for key in keys])
                assert got.tolist() == wanted
    none = np.zeros(0, np.int64)
    assert coordinates._sorted_atoms(none, 0, [none, none]).tolist() == []


def test_codes_have_the_widths_that_hold_them(monkeypatch):
    """A code of 31 bits at most is a number of 32 bits if its parts are; 8 and 16 bits of it are sorted at a time."""
    codes = []
    monkeypatch.setattr(coordinates, "radix_order", lambda code: codes.append(code.dtype))
    for n_frames, n, dtype, wanted in (
        (2**10, 2**21 - 1, np.int32, np.int32),
        (2**10, 2**21, np.int32, np.int64),
        (2**10, 5, np.int64, np.int64),
        (2**10, 2**52, np.int64, np.int64),
    ):
        coordinates._sorted_atoms(np.zeros(1, dtype), n_frames, [np.array([n - 1], dtype)])
        assert codes.pop() == wanted
    assert coordinates._sorted_atoms(np.zeros(1, np.int64), 2**11, [np.array([2**52 - 1])]).tolist() == [0]
    assert codes == []
    for dtype, limit in ((np.int32, 2**31 - 1), (np.int64, 2**31)):
        assert coordinates._narrow(np.arange(3), [np.array([0, limit])]).dtype == dtype
    assert coordinates._narrow(np.arange(3), [np.array([0, 3]), np.array([0, 2**31])]).dtype == np.int64


@pytest.mark.parametrize("take", ["small", "blocks"])
def test_coordinates_of_atoms(take):
    with strategy.force(take=take):
        for dims in ((2, [3, 1], [2, 0, 1, 4]), (3, [0, 0, 0], []), (1, 2, 3, [1, 0, 2, 0, 0, 5]), (0, [])):
            offsets = offsets_of(*dims)
            node, places = coordinates._coordinates(offsets)
            atoms = [at for at, _ in atoms_of(offsets, len(dims))]
            found = [place.tolist() for place in places]
            assert node.tolist() == [0] * len(atoms)
            assert found == [[at[d] for at in atoms] for d in range(len(dims))]
            assert all(place.dtype == np.int32 for place in places)
            node, places = coordinates._coordinates(offsets[1:])
            assert node.tolist() == [at[0] for at in atoms]
            assert [place.tolist() for place in places] == found[1:]


WAYS = ("slices", "columns", "radix", "exact")


@pytest.mark.parametrize("by", WAYS)
@given(shapes(), st.booleans())
def test_each_way_to_transpose(by, case, tiny):
    offsets, extents = case
    sizes = (
        {"LARGE_FRAME": 3, "WORD_VALUES": 5, "PASS_VALUES": 5, "COLUMN_ROWS": 2, "COLUMN_MIN_ROWS": 1, "CALL_VALUES": 0}
        if tiny
        else {}
    )
    for a, b in all_pairs(len(offsets)):
        with strategy.force(transpose=by, **sizes):
            check(kernel.transpose(offsets, extents, a, b), offsets, extents, swapped(len(offsets), a, b))
