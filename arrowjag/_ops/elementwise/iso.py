"""Text of ISO 8601 beside times, and lengths of time beside durations: `x > "2024-01-01"`, `x.gaps().fill_null("30m")`."""

from __future__ import annotations

import datetime as dt
import re

import pyarrow as pa
import pyarrow.types as pt

from arrowjag._kernels.elementwise.times import every_of
from arrowjag._ops.zones import in_zone
from arrowjag.errors import JagValueError, brief, joined_lines

__all__ = ["iso_scalar"]

_HAS_OFFSET = re.compile(r"[T ].*(Z|[+-]\d\d(:?\d\d)?)$")


def iso_scalar(text: str, leaf: pa.DataType, operation: str) -> pa.Scalar | None:
    """Read text as a scalar of the kind of the times beside it.

    Parameters
    ----------
    text : str
        A date, a date and time, or a time of day. Beside timestamps of a zone, text without an offset is the wall time there.
        Beside durations, a length of time such as ``30m``.
    leaf : pa.DataType
        The type of the times.
    operation : str
        The public name, for errors.

    Returns
    -------
    pa.Scalar or None
        None if the leaves are no times.

    Raises
    ------
    JagValueError
        If the text is no such time.
    """
    if pt.is_duration(leaf):
        return _duration(text, operation)
    try:
        if pt.is_time(leaf):
            found = dt.time.fromisoformat(text)
            if found.tzinfo is not None:  # pyarrow would drop it
                raise ValueError(text)
            return pa.scalar(found, pa.time64("us"))
        if pt.is_date(leaf) and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return pa.scalar(text).cast(pa.date32()).cast(leaf)
        if pt.is_date(leaf):
            return _timestamp(text, None)
        if pt.is_timestamp(leaf):
            return _timestamp(text, leaf.tz)
    except (pa.ArrowInvalid, ValueError) as error:
        if str(error).startswith("Timestamp "):  # in a gap or a fold of daylight saving time
            said = joined_lines(error)
            raise JagValueError(f"{operation}: {said}; write its offset, such as '{text}+01:00'") from None
        zone = " without a zone" if not getattr(leaf, "tz", None) else ""
        raise JagValueError(f"{operation}: text beside {leaf} must be an ISO 8601 time{zone}, got {brief(text)}") from None
    return None


def _duration(text: str, operation: str) -> pa.Scalar:
    every = every_of(text, operation, 0)
    if every.months:
        raise JagValueError(f"{operation}: months have no fixed length, got {brief(text)}; give days")
    if every.nanoseconds >= 2**63 * 1000:
        raise JagValueError(f"{operation}: {brief(text)} does not fit duration[us]")
    if every.nanoseconds % 1000:
        return pa.scalar(every.nanoseconds, pa.duration("ns"))
    return pa.scalar(every.nanoseconds // 1000, pa.duration("us"))


def _timestamp(text: str, zone: str | None) -> pa.Scalar:
    unit = "ns" if re.search(r"\.\d{7,9}", text) else "us"
    if zone is not None and _HAS_OFFSET.search(text):
        return pa.scalar(text).cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit, zone))
    wall = pa.array([text]).cast(pa.timestamp(unit))
    return (wall if zone is None else in_zone(wall, zone))[0]
