"""scipy.sparse: matrices as rows of (column, value) items.

A CSR matrix is one jagged array of structs: its values, column indices and row pointers are shared in both directions where their
types allow (64-bit pointers; scipy often holds 32-bit ones, which are widened) and where the columns of each row ascend. Others are
copied: methods of scipy such as `max` sort the items of a matrix and add repeated ones in place, even those of read-only arrays.
COO matrices are sorted by row, stably.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray, array_of
from arrowjag._column import Column
from arrowjag._integers import integer
from arrowjag._kernels.base import offsets as _offsets
from arrowjag.dims import Ragged, Uniform
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, ShapeError, plural
from arrowjag.interop import _parts
from arrowjag.shape import JaggedShape
from arrowjag.typing import IntArray

__all__ = ["from_scipy", "to_scipy"]


@check_arguments
def to_scipy(x: Any, n_columns: int | None = None, format: Literal["csr", "coo"] = "csr") -> Any:
    """Convert a jagged array to a sparse matrix.

    Parameters
    ----------
    x : JaggedArray of ndim 2
        Structs of two fields, an integer (the column) and a number; or numbers, whose positions in the row are their columns.
    n_columns : int, optional
        Width of the matrix; by default one more than the largest column.
    format : {"csr", "coo"}
        The format of the matrix.

    Returns
    -------
    scipy.sparse.csr_array or coo_array
        Explicit zeros and repeated columns are kept. Values are shared, and therefore read-only, if the columns of each row ascend;
        otherwise they are copied.

    Raises
    ------
    JagValueError
        If anything is null.
    JagIndexError
        If a column lies outside of the matrix.
    JagTypeError
        If the values are not numbers, or are half floats, which scipy lacks.
    MissingDependencyError
        If scipy is not installed.
    """
    array = array_of(x)
    if array.ndim != 2:
        raise ShapeError(f"a sparse matrix is made of ndim 2, got {array.shape!r}")
    _parts.refuse_nulls(array, "scipy")
    columns, values = _items(array)
    n_columns = int(columns.max(initial=-1)) + 1 if n_columns is None else integer(n_columns, "to_scipy: n_columns", 0)
    wrong = np.flatnonzero((columns < 0) | (columns >= n_columns))
    if len(wrong):
        item = int(wrong[0])
        row = int(array.shape.dims[1].index_of(item))
        raise JagIndexError(f"to_scipy: column {int(columns[item])} of row {row} is out of range for {plural(n_columns, 'column')}")
    sparse = _parts.load("scipy.sparse", "to_scipy")
    dim = array.shape.dims[1]
    rows = dim.offsets if format == "csr" else dim.parents
    if not _ascends(columns, dim.offsets):
        columns, values, rows = columns.copy(), values.copy(), rows.copy()
    if format == "csr":
        return sparse.csr_array((values, columns, rows), shape=(len(array), n_columns))
    return sparse.coo_array((values, (rows, columns)), shape=(len(array), n_columns))


def _ascends(columns: npt.NDArray[Any], offsets: IntArray) -> bool:
    """Return whether the columns of each row ascend, and none is repeated; scipy then changes nothing in place."""
    rises = columns[1:] > columns[:-1]
    starts = offsets[1:-1]
    rises[starts[(starts > 0) & (starts < len(columns))] - 1] = True
    return bool(rises.all())


def _items(array: JaggedArray) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Columns and values of the items."""
    type = array.type
    if pt.is_struct(type):
        if type.num_fields != 2 or not pt.is_integer(type[0].type):
            raise JagTypeError(f"to_scipy: items must be (integer column, number), got {type}")
        columns, values = array.values.flatten()
        if columns.null_count or values.null_count:
            raise JagValueError("scipy has no nulls, got some among the columns or the values. Use fill_null first.")
        return _parts.shared(columns), _number(values)
    return _offsets.positions(array.shape.dims[1].offsets), _number(array.values)


def _number(values: pa.Array) -> npt.NDArray[Any]:
    if not _arrow.is_numeric(values.type) or pt.is_float16(values.type):
        raise JagTypeError.no_kernel("to_scipy", values.type)
    return _parts.shared(values)


@check_arguments
def from_scipy(matrix: Any) -> JaggedArray:
    """Convert a sparse matrix to a jagged array.

    Parameters
    ----------
    matrix : scipy.sparse matrix or array of 2 dims
        CSR is used directly; any other format is converted to COO and sorted by row.

    Returns
    -------
    JaggedArray
        Of ndim 2, structs of `column` (int64) and `value`. Explicit zeros and repeated columns are kept. Values are shared
        with a CSR matrix if its columns ascend in each row; don't write to it afterwards. The number of columns is lost; pass it to
        `to_scipy` to convert back.

    Raises
    ------
    OffsetsError
        If the row pointers are corrupt.
    JagTypeError
        If Arrow has no such number (complex).
    """
    _parts.expect(matrix, ("format", "tocoo"), "from_scipy", "a sparse matrix of scipy")
    if getattr(matrix, "ndim", 2) != 2:
        raise ShapeError(f"from_scipy takes matrices, got {plural(matrix.ndim, 'dim')}")
    if matrix.format == "csr":
        offsets, columns, values = matrix.indptr, matrix.indices, matrix.data
        columns, values = columns[: offsets[-1]], values[: offsets[-1]]
    else:
        coo = matrix.tocoo()
        order = np.argsort(coo.row, kind="stable")
        columns, values = coo.col[order], coo.data[order]
        offsets = _offsets.from_sizes(np.bincount(coo.row, minlength=coo.shape[0]))
    if values.dtype.kind not in "biuf":
        raise JagTypeError.no_kernel("from_scipy", values.dtype)
    (cut,) = _parts.cuts_of([offsets], len(values), "from_scipy")
    if not _ascends(columns, cut):
        cut, columns, values = cut.copy(), columns.copy(), values.copy()
    items = pa.StructArray.from_arrays(
        [_arrow.from_numpy(columns.astype(np.int64, copy=False)), _arrow.from_numpy(values)], names=["column", "value"]
    )
    dims = (Uniform(len(cut) - 1, 1, declared=False), Ragged.from_offsets(cut, check=False))
    array: JaggedArray = JaggedArray._of(Column(JaggedShape._trusted(dims), items))
    return array
