"""Series and jagged arrays, one from the other, over shared buffers; and the types of columns at plan time.

What polars stores differently (the rest is stored as it is):

====================================  ==============================================
Arrow leaf type                       in polars
====================================  ==============================================
date64, timestamp[s], duration[s]     milliseconds
time32, time64                        nanoseconds
decimal32, decimal64                  decimal128
string, binary in other layouts       String, Binary
dictionary of text                    Categorical, or the Enum that all operands have, whose items compare
                                      as text here; other dictionaries are decoded
list_view, list                       List
intervals, unions, decimal256         refused: polars panics on them
====================================  ==============================================
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import JaggedArray, _arrow, _column
from arrowjag._column import Column
from arrowjag._ops import structure
from arrowjag.dims import Uniform
from arrowjag.errors import JagTypeError, ShapeError
from arrowjag.polars.dtype import Jagged

__all__ = [
    "ColumnType",
    "arrow_type",
    "as_enum",
    "as_lists",
    "broadcast_rows",
    "column_type",
    "from_series",
    "polars_dtype",
    "shared_enum",
    "storable",
    "stored_lists",
    "to_series",
]


@dataclass(frozen=True)
class ColumnType:
    """What is known of a column at plan time.

    Attributes
    ----------
    leaf : pa.DataType
        The Arrow type of its values.
    ndim : int
        Number of levels.
    extents : tuple of int or None
        Declared extents, one entry a dim.
    jagged : bool
        Whether it has our dtype; otherwise it is a plain column, a `List` or an `Array`.
    enum : pl.Enum or None
        The dtype of the values, if that is one: to Arrow it is a dictionary like any other.
    """

    leaf: pa.DataType
    ndim: int
    extents: tuple[int | None, ...]
    jagged: bool
    enum: pl.Enum | None = None

    def empty(self) -> JaggedArray:
        """An array of this type without rows."""
        return _empty(self.leaf, self.ndim, self.extents)

    def imploded(self) -> ColumnType:
        """The type of the column's rows under one more dim."""
        return ColumnType(self.leaf, self.ndim + 1, (None, None, *self.extents[1:]), self.jagged, self.enum)

    @property
    def lists(self) -> pl.DataType:
        """The dtype of the same column as plain lists, without extents."""
        return polars_dtype(_column.storage_type(storable(self.leaf), self.ndim))

    @property
    def dtype(self) -> pl.DataType:
        """The polars dtype."""
        storage = polars_dtype(_column.storage_type(storable(self.leaf), self.ndim, self.extents))
        if self.enum is not None:
            storage = _with_leaf(storage, self.ndim - 1, self.enum)
        if not self.jagged or self.ndim == 1:
            return storage
        return Jagged.ext_from_params(_arrow.EXTENSION_NAME, storage, f'{{"ndim":{self.ndim}}}')


# --------------------------------------------------------------------------------------------------- types


@functools.lru_cache(maxsize=1024)
def _empty(leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...]) -> JaggedArray:
    made: JaggedArray = JaggedArray._of(_column.empty(leaf, ndim, extents))
    return made


@functools.lru_cache(maxsize=1024)
def column_type(dtype: pl.DataType) -> ColumnType:
    """The type of a column by its polars dtype.

    Raises
    ------
    JagTypeError
        If polars can't hand the dtype to Arrow.
    """
    storage, told = stored_lists(dtype)
    _refuse_objects(storage)
    try:
        arrow = pl.Series([], dtype=storage).to_arrow().type
    except pa.ArrowInvalid:
        raise JagTypeError(f"polars can't hand {dtype} to Arrow; cast it to a 64-bit or decimal dtype first") from None
    ndim = _arrow.depth(arrow) + 1 if told is None else told
    extents: list[int | None] = [None]
    for _ in range(ndim - 1):
        extents.append(arrow.list_size if pt.is_fixed_size_list(arrow) else None)
        arrow, storage = arrow.value_type, storage.inner
    enum = storage if isinstance(storage, pl.Enum) else None
    return ColumnType(arrow, ndim, tuple(extents), told is not None, enum)


