"""Jagged columns in pandas: the dtype, the extension array, its row, and `.jag` on Series and DataFrame."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from arrowjag._array import JaggedArray
from arrowjag.pandas import host
from arrowjag.pandas._operators import wrap
from arrowjag.pandas.accessor import SeriesJag
from arrowjag.pandas.array import JaggedExtensionArray
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.frame import FrameJag
from arrowjag.pandas.row import Row

__all__ = [
    "FrameJag",
    "JaggedDtype",
    "JaggedExtensionArray",
    "Row",
    "SeriesJag",
    "host",
    "series_from_arrow",
    "to_series",
]


def to_series(array: JaggedArray, index: Any = None, name: Any = None) -> Any:
    """A jagged array as a Series.

    Parameters
    ----------
    array : JaggedArray
        Of one or more dims.
    index : pandas.Index, optional
        The row labels.
    name : hashable, optional
        The name.

    Returns
    -------
    pandas.Series
        Of dtype `jagged[...]`, or Arrow-backed where the array has one dim. Buffers are shared.

    Examples
    --------
    >>> import arrowjag as aj
    >>> to_series(aj.array([[1, 2], [3]]), index=["a", "b"])
    a    [1, 2]
    b       [3]
    dtype: jagged[int64, 2]
    """
    return pd.Series(wrap(array), index=index, name=name, copy=False)


def series_from_arrow(array: pa.ExtensionArray) -> Any:
    """An Arrow array of the type `arrowjag.jagged` as a Series.

    Parameters
    ----------
    array : pa.ExtensionArray
        The column.

    Returns
    -------
    pandas.Series
        Of dtype `jagged[...]`. Buffers are shared.

    Examples
    --------
    >>> import arrowjag as aj
    >>> series_from_arrow(aj.array([[1], None]).to_arrow())
    0     [1]
    1    <NA>
    dtype: jagged[int64, 2]
    """
    dtype = JaggedDtype.from_arrow_type(array.type)
    if not isinstance(dtype, JaggedDtype):
        return pd.Series(array.storage, dtype=dtype)
    return pd.Series(JaggedExtensionArray(array, dtype), copy=False)
