"""Kernels of polars on blocks of rows, on all cores, where a look at the values tells that they agree with ours.

polars itself reads the lists of one column in one thread, and some of its kernels agree with ours on most data, but not on all:
its integer sums wrap, to it NaN is above every number. To prove that a block is harmless costs a fourth of the call at most; what
is not is computed another way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from arrowjag import _arrow
from arrowjag._kernels.blocks import map_rows, map_tasks
from arrowjag._kernels.memory import empty
from arrowjag._ops.elementwise.framework import bits_of, flat_data, with_data

__all__ = ["Above", "Lengths", "RowReduction"]

Result = TypeVar("Result")

_MIN_VALUES = 2_000_000
"""Fewer are left in one piece: less than two milliseconds, and the streaming engine hands them to all cores itself."""

_BLOCK_VALUES = 1_250_000
"""A call of polars costs 50 microseconds; of larger blocks one might be left to a core that others use."""

_FLAGS = 1 << 18
"""Flags that are written before they are packed: bytes that stay in cache."""

_PARTS = 4
"""Parts of a comparison that threads share."""

_ROWS = "rows"
"""What blocks are called in expressions."""


class Block(NamedTuple):
    """Some rows next to each other."""

    rows: slice
    lists: pl.Series
    items: pa.Array


def _over_blocks(function: Callable[[Block], Result], series: pl.Series) -> list[Result]:
    """Call a function on blocks of the rows of a column of flat lists; the results in order."""
    results: list[Result] = []
    first = 0
    for chunk in series.alias(_ROWS).get_chunks():
        results += _over_chunk(function, chunk, first)
        first += len(chunk)
    return results


def _over_chunk(function: Callable[[Block], Result], chunk: pl.Series, first: int) -> list[Result]:
    lists: Any = chunk.to_arrow()
    items, offsets = lists.values, _offsets(lists)

    def work(start: int, end: int) -> Result:
        low, high = int(offsets[start]), int(offsets[end])
        rows = slice(first + start, first + end)
        return function(Block(rows, chunk.slice(start, end - start), items.slice(low, high - low)))

    cuts = offsets - offsets[0] if offsets[0] else offsets
    return map_rows(work, cuts, min_values=_MIN_VALUES, block_values=_BLOCK_VALUES)


def _offsets(lists: Any) -> Any:
    """Where the rows of an Arrow array of lists begin among all items; polars has checked them."""
    return np.frombuffer(lists.buffers()[1], np.int64, len(lists) + 1, lists.offset * 8) if len(lists) else np.zeros(1, np.int64)


def _inner(series: pl.Series) -> Any:
    """The dtype of the items of lists."""
    dtype: Any = series.dtype
    return dtype.inner


def _row_bits(lists: Any) -> pa.Buffer | None:
    """Arrow's bits of which rows are not null."""
    return bits_of(lists.is_valid()) if lists.null_count else None


def _by_polars(expr: pl.Expr, lists: pl.Series) -> pl.Series:
    """An expression of a column `rows` on a block, in this thread."""
    return pl.DataFrame([lists]).select_seq(expr).to_series()


def _by_array(name: str, args: tuple[Any, ...], lists: pl.Series) -> pl.Series:
    """A method of the array on a block."""
    made: pl.Series = getattr(lists.jag, name)(*args)  # type: ignore[attr-defined]  # the namespace is registered
    return made


def _largest(items: pa.Array) -> Any:
    """The greatest magnitude of numbers, NaN left out: one pass at the speed of memory."""
    ends = pc.min_max(items)
    return max(ends["max"].as_py(), -ends["min"].as_py()) if ends["max"].is_valid else 0


class Lengths:
    """The number of items of each row, from the offsets in one pass: polars counts them in 32 bits and widens them."""

    def __call__(self, columns: Sequence[pl.Series], **_options: Any) -> pl.Series:
        (series,) = columns
        return _joined([self._count(chunk.to_arrow()) for chunk in series.get_chunks()], series.name)

    def _count(self, lists: Any) -> pl.Series:
        offsets = _offsets(lists)
        out = empty(len(lists), np.int64)
        np.subtract(offsets[1:], offsets[:-1], out=out)
        return pl.Series(pa.Array.from_buffers(pa.int64(), len(lists), [_row_bits(lists), pa.py_buffer(out)]))