def stored_lists(dtype: Any) -> tuple[Any, int | None]:
    """The lists that store a `Jagged` column, or lists of such as `agg` and `implode` make them; and the ndim that it tells."""
    if isinstance(dtype, Jagged):
        return dtype.ext_storage(), dtype.ndim
    if isinstance(dtype, (pl.List, pl.Array)):
        inner, ndim = stored_lists(dtype.inner)
        if ndim is not None:
            return pl.Array(inner, dtype.size) if isinstance(dtype, pl.Array) else pl.List(inner), ndim + 1
    return dtype, None


def as_lists(expr: pl.Expr, dtype: Any) -> pl.Expr:
    """The column as the lists that store it."""
    if isinstance(dtype, Jagged):
        return expr.ext.storage()
    if stored_lists(dtype)[1] is None:
        return expr
    inner = as_lists(pl.element(), dtype.inner)
    return expr.arr.eval(inner) if isinstance(dtype, pl.Array) else expr.list.eval(inner)


def arrow_type(dtype: pl.DataType) -> pa.DataType:
    """The Arrow type of the rows of a column by its polars dtype."""
    kind = column_type(dtype)
    return _column.storage_type(kind.leaf, kind.ndim, kind.extents)


def shared_enum(kinds: Iterable[ColumnType]) -> pl.Enum | None:
    """The one Enum that all columns of dictionaries have, so that a dictionary made of them has it too; None otherwise."""
    found = {kind.enum for kind in kinds if pt.is_dictionary(kind.leaf)}
    return found.pop() if len(found) == 1 else None


def _with_leaf(storage: Any, levels: int, leaf: pl.DataType) -> pl.DataType:
    """Nested lists with other values below."""
    if levels == 0:
        return leaf
    inner = _with_leaf(storage.inner, levels - 1, leaf)
    return pl.Array(inner, storage.size) if isinstance(storage, pl.Array) else pl.List(inner)


def as_enum(series: pl.Series, enum: pl.Enum | None) -> pl.Series:
    """A Series of categories as one of an Enum; any other Series as it is."""
    if enum is None:
        return series
    kind = column_type(series.dtype)
    if kind.enum == enum or not pt.is_dictionary(kind.leaf):
        return series
    wanted = ColumnType(kind.leaf, kind.ndim, kind.extents, kind.jagged, enum).dtype
    lists = _with_leaf(kind.lists, kind.ndim - 1, enum)  # polars has no such cast inside of an Array
    storage = wanted.ext_storage() if isinstance(wanted, Jagged) else wanted
    made = (series.ext.storage() if kind.jagged else series).cast(kind.lists).cast(lists).cast(storage)
    return made.ext.to(wanted) if isinstance(wanted, Jagged) else made


def _refuse_objects(dtype: Any) -> None:
    """Python objects make the conversion to Arrow panic, so they are found before."""
    if dtype == pl.Object:
        raise JagTypeError("a column of Python objects has no Arrow type; build it from Arrow data instead")
    if isinstance(dtype, (pl.List, pl.Array)):
        _refuse_objects(dtype.inner)
    if isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            _refuse_objects(field.dtype)


@functools.lru_cache(maxsize=1024)
def polars_dtype(type: pa.DataType) -> pl.DataType:
    """The dtype under which polars stores an Arrow type."""
    return pl.Series(pa.nulls(0, type)).dtype


