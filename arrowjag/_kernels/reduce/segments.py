"""Iterate over rows for reductions: in blocks that stay in cache, by reduceat where no row is empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import strategy
from arrowjag._kernels.base import blocks
from arrowjag._kernels.base.errstate import without_warnings
from arrowjag._kernels.base.extremes import identity_of
from arrowjag._kernels.base.fill import filled
from arrowjag._kernels.base.kept import keep, keeping_loop
from arrowjag._kernels.base.memory import empty, zeros
from arrowjag._kernels.base.offsets import count_block, count_true, filter_rows, row_sizes, span_of
from arrowjag._kernels.base.polars_lists import reduce_lists
from arrowjag._kernels.base.words import Bits, as_flags, unless_all
from arrowjag._kernels.compiled.library import Compiled, find_loop, takes_loops
from arrowjag._kernels.compiled.loop import Nulls
from arrowjag._kernels.move.gather import take_rows

__all__ = [
    "EXACT",
    "Block",
    "Valid",
    "Validity",
    "accumulator",
    "counts",
    "drop_nulls",
    "find_row_loop",
    "have_items",
    "moments",
    "over_blocks",
    "reduce_columns",
    "reduce_rows",
    "reduceat",
    "result_type",
    "shifted",
    "whole_block",
    "without_signed_zeros",
]


Valid: TypeAlias = "NDArray[np.bool_] | None"
"""Which items are not null, or which rows have a result; None if all."""

Validity: TypeAlias = "NDArray[np.bool_] | Bits | None"
"""Which items are not null, as flags or as Arrow's bits; None if all are."""


class Block(NamedTuple):
    """Some rows next to each other, with offsets of their own that start at 0."""

    rows: slice
    items: slice
    data: NDArray[Any]
    valid: Valid
    offsets: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[Any]:
        """The number of items of each row that are not null."""
        if self.valid is None:
            return row_sizes(self.offsets)
        return (count_true if len(self.valid) > strategy.sizes.CACHE_VALUES else count_block)(self.valid, self.offsets)

    def filled(self, fill: object, dtype: Any = None) -> NDArray[Any]:
        """The data as `dtype`, with `fill` where it is null; the data itself where nothing has to be done."""
        data = self.data if dtype is None else self.data.astype(dtype, copy=False)
        return data if self.valid is None else filled(data, self.valid, fill)


def find_row_loop(
    name: str, data: NDArray[Any], valid: Validity, offsets: NDArray[np.int64]
) -> tuple[Compiled | None, NDArray[Any] | None]:
    """A compiled loop over rows, if it is ready, and the validity that it takes: Arrow's bits of long rows, bytes of others.

    Without a loop no bits are unpacked, and the validity is None.
    """

    def find_one(nulls: Nulls) -> Compiled | None:
        return find_loop(name, data.dtype, nulls, len(data), often=True)

    if isinstance(valid, Bits):
        by = strategy.choose("null_bits", len(data), len(offsets) - 1, lambda: find_one("bits") is not None)
        if by == "compiled" and (loop := find_one("bits")) is not None:
            return loop, valid.packed()
    loop = find_one(valid is not None)
    return loop, None if loop is None else as_flags(valid)


def over_blocks(
    function: Callable[[Block], None],
    data: NDArray[Any],
    valid: Valid,
    offsets: NDArray[np.int64],
    block_values: int | None = None,
    alone: int | None = None,
    per_core: bool = False,
    light: bool = False,
) -> None:
    """Call a function on blocks of rows, on all cores; floating-point warnings are off inside.

    `block_values` is CACHE_VALUES by default; with `per_core` there is one block per core, and with `light`, of a function that
    takes values at the speed of memory, only one for fewer than LIGHT_VALUES.
    """
    n_values = int(offsets[-1])
    if n_values < strategy.sizes.THREAD_VALUES:  # as `map_rows` does, without its cost per call
        without_warnings(function, whole_block(data, valid, offsets))
        return

    def work(first: int, last: int) -> None:
        items, local = span_of(offsets, first, last)
        without_warnings(function, Block(slice(first, last), items, data[items], None if valid is None else valid[items], local))

    if not takes_loops():
        strategy.polars_for(n_values)  # import polars in this thread, if the work is worth the import
    size = None if per_core else block_values or strategy.sizes.CACHE_VALUES
    blocks.map_rows(work, offsets, block_values=size, alone=alone, light=light)


