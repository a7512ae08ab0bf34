"""Scans: one result for each item: running totals, differences, shifts and fills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase, as_keys, operand
from arrowjag._methods import along_axis, method
from arrowjag._ops import composed
from arrowjag._ops import scan as _ops

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["ScanMethods"]


class ScanMethods(ArrayBase):
    """Operations along rows that give one result for each item."""

    __slots__ = ()

    @method(rows=along_axis)
    def cumsum(self, axis: Any = -1) -> JaggedArray:
        """Return the running totals of each row.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Of the same shape, which is shared. A null stays null and is skipped, a null row stays null; a NaN makes all later
            totals NaN. Integers and booleans give 64-bit integers, floats, durations and decimals keep their kind. Cost: one
            pass, on all cores.

        Raises
        ------
        JagOverflowError
            If a running total of integers does not fit 64 bits; the message names the row.
        JagTypeError
            If the leaf type has no such operation.

        Examples
        --------
        >>> import arrowjag as aj
        >>> payments = aj.array([[100, None, -30], [50], []])
        >>> payments.cumsum().to_list()
        [[100, None, 70], [50], []]
        >>> aj.array([[1, 2], [3]]).cumsum(axis=0).to_list()
        [[1, 2], [4]]
        """
        return self._wrap(_ops.scan(self, "cumsum", axis))

    @method(rows=along_axis)
    def cumprod(self, axis: Any = -1) -> JaggedArray:
        """Return the running products of each row.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Of the same shape, which is shared. A null stays null and is skipped, a null row stays null. Integers and booleans
            give 64-bit integers, floats keep their type, decimals get the largest precision of their bit width, and each
            product is rounded to their scale, half away from zero. Cost: one pass, on all cores.

        Raises
        ------
        JagOverflowError
            If a running product of integers does not fit 64 bits, or one of decimals the digits of its type; the message names the
            row.
        JagTypeError
            If the leaf type has no such operation.

        Examples
        --------
        >>> import arrowjag as aj
        >>> growth = aj.array([[1.5, 2.0, None, 0.5]])
        >>> growth.cumprod().to_list()
        [[1.5, 3.0, None, 1.5]]
        """
        return self._wrap(_ops.scan(self, "cumprod", axis))

    @method(rows=along_axis)
    def cummin(self, axis: Any = -1) -> JaggedArray:
        """Return the running minimum of each row.

        Parameters
        ----------
        %(axis_along)s

        %(running_extreme)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> price = aj.array([[9.5, None, 8.0, 8.5]])
        >>> price.cummin().to_list()
        [[9.5, None, 8.0, 8.0]]
        """
        return self._wrap(_ops.scan(self, "cummin", axis))

    @method(rows=along_axis)
    def cummax(self, axis: Any = -1) -> JaggedArray:
        """Return the running maximum of each row.

        Parameters
        ----------
        %(axis_along)s

        %(running_extreme)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["b", "a", None, "c"]]).cummax().to_list()
        [['b', 'b', None, 'c']]
        """
        return self._wrap(_ops.scan(self, "cummax", axis))

    @method(rows=along_axis)
    def cumcount(self, axis: Any = -1) -> JaggedArray:
        """Return the running count of the items of each row that are not null, from 1.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            int64, of the same shape. A null stays null, a null row stays null. Cost: one pass over bits.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[7, None, 7], []]).cumcount().to_list()
        [[1, None, 2], []]
        """
        return self._wrap(_ops.scan(self, "cumcount", axis))

    @method(rows=along_axis)
    def diff(self, n: int = 1, axis: Any = -1) -> JaggedArray:
        """Subtract from each item the one `n` positions before it.

        Parameters
        ----------
        n : int
            The distance; negative looks ahead.
        %(axis_along_places)s

        Returns
        -------
        JaggedArray
            Of the same shape: null if there is no such item, or if either of the two is null. Unsigned integers give signed
            ones, twice as wide up to int64; signed ones wrap around as in subtraction; booleans give int8, times and dates
            durations. Cost: one pass.

        Raises
        ------
        JagOverflowError
            If a difference of uint64 does not fit int64.
        JagTypeError
            If the leaf type has no subtraction, or `n` is not an int.

        Examples
        --------
        >>> import arrowjag as aj
        >>> kilometres = aj.array([[120, 150, 210], [80]])
        >>> kilometres.diff().to_list()
        [[None, 30, 60], [None]]
        >>> aj.array([[1, 2], [5], [7, 8]]).diff(axis=0).to_list()
        [[None, None], [4], [2, None]]
        """
        return self._wrap(_ops.diff(self, n, axis))

    @method("fill", rows=along_axis)
    def shift(self, n: int = 1, fill: Any = None, axis: Any = -1) -> JaggedArray:
        """Shift items by `n` positions; row sizes are unchanged.

        Parameters
        ----------
        n : int
            Number of positions; a negative number shifts towards the front.
        fill : scalar or array, optional
            Replaces the vacated items; an array of fewer dims is broadcast by the prefix rule. Null by default.
        axis : int, tuple of int or None
            The dim to move along; several trailing dims are treated as one row, None treats all dims as one row. Along an outer
            axis whole rows move, as in pandas and polars, and null rows fill the gap.

        Returns
        -------
        JaggedArray
            Of the same type, or of the common type with `fill`. A null row stays null. Cost: one gather.

        Raises
        ------
        JagValueError
            If `fill` is given for an outer axis.
        JagTypeError
            If `n` is not an int, or the types have no common type.
        %(unfit_value)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> pages = aj.array([["home", "cart", "pay"], ["home"]])
        >>> pages.shift().to_list()
        [[None, 'home', 'cart'], [None]]
        >>> pages.shift(-1, fill="exit").to_list()
        [['cart', 'pay', 'exit'], ['exit']]
        >>> aj.array([[1, 2], [3]]).shift(axis=0).to_list()
        [None, [1, 2]]
        """
        filler = None if fill is None else operand(fill, self.type, "shift")
        return self._wrap(_ops.shift(self, n, filler, axis))

    @method(rows=along_axis)
    def ffill(self, axis: Any = -1) -> JaggedArray:
        """Replace each null by the last item before it that is not null, within its row.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Of the same shape and type; a null without such an item stays null, as does a null row. Cost: one gather; none if
            there are no nulls.

        Examples
        --------
        >>> import arrowjag as aj
        >>> level = aj.array([[None, 20.5, None], [None]])
        >>> level.ffill().to_list()
        [[None, 20.5, 20.5], [None]]
        """
        return self._wrap(_ops.fill(self, "forward", axis))

    @method(rows=along_axis)
    def bfill(self, axis: Any = -1) -> JaggedArray:
        """Replace each null by the next item after it that is not null, within its row.

        Parameters
        ----------
        %(axis_along)s

        Returns
        -------
        JaggedArray
            Of the same shape and type; a null without such an item stays null, as does a null row. Cost: one gather; none if
            there are no nulls.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[None, 1, None], [None]]).bfill().to_list()
        [[1, 1, None], [None]]
        """
        return self._wrap(_ops.fill(self, "backward", axis))

    @method(rows=along_axis)
    def softmax(self, axis: Any = -1, *, beta: float = 1.0) -> JaggedArray:
        """Return the exponentials of the items of each row, scaled so that they add up to 1.

        Parameters
        ----------
        %(axis_along)s
        beta : float
            Factor by which items are multiplied before the exponential: the larger, the more weight the largest item gets.

        Returns
        -------
        JaggedArray
            float64, or the type of floats, of the same shape. Nulls stay null and are ignored, a null row stays null; NaN or an
            infinite largest item makes the row NaN. Items are shifted by the largest first, so nothing overflows. Cost: a few
            passes, on all cores.

        %(not_numbers)s

        Notes
        -----
        Corresponds to Koda's `softmax`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1000.0, 1000.0], [3.0], [None]]).softmax().to_list()
        [[0.5, 0.5], [1.0], [None]]
        """
        return self._wrap(composed.softmax(self, beta, axis))

    @method("weights", rows=along_axis)
    def cdf(self, axis: Any = -1, *, weights: Any = None) -> JaggedArray:
        """Return, for each item, the share of the items of its row that are at most as large.

        Parameters
        ----------
        %(axis_along)s
        weights : JaggedArray or array of numbers, optional
            The weight of each item, broadcast to the items by the prefix rule; by default 1. An item whose weight is null is
            ignored.

        Returns
        -------
        JaggedArray
            float64, of the same shape; 1.0 for the largest item. Null items are not counted, and their results are null, as are
            those of items with a null weight; a row that is null in either is null. A NaN, also among the weights, makes its
            row NaN; a row whose weights add up to 0 gives nulls. Cost: a sort of each row.

        Raises
        ------
        JagTypeError
            If the leaf type has no order, or the weights are not numbers.
        JagValueError
            If a weight is negative.
        ShapeError
            If the shape of the weights is not a prefix of this array's.

        Notes
        -----
        Corresponds to Koda's `cdf`, which returns float32.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 1, 2, 1], [7]]).cdf().to_list()
        [[1.0, 0.5, 0.75, 0.5], [1.0]]
        >>> aj.array([["b", "a", "c"]]).cdf(weights=[[1, 5, 4]]).to_list()
        [[0.6, 0.5, 1.0]]
        """
        return self._wrap(composed.cdf(self, None if weights is None else as_keys(weights, "cdf", "weight"), axis))
