"""`x.S[...]`, take, filter, repeat, tile, concat and stack beside Koda, on random arrays and arguments, valid and not.

Koda has no null rows and no `x[...]` of numpy's kind: those are compared with lists elsewhere. Differences, all on purpose:

* Axes count from the outermost, or negative from the innermost; Koda's `ndim` counts from the innermost.
* `take` out of range is an error unless asked otherwise; in Koda it is missing.
* Masks are booleans; Koda's are present or missing.
* `repeat` refuses a negative size always; Koda only where there is an item to repeat.
* A range with a step is an IndexError in both.
"""

# ruff: noqa: B023 - every lambda is called before the loop goes on

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import arrowjag as aj
from tests.oracles.koda import Pair, array_pair, kd, outcome, plain, random_array, random_sizes

CASES = 250


def sizes_of(x: aj.JaggedArray) -> list[list[int]]:
    return [list(one) for one in x.shape.unpack()]


def index_pair(rng: random.Random, sizes: list[list[int]], nulls: float = 0.15) -> Pair:
    """Positions of these sizes."""
    n = sum(sizes[-1]) if sizes else 1
    values = [None if rng.random() < nulls else rng.randint(-3, 3) for _ in range(n)]
    if not sizes:
        value = values[0]
        return Pair(value, value)
    return array_pair(values, sizes)


def grown(rng: random.Random, sizes: list[list[int]]) -> list[list[int]]:
    """Sizes that are often a prefix of the given ones, the same, or longer."""
    kind = rng.random()
    if kind < 0.1:
        return random_sizes(rng, rng.randint(0, 2), 2)
    if kind < 0.5:
        return sizes[: rng.randint(0, len(sizes))]
    result = list(sizes)
    for _ in range(rng.randint(0, 2)):
        rows = sum(result[-1]) if result else 1
        result.append([rng.randint(0, 2) for _ in range(rows)])
    return result


def bound_pair(rng: random.Random, sizes: list[list[int]]) -> Pair:
    if rng.random() < 0.3:
        return Pair(None, None)
    if rng.random() < 0.5:
        value = rng.randint(-3, 3)
        return Pair(value, value)
    return index_pair(rng, grown(rng, sizes))


def key_pair(rng: random.Random, sizes: list[list[int]]) -> Pair:
    """An int, a range, or an array of positions."""
    kind = rng.random()
    if kind < 0.3:
        value = rng.randint(-3, 3)
        return Pair(value, value)
    if kind < 0.6:
        start, stop = bound_pair(rng, sizes), bound_pair(rng, sizes)
        return Pair(slice(start.ours, stop.ours), slice(start.theirs, stop.theirs))
    return index_pair(rng, grown(rng, sizes))


def keys_pair(rng: random.Random, x: aj.JaggedArray) -> Pair:
    """As many keys as there are dims, or fewer; now and then one too many; with or without an ellipsis."""
    count = rng.randint(0, x.ndim + (rng.random() < 0.1))
    dots = rng.randint(0, count) if rng.random() < 0.5 else None
    sizes = sizes_of(x)
    above = 0 if dots else max(0, x.ndim - count)
    keys = [key_pair(rng, sizes[: above + (place if rng.random() < 0.6 else 0)]) for place in range(count)]
    ours, theirs = [one.ours for one in keys], [one.theirs for one in keys]
    if dots is not None:
        ours.insert(dots, ...)
        theirs.insert(dots, ...)
    return Pair(tuple(ours), tuple(theirs))


def test_subslice() -> None:
    rng = random.Random("subslice")
    agreed = 0
    for _ in range(12 * CASES):
        x = random_array(rng, rng.randint(0, 3))
        keys = keys_pair(rng, x.ours)
        ours = outcome(lambda: x.ours.S[keys.ours])
        assert ours == outcome(lambda: x.theirs.S[keys.theirs]), (x.ours, keys.ours)
        agreed += ours != "refused"
    assert agreed > 4 * CASES


X = [[[1, 2], [3]], [[4, 5, 6]], [[7], [8, 9]]]
Y = [[1, None, 3], [], [4, 5]]
Z = [[[1, 2], [], [3]], [], [[4]]]


def missing(*values: int | None) -> aj.JaggedArray:
    return aj.array(list(values), type=pa.int64())