def whole_block(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> Block:
    """All rows as one block."""
    items = slice(0, int(offsets[-1]))
    return Block(slice(0, len(offsets) - 1), items, data if len(data) == items.stop else data[items], valid, offsets)


def reduceat(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Reduce each row into `out`, from left to right; the entries of empty rows are left as they are."""
    if strategy.choose("reduced", offsets) == "columns":
        reduce_columns(ufunc, data, out)
    else:
        _reduceat(ufunc, data, offsets, out)


def reduce_rows(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Reduce each row into `out`, by polars where that is faster: extremes, and sums of integers, of large blocks."""
    if strategy.choose("reduced", offsets) == "columns":
        reduce_columns(ufunc, data, out)
    elif not reduce_lists(ufunc, data, offsets, out):
        _reduceat(ufunc, data, offsets, out)


def reduce_columns(ufunc: np.ufunc, data: NDArray[Any], out: NDArray[Any]) -> None:
    """Reduce rows of one length into `out`, all rows at once, slot by slot.

    Notes
    -----
    1M float64 in rows of three take 0.7 ms, by reduceat 5.5 for an extreme and 2.9 for a sum, by polars 12 and 1.5.
    """
    first, *others = data.reshape(len(out), -1).T
    if not others:
        out[:] = first
        return
    ufunc(first, others[0], out=out, dtype=out.dtype)
    for column in others[1:]:
        ufunc(out, column, out=out)


def _reduceat(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    # reduceat returns data[start] for an empty row and raises if the last rows are empty, so it is called for the other rows only.
    full = offsets[1:] > offsets[:-1]
    if (n_full := np.count_nonzero(full)) < len(full):
        out[full] = ufunc.reduceat(data, offsets[:-1][full]) if n_full else 0
    elif len(out):
        ufunc.reduceat(data, offsets[:-1], out=out)


def without_signed_zeros(out: NDArray[Any]) -> NDArray[Any]:
    """Make 0.0 of -0.0 in results, in place.

    Which of two equal zeros an extreme returns depends on the strategy: numpy and polars compare many items at once. One addition
    per result removes the choice.
    """
    if out.dtype.kind == "f":
        out += 0
    return out


def drop_nulls(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Values and offsets without the nulls; by the loop 1M float64 in rows of ten take 0.8 ms instead of 1.6."""
    if valid is None:
        return data, offsets
    cuts = filter_rows(valid, offsets)
    loop = strategy.loop_of("dropped", keeping_loop(data.itemsize, len(data)))
    if loop is None:
        return data[valid], cuts
    return keep(loop, data, valid), cuts


def counts(valid: Valid, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of items of each row that are not null."""
    return row_sizes(offsets) if valid is None else count_true(valid, offsets)


def have_items(valid: Valid, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows have an item that is not null."""
    if valid is not None and len(valid) >= strategy.sizes.CALL_VALUES:
        return count_true(valid, offsets) > 0
    cuts = offsets if valid is None else filter_rows(valid, offsets)
    found: NDArray[np.bool_] = cuts[1:] > cuts[:-1]
    return found


_INT64 = np.dtype(np.int64)
_ACCUMULATORS: dict[str, np.dtype[Any]] = {"f": np.dtype(np.float64), "u": np.dtype(np.uint64)}


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which values of a type are added up: float64, int64 (bool too) or uint64."""
    return _ACCUMULATORS.get(dtype.kind, _INT64)


def result_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of a mean or quantile: floats keep theirs, all others give float64."""
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def moments(
    work: Callable[[Block, NDArray[np.float64]], NDArray[np.bool_]],
    data: NDArray[Any],
    valid: Valid,
    offsets: NDArray[np.int64],
    block_values: int | None = None,
    per_core: bool = False,
    light: bool = False,
) -> tuple[NDArray[Any], Valid]:
    """Run `work`, which fills float64 results of a block and says which are valid, and give them the type of a mean."""
    target = result_type(data.dtype)
    out = zeros(len(offsets) - 1, target)
    if target == np.float64 and int(offsets[-1]) < strategy.sizes.THREAD_VALUES:
        return _moments_at_once(work, data, valid, offsets, out)
    enough = empty(len(out), np.bool_)

    def run(block: Block) -> None:
        part = out[block.rows]
        wide = part if target == np.float64 else part.astype(np.float64)
        enough[block.rows] = valid_rows = work(block, wide)
        if np.count_nonzero(valid_rows) < len(valid_rows):
            wide[~valid_rows] = 0
        if wide is not part:
            part[:] = wide

    over_blocks(run, data, valid, offsets, block_values, per_core=per_core, light=light)
    return out, unless_all(enough)


def _moments_at_once(
    work: Callable[[Block, NDArray[np.float64]], NDArray[np.bool_]],
    data: NDArray[Any],
    valid: Valid,
    offsets: NDArray[np.int64],
    out: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Valid]:
    """Run `work` on values so few that they are one block; return its results and which are valid."""
    enough: list[NDArray[np.bool_]] = []
    over_blocks(lambda block: enough.append(work(block, out)), data, valid, offsets)
    if np.count_nonzero(enough[0]) == len(out):
        return out, None
    out[~enough[0]] = 0
    return out, enough[0]


EXACT = 2**53
"""Integers up to this magnitude are exact in float64."""


def shifted(block: Block, pivot: np.ufunc = np.maximum) -> NDArray[np.float64]:
    """The items of a block in float64, 0 for a null; rows that hold an integer beyond `EXACT` as distances from one of their items.

    Parameters
    ----------
    block : Block
        Booleans, integers or floats.
    pivot : numpy.ufunc
        `numpy.maximum` or `numpy.minimum`: which item the distances of such rows are taken from.

    Returns
    -------
    (n_values,) float64 array
        The result of a row depends on that row alone. Returns the data itself if nothing has to be done.

    Notes
    -----
    O(n_values): integers of 64 bits are read once more, to find that none of them is so large.
    """
    values = block.filled(0, np.float64)
    data = block.data
    if data.dtype.kind not in "iu" or data.dtype.itemsize < 8 or not len(data) or _fits(data):
        return values
    beyond = (data > EXACT) | (data < -EXACT) if data.dtype.kind == "i" else data > EXACT
    if block.valid is not None:
        beyond &= block.valid
    rows = count_true(beyond, block.offsets).nonzero()[0]
    if len(rows):
        offsets, items = take_rows(block.offsets, rows)
        values = values.copy()
        values[items] = _distances(data[items], None if block.valid is None else block.valid[items], offsets, pivot)
    return values


def _fits(data: NDArray[Any]) -> bool:
    return bool(data.min() >= -EXACT and data.max() <= EXACT)


def _distances(data: NDArray[Any], valid: Valid, offsets: NDArray[np.int64], pivot: np.ufunc) -> NDArray[np.float64]:
    """Each item less the pivot of its row, exact up to 64 bits and rounded once; 0 for a null."""
    identity = data.dtype.type(identity_of(data.dtype, pivot is np.maximum))
    ends = zeros(len(offsets) - 1, data.dtype)
    reduceat(pivot, data if valid is None else np.where(valid, data, identity), offsets, ends)
    ends = ends.repeat(row_sizes(offsets)).view(np.uint64)
    found = (
        (ends - data.view(np.uint64)).astype(np.float64)
        if pivot is np.maximum
        else (data.view(np.uint64) - ends).astype(np.float64)
    )
    if pivot is np.maximum:
        np.negative(found, out=found)
    return found if valid is None else np.where(valid, found, 0.0)
