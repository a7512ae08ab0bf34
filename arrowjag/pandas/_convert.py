"""Convert pandas data to columns, and concatenate rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow, _column
from arrowjag._arguments import several
from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column
from arrowjag._column import Column
from arrowjag._frames import named
from arrowjag._gate import storage_of
from arrowjag._kernels.base.words import or_all
from arrowjag._ops import elementwise, struct_fields, structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagError, JagTypeError, JagValueError, ShapeError, brief, plural
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row
from arrowjag.shape import JaggedShape

__all__ = ["as_array", "concat", "conform", "in_one_type", "is_missing", "nested_rows", "read", "rows_by_group"]


def is_missing(value: Any) -> bool:
    """Return whether a scalar is a missing value: None, NA, NaN or NaT."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


def as_array(data: Any, nan_to_null: bool = True) -> JaggedArray:
    """Convert a Series, Index or extension array to a jagged array; a plain column has one dim.

    Parameters
    ----------
    data : pandas.Series, pandas.Index or array
        Ours, nested Arrow lists, plain columns, or objects that are lists.
    nan_to_null : bool
        Whether NaN that numpy holds in a plain column is null, as pandas takes it.

    Returns
    -------
    JaggedArray
        Buffers are shared where pandas holds Arrow data, or data of numpy in which nothing is missing.

    Raises
    ------
    JagError
        If the data can't be read; it names the Series, because calls of frames read several.
    """
    values = uncategorized(getattr(data, "array", data))
    jagged = getattr(values, "_jagged", None)
    if jagged is not None:
        return JaggedArray._of(struct_fields.opened_maps(jagged)) if pt.is_map(jagged.type) else jagged
    in_numpy = isinstance(values, (np.ndarray, pd.arrays.NumpyExtensionArray, pd.arrays.SparseArray))
    try:
        return JaggedArray._of(as_column(plain(values), nan_to_null=in_numpy and nan_to_null))
    except JagError as error:
        if not isinstance(data, pd.Series) or data.name is None:
            raise
        raise named(error, data.name) from error.__cause__


def uncategorized(values: Any) -> Any:
    """Decode a categorical whose categories are rows to a column of rows; other data is returned unchanged."""
    if isinstance(values, pd.Categorical) and isinstance(values.categories.dtype, JaggedDtype):
        return values.categories.array.take(values.codes, allow_fill=True)
    return values


def plain(values: Any) -> Any:
    """Return the data of a pandas array in a form that the gate reads."""
    if isinstance(values, pd.arrays.ArrowExtensionArray):
        return values.__arrow_array__()
    if isinstance(values, (pd.arrays.SparseArray, pd.arrays.NumpyExtensionArray)):  # pyarrow can't convert sparse columns
        values = values.to_numpy()
    if isinstance(values, np.ndarray):
        return _objects(values) if values.dtype.kind == "O" else values
    if isinstance(values, pd.arrays.DatetimeArray) and values.tz is not None:
        # `pa.array` of pyarrow before 25 reads `Series.values`, of which pandas 3.1 warns
        zoned = pa.timestamp(values.unit, pa.lib.tzinfo_to_string(values.tz))
        return pa.array(values.tz_convert(None).to_numpy(), type=zoned, from_pandas=True)
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return pa.array(values, from_pandas=True)
    return values


def _objects(values: Any) -> Any:
    """Convert Python objects: missing values become None, rows become nested lists."""
    if any(isinstance(one, Row) for one in values):
        return rows(list(values), None)
    return [None if is_missing(one) else one for one in values]


# ------------------------------------------------------------------------------------------------- to a dtype


def read(data: Any, dtype: JaggedDtype | None) -> Column:
    """Convert the data of a new jagged Series to a column of its dtype.

    Parameters
    ----------
    data : array-like
        Nested lists, rows, missing values, jagged arrays, Arrow data, Series.
    dtype : JaggedDtype, optional
        By default that of the data.

    Returns
    -------
    Column
        Of two or more dims.

    Raises
    ------
    ShapeError
        If the data has other dims than the dtype.
    JagTypeError
        If the data cannot be read as the dtype's leaf type.
    """
    return conform(read_rows(data, dtype), dtype)


def read_rows(data: Any, dtype: JaggedDtype | None) -> Column:
    """Convert data as `read` does, to a column of the leaf type of the data, or of the dtype if its items are read as such."""
    values = uncategorized(getattr(data, "array", data) if isinstance(data, (pd.Series, pd.Index)) else data)
    jagged = getattr(values, "_jagged", values)
    if isinstance(jagged, Column):
        return jagged
    values = plain(values)
    if isinstance(values, np.ndarray) and values.ndim > 1 and values.dtype.kind != "O":
        return as_column(values)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        stored = values
        _check_rows(stored.type, dtype)
        ndim = dtype.ndim if dtype is not None and not isinstance(stored.type, pa.BaseExtensionType) else None
        return _column.from_arrow(stored, ndim)
    if isinstance(values, Column):
        return values
    return _read_objects(several(values, "JaggedExtensionArray takes a list of rows"), dtype)