@pytest.mark.parametrize(
    ("data", "key", "expected"),
    [
        (X, 0, [[1, 3], [4], [7, 8]]),
        (X, -1, [[2, 3], [6], [7, 9]]),
        (X, 5, [[None, None], [None], [None, None]]),
        (X, (0, 1, 0), 3),
        (X, (2, ..., 0), [7, 8]),
        (X, (5, ...), []),
        (X, (5, 0, 0), None),
        (X, (slice(1, None), 0), [[3], [], [8]]),
        (X, (slice(0, -1), slice(0, 1), slice(1, None)), [[[2]], [[5, 6]]]),
        (X, (slice(-100, None), ...), X),
        (X, slice(missing(0, 1, 2), None), [[[1, 2], [3]], [[5, 6]], [[], []]]),
        (X, (slice(missing(0, 1, 2), missing(2, 3, None)), ...), [[X[0], X[1]], [X[1], X[2]], []]),
        (X, (missing(1, None, 0), ...), [X[1], [], X[0]]),
        (X, (missing(1, 2), aj.array([[0, 0], [1, 0]]), 0), [[4, 4], [8, 7]]),
        (Y, None, [None, None, None]),
        (Y, missing(0, 0, 1), [1, None, 5]),
        (Y, aj.array([[0, 1], [0], [1, 7, -1, -3, None]]), [[1, None], [None], [5, None, 5, None, None]]),
        (Y, slice(aj.array([[0, 1], [], [0]]), None), [[Y[0], [None, 3]], [], [[4, 5]]]),
        (Z, (slice(None), -1, 0), [3, None, 4]),
        (Z, (slice(None), 1, ...), [[], [], []]),
        (Z, (missing(None, 0), slice(None), ...), [[], Z[0]]),
    ],
)
def test_subslice_by_example(data: Any, key: Any, expected: Any) -> None:
    got = aj.array(data).S[key]
    assert (got.as_py() if isinstance(got, pa.Scalar) else got.to_list()) == expected


@pytest.mark.parametrize(
    "key", [(0, 0, 0), (..., ...), True, 1.0, "a", slice(0, 2, 1), aj.array([[0], [0]]), missing(0, 1)], ids=repr
)
def test_subslice_refuses(key: Any) -> None:
    with pytest.raises(
        (aj.ShapeError, aj.JagTypeError, aj.JagIndexError), match=r"an index|too many indices|dims|step|^S: .*is not a prefix of"
    ):
        aj.array(Y).S[key]


def test_null_rows_stay_null_in_a_subslice() -> None:
    x = aj.array([[1, 2], None, [3]])
    assert x.S[0].to_list() == [1, None, 3]
    assert x.S[1:].to_list() == [[2], None, []]
    assert x.S[aj.array([[0], [1, 1], [0, 5]])].to_list() == [[1], None, [3, None]]
    assert x.S[missing(1, 7, 0), ...].to_list() == [None, [], [1, 2]]
    assert x.S[:, None].to_list() == [None, None, None]


def test_take() -> None:
    rng = random.Random("take")
    for _ in range(3 * CASES):
        x = random_array(rng, rng.randint(0, 3))
        index = index_pair(rng, grown(rng, sizes_of(x.ours)[:-1]))
        if index.ours is None:
            continue
        ours = outcome(lambda: x.ours.take(index.ours, out_of_bounds="null"))
        assert ours == outcome(lambda: kd.take(x.theirs, index.theirs)), (x.ours, index.ours)


def mask_pair(rng: random.Random, sizes: list[list[int]]) -> Pair:
    n = sum(sizes[-1]) if sizes else 1
    flags = [rng.choice([True, False, None]) for _ in range(n)]
    numbers = array_pair([1 if flag else None for flag in flags], sizes)
    shape = aj.JaggedShape(*sizes)
    return Pair(aj.JaggedArray(shape, pa.array(flags, pa.bool_())), kd.has(numbers.theirs))


def test_filter_is_select() -> None:
    rng = random.Random("select")
    for _ in range(2 * CASES):
        x = random_array(rng, rng.randint(0, 3))
        mask = mask_pair(rng, grown(rng, sizes_of(x.ours))[: x.ours.ndim])
        ours = outcome(lambda: x.ours.filter(mask.ours))
        assert ours == outcome(lambda: kd.select(x.theirs, mask.theirs)), (x.ours, mask.ours)


