"""Reductions over rows, each against the same computation on plain lists."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import reduce, strategy
from arrowjag._kernels.equal import distinct
from arrowjag._kernels.reduce import counts, quantiles, segments
from arrowjag._kernels.reduce.min_max import min_max
from arrowjag.errors import JagOverflowError, JagValueError
from tests.compiled_calls import forced
from tests.kernels.rows import EVERY_DTYPE, FLOATS, INTEGERS, SMALL_BLOCKS, Rows, make, many_rows, rows, same, to_list, total_type

pytestmark = pytest.mark.usefixtures("either_way")

TOLERANCE = {"float16": 2e-3, "float32": 1e-6}


def check(
    kernel: Callable[..., Any],
    expected: Callable[[list[Any]], Any],
    case: Rows,
    *arguments: Any,
    dtype: str | None = None,
    tolerance: float = 1e-12,
) -> None:
    """The kernel gives, for each row, what `expected` says of the row's items that are not null."""
    before = case.data.copy()
    found, valid = kernel(case.data, case.valid, case.offsets, *arguments)
    assert dtype is None or found.dtype == dtype
    assert np.array_equal(before.view(np.uint8), case.data.view(np.uint8)), "a kernel never writes to its input"
    wanted = [expected([item for item in row if item is not None]) for row in case.lists]
    assert same(to_list(found, valid), wanted, TOLERANCE.get(str(case.data.dtype), tolerance)), (wanted, found, valid)


def mean_type(dtype: Any) -> str:
    return str(dtype) if np.dtype(dtype).kind == "f" else "float64"


def fsum(items: list[Any]) -> Any:
    """An exact sum, with IEEE results where infinities meet."""
    if any(isinstance(item, float) and not math.isfinite(item) for item in items):
        return sum(items)
    return math.fsum(items) if any(isinstance(item, float) for item in items) else sum(items)


def no_nan(items: list[Any]) -> list[Any]:
    return [item for item in items if item == item] or items  # noqa: PLR0124 - NaN is what differs from itself


@given(rows())
def test_sum(case: Rows) -> None:
    check(reduce.sum, fsum, case, dtype=total_type(case.data.dtype))


@given(rows(["bool", *INTEGERS, "float64"]))
def test_prod(case: Rows) -> None:
    if case.data.dtype.kind in "iu":
        case = case._replace(lists=[row[:6] for row in case.lists])
        case = make(case.lists, case.data.dtype)
    with np.errstate(all="ignore"):
        check(reduce.prod, lambda items: math.prod(items) if items else 1, case, dtype=total_type(case.data.dtype))


@given(rows())
def test_mean(case: Rows) -> None:
    check(reduce.mean, lambda items: fsum(items) / len(items) if items else None, case, dtype=mean_type(case.data.dtype))


@given(rows())
def test_min_and_max(case: Rows) -> None:
    kind = str(case.data.dtype)
    check(reduce.min, lambda items: min(no_nan(items)) if items else None, case, dtype=kind)
    check(reduce.max, lambda items: max(no_nan(items)) if items else None, case, dtype=kind)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
def test_min_and_max_of_the_limits_with_nulls(dtype: str) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    case = make([[low, None], [None, high], [None], [], [low, high], [high], [low]], dtype)
    check(reduce.min, lambda items: min(items, default=None), case)
    check(reduce.max, lambda items: max(items, default=None), case)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@given(case=rows())
def test_argmin_and_argmax_give_the_first_slot_nulls_counted(name: str, case: Rows) -> None:
    pick = min if name == "argmin" else max

    def expected(row: list[Any]) -> int | None:
        items = [item for item in row if item is not None]
        if not items:
            return None
        best = pick(no_nan(items))
        return next(slot for slot, item in enumerate(row) if item is not None and same(item, best))

    found, valid = getattr(reduce, name)(case.data, case.valid, case.offsets)
    assert found.dtype == np.int64
    assert to_list(found, valid) == [expected(row) for row in case.lists]


NAN = float("nan")


@pytest.mark.parametrize(
    ("row", "least", "most"),
    [
        ([2.0, 1.0, 3.0, 1.0, 3.0], 1, 2),
        ([NAN, 2.0, 1.0], 2, 1),
        ([0.0, -0.0, 0.0], 0, 0),
        ([NAN, NAN], 0, 0),
        ([5, 5, 4, 4], 2, 0),
    ],
    ids=str,
)
def test_slots_of_one_row_without_nulls(row: list[Any], least: int, most: int) -> None:
    data, offsets = np.array([*row, -9, 9]), np.array([0, len(row)])
    with aj.options(compile="never"):
        assert reduce.argmin(data, None, offsets)[0].tolist() == [least]
        assert reduce.argmax(data, None, offsets)[0].tolist() == [most]