def _check_rows(type: pa.DataType, dtype: JaggedDtype | None) -> None:
    """Refuse flat values in place of rows."""
    stored = storage_of(type)
    stored = stored.value_type if pt.is_dictionary(stored) else stored
    if dtype is not None and not (_arrow.is_list_type(stored) or pt.is_map(stored) or pt.is_null(stored)):
        hint = "; arrowjag.from_json reads lists that are text" if elementwise.is_text(type) else ""
        raise ShapeError(f"a row of {dtype} must be a list, got {type}{hint}")


def _read_objects(values: list[Any], dtype: JaggedDtype | None) -> Column:
    if any(isinstance(one, Row) for one in values):
        return rows(values, dtype)
    items = [None if not _is_list(one) and is_missing(one) else _opened(one) for one in values]
    if dtype is None:
        return as_column(items)
    if any(one is not None and not _is_list(one) for one in items):
        wrong = next(one for one in items if one is not None and not _is_list(one))
        raise JagTypeError(f"a row of {dtype} must be a list, got {type(wrong).__name__} {brief(wrong)}")
    try:
        return as_column(items, type=dtype.leaf, ndim=dtype.ndim)
    except (ShapeError, JagValueError):
        return as_column(items, ndim=dtype.ndim)


def _is_list(value: Any) -> bool:
    kinds = (list, tuple, np.ndarray, pa.Array, Column, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)
    return isinstance(value, kinds) or hasattr(value, "__arrow_c_stream__")  # such as a Series of polars


def _opened(value: Any) -> Any:
    if isinstance(value, Column):
        return JaggedArray._of(value).to_list()
    if isinstance(value, pa.Array):
        return value.to_pylist()
    if isinstance(value, np.ndarray) and value.dtype.kind in "mM":
        return value  # a Python list would lose their unit
    if isinstance(value, (list, tuple)) or not _is_list(value):
        return value
    return value.tolist() if hasattr(value, "tolist") else JaggedArray._of(as_column(value)).to_list()


def rows(values: Sequence[Any], dtype: JaggedDtype | None) -> Column:
    """Concatenate rows of any columns, missing values and nested lists; leaf types stay exact, and a dtype checks its extents."""
    ndim = dtype.ndim if dtype is not None else next(one._ndim + 1 for one in values if isinstance(one, Row))
    sources: dict[int, tuple[int, Column]] = {}
    starts = 0
    index = np.zeros(len(values), np.int64)
    valid = np.ones(len(values), bool)
    for place, one in enumerate(values):
        if not isinstance(one, Row) and not _is_list(one):
            if not is_missing(one):
                raise JagTypeError(f"a row of a jagged column must be a list, got {type(one).__name__} {brief(one)}")
            valid[place] = False
            continue
        row = one if isinstance(one, Row) else Row(_opened(one), dtype.leaf if dtype else None, ndim - 1)
        source = row._column
        if id(source) not in sources:
            sources[id(source)] = (starts, source)
            starts += source.shape.nodes(1)
        index[place] = sources[id(source)][0] + row._place
    columns = [source for _, source in sources.values()]
    if dtype is not None and not columns:
        return _nulls(len(values), dtype)
    if any(column.ndim != ndim for column in columns):
        found = sorted({column.ndim - 1 for column in columns})
        raise ShapeError(f"a row of ndim {ndim} has {plural(ndim - 1, 'level')}, got rows of {found}")
    leaf = elementwise.common_type([column.type for column in columns], "rows") if dtype is None else dtype.leaf
    joined = concat([cast(column, leaf) for column in columns])
    outer = [Uniform._frame(len(values))]
    return conform(structure.take_items(joined, 1, index, outer, None if valid.all() else valid), dtype)


def cast(column: Column, leaf: pa.DataType) -> Column:
    """Cast the leaves; raise if a value does not fit."""
    return column if column.type == leaf else elementwise.cast(column, leaf)


