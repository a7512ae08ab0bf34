"""Which items of a row are equal: the first of each, by comparing short rows and by a table for long ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, loop

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
i8: Any = np.int64
f8: Any = np.float64
_BITS = ("u1", "u2", "u4", "u8")

SHORT = 12
"""Rows up to this length compare each item with those before it."""

Function = Callable[..., int]


@loop("item* u1* i8* i8 i8 i8* u8 i8* i8*", _BITS)
def leaders(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, table, mask, out, counts): the first equal item of each item's row, as an item number.

    Values are bits: equal items have equal ones. A null leads to -1. `table` has mask + 1 entries, a power of two of at least twice
    the longest row, all -1 before the first row; `counts` receives the number of distinct items of each row.

    Entries of earlier rows need no clearing: their item numbers lie before the row.
    """

    def function(values: Any, valid: Any, offsets: Any, first: Any, last: Any, table: Any, mask: Any, out: Any, counts: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            n_different = 0
            if end - begin <= u8(SHORT):
                for i in range(begin, end):
                    item = values[i]
                    leader = i
                    for j in range(begin, i):
                        same = (values[j] == item) & (leader == i)
                        if nulls:
                            same = same & (valid[j] != 0)
                        leader = j if same else leader
                    is_null = valid[i] == 0 if nulls else False
                    n_different += 1 if (leader == i) & (not is_null) else 0
                    out[i] = i8(-1) if is_null else i8(leader)
            else:
                size = u8(16)
                while size < (end - begin) * u8(2):
                    size <<= u8(1)
                within = (size - u8(1)) & u8(mask)
                for i in range(begin, end):
                    if nulls and valid[i] == 0:
                        out[i] = i8(-1)
                        continue
                    item = values[i]
                    hashed = u8(item) * u8(0x9E3779B97F4A7C15)
                    place = (hashed ^ (hashed >> u8(32))) & within
                    found = table[place]
                    while found >= i8(begin) and values[u8(found)] != item:
                        place = (place + u8(1)) & within
                        found = table[place]
                    if found < i8(begin):
                        table[place] = i8(i)
                        found = i8(i)
                        n_different += 1
                    out[i] = found
            counts[row] = n_different
        return 0

    return function


@loop("item* item* i8 i8 u1*", tuple(type for type in ITEM_TYPES if type != "b1"))
def one_of(kind: str, nulls: bool) -> Function:
    """(values, known, first, last, out): whether each item from the first to before the last one equals one of four."""
    del nulls

    def function(values: Any, known: Any, first: Any, last: Any, out: Any) -> int:
        a, b, c, d = known[0], known[1], known[2], known[3]
        begin = u8(first)
        for i in range(begin, u8(last)):
            item = values[i]
            out[i - begin] = (item == a) | (item == b) | (item == c) | (item == d)
        return 0

    return function
