"""Convert assigned values to rows: one row for all positions, or one per position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._array.base import as_column
from arrowjag._column import Column
from arrowjag._ops import elementwise, structure
from arrowjag.dims import Uniform
from arrowjag.errors import JagError, JagTypeError, ShapeError, brief, plural
from arrowjag.pandas._convert import conform, is_missing, read_rows, rows
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["depth_of", "fresh_rows", "labels_of"]


def fresh_rows(value: Any, n: int, dtype: JaggedDtype, many: bool = False, categories: pa.Array | None = None) -> Column:
    """Return the rows that an assignment writes.

    Parameters
    ----------
    value : object
        A row (`Row`, a nested list of the right depth, for a single position a flat array), a missing value, or a sequence of `n`
        rows. A list, array or Series for several positions holds one row for each of them.
    n : int
        The number of rows to write.
    dtype : JaggedDtype
        The dtype of the rows.
    many : bool
        Whether the key may name several rows.
    categories : pa.Array, optional
        The values of a column of ordered categories: an assigned value holds labels of these categories, if it has no order itself.

    Returns
    -------
    Column
        Of `n` rows and of the dtype.

    Raises
    ------
    ShapeError
        If the number of rows or their nesting does not fit.
    JagTypeError
        If the value is not a row, or its leaves don't fit the dtype.
    JagValueError
        If a label is not one of the ordered categories.
    """
    if categories is not None and not any(elementwise.is_ordered(type) for type in _leaf_types(value)):
        return _encoded(fresh_rows(value, n, labels_of(dtype), many), categories)
    if not many and isinstance(value, np.ndarray) and value.dtype == object and len(value) == 1 and isinstance(value[0], Row):
        value = value[0] if value[0].array.ndim == dtype.ndim - 1 else value  # a record of one column
    for type in _leaf_types(value):
        _refuse_kind(type, dtype)
    if isinstance(value, Row) or (not _is_sequence(value) and is_missing(value)):
        return _repeated(rows([value], dtype), n)
    if isinstance(value, (bool, np.bool_)) and pa.types.is_boolean(dtype.leaf):
        raise JagTypeError(
            f"a mask of {dtype} has several items per row: pandas' where and mask take one per row, .jag.any() or "
            ".jag.all(); item by item there are arrowjag.where and .jag.clip"
        )
    if not _is_sequence(value):
        raise JagTypeError(
            f"Invalid value {brief(value)} for dtype {dtype}: a row is a list; .jag.fill_null and .jag.set change items"
        )
    if _is_one_row(value, dtype, many):
        if many and (n > 1 or not isinstance(value, (list, tuple))):
            levels = f"{dtype.ndim - 1} level{'s' * (dtype.ndim > 2)}"
            raise JagTypeError(
                f"cannot set rows of {dtype} from {_kind(value)}: each of its items is for one row, and a row is a list of "
                f"{levels}. Give lists, or a Row for the same one in every position"
            )
        return _repeated(_one_row(value, dtype), n)
    if not many and isinstance(value, (list, tuple, np.ndarray)):
        raise JagTypeError(
            f"Invalid value {brief(value)} for dtype {dtype}: a row has {plural(dtype.ndim - 1, 'level')}, this list is deeper"
        )
    column = read_rows(value, dtype)
    _refuse_kind(column.type, dtype)
    column = conform(column, dtype)
    if n == 0 or column.shape.nodes(1) == 1:
        return _repeated(column, n)
    if column.shape.nodes(1) != n:
        raise ShapeError(f"cannot set {plural(n, 'row')} from {column.shape.nodes(1)}: lengths must match")
    return column


def _is_sequence(value: Any) -> bool:
    kinds = (list, tuple, np.ndarray, Column, pa.Array, pa.ChunkedArray, pd.Series, pd.Index)
    return isinstance(value, (*kinds, pd.api.extensions.ExtensionArray))


def labels_of(dtype: JaggedDtype) -> JaggedDtype:
    """Return the dtype in which assigned lists are read: labels have no order before they meet the categories of a column."""
    if not elementwise.is_ordered(dtype.leaf):
        return dtype
    return JaggedDtype(elementwise.plain_type(dtype.leaf), dtype.ndim, dtype.extents)


def _leaf_types(value: Any) -> list[pa.DataType]:
    """Return the leaf types of an assigned value that has any: of columns, of a row, of the rows in a list."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        times = {one.dtype.kind for one in value if isinstance(one, np.ndarray) and one.dtype.kind in "mM"}  # are read as counts
        own = [pa.duration("s") if kind == "m" else pa.timestamp("s") for kind in sorted(times)]
        return own + [one.type for one in value if isinstance(one, Row)]
    if isinstance(value, (Row, Column)):
        return [value.type]
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return [_arrow.level_types(getattr(value.type, "storage_type", value.type))[1]]
    dtype = getattr(value, "dtype", None)
    return [dtype.leaf] if isinstance(dtype, JaggedDtype) else []


