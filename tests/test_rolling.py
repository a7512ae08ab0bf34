"""rolling(window).sum, mean, min, max, count."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._array.windows import Rolling
from arrowjag._kernels.strategy import force
from arrowjag.errors import JagOverflowError, JagTypeError, JagValueError
from arrowjag.testing import assert_lists_equal, jagged_arrays, leaf_types
from tests import reference as ref
from tests.along import NUMBERS, ORDERED, any_axis, kept, outcome, tolerance, within

D = decimal.Decimal


def windows(name: str, row: list[Any], window: int) -> list[Any]:
    if name != "count":
        return ref.rolling(name, row, 1, window)
    parts = [row[k + 1 - window : k + 1] if k + 1 >= window else None for k in range(len(row))]
    return [None if part is None else sum(v is not None for v in part) for part in parts]


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("leaf", NUMBERS, ids=str)
@given(st.data())
def test_sums_and_means_at_every_axis(name: str, leaf: pa.DataType, data: st.DataObject) -> None:
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=name == "mean" or pa.types.is_floating(leaf) or data.draw(st.booleans())))
    expected = kept(lambda row: windows(name, row, window), x.to_list(), ndim, axis, complete=True)
    got = outcome(getattr(x.rolling(window, axis=axis), name))
    expected = within(leaf, expected, ndim) if name == "sum" else expected
    assert_lists_equal(got, expected, **({} if name == "mean" and leaf != pa.float32() else tolerance(leaf)))


@pytest.mark.parametrize("name", ["min", "max", "count"])
@given(st.data())
def test_extremes_and_counts_of_every_type_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED)))
    expected = kept(lambda row: windows(name, row, window), x.to_list(), ndim, axis, complete=True)
    assert_lists_equal(getattr(x.rolling(window, axis=axis), name)().to_list(), expected, rel_tol=0, abs_tol=0)


def test_sums_of_decimals_and_durations() -> None:
    x = aj.array([[D("1.5"), D("2.5"), None, D("1.0"), D("-3.0")], []])
    assert x.rolling(2).sum().to_list() == [[None, D("4.0"), None, None, D("-2.0")], []]
    assert x.rolling(2).sum().type == aj.array([[]], type=x.type, ndim=2).rolling(2).sum().type
    assert x.rolling(2).mean().to_list() == [[None, 2.0, None, None, -1.0], []]
    second = dt.timedelta(seconds=1)
    assert aj.array([[second, second, second]]).rolling(2).sum().to_list() == [[None, 2 * second, 2 * second]]


@pytest.mark.parametrize(
    "leaf",
    [pa.duration("ns"), pa.duration("s"), pa.timestamp("us", "UTC"), pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("us")],
    ids=str,
)
@given(st.data())
def test_means_of_moments_are_exact(leaf: pa.DataType, data: st.DataObject) -> None:
    """Rounded half away from zero to the unit of the type; of whole rows as of windows."""
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=data.draw(st.booleans())))
    unit = 86_400_000 if leaf == pa.date64() else 1
    number = pa.int64() if leaf.bit_width == 64 else pa.int32()

    def counts(result: Any) -> Any:
        found = result if isinstance(result, aj.JaggedArray) else aj.array(pa.array([result.as_py()], leaf))
        numbers = aj.JaggedArray(found.shape, found.values.view(number)).to_list()
        numbers = ref.at_depth(lambda v: None if v is None else Fraction(v, unit), numbers, found.ndim)
        return numbers if isinstance(result, aj.JaggedArray) else numbers[0]

    def mean(row: list[Any]) -> int | None:
        total = sum(row)
        return None if not row else (abs(total) * 2 + len(row)) // (2 * len(row)) * (-1 if total < 0 else 1)

    def means(row: list[Any]) -> list[Any]:
        parts = [row[k + 1 - window : k + 1] for k in range(len(row))]
        return [None if len(part) < window or None in part else mean(part) for part in parts]

    assert_lists_equal(counts(x.rolling_mean(window, axis)), kept(means, counts(x), ndim, axis, complete=True))
    expected = ref.reduce(ref.of_valid(mean), counts(x), ndim, axis, x.shape.extents)
    assert_lists_equal(counts(x.mean(axis)), expected)


def test_means_of_durations_are_durations() -> None:
    x = aj.array([[dt.timedelta(seconds=1), dt.timedelta(seconds=2), None, dt.timedelta(0)], [], None])
    assert x.rolling(2).mean().to_list() == [[None, dt.timedelta(seconds=1.5), None, None], [], None]
    assert x.rolling(2).mean().type == x.type == aj.array([[]], type=x.type, ndim=2).rolling_mean(2).type


def test_items_outside_the_window_have_no_effect() -> None:
    x = aj.array([[float("nan"), 1e16, 1.0, 2.0, 3.0]])
    assert x.rolling(2).sum().to_list()[0][3:] == [3.0, 5.0]


@pytest.mark.parametrize("name", ["rolling_sum", "rolling_mean", "rolling_min", "rolling_max", "rolling_count"])
def test_the_object_and_the_methods_are_one(name: str) -> None:
    x = aj.array([[1, 2, 3], None])
    assert getattr(x, name)(2).to_list() == getattr(x.rolling(2), name.removeprefix("rolling_"))().to_list()
    assert getattr(x, name)(2).to_list() == ref.rolling(name.removeprefix("rolling_"), x.to_list(), 2, 2)
    assert repr(x.rolling(2)) == "Rolling(window=2, min_periods=None, center=False, axis=-1)"


def test_refused_windows_and_types() -> None:
    x = aj.array([[1, 2]])
    with pytest.raises(JagValueError, match=r"window must be at least 1, got 0"):
        x.rolling(0).sum()
    with pytest.raises(JagTypeError, match=r"window must be an int, got float"):
        x.rolling(2.0).sum()
    with pytest.raises(JagTypeError, match=r"rolling sum .*string"):
        aj.array([["a"]]).rolling(2).sum()
    with pytest.raises(JagOverflowError, match=r"row 0"):
        aj.array([[2**62, 2**62]]).rolling(2).sum()


NAMES = [name for name in vars(Rolling) if not name.startswith("_")]
OPTIONS: dict[str, dict[str, Any]] = {"quantile": {"q": 0.3}, "var": {"ddof": 0}, "std": {"ddof": 2}}


def call(rolling: Any, name: str) -> Any:
    return getattr(rolling, name)(**OPTIONS.get(name, {}))


@pytest.mark.parametrize("name", NAMES)
def test_rolling_methods_equal_those_of_the_window_object(name: str) -> None:
    x, options = aj.array([[1.0, 2.0, 5.0], None]), OPTIONS.get(name, {})
    expected = ref.rows_at(lambda row: ref.windowed(name, row, 2, **options), x.to_list(), 1)
    assert_lists_equal(getattr(x, f"rolling_{name}")(2, **options).to_list(), expected)
    assert_lists_equal(call(x.rolling(2), name).to_list(), expected)


@pytest.mark.parametrize("leaf", [pa.int64(), pa.uint8(), pa.float64(), pa.float32(), pa.bool_(), pa.null()], ids=str)
@given(st.data())
def test_any_windows_at_every_axis(leaf: pa.DataType, data: st.DataObject) -> None:
    """Each example calls every method: of examples of their own, each of many cases would have few."""
    ndim, window = data.draw(st.integers(1, 3)), data.draw(st.none() | st.integers(1, 5))
    least = data.draw(st.none() | st.integers(0, 5 if window is None else window))
    center = window is not None and data.draw(st.booleans())
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, leaf, small=True))
    made = aj.JaggedArray.rolling(x, window, least, center, axis=axis)
    rel = 1e-3 if leaf == pa.float32() else 1e-7
    for name in NAMES:
        told = {"min_periods": least, "center": center, **OPTIONS.get(name, {})}
        expected = kept(
            lambda row, name=name, told=told: ref.windowed(name, row, window, **told), x.to_list(), ndim, axis, complete=True
        )
        assert_lists_equal(outcome(lambda name=name: call(made, name)), expected, rel_tol=rel, abs_tol=rel)


@pytest.mark.parametrize("name", ["first", "last", "min", "max", "count"])
@given(st.data())
def test_windows_of_every_type(name: str, data: st.DataObject) -> None:
    ndim, window, least = data.draw(st.integers(1, 3)), data.draw(st.none() | st.integers(1, 4)), data.draw(st.integers(0, 1))
    x = data.draw(jagged_arrays(ndim, leaf_types(*ORDERED)))
    expected = ref.rows_at(lambda row: ref.windowed(name, row, window, min_periods=least), x.to_list(), ndim - 1)
    assert_lists_equal(call(x.rolling(window, least), name).to_list(), expected, rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("name", NAMES)
@given(st.data())
def test_windows_by_time_at_every_axis(name: str, data: st.DataObject) -> None:
    ndim = data.draw(st.integers(1, 3))
    axis = data.draw(any_axis(ndim))
    x = data.draw(jagged_arrays(ndim, pa.float64(), small=True))
    kind = data.draw(st.sampled_from(["int64", "float64", "timestamp"]))
    steps = st.sampled_from([0, 1, 1, 2, 5])
    begin = data.draw(st.sampled_from([0, -(2**62)])) if kind == "int64" else 0
    times = ref.at_depth(lambda _: data.draw(steps), x.to_list(), ndim)
    t = aj.array(times, type=pa.int64(), ndim=ndim).cumsum(axis=axis) + begin
    width, center = data.draw(st.sampled_from([1, 2, 3, 7])), data.draw(st.booleans())
    on = t if kind == "int64" else t.cast(pa.float64()) if kind == "float64" else t.cast(pa.timestamp("s"))
    window = {"int64": width, "float64": float(width), "timestamp": f"{width}s"}[kind]
    least = data.draw(st.none() | st.integers(0, 3))
    told = {"min_periods": least, "center": center, **OPTIONS.get(name, {})}
    pairs = ref.broadcast(lambda a, b: (a, b), ref.Jag(x.to_list(), ndim), ref.Jag(t.to_list(), ndim))

    def rolled(row: list[Any]) -> list[Any]:
        return ref.windowed(name, [a for a, _ in row], width, times=[b for _, b in row], **told)

    got = call(x.rolling(window, least, center, on, axis=axis), name)
    assert_lists_equal(got.to_list(), kept(rolled, pairs, ndim, axis), rel_tol=1e-7, abs_tol=1e-7)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "var", "std", "median"])
@pytest.mark.parametrize("options", [{}, {"min_periods": 2}, {"min_periods": 1, "center": True}], ids=str)
def test_long_rows_agree_with_pandas(name: str, options: dict[str, Any]) -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    rng = np.random.default_rng(0)
    values = rng.normal(size=2000).cumsum()
    values[rng.random(2000) < 0.2] = np.nan
    x = aj.from_sizes(pa.array(values, from_pandas=True), [700, 0, 1300])
    for window in (2, 7, 50, 64, 333):
        got = getattr(x.rolling(window, **options), name)().values.to_numpy(zero_copy_only=False)
        parts = [pd.Series(part).rolling(window, **options) for part in (values[:700], values[700:])]
        expected = np.concatenate([getattr(part, name)().to_numpy() for part in parts])
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "leaf", [pa.date32(), pa.date64(), pa.timestamp("s"), pa.duration("s"), pa.time32("s"), pa.time64("ns")], ids=str
)
def test_windows_by_every_type_of_times(leaf: pa.DataType) -> None:
    is_date = pa.types.is_date(leaf)
    step = dt.timedelta(days=1) if is_date else dt.timedelta(seconds=1)
    counts = [0, 1, 3, 4]
    if is_date:
        times = [dt.date(2024, 2, 28) + n * step for n in counts]
    elif pa.types.is_time(leaf):
        times = [dt.time(1, 0, n) for n in counts]
    else:
        times = pa.array(counts).cast(leaf).to_pylist()
    on = aj.array(pa.array([times, []], pa.list_(leaf)))
    x = aj.array([[1.0, 2.0, 4.0, 8.0], []])
    for window in (2 * step, pa.scalar(2 * step), "2d" if is_date else "2s"):
        assert x.rolling(window, on=on).sum().to_list() == [[1, 3, 4, 12], []]
    if leaf not in (pa.date64(), pa.time64("ns")):
        with pytest.raises(aj.JagValueError, match="is not a whole number of the units of"):
            x.rolling("1ms", on=on).sum()


def test_times_agree_with_pandas() -> None:
    pd, np = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    rng = np.random.default_rng(0)
    moments = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.cumsum(rng.integers(0, 90, 500)), unit="min")
    values = rng.normal(size=500)
    s = pd.Series(values, index=moments)
    x, t = aj.array([values]), aj.array([moments.to_numpy().astype("M8[us]")])
    for window in ("30min", "2h", "3D"):
        ours = {"30min": "30m", "2h": "2h", "3D": "3d"}[window]
        for name in ("sum", "count", "max", "var"):
            got = np.array(getattr(x.rolling(ours, on=t), name)().to_list()[0], float)
            np.testing.assert_allclose(got, getattr(s.rolling(window), name)().to_numpy(), rtol=1e-9, atol=1e-9)
    assert x.rolling(dt.timedelta(hours=2), on=t).sum().equals(x.rolling("2h", on=t).sum())
    assert x.rolling(np.timedelta64(2, "h"), on=t).sum().equals(x.rolling("1h60m", on=t).sum())


def test_expanding_sums_of_decimals_and_durations() -> None:
    x = aj.array([[D("1.5"), D("2.5"), None, D("1.0")], []])
    assert x.expanding().sum().to_list() == [[D("1.5"), D("4.0"), D("4.0"), D("5.0")], []]
    assert x.rolling(2, 1).mean().to_list() == [[D("1.5"), D("2.0"), D("2.5"), D("1.0")], []]
    second = dt.timedelta(seconds=1)
    y = aj.array([[second, None, 3 * second]])
    assert y.rolling(3, 1).mean().to_list() == [[second, second, 2 * second]]
    assert y.expanding().sum().to_list() == [[second, second, 4 * second]]


@pytest.mark.parametrize("name", NAMES)
def test_result_types_are_those_of_empty_arrays(name: str) -> None:
    for leaf in (pa.int32(), pa.float32(), pa.decimal128(5, 2), pa.duration("ms"), pa.string()):
        x = aj.array([[None, None, None]], type=leaf)
        for options in ({"window": 2}, {"window": 2, "min_periods": 1}, {"window": None}):
            try:
                found = call(x.rolling(**options), name).type
            except JagTypeError as error:
                with pytest.raises(JagTypeError, match=re.escape(str(error))):
                    call(x[:0].rolling(**options), name)
            else:
                assert found == call(x[:0].rolling(**options), name).type


def test_refused_options() -> None:
    x, t = aj.array([[1, 2], [3, 4]]), aj.array([[1, 2], [2, 1]])
    with pytest.raises(JagValueError, match="`on` must not decrease within a row, but it decreases or holds a NaN in row 1"):
        x.rolling(2, on=t).sum()
    with pytest.raises(JagValueError, match="holds a null in row 0"):
        x.rolling(2, on=[[1, None], [1, 2]]).sum()
    with pytest.raises(JagValueError, match="min_periods must be at most the window, 2, got 3"):
        x.rolling(2, 3).sum()
    with pytest.raises(JagTypeError, match="needs the times"):
        x.rolling("2h").sum()
    with pytest.raises(JagTypeError, match="center must be a bool, got int"):
        x.rolling(2, center=1).sum()
    hours = aj.array([[0, 1], [0, 0]]).cast(pa.timestamp("us"))
    for window, error, text in (
        (2, JagTypeError, "must be text such as '2h'"),
        ("2 h", JagValueError, "units ns, us, ms, s, m, h, d, w"),
        ("0h", JagValueError, "must be more than 0"),
        ("1ns", JagValueError, "not a whole number of the units of timestamp"),
    ):
        with pytest.raises(error, match=text):
            x.rolling(window, on=hours).sum()
    with pytest.raises(JagTypeError, match="must be a number of its kind"):
        x.rolling("2h", on=aj.array([[1, 2], [1, 2]])).sum()
    with pytest.raises(JagTypeError, match="must hold times or numbers"):
        x.rolling(2, on=aj.array([["a", "b"], ["a", "b"]])).sum()
    for name in ("sum", "mean", "var", "median"):
        with pytest.raises(JagTypeError, match=f"rolling {name} .*string"):
            getattr(aj.array([["a"]]).rolling(2, 1), name)()
    with pytest.raises(JagOverflowError, match=r"row 1"):
        aj.array([[1], [2**62, 2**62]]).rolling(2, 1).sum()


def test_unsigned_times_beyond_63_bits_rise() -> None:
    times = aj.array([[1, 2**63 - 1, 2**63, 2**64 - 1]], type=pa.uint64())
    assert aj.array([[1, 2, 4, 8]]).rolling(2, on=times).sum().to_list() == [[1, 2, 6, 8]]
    with pytest.raises(JagValueError, match="decreases"):
        aj.array([[1, 2]]).rolling(2, on=aj.array([[2**64 - 1, 1]], type=pa.uint64())).sum()


def test_sums_at_the_ends_of_64_bits() -> None:
    x = aj.array([[2**63 - 1, -5, -(2**63)], [2**62]])
    with pytest.raises(JagOverflowError, match="row 0"):
        x.rolling(2, 1).sum()
    assert x.rolling(2, 1).mean().to_list() == [[float(2**63 - 1), (2**63 - 6) / 2, (-(2**63) - 5) / 2], [float(2**62)]]


def test_means_of_integers_are_of_exact_sums() -> None:
    """In float64 the sum of the last two is rounded before the first one is added."""
    x = aj.array([[1, 6_004_799_503_160_661, 6_004_799_503_160_660]])
    assert x.rolling_mean(3).to_list() == [[None, None, 12_009_599_006_321_322 / 3]]
    assert x.rolling(3).mean().to_list() == [[None, None, 12_009_599_006_321_322 / 3]]


def test_windows_of_numbers_beyond_64_bits_are_refused() -> None:
    x = aj.array([[1, 2]])
    for on in (x, None):
        with pytest.raises(aj.JagRangeError, match=r"rolling: (the )?window must"):
            x.rolling(2**63, on=on).sum()
    with pytest.raises(JagTypeError, match="must be a number of its kind"):
        x.rolling(np.timedelta64(1, "D"), on=x).sum()


@pytest.mark.parametrize("strategy", ["numpy", "compiled", "ranks"])
@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
def test_quantiles_of_long_windows(strategy: str, interpolation: str) -> None:
    """Windows as long as their rows, ties, nulls and NaN, by each strategy."""
    rng = np.random.default_rng(5)
    sizes = [0, 1, 300, 0, 77, 2]
    numbers = rng.integers(0, 40, sum(sizes)).astype(float)
    items = [None if k % 11 == 3 else float(one) for k, one in enumerate(numbers)]
    for special in (None, math.nan):
        items[150] = special
        x = aj.from_sizes(pa.array(items), sizes)
        with force(window_quantile=strategy):
            got = [
                x.expanding().quantile(0.37, interpolation),
                x.rolling(250, min_periods=1, center=True).quantile(0.8, interpolation),
            ]
        for found, window in zip(got, (lambda row, k: row[: k + 1], lambda row, k: row[max(0, k - 125) : k + 125]), strict=True):
            q = 0.37 if found is got[0] else 0.8
            for row, results in zip(x.to_list(), found.to_list(), strict=True):
                for k, result in enumerate(results):
                    present = [one for one in window(row, k) if one is not None]
                    wanted = np.quantile(present, q, method=interpolation) if present else None
                    assert result == pytest.approx(wanted, rel=1e-12, nan_ok=True) if present else result is None


def test_windows_are_checked_before_a_statistic_is_asked_for() -> None:
    with pytest.raises(JagValueError, match="rolling: window must be at least 1, got 0"):
        aj.array([[1]]).rolling(0)
    with pytest.raises(JagTypeError, match="needs the times"):
        aj.array([[1]]).rolling("2d")


@pytest.mark.parametrize("leaf", ["int8", "uint64", "int64", "float32", "float64"])
@pytest.mark.parametrize("window", [65, 100, 1500])
def test_long_windows(window: int, leaf: str, with_and_without_loops: str) -> None:
    """Compiled loops work on tiles, and compare many items of a long window at once."""
    rng = np.random.default_rng(window)
    rows = [rng.integers(0, 100, size).astype(leaf) for size in (2500, 0, window, window - 1, 1501)]
    x = aj.from_sizes(np.concatenate(rows), [len(row) for row in rows])
    for name in ("sum", "mean", "min", "max", "median"):
        got = getattr(x.rolling(window), name)()
        for row, found in zip(rows, got.to_list(), strict=True):
            parts = np.lib.stride_tricks.sliding_window_view(row, window) if len(row) >= window else np.empty((0, window))
            wanted = getattr(np, name)(parts, axis=1).tolist()
            assert found == pytest.approx([*[None] * (len(row) - len(wanted)), *wanted])


@pytest.mark.parametrize("leaf", ["float16", "float32"])
def test_variances_too_large_for_their_type_are_infinite(leaf: str) -> None:
    most = float(np.finfo(leaf).max)
    x = aj.array([[most, -most, 0.0]]).cast(leaf)
    for found in (x.rolling(2).var(), x.rolling(2, min_periods=1).var(), x.expanding().var(), x.ewm(alpha=0.5).var()):
        assert found.type == x.type
        assert found.to_list()[0][1] == math.inf
