"""Wrappers of pandas methods that are given a list for a row: pandas would refuse it, or take it for a column of values."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import no_default

from arrowjag.errors import JagError
from arrowjag.pandas._cells import is_jagged, row_of
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.row import Row

__all__ = ["fillna", "holds", "replace"]

_LISTS = (list, tuple, np.ndarray)


def fillna(original: Callable[..., Any]) -> Any:
    """Fill null rows with a list; pandas takes a `Row` only, because a list is no scalar."""

    def filled(self: Any, value: Any = None, **options: Any) -> Any:
        if isinstance(self, pd.Series) and is_jagged(self):
            value = _fresh(value, self.dtype)
        return original(self, value, **options)

    return filled


def replace(original: Callable[..., Any]) -> Any:
    """Replace rows that are given as lists; pandas would compare such a list with the whole column."""

    def replaced(self: Any, to_replace: Any = None, value: Any = no_default, **options: Any) -> Any:
        dtypes = [self.dtype] if isinstance(self, pd.Series) else [*self.dtypes]
        if any(isinstance(dtype, JaggedDtype) for dtype in dtypes):
            dtype = dtypes[0] if isinstance(self, pd.Series) else None
            if isinstance(to_replace, Row):
                value = _fresh(value, dtype)
            elif isinstance(to_replace, (list, tuple)) and any(isinstance(one, (Row, *_LISTS)) for one in to_replace):
                to_replace = [_known(one, dtype) for one in to_replace]
                value = [_fresh(one, dtype) for one in value] if isinstance(value, (list, tuple)) else value
        return original(self, to_replace, value, **options)

    return replaced


def _known(value: Any, dtype: Any) -> Any:
    """Convert a list to a row of its own type, which is compared by value; a list of another depth equals no row."""
    if isinstance(value, _LISTS):
        with contextlib.suppress(JagError):
            return Row(value, None, None if dtype is None else dtype.ndim - 1)
    return value


def _fresh(value: Any, dtype: Any) -> Any:
    """Convert a list to a row that is written to a column of the dtype; without a dtype, it may be written to several columns."""
    if not isinstance(value, _LISTS):
        return value
    return _known(value, None) if dtype is None else row_of(value, dtype)


def holds(original: Callable[..., Any]) -> Any:
    """Only jagged columns and objects hold rows; pandas asks before it compares a column with the value to replace."""

    def can_hold_element(self: Any, element: Any) -> bool:
        if isinstance(element, Row) and not is_jagged(self) and self.dtype != object:
            return False
        return bool(original(self, element))

    return can_hold_element
