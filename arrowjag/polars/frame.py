"""`.jag` on frames: flat rows out of jagged columns, and jagged columns out of flat rows."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._ops import structure
from arrowjag.errors import JagError, JagTypeError, JagValueError
from arrowjag.polars._convert import (
    ColumnType,
    as_lists,
    broadcast_rows,
    column_type,
    from_series,
    polars_dtype,
    storable,
    stored_lists,
    to_series,
)
from arrowjag.polars.dtype import Jagged, jagged

__all__ = ["JagDataFrame", "JagLazyFrame"]


class JagLazyFrame:
    """Jagged operations on a LazyFrame: `lf.jag`.

    Parameters
    ----------
    frame : pl.LazyFrame
        The frame.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> lf = pl.LazyFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
    >>> lf.jag.flatten("v").collect()["v"].to_list()
    [1, 2, 3]
    """

    def __init__(self, frame: pl.LazyFrame) -> None:
        self._frame = frame

    def flatten(self, *columns: Any) -> pl.LazyFrame:
        """Flat rows: one for each leaf of the columns.

        Parameters
        ----------
        *columns : str or selector
            Columns of one shape prefix; by default every column of dtype `Jagged`. Shorter ones are expanded by the
            prefix rule.

        Returns
        -------
        pl.LazyFrame
            The columns hold their leaves, other columns are repeated, and all stay where they were. Rows that are
            null or empty leave no row. Lazy; it streams.

        Raises
        ------
        ShapeError
            If the shapes do not agree, when the frame is collected.
        JagValueError
            If there is no column to flatten.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> df = pl.DataFrame({"k": ["a", "b"], "v": aj.array([[1, 2], [3]]).to_polars()})
        >>> df.jag.flatten("v").rows()
        [('a', 1), ('a', 2), ('b', 3)]
        """
        names = self._names(columns or (jagged(),))
        if not names:
            raise JagValueError("flatten needs columns, and the frame has none of dtype Jagged")
        first, *rest = names
        zipped = pl.pipe_with_dtype(names, _Zipped(names)).alias(first)
        emptied = self._frame.with_columns(zipped, *(pl.lit(None).alias(name) for name in rest))
        fields = [pl.col(first).struct.field(name) for name in names]
        return emptied.explode(first, empty_as_null=False, keep_nulls=False).with_columns(fields)

    def implode(self, by: Any, columns: Any = None) -> pl.LazyFrame:
        """Jagged columns: the rows of each group become one.

        Parameters
        ----------
        by : str, selector or sequence of them
            The columns that make the groups; null is a group of its own.
        columns : str, selector or sequence of them, optional
            What to gather, by default all others. Columns that are in neither are dropped.

        Returns
        -------
        pl.LazyFrame
            One row a group, in order of first appearance; within a group rows keep their order. A plain column
            becomes `Jagged` of two dims, a `Jagged` column gets one dim more, a `List` column stays a `List`.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
        >>> df.jag.implode("k").rows()
        [('a', [1, 3]), ('b', [2])]
        """
        keys = self._names(_sequence(by))
        wanted = self._names(_sequence(columns)) if columns is not None else None
        gathered: list[pl.Expr] = [pl.col(wanted)] if wanted is not None else [pl.all().exclude(keys)]
        return self._frame.group_by(keys, maintain_order=True).agg(one.pipe_with_dtype(_imploded) for one in gathered)

    def _names(self, columns: Sequence[Any]) -> list[str]:
        """Column names, selectors resolved."""
        if all(isinstance(one, str) for one in columns):
            return list(columns)
        return self._frame.select(*columns).collect_schema().names()


class JagDataFrame:
    """Jagged operations on a DataFrame: `df.jag`.

    Parameters
    ----------
    frame : pl.DataFrame
        The frame.

    Examples
    --------
    >>> import arrowjag as aj, polars as pl
    >>> df = pl.DataFrame({"v": aj.array([[1, 2], [3]]).to_polars()})
    >>> df.jag.flatten("v")["v"].to_list()
    [1, 2, 3]
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def flatten(self, *columns: Any) -> pl.DataFrame:
        """Flat rows: one for each leaf of the columns.

        Parameters
        ----------
        *columns : str or selector
            Columns of one shape prefix; by default every column of dtype `Jagged`. Shorter ones are expanded.

        Returns
        -------
        pl.DataFrame
            The columns hold their leaves, other columns are repeated, and all stay where they were. Rows that are
            null or empty leave no row.

        Raises
        ------
        ShapeError
            If the shapes do not agree.
        JagValueError
            If there is no column to flatten.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> df = pl.DataFrame({"day": aj.array([["x", "y"]]).to_polars(), "v": aj.array([[[1, 2], [3]]]).to_polars()})
        >>> df.jag.flatten("day", "v").rows()
        [('x', 1), ('x', 2), ('y', 3)]
        """
        return JagLazyFrame(self._frame.lazy()).flatten(*columns).collect()

    def implode(self, by: Any, columns: Any = None) -> pl.DataFrame:
        """Jagged columns: the rows of each group become one.

        Parameters
        ----------
        by : str, selector or sequence of them
            The columns that make the groups; null is a group of its own.
        columns : str, selector or sequence of them, optional
            What to gather, by default all others. Columns that are in neither are dropped.

        Returns
        -------
        pl.DataFrame
            One row a group, in order of first appearance; see `JagLazyFrame.implode`.

        Examples
        --------
        >>> import polars as pl
        >>> df = pl.DataFrame({"plane": [1, 1, 1], "day": [1, 1, 2], "delay": [5, 6, 7]})
        >>> df.jag.implode(["plane", "day"]).jag.implode("plane")["delay"].to_list()
        [[[5, 6], [7]]]
        """
        return JagLazyFrame(self._frame.lazy()).implode(by, columns).collect()


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, (str, pl.Expr)) else [value]


