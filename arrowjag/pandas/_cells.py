"""Assignments through `loc` and `iloc` to jagged columns, in which pandas would read the list of a row as a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from arrowjag._column import row_validity
from arrowjag.errors import JagError
from arrowjag.pandas._convert import read
from arrowjag.pandas._operators import wrap_column
from arrowjag.pandas._setting import depth_of, fresh_rows, labels_of
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["is_jagged", "row_of", "rows_to_set"]


def is_jagged(values: Any) -> bool:
    """Whether a Series, Index or array has a jagged dtype."""
    return isinstance(getattr(values, "dtype", None), JaggedDtype)


def rows_to_set(target: Any, key: Any, value: Any, by_label: bool) -> Any:
    """Convert lists in the value of an assignment to rows.

    Parameters
    ----------
    target : pandas.Series or pandas.DataFrame
        The frame or Series that is changed.
    key : object
        The key between the brackets.
    value : object
        The assigned value.
    by_label : bool
        Whether columns are named by label, as in `loc`, or by position.

    Returns
    -------
    object
        The value itself if no jagged column is assigned.
    """
    if not isinstance(value, (list, tuple, dict, np.ndarray)):
        return value
    if isinstance(target, pd.Series):
        return _row(value, target.dtype) if is_jagged(target) and _is_one(key, target.index, by_label) else value
    dtypes = list(target.dtypes)
    if not any(isinstance(dtype, JaggedDtype) for dtype in dtypes):
        return value
    rows, column = _split(key, target.index, by_label)
    one_row = _is_one(rows, target.index, by_label)
    if not _is_one(column, target.columns, by_label):
        chosen = _chosen(target.columns, column, by_label)
        types = [dtypes[place] for place in chosen]
        if not any(isinstance(dtype, JaggedDtype) for dtype in types):
            return value
        return _record(value, target.columns[chosen], types) if one_row else _table(value, types)
    place = _place(target.columns, column, by_label)
    if place is None or not isinstance(dtypes[place], JaggedDtype):
        return value
    return row_of(value, dtypes[place]) if one_row else _rows(value, dtypes[place])


def _split(key: Any, index: Any, by_label: bool) -> tuple[Any, Any]:
    """Return the rows and the columns that a key selects. A tuple may also be a label of several levels."""
    is_label = by_label and isinstance(index, pd.MultiIndex) and _is_one(key, index, by_label) and key in index
    return key if isinstance(key, tuple) and len(key) == 2 and not is_label else (key, slice(None))


def _is_one(key: Any, index: Any, by_label: bool) -> bool:
    """Return whether a key names a single row or column: a label of several levels does if it gives all of them."""
    if not by_label or not isinstance(index, pd.MultiIndex):
        return bool(pd.api.types.is_scalar(key))
    return isinstance(key, tuple) and len(key) == index.nlevels and all(map(pd.api.types.is_scalar, key))


def _place(columns: Any, column: Any, by_label: bool) -> int | None:
    """Return the position of a single selected column; None if no column or several are selected."""
    if by_label and column not in columns:
        return None
    place = columns.get_loc(column) if by_label else column
    return int(place) if isinstance(place, (int, np.integer)) and -len(columns) <= place < len(columns) else None


def _chosen(columns: Any, selection: Any, by_label: bool) -> list[int]:
    """Return the positions of selected columns; none if pandas will raise for the selection."""
    places = pd.Series(range(len(columns)), index=columns)
    try:
        return list((places.loc if by_label else places.iloc)[selection])
    except (KeyError, IndexError, TypeError, ValueError):
        return []


def _record(value: Any, columns: Any, dtypes: list[Any]) -> Any:
    """Return one value per column; those of jagged columns are rows. pandas reads a list that begins with a row as a table."""
    if isinstance(value, dict):
        types = dict(zip(columns, dtypes, strict=True))
        return {name: _row(one, types.get(name)) for name, one in value.items()}
    if len(value) != len(dtypes):
        return value
    record = np.empty(len(dtypes), object)
    for place, (one, dtype) in enumerate(zip(value, dtypes, strict=True)):
        record[place] = _row(one, dtype)
    return record


def _table(value: Any, dtypes: list[Any]) -> Any:
    """Return a two-dimensional array of the records in a list of lists: pandas before 3.1 would read one list per column."""
    if isinstance(value, dict) or not len(value):
        return value
    if not all(isinstance(record, (list, tuple, np.ndarray)) and len(record) == len(dtypes) for record in value):
        return value
    table = np.empty((len(value), len(dtypes)), object)
    for place, record in enumerate(value):
        table[place] = _record(record, None, dtypes)
    return table


def _row(value: Any, dtype: Any) -> Any:
    """Convert a list to a row of a jagged dtype; other values are left for pandas to set or to reject."""
    if not isinstance(dtype, JaggedDtype) or not isinstance(value, (list, tuple, np.ndarray)):
        return value
    has_own_type = isinstance(value, np.ndarray) and value.dtype.kind != "O"  # is compared with that of the column when it is set
    try:
        return Row(value, None if has_own_type else labels_of(dtype).leaf, dtype.ndim - 1)
    except JagError:
        return value


def row_of(value: Any, dtype: JaggedDtype) -> Any:
    """Convert the list for one cell to a row. A list that is no row raises: pandas would set one of its items, or all flattened.

    Parameters
    ----------
    value : list, tuple, numpy.ndarray or dict
        The assigned value; a dict is left for pandas to refuse.
    dtype : JaggedDtype
        The dtype of the column.

    Returns
    -------
    Row
        Of the leaf type of the dtype.
    """
    row = _row(value, dtype)
    if row is value and not isinstance(value, dict):
        fresh_rows(value, 1, labels_of(dtype))
    return row


def _rows(value: Any, dtype: JaggedDtype) -> Any:
    """Convert lists to rows of a jagged dtype; a list of items is unchanged, because it does not have one row per position."""
    if isinstance(value, dict) or not len(value) or depth_of(value) not in (None, dtype.ndim):
        return value
    dtype = labels_of(dtype)
    column = read(value, dtype)
    return Row._at(column, 0) if len(value) == 1 and row_validity(column, 1) is None else wrap_column(column, dtype)
