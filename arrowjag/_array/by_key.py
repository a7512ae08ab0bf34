"""Methods that find items by a key or a value: min_by, max_by, index_of, argwhere, drop_nulls and is_sorted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase, as_keys, operand
from arrowjag._methods import changing_axis, method, over_axis
from arrowjag._ops import by_key as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["KeyMethods"]


class KeyMethods(ArrayBase):
    """Operations that look up items by a key in another array, or by their value."""

    __slots__ = ()

    @method("by", rows=over_axis)
    def min_by(self, by: Any, axis: Any = -1) -> ArrayOrScalar:
        """Return the item of each row whose key is the smallest.

        %(by_key)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> fruit = aj.array([["pear", "fig", "plum"], ["kiwi"], []])
        >>> fruit.min_by([[3, 1, 2], [None], []]).to_list()
        ['fig', None, None]
        >>> fruit.min_by([7, 5, 6], axis=0).to_list()
        ['kiwi']
        """
        return self._wrap(_ops.extreme_by(self, as_keys(by, "min_by"), axis, "min_by"))

    @method("by", rows=over_axis)
    def max_by(self, by: Any, axis: Any = -1) -> ArrayOrScalar:
        """Return the item of each row whose key is the largest.

        %(by_key)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> shop, offer = aj.array([["Ulm", "Bern", "Linz"], ["Graz"], []]), aj.array([[3, 1, 3], [4], []])
        >>> shop.max_by(offer).to_list()
        ['Ulm', 'Graz', None]
        """
        return self._wrap(_ops.extreme_by(self, as_keys(by, "max_by"), axis, "max_by"))

    @method("v", rows=over_axis)
    def index_of(self, v: Any, axis: Any = -1) -> ArrayOrScalar:
        """Return the position of the first item of each row that equals a value.

        Parameters
        ----------
        v : scalar, JaggedArray or array
            One value for all rows, or one per row: an array of at most the dims above the rows, broadcast by the prefix rule.
        %(axis_reduced)s

        Returns
        -------
        JaggedArray or pa.Scalar
            int64 positions, nulls counted; null where no item equals the value, for an empty row and for a null row. Null finds
            null and NaN finds NaN; -0.0 equals 0.0. Along an outer axis, positions are those along that axis. Cost: one pass.

        Raises
        ------
        ShapeError
            If `v` has as many dims as the items.
        %(unlike_values_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[5, 7, 5], [None, 7], []])
        >>> x.index_of(7).to_list(), x.index_of([5, None, 1]).to_list()
        ([1, 1, None], [0, 0, None])
        """
        return self._wrap(_ops.index_of(self, operand(v, self.type, "index_of", by_value=True), axis))

    @method(rows=changing_axis)
    def argwhere(self, axis: Any = -1) -> JaggedArray:
        """Return the positions of the items of each row that are true, or not zero.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim to search; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis the items at the same position are one row, and positions are those along that axis.

        Returns
        -------
        JaggedArray
            int64 positions, ascending. Null items are left out; NaN counts as not zero. An empty row gives an empty row, a null
            row stays null; a declared extent of the dim is dropped. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are not booleans, integers or floats.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[3, 9, 4], [], [8]])
        >>> (x > 3).argwhere().to_list()
        [[1, 2], [], [0]]
        """
        return self._wrap(_ops.argwhere(self, axis))

    @method(rows=changing_axis)
    def drop_nulls(self, axis: Any = -1) -> JaggedArray:
        """Drop the null items of each row.

        Parameters
        ----------
        %(axis_of_trees)s

        Returns
        -------
        JaggedArray
            Of the same type. A null row stays null, unless it is itself an item along the axis; a declared extent of the dim is
            dropped. Values are shared where there are no nulls. Cost: one pass.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, None, 2], None, [None]])
        >>> x.drop_nulls().to_list(), x.drop_nulls(axis=0).to_list()
        ([[1, 2], None, []], [[1, None, 2], [None]])
        """
        return self._wrap(_ops.drop_nulls(self, axis))

    @method(rows=over_axis)
    def is_sorted(self, descending: bool = False, axis: Any = -1) -> ArrayOrScalar:
        """Return whether the items of each row are in order.

        Parameters
        ----------
        descending : bool
            Whether to test for descending order, from the largest item to the smallest.
        %(axis_reduced)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Booleans. Equal neighbours are in order, -0.0 equals 0.0, NaN comes last in both directions. Null items are skipped;
            null for a row without valid items and for a null row. Cost: one pass.

        %(no_order)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 2], [2, None, 1], []]).is_sorted().to_list()
        [True, False, None]
        """
        return self._wrap(_ops.is_sorted(self, descending, axis))
