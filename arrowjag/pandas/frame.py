"""`.jag` on a DataFrame: jagged columns to flat rows and back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from arrowjag import _frames
from arrowjag._arguments import check_arguments
from arrowjag._array import JaggedArray
from arrowjag._frames.query import filter_by, parse
from arrowjag._integers import item_count
from arrowjag._vocabulary.parameters import with_descriptions
from arrowjag.creation import array as to_array
from arrowjag.errors import JagMemoryError, JagTypeError, JagValueError, ShapeError, brief
from arrowjag.pandas._convert import as_array, nested_rows, rows_by_group
from arrowjag.pandas._html import frame_repr
from arrowjag.pandas._objects import with_exact_items, without_rows
from arrowjag.pandas._operators import wrap
from arrowjag.pandas._wrapping import align, described, opened
from arrowjag.pandas.dtype import JaggedDtype

__all__ = ["FrameJag"]

Orient = Literal["dict", "list", "series", "split", "tight", "records", "index"]
"""Those of `pandas.DataFrame.to_dict`."""


@pd.api.extensions.register_dataframe_accessor("jag")
@with_descriptions
class FrameJag(_frames.FrameAccessor):
    """Operations on several jagged columns of one frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        With jagged columns, nested Arrow lists or plain columns.

    Examples
    --------
    >>> import arrowjag as aj, pandas as pd
    >>> df = pd.DataFrame({"k": ["a", "b"], "v": aj.array([[1, 2], [3]]).to_pandas()})
    >>> df.jag.flatten("v")["k"].tolist()
    ['a', 'a', 'b']
    """

    _frame: pd.DataFrame

    @check_arguments
    def flatten(self, *columns: Any, keep_empty: bool = False, to_dim: int | None = None) -> pd.DataFrame:
        """Return one row per leaf of columns that share a shape prefix.

        Parameters
        ----------
        *columns : hashable, or one list of them
            Names of columns; by default all of the jagged dtype. Shorter ones are broadcast to the longest. Fields of structs, such
            as ``"docs.score"``, take the place of their column.
        %(keep_empty)s
        %(to_dim)s

        Returns
        -------
        pandas.DataFrame
            The named columns are flat, or hold the dims from `to_dim` on; the other columns and the index are repeated, a jagged
            column row by row: name it too, or drop it. Null and empty rows give no row, unless `keep_empty`. Cost: one gather per
            column.

        Raises
        ------
        ShapeError
            If one shape is not a prefix of another.
        JagTypeError
            If all named columns are flat.
        JagIndexError
            If there is no such column.
        JagValueError
            If two columns of the frame have the same name, no column is named and none is jagged, or `to_dim` is less than 2.

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"k": ["a", "b"], "v": aj.array([[1, 2], [3]]).to_pandas()})
        >>> df.jag.flatten("v")
           k  v
        0  a  1
        0  a  2
        1  b  3
        """
        last = _frames.check_to_dim(to_dim)
        given = list(columns[0]) if len(columns) == 1 and isinstance(columns[0], list) else list(columns)
        frame = self._picked(given)
        names = given or [name for name in frame.columns if getattr(frame[name].dtype, "ndim", 0) > 1]
        if not names:
            raise JagValueError("flatten: the frame has no jagged column; name the columns of lists")
        arrays = [as_array(frame[name]) for name in names]
        _frames.check_nested(names, (one.ndim for one in arrays))
        flat = _frames.flatten(arrays, names, keep_empty, last)
        others = _repeated(frame[[name for name in frame.columns if name not in names]], flat.parents)
        made = pd.DataFrame({name: wrap(one) for name, one in zip(names, flat.columns, strict=True)}, index=others.index)
        return described(pd.concat([others, made], axis=1)[list(frame.columns)], self._frame)

    @check_arguments
    def implode(self, by: Any, columns: Any = None, *, nan_to_null: bool = True) -> pd.DataFrame:
        """Nest rows into one row per group; the inverse of `flatten`.

        Parameters
        ----------
        by : hashable or list of hashable, or None
            Columns that name the group; None takes the index.
        columns : hashable or list of hashable, optional
            Columns that become jagged, one dim more than they have; all others by default.
        nan_to_null : bool
            Whether NaN of plain columns, which means missing in pandas, becomes null. NaN inside rows is a value.

        Returns
        -------
        pandas.DataFrame
            Groups in order of first appearance, items in the order of rows; missing keys are a group of their own. The `by`
            columns come first, on a new RangeIndex; with ``by=None`` the index holds the groups. Cost: one sort of the group
            numbers and one gather per column.

        Raises
        ------
        JagTypeError
            If `by` is an empty list.
        JagIndexError
            If there is no such column.
        JagValueError
            If two columns of the frame have the same name, or one is named both in `by` and in `columns`.

        Examples
        --------
        >>> import arrowjag
        >>> import pandas as pd
        >>> df = pd.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
        >>> df.jag.implode("k", "v")
           k       v
        0  a  [1, 3]
        1  b     [2]
        """
        keys = [] if by is None else _distinct_names(by)
        if by is not None:
            _frames.check_keys(keys)
        wanted = None if columns is None else _distinct_names(columns)
        frame = self._picked([*keys, *(wanted or ())])
        wanted = [name for name in frame.columns if name not in keys] if wanted is None else wanted
        _frames.check_gathered(keys, wanted)
        grouper: Any = keys if by is not None else list(range(frame.index.nlevels))
        how = {"by": grouper} if by is not None else {"level": grouper}
        codes = frame.groupby(**how, sort=False, dropna=False, observed=True).ngroup().to_numpy()
        order, counts = rows_by_group(codes, int(codes.max(initial=-1)) + 1)
        firsts = order[np.cumsum(counts) - counts]
        made = {name: wrap(nested_rows(as_array(frame[name], nan_to_null), order, counts)) for name in wanted}
        heads = frame[keys].take(firsts)
        index = heads.index if by is None else pd.RangeIndex(len(counts))
        heads.index = index
        return described(pd.concat([heads, pd.DataFrame(made, index=index)], axis=1), self._frame)

    @check_arguments
    def nest(self, *columns: Any, into: Hashable) -> pd.DataFrame:
        """Combine columns into one of structs, with one field per column.

        Parameters
        ----------
        *columns : hashable, or one list of them
            Columns whose shapes are prefixes of one another; shorter ones are broadcast. A field ``"docs.score"`` is copied.
        into : str
            The name of the new column.

        Returns
        -------
        pandas.DataFrame
            The new column takes the place of the first one; the others are dropped.

        Raises
        ------
        JagValueError
            If another column or field has the name.
        ShapeError
            If the shapes do not agree.

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"t": aj.array([[1, 2], [3]]), "y": aj.array([[5, 6], [7]])})
        >>> df.jag.nest("t", "y", into="lc")["lc"].jag.to_list()
        [[{'t': 1, 'y': 5}, {'t': 2, 'y': 6}], [{'t': 3, 'y': 7}]]
        """
        frame = self._frame
        names = _frames.column_names("nest", columns)
        if not isinstance(into, Hashable):
            raise JagTypeError(f"nest: into must be the name of a column, got {type(into).__name__}")
        self._check(())
        known = list(frame.columns)
        gone, fields = _frames.nested_names(names, known, into)
        made = _frames.nest({field: self._read(name, known) for field, name in zip(fields, names, strict=True)})
        return self._with({into: made}, gone)

    @check_arguments
    def unnest(self, *columns: Any) -> pd.DataFrame:
        """Split columns of structs into one column per field.

        Parameters
        ----------
        *columns : hashable, or one list of them
            Columns of structs, jagged or flat.

        Returns
        -------
        pandas.DataFrame
            The fields take the place of their column. Items of null structs are null in each field.

        %(unnest_errors)s

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> lc = aj.zip(t=aj.array([[1, 2], [3]]), y=aj.array([[5, 6], [7]]))
        >>> pd.DataFrame({"lc": lc}).jag.unnest("lc").columns.tolist()
        ['t', 'y']
        """
        self._check(())
        frame = self._frame
        for name in _frames.column_names("unnest", columns):
            made = _frames.unnest(name, FrameJag(frame)._column(name))
            _frames.check_new("unnest", list(made), [one for one in frame.columns if one != name])
            frame = FrameJag(frame)._with(made, [name])
        return frame

    @check_arguments
    def query(self, condition: str) -> pd.DataFrame:
        """Keep the items of a column of structs for which a condition is true.

        Parameters
        ----------
        %(condition)s

        Returns
        -------
        pandas.DataFrame
            %(frame_query)s

        %(condition_errors)s

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> lc = aj.zip(t=aj.array([[1, 2], [3]]), y=aj.array([[5, 6], [7]]))
        >>> df = pd.DataFrame({"lc": lc, "limit": [6, 7]})
        >>> df.jag.query("lc.y >= limit")["lc"].jag["t"].jag.to_list()
        [[2], [3]]
        """
        query = parse(condition)
        self._check(())
        return self._with(filter_by(query, {name: self._column(name) for name in query.columns}))

    @check_arguments
    def filter(self, mask: Any, *columns: Any) -> pd.DataFrame:
        """Keep the items of columns for which a mask is true.

        Parameters
        ----------
        mask : str, pandas.Series, or array of bool
            One value per item, or one per row for all of its items. A null drops the item.
        *columns : hashable, or one list of them
            The columns to change, at least one, of the mask's dims or more: deeper ones lose whole inner rows.

        Returns
        -------
        pandas.DataFrame
            %(frame_filter)s

        %(mask_errors)s

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"v": aj.array([[1, 5], [7]]), "w": aj.array([["a", "b"], ["c"]])})
        >>> df.jag.filter(df["v"] > 4, "v", "w")["w"].jag.to_list()
        [['b'], ['c']]
        """
        return self._with(_frames.filter_columns(self._changed("filter", columns), self._key(mask)))

    @check_arguments
    def sort_items(self, by: Any, *columns: Any, descending: bool = False) -> pd.DataFrame:
        """Sort the items of columns by the items of a key.

        Parameters
        ----------
        by : str, pandas.Series, array, or a list of them
            The key, or several keys of descending priority.
        *columns : hashable, or one list of them
            The columns to change, at least one, of the key's dims or more: deeper ones move whole inner rows.
        descending : bool
            Whether the largest key comes first.

        Returns
        -------
        pandas.DataFrame
            %(frame_sort_items)s

        %(key_errors)s

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"t": aj.array([[2, 1], [3]]), "y": aj.array([[5, 6], [7]])})
        >>> df.jag.sort_items("t", "t", "y")["y"].jag.to_list()
        [[6, 5], [7]]
        """
        return self._with(_frames.sort_columns(self._changed("sort_items", columns), self._keys(by), bool(descending)))

    @check_arguments
    def topk(self, k: int, by: Any, *columns: Any) -> pd.DataFrame:
        """Keep the items with the largest keys, largest first.

        Parameters
        ----------
        k : int
            The number of items to keep per row.
        by : str, pandas.Series, array, or a list of them
            The key, or several keys of descending priority.
        *columns : hashable, or one list of them
            The columns to change, at least one, of the key's dims or more.

        Returns
        -------
        pandas.DataFrame
            %(frame_topk)s

        %(key_errors)s
        JagValueError
            If `k` is negative.

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"t": aj.array([[2, 1], [3]]), "y": aj.array([[5, 6], [7]])})
        >>> df.jag.topk(1, "y", "t", "y")["t"].jag.to_list()
        [[1], [3]]
        """
        return self._with(_frames.topk_columns(self._changed("topk", columns), self._keys(by), item_count(k, "topk: k")))

    @check_arguments
    def describe(self, *columns: Any) -> pd.DataFrame:
        """Return statistics of jagged columns.

        Parameters
        ----------
        *columns : hashable, or one list of them
            The columns to describe; by default every column of a jagged dtype. Structs are described field by field.

        Returns
        -------
        pandas.DataFrame
            Indexed by statistic: rows, null and empty rows, lengths of rows, items, and mean, std and quantiles of numbers;
            NaN where a column has none. Cost: a few passes over the columns.

        Raises
        ------
        JagValueError
            If no column is named and none is jagged.
        JagIndexError
            If there is no such column.

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"v": aj.array([[1, 5], [], None])})
        >>> df.jag.describe().loc[["rows", "null_rows", "length_max", "mean"]]
                      v
        statistic
        rows        3.0
        null_rows   1.0
        length_max  2.0
        mean        3.0
        """
        self._check(())
        frame = self._frame
        given = _frames.column_names("describe", columns) if columns else []
        names = given or [name for name in frame.columns if getattr(frame[name].dtype, "ndim", 0) > 1]
        if not names:
            raise JagValueError("describe: the frame has no jagged column; name the columns of lists")
        known = list(frame.columns)
        statistics = {key: one for name in names for key, one in _frames.described(name, self._read(name, known)).items()}
        return pd.DataFrame(statistics, index=pd.Index(_frames.STATISTICS, name="statistic"), dtype="float64")

    @check_arguments
    def to_dict(self, orient: Orient = "dict", **options: Any) -> Any:
        """Convert the frame to Python dicts and lists; jagged columns become nested lists.

        Parameters
        ----------
        orient : {"dict", "list", "series", "split", "tight", "records", "index"}
            As in `pandas.DataFrame.to_dict`: ``"records"`` gives a dict for each row, ``"list"`` a list for each column.
        **options
            Those of `pandas.DataFrame.to_dict`.

        Returns
        -------
        dict or list
            Null rows and null items are None, empty rows empty lists. Cost: every value becomes a Python object.

        Raises
        ------
        JagValueError, JagTypeError
            If there is no such `orient`, or option of pandas.

        Examples
        --------
        >>> import pandas as pd
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"k": [1, 2], "v": aj.array([[1, None], None])})
        >>> df.jag.to_dict("records")
        [{'k': 1, 'v': [1, None]}, {'k': 2, 'v': None}]
        """
        frame = without_rows(self._frame)
        try:
            return (with_exact_items(frame) if orient == "list" else frame).to_dict(orient, **options)
        except TypeError as error:
            raise JagTypeError(f"to_dict: {error}") from None

    def _repr_html_(self) -> str:
        return frame_repr(self._frame, "DataFrame")

    # ------------------------------------------------------------------------------------------- columns

    def _column(self, name: Hashable) -> JaggedArray:
        self._check([name])
        return as_array(self._frame[name])

    def _read(self, name: Hashable, known: Sequence[Hashable] | None = None) -> JaggedArray:
        """A column, or a field of one; `known` are the columns, for calls that read many."""
        column, fields = _frames.resolve(name, self._frame.columns if known is None else known, self._frame.index.names)
        return _frames.pick(as_array(self._frame[column]), fields, name)

    def _picked(self, names: Sequence[Hashable]) -> pd.DataFrame:
        """The frame with fields such as ``docs.score`` as columns, in place of the columns that hold them."""
        self._check(())
        frame = self._frame
        known = list(frame.columns)
        _frames.check_labels(names)
        fields = {name: _frames.resolve(name, known, frame.index.names)[0] for name in names if name not in known}
        if not fields:
            return frame
        picked: dict[Hashable, Any] = {}
        for column in known:
            below = [name for name, root in fields.items() if root == column]
            if not below or column in names:
                picked[column] = frame[column]
            picked |= {name: pd.Series(wrap(self._read(name)), index=frame.index) for name in below}
        return pd.DataFrame(picked, index=frame.index)

    def _key(self, value: Any) -> JaggedArray:
        """A mask or a key: the name of a column or field, a Series, which is aligned, or data with one row per row of the frame."""
        if isinstance(value, str) or (_is_label(value) and value in self._frame.columns):
            return self._read(value)
        value = getattr(value, "_series", value)
        if isinstance(value, pd.Series):
            return as_array(align([self._frame[[]], value], "left")[1])  # type: ignore[list-item]  # only the index is read
        if not hasattr(value, "__len__"):
            raise JagTypeError(f"a mask or key must be the name of a column, a Series or an array, got {type(value).__name__}")
        array = opened(value)
        array = array if isinstance(array, JaggedArray) else to_array(array)
        if len(array) != len(self._frame):
            raise ShapeError(f"a mask or key has one row per row of the frame: expected {len(self._frame)}, got {len(array)}")
        return array

    def _keys(self, by: Any) -> list[JaggedArray]:
        return [self._key(one) for one in _frames.list_of_keys(by, (str, pd.Series, JaggedArray))]

    def _changed(self, operation: str, columns: Sequence[Any]) -> dict[Hashable, JaggedArray]:
        """The columns that a call changes."""
        self._check(())
        names = _frames.column_names(operation, columns)
        _frames.check_whole(operation, names, self._frame.columns, self._frame.index.names)
        return {name: as_array(self._frame[name]) for name in names}

    def _with(self, made: Mapping[Any, JaggedArray], gone: Sequence[Hashable] = ()) -> pd.DataFrame:
        """The frame with changed columns, and new ones in place of those that are gone."""
        frame = self._frame
        result = frame.copy(deep=False)
        for name, array in made.items():
            result[name] = pd.Series(wrap(array), index=frame.index)
        return result[_frames.replaced(list(frame.columns), gone, list(made))] if gone else result

    def _check(self, names: Sequence[Hashable]) -> None:
        columns = self._frame.columns
        if not columns.is_unique:
            raise JagValueError(f"the frame has two columns {columns[columns.duplicated()][0]!r}; names must differ")
        for name in names:
            if name not in columns:
                raise _frames.no_column(name, columns, self._frame.index.names)


def _repeated(frame: pd.DataFrame, rows: Any) -> pd.DataFrame:
    """The columns that `flatten` repeats; an error about their memory names those that hold lists, which were hardly meant."""
    try:
        return frame.take(rows)
    except MemoryError as error:
        lists = [name for name in frame.columns if isinstance(frame[name].dtype, JaggedDtype)]
        if not lists:
            raise
        raise JagMemoryError(
            f"flatten: each item would get the whole row of the jagged columns that are not named, {brief(lists)}; name them, too, "
            f"or drop them first: {error}"
        ) from None


def _is_label(value: Any) -> bool:
    """Return whether a value may be the label of a column; some types with `__hash__`, such as expressions of polars, raise."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _names(names: Any) -> list[Any]:
    return list(names) if isinstance(names, (list, pd.Index)) else [names]


def _distinct_names(names: Any) -> list[Any]:
    given = _names(names)
    _frames.check_labels(given)
    return list(dict.fromkeys(given))