@given(rows(["bool"]))
def test_any_and_all(case: Rows) -> None:
    check(reduce.any, any, case, dtype="bool")
    check(reduce.all, all, case, dtype="bool")


@given(rows(["int8", "float64"]))
def test_count_first_and_last(case: Rows) -> None:
    counts, valid = reduce.count(case.valid, case.offsets)
    assert to_list(counts, valid) == [sum(item is not None for item in row) for row in case.lists]
    starts = case.offsets.tolist()
    first, last = reduce.first(case.offsets), reduce.last(case.offsets)
    assert to_list(*first) == [starts[i] if row else None for i, row in enumerate(case.lists)]
    assert to_list(*last) == [starts[i + 1] - 1 if row else None for i, row in enumerate(case.lists)]


def variance(items: list[Any], ddof: int) -> float | None:
    if len(items) <= max(ddof, 0):
        return None
    if not all(math.isfinite(item) for item in items):
        return math.nan
    center = statistics.fmean(items)
    return math.fsum((item - center) ** 2 for item in items) / (len(items) - ddof)


@given(rows(), st.integers(-1, 3))
def test_var_and_std(case: Rows, ddof: int) -> None:
    kind = mean_type(case.data.dtype)
    check(reduce.var, lambda items: variance(items, ddof), case, ddof, dtype=kind)
    root = lambda items: None if (found := variance(items, ddof)) is None else math.sqrt(found)  # noqa: E731
    check(reduce.std, root, case, ddof, dtype=kind)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8"])
def test_results_are_0_under_their_nulls(dtype: str) -> None:
    data, valid = np.array([1, 2, 4, 5, 6], dtype), np.array([True, True, True, False, True])
    found, enough = reduce.var(data, valid, np.array([0, 1, 1, 3, 5]))
    assert enough is not None
    assert (found.tolist(), enough.tolist()) == ([0.0, 0.0, 2.0, 0.0], [False, False, True, False])


def test_var_of_rows_far_apart_loses_no_digits() -> None:
    random = np.random.default_rng(3)
    levels = np.repeat(10.0 ** np.arange(-3, 13), 500)  # what is near the middle of one block is far from that of others
    data = levels[:, None] + random.normal(size=(len(levels), 9))
    offsets = np.arange(0, data.size + 1, 9)
    found, valid = reduce.var(data.reshape(-1), None, offsets)
    assert valid is None
    np.testing.assert_allclose(found, (data - levels[:, None]).var(axis=1, ddof=1), rtol=1e-12)


def test_var_of_equal_items_is_exactly_zero_and_infinity_spoils_only_its_row() -> None:
    data = np.array([0.1, 0.1, 0.1, math.inf, 1.0, 2.0, 5e7, 5e7, math.nan, 3.0])
    found, valid = reduce.var(data, None, np.array([0, 3, 5, 6, 8, 10]), ddof=0)
    assert valid is None
    np.testing.assert_equal(found, [0.0, math.nan, 0.0, 0.0, math.nan])


@given(st.lists(st.lists(st.integers(-50, 50), max_size=6), min_size=1, max_size=12), st.sampled_from([0, 7, 100]))
def test_var_of_a_row_is_the_same_in_any_company(whole: list[list[int]], level: int) -> None:
    whole = [[item + level * (place % 2) for item in row] for place, row in enumerate(whole)]
    case = make(whole, "int64")
    found = to_list(*reduce.var(case.data, case.valid, case.offsets))
    for row, expected in zip(whole, found, strict=True):
        alone = make([row], "int64")
        assert to_list(*reduce.var(alone.data, alone.valid, alone.offsets)) == [expected]


