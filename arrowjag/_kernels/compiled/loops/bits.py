"""Bits that are moved: the validity of rows taken, whose bits begin anywhere in a byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import loop
from arrowjag._kernels.compiled.words import load_word, store_word

u8: Any = np.uint64

Function = Callable[..., int]


@loop("item* i8 i8 i8* i8* i8 i8 item*", ("u1",))
def taken_bits(kind: str, nulls: bool) -> Function:
    """(bits, size, skip, begins, taken, first, last, out): the bits of the rows taken, from the first bit of `out` on.

    Bit `skip` of the `size` bytes is that of the first item. `out` has room for eight bytes more.
    """
    del kind, nulls

    def function(bits: Any, size: Any, skip: Any, begins: Any, taken: Any, first: Any, last: Any, out: Any) -> int:
        word, n, at = u8(0), u8(0), u8(0)
        for i in range(u8(first), u8(last)):
            left = u8(taken[i + u8(1)]) - u8(taken[i])
            place = u8(begins[i]) + u8(skip)
            while left > u8(0):
                count = min(left, u8(56))  # eight bytes hold 57 bits or more, whichever bit of the first byte they begin at
                byte = place >> u8(3)
                found = u8(0)
                if byte + u8(8) <= u8(size):
                    found = load_word(bits, byte)
                else:
                    for k in range(u8(0), u8(size) - byte):
                        found |= u8(bits[byte + k]) << (k << u8(3))
                found = (found >> (place & u8(7))) & ((u8(1) << count) - u8(1))
                word |= found << n
                n += count
                if n >= u8(64):
                    store_word(out, at, word)
                    at += u8(8)
                    n -= u8(64)
                    word = found >> (count - n)
                place += count
                left -= count
        store_word(out, at, word)
        return 0

    return function
