"""`x[...]` as numpy from the outermost dim, against the oracle, numpy, and by example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.testing import assert_lists_equal, jagged_arrays, jagged_lists
from tests import reference as ref
from tests.along import as_list
from tests.hosts import pl
from tests.reference import Jag

X = aj.array([[1, 2, 3], [], None, [4, 5]])


def outcome(function: Any) -> Any:
    """The result of a call, or a mark that it refuses the position."""
    try:
        return function()
    except IndexError:
        return "IndexError"


bounds = st.none() | st.integers(-5, 5)
slices = st.builds(slice, bounds, bounds, st.sampled_from([None, 1, 2, 3, -1, -2]))


@st.composite
def tuple_keys(draw: st.DrawFn, ndim: int) -> tuple[list[Any], list[Any]]:
    """A tuple of keys with at most one group of neighbouring index arrays: for the library, and for the oracle."""
    named = draw(st.integers(0, ndim))
    group = draw(st.integers(0, named))
    start = draw(st.integers(0, named - group))
    depth = draw(st.integers(1, 2))
    ours: list[Any] = []
    theirs: list[Any] = []
    sizes = draw(jagged_lists(depth, st.integers(-2, 2), max_size=2, null_rows=False))
    for place in range(named):
        if start <= place < start + group:
            entries = ref.at_depth(lambda _: draw(st.integers(-2, 1) | st.none()), sizes, depth)
            ours.append(aj.array(entries, type=pa.int64(), ndim=depth))
            theirs.append(Jag(entries, depth))
        else:
            key = draw(slices | st.integers(-2, 1) if not group else slices)
            ours.append(key)
            theirs.append(key)
        if draw(st.integers(0, 5)) == 0 and not start <= place < start + group - 1:
            ours.append(None)
            theirs.append(None)
    if draw(st.booleans()) and (not group or start + group == named):
        ours.append(...)
        theirs.append(...)
    return ours, theirs


@pytest.fixture(params=["few", "many"], scope="module")
def either_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Positions as they come, or the way of many whatever their number."""
    with strategy.force(nth="blocks" if request.param == "many" else "whole"):
        yield


def numpy_keys() -> list[Any]:
    """Keys that mean the same on a dense array."""
    rows, columns = np.array([1, 0, -1]), np.array([0, 2, 1])
    mask = np.array([True, False, True, True])
    return [
        1, -1, slice(1, 3), slice(None, None, -2), ..., None, (), (1, 2), (slice(None), -1), (..., 0), (..., None),
        (None, 1, ..., slice(0, 2)), (slice(None), None, 1), rows, (rows,), (rows, columns), (slice(None), columns),
        (1, columns), (rows, 1), (rows, slice(None), columns), (rows, slice(None), 1), (slice(None), rows, columns),
        (slice(1, None), 0, columns), (rows, 0, columns), (rows, columns, rows), mask, (mask,), (mask, 1),
        (mask, slice(None), 0), (rows, None, columns), np.int64(2), (np.int8(1), np.uint8(1)), (slice(3, 1), ...),
    ]  # fmt: skip


@pytest.mark.usefixtures("either_way")
@given(jagged_arrays(st.integers(1, 3), pa.int16()), st.data())
def test_tuples_of_keys_equal_the_oracle(x: aj.JaggedArray, data: st.DataObject) -> None:
    ours, theirs = data.draw(tuple_keys(x.ndim))
    got = outcome(lambda: as_list(x[tuple(ours)]))
    expected = outcome(lambda: ref.getitem(x.to_list(), x.ndim, tuple(theirs)).value)
    assert got == expected


def test_a_new_axis_behind_an_item_of_a_null_row() -> None:
    x = aj.array([None, [1]])
    assert x[:, 0, None].to_list() == x[:, 0][:, None].to_list() == [[None], [1]]


@given(jagged_arrays(st.integers(1, 3)), slices)
def test_every_leaf_type_is_sliced_and_reversed(x: aj.JaggedArray, key: slice) -> None:
    assert_lists_equal(x[key].to_list(), x.to_list()[key])
    assert_lists_equal(x[..., key].to_list(), ref.rows_at(lambda row: row[key], x.to_list(), x.ndim - 1))


