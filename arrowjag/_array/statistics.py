"""Statistics of rows: variance, quantiles, median, mode and others."""

from __future__ import annotations

from typing import Any

from arrowjag._array.base import ArrayBase, as_keys, operand
from arrowjag._column import Column
from arrowjag._kernels.reduce.quantiles import probability
from arrowjag._methods import method, over_aligned_axis, over_axis
from arrowjag._ops import reduce as _ops
from arrowjag._ops import statistics as _statistics
from arrowjag.errors import JagTypeError, JagValueError, brief
from arrowjag.typing import ArrayOrScalar, Interpolation

__all__ = ["StatisticMethods"]


class StatisticMethods(ArrayBase):
    """Reductions with options of their own."""

    __slots__ = ()

    @method(rows=over_axis)
    def var(self, axis: Any = -1, *, ddof: int = 1, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the variance of each row.

        %(spread_of_rows)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 3.0], [5.0]]).var(ddof=0).to_list()
        [1.0, 0.0]
        """
        return self._wrap(_ops.spread_of(self, "var", axis, ddof, skip_nulls, min_count))

    @method(rows=over_axis)
    def std(self, axis: Any = -1, *, ddof: int = 1, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the standard deviation of each row.

        %(spread_of_rows)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 3.0], [5.0]]).std(ddof=0).to_list()
        [1.0, 0.0]
        """
        return self._wrap(_ops.spread_of(self, "std", axis, ddof, skip_nulls, min_count))

    @method(rows=over_axis)
    def median(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the median of each row: the mean of the two middle items where their number is even.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Integers give float64; times and decimals keep their type, rounded half away from zero. Null for an empty or null
            row; a NaN gives NaN. Cost: a partial sort of each row.

        Raises
        ------
        JagTypeError
            If the leaf type has no such reduction.

        Notes
        -----
        Koda's median is the lower of the two middle items instead.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 1, 2], [1, 2], []]).median().to_list()
        [2.0, 1.5, None]
        """
        return self._wrap(_ops.quantile(self, 0.5, "linear", axis, skip_nulls, min_count, "median"))

    @method("weights", rows=over_aligned_axis)
    def quantile(
        self,
        q: Any,
        interpolation: Interpolation = "linear",
        axis: Any = -1,
        *,
        weights: Any = None,
        skip_nulls: bool = True,
        min_count: int | None = None,
    ) -> ArrayOrScalar:
        """Return one or several quantiles of each row.

        Parameters
        ----------
        q : float, or list of float
            From 0 to 1. A list gives a list per row.
        interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
            Which value to return if the quantile lies between two items, as in numpy.
        %(axis_reduced)s
        weights : JaggedArray or array of numbers, optional
            The weight of each item, broadcast by the prefix rule. The result is then the smallest item whose cumulative weight
            reaches the share `q` of the total, which numpy calls "inverted_cdf", without interpolation.
        %(skip_nulls)s
        %(min_count)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Integers give float64; times and decimals keep their type, rounded half away from zero if the quantile lies between
            two items. With weights the result is one of the items. Null for an empty or null row; a NaN gives NaN. A list of
            `q` gives one more dim, without a declared extent: as many items as `q`, all null for an empty row. Items with a
            null weight are ignored; a total weight of 0 gives null. Cost: a sort of each row.

        Raises
        ------
        JagValueError
            If `q` is outside of 0 to 1, the interpolation is unknown or given with weights, or a weight is negative.
        JagTypeError
            If the leaf type has no such reduction.
        ShapeError
            If the shape of the weights is not a prefix of this array's.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3, 4], []])
        >>> x.quantile(0.25).to_list()
        [1.75, None]
        >>> x.quantile([0.25, 0.5]).to_list()
        [[1.75, 2.5], [None, None]]
        >>> x.quantile(0.5, weights=[[1, 0, 0, 5], []]).to_list()
        [4.0, None]
        """
        several = _statistics.probabilities(q)
        if weights is not None:
            if interpolation != "linear":
                raise JagValueError(f"quantile: weights allow no interpolation, got {brief(interpolation)}")
            wanted = [probability(q)] if several is None else several
            amounts = as_keys(weights, "quantile", "weight")
            return self._wrap(
                _statistics.weighted_quantile(self, wanted, amounts, axis, skip_nulls, min_count, several=several is not None)
            )
        if several is not None:
            return self._wrap(_statistics.quantiles_of(self, several, interpolation, axis, skip_nulls, min_count))
        return self._wrap(_ops.quantile(self, q, interpolation, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def n_unique(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the number of distinct items of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            int64, nulls not counted; 0 for an empty row, null for a null row. NaN equals NaN, -0.0 equals 0.0. Cost: a grouping of
            the values.

        %(not_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 1], [None], []]).n_unique().to_list()
        [2, 0, 0]
        """
        return self._wrap(_ops.reduce(self, "n_unique", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def mode(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the most frequent item of each row.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type; of equally frequent items the one that appears first; null for an empty or null row. Nulls are
            ignored; NaN equals NaN, -0.0 equals 0.0. Cost: a grouping of the values.

        %(not_compared)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["blue", "red", "red"], []]).mode().to_list()
        ['red', None]
        """
        return self._wrap(_ops.reduce(self, "mode", axis, skip_nulls=skip_nulls, min_count=min_count))

    @method(rows=over_axis)
    def join(self, sep: str, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Join the texts of each row.

        Parameters
        ----------
        sep : str
            The separator between two items.
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Text; nulls are left out; null for a row without valid items and for a null row. Cost: one pass that copies the text.

        Raises
        ------
        JagTypeError
            If the leaves are not strings.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([["a", "b"], [None], []]).join("-").to_list()
        ['a-b', None, None]
        """
        return self._wrap(_ops.join(self, sep, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def collapse(self, axis: Any = -1) -> ArrayOrScalar:
        """Return the value that all items of a row have in common.

        Parameters
        ----------
        %(axis_reduced)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Of the leaf's type; null for rows whose items differ, for rows without valid items and for null rows. Nulls are
            ignored; NaN equals NaN. Cost: one pass.

        %(not_compared)s

        Notes
        -----
        Corresponds to Koda's `collapse`.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 1, None], [1, 2], []]).collapse().to_list()
        [1, None, None]
        """
        return self._wrap(_ops.collapse(self, axis))

    @method("y", rows=over_aligned_axis)
    def dot(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the dot product of each row with the same row of another array.

        Parameters
        ----------
        y : JaggedArray, array or scalar
            Broadcast by the prefix rule.
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            The sum of the products: 0 for an empty row, null for a null row; a null in either operand is skipped. Integers are
            multiplied as 64-bit integers. Cost: two passes, and the product in between.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other.
        JagTypeError
            If the leaf type has no such reduction.
        JagOverflowError
            If a product or a sum of integers does not fit 64 bits.

        Examples
        --------
        >>> import arrowjag as aj
        >>> price, quantity = aj.array([[2.5, 1.0], [4.0]]), aj.array([[2, 3], [1]])
        >>> price.dot(quantity).to_list()
        [8.0, 4.0]
        """
        one, two = operand(self, None, "dot"), operand(y, self.type, "dot")
        if not isinstance(one, Column):
            raise JagTypeError("dot needs an array with dims")
        return self._wrap(_ops.dot(one, two, axis, skip_nulls=skip_nulls, min_count=min_count))
