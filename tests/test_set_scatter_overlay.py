"""set, scatter and overlay: one rule in three ways of evaluating it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import jagged_arrays
from tests import reference as ref


@st.composite
def assignments(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """An array of any leaf type, a jagged mask or row slice, and values of the index's shape."""
    x = draw(jagged_arrays(st.integers(1, 3)))
    if draw(st.booleans()):
        flags = draw(st.lists(st.booleans(), min_size=x.size, max_size=x.size))
        index: Any = aj.JaggedArray(x.shape, np.array(flags, bool))
    else:
        index = slice(draw(st.integers(-4, 4)), draw(st.integers(-4, 4)), draw(st.sampled_from([1, 2, -1])))
    target = x[index]
    order = draw(st.permutations(range(x.size)))[: target.size]
    leaves = x.flatten()[np.array(order, np.int64)].values
    return x, index, aj.JaggedArray(target.shape, leaves)


def plain(index: Any) -> Any:
    return ref.Jag(index.to_list(), index.ndim) if isinstance(index, aj.JaggedArray) else index


@given(assignments())
def test_set_scatter_and_overlay_agree_with_the_oracle(case: tuple[Any, Any, Any]) -> None:
    x, index, values = case
    expected = ref.set_items(x.to_list(), x.ndim, plain(index), ref.Jag(values.to_list(), values.ndim))
    assert_lists_equal(x.set(index, values).to_list(), expected)
    assert_lists_equal(aj.scatter(x, index, values).to_list(), expected)
    overlay = aj.overlay(x, index, values)
    assert_lists_equal(overlay.to_list(), expected)
    assert overlay.shape is x.shape
    assert overlay.index is index
    assert (overlay.dest.to_list(), overlay.values.to_list()) == (x.to_list(), values.to_list())
    assert_lists_equal(overlay[index].to_list(), aj.array(overlay.materialize())[index].to_list())


def test_a_prefix_of_the_index_is_spread() -> None:
    x = aj.arange(2, [2, 3])
    assert x.set(slice(None), [10, 20]).to_list() == [[10, 10], [20, 20, 20]]
    assert x.set((slice(None), 0), 9).to_list() == [[9, 1], [9, 3, 4]]


def test_types_are_promoted_and_python_numbers_are_weak() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.set((0, 0), 7).type == x.type
    assert x.set((0, 0), 1.5).to_list() == [[1.5, 2.0], [3.0]]
    assert x.set((0, 0), None).to_list() == [[None, 2], [3]]


def test_repeated_positions_are_named_in_the_error() -> None:
    x = aj.arange(3, 3)
    with pytest.raises(aj.JagValueError, match=r"1 repeated positions; the first are at \(2, 1\)"):
        x.set(([2, 2], [1, 1]), aj.array([7, 8]))
    with pytest.raises(aj.JagValueError, match=r"\(2, 1\)"):
        aj.overlay(x, ([2, 2], [1, 1]), aj.array([7, 8]))


def test_set_skips_null_rows() -> None:
    x = aj.array([[1], None, [2, 3]])
    assert x.set(slice(None), 0).to_list() == [[0], None, [0, 0]]


@pytest.mark.parametrize("index", [1, -2, (1, slice(None)), (1, slice(0, 2), 0), (0, 1), (0, 1, slice(None)), (1, 0)])
def test_a_null_row_that_the_index_selects_has_no_items(index: Any) -> None:
    x = aj.array([[[1, 2], None], None, [[3]]])
    null = x[index]
    for values in (9, None, aj.array([7, 8]), aj.array([], type="int64")):
        operand = plain(values) if isinstance(values, aj.JaggedArray) else ref.Jag(values, 0)
        expected = x.to_list() if operand.ndim else ref.set_items(x.to_list(), 3, index, operand)
        assert x.set(index, values).to_list() == aj.scatter(x, index, values).to_list() == expected == x.to_list()
        assert aj.overlay(x, index, values).to_list() == expected
    found = aj.overlay(x, 0, 0)[index]
    assert (found.is_valid, found.type) == (False, null.type)
    assert x.set(index, 0.5).type == pa.float64()
    with pytest.raises(aj.ShapeError, match="don't fit the index"):
        x.set(index, aj.array([[[7]]]))


