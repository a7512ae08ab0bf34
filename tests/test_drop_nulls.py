"""drop_nulls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.testing import assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.along import single_axis


@given(st.data())
def test_drop_nulls_of_every_type_at_every_axis(data: st.DataObject) -> None:
    x = data.draw(jagged_arrays(st.integers(1, 3)))
    axis = data.draw(single_axis(x.ndim))
    got = x.drop_nulls(axis)
    assert got.type == x.type
    assert got.shape.extents[axis % x.ndim] is None or axis % x.ndim == 0
    assert_lists_equal(got.to_list(), ref.drop_nulls(x.to_list(), x.ndim, axis), rel_tol=0, abs_tol=0)


def test_values_without_nulls_are_shared() -> None:
    x = aj.array([[1, 2], None, [3]])
    assert x.drop_nulls().values is x.values
    assert aj.array([[1, None], [None]]).drop_nulls(axis=None).to_list() == [1]


@pytest.mark.parametrize("dtype", ["float64", "int16", "bool", "string"])
def test_bits_of_nulls_are_counted_and_filtered_by_as_they_are(dtype: str) -> None:
    pytest.importorskip("numba")
    lists = [[k % 3 if (k + n) % 5 else None for k in range(n)] for n in (3, 0, 70, 200, 8)] + [None]
    x = aj.array(lists).cast(dtype)
    with aj.options(compile="always"):
        for first in (0, 2, 3):  # whose first item may begin inside of a byte
            wanted = [row and [item for item in row if item is not None] for row in x[first:].to_list()]
            for way in ("polars", "arrow"):
                with strategy.force(COMPILED_VALUES=0, filter=way):
                    got = x[first:].drop_nulls()
                got.to_arrow(extension=False).validate(full=True)
                assert_lists_equal(got.to_list(), wanted, rel_tol=0, abs_tol=0)
