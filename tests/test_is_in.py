"""is_in."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag.errors import JagTypeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import EQUAL
from tests.operands import with_frame
from tests.reference import Jag

ndims = st.integers(1, 3)


@given(st.data())
def test_is_in_a_flat_set(data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    leaf = data.draw(leaf_types(*EQUAL))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    values = data.draw(jagged_arrays(1, leaf, small=True))
    assert_lists_equal(x.is_in(values).to_list(), ref.is_in(Jag(x.to_list(), ndim), Jag(values.to_list(), 1)))


@given(st.data())
def test_is_in_row_by_row(data: st.DataObject) -> None:
    ndim, more = data.draw(st.integers(2, 3)), data.draw(st.integers(-1, 1))
    sets, x = with_frame(data, ndim, ndim - 1 + more, pa.float32())
    assert_lists_equal(x.is_in(sets).to_list(), ref.is_in(Jag(x.to_list(), x.ndim), Jag(sets.to_list(), ndim)))


def test_sets_of_python() -> None:
    x = aj.array([["a", None], ["b"]])
    assert x.is_in({"a"}).to_list() == x.is_in(["a", None]).to_list() == [[True, None], [False]]
    assert x.is_in([]).to_list() == [[False, None], [False]]
    assert aj.array([[1, 2]], type=pa.int8(), ndim=2).is_in([1.0]).to_list() == [[True, False]]
    with pytest.raises(JagTypeError, match=r"is_in: .* have no common type"):
        x.is_in([1])


def test_a_null_set_gives_null() -> None:
    x = aj.array([[1, 2], [3]])
    assert x.is_in([[1], None]).to_list() == [[True, False], None]
    assert aj.array([[1], None]).contains([1, 1]).to_list() == [True, None]


@pytest.mark.parametrize("type", ["float16", "float32"])
def test_floats_of_python_take_the_type_of_the_items(type: str) -> None:
    x = aj.array([[0.1, 0.2, None]], type=type)
    assert x.is_in([0.1, 0.7]).to_list() == (x == 0.1).to_list() == [[True, False, None]]
    assert x.is_in([1e300]).to_list() == [[False, False, None]]


@pytest.mark.parametrize("type", [pa.decimal128(3, 1), pa.float64(), pa.float32(), pa.int64()])
def test_a_set_may_mix_decimals_integers_and_floats(type: pa.DataType) -> None:
    x = aj.array([[7, 2, None]]).cast(type)
    for mixed in ([1.5, 7], [Decimal("1.5"), 7], [Decimal("7.0"), 7.5], [Decimal(7), np.float64(1.5), 9], [7, None, 1.5]):
        assert x.is_in(mixed).to_list() == [[True, False, None]]
    assert aj.array([[Decimal("1.5"), Decimal("7.0")]]).is_in([np.int8(7), Decimal("1.5")]).to_list() == [[True, True]]


@pytest.mark.parametrize("far", [pa.timestamp("us"), pa.timestamp("s"), pa.timestamp("ms")])
def test_times_beyond_the_finer_unit_are_found_by_value(far: pa.DataType) -> None:
    late, early = (pa.array([at]).cast(pa.timestamp("us")).cast(far)[0] for at in (253_402_214_400_000_000, 86_400_000_000))
    x = aj.array([[86_400_000_000_000, None, 1]]).cast("timestamp[ns]")
    assert x.is_in(pa.array([late.as_py(), early.as_py()], far)).to_list() == [[True, None, False]]
    assert (x.contains(late).to_list(), x.contains(early).to_list()) == ([False], [True])
    assert (x.index_of(late).to_list(), x.index_of(early).to_list()) == ([None], [0])
    assert x.remove(late).values.equals(x.values)
    assert x.drop_nulls().sort().searchsorted(aj.array([late.as_py()], type=far)).to_list() == [2]


@pytest.mark.parametrize("type", ["timestamp[s]", "timestamp[us]", "timestamp[ns]"])
def test_dates_beside_times_are_midnight(type: str) -> None:
    """As in comparisons; the year 9999 does not fit nanoseconds."""
    x = aj.array([["2024-01-01", "2024-01-01T05:00:00", None], [], None]).cast(type)
    day, far = dt.date(2024, 1, 1), dt.date(9999, 1, 1)
    expected = [[True, False, None], [], None]
    for days in ([day], [np.datetime64(day)], [day, far], pa.array([day]).cast("date64"), pa.array([day]).dictionary_encode()):
        assert x.is_in(days).to_list() == (x == day).to_list() == expected
    assert x.contains(day).to_list() == [True, False, None]
    assert aj.array([[day, far], [day], None]).is_in(x).to_list() == [[True, False], [False], None]


def test_dates_and_wall_times_beside_instants_of_a_zone_raise() -> None:
    with pytest.raises(JagTypeError, match=r"is_in: timestamp\[us, tz=UTC\] and date32\[day\] have no common type"):
        aj.array([[0]]).cast("timestamp[us, tz=UTC]").is_in([dt.date(2024, 1, 1)])
    with pytest.raises(JagTypeError, match=r"is_in: timestamp\[s, tz=UTC\] and timestamp\[ms\] have no common type"):
        aj.array([[0]]).cast("timestamp[s, tz=UTC]").is_in(pa.array([1000]).cast("timestamp[ms]"))


@pytest.mark.parametrize("type", ["int8", "uint8", "int64", "uint64"])
def test_members_that_the_type_of_the_items_does_not_hold_are_no_items(type):
    data = np.array([0, 1, 7, 127], type)
    x = aj.from_sizes(pa.array(data, mask=data == 1), [3, 0, 1])
    for members in (pa.array([7, -1, None, 2**40]), pa.array([7, 2**64 - 1, None], pa.uint64()), pa.array([7], pa.int16())):
        assert x.is_in(aj.array(members)).to_list() == [[False, None, True], [], [False]]
    limits = np.iinfo(type)
    ends = aj.from_sizes(pa.array(np.array([limits.min, limits.max], type)), [2])
    assert ends.is_in([limits.min, limits.max]).to_list() == [[True, True]]
    assert ends.is_in([limits.min - 1, limits.max + 1]).to_list() == [[False, False]]


@pytest.mark.parametrize(
    ("coarse", "fine", "counts"),
    [
        ("time32[s]", "time64[us]", "int32"),
        ("duration[ms]", "duration[ns]", "int64"),
        ("timestamp[s]", "timestamp[us]", "int64"),
        ("timestamp[ms, tz=UTC]", "timestamp[ns, tz=UTC]", "int64"),
    ],
)
def test_members_in_a_finer_unit_equal_the_items_whose_time_they_are(coarse, fine, counts):
    x = aj.array([[1, 2, None], [3]]).cast(counts).cast(coarse)
    assert x.is_in(aj.array([2 * 10**6, 3 * 10**6 + 1, None]).cast(fine)).to_list() == [[False, True, None], [False]]
    assert x.cast(fine).is_in(aj.array([2, 9]).cast(counts).cast(coarse)).to_list() == [[False, True, None], [False]]