def _encoded(labels: Column, categories: pa.Array) -> Column:
    """Encode labels by the ordered categories of the column that they are written to."""
    (codes, _), dictionary = elementwise.codes_beside([labels.values, categories], "setting rows")
    return Column(labels.shape, elementwise.from_codes(codes, dictionary, [categories.type]))


def _kind(value: Any) -> str:
    what = type(value).__name__
    dtype = getattr(value, "dtype", None) or getattr(value, "type", None)
    return f"a {what}" if dtype is None else f"a {what} of {dtype}"


def _repeated(column: Column, n: int) -> Column:
    if n == 1:
        return column
    return structure.take_items(column, 1, np.zeros(n, np.int64), [Uniform._frame(n)])


def _is_one_row(value: Any, dtype: JaggedDtype, many: bool) -> bool:
    """Return whether a list is one row: it has one level less than the column, or fewer if a single position is assigned."""
    depth = depth_of(value)
    if depth is None:
        return not many
    return depth < dtype.ndim if not many else depth == dtype.ndim - 1 and not _holds_rows(value)


def _holds_rows(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(one, Row) for one in value)


def depth_of(value: Any) -> int | None:
    """Return the levels of a sequence; None if missing values and empty lists leave them open."""
    if isinstance(value, Column):
        return value.ndim
    own = getattr(getattr(value, "dtype", None), "ndim", None)
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return 1 + _arrow.depth(getattr(value.type, "storage_type", value.type))
    if isinstance(own, int) and isinstance(value.dtype, JaggedDtype):
        return own
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value.ndim
    inner = [1 + one._ndim if isinstance(one, Row) else _inner_depth(one) for one in value]
    known = [one for one in inner if one is not None]
    return max(known) if known else None


def _inner_depth(value: Any) -> int | None:
    if _is_sequence(value):
        depth = depth_of(value)
        return None if depth is None else depth + 1
    return None if is_missing(value) else 1


def _one_row(value: Any, dtype: JaggedDtype) -> Column:
    if isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        value = list(value)
    items = [None if not _is_sequence(one) and is_missing(one) else one for one in value] if isinstance(value, list) else value
    try:
        row = Row(as_column(items, type=dtype.leaf if isinstance(items, (list, tuple)) else None, ndim=dtype.ndim - 1))
    except JagError as error:
        raise JagTypeError(f"Invalid value {brief(value)} for dtype {dtype}: {error}") from None
    _refuse_kind(row.type, dtype)
    return rows([row], dtype)


def _refuse_kind(type: pa.DataType, dtype: JaggedDtype) -> None:
    """Raise for leaves of another kind, which only a cast converts: assignments change no text to numbers, nor times to counts."""
    kind, wanted = _kind_of(type), _kind_of(dtype.leaf)
    if kind is None or wanted in (None, kind) or (kind == "numbers" and wanted in _COUNTED):
        return
    raise JagTypeError(
        f"cannot set rows of {dtype} from rows of {type}, which are {kind}, no {wanted}. Convert them first, such as by "
        f".jag.cast({str(dtype.leaf)!r})"
    )


_COUNTED = frozenset({"times", "durations", "times of day"})
"""Kinds that numbers in lists are counts of."""


def _kind_of(type: pa.DataType) -> str | None:
    """Return the kind of leaves in which values convert without a cast; None for nulls, and for nested and extension types."""
    type = elementwise.plain_type(type)
    return next((kind for kind, is_kind in _KINDS.items() if is_kind(type)), None)


_KINDS: dict[str, Callable[[pa.DataType], bool]] = {
    "booleans": pt.is_boolean,
    "numbers": lambda type: pt.is_integer(type) or pt.is_floating(type) or pt.is_decimal(type),
    "text": lambda type: elementwise.is_text(type) or elementwise.is_bytes(type),
    "times": lambda type: pt.is_timestamp(type) or pt.is_date(type),
    "durations": pt.is_duration,
    "times of day": pt.is_time,
}
