"""Times rounded to multiples of a unit, and wall times of time zones after 2037.

Rounding works on counts since 1970, for months by numpy's calendar. Arrow's tables of daylight saving time end in 2037, from which
on its kernels use winter time.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
import zoneinfo
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.compiled.library import find_loop
from arrowjag.errors import JagRangeError, JagValueError, brief

__all__ = [
    "KNOWN_UNTIL",
    "TICKS",
    "Every",
    "every_of",
    "fits_unit",
    "instants_of",
    "name_at",
    "nanoseconds_of",
    "offset_text",
    "offsets_at",
    "round_times",
]

TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Counts per second of each unit."""

_DAY = 86_400 * 10**9
_FIXED = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": _DAY, "w": 7 * _DAY}
_MONTHS = {"mo": 1, "q": 3, "y": 12}
_PANDAS = {
    **dict.fromkeys(("min", "T"), "m"),
    "H": "h",
    "D": "d",
    "W": "w",
    "S": "s",
    "L": "ms",
    "U": "us",
    "N": "ns",
    **dict.fromkeys(("M", "ME", "MS"), "mo"),
    **dict.fromkeys(("Q", "QE", "QS"), "q"),
    **dict.fromkeys(("A", "Y", "YE", "YS"), "y"),
}
"""The units of pandas, and those of arrowjag."""

_WEEK_ORIGIN = 4 * _DAY
"""The first Monday, 1970-01-05."""


class Every(NamedTuple):
    """A length of time: nanoseconds, or months."""

    text: str
    nanoseconds: int
    months: int
    origin: int


def fits_unit(times: Any, unit: str) -> npt.NDArray[np.bool_]:
    """Return which times of numpy another unit can hold.

    Casts wrap the others with numpy before 2.5, and raise an OverflowError for some of them since.

    Parameters
    ----------
    times : numpy.ndarray or numpy scalar
        Of ``datetime64`` or ``timedelta64``.
    unit : str
        Such as ``ns``; not coarser than that of the times.

    Returns
    -------
    numpy.ndarray
        Missing times fit. Cost: two passes.
    """
    most = np.int64(2**63 - 1).view(f"{times.dtype.kind}8[{unit}]").astype(times.dtype).astype(np.int64)
    fits: npt.NDArray[np.bool_] = np.abs(times.astype(np.int64)) <= most  # NaT stays negative
    return fits


def nanoseconds_of(span: np.timedelta64) -> int:
    """Return the length of a span of numpy as a Python integer, which never wraps; parts of a nanosecond are dropped."""
    tick = np.int64(1).view(span.dtype)
    if tick < np.timedelta64(1, "ns"):
        return int(span.astype("m8[ns]").astype(np.int64))
    return int(span.astype(np.int64)) * int(tick.astype("m8[ns]").astype(np.int64))


def every_of(text: str, what: str, least: int = 1) -> Every:
    """Read a length of time such as ``5m`` or ``1mo``.

    Parameters
    ----------
    text : str
        A whole number and one of the units ns, us, ms, s, m, h, d, w, mo, q, y.
    what : str
        The public name of the operation, or of its argument, for errors.
    least : int
        The least number.

    Returns
    -------
    Every
        Its length.
    """
    found = re.fullmatch(r"([0-9]*)([A-Za-z]+)", text.strip())
    number, unit = found.groups() if found else ("", "")
    known = unit in _FIXED or unit in _MONTHS
    if not known or not number or int(number) < least:
        ours = _PANDAS.get(unit, unit if known else "")
        hint = f"; write '{number if number.strip('0') else 1}{ours}'" if ours else ""
        units = ", ".join((*_FIXED, *_MONTHS))
        raise JagValueError(f"{what}: {brief(text)} is not a length of time, expected a number and one of {units}{hint}")
    n = int(number)
    return Every(text, n * _FIXED.get(unit, 0), n * _MONTHS.get(unit, 0), _WEEK_ORIGIN if unit == "w" else 0)


