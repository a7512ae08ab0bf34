"""Statistics of windows of any kind against loops over their items: by numpy and by compiled loops, with the same bits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.scan import window_quantiles, window_statistics, windows
from arrowjag._kernels.scan.windows import Windows
from tests import reference as ref
from tests.compiled_calls import forced
from tests.kernels.rows import bits, offsets_from

SIZES = [0, 1, 3, 0, 17, 2, 40, 0]
OFFSETS = offsets_from(SIZES)
N = int(OFFSETS[-1])


def rising(seed: int) -> Windows:
    """Windows of all sizes from 0 on, anywhere in their row."""
    rng = np.random.default_rng(seed)
    ends = [np.sort(rng.integers(0, size + 1, (2, size)), axis=1) for size in SIZES]
    low, high = np.concatenate([part + start for part, start in zip(ends, OFFSETS, strict=False)], axis=1)
    return Windows(np.minimum(low, high), np.maximum(low, high))


WINDOWS = {
    "one": windows.of_items(OFFSETS, 1),
    "two": windows.of_items(OFFSETS, 2),
    "three": windows.of_items(OFFSETS, 3),
    "seven": windows.of_items(OFFSETS, 7),
    "eight around": windows.of_items(OFFSETS, 8, center=True),
    "all before": windows.of_items(OFFSETS, None),
    "whole rows": windows.of_items(OFFSETS, 100, center=True),
    "any": rising(0),
    "others": rising(1),
    "none": Windows(OFFSETS[:-1].repeat(SIZES), OFFSETS[:-1].repeat(SIZES)),
}


@pytest.fixture(params=["numpy", "compiled"])
def by(request: pytest.FixtureRequest) -> Iterator[str]:
    with forced(request.param, "window", CALL_VALUES=0, CACHE_VALUES=20, LARGE_VALUES=20) as taken:
        yield request.param
    assert {name for operation, name in taken if operation == "window"} == {request.param}


def valid_of(nulls: bool) -> Any:
    return np.random.default_rng(2).random(N) < 0.7 if nulls else None


def items_of(found: Windows, data: np.ndarray[Any, Any], valid: Any) -> list[list[Any]]:
    """The items of each window as Python's."""
    kept = np.ones(len(data), bool) if valid is None else valid
    spans = zip(found.low.tolist(), found.high.tolist(), strict=True)
    return [data[low:high][kept[low:high]].tolist() for low, high in spans]


def test_sums(by: str) -> None:
    rng = np.random.default_rng(3)
    whole = rng.integers(-(2**63), 2**63, N)
    floats = rng.normal(size=N) * 10.0 ** rng.integers(-3, 4, N)
    for part in WINDOWS.values():
        found = window_statistics.sums(whole, OFFSETS, part)
        assert found.tolist() == [(sum(items) + 2**63) % 2**64 - 2**63 for items in items_of(part, whole, None)]
        found = window_statistics.sums(floats, OFFSETS, part)
        assert found.tolist() == [*map(span_by_span, items_of(part, floats, None))]
        zeros = window_statistics.sums(np.full(N, -0.0), OFFSETS, part)
        assert not bits(zeros).any()


@pytest.mark.parametrize("window", [1, 2, 3, 7])
def test_sums_of_trailing_windows_have_the_bits_of_any(window: int, by: str) -> None:
    rng = np.random.default_rng(4)
    sizes = np.array([0, 1, window, 60, 2, 0, window + 1, 200, 0])
    offsets = offsets_from(sizes)
    part = windows.of_items(offsets, window)
    n = int(offsets[-1])
    for data in (rng.normal(size=n), np.full(n, -0.0), rng.choice([1.0, np.nan, np.inf, -np.inf], n), rng.integers(-9, 9, n)):
        for trailing in (window, 2**62):
            given = part if trailing == window else windows.of_items(offsets, trailing)
            with np.errstate(all="ignore"):
                found = window_statistics.sums(data, offsets, given, trailing)
                assert bits(found).tolist() == bits(window_statistics.sums(data, offsets, given)).tolist()


