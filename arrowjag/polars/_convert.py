"""Convert between Series and jagged arrays over shared buffers, and derive the types of columns at plan time.

polars stores all Arrow leaf types unchanged except these:

====================================  ==============================================
Arrow leaf type                       in polars
====================================  ==============================================
date64, timestamp[s], duration[s]     milliseconds
time32, time64                        nanoseconds
decimal32, decimal64                  decimal128
decimal256, at most 38 decimal places decimal128 of 38 digits, if all values fit
string, binary in other layouts       String, Binary
dictionary of text                    Categorical; an Enum if it is ordered. Other dictionaries are decoded
list_view, list                       List
map                                   Map, a level of entries here: structs of `key` and `value`
intervals, unions, more decimals      refused: polars panics on them
====================================  ==============================================
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow, _column, _frames
from arrowjag._arguments import flag, instance
from arrowjag._array import JaggedArray
from arrowjag._array.names import refuse_nul, refuse_nul_fields
from arrowjag._column import Column
from arrowjag._gate import has_ordered_categories, storage_of
from arrowjag._gate.layouts import canonical_column
from arrowjag._kernels.base.polars_lists import text_views
from arrowjag._ops import elementwise, structure
from arrowjag._ops.cursor import row_of_item
from arrowjag._pyarrow_versions import table_with_data_of_views
from arrowjag.dims import Uniform
from arrowjag.dtype import JaggedType, metadata
from arrowjag.errors import JagError, JagRangeError, JagTypeError, ShapeError
from arrowjag.polars._versions import ENUM_CASTS_PANIC, PanicException
from arrowjag.polars.dtype import Jagged

__all__ = [
    "ColumnType",
    "arrow_type",
    "as_enum",
    "as_lists",
    "broadcast_rows",
    "column_type",
    "enum_of",
    "from_planned",
    "from_series",
    "panics",
    "polars_dtype",
    "shared_enum",
    "spread_row",
    "storable",
    "stored_lists",
    "to_series",
]


@dataclass(frozen=True)
class ColumnType:
    """The type of a column, known at plan time.

    Attributes
    ----------
    leaf : pa.DataType
        The Arrow type of its values.
    ndim : int
        Number of dims.
    extents : tuple of int or None
        Declared extents, one entry per dim.
    jagged : bool
        Whether the column has the dtype `Jagged` if it is nested; otherwise it is a `List` or an `Array`.
    enum : pl.DataType or None
        The dtype of the values if it is an Enum or a struct that contains one; the Arrow type does not include the categories.
    maps : bool
        Whether polars stores a level as a Map; its list expressions don't accept Maps.
    """

    leaf: pa.DataType
    ndim: int
    extents: tuple[int | None, ...]
    jagged: bool
    enum: pl.DataType | None = None
    maps: bool = False

    def empty(self) -> JaggedArray:
        """An array of this type without rows."""
        return _empty(self.leaf, self.ndim, self.extents, self.enum)

    def imploded(self) -> ColumnType:
        """The type of the column's rows under one more dim."""
        return ColumnType(self.leaf, self.ndim + 1, (None, None, *self.extents[1:]), self.jagged, self.enum, self.maps)

    @property
    def extension(self) -> bool:
        """Whether the column has the dtype `Jagged`; a flat column may have an extension dtype of its leaves."""
        return self.jagged and self.ndim > 1

    @property
    def lists(self) -> pl.DataType:
        """The dtype of the column as plain lists, without declared extents."""
        return polars_dtype(_column.storage_type(storable(self.leaf), self.ndim))

    @property
    def dtype(self) -> pl.DataType:
        """The polars dtype."""
        storage = polars_dtype(_column.storage_type(storable(self.leaf), self.ndim, self.extents))
        if self.enum is not None:
            storage = _with_leaf(storage, self.ndim - 1, self.enum)
        if not self.extension:
            return storage
        return Jagged.ext_from_params(_arrow.EXTENSION_NAME, storage, metadata(self.ndim))


# --------------------------------------------------------------------------------------------------- types


@functools.lru_cache(maxsize=1024)
def _empty(leaf: pa.DataType, ndim: int, extents: tuple[int | None, ...], enum: pl.DataType | None) -> JaggedArray:
    column = _column.empty(leaf, ndim, extents)
    if enum is not None:
        values = pl.Series([], dtype=enum).to_arrow()  # an empty array that has the categories
        column = Column(column.shape, values if values.type == leaf else column.values)
    made: JaggedArray = JaggedArray._of(column)
    return made


