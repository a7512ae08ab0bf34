"""Running totals, shifts, fills and moving windows, each against the same computation on plain lists."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import scan, strategy
from arrowjag._kernels.scan import rolling
from arrowjag.errors import JagOverflowError, JagValueError
from tests.kernels.rows import EVERY_DTYPE, FLOATS, INTEGERS, SMALL_BLOCKS, Rows, make, many_rows, rows, same, to_lists, total_type

pytestmark = pytest.mark.usefixtures("either_way")

TOLERANCE = {"float16": 2e-3, "float32": 1e-6}


def check(found: tuple[Any, Any], wanted: list[list[Any]], case: Rows, dtype: str, tolerance: float = 1e-12) -> None:
    assert found[0].dtype == dtype
    got = to_lists(*found, case.offsets)
    assert same(got, wanted, TOLERANCE.get(str(case.data.dtype), tolerance)), (wanted, got)


def running(row: list[Any], step: Callable[[Any, Any], Any]) -> list[Any]:
    """The running result of the row at each item; a null stays null and is skipped."""
    out, carry = [], None
    for item in row:
        if item is not None:
            carry = item if carry is None else step(carry, item)
        out.append(None if item is None else carry)
    return out


def is_nan(item: Any) -> bool:
    return isinstance(item, float) and math.isnan(item)


def smaller(a: Any, b: Any) -> Any:
    return b if is_nan(a) or b < a else a


def larger(a: Any, b: Any) -> Any:
    return b if is_nan(a) or b > a else a


@given(rows())
def test_cumsum(case: Rows) -> None:
    wanted = [running(row, lambda a, b: a + b) for row in case.lists]
    before = case.data.copy()
    check(scan.cumsum(case.data, case.valid, case.offsets), wanted, case, total_type(case.data.dtype))
    filled = make([[0 if item is None else item for item in row] for row in case.lists], case.data.dtype)
    under_nulls = scan.cumsum(case.data, case.valid, case.offsets)[0], scan.cumsum(filled.data, None, filled.offsets)[0]
    np.testing.assert_equal(*under_nulls)
    assert np.array_equal(before.view(np.uint8), case.data.view(np.uint8)), "a kernel never writes to its input"


@given(rows(["bool", *INTEGERS, "float64"]))
def test_cumprod(case: Rows) -> None:
    if case.data.dtype.kind != "f":
        case = make([row[:6] for row in case.lists], case.data.dtype)
    wanted = [running(row, lambda a, b: a * b) for row in case.lists]
    check(scan.cumprod(case.data, case.valid, case.offsets), wanted, case, total_type(case.data.dtype))


@given(rows())
def test_cummin_and_cummax(case: Rows) -> None:
    kind = str(case.data.dtype)
    wanted = [running(row, smaller) for row in case.lists]
    check(scan.cummin(case.data, case.valid, case.offsets), wanted, case, kind)
    wanted = [running(row, larger) for row in case.lists]
    check(scan.cummax(case.data, case.valid, case.offsets), wanted, case, kind)


@given(rows(["int8"]))
def test_cumcount(case: Rows) -> None:
    wanted = [running([None if item is None else 1 for item in row], lambda a, b: a + b) for row in case.lists]
    check(scan.cumcount(case.valid, case.offsets), wanted, case, "int64")


def test_values_of_a_row_do_not_influence_other_rows() -> None:
    case = make([[1e300, math.inf], [0.1, 0.2], [math.nan], [1e-3], [1e16], [1.0]], "float64")
    assert same(
        to_lists(*scan.cumsum(case.data, None, case.offsets), case.offsets),
        [[1e300, math.inf], [0.1, 0.1 + 0.2], [math.nan], [1e-3], [1e16], [1.0]],
    )
    found = to_lists(*rolling.rolling_sum(case.data, None, case.offsets, 1), case.offsets)
    assert same(found, case.lists)


@given(st.lists(st.lists(st.sampled_from([0, 1, -1, 2**62, -(2**62), 2**63 - 1, -(2**63)]), max_size=5), max_size=5))
def test_signed_totals_are_exact_or_raise(lists: list[list[int]]) -> None:
    check_exact(make(lists, "int64"))


@given(st.lists(st.lists(st.sampled_from([0, 1, 2**31, 2**63, 2**64 - 1]), max_size=5), max_size=5))
def test_unsigned_totals_are_exact_or_raise(lists: list[list[int]]) -> None:
    check_exact(make(lists, "uint64"))


@given(st.lists(st.lists(st.sampled_from([3037000499, 3037000500, -3037000500, 1, 0]), max_size=4), max_size=5))
def test_products_next_to_the_limit(lists: list[list[int]]) -> None:
    check_exact(make(lists, "int64"))


def check_exact(case: Rows) -> None:
    limits = np.iinfo(case.data.dtype)
    for kernel, step in ((scan.cumsum, int.__add__), (scan.cumprod, int.__mul__)):
        wanted = [running(row, step) for row in case.lists]
        wrong = [i for i, row in enumerate(wanted) if any(not limits.min <= item <= limits.max for item in row)]
        if wrong:
            with pytest.raises(JagOverflowError, match=f"integer overflow, the result of row {wrong[0]} "):
                kernel(case.data, None, case.offsets)
        else:
            check(kernel(case.data, None, case.offsets), wanted, case, str(case.data.dtype))


def windows(row: list[Any], size: int) -> list[list[Any]]:
    """The last `size` items up to each one; fewer at the start of the row."""
    return [row[max(0, i + 1 - size) : i + 1] for i in range(len(row))]


def rolled(row: list[Any], size: int, function: Callable[[list[Any]], Any]) -> list[Any]:
    return [None if len(part) < size or None in part else function(part) for part in windows(row, size)]


def no_nan(items: list[Any]) -> list[Any]:
    return [item for item in items if not is_nan(item)] or items


@pytest.mark.parametrize("window", [1, 2, 3, 7, 20])
@given(case=rows())
def test_rolling(window: int, case: Rows) -> None:
    kind = str(case.data.dtype)
    mean_type = kind if kind in FLOATS else "float64"
    for kernel, function, dtype in (
        (rolling.rolling_sum, sum, total_type(kind)),
        (rolling.rolling_mean, lambda part: sum(part) / len(part), mean_type),
        (rolling.rolling_min, lambda part: min(no_nan(part)), kind),
        (rolling.rolling_max, lambda part: max(no_nan(part)), kind),
    ):
        wanted = [rolled(row, window, function) for row in case.lists]
        check(kernel(case.data, case.valid, case.offsets, window), wanted, case, dtype)
    known = [[item is not None for item in row] for row in case.lists]
    check(rolling.rolling_count(case.valid, case.offsets, window), [rolled(row, window, sum) for row in known], case, "int64")


@given(
    st.lists(st.lists(st.none() | st.sampled_from([0, 2**62, -(2**62), -(2**63), 2**63 - 1]), max_size=5), max_size=5),
    st.integers(1, 3),
)
def test_rolling_sums_are_exact_or_raise(lists: list[list[int | None]], window: int) -> None:
    case = make(lists, "int64")
    wanted = [rolled(row, window, sum) for row in lists]
    wrong = [i for i, row in enumerate(wanted) if any(item is not None and not -(2**63) <= item < 2**63 for item in row)]
    if wrong:
        with pytest.raises(JagOverflowError, match=f"rolling sum: integer overflow, the result of row {wrong[0]} "):
            rolling.rolling_sum(case.data, case.valid, case.offsets, window)
    else:
        check(rolling.rolling_sum(case.data, case.valid, case.offsets, window), wanted, case, "int64")


@pytest.mark.parametrize("window", [0, -1])
def test_windows_of_no_items_are_refused(window: int) -> None:
    for kernel in (rolling.rolling_sum, rolling.rolling_mean, rolling.rolling_min, rolling.rolling_max):
        with pytest.raises(JagValueError, match=f"rolling: window must be at least 1, got {window}"):
            kernel(np.zeros(1), None, np.array([0, 1]), window)
    with pytest.raises(JagValueError, match="rolling: window"):
        rolling.rolling_count(None, np.array([0, 1]), window)


@given(rows(["int64", "float64", "int8", "uint8"]), st.integers(-20, 20))
def test_diff(case: Rows, n: int) -> None:
    def difference(row: list[Any], slot: int) -> Any:
        other = slot - n
        if not 0 <= other < len(row) or row[slot] is None or row[other] is None:
            return None
        with np.errstate(all="ignore"):
            return (np.array(row[slot], dtype) - np.array(row[other], dtype)).item()

    dtype = {"uint8": "int16"}.get(str(case.data.dtype), str(case.data.dtype))
    wanted = [[difference(row, slot) for slot in range(len(row))] for row in case.lists]
    check(scan.diff(case.data, case.valid, case.offsets, n), wanted, case, dtype)


def test_diff_of_booleans() -> None:
    found, valid = scan.diff(np.array([True, False, True]), None, np.array([0, 3]))
    assert found.dtype == np.int8
    assert to_lists(found, valid, np.array([0, 3])) == [[None, -1, 1]]


@given(rows(["int64"]), st.integers(-25, 25))
def test_shift_index(case: Rows, n: int) -> None:
    index, known = scan.shift_index(case.offsets, n)
    assert all(0 <= item < len(case.data) for item in index)
    flat = [item for row in case.lists for item in row]
    got = [flat[item] if ok else None for item, ok in zip(index, np.ones(len(flat)) if known is None else known, strict=True)]
    wanted = [row[s - n] if 0 <= s - n < len(row) else None for row in case.lists for s in range(len(row))]
    assert got == wanted


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("lists", [[], [[]], [[], []], [[None]], [[None, None], [], [None]]])
def test_scans_of_rows_without_valid_items(dtype: str, lists: list[list[Any]]) -> None:
    case = make(lists, dtype)
    for kernel in (scan.cumsum, scan.cumprod, scan.cummin, scan.cummax, scan.diff):
        assert to_lists(*kernel(case.data, case.valid, case.offsets), case.offsets) == lists
    for window in (rolling.rolling_sum, rolling.rolling_mean, rolling.rolling_min, rolling.rolling_max):
        assert to_lists(*window(case.data, case.valid, case.offsets, 2), case.offsets) == lists


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "int16"])
def test_many_rows_in_blocks(dtype: str, nulls: bool) -> None:
    case = many_rows(dtype, nulls=nulls, tenth=True)
    with strategy.force(**SMALL_BLOCKS):
        for kernel, step in ((scan.cumsum, lambda a, b: a + b), (scan.cummax, larger)):
            found = kernel(case.data, case.valid, case.offsets)
            wanted = [running(row, step) for row in case.lists]
            check(found, wanted, case, "int64" if dtype == "int16" and kernel is scan.cumsum else dtype)
        sums = rolling.rolling_sum(case.data, case.valid, case.offsets, 3)
        check(sums, [rolled(row, 3, sum) for row in case.lists], case, total_type(dtype))


@pytest.mark.parametrize("short", [0, 1, 40])
def test_long_rows_few_and_many_of_one_length(short: int) -> None:
    """Rows too long for the way of short ones, beside some of those: eight of one length, fewer of another."""
    random = np.random.default_rng(short)
    sizes = random.permutation([70] * 8 + [71] * 7 + [65, 300, 301] + [0, 1, 2, 64][:short] * short)
    case = make([random.choice([-0.0, 0.5, 1.5, math.nan, math.inf], size).tolist() for size in sizes.tolist()], "float64")
    for kernel, step in ((scan.cumsum, lambda a, b: a + b), (scan.cummin, smaller), (scan.cummax, larger)):
        check(kernel(case.data, None, case.offsets), [running(row, step) for row in case.lists], case, "float64")


def test_the_row_that_overflows_is_named_across_blocks() -> None:
    case = many_rows("int64")
    case.data[case.offsets[40_000] : case.offsets[40_000] + 2] = 2**62
    rows = (None, case.offsets)
    with pytest.raises(JagOverflowError, match=r"cumsum: .* row 40000 does not fit int64"):
        scan.cumsum(case.data, *rows)
    with pytest.raises(JagOverflowError, match=r"cumprod: .* row 40000 does not fit int64"):
        scan.cumprod(np.where(case.data < 100, 1, case.data), *rows)
    with pytest.raises(JagOverflowError, match=r"rolling sum: .* row 40000 does not fit int64"):
        rolling.rolling_sum(case.data, *rows, 2)


def test_a_difference_that_overflows_names_its_row() -> None:
    case = make([[5, 3], [], [1, 2**63 + 1], [0, 2**63]], "uint64")
    with pytest.raises(JagOverflowError, match=r"diff: .* row 2 does not fit int64"):
        scan.diff(case.data, case.valid, case.offsets)
    with pytest.raises(JagOverflowError, match=r"diff: .* row 3 does not fit int64"):
        scan.diff(case.data, np.array([True, True, False, True, True, True]), case.offsets)
    found, valid = scan.diff(case.data[:2], None, case.offsets[:2])
    assert to_lists(found, valid, case.offsets[:2]) == [[None, -2]]
