"""Compute with dates and times: fields, rounding, zones and text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from arrowjag import _arrow
from arrowjag._column import Column
from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import map_tasks
from arrowjag._kernels.base.extremes import least_and_greatest
from arrowjag._kernels.base.fill import fill
from arrowjag._kernels.base.memory import empty
from arrowjag._kernels.base.words import data_of, from_words, without_validity
from arrowjag._kernels.elementwise.times import KNOWN_UNTIL, TICKS, Every, every_of, name_at, offset_text, offsets_at, round_times
from arrowjag._ops import elementwise
from arrowjag._ops.elementwise.tables import Keys, map_keys
from arrowjag._ops.zones import any_counts, as_counts, as_times, first_in_zone, in_zone, steps_ahead, wall_of
from arrowjag._pyarrow_versions import take
from arrowjag.errors import JagRangeError, JagTypeError, JagValueError, brief

__all__ = [
    "FIELDS",
    "date",
    "field",
    "rounded",
    "strftime",
    "time",
    "timestamp",
    "total_seconds",
    "tz_convert",
    "tz_localize",
]

_YEARS = 32_767
"""The last year of Arrow's calendar functions, which wrap for later years."""

_PER_DAY = 86_400
"""Seconds."""

_CALENDAR, _CLOCK = "dates and timestamps", "timestamps and times of day"

FIELDS: dict[str, tuple[Callable[[pa.Array], pa.Array], str]] = {
    "year": (pc.year, _CALENDAR),
    "quarter": (pc.quarter, _CALENDAR),
    "month": (pc.month, _CALENDAR),
    "week": (pc.iso_week, _CALENDAR),
    "day": (pc.day, _CALENDAR),
    "weekday": (pc.day_of_week, _CALENDAR),
    "day_of_year": (pc.day_of_year, _CALENDAR),
    "hour": (pc.hour, _CLOCK),
    "minute": (pc.minute, _CLOCK),
    "second": (pc.second, _CLOCK),
    "millisecond": (pc.millisecond, _CLOCK),
    "microsecond": (pc.microsecond, _CLOCK),
    "nanosecond": (pc.nanosecond, _CLOCK),
}
"""Arrow's function for each field, and the leaves that have it."""


def _on_times(
    column: Column,
    name: str,
    fits: Callable[[pa.DataType], bool],
    takes: str,
    compute: Any,
    nulls: pa.DataType = pa.timestamp("us"),  # noqa: B008 - types are immutable
) -> Column:
    """Call a function of flat times on the leaves; a column of the type null counts as one of the type `nulls`."""
    values = elementwise.decoded(column.values)
    values = values.cast(nulls) if pt.is_null(values.type) else values
    if not fits(values.type):
        raise JagTypeError.no_kernel(f"dt.{name}", column.type, hint=f"It takes {takes}.")
    try:
        return Column(column.shape, _arrow.combine_chunks(compute(values)))
    except (pa.ArrowInvalid, JagValueError) as error:
        raise elementwise.in_first_row(compute, [values], column, error, f"dt.{name}") from error.__cause__


def _item_by_item(compute: Callable[[pa.Array], pa.Array], has_blocks: bool = False) -> Callable[[pa.Array], pa.Array]:
    """Compute items under nulls too, unless one is out of range of the function: without a validity Arrow takes half the time."""

    def run(values: pa.Array) -> pa.Array:
        return compute(values) if has_blocks else _in_blocks(compute, values)

    def of(values: pa.Array) -> pa.Array:
        if not values.null_count:
            return run(values)
        try:
            found = run(without_validity(values))
        except (JagValueError, JagRangeError, pa.ArrowInvalid):
            return compute(values)
        return from_words(found.type, data_of(found), None, _arrow.bits_of(values).packed())

    return of


def _in_blocks(compute: Callable[[pa.Array], pa.Array], values: pa.Array) -> pa.Array:
    """Compute many items, none of which is null, block by block on all cores."""
    n, step = len(values), strategy.sizes.PASS_VALUES
    if n <= step:
        return compute(values)
    type = compute(values[:0]).type
    out = empty(n, data_of(pa.array([], type)).dtype)

    def work(first: int) -> None:
        out[first : first + step] = data_of(compute(values[first : first + step]))

    map_tasks(work, range(0, n, step))
    return from_words(type, out)


