"""numpy: dense, masked and object arrays, both ways."""

from __future__ import annotations

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
