"""Reductions: one value per row, along any axis."""

from __future__ import annotations

from typing import Any

from arrowjag._array.base import ArrayBase, as_keys
from arrowjag._methods import method, over_aligned_axis, over_axis
from arrowjag._ops import reduce as _ops
from arrowjag._ops import statistics as _statistics
from arrowjag.typing import ArrayOrScalar

__all__ = ["ReductionMethods"]


class ReductionMethods(ArrayBase):
    """Reductions of rows: sums, extremes, counts, first and last items."""

    __slots__ = ()

    @method(rows=over_axis)
    def sum(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Sum the items of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            The sum of each row, which is 0 for an empty row and null for a null row. Integers and booleans are added as 64-bit
            integers, floats and durations keep their type, and decimals get the largest precision of their bit width. A row with
            a NaN gives NaN. Cost: one pass, on all cores.

        Raises
        ------
        JagOverflowError
            If an integer sum does not fit 64 bits (the message names the row), or a decimal sum its precision.
        JagTypeError
            If the reduction does not support the leaf type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> prices = aj.array([[3.5, 1.5], [], [None, 4.0]])
        >>> prices.sum().to_list()
        [5.0, 0.0, 4.0]
        >>> aj.array([[1, 2], [3]]).sum(axis=0).to_list()
        [4, 2]
        >>> aj.array([[1, None], [3]]).sum(axis=()).to_list()
        [[1, 0], [3]]
        """
        return self._wrap(_ops.reduce(self, "sum", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def prod(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Multiply the items of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            The product of each row, which is 1 for an empty row and null for a null row. Integers and booleans are multiplied as
            64-bit integers, floats keep their type, and decimals are rounded after each product as in `cumprod`. A row with a NaN
            gives NaN. Cost: one pass.

        Raises
        ------
        JagOverflowError
            If an integer product does not fit 64 bits, or a decimal product its precision; the message names the row.
        JagTypeError
            If the reduction does not support the leaf type.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, 3], []]).prod().to_list()
        [6, 1]
        """
        return self._wrap(_ops.reduce(self, "prod", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method("weights", rows=over_aligned_axis)
    def mean(self, axis: Any = -1, *, weights: Any = None, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Average the items of each row.

        Parameters
        ----------
        %(axis_reduced)s
        weights : JaggedArray or array of numbers, optional
            The weight of each item, broadcast by the prefix rule; by default 1. Items with a null weight don't count.
        %(skip_nulls)s
        %(min_count)s

        Returns
        -------
        JaggedArray or pa.Scalar
            The mean of each row, which is null for an empty or null row, and if the weights of a row add up to 0. Integers,
            and decimals with weights, give float64; other decimals and times keep their type and are rounded half away from
            zero. A row with a NaN gives NaN. Cost: one pass, or three passes with weights.

        Raises
        ------
        JagValueError
            If a weight is negative; the message names the row.
        JagTypeError
            If the reduction does not support the leaf type; temporals have no weighted mean.
        ShapeError
            If the shape of the weights is not a prefix of this array's.

        Examples
        --------
        >>> import arrowjag as aj
        >>> price, quantity = aj.array([[2.0, 6.0], []]), aj.array([[3, 1], []])
        >>> price.mean().to_list(), price.mean(weights=quantity).to_list()
        ([4.0, None], [3.0, None])
        """
        if weights is not None:
            return self._wrap(_statistics.weighted_mean(self, as_keys(weights, "mean", "weight"), axis, skip_nulls, min_count))
        return self._wrap(_ops.reduce(self, "mean", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def min(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the smallest item of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        %(extreme_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).min().to_list()
        [2, None]
        """
        return self._wrap(_ops.reduce(self, "min", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def max(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the largest item of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        %(extreme_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["ham", None, "jam"], []]).max().to_list()
        ['jam', None]
        """
        return self._wrap(_ops.reduce(self, "max", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def argmin(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the position of the smallest item of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        %(extreme_position)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[2, None, 5], []]).argmin().to_list()
        [0, None]
        """
        return self._wrap(_ops.reduce(self, "argmin", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def argmax(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the position of the largest item of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        %(extreme_position)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> scores = aj.array([[0.2, None, 0.9], []])
        >>> scores.argmax().to_list()
        [2, None]
        """
        return self._wrap(_ops.reduce(self, "argmax", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def count(self, axis: Any = -1) -> ArrayOrScalar:
        """Count the items of each row that are not null.

        Parameters
        ----------
        %(axis_reduced)s

        Returns
        -------
        JaggedArray or pa.Scalar
            int64; 0 for an empty row, null for a null row. Cost: one pass over the validity.

        Examples
        --------
        >>> import arrowjag as aj
        >>> ratings = aj.array([[5, None], [], None])
        >>> ratings.count().to_list(), ratings.lengths().to_list()
        ([1, 0, None], [2, 0, None])
        """
        return self._wrap(_ops.count(self, axis))

    @method(rows=over_axis)
    def lengths(self, axis: Any = -1) -> ArrayOrScalar:
        """Return the size of each row of a dim, nulls counted.

        Parameters
        ----------
        axis : int, tuple of int or None
            The dim whose rows are measured. Several trailing dims are treated as one row, None treats all dims as one row, and
            an empty tuple counts each item alone.

        Returns
        -------
        JaggedArray or pa.Scalar
            int64 with the dims before that axis; 0 for an empty row, null for a null row. Cost: the sizes, which the shape caches.

        Examples
        --------
        >>> import arrowjag as aj
        >>> words = aj.array([["to", "be"], [], None])
        >>> words.lengths().to_list()
        [2, 0, None]
        """
        return self._wrap(_ops.lengths(self, axis))

    @method(rows=over_axis)
    def any(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return whether any item of each row is true.

        Parameters
        ----------
        %(truth_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Booleans; False for an empty row, null for a null row. Numbers other than 0 are true, and so is NaN. Cost: one pass.

        %(no_reduction)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> delay = aj.array([[5, 70], [], [10]])
        >>> (delay > 60).any().to_list()
        [True, False, False]
        """
        return self._wrap(_ops.reduce(self, "any", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def all(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return whether every item of each row is true.

        Parameters
        ----------
        %(truth_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Booleans; True for an empty row, null for a null row. Numbers other than 0 are true, and so is NaN. Cost: one pass.

        %(no_reduction)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> delay = aj.array([[5, 70], [], [10]])
        >>> (delay < 60).all().to_list()
        [False, True, True]
        """
        return self._wrap(_ops.reduce(self, "all", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def first(self, axis: Any = -1) -> ArrayOrScalar:
        """Return the first item of each row, null or not.

        Parameters
        ----------
        %(axis_reduced)s

        %(end_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> pages = aj.array([["home", "cart"], [None], []])
        >>> pages.first().to_list()
        ['home', None, None]
        """
        return self._wrap(_ops.reduce(self, "first", axis))

    @method(rows=over_axis)
    def last(self, axis: Any = -1) -> ArrayOrScalar:
        """Return the last item of each row, null or not.

        Parameters
        ----------
        %(axis_reduced)s

        %(end_result)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> pages = aj.array([["home", "cart"], [None], []])
        >>> pages.last().to_list()
        ['cart', None, None]
        """
        return self._wrap(_ops.reduce(self, "last", axis))
