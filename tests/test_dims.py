"""Dims: every encoding against a plain list of ints, huge ones through closed forms, and what is refused."""

import copy
import pickle
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag import dims
from arrowjag._kernels import strategy
from arrowjag.dims import Affine, Chain, Dim, Ragged, Repeat, Runs, Sparse, Uniform, concat, is_pattern, to_dim
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, OffsetsError, ShapeError
from arrowjag.shape import JaggedShape
from tests.hosts import pd, pl

BIG = 10**9


# --------------------------------------------------------------------------------------------------- strategies


@st.composite
def affines(draw):
    n, step = draw(st.integers(0, 5)), draw(st.integers(-2, 2))
    start = draw(st.integers(0, 3)) + max(0, -step * (n - 1))
    return Affine(start, n, step), [start + step * row for row in range(n)]


@st.composite
def sparses(draw):
    n = draw(st.integers(0, 8))
    found = draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, 3))) if n else {}
    return Sparse(found, n), [found.get(row, 0) for row in range(n)]


lists = st.lists(st.integers(0, 3), max_size=6)
plain = st.one_of(
    lists.map(lambda sizes: (Ragged(sizes), sizes)),
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()).map(
        lambda given: (Uniform(given[0], given[1], declared=given[2]), [given[0]] * given[1])
    ),
    affines(),
    sparses(),
)


def repeats(parts):
    return st.tuples(parts, st.integers(0, 3)).map(lambda given: (Repeat(given[0][0], given[1]), given[0][1] * given[1]))


def chains(parts):
    return st.lists(parts, max_size=4).map(
        lambda given: (Chain([dim for dim, _ in given]), [size for _, sizes in given for size in sizes])
    )


@st.composite
def runs(draw, parts):
    dim, sizes = draw(parts)
    if draw(st.booleans()):
        each = draw(st.integers(0, 3))
        return Runs(dim, each), [size for size in sizes for _ in range(each)]
    reps = draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes)))
    return Runs(dim, reps), [size for size, rep in zip(sizes, reps, strict=True) for _ in range(rep)]


pairs = st.recursive(plain, lambda parts: st.one_of(repeats(parts), runs(parts), chains(parts)), max_leaves=4)
"""A dim of any encoding, parts nested, and the list that it stands for."""


@st.composite
def nullable(draw):
    """A dim with null rows, the sizes and the mask."""
    mask = draw(st.lists(st.booleans(), min_size=1, max_size=6).filter(lambda mask: not all(mask)))
    extent = draw(st.none() | st.integers(0, 3))
    sizes = [0 if not ok else draw(st.integers(0, 3)) if extent is None else extent for ok in mask]
    return Ragged(sizes, validity=mask, extent=extent), sizes, mask


@st.composite
def cuts(draw, n):
    """Sizes of groups that cut n rows."""
    if not n:
        return [0] * draw(st.integers(0, 2))
    places = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    return [stop - start for start, stop in pairwise([0, *places, n])]


def offsets(sizes):
    return list(accumulate(sizes, initial=0))


# --------------------------------------------------------------------------------------------------- against lists


@given(pairs)
def test_facts(pair):
    dim, sizes = pair
    assert len(dim) == len(sizes)
    assert type(dim.size) is int
    assert dim.size == sum(sizes)
    assert dim.tolist() == sizes
    assert list(dim) == sizes
    assert dim.sizes.tolist() == sizes
    assert dim.offsets.tolist() == offsets(sizes)
    assert dim.parents.tolist() == [row for row, size in enumerate(sizes) for _ in range(size)]
    assert dim.iota().tolist() == [place for size in sizes for place in range(size)]
    assert dim.is_uniform is (len(set(sizes)) < 2)
    assert dim.max(default=7) == max(sizes, default=7)
    assert dim.min(default=7) == min(sizes, default=7)
    assert dim.validity is None
    assert np.asarray(dim).tolist() == sizes


@given(pairs)
def test_arrays_are_read_only_and_kept(pair):
    dim, _ = pair
    for name, dtype in [("sizes", np.int64), ("offsets", np.int64), ("parents", np.int32)]:
        array = getattr(dim, name)
        assert array is getattr(dim, name)
        assert array.dtype == dtype
        assert not array.flags.writeable


@given(pairs)
def test_rows(pair):
    dim, sizes = pair
    assert [dim[row] for row in range(len(sizes))] == sizes
    assert [dim[row] for row in range(-len(sizes), 0)] == sizes
    assert all(type(dim[row]) is int for row in range(len(sizes)))
    for row in (len(sizes), -len(sizes) - 1):
        with pytest.raises(JagIndexError, match=rf"row {row} is out of range for a dim of {len(sizes)} rows?"):
            dim[row]


@given(pairs, st.integers(-1, 5), st.integers(-10, 10), st.none() | st.integers(-10, 10))
def test_count_and_index_are_those_of_a_list(pair, value, start, stop):
    dim, sizes = pair
    assert dim.count(value) == sizes.count(value)
    assert dim.count("a") == 0
    searched = slice(start, stop).indices(len(sizes))
    found = [row for row in range(*searched) if sizes[row] == value]
    if found:
        assert dim.index(value, start, stop) == found[0]
    else:
        with pytest.raises(ValueError, match=f"no row of .* has size {value}$"):
            dim.index(value, start, stop)


def test_a_bool_or_float_is_no_size():
    for value in (True, 1.0):
        assert value not in Ragged([1])
        assert Ragged([1]).count(value) == 0
        with pytest.raises(JagValueError, match=r"no row of .* has size"):
            Ragged([1]).index(value)


@given(pairs)
def test_offset_of_and_index_of(pair):
    dim, sizes = pair
    cut = offsets(sizes)
    assert [dim.offset_of(row) for row in range(len(cut))] == [dim.offset_of(np.int64(row)) for row in range(len(cut))] == cut
    found = [dim.index_of(item) for item in range(cut[-1] + 2)]
    assert found == [bisect_right(cut, item) - 1 for item in range(cut[-1] + 2)]
    assert all(type(row) is int for row in found)


@given(pairs, st.slices(10))
def test_slices(pair, rows):
    dim, sizes = pair
    found = dim[rows]
    assert isinstance(found, Dim)
    assert found.tolist() == sizes[rows]
    assert found.offsets.tolist() == offsets(sizes[rows])
    assert found.extent == dim.extent


@given(pairs, st.integers(0, 10), st.integers(0, 10))
def test_slices_of_slices(pair, start, stop):
    dim, sizes = pair
    assert dim[start:stop][1:-1].tolist() == sizes[start:stop][1:-1]


