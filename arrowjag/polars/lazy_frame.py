"""`lf.jag`: jagged operations on a LazyFrame."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from arrowjag import _frames
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._frames.query import filter_by, parse
from arrowjag._integers import item_count
from arrowjag._vocabulary.parameters import with_descriptions
from arrowjag.errors import JagIndexError, JagTypeError, JagValueError, brief
from arrowjag.polars import _frame_steps
from arrowjag.polars._convert import (
    column_type,
    from_series,
)
from arrowjag.polars._frame_calls import FrameCall, call_columns, exactly, schema_of, stored, struct_field
from arrowjag.polars._tree import Call, Input, record
from arrowjag.polars.dtype import jagged
from arrowjag.polars.lowering import lower

__all__ = ["JagLazyFrame"]


@with_descriptions
class JagLazyFrame(_frames.FrameAccessor):
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

    _frame: pl.LazyFrame
    _kind = "LazyFrame"
    _where = "pl.col(column).jag"

    def __repr__(self) -> str:
        return f"{type(self).__name__} of a LazyFrame"  # its columns may cost a query

    def _known(self) -> tuple[str, ...]:
        return ()

    @check_arguments
    def flatten(self, *columns: Any, keep_empty: bool = False, to_dim: int | None = None) -> pl.LazyFrame:
        """Flatten columns: the result has one row per leaf.

        Parameters
        ----------
        *columns : str or selector, or one list of them
            Columns whose shapes are prefixes of one another; by default every column of dtype `Jagged`. Columns of fewer dims
            are broadcast by the prefix rule. Fields of structs, such as ``"docs.score"``, take the place of their column.
        %(keep_empty)s
        %(to_dim)s

        Returns
        -------
        pl.LazyFrame
            The columns contain their leaves, or the dims from `to_dim` on; the other columns are repeated, a jagged column row by
            row: name it too, or drop it. The order of columns stays. A null or empty row gives no row, unless `keep_empty`.
            Evaluated lazily; it streams.

        Raises
        ------
        ShapeError
            If the shapes do not agree; raised when the frame is collected.
        JagTypeError
            If all named columns are flat; raised when the frame is collected.
        JagValueError
            If no column is named and none is jagged, or `to_dim` is less than 2.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"k": ["a", "b"], "v": aj.array([[1, 2], [3]]).to_polars()})
        >>> lf.jag.flatten("v").collect().rows()
        [('a', 1), ('a', 2), ('b', 3)]
        """
        last = _frames.check_to_dim(to_dim)
        given = columns[0] if len(columns) == 1 and isinstance(columns[0], list) else columns
        names = list(dict.fromkeys(self._names(given or (jagged(),))))
        if not names:
            raise JagValueError("flatten: the frame has no column of dtype Jagged; name the columns to flatten")
        first, *rest = names
        picked = self._picked(names)
        zipped = pl.pipe_with_dtype([stored(name) for name in names], _frame_steps.Zipped(names, keep_empty, last)).alias(first)
        emptied = picked.with_columns(zipped, *(pl.lit(None).alias(name) for name in rest))
        fields = [struct_field(stored(first), names, name) for name in names]
        if last is not None:  # the dtype of columns that stay nested
            schema = schema_of(picked)
            fields = [_frame_steps.as_rows(field, schema[name], last) for field, name in zip(fields, names, strict=True)]
        return emptied.explode(exactly(first), empty_as_null=False, keep_nulls=False).with_columns(fields)

    @check_arguments
    def implode(self, by: Any, columns: Any = None) -> pl.LazyFrame:
        """Nest rows into one row per group; the inverse of `flatten`.

        Parameters
        ----------
        by : str, selector or sequence of them
            The key columns; null is a key of its own.
        columns : str, selector or sequence of them, optional
            The columns to gather, by default all except the keys. All other columns are dropped.

        Returns
        -------
        pl.LazyFrame
            One row per group, in order of first appearance; rows keep their order within a group. A flat column becomes `Jagged` of
            two dims, a `Jagged` column gets one more dim, and a `List` column becomes a `List` of lists.

        Raises
        ------
        JagTypeError
            If `by` is an empty list.
        JagIndexError
            If there is no such column.
        JagValueError
            If a column is named both in `by` and in `columns`.

        Examples
        --------
        >>> import arrowjag
        >>> import polars as pl
        >>> lf = pl.LazyFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
        >>> lf.jag.implode("k").collect().rows()
        [('a', [1, 3]), ('b', [2])]
        """
        keys = list(dict.fromkeys(self._names(_sequence(by))))
        _frames.check_keys(keys)
        wanted = list(dict.fromkeys(self._names(_sequence(columns)))) if columns is not None else None
        names = wanted if wanted is not None else [name for name in schema_of(self._frame) if name not in keys]
        _frames.check_gathered(keys, names)
        gathered: list[pl.Expr] = [stored(name) for name in names]
        frame = self._picked([*keys, *(wanted or ())])
        return frame.group_by([stored(key) for key in keys], maintain_order=True).agg(
            one.pipe_with_dtype(_frame_steps.imploded) for one in gathered
        )

    @check_arguments
    def nest(self, *columns: Any, into: str) -> pl.LazyFrame:
        """Combine columns into one of structs, with one field per column.

        Parameters
        ----------
        *columns : str or selector
            Columns whose shapes are prefixes of one another; shorter ones are broadcast. A field ``"docs.score"`` is copied.
        into : str
            The name of the new column.

        Returns
        -------
        pl.LazyFrame
            The new column takes the place of the first one; the others are dropped.

        Raises
        ------
        JagValueError
            If another column or field has the name.
        ShapeError
            If the shapes do not agree; raised when the frame is collected.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"t": aj.array([[1, 2], [3]]).to_polars(), "y": aj.array([[5, 6], [7]]).to_polars()})
        >>> lf.jag.nest("t", "y", into="lc").collect()["lc"].jag.to_list()
        [[{'t': 1, 'y': 5}, {'t': 2, 'y': 6}], [{'t': 3, 'y': 7}]]
        """
        names, known = _frames.column_names("nest", columns, self._names), self._columns()
        gone, fields = _frames.nested_names(names, list(known), into)
        call = FrameCall("nest", fields, functools.partial(_frame_steps.nested, into), {into: fields})
        inputs = [self._read(name, known) for name in names]
        return call_columns(self._frame, call, inputs, [into], _frames.replaced(known, gone, [into]))

    @check_arguments
    def unnest(self, *columns: Any) -> pl.LazyFrame:
        """Split columns of structs into one column per field.

        Parameters
        ----------
        *columns : str or selector
            Columns of structs, jagged or flat.

        Returns
        -------
        pl.LazyFrame
            The fields take the place of their column. Items of null structs are null in each field.

        %(unnest_errors)s

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lc = aj.zip(t=aj.array([[1, 2], [3]]), y=aj.array([[5, 6], [7]]))
        >>> lf = pl.LazyFrame({"lc": lc.to_polars()})
        >>> lf.jag.unnest("lc").collect().columns
        ['t', 'y']
        """
        frame = self._frame
        for name in _frames.column_names("unnest", columns, self._names):
            schema = schema_of(frame)
            if name not in schema:
                raise _frames.no_column(name, schema)
            fields = list(_frames.unnest(name, column_type(schema[name]).empty()))
            _frames.check_new("unnest", fields, [one for one in schema.names() if one != name])
            call = FrameCall("unnest", [name], functools.partial(_frame_steps.unnested, name), {field: [name] for field in fields})
            frame = call_columns(frame, call, [stored(name)], fields, _frames.replaced(schema.names(), [name], fields))
        return frame

    @check_arguments
    def query(self, condition: str) -> pl.LazyFrame:
        """Keep the items of a column of structs for which a condition is true.

        Parameters
        ----------
        %(condition)s

        Returns
        -------
        pl.LazyFrame
            %(frame_query)s

        %(condition_errors)s

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lc = aj.zip(t=aj.array([[1, 2], [3]]), y=aj.array([[5, 6], [7]]))
        >>> lf = pl.LazyFrame({"lc": lc.to_polars(), "limit": [6, 7]})
        >>> lf.jag.query("lc.y >= limit").collect()["lc"].jag["t"].to_list()
        [[2], [3]]
        """
        query = parse(condition)
        schema = schema_of(self._frame)
        for name in query.columns:
            if name not in schema:
                raise _frames.no_column(name, schema, operation="query")
        struct = query.struct({name: column_type(schema[name]).empty() for name in query.columns})
        call = FrameCall("query", query.columns, functools.partial(filter_by, query))
        return call_columns(self._frame, call, [stored(name) for name in query.columns], [struct], schema.names())

    @check_arguments
    def filter(self, mask: Any, *columns: Any) -> pl.LazyFrame:
        """Keep the items of columns for which a mask is true.

        Parameters
        ----------
        mask : str, pl.Expr, or array of bool
            One value per item, or one per row for all of its items. A null drops the item.
        *columns : str or selector
            The columns to change, at least one, of the mask's dims or more: deeper ones lose whole inner rows.

        Returns
        -------
        pl.LazyFrame
            %(frame_filter)s

        %(mask_errors)s

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"v": aj.array([[1, 5], [7]]).to_polars(), "w": aj.array([["a", "b"], ["c"]]).to_polars()})
        >>> lf.jag.filter(pl.col("v").jag > 4, "v", "w").collect().rows()
        [([5], ['b']), ([7], ['c'])]
        """
        return self._changed("filter", _frame_steps.filtered, [mask], columns)

    @check_arguments
    def sort_items(self, by: Any, *columns: Any, descending: bool = False) -> pl.LazyFrame:
        """Sort the items of columns by the items of a key.

        Parameters
        ----------
        by : str, pl.Expr, array, or a list of them
            The key, or several keys of descending priority.
        *columns : str or selector
            The columns to change, at least one, of the key's dims or more: deeper ones move whole inner rows.
        descending : bool
            Whether the largest key comes first.

        Returns
        -------
        pl.LazyFrame
            %(frame_sort_items)s

        %(key_errors)s

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"t": aj.array([[2, 1], [3]]).to_polars(), "y": aj.array([[5, 6], [7]]).to_polars()})
        >>> lf.jag.sort_items("t", "t", "y").collect().rows()
        [([1, 2], [6, 5]), ([3], [7])]
        """
        return self._changed("sort_items", functools.partial(_frame_steps.sorted, bool(descending)), _keys(by), columns)

    @check_arguments
    def topk(self, k: int, by: Any, *columns: Any) -> pl.LazyFrame:
        """Keep the items with the largest keys, largest first.

        Parameters
        ----------
        k : int
            The number of items to keep per row.
        by : str, pl.Expr, array, or a list of them
            The key, or several keys of descending priority.
        *columns : str or selector
            The columns to change, at least one, of the key's dims or more.

        Returns
        -------
        pl.LazyFrame
            %(frame_topk)s

        %(key_errors)s
        JagValueError
            If `k` is negative.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"t": aj.array([[2, 1], [3]]).to_polars(), "y": aj.array([[5, 6], [7]]).to_polars()})
        >>> lf.jag.topk(1, "y", "t", "y").collect().rows()
        [([1], [6]), ([3], [7])]
        """
        return self._changed("topk", functools.partial(_frame_steps.topk, item_count(k, "topk: k")), _keys(by), columns)

    @check_arguments
    def describe(self, *columns: Any) -> pl.DataFrame:
        """Return statistics of jagged columns.

        Parameters
        ----------
        *columns : str or selector
            The columns to describe; by default every column of dtype `Jagged`. Structs are described field by field.

        Returns
        -------
        pl.DataFrame
            One row per statistic: rows, null and empty rows, lengths of rows, items, and mean, std and quantiles of numbers;
            null where a column has none. Cost: a few passes over the columns.

        Raises
        ------
        JagValueError
            If no column is named and none is jagged, or if a column has the name ``statistic``, which the result needs.
        JagIndexError
            If there is no such column.

        Examples
        --------
        >>> import arrowjag as aj, polars as pl
        >>> lf = pl.LazyFrame({"v": aj.array([[1, 5], [], None]).to_polars()})
        >>> lf.jag.describe().filter(pl.col("statistic").is_in(["null_rows", "length_max", "mean"])).rows()
        [('null_rows', 1.0), ('length_max', 2.0), ('mean', 3.0)]
        """
        names, known = self._names(columns or (jagged(),)), self._columns()
        if not names:
            raise JagValueError("describe: the frame has no column of dtype Jagged; name the columns to describe")
        read: pl.DataFrame = self._frame.select([self._read(name, known).alias(name) for name in names]).collect(engine="streaming")
        statistics = {key: one for name in names for key, one in _frames.described(name, from_series(read[name])).items()}
        numbers = {str(name): [found[one] for one in _frames.STATISTICS] for name, found in statistics.items()}
        if "statistic" in numbers:
            raise JagValueError("describe: the result has a column 'statistic' of its own; rename the frame's column first")
        return pl.DataFrame({"statistic": _frames.STATISTICS, **numbers}).with_columns(pl.exclude("statistic").fill_nan(None))

    # ------------------------------------------------------------------------------------------- names

    def _names(self, columns: Sequence[Any]) -> list[str]:
        """The names of columns, with selectors resolved; a column that the frame lacks raises."""
        known = self._columns()
        found = [[one] if isinstance(one, str) else self._selected(one, known) for one in columns]
        for name in itertools.chain.from_iterable(found):
            _frames.resolve(name, known)
        if all(isinstance(one, str) for one in columns):
            return list(columns)
        return list(dict.fromkeys(name for names in found for name in names))

    def _selected(self, column: Any, known: Sequence[str]) -> list[str]:
        """The names of the columns that an expression or a selector gives."""
        if not isinstance(column, pl.Expr):
            raise JagTypeError(f"a column must be given by its name, an expression or a selector, got {type(column).__name__}")
        try:
            return self._frame.select(column).collect_schema().names()
        except pl.exceptions.ColumnNotFoundError:
            raise JagIndexError(f"the frame has no column of {brief(str(column))}; it has {known}") from None

    def _columns(self) -> list[str]:
        return schema_of(self._frame).names()

    def _picked(self, names: Sequence[str]) -> pl.LazyFrame:
        """The frame with fields such as ``docs.score`` as columns, in place of the columns that hold them."""
        if not any("." in name for name in names):
            return self._frame
        known = self._columns()
        fields = {name: _frames.resolve(name, known)[0] for name in names if name not in known}
        if not fields:
            return self._frame
        picked: list[pl.Expr] = []
        for column in known:
            below = [name for name, root in fields.items() if root == column]
            picked += [self._read(name, known) for name in below] if below and column not in names else [stored(column)]
            picked += [self._read(name, known) for name in below] if below and column in names else []
        return self._frame.select(picked)

    def _read(self, name: str, known: Sequence[str]) -> pl.Expr:
        """A column, or a field of one."""
        column, fields = _frames.resolve(name, known)
        made: Any = stored(str(column))
        for field in fields:
            made = made.jag[field]
        return made.alias(name) if fields else made  # type: ignore[no-any-return]

    def _key(self, value: Any, known: Sequence[str]) -> pl.Expr:
        """A mask or a key: the name of a column or field, an expression, or data with one row per row of the frame."""
        if isinstance(value, str):
            return self._read(value, known)
        node = record(value, rowwise=True)
        if isinstance(node, (Input, Call)):
            return value if isinstance(value, pl.Expr) else lower(node)
        raise JagTypeError(f"a mask or key must be the name of a column, an expression or an array, got {type(value).__name__}")

    def _changed(self, operation: str, function: Any, keys: Sequence[Any], columns: Sequence[Any]) -> pl.LazyFrame:
        """Columns changed together, each by the same keys."""
        names = _frames.column_names(operation, columns, self._names)
        known = self._columns()
        _frames.check_whole(operation, names, known)
        call = FrameCall(operation, [*range(len(keys)), *names], functools.partial(_frame_steps.by_keys, function, len(keys)))
        inputs = [*(self._key(one, known) for one in keys), *map(stored, names)]
        return call_columns(self._frame, call, inputs, names, known)


def _keys(by: Any) -> list[Any]:
    return _frames.list_of_keys(by, (str, pl.Expr, pl.Series, JaggedArray))


def _sequence(value: Any) -> list[Any]:
    is_several = isinstance(value, Iterable) and not isinstance(value, (str, pl.Expr)) and getattr(value, "ndim", None) != 0
    return list(value) if is_several else [value]
