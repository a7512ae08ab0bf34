"""contains."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, leaf_values
from tests import reference as ref
from tests.along import any_axis
from tests.operands import with_frame
from tests.reference import Jag

ndims = st.integers(1, 3)


@pytest.mark.parametrize("kind", ["int", "float", "string", "date", "decimal", "bool", "timestamp", "dictionary"])
@given(st.data())
def test_contains_a_scalar_at_every_axis(kind: str, data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(any_axis(ndim))
    leaf = data.draw(leaf_types(kind))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    value = data.draw(st.none() | leaf_values(leaf.value_type if pa.types.is_dictionary(leaf) else leaf, small=True))
    scalar = pa.scalar(value, leaf.value_type if pa.types.is_dictionary(leaf) else leaf)
    wanted = scalar.as_py()
    holds = lambda leaves: None if wanted is None else ref.key(wanted) in [ref.key(v) for v in leaves if v is not None]  # noqa: E731
    got = x.contains(scalar, axis)
    expected = ref.reduce(holds, x.to_list(), ndim, axis, x.shape.extents)
    assert_lists_equal(got.as_py() if isinstance(got, pa.Scalar) else got.to_list(), expected)


@given(st.data())
def test_contains_one_value_or_several_a_row(data: st.DataObject) -> None:
    ndim, more = data.draw(st.integers(2, 3)), data.draw(st.integers(-1, 1))
    x, v = with_frame(data, ndim, ndim - 1 + more, pa.float64())
    got = x.contains(v)
    assert_lists_equal(got.to_list(), ref.contains(Jag(x.to_list(), ndim), Jag(v.to_list(), v.ndim)))


@pytest.mark.parametrize("size", [63, 64, 65, 129, 300])
def test_long_rows(size: int, with_and_without_loops: str) -> None:
    """A compiled loop skips many items at a time, from the end of the row."""
    places = [0, 1, size - 65, size - 64, size // 2, size - 1]
    rows: list[list[Any]] = [[0.5] * size for _ in range(2 * len(places) + 1)]
    for row, place in enumerate(places):
        rows[row][max(place, 0)] = 7.0
        rows[len(places) + row][max(place, 0)] = None
    x = aj.array([*rows, None, []])
    assert x.contains(7.0).to_list() == [*[True] * 6, *[False] * 7, None, False]
    assert x.fill_null(math.nan).contains(math.nan).to_list() == [*[False] * 6, *[True] * 6, False, None, False]
    assert x.cast("int8", safe=False).contains(7).to_list() == [*[True] * 6, *[False] * 7, None, False]


def test_in_looks_among_the_items_of_one_dim() -> None:
    x = aj.array([1, 2, None])
    assert 2 in x
    assert 2.0 in x
    assert pa.scalar(2) in x
    assert None in x
    assert 3 not in x
    assert None not in x[:2]
    assert 1 not in aj.array([], type=pa.int64())
    assert "b" in aj.array([["a"], ["b"]]).flatten().cast(pa.dictionary(pa.int32(), pa.string()))
    assert 1 not in aj.array([math.nan])
    assert {"a": 1} in aj.array([{"a": 1}])


@pytest.mark.parametrize(("rows", "sought"), [([[1, 2], [3]], 3), ([[1, 2], [3]], [3]), ([1, 2], [1])])
def test_in_of_several_dims_or_values_is_refused(rows: Any, sought: Any) -> None:
    with pytest.raises(JagTypeError, match=r"`in` takes one value and an array of 1 dim, got .*; x\.contains\(v\)"):
        sought in aj.array(rows)  # noqa: B015
