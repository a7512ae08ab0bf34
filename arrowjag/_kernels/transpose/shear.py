"""Whether two ragged levels can change places without holes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels.base.offsets import parents, positions, row_sizes
from arrowjag.errors import JagValueError
from arrowjag.typing import ShearRule

__all__ = ["rising", "row_max", "will_shear"]

Offsets = Sequence[NDArray[np.int64]]


def will_shear(offsets: Offsets, a: int, b: int, rule: ShearRule = "fold") -> bool:
    """Whether dims a and b can't change places without closing holes.

    Parameters
    ----------
    offsets : sequence of int64 arrays
        One for each dim.
    a, b : int
        Dims, a <= b.
    rule : "fold" or "exact"
        "exact" tells whether holes appear; "fold" also refuses dims between a and b whose reach rises in any slice.

    Returns
    -------
    bool

    Raises
    ------
    JagValueError
        An unknown rule.

    Notes
    -----
    O(rows of dims a to b); the items are not looked at. Source: fold.
    """
    if rule not in ("fold", "exact"):
        raise JagValueError(f'transpose: expected rule "fold" or "exact", got {rule!r}.')
    return a != b and (_reach_rises(offsets, a, b, first_slice=rule == "exact") or not _slices_shrink(offsets, a, b))


def _reach_rises(offsets: Offsets, a: int, b: int, *, first_slice: bool) -> bool:
    """Whether among siblings between a and b one reaches further than the one before it: has a longer row of dim b below it."""
    reach = row_sizes(offsets[b])
    looked_at = _below_first_slices(offsets, a, b) if first_slice else None
    for d in range(b - 1, a, -1):
        rises = rising(reach, offsets[d])
        if looked_at is not None:
            rises &= looked_at[d + 1]
        if rises.any():
            return True
        reach = row_max(reach, offsets[d])
    return False


def rising(data: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which items are larger than the one before them in their row."""
    rises = np.zeros(len(data), np.bool_)
    np.greater(data[1:], data[:-1], out=rises[1:])
    rises[offsets[:-1][offsets[1:] > offsets[:-1]]] = False
    return rises


def _below_first_slices(offsets: Offsets, a: int, b: int) -> dict[int, NDArray[np.bool_]]:
    """For each level between a and b, which nodes lie in the first slice of their frame."""
    level = positions(offsets[a]) == 0
    found = {a + 1: level}
    for d in range(a + 1, b):
        level = np.repeat(level, row_sizes(offsets[d]))
        found[d + 1] = level
    return found


def row_max(data: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The largest item of each row, 0 where there is none."""
    result = np.zeros(len(offsets) - 1, np.int64)
    filled = offsets[1:] > offsets[:-1]
    if len(data):
        result[filled] = np.maximum.reduceat(data, offsets[:-1][filled])
    return result


def _slices_shrink(offsets: Offsets, a: int, b: int) -> bool:
    """Whether each slice of a frame holds, at the same coordinates, no more than the slice before it."""
    if b == a + 1:  # slices are rows then: 7 ms for 1M of them instead of 28
        return not rising(row_sizes(offsets[b]), offsets[a]).any()
    twin = np.arange(-1, int(offsets[a][-1]) - 1)  # the node with the same coordinates in the slice before; -1: none
    heads = offsets[a][:-1][row_sizes(offsets[a]) > 0]
    twin[heads] = -1
    is_first = np.zeros(len(twin), np.bool_)
    is_first[heads] = True
    for d in range(a + 1, b):
        owner, place = parents(offsets[d]), positions(offsets[d])
        above = twin[owner]
        twin = np.where((above >= 0) & (place < row_sizes(offsets[d])[above]), offsets[d][above] + place, -1)
        is_first = is_first[owner]
    sizes = row_sizes(offsets[b])
    grows = (twin < 0) | (sizes[twin] < sizes) if len(sizes) else np.zeros(0, np.bool_)
    return not bool((grows & (sizes > 0) & ~is_first).any())
