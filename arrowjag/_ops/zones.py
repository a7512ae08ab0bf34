"""Flat times as counts, instants as wall times of their zone and back; after 2037, where Arrow's tables end, by `zoneinfo`."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import fill, filled
from arrowjag._kernels.base.words import bits_of_valid, from_words
from arrowjag._kernels.elementwise.times import KNOWN_UNTIL, TICKS, instants_of, offsets_at
from arrowjag.errors import JagRangeError
from arrowjag.typing import IntArray

__all__ = ["any_counts", "as_counts", "as_times", "cast_zoned", "first_in_zone", "in_zone", "steps_ahead", "wall_of"]

_TEXT = pa.large_string()


def as_counts(values: pa.Array) -> tuple[Any, Any]:
    """Return counts of the unit as int64, 0 under nulls, and their validity; callers must not write to them."""
    data, valid = any_counts(values)
    return (data if valid is None else filled(data, valid, 0)), valid


def any_counts(values: pa.Array) -> tuple[Any, Any]:
    """Return counts of the unit as int64, arbitrary under nulls, and their validity."""
    data, valid = _arrow.to_numpy(values.view(_arrow.counts_type(values.type)))
    return data.astype(np.int64, copy=False), valid


def as_times(counts: Any, valid: Any, type: pa.DataType) -> pa.Array:
    """Times of a type from counts of its unit."""
    if type.bit_width == 32:
        return _arrow.from_numpy(counts.astype(np.int32), valid).view(type)
    return _arrow.from_numpy(counts, valid).view(type)


def wall_of(values: pa.Array, operation: str) -> pa.Array:
    """Return wall times without a zone; other values as they are.

    Raises
    ------
    JagRangeError
        If a wall time does not fit 64 bits of the unit.
    """
    if not pt.is_timestamp(values.type) or values.type.tz is None:
        return values
    counts, _ = as_counts(values)
    if counts.size and max(int(counts.max()), -int(counts.min())) > 2**63 - 1 - 2 * 86_400 * TICKS[values.type.unit]:
        raise JagRangeError(f"{operation}: the wall time of an instant does not fit 64 bits of its unit")
    wall = _wall_until_2037(values)
    ticks = TICKS[values.type.unit]
    late = counts >= KNOWN_UNTIL * ticks
    if not late.any():
        return wall
    found, valid = as_counts(wall)
    corrected = found.copy()
    corrected[late] = counts[late] + offsets_at(values.type.tz, counts[late] // ticks) * ticks
    return as_times(corrected, valid, wall.type)


def _wall_until_2037(values: pa.Array) -> pa.Array:
    """Return wall times by Arrow's tables, of many instants block by block on all cores."""
    n = len(values)
    if n <= strategy.sizes.PASS_VALUES:
        return pc.local_timestamp(values)

    def work(items: slice, out: IntArray) -> None:
        out[:] = any_counts(pc.local_timestamp(values[items]))[0]

    return from_words(pa.timestamp(values.type.unit), fill(work, n, np.int64), bits=bits_of_valid(values))


def in_zone(wall: pa.Array, zone: str) -> pa.Array:
    """Return wall times as instants.

    Raises
    ------
    pa.ArrowInvalid
        If a time lies in a gap or a fold of daylight saving time.
    """
    return _in_zone(wall, zone, "raise", "raise")


def first_in_zone(wall: pa.Array, zone: str) -> pa.Array:
    """Return the first instants at which clocks show wall times or later ones: before a fold repeats them, and after a gap."""
    return _in_zone(wall, zone, "earliest", "latest")


def _in_zone(wall: pa.Array, zone: str, ambiguous: str, nonexistent: str) -> pa.Array:
    if zone == "UTC":
        return wall.view(pa.timestamp(wall.type.unit, zone))
    counts, valid = as_counts(wall)
    ticks = TICKS[wall.type.unit]
    late = counts >= KNOWN_UNTIL * ticks
    if not late.any():
        return pc.assume_timezone(wall, zone, ambiguous=ambiguous, nonexistent=nonexistent)
    instants, found = instants_of(zone, counts[late] // ticks)
    rest = np.where(found == 0, 0, counts[late] % ticks)  # a gap ends with a whole second
    if ambiguous == "raise" and (found != 1).any():
        wrong = np.datetime64(int((counts[late] // ticks)[found != 1][0]), "s")
        kind = "doesn't exist in" if found[found != 1][0] == 0 else "is ambiguous in"
        raise pa.ArrowInvalid(f"Timestamp {kind} timezone '{zone}': {wrong}")
    early = as_times(np.where(late, 0, counts), valid, wall.type)
    result = as_counts(pc.assume_timezone(early, zone, ambiguous=ambiguous, nonexistent=nonexistent))[0].copy()
    result[late] = instants * ticks + rest
    return as_times(result, valid, pa.timestamp(wall.type.unit, zone))


@functools.lru_cache(maxsize=1000)
def steps_ahead(zone: str, step: int) -> int | None:
    """Return the nanoseconds, less than a step, that wall time is ahead of whole steps in UTC; None if this has changed since 1970.

    An hour, a quarter of an hour and the like divide every change of clocks in most zones; days and longer never do.
    """
    if not 0 < step < 86_400 * 10**9:
        return None
    days = pa.array(range(0, KNOWN_UNTIL, 86_400), pa.timestamp("s", zone))
    offsets = np.unique(as_counts(pc.local_timestamp(days))[0] - as_counts(days)[0])
    ahead = {int(offset) * 10**9 % step for offset in offsets}
    return ahead.pop() if len(ahead) == 1 else None


def cast_zoned(values: pa.Array, type: pa.DataType, safe: bool) -> pa.Array:
    """Cast timestamps of a zone to dates, times of day or text of their wall time."""
    counts, _ = as_counts(values)
    ticks = TICKS[values.type.unit]
    late = counts >= KNOWN_UNTIL * ticks
    if not late.any():
        return _text(values).cast(type) if not (pt.is_date(type) or pt.is_time(type)) else values.cast(type, safe=safe)
    wall = wall_of(values, "cast")
    if wall.equals(pc.local_timestamp(values)):
        return values.cast(type, safe=safe)
    if pt.is_date(type) or pt.is_time(type):
        return wall.cast(type, safe=safe)
    minutes, which = np.unique((as_counts(wall)[0] - counts) // (60 * ticks), return_inverse=True)
    offsets = [f"{'-' if one < 0 else '+'}{abs(one) // 60:02}{abs(one) % 60:02}" for one in minutes.tolist()]
    parts = wall.cast(_TEXT), pa.array(offsets, _TEXT).take(pa.array(which))
    text = pc.binary_join_element_wise(*parts, pa.scalar("", _TEXT))
    return pc.if_else(_arrow.from_numpy(late), text, values.cast(_TEXT)).cast(type)


def _text(values: pa.Array) -> pa.Array:
    """Return wall times as text, followed by the offset from UTC, for which Arrow is called once per distinct offset."""
    wall = pc.local_timestamp(values)
    text = wall.cast(_TEXT)
    offsets = pc.subtract(wall.cast(pa.int64()), values.cast(pa.int64())).dictionary_encode()
    codes = offsets.indices
    one_each = pa.array([pc.index(codes, code).as_py() for code in range(len(offsets.dictionary))], pa.int64())
    both = zip(values.take(one_each).cast(_TEXT).to_pylist(), text.take(one_each).to_pylist(), strict=True)
    ends = pa.array([whole.removeprefix(part) for whole, part in both], _TEXT)
    return pc.binary_join_element_wise(text, ends.take(codes), pa.scalar("", _TEXT))
