"""`.jag` on a DataFrame: jagged columns to flat rows and back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arrowjag._array import JaggedArray
from arrowjag._ops import structure
from arrowjag.errors import JagIndexError, JagValueError, ShapeError
from arrowjag.pandas._convert import as_array, nested_rows
from arrowjag.pandas._operators import wrap
from arrowjag.shape import JaggedShape

__all__ = ["FrameJag"]


@pd.api.extensions.register_dataframe_accessor("jag")
class FrameJag:
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

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def flatten(self, *columns: Any) -> pd.DataFrame:
        """One row for each leaf of columns that share a shape prefix.

        Parameters
        ----------
        *columns : hashable, or one list of them
            Names of columns; all of the jagged dtype by default. Shorter ones are expanded to the longest.

        Returns
        -------
        pandas.DataFrame
            The named columns flat, the others repeated, the row index kept (repeated). Null and empty rows leave no row. Cost: one
            gather a column.

        Raises
        ------
        ShapeError
            If one shape is not a prefix of another, or nothing is jagged.
        JagIndexError
            If there is no such column.
        JagValueError
            If two columns of the frame have one name.

        Examples
        --------
        >>> import arrowjag as aj
        >>> df = pd.DataFrame({"k": ["a", "b"], "v": aj.array([[1, 2], [3]]).to_pandas()})
        >>> df.jag.flatten("v")
           k  v
        0  a  1
        0  a  2
        1  b  3
        """
        frame = self._frame
        given = list(columns[0]) if len(columns) == 1 and isinstance(columns[0], list) else list(columns)
        self._check(given)
        names = given or [name for name in frame.columns if getattr(frame[name].dtype, "ndim", 0) > 1]
        if not names:
            raise ShapeError("flatten: the frame has no jagged column; name the columns of lists")
        flat = structure.align([as_array(frame[name]) for name in names], "flatten")
        shape = flat[0].shape
        parents = np.arange(shape.size) if shape.ndim == 1 else shape.composed(1, shape.ndim).parents
        others = frame[[name for name in frame.columns if name not in names]].take(parents)
        parts = {name: wrap(JaggedArray(JaggedShape(shape.size), column.values)) for name, column in zip(names, flat, strict=True)}
        made = pd.DataFrame(parts, index=others.index)
        return pd.concat([others, made], axis=1)[list(frame.columns)]

    def implode(self, by: Any, columns: Any = None) -> pd.DataFrame:
        """One row for each group of rows; the other way round than `flatten`.

        Parameters
        ----------
        by : hashable or list of hashable, or None
            Columns that name the group; None takes the index.
        columns : hashable or list of hashable, optional
            Columns that become jagged, one dim more than they have; all others by default.

        Returns
        -------
        pandas.DataFrame
            Groups in order of first appearance, items in the order of rows; missing keys are a group of their own. The `by`
            columns come first, on a new RangeIndex; with ``by=None`` the index holds the groups. Cost: one sort of the group
            numbers and one gather a column.

        Raises
        ------
        JagIndexError
            If there is no such column.
        JagValueError
            If two columns of the frame have one name, or one is to be both key and values.

        Examples
        --------
        >>> df = pd.DataFrame({"k": ["a", "b", "a"], "v": [1, 2, 3]})
        >>> df.jag.implode("k", "v")
           k       v
        0  a  [1, 3]
        1  b     [2]
        """
        frame = self._frame
        keys = [] if by is None else _names(by)
        wanted = [name for name in frame.columns if name not in keys] if columns is None else _names(columns)
        self._check([*keys, *wanted])
        for name in keys:
            if name in wanted:
                raise JagValueError(f"implode: column {name!r} can't be a key and jagged at once")
        grouper: Any = keys if by is not None else list(range(frame.index.nlevels))
        how = {"by": grouper} if by is not None else {"level": grouper}
        codes = frame.groupby(**how, sort=False, dropna=False).ngroup().to_numpy()
        order = np.argsort(codes, kind="stable")
        counts = np.bincount(codes) if len(codes) else np.zeros(0, np.int64)
        firsts = order[np.cumsum(counts) - counts]
        made = {name: wrap(nested_rows(as_array(frame[name]), order, counts)) for name in wanted}
        heads = frame[keys].take(firsts)
        index = heads.index if by is None else pd.RangeIndex(len(counts))
        heads.index = index
        return pd.concat([heads, pd.DataFrame(made, index=index)], axis=1)

    def _check(self, names: Sequence[Hashable]) -> None:
        columns = self._frame.columns
        if not columns.is_unique:
            raise JagValueError(f"the frame has two columns {columns[columns.duplicated()][0]!r}; names must differ")
        for name in names:
            if name not in columns:
                raise JagIndexError(f"the frame has no column {name!r}; it has {list(columns)}")


def _names(names: Any) -> list[Any]:
    return list(names) if isinstance(names, (list, pd.Index)) else [names]