def test_var_is_stable_far_from_zero() -> None:
    case = make([[1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]], "float64")
    assert reduce.var(case.data, None, case.offsets)[0].tolist() == [30.0]


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@given(case=rows(["bool", "int8", "uint64", *FLOATS]), q=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0]))
def test_quantile(interpolation: str, case: Rows, q: float) -> None:
    def expected(items: list[Any]) -> float | None:
        if not items:
            return None
        if any(math.isnan(item) for item in items):
            return math.nan
        ordered, position = sorted(float(item) for item in items), q * (len(items) - 1)
        low, high = ordered[math.floor(position)], ordered[math.ceil(position)]
        weight = 0.5 if interpolation == "midpoint" else position - math.floor(position)
        mixed = low if low == high else low * (1 - weight) + high * weight if weight else low
        return {"lower": low, "higher": high, "nearest": ordered[round(position)]}.get(interpolation, mixed)

    check(reduce.quantile, expected, case, q, interpolation, dtype=mean_type(case.data.dtype))


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "bool"])
def test_several_quantiles_are_those_of_each_probability(dtype: str, interpolation: str) -> None:
    case = make([[3, None, 1, 0, 1], [], [None], [2], [1, 0], [5, 4, 3, 2, 1, 0, 7]], dtype)
    q = [0.5, 0.0, 0.3, 1.0]
    for wanted in (q, q[:1]):
        found, valid = quantiles.quantiles(case.data, case.valid, case.offsets, wanted, interpolation)
        assert found.shape == (6, len(wanted))
        assert valid is not None
        assert valid.tolist() == [True, False, False, True, True, True]
        for place, one in enumerate(wanted):
            alone, _ = reduce.quantile(case.data, case.valid, case.offsets, one, interpolation)
            assert found.dtype == alone.dtype
            np.testing.assert_array_equal(found[valid, place], alone[valid])
    linear, _ = quantiles.quantiles(case.data, case.valid, case.offsets, q)
    np.testing.assert_array_equal(linear, quantiles.quantiles(case.data, case.valid, case.offsets, q, "linear")[0])
    table = np.array([[3, 1, 0, 1], [1, 1, 2, 0]]).astype(dtype)
    wanted_of_table = [reduce.quantile(row, None, np.array([0, 4]), 0.4, interpolation)[0][0] for row in table]
    target = np.dtype("float32" if dtype == "float32" else "float64")
    assert quantiles.of_table(table, 0.4, interpolation, target).tolist() == wanted_of_table


@given(case=rows(EVERY_DTYPE))
def test_collapse(case: Rows) -> None:
    items, keep = reduce.collapse(case.data, case.valid, case.offsets)
    assert (items.dtype, keep.dtype) == (np.int64, np.bool_)
    for row, (start, item, kept) in zip(case.lists, zip(case.offsets, items, keep, strict=False), strict=True):
        slots = [slot for slot, one in enumerate(row) if one is not None]
        distinct = {"nan" if row[slot] != row[slot] else row[slot] for slot in slots}
        assert kept == (len(distinct) == 1)
        assert not kept or item == start + slots[0]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_collapse_of_equal_items(dtype: str) -> None:
    case = make([[1, 1], [None, 1, None, 1], [0, 1], [], [None], [0], [1, 1, 1]], dtype)
    items, keep = reduce.collapse(case.data, case.valid, case.offsets)
    assert keep.tolist() == [True, True, False, False, False, True, True]
    assert items[keep].tolist() == [0, 3, 9, 10]
    assert ((items >= 0) & (items < len(case.data))).all()


def test_median_of_huge_numbers_does_not_overflow() -> None:
    case = make([[1.7e308, -1.7e308], [1.7e308, 1.7e308], [math.inf, math.inf], [-math.inf, math.inf]], "float64")
    with np.errstate(invalid="ignore"):
        found, _ = reduce.quantile(case.data, None, case.offsets, 0.5)
    assert same(found.tolist(), [0.0, 1.7e308, math.inf, math.nan])


@pytest.mark.parametrize(("q", "interpolation"), [(1.5, "linear"), (-0.1, "linear"), (math.nan, "linear"), (0.5, "x")])
def test_quantile_refuses(q: float, interpolation: str) -> None:
    with pytest.raises(JagValueError, match="quantile: "):
        reduce.quantile(np.zeros(1), None, np.array([0, 1]), q, interpolation)


@given(rows())
def test_n_unique(case: Rows) -> None:
    different = lambda items: len({"nan" if item != item else item for item in items})  # noqa: E731, PLR0124
    check(distinct.n_unique, different, case, dtype="int64")


@given(st.lists(st.lists(st.sampled_from([0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63)]), max_size=5), max_size=5))
def test_signed_sums_and_products_are_exact_or_raise(lists: list[list[int]]) -> None:
    check_exact(make(lists, "int64"))


@given(st.lists(st.lists(st.sampled_from([0, 1, 2**31, 2**63, 2**64 - 1, 2**64 - 2]), max_size=5), max_size=5))
def test_unsigned_sums_and_products_are_exact_or_raise(lists: list[list[int]]) -> None:
    check_exact(make(lists, "uint64"))