def span_by_span(items: list[float]) -> float:
    """The sum in the documented order: spans of 1, 2, 4.. items, the smallest first, each the sum of two halves."""

    def of_span(span: list[float]) -> float:
        return span[0] if len(span) == 1 else of_span(span[: len(span) // 2]) + of_span(span[len(span) // 2 :])

    total, place = 0.0, 0
    for level in range(len(items).bit_length()):
        if len(items) >> level & 1:
            total += of_span(items[place : place + (1 << level)])
            place += 1 << level
    return total


@pytest.mark.parametrize("nulls", [False, True])
def test_counts_and_ends(nulls: bool) -> None:
    valid = valid_of(nulls)
    kept = np.ones(N, bool) if valid is None else valid
    for part in WINDOWS.values():
        spans = zip(part.low.tolist(), part.high.tolist(), strict=True)
        places = [[at for at in range(begin, end) if kept[at]] for begin, end in spans]
        with strategy.force(CACHE_VALUES=20, LARGE_VALUES=20):
            counts = window_statistics.counts(valid, OFFSETS, part)
        assert (counts.dtype, counts.tolist()) == (np.int64, [len(one) for one in places])
        first, last = window_statistics.first_items(valid, part), window_statistics.last_items(valid, part)
        assert ((first >= 0) & (first < N) & (last >= 0) & (last < N)).all()
        for one, begin, end in zip(places, first.tolist(), last.tolist(), strict=True):
            assert not one or (begin, end) == (one[0], one[-1])


def test_ends_of_no_items() -> None:
    empty = np.zeros(0, np.int64)
    for valid in (None, np.zeros(0, bool)):
        assert window_statistics.first_items(valid, Windows(empty, empty)).tolist() == []
        assert window_statistics.last_items(valid, Windows(empty, empty)).tolist() == []


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "i1", "u8", "?"])
def test_extremes(type: str, by: str) -> None:
    rng = np.random.default_rng(4)
    data = rng.normal(size=N).astype(type) if type[0] == "f" else rng.integers(-9, 9, N).astype(type)
    if type[0] == "f":
        data[rng.random(N) < 0.2] = np.nan
        data[rng.random(N) < 0.2] = -0.0
    elif type != "?":
        limits = np.iinfo(type)
        data[::5], data[::7] = limits.min, limits.max
    for part, valid, (ufunc, pick) in itertools.product(WINDOWS.values(), [None, valid_of(True)], [(np.fmin, min), (np.fmax, max)]):
        found = window_statistics.extremes(ufunc, data, valid, OFFSETS, part)
        assert found.dtype == data.dtype
        for one, result in zip(items_of(part, data, valid), found.tolist(), strict=True):
            numbers = [item for item in one if not math.isnan(item)]
            if numbers:
                assert result == pick(numbers)
                assert math.copysign(1, result) == 1 or result != 0
            assert not one or numbers or math.isnan(result)


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "u8", "i2", "?"])
def test_squared_deviations(type: str, by: str) -> None:
    rng = np.random.default_rng(5)
    far = {"i8": 2**61, "u8": 2**63, "f8": 1000}.get(type, 0)
    data = (rng.normal(size=N) if type[0] == "f" else rng.integers(0, 50, N)).astype(type)
    data += np.array(far, type)
    for part, valid in itertools.product(WINDOWS.values(), [None, valid_of(True)]):
        found = window_statistics.variances(data, valid, OFFSETS, part)
        assert found.dtype == np.float64
        wanted = []
        for one in items_of(part, data, valid):
            items = [int(item - far) if type[0] in "iu?" else item - far for item in one]
            mean = math.fsum(items) / max(len(items), 1)
            wanted.append(math.fsum((item - mean) ** 2 for item in items))
        assert found.tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_deviations_from_a_mean_that_is_not_finite_are_nan(special: float, by: str) -> None:
    data = np.arange(float(N))
    data[[5, 30]] = special
    with np.errstate(all="ignore"):
        found = window_statistics.variances(data, None, OFFSETS, WINDOWS["three"])
    wanted = [not all(map(math.isfinite, one)) for one in items_of(WINDOWS["three"], data, None)]
    assert np.isnan(found).tolist() == wanted


