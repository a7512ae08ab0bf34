"""Many items at once: the extreme of a run, the place of an item, comparisons of 64 as bits, and products that are not rounded.

LLVM compares integers in lanes by itself, but floats one after the other, and it searches item by item. The functions are what
numba compiles calls of them to; Python runs them too, on numpy arrays. A run of `WIDTH` bytes is the least that they take.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import NULLS, Nulls
from arrowjag._kernels.compiled.validity import are_valid, flags_of, is_valid, vector_from

__all__ = [
    "COMPARED",
    "EXTREMES",
    "PLACES",
    "WIDTH",
    "hits_of",
    "multiply_add",
    "splat",
    "teach_numba",
]

WIDTH = 64
"""Bytes of a vector: one register, or several that are used as one."""

_UNROLLED = 4
"""Vectors that are compared side by side: a comparison takes as long as that many loads."""


def _extreme(largest: bool, nulls: Nulls) -> Callable[..., Any]:
    is_better = operator.gt if largest else operator.lt

    def extreme(values: Any, valid: Any, begin: Any, end: Any, best: Any) -> Any:
        for item in _items(values, valid, begin, end, nulls):
            if is_better(item, best):
                best = item
        return best

    return extreme


def _place(nulls: Nulls) -> Callable[..., Any]:
    def place(values: Any, valid: Any, begin: Any, end: Any, wanted: Any) -> Any:
        for at in range(int(begin), int(end)):
            if len(_items(values, valid, at, at + 1, nulls)) and values[at] == wanted:
                return type(begin)(at)
        return end

    return place


def _items(values: Any, valid: Any, begin: Any, end: Any, nulls: Nulls) -> Any:
    """The items of a run that are not null."""
    part = slice(int(begin), int(end))
    return values[part][flags_of(valid, nulls)[part]] if nulls else values[part]


EXTREMES = {(largest, nulls): _extreme(largest, nulls) for largest in (False, True) for nulls in NULLS}
"""Functions (values, valid, begin, end, best), by whether they look for the largest item, and by how nulls are told.

They return the largest, or the smallest, of the items from `begin` to before `end`, at least one vector, and of `best`. NaN loses,
and nulls take no part.
"""

PLACES = {nulls: _place(nulls) for nulls in NULLS}
"""Functions (values, valid, begin, end, wanted) of the place of the first item that is not null and equals another, or `end`."""


def hits_of(values: Any, place: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Which of 64 items from `place` on equal one of four others, as the bits of a word, the first item in the lowest bit."""
    items = values[int(place) : int(place) + 64]
    flags = (items == a) | (items == b) | (items == c) | (items == d)
    return np.packbits(flags, bitorder="little").view("<u8")[0]


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def compared(values: Any, place: Any, one: Any) -> Any:
        part = slice(int(place), int(place) + 64)
        other = one[part] if isinstance(one, np.ndarray) else one
        return np.packbits(compare(values[part], other), bitorder="little").view("<u8")[0]

    return compared


COMPARED = {"<": _compared(operator.lt), "<=": _compared(operator.le), "==": _compared(operator.eq)}
COMPARED |= {">": _compared(operator.gt), ">=": _compared(operator.ge)}
"""By sign a function of which of 64 items from a place on compare so, the first item in the lowest bit of a word.

They are compared with one item, or with the items of another array at the same places.
"""


_FIRST_INFINITE = 2**1024 - 2**970
"""The smallest number that float64 rounds to infinity."""


def multiply_add(one: Any, two: Any, three: Any) -> Any:
    """The product of two floats plus a third, rounded once; results that aren't finite become NaN, or an infinity."""
    if not (np.isfinite(one) and np.isfinite(two) and np.isfinite(three)):
        return one * two + three
    exact = Fraction(float(one)) * Fraction(float(two)) + Fraction(float(three))
    fits = exact != 0 and abs(exact) < _FIRST_INFINITE
    return type(three)(exact) if fits else one * two + three


@functools.cache
def teach_numba() -> None:
    """Tell numba how to compile the functions."""
    from numba.extending import intrinsic, overload

    for (largest, nulls), extreme in EXTREMES.items():
        overload(extreme, inline="always")(_calling(intrinsic(_extreme_of(">" if largest else "<", nulls))))
    for nulls, place in PLACES.items():
        overload(place, inline="always")(_calling(intrinsic(_place_of(nulls))))
    fused: Any = intrinsic(_multiply_add)
    overload(multiply_add, inline="always")(lambda one, two, three: lambda one, two, three: fused(one, two, three))  # noqa: PLW0108
    hits: Any = intrinsic(_hits)
    overload(hits_of, inline="always")(
        lambda values, place, a, b, c, d: lambda values, place, a, b, c, d: hits(values, place, a, b, c, d)  # noqa: PLW0108
    )
    for sign, compared in COMPARED.items():
        overload(compared, inline="always")(_calling_flags(intrinsic(_flags(sign))))


