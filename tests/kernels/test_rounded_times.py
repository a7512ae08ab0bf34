"""Times rounded by the compiled loop: the counts of the numpy form, up to the limit of the loop and beyond."""

from __future__ import annotations

import numpy as np
import pytest

from arrowjag import options
from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise.times import every_of, round_times

pytest.importorskip("numba")

RANGES = {
    "few": (-50, 50),
    "microseconds": (-(10**15), 10**15),
    "nanoseconds": (16 * 10**17, 18 * 10**17),
    "early": (-(2**60), -(2**59)),
    "late": (2**59, 2**60),
}


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("values", RANGES)
@pytest.mark.parametrize(("unit", "every"), [("us", "1h"), ("ns", "1h"), ("ns", "7ns"), ("us", "1us"), ("us", "1w"), ("s", "1d")])
def test_each_count_is_rounded_as_without_the_loop(unit: str, every: str, values: str, how: str) -> None:
    counts = np.random.default_rng(0).integers(*RANGES[values], 5000)
    step = every_of(every, "round").nanoseconds // {"us": 10**3, "ns": 1, "s": 10**9}[unit]
    counts[:1000] -= counts[:1000] % step  # multiples, and counts next to them
    counts[:500] += np.arange(500) % 3 - 1
    assert _rounded(counts, unit, every, how, "always").tolist() == _rounded(counts, unit, every, how, "never").tolist()


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
def test_counts_around_the_limit_of_the_loop(how: str) -> None:
    counts = np.concatenate([np.arange(-40, 40) + sign * 7 * 2**51 for sign in (-1, 1)])
    assert _rounded(counts, "ns", "7ns", how, "always").tolist() == _rounded(counts, "ns", "7ns", how, "never").tolist()


def _rounded(counts: np.ndarray, unit: str, every: str, how: str, compile: str) -> np.ndarray:
    with options(compile=compile), strategy.force(COMPILED_VALUES=0):
        return round_times(counts, unit, every_of(every, "round"), how, "round")