def storable(type: pa.DataType) -> pa.DataType:
    """The Arrow type in which values of a type are handed to polars.

    Raises
    ------
    JagTypeError
        If polars has no dtype for it: it would panic, which no `except Exception` catches.
    """
    if isinstance(type, pa.BaseExtensionType):
        inner = storable(type.storage_type)
        return type if inner == type.storage_type else inner
    if pt.is_decimal(type):
        if type.bit_width > 128:
            raise JagTypeError(f"polars has no dtype for {type}; cast the leaves to decimal128 or double first")
        return pa.decimal128(type.precision, type.scale)
    if pt.is_struct(type):
        return pa.struct([field.with_type(storable(field.type)) for field in type])
    if pt.is_map(type):
        return pa.map_(storable(type.key_type), storable(type.item_type))
    if pt.is_run_end_encoded(type):
        return storable(type.value_type)
    if pt.is_fixed_size_list(type) and type.list_size:
        return pa.list_(storable(type.value_type), type.list_size)
    if _arrow.is_list_type(type):
        return pa.large_list(storable(type.value_type))
    if pt.is_interval(type) or pt.is_union(type):
        raise JagTypeError(f"polars has no dtype for {type}; keep the column in Arrow or pandas")
    return type


# --------------------------------------------------------------------------------------------------- values


def from_series(series: pl.Series, ndim: int | None = None, where: str | None = None) -> JaggedArray:
    """A Series as a jagged array.

    Parameters
    ----------
    series : pl.Series
        Of dtype `Jagged`, `List`, `Array` or any flat dtype; chunked and sliced ones too.
    ndim : int, optional
        Number of levels, by default what the dtype tells.
    where : str, optional
        What to call it in errors.

    Returns
    -------
    JaggedArray
        Values and offsets are shared, but for several chunks, text and booleans.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> aj.polars.from_series(pl.Series([[1, 2], None, []])).to_list()
    [[1, 2], None, []]
    """
    kind = column_type(series.dtype)
    storage = series.ext.storage() if isinstance(series.dtype, Jagged) else series
    column = _column.from_arrow(storage.to_arrow(), kind.ndim if ndim is None else ndim, where or f"column {series.name!r}")
    array: JaggedArray = JaggedArray._of(column)
    return array


def to_series(array: Column, name: str = "", extension: bool = True) -> pl.Series:
    """A jagged array as a Series.

    Parameters
    ----------
    array : JaggedArray
        At least one dim.
    name : str
        The name of the Series.
    extension : bool
        Whether an array of two or more dims gets the dtype `Jagged`; otherwise it is a plain `List`, or `Array` where
        an extent is declared.

    Returns
    -------
    pl.Series
        Values and offsets are shared where polars has the leaf type; see the table of this module.

    Raises
    ------
    ShapeError
        If the array has no dims.
    JagTypeError
        If polars has no dtype for the leaves.

    Examples
    --------
    >>> import arrowjag as aj
    >>> to_series(aj.array([[1, 2], [3]]), "v").dtype
    Jagged(Int64, 2)
    """
    if array.ndim == 0:
        raise ShapeError("to_polars needs rows; use .values[0] of a scalar")
    values = array.values
    wanted = storable(values.type)
    if wanted != values.type:
        values = values.storage.cast(wanted) if isinstance(values.type, pa.BaseExtensionType) else values.cast(wanted)
        array = Column(array.shape, values)
    series = pl.Series(name, _column.to_arrow(array))
    if not extension or array.ndim == 1:
        return series
    dtype = Jagged.ext_from_params(_arrow.EXTENSION_NAME, series.dtype, f'{{"ndim":{array.ndim}}}')
    return series.ext.to(dtype)


def broadcast_rows(arrays: list[JaggedArray]) -> list[JaggedArray]:
    """Repeat arrays of one row, which polars gives for literals and aggregates, to the length of the others."""
    lengths = {len(array) for array in arrays}
    if len(lengths) < 2 or 1 not in lengths:
        return arrays
    n = max(lengths - {1})
    rows = np.zeros(n, np.int64)
    frame = [Uniform(n, 1, declared=False)]
    return [array if len(array) == n else JaggedArray._of(structure.take_items(array, 1, rows, frame)) for array in arrays]
