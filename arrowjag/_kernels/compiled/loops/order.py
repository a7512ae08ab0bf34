"""The order of short rows: where each item goes, from how many others are smaller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import ITEM_TYPES, loop

u8: Any = np.uint64  # Any: what numba infers is exact, and no matter of annotations
i8: Any = np.int64

Function = Callable[..., int]


@loop("item* i8* i8 i8 i8 i8 i8*", tuple(type for type in ITEM_TYPES if type != "b1"))
def short_order(kind: str, nulls: bool) -> Function:
    """(values, offsets, first, last, width, slots, out): the stable order of each row of at most `width` items.

    Items are numbered from the first of their row if `slots` is not 0. There are no nulls and no NaN. Longer rows are left out.
    """
    del nulls

    def function(values: Any, offsets: Any, first: Any, last: Any, width: Any, slots: Any, out: Any) -> int:
        for row in range(u8(first), u8(last)):
            begin, end = u8(offsets[row]), u8(offsets[row + u8(1)])
            if end - begin > u8(width):
                continue
            base = begin if slots != 0 else u8(0)
            for i in range(begin, end):
                item = values[i]
                place = begin
                for j in range(begin, i):
                    place += u8(1) if values[j] <= item else u8(0)
                for j in range(i + u8(1), end):
                    place += u8(1) if values[j] < item else u8(0)
                out[place] = i8(i - base)
        return 0

    return function