@functools.lru_cache(maxsize=1024)
def column_type(dtype: pl.DataType) -> ColumnType:
    """Return the type of a column of a polars dtype.

    Raises
    ------
    JagTypeError
        If polars can't convert the dtype to Arrow.
    """
    storage, ndim = stored_lists(dtype)
    _refuse_objects(storage)
    refuse_nul(pl.Series([], dtype=storage))
    try:
        with panics(f"the Arrow type of {dtype}"):
            arrow = pl.Series([], dtype=storage).to_arrow().type
    except pa.ArrowInvalid:
        raise JagTypeError(f"polars can't convert {dtype} to Arrow; cast it to a 64-bit or decimal dtype first") from None
    levels, leaf = _arrow.level_types(arrow)
    if ndim is not None:
        leaf = levels[ndim - 1] if ndim - 1 < len(levels) else leaf
        levels = levels[: ndim - 1]
        if pt.is_map(leaf):  # the dtype counts list levels only
            levels, leaf = [*levels, leaf], _arrow.entry_type(leaf)
    for level in levels:
        storage = None if pt.is_map(level) else getattr(storage, "inner", None)
    extents = [level.list_size if pt.is_fixed_size_list(level) else None for level in levels]
    enum = storage if _holds_enum(storage) else None
    return ColumnType(leaf, len(levels) + 1, (None, *extents), ndim is not None, enum, any(map(pt.is_map, levels)))


def stored_lists(dtype: Any) -> tuple[Any, int | None]:
    """Return the storage dtype and the ndim of `Jagged`, or of lists of `Jagged`, the result of `agg` and `implode`.

    The ndim of any other dtype is None.
    """
    if isinstance(dtype, Jagged):
        return dtype.ext_storage(), dtype.ndim
    if isinstance(dtype, (pl.List, pl.Array)):
        inner, ndim = stored_lists(dtype.inner)
        if ndim is not None:
            return pl.Array(inner, dtype.size) if isinstance(dtype, pl.Array) else pl.List(inner), ndim + 1
    return dtype, None


def as_lists(expr: pl.Expr, dtype: Any) -> pl.Expr:
    """Return an expression of the lists that store the column."""
    if isinstance(dtype, Jagged):
        return expr.ext.storage()
    if stored_lists(dtype)[1] is None:
        return expr
    inner = as_lists(pl.element(), dtype.inner)
    return expr.arr.eval(inner) if isinstance(dtype, pl.Array) else expr.list.eval(inner)


def arrow_type(dtype: pl.DataType) -> pa.DataType:
    """The Arrow storage type of a column of a polars dtype."""
    kind = column_type(dtype)
    return _column.storage_type(kind.leaf, kind.ndim, kind.extents)


def _holds_enum(dtype: Any) -> bool:
    """Whether a dtype is an Enum, or a struct or list that contains one."""
    if isinstance(dtype, pl.Struct):
        return any(_holds_enum(field.dtype) for field in dtype.fields)
    return isinstance(dtype, pl.Enum) or (isinstance(dtype, (pl.List, pl.Array)) and _holds_enum(dtype.inner))


def enum_of(values: pa.Array, shared: pl.DataType | None = None) -> pl.DataType | None:
    """Return the dtype of ordered categories, or of structs that contain them; None for all other values.

    Ordered categories without items may have lost their labels; they get those of `shared`. Others, such as categories inside the
    structs of another column, have no order to keep.
    """
    found = _enum_dtype(values, shared)
    return found if _holds_enum(found) else None


def _enum_dtype(values: pa.Array, shared: pl.DataType | None) -> pl.DataType:
    type = values.type
    if pt.is_struct(type) and type.num_fields:
        fields = [values.field(position) for position in range(type.num_fields)]
        return pl.Struct([pl.Field(field.name, _enum_dtype(one, shared)) for field, one in zip(type, fields, strict=True)])
    if not pt.is_dictionary(type):
        return polars_dtype(storable(type))
    dictionary = values.dictionary
    is_text = elementwise.is_text(dictionary.type)
    if type.ordered and is_text and len(dictionary) and not dictionary.null_count and len(dictionary.unique()) == len(dictionary):
        return pl.Enum(pl.Series(dictionary.cast(pa.large_string())))
    return shared if shared is not None and type.ordered else polars_dtype(storable(type))