@given(pairs, pairs)
def test_equality_and_hash_speak_of_sizes(left, right):
    assert (left[0] == right[0]) is (left[1] == right[1])
    assert (left[0] == right[1]) is (left[1] == right[1])
    assert left[0] == Ragged(left[1])
    assert hash(left[0]) == hash(Ragged(left[1]))
    assert left[0] != Ragged([*left[1], 0])
    assert left[0] != tuple(left[1])


@given(pairs)
def test_equality_sees_one_changed_row(pair):
    dim, sizes = pair
    for row in range(len(sizes)):
        other = [*sizes[:row], sizes[row] + 1, *sizes[row + 1 :]]
        assert dim != Ragged(other)


@given(pairs)
def test_compressed_is_a_function_of_the_sizes(pair):
    dim, sizes = pair
    small = dim.compressed()
    assert small == dim
    assert small.extent == dim.extent
    if dim.extent is None:
        assert repr(small) == repr(Ragged(sizes).compressed())
    assert repr(small.compressed()) == repr(small)


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        ([], "Uniform(0, n=0, declared=False)"),
        ([3, 3, 3], "Uniform(3, n=3, declared=False)"),
        ([1, 2], "Ragged([1, 2])"),
        ([1, 2, 3], "Affine(1, 3, 1)"),
        ([6, 3, 0], "Affine(6, 3, -3)"),
        ([1, 2, 1, 2], "Repeat([1, 2], 2)"),
        ([1, 2, 1, 1, 2, 1, 1, 2, 1], "Repeat([1, 2, 1], 3)"),
        ([0, 0, 1, 0] * 2, "Repeat(Sparse({2: 1}, 4), 2)"),
        ([5] * 4 + [7] * 4, "Runs([5, 7], 4)"),
        ([5] * 4 + [7] * 8 + [9] * 12, "Runs(Affine(5, 3, 2), Affine(4, 3, 4))"),
        ([0, 0, 0, 9, 8, 0, 0, 0], "Sparse({3: 9, 4: 8}, 8)"),
        ([7, 11, 5, 6, 10, 3, 0, 1], "Ragged([7, 11, 5, 6, 10, 3, 0, 1])"),
    ],
)
def test_compressed_encodings(sizes, text):
    assert repr(Ragged(sizes).compressed()) == text


@given(pairs, st.integers(0, 3))
def test_repeat(pair, times):
    dim, sizes = pair
    assert dim.repeat(times).tolist() == sizes * times
    assert dim.repeat(times).extent == dim.extent


@given(pairs, st.integers(0, 12))
def test_stretched(pair, n):
    dim, sizes = pair
    if isinstance(dim, Uniform) and (sizes or dim.extent is not None):
        assert dim.stretched(n).tolist() == [dim.compressed()[0] if sizes else dim.extent] * n
    elif n == 0 or (sizes and n % len(sizes) == 0):
        assert dim.stretched(n).tolist() == (sizes * n)[:n]
        assert dim.stretched(n).extent == dim.extent
    else:
        with pytest.raises(ShapeError, match=r"can't fill|whole number of times"):
            dim.stretched(n)


@given(st.lists(pairs, max_size=4))
def test_concat(parts):
    found = concat([dim for dim, _ in parts])
    assert found.tolist() == [size for _, sizes in parts for size in sizes]
    extents = {dim.extent for dim, _ in parts}
    assert found.extent == (extents.pop() if len(extents) == 1 else None)


@given(pairs, pairs)
def test_cat(left, right):
    assert left[0].cat(right[0]).tolist() == left[1] + right[1]


@given(pairs, st.data())
def test_spread(pair, data):
    dim, sizes = pair
    reps = data.draw(st.lists(st.integers(0, 3), min_size=len(sizes), max_size=len(sizes)))
    found = dim.spread(reps)
    assert found.tolist() == [size for size, rep in zip(sizes, reps, strict=True) for _ in range(rep)]
    assert found.extent == dim.extent
    assert dim.spread(2).tolist() == [size for size in sizes for _ in range(2)]


@given(pairs, st.data())
def test_spread_of_groups(pair, data):
    dim, sizes = pair
    part = data.draw(cuts(len(sizes)))
    reps = data.draw(st.lists(st.integers(0, 2), min_size=len(part), max_size=len(part)))
    starts = offsets(part)
    groups = [sizes[start:stop] for start, stop in pairwise(starts)]
    assert dim.spread(reps, part).tolist() == [
        size for group, rep in zip(groups, reps, strict=True) for _ in range(rep) for size in group
    ]


@given(pairs, st.data())
def test_fold(pair, data):
    dim, sizes = pair
    part = data.draw(cuts(len(sizes)))
    starts = offsets(part)
    sums = [sum(sizes[start:stop]) for start, stop in pairwise(starts)]
    found = dim.fold(part)
    assert found.tolist() == sums
    assert found.extent is None
    assert dim.fold(Ragged(part).compressed()).tolist() == sums


@given(pairs, st.integers(0, 4))
def test_fold_by_equal_groups(pair, group):
    dim, sizes = pair
    dim, sizes = dim.repeat(group), sizes * group
    if group == 0:
        assert dim.fold(Uniform(0, 2)).tolist() == [0, 0]
        return
    n = len(sizes) // group
    assert dim.fold(Uniform(group, n)).tolist() == [sum(sizes[row * group : (row + 1) * group]) for row in range(n)]
    assert dim.fold(Uniform(n, group)).tolist() == [sum(sizes[:n])] * group


