"""Jagged columns in pandas: the dtype, the extension array, its row, and `.jag` on Series and DataFrame.

Every method of `JaggedArray` is available as ``series.jag.NAME``. Operations of pandas itself:

>>> import arrowjag as aj
>>> import pandas as pd
>>> df = pd.DataFrame({"k": ["a", "a", "b"], "v": aj.array([[1, 2], [3], None])})

Operators align on the index, then broadcast by prefix. ``<``, ``<=``, ``>`` and ``>=`` are elementwise; ``==`` and ``!=`` compare
whole rows, and are elementwise with ``.jag``.

>>> (df["v"] > 1).jag.to_list()
[[False, True], [True], None]
>>> (df["v"] == df["v"]).tolist()
[True, True, <NA>]
>>> (df["v"].jag == 2).jag.to_list()
[[False, True], [False], None]

Aggregations of ``groupby`` (sum, prod, mean, min, max, median, var, std, any, all) combine the items at the same position in the
rows of a group, like ``.jag.sum(axis=0)``. Your own function has to name the axis; an array that it returns is the group's row.

>>> df.groupby("k")["v"].sum().jag.to_list()
[[4, 2], []]
>>> df.groupby("k").agg(total=("v", "sum"), longest=("v", lambda s: s.jag.lengths().max()))["total"].jag.to_list()
[[4, 2], []]
>>> df.groupby("k")["v"].agg(lambda s: s.jag.cumsum(axis=0).jag.max(axis=0)).jag.to_list()
[[4, 2], []]

Set a row to a `Row`, or through ``loc``, ``iloc`` and ``at`` to a list; set several rows to a list with one list per row.
`fillna` and `replace` take lists for rows, too; `where` needs a `Row`, because pandas takes a list for a column. Rows that are
set in a loop are buffered, and written together when the column is next read as a whole, so such a loop takes linear time. A loop
that also reads the whole column in each turn does not: collect the rows in a list and set them at once.

>>> df.loc[2, "v"] = aj.Row([7])
>>> df.at[1, "v"] = [3]
>>> df["v"].shift(1).fillna(aj.Row([0])).jag.to_list()
[[0], [1, 2], [3]]

Files keep the dtype. For readers without arrowjag use `arrowjag.write_parquet`: ``df.to_parquet`` stores the name of the dtype in
pandas' own metadata, and pandas without arrowjag can't look it up. duckdb reads Arrow tables:
``duckdb.from_arrow(pa.table(df))``, or ``duckdb.sql("from t")`` with ``t = pa.table(df)``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._arguments import has_items, instance
from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._gate.layouts import canonical_column
from arrowjag._pyarrow_versions import has_views, with_metadata, without_views
from arrowjag.errors import JagTypeError, ShapeError, brief
from arrowjag.functions._storage import portable
from arrowjag.pandas import _entry, groupby, host
from arrowjag.pandas._operators import wrap, wrap_values
from arrowjag.pandas.accessor import SeriesJag
from arrowjag.pandas.array import JaggedExtensionArray
from arrowjag.pandas.dtype import JaggedDtype
from arrowjag.pandas.frame import FrameJag
from arrowjag.pandas.groupby import GroupByJag
from arrowjag.pandas.row import Row

__all__ = [
    "FrameJag",
    "GroupByJag",
    "JaggedDtype",
    "JaggedExtensionArray",
    "Row",
    "SeriesJag",
    "frame_from_table",
    "series_from_arrow",
    "to_series",
]


_entry.install()
groupby.install()
host.install()


def to_series(array: JaggedArray, index: Any = None, name: Any = None) -> Any:
    """Convert a jagged array to a Series.

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
        Of dtype `jagged[...]`, or Arrow-backed if the array has one dim. Buffers are shared.

    Raises
    ------
    ShapeError
        If the index does not have one label per row.
    JagTypeError
        If `array` is not a JaggedArray, pandas can't build the index, or the name is not hashable.

    Examples
    --------
    >>> from arrowjag.pandas import to_series
    >>> import arrowjag as aj
    >>> to_series(aj.array([[1, 2], [3]]), index=["a", "b"])
    a    [1, 2]
    b       [3]
    dtype: jagged[int64, 2]
    """
    instance(array, Column, "to_series: array", "a JaggedArray")
    values = wrap(array)
    try:
        hash(name)
    except TypeError:
        raise JagTypeError(f"to_pandas: name must be hashable, got {type(name).__name__}") from None
    if not (index is None or has_items(index)) or isinstance(index, (str, bytes)):
        raise JagTypeError(f"to_pandas: index must be a pandas Index or a list of labels, got {brief(index)}")
    try:
        return pd.Series(values, index=index, name=name, copy=False)
    except ValueError:
        raise ShapeError(f"to_pandas: index must be flat, one label per row of {array.shape!r}, got {brief(index)}") from None
    except (TypeError, OverflowError) as error:  # before version 3, pandas converts large ints to floats
        raise JagTypeError(f"to_pandas: index must be a pandas Index or a list of labels: {str(error)[:200]}") from None


def series_from_arrow(array: pa.ExtensionArray) -> Any:
    """Convert an Arrow array of the type `arrowjag.jagged` to a Series.

    Parameters
    ----------
    array : pa.ExtensionArray
        The column.

    Returns
    -------
    pandas.Series
        Of dtype `jagged[...]`. Null rows stay null. Buffers are shared.

    Raises
    ------
    JagTypeError
        If it is not an array of an Arrow extension type; `arrowjag.from_arrow` takes any.

    Examples
    --------
    >>> from arrowjag.pandas import series_from_arrow
    >>> import arrowjag as aj
    >>> series_from_arrow(aj.array([[1], None]).to_arrow())
    0     [1]
    1    <NA>
    dtype: jagged[int64, 2]
    """
    instance(array, pa.ExtensionArray, "series_from_arrow: array", "a pa.ExtensionArray")
    dtype = JaggedDtype.from_arrow_type(array.type)
    if not isinstance(dtype, JaggedDtype):
        return pd.Series(wrap_values(array.storage), copy=False)
    return pd.Series(JaggedExtensionArray(array, dtype), copy=False)


def frame_from_table(table: pa.Table) -> pd.DataFrame:
    """Convert an Arrow table to a DataFrame in which no nested column becomes objects.

    Parameters
    ----------
    table : pa.Table
        Of any types.

    Returns
    -------
    pandas.DataFrame
        Jagged columns and lists of any kind get the dtype `jagged[...]`; structs, maps and other nested columns get an
        `ArrowDtype`, and so do dates, times of day, decimals, bytes, and integers and booleans with nulls, which pandas would hold
        as objects or floats; pyarrow converts all others. Nulls and empty rows stay, buffers of nested columns are shared.

    Raises
    ------
    JagTypeError
        If it is not a `pa.Table`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from arrowjag.pandas import frame_from_table
    >>> frame_from_table(pa.table({"v": [[1, None], None], "s": [{"a": 1}, None]})).dtypes["v"]
    jagged[int64, 2]
    """
    instance(table, pa.Table, "frame_from_table: table", "a pa.Table")
    table = _without_runs(with_metadata(table, portable(table.schema).metadata))
    frame: pd.DataFrame = table.to_pandas(types_mapper=_own_dtype)
    names = table.column_names
    counts = Counter(names)
    for name, column in zip(names, table.columns, strict=True):
        if not column.null_count or not (pa.types.is_integer(column.type) or pa.types.is_boolean(column.type)):
            continue
        if counts[name] == 1 and name in frame.columns and frame[name].dtype.kind in "fO":
            frame[name] = pd.Series(pd.array(column, dtype=pd.ArrowDtype(column.type)), index=frame.index, copy=False)
    return frame


def _without_runs(table: pa.Table) -> pa.Table:
    """Decode run-end encoding at any depth: pyarrow makes floats of its integers beside nulls, and no dtype holds it in lists."""
    for place, (field, column) in enumerate(zip(table.schema, table.columns, strict=True)):
        plain = canonical_column(column)
        if plain is not column:
            table = table.set_column(place, field.with_type(plain.type), plain)
    return table


def _own_dtype(type: pa.DataType) -> Any:
    """The dtype of a type that pandas would hold as objects; None leaves a plain one to pyarrow."""
    if _arrow.is_jagged_extension(type) or _arrow.is_list_type(type):
        return JaggedDtype.from_arrow_type(type)
    if isinstance(type, pa.BaseExtensionType):
        return _extension_dtype(type)
    inner = type.value_type if pa.types.is_dictionary(type) else type
    if not pa.types.is_nested(inner) and not any(one(inner) for one in _OBJECTS):
        return None
    return pd.ArrowDtype(without_views(type) if has_views(type) else type)


def _extension_dtype(type: pa.BaseExtensionType) -> Any:
    """The dtype that an extension type names, such as those of periods and intervals; otherwise Arrow's, which keeps the type."""
    try:
        dtype = type.to_pandas_dtype()
    except NotImplementedError:
        return pd.ArrowDtype(type)
    return dtype if hasattr(dtype, "__from_arrow__") else pd.ArrowDtype(type)


_OBJECTS = (
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_decimal,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
    pa.types.is_null,
)
"""Types of which pandas makes columns of Python objects."""
