"""The mutable cell of an extension array: one immutable column, and rows set one by one that wait to be worked in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from arrowjag._array import JaggedArray
from arrowjag._column import Column, row_validity
from arrowjag._ops import structure
from arrowjag.dims import Uniform
from arrowjag.pandas._convert import concat
from arrowjag.pandas.row import Row

__all__ = ["Store"]


class Store:
    """A column that rows can be written to.

    Setting a row costs what the row costs: it waits in a table until the whole column is asked for, so that a loop of
    assignments is linear. Views share a store; copies share its column.
    """

    __slots__ = ("_base", "_pending")

    def __init__(self, column: Column) -> None:
        self._base: JaggedArray = column if isinstance(column, JaggedArray) else JaggedArray._of(column)
        self._pending: dict[int, Column] = {}

    @property
    def array(self) -> JaggedArray:
        """The column with everything that was written.

        Threads may read at once: what waits is read before the column and let go after it was worked in, so that each finds
        all of it in one or the other.
        """
        pending = self._pending
        base = self._base
        if pending:
            places = np.fromiter(pending, np.int64, len(pending))
            base = self._base = _written(base, places, concat(list(pending.values())))
            self._pending = {}
        return base

    def __len__(self) -> int:
        return self._base.shape.nodes(1)

    def put(self, places: Any, fresh: Column) -> None:
        """Write several rows; `places` are row numbers, one for each row of `fresh`."""
        self._base = _written(self.array, places, fresh)

    def put_one(self, place: int, fresh: Column) -> None:
        """Write one row; `fresh` is a column of one row."""
        self._pending.pop(place, None)
        self._pending[place] = fresh

    def row(self, place: int) -> Any:
        """One row, or NA."""
        pending = self._pending.get(place)
        column: Column = self._base if pending is None else pending
        place = place if pending is None else 0
        validity = row_validity(column, 1)
        return pd.NA if validity is not None and not validity[place] else Row._at(column, place)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.array,)


def _written(column: Column, places: Any, fresh: Column) -> JaggedArray:
    """The column with the rows of `fresh` at `places`."""
    n = column.shape.nodes(1)
    index = np.arange(n)
    index[places] = n + np.arange(len(places))
    both = concat([column, fresh])
    return JaggedArray._of(structure.take_items(both, 1, index, [Uniform(n, 1, declared=False)]))
