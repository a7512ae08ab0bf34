"""Wrappers of methods of pandas before 3.1, which give jagged columns the behaviour of 3.1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from arrowjag.pandas._cells import is_jagged
from arrowjag.pandas._convert import is_missing
from arrowjag.pandas._objects import without_rows
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["columns_of", "keep_dtypes", "replace", "to_json"]


def to_json(original: Callable[..., Any]) -> Any:
    """Write the items of rows; pandas would write the attributes of a `Row`."""

    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return original(without_rows(self), *args, **kwargs)

    return called


def replace(original: Callable[..., Any]) -> Any:
    """Replace whole rows; pandas raises for a `Row`, and ignores a list of them."""

    def called(self: Any, to_replace: Any = None, *args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else kwargs.get("value")
        pairs = _pairs(to_replace, value)
        if pairs is None:
            return original(self, to_replace, *args, **kwargs)
        result = _replaced(self, pairs)
        if not kwargs.get("inplace", False):
            return result
        self._update_inplace(result)
        return None

    return called


def _pairs(old: Any, new: Any) -> list[tuple[Row, Any]] | None:
    """Return the rows to replace, each with its replacement; None if other values are replaced."""
    if isinstance(old, dict):
        old, new = list(old), list(old.values())
    if isinstance(old, Row):
        old = [old]
    if not isinstance(old, (list, tuple)) or not old or not all(isinstance(one, Row) for one in old):
        return None
    new = new if isinstance(new, (list, tuple)) else [new] * len(old)
    return list(zip(old, new, strict=True))


def _replaced(data: Any, pairs: list[tuple[Row, Any]]) -> Any:
    result = data.copy()
    if isinstance(data, pd.DataFrame):
        for place, dtype in enumerate(data.dtypes):
            if isinstance(dtype, JaggedDtype):
                result.isetitem(place, _replaced(data.iloc[:, place], pairs))
        return result
    if is_jagged(data):
        for old, new in pairs:
            found = (data.array == old).to_numpy(dtype=bool, na_value=False)
            if found.any():  # else the new row need not fit the column
                result.array[found] = None if is_missing(new) else new
    return result


def columns_of(data: Any) -> list[Any]:
    """The arrays of a frame, or of a Series."""
    return [data.array] if isinstance(data, pd.Series) else [data.iloc[:, place].array for place in range(data.shape[1])]


def keep_dtypes(data: Any, before: list[Any]) -> None:
    """Restore the jagged dtype of columns that became objects when a row was appended.

    Parameters
    ----------
    data : pandas.DataFrame or pandas.Series
        The data after the assignment.
    before : list of array
        Its columns before it.
    """
    for place, old in enumerate(before):
        if not is_jagged(old) or len(data) != len(old) + 1:
            continue
        now = data if isinstance(data, pd.Series) else data.iloc[:, place]
        if is_jagged(now):
            continue
        last = type(old)._from_sequence([now.iloc[-1]], dtype=old.dtype)
        whole = pd.Series(type(old)._concat_same_type([old, last]), index=data.index, name=now.name, copy=False)
        if isinstance(data, pd.Series):
            data._update_inplace(whole)
        else:
            data.isetitem(place, whole)
