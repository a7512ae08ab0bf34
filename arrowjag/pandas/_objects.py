"""Convert jagged columns to Python lists for `to_dict`, json, and the libraries that call them."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from arrowjag.pandas._cells import is_jagged
from arrowjag.pandas.row import Row

__all__ = ["as_lists", "with_exact_items", "without_rows"]


def as_lists(values: Any) -> npt.NDArray[Any]:
    """The rows of a jagged Series or array as lists, None for null rows."""
    lists = np.empty(len(values), object)
    for place, one in enumerate(getattr(values, "array", values)._jagged.to_list()):
        lists[place] = one
    return lists


def without_rows(data: Any) -> Any:
    """Replace jagged columns of a Series or DataFrame by Python lists; return it unchanged if it has none."""
    if isinstance(data, pd.Series):
        return pd.Series(as_lists(data), index=data.index, name=data.name) if is_jagged(data) else data
    places = [place for place in range(data.shape[1]) if is_jagged(data.iloc[:, place])]
    if not places:
        return data
    result = data.copy(deep=False)
    for place in places:
        result.isetitem(place, pd.Series(as_lists(data.iloc[:, place]), index=data.index, dtype=object))
    return result


def with_exact_items(frame: Any) -> Any:
    """Replace Arrow-backed columns with missing values by objects; pandas would convert their integers to floats for lists."""
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    places = [place for place, one in enumerate(columns) if isinstance(one.dtype, pd.ArrowDtype) and one.hasnans]
    if not places:
        return frame
    result = frame.copy(deep=False)
    for place in places:
        items = columns[place].to_numpy(dtype=object, na_value=None)
        result.isetitem(place, pd.Series(items, index=frame.index, dtype=object))
    return result


sqlite3.register_adapter(Row, str)  # `DataFrame.to_sql` passes rows to the driver, which does not support lists: rows become JSON
