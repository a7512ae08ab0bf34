"""fft_power and lomb_scargle."""

from __future__ import annotations

import datetime as dt
import math
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag.errors import JagTypeError, JagValueError, ShapeError
from arrowjag.testing import assert_lists_equal, jagged_arrays, prefix_arrays
from tests import reference as ref
from tests.along import as_list


@given(jagged_arrays(st.integers(1, 3), st.sampled_from([pa.int16(), pa.float64()]), small=True, allow_nan=False, max_size=7))
def test_fft_power_agrees_with_the_oracle(x: aj.JaggedArray) -> None:
    if x.type == pa.float64():
        x = x.clip(-100, 100)
    assert_lists_equal(as_list(x.fft_power()), ref.fft_power(x.to_list(), x.ndim), rel_tol=1e-9, abs_tol=1e-6)


def test_fft_power() -> None:
    x = aj.array([[1.0, 0.0, -1.0, 0.0], [2.0], [], None, [1.0, None], [math.nan, 1.0]])
    assert_lists_equal(x.fft_power().to_list(), [[0.0, 4.0, 0.0], [4.0], [], None, None, [math.nan, math.nan]])
    assert x.cast("float32").fft_power().type == pa.float32()
    assert aj.array([[1.0, None], [2.0, 2.0], None]).fft_power().values.to_pylist() == [16.0, 0.0]
    assert aj.array([[[1.0], [-1.0]]]).fft_power(axis=(1, 2)).to_list() == [[0.0, 4.0]]
    assert aj.array([[1e200, 0.0], [math.inf, 1.0]]).fft_power().to_list() == [[math.inf] * 2] * 2
    for x, axis in ((aj.array([1.0, None]), -1), (aj.array([[1.0], [None]]), None), (aj.array([[1.0], None, [None]]), (0, 1))):
        assert (x.fft_power(axis).is_valid, x.fft_power(axis).type) == (False, pa.large_list(pa.float64()))
    x = aj.array([[1.0, -1.0]])
    with pytest.raises(JagValueError, match=r"fft_power works along the last dims"):
        x.fft_power(axis=0)
    with pytest.raises(JagTypeError, match=r"fft_power .*string"):
        aj.array([["a"]]).fft_power()


@pytest.mark.parametrize("type", [pa.float64(), pa.float32(), pa.float16(), pa.int32()])
def test_fft_power_of_few_values_has_the_bits_of_many(type: pa.DataType) -> None:
    rng = np.random.default_rng(3)
    values = pa.array((rng.normal(size=300) * 50).astype(type.to_pandas_dtype()), mask=rng.random(300) < 0.02)
    x = aj.array(values).reshape(40, rng.multinomial(300, np.full(40, 1 / 40)))
    few = x.fft_power()
    with strategy.force(CALL_VALUES=0):
        many = x.fft_power()
    assert few.type == (pa.float32() if type in (pa.float16(), pa.float32()) else pa.float64())
    assert few.shape == many.shape
    assert few.values.buffers()[1].to_pybytes() == many.values.buffers()[1].to_pybytes()


@given(prefix_arrays((2, 2), (pa.int8(), pa.int8())))
def test_lomb_scargle_agrees_with_the_oracle(both: tuple[aj.JaggedArray, aj.JaggedArray]) -> None:
    t, y = both
    t = t * 0.37
    frequencies = [0.11, 0.35]
    got = aj.lomb_scargle(t, y, frequencies)
    expected = ref.lomb_scargle(t.to_list(), y.to_list(), 2, frequencies)
    rows = zip(got.to_list(), expected, t.to_list(), y.to_list(), strict=True)
    for row, wanted, times, items in rows:
        points = {(a, b) for a, b in zip(times or [], items or [], strict=False) if a is not None and b is not None}
        if len({a for a, _ in points}) != 2:  # two places leave the equations of a sine without a stable solution
            assert_lists_equal(row, wanted, rel_tol=1e-6, abs_tol=1e-6)


def test_lomb_scargle_finds_the_periods() -> None:
    draw = np.random.default_rng(1)
    t = aj.from_sizes(draw.random(300) * 20, [100, 0, 200]).sort()
    truth = aj.array([1.5, 1.0, 0.7])
    frequencies = np.linspace(0.1, 2, 400)
    power = aj.lomb_scargle(t, np.sin(2 * np.pi * truth * t) + 5, frequencies)
    best = power.argmax().to_list()
    assert best[1] is None
    assert abs(frequencies[best[0]] - 1.5) < 0.01
    assert abs(frequencies[best[2]] - 0.7) < 0.01
    assert power.lengths().to_list() == [400, 400, 400]


def test_lomb_scargle_is_that_of_scipy() -> None:
    signal = pytest.importorskip("scipy.signal")
    draw = np.random.default_rng(2)
    t, y, f = draw.random(50) * 9, draw.random(50), np.linspace(0.1, 3, 40)
    expected = signal.lombscargle(t, y - y.mean(), 2 * np.pi * f, normalize=True)
    np.testing.assert_allclose(aj.lomb_scargle(aj.array([t]), aj.array([y]), f).to_numpy()[0], expected, rtol=1e-8, atol=1e-10)


