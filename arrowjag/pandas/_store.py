"""The mutable storage of an extension array: one immutable column, and a buffer of assigned rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._column import Column
from arrowjag._ops import structure
from arrowjag.dims import Uniform
from arrowjag.pandas._convert import concat, is_missing, rows
from arrowjag.pandas.row import Row, row_at

__all__ = ["Store"]


class Store:
    """A column that rows can be written to.

    An assignment costs O(row): the row is buffered in a table until the whole column is read, so that a loop of
    assignments is linear. Views share a store; copies share its column. Rows of other columns are concatenated when the whole
    column is read: ``df.apply(..., axis=1)`` creates a column per row of the frame, and rarely reads it as a column.
    """

    __slots__ = ("_known", "_pending", "_rows")

    def __init__(self, column: Column) -> None:
        self._known: JaggedArray | None = column if isinstance(column, JaggedArray) else JaggedArray._of(column)
        self._rows: list[Any] = []
        self._pending: dict[int, Column] = {}

    @classmethod
    def of_rows(cls, values: Any, dtype: Any) -> Store | None:
        """Return the store of a list of rows and missing values; None if a row has another dtype."""
        found = list(values)
        if not all(one._is_of(dtype) if isinstance(one, Row) else not isinstance(one, list) and is_missing(one) for one in found):
            return None
        store = cls.__new__(cls)
        store._known, store._rows, store._pending = None, [found, dtype], {}
        return store

    @property
    def _base(self) -> JaggedArray:
        if self._known is None:
            self._known = JaggedArray._of(rows(*self._rows))
        return self._known

    @_base.setter
    def _base(self, array: JaggedArray) -> None:
        self._known = array

    @property
    def array(self) -> JaggedArray:
        """Return the column with all assigned rows.

        Threads may read concurrently: the buffer is read before the column, and cleared after it was merged, so that each finds
        every row in one or the other.
        """
        pending = self._pending
        base = self._base
        if pending:
            places = np.fromiter(pending, np.int64, len(pending))
            base = self._base = _written(base, places, concat(list(pending.values())))
            self._pending = {}
        return base

    @property
    def values(self) -> pa.Array:
        """The values of the column without the assigned rows, whose dictionary is that of all rows."""
        return self._base.values

    def __len__(self) -> int:
        if self._known is None:
            return len(self._rows[0])
        return self._base.shape.nodes(1)

    def put(self, places: Any, fresh: Column) -> None:
        """Write several rows; `places` holds one row number per row of `fresh`."""
        self._base = _written(self.array, places, fresh)

    def put_one(self, place: int, fresh: Column) -> None:
        """Write one row; `fresh` is a column of one row.

        A row of another dictionary is merged at once: where the two can't be joined, the assignment fails, not a later read.
        """
        if pt.is_dictionary(fresh.type) and not fresh.values.dictionary.equals(self.values.dictionary):
            self.put([place], fresh)
            return
        self._pending.pop(place, None)
        self._pending[place] = fresh

    def row(self, place: int) -> Any:
        """One row, or NA."""
        pending = self._pending.get(place)
        if self._known is None and pending is None:
            row = self._rows[0][place]
            return row if isinstance(row, Row) else pd.NA
        column: Column = self._base if pending is None else pending
        place = place if pending is None else 0
        return row_at(column, place)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.array,)


def _written(column: Column, places: Any, fresh: Column) -> JaggedArray:
    """Replace the rows at `places` by those of `fresh`."""
    n = column.shape.nodes(1)
    index = np.arange(n)
    index[places] = n + np.arange(len(places))
    both = concat([column, fresh])
    return JaggedArray._of(structure.take_items(both, 1, index, [Uniform._frame(n)]))