@given(pairs, pairs)
def test_fold_of_every_pair_of_encodings(inner, outer):
    groups = outer[0]
    dim, sizes = inner
    if sizes:
        times = -(-groups.size // len(sizes))
        dim, sizes = dim.repeat(times)[: groups.size], (sizes * times)[: groups.size]
    elif groups.size:
        return
    starts = offsets(outer[1])
    assert dim.fold(groups).tolist() == [sum(sizes[start:stop]) for start, stop in pairwise(starts)]


@given(pairs, st.data())
def test_never_rises_within(pair, data):
    dim, sizes = pair
    part = data.draw(cuts(len(sizes)))
    starts = offsets(part)
    groups = [sizes[start:stop] for start, stop in pairwise(starts)]
    falls = all(group == sorted(group, reverse=True) for group in groups)
    assert dim.never_rises_within(np.array(starts)) is falls
    assert dim.never_rises_within(Ragged(part)) is falls


EACH = [
    (Ragged([2, 0, 1, 1]), [2, 0, 1, 1]),
    (Ragged([1, 1]), [1, 1]),
    (Ragged([1, 1, 2, 0, 2, 1]), [1, 1, 2, 0, 2, 1]),
    (Ragged([]), []),
    (Uniform(2, 3), [2, 2, 2]),
    (Uniform(2, 3, declared=False), [2, 2, 2]),
    (Uniform(3, 1, declared=False), [3]),
    (Uniform(3, 0), []),
    (Uniform(0, 2, declared=False), [0, 0]),
    (Affine(1, 3, 2), [1, 3, 5]),
    (Affine(7, 2, 2), [7, 9]),
    (Affine(4, 3, -2), [4, 2, 0]),
    (Sparse({1: 2, 2: 2, 4: 1}, 6), [0, 2, 2, 0, 1, 0]),
    (Sparse({}, 3), [0, 0, 0]),
    (Repeat(Ragged([1, 0]), 2), [1, 0, 1, 0]),
    (Repeat(Uniform(3, 2), 2), [3, 3, 3, 3]),
    (Repeat(Affine(0, 2, 1), 2), [0, 1, 0, 1]),
    (Runs([3, 1], [2, 1]), [3, 3, 1]),
    (Runs(Uniform(3, 2), [1, 2]), [3, 3, 3]),
    (Runs([2, 2, 0], [1, 0, 2]), [2, 0, 0]),
    (Chain([Uniform(1, 2, declared=False), Ragged([2, 0]), Affine(1, 2, 1)]), [1, 1, 2, 0, 1, 2]),
]
"""Each encoding with and without a declared extent: random dims may miss a pair of them."""

each = pytest.mark.parametrize(("dim", "sizes"), EACH, ids=[f"{place}-{dim!r}" for place, (dim, _) in enumerate(EACH)])


@each
def test_longer_dims_of_each_encoding(dim, sizes):
    groups = [sizes[:1], sizes[1:]] if sizes else [[], []]
    for times in (0, 1, 3):
        for found in (dim.repeat(times), dim.stretched(times * len(sizes))) if sizes else (dim.repeat(times),):
            assert (found.tolist(), len(found), found.extent) == (sizes * times, len(sizes) * times, dim.extent)
        found = dim.spread(times)
        assert (found.tolist(), found.extent) == ([size for size in sizes for _ in range(times)], dim.extent)
        found = dim.spread([times, 1], [len(group) for group in groups])
        assert (found.tolist(), found.extent) == (groups[0] * times + groups[1], dim.extent)
    if isinstance(dim, Uniform):
        assert all(type(found) is Uniform for found in (dim.repeat(2), dim.stretched(2 * len(sizes)), dim.spread(2)))


@each
def test_slices_of_each_encoding(dim, sizes):
    n = len(sizes)
    for start, stop, step in product(range(n + 1), range(n + 1), (1, 2, -1, -2)):
        found = dim[start:stop:step]
        assert (found.tolist(), len(found), found.extent) == (sizes[start:stop:step], len(sizes[start:stop:step]), dim.extent)


@each
def test_each_pair_of_encodings(dim, sizes):
    for other, theirs in EACH:
        found = dim.cat(other)
        assert (found.tolist(), found.extent) == (sizes + theirs, dim.extent if dim.extent == other.extent else None)
        assert concat([dim, other, dim]).tolist() == sizes + theirs + sizes
        assert (dim == other) is (other == dim) is (sizes == theirs)
        if other.size == len(sizes):
            sums = [sum(sizes[start:stop]) for start, stop in pairwise(offsets(theirs))]
            assert (dim.fold(other).tolist(), dim.fold(other).extent) == (sums, None)
        falls = all(sizes[start:stop] == sorted(sizes[start:stop], reverse=True) for start, stop in pairwise(offsets(theirs)))
        if other.size == len(sizes):
            assert dim.never_rises_within(other) is falls
        if sizes and theirs:
            falls = sizes + theirs == sorted(sizes + theirs, reverse=True)
            assert Chain([dim, other]).never_rises_within(np.array([0, len(sizes + theirs)])) is falls
    assert dim.never_rises_within(Uniform(len(sizes), 1)) is (sizes == sorted(sizes, reverse=True))
    bare = dim.with_extent(None)
    assert (bare.tolist(), bare.extent) == (sizes, None)
    assert bare.compressed() == dim == bare


def test_lists_of_one_row_join_to_a_list():
    assert repr(Ragged([3]).cat(Ragged([3]))) == "Ragged([3, 3])"


def test_dims_without_rows_join_to_no_rows():
    assert repr(concat([])) == repr(concat([Ragged([]), Affine(1, 0, 1)])) == repr(Uniform(0, 0, declared=False))


def test_sparse_dims_show_24_rows():
    assert "..." not in repr(Sparse(dict.fromkeys(range(24), 1), 30))
    assert repr(Sparse(dict.fromkeys(range(25), 1), 30)).endswith("23: 1, ...}, 30)")


@given(pairs)
def test_copy_and_pickle(pair):
    dim, sizes = pair
    back = pickle.loads(pickle.dumps(dim))
    assert type(back) is type(dim)
    assert repr(back) == repr(dim)
    assert back.tolist() == sizes
    assert back.extent == dim.extent
    assert copy.copy(dim) is dim
    assert copy.deepcopy(dim) is dim


@given(pairs)
def test_repr_evaluates_to_the_dim(pair):
    dim, _ = pair
    back = eval(repr(dim), dict(vars(dims)))
    assert back == dim
    assert repr(back) == repr(dim)
    assert back.extent == dim.extent


# --------------------------------------------------------------------------------------------------- fold's cases


@pytest.mark.parametrize(
    ("number", "dim", "sizes"),
    [
        (1, lambda: to_dim(3), [3]),
        (2, lambda: to_dim([3, 3, 3]), [3, 3, 3]),
        (3, lambda: to_dim(range(5, 0, -1)), [5, 4, 3, 2, 1]),
        (4, lambda: to_dim(range(0)), []),
        (5, lambda: to_dim((1, 5, 1)), [1, 2, 3, 4, 5]),
        (6, lambda: to_dim({1: 2}), [0, 2]),
        (7, lambda: Sparse({1: 2, 4: 3}), [0, 2, 0, 0, 3]),
        (8, lambda: Sparse({1: 2, 4: 3, 7: -1}), [0, 2, 0, 0, 3, 0, 0]),
        (9, lambda: Runs([1, 2, 3, 4], [1, 2]), [1, 2, 2, 3, 4, 4]),
        (10, lambda: Runs([1, 2], [1, 1]), [1, 2]),
        (11, lambda: Runs([1, 4], [3, 0]), [1, 1, 1]),
        (13, lambda: Chain([[1, 2], 3]), [1, 2, 3]),
        (14, lambda: Repeat(Repeat([1, 2], 2), 3), [1, 2] * 6),
        (15, lambda: Uniform(3, 2).cat(Uniform(4)), [3, 3, 4]),
        (16, lambda: Uniform(3).cat(Affine(4, 2, 1)), [3, 4, 5]),
        (17, lambda: Affine(1, 3, 1).cat(Affine(4, 2, 1)), [1, 2, 3, 4, 5]),
        (18, lambda: Ragged([1, 2]).cat(Ragged([1, 2])), [1, 2, 1, 2]),
        (22, lambda: Affine(1, 4, 1), [1, 2, 3, 4]),
        (25, lambda: Ragged([2, 3]).spread(Ragged([1, 2])), [2, 3, 3]),
        (26, lambda: Ragged([2, 3, 4]).spread(Ragged([2, 0]), Ragged([1, 2])), [2, 2]),
        (27, lambda: Uniform(2, 6).fold(Affine(1, 3, 1)), [2, 4, 6]),
        (29, lambda: Ragged([1, 2, 3])[::2], [1, 3]),
        (31, lambda: to_dim(range(1, 6)).stretched(15), [1, 2, 3, 4, 5] * 3),
        (41, lambda: Runs([5, 7, 3], [4]), [5] * 4 + [7] * 4 + [3] * 4),
        (42, lambda: Sparse({1: 2, 4: 3, 5: 1, 7: 2}), [0, 2, 0, 0, 3, 1, 0, 2]),
    ],
)
def test_fold_case(number, dim, sizes):
    assert dim().tolist() == sizes


@pytest.mark.parametrize(
    ("number", "dim", "text"),
    [
        (1, lambda: to_dim(3), "Uniform(3, n=1)"),
        (2, lambda: to_dim([3, 3, 3]).compressed(), "Uniform(3, n=3, declared=False)"),
        (3, lambda: to_dim(range(5, 0, -1)), "Affine(5, 5, -1)"),
        (5, lambda: to_dim((1, 5, 1)), "Affine(1, 5, 1)"),
        (6, lambda: to_dim({1: 2}), "Sparse({1: 2}, 2)"),
        (9, lambda: Runs([1, 2, 3, 4], [1, 2]), "Runs([1, 2, 3, 4], Repeat([1, 2], 2))"),
        (10, lambda: Runs([1, 2], [1, 1]).compressed(), "Ragged([1, 2])"),
        (13, lambda: Chain([[1, 2], 3]).compressed(), "Affine(1, 3, 1)"),
        (14, lambda: Repeat(Repeat([1, 2], 2), 3), "Repeat([1, 2], 6)"),
        (15, lambda: Uniform(3, 2).cat(Uniform(4)), "Runs([3, 4], [2, 1])"),
        (16, lambda: Uniform(3).cat(Affine(4, 2, 1)), "Affine(3, 3, 1)"),
        (17, lambda: Affine(1, 3, 1).cat(Affine(4, 2, 1)), "Affine(1, 5, 1)"),
        (18, lambda: Ragged([1, 2]).cat(Ragged([1, 2])), "Repeat([1, 2], 2)"),
        (25, lambda: Ragged([2, 3]).spread(Ragged([1, 2])), "Runs([2, 3], [1, 2])"),
        (27, lambda: Uniform(2, 6).fold(Affine(1, 3, 1)), "Affine(2, 3, 2)"),
        (31, lambda: to_dim(range(1, 6)).stretched(15), "Repeat(Affine(1, 5, 1), 3)"),
        (41, lambda: Runs([5, 7, 3], [4]), "Runs([5, 7, 3], 4)"),
    ],
)
def test_fold_case_encoding(number, dim, text):
    assert repr(dim()) == text


def test_fold_cases_11_20_21_22_23_24():
    assert Runs([1, 4], [3, 0]).max() == 1
    assert Ragged([3, 3]) == Uniform(3, 2)
    assert Affine(1, 4, 1).offsets.tolist() == [0, 1, 3, 6, 10]
    assert Affine(1, 4, 1).offset_of(3) == 6
    dim = Affine(1, BIG, 1)
    assert dim.index_of(dim.offset_of(987654321) - 1) == 987654320


def test_fold_case_19_dims_do_not_add():
    with pytest.raises(TypeError, match="unsupported operand"):
        Ragged([1, 2]) + Ragged([3, 4])


@pytest.mark.parametrize(
    ("number", "make", "text"),
    [
        (28, lambda: Uniform(2, 2).fold(Uniform(3, 2)), r"fold: the groups .* have 6 rows in all, but there are 2"),
        (33, lambda: to_dim(([3, 4], 1)).stretched(3), "2 sizes can't repeat a whole number of times to fill 3 rows"),
        (34, lambda: to_dim(([1, 2, 3], 1)).stretched(2), "3 sizes can't repeat"),
        (38, lambda: to_dim([]).stretched(2), "an empty dim can't fill 2 rows"),
        (39, lambda: to_dim([-1, 3]), "size at position 0 is -1; sizes must be at least 0"),
    ],
)
def test_fold_case_that_raises(number, make, text):
    with pytest.raises(ShapeError, match=text):
        make()


# --------------------------------------------------------------------------------------------------- closed forms


HUGE = [
    Uniform(BIG, BIG),
    Affine(1, BIG, 1),
    Affine(BIG, BIG, -1),
    Affine(0, BIG, 2),
    Repeat(Affine(1, BIG, 1), 7),
    Repeat([1, 0, 2], 10**17),
    Runs(Affine(1, BIG, 1), 5),
    Runs([3, 0, 2], [BIG, BIG, 10**15]),
    Sparse({3: 5, 10**15: 7}, 10**18),
    Chain([Affine(1, BIG, 1), [5, 0, 5], Uniform(3, 10**12)]),
]


@pytest.mark.parametrize("dim", HUGE, ids=repr)
def test_huge_dims_answer_without_being_written_out(dim):
    n, total = len(dim), dim.size
    for row in (0, 1, 2, n // 3, n // 2, n - 2, n - 1):
        start, stop = dim.offset_of(row), dim.offset_of(row + 1)
        assert stop - start == dim[row]
        assert dim[row : row + 5][0] == dim[row]
        assert dim[row:].size == total - start
        assert dim[:row].size == start
        if stop > start:
            assert dim.index_of(start) == dim.index_of(stop - 1) == row
    assert dim.offset_of(n) == total
    assert dim.index_of(total) == n
    assert dim.min() <= dim[n // 2] <= dim.max()
    assert dim.is_uniform is isinstance(dim, Uniform)
    assert dim == pickle.loads(pickle.dumps(dim))
    assert hash(dim) == hash(pickle.loads(pickle.dumps(dim)))
    assert dim != dim[:-1]
    assert dim.repeat(1) == dim
    assert "sizes" not in vars(dim)
    assert "offsets" not in vars(dim)


@given(st.sampled_from([Affine(1, BIG, 1), Affine(3 * BIG, BIG, -3), Affine(1, 10**6, 10**6)]), st.data())
def test_affine_index_is_exact(dim, data):
    row = data.draw(st.integers(1, len(dim) - 1))
    start = dim.offset_of(row)
    assert dim.index_of(start) == row
    assert dim.index_of(start - 1) == row - 1


def test_huge_dims_fold_compress_and_compare_in_closed_form():
    assert repr(Affine(1, BIG, 1).fold(Uniform(4, BIG // 4))) == f"Affine(10, {BIG // 4}, 16)"
    assert repr(Uniform(2, BIG).fold(Uniform(10, BIG // 10))) == f"Uniform(20, n={BIG // 10}, declared=False)"
    assert repr(Repeat([1, 2], BIG).fold(Uniform(2, BIG))) == f"Uniform(3, n={BIG}, declared=False)"
    assert repr(Repeat([1, 2, 3, 4], BIG).fold(Uniform(2, 2 * BIG))) == f"Repeat([3, 7], {BIG})"
    assert repr(Repeat([1, 2, 1, 2], BIG).compressed()) == f"Repeat([1, 2], {2 * BIG})"
    assert repr(Runs([3, 3, 4], BIG).compressed()) == f"Runs([3, 4], [{2 * BIG}, {BIG}])"
    assert repr(Sparse({5: 1}, BIG).compressed()) == f"Runs([0, 1, 0], [5, 1, {BIG - 6}])"
    assert Chain([Affine(1, BIG, 1), Uniform(2)]) == Chain([Affine(1, BIG, 1), 2])
    assert Chain([Affine(1, BIG // 2, 1), Affine(BIG // 2 + 1, BIG // 2, 1)]) == Affine(1, BIG, 1)
    assert not Affine(1, BIG, 1).never_rises_within(np.array([0, BIG]))
    assert not Repeat(Affine(1, BIG, 1), 3).never_rises_within(np.array([0, 3 * BIG]))
    assert Repeat(Affine(BIG, BIG, -1), 3).never_rises_within(np.arange(4) * BIG)
    assert Affine(1, BIG, 1)[::2] == Affine(1, BIG // 2, 2)
    assert Affine(1, BIG, 1)[::-1] == Affine(BIG, BIG, -1)
    assert repr(Uniform(3, BIG).spread(Uniform(2, BIG))) == f"Uniform(3, n={2 * BIG})"
    assert repr(Repeat([1, 2], BIG)[1:-1]) == f"Repeat([2, 1], {BIG - 1})"


def test_a_walk_over_many_rows_is_done_in_blocks():
    dim = Runs([1, 2, 3], [300_000, 400_000, 500_000])
    assert sum(dim) == dim.size
    assert 3 in dim
    assert 4 not in dim
    assert "sizes" not in vars(dim)
    assert dim == Chain([Uniform(1, 300_000), Runs([2, 3], [400_000, 500_000])])
    assert dim != Runs([1, 2, 3, 2, 3], [300_000, 399_999, 1, 1, 499_999])


@each
def test_dims_of_many_blocks(dim, sizes, monkeypatch):
    """Blocks of two rows: iteration, search, comparison and slices don't depend on where a block ends."""
    for name, size in (("DIM_BLOCK", 2), ("STEP_ROWS", 2), ("JOINED_RUNS", 1), ("COMPARED_ROWS", 0)):
        monkeypatch.setattr(strategy.sizes, name, size)
    n = len(sizes)
    assert list(dim) == sizes
    for value in range(4):
        assert (value in dim) is (value in sizes)
        assert dim.count(value) == sizes.count(value)
        for start, stop in product(range(n + 1), repeat=2):
            places = [row for row in range(start, stop) if sizes[row] == value]
            if places:
                assert dim.index(value, start, stop) == places[0]
            else:
                with pytest.raises(JagValueError, match="no row of"):
                    dim.index(value, start, stop)
    for start, stop in product(range(n + 1), repeat=2):
        assert dim[start:stop].tolist() == sizes[start:stop]
    for one, two in product(range(n), repeat=2):  # lists of as many items in all
        if one != two and sizes[two]:
            changed = list(sizes)
            changed[one], changed[two] = sizes[one] + 1, sizes[two] - 1
            other = Ragged(changed)
            assert (dim == other) is (other == dim) is (dim == Sparse(dict(enumerate(changed)), n)) is False
            assert other.is_uniform is (len(set(changed)) < 2)
            assert other.compressed() == other
            assert Chain([dim[:1], dim[1:]]) != other


def test_parents_widen_with_the_numbers():
    assert Uniform(0, 2**20).parents.dtype == np.int32
    assert Sparse({0: 2}, 5).parents.tolist() == [0, 0]


# --------------------------------------------------------------------------------------------------- validity, extents


def test_dim_itself_is_a_sequence_without_an_encoding():
    assert isinstance(Ragged([1]), Sequence)
    assert issubclass(Uniform, Sequence)
    with pytest.raises(JagTypeError, match=r"^Dim is the interface of encodings; create one of them, such as Ragged"):
        Dim()


@given(lists, st.integers(0, 6), st.integers(0, 6))
def test_slices_of_lists_write_no_offsets_before_they_are_read(sizes, start, stop):
    start, stop = sorted((min(start, len(sizes)), min(stop, len(sizes))))
    expected, base = sizes[start:stop], sum(sizes[:start])
    part = Ragged(sizes)[start:stop]
    assert base == 0 or "offsets" not in part.__dict__
    assert list(part) == expected
    assert part.size == sum(expected)
    assert [part.offset_of(row) for row in range(len(part) + 1)] == [0, *accumulate(expected)]
    owners = [row for row, size in enumerate(expected) for _ in range(size)]
    assert [part.index_of(item) for item in range(part.size)] == owners
    assert list(part[1:]) == expected[1:]
    assert list(pickle.loads(pickle.dumps(part))) == expected
    assert part.offsets.tolist() == [0, *accumulate(expected)]
    assert not part.offsets.flags.writeable
    assert list(reversed(part)) == expected[::-1]


@given(nullable(), st.slices(6))
def test_slices_keep_null_rows_and_extent(made, rows):
    dim, sizes, mask = made
    found = dim[rows]
    assert found.tolist() == sizes[rows]
    assert (found.validity is None) is all(mask[rows])
    assert found.validity is None or found.validity.tolist() == mask[rows]
    assert found.extent == dim.extent


@given(nullable(), nullable())
def test_cat_keeps_null_rows(left, right):
    found = left[0].cat(right[0])
    assert isinstance(found, Ragged)
    assert found.tolist() == left[1] + right[1]
    assert found.validity.tolist() == left[2] + right[2]
    assert found.extent == (left[0].extent if left[0].extent == right[0].extent else None)


@given(nullable(), pairs)
def test_cat_of_null_rows_and_any_encoding(left, right):
    found = right[0].cat(left[0])
    assert found.tolist() == right[1] + left[1]
    assert found.validity.tolist() == [True] * len(right[1]) + left[2]


@given(nullable(), st.integers(1, 3))
def test_repeat_and_spread_keep_null_rows(made, times):
    dim, sizes, mask = made
    for found in (dim.repeat(times), dim.stretched(times * len(dim))):
        assert found.tolist() == sizes * times
        assert found.validity.tolist() == mask * times
        assert found.extent == dim.extent
    found = dim.spread(times)
    assert found.validity.tolist() == [ok for ok in mask for _ in range(times)]
    assert found.extent == dim.extent


@given(nullable(), st.data())
def test_null_groups_stay_null_and_null_rows_count_as_empty(made, data):
    part, sizes, mask = made
    inner = data.draw(st.lists(st.integers(0, 3), min_size=sum(sizes), max_size=sum(sizes)))
    starts = offsets(sizes)
    found = Ragged(inner).fold(part)
    assert found.tolist() == [sum(inner[start:stop]) for start, stop in pairwise(starts)]
    assert found.validity.tolist() == mask
    assert part.fold([len(sizes)]).tolist() == [sum(sizes)]
    assert part.fold([len(sizes)]).validity is None


@given(nullable())
def test_null_rows_survive_pickle_repr_and_compression_but_not_equality(made):
    dim, sizes, mask = made
    assert dim == Ragged(sizes)
    assert hash(dim) == hash(Ragged(sizes))
    for back in (pickle.loads(pickle.dumps(dim)), eval(repr(dim), dict(vars(dims))), dim.compressed()):
        assert (back.tolist(), back.validity.tolist(), back.extent) == (sizes, mask, dim.extent)
    assert not dim.validity.flags.writeable
    with pytest.raises(ShapeError, match="Repeat can't hold null rows"):
        Repeat(dim, 2)


def test_with_validity():
    mask = np.array([True, False])
    dim = Ragged([2, 0]).with_validity(mask)
    assert dim.validity.tolist() == [True, False]
    assert mask.flags.writeable
    assert dim.with_validity(None).validity is None
    assert Affine(1, 3, 1).with_validity([True] * 3).validity is None
    assert Uniform(0, 2).with_validity(pa.array([False, True])).extent == 0
    with pytest.raises(ShapeError, match="row 0 is null and has 2 items"):
        Ragged([2, 0]).with_validity([False, True])
    with pytest.raises(ShapeError, match="got 1 for 2 rows"):
        Ragged([2, 0]).with_validity([True])
    with pytest.raises(ShapeError, match="row 1 has 0 items, but the dim declares an extent of 2"):
        Ragged([2, 0], validity=[True, False], extent=2).with_validity(None)
    for wrong in ([1, 0], pa.array([True, None]), [None, True]):
        with pytest.raises(JagTypeError, match="validity"):
            Ragged([2, 0]).with_validity(wrong)


def test_extents():
    assert Uniform(3, 0).extent == 3
    assert Uniform(3, 0)[:0].extent == 3
    assert Uniform(3, 2, declared=False).extent is None
    assert Uniform(2**31 - 1).extent == 2**31 - 1
    assert Uniform(2**31).extent is None
    assert Repeat(Uniform(3, 2), 2).extent == 3
    assert Repeat([3, 3], 2).extent is None
    assert Runs(Uniform(3, 2), [1, 2]).extent == Runs(Uniform(3, 2), [0, 2]).extent == 3
    assert Runs([3, 4], [1, 2]).extent is None
    assert Ragged([3, 3]).extent is None
    assert repr(Ragged([3, 3]).with_extent(3)) == "Uniform(3, n=2)"
    assert repr(Ragged([]).with_extent(4)) == "Uniform(4, n=0)"
    assert Uniform(3, 2).with_extent(None).extent is None
    nullable = Ragged([2, 0], validity=[True, False])
    assert repr(nullable.with_extent(2)) == "Ragged([2, 0], validity=[True, False], extent=2)"
    assert repr(nullable.with_extent(2).with_extent(None)) == repr(nullable)
    assert Uniform(3, 2).cat(Uniform(3)).extent == 3
    assert Uniform(3, 2).cat(Ragged([3])).extent is None
    assert Uniform(3, 2).cat(Ragged([])).extent is None
    assert Uniform(0, 0).stretched(4).tolist() == [0] * 4
    assert Chain([Uniform(3, 2), [1]])[:2].extent is None
    with pytest.raises(ShapeError, match="row 1 has 2 items, but the dim declares an extent of 3"):
        Ragged([3, 2]).with_extent(3)
    with pytest.raises(ShapeError, match="row 0 has 2 items, but the dim declares an extent of 3"):
        nullable.with_extent(3)
    with pytest.raises(ShapeError, match="row 0 has 2 items"):
        Ragged([2], extent=3)


# --------------------------------------------------------------------------------------------------- input


@pytest.mark.parametrize(
    "sizes",
    [
        np.array([2, 0, 1], np.uint8),
        np.array([2, 9, 0, 9, 1])[::2],
        np.array([2, 0, 1], ">i4"),
        np.array([2, 0, 1], object),
        pa.array([2, 0, 1], pa.uint64()),
        pa.array([9, 2, 0, 1], pa.int16())[1:],
        pa.chunked_array([[2], [0, 1]]),
        [np.int8(2), 0, np.uint64(1)],
        pl.Series([2, 0, 1]),
        pd.Series([2, 0, 1]),
        (size for size in [2, 0, 1]),
    ],
    ids=lambda sizes: type(sizes).__module__ + "." + type(sizes).__name__,
)
def test_sizes_of_many_kinds(sizes):
    dim = Ragged(sizes)
    assert dim.tolist() == [2, 0, 1]
    assert dim.offsets.dtype == np.int64


class Exporter:
    """Data of a library that implements only one method of Arrow's interface."""

    def __init__(self, data, name):
        self.__class__ = type("Exporter", (), {name: lambda _self, schema=None: getattr(data, name)(schema)})


@pytest.mark.parametrize(
    "sizes",
    [Exporter(pa.array([2, 0, 1]), "__arrow_c_array__"), Exporter(pa.chunked_array([[2], [0, 1]]), "__arrow_c_stream__")],
    ids=["array", "stream"],
)
def test_sizes_by_the_interface_of_arrow(sizes):
    for dim in (Ragged(sizes), to_dim(sizes), JaggedShape(3, sizes).dims[1]):
        assert dim.tolist() == [2, 0, 1]


def test_a_dim_does_not_follow_the_callers_sizes():
    sizes = np.array([2, 1])
    dim = Ragged(sizes)
    sizes[0] = 9
    assert dim.tolist() == [2, 1]


def test_empty_sizes():
    assert Ragged([]).offsets.tolist() == [0]
    assert Ragged(pa.array([])) == Ragged(np.array([], np.int32)) == Uniform(0, 0)
    assert Chain([]) == Repeat([], 3) == Repeat([1], 0) == Runs([], []) == Sparse({}) == []


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Ragged([1, True]), "size at position 1 must be an int, got True of type bool"),
        (lambda: Ragged([1, 2.0]), "size at position 1 must be an int, got 2.0 of type float"),
        (lambda: Ragged([None]), "size at position 0 must be an int, got None"),
        (lambda: Ragged(np.array([1.0])), "sizes must be integers, got dtype float64"),
        (lambda: Ragged(np.array([True])), "sizes must be integers, got dtype bool"),
        (lambda: Ragged(np.array([[1]])), "sizes must have one dimension"),
        (lambda: Ragged(pa.array([1, None])), "size at position 1 is null"),
        (lambda: Ragged(pa.array([1.0])), "sizes must be integers, got Arrow type double"),
        (lambda: Ragged(pa.array([True])), "sizes must be integers, got Arrow type bool"),
        (lambda: Ragged("12"), "sizes must be integers, got '12'"),
        (lambda: Ragged({1: 2}), "sizes must be integers"),
        (lambda: Ragged(3), "sizes must be integers, got 3"),
        (lambda: Uniform(True), "a size must be an int, got True"),
        (lambda: Uniform(2, 1.0), "a number of rows must be an int, got 1.0"),
        (lambda: Affine(1, 2, None), "a step must be an int, got None"),
        (lambda: Repeat([1], True), "a number of repetitions must be an int"),
        (lambda: Runs([1], [2.5]), "size at position 0 must be an int, got 2.5"),
        (lambda: Sparse({1: True}), "size at position 0 must be an int, got True"),
        (lambda: Sparse([1]), "Sparse takes a dict"),
        (lambda: to_dim(True), "a dim must be an int, a list of sizes, a Dim or a pattern, got True"),
        (lambda: to_dim(2.0), "a dim must be an int"),
        (lambda: to_dim(None), "a dim must be an int"),
        (lambda: to_dim("ab"), "a dim must be an int"),
        (lambda: to_dim((1, 2, 3, 4)), r"a tuple is a pattern: .* write sizes as a list"),
        (lambda: to_dim((4, [1])), "a tuple is a pattern"),
        (lambda: to_dim(([1], True)), "a dim must be an int"),
        (lambda: to_dim([1, (1, 2), None]), "a dim must be an int"),
        (lambda: Ragged([1])["a"], "a row must be an int or a slice, got 'a'"),
        (lambda: Ragged([1])[True], "a row must be an int or a slice, got True"),
        (lambda: Ragged([1]).offset_of(1.0), "a row must be an int, got 1.0"),
        (lambda: dims.from_offsets([0, 1.5]), "offset at position 1 must be an int"),
    ],
)
def test_wrong_types(make, text):
    with pytest.raises(JagTypeError, match=text):
        make()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Uniform(-1), "a size must be at least 0, got -1"),
        (lambda: Uniform(1, -1), "a number of rows must be at least 0, got -1"),
        (lambda: Ragged(np.array([1, -2])), "size at position 1 is -2"),
        (lambda: Affine(3, 6, -1), r"Affine\(3, 6, -1\): size at position 4 is -1; sizes must be at least 0"),
        (lambda: Affine(-1, 2, 1), "the first size must be at least 0, got -1"),
        (lambda: to_dim(range(2, -2, -1)), "has negative numbers; sizes must be at least 0"),
        (lambda: Runs([1, 2], [1, -1]), "size at position 1 is -1"),
        (lambda: Runs([1, 2, 3], [1, 2]), "2 sizes can't repeat a whole number of times to fill 3 rows"),
        (lambda: Sparse({-1: 2}), "row at position 0 is -1"),
        (lambda: Sparse({1: 2}, 1), "row 1 is out of range for 1 row"),
        (lambda: Sparse({1: 2, 5: -1}, 4), "the number of rows is given as 4 and as 5"),
        (lambda: Ragged([1, 2]).spread([1]), "spread: 1 repetition for 2 rows"),
        (lambda: Ragged([1, 2]).spread([1], [1, 1]), "spread: 1 repetition for 2 groups"),
        (lambda: Ragged([1]).repeat(-1), "a number of repetitions must be at least 0, got -1"),
        (lambda: Uniform(2**62, 2), "integer overflow"),
        (lambda: Uniform(0, 2**63), "integer overflow"),
        (lambda: Affine(1, 2**33, 1), "integer overflow"),
        (lambda: Repeat([2**62], 2), "integer overflow"),
        (lambda: Runs([2**62], 2), "integer overflow"),
        (lambda: Runs([2**62, 1], [2, 1]), "integer overflow"),
        (lambda: Runs([2**40] * 2, [2**40, 1]), "integer overflow"),
        (lambda: Chain([Uniform(2**62), [2**62]]), "integer overflow"),
        (lambda: Ragged([2**62, 2**62]), "integer overflow"),
        (lambda: Ragged([2**64]), "integer overflow: size at position 0"),
        (lambda: Ragged(np.array([1, 2**63], np.uint64)), "integer overflow: size at position 1"),
        (lambda: Ragged(np.array([2**63 - 1, 2**63], np.uint64)), "integer overflow: size at position 1"),
        (lambda: Sparse({0: 2**62, 1: 2**62}), "integer overflow"),
    ],
)
def test_wrong_numbers(make, text):
    with pytest.raises(ShapeError, match=text):
        make()


def test_the_largest_total_is_allowed():
    assert Uniform(2**63 - 1).size == 2**63 - 1
    assert Runs([2**62, 2**62 - 1], [1, 1]).size == 2**63 - 1
    assert Ragged([2**62, 2**62 - 1]).index_of(2**63 - 2) == 1


def test_positions_out_of_range():
    dim = Ragged([2, 1])
    with pytest.raises(JagIndexError, match=r"offset_of\(3\) of a dim of 2 rows: expected 0 to 2"):
        dim.offset_of(3)
    with pytest.raises(JagIndexError, match=r"index_of\(-1\): items count from 0"):
        dim.index_of(-1)
    with pytest.raises(JagValueError, match="max of a dim without rows; give a default"):
        Ragged([]).max()


def test_dims_are_immutable():
    dim = Uniform(3)
    with pytest.raises(AttributeError, match="a dim is immutable"):
        dim._each = 4
    with pytest.raises(ValueError, match="read-only"):
        dim.sizes[0] = 4


# --------------------------------------------------------------------------------------------------- offsets


def test_from_offsets():
    cut = np.array([0, 2, 2, 5])
    cut.flags.writeable = False
    dim = dims.from_offsets(cut)
    assert dim.tolist() == [2, 0, 3]
    assert np.shares_memory(dim.offsets, cut)
    own = np.array([0, 2])
    assert not np.shares_memory(dims.from_offsets(own).offsets, own)
    assert own.flags.writeable
    assert dims.from_offsets(pa.array([0, 1], pa.int32())).tolist() == [1]
    assert Ragged.from_offsets(cut, check=False).tolist() == [2, 0, 3]
    assert Ragged.from_offsets(cut, validity=[True, False, True]).validity.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("cut", "text"),
    [
        ([], "at least"),
        ([1, 2], "offsets start at 0, got 1 at slot 0"),
        ([0, 3, 2], "offsets never decrease, got 2 at slot 2 after 3"),
        ([-1, 0], "got -1 at slot 0"),
    ],
)
def test_wrong_offsets(cut, text):
    with pytest.raises(OffsetsError, match=text):
        dims.from_offsets(cut)
    with pytest.raises(OffsetsError, match=text):
        dims.from_offsets(np.array(cut, np.int32))


def test_never_rises_within_checks_its_offsets():
    with pytest.raises(OffsetsError, match="never_rises_within"):
        Ragged([1, 2]).never_rises_within(np.array([0, 1]))


# --------------------------------------------------------------------------------------------------- grammar


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (4, "Uniform(4, n=1)"),
        (np.int64(4), "Uniform(4, n=1)"),
        ((4, 3), "Uniform(4, n=3)"),
        ([7, 11, 0], "Ragged([7, 11, 0])"),
        (np.array([1, 2]), "Ragged([1, 2])"),
        (pa.array([1, 2]), "Ragged([1, 2])"),
        ((5, 5, -1), "Affine(5, 5, -1)"),
        (((1, 5, 1), 3), "Repeat(Affine(1, 5, 1), 3)"),
        (([5, 7, 3], 4), "Repeat([5, 7, 3], 4)"),
        (([5, 7, 3], (4, 3)), "Runs([5, 7, 3], 4)"),
        (([5, 7, 3], [5, 3, 4]), "Runs([5, 7, 3], [5, 3, 4])"),
        (((1, 5, 1), (1, 5, 1)), "Runs(Affine(1, 5, 1), Affine(1, 5, 1))"),
        (({1: 2}, 3), "Repeat(Sparse({1: 2}, 2), 3)"),
        (range(1, 4), "Affine(1, 3, 1)"),
        (range(3, 4), "Uniform(3, n=1, declared=False)"),
        (range(0), "Uniform(0, n=0, declared=False)"),
        ([[1, 2], 3, (1, 3, 1)], "Chain([[1, 2, 3], Affine(1, 3, 1)])"),
        ([(1, 3, 1), {1: 5}], "Chain([Affine(1, 3, 1), Sparse({1: 5}, 2)])"),
    ],
)
def test_to_dim(spec, text):
    assert repr(to_dim(spec)) == text


def test_to_dim_gives_a_dim_back_and_lists_as_patterns_on_request():
    dim = Ragged([1, 2])
    assert to_dim(dim) is dim
    assert to_dim([1, 2], literal_repeats=True).stretched(4).tolist() == [1, 2, 1, 2]
    assert is_pattern(to_dim([1, 2], literal_repeats=True))


@pytest.mark.parametrize(
    "spec", [4, np.int8(4), (4, 3), range(3), {1: 2}, [1, (2, 2)], [[1]], Uniform(3), Affine(1, 2, 1), Chain([[1]])]
)
def test_patterns(spec):
    assert is_pattern(spec) is True


@pytest.mark.parametrize("spec", [[1, 2], [], np.array([1]), pa.array([1]), Ragged([1]), [1, None]])
def test_plain_sizes_are_not_patterns(spec):
    assert is_pattern(spec) is False


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (Ragged([2, 1]), "Ragged([2, 1])"),
        (Ragged(range(100)), "Ragged([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..., 97, 98, 99])"),
        (Repeat([1, 2, 3], 2), "Repeat([1, 2, 3], 2)"),
        (Runs([3, 2], [2, 1]), "Runs([3, 2], [2, 1])"),
        (Chain([Uniform(4, 3), [1]]), "Chain([Uniform(4, n=3), [1]])"),
        (Ragged([2, 0], validity=[True, False], extent=2), "Ragged([2, 0], validity=[True, False], extent=2)"),
    ],
)
def test_repr(dim, text):
    assert repr(dim) == text


@pytest.mark.parametrize(
    "make", [lambda: dims.Repeat((1, 5, 1), 3), lambda: dims.Runs((1, 5, 1), [1] * 3), lambda: dims.Chain([(2, 3)])]
)
def test_a_tuple_is_no_list_of_sizes(make) -> None:
    with pytest.raises(JagTypeError, match=r"got the tuple \(.*\): write a list of sizes, or to_dim\("):
        make()