@pytest.mark.parametrize("kind", ["seven", "eight around", "any"])
def test_each_way_has_the_same_bits(kind: str) -> None:
    pytest.importorskip("numba")
    data = np.random.default_rng(6).normal(size=N) * 1e6
    for nulls in (False, True):
        results = []
        for by in ("numpy", "compiled"):
            with forced(by, "window"):
                sums = window_statistics.sums(np.where(nulls & (data > 0), 0, data), OFFSETS, WINDOWS[kind])
                spread = window_statistics.variances(data, valid_of(nulls), OFFSETS, WINDOWS[kind])
                results.append([bits(one).tolist() for one in (sums, spread)])
        assert results[0] == results[1]


LONG = np.array([0, 0, 300, 301, 1500, 1565, 1630])
LONG_WINDOWS = {
    "one": windows.of_items(LONG, 1),
    "hundred": windows.of_items(LONG, 100),
    "sixteen around": windows.of_items(LONG, 16, center=True),
    "all before": windows.of_items(LONG, None),
    "none": Windows(LONG[:-1].repeat(np.diff(LONG)), LONG[:-1].repeat(np.diff(LONG))),
    "by time": windows.of_times(np.random.default_rng(7).integers(0, 90, 1630).cumsum(), LONG, 700),
}


@pytest.mark.parametrize("kind", LONG_WINDOWS)
@pytest.mark.parametrize("nulls", [False, True])
def test_tiles_of_long_rows_have_the_same_bits(kind: str, nulls: bool) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(8)
    data = rng.normal(size=1630) * 10.0 ** rng.integers(-4, 5, 1630)
    data[[40, 900]] = np.nan, np.inf
    valid = rng.random(1630) < 0.8 if nulls else None
    results = []
    for by in ("numpy", "compiled"):
        with np.errstate(all="ignore"), forced(by, "window", CALL_VALUES=0, WINDOW_TILE=32):
            sums = window_statistics.sums(np.nan_to_num(data, posinf=1), LONG, LONG_WINDOWS[kind])
            spread = window_statistics.variances(data, valid, LONG, LONG_WINDOWS[kind])
            ends = [window_statistics.extremes(one, data, valid, LONG, LONG_WINDOWS[kind]) for one in (np.fmin, np.fmax)]
            some = np.array([bool(one) for one in items_of(LONG_WINDOWS[kind], data, valid)])
            results.append([bits(one).tolist() for one in (sums, spread, ends[0][some], ends[1][some])])
    assert results[0] == results[1]


@pytest.mark.parametrize("type", ["f8", "f4", "i8"])
@pytest.mark.parametrize("window", [1, 2, 3, 7, 20, 41])
def test_full_windows_have_the_variances_of_any(window: int, type: str, by: str) -> None:
    data = (np.random.default_rng(9).normal(size=N) * 1e6).astype(type)
    if type[0] == "f":
        data[[5, 30]] = np.nan, -np.inf
    part = windows.of_items(OFFSETS, window)
    for valid in (None, valid_of(True)):
        full = window_statistics.counts(valid, OFFSETS, part) == window
        with np.errstate(all="ignore"):
            squares = window_statistics.variances(data, valid, OFFSETS, part)
            for parts, root in ((window, False), (window + 1, True)):
                found = window_statistics.full_variances(data, valid, OFFSETS, window, parts, root=root)
                wanted = np.sqrt(squares / parts) if root else squares / parts
                assert bits(found[full]).tolist() == bits(np.where(np.isfinite(wanted), wanted, np.nan)[full]).tolist()


# ------------------------------------------------------------------------------------------------------ quantiles


