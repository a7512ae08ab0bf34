"""Moments of rows, and statistics of two columns: skewness, entropy, correlation, linear fits and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._array.base import ArrayBase, as_column
from arrowjag._integers import integer
from arrowjag._methods import method, over_aligned_axis, over_axis
from arrowjag._ops import statistics as _ops
from arrowjag.typing import ArrayOrScalar

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["MomentMethods"]


class MomentMethods(ArrayBase):
    """Reductions to moments, and of two columns."""

    __slots__ = ()

    @method(rows=over_axis)
    def skew(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the skewness of each row, corrected for bias.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null where a row has fewer than 3 items, and for a null row. NaN where all items are equal, or one is NaN. Cost:
            two passes, on all cores.

        %(no_statistic)s

        Notes
        -----
        The correction is that of pandas and DuckDB; scipy and polars apply it with ``bias=False``.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 6], [1, 1, 1], [1, 2]]).skew().round(3).to_list()
        [1.458, nan, None]
        """
        return self._wrap(_ops.of_moments(self, "skew", axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def kurtosis(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the excess kurtosis of each row, corrected for bias.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null where a row has fewer than 4 items, and for a null row. NaN where all items are equal, or one is NaN. Cost:
            two passes, on all cores.

        %(no_statistic)s

        Notes
        -----
        The correction is that of pandas and DuckDB; scipy and polars apply it with ``bias=False``.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 10], [1, 2]]).kurtosis().round(3).to_list()
        [3.228, None]
        """
        return self._wrap(_ops.of_moments(self, "kurtosis", axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def sem(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None, ddof: int = 1) -> ArrayOrScalar:
        """Return the standard error of the mean of each row.

        Parameters
        ----------
        %(reduction_parameters)s
        %(ddof)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats, for durations durations: the standard deviation divided by the root of the number of items; null where a row
            has no more than `ddof` items, and for a null row. A NaN gives NaN. Cost: that of `std`.

        %(no_statistic)s

        Notes
        -----
        pandas and scipy compute it in the same way; DuckDB's `sem` computes the deviation with ``ddof=0``.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 3.0], [5.0]]).sem().to_list()
        [1.0, None]
        """
        return self._wrap(_ops.of_moments(self, "sem", axis, skip_nulls, min_count, integer(ddof, "sem: ddof")))

    @method(rows=over_axis)
    def mad(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the median absolute deviation of each row: the median of the distances from the median.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats, for durations durations, without a scale factor; null for an empty or null row. A NaN gives NaN. Cost: a
            partial sort of each row, twice.

        %(no_statistic)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3, 10], []]).mad().to_list()
        [1.0, None]
        """
        return self._wrap(_ops.median_deviation(self, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def entropy(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the entropy of each row in nats; the items are weights, which are divided by their sum.

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null for an empty or null row. A weight of 0 adds nothing; NaN where the weights add up to 0 or one is NaN,
            -inf where a share is negative. Cost: a few passes, on all cores.

        %(no_statistic)s

        Notes
        -----
        This is the entropy of scipy and polars. DuckDB's `entropy` is that of the counts of equal items, in bits: use
        `value_counts` for that.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 1], [3, 0], []]).entropy().round(3).to_list()
        [0.693, 0.0, None]
        """
        return self._wrap(_ops.entropy(self, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def moment(self, k: int, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the k-th central moment of each row: the mean of the k-th powers of the deviations from the mean.

        Parameters
        ----------
        k : int
            The order of the moment, at least 0.
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null for an empty or null row. A NaN gives NaN. The first moment is 0. Cost: two passes, on all cores.

        Raises
        ------
        JagValueError
            If `k` is negative.
        JagTypeError
            If the leaf type has no such statistic.

        Notes
        -----
        Equals `scipy.stats.moment` of each row.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 3], [5]]).moment(2).to_list()
        [1.0, 0.0]
        """
        return self._wrap(_ops.central_moment(self, k, axis, skip_nulls, min_count))

    @method(rows=over_axis)
    def ptp(self, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return the difference between the largest and the smallest item of each row (peak to peak).

        Parameters
        ----------
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            float64 for integers, otherwise the type of a difference: floats keep their type, dates and timestamps give
            durations. Null for an empty or null row; a NaN gives NaN. Cost: two passes.

        %(no_statistic)s
        JagOverflowError
            If times are so far apart that the duration does not fit 64 bits of its unit.

        Notes
        -----
        `numpy.ptp` keeps the type of integers instead.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[3, 1, 7], [5], []]).ptp().to_list()
        [6.0, 0.0, None]
        """
        return self._wrap(_ops.peak_to_peak(self, axis, skip_nulls, min_count))

    @method("y", rows=over_aligned_axis)
    def corr(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Return Pearson's correlation of each row with the same row of another array.

        Parameters
        ----------
        %(y_numbers)s
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats from -1 to 1; null where a row has fewer than 2 complete pairs, and for a row that is null in either. NaN where
            the items of either are equal, or one is NaN. Cost: a few passes, on all cores.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other; the message names the row.
        JagTypeError
            If the leaf type has no such statistic.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [1, 1]]).corr(aj.array([[2, 4, 6], [3, 4]])).round(6).to_list()
        [1.0, nan]
        """
        return self._wrap(_ops.correlation(self, as_column(y), axis, skip_nulls, min_count))

    @method("y", rows=over_aligned_axis)
    def cov(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None, ddof: int = 1) -> ArrayOrScalar:
        """Return the covariance of each row with the same row of another array.

        Parameters
        ----------
        %(y_numbers)s
        %(reduction_parameters)s
        %(ddof)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Floats; null where a row has fewer than 2 complete pairs, and for a row that is null in either. A NaN gives NaN. Cost: a
            few passes, on all cores.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other; the message names the row.
        JagTypeError
            If the leaf type has no such statistic.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [1]]).cov(aj.array([[2, 4, 6], [3]])).to_list()
        [2.0, None]
        """
        return self._wrap(_ops.covariance(self, as_column(y), ddof, axis, skip_nulls, min_count))

    @method("y", rows=over_aligned_axis)
    def linear_fit(self, y: Any, axis: Any = -1, *, skip_nulls: bool = True, min_count: int | None = None) -> ArrayOrScalar:
        """Fit a straight line to each row by least squares: `y` as a function of the items of this array.

        Parameters
        ----------
        %(y_numbers)s
        %(reduction_parameters)s

        Returns
        -------
        JaggedArray or pa.Scalar
            Structs of the floats `slope`, `intercept` and `r2` (the share of the variance of `y` that the line explains); null
            where a row has fewer than 2 complete pairs, and for a row that is null in either. If all items of this array in a
            row are equal, all three are NaN; if all those of `y` are, `r2` is NaN. Cost: a few passes, on all cores.

        Raises
        ------
        ShapeError
            If neither shape is a prefix of the other; the message names the row.
        JagTypeError
            If the leaf type has no such statistic.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x, y = aj.array([[0, 1, 2]]), aj.array([[1, 3, 5]])
        >>> x.linear_fit(y).to_list()
        [{'slope': 2.0, 'intercept': 1.0, 'r2': 1.0}]
        """
        return self._wrap(_ops.linear_fit(self, as_column(y), axis, skip_nulls, min_count))

    @method(rows=over_axis, seeded=True)
    def bootstrap(self, n: int, seed: int, axis: Any = -1) -> JaggedArray:
        """Return the means of random samples of each row, drawn with replacement, for confidence intervals of the mean.

        Parameters
        ----------
        n : int
            Number of means per row.
        seed : int
            The same seed gives the same means for the same rows.
        %(axis_reduced)s

        Returns
        -------
        JaggedArray
            Floats, with a dim of `n` means in place of the reduced dims. Each is the mean of as many items as the row has;
            nulls are not drawn. An empty row gives nulls, a null row stays null. Cost: `n` passes of random draws.

        Raises
        ------
        JagValueError
            If `n` or `seed` is negative.
        JagTypeError
            If the leaves are not numbers.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1.0, 2.0, 3.0, 4.0], [5.0]])
        >>> x.bootstrap(3, seed=1).lengths().to_list(), x.bootstrap(3, seed=1).to_list()[1]
        ([3, 3], [5.0, 5.0, 5.0])
        """
        return self._wrap(_ops.bootstrap(self, n, seed, axis))
