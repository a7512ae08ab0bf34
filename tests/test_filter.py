"""filter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal, leaf_types, prefix_arrays
from tests import reference as ref
from tests.compiled_calls import forced
from tests.operands import jag


@given(st.integers(1, 3).flatmap(lambda n: prefix_arrays((n, n), [leaf_types(), pa.bool_()])))
def test_filter_by_a_mask_of_the_same_shape(pair: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    x, mask = pair
    assert_lists_equal(x.filter(mask).to_list(), ref.filter_items(jag(x), jag(mask)))


@given(st.sampled_from([(2, 1), (3, 1), (3, 2)]).flatmap(lambda n: prefix_arrays(n, [pa.int64(), pa.bool_()])))
def test_filter_by_a_shorter_mask(pair: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    x, mask = pair
    assert x.filter(mask).to_list() == ref.filter_items(jag(x), jag(mask))


def test_filter_by_a_scalar_and_by_nulls() -> None:
    v = aj.array([[1, None, 4], [None], [2, 8], None])
    assert v.filter(True).to_list() == v.to_list()
    assert v.filter(False).to_list() == [[], [], [], None]
    assert v.filter(None).to_list() == [[], [], [], None]
    assert v.filter(v > 3).to_list() == [[4], [], [8], None]
    assert v.filter([True, True, None, True]).to_list() == [[1, None, 4], [None], [], None]
    assert aj.array([1, 2, 3]).filter([True, None, False]).to_list() == [1]
    with pytest.raises(aj.ShapeError, match="filter needs rows, got a single value"):
        aj.array(1).filter(True)


def test_filter_drops_the_extent_inside_rows_and_keeps_those_outside() -> None:
    x = aj.array(np.arange(12).reshape(2, 3, 2))
    assert x.filter(x >= 0).shape.extents[1:] == (3, None)


def test_filter_of_many_values_equals_numpy() -> None:
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.int8, np.uint16):
        values = rng.integers(0, 100, 300_000).astype(dtype)
        sizes = np.bincount(rng.integers(0, 30_000, 300_000), minlength=30_000)
        x = aj.from_sizes(values, sizes)
        keep = values % 3 == 0
        left = x.filter(aj.from_sizes(keep, sizes))
        assert np.array_equal(left.values.to_numpy(), values[keep])
        assert np.array_equal(left.shape.dims[1].sizes, np.bincount(x.shape.dims[1].parents[keep], minlength=30_000))


@pytest.mark.parametrize(
    ("mask", "error", "text"),
    [
        ([[1], [0]], aj.JagTypeError, "a mask must hold booleans, got int64"),
        ([[[True]], [[True]]], aj.ShapeError, r"a mask of JaggedShape\(2, 1, 1\) has more dims than the array"),
        ([True], aj.ShapeError, r"JaggedShape\(1\) is not a prefix of JaggedShape\(2, 1\)"),
    ],
)
def test_filter_refuses(mask: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=f"^filter: {text}"):
        aj.array([[1], [2]]).filter(mask)


def test_errors_name_filter() -> None:
    with pytest.raises(aj.JagTypeError, match=r"^filter: a mask must hold booleans, got int64"):
        aj.array([[1], [2]]).filter(aj.array([[1], [0]]))
    with pytest.raises(aj.ShapeError, match=r"^filter: JaggedShape\(2, \[1, 2\]\) is not a prefix of"):
        aj.array([[1], [2]]).filter(aj.array([[True], [True, False]]))


@pytest.mark.parametrize("type", ["bool", "int16", "float64", "timestamp[us]"])
@pytest.mark.parametrize("has_nulls", [False, True])
def test_blocks_of_many_items_lie_side_by_side(type: str, has_nulls: bool) -> None:
    """The compiled loop keeps the items of each block where those of the blocks before it end."""
    rng = np.random.default_rng(2)
    numbers = pa.array(rng.integers(0, 2, 5_000), mask=rng.random(5_000) < 0.2 if has_nulls else None)
    x = aj.from_sizes(numbers.cast("int64" if type != "bool" else "bool").cast(type), np.full(500, 10))
    kept = rng.random(5_000) < 0.4
    mask = aj.from_sizes(kept, np.full(500, 10))
    expected = [item for item, keep in zip(x.flatten().to_list(), kept.tolist(), strict=True) if keep]
    with forced("compiled", "filter", LIGHT_VALUES=0, PASS_VALUES=700):
        found = x.filter(mask)
    assert found.flatten().to_list() == expected
    assert found.lengths().to_list() == kept.reshape(500, 10).sum(axis=1).tolist()