def _calling_flags(flags: Any) -> Callable[..., Any]:
    return lambda values, place, one: lambda values, place, one: flags(values, place, one)  # noqa: PLW0108


def _calling(one: Any) -> Callable[..., Any]:
    # Lambdas, because numba compares names and annotations of both functions.
    return lambda values, valid, begin, end, best: (
        lambda values, valid, begin, end, best: one(values, valid, begin, end, best)  # noqa: PLW0108
    )


def splat(builder: Any, item: Any, n: int) -> Any:
    """A vector of n lanes with the item in each of them."""
    from llvmlite import ir

    none = ir.Constant(ir.VectorType(item.type, n), ir.Undefined)
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), n), [0] * n)
    return builder.shuffle_vector(builder.insert_element(none, item, ir.IntType(32)(0)), none, lanes)


class _Vectors:
    """Vectors of items of a type."""

    def __init__(self, builder: Any, item: Any, data: Any) -> None:
        from llvmlite import ir

        self.ir, self.builder, self.data = ir, builder, data
        self.size = item.bitwidth // 8
        self.n = WIDTH // self.size
        self.item = data.type.pointee
        self.type = ir.VectorType(self.item, self.n)
        self.is_float, self.is_signed = item.name.startswith("float"), item.name.startswith("int")

    def splat(self, item: Any) -> Any:
        """The item in each lane."""
        return splat(self.builder, item, self.n)

    def load(self, place: Any) -> Any:
        """The items from a place on."""
        return vector_from(self.builder, self.data, place, self.n, self.size)

    def compare(self, sign: str, one: Any, two: Any) -> Any:
        """Compare lane by lane; NaN is not in order with anything."""
        if self.is_float:
            return self.builder.fcmp_ordered(sign, one, two)
        return (self.builder.icmp_signed if self.is_signed else self.builder.icmp_unsigned)(sign, one, two)

    def word(self, place: Any, compare: Callable[[Any, Any], Any]) -> Any:
        """A word of the flags of 64 items from a place on, from those of a vector of items and its place."""
        builder, found = self.builder, place.type(0)
        for first in range(0, 64, self.n):
            at = builder.add(place, place.type(first))
            bits = builder.bitcast(compare(self.load(at), at), self.ir.IntType(self.n))
            found = builder.or_(found, builder.shl(builder.zext(bits, place.type), place.type(first)))
        return found


def _extreme_of(sign: str, nulls: Nulls) -> Callable[..., Any]:
    def generate(builder: Any, item: Any, data: Any, valid: Any, begin: Any, end: Any, best: Any) -> Any:
        from numba.core import cgutils

        lanes = _Vectors(builder, item, data)
        word = begin.type
        start = lanes.splat(best)

        def better(one: Any, two: Any) -> Any:
            return builder.select(lanes.compare(sign, one, two), one, two)

        def load(place: Any) -> Any:
            found = lanes.load(place)
            return builder.select(are_valid(builder, valid, place, lanes.n, nulls), found, start) if nulls else found

        bests = [cgutils.alloca_once_value(builder, start) for _ in range(_UNROLLED)]
        at = cgutils.alloca_once_value(builder, begin)

        def compare_in_steps(taking: list[Any]) -> None:
            step = word(lanes.n * len(taking))
            head, body, after = (builder.append_basic_block(f"vectors.{name}") for name in ("head", "body", "after"))
            builder.branch(head)
            builder.position_at_end(head)
            left = builder.sub(end, builder.load(at))
            builder.cbranch(builder.icmp_unsigned(">=", left, step), body, after)
            builder.position_at_end(body)
            place = builder.load(at)
            for k, one in enumerate(taking):
                builder.store(better(load(builder.add(place, word(k * lanes.n))), builder.load(one)), one)
            builder.store(builder.add(place, step), at)
            builder.branch(head)
            builder.position_at_end(after)

        compare_in_steps(bests)
        compare_in_steps(bests[:1])
        # The last items, some of them once more: NaN, which may be among them, loses as the first of two.
        left = better(load(builder.sub(end, word(lanes.n))), builder.load(bests[0]))
        for one in bests[1:]:
            left = better(builder.load(one), left)
        n = lanes.n
        none = lanes.ir.Constant(lanes.type, lanes.ir.Undefined)
        while n > 1:
            n //= 2
            order = lanes.ir.Constant(
                lanes.ir.VectorType(lanes.ir.IntType(32), lanes.n), [(k + n) % lanes.n for k in range(lanes.n)]
            )
            left = better(builder.shuffle_vector(left, none, order), left)
        return builder.extract_element(left, lanes.ir.IntType(32)(0))

    return _as_intrinsic(generate)


