"""combinations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import any_axis, grouped

EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@given(st.data())
def test_combinations_of_every_type_at_every_axis(data: st.DataObject) -> None:
    ndim, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim))
    flat, first = grouped(x.to_list(), ndim, axis)
    got = x.combinations(n, axis)
    assert got.shape.extents[first + 1] == n
    assert_lists_equal(got.to_list(), ref.combinations(flat, first + 1, n), **EXACT)


def test_refused_arguments() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match="n must be at least 1, got 0"):
        x.combinations(0)
    with pytest.raises(JagTypeError, match="n must be an int, got float"):
        x.combinations(2.0)
    with pytest.raises(JagOverflowError, match="combinations"):
        aj.zeros(1, 200).combinations(60)
    with pytest.raises(ShapeError, match="pairs"):
        x.pairs([[1], [2]])
    with pytest.raises(ShapeError, match="the same number of dims"):
        x.pairs([1])


@given(sizes=st.lists(st.integers(0, 7), max_size=6), n=st.integers(1, 4))
def test_few_choices_are_those_of_many(sizes: list[int], n: int) -> None:
    """Item by item or by tables of slots."""
    x = aj.from_sizes(list(range(sum(sizes))), sizes)
    few = x.combinations(n)
    with strategy.force(combinations="lengths"):
        many = x.combinations(n)
    assert few.equals(many)


@pytest.mark.parametrize("rows", [[300], [301, 5, 300, 302]])
def test_nearly_all_items_of_long_rows(rows: list[int]) -> None:
    x = aj.from_sizes(list(range(sum(rows))), rows)
    assert x.combinations(300).to_list() == ref.combinations(x.to_list(), 2, 300)
    assert x.argcombinations(300).to_list() == ref.argcombinations(x.to_list(), 2, 300)


def test_the_number_of_combinations_is_not_computed_where_it_has_many_digits() -> None:
    x = aj.zeros(1, 2**40)
    for call in (x.combinations, x.argcombinations):
        with pytest.raises(JagOverflowError, match=r"combinations of 549755813888 of 1099511627776 items don't fit into memory"):
            call(2**39)


def test_more_items_than_any_row_has_give_none_at_once() -> None:
    x = aj.array([[1, 2], [3]])
    for found in (x.combinations(10**6), x.argcombinations(10**6)):
        assert found.shape == aj.JaggedShape(2, 0, 10**6)
