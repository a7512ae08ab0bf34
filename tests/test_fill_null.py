"""fill_null."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values
from arrowjag.testing._leaves import leaf_arrays
from tests import reference as ref
from tests.operands import assert_same, same_leaves

depths = st.integers(1, 3)


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
