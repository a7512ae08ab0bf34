"""Load and store eight bytes at once at any address of a buffer, to compare, hash and copy text; and fetch items ahead of use.

The functions are what numba compiles calls of them to; Python runs them too, on numpy arrays. The first byte is the lowest one of
the word: loops that take a part of a word need a processor that stores words that way.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["load_word", "prefetch", "store_word", "teach_numba"]


def load_word(data: Any, place: Any) -> Any:
    """The eight bytes from a place on."""
    return data[int(place) : int(place) + 8].view("<u8")[0]


def store_word(data: Any, place: Any, word: Any) -> None:
    """Write eight bytes from a place on."""
    data[int(place) : int(place) + 8].view("<u8")[0] = word


def prefetch(data: Any, place: Any) -> None:
    """Tell the processor that the item at a place is read soon: it is fetched while others are worked on."""


@functools.cache
def teach_numba() -> None:
    """Tell numba how to compile both functions: one instruction each, whatever the address is divisible by."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic, overload

    def address(builder: Any, arguments: Any) -> Any:
        return builder.bitcast(builder.gep(arguments[0], [arguments[1]]), ir.IntType(64).as_pointer())

    def load(_typing: Any, data: Any, place: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.load(address(builder, arguments), align=1)

        return types.uint64(data, place), generate

    def fetch(_typing: Any, data: Any, place: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            number = ir.IntType(32)
            pointer = ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
            function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            item = builder.bitcast(builder.gep(arguments[0], [arguments[1]]), pointer)
            builder.call(function, [item, number(0), number(3), number(1)])  # to read it, keep it in all caches, it is data
            return context.get_dummy_value()

        return types.void(data, place), generate

    def store(_typing: Any, data: Any, place: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            builder.store(arguments[2], address(builder, arguments), align=1)
            return context.get_dummy_value()

        return types.void(data, place, word), generate

    load_one: Any = intrinsic(load)
    store_one: Any = intrinsic(store)
    fetch_one: Any = intrinsic(fetch)
    # Lambdas, because numba compares names and annotations of both functions.
    overload(load_word, inline="always")(lambda data, place: lambda data, place: load_one(data, place))  # noqa: PLW0108
    overload(prefetch, inline="always")(lambda data, place: lambda data, place: fetch_one(data, place))  # noqa: PLW0108
    overload(store_word, inline="always")(lambda data, place, word: lambda data, place, word: store_one(data, place, word))  # noqa: PLW0108