def _place_of(nulls: Nulls) -> Callable[..., Any]:
    def generate(builder: Any, item: Any, data: Any, valid: Any, begin: Any, end: Any, wanted: Any) -> Any:
        from numba.core import cgutils

        lanes = _Vectors(builder, item, data)
        ir, word, sought = lanes.ir, begin.type, lanes.splat(wanted)
        bits = ir.IntType(lanes.n)
        at = cgutils.alloca_once_value(builder, begin)
        names = ("head", "body", "next", "equal", "hit", "tail", "item", "step", "after")
        head, body, later, found, hit, tail, one, step, after = (builder.append_basic_block(f"place.{name}") for name in names)
        builder.branch(head)
        builder.position_at_end(head)
        place = builder.load(at)
        builder.cbranch(builder.icmp_unsigned(">=", builder.sub(end, place), word(lanes.n)), body, tail)
        builder.position_at_end(body)
        mask = builder.bitcast(lanes.compare("==", lanes.load(place), sought), bits)
        builder.cbranch(builder.icmp_unsigned("!=", mask, bits(0)), found, later)
        builder.position_at_end(found)  # only now are nulls looked at
        if nulls:
            mask = builder.and_(mask, builder.bitcast(are_valid(builder, valid, place, lanes.n, nulls), bits))
        builder.cbranch(builder.icmp_unsigned("!=", mask, bits(0)), hit, later)
        builder.position_at_end(later)
        builder.store(builder.add(place, word(lanes.n)), at)
        builder.branch(head)
        builder.position_at_end(hit)
        first = builder.cttz(mask, ir.IntType(1)(1))
        builder.store(builder.add(place, builder.zext(first, word)), at)
        builder.branch(after)
        builder.position_at_end(tail)
        last = builder.load(at)
        builder.cbranch(builder.icmp_unsigned("<", last, end), one, after)
        builder.position_at_end(one)
        value = builder.load(builder.gep(data, [last]))
        equal = lanes.compare("==", value, wanted)
        if nulls:
            equal = builder.and_(equal, is_valid(builder, valid, last, nulls))
        builder.cbranch(equal, after, step)
        builder.position_at_end(step)
        builder.store(builder.add(last, word(1)), at)
        builder.branch(tail)
        builder.position_at_end(after)
        return builder.load(at)

    return _as_intrinsic(generate, gives_place=True)


def _hits(_typing: Any, values: Any, _place: Any, _a: Any, _b: Any, _c: Any, _d: Any) -> Any:
    from numba import types

    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        data, place, *wanted = arguments
        lanes = _Vectors(builder, values.dtype, data)
        sought = [lanes.splat(one) for one in wanted]

        def compare(items: Any, _place: Any) -> Any:
            return functools.reduce(builder.or_, [lanes.compare("==", items, one) for one in sought])

        return lanes.word(place, compare)

    return types.uint64(values, types.uint64, *(4 * (values.dtype,))), write


def _flags(sign: str) -> Callable[..., Any]:
    def typed(_typing: Any, values: Any, _place: Any, one: Any) -> Any:
        from numba import types

        def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            data, place, other = arguments
            lanes = _Vectors(builder, values.dtype, data)
            if one == values:
                others = _Vectors(builder, values.dtype, other)
                return lanes.word(place, lambda items, at: lanes.compare(sign, items, others.load(at)))
            sought = lanes.splat(other)
            return lanes.word(place, lambda items, _: lanes.compare(sign, items, sought))

        return types.uint64(values, types.uint64, values if one == values else values.dtype), write

    return typed


def _multiply_add(_typing: Any, one: Any, two: Any, three: Any) -> Any:
    def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return three(one, two, three), write


def _as_intrinsic(generate: Callable[..., Any], gives_place: bool = False) -> Callable[..., Any]:
    """The function that numba calls: it returns the types and a function that writes the code."""
    from numba import types

    def typed(_typing: Any, values: Any, valid: Any, _begin: Any, _end: Any, _best: Any) -> Any:
        def write(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return generate(builder, values.dtype, *arguments)

        given = (values, valid, types.uint64, types.uint64, values.dtype)
        return (types.uint64 if gives_place else values.dtype)(*given), write

    return typed