def in_one_type(rows: JaggedArray, others: Column, operation: str) -> tuple[Column, Column, npt.NDArray[np.bool_] | None]:
    """Cast two columns of equal dims to one leaf type, so that rows can be compared by value.

    Parameters
    ----------
    rows, others : JaggedArray, Column
        The columns.
    operation : str
        The name for errors.

    Returns
    -------
    (Column, Column, array of bool or None)
        Both columns, and which of the other rows equal none of the rows, whatever their keys are. If a value does not fit the
        common type, as integers beyond 2^53 do not fit floats, both columns get the type of the rows: other rows with items that
        it does not hold equal none.

    Raises
    ------
    JagTypeError
        If the types have no common one.
    """
    leaf = elementwise.common_type([rows.type, others.type], operation)
    try:
        return cast(rows, leaf), cast(others, leaf), None
    except JagValueError:
        given = JaggedArray._of(others)
        held = given.cast(rows.type, strict=False)
        lost = (held.is_null() != given.is_null()).any(axis=tuple(range(1, given.ndim)))
        return rows, held, lost.fill_null(False).values.to_numpy(zero_copy_only=False)


def conform(column: Column, dtype: JaggedDtype | None) -> Column:
    """Convert a column to a dtype: cast its leaves, declare its extents."""
    if column.ndim < 2:
        if dtype is not None and (len(column.values) == 0 or pt.is_null(column.type)):
            return _nulls(column.shape.nodes(1), dtype)
        raise ShapeError(f"a jagged column has at least 2 dims, got {column.shape!r} of {column.type}")
    if dtype is None:
        return column
    if column.ndim != dtype.ndim:
        raise ShapeError(f"{dtype} has {plural(dtype.ndim, 'dim')}, got {column.shape!r}")
    if _arrow.is_list_type(column.type) and not _arrow.is_list_type(dtype.leaf):
        raise ShapeError(f"{dtype} has {plural(dtype.ndim, 'dim')}, the data is nested deeper: its leaves are {column.type}")
    column = cast(column, dtype.leaf)
    if tuple(column.shape.extents[1:]) == dtype.extents:
        return column
    dims = [dim.with_extent(extent) for dim, extent in zip(column.shape.dims[1:], dtype.extents, strict=True)]
    return structure.with_shape(JaggedShape._trusted([column.shape.dims[0], *dims]), column)


def _nulls(n: int, dtype: JaggedDtype) -> Column:
    empty = dtype._empty_column()
    if n == 0:
        return empty
    index, valid = np.zeros(n, np.int64), np.zeros(n, bool)
    return structure.take_items(empty, 1, index, [Uniform._frame(n)], valid)


# ------------------------------------------------------------------------------------------------- joining


def concat(columns: Sequence[Column]) -> Column:
    """Concatenate columns of one leaf type and ndim.

    Parameters
    ----------
    columns : sequence of Column
        At least one.

    Returns
    -------
    Column
        An extent stays if all columns declare it. Cost: values are copied once.

    Raises
    ------
    JagValueError
        If ordered dictionaries differ, or the leaf type can't hold all values: the dictionary has too few indices, or text exceeds
        2 GB.
    """
    if len(columns) == 1:
        return columns[0]
    n = sum(column.shape.nodes(1) for column in columns)
    dims: list[Dim] = [Uniform._frame(n)]
    dims += [_joined_dim([column.shape.dims[depth] for column in columns]) for depth in range(1, columns[0].ndim)]
    return Column(JaggedShape._trusted(dims), _joined_values([column.values for column in columns]))


def _joined_dim(dims: list[Dim]) -> Dim:
    extents = {dim.extent for dim in dims}
    extent = extents.pop() if len(extents) == 1 else None
    if extent is not None and all(dim.validity is None for dim in dims):
        return Uniform(extent, sum(map(len, dims)))
    validity = None
    if any(dim.validity is not None for dim in dims):
        validity = np.concatenate([or_all(dim.validity, len(dim)) for dim in dims])
    offsets = np.zeros(sum(map(len, dims)) + 1, np.int64)
    np.cumsum(np.concatenate([dim.sizes for dim in dims]), out=offsets[1:])
    return Ragged.from_offsets(offsets, validity=validity, extent=extent, check=False)


def _joined_values(values: list[pa.Array]) -> pa.Array:
    joined = _arrow.combine_chunks(pa.chunked_array(values))
    if joined.type != values[0].type:  # a column keeps its dtype, whatever rows join it
        raise JagValueError(
            f"joining rows: {values[0].type} can't hold the values of all of them, {joined.type} can. Cast the columns "
            "to it first, with .jag.cast(type)."
        )
    return joined


def rows_by_group(ids: Any, n: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the rows of the groups 0 to n - 1, one group after another, and how many rows each has; -1 is no group."""
    order = np.argsort(ids, kind="stable")[np.count_nonzero(ids < 0) :]
    return order, np.bincount(ids[order], minlength=n)


def nested_rows(array: Column, order: Any, counts: Any) -> JaggedArray:
    """Rows by group: `order` lists the rows group by group, `counts` has the number of rows per group."""
    outer = [Uniform._frame(len(counts)), Ragged(np.asarray(counts, np.int64))]
    column = structure.take_items(array, 1, np.asarray(order, np.int64), outer)
    return JaggedArray._of(column)
