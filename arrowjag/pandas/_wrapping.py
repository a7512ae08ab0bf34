"""Calls of the core from pandas: Series are aligned and opened on the way in, results get index and name on the way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._operators import as_operand, wrap
from arrowjag.pandas.row import Row

__all__ = ["align", "opened", "rewrap"]


def align(series: Sequence[pd.Series[Any]], join: str = "outer") -> list[pd.Series[Any]]:
    """Series on one index.

    Parameters
    ----------
    series : sequence of Series
        At least one.
    join : {"outer", "left"}
        Whether all labels stay, or those of the first.

    Returns
    -------
    list of Series
        Rows that a Series lacks are missing in it.
    """
    index = series[0].index
    if join == "outer":
        for one in series[1:]:
            index = index if index.equals(one.index) else index.union(one.index)
    return [one if one.index.equals(index) else one.reindex(index) for one in series]


def opened(value: Any, n: int | None = None) -> Any:
    """A value of pandas as one of the core: Series and arrays become jagged arrays, rows repeat, missing marks are None."""
    value = getattr(value, "_series", value)
    if isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return as_array(value)
    if isinstance(value, Row):
        return value.array if n is None else as_operand(value, n)
    return None if value is pd.NA or value is pd.NaT else value


def rewrap(result: Any, index: Any = None, name: Any = None) -> Any:
    """A result of the core as one of pandas.

    Parameters
    ----------
    result : object
        An array becomes a Series, a scalar of Arrow a Python value; tuples, lists and dicts are opened.
    index : pandas.Index, optional
        The labels of the rows; those of a result of another length are new.
    name : hashable, optional
        The name.

    Returns
    -------
    object
        What a user of pandas expects.
    """
    if isinstance(result, JaggedArray):
        if result.ndim == 0:
            return result.values[0].as_py()
        fits = index is not None and len(index) == len(result)
        return pd.Series(wrap(result), index=index if fits else None, name=name, copy=False)
    if isinstance(result, pa.Scalar):
        return result.as_py()
    if isinstance(result, (tuple, list)):
        return type(result)(rewrap(one, index, name) for one in result)
    return result