def _imploded(expr: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    kind = column_type(dtype)
    gathered = as_lists(expr, dtype).implode()
    if kind.ndim > 1 and not kind.jagged:
        return gathered
    lists = pl.List(stored_lists(dtype)[0])
    return gathered.ext.to(Jagged.ext_from_params(_arrow.EXTENSION_NAME, lists, f'{{"ndim":{kind.ndim + 1}}}'))


class _Zipped:
    """The callback of `flatten`: columns of one shape prefix as one list of structs a row."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def __call__(self, pairs: list[tuple[pl.Expr, pl.DataType]]) -> pl.Expr:
        kinds = [column_type(dtype) for _, dtype in pairs]
        if max(kind.ndim for kind in kinds) == 1:
            raise JagTypeError(f"flatten: {', '.join(map(repr, self.names))} are flat already")
        dtype = pl.List(pl.Struct({name: _leaf_dtype(kind) for name, kind in zip(self.names, kinds, strict=True)}))
        return pl.map_batches([expr for expr, _ in pairs], functools.partial(self.zipped, dtype=dtype), dtype, is_elementwise=True)

    def zipped(self, series: Sequence[pl.Series], dtype: pl.DataType) -> pl.Series:
        """Align the columns and lay their leaves side by side."""
        arrays = broadcast_rows([from_series(one) for one in series])
        try:
            columns = structure.align(arrays, "flatten")
        except JagError as error:
            raise type(error)(f"columns {', '.join(map(repr, self.names))}: {error}") from None
        leaves = [_storable_values(column) for column in columns]
        merged = structure.flatten(columns[0], 1) if columns[0].ndim > 2 else columns[0]
        rows = Column(_ragged(merged).shape, pa.StructArray.from_arrays(leaves, names=self.names))
        made = to_series(rows, series[0].name, extension=False)
        return made if made.dtype == dtype else made.cast(dtype)  # categories become those of an Enum


def _leaf_dtype(kind: ColumnType) -> pl.DataType:
    return kind.enum if kind.enum is not None else polars_dtype(storable(kind.leaf))


def _storable_values(column: Column) -> pa.Array:
    values = column.values
    wanted = storable(values.type)
    return values if values.type == wanted else values.cast(wanted)


def _ragged(column: Column) -> Column:
    """The same column without declared extents, so that its dtype doesn't depend on which operand declares them."""
    dims = [column.shape.dims[0], *(dim.with_extent(None) for dim in column.shape.dims[1:])]
    return Column(type(column.shape)._trusted(dims), column.values)
