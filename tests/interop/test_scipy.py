"""Sparse matrices as rows of (column, value) items."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.interop.scipy import from_scipy, to_scipy
from arrowjag.testing import assert_equal
from tests.interop.stand_ins import SPARSE, imported, real_or

sparse = real_or("scipy.sparse", SPARSE)
library = imported(scipy__sparse=sparse)


TABLE = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, 3.0]])
ITEMS = [[{"column": 1, "value": 1.0}], [], [{"column": 0, "value": 2.0}, {"column": 2, "value": 3.0}]]


@pytest.mark.parametrize("format", ["csr", "coo", "csc", "lil", "dok", "dia"])
def test_every_scipy_format_is_read(format: str) -> None:
    x = from_scipy(sparse.csr_array(TABLE).asformat(format))
    assert x.to_list() == ITEMS


@pytest.mark.parametrize("format", ["csr", "coo"])
def test_out_and_back(format: str) -> None:
    x = from_scipy(sparse.csr_array(TABLE))
    matrix = to_scipy(x, n_columns=5, format=format)  # type: ignore[arg-type]
    assert matrix.format == format
    assert matrix.shape == (3, 5)
    assert np.array_equal(matrix.toarray()[:, :3], TABLE)
    assert_equal(from_scipy(matrix), x)


@given(st.lists(st.lists(st.integers(-3, 3), max_size=4), max_size=4))
def test_positions_as_columns(rows: list[list[int]]) -> None:
    x = aj.array(rows, type=pa.int64(), ndim=2)
    assert np.array_equal(to_scipy(x).toarray(), x.to_dense())


def test_shared_and_kept() -> None:
    values = np.array([0.0, 2.0])
    matrix = sparse.csr_array((values, np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    x = from_scipy(matrix)
    assert x.to_list() == [[{"column": 0, "value": 0.0}, {"column": 1, "value": 2.0}]]
    assert np.shares_memory(to_scipy(x).data, matrix.data)
    unsorted = sparse.coo_array((np.arange(3), ([1, 0, 1], [2, 1, 0])), shape=(2, 3))
    assert from_scipy(unsorted)["value"].to_list() == [[1], [0, 2]]
    assert from_scipy(sparse.csr_array((0, 3))).to_list() == []
    many = np.arange(200)  # numpy sorts few of them stably in any case
    repeated = from_scipy(sparse.coo_array((many, (many % 2, many % 3)), shape=(4, 3)))
    assert repeated["value"].to_list() == [list(range(0, 200, 2)), list(range(1, 200, 2)), [], []]


CHANGES = {
    "sort_indices": lambda m: m.sort_indices(),
    "sum_duplicates": lambda m: m.sum_duplicates(),
    "max": lambda m: m.max(axis=0),
    "add": lambda m: m + m,
}


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("columns", [[2, 0, 0, 1], [1, 1, 0, 1], [0, 2, 1, 0], [1, 2, 0, 1], [2, 3, 3, 3]], ids=str)
@pytest.mark.parametrize("name", CHANGES)
def test_scipy_changes_no_array_in_place(name: str, columns: list[int], index: type) -> None:
    """Many methods of scipy sort the items of a matrix and add repeated ones in its buffers, also if these are read-only."""
    for offsets in ([0, 2, 2, 4, 4], [0, 1, 1, 1, 4], [0, 0, 4, 4, 4]):
        matrix = sparse.csr_array((np.arange(4.0), np.array(columns, index), np.array(offsets, index)), shape=(4, 4))
        x = from_scipy(matrix)
        items = x.to_list()
        again = to_scipy(x, n_columns=4)
        assert np.array_equal(again.toarray(), matrix.toarray())
        for one in (matrix, again, to_scipy(x, n_columns=4, format="coo").tocsr()):
            CHANGES[name](one)
            assert x.to_list() == items


def test_invalid_arguments_raise() -> None:
    x = from_scipy(sparse.csr_array(TABLE))
    with pytest.raises(IndexError, match="column 2 of row 2 is out of range for 2 columns"):
        to_scipy(x, n_columns=2)
    for wrong in (aj.array([[1, None]]), aj.array([[1], None])):
        with pytest.raises(ValueError, match="scipy has no null"):
            to_scipy(wrong)
    with pytest.raises(ValueError, match="some among the columns or the values"):
        to_scipy(aj.array([[{"column": 1, "value": None}]], type=pa.struct([("column", pa.int64()), ("value", pa.int64())])))
    with pytest.raises(aj.ShapeError, match="made of ndim 2"):
        to_scipy(aj.array([1]))
    with pytest.raises(TypeError, match="no kernel for halffloat"):
        to_scipy(aj.array([[1.0]]).cast(pa.float16()))
    with pytest.raises(TypeError, match="no kernel for complex128"):
        from_scipy(sparse.csr_array(TABLE + 1j))
    with pytest.raises(ValueError, match="format must be"):
        to_scipy(x, format="csc")  # type: ignore[arg-type]
    for type, told in (("x, y, z", "got struct<x: int64, y: int64, z: int64>"), ("x", "got struct<x: int64>")):
        with pytest.raises(TypeError, match=rf"items must be \(integer column, number\), {told}"):
            to_scipy(aj.array([[dict.fromkeys(type.split(", "), 1)]]))
    with pytest.raises(TypeError, match=r"items must be \(integer column, number\), got struct<column: double"):
        to_scipy(aj.array([[{"column": 1.0, "value": 1}]]))
    for n_columns, told in (
        (-1, "must not be negative, got -1"),
        ("3", "must be an int, got str"),
        (2.5, "must be an int, got float"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"to_scipy: n_columns {told}"):
            to_scipy(x, n_columns=n_columns)  # type: ignore[arg-type]
    with pytest.raises(aj.ShapeError, match=r"from_scipy takes matrices, got 1 dim$"):
        from_scipy(sparse.coo_array(np.array([1, 2])))
    with pytest.raises(TypeError, match="from_scipy takes a sparse matrix of scipy, got ndarray"):
        from_scipy(TABLE)
    broken = sparse.csr_array(TABLE)
    broken.indptr[1] = 9
    with pytest.raises(aj.OffsetsError, match="never decrease"):
        from_scipy(broken)
