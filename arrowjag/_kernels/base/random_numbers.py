"""Draw random numbers on all cores: the numbers that one generator draws in sequence, for any number of blocks."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.blocks import cut_rows, map_tasks
from arrowjag._kernels.base.fill import fill

__all__ = ["generator", "map_drawn", "random_raw", "uniform"]


def generator(seed: int) -> np.random.Generator:
    """The generator ``np.random.default_rng(seed)``, at a tenth of its 10 microseconds for a seed that has been used before."""
    return np.random.default_rng(_seeded(seed))


@functools.lru_cache(256)
def _seeded(seed: int) -> Any:
    return _kept_seeds()(seed)


@functools.cache
def _kept_seeds() -> type[Any]:
    """A class of seeds that keeps the state, which numpy's computes anew for each generator; imports numpy.random when needed."""
    from numpy.random.bit_generator import ISeedSequence

    class KeptSeed(ISeedSequence):
        def __init__(self, seed: int) -> None:
            self._words = functools.cache(np.random.SeedSequence(seed).generate_state)

        def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
            return self._words(n_words, dtype)

    return KeptSeed


def uniform(generator: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw ``generator.random(n)`` on all cores: n floats from 0 to below 1."""
    if n <= strategy.sizes.PASS_VALUES:
        return generator.random(n)

    def draw(bits: Any, out: NDArray[np.float64]) -> None:
        np.random.Generator(bits).random(out=out)

    return _drawn(generator, draw, n, np.float64)


def random_raw(generator: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """Return the next n integers of 64 bits from which the generator makes its numbers, as numpy's `random_raw`."""
    if n <= strategy.sizes.PASS_VALUES:
        return np.asarray(generator.bit_generator.random_raw(n))

    def draw(bits: Any, out: NDArray[np.uint64]) -> None:
        out[:] = bits.random_raw(len(out))

    return _drawn(generator, draw, n, np.uint64)


def _drawn(generator: np.random.Generator, draw: Callable[[Any, Any], None], n: int, dtype: npt.DTypeLike) -> NDArray[Any]:
    """Draw numbers that each consume one raw integer: a block skips as many raw integers as there are numbers before it."""
    bits: Any = generator.bit_generator
    state = bits.state

    def work(items: slice, out: NDArray[Any]) -> None:
        own = type(bits)(0)
        own.state = state
        own.advance(items.start)
        draw(own, out)

    found = fill(work, n, dtype)
    bits.advance(n)
    return found


def map_drawn(
    draw: Callable[[int], NDArray[Any]], function: Callable[[int, int, NDArray[Any]], object], offsets: NDArray[np.int64]
) -> None:
    """Call function(first_row, last_row, numbers) on blocks of rows, on all cores, with a number for each of their items.

    Parameters
    ----------
    draw : callable
        Returns the next n numbers of a generator. Each may consume several raw integers, so that blocks draw one after another,
        while others compute.
    function : callable
    offsets : (n_rows + 1,) int64 array
    """
    n_values = int(offsets[-1])
    found = cut_rows(offsets, -(-n_values // strategy.sizes.CACHE_VALUES))
    queue = ((first, last, draw(int(offsets[last] - offsets[first]))) for first, last in found)
    taking = threading.Lock()

    def work(_: int) -> None:
        with taking:
            block = next(queue, None)  # None where an error has ended the queue
        if block is not None:
            function(*block)

    map_tasks(work, range(len(found)))
