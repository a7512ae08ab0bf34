"""fill_null."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values, prefix_arrays
from arrowjag.testing._leaves import leaf_arrays
from tests import reference as ref

depths = st.integers(1, 3)


def as_list(result: Any) -> Any:
    return result.as_py() if isinstance(result, pa.Scalar) else result.to_list()


def outcome(function: Any) -> Any:
    """What a call gives, or that shapes don't fit: where one operand has a null row, the others' rows need not agree."""
    try:
        return function()
    except ValueError:
        return "ValueError"


def assert_same(ours: Any, oracle: Any) -> None:
    assert_lists_equal(outcome(lambda: as_list(ours())), outcome(oracle))


def same_leaves(count: int, ndims: st.SearchStrategy[int] = depths) -> st.SearchStrategy[Any]:
    """Arrays of any one leaf type that fit each other."""
    shapes = st.lists(ndims, min_size=count, max_size=count)
    return st.tuples(shapes, leaf_types()).flatmap(lambda pair: prefix_arrays(pair[0], pair[1], allow_nan=False))


@given(st.data())
def test_fill_null_by_a_scalar_keeps_null_rows(data: st.DataObject) -> None:
    leaf = data.draw(leaf_types())
    x = data.draw(jagged_arrays(depths, leaf, allow_nan=False))
    scalar = leaf_arrays([data.draw(leaf_values(leaf, allow_nan=False))], leaf, [])[0]
    assert_lists_equal(x.fill_null(scalar).to_list(), ref.fill_null(x.to_list(), x.ndim, scalar.as_py()))


@given(same_leaves(2))
def test_fill_null_is_coalesce(pair: tuple[aj.JaggedArray, ...]) -> None:
    x, filler = pair
    assert_same(lambda: x.fill_null(filler), lambda: aj.coalesce(x, filler).to_list())
