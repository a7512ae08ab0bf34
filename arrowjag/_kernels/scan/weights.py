"""Weights inside rows: softmax, and exponentially decaying weights. One result for each item.

`decayed` merges states. The state of a span of items is its total weight, the sum of squared weights, its weighted mean, its
weighted sum of squared deviations and the factor by which it makes earlier weights decay. The states of two neighbouring spans give
that of both. As for sums, rows are cut into pieces of `PIECE` slots: states are merged from left to right within a piece, then
those of whole pieces in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base.memory import empty, empty_columns, empty_like, zeros
from arrowjag._kernels.base.offsets import longest_of, row_sizes
from arrowjag._kernels.compiled.library import find_loop
from arrowjag._kernels.compiled.loop import PIECE
from arrowjag._kernels.reduce.ordered import cut_pieces, row_sums
from arrowjag._kernels.reduce.segments import Block, over_blocks, reduceat, result_type, shifted

__all__ = ["State", "decayed", "softmax"]


def softmax(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64], beta: float = 1.0
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Divide exp(beta * x) of each item by the sum of these over its row.

    Parameters
    ----------
    data : (n_values,) array of floats or integers
    valid : (n_values,) bool array, optional
        Nulls take no part.
    offsets : (n_rows + 1,) int64 array
    beta : float

    Returns
    -------
    (n_values,) array of the same dtype, float64 for integers
        NaN in rows that hold a NaN or whose largest exponent is infinite.
    valid : (n_values,) bool array or None
        As given.

    Notes
    -----
    O(n_values), on all cores: 1M float64 in rows of three take 4.5 ms by compiled loops, by numpy 12. Half precision is computed in
    float32.
    """
    target = result_type(data.dtype)
    wide = np.float32 if target == np.float16 else target
    out = empty(len(data), target)
    pivot = np.minimum if beta < 0 else np.maximum

    def work(block: Block) -> None:
        sizes = row_sizes(block.offsets)
        values = shifted(block, pivot) if data.dtype.kind in "iu" else block.data.astype(wide, copy=False)
        if target == wide and _by_loops(values, block, beta, out[block.items]):
            return
        scaled = values * np.asarray(beta, wide)
        if block.valid is not None:
            scaled[~block.valid] = -np.inf
        top = zeros(len(sizes), wide)
        reduceat(np.maximum, scaled, block.offsets, top)
        scaled -= top.repeat(sizes)
        np.exp(scaled, out=scaled)
        if block.valid is not None:
            scaled[~block.valid] = 0  # where all are null, the distance from their -inf is NaN
        total = empty(len(sizes), np.float64)
        row_sums(scaled, None, block.offsets, total)
        out[block.items] = scaled / total.repeat(sizes)

    over_blocks(work, data, valid, offsets)
    return out, valid


def _by_loops(values: NDArray[Any], block: Block, beta: float, out: NDArray[Any]) -> bool:
    """Compute a block by loops before and after the exponential function, if they are ready."""
    nulls = block.valid is not None
    exponents, shares = (find_loop(name, out.dtype, nulls, len(out), often=True) for name in ("exponents", "shares"))
    ready = exponents is not None and shares is not None
    if strategy.choose("weights", ready) != "compiled" or exponents is None or shares is None:
        return False
    rows = block.valid, block.offsets, 0, len(block.offsets) - 1
    exponents(np.ascontiguousarray(values), *rows, np.array([beta, -np.inf, 0], out.dtype), out)
    np.exp(out, out=out)
    shares(*rows, out)
    return True


Floats: TypeAlias = "NDArray[np.float64]"


Integers: TypeAlias = "NDArray[np.int64]"


class State(NamedTuple):
    """States of spans, one per entry."""

    weight: Floats
    square: Floats
    mean: Floats
    spread: Floats
    keep: Floats

    def take(self, items: Any) -> State:
        """Return the states at some places."""
        return State(*(one[items] for one in self))

    def put(self, items: Any, state: State) -> None:
        """Write states at some places."""
        for target, one in zip(self, state, strict=True):
            target[items] = one


def decayed(data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: Integers, keep: float) -> State:
    """Compute the state of the items of a row up to each one; weights are multiplied by `keep` from slot to slot.

    Parameters
    ----------
    data : (n_values,) array of numbers
    valid : (n_values,) bool array, optional
        A null has no weight, but its slot counts.
    offsets : (n_rows + 1,) int64 array
    keep : float
        From 0 to 1; with 1 all items weigh the same.

    Notes
    -----
    O(n_values), on all cores: each step merges one slot of all pieces.
    """
    out = State(*empty_columns(len(State._fields), len(data)))

    def work(block: Block) -> None:
        values = block.filled(0, np.float64) if block.data.dtype.kind == "f" else shifted(block)
        ones = np.ones(len(values)) if block.valid is None else block.valid.astype(np.float64)
        loop = strategy.loop_of("decay", find_loop("decayed", values.dtype, False, len(values), often=True))
        if loop is not None:
            found = out if len(block.data) == len(data) else out.take(block.items)
            loop(np.ascontiguousarray(values), ones, block.offsets, 0, len(block.offsets) - 1, keep, *found, np.zeros(80))
            return
        none, same = np.zeros(1), np.full(1, keep)

        def leaves(items: Integers) -> State:
            weight = ones[items]
            return State(weight, weight, values[items], none, same)

        _scan(leaves, block.offsets, out.take(block.items))

    over_blocks(work, data, valid, offsets)
    return out


def merged(one: State, two: State) -> State:
    """Merge the states of neighbouring spans; `one` comes first."""
    kept = one.weight * two.keep
    weight = kept + two.weight
    share = two.weight / (weight + (weight == 0))
    apart = two.mean - one.mean
    return State(
        weight,
        one.square * two.keep * two.keep + two.square,
        one.mean + apart * share,
        one.spread * two.keep + two.spread + apart * (kept * share) * apart,
        one.keep * two.keep,
    )


def _scan(leaves: Callable[[Integers], State], offsets: Integers, out: State) -> None:
    """Fill `out`, whose arrays are views, with the state of each row up to each item."""
    sizes = row_sizes(offsets)
    if longest_of(sizes) <= PIECE:
        _scan_slots(leaves, offsets, out)
        return
    rows, pieces = cut_pieces(offsets, sizes)
    _scan_slots(leaves, pieces, out)
    totals = out.take(pieces[1:] - 1)
    carried = State(*map(empty_like, totals))
    _scan(totals.take, rows, carried)
    # Each piece except the first of a row is merged with all pieces before it.
    later = np.delete(np.arange(len(pieces) - 1), rows[:-1][rows[:-1] < rows[1:]])
    lengths = row_sizes(pieces)[later]
    items = np.repeat(pieces[later] - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
    before = carried.take(np.repeat(later - 1, lengths))
    out.put(items, merged(before, out.take(items)))


def _scan_slots(leaves: Callable[[Integers], State], offsets: Integers, out: State) -> None:
    """Fill `out` for short rows, one step per slot: rows that reach the slot come first."""
    sizes = row_sizes(offsets)
    order = np.argsort(-sizes, kind="stable")
    reach = np.cumsum(np.bincount(sizes)[::-1])[::-1]
    if len(reach) < 2:
        return
    item = offsets[order[: reach[1]]]
    state = leaves(item)
    out.put(item, state)
    state = out.take(item)
    for n_rows in reach[2:].tolist():
        item = item[:n_rows] + 1
        state = merged(state.take(slice(n_rows)), leaves(item))
        out.put(item, state)
