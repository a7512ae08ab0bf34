"""Calls of array methods from pandas: arguments are aligned by index, results get index and name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._pyarrow_versions import has_views, without_views
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._operators import as_operand, wrap, wrap_values
from arrowjag.pandas.row import Row

__all__ = ["align", "opened", "rewrap"]


def align(series: Sequence[pd.Series[Any]], join: str = "outer") -> list[pd.Series[Any]]:
    """Series on one index.

    Parameters
    ----------
    series : sequence of Series
        At least one.
    join : {"outer", "left"}
        Whether to keep all labels, or only those of the first Series.

    Returns
    -------
    list of Series
        Rows without a label in a Series are missing in it.
    """
    index = series[0].index
    if join == "outer":
        for one in series[1:]:
            index = index if index.equals(one.index) else index.union(one.index)
    return [one if one.index.equals(index) else _reindexed(one, index) for one in series]


def _reindexed(series: pd.Series[Any], index: Any) -> pd.Series[Any]:
    """Reindex a Series; integers and booleans keep their type, while pandas would convert them to floats and objects.

    Text stored as views becomes large text.
    """
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        series = series.astype(pd.ArrowDtype(pa.from_numpy_dtype(dtype)))
    elif isinstance(dtype, pd.ArrowDtype) and has_views(dtype.pyarrow_dtype):  # pyarrow takes none of them by position
        text = series.array.__arrow_array__().cast(without_views(dtype.pyarrow_dtype))
        series = pd.Series(pd.arrays.ArrowExtensionArray(text), index=series.index, name=series.name)
    return series.reindex(index)


def opened(value: Any, n: int | None = None) -> Any:
    """Convert a pandas value for the core: Series and arrays to jagged arrays, missing values to None; a `Row` is repeated."""
    value = getattr(value, "_series", value)
    if isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return as_array(value)
    if isinstance(value, Row):
        return value.array if n is None else as_operand(value, n)
    return None if value is pd.NA or value is pd.NaT else value


def rewrap(result: Any, index: Any = None, name: Any = None) -> Any:
    """Convert a result of the core to pandas.

    Parameters
    ----------
    result : object
        An array becomes a Series, a scalar of Arrow a Python value; items of tuples, lists and dicts are converted.
    index : pandas.Index, optional
        The labels of the rows; those of a result of another length are new.
    name : hashable, optional
        The name.

    Returns
    -------
    object
        The result in pandas.
    """
    if isinstance(result, JaggedArray):
        if result.ndim == 0:
            return result.values[0].as_py()
        fits = index is not None and len(index) == len(result)
        return pd.Series(wrap(result), index=index if fits else None, name=name, copy=False)
    if isinstance(result, pa.Array):
        fits = index is not None and len(index) == len(result)
        return pd.Series(wrap_values(result), index=index if fits else None, name=name, copy=False)
    if isinstance(result, pa.Scalar):
        return result.as_py()
    if isinstance(result, tuple) and hasattr(result, "_make"):
        return result._make([rewrap(one, index, name) for one in result])
    if isinstance(result, (tuple, list)):
        return type(result)(rewrap(one, index, name) for one in result)
    if isinstance(result, dict):
        return {key: rewrap(one, index, name) for key, one in result.items()}
    return result