@given(jagged_arrays(st.integers(1, 3)), st.data())
def test_every_leaf_type_is_taken_by_rows(x: aj.JaggedArray, data: st.DataObject) -> None:
    n = len(x)
    entries = data.draw(st.lists(st.none() | st.integers(-n, n - 1) if n else st.none(), max_size=4))
    expected = [None if one is None else x.to_list()[one] for one in entries]
    assert_lists_equal(x[pa.array(entries, pa.int8())].to_list(), expected)
    flags = data.draw(st.lists(st.booleans() | st.none(), min_size=n, max_size=n))
    kept = [row for row, flag in zip(x.to_list(), flags, strict=True) if flag]
    assert_lists_equal(x[pa.array(flags, pa.bool_())].to_list(), kept)


@given(jagged_arrays(st.integers(1, 3), pa.int8()))
def test_rows_one_by_one_are_the_list(x: aj.JaggedArray) -> None:
    assert [as_list(row) for row in x] == x.to_list()


@given(jagged_arrays(st.integers(1, 3), pa.int8()), bounds, bounds, bounds, bounds)
def test_slices_of_slices_are_those_of_the_list(x: aj.JaggedArray, a: Any, b: Any, c: Any, d: Any) -> None:
    """The values of a slice are cut where they are read."""
    rows = x.to_list()
    part = x[a:b]
    assert (part.type, part.ndim) == (x.type, x.ndim)
    whole = part[c:d]
    assert_lists_equal(whole.to_list(), rows[a:b][c:d])
    assert len(whole.values) == whole.size
    assert_lists_equal(part[c:d].reshape(-1).to_list(), whole.values.to_pylist())
    assert_lists_equal(part.to_list(), rows[a:b])


def test_slices_of_slices_of_rows_of_rows() -> None:
    rows = [[[1], [2, 3]], [[4, 5, 6]], [[], [7]], None, [[8], [9]]]
    part = aj.array(rows)[1:]
    for start in range(5):
        for stop in range(start, 5):
            assert part[start:stop].to_list() == rows[1:][start:stop]


@pytest.mark.parametrize("rows", [[[1, 2, 3]], [[]], [None], [[None, 4]]], ids=repr)
def test_an_item_of_one_row(rows: list[Any]) -> None:
    x, row = aj.array(rows, type=pa.int64(), ndim=2), rows[0] or []
    for item in range(-4, 5):
        found = row[item] if -len(row) <= item < len(row) else None
        assert x.S[item].to_list() == [found]
        assert as_list(aj.array(row, type=pa.int64()).S[item]) == found
        assert aj.array([[9, 8], *rows], type=pa.int64())[1:].S[item].to_list() == [found]


def test_slices_of_declared_extents_with_null_rows() -> None:
    rows = [None, [1, 2], [3, 4], None, [5, 6]]
    x = aj.array(pa.array(rows, pa.list_(pa.int64(), 2)))
    for start in range(5):
        for stop in range(start, 6):
            assert x[start:stop].to_list() == rows[start:stop]
            assert x[start:stop].shape.extents[1] == 2


@pytest.mark.parametrize("key", numpy_keys(), ids=repr)
def test_dense_arrays_are_indexed_as_numpy_does(key: Any) -> None:
    dense = np.arange(4 * 3 * 3).reshape(4, 3, 3)
    assert as_list(aj.array(dense)[key]) == dense[key].tolist()


@pytest.mark.parametrize("key", [(0, slice(None), [0, 1]), (slice(None), [0, 1], slice(None), [0, 1])], ids=repr)
def test_separated_index_arrays_are_refused_where_numpy_would_reorder(key: Any) -> None:
    with pytest.raises(IndexError, match="two steps"):
        aj.array(np.zeros((2, 2, 2, 2)))[key]


def test_a_single_jagged_array_of_integers_takes_within_rows_and_gathers_in_a_tuple() -> None:
    x = aj.array([[0, 1], [2, 3, 4]])
    j = aj.array([[0], [1, 0]])
    assert x[j].to_list() == [[0], [3, 2]]
    assert x[[[0], [1, 0]]].to_list() == [[0], [3, 2]]
    assert x[(j,)].to_list() == [[[0, 1]], [[2, 3, 4], [0, 1]]]


