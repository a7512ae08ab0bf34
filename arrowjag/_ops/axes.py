"""Axes: every operation works on the last dim. Trailing axes are merged; an outer axis is moved to the end.

Along an outer axis, items at the same local position combine. A *node* is a position in the tree of dims without that axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from arrowjag._column import Column
from arrowjag._kernels.base import offsets as _offsets
from arrowjag._kernels.move import gather
from arrowjag._kernels.move.scatter import inverse
from arrowjag._kernels.order.digits import radix_order
from arrowjag._ops import structure
from arrowjag.dims import Dim, Ragged, Uniform
from arrowjag.errors import JagValueError, plural
from arrowjag.shape import JaggedShape
from arrowjag.typing import BoolArray, IntArray

__all__ = [
    "Along",
    "Combined",
    "Moved",
    "along",
    "combine",
    "is_empty_tuple",
    "leaves_as_rows",
    "move_back",
    "move_last",
    "normalize_axes",
    "rows_along",
    "trailing",
]


class Moved(NamedTuple):
    """A column whose last dim is a former outer axis.

    `column` has the same number of dims as the source; `take` holds the source position of each leaf; `slots` its position
    along the axis.
    """

    column: Column
    take: IntArray
    slots: IntArray


class Along(NamedTuple):
    """A column whose last dim holds the items along the axes of an operation: trailing axes merged, or an outer axis moved.

    `take` and `slots` are those of `Moved`; None where no leaf has moved.
    """

    column: Column
    take: IntArray | None = None
    slots: IntArray | None = None

    def beside(self, values: pa.Array) -> pa.Array:
        """Return the values of another column of the source's shape, in the order of this column."""
        return values if self.take is None else gather.take(values, self.take)


def normalize_axes(axis: Any, ndim: int, operation: str) -> tuple[int, ...]:
    """Convert an axis, a tuple of axes or None (all) to sorted non-negative numbers."""
    if type(axis) is int:
        if -ndim <= axis < ndim:
            return (axis % ndim,)
        return (structure.normalize_axis(axis, ndim, operation),)
    if axis is None:
        structure.check_rows(ndim, operation)
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = sorted(structure.normalize_axis(one, ndim, operation) for one in axes)
    if len(set(found)) != len(found):
        raise JagValueError(f"{operation}: axes must differ, got {tuple(axes)} of {plural(ndim, 'dim')}")
    if len(found) > 1 and found != list(range(found[0], ndim)):
        raise JagValueError(f"{operation}: several axes must be the last ones, got {tuple(axes)} of {plural(ndim, 'dim')}")
    if not found:
        raise JagValueError(f"{operation}: axis is an empty tuple, expected a dim, several of the last dims, or None for all")
    return tuple(found)


def is_empty_tuple(axis: Any) -> bool:
    """Return whether an axis is the empty tuple, with which each item forms its own row, as with Koda's ``ndim=0``."""
    return isinstance(axis, (tuple, list)) and len(axis) == 0


def leaves_as_rows(column: Column) -> Column:
    """Append a dim of size 1, so that each leaf is a row."""
    return structure.with_shape(JaggedShape._trusted((*column.shape.dims, Uniform(1, column.shape.size))), column)


def trailing(column: Column, first: int) -> Column:
    """Merge the dims from `first` on into one."""
    if first == column.ndim - 1:
        return column
    return structure.merge_from(column, first)


def move_last(column: Column, axis: int) -> Moved:
    """Collect the items along `axis` in one row for each node of the tree without that axis.

    Parameters
    ----------
    column : Column
        The source; `axis` is not its last dim.
    axis : int
        From 0 to ``ndim - 2``.

    Returns
    -------
    Moved
        A row of the remaining tree is as long as the longest of the rows that combine in it, or has the declared extent. Null rows
        below the axis are skipped; a null row of the axis' own dim stays null. Cost: one pass per level and a counting sort of
        the leaves.
    """
    combined = combine(column.shape, axis)
    slot = _slots(column.shape, axis)
    take = radix_order(combined.node)
    last = Ragged.from_offsets(_offsets.from_sizes(np.bincount(combined.node, minlength=combined.size)), check=False)
    shape = JaggedShape._trusted((*combined.dims, last))
    return Moved(Column(shape, gather.take(column.values, take)), take, slot[take])


def rows_along(column: Column, axes: tuple[int, ...]) -> Column:
    """Return the column of `along`."""
    return along(column, axes).column


def along(column: Column, axes: tuple[int, ...]) -> Along:
    """Collect the items along normalized axes in one last dim."""
    if axes[-1] == column.ndim - 1:
        return Along(trailing(column, axes[0]))
    return Along(*move_last(column, axes[0]))


class Combined(NamedTuple):
    """The tree without an axis: its `dims`, its number of nodes (`size`), and the node of each leaf."""

    dims: tuple[Dim, ...]
    size: int
    node: IntArray


def combine(shape: JaggedShape, axis: int) -> Combined:
    """Map each leaf to its node in the tree without an outer axis. Cost: O(leaves)."""
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
    """Return the position of each leaf along an outer axis."""
    slot = _offsets.positions(shape.dims[axis].offsets)
    return slot.repeat(shape.composed(axis + 1, shape.ndim).sizes)


def _union(dim: Dim, node: IntArray, n_nodes: int, validity: BoolArray | None) -> Dim:
    """Combine the rows of a dim that share a node; each combined row has the size of the longest."""
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
    """Scatter sizes to nodes, keeping the largest; sorted nodes, the usual case, take one `reduceat`."""
    if len(node) == 0:
        return
    if (node[1:] >= node[:-1]).all():
        starts = np.concatenate([[True], node[1:] != node[:-1]]).nonzero()[0]
        out[node[starts]] = np.maximum.reduceat(sizes, starts)
    else:
        np.maximum.at(out, node, sizes)


def move_back(moved: Moved, result: Column, shape: JaggedShape) -> Column:
    """Return results to the order before `move_last`; there is one per item of the moved column, in its order."""
    return Column(shape, gather.take(result.values, inverse(moved.take)))
