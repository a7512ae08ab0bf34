"""Limit the memory that overlapping views, runs and dictionaries take once they are expanded."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag._gate.buffers import ITEM_BYTES, read_offsets
from arrowjag._gate.types import LISTS, VIEWS
from arrowjag._kernels.base.words import is_variable_size
from arrowjag._pyarrow_versions import nbytes
from arrowjag.errors import ShapeError
from arrowjag.typing import IntArray

__all__ = ["MOST_EXPANDED", "check_expansion"]

MOST_EXPANDED = 2**30
"""Maximal bytes after overlapping views, runs and dictionaries are expanded, unless the data itself is larger.

Narrower items count as 8 bytes: many operations number the items.
"""


def check_expansion(values: pa.Array, starts: IntArray, stops: IntArray, times: npt.NDArray[Any] | int, where: str) -> None:
    """Raise if a copy would be far larger than its source.

    Parameters
    ----------
    values : pa.Array
        The source.
    starts, stops : numpy.ndarray
        The ranges of items that are copied.
    times : numpy.ndarray or int
        The number of copies of each range.
    where : str
        The name of the data in error messages.

    Raises
    ------
    ShapeError
        If the copy has more than `MOST_EXPANDED` bytes, and more than twice the bytes of `values`.
    """
    items = float(((stops - starts) * times).sum(dtype=np.float64)) if len(starts) else 0.0
    if items <= 2 * len(values):
        return
    needed = _bytes(values, starts, stops, times)
    if needed > max(MOST_EXPANDED, 2 * nbytes(values)):
        raise ShapeError(
            f"{where} would become {needed / 1e9:.3g} GB of {nbytes(values) / 1e6:.3g} MB, more than {MOST_EXPANDED / 1e9:.3g} GB: "
            "select the rows that you need first"
        )


def _bytes(values: pa.Array, starts: IntArray, stops: IntArray, times: npt.NDArray[Any] | int) -> float:
    """Return the bytes that repeated ranges of items occupy; an estimate for types without a fixed width."""
    type = values.type
    items = float(((stops - starts).astype(np.float64) * times).sum())
    if isinstance(type, pa.BaseExtensionType):
        return _bytes(values.storage, starts, stops, times)
    if pt.is_struct(type):
        return items + sum(_bytes(values.field(place), starts, stops, times) for place in range(type.num_fields))
    if pt.is_fixed_size_list(type):
        begin = values.offset * type.list_size
        return items + _bytes(values.values, begin + starts * type.list_size, begin + stops * type.list_size, times)
    if type.id in LISTS - VIEWS or pt.is_map(type):
        offsets = read_offsets(values, "", check=False) if len(values) else np.zeros(1, np.int64)
        return 8 * items + _bytes(values.values, offsets[starts], offsets[stops], times)
    if is_variable_size(type):
        ends = np.concatenate([[0], np.cumsum(pc.binary_length(values).fill_null(0).to_numpy(zero_copy_only=False))])
        return 8 * items + float(((ends[stops] - ends[starts]).astype(np.float64) * times).sum())
    return items * max(ITEM_BYTES, float(nbytes(values)) / max(1, len(values)))