def test_a_single_jagged_mask_filters_and_a_shorter_one_is_spread() -> None:
    x = aj.array([[[1, 2], [3]], [[4]], []])
    assert x[x > 2].to_list() == [[[], [3]], [[4]], []]
    assert x[aj.array([[True, None], [False], []])].to_list() == [[[1, 2], []], [[]], []]
    assert x[[True, False, True]].to_list() == [[[1, 2], [3]], []]


def test_bounds_may_differ_from_row_to_row() -> None:
    x = aj.arange(3, [2, 3, 1])
    assert x[:, : [1, 2, 1]].to_list() == [[0], [2, 3], [5]]
    assert x[:, : aj.dims.Affine(0, 3, 1)].to_list() == [[], [2], [5]]
    assert x[:, aj.array([1, -1, None]) :].to_list() == [[1], [4], None]
    assert x[:, : (1, 3, 0)].to_list() == [[0], [2], [5]]
    with pytest.raises(aj.ShapeError, match=r"a bound: .* is not a prefix of"):
        x[:, : [1, 2]]


def test_bounds_of_an_outer_dim_reach_the_inner_rows() -> None:
    x = aj.array([[[1, 2], [3, 4]], [[5, 6]]])
    assert x[:, :, [1, 0] :].to_list() == [[[2], [4]], [[5, 6]]]
    assert x[:, :, aj.array([[0, 1], [2]]) :].to_list() == [[[1, 2], [4]], [[]]]


def test_a_null_row_gives_null() -> None:
    assert X[2].as_py() is None
    assert X[2].type == pa.large_list(pa.int64())
    assert X[2, 1:].as_py() is None
    assert X[2, 0].as_py() is None
    assert X[[0, 2], [0, 5]].to_list() == [1, None]
    assert X[:, None].to_list() == [[[1, 2, 3]], [[]], [None], [[4, 5]]]
    assert X[:, []].to_list() == [[], [], None, []]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (4, "index 4 is out of range for the frame, which has 4 items at dim 0"),
        (-5, "index -5 is out of range for the frame"),
        ((slice(None), 0), r"index 0 is out of range for row 1, which has 0 items at dim 1; x\.S\[\.\.\.\] gives null there"),
        (([0, 3], [2, 2]), "index 2 is out of range for row 3, which has 2 items at dim 1"),
        ((0, 0, 0), "too many indices for an array of 2 dims, got 3"),
        ((..., ...), "only one ellipsis"),
        ([True], "the mask has 1 entry, the array has 4 rows"),
        ((slice(None), [True, True]), "the mask has 2 entries, row 0 has 3 items at dim 1"),
        (([[True]], 0), "must be the only index"),
    ],
)
def test_errors_name_the_row(key: Any, text: str) -> None:
    with pytest.raises(aj.JagIndexError, match=text):
        X[key]


def test_errors_name_the_path_of_a_deep_row() -> None:
    with pytest.raises(IndexError, match=r"row \[1\]\[0\], which has 1 item at dim 2"):
        aj.array([[[1, 2]], [[3], [4, 5]]])[:, :, 1]


@pytest.mark.parametrize("key", [1.0, True, b"a", np.array([1.5]), [1.0], (slice(None), "a"), slice(1.5), np.True_], ids=repr)
def test_an_invalid_index_is_a_type_error(key: Any) -> None:
    with pytest.raises(TypeError, match=r"an index (array )?must (be an int, a slice or an array|hold integers or booleans)|bound"):
        X[key]


def test_a_step_of_0_is_refused() -> None:
    with pytest.raises(ValueError, match="step"):
        X[::0]


def test_neighbouring_rows_share_their_values() -> None:
    x = aj.array([[1, 2], [3], [4, 5, 6]])
    address = x.values.buffers()[1].address
    for part in (x[1:], x[0], x[2, 1:], x[...], x[:, :], x[1:2]):
        assert part.values.buffers()[1].address == address
    assert x[2, 1:].to_list() == [5, 6]


