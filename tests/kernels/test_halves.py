"""Conversions between float16 and float32 against numpy's, bit by bit, in one part and in many."""

from __future__ import annotations

import numpy as np
import pytest

from arrowjag._kernels import strategy
from arrowjag._kernels.elementwise.halves import to_halves, to_singles

EVERY_HALF = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


@pytest.fixture(params=["one part", "parts"], autouse=True)
def by(request):
    sizes = {"WORD_VALUES": 1000, "PASS_VALUES": 8000, "LIGHT_BYTES": 0} if request.param == "parts" else {}
    with strategy.force(**sizes):
        yield


def test_every_half_and_back():
    singles = to_singles(EVERY_HALF)
    assert singles.view(np.uint32).tolist() == EVERY_HALF.astype(np.float32).view(np.uint32).tolist()
    halves, is_nan = to_halves(singles), np.isnan(EVERY_HALF)
    assert halves[~is_nan].view(np.uint16).tolist() == EVERY_HALF[~is_nan].view(np.uint16).tolist()
    assert np.isnan(halves[is_nan]).all()
    assert (np.signbit(halves) == np.signbit(EVERY_HALF)).all()


def test_numbers_between_two_halves_round_to_the_even_one():
    with np.errstate(all="ignore"):
        singles = to_singles(EVERY_HALF)
        singles = singles[np.isfinite(singles)]
        middle = ((singles[:-1].astype(np.float64) + singles[1:]) / 2).astype(np.float32)
        some = np.concatenate([singles, middle])
        near = np.concatenate([some, np.nextafter(some, np.float32(np.inf)), np.nextafter(some, np.float32(-np.inf))])
        expected = near.astype(np.float16)
    assert to_halves(near).view(np.uint16).tolist() == expected.view(np.uint16).tolist()


def test_any_bits():
    singles = np.random.default_rng(0).integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        expected, is_nan = singles.astype(np.float16), np.isnan(singles)
    found = to_halves(singles)
    assert np.isnan(found[is_nan]).all()
    assert found[~is_nan].view(np.uint16).tolist() == expected[~is_nan].view(np.uint16).tolist()


def test_no_items():
    assert to_halves(np.zeros(0, np.float32)).dtype == np.float16
    assert to_singles(np.zeros(0, np.float16)).dtype == np.float32
