"""Free functions on series in rows: interp, asof, resample and lomb_scargle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from arrowjag._array import JaggedArray
from arrowjag._array.base import as_column, as_keys
from arrowjag._methods import FreeRule, Rows, free_function, most_dims
from arrowjag._ops import resample as _resample
from arrowjag._ops import series
from arrowjag.typing import ArrayOrScalar, Reduction

__all__ = ["asof", "interp", "lomb_scargle", "resample"]


def _looked_up(points: str) -> FreeRule:
    """The effect of a lookup: a plain column of points is a single row, and each result depends on all of its points."""
    return lambda arguments: Rows.KEPT if most_dims(arguments[points]) == 1 else Rows.LOCAL


def _of_times(arguments: Mapping[str, Any]) -> Rows:
    """The effect of buckets and frequencies: a plain column is a single row, whose result has other rows than the frame."""
    return Rows.MOVED if most_dims(arguments["t"], arguments["y"]) == 1 else Rows.LOCAL


@free_function(rows=_looked_up("x"))
def interp(at: Any, x: Any, y: Any, outside: Literal["clamp", "null"] = "clamp") -> ArrayOrScalar:
    """Interpolate linearly between the points of each row.

    Parameters
    ----------
    at : scalar, JaggedArray or array
        The positions to interpolate at: one for all rows, one per row, or several per row, in any order. Its rows may
        differ in size from those of `x`.
    x : JaggedArray or array
        The positions of the points of each row, ascending: numbers or times.
    y : JaggedArray or array
        The numbers at these positions, of the same shape, or broadcast to it by the prefix rule.
    outside : {"clamp", "null"}
        Whether a position before the first or after the last point gets the value of that point, or null.

    Returns
    -------
    JaggedArray or pa.Scalar
        float64, float32 for values of float32, in the shape of `at`. Points with a null are left out; a row without points gives
        nulls. A null in `at` gives null, NaN gives NaN; a row that is null in any argument is null. Cost: one binary search per
        position.

    Raises
    ------
    JagValueError
        If the positions of a row's points decrease (the message names the row), or `outside` is unknown.
    ShapeError
        If the sizes of `x` and `y` differ, or the dims of `at` above the rows.
    JagTypeError
        If positions are neither numbers nor times, or values are not numbers.

    Notes
    -----
    Equals `numpy.interp` of each row. To fill nulls by time, write ``aj.coalesce(y, aj.interp(t, t, y))``.

    Examples
    --------
    >>> import arrowjag as aj
    >>> t, y = aj.array([[0, 10, 20], [5]]), aj.array([[1.0, 3.0, 3.5], [7.0]])
    >>> aj.interp(aj.array([[5, 25], [1]]), t, y).to_list()
    [[2.0, 3.5], [7.0]]
    >>> aj.interp(aj.array([[5, 25], [1]]), t, y, outside="null").to_list()
    [[2.0, None], [None]]
    """
    return JaggedArray._wrap(series.interp(as_column(at), as_column(x), as_column(y), outside))


@free_function(rows=_looked_up("right"))
def asof(
    left: Any,
    right: Any,
    values: Any = None,
    direction: Literal["backward", "forward", "nearest"] = "backward",
    tolerance: Any = None,
) -> ArrayOrScalar:
    """Look up the nearest key in the same row of another array.

    Parameters
    ----------
    left : scalar, JaggedArray or array
        The keys to look up, in any order: numbers or times. Its rows may differ in size from those of `right`.
    right : JaggedArray or array
        The keys of the lookup table, ascending in each row.
    values : JaggedArray or array, optional
        The values that belong to the keys of `right`, of the same shape; by default these keys.
    direction : {"backward", "forward", "nearest"}
        Whether to take the last key that is not greater, the first that is not smaller, or the nearer of both; of two equally near
        ones the earlier.
    tolerance : number, str or timedelta, optional
        The greatest distance, for times a span such as "5m"; keys farther away give null.

    Returns
    -------
    JaggedArray or pa.Scalar
        Of the type of the values, in the shape of `left`. Of equal keys in `right` the last one counts; null and NaN keys
        in `right` are ignored. Null where no key is found, for a null or NaN key, and in rows that are null in any
        argument. Cost: one binary search per key.

    Raises
    ------
    JagValueError
        If keys of `right` decrease (the message names the row), the direction is unknown, or the tolerance is negative.
    ShapeError
        If the dims above the rows differ, or the sizes of `right` and `values`.
    JagTypeError
        If keys are neither numbers nor times, or have no common type.

    Notes
    -----
    This is the as-of join of pandas and polars within rows; polars prefers the later of two equally near keys.

    Examples
    --------
    >>> import arrowjag as aj
    >>> t, price = aj.array([[1, 5, 10], [3]]), aj.array([[10.0, 10.5, 11.0], [7.0]])
    >>> aj.asof(aj.array([[4, 7, 0], [9]]), t, price).to_list()
    [[10.0, 10.5, None], [7.0]]
    >>> aj.asof(aj.array([[4, 7, 0], [9]]), t, price, direction="nearest", tolerance=2).to_list()
    [[10.5, 10.5, 10.0], [None]]
    """
    beside = None if values is None else as_column(values)
    return JaggedArray._wrap(series.asof(as_column(left), as_column(right), beside, direction, tolerance))


@free_function(rows=_of_times)
def resample(t: Any, y: Any, every: Any, how: Reduction = "mean") -> ArrayOrScalar:
    """Reduce the items of each time bucket within each row.

    Parameters
    ----------
    t : JaggedArray or array
        When the items were observed, in any order: times or numbers.
    y : JaggedArray or array
        The items, of the same shape, or broadcast to it by the prefix rule.
    every : str, timedelta or number
        The length of a bucket, for times a span such as "30s", "5m", "2h", "1d", "1w", "1mo", "1q" or "1y", for numbers a number.
        Buckets begin at multiples of it, counted from 1970-01-01 or 0, weeks on Mondays, and in wall time if `t` has a zone, as
        `JaggedArray.dt.floor` rounds times. An hour that clocks repeat becomes two buckets if the length divides every change of
        clocks of the zone, as an hour does, and an hour that clocks skip has no bucket. Other lengths, such as 45 minutes or two
        hours, put times of both repetitions into the same buckets.
    how : str
        A reduction: "mean", "sum", "min", "max", "first", "last", "count", "median", "std", "var", "prod", "any", "all",
        "n_unique", "mode" or "lengths".

    Returns
    -------
    JaggedArray
        Structs with the fields `t`, where the bucket begins, and `value`; rows go from the bucket of the first time to that
        of the last, empty buckets included. The value of an empty bucket is that of an empty row: 0 for counts and sums,
        null for most other reductions. Items whose time is null or NaN are left out, and null items are skipped; an empty
        row stays empty, a row that is null in either array is null. Cost: one pass, and a sort if times decrease.

    Raises
    ------
    JagValueError
        If a row would have more than 2**24 buckets, `every` is not a whole number of units of the type of `t`, or `how` is
        unknown.
    ShapeError
        If sizes differ.
    JagTypeError
        If `t` holds neither times nor numbers, or the reduction has no kernel for the items.

    Examples
    --------
    >>> import arrowjag as aj
    >>> x = aj.resample(aj.array([[0, 4, 21], []]), aj.array([[1.0, 2.0, 5.0], []]), 10)
    >>> x["t"].to_list(), x["value"].to_list()
    ([[0, 10, 20], []], [[1.5, None, 5.0], []])
    """
    return JaggedArray._wrap(_resample.resample(as_keys(t, "resample", "time"), as_column(y), every, how))


@free_function(rows=_of_times)
def lomb_scargle(t: Any, y: Any, frequencies: Any) -> ArrayOrScalar:
    """Return the Lomb-Scargle periodogram of each row: the power of unevenly spaced observations at some frequencies.

    Parameters
    ----------
    t : JaggedArray or array
        When the items were observed: numbers, or times, which count in seconds.
    y : JaggedArray or array
        The numbers observed, of the same shape; the mean of each row is subtracted.
    frequencies : list or numpy array of float
        Cycles per unit of `t`, the same for all rows.

    Returns
    -------
    JaggedArray
        float64: for each row as many powers as there are frequencies, from 0 to 1 (the share of the row's variance). Items that are
        null in `t` or `y` are left out; an empty row gives nulls, a constant row and one with NaN give NaN, a null row stays null.
        Cost: two sines per item and frequency, in blocks of rows on all cores.

    Raises
    ------
    ShapeError
        If sizes differ.
    JagTypeError
        If an argument is of the wrong type.

    Notes
    -----
    Equals scipy's ``lombscargle(t, y - y.mean(), 2 * pi * frequencies, normalize=True)`` of each row, and astropy's
    ``LombScargle(t, y, fit_mean=False)``.

    Examples
    --------
    >>> import arrowjag as aj
    >>> import numpy as np
    >>> t = aj.array([[0.0, 0.1, 0.3, 0.4, 0.7, 0.9], [0.0, 0.25, 0.5, 0.75]])
    >>> aj.lomb_scargle(t, np.sin(2 * np.pi * t), [1.0, 3.0]).argmax().to_list()
    [0, 0]
    """
    return JaggedArray._wrap(_resample.lomb_scargle(as_column(t), as_column(y), frequencies))
