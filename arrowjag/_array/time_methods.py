"""`x.dt`: methods of dates, times and durations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from arrowjag._methods import Namespace, method
from arrowjag._ops import times as _ops

if TYPE_CHECKING:
    from arrowjag._array import JaggedArray

__all__ = ["TimeMethods"]


def _field(name: str, summary: str, needs: str, example: str, shown: str) -> Callable[[TimeMethods], JaggedArray]:
    """A method that returns a field of wall times."""

    def called(self: TimeMethods) -> JaggedArray:
        return self._owner._wrap(_ops.field(self._owner, name))

    called.__name__ = name
    called.__qualname__ = f"TimeMethods.{name}"
    called.__doc__ = f"""{summary}.

Returns
-------
JaggedArray
    int64 of the same shape, in wall time for timestamps with a zone; null stays null. Cost: one pass.

Raises
------
JagTypeError
    If the leaves are not {needs}.

Examples
--------
>>> import datetime as dt
>>> import arrowjag as aj
>>> aj.array([[{example}, None], None]).dt.{name}().to_list()
[[{shown}, None], None]
"""
    return method(namespace="dt")(called)


class TimeMethods(Namespace):
    """Methods of dates, times and durations, called on each item.

    Parameters
    ----------
    owner : JaggedArray
        Of date32, date64, time32, time64, timestamp of any unit with or without a zone, or duration.

    Notes
    -----
    Fields of timestamps with a zone are those of the wall time there. A null item or row stays null; shapes are shared. Cost: one
    pass for each method.

    Examples
    --------
    >>> import datetime as dt
    >>> import arrowjag as aj
    >>> aj.array([[dt.date(2024, 2, 29), None], None]).dt.month().to_list()
    [[2, None], None]
    """

    __slots__ = ()
    space = "dt"
    _owner: JaggedArray
    year = _field("year", "Return the year", "dates or timestamps", "dt.date(2024, 2, 29)", "2024")
    quarter = _field("quarter", "Return the quarter, from 1", "dates or timestamps", "dt.date(2024, 2, 29)", "1")
    month = _field("month", "Return the month, from 1", "dates or timestamps", "dt.date(2024, 2, 29)", "2")
    week = _field("week", "Return the week of ISO 8601, from 1", "dates or timestamps", "dt.date(2024, 2, 29)", "9")
    day = _field("day", "Return the day of the month, from 1", "dates or timestamps", "dt.date(2024, 2, 29)", "29")
    weekday = _field("weekday", "Return the day of the week, Monday is 0", "dates or timestamps", "dt.date(2024, 2, 29)", "3")
    day_of_year = _field("day_of_year", "Return the day of the year, from 1", "dates or timestamps", "dt.date(2024, 2, 29)", "60")
    hour = _field("hour", "Return the hour", "timestamps or times of day", "dt.time(13, 5, 7, 1002)", "13")
    minute = _field("minute", "Return the minute", "timestamps or times of day", "dt.time(13, 5, 7, 1002)", "5")
    second = _field("second", "Return the second", "timestamps or times of day", "dt.time(13, 5, 7, 1002)", "7")
    millisecond = _field(
        "millisecond",
        "Return the milliseconds within the second, below 1000",
        "timestamps or times of day",
        "dt.time(13, 5, 7, 1002)",
        "1",
    )
    microsecond = _field(
        "microsecond",
        "Return the microseconds within the millisecond, below 1000",
        "timestamps or times of day",
        "dt.time(13, 5, 7, 1002)",
        "2",
    )
    nanosecond = _field(
        "nanosecond",
        "Return the nanoseconds within the microsecond, below 1000",
        "timestamps or times of day",
        "dt.time(13, 5, 7, 1002)",
        "0",
    )

    @method(namespace="dt")
    def date(self) -> JaggedArray:
        """Return the date.

        Returns
        -------
        JaggedArray
            date32 of the same shape, in wall time for timestamps with a zone; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are neither dates nor timestamps.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 5)]]).dt.date().to_list()
        [[datetime.date(2024, 2, 29)]]
        """
        return self._owner._wrap(_ops.date(self._owner))

    @method(namespace="dt")
    def time(self) -> JaggedArray:
        """Return the time of day.

        Returns
        -------
        JaggedArray
            time32 or time64 of the same unit and shape, in wall time for timestamps with a zone; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are neither timestamps nor times of day.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 5)]]).dt.time().to_list()
        [[datetime.time(13, 5)]]
        """
        return self._owner._wrap(_ops.time(self._owner))

    @method(namespace="dt")
    def timestamp(self, unit: Literal["s", "ms", "us", "ns"]) -> JaggedArray:
        """Return the time since 1970-01-01 in UTC; times without a zone count as UTC.

        Parameters
        ----------
        unit : {"s", "ms", "us", "ns"}
            What to count; parts of it are rounded down.

        Returns
        -------
        JaggedArray
            int64 of the same shape; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are neither dates nor timestamps.
        JagRangeError
            If a count does not fit 64 bits.
        JagValueError
            If there is no such unit.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(1970, 1, 2)]]).dt.timestamp("s").to_list()
        [[86400]]
        """
        return self._owner._wrap(_ops.timestamp(self._owner, unit))

    @method(namespace="dt")
    def total_seconds(self) -> JaggedArray:
        """Return the length of durations in seconds.

        Returns
        -------
        JaggedArray
            float64 of the same shape; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are not durations.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.timedelta(minutes=1, milliseconds=500)]]).dt.total_seconds().to_list()
        [[60.5]]
        """
        return self._owner._wrap(_ops.total_seconds(self._owner))

    @method(namespace="dt")
    def floor(self, every: str) -> JaggedArray:
        """Round times down to multiples of a length of time.

        %(rounded_times)s

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 8)]]).dt.floor("15m").to_list()
        [[datetime.datetime(2024, 2, 29, 13, 0)]]
        """
        return self._owner._wrap(_ops.rounded(self._owner, "floor", every))

    @method(namespace="dt")
    def ceil(self, every: str) -> JaggedArray:
        """Round times up to multiples of a length of time.

        %(rounded_times)s

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 8)]]).dt.ceil("15m").to_list()
        [[datetime.datetime(2024, 2, 29, 13, 15)]]
        """
        return self._owner._wrap(_ops.rounded(self._owner, "ceil", every))

    @method(namespace="dt")
    def round(self, every: str) -> JaggedArray:
        """Round times to the nearest multiple of a length of time, ties up.

        %(rounded_times)s

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 8)]]).dt.round("15m").to_list()
        [[datetime.datetime(2024, 2, 29, 13, 15)]]
        """
        return self._owner._wrap(_ops.rounded(self._owner, "round", every))

    @method(namespace="dt")
    def strftime(self, format: str) -> JaggedArray:
        """Format times as text.

        Parameters
        ----------
        format : str
            Directives as in Python's `strftime`, in English; ``%Y`` has at least four digits.

        Returns
        -------
        JaggedArray
            Text of the same shape, in wall time for timestamps with a zone; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are not dates, timestamps or times of day.
        JagValueError
            If a directive is unknown.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 2, 29, 13, 5)]]).dt.strftime("%d.%m.%y %H:%M").to_list()
        [['29.02.24 13:05']]
        """
        return self._owner._wrap(_ops.strftime(self._owner, format))

    @method(namespace="dt")
    def tz_convert(self, zone: str) -> JaggedArray:
        """Convert timestamps to another time zone.

        Parameters
        ----------
        zone : str
            A name such as ``Europe/Paris``.

        Returns
        -------
        JaggedArray
            The same instants, with the zone in the type, in the same shape; null stays null. Values are shared.

        Raises
        ------
        JagTypeError
            If the leaves are not timestamps with a zone.
        JagValueError
            If there is no such zone.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> x = aj.array([[dt.datetime(2024, 7, 1, 12, tzinfo=dt.timezone.utc)]])
        >>> x.dt.tz_convert("Europe/Paris").dt.hour().to_list()
        [[14]]
        """
        return self._owner._wrap(_ops.tz_convert(self._owner, zone))

    @method(namespace="dt")
    def tz_localize(self, zone: str) -> JaggedArray:
        """Interpret timestamps without a zone as wall times of a time zone.

        Parameters
        ----------
        zone : str
            A name such as ``Europe/Paris``.

        Returns
        -------
        JaggedArray
            The instants, with the zone in the type, in the same shape; null stays null. Cost: one pass.

        Raises
        ------
        JagTypeError
            If the leaves are not timestamps without a zone.
        JagValueError
            If there is no such zone, or a time lies in a gap or fold of daylight saving time there.

        Examples
        --------
        >>> import datetime as dt
        >>> import arrowjag as aj
        >>> aj.array([[dt.datetime(2024, 7, 1, 14)]]).dt.tz_localize("Europe/Paris").dt.timestamp("s").to_list()
        [[1719835200]]
        """
        return self._owner._wrap(_ops.tz_localize(self._owner, zone))
