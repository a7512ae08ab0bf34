"""Loops that note the rows of the smallest number, the largest one and the first zero, as a user's compiled function calls them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import arrowjag as aj
from arrowjag._kernels.compiled import find
from arrowjag._ops.noted_rows import Noted, turn_of
from tests.kernels.rows import offsets_from

pytest.importorskip("numba")

NOTHING = [0, -1, 0, -1, -1]
ODD = [0.0, -0.0, -1e-300, 1e-300, -2.5, 2.5, -7.0, 7.0, np.inf, -np.inf]


def loop(name: str, nulls: bool) -> Any:
    with aj.options(compile="always"):
        found = find(name, np.dtype(np.int64), nulls, 1 << 40)
    assert found is not None
    return found


def noted(parts: Sequence[tuple[int, npt.NDArray[Any]]]) -> list[int]:
    """The rows of the smallest number, the largest one and a zero among numbers by row."""
    with_numbers = [(row, numbers) for row, numbers in parts if len(numbers)]
    if not with_numbers:
        return [-1, -1, -1]
    # -0.0 counts as less than 0.0, as its bits are
    least = min(with_numbers, key=lambda part: min((one, not np.signbit(one)) for one in part[1]))[0]
    most = max(with_numbers, key=lambda part: max((one, not np.signbit(one)) for one in part[1]))[0]
    return [least, most, next((row for row, numbers in with_numbers if (numbers == 0).any()), -1)]


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("seed", range(20))
def test_rows_are_noted_by_their_items(dtype: type[Any], seed: int) -> None:
    rng = np.random.default_rng(seed)
    notes, again = np.array([*NOTHING, 0, 0]), []
    for at in range(4):
        sizes = rng.integers(0, 9, 5)
        offsets = offsets_from(sizes)
        numbers = rng.choice(ODD if dtype is np.float64 else [-9, -3, 0, 3, 9], int(offsets[-1])).astype(dtype)
        idle = np.flatnonzero(rng.random(5) < 0.3 * (seed % 2))
        loop("noted_items", False)(numbers, offsets, 1, 5, idle, len(idle), turn_of(numbers.dtype), notes)
        inside = [int(row) for row in idle if row >= 1]
        pieces = zip([1, *(row + 1 for row in inside)], [*inside, 5], strict=True)  # noted as their first row
        again += [(first, numbers[offsets[first] : offsets[last]]) for first, last in pieces]
        assert noted(again) == notes[[1, 3, 4]].tolist(), at


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("nulls", [False, True])
def test_rows_are_noted_by_one_number_each(dtype: type[Any], nulls: bool) -> None:
    rng = np.random.default_rng(7)
    for n in [*range(12), 33, 100]:
        for among in (ODD, [2.5, 7.0], [-2.5, -7.0], [0.0, 7.0]):
            numbers = rng.choice(among, n).astype(np.float64)
            numbers = numbers if dtype is np.float64 else np.nan_to_num(numbers, posinf=99, neginf=-99).astype(np.int64)
            valid = rng.random(n) < 0.7 if nulls else np.ones(n, bool)
            notes = np.array([*NOTHING, 0, 0])
            loop("noted_rows", nulls)(numbers, valid.view(np.uint8), 0, n, 5, turn_of(numbers.dtype), notes)
            held = numbers[valid]
            assert notes[[1, 3]].tolist() == ([5, 5] if len(held) else [-1, -1])
            assert (notes[4] == 5) == (held == 0).any()
            if len(held):
                back = notes[[0, 2]] ^ ((notes[[0, 2]] >> 63) & turn_of(numbers.dtype))
                assert back.view(dtype).tolist() == [held.min(), held.max()]


@pytest.mark.parametrize(
    ("odd", "is_finite"), [(np.inf, False), (-np.inf, False), (np.nan, False), (-np.nan, False), (1e308, True)]
)
def test_numbers_that_are_not_finite_are_told(odd: float, is_finite: bool) -> None:
    noted_so_far = Noted.nothing(np.dtype(np.float64), 1, 1)
    assert noted_so_far.is_finite
    numbers = np.array([1.0, odd, -2.0])
    loop("noted_rows", False)(numbers, None, 0, 3, 0, turn_of(numbers.dtype), noted_so_far.notes)
    assert noted_so_far.is_finite == is_finite
