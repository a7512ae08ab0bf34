"""Weights inside rows against loops over their items: by numpy and by compiled loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrowjag._kernels.compiled.loop import PIECE
from arrowjag._kernels.scan import weights
from tests.compiled_calls import forced
from tests.kernels.rows import offsets_from, to_lists

SIZES = [0, 1, 2, 0, 5, 9, 0]
LONG = [PIECE - 1, 0, PIECE, PIECE + 1, 2 * PIECE, 0, 3 * PIECE + 7, 1]


@pytest.fixture(params=["numpy", "compiled"])
def by(request: pytest.FixtureRequest) -> Iterator[str]:
    with forced(request.param, "weights", "decay") as taken:
        yield request.param
    assert {name for operation, name in taken if operation in ("weights", "decay")} <= {request.param}


def shares_of(row: list[Any], beta: float) -> list[float]:
    """The shares of a row from exact differences."""
    exponents = [Fraction(item) * Fraction(beta) for item in row if item is not None]
    top = max(exponents, default=Fraction())
    parts = [math.exp(one - top) if one - top > -1000 else 0.0 for one in exponents]
    shares = iter(part / math.fsum(parts) for part in parts)
    return [0.0 if item is None else next(shares) for item in row]


@pytest.mark.parametrize("type", ["f8", "f4", "f2", "i8", "u8", "i1", "u2"])
def test_softmax(type: str, by: str) -> None:
    rng, offsets = np.random.default_rng(0), offsets_from(SIZES)
    n = int(offsets[-1])
    data = (rng.normal(size=n) * 3 if type[0] == "f" else rng.integers(0, 9, n)).astype(type)
    if type in ("i8", "u8"):  # rows of large numbers, far from the smallest and near the largest
        data[8:] += np.array(2**62 + 1, type)
        data[11] = np.iinfo(type).min
    some = rng.random(n) < 0.7
    some[3:5] = False
    tolerance = {"f4": 1e-6, "f2": 1e-3}.get(type, 1e-12)
    for valid, beta in itertools.product([None, some], [1.0, 2.0, 0.5, 0.0, -0.5, -1.0, -3.0]):
        found, told = weights.softmax(data, valid, offsets, beta)
        assert told is valid
        assert found.dtype == (type if type[0] == "f" else "f8")
        wanted = [share for row in to_lists(data, valid, offsets) for share in shares_of(row, beta)]
        plain = np.where(True if valid is None else valid, found, 0)
        assert plain.tolist() == pytest.approx(wanted, rel=tolerance, abs=tolerance)


def test_softmax_of_items_that_are_not_finite(by: str) -> None:
    rows = [[np.nan, 1.0], [np.inf, 1.0], [-np.inf, 1.0], [-np.inf, -np.inf], [1e300, -1e300], [800.0, 800.0]]
    with np.errstate(all="ignore"):
        found, _ = weights.softmax(np.array(rows).ravel(), None, offsets_from([2] * len(rows)))
    nan = np.nan
    np.testing.assert_array_equal(found.reshape(-1, 2), [[nan, nan], [nan, nan], [0, 1], [nan, nan], [1, 0], [0.5, 0.5]])


def states_of(row: list[Any], keep: float) -> list[tuple[float, float, float, float]]:
    """Weight, sum of squared weights, weighted mean and sum of squared deviations up to each item."""
    found = []
    for end in range(1, len(row) + 1):
        pairs = [(Fraction(keep) ** (end - 1 - at), Fraction(item)) for at, item in enumerate(row[:end]) if item is not None]
        weight = sum((one for one, _ in pairs), Fraction())
        mean = sum((one * item for one, item in pairs), Fraction()) / weight if weight else Fraction()
        spread = sum((one * (item - mean) ** 2 for one, item in pairs), Fraction())
        found.append((float(weight), float(sum(one * one for one, _ in pairs)), float(mean), float(spread)))
    return found


@pytest.mark.parametrize("type", ["f8", "i8", "u8", "f4", "i2", "?"])
def test_decayed(type: str, by: str) -> None:
    rng, offsets = np.random.default_rng(1), offsets_from(SIZES)
    n = int(offsets[-1])
    data = (rng.normal(size=n) if type[0] == "f" else rng.integers(0, 9, n)).astype(type)
    far = 2**61 if type == "i8" else 2**63 if type == "u8" else 0
    data += np.array(far, type)
    for valid, keep in itertools.product([None, rng.random(n) < 0.7], [0.75, 1.0, 0.0]):
        found = weights.decayed(data, valid, offsets, keep)
        wanted = np.array([state for row in to_lists(data, valid, offsets) for state in states_of(row, keep)]).T
        for one, told in zip(found[:2] + found[3:4], (wanted[0], wanted[1], wanted[3]), strict=True):
            assert one.tolist() == pytest.approx(told.tolist(), rel=1e-9, abs=1e-9)
        if not far:
            weighs = wanted[0] > 0
            assert found.mean[weighs].tolist() == pytest.approx(wanted[2][weighs].tolist(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("sizes", [LONG, [PIECE] * 3, [0], [], [PIECE * PIECE + 300, 0, PIECE * PIECE]], ids=str)
def test_states_of_pieces_are_merged(sizes: list[int], nulls: bool) -> None:
    """With the same bits by both strategies; weights and means are those of a running recurrence."""
    pytest.importorskip("numba")
    rng, offsets, keep = np.random.default_rng(2), offsets_from(sizes), 0.999
    n = int(offsets[-1])
    data = rng.normal(size=n)
    valid = rng.random(n) < 0.7 if nulls else None
    results = []
    for by in ("numpy", "compiled"):
        with forced(by, "decay"):
            results.append(weights.decayed(data, valid, offsets, keep))
    for one, two in zip(*results, strict=True):
        assert one.tobytes() == two.tobytes()
    ones = np.ones(n) if valid is None else valid.astype(float)
    weight, total, at = 0.0, 0.0, 0
    for size in sizes:
        weight = total = 0.0
        for at in range(at, at + size):  # noqa: B020 - the same place
            weight, total = weight * keep + ones[at], total * keep + ones[at] * data[at]
            assert results[0].weight[at] == pytest.approx(weight, rel=1e-9)
            assert weight == 0 or results[0].mean[at] == pytest.approx(total / weight, abs=1e-9)
        at += size > 0
