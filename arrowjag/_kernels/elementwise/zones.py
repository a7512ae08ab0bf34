"""Wall times of time zones after 2037, where Arrow's tables of daylight saving time end and its kernels use winter time."""

from __future__ import annotations

import datetime as dt
import functools
import zoneinfo
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["KNOWN_UNTIL", "moments_of", "offsets_at"]

KNOWN_UNTIL = 2_145_830_400
"""The first second of 2038, since 1970."""

_CYCLE = 146_097 * 86_400
"""Seconds of 400 years, after which the calendar repeats."""


def offsets_at(zone: str, seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the seconds that wall time is ahead of UTC at moments after 2037.

    Parameters
    ----------
    zone : str
        The name of a zone that Python's `zoneinfo` knows; one such as ``+05:30`` has the same offset at all times.
    seconds : numpy.ndarray of int64
        Moments since 1970.

    Returns
    -------
    numpy.ndarray of int64
        As Python's `datetime` gives them. Cost: one search, and once per zone and year some 400 calls of Python.
    """
    if zone[:1] in "+-":
        hours, minutes = zone[1:].split(":")
        return np.full(len(seconds), (int(hours) * 3600 + int(minutes) * 60) * (-1 if zone[0] == "-" else 1), np.int64)
    late = seconds >= 8_000 * 31_556_952  # Python's calendar ends in 9999
    seconds = np.where(late, seconds % _CYCLE + _CYCLE, seconds)
    years = np.unique(seconds.astype("M8[s]").astype("M8[Y]").astype(np.int64) + 1970)
    starts, offsets = (np.concatenate(parts) for parts in zip(*(_of_year(zone, int(year)) for year in years), strict=True))
    return offsets[np.searchsorted(starts, seconds, "right") - 1]


@functools.lru_cache(maxsize=10_000)
def _of_year(zone: str, year: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the moments in a year, in UTC, from which an offset holds, and these offsets."""
    info = zoneinfo.ZoneInfo(zone)
    first = int(dt.datetime(year, 1, 1, tzinfo=dt.UTC).timestamp())
    days = [first + 86_400 * day for day in range(367 if year < 9999 else 365)]
    found = [_offset(info, moment) for moment in days]
    starts, offsets = [first], [found[0]]
    for before, after, one, two in zip(days, days[1:], found, found[1:], strict=False):
        if one != two:
            low, high = before, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(info, middle) == one else (low, middle)
            starts.append(high)
            offsets.append(two)
    within = [place for place, start in enumerate(starts) if start < first + 86_400 * (366 if _is_leap(year) else 365)]
    return np.array([starts[place] for place in within]), np.array([offsets[place] for place in within])


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _offset(info: zoneinfo.ZoneInfo, seconds: int) -> int:
    moment = dt.datetime.fromtimestamp(seconds, info)
    return int((moment.utcoffset() or dt.timedelta()).total_seconds())


def moments_of(zone: str, wall: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the moments of wall times after 2037, in seconds.

    Parameters
    ----------
    zone : str
        As in `offsets_at`.
    wall : numpy.ndarray of int64
        Wall times in seconds since 1970.

    Returns
    -------
    numpy.ndarray of int64
        Seconds in UTC.
    numpy.ndarray of int8
        How many moments have the wall time: 0 in a gap, 2 in a fold, else 1.
    """
    early = wall - offsets_at(zone, wall - 86_400)
    late = wall - offsets_at(zone, wall + 86_400)
    fits_early = early + offsets_at(zone, early) == wall
    fits_late = late + offsets_at(zone, late) == wall
    count = fits_early.astype(np.int8) + (fits_late & (late != early)).astype(np.int8)
    return np.where(fits_early, early, late), count
