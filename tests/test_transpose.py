"""transpose against coordinates in Python, with null rows, every leaf type, and on every surface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from arrowjag.testing.strategies import jagged_arrays
from tests import reference as ref
from tests.hosts import pl
from tests.operands import moved


@st.composite
def arrays_and_axes(draw: st.DrawFn, **options: Any) -> tuple[Any, int, int]:
    x = draw(jagged_arrays(st.integers(2, 4), **options))
    axes = st.integers(-x.ndim, x.ndim - 1)
    return x, draw(axes), draw(axes)


def _without_nulls(x: Any) -> Any:
    """The same sizes without null rows: shear speaks of sizes."""
    return aj.arange(aj.JaggedShape(*x.shape.sizes))


@given(arrays_and_axes())
def test_total_transpose_is_that_of_coordinates(case: tuple[Any, int, int]) -> None:
    x, a, b = case
    t, back = moved(lambda: x.transpose(a, b, shear="allow", return_inverse=True))
    expected = ref.transpose(x.to_list(), x.ndim, a, b, shear="allow", extents=x.shape.extents)
    assert_lists_equal(t.to_list(), expected)
    assert_lists_equal([t.values[int(place)].as_py() for place in back], x.values.to_pylist())
    assert t.type == x.type


@given(arrays_and_axes(), st.sampled_from(["fold", "exact"]))
def test_the_guard_is_that_of_coordinates(case: tuple[Any, int, int], rule: str) -> None:
    x, a, b = case
    plain = _without_nulls(x)
    assert plain.transpose_will_shear(a, b, rule) == ref.transpose_will_shear(plain.to_list(), x.ndim, a, b, rule)


@given(arrays_and_axes())
def test_shapes_that_shear_raise(case: tuple[Any, int, int]) -> None:
    x, a, b = case
    if x.transpose_will_shear(a, b):
        with pytest.raises(aj.ShapeError, match="will shear"):
            x.transpose(a, b)
    else:
        assert moved(lambda: x.transpose(a, b)).equals(x.transpose(a, b, shear="allow"))


@given(arrays_and_axes(null_rows=False))
def test_twice_is_the_identity_where_nothing_shears_and_no_row_is_empty(case: tuple[Any, int, int]) -> None:
    x, a, b = case
    low, high = sorted((a % x.ndim, b % x.ndim))
    assume(all(dim.min(default=1) > 0 for dim in x.shape.dims[low : high + 1]))
    assume(not x.transpose_will_shear(a, b))
    assert_lists_equal(x.transpose(a, b).transpose(a, b).to_list(), x.to_list())


@given(st.lists(st.integers(0, 4), min_size=2, max_size=4), st.data())
def test_uniform_shapes_are_numpys(sizes: list[int], data: st.DataObject) -> None:
    a, b = (data.draw(st.integers(-len(sizes), len(sizes) - 1)) for _ in range(2))
    dense = np.arange(np.prod(sizes)).reshape(sizes)
    t = aj.array(dense).transpose(a, b)
    swapped = dense.swapaxes(a, b)
    assert t.to_list() == swapped.tolist()
    assert t.shape == aj.JaggedShape(*swapped.shape)
    order = data.draw(st.permutations(range(len(sizes))))
    assert aj.array(dense).permute(*order).to_list() == dense.transpose(order).tolist()


@given(jagged_arrays(st.integers(3, 4)), st.data())
def test_inner_dims_move_row_by_row_on_every_surface(x: Any, data: st.DataObject) -> None:
    a, b = (data.draw(st.integers(1, x.ndim - 1)) for _ in range(2))
    expected = moved(lambda: x.transpose(a, b, shear="allow")).to_list()
    cut = data.draw(st.integers(0, len(x)))
    parts = [x[:cut].transpose(a, b, shear="allow"), x[cut:].transpose(a, b, shear="allow")]
    assert_lists_equal(parts[0].to_list() + parts[1].to_list(), expected)
    series = x.to_pandas()
    assert_lists_equal(aj.array(series.jag.transpose(a, b, shear="allow")).to_list(), expected)


def test_lazy_polars_moves_inner_dims_and_refuses_the_rows() -> None:
    x = aj.arange(2, [2, 3], 3)
    lf = pl.LazyFrame({"v": x.to_polars()})
    got = lf.select(pl.col("v").jag.transpose(1, 2)).collect()["v"]
    assert aj.array(got).to_list() == x.transpose(1, 2).to_list()
    with pytest.raises(aj.JagError, match="transpose"):
        lf.select(pl.col("v").jag.transpose(0, 1)).collect()


def test_a_null_row_stays_null_or_counts_as_empty() -> None:
    x = aj.array([[[1, 2], [3]], None, [[4], None]])
    assert x.transpose(1, 2).to_list() == [[[1, 3], [2]], None, [[4]]]
    assert x.transpose(0, 1, shear="allow").to_list() == [[[1, 2], [4]], [[3], None]]


def test_a_null_row_that_a_declared_size_needs_is_refused() -> None:
    type = pa.large_list(pa.list_(pa.list_(pa.bool_(), 1), 1))
    x = aj.from_arrow(pa.array([[None, [None]]], type))
    with pytest.raises(aj.ShapeError, match=r"a null row between .* dim 3 .* declared to have 1"):
        x.transpose(2, 3)


def test_axes_are_checked() -> None:
    x = aj.arange(2, 3)
    with pytest.raises(aj.JagIndexError, match="dim 2"):
        x.transpose(0, 2)
    with pytest.raises(aj.JagValueError, match="every dim once"):
        x.permute(0, 0)
    with pytest.raises(aj.JagValueError, match="shear must be"):
        x.transpose(0, 1, shear="yes")