def test_sparse_formats_are_overlays() -> None:
    dense = np.array([[0, 5, 0], [0, 0, 0], [7, 0, 9]])
    rows, columns = dense.nonzero()
    coo = aj.overlay(aj.zeros(3, 3, type=aj.array([0]).type), (rows, columns), aj.array(dense[rows, columns]))
    assert coo.to_list() == dense.tolist()
    in_rows = aj.from_sizes(columns, np.bincount(rows, minlength=3))
    csr_values = aj.from_sizes(dense[rows, columns], np.bincount(rows, minlength=3))
    csr = aj.overlay(aj.zeros(3, 3, type=aj.array([0]).type), (csr_values.image()[0], in_rows), csr_values)
    assert csr.to_list() == dense.tolist()
    assert csr[2, 0].as_py() == 7
    assert csr[1].to_list() == [0, 0, 0]


def test_an_overlay_on_a_huge_constant_stays_small_until_read() -> None:
    fill = aj.zeros(10, 5)
    overlay = aj.overlay(fill, (3, 2), aj.array(1.0))
    assert overlay[3].to_list() == [0, 0, 1, 0, 0]
    assert fill.nbytes < 100
    assert "1 of 50 places" in repr(overlay)


@pytest.mark.parametrize("type", [pa.float64(), pa.bool_(), pa.string(), pa.decimal128(12, 2)], ids=str)
def test_many_positions_in_any_order(type: pa.DataType) -> None:
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 8, 3000)
    n = int(sizes.sum())
    plain = pa.array(rng.integers(0, 2, n))
    leaves = plain.cast(pa.int8()).cast(type)
    x = aj.JaggedArray(aj.JaggedShape(len(sizes), sizes.tolist()), leaves)
    order = rng.permutation(n)
    places = tuple(index.values.to_numpy()[order].copy() for index in x.image())
    from_end = places[1] - sizes[places[0]]
    y = aj.JaggedArray(aj.JaggedShape(n), leaves.take(pa.array(order[::-1].copy())))
    wanted = np.empty(n, np.int64)
    wanted[order] = order[::-1]
    expected = leaves.take(pa.array(wanted)).to_pylist()
    for index in (places, (places[0], from_end), tuple(one.astype(np.int32) for one in places)):
        assert x[index].values.to_pylist() == leaves.take(pa.array(order)).to_pylist()
        assert x.set(index, y).values.to_pylist() == expected
        assert aj.overlay(x, index, y).materialize().values.to_pylist() == expected
    some = (places[0][:5000], places[1][:5000])
    assert x.set(some, None).values.null_count == 5000
    with pytest.raises(aj.JagIndexError, match=f"index 9 is out of range for row {places[0][17]}, which has"):
        x[places[0], np.where(np.arange(n) == 17, 9, places[1])]
    with pytest.raises(aj.JagValueError, match="1 repeated positions"):
        x.set(
            (np.append(places[0], places[0][:1]), np.append(places[1], places[1][:1])),
            aj.JaggedArray(aj.JaggedShape(n + 1), pa.concat_arrays([leaves, leaves[:1]])),
        )


def test_an_item_below_that_does_not_fit_is_named_when_it_is_read() -> None:
    overlay = aj.overlay(aj.array([[1], [2**64 - 1]], type=pa.uint64()), (0, 0), aj.array(1.5))
    assert overlay[0].to_list() == [1.5]
    for read in (overlay.to_list, lambda: overlay[1], lambda: overlay[1, 0]):
        with pytest.raises(aj.JagValueError, match="overlay: row 1 holds 18446744073709551615, which float64"):
            read()


def test_an_array_without_dims() -> None:
    x = aj.array(3.0)
    assert x.set((), 1.0).as_py() == x.set(..., 1.0).as_py() == 1.0
    with pytest.raises(aj.JagIndexError, match="too many indices for an array of 0 dims, got 1"):
        x.set(0, 1.0)


def test_ordered_categories_stay_ordered() -> None:
    x = aj.from_sizes(pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), ["z", "a"], ordered=True), [2, 1])
    for values, expected in (("z", ["z", "z"]), (None, [None, None]), (["a", None], ["a", None])):
        got = x.set((slice(None), 0), values)
        assert got.type == x.type
        assert got.to_list() == [[expected[0], "a"], [expected[1]]]
    with pytest.raises(aj.JagValueError, match=r"set: 'q' is not one of the ordered categories \['z', 'a'\]"):
        x.set((slice(None), 0), "q")


def test_arrays_of_other_libraries_hold_the_combined_items() -> None:
    overlay = aj.overlay(aj.array([[1, 2], [3]]), (0, 1), aj.array(9))
    assert aj.array(overlay).equals(overlay.materialize())
    assert pa.array(overlay).to_pylist() == [[1, 9], [3]]
    dense = aj.overlay(aj.zeros(2, 2), (0, 1), aj.array(9))
    assert np.array_equal(np.asarray(dense), [[0, 9], [0, 0]])
    assert np.asarray(dense, np.int8).dtype == np.int8
