"""Run a stretch of calls on blocks of rows, on all cores, with the kernels of single calls.

The temporaries of a block stay in cache, from where each result of a block is copied. A row's result
depends on that row alone, so the results equal those on whole columns, bit for bit. If a call fails on a block, the caller
computes whole columns: the error then names the row of the column.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from arrowjag._array import JaggedArray
from arrowjag._column import Column, same_validity
from arrowjag._expressions.stages import Stage, run_calls
from arrowjag._kernels import strategy
from arrowjag._kernels.base import memory, words
from arrowjag._kernels.base.blocks import cut_rows, map_tasks, n_cores
from arrowjag._ops import concat
from arrowjag.dims import Dim, Uniform
from arrowjag.shape import JaggedShape

__all__ = ["run_blocks"]

_MOST_SLICES = 256
"""The number of slices of a dim that are kept."""


class _Block(NamedTuple):
    """Rows `start` to before `stop` of the columns of a stretch."""

    place: int
    start: int
    stop: int


def run_blocks(stage: Stage, values: Mapping[int, Any]) -> list[Any] | None:
    """Compute the results of a stretch; None if it must be computed on whole columns.

    Parameters
    ----------
    stage : Stage
        The calls.
    values : mapping
        The value of each node that the stage reads.

    Raises
    ------
    JagError
        If a call fails; row numbers count within a block, so the caller computes whole columns to report it.
    """
    columns = {id(node): values[id(node)] for node in stage.reads if isinstance(values[id(node)], JaggedArray)}
    if not columns or len({len(one) for one in columns.values()}) > 1:
        return None
    longest = max(columns.values(), key=lambda one: int(one.size))
    if strategy.choose("expression", longest.size, stage.n_itemwise, len(stage.calls)) == "whole":
        return None
    blocks = _blocks_of(longest.shape)
    if len(blocks) < 2:
        return None
    constants = {id(node): values[id(node)] for node in stage.reads if id(node) not in columns}

    def run(block: _Block) -> tuple[list[Any], Mapping[int, JaggedArray]]:
        sliced = _sliced(columns, block)
        known = constants | sliced
        run_calls(stage.calls, known, stage.drops)
        return [known[id(node)] for node in stage.gives], sliced

    first, sliced = run(blocks[0])
    if not all(isinstance(one, JaggedArray) and one.ndim > 0 for one in first):
        return None
    sinks = [_sink(one, columns, sliced, len(blocks)) for one in first]

    def put(block: _Block, found: list[Any], sliced: Mapping[int, JaggedArray]) -> None:
        for sink, one in zip(sinks, found, strict=True):
            sink.put(block, one, sliced)

    put(blocks[0], first, sliced)
    map_tasks(lambda block: put(block, *run(block)), blocks[1:])
    results = [sink.result() for sink in sinks]
    return None if any(one is None for one in results) else results


def _blocks_of(shape: JaggedShape) -> list[_Block]:
    """Divide rows into blocks of about equally many values, a multiple of the number of cores."""
    n_blocks = max(1, -(-shape.size // strategy.sizes.JIT_BLOCK))
    n_blocks += -n_blocks % n_cores()
    if shape.ndim == 1:
        step = max(1, -(-shape.size // n_blocks))
        cuts = [(low, min(low + step, shape.size)) for low in range(0, shape.size, step)]
    else:
        cuts = cut_rows(shape.composed(1, shape.ndim).offsets, n_blocks)
    return [_Block(place, *cut) for place, cut in enumerate(cuts)]


def _sliced(columns: Mapping[int, JaggedArray], block: _Block) -> dict[int, JaggedArray]:
    """Slice the rows of columns; those that share dims or shapes share the sliced ones too."""
    shapes: dict[int, JaggedShape] = {}
    found = {}
    for key, column in columns.items():
        start, stop = block.start, block.stop
        rows = column.shape.dims[0]
        parts: list[Dim] = [Uniform(stop - start, 1, declared=rows.extent is not None)]
        for dim in column.shape.dims[1:]:
            parts.append(_slice_of(dim, start, stop))
            start, stop = dim.offset_of(start), dim.offset_of(stop)
        shape = shapes.setdefault(id(column.shape), JaggedShape._trusted(parts))
        found[key] = JaggedArray._of(Column(shape, column._stored.slice(start, stop - start)))
    return found


def _slice_of(dim: Dim, start: int, stop: int) -> Dim:
    """Slice a dim; the slice is kept with the dim, so that the next call finds the owners of its items too."""
    known: dict[tuple[int, int], Dim] = dim.__dict__.setdefault("_slices", {})
    found = known.get((start, stop))
    if found is None:
        if len(known) >= _MOST_SLICES:
            known.clear()
        found = known[start, stop] = dim[start:stop]
    return found


# --------------------------------------------------------------------------------------------------- results


def _sink(first: JaggedArray, columns: Mapping[int, JaggedArray], sliced: Mapping[int, JaggedArray], n_blocks: int) -> _Joined:
    """Return the collector of a result's blocks; it writes in place if the result has the shape of a column."""
    owner = next((key for key, one in sliced.items() if _is_same(one.shape, first.shape)), None)
    if owner is None and first.ndim == 1:
        n_rows = len(next(iter(columns.values())))
        shape = JaggedShape._trusted([Uniform(n_rows, 1, declared=first.shape.dims[0].extent is not None)])
        return _Placed(first, shape, None, n_blocks)
    if owner is None or not pt.is_primitive(first.type):
        return _Joined(first, n_blocks)
    return _Placed(first, columns[owner].shape, owner, n_blocks)


