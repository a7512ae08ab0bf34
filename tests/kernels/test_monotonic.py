"""Conditions between neighbours and counts of numbers that rise, in blocks, against Python and np.bincount."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrowjag._kernels import strategy
from arrowjag._kernels.base.monotonic import all_neighbours, bincount_sorted

TYPES = [np.int8, np.uint8, np.int32, np.int64, np.uint64]


@pytest.mark.parametrize("block", [1, 3, 1000])
@given(st.lists(st.integers(0, 5), max_size=12))
def test_holds_between(block: int, numbers: list[int]) -> None:
    for wanted in (numbers, sorted(numbers), sorted(set(numbers)), list(range(3, 3 + len(numbers)))):
        data = np.array(wanted, np.int64)
        with strategy.force(PASS_VALUES=block):
            assert all_neighbours(np.greater, data) == all(before < item for before, item in pairwise(wanted))
            assert all_neighbours(np.greater_equal, data) == all(before <= item for before, item in pairwise(wanted))
            assert all_neighbours(lambda items, before: items - before == 1, data) == all(b - a == 1 for a, b in pairwise(wanted))


@pytest.mark.parametrize("place", range(1, 8))
@pytest.mark.parametrize("block", [1, 2, 3, 7, 8])
def test_one_pair_is_enough_to_fail(block: int, place: int) -> None:
    data = np.arange(8)
    data[place] = data[place - 1]
    with strategy.force(PASS_VALUES=block):
        assert not all_neighbours(np.greater, data)


def test_the_first_block_is_read_alone() -> None:
    asked = list[int]()

    def rises(items: Any, before: Any) -> Any:
        asked.append(len(items))
        return items > before

    with strategy.force(PASS_VALUES=2):
        assert not all_neighbours(rises, np.array([1, 0, 1, 2, 3, 4]))
        assert asked == [2]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("block", [1, 3, 1000])
@given(st.lists(st.integers(0, 9), max_size=20), st.integers(10, 13))
def test_bincount_sorted(block: int, dtype: type[np.integer[Any]], numbers: list[int], n: int) -> None:
    data = np.array(sorted(numbers), dtype)
    with strategy.force(PASS_VALUES=block):
        counts = bincount_sorted(data, n)
    assert counts.dtype == np.int64
    assert counts.tolist() == np.bincount(np.array(numbers, np.int64), minlength=n).tolist()


def test_count_of_no_numbers() -> None:
    assert bincount_sorted(np.zeros(0, np.int64), 0).tolist() == []
    assert bincount_sorted(np.zeros(0, np.uint64), 2).tolist() == [0, 0]


@pytest.mark.parametrize("block", [1, 2, 1000])
def test_count_of_numbers_at_the_end_of_their_type(block: int) -> None:
    with strategy.force(PASS_VALUES=block):
        assert bincount_sorted(np.array([0, 127, 127], np.int8), 128).nonzero()[0].tolist() == [0, 127]
        assert bincount_sorted(np.array([1, 255, 255], np.uint8), 256)[[0, 1, 254, 255]].tolist() == [0, 1, 0, 2]