def round_times(counts: npt.NDArray[Any], unit: str, every: Every, how: str, operation: str) -> npt.NDArray[Any]:
    """Round counts of a unit since 1970 to multiples of a length of time.

    Parameters
    ----------
    counts : numpy.ndarray of int64
        Wall times; values under nulls are anything.
    unit : str
        The unit of the counts: D, s, ms, us or ns.
    every : Every
        The length.
    how : {"floor", "ceil", "round"}
        Ties of "round" go up.
    operation : str
        The public name, for errors.

    Returns
    -------
    numpy.ndarray of int64
        New counts.
    """
    if every.months:
        found: npt.NDArray[Any] = _round_months(counts, unit, every, how, operation)
        return found
    tick = _DAY if unit == "D" else 10**9 // TICKS[unit]
    step = every.nanoseconds
    if step % tick:
        if tick % step:
            raise JagValueError(
                f"{operation}: {brief(every.text)} is not a whole number of {unit}, the unit of the leaves. Cast them first."
            )
        return counts
    step //= tick
    if step > 2**62:
        raise JagValueError(f"{operation}: {brief(every.text)} is too long for the unit {unit}")
    origin = every.origin // tick % step
    if counts.size and step < 2**61 and (near := _round_near(counts, step, origin, how)) is not None:
        return near
    past: npt.NDArray[Any] = np.remainder(counts, step)
    if origin:  # not `counts - origin`, which may wrap
        past = np.remainder(past - origin, step)
    lower: npt.NDArray[Any] = counts - past
    if how == "floor":
        _refuse_wrapped(lower > counts, operation)
        return lower
    up = past > 0 if how == "ceil" else past >= step - past
    upper = counts + (step - past)
    _refuse_wrapped(np.where(up, upper < counts, lower > counts), operation)
    chosen: npt.NDArray[Any] = np.where(up, upper, lower)
    return chosen