@given(st.lists(st.lists(st.sampled_from([3037000499, 3037000500, -3037000500, 1, -1]), max_size=3), max_size=5))
def test_products_next_to_the_limit(lists: list[list[int]]) -> None:
    check_exact(make(lists, "int64"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_both_ends_of_one_row_ignore_nan(dtype: str) -> None:
    low, high, present, has_nan = min_max(np.array([np.nan, 3.0, -0.0, 1.0], dtype), None, np.array([0, 4]))
    assert (low.tolist(), high.tolist(), present, has_nan) == ([0.0], [3.0], None, True)
    low, high, present, has_nan = min_max(np.array([3.0, -0.0, 1.0], dtype), None, np.array([0, 3]))
    assert (low.tolist(), high.tolist(), present, has_nan) == ([0.0], [3.0], None, False)
    assert low.dtype == dtype
    assert not np.signbit(low).any()


@pytest.mark.parametrize("forced", [{}, {"extreme": "numpy"}])
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_both_ends_of_rows_without_items_are_0(dtype: str, forced: dict[str, str]) -> None:
    with strategy.force(**forced):
        low, high, present, _ = min_max(np.array([7, 9], dtype), None, np.array([0, 0, 2, 2]))
    assert (low.tolist(), high.tolist()) == ([0, 7, 0], [0, 9, 0])
    assert present is not None
    assert present.tolist() == [False, True, False]


def test_data_under_a_null_hides_no_overflow() -> None:
    data, valid = np.array([2**62, 0, 4, 0, 5, 2**62]), np.array([True, False, True, False, True, False])
    with forced("compiled"):
        assert reduce.prod(data[3:], valid[3:], np.array([0, 3]))[0].tolist() == [5]
        with pytest.raises(JagOverflowError, match="prod: integer overflow, the result of row 0 "):
            reduce.prod(data, valid, np.array([0, 3, 6]))


def check_exact(case: Rows) -> None:
    limits = np.iinfo(case.data.dtype)
    for name, exact in (("sum", sum), ("prod", math.prod)):
        wanted = [exact(row) for row in case.lists]
        wrong = [row for row, value in enumerate(wanted) if not limits.min <= value <= limits.max]
        if wrong:
            with pytest.raises(JagOverflowError, match=rf"{name}: integer overflow, the result of row {wrong[0]} "):
                getattr(reduce, name)(case.data, case.valid, case.offsets)
        else:
            assert getattr(reduce, name)(case.data, case.valid, case.offsets)[0].tolist() == wanted


def test_sums_of_empty_and_negative_zero_rows_are_positive_zero() -> None:
    case = make([[], [-0.0], [-0.0, -0.0], [None]], "float64")
    found, _ = reduce.sum(case.data, case.valid, case.offsets)
    assert not np.signbit(found).any()


def test_float32_adds_up_in_float64() -> None:
    case = make([[2.0**24, 1.0, 1.0, 1.0, 1.0], [3e38, 3e38, -3e38]], "float32")
    assert reduce.sum(case.data, None, case.offsets)[0].tolist() == [2.0**24 + 4, np.float32(3e38)]


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("lists", [[], [[]], [[], []], [[None]], [[None, None], [], [None]]])
def test_reductions_of_rows_without_valid_items(dtype: str, lists: list[list[Any]]) -> None:
    case = make(lists, dtype)
    check(reduce.sum, lambda _: 0, case)
    check(reduce.prod, lambda _: 1, case)
    check(distinct.n_unique, lambda _: 0, case)
    for kernel in (reduce.mean, reduce.min, reduce.max, reduce.var, reduce.argmin, reduce.argmax):
        check(kernel, lambda _: None, case)
    check(reduce.quantile, lambda _: None, case, 0.5)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "bool"])
def test_many_rows_in_blocks(dtype: str, nulls: bool) -> None:
    case = many_rows(dtype, nulls=nulls, tenth=True)
    with strategy.force(**SMALL_BLOCKS):
        check(reduce.sum, fsum, case)
        check(reduce.max, lambda items: max(no_nan(items)) if items else None, case)
        check(reduce.mean, lambda items: fsum(items) / len(items) if items else None, case)
        check(reduce.var, lambda items: variance(items, 1), case, tolerance=1e-9)
        check(distinct.n_unique, lambda items: len({"nan" if item != item else item for item in items}), case)  # noqa: PLR0124
        slots, valid = reduce.argmax(case.data, case.valid, case.offsets)
        largest, _ = reduce.max(case.data, case.valid, case.offsets)
        found = case.data[(case.offsets[:-1] + slots)[valid if valid is not None else slice(None)]]
        assert np.array_equal(found, largest[valid if valid is not None else slice(None)], equal_nan=dtype[0] == "f")
        if dtype == "bool":
            check(reduce.any, any, case)
            check(reduce.all, all, case)


