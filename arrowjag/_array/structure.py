"""Methods that change the shape and share the values: flatten, reshape, expand_to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from arrowjag._array.base import ArrayBase, as_column
from arrowjag._column import empty
from arrowjag._methods import Rows, method, moving
from arrowjag._ops import products
from arrowjag._ops import structure as _ops
from arrowjag.shape import JaggedShape

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["StructureMethods"]


def _flatten_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    first, last = (_clamped(arguments.get(name), ndim, default) for name, default in (("from_dim", 0), ("to_dim", ndim)))
    return Rows.LOCAL if first >= 1 or last == 1 else Rows.MOVED


def _clamped(dim: int | None, ndim: int, default: int) -> int:
    """Return a dim as `flatten` reads it: negative counts from the end, and numbers out of range are the nearest in it."""
    dim = default if dim is None else dim
    return min(max(dim + ndim if dim < 0 else dim, 0), ndim)


def _flatten_end_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    return Rows.LOCAL if arguments.get("n", 1) < max(ndim - 1, 1) else Rows.MOVED


def _expand_rows(ndim: int, arguments: Mapping[str, Any]) -> Rows:
    """Copies of the whole array are made of all rows, and a given shape has the sizes of all rows."""
    if isinstance(arguments.get("other"), JaggedShape):
        return Rows.KEPT
    return Rows.KEPT if 0 < ndim <= arguments.get("ndim", 0) else Rows.LOCAL


def _expanded_type(x: Any, other: Any, ndim: int = 0) -> Any:
    """The type of `expand_to`; the sizes of a given shape don't fit an array without rows, its extents do."""
    if isinstance(other, JaggedShape) and other.ndim:
        other = x._wrap(empty(pa.null(), other.ndim, other.extents))
    return x.expand_to(other, ndim)


class StructureMethods(ArrayBase):
    """Methods on the shape alone."""

    __slots__ = ()

    @method(rows=_flatten_rows)
    def flatten(self, from_dim: int = 0, to_dim: int | None = None, *, keep_empty: bool = False) -> JaggedArray:
        """Merge the dims ``from_dim:to_dim`` into one.

        Parameters
        ----------
        from_dim, to_dim : int
            The first dim to merge, and the dim after the last one to merge, by default `ndim`. Negative numbers count from the
            end, and both are clamped to the range of dims.
        keep_empty : bool
            Whether a null or empty row at one of the merged levels gives one null item instead of no item.

        Returns
        -------
        JaggedArray
            The same items, with one dim in place of the merged ones; an empty range of dims inserts a dim of size 1 before
            `from_dim`. Null and empty rows give no item, unless `keep_empty` is True. Cost: values are shared and offsets are
            composed; if `keep_empty` is True and there are empty rows, one gather per level.

        Raises
        ------
        JagTypeError
            If a dim is not an int.

        Notes
        -----
        Follows Koda's rule (`kd.shapes.flatten`), which accepts any ints.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[[1, 2], [3]], [[4]]]).flatten(1).to_list()
        [[1, 2, 3], [4]]
        >>> aj.array([[1, 2], [], None]).flatten(keep_empty=True).to_list()
        [1, 2, None, None]
        """
        if keep_empty:
            return self._wrap(products.flatten_keeping(self, from_dim, to_dim))
        return self._wrap(_ops.flatten(self, from_dim, to_dim))

    @method(rows=_flatten_end_rows)
    def flatten_end(self, n: int = 1) -> JaggedArray:
        """Merge the last `n` dims into the dim before them.

        Parameters
        ----------
        n : int
            The number of dims to merge, from 0 to `ndim`; `ndim` gives the same result as ``ndim - 1``.

        Returns
        -------
        JaggedArray
            With `n` dims fewer. Null and empty rows give no item. Values are shared.

        Raises
        ------
        ShapeError
            If `n` is out of range.
        JagTypeError
            If `n` is not an int.

        Notes
        -----
        Follows Koda's rule (`kd.shapes.flatten_end`).

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[[1, 2], [3]], [[4]]]).flatten_end().to_list()
        [[1, 2, 3], [4]]
        """
        return self._wrap(_ops.flatten_end(self, n))

    @method(rows=moving)
    def reshape(self, *dims: Any) -> JaggedArray:
        """Regroup the same values into other dims.

        Parameters
        ----------
        *dims : int, sizes, Dim or pattern; or one tuple of them, or one JaggedShape
            At most one entry may be -1. If -1 is last and the dims before it have as many items in all as the first k dims of
            this array, for the smallest such k >= 1, the dims from k on are kept, so ragged rows stay ragged. Otherwise -1
            stands for one size, computed from the others.

        Returns
        -------
        JaggedArray
            Values are shared. Null rows of dims that stay are kept; a reshape across a null row drops the row, which owns no
            values.

        Raises
        ------
        ShapeError
            If the sizes do not add up to the number of values.

        Notes
        -----
        Follows fold's rule if ragged rows can stay, otherwise Koda's (`kd.shapes.reshape`).

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([1, 2, 3, 4]).reshape(2, [1, 3]).to_list()
        [[1], [2, 3, 4]]
        """
        return self._wrap(_ops.reshape(self, *dims))

    @method("y", rows=moving)
    def reshape_as(self, y: Any) -> JaggedArray:
        """Regroup the same values into the shape of another array.

        Parameters
        ----------
        y : JaggedArray
            An array with the same number of values.

        Returns
        -------
        JaggedArray
            The shape of `y`, with its null rows. Values are shared.

        Raises
        ------
        ShapeError
            If the sizes differ.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([1, 2, 3]).reshape_as(aj.array([["a"], ["b", "c"]])).to_list()
        [[1], [2, 3]]
        """
        return self._wrap(_ops.reshape(self, as_column(y).shape))

    @method("other", rows=_expand_rows, result_type=_expanded_type)
    def expand_to(self, other: Any, ndim: int = 0) -> JaggedArray:
        """Broadcast the array to a longer shape: each item is repeated for its descendants.

        Parameters
        ----------
        other : JaggedArray or JaggedShape
            The target; the shape of this array must be a prefix of its shape.
        ndim : int
            The number of last dims of this array that are copied as one item.

        Returns
        -------
        JaggedArray
            Of the shape of `other`, followed by the last `ndim` dims of this array. Null items are repeated; a row that is null
            in either is null. Cost: one gather at the speed of memory.

        Raises
        ------
        ShapeError
            If this shape is not a prefix; the message names dim and row. Dims of size 1 are not broadcast.

        Notes
        -----
        Follows Koda's rule (`kd.shapes.expand_to_shape`).

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array(["q1", "q2"]).expand_to(aj.array([["d1", "d2"], ["d3"]])).to_list()
        [['q1', 'q1'], ['q2']]
        """
        shape = other if isinstance(other, JaggedShape) else as_column(other).shape
        return self._wrap(_ops.expand_to(self, shape, ndim))
