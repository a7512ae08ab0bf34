"""Sums of the items of a row in pieces of 128 slots, eight pieces side by side: no addition waits for one of another piece.

Each piece is added from left to right, then the sums of the pieces, as everywhere. Each piece has a lane of a vector: eight items
are loaded from each of eight pieces, and transposed. The functions are what numba compiles calls of them to; Python runs them too,
on numpy arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, Nulls
from arrowjag._kernels.compiled.validity import are_valid, flags_of, is_valid, vector_from
from arrowjag._kernels.compiled.vectors import splat

__all__ = ["LANES", "LONG", "sums_in_pieces", "sums_of_pieces", "teach_numba"]

LANES = 8
"""Pieces side by side, and items of each that are loaded at once."""

_LINE = 64
"""Bytes of a line of the cache."""

_AHEAD = 4
"""How many groups of eight pieces ahead items are fetched, into the second cache: 30M float64 in one row take one core 10 ms, and
21 where the next group is fetched into the first cache, which waits for few lines at once."""

_SECOND_CACHE = 2
"""Of LLVM's `prefetch`: 3 is the first cache."""

LONG = 3 * PIECE
"""Rows that are longer are added side by side: the squared deviations of 1M float64 in rows of 1,000 in 0.24 ms instead of 1.0."""

Function = Callable[..., Any]


@functools.cache
def sums_in_pieces(powers: tuple[int, ...], nulls: Nulls, of_items: bool = False) -> Function:
    """A function of the sums of powers of deviations, `(item - origin) - mean`, one sum per power; a null adds 0.

    Parameters
    ----------
    powers : tuple of int
        Rising, from 1 up.
    nulls : bool or "bits"
        How `valid` tells which items are null; False if it is not read.
    of_items : bool
        Whether origin and mean are 0, so that nulls become 0 before items are widened.
    """

    def sums(values: Any, valid: Any, begin: Any, end: Any, origin: Any, mean: Any) -> Any:
        totals = [0.0] * len(powers)
        for at in range(int(begin), int(end), PIECE):
            piece = slice(at, min(at + PIECE, int(end)))
            deviations = (values[piece].astype(np.float64) - origin) - mean
            if nulls:
                deviations[~flags_of(valid, nulls)[piece]] = 0.0
            for k, power in enumerate(powers):
                product = functools.reduce(np.multiply, [deviations] * power)
                totals[k] += float(np.add.accumulate(product)[-1])
        return tuple(totals)

    _UNKNOWN.append((sums, False, powers, nulls, of_items))
    return sums


