"""States of each row whose weights decay from slot to slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from arrowjag._kernels.compiled.loop import PIECE, helper, loop

u8: Any = np.uint64  # Any: numba infers the exact types, so annotations would add nothing

Function = Callable[..., int]


@helper
def merged(states: Any, at: Any, w: Any, q: Any, m: Any, s: Any, d: Any) -> Any:
    """The state at a place of `states`, followed by another one: weight, its square, mean, spread and decay."""
    kept = states[at] * d
    total = kept + w
    share = w / (total + (1.0 if total == 0.0 else 0.0))
    apart = m - states[at + u8(2)]
    spread = states[at + u8(3)] * d + s + apart * (kept * share) * apart
    return total, states[at + u8(1)] * d * d + q, states[at + u8(2)] + apart * share, spread, states[at + u8(4)] * d


@loop("f8* f8* i8* i8 i8 f8 f8* f8* f8* f8* f8* f8*", ("f8",))
def decayed(kind: str, nulls: bool) -> Function:
    """(values, ones, offsets, first, last, keep, weight, square, mean, spread, decay, states): states of each row up to each slot.

    Slots are merged from left to right within a piece; `states` holds, for each of 8 levels of pieces, the state of the piece so
    far and that of all before it, of 5 numbers each.
    """
    del nulls

    def function(
        values: Any,
        ones: Any,
        offsets: Any,
        first: Any,
        last: Any,
        keep: Any,
        weight: Any,
        square: Any,
        mean: Any,
        spread: Any,
        decay: Any,
        states: Any,
    ) -> int:
        for row in range(u8(first), u8(last)):
            begin = u8(offsets[row])
            for i in range(begin, u8(offsets[row + u8(1)])):
                w, q, m, s, d = ones[i], ones[i], values[i], 0.0, keep
                level, place = u8(0), i - begin
                while True:
                    # Merge into the piece of this level.
                    at = level * u8(10)
                    if place % u8(PIECE) != u8(0):
                        w, q, m, s, d = merged(states, at, w, q, m, s, d)
                    states[at] = w
                    states[at + u8(1)] = q
                    states[at + u8(2)] = m
                    states[at + u8(3)] = s
                    states[at + u8(4)] = d
                    # All pieces of this level before this one.
                    rw, rq, rm, rs, rd = w, q, m, s, d
                    if place >= u8(PIECE):
                        rw, rq, rm, rs, rd = merged(states, at + u8(5), w, q, m, s, d)
                    if level == u8(0):
                        weight[i] = rw
                        square[i] = rq
                        mean[i] = rm
                        spread[i] = rs
                        decay[i] = rd
                    else:
                        below = (level - u8(1)) * u8(10)
                        states[below + u8(5)] = rw
                        states[below + u8(6)] = rq
                        states[below + u8(7)] = rm
                        states[below + u8(8)] = rs
                        states[below + u8(9)] = rd
                    if place % u8(PIECE) != u8(PIECE - 1):
                        break
                    level += u8(1)
                    place = place // u8(PIECE)
        return 0

    return function
