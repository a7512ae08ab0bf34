"""Repeat one item per row for each item of the row, in Arrow arrays of any type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import fill
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.offsets import parents as row_of_each
from arrowjag._kernels.base.words import data_of, has_words, valid_of, without_validity
from arrowjag._kernels.move import gather, merge
from arrowjag._kernels.strategy.shares import is_even

__all__ = ["spread"]


def spread(
    values: pa.Array[Any], offsets: NDArray[np.int64], parents: NDArray[np.int32] | NDArray[np.int64] | None = None
) -> pa.Array[Any]:
    """Repeat each item over the row it owns: result[j] = values[parents[j]].

    Parameters
    ----------
    values : (n_rows,) Arrow array of any type
    offsets : (n_rows + 1,) int64 array
    parents : (n_values,) int32 or int64 array, optional
        The row numbers, if they are known; they are not checked.

    Returns
    -------
    (n_values,) Arrow array of the same type

    Notes
    -----
    O(n_values), a new array. With int32 indices and no bounds check pyarrow's take runs at the speed of memcpy; numbers whose
    parents are not known are spread without them. 333k float64 with nulls over rows of three take 1.0 ms, repeated three times 0.4.
    """
    type, n = values.type, int(offsets[-1])
    fixed = has_words(type)
    by = strategy.choose("spread", n, fixed, parents is not None, type.bit_width if fixed else 0, lambda: is_even(offsets))
    if by == "repeat":
        return merge.repeat_each(values, n // len(values))
    if by == "take":
        return gather.take(values, row_of_each(offsets) if parents is None else parents)
    tasks: list[Callable[[], Any]] = [partial(_spread_data, values, offsets, parents, by)]
    if (valid := valid_of(values)) is not None:
        tasks.append(partial(fill.spread_flags, valid, offsets))
    data, *present = map_tasks(lambda task: task(), tasks) if n >= strategy.sizes.ONE_PASS_VALUES else [task() for task in tasks]
    return pa.Array.from_buffers(type, n, [pa.py_buffer(present[0]) if present else None, pa.py_buffer(data)])


def _spread_data(values: Any, offsets: NDArray[np.int64], parents: NDArray[Any] | None, by: str) -> Any:
    type = values.type
    if pt.is_boolean(type):
        return fill.spread_flags(data_of(values).view(np.bool_), offsets)
    if by == "words":
        return fill.spread_rows(data_of(values), offsets)
    rows = pa.array(row_of_each(offsets) if parents is None else parents)
    return pc.take(without_validity(values), rows, boundscheck=False).buffers()[1]
