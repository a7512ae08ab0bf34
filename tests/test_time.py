"""Methods of `x.dt` give the results of Python's datetime, for every type of times and at every depth."""

from __future__ import annotations

import datetime as dt
import operator
import time
import zoneinfo
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels.elementwise import times
from arrowjag._kernels.elementwise.times import every_of
from arrowjag._methods import namespaces
from arrowjag._ops import time_buckets
from arrowjag.errors import JagRangeError, JagTypeError, JagValueError
from arrowjag.testing import LEAF_KINDS, assert_lists_equal, jagged_arrays
from tests import reference as ref
from tests.hosts import pd, pl

TIMESTAMPS = LEAF_KINDS["timestamp"]
NAIVE = [leaf for leaf in TIMESTAMPS if leaf.tz is None]
WITH_DATE = (*LEAF_KINDS["date"], *TIMESTAMPS)
WITH_CLOCK = (*LEAF_KINDS["time"], *TIMESTAMPS)
LENGTHS = ["1ms", "7s", "5m", "2h", "1d", "3d", "1w", "2w", "1mo", "5mo", "1q", "1y", "4y"]


def columns(*leaves: pa.DataType) -> st.SearchStrategy[aj.JaggedArray]:
    return st.sampled_from(leaves).flatmap(lambda leaf: jagged_arrays(st.integers(1, 3), leaf))


def counts(x: aj.JaggedArray) -> Any:
    """Counts of the unit in place of times, whatever Python's datetime can't hold."""
    return aj.JaggedArray(x.shape, x.values.view(pa.int32() if x.type.bit_width == 32 else pa.int64())).to_list()


def unit_of(leaf: Any) -> str:
    return "D" if pa.types.is_date32(leaf) else "ms" if pa.types.is_date64(leaf) else leaf.unit


def expected(x: aj.JaggedArray, f: Any) -> Any:
    """`f` of wall times and the nanoseconds in their second."""
    zone = getattr(x.type, "tz", None)
    return ref.elementwise(lambda count: f(*ref.wall(count, unit_of(x.type), zone)), ref.Jag(counts(x), x.ndim))


def test_every_method_is_tested_here() -> None:
    assert {*ref.TIME} == {*namespaces()["dt"]}


@pytest.mark.parametrize("name", ["dt.year", "dt.quarter", "dt.month", "dt.week", "dt.day", "dt.weekday", "dt.day_of_year"])
@given(columns(*WITH_DATE))
def test_fields_of_dates_agree_with_python(name: str, x: aj.JaggedArray) -> None:
    got = getattr(x.dt, name[3:])()
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), expected(x, ref.TIME[name[3:]]))


@pytest.mark.parametrize("name", ["dt.hour", "dt.minute", "dt.second", "dt.millisecond", "dt.microsecond", "dt.nanosecond"])
@given(columns(*WITH_CLOCK))
def test_fields_of_times_agree_with_python(name: str, x: aj.JaggedArray) -> None:
    got = getattr(x.dt, name[3:])()
    assert got.type == pa.int64()
    assert_lists_equal(got.to_list(), expected(x, ref.TIME[name[3:]]))


@given(columns(*WITH_DATE))
def test_date_and_timestamp_agree_with_python(x: aj.JaggedArray) -> None:
    assert_lists_equal(x.dt.date().to_list(), expected(x, ref.TIME["date"]))
    for unit in ("s", "ms", "us", "ns"):
        had = unit_of(x.type)
        factor, had = (86_400, "s") if had == "D" else (1, had)
        try:
            got = x.dt.timestamp(unit)
        except JagRangeError:
            assert unit == "ns"
            continue
        of = lambda count: ref.TIME["timestamp"](count * factor, had, unit)  # noqa: B023, E731
        assert_lists_equal(got.to_list(), ref.elementwise(of, ref.Jag(counts(x), x.ndim)))


