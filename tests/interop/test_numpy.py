"""numpy: dense, masked and object arrays, both ways."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import arrowjag as aj
from arrowjag.interop.numpy import from_numpy, to_numpy
from arrowjag.testing import jagged_arrays

LARGE = ("large_list", "list", "list_view")


@given(jagged_arrays(leaf=pa.int64(), storages=LARGE))
def test_object_arrays_come_back(x: aj.JaggedArray) -> None:
    back = from_numpy(to_numpy(x), ndim=x.ndim)
    assert back.to_list() == x.to_list()
    assert back.ndim == x.ndim


def test_rows_are_views_of_the_values() -> None:
    values = np.arange(4.0)
    one, two = to_numpy(aj.from_offsets(values, [0, 1, 4]))
    assert np.shares_memory(one, values)
    assert two.tolist() == [1.0, 2.0, 3.0]
    masked = to_numpy(aj.array([[1, None]]))[0]
    assert isinstance(masked, np.ma.MaskedArray)
    assert masked.tolist() == [1, None]


def test_dense_arrays_are_shared() -> None:
    table = np.arange(6.0).reshape(2, 3)
    x = from_numpy(table)
    assert x.shape.extents[1] == 3
    assert np.shares_memory(to_numpy(x, "dense"), table)
    with pytest.raises(aj.ShapeError, match="use to_dense"):
        to_numpy(aj.array([[1], [1, 2]]), "dense")


def test_masked_arrays() -> None:
    table = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
    assert from_numpy(table).to_list() == [[1, None], [3, 4]]
    assert to_numpy(from_numpy(table), "masked").tolist() == [[1, None], [3, 4]]
    assert from_numpy(table, sizes=[2, 1]).to_list() == [[1, None], [3]]
    assert to_numpy(aj.array([[1], [2, 3]]), "masked").tolist() == [[1, None], [2, 3]]


def test_object_arrays_of_arrays() -> None:
    rows = np.empty(3, object)
    rows[:] = [np.array([1.5]), None, [2.5, None]]
    assert from_numpy(rows).to_list() == [[1.5], None, [2.5, None]]
    assert [row.tolist() for row in to_numpy(aj.array([["a"], []]))] == [["a"], []]
    with pytest.raises(ValueError, match="layout must be"):
        to_numpy(aj.array([[1]]), "rows")  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = aj.interop.nothing


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "awkward", None)
    with pytest.raises(aj.MissingDependencyError, match="to_awkward needs the package awkward"):
        aj.interop.awkward.to_awkward(aj.array([[1]]))


X = aj.array([[1.0, 2.0], [3.0], None])


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "any", "all", "ptp", "median", "var", "std"])
def test_reductions_of_numpy_are_ours(name: str) -> None:
    function, method = getattr(np, name), getattr(X, name)
    options = {"ddof": 0} if name in ("var", "std") else {}  # numpy's default; ours is 1, as in pandas and polars
    for axis in (None, 0, -1):
        assert aj.array(function(X, axis=axis)).to_list() == aj.array(method(axis=axis, **options)).to_list()
    with pytest.raises(aj.errors.JagTypeError, match=rf"numpy.{name} takes only axis on jagged arrays, got out"):
        function(X, out=np.zeros(3))


def test_functions_of_numpy_take_rows_of_one_size_and_raise_else() -> None:
    assert np.concatenate([aj.array([[1, 2]]), aj.array([[3, 4]])]).tolist() == [[1, 2], [3, 4]]
    assert np.where(aj.array([True, False]), 1, 2).tolist() == [1, 2]
    with pytest.raises(aj.ShapeError, match="use to_dense"):
        np.sort(X)
    with pytest.raises(aj.ShapeError, match=r"numpy.squeeze runs on numpy arrays.*use x.squeeze"):
        np.squeeze(X)
    with pytest.raises(aj.errors.JagTypeError, match=r"numpy.swapaxes can't take .*use x.transpose"):
        np.swapaxes(SQUARE, "a", 0)


SQUARE = aj.array([[4.0, 2.0], [3.0, 7.0]])


@pytest.mark.parametrize(
    "call",
    [
        np.array2string,
        np.unstack if hasattr(np, "unstack") else np.ravel,
        np.squeeze,
        lambda x: np.moveaxis(x, 0, 1),
        lambda x: np.split(x, 2),
        lambda x: np.array_split(x, 2, axis=1),
        lambda x: np.percentile(x, x),
        lambda x: np.percentile(x, q=x),
        lambda x: np.size(x, 0),
        lambda x: np.hstack([x, x]),
        np.histogramdd,
    ],
)
def test_functions_that_need_more_than_the_attributes_of_arrays_run_on_numpy_arrays(call: Any) -> None:
    np.testing.assert_equal(call(SQUARE), call(np.asarray(SQUARE)))


def test_amax_and_amin_are_names_of_max_and_min() -> None:
    assert (np.amax(X), np.amin(X)) == (np.max(X), np.min(X))
    assert np.amax(X, axis=-1).to_list() == [2.0, 3.0, None]
    with pytest.raises(aj.errors.JagTypeError, match=r"numpy.max takes only axis"):
        np.amax(X, keepdims=True)


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (np.sort, "x.sort()"),
        (lambda x: np.where(x > 1, x, 0), "aj.where(c, x, y)"),
        (lambda x: np.round(x, 1), "x.round()"),
        (lambda x: np.concatenate([x, x]), "aj.concat([x, y], axis)"),
        (lambda x: np.convolve(x, x), "x.map_rows(f)"),
        (lambda x: np.moveaxis(x, 0, 1), "x.permute(*axes)"),
    ],
)
def test_functions_of_numpy_arrays_name_ours_for_rows_of_any_size(function: Any, instead: str) -> None:
    with pytest.raises(aj.ShapeError, match=rf"numpy.\w+ runs on numpy arrays: for rows of any size use {re.escape(instead)}"):
        function(X)
    with pytest.raises(aj.errors.JagTypeError, match=rf"needs `np.\w+`, .* use {re.escape(instead)}"):
        aj.jit(function)(X)


def test_array_equal() -> None:
    x = aj.array([[1.0, np.nan], [3.0]])
    assert np.array_equal(X, X)
    assert not np.array_equal(x, x)
    assert np.array_equal(x, x, equal_nan=True)
    assert np.array_equal(X[:2], [[1.0, 2.0], [3.0]])
    assert np.array_equal([[1.0, 2.0], [3.0]], X[:2])
    assert not np.array_equal(X, X[:2])
    assert not np.array_equal(X, X.fill_null_rows([]))
    assert not np.array_equal(aj.array([[1, None]]), aj.array([[1, 2]]))
    assert not np.array_equal(aj.array([["a"]]), aj.array([[1]]))
    assert not np.array_equal(X, object())


@pytest.mark.parametrize("dtype", ["i8", "u1", "?"])
def test_nulls_never_become_numbers(dtype: str) -> None:
    with pytest.raises(ValueError, match="1 item is null: use fill_null first"):
        np.asarray(aj.array([1, None]), dtype=dtype)
    assert np.asarray(aj.array([1, 0]), dtype=dtype).tolist() == [1, 0]


def test_ufuncs_of_arrays_without_dims_and_of_dictionary_times() -> None:
    assert np.add(aj.array(5), 1).as_py() == 6
    assert np.isnan(aj.array(1.5)).as_py() is False
    t = aj.from_sizes(pa.array([10, 2], pa.timestamp("s")).dictionary_encode(), [2])
    assert np.maximum(t, t).type == pa.timestamp("s")
