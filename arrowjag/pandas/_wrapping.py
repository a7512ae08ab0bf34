"""Calls of array methods from pandas: arguments are aligned by index, results get index and name."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag._pyarrow_versions import has_views, without_views
from arrowjag.pandas._convert import as_array
from arrowjag.pandas._operators import as_operand, wrap, wrap_values
from arrowjag.pandas.row import Row

__all__ = ["align", "described", "opened", "rewrap"]

_Made = TypeVar("_Made")


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
    if join == "left":
        index = series[0].index
        return [one if one.index.equals(index) else _nullable(one).reindex(index) for one in series]
    aligned = [series[0]]
    for one in series[1:]:
        index = aligned[0].index
        if not index.equals(one.index):
            joined, places, own = index.join(one.index, how="outer", return_indexers=True)
            aligned = [_placed(before, places, joined) for before in aligned]
            one = _placed(one, own, joined)  # noqa: PLW2901
        aligned.append(one)
    return aligned


def _placed(series: pd.Series[Any], places: Any, index: Any) -> pd.Series[Any]:
    """Return rows by number, -1 for a missing one; None means all rows in their order."""
    if places is None:
        return series.set_axis(index)
    rows = _nullable(series).array.take(places, allow_fill=True)
    return pd.Series(rows, index=index, name=series.name, copy=False)


def _nullable(series: pd.Series[Any]) -> pd.Series[Any]:
    """Convert a Series to a type with nulls: integers and booleans would become floats and objects where a label is missing.

    Text stored as views becomes large text.
    """
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        return series.astype(pd.ArrowDtype(pa.from_numpy_dtype(dtype)))
    if isinstance(dtype, pd.ArrowDtype) and has_views(dtype.pyarrow_dtype):  # pyarrow takes none of them by position
        text = series.array.__arrow_array__().cast(without_views(dtype.pyarrow_dtype))
        return pd.Series(pd.arrays.ArrowExtensionArray(text), index=series.index, name=series.name)
    return series


def opened(value: Any, n: int | None = None) -> Any:
    """Convert a pandas value for the core: Series and arrays to jagged arrays; a `Row` is repeated, scalars stay."""
    value = getattr(value, "_series", value)
    if isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return as_array(value)
    if isinstance(value, Row):
        return value.array if n is None else as_operand(value, n)
    return value


def rewrap(result: Any, index: Any = None, name: Any = None, like: Any = None) -> Any:
    """Convert a result of the core to pandas.

    Parameters
    ----------
    result : object
        An array becomes a Series, a scalar of Arrow a Python value; items of tuples, lists and dicts are converted.
    index : pandas.Index, optional
        The labels of the rows; those of a result of another length are new.
    name : hashable, optional
        The name.
    like : pandas.Series or pandas.DataFrame, optional
        The data whose `attrs` and flags the result keeps.

    Returns
    -------
    object
        The result in pandas.
    """
    if isinstance(result, JaggedArray) and result.ndim == 0:
        return result.values[0].as_py()
    if isinstance(result, pa.Scalar):
        return result.as_py()
    if isinstance(result, (JaggedArray, pa.Array)):
        fits = index is not None and len(index) == len(result)
        column = wrap(result) if isinstance(result, JaggedArray) else wrap_values(result)
        return described(pd.Series(column, index=index if fits else None, name=name, copy=False), like)
    if isinstance(result, tuple) and hasattr(result, "_make"):
        return result._make([rewrap(one, index, name, like) for one in result])
    if isinstance(result, (tuple, list)):
        return type(result)(rewrap(one, index, name, like) for one in result)
    if isinstance(result, dict):
        return {key: rewrap(one, index, name, like) for key, one in result.items()}
    return result


def described(made: _Made, like: Any) -> _Made:
    """Give a new Series or DataFrame the `attrs` and flags of the data it was made of, as results of pandas have."""
    result: Any = made
    if like is not None and (attrs := like.attrs):
        result.attrs = copy.deepcopy(attrs)
    if like is not None and not like.flags.allows_duplicate_labels:
        result.flags.allows_duplicate_labels = False
    return made