def test_rows_without_a_spectrum_and_times() -> None:
    t, y = aj.array([[0.0, 1.0, 3.0], [], None, [1.0, 2.0]]), aj.array([[2.0, 2.0, 2.0], [], [1.0], [math.nan, 1.0]])
    assert_lists_equal(aj.lomb_scargle(t, y, [0.1]).to_list(), [[math.nan], [None], None, [math.nan]])
    seconds = aj.array([[0.0, 1.0, 3.0, 4.5]])
    moments = aj.array([[dt.datetime.fromisoformat("2024-01-01") + dt.timedelta(seconds=s) for s in seconds.to_list()[0]]])
    y = aj.array([[1.0, 3.0, 2.0, 5.0]])
    assert aj.lomb_scargle(moments, y, [0.1, 0.2]).to_list() == aj.lomb_scargle(seconds, y, [0.1, 0.2]).to_list()
    with pytest.raises(JagTypeError, match=r"frequencies must be a flat list"):
        aj.lomb_scargle(seconds, y, [[0.1]])
    with pytest.raises(ShapeError, match=r"lomb_scargle"):
        aj.lomb_scargle(seconds, aj.array([[1.0]]), [0.1])


def test_powers_of_rows_without_items_are_0_under_their_nulls() -> None:
    found = aj.lomb_scargle(aj.array([[], [0.0, 1.0, 3.0], [None]]), aj.array([[], [1.0, 2.0, 0.0], [1.0]]), [0.1, 0.2])
    assert np.frombuffer(found.values.buffers()[1])[[0, 1, 4, 5]].tolist() == [0.0] * 4


@pytest.mark.parametrize("type", [pa.timestamp("ns"), pa.int64(), pa.uint64(), pa.duration("us")])
def test_powers_of_a_row_depend_on_that_row_alone(type: pa.DataType) -> None:
    far = 1_700_000_000_000_000_001
    counts = aj.array([[0, 7], [far, far + 131, far + 257, far + 388], None, [far + 9, far + 10, far + 12]], type=pa.int64())
    t, y = counts.cast(type), aj.array([[1.0, 2.0], [2.0, 0.5, 1.0, 4.0], None, [0.0, 1.0, 3.0]])
    frequencies = [0.1, 1e6, 3e6]
    whole = aj.lomb_scargle(t, y, frequencies)
    assert whole[1:].equals(aj.lomb_scargle(t[1:], y[1:], frequencies))
    near = aj.lomb_scargle((counts[1] - far).cast(type), y[1], frequencies)
    assert near.to_list() == whole[1].to_list()


def test_powers_of_frequencies_in_blocks() -> None:
    draw = np.random.default_rng(3)
    t, y, frequencies = (
        aj.from_sizes(draw.random(300), [100, 0, 1, 199]),
        aj.from_sizes(draw.random(300), [100, 0, 1, 199]),
        draw.random(50),
    )
    whole = aj.lomb_scargle(t, y, frequencies)
    aj.lomb_scargle(t, y * y, frequencies)  # memory that is not written holds other results than those asked for
    with strategy.force(PASS_VALUES=1000):
        assert aj.lomb_scargle(t, y, frequencies).equals(whole)


def test_powers_of_a_long_row_take_little_memory() -> None:
    t = aj.array([np.arange(50_000) * 0.1])
    tracemalloc.start()
    try:
        aj.lomb_scargle(t, t % 7, np.linspace(0.1, 1, 200))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40_000_000


def test_lomb_scargle_at_every_ndim() -> None:
    frequencies = np.linspace(0.1, 2, 3)
    t, y = [0.0, 1.0, 2.0, 4.0], [1.0, 2.0, 1.0, 3.0]
    flat = aj.lomb_scargle(aj.array(t), aj.array(y), frequencies)
    assert flat.shape == aj.JaggedShape(3)
    assert flat.shape.extents == (None,)
    deep = aj.lomb_scargle(aj.array([[t], [], [[]]]), aj.array([[y], [], [[]]]), frequencies)
    assert deep.to_list() == [[flat.to_list()], [], [[None] * 3]]


def test_one_series_has_one_row() -> None:
    found = aj.lomb_scargle(aj.array([0.0, 1.0, 2.5]), aj.array([1.0, 0.0, 1.0]), [0.1, 0.2, 0.4])
    assert repr(found.shape) == "JaggedShape(3)"


@pytest.mark.parametrize(("n", "half_waves"), [(100, 1), (1003, 1), (1000, 1_000_003)])
def test_at_a_frequency_where_all_sines_are_0_cosines_alone_count(n: int, half_waves: int) -> None:
    signs = 1.0 - 2.0 * (np.arange(n) % 2)
    y = np.random.default_rng(n).random(n) + 0.1 * signs
    level = y - y.mean()
    found = aj.lomb_scargle(aj.array([np.arange(float(n)) * half_waves / 0.6]), aj.array([y]), [0.3])
    assert math.isclose(found.to_list()[0][0], (level @ signs) ** 2 / n / (level @ level), rel_tol=1e-5)


def test_powers_of_times_far_from_0() -> None:
    rng = np.random.default_rng(0)
    t, y = np.sort(rng.integers(0, 1000, 50)) / 128, rng.random(50)
    near = aj.lomb_scargle(aj.array([t]), aj.array([y]), [1.0, 3.0])
    far = aj.lomb_scargle(aj.array([t + 2.0**45]), aj.array([y]), [1.0, 3.0])
    assert np.allclose(near.flatten().to_numpy(), far.flatten().to_numpy(), rtol=1e-5)