def _is_same(one: JaggedShape, two: JaggedShape) -> bool:
    """Return whether two shapes have the same sizes, null rows and declared extents."""
    return one is two or (one.ndim == two.ndim and all(map(_is_same_dim, one.dims, two.dims)))


def _is_same_dim(one: Dim, two: Dim) -> bool:
    return one is two or (one.extent == two.extent and one == two and same_validity(one.validity, two.validity))


class _Joined:
    """A result whose blocks are concatenated at the end."""

    def __init__(self, first: JaggedArray, n_blocks: int) -> None:
        self.type, self.ndim, self.extents = first.type, first.ndim, first.shape.extents
        self.parts: list[Any] = [None] * n_blocks
        self.fits = True

    def put(self, block: _Block, one: Any, sliced: Mapping[int, JaggedArray]) -> None:
        """Add the result of a block."""
        del sliced
        same = isinstance(one, JaggedArray) and one.type == self.type and one.ndim == self.ndim
        self.fits &= same and one.shape.extents[1:] == self.extents[1:]
        self.parts[block.place] = one

    def result(self) -> JaggedArray | None:
        """Return the whole result; None if the blocks have different types, which whole columns must decide."""
        if not self.fits:
            return None
        joined = concat.concat(self.parts, 0)
        rows = Uniform(joined.shape.dims[0].size, 1, declared=self.extents[0] is not None)
        return JaggedArray._of(Column(JaggedShape._trusted([rows, *joined.shape.dims[1:]]), joined.values))


class _Placed(_Joined):
    """A result with the shape of a column: each block is copied to its position."""

    def __init__(self, first: JaggedArray, shape: JaggedShape, owner: int | None, n_blocks: int) -> None:
        super().__init__(first, n_blocks)
        self.shape, self.owner = shape, owner
        width = first.type.bit_width
        self.words = np.dtype(f"u{width // 8}") if width in (8, 16, 32, 64) and not pt.is_boolean(first.type) else None
        self.data: npt.NDArray[Any] | None = None if self.words is None else memory.empty(shape.size, self.words)
        self.valid: npt.NDArray[np.bool_] | None = None
        self.lock = threading.Lock()

    def put(self, block: _Block, one: Any, sliced: Mapping[int, JaggedArray]) -> None:
        """Copy the result of a block."""
        expected = self._expected(block, sliced)
        if not isinstance(one, JaggedArray) or one.type != self.type or not _is_same(one.shape, expected):
            self.fits = False
            return
        if self.data is None:
            self.parts[block.place] = one.values
            return
        start = self._first_item(block)
        stop = start + expected.size
        values = one.values
        bits = values.buffers()
        if bits[1] is not None:
            self.data[start:stop] = np.frombuffer(bits[1], self.words, len(values), values.offset * self.data.itemsize)
        if values.null_count:
            self._marks()[start:stop] = words.unpack_bits(bits[0], values.offset, len(values))

    def _expected(self, block: _Block, sliced: Mapping[int, JaggedArray]) -> JaggedShape:
        if self.owner is not None:
            return sliced[self.owner].shape
        return JaggedShape._trusted([Uniform(block.stop - block.start, 1, declared=self.shape.dims[0].extent is not None)])

    def _first_item(self, block: _Block) -> int:
        start = block.start
        for dim in self.shape.dims[1:]:
            start = dim.offset_of(start)
        return start

    def _marks(self) -> npt.NDArray[np.bool_]:
        with self.lock:
            if self.valid is None:
                self.valid = np.ones(self.shape.size, np.bool_)
            return self.valid

    def result(self) -> JaggedArray | None:
        """Return the whole result; None if a block has another shape or type than expected."""
        if not self.fits:
            return None
        if self.data is None:
            return JaggedArray._of(Column(self.shape, pa.concat_arrays(self.parts)))
        bits = None if self.valid is None else words.pack_bits(self.valid)
        values = pa.Array.from_buffers(self.type, self.shape.size, [bits, pa.py_buffer(self.data)])
        return JaggedArray._of(Column(self.shape, values))
