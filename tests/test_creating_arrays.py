"""array, from_arrow, from_sizes, from_parents, from_offsets, arange, zeros, full and random."""

from __future__ import annotations

import itertools
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays
from arrowjag.testing.strategies import array_of
from tests import reference as ref

SIZES = st.lists(st.integers(0, 3), max_size=4)


@st.composite
def two_dims(draw: st.DrawFn) -> list[list[int]]:
    """Sizes of the rows of two dims."""
    outer = draw(SIZES)
    inner = draw(st.lists(st.integers(0, 3), min_size=sum(outer), max_size=sum(outer)))
    return [outer, inner]


def nested(values: list[Any], sizes: list[list[int]]) -> Any:
    return ref.from_shape(values, [[len(sizes[0])], *sizes])


@given(two_dims())
def test_sizes_offsets_and_parents_make_the_same_array(sizes: list[list[int]]) -> None:
    values = list(range(sum(sizes[1])))
    flat = pa.array(values, pa.int64())
    expected = nested(values, sizes)
    assert aj.from_sizes(flat, *sizes).to_list() == expected
    assert aj.from_offsets(flat, *([0, *itertools.accumulate(one)] for one in sizes)).to_list() == expected
    parents = [row for row, size in enumerate(sizes[1]) for _ in range(size)]
    assert aj.from_parents(flat, parents, len(sizes[1])).to_list() == ref.from_shape(values, [[len(sizes[1])], sizes[1]])


@given(two_dims())
def test_made_of_a_shape(sizes: list[list[int]]) -> None:
    shape = aj.JaggedShape(len(sizes[0]), *sizes)
    n = sum(sizes[1])
    assert aj.arange(shape, start=3).to_list() == nested([*range(3, n + 3)], sizes)
    assert aj.zeros(shape).to_list() == nested([0.0] * n, sizes)
    assert aj.full(shape, "a").to_list() == nested(["a"] * n, sizes)
    numbers = aj.random(shape, seed=1)
    assert ref.random(numbers.to_list(), 3)
    assert numbers.shape == shape
    assert numbers.equals(aj.random(shape, seed=1))


@given(jagged_arrays(st.integers(1, 3)))
def test_data_round_trips(x: aj.JaggedArray) -> None:
    expected = ref.itself(x.to_list())
    assert_lists_equal(aj.from_arrow(x.to_arrow()).to_list(), expected, rel_tol=0, abs_tol=0)
    assert_lists_equal(array_of(expected, x.type, x.ndim).to_list(), expected, rel_tol=0, abs_tol=0)
