"""Operations along dims beside Koda, on random arrays.

Koda has no null rows: those are compared with lists elsewhere. Its `ndim` counts trailing dims together, which here is a tuple of
axes. Differences, all on purpose:

* Ranks start at 1; Koda's at 0.
* `median` is the mean of the two middle items; Koda's is the lower one, which is ``quantile(0.5, "lower")``.
* `cdf` is float64; Koda's float32. Results are compared with its precision. Where the weights sum to 0 it is null; Koda's is NaN.
* NaN is left out here: Koda puts every NaN into a group and a dense rank of its own, in no stable order, lets NaN poison min, max
  and running extremes, and unsorts groups with `sort=True`. Here NaN equals NaN, and extremes ignore it.
* Integer sums raise where Koda's wrap around: numbers here are small.
* Koda's `sample` and `shuffle` draw other numbers.
"""

# ruff: noqa: B023 - every lambda is called before the loop goes on

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from arrowjag.testing import assert_lists_equal
from tests.oracles.koda import Pair, array_pair, kd, outcome, random_array, random_sizes, shape_pair

CASES = 120


def floats_pair(rng: random.Random, ndim: int) -> Pair:
    sizes = random_sizes(rng, ndim)
    n = sum(sizes[-1])
    values = [None if rng.random() < 0.2 else rng.randint(-6, 6) / 2 for _ in range(n)]
    shapes = shape_pair(sizes)
    ours = aj.JaggedArray(shapes.ours, pa.array(values, pa.float64()))
    return Pair(ours, kd.slice(values, kd.FLOAT64).reshape(shapes.theirs))


