"""Durations multiplied and divided: by numbers and by durations, as numpy's timedelta64 and Python's timedelta."""

from __future__ import annotations

import datetime as dt
import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from tests import reference as ref
from tests.along import as_list
from tests.hosts import pd, pl
from tests.surfaces import SURFACES

COUNTS = st.none() | st.integers(-(10**6), 10**6)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1), st.sampled_from(["s", "ms", "us", "ns"]), st.integers(0, 3))
def test_floors_and_remainders_are_those_of_integers(pairs: list[tuple[Any, Any]], unit: str, first: int) -> None:
    leaf = pa.duration(unit)
    one, two = (aj.from_sizes(pa.array(side, pa.int64()), [0, len(side)])[first % 2 :] for side in zip(*pairs, strict=True))
    x, y = one.cast(leaf), two.cast(leaf)
    assert (x // y).equals(one // two)
    assert (x % y).equals((one % two).cast(leaf))
    assert (x // two).equals((one // two).cast(leaf))
    assert [got.to_list() for got in divmod(x, y)] == [(x // y).to_list(), (x % y).to_list()]


@given(st.lists(COUNTS, min_size=1), st.sampled_from([1.5, -0.25, 1e-9, 1e6, -3.7, 1 / 3]) | st.floats(0.001, 1e6))
def test_products_and_quotients_by_floats_are_rounded_toward_zero(counts: list[Any], factor: float) -> None:
    x = aj.from_sizes(pa.array(counts, pa.duration("s")), [len(counts), 0])

    def seconds(found: aj.JaggedArray) -> Any:
        assert found.type == pa.duration("s")
        return found.cast("int64").to_list()[0]

    assert seconds(x * factor) == seconds(factor * x) == [None if one is None else int(one * factor) for one in counts]
    assert seconds(x / factor) == [None if one is None else int(one / factor) for one in counts]
    assert seconds(x // factor) == [None if one is None else int(np.floor_divide(float(one), factor)) for one in counts]


@pytest.mark.parametrize("leaf", [pa.int8(), pa.uint8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_every_type_of_numbers_per_row(leaf: pa.DataType) -> None:
    three, six = dt.timedelta(seconds=3), dt.timedelta(seconds=6)
    x = aj.array([[three, None], [-three], [], [three]])
    factor = aj.array([2, 1, 1, None]).cast(leaf)
    for values in (x, aj.from_sizes(x.values.dictionary_encode(), [2, 1, 0, 1])):
        assert (values * factor).to_list() == (factor * values).to_list() == [[six, None], [-three], [], [None]]
        assert (values // factor).to_list() == (values / factor).to_list() == [[three / 2, None], [-three], [], [None]]


def test_products_with_integers_are_exact() -> None:
    count = 2**53 + 1  # has no float64
    x = aj.array([[count, -count]]).cast(pa.duration("ns"))
    for found in (x * 3, 3 * x, x * aj.array([3]), aj.array([3]) * x):
        assert found.cast("int64").to_list() == [[3 * count, -3 * count]]


def test_nulls_alone_give_nulls() -> None:
    x = aj.array([[dt.timedelta(seconds=3), None], []])
    nulls = aj.array([None, None])
    for found in (x * nulls, nulls * x, x / nulls, x // nulls):
        assert found.type == x.type
        assert found.to_list() == [[None, None], []]
    for found, type in ((nulls // x, pa.int64()), (nulls % x, x.type), (x % nulls, x.type), (x * None, x.type), (None * x, x.type)):
        assert found.type == type
        assert found.to_list() == [[None, None], []]
    with pytest.raises(JagTypeError, match="multiply has no kernel for duration"):
        x * x


def test_a_divisor_beyond_int64_is_refused() -> None:
    with pytest.raises(JagValueError, match="floor_divide"):
        aj.array([[dt.timedelta(seconds=1)]]) // aj.array([[2**63]], type=pa.uint64())


def test_units_differ() -> None:
    x = aj.array([[dt.timedelta(seconds=90), None], [dt.timedelta(days=-1)]]).cast("duration[s]")
    week = dt.timedelta(seconds=7, microseconds=500_000)
    expected = [[Fraction(90) // Fraction(15, 2), None], [Fraction(-86_400) // Fraction(15, 2)]]
    assert (x // week).to_list() == expected
    assert (x % week).type == pa.duration("us")
    assert (x % week).to_list() == [[dt.timedelta(0), None], [dt.timedelta(0)]]


def test_zero_nan_and_infinity() -> None:
    x = aj.array([[dt.timedelta(seconds=1), None]])
    zero = dt.timedelta(0)
    for found in (x // zero, x % zero, x // 0, x // 0.0, x / 0.0, x * float("nan"), x / float("nan")):
        assert found.to_list() == [[None, None]]
    assert (x / float("inf")).to_list() == [[zero, None]]
    half = aj.array([[2**62]]).cast(x.type)  # of the smallest float64 that is no int64
    assert (half * 1.5).cast("int64").to_list() == [[2**62 + 2**61]]
    for call in (lambda: x * float("inf"), lambda: x * 1e300, lambda: x * -1e300, lambda: x / 1e-300, lambda: half * 2.0):
        with pytest.raises(JagOverflowError, match=r"does not fit duration\[us\]"):
            call()
    assert (x.filter(False) * 1e300).to_list() == [[]]
    assert (aj.array([[None]], type=pa.duration("s")) * 1e300).to_list() == [[None]]


@pytest.mark.parametrize(
    ("call", "other"),
    [
        (operator.mod, 2),
        (operator.mod, 2.5),
        (operator.floordiv, Decimal(2)),
        (operator.floordiv, True),
        (operator.add, 2.5),
        (operator.sub, 2.5),
    ],
)
def test_what_has_no_meaning_is_refused(call: Any, other: Any) -> None:
    x = aj.array([[dt.timedelta(seconds=1)]])
    with pytest.raises(JagTypeError, match="no kernel"):
        call(x, aj.array([[other]]))
    with pytest.raises(JagTypeError, match="no kernel"):
        call(2, x)
    with pytest.raises(JagTypeError, match="no kernel"):
        call(2.5, x)


def test_a_number_is_not_divided_by_durations_nor_a_duration_multiplied_by_one() -> None:
    x = aj.array([[dt.timedelta(seconds=1)]])
    for call in (lambda: 2.5 / x, lambda: 2.5 // x, lambda: x * x):
        with pytest.raises(JagTypeError, match="no kernel"):
            call()


def test_the_same_in_traced_functions_and_polars() -> None:
    x = aj.array([[dt.timedelta(seconds=3), None], [], None])
    for function in (lambda v: v * 1.5, lambda v: v / 2.0, lambda v: v // 2, lambda v: v // dt.timedelta(seconds=2)):
        expected = function(x)
        assert aj.jit(function)(x).equals(expected)
        frame = pl.DataFrame({"v": x.to_list()})
        for engine in ("in-memory", "streaming"):
            found = frame.lazy().select(function(pl.col("v").jag)).collect(engine=engine)["v"]
            assert found.to_list() == expected.to_list()
        assert function(x.to_pandas().jag).jag.to_list() == expected.to_list()


MINUTES = aj.array([[1, 120, None], [0], None], type=pa.int64()) * dt.timedelta(minutes=1)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_text_beside_durations_is_a_length_of_time(unit: str) -> None:
    x, half = MINUTES.cast(pa.duration(unit)), dt.timedelta(minutes=30)
    for name in ("lt", "le", "eq", "ne", "gt", "ge"):
        assert getattr(operator, name)(x, "30m").equals(getattr(operator, name)(x, half))
    assert (x + "30m").equals(x + half)
    assert ("30m" - x).equals(half - x)
    assert (x / "30m").equals(x / half)
    assert x.fill_null("30m").equals(x.fill_null(half))
    assert x.clip("1s", "1h").equals(x.clip(half / 1800, 2 * half))
    assert x.is_in(["1m", None]).equals(x.is_in([dt.timedelta(minutes=1), None]))
    assert x.replace("1m", "2m").equals(x.replace(dt.timedelta(minutes=1), dt.timedelta(minutes=2)))
    assert (x < ["30m", "1h", "1d"]).equals(x < [half, 2 * half, 48 * half])
    assert (x > "1500ns").to_list() == [[True, True, None], [False], None]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("30min", "fill_null: '30min' is not a length of time, expected .*; write '30m'"),
        ("1mo", "fill_null: months have no fixed length, got '1mo'; give days"),
        ("9223372036854775807d", r"fill_null: '9223372036854775807d' does not fit duration\[us\]"),
    ],
)
def test_text_that_is_no_length_of_time(text: str, told: str) -> None:
    with pytest.raises(JagValueError, match=told):
        MINUTES.fill_null(text)


def test_hosts_compare_durations_with_text() -> None:
    for frame in (pd.DataFrame({"d": MINUTES.to_pandas()}), pl.DataFrame({"d": MINUTES.to_polars()})):
        kept = frame.jag.nest("d", into="s").jag.query("s.d > '30m'")
        assert aj.array(kept["s"])["d"].to_list() == [[dt.timedelta(hours=2)], [], None]
    assert aj.array(pd.Series(MINUTES) > "30m").equals(MINUTES > "30m")
    lazy = pl.LazyFrame({"d": MINUTES.to_polars()}).select((pl.col("d").jag > "30m").jag.sum())
    assert lazy.collect(engine="streaming")["d"].to_list() == [1, 0, None]


def test_operations_without_a_kernel_say_how_durations_become_numbers() -> None:
    for call in (MINUTES.var, MINUTES.skew, lambda: MINUTES.rolling_var(2)):
        with pytest.raises(JagTypeError, match=r"(var|skew) has no kernel for duration.*x\.dt\.total_seconds\(\)"):
            call()


@pytest.mark.parametrize("unit", ["ms", "ns"])
@pytest.mark.parametrize("start", [0, 2**62])
def test_deviations_of_durations_are_durations(unit: str, start: int) -> None:
    """They have the unit of the items, and stay exact beyond 2**53, where float64 would round the items."""
    near = [[1, 4, None, 9], None, [], [5], [0, -7, 3, 3, 100]]
    rows = [row and [None if one is None else start + one for one in row] for row in near]
    x = aj.array(rows, ndim=2, type=pa.int64()).cast(pa.duration(unit))

    def rounded(found: Any) -> Any:
        return None if found is None else round(found) if isinstance(found, float) else [rounded(one) for one in found]

    for name in ("std", "sem", "mad"):
        for axis in (-1, 0, None):
            expected = rounded(ref.reduction(name, near, 2, axis))
            found = getattr(x, name)(axis)
            assert found.type == x.type
            assert as_list(found.cast(pa.int64())) == expected
        for surface in SURFACES.values():
            assert aj.array(surface(x, name), type=x.type).equals(getattr(x, name)())
    expected = [ref.windowed("std", row, 2, min_periods=1) if row else row for row in near]
    assert x.rolling_std(2, min_periods=1).cast(pa.int64()).to_list() == rounded(expected)
    assert x.rolling_std(2).type == x.expanding().std().type == x.type
    assert x[:0].std().type == x.type
    with pytest.raises(JagOverflowError, match=r"std: a result does not fit duration\[ns\]"):
        aj.array([[-(2**63) + 1, 2**63 - 1]]).cast(pa.duration("ns")).std()
