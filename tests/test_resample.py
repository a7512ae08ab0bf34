"""resample."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._ops import resample
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, prefix_arrays
from tests import reference as ref

HOWS = [how for how in resample.HOWS if how not in ("any", "all")]  # which take booleans


@pytest.mark.parametrize("block", [None, 1, 4])
@given(st.data())
def test_resample_agrees_with_the_oracle(block: int | None, data: st.DataObject) -> None:
    ndim, how, every = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(HOWS)), data.draw(st.integers(1, 9))
    t, y = data.draw(prefix_arrays((ndim, ndim), (data.draw(st.sampled_from([pa.int8(), pa.float64()])), pa.int16())))
    t = t.round() if t.type == pa.float64() else t
    if t.type == pa.float64():
        t = aj.where(abs(t) < 100, t, None)
    blocks = {"CALL_VALUES": 0, **dict.fromkeys(("THREAD_VALUES", "CACHE_VALUES", "PASS_VALUES"), block)} if block else {}
    with strategy.force(**blocks):
        got = aj.resample(t, y, every, how)
    assert_lists_equal(got.to_list(), ref.resample(t.to_list(), y.to_list(), ndim, every, how), rel_tol=1e-9, abs_tol=1e-9)


def days(*texts: str) -> list[dt.datetime]:
    return [dt.datetime.fromisoformat(text) for text in texts]


@pytest.mark.parametrize(
    ("every", "starts"),
    [
        ("1mo", days("2024-01-01", "2024-02-01", "2024-03-01")),
        ("1q", days("2024-01-01")),
        ("1y", days("2024-01-01")),
        ("4w", []),
        (dt.timedelta(days=20), days("2024-01-18", "2024-02-07", "2024-02-27")),
    ],
)
def test_spans_of_the_calendar(every: Any, starts: list[dt.datetime]) -> None:
    t = aj.array([days("2024-01-31T05:00", "2024-03-01")])
    got = aj.resample(t, 1, every, "count")
    if every == "4w":
        assert {start.weekday() for start in got["t"].to_list()[0]} == {0}
    else:
        assert got["t"].to_list() == [starts]
    assert got["value"].sum().to_list() == [2]


@pytest.mark.parametrize("type", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ms", "UTC")])
def test_every_type_of_dates(type: pa.DataType) -> None:
    t = (
        aj.array([days("1969-12-30", "1970-01-05", "1970-01-04")])
        .cast(pa.timestamp("ns"))
        .cast(type if type != pa.timestamp("ms", "UTC") else pa.timestamp("ms"))
    )
    t = t.cast(type)
    got = aj.resample(t, aj.array([[1, 2, 4]]), "1w", "sum")
    assert got["t"].type == type
    assert got["value"].to_list() == [[5, 2]]


def test_wall_time_and_its_changes() -> None:
    t = aj.array([days("2024-03-30T22:30", "2024-03-31T22:30")], type=pa.timestamp("us", "Europe/Berlin"))
    got = aj.resample(t, 1, "1d", "count")
    starts = [one.isoformat() for one in got["t"].to_list()[0]]
    assert starts == ["2024-03-30T00:00:00+01:00", "2024-03-31T00:00:00+01:00", "2024-04-01T00:00:00+02:00"]


@pytest.mark.parametrize("every", ["15m", "1h", "2h", "1d", "1mo"])
@pytest.mark.parametrize("day", ["2024-03-31", "2024-10-27", "2096-03-25", "2096-10-28"])
def test_buckets_where_clocks_change(day: str, every: str) -> None:
    """An hour that clocks repeat is two buckets, and an hour that they skip is none."""
    instants = np.datetime64(day, "s") + np.arange(-7200, 6 * 3600, 700).astype("m8[s]")
    t = aj.array([instants]).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    got = aj.resample(t, 1, every, "count")
    starts, n = np.unique(t.dt.floor(every).dt.timestamp("s").to_numpy(), return_counts=True)
    assert got["t"].dt.timestamp("s").to_list() == [starts.tolist()]
    assert got["value"].to_list() == [n.tolist()]


def test_wall_time_after_2037() -> None:
    """Arrow's tables of daylight saving time end there."""
    t = aj.array([days("2050-07-01T21:30", "2050-07-01T22:30")], type=pa.timestamp("us", "Europe/Berlin"))
    got = aj.resample(t, 1, "1d", "count")
    # pytz, which older versions of pyarrow prefer where it is installed, shows these times with the offset of winter
    starts = [one.astimezone(dt.UTC).isoformat() for one in got["t"].to_list()[0]]
    assert starts == ["2050-06-30T22:00:00+00:00", "2050-07-01T22:00:00+00:00"]
    assert got["value"].to_list() == [[1, 1]]


@pytest.mark.parametrize("every", ["2w", "3w", "5d", "7h", "5mo", "1q"])
def test_buckets_begin_where_floor_puts_times(every: str) -> None:
    t = aj.array([days("1969-12-30", "1970-01-06", "2024-07-03T04:05")])
    begins = [aj.resample(t[:, k : k + 1], 1, every, "count")["t"] for k in range(3)]
    assert [one.to_list()[0][0] for one in begins] == t.dt.floor(every).to_list()[0]


