"""Variances and central moments of each row.

A variance takes two passes: the mean, then squared deviations from it, with the correction term. Deviations for higher moments are
taken in two steps: from the first item of the row, which is exact where items are close to each other, and then from the mean of
these distances, so that the deviations of a row of equal items are exactly 0. All sums are added in the order of `row_sums`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.fill import filled, spread_rows
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import count_block
from arrowjag._kernels.compiled import Compiled
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.reduce.ordered import add_pieces, are_shared, row_sums
from arrowjag._kernels.reduce.segments import Block, Valid, moments, shifted

__all__ = [
    "deviations",
    "entropy",
    "kurtosis",
    "moment",
    "sem",
    "skew",
    "std",
    "var",
    "variance_of",
]

Floats = NDArray[np.float64]
Finish = Callable[[Block, Floats], Any]


def var(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int = 1) -> tuple[NDArray[Any], Valid]:
    """The variance of each row, exact for integers of 64 bits; null where a row has `ddof` items or fewer; types as `mean`.

    All sums are taken in the order of `row_sums`. The squared sum of the deviations, divided by their number, is
    subtracted: it would be 0 if the mean were exact.
    """
    return _variances(data, valid, offsets, ddof, lambda _block, _out: None)


def std(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int = 1) -> tuple[NDArray[Any], Valid]:
    """The standard deviation of each row; as `var` otherwise."""
    return _variances(data, valid, offsets, ddof, lambda _block, out: np.sqrt(out, out=out))


def _variances(
    data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int, finish: Finish
) -> tuple[NDArray[Any], Valid]:
    """The variances of rows, to which `finish` applies a function in place, block by block."""

    def work(block: Block, out: NDArray[np.float64]) -> NDArray[np.bool_]:
        enough = variance_of(block, out, ddof)
        finish(block, out)
        return enough

    loop = find_loop("squares", data.dtype, valid is not None, len(data))
    whole = strategy.choose("variance", loop is not None) == "compiled"  # the loop has no temporaries, so it needs no blocks
    return moments(work, data, valid, offsets, strategy.sizes.LARGE_VALUES, whole)


def variance_of(block: Block, out: NDArray[np.float64], ddof: int) -> NDArray[np.bool_]:
    """Fill `out` with the variances of a block, and say which rows have more than `ddof` items."""
    data = block.data if block.data.dtype.kind == "f" else shifted(block)
    shared = are_shared(len(data), len(out))
    loop = find_loop("piece_squares" if shared else "squares", data.dtype, block.valid is not None, len(data), often=True)
    loop = strategy.loop_of("variance", loop)
    if loop is None:
        n = block.counts.astype(np.float64)
        _squares(data, block.valid, block.offsets, n, out)
    elif shared:
        n = block.counts.astype(np.float64)
        _squares_of_long_rows(loop, np.ascontiguousarray(data), block.valid, block.offsets, n, out)
    else:
        n = empty(len(out), np.float64)
        loop(np.ascontiguousarray(data), block.valid, block.offsets, 0, len(out), n, out)
    np.maximum(out, 0, out=out)  # the correction can leave a rounding below 0
    enough: NDArray[np.bool_] = n > builtins.max(ddof, 0)
    n -= ddof
    out /= n
    return enough


def _squares_of_long_rows(
    loop: Compiled, data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], n: Floats, out: NDArray[np.float64]
) -> None:
    """The sum of squared deviations of each row, of which all cores share the pieces."""
    row_sums(data, valid, offsets, out)
    for row in n.nonzero()[0].tolist():
        mean = out[row] / n[row]
        apart, squared = add_pieces(lambda at, end, sums: loop(data, valid, at, end, mean, sums), offsets, row, 2)  # noqa: B023
        out[row] = squared - apart * apart / n[row]


def _squares(
    data: NDArray[Any],
    valid: Valid,
    offsets: NDArray[np.int64],
    n: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """The sum of squared deviations of each row, as the compiled loop of this name computes it."""
    row_sums(data, valid, offsets, out)
    deviations = spread_rows(out / n, offsets)
    np.subtract(data, deviations, out=deviations)
    if valid is not None:
        deviations = filled(deviations, valid, 0)
    correction = empty(len(out), np.float64)
    row_sums(deviations, None, offsets, correction)
    row_sums(np.multiply(deviations, deviations, out=empty(len(deviations), np.float64)), None, offsets, out)
    correction *= correction
    correction /= n
    out -= correction


class Deviations(NamedTuple):
    """The deviations of the items of some rows."""

    counts: Floats
    """The number of items of each row that are not null."""
    means: Floats
    """The mean of each row; unspecified for a row without items."""
    items: Floats
    """Each item less the mean of its row, 0 for a null."""


def deviations(block: Block) -> Deviations:
    """The deviations from the mean of each row."""
    n = block.counts.astype(np.float64)
    values = block.filled(0, np.float64) if block.data.dtype.kind == "f" else shifted(block)
    origin = _first_items(values, block.valid, block.offsets)
    items = spread_rows(origin, block.offsets)
    np.subtract(values, items, out=items)
    items = items if block.valid is None else filled(items, block.valid, 0)
    means = empty(len(n), np.float64)
    row_sums(items, None, block.offsets, means)
    means /= n
    items = np.subtract(items, spread_rows(means, block.offsets), out=empty(len(items), np.float64))
    items = items if block.valid is None else filled(items, block.valid, 0)
    return Deviations(n, origin + means, items)


def _first_items(values: Floats, valid: Valid, offsets: NDArray[np.int64]) -> Floats:
    """The first item of each row that is not null; 0 for a row without items."""
    out = zeros(len(offsets) - 1, np.float64)
    if valid is None:
        full = offsets[1:] > offsets[:-1]
        out[full] = values[offsets[:-1][full]]
        return out
    counts = count_block(valid, offsets)
    full = counts > 0
    before = np.cumsum(counts) - counts
    out[full] = values[valid.nonzero()[0][before[full]]]
    return out


def _sums_of_powers(block: Block, powers: Sequence[int]) -> tuple[Floats, list[Floats]]:
    """The number of items of each row, and the sums of some powers of their deviations; powers rise from 2 on."""
    data = block.data if block.data.dtype.kind == "f" else shifted(block)
    loop = find_loop("central", data.dtype, block.valid is not None, len(data), often=True) if powers[-1] <= 4 else None
    loop = strategy.loop_of("central", loop)
    if loop is not None:
        n, *sums = (empty(len(block.offsets) - 1, np.float64) for _ in range(4))
        loop(np.ascontiguousarray(data), block.valid, block.offsets, 0, len(n), n, *sums)
        return n, [sums[power - 2] for power in powers]
    n, _, items = deviations(block)
    found, power, done = [], items, 1
    for wanted in powers:
        if wanted - done > 64:  # by `pow`, whose time does not grow with the power
            power, done = np.power(np.abs(items), float(wanted)) * (np.sign(items) if wanted % 2 else 1.0), wanted
        while done < wanted:
            power = np.multiply(power, items, out=empty(len(items), np.float64) if done == 1 else power)
            done += 1
        found.append(empty(len(n), np.float64))
        row_sums(power, None, block.offsets, found[-1])
    return n, found


def _central(
    work: Callable[[Block, Floats], NDArray[np.bool_]], data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], power: int = 4
) -> tuple[NDArray[Any], Valid]:
    """Run `work` on blocks: large ones for the compiled loop, others that stay in cache."""
    loop = find_loop("central", data.dtype, valid is not None, len(data)) if power <= 4 else None
    if strategy.loop_of("central", loop) is not None:
        return moments(work, data, valid, offsets, strategy.sizes.LARGE_VALUES, True)
    return moments(work, data, valid, offsets, strategy.sizes.CACHE_VALUES)


def skew(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """The skewness of each row, corrected for bias; null below 3 items, NaN where all items are equal."""

    def work(block: Block, out: Floats) -> NDArray[np.bool_]:
        n, (m2, m3) = _sums_of_powers(block, (2, 3))
        np.divide(m3, m2 * np.sqrt(m2), out=out)
        out *= n * np.sqrt(n - 1) / (n - 2)
        enough: NDArray[np.bool_] = n > 2
        return enough

    return _central(work, data, valid, offsets)


def kurtosis(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """The excess kurtosis of each row, corrected for bias; null below 4 items, NaN where all items are equal."""

    def work(block: Block, out: Floats) -> NDArray[np.bool_]:
        n, (m2, m4) = _sums_of_powers(block, (2, 4))
        below = (n - 2) * (n - 3)
        np.divide(m4, m2 * m2, out=out)
        out *= n * (n + 1) * (n - 1) / below
        out -= 3 * (n - 1) ** 2 / below
        enough: NDArray[np.bool_] = n > 3
        return enough

    return _central(work, data, valid, offsets)


def moment(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], k: int) -> tuple[NDArray[Any], Valid]:
    """The k-th central moment of each row, k at least 2: the mean of the k-th powers of the deviations."""

    def work(block: Block, out: Floats) -> NDArray[np.bool_]:
        n, (total,) = _sums_of_powers(block, (k,))
        np.divide(total, n, out=out)
        enough: NDArray[np.bool_] = n > 0
        return enough

    return _central(work, data, valid, offsets, k)


def sem(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], ddof: int = 1) -> tuple[NDArray[Any], Valid]:
    """The standard error of the mean of each row; null where a row has `ddof` items or fewer."""

    def finish(block: Block, out: Floats) -> None:
        out /= block.counts
        np.sqrt(out, out=out)

    return _variances(data, valid, offsets, ddof, finish)


def entropy(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], Valid]:
    """The entropy of each row in nats, items taken as weights: NaN where they add up to 0, -inf where a share is negative."""

    def work(block: Block, out: Floats) -> NDArray[np.bool_]:
        weights = block.data.astype(np.float64, copy=False)
        total = empty(len(out), np.float64)
        row_sums(weights, block.valid, block.offsets, total)
        shares = spread_rows(total, block.offsets)
        np.divide(weights, shares, out=shares)
        if block.valid is not None:
            shares = filled(shares, block.valid, 1)  # whose term is 0
        terms = np.log(shares)
        np.multiply(terms, shares, out=terms)
        np.negative(terms, out=terms)
        if len(shares) and not shares.min() > 0:
            terms[shares == 0] = 0
            terms[shares < 0] = -np.inf
        row_sums(terms, None, block.offsets, out)
        out[total == 0] = np.nan
        n = block.counts
        enough: NDArray[np.bool_] = n > 0
        return enough

    return moments(work, data, valid, offsets, strategy.sizes.CACHE_VALUES)