class Above:
    """Lists of floats compared with a number, as the standard has it.

    To polars NaN is above every number. To leave it out costs a second comparison: 2.9 ms for 5M float64, where numpy takes 1.9.

    Parameters
    ----------
    ufunc : numpy.ufunc
        `numpy.greater` or `numpy.greater_equal`.
    bound : float
        The number.
    """

    def __init__(self, ufunc: np.ufunc, bound: float) -> None:
        self.ufunc = ufunc
        self.bound = bound

    def __call__(self, columns: Sequence[pl.Series], **_options: Any) -> pl.Series:
        (series,) = columns
        return _joined([self._compare(chunk.to_arrow()) for chunk in series.get_chunks()], series.name)

    def _compare(self, lists: Any) -> pl.Series:
        offsets = _offsets(lists)
        first = int(offsets[0])
        items = lists.values.slice(first, int(offsets[-1]) - first)
        flags = with_data(items, self._flags(flat_data(items)), pa.bool_())
        buffers = [_row_bits(lists), pa.py_buffer(offsets - first if first else offsets)]
        return pl.Series(pa.Array.from_buffers(pa.large_list(flags.type), len(lists), buffers, children=[flags]))

    def _flags(self, numbers: Any) -> Any:
        """A bitmap, in Arrow's order of bits."""
        n = len(numbers)
        bits = empty((n + 7) // 8, np.uint8)
        step = n if n < _MIN_VALUES else -(-n // (_PARTS * _FLAGS)) * _FLAGS

        def work(start: int) -> None:
            scratch = np.empty(min(_FLAGS, n), np.bool_)
            with np.errstate(all="ignore"):
                bound = numbers.dtype.type(self.bound)
                for low in range(start, min(start + step, n), _FLAGS):
                    part = numbers[low : low + _FLAGS]
                    flags = self.ufunc(part, bound, out=scratch[: len(part)])
                    bits[low // 8 : (low + len(part) + 7) // 8] = np.packbits(flags, bitorder="little")

        map_tasks(work, range(0, n, step) if n else ())
        return bits


class RowReduction:
    """A reduction of rows by the faster of two kernels, which only the values can tell: polars' reads nulls one by one.

    Its integer sums wrap, and its means of integers are sums of floats: numbers are proved to be so small that both are exact.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.expr = getattr(pl.col(_ROWS).list, name)()

    def __call__(self, columns: Sequence[pl.Series], **_options: Any) -> pl.Series:
        (series,) = columns
        if self.name == "sum" and _inner(series).is_float():
            return self._float_sums(series)
        found = _over_blocks(self._block, series)
        if any(one is None for one in found):
            return _by_array(self.name, (), series)
        made = _joined([one for one in found if one is not None], series.name)
        return made.cast(pl.Int64) if self.name == "n_unique" else made

    def _block(self, block: Block) -> pl.Series | None:
        return _by_polars(self.expr, block.lists) if not block.items.null_count and self._is_exact(block) else None

    def _is_exact(self, block: Block) -> bool:
        """Whether no sum of some of the numbers of a row leaves the type that polars adds them up in."""
        type = block.items.type
        if self.name not in ("sum", "mean") or not pt.is_integer(type) or not len(block.items):
            return True
        limit = 2**53 if self.name == "mean" else int(np.iinfo(type.to_pandas_dtype()).max)
        largest = _largest(block.items)
        if largest * len(block.items) <= limit:
            return True
        longest: Any = block.lists.list.len().max()
        return bool(largest * longest <= limit)

    def _float_sums(self, series: pl.Series) -> pl.Series:
        """polars' sum of no items is -0.0, and it leaves out a + 0.0, so numpy adds it."""
        nullable = series.null_count() > 0
        out = empty(0 if nullable else len(series), np.float64 if _inner(series) == pl.Float64 else np.float32)

        def work(block: Block) -> pl.Series | None:
            found = self._block(block)
            if found is None or nullable:
                return found
            np.add(found.to_numpy(), 0, out=out[block.rows])
            return found

        found = _over_blocks(work, series)
        if any(one is None for one in found):
            return _by_array("sum", (), series)
        if nullable:
            return _joined([one.replace(0.0, 0.0) for one in found if one is not None], series.name)
        return pl.Series(series.name, _arrow.from_numpy(out))


def _joined(parts: list[pl.Series], name: str) -> pl.Series:
    return (parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=False)).alias(name)