def test_the_row_that_overflows_is_named_across_blocks() -> None:
    case = many_rows("int64")
    case.data[case.offsets[40_000] : case.offsets[40_000] + 2] = 2**62
    with pytest.raises(JagOverflowError, match="row 40000 does not fit int64"):
        reduce.sum(case.data, None, case.offsets)


@pytest.mark.parametrize("interpolation", quantiles.INTERPOLATIONS)
def test_quantiles_of_lengths_with_few_rows_are_those_of_many(interpolation: str) -> None:
    case = many_rows(nulls=True)
    found = []
    for few_rows in (0, 10**9):
        with strategy.force(SELECT_ROWS=few_rows):
            found.append(reduce.quantile(case.data, case.valid, case.offsets, 0.3, interpolation))
    np.testing.assert_equal(found[0], found[1])


@pytest.mark.parametrize("pivot", [np.maximum, np.minimum])
def test_only_rows_with_an_integer_beyond_two_to_53_become_distances(pivot: np.ufunc) -> None:
    """A row's result depends on that row alone: a large integer in another row doesn't move its items."""
    data, valid = np.array([1, 2, 0, 2**60, 2**60 + 3, -(2**60)]), np.array([True, True, False, True, True, False])
    block = segments.Block(slice(0, 2), slice(0, 6), data, valid, np.array([0, 3, 6]))
    far = [-3, 0, 0] if pivot is np.maximum else [0, 3, 0]
    assert segments.shifted(block, pivot).tolist() == [1, 2, 0, *far]
    under_null = block._replace(data=np.array([1, 2, 2**60, 5, 6, -(2**60)]))
    assert segments.shifted(under_null, pivot).tolist() == [1, 2, 0, 5, 6, 0]
    low = block._replace(data=np.array([1, 2, 0, -(2**60), -(2**60) - 3, 0]))
    far = [0, -3, 0] if pivot is np.maximum else [3, 0, 0]
    assert segments.shifted(low, pivot).tolist() == [1, 2, 0, *far]
    unsigned = block._replace(data=np.array([1, 2, 0, 2**63, 2**63 + 3, 0], np.uint64))
    far = [-3, 0, 0] if pivot is np.maximum else [0, 3, 0]
    assert segments.shifted(unsigned, pivot).tolist() == [1, 2, 0, *far]
    limit = segments.EXACT
    for data in (np.array([limit, 1, limit + 1], np.uint64), np.array([limit, -limit, -limit - 1])):
        at_limit = segments.Block(slice(0, 2), slice(0, 3), data, None, np.array([0, 2, 3]))
        assert segments.shifted(at_limit, pivot).tolist() == [*data[:2].tolist(), 0]


@pytest.mark.parametrize("all", [True, False])
def test_bits_are_counted_by_polars_too(all: bool) -> None:
    pytest.importorskip("polars")
    bits = pa.array([True, False, True, True, True, False, False]).slice(1)
    with strategy.force(count="polars"):
        found = counts.are_set(bits, np.array([0, 2, 4, 4, 6]), all=all)
    assert found is not None
    assert found.to_pylist() == ([False, True, True, False] if all else [True, True, False, False])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool"])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("nulls", [0, 0.3, 0.9])
def test_slots_in_columns_are_those_of_other_rows(nulls: float, length: int, dtype: str) -> None:
    draw = np.random.default_rng(4)
    offsets = np.arange(0, 200 * length + 1, length)
    values = draw.choice([0.0, -0.0, 1.0, 2.0, *([np.nan, np.inf, -np.inf] if dtype[0] == "f" else [])], 200 * length).astype(dtype)
    valid = draw.random(len(values)) >= nulls if nulls else None
    for name in ("argmin", "argmax"):
        with aj.options(compile="never"), strategy.force(CALL_VALUES=0, reduced="columns"):
            found, present = getattr(reduce, name)(values, valid, offsets)
        with aj.options(compile="never"), strategy.force(reduced="reduceat"):
            wanted, there = getattr(reduce, name)(values, valid, offsets)
        assert found.tolist() == wanted.tolist()
        assert (present is None) == (there is None)
        assert present is None or present.tolist() == there.tolist()
