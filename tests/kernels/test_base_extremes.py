"""The smallest and the largest of all items, of few and of many, in memory that may be written to and that may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.base import extremes


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_whether_there_is_a_nan(dtype: type[np.floating[Any]]) -> None:
    data = np.array([2, -np.inf, 0, np.inf, -1], dtype)
    assert not extremes.holds_nan(data)
    assert not extremes.holds_nan(data[:0])
    for place in range(len(data)):
        assert extremes.holds_nan(np.where(np.arange(len(data)) == place, dtype(np.nan), data))
    assert not extremes.holds_nan(data[2:3].astype(np.int64))


def test_the_largest_magnitude() -> None:
    assert extremes.largest_magnitude(np.array([3, -5, 4])) == 5
    assert extremes.largest_magnitude(np.array([3, -5, 6], np.int8)) == 6
    assert extremes.largest_magnitude(np.array([-(2**63)])) == 2**63
    assert extremes.largest_magnitude(np.array([2**64 - 1], np.uint64)) == 2**64 - 1
    assert extremes.largest_magnitude(np.array([], np.int64)) == 0


@pytest.mark.parametrize("n", [1, 7, 8, 9, 50])
def test_the_least_and_the_greatest_of_many_integers(n: int) -> None:
    data = np.random.default_rng(n).permutation(n) - 20
    with strategy.force(PASS_VALUES=8, CALL_VALUES=8):
        assert extremes.least_and_greatest(data) == (-20, n - 21)
        assert extremes.least_and_greatest(-data.astype(np.int8)) == (21 - n, 20)


@pytest.mark.parametrize("size", [1, 1 << 20], ids=["reductions", "places"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.float64])
def test_the_least_and_the_greatest_item(size: int, dtype: type[np.number[Any]]) -> None:
    data = np.array([3, 1, 5, 0, 4], dtype)
    data.flags.writeable = False
    with strategy.force(CALL_VALUES=size):
        assert (extremes.least(data), extremes.greatest(data)) == (0, 5)
        assert (extremes.least(data[:1]), extremes.greatest(data[:1])) == (3, 3)
        if data.dtype.kind == "f":
            odd = np.where(data == 4, dtype(np.nan), data)
            assert np.isnan([extremes.least(odd), extremes.greatest(odd)]).all()


def test_memory_that_is_read_only_is_opened_and_not_copied() -> None:
    data = np.arange(100.0)
    assert extremes.opened(data) is data
    data.flags.writeable = False
    assert extremes.opened(data) is data  # few items are copied in less time
    with strategy.force(CALL_VALUES=1):
        for some in (data, data[3:], data[::-2]):
            found = extremes.opened(some)
            assert found.flags.writeable
            assert np.shares_memory(found, data)
            assert np.array_equal(found, some)
            assert (found.argmin(), found.argmax()) == (some.argmin(), some.argmax())


def test_start_values_of_loops() -> None:
    for code in ("f8", "f4", "i8", "i1", "u2"):
        for largest in (False, True):
            dtype = np.dtype(code)
            found = extremes.start_values(dtype, largest)
            assert found.dtype == dtype
            others = np.array([-np.inf, np.inf] if dtype.kind == "f" else [np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
            assert found[0] == (others.min() if largest else others.max())
            assert np.isnan(found[1]) if dtype.kind == "f" else found[1] == 0
            assert found[2] == 0
