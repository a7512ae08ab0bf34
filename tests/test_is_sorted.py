"""is_sorted."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import ORDERED, any_axis, as_list


@given(st.data())
def test_is_sorted_agrees_with_the_oracle_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3), leaf_types(*ORDERED), small=True, max_size=3))
    axis, descending = data.draw(any_axis(x.ndim)), data.draw(st.booleans())
    f = ref.of_valid(lambda row: ref.is_sorted(row, descending=descending))
    assert_lists_equal(as_list(x.is_sorted(descending, axis)), ref.reduce(f, x.to_list(), x.ndim, axis, x.shape.extents))


@given(jagged_arrays(2, leaf_types(*ORDERED)), st.booleans())
def test_results_of_sort_are_sorted(x: aj.JaggedArray, descending: bool) -> None:
    assert False not in x.sort(descending=descending).is_sorted(descending).to_list()


@pytest.mark.parametrize("block", range(1, 10))
def test_items_in_several_blocks(block: int) -> None:
    x = aj.array([[1.0, 2.0, 3.0], [3.0, 3.0, 4.0, 2.0], [], [math.nan, 1.0], [0.0, 5.0]])
    with strategy.force(PASS_VALUES=block):
        assert x.is_sorted().to_list() == [True, False, None, False, True]
        assert x.is_sorted(descending=True).to_list() == [False, False, None, False, False]


def test_nan_nulls_and_empty_rows() -> None:
    x = aj.array([[1.0, math.nan], [math.nan, 1.0], [2.0, None, 1.0], [None], [], None])
    assert x.is_sorted().to_list() == [True, False, False, None, None, None]
    assert x.is_sorted(descending=True).to_list() == [True, False, True, None, None, None]
    with pytest.raises(JagTypeError, match=r"is_sorted: descending must be a bool"):
        x.is_sorted(1)
    with pytest.raises(JagTypeError, match=r"is_sorted .*interval"):
        aj.array([[(1, 2, 3)]], type=pa.month_day_nano_interval(), ndim=2).is_sorted()