@given(columns(*WITH_CLOCK))
def test_time_agrees_with_python(x: aj.JaggedArray) -> None:
    got = x.dt.time()
    step = 10**9 // ref.PER_SECOND[got.type.unit]  # type: ignore[attr-defined]
    assert_lists_equal(counts(got), expected(x, lambda t, ns: ref.TIME["time"](t, ns) // step))


@given(columns(*LEAF_KINDS["duration"]))
def test_total_seconds_agrees_with_python(x: aj.JaggedArray) -> None:
    of = lambda count: ref.TIME["total_seconds"](count, x.type.unit)  # type: ignore[attr-defined]  # noqa: E731
    assert_lists_equal(x.dt.total_seconds().to_list(), ref.elementwise(of, ref.Jag(counts(x), x.ndim)))


def test_nulls_without_a_type_are_times_or_durations() -> None:
    x = aj.array([[None], None, []], ndim=2)
    assert x.type == pa.null()
    for found, type in ((x.dt.total_seconds(), pa.float64()), (x.dt.year(), pa.int64()), (x.dt.date(), pa.date32())):
        assert (found.to_list(), found.type) == (x.to_list(), type)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_total_seconds_are_rounded_once(unit: str) -> None:
    """Counts beyond 2**53 are no float64, and dividing them by numpy rounds twice."""
    random = np.random.default_rng(0)
    values = [
        10**18 + 1000,
        2**53 - 1,
        2**53 + 1,
        -(2**53) - 1,
        2**63 - 1,
        1 - 2**63,
        *random.integers(1 - 2**63, 2**63, 2000).tolist(),
    ]
    x = aj.from_arrow(pa.array([values, None, [None]], pa.large_list(pa.duration(unit))))
    wanted = [ref.TIME["total_seconds"](count, unit) for count in values]  # type: ignore[attr-defined]
    assert x.dt.total_seconds().to_list() == [wanted, None, [None]]


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@given(columns(*NAIVE, pa.timestamp("us", "UTC"), *LEAF_KINDS["date"]), st.sampled_from(LENGTHS))
def test_rounding_agrees_with_python(how: str, x: aj.JaggedArray, every: str) -> None:
    unit = unit_of(x.type)
    tick = ref.DAY if unit == "D" else 10**9 // ref.PER_SECOND[unit]
    step = ref.DAY if pa.types.is_date(x.type) else tick
    if pa.types.is_date(x.type) and every[-1] in "hms":
        every = "1d"
    got = getattr(x.dt, how)(every)
    assert got.type == x.type
    of = lambda count: ref.rounded_time(count * tick, every, how) // tick if step else count  # noqa: E731
    fine = every == "1ms" and unit == "s"
    assert_lists_equal(counts(got), counts(x) if fine else ref.elementwise(of, ref.Jag(counts(x), x.ndim)))


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("type", [*(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")), pa.date32()], ids=str)
def test_rounding_where_counts_end(how: str, type: pa.DataType) -> None:
    """At either end of what a count holds the result is exact, or an error where it lies beyond; nothing wraps."""
    tick = ref.DAY if type == pa.date32() else 10**9 // ref.PER_SECOND[type.unit]
    most = 2 ** (type.bit_width - 1) - 1
    long = 12 * 7 * ref.DAY // tick
    for every, length in (("1w", 7 * ref.DAY), ("7d", 7 * ref.DAY), ("1mo", 0), ("1q", 0)):
        for count in (*range(-most - 1, -most + long, long // 150 + 1), *range(most, most - long, -(long // 150) - 1)):
            if length:
                start = 4 * ref.DAY // tick * (every == "1w")
                lower = (count - start) // (length // tick) * (length // tick) + start
                upper = lower + length // tick
            else:
                months = 1 if every == "1mo" else 3
                moved = count * tick // ref.DAY % 146_097  # the calendar repeats after so many days, which are whole months
                day = dt.date(1970, 1, 1) + dt.timedelta(moved)
                number = day.year * 12 + day.month - 1
                first, after = (
                    dt.date(k // 12, k % 12 + 1, 1) for k in (number - number % months, number - number % months + months)
                )
                midnight = count * tick // ref.DAY * ref.DAY // tick
                lower, upper = (midnight + (one - day).days * ref.DAY // tick for one in (first, after))
            up = lower < count if how == "ceil" else lower < count and count - lower >= upper - count
            wanted = upper if up and how != "floor" else lower
            x = aj.from_sizes(pa.array(np.array([count], f"i{type.bit_width // 8}")).view(type), [1])
            if -most - 1 <= wanted <= most:
                assert counts(getattr(x.dt, how)(every)) == [[wanted]], (every, count)
            else:
                with pytest.raises(JagRangeError, match=rf"dt\.{how}: in row 0, a result does not fit"):
                    getattr(x.dt, how)(every)


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@given(columns(*LEAF_KINDS["duration"]), st.sampled_from(["7s", "5m", "1d", "2w"]))
def test_rounding_of_durations(how: str, x: aj.JaggedArray, every: str) -> None:
    tick = 10**9 // ref.PER_SECOND[x.type.unit]  # type: ignore[attr-defined]
    shift = -4 * ref.DAY if "w" in every else 0
    of = lambda count: (ref.rounded_time(count * tick - shift, every, how) + shift) // tick  # noqa: E731
    assert_lists_equal(counts(getattr(x.dt, how)(every)), ref.elementwise(of, ref.Jag(counts(x), x.ndim)))


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("type", [pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")], ids=str)
def test_weeks_of_times_of_day_count_from_midnight(how: str, type: pa.DataType) -> None:
    x = aj.array([[dt.time(0), dt.time(11)], None, [None]]).cast(type)
    if how == "ceil":
        with pytest.raises(JagValueError, match=r"dt\.ceil: in row .*, a time of day would become 24:00"):
            x.dt.ceil("2w")
    else:
        assert getattr(x.dt, how)("2w").to_list() == [[dt.time(0), dt.time(0)], None, [None]]


FORMATS = [
    "%Y-%m-%dT%H:%M:%S",
    "at %S%M%H%d%H%%%y %X %c",
    "%d.%m.%y %I%p %f|%%f",
    "%a %A %b %B %j %U %W %w %u %V %G",
    "%f",
    "é%H",
    "",
]


@given(columns(*TIMESTAMPS), st.sampled_from(FORMATS))
def test_strftime_agrees_with_python(x: aj.JaggedArray, format: str) -> None:
    assert_lists_equal(x.dt.strftime(format).to_list(), expected(x, lambda t, ns: ref.TIME["strftime"](t, ns, format)))


@pytest.mark.parametrize("zone", ["Europe/Paris", "America/St_Johns", "+05:30", "UTC"])
def test_strftime_of_few_days_writes_each_once(zone: str) -> None:
    start = dt.datetime(2037, 10, 20, 23, 59, 57, 999_990, tzinfo=dt.UTC)
    moments = [start + 3_601 * dt.timedelta(seconds=place, microseconds=7) for place in range(400)]
    x = aj.array(pa.array([[None, *moments]], pa.list_(pa.timestamp("us", zone))))
    there = dt.timezone(dt.timedelta(hours=5.5)) if zone[0] == "+" else zoneinfo.ZoneInfo(zone)
    format = "%Y-%m-%dT%H:%M:%S.%f%z|%%%j %c"
    assert x.dt.strftime(format).to_list() == [[None, *(one.astimezone(there).strftime(format) for one in moments)]]


@pytest.mark.parametrize(("unit", "micros"), [("s", 0), ("ms", 678_000), ("us", 678_901), ("ns", 678_901)])
def test_strftime_prints_the_fraction_of_each_unit(unit: str, micros: int) -> None:
    at = dt.datetime(2024, 7, 1, 3, 4, 5, micros)  # noqa: DTZ001 - without a zone
    x = aj.array(pa.array([[at, None]], pa.list_(pa.timestamp(unit))))
    assert x.dt.strftime("%S.%f|%f").to_list() == [[f"05.{micros:06}|{micros:06}", None]]


def test_strftime_of_zones_dates_and_times_of_day() -> None:
    moment = dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
    x = aj.array([[moment, None]]).dt.tz_convert("Europe/Paris")
    assert x.dt.strftime("%H:%M %z %Z").to_list() == [["14:00 +0200 CEST", None]]
    assert aj.array([[dt.date(2024, 7, 1)]]).dt.strftime("%d %H").to_list() == [["01 00"]]
    assert aj.array([[dt.time(3, 4, 5)]]).dt.strftime("%H-%M-%S.%f").to_list() == [["03-04-05.000000"]]
    with pytest.raises(JagTypeError, match="%z and %Z need timestamps of a zone"):
        aj.array([[dt.datetime(2024, 7, 1)]]).dt.strftime("%z")  # noqa: DTZ001 - without a zone
    for wrong in ("%Q", "%", "%-d"):
        with pytest.raises(JagValueError, match="unknown directive"):
            x.dt.strftime(wrong)


@given(columns(*[leaf for leaf in TIMESTAMPS if leaf.tz]))
def test_tz_convert_keeps_moments(x: aj.JaggedArray) -> None:
    got = x.dt.tz_convert("America/New_York")
    assert got.type == pa.timestamp(x.type.unit, "America/New_York")  # type: ignore[attr-defined]
    assert counts(got) == counts(x)
    assert_lists_equal(got.dt.hour().to_list(), expected(got, ref.TIME["hour"]))


def test_tz_localize_reads_wall_times() -> None:
    x = aj.array([[dt.datetime(2024, 7, 1, 14), None], None])  # noqa: DTZ001 - without a zone
    got = x.dt.tz_localize("Europe/Paris")
    assert got.dt.timestamp("s").to_list() == [[ref.TIME["tz_localize"](dt.datetime(2024, 7, 1, 14), "Europe/Paris"), None], None]  # noqa: DTZ001
    for wrong in (dt.datetime(2024, 3, 31, 2, 30), dt.datetime(2024, 10, 27, 2, 30)):  # noqa: DTZ001 - a gap and a fold
        with pytest.raises(JagValueError, match=r"tz_localize: in row .*, Timestamp (is ambiguous|doesn't exist) in timezone"):
            aj.array([[wrong]]).dt.tz_localize("Europe/Paris")
    gap, fold = dt.datetime(2024, 3, 31, 2, 30), dt.datetime(2024, 10, 27, 2, 30)  # noqa: DTZ001
    deep = aj.array([[[dt.datetime(2024, 7, 1)], None], None, [[None, gap], [fold]]])  # noqa: DTZ001
    with pytest.raises(JagValueError, match=r"in row \[2\]\[0\], .*doesn't exist.*2024-03-31 02:30"):
        deep.dt.tz_localize("Europe/Paris")
    with pytest.raises(JagValueError, match=r"in row 3, .* is ambiguous"):
        aj.array([None, None, None, fold, gap]).dt.tz_localize("Europe/Paris")


def test_zones_are_distinguished() -> None:
    naive, zoned = aj.array([[dt.datetime(2024, 7, 1)]]), aj.array([[dt.datetime(2024, 7, 1, tzinfo=dt.UTC)]])  # noqa: DTZ001
    with pytest.raises(JagTypeError, match="use tz_localize first"):
        naive.dt.tz_convert("UTC")
    with pytest.raises(JagTypeError, match="tz_convert changes the zone"):
        zoned.dt.tz_localize("UTC")
    for n in (1, 0):  # whatever the data, so that a plan of polars knows it
        for compare in (operator.eq, operator.ne, operator.lt, operator.ge):
            for one, two in [(naive, zoned), (zoned, naive)]:
                with pytest.raises(JagTypeError, match=r"first: y\.dt\.tz_localize\('UTC'\)"):
                    compare(one[:n], two[:n])
    times = aj.array([[dt.time(1), None]])
    for said in (lambda: times == "01:00+01:00", lambda: times.is_in(["01:00Z"]), lambda: times.fill_null("01:00Z")):
        with pytest.raises(JagValueError, match=r"must be an ISO 8601 time without a zone, got '01:00"):
            said()
    for call in (naive.dt.tz_localize, zoned.dt.tz_convert):
        with pytest.raises(JagValueError, match="'Nowhere' is not a time zone"):
            call("Nowhere")


def test_rounding_in_a_zone_is_that_of_wall_time() -> None:
    x = aj.array([[dt.datetime(2024, 7, 1, 21, 59, tzinfo=dt.UTC)]]).dt.tz_convert("Asia/Kolkata")
    assert x.dt.floor("1d").dt.strftime("%F %T %z").to_list() == [["2024-07-02 00:00:00 +0530"]]


@pytest.mark.parametrize("year", [2024, 2096])
@pytest.mark.parametrize(
    ("zone", "how", "every", "instants"),
    [
        ("Europe/Paris", "floor", "1h", {"10-28T00:30": "10-28T00:00", "10-28T01:30": "10-28T01:00", "03-25T01:10": "03-25T01:00"}),
        ("Europe/Paris", "floor", "2h", {"10-28T01:30": "10-28T00:00", "10-28T00:30": "10-28T00:00", "03-25T01:10": "03-25T01:00"}),
        ("Europe/Paris", "ceil", "1h", {"10-28T00:30": "10-28T01:00", "10-28T01:30": "10-28T02:00", "03-25T00:50": "03-25T01:00"}),
        ("Europe/Paris", "ceil", "2h", {"10-28T00:30": "10-28T03:00", "03-25T00:50": "03-25T01:00"}),
        ("Europe/Paris", "round", "1h", {"10-28T00:50": "10-28T01:00", "10-28T01:20": "10-28T01:00", "03-25T00:50": "03-25T01:00"}),
        ("Europe/Paris", "floor", "1d", {"10-28T22:59": "10-27T22:00", "10-28T23:00": "10-28T23:00", "03-25T12:00": "03-24T23:00"}),
        (
            "America/Havana",
            "floor",
            "1d",
            {"03-11T10:00": "03-11T05:00", "11-04T05:30": "11-04T04:00"},
        ),
        (
            "America/Havana",
            "ceil",
            "1d",
            {"11-04T05:00": "11-04T05:00", "11-04T05:01": "11-05T05:00"},
        ),
    ],
)
def test_rounding_where_clocks_change(year: int, zone: str, how: str, every: str, instants: dict[str, str]) -> None:
    days = {"03-25": "03-31", "03-24": "03-30", "10-28": "10-27", "10-27": "10-26"} if year == 2024 else {}
    days |= {"03-11": "03-10", "11-04": "11-03", "11-05": "11-04"} if year == 2024 else {}
    times = [[f"{year}-{days.get(one[:5], one[:5])}{one[5:]}" for one in part] for part in (instants, instants.values())]
    given, wanted = (aj.array(np.array(one, "M8[us]")).reshape(1, -1).dt.tz_localize("UTC").dt.tz_convert(zone) for one in times)
    got = getattr(given.dt, how)(every)
    assert counts(got) == counts(wanted)
    with_null = aj.concat([given, aj.array([[None]], type=given.type)], axis=1)
    assert counts(getattr(with_null.dt, how)(every)) == [[*counts(wanted)[0], None]]


def test_daylight_saving_time_after_2037_is_that_of_python() -> None:
    """Arrow's own tables end there."""
    x = aj.array([[dt.datetime(year, 7, 1, 12, tzinfo=dt.UTC) for year in (2037, 2038, 2096, 2500, 9999)]])
    got = x.dt.tz_convert("Europe/Paris")
    assert got.dt.hour().to_list() == [[14] * 5]
    assert got.dt.floor("1d").dt.hour().to_list() == [[0] * 5]
    wall = aj.array([[dt.datetime(2096, 7, 1, 14), dt.datetime(2020, 7, 1, 14)]])  # noqa: DTZ001 - without a zone
    assert wall.dt.tz_localize("Europe/Paris").dt.tz_convert("UTC").dt.hour().to_list() == [[12, 12]]
    for wrong in (dt.datetime(2096, 3, 25, 2, 30), dt.datetime(2096, 10, 28, 2, 30)):  # noqa: DTZ001 - a gap and a fold
        with pytest.raises(JagValueError, match=r"Timestamp (is ambiguous|doesn't exist) in timezone 'Europe/Paris': 2096"):
            aj.array([[wrong]]).dt.tz_localize("Europe/Paris")


@pytest.mark.parametrize("zone", ["Europe/Paris", "America/Sao_Paulo", "Antarctica/Troll", "Africa/Casablanca", "UTC", "+05:30"])
def test_offsets_and_names_of_zones_after_2037_are_those_of_python(zone: str) -> None:
    moments = [dt.datetime(year, month, 7, 12, 0, 0, 5, dt.UTC) for year in (1990, 2037, 2038, 9998) for month in (1, 3, 7)]
    x = aj.array(pa.array([[None, *moments], None], pa.large_list(pa.timestamp("us", zone))))
    format = "%F %T.%f %z %%z %Z"
    fixed = dt.timezone(dt.timedelta(hours=5, minutes=30), "+0530")
    there = fixed if zone.startswith("+") else zoneinfo.ZoneInfo(zone)
    expected = [one.astimezone(there).strftime(format) for one in moments]
    assert x.dt.strftime(format).to_list() == [[None, *expected], None]


def test_a_percent_sign_before_the_letter_of_a_zone() -> None:
    """Arrow takes %%z for %z, and asks for a zone."""
    x = aj.array([[dt.datetime(2024, 1, 2, 3)], [None]])  # noqa: DTZ001 - without a zone
    assert x.dt.strftime("%%z%%%H%%Z").to_list() == [["%z%03%Z"], [None]]
    assert x.dt.date().dt.strftime("%%z").to_list() == [["%z"], [None]]
    assert x.dt.time().dt.strftime("%%Z").to_list() == [["%Z"], [None]]


def test_times_of_a_zone_do_not_compare_with_dates() -> None:
    """The moment at which a date begins depends on the zone; Arrow takes it for midnight in UTC."""
    x = aj.array([[dt.datetime(2023, 12, 31, 23, 30, tzinfo=dt.UTC)]]).dt.tz_convert("Europe/Berlin")
    dates, day = aj.array([[dt.date(2024, 1, 1)]]), dt.date(2024, 1, 1)
    calls = [lambda: x >= dates, lambda: dates < x, lambda: x == day, lambda: x != aj.array([day]), lambda: x < pa.scalar(day)]
    for call in calls:
        with pytest.raises(JagTypeError, match=r"timestamp\[us, tz=Europe/Berlin\].*Compare x\.dt\.date\(\)"):
            call()
    assert (x.dt.date() == dates).to_list() == [[True]]
    assert (x >= dates.cast("timestamp[us]").dt.tz_localize("Europe/Berlin")).to_list() == [[True]]
    assert (x >= "2024-01-01").to_list() == [[True]]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_text_is_a_time_of_any_year_and_any_nanosecond(unit: str) -> None:
    x = aj.array([[dt.datetime(2024, 1, 1), None], []]).cast(f"timestamp[{unit}]")  # noqa: DTZ001 - without a zone
    for text, is_later in (("3000-01-01", True), ("0001-01-01", False), ("2024-01-01T00:00:00.000000001", True)):
        assert (x < text).to_list() == [[is_later, None], []]
    assert (x == "2024-01-01T00:00:00.000000000").to_list() == [[True, None], []]


@pytest.mark.parametrize(
    ("type", "kind"),
    [
        ("date32", "time without a zone"),
        ("time64[us]", "time without a zone"),
        ("timestamp[us]", "time without a zone"),
        ("timestamp[us, tz=UTC]", "time"),
    ],
)
def test_text_that_is_no_time_is_refused(type: str, kind: str) -> None:
    x = aj.array([[None]], type=type)
    with pytest.raises(aj.JagValueError, match=rf"less: text beside .* must be an ISO 8601 {kind}, got 'soon'"):
        x < "soon"  # noqa: B015


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
def test_scalars_of_numpy_of_all_units(unit: str) -> None:
    moment = np.datetime64("2024-06-15T12:30:10", unit)
    told = moment.astype("M8[us]").item()
    times, dates = aj.array([[told, None]]), aj.array([[told.date(), None]])
    assert (times == moment).to_list() == [[True, None]]
    assert times.fill_null(moment).to_list() == [[told, told]]
    assert (times - moment).to_list() == [[dt.timedelta(), None]]
    if unit in "YMWD":
        assert dates.fill_null(moment).to_list() == [[told.date()] * 2]
    if unit not in "YM":
        assert (times + np.timedelta64(3, unit) - times == np.timedelta64(3, unit)).to_list() == [[True, None]]
    assert (times + np.timedelta64("NaT", "s")).to_list() == [[None, None]]


@pytest.mark.parametrize("unit", ["D", "W", "h", "m"])
def test_times_of_numpy_beyond_seconds(unit: str) -> None:
    """numpy before 2.5 wraps what 64 bits of seconds don't hold."""
    x = aj.array([[0]]).cast(pa.timestamp("s"))
    for sign in (1, -1):
        with pytest.raises(aj.JagRangeError, match=r"add: the time .* does not fit 64 bits of seconds"):
            x + np.timedelta64(sign * 2**60, unit)
        with pytest.raises(aj.JagRangeError, match=r"less: the time .* does not fit 64 bits of seconds"):
            _ = x < np.datetime64(sign * 2**60, unit)
    most = (2**63 - 1) // int(np.timedelta64(1, unit) / np.timedelta64(1, "s"))
    assert (aj.array([[0]]).cast(pa.duration("s")) < np.timedelta64(most, unit)).to_list() == [[True]]
    with pytest.raises(aj.JagRangeError, match=r"add: the time .* does not fit 64 bits of seconds"):
        x + np.timedelta64(most + 1, unit)


def test_long_spans_of_numpy_do_not_wrap() -> None:
    """2**40 seconds are more nanoseconds than 64 bits hold: a window over all rows, and one bucket."""
    long = np.timedelta64(2**40, "s")
    x, t = aj.array([[1, 2]]), aj.array([[1, 2]]).cast(pa.timestamp("s"))
    assert x.rolling(long, on=t).sum().to_list() == [[1, 3]]
    assert aj.resample(t, x, long, "sum")["value"].to_list() == [[3]]


@pytest.mark.parametrize("wrong", [np.timedelta64(1, "M"), np.array(1).view("m8")[()], np.datetime64(1, "ps")], ids=repr)
def test_scalars_of_numpy_without_a_unit_of_arrow(wrong: Any) -> None:
    with pytest.raises(JagTypeError, match="neither an array nor an Arrow scalar"):
        aj.array([[dt.datetime(2024, 1, 1)]]) - wrong  # noqa: DTZ001 - without a zone


def test_text_beside_times_of_a_zone_after_2037_is_wall_time() -> None:
    x = aj.array([[dt.datetime(2050, 6, 30, 22, tzinfo=dt.UTC), dt.datetime(2020, 6, 30, 22, tzinfo=dt.UTC)]])
    x = x.dt.tz_convert("Europe/Paris")
    assert (x == "2050-07-01").to_list() == [[True, False]]
    assert (x >= "2050-07-01T00:00:00").to_list() == [[True, False]]
    assert (x > "2050-06-30T23:59:59.5").to_list() == [[True, False]]
    assert (x == "2050-06-30T22:00:00Z").to_list() == [[True, False]]
    assert (x.dt.tz_convert("America/New_York") == "2050-06-30 18:00").to_list() == [[True, False]]
    for wrong in ("2020-03-29 02:30", "2096-03-25 02:30", "2020-10-25 02:30", "2096-10-28 02:30"):
        with pytest.raises(JagValueError, match=r"Timestamp (is ambiguous|doesn't exist) in.*write its offset"):
            x == wrong  # noqa: B015


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view()])
def test_casts_of_times_of_a_zone_after_2037_are_those_of_wall_time(type: pa.DataType) -> None:
    moments = [dt.datetime(year, month, 1, 22, 30, tzinfo=dt.UTC) for year in (2020, 2050) for month in (1, 7)]
    x = aj.array([[*moments, None], None]).dt.tz_convert("Europe/Paris")
    wall = [moment.astimezone(zoneinfo.ZoneInfo("Europe/Paris")) for moment in moments]
    assert x.cast(pa.date32(), safe=False).to_list() == [[*(one.date() for one in wall), None], None]
    assert x.cast(pa.date64(), safe=False).to_list() == [[*(one.date() for one in wall), None], None]
    assert x.cast(pa.time64("us"), safe=False).to_list() == [[*(one.time() for one in wall), None], None]
    assert x.cast(type).to_list() == [[*(one.strftime("%Y-%m-%d %H:%M:%S.%f%z") for one in wall), None], None]


def test_weeks_begin_as_in_polars() -> None:
    times = [dt.datetime(1969, 12, 30), dt.datetime(1970, 1, 6), dt.datetime(2024, 7, 3)]  # noqa: DTZ001 - without a zone
    for every in ("1w", "2w", "3w"):
        assert aj.array([times]).dt.floor(every).to_list() == [pl.Series(times).dt.truncate(every).to_list()]


def test_ties_round_up_and_weeks_begin_on_mondays() -> None:
    x = aj.array([[dt.datetime(2024, 2, 28, 12), dt.datetime(1969, 12, 31, 12)]])  # noqa: DTZ001 - without a zone
    assert x.dt.round("1d").dt.date().to_list() == [[dt.date(2024, 2, 29), dt.date(1970, 1, 1)]]
    assert x.dt.floor("1w").dt.weekday().to_list() == [[0, 0]]


@pytest.mark.parametrize(
    ("every", "said"),
    [
        ("15min", "write '15m'"),
        ("1D", "write '1d'"),
        ("ME", "write '1mo'"),
        ("h", "write '1h'"),
        ("0h", "write '1h'"),
        ("1x", "is not a length"),
    ],
)
def test_lengths_of_pandas_are_refused_with_ours(every: str, said: str) -> None:
    with pytest.raises(JagValueError, match=said):
        aj.array([[dt.datetime(2024, 7, 1)]]).dt.floor(every)  # noqa: DTZ001 - without a zone


def test_values_that_do_not_fit_raise() -> None:
    x = aj.array([[2**62]]).cast(pa.timestamp("s"))
    with pytest.raises(JagValueError, match=r"dt\.year: in row .*, a time is outside of the years"):
        x.dt.year()
    with pytest.raises(JagRangeError, match=r"dt\.timestamp: .*does not fit 64 bits of ms"):
        x.dt.timestamp("ms")
    end = aj.array([[2**63 - 1]]).cast(pa.timestamp("ns"))
    with pytest.raises(JagRangeError, match=r"dt\.ceil: .*Cast to a coarser unit"):
        end.dt.ceil("1h")
    with pytest.raises(JagRangeError, match=r"dt\.ceil"):
        end.dt.ceil("1y")
    with pytest.raises(JagRangeError, match=r"dt\.date: in row .*, the wall time"):
        end.cast(pa.timestamp("ns", "Europe/Paris")).dt.date()
    with pytest.raises(JagValueError, match="24:00"):
        aj.array([[dt.time(23, 59)]]).dt.ceil("1h")
    with pytest.raises(JagValueError, match="not a whole number of s"):
        aj.array([[1]]).cast(pa.timestamp("s")).dt.floor("1500ms")
    with pytest.raises(JagValueError, match="no fixed length"):
        aj.array([[dt.timedelta(1)]]).dt.floor("1mo")
    with pytest.raises(JagTypeError, match="every must be a str"):
        aj.array([[dt.timedelta(1)]]).dt.floor(5)  # type: ignore[arg-type]
    with pytest.raises(JagValueError, match="unit must be 's', 'ms', 'us' or 'ns'"):
        end.dt.timestamp("h")


@pytest.mark.parametrize("name", sorted({*ref.DATE_FIELDS, *ref.CLOCK_FIELDS, "date", "time", "total_seconds"}))
def test_other_leaves_are_refused(name: str) -> None:
    for leaf in (pa.int64(), pa.string(), pa.month_day_nano_interval()):
        with pytest.raises(JagTypeError, match=rf"dt\.{name} has no kernel for"):
            getattr(aj.array([], type=leaf, ndim=2).dt, name)()
    wrong = pa.date32() if name in ref.CLOCK_FIELDS or name in ("time", "total_seconds") else pa.time32("s")
    with pytest.raises(JagTypeError, match="It takes"):
        getattr(aj.array([], type=wrong, ndim=2).dt, name)()


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("under", [0, 5, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("name", [*sorted(ref.CLOCK_FIELDS), "date", "time", "timestamp", "floor", "ceil"])
def test_data_under_a_null_does_not_change_fields_of_times(name: str, under: int, zone: str | None) -> None:
    arguments = {"timestamp": ("ns",), "floor": ("1d",), "ceil": ("1d",)}.get(name, ())
    for unit in ("s", "ns"):
        counts = [77, 10**9, under, 10**9 + 5]
        buffers = [pa.py_buffer(b"\x0b"), pa.py_buffer(np.array(counts))]
        values = pa.Array.from_buffers(pa.timestamp(unit, zone), 4, buffers)[1:]
        found = getattr(aj.from_sizes(values, [3]).dt, name)(*arguments)
        first, last = getattr(aj.from_sizes(values.drop_null(), [2]).dt, name)(*arguments).to_list()[0]
        assert found.to_list() == [[first, None, last]]


def test_columns_of_nulls_count_as_timestamps() -> None:
    assert aj.array([[None], None]).dt.year().to_list() == [[None], None]


def test_hosts() -> None:
    rows = [[dt.datetime(2024, 2, 29, 13), None], None]  # noqa: DTZ001 - without a zone
    df = pl.DataFrame({"v": rows, "t": [dt.date(2024, 2, 29), None]})
    lazy = df.lazy().select(v=pl.col("v").jag.dt.floor("1d").jag.dt.weekday(), t=pl.col("t").jag.dt.month())
    assert dict(lazy.collect_schema()) == {"v": pl.List(pl.Int64), "t": pl.Int64}
    assert lazy.collect(engine="streaming").to_dict(as_series=False) == {"v": [[3, None], None], "t": [2, None]}
    assert df["v"].jag.dt.hour().to_list() == [[13, None], None]
    s = pd.Series(rows, dtype="jagged[timestamp[us], 2]")
    assert s.jag.dt.hour().jag.to_list() == [[13, None], None]
    assert pd.Series(pd.to_datetime(["2024-02-29", None])).jag.dt.month().tolist() == [2, pd.NA]


LENGTHS = {
    "ns": 1,
    "us": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
    "w": 7 * 86_400 * 10**9,
}
OF_PANDAS = {
    "min": "m",
    "T": "m",
    "H": "h",
    "D": "d",
    "W": "w",
    "S": "s",
    "L": "ms",
    "U": "us",
    "N": "ns",
    "M": "mo",
    "ME": "mo",
    "MS": "mo",
    "Q": "q",
    "QE": "q",
    "QS": "q",
    "A": "y",
    "Y": "y",
    "YE": "y",
    "YS": "y",
}


def test_the_length_of_every_unit() -> None:
    for unit, length in LENGTHS.items():
        found = every_of(f"3{unit}", "x")
        assert (found.nanoseconds, found.months) == (3 * length, 0)
        assert found.origin == (4 * LENGTHS["d"] if unit == "w" else 0)
    for unit, months in {"mo": 1, "q": 3, "y": 12}.items():
        found = every_of(f" 5{unit} ", "x")
        assert (found.nanoseconds, found.months, found.origin) == (0, 5 * months, 0)


@pytest.mark.parametrize("unit", OF_PANDAS)
def test_units_of_pandas_name_ours(unit: str) -> None:
    for number, told in (("2", "2"), ("0", "1"), ("", "1")):
        with pytest.raises(
            aj.JagValueError, match=rf"^x: '{number}{unit}' is not a length of time.*; write '{told}{OF_PANDAS[unit]}'$"
        ):
            every_of(f"{number}{unit}", "x")


@pytest.mark.parametrize("text", ["", "5", "h", "0h", "-1h", "1.5h", "1 h", "1fortnight", "1h30m"])
def test_text_that_is_no_length_of_time(text: str) -> None:
    with pytest.raises(
        aj.JagValueError, match="is not a length of time, expected a number and one of ns, us, ms, s, m, h, d, w, mo, q, y"
    ):
        every_of(text, "x")
    assert every_of("0h", "x", 0).nanoseconds == 0


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no tzset")
@pytest.mark.parametrize(
    ("zone", "first"),
    [
        ("America/Caracas", 1_167_609_600),  # 2007 ends with another offset than it began with
        ("Africa/Casablanca", 2_903_299_200),  # so does 2062 in older versions of the zones: the fast begins in December
        ("Europe/Berlin", 2_903_299_200),
    ],
)
def test_the_zone_of_the_machine_does_not_matter(zone: str, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = np.arange(first, first + 366 * 86_400, 1_800)
    offsets = [dt.datetime.fromtimestamp(one, zoneinfo.ZoneInfo(zone)).utcoffset() for one in seconds.tolist()]
    wanted = [one.total_seconds() for one in offsets if one is not None]
    assert len({*wanted}) > 1 or zone == "Africa/Casablanca"
    try:
        for here in ("Asia/Tokyo", "America/New_York"):
            monkeypatch.setenv("TZ", here)
            time.tzset()
            times._of_year.cache_clear()
            assert times.offsets_at(zone, seconds).tolist() == wanted
    finally:
        monkeypatch.undo()
        time.tzset()
        times._of_year.cache_clear()


def seconds_of(year: int, *rest: int) -> int:
    return int(dt.datetime(year, *rest, tzinfo=dt.UTC).timestamp())  # type: ignore[misc]


def offset_of(zone: str, second: int) -> int:
    """The offset by Python, whose calendar ends in 9999: cycles of 400 years are taken off later instants."""
    while second >= seconds_of(9990, 1, 1):
        second -= 146_097 * 86_400
    offset = dt.datetime.fromtimestamp(second, zoneinfo.ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


ZONES = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago", "Africa/Casablanca"]


def changes_of(zone: str, year: int) -> list[int]:
    """The first second of each offset but the first in a year, and one without a change."""
    begin = seconds_of(year, 1, 1)
    found = [begin + 12_345]
    for day in range(begin, seconds_of(year + 1, 1, 1), 86_400):
        if offset_of(zone, day) != offset_of(zone, day + 86_400):
            low, high = day, day + 86_400
            while high > low + 1:
                middle = low + (high - low) // 2
                low, high = (middle, high) if offset_of(zone, middle) == offset_of(zone, day) else (low, middle)
            found.append(high)
    return found


@pytest.mark.parametrize("zone", ZONES)
def test_offsets_and_instants_around_each_change(zone: str) -> None:
    years = (2038, 2040, 2100, 2400, 9969)
    changes = [change for year in years for change in changes_of(zone, year)]
    changes += [change + 146_097 * 86_400 for change in changes_of(zone, 9969)]
    changes += [seconds_of(year, 1, 1) for year in years]
    seconds = np.array([change + step for change in changes for step in (-3700, -2, -1, 0, 1, 2, 3700)])
    offsets = times.offsets_at(zone, seconds)
    assert offsets.tolist() == [offset_of(zone, second) for second in seconds.tolist()]
    wall = np.concatenate((seconds + offsets, seconds + offset_of(zone, seconds_of(2040, 1, 1))))
    instants, counts = times.instants_of(zone, wall)
    assert counts.dtype == np.int8
    ahead = sorted({offset_of(zone, change + step) for change in changes for step in (-1, 0)})
    for one, instant, count in zip(wall.tolist(), instants.tolist(), counts.tolist(), strict=True):
        fitting = [one - offset for offset in ahead if offset_of(zone, one - offset) == offset]
        assert count == len(fitting)
        assert not fitting or instant == min(fitting)
        assert fitting or instant in changes


@pytest.mark.parametrize(("zone", "offset"), [("+05:30", 19_800), ("-05:30", -19_800), ("+00:00", 0), ("-11:01", -39_660)])
def test_offsets_that_never_change(zone: str, offset: int) -> None:
    seconds = np.array([2**31, 2**40, 2**50])
    assert times.offsets_at(zone, seconds).tolist() == [offset] * 3
    instants, counts = times.instants_of(zone, seconds)
    assert instants.tolist() == (seconds - offset).tolist()
    assert counts.tolist() == [1] * 3
    assert times.name_at(zone, 2**40) == zone.replace(":", "")
    assert times.offset_text(offset) == zone.replace(":", "") or zone == "-00:00"


@pytest.mark.parametrize("zone", [*ZONES, "America/Sao_Paulo"])
def test_names_of_zones_repeat_after_400_years(zone: str) -> None:
    for second in (seconds_of(2040, 1, 15), seconds_of(2040, 7, 15), seconds_of(9969, 7, 15), seconds_of(9971, 7, 15)):
        name = dt.datetime.fromtimestamp(second, zoneinfo.ZoneInfo(zone)).tzname()
        assert times.name_at(zone, second) == name
        if second > seconds_of(9900, 1, 1):
            assert times.name_at(zone, second + 20 * 146_097 * 86_400) == name


def test_spans_in_ticks() -> None:
    hour = dt.timedelta(hours=1)
    for span in ("1h", "60m", hour, np.timedelta64(1, "h"), pa.scalar(hour), pa.scalar(3600, pa.duration("s"))):
        assert time_buckets.as_ticks(span, pa.timestamp("ms"), "x") == 3_600_000
        assert time_buckets.as_ticks(span, pa.duration("s"), "x") == 3600
        assert time_buckets.as_ticks(span, pa.date32(), "x") == 0
    assert time_buckets.as_ticks("2d", pa.date32(), "x") == 2
    assert time_buckets.as_ticks("2d", pa.date64(), "x") == 2 * 86_400_000
    assert time_buckets.as_ticks("0s", pa.timestamp("s"), "x") == 0
    for span in (1, None, pa.scalar(5), pa.scalar(None, pa.duration("s"))):
        text = f"^x must be a length of time such as '5m' or '1d', or a timedelta, got {type(span).__name__}$"
        with pytest.raises(JagTypeError, match=text):
            time_buckets.as_ticks(span, pa.timestamp("s"), "x")
    with pytest.raises(JagValueError, match=r"^x: months have no fixed length, got '1mo'; give days$"):
        time_buckets.as_ticks("1mo", pa.timestamp("s"), "x")


def test_casts_of_zoned_times_cut_fractions_where_asked() -> None:
    text = aj.array([["2020-07-01 12:00:00.5", "2050-07-01 12:00:00.5"], ["2050-01-01 12:00:00.5"], ["2020-07-01 12:00:00.5"]])
    x = text.str.to_datetime("%Y-%m-%d %H:%M:%S.%f")
    zoned = x.dt.tz_localize("Europe/Berlin")
    for part in (zoned, zoned[1:2], zoned[2:]):
        with pytest.raises(aj.JagError, match=r"^cast: "):
            part.cast(pa.time32("s"))
        assert set(part.cast(pa.time32("s"), safe=False).values.to_pylist()) == {dt.time(12)}


@pytest.mark.parametrize("zone", ["UTC", "-00:15", "America/New_York", "Australia/Lord_Howe", "Africa/Monrovia"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_zoned_times_become_the_text_that_arrow_writes(unit: str, zone: str) -> None:
    """Around changes of the offset, before standard time, and of years of any length where the unit holds them."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    counts = [*range(-2 * 10**9, 2 * 10**9, 7_654_321), *([-62_135_596_800 - 400 * 86_400] if unit != "ns" else [])]
    values = pa.array([None, *(count * per_second for count in counts), None]).cast(pa.timestamp(unit, zone))
    for part in (values, values[5:9], values[:0], values[:1]):
        for type in (pa.string(), pa.large_string(), pa.string_view()):
            assert aj.from_sizes(part, [len(part)]).cast(type).values.equals(part.cast(type))


@pytest.mark.parametrize("type", ["date32", "date64", "timestamp[s]", "timestamp[ns]", "timestamp[us, tz=Europe/Paris]"])
def test_text_in_lists_and_arrays_is_a_time(type: str) -> None:
    texts = ["2024-01-01", "2024-01-02"]
    x = aj.array([[dt.date(2024, 1, 1), dt.date(2024, 1, 3)], None])
    x = x.cast("timestamp[us]").dt.tz_localize("Europe/Paris") if "tz" in type else x.cast(type)
    for some in (texts, np.array(texts), [texts, []], [*texts, None]):
        assert x.is_in(some).to_list() == [[True, False], None]
    assert x.translate(np.array(texts), [1, 2]).to_list() == [[1, None], None]
    assert (x > np.array(texts)).to_list() == [[False, True], None]
    assert x.contains(texts).to_list() == [True, None]
    assert x.searchsorted(texts).to_list() == [0, None]
    assert x.fill_null_rows([texts, texts]).lengths().to_list() == [2, 2]
    assert x.union([texts, texts]).lengths().to_list() == [3, None]
    assert x.difference([texts, texts]).lengths().to_list() == [1, None]
    with pytest.raises(JagValueError, match=r"is_in: text beside .* must be an ISO 8601 time"):
        x.is_in(np.array(["soon"]))
    with pytest.raises(JagTypeError, match="no common type"):
        x.is_in(aj.array(texts))


def test_structs_with_instants_of_two_zones_compare_by_value() -> None:
    def structs(zone: str, seconds: list[list[int] | None]) -> aj.JaggedArray:
        leaf = pa.struct([("at", pa.struct([("t", pa.timestamp("s", zone))])), ("k", pa.int8())])
        return aj.array([row and [{"at": {"t": one}, "k": 1} for one in row] for row in seconds], type=leaf)

    x, y = structs("Europe/Paris", [[5, 9], None]), structs("America/New_York", [[5, 7], [1]])
    assert (x == y).to_list() == [[True, False], None]
    assert (x > y).to_list() == [[False, True], None]
    assert (x != y.values[0]).to_list() == [[False, True], None]
    assert x.is_in(y).to_list() == x.is_in(y.values).to_list() == [[True, False], None]
    assert x.index_of(y[:, 0]).to_list() == [0, None]
    assert y.contains(x[:, 0]).to_list() == [True, None]


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_instants_of_two_zones_are_found_by_value(unit: str) -> None:
    instants = [[0, 3600, 7200], [], None, [3600, None]]
    paris = aj.array(instants, type="int64").cast("timestamp[s]").dt.tz_localize("UTC").cast(f"timestamp[{unit}, tz=Europe/Paris]")
    one = dt.datetime(1970, 1, 1, 1, tzinfo=dt.UTC)
    same = [[False, True, False], [], None, [True, None]]
    for other in (one, aj.array([one] * 4)):
        assert (paris == other).to_list() == same
        assert (other <= paris).to_list() == [[False, True, True], [], None, [True, None]]
        assert paris.contains(other).to_list() == [True, False, None, True]
        assert paris.index_of(other).to_list() == [1, None, None, 0]
        assert paris.searchsorted(other).to_list() == [1, 0, None, 0]
        assert paris.remove(other).cast("int64").equals(paris[~(paris == other).fill_null(False)].cast("int64"))
        clipped = paris.clip(other, other)
        assert clipped.type.tz == "Europe/Paris"
        assert clipped.to_list() == [[one, one, one], [], None, [one, None]]
    assert paris.is_in([one]).to_list() == same
    utc = paris.cast("timestamp[ms, tz=UTC]")
    assert paris.is_in(utc).to_list() == [[True, True, True], [], None, [True, None]]
    assert aj.asof(paris, utc, utc, tolerance=dt.timedelta(0)).equals(utc)
    words = aj.array(pa.ListArray.from_arrays([0, 3], paris.values[:3].dictionary_encode()))
    assert (words == utc[:1]).to_list() == words.is_in(utc[:1]).to_list() == [[True] * 3]
    with pytest.raises(JagTypeError, match="no common type"):
        paris.union(utc)