QUANTILES = [0.0, 0.25, 0.37, 0.5, 1.0]
INTERPOLATIONS = ["linear", "lower", "higher", "midpoint", "nearest"]


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "u8", "i2", "u1"])
@pytest.mark.parametrize("quantile_by", ["numpy", "ranks", "compiled"])
def test_quantiles(quantile_by: str, type: str) -> None:
    rng = np.random.default_rng(7)
    data = rng.normal(size=N).astype(type) if type[0] == "f" else rng.integers(0, 50, N).astype(type)
    small = data.copy()
    if type in ("i8", "u8"):
        data += np.array(2**61 + 1, type)
    for numbers, valid in itertools.product([data, small, *([-data] if type == "i8" else [])], [None, valid_of(True)]):
        for place, kind in enumerate(WINDOWS):
            mixes = [(QUANTILES[place % 5], INTERPOLATIONS[place * 3 % 5]), (0.5, "linear"), (0.37, "linear")]
            for q, interpolation in mixes:
                with forced(quantile_by, "window_quantile", BATCH_VALUES=20) as taken:
                    part = WINDOWS[kind] if valid is None else WINDOWS[kind].among(valid)
                    found = window_quantiles.quantiles(numbers if valid is None else numbers[valid], part, q, interpolation)
                assert ("window_quantile", quantile_by) in taken
                assert found.dtype == (type if type[0] == "f" else "f8")
                wanted = [
                    float(ref.quantile(one, q, interpolation)) if one else 0.0 for one in items_of(WINDOWS[kind], numbers, valid)
                ]
                assert found.tolist() == pytest.approx(wanted, rel=1e-6 if type == "f4" else 1e-15, abs=1e-15)


@pytest.mark.parametrize("quantile_by", ["numpy", "ranks", "compiled"])
def test_quantiles_of_a_nan(quantile_by: str) -> None:
    data = np.random.default_rng(8).normal(size=N)
    data[[4, 20, 60]] = np.nan
    with forced(quantile_by, "window_quantile"):
        for part in WINDOWS.values():
            found = window_quantiles.quantiles(data, part, 0.4)
            for one, result in zip(items_of(part, data, None), found.tolist(), strict=True):
                wanted = ref.quantile(one, 0.4) if one else 0.0
                assert result == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("quantile_by", ["numpy", "ranks", "compiled"])
def test_the_quantile_of_a_nan_alone(quantile_by: str) -> None:
    with forced(quantile_by, "window_quantile"):
        for q in (0.0, 0.3, 1.0):
            assert np.isnan(window_quantiles.quantiles(np.array([np.nan]), windows.of_items(np.array([0, 1]), 3), q)).all()


@pytest.mark.parametrize("type", ["f8", "i8"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 9])
def test_quantiles_of_few_windows_on_many_cores(n: int, type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(window_quantiles.blocks, "n_cores", lambda: 4)
    data = (np.arange(n)[::-1] * 2 + 7).astype(type)
    part = windows.of_items(np.array([0, n]), 2)
    for threads in (1, 10**6):
        for by in ("numpy", "ranks", "compiled"):
            with forced(by, "window_quantile", THREAD_VALUES=threads):
                found = window_quantiles.quantiles(data, part, 0.25)
            wanted = [ref.quantile(data[max(at - 1, 0) : at + 1].tolist(), 0.25) for at in range(n)]
            assert found.tolist() == [float(one) for one in wanted]


def test_integers_half_way_are_rounded_once() -> None:
    """In float64 the items are rounded before they mix."""
    pytest.importorskip("numba")
    for low in (2**53 + 1, 2**60 + 1, -(2**53) - 2, -(2**60) - 127):
        data, part = np.array([low, low + 1]), windows.of_items(np.array([0, 2]), 2)
        for by in ("numpy", "ranks", "compiled"):
            with forced(by, "window_quantile"):
                found = window_quantiles.quantiles(data, part, 0.5)
            assert found.tolist() == [float(low), float(low + Fraction(1, 2))]