def _round_near(counts: npt.NDArray[Any], step: int, origin: int, how: str) -> npt.NDArray[Any] | None:
    """Round counts whose sums fit 64 bits: add 0 (floor), the step less 1 (ceil) or half the step (round), then round down.

    None if a count is so large that a sum may wrap. 1M counts of nanoseconds take 3.0 ms by numpy's division, 0.9 by the loop.
    """
    loop = strategy.loop_of("multiples", find_loop("multiples", np.dtype(np.int64), False, len(counts)))
    limit = min(2**61, step << 51)
    shift = {"floor": 0, "ceil": step - 1, "round": step // 2}[how] - origin
    counts = np.ascontiguousarray(counts)
    wraps = []

    def work(items: slice, out: npt.NDArray[Any]) -> None:
        part = counts[items]
        if loop is not None and loop(part, len(part), step, shift, origin, limit, out) == 0:
            return
        if part.min() <= -(2**61) or part.max() >= 2**61:
            wraps.append(items.start)
            return
        np.floor_divide(np.add(part, shift, out=out) if shift else part, step, out=out)  # a third of numpy's remainder
        np.multiply(out, step, out=out)
        if origin:
            np.add(out, origin, out=out)

    found = fill(work, len(counts), np.int64, strategy.sizes.WORD_VALUES)
    return None if wraps else found


def _round_months(counts: npt.NDArray[Any], unit: str, every: Every, how: str, operation: str) -> Any:
    months = np.maximum(counts, -(2**63) + 1).view(f"M8[{unit}]").astype("M8[M]").view(np.int64)  # numpy reads -2**63 as missing
    first = months - np.remainder(months, every.months)
    lower, has_lower = _of_months(first, unit)
    if how == "floor":
        _refuse_wrapped(~has_lower, operation)
        return lower
    upper, has_upper = _of_months(first + every.months, unit)
    # Both may have wrapped: differences without a sign are right all the same.
    past, left = counts.view(np.uint64) - lower.view(np.uint64), upper.view(np.uint64) - counts.view(np.uint64)
    up = past > 0 if how == "ceil" else past >= left
    _refuse_wrapped(np.where(up, ~has_upper, ~has_lower), operation)
    return np.where(up, upper, lower)


def _of_months(months: npt.NDArray[Any], unit: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return counts of the first instants of months, and which of them 64 bits hold; the others have wrapped."""
    days: npt.NDArray[np.int64] = months.view("M8[M]").astype("M8[D]").view(np.int64)
    per_day = 1 if unit == "D" else 86_400 * TICKS[unit]
    return days * per_day, (days >= -(2**63 // per_day)) & (days <= (2**63 - 1) // per_day)


def _refuse_wrapped(wrapped: npt.NDArray[np.bool_], operation: str) -> None:
    if wrapped.any():
        raise JagRangeError(f"{operation}: a result does not fit 64 bits of the unit. Cast to a coarser unit first.")


KNOWN_UNTIL = 2_145_830_400
"""The first second of 2038, since 1970."""


_CYCLE = 146_097 * 86_400
"""Seconds of 400 years, after which the calendar repeats."""

_TOO_LATE = 8_000 * 31_556_952
"""From here on instants are moved by whole cycles: Python's calendar ends in 9999."""


def offsets_at(zone: str, seconds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the seconds that wall time is ahead of UTC at instants after 2037.

    Parameters
    ----------
    zone : str
        The name of a zone that Python's `zoneinfo` knows; one such as ``+05:30`` has the same offset at all times.
    seconds : numpy.ndarray of int64
        Instants since 1970.

    Returns
    -------
    numpy.ndarray of int64
        As Python's `datetime` gives them. Cost: one search, and once per zone and year some 400 calls of Python.
    """
    return _held_at(zone, seconds)[1]


def _held_at(zone: str, seconds: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return since when the offset at each instant holds, or since when its year began if that is later, and the offset."""
    if zone[:1] in "+-":
        hours, minutes = zone[1:].split(":")
        return seconds, np.full(len(seconds), (int(hours) * 3600 + int(minutes) * 60) * (-1 if zone[0] == "-" else 1), np.int64)
    moved = seconds - np.where(seconds >= _TOO_LATE, seconds % _CYCLE + _CYCLE, seconds)
    seconds = seconds - moved
    years = np.unique(seconds.astype("M8[s]").astype("M8[Y]").view(np.int64) + 1970)
    starts, offsets = (np.concatenate(parts) for parts in zip(*(_of_year(zone, int(year)) for year in years), strict=True))
    held = np.searchsorted(starts, seconds, "right") - 1
    return starts[held] + moved, offsets[held]


def offset_text(seconds: int) -> str:
    """The offset as the directive ``%z`` writes it: ``+0530``."""
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}{minutes % 60:02}"


def name_at(zone: str, seconds: int) -> str:
    """The abbreviation of a zone at an instant after 2037, as ``%Z`` writes it: ``CEST``."""
    if zone[:1] in "+-":
        return zone.replace(":", "")
    instant = seconds if seconds < _TOO_LATE else seconds % _CYCLE + _CYCLE
    return dt.datetime.fromtimestamp(instant, zoneinfo.ZoneInfo(zone)).tzname() or zone


@functools.lru_cache(maxsize=10_000)
def _of_year(zone: str, year: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the instants in a year, in UTC, from which an offset holds, and these offsets."""
    info = zoneinfo.ZoneInfo(zone)
    first, end = (int(dt.datetime(one, 1, 1, tzinfo=dt.UTC).timestamp()) for one in (year, year + 1))
    days = range(first, end + 1, 86_400)
    found = [_offset(info, instant) for instant in days]
    starts, offsets = [first], [found[0]]
    for before, after, one, two in zip(days, days[1:], found, found[1:], strict=False):
        if one != two:
            low, high = before, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(info, middle) == one else (low, middle)
            starts.append(high)
            offsets.append(two)
    return np.array(starts), np.array(offsets)


def _offset(info: zoneinfo.ZoneInfo, seconds: int) -> int:
    instant = dt.datetime.fromtimestamp(seconds, info)
    return int((instant.utcoffset() or dt.timedelta()).total_seconds())


def instants_of(zone: str, wall: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return the instants of wall times after 2037, in seconds.

    Parameters
    ----------
    zone : str
        As in `offsets_at`.
    wall : numpy.ndarray of int64
        Wall times in seconds since 1970.

    Returns
    -------
    numpy.ndarray of int64
        Seconds in UTC: the first instant with the wall time; in a gap, the instant at which it ends.
    numpy.ndarray of int8
        How many instants have the wall time: 0 in a gap, 2 in a fold, else 1.
    """
    early = wall - offsets_at(zone, wall - 86_400)
    late = wall - offsets_at(zone, wall + 86_400)
    fits_early = early + offsets_at(zone, early) == wall
    fits_late = late + offsets_at(zone, late) == wall
    count = fits_early.astype(np.int8) + (fits_late & (late != early)).astype(np.int8)
    instants = np.where(fits_early, early, late)
    gaps = count == 0
    if gaps.any():
        instants[gaps] = _held_at(zone, early[gaps])[0]
    return instants, count
