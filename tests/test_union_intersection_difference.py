"""union, intersection and difference."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types, prefix_arrays
from tests import reference as ref
from tests.along import EQUAL, first_axis, grouped, trailing_axes

ndims = st.integers(1, 3)
EXACT = {"rel_tol": 0.0, "abs_tol": 0.0}


@pytest.mark.parametrize("name", ["union", "intersection", "difference"])
@given(st.data())
def test_set_operations_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(ndims)
    axis = data.draw(trailing_axes(ndim) | st.integers(-ndim, ndim - 1))
    leaf = data.draw(leaf_types(*EQUAL))
    first, _ = first_axis(axis, ndim)
    if isinstance(axis, int) and first < ndim - 1:  # rows below the axis are items, and need not agree
        x, y = (data.draw(jagged_arrays(ndim, leaf, small=True, null_rows=False)) for _ in range(2))
        if first > 0:
            return
        flat_x, flat_y = x.to_list(), y.to_list()
    else:
        x, y = data.draw(prefix_arrays((ndim, ndim), leaf))
        flat_x, flat_y = grouped(x.to_list(), ndim, axis)[0], grouped(y.to_list(), ndim, axis)[0]
    expected = getattr(ref, name)(flat_x, flat_y, first + 1)
    assert_lists_equal(getattr(x, name)(y, axis).to_list(), expected, **EXACT)


@pytest.mark.parametrize("day", [pa.date32(), pa.date64()])
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_dates_beside_times_are_midnight(day: pa.DataType, unit: str) -> None:
    """As they are in comparisons and `is_in`."""
    new_year, noon, later = map(dt.datetime.fromisoformat, ("2024-01-01", "2024-01-01T12:00", "2024-01-02"))
    times = aj.array([[new_year, noon], None], type=pa.timestamp(unit))
    days = aj.array([[new_year.date(), later.date()], [None]]).cast(day)
    for x, y, only_x, only_y in ((times, days, noon, later), (days, times, later, noon)):
        expected = {
            "union": [new_year, *([noon, later] if x is times else [later, noon])],
            "intersection": [new_year],
            "difference": [only_x],
            "symmetric_difference": [only_x, only_y],
        }
        for name, row in expected.items():
            assert getattr(x, name)(y).equals(aj.array([row, None], type=pa.timestamp(unit)))
    with pytest.raises(JagTypeError, match="have no common type"):
        times.cast(pa.timestamp(unit, "UTC")).union(days)
    assert days.difference(aj.array([[dt.date(9999, 1, 1)], []])).to_list()[0] == [new_year.date(), later.date()]


def test_instants_of_two_zones_are_compared_by_value() -> None:
    """As in `is_in`; only results that hold items of both columns need one zone."""
    x = aj.array([[0, 3_600_000, None], None, [0]]).cast(pa.timestamp("ms", "UTC"))
    y = aj.array([[3_600, 7], [0], [1]]).cast(pa.timestamp("s", "Europe/Paris"))
    assert x.intersection(y).equals(aj.array([[3_600_000], None, []]).cast(x.type))
    assert x.difference(y).equals(aj.array([[0], None, [0]]).cast(x.type))
    assert x.to_polars().jag.difference(y.to_polars()).to_list() == x.difference(y).to_polars().to_list()
    with pytest.raises(JagTypeError, match=r"union: .* have no common type"):
        x.union(y)


def test_sets_of_other_sizes_than_each_other() -> None:
    x, y = aj.array([[1, 2, 2, None], None, [], [3]]), aj.array([[2, 5], [1], [4, 4], None])
    assert x.union(y).to_list() == [[1, 2, 5], None, [4], None]
    assert x.intersection(y).to_list() == [[2], None, [], None]
    assert x.difference(y).to_list() == [[1], None, [], None]
    deep = aj.array([[[1], [2, 3]], [[4]]])
    assert deep.difference([[[2, 3], [9]], [[4], [4]]], axis=1).to_list() == [[[1]], []]


def test_sets_of_types_with_a_common_type() -> None:
    assert aj.array([[1]], type=pa.int8(), ndim=2).union([[1.5]]).to_list() == [[1.0, 1.5]]
    with pytest.raises(JagTypeError, match=r"union: .* have no common type"):
        aj.array([[1]]).union([["a"]])
    with pytest.raises(ShapeError, match=r"union"):
        aj.array([[1]]).union([[1], [2]])
    with pytest.raises(ShapeError, match=r"the same number of dims; for one set .* aj\.array\(values\)\.tile\(n\)"):
        aj.array([[1]]).union([1])
    with pytest.raises(ShapeError, match=r"the same number of dims; a single value is no row, .*pl\.col\(name\)"):
        aj.array([["a"]]).union("a")


@pytest.mark.parametrize("name", ["union", "intersection", "difference", "symmetric_difference"])
def test_sets_of_types_without_order(name: str) -> None:
    x = aj.array(pa.array([[pa.MonthDayNano([1, 2, 3])]], pa.list_(pa.month_day_nano_interval())))
    with pytest.raises(JagTypeError, match=f"^{name} has no kernel for month_day_nano_interval"):
        getattr(x, name)(x)


@pytest.mark.parametrize("axis", [-1, 0])
def test_signed_and_unsigned_integers_are_compared_by_value(axis: int) -> None:
    one = aj.array([[2**63 - 1, -1, 5]], type=pa.int64(), ndim=2)
    two = aj.array([[2**64 - 1, 2**63 - 1, 5]], type=pa.uint64(), ndim=2)
    if axis == 0:
        one, two = one.flatten(0), two.flatten(0)
    rows = lambda x: x.to_list()[0] if axis else x.to_list()  # noqa: E731
    assert rows(one.union(two, axis)) == [2**63 - 1, -1, 5, 2**64 - 1]
    assert one.union(two, axis).type == pa.decimal128(20, 0)
    assert rows(one.intersection(two, axis)) == [2**63 - 1, 5]
    assert rows(one.difference(two, axis)) == [-1]
    assert rows(two.difference(one, axis)) == [2**64 - 1]
    assert one.intersection(two, axis).type == pa.int64()
    assert two.difference(one, axis).type == pa.uint64()
    assert rows(one.symmetric_difference(two, axis)) == [-1, 2**64 - 1]


@pytest.mark.parametrize("name", ["union", "intersection", "difference", "symmetric_difference"])
@pytest.mark.parametrize("nulls", [False, True])
def test_few_items_are_combined_by_the_loop_once_it_is_loaded(name: str, nulls: bool) -> None:
    pytest.importorskip("numba")
    one = aj.array([[3, 1, 3, None if nulls else 2], [], [5], [7, 7]])
    two = aj.array([[2, 3, 9], [4], [5], []])
    with strategy.force(combined="numpy"):
        wanted = getattr(one, name)(two).to_list()
    with aj.options(compile="always"), strategy.force(LOADING_VALUES=1) as taken:
        assert getattr(one, name)(two).to_list() == wanted
    assert taken["combine", "small"] == taken["combined", "compiled"] == 1


@pytest.mark.parametrize("axis", [-1, 0])
def test_times_beyond_the_finer_unit_are_compared_by_value(axis: int) -> None:
    one = aj.array(pa.array([[0, 10**9, None]], pa.list_(pa.timestamp("ns", "UTC"))))
    two = aj.array(pa.array([[1, 2**50, None]], pa.list_(pa.timestamp("s", "UTC"))))
    if axis == 0:
        one, two = one.flatten(0), two.flatten(0)
    rows = lambda x: x.cast("int64").to_list()[0] if axis else x.cast("int64").to_list()  # noqa: E731
    for found in (one.intersection(two, axis), two.intersection(one, axis)):
        assert (rows(found), found.type) == ([10**9], one.type)
    assert rows(one.difference(two, axis)) == [0]
    for name in ("union", "symmetric_difference"):
        with pytest.raises(JagValueError, match=f"^{name}: row . holds .* of timestamp.s, tz=UTC., which"):
            getattr(one, name)(two, axis)
    with pytest.raises(JagValueError, match=r"^difference: row . holds"):
        two.difference(one, axis)