@functools.cache
def sums_of_pieces(powers: tuple[int, ...], nulls: Nulls, of_items: bool = False) -> Function:
    """A function that writes what `sums_in_pieces` adds up: `out[8 * (k + len(powers) * group) + lane]` for each power and piece.

    The last group of eight pieces is filled up with 0.
    """

    def write(values: Any, valid: Any, begin: Any, end: Any, origin: Any, mean: Any, out: Any) -> int:
        one = sums_in_pieces(powers, nulls)
        groups = -(-(int(end) - int(begin)) // (LANES * PIECE))
        found = out[: groups * len(powers) * LANES].reshape(groups, len(powers), LANES)
        found[:] = 0
        for piece, at in enumerate(range(int(begin), int(end), PIECE)):
            found[piece // LANES, :, piece % LANES] = one(values, valid, at, min(at + PIECE, int(end)), origin, mean)
        return 0

    _UNKNOWN.append((write, True, powers, nulls, of_items))
    return write


_UNKNOWN: list[tuple[Function, bool, tuple[int, ...], Nulls, bool]] = []
"""Functions that numba does not know yet."""


def teach_numba() -> None:
    """Tell numba how to compile the functions that were made since the last call."""
    from numba.extending import intrinsic, overload

    while _UNKNOWN:
        function, written, powers, nulls, of_items = _UNKNOWN.pop()
        one: Any = intrinsic((_written if written else _sums)(powers, nulls, of_items))
        overload(function, inline="always")((_calling_with_out if written else _calling)(one))


def _calling(one: Any) -> Function:
    # Lambdas, because numba compares names and annotations of both functions.
    return lambda values, valid, begin, end, origin, mean: (
        lambda values, valid, begin, end, origin, mean: one(values, valid, begin, end, origin, mean)  # noqa: PLW0108
    )


def _calling_with_out(one: Any) -> Function:
    return lambda values, valid, begin, end, origin, mean, out: (
        lambda values, valid, begin, end, origin, mean, out: one(values, valid, begin, end, origin, mean, out)  # noqa: PLW0108
    )


def _written(powers: tuple[int, ...], nulls: Nulls, of_items: bool) -> Function:
    """The function that numba calls for sums that are written: it returns the types and a function that writes the code."""
    from numba import types

    def typed(_typing: Any, values: Any, valid: Any, _begin: Any, _end: Any, _origin: Any, _mean: Any, out: Any) -> Any:
        def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            _Row(builder, (powers, nulls, of_items), arguments[:-1], arguments[-1]).add_up()
            return arguments[2].type(0)

        return types.uint64(values, valid, types.uint64, types.uint64, types.float64, types.float64, out), write

    return typed


def _sums(powers: tuple[int, ...], nulls: Nulls, of_items: bool) -> Function:
    """The function that numba calls: it returns the types and a function that writes the code."""
    from numba import types

    def typed(_typing: Any, values: Any, valid: Any, _begin: Any, _end: Any, _origin: Any, _mean: Any) -> Any:
        result = types.UniTuple(types.float64, len(powers))

        def write(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return context.make_tuple(builder, result, _Row(builder, (powers, nulls, of_items), arguments).add_up())

        return result(values, valid, types.uint64, types.uint64, types.float64, types.float64), write

    return typed


class _Row:
    """The code that adds up a row."""

    def __init__(self, builder: Any, what: tuple[tuple[int, ...], Nulls, bool], arguments: Sequence[Any], out: Any = None) -> None:
        from llvmlite import ir
        from numba.core import cgutils

        self.ir, self.builder = ir, builder
        self.powers, self.nulls, self.of_items = what
        self.data, self.valid, self.begin, self.end, self.origin, self.mean = arguments
        self.out = out
        self.word, self.number = self.begin.type, ir.DoubleType()
        self.vector = ir.VectorType(self.number, LANES)
        self.lanes = ir.Constant(ir.VectorType(self.word, LANES), list(range(LANES)))
        self.zero, self.zeros = ir.Constant(self.number, 0.0), ir.Constant(self.vector, [0.0] * LANES)
        self.origins, self.means = splat(builder, self.origin, LANES), splat(builder, self.mean, LANES)
        self.sums = [cgutils.alloca_once_value(builder, self.zeros) for _ in self.powers]
        self.totals = [cgutils.alloca_once_value(builder, self.zero) for _ in self.powers]

    def add_up(self) -> list[Any]:
        """Write the code, and return the sums."""
        from numba.core import cgutils

        builder, word, group = self.builder, self.word, LANES * PIECE
        size = builder.sub(self.end, self.begin)
        n_groups = builder.udiv(builder.add(size, word(group - 1)), word(group))
        with cgutils.for_range(builder, n_groups, intp=word) as groups:
            at = builder.add(self.begin, builder.mul(groups.index, word(group)))
            left = builder.sub(self.end, at)
            for total in self.sums:
                builder.store(self.zeros, total)
            with builder.if_else(builder.icmp_unsigned(">=", left, word(group))) as (is_full, is_last):
                with is_full:
                    self._add_group(at)
                with is_last:
                    n_full, tail = builder.udiv(left, word(PIECE)), builder.urem(left, word(PIECE))
                    self._add_pieces(at, n_full, builder.udiv(tail, word(LANES)))
                    self._add_last(n_full, builder.urem(tail, word(LANES)))
            if self.out is None:
                self._add_lanes()
            else:
                self._write(groups.index)
        return [builder.load(total) for total in self.totals]

    def _add_lanes(self) -> None:
        """Add the sums of a group of pieces; a lane without a piece holds 0.0, which changes no sum."""
        builder = self.builder
        for total, found in zip(self.totals, self.sums, strict=True):
            for lane in range(LANES):
                one = builder.extract_element(builder.load(found), self.ir.IntType(32)(lane))
                builder.store(builder.fadd(builder.load(total), one), total)

    def _write(self, group: Any) -> None:
        """Write the sums of a group of pieces."""
        builder, n = self.builder, len(self.powers)
        for k, found in enumerate(self.sums):
            place = builder.mul(builder.add(builder.mul(group, self.word(n)), self.word(k)), self.word(LANES))
            address = builder.bitcast(builder.gep(self.out, [place]), self.vector.as_pointer())
            builder.store(builder.load(found), address, align=8)

    def _fetch(self, first: Any, step: Any) -> None:
        """Ask for items of a group further on in the order of memory: the processor guesses no order from eight places at once."""
        builder, ir = self.builder, self.ir
        number, pointer = ir.IntType(32), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        name = "llvm.prefetch.p0i8"
        fetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        n_items = _LINE // (8 if self.data.type.pointee == self.number else 4)
        at = builder.add(builder.add(first, self.word(_AHEAD * LANES * PIECE)), builder.mul(step, self.word(LANES * LANES)))
        for line in range(LANES * LANES // n_items):
            address = builder.gep(self.data, [builder.add(at, self.word(line * n_items))])
            builder.call(fetch, [builder.bitcast(address, pointer), number(0), number(_SECOND_CACHE), number(1)])

    def _add_group(self, at: Any) -> None:
        """Add eight whole pieces, which are as far apart at every step."""
        from numba.core import cgutils

        builder, word = self.builder, self.word
        with cgutils.for_range(builder, word(PIECE // LANES), intp=word) as loop:
            self._fetch(at, loop.index)
            first = builder.add(at, builder.mul(loop.index, word(LANES)))
            for deviations in self._columns([self._load(first, lane) for lane in range(LANES)]):
                self._add(deviations)

    def _add_pieces(self, at: Any, n_full: Any, steps_of_tail: Any) -> None:
        """Add whole pieces, and of the shorter one behind them what whole vectors hold."""
        from numba.core import cgutils

        builder, word = self.builder, self.word
        none = builder.icmp_unsigned("==", n_full, word(0))
        steps = builder.select(none, steps_of_tail, word(PIECE // LANES))
        with cgutils.for_range(builder, steps, intp=word) as loop:
            self._fetch(at, loop.index)
            in_tail = builder.icmp_unsigned("<", loop.index, steps_of_tail)
            n = builder.add(n_full, builder.zext(in_tail, word))
            first = builder.add(at, builder.mul(loop.index, word(LANES)))
            rows = []
            for lane in range(LANES):  # a lane without a piece, or whose piece has ended, loads items of the first and adds 0
                apart = builder.select(builder.icmp_unsigned(">", n, word(lane)), word(lane * PIECE), word(0))
                rows.append(self._load(builder.add(first, apart)))
            used = builder.icmp_unsigned("<", self.lanes, splat(builder, n, LANES))
            for deviations in self._columns(rows):
                self._add(builder.select(used, deviations, self.zeros))

    def _columns(self, rows: Sequence[Any]) -> list[Any]:
        """The deviations of an item of each piece; float32 are moved in half of the time of what they are widened to."""
        columns = _transposed(self.builder, rows)
        return columns if self._nulls_first() else [self._deviations(items) for items in columns]

    def _add_last(self, n_full: Any, rest: Any) -> None:
        """Add the last items of the shorter piece, one by one."""
        from numba.core import cgutils

        builder = self.builder
        used = builder.icmp_unsigned("==", self.lanes, splat(builder, n_full, LANES))
        first = builder.sub(self.end, rest)
        with cgutils.for_range(builder, rest, intp=self.word) as loop:
            item = splat(builder, self._load_one(builder.add(first, loop.index)), LANES)
            self._add(builder.select(used, item, self.zeros))

    def _add(self, deviations: Any) -> None:
        """Add one item of each piece."""
        builder, product, done = self.builder, deviations, 1
        for total, power in zip(self.sums, self.powers, strict=True):
            for _ in range(power - done):
                product = builder.fmul(product, deviations)
            done = power
            builder.store(builder.fadd(builder.load(total), product), total)

    def _load(self, place: Any, n_pieces: int = 0) -> Any:
        """Load items side by side, `n_pieces` pieces further on, with 0 for nulls; deviations if a null would have one."""
        builder, apart = self.builder, n_pieces * PIECE
        items = vector_from(builder, builder.gep(self.data, [self.word(apart)]), place, LANES)
        if not self.nulls:
            return items
        items = self._deviations(items) if self._nulls_first() else items
        valid = builder.gep(self.valid, [self.word(apart // 8 if self.nulls == "bits" else apart)])
        return builder.select(are_valid(builder, valid, place, LANES, self.nulls), items, items.type([0.0] * LANES))

    def _nulls_first(self) -> bool:
        """Whether items must become deviations before nulls become 0: 0 has a deviation too, unless origin and mean are 0."""
        return bool(self.nulls) and not self.of_items

    def _deviations(self, items: Any) -> Any:
        builder = self.builder
        items = items if items.type == self.vector else builder.fpext(items, self.vector)
        return items if self.of_items else builder.fsub(builder.fsub(items, self.origins), self.means)

    def _load_one(self, place: Any) -> Any:
        """The deviation of an item."""
        builder = self.builder
        item = builder.load(builder.gep(self.data, [place]))
        item = item if item.type == self.number else builder.fpext(item, self.number)
        found = builder.fsub(builder.fsub(item, self.origin), self.mean)
        if not self.nulls:
            return found
        return builder.select(is_valid(builder, self.valid, place, self.nulls), found, self.zero)


def _transposed(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """The columns of a square matrix of vectors."""
    from llvmlite import ir

    found, n = list(rows), len(rows)
    step = 1
    while step < n:
        for i in range(n):
            if not i & step:
                pair = found[i], found[i + step]
                for row, first in ((i, 0), (i + step, step)):
                    order = [(n + k - step if k & step else k) + first for k in range(n)]
                    mask = ir.Constant(ir.VectorType(ir.IntType(32), n), order)
                    found[row] = builder.shuffle_vector(*pair, mask)
        step *= 2
    return found