def shared_enum(kinds: Iterable[ColumnType]) -> pl.DataType | None:
    """Return the Enum that all dictionary columns share, which is also the dtype of a dictionary result; None if they differ."""
    found = {kind.enum for kind in kinds if pt.is_dictionary(kind.leaf)}
    return found.pop() if len(found) == 1 else None


def _with_leaf(storage: Any, levels: int, leaf: pl.DataType) -> pl.DataType:
    """Return nested lists of the same kind with another leaf dtype."""
    if levels == 0:
        return leaf
    inner = _with_leaf(storage.inner, levels - 1, leaf)
    return pl.Array(inner, storage.size) if isinstance(storage, pl.Array) else pl.List(inner)


def as_enum(series: pl.Series, enum: pl.DataType | None) -> pl.Series:
    """Cast categories, or structs that contain them, to an Enum; return any other Series unchanged."""
    if enum is None:
        return series
    kind = column_type(series.dtype)
    fits = pt.is_struct(kind.leaf) if isinstance(enum, pl.Struct) else pt.is_dictionary(kind.leaf)
    if kind.enum == enum or not fits:
        return series
    wanted = ColumnType(kind.leaf, kind.ndim, kind.extents, kind.jagged, enum).dtype
    lists = _with_leaf(kind.lists, kind.ndim - 1, enum)  # polars can't cast to an Enum inside an Array
    storage = wanted.ext_storage() if isinstance(wanted, Jagged) else wanted
    made = _to_enum((series.ext.storage() if kind.extension else series).cast(kind.lists), lists).cast(storage)
    return made.ext.to(wanted) if isinstance(wanted, Jagged) else made