def test_nulls_nan_and_empty_rows() -> None:
    t = aj.array([[21.0, None, 4.0, math.nan, 0.0], [], None])
    y = aj.array([[5.0, 7.0, None, 9.0, 1.0], [], [1.0]])
    got = aj.resample(t, y, 10)
    assert got.to_list() == [[{"t": 0.0, "value": 1.0}, {"t": 10.0, "value": None}, {"t": 20.0, "value": 5.0}], [], None]
    assert aj.resample(t, y, 10, "sum")["value"].to_list() == [[1.0, 0.0, 5.0], [], None]
    assert aj.resample(aj.array([3, 14]), aj.array([1, 2]), 10, "sum")["value"].to_list() == [1, 2]


def test_resample_rejects_invalid_arguments() -> None:
    t, y, d = aj.array([[0, 1]]), aj.array([[1, 2]]), aj.array([days("2024-01-01", "2024-01-02")])
    for call, said in [
        (lambda: aj.resample(t, y, 1, "spam"), r"how must be 'mean'"),
        (lambda: aj.resample(t, y, 0), r"greater than 0"),
        (lambda: aj.resample(aj.array([[0, 2**40]]), y, 1), r"row 0 would have 1099511627777 buckets.*longer `every`"),
        (
            lambda: aj.resample(aj.array([[], [3], None, [0, 2**32]]), aj.array([[], [1], None, [1, 2]]), 1),
            r"row 3 would have 4294967297 buckets, 4294967298 in all",
        ),
        (
            lambda: aj.resample(aj.array([[0, 2**24 - 1]] * 17), aj.array([[1, 2]] * 17), 1),
            r"row 0 would have 16777216 buckets, 285212672 in all",
        ),
        (lambda: aj.resample(aj.array([[0.0, 1e300]]), y, 1), r"every 1 is too small for times up to 1e\+300"),
        (lambda: aj.resample(aj.array([[-1e300, 0.0]]), y, 1), r"every 1 is too small for times up to 1e\+300"),
        (lambda: aj.resample(d, y, "1D"), r"every: '1D' is not a length of time.*; write '1d'"),
        (lambda: aj.resample(d, y, "ME"), r"every: 'ME' is not a length of time.*; write '1mo'"),
        (lambda: aj.resample(d, y, "5x"), r"every: '5x' is not a length of time"),
        (lambda: aj.resample(d, y, "100ns"), r"whole number of ticks of timestamp\[us\]"),
    ]:
        with pytest.raises(JagValueError, match=said):
            call()
    for call, said in [
        (lambda: aj.resample(t, y, "1d"), r"every must be a number"),
        (lambda: aj.resample(d, y, 5), r"every must be a length of time"),
        (lambda: aj.resample(aj.array([["a", "b"]]), y, 5), r"resample .*string"),
        (lambda: aj.resample(t, aj.array([["a", "b"]]), 5), r"mean .*string"),
    ]:
        with pytest.raises(JagTypeError, match=said):
            call()
    with pytest.raises(ShapeError, match=r"resample"):
        aj.resample(t, aj.array([[1]]), 1)


@pytest.mark.parametrize("every", ["1mo", "1w", "7d"])
def test_buckets_that_begin_before_the_first_nanosecond(every: str) -> None:
    """The first nanosecond of a timestamp is one of 1677-09-21; a bucket that would begin before it is no time of its type."""
    t = aj.from_sizes(pa.array(np.array([-(2**63) + 10**9])).view(pa.timestamp("ns")), [1])
    with pytest.raises(aj.JagRangeError, match="resample: in row 0, a bucket starts outside of the range of"):
        aj.resample(t, aj.array([[1.0]]), every)
    later = aj.from_sizes(pa.array(np.array([-(2**63) + 45 * 86_400 * 10**9])).view(pa.timestamp("ns")), [1])
    [[bucket]] = aj.resample(later, aj.array([[1.0]]), every).to_list()
    assert bucket["t"].year == 1677
    assert bucket["value"] == 1.0


def test_numbers_at_the_ends_of_64_bits() -> None:
    ends = aj.array([[-(2**63), 2**63 - 1]])
    with pytest.raises(JagValueError, match=f"row 1 would have {2**64} buckets"):
        aj.resample(aj.array([[], [-(2**63), 2**63 - 1]]), aj.array([[], [1, 2]]), 1)
    with pytest.raises(JagValueError, match=f"row 0 would have {2**64} buckets"):
        aj.resample(ends, ends, 1)
    assert aj.resample(ends, aj.array([[1, 2]]), 2**62, "sum")["value"].to_list() == [[1, 0, 0, 2]]
    with pytest.raises(aj.JagRangeError, match="starts outside of the range of int64"):  # the multiple of 3 below the first is none
        aj.resample(ends, ends, 3)


@pytest.mark.parametrize(("number", "every"), [(2**63, 1), (0, 2**63), (0, 2**70)])
def test_numbers_beyond_int64(number: int, every: int) -> None:
    with pytest.raises(aj.JagRangeError, match="starts outside of the range of int64"):
        aj.resample(aj.array([[number]], type=pa.uint64()), aj.array([[1]]), every)


@pytest.mark.parametrize("how", resample.HOWS)
def test_each_way_is_the_reduction_of_that_name(how: str) -> None:
    t, y = aj.array([[0, 1, 1, 2, 5], [], None]), aj.array([[1.0, None, 4.0, 3.0, 7.0], [], None])
    buckets = aj.array([[[1.0, None, 4.0], [3.0], [7.0]], [], None])
    y, buckets = (y > 2, buckets > 2) if how in ("any", "all") else (y, buckets)
    found = aj.resample(t, y, 2, how=how)
    assert found["t"].to_list() == [[0, 2, 4], [], None]
    assert found["value"].to_list() == getattr(buckets, how)().to_list()