def test_repeat_and_tile() -> None:
    rng = random.Random("repeat")
    for _ in range(CASES):
        x = random_array(rng, rng.randint(0, 3), 2)
        sizes = index_pair(rng, grown(rng, sizes_of(x.ours)), 0.02)
        if sizes.ours is None or (isinstance(sizes.ours, int) and sizes.ours < 0):
            continue
        ours = outcome(lambda: x.ours.repeat(sizes.ours))
        assert ours == outcome(lambda: kd.repeat(x.theirs, sizes.theirs)), (x.ours, sizes.ours)
        other = random_array(rng, rng.randint(0, 2), 2)
        ours = outcome(lambda: x.ours.tile(other.ours))
        assert ours == outcome(lambda: kd.tile(x.theirs, other.theirs.get_shape())), (x.ours, other.ours)


def test_repeat_counts_of_0_and_more() -> None:
    rng = random.Random("repeat counts")
    for _ in range(CASES):
        x = random_array(rng, rng.randint(0, 2), 3)
        sizes = sizes_of(x.ours)[: rng.randint(0, 2)]
        n = sum(sizes[-1]) if sizes else 1
        counts = array_pair([rng.randint(0, 3) for _ in range(n)], sizes)
        assert outcome(lambda: x.ours.repeat(counts.ours)) == outcome(lambda: kd.repeat(x.theirs, counts.theirs))


def parts(rng: random.Random, ndim: int) -> list[Pair]:
    """Arrays that agree in their outer dims, mostly."""
    shared = random_sizes(rng, rng.randint(1, ndim), 2)
    found = []
    for _ in range(rng.randint(1, 3)):
        sizes = list(shared) if rng.random() < 0.95 else random_sizes(rng, 1, 2)
        while len(sizes) < ndim:
            sizes.append([rng.randint(0, 2) for _ in range(sum(sizes[-1]))])
        found.append(array_pair([rng.choice([None, 1, 2]) for _ in range(sum(sizes[-1]))], sizes))
    return found


def test_concat_and_stack() -> None:
    rng = random.Random("concat")
    agreed = 0
    for _ in range(2 * CASES):
        ndim = rng.randint(1, 3)
        xs = parts(rng, ndim)
        last = rng.randint(1, ndim)
        ours = outcome(lambda: aj.concat([x.ours for x in xs], axis=ndim - last))
        assert ours == outcome(lambda: kd.concat(*(x.theirs for x in xs), ndim=last)), [x.ours for x in xs]
        agreed += ours != "refused"
        if all(x.ours.shape == xs[0].ours.shape for x in xs):
            axis = rng.randint(0, ndim)
            ours = outcome(lambda: aj.stack([x.ours for x in xs], axis=axis))
            assert ours == outcome(lambda: kd.stack(*(x.theirs for x in xs), ndim=ndim - axis))
    assert agreed > CASES


def test_zip_of_koda_is_a_stack_at_the_last_axis() -> None:
    rng = random.Random("zip")
    for _ in range(CASES):
        x = random_array(rng, rng.randint(0, 3), 2)
        y = index_pair(rng, sizes_of(x.ours)[: rng.randint(0, 3)])
        if not isinstance(y.ours, aj.JaggedArray):
            continue
        assert plain(aj.stack([x.ours, y.ours], axis=-1)) == plain(kd.zip(x.theirs, y.theirs)), (x.ours, y.ours)


def test_coalesce_and_where() -> None:
    rng = random.Random("coalesce")
    for _ in range(CASES):
        x, y = random_array(rng, 2, 2, 0.5), random_array(rng, 1, 2)
        if rng.random() < 0.8:
            y = array_pair([rng.choice([None, 1]) for _ in range(x.ours.shape[0].size)], sizes_of(x.ours)[:1])
        ours = outcome(lambda: aj.coalesce(x.ours, y.ours))
        assert ours == outcome(lambda: kd.coalesce(x.theirs, y.theirs))
        flags = mask_pair(rng, sizes_of(x.ours))
        ours = outcome(lambda: aj.where(flags.ours.fill_null(False), x.ours, y.ours))
        assert ours == outcome(lambda: kd.cond(flags.theirs, x.theirs, y.theirs))