def _to_enum(series: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Cast categories inside lists to an Enum; where the strict cast panics, compare the number of nulls instead."""
    if not ENUM_CASTS_PANIC:
        return series.cast(dtype)
    made = series.cast(dtype, strict=False)
    if _nulls(made) != _nulls(series):
        raise JagTypeError(f"not all categories of {series.dtype} are categories of {dtype}")
    return made


def _nulls(series: pl.Series) -> int:
    """The number of nulls at the innermost level, and of those that `explode` adds for rows without items."""
    while isinstance(series.dtype, (pl.List, pl.Array)):
        series = series.explode()
    if isinstance(series.dtype, pl.Struct):
        return sum(map(_nulls, series.struct.unnest().get_columns()))
    return series.null_count()


def _refuse_objects(dtype: Any) -> None:
    """Raise for Python objects, whose conversion to Arrow would panic."""
    if dtype == pl.Object:
        raise JagTypeError("a column of Python objects has no Arrow type; build it from Arrow data instead")
    if isinstance(dtype, (pl.List, pl.Array)):
        _refuse_objects(dtype.inner)
    if isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            _refuse_objects(field.dtype)


def polars_dtype(type: pa.DataType) -> pl.DataType:
    """Return the dtype in which polars stores an Arrow type."""
    try:
        return _polars_dtype(type)
    except TypeError:  # users' extension types may lack a hash
        return _polars_dtype.__wrapped__(type)


@functools.lru_cache(maxsize=1024)
def _polars_dtype(type: pa.DataType) -> pl.DataType:
    with panics(f"a dtype for {type}"):
        return pl.Series(pa.nulls(0, type)).dtype


def storable(type: pa.DataType) -> pa.DataType:
    """Return the Arrow type to which values are cast before polars receives them.

    Raises
    ------
    JagTypeError
        If polars has no dtype for it. polars would panic, and ``except Exception`` doesn't catch a panic.
    """
    if isinstance(type, pa.BaseExtensionType):
        inner = storable(type.storage_type)
        return type if inner == type.storage_type else inner
    if pt.is_decimal(type):
        return _decimal128(type)
    if pt.is_timestamp(type) and type.tz is not None and not _is_zone(type.tz):
        raise JagTypeError(
            f'polars has no dtype for {type}: it knows the zones of the Time Zone Database only; write x.dt.tz_convert("UTC") first'
        )
    if pt.is_struct(type):
        refuse_nul_fields(type)
        return pa.struct([field.with_type(storable(field.type)) for field in type])
    if pt.is_map(type):
        return pa.map_(storable(type.key_type), storable(type.item_type))
    if pt.is_dictionary(type):
        storage = storable(type.value_type)
        return type if storage == type.value_type else storage
    if pt.is_fixed_size_list(type) and type.list_size:
        return pa.list_(storable(type.value_type), type.list_size)
    if _arrow.is_list_type(type):
        return pa.large_list(storable(type.value_type))
    if pt.is_interval(type) or pt.is_union(type):
        raise JagTypeError(f"polars has no dtype for {type}; keep the column in Arrow or pandas")
    return type


_DIGITS = 38
"""The digits of the decimals of polars."""

_FEWER_DIGITS = (
    'cast to double, or to fewer digits, such as "decimal128(18, 2)"; '
    "of an operation the operands, or the result in the same expression"
)


def _decimal128(type: pa.DataType) -> pa.DataType:
    """Return the type of 128 bits for decimals; values that don't fit raise an error when they are cast.

    Types of results have room for more digits than most values need: a sum of two columns of 38 digits has 39.
    """
    scale = max(type.scale, 0)
    if scale > _DIGITS:
        raise JagTypeError(f"polars has no dtype for {type}, its decimals have at most {_DIGITS} decimal places: {_FEWER_DIGITS}")
    return pa.decimal128(min(max(type.precision + scale - type.scale, scale), _DIGITS), scale)


@functools.lru_cache(maxsize=1024)
def _is_zone(name: str) -> bool:
    """Whether polars knows a time zone."""
    try:
        pl.Series([], dtype=pl.Datetime("us", name))
    except pl.exceptions.PolarsError:
        return False
    return True


def _needs_cast(type: pa.DataType) -> bool:
    """Whether a type holds, at any depth, decimals that polars stores as another type, or lists of size 0, on which it panics."""
    if isinstance(type, pa.BaseExtensionType):
        return _needs_cast(type.storage_type)
    if pt.is_dictionary(type):
        return _needs_cast(type.value_type)
    inside = any(_needs_cast(type.field(place).type) for place in range(type.num_fields))
    is_empty = pt.is_fixed_size_list(type) and not type.list_size
    return inside or is_empty or (pt.is_decimal(type) and _decimal128(type) != type)


def _stored(array: Column) -> Column:
    """Return an array with the leaf type that polars stores; decimals of too many digits raise an error that names the row."""
    values, wanted = array.values, storable(array.values.type)
    if wanted == values.type:
        return array
    if isinstance(values.type, pa.BaseExtensionType):
        values = values.storage
    if pt.is_dictionary(values.type) and not pt.is_dictionary(wanted):
        values = _arrow.plain(values)  # Arrow has no cast of most categories
    try:
        return Column(array.shape, values.cast(wanted))
    except pa.ArrowInvalid as error:
        what = f"{_first_too_long(array, values, wanted)} does not fit {wanted}" if pt.is_decimal(wanted) else str(error)
        raise JagRangeError(f"{what}, the largest decimals of polars; {_FEWER_DIGITS}") from None


def _first_too_long(array: Column, values: pa.Array, wanted: pa.DataType) -> str:
    """Describe the first decimal that does not fit, with its row."""
    least = pa.scalar(Decimal(10) ** (wanted.precision - wanted.scale), values.type)
    place = pc.index(pc.greater_equal(pc.abs(values), least), True).as_py()
    return f"{values[place]} in {row_of_item(array.shape, place)}"


# --------------------------------------------------------------------------------------------------- values


def frame_from_table(table: pa.Table) -> pl.DataFrame:
    """Convert an Arrow table to a frame.

    Parameters
    ----------
    table : pa.Table
        Columns of any types.

    Returns
    -------
    pl.DataFrame
        Shares buffers, except for decimals of 32, 64 and 256 bits, which polars stores with 128 bits.

    Raises
    ------
    JagTypeError
        If it is not a `pa.Table`, or polars has no dtype for a column.
    JagRangeError
        If a decimal has more than the 38 digits of polars.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.polars import frame_from_table
    >>> frame_from_table(pa.table({"v": [[1, 2], None]}))["v"].dtype
    List(Int64)
    """
    instance(table, pa.Table, "frame_from_table: table", "a pa.Table")
    refuse_nul_fields(table.schema)
    if not table.num_columns:
        return pl.DataFrame(height=table.num_rows)
    for place, field in enumerate(table.schema):
        column = _storable_column(field, table.column(place))
        if column.type != field.type or _has_fixed_lists(field.type):
            table = table.set_column(place, pa.field(field.name, column.type), column)
    plain = table_with_data_of_views(table).replace_schema_metadata(None)  # polars drops metadata, and panics if they aren't UTF-8
    try:
        with panics("a frame"):
            frame = pl.DataFrame(pl.from_arrow(plain))
    except pl.exceptions.PolarsError as error:  # such as fields of equal names
        raise JagTypeError(f"polars takes no frame of these columns: {error}") from error
    ordered = [field.name for field in table.schema if has_ordered_categories(field.type)]
    frame = frame.with_columns(as_enum(frame[name], _enum_of_column(table.column(name))) for name in ordered)
    if not any(map(_names_categories, plain.schema)):
        return frame
    # polars reads lists of its Enum as Categorical, unless there are no rows.
    schema = pl.DataFrame(pl.from_arrow(plain.slice(0, 0))).schema
    return frame.with_columns(pl.col(name).cast(dtype) for name, dtype in schema.items() if frame.schema[name] != dtype)


def _storable_column(field: pa.Field, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of a type that polars takes; errors name the column."""
    try:
        column = canonical_column(column)
        wanted = storable(column.type)
        column = _trimmed(column)
        return _cast_storage(column, wanted) if _needs_cast(column.type) else column
    except JagError as error:
        raise _frames.named(error, field.name) from error.__cause__
    except pa.ArrowInvalid as error:
        raise JagRangeError(f"column {field.name!r}: {error}: polars has decimals of 38 digits; {_FEWER_DIGITS}") from None


def _enum_of_column(column: pa.ChunkedArray) -> pl.DataType | None:
    """Return the Enum of ordered categories, which polars would read without their order; None if no chunk names them."""
    if column.num_chunks == 0:
        return None
    found = enum_of(_column.from_arrow(column).values)
    if found is not None:
        return found
    leaf = column.chunk(0)  # rows without items have no values any more, but their chunk still names the categories
    while isinstance(leaf, pa.ExtensionArray) or _arrow.is_list_type(leaf.type):
        leaf = leaf.storage if isinstance(leaf, pa.ExtensionArray) else leaf.values
    return enum_of(leaf)


_ENUM = b"_PL_ENUM"
"""The beginning of the key of the field metadata in which polars writes the categories of an Enum."""


def _names_categories(field: pa.Field) -> bool:
    """Return whether metadata of the field, or of a field inside, name the categories of an Enum."""
    own = any(key.startswith(_ENUM) for key in field.metadata or ())
    return own or any(_names_categories(field.type.field(place)) for place in range(field.type.num_fields))


def _has_fixed_lists(type: pa.DataType) -> bool:
    """Return whether a level is a fixed-size list."""
    levels, _ = _arrow.level_types(storage_of(type))
    return any(map(pt.is_fixed_size_list, levels))


def _trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return fixed-size lists without values before or after their rows: polars refuses those with nulls; at size 0 it panics."""
    is_jagged = _arrow.is_jagged_extension(column.type)
    if column.num_chunks == 0 or not _has_fixed_lists(column.type) or not (_arrow.is_list_type(column.type) or is_jagged):
        return column
    chunks = [_column.to_arrow(_column.from_arrow(chunk)) for chunk in column.chunks]
    if is_jagged:
        type = JaggedType(chunks[0].type, column.type.ndim)
        chunks = [pa.ExtensionArray.from_storage(type, chunk) for chunk in chunks]
    return pa.chunked_array(chunks)


def _cast_storage(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """Cast a column; one of a jagged type keeps its ndim."""
    if not _arrow.is_jagged_extension(column.type):
        return column.cast(wanted)
    type = JaggedType(wanted, column.type.ndim)
    chunks = [pa.ExtensionArray.from_storage(type, chunk.storage.cast(wanted)) for chunk in column.chunks]
    return pa.chunked_array(chunks, type)


def from_series(series: pl.Series, ndim: int | None = None, where: str | None = None) -> JaggedArray:
    """Convert a Series to a jagged array.

    Parameters
    ----------
    series : pl.Series
        Of dtype `Jagged`, `List`, `Array` or any flat dtype; chunked and sliced ones too.
    ndim : int, optional
        Number of dims; by default that of the dtype.
    where : str, optional
        How error messages name the data.

    Returns
    -------
    JaggedArray
        Null rows stay null. Values and offsets are shared, except for text, booleans and Series of several chunks.

    Raises
    ------
    JagTypeError
        If it is not a Series of polars.
    ShapeError
        If the dtype has fewer levels than `ndim`.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> aj.polars.from_series(pl.Series([[1, 2], None, []])).to_list()
    [[1, 2], None, []]
    """
    instance(series, pl.Series, "from_series: series", "a polars Series")
    if where is not None:
        instance(where, str, "from_series: where", "a str")
    dtype = series.dtype  # which polars makes anew for each caller
    kind = column_type(dtype)
    storage = (series.ext.storage() if isinstance(dtype, Jagged) else series).alias("")
    with panics(f"the Arrow data of {dtype}"):
        arrow = storage.to_arrow()
    column = _column.from_arrow(arrow, kind.ndim if ndim is None else ndim, where or f"column {series.name!r}")
    if kind.enum is not None and not column.shape.size:  # polars exports lists without rows without their categories
        column = Column(column.shape, kind.empty().values)
    array: JaggedArray = JaggedArray._of(column)
    return array


def from_planned(series: pl.Series, kind: ColumnType) -> JaggedArray:
    """Convert a Series whose type the plan knows.

    polars itself loses the type of items if all rows are null, as in ``pl.col("v").reverse()``: they are of the planned type.
    """
    dtype = series.dtype
    if pt.is_null(column_type(dtype).leaf) and not pt.is_null(kind.leaf):
        wanted = kind.dtype
        lists = series.ext.storage() if isinstance(dtype, Jagged) else series
        series = lists.cast(wanted.ext_storage() if isinstance(wanted, Jagged) else wanted)
    return from_series(series, kind.ndim)


def to_series(array: Column, name: str = "", extension: bool = True) -> pl.Series:
    """Convert a jagged array to a Series.

    Parameters
    ----------
    array : JaggedArray
        An array of at least one dim.
    name : str
        The name of the Series.
    extension : bool
        Whether an array of two or more dims gets the dtype `Jagged`; otherwise each dim becomes a plain `List`, or an `Array`
        if its extent is declared.

    Returns
    -------
    pl.Series
        Values and offsets are shared if polars stores the leaf type unchanged; see the table of this module.

    Raises
    ------
    ShapeError
        If the array has no dims.
    JagTypeError
        If `array` is not a JaggedArray, or polars has no dtype for the leaves.
    JagRangeError
        If a decimal has more than the 38 digits of polars.

    Examples
    --------
    >>> from arrowjag.polars import to_series
    >>> import arrowjag as aj
    >>> to_series(aj.array([[1, 2], [3]]), "v").dtype
    jagged[int64, 2]
    """
    instance(array, Column, "to_series: array", "a JaggedArray")
    if not isinstance(name, str):
        raise JagTypeError(f"to_polars: name must be a str, got {type(name).__name__}")
    if array.ndim == 0:
        raise ShapeError("to_polars needs rows, and an array of ndim 0 has none; read the scalar with .values[0]")
    array = _stored(array)
    try:
        with panics(f"a Series of {array.values.type}"):
            views = Column(array.shape, text_views(array.values))  # polars would copy other text
            series = as_enum(pl.Series(name, _column.to_arrow(views)), enum_of(array.values))
    except pl.exceptions.PolarsError as error:  # such as fields of equal names
        raise JagTypeError(f"polars has no dtype for leaves of {array.values.type}: {error}") from error
    if not flag(extension, "to_polars: extension") or array.ndim == 1:
        return series
    dtype = Jagged.ext_from_params(_arrow.EXTENSION_NAME, series.dtype, metadata(array.ndim))
    return series.ext.to(dtype)


def broadcast_rows(arrays: list[JaggedArray]) -> list[JaggedArray]:
    """Repeat arrays of one row to the length of the others; literals and aggregates of polars have one row."""
    lengths = {len(array) for array in arrays}
    if len(lengths) < 2 or 1 not in lengths:
        return arrays
    n = max(lengths - {1})
    return [spread_row(array, n) for array in arrays]


def spread_row(array: JaggedArray, rows: int) -> JaggedArray:
    """Repeat an array of one row; return any other array unchanged."""
    if len(array) != 1 or rows == 1:
        return array
    frame = [Uniform._frame(rows)]
    return JaggedArray._of(structure.take_items(array, 1, np.zeros(rows, np.int64), frame))


@contextmanager
def panics(what: str) -> Iterator[None]:
    """Convert a panic of polars, which ``except Exception`` doesn't catch, to a `JagTypeError`.

    Parameters
    ----------
    what : str
        The attempted operation, which starts the error message.
    """
    try:
        yield
    except PanicException as error:
        raise JagTypeError(f"{what}: polars panicked, which is a defect of polars, and gave no result: {error}") from error
