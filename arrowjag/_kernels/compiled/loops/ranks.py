"""Ranks of the items of short rows, from how many others are less."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

RANKS = ("ordinal", "min", "max", "average", "dense")
"""The methods of `short_ranks`, which takes their places in here."""

Function = Callable[..., int]


@helper
def n_less(items: Any, n: Any, item: Any) -> Any:
    """How many of the first n items are less than one."""
    found = u8(0)
    for j in range(n):
        found += u8(1) if items[j] < item else u8(0)
    return found


@helper
def n_equal(items: Any, n: Any, item: Any) -> Any:
    """How many of the first n items are equal to one."""
    found = u8(0)
    for j in range(n):
        found += u8(1) if items[j] == item else u8(0)
    return found


@loop("item* u1* i8* i8 i8 i8 i8 i8 item* item* i8*", tuple(type for type in ITEM_TYPES if type != "b1"))
def short_ranks(kind: str, nulls: bool) -> Function:
    """(values, valid, offsets, first, last, width, method, falling, numbers, distinct, out): ranks of the items of short rows.

    From 1; twice the rank for "average". NaN equals NaN and follows numbers, also if `falling` is not 0; the rank of a null is 0.
    `numbers` and `distinct` have room for `width` items. Rows of more than `width` items are left out.
    """
    del kind
    ordinal, _, largest, average, dense = map(i8, range(len(RANKS)))

    @helper
    def is_there(valid: Any, i: Any) -> Any:
        return valid[i] != 0 if nulls else True

    @helper
    def put_numbers(values: Any, valid: Any, begin: Any, end: Any, numbers: Any) -> Any:
        n, n_nan = u8(0), u8(0)
        for i in range(begin, end):
            item = values[i]
            numbers[n] = item
            n += u8(is_there(valid, i) & (item == item))
            n_nan += u8(is_there(valid, i) & (item != item))
        return n, n_nan

    @helper
    def put_distinct(numbers: Any, n: Any, distinct: Any) -> Any:
        m = u8(0)
        for k in range(n):
            distinct[m] = numbers[k]
            m += u8(1) if n_equal(distinct, m, numbers[k]) == u8(0) else u8(0)
        return m

    @helper
    def rank_of(method: Any, before: Any, equal: Any, earlier: Any) -> Any:
        if method == average:
            return i8(u8(2) * before + equal + u8(1))
        if method == largest:
            return i8(before + equal)
        return i8(before + (earlier if method == ordinal else u8(0)) + u8(1))

    def function(
        values: Any,
        valid: Any,
        offsets: Any,
        first: Any,
        last: Any,
        width: Any,
        method: Any,
        falling: Any,
        numbers: Any,
        distinct: Any,
        out: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            if end - begin > u8(width):
                continue
            n, n_nan = put_numbers(values, valid, begin, end, numbers)
            m = put_distinct(numbers, n, distinct) if method == dense else u8(0)
            n_before, nan_before = u8(0), u8(0)
            for i in range(begin, end):
                item = values[i]
                before, equal, earlier = u8(0), u8(0), u8(0)
                if not is_there(valid, i):
                    out[i] = i8(0)
                    continue
                if item != item:
                    before, equal, earlier = (m if method == dense else n), n_nan, nan_before
                    nan_before += u8(1)
                elif method == dense:
                    before = n_less(distinct, m, item)
                    if falling != 0:
                        before = m - u8(1) - before
                else:
                    before = n_less(numbers, n, item)
                    if (falling != 0) | (method == largest) | (method == average):
                        equal = n_equal(numbers, n, item)
                    if falling != 0:
                        before = n - before - equal
                    if method == ordinal:
                        earlier = n_equal(numbers, n_before, item)
                    n_before += u8(1)
                out[i] = rank_of(method, before, equal, earlier)
        return 0

    return function
