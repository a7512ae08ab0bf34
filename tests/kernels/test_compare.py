"""Comparisons of numbers as bits, and which floats are NaN, against numpy: by numpy in blocks and by a compiled loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise import comparison
from arrowjag._runtime.options import options
from tests.compiled_calls import forced

UFUNCS = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]
LENGTHS = [0, 1, 2, 7, 8, 9, 63, 64, 65, 200, 1000]


@pytest.fixture(params=["numpy", "compiled"])
def by(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each strategy, in small blocks on all cores."""
    with forced(request.param, "compared", PASS_VALUES=128, LIGHT_VALUES=500) as taken:
        yield request.param
    assert {name for operation, name in taken if operation == "compared"} <= {request.param}


def check(bits: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> None:
    assert bits.dtype == np.uint8
    assert len(bits) == (len(expected) + 7) // 8
    assert np.unpackbits(bits, count=len(expected), bitorder="little").astype(bool).tolist() == expected.tolist()


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "u1"])
def test_comparisons_with_a_number(type: str, by: str) -> None:
    rng = np.random.default_rng(0)
    for n in LENGTHS:
        data = rng.integers(0, 5, n).astype(type)
        if type[0] == "f":
            data[rng.random(n) < 0.2] = np.nan
        for ufunc in UFUNCS:
            for number in (0, 2, 4):
                check(comparison.compare(ufunc, data, np.array([number], type)), ufunc(data, number))
            check(comparison.compare(ufunc, data[::-2], np.array([2], type)), ufunc(data[::-2], 2))
            check(comparison.compare(ufunc, data, np.array([2.5])), ufunc(data, 2.5))


@pytest.mark.parametrize("type", ["f8", "f4", "i8", "i4", "u4", "i2", "u1", "u8"])
def test_comparisons_of_pairs(type: str, by: str) -> None:
    rng = np.random.default_rng(0)
    for n in LENGTHS:
        one, two = rng.integers(0, 3, (2, n)).astype(type)
        if type[0] == "f":
            one[rng.random(n) < 0.2] = np.nan
            two[rng.random(n) < 0.2] = np.nan
        for ufunc in UFUNCS:
            check(comparison.compare(ufunc, one, two), ufunc(one, two))
            check(comparison.compare(ufunc, one[::-1], two), ufunc(one[::-1], two))
            check(comparison.compare(ufunc, one, two[::-1]), ufunc(one, two[::-1]))
            check(comparison.compare(ufunc, one, two.astype(float)), ufunc(one, two.astype(float)))


@pytest.mark.parametrize("type", ["f8", "f4"])
def test_flags_of_floats(type: str, by: str) -> None:
    rng = np.random.default_rng(0)
    for n in LENGTHS:
        data = rng.choice([np.nan, -np.nan, np.inf, -np.inf, 0.0, 1.5, np.finfo(type).max], n).astype(type)
        for ufunc in (np.isnan, np.isinf, np.isfinite, np.signbit):
            check(comparison.flags(ufunc, data), ufunc(data))
            check(comparison.flags(ufunc, data[::-2]), ufunc(data[::-2]))


@pytest.mark.parametrize(
    "call", [lambda data: comparison.flags(np.isnan, data), lambda data: comparison.compare(np.less, data, data[:1])]
)
def test_a_loop_that_is_ready_is_called(call: Any) -> None:
    with forced("compiled", "compared") as taken:
        call(np.arange(10.0))
    assert ("compared", "compiled") in taken
    with options(compile="never"), strategy.force(COMPILED_VALUES=0) as taken:
        call(np.arange(10.0))
    assert ("compared", "compiled") not in taken