def _has_date(type: pa.DataType) -> bool:
    return bool(pt.is_date(type) or pt.is_timestamp(type))


def _has_clock(type: pa.DataType) -> bool:
    return bool(pt.is_time(type) or pt.is_timestamp(type))


def _unit(type: pa.DataType) -> str:
    return "D" if pt.is_date32(type) else "ms" if pt.is_date64(type) else str(type.unit)


def _ticks_per_day(type: pa.DataType) -> int:
    return 1 if pt.is_date32(type) else _PER_DAY * TICKS[_unit(type)]


def _instants(seconds: NDArray[np.int64], valid: Any = None, zone: str = "UTC") -> pa.Array:
    return as_times(seconds, valid, pa.timestamp("s", zone))


def _within_calendar(values: pa.Array, name: str) -> tuple[Any, Any]:
    """Return counts of the unit, any number of the calendar under nulls; refuse times of years for which Arrow's calendar wraps."""
    unit = _unit(values.type) if not pt.is_time(values.type) else "ns"
    counts, valid = any_counts(values)
    if unit == "ns" or not len(values):
        return counts, valid
    ends = np.array([1 - _YEARS - 1970, _YEARS - 1970]).view("M8[Y]").astype(f"M8[{unit}]")
    low, high = ends.view(np.int64)
    for known in (counts, counts if valid is None else as_counts(values)[0]):
        least, greatest = least_and_greatest(known)
        if low <= least and greatest < high:
            return known, valid
    raise JagValueError(f"dt.{name}: a time is outside of the years {1 - _YEARS} to {_YEARS - 1}")


def field(column: Column, name: str) -> Column:
    """Return a field of wall times."""
    kernel, takes = FIELDS[name]

    def of_clock(values: pa.Array) -> pa.Array:
        _within_calendar(values, name)
        return kernel(wall_of(values, f"dt.{name}"))

    def of_calendar(values: pa.Array) -> pa.Array:
        counts, valid = _within_calendar(values, name)
        wall = wall_of(values, f"dt.{name}")
        if wall is not values:
            counts, valid = as_counts(wall)
        return map_keys(Keys(counts, valid, _ticks_per_day(wall.type)), lambda days: kernel(_instants(days * _PER_DAY)))

    if takes == _CLOCK:
        return _on_times(column, name, _has_clock, takes, _item_by_item(of_clock))
    return _on_times(column, name, _has_date, takes, of_calendar)


def date(column: Column) -> Column:
    """Return the date of wall times."""

    def compute(values: pa.Array) -> pa.Array:
        _within_calendar(values, "date")
        return wall_of(values, "dt.date").cast(pa.date32())

    return _on_times(column, "date", _has_date, _CALENDAR, _item_by_item(compute))


def time(column: Column) -> Column:
    """Return the time of day of wall times."""

    def compute(values: pa.Array) -> pa.Array:
        unit = values.type.unit
        return wall_of(values, "dt.time").cast(pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit))

    return _on_times(column, "time", _has_clock, _CLOCK, _item_by_item(compute))


