"""Random numbers drawn in blocks, against those that one generator of numpy draws one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrowjag as aj
from arrowjag._kernels import strategy
from arrowjag._kernels.base import random_numbers

SIZES = [0, 1, 2, 3, 4, 7, 1000, 1001]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("block", [1, 3, 1000])
def test_blocks_draw_what_one_generator_draws(block: int, n: int) -> None:
    """Numbers drawn after them are the same too."""
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    with strategy.force(PASS_VALUES=block):
        for _ in range(2):
            assert random_numbers.uniform(one, n).tolist() == other.random(n).tolist()
            assert random_numbers.random_raw(one, n).tolist() == other.bit_generator.random_raw(n).tolist()
    assert one.standard_normal() == other.standard_normal()


@pytest.mark.parametrize("block", [1, 3, 1 << 20])
def test_seeds_give_the_same_results_whatever_the_blocks(block: int) -> None:
    x = aj.arange(7, [3, 0, 5, 1, 2, 8, 4])
    with strategy.force(PASS_VALUES=block, THREAD_VALUES=min(block, 200_000), CACHE_VALUES=block):
        assert aj.random(7, [3, 0, 5, 1, 2, 8, 4], seed=3).values.to_pylist() == np.random.default_rng(3).random(23).tolist()
        assert x.sample(fraction=0.5, seed=3).to_list() == [[0, 1], [], [4, 5, 6, 7], [], [9, 10], [12, 16], [19, 20, 22]]
        assert x.sample(n=2, seed=3).to_list() == [[1, 2], [], [3, 4], [8], [9, 10], [15, 18], [19, 21]]
        shuffled = [[1, 2, 0], [], [4, 3, 7, 5, 6], [8], [9, 10], [18, 15, 14, 11, 13, 12, 16, 17], [19, 21, 20, 22]]
        assert x.shuffle(3).to_list() == shuffled
        means = [[2 / 3, 1.0], [None, None], [4.2, 4.8], [8.0, 8.0], [9.0, 10.0], [15.375, 14.75], [20.25, 21.25]]
        assert x.bootstrap(2, seed=3).to_list() == means


def _sampled(rows: list[list[float]], n: int, seed: int) -> list[list[float]]:
    """The n items of each row, which are their own weights, with the smallest exponential variates over the weights."""
    generator, found = np.random.default_rng(seed), []
    for row in rows:
        keys = [key / item for key, item in zip(generator.standard_exponential(len(row)).tolist(), row, strict=True)]
        first = sorted(range(len(row)), key=keys.__getitem__)[:n]
        found.append([row[place] for place in sorted(first)])
    return found


@pytest.mark.parametrize("block", [1, 40, 1 << 20])
def test_blocks_of_weighted_rows_draw_in_turn(block: int, with_and_without_loops: str) -> None:
    sizes = np.random.default_rng(1).integers(0, 9, 300)
    rows = [[float(item) for item in range(1, size + 1)] for size in sizes]
    x = aj.array(rows)
    with strategy.force(THREAD_VALUES=block, CACHE_VALUES=block):
        assert x.sample(n=2, seed=7, weights=x).to_list() == _sampled(rows, 2, 7)


def test_an_error_of_a_block_that_draws_is_raised() -> None:
    def fail(first: int, last: int, numbers: Any) -> None:
        raise ValueError(f"rows {first} to {last}: {len(numbers)}")

    with strategy.force(THREAD_VALUES=1, CACHE_VALUES=2), pytest.raises(ValueError, match="rows 0 to 2: 2"):
        random_numbers.map_drawn(np.zeros, fail, np.arange(9))


def test_without_a_seed_numbers_differ() -> None:
    with strategy.force(PASS_VALUES=3):
        assert not aj.random(40).equals(aj.random(40))


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**200])
def test_a_generator_is_that_of_numpy_however_often_its_seed_was_used(seed: int) -> None:
    for _ in range(3):
        assert random_numbers.generator(seed).random(3).tolist() == np.random.default_rng(seed).random(3).tolist()
