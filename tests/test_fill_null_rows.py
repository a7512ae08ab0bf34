"""fill_null_rows."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref


def test_null_rows_are_filled_from_rows_or_from_one_row() -> None:
    x = aj.array([[1], None, [2, None]])
    assert x.fill_null_rows([]).to_list() == [[1], [], [2, None]]
    assert x.fill_null_rows([7, 8]).to_list() == [[1], [7, 8], [2, None]]
    assert x.fill_null_rows([[], [0.5], None]).to_list() == [[1], [0.5], [2, None]]
    deep = aj.array([[[1], None], None])
    assert deep.fill_null_rows([[5]]).to_list() == [[[1], None], [[5]]]
    assert deep.fill_null_rows([5], axis=1).to_list() == [[[1], [5]], None]
    assert aj.array([1, None]).fill_null_rows(3).to_list() == [1, 3]
    with pytest.raises(ValueError, match=r"must have the rows of JaggedShape\(3, \[1, 0, 2\]\), or be one row for all, of 1 dim"):
        x.fill_null_rows([[1], [2]])


def test_an_empty_list_is_an_empty_row_of_any_number_of_dims() -> None:
    x = aj.array([[[1], None], None, []])
    assert x.fill_null_rows([]).to_list() == [[[1], None], [], []]
    assert x.fill_null_rows([], axis=1).to_list() == [[[1], []], None, []]
    assert x[:1].fill_null_rows([]).to_list() == [[[1], None]]
    pairs = aj.from_arrow(pa.array([[[[1, 2]] * 3], None, [None]], pa.list_(pa.list_(pa.list_(pa.int64(), 2), 3))))
    assert pairs.fill_null_rows([]).to_list() == [[[[1, 2]] * 3], [], [None]]
    for part in (pairs, pairs[:1], pairs[:0]):
        assert part.fill_null_rows([]).shape.extents == (None, None, 3, 2)
        assert part.fill_null_rows([], axis=1).shape.extents == (None, None, None, 2)
    with pytest.raises(ValueError, match="must have the rows"):
        x.fill_null_rows([], axis=2)


@given(st.tuples(st.integers(1, 2), leaf_types()).flatmap(lambda p: prefix_arrays((p[0] + 1, p[0] + 1), p[1], null_rows=True)))
def test_null_rows_come_from_the_other_array(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, other = pair
    assert_lists_equal(x.fill_null_rows(other).to_list(), ref.fill_null_rows(x.to_list(), other.to_list(), x.ndim))


def test_the_operands_alone_decide_what_is_refused_and_declared() -> None:
    full = aj.from_arrow(pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)))
    lacking = aj.from_arrow(pa.array([[1, 2], None], pa.list_(pa.int64(), 2)))
    for x in (full, lacking, full[:0]):
        assert x.fill_null_rows([5, 6]).shape.extents == (None, None)
        assert x.fill_null_rows(full[: len(x)]).shape.extents == (None, 2)
        with pytest.raises(ValueError, match="must have the rows"):
            x.fill_null_rows([[1], [2], [3]])
    with pytest.raises(ValueError, match="must have the rows"):
        full.fill_null_rows(aj.array([1, 2, 3]).unsqueeze(-1).unsqueeze(-1))