def test_extents_follow_from_types_and_int_bounds() -> None:
    x = aj.array(np.zeros((4, 3, 2)))
    assert x[1:].shape.extents[1:] == (3, 2)
    assert x[[0, 1]].shape.extents[1:] == (3, 2)
    assert x[np.array([True, False, True, False])].shape.extents[1:] == (3, 2)
    assert x[:, 1:].shape.extents[1:] == (2, 2)
    assert x[:, ::-2].shape.extents[1:] == (2, 2)
    assert x[:, :, 5:].shape.extents[1:] == (3, 0)
    assert x[:, None].shape.extents[1:] == (1, 3, 2)
    assert x[:, [0, 2]].shape.extents[1:] == (2, 2)
    assert x[:, : [1, 2, 1, 0]].shape.extents[1:] == (None, 2)
    assert x[:0, 1:].shape.extents[1:] == (2, 2)


def test_sequences_with_every_position_are_not_iterated() -> None:
    """A loop over places would never end."""
    series = [X.to_pandas(), X.to_polars("v"), pl.Series([1, 2]), pl.col("v")]
    for endless in (X.S, pl.col("v").jag, *(one.jag.S for one in series)):
        with pytest.raises(TypeError, match="not iterable"):
            iter(endless)
        with pytest.raises(TypeError, match=r"not (iterable|a container or iterable)"):  # the second since Python 3.14
            assert 1 in endless
    with pytest.raises(aj.JagTypeError, match="no values outside of a query"):
        aj.array(pl.col("v").jag)
    assert len(list(X)) == len(list(X.to_polars("v").jag)) == len(X)


LOOKED_UP: dict[str, Any] = {
    "x[i]": lambda x, index: x[index] + 1,
    "x.S[i]": lambda x, index: x.S[index] + 1,
    "x.S[..., i]": lambda x, index: x.S[..., index] + 1,
    "take": lambda x, index: x.take(index) + 1,
    "searchsorted": lambda x, index: x.searchsorted(index * 10 + 10) * 10 + 11,
}
"""Calls that look up the items of jagged rows in the rows of a flat column; on arrays their results are equal."""


@pytest.mark.parametrize("name", LOOKED_UP)
def test_positions_in_rows_of_a_flat_column_are_rows_of_the_whole_frame(name: str) -> None:
    """Blocks of rows, and batches of a stream, have other rows at these positions."""
    x, index = aj.array([10, 20, 30, 40]), aj.array([[0, 1], [1], None, [0, 0]])
    expected, function = [[11, 21], [21], None, [11, 11]], LOOKED_UP[name]
    assert function(x, index).to_list() == expected
    with aj.options(compile="never"), strategy.force(JIT_VALUES=0, JIT_CALLS=0, JIT_SHARE=0, JIT_BLOCK=2):
        assert aj.jit(function)(x, index).to_list() == expected
    df = pl.DataFrame({"x": x.to_polars(), "index": index.to_polars()})
    lazy = pl.concat([df[:2], df[2:]], rechunk=False).lazy().select(function(pl.col("x").jag, pl.col("index").jag))
    for engine in ("in-memory", "streaming"):
        assert lazy.collect(engine=engine).to_series().to_list() == expected
    labels = list("abcd")
    found = function(x.to_pandas(index=labels).jag, index.to_pandas(index=labels).jag)
    assert found.jag.to_list() == expected
    assert list(found.index) == (labels if name.startswith("x") else [0, 1, 2, 3])  # arguments are no rows of the same labels


def test_arguments_that_are_looked_up_in_all_rows_are_not_aligned_by_pandas() -> None:
    x, index = aj.array([10, 20]).to_pandas(), aj.array([[0, 1], [1], []]).to_pandas(index=list("abc"))
    assert x.jag.take(index).jag.to_list() == [[10, 20], [20], []]
    assert x.jag.searchsorted(index).jag.to_list() == [[0, 0], [0], []]


def test_empty_arrays_of_numpy_are_positions_and_fractions_are_none() -> None:
    """``np.array([])`` has the dtype float64."""
    x = aj.array([[1], [2, 3]])
    for key in (np.array([]), np.array([], "i4"), np.array([], object), []):
        for found in (x[key], x[:, 0][key], x[key, :1]):
            assert found.to_list() == []
    for wrong in (np.array([0.5]), np.array([0.0]), aj.array([[0.0], [1.0]])):
        with pytest.raises(aj.JagTypeError, match="an index array must hold integers or booleans, got double"):
            x[wrong]
