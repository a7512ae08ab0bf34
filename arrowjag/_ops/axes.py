"""Axes: any axis is worked on as the last one. Trailing axes merge; an outer axis moves inward, item by equal local position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arrowjag._column import Column
from arrowjag._kernels import gather
from arrowjag._kernels import offsets as _offsets
from arrowjag._kernels.permutations import inverse
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagValueError
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "Combined",
    "Moved",
    "apart",
    "combine",
    "is_none_of_them",
    "move_back",
    "move_last",
    "normalize_axes",
    "stable_order",
    "trailing",
]


class Moved(NamedTuple):
    """A column whose last dim runs along what was an outer axis.

    `column` has as many dims as before; `take` tells where each of its leaves stood; `slots` its place along the axis.
    """

    column: Column
    take: IntArray
    slots: IntArray


def normalize_axes(axis: Any, ndim: int, operation: str) -> tuple[int, ...]:
    """An axis, a tuple of axes or None (all) as sorted numbers."""
    if type(axis) is int:
        return (structure.normalize_axis(axis, ndim, operation),)
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = sorted(structure.normalize_axis(one, ndim, operation) for one in axes)
    if len(set(found)) != len(found):
        raise JagValueError(f"{operation}: axes must differ, got {tuple(axes)} of {ndim} dims")
    if len(found) > 1 and found != list(range(found[0], ndim)):
        raise JagValueError(f"{operation}: several axes must be the last ones, got {tuple(axes)} of {ndim} dims")
    if not found:
        raise JagValueError(f"{operation}: axis is an empty tuple")
    return tuple(found)


def is_none_of_them(axis: Any) -> bool:
    """Whether an axis is the empty tuple: each item is a row of its own, as with Koda's ``ndim=0``."""
    return isinstance(axis, (tuple, list)) and len(axis) == 0


def apart(column: Column) -> Column:
    """Each leaf as a row of its own: a last dim of size 1 is added."""
    return structure.with_shape(JaggedShape._trusted((*column.shape.dims, Uniform(1, column.shape.size))), column)


def trailing(column: Column, first: int) -> Column:
    """The dims from `first` on merged into one last dim."""
    if first == column.ndim - 1:
        return column
    return structure.with_shape(column.shape.flatten(first, column.ndim), column)


def move_last(column: Column, axis: int) -> Moved:
    """Collect, for each place of the tree without `axis`, the items along it.

    Parameters
    ----------
    column : Column
        The source; `axis` is not its last.
    axis : int
        From 0 to ``ndim - 2``.

    Returns
    -------
    Moved
        The place tree is as long as the longest of the rows that combine, or as declared; null rows below the axis are absent, a
        null row of the axis' own dim stays null. Cost: one pass a level and a counting sort of the leaves.
    """
    combined = combine(column.shape, axis)
    slot = _slots(column.shape, axis)
    take = stable_order(combined.node)
    last = Ragged.from_offsets(_offsets.from_sizes(np.bincount(combined.node, minlength=combined.size)), check=False)
    shape = JaggedShape._trusted((*combined.dims, last))
    return Moved(Column(shape, gather.take(column.values, take)), take, slot[take])


class Combined(NamedTuple):
    """The tree of places without an axis: its `dims` and `size`, and the place (`node`) of each leaf."""

    dims: tuple[Dim, ...]
    size: int
    node: IntArray


def combine(shape: JaggedShape, axis: int) -> Combined:
    """Lay the items along an outer axis over each other: which leaf lands on which place. O(leaves)."""
    node: Any = shape.dims[axis].parents
    n_nodes = len(shape.dims[axis])
    validity = shape.dims[axis].validity
    dims: list[Dim] = list(shape.dims[:axis])
    for dim in shape.dims[axis + 1 :]:
        merged = _union(dim, node, n_nodes, validity)
        node = _offsets.runs(merged.offsets[node], dim.offsets)
        n_nodes, validity = merged.size, None
        dims.append(merged)
    return Combined(tuple(dims), n_nodes, node)


def _slots(shape: JaggedShape, axis: int) -> IntArray:
    """The place of each leaf along an outer axis."""
    slot = _offsets.positions(shape.dims[axis].offsets)
    return slot.repeat(shape.composed(axis + 1, shape.ndim).sizes)


def _union(dim: Dim, node: IntArray, n_nodes: int, validity: BoolArray | None) -> Dim:
    """One dim of the tree in which rows with the same place are laid over each other."""
    sizes = np.zeros(n_nodes, np.int64)
    if dim.extent is not None:
        sizes[:] = dim.extent
        if validity is not None:
            sizes[~validity] = 0
    else:
        _scatter_max(sizes, node, dim.sizes)
    cut = _offsets.from_sizes(sizes)
    return Ragged.from_offsets(cut, validity=validity, extent=dim.extent, check=False)


def _scatter_max(out: IntArray, node: IntArray, sizes: IntArray) -> None:
    """The largest size that lands on each node; nodes come sorted where only the rows' own dim was crossed."""
    if len(node) == 0:
        return
    if (node[1:] >= node[:-1]).all():
        starts = np.concatenate([[True], node[1:] != node[:-1]]).nonzero()[0]
        out[node[starts]] = np.maximum.reduceat(sizes, starts)
    else:
        np.maximum.at(out, node, sizes)


def stable_order(node: IntArray) -> IntArray:
    """A stable order by node: least-significant-digit radix in 16-bit digits, which numpy sorts by counting."""
    order = np.argsort((node & 0xFFFF).astype(np.uint16), kind="stable")
    high = node >> 16
    while len(node) and high.max() > 0:
        order = order[np.argsort((high[order] & 0xFFFF).astype(np.uint16), kind="stable")]
        high = high >> 16
    return order


def move_back(moved: Moved, result: Column, shape: JaggedShape) -> Column:
    """Results of an operation that kept every item in its slot, back in the original order."""
    return Column(shape, gather.take(result.values, inverse(moved.take)))
