"""Rolling and expanding windows along rows, exponentially weighted statistics and relative changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowjag._arguments import check_arguments
from arrowjag._array.base import ArrayBase, as_keys
from arrowjag._array.rolling import Ewm, Rolling
from arrowjag._methods import along_axis, method
from arrowjag._ops import windows as _ops
from arrowjag._vocabulary.parameters import described
from arrowjag.typing import Interpolation

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["WindowMethods"]


class WindowMethods(ArrayBase):
    """Statistics of windows: one result per item."""

    __slots__ = ()

    @check_arguments
    def rolling(
        self, window: Any, min_periods: int | None = None, center: bool = False, on: Any = None, *, axis: Any = -1
    ) -> Rolling[JaggedArray]:
        """Return moving windows along rows, on which statistics are computed.

        Parameters
        ----------
        %(window)s
        %(min_periods)s
        %(center)s
        %(on)s
        axis : int, tuple of int or None
            The dim to work along, as in `rolling_sum`.

        Returns
        -------
        Rolling
            With the methods `sum`, `mean`, `min`, `max`, `count`, `var`, `std`, `median`, `quantile`, `first` and `last`. The
            docstring of each method documents nulls. Nothing is computed before a method is called. Cost: that of the method.

        Raises
        ------
        JagValueError
            If the window is less than 1. The methods check the other arguments.
        JagTypeError
            If the window is of another type, or a width of time without `on`.

        Notes
        -----
        Windows by time follow pandas: of items with equal times, a window includes those before the current item and
        excludes those after it. polars and SQL include all of them.

        Examples
        --------
        >>> import arrowjag as aj
        >>> x = aj.array([[1, 2, 3], [4]])
        >>> x.rolling(2).sum().to_list()
        [[None, 3, 5], [None]]
        >>> x.rolling(2, min_periods=1).sum().to_list()
        [[1, 3, 5], [4]]
        >>> x.rolling(2, on=[[0, 1, 3], [0]]).sum().to_list()
        [[1, 3, 3], [4]]
        """
        _ops.check_window(window, on)
        return Rolling(self, window, min_periods=min_periods, center=center, on=on, axis=axis)

    @check_arguments
    def expanding(self, min_periods: int = 1, *, axis: Any = -1) -> Rolling[JaggedArray]:
        """Return windows that hold all items of a row up to and including the current one.

        Parameters
        ----------
        min_periods : int
            A window with fewer items that are not null gives null.
        axis : int, tuple of int or None
            The dim to work along, as in `rolling_sum`.

        Returns
        -------
        Rolling
            With the methods of `rolling`. Unlike cumulative functions, they also return a result for a null item. Cost: that of the
            method.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, None, 3], []]).expanding().mean().to_list()
        [[1.0, 1.0, 2.0], []]
        """
        return Rolling(self, None, min_periods=min_periods, axis=axis)

    @check_arguments
    def ewm(
        self, *, alpha: float | None = None, span: float | None = None, halflife: float | None = None, axis: Any = -1
    ) -> Ewm[JaggedArray]:
        """Return exponentially weighted statistics along rows; give exactly one of `alpha`, `span` and `halflife`.

        Parameters
        ----------
        %(decay)s
        axis : int, tuple of int or None
            The dim to work along, as in `ewm_mean`.

        Returns
        -------
        Ewm
            With the methods `mean` and `var`, in which nulls have no weight. Cost: one pass for each of them.

        Raises
        ------
        JagValueError
            If not exactly one of `alpha`, `span` and `halflife` is given, or it is out of range.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 2.0, 4.0], []]).ewm(alpha=0.5).mean().round(3).to_list()
        [[1.0, 1.667, 3.0], []]
        """
        _ops.decaying_rate(alpha, span, halflife)
        return Ewm(self, alpha=alpha, span=span, halflife=halflife, axis=axis)

    @method("on", rows=along_axis)
    def rolling_sum(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the sum of each window.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape. Integers and booleans give 64-bit integers; floats, durations and decimals keep their kind.
            %(rolling_nulls)s
            %(rolling_cost)s

        Raises
        ------
        JagOverflowError
            If a sum of integers does not fit 64 bits; the message names the row.
        %(rolling_value_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_sum(2).to_list()
        [[None, 3, 5], [None]]
        """
        return self._wrap(_ops.roll(self, "sum", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_mean(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the mean of each window.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape. float64, or the type of floats; decimals and times keep their type, rounded half away from zero.
            %(rolling_nulls)s
            %(rolling_cost)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_mean(2).to_list()
        [[None, 1.5, 2.5], [None]]
        """
        return self._wrap(_ops.roll(self, "mean", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_min(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the smallest item of each window.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape and the leaf's type; NaN is ignored unless there is nothing else.
            %(rolling_nulls)s
            %(rolling_cost)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_min(2).to_list()
        [[None, 1, 2], [None]]
        """
        return self._wrap(_ops.roll(self, "min", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_max(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the largest item of each window.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape and the leaf's type; NaN is ignored unless there is nothing else.
            %(rolling_nulls)s
            %(rolling_cost)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_max(2).to_list()
        [[None, 2, 3], [None]]
        """
        return self._wrap(_ops.roll(self, "max", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_count(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the number of items of each window that are not null.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            int64, of the same shape. As in pandas, `min_periods` counts slots here, including nulls, so the first slots of a
            row are null. A null row stays null. Cost: one pass.

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_count(2).to_list()
        [[None, 2, 2], [None]]
        """
        return self._wrap(_ops.roll(self, "count", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_var(
        self,
        window: Any,
        axis: Any = -1,
        *,
        min_periods: int | None = None,
        center: bool = False,
        on: Any = None,
        ddof: int = 1,
    ) -> JaggedArray:
        """Return the variance of each window.

        Parameters
        ----------
        %(rolling_parameters)s
        %(ddof)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape; null where a window has no more than `ddof` items.
            %(rolling_nulls)s
            A NaN gives NaN.
            %(rolling_cost)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_var(2).to_list()
        [[None, 0.5, 0.5], [None]]
        """
        return self._wrap(_ops.roll(self, "var", window, axis, min_periods, center, as_times(on), ddof=ddof))

    @method("on", rows=along_axis)
    def rolling_std(
        self,
        window: Any,
        axis: Any = -1,
        *,
        min_periods: int | None = None,
        center: bool = False,
        on: Any = None,
        ddof: int = 1,
    ) -> JaggedArray:
        """Return the standard deviation of each window.

        Parameters
        ----------
        %(rolling_parameters)s
        %(ddof)s

        Returns
        -------
        JaggedArray
            Floats, for durations durations, of the same shape; null where a window has no more than `ddof` items.
            %(rolling_nulls)s
            A NaN gives NaN.
            %(rolling_cost)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_std(2, ddof=0).to_list()
        [[None, 0.5, 0.5], [None]]
        """
        return self._wrap(_ops.roll(self, "std", window, axis, min_periods, center, as_times(on), ddof=ddof))

    @method("on", rows=along_axis)
    def rolling_median(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the median of each window.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape.
            %(rolling_nulls)s
            A NaN gives NaN.
            %(rolling_sort)s

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_median(3, min_periods=1).to_list()
        [[1.0, 1.5, 2.0], [4.0]]
        """
        return self._wrap(_ops.roll(self, "median", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_quantile(
        self,
        window: Any,
        q: float,
        interpolation: Interpolation = "linear",
        axis: Any = -1,
        *,
        min_periods: int | None = None,
        center: bool = False,
        on: Any = None,
    ) -> JaggedArray:
        """Return a quantile of each window.

        Parameters
        ----------
        %(window)s
        q : float
            From 0 to 1.
        interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
            Which value to return if the quantile lies between two items, as in numpy.
        %(axis_along_places)s
        %(rolling_options)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape.
            %(rolling_nulls)s
            A NaN gives NaN.
            %(rolling_sort)s

        %(rolling_errors)s
        JagValueError
            If `q` is outside of 0 to 1, or the interpolation is unknown.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_quantile(2, 0.25).to_list()
        [[None, 1.25, 2.25], [None]]
        """
        return self._wrap(
            _ops.roll(self, "quantile", window, axis, min_periods, center, as_times(on), q=q, interpolation=interpolation)
        )

    @method("on", rows=along_axis)
    def rolling_first(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the first item of each window that is not null.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape and the leaf's type; every type is supported.
            %(rolling_nulls)s
            Cost: one gather.

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_first(2).to_list()
        [[None, 1, 2], [None]]
        """
        return self._wrap(_ops.roll(self, "first", window, axis, min_periods, center, as_times(on)))

    @method("on", rows=along_axis)
    def rolling_last(
        self, window: Any, axis: Any = -1, *, min_periods: int | None = None, center: bool = False, on: Any = None
    ) -> JaggedArray:
        """Return the last item of each window that is not null.

        Parameters
        ----------
        %(rolling_parameters)s

        Returns
        -------
        JaggedArray
            Of the same shape and the leaf's type; every type is supported.
            %(rolling_nulls)s
            Cost: one gather.

        %(rolling_errors)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).rolling_last(2).to_list()
        [[None, 2, 3], [None]]
        """
        return self._wrap(_ops.roll(self, "last", window, axis, min_periods, center, as_times(on)))

    @method(rows=along_axis)
    def ewm_mean(
        self, *, alpha: float | None = None, span: float | None = None, halflife: float | None = None, axis: Any = -1
    ) -> JaggedArray:
        """Return the exponentially weighted mean of all items of a row up to and including the current one.

        Parameters
        ----------
        %(decay)s
        %(axis_along_places)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape: an item k slots back weighs ``(1 - alpha) ** k``, and weights are divided by their sum. A
            null stays null and has no weight, but its slot counts; a null row stays null; a NaN makes all later results NaN.
            Cost: one pass, on all cores.

        %(decay_errors)s

        Notes
        -----
        Equals ``ewm(adjust=True, ignore_na=False).mean()`` of pandas, which repeats the last mean at a null, and
        ``ewm_mean`` of polars.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 2.0, 4.0], [3.0]]).ewm_mean(alpha=0.5).round(3).to_list()
        [[1.0, 1.667, 3.0], [3.0]]
        """
        return self._wrap(_ops.ewm(self, "mean", _ops.decaying_rate(alpha, span, halflife), axis))

    @method(rows=along_axis)
    def ewm_var(
        self, *, alpha: float | None = None, span: float | None = None, halflife: float | None = None, axis: Any = -1
    ) -> JaggedArray:
        """Return the exponentially weighted variance of all items up to and including the current one, corrected for bias.

        Parameters
        ----------
        %(decay)s
        %(axis_along_places)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape; null at a null and where there is one item so far; a null row stays null; a NaN makes all
            later results NaN. Weights are those of `ewm_mean`. Cost: one pass, on all cores.

        %(decay_errors)s

        Notes
        -----
        Equals ``ewm(adjust=True, ignore_na=False).var()`` of pandas, which gives NaN for one item.

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1.0, 2.0, 4.0], [3.0]]).ewm_var(alpha=0.5).round(3).to_list()
        [[None, 0.5, 2.5], [None]]
        """
        return self._wrap(_ops.ewm(self, "var", _ops.decaying_rate(alpha, span, halflife), axis))

    @method(rows=along_axis)
    def pct_change(self, n: int = 1, axis: Any = -1) -> JaggedArray:
        """Return the relative change of each item from the item `n` slots before it.

        Parameters
        ----------
        n : int
            The distance in slots; a negative number compares with a later item.
        %(axis_along_places)s

        Returns
        -------
        JaggedArray
            Floats, of the same shape: the item divided by the earlier one, less 1. Null if there is no earlier item, if either
            item is null, and for a null row; nulls are not filled first. A change from 0 is infinite, from 0 to 0 NaN. Cost:
            one pass.

        %(not_numbers)s

        Examples
        --------
        >>> import arrowjag as aj
        >>> aj.array([[1, 2, 3], [4]]).pct_change().to_list()
        [[None, 1.0, 0.5], [None]]
        """
        return self._wrap(_ops.pct_change(self, n, axis))


def as_times(on: Any) -> Any:
    """The column of times, if there is one."""
    return None if on is None else as_keys(on, "rolling", "time")


for _function in (WindowMethods.rolling, WindowMethods.ewm):
    if _function.__doc__:  # python -OO strips it
        _function.__doc__ = described(_function.__doc__)
