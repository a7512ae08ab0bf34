"""How a reduction walks over rows: in blocks that stay in cache, with reduceat that survives empty rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrowjag._kernels import blocks
from arrowjag._kernels.lists import polars_for, reduce_lists, sum_valid
from arrowjag._kernels.masks import filled
from arrowjag._kernels.memory import empty, zeros
from arrowjag._kernels.offsets import count_block, count_true, filter_rows, row_sizes
from arrowjag.errors import JagOverflowError

__all__ = [
    "BLOCK_VALUES",
    "LARGE_BLOCKS",
    "Block",
    "accumulator",
    "add_up",
    "counts",
    "drop_nulls",
    "may_overflow",
    "moments",
    "over_blocks",
    "raise_overflow",
    "reduce_rows",
    "reduceat",
    "result_type",
]

BLOCK_VALUES = 1 << 17
LARGE_BLOCKS = 1 << 20
"""Where a block makes few temporaries, or batches its rows by length: fewer calls, and enough rows in a batch."""


class Block(NamedTuple):
    """Some rows next to each other, with offsets of their own that start at 0."""

    rows: slice
    items: slice
    data: NDArray[Any]
    valid: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]

    @property
    def counts(self) -> NDArray[Any]:
        """The number of items of each row that are not null."""
        if self.valid is None:
            return row_sizes(self.offsets)
        return (count_true if len(self.valid) > BLOCK_VALUES else count_block)(self.valid, self.offsets)

    def filled(self, fill: object, dtype: Any = None) -> NDArray[Any]:
        """The data as `dtype`, with `fill` where it is null; the data itself where nothing has to be done."""
        data = self.data if dtype is None else self.data.astype(dtype, copy=False)
        return data if self.valid is None else filled(data, self.valid, fill)


def over_blocks(
    function: Callable[[Block], None],
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    block_values: int | None = BLOCK_VALUES,
    alone: int | None = None,
) -> None:
    """Call a function on blocks of rows, on all cores; floating-point warnings are off inside. None is one block a core."""

    def work(first: int, last: int) -> None:
        start, end = int(offsets[first]), int(offsets[last])
        local = offsets[first : last + 1] - start if start else offsets[first : last + 1]
        with np.errstate(all="ignore"):
            items = slice(start, end)
            function(Block(slice(first, last), items, data[items], None if valid is None else valid[items], local))

    polars_for(len(data))
    blocks.map_rows(work, offsets, block_values=block_values, alone=alone)


def reduceat(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Reduce each row into `out`; the entries of empty rows are left as they are."""
    # Plain reduceat gives data[start] for an empty row and fails where the last rows are empty: it gets the others.
    full = offsets[1:] > offsets[:-1]
    if (n_full := np.count_nonzero(full)) < len(full):
        out[full] = ufunc.reduceat(data, offsets[:-1][full]) if n_full else 0
    elif len(out):
        ufunc.reduceat(data, offsets[:-1], out=out)


def reduce_rows(ufunc: np.ufunc, data: NDArray[Any], offsets: NDArray[np.int64], out: NDArray[Any]) -> None:
    """As `reduceat`, by the fastest way there is; sums of empty rows become 0. For large blocks."""
    if not reduce_lists(ufunc, data, offsets, out):
        reduceat(ufunc, data, offsets, out)


def add_up(block: Block, out: NDArray[np.float64]) -> None:
    """The sum of each row's items in float64, nulls left out; 0 for a row without items. For large blocks."""
    n, valid = len(block.data), block.valid
    if len(out) > 1 or valid is None or n <= LARGE_BLOCKS:
        reduce_rows(np.add, block.filled(0, np.float64), block.offsets, out)
        return
    # One long row: its nulls are read past, or filled piece by piece, in cache and on all cores: 2 or 5 ms of work for 5M, not 9.
    step = BLOCK_VALUES if polars_for(n) is None else LARGE_BLOCKS
    pieces = [slice(start, start + step) for start in range(0, n, step)]
    out[:] = np.sum(blocks.map_tasks(lambda piece: _sum_of_piece(block.data[piece], valid[piece]), pieces))


def _sum_of_piece(data: NDArray[Any], valid: NDArray[np.bool_]) -> Any:
    found = sum_valid(data, valid)
    if found is not None:
        return found
    with np.errstate(all="ignore"):
        return filled(data.astype(np.float64, copy=False), valid, 0).sum()


def drop_nulls(
    data: NDArray[Any], valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Values and offsets without the nulls."""
    if valid is None:
        return data, offsets
    return data[valid], filter_rows(valid, offsets)


def counts(valid: NDArray[np.bool_] | None, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of items of each row that are not null."""
    return row_sizes(offsets) if valid is None else count_true(valid, offsets)


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What values of a type are added up in: float64, int64 (bool too) or uint64."""
    return np.dtype({"f": np.float64, "u": np.uint64}.get(dtype.kind, np.int64))


def result_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of a mean or quantile: floats keep theirs, all others give float64."""
    return dtype if dtype.kind == "f" else np.dtype(np.float64)


def may_overflow(values: NDArray[Any], offsets: NDArray[np.int64]) -> bool:
    """Whether the largest magnitude times the longest row leaves the type: cheap, and almost always says no."""
    if not len(values):
        return False
    largest = max(int(values.max()), -int(values.min()))
    return largest * int(row_sizes(offsets).max()) > np.iinfo(values.dtype).max


def raise_overflow(operation: str, rows: NDArray[Any], block: Block, dtype: np.dtype[Any]) -> None:
    """Raise if there are any rows (numbers within the block) whose exact result leaves the type."""
    if len(rows):
        row = block.rows.start + int(rows.min())
        raise JagOverflowError(
            f"{operation}: integer overflow, the result of row {row} does not fit {dtype}. "
            "Cast to float64 first for an approximate result."
        )


def moments(
    work: Callable[[Block, NDArray[np.float64]], NDArray[np.bool_]],
    data: NDArray[Any],
    valid: NDArray[np.bool_] | None,
    offsets: NDArray[np.int64],
    block_values: int | None = BLOCK_VALUES,
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Run `work`, which fills float64 results of a block and says which are valid, and give them the type of a mean."""
    target = result_type(data.dtype)
    out = zeros(len(offsets) - 1, target)
    enough = empty(len(out), np.bool_)

    def run(block: Block) -> None:
        part = out[block.rows]
        wide = part if target == np.float64 else part.astype(np.float64)
        enough[block.rows] = valid_rows = work(block, wide)
        if np.count_nonzero(valid_rows) < len(valid_rows):
            wide[~valid_rows] = 0
        if wide is not part:
            part[:] = wide

    over_blocks(run, data, valid, offsets, block_values)
    return out, None if np.count_nonzero(enough) == len(enough) else enough