def timestamp(column: Column, unit: Any) -> Column:
    """Count a unit of time since 1970 in UTC, rounded down."""

    def compute(values: pa.Array) -> pa.Array:
        counts, valid = as_counts(values)
        had = _unit(values.type)
        if had == "D":
            counts, had = counts * 86_400, "s"
        if TICKS[unit] >= TICKS[had]:
            factor = TICKS[unit] // TICKS[had]
            if counts.size and max(int(counts.max()), -int(counts.min())) > (2**63 - 1) // factor:
                raise JagRangeError(f"dt.timestamp: a time does not fit 64 bits of {unit}")
            return _arrow.from_numpy(counts * factor, valid)
        return _arrow.from_numpy(counts // (TICKS[had] // TICKS[unit]), valid)

    return _on_times(column, "timestamp", _has_date, _CALENDAR, _item_by_item(compute))


def total_seconds(column: Column) -> Column:
    """Return the length of durations in seconds."""

    def compute(values: pa.Array) -> pa.Array:
        counts, valid = as_counts(values)
        return _arrow.from_numpy(_nearest_seconds(counts, TICKS[values.type.unit]), valid)

    return _on_times(column, "total_seconds", pt.is_duration, "durations", _item_by_item(compute), nulls=pa.duration("us"))


def _nearest_seconds(counts: NDArray[np.int64], ticks: int) -> NDArray[np.float64]:
    """Divide counts by the ticks of a second; each result is the float64 nearest to the exact quotient.

    numpy rounds counts beyond 2**53 before it divides. Even numbers of seconds are exact; adding the rest rounds once.
    """
    found: NDArray[np.float64] = counts / ticks
    large = (counts > 2**53) | (counts < -(2**53))
    if ticks > 1 and large.any():
        pairs, rest = np.divmod(counts[large], 2 * ticks)
        found[large] = 2 * pairs + rest / ticks
    return found


# --------------------------------------------------------------------------------------------------- rounding and zones


def rounded(column: Column, name: str, every: str) -> Column:
    """Round wall times to multiples of a length of time."""
    step = every_of(every, f"dt.{name}")
    leaf = elementwise.decoded(column.values).type
    # Weeks of dates begin on Mondays; lengths and times of day count from zero.
    step = step._replace(origin=0) if pt.is_duration(leaf) or pt.is_time(leaf) else step

    def compute(values: pa.Array) -> pa.Array:
        if step.months and not _has_date(values.type):
            raise JagValueError(f"dt.{name}: {brief(every)} has no fixed length, which {values.type} needs. Write days or hours.")
        if pt.is_date64(values.type):
            return compute(values.cast(pa.date32())).cast(pa.date64())
        wall = wall_of(values, f"dt.{name}")
        counts, valid = as_counts(wall)
        rounded_counts = round_times(counts, _unit(wall.type), step, name, f"dt.{name}")
        if wall.type != values.type:
            return _rounded_in_zone(values, counts, rounded_counts, step, name)
        if wall.type.bit_width == 32 and (rounded_counts != rounded_counts.astype(np.int32)).any():
            raise JagRangeError(f"dt.{name}: a result does not fit a date of 32 bits. Cast to timestamps first.")
        found = as_times(rounded_counts, valid, wall.type)
        if pt.is_time(values.type):
            _refuse_midnight(found, name)
        return found

    def fits(type: pa.DataType) -> bool:
        return _has_date(type) or _has_clock(type) or bool(pt.is_duration(type))

    return _on_times(column, name, fits, "dates, times and durations", _item_by_item(compute, has_blocks=True))


def _rounded_in_zone(values: pa.Array, wall: Any, found: Any, step: Every, name: str) -> pa.Array:
    """Return the instants of rounded wall times, which are also those at which buckets of `resample` begin.

    A length that divides every change of clocks moves an instant by as much as its wall time: the second hour of a fold stays the
    second. Others, such as days, begin at the first instant of their wall time, or at the end of the gap that it lies in.
    """
    unit, zone = _unit(values.type), values.type.tz
    counts, valid = as_counts(values)
    if step.months or steps_ahead(zone, step.nanoseconds) is None:
        begins = first_in_zone(as_times(found, valid, pa.timestamp(unit)), zone)
        # On a day with two midnights, a time after the first one is rounded up to the second one.
        if name != "ceil" or not (second := as_counts(begins)[0] < counts).any():
            return begins
        return as_times(np.where(second, counts + (found - wall), as_counts(begins)[0]), valid, values.type)
    moved = counts + (found - wall)
    if zone != "UTC" and moved.size and moved.min() < 0:
        shown = as_counts(wall_of(as_times(moved, valid, values.type), f"dt.{name}"))[0]
        off = round_times(shown, unit, step, "floor", f"dt.{name}") != shown
        moved[off] = as_counts(first_in_zone(as_times(found[off], None, pa.timestamp(unit)), zone))[0]
    return as_times(moved, valid, values.type)


def _refuse_midnight(found: pa.Array, name: str) -> None:
    counts, _ = as_counts(found)
    if counts.size and counts.max() >= 86_400 * TICKS[found.type.unit]:
        raise JagValueError(f"dt.{name}: a time of day would become 24:00, which is not a time of day. Cast to timestamps first.")


def _checked_zone(zone: str, name: str) -> str:
    try:
        pc.assume_timezone(pa.array([0], pa.timestamp("s")), zone)
    except pa.ArrowInvalid as error:
        raise JagValueError(f"dt.{name}: {brief(zone)} is not a time zone ({str(error)[:200]})") from None
    return zone


def tz_convert(column: Column, zone: str) -> Column:
    """Return the same instants in another zone."""
    wanted = _checked_zone(zone, "tz_convert")

    def compute(values: pa.Array) -> pa.Array:
        if values.type.tz is None:
            raise JagTypeError.no_kernel("dt.tz_convert", values.type, hint="It takes timestamps of a zone; use tz_localize first.")
        return values.cast(pa.timestamp(values.type.unit, wanted))

    return _on_times(column, "tz_convert", pt.is_timestamp, "timestamps of a zone", compute)


def tz_localize(column: Column, zone: str) -> Column:
    """Convert wall times of a zone to instants."""
    wanted = _checked_zone(zone, "tz_localize")

    def compute(values: pa.Array) -> pa.Array:
        if values.type.tz is not None:
            raise JagTypeError.no_kernel(
                "dt.tz_localize", values.type, hint="It takes timestamps without a zone; tz_convert changes the zone."
            )
        return in_zone(values, wanted)

    return _on_times(column, "tz_localize", pt.is_timestamp, "timestamps without a zone", compute)


# ----------------------------------------------------------------------------------------------------------------- text

_DIRECTIVES = frozenset("YmdHMSfjyIpaAbBcxXzZUWVGuwDFTReCghnt%")

_PARTS = {
    **dict.fromkeys("YmdjyaAbBxUWVGuwDFeCgh", (_PER_DAY, None)),
    **dict.fromkeys("HIp", (3600, 24)),
    "M": (60, 60),
    "S": (1, 60),
}
"""Directives that depend only on a part of a wall time: the seconds of its unit, and after how many units it begins again."""

_LITERALS = frozenset("nt%")


def strftime(column: Column, format: str) -> Column:
    """Format wall times as text."""
    found = re.findall(r"%(.?)", format, re.DOTALL)
    unknown = [one for one in found if one not in _DIRECTIVES or not one]
    if unknown:
        raise JagValueError(f"dt.strftime: unknown directive '%{unknown[0]}' in {brief(format)}")

    def compute(values: pa.Array) -> pa.Array:
        zoned = pt.is_timestamp(values.type) and values.type.tz is not None
        if not zoned and {"z", "Z"} & set(found):
            raise JagTypeError.no_kernel("dt.strftime", values.type, hint="%z and %Z need timestamps of a zone.")
        if pt.is_time(values.type):
            values = as_times(as_counts(values)[0], as_counts(values)[1], pa.timestamp(values.type.unit))
        _within_calendar(values, "strftime")
        return _with_zones(values, format) if "Z" in found else _formatted(values, format)

    return _on_times(column, "strftime", lambda type: _has_date(type) or _has_clock(type), "dates and times", compute)


def _with_zones(values: pa.Array, format: str) -> pa.Array:
    """Format instants with the name of their zone; after 2037, where Arrow does not know it, the name is put into the format."""
    seconds = as_counts(values)[0] // TICKS[values.type.unit]
    late = np.flatnonzero(seconds >= KNOWN_UNTIL)
    if not len(late):
        return _formatted(values, format)
    zone = values.type.tz
    offsets = offsets_at(zone, seconds[late])
    early = np.flatnonzero(seconds < KNOWN_UNTIL)
    places, parts = [early], [_formatted(values.take(pa.array(early)), format)]
    wall = wall_of(values, "dt.strftime")
    for offset in np.unique(offsets):
        there = late[offsets == offset]
        names = {"z": offset_text(int(offset)), "Z": name_at(zone, int(seconds[there[0]]))}
        literal = re.sub("%(.)", lambda one: names.get(one[1], one[0]), format, flags=re.DOTALL)  # noqa: B023 - used at once
        places.append(there)
        parts.append(_formatted(wall.take(pa.array(there)), literal))
    return pa.concat_arrays(parts).take(pa.array(np.argsort(np.concatenate(places))))


class _Piece(NamedTuple):
    """A piece of a format, whose directives all show the same part of the time."""

    directive: str
    format: str

    @property
    def part(self) -> Any:
        return _PARTS.get(self.directive)


def _pieces(format: str) -> list[_Piece]:
    """Cut a format between directives that show different parts of the time; literals stay with a piece beside them."""
    format = re.sub("%(.)", lambda one: {"T": "%H:%M:%S", "R": "%H:%M"}.get(one[1], one[0]), format, flags=re.DOTALL)
    pieces: list[_Piece] = []
    literal = ""  # text before the next directive that belongs to no piece yet
    for text, directive in re.findall("(%(.)|[^%]+)", format, re.DOTALL):
        last = pieces[-1] if pieces and pieces[-1].directive not in "fz" else None
        if not directive or directive in _LITERALS:
            if last:
                pieces[-1] = last._replace(format=last.format + text)
            else:
                literal += text
        elif last and last.part is not None and last.part == _PARTS.get(directive):
            pieces[-1] = last._replace(format=last.format + text)
        elif literal and directive in "fz":
            pieces += [_Piece("H", literal), _Piece(directive, text)]
            literal = ""
        else:
            pieces.append(_Piece(directive, literal + text))
            literal = ""
    return [*pieces, _Piece("H", literal)] if literal or not pieces else pieces


def _formatted(values: pa.Array, format: str) -> pa.Array:
    """Format times piece by piece, each from the part of the time that it shows."""
    if pt.is_date(values.type):
        values = values.cast(pa.timestamp("s"))
    ticks = TICKS[values.type.unit]
    counts, valid = as_counts(values)
    wall_counts = as_counts(wall_of(values, "dt.strftime"))[0]
    wall = fill(lambda items, out: np.floor_divide(wall_counts[items], ticks, out=out), len(wall_counts), np.int64)
    parts: list[Any] = []
    for piece in _pieces(format):
        if piece.directive == "f":
            parts += _fraction((wall_counts - wall * ticks) * (10**9 // ticks) // 1000, valid)
        elif piece.directive == "z":
            offsets = _arrow.from_numpy(wall - counts // ticks, valid).dictionary_encode()
            texts = pa.array([offset_text(one) for one in offsets.dictionary.to_pylist()], pa.string())
            parts.append(take(texts, offsets.indices))
        elif piece.part is not None:
            parts.append(_from_part(wall, valid, piece))
        else:  # whole seconds, for which Arrow prints no fraction
            shown = (counts // ticks, valid, values.type.tz) if piece.directive == "Z" else (wall, valid)
            parts.append(pc.strftime(_instants(*shown), format=piece.format))
    return parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, "")


def _from_part(wall: NDArray[np.int64], valid: Any, piece: _Piece) -> pa.Array:
    """Format one part of wall times: days, or hours, minutes or seconds, which restart at 0 after 24 or 60."""
    seconds, again = piece.part
    return map_keys(
        Keys(wall, valid, seconds, again), lambda numbers: pc.strftime(_instants(numbers * seconds), format=piece.format)
    )


def _fraction(micros: NDArray[np.int64], valid: Any) -> list[pa.Array]:
    """Return microseconds as two columns of three digits."""

    def digits(numbers: Any) -> pa.Array:
        return pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 3, "0")

    return [map_keys(Keys(micros, valid, size, 1000), digits) for size in (1000, 1)]
