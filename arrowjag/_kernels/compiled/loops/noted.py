"""Which rows hold the smallest number, the largest one and the first zero: loops over a user's function call these on their rows.

Numbers are compared by their bits: the order of floats is that of integers, if the bits of negative ones are turned, all but the
first; `turn` holds these bits, and is 0 for integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import Nulls, helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing
i8: Any = np.int64

MOST, LEAST = 2**63 - 1, -(2**63)

Function = Callable[..., int]


@helper
def _keep(low: Any, high: Any, size: Any, row: Any, notes: Any) -> Any:
    """Note the row of some numbers if one is smaller, or larger, than all before, or the first zero."""
    if low < notes[0] or notes[1] < i8(0):
        notes[0], notes[1] = low, row
    if high > notes[2] or notes[3] < i8(0):
        notes[2], notes[3] = high, row
    if size == i8(0) and notes[4] < i8(0):
        notes[4] = row
    return 0


@helper
def _note(bits: Any, begin: Any, end: Any, turn: Any, row: Any, notes: Any) -> Any:
    if begin == end:
        return 0
    # Two halves side by side: each comparison waits for the one before it.
    half, last = (end - begin) >> u8(1), bits[end - u8(1)]
    low, least = last ^ ((last >> i8(63)) & turn), last & i8(MOST)
    high, low_2, high_2, least_2 = low, low, low, least
    for i in range(begin, begin + half):
        a, b = bits[i], bits[i + half]
        one, two = a ^ ((a >> i8(63)) & turn), b ^ ((b >> i8(63)) & turn)
        low, high, least = min(low, one), max(high, one), min(least, a & i8(MOST))
        low_2, high_2, least_2 = min(low_2, two), max(high_2, two), min(least_2, b & i8(MOST))
    _keep(min(low, low_2), max(high, high_2), min(least, least_2), row, notes)
    return 0


@loop("item* i8* i8 i8 i8* i8 i8 i8*", ("i8",))
def noted_items(kind: str, nulls: Nulls) -> Function:
    """(bits, offsets, first, last, idle, n_idle, turn, notes): the items of rows, except for those of some, whose numbers rise."""
    del kind, nulls

    def function(bits: Any, offsets: Any, first: Any, last: Any, idle: Any, n_idle: Any, turn: Any, notes: Any) -> int:
        begin, place, end = first, u8(0), u8(n_idle)
        while place < end:  # the first idle row that is not before the others
            middle = (place + end) >> u8(1)
            if idle[middle] < first:
                place = middle + u8(1)
            else:
                end = middle
        while place < u8(n_idle) and idle[place] < last:
            _note(bits, u8(offsets[begin]), u8(offsets[idle[place]]), turn, begin, notes)
            begin = idle[place] + i8(1)
            place += u8(1)
        _note(bits, u8(offsets[begin]), u8(offsets[last]), turn, begin, notes)
        return 0

    return function


@loop("item* u1* i8 i8 i8 i8 i8*", ("i8",))
def noted_rows(kind: str, nulls: Nulls) -> Function:
    """(bits, valid, first, last, row, turn, notes): numbers, all of which are noted as those of one row."""
    del kind
    has_nulls = bool(nulls)

    def function(bits: Any, valid: Any, first: Any, last: Any, row: Any, turn: Any, notes: Any) -> int:
        if not has_nulls:
            _note(bits, u8(first), u8(last), turn, row, notes)
            return 0
        low, high, least, known = i8(MOST), i8(LEAST), i8(MOST), i8(0)
        for i in range(u8(first), u8(last)):
            # A null counts as a number that loses. No branch: nulls here and there would mispredict it.
            held, one = -i8(valid[i]), bits[i]
            item = (one ^ ((one >> i8(63)) & turn)) & held
            low, high = min(low, item | (i8(MOST) & ~held)), max(high, item | (i8(LEAST) & ~held))
            least = min(least, (one & i8(MOST)) | (i8(MOST) & ~held))
            known -= held
        if known:
            _keep(low, high, least, row, notes)
        return 0

    return function
