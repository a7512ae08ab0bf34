"""Head, tail and slice of each row by number of items; `indexing.window` takes start and stop instead."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._ops import structure
from arrowjag._ops.cursor import FAR, Window, either, positions, row_name
from arrowjag._ops.indexing import agreed, window
from arrowjag.errors import JagValueError, brief
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = ["head", "slice_rows", "tail"]


def head(column: Column, n: int | Column, axis: int) -> Column:
    """Keep the first n items of each row; with negative n, drop the last -n items."""
    return window(column, Window(None, n), axis, "head", ("start", "n"))


def tail(column: Column, n: int | Column, axis: int) -> Column:
    """Keep the last n items of each row; with negative n, drop the first -n items."""
    if not isinstance(n, Column):
        return window(column, Window(-n, None) if n else Window(0, 0), axis, "tail")
    number, null = positions(n)
    start = np.where(number == 0, FAR, -np.clip(number, -FAR, FAR))
    return window(column, Window(_bound(n.shape, start, null), None), axis, "tail", ("n", "stop"))


def slice_rows(column: Column, start: int | Column, length: int | Column | None, axis: int) -> Column:
    """Keep `length` items of each row, beginning at position `start`; a negative position counts from the end."""
    if length is None:
        return window(column, Window(start, None), axis, "slice")
    if not isinstance(start, Column) and not isinstance(length, Column):
        return window(column, Window(start, _end(start, length)), axis, "slice")
    place = structure.normalize_axis(axis, column.ndim, "slice")
    column, (start, length) = agreed(column, {"start": start, "length": length}, place, "slice")
    shape = next(one.shape for one in (start, length) if isinstance(one, Column))
    if isinstance(start, Column) and isinstance(length, Column):
        start, length = structure.align([start, length], "slice")
        shape = start.shape
    first, no_start = positions(start)
    number, no_length = positions(length)
    _check_lengths(number, no_length, shape)
    stop = np.clip(first, -FAR, FAR) + np.clip(number, 0, FAR)
    stop = np.where((first < 0) & (stop >= 0), FAR, stop)
    end = _bound(shape, stop, either(no_start, no_length))
    return window(column, Window(start, end), axis, "slice")


def _end(start: int, length: int) -> int | None:
    """Return the stop position, or None for the end of every row."""
    if length < 0:
        raise JagValueError(f"slice: length must be at least 0, got {brief(length)}")
    end = max(-FAR, min(start, FAR)) + min(length, FAR)
    return None if start < 0 <= end else end


def _bound(shape: JaggedShape, position: IntArray, null: BoolArray | None) -> Column:
    return Column(shape, _arrow.from_numpy(position, None if null is None else ~null))


def _check_lengths(number: Any, null: BoolArray | None, shape: JaggedShape) -> None:
    wrong = np.atleast_1d(number < 0 if null is None else (number < 0) & ~null)
    if wrong.any():
        place = int(wrong.argmax())
        where = f" for {row_name(shape, shape.ndim, place)}" if len(wrong) > 1 else ""
        raise JagValueError(f"slice: length must be at least 0, got {np.atleast_1d(number)[place]}{where}")
