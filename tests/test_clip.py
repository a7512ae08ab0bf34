"""clip."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._ops.elementwise import operators
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.operands import jag


@given(prefix_arrays((2, 2, 1), pa.int64()))
def test_clip(operands: tuple[aj.JaggedArray, ...]) -> None:
    x, low, high = operands

    def clipped(v: int | None, a: int | None, b: int | None) -> int | None:
        if v is None:
            return None
        v = v if a is None else max(v, a)
        return v if b is None else min(v, b)

    assert x.clip(low, high).to_list() == ref.broadcast(clipped, jag(x), jag(low), jag(high))
    assert x.clip(None, 0).to_list() == ref.elementwise(lambda v: min(v, 0), jag(x))


@given(jagged_arrays(leaf=pa.float64()), st.sampled_from([None, -1.0, 0.5]), st.sampled_from([None, 0.25, 2.0, float("nan")]))
def test_clip_between_numbers_with_nulls_and_slices(x: aj.JaggedArray, low: float | None, high: float | None) -> None:
    def clipped(v: float | None) -> float | None:
        if v is None:
            return None
        v = low if low is not None and v < low else v
        return high if high is not None and v > high else v

    for one in (x, x[1:]):
        assert_lists_equal(one.clip(low, high).to_list(), ref.elementwise(clipped, jag(one)))


@pytest.mark.parametrize("type", ["float16", "float32", "float64", "int64"])
def test_a_null_bound_does_not_limit(type: str) -> None:
    x, null = aj.array([[1, None], [], [3]], type=type), pa.scalar(None, aj.array([0], type=type).type)
    assert x.clip(null, 2).to_list() == [[1, None], [], [2]]
    assert x.clip(2, null).to_list() == [[2, None], [], [3]]
    assert x.clip(null, null).to_list() == x.clip(null, None).to_list() == x.to_list()


def test_bounds_of_another_type_promote() -> None:
    assert aj.array([[1, 5]]).clip(1.5, None).to_list() == [[1.5, 5.0]]
    assert aj.array([[1, 300]], type=pa.int16()).clip(2, 100).type == pa.int16()
    assert aj.array([[1.0, None]]).clip(None, None).to_list() == [[1.0, None]]


@pytest.mark.parametrize("bounds", [("a", 1), (1, "a"), (None, "a")])
def test_a_bound_of_another_kind_is_refused_by_name(bounds) -> None:
    with pytest.raises(aj.JagTypeError, match="clip has no kernel for int64 and string"):
        aj.array([[1, 2]]).clip(*bounds)


@given(prefix_arrays((2, 2, 1), pa.int32()))
def test_clip_of_times_of_several_units(operands: tuple[aj.JaggedArray, ...]) -> None:
    numbers = [one.cast("int64").cast("duration[s]") for one in operands]
    x, low, high = (one.cast(f"duration[{unit}]") for one, unit in zip(numbers, ("ms", "ns", "us"), strict=True))
    found, wanted = x.clip(low, high), numbers[0].clip(numbers[1], numbers[2])
    assert found.type == pa.duration("ns")
    assert found.cast("duration[s]").to_list() == wanted.to_list()


TIMES = [
    *(pa.timestamp("s"), pa.timestamp("ns", "Europe/Berlin"), pa.date32(), pa.date64()),
    *(pa.time32("ms"), pa.time64("us"), pa.duration("s"), pa.duration("ns")),
]


@pytest.mark.parametrize("type", TIMES, ids=str)
@pytest.mark.parametrize("bounds", [(2, 4), (None, 3), (3, None), (5, 1)])
def test_times_between_times_of_their_type_are_limited_as_numbers_are(bounds, type: pa.DataType) -> None:
    stored, unit = pa.int32() if type.bit_width == 32 else pa.int64(), 86_400_000 if type == pa.date64() else 1
    numbers = pa.array([unit * n if n is not None else None for n in (0, 1, None, 2, 3, 4, 5, 6, None)], stored)
    low, high = (None if bound is None else pa.scalar(unit * bound, stored) for bound in bounds)
    wanted = aj.from_sizes(numbers, [3, 0, 6])[1:].clip(low, high)
    x = aj.from_sizes(numbers.view(type), [3, 0, 6])[1:]
    found = x.clip(*(None if one is None else pa.array([one]).view(type)[0] for one in (low, high)))
    assert found.values.equals(wanted.values.view(type))


@pytest.mark.parametrize("kind", ["timestamp", "duration"])
def test_bounds_of_a_coarser_unit_keep_the_type_of_the_items(kind: str) -> None:
    x = aj.array([[1, None, 5_000_000_000], [7]]).cast(f"{kind}[ns]")
    bound = pa.array([2], pa.int64()).cast(f"{kind}[s]" if kind == "timestamp" else pa.duration("s"))[0]
    found = x.clip(bound, None)
    assert found.type == x.type
    assert found.cast("int64").to_list() == [[2_000_000_000, None, 5_000_000_000], [2_000_000_000]]
    far = pa.array([2**40], pa.int64()).cast(bound.type)[0]  # beyond nanoseconds
    assert x.clip(None, far).cast("int64").to_list() == [[1, None, 5_000_000_000], [7]]


DAY, SECOND = 86_400_000, 10**6


@pytest.mark.parametrize(
    ("type", "unit", "wanted"),
    [
        (pa.date64(), DAY, (pa.date32(), 1)),
        (pa.date32(), 1, (pa.date64(), DAY)),
        (pa.time32("s"), 1, (pa.time64("us"), SECOND)),
        (pa.time64("us"), SECOND, (pa.time32("s"), 1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("bounds", [(2, 4), (None, 3), (3, None), (5, 1)])
def test_dates_and_times_between_bounds_of_another_unit_are_compared_as_integers(bounds, type, unit, wanted, monkeypatch) -> None:
    def times(numbers, type, unit):
        counts = [None if number is None else number * unit for number in numbers]
        return pa.array(counts, pa.int32() if type.bit_width == 32 else pa.int64()).view(type)

    def result(low, high):
        return x.clip(*(None if bound is None else times([bound], *other)[0] for bound in (low, high)))

    numbers, other = (0, 1, None, 2, 3, 4, 5, 6, None), wanted
    x = aj.from_sizes(times(numbers, type, unit), [3, 0, 6])[1:]
    finest, ticks = max((type, unit), wanted, key=lambda one: one[1])
    low, high = bounds
    limited = [None if n is None else min(max(n, -9 if low is None else low), 9 if high is None else high) for n in numbers]
    expected = times(limited, finest, ticks)[3:]
    monkeypatch.setattr(operators, "where", None)
    assert result(*bounds).values.equals(expected)


def test_the_least_time_is_no_missing_one() -> None:
    x = aj.from_sizes(pa.array([-(2**63), 0], pa.int64()).view(pa.timestamp("us")), [2])
    zero = pa.scalar(0, pa.timestamp("us"))
    assert x.clip(None, zero).values.equals(x.values)
    assert x.clip(zero, None).values.null_count == 0


def test_times_that_a_bound_replaces_need_not_fit_its_unit() -> None:
    old, new, far = (dt.datetime(year, 1, 1) for year in (1, 2024, 9999))  # noqa: DTZ001
    x = aj.array([[old, new], [], None, [far, None]])
    ends = [pa.scalar(dt.datetime(year, 1, 1), pa.timestamp("ns")) for year in (2000, 2100)]  # noqa: DTZ001
    assert x.clip(*ends).cast("date32").to_list() == [
        [dt.date(2000, 1, 1), dt.date(2024, 1, 1)],
        [],
        None,
        [dt.date(2100, 1, 1), None],
    ]
    near = x[:1, 1:].cast("timestamp[ns]")
    for bounds in [(old, far), (aj.array([old]), aj.array([far])), (None, far), (old, None)]:
        assert near.clip(*bounds).equals(near)
    with pytest.raises(aj.JagValueError, match=r"^clip: row 3 holds 9999-01-01 .* of timestamp\[us\], which timestamp\[ns\]"):
        x.clip(ends[0])
    with pytest.raises(aj.JagValueError, match=r"^clip: the time is 9999-.*; cast the finer times to timestamp\[us\] first$"):
        near.clip(far)