def compare(ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Same shape, same sizes, same values; or both refuse."""
    got, expected = outcome(ours), outcome(theirs)
    assert_lists_equal(got, expected, rel_tol=1e-6, abs_tol=1e-6)


def axes(ndim: int, count: int) -> tuple[int, ...]:
    return tuple(range(ndim - count, ndim))


def draws(seed: str, make: Callable[[random.Random, int], Pair] = random_array) -> Any:
    """Arrays of one to three dims, and how many trailing dims to take together; none of them is each item alone."""
    rng = random.Random(seed)
    for _ in range(CASES):
        ndim = rng.randint(1, 3)
        yield rng, make(rng, ndim), ndim, rng.randint(0, ndim)


OF_INTEGERS: dict[str, Callable[..., Any]] = {
    "sum": kd.math.agg_sum,
    "min": kd.math.agg_min,
    "max": kd.math.agg_max,
    "count": kd.slices.agg_count,
    "argmin": kd.math.argmin,
    "argmax": kd.math.argmax,
    "collapse": kd.slices.collapse,
    "cumsum": kd.math.cum_sum,
    "cummin": kd.math.cum_min,
    "cummax": kd.math.cum_max,
    "cumcount": kd.slices.cum_count,
}
OF_FLOATS: dict[str, Callable[..., Any]] = {
    "mean": kd.math.agg_mean,
    "var": kd.math.agg_var,
    "std": kd.math.agg_std,
    "softmax": kd.math.softmax,
    "cdf": kd.math.cdf,
}


@pytest.mark.parametrize("name", OF_INTEGERS | OF_FLOATS)
def test_reductions_and_scans_over_the_last_dims(name: str) -> None:
    drawn, koda = (draws(name), OF_INTEGERS[name]) if name in OF_INTEGERS else (draws(name, floats_pair), OF_FLOATS[name])
    for _, x, ndim, count in drawn:
        compare(lambda: getattr(x.ours, name)(axes(ndim, count)), lambda: koda(x.theirs, ndim=count))


def test_the_lower_median() -> None:
    for _, x, ndim, count in draws("median", floats_pair):
        ours = lambda: x.ours.quantile(0.5, "lower", axes(ndim, count))  # noqa: E731
        compare(ours, lambda: kd.math.agg_median(x.theirs, ndim=count))


def beside(rng: random.Random, x: Pair, low: int, high: int) -> Pair:
    """Integers in the shape of an array, or of its dims but the last ones; some are missing."""
    sizes = [list(one) for one in x.ours.shape.unpack()][: rng.randint(1, x.ours.ndim)]
    return array_pair([None if rng.random() < 0.1 else rng.randint(low, high) for _ in range(sum(sizes[-1]))], sizes)


def without_nan(found: Any) -> Any:
    return found & (found == found)  # noqa: PLR0124 - NaN differs from itself


def test_shares_of_weights() -> None:
    for rng, x, ndim, count in draws("weights", floats_pair):
        w = beside(rng, x, 0, 4)
        theirs = lambda: without_nan(kd.math.cdf(x.theirs, w.theirs, ndim=count))  # noqa: E731
        compare(lambda: x.ours.cdf(axes(ndim, count), weights=w.ours), theirs)


@pytest.mark.parametrize(("method", "koda"), [("ordinal", kd.slices.ordinal_rank), ("dense", kd.slices.dense_rank)])
def test_ranks_start_one_higher(method: str, koda: Callable[..., Any]) -> None:
    for rng, x, ndim, count in draws(method):
        falls = rng.random() < 0.5
        theirs = lambda: koda(x.theirs, descending=falls, ndim=count) + kd.item(1, kd.INT64)  # noqa: E731
        compare(lambda: x.ours.rank(method, falls, axes(ndim, count)), theirs)


def test_ties_are_broken_by_integers() -> None:
    for rng, x, ndim, count in draws("ties"):
        falls, ties = rng.random() < 0.5, beside(rng, x, -2, 2)
        few = x._replace(ours=x.ours // 5, theirs=x.theirs // 5)
        theirs = lambda: kd.slices.ordinal_rank(few.theirs, ties.theirs, falls, count) + kd.item(1, kd.INT64)  # noqa: E731
        compare(lambda: few.ours.rank("ordinal", falls, axes(ndim, count), tie_breaker=ties.ours), theirs)


def test_sort_and_sort_by() -> None:
    for rng, x, ndim, _ in draws("sort"):
        falls = rng.random() < 0.5
        compare(lambda: x.ours.sort(falls), lambda: kd.sort(x.theirs, descending=falls))
        sizes = [list(one) for one in x.ours.shape.unpack()]
        by = array_pair([rng.randint(-3, 3) for _ in range(x.ours.size)], sizes)
        assert by.ours.ndim == ndim
        compare(lambda: x.ours.sort(falls, by=by.ours), lambda: kd.sort(x.theirs, by.theirs, falls))


def test_reverse_unique_and_groups() -> None:
    for rng, x, _, _ in draws("groups"):
        compare(x.ours.reverse, lambda: kd.slices.reverse(x.theirs))
        compare(x.ours.unique, lambda: kd.slices.unique(x.theirs))
        compare(x.ours.group_by, lambda: kd.slices.group_by(x.theirs))
        sizes = [list(one) for one in x.ours.shape.unpack()]
        keys = [
            array_pair([None if rng.random() < 0.2 else rng.randint(0, 2) for _ in range(x.ours.size)], sizes) for _ in range(2)
        ]
        ours, theirs = [key.ours for key in keys], [key.theirs for key in keys]
        compare(lambda: x.ours.group_by(*ours), lambda: kd.slices.group_by(x.theirs, *theirs))
        falls = rng.random() < 0.5
        compare(lambda: x.ours.group_by_indices(*ours, sort=falls), lambda: kd.slices.group_by_indices(*theirs, sort=falls))


def test_inverse_permutations() -> None:
    rng = random.Random("inverse")
    for _ in range(CASES):
        sizes = random_sizes(rng, rng.randint(1, 3))
        values: list[int | None] = []
        for size in sizes[-1]:
            row: list[Any] = rng.sample(range(size), size)
            row = [None if rng.random() < 0.2 else one for one in row]
            if row and rng.random() < 0.05:
                row[0] = rng.choice([-1, size, row[-1]])
            values += row
        p = array_pair(values, sizes)
        compare(p.ours.inverse_permutation, lambda: kd.slices.inverse_mapping(p.theirs))


def test_translate() -> None:
    rng = random.Random("translate")
    for _ in range(CASES):
        frame = random_sizes(rng, rng.randint(0, 2))
        rows = sum(frame[-1]) if frame else 1
        widths = [rng.randint(0, 3) for _ in range(rows)]
        keys: list[Any] = [key for width in widths for key in rng.sample([None, *range(6)], width)]
        if keys and rng.random() < 0.1:
            keys[0] = keys[-1]
        table = array_pair(keys, [*frame, widths])
        values = array_pair([rng.randint(10, 99) for _ in keys], [*frame, widths])
        x = array_pair([rng.choice([None, *range(6)]) for _ in range(rows * 2)], [*frame, [2] * rows])
        compare(
            lambda: x.ours.translate(table.ours, values.ours), lambda: kd.slices.translate(x.theirs, table.theirs, values.theirs)
        )


def test_joined_texts() -> None:
    rng = random.Random("join")
    for _ in range(CASES):
        sizes = random_sizes(rng, 2)
        words = [rng.choice(["a", "bc", "", None]) for _ in range(sum(sizes[-1]))]
        ours = aj.JaggedArray(aj.JaggedShape(*sizes), pa.array(words, pa.large_string()))
        theirs = kd.slice(words, kd.STRING).reshape(shape_pair(sizes).theirs)
        compare(lambda: ours.join("-"), lambda: kd.strings.agg_join(theirs, "-"))
