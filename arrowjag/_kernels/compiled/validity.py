"""Which items are not null, as loops are told: by a byte per item, or by Arrow's bits, which long rows are read faster with.

Bits of a row may begin anywhere in a byte. No byte is read that holds none of the bits asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import Nulls, helper
from arrowjag._kernels.compiled.words import load_word

__all__ = [
    "SHORT",
    "are_valid",
    "chosen_of",
    "count_of",
    "flag_of",
    "flags_of",
    "is_valid",
    "ones_of",
    "vector_from",
    "wide_of",
    "word_of",
]

SHORT = 4
"""Rows up to this length are taken without a loop: rows of three are added up in half of the time."""

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64
f8: Any = np.float64


# ------------------------------------------------------------------------------------------------------ for loops


def flag_of(nulls: Nulls) -> Callable[..., Any]:
    """A function of whether an item is not null: 1 or 0, as bytes are."""
    of_bits = nulls == "bits"

    @helper
    def flag(valid: Any, i: Any) -> Any:
        if of_bits:
            return (u8(valid[i >> u8(3)]) >> (i & u8(7))) & u8(1)
        return u8(valid[i])

    return flag


def chosen_of(kind: str, nulls: Nulls) -> Callable[..., Any]:
    """A function of an item, or of another number in place of a null: both float64, uint64 or int64, by the kind of the items.

    It chooses by their bits. Of a condition the compiler makes a branch, which nulls here and there mispredict: 1M int64 in rows of
    three are added up in 0.8 ms instead of 2.1.
    """
    flag, wide = flag_of(nulls), wide_of(kind)

    def item_alone(item: Any, _other: Any, _valid: Any, _i: Any) -> Any:
        return item

    def float_or(item: Any, other: Any, valid: Any, i: Any) -> Any:
        bits, others = f8(item).view(np.int64), f8(other).view(np.int64)
        return i8(others ^ ((bits ^ others) & -i8(flag(valid, i)))).view(np.float64)

    def integer_or(item: Any, other: Any, valid: Any, i: Any) -> Any:
        return other ^ ((item ^ other) & (wide(0) - wide(flag(valid, i))))

    return helper((float_or if kind == "f" else integer_or) if nulls else item_alone)


def wide_of(kind: str) -> Any:
    """The type in which items of a kind are chosen, of 64 bits."""
    return {"f": f8, "u": u8}.get(kind, i8)


@helper
def ones_of(word: Any) -> Any:
    """How many bits of a word are set: LLVM knows the pattern, and uses the instruction for it."""
    word = word - ((word >> u8(1)) & u8(0x5555555555555555))
    word = (word & u8(0x3333333333333333)) + ((word >> u8(2)) & u8(0x3333333333333333))
    word = (word + (word >> u8(4))) & u8(0x0F0F0F0F0F0F0F0F)
    return (word * u8(0x0101010101010101)) >> u8(56)


@helper
def word_of(bits: Any, i: Any) -> Any:
    """The bits of 64 items from one on."""
    shift = i & u8(7)
    high = u8(bits[(i + u8(63)) >> u8(3)])  # all its bits move beyond the word where the items begin a byte
    return (load_word(bits, i >> u8(3)) >> shift) | ((high << u8(1)) << (u8(63) - shift))


def count_of(nulls: Nulls) -> Callable[..., Any]:
    """A function of how many items of a run are not null; bytes are 0 or 1."""
    flag, of_bits = flag_of(nulls), nulls == "bits"

    @helper
    def count(valid: Any, begin: Any, end: Any) -> Any:
        n, at, size = u8(0), begin, end - begin
        if size <= u8(SHORT):
            if size > u8(0):
                n += flag(valid, begin)
            if size > u8(1):
                n += flag(valid, begin + u8(1))
            if size > u8(2):
                n += flag(valid, begin + u8(2))
            if size > u8(3):
                n += flag(valid, begin + u8(3))
            return n
        if of_bits:
            while end - at >= u8(64):
                n += ones_of(word_of(valid, at))
                at += u8(64)
        for i in range(at, end):
            n += flag(valid, i)
        return n

    return count


def flags_of(valid: Any, nulls: Nulls) -> Any:
    """Which items are not null, where Python runs a loop."""
    return (np.unpackbits(valid, bitorder="little") if nulls == "bits" else valid) != 0


# ------------------------------------------------------------------------------------------------- for vectors


def vector_from(builder: Any, pointer: Any, place: Any, n: int, align: int = 1) -> Any:
    """The n entries from a position on."""
    from llvmlite import ir

    type = ir.VectorType(pointer.type.pointee, n)
    return builder.load(builder.bitcast(builder.gep(pointer, [place]), type.as_pointer()), align=align)


def are_valid(builder: Any, valid: Any, place: Any, n: int, nulls: Nulls) -> Any:
    """Which of n items from a position on are not null; of bits no byte is read that holds none of theirs."""
    from llvmlite import ir

    if nulls != "bits":
        bytes = vector_from(builder, valid, place, n)
        return builder.icmp_unsigned("!=", bytes, bytes.type(None))
    few, word, three = ir.IntType(n), ir.IntType(max(n, 32)), place.type(3)  # narrow words are shifted more slowly
    low = builder.bitcast(builder.gep(valid, [builder.lshr(place, three)]), few.as_pointer())
    high = builder.load(builder.gep(valid, [builder.lshr(builder.add(place, place.type(n - 1)), three)]))
    shift = builder.and_(place, place.type(7))
    shift = shift if word == shift.type else builder.trunc(shift, word)
    # Of the last byte all bits move beyond the word where the items begin a byte.
    rest = builder.shl(builder.shl(builder.zext(high, word), word(1)), builder.sub(word(n - 1), shift))
    low = builder.load(low, align=1)
    bits = builder.or_(builder.lshr(low if few == word else builder.zext(low, word), shift), rest)
    return builder.bitcast(bits if few == word else builder.trunc(bits, few), ir.VectorType(ir.IntType(1), n))


def is_valid(builder: Any, valid: Any, place: Any, nulls: Nulls) -> Any:
    """Whether an item is not null."""
    from llvmlite import ir

    if nulls != "bits":
        byte = builder.load(builder.gep(valid, [place]))
        return builder.icmp_unsigned("!=", byte, byte.type(0))
    byte = builder.load(builder.gep(valid, [builder.lshr(place, place.type(3))]))
    bit = builder.lshr(byte, builder.trunc(builder.and_(place, place.type(7)), byte.type))
    return builder.trunc(bit, ir.IntType(1))
